// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: When memory is short
 *
 * The kernel asks for memory, and gets the pages of objects whose content was offered
 * (DONTNEED): they are dropped, at once and without a word to swap space. It may ask
 * anybody who allocates, with whatever locks that one has. So nothing is waited for here and
 * nothing allocated: an object that somebody has reserved, or that work is queued for, is
 * passed over.
 *
 * An object in the aperture has to leave that first, which is paging work and takes memory.
 * A work item does it, and drops the content: its pages are free when UNMAP was executed. If
 * there is no memory even for that, they stay until the next time.
 *
 * TTM has no shrinker of its own for objects on the kernels that the driver is made for:
 * what is not offered leaves memory as TTM sees fit, when it has more pages than its limit
 * and before hibernation. Then what is offered is dropped, too (quire_bo_swap_notify()), and
 * goes before what is not, for it has the lower priority on TTM's lists. TTM takes a drop for
 * nothing, and goes on until it has swapped something out.
 *
 * Not here: what others have the pages of, or may have. An exported object is swapped out as
 * any other while it is in system memory; imported ones have no pages of ours.
 *
 * Locking: &quire_shrinker.lock inside of the reservation. An object goes on the list and
 * off it with its reservation held, or when TTM is done with it. From the list only a try is
 * made to reserve one.
 */
#include <linux/dma-resv.h>
#include <linux/limits.h>
#include <linux/shrinker.h>

#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/ttm/ttm_bo.h>

#include "core/quire_device_types.h"
#include "core/quire_placement.h"
#include "quire_bo.h"
#include "quire_offered.h"
#include "quire_purge_stats.h"
#include "quire_shrinker.h"

static unsigned long bo_pages(const struct quire_bo *bo)
{
	return bo->base.base.size >> PAGE_SHIFT;
}

static bool bo_is_idle(struct quire_bo *bo)
{
	return dma_resv_test_signaled(bo->base.base.resv, DMA_RESV_USAGE_BOOKKEEP);
}

/* Returns the pages that are free now. */
static unsigned long bo_shrink(struct quire_bo *bo, bool *in_aperture)
{
	if (!quire_bo_may_drop(bo) || !bo_is_idle(bo))
		return 0;
	if (quire_bo_mem_type(&bo->base) == QUIRE_PL_APERTURE) {
		*in_aperture = true;
		return 0;
	}
	return quire_bo_drop(bo, QUIRE_PURGE_SHRUNK) ? 0 : bo_pages(bo);
}

/* Locks that are taken with a mapping may be held by who allocates without __GFP_FS. */
static unsigned long quire_shrinker_scan(struct shrinker *shrink, struct shrink_control *sc)
{
	struct quire_shrinker *shrinker = shrink->private_data;
	unsigned long left = READ_ONCE(shrinker->nr_objects), freed = 0;
	bool in_aperture = false;
	struct quire_bo *bo;

	if (!(sc->gfp_mask & __GFP_FS))
		return SHRINK_STOP;

	for (; left && freed < sc->nr_to_scan; left--) {
		bo = quire_offered_take(shrinker);
		if (!bo)
			continue;
		freed += bo_shrink(bo, &in_aperture);
		quire_offered_put(bo);
	}
	if (in_aperture)
		queue_work(system_unbound_wq, &shrinker->work);
	sc->nr_scanned = max(freed, sc->nr_to_scan);
	return freed ?: SHRINK_STOP;
}

static unsigned long quire_shrinker_count(struct shrinker *shrink, struct shrink_control *sc)
{
	struct quire_shrinker *shrinker = shrink->private_data;

	return READ_ONCE(shrinker->pages) ?: SHRINK_EMPTY;
}

/* What fails leaves the object where it is, or in system memory: whole, and on the list. */
static void bo_leave_aperture(struct quire_bo *bo)
{
	struct ttm_operation_ctx ctx = { .no_wait_gpu = true };
	int idx;

	if (quire_bo_mem_type(&bo->base) != QUIRE_PL_APERTURE || !quire_bo_may_drop(bo) ||
	    !bo_is_idle(bo) || !drm_dev_enter(&quire_bo_device(bo)->drm, &idx))
		return;
	if (!quire_bo_validate(bo, &quire_system_place, 1, &ctx))
		quire_bo_drop(bo, QUIRE_PURGE_SHRUNK);
	drm_dev_exit(idx);
}

static void aperture_work(struct work_struct *work)
{
	struct quire_shrinker *shrinker = container_of(work, struct quire_shrinker, work);
	unsigned long left = READ_ONCE(shrinker->nr_objects);
	struct quire_bo *bo;

	for (; left; left--) {
		bo = quire_offered_take(shrinker);
		if (!bo)
			continue;
		bo_leave_aperture(bo);
		quire_offered_put(bo);
		cond_resched();
	}
}

/**
 * quire_shrinker_init - let the kernel ask for memory
 * @qdev: the device; memory management works
 *
 * Returns: 0, or -ENOMEM.
 *
 * Source: shrinker_register().
 */
int quire_shrinker_init(struct quire_device *qdev)
{
	struct quire_shrinker *shrinker = qdev->shrinker;

	spin_lock_init(&shrinker->lock);
	INIT_LIST_HEAD(&shrinker->objects);
	INIT_WORK(&shrinker->work, aperture_work);
	shrinker->shrinker = shrinker_alloc(0, "drm-quire:%s", dev_name(qdev->drm.dev));
	if (!shrinker->shrinker)
		return -ENOMEM;

	shrinker->shrinker->count_objects = quire_shrinker_count;
	shrinker->shrinker->scan_objects = quire_shrinker_scan;
	/* To make it again costs nothing that the kernel would have to weigh. */
	shrinker->shrinker->seeks = 0;
	shrinker->shrinker->private_data = shrinker;
	shrinker_register(shrinker->shrinker);
	return 0;
}

/**
 * quire_shrinker_fini - the kernel asks no more
 * @qdev: the device, unplugged or never registered; quire_shrinker_init() succeeded
 *
 * Waits for who asks now. Objects may be on the list until they die.
 */
void quire_shrinker_fini(struct quire_device *qdev)
{
	shrinker_free(qdev->shrinker->shrinker);
	cancel_work_sync(&qdev->shrinker->work);
}
