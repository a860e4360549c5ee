/*
 * libqos driver of the Quire virtual GPU
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/module.h"
#include "../libqtest.h"
#include "hw/pci/pci_regs.h"
#include "quire.h"

#define DEVICE_OPTIONS      "vram-size=16M,vram-visible=4M,aperture-size=16M," \
                            "fault-injection=on"

uint32_t quire_reg(QQuire *q, uint32_t reg)
{
    return qpci_io_readl(&q->dev, q->regs, reg);
}

void quire_set_reg(QQuire *q, uint32_t reg, uint32_t value)
{
    qpci_io_writel(&q->dev, q->regs, reg, value);
}

uint32_t quire_ring_reg(QQuire *q, uint32_t reg)
{
    return quire_reg(q, QUIRE_REG_RING(q->ring, reg));
}

uint64_t quire_ring_reg64(QQuire *q, uint32_t reg)
{
    return quire_ring_reg(q, reg) | (uint64_t)quire_ring_reg(q, reg + 4) << 32;
}

void quire_ring_set_reg(QQuire *q, uint32_t reg, uint32_t value)
{
    quire_set_reg(q, QUIRE_REG_RING(q->ring, reg), value);
}

void quire_ring_set_reg64(QQuire *q, uint32_t reg, uint64_t value)
{
    quire_ring_set_reg(q, reg, value);
    quire_ring_set_reg(q, reg + 4, value >> 32);
}

void quire_doorbell(QQuire *q)
{
    quire_set_reg(q, QUIRE_DOORBELL(q->ring), 0);
}

uint64_t quire_wptr_addr(QQuire *q)
{
    return q->fence_page + offsetof(struct quire_fence_page, wptr);
}

void quire_ring_program(QQuire *q)
{
    quire_ring_set_reg(q, QUIRE_RING_CONTROL, 0);
    quire_ring_set_reg64(q, QUIRE_RING_ENTRIES_LO, q->entries);
    quire_ring_set_reg64(q, QUIRE_RING_FENCE_PAGE_LO, q->fence_page);
    quire_ring_set_reg(q, QUIRE_RING_ORDER, QUIRE_ORDER);
    qtest_memset(q->qts, q->fence_page, 0, QUIRE_PAGE_SIZE);
    q->wptr = 0;
    q->size = 0;
}

void quire_ring_enable(QQuire *q)
{
    quire_ring_set_reg(q, QUIRE_RING_CONTROL, QUIRE_RING_CONTROL_ENABLE);
}

void quire_entry(QQuire *q, uint64_t addr, uint32_t size,
                 uint32_t flags, uint64_t fence, uint64_t context)
{
    struct quire_ring_entry entry = {
        .addr = cpu_to_le64(addr),
        .size = cpu_to_le32(size),
        .flags = cpu_to_le32(flags),
        .fence = cpu_to_le64(fence),
        .context = cpu_to_le64(context),
    };
    uint32_t index = q->wptr++ & ((1u << QUIRE_ORDER) - 1);

    qtest_memwrite(q->qts, q->entries + index * sizeof(entry), &entry,
                   sizeof(entry));
    qtest_writel(q->qts, quire_wptr_addr(q), q->wptr);
}

void quire_submit(QQuire *q, uint64_t fence)
{
    qtest_bufwrite(q->qts, q->buffer, q->packets, MAX(q->size, 8));
    quire_entry(q, q->buffer, q->size, QUIRE_ENTRY_IRQ, fence, 0);
    q->size = 0;
    quire_doorbell(q);
}

void quire_wait_idle(QQuire *q)
{
    gint64 end = g_get_monotonic_time() + QUIRE_TIMEOUT;

    while (quire_ring_reg(q, QUIRE_RING_STATUS) & QUIRE_RING_STATUS_BUSY) {
        qtest_clock_step(q->qts, 100);
        g_assert_cmpint(g_get_monotonic_time(), <, end);
    }
}

void quire_run(QQuire *q, uint64_t fence)
{
    quire_submit(q, fence);
    quire_wait_idle(q);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_FAULT_CODE), ==,
                    QUIRE_FAULT_NONE);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, fence);
}

void *quire_packet(QQuire *q, uint16_t opcode, uint16_t flags, uint32_t size)
{
    struct quire_packet_header *header = (void *)(q->packets + q->size);

    g_assert_cmpint(q->size + size, <=, MAX_SUBMISSION);
    memset(header, 0, size);
    header->opcode = cpu_to_le16(opcode);
    header->flags = cpu_to_le16(flags);
    header->size = cpu_to_le32(size);
    q->size += size;
    return header;
}

void quire_transfer(QQuire *q, uint32_t src_segment, uint64_t src,
                    uint32_t dst_segment, uint64_t dst, uint64_t size,
                    const uint64_t *runs, unsigned count)
{
    struct quire_packet_transfer *p = quire_packet(q, QUIRE_OP_TRANSFER, 0,
                                                   sizeof(*p) + 8 * count);
    unsigned i;

    p->src_segment = cpu_to_le32(src_segment);
    p->dst_segment = cpu_to_le32(dst_segment);
    p->src_address = cpu_to_le64(src);
    p->dst_address = cpu_to_le64(dst);
    p->size = cpu_to_le64(size);
    for (i = 0; i < count; i++) {
        p->runs[i] = cpu_to_le64(runs[i]);
    }
}

/* All of level 0 of slice 0 */
void quire_swizzle(QQuire *q, uint16_t flag, uint32_t segment,
                   uint64_t address, const struct quire_layout *layout,
                   const uint64_t *runs, unsigned count)
{
    struct quire_packet_swizzle *p = quire_packet(q, QUIRE_OP_TRANSFER, flag,
                                                  sizeof(*p) + 8 * count);
    bool to_tiles = flag == QUIRE_TRANSFER_SWIZZLE;
    uint64_t elements = (uint64_t)layout->width * layout->height;
    unsigned i;

    p->src_segment = cpu_to_le32(to_tiles ? segment : QUIRE_SEGMENT_VRAM);
    p->dst_segment = cpu_to_le32(to_tiles ? QUIRE_SEGMENT_VRAM : segment);
    p->src_address = cpu_to_le64(to_tiles ? address : 0);
    p->dst_address = cpu_to_le64(to_tiles ? 0 : address);
    p->size = cpu_to_le64(elements << layout->element_shift);
    p->layout = cpu_to_le16(layout->kind);
    p->element_shift = cpu_to_le16(layout->element_shift);
    p->width = cpu_to_le32(layout->width);
    p->height = cpu_to_le32(layout->height);
    p->levels = cpu_to_le16(layout->levels);
    p->array_size = cpu_to_le16(layout->array_size);
    p->columns = p->width;
    p->rows = p->height;
    for (i = 0; i < count; i++) {
        p->runs[i] = cpu_to_le64(runs[i]);
    }
}

void quire_from_system(QQuire *q, uint64_t addr, unsigned pages,
                       uint64_t vram)
{
    uint64_t run = QUIRE_RUN(addr >> QUIRE_PAGE_SHIFT, pages);

    quire_transfer(q, QUIRE_SEGMENT_SYSTEM, 0, QUIRE_SEGMENT_VRAM, vram,
                   pages * QUIRE_PAGE_SIZE, &run, 1);
}

void quire_to_system(QQuire *q, uint64_t vram, uint64_t addr,
                     unsigned pages)
{
    uint64_t run = QUIRE_RUN(addr >> QUIRE_PAGE_SHIFT, pages);

    quire_transfer(q, QUIRE_SEGMENT_VRAM, vram, QUIRE_SEGMENT_SYSTEM, 0,
                   pages * QUIRE_PAGE_SIZE, &run, 1);
}

void quire_fill(QQuire *q, uint32_t segment, uint64_t addr,
                uint64_t size, uint32_t pattern)
{
    struct quire_packet_fill *p = quire_packet(q, QUIRE_OP_FILL, 0, sizeof(*p));

    p->segment = cpu_to_le32(segment);
    p->pattern = cpu_to_le32(pattern);
    p->address = cpu_to_le64(addr);
    p->size = cpu_to_le64(size);
}

void quire_discard(QQuire *q, uint64_t addr, uint64_t size)
{
    struct quire_packet_discard *p = quire_packet(q, QUIRE_OP_DISCARD_CONTENT,
                                                  0, sizeof(*p));

    p->segment = cpu_to_le32(QUIRE_SEGMENT_VRAM);
    p->address = cpu_to_le64(addr);
    p->size = cpu_to_le64(size);
}

void quire_physical(QQuire *q, uint16_t opcode, uint32_t segment,
                    uint64_t addr, uint32_t size, uint64_t value)
{
    struct quire_packet_physical *p = quire_packet(q, opcode, 0, sizeof(*p));

    p->segment = cpu_to_le32(segment);
    p->size = cpu_to_le32(size);
    p->address = cpu_to_le64(addr);
    p->value = cpu_to_le64(value);
}

void quire_map_flags(QQuire *q, uint64_t first, uint32_t pages, uint64_t addr,
                     uint16_t flags)
{
    struct quire_packet_map *p = quire_packet(q, QUIRE_OP_MAP_APERTURE, flags,
                                              sizeof(*p) + 8);

    p->segment = cpu_to_le32(QUIRE_SEGMENT_APERTURE);
    p->pages = cpu_to_le32(pages);
    p->first_page = cpu_to_le64(first);
    p->runs[0] = cpu_to_le64(QUIRE_RUN(addr >> QUIRE_PAGE_SHIFT, pages));
}

void quire_map(QQuire *q, uint64_t first, uint32_t pages, uint64_t addr)
{
    quire_map_flags(q, first, pages, addr, QUIRE_MAP_CACHE_COHERENT);
}

void quire_unmap(QQuire *q, uint64_t first, uint32_t pages,
                 uint64_t dummy)
{
    struct quire_packet_unmap *p = quire_packet(q, QUIRE_OP_UNMAP_APERTURE, 0,
                                                sizeof(*p));

    p->segment = cpu_to_le32(QUIRE_SEGMENT_APERTURE);
    p->pages = cpu_to_le32(pages);
    p->first_page = cpu_to_le64(first);
    p->dummy_page = cpu_to_le64(dummy);
}

static struct quire_packet_map2 *quire_new_map2(QQuire *q, uint64_t first,
                                                uint32_t pages, uint16_t flags,
                                                uint32_t size)
{
    struct quire_packet_map2 *p = quire_packet(q, QUIRE_OP_MAP_APERTURE2,
                                               flags, sizeof(*p) + size);

    p->segment = cpu_to_le32(QUIRE_SEGMENT_APERTURE);
    p->pages = cpu_to_le32(pages);
    p->first_page = cpu_to_le64(first);
    return p;
}

void quire_map2(QQuire *q, uint64_t first, uint32_t pages, uint64_t addr,
                uint16_t flags)
{
    quire_new_map2(q, first, pages, flags | QUIRE_MAP_CONTIGUOUS, 0)->adl =
        cpu_to_le64(addr >> QUIRE_PAGE_SHIFT);
}

void quire_map2_list(QQuire *q, uint64_t first, const uint64_t *list,
                     uint32_t pages, uint16_t flags)
{
    uint64_t adl = q->buffer + q->size + sizeof(struct quire_packet_map2);
    struct quire_packet_map2 *p = quire_new_map2(q, first, pages, flags,
                                                 8 * pages);
    unsigned i;

    p->adl = cpu_to_le64(adl);
    for (i = 0; i < pages; i++) {
        p->page_numbers[i] = cpu_to_le64(list[i]);
    }
}

void quire_special_lock(QQuire *q, uint16_t flag, uint32_t range,
                        const struct quire_layout *layout,
                        const uint64_t *runs, unsigned count)
{
    struct quire_packet_special_lock *p = (void *)(q->packets + q->size);

    quire_swizzle(q, flag, QUIRE_SEGMENT_SYSTEM, 0, layout, runs, count);
    p->image.header.opcode = cpu_to_le16(QUIRE_OP_SPECIAL_LOCK);
    p->image.reserved = cpu_to_le32(range);
}

void quire_signal(QQuire *q, uint64_t addr, uint64_t value)
{
    struct quire_packet_signal *p = quire_packet(q, QUIRE_OP_SIGNAL_FENCE, 0,
                                                 sizeof(*p));

    p->address = cpu_to_le64(addr);
    p->value = cpu_to_le64(value);
}

uint64_t quire_data_page(QQuire *q, unsigned page)
{
    return q->data + page * QUIRE_PAGE_SIZE;
}

/* A page of bytes that no other @seed has. */
static void quire_make_page(uint8_t *page, unsigned seed)
{
    GRand *rand = g_rand_new_with_seed(seed + 1);
    unsigned i;

    for (i = 0; i < QUIRE_PAGE_SIZE; i++) {
        page[i] = g_rand_int(rand);
    }
    g_rand_free(rand);
}

void quire_put_page(QQuire *q, uint64_t addr, unsigned seed)
{
    uint8_t page[QUIRE_PAGE_SIZE];

    quire_make_page(page, seed);
    qtest_bufwrite(q->qts, addr, page, sizeof(page));
}

void quire_check_page(QQuire *q, uint64_t addr, unsigned seed)
{
    uint8_t page[QUIRE_PAGE_SIZE], got[QUIRE_PAGE_SIZE];

    quire_make_page(page, seed);
    qtest_bufread(q->qts, addr, got, sizeof(got));
    g_assert_cmpmem(got, sizeof(got), page, sizeof(page));
}

void quire_check_zero_page(QQuire *q, uint64_t addr)
{
    uint8_t page[QUIRE_PAGE_SIZE] = { 0 }, got[QUIRE_PAGE_SIZE];

    qtest_bufread(q->qts, addr, got, sizeof(got));
    g_assert_cmpmem(got, sizeof(got), page, sizeof(page));
}

uint64_t quire_vram_addr(QQuire *q, uint64_t offset)
{
    return q->vram.addr + offset;
}

uint64_t quire_window(QQuire *q)
{
    uint32_t bar = qpci_config_readl(&q->dev, PCI_BASE_ADDRESS_1);

    return bar & PCI_BASE_ADDRESS_MEM_MASK;
}

void quire_place(QQuire *q, QTestState *qts)
{
    q->qts = qts;
    q->entries = 0x1000000;
    q->fence_page = 0x1010000;
    q->buffer = 0x1020000;
    q->data = 0x1080000;
}

QQuire *quire_beside(const QQuire *q, unsigned ring)
{
    QQuire *other = g_new(QQuire, 1);

    *other = *q;
    other->ring = ring;
    other->entries += ring * QUIRE_PLACE;
    other->fence_page += ring * QUIRE_PLACE;
    other->buffer += ring * QUIRE_PLACE;
    other->data += ring * QUIRE_PLACE;
    return other;
}

void quire_open(QQuire *q, QTestState *qts, QPCIBus *bus)
{
    QPCIDevice *dev = qpci_device_find(bus, QPCI_DEVFN(4, 0));

    g_assert_nonnull(dev);
    q->dev = *dev;
    g_free(dev);
    quire_place(q, qts);
}

void quire_open_ring(QQuire *q, QTestState *qts, QPCIBus *bus)
{
    quire_open(q, qts, bus);
    qpci_device_enable(&q->dev);
    q->regs = qpci_iomap(&q->dev, QUIRE_BAR_REGS, NULL);
    q->vram = qpci_iomap(&q->dev, QUIRE_BAR_VRAM, NULL);
    quire_ring_program(q);
    quire_ring_enable(q);
}

void quire_start(QQuire *q, QGuestAllocator *alloc)
{
    q->qts = q->dev.bus->qts;
    qpci_device_enable(&q->dev);
    q->regs = qpci_iomap(&q->dev, QUIRE_BAR_REGS, NULL);
    q->vram = qpci_iomap(&q->dev, QUIRE_BAR_VRAM, NULL);
    q->entries = guest_alloc(alloc, QUIRE_PAGE_SIZE);
    q->fence_page = guest_alloc(alloc, QUIRE_PAGE_SIZE);
    q->buffer = guest_alloc(alloc, MAX_SUBMISSION);
    q->data = guest_alloc(alloc, DATA_PAGES * QUIRE_PAGE_SIZE);
    quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
    quire_set_reg(q, QUIRE_REG_INT_ENABLE, QUIRE_INT_ALL);
    quire_ring_program(q);
    quire_ring_enable(q);
}

void quire_stop(QQuire *q, QGuestAllocator *alloc)
{
    quire_set_reg(q, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
    guest_free(alloc, q->data);
    guest_free(alloc, q->buffer);
    guest_free(alloc, q->fence_page);
    guest_free(alloc, q->entries);
}

/* The VM, the device and its ring work: a page goes round all segments. */
void quire_lives(QQuire *q)
{
    qtest_qmp_assert_success(q->qts, "{ 'execute': 'query-status' }");
    quire_ring_program(q);
    quire_ring_enable(q);
    quire_put_page(q, quire_data_page(q, 14), 4711);
    qtest_memset(q->qts, quire_data_page(q, 15), 0, QUIRE_PAGE_SIZE);
    quire_from_system(q, quire_data_page(q, 14), 1,
                      VRAM_SIZE - QUIRE_PAGE_SIZE);
    quire_map(q, APERTURE_PAGES - 1, 1, quire_data_page(q, 15));
    quire_transfer(q, QUIRE_SEGMENT_VRAM, VRAM_SIZE - QUIRE_PAGE_SIZE,
                   QUIRE_SEGMENT_APERTURE, APERTURE_SIZE - QUIRE_PAGE_SIZE,
                   QUIRE_PAGE_SIZE, NULL, 0);
    quire_run(q, 0x600d);
    quire_check_page(q, quire_data_page(q, 15), 4711);
}

void quire_assert_fault(QQuire *q, uint32_t code, uint32_t offset,
                       uint64_t addr)
{
    quire_wait_idle(q);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_STATUS), ==,
                    QUIRE_RING_STATUS_FAULT);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_FAULT_CODE), ==, code);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_FAULT_OFFSET), ==, offset);
    g_assert_cmphex(quire_ring_reg64(q, QUIRE_RING_FAULT_ADDR_LO), ==, addr);
    g_assert_cmphex(quire_reg(q, QUIRE_REG_INT_STATUS) & QUIRE_INT_FAULT, ==,
                    QUIRE_INT_FAULT);
    quire_set_reg(q, QUIRE_REG_INT_STATUS, QUIRE_INT_FAULT);
}

/* What is built so far is a mistake: submit it, see the fault, go on. */
void quire_expect_fault(QQuire *q, uint32_t code, uint32_t offset,
                        uint64_t addr)
{
    quire_submit(q, 0xbad);
    quire_assert_fault(q, code, offset, addr);
    g_assert_cmphex(quire_ring_reg64(q, QUIRE_RING_FAULT_FENCE_LO), ==, 0xbad);
    quire_lives(q);
}

/*
 * Leaves what is built so far halfway, with the machine stopped and no fence
 * written. A test that was not given the processor meanwhile finds it done, and
 * does it again.
 */
void quire_submit_halfway(QQuire *q, uint64_t fence)
{
    uint32_t size = q->size;
    uint64_t done;

    for (;;) {
        done = quire_ring_reg64(q, QUIRE_RING_PROGRESS_LO);
        qtest_writeq(q->qts, q->fence_page, 0);
        quire_submit(q, fence);
        while (quire_ring_reg64(q, QUIRE_RING_PROGRESS_LO) == done) {
            qtest_clock_step(q->qts, 100);
        }
        qtest_qmp_assert_success(q->qts, "{ 'execute': 'stop' }");
        if (!qtest_readq(q->qts, q->fence_page)) {
            return;
        }
        qtest_qmp_assert_success(q->qts, "{ 'execute': 'cont' }");
        quire_wait_idle(q);
        q->size = size;
    }
}

/*
 * Work that does not end within any test, also not within one that is not given
 * the processor for a while: as often as the ring has room for it. Only the
 * last of it has a fence.
 */
void quire_keep_busy(QQuire *q)
{
    unsigned i;

    while (q->size + sizeof(struct quire_packet_transfer) <= MAX_SUBMISSION) {
        quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_VRAM,
                       VRAM_SIZE / 2, VRAM_SIZE / 2, NULL, 0);
    }
    for (i = 1; i < 1u << QUIRE_ORDER; i++) {
        quire_entry(q, q->buffer, q->size, 0, 0, 0);
    }
    quire_submit(q, 1);
    g_assert_cmphex(quire_ring_reg(q, QUIRE_RING_STATUS), ==,
                    QUIRE_RING_STATUS_BUSY);
}

void quire_check_stopped(QQuire *q)
{
    uint64_t progress = quire_ring_reg64(q, QUIRE_RING_PROGRESS_LO);

    g_usleep(50 * 1000);
    qtest_clock_step(q->qts, 1000);
    g_assert_cmphex(quire_ring_reg64(q, QUIRE_RING_PROGRESS_LO), ==, progress);
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, 0);
}

/* MSI-X messages as stores to guest memory. */
void quire_msix_program(QQuire *q, unsigned vector, uint64_t addr,
                        uint32_t value)
{
    uint64_t off = q->dev.msix_table_off + vector * 16;

    qpci_io_writel(&q->dev, q->dev.msix_table_bar, off, addr);
    qpci_io_writel(&q->dev, q->dev.msix_table_bar, off + 4, addr >> 32);
    qpci_io_writel(&q->dev, q->dev.msix_table_bar, off + 8, value);
    qpci_io_writel(&q->dev, q->dev.msix_table_bar, off + 12, 0);
}

void quire_migrate_wait(QTestState *qts, const char *wanted)
{
    gint64 end = g_get_monotonic_time() + QUIRE_TIMEOUT;
    g_autofree char *status = NULL;

    do {
        QDict *reply = qtest_qmp(qts, "{ 'execute': 'query-migrate' }");
        QDict *result = qdict_get_qdict(reply, "return");

        g_free(status);
        status = g_strdup(qdict_get_try_str(result, "status"));
        qobject_unref(reply);
        g_assert_cmpint(g_get_monotonic_time(), <, end);
        g_usleep(10 * 1000);
    } while (g_strcmp0(status, "completed") && g_strcmp0(status, "failed"));
    g_assert_cmpstr(status, ==, wanted);
}

static void quire_migrate_speed(QTestState *qts, uint64_t bytes_per_second)
{
    qtest_qmp_assert_success(qts, "{ 'execute': 'migrate-set-parameters',"
                             " 'arguments': { 'max-bandwidth': %" PRIu64 " } }",
                             bytes_per_second);
}

/* The guest changes more than a slow migration sends for a while. */
static void quire_migrate_delay(QTestState *qts)
{
    qtest_memset(qts, 0x2000000, g_random_int_range(1, 255), 4 * MiB);
}

/* How often was memory that changed looked for? */
static int64_t quire_migrate_syncs(QTestState *qts)
{
    QDict *reply = qtest_qmp(qts, "{ 'execute': 'query-migrate' }");
    QDict *ram = qdict_get_qdict(qdict_get_qdict(reply, "return"), "ram");
    int64_t syncs = ram ? qdict_get_int(ram, "dirty-sync-count") : 0;

    qobject_unref(reply);
    return syncs;
}

/* Has the VM stopped, as what migrates it has come to its end? */
static bool quire_migrate_ended(QTestState *qts)
{
    g_autofree char *status = NULL;

    do {
        QDict *reply = qtest_qmp(qts, "{ 'execute': 'query-status' }");
        QDict *result = qdict_get_qdict(reply, "return");

        g_free(status);
        status = g_strdup(qdict_get_str(result, "status"));
        qobject_unref(reply);
    } while (!strcmp(status, "finish-migrate"));
    return strcmp(status, "running");
}

/*
 * Memory that changed was then looked for twice: what changes afterwards has to
 * travel again. A migration that comes to its end while the test is not given
 * the processor begins anew.
 */
void quire_migrate_slowly(QTestState *qts, const char *uri)
{
    gint64 end = g_get_monotonic_time() + QUIRE_TIMEOUT;

    for (;;) {
        quire_migrate_speed(qts, 2 * MiB);
        qtest_qmp_assert_success(qts, "{ 'execute': 'migrate',"
                                 " 'arguments': { 'uri': %s } }", uri);
        do {
            quire_migrate_delay(qts);
            g_assert_cmpint(g_get_monotonic_time(), <, end);
            g_usleep(10 * 1000);
        } while (quire_migrate_syncs(qts) < 2);
        quire_migrate_speed(qts, 4 * KiB);
        quire_migrate_delay(qts);
        if (!quire_migrate_ended(qts)) {
            return;
        }
        qtest_qmp_assert_success(qts, "{ 'execute': 'cont' }");
    }
}

void quire_migrate_refused(QTestState *from, QTestState *to)
{
    g_autofree char *path = g_strdup_printf("%s/quire-refused-%d",
                                            g_get_tmp_dir(), getpid());
    g_autofree char *uri = g_strdup_printf("file:%s", path);

    qtest_qmp_assert_success(from, "{ 'execute': 'migrate',"
                             " 'arguments': { 'uri': %s } }", uri);
    quire_migrate_wait(from, "completed");
    qtest_qmp_assert_success(to, "{ 'execute': 'migrate-incoming',"
                             " 'arguments': { 'uri': %s,"
                             " 'exit-on-error': false } }", uri);
    quire_migrate_wait(to, "failed");
    unlink(path);
}

static void *quire_get_driver(void *obj, const char *interface)
{
    QQuire *q = obj;

    if (!g_strcmp0(interface, "pci-device")) {
        return &q->dev;
    }
    if (!g_strcmp0(interface, "quire-rings") ||
        !g_strcmp0(interface, "quire-spaces") ||
        !g_strcmp0(interface, "quire-windows")) {
        return q;
    }
    fprintf(stderr, "%s not present in quire\n", interface);
    g_assert_not_reached();
}

static void *quire_create(void *pci_bus, QGuestAllocator *alloc, void *addr)
{
    QQuire *q = g_new0(QQuire, 1);

    qpci_device_init(&q->dev, pci_bus, addr);
    q->obj.get_driver = quire_get_driver;
    return &q->obj;
}

static void quire_register_nodes(void)
{
    QOSGraphEdgeOptions edge_opts = {
        /* No network adapter: its firmware is often not installed. */
        .before_cmd_line = "-nic none",
        .extra_device_opts = "addr=04.0,id=quire0," DEVICE_OPTIONS,
    };

    add_qpci_address(&edge_opts, &(QPCIAddress) { .devfn = QPCI_DEVFN(4, 0) });
    qos_node_create_driver("quire", quire_create);
    qos_node_consumes("quire", "pci-bus", &edge_opts);
    qos_node_produces("quire", "pci-device");
}

libqos_init(quire_register_nodes);
