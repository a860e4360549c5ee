/*
 * QTest testcase for the Quire virtual GPU: swizzling ranges
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "libqtest.h"
#include "libqos/pci-pc.h"
#include "libqos/quire.h"
#include "hw/pci/pci_regs.h"

#define RANGE_DEVICE    "-machine q35 -m 64M -nic none " \
                        "-device quire,addr=4.0,fault-injection=on," \
                        "vram-size=16M,vram-visible=4M,aperture-size=16M,"
#define RANGE_COMMAND   RANGE_DEVICE "swizzle-ranges=3,swizzle-range-size=1M "
#define RANGE_SIZE      (1 * MiB)
/* Of 64 x 64 elements of four bytes: four tiles, and four pages of rows. */
#define IMAGE_PAGES     4
#define IMAGE_SIZE      (IMAGE_PAGES * QUIRE_PAGE_SIZE)
#define IMAGE_ADDR      (VRAM_SIZE - IMAGE_SIZE)
#define IMAGE_SIDE      64

static void range_set_reg(QQuire *q, unsigned n, uint32_t reg, uint32_t value)
{
    quire_set_reg(q, QUIRE_RANGE(n, reg), value);
}

static uint32_t range_reg(QQuire *q, unsigned n, uint32_t reg)
{
    return quire_reg(q, QUIRE_RANGE(n, reg));
}

static void range_enable(QQuire *q, unsigned n, uint64_t addr)
{
    range_set_reg(q, n, QUIRE_RANGE_ADDR_LO, addr);
    range_set_reg(q, n, QUIRE_RANGE_ADDR_HI, addr >> 32);
    range_set_reg(q, n, QUIRE_RANGE_LAYOUT,
                  QUIRE_RANGE_LAYOUT_OF(QUIRE_LAYOUT_TILE_4K, 2));
    range_set_reg(q, n, QUIRE_RANGE_WIDTH, IMAGE_SIDE);
    range_set_reg(q, n, QUIRE_RANGE_HEIGHT, IMAGE_SIDE);
    range_set_reg(q, n, QUIRE_RANGE_LEVELS, QUIRE_RANGE_LEVELS_OF(1, 1));
    range_set_reg(q, n, QUIRE_RANGE_CONTROL, QUIRE_RANGE_CONTROL_ENABLE);
}

/* Where in the machine's memory the window is. */
static uint64_t range_window(QQuire *q, unsigned n)
{
    uint32_t bar = qpci_config_readl(&q->dev, PCI_BASE_ADDRESS_5);

    return (bar & PCI_BASE_ADDRESS_MEM_MASK) + n * RANGE_SIZE;
}

static const struct quire_layout range_image = {
    .kind = QUIRE_LAYOUT_TILE_4K,
    .element_shift = 2,
    .width = IMAGE_SIDE,
    .height = IMAGE_SIDE,
    .levels = 1,
    .array_size = 1,
};

/* The image's pages of rows, from page 0 of the data on, to tiles or back. */
static void range_convert(QQuire *q, uint16_t flag)
{
    const uint64_t runs[] = {
        QUIRE_RUN(q->data >> QUIRE_PAGE_SHIFT, IMAGE_PAGES),
        QUIRE_RUN(IMAGE_ADDR >> QUIRE_PAGE_SHIFT, IMAGE_PAGES),
    };

    quire_swizzle(q, flag, QUIRE_SEGMENT_SYSTEM, 0, &range_image, runs,
                  ARRAY_SIZE(runs));
}

static void range_put_image(QQuire *q)
{
    unsigned i;

    for (i = 0; i < IMAGE_PAGES; i++) {
        quire_put_page(q, quire_data_page(q, i), i);
    }
    range_convert(q, QUIRE_TRANSFER_SWIZZLE);
    quire_run(q, 1);
}

static void range_check_image(QQuire *q, uint64_t addr)
{
    unsigned i;

    for (i = 0; i < IMAGE_PAGES; i++) {
        quire_check_page(q, addr + i * QUIRE_PAGE_SIZE, i);
    }
}

static void range_configure(QQuire *q)
{
    qpci_device_enable(&q->dev);
    q->regs = qpci_iomap(&q->dev, QUIRE_BAR_REGS, NULL);
    q->vram = qpci_iomap(&q->dev, QUIRE_BAR_VRAM, NULL);
    qpci_iomap(&q->dev, QUIRE_BAR_RANGES, NULL);
}

/* No range is left, and nothing is seen until one is enabled; VRAM is. */
static void range_check_reset(QQuire *q)
{
    unsigned n;
    uint32_t reg;

    range_configure(q);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_RANGE_OLDEST), ==,
                    QUIRE_RANGE_OLDEST_NONE);
    for (n = 0; n < 3; n++) {
        for (reg = 0; reg <= QUIRE_RANGE_DATA; reg += 4) {
            g_assert_cmphex(range_reg(q, n, reg), ==, 0);
        }
        quire_check_zero_page(q, range_window(q, n));
    }
    range_enable(q, 2, IMAGE_ADDR);
    range_check_image(q, range_window(q, 2));
}

/* A device as it is without any property. */
static void test_range_info(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint64_t size;

    quire_start(q, alloc);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_RANGE_COUNT), ==, 8);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_RANGE_SIZE), ==, 16 * MiB);
    qpci_iomap(&q->dev, QUIRE_BAR_RANGES, &size);
    g_assert_cmphex(size, ==, 128 * MiB);
    g_assert_cmphex(qpci_config_readl(&q->dev, PCI_BASE_ADDRESS_5) &
                    ~PCI_BASE_ADDRESS_MEM_MASK, ==,
                    PCI_BASE_ADDRESS_SPACE_MEMORY);
    range_enable(q, 7, 0);
    g_assert_cmphex(range_reg(q, 7, QUIRE_RANGE_CONTROL), ==, 1);
    range_set_reg(q, 7, QUIRE_RANGE_CONTROL, 0);
    quire_lives(q);
    quire_stop(q, alloc);
}

static void range_registers(QQuire *q)
{
    uint64_t size;

    g_assert_cmphex(quire_reg(q, QUIRE_REG_RANGE_COUNT), ==, 3);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_RANGE_SIZE), ==, RANGE_SIZE);
    qpci_iomap(&q->dev, QUIRE_BAR_RANGES, &size);
    g_assert_cmphex(size, ==, 4 * RANGE_SIZE);
    range_enable(q, 1, IMAGE_ADDR);
    g_assert_cmphex(range_reg(q, 1, QUIRE_RANGE_CONTROL), ==, 1);
    range_set_reg(q, 1, QUIRE_RANGE_WIDTH, 1);
    g_assert_cmphex(range_reg(q, 1, QUIRE_RANGE_WIDTH), ==, IMAGE_SIDE);
    range_set_reg(q, 1, QUIRE_RANGE_CONTROL, 0);
    g_assert_cmphex(range_reg(q, 1, QUIRE_RANGE_CONTROL), ==, 0);
    range_enable(q, 1, IMAGE_ADDR + QUIRE_PAGE_SIZE);
    g_assert_cmphex(range_reg(q, 1, QUIRE_RANGE_CONTROL), ==, 0);
    /* Of a range that there is not. */
    range_enable(q, 3, IMAGE_ADDR);
    g_assert_cmphex(range_reg(q, 3, QUIRE_RANGE_WIDTH), ==, 0);
    g_assert_cmphex(range_reg(q, 3, QUIRE_RANGE_CONTROL), ==, 0);
}

/* What the ring has put into tiles is seen as rows. */
static void range_read(QQuire *q)
{
    uint64_t window = range_window(q, 1), at;

    range_put_image(q);
    quire_check_zero_page(q, window);
    range_enable(q, 1, IMAGE_ADDR);
    range_check_image(q, window);
    for (at = 250; at < 270; at++) {
        g_assert_cmphex(qtest_readb(q->qts, window + at), ==,
                        qtest_readb(q->qts, q->data + at));
        g_assert_cmphex(qtest_readw(q->qts, window + at), ==,
                        qtest_readw(q->qts, q->data + at));
        g_assert_cmphex(qtest_readl(q->qts, window + at), ==,
                        qtest_readl(q->qts, q->data + at));
        g_assert_cmphex(qtest_readq(q->qts, window + at), ==,
                        qtest_readq(q->qts, q->data + at));
    }
    quire_check_zero_page(q, window + IMAGE_SIZE);
    quire_check_zero_page(q, range_window(q, 0));
    quire_check_zero_page(q, range_window(q, 2));
    quire_check_zero_page(q, range_window(q, 3));
}

/* What is written as rows is in the tiles. */
static void range_write(QQuire *q)
{
    uint64_t window = range_window(q, 0), at = 0;
    unsigned i;

    range_enable(q, 0, IMAGE_ADDR);
    for (i = 0; i < IMAGE_PAGES; i++) {
        quire_put_page(q, window + i * QUIRE_PAGE_SIZE, i);
    }
    quire_put_page(q, window + IMAGE_SIZE, 99);
    range_convert(q, QUIRE_TRANSFER_UNSWIZZLE);
    quire_run(q, 1);
    range_check_image(q, q->data);
    qtest_writeb(q->qts, window + at, 0x11);
    qtest_writew(q->qts, window + at + 1, 0x2222);
    qtest_writel(q->qts, window + at + 3, 0x33333333);
    qtest_writeq(q->qts, window + 252, 0x0807060504030201);
    range_convert(q, QUIRE_TRANSFER_UNSWIZZLE);
    quire_run(q, 2);
    g_assert_cmphex(qtest_readq(q->qts, q->data) & 0xffffffffffffff, ==,
                    0x33333333222211);
    g_assert_cmphex(qtest_readq(q->qts, q->data + 252), ==,
                    0x0807060504030201);
    /* The last element of row 0, in its line, and the first of row 1. */
    quire_to_system(q, IMAGE_ADDR, q->data, IMAGE_PAGES);
    quire_run(q, 3);
    g_assert_cmphex(qtest_readl(q->qts, q->data + QUIRE_PAGE_SIZE + 128 + 60),
                    ==, 0x04030201);
    g_assert_cmphex(qtest_readl(q->qts, q->data + 64), ==, 0x08070605);
}

/* The image's pages of rows, to tiles or back, with a range that is let go. */
static void range_lock(QQuire *q, uint16_t flag, uint32_t range)
{
    const uint64_t runs[] = {
        QUIRE_RUN(q->data >> QUIRE_PAGE_SHIFT, IMAGE_PAGES),
        QUIRE_RUN(IMAGE_ADDR >> QUIRE_PAGE_SHIFT, IMAGE_PAGES),
    };

    quire_special_lock(q, flag, range, &range_image, runs, ARRAY_SIZE(runs));
}

/* An image leaves for the pages of its view, and comes back from them. */
static void range_lock_round(QQuire *q)
{
    uint64_t window = range_window(q, 1);
    unsigned i;

    range_enable(q, 1, IMAGE_ADDR);
    g_assert_cmpint(range_reg(q, 1, QUIRE_RANGE_DATA), ==, 1);
    for (i = 0; i < IMAGE_PAGES; i++) {
        quire_put_page(q, window + i * QUIRE_PAGE_SIZE, i);
    }
    range_lock(q, QUIRE_TRANSFER_UNSWIZZLE, QUIRE_SPECIAL_LOCK_RANGE(1, 1));
    quire_run(q, 1);
    range_check_image(q, q->data);
    g_assert_cmphex(range_reg(q, 1, QUIRE_RANGE_CONTROL), ==, 0);
    quire_check_zero_page(q, window);
    for (i = 0; i < IMAGE_PAGES; i++) {
        quire_put_page(q, q->data + i * QUIRE_PAGE_SIZE, IMAGE_PAGES - i);
    }
    range_lock(q, QUIRE_TRANSFER_SWIZZLE, QUIRE_SPECIAL_LOCK_NO_RANGE);
    quire_run(q, 2);
    range_set_reg(q, 1, QUIRE_RANGE_CONTROL, QUIRE_RANGE_CONTROL_ENABLE);
    for (i = 0; i < IMAGE_PAGES; i++) {
        quire_check_page(q, window + i * QUIRE_PAGE_SIZE, IMAGE_PAGES - i);
    }
    g_assert_cmpint(range_reg(q, 1, QUIRE_RANGE_DATA), ==, 2);
}

/* A range that was stolen meanwhile, and shows something else, is let be. */
static void range_lock_stale(QQuire *q)
{
    range_put_image(q);
    range_enable(q, 0, IMAGE_ADDR);
    range_enable(q, 2, IMAGE_ADDR);
    range_set_reg(q, 0, QUIRE_RANGE_CONTROL, 0);
    range_set_reg(q, 0, QUIRE_RANGE_CONTROL, QUIRE_RANGE_CONTROL_ENABLE);
    range_lock(q, QUIRE_TRANSFER_UNSWIZZLE, QUIRE_SPECIAL_LOCK_RANGE(0, 1));
    range_lock(q, QUIRE_TRANSFER_UNSWIZZLE, QUIRE_SPECIAL_LOCK_RANGE(1, 0));
    range_lock(q, QUIRE_TRANSFER_UNSWIZZLE, QUIRE_SPECIAL_LOCK_NO_RANGE);
    quire_run(q, 2);
    range_check_image(q, range_window(q, 0));
    range_check_image(q, range_window(q, 2));
    g_assert_cmpint(range_reg(q, 0, QUIRE_RANGE_DATA), ==, 2);
    range_lock(q, QUIRE_TRANSFER_UNSWIZZLE, QUIRE_SPECIAL_LOCK_RANGE(0, 2));
    quire_run(q, 3);
    quire_check_zero_page(q, range_window(q, 0));
    range_check_image(q, range_window(q, 2));
}

/*
 * It is shown while the ring has other work, until the packet begins. A test
 * that was not given the processor meanwhile finds it done.
 */
static void range_lock_moment(QQuire *q)
{
    unsigned i, n;

    range_put_image(q);
    for (n = 1;; n++) {
        range_enable(q, 0, IMAGE_ADDR);
        for (i = 0; i < 1000; i++) {
            quire_fill(q, QUIRE_SEGMENT_VRAM, 0, VRAM_SIZE / 2, 1);
        }
        range_lock(q, QUIRE_TRANSFER_UNSWIZZLE, QUIRE_SPECIAL_LOCK_RANGE(0, n));
        quire_submit(q, 1 + n);
        qtest_qmp_assert_success(q->qts, "{ 'execute': 'stop' }");
        if (qtest_readq(q->qts, q->fence_page) == n) {
            break;
        }
        qtest_qmp_assert_success(q->qts, "{ 'execute': 'cont' }");
        quire_wait_idle(q);
    }
    range_check_image(q, range_window(q, 0));
    g_assert_cmphex(range_reg(q, 0, QUIRE_RANGE_CONTROL), ==, 1);
    qtest_memset(q->qts, q->data, 0, IMAGE_SIZE);
    qtest_qmp_assert_success(q->qts, "{ 'execute': 'cont' }");
    quire_wait_idle(q);
    g_assert_cmphex(range_reg(q, 0, QUIRE_RANGE_CONTROL), ==, 0);
    range_check_image(q, q->data);
}

#define STOLEN_LOCKS    60

/* Enable range 0 so that a lock that has not begun yet takes it. */
static void range_take_back(QQuire *q)
{
    uint64_t lock = quire_ring_reg64(q, QUIRE_RING_PACKETS_LO) / 2 + 2;

    do {
        range_set_reg(q, 0, QUIRE_RANGE_CONTROL, 0);
        range_set_reg(q, 0, QUIRE_RANGE_CONTROL, QUIRE_RANGE_CONTROL_ENABLE);
    } while (range_reg(q, 0, QUIRE_RANGE_DATA) < lock);
}

/*
 * Special locks take the range through which somebody reads and writes, and
 * who then takes it again. The image is seen, or nothing.
 */
static void range_stolen(QQuire *q)
{
    uint64_t window = range_window(q, 0), value, element;
    unsigned seen = 0, gone = 0, i;
    bool busy;

    range_put_image(q);
    element = qtest_readq(q->qts, q->data + 8);
    range_enable(q, 0, IMAGE_ADDR);
    for (i = 1; i <= STOLEN_LOCKS; i++) {
        quire_fill(q, QUIRE_SEGMENT_VRAM, 0, VRAM_SIZE / 2, 0x11111111);
        range_lock(q, QUIRE_TRANSFER_UNSWIZZLE, QUIRE_SPECIAL_LOCK_RANGE(0, i));
    }
    quire_submit(q, 2);
    do {
        busy = quire_ring_reg(q, QUIRE_RING_STATUS) & QUIRE_RING_STATUS_BUSY;
        value = qtest_readq(q->qts, window + 8);
        qtest_writeq(q->qts, window + 8, element);
        g_assert_true(value == element || !value);
        seen += value == element;
        gone += !value;
        if (!value && busy) {
            range_take_back(q);
        }
    } while (busy);
    g_test_message("seen %u times, gone %u times", seen, gone);
    g_assert_cmpint(gone, >, 0);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, 2);
    range_check_image(q, q->data);
    range_set_reg(q, 0, QUIRE_RANGE_CONTROL, QUIRE_RANGE_CONTROL_ENABLE);
    range_check_image(q, window);
    g_assert_cmphex(qtest_readq(q->qts, quire_vram_addr(q, 8)), ==,
                    0x1111111111111111);
}

/* A driver resets the device under who sees it; the ring is another thing. */
static void range_control_reset(QQuire *q)
{
    range_put_image(q);
    /* It is busy with the upper half of VRAM. */
    quire_transfer(q, QUIRE_SEGMENT_VRAM, IMAGE_ADDR, QUIRE_SEGMENT_VRAM, 0,
                   IMAGE_SIZE, NULL, 0);
    quire_run(q, 2);
    range_enable(q, 0, 0);
    quire_keep_busy(q);
    quire_check_page(q, range_window(q, 0), 0);
    quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
    g_assert_cmphex(range_reg(q, 0, QUIRE_RANGE_CONTROL), ==, 1);
    quire_check_page(q, range_window(q, 0), 0);
    quire_lives(q);
}

static void range_flr(QQuire *q)
{
    uint8_t devctl = qpci_find_capability(&q->dev, PCI_CAP_ID_EXP, 0) +
                     PCI_EXP_DEVCTL;

    range_put_image(q);
    range_enable(q, 0, IMAGE_ADDR);
    range_enable(q, 1, 0);
    qpci_config_writew(&q->dev, devctl, PCI_EXP_DEVCTL_BCR_FLR);
    range_check_reset(q);
}

static void range_system_reset(QQuire *q)
{
    range_put_image(q);
    range_enable(q, 0, IMAGE_ADDR);
    range_enable(q, 1, 0);
    qtest_system_reset(q->qts);
    range_check_reset(q);
}

static void range_test(void *obj, void *data, QGuestAllocator *alloc)
{
    void (*test)(QQuire *q) = data;
    QTestState *qts = qtest_init(RANGE_COMMAND);
    QPCIBus *bus = qpci_new_pc(qts, NULL);
    g_autofree QQuire *q = g_new0(QQuire, 1);

    quire_open_ring(q, qts, bus);
    qpci_iomap(&q->dev, QUIRE_BAR_RANGES, NULL);
    test(q);
    qpci_free_pc(bus);
    qtest_quit(qts);
}

static void range_open(QQuire *q, QTestState *qts, QPCIBus **bus)
{
    *bus = qpci_new_pc(qts, NULL);
    quire_open_ring(q, qts, *bus);
    qpci_iomap(&q->dev, QUIRE_BAR_RANGES, NULL);
}

/* 1 was enabled last, 0 was touched last. */
static void range_check_order(QQuire *q)
{
    g_assert_cmphex(quire_reg(q, QUIRE_REG_RANGE_OLDEST), ==, 0);
    range_enable(q, 2, IMAGE_ADDR);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_RANGE_OLDEST), ==, 1);
    quire_check_page(q, range_window(q, 1), 7);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_RANGE_OLDEST), ==, 0);
}

/* All registers travel, what was written through a window, and when. */
static void test_range_migrate(void *obj, void *data, QGuestAllocator *alloc)
{
    g_autofree char *path = g_strdup_printf("%s/quire-range-live-%d",
                                            g_get_tmp_dir(), getpid());
    g_autofree char *uri = g_strdup_printf("file:%s", path);
    QTestState *from = qtest_init(RANGE_COMMAND);
    QTestState *to = qtest_init(RANGE_COMMAND "-incoming defer");
    g_autofree QQuire *q = g_new0(QQuire, 1);
    QPCIBus *from_bus, *to_bus;
    unsigned i;

    range_open(q, from, &from_bus);
    range_put_image(q);
    range_enable(q, 0, IMAGE_ADDR);
    range_enable(q, 1, IMAGE_ADDR);
    range_set_reg(q, 2, QUIRE_RANGE_ADDR_HI, 0x12345678);
    range_set_reg(q, 2, QUIRE_RANGE_WIDTH, 0x87654321);
    quire_migrate_slowly(from, uri);
    for (i = 0; i < IMAGE_PAGES; i++) {
        quire_put_page(q, range_window(q, 1) + i * QUIRE_PAGE_SIZE, 7 + i);
    }
    quire_check_page(q, range_window(q, 0), 7);
    qtest_qmp_assert_success(from, "{ 'execute': 'migrate-set-parameters',"
                             " 'arguments': { 'max-bandwidth': 0 } }");
    quire_migrate_wait(from, "completed");
    qtest_qmp_assert_success(to, "{ 'execute': 'migrate-incoming',"
                             " 'arguments': { 'uri': %s } }", uri);
    quire_migrate_wait(to, "completed");
    unlink(path);

    to_bus = qpci_new_pc(to, NULL);
    quire_open(q, to, to_bus);
    g_assert_cmphex(range_reg(q, 2, QUIRE_RANGE_ADDR_HI), ==, 0x12345678);
    g_assert_cmphex(range_reg(q, 2, QUIRE_RANGE_WIDTH), ==, 0x87654321);
    g_assert_cmphex(range_reg(q, 2, QUIRE_RANGE_CONTROL), ==, 0);
    range_check_order(q);
    for (i = 0; i < IMAGE_PAGES; i++) {
        quire_check_page(q, range_window(q, 1) + i * QUIRE_PAGE_SIZE, 7 + i);
    }
    g_assert_cmphex(range_reg(q, 1, QUIRE_RANGE_ADDR_LO), ==, IMAGE_ADDR);
    g_assert_cmphex(range_reg(q, 1, QUIRE_RANGE_LAYOUT), ==, 0x201);
    g_assert_cmphex(range_reg(q, 1, QUIRE_RANGE_HEIGHT), ==, IMAGE_SIDE);
    g_assert_cmphex(range_reg(q, 1, QUIRE_RANGE_LEVELS), ==, 0x10001);
    g_assert_cmphex(range_reg(q, 1, QUIRE_RANGE_CONTROL), ==, 1);
    g_assert_cmpint(range_reg(q, 1, QUIRE_RANGE_DATA), ==, 1);
    qpci_free_pc(from_bus);
    qpci_free_pc(to_bus);
    qtest_quit(to);
    qtest_quit(from);
}

/* A device with other windows is another device. */
static void test_range_other(void *obj, void *data, QGuestAllocator *alloc)
{
    static const char *const others[] = {
        "swizzle-ranges=3,swizzle-range-size=2M",
        "swizzle-ranges=2,swizzle-range-size=1M",
        "swizzle-ranges=0",
    };
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(others); i++) {
        QTestState *from = qtest_init(RANGE_COMMAND);
        QTestState *to = qtest_initf(RANGE_DEVICE "%s -incoming defer",
                                     others[i]);

        quire_migrate_refused(from, to);
        qtest_quit(to);
        qtest_quit(from);
    }
}

static void range_add(const char *name, void (*test)(QQuire *q))
{
    QOSGraphTestOptions options = { .arg = test };

    qos_add_test(name, "quire-windows", range_test, &options);
}

static void quire_range_register(void)
{
    qos_add_test("range-info", "quire-windows", test_range_info, NULL);
    if (g_str_equal(qtest_get_arch(), "x86_64")) {
        range_add("range-registers", range_registers);
        range_add("range-read", range_read);
        range_add("range-write", range_write);
        range_add("range-lock-round", range_lock_round);
        range_add("range-lock-stale", range_lock_stale);
        range_add("range-lock-moment", range_lock_moment);
        range_add("range-stolen", range_stolen);
        range_add("range-control-reset", range_control_reset);
        range_add("range-flr", range_flr);
        range_add("range-system-reset", range_system_reset);
        qos_add_test("range-migrate", "quire-windows", test_range_migrate,
                     NULL);
        qos_add_test("range-other", "quire-windows", test_range_other, NULL);
    }
}

libqos_init(quire_range_register);
