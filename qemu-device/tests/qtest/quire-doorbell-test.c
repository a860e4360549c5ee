/*
 * QTest testcase for the Quire virtual GPU: doorbells that the kernel takes
 *
 * Without KVM QEMU itself signals the eventfd, for the same writes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "libqtest.h"
#include "libqos/pci-pc.h"
#include "libqos/quire.h"

#define COMMAND     "-machine q35 -m 64M -nic none " \
                    "-device quire,addr=4.0,vram-size=16M,vram-visible=4M," \
                    "aperture-size=16M,ioeventfd=%s " \
                    "-trace quire_mmio_write -trace quire_doorbell -D %s"
#define SUBMISSIONS 50

/**
 * struct bells - an emulator that writes down what rings
 * @path: where
 * @q: the device, with a ring
 */
struct bells {
    char *path;
    QQuire q;
};

static void bells_open(struct bells *bells, const char *ioeventfd)
{
    QTestState *qts;

    *bells = (struct bells) {
        .path = g_strdup_printf("%s/quire-bells-%d", g_get_tmp_dir(), getpid()),
    };
    qts = qtest_initf(COMMAND, ioeventfd, bells->path);
    quire_open_ring(&bells->q, qts, qpci_new_pc(qts, NULL));
}

/* Ends the emulator; how many doorbells were writes to BAR 0, and rang? */
static void bells_close(struct bells *bells, unsigned *writes, unsigned *rung)
{
    g_autofree char *write = g_strdup_printf("quire_mmio_write addr 0x%x ",
                                             QUIRE_DOORBELL(0));
    g_auto(GStrv) lines = NULL;
    g_autofree char *text = NULL;
    unsigned i;

    qpci_free_pc(bells->q.dev.bus);
    qtest_quit(bells->q.qts);
    g_assert_true(g_file_get_contents(bells->path, &text, NULL, NULL));
    unlink(bells->path);
    g_free(bells->path);
    lines = g_strsplit(text, "\n", -1);
    *writes = *rung = 0;
    for (i = 0; lines[i]; i++) {
        *writes += !!strstr(lines[i], write);
        *rung += !!strstr(lines[i], "quire_doorbell ");
    }
}

/* What a driver writes does not come to BAR 0, and rings all the same. */
static void test_taken(void *obj, void *data, QGuestAllocator *alloc)
{
    unsigned i, writes, rung;
    struct bells bells;

    bells_open(&bells, "on");
    for (i = 1; i <= SUBMISSIONS; i++) {
        quire_run(&bells.q, i);
    }
    bells_close(&bells, &writes, &rung);
    g_assert_cmpint(writes, ==, 0);
    g_assert_cmpint(rung, ==, SUBMISSIONS);
}

/* The processor that rings and then reads a register finds the ring at work. */
static void test_order(void *obj, void *data, QGuestAllocator *alloc)
{
    unsigned writes, rung;
    struct bells bells;
    QQuire *q = &bells.q;

    bells_open(&bells, "on");
    qtest_qmp_assert_success(q->qts, "{ 'execute': 'stop' }");
    quire_submit(q, 1);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_STATUS), ==,
                    QUIRE_RING_STATUS_BUSY);
    qtest_qmp_assert_success(q->qts, "{ 'execute': 'cont' }");
    quire_wait_idle(q);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, 1);
    /* Ring, then disable and enable: nothing is rung that was not before. */
    quire_submit(q, 2);
    quire_ring_set_reg(q, QUIRE_RING_CONTROL, 0);
    quire_wait_idle(q);
    quire_ring_program(q);
    quire_ring_enable(q);
    quire_run(q, 3);
    bells_close(&bells, &writes, &rung);
    g_assert_cmpint(writes, ==, 0);
    g_assert_cmpint(rung, ==, 3);
}

/* Other writes to the page, and all without an eventfd, come as they did. */
static void test_written(void *obj, void *data, QGuestAllocator *alloc)
{
    unsigned i, writes, rung;
    struct bells bells;
    QQuire *q = &bells.q;

    bells_open(&bells, "on");
    qpci_io_writeq(&q->dev, q->regs, QUIRE_DOORBELL(0), 0);
    qpci_io_writel(&q->dev, q->regs, QUIRE_DOORBELL(0) + 8, 0);
    quire_wait_idle(q);
    bells_close(&bells, &writes, &rung);
    g_assert_cmpint(writes, ==, 1);
    g_assert_cmpint(rung, ==, 2);

    bells_open(&bells, "off");
    for (i = 1; i <= SUBMISSIONS; i++) {
        quire_run(q, i);
    }
    bells_close(&bells, &writes, &rung);
    g_assert_cmpint(writes, ==, SUBMISSIONS);
    g_assert_cmpint(rung, ==, SUBMISSIONS);
}

static void quire_doorbell_register(void)
{
    if (g_str_equal(qtest_get_arch(), "x86_64")) {
        qos_add_test("doorbell-taken", "quire", test_taken, NULL);
        qos_add_test("doorbell-order", "quire", test_order, NULL);
        qos_add_test("doorbell-written", "quire", test_written, NULL);
    }
}

libqos_init(quire_doorbell_register);
