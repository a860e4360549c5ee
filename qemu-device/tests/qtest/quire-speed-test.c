/*
 * QTest testcase for the Quire virtual GPU: how fast the device copies and
 * discards inside of QEMU
 *
 * Only with "-m perf": figures, and nothing that could fail.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "libqtest.h"
#include "libqos/pci-pc.h"
#include "libqos/quire.h"

#define COMMAND         "-machine q35 -m 512M -nic none " \
                        "-device quire,addr=4.0,fault-injection=on," \
                        "vram-size=128M," \
                        "vram-visible=128M,aperture-size=16M "
#define COPY_SIZE       (64 * MiB)
#define DATA            (256 * MiB)         /* DMA address, 128 MiB */
#define ROUNDS          9

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Seconds from the doorbell to the fence, the median of some rounds. */
static double measure(QQuire *q, uint32_t size)
{
    static uint64_t fence;
    double seconds[ROUNDS];
    unsigned i;

    for (i = 0; i < ROUNDS; i++) {
        gint64 start;

        quire_entry(q, q->buffer, size, 0, ++fence, 0);
        start = g_get_monotonic_time();
        quire_doorbell(q);
        while (qtest_readq(q->qts, q->fence_page) != fence) {
            g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_FAULT_CODE), ==, 0);
        }
        seconds[i] = (g_get_monotonic_time() - start) / 1e6;
    }
    qsort(seconds, ROUNDS, sizeof(*seconds), compare);
    return seconds[ROUNDS / 2];
}

/* 64 MiB, in runs of so many pages that lie anywhere, with gaps if of one. */
static void speed_of_copy(QQuire *q, bool to_vram, unsigned pages)
{
    unsigned count = COPY_SIZE / QUIRE_PAGE_SIZE / pages, i;
    unsigned gap = pages == 1 ? 2 : 1;
    g_autofree uint64_t *runs = g_new(uint64_t, count);
    uint32_t src = to_vram ? QUIRE_SEGMENT_SYSTEM : QUIRE_SEGMENT_VRAM;
    uint32_t dst = to_vram ? QUIRE_SEGMENT_VRAM : QUIRE_SEGMENT_SYSTEM;
    double seconds;

    for (i = 0; i < count; i++) {
        uint64_t place = (uint64_t)i * 7919 % count * gap * pages;

        runs[i] = QUIRE_RUN((DATA >> QUIRE_PAGE_SHIFT) + place, pages);
    }
    q->size = 0;
    quire_transfer(q, src, 0, dst, 0, COPY_SIZE, runs, count);
    qtest_bufwrite(q->qts, q->buffer, q->packets, q->size);
    seconds = measure(q, q->size);
    g_test_maximized_result(COPY_SIZE / MiB / seconds,
                            "copy %s VRAM, runs of %u KiB: %.0f MiB/s, "
                            "%.0f ns a run", to_vram ? "to" : "from",
                            pages * 4, COPY_SIZE / MiB / seconds,
                            seconds * 1e9 / count);
}

/* Many discards of @size bytes, each of memory that was written. */
static void speed_of_discard(QQuire *q, uint64_t size)
{
    unsigned count = MIN(COPY_SIZE / size, 1000), i;
    double seconds, fill;

    q->size = 0;
    quire_fill(q, QUIRE_SEGMENT_VRAM, 0, count * size, 0x01010101);
    qtest_bufwrite(q->qts, q->buffer, q->packets, q->size);
    fill = measure(q, q->size);
    for (i = 0; i < count; i++) {
        quire_discard(q, i * size, size);
    }
    qtest_bufwrite(q->qts, q->buffer, q->packets, q->size);
    seconds = measure(q, q->size) - fill;
    g_test_minimized_result(seconds * 1e6 / count,
                            "discard of %" PRIu64 " KiB: %.2f us",
                            size / KiB, seconds * 1e6 / count);
}

static void test_speed(void *obj, void *data, QGuestAllocator *alloc)
{
    static const unsigned pages[] = { 1, 16, 512 };
    static const uint64_t sizes[] = { 4 * KiB, 64 * KiB, 256 * KiB,
                                      1 * MiB, 2 * MiB };
    QTestState *qts = qtest_init(COMMAND);
    QPCIBus *bus = qpci_new_pc(qts, NULL);
    g_autofree QQuire *q = g_new0(QQuire, 1);
    unsigned i;

    quire_open_ring(q, qts, bus);
    qtest_memset(qts, DATA, 0x5a, 2 * COPY_SIZE);
    for (i = 0; i < ARRAY_SIZE(pages); i++) {
        speed_of_copy(q, true, pages[i]);
        speed_of_copy(q, false, pages[i]);
    }
    for (i = 0; i < ARRAY_SIZE(sizes); i++) {
        speed_of_discard(q, sizes[i]);
    }
    qpci_free_pc(bus);
    qtest_quit(qts);
}

static void quire_speed_register(void)
{
    if (g_test_perf() && g_str_equal(qtest_get_arch(), "x86_64")) {
        qos_add_test("speed", "quire", test_speed, NULL);
    }
}

libqos_init(quire_speed_register);
