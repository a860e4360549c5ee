// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Getting a place
 *
 * A program's placement evicts what is in its way. What is larger than the part of the segment that
 * it names is refused before anything is done; nothing is ever pinned in a segment, so everything
 * else fits, if not at the first try (quire_validation.c). A placement that fails has changed
 * nothing but the places of others. An object that is in its own way slides (quire_vram_mgr.c), or
 * leaves VRAM first, and is brought back to VRAM if the placement fails.
 */
#include "core/quire_refuse.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_vram_types.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_layout.h"
#include "bo/quire_segment.h"
#include "bo/quire_validation.h"
#include "quire_access.h"

/* What a program asked for; @moved: as of quire_bo_place(). */
struct placement {
	struct quire_validation base;
	struct quire_bo *bo;
	struct ttm_place place;
	struct dma_fence **moved;
};

/* Fills @place in. Returns the bytes that it has room for, however much is evicted. */
static u64 place_init(struct ttm_place *place, struct quire_bo *bo, u32 mem_type, u32 flags)
{
	struct quire_device *qdev = quire_bo_device(bo);
	u64 start = 0, end = qdev->vram_mgr->manager.size;

	*place = (struct ttm_place) { .mem_type = mem_type };
	if (mem_type == QUIRE_PL_APERTURE)
		return quire_bo_aperture_place(bo, place);
	if (mem_type != QUIRE_PL_VRAM)
		return U64_MAX;

	if (flags & DRM_QUIRE_PLACE_VISIBLE)
		end = qdev->vram_visible;
	else
		place->flags |= TTM_PL_FLAG_TOPDOWN;
	if (flags & DRM_QUIRE_PLACE_INVISIBLE)
		start = qdev->vram_visible;
	if (flags & DRM_QUIRE_PLACE_CONTIGUOUS)
		place->flags |= TTM_PL_FLAG_CONTIGUOUS;
	place->fpfn = start >> PAGE_SHIFT;
	place->lpfn = end >> PAGE_SHIFT;
	/* The device may have no invisible part. */
	return (u64)(max(place->lpfn, place->fpfn) - place->fpfn) << PAGE_SHIFT;
}

/* An object keeps its old place until it has a new one, and so can be in its own way. */
static int bo_change_place(struct placement *placement)
{
	struct quire_validation *validation = &placement->base;
	const struct ttm_place *place = &placement->place;
	struct quire_bo *bo = placement->bo;
	struct ttm_place old;
	u32 flags = 0;
	int ret;

	ret = quire_validation_place(validation, bo, place, 1);
	if (ret != -ENOSPC || validation->mode != QUIRE_VALIDATION_ALONE ||
	    place->mem_type != QUIRE_PL_VRAM || quire_bo_mem_type(&bo->base) != QUIRE_PL_VRAM)
		return ret;
	bo->slides = true;
	ret = quire_validation_take_free(validation, bo, place);
	bo->slides = false;
	if (!quire_is_no_room(ret))
		return ret;

	/* A place as good as the one that it has. */
	if (!quire_bo_is_tiled(bo) && quire_bo_is_visible(bo))
		flags |= DRM_QUIRE_PLACE_VISIBLE;
	if (bo->base.resource->placement & TTM_PL_FLAG_CONTIGUOUS)
		flags |= DRM_QUIRE_PLACE_CONTIGUOUS;
	place_init(&old, bo, QUIRE_PL_VRAM, flags);
	ret = quire_bo_validate(bo, &quire_system_place, 1, &validation->ctx.base);
	if (ret)
		return ret;
	/* No signal may come before it is back in VRAM. */
	validation->ctx.base.interruptible = false;
	ret = quire_validation_place(validation, bo, place, 1);
	if (ret && quire_validation_place(validation, bo, &old, 1))
		drm_dbg_driver(&quire_bo_device(bo)->drm,
			       "place: no way back to VRAM for %zu bytes, system memory has them\n",
			       bo->base.base.size);
	return ret;
}

static int bo_place_reserved(struct placement *placement)
{
	struct dma_fence **moved = placement->moved;
	struct quire_bo *bo = placement->bo;
	struct dma_resv *resv = bo->base.base.resv;
	int ret;

	if (quire_bo_is_purged(bo))
		return quire_refuse(&quire_bo_device(bo)->drm, -ENODATA,
				    "place: the object is purged");
	if (bo->base.pin_count && placement->place.mem_type != QUIRE_PL_SYSTEM)
		return quire_refuse(&quire_bo_device(bo)->drm, -EBUSY,
				    "place: the object is pinned by others");
	if (quire_bo_must_wait(bo, &placement->place))
		return quire_validation_busy(&placement->base, bo);
	ret = bo_change_place(placement);
	if (ret || !moved)
		return ret;

	quire_bo_show_fences(bo);
	if (dma_resv_get_singleton(resv, DMA_RESV_USAGE_KERNEL, moved)) {
		/* It is too late to fail for want of memory: end the moves here. */
		dma_resv_wait_timeout(resv, DMA_RESV_USAGE_KERNEL, false, MAX_SCHEDULE_TIMEOUT);
		*moved = NULL;
	}
	/* A fence that is over is not in it, and neither is its error. */
	return !*moved && quire_bo_is_purged(bo) ? -EIO : 0;
}

/*
 * With a wound/wait ticket TTM waits for a victim that another caller has locked: not in the turn.
 * The moves of the victims and of the object share paging buffers.
 */
static int bo_try_place(struct quire_validation *validation)
{
	struct placement *placement = container_of(validation, struct placement, base);
	bool alone = validation->mode == QUIRE_VALIDATION_ALONE;
	struct ttm_buffer_object *tbo = &placement->bo->base;
	struct ww_acquire_ctx ticket;
	int ret;

	CLASS(quire_device, device)(&validation->qdev->drm);
	if (device < 0)
		return device;
	guard(quire_plug)(&validation->batch);
	ww_acquire_init(&ticket, &reservation_ww_class);
	ret = ttm_bo_reserve(tbo, validation->ctx.base.interruptible, false,
			     alone ? NULL : &ticket);
	if (!ret) {
		ret = bo_place_reserved(placement);
		ttm_bo_unreserve(tbo);
	}
	ww_acquire_fini(&ticket);
	return ret;
}

/**
 * quire_bo_place - move an object to a segment
 * @bo: the object, not reserved
 * @mem_type: QUIRE_PL_* of the segment
 * @flags: DRM_QUIRE_PLACE_*, checked
 * @usage: of the calling file
 * @moved: returned if 0 is: fence that ends the move, with a reference; NULL it is over; or NULL
 *
 * Returns when the move is queued. To be called with no lock held, and outside of drm_dev_enter().
 * Only if there is no memory for the way back either, or the device goes at that moment, a call
 * that fails leaves what was in VRAM in system memory.
 * Returns: 0; errors of &struct drm_quire_bo_place; -EIO the device was given up, or the move was,
 * and is over; -ENOMEM; -ERESTARTSYS, &quire_bo.position is kept; -ENODEV.
 */
int quire_bo_place(struct quire_bo *bo, u32 mem_type, u32 flags, struct quire_usage *usage,
		   struct dma_fence **moved)
{
	struct drm_device *drm = &quire_bo_device(bo)->drm;
	u32 instance = quire_segment_instance(mem_type);
	struct placement placement = {
		.base.qdev = quire_bo_device(bo),
		.base.batch = { quire_bo_device(bo)->paging_queue, usage },
		.base.position = &bo->position,
		.base.try = bo_try_place,
		.bo = bo,
		.moved = moved,
	};
	u64 room;
	int ret;

	if (!quire_bo_allows(bo, mem_type))
		return quire_refuse(drm, -EINVAL, "place: segment %u is not in set %#x",
				    instance, bo->segments);

	room = place_init(&placement.place, bo, mem_type, flags);
	if (quire_bo_size_in(bo, mem_type) > room)
		return quire_refuse(drm, -ENOSPC,
				    "place: %llu bytes, segment %u has %llu (flags %#x)",
				    quire_bo_size_in(bo, mem_type), instance, room, flags);

	ret = quire_validation_run(&placement.base);
	quire_validation_forget(&placement.base);
	if (ret == -ENOSPC)
		return quire_refuse(drm, ret, "place: no room for %zu bytes, others hold it",
				    bo->base.base.size);
	return ret;
}
