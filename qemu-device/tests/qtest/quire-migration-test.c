/*
 * QTest testcase for the Quire virtual GPU: migration, between two
 * emulators of its own
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "libqtest.h"
#include "libqos/pci-pc.h"
#include "libqos/quire.h"
#include "hw/quire/engine/quire_command.h"

#define MIGRATE_COMMAND     "-machine q35 -m 64M -nic none " \
                            "-device quire,addr=4.0,fault-injection=on," \
                            "dummy-page-report=on,vram-size=64M," \
                            "vram-visible=16M,aperture-size=17M "
#define MIGRATE_FIRST_COPY  5
#define MIGRATE_COPIES      40
#define MIGRATE_SHIFT       QUIRE_PAGE_SIZE
#define MIGRATE_SIZE        (48 * MiB)
#define MIGRATE_LAST_PAGE   (17 * MiB / QUIRE_PAGE_SIZE - 1)
/* What each copy moves among the first, for it begins with the last page. */
#define MIGRATE_TOP         (MIGRATE_SIZE - 2 * MIGRATE_COPIES * MIGRATE_SHIFT)

static QTestState *migrate_to_file(QQuire *q, const char *command,
                                   const char *path)
{
    g_autofree char *uri = g_strdup_printf("file:%s", path);
    QTestState *to = qtest_initf("%s-incoming defer", command);

    qtest_qmp_assert_success(q->qts, "{ 'execute': 'migrate',"
                             " 'arguments': { 'uri': %s } }", uri);
    quire_migrate_wait(q->qts, "completed");
    qtest_qmp_assert_success(to, "{ 'execute': 'migrate-incoming',"
                             " 'arguments': { 'uri': %s } }", uri);
    quire_migrate_wait(to, "completed");
    return to;
}

/**
 * struct migration - a test of what travels
 * @prepare: on the source, whose VM is then stopped if it is not yet
 * @check: on the destination, whose VM runs on
 * @stop: stops the source's VM in the middle of work; returns false if that is
 *        done, and all begins anew; may be NULL
 */
struct migration {
    void (*prepare)(QQuire *q);
    void (*check)(QQuire *q);
    bool (*stop)(QQuire *q);
};

/* The fence of work in the middle of which a VM is stopped. */
#define WORK_FENCE  7

#define RING_REGS   (QUIRE_RING_PACKETS_OF(QUIRE_OP_MAX + 1) / 4)
#define GLOBAL_REGS 13

/* All that can be read of the device, but constants, and of its ring. */
static void migrate_read_regs(QQuire *q, uint32_t *regs)
{
    unsigned i;

    *regs++ = quire_reg(q, QUIRE_REG_INT_STATUS);
    *regs++ = quire_reg(q, QUIRE_REG_INT_ENABLE);
    *regs++ = quire_reg(q, QUIRE_REG_INJECT_DROP_IRQ);
    *regs++ = quire_reg(q, QUIRE_REG_APERTURE_INDEX);
    *regs++ = quire_reg(q, QUIRE_REG_APERTURE_ENTRY_LO);
    *regs++ = quire_reg(q, QUIRE_REG_APERTURE_ENTRY_HI);
    *regs++ = quire_reg(q, QUIRE_REG_POSTED);
    *regs++ = quire_reg(q, QUIRE_REG_DUMMY_PAGES_LO);
    *regs++ = quire_reg(q, QUIRE_REG_DUMMY_OFFSET_LO);
    *regs++ = quire_reg(q, QUIRE_REG_RESIDENCY_PAGE_HI);
    *regs++ = quire_reg(q, QUIRE_REG_RESIDENCY_ALLOCATION);
    *regs++ = quire_reg(q, QUIRE_REG_RESIDENCY_OFFSET);
    *regs++ = quire_reg(q, QUIRE_REG_RESIDENCY_PAGES);
    for (i = 0; i < RING_REGS; i++) {
        *regs++ = quire_ring_reg(q, 4 * i);
    }
}

/* A source that is ready to go. */
static QPCIBus *migrate_prepare(QQuire *q, const struct migration *migration)
{
    for (;;) {
        QTestState *from = qtest_init(MIGRATE_COMMAND);
        QPCIBus *bus = qpci_new_pc(from, NULL);

        quire_open_ring(q, from, bus);
        migration->prepare(q);
        if (!migration->stop || migration->stop(q)) {
            return bus;
        }
        qpci_free_pc(bus);
        qtest_quit(from);
    }
}

static void test_migrate(void *obj, void *data, QGuestAllocator *alloc)
{
    const struct migration *migration = data;
    g_autofree char *path = g_strdup_printf("%s/quire-migrate-%d",
                                            g_get_tmp_dir(), getpid());
    g_autofree QQuire *q = g_new0(QQuire, 1);
    QPCIBus *from_bus, *to_bus;
    QTestState *from, *to;
    uint32_t before[GLOBAL_REGS + RING_REGS], after[GLOBAL_REGS + RING_REGS];

    from_bus = migrate_prepare(q, migration);
    from = q->qts;
    qtest_qmp_assert_success(from, "{ 'execute': 'stop' }");
    migrate_read_regs(q, before);
    to = migrate_to_file(q, MIGRATE_COMMAND, path);
    unlink(path);

    to_bus = qpci_new_pc(to, NULL);
    quire_open(q, to, to_bus);
    migrate_read_regs(q, after);
    g_assert_cmpmem(after, sizeof(after), before, sizeof(before));
    qtest_qmp_assert_success(to, "{ 'execute': 'cont' }");
    migration->check(q);
    qpci_free_pc(from_bus);
    qpci_free_pc(to_bus);
    qtest_quit(to);
    qtest_quit(from);
}

/*
 * Where of each @period bytes of work at least @least are done. A test that was
 * not given the processor meanwhile finds all work done.
 */
static bool stop_at(QQuire *q, uint64_t period, uint64_t least)
{
    for (;;) {
        qtest_qmp_assert_success(q->qts, "{ 'execute': 'stop' }");
        if (qtest_readq(q->qts, q->fence_page) == WORK_FENCE) {
            return false;
        }
        g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_STATUS), ==,
                        QUIRE_RING_STATUS_BUSY);
        if (quire_ring_reg64(q, QUIRE_RING_PROGRESS_LO) % period >= least) {
            return true;
        }
        qtest_qmp_assert_success(q->qts, "{ 'execute': 'cont' }");
        qtest_clock_step(q->qts, 100);
    }
}

/*
 * A mark moves up page by page with each overlapping copy; so does one that a
 * copy which begins anew would move twice.
 */
static void prepare_work(QQuire *q)
{
    unsigned i;

    quire_put_page(q, q->data, 1);
    quire_map(q, 9, 1, q->data + QUIRE_PAGE_SIZE);
    quire_map(q, MIGRATE_LAST_PAGE, 1, q->data + 2 * QUIRE_PAGE_SIZE);
    quire_fill(q, QUIRE_SEGMENT_VRAM, 0, MIGRATE_SIZE, 0x55667788);
    quire_from_system(q, q->data, 1, 0);
    quire_from_system(q, q->data, 1, MIGRATE_TOP);
    for (i = 0; i < MIGRATE_COPIES; i++) {
        quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_VRAM,
                       MIGRATE_SHIFT, MIGRATE_SIZE, NULL, 0);
    }
    quire_transfer(q, QUIRE_SEGMENT_VRAM, MIGRATE_COPIES * MIGRATE_SHIFT,
                   QUIRE_SEGMENT_APERTURE, 9 * QUIRE_PAGE_SIZE,
                   QUIRE_PAGE_SIZE, NULL, 0);
    quire_transfer(q, QUIRE_SEGMENT_APERTURE, 9 * QUIRE_PAGE_SIZE,
                   QUIRE_SEGMENT_APERTURE, MIGRATE_LAST_PAGE * QUIRE_PAGE_SIZE,
                   QUIRE_PAGE_SIZE, NULL, 0);
    quire_to_system(q, MIGRATE_TOP + MIGRATE_COPIES * MIGRATE_SHIFT,
                    q->data + 3 * QUIRE_PAGE_SIZE, 1);
    quire_submit(q, WORK_FENCE);
    quire_set_reg(q, QUIRE_REG_APERTURE_INDEX, MIGRATE_LAST_PAGE);
    quire_ring_set_reg(q, QUIRE_RING_HISTORY_INDEX, 3);
}

/* In a copy, which has moved what it moves among the first. */
static bool stop_work(QQuire *q)
{
    while (quire_ring_reg64(q, QUIRE_RING_PACKETS_LO) <= MIGRATE_FIRST_COPY) {
        qtest_clock_step(q->qts, 100);
    }
    return stop_at(q, MIGRATE_SIZE, MiB);
}

static void check_work(QQuire *q)
{
    quire_wait_idle(q);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_FAULT_CODE), ==,
                    QUIRE_FAULT_NONE);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, WORK_FENCE);
    /* Each packet once, on one side or the other; the fourth is from system. */
    g_assert_cmpint(quire_ring_reg64(q, QUIRE_RING_PACKETS_LO), ==,
                    MIGRATE_FIRST_COPY + MIGRATE_COPIES + 3);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_APERTURE_ENTRY_LO), ==,
                    (q->data + 2 * QUIRE_PAGE_SIZE) | QUIRE_APERTURE_VALID |
                    QUIRE_APERTURE_COHERENT);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_HISTORY_HEADER), ==,
                    QUIRE_OP_TRANSFER);
    g_assert_cmphex(quire_ring_reg64(q, QUIRE_RING_HISTORY_ADDR_LO), ==,
                    q->buffer + 2 * 32 + 32);
    /* The entry asked for an interrupt: its flags travelled, too. */
    g_assert_cmphex(quire_reg(q, QUIRE_REG_INT_STATUS), ==, QUIRE_INT_FENCE);
    quire_check_page(q, q->data + QUIRE_PAGE_SIZE, 1);
    quire_check_page(q, q->data + 2 * QUIRE_PAGE_SIZE, 1);
    quire_check_page(q, q->data + 3 * QUIRE_PAGE_SIZE, 1);
    /* Each copy left the mark behind at every page below it. */
    quire_check_page(q, quire_vram_addr(q, 0), 1);
    quire_check_page(q, quire_vram_addr(q, (MIGRATE_COPIES - 1) *
                                           MIGRATE_SHIFT), 1);
    g_assert_cmphex(qtest_readl(q->qts, quire_vram_addr(q,
                        (MIGRATE_COPIES + 1) * MIGRATE_SHIFT)),
                    ==, 0x55667788);
}

#define SWIZZLE_SIZE    (16 * MiB)
#define SWIZZLES        40

/* Fills, and conversions of an image all of whose pages are the same. */
static void prepare_swizzle(QQuire *q)
{
    static const struct quire_layout layout = {
        QUIRE_LAYOUT_TILE_64K, 2, 4096, 1024, 1, 1,
    };
    uint64_t run = QUIRE_RUN(0, SWIZZLE_SIZE / QUIRE_PAGE_SIZE);
    unsigned i;

    quire_put_page(q, q->data, 1);
    quire_unmap(q, 0, SWIZZLE_SIZE / QUIRE_PAGE_SIZE, q->data);
    for (i = 0; i < SWIZZLES; i++) {
        quire_fill(q, QUIRE_SEGMENT_VRAM, 0, SWIZZLE_SIZE, 0x55667788);
        quire_swizzle(q, QUIRE_TRANSFER_SWIZZLE, QUIRE_SEGMENT_APERTURE, 0,
                      &layout, &run, 1);
    }
    quire_submit(q, WORK_FENCE);
}

/* In a conversion: fills are before the odd ones of SWIZZLE_SIZE. */
static bool stop_conversion(QQuire *q)
{
    return stop_at(q, 2 * SWIZZLE_SIZE, SWIZZLE_SIZE + MiB);
}

static bool stop_swizzle(QQuire *q)
{
    if (!stop_conversion(q)) {
        return false;
    }
    g_assert_cmphex(quire_ring_reg64(q, QUIRE_RING_PACKETS_LO) % 2, ==, 0);
    return true;
}

/* Bytes of a row of a tile, 512, are an eighth of a page. */
static void check_swizzle(QQuire *q)
{
    uint64_t tile, line;

    quire_wait_idle(q);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, WORK_FENCE);
    g_assert_cmpint(quire_ring_reg64(q, QUIRE_RING_PACKETS_LO), ==,
                    1 + 2 * SWIZZLES);
    for (tile = 0; tile < SWIZZLE_SIZE / (64 * KiB); tile++) {
        for (line = 0; line < 1024; line += 93) {
            uint64_t u = line / 2 % 2 + line / 8 % 2 * 2 + line / 32 % 2 * 4;
            uint64_t at = quire_vram_addr(q, tile * 64 * KiB + line * 64);

            g_assert_cmphex(qtest_readq(q->qts, at), ==,
                            qtest_readq(q->qts, q->data + tile % 8 * 512 +
                                                u * 64));
        }
    }
}

/* Where the guest has memory for an image of SWIZZLE_SIZE. */
#define LOCK_ADDR       0x2000000
#define LOCKS           40

/*
 * Fills, and special locks of an image whose pages are different. The range is
 * there again when the device travels, and has nothing to do with the packet.
 */
static void prepare_lock(QQuire *q)
{
    static const struct quire_layout layout = {
        QUIRE_LAYOUT_TILE_64K, 2, 4096, 1024, 1, 1,
    };
    const uint64_t runs[] = {
        QUIRE_RUN(LOCK_ADDR / QUIRE_PAGE_SIZE, SWIZZLE_SIZE / QUIRE_PAGE_SIZE),
        QUIRE_RUN(0, SWIZZLE_SIZE / QUIRE_PAGE_SIZE),
    };
    unsigned i;

    for (i = 0; i < SWIZZLE_SIZE / (64 * KiB); i++) {
        quire_put_page(q, LOCK_ADDR + i * 64 * KiB, i);
    }
    quire_set_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_LAYOUT), 1);
    quire_set_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_WIDTH), 8);
    quire_set_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_HEIGHT), 8);
    quire_set_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_LEVELS), 0x10001);
    quire_set_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_CONTROL), 1);
    for (i = 0; i < LOCKS; i++) {
        quire_fill(q, QUIRE_SEGMENT_VRAM, 0, SWIZZLE_SIZE, 0x55667788);
        quire_special_lock(q, QUIRE_TRANSFER_SWIZZLE,
                           QUIRE_SPECIAL_LOCK_RANGE(3, 1), &layout, runs, 2);
    }
    quire_submit(q, WORK_FENCE);
}

static bool stop_lock(QQuire *q)
{
    if (!stop_conversion(q)) {
        return false;
    }
    g_assert_cmphex(quire_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_CONTROL)), ==, 0);
    quire_set_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_CONTROL), 1);
    g_assert_cmphex(quire_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_DATA)), ==, 2);
    return true;
}

/* Each page is a quarter of a row: of eight tiles, the first line of each. */
static void check_lock(QQuire *q)
{
    unsigned i, tile;

    quire_wait_idle(q);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, WORK_FENCE);
    g_assert_cmpint(quire_ring_reg64(q, QUIRE_RING_PACKETS_LO), ==, 2 * LOCKS);
    g_assert_cmphex(quire_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_CONTROL)), ==, 1);
    g_assert_cmphex(quire_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_DATA)), ==, 2);
    for (i = 0; i < SWIZZLE_SIZE / (64 * KiB); i++) {
        uint64_t row = i * 4, band = row / 128, v = row % 128;
        /* Bits 0 to 2 of the row are between those of the column. */
        uint64_t line = (v & 1) | (v & 2) << 1 | (v & 4) << 2 | (v & ~7) << 3;

        for (tile = 0; tile < 8; tile++) {
            uint64_t at = (band * 32 + tile) * 64 * KiB + line * 64;

            g_assert_cmphex(qtest_readq(q->qts, quire_vram_addr(q, at)), ==,
                            qtest_readq(q->qts, LOCK_ADDR + i * 64 * KiB +
                                                tile * 512));
        }
    }
}

#define TABLES_MMU      (64 * MiB)
#define TABLES_PAGES    3

static void tables_show(QQuire *q, uint32_t segment, uint64_t offset)
{
    uint64_t page = QUIRE_ADDRESS(segment, offset);

    quire_set_reg(q, QUIRE_REG_RESIDENCY_PAGE_LO, page);
    quire_set_reg(q, QUIRE_REG_RESIDENCY_PAGE_HI, page >> 32);
}

static void tables_notice(QQuire *q, uint32_t allocation, uint32_t pages,
                          uint32_t segment, uint64_t offset)
{
    struct quire_packet_notify_residency *p =
        quire_packet(q, QUIRE_OP_NOTIFY_RESIDENCY, QUIRE_NOTIFY_RESIDENT,
                     sizeof(*p));

    p->allocation = cpu_to_le32(allocation);
    p->pages = cpu_to_le32(pages);
    p->address = cpu_to_le64(QUIRE_ADDRESS(segment, offset));
}

static void tables_map(QQuire *q, uint32_t mmu, uint32_t segment,
                       uint64_t address, uint64_t first)
{
    struct quire_packet_map_mmu *p =
        quire_packet(q, QUIRE_OP_MAP_MMU,
                     QUIRE_MAP_CONTIGUOUS | QUIRE_MAP_CACHE_COHERENT,
                     sizeof(*p) + 8);

    p->mmu = cpu_to_le32(mmu);
    p->segment = cpu_to_le32(segment);
    p->address = cpu_to_le64(address);
    p->pages = cpu_to_le32(TABLES_PAGES);
    p->page_numbers[0] = cpu_to_le64(first);
}

/* A fence is somewhere. */
static void tables_fence(QQuire *q, uint32_t fence, uint64_t owner)
{
    struct quire_packet_notify_fences *p =
        quire_packet(q, QUIRE_OP_NOTIFY_FENCES, 0,
                     sizeof(*p) + sizeof(*p->fences));

    p->fences[0].fence = cpu_to_le32(fence);
    p->fences[0].owner = cpu_to_le64(owner);
    p->fences[0].current_value = cpu_to_le64(q->data);
    p->fences[0].monitored_value =
        cpu_to_le64(QUIRE_ADDRESS(QUIRE_SEGMENT_VRAM, 8 * fence));
}

/*
 * First and last pages of what is resident, and of what the MMUs show; first
 * and last fences.
 */
static void prepare_tables(QQuire *q)
{
    uint64_t end = TABLES_MMU - TABLES_PAGES * QUIRE_PAGE_SIZE;

    g_assert_cmphex(quire_reg(q, QUIRE_REG_MMU_SIZE_LO), ==, TABLES_MMU);
    tables_notice(q, 7, 2, QUIRE_SEGMENT_VRAM, 0);
    tables_notice(q, 8, 600, QUIRE_SEGMENT_VRAM, 32 * MiB);
    tables_notice(q, 9, 5, QUIRE_SEGMENT_APERTURE,
                  17 * MiB - 5 * QUIRE_PAGE_SIZE);
    tables_map(q, 0, QUIRE_SEGMENT_VRAM, 0, MiB / QUIRE_PAGE_SIZE);
    tables_map(q, 1, QUIRE_SEGMENT_SYSTEM, end, q->data >> QUIRE_PAGE_SHIFT);
    tables_fence(q, 0, 0x123456789001);
    tables_fence(q, QUIRE_NATIVE_FENCES - 1, 0x2001);
    quire_run(q, 1);
    tables_show(q, QUIRE_SEGMENT_APERTURE, 17 * MiB - 3 * QUIRE_PAGE_SIZE);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_RESIDENCY_PAGES), ==, 3);
}

static void tables_check(QQuire *q, uint32_t segment, uint64_t offset,
                         uint32_t allocation, uint32_t page, uint32_t pages)
{
    tables_show(q, segment, offset);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_RESIDENCY_ALLOCATION), ==,
                    allocation);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_RESIDENCY_OFFSET), ==, page);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_RESIDENCY_PAGES), ==, pages);
}

static uint64_t tables_reg64(QQuire *q, uint32_t reg)
{
    return quire_reg(q, reg) | (uint64_t)quire_reg(q, reg + 4) << 32;
}

static void tables_check_fence(QQuire *q, uint32_t fence, uint64_t owner)
{
    quire_set_reg(q, QUIRE_REG_NATIVE_FENCE, fence);
    g_assert_cmphex(tables_reg64(q, QUIRE_REG_NATIVE_OWNER_LO), ==, owner);
    g_assert_cmphex(tables_reg64(q, QUIRE_REG_NATIVE_CURRENT_LO), ==,
                    owner ? q->data : 0);
    g_assert_cmphex(tables_reg64(q, QUIRE_REG_NATIVE_MONITORED_LO), ==,
                    owner ? QUIRE_ADDRESS(QUIRE_SEGMENT_VRAM, 8 * fence) : 0);
}

static void check_tables(QQuire *q)
{
    unsigned i;

    tables_check_fence(q, 0, 0x123456789001);
    tables_check_fence(q, 1, 0);
    tables_check_fence(q, QUIRE_NATIVE_FENCES - 1, 0x2001);

    tables_check(q, QUIRE_SEGMENT_VRAM, 0, 7, 0, 2);
    tables_check(q, QUIRE_SEGMENT_VRAM, 2 * QUIRE_PAGE_SIZE, 0, 0,
                 32 * MiB / QUIRE_PAGE_SIZE - 2);
    tables_check(q, QUIRE_SEGMENT_VRAM, 33 * MiB, 8, MiB / QUIRE_PAGE_SIZE,
                 600 - MiB / QUIRE_PAGE_SIZE);
    tables_check(q, QUIRE_SEGMENT_APERTURE, 17 * MiB - QUIRE_PAGE_SIZE, 9, 4,
                 1);
    for (i = 0; i < TABLES_PAGES; i++) {
        uint64_t at = i * QUIRE_PAGE_SIZE + 8 * i;

        quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_MMU(0), at, 8,
                       0x1111 * (i + 1));
        quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_MMU(1),
                       TABLES_MMU - TABLES_PAGES * QUIRE_PAGE_SIZE + at, 8,
                       0x2222 * (i + 1));
        quire_run(q, 2 + i);
        g_assert_cmphex(qtest_readq(q->qts, quire_vram_addr(q, MiB + at)), ==,
                        0x1111 * (i + 1));
        g_assert_cmphex(qtest_readq(q->qts, q->data + at), ==,
                        0x2222 * (i + 1));
    }
    quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_MMU(0),
                   TABLES_PAGES * QUIRE_PAGE_SIZE, 8, 1);
    quire_expect_fault(q, QUIRE_FAULT_MMU, 0,
                       QUIRE_ADDRESS(QUIRE_SEGMENT_MMU(0),
                                     TABLES_PAGES * QUIRE_PAGE_SIZE));
}

/* Of a device, in MiB: tables end within a chunk of 2 MiB, or with one. */
struct sizes {
    unsigned vram;
    unsigned aperture;
    unsigned mmu;
};

/* The last pages of all tables. */
static void sizes_fill(QQuire *q, const struct sizes *sizes)
{
    uint64_t mmu = sizes->mmu * MiB - TABLES_PAGES * QUIRE_PAGE_SIZE;

    quire_map(q, sizes->aperture * MiB / QUIRE_PAGE_SIZE - 1, 1, q->data);
    tables_map(q, 0, QUIRE_SEGMENT_SYSTEM, mmu, q->data >> QUIRE_PAGE_SHIFT);
    tables_map(q, 1, QUIRE_SEGMENT_VRAM, mmu, 0);
    tables_notice(q, 7, 1, QUIRE_SEGMENT_VRAM,
                  sizes->vram * MiB - QUIRE_PAGE_SIZE);
    tables_notice(q, 8, 2, QUIRE_SEGMENT_APERTURE,
                  sizes->aperture * MiB - 2 * QUIRE_PAGE_SIZE);
    quire_run(q, 1);
}

static void sizes_check(QQuire *q, const struct sizes *sizes)
{
    uint64_t mmu = sizes->mmu * MiB - QUIRE_PAGE_SIZE;
    unsigned i;

    quire_set_reg(q, QUIRE_REG_APERTURE_INDEX,
                  sizes->aperture * MiB / QUIRE_PAGE_SIZE - 1);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_APERTURE_ENTRY_LO), ==,
                    q->data | QUIRE_APERTURE_VALID | QUIRE_APERTURE_COHERENT);
    tables_check(q, QUIRE_SEGMENT_VRAM, sizes->vram * MiB - QUIRE_PAGE_SIZE, 7,
                 0, 1);
    tables_check(q, QUIRE_SEGMENT_APERTURE,
                 sizes->aperture * MiB - QUIRE_PAGE_SIZE, 8, 1, 1);
    for (i = 0; i < 2; i++) {
        quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_MMU(i), mmu, 8,
                       0x1234567800 + i);
    }
    quire_run(q, 2);
    mmu = (TABLES_PAGES - 1) * QUIRE_PAGE_SIZE;
    g_assert_cmphex(qtest_readq(q->qts, q->data + mmu), ==, 0x1234567800);
    g_assert_cmphex(qtest_readq(q->qts, quire_vram_addr(q, mmu)), ==,
                    0x1234567801);
}

static void sizes_migrate(const struct sizes *sizes)
{
    g_autofree char *path = g_strdup_printf("%s/quire-migrate-sizes-%d",
                                            g_get_tmp_dir(), getpid());
    g_autofree char *command =
        g_strdup_printf("-machine q35 -m 64M -nic none -device quire,addr=4.0,"
                        "vram-size=%uM,aperture-size=%uM,mmu-size=%uM ",
                        sizes->vram, sizes->aperture, sizes->mmu);
    QTestState *from = qtest_init(command), *to;
    QPCIBus *from_bus = qpci_new_pc(from, NULL), *to_bus;
    g_autofree QQuire *q = g_new0(QQuire, 1);

    quire_open_ring(q, from, from_bus);
    sizes_fill(q, sizes);
    to = migrate_to_file(q, command, path);
    unlink(path);
    to_bus = qpci_new_pc(to, NULL);
    quire_open(q, to, to_bus);
    sizes_check(q, sizes);
    qpci_free_pc(from_bus);
    qpci_free_pc(to_bus);
    qtest_quit(to);
    qtest_quit(from);
}

static void test_migrate_sizes(void *obj, void *data, QGuestAllocator *alloc)
{
    static const struct sizes sizes[] = {
        { 1, 1, 1 }, { 1, 2, 3 }, { 2, 3, 1 }, { 2, 2, 2 }, { 64, 1, 2 },
        { 65, 4, 63 },
    };
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(sizes); i++) {
        sizes_migrate(&sizes[i]);
    }
}

#define PENDING_VRAM    (12 * MiB)
#define PENDING_PAGES   4
#define PENDING_FILLS   40

/*
 * A special lock that waits behind other work, of an image that is seen through
 * a range.
 */
static void prepare_pending(QQuire *q)
{
    static const struct quire_layout layout = {
        QUIRE_LAYOUT_TILE_4K, 2, 64, 64, 1, 1,
    };
    const uint64_t runs[] = {
        QUIRE_RUN(q->data >> QUIRE_PAGE_SHIFT, PENDING_PAGES),
        QUIRE_RUN(PENDING_VRAM / QUIRE_PAGE_SIZE, PENDING_PAGES),
    };
    unsigned i;

    for (i = 0; i < PENDING_PAGES; i++) {
        quire_put_page(q, quire_data_page(q, i), i);
    }
    quire_swizzle(q, QUIRE_TRANSFER_SWIZZLE, QUIRE_SEGMENT_SYSTEM, 0, &layout,
                  runs, ARRAY_SIZE(runs));
    quire_run(q, 1);
    qtest_memset(q->qts, q->data, 0, PENDING_PAGES * QUIRE_PAGE_SIZE);
    quire_set_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_ADDR_LO), PENDING_VRAM);
    quire_set_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_LAYOUT), 0x201);
    quire_set_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_WIDTH), 64);
    quire_set_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_HEIGHT), 64);
    quire_set_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_LEVELS), 0x10001);
    quire_set_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_CONTROL), 1);
    for (i = 0; i < PENDING_FILLS; i++) {
        quire_fill(q, QUIRE_SEGMENT_VRAM, 16 * MiB, 48 * MiB, 0x55667788);
    }
    quire_special_lock(q, QUIRE_TRANSFER_UNSWIZZLE,
                       QUIRE_SPECIAL_LOCK_RANGE(3, 1), &layout, runs,
                       ARRAY_SIZE(runs));
    quire_submit(q, WORK_FENCE);
}

static bool stop_pending(QQuire *q)
{
    if (!stop_at(q, MIGRATE_SIZE, 0)) {
        return false;
    }
    g_assert_cmphex(quire_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_CONTROL)), ==, 1);
    return true;
}

static void check_pending(QQuire *q)
{
    unsigned i;

    quire_wait_idle(q);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, WORK_FENCE);
    g_assert_cmphex(quire_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_CONTROL)), ==, 0);
    g_assert_cmphex(quire_reg(q, QUIRE_RANGE(3, QUIRE_RANGE_DATA)), ==, 1);
    for (i = 0; i < PENDING_PAGES; i++) {
        quire_check_page(q, quire_data_page(q, i), i);
    }
}

/* The CPU sees pages of the aperture, one with bytes that are posted. */
static void prepare_window(QQuire *q)
{
    const uint64_t list[] = { q->data >> QUIRE_PAGE_SHIFT,
                              (q->data >> QUIRE_PAGE_SHIFT) + 1 };

    quire_put_page(q, quire_vram_addr(q, 0), 1);
    quire_put_page(q, q->data, 2);
    quire_map2_list(q, 5, list, 2, QUIRE_MAP_CPU_VISIBLE);
    quire_map2(q, 7, 1, q->data, 0);
    quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_APERTURE,
                   6 * QUIRE_PAGE_SIZE, QUIRE_PAGE_SIZE, NULL, 0);
    quire_run(q, 1);
    qpci_iomap(&q->dev, QUIRE_BAR_WINDOW, NULL);
    quire_check_page(q, quire_window(q) + 5 * QUIRE_PAGE_SIZE, 2);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_POSTED), ==, QUIRE_PAGE_SIZE);
    quire_set_reg(q, QUIRE_REG_APERTURE_INDEX, 6);
}

static void check_window(QQuire *q)
{
    g_assert_cmphex(quire_reg(q, QUIRE_REG_APERTURE_ENTRY_LO), ==,
                    (q->data + QUIRE_PAGE_SIZE) | QUIRE_APERTURE_VALID |
                    QUIRE_APERTURE_CPU_VISIBLE);
    quire_check_zero_page(q, q->data + QUIRE_PAGE_SIZE);
    quire_check_page(q, quire_window(q) + 5 * QUIRE_PAGE_SIZE, 2);
    quire_check_page(q, quire_window(q) + 6 * QUIRE_PAGE_SIZE, 1);
    quire_check_page(q, q->data + QUIRE_PAGE_SIZE, 1);
    g_assert_cmphex(qtest_readq(q->qts, quire_window(q) +
                                        7 * QUIRE_PAGE_SIZE), ==, ~0ull);
}

/* Every register has a value that is not that after a reset. */
static void prepare_fault(QQuire *q)
{
    quire_set_reg(q, QUIRE_REG_INT_ENABLE, QUIRE_INT_FAULT);
    quire_run(q, 1);
    quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_VRAM, 0, 8, 1);
    quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_SYSTEM,
                   HOLE + 8, 8, 1);
    quire_submit(q, 0x100000002);
    quire_assert_fault(q, QUIRE_FAULT_DMA, 32, HOLE + 8);
    quire_ring_set_reg(q, QUIRE_RING_INJECT_HANG, 1001);
    quire_ring_set_reg(q, QUIRE_RING_INJECT_FAULT, 1002);
    quire_set_reg(q, QUIRE_REG_INJECT_DROP_IRQ, 1003);
}

#define HANG_PACKETS    3

/* A ring that hangs at one of the packets of its submission. */
static void hang_at(QQuire *q, unsigned packet)
{
    unsigned i;

    quire_ring_set_reg(q, QUIRE_RING_INJECT_HANG, packet);
    for (i = 1; i <= HANG_PACKETS; i++) {
        quire_signal(q, quire_data_page(q, i), i);
    }
    quire_submit(q, 1);
    while (quire_ring_reg(q, QUIRE_RING_INJECT_HANG)) {
        qtest_clock_step(q->qts, 100);
    }
}

/* It hangs still, and only what stands before the packet was executed. */
static void hang_check(QQuire *q, unsigned packet)
{
    unsigned i;

    qtest_clock_step(q->qts, 1000);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_STATUS), ==,
                    QUIRE_RING_STATUS_BUSY);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, 0);
    for (i = 1; i <= HANG_PACKETS; i++) {
        g_assert_cmphex(qtest_readq(q->qts, quire_data_page(q, i)), ==,
                        i < packet ? i : 0);
    }
    quire_lives(q);
}

static void prepare_hang(QQuire *q)
{
    hang_at(q, 1);
}

static void check_hang(QQuire *q)
{
    hang_check(q, 1);
}

static void prepare_hang_middle(QQuire *q)
{
    hang_at(q, 2);
}

static void check_hang_middle(QQuire *q)
{
    hang_check(q, 2);
}

static void prepare_hang_last(QQuire *q)
{
    hang_at(q, HANG_PACKETS);
}

static void check_hang_last(QQuire *q)
{
    hang_check(q, HANG_PACKETS);
}

/*
 * Bytes that the device holds back, of which memory on no side knows; and an
 * access to a dummy page.
 */
static void prepare_posted(QQuire *q)
{
    quire_put_page(q, quire_vram_addr(q, 0), 1);
    quire_map_flags(q, 3, 2, q->data, 0);
    quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_APERTURE,
                   4 * QUIRE_PAGE_SIZE, QUIRE_PAGE_SIZE, NULL, 0);
    quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_APERTURE,
                   3 * QUIRE_PAGE_SIZE + 77, 100, NULL, 0);
    quire_unmap(q, 7, 1, q->data + 2 * QUIRE_PAGE_SIZE);
    quire_transfer(q, QUIRE_SEGMENT_APERTURE, 7 * QUIRE_PAGE_SIZE,
                   QUIRE_SEGMENT_VRAM, QUIRE_PAGE_SIZE, 8, NULL, 0);
    quire_run(q, 1);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_DUMMY_PAGES_LO), ==, 1);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_POSTED), ==, QUIRE_PAGE_SIZE + 100);
}

static void check_posted(QQuire *q)
{
    g_assert_cmpint(quire_reg(q, QUIRE_REG_POSTED), ==, QUIRE_PAGE_SIZE + 100);
    quire_check_zero_page(q, q->data);
    quire_check_zero_page(q, q->data + QUIRE_PAGE_SIZE);
    quire_physical(q, QUIRE_OP_READ_PHYSICAL, QUIRE_SEGMENT_VRAM, 0, 1, 0);
    quire_submit(q, 2);
    quire_wait_idle(q);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_POSTED), ==, 0);
    quire_check_page(q, q->data + QUIRE_PAGE_SIZE, 1);
    g_assert_cmphex(qtest_readq(q->qts, q->data + 77), ==,
                    qtest_readq(q->qts, quire_vram_addr(q, 0)));
    g_assert_cmphex(qtest_readb(q->qts, q->data + 177), ==, 0);
}

/* As many pages as the write buffer has: the first that was there has gone. */
static void prepare_full(QQuire *q)
{
    unsigned i, pages = QUIRE_POSTED_MAX / QUIRE_PAGE_SIZE;

    quire_put_page(q, quire_vram_addr(q, 0), 1);
    quire_map_flags(q, 0, pages + 2, LOCK_ADDR, 0);
    for (i = 0; i <= pages; i++) {
        quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_APERTURE,
                       i * QUIRE_PAGE_SIZE, 8, NULL, 0);
    }
    quire_run(q, 1);
    g_assert_cmpint(quire_reg(q, QUIRE_REG_POSTED), ==, 8 * pages);
    g_assert_cmphex(qtest_readq(q->qts, LOCK_ADDR), ==,
                    qtest_readq(q->qts, quire_vram_addr(q, 0)));
}

/* The next one that goes is the second one, the oldest, and no other. */
static void check_full(QQuire *q)
{
    unsigned i, pages = QUIRE_POSTED_MAX / QUIRE_PAGE_SIZE;

    quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_APERTURE,
                   (pages + 1) * QUIRE_PAGE_SIZE, 8, NULL, 0);
    quire_submit(q, 2);
    quire_wait_idle(q);
    g_assert_cmphex(qtest_readq(q->qts, LOCK_ADDR + QUIRE_PAGE_SIZE), ==,
                    qtest_readq(q->qts, quire_vram_addr(q, 0)));
    for (i = 2; i < pages + 2; i++) {
        quire_check_zero_page(q, LOCK_ADDR + i * QUIRE_PAGE_SIZE);
    }
}

/* A doorbell that nobody has answered yet. */
static void prepare_doorbell(QQuire *q)
{
    quire_wait_idle(q);
    qtest_qmp_assert_success(q->qts, "{ 'execute': 'stop' }");
    quire_signal(q, q->data, 42);
    quire_submit(q, 1);
}

static void check_doorbell(QQuire *q)
{
    quire_wait_idle(q);
    g_assert_cmphex(qtest_readq(q->qts, q->data), ==, 42);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, 1);
}

static void live_end(QTestState *from, QTestState *to, const char *uri)
{
    qtest_qmp_assert_success(from, "{ 'execute': 'migrate-set-parameters',"
                             " 'arguments': { 'max-bandwidth': 0 } }");
    quire_migrate_wait(from, "completed");
    qtest_qmp_assert_success(to, "{ 'execute': 'migrate-incoming',"
                             " 'arguments': { 'uri': %s } }", uri);
    quire_migrate_wait(to, "completed");
}

/* What the device writes after VRAM has travelled travels again. */
static void test_migrate_live(void *obj, void *data, QGuestAllocator *alloc)
{
    g_autofree char *path = g_strdup_printf("%s/quire-migrate-live-%d",
                                            g_get_tmp_dir(), getpid());
    g_autofree char *uri = g_strdup_printf("file:%s", path);
    const struct quire_layout layout = {
        QUIRE_LAYOUT_TILE_4K, 2, 32, 32, 1, 1,
    };
    uint64_t runs[2] = { 0, QUIRE_RUN(9 * MiB / QUIRE_PAGE_SIZE, 1) };
    QTestState *from = qtest_init(MIGRATE_COMMAND);
    QTestState *to = qtest_init(MIGRATE_COMMAND "-incoming defer");
    QPCIBus *from_bus = qpci_new_pc(from, NULL), *to_bus;
    g_autofree QQuire *q = g_new0(QQuire, 1);

    quire_open_ring(q, from, from_bus);
    quire_put_page(q, q->data, 1);
    quire_fill(q, QUIRE_SEGMENT_VRAM, 4 * MiB, 4 * MiB, 0x55667788);
    quire_run(q, 1);
    quire_migrate_slowly(from, uri);
    quire_from_system(q, q->data, 1, 0);
    quire_fill(q, QUIRE_SEGMENT_VRAM, MiB, QUIRE_PAGE_SIZE, 0x11223344);
    quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_VRAM, 2 * MiB, 8,
                   0x0807060504030201);
    quire_discard(q, 4 * MiB, 2 * MiB);
    quire_discard(q, 7 * MiB, QUIRE_PAGE_SIZE);
    runs[0] = QUIRE_RUN(q->data >> QUIRE_PAGE_SHIFT, 1);
    quire_swizzle(q, QUIRE_TRANSFER_SWIZZLE, QUIRE_SEGMENT_SYSTEM, 0, &layout,
                  runs, 2);
    quire_run(q, 2);
    live_end(from, to, uri);
    unlink(path);

    to_bus = qpci_new_pc(to, NULL);
    quire_open(q, to, to_bus);
    quire_check_page(q, quire_vram_addr(q, 0), 1);
    g_assert_cmphex(qtest_readl(to, quire_vram_addr(q, MiB)), ==, 0x11223344);
    g_assert_cmphex(qtest_readq(to, quire_vram_addr(q, 2 * MiB)), ==,
                    0x0807060504030201);
    quire_check_zero_page(q, quire_vram_addr(q, 4 * MiB));
    quire_check_zero_page(q, quire_vram_addr(q, 7 * MiB));
    g_assert_cmphex(qtest_readl(to, quire_vram_addr(q, 6 * MiB)), ==,
                    0x55667788);
    g_assert_cmphex(qtest_readq(to, quire_vram_addr(q, 9 * MiB + 56)), ==,
                    qtest_readq(to, q->data + 56));
    qpci_free_pc(from_bus);
    qpci_free_pc(to_bus);
    qtest_quit(to);
    qtest_quit(from);
}

/* A submission for which only the doorbell has to be rung. */
static void live_entry(QQuire *q, uint64_t fence)
{
    qtest_bufwrite(q->qts, q->buffer, q->packets, q->size);
    quire_entry(q, q->buffer, q->size, 0, fence, 0);
    q->size = 0;
}

/* Pages of the data, each of which is written in another way. */
static void live_paging(QQuire *q)
{
    quire_put_page(q, q->data, 1);
    quire_from_system(q, q->data, 1, 0);
    quire_map(q, 5, 2, quire_data_page(q, 5));
    quire_run(q, 1);
    quire_signal(q, quire_data_page(q, 1), 0x1111111111111111);
    quire_physical(q, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_SYSTEM,
                   quire_data_page(q, 2), 8, 0x2222222222222222);
    quire_to_system(q, 0, quire_data_page(q, 3), 1);
    live_entry(q, 2);
}

static void live_commands(QQuire *q)
{
    const uint64_t at = QUIRE_ADDRESS(QUIRE_SEGMENT_APERTURE,
                                      5 * QUIRE_PAGE_SIZE);
    struct quire_command_write_value *value;
    struct quire_command_fill *fill;

    quire_ring_program(q);
    quire_ring_enable(q);
    value = quire_packet(q, QUIRE_COMMAND_WRITE_VALUE, 0, sizeof(*value));
    value->dst = cpu_to_le64(at);
    value->value = cpu_to_le64(0x5555555555555555);
    fill = quire_packet(q, QUIRE_COMMAND_FILL, 0, sizeof(*fill));
    fill->dst = cpu_to_le64(at + QUIRE_PAGE_SIZE);
    fill->size = cpu_to_le64(8);
    fill->pattern = cpu_to_le32(0x66666666);
    live_entry(q, 3);
}

/* A page that is the same on both sides. */
static void live_same(QTestState *from, QTestState *to, uint64_t page)
{
    uint8_t here[QUIRE_PAGE_SIZE], there[QUIRE_PAGE_SIZE];

    qtest_bufread(from, page, here, sizeof(here));
    qtest_bufread(to, page, there, sizeof(there));
    g_assert_cmpmem(there, sizeof(there), here, sizeof(here));
}

/* So does what it writes into memory that the CPU leaves alone. */
static void test_migrate_live_memory(void *obj, void *data,
                                     QGuestAllocator *alloc)
{
    static const uint64_t written[] = {
        0, 0x1111111111111111, 0x2222222222222222, 0, 0, 0x5555555555555555,
        0x6666666666666666,
    };
    g_autofree char *path = g_strdup_printf("%s/quire-migrate-memory-%d",
                                            g_get_tmp_dir(), getpid());
    g_autofree char *uri = g_strdup_printf("file:%s", path);
    QTestState *from = qtest_init(MIGRATE_COMMAND);
    QTestState *to = qtest_init(MIGRATE_COMMAND "-incoming defer");
    QPCIBus *from_bus = qpci_new_pc(from, NULL);
    g_autofree QQuire *q = g_new0(QQuire, 1), *runner = NULL;
    unsigned i;

    quire_open_ring(q, from, from_bus);
    live_paging(q);
    runner = quire_beside(q, 1);
    live_commands(runner);
    quire_migrate_slowly(from, uri);
    quire_doorbell(q);
    quire_doorbell(runner);
    quire_wait_idle(q);
    quire_wait_idle(runner);
    g_assert_cmphex(qtest_readq(from, q->fence_page), ==, 2);
    g_assert_cmphex(qtest_readq(from, runner->fence_page), ==, 3);
    g_assert_cmphex(qtest_readl(from, q->fence_page + 8), ==, 2);
    g_assert_cmphex(qtest_readl(from, q->fence_page + 16), ==, 2);
    for (i = 0; i < ARRAY_SIZE(written); i++) {
        if (written[i]) {
            g_assert_cmphex(qtest_readq(from, quire_data_page(q, i)), ==,
                            written[i]);
        }
    }
    quire_check_page(q, quire_data_page(q, 3), 1);
    live_end(from, to, uri);
    unlink(path);

    live_same(from, to, q->fence_page);
    live_same(from, to, runner->fence_page);
    for (i = 0; i < ARRAY_SIZE(written); i++) {
        live_same(from, to, quire_data_page(q, i));
    }
    qpci_free_pc(from_bus);
    qtest_quit(to);
    qtest_quit(from);
}

/* A device of other sizes, or that can do something else, is another device. */
static void test_migrate_other(void *obj, void *data, QGuestAllocator *alloc)
{
    static const char *const others[] = {
        "vram-visible=8M,aperture-size=17M,fault-injection=on,"
        "dummy-page-report=on",
        "vram-visible=16M,aperture-size=18M,fault-injection=on,"
        "dummy-page-report=on",
        "vram-visible=16M,aperture-size=17M,dummy-page-report=on",
        "vram-visible=16M,aperture-size=17M,fault-injection=on",
        "vram-visible=16M,aperture-size=17M,fault-injection=on,"
        "dummy-page-report=on,execution-rings=1",
        "vram-visible=16M,aperture-size=17M,fault-injection=on,"
        "dummy-page-report=on,mmu-size=32M",
    };
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(others); i++) {
        QTestState *from = qtest_init(MIGRATE_COMMAND);
        QTestState *to = qtest_initf("-machine q35 -m 64M -nic none -device "
                                     "quire,addr=4.0,vram-size=64M,%s "
                                     "-incoming defer", others[i]);

        quire_migrate_refused(from, to);
        qtest_quit(to);
        qtest_quit(from);
    }
}

static void migrate_add_on(const char *interface, const char *name,
                           const struct migration *migration)
{
    QOSGraphTestOptions options = { .arg = (void *)migration };

    qos_add_test(name, interface, test_migrate, &options);
}

static void migrate_add(const char *name, const struct migration *migration)
{
    migrate_add_on("quire", name, migration);
}

static void quire_migration_register(void)
{
    static const struct migration work = { prepare_work, check_work,
                                           stop_work };
    static const struct migration swizzle = { prepare_swizzle,
                                              check_swizzle, stop_swizzle };
    static const struct migration fault = { prepare_fault, quire_lives };
    static const struct migration hang = { prepare_hang, check_hang };
    static const struct migration hang_middle = { prepare_hang_middle,
                                                  check_hang_middle };
    static const struct migration hang_last = { prepare_hang_last,
                                                check_hang_last };
    static const struct migration doorbell = { prepare_doorbell,
                                               check_doorbell };
    static const struct migration posted = { prepare_posted, check_posted };
    static const struct migration full = { prepare_full, check_full };
    static const struct migration lock = { prepare_lock, check_lock,
                                           stop_lock };
    static const struct migration pending = { prepare_pending,
                                              check_pending, stop_pending };
    static const struct migration tables = { prepare_tables, check_tables };
    static const struct migration window = { prepare_window, check_window };

    if (g_str_equal(qtest_get_arch(), "x86_64")) {
        migrate_add("migrate", &work);
        migrate_add("migrate-swizzle", &swizzle);
        migrate_add("migrate-fault", &fault);
        migrate_add("migrate-hang", &hang);
        migrate_add_on("quire-spaces", "migrate-hang-middle", &hang_middle);
        migrate_add_on("quire-spaces", "migrate-hang-last", &hang_last);
        migrate_add("migrate-doorbell", &doorbell);
        migrate_add("migrate-posted", &posted);
        migrate_add("migrate-posted-full", &full);
        migrate_add("migrate-lock", &lock);
        migrate_add("migrate-lock-pending", &pending);
        migrate_add_on("quire-spaces", "migrate-tables", &tables);
        migrate_add("migrate-window", &window);
        qos_add_test("migrate-sizes", "quire-spaces", test_migrate_sizes, NULL);
        qos_add_test("migrate-live", "quire", test_migrate_live, NULL);
        qos_add_test("migrate-live-memory", "quire-spaces",
                     test_migrate_live_memory, NULL);
        qos_add_test("migrate-other", "quire", test_migrate_other, NULL);
    }
}

libqos_init(quire_migration_register);
