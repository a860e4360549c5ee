// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Memory management
 *
 * There are three places: system memory; VRAM (quire_vram_mgr.c); and the aperture, with TTM's
 * range manager. System pages (quire_tt.c) have DMA addresses as long as they exist.
 * quire_ttm_remove() at unbind takes all pages and places from all objects, while programs may
 * still hold objects and mappings. The managers go with the last reference of the DRM device.
 */

/**
 * DOC: The dmem cgroup
 *
 * VRAM is the region "drm/NAME/vram" of the dmem cgroup controller (CONFIG_CGROUP_DMEM). TTM
 * charges an object to the cgroup of the process that brings it to VRAM. An object that does not
 * fit under a limit is refused before the VRAM manager is asked, and victims are looked for below
 * that limit alone. A limit that is set below the usage evicts within the write to dmem.max,
 * without a place.
 *
 * The region goes when the driver is unbound, not with the last file: its name is that of the PCI
 * function, which the next driver registers again.
 */
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/sched.h>

#include <drm/drm_managed.h>
#include <drm/ttm/ttm_range_manager.h>

#include "hw/quire_aperture.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_discard.h"
#include "queue/quire_paging_queue.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_layout.h"
#include "bo/quire_bo_vm.h"
#include "bo/quire_budget.h"
#include "bo/quire_mmu.h"
#include "bo/quire_prime.h"
#include "bo/quire_residency.h"
#include "bo/quire_shrinker.h"
#include "bo/quire_validation.h"
#include "bo/quire_vram_mgr.h"
#include "access/quire_access.h"
#include "quire_move.h"

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

/* Without @place, the victim's cgroup has a new limit, and budgets do not matter. */
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
	.delete_mem_notify = quire_bo_delete_mem_notify,
	.swap_notify = quire_bo_swap_notify,
};

static void quire_ttm_fini(struct drm_device *drm, void *data)
{
	struct quire_device *qdev = to_quire_device(drm);

	/* No program, object or mapping is left; dead objects end in work items. */
	quire_free_list_flush(qdev->free_list);
	drain_workqueue(qdev->ttm.wq);
	drm_WARN_ON(drm, ttm_range_man_fini(&qdev->ttm, QUIRE_PL_APERTURE));
	quire_vram_mgr_fini(qdev->vram_mgr);
	ttm_device_fini(&qdev->ttm);
	quire_residency_fini(qdev->residency);
	quire_mmu_fini(qdev->mmu);
}

static const struct dmem_cgroup_ops dmem_ops = {
	.reclaim = ttm_resource_manager_dmem_reclaim,
};

/* VRAM is empty, and stays so. */
static void dmem_fini(void *data)
{
	struct quire_device *qdev = data;

	quire_dmem_unregister_region(qdev->dmem);
	ttm_resource_manager_set_dmem_region(&qdev->vram_mgr->manager, NULL);
}

/* Does nothing where the kernel has no such controller. */
static int dmem_init(struct quire_device *qdev)
{
	struct ttm_resource_manager *man = &qdev->vram_mgr->manager;
	struct dmem_cgroup_init init = {
		.size = man->size,
		.ops = &dmem_ops,
		.reclaim_priv = man,
	};
	struct dmem_cgroup_region *region;

	region = quire_dmem_register_region(&init, "drm/%s/vram", qdev->drm.unique);
	if (IS_ERR_OR_NULL(region))
		return PTR_ERR_OR_ZERO(region);
	qdev->dmem = region;
	ttm_resource_manager_set_dmem_region(man, region);
	return devm_add_action_or_reset(qdev->drm.dev, dmem_fini, qdev);
}

/**
 * quire_ttm_init - start memory management
 * @qdev: the device; its queue works, its sizes are read
 *
 * It ends with the last reference of the DRM device.
 * Returns: 0, or -ENOMEM.
 */
int quire_ttm_init(struct quire_device *qdev)
{
	unsigned int alloc_flags = TTM_ALLOCATION_PROPAGATE_ENOSPC;
	struct drm_device *drm = &qdev->drm;
	int ret;

	quire_prime_init(qdev->shares);
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

	ret = quire_vram_mgr_init(qdev);
	if (ret)
		goto err_device;

	ret = ttm_range_man_init(&qdev->ttm, QUIRE_PL_APERTURE, true,
				 qdev->aperture_size >> PAGE_SHIFT);
	if (ret)
		goto err_vram;

	ret = drmm_add_action_or_reset(drm, quire_ttm_fini, NULL);
	return ret ?: dmem_init(qdev) ?: quire_shrinker_init(qdev);

err_vram:
	quire_vram_mgr_fini(qdev->vram_mgr);
err_device:
	ttm_device_fini(&qdev->ttm);
	return ret;
}

/**
 * quire_ttm_evict_all - evict everything from VRAM and the aperture
 * @qdev: the device; not inside of drm_dev_enter()
 *
 * Waits until all of it is in memory. Takes a turn, so that placements do not prolong it for ever.
 * Returns: 0; -ERESTARTSYS a signal came before the turn; -ENODEV; the first error of a move; or
 * an error of quire_mark_reach().
 */
int quire_ttm_evict_all(struct quire_device *qdev)
{
	/* That of TTM's moves, whose contexts are its own. */
	struct quire_batch *batch = &qdev->paging_queue->evictions;
	struct quire_position position = { };
	struct quire_validation validation = { .qdev = qdev, .position = &position };
	struct ttm_device *ttm = &qdev->ttm;
	int ret, idx;

	ret = quire_validation_begin_turn(&validation);
	if (ret)
		return ret;

	ret = -ENODEV;
	if (drm_dev_enter(&qdev->drm, &idx)) {
		quire_plug_begin(batch);
		ret = ttm_resource_manager_evict_all(ttm, ttm_manager_type(ttm, QUIRE_PL_VRAM)) ?:
		      ttm_resource_manager_evict_all(ttm, ttm_manager_type(ttm,
									   QUIRE_PL_APERTURE));
		quire_plug_end(batch);
		if (!ret && !quire_device_is_wedged(qdev)) {
			quire_discard_submit(qdev->discards, batch, false);
			ret = quire_mark_reach(qdev->mark, qdev->paging_queue);
		}
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

/**
 * quire_ttm_remove - take everything from the reach of the device
 * @qdev: the device; unplugged, its ring is killed: all fences signal, nothing is executed
 *
 * Objects stay, without place, pages, mapping or content; but what importers have pinned has them.
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
		/* TTM's wait for foreign fences ends after a while, and it allocates resources. */
		while ((ret = ttm_resource_manager_evict_all(ttm, man)) == -EBUSY || ret == -ENOMEM)
			schedule_timeout_uninterruptible(1);
		if (ret)
			drm_err(&qdev->drm, "can not take memory type %u down: %d\n",
				mem_types[i], ret);
	}
	while ((bo = quire_prime_take_pinned(qdev->shares))) {
		dma_resv_lock(bo->base.base.resv, NULL);
		quire_tt_unmap(ttm, bo->base.ttm);
		dma_resv_unlock(bo->base.base.resv);
		drm_gem_object_put(&bo->base.base);
	}
	quire_free_list_flush(qdev->free_list);
	flush_workqueue(ttm->wq);
	quire_import_remove(qdev);
}
