/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_CURSOR_H
#define QUIRE_CURSOR_H

#include <linux/minmax.h>
#include <linux/mm.h>

#include <drm/ttm/ttm_tt.h>
#include <quire/quire_hw.h>

#include "core/quire_compat.h"
#include "quire_vram_types.h"

/**
 * struct quire_cursor - walks over the pages of a resource or of a ttm_tt
 * @first: page number of this extent: in the segment, or of its DMA address
 * @count: pages in this extent; 0: the walk is over
 * @remaining: pages behind this extent
 * @mgr: of @block
 * @block: where this extent is in VRAM, or NULL
 * @dma_address: of the page behind this extent, or NULL
 *
 * Pages are of %QUIRE_PAGE_SIZE. Pages of a ttm_tt that follow each other are one extent; blocks of
 * VRAM that do are not joined, that is what quire_page_runs.c does. What is walked must not go
 * away.
 */
struct quire_cursor {
	u64 first;
	u64 count;
	u64 remaining;
	struct quire_vram_mgr *mgr;
	struct gpu_buddy_block *block;
	const dma_addr_t *dma_address;
};

#define QUIRE_PAGES_PER_PAGE	(PAGE_SIZE >> QUIRE_PAGE_SHIFT)

static inline void quire_cursor_set_block(struct quire_cursor *cursor)
{
	u64 size = gpu_buddy_block_size(&cursor->mgr->mm, cursor->block);

	cursor->first = gpu_buddy_block_offset(cursor->block) >> QUIRE_PAGE_SHIFT;
	cursor->count = min(size >> QUIRE_PAGE_SHIFT, cursor->remaining);
	cursor->remaining -= cursor->count;
}

/* With all pages behind it that follow it in memory. */
static inline void quire_cursor_set_pages(struct quire_cursor *cursor)
{
	const dma_addr_t *address = cursor->dma_address;
	const dma_addr_t *end = address + cursor->remaining / QUIRE_PAGES_PER_PAGE;
	dma_addr_t next = *address;

	cursor->first = next >> QUIRE_PAGE_SHIFT;
	do {
		next += PAGE_SIZE;
		address++;
	} while (address < end && *address == next);
	cursor->count = (address - cursor->dma_address) * QUIRE_PAGES_PER_PAGE;
	cursor->remaining -= cursor->count;
	cursor->dma_address = address;
}

/* @res is one extent, as all of %QUIRE_PL_APERTURE are */
static inline void quire_cursor_first_run(struct quire_cursor *cursor, struct ttm_resource *res)
{
	*cursor = (struct quire_cursor) {
		.first = (u64)res->start * QUIRE_PAGES_PER_PAGE,
		.count = res->size >> QUIRE_PAGE_SHIFT,
	};
}

/* @res is of %QUIRE_PL_VRAM */
static inline void quire_cursor_first_vram(struct quire_cursor *cursor,
					   struct ttm_resource *res)
{
	struct quire_vram_resource *vres = to_quire_vram_resource(res);

	if (vres->slid) {
		quire_cursor_first_run(cursor, res);
		return;
	}
	*cursor = (struct quire_cursor) {
		.remaining = res->size >> QUIRE_PAGE_SHIFT,
		.mgr = vres->mgr,
		.block = list_first_entry(&vres->blocks, struct gpu_buddy_block, link),
	};
	quire_cursor_set_block(cursor);
}

/* @tt is populated */
static inline void quire_cursor_first_tt(struct quire_cursor *cursor, struct ttm_tt *tt)
{
	*cursor = (struct quire_cursor) {
		.remaining = (u64)tt->num_pages * QUIRE_PAGES_PER_PAGE,
		.dma_address = tt->dma_address,
	};
	quire_cursor_set_pages(cursor);
}

static inline void quire_cursor_next(struct quire_cursor *cursor)
{
	if (!cursor->remaining) {
		cursor->count = 0;
	} else if (cursor->block) {
		cursor->block = list_next_entry(cursor->block, link);
		quire_cursor_set_block(cursor);
	} else {
		quire_cursor_set_pages(cursor);
	}
}

/* @pages: of this extent; to the next one if that is all of it */
static inline void quire_cursor_skip(struct quire_cursor *cursor, u64 pages)
{
	cursor->first += pages;
	cursor->count -= pages;
	if (!cursor->count)
		quire_cursor_next(cursor);
}

#endif
