// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Buffer objects
 *
 * An object starts in system memory without pages, and reads as zero. Programs place it; TTM evicts
 * it from VRAM to the aperture, and from there to system memory, but only to segments that it was
 * created for, and system memory. DONTNEED lets its content be dropped when its place in VRAM or
 * its pages are wanted. Then it is purged: without content until WILLNEED, after which it reads as
 * zero. It is purged as well when a move of it failed on the device, or when it was in VRAM while
 * the device was given up: lost content is reported, never replaced by what happens to be there.
 *
 * Locking: the reservation; inside of it &quire_shrinker.lock for the list of offered objects.
 * TTM's ghosts are none of ours: its callbacks check quire_bo_is_ours() first.
 */

/**
 * DOC: Freeing objects
 *
 * An object with a place in VRAM or the aperture is freed with work for the device, for which
 * close(), munmap() and exit must not wait: a work item does it. In TTM's own queue an object that
 * commands use would take a place until they are done. TTM may evict a listed object without its
 * content, unless the evictor holds the reservation that it shares: then the evictor waits until
 * the work item has freed it, which gives it one of its own.
 *
 * A listed object may have given its place away, and a program that creates and closes in a loop
 * would fill the memory: creation waits while all of them are larger than a full segment.
 */
#include <linux/dma-buf.h>
#include <linux/slab.h>

#include <drm/drm_utils.h>

#include "core/quire_compat.h"
#include "queue/quire_vram_types.h"
#include "quire_bo.h"
#include "quire_bo_layout.h"
#include "quire_range.h"
#include "quire_residency.h"
#include "quire_segment.h"
#include "quire_shrinker.h"
#include "quire_vram_mgr.h"
#include "quire_window.h"

/* Of no object: TTM only compares &ttm_operation_ctx.resv with the reservations of victims. */
struct dma_resv quire_ctx_mark;

static void offered_list(struct quire_bo *bo, bool listed)
{
	struct quire_shrinker *shrinker = quire_bo_device(bo)->shrinker;
	unsigned long pages = bo->base.base.size >> PAGE_SHIFT;

	if (listed != list_empty_careful(&bo->offer_link))
		return;
	spin_lock(&shrinker->lock);
	if (listed == list_empty(&bo->offer_link)) {
		if (listed)
			list_add_tail(&bo->offer_link, &shrinker->objects);
		else
			list_del_init(&bo->offer_link);
		shrinker->nr_objects += listed ? 1 : -1;
		shrinker->pages += listed ? pages : -pages;
	}
	spin_unlock(&shrinker->lock);
}

/**
 * quire_offered_update - list or unlist an object
 * @bo: the object, reserved; behind all changes of what quire_bo_is_offered() says
 */
void quire_offered_update(struct quire_bo *bo)
{
	dma_resv_assert_held(bo->base.base.resv);
	offered_list(bo, quire_bo_is_offered(bo));
}

/**
 * quire_offered_take - get the next offered object
 * @shrinker: has the list
 *
 * Returns: the object, with a reference and reserved, to be given to quire_offered_put(); NULL if
 * that is not to be had without waiting.
 */
struct quire_bo *quire_offered_take(struct quire_shrinker *shrinker)
{
	struct quire_bo *bo;

	spin_lock(&shrinker->lock);
	bo = list_first_entry_or_null(&shrinker->objects, struct quire_bo, offer_link);
	if (bo) {
		list_move_tail(&bo->offer_link, &shrinker->objects);
		if (!kref_get_unless_zero(&bo->base.base.refcount))
			bo = NULL;
	}
	spin_unlock(&shrinker->lock);

	if (bo && !dma_resv_trylock(bo->base.base.resv)) {
		drm_gem_object_put(&bo->base.base);
		bo = NULL;
	}
	return bo;
}

/**
 * quire_bo_fini - free an object
 * @bo: the object, without references; TTM is done with it
 */
void quire_bo_fini(struct quire_bo *bo)
{
	offered_list(bo, false);
	quire_range_release(bo);
	quire_resident_drop(quire_bo_device(bo)->residency, bo->resident, false);
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
 * @place: returned; at the end of it, if the object is not for the window
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
 * Returns: bytes, so that it fits into VRAM or the aperture.
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
 * Returns: the object, or an ERR_PTR: -ENOMEM; -ENOSPC all that can be mapped of the device belongs
 * to objects; -ERESTARTSYS.
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
 * quire_bo_publish - let readers without the lock know where an object is
 * @bo: the object, reserved
 *
 * Every move does this; readers that can lock the object do it between moves. So it is right when
 * the object is idle, and says the old place during a move.
 */
void quire_bo_publish(struct quire_bo *bo)
{
	u32 mem_type = quire_bo_mem_type(&bo->base);
	u32 status = 0;

	dma_resv_assert_held(bo->base.base.resv);

	if (mem_type == QUIRE_PL_VRAM || (bo->base.ttm && ttm_tt_is_populated(bo->base.ttm)))
		status |= DRM_GEM_OBJECT_RESIDENT;
	if (mem_type == QUIRE_PL_VRAM ? quire_bo_is_unneeded(bo) : quire_bo_is_offered(bo))
		status |= DRM_GEM_OBJECT_PURGEABLE;
	WRITE_ONCE(bo->published,
		   FIELD_PREP(QUIRE_PUBLISHED_SEGMENT, quire_segment_instance(mem_type)) |
		   FIELD_PREP(QUIRE_PUBLISHED_STATUS, status) |
		   FIELD_PREP(QUIRE_PUBLISHED_VIEW, !!bo->view));
	quire_budget_moved(bo, quire_segment_instance(mem_type));
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
 * Returns: true if so; false also during a move that may still fail.
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
 * Returns: true; false in invisible VRAM, or in tiles that can have no range.
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
 * quire_bo_wait - wait until all work queued for an object is done
 * @bo: the object, not reserved
 * @timeout_ns: absolute, CLOCK_MONOTONIC; 0 only asks
 *
 * Returns: 0; -ETIME it was not done in time; -ERESTARTSYS.
 */
int quire_bo_wait(struct quire_bo *bo, s64 timeout_ns)
{
	long ret = dma_resv_wait_timeout(bo->base.base.resv, DMA_RESV_USAGE_BOOKKEEP, true,
					 drm_timeout_abs_to_jiffies(timeout_ns));

	return ret > 0 ? 0 : ret ?: -ETIME;
}

static void free_list_work(struct work_struct *work)
{
	struct quire_free_list *list = container_of(work, struct quire_free_list, work);
	struct llist_node *dead = llist_reverse_order(llist_del_all(&list->objects));
	struct quire_bo *bo, *next;

	llist_for_each_entry_safe(bo, next, dead, free_link) {
		u64 size = bo->base.base.size;

		ttm_bo_fini(&bo->base);
		atomic64_sub(size, &list->bytes);
		atomic64_inc(&list->freed);
		if (wq_has_sleeper(&list->less))
			wake_up(&list->less);
		cond_resched();
	}
}

/**
 * quire_free_list_init - make an empty list
 * @list: zero; ends with quire_free_list_flush()
 */
void quire_free_list_init(struct quire_free_list *list)
{
	init_llist_head(&list->objects);
	init_waitqueue_head(&list->less);
	INIT_WORK(&list->work, free_list_work);
}

/**
 * quire_free_list_wait_freed - wait for quire_free_list_is_freed()
 * @list: the list
 * @died: from quire_free_list_died()
 * @interruptible: a signal ends it
 * @timeout: jiffies, at most
 *
 * Returns: jiffies that are left, at least 1; 0 it took too long; -ERESTARTSYS.
 */
long quire_free_list_wait_freed(struct quire_free_list *list, u64 died, bool interruptible,
				long timeout)
{
	if (interruptible)
		return wait_event_interruptible_timeout(list->less,
							quire_free_list_is_freed(list, died),
							timeout);
	return wait_event_timeout(list->less, quire_free_list_is_freed(list, died), timeout);
}

/**
 * quire_bo_free_later - &drm_gem_object_funcs.free of objects that a scheduler's work frees
 * @obj: the object, without references; it is not waited for, wherever it is
 */
void quire_bo_free_later(struct drm_gem_object *obj)
{
	struct quire_bo *bo = gem_to_quire_bo(obj);
	struct quire_free_list *list = quire_bo_device(bo)->free_list;

	WRITE_ONCE(bo->dead, true);
	atomic64_add(obj->size, &list->bytes);
	atomic64_inc(&list->died);
	if (llist_add(&bo->free_link, &list->objects))
		queue_work(system_long_wq, &list->work);
}

/**
 * quire_bo_free - &drm_gem_object_funcs.free
 * @obj: the object, without references; in system memory it stays there
 *
 * Memory reclaim comes here (quire_shrinker.c), and must not wait for the lock of the ranges, under
 * which pages are allocated: images are listed, too.
 */
void quire_bo_free(struct drm_gem_object *obj)
{
	struct quire_bo *bo = gem_to_quire_bo(obj);

	if (quire_bo_published_segment(bo) == QUIRE_SEGMENT_SYSTEM && !quire_bo_is_tiled(bo))
		ttm_bo_fini(&bo->base);
	else
		quire_bo_free_later(obj);
}
