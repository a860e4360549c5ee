/*
 * QTest testcase for the Quire virtual GPU: the machine around the device
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/units.h"
#include "libqtest.h"
#include "libqos/quire.h"
#include "hw/pci/pci_regs.h"

/* A slice may end before the first packet; what it did is seen in VRAM. */
static void machine_wait_word(QQuire *q, uint64_t addr, uint32_t value)
{
    gint64 end = g_get_monotonic_time() + QUIRE_TIMEOUT;

    while (qtest_readl(q->qts, quire_vram_addr(q, addr)) != value) {
        qtest_clock_step(q->qts, 100);
        g_assert_cmpint(g_get_monotonic_time(), <, end);
    }
}

static void test_reset(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint32_t reg;

    quire_start(q, alloc);
    quire_fill(q, QUIRE_SEGMENT_VRAM, 0, 4, 0x12345678);
    quire_map(q, 0, 1, quire_data_page(q, 0));
    quire_keep_busy(q);
    machine_wait_word(q, 0, 0x12345678);
    quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
    for (reg = 0; reg < QUIRE_RING_PACKETS_OF(QUIRE_OP_MAX + 1); reg += 4) {
        g_assert_cmphex(quire_ring_reg(q, reg), ==, 0);
    }
    g_assert_cmphex(quire_reg(q, QUIRE_REG_INT_STATUS), ==, 0);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_INT_ENABLE), ==, 0);
    g_assert_cmphex(qtest_readl(q->qts, quire_vram_addr(q, 0)), ==, 0x12345678);
    quire_check_stopped(q);
    quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
    quire_ring_program(q);
    quire_ring_enable(q);
    quire_transfer(q, QUIRE_SEGMENT_APERTURE, 0, QUIRE_SEGMENT_VRAM, 0, 8,
                   NULL, 0);
    quire_expect_fault(q, QUIRE_FAULT_APERTURE, 0, 0);
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
    quire_submit_halfway(q, 1);
    quire_check_stopped(q);
    qtest_qmp_assert_success(q->qts, "{ 'execute': 'cont' }");
    quire_wait_idle(q);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, 1);
    quire_stop(q, alloc);
}

static void test_bus_master(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint16_t command;
    unsigned i;

    quire_start(q, alloc);
    command = qpci_config_readw(&q->dev, PCI_COMMAND);
    qpci_config_writew(&q->dev, PCI_COMMAND, command & ~PCI_COMMAND_MASTER);
    quire_doorbell(q);
    quire_assert_fault(q, QUIRE_FAULT_RING_DMA, 0, quire_wptr_addr(q));
    qpci_config_writew(&q->dev, PCI_COMMAND, command);
    quire_lives(q);
    /* Off in the middle of work: the next access to system memory faults. */
    quire_ring_program(q);
    quire_ring_enable(q);
    for (i = 0; i < 256; i++) {
        quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_VRAM,
                       VRAM_SIZE / 2, VRAM_SIZE / 2, NULL, 0);
    }
    quire_from_system(q, q->data, DATA_PAGES, 0);
    quire_submit_halfway(q, 1);
    qpci_config_writew(&q->dev, PCI_COMMAND, command & ~PCI_COMMAND_MASTER);
    qtest_qmp_assert_success(q->qts, "{ 'execute': 'cont' }");
    quire_wait_idle(q);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_FAULT_CODE), ==,
                    QUIRE_FAULT_DMA);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, 0);
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

static void machine_write_word(QQuire *q, uint64_t addr, uint64_t value)
{
    quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_SYSTEM, addr, 8,
                   value);
}

/* Memory goes elsewhere, and behind RAM: the device sees what is there. */
static void test_memory_moves(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint64_t old, new, ram;
    uint32_t bar;

    quire_start(q, alloc);
    bar = qpci_config_readl(&q->dev, PCI_BASE_ADDRESS_2);
    old = quire_vram_addr(q, 8);
    new = 0xd0000008;
    ram = 64 * MiB + 8;
    machine_write_word(q, old, 1);
    quire_run(q, 1);
    g_assert_cmphex(qtest_readq(q->qts, old), ==, 1);
    qpci_config_writel(&q->dev, PCI_BASE_ADDRESS_2, new & ~0xf);
    machine_write_word(q, new, 2);
    quire_run(q, 2);
    g_assert_cmphex(qtest_readq(q->qts, new), ==, 2);
    machine_write_word(q, old, 3);
    quire_submit(q, 3);
    quire_assert_fault(q, QUIRE_FAULT_DMA, 0, old);
    g_assert_cmphex(qtest_readq(q->qts, new), ==, 2);
    quire_ring_program(q);
    quire_ring_enable(q);
    qpci_config_writel(&q->dev, PCI_BASE_ADDRESS_2, ram & ~0xf);
    machine_write_word(q, ram, 4);
    quire_run(q, 4);
    g_assert_cmphex(qtest_readq(q->qts, ram), ==, 4);
    qpci_config_writel(&q->dev, PCI_BASE_ADDRESS_2, bar);
    g_assert_cmphex(qtest_readq(q->qts, ram), ==, 4);
    g_assert_cmphex(qtest_readq(q->qts, old), ==, 2);
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
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_CONTROL), ==, 0);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_STATUS), ==, 0);
    quire_check_stopped(q);
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

static void quire_machine_register(void)
{
    QOSGraphTestOptions alone = { .subprocess = true };

    qos_add_test("reset", "quire", test_reset, NULL);
    qos_add_test("stop-cont", "quire", test_stop_cont, NULL);
    qos_add_test("bus-master", "quire", test_bus_master, NULL);
    qos_add_test("bars", "quire", test_bars, NULL);
    qos_add_test("memory-moves", "quire", test_memory_moves, NULL);
    if (g_str_equal(qtest_get_arch(), "x86_64")) {
        qos_add_test("system-reset", "quire", test_system_reset, &alone);
        qos_add_test("unplug", "quire", test_unplug, &alone);
    }
}

libqos_init(quire_machine_register);
