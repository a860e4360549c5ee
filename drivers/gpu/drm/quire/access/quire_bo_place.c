// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Getting a place
 *
 * A program's placement evicts what is in its way. What is larger than the part of the
 * segment that it names is refused before anything is done; nothing is ever pinned in a
 * segment, and VRAM hands out any free run of pages (CONTIGUOUS), so everything else
 * fits. A try that finds no room has met other callers, and is made again
 * (quire_validation.c).
 *
 * A placement that fails has changed nothing but the places of others. An object that is in
 * its own way slides onto room that overlaps its place (quire_vram_slide.c). If that can not
 * be had, it has to leave VRAM first, and is brought back to VRAM if the placement fails.
 */
#include <linux/dma-resv.h>

#include <drm/drm_print.h>
#include <uapi/drm/quire_drm.h>

#include "core/quire_device_types.h"
#include "core/quire_placement.h"
#include "core/quire_refuse.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_plug.h"
#include "queue/quire_vram_types.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_layout.h"
#include "bo/quire_segment.h"
#include "bo/quire_validation.h"
#include "quire_bo_place.h"

/**
 * struct placement - what a program asked for
 * @base: base
 * @bo: what is to be placed
 * @place: where
 * @moved: as of quire_bo_place()
 */
struct placement {
	struct quire_validation base;
	struct quire_bo *bo;
	struct ttm_place place;
	struct dma_fence **moved;
};

static void place_init_vram(struct ttm_place *place, struct quire_device *qdev, u32 flags)
{
	u64 start = 0, end = qdev->vram_mgr->manager.size;

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
}

/* Fills @place in. Returns the bytes that it has room for, however much is evicted. */
static u64 place_init(struct ttm_place *place, struct quire_bo *bo, u32 mem_type, u32 flags)
{
	*place = (struct ttm_place) { .mem_type = mem_type };
	switch (mem_type) {
	case QUIRE_PL_VRAM:
		place_init_vram(place, quire_bo_device(bo), flags);
		/* The device may have no invisible part. */
		return (u64)(max(place->lpfn, place->fpfn) - place->fpfn) << PAGE_SHIFT;
	case QUIRE_PL_APERTURE:
		return quire_bo_aperture_place(bo, place);
	default:
		return U64_MAX;
	}
}

/* A place as good as the one that an object in VRAM has. */
static void place_init_same(struct ttm_place *place, struct quire_bo *bo)
{
	u32 flags = 0;

	if (!quire_bo_is_tiled(bo) && quire_bo_is_visible(bo))
		flags |= DRM_QUIRE_PLACE_VISIBLE;
	if (bo->base.resource->placement & TTM_PL_FLAG_CONTIGUOUS)
		flags |= DRM_QUIRE_PLACE_CONTIGUOUS;
	place_init(place, bo, QUIRE_PL_VRAM, flags);
}

/* Takes room that is free but for the object itself. */
static int bo_slide(struct placement *placement)
{
	struct quire_bo *bo = placement->bo;
	int ret;

	bo->slides = true;
	ret = quire_validation_take_free(&placement->base, bo, &placement->place);
	bo->slides = false;
	return ret;
}

/* From the moment when the object leaves VRAM no signal may come in between. */
static int bo_leave_and_return(struct placement *placement)
{
	struct quire_validation *validation = &placement->base;
	struct quire_bo *bo = placement->bo;
	struct ttm_place old;
	int ret;

	place_init_same(&old, bo);
	ret = quire_bo_validate(bo, &quire_system_place, 1, &validation->ctx.base);
	if (ret)
		return ret;
	validation->ctx.base.interruptible = false;
	ret = quire_validation_place(validation, bo, &placement->place, 1);
	if (ret && quire_validation_place(validation, bo, &old, 1))
		drm_dbg_driver(&quire_bo_device(bo)->drm,
			       "place: no way back to VRAM for %zu bytes, system memory has them\n",
			       bo->base.base.size);
	return ret;
}

/*
 * An object keeps its old place until it has a new one, and so can be in its own way: then it
 * slides, or leaves VRAM first.
 */
static int bo_change_place(struct placement *placement)
{
	const struct ttm_place *place = &placement->place;
	struct quire_bo *bo = placement->bo;
	int ret;

	ret = quire_validation_place(&placement->base, bo, place, 1);
	if (ret != -ENOSPC || placement->base.mode != QUIRE_VALIDATION_ALONE ||
	    place->mem_type != QUIRE_PL_VRAM || quire_bo_mem_type(&bo->base) != QUIRE_PL_VRAM)
		return ret;
	ret = bo_slide(placement);
	return quire_is_no_room(ret) ? bo_leave_and_return(placement) : ret;
}

/*
 * @moved ends with all moves of a reserved object; NULL if they are over. A fence
 * that is over is not in it, and neither is its error: that is found here.
 */
static int bo_moves_fence(struct quire_bo *bo, struct dma_fence **moved)
{
	struct dma_resv *resv = bo->base.base.resv;

	quire_bo_show_fences(bo);
	if (dma_resv_get_singleton(resv, DMA_RESV_USAGE_KERNEL, moved)) {
		/* It is too late to fail for want of memory: end the moves here. */
		dma_resv_wait_timeout(resv, DMA_RESV_USAGE_KERNEL, false, MAX_SCHEDULE_TIMEOUT);
		*moved = NULL;
	}
	return !*moved && quire_bo_is_purged(bo) ? -EIO : 0;
}

static int bo_place_reserved(struct placement *placement)
{
	struct quire_bo *bo = placement->bo;
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
	if (!ret && placement->moved)
		ret = bo_moves_fence(bo, placement->moved);
	return ret;
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
 * @moved: returned if 0 is: the fence that ends the move, with a reference, or
 *         NULL if nothing is left to be done; may be NULL
 *
 * Returns when the move is queued. May sleep for long: others are evicted, and have their
 * turn before. To be called with no lock held, and outside of drm_dev_enter().
 *
 * If it fails, the object is where it was, or in a place as good (visible, in one run) of
 * the same segment. Only if the memory for the way back is missing as well, or the device
 * goes away at that moment, what was in VRAM is in system memory, with its content.
 *
 * Returns: 0; -EINVAL it may not be there; -ENODATA it is purged; -EIO the device
 * was given up, or the move was, and was over before @moved could be had; -ENOSPC it does
 * not fit, or others were at work for 15 seconds with what is in its way; -ENOMEM no memory
 * for the move; -EBUSY others have pinned it, or work on it, of its own or of others, did
 * not end in 15 seconds; -ERESTARTSYS a signal came first, its place in the queue is kept, and
 * the 15 seconds go on if the call is made again at once; -ENODEV. Without turns -ENOSPC or
 * -ENOMEM also if other callers were faster, or use objects that are in the way.
 *
 * Source: &struct drm_quire_bo_place.
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
