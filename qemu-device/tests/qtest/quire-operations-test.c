/*
 * QTest testcase for the Quire virtual GPU: packets that are good
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "libqtest.h"
#include "libqos/quire.h"

static void test_info(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_ID), ==, QUIRE_ID);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_VERSION), ==, QUIRE_VERSION);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_RING_COUNT), ==, 3);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_MAX_SUBMISSION), ==,
                    MAX_SUBMISSION);
    g_assert_cmphex(qpci_io_readq(&q->dev, q->regs, QUIRE_REG_VRAM_SIZE_LO),
                    ==, VRAM_SIZE);
    g_assert_cmphex(qpci_io_readq(&q->dev, q->regs,
                                  QUIRE_REG_VRAM_VISIBLE_LO), ==,
                    VRAM_VISIBLE);
    g_assert_cmphex(qpci_io_readq(&q->dev, q->regs,
                                  QUIRE_REG_APERTURE_SIZE_LO), ==,
                    APERTURE_SIZE);
    quire_lives(q);
    quire_stop(q, alloc);
}

static void test_transfer(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint64_t runs[2];

    quire_start(q, alloc);
    quire_put_page(q, quire_data_page(q, 0), 1);
    quire_put_page(q, quire_data_page(q, 3), 2);
    /* System to VRAM, inside VRAM with overlap, to invisible VRAM and back. */
    runs[0] = QUIRE_RUN(quire_data_page(q, 0) >> QUIRE_PAGE_SHIFT, 1);
    runs[1] = QUIRE_RUN(quire_data_page(q, 3) >> QUIRE_PAGE_SHIFT, 1);
    quire_transfer(q, QUIRE_SEGMENT_SYSTEM, 0, QUIRE_SEGMENT_VRAM, 0,
                   2 * QUIRE_PAGE_SIZE, runs, 2);
    quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_VRAM,
                   QUIRE_PAGE_SIZE, 2 * QUIRE_PAGE_SIZE, NULL, 0);
    quire_transfer(q, QUIRE_SEGMENT_VRAM, QUIRE_PAGE_SIZE, QUIRE_SEGMENT_VRAM,
                   VRAM_SIZE / 2, 2 * QUIRE_PAGE_SIZE, NULL, 0);
    quire_to_system(q, VRAM_SIZE / 2, quire_data_page(q, 6), 2);
    quire_run(q, 1);
    quire_check_page(q, quire_vram_addr(q, 0), 1);
    quire_check_page(q, quire_vram_addr(q, QUIRE_PAGE_SIZE), 1);
    quire_check_page(q, quire_vram_addr(q, 2 * QUIRE_PAGE_SIZE), 2);
    quire_check_page(q, quire_data_page(q, 6), 1);
    quire_check_page(q, quire_data_page(q, 7), 2);
    quire_stop(q, alloc);
}

/* In a tile of 32 x 32 elements of four bytes, by the specification. */
static uint64_t in_tile(unsigned x, unsigned y)
{
    unsigned u = x / 16, line = y % 2 + 2 * u + y / 2 * 4;

    return line * 64 + x % 16 * 4;
}

static void check_tile(QQuire *q, uint64_t vram, uint64_t linear,
                       unsigned pitch)
{
    unsigned x, y;

    for (y = 0; y < 32; y++) {
        for (x = 0; x < 32; x++) {
            uint64_t at = quire_vram_addr(q, vram + in_tile(x, y));

            g_assert_cmphex(qtest_readl(q->qts, at), ==,
                            qtest_readl(q->qts, linear + y * pitch + x * 4));
        }
    }
}

/* Two tiles, apart; there from system memory, back through the aperture. */
static void test_swizzle(void *obj, void *data, QGuestAllocator *alloc)
{
    static const struct quire_layout layout = {
        QUIRE_LAYOUT_TILE_4K, 2, 64, 32, 1, 1,
    };
    QQuire *q = obj;
    uint64_t runs[3] = { 0, QUIRE_RUN(9, 1), QUIRE_RUN(5, 1) };

    quire_start(q, alloc);
    quire_put_page(q, quire_data_page(q, 0), 1);
    quire_put_page(q, quire_data_page(q, 1), 2);
    runs[0] = QUIRE_RUN(quire_data_page(q, 0) >> QUIRE_PAGE_SHIFT, 2);
    quire_swizzle(q, QUIRE_TRANSFER_SWIZZLE, QUIRE_SEGMENT_SYSTEM, 0, &layout,
                  runs, 3);
    quire_map(q, 7, 2, quire_data_page(q, 4));
    quire_swizzle(q, QUIRE_TRANSFER_UNSWIZZLE, QUIRE_SEGMENT_APERTURE,
                  7 * QUIRE_PAGE_SIZE, &layout, runs + 1, 2);
    quire_run(q, 1);
    check_tile(q, 9 * QUIRE_PAGE_SIZE, quire_data_page(q, 0), 256);
    check_tile(q, 5 * QUIRE_PAGE_SIZE, quire_data_page(q, 0) + 128, 256);
    quire_check_page(q, quire_data_page(q, 4), 1);
    quire_check_page(q, quire_data_page(q, 5), 2);
    quire_stop(q, alloc);
}

static void test_fill(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    quire_fill(q, QUIRE_SEGMENT_VRAM, 0, 64, 0);
    quire_fill(q, QUIRE_SEGMENT_VRAM, 4, 8, 0x11223344);
    /* More than a slice, up to the last byte. */
    quire_fill(q, QUIRE_SEGMENT_VRAM, 4096, VRAM_SIZE - 4096, 0xa1b2c3d4);
    quire_to_system(q, VRAM_SIZE - QUIRE_PAGE_SIZE, quire_data_page(q, 0), 1);
    quire_run(q, 1);
    g_assert_cmphex(qtest_readl(q->qts, quire_vram_addr(q, 0)), ==, 0);
    g_assert_cmphex(qtest_readq(q->qts, quire_vram_addr(q, 4)), ==,
                    0x1122334411223344);
    g_assert_cmphex(qtest_readl(q->qts, quire_vram_addr(q, 12)), ==, 0);
    g_assert_cmphex(qtest_readl(q->qts, quire_data_page(q, 0) + 4092), ==,
                    0xa1b2c3d4);
    quire_stop(q, alloc);
}

static void test_discard(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    unsigned i;

    quire_start(q, alloc);
    for (i = 0; i < 4; i++) {
        quire_put_page(q, quire_vram_addr(q, i * QUIRE_PAGE_SIZE), i);
    }
    /* A block that goes back to the host, with a page on each side of it. */
    quire_put_page(q, quire_vram_addr(q, 2 * MiB - QUIRE_PAGE_SIZE), 4);
    quire_put_page(q, quire_vram_addr(q, 2 * MiB), 5);
    quire_put_page(q, quire_vram_addr(q, 4 * MiB - QUIRE_PAGE_SIZE), 6);
    quire_discard(q, 2 * MiB, 2 * MiB);
    quire_discard(q, QUIRE_PAGE_SIZE, 2 * QUIRE_PAGE_SIZE);
    quire_discard(q, VRAM_SIZE / 2, VRAM_SIZE / 2);
    quire_run(q, 1);
    quire_check_page(q, quire_vram_addr(q, 0), 0);
    quire_check_zero_page(q, quire_vram_addr(q, QUIRE_PAGE_SIZE));
    quire_check_zero_page(q, quire_vram_addr(q, 2 * QUIRE_PAGE_SIZE));
    quire_check_page(q, quire_vram_addr(q, 3 * QUIRE_PAGE_SIZE), 3);
    quire_check_page(q, quire_vram_addr(q, 2 * MiB - QUIRE_PAGE_SIZE), 4);
    quire_check_zero_page(q, quire_vram_addr(q, 2 * MiB));
    quire_check_zero_page(q, quire_vram_addr(q, 4 * MiB - QUIRE_PAGE_SIZE));
    quire_lives(q);
    quire_stop(q, alloc);
}

static void test_physical(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    qtest_memset(q->qts, quire_data_page(q, 0), 0xee, 2 * QUIRE_PAGE_SIZE);
    qtest_memset(q->qts, quire_vram_addr(q, 0), 0xee, 64);
    quire_map(q, 5, 1, quire_data_page(q, 1));
    quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_SYSTEM,
                   quire_data_page(q, 0) + 1, 3, 0x0807060504030201);
    quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_VRAM, 8, 8,
                   0x0807060504030201);
    quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_APERTURE,
                   5 * QUIRE_PAGE_SIZE, 1, 0x0807060504030201);
    quire_physical(q, QUIRE_OP_READ_PHYSICAL, QUIRE_SEGMENT_SYSTEM,
                   quire_data_page(q, 0), 8, 0);
    quire_physical(q, QUIRE_OP_READ_PHYSICAL, QUIRE_SEGMENT_VRAM,
                   VRAM_SIZE - 1, 1, 0);
    quire_physical(q, QUIRE_OP_READ_PHYSICAL, QUIRE_SEGMENT_APERTURE,
                   5 * QUIRE_PAGE_SIZE, 8, 0);
    quire_run(q, 1);
    g_assert_cmphex(qtest_readq(q->qts, quire_data_page(q, 0)), ==,
                    0xeeeeeeee030201ee);
    g_assert_cmphex(qtest_readq(q->qts, quire_vram_addr(q, 8)), ==,
                    0x0807060504030201);
    g_assert_cmphex(qtest_readq(q->qts, quire_data_page(q, 1)), ==,
                    0xeeeeeeeeeeeeee01);
    quire_stop(q, alloc);
}

static void test_aperture(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    quire_put_page(q, quire_data_page(q, 0), 1);
    quire_put_page(q, quire_data_page(q, 1), 2);
    quire_put_page(q, quire_data_page(q, 8), 3);
    quire_map(q, 7, 2, quire_data_page(q, 0));
    quire_transfer(q, QUIRE_SEGMENT_APERTURE, 7 * QUIRE_PAGE_SIZE,
                   QUIRE_SEGMENT_VRAM, 0, 2 * QUIRE_PAGE_SIZE, NULL, 0);
    quire_unmap(q, 8, 1, quire_data_page(q, 8));
    quire_transfer(q, QUIRE_SEGMENT_APERTURE, 7 * QUIRE_PAGE_SIZE,
                   QUIRE_SEGMENT_VRAM, 2 * QUIRE_PAGE_SIZE,
                   2 * QUIRE_PAGE_SIZE, NULL, 0);
    quire_unmap(q, 8, 1, quire_data_page(q, 8));
    quire_run(q, 1);
    quire_check_page(q, quire_vram_addr(q, 0), 1);
    quire_check_page(q, quire_vram_addr(q, QUIRE_PAGE_SIZE), 2);
    quire_check_page(q, quire_vram_addr(q, 2 * QUIRE_PAGE_SIZE), 1);
    quire_check_page(q, quire_vram_addr(q, 3 * QUIRE_PAGE_SIZE), 3);
    quire_stop(q, alloc);
}

static void test_signal(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    quire_signal(q, quire_data_page(q, 0) + 8, 0xfedcba9876543210);
    quire_run(q, 0x8000000000000001);
    g_assert_cmphex(qtest_readq(q->qts, quire_data_page(q, 0) + 8), ==,
                    0xfedcba9876543210);
    g_assert_cmphex(qtest_readl(q->qts, q->fence_page + 8), ==, 1);
    quire_stop(q, alloc);
}

/* The device's own VRAM as system memory, overlapping: defined, no crash. */
static void test_own_vram(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    quire_put_page(q, quire_vram_addr(q, 0), 1);
    quire_put_page(q, quire_vram_addr(q, QUIRE_PAGE_SIZE), 2);
    quire_from_system(q, quire_vram_addr(q, 0), 1, QUIRE_PAGE_SIZE * 4);
    quire_from_system(q, quire_vram_addr(q, 0), 2, QUIRE_PAGE_SIZE);
    quire_to_system(q, QUIRE_PAGE_SIZE, quire_vram_addr(q, 0), 2);
    quire_map(q, 0, 4, quire_vram_addr(q, 0));
    quire_transfer(q, QUIRE_SEGMENT_APERTURE, 8, QUIRE_SEGMENT_VRAM, 0,
                   3 * QUIRE_PAGE_SIZE, NULL, 0);
    quire_run(q, 1);
    quire_check_page(q, quire_vram_addr(q, QUIRE_PAGE_SIZE * 4), 1);
    quire_lives(q);
    quire_stop(q, alloc);
}

static void quire_operations_register(void)
{
    qos_add_test("info", "quire", test_info, NULL);
    qos_add_test("transfer", "quire", test_transfer, NULL);
    qos_add_test("swizzle", "quire", test_swizzle, NULL);
    qos_add_test("fill", "quire", test_fill, NULL);
    qos_add_test("discard", "quire", test_discard, NULL);
    qos_add_test("physical", "quire", test_physical, NULL);
    qos_add_test("aperture", "quire", test_aperture, NULL);
    qos_add_test("signal", "quire", test_signal, NULL);
    qos_add_test("own-vram", "quire", test_own_vram, NULL);
}

libqos_init(quire_operations_register);
