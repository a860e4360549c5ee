/*
 * QTest testcase for the Quire virtual GPU: migration, between two
 * emulators of its own
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#if __has_include("qobject/qdict.h")
#include "qobject/qdict.h"          /* 10.1 and later */
#else
#include "qapi/qmp/qdict.h"
#endif
#include "libqtest.h"
#include "libqos/pci-pc.h"
#include "libqos/quire.h"

#define MIGRATE_COMMAND     "-machine q35 -m 64M -nic none " \
                            "-device quire,addr=4.0,vram-size=64M," \
                            "vram-visible=16M,aperture-size=16M "
#define MIGRATE_COPIES      40
#define MIGRATE_SHIFT       QUIRE_PAGE_SIZE
#define MIGRATE_SIZE        (48 * MiB)

/* The guest memory of the migration tests is fixed: nobody else uses it. */
static void migrate_open(QQuire *q, QTestState *qts, QPCIBus *bus)
{
    QPCIDevice *dev = qpci_device_find(bus, QPCI_DEVFN(4, 0));

    g_assert_nonnull(dev);
    q->dev = *dev;
    g_free(dev);
    q->qts = qts;
    q->entries = 0x1000000;
    q->fence_page = 0x1010000;
    q->buffer = 0x1020000;
    q->data = 0x1080000;
}

static void migrate_wait(QTestState *qts)
{
    gint64 end = g_get_monotonic_time() + QUIRE_TIMEOUT;
    g_autofree char *status = NULL;

    while (g_strcmp0(status, "completed")) {
        QDict *reply = qtest_qmp(qts, "{ 'execute': 'query-migrate' }");
        QDict *result = qdict_get_qdict(reply, "return");

        g_free(status);
        status = g_strdup(qdict_get_try_str(result, "status"));
        g_assert_cmpstr(status, !=, "failed");
        g_assert_cmpint(g_get_monotonic_time(), <, end);
        qobject_unref(reply);
        g_usleep(10 * 1000);
    }
}

static QTestState *migrate_to_file(QQuire *q, const char *path)
{
    g_autofree char *uri = g_strdup_printf("file:%s", path);
    QTestState *to = qtest_init(MIGRATE_COMMAND "-incoming defer");

    qtest_qmp_assert_success(q->qts, "{ 'execute': 'migrate',"
                             " 'arguments': { 'uri': %s } }", uri);
    migrate_wait(q->qts);
    qtest_qmp_assert_success(to, "{ 'execute': 'migrate-incoming',"
                             " 'arguments': { 'uri': %s } }", uri);
    migrate_wait(to);
    return to;
}

/* A mark moves up page by page with each overlapping copy. */
static void test_migrate(void *obj, void *data, QGuestAllocator *alloc)
{
    g_autofree char *path = g_strdup_printf("%s/quire-migrate-%d",
                                            g_get_tmp_dir(), getpid());
    QTestState *from = qtest_init(MIGRATE_COMMAND), *to;
    QPCIBus *from_bus = qpci_new_pc(from, NULL), *to_bus;
    g_autofree QQuire *q = g_new0(QQuire, 1);
    uint64_t progress;
    unsigned i;

    migrate_open(q, from, from_bus);
    qpci_device_enable(&q->dev);
    q->regs = qpci_iomap(&q->dev, QUIRE_BAR_REGS, NULL);
    q->vram = qpci_iomap(&q->dev, QUIRE_BAR_VRAM, NULL);
    quire_ring_program(q);
    quire_ring_enable(q);
    quire_put_page(q, q->data, 1);
    quire_map(q, 9, 1, q->data + QUIRE_PAGE_SIZE);
    quire_fill(q, QUIRE_SEGMENT_VRAM, 0, MIGRATE_SIZE, 0x55667788);
    quire_from_system(q, q->data, 1, 0);
    for (i = 0; i < MIGRATE_COPIES; i++) {
        quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_VRAM,
                       MIGRATE_SHIFT, MIGRATE_SIZE, NULL, 0);
    }
    quire_transfer(q, QUIRE_SEGMENT_VRAM, MIGRATE_COPIES * MIGRATE_SHIFT,
                   QUIRE_SEGMENT_APERTURE, 9 * QUIRE_PAGE_SIZE,
                   QUIRE_PAGE_SIZE, NULL, 0);
    quire_submit(q, 7);
    while (!quire_ring_reg(q, QUIRE_RING_OFFSET)) {
        qtest_clock_step(from, 100);
    }
    qtest_qmp_assert_success(from, "{ 'execute': 'stop' }");
    g_assert_cmphex(qtest_readq(from, q->fence_page), ==, 0);
    progress = quire_ring_reg64(q, QUIRE_RING_PROGRESS_LO);
    to = migrate_to_file(q, path);
    unlink(path);

    to_bus = qpci_new_pc(to, NULL);
    migrate_open(q, to, to_bus);
    g_assert_cmphex(quire_ring_reg64(q, QUIRE_RING_PROGRESS_LO), ==, progress);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_STATUS), ==,
                    QUIRE_RING_STATUS_BUSY);
    qtest_qmp_assert_success(to, "{ 'execute': 'cont' }");
    quire_wait_idle(q);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_FAULT_CODE), ==,
                    QUIRE_FAULT_NONE);
    g_assert_cmphex(qtest_readq(to, q->fence_page), ==, 7);
    quire_check_page(q, q->data + QUIRE_PAGE_SIZE, 1);
    /* Each copy left the mark behind at every page below it. */
    quire_check_page(q, quire_vram_addr(q, 0), 1);
    quire_check_page(q, quire_vram_addr(q, (MIGRATE_COPIES - 1) *
                                           MIGRATE_SHIFT), 1);
    g_assert_cmphex(qtest_readl(to, quire_vram_addr(q, (MIGRATE_COPIES + 1) *
                                                       MIGRATE_SHIFT)),
                    ==, 0x55667788);
    qpci_free_pc(from_bus);
    qpci_free_pc(to_bus);
    qtest_quit(to);
    qtest_quit(from);
}

static void quire_migration_register(void)
{
    if (g_str_equal(qtest_get_arch(), "x86_64")) {
        qos_add_test("migrate", "quire", test_migrate, NULL);
    }
}

libqos_init(quire_migration_register);
