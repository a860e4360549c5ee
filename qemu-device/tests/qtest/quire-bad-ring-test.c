/*
 * QTest testcase for the Quire virtual GPU: bad registers and rings
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
    quire_assert_fault(q, QUIRE_FAULT_BAD_RING, 0, UINT32_MAX);
    quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
    quire_lives(q);
    quire_stop(q, alloc);
}

static void bad_ring(QQuire *q, uint32_t code, uint64_t addr)
{
    quire_ring_enable(q);
    quire_assert_fault(q, code, 0, addr);
    quire_lives(q);
    quire_ring_program(q);
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
    quire_ring_program(q);
    quire_ring_set_reg(q, QUIRE_RING_ORDER, QUIRE_RING_ORDER_MAX + 1);
    bad_ring(q, QUIRE_FAULT_BAD_RING, QUIRE_RING_ORDER_MAX + 1);
    quire_ring_set_reg64(q, QUIRE_RING_ENTRIES_LO, q->entries + 32);
    bad_ring(q, QUIRE_FAULT_BAD_RING, q->entries + 32);
    quire_ring_set_reg64(q, QUIRE_RING_ENTRIES_LO, ~0xfffull);
    quire_ring_set_reg(q, QUIRE_RING_ORDER, 8);
    bad_ring(q, QUIRE_FAULT_BAD_RING, ~0xfffull);
    quire_ring_set_reg64(q, QUIRE_RING_FENCE_PAGE_LO, q->fence_page + 8);
    bad_ring(q, QUIRE_FAULT_BAD_RING, q->fence_page + 8);
    quire_ring_set_reg64(q, QUIRE_RING_FENCE_PAGE_LO, ~0xfffull);
    bad_ring(q, QUIRE_FAULT_RING_DMA, ~0xfffull + wptr);
    for (i = 0; i < ARRAY_SIZE(bad); i++) {
        quire_ring_set_reg64(q, QUIRE_RING_FENCE_PAGE_LO, bad[i]);
        bad_ring(q, QUIRE_FAULT_RING_DMA, bad[i] + wptr);
        qtest_writel(q->qts, quire_wptr_addr(q), 1);
        quire_ring_set_reg64(q, QUIRE_RING_ENTRIES_LO, bad[i]);
        bad_ring(q, QUIRE_FAULT_RING_DMA, bad[i]);
    }
    quire_stop(q, alloc);
}

static void bad_entry(QQuire *q, uint64_t addr, uint32_t size, uint32_t flags,
                      uint64_t context, uint32_t code, uint64_t fault_addr)
{
    quire_ring_program(q);
    quire_ring_enable(q);
    quire_entry(q, addr, size, flags, 0xe, context);
    quire_doorbell(q);
    quire_assert_fault(q, code, 0, fault_addr);
    g_assert_cmphex(quire_ring_reg64(q, QUIRE_RING_FAULT_FENCE_LO), ==, 0xe);
    quire_lives(q);
}

static void test_bad_entry(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    bad_entry(q, q->buffer, 8, 8, 0, QUIRE_FAULT_BAD_ENTRY, q->entries);
    bad_entry(q, q->buffer, 8, QUIRE_ENTRY_VIRTUAL, 0, QUIRE_FAULT_BAD_ENTRY,
              q->entries);
    bad_entry(q, q->buffer, 8, QUIRE_ENTRY_CONTEXT, 8, QUIRE_FAULT_BAD_ENTRY,
              q->entries);
    bad_entry(q, q->buffer, 8, QUIRE_ENTRY_CONTEXT, HOLE,
              QUIRE_FAULT_BAD_CONTEXT, HOLE);
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
    static const uint32_t bad[] = { (1u << QUIRE_ORDER) + 1, ~0u, 0x80000000 };
    QQuire *q = obj;
    unsigned i;

    quire_start(q, alloc);
    for (i = 0; i < ARRAY_SIZE(bad); i++) {
        qtest_writel(q->qts, quire_wptr_addr(q), bad[i]);
        quire_doorbell(q);
        quire_assert_fault(q, QUIRE_FAULT_BAD_WPTR, 0, bad[i]);
        quire_lives(q);
    }
    /* Backwards: quire_lives() has completed one submission. */
    qtest_writel(q->qts, quire_wptr_addr(q), 0);
    quire_doorbell(q);
    quire_assert_fault(q, QUIRE_FAULT_BAD_WPTR, 0, 0);
    quire_lives(q);
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
        .addr = cpu_to_le64(quire_data_page(q, 0)),
        .size = cpu_to_le32(sizeof(struct quire_packet_signal)),
        .fence = cpu_to_le64(9),
    };

    quire_ring_program(q);
    quire_ring_set_reg64(q, QUIRE_RING_FENCE_PAGE_LO, page);
    quire_ring_set_reg64(q, QUIRE_RING_ENTRIES_LO, q->buffer);
    quire_ring_set_reg(q, QUIRE_RING_ORDER, QUIRE_RING_ORDER_MAX);
    quire_signal(q, quire_data_page(q, 1), 0x1234);
    qtest_memwrite(q->qts, q->buffer, &entry, sizeof(entry));
    qtest_memwrite(q->qts, quire_data_page(q, 0), q->packets, q->size);
    quire_ring_enable(q);
    quire_assert_fault(q, QUIRE_FAULT_FENCE_DMA, q->size, page);
    g_assert_cmphex(quire_ring_reg64(q, QUIRE_RING_FAULT_FENCE_LO), ==, 9);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_RPTR), ==, 0);
    g_assert_cmphex(qtest_readq(q->qts, quire_data_page(q, 1)), ==, 0x1234);
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
    quire_run(q, 5);
    quire_run(q, 3);
    quire_signal(q, q->fence_page, 99);
    quire_run(q, 4);
    quire_stop(q, alloc);
}

static void quire_bad_ring_register(void)
{
    qos_add_test("registers", "quire", test_registers, NULL);
    qos_add_test("bad-ring", "quire", test_bad_ring, NULL);
    qos_add_test("bad-entry", "quire", test_bad_entry, NULL);
    qos_add_test("bad-wptr", "quire", test_bad_wptr, NULL);
    qos_add_test("bad-fence", "quire", test_bad_fence, NULL);
}

libqos_init(quire_bad_ring_register);
