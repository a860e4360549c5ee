/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: the device.
 *
 * The lowest layer: the structures of the device, what its host does for it, and what all
 * layers count and tell with. Of the other layers it knows only names of structures.
 */
#ifndef QUIRE_ENGINE_TYPES_H
#define QUIRE_ENGINE_TYPES_H

#include "quire_extent.h"
#include "quire_host.h"
#include "quire_posted_types.h"
#include "quire_range_types.h"
#include "quire_ring_types.h"
#include "quire_table.h"

/* What quire_engine_init() accepts; a host may be stricter. */
#define QUIRE_VRAM_SIZE_MAX	0x10000000000ull /* 1 TiB */
#define QUIRE_APERTURE_SIZE_MAX	0x400000000ull /* 16 GiB */
#define QUIRE_MMU_SIZE_MAX	0x400000000ull /* 16 GiB */
#define QUIRE_TLB_ENTRIES_MIN	4u /* or none */
#define QUIRE_TLB_ENTRIES_MAX	4096u

/* Entries of the aperture that are counted together. */
#define QUIRE_APERTURE_CHUNK	512u

struct quire_op;
struct quire_tlb;
struct quire_work;

/**
 * struct quire_engine - the device
 * @ops: the host's operations
 * @opaque: handed to each of @ops
 * @sections: system memory that is reached without @ops, by address, no two overlap
 * @section_count: how many there are
 * @section: the one that was found last, or NULL
 * @vram: host memory of VRAM
 * @vram_size: bytes (register)
 * @vram_visible: bytes of BAR 2 (register)
 * @aperture_size: bytes (register)
 * @caps: QUIRE_CAPS_* (register)
 * @ring_count: rings, the paging ring among them (register)
 * @range_count: swizzling ranges (register)
 * @range_size: bytes of a window, 0 without ranges (register)
 * @window_size: bytes of BAR 1, 0 without it (register)
 * @tlb_entries: translations that @tlb can hold, perhaps 0 (register)
 * @tlb: translations that are remembered
 * @mmu_size: bytes that each MMU translates (register)
 * @aperture_pages: entries of @aperture
 * @aperture_top: entries of @aperture from here on are zero
 * @aperture_valid: how many entries of each QUIRE_APERTURE_CHUNK are not
 * @aperture_dummies: how many of them are dummy pages
 * @slice_ns: nanoseconds of a quire_engine_run()
 * @look_bytes: bytes between two looks at the clock
 * @worked: all work since the engine was made, in bytes that are copied meanwhile; what a
 *          host that models time makes @clock of
 * @int_status: QUIRE_INT_* (register, migrated)
 * @int_enable: QUIRE_INT_* (register, migrated)
 * @inject_drop_irq: messages to drop (register, migrated)
 * @aperture_index: page whose entry is shown (register, migrated)
 * @dummy_pages: dummy pages that packets accessed (register, migrated)
 * @dummy_offset: where the last of these packets did first (register, migrated)
 * @walks: of page tables from their root (register, migrated)
 * @residency_page: page whose allocation is shown (register, migrated)
 * @native_fence: number of the native fence that is shown (register, migrated)
 * @native_interrupts: signals that reached a monitored value (register, migrated)
 * @messages: vectors whose message is due; 0 when the host is done with a call
 * @loading: state is being loaded: nothing runs, and accesses find nothing, before it is accepted
 *           or the machine runs, which resets the device
 * @ring: the rings; those from @ring_count on are zero (migrated)
 * @turn: the execution ring that is first in the next slice, counted from 0
 * @range: the ranges; those from @range_count on are zero (migrated)
 * @range_touches: a clock: rises when one of them is enabled, and with each piece of an
 *                 access that one shows (migrated)
 * @range_newest: number of the one that was enabled last (migrated)
 * @posted: the write buffer (migrated)
 * @op: for each ring the packet at work, decoded; size 0 if it is not known
 * @work: for each ring the part of that packet that is copied or filled now
 * @aperture: one QUIRE_APERTURE_* entry per page (migrated)
 * @residency: for each page of VRAM, then of the aperture, an allocation, and from bit 32 on
 *             which of its pages is there; 0 if none is (migrated)
 * @extents: where in @residency to search allocations
 * @mmu: for each page of an MMU where it is, and QUIRE_FLAT_* bits (migrated)
 * @native: for each native fence three numbers, its owner and where both of its values are; 0 if
 *          it is nowhere (migrated)
 * @marks: a bit for each page of a segment, of the notice of parts at work
 * @marked: how many of them are set
 */
struct quire_engine {
	const struct quire_host_ops *ops;
	void *opaque;
	const struct quire_section *sections;
	uint32_t section_count;
	const struct quire_section *section;
	uint8_t *vram;
	uint64_t vram_size;
	uint64_t vram_visible;
	uint64_t aperture_size;
	uint32_t caps;
	uint32_t ring_count;
	uint32_t range_count;
	uint32_t range_size;
	uint64_t window_size;
	uint32_t tlb_entries;
	struct quire_tlb *tlb;
	uint64_t mmu_size;
	uint32_t aperture_pages;
	uint32_t aperture_top;
	uint16_t *aperture_valid;
	uint16_t *aperture_dummies;
	uint64_t slice_ns;
	uint64_t look_bytes;
	uint64_t worked;

	uint32_t int_status;
	uint32_t int_enable;
	uint32_t inject_drop_irq;
	uint32_t aperture_index;
	uint64_t dummy_pages;
	uint64_t dummy_offset;
	uint64_t walks;
	uint64_t residency_page;
	uint32_t native_fence;
	uint64_t native_interrupts;
	uint32_t messages;
	bool loading;
	struct quire_ring ring[QUIRE_RING_MAX];
	uint32_t turn;
	struct quire_range range[QUIRE_RANGE_MAX];
	uint64_t range_touches;
	uint32_t range_newest;
	struct quire_posted posted;
	struct quire_op *op;
	struct quire_work *work;
	uint64_t *aperture;
	struct quire_table residency;
	struct quire_extents extents;
	struct quire_table mmu[QUIRE_MMU_COUNT];
	struct quire_table native;
	uint8_t *marks;
	uint32_t marked;
};

/* Does the ring execute paging operations, rather than commands? */
static inline bool quire_is_paging(const struct quire_engine *engine,
				   const struct quire_ring *ring)
{
	return ring == &engine->ring[QUIRE_RING_PAGING];
}

#endif
