/*
 * QTest testcase for the Quire virtual GPU: rings
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "libqtest.h"
#include "libqos/quire.h"

static void test_ring(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    unsigned i;

    quire_start(q, alloc);
    for (i = 0; i < 50; i++) {
        quire_signal(q, quire_data_page(q, 0), i);
        quire_run(q, i + 1);
        g_assert_cmphex(qtest_readq(q->qts, quire_data_page(q, 0)), ==, i);
        g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_RPTR), ==, i + 1);
    }
    /* A full ring of empty submissions, one doorbell. */
    for (i = 0; i < 1u << QUIRE_ORDER; i++) {
        quire_entry(q, 0, 0, 0, 100 + i, 0);
    }
    quire_doorbell(q);
    quire_wait_idle(q);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==,
                    100 + (1u << QUIRE_ORDER) - 1);
    quire_stop(q, alloc);
}

static uint32_t doorbell_event(QQuire *q)
{
    return qtest_readl(q->qts, q->fence_page +
                       offsetof(struct quire_fence_page, doorbell_event));
}

/* Add an empty entry as a driver does; returns if it must ring. */
static bool publish(QQuire *q, uint64_t fence)
{
    uint32_t old = q->wptr;

    quire_entry(q, 0, 0, 0, fence, 0);
    return quire_doorbell_wanted(doorbell_event(q), old, q->wptr);
}

/* Doorbells are wanted by a ring that is idle, and not by one that works. */
static void test_doorbell(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    unsigned i;

    quire_start(q, alloc);
    for (i = 1; i <= 40; i++) {
        quire_wait_idle(q);
        g_assert_cmphex(doorbell_event(q), ==, q->wptr);
        g_assert_true(publish(q, i));
        quire_doorbell(q);
    }
    quire_wait_idle(q);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, 40);
    /* At work it does not ask, and finds the next entry without. */
    for (i = 0; i < 100; i++) {
        quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_VRAM,
                       VRAM_SIZE / 2, VRAM_SIZE / 2, NULL, 0);
    }
    quire_submit_halfway(q, 50);
    g_assert_false(publish(q, 51));
    g_assert_false(publish(q, 52));
    qtest_qmp_assert_success(q->qts, "{ 'execute': 'cont' }");
    quire_wait_idle(q);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, 52);
    g_assert_cmphex(doorbell_event(q), ==, q->wptr);
    quire_stop(q, alloc);
}

/*
 * Entries are published while others are at work or just done, and the
 * doorbell is rung only where it is wanted. A qtest and the device take turns
 * in the main loop: what happens at the same time is for the unit test with
 * two threads.
 */
static void test_doorbell_stream(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    gint64 end = g_get_monotonic_time() + QUIRE_TIMEOUT;
    unsigned i, rung = 0;

    quire_start(q, alloc);
    for (i = 1; i <= 500; i++) {
        if (publish(q, i)) {
            quire_doorbell(q);
            rung++;
        }
        while (q->wptr - qtest_readl(q->qts, q->fence_page + 8) > i % 3) {
            g_assert_cmpint(g_get_monotonic_time(), <, end);
        }
    }
    quire_wait_idle(q);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, 500);
    g_test_message("%u doorbells for 500 entries", rung);
    quire_stop(q, alloc);
}

/* A ring that can not say that it waits for a doorbell is at fault. */
static void test_doorbell_rom(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;
    uint64_t wptr = offsetof(struct quire_fence_page, wptr);
    uint64_t page = BIOS;

    quire_start(q, alloc);
    while (page < ROM && qtest_readl(q->qts, page + wptr)) {
        page += QUIRE_PAGE_SIZE;
    }
    if (qtest_readl(q->qts, page + wptr)) {
        g_test_skip("no page of the BIOS passes for the fence page of an "
                    "idle ring");
    } else {
        quire_ring_program(q);
        quire_ring_set_reg64(q, QUIRE_RING_FENCE_PAGE_LO, page);
        quire_ring_enable(q);
        quire_assert_fault(q, QUIRE_FAULT_FENCE_DMA, 0, page +
                          offsetof(struct quire_fence_page, doorbell_event));
        quire_lives(q);
    }
    quire_stop(q, alloc);
}

static void test_disable(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    quire_keep_busy(q);
    quire_ring_set_reg(q, QUIRE_RING_CONTROL, 0);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_STATUS), ==, 0);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_RPTR), ==, 0);
    quire_check_stopped(q);
    quire_lives(q);
    quire_stop(q, alloc);
}

static void test_hang(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    quire_ring_set_reg(q, QUIRE_RING_INJECT_HANG, 2);
    quire_signal(q, quire_data_page(q, 0), 1);
    quire_signal(q, quire_data_page(q, 0), 2);
    quire_submit(q, 1);
    quire_check_stopped(q);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_STATUS), ==,
                    QUIRE_RING_STATUS_BUSY);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_OFFSET), ==,
                    sizeof(struct quire_packet_signal));
    g_assert_cmphex(qtest_readq(q->qts, quire_data_page(q, 0)), ==, 1);
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
        quire_ring_set_reg(q, QUIRE_RING_CONTROL, i & 1);
        quire_doorbell(q);
    }
    quire_lives(q);
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
    q->entries = quire_vram_addr(q, 0);
    q->fence_page = quire_vram_addr(q, QUIRE_PAGE_SIZE);
    quire_lives(q);
    q->entries = fence_page;
    q->fence_page = fence_page;
    quire_ring_program(q);
    quire_ring_enable(q);
    qtest_writel(q->qts, quire_wptr_addr(q), 3);
    quire_doorbell(q);
    quire_wait_idle(q);
    q->entries = entries;
    quire_lives(q);
    quire_stop(q, alloc);
}

static void quire_ring_register(void)
{
    qos_add_test("ring", "quire", test_ring, NULL);
    qos_add_test("doorbell", "quire", test_doorbell, NULL);
    qos_add_test("doorbell-stream", "quire", test_doorbell_stream, NULL);
    qos_add_test("doorbell-rom", "quire", test_doorbell_rom, NULL);
    qos_add_test("disable", "quire", test_disable, NULL);
    qos_add_test("hang", "quire", test_hang, NULL);
    qos_add_test("kick-storm", "quire", test_kick_storm, NULL);
    qos_add_test("odd-ring", "quire", test_odd_ring, NULL);
}

libqos_init(quire_ring_register);
