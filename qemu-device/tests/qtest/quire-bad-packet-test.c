/*
 * QTest testcase for the Quire virtual GPU: bad packets
 *
 * Each mistake must end in a latched fault, and in a device that then executes
 * a good submission.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "libqtest.h"
#include "libqos/quire.h"

/* Set a little endian word of the packet that was built last. */
static void poke(QQuire *q, uint32_t packet, uint32_t offset, uint32_t value)
{
    stl_le_p(q->packets + packet + offset, value);
}

static void test_bad_packet(void *obj, void *data, QGuestAllocator *alloc)
{
    static const uint32_t sizes[] = { 0, 4, 7, 12, 32, 48, 0xfffffff8, ~0u };
    static const uint32_t opcodes[] = { 0, QUIRE_OP_MAX + 1, 0x8001, 0xffff };
    QQuire *q = obj;
    uint32_t good = sizeof(struct quire_packet_signal);
    unsigned i;

    quire_start(q, alloc);
    for (i = 0; i < ARRAY_SIZE(sizes); i++) {
        quire_signal(q, quire_data_page(q, 0), 1);
        quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_VRAM, 64, 8,
                       NULL, 0);
        poke(q, good, 4, sizes[i]);
        quire_expect_fault(q, QUIRE_FAULT_BAD_PACKET, good, q->buffer + good);
    }
    for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
        quire_signal(q, quire_data_page(q, 0), 1);
        poke(q, 0, 0, opcodes[i]);
        quire_expect_fault(q, QUIRE_FAULT_BAD_OPCODE, 0, q->buffer);
    }
    quire_fill(q, QUIRE_SEGMENT_VRAM, 0, 4, 0);
    poke(q, 0, 0, QUIRE_OP_FILL | 1 << 16);
    quire_expect_fault(q, QUIRE_FAULT_BAD_PACKET, 0, q->buffer);
    quire_discard(q, 0, QUIRE_PAGE_SIZE);
    poke(q, 0, 12, 1);
    quire_expect_fault(q, QUIRE_FAULT_BAD_PACKET, 0, q->buffer);
    quire_physical(q, QUIRE_OP_READ_PHYSICAL, QUIRE_SEGMENT_VRAM, 0, 8, 1);
    quire_expect_fault(q, QUIRE_FAULT_BAD_PACKET, 0, q->buffer);
    quire_stop(q, alloc);
}

static void bad_copy(QQuire *q, uint64_t src, uint64_t dst, uint64_t size,
                     uint64_t addr)
{
    quire_transfer(q, QUIRE_SEGMENT_VRAM, src, QUIRE_SEGMENT_VRAM, dst, size,
                   NULL, 0);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, addr);
}

static void test_bad_range(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    bad_copy(q, 0, 0, 0, 0);
    bad_copy(q, 0, 0, ~0ull, 0);
    bad_copy(q, 0, 0, VRAM_SIZE + 1, 0);
    bad_copy(q, VRAM_SIZE - 7, 0, 8, VRAM_SIZE - 7);
    bad_copy(q, 0, VRAM_SIZE - 7, 8, VRAM_SIZE - 7);
    bad_copy(q, ~7ull, 0, 16, ~7ull);
    bad_copy(q, 0, ~7ull, 16, ~7ull);
    quire_fill(q, QUIRE_SEGMENT_VRAM, 0, 0, 0);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, 0);
    quire_fill(q, QUIRE_SEGMENT_VRAM, VRAM_SIZE - 4, 8, 0);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, VRAM_SIZE - 4);
    quire_fill(q, QUIRE_SEGMENT_VRAM, 2, 4, 0);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, 2);
    quire_fill(q, QUIRE_SEGMENT_VRAM, 4, 2, 0);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, 4);
    quire_discard(q, 8, QUIRE_PAGE_SIZE);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, 8);
    quire_discard(q, 0, 8);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, 0);
    quire_discard(q, VRAM_SIZE - QUIRE_PAGE_SIZE, 2 * QUIRE_PAGE_SIZE);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0,
                       VRAM_SIZE - QUIRE_PAGE_SIZE);
    quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_VRAM, 64, 9, 0);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, 64);
    quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_SYSTEM, ~0ull - 1,
                   4, 0);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, ~0ull - 1);
    quire_signal(q, quire_data_page(q, 0) + 4, 0);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, quire_data_page(q, 0) + 4);
    quire_stop(q, alloc);
}

static void test_bad_segment(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint64_t run;

    quire_start(q, alloc);
    run = QUIRE_RUN(quire_data_page(q, 0) >> QUIRE_PAGE_SHIFT, 1);
    quire_transfer(q, 5, 0, QUIRE_SEGMENT_VRAM, 0, 8, NULL, 0);
    quire_expect_fault(q, QUIRE_FAULT_BAD_SEGMENT, 0, 5);
    quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, ~0u, 0, 8, NULL, 0);
    quire_expect_fault(q, QUIRE_FAULT_BAD_SEGMENT, 0, ~0u);
    quire_transfer(q, QUIRE_SEGMENT_SYSTEM, 0, QUIRE_SEGMENT_SYSTEM, 0, 8,
                   &run, 1);
    quire_expect_fault(q, QUIRE_FAULT_BAD_SEGMENT, 0, QUIRE_SEGMENT_SYSTEM);
    quire_fill(q, QUIRE_SEGMENT_APERTURE, 0, 4, 0);
    quire_expect_fault(q, QUIRE_FAULT_BAD_SEGMENT, 0, QUIRE_SEGMENT_APERTURE);
    quire_stop(q, alloc);
}

static void bad_runs(QQuire *q, uint64_t size, const uint64_t *runs,
                     unsigned count)
{
    quire_transfer(q, QUIRE_SEGMENT_SYSTEM, 0, QUIRE_SEGMENT_VRAM, 0, size,
                   runs, count);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RUNS, 0, q->buffer);
}

static void test_bad_runs(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint64_t runs[2], top = QUIRE_RUN(~0ull >> QUIRE_PAGE_SHIFT, 2);

    quire_start(q, alloc);
    runs[0] = QUIRE_RUN(quire_data_page(q, 0) >> QUIRE_PAGE_SHIFT, 1);
    runs[1] = runs[0];
    bad_runs(q, QUIRE_PAGE_SIZE, NULL, 0);
    bad_runs(q, QUIRE_PAGE_SIZE + 1, runs, 1);
    bad_runs(q, QUIRE_PAGE_SIZE, runs, 2);
    bad_runs(q, 2 * QUIRE_PAGE_SIZE, &top, 1);
    quire_stop(q, alloc);
}

/* One word of a good transfer that converts is another: flags, image, runs. */
static void test_bad_swizzle(void *obj, void *data, QGuestAllocator *alloc)
{
    static const struct quire_layout layout = {
        QUIRE_LAYOUT_TILE_64K, 2, 32, 32, 1, 1,
    };
    static const struct {
        uint32_t offset;
        uint32_t value;
        uint32_t fault;
    } bad[] = {
        { 0, QUIRE_OP_TRANSFER | 3 << 16, QUIRE_FAULT_BAD_PACKET },
        { 0, QUIRE_OP_TRANSFER | 4 << 16, QUIRE_FAULT_BAD_PACKET },
        { 60, 1, QUIRE_FAULT_BAD_PACKET },
        { 8, QUIRE_SEGMENT_VRAM, QUIRE_FAULT_BAD_SEGMENT },
        { 40, 3 | 2 << 16, QUIRE_FAULT_BAD_RANGE },
        { 40, 2 | 5 << 16, QUIRE_FAULT_BAD_RANGE },
        { 44, 0, QUIRE_FAULT_BAD_RANGE },
        { 48, 16385, QUIRE_FAULT_BAD_RANGE },
        { 52, 7 | 1 << 16, QUIRE_FAULT_BAD_RANGE },
        { 52, 1 | 2049 << 16, QUIRE_FAULT_BAD_RANGE },
        { 56, 1, QUIRE_FAULT_BAD_RANGE },
        { 56, 1 << 16, QUIRE_FAULT_BAD_RANGE },
        { 64, 1, QUIRE_FAULT_BAD_RANGE },
        { 68, ~0u, QUIRE_FAULT_BAD_RANGE },
        { 76, ~0u, QUIRE_FAULT_BAD_RANGE },
        { 16, 4, QUIRE_FAULT_BAD_RUNS },
        { 88, 14, QUIRE_FAULT_BAD_RUNS },
        { 88, VRAM_SIZE - QUIRE_PAGE_SIZE + 15, QUIRE_FAULT_BAD_RUNS },
    };
    QQuire *q = obj;
    uint64_t runs[2] = { 0, QUIRE_RUN(0, 16) };
    unsigned i;

    quire_start(q, alloc);
    runs[0] = QUIRE_RUN(quire_data_page(q, 0) >> QUIRE_PAGE_SHIFT, 1);
    for (i = 0; i < ARRAY_SIZE(bad); i++) {
        bool range = bad[i].fault == QUIRE_FAULT_BAD_RANGE;
        bool segment = bad[i].fault == QUIRE_FAULT_BAD_SEGMENT;

        quire_swizzle(q, QUIRE_TRANSFER_SWIZZLE, QUIRE_SEGMENT_SYSTEM, 0,
                      &layout, runs, 2);
        poke(q, 0, bad[i].offset, bad[i].value);
        quire_expect_fault(q, bad[i].fault, 0,
                           range ? 0 : segment ? 1 : q->buffer);
    }
    quire_stop(q, alloc);
}

/* What is built so far is a map by an address list with one wrong word. */
static void bad_map2(QQuire *q, uint32_t offset, uint32_t value,
                     uint32_t fault, uint64_t addr)
{
    poke(q, 0, offset, value);
    quire_expect_fault(q, fault, 0, addr);
}

static void test_bad_map2(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint64_t list[3], adl, high = 1ull << 52;

    quire_start(q, alloc);
    adl = q->buffer + sizeof(struct quire_packet_map2);
    list[0] = list[1] = quire_data_page(q, 0) >> QUIRE_PAGE_SHIFT;
    list[2] = high;
    quire_map2_list(q, 0, list, 2, 0);
    bad_map2(q, 24, adl + 8, QUIRE_FAULT_BAD_RANGE, adl + 8);
    quire_map2_list(q, 0, list, 2, 0);
    bad_map2(q, 24, 0, QUIRE_FAULT_BAD_RANGE, 0);
    quire_map2_list(q, 0, list, 2, 0);
    bad_map2(q, 24, q->data, QUIRE_FAULT_BAD_RANGE, q->data);
    quire_map2_list(q, 0, list, 2, 0);
    bad_map2(q, 12, 3, QUIRE_FAULT_BAD_RUNS, q->buffer);
    quire_map2_list(q, 0, list, 2, 0);
    bad_map2(q, 12, 1, QUIRE_FAULT_BAD_RUNS, q->buffer);
    quire_map2_list(q, 0, list, 3, 0);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RUNS, 0, q->buffer);
    quire_map2_list(q, 0, list, 2, 0);
    bad_map2(q, 4, sizeof(struct quire_packet_map2) - 8,
             QUIRE_FAULT_BAD_PACKET, q->buffer);
    quire_map2_list(q, 0, list, 2, 8);
    quire_expect_fault(q, QUIRE_FAULT_BAD_PACKET, 0, q->buffer);
    quire_map2_list(q, 0, list, 2, QUIRE_MAP_CONTIGUOUS);
    bad_map2(q, 24, 1, QUIRE_FAULT_BAD_RUNS, q->buffer);
    quire_map2(q, 0, 2, ~0ull, 0);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, high - 1);
    quire_map2(q, 0, 0, 0, 0);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, 0);
    quire_map2(q, APERTURE_PAGES - 1, 2, 0, QUIRE_MAP_CPU_VISIBLE);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0,
                       APERTURE_SIZE - QUIRE_PAGE_SIZE);
    quire_map2(q, 0, 1, 0, 0);
    bad_map2(q, 8, QUIRE_SEGMENT_VRAM, QUIRE_FAULT_BAD_SEGMENT,
             QUIRE_SEGMENT_VRAM);
    quire_stop(q, alloc);
}

/* Its last page is in the aperture, and not in the window. */
static void test_bad_window(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_WINDOW_SIZE_LO), ==, 64 * KiB);
    quire_map2(q, 15, 2, quire_data_page(q, 0), QUIRE_MAP_CPU_VISIBLE);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, 15 * QUIRE_PAGE_SIZE);
    quire_map2(q, 16, 1, quire_data_page(q, 0), QUIRE_MAP_CPU_VISIBLE);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, 64 * KiB);
    quire_map2(q, 15, 1, quire_data_page(q, 0), QUIRE_MAP_CPU_VISIBLE);
    quire_map2(q, 16, 1, quire_data_page(q, 0), 0);
    quire_run(q, 1);
    quire_stop(q, alloc);
}

static void test_bad_lock(void *obj, void *data, QGuestAllocator *alloc)
{
    static const struct quire_layout layout = {
        QUIRE_LAYOUT_TILE_4K, 2, 32, 32, 1, 1,
    };
    static const struct {
        uint32_t offset;
        uint32_t value;
        uint32_t fault;
        uint32_t addr;
    } bad[] = {
        { 0, QUIRE_OP_SPECIAL_LOCK, QUIRE_FAULT_BAD_PACKET },
        { 0, QUIRE_OP_SPECIAL_LOCK | 3 << 16, QUIRE_FAULT_BAD_PACKET },
        { 8, QUIRE_SEGMENT_APERTURE, QUIRE_FAULT_BAD_SEGMENT, 2 },
        { 8, QUIRE_SEGMENT_VRAM, QUIRE_FAULT_BAD_SEGMENT, 1 },
        { 12, QUIRE_SEGMENT_SYSTEM, QUIRE_FAULT_BAD_SEGMENT, 0 },
        { 60, 8, QUIRE_FAULT_BAD_RANGE, 8 },
        { 60, 0xffff, QUIRE_FAULT_BAD_RANGE, 0xffff },
        { 60, 0xfffffffe, QUIRE_FAULT_BAD_RANGE, 0xfffe },
        { 76, 33, QUIRE_FAULT_BAD_RANGE, 0 },
    };
    QQuire *q = obj;
    uint64_t runs[2] = { 0, QUIRE_RUN(0, 1) };
    unsigned i;

    quire_start(q, alloc);
    runs[0] = QUIRE_RUN(quire_data_page(q, 0) >> QUIRE_PAGE_SHIFT, 1);
    for (i = 0; i < ARRAY_SIZE(bad); i++) {
        bool packet = bad[i].fault == QUIRE_FAULT_BAD_PACKET;

        quire_special_lock(q, QUIRE_TRANSFER_SWIZZLE,
                           QUIRE_SPECIAL_LOCK_NO_RANGE, &layout, runs, 2);
        poke(q, 0, bad[i].offset, bad[i].value);
        quire_expect_fault(q, bad[i].fault, 0,
                           packet ? q->buffer : bad[i].addr);
    }
    quire_stop(q, alloc);
}

/* Everything that is no memory, read and written. */
static void test_bad_dma(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint64_t bad[] = { HOLE, 0, 0, 0xfee00000, 0xfffffffffffff000 };
    unsigned i;

    quire_start(q, alloc);
    bad[1] = q->regs.addr;
    bad[2] = q->regs.addr + QUIRE_DOORBELL_BASE;
    for (i = 0; i < ARRAY_SIZE(bad); i++) {
        quire_from_system(q, bad[i], 1, 0);
        quire_expect_fault(q, QUIRE_FAULT_DMA, 0, bad[i]);
        quire_to_system(q, 0, bad[i], 1);
        quire_expect_fault(q, QUIRE_FAULT_DMA, 0, bad[i]);
        quire_physical(q, QUIRE_OP_READ_PHYSICAL, QUIRE_SEGMENT_SYSTEM, bad[i],
                       4, 0);
        quire_expect_fault(q, QUIRE_FAULT_DMA, 0, bad[i]);
        quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_SYSTEM,
                       bad[i], 4, 1);
        quire_expect_fault(q, QUIRE_FAULT_DMA, 0, bad[i]);
        quire_signal(q, bad[i], 1);
        quire_expect_fault(q, QUIRE_FAULT_FENCE_DMA, 0, bad[i]);
    }
    quire_to_system(q, 0, ROM, 1);
    quire_expect_fault(q, QUIRE_FAULT_DMA, 0, ROM);
    quire_stop(q, alloc);
}

static void test_bad_aperture(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    quire_transfer(q, QUIRE_SEGMENT_APERTURE, QUIRE_PAGE_SIZE + 16,
                   QUIRE_SEGMENT_VRAM, 0, 8, NULL, 0);
    quire_expect_fault(q, QUIRE_FAULT_APERTURE, 0, QUIRE_PAGE_SIZE);
    quire_map(q, APERTURE_PAGES, 1, quire_data_page(q, 0));
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, APERTURE_SIZE);
    quire_map(q, APERTURE_PAGES - 1, 2, quire_data_page(q, 0));
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0,
                       APERTURE_SIZE - QUIRE_PAGE_SIZE);
    quire_map(q, 0, 0, quire_data_page(q, 0));
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, 0);
    quire_unmap(q, 1, ~0u, quire_data_page(q, 0));
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, QUIRE_PAGE_SIZE);
    quire_unmap(q, 0, 1, quire_data_page(q, 0) + 8);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, quire_data_page(q, 0) + 8);
    /* A dummy page in MMIO is noticed when it is used. */
    quire_unmap(q, 0, 1, q->regs.addr);
    quire_unmap(q, 0, 1, q->regs.addr);
    quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_APERTURE, 48, 8,
                   NULL, 0);
    quire_expect_fault(q, QUIRE_FAULT_DMA,
                       2 * sizeof(struct quire_packet_unmap),
                       q->regs.addr + 48);
    quire_stop(q, alloc);
}

static void quire_bad_packet_register(void)
{
    QOSGraphTestOptions window = {
        .edge.extra_device_opts = "aperture-window-size=64K",
    };

    qos_add_test("bad-packet", "quire", test_bad_packet, NULL);
    qos_add_test("bad-range", "quire", test_bad_range, NULL);
    qos_add_test("bad-segment", "quire", test_bad_segment, NULL);
    qos_add_test("bad-runs", "quire", test_bad_runs, NULL);
    qos_add_test("bad-swizzle", "quire", test_bad_swizzle, NULL);
    qos_add_test("bad-map2", "quire", test_bad_map2, NULL);
    qos_add_test("bad-window", "quire", test_bad_window, &window);
    qos_add_test("bad-lock", "quire", test_bad_lock, NULL);
    qos_add_test("bad-dma", "quire", test_bad_dma, NULL);
    qos_add_test("bad-aperture", "quire", test_bad_aperture, NULL);
}

libqos_init(quire_bad_packet_register);
