/*
 * QTest testcase for the Quire virtual GPU: virtual addresses, contexts and
 * the TLB
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "libqtest.h"
#include "libqos/pci-pc.h"
#include "libqos/quire.h"

#define MMU_VA          0x7fff80000000ull
/* Where tables are in VRAM, and pages that are moved. */
#define MMU_TABLES      (2 * MiB)
#define MMU_PAGES       MiB
/* The same of guest memory: pages of the tests' data. */
#define MMU_TABLE_PAGE  12
#define MMU_CONTEXT     11
#define MMU_OTHER       10

#define MMU_COMMAND     "-machine q35 -m 64M -nic none " \
                        "-device quire,addr=4.0,vram-size=64M," \
                        "vram-visible=16M,aperture-size=16M "
#define MMU_COPIES      40
#define MMU_FIRST_COPY  3
#define MMU_SHIFT       QUIRE_PAGE_SIZE
#define MMU_SIZE        (48 * MiB)
#define MMU_TOP         (MMU_SIZE - 2 * MMU_COPIES * MMU_SHIFT)

/* A page of the address space, counted from its start. */
static uint64_t mmu_va(unsigned page)
{
    return MMU_VA + page * QUIRE_PAGE_SIZE;
}

/* Where the table of a level is, in its segment. */
static uint64_t mmu_table(QQuire *q, uint32_t segment, unsigned level)
{
    return segment ? MMU_TABLES + level * QUIRE_PAGE_SIZE :
                     quire_data_page(q, MMU_TABLE_PAGE + level);
}

static uint64_t mmu_root(QQuire *q, uint32_t segment)
{
    return QUIRE_PTE(segment, mmu_table(q, segment, 3), QUIRE_PTE_VALID);
}

/* The CPU writes it; the device does not know before it is told. */
static void mmu_set(QQuire *q, uint32_t segment, unsigned level, uint64_t va,
                    uint64_t entry)
{
    uint64_t at = mmu_table(q, segment, level) +
                  (va >> QUIRE_PT_SHIFT(level) & (QUIRE_PT_ENTRIES - 1)) * 8;

    if (segment) {
        at = quire_vram_addr(q, at);
    }
    qtest_writeq(q->qts, at, entry);
}

static void mmu_init_context(QQuire *q, unsigned page, uint64_t root)
{
    struct quire_packet_init_context *p;

    p = quire_packet(q, QUIRE_OP_INIT_CONTEXT, 0, sizeof(*p));
    p->segment = cpu_to_le32(QUIRE_SEGMENT_SYSTEM);
    p->address = cpu_to_le64(quire_data_page(q, page));
    quire_run(q, 1);
    g_assert_cmphex(qtest_readl(q->qts, quire_data_page(q, page)), ==,
                    QUIRE_CONTEXT_MAGIC);
    qtest_writeq(q->qts, quire_data_page(q, page) +
                 offsetof(struct quire_context_area, root), root);
}

/* Two pages of VRAM, one of guest memory, and nothing more. */
static void mmu_open(QQuire *q, uint32_t segment)
{
    unsigned level;

    for (level = 0; level < QUIRE_PT_LEVELS; level++) {
        qtest_memset(q->qts, segment ?
                     quire_vram_addr(q, mmu_table(q, segment, level)) :
                     mmu_table(q, segment, level), 0, QUIRE_PAGE_SIZE);
    }
    for (level = 3; level; level--) {
        mmu_set(q, segment, level, MMU_VA,
                QUIRE_PTE(segment, mmu_table(q, segment, level - 1),
                          QUIRE_PTE_VALID));
    }
    mmu_set(q, segment, 0, mmu_va(0),
            QUIRE_PTE(QUIRE_SEGMENT_VRAM, MMU_PAGES, QUIRE_PTE_VALID));
    mmu_set(q, segment, 0, mmu_va(1),
            QUIRE_PTE(QUIRE_SEGMENT_SYSTEM, quire_data_page(q, 0),
                      QUIRE_PTE_VALID | QUIRE_PTE_CACHE_COHERENT));
    mmu_init_context(q, MMU_CONTEXT, mmu_root(q, segment));
    quire_put_page(q, quire_vram_addr(q, MMU_PAGES), 1);
    quire_put_page(q, quire_vram_addr(q, MMU_PAGES + QUIRE_PAGE_SIZE), 2);
    qtest_memset(q->qts, quire_data_page(q, 0), 0, QUIRE_PAGE_SIZE);
}

static void mmu_submit(QQuire *q, unsigned context, uint64_t fence)
{
    qtest_bufwrite(q->qts, q->buffer, q->packets, q->size);
    quire_entry(q, q->buffer, q->size, QUIRE_ENTRY_CONTEXT, fence,
                QUIRE_ADDRESS(QUIRE_SEGMENT_SYSTEM,
                              quire_data_page(q, context)));
    q->size = 0;
    quire_doorbell(q);
}

static void mmu_run(QQuire *q, unsigned context, uint64_t fence)
{
    mmu_submit(q, context, fence);
    quire_wait_idle(q);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_FAULT_CODE), ==,
                    QUIRE_FAULT_NONE);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, fence);
}

static void mmu_transfer(QQuire *q, uint32_t direction, uint64_t src,
                         uint64_t dst, uint64_t size)
{
    struct quire_packet_transfer_virtual *p;

    p = quire_packet(q, QUIRE_OP_TRANSFER_VIRTUAL, 0, sizeof(*p));
    p->direction = cpu_to_le32(direction);
    p->src = cpu_to_le64(src);
    p->dst = cpu_to_le64(dst);
    p->size = cpu_to_le64(size);
}

/* What page 0 of the address space has is in guest memory now. */
static void mmu_check_first(QQuire *q, unsigned seed, uint64_t fence)
{
    mmu_transfer(q, QUIRE_DIRECTION_LOCAL_TO_SYSTEM, mmu_va(0), mmu_va(1),
                 QUIRE_PAGE_SIZE);
    mmu_run(q, MMU_CONTEXT, fence);
    quire_check_page(q, quire_data_page(q, 0), seed);
}

/* The other page of VRAM. */
static void mmu_swap_first(QQuire *q, uint32_t segment)
{
    mmu_set(q, segment, 0, mmu_va(0),
            QUIRE_PTE(QUIRE_SEGMENT_VRAM, MMU_PAGES + QUIRE_PAGE_SIZE,
                      QUIRE_PTE_VALID));
}

static void mmu_flush(QQuire *q, uint32_t segment, uint64_t fence)
{
    struct quire_packet_flush_tlb *p;

    p = quire_packet(q, QUIRE_OP_FLUSH_TLB, 0, sizeof(*p));
    p->root = cpu_to_le64(mmu_root(q, segment));
    p->start = cpu_to_le64(mmu_va(0));
    p->end = cpu_to_le64(mmu_va(1));
    quire_run(q, fence);
}

static void mmu_both_ways(QQuire *q, uint32_t segment)
{
    mmu_open(q, segment);
    mmu_check_first(q, 1, 2);
    quire_put_page(q, quire_data_page(q, 0), 3);
    mmu_transfer(q, QUIRE_DIRECTION_SYSTEM_TO_LOCAL, mmu_va(1) + 5,
                 mmu_va(0) + 5, QUIRE_PAGE_SIZE - 5);
    mmu_run(q, MMU_CONTEXT, 3);
    /* The first bytes are none of the copy. */
    qtest_memset(q->qts, quire_vram_addr(q, MMU_PAGES), 0, 5);
    mmu_transfer(q, QUIRE_DIRECTION_SYSTEM_TO_LOCAL, mmu_va(1), mmu_va(0), 5);
    mmu_run(q, MMU_CONTEXT, 4);
    quire_check_page(q, quire_vram_addr(q, MMU_PAGES), 3);
    quire_check_page(q, quire_vram_addr(q, MMU_PAGES + QUIRE_PAGE_SIZE), 2);
}

static void test_transfer(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    mmu_both_ways(q, QUIRE_SEGMENT_VRAM);
    quire_ring_program(q);
    quire_ring_enable(q);
    mmu_both_ways(q, QUIRE_SEGMENT_SYSTEM);
    quire_stop(q, alloc);
}

/* @va could not be written: the context says so. */
static void mmu_check_latched(QQuire *q, uint64_t va)
{
    struct quire_context_area area;

    qtest_bufread(q->qts, quire_data_page(q, MMU_CONTEXT), &area,
                  sizeof(area));
    g_assert_cmphex(le32_to_cpu(area.magic), ==, QUIRE_CONTEXT_MAGIC);
    g_assert_cmphex(le32_to_cpu(area.status), ==, QUIRE_CONTEXT_FAULT);
    g_assert_cmphex(le64_to_cpu(area.fault_address), ==, va);
    g_assert_cmphex(le64_to_cpu(area.fault_entry), ==, 0);
    g_assert_cmpint(le32_to_cpu(area.fault_code), ==, QUIRE_FAULT_PAGE);
    g_assert_cmphex(le32_to_cpu(area.fault_access), ==,
                    QUIRE_ACCESS_OF(QUIRE_ACCESS_WRITE, 0));
}

/* Another context clears what is latched: it has the same address space. */
static void mmu_clear_latched(QQuire *q)
{
    struct quire_packet_update_context *p;

    mmu_set(q, QUIRE_SEGMENT_VRAM, 0, mmu_va(6),
            QUIRE_PTE(QUIRE_SEGMENT_SYSTEM, quire_data_page(q, MMU_CONTEXT),
                      QUIRE_PTE_VALID | QUIRE_PTE_CACHE_COHERENT));
    mmu_init_context(q, MMU_OTHER, mmu_root(q, QUIRE_SEGMENT_VRAM));
    p = quire_packet(q, QUIRE_OP_UPDATE_CONTEXT, 0, sizeof(*p) + 8);
    p->context = cpu_to_le64(mmu_va(6));
    p->bytes = cpu_to_le32(8);
    p->data[0] = cpu_to_le64(QUIRE_CONTEXT_MAGIC);
    mmu_run(q, MMU_OTHER, 2);
}

static void test_fault(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    mmu_open(q, QUIRE_SEGMENT_VRAM);
    mmu_transfer(q, QUIRE_DIRECTION_LOCAL_TO_SYSTEM, mmu_va(0), mmu_va(1),
                 QUIRE_PAGE_SIZE);
    mmu_transfer(q, QUIRE_DIRECTION_LOCAL_TO_LOCAL, mmu_va(0), mmu_va(5) + 8,
                 16);
    mmu_submit(q, MMU_CONTEXT, 2);
    quire_wait_idle(q);
    quire_assert_fault(q, QUIRE_FAULT_PAGE,
                       sizeof(struct quire_packet_transfer_virtual),
                       mmu_va(5) + 8);
    quire_check_page(q, quire_data_page(q, 0), 1);
    mmu_check_latched(q, mmu_va(5) + 8);

    quire_ring_program(q);
    quire_ring_enable(q);
    mmu_transfer(q, QUIRE_DIRECTION_LOCAL_TO_SYSTEM, mmu_va(0), mmu_va(1), 8);
    mmu_submit(q, MMU_CONTEXT, 1);
    quire_wait_idle(q);
    g_assert_cmpint(quire_ring_reg(q, QUIRE_RING_FAULT_CODE), ==,
                    QUIRE_FAULT_BAD_CONTEXT);
    quire_ring_program(q);
    quire_ring_enable(q);
    mmu_clear_latched(q);
    mmu_check_first(q, 1, 3);
    quire_stop(q, alloc);
}

static void test_stale(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_TLB_ENTRIES), !=, 0);
    mmu_open(q, QUIRE_SEGMENT_VRAM);
    mmu_check_first(q, 1, 2);
    mmu_swap_first(q, QUIRE_SEGMENT_VRAM);
    mmu_check_first(q, 1, 3);
    mmu_flush(q, QUIRE_SEGMENT_VRAM, 4);
    mmu_check_first(q, 2, 5);
    quire_stop(q, alloc);
}

static void test_no_tlb(void *obj, void *data, QGuestAllocator *alloc)
{
    QQuire *q = obj;

    quire_start(q, alloc);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_TLB_ENTRIES), ==, 0);
    mmu_open(q, QUIRE_SEGMENT_SYSTEM);
    mmu_check_first(q, 1, 2);
    mmu_swap_first(q, QUIRE_SEGMENT_SYSTEM);
    mmu_check_first(q, 2, 3);
    mmu_flush(q, QUIRE_SEGMENT_SYSTEM, 4);
    mmu_check_first(q, 2, 5);
    quire_stop(q, alloc);
}

/* Pages of 2 MiB of VRAM, from page 512 of the address space on. */
static void mmu_map_large(QQuire *q, uint32_t segment, uint64_t size)
{
    uint64_t at;

    for (at = 0; at < size; at += 2 * MiB) {
        mmu_set(q, segment, 1, mmu_va(512) + at,
                QUIRE_PTE(QUIRE_SEGMENT_VRAM, at,
                          QUIRE_PTE_VALID | QUIRE_PTE_LARGE));
    }
}

static void test_reset(void *obj, void *data, QGuestAllocator *alloc)
{
    struct quire_packet_fill_virtual *p;
    QQuire *q = obj;
    unsigned i;

    quire_start(q, alloc);
    mmu_open(q, QUIRE_SEGMENT_VRAM);
    mmu_map_large(q, QUIRE_SEGMENT_VRAM, VRAM_SIZE);
    /* A test that was not given the processor meanwhile finds it done. */
    do {
        quire_ring_program(q);
        quire_ring_enable(q);
        mmu_check_first(q, 1, 2);
        for (i = 0; i < 1000; i++) {
            p = quire_packet(q, QUIRE_OP_FILL_VIRTUAL, 0, sizeof(*p));
            p->dst = cpu_to_le64(mmu_va(512) + 4 * MiB);
            p->size = cpu_to_le64(8 * MiB);
            p->pattern = cpu_to_le32(0x01020304);
        }
        mmu_submit(q, MMU_CONTEXT, 3);
        while (quire_ring_reg64(q, QUIRE_RING_PROGRESS_LO) < 2 * MiB) {
            qtest_clock_step(q->qts, 100);
        }
        quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
        g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_STATUS), ==, 0);
        g_assert_cmphex(quire_reg(q, QUIRE_REG_WALKS_LO), ==, 0);
    } while (qtest_readq(q->qts, q->fence_page) == 3);

    /* It has forgotten all translations. */
    mmu_swap_first(q, QUIRE_SEGMENT_VRAM);
    quire_ring_program(q);
    quire_ring_enable(q);
    mmu_check_first(q, 2, 1);
    quire_stop(q, alloc);
}

static QTestState *mmu_move_to(QQuire *q)
{
    g_autofree char *path = g_strdup_printf("%s/quire-mmu-%d",
                                            g_get_tmp_dir(), getpid());
    g_autofree char *uri = g_strdup_printf("file:%s", path);
    QTestState *to = qtest_init(MMU_COMMAND "-incoming defer");

    qtest_qmp_assert_success(q->qts, "{ 'execute': 'migrate',"
                             " 'arguments': { 'uri': %s } }", uri);
    quire_migrate_wait(q->qts, "completed");
    qtest_qmp_assert_success(to, "{ 'execute': 'migrate-incoming',"
                             " 'arguments': { 'uri': %s } }", uri);
    quire_migrate_wait(to, "completed");
    unlink(path);
    return to;
}

/*
 * A mark moves up page by page with each overlapping copy, also one that a copy
 * which begins anew would move twice. At last a fault is to be latched.
 */
static void mmu_copies(QQuire *q)
{
    unsigned i;

    mmu_map_large(q, QUIRE_SEGMENT_SYSTEM, 64 * MiB);
    quire_put_page(q, q->data, 1);
    quire_fill(q, QUIRE_SEGMENT_VRAM, 0, MMU_SIZE, 0x55667788);
    quire_from_system(q, q->data, 1, 0);
    quire_from_system(q, q->data, 1, MMU_TOP);
    for (i = 0; i < MMU_COPIES; i++) {
        mmu_transfer(q, QUIRE_DIRECTION_LOCAL_TO_LOCAL, mmu_va(512),
                     mmu_va(512) + MMU_SHIFT, MMU_SIZE);
    }
    quire_to_system(q, MMU_TOP + MMU_COPIES * MMU_SHIFT,
                    quire_data_page(q, 3), 1);
    mmu_transfer(q, QUIRE_DIRECTION_LOCAL_TO_LOCAL, mmu_va(512), mmu_va(5), 8);
    mmu_submit(q, MMU_CONTEXT, 7);
}

/*
 * In a copy, which has moved what it moves among the first; or false: a test
 * that was not given the processor meanwhile finds all of them done.
 */
static bool mmu_stop_in_copy(QQuire *q)
{
    while (quire_ring_reg64(q, QUIRE_RING_PACKETS_LO) <= MMU_FIRST_COPY + 1) {
        qtest_clock_step(q->qts, 100);
    }
    qtest_qmp_assert_success(q->qts, "{ 'execute': 'stop' }");
    while (quire_ring_reg64(q, QUIRE_RING_PROGRESS_LO) % MMU_SIZE < MiB) {
        qtest_qmp_assert_success(q->qts, "{ 'execute': 'cont' }");
        if (quire_ring_reg64(q, QUIRE_RING_PACKETS_LO) >
            MMU_FIRST_COPY + MMU_COPIES) {
            return false;
        }
        qtest_clock_step(q->qts, 100);
        qtest_qmp_assert_success(q->qts, "{ 'execute': 'stop' }");
    }
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_STATUS), ==,
                    QUIRE_RING_STATUS_BUSY);
    return true;
}

static void mmu_check_copies(QQuire *q)
{
    quire_wait_idle(q);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_FAULT_CODE), ==,
                    QUIRE_FAULT_PAGE);
    g_assert_cmphex(quire_ring_reg64(q, QUIRE_RING_FAULT_FENCE_LO), ==, 7);
    quire_check_page(q, quire_data_page(q, 3), 1);
    quire_check_page(q, quire_vram_addr(q, 0), 1);
    quire_check_page(q, quire_vram_addr(q, (MMU_COPIES - 1) * MMU_SHIFT), 1);
    g_assert_cmphex(qtest_readl(q->qts, quire_vram_addr(q, (MMU_COPIES + 1) *
                                                           MMU_SHIFT)),
                    ==, 0x55667788);
    mmu_check_latched(q, mmu_va(5));
}

static void test_migrate(void *obj, void *data, QGuestAllocator *alloc)
{
    QTestState *from = qtest_init(MMU_COMMAND), *to;
    QPCIBus *from_bus = qpci_new_pc(from, NULL), *to_bus;
    g_autofree QQuire *q = g_new0(QQuire, 1);

    quire_open_ring(q, from, from_bus);
    do {
        quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
        quire_ring_program(q);
        quire_ring_enable(q);
        mmu_open(q, QUIRE_SEGMENT_SYSTEM);
        mmu_copies(q);
    } while (!mmu_stop_in_copy(q));
    to = mmu_move_to(q);
    to_bus = qpci_new_pc(to, NULL);
    quire_open(q, to, to_bus);
    qtest_qmp_assert_success(to, "{ 'execute': 'cont' }");
    mmu_check_copies(q);
    qpci_free_pc(from_bus);
    qpci_free_pc(to_bus);
    qtest_quit(to);
    qtest_quit(from);
}

static void quire_mmu_register(void)
{
    QOSGraphTestOptions none = { .edge.extra_device_opts = "tlb-entries=0" };

    qos_add_test("mmu-transfer", "quire-spaces", test_transfer, NULL);
    qos_add_test("mmu-fault", "quire-spaces", test_fault, NULL);
    qos_add_test("mmu-stale", "quire-spaces", test_stale, NULL);
    qos_add_test("mmu-no-tlb", "quire-spaces", test_no_tlb, &none);
    qos_add_test("mmu-reset", "quire-spaces", test_reset, NULL);
    if (g_str_equal(qtest_get_arch(), "x86_64")) {
        qos_add_test("mmu-migrate", "quire-spaces", test_migrate, NULL);
    }
}

libqos_init(quire_mmu_register);
