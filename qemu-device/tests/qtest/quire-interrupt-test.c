/*
 * QTest testcase for the Quire virtual GPU: interrupts
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "libqtest.h"
#include "libqos/quire.h"

static void test_interrupt(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint64_t msi;

    quire_start(q, alloc);
    msi = quire_data_page(q, 2);
    qpci_msix_enable(&q->dev);
    g_assert_cmpint(qpci_msix_table_size(&q->dev), ==, QUIRE_VECTOR_COUNT);
    quire_msix_program(q, QUIRE_VECTOR_FENCE, msi, 0x1111);
    quire_msix_program(q, QUIRE_VECTOR_FAULT, msi + 4, 0x2222);
    qtest_memset(q->qts, msi, 0, 8);
    quire_run(q, 1);
    g_assert_cmphex(qtest_readl(q->qts, msi), ==, 0x1111);
    g_assert_cmphex(qtest_readl(q->qts, msi + 4), ==, 0);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_INT_STATUS), ==, QUIRE_INT_FENCE);
    quire_set_reg(q, QUIRE_REG_INT_STATUS, QUIRE_INT_FENCE);

    qtest_memset(q->qts, msi, 0, 8);
    quire_set_reg(q, QUIRE_REG_INJECT_DROP_IRQ, 1);
    quire_run(q, 2);
    g_assert_cmphex(qtest_readl(q->qts, msi), ==, 0);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_INT_STATUS), ==, QUIRE_INT_FENCE);

    quire_ring_set_reg(q, QUIRE_RING_INJECT_FAULT, 1);
    quire_signal(q, quire_data_page(q, 0), 1);
    quire_submit(q, 3);
    quire_assert_fault(q, QUIRE_FAULT_INJECTED, 0, 0);
    g_assert_cmphex(qtest_readl(q->qts, msi + 4), ==, 0x2222);
    qpci_msix_disable(&q->dev);
    quire_lives(q);
    quire_stop(q, alloc);
}

/* One message for all of a slice: INJECT_DROP_IRQ counts them. */
static void test_coalesced(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint64_t msi;
    unsigned i;

    quire_start(q, alloc);
    msi = quire_data_page(q, 2);
    qpci_msix_enable(&q->dev);
    quire_msix_program(q, QUIRE_VECTOR_FENCE, msi, 0x1111);
    quire_msix_program(q, QUIRE_VECTOR_FAULT, msi + 4, 0x2222);
    qtest_memset(q->qts, msi, 0, 8);
    /* Ten messages are to be dropped, and ten events make one of them. */
    quire_set_reg(q, QUIRE_REG_INJECT_DROP_IRQ, 10);
    for (i = 1; i <= 10; i++) {
        quire_entry(q, 0, 0, QUIRE_ENTRY_IRQ, i, 0);
    }
    quire_doorbell(q);
    quire_wait_idle(q);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, 10);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_INJECT_DROP_IRQ), ==, 9);
    g_assert_cmphex(qtest_readl(q->qts, msi), ==, 0);
    /* A completion and a fault in one slice: a message of each vector. */
    quire_set_reg(q, QUIRE_REG_INJECT_DROP_IRQ, 0);
    quire_entry(q, 0, 0, QUIRE_ENTRY_IRQ, 11, 0);
    quire_entry(q, 4, 0, QUIRE_ENTRY_IRQ, 12, 0);
    quire_doorbell(q);
    quire_assert_fault(q, QUIRE_FAULT_BAD_ENTRY, 0, q->entries + 11 *
                      sizeof(struct quire_ring_entry));
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, 11);
    g_assert_cmphex(qtest_readl(q->qts, msi), ==, 0x1111);
    g_assert_cmphex(qtest_readl(q->qts, msi + 4), ==, 0x2222);
    qpci_msix_disable(&q->dev);
    quire_lives(q);
    quire_stop(q, alloc);
}

/* A message that is due, and a register write that sends it. */
static void test_enable(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint64_t msi;

    quire_start(q, alloc);
    msi = quire_data_page(q, 2);
    qpci_msix_enable(&q->dev);
    quire_msix_program(q, QUIRE_VECTOR_FENCE, msi, 0x1111);
    quire_msix_program(q, QUIRE_VECTOR_FAULT, msi + 4, 0x2222);
    quire_set_reg(q, QUIRE_REG_INT_ENABLE, 0);
    qtest_memset(q->qts, msi, 0, 8);
    quire_run(q, 1);
    g_assert_cmphex(qtest_readl(q->qts, msi), ==, 0);
    quire_set_reg(q, QUIRE_REG_INT_ENABLE, QUIRE_INT_ALL);
    g_assert_cmphex(qtest_readl(q->qts, msi), ==, 0x1111);
    /* A ring that can not be enabled raises its fault in the write itself. */
    quire_ring_program(q);
    quire_ring_set_reg(q, QUIRE_RING_ORDER, QUIRE_RING_ORDER_MAX + 1);
    quire_ring_enable(q);
    g_assert_cmphex(qtest_readl(q->qts, msi + 4), ==, 0x2222);
    qpci_msix_disable(&q->dev);
    quire_lives(q);
    quire_stop(q, alloc);
}

/* Interrupt messages that write the device's own registers. */
static void test_msix_loop(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    qpci_msix_enable(&q->dev);
    quire_msix_program(q, QUIRE_VECTOR_FENCE, q->regs.addr + QUIRE_REG_CONTROL,
                       QUIRE_CONTROL_RESET);
    quire_msix_program(q, QUIRE_VECTOR_FAULT,
                       q->regs.addr + QUIRE_REG_RING(0, QUIRE_RING_CONTROL), 0);
    quire_entry(q, 0, 0, QUIRE_ENTRY_IRQ, 1, 0);
    quire_entry(q, 0, 0, QUIRE_ENTRY_IRQ, 2, 0);
    quire_entry(q, 4, 0, QUIRE_ENTRY_IRQ, 3, 0);
    quire_doorbell(q);
    quire_wait_idle(q);
    /* They went nowhere: the ring stands at its fault, nothing was reset. */
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_CONTROL), ==,
                    QUIRE_RING_CONTROL_ENABLE);
    quire_assert_fault(q, QUIRE_FAULT_BAD_ENTRY, 0,
                      q->entries + 2 * sizeof(struct quire_ring_entry));
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, 2);
    quire_set_reg(q, QUIRE_REG_INT_ENABLE, 0);
    quire_set_reg(q, QUIRE_REG_INT_ENABLE, QUIRE_INT_ALL);
    quire_msix_program(q, QUIRE_VECTOR_FENCE, q->dev.msix_table_bar.addr, ~0u);
    quire_msix_program(q, QUIRE_VECTOR_FAULT, HOLE, ~0u);
    quire_set_reg(q, QUIRE_REG_INT_ENABLE, 0);
    quire_set_reg(q, QUIRE_REG_INT_ENABLE, QUIRE_INT_ALL);
    qpci_msix_disable(&q->dev);
    quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
    quire_lives(q);
    quire_stop(q, alloc);
}

static void quire_interrupt_register(void)
{
    qos_add_test("interrupt", "quire", test_interrupt, NULL);
    qos_add_test("coalesced", "quire", test_coalesced, NULL);
    qos_add_test("enable", "quire", test_enable, NULL);
    qos_add_test("msix-loop", "quire", test_msix_loop, NULL);
}

libqos_init(quire_interrupt_register);
