/*
 * libqos driver of the Quire virtual GPU: its registers, its rings, packets,
 * and content of pages
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef QGRAPH_QUIRE_H
#define QGRAPH_QUIRE_H

#include "qemu/units.h"
#if __has_include("qobject/qdict.h")
#include "qobject/qdict.h"          /* 10.1 and later */
#else
#include "qapi/qmp/qdict.h"
#endif
#include "qgraph.h"
#include "pci.h"
#include "hw/quire/engine/quire_layout.h"

#define QUIRE_TIMEOUT           (60 * G_TIME_SPAN_SECOND)
#define VRAM_SIZE               (16 * MiB)
#define VRAM_VISIBLE            (4 * MiB)
#define APERTURE_SIZE           (16 * MiB)
#define APERTURE_PAGES          (APERTURE_SIZE / QUIRE_PAGE_SIZE)
#define MAX_SUBMISSION          (256 * KiB)
#define DATA_PAGES              16
#define QUIRE_ORDER             4
/* What is at fixed places for each ring. */
#define QUIRE_PLACE             0x200000

/* Addresses that are no memory on a PC with little RAM. */
#define HOLE                    0xd0000000ull
#define ROM                     0xffffe000ull
#define BIOS                    0xfffc0000ull

/**
 * struct QQuire - a device and one of its rings
 * @obj: the node
 * @dev: the PCI device
 * @qts: its machine
 * @regs: BAR 0
 * @vram: BAR 2
 * @ring: number of the ring, by default that for paging
 * @entries: guest memory of the ring's entries, as all addresses page aligned
 * @fence_page: guest memory of the fence page
 * @buffer: guest memory of the submission
 * @data: guest memory of the tests, DATA_PAGES pages
 * @wptr: entries written
 * @packets: submission under construction
 * @size: bytes of it
 */
typedef struct QQuire {
    QOSGraphObject obj;
    QPCIDevice dev;
    QTestState *qts;
    QPCIBar regs;
    QPCIBar vram;
    unsigned ring;
    uint64_t entries;
    uint64_t fence_page;
    uint64_t buffer;
    uint64_t data;
    uint32_t wptr;
    uint8_t packets[MAX_SUBMISSION] QEMU_ALIGNED(8);
    uint32_t size;
} QQuire;

/* Memory at fixed places of an emulator of the test's own */
void quire_place(QQuire *q, QTestState *qts);
/* The same device by another ring, whose memory is QUIRE_PLACE further on */
QQuire *quire_beside(const QQuire *q, unsigned ring);
/* The device at 4.0 of an emulator of the test's own; memory at fixed places */
void quire_open(QQuire *q, QTestState *qts, QPCIBus *bus);
/* The same, and its ring runs */
void quire_open_ring(QQuire *q, QTestState *qts, QPCIBus *bus);

/* Life of a test; does the device still work? */
void quire_start(QQuire *q, QGuestAllocator *alloc);
void quire_stop(QQuire *q, QGuestAllocator *alloc);
void quire_lives(QQuire *q);

/* Registers */
uint32_t quire_reg(QQuire *q, uint32_t reg);
void quire_set_reg(QQuire *q, uint32_t reg, uint32_t value);
uint32_t quire_ring_reg(QQuire *q, uint32_t reg);
uint64_t quire_ring_reg64(QQuire *q, uint32_t reg);
void quire_ring_set_reg(QQuire *q, uint32_t reg, uint32_t value);
void quire_ring_set_reg64(QQuire *q, uint32_t reg, uint64_t value);
void quire_doorbell(QQuire *q);
void quire_msix_program(QQuire *q, unsigned vector, uint64_t addr,
                        uint32_t value);

/* Ring; the packets so far become a submission */
void quire_ring_program(QQuire *q);
void quire_ring_enable(QQuire *q);
uint64_t quire_wptr_addr(QQuire *q);
void quire_entry(QQuire *q, uint64_t addr, uint32_t size,
                 uint32_t flags, uint64_t fence, uint64_t reserved);
void quire_submit(QQuire *q, uint64_t fence);
void quire_wait_idle(QQuire *q);
void quire_run(QQuire *q, uint64_t fence);
void quire_submit_halfway(QQuire *q, uint64_t fence);
void quire_keep_busy(QQuire *q);

/* What became of it */
void quire_assert_fault(QQuire *q, uint32_t code, uint32_t offset,
                       uint64_t addr);
void quire_expect_fault(QQuire *q, uint32_t code, uint32_t offset,
                        uint64_t addr);
void quire_check_stopped(QQuire *q);

/* A migration, of either side, ends as wanted: "completed" or "failed" */
void quire_migrate_wait(QTestState *qts, const char *wanted);
/* Begin one that has seen all memory, and does not end by itself */
void quire_migrate_slowly(QTestState *qts, const char *uri);
/* The state of @from is refused by the device of @to, which is another one */
void quire_migrate_refused(QTestState *from, QTestState *to);

/* Packets, added to the submission under construction; any packet, zeroed */
void *quire_packet(QQuire *q, uint16_t opcode, uint16_t flags, uint32_t size);
void quire_transfer(QQuire *q, uint32_t src_segment, uint64_t src,
                    uint32_t dst_segment, uint64_t dst, uint64_t size,
                    const uint64_t *runs, unsigned count);
void quire_swizzle(QQuire *q, uint16_t flag, uint32_t segment,
                   uint64_t address, const struct quire_layout *layout,
                   const uint64_t *runs, unsigned count);
void quire_from_system(QQuire *q, uint64_t addr, unsigned pages,
                       uint64_t vram);
void quire_to_system(QQuire *q, uint64_t vram, uint64_t addr,
                     unsigned pages);
void quire_fill(QQuire *q, uint32_t segment, uint64_t addr,
                uint64_t size, uint32_t pattern);
void quire_discard(QQuire *q, uint64_t addr, uint64_t size);
void quire_physical(QQuire *q, uint16_t opcode, uint32_t segment,
                    uint64_t addr, uint32_t size, uint64_t value);
void quire_map(QQuire *q, uint64_t first, uint32_t pages, uint64_t addr);
void quire_map_flags(QQuire *q, uint64_t first, uint32_t pages, uint64_t addr,
                     uint16_t flags);
void quire_unmap(QQuire *q, uint64_t first, uint32_t pages,
                 uint64_t dummy);
/* Consecutive pages, or those of a list of page numbers */
void quire_map2(QQuire *q, uint64_t first, uint32_t pages, uint64_t addr,
                uint16_t flags);
void quire_map2_list(QQuire *q, uint64_t first, const uint64_t *list,
                     uint32_t pages, uint16_t flags);
/* As quire_swizzle(), with system memory; @range is of the packet */
void quire_special_lock(QQuire *q, uint16_t flag, uint32_t range,
                        const struct quire_layout *layout,
                        const uint64_t *runs, unsigned count);
void quire_signal(QQuire *q, uint64_t addr, uint64_t value);

/* Where in the machine's memory BAR 1 is; somebody has placed it */
uint64_t quire_window(QQuire *q);

/* Content: pages of bytes that depend on a seed */
uint64_t quire_data_page(QQuire *q, unsigned page);
uint64_t quire_vram_addr(QQuire *q, uint64_t offset);
void quire_put_page(QQuire *q, uint64_t addr, unsigned seed);
void quire_check_page(QQuire *q, uint64_t addr, unsigned seed);
void quire_check_zero_page(QQuire *q, uint64_t addr);

#endif
