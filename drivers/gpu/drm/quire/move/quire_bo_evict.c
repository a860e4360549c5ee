// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Leaving a place
 *
 * Where evicted objects go, and what the device is told when an object loses its content or is
 * freed. From VRAM an object goes to the aperture, from where it gets to system memory without
 * another copy, or straight to system memory when the aperture is full. Neither waits: the paging
 * queue is in order, so the old place is free as soon as the move is queued (quire_move.c). An
 * object without content to keep goes nowhere: quire_bo_evict_flags() only says where to, and the
 * move drops it when it is idle: DISCARD_CONTENT, then it has neither place nor pages.
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
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_work.h"
#include "bo/quire_bo.h"
#include "bo/quire_operation.h"
#include "bo/quire_prime.h"
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

/* The CPU's copies are in no order with the queue, so they get no discards. */
static bool has_discards(struct quire_device *qdev)
{
	return qdev->device_copies && !quire_device_is_wedged(qdev);
}

/* A dying object that is in use is not waited for: its commands are in the queue already. */
static void bo_discard_busy(struct quire_bo *bo)
{
	struct quire_batch *batch = &quire_bo_device(bo)->paging_queue->unpaid;
	struct dma_resv *resv = bo->base.base.resv;
	struct quire_paging_work work;
	struct dma_fence *fence;
	bool slot;
	int ret = 0;

	slot = !dma_resv_reserve_fences(resv, 1);
	quire_paging_work_init(&work, batch, resv, 0, false);
	quire_page_runs_init(&work.part.sides[QUIRE_PAGING_SOURCE], bo->base.resource, NULL);
	bo->allocation.needs_idle = false;
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
static void bo_discard_place(struct quire_bo *bo, bool idle)
{
	struct quire_device *qdev = quire_bo_device(bo);

	quire_resident_leave(bo);
	if (!has_discards(qdev))
		return;

	if (idle)
		quire_discard_add(qdev->discards, bo->base.resource);
	else
		bo_discard_busy(bo);
}

/**
 * quire_bo_eviction_drops - does an eviction drop the content of an object?
 * @bo: the object, reserved
 *
 * Decides, and does nothing else. While the object is reserved, true stays true.
 *
 * Once the device is stopped for good everything is dropped. Before that, also while
 * drm_dev_unplug() waits for running calls, commands may still use what would be dropped: no move
 * can be queued then, and the eviction fails.
 *
 * Returns: true if so; else the content moves.
 */
bool quire_bo_eviction_drops(struct quire_bo *bo)
{
	struct quire_device *qdev = quire_bo_device(bo);

	if (qdev->removed)
		return true;
	if (quire_bo_mem_type(&bo->base) != QUIRE_PL_VRAM)
		return false;
	/* A page table is made anew, see quire_vm_table.c. */
	return quire_bo_is_page_table(bo) || READ_ONCE(bo->dead) ||
	       (quire_bo_is_unneeded(bo) && !atomic_read(&bo->claims)) ||
	       !quire_bo_has_content(bo) || READ_ONCE(bo->lost) || quire_device_is_wedged(qdev);
}

/**
 * quire_bo_evict_flags - say where an evicted object goes
 * @tbo: the victim, reserved; may be a ghost
 * @placement: returned; none: a ghost dies with its fences, and needs no other place
 *
 * What is dropped goes to system memory, too: quire_move() drops it on the way.
 *
 * Source: ttm_bo_evict(), ttm_bo_alloc_resource();
 * Documentation/gpu/quire/model.rst.
 */
void quire_bo_evict_flags(struct ttm_buffer_object *tbo, struct ttm_placement *placement)
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
	struct quire_bo *bo = ttm_to_quire_bo(tbo);

	placement->num_placement = 0;
	if (!quire_bo_is_ours(tbo))
		return;

	if (quire_bo_mem_type(tbo) != QUIRE_PL_VRAM || quire_bo_eviction_drops(bo) ||
	    !quire_bo_allows(bo, QUIRE_PL_APERTURE)) {
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

/* In use it can not be discarded: the builder says BUSY, and is asked when it is idle. */
static int bo_wait_idle(struct quire_bo *bo, struct quire_batch *batch,
			struct ttm_operation_ctx *ctx)
{
	struct quire_device *qdev = quire_bo_device(bo);
	struct quire_paging_work work;

	if (quire_bo_is_idle(bo))
		return 0;
	if (qdev->removed || !has_discards(qdev))
		return ttm_bo_wait_ctx(&bo->base, ctx);

	quire_paging_work_init(&work, batch, bo->base.base.resv, 0, ctx->interruptible);
	work.list.no_wait = ctx->no_wait_gpu;
	bo->allocation.needs_idle = true;
	/* Nothing is added to this list: see quire_discard_add(). */
	return quire_paging_list_ask(&work.list, QUIRE_PAGING_DISCARD_CONTENT, &bo->allocation);
}

/**
 * quire_bo_drop_evicted - drop the content of an evicted object, and give its place away
 * @bo: the object, reserved, without mappings; quire_bo_eviction_drops()
 * @batch: gets the paging work
 * @ctx: how to wait
 *
 * Waits until it is idle; it loses nothing before. What the device has to be told of its place is
 * queued, and the next user of the place queues behind that.
 *
 * Returns: 0, then it has no resource; -ERESTARTSYS; -EBUSY it is in use for long, or the caller
 * may not wait; -ENOMEM. After an error nothing has changed.
 */
int quire_bo_drop_evicted(struct quire_bo *bo, struct quire_batch *batch,
			  struct ttm_operation_ctx *ctx)
{
	int ret;

	/* Importers have no pages of what is in VRAM. */
	if (quire_bo_device(bo)->removed)
		quire_prime_invalidate(bo);
	ret = bo_wait_idle(bo, batch, ctx);
	if (ret)
		return ret;

	if (quire_bo_is_page_table(bo)) {
		quire_vm_tables_lose(&to_quire_vm(bo->gpuvm)->pages);
	} else {
		quire_range_release(bo);
		quire_view_let_go(bo);
	}
	if (!quire_bo_device(bo)->removed) {
		quire_vm_bo_leaves(bo, batch);
		bo_discard_place(bo, true);
	}
	return quire_bo_drop(bo, QUIRE_PURGE_EVICTED);
}

static void bo_release_aperture(struct quire_bo *bo, bool slot)
{
	struct quire_device *qdev = quire_bo_device(bo);
	struct quire_batch *batch = &qdev->paging_queue->unpaid;
	struct quire_paging_work work;
	struct dma_fence *fence;
	int ret;

	quire_resident_leave(bo);
	/* Before its range shows the dummy page: commands may still name it. */
	if (bo->resident->native)
		quire_discard_submit(qdev->discards, batch, false);
	quire_paging_work_init(&work, batch, NULL, 0, false);
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
		bo_discard_place(bo, idle);
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
		bo_discard_place(bo, quire_bo_is_idle(bo));
}
