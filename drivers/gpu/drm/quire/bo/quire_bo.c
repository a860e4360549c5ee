// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Buffer objects
 *
 * An object starts in system memory without pages, and reads as zero. Programs place it; TTM
 * evicts it from VRAM to the aperture, and from the aperture to system memory, but only to
 * segments that it was created for. System memory is always one of these. Content that is marked
 * DONTNEED is dropped when its place in VRAM or its pages are wanted (quire_bo_evict.c,
 * quire_shrinker.c). The object is purged then: without content until WILLNEED, after which it
 * reads as zero. It is purged as well when a move of it failed on the device, or when it was in
 * VRAM while the device was given up: lost content is reported, and never replaced by what happens
 * to be in the pages.
 *
 * Locking: the reservation lock of the object. TTM's ghosts carry old places of our objects but
 * are none: callbacks of TTM check quire_bo_is_ours() first.
 *
 * Getting a place is in quire_bo_place.c, leaving it in quire_bo_evict.c and quire_bo_free.c, the
 * CPU's view in quire_bo_vm.c, what GEM calls in quire_gem.c.
 */
#include <linux/dma-buf.h>
#include <linux/dma-fence.h>
#include <linux/slab.h>

#include <drm/drm_utils.h>

#include "queue/quire_vram_types.h"
#include "quire_bo.h"
#include "quire_bo_layout.h"
#include "quire_offered.h"
#include "quire_range.h"
#include "quire_residency.h"
#include "quire_segment.h"
#include "quire_vram_mgr.h"
#include "quire_window.h"

/**
 * quire_bo_fini - free an object
 * @bo: the object, without references; TTM is done with it
 */
void quire_bo_fini(struct quire_bo *bo)
{
	quire_offered_forget(bo);
	quire_range_release(bo);
	quire_resident_destroy(quire_bo_device(bo)->residency, bo);
	drm_gem_object_release(&bo->base.base);
	if (bo->gpuvm)
		drm_gpuvm_put(bo->gpuvm);
	kfree(bo);
}

static void quire_bo_destroy(struct ttm_buffer_object *tbo)
{
	ttm_to_quire_bo(tbo)->kind->destroy(ttm_to_quire_bo(tbo));
}

/**
 * quire_bo_is_ours - tell a buffer object from a ghost of TTM
 * @tbo: either
 *
 * Returns: true if ttm_to_quire_bo() may be used.
 */
bool quire_bo_is_ours(const struct ttm_buffer_object *tbo)
{
	return tbo->destroy == quire_bo_destroy;
}

/**
 * quire_bo_aperture_place - say where in the aperture the object may be
 * @bo: the object
 * @place: returned
 *
 * Objects that are not for the window go to the end, out of the way of those that are.
 *
 * Returns: bytes of the place.
 */
u64 quire_bo_aperture_place(struct quire_bo *bo, struct ttm_place *place)
{
	struct quire_device *qdev = quire_bo_device(bo);
	bool window = quire_window_is_for(bo);
	u64 room = window ? qdev->window->size : qdev->aperture_size;

	*place = (struct ttm_place) {
		.mem_type = QUIRE_PL_APERTURE,
		.lpfn = room >> PAGE_SHIFT,
		.flags = window ? 0 : TTM_PL_FLAG_TOPDOWN,
	};
	return room;
}

/**
 * quire_bo_max_size - size of the largest object
 * @qdev: the device
 *
 * Returns: bytes; larger objects would only fit into system memory.
 */
u64 quire_bo_max_size(struct quire_device *qdev)
{
	return max(qdev->vram_mgr->manager.size, qdev->aperture_size);
}

/**
 * quire_bo_create - make a buffer object in system memory
 * @qdev: the device
 * @config: what it is made of
 * @kind: of our own, or imported
 * @dma_buf: of an imported object, reserved; else NULL
 *
 * Returns: the object with a reference of its GEM object, or an ERR_PTR: -ENOMEM; -ENOSPC all that
 * can be mapped of the device belongs to objects; -ERESTARTSYS.
 *
 * Source: &struct drm_quire_bo_create.
 */
struct quire_bo *quire_bo_create(struct quire_device *qdev, const struct quire_bo_config *config,
				 const struct quire_bo_kind *kind, struct dma_buf *dma_buf)
{
	struct ttm_placement placement = { .num_placement = 1, .placement = &quire_system_place };
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct dma_resv *resv = NULL; /* of the exporter or the address space, if it is shared */
	unsigned long tile_pages = 1;
	struct quire_bo *bo;
	int ret;

	bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);
	if (!bo)
		return ERR_PTR(-ENOMEM);

	ret = quire_resident_create(qdev->residency, bo);
	if (ret) {
		kfree(bo);
		return ERR_PTR(ret);
	}
	bo->kind = kind;
	bo->segments = config->segments;
	bo->flags = config->flags;
	bo->caching = config->caching;
	bo->allocation.size = config->size;
	bo->allocation.pitch_aligned_size = config->size;
	if (config->layout) {
		bo->allocation.layout = *config->layout;
		bo->allocation.pitch_aligned_size = quire_layout_tiled_size(config->layout);
		tile_pages = BIT(quire_layout_tile_shift(config->layout->kind)) >> PAGE_SHIFT;
	}
	INIT_LIST_HEAD(&bo->share_link);
	INIT_LIST_HEAD(&bo->offer_link);
	INIT_LIST_HEAD(&bo->apart);
	bo->base.priority = QUIRE_PRIORITY_NEEDED;
	drm_gem_private_object_init(&qdev->drm, &bo->base.base, config->size);
	bo->base.base.funcs = kind->funcs;
	if (config->gpuvm) {
		bo->gpuvm = drm_gpuvm_get(config->gpuvm);
		bo->bulk = config->bulk;
		resv = drm_gpuvm_resv(config->gpuvm);
	}
	if (dma_buf) {
		get_dma_buf(dma_buf);
		bo->dma_buf = dma_buf;
		resv = dma_buf->resv;
	}

	/* Calls quire_bo_destroy() if it fails. */
	ret = ttm_bo_init_reserved(&qdev->ttm, &bo->base, kind->type, &placement,
				   max(tile_pages, 1), &ctx, NULL, resv, quire_bo_destroy);
	if (!ret && !resv)
		ttm_bo_unreserve(&bo->base);
	return ret ? ERR_PTR(ret) : bo;
}

/**
 * quire_bo_change_content - note an event that concerns the content of an object
 * @bo: the object, reserved
 * @event: the event
 */
void quire_bo_change_content(struct quire_bo *bo, enum quire_bo_event event)
{
	/* by the present content: needed, offered, purged, lost */
	static const enum quire_bo_content next[][4] = {
		[QUIRE_BO_OFFER] = { QUIRE_BO_OFFERED, QUIRE_BO_OFFERED,
				     QUIRE_BO_PURGED, QUIRE_BO_PURGED },
		[QUIRE_BO_NEED] = { QUIRE_BO_NEEDED, QUIRE_BO_NEEDED,
				    QUIRE_BO_LOST, QUIRE_BO_LOST },
		[QUIRE_BO_DROP] = { QUIRE_BO_LOST, QUIRE_BO_PURGED,
				    QUIRE_BO_PURGED, QUIRE_BO_LOST },
		[QUIRE_BO_RENEW] = { QUIRE_BO_NEEDED, QUIRE_BO_OFFERED,
				     QUIRE_BO_OFFERED, QUIRE_BO_NEEDED },
	};

	WRITE_ONCE(bo->content, next[event][bo->content]);
}

/**
 * quire_bo_is_purged - is the content gone?
 * @bo: the object, reserved
 *
 * Also finds out if one of its moves failed; a move that is not over may still fail.
 *
 * Returns: true if the content is gone.
 */
bool quire_bo_is_purged(struct quire_bo *bo)
{
	dma_resv_assert_held(bo->base.base.resv);

	/* Pairs with the fence that the caller has found signalled: @lost was set before. */
	smp_rmb();
	if (READ_ONCE(bo->lost))
		quire_bo_change_content(bo, QUIRE_BO_DROP);
	return !quire_bo_has_content(bo);
}

/**
 * quire_bo_is_visible - can the CPU reach all of it where it is?
 * @bo: the object, reserved
 *
 * Returns: false if a part is in the invisible part of VRAM, or it is there in tiles and can have
 * no range.
 */
bool quire_bo_is_visible(struct quire_bo *bo)
{
	if (quire_bo_mem_type(&bo->base) != QUIRE_PL_VRAM)
		return true;
	if (quire_bo_is_tiled(bo))
		return quire_range_can_have(bo);
	return quire_vram_is_visible(bo->base.resource);
}

/**
 * quire_bo_validate - bring an object to one of some places
 * @bo: the object, reserved
 * @places: the best first
 * @count: number of @places
 * @ctx: how to wait
 *
 * Returns: 0; the errors of ttm_bo_validate(), then nothing has moved.
 */
int quire_bo_validate(struct quire_bo *bo, const struct ttm_place *places, unsigned int count,
		      struct ttm_operation_ctx *ctx)
{
	struct ttm_placement placement = { .num_placement = count, .placement = places };

	return ttm_bo_validate(&bo->base, &placement, ctx);
}

/**
 * quire_bo_wait - wait until all work queued for an object is done
 * @bo: the object, not reserved
 * @timeout_ns: absolute, CLOCK_MONOTONIC; 0 only asks
 *
 * Returns: 0; -ETIME it was not done in time; -ERESTARTSYS.
 *
 * Source: &struct drm_quire_bo_wait.
 */
int quire_bo_wait(struct quire_bo *bo, s64 timeout_ns)
{
	long ret = dma_resv_wait_timeout(bo->base.base.resv, DMA_RESV_USAGE_BOOKKEEP, true,
					 drm_timeout_abs_to_jiffies(timeout_ns));

	if (ret < 0)
		return ret;
	return ret ? 0 : -ETIME;
}
