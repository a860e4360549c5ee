// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Objects without content
 *
 * DONTNEED offers an object: its content may be dropped when its place in VRAM or its pages are
 * wanted. The reservation decides if the drop or WILLNEED comes first. After a drop the object is
 * purged, until WILLNEED takes all that is left from it: then it reads as zero.
 */
#include "core/quire_compat.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_paging_queue.h"
#include "quire_bo.h"
#include "quire_bo_layout.h"
#include "quire_bulk.h"
#include "quire_ctx.h"
#include "quire_prime.h"

/**
 * quire_bo_drop - take content, pages and place from an object
 * @bo: the object, reserved; in system memory, or idle
 * @reason: why; counts if it was offered
 *
 * An idle object with a ttm_tt loses its pages now, and nothing is allocated or waited for; a busy
 * one keeps them until it is idle.
 *
 * Returns: 0; -ENOMEM it is busy, and keeps its content.
 */
int quire_bo_drop(struct quire_bo *bo, enum quire_purge_reason reason)
{
	struct quire_purge_stats *stats = quire_bo_device(bo)->purge_stats;
	struct ttm_operation_ctx ctx = { .no_wait_gpu = true };
	struct ttm_placement nowhere = { };
	int ret;

	ttm_bo_unmap_virtual(&bo->base);
	ret = ttm_bo_validate(&bo->base, &nowhere, &ctx);
	if (ret)
		return ret;
	/* Of an object that is closed, or was not offered, no program asks why. */
	if (bo->content == QUIRE_BO_OFFERED && !READ_ONCE(bo->dead)) {
		atomic64_inc(&stats->objects[reason]);
		atomic64_add(bo->base.base.size, &stats->bytes[reason]);
	}
	quire_bo_change_content(bo, QUIRE_BO_DROP);
	bo->swizzled = false;
	bo->alternate = false;
	quire_bo_publish(bo);
	quire_offered_update(bo);
	return 0;
}

/**
 * quire_bo_swap_notify - &ttm_device_funcs.swap_notify
 * @tbo: the object, in system memory, idle, reserved, without mappings; may be a ghost
 *
 * TTM takes the pages right afterwards, but importers may need them a moment longer.
 */
void quire_bo_swap_notify(struct ttm_buffer_object *tbo)
{
	struct quire_bo *bo;

	if (!quire_bo_is_ours(tbo))
		return;

	bo = ttm_to_quire_bo(tbo);
	if (quire_bo_may_drop(bo) && !quire_bo_drop(bo, QUIRE_PURGE_SWAPPED))
		return;
	quire_prime_invalidate(bo);
	dma_resv_wait_timeout(tbo->base.resv, DMA_RESV_USAGE_BOOKKEEP, false,
			      MAX_SCHEDULE_TIMEOUT);
}

/**
 * quire_bo_empty - take all pages from an object
 * @bo: the object, reserved, not pinned; in VRAM only if its content is lost
 * @ctx: how to wait
 *
 * An object of ours reads as zero then. Pages in use go when that ends.
 *
 * Returns: 0; -ENOMEM, -EBUSY or -ERESTARTSYS, then it has its pages.
 */
int quire_bo_empty(struct quire_bo *bo, struct ttm_operation_ctx *ctx)
{
	struct ttm_placement nowhere = { };
	struct ttm_tt *tt;
	long ret = 0;

	/* The aperture has to let go of the pages first. */
	if (quire_bo_mem_type(&bo->base) == QUIRE_PL_APERTURE)
		ret = quire_bo_validate(bo, &quire_system_place, 1, ctx);
	if (ret)
		return ret;
	if (!quire_bo_is_imported(bo)) {
		/* The caller has waited for foreign fences: these are moves. */
		ret = dma_resv_wait_timeout(bo->base.base.resv, DMA_RESV_USAGE_BOOKKEEP,
					    ctx->interruptible, MAX_SCHEDULE_TIMEOUT);
		if (ret < 0)
			return ret;
		/* A copy in swap would come back. */
		tt = bo->base.ttm;
		ret = tt && ttm_tt_is_swapped(tt) ? ttm_bo_populate(&bo->base, ctx) : 0;
		if (ret)
			return ret;
	}

	quire_prime_invalidate(bo);
	ttm_bo_unmap_virtual(&bo->base);
	/* Of an image that was lost in VRAM. */
	quire_view_let_go(bo);
	return ttm_bo_validate(&bo->base, &nowhere, ctx) ?:
	       quire_bo_validate(bo, &quire_system_place, 1, ctx);
}

/*
 * @waits: returned: WILLNEED of a purged object that has foreign fences. The caller waits for them
 * without the reservation, and outside of drm_dev_enter(), for which an unplug waits.
 */
static int bo_try_madvise(struct quire_bo *bo, bool dontneed, struct quire_batch *batch,
			  bool *retained, bool *waits)
{
	struct quire_operation_ctx ctx;
	bool purged, renew;
	int ret;

	CLASS(quire_device, device)(&quire_bo_device(bo)->drm);
	if (device < 0)
		return device;
	ret = ttm_bo_reserve(&bo->base, true, false, NULL);
	if (ret)
		return ret;

	quire_ctx_init(&ctx, batch, true);
	purged = quire_bo_is_purged(bo);
	renew = purged && !dontneed;
	*waits = renew && quire_bo_has_others(bo);
	if (*waits)
		ret = -EBUSY;
	else if (renew)
		ret = quire_bo_empty(bo, &ctx.base);
	if (!ret && renew) {
		bo->lost = false;
		quire_bo_change_content(bo, QUIRE_BO_RENEW);
		bo->swizzled = false;
		bo->alternate = false;
	}
	if (!ret) {
		quire_bulk_leave(bo);
		quire_bo_change_content(bo, dontneed ? QUIRE_BO_OFFER : QUIRE_BO_NEED);
		quire_bo_prioritize(bo);
		quire_offered_update(bo);
		*retained = !purged;
	}

	ttm_bo_unreserve(&bo->base);
	return ret;
}

/**
 * quire_bo_madvise - say if the content is needed
 * @bo: the object, not reserved; not inside of drm_dev_enter()
 * @dontneed: the content may be dropped
 * @usage: of the calling file
 * @retained: returned, false if the content is gone
 *
 * Returns: 0; -ENOMEM; -EBUSY a purged object had foreign fences for 15 seconds; -ERESTARTSYS,
 * -EIO, -ENODEV. With an error nothing has changed.
 */
int quire_bo_madvise(struct quire_bo *bo, bool dontneed, struct quire_usage *usage,
		     bool *retained)
{
	struct quire_batch batch = { quire_bo_device(bo)->paging_queue, usage };
	struct quire_patience patience;
	unsigned long begin;
	long left = 0;
	bool waits;
	int ret;

	quire_take_patience(&bo->position.patience, &patience);
	do {
		waits = false;
		begin = jiffies;
		ret = bo_try_madvise(bo, dontneed, &batch, retained, &waits);
		quire_patience_tried(&patience, begin);
		if (waits)
			left = quire_bo_wait_others(bo, true, quire_patience_left(&patience));
	} while (waits && left > 0);
	if (waits && left < 0)
		ret = left;
	if (ret == -ERESTARTSYS)
		quire_keep_patience(&bo->position.patience, &patience);
	return ret;
}
