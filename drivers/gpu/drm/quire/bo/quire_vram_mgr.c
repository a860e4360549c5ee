// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The VRAM manager
 *
 * A TTM resource manager over the kernel's buddy allocator, for segment 1. An object gets a list
 * of blocks, or one run of pages if its placement says %TTM_PL_FLAG_CONTIGUOUS.
 *
 * Placements name the part of VRAM that the CPU reaches, or the rest, with fpfn and lpfn;
 * %TTM_PL_FLAG_TOPDOWN keeps that part for those who need it. While the CPU makes the moves (module
 * parameter device_copies), only it is handed out, as single runs.
 *
 * Locking: &quire_vram_mgr.lock, inside of reservation locks. The blocks of a resource do not
 * change while it lives, so reading them needs no lock; but those of one that has slid do.
 */
#include <linux/align.h>
#include <linux/lockdep.h>
#include <linux/math.h>

#include <kunit/visibility.h>

#include "queue/quire_paging_work.h"
#include "queue/quire_paging_queue.h"
#include "quire_bo.h"
#include "quire_range.h"
#include "quire_vram_mgr.h"

/* Exact ranges that are tried for a run. */
#define QUIRE_VRAM_RUNS		64

/* With one packet more for what quire_paging_part_bytes() counts beside them. */
static_assert((QUIRE_SLIDE_PACKETS + 8) *
	      (sizeof(struct quire_packet_transfer) + sizeof(__le64)) <= QUIRE_PAGING_BUFFER_MAX);

static u64 block_end(struct quire_vram_mgr *mgr, struct gpu_buddy_block *block)
{
	return gpu_buddy_block_offset(block) + gpu_buddy_block_size(&mgr->mm, block);
}

static u64 place_start(const struct ttm_place *place)
{
	return (u64)place->fpfn << PAGE_SHIFT;
}

static u64 place_end(struct ttm_resource_manager *man, const struct ttm_place *place)
{
	u64 end = (u64)place->lpfn << PAGE_SHIFT;

	return end ? min(end, man->size) : man->size;
}

/* Of a resource that is one run. */
static u64 run_start(const struct quire_vram_resource *vres)
{
	return (u64)vres->base.start << PAGE_SHIFT;
}

static u64 run_end(const struct quire_vram_resource *vres)
{
	return run_start(vres) + vres->base.size;
}

/**
 * DOC: Slides
 *
 * An object in VRAM that is in its own way may slide onto room that overlaps its place::
 *
 *       a run that reaches beyond the limit          the limit
 *     |         free         |#########################|####|
 *                       |#########################|<--- apart
 *                       |----|
 *                       taken before
 *
 * Before the move, only the part of the new place outside of the old one is taken; the rest is
 * handed over when the old place is freed, so a failed move has taken nothing from it.
 *
 * The move is one TRANSFER. Its packets are no longer than the two places lie apart, so that none
 * overwrites its own source: after a reset the packet at work is executed again. But half of the
 * packets would leave neither place whole. So all of them have to fit in one paging buffer, and a
 * slide that would take more goes further than it has to.
 */

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
 * quire_vram_slide - take a run that overlaps the place that an object has
 * @mgr: the manager, locked
 * @vres: the new place, without blocks; has its size
 * @old: the place that the object has; as large
 * @first: byte of VRAM where the new one may begin, at the least
 * @last: and at the most
 * @alignment: of where it begins, a power of two, a multiple of the page size
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
	vres->visible_used = quire_vram_visible(mgr, start, start + size);
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
	u64 start = gpu_buddy_block_offset(block), end = block_end(mgr, block);
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
		list_for_each_entry_safe(block, next, &vres->blocks, link)
			if (block_end(mgr, block) > run_start(new) &&
			    gpu_buddy_block_offset(block) < run_end(new))
				slide_split(mgr, block, new);
		new->from = NULL;
		vres->to = NULL;
	}
	if (vres->from)
		vres->from->to = NULL;
}
EXPORT_SYMBOL_IF_KUNIT(quire_vram_slide_end);

/* Of the blocks; those of a resource that has slid do not say where it is. */
static u64 vram_blocks_visible(struct quire_vram_mgr *mgr, struct quire_vram_resource *vres)
{
	struct gpu_buddy_block *block;
	u64 visible = 0;

	list_for_each_entry(block, &vres->blocks, link)
		visible += quire_vram_visible(mgr, gpu_buddy_block_offset(block),
					      block_end(mgr, block));
	return visible;
}

/*
 * The allocator looks for a run in one aligned block of the next power of two. Exact ranges in
 * equal steps find one wherever there is much more room, or everything in the way is evicted.
 */
static int vram_alloc(struct quire_vram_mgr *mgr, struct quire_vram_resource *vres, u64 first,
		      u64 end, u64 alignment, unsigned long flags)
{
	u64 size = vres->base.size, most = end - size - first, offset = 0, start = first;
	u64 step = max_t(u64, roundup_pow_of_two(most / QUIRE_VRAM_RUNS + 1), alignment);
	int ret;

	for (;;) {
		ret = gpu_buddy_alloc_blocks(&mgr->mm, start, end, size, alignment, &vres->blocks,
					     flags);
		/* A run whose size, rounded up, is above the range is no caller's fault. */
		if (ret == -EINVAL)
			ret = -ENOSPC;
		if (ret != -ENOSPC || !(flags & GPU_BUDDY_CONTIGUOUS_ALLOCATION) || offset > most)
			return ret;
		start = first + (flags & GPU_BUDDY_TOPDOWN_ALLOCATION ? most - offset : offset);
		end = start + size;
		offset = offset < most ? min(offset + step, most) : most + 1;
	}
}

static int vram_take(struct quire_vram_mgr *mgr, struct quire_vram_resource *vres,
		     const struct ttm_place *place, struct ttm_buffer_object *tbo)
{
	u64 start = place_start(place), end = place_end(&mgr->manager, place);
	u64 alignment = roundup_pow_of_two(max_t(u64, tbo->page_alignment, 1) << PAGE_SHIFT);
	u64 size = vres->base.size, visible, invisible;
	struct quire_bo *bo = ttm_to_quire_bo(tbo);
	struct gpu_buddy_block *block;
	unsigned long flags = 0;
	int ret = -ENOSPC;

	if (start || end != mgr->mm.size)
		flags |= GPU_BUDDY_RANGE_ALLOCATION;
	if (place->flags & TTM_PL_FLAG_TOPDOWN)
		flags |= GPU_BUDDY_TOPDOWN_ALLOCATION;
	/* A swizzling range shows an image that is in one run. */
	if (mgr->contiguous || place->flags & TTM_PL_FLAG_CONTIGUOUS || quire_range_suits(bo))
		flags |= GPU_BUDDY_CONTIGUOUS_ALLOCATION;

	guard(mutex)(&mgr->lock);
	/* The allocator looks at every block to say no, and eviction asks after each victim. */
	visible = mgr->visible_size - mgr->visible_used;
	invisible = mgr->mm.avail - visible;
	if (size <= (start < mgr->visible_size ? visible : 0) +
		    (end > mgr->visible_size ? invisible : 0))
		ret = vram_alloc(mgr, vres, start, end, alignment, flags);
	/* Not for the CPU's copies, which go upwards. */
	if (ret == -ENOSPC && !mgr->contiguous && bo->slides)
		ret = quire_vram_slide(mgr, vres, to_quire_vram_resource(tbo->resource), start,
				       end - size, alignment);
	if (ret)
		return ret;
	mgr->visible_used += vram_blocks_visible(mgr, vres);
	if (vres->slid)
		return 0;

	block = list_first_entry(&vres->blocks, struct gpu_buddy_block, link);
	end = gpu_buddy_block_offset(block);
	vres->base.start = end >> PAGE_SHIFT;
	vres->visible_used = vram_blocks_visible(mgr, vres);
	vres->base.bus.caching = ttm_write_combined;
	vres->base.placement |= TTM_PL_FLAG_CONTIGUOUS;
	list_for_each_entry(block, &vres->blocks, link) {
		if (gpu_buddy_block_offset(block) != end)
			vres->base.placement &= ~TTM_PL_FLAG_CONTIGUOUS;
		end = block_end(mgr, block);
	}
	return 0;
}

static int vram_mgr_alloc(struct ttm_resource_manager *man, struct ttm_buffer_object *tbo,
			  const struct ttm_place *place, struct ttm_resource **res)
{
	u64 size = quire_bo_size_in(ttm_to_quire_bo(tbo), QUIRE_PL_VRAM);
	u64 start = place_start(place), end = place_end(man, place);
	struct quire_vram_resource *vres;
	int ret;

	if (end <= start || size > end - start)
		return -ENOSPC;

	vres = kzalloc(sizeof(*vres), GFP_KERNEL);
	if (!vres)
		return -ENOMEM;
	vres->mgr = container_of(man, struct quire_vram_mgr, manager);
	INIT_LIST_HEAD(&vres->blocks);
	ttm_resource_init(tbo, place, &vres->base);
	/* TTM takes the size of the object, but tiles may take more. */
	scoped_guard(spinlock, &tbo->bdev->lru_lock) {
		man->usage += size - vres->base.size;
		vres->base.size = size;
	}

	ret = vram_take(vres->mgr, vres, place, tbo);
	if (ret) {
		ttm_resource_fini(man, &vres->base);
		kfree(vres);
		return ret;
	}
	*res = &vres->base;
	return 0;
}

static void vram_mgr_free(struct ttm_resource_manager *man, struct ttm_resource *res)
{
	struct quire_vram_resource *vres = to_quire_vram_resource(res);
	struct quire_vram_mgr *mgr = vres->mgr;

	mgr->leave(vres);
	scoped_guard(mutex, &mgr->lock) {
		quire_vram_slide_end(mgr, vres);
		mgr->visible_used -= vram_blocks_visible(mgr, vres);
		gpu_buddy_free_list(&mgr->mm, &vres->blocks, 0);
	}
	ttm_resource_fini(man, res);
	kfree(vres);
}

static bool vram_mgr_intersects(struct ttm_resource_manager *man, struct ttm_resource *res,
				const struct ttm_place *place, size_t size)
{
	struct quire_vram_resource *vres = to_quire_vram_resource(res);
	struct gpu_buddy_block *block;

	/* What has slid may have blocks beyond its place: they are free when it leaves. */
	list_for_each_entry(block, &vres->blocks, link)
		if (gpu_buddy_block_offset(block) < place_end(man, place) &&
		    block_end(vres->mgr, block) > place_start(place))
			return true;
	return false;
}

static bool vram_mgr_compatible(struct ttm_resource_manager *man, struct ttm_resource *res,
				const struct ttm_place *place, size_t size)
{
	struct quire_vram_resource *vres = to_quire_vram_resource(res);
	u64 start = place_start(place), end = place_end(man, place);
	u64 slid = (u64)res->start << PAGE_SHIFT;
	struct gpu_buddy_block *block;

	if (vres->slid)
		return slid >= start && slid + res->size <= end;
	list_for_each_entry(block, &vres->blocks, link)
		if (gpu_buddy_block_offset(block) < start || block_end(vres->mgr, block) > end)
			return false;
	return true;
}

static void vram_mgr_debug(struct ttm_resource_manager *man, struct drm_printer *p)
{
	struct quire_vram_mgr *mgr = container_of(man, struct quire_vram_mgr, manager);

	guard(mutex)(&mgr->lock);
	drm_printf(p, "  visible size: %llu\n", mgr->visible_size);
	drm_printf(p, "  visible used: %llu\n", mgr->visible_used);
	drm_buddy_print(&mgr->mm, p);
}

static const struct ttm_resource_manager_func vram_mgr_func = {
	.alloc = vram_mgr_alloc,
	.free = vram_mgr_free,
	.intersects = vram_mgr_intersects,
	.compatible = vram_mgr_compatible,
	.debug = vram_mgr_debug,
};

/**
 * quire_vram_mgr_init - make the manager of segment 1
 * @qdev: the device; its sizes are read
 * Returns: 0, or -ENOMEM.
 */
int quire_vram_mgr_init(struct quire_device *qdev)
{
	struct quire_vram_mgr *mgr = qdev->vram_mgr;
	int ret;

	mutex_init(&mgr->lock);
	mgr->visible_size = qdev->vram_visible;
	mgr->contiguous = !qdev->device_copies;
	mgr->manager.func = &vram_mgr_func;
	ttm_resource_manager_init(&mgr->manager, &qdev->ttm,
				  mgr->contiguous ? qdev->vram_visible : qdev->vram_size);

	ret = gpu_buddy_init(&mgr->mm, mgr->manager.size, PAGE_SIZE);
	if (ret)
		return ret;

	ttm_set_driver_manager(&qdev->ttm, QUIRE_PL_VRAM, &mgr->manager);
	ttm_resource_manager_set_used(&mgr->manager, true);
	return 0;
}

/**
 * quire_vram_mgr_fini - take the manager down
 * @mgr: the manager
 */
void quire_vram_mgr_fini(struct quire_vram_mgr *mgr)
{
	struct ttm_resource_manager *man = &mgr->manager;
	struct ttm_device *ttm = man->bdev;

	ttm_resource_manager_set_used(man, false);
	/* A leak is better than memory with two owners. */
	if (WARN_ON(ttm_resource_manager_evict_all(ttm, man)))
		return;

	gpu_buddy_fini(&mgr->mm);
	ttm_resource_manager_cleanup(man);
	ttm_set_driver_manager(ttm, QUIRE_PL_VRAM, NULL);
	mutex_destroy(&mgr->lock);
}

/**
 * quire_vram_page_offset - where is a page of an object?
 * @res: a resource of %QUIRE_PL_VRAM, its object reserved
 * @page: PAGE_SIZE units from the start of the object, inside of it
 * Returns: bytes from the start of VRAM.
 */
u64 quire_vram_page_offset(struct ttm_resource *res, u64 page)
{
	struct quire_vram_resource *vres = to_quire_vram_resource(res);
	u64 pages;

	if (vres->slid)
		return ((u64)res->start + page) << PAGE_SHIFT;
	/* To walk an object costs one walk over its blocks. */
	if (!vres->found || page < vres->found_page) {
		vres->found = list_first_entry(&vres->blocks, struct gpu_buddy_block, link);
		vres->found_page = 0;
	}
	while (page - vres->found_page >=
	       (pages = gpu_buddy_block_size(&vres->mgr->mm, vres->found) >> PAGE_SHIFT)) {
		vres->found_page += pages;
		vres->found = list_next_entry(vres->found, link);
	}
	return gpu_buddy_block_offset(vres->found) + ((page - vres->found_page) << PAGE_SHIFT);
}
