/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the builder's operations share. */
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
 * struct quire_paging_operation_ops - one operation of the builder
 * @name: as the original has it, without its prefix
 * @opcode: enum quire_opcode of its packets
 * @may_be_busy: BUSY is an answer
 * @check: are the arguments of the operation good; does not look at the
 *         window. Sets *@pages to what @pages returns. -EINVAL, -EOVERFLOW and
 *         -ERANGE as of quire_paging_check_args()
 * @pages: what the token counts up to
 * @build: writes packets for what the token has not counted yet: at least one
 *         page of @pages. Answers FULL if the next packet does not fit
 *
 * To add an operation: its number in enum quire_paging_operation, its arguments
 * in &quire_paging_args.u, one of these, its line in quire_paging.c, and the form of its
 * packets in quire_paging_patch.c.
 */
struct quire_paging_operation_ops {
	const char *name;
	u16 opcode;
	bool may_be_busy;
	int (*check)(const struct quire_paging_caps *caps,
		     const struct quire_paging_args *args, u64 *pages);
	u64 (*pages)(const struct quire_paging_args *args);
	enum quire_build_status (*build)(const struct quire_paging_caps *caps,
					 struct quire_paging_args *args, u64 pages);
};

extern const struct quire_paging_operation_ops quire_paging_transfer_ops;
extern const struct quire_paging_operation_ops quire_paging_fill_ops;
extern const struct quire_paging_operation_ops quire_paging_discard_ops;
extern const struct quire_paging_operation_ops quire_paging_read_ops;
extern const struct quire_paging_operation_ops quire_paging_write_ops;
extern const struct quire_paging_operation_ops quire_paging_map_ops;
extern const struct quire_paging_operation_ops quire_paging_unmap_ops;
extern const struct quire_paging_operation_ops quire_paging_special_lock_ops;
extern const struct quire_paging_operation_ops quire_paging_map2_ops;
extern const struct quire_paging_operation_ops quire_paging_transfer_virtual_ops;
extern const struct quire_paging_operation_ops quire_paging_fill_virtual_ops;
extern const struct quire_paging_operation_ops quire_paging_init_context_ops;
extern const struct quire_paging_operation_ops quire_paging_update_page_table_ops;
extern const struct quire_paging_operation_ops quire_paging_flush_tlb_ops;
extern const struct quire_paging_operation_ops quire_paging_update_context_ops;
extern const struct quire_paging_operation_ops quire_paging_copy_entries_ops;
extern const struct quire_paging_operation_ops quire_paging_signal_fence_ops;
extern const struct quire_paging_operation_ops quire_paging_notify_residency_ops;
extern const struct quire_paging_operation_ops quire_paging_notify_fences_ops;
extern const struct quire_paging_operation_ops quire_paging_map_mmu_ops;
extern const struct quire_paging_operation_ops quire_paging_unmap_mmu_ops;
extern const struct quire_paging_operation_ops quire_paging_notify_residency2_ops;
extern const struct quire_paging_operation_ops quire_paging_notify_alloc_ops;

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

int quire_paging_transfer_check(const struct quire_paging_caps *caps,
				const struct quire_paging_args *args, u64 *pages);

u32 quire_paging_write_runs(const struct quire_paging_args *args, __le64 *runs,
			    const struct quire_paging_location *location,
			    struct quire_page_cursor *cursor, u64 *pages);
void quire_paging_commit(struct quire_paging_args *args, u16 flags, u32 size,
			 u64 bytes, u32 pages);

/**
 * quire_paging_bytes_to_pages - pages that some bytes touch
 * @bytes: from the start of a page on
 *
 * Returns: pages, the last may be touched in part.
 */
static inline u64 quire_paging_bytes_to_pages(u64 bytes)
{
	return (bytes >> QUIRE_PAGE_SHIFT) + !!(bytes & (QUIRE_PAGE_SIZE - 1));
}

/**
 * quire_paging_piece_bytes - bytes of some pages of an operation
 * @size: bytes of the operation
 * @first: first page, counted from the operation's start
 * @count: pages; the last may be one that the operation touches in part
 *
 * Returns: bytes.
 */
static inline u64 quire_paging_piece_bytes(u64 size, u64 first, u64 count)
{
	return min(size - (first << QUIRE_PAGE_SHIFT), count << QUIRE_PAGE_SHIFT);
}

/**
 * quire_paging_is_named - can a notice say of which allocation it is
 * @args: the operation
 *
 * Returns: true if so.
 */
static inline bool quire_paging_is_named(const struct quire_paging_args *args)
{
	return args->allocation && args->allocation->id;
}

/**
 * quire_paging_fits - is there room for a packet and its record
 * @args: the window
 * @size: bytes of the packet
 *
 * Returns: true if so.
 */
static inline bool quire_paging_fits(const struct quire_paging_args *args, size_t size)
{
	return args->dma_size >= size &&
	       args->private_data_size >= sizeof(struct quire_paging_record);
}

#endif
