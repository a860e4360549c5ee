/*
 * QTest testcase for the Quire virtual GPU: messages of interrupts that hit
 * the device itself, behind a root port that they unplug it from or reset
 *
 * A message is a write to memory, so it reaches configuration space where that
 * is in memory. An ejection by ACPI is a write to an I/O port, which no device
 * can make.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "libqtest.h"
#include "libqos/pci-pc.h"
#include "libqos/quire.h"
#include "hw/pci/pci_regs.h"

#define MESSAGE_COMMAND "-machine q35 -m 64M -nic none " \
    "-global ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off " \
    "-device pcie-root-port,id=root,addr=3.0,chassis=1 " \
    "-device quire,bus=root,id=quire0,vram-size=16M,vram-visible=4M," \
    "aperture-size=16M,fault-injection=on "

#define PORT_DEVFN      QPCI_DEVFN(3, 0)
#define QUIRE_DEVFN     (1 << 8)        /* bus 1, device 0 */
#define MARK            0x2222
#define FAULT_ENTRY     (QUIRE_VECTOR_FAULT * PCI_MSIX_ENTRY_SIZE)

/* The memory controller's register for the configuration space in memory. */
#define MCH_PCIEXBAR    0x60
#define ECAM            0xb0000000u
#define ECAM_DEVFN(d)   (ECAM + ((d) << 12))

/* All of bus 1 is in the port's window. */
#define WINDOW          0xefe0e000u

/* BAR 4 ends where another one begins: one access covers a part of each. */
#define MSIX            (BEHIND - QUIRE_PAGE_SIZE)
#define BEHIND          0xe8000000u

/**
 * struct message_test - a machine whose device is behind a port
 * @qts: the machine
 * @bus: its bus 0
 * @port: the port
 * @q: the device
 */
struct message_test {
    QTestState *qts;
    QPCIBus *bus;
    QPCIDevice *port;
    QQuire *q;
};

static void message_configure(struct message_test *t)
{
    qpci_config_writel(t->port, PCI_PRIMARY_BUS, 0x010100);
    qpci_config_writel(t->port, PCI_MEMORY_BASE, WINDOW);
    qpci_device_enable(t->port);
    qpci_device_enable(&t->q->dev);
    t->q->regs = qpci_iomap(&t->q->dev, QUIRE_BAR_REGS, NULL);
    t->q->vram = qpci_iomap(&t->q->dev, QUIRE_BAR_VRAM, NULL);
}

static void message_open(struct message_test *t)
{
    QPCIDevice *mch;

    t->qts = qtest_init(MESSAGE_COMMAND);
    t->bus = qpci_new_pc(t->qts, NULL);
    mch = qpci_device_find(t->bus, QPCI_DEVFN(0, 0));
    qpci_config_writel(mch, MCH_PCIEXBAR + 4, 0);
    qpci_config_writel(mch, MCH_PCIEXBAR, ECAM | 1);
    g_free(mch);
    t->port = qpci_device_find(t->bus, PORT_DEVFN);
    t->q = g_new0(QQuire, 1);
    quire_place(t->q, t->qts);
    t->q->dev.bus = t->bus;
    t->q->dev.devfn = QUIRE_DEVFN;
    message_configure(t);
    g_assert_cmphex(qtest_readl(t->qts, ECAM_DEVFN(QUIRE_DEVFN)), ==,
                    QUIRE_PCI_DEVICE_ID << 16 | QUIRE_PCI_VENDOR_ID);
    qpci_msix_enable(&t->q->dev);
    quire_ring_program(t->q);
    quire_ring_enable(t->q);
    quire_wait_idle(t->q);
}

static void message_close(struct message_test *t)
{
    qtest_qmp_assert_success(t->qts, "{ 'execute': 'query-status' }");
    g_free(t->port);
    g_free(t->q);
    qpci_free_pc(t->bus);
    qtest_quit(t->qts);
}

/*
 * The message of a completion writes @value to @reg of the port; a fault's is
 * a mark.
 */
static void message_aim(struct message_test *t, unsigned reg, uint32_t value)
{
    uint64_t mark = quire_data_page(t->q, 2);

    quire_msix_program(t->q, QUIRE_VECTOR_FENCE, ECAM_DEVFN(PORT_DEVFN) + reg,
                       value);
    quire_msix_program(t->q, QUIRE_VECTOR_FAULT, mark, MARK);
    qtest_memset(t->qts, mark, 0, 8);
}

static void message_aim_slot(struct message_test *t)
{
    message_aim(t, qpci_find_capability(t->port, PCI_CAP_ID_EXP, 0) +
                   PCI_EXP_SLTCTL,
                PCI_EXP_SLTCTL_PWR_OFF | PCI_EXP_SLTCTL_PWR_IND_OFF);
}

static void message_aim_reset(struct message_test *t)
{
    message_aim(t, PCI_INTERRUPT_LINE, PCI_BRIDGE_CTL_BUS_RESET << 16);
}

/* A completion, and then work that does not end within any test. */
static void message_submit(struct message_test *t)
{
    quire_set_reg(t->q, QUIRE_REG_INT_ENABLE, QUIRE_INT_ALL);
    quire_entry(t->q, 0, 0, QUIRE_ENTRY_IRQ, 1, 0);
    while (t->q->size + sizeof(struct quire_packet_transfer) <=
           MAX_SUBMISSION) {
        quire_transfer(t->q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_VRAM,
                       VRAM_SIZE / 2, VRAM_SIZE / 2, NULL, 0);
    }
    quire_submit(t->q, 2);
}

/* A completion and a fault; their messages are due in one slice. */
static void message_submit_both(struct message_test *t)
{
    quire_set_reg(t->q, QUIRE_REG_INT_ENABLE, QUIRE_INT_ALL);
    quire_entry(t->q, 0, 0, QUIRE_ENTRY_IRQ, 1, 0);
    quire_entry(t->q, 4, 0, QUIRE_ENTRY_IRQ, 2, 0);
    quire_doorbell(t->q);
}

/* The same, and a register write makes both messages due. */
static void message_submit_enable(struct message_test *t)
{
    quire_set_reg(t->q, QUIRE_REG_INT_ENABLE, 0);
    quire_entry(t->q, 0, 0, QUIRE_ENTRY_IRQ, 1, 0);
    quire_entry(t->q, 4, 0, QUIRE_ENTRY_IRQ, 2, 0);
    quire_doorbell(t->q);
    quire_wait_idle(t->q);
    g_assert_cmphex(quire_reg(t->q, QUIRE_REG_INT_STATUS), ==, QUIRE_INT_ALL);
    quire_set_reg(t->q, QUIRE_REG_INT_ENABLE, QUIRE_INT_ALL);
}

/* The first message was the last thing that the device did. */
static void message_check_last(struct message_test *t)
{
    g_usleep(20 * 1000);
    qtest_clock_step(t->qts, 100000);
    g_assert_cmphex(qtest_readl(t->qts, quire_data_page(t->q, 2)), ==, 0);
    g_assert_cmphex(qtest_readq(t->qts, t->q->fence_page), ==, 1);
    g_assert_cmphex(qtest_readl(t->qts, t->q->fence_page + 8), ==, 1);
}

/* The device is gone; all that it did was done before. */
static void test_unplug(void *obj, void *data, QGuestAllocator *alloc)
{
    void (*submit)(struct message_test *t) = data;
    struct message_test t;

    message_open(&t);
    message_aim_slot(&t);
    submit(&t);
    qtest_qmp_eventwait(t.qts, "DEVICE_DELETED");
    g_assert_cmphex(qtest_readl(t.qts, ECAM_DEVFN(QUIRE_DEVFN)), ==,
                    UINT32_MAX);
    message_check_last(&t);
    message_close(&t);
}

/* The fault's message is due, masked, and unplugs the device. */
static void message_leave_pending(struct message_test *t)
{
    uint8_t cap = qpci_find_capability(t->port, PCI_CAP_ID_EXP, 0);

    quire_msix_program(t->q, QUIRE_VECTOR_FAULT,
                       ECAM_DEVFN(PORT_DEVFN) + cap + PCI_EXP_SLTCTL, 0);
    qpci_io_writel(&t->q->dev, t->q->dev.msix_table_bar,
                   t->q->dev.msix_table_off + FAULT_ENTRY +
                   PCI_MSIX_ENTRY_VECTOR_CTRL, PCI_MSIX_ENTRY_CTRL_MASKBIT);
    quire_set_reg(t->q, QUIRE_REG_INT_ENABLE, QUIRE_INT_FAULT);
    quire_entry(t->q, 4, 0, 0, 1, 0);
    quire_doorbell(t->q);
    quire_wait_idle(t->q);
    g_assert_true(qpci_msix_pending(&t->q->dev, QUIRE_VECTOR_FAULT));
}

/**
 * struct late_bar - a BAR that is written when its device is gone
 * @reg: its register
 * @value: what it shows at first
 */
struct late_bar {
    uint8_t reg;
    uint32_t value;
};

/*
 * One write from the entry of the fault's vector on, up to CONTROL, or what has
 * its place in another BAR: its first bytes unmask the message, and its last
 * ones come to a device that is gone. As from a disk that reads into these
 * BARs, or from another processor.
 */
static void test_unplug_late(void *obj, void *data, QGuestAllocator *alloc)
{
    uint8_t bytes[QUIRE_PAGE_SIZE + QUIRE_REG_CONTROL + 4] = { 0 };
    unsigned first = FAULT_ENTRY + PCI_MSIX_ENTRY_DATA;
    const struct late_bar *bar = data;
    struct message_test t;

    message_open(&t);
    message_leave_pending(&t);
    qpci_config_writel(&t.q->dev, bar->reg, BEHIND);
    qpci_config_writel(&t.q->dev, PCI_BASE_ADDRESS_4, MSIX);
    g_assert_cmphex(qtest_readl(t.qts, BEHIND), ==, bar->value);
    stw_le_p(bytes + first, PCI_EXP_SLTCTL_PWR_OFF |
                            PCI_EXP_SLTCTL_PWR_IND_OFF);
    stl_le_p(bytes + QUIRE_PAGE_SIZE + QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
    qtest_memwrite(t.qts, MSIX + first, bytes + first, sizeof(bytes) - first);
    qtest_qmp_eventwait(t.qts, "DEVICE_DELETED");
    g_assert_cmphex(qtest_readl(t.qts, ECAM_DEVFN(QUIRE_DEVFN)), ==,
                    UINT32_MAX);
    message_close(&t);
}

static void message_wait_reset(struct message_test *t)
{
    gint64 end = g_get_monotonic_time() + QUIRE_TIMEOUT;

    while (qpci_config_readw(&t->q->dev, PCI_COMMAND)) {
        qtest_clock_step(t->qts, 100);
        g_assert_cmpint(g_get_monotonic_time(), <, end);
    }
    qpci_config_writel(t->port, PCI_INTERRUPT_LINE, 0);
}

/* Nothing waits for the driver that enables the messages next. */
static void message_check_none_pending(struct message_test *t)
{
    unsigned vector;

    qpci_msix_enable(&t->q->dev);
    for (vector = 0; vector < QUIRE_VECTOR_COUNT; vector++) {
        g_assert_false(qpci_msix_pending(&t->q->dev, vector));
    }
}

/* What the reset leaves is what a reset leaves, and can be loaded. */
static void message_check_reset(struct message_test *t)
{
    g_autofree char *path = g_strdup_printf("%s/quire-message-%d",
                                            g_get_tmp_dir(), getpid());
    g_autofree char *uri = g_strdup_printf("file:%s", path);
    QTestState *to = qtest_init(MESSAGE_COMMAND "-incoming defer");
    uint32_t reg;

    qtest_qmp_assert_success(t->qts, "{ 'execute': 'migrate',"
                             " 'arguments': { 'uri': %s } }", uri);
    quire_migrate_wait(t->qts, "completed");
    qtest_qmp_assert_success(to, "{ 'execute': 'migrate-incoming',"
                             " 'arguments': { 'uri': %s,"
                             " 'exit-on-error': false } }", uri);
    quire_migrate_wait(to, "completed");
    unlink(path);
    qtest_quit(to);
    qtest_qmp_assert_success(t->qts, "{ 'execute': 'cont' }");
    message_configure(t);
    for (reg = 0; reg < QUIRE_RING_PACKETS_OF(QUIRE_OP_MAX + 1); reg += 4) {
        g_assert_cmphex(quire_ring_reg(t->q, reg), ==, 0);
    }
    g_assert_cmphex(quire_reg(t->q, QUIRE_REG_INT_STATUS), ==, 0);
    message_check_none_pending(t);
}

static void test_bus_reset(void *obj, void *data, QGuestAllocator *alloc)
{
    void (*submit)(struct message_test *t) = data;
    struct message_test t;

    message_open(&t);
    message_aim_reset(&t);
    submit(&t);
    message_wait_reset(&t);
    message_check_last(&t);
    message_check_reset(&t);
    quire_lives(t.q);
    message_close(&t);
}

static void message_add(const char *name, QOSTestFunc test,
                        void (*submit)(struct message_test *t))
{
    QOSGraphTestOptions options = { .arg = submit };

    qos_add_test(name, "quire", test, &options);
}

static void message_add_late(const char *name, const struct late_bar *bar)
{
    QOSGraphTestOptions options = { .arg = (void *)bar };

    qos_add_test(name, "quire", test_unplug_late, &options);
}

static void quire_message_register(void)
{
    static const struct late_bar regs = { PCI_BASE_ADDRESS_0, QUIRE_ID };
    static const struct late_bar window = { PCI_BASE_ADDRESS_1, UINT32_MAX };
    static const struct late_bar ranges = { PCI_BASE_ADDRESS_5, 0 };

    if (g_str_equal(qtest_get_arch(), "x86_64")) {
        message_add("message-unplug", test_unplug, message_submit);
        message_add("message-unplug-both", test_unplug, message_submit_both);
        message_add("message-unplug-enable", test_unplug,
                    message_submit_enable);
        message_add_late("message-unplug-late", &regs);
        message_add_late("message-unplug-late-window", &window);
        message_add_late("message-unplug-late-ranges", &ranges);
        message_add("message-bus-reset", test_bus_reset, message_submit);
        message_add("message-bus-reset-both", test_bus_reset,
                    message_submit_both);
        message_add("message-bus-reset-enable", test_bus_reset,
                    message_submit_enable);
    }
}

libqos_init(quire_message_register);
