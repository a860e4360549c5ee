// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The VRAM manager
 *
 * A TTM resource manager over the kernel's buddy allocator, for segment 1. An object gets a list
 * of blocks, or one run of pages if its placement says %TTM_PL_FLAG_CONTIGUOUS. Where the
 * allocator has no block of the next power of two, a run is looked for in some exact ranges.
 *
 * The CPU reaches only the start of VRAM. Placements name that part, or the rest, with fpfn and
 * lpfn; %TTM_PL_FLAG_TOPDOWN takes from the end, which keeps the visible part for those who need
 * it. While the CPU makes the moves (module parameter device_copies), only the visible part is
 * handed out, and only as single runs.
 *
 * Locking: &quire_vram_mgr.lock, inside of reservation locks. The blocks of a resource do not
 * change while it lives, so reading them needs no lock; but those of one that has slid
 * (quire_vram_slide.c) do.
 */
#include <linux/slab.h>

#include <drm/drm_print.h>
#include <drm/ttm/ttm_device.h>

#include "core/quire_compat.h"
#include "queue/quire_vram_types.h"
#include "quire_bo.h"
#include "quire_range.h"
#include "quire_vram_mgr.h"
#include "quire_vram_slide.h"

/* Exact ranges that are tried for a run. */
#define QUIRE_VRAM_RUNS		64

static struct quire_vram_mgr *to_vram_mgr(struct ttm_resource_manager *man)
{
	return container_of(man, struct quire_vram_mgr, manager);
}

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

/* A swizzling range shows an image that is in one run. */
static bool wants_run(struct quire_vram_mgr *mgr, const struct quire_vram_resource *vres,
		      const struct ttm_place *place)
{
	return mgr->contiguous || place->flags & TTM_PL_FLAG_CONTIGUOUS ||
	       quire_range_suits(ttm_to_quire_bo(vres->base.bo));
}

static int vram_alloc_range(struct quire_vram_mgr *mgr, struct quire_vram_resource *vres,
			    const struct ttm_place *place, u64 start, u64 end, u64 alignment)
{
	unsigned long flags = 0;
	int ret;

	if (place_start(place) || place_end(&mgr->manager, place) != mgr->mm.size)
		flags |= GPU_BUDDY_RANGE_ALLOCATION;
	if (place->flags & TTM_PL_FLAG_TOPDOWN)
		flags |= GPU_BUDDY_TOPDOWN_ALLOCATION;
	if (wants_run(mgr, vres, place))
		flags |= GPU_BUDDY_CONTIGUOUS_ALLOCATION;
	ret = gpu_buddy_alloc_blocks(&mgr->mm, start, end, vres->base.size, alignment,
				     &vres->blocks, flags);
	/* A run whose size, rounded up, is above the range is no caller's fault. */
	return ret == -EINVAL ? -ENOSPC : ret;
}

/*
 * The allocator looks for a run in one aligned block of the next power of two. Exact ranges in
 * equal steps find one wherever there is much more room, and when everything in the way is
 * evicted.
 */
static int vram_alloc_run(struct quire_vram_mgr *mgr, struct quire_vram_resource *vres,
			  const struct ttm_place *place, u64 alignment)
{
	u64 first = place_start(place), size = vres->base.size;
	u64 most = place_end(&mgr->manager, place) - size - first;
	u64 step = max_t(u64, roundup_pow_of_two(most / QUIRE_VRAM_RUNS + 1), alignment);
	u64 offset = 0, start;
	int ret;

	for (;;) {
		start = first + (place->flags & TTM_PL_FLAG_TOPDOWN ? most - offset : offset);
		ret = vram_alloc_range(mgr, vres, place, start, start + size, alignment);
		if (ret != -ENOSPC || offset == most)
			return ret;
		offset = min(offset + step, most);
	}
}

static u64 vram_alignment(u32 page_alignment)
{
	return roundup_pow_of_two(max_t(u64, page_alignment, 1) << PAGE_SHIFT);
}

/* Not for the CPU's copies, which go upwards. */
static int vram_slide(struct quire_vram_mgr *mgr, struct quire_vram_resource *vres,
		      const struct ttm_place *place, struct ttm_buffer_object *tbo)
{
	u64 start, last = place_end(&mgr->manager, place) - vres->base.size;
	int ret;

	if (mgr->contiguous || !ttm_to_quire_bo(tbo)->slides)
		return -ENOSPC;
	ret = quire_vram_slide(mgr, vres, to_quire_vram_resource(tbo->resource),
			       place_start(place), last, vram_alignment(tbo->page_alignment));
	start = (u64)vres->base.start << PAGE_SHIFT;
	if (!ret)
		vres->visible_used = quire_vram_visible(mgr, start, start + vres->base.size);
	return ret;
}

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

static void vram_describe(struct quire_vram_mgr *mgr, struct quire_vram_resource *vres)
{
	struct gpu_buddy_block *first = list_first_entry(&vres->blocks, struct gpu_buddy_block,
							 link);

	vres->base.start = gpu_buddy_block_offset(first) >> PAGE_SHIFT;
	vres->visible_used = vram_blocks_visible(mgr, vres);
	if (quire_vram_is_one_run(&vres->base))
		vres->base.placement |= TTM_PL_FLAG_CONTIGUOUS;
	vres->base.bus.caching = ttm_write_combined;
}

/*
 * An upper bound of what is free in a range. The buddy allocator finds out that there is nothing
 * only by looking at every block, and eviction asks after each victim.
 */
static u64 vram_free_bytes(struct quire_vram_mgr *mgr, u64 start, u64 end)
{
	u64 visible = mgr->visible_size - mgr->visible_used;
	u64 invisible = mgr->mm.avail - visible;

	lockdep_assert_held(&mgr->lock);

	return (start < mgr->visible_size ? visible : 0) +
	       (end > mgr->visible_size ? invisible : 0);
}

/* TTM takes the size of the object, but tiles may take more. */
static void vram_init_resource(struct ttm_buffer_object *tbo, const struct ttm_place *place,
			       u64 size, struct ttm_resource *res)
{
	ttm_resource_init(tbo, place, res);
	spin_lock(&tbo->bdev->lru_lock);
	ttm_manager_type(tbo->bdev, place->mem_type)->usage += size - res->size;
	res->size = size;
	spin_unlock(&tbo->bdev->lru_lock);
}

static int vram_mgr_alloc(struct ttm_resource_manager *man, struct ttm_buffer_object *tbo,
			  const struct ttm_place *place, struct ttm_resource **res)
{
	u64 size = quire_bo_size_in(ttm_to_quire_bo(tbo), QUIRE_PL_VRAM);
	struct quire_vram_mgr *mgr = to_vram_mgr(man);
	u64 start = place_start(place), end = place_end(man, place);
	u64 alignment = vram_alignment(tbo->page_alignment);
	struct quire_vram_resource *vres;
	int ret = -ENOSPC;

	if (end <= start || size > end - start)
		return -ENOSPC;

	vres = kzalloc(sizeof(*vres), GFP_KERNEL);
	if (!vres)
		return -ENOMEM;
	vres->mgr = mgr;
	INIT_LIST_HEAD(&vres->blocks);
	vram_init_resource(tbo, place, size, &vres->base);

	mutex_lock(&mgr->lock);
	if (size <= vram_free_bytes(mgr, start, end)) {
		ret = vram_alloc_range(mgr, vres, place, start, end, alignment);
		if (ret == -ENOSPC && wants_run(mgr, vres, place))
			ret = vram_alloc_run(mgr, vres, place, alignment);
	}
	if (!ret)
		vram_describe(mgr, vres);
	else if (ret == -ENOSPC)
		ret = vram_slide(mgr, vres, place, tbo);
	if (!ret)
		mgr->visible_used += vram_blocks_visible(mgr, vres);
	mutex_unlock(&mgr->lock);

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
	struct quire_vram_mgr *mgr = to_vram_mgr(man);

	mgr->leave(vres);
	mutex_lock(&mgr->lock);
	quire_vram_slide_end(mgr, vres);
	mgr->visible_used -= vram_blocks_visible(mgr, vres);
	gpu_buddy_free_list(&mgr->mm, &vres->blocks, 0);
	mutex_unlock(&mgr->lock);

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
	struct quire_vram_mgr *mgr = to_vram_mgr(man);

	mutex_lock(&mgr->lock);
	drm_printf(p, "  visible size: %llu\n", mgr->visible_size);
	drm_printf(p, "  visible used: %llu\n", mgr->visible_used);
	drm_buddy_print(&mgr->mm, p);
	mutex_unlock(&mgr->lock);
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
 * @mgr: to initialise
 * @ttm: whose it becomes, for %QUIRE_PL_VRAM
 * @size: bytes to hand out
 * @visible_size: bytes that the CPU can reach, from the start
 * @contiguous: hand out single runs only
 *
 * Returns: 0, or -ENOMEM.
 *
 * Source: DXGK_SEGMENTDESCRIPTOR, a memory segment; ttm_resource_manager_init().
 */
int quire_vram_mgr_init(struct quire_vram_mgr *mgr, struct ttm_device *ttm, u64 size,
			u64 visible_size, bool contiguous)
{
	struct ttm_resource_manager *man = &mgr->manager;
	int ret;

	mutex_init(&mgr->lock);
	mgr->visible_size = visible_size;
	mgr->contiguous = contiguous;
	man->func = &vram_mgr_func;
	ttm_resource_manager_init(man, ttm, size);

	ret = gpu_buddy_init(&mgr->mm, man->size, PAGE_SIZE);
	if (ret)
		return ret;

	ttm_set_driver_manager(ttm, QUIRE_PL_VRAM, man);
	ttm_resource_manager_set_used(man, true);
	return 0;
}

/**
 * quire_vram_mgr_fini - take the manager down
 * @mgr: the manager; unused
 * @ttm: whose it is
 *
 * If something in VRAM can not be evicted, the manager stays: a leak is better than memory with
 * two owners.
 */
void quire_vram_mgr_fini(struct quire_vram_mgr *mgr, struct ttm_device *ttm)
{
	struct ttm_resource_manager *man = &mgr->manager;

	ttm_resource_manager_set_used(man, false);
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
 *
 * Begins where the last call ended: to walk an object costs one walk over its blocks.
 *
 * Returns: bytes from the start of VRAM.
 */
u64 quire_vram_page_offset(struct ttm_resource *res, u64 page)
{
	struct quire_vram_resource *vres = to_quire_vram_resource(res);
	u64 pages;

	if (vres->slid)
		return ((u64)res->start + page) << PAGE_SHIFT;
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

/**
 * quire_vram_is_one_run - do the pages of a resource follow each other?
 * @res: a resource of %QUIRE_PL_VRAM
 *
 * Returns: true if so; it begins at its start then.
 */
bool quire_vram_is_one_run(struct ttm_resource *res)
{
	struct quire_vram_resource *vres = to_quire_vram_resource(res);
	u64 end = (u64)res->start << PAGE_SHIFT;
	struct gpu_buddy_block *block;

	if (vres->slid)
		return true;
	list_for_each_entry(block, &vres->blocks, link) {
		if (gpu_buddy_block_offset(block) != end)
			return false;
		end = block_end(vres->mgr, block);
	}
	return true;
}
