/*
 * QTest testcase for the Quire virtual GPU: what the host is told, and
 * accesses that only the host sees as they are
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <sys/mman.h>
#include "libqtest.h"
#include "libqos/pci-pc.h"
#include "libqos/quire.h"

#define HOST_COMMAND    "-machine q35 -m 32M -nic none "
#define HOST_DEVICE     "-device quire,addr=4.0,vram-size=16M," \
                        "aperture-size=16M,"
#define OTHER_BAR       0xe8000000u

/* Memory that a locked emulator takes, about. */
#define LOCKED_SIZE     (256 * MiB)

/**
 * struct host - an emulator whose messages are kept
 * @path: where
 * @qts: the emulator
 * @bus: its PCI bus
 * @q: the device at 4.0, with a ring
 */
struct host {
    char *path;
    QTestState *qts;
    QPCIBus *bus;
    QQuire *q;
};

static void host_open(struct host *host, const char *options)
{
    host->path = g_strdup_printf("%s/quire-host-%d", g_get_tmp_dir(),
                                 getpid());
    host->qts = qtest_initf(HOST_COMMAND "-d guest_errors %s 2>%s", options,
                            host->path);
    host->bus = qpci_new_pc(host->qts, NULL);
    host->q = g_new0(QQuire, 1);
    quire_open_ring(host->q, host->qts, host->bus);
}

/* Ends the emulator; how many lines of its messages have @what? */
static unsigned host_close(struct host *host, const char *what)
{
    g_auto(GStrv) lines = NULL;
    g_autofree char *text = NULL;
    unsigned i, found = 0;

    qpci_free_pc(host->bus);
    qtest_quit(host->qts);
    g_assert_true(g_file_get_contents(host->path, &text, NULL, NULL));
    lines = g_strsplit(text, "\n", -1);
    for (i = 0; lines[i]; i++) {
        found += !!strstr(lines[i], what);
    }
    unlink(host->path);
    g_free(host->path);
    g_free(host->q);
    return found;
}

/* Two devices: the message names the one that the guest uses badly. */
static void test_names(void *obj, void *data, QGuestAllocator *alloc)
{
    QPCIDevice *other;
    struct host host;

    host_open(&host, HOST_DEVICE "id=good -device quire,addr=5.0,id=bad");
    other = qpci_device_find(host.bus, QPCI_DEVFN(5, 0));
    qpci_config_writel(other, 0x10, OTHER_BAR);
    qpci_device_enable(other);
    qtest_writel(host.qts, OTHER_BAR + QUIRE_REG_ID, 1);
    g_free(other);
    g_assert_cmpint(host_close(&host, "quire /machine/peripheral/bad: "
                                      "register 0x0 is read-only"), ==, 1);
}

static void test_names_ring(void *obj, void *data, QGuestAllocator *alloc)
{
    struct host host;

    host_open(&host, HOST_DEVICE "id=mine -device quire,addr=5.0,id=other");
    quire_entry(host.q, 4, 0, 0, 1, 0);
    quire_doorbell(host.q);
    quire_assert_fault(host.q, QUIRE_FAULT_BAD_ENTRY, 0, host.q->entries);
    g_assert_cmpint(host_close(&host, "quire /machine/peripheral/mine: "
                                      "ring 0: bad entry"), ==, 1);
}

/*
 * Accesses that are not aligned, or of 1 and 2 bytes, read zero and change
 * nothing. QEMU would make two of 8 bytes, which find registers.
 */
static void test_access(void *obj, void *data, QGuestAllocator *alloc)
{
    static const uint32_t pairs[] = {
        QUIRE_REG_VRAM_SIZE_LO, QUIRE_REG_VRAM_SIZE_HI,
        QUIRE_REG_VRAM_VISIBLE_HI, QUIRE_REG_INT_STATUS,
        QUIRE_REG_RING(0, QUIRE_RING_ENTRIES_HI),
        QUIRE_REG_RING(0, QUIRE_RING_CONTROL),
        QUIRE_REG_RING(0, QUIRE_RING_PROGRESS_HI),
        QUIRE_DOORBELL_BASE - 4,
    };
    struct host host;
    uint64_t regs, value;
    unsigned i;

    host_open(&host, HOST_DEVICE "id=quire0");
    regs = host.q->regs.addr;
    g_assert_cmphex(qtest_readq(host.qts, regs + QUIRE_REG_VRAM_SIZE_LO), ==,
                    VRAM_SIZE);
    for (i = 1; i < ARRAY_SIZE(pairs); i++) {
        g_assert_cmphex(qtest_readq(host.qts, regs + pairs[i]), ==, 0);
        g_assert_cmphex(qtest_readw(host.qts, regs + pairs[i]), ==, 0);
        g_assert_cmphex(qtest_readb(host.qts, regs + pairs[i]), ==, 0);
        g_assert_cmphex(qtest_readl(host.qts, regs + pairs[i] + 2), ==, 0);
    }
    quire_ring_set_reg(host.q, QUIRE_RING_CONTROL, 0);
    value = quire_ring_reg64(host.q, QUIRE_RING_FENCE_PAGE_LO);
    qtest_writeq(host.qts, regs + QUIRE_REG_RING(0, QUIRE_RING_ENTRIES_HI),
                 0x1234500067890000);
    qtest_writew(host.qts, regs + QUIRE_REG_RING(0, QUIRE_RING_FENCE_PAGE_LO),
                 0xffff);
    qtest_writeq(host.qts, regs + QUIRE_REG_RING(0, QUIRE_RING_CONTROL),
                 QUIRE_RING_CONTROL_ENABLE);
    qtest_writeq(host.qts, regs + QUIRE_REG_INT_STATUS,
                 (uint64_t)QUIRE_INT_ALL << 32);
    g_assert_cmphex(quire_ring_reg64(host.q, QUIRE_RING_ENTRIES_LO), ==,
                    host.q->entries);
    g_assert_cmphex(quire_ring_reg64(host.q, QUIRE_RING_FENCE_PAGE_LO), ==,
                    value);
    g_assert_cmphex(quire_ring_reg(host.q, QUIRE_RING_CONTROL), ==, 0);
    g_assert_cmphex(quire_reg(host.q, QUIRE_REG_INT_ENABLE), ==, 0);
    g_assert_cmpint(host_close(&host, "no register of"), ==,
                    4 * (ARRAY_SIZE(pairs) - 1) + 4);
}

/* A doorbell has 4 or 8 bytes, aligned. */
static void test_doorbell(void *obj, void *data, QGuestAllocator *alloc)
{
    struct host host;
    uint64_t doorbell;

    host_open(&host, HOST_DEVICE "id=quire0");
    doorbell = host.q->regs.addr + QUIRE_DOORBELL(QUIRE_RING_PAGING);
    quire_wait_idle(host.q);
    quire_entry(host.q, 0, 0, 0, 1, 0);
    qtest_writeq(host.qts, doorbell + 4, 0);
    qtest_writeb(host.qts, doorbell, 0);
    qtest_writew(host.qts, doorbell + 8, 0);
    qtest_writel(host.qts, doorbell + 10, 0);
    quire_check_stopped(host.q);
    qtest_writeq(host.qts, doorbell + 8, 0);
    quire_wait_idle(host.q);
    g_assert_cmphex(qtest_readq(host.qts, host.q->fence_page), ==, 1);
    g_assert_cmpint(host_close(&host, "no register of"), ==, 4);
}

/* Without the property there are no faults on demand. */
static void test_no_injection(void *obj, void *data, QGuestAllocator *alloc)
{
    static const uint32_t regs[] = { QUIRE_REG_RING(0, QUIRE_RING_INJECT_HANG),
                                     QUIRE_REG_RING(0, QUIRE_RING_INJECT_FAULT),
                                     QUIRE_REG_INJECT_DROP_IRQ };
    struct host host;
    unsigned i;

    host_open(&host, HOST_DEVICE "id=quire0");
    g_assert_cmphex(quire_reg(host.q, QUIRE_REG_CAPS), ==, 0);
    for (i = 0; i < ARRAY_SIZE(regs); i++) {
        quire_set_reg(host.q, regs[i], 1);
        g_assert_cmphex(quire_reg(host.q, regs[i]), ==, 0);
    }
    quire_lives(host.q);
    g_assert_cmphex(quire_reg(host.q, QUIRE_REG_INT_STATUS), ==,
                    QUIRE_INT_FENCE);
    g_assert_cmpint(host_close(&host, "needs a device with "
                                      "fault-injection=on"), ==, 3);

    host_open(&host, HOST_DEVICE "fault-injection=on");
    g_assert_cmphex(quire_reg(host.q, QUIRE_REG_CAPS), ==,
                    QUIRE_CAPS_FAULT_INJECTION);
    for (i = 0; i < ARRAY_SIZE(regs); i++) {
        quire_set_reg(host.q, regs[i], 4711);
        g_assert_cmphex(quire_reg(host.q, regs[i]), ==, 4711);
    }
    g_assert_cmpint(host_close(&host, "fault-injection"), ==, 0);
}

/* May this process lock so much memory, and so an emulator? */
static bool can_lock(void)
{
    void *memory = mmap(NULL, LOCKED_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool ok = memory != MAP_FAILED && !mlock(memory, LOCKED_SIZE);

    if (memory != MAP_FAILED) {
        munmap(memory, LOCKED_SIZE);
    }
    return ok;
}

/* Locked memory is not given back: that is said once, and it reads as zero. */
static void test_discard_locked(void *obj, void *data, QGuestAllocator *alloc)
{
    struct host host;
    unsigned i;

    if (!can_lock()) {
        g_test_skip("no right to lock memory");
        return;
    }
    host_open(&host, "-overcommit mem-lock=on " HOST_DEVICE "id=quire0");
    for (i = 0; i < 8; i++) {
        quire_fill(host.q, QUIRE_SEGMENT_VRAM, 0, 4 * MiB, 0x55667788);
        quire_discard(host.q, 0, 4 * MiB);
    }
    quire_run(host.q, 1);
    quire_check_zero_page(host.q, quire_vram_addr(host.q, 0));
    quire_check_zero_page(host.q, quire_vram_addr(host.q, 4 * MiB -
                                                          QUIRE_PAGE_SIZE));
    g_assert_cmpint(host_close(&host, "Failed to discard range"), ==, 1);
}

static void quire_host_register(void)
{
    if (g_str_equal(qtest_get_arch(), "x86_64")) {
        qos_add_test("names", "quire", test_names, NULL);
        qos_add_test("names-ring", "quire", test_names_ring, NULL);
        qos_add_test("access-size", "quire", test_access, NULL);
        qos_add_test("access-doorbell", "quire", test_doorbell, NULL);
        qos_add_test("no-injection", "quire", test_no_injection, NULL);
        qos_add_test("discard-locked", "quire", test_discard_locked, NULL);
    }
}

libqos_init(quire_host_register);
