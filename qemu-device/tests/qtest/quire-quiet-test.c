/*
 * QTest testcase for the Quire virtual GPU: when the device has to be quiet,
 * once it must not reach memory any more, and between slices
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "libqtest.h"
#include "libqos/pci-pc.h"
#include "libqos/quire.h"
#include "hw/pci/pci_regs.h"
#include "hw/quire/engine/quire_command.h"

#define QUIET_COMMAND   "-machine q35 -m 64M -nic none " \
                        "-device quire,addr=4.0,vram-size=16M," \
                        "vram-visible=4M,aperture-size=16M "

/* What a thread does at once, from two places of VRAM to one of memory. */
#define PART            (4 * MiB)
#define TARGET          (32 * MiB)
#define ATTEMPTS        20
#define WAIT            (100 * G_USEC_PER_SEC) /* ends only what hangs */

/* Between two slices with more to do: a part of the first, and nanoseconds. */
#define GAP_PART        4
#define GAP             50000
#define DOORBELLS       500

/**
 * struct quiet - an emulator that writes down what its device does
 * @path: where
 * @q: the device, with a ring
 */
struct quiet {
    char *path;
    QQuire *q;
};

static void quiet_open(struct quiet *quiet, const char *event)
{
    QTestState *qts;

    quiet->path = g_strdup_printf("%s/quire-quiet-%d", g_get_tmp_dir(),
                                  getpid());
    qts = qtest_initf(QUIET_COMMAND "-trace %s -msg timestamp=on -D %s", event,
                      quiet->path);
    quiet->q = g_new0(QQuire, 1);
    quire_open_ring(quiet->q, qts, qpci_new_pc(qts, NULL));
}

/* Ends the emulator; the lines of what it wrote. */
static char **quiet_close(struct quiet *quiet)
{
    g_autofree char *text = NULL;

    qpci_free_pc(quiet->q->dev.bus);
    qtest_quit(quiet->q->qts);
    g_free(quiet->q);
    g_assert_true(g_file_get_contents(quiet->path, &text, NULL, NULL));
    unlink(quiet->path);
    g_free(quiet->path);
    return g_strsplit(text, "\n", -1);
}

/* How often was a thread waited for so far? */
static unsigned quiet_waits(struct quiet *quiet)
{
    g_auto(GStrv) lines = NULL;
    g_autofree char *text = NULL;
    unsigned i, waits = 0;

    g_assert_true(g_file_get_contents(quiet->path, &text, NULL, NULL));
    lines = g_strsplit(text, "\n", -1);
    for (i = 0; lines[i]; i++) {
        waits += !!strstr(lines[i], "quire_thread_end ring 0 wait 1");
    }
    return waits;
}

/* Copies whose bytes take turns: whoever looks sees the next one come. */
static void quiet_copy(QQuire *q)
{
    uint64_t done = quire_ring_reg64(q, QUIRE_RING_PROGRESS_LO);

    quire_ring_program(q);
    quire_ring_enable(q);
    while (q->size + 64 <= MAX_SUBMISSION) {
        quire_to_system(q, q->size / 48 % 2 * PART, TARGET,
                        PART / QUIRE_PAGE_SIZE);
    }
    quire_submit(q, 1);
    while (quire_ring_reg64(q, QUIRE_RING_PROGRESS_LO) - done < 2 * PART) {
        qtest_clock_step(q->qts, 100);
    }
}

static void quiet_check(QQuire *q)
{
    uint64_t last = qtest_readq(q->qts, TARGET + PART - 8);

    g_usleep(5 * 1000);
    g_assert_cmphex(qtest_readq(q->qts, TARGET + PART - 8), ==, last);
}

/*
 * The write that turns bus mastering off returns: memory is left alone. A test
 * that was not given the processor before that finds all copies done.
 */
static void quiet_bus_master(QQuire *q)
{
    uint16_t command = qpci_config_readw(&q->dev, PCI_COMMAND);

    do {
        qpci_config_writew(&q->dev, PCI_COMMAND, command);
        quiet_copy(q);
        qpci_config_writew(&q->dev, PCI_COMMAND, command & ~PCI_COMMAND_MASTER);
        quiet_check(q);
        quire_wait_idle(q);
    } while (qtest_readq(q->qts, q->fence_page));
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_FAULT_CODE), ==,
                    QUIRE_FAULT_DMA);
    qpci_config_writew(&q->dev, PCI_COMMAND, command);
}

static void test_bus_master(void *obj, void *data, QGuestAllocator *alloc)
{
    gint64 end = g_get_monotonic_time() + WAIT;
    struct quiet quiet;
    unsigned i, waits;

    quiet_open(&quiet, "quire_thread_end");
    quire_fill(quiet.q, QUIRE_SEGMENT_VRAM, 0, PART, 0x11111111);
    quire_fill(quiet.q, QUIRE_SEGMENT_VRAM, PART, PART, 0x22222222);
    quire_run(quiet.q, 1);
    /* Now and then no thread has work just then: on a busy machine, often. */
    do {
        for (i = 0; i < ATTEMPTS; i++) {
            quiet_bus_master(quiet.q);
        }
        waits = quiet_waits(&quiet);
    } while (waits < ATTEMPTS / 4 && g_get_monotonic_time() < end);
    g_assert_cmpint(waits, >=, ATTEMPTS / 4);
    quire_lives(quiet.q);
    g_strfreev(quiet_close(&quiet));
}

/* A VM that has stopped: its memory is what would be saved. */
static void test_stop(void *obj, void *data, QGuestAllocator *alloc)
{
    struct quiet quiet;
    unsigned i;

    quiet_open(&quiet, "quire_vm_state");
    quire_fill(quiet.q, QUIRE_SEGMENT_VRAM, 0, PART, 0x11111111);
    quire_fill(quiet.q, QUIRE_SEGMENT_VRAM, PART, PART, 0x22222222);
    quire_run(quiet.q, 1);
    for (i = 0; i < ATTEMPTS; i++) {
        quiet_copy(quiet.q);
        qtest_qmp_assert_success(quiet.q->qts, "{ 'execute': 'stop' }");
        quiet_check(quiet.q);
        qtest_qmp_assert_success(quiet.q->qts, "{ 'execute': 'cont' }");
    }
    quire_lives(quiet.q);
    g_strfreev(quiet_close(&quiet));
}

/* Nanoseconds by which all gaps are longer than they have to be. */
static gint64 quiet_spare_gap(char **lines, unsigned *slices)
{
    gint64 end = 0, gap = 0, least = G_MAXINT64;
    unsigned i;

    for (i = 0; lines[i]; i++) {
        unsigned seconds, microseconds, more, held;
        gint64 now;

        if (sscanf(lines[i], "%*d@%u.%u:quire_slice more %u ns %u", &seconds,
                   &microseconds, &more, &held) != 4) {
            continue;
        }
        now = seconds * 1000000000ll + microseconds * 1000ll;
        if (end) {
            least = MIN(least, now - held - end - gap);
            (*slices)++;
        }
        end = more ? now : 0;
        gap = MAX(GAP, held / GAP_PART);
    }
    return least;
}

/* Slices in a row: what they copy is shorter than what is left to a thread. */
static void quiet_open_busy(struct quiet *quiet)
{
    QQuire *q;

    quiet_open(quiet, "'quire_*'");
    q = quiet->q;
    while (q->size + sizeof(struct quire_packet_transfer) <= MAX_SUBMISSION) {
        quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_VRAM, PART,
                       128 * KiB, NULL, 0);
    }
    quire_submit(q, 1);
}

/* They leave the others their turn; how many of @event there were. */
static unsigned quiet_close_busy(struct quiet *quiet, const char *event)
{
    g_auto(GStrv) lines = NULL;
    unsigned i, events = 0, slices = 0;

    quire_ring_set_reg(quiet->q, QUIRE_RING_CONTROL, 0);
    lines = quiet_close(quiet);
    /* A microsecond is lost to each time. */
    g_assert_cmpint(quiet_spare_gap(lines, &slices), >=, -2000);
    g_assert_cmpint(slices, >, 0);
    for (i = 0; lines[i]; i++) {
        events += !!strstr(lines[i], event);
    }
    return events;
}

/* A guest rings the doorbell all the time. */
static void test_doorbells(void *obj, void *data, QGuestAllocator *alloc)
{
    struct quiet quiet;
    unsigned i;

    quiet_open_busy(&quiet);
    for (i = 0; i < DOORBELLS; i++) {
        quire_doorbell(quiet.q);
    }
    quiet_close_busy(&quiet, "quire_slice");
}

/* Threads end all the time. */
static void test_threads(void *obj, void *data, QGuestAllocator *alloc)
{
    struct quiet quiet;
    QQuire *q;

    quiet_open_busy(&quiet);
    q = quire_beside(quiet.q, 1);
    quire_ring_program(q);
    quire_ring_enable(q);
    while (q->size + sizeof(struct quire_command_copy) <= MAX_SUBMISSION) {
        struct quire_command_copy *p = quire_packet(q, QUIRE_COMMAND_COPY, 0,
                                                    sizeof(*p));

        p->src = cpu_to_le64(QUIRE_ADDRESS(QUIRE_SEGMENT_VRAM, 2 * PART));
        p->dst = cpu_to_le64(QUIRE_ADDRESS(QUIRE_SEGMENT_VRAM, 3 * PART));
        p->size = cpu_to_le64(256 * KiB);
    }
    quire_submit(q, 1);
    quire_wait_idle(quiet.q);
    /* On a busy machine a thread may begin late. */
    while (!quire_ring_reg64(q, QUIRE_RING_PROGRESS_LO)) {
        qtest_clock_step(q->qts, 100);
    }
    g_free(q);
    g_assert_cmpint(quiet_close_busy(&quiet, "quire_thread_end"), >, 0);
}

/* Waits end all the time. */
static void test_delays(void *obj, void *data, QGuestAllocator *alloc)
{
    struct quiet quiet;
    unsigned i;
    QQuire *q;

    quiet_open_busy(&quiet);
    q = quire_beside(quiet.q, 1);
    quire_ring_program(q);
    quire_ring_enable(q);
    for (i = 0; i < DOORBELLS; i++) {
        struct quire_command_delay *p = quire_packet(q, QUIRE_COMMAND_DELAY, 0,
                                                     sizeof(*p));

        p->ns = cpu_to_le64(10);
    }
    quire_submit(q, 1);
    for (i = 0; i < DOORBELLS; i++) {
        qtest_clock_step(q->qts, 10);
    }
    quire_wait_idle(quiet.q);
    g_free(q);
    g_assert_cmpint(quiet_close_busy(&quiet, "quire_wait"), >, 1);
}

static void quire_quiet_register(void)
{
    if (g_str_equal(qtest_get_arch(), "x86_64")) {
        qos_add_test("quiet-bus-master", "quire", test_bus_master, NULL);
        qos_add_test("quiet-stop", "quire", test_stop, NULL);
        qos_add_test("quiet-doorbells", "quire", test_doorbells, NULL);
        qos_add_test("quiet-threads", "quire", test_threads, NULL);
        qos_add_test("quiet-delays", "quire", test_delays, NULL);
    }
}

libqos_init(quire_quiet_register);
