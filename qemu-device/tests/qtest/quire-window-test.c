/*
 * QTest testcase for the Quire virtual GPU: the window of the aperture
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "libqtest.h"
#include "libqos/pci-pc.h"
#include "libqos/quire.h"
#include "hw/pci/pci_regs.h"

#define WINDOW_DEVICE   "-machine q35 -m 64M -nic none " \
                        "-device quire,addr=4.0,fault-injection=on," \
                        "vram-size=16M,vram-visible=4M,aperture-size=16M,"
#define WINDOW_COMMAND  WINDOW_DEVICE "aperture-window-size=64K "
#define WINDOW_SIZE     (64 * KiB)
#define WINDOW_PAGES    (WINDOW_SIZE / QUIRE_PAGE_SIZE)
#define ONES            UINT64_MAX

/* BARs have an address and are on. */
static void window_configure(QQuire *q)
{
    qpci_device_enable(&q->dev);
    q->regs = qpci_iomap(&q->dev, QUIRE_BAR_REGS, NULL);
    q->vram = qpci_iomap(&q->dev, QUIRE_BAR_VRAM, NULL);
    qpci_iomap(&q->dev, QUIRE_BAR_WINDOW, NULL);
}

/* All pages of the window at those of the data, the last one first. */
static void window_map(QQuire *q, uint16_t flags)
{
    uint64_t list[WINDOW_PAGES];
    unsigned i;

    for (i = 0; i < WINDOW_PAGES; i++) {
        list[i] = quire_data_page(q, WINDOW_PAGES - 1 - i) >> QUIRE_PAGE_SHIFT;
    }
    quire_map2_list(q, 0, list, WINDOW_PAGES, flags);
    quire_run(q, 1);
}

static uint64_t window_look(QQuire *q, unsigned page)
{
    return qtest_readq(q->qts, quire_window(q) + page * QUIRE_PAGE_SIZE + 8);
}

/* Nothing is seen in a page, and what is written there is nowhere. */
static void window_check_nothing(QQuire *q, unsigned page)
{
    uint64_t at = quire_window(q) + page * QUIRE_PAGE_SIZE;
    uint64_t before[DATA_PAGES];
    unsigned i;

    for (i = 0; i < DATA_PAGES; i++) {
        before[i] = qtest_readq(q->qts, quire_data_page(q, i));
    }
    qtest_writeq(q->qts, at, 0x1122334455667788);
    for (i = 0; i < DATA_PAGES; i++) {
        g_assert_cmphex(qtest_readq(q->qts, quire_data_page(q, i)), ==,
                        before[i]);
    }
    g_assert_cmphex(qtest_readq(q->qts, at), ==, ONES);
    g_assert_cmphex(qtest_readl(q->qts, at + 5), ==, 0xffffffff);
    g_assert_cmphex(qtest_readw(q->qts, at + 9), ==, 0xffff);
    g_assert_cmphex(qtest_readb(q->qts, at + 4095), ==, 0xff);
}

/* A device as it is without the property: all of its aperture of 16 MiB. */
static void test_window_info(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint64_t size;

    quire_start(q, alloc);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_WINDOW_SIZE_LO), ==, APERTURE_SIZE);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_WINDOW_SIZE_HI), ==, 0);
    qpci_iomap(&q->dev, QUIRE_BAR_WINDOW, &size);
    g_assert_cmphex(size, ==, APERTURE_SIZE);
    g_assert_cmphex(qpci_config_readl(&q->dev, PCI_BASE_ADDRESS_1) &
                    ~PCI_BASE_ADDRESS_MEM_MASK, ==,
                    PCI_BASE_ADDRESS_SPACE_MEMORY);
    quire_put_page(q, quire_data_page(q, 0), 1);
    quire_map2(q, APERTURE_PAGES - 1, 1, quire_data_page(q, 0),
               QUIRE_MAP_CPU_VISIBLE);
    quire_run(q, 1);
    quire_check_page(q, quire_window(q) + APERTURE_SIZE - QUIRE_PAGE_SIZE, 1);
    quire_stop(q, alloc);
}

static void test_window_none(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_WINDOW_SIZE_LO), ==, 0);
    qpci_config_writel(&q->dev, PCI_BASE_ADDRESS_1, ~0u);
    g_assert_cmphex(qpci_config_readl(&q->dev, PCI_BASE_ADDRESS_1), ==, 0);
    quire_map2(q, 0, 1, quire_data_page(q, 0), QUIRE_MAP_CPU_VISIBLE);
    quire_expect_fault(q, QUIRE_FAULT_BAD_RANGE, 0, 0);
    quire_stop(q, alloc);
}

/* What is in memory is seen page by page, and the other way. */
static void window_pages(QQuire *q)
{
    uint64_t window = quire_window(q);
    unsigned i;

    for (i = 0; i < WINDOW_PAGES; i++) {
        quire_put_page(q, quire_data_page(q, i), i);
    }
    window_map(q, QUIRE_MAP_CPU_VISIBLE);
    for (i = 0; i < WINDOW_PAGES; i++) {
        quire_check_page(q, window + i * QUIRE_PAGE_SIZE,
                         WINDOW_PAGES - 1 - i);
    }
    for (i = 0; i < WINDOW_PAGES; i++) {
        quire_put_page(q, window + i * QUIRE_PAGE_SIZE, 100 + i);
    }
    for (i = 0; i < WINDOW_PAGES; i++) {
        quire_check_page(q, quire_data_page(q, WINDOW_PAGES - 1 - i), 100 + i);
    }
}

/* Each size, aligned or not, and from a page to the next, which is another. */
static void window_sizes(QQuire *q)
{
    uint64_t at = quire_window(q) + QUIRE_PAGE_SIZE;
    uint64_t low = quire_data_page(q, WINDOW_PAGES - 1);
    uint64_t high = quire_data_page(q, WINDOW_PAGES - 2);
    unsigned i;

    window_map(q, QUIRE_MAP_CPU_VISIBLE);
    qtest_writeq(q->qts, low + 4088, 0x0706050403020100);
    qtest_writeq(q->qts, high, 0x0f0e0d0c0b0a0908);
    for (i = 0; i < 8; i++) {
        uint64_t wanted = 0x0706050403020100 + i * 0x0101010101010101;

        g_assert_cmphex(qtest_readb(q->qts, at - 8 + i), ==, wanted & 0xff);
        g_assert_cmphex(qtest_readw(q->qts, at - 8 + i), ==, wanted & 0xffff);
        g_assert_cmphex(qtest_readl(q->qts, at - 8 + i), ==,
                        wanted & 0xffffffff);
        g_assert_cmphex(qtest_readq(q->qts, at - 8 + i), ==, wanted);
    }
    qtest_writeq(q->qts, at - 3, 0x1817161514131211);
    qtest_writel(q->qts, at - 7, 0x24232221);
    qtest_writew(q->qts, at + 5, 0x3231);
    qtest_writeb(q->qts, at + 7, 0x41);
    g_assert_cmphex(qtest_readq(q->qts, low + 4088), ==, 0x1312112423222100);
    g_assert_cmphex(qtest_readq(q->qts, high), ==, 0x4132311817161514);
}

/* What is not to be seen, and what is no more. */
static void window_nothing(QQuire *q)
{
    window_check_nothing(q, 0);
    window_map(q, QUIRE_MAP_CPU_VISIBLE);
    g_assert_cmphex(window_look(q, 3), ==, 0);
    quire_map2(q, 3, 1, quire_data_page(q, 1), 0);
    quire_map(q, 4, 1, quire_data_page(q, 1));
    quire_unmap(q, 5, 1, quire_data_page(q, 1));
    quire_run(q, 2);
    g_assert_cmphex(window_look(q, 2), ==, 0);
    g_assert_cmphex(window_look(q, 6), ==, 0);
    window_check_nothing(q, 3);
    window_check_nothing(q, 4);
    window_check_nothing(q, 5);
    /* Half of it is there. */
    g_assert_cmphex(qtest_readq(q->qts, quire_window(q) +
                                6 * QUIRE_PAGE_SIZE - 3), ==, 0xffffff);
}

/*
 * Entries that lead to the device itself: registers, whose read would have an
 * effect, messages, the window, so that it would show itself. Only VRAM is
 * memory.
 */
static void window_itself(QQuire *q)
{
    const uint64_t bad[] = {
        q->regs.addr, q->regs.addr + QUIRE_DOORBELL_BASE,
        q->regs.addr + QUIRE_REG_RING_BASE, quire_window(q),
        quire_window(q) + 3 * QUIRE_PAGE_SIZE,
        qpci_config_readl(&q->dev, PCI_BASE_ADDRESS_4) & ~0xfull,
        qpci_config_readl(&q->dev, PCI_BASE_ADDRESS_5) & ~0xfull,
        HOLE, 0xfee00000, ~0xfffull, 0xfffffffffffff000 >> 1 & ~0xfffull,
    };
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(bad); i++) {
        quire_map2(q, i, 1, bad[i], QUIRE_MAP_CPU_VISIBLE);
    }
    quire_map2(q, i, 1, quire_vram_addr(q, QUIRE_PAGE_SIZE),
               QUIRE_MAP_CPU_VISIBLE);
    quire_run(q, 1);
    for (i = 0; i < ARRAY_SIZE(bad); i++) {
        window_check_nothing(q, i);
    }
    quire_put_page(q, quire_window(q) + i * QUIRE_PAGE_SIZE, 1);
    quire_check_page(q, quire_vram_addr(q, QUIRE_PAGE_SIZE), 1);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_ID), ==, QUIRE_ID);
    quire_lives(q);
}

/* What the device has written is seen without a flush, and is in memory. */
static void window_posted(QQuire *q)
{
    window_map(q, QUIRE_MAP_CPU_VISIBLE);
    quire_put_page(q, quire_vram_addr(q, 0), 1);
    quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_APERTURE, 0,
                   QUIRE_PAGE_SIZE, NULL, 0);
    quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_APERTURE,
                   QUIRE_PAGE_SIZE, 100, NULL, 0);
    quire_run(q, 2);
    quire_check_zero_page(q, quire_data_page(q, WINDOW_PAGES - 1));
    quire_check_page(q, quire_window(q), 1);
    quire_check_page(q, quire_data_page(q, WINDOW_PAGES - 1), 1);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_POSTED), ==, 100);
    /* What the CPU writes comes after what is posted. */
    qtest_writeq(q->qts, quire_window(q) + QUIRE_PAGE_SIZE + 16, 42);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_POSTED), ==, 0);
    quire_physical(q, QUIRE_OP_READ_PHYSICAL, QUIRE_SEGMENT_VRAM, 0, 1, 0);
    quire_run(q, 3);
    g_assert_cmphex(qtest_readq(q->qts, quire_data_page(q, WINDOW_PAGES - 2) +
                                16), ==, 42);
    g_assert_cmphex(qtest_readq(q->qts, quire_data_page(q, WINDOW_PAGES - 2) +
                                24), ==,
                    qtest_readq(q->qts, quire_vram_addr(q, 24)));
}

static void window_set_master(QQuire *q, bool on)
{
    uint16_t command = qpci_config_readw(&q->dev, PCI_COMMAND);

    command &= ~PCI_COMMAND_MASTER;
    qpci_config_writew(&q->dev, PCI_COMMAND,
                       command | (on ? PCI_COMMAND_MASTER : 0));
}

/* No memory is reached, and what is posted waits for better times. */
static void window_master(QQuire *q)
{
    window_map(q, QUIRE_MAP_CPU_VISIBLE);
    quire_put_page(q, quire_vram_addr(q, 0), 1);
    quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_APERTURE, 0,
                   QUIRE_PAGE_SIZE, NULL, 0);
    quire_run(q, 2);
    window_set_master(q, false);
    window_check_nothing(q, 0);
    window_check_nothing(q, 9);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_POSTED), ==, QUIRE_PAGE_SIZE);
    window_set_master(q, true);
    quire_check_page(q, quire_window(q), 1);
    g_assert_cmphex(window_look(q, 9), ==, 0);
}

/* A ring maps and unmaps the page that somebody looks at. */
static void window_stolen(QQuire *q)
{
    const uint64_t page = 0x1122334455667788;
    unsigned seen = 0, gone = 0;

    qtest_writeq(q->qts, quire_data_page(q, 3) + 8, page);
    while (q->size + 32 + 2 * 32 + 32 <= MAX_SUBMISSION) {
        quire_map2(q, 0, 1, quire_data_page(q, 3), QUIRE_MAP_CPU_VISIBLE);
        quire_fill(q, QUIRE_SEGMENT_VRAM, 0, 64 * KiB, 1);
        quire_unmap(q, 0, 1, quire_data_page(q, 4));
        quire_fill(q, QUIRE_SEGMENT_VRAM, 0, 64 * KiB, 1);
    }
    quire_submit(q, 1);
    while (quire_ring_reg(q, QUIRE_RING_STATUS) & QUIRE_RING_STATUS_BUSY) {
        uint64_t value = window_look(q, 0);

        qtest_writeq(q->qts, quire_window(q) + 16, value);
        g_assert_true(value == page || value == ONES);
        seen += value == page;
        gone += value == ONES;
    }
    g_test_message("seen %u times, gone %u times", seen, gone);
    window_check_nothing(q, 0);
    quire_check_zero_page(q, quire_data_page(q, 4));
    quire_lives(q);
}

/* Nothing is seen until something is mapped again. */
static void window_check_reset(QQuire *q)
{
    unsigned i;

    for (i = 0; i < WINDOW_PAGES; i++) {
        window_check_nothing(q, i);
    }
    quire_lives(q);
    window_map(q, QUIRE_MAP_CPU_VISIBLE);
    quire_put_page(q, quire_window(q), 2);
    quire_check_page(q, quire_data_page(q, WINDOW_PAGES - 1), 2);
}

static void window_control_reset(QQuire *q)
{
    window_map(q, QUIRE_MAP_CPU_VISIBLE);
    quire_keep_busy(q);
    quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
    window_check_reset(q);
}

static void window_flr(QQuire *q)
{
    uint8_t devctl = qpci_find_capability(&q->dev, PCI_CAP_ID_EXP, 0) +
                     PCI_EXP_DEVCTL;

    window_map(q, QUIRE_MAP_CPU_VISIBLE);
    quire_keep_busy(q);
    qpci_config_writew(&q->dev, devctl, PCI_EXP_DEVCTL_BCR_FLR);
    g_assert_cmphex(quire_window(q), ==, 0);
    window_configure(q);
    window_check_reset(q);
}

static void window_system_reset(QQuire *q)
{
    window_map(q, QUIRE_MAP_CPU_VISIBLE);
    qtest_system_reset(q->qts);
    window_configure(q);
    window_check_reset(q);
}

static void window_test(void *obj, void *data, QGuestAllocator *alloc)
{
    void (*test)(QQuire *q) = data;
    QTestState *qts = qtest_init(WINDOW_COMMAND);
    QPCIBus *bus = qpci_new_pc(qts, NULL);
    g_autofree QQuire *q = g_new0(QQuire, 1);

    quire_open_ring(q, qts, bus);
    qpci_iomap(&q->dev, QUIRE_BAR_WINDOW, NULL);
    qpci_iomap(&q->dev, QUIRE_BAR_MSIX, NULL);
    qpci_iomap(&q->dev, QUIRE_BAR_RANGES, NULL);
    test(q);
    qpci_free_pc(bus);
    qtest_quit(qts);
}

/* The largest power of two that fits into the aperture, up to 32 MiB. */
static void test_window_default(void *obj, void *data, QGuestAllocator *alloc)
{
    static const struct {
        const char *aperture;
        uint64_t window;
    } sizes[] = {
        { "1M", MiB }, { "3M", 2 * MiB }, { "4M", 4 * MiB }, { "7M", 4 * MiB },
        { "24M", 16 * MiB }, { "31M", 16 * MiB }, { "32M", 32 * MiB },
        { "33M", 32 * MiB }, { "96M", 32 * MiB }, { "16G", 32 * MiB },
    };
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(sizes); i++) {
        QTestState *qts = qtest_initf("-machine q35 -m 64M -nic none -device "
                                      "quire,addr=4.0,aperture-size=%s",
                                      sizes[i].aperture);
        QPCIBus *bus = qpci_new_pc(qts, NULL);
        g_autofree QQuire *q = g_new0(QQuire, 1);
        uint64_t size;

        quire_open(q, qts, bus);
        window_configure(q);
        qpci_iomap(&q->dev, QUIRE_BAR_WINDOW, &size);
        g_assert_cmphex(size, ==, sizes[i].window);
        g_assert_cmphex(quire_reg(q, QUIRE_REG_WINDOW_SIZE_LO), ==,
                        sizes[i].window);
        g_assert_cmphex(quire_reg(q, QUIRE_REG_WINDOW_SIZE_HI), ==, 0);
        qpci_free_pc(bus);
        qtest_quit(qts);
    }
}

/* A device with another window is another device. */
static void test_window_other(void *obj, void *data, QGuestAllocator *alloc)
{
    static const char *const others[] = { "128K", "0" };
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(others); i++) {
        QTestState *from = qtest_init(WINDOW_COMMAND);
        QTestState *to = qtest_initf(WINDOW_DEVICE "aperture-window-size=%s "
                                     "-incoming defer", others[i]);

        quire_migrate_refused(from, to);
        qtest_quit(to);
        qtest_quit(from);
    }
}

static void window_add(const char *name, void (*test)(QQuire *q))
{
    QOSGraphTestOptions options = { .arg = test };

    qos_add_test(name, "quire-windows", window_test, &options);
}

static void quire_window_register(void)
{
    QOSGraphTestOptions none = {
        .edge.extra_device_opts = "aperture-window-size=0",
    };

    /*
     * A walk of the graph has room for so many tests of one node; what is added
     * last is walked last.
     */
    qos_node_produces("quire", "quire-rings");
    qos_node_produces("quire", "quire-spaces");
    qos_node_produces("quire", "quire-windows");
    qos_add_test("window-info", "quire-windows", test_window_info, NULL);
    qos_add_test("window-none", "quire-windows", test_window_none, &none);
    if (g_str_equal(qtest_get_arch(), "x86_64")) {
        window_add("window-pages", window_pages);
        window_add("window-sizes", window_sizes);
        window_add("window-nothing", window_nothing);
        window_add("window-itself", window_itself);
        window_add("window-posted", window_posted);
        window_add("window-master", window_master);
        window_add("window-stolen", window_stolen);
        window_add("window-control-reset", window_control_reset);
        window_add("window-flr", window_flr);
        window_add("window-system-reset", window_system_reset);
        qos_add_test("window-other", "quire-windows", test_window_other, NULL);
        qos_add_test("window-default", "quire-windows", test_window_default,
                     NULL);
    }
}

libqos_init(quire_window_register);
