// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Slides
 *
 * An object in VRAM that needs another place there, and is itself in the way, may slide onto
 * room that overlaps its own::
 *
 *       a run that reaches beyond the limit          the limit
 *     |         free         |#########################|####|
 *                       |#########################|<--- apart
 *                       |----|
 *                       taken before
 *
 * Before the move, only the part of the new place outside of the old one is taken from the
 * allocator; the rest is handed over when the old place is freed. So a failed move has taken
 * nothing from the old place, and no other object gets a part of either at any time.
 *
 * The move is one TRANSFER. Its packets are no longer than the two places lie apart, so that none
 * overwrites its own source: after a hang or a reset the packet at work is executed again. But half
 * of the packets would leave neither place whole. So all of them have to fit in one paging buffer,
 * and a slide that would take more goes further than it has to.
 *
 * Locking: &quire_vram_mgr.lock.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, Transfer: source and destination may overlap.
 */
#include <linux/align.h>
#include <linux/lockdep.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/module.h>

#include <drm/ttm/ttm_placement.h>

#include <kunit/visibility.h>

#include <quire/quire_hw.h>

#include "core/quire_compat.h"
#include "queue/quire_paging_part.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_vram_types.h"
#include "quire_vram_slide.h"

/* With one packet more for what quire_paging_part_bytes() counts beside them. */
static_assert((QUIRE_SLIDE_PACKETS + 8) *
	      (sizeof(struct quire_packet_transfer) + sizeof(__le64)) <= QUIRE_PAGING_BUFFER_MAX);

static u64 run_start(const struct quire_vram_resource *vres)
{
	return (u64)vres->base.start << PAGE_SHIFT;
}

static u64 run_end(const struct quire_vram_resource *vres)
{
	return run_start(vres) + vres->base.size;
}

/*
 * The nearest start in @first to @last that is far enough: what it takes is free if anything is.
 * Returns false if the two places do not overlap then.
 */
static bool slide_start(const struct quire_vram_resource *old, u64 first, u64 last,
			u64 alignment, u64 *start)
{
	u64 size = old->base.size, from = run_start(old);
	u64 least = max_t(u64, ALIGN(DIV_ROUND_UP(size, QUIRE_SLIDE_PACKETS), PAGE_SIZE),
			  alignment);

	first = ALIGN(first, alignment);
	last = ALIGN_DOWN(last, alignment);
	if (from > last && from >= least)
		*start = min(last, ALIGN_DOWN(from - least, alignment));
	else if (from < first)
		*start = max(first, ALIGN(from + least, alignment));
	else
		return false;
	return *start >= first && *start <= last && *start < from + size && from < *start + size;
}

/**
 * quire_vram_slide - take room that overlaps the place that an object has
 * @mgr: the manager, locked
 * @vres: the new place, without blocks; has its size
 * @old: the place that the object has; as large
 * @first: byte of VRAM where the new one may begin, at the least
 * @last: and at the most
 * @alignment: of where it begins, a power of two, a multiple of the page size
 *
 * The new place is one run. The two are linked until the old one is freed, or
 * quire_vram_slide_end() is called for the new one.
 *
 * Returns: 0; -ENOSPC there is no such room, the old place is no run, or the object is larger than
 * a sub-transfer; -ENOMEM.
 */
int quire_vram_slide(struct quire_vram_mgr *mgr, struct quire_vram_resource *vres,
		     struct quire_vram_resource *old, u64 first, u64 last, u64 alignment)
{
	u64 size = vres->base.size, start, from, to;
	int ret;

	lockdep_assert_held(&mgr->lock);

	if (!(old->base.placement & TTM_PL_FLAG_CONTIGUOUS) ||
	    size >> QUIRE_PAGE_SHIFT > QUIRE_SUB_TRANSFER_PAGES ||
	    !slide_start(old, first, last, alignment, &start))
		return -ENOSPC;

	from = start < run_start(old) ? start : run_end(old);
	to = start < run_start(old) ? run_start(old) : start + size;
	ret = gpu_buddy_alloc_blocks(&mgr->mm, from, to, to - from, PAGE_SIZE, &vres->blocks,
				     GPU_BUDDY_RANGE_ALLOCATION);
	if (ret)
		return ret;

	vres->base.start = start >> PAGE_SHIFT;
	vres->base.placement |= TTM_PL_FLAG_CONTIGUOUS;
	vres->slid = true;
	vres->from = old;
	old->to = vres;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(quire_vram_slide);

/* A part of it is in the new place. Without memory to split it, it goes there whole. */
static void slide_split(struct quire_vram_mgr *mgr, struct gpu_buddy_block *block,
			struct quire_vram_resource *vres)
{
	u64 start = gpu_buddy_block_offset(block);
	u64 end = start + gpu_buddy_block_size(&mgr->mm, block);
	u64 from = max(start, run_start(vres)), to = min(end, run_end(vres));
	LIST_HEAD(blocks);

	list_move(&block->link, &blocks);
	if (!gpu_buddy_block_trim(&mgr->mm, &from, to - from, &blocks))
		mgr->visible_used -= quire_vram_visible(mgr, start, end) -
				     quire_vram_visible(mgr, from, to);
	list_splice(&blocks, &vres->blocks);
}

/**
 * quire_vram_slide_end - a place is about to be freed
 * @mgr: the manager, locked
 * @vres: the place; keeps the blocks that are its own
 *
 * If the object has slid from it, the new place gets the blocks that overlap. If the object should
 * have slid to it and did not, the old place is as before.
 */
void quire_vram_slide_end(struct quire_vram_mgr *mgr, struct quire_vram_resource *vres)
{
	struct quire_vram_resource *new = vres->to;
	struct gpu_buddy_block *block, *next;

	lockdep_assert_held(&mgr->lock);

	if (new) {
		list_for_each_entry_safe(block, next, &vres->blocks, link) {
			u64 start = gpu_buddy_block_offset(block);
			u64 end = start + gpu_buddy_block_size(&mgr->mm, block);

			if (end > run_start(new) && start < run_end(new))
				slide_split(mgr, block, new);
		}
		new->from = NULL;
		vres->to = NULL;
	}
	if (vres->from)
		vres->from->to = NULL;
}
EXPORT_SYMBOL_IF_KUNIT(quire_vram_slide_end);
