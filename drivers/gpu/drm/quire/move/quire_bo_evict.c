// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Leaving a place
 *
 * Where evicted objects go, and what the device is told when an object loses its content or is
 * freed. From VRAM an object goes to the aperture, from where it gets to system memory without
 * another copy, or straight to system memory when the aperture is full. Neither waits: the paging
 * queue is in order, so the old place is free as soon as the move is queued (quire_move.c). An
 * object without content to keep goes nowhere: DISCARD_CONTENT, then TTM takes the place away.
 *
 * Pages that the aperture points at are kept until UNMAP has been executed, by a fence that TTM
 * waits for. A freed object that commands still use keeps its place until they are done.
 */
#include <linux/dma-fence.h>

#include <drm/drm_print.h>

#include <quire/quire_hw.h>

#include "paging/quire_paging_list.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_discard.h"
#include "queue/quire_page_runs.h"
#include "queue/quire_paging_part.h"
#include "queue/quire_paging_work.h"
#include "bo/quire_bo.h"
#include "bo/quire_budget.h"
#include "bo/quire_operation.h"
#include "bo/quire_prime.h"
#include "bo/quire_purge_stats.h"
#include "bo/quire_range.h"
#include "bo/quire_residency.h"
#include "bo/quire_view.h"
#include "bo/quire_window.h"
#include "vm/quire_vm.h"
#include "vm/quire_vm_table.h"
#include "vm/quire_vm_validate.h"
#include "quire_bo_evict.h"

/* Consumes @fence. With a slot in the reservation TTM waits for it, else this does. */
static void bo_attach(struct quire_bo *bo, struct dma_fence *fence, bool slot)
{
	if (slot) {
		dma_resv_add_fence(bo->base.base.resv, fence, DMA_RESV_USAGE_KERNEL);
		if (quire_bo_is_shared(bo))
			quire_bo_show_fences(bo);
	} else {
		dma_fence_wait(fence, false);
	}
	dma_fence_put(fence);
}

/*
 * An object in use is discarded when it is idle (BUSY); that wait has a limit, and a dying object
 * is not waited for. If a signal ends it, TTM's own wait, which comes next, ends as well if it
 * may.
 */
static void bo_discard_when_idle(struct quire_bo *bo, bool dying)
{
	struct dma_resv *resv = bo->base.base.resv;
	struct quire_paging_work work;
	struct dma_fence *fence;
	bool slot;
	int ret;

	slot = !dma_resv_reserve_fences(resv, 1);
	quire_paging_work_init(&work, quire_bo_device(bo)->paging_queue, resv, 0, !dying);
	quire_page_runs_init(&work.part.sides[QUIRE_PAGING_SOURCE], bo->base.resource, NULL);
	bo->allocation.needs_idle = !dying;
	ret = quire_paging_list_ask(&work.list, QUIRE_PAGING_DISCARD_CONTENT, &bo->allocation);
	while (!ret && !quire_paging_part_is_last(&work.part)) {
		ret = quire_paging_work_next_part(&work, U64_MAX);
		if (ret)
			break;
		ret = quire_operation_discard(&work, bo);
		quire_paging_part_end(&work.part);
	}
	/* A hint: failure is no error. */
	fence = quire_paging_list_finish(&work.list, ret);
	if (!IS_ERR(fence))
		bo_attach(bo, fence, slot);
}

/* The place in VRAM has no content any more. */
static void bo_discard_place(struct quire_bo *bo, bool idle, bool dying)
{
	struct quire_device *qdev = quire_bo_device(bo);

	quire_resident_leave(bo);
	/* The CPU's copies are in no order with the queue, so they get no discards. */
	if (quire_device_is_wedged(qdev) || !qdev->device_copies)
		return;

	if (idle)
		quire_discard_add(qdev->discards, bo->base.resource);
	else
		bo_discard_when_idle(bo, dying);
}

static void bo_purge(struct quire_bo *bo)
{
	ttm_bo_unmap_virtual(&bo->base);
	quire_range_release(bo);
	if (bo->content == QUIRE_BO_OFFERED && !READ_ONCE(bo->dead))
		quire_bo_count_purge(bo, QUIRE_PURGE_EVICTED);
	quire_view_let_go(bo);
	quire_vm_bo_purged(bo);
	quire_bo_change_content(bo, QUIRE_BO_DROP);
	quire_budget_moved(bo, QUIRE_SEGMENT_SYSTEM);
	bo_discard_place(bo, quire_bo_is_idle(bo), false);
}

static void bo_evict_vram(struct quire_bo *bo, struct ttm_placement *placement)
{
	/*
	 * DESIRED keeps TTM from making room in the aperture, for which it would wait; TOPDOWN
	 * keeps out of the window.
	 */
	static const struct ttm_place places[] = {
		{ .mem_type = QUIRE_PL_APERTURE,
		  .flags = TTM_PL_FLAG_DESIRED | TTM_PL_FLAG_TOPDOWN },
		{ .mem_type = QUIRE_PL_SYSTEM },
	};

	if (quire_bo_is_page_table(bo)) {
		/* It is made anew, see quire_vm_table.c. */
		quire_vm_tables_lose(&to_quire_vm(bo->gpuvm)->pages);
		bo_discard_place(bo, quire_bo_is_idle(bo), false);
		return;
	}
	if ((quire_bo_is_unneeded(bo) && !atomic_read(&bo->claims)) || READ_ONCE(bo->dead) ||
	    quire_bo_is_purged(bo) || quire_device_is_wedged(quire_bo_device(bo))) {
		bo_purge(bo);
	} else if (!quire_bo_allows(bo, QUIRE_PL_APERTURE)) {
		placement->placement = &quire_system_place;
		placement->num_placement = 1;
	} else if (quire_window_is_for(bo)) {
		placement->placement = quire_bo_device(bo)->window->evicted;
		placement->num_placement = ARRAY_SIZE(quire_bo_device(bo)->window->evicted);
	} else {
		placement->placement = places;
		placement->num_placement = ARRAY_SIZE(places);
	}
}

/**
 * quire_bo_evict_flags - say where an evicted object goes
 * @tbo: the victim, reserved; may be a ghost
 * @placement: returned; none: its place and content are dropped
 *
 * Once the device is stopped for good everything is dropped. Before that, also while
 * drm_dev_unplug() waits for running calls, commands may still use what would be dropped: no move
 * can be queued then, and the eviction fails. A ghost dies with its fence and needs no other
 * place.
 *
 * Source: ttm_bo_evict(), ttm_bo_alloc_resource();
 * Documentation/gpu/quire/model.rst.
 */
void quire_bo_evict_flags(struct ttm_buffer_object *tbo, struct ttm_placement *placement)
{
	struct quire_device *qdev = ttm_to_quire(tbo->bdev);

	placement->num_placement = 0;
	if (!quire_bo_is_ours(tbo))
		return;

	if (qdev->removed) {
		quire_prime_invalidate(ttm_to_quire_bo(tbo));
		ttm_bo_unmap_virtual(tbo);
		quire_range_release(ttm_to_quire_bo(tbo));
		quire_view_let_go(ttm_to_quire_bo(tbo));
		quire_bo_change_content(ttm_to_quire_bo(tbo), QUIRE_BO_DROP);
	} else if (quire_bo_mem_type(tbo) == QUIRE_PL_VRAM) {
		bo_evict_vram(ttm_to_quire_bo(tbo), placement);
	} else {
		placement->placement = &quire_system_place;
		placement->num_placement = 1;
	}
}

static void bo_release_aperture(struct quire_bo *bo, bool slot)
{
	struct quire_device *qdev = quire_bo_device(bo);
	struct quire_paging_work work;
	struct dma_fence *fence;
	int ret;

	quire_resident_leave(bo);
	/* Before its range shows the dummy page: commands may still name it. */
	if (bo->resident->native)
		quire_discard_submit(qdev->discards, false);
	quire_paging_work_init(&work, qdev->paging_queue, NULL, 0, false);
	ret = quire_operation_unmap(&work, bo->base.resource);
	fence = quire_paging_list_finish(&work.list, ret);
	if (!IS_ERR(fence))
		bo_attach(bo, fence, slot);
	else if (PTR_ERR(fence) != -ENODEV)
		drm_err_ratelimited(&qdev->drm, "aperture keeps pages of a dead object: %pe\n",
				    fence);
}

/*
 * Without references only a walker of an LRU list may hold the lock, and that one holds the LRU
 * lock, too. Unless there was no memory for a lock of its own: then it is that of an address
 * space.
 */
static bool bo_lock_dying(struct ttm_buffer_object *tbo)
{
	bool locked;

	spin_lock(&tbo->bdev->lru_lock);
	locked = dma_resv_trylock(tbo->base.resv);
	spin_unlock(&tbo->bdev->lru_lock);
	WARN_ON_ONCE(!locked && tbo->base.resv == &tbo->base._resv);
	return locked;
}

/**
 * quire_bo_release_notify - tell the device that an object dies
 * @tbo: the object, without references, not reserved; may be a ghost
 *
 * The device may drop content in VRAM. Pages in the aperture stay until the device has let them
 * go, for which TTM waits. If commands use the object, or its lock can not be had, this is left to
 * quire_bo_release_late().
 *
 * Source: ttm_bo_release(); Documentation/gpu/quire/model.rst.
 */
void quire_bo_release_notify(struct ttm_buffer_object *tbo)
{
	struct quire_bo *bo;
	bool idle;

	/* An imported object shares its lock, and leaves later: quire_import_leave(). */
	if (!quire_bo_is_ours(tbo) || quire_bo_is_imported(ttm_to_quire_bo(tbo)) ||
	    quire_bo_mem_type(tbo) == QUIRE_PL_SYSTEM ||
	    quire_device_is_wedged(ttm_to_quire(tbo->bdev)))
		return;

	bo = ttm_to_quire_bo(tbo);
	bo->late = true;
	if (!bo_lock_dying(tbo))
		return;
	idle = quire_bo_is_idle(bo);
	bo->late = !idle && quire_bo_has_commands(bo);
	if (!bo->late && quire_bo_mem_type(tbo) == QUIRE_PL_APERTURE)
		bo_release_aperture(bo, !dma_resv_reserve_fences(tbo->base.resv, 1));
	else if (!bo->late)
		bo_discard_place(bo, idle, true);
	dma_resv_unlock(tbo->base.resv);
}

/**
 * quire_bo_release_late - do what quire_bo_release_notify() left out, if anything
 * @bo: the object, reserved and idle; TTM frees its pages and its place next
 *
 * Waits for the device.
 */
void quire_bo_release_late(struct quire_bo *bo)
{
	if (!bo->late || quire_device_is_wedged(quire_bo_device(bo)))
		return;
	bo->late = false;
	if (quire_bo_mem_type(&bo->base) == QUIRE_PL_APERTURE)
		bo_release_aperture(bo, false);
	else if (quire_bo_mem_type(&bo->base) == QUIRE_PL_VRAM)
		bo_discard_place(bo, quire_bo_is_idle(bo), true);
}
