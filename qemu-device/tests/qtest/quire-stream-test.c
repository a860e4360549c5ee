/*
 * QTest testcase for the Quire virtual GPU: migration streams that somebody
 * changed are refused, and the emulator lives; states of an earlier time
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "libqtest.h"
#include "libqos/pci-pc.h"
#include "libqos/quire.h"
#include "hw/quire/engine/quire_command.h"

#define STREAM_COMMAND  "-machine q35 -m 32M -nic none " \
                        "-device quire,addr=4.0,fault-injection=on," \
                        "vram-size=1M,aperture-size=16G"

/* Pages of the aperture that are mapped, in its first chunk and its last. */
#define FIRST_PAGE      9
#define LAST_PAGE       (CHUNKS * CHUNK_ENTRIES - 1)
#define CHUNK_ENTRIES   512
#define CHUNKS          8192

/* The whole table has 32 MiB, the rest of an idle machine a part of this. */
#define STREAM_MAX      (2 * MiB)

/* Where the state of an idle ring has what, from its first register on. */
enum {
    AT_OFFSET = 28,
    AT_FAULT_CODE = 32,
    AT_FAULT_OPCODE = 40,
    AT_WPTR = 68,
    AT_ACTIVE = 73,
    AT_STARTED = 74,
    AT_ADDR = 76,
    AT_FENCE = 84,
    AT_SIZE = 92,
    AT_CONTEXT = 100,
    AT_ROOT = 108,
    AT_DONE = 116,
};

/* QUIRE_STREAM_MINOR_MIN of quire-vmstate.c; a stream has the next version. */
#define STREAM_MINOR_MIN    10

/* Where the next page in the write buffer is after one. */
#define AFTER_POSTED    12
#define QUIRE_POSTED_PAGES  (QUIRE_POSTED_MAX / QUIRE_PAGE_SIZE)

/**
 * struct change - what is done to a stream
 * @what: for people
 * @where: what @at counts from
 * @at: bytes
 * @bytes: how many are replaced, from the low byte of @value
 * @value: what is put there, big endian
 * @refused: the load fails
 */
struct change {
    const char *what;
    enum {
        NOWHERE, VERSION, RING, FIRST_CHUNK, LAST_CHUNK, CHUNK_END, POSTED
    } where;
    unsigned at;
    unsigned bytes;
    uint64_t value;
    bool refused;
};

#define CHANGE(what, where, at, bytes, value) \
    { what, where, at, bytes, value, true }

static const struct change changes[] = {
    { "nothing", NOWHERE },
    { "progress", RING, 60, 8, 4711, false },
    CHANGE("older version", VERSION, 0, 4, STREAM_MINOR_MIN),
    CHANGE("newer version", VERSION, 0, 4, QUIRE_VERSION_MINOR + 2),
    CHANGE("offset", RING, AT_OFFSET, 4, 8),
    CHANGE("fault code", RING, AT_FAULT_CODE, 4, QUIRE_FAULT_BAD_RING),
    CHANGE("fault opcode", RING, AT_FAULT_OPCODE, 4, 1),
    CHANGE("write pointer", RING, AT_WPTR, 4, 100),
    CHANGE("started", RING, AT_STARTED, 1, 1),
    CHANGE("address", RING, AT_ADDR, 8, 0x100000),
    CHANGE("fence", RING, AT_FENCE, 8, 1),
    CHANGE("size", RING, AT_SIZE, 4, 8),
    CHANGE("context", RING, AT_CONTEXT, 8, 0x1000),
    CHANGE("root", RING, AT_ROOT, 8, 1),
    CHANGE("done", RING, AT_DONE, 8, 1),
    CHANGE("active", RING, AT_ACTIVE, 1, 1),
    CHANGE("chunk behind the last", LAST_CHUNK, 0, 4, CHUNKS),
    CHANGE("chunk far behind the last", LAST_CHUNK, 0, 4, 0x80000000),
    CHANGE("chunk twice", LAST_CHUNK, 0, 4, 0),
    CHANGE("no end of chunks", CHUNK_END, 0, 4, 0),
    CHANGE("empty chunk", FIRST_CHUNK, 4 + FIRST_PAGE * 8, 8, 0),
    CHANGE("entry that is not valid", FIRST_CHUNK, 4, 8, 0x1000),
    { "visible page", FIRST_CHUNK, 4, 8, 0x1009, false },
    CHANGE("reserved bits of an entry", FIRST_CHUNK, 4, 8, 0x1011),
    CHANGE("dummy page that is coherent", LAST_CHUNK, 4, 8, 7),
    CHANGE("dummy page that is visible", FIRST_CHUNK, 4, 8, 0xd),
    CHANGE("visible page behind the window", LAST_CHUNK, 4, 8, 9),
    CHANGE("posted past the page", POSTED, 8, 4, QUIRE_PAGE_SIZE),
    CHANGE("nothing posted somewhere", POSTED, AFTER_POSTED, 8, 0x1000),
    CHANGE("place in the write buffer", POSTED,
           AFTER_POSTED * QUIRE_POSTED_PAGES, 4, QUIRE_POSTED_PAGES),
};

static size_t stream_find(const char *stream, size_t len, const void *what,
                          size_t size)
{
    const char *at = memmem(stream, len, what, size);

    g_assert_nonnull(at);
    return at - stream;
}

/*
 * A saved device whose ring is idle and whose aperture has two pages; of the
 * first some bytes are in the write buffer.
 */
static char *stream_save(QTestState *from, QQuire *q, const char *path,
                         gsize *len)
{
    g_autofree char *uri = g_strdup_printf("file:%s", path);
    char *stream;

    quire_map_flags(q, FIRST_PAGE, 1, q->data, 0);
    quire_map_flags(q, LAST_PAGE, 1, q->data + QUIRE_PAGE_SIZE, 0);
    quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_APERTURE,
                   FIRST_PAGE * QUIRE_PAGE_SIZE + 8, 100, NULL, 0);
    quire_run(q, 1);
    qtest_qmp_assert_success(from, "{ 'execute': 'migrate',"
                             " 'arguments': { 'uri': %s } }", uri);
    quire_migrate_wait(from, "completed");
    g_assert_true(g_file_get_contents(path, &stream, len, NULL));
    return stream;
}

/* Where in the stream are the things that are changed? */
static void stream_places(QQuire *q, const char *stream, size_t len,
                          size_t places[POSTED + 1])
{
    /* Its length first: names of memory begin like it. */
    static const char name[] = "\022" "0000:00:04.0/quire";
    const uint64_t ring[] = { cpu_to_be64(q->entries),
                              cpu_to_be64(q->fence_page) };
    const uint64_t first[] = { 0, cpu_to_be64(q->data | 1) };
    const uint64_t last[] = { 0, cpu_to_be64((q->data + QUIRE_PAGE_SIZE) | 1) };

    uint8_t posted[AFTER_POSTED];

    stq_be_p(posted, q->data + 8);
    stl_be_p(posted + 8, 100);
    places[NOWHERE] = 0;
    /* The name is followed by an instance and the version. */
    places[VERSION] = stream_find(stream, len, name, strlen(name)) +
                      strlen(name) + 4;
    places[RING] = stream_find(stream, len, ring, sizeof(ring));
    places[FIRST_CHUNK] = stream_find(stream, len, first, sizeof(first)) -
                          (FIRST_PAGE - 1) * 8 - 4;
    places[LAST_CHUNK] = stream_find(stream, len, last, sizeof(last)) -
                         (CHUNK_ENTRIES - 2) * 8 - 4;
    places[CHUNK_END] = places[LAST_CHUNK] + 4 + CHUNK_ENTRIES * 8;
    places[POSTED] = stream_find(stream, len, posted, sizeof(posted));
    g_assert_cmpint(places[LAST_CHUNK], ==,
                    places[FIRST_CHUNK] + 4 + CHUNK_ENTRIES * 8);
}

static void stream_load(const char *path, const char *command, bool refused)
{
    g_autofree char *uri = g_strdup_printf("file:%s", path);
    QTestState *to = qtest_initf("%s -incoming defer", command);

    qtest_qmp_assert_success(to, "{ 'execute': 'migrate-incoming',"
                             " 'arguments': { 'uri': %s,"
                             " 'exit-on-error': false } }", uri);
    quire_migrate_wait(to, refused ? "failed" : "completed");
    qtest_quit(to);
}

static void test_stream(void *obj, void *data, QGuestAllocator *alloc)
{
    g_autofree char *path = g_strdup_printf("%s/quire-stream-%d",
                                            g_get_tmp_dir(), getpid());
    QTestState *from = qtest_init(STREAM_COMMAND);
    QPCIBus *bus = qpci_new_pc(from, NULL);
    g_autofree QQuire *q = g_new0(QQuire, 1);
    g_autofree char *stream = NULL, *changed = NULL;
    size_t places[POSTED + 1];
    uint64_t value;
    unsigned i;
    gsize len;

    quire_open_ring(q, from, bus);
    stream = stream_save(from, q, path, &len);
    g_assert_cmpint(len, <, STREAM_MAX);
    stream_places(q, stream, len, places);
    for (i = 0; i < ARRAY_SIZE(changes); i++) {
        const struct change *change = &changes[i];

        value = cpu_to_be64(change->value);
        changed = g_memdup2(stream, len);
        memcpy(changed + places[change->where] + change->at,
               (char *)&value + 8 - change->bytes, change->bytes);
        g_assert_true(g_file_set_contents(path, changed, len, NULL));
        g_clear_pointer(&changed, g_free);
        g_test_message("%s", change->what);
        stream_load(path, STREAM_COMMAND, change->refused);
    }
    /* What a driver found in CAPS stays true. */
    g_assert_true(g_file_set_contents(path, stream, len, NULL));
    stream_load(path, STREAM_COMMAND ",fault-injection=off", true);
    stream_load(path, STREAM_COMMAND ",dummy-page-report=on", true);
    unlink(path);
    qpci_free_pc(bus);
    qtest_quit(from);
}

/* Returns whether the job, whose name is job, ends well. */
static bool job_end(QTestState *qts)
{
    gint64 end = g_get_monotonic_time() + QUIRE_TIMEOUT;
    QDict *reply, *job;
    bool good = false, ends = false;

    while (!ends) {
        g_assert_cmpint(g_get_monotonic_time(), <, end);
        g_usleep(1000);
        reply = qtest_qmp(qts, "{ 'execute': 'query-jobs' }");
        job = qobject_to(QDict, qlist_peek(qdict_get_qlist(reply, "return")));
        ends = g_str_equal(qdict_get_str(job, "status"), "concluded");
        good = !qdict_haskey(job, "error");
        qobject_unref(reply);
    }
    qtest_qmp_assert_success(qts, "{ 'execute': 'job-dismiss',"
                             " 'arguments': { 'id': 'job' } }");
    return good;
}

/* A disk for the state of a machine, in the file @path. */
static void disk_create(QTestState *qts, const char *path)
{
    qtest_qmp_assert_success(qts,
        "{ 'execute': 'blockdev-create', 'arguments': { 'job-id': 'job',"
        " 'options': { 'driver': 'file', 'filename': %s, 'size': 0 } } }",
        path);
    g_assert_true(job_end(qts));
    qtest_qmp_assert_success(qts,
        "{ 'execute': 'blockdev-add', 'arguments': { 'driver': 'file',"
        " 'node-name': 'file', 'filename': %s } }", path);
    qtest_qmp_assert_success(qts,
        "{ 'execute': 'blockdev-create', 'arguments': { 'job-id': 'job',"
        " 'options': { 'driver': 'qcow2', 'file': 'file',"
        " 'size': 1048576 } } }");
    g_assert_true(job_end(qts));
    qtest_qmp_assert_success(qts,
        "{ 'execute': 'blockdev-del', 'arguments': { 'node-name': 'file' } }");
}

static void disk_open(QTestState *qts, const char *path)
{
    qtest_qmp_assert_success(qts,
        "{ 'execute': 'blockdev-add', 'arguments': { 'driver': 'qcow2',"
        " 'node-name': 'disk', 'file': { 'driver': 'file',"
        " 'filename': %s } } }", path);
}

static bool disk_job(QTestState *qts, const char *command)
{
    qtest_qmp_assert_success(qts,
        "{ 'execute': %s, 'arguments': { 'job-id': 'job', 'tag': 'state',"
        " 'vmstate': 'disk', 'devices': [ 'disk' ] } }", command);
    return job_end(qts);
}

/*
 * The state of the device breaks off: what there is of it is as after a
 * power-on, and works, when the machine is started all the same.
 */
static void test_breaks_off(void *obj, void *data, QGuestAllocator *alloc)
{
    g_autofree char *path = g_strdup_printf("%s/quire-disk-%d",
                                            g_get_tmp_dir(), getpid());
    const uint64_t sizes[] = { cpu_to_be64(1 * MiB), cpu_to_be64(1 * MiB) };
    QTestState *qts = qtest_init(STREAM_COMMAND);
    QPCIBus *bus = qpci_new_pc(qts, NULL);
    g_autofree QQuire *q = g_new0(QQuire, 1);
    g_autofree char *disk = NULL;
    size_t len;

    quire_open_ring(q, qts, bus);
    disk_create(qts, path);
    disk_open(qts, path);
    g_assert_true(disk_job(qts, "snapshot-save"));
    qpci_free_pc(bus);
    qtest_quit(qts);

    /* the sizes of VRAM, and of what is visible, are its first fields */
    g_assert_true(g_file_get_contents(path, &disk, &len, NULL));
    disk[stream_find(disk, len, sizes, sizeof(sizes))] = 1;
    g_assert_true(g_file_set_contents(path, disk, len, NULL));

    qts = qtest_init(STREAM_COMMAND);
    disk_open(qts, path);
    g_assert_false(disk_job(qts, "snapshot-load"));
    qtest_qmp_assert_success(qts, "{ 'execute': 'cont' }");
    bus = qpci_new_pc(qts, NULL);
    memset(q, 0, sizeof(*q));
    quire_open_ring(q, qts, bus);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_ID), ==, QUIRE_ID);
    quire_fill(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_PAGE_SIZE, 0x12345678);
    quire_run(q, 1);
    g_assert_cmphex(qtest_readl(qts, quire_vram_addr(q, 0)), ==, 0x12345678);
    qpci_free_pc(bus);
    qtest_quit(qts);
    unlink(path);
}

/*
 * With QEMU's instruction counter, and a processor that has nothing to do:
 * virtual time is at once what the next timer wants.
 */
#define COUNT_DEVICE    "-device quire,vram-size=1M,aperture-size=1M,addr="
#define COUNT_COMMAND   "-machine q35 -m 64M -nic none -accel tcg " \
                        "-icount shift=0,sleep=off -bios %s " \
                        COUNT_DEVICE "4.0 " COUNT_DEVICE "5.0 "
#define SECOND          1000000000ull
#define LATE            (3600 * SECOND)

static void count_wait(QQuire *q)
{
    gint64 end = g_get_monotonic_time() + QUIRE_TIMEOUT;

    while (quire_ring_reg(q, QUIRE_RING_STATUS) & QUIRE_RING_STATUS_BUSY) {
        g_usleep(1000);
        g_assert_cmpint(g_get_monotonic_time(), <, end);
    }
}

static QTestState *count_open(QQuire *q, const char *bios)
{
    g_autofree char *halts = g_malloc(64 * KiB);
    QTestState *qts;

    memset(halts, 0xf4, 64 * KiB);
    g_assert_true(g_file_set_contents(bios, halts, 64 * KiB, NULL));
    qts = qtest_initf(COUNT_COMMAND, bios);
    quire_open_ring(q, qts, qpci_new_pc(qts, NULL));
    return qts;
}

/* An execution ring of the other device, whose memory is elsewhere. */
static QQuire *count_other(const QQuire *q)
{
    QQuire *other = quire_beside(q, 2);
    QPCIDevice *dev = qpci_device_find(q->dev.bus, QPCI_DEVFN(5, 0));

    g_assert_nonnull(dev);
    other->dev = *dev;
    g_free(dev);
    other->ring = 1;
    qpci_device_enable(&other->dev);
    other->regs = qpci_iomap(&other->dev, QUIRE_BAR_REGS, NULL);
    return other;
}

/* A ring does nothing for some virtual time, then writes its fence. */
static void count_delay(QQuire *q, uint64_t ns)
{
    struct quire_command_delay *p;

    quire_ring_program(q);
    quire_ring_enable(q);
    p = quire_packet(q, QUIRE_COMMAND_DELAY, 0, sizeof(*p));
    p->ns = cpu_to_le64(ns);
    quire_submit(q, 1);
}

/*
 * A state is loaded into a machine whose virtual time was ahead of it, by far:
 * the device does not wait until it is as late as it was. It sees memory as it
 * is before another device has waited for a second.
 */
static void test_load_earlier(void *obj, void *data, QGuestAllocator *alloc)
{
    g_autofree char *path = g_strdup_printf("%s/quire-disk-%d",
                                            g_get_tmp_dir(), getpid());
    g_autofree char *bios = g_strdup_printf("%s/quire-bios-%d",
                                            g_get_tmp_dir(), getpid());
    g_autofree QQuire *q = g_new0(QQuire, 1), *runner = NULL, *other = NULL;
    QTestState *qts = count_open(q, bios);

    disk_create(qts, path);
    disk_open(qts, path);
    quire_fill(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_PAGE_SIZE, 0x55667788);
    quire_submit(q, 1);
    count_wait(q);
    g_assert_true(disk_job(qts, "snapshot-save"));
    runner = quire_beside(q, 1);
    count_delay(runner, LATE);
    count_wait(runner);
    g_assert_cmphex(qtest_readq(qts, runner->fence_page), ==, 1);
    qtest_qmp_assert_success(qts, "{ 'execute': 'stop' }");
    g_assert_true(disk_job(qts, "snapshot-load"));

    other = count_other(q);
    count_delay(other, SECOND);
    quire_from_system(q, other->fence_page, 1, 0);
    quire_submit(q, 2);
    g_assert_cmphex(qtest_readq(qts, runner->fence_page), ==, 0);
    g_assert_cmphex(qtest_readl(qts, quire_vram_addr(q, 0)), ==, 0x55667788);
    qtest_qmp_assert_success(qts, "{ 'execute': 'cont' }");
    count_wait(other);
    count_wait(q);
    g_assert_cmphex(qtest_readq(qts, other->fence_page), ==, 1);
    g_assert_cmphex(qtest_readq(qts, q->fence_page), ==, 2);
    g_assert_cmphex(qtest_readl(qts, quire_vram_addr(q, 0)), ==, 0);
    qpci_free_pc(q->dev.bus);
    qtest_quit(qts);
    unlink(bios);
    unlink(path);
}

static void quire_stream_register(void)
{
    if (g_str_equal(qtest_get_arch(), "x86_64")) {
        qos_add_test("stream", "quire", test_stream, NULL);
        qos_add_test("breaks-off", "quire", test_breaks_off, NULL);
        qos_add_test("load-earlier", "quire-spaces", test_load_earlier, NULL);
    }
}

libqos_init(quire_stream_register);
