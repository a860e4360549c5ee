/*
 * QTest testcase for the Quire virtual GPU
 *
 * The device without a driver: every packet once, interrupts, reset, and a
 * guest that does everything wrong. Each mistake must end in a latched fault
 * and in a VM that then executes a good submission.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/module.h"
#include "qemu/units.h"
#if __has_include("qobject/qdict.h")
#include "qobject/qdict.h"          /* 10.1 and later */
#else
#include "qapi/qmp/qdict.h"
#endif
#include "libqtest.h"
#include "libqos/qgraph.h"
#include "libqos/pci.h"
#include "libqos/pci-pc.h"
#include "hw/pci/pci_regs.h"
#include "hw/quire/engine/quire_hw.h"

#define TIMEOUT_SECONDS     60
#define VRAM_SIZE           (16 * MiB)
#define VRAM_VISIBLE        (4 * MiB)
#define APERTURE_SIZE       (16 * MiB)
#define APERTURE_PAGES      (APERTURE_SIZE / QUIRE_PAGE_SIZE)
#define DEVICE_OPTIONS      "vram-size=16M,vram-visible=4M,aperture-size=16M"
#define MAX_SUBMISSION      (256 * KiB)
#define DATA_PAGES          16
#define ORDER               4

/* Addresses that are no memory on a PC with little RAM. */
#define HOLE                0xd0000000ull
#define ROM                 0xffffe000ull
#define BIOS                0xfffc0000ull

typedef struct QQuire {
    QOSGraphObject obj;
    QPCIDevice dev;
    QTestState *qts;
    QPCIBar regs;
    QPCIBar vram;
    /* Guest memory, page aligned. */
    uint64_t entries;
    uint64_t fence_page;
    uint64_t buffer;
    uint64_t data;
    uint32_t wptr;
    /* Submission under construction. */
    uint8_t packets[MAX_SUBMISSION] QEMU_ALIGNED(8);
    uint32_t size;
} QQuire;

/* Registers */

static uint32_t quire_reg(QQuire *q, uint32_t reg)
{
    return qpci_io_readl(&q->dev, q->regs, reg);
}

static void quire_set_reg(QQuire *q, uint32_t reg, uint32_t value)
{
    qpci_io_writel(&q->dev, q->regs, reg, value);
}

static uint32_t ring_reg(QQuire *q, uint32_t reg)
{
    return quire_reg(q, QUIRE_REG_RING(0, reg));
}

static uint64_t ring_reg64(QQuire *q, uint32_t reg)
{
    return ring_reg(q, reg) | (uint64_t)ring_reg(q, reg + 4) << 32;
}

static void ring_set_reg(QQuire *q, uint32_t reg, uint32_t value)
{
    quire_set_reg(q, QUIRE_REG_RING(0, reg), value);
}

static void ring_set_reg64(QQuire *q, uint32_t reg, uint64_t value)
{
    ring_set_reg(q, reg, value);
    ring_set_reg(q, reg + 4, value >> 32);
}

/* Ring */

static void quire_doorbell(QQuire *q)
{
    quire_set_reg(q, QUIRE_DOORBELL(QUIRE_RING_PAGING), 0);
}

static uint64_t wptr_addr(QQuire *q)
{
    return q->fence_page + offsetof(struct quire_fence_page, wptr);
}

static void ring_program(QQuire *q)
{
    ring_set_reg(q, QUIRE_RING_CONTROL, 0);
    ring_set_reg64(q, QUIRE_RING_ENTRIES_LO, q->entries);
    ring_set_reg64(q, QUIRE_RING_FENCE_PAGE_LO, q->fence_page);
    ring_set_reg(q, QUIRE_RING_ORDER, ORDER);
    qtest_memset(q->qts, q->fence_page, 0, QUIRE_PAGE_SIZE);
    q->wptr = 0;
    q->size = 0;
}

static void ring_enable(QQuire *q)
{
    ring_set_reg(q, QUIRE_RING_CONTROL, QUIRE_RING_CONTROL_ENABLE);
}

static void quire_entry(QQuire *q, uint64_t addr, uint32_t size,
                        uint32_t flags, uint64_t fence, uint64_t reserved)
{
    struct quire_ring_entry entry = {
        .addr = cpu_to_le64(addr),
        .size = cpu_to_le32(size),
        .flags = cpu_to_le32(flags),
        .fence = cpu_to_le64(fence),
        .reserved = cpu_to_le64(reserved),
    };
    uint32_t index = q->wptr++ & ((1u << ORDER) - 1);

    qtest_memwrite(q->qts, q->entries + index * sizeof(entry), &entry,
                   sizeof(entry));
    qtest_writel(q->qts, wptr_addr(q), q->wptr);
}

static void quire_submit(QQuire *q, uint64_t fence)
{
    qtest_bufwrite(q->qts, q->buffer, q->packets, MAX(q->size, 8));
    quire_entry(q, q->buffer, q->size, QUIRE_ENTRY_IRQ, fence, 0);
    q->size = 0;
    quire_doorbell(q);
}

static void quire_wait_idle(QQuire *q)
{
    gint64 end = g_get_monotonic_time() + TIMEOUT_SECONDS * G_TIME_SPAN_SECOND;

    while (ring_reg(q, QUIRE_RING_STATUS) & QUIRE_RING_STATUS_BUSY) {
        qtest_clock_step(q->qts, 100);
        g_assert_cmpint(g_get_monotonic_time(), <, end);
    }
}

static void quire_execute(QQuire *q, uint64_t fence)
{
    quire_submit(q, fence);
    quire_wait_idle(q);
    g_assert_cmphex(ring_reg(q, QUIRE_RING_FAULT_CODE), ==, QUIRE_FAULT_NONE);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, fence);
}

/* Packets */

static void *quire_packet(QQuire *q, uint16_t opcode, uint16_t flags,
                          uint32_t size)
{
    struct quire_packet_header *header = (void *)(q->packets + q->size);

    g_assert_cmpint(q->size + size, <=, MAX_SUBMISSION);
    memset(header, 0, size);
    header->opcode = cpu_to_le16(opcode);
    header->flags = cpu_to_le16(flags);
    header->size = cpu_to_le32(size);
    q->size += size;
    return header;
}

static void quire_transfer(QQuire *q, uint32_t src_segment, uint64_t src,
                           uint32_t dst_segment, uint64_t dst, uint64_t size,
                           const uint64_t *runs, unsigned count)
{
    struct quire_packet_transfer *p = quire_packet(q, QUIRE_OP_TRANSFER, 0,
                                                   sizeof(*p) + 8 * count);
    unsigned i;

    p->src_segment = cpu_to_le32(src_segment);
    p->dst_segment = cpu_to_le32(dst_segment);
    p->src_address = cpu_to_le64(src);
    p->dst_address = cpu_to_le64(dst);
    p->size = cpu_to_le64(size);
    for (i = 0; i < count; i++) {
        p->runs[i] = cpu_to_le64(runs[i]);
    }
}

static void quire_from_system(QQuire *q, uint64_t addr, unsigned pages,
                              uint64_t vram)
{
    uint64_t run = QUIRE_RUN(addr >> QUIRE_PAGE_SHIFT, pages);

    quire_transfer(q, QUIRE_SEGMENT_SYSTEM, 0, QUIRE_SEGMENT_VRAM, vram,
                   pages * QUIRE_PAGE_SIZE, &run, 1);
}

static void quire_to_system(QQuire *q, uint64_t vram, uint64_t addr,
                            unsigned pages)
{
    uint64_t run = QUIRE_RUN(addr >> QUIRE_PAGE_SHIFT, pages);

    quire_transfer(q, QUIRE_SEGMENT_VRAM, vram, QUIRE_SEGMENT_SYSTEM, 0,
                   pages * QUIRE_PAGE_SIZE, &run, 1);
}

static void quire_fill(QQuire *q, uint32_t segment, uint64_t addr,
                       uint64_t size, uint32_t pattern)
{
    struct quire_packet_fill *p = quire_packet(q, QUIRE_OP_FILL, 0, sizeof(*p));

    p->segment = cpu_to_le32(segment);
    p->pattern = cpu_to_le32(pattern);
    p->address = cpu_to_le64(addr);
    p->size = cpu_to_le64(size);
}

static void quire_discard(QQuire *q, uint64_t addr, uint64_t size)
{
    struct quire_packet_discard *p = quire_packet(q, QUIRE_OP_DISCARD_CONTENT,
                                                  0, sizeof(*p));

    p->segment = cpu_to_le32(QUIRE_SEGMENT_VRAM);
    p->address = cpu_to_le64(addr);
    p->size = cpu_to_le64(size);
}

static void quire_physical(QQuire *q, uint16_t opcode, uint32_t segment,
                           uint64_t addr, uint32_t size, uint64_t value)
{
    struct quire_packet_physical *p = quire_packet(q, opcode, 0, sizeof(*p));

    p->segment = cpu_to_le32(segment);
    p->size = cpu_to_le32(size);
    p->address = cpu_to_le64(addr);
    p->value = cpu_to_le64(value);
}

static void quire_map(QQuire *q, uint64_t first, uint32_t pages, uint64_t addr)
{
    struct quire_packet_map *p = quire_packet(q, QUIRE_OP_MAP_APERTURE, 0,
                                              sizeof(*p) + 8);

    p->segment = cpu_to_le32(QUIRE_SEGMENT_APERTURE);
    p->pages = cpu_to_le32(pages);
    p->first_page = cpu_to_le64(first);
    p->runs[0] = cpu_to_le64(QUIRE_RUN(addr >> QUIRE_PAGE_SHIFT, pages));
}

static void quire_unmap(QQuire *q, uint64_t first, uint32_t pages,
                        uint64_t dummy)
{
    struct quire_packet_unmap *p = quire_packet(q, QUIRE_OP_UNMAP_APERTURE, 0,
                                                sizeof(*p));

    p->segment = cpu_to_le32(QUIRE_SEGMENT_APERTURE);
    p->pages = cpu_to_le32(pages);
    p->first_page = cpu_to_le64(first);
    p->dummy_page = cpu_to_le64(dummy);
}

static void quire_signal(QQuire *q, uint64_t addr, uint64_t value)
{
    struct quire_packet_signal *p = quire_packet(q, QUIRE_OP_SIGNAL_FENCE, 0,
                                                 sizeof(*p));

    p->address = cpu_to_le64(addr);
    p->value = cpu_to_le64(value);
}

/* Content */

static uint64_t data_page(QQuire *q, unsigned page)
{
    return q->data + page * QUIRE_PAGE_SIZE;
}

/* A page of bytes that no other @seed has. */
static void make_page(uint8_t *page, unsigned seed)
{
    GRand *rand = g_rand_new_with_seed(seed + 1);
    unsigned i;

    for (i = 0; i < QUIRE_PAGE_SIZE; i++) {
        page[i] = g_rand_int(rand);
    }
    g_rand_free(rand);
}

static void put_page(QQuire *q, uint64_t addr, unsigned seed)
{
    uint8_t page[QUIRE_PAGE_SIZE];

    make_page(page, seed);
    qtest_bufwrite(q->qts, addr, page, sizeof(page));
}

static void check_page(QQuire *q, uint64_t addr, unsigned seed)
{
    uint8_t page[QUIRE_PAGE_SIZE], got[QUIRE_PAGE_SIZE];

    make_page(page, seed);
    qtest_bufread(q->qts, addr, got, sizeof(got));
    g_assert_cmpmem(got, sizeof(got), page, sizeof(page));
}

static void check_zero_page(QQuire *q, uint64_t addr)
{
    uint8_t page[QUIRE_PAGE_SIZE] = { 0 }, got[QUIRE_PAGE_SIZE];

    qtest_bufread(q->qts, addr, got, sizeof(got));
    g_assert_cmpmem(got, sizeof(got), page, sizeof(page));
}

static uint64_t vram_addr(QQuire *q, uint64_t offset)
{
    return q->vram.addr + offset;
}

/* Life */

static void quire_start(QQuire *q, QGuestAllocator *alloc)
{
    q->qts = q->dev.bus->qts;
    qpci_device_enable(&q->dev);
    q->regs = qpci_iomap(&q->dev, QUIRE_BAR_REGS, NULL);
    q->vram = qpci_iomap(&q->dev, QUIRE_BAR_VRAM, NULL);
    q->entries = guest_alloc(alloc, QUIRE_PAGE_SIZE);
    q->fence_page = guest_alloc(alloc, QUIRE_PAGE_SIZE);
    q->buffer = guest_alloc(alloc, MAX_SUBMISSION);
    q->data = guest_alloc(alloc, DATA_PAGES * QUIRE_PAGE_SIZE);
    quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
    quire_set_reg(q, QUIRE_REG_INT_ENABLE, QUIRE_INT_ALL);
    ring_program(q);
    ring_enable(q);
}

static void quire_stop(QQuire *q, QGuestAllocator *alloc)
{
    quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
    guest_free(alloc, q->data);
    guest_free(alloc, q->buffer);
    guest_free(alloc, q->fence_page);
    guest_free(alloc, q->entries);
}

/* The VM, the device and its ring work: a page goes round all segments. */
static void quire_lives(QQuire *q)
{
    qtest_qmp_assert_success(q->qts, "{ 'execute': 'query-status' }");
    ring_program(q);
    ring_enable(q);
    put_page(q, data_page(q, 14), 4711);
    qtest_memset(q->qts, data_page(q, 15), 0, QUIRE_PAGE_SIZE);
    quire_from_system(q, data_page(q, 14), 1, VRAM_SIZE - QUIRE_PAGE_SIZE);
    quire_map(q, APERTURE_PAGES - 1, 1, data_page(q, 15));
    quire_transfer(q, QUIRE_SEGMENT_VRAM, VRAM_SIZE - QUIRE_PAGE_SIZE,
                   QUIRE_SEGMENT_APERTURE, APERTURE_SIZE - QUIRE_PAGE_SIZE,
                   QUIRE_PAGE_SIZE, NULL, 0);
    quire_execute(q, 0x600d);
    check_page(q, data_page(q, 15), 4711);
}

static void check_fault(QQuire *q, uint32_t code, uint32_t offset,
                        uint64_t addr)
{
    quire_wait_idle(q);
    g_assert_cmphex(ring_reg(q, QUIRE_RING_STATUS), ==,
                    QUIRE_RING_STATUS_FAULT);
    g_assert_cmphex(ring_reg(q, QUIRE_RING_FAULT_CODE), ==, code);
    g_assert_cmphex(ring_reg(q, QUIRE_RING_FAULT_OFFSET), ==, offset);
    g_assert_cmphex(ring_reg64(q, QUIRE_RING_FAULT_ADDR_LO), ==, addr);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_INT_STATUS) & QUIRE_INT_FAULT, ==,
                    QUIRE_INT_FAULT);
    quire_set_reg(q, QUIRE_REG_INT_STATUS, QUIRE_INT_FAULT);
}

/* What is built so far is a mistake: submit it, see the fault, go on. */
static void expect_fault(QQuire *q, uint32_t code, uint32_t offset,
                         uint64_t addr)
{
    quire_submit(q, 0xbad);
    check_fault(q, code, offset, addr);
    g_assert_cmphex(ring_reg64(q, QUIRE_RING_FAULT_FENCE_LO), ==, 0xbad);
    quire_lives(q);
}

/* Normal operation */

static void test_info(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_ID), ==, QUIRE_ID);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_VERSION), ==, QUIRE_VERSION);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_RING_COUNT), ==, QUIRE_RING_MAX);
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
    put_page(q, data_page(q, 0), 1);
    put_page(q, data_page(q, 3), 2);
    /* System to VRAM, inside VRAM with overlap, to invisible VRAM and back. */
    runs[0] = QUIRE_RUN(data_page(q, 0) >> QUIRE_PAGE_SHIFT, 1);
    runs[1] = QUIRE_RUN(data_page(q, 3) >> QUIRE_PAGE_SHIFT, 1);
    quire_transfer(q, QUIRE_SEGMENT_SYSTEM, 0, QUIRE_SEGMENT_VRAM, 0,
                   2 * QUIRE_PAGE_SIZE, runs, 2);
    quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_VRAM,
                   QUIRE_PAGE_SIZE, 2 * QUIRE_PAGE_SIZE, NULL, 0);
    quire_transfer(q, QUIRE_SEGMENT_VRAM, QUIRE_PAGE_SIZE, QUIRE_SEGMENT_VRAM,
                   VRAM_SIZE / 2, 2 * QUIRE_PAGE_SIZE, NULL, 0);
    quire_to_system(q, VRAM_SIZE / 2, data_page(q, 6), 2);
    quire_execute(q, 1);
    check_page(q, vram_addr(q, 0), 1);
    check_page(q, vram_addr(q, QUIRE_PAGE_SIZE), 1);
    check_page(q, vram_addr(q, 2 * QUIRE_PAGE_SIZE), 2);
    check_page(q, data_page(q, 6), 1);
    check_page(q, data_page(q, 7), 2);
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
    quire_to_system(q, VRAM_SIZE - QUIRE_PAGE_SIZE, data_page(q, 0), 1);
    quire_execute(q, 1);
    g_assert_cmphex(qtest_readl(q->qts, vram_addr(q, 0)), ==, 0);
    g_assert_cmphex(qtest_readq(q->qts, vram_addr(q, 4)), ==,
                    0x1122334411223344);
    g_assert_cmphex(qtest_readl(q->qts, vram_addr(q, 12)), ==, 0);
    g_assert_cmphex(qtest_readl(q->qts, data_page(q, 0) + 4092), ==,
                    0xa1b2c3d4);
    quire_stop(q, alloc);
}

static void test_discard(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    unsigned i;

    quire_start(q, alloc);
    for (i = 0; i < 4; i++) {
        put_page(q, vram_addr(q, i * QUIRE_PAGE_SIZE), i);
    }
    quire_discard(q, QUIRE_PAGE_SIZE, 2 * QUIRE_PAGE_SIZE);
    quire_discard(q, VRAM_SIZE / 2, VRAM_SIZE / 2);
    quire_execute(q, 1);
    check_page(q, vram_addr(q, 0), 0);
    check_zero_page(q, vram_addr(q, QUIRE_PAGE_SIZE));
    check_zero_page(q, vram_addr(q, 2 * QUIRE_PAGE_SIZE));
    check_page(q, vram_addr(q, 3 * QUIRE_PAGE_SIZE), 3);
    quire_lives(q);
    quire_stop(q, alloc);
}

static void test_physical(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    qtest_memset(q->qts, data_page(q, 0), 0xee, 2 * QUIRE_PAGE_SIZE);
    qtest_memset(q->qts, vram_addr(q, 0), 0xee, 64);
    quire_map(q, 5, 1, data_page(q, 1));
    quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_SYSTEM,
                   data_page(q, 0) + 1, 3, 0x0807060504030201);
    quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_VRAM, 8, 8,
                   0x0807060504030201);
    quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_APERTURE,
                   5 * QUIRE_PAGE_SIZE, 1, 0x0807060504030201);
    quire_physical(q, QUIRE_OP_READ_PHYSICAL, QUIRE_SEGMENT_SYSTEM,
                   data_page(q, 0), 8, 0);
    quire_physical(q, QUIRE_OP_READ_PHYSICAL, QUIRE_SEGMENT_VRAM,
                   VRAM_SIZE - 1, 1, 0);
    quire_physical(q, QUIRE_OP_READ_PHYSICAL, QUIRE_SEGMENT_APERTURE,
                   5 * QUIRE_PAGE_SIZE, 8, 0);
    quire_execute(q, 1);
    g_assert_cmphex(qtest_readq(q->qts, data_page(q, 0)), ==,
                    0xeeeeeeee030201ee);
    g_assert_cmphex(qtest_readq(q->qts, vram_addr(q, 8)), ==,
                    0x0807060504030201);
    g_assert_cmphex(qtest_readq(q->qts, data_page(q, 1)), ==,
                    0xeeeeeeeeeeeeee01);
    quire_stop(q, alloc);
}

static void test_aperture(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    put_page(q, data_page(q, 0), 1);
    put_page(q, data_page(q, 1), 2);
    put_page(q, data_page(q, 8), 3);
    quire_map(q, 7, 2, data_page(q, 0));
    quire_transfer(q, QUIRE_SEGMENT_APERTURE, 7 * QUIRE_PAGE_SIZE,
                   QUIRE_SEGMENT_VRAM, 0, 2 * QUIRE_PAGE_SIZE, NULL, 0);
    quire_unmap(q, 8, 1, data_page(q, 8));
    quire_transfer(q, QUIRE_SEGMENT_APERTURE, 7 * QUIRE_PAGE_SIZE,
                   QUIRE_SEGMENT_VRAM, 2 * QUIRE_PAGE_SIZE,
                   2 * QUIRE_PAGE_SIZE, NULL, 0);
    quire_unmap(q, 8, 1, data_page(q, 8));
    quire_execute(q, 1);
    check_page(q, vram_addr(q, 0), 1);
    check_page(q, vram_addr(q, QUIRE_PAGE_SIZE), 2);
    check_page(q, vram_addr(q, 2 * QUIRE_PAGE_SIZE), 1);
    check_page(q, vram_addr(q, 3 * QUIRE_PAGE_SIZE), 3);
    quire_stop(q, alloc);
}

static void test_signal(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    quire_signal(q, data_page(q, 0) + 8, 0xfedcba9876543210);
    quire_execute(q, 0x8000000000000001);
    g_assert_cmphex(qtest_readq(q->qts, data_page(q, 0) + 8), ==,
                    0xfedcba9876543210);
    g_assert_cmphex(qtest_readl(q->qts, q->fence_page + 8), ==, 1);
    quire_stop(q, alloc);
}

static void test_ring(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    unsigned i;

    quire_start(q, alloc);
    for (i = 0; i < 50; i++) {
        quire_signal(q, data_page(q, 0), i);
        quire_execute(q, i + 1);
        g_assert_cmphex(qtest_readq(q->qts, data_page(q, 0)), ==, i);
        g_assert_cmphex(ring_reg(q, QUIRE_RING_RPTR), ==, i + 1);
    }
    /* A full ring of empty submissions, one doorbell. */
    for (i = 0; i < 1u << ORDER; i++) {
        quire_entry(q, 0, 0, 0, 100 + i, 0);
    }
    quire_doorbell(q);
    quire_wait_idle(q);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==,
                    100 + (1u << ORDER) - 1);
    quire_stop(q, alloc);
}

/* MSI-X messages as stores to guest memory. */
static void msix_program(QQuire *q, unsigned vector, uint64_t addr,
                         uint32_t value)
{
    uint64_t off = q->dev.msix_table_off + vector * 16;

    qpci_io_writel(&q->dev, q->dev.msix_table_bar, off, addr);
    qpci_io_writel(&q->dev, q->dev.msix_table_bar, off + 4, addr >> 32);
    qpci_io_writel(&q->dev, q->dev.msix_table_bar, off + 8, value);
    qpci_io_writel(&q->dev, q->dev.msix_table_bar, off + 12, 0);
}

static void test_interrupt(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint64_t msi;

    quire_start(q, alloc);
    msi = data_page(q, 2);
    qpci_msix_enable(&q->dev);
    g_assert_cmpint(qpci_msix_table_size(&q->dev), ==, QUIRE_VECTOR_COUNT);
    msix_program(q, QUIRE_VECTOR_FENCE, msi, 0x1111);
    msix_program(q, QUIRE_VECTOR_FAULT, msi + 4, 0x2222);
    qtest_memset(q->qts, msi, 0, 8);
    quire_execute(q, 1);
    g_assert_cmphex(qtest_readl(q->qts, msi), ==, 0x1111);
    g_assert_cmphex(qtest_readl(q->qts, msi + 4), ==, 0);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_INT_STATUS), ==, QUIRE_INT_FENCE);
    quire_set_reg(q, QUIRE_REG_INT_STATUS, QUIRE_INT_FENCE);

    qtest_memset(q->qts, msi, 0, 8);
    quire_set_reg(q, QUIRE_REG_INJECT_DROP_IRQ, 1);
    quire_execute(q, 2);
    g_assert_cmphex(qtest_readl(q->qts, msi), ==, 0);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_INT_STATUS), ==, QUIRE_INT_FENCE);

    quire_set_reg(q, QUIRE_REG_INJECT_FAULT, 1);
    quire_signal(q, data_page(q, 0), 1);
    quire_submit(q, 3);
    check_fault(q, QUIRE_FAULT_INJECTED, 0, 0);
    g_assert_cmphex(qtest_readl(q->qts, msi + 4), ==, 0x2222);
    qpci_msix_disable(&q->dev);
    quire_lives(q);
    quire_stop(q, alloc);
}

/* Work that does not end within any test. */
static void quire_keep_busy(QQuire *q)
{
    while (q->size + sizeof(struct quire_packet_transfer) <= MAX_SUBMISSION) {
        quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_VRAM,
                       VRAM_SIZE / 2, VRAM_SIZE / 2, NULL, 0);
    }
    quire_submit(q, 1);
    g_assert_cmphex(ring_reg(q, QUIRE_RING_STATUS), ==,
                    QUIRE_RING_STATUS_BUSY);
}

static void check_stopped(QQuire *q)
{
    uint64_t progress = ring_reg64(q, QUIRE_RING_PROGRESS_LO);

    g_usleep(50 * 1000);
    qtest_clock_step(q->qts, 1000);
    g_assert_cmphex(ring_reg64(q, QUIRE_RING_PROGRESS_LO), ==, progress);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, 0);
}

static void test_reset(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint32_t reg;

    quire_start(q, alloc);
    quire_fill(q, QUIRE_SEGMENT_VRAM, 0, 4, 0x12345678);
    quire_map(q, 0, 1, data_page(q, 0));
    quire_keep_busy(q);
    quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
    for (reg = 0; reg <= QUIRE_RING_PROGRESS_HI; reg += 4) {
        g_assert_cmphex(ring_reg(q, reg), ==, 0);
    }
    g_assert_cmphex(quire_reg(q, QUIRE_REG_INT_STATUS), ==, 0);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_INT_ENABLE), ==, 0);
    g_assert_cmphex(qtest_readl(q->qts, vram_addr(q, 0)), ==, 0x12345678);
    check_stopped(q);
    quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
    ring_program(q);
    ring_enable(q);
    quire_transfer(q, QUIRE_SEGMENT_APERTURE, 0, QUIRE_SEGMENT_VRAM, 0, 8,
                   NULL, 0);
    expect_fault(q, QUIRE_FAULT_APERTURE, 0, 0);
    quire_stop(q, alloc);
}

static void test_disable(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    quire_keep_busy(q);
    ring_set_reg(q, QUIRE_RING_CONTROL, 0);
    g_assert_cmphex(ring_reg(q, QUIRE_RING_STATUS), ==, 0);
    g_assert_cmphex(ring_reg(q, QUIRE_RING_RPTR), ==, 0);
    check_stopped(q);
    quire_lives(q);
    quire_stop(q, alloc);
}

static void test_hang(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    quire_set_reg(q, QUIRE_REG_INJECT_HANG, 2);
    quire_signal(q, data_page(q, 0), 1);
    quire_signal(q, data_page(q, 0), 2);
    quire_submit(q, 1);
    check_stopped(q);
    g_assert_cmphex(ring_reg(q, QUIRE_RING_STATUS), ==,
                    QUIRE_RING_STATUS_BUSY);
    g_assert_cmphex(ring_reg(q, QUIRE_RING_OFFSET), ==,
                    sizeof(struct quire_packet_signal));
    g_assert_cmphex(qtest_readq(q->qts, data_page(q, 0)), ==, 1);
    quire_lives(q);
    quire_stop(q, alloc);
}

/* A stopped VM's memory stays as it is; work goes on afterwards. */
static void test_stop_cont(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    unsigned i;

    quire_start(q, alloc);
    for (i = 0; i < 200; i++) {
        quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_VRAM,
                       VRAM_SIZE / 2, VRAM_SIZE / 2, NULL, 0);
    }
    quire_submit(q, 1);
    qtest_qmp_assert_success(q->qts, "{ 'execute': 'stop' }");
    check_stopped(q);
    qtest_qmp_assert_success(q->qts, "{ 'execute': 'cont' }");
    quire_wait_idle(q);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, 1);
    quire_stop(q, alloc);
}

/* Hostile guests */

static void test_registers(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint32_t reg;

    quire_start(q, alloc);
    for (reg = 0; reg < 0x1200; reg++) {
        qpci_io_readb(&q->dev, q->regs, reg);
        qpci_io_readl(&q->dev, q->regs, reg);
        qpci_io_readq(&q->dev, q->regs, reg);
        qpci_io_writeb(&q->dev, q->regs, reg, 0xff);
        qpci_io_writew(&q->dev, q->regs, reg, 0xffff);
        qpci_io_writel(&q->dev, q->regs, reg, ~0u);
        qpci_io_writeq(&q->dev, q->regs, reg, ~0ull);
    }
    for (reg = 0x1200; reg < QUIRE_BAR_REGS_SIZE; reg += 0x3fc) {
        qpci_io_readl(&q->dev, q->regs, reg);
        qpci_io_writel(&q->dev, q->regs, reg, ~0u);
    }
    g_assert_cmphex(quire_reg(q, QUIRE_REG_ID), ==, QUIRE_ID);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_INT_ENABLE), ==, QUIRE_INT_ALL);
    check_fault(q, QUIRE_FAULT_BAD_RING, 0, UINT32_MAX);
    quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
    quire_lives(q);
    quire_stop(q, alloc);
}

static void bad_ring(QQuire *q, uint32_t code, uint64_t addr)
{
    ring_enable(q);
    check_fault(q, code, 0, addr);
    quire_lives(q);
    ring_program(q);
}

static void test_bad_ring(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint64_t wptr = offsetof(struct quire_fence_page, wptr);
    uint64_t bad[] = { HOLE, 0, 0 };
    unsigned i;

    quire_start(q, alloc);
    bad[1] = q->regs.addr;                              /* registers */
    bad[2] = q->regs.addr + QUIRE_DOORBELL_BASE;        /* own doorbell */
    ring_program(q);
    ring_set_reg(q, QUIRE_RING_ORDER, QUIRE_RING_ORDER_MAX + 1);
    bad_ring(q, QUIRE_FAULT_BAD_RING, QUIRE_RING_ORDER_MAX + 1);
    ring_set_reg64(q, QUIRE_RING_ENTRIES_LO, q->entries + 32);
    bad_ring(q, QUIRE_FAULT_BAD_RING, q->entries + 32);
    ring_set_reg64(q, QUIRE_RING_ENTRIES_LO, ~0xfffull);
    ring_set_reg(q, QUIRE_RING_ORDER, 8);
    bad_ring(q, QUIRE_FAULT_BAD_RING, ~0xfffull);
    ring_set_reg64(q, QUIRE_RING_FENCE_PAGE_LO, q->fence_page + 8);
    bad_ring(q, QUIRE_FAULT_BAD_RING, q->fence_page + 8);
    ring_set_reg64(q, QUIRE_RING_FENCE_PAGE_LO, ~0xfffull);
    bad_ring(q, QUIRE_FAULT_RING_DMA, ~0xfffull + wptr);
    for (i = 0; i < ARRAY_SIZE(bad); i++) {
        ring_set_reg64(q, QUIRE_RING_FENCE_PAGE_LO, bad[i]);
        bad_ring(q, QUIRE_FAULT_RING_DMA, bad[i] + wptr);
        qtest_writel(q->qts, wptr_addr(q), 1);
        ring_set_reg64(q, QUIRE_RING_ENTRIES_LO, bad[i]);
        bad_ring(q, QUIRE_FAULT_RING_DMA, bad[i]);
    }
    quire_stop(q, alloc);
}

/* Ring and fence page in the device's own VRAM, and in each other: allowed. */
static void test_odd_ring(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint64_t entries, fence_page;

    quire_start(q, alloc);
    entries = q->entries;
    fence_page = q->fence_page;
    q->entries = vram_addr(q, 0);
    q->fence_page = vram_addr(q, QUIRE_PAGE_SIZE);
    quire_lives(q);
    q->entries = fence_page;
    q->fence_page = fence_page;
    ring_program(q);
    ring_enable(q);
    qtest_writel(q->qts, wptr_addr(q), 3);
    quire_doorbell(q);
    quire_wait_idle(q);
    q->entries = entries;
    quire_lives(q);
    quire_stop(q, alloc);
}

static void bad_entry(QQuire *q, uint64_t addr, uint32_t size, uint32_t flags,
                      uint64_t reserved, uint32_t code, uint64_t fault_addr)
{
    ring_program(q);
    ring_enable(q);
    quire_entry(q, addr, size, flags, 0xe, reserved);
    quire_doorbell(q);
    check_fault(q, code, 0, fault_addr);
    g_assert_cmphex(ring_reg64(q, QUIRE_RING_FAULT_FENCE_LO), ==, 0xe);
    quire_lives(q);
}

static void test_bad_entry(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    bad_entry(q, q->buffer, 8, 2, 0, QUIRE_FAULT_BAD_ENTRY, q->entries);
    bad_entry(q, q->buffer, 8, 0, 1, QUIRE_FAULT_BAD_ENTRY, q->entries);
    bad_entry(q, q->buffer + 4, 8, 0, 0, QUIRE_FAULT_BAD_ENTRY, q->entries);
    bad_entry(q, q->buffer, 12, 0, 0, QUIRE_FAULT_BAD_ENTRY, q->entries);
    bad_entry(q, q->buffer, MAX_SUBMISSION + 8, 0, 0, QUIRE_FAULT_BAD_ENTRY,
              q->entries);
    bad_entry(q, q->buffer, 0xfffffff8, 0, 0, QUIRE_FAULT_BAD_ENTRY,
              q->entries);
    bad_entry(q, ~7ull, 16, 0, 0, QUIRE_FAULT_BAD_ENTRY, q->entries);
    bad_entry(q, HOLE, 16, 0, 0, QUIRE_FAULT_BUFFER_DMA, HOLE);
    bad_entry(q, q->regs.addr, 16, 0, 0, QUIRE_FAULT_BUFFER_DMA,
              q->regs.addr);
    quire_stop(q, alloc);
}

static void test_bad_wptr(void *obj, void *data, QGuestAllocator *alloc)
{
    static const uint32_t bad[] = { (1u << ORDER) + 1, ~0u, 0x80000000 };
    QQuire *q = obj;
    unsigned i;

    quire_start(q, alloc);
    for (i = 0; i < ARRAY_SIZE(bad); i++) {
        qtest_writel(q->qts, wptr_addr(q), bad[i]);
        quire_doorbell(q);
        check_fault(q, QUIRE_FAULT_BAD_WPTR, 0, bad[i]);
        quire_lives(q);
    }
    /* Backwards: quire_lives() has completed one submission. */
    qtest_writel(q->qts, wptr_addr(q), 0);
    quire_doorbell(q);
    check_fault(q, QUIRE_FAULT_BAD_WPTR, 0, 0);
    quire_lives(q);
    quire_stop(q, alloc);
}

static void test_kick_storm(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    unsigned i;

    quire_start(q, alloc);
    for (i = 0; i < 2000; i++) {
        quire_doorbell(q);
    }
    for (i = 0; i < 500; i++) {
        ring_set_reg(q, QUIRE_RING_CONTROL, i & 1);
        quire_doorbell(q);
    }
    quire_lives(q);
    quire_stop(q, alloc);
}

/* Set a little endian word of the packet that was built last. */
static void poke(QQuire *q, uint32_t packet, uint32_t offset, uint32_t value)
{
    stl_le_p(q->packets + packet + offset, value);
}

static void test_bad_packet(void *obj, void *data, QGuestAllocator *alloc)
{
    static const uint32_t sizes[] = { 0, 4, 7, 12, 32, 48, 0xfffffff8, ~0u };
    static const uint32_t opcodes[] = { 0, 9, 0x8001, 0xffff };
    QQuire *q = obj;
    uint32_t good = sizeof(struct quire_packet_signal);
    unsigned i;

    quire_start(q, alloc);
    for (i = 0; i < ARRAY_SIZE(sizes); i++) {
        quire_signal(q, data_page(q, 0), 1);
        quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_VRAM, 64, 8,
                       NULL, 0);
        poke(q, good, 4, sizes[i]);
        expect_fault(q, QUIRE_FAULT_BAD_PACKET, good, q->buffer + good);
    }
    for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
        quire_signal(q, data_page(q, 0), 1);
        poke(q, 0, 0, opcodes[i]);
        expect_fault(q, QUIRE_FAULT_BAD_OPCODE, 0, q->buffer);
    }
    quire_fill(q, QUIRE_SEGMENT_VRAM, 0, 4, 0);
    poke(q, 0, 0, QUIRE_OP_FILL | 1 << 16);
    expect_fault(q, QUIRE_FAULT_BAD_PACKET, 0, q->buffer);
    quire_discard(q, 0, QUIRE_PAGE_SIZE);
    poke(q, 0, 12, 1);
    expect_fault(q, QUIRE_FAULT_BAD_PACKET, 0, q->buffer);
    quire_physical(q, QUIRE_OP_READ_PHYSICAL, QUIRE_SEGMENT_VRAM, 0, 8, 1);
    expect_fault(q, QUIRE_FAULT_BAD_PACKET, 0, q->buffer);
    quire_stop(q, alloc);
}

static void bad_copy(QQuire *q, uint64_t src, uint64_t dst, uint64_t size,
                     uint64_t addr)
{
    quire_transfer(q, QUIRE_SEGMENT_VRAM, src, QUIRE_SEGMENT_VRAM, dst, size,
                   NULL, 0);
    expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, addr);
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
    expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, 0);
    quire_fill(q, QUIRE_SEGMENT_VRAM, VRAM_SIZE - 4, 8, 0);
    expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, VRAM_SIZE - 4);
    quire_fill(q, QUIRE_SEGMENT_VRAM, 2, 4, 0);
    expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, 2);
    quire_fill(q, QUIRE_SEGMENT_VRAM, 4, 2, 0);
    expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, 4);
    quire_discard(q, 8, QUIRE_PAGE_SIZE);
    expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, 8);
    quire_discard(q, 0, 8);
    expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, 0);
    quire_discard(q, VRAM_SIZE - QUIRE_PAGE_SIZE, 2 * QUIRE_PAGE_SIZE);
    expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, VRAM_SIZE - QUIRE_PAGE_SIZE);
    quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_VRAM, 64, 9, 0);
    expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, 64);
    quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_SYSTEM, ~0ull - 1,
                   4, 0);
    expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, ~0ull - 1);
    quire_signal(q, data_page(q, 0) + 4, 0);
    expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, data_page(q, 0) + 4);
    quire_stop(q, alloc);
}

static void test_bad_segment(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint64_t run;

    quire_start(q, alloc);
    run = QUIRE_RUN(data_page(q, 0) >> QUIRE_PAGE_SHIFT, 1);
    quire_transfer(q, 3, 0, QUIRE_SEGMENT_VRAM, 0, 8, NULL, 0);
    expect_fault(q, QUIRE_FAULT_BAD_SEGMENT, 0, 3);
    quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, ~0u, 0, 8, NULL, 0);
    expect_fault(q, QUIRE_FAULT_BAD_SEGMENT, 0, ~0u);
    quire_transfer(q, QUIRE_SEGMENT_SYSTEM, 0, QUIRE_SEGMENT_SYSTEM, 0, 8,
                   &run, 1);
    expect_fault(q, QUIRE_FAULT_BAD_SEGMENT, 0, QUIRE_SEGMENT_SYSTEM);
    quire_fill(q, QUIRE_SEGMENT_APERTURE, 0, 4, 0);
    expect_fault(q, QUIRE_FAULT_BAD_SEGMENT, 0, QUIRE_SEGMENT_APERTURE);
    quire_stop(q, alloc);
}

static void bad_runs(QQuire *q, uint64_t size, const uint64_t *runs,
                     unsigned count)
{
    quire_transfer(q, QUIRE_SEGMENT_SYSTEM, 0, QUIRE_SEGMENT_VRAM, 0, size,
                   runs, count);
    expect_fault(q, QUIRE_FAULT_BAD_RUNS, 0, q->buffer);
}

static void test_bad_runs(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint64_t runs[2], top = QUIRE_RUN(~0ull >> QUIRE_PAGE_SHIFT, 2);

    quire_start(q, alloc);
    runs[0] = QUIRE_RUN(data_page(q, 0) >> QUIRE_PAGE_SHIFT, 1);
    runs[1] = runs[0];
    bad_runs(q, QUIRE_PAGE_SIZE, NULL, 0);
    bad_runs(q, QUIRE_PAGE_SIZE + 1, runs, 1);
    bad_runs(q, QUIRE_PAGE_SIZE, runs, 2);
    bad_runs(q, 2 * QUIRE_PAGE_SIZE, &top, 1);
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
        expect_fault(q, QUIRE_FAULT_DMA, 0, bad[i]);
        quire_to_system(q, 0, bad[i], 1);
        expect_fault(q, QUIRE_FAULT_DMA, 0, bad[i]);
        quire_physical(q, QUIRE_OP_READ_PHYSICAL, QUIRE_SEGMENT_SYSTEM, bad[i],
                       4, 0);
        expect_fault(q, QUIRE_FAULT_DMA, 0, bad[i]);
        quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_SYSTEM,
                       bad[i], 4, 1);
        expect_fault(q, QUIRE_FAULT_DMA, 0, bad[i]);
        quire_signal(q, bad[i], 1);
        expect_fault(q, QUIRE_FAULT_FENCE_DMA, 0, bad[i]);
    }
    quire_to_system(q, 0, ROM, 1);
    expect_fault(q, QUIRE_FAULT_DMA, 0, ROM);
    quire_stop(q, alloc);
}

/* The device's own VRAM as system memory, overlapping: defined, no crash. */
static void test_own_vram(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    put_page(q, vram_addr(q, 0), 1);
    put_page(q, vram_addr(q, QUIRE_PAGE_SIZE), 2);
    quire_from_system(q, vram_addr(q, 0), 1, QUIRE_PAGE_SIZE * 4);
    quire_from_system(q, vram_addr(q, 0), 2, QUIRE_PAGE_SIZE);
    quire_to_system(q, QUIRE_PAGE_SIZE, vram_addr(q, 0), 2);
    quire_map(q, 0, 4, vram_addr(q, 0));
    quire_transfer(q, QUIRE_SEGMENT_APERTURE, 8, QUIRE_SEGMENT_VRAM, 0,
                   3 * QUIRE_PAGE_SIZE, NULL, 0);
    quire_execute(q, 1);
    check_page(q, vram_addr(q, QUIRE_PAGE_SIZE * 4), 1);
    quire_lives(q);
    quire_stop(q, alloc);
}

static void test_bad_aperture(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    quire_transfer(q, QUIRE_SEGMENT_APERTURE, QUIRE_PAGE_SIZE + 16,
                   QUIRE_SEGMENT_VRAM, 0, 8, NULL, 0);
    expect_fault(q, QUIRE_FAULT_APERTURE, 0, QUIRE_PAGE_SIZE);
    quire_map(q, APERTURE_PAGES, 1, data_page(q, 0));
    expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, APERTURE_SIZE);
    quire_map(q, APERTURE_PAGES - 1, 2, data_page(q, 0));
    expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, APERTURE_SIZE - QUIRE_PAGE_SIZE);
    quire_map(q, 0, 0, data_page(q, 0));
    expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, 0);
    quire_unmap(q, 1, ~0u, data_page(q, 0));
    expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, QUIRE_PAGE_SIZE);
    quire_unmap(q, 0, 1, data_page(q, 0) + 8);
    expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, data_page(q, 0) + 8);
    /* A dummy page in MMIO is noticed when it is used. */
    quire_unmap(q, 0, 1, q->regs.addr);
    quire_unmap(q, 0, 1, q->regs.addr);
    quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_APERTURE, 48, 8,
                   NULL, 0);
    expect_fault(q, QUIRE_FAULT_DMA, 2 * sizeof(struct quire_packet_unmap),
                 q->regs.addr + 48);
    quire_stop(q, alloc);
}

/* A page of the BIOS that passes for a fence page with work; 0 if none. */
static uint64_t rom_fence_page(QQuire *q)
{
    uint64_t page;
    uint32_t wptr;

    for (page = BIOS; page <= ROM; page += QUIRE_PAGE_SIZE) {
        wptr = qtest_readl(q->qts, page + offsetof(struct quire_fence_page,
                                                   wptr));
        if (wptr && wptr <= 1u << QUIRE_RING_ORDER_MAX) {
            return page;
        }
    }
    return 0;
}

/* The fence page can be read, not written: data first, then the fault. */
static void check_rom_fence_page(QQuire *q, uint64_t page)
{
    struct quire_ring_entry entry = {
        .addr = cpu_to_le64(data_page(q, 0)),
        .size = cpu_to_le32(sizeof(struct quire_packet_signal)),
        .fence = cpu_to_le64(9),
    };

    ring_program(q);
    ring_set_reg64(q, QUIRE_RING_FENCE_PAGE_LO, page);
    ring_set_reg64(q, QUIRE_RING_ENTRIES_LO, q->buffer);
    ring_set_reg(q, QUIRE_RING_ORDER, QUIRE_RING_ORDER_MAX);
    quire_signal(q, data_page(q, 1), 0x1234);
    qtest_memwrite(q->qts, q->buffer, &entry, sizeof(entry));
    qtest_memwrite(q->qts, data_page(q, 0), q->packets, q->size);
    ring_enable(q);
    check_fault(q, QUIRE_FAULT_FENCE_DMA, q->size, page);
    g_assert_cmphex(ring_reg64(q, QUIRE_RING_FAULT_FENCE_LO), ==, 9);
    g_assert_cmphex(ring_reg(q, QUIRE_RING_RPTR), ==, 0);
    g_assert_cmphex(qtest_readq(q->qts, data_page(q, 1)), ==, 0x1234);
    quire_lives(q);
}

static void test_bad_fence(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint64_t page;

    quire_start(q, alloc);
    page = rom_fence_page(q);
    if (page) {
        check_rom_fence_page(q, page);
    } else {
        g_test_message("no page of the BIOS passes for a fence page");
    }
    /* Values may go backwards, and two may share a place. */
    quire_execute(q, 5);
    quire_execute(q, 3);
    quire_signal(q, q->fence_page, 99);
    quire_execute(q, 4);
    quire_stop(q, alloc);
}

/* Interrupt messages that write the device's own registers. */
static void test_msix_loop(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    qpci_msix_enable(&q->dev);
    msix_program(q, QUIRE_VECTOR_FENCE, q->regs.addr + QUIRE_REG_CONTROL,
                 QUIRE_CONTROL_RESET);
    msix_program(q, QUIRE_VECTOR_FAULT,
                 q->regs.addr + QUIRE_REG_RING(0, QUIRE_RING_CONTROL), 0);
    quire_entry(q, 0, 0, QUIRE_ENTRY_IRQ, 1, 0);
    quire_entry(q, 0, 0, QUIRE_ENTRY_IRQ, 2, 0);
    quire_entry(q, 4, 0, QUIRE_ENTRY_IRQ, 3, 0);
    quire_doorbell(q);
    quire_wait_idle(q);
    quire_set_reg(q, QUIRE_REG_INT_ENABLE, 0);
    quire_set_reg(q, QUIRE_REG_INT_ENABLE, QUIRE_INT_ALL);
    msix_program(q, QUIRE_VECTOR_FENCE, q->dev.msix_table_bar.addr, ~0u);
    msix_program(q, QUIRE_VECTOR_FAULT, HOLE, ~0u);
    quire_set_reg(q, QUIRE_REG_INT_ENABLE, 0);
    quire_set_reg(q, QUIRE_REG_INT_ENABLE, QUIRE_INT_ALL);
    qpci_msix_disable(&q->dev);
    quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
    quire_lives(q);
    quire_stop(q, alloc);
}

static void test_bus_master(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint16_t command;

    quire_start(q, alloc);
    command = qpci_config_readw(&q->dev, PCI_COMMAND);
    qpci_config_writew(&q->dev, PCI_COMMAND, command & ~PCI_COMMAND_MASTER);
    quire_doorbell(q);
    check_fault(q, QUIRE_FAULT_RING_DMA, 0, wptr_addr(q));
    qpci_config_writew(&q->dev, PCI_COMMAND, command);
    quire_lives(q);
    /* Off in the middle of work: the next access to system memory faults. */
    ring_program(q);
    ring_enable(q);
    quire_keep_busy(q);
    qpci_config_writew(&q->dev, PCI_COMMAND, command & ~PCI_COMMAND_MASTER);
    ring_set_reg(q, QUIRE_RING_CONTROL, 0);
    qpci_config_writew(&q->dev, PCI_COMMAND, command);
    quire_lives(q);
    quire_stop(q, alloc);
}

/* The BARs move, vanish and come back while the device works. */
static void test_bars(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint16_t command;
    uint32_t bar;

    quire_start(q, alloc);
    quire_keep_busy(q);
    command = qpci_config_readw(&q->dev, PCI_COMMAND);
    qpci_config_writew(&q->dev, PCI_COMMAND, 0);
    qpci_config_writew(&q->dev, PCI_COMMAND, command);
    bar = qpci_config_readl(&q->dev, PCI_BASE_ADDRESS_2);
    qpci_config_writel(&q->dev, PCI_BASE_ADDRESS_2, 0x100000);
    qpci_config_writel(&q->dev, PCI_BASE_ADDRESS_2, q->regs.addr);
    qpci_config_writel(&q->dev, PCI_BASE_ADDRESS_2, bar);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_ID), ==, QUIRE_ID);
    quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
    quire_lives(q);
    quire_stop(q, alloc);
}

static void test_system_reset(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    quire_keep_busy(q);
    qtest_system_reset(q->qts);
    qpci_device_enable(&q->dev);
    q->regs = qpci_iomap(&q->dev, QUIRE_BAR_REGS, NULL);
    q->vram = qpci_iomap(&q->dev, QUIRE_BAR_VRAM, NULL);
    g_assert_cmphex(ring_reg(q, QUIRE_RING_CONTROL), ==, 0);
    g_assert_cmphex(ring_reg(q, QUIRE_RING_STATUS), ==, 0);
    check_stopped(q);
    quire_lives(q);
    quire_stop(q, alloc);
}

static void test_unplug(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    quire_keep_busy(q);
    qpci_unplug_acpi_device_test(q->qts, "quire0", 4);
    qtest_clock_step(q->qts, 1000);
    qtest_qmp_assert_success(q->qts, "{ 'execute': 'query-status' }");
}

/* Migration, between two emulators of this test's own */

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
    gint64 end = g_get_monotonic_time() + TIMEOUT_SECONDS * G_TIME_SPAN_SECOND;
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
    ring_program(q);
    ring_enable(q);
    put_page(q, q->data, 1);
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
    while (!ring_reg(q, QUIRE_RING_OFFSET)) {
        qtest_clock_step(from, 100);
    }
    qtest_qmp_assert_success(from, "{ 'execute': 'stop' }");
    g_assert_cmphex(qtest_readq(from, q->fence_page), ==, 0);
    progress = ring_reg64(q, QUIRE_RING_PROGRESS_LO);
    to = migrate_to_file(q, path);
    unlink(path);

    to_bus = qpci_new_pc(to, NULL);
    migrate_open(q, to, to_bus);
    g_assert_cmphex(ring_reg64(q, QUIRE_RING_PROGRESS_LO), ==, progress);
    g_assert_cmphex(ring_reg(q, QUIRE_RING_STATUS), ==,
                    QUIRE_RING_STATUS_BUSY);
    qtest_qmp_assert_success(to, "{ 'execute': 'cont' }");
    quire_wait_idle(q);
    g_assert_cmphex(ring_reg(q, QUIRE_RING_FAULT_CODE), ==, QUIRE_FAULT_NONE);
    g_assert_cmphex(qtest_readq(to, q->fence_page), ==, 7);
    check_page(q, q->data + QUIRE_PAGE_SIZE, 1);
    /* Each copy left the mark behind at every page below it. */
    check_page(q, vram_addr(q, 0), 1);
    check_page(q, vram_addr(q, (MIGRATE_COPIES - 1) * MIGRATE_SHIFT), 1);
    g_assert_cmphex(qtest_readl(to, vram_addr(q, (MIGRATE_COPIES + 1) *
                                              MIGRATE_SHIFT)), ==, 0x55667788);
    qpci_free_pc(from_bus);
    qpci_free_pc(to_bus);
    qtest_quit(to);
    qtest_quit(from);
}

static void *quire_get_driver(void *obj, const char *interface)
{
    QQuire *q = obj;

    if (!g_strcmp0(interface, "pci-device")) {
        return &q->dev;
    }
    fprintf(stderr, "%s not present in quire\n", interface);
    g_assert_not_reached();
}

static void *quire_create(void *pci_bus, QGuestAllocator *alloc, void *addr)
{
    QQuire *q = g_new0(QQuire, 1);

    qpci_device_init(&q->dev, pci_bus, addr);
    q->obj.get_driver = quire_get_driver;
    return &q->obj;
}

static const struct {
    const char *name;
    void (*test)(void *obj, void *data, QGuestAllocator *alloc);
} quire_tests[] = {
    { "info", test_info },
    { "transfer", test_transfer },
    { "fill", test_fill },
    { "discard", test_discard },
    { "physical", test_physical },
    { "aperture", test_aperture },
    { "signal", test_signal },
    { "ring", test_ring },
    { "interrupt", test_interrupt },
    { "reset", test_reset },
    { "disable", test_disable },
    { "hang", test_hang },
    { "stop-cont", test_stop_cont },
    { "registers", test_registers },
    { "bad-ring", test_bad_ring },
    { "odd-ring", test_odd_ring },
    { "bad-entry", test_bad_entry },
    { "bad-wptr", test_bad_wptr },
    { "kick-storm", test_kick_storm },
    { "bad-packet", test_bad_packet },
    { "bad-range", test_bad_range },
    { "bad-segment", test_bad_segment },
    { "bad-runs", test_bad_runs },
    { "bad-dma", test_bad_dma },
    { "own-vram", test_own_vram },
    { "bad-aperture", test_bad_aperture },
    { "bad-fence", test_bad_fence },
    { "msix-loop", test_msix_loop },
    { "bus-master", test_bus_master },
    { "bars", test_bars },
};

static void quire_register_nodes(void)
{
    QOSGraphEdgeOptions edge_opts = {
        /* No network adapter: its firmware is often not installed. */
        .before_cmd_line = "-nic none",
        .extra_device_opts = "addr=04.0,id=quire0," DEVICE_OPTIONS,
    };
    QOSGraphTestOptions alone = { .subprocess = true };
    const char *arch = qtest_get_arch();
    unsigned i;

    add_qpci_address(&edge_opts, &(QPCIAddress) { .devfn = QPCI_DEVFN(4, 0) });
    qos_node_create_driver("quire", quire_create);
    qos_node_consumes("quire", "pci-bus", &edge_opts);
    qos_node_produces("quire", "pci-device");
    for (i = 0; i < ARRAY_SIZE(quire_tests); i++) {
        qos_add_test(quire_tests[i].name, "quire", quire_tests[i].test, NULL);
    }
    if (g_str_equal(arch, "x86_64")) {
        qos_add_test("migrate", "quire", test_migrate, NULL);
        qos_add_test("system-reset", "quire", test_system_reset, &alone);
        qos_add_test("unplug", "quire", test_unplug, &alone);
    }
}

libqos_init(quire_register_nodes);
