// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Leaving a place
 *
 * From VRAM an evicted object goes to the aperture, from where it gets to system memory without
 * another copy, or straight to system memory when the aperture is full. The paging queue is in
 * order, so the old place is free as soon as the move is queued. An object without content to keep
 * is dropped by the move when it is idle, DISCARD_CONTENT, and has neither place nor pages.
 *
 * Pages that the aperture points at are kept until UNMAP has been executed, by a fence that TTM
 * waits for. A freed object that commands still use keeps its place until they are done.
 */
#include "hw/quire_device_guard.h"
#include "queue/quire_discard.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_work.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_layout.h"
#include "bo/quire_operation.h"
#include "bo/quire_residency.h"
#include "bo/quire_window.h"
#include "vm/quire_vm_validate.h"
#include "vm/quire_vm.h"
#include "quire_move.h"

/**
 * quire_bo_eviction_drops - does an eviction drop the content of an object?
 * @bo: the object, reserved
 *
 * While the object is reserved, true stays true. Once the device is stopped for good everything is
 * dropped. Before that, also while drm_dev_unplug() waits for running calls, commands may still use
 * it: no move can be queued then, and the eviction fails.
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
 * @placement: returned; none: a ghost dies with its fences; what is dropped goes to system memory
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

/* With a slot in the reservation TTM waits for what the device does, else this does. */
static noinline_for_stack void bo_release_by_list(struct quire_bo *bo, bool vram, bool may_slot)
{
	struct quire_device *qdev = quire_bo_device(bo);
	struct quire_batch *batch = &qdev->paging_queue->unpaid;
	struct dma_resv *resv = bo->base.base.resv;
	struct quire_paging_work work;
	struct dma_fence *fence;
	int ret = 0;
	bool slot;

	slot = (vram || may_slot) && !dma_resv_reserve_fences(resv, 1);
	/* Before its range shows the dummy page: commands may still name it. */
	if (!vram && bo->resident->native)
		quire_discard_submit(qdev->discards, batch, false);
	quire_paging_work_init(&work, batch, vram ? resv : NULL, 0, false);
	if (vram) {
		/* In use it is not waited for: its commands are in the queue already. */
		bo->allocation.needs_idle = false;
		quire_page_runs_init(&work.part.sides[QUIRE_PAGING_SOURCE], bo->base.resource,
				     NULL);
	} else {
		ret = quire_operation_unmap(&work, bo->base.resource);
	}
	while (!ret && !quire_paging_part_is_last(&work.part)) {
		ret = quire_paging_work_next_part(&work, U64_MAX);
		if (ret)
			break;
		ret = quire_operation_discard(&work, bo);
		quire_paging_part_end(&work.part);
	}
	fence = quire_paging_list_finish(&work.list, ret);
	if (IS_ERR(fence)) {
		bool imported = quire_bo_is_imported(bo);

		/* A discard is a hint; a device that was given up shows nothing. */
		if (!vram && PTR_ERR(fence) != -ENODEV && !(imported && PTR_ERR(fence) == -EIO))
			drm_err_ratelimited(&qdev->drm, "aperture keeps pages of %s: %pe\n",
					    imported ? "another driver" : "a dead object", fence);
		return;
	}
	if (slot)
		dma_resv_add_fence(resv, fence, DMA_RESV_USAGE_KERNEL);
	else
		dma_fence_wait(fence, false);
	if (slot && quire_bo_is_shared(bo))
		quire_bo_show_fences(bo);
	dma_fence_put(fence);
}

static void bo_release(struct quire_bo *bo, bool idle, bool may_slot)
{
	bool vram = quire_bo_mem_type(&bo->base) == QUIRE_PL_VRAM;
	struct quire_device *qdev = quire_bo_device(bo);

	if (quire_bo_mem_type(&bo->base) == QUIRE_PL_SYSTEM)
		return;
	quire_resident_leave(bo);
	if (vram && (!qdev->device_copies || quire_device_is_wedged(qdev)))
		return;
	if (vram && idle)
		quire_discard_add(qdev->discards, bo->base.resource);
	else
		bo_release_by_list(bo, vram, may_slot);
}

/**
 * quire_bo_release_notify - tell the device that an object dies
 * @tbo: the object, without references, not reserved; may be a ghost
 *
 * If commands use it, or its lock can not be had, quire_bo_delete_mem_notify() does.
 */
void quire_bo_release_notify(struct ttm_buffer_object *tbo)
{
	struct quire_bo *bo = ttm_to_quire_bo(tbo);
	bool locked, idle;

	/* An imported object shares its lock, and leaves later. */
	if (!quire_bo_is_ours(tbo) || quire_bo_is_imported(bo) ||
	    quire_bo_mem_type(tbo) == QUIRE_PL_SYSTEM ||
	    quire_device_is_wedged(ttm_to_quire(tbo->bdev)))
		return;

	bo->late = true;
	/*
	 * Only a walker of an LRU list may have it locked, with the LRU lock. Unless there was no
	 * memory for a lock of its own: then it is that of an address space.
	 */
	spin_lock(&tbo->bdev->lru_lock);
	locked = dma_resv_trylock(tbo->base.resv);
	spin_unlock(&tbo->bdev->lru_lock);
	if (!locked) {
		WARN_ON_ONCE(tbo->base.resv == &tbo->base._resv);
		return;
	}
	idle = quire_bo_is_idle(bo);
	bo->late = !idle && quire_bo_has_commands(bo);
	if (!bo->late)
		bo_release(bo, idle, true);
	dma_resv_unlock(tbo->base.resv);
}

/**
 * quire_bo_delete_mem_notify - an object is idle, and TTM frees its pages and its place next
 * @tbo: the object, reserved; may be a ghost
 *
 * Does what quire_bo_release_notify() left out, and waits for the device then.
 */
void quire_bo_delete_mem_notify(struct ttm_buffer_object *tbo)
{
	struct quire_bo *bo = ttm_to_quire_bo(tbo);

	if (!quire_bo_is_ours(tbo))
		return;
	if ((bo->late || quire_bo_is_imported(bo)) &&
	    !quire_device_is_wedged(quire_bo_device(bo))) {
		bo->late = false;
		bo_release(bo, quire_bo_is_idle(bo), false);
	}
	quire_view_let_go(bo);
}
