/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGE_RUNS_H
#define QUIRE_PAGE_RUNS_H

#include <linux/mm.h>

#include <drm/ttm/ttm_tt.h>

#include "paging/quire_paging.h"
#include "core/quire_compat.h"
#include "core/quire_placement.h"
#include "quire_vram_types.h"

struct quire_layout;
struct quire_paging_queue;

#define QUIRE_PAGES_PER_PAGE	(PAGE_SIZE >> QUIRE_PAGE_SHIFT)

/**
 * struct quire_cursor - walks over the pages of a resource or of a ttm_tt
 * @first: page number of this extent: in the segment, or of its DMA address
 * @count: pages in this extent; 0: the walk is over
 * @remaining: pages behind this extent
 * @mgr: of @block
 * @block: where the page behind this extent is in VRAM, or NULL
 * @dma_address: of the page behind this extent, or NULL
 *
 * Pages are of %QUIRE_PAGE_SIZE. Pages of a ttm_tt that follow each other are one extent; blocks of
 * VRAM that do are not joined (quire_page_runs.c). What is walked must not go away.
 */
struct quire_cursor {
	u64 first;
	u64 count;
	u64 remaining;
	struct quire_vram_mgr *mgr;
	struct gpu_buddy_block *block;
	const dma_addr_t *dma_address;
};

static inline void quire_cursor_next(struct quire_cursor *cursor)
{
	const dma_addr_t *address = cursor->dma_address, *end;
	dma_addr_t next;
	u64 size;

	if (!cursor->remaining) {
		cursor->count = 0;
		return;
	}
	if (cursor->block) {
		size = gpu_buddy_block_size(&cursor->mgr->mm, cursor->block);
		cursor->first = gpu_buddy_block_offset(cursor->block) >> QUIRE_PAGE_SHIFT;
		cursor->count = min(size >> QUIRE_PAGE_SHIFT, cursor->remaining);
		cursor->block = list_next_entry(cursor->block, link);
	} else {
		next = *address;
		end = address + cursor->remaining / QUIRE_PAGES_PER_PAGE;
		cursor->first = next >> QUIRE_PAGE_SHIFT;
		do {
			next += PAGE_SIZE;
			address++;
		} while (address < end && *address == next);
		cursor->count = (address - cursor->dma_address) * QUIRE_PAGES_PER_PAGE;
		cursor->dma_address = address;
	}
	cursor->remaining -= cursor->count;
}

/* @res: the place; NULL: system memory, with the pages of @tt, which is populated */
static inline void quire_cursor_first(struct quire_cursor *cursor, struct ttm_resource *res,
				      struct ttm_tt *tt)
{
	struct quire_vram_resource *vres = res ? to_quire_vram_resource(res) : NULL;

	if (!res) {
		*cursor = (struct quire_cursor) {
			.remaining = (u64)tt->num_pages * QUIRE_PAGES_PER_PAGE,
			.dma_address = tt->dma_address,
		};
	} else if (res->mem_type == QUIRE_PL_VRAM && !vres->slid) {
		*cursor = (struct quire_cursor) {
			.remaining = res->size >> QUIRE_PAGE_SHIFT,
			.mgr = vres->mgr,
			.block = list_first_entry(&vres->blocks, struct gpu_buddy_block, link),
		};
	} else {
		/* One extent, as all of the aperture are. */
		*cursor = (struct quire_cursor) {
			.first = (u64)res->start * QUIRE_PAGES_PER_PAGE,
			.count = res->size >> QUIRE_PAGE_SHIFT,
		};
		return;
	}
	quire_cursor_next(cursor);
}

/* @pages: of this extent; to the next one if that is all of it */
static inline void quire_cursor_skip(struct quire_cursor *cursor, u64 pages)
{
	cursor->first += pages;
	cursor->count -= pages;
	if (!cursor->count)
		quire_cursor_next(cursor);
}

/* The longest sub-transfer, 16 MiB, and as many runs of a side at worst. */
#define QUIRE_SUB_TRANSFER_PAGES	4096

/**
 * struct quire_page_runs - a part of an object's place, for the builder
 * @location: the part, for &struct quire_paging_args; valid while its array is the caller's
 * @part: where the part begins
 * @next: where the next part begins
 * @pages: of the part
 *
 * All zero: a side that an operation does not have.
 */
struct quire_page_runs {
	struct quire_paging_location location;
	struct quire_cursor part;
	struct quire_cursor next;
	u64 pages;
};

/**
 * enum quire_paging_side - places that the operations of one move describe
 * @QUIRE_PAGING_SOURCE: what a transfer reads, or a discard drops
 * @QUIRE_PAGING_DESTINATION: what a transfer or a fill writes
 * @QUIRE_PAGING_MDL: system pages that are mapped
 * @QUIRE_PAGING_SIDES: behind the last
 */
enum quire_paging_side {
	QUIRE_PAGING_SOURCE,
	QUIRE_PAGING_DESTINATION,
	QUIRE_PAGING_MDL,
	QUIRE_PAGING_SIDES,
};

/**
 * struct quire_paging_part - the part of a move that is described now
 * @queue: lends its arrays
 * @sides: by enum quire_paging_side; those of no use are zero
 * @layout: of an image that is converted, or NULL
 * @tiled: then the side where its tiles are; the others have the linear form
 * @lists: %QUIRE_PAGING_MDL is mapped by an address list
 * @adl: then that one, as long as the arrays are ours
 * @windows: source and destination are seen through the windows of the paging ring
 */
struct quire_paging_part {
	struct quire_paging_queue *queue;
	struct quire_page_runs sides[QUIRE_PAGING_SIDES];
	const struct quire_layout *layout;
	enum quire_paging_side tiled;
	bool lists;
	struct quire_paging_adl adl;
	bool windows;
};

void quire_page_runs_init(struct quire_page_runs *runs, struct ttm_resource *res,
			  struct ttm_tt *tt);
void quire_page_runs_next(struct quire_page_runs *runs, struct quire_page_run *array,
			  u32 room, u64 pages);
void quire_page_runs_from(struct quire_page_runs *runs, struct quire_page_run *array,
			  u32 room, u64 first, u64 pages);

int quire_paging_part_next(struct quire_paging_part *part, u64 pages, bool interruptible);
void quire_paging_part_end(struct quire_paging_part *part);
const struct quire_page_runs *quire_paging_part_linear(const struct quire_paging_part *part);
bool quire_paging_part_is_last(const struct quire_paging_part *part);
u64 quire_paging_part_bytes(const struct quire_paging_part *part);

/* There is no further part; so it is of an unused side. */
static inline bool quire_page_runs_ended(const struct quire_page_runs *runs)
{
	return !runs->next.count;
}

#endif
