// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: When memory is short
 *
 * The shrinker drops the pages of objects whose content was offered (DONTNEED), without writing
 * them to swap space. The kernel may call it with any locks held, so it waits for nothing and
 * allocates nothing: an object that is reserved, or that work is queued for, is skipped. A work
 * item takes objects out of the aperture, and drops them then.
 *
 * TTM swaps out when it has more pages than its limit, and before hibernation. Offered objects are
 * dropped then, too (quire_bo_swap_notify()), and before others.
 *
 * Locking: &quire_shrinker.lock inside of the reservation. An object is listed and unlisted with
 * its reservation held, or when TTM is done with it. A walk of the list only tries to reserve.
 */
#include <linux/shrinker.h>

#include <drm/drm_drv.h>

#include "quire_bo.h"
#include "quire_shrinker.h"

/* Tasks that allocate without __GFP_FS may hold locks that are taken with a mapping. */
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
		if (quire_bo_may_drop(bo) && quire_bo_is_idle(bo)) {
			if (quire_bo_mem_type(&bo->base) == QUIRE_PL_APERTURE)
				in_aperture = true;
			else if (!quire_bo_drop(bo, QUIRE_PURGE_SHRUNK))
				freed += bo->base.base.size >> PAGE_SHIFT;
		}
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

/* An object that fails to leave, or to be dropped, is whole, and stays on the list. */
static void aperture_work(struct work_struct *work)
{
	struct quire_shrinker *shrinker = container_of(work, struct quire_shrinker, work);
	unsigned long left = READ_ONCE(shrinker->nr_objects);
	struct ttm_operation_ctx ctx;
	struct quire_bo *bo;
	int idx;

	for (; left; left--) {
		bo = quire_offered_take(shrinker);
		if (!bo)
			continue;
		if (quire_bo_mem_type(&bo->base) == QUIRE_PL_APERTURE && quire_bo_may_drop(bo) &&
		    quire_bo_is_idle(bo) && drm_dev_enter(&quire_bo_device(bo)->drm, &idx)) {
			ctx = (struct ttm_operation_ctx) { .no_wait_gpu = true };
			if (!quire_bo_validate(bo, &quire_system_place, 1, &ctx))
				quire_bo_drop(bo, QUIRE_PURGE_SHRUNK);
			drm_dev_exit(idx);
		}
		quire_offered_put(bo);
		cond_resched();
	}
}

/**
 * quire_shrinker_init - register the shrinker
 * @qdev: the device; memory management works
 * Returns: 0, or -ENOMEM.
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
	/* Dropped content is never made again. */
	shrinker->shrinker->seeks = 0;
	shrinker->shrinker->private_data = shrinker;
	shrinker_register(shrinker->shrinker);
	return 0;
}

/**
 * quire_shrinker_fini - unregister the shrinker, and wait for scans that run
 * @qdev: the device, unplugged or never registered; quire_shrinker_init() succeeded
 */
void quire_shrinker_fini(struct quire_device *qdev)
{
	shrinker_free(qdev->shrinker->shrinker);
	cancel_work_sync(&qdev->shrinker->work);
}
