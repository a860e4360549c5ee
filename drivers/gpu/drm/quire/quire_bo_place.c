// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Getting a place
 *
 * A program's placement takes a wound/wait ticket: TTM then waits for victims
 * that somebody else holds instead of failing, and quire_bo_place() tries
 * again when the ticket lost a race. What is larger than the segment is refused
 * before that; nothing is ever pinned, so everything else finds room, but for a run of
 * pages (CONTIGUOUS) that the allocator can not make of that size.
 */
#include <linux/delay.h>
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/sched/signal.h>

#include <uapi/drm/quire_drm.h>

#include "quire_bo.h"
#include "quire_device.h"
#include "quire_refuse.h"
#include "quire_segment.h"

/* Tries before a placement is given up; the waits between them double and add up to 2 s. */
#define QUIRE_PLACE_TRIES	12

static void place_init_vram(struct ttm_place *place, struct quire_device *qdev, u32 flags)
{
	u64 start = 0, end = qdev->vram_mgr.manager.size;

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
static u64 place_init(struct ttm_place *place, struct quire_device *qdev, u32 mem_type,
		      u32 flags)
{
	*place = (struct ttm_place) { .mem_type = mem_type };
	switch (mem_type) {
	case QUIRE_PL_VRAM:
		place_init_vram(place, qdev, flags);
		/* The device may have no invisible part. */
		return (u64)(max(place->lpfn, place->fpfn) - place->fpfn) << PAGE_SHIFT;
	case QUIRE_PL_APERTURE:
		return qdev->aperture_size;
	default:
		return U64_MAX;
	}
}

/*
 * An object keeps its old place until it has a new one, and so can be in its
 * own way: then it leaves VRAM first, and -EAGAIN asks for another try. With this
 * ticket TTM may lock nothing any more: if it lost a race, TTM says -ENOSPC too.
 */
static int bo_change_place(struct quire_bo *bo, const struct ttm_place *place,
			   struct ttm_operation_ctx *ctx)
{
	int ret = quire_bo_validate(bo, place, 1, ctx);

	if ((ret != -ENOSPC && ret != -ENOMEM) ||
	    quire_bo_mem_type(&bo->base) != QUIRE_PL_VRAM)
		return ret;
	return quire_bo_validate(bo, &quire_system_place, 1, ctx) ?: -EAGAIN;
}

/*
 * @moved ends with all moves of a reserved object; NULL if they are over. A fence
 * that is over is not in it, and neither is its error: that is found here.
 */
static int bo_moves_fence(struct quire_bo *bo, struct dma_fence **moved)
{
	struct dma_resv *resv = bo->base.base.resv;

	if (dma_resv_get_singleton(resv, DMA_RESV_USAGE_KERNEL, moved)) {
		/* It is too late to fail for want of memory: end the moves here. */
		dma_resv_wait_timeout(resv, DMA_RESV_USAGE_KERNEL, false, MAX_SCHEDULE_TIMEOUT);
		*moved = NULL;
	}
	return !*moved && quire_bo_is_purged(bo) ? -EIO : 0;
}

/* One try, with a ticket of its own: a ticket that lost is of no use any more. */
static int bo_try_place(struct quire_bo *bo, const struct ttm_place *place,
			struct dma_fence **moved)
{
	struct ttm_operation_ctx ctx = { .interruptible = true, .gfp_retry_mayfail = true };
	struct ww_acquire_ctx ticket;
	int ret;

	ww_acquire_init(&ticket, &reservation_ww_class);
	ret = ttm_bo_reserve(&bo->base, true, false, &ticket);
	if (ret == -EDEADLK)
		ret = ttm_bo_reserve_slowpath(&bo->base, true, &ticket);
	if (!ret) {
		ret = quire_bo_is_purged(bo) ? -ENODATA : bo_change_place(bo, place, &ctx);
		if (!ret && moved)
			ret = bo_moves_fence(bo, moved);
		ttm_bo_unreserve(&bo->base);
	}
	ww_acquire_fini(&ticket);
	/* TTM waits for the lock of a victim, and says what that says. */
	return ret == -EINTR ? -ERESTARTSYS : ret;
}

/*
 * TTM of 6.12 calls a full segment -ENOMEM too. Asking for the room alone
 * tells the two apart.
 */
static int bo_explain_nomem(struct quire_bo *bo, const struct ttm_place *place)
{
	struct ttm_placement placement = { .num_placement = 1, .placement = place };
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct ttm_resource *res;
	int ret;

	ret = ttm_bo_reserve(&bo->base, true, false, NULL);
	if (ret)
		return ret;
	ret = ttm_bo_mem_space(&bo->base, &placement, &res, &ctx);
	if (!ret)
		ttm_resource_free(&bo->base, &res);
	ttm_bo_unreserve(&bo->base);
	return ret ?: -ENOMEM;
}

static int bo_place(struct quire_bo *bo, const struct ttm_place *place, struct dma_fence **moved)
{
	struct drm_device *drm = &quire_bo_device(bo)->drm;
	unsigned int tries;
	int ret;

	for (tries = 1; ; tries++) {
		do {
			ret = bo_try_place(bo, place, moved);
		} while (ret == -EAGAIN);
		if (ret == -ENODATA)
			return quire_refuse(drm, ret, "place: the object is purged");
		if ((ret != -ENOSPC && ret != -ENOMEM) || tries == QUIRE_PLACE_TRIES)
			break;
		if (msleep_interruptible(BIT(tries - 1)) || signal_pending(current))
			return -ERESTARTSYS;
	}
	if (ret == -ENOMEM)
		ret = bo_explain_nomem(bo, place);
	if (ret == -ENOSPC)
		return quire_refuse(drm, ret,
				    "place: no room for %zu bytes%s in %u tries, others hold it",
				    bo->base.base.size, place->flags & TTM_PL_FLAG_CONTIGUOUS ?
				    " in one run" : "", tries);
	return ret;
}

/**
 * quire_bo_place - move an object to a segment
 * @bo: the object, not reserved
 * @mem_type: QUIRE_PL_* of the segment
 * @flags: DRM_QUIRE_PLACE_*, checked
 * @moved: returned if 0 is: the fence that ends the move, with a reference, or
 *         NULL if nothing is left to be done; may be NULL
 *
 * Returns when the move is queued. May sleep for long: others are evicted.
 *
 * Returns: 0; -EINVAL it may not be there; -ENODATA it is purged; -EIO the device
 * was given up while it moved, and @moved was asked for; -ENOSPC it does not fit;
 * -ENOMEM no memory for the move; -EBUSY earlier work on it did not end; -ERESTARTSYS
 * a signal came first; -ENODEV.
 *
 * Source: &struct drm_quire_bo_place.
 */
int quire_bo_place(struct quire_bo *bo, u32 mem_type, u32 flags, struct dma_fence **moved)
{
	struct drm_device *drm = &quire_bo_device(bo)->drm;
	u32 instance = quire_segment_instance(mem_type);
	struct ttm_place place;
	u64 room;

	if (!quire_bo_allows(bo, mem_type))
		return quire_refuse(drm, -EINVAL, "place: segment %u is not in set %#x",
				    instance, bo->segments);

	room = place_init(&place, quire_bo_device(bo), mem_type, flags);
	if (bo->base.base.size > room)
		return quire_refuse(drm, -ENOSPC,
				    "place: %zu bytes, segment %u has %llu (flags %#x)",
				    bo->base.base.size, instance, room, flags);
	return bo_place(bo, &place, moved);
}
