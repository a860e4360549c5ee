/*
 * QTest testcase for the Quire virtual GPU: what the CPU sees of an aperture
 * that is not coherent, and what is said of one that was unmapped
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "libqtest.h"
#include "libqos/quire.h"
#include "hw/pci/pci_regs.h"

#define POSTED_PAGE     20

/* Pages of the aperture that are not coherent, and a page in VRAM for them. */
static void coherency_map(QQuire *q)
{
    quire_put_page(q, quire_vram_addr(q, 0), 1);
    qtest_memset(q->qts, quire_data_page(q, 0), 0, 3 * QUIRE_PAGE_SIZE);
    quire_map_flags(q, POSTED_PAGE, 2, quire_data_page(q, 0), 0);
    quire_run(q, 1);
}

static void coherency_start(QQuire *q, QGuestAllocator *alloc)
{
    quire_start(q, alloc);
    coherency_map(q);
}

static void post_page(QQuire *q)
{
    quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_APERTURE,
                   POSTED_PAGE * QUIRE_PAGE_SIZE, QUIRE_PAGE_SIZE, NULL, 0);
    quire_run(q, 2);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_POSTED), ==, QUIRE_PAGE_SIZE);
    quire_check_zero_page(q, quire_data_page(q, 0));
}

static void coherency_flush(QQuire *q, uint16_t opcode)
{
    post_page(q);
    quire_physical(q, opcode, QUIRE_SEGMENT_APERTURE,
                   (POSTED_PAGE + 1) * QUIRE_PAGE_SIZE, 4, 0);
    quire_run(q, 3);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_POSTED), ==, 0);
    quire_check_page(q, quire_data_page(q, 0), 1);
    qtest_memset(q->qts, quire_data_page(q, 0), 0, QUIRE_PAGE_SIZE);
}

/* A fence does not make the CPU see what was written; a flush does. */
static void test_flush(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    coherency_start(q, alloc);
    coherency_flush(q, QUIRE_OP_READ_PHYSICAL);
    coherency_flush(q, QUIRE_OP_WRITE_PHYSICAL);
    quire_stop(q, alloc);
}

/* The device sees it at once, through whatever. */
static void test_posted_read(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    coherency_start(q, alloc);
    post_page(q);
    quire_from_system(q, quire_data_page(q, 0), 1, QUIRE_PAGE_SIZE);
    quire_map(q, 0, 1, quire_data_page(q, 0));
    quire_transfer(q, QUIRE_SEGMENT_APERTURE, 0, QUIRE_SEGMENT_VRAM,
                   2 * QUIRE_PAGE_SIZE, QUIRE_PAGE_SIZE, NULL, 0);
    quire_run(q, 3);
    quire_check_page(q, quire_vram_addr(q, QUIRE_PAGE_SIZE), 1);
    quire_check_page(q, quire_vram_addr(q, 2 * QUIRE_PAGE_SIZE), 1);
    quire_check_zero_page(q, quire_data_page(q, 0));
    /* What a coherent page gets is in memory, over what was posted. */
    quire_put_page(q, quire_vram_addr(q, 0), 2);
    quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_APERTURE, 0,
                   QUIRE_PAGE_SIZE, NULL, 0);
    quire_run(q, 4);
    quire_check_page(q, quire_data_page(q, 0), 2);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_POSTED), ==, 0);
    quire_stop(q, alloc);
}

/* Who resets the device goes on; who does not own the pages says so. */
static void test_posted_reset(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint16_t command;

    coherency_start(q, alloc);
    post_page(q);
    quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_POSTED), ==, 0);
    quire_check_page(q, quire_data_page(q, 0), 1);

    quire_ring_program(q);
    quire_ring_enable(q);
    coherency_map(q);
    post_page(q);
    command = qpci_config_readw(&q->dev, PCI_COMMAND);
    qpci_config_writew(&q->dev, PCI_COMMAND, command & ~PCI_COMMAND_MASTER);
    quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_POSTED), ==, 0);
    qpci_config_writew(&q->dev, PCI_COMMAND, command);
    quire_check_zero_page(q, quire_data_page(q, 0));
}

/* The end of a copy that is so long that a thread does the rest of it. */
static void test_posted_long(void *obj, void *data, QGuestAllocator *alloc)
{
    const uint64_t size = 2 * MiB, end = size - QUIRE_POSTED_MAX;
    QQuire *q = obj;
    uint64_t memory;
    unsigned i;

    quire_start(q, alloc);
    memory = guest_alloc(alloc, size);
    qtest_memset(q->qts, memory, 0, size);
    quire_put_page(q, quire_vram_addr(q, end - QUIRE_PAGE_SIZE), 3);
    quire_put_page(q, quire_vram_addr(q, end), 4);
    quire_put_page(q, quire_vram_addr(q, size - QUIRE_PAGE_SIZE), 5);
    quire_map_flags(q, 0, size / QUIRE_PAGE_SIZE, memory, 0);
    quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_APERTURE, 0, size,
                   NULL, 0);
    quire_run(q, 1);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_POSTED), ==, QUIRE_POSTED_MAX);
    quire_check_page(q, memory + end - QUIRE_PAGE_SIZE, 3);
    for (i = 0; i < QUIRE_POSTED_MAX; i += QUIRE_PAGE_SIZE) {
        quire_check_zero_page(q, memory + end + i);
    }
    quire_physical(q, QUIRE_OP_READ_PHYSICAL, QUIRE_SEGMENT_APERTURE, 0, 8, 0);
    quire_run(q, 2);
    quire_check_page(q, memory + end, 4);
    quire_check_page(q, memory + size - QUIRE_PAGE_SIZE, 5);
    guest_free(alloc, memory);
    quire_stop(q, alloc);
}

static uint64_t dummy_pages(QQuire *q)
{
    return qpci_io_readq(&q->dev, q->regs, QUIRE_REG_DUMMY_PAGES_LO);
}

/* Two pages of three that were unmapped, on each side of a copy, and one. */
static void access_dummies(QQuire *q, QGuestAllocator *alloc)
{
    quire_start(q, alloc);
    quire_map(q, 4, 8, quire_data_page(q, 0));
    quire_unmap(q, 5, 2, quire_data_page(q, 9));
    quire_unmap(q, 10, 1, quire_data_page(q, 9));
    quire_run(q, 1);
    g_assert_cmpint(dummy_pages(q), ==, 0);
    quire_transfer(q, QUIRE_SEGMENT_APERTURE, 4 * QUIRE_PAGE_SIZE,
                   QUIRE_SEGMENT_VRAM, 0, 3 * QUIRE_PAGE_SIZE, NULL, 0);
    quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_APERTURE,
                   10 * QUIRE_PAGE_SIZE + 8, 8, 1);
    quire_run(q, 2);
}

static void test_dummy_report(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    access_dummies(q, alloc);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_CAPS) & QUIRE_CAPS_DUMMY_REPORT, ==,
                    QUIRE_CAPS_DUMMY_REPORT);
    g_assert_cmpint(dummy_pages(q), ==, 3);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_DUMMY_OFFSET_LO), ==,
                    10 * QUIRE_PAGE_SIZE);
    quire_stop(q, alloc);
}

static void test_dummy_silent(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    access_dummies(q, alloc);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_CAPS) & QUIRE_CAPS_DUMMY_REPORT, ==,
                    0);
    g_assert_cmpint(dummy_pages(q), ==, 0);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_DUMMY_OFFSET_LO), ==, 0);
    quire_stop(q, alloc);
}

static void quire_coherency_register(void)
{
    QOSGraphTestOptions report = {
        .edge.extra_device_opts = "dummy-page-report=on",
    };

    qos_add_test("flush", "quire", test_flush, NULL);
    qos_add_test("posted-read", "quire", test_posted_read, NULL);
    qos_add_test("posted-reset", "quire", test_posted_reset, NULL);
    qos_add_test("posted-long", "quire", test_posted_long, NULL);
    qos_add_test("dummy-report", "quire", test_dummy_report, &report);
    qos_add_test("dummy-silent", "quire", test_dummy_silent, NULL);
}

libqos_init(quire_coherency_register);
