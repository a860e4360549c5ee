/*
 * QTest testcase for the Quire virtual GPU: Function Level Reset, of a device
 * on PCI Express
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "libqtest.h"
#include "libqos/pci-pc.h"
#include "libqos/quire.h"
#include "hw/pci/pci_regs.h"

#define FLR_COMMAND     "-machine q35 -m 64M -nic none " \
                        "-device quire,addr=4.0,fault-injection=on," \
                        "vram-size=16M," \
                        "vram-visible=4M,aperture-size=16M "

/* The memory controller's register for the configuration space in memory. */
#define MCH_PCIEXBAR    0x60
#define ECAM            0xb0000000u
#define ECAM_DEVFN(d)   (ECAM + ((d) << 12))

static uint8_t flr_devctl(QQuire *q)
{
    return qpci_find_capability(&q->dev, PCI_CAP_ID_EXP, 0) + PCI_EXP_DEVCTL;
}

/* The reset took the BARs and the enables with it: as firmware does. */
static void flr_configure(QQuire *q)
{
    qpci_device_enable(&q->dev);
    q->regs = qpci_iomap(&q->dev, QUIRE_BAR_REGS, NULL);
    q->vram = qpci_iomap(&q->dev, QUIRE_BAR_VRAM, NULL);
}

/* It is over when the access returns. */
static void flr_check_config(QQuire *q)
{
    g_assert_cmphex(qpci_config_readw(&q->dev, PCI_COMMAND), ==, 0);
    g_assert_cmphex(qpci_config_readl(&q->dev, PCI_BASE_ADDRESS_0), ==, 0);
    g_assert_cmphex(qpci_config_readw(&q->dev, flr_devctl(q)) &
                    PCI_EXP_DEVCTL_BCR_FLR, ==, 0);
}

static void flr(QQuire *q)
{
    qpci_config_writew(&q->dev, flr_devctl(q), PCI_EXP_DEVCTL_BCR_FLR);
    flr_check_config(q);
    flr_configure(q);
}

static void flr_check_regs(QQuire *q)
{
    uint32_t reg;

    for (reg = 0; reg < QUIRE_RING_PACKETS_OF(QUIRE_OP_MAX + 1); reg += 4) {
        g_assert_cmphex(quire_ring_reg(q, reg), ==, 0);
    }
    g_assert_cmphex(quire_reg(q, QUIRE_REG_INT_STATUS), ==, 0);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_INT_ENABLE), ==, 0);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_APERTURE_INDEX), ==, 0);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_POSTED), ==, 0);
}

static void flr_idle(QQuire *q)
{
    uint32_t cap;

    cap = qpci_config_readl(&q->dev, flr_devctl(q) - PCI_EXP_DEVCTL +
                                     PCI_EXP_DEVCAP);
    g_assert_cmphex(cap & PCI_EXP_DEVCAP_FLR, ==, PCI_EXP_DEVCAP_FLR);
    quire_put_page(q, quire_data_page(q, 0), 1);
    quire_put_page(q, quire_vram_addr(q, QUIRE_PAGE_SIZE), 2);
    quire_from_system(q, quire_data_page(q, 0), 1, VRAM_SIZE - QUIRE_PAGE_SIZE);
    quire_map(q, 0, 1, quire_data_page(q, 0));
    quire_map_flags(q, 1, 1, quire_data_page(q, 3), 0);
    quire_transfer(q, QUIRE_SEGMENT_VRAM, QUIRE_PAGE_SIZE,
                   QUIRE_SEGMENT_APERTURE, QUIRE_PAGE_SIZE, QUIRE_PAGE_SIZE,
                   NULL, 0);
    quire_run(q, 1);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_POSTED), ==, QUIRE_PAGE_SIZE);
    quire_ring_set_reg(q, QUIRE_RING_INJECT_HANG, 1001);
    quire_set_reg(q, QUIRE_REG_APERTURE_INDEX, 1002);
    quire_ring_set_reg(q, QUIRE_RING_HISTORY_INDEX, 1);
    flr(q);
    flr_check_regs(q);

    /* VRAM kept its content, also where nobody sees it. */
    quire_check_page(q, quire_vram_addr(q, QUIRE_PAGE_SIZE), 2);
    quire_ring_program(q);
    quire_ring_enable(q);
    quire_to_system(q, VRAM_SIZE - QUIRE_PAGE_SIZE, quire_data_page(q, 1), 1);
    quire_physical(q, QUIRE_OP_READ_PHYSICAL, QUIRE_SEGMENT_VRAM, 0, 1, 0);
    quire_run(q, 2);
    quire_check_page(q, quire_data_page(q, 1), 1);
    /* What was posted is gone. */
    quire_check_zero_page(q, quire_data_page(q, 3));
    quire_transfer(q, QUIRE_SEGMENT_APERTURE, 0, QUIRE_SEGMENT_VRAM, 0, 8,
                   NULL, 0);
    quire_expect_fault(q, QUIRE_FAULT_APERTURE, 0, 0);
}

static void flr_busy(QQuire *q)
{
    quire_keep_busy(q);
    flr(q);
    flr_check_regs(q);
    quire_check_stopped(q);
    quire_lives(q);
}

/* One interrupt waits for its enable, one message for its mask. */
static void flr_interrupts(QQuire *q)
{
    uint64_t msi = quire_data_page(q, 2), mask;

    qpci_msix_enable(&q->dev);
    quire_msix_program(q, QUIRE_VECTOR_FENCE, msi, 0x1111);
    quire_msix_program(q, QUIRE_VECTOR_FAULT, msi + 4, 0x2222);
    mask = q->dev.msix_table_off + QUIRE_VECTOR_FAULT * PCI_MSIX_ENTRY_SIZE +
           PCI_MSIX_ENTRY_VECTOR_CTRL;
    qpci_io_writel(&q->dev, q->dev.msix_table_bar, mask,
                   PCI_MSIX_ENTRY_CTRL_MASKBIT);
    quire_set_reg(q, QUIRE_REG_INT_ENABLE, QUIRE_INT_FAULT);
    quire_entry(q, 0, 0, QUIRE_ENTRY_IRQ, 1, 0);
    quire_entry(q, 4, 0, QUIRE_ENTRY_IRQ, 2, 0);
    quire_doorbell(q);
    quire_wait_idle(q);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_INT_STATUS), ==, QUIRE_INT_ALL);
    g_assert_true(qpci_msix_pending(&q->dev, QUIRE_VECTOR_FAULT));
    qtest_memset(q->qts, msi, 0, 8);
    flr(q);

    flr_check_regs(q);
    qpci_msix_enable(&q->dev);
    g_assert_false(qpci_msix_pending(&q->dev, QUIRE_VECTOR_FAULT));
    quire_msix_program(q, QUIRE_VECTOR_FENCE, msi, 0x1111);
    quire_msix_program(q, QUIRE_VECTOR_FAULT, msi + 4, 0x2222);
    quire_set_reg(q, QUIRE_REG_INT_ENABLE, QUIRE_INT_ALL);
    qtest_clock_step(q->qts, 1000);
    g_assert_cmphex(qtest_readq(q->qts, msi), ==, 0);
    quire_ring_program(q);
    quire_ring_enable(q);
    quire_run(q, 3);
    g_assert_cmphex(qtest_readl(q->qts, msi), ==, 0x1111);
    g_assert_cmphex(qtest_readl(q->qts, msi + 4), ==, 0);
}

/*
 * The message of an interrupt is the write that resets the device, while
 * another one is due.
 */
static void flr_message(QQuire *q)
{
    QPCIDevice *mch = qpci_device_find(q->dev.bus, QPCI_DEVFN(0, 0));
    uint64_t msi = quire_data_page(q, 2);

    qpci_config_writel(mch, MCH_PCIEXBAR + 4, 0);
    qpci_config_writel(mch, MCH_PCIEXBAR, ECAM | 1);
    g_assert_cmphex(qtest_readw(q->qts, ECAM_DEVFN(q->dev.devfn)), ==, 0x1234);
    qpci_msix_enable(&q->dev);
    quire_msix_program(q, QUIRE_VECTOR_FENCE,
                       ECAM_DEVFN(q->dev.devfn) + flr_devctl(q),
                       PCI_EXP_DEVCTL_BCR_FLR);
    quire_msix_program(q, QUIRE_VECTOR_FAULT, msi, 0x2222);
    qtest_memset(q->qts, msi, 0, 8);
    quire_set_reg(q, QUIRE_REG_INT_ENABLE, QUIRE_INT_ALL);
    quire_entry(q, 0, 0, QUIRE_ENTRY_IRQ, 1, 0);
    quire_entry(q, 4, 0, QUIRE_ENTRY_IRQ, 2, 0);
    quire_doorbell(q);
    while (qpci_config_readw(&q->dev, PCI_COMMAND)) {
        qtest_clock_step(q->qts, 100);
    }
    flr_check_config(q);
    flr_configure(q);
    flr_check_regs(q);
    g_assert_cmphex(qtest_readl(q->qts, msi), ==, 0);
    quire_lives(q);
    g_free(mch);
}

static void test_flr(void *obj, void *data, QGuestAllocator *alloc)
{
    void (*test)(QQuire *q) = data;
    QTestState *qts = qtest_init(FLR_COMMAND);
    QPCIBus *bus = qpci_new_pc(qts, NULL);
    g_autofree QQuire *q = g_new0(QQuire, 1);

    quire_open_ring(q, qts, bus);
    test(q);
    qpci_free_pc(bus);
    qtest_quit(qts);
}

static void flr_add(const char *name, void (*test)(QQuire *q))
{
    QOSGraphTestOptions options = { .arg = test };

    qos_add_test(name, "quire", test_flr, &options);
}

static void quire_flr_register(void)
{
    if (g_str_equal(qtest_get_arch(), "x86_64")) {
        flr_add("flr", flr_idle);
        flr_add("flr-busy", flr_busy);
        flr_add("flr-interrupts", flr_interrupts);
        flr_add("flr-message", flr_message);
    }
}

libqos_init(quire_flr_register);
