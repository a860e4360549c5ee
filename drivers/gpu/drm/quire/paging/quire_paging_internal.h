/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the files of the builder share. */
#ifndef QUIRE_PAGING_INTERNAL_H
#define QUIRE_PAGING_INTERNAL_H

#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include <quire/quire_hw.h>

#include "quire_page_cursor.h"
#include "quire_paging.h"

/* A page number up to this one has a 64-bit byte address. */
#define QUIRE_PAGING_MAX_PAGES	(U64_MAX >> QUIRE_PAGE_SHIFT)

/**
 * struct quire_paging_packet - a packet while an operation writes it
 * @at: where it begins in the window; there is room for its fixed part
 * @first: first unit of the operation that it covers
 * @count: most units that it may cover; set to those that it covers, or to 0 if its list needs
 *         more than @room: then nothing is written
 * @bytes: set to &quire_paging_record.bytes; 0 before
 * @room: bytes that its list may have
 * @max_pages: &quire_paging_caps.max_packet_pages
 * @list: set to the bytes of its list; 0 before
 * @flags: set to those of its header; 0 before
 * @seek: it is the first one of a call: cursors may stand anywhere, else behind the last packet
 */
struct quire_paging_packet {
	void *at;
	u64 first;
	u64 count;
	u64 bytes;
	u32 room;
	u32 max_pages;
	u32 list;
	u16 flags;
	bool seek;
};

typedef int (quire_paging_check_fn)(const struct quire_paging_caps *caps,
				    const struct quire_paging_args *args);
typedef u64 (quire_paging_units_fn)(const struct quire_paging_args *args);
typedef void (quire_paging_emit_fn)(struct quire_paging_args *args,
				    struct quire_paging_packet *packet);

/**
 * struct quire_paging_operation_ops - one operation of the builder
 * @name: as in the original, without its prefix
 * @opcode: enum quire_opcode of its packets
 * @size: bytes of the fixed part of a packet
 * @has_list: there is a list behind it
 * @may_be_busy: %QUIRE_BUILD_BUSY is an answer
 * @unlimited: a packet may cover more units than &quire_paging_caps.max_packet_pages
 * @check: check the arguments of the operation, but not the window. Returns 0, or -EINVAL,
 *         -EOVERFLOW, -ERANGE or -E2BIG as quire_paging_check_args()
 * @units: count what &quire_paging_args.multipass_offset counts up to; the arguments are good
 * @by_cpu: do all of the operation without a packet, if the arguments ask for that; NULL: they
 *          can not
 * @emit: write a packet behind its header, for at least one unit if there is room for that
 *
 * To add an operation: its number in enum quire_paging_operation, its arguments in
 * &quire_paging_args.u, its row in quire_paging.c, the functions that are named there, and, if
 * its packets have a list, how long that is in quire_paging_patch.c.
 */
struct quire_paging_operation_ops {
	const char *name;
	u16 opcode;
	u16 size;
	bool has_list;
	bool may_be_busy;
	bool unlimited;
	quire_paging_check_fn *check;
	quire_paging_units_fn *units;
	bool (*by_cpu)(const struct quire_paging_args *args);
	quire_paging_emit_fn *emit;
};

/* What the rows of the table in quire_paging.c name. */
quire_paging_check_fn quire_paging_transfer_check, quire_paging_conversion_check,
	quire_paging_special_lock_check, quire_paging_fill_check, quire_paging_discard_check,
	quire_paging_physical_check, quire_paging_map_check, quire_paging_unmap_check,
	quire_paging_map2_check, quire_paging_map_mmu_check, quire_paging_unmap_mmu_check,
	quire_paging_transfer_virtual_check, quire_paging_fill_virtual_check,
	quire_paging_init_context_check, quire_paging_update_context_check,
	quire_paging_update_check, quire_paging_copy_entries_check, quire_paging_flush_tlb_check,
	quire_paging_signal_fence_check, quire_paging_notify_residency_check,
	quire_paging_notify_residency2_check, quire_paging_notify_alloc_check,
	quire_paging_notify_fences_check;

quire_paging_units_fn quire_paging_transfer_units, quire_paging_conversion_units,
	quire_paging_fill_units, quire_paging_discard_units, quire_paging_map_units,
	quire_paging_unmap_units, quire_paging_map2_units, quire_paging_map_mmu_units,
	quire_paging_unmap_mmu_units, quire_paging_transfer_virtual_units,
	quire_paging_fill_virtual_units, quire_paging_update_context_units,
	quire_paging_update_units, quire_paging_copy_entries_units,
	quire_paging_notify_residency2_units, quire_paging_notify_alloc_units,
	quire_paging_notify_fences_units;

quire_paging_emit_fn quire_paging_transfer_emit, quire_paging_conversion_emit,
	quire_paging_fill_emit, quire_paging_discard_emit, quire_paging_physical_emit,
	quire_paging_map_emit, quire_paging_unmap_emit, quire_paging_map2_emit,
	quire_paging_map_mmu_emit, quire_paging_unmap_mmu_emit,
	quire_paging_transfer_virtual_emit, quire_paging_fill_virtual_emit,
	quire_paging_init_context_emit, quire_paging_update_context_emit,
	quire_paging_update_emit, quire_paging_copy_entries_emit, quire_paging_flush_tlb_emit,
	quire_paging_signal_fence_emit, quire_paging_notify_residency_emit,
	quire_paging_notify_residency2_emit, quire_paging_notify_alloc_emit,
	quire_paging_notify_fences_emit;

bool quire_paging_update_by_cpu(const struct quire_paging_args *args);

const struct quire_paging_operation_ops *
quire_paging_find_operation(enum quire_paging_operation operation);

int quire_paging_check_segment(const struct quire_paging_caps *caps, u32 segment,
			       u64 first, u64 pages);
int quire_paging_check_runs(const struct quire_paging_caps *caps,
			    const struct quire_paging_location *location, u64 *total);
int quire_paging_check_location(const struct quire_paging_caps *caps,
				const struct quire_paging_location *location,
				u64 first, u64 pages);
int quire_paging_check_virtual(u64 address, u64 bytes);
int quire_paging_check_adl(const struct quire_paging_caps *caps, u32 segment,
			   const struct quire_paging_adl *adl);
void quire_paging_write_runs(struct quire_paging_packet *packet, __le64 *runs,
			     const struct quire_paging_location *location,
			     struct quire_page_cursor *cursor);

u32 quire_paging_pte_pages(const struct quire_paging_pte *pte, u32 level, bool is_64k);
int quire_paging_pte_check(const struct quire_paging_caps *caps,
			   const struct quire_paging_pte *pte, u32 level, bool is_64k);

/**
 * quire_paging_pte_word - encode a page-table entry as the device reads it
 * @pte: passed quire_paging_pte_check()
 *
 * Returns: QUIRE_PTE(), without %QUIRE_PTE_64K.
 */
static inline u64 quire_paging_pte_word(const struct quire_paging_pte *pte)
{
	return pte->page << QUIRE_PAGE_SHIFT | pte->flags;
}

/**
 * quire_paging_bytes_to_pages - count the pages that some bytes touch
 * @bytes: from the start of a page on
 *
 * Returns: pages, the last may be touched in part.
 */
static inline u64 quire_paging_bytes_to_pages(u64 bytes)
{
	return (bytes >> QUIRE_PAGE_SHIFT) + !!(bytes & (QUIRE_PAGE_SIZE - 1));
}

/**
 * quire_paging_piece_bytes - count the bytes of the pages that a packet covers
 * @packet: the packet; the last of its pages may be one that the operation touches in part
 * @size: bytes of the operation
 *
 * Returns: bytes.
 */
static inline u64 quire_paging_piece_bytes(const struct quire_paging_packet *packet, u64 size)
{
	return min(size - (packet->first << QUIRE_PAGE_SHIFT), packet->count << QUIRE_PAGE_SHIFT);
}

#endif
