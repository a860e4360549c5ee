// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Leaving a place
 *
 * Where evicted objects go, and what the device is told when an object loses
 * its content or dies. Out of VRAM an object goes to the aperture, which needs
 * no second copy to get to system memory later. If it has no content to keep,
 * it goes nowhere: DISCARD_CONTENT, then TTM takes the place away.
 *
 * Pages that the aperture points at are not let go before UNMAP has been
 * executed: moves see to that by waiting, dying objects by a fence that TTM
 * waits for.
 */
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "quire_bo.h"
#include "quire_device.h"
#include "quire_operation.h"

static const struct ttm_place system_place = { .mem_type = QUIRE_PL_SYSTEM };

/* With a slot in the object's reservation if that can be had, else by waiting. */
static void bo_attach(struct dma_resv *resv, struct dma_fence *fence, bool slot)
{
	if (slot)
		dma_resv_add_fence(resv, fence, DMA_RESV_USAGE_KERNEL);
	else
		dma_fence_wait(fence, false);
}

/* The model: an object that may be in use is discarded when it is idle. */
static struct dma_fence *bo_submit_discard(struct quire_bo *bo)
{
	static const struct quire_paging_allocation needs_idle = { .needs_idle = true };
	struct quire_paging_work work;
	int ret;

	quire_paging_work_init(&work, &quire_bo_device(bo)->paging_queue,
			       bo->base.base.resv, 0, false);
	ret = quire_operation_discard(&work, bo, &needs_idle);
	return quire_paging_list_finish(&work.list, ret);
}

/*
 * The content goes: no copy, no mapping. TTM waits for the discard, because
 * its fence is in the reservation object, and takes the place away then.
 */
static void bo_discard(struct quire_bo *bo)
{
	struct dma_resv *resv = bo->base.base.resv;
	struct dma_fence *fence;
	bool slot;

	ttm_bo_unmap_virtual(&bo->base);
	bo->purged = true;
	if (quire_device_is_wedged(quire_bo_device(bo)))
		return;

	slot = !dma_resv_reserve_fences(resv, 1);
	fence = bo_submit_discard(bo);
	if (IS_ERR(fence))
		return; /* it is a hint */
	bo_attach(resv, fence, slot);
	dma_fence_put(fence);
}

static void bo_evict_vram(struct quire_bo *bo, struct ttm_placement *placement)
{
	/* Rule of TTM: the way out of VRAM is the aperture. */
	static const struct ttm_place places[] = {
		{ .mem_type = QUIRE_PL_APERTURE },
		{ .mem_type = QUIRE_PL_SYSTEM, .flags = TTM_PL_FLAG_FALLBACK },
	};
	struct quire_device *qdev = quire_bo_device(bo);

	if (bo->dontneed || quire_bo_is_purged(bo) || quire_device_is_wedged(qdev)) {
		bo_discard(bo);
	} else if (bo->base.base.size > qdev->aperture_size) {
		placement->placement = &system_place;
		placement->num_placement = 1;
	} else {
		placement->placement = places;
		placement->num_placement = ARRAY_SIZE(places);
	}
}

/**
 * quire_bo_evict_flags - where does an evicted object go?
 * @tbo: the victim, reserved; may be a ghost
 * @placement: returned; none: its place and content are dropped
 *
 * After unplug everything is dropped, which takes the pages from the reach of
 * the device. A ghost dies with its fence, it needs no other place.
 *
 * Source: DESIGN "TTM to operations"; reference/linux.md 1.4 items 4 and 7.
 */
void quire_bo_evict_flags(struct ttm_buffer_object *tbo, struct ttm_placement *placement)
{
	struct quire_device *qdev = ttm_to_quire(tbo->bdev);

	placement->num_placement = 0;
	if (!quire_bo_is_ours(tbo))
		return;

	if (drm_dev_is_unplugged(&qdev->drm)) {
		ttm_bo_unmap_virtual(tbo);
		ttm_to_quire_bo(tbo)->purged = true;
	} else if (quire_bo_mem_type(tbo) == QUIRE_PL_VRAM) {
		bo_evict_vram(ttm_to_quire_bo(tbo), placement);
	} else {
		placement->placement = &system_place;
		placement->num_placement = 1;
	}
}

/* UNMAP in the aperture; in VRAM DISCARD, a hint that waits for nobody. */
static struct dma_fence *bo_submit_release(struct quire_bo *bo, struct dma_resv *resv)
{
	struct quire_device *qdev = quire_bo_device(bo);
	bool aperture = quire_bo_mem_type(&bo->base) == QUIRE_PL_APERTURE;
	struct quire_paging_work work;
	struct dma_fence *fence;
	int ret;

	quire_paging_work_init(&work, &qdev->paging_queue, resv, 0, false);
	if (aperture)
		ret = quire_operation_unmap(&work, bo->base.resource);
	else
		ret = quire_operation_discard(&work, bo, NULL);

	fence = quire_paging_list_finish(&work.list, ret);
	if (aperture && IS_ERR(fence) && PTR_ERR(fence) != -ENODEV)
		drm_err_ratelimited(&qdev->drm, "aperture keeps pages of a dead object: %pe\n",
				    fence);
	return fence;
}

/*
 * Nobody has a reference, so nobody holds the lock but a walker of an LRU list
 * that finds that out, and that one is under the LRU lock.
 */
static bool bo_lock_dying(struct ttm_buffer_object *tbo)
{
	bool locked;

	spin_lock(&tbo->bdev->lru_lock);
	locked = dma_resv_trylock(tbo->base.resv);
	spin_unlock(&tbo->bdev->lru_lock);
	return !WARN_ON_ONCE(!locked);
}

/**
 * quire_bo_release_notify - an object dies: tell the device
 * @tbo: the object, without references, not reserved; may be a ghost
 *
 * In the aperture: its pages are not let go before the device has let them go;
 * TTM waits for the fence that is added here. In VRAM: the device may drop the
 * content.
 *
 * Source: DESIGN "TTM to operations"; reference/linux.md 1.4 item 8.
 */
void quire_bo_release_notify(struct ttm_buffer_object *tbo)
{
	struct dma_resv *resv = tbo->base.resv;
	struct dma_fence *fence;
	bool locked, slot;

	if (!quire_bo_is_ours(tbo) || quire_bo_mem_type(tbo) == QUIRE_PL_SYSTEM ||
	    quire_device_is_wedged(ttm_to_quire(tbo->bdev)))
		return;

	locked = bo_lock_dying(tbo);
	slot = locked && !dma_resv_reserve_fences(resv, 1);
	fence = bo_submit_release(ttm_to_quire_bo(tbo), locked ? resv : NULL);
	if (!IS_ERR(fence)) {
		bo_attach(resv, fence, slot);
		dma_fence_put(fence);
	}
	if (locked)
		dma_resv_unlock(resv);
}
