// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Memory management
 *
 * The driver's side of TTM. There are three places: system memory; VRAM (quire_vram_mgr.c); and
 * the aperture, managed by TTM's own range manager, in which an object is one range. System pages
 * (quire_tt.c) have DMA addresses as long as they exist, and CPU and device use them at the same
 * time. Where streaming mappings would be copies (bounce buffers: swiotlb=force, a guest with
 * encrypted memory), pages come from the DMA allocator; an IOMMU is no such case.
 *
 * quire_ttm_remove() at unbind takes all pages and places from all objects, while programs may
 * still hold objects and mappings. The managers go with the last reference of the DRM device.
 */
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/sched.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_range_manager.h>

#include "core/quire_compat.h"
#include "hw/quire_device_guard.h"
#include "hw/quire_mmu_table.h"
#include "queue/quire_discard.h"
#include "queue/quire_mark.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_vram_types.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_free.h"
#include "bo/quire_bo_layout.h"
#include "bo/quire_bo_visible.h"
#include "bo/quire_budget.h"
#include "bo/quire_mmu.h"
#include "bo/quire_prime.h"
#include "bo/quire_residency.h"
#include "bo/quire_shrinker.h"
#include "bo/quire_tt.h"
#include "bo/quire_validation.h"
#include "bo/quire_view.h"
#include "bo/quire_vram_mgr.h"
#include "access/quire_import.h"
#include "quire_bo_evict.h"
#include "quire_dmem.h"
#include "quire_move.h"
#include "quire_ttm.h"

static int quire_io_mem_reserve(struct ttm_device *ttm, struct ttm_resource *res)
{
	struct quire_device *qdev = ttm_to_quire(ttm);

	/* In the aperture TTM maps the pages; the window: quire_bo_vm.c. */
	if (res->mem_type != QUIRE_PL_VRAM)
		return 0;
	if (!quire_bo_is_visible(ttm_to_quire_bo(res->bo)))
		return -EINVAL;

	/* Valid for one run; quire_bo_io_mem_pfn() walks the others. */
	res->bus.offset = qdev->vram_base + ((u64)res->start << PAGE_SHIFT);
	res->bus.is_iomem = true;
	res->bus.caching = ttm_write_combined;
	if (quire_bo_is_tiled(ttm_to_quire_bo(res->bo)))
		res->bus.caching = ttm_uncached;
	return 0;
}

/* Without @place, the victim's cgroup has a new limit (quire_dmem.c), and budgets do not matter. */
static bool quire_eviction_valuable(struct ttm_buffer_object *tbo, const struct ttm_place *place)
{
	struct quire_bo *bo = ttm_to_quire_bo(tbo);

	if (!ttm_bo_eviction_valuable(tbo, place))
		return false;
	if (!quire_bo_is_ours(tbo))
		return true;
	if (tbo->resource->mem_type == QUIRE_PL_VRAM && place &&
	    place->mem_type == QUIRE_PL_VRAM && quire_budget_spares(bo))
		return false;
	return !quire_bo_is_spared(bo, place);
}

/* The object is idle, and TTM frees its pages next. */
static void quire_delete_mem_notify(struct ttm_buffer_object *tbo)
{
	struct quire_bo *bo = ttm_to_quire_bo(tbo);

	if (!quire_bo_is_ours(tbo))
		return;
	quire_bo_release_late(bo);
	quire_view_let_go(bo);
	if (quire_bo_is_imported(bo))
		quire_import_leave(bo);
}

static const struct ttm_device_funcs quire_ttm_funcs = {
	.ttm_tt_create = quire_tt_create,
	.ttm_tt_populate = quire_tt_populate,
	.ttm_tt_unpopulate = quire_tt_unpopulate,
	.ttm_tt_destroy = quire_tt_destroy,
	.eviction_valuable = quire_eviction_valuable,
	.evict_flags = quire_bo_evict_flags,
	.move = quire_move,
	.io_mem_reserve = quire_io_mem_reserve,
	.io_mem_pfn = quire_bo_io_mem_pfn,
	.release_notify = quire_bo_release_notify,
	.delete_mem_notify = quire_delete_mem_notify,
	.swap_notify = quire_bo_swap_notify,
};

/* With the last reference: no program, object or mapping is left. */
static void quire_ttm_fini(struct drm_device *drm, void *data)
{
	struct quire_device *qdev = to_quire_device(drm);

	/* Dead objects end in work items. */
	quire_free_list_flush(qdev->free_list);
	drain_workqueue(qdev->ttm.wq);
	drm_WARN_ON(drm, ttm_range_man_fini(&qdev->ttm, QUIRE_PL_APERTURE));
	quire_vram_mgr_fini(qdev->vram_mgr, &qdev->ttm);
	ttm_device_fini(&qdev->ttm);
	quire_residency_fini(qdev->residency);
	quire_mmu_fini(qdev->mmu);
}

/**
 * quire_ttm_init - start memory management
 * @qdev: the device; its queue works, its sizes are read
 *
 * It ends with the last reference of the DRM device.
 *
 * Returns: 0, or -ENOMEM.
 *
 * Source: Documentation/gpu/quire/model.rst.
 */
int quire_ttm_init(struct quire_device *qdev)
{
	unsigned int alloc_flags = TTM_ALLOCATION_PROPAGATE_ENOSPC;
	struct drm_device *drm = &qdev->drm;
	int ret;

	quire_prime_init(qdev);
	dma_set_max_seg_size(drm->dev, UINT_MAX);

	/* Best effort: without it the mappings are slower. */
	devm_arch_io_reserve_memtype_wc(drm->dev, qdev->vram_base, qdev->vram_visible);

	quire_free_list_init(qdev->free_list);
	quire_residency_init(qdev->residency);
	quire_mmu_init(qdev->mmu, qdev->mmu_table->pages);
	qdev->vram_mgr->leave = quire_mmu_leave;
	/* The DMA layer limits the size of a mapping only where it may have to bounce it. */
	if (dma_max_mapping_size(drm->dev) != SIZE_MAX) {
		drm_info(drm, "DMA is bounced, system pages come from the DMA allocator\n");
		alloc_flags |= TTM_ALLOCATION_POOL_USE_DMA_ALLOC;
	}
	ret = quire_ttm_device_init(&qdev->ttm, &quire_ttm_funcs, drm->dev,
				    drm->anon_inode->i_mapping, drm->vma_offset_manager,
				    alloc_flags);
	if (ret)
		return ret;

	ret = quire_vram_mgr_init(qdev->vram_mgr, &qdev->ttm,
				  qdev->device_copies ? qdev->vram_size : qdev->vram_visible,
				  qdev->vram_visible, !qdev->device_copies);
	if (ret)
		goto err_device;

	ret = ttm_range_man_init(&qdev->ttm, QUIRE_PL_APERTURE, true,
				 qdev->aperture_size >> PAGE_SHIFT);
	if (ret)
		goto err_vram;

	ret = drmm_add_action_or_reset(drm, quire_ttm_fini, NULL);
	return ret ?: quire_dmem_init(qdev) ?: quire_shrinker_init(qdev);

err_vram:
	quire_vram_mgr_fini(qdev->vram_mgr, &qdev->ttm);
err_device:
	ttm_device_fini(&qdev->ttm);
	return ret;
}

static int ttm_evict_segments(struct quire_device *qdev)
{
	/* That of TTM's moves, whose contexts are its own. */
	struct quire_batch *batch = &qdev->paging_queue->evictions;
	struct ttm_device *ttm = &qdev->ttm;
	int ret;

	scoped_guard(quire_plug, batch)
		ret = ttm_resource_manager_evict_all(ttm, ttm_manager_type(ttm, QUIRE_PL_VRAM)) ?:
		      ttm_resource_manager_evict_all(ttm, ttm_manager_type(ttm,
									   QUIRE_PL_APERTURE));
	if (ret || quire_device_is_wedged(qdev))
		return ret;

	quire_discard_submit(qdev->discards, batch, false);
	return quire_mark_reach(qdev->mark, qdev->paging_queue);
}

/**
 * quire_ttm_evict_all - evict everything from VRAM and the aperture
 * @qdev: the device; not inside of drm_dev_enter()
 *
 * Waits until all of it is in memory (quire_mark.c), and the device was told of lost content.
 * Takes a turn, so that placements of programs do not prolong it for ever.
 *
 * Returns: 0; -ERESTARTSYS a signal came before the turn; -ENODEV; the first error of a move; or
 * an error of quire_mark_reach().
 */
int quire_ttm_evict_all(struct quire_device *qdev)
{
	struct quire_position position = { };
	struct quire_validation validation = { .qdev = qdev, .position = &position };
	int ret, idx;

	ret = quire_validation_begin_turn(&validation);
	if (ret)
		return ret;

	ret = -ENODEV;
	if (drm_dev_enter(&qdev->drm, &idx)) {
		ret = ttm_evict_segments(qdev);
		drm_dev_exit(idx);
	}
	quire_validation_end_turn(&validation, ret);
	return ret;
}

/**
 * quire_ttm_swap_out - let all pages of objects go to swap
 * @qdev: the device; everything was evicted
 *
 * Best effort: a page that stays takes room in the image of a hibernation.
 *
 * Source: ttm_device_prepare_hibernation().
 */
void quire_ttm_swap_out(struct quire_device *qdev)
{
	struct ttm_resource_manager *man = ttm_manager_type(&qdev->ttm, QUIRE_PL_SYSTEM);
	s64 left = ttm_resource_manager_usage(man) >> PAGE_SHIFT;
	struct ttm_operation_ctx ctx = { };
	int pages = 1;

	/* Bounded, as programs are not frozen yet, and bring some back. */
	while (left > 0 && pages > 0) {
		pages = ttm_device_swapout(&qdev->ttm, &ctx, GFP_KERNEL);
		left -= pages;
	}
}

/*
 * TTM's wait for foreign fences ends after a while, this one must not. And TTM allocates a resource
 * for each object, which quire_move() frees with its place.
 */
static int ttm_drop_all(struct ttm_device *ttm, struct ttm_resource_manager *man)
{
	int ret;

	while ((ret = ttm_resource_manager_evict_all(ttm, man)) == -EBUSY || ret == -ENOMEM)
		schedule_timeout_uninterruptible(1);
	return ret;
}

/**
 * quire_ttm_remove - take everything from the reach of the device
 * @qdev: the device; unplugged, and its ring is killed: all fences have signalled or soon will,
 *        and
 *        nothing is executed any more
 *
 * Objects stay, without place, pages, mapping or content. Those that importers have pinned keep
 * their pages and content.
 *
 * Source: drm_dev_unplug().
 */
void quire_ttm_remove(struct quire_device *qdev)
{
	static const u32 mem_types[] = { QUIRE_PL_VRAM, QUIRE_PL_APERTURE, QUIRE_PL_SYSTEM };
	struct ttm_device *ttm = &qdev->ttm;
	struct ttm_resource_manager *man;
	struct quire_bo *bo;
	unsigned int i;
	int ret;

	quire_shrinker_fini(qdev);
	qdev->removed = true;

	quire_free_list_flush(qdev->free_list);

	for (i = 0; i < ARRAY_SIZE(mem_types); i++) {
		man = ttm_manager_type(ttm, mem_types[i]);
		ret = ttm_drop_all(ttm, man);
		if (ret)
			drm_err(&qdev->drm, "can not take memory type %u down: %d\n",
				mem_types[i], ret);
	}
	while ((bo = quire_prime_take_pinned(qdev))) {
		dma_resv_lock(bo->base.base.resv, NULL);
		quire_tt_unmap(ttm, bo->base.ttm);
		dma_resv_unlock(bo->base.base.resv);
		drm_gem_object_put(&bo->base.base);
	}
	quire_free_list_flush(qdev->free_list);
	flush_workqueue(ttm->wq);
	quire_import_remove(qdev);
}
