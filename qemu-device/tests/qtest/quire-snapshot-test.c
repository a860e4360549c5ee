/*
 * QTest testcase for the Quire virtual GPU: snapshots in the background,
 * of a machine that runs on
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "libqtest.h"
#include "libqos/pci-pc.h"
#include "libqos/quire.h"

#define SNAPSHOT_COMMAND    "-machine q35 -m 64M -nic none " \
                            "-device quire,addr=4.0,vram-size=64M," \
                            "vram-visible=16M "
#define SNAPSHOT_SIZE       (48 * MiB)

/* Tell @qts to take a background snapshot; false if the host can not. */
static bool snapshot_enable(QTestState *qts)
{
    QDict *reply = qtest_qmp(qts, "{ 'execute': 'migrate-set-capabilities',"
                             " 'arguments': { 'capabilities': [ {"
                             " 'capability': 'background-snapshot',"
                             " 'state': true } ] } }");
    bool ok = qdict_haskey(reply, "return");

    qobject_unref(reply);
    return ok;
}

static void snapshot_wait_active(QTestState *qts)
{
    gint64 end = g_get_monotonic_time() + QUIRE_TIMEOUT;
    bool active;

    do {
        QDict *reply = qtest_qmp(qts, "{ 'execute': 'query-migrate' }");
        QDict *result = qdict_get_qdict(reply, "return");
        const char *status = qdict_get_try_str(result, "status");

        g_assert_cmpstr(status, !=, "failed");
        g_assert_cmpstr(status, !=, "completed");
        active = !g_strcmp0(status, "active");
        qobject_unref(reply);
        g_assert_cmpint(g_get_monotonic_time(), <, end);
        g_usleep(10 * 1000);
    } while (!active);
    qtest_qmp_eventwait(qts, "RESUME");
}

/* All that can be seen of what was filled. */
static void snapshot_check(QQuire *q)
{
    uint64_t offset;

    for (offset = 0; offset < 16 * MiB; offset += QUIRE_PAGE_SIZE) {
        g_assert_cmphex(qtest_readl(q->qts, quire_vram_addr(q, offset)), ==,
                        0x55667788);
    }
}

/* A machine with filled VRAM that takes snapshots; NULL if the host can not. */
static QTestState *snapshot_open(QQuire *q, QPCIBus **bus)
{
    QTestState *qts = qtest_init(SNAPSHOT_COMMAND);

    if (!snapshot_enable(qts)) {
        g_test_skip("no background snapshots on this host: no userfaultfd "
                    "with write protection");
        qtest_quit(qts);
        return NULL;
    }
    *bus = qpci_new_pc(qts, NULL);
    quire_open_ring(q, qts, *bus);
    quire_fill(q, QUIRE_SEGMENT_VRAM, 0, SNAPSHOT_SIZE, 0x55667788);
    quire_run(q, 1);
    return qts;
}

static void snapshot_begin(QTestState *qts, const char *uri)
{
    qtest_qmp_assert_success(qts, "{ 'execute': 'migrate-set-parameters',"
                             " 'arguments': { 'max-bandwidth': 2097152 } }");
    qtest_qmp_assert_success(qts, "{ 'execute': 'migrate',"
                             " 'arguments': { 'uri': %s } }", uri);
    snapshot_wait_active(qts);
}

static void snapshot_end(QTestState *qts)
{
    qtest_qmp_assert_success(qts, "{ 'execute': 'migrate-set-parameters',"
                             " 'arguments': { 'max-bandwidth': 0 } }");
    quire_migrate_wait(qts, "completed");
}

/*
 * A snapshot that goes nowhere until somebody writes to @path. A page that the
 * device writes must be saved first, and the device waits for it; nobody else.
 */
static void snapshot_monitor(QQuire *q, const char *path)
{
    g_autofree char *uri = g_strdup_printf("exec:read go <%s; cat >/dev/null",
                                           path);
    uint64_t offset;
    unsigned i;
    int fd;

    /* First in such small parts that each would be done at once. */
    for (offset = 0; offset < MiB; offset += QUIRE_PAGE_SIZE) {
        quire_fill(q, QUIRE_SEGMENT_VRAM, offset, QUIRE_PAGE_SIZE, 0x11111111);
    }
    quire_fill(q, QUIRE_SEGMENT_VRAM, 0, 8 * MiB, 0x11111111);
    quire_discard(q, 8 * MiB, SNAPSHOT_SIZE - 8 * MiB);
    qtest_bufwrite(q->qts, q->buffer, q->packets, q->size);
    quire_entry(q, q->buffer, q->size, 0, 2, 0);
    snapshot_begin(q->qts, uri);
    quire_doorbell(q);
    for (i = 0; i < 10; i++) {
        qtest_clock_step(q->qts, 100);
        qtest_qmp_assert_success(q->qts, "{ 'execute': 'query-status' }");
        g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_STATUS), ==,
                        QUIRE_RING_STATUS_BUSY);
    }
    /* What saves the pages may hold some of them, but not all. */
    g_assert_cmphex(quire_ring_reg64(q, QUIRE_RING_PROGRESS_LO), <,
                    SNAPSHOT_SIZE + MiB);
    fd = open(path, O_WRONLY);
    g_assert_cmpint(write(fd, "\n", 1), ==, 1);
    close(fd);
    quire_wait_idle(q);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, 2);
    g_assert_cmphex(qtest_readl(q->qts, quire_vram_addr(q, 0)), ==, 0x11111111);
    quire_check_zero_page(q, quire_vram_addr(q, 8 * MiB));
    snapshot_end(q->qts);
}

static void test_snapshot_monitor(void *obj, void *data,
                                  QGuestAllocator *alloc)
{
    g_autofree char *path = g_strdup_printf("%s/quire-monitor-%d",
                                            g_get_tmp_dir(), getpid());
    g_autofree QQuire *q = g_new0(QQuire, 1);
    QTestState *qts;
    QPCIBus *bus;

    qts = snapshot_open(q, &bus);
    if (!qts) {
        return;
    }
    g_assert_cmpint(mkfifo(path, 0600), ==, 0);
    snapshot_monitor(q, path);
    unlink(path);
    qpci_free_pc(bus);
    qtest_quit(qts);
}

/* What is discarded while a snapshot is taken is in the snapshot. */
static void test_snapshot(void *obj, void *data, QGuestAllocator *alloc)
{
    g_autofree char *path = g_strdup_printf("%s/quire-snapshot-%d",
                                            g_get_tmp_dir(), getpid());
    g_autofree char *uri = g_strdup_printf("file:%s", path);
    g_autofree QQuire *q = g_new0(QQuire, 1);
    QPCIBus *from_bus, *to_bus;
    QTestState *from, *to;

    from = snapshot_open(q, &from_bus);
    if (!from) {
        return;
    }
    snapshot_begin(from, uri);
    quire_discard(q, 0, SNAPSHOT_SIZE);
    quire_run(q, 2);
    quire_check_zero_page(q, quire_vram_addr(q, 0));
    snapshot_end(from);

    to = qtest_init(SNAPSHOT_COMMAND "-incoming defer");
    qtest_qmp_assert_success(to, "{ 'execute': 'migrate-incoming',"
                             " 'arguments': { 'uri': %s } }", uri);
    quire_migrate_wait(to, "completed");
    unlink(path);
    to_bus = qpci_new_pc(to, NULL);
    quire_open(q, to, to_bus);
    snapshot_check(q);
    qpci_free_pc(from_bus);
    qpci_free_pc(to_bus);
    qtest_quit(to);
    qtest_quit(from);
}

static void quire_snapshot_register(void)
{
    if (g_str_equal(qtest_get_arch(), "x86_64")) {
        qos_add_test("snapshot", "quire", test_snapshot, NULL);
        qos_add_test("snapshot-monitor", "quire", test_snapshot_monitor,
                     NULL);
    }
}

libqos_init(quire_snapshot_register);
