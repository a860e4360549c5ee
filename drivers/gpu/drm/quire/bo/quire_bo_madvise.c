// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Objects without content
 *
 * An object is offered while a program says DONTNEED: its content may be dropped when
 * somebody wants its place in VRAM (quire_bo_evict.c) or its pages (quire_shrinker.c, and
 * what TTM swaps out). Which of the two comes first, the drop or WILLNEED, is settled by the
 * reservation. An object whose content was dropped is purged, until a program says that it
 * needs it again: then all that it has left is taken from it, and it reads as zero.
 */
#include <linux/dma-resv.h>
#include <linux/jiffies.h>

#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_tt.h>

#include "core/quire_compat.h"
#include "core/quire_patience.h"
#include "core/quire_placement.h"
#include "hw/quire_device_guard.h"
#include "quire_bo.h"
#include "quire_bo_publish.h"
#include "quire_bulk.h"
#include "quire_offered.h"
#include "quire_prime.h"
#include "quire_purge_stats.h"
#include "quire_view.h"

/**
 * quire_bo_may_drop - may its pages be dropped now?
 * @bo: the object, reserved
 *
 * Returns: true if it is offered, and no submission that is in parts already comes to it yet.
 */
bool quire_bo_may_drop(const struct quire_bo *bo)
{
	return quire_bo_is_offered(bo) && !atomic_read(&bo->claims);
}

/**
 * quire_bo_count_purge - an offered object loses its content
 * @bo: the object, reserved
 * @reason: why
 */
void quire_bo_count_purge(struct quire_bo *bo, enum quire_purge_reason reason)
{
	struct quire_purge_counter *counter =
		&quire_bo_device(bo)->purge_stats->reasons[reason];

	atomic64_inc(&counter->objects);
	atomic64_add(bo->base.base.size, &counter->bytes);
}

/**
 * quire_bo_drop - purge an offered object
 * @bo: the object, in system memory, reserved
 * @reason: why
 *
 * An idle one loses its pages now, and nothing is allocated or waited for; one that is at
 * work keeps them until that is done.
 *
 * Returns: 0; -ENOMEM it is at work, then it is whole.
 */
int quire_bo_drop(struct quire_bo *bo, enum quire_purge_reason reason)
{
	struct ttm_operation_ctx ctx = { .no_wait_gpu = true };
	struct ttm_placement nowhere = { };
	int ret;

	ttm_bo_unmap_virtual(&bo->base);
	ret = ttm_bo_validate(&bo->base, &nowhere, &ctx);
	if (ret)
		return ret;
	quire_bo_change_content(bo, QUIRE_BO_DROP);
	bo->swizzled = false;
	bo->alternate = false;
	quire_bo_count_purge(bo, reason);
	quire_bo_publish(bo);
	quire_offered_update(bo);
	return 0;
}

/**
 * quire_bo_swap_notify - &ttm_device_funcs.swap_notify
 * @tbo: the object, in system memory, idle, reserved, without mappings; may be a ghost
 *
 * TTM swaps out what has pages afterwards, and takes them at once: importers may need them a
 * moment longer.
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

/*
 * Nothing is left to fail, and no copy in swap that would come back. The caller has waited for
 * commands and for other drivers: what is left are moves.
 */
static int bo_settle(struct quire_bo *bo, struct ttm_operation_ctx *ctx)
{
	struct ttm_tt *tt = bo->base.ttm;
	long ret;

	ret = dma_resv_wait_timeout(bo->base.base.resv, DMA_RESV_USAGE_BOOKKEEP,
				    ctx->interruptible, MAX_SCHEDULE_TIMEOUT);
	if (ret < 0)
		return ret;
	return tt && ttm_tt_is_swapped(tt) ? ttm_bo_populate(&bo->base, ctx) : 0;
}

/**
 * quire_bo_empty - take all pages from an object
 * @bo: the object, reserved, not pinned; in VRAM only if its content is lost
 * @ctx: how to wait
 *
 * One of ours reads as zero then; an imported one has its content with the
 * exporter. Pages that somebody is at work with go when he is done.
 *
 * Returns: 0; -ENOMEM, -EBUSY or -ERESTARTSYS, then it has its pages.
 */
int quire_bo_empty(struct quire_bo *bo, struct ttm_operation_ctx *ctx)
{
	struct ttm_placement nowhere = { };
	int ret = 0;

	/* The aperture has to let go of the pages first. */
	if (quire_bo_mem_type(&bo->base) == QUIRE_PL_APERTURE)
		ret = quire_bo_validate(bo, &quire_system_place, 1, ctx);
	if (!ret && !quire_bo_is_imported(bo))
		ret = bo_settle(bo, ctx);
	if (ret)
		return ret;

	quire_prime_invalidate(bo);
	ttm_bo_unmap_virtual(&bo->base);
	/* Of an image that was lost in VRAM. */
	quire_view_let_go(bo);
	ret = ttm_bo_validate(&bo->base, &nowhere, ctx);
	if (ret)
		return ret;
	return quire_bo_validate(bo, &quire_system_place, 1, ctx);
}

/* Gives a purged object content. Nothing is at work then that could lose it again. */
static int bo_renew(struct quire_bo *bo, struct ttm_operation_ctx *ctx)
{
	int ret = quire_bo_empty(bo, ctx);

	if (ret)
		return ret;
	bo->lost = false;
	quire_bo_change_content(bo, QUIRE_BO_RENEW);
	bo->swizzled = false;
	bo->alternate = false;
	return 0;
}

/*
 * @waits: returned: commands or other drivers have fences on a purged object that gets content.
 * The caller waits for these without the reservation, and outside of drm_dev_enter(), for which
 * an unplug waits.
 */
static int bo_try_madvise(struct quire_bo *bo, bool dontneed, bool *retained, bool *waits)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct drm_device *drm = &quire_bo_device(bo)->drm;
	bool purged;
	int ret, idx;

	ret = quire_device_enter(drm, &idx);
	if (ret)
		return ret;
	ret = ttm_bo_reserve(&bo->base, true, false, NULL);
	if (ret)
		goto exit;

	purged = quire_bo_is_purged(bo);
	*waits = purged && !dontneed && quire_bo_has_others(bo);
	if (*waits)
		ret = -EBUSY;
	else if (purged && !dontneed)
		ret = bo_renew(bo, &ctx);
	if (!ret) {
		quire_bulk_leave(bo);
		quire_bo_change_content(bo, dontneed ? QUIRE_BO_OFFER : QUIRE_BO_NEED);
		quire_bo_prioritize(bo);
		quire_offered_update(bo);
		*retained = !purged;
	}

	ttm_bo_unreserve(&bo->base);
exit:
	quire_device_exit(idx);
	return ret;
}

/**
 * quire_bo_madvise - say if the content is needed
 * @bo: the object, not reserved
 * @dontneed: the content may go when room is needed
 * @retained: returned, false if the content is gone
 *
 * To be called outside of drm_dev_enter().
 *
 * Returns: 0; -ENOMEM; -EBUSY others have been at work for 15 seconds with what is purged;
 * -ERESTARTSYS, -EIO, -ENODEV. With an error nothing has changed.
 *
 * Source: &struct drm_quire_bo_madvise.
 */
int quire_bo_madvise(struct quire_bo *bo, bool dontneed, bool *retained)
{
	struct quire_patience patience;
	unsigned long begin;
	long left = 0;
	bool waits;
	int ret;

	quire_take_patience(&bo->patience, &patience);
	do {
		begin = jiffies;
		waits = false;
		ret = bo_try_madvise(bo, dontneed, retained, &waits);
		quire_patience_tried(&patience, begin);
		if (waits)
			left = quire_bo_wait_others(bo, true, quire_patience_left(&patience));
	} while (waits && left > 0);
	if (waits && left < 0)
		ret = left;
	if (ret == -ERESTARTSYS)
		quire_keep_patience(&bo->patience, &patience);
	return ret;
}
