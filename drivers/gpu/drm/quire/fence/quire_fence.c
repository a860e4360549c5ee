// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Monitored fences
 *
 * A number in memory that only grows. It is in a page of its own, which the paging ring writes
 * and everybody reads::
 *
 *     FENCE_SIGNAL --> job of its entity --> paging ring: SIGNAL_MONITORED --+
 *                                                                            v
 *     mapping of the program, read-only  <---------------------------  page of memory
 *     address spaces, read-only: WAIT_VALUE of commands  <---------------    |
 *     FENCE_WAIT  <--- interrupt  <------------------------------------------+
 *
 * The page belongs to a buffer object that is pinned in system memory as long as it lives: it is
 * mapped, bound and counted as others are, and never moves. The paging ring reaches it by an entry
 * of the paging address space (quire_paging_space.c), at an address that stays the fence's own:
 * jobs keep the object, so none of them is left when the entry goes. Each signal flushes the
 * address before it writes the value, in the same paging buffer, so that none writes to the page of
 * a fence that had the address before.
 *
 * A reset of the device leaves the values alone; signals that were queued are executed after it, in
 * the same order.
 *
 * Locking: &quire_fences.lock for what the device knows, taken when the last reference goes, with
 * any reservation held; &quire_fence.lock for the order of signals.
 *
 * Source: "Monitored fences" of the original's documentation; D3DDDI_MONITORED_FENCE.
 */
#include <linux/dma-resv.h>
#include <linux/dmapool.h>
#include <linux/slab.h>

#include <drm/drm_print.h>
#include <uapi/drm/quire_drm.h>

#include <quire/quire_hw.h>

#include "core/quire_compat.h"
#include "core/quire_file_types.h"
#include "core/quire_placement.h"
#include "core/quire_refuse.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_space.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_free.h"
#include "bo/quire_bo_publish.h"
#include "bo/quire_bo_vm.h"
#include "bo/quire_prime.h"
#include "bo/quire_tt.h"
#include "vm/quire_native.h"
#include "quire_fence.h"

static_assert(DRM_QUIRE_MAX_FENCES == QUIRE_PAGING_FENCES);

/* Nothing of it is queued any more, or the device goes. @lock of all is held. */
static void fence_fini_device(struct quire_fence *fence)
{
	struct quire_device *qdev = fence->qdev;

	lockdep_assert_held(&qdev->fences->lock);

	if (list_empty(&fence->link))
		return;
	list_del_init(&fence->link);
	drm_sched_entity_fini(&fence->entity);
	quire_paging_space_unmap_fence(&qdev->paging_queue->space, fence->slot);
	ida_free(&qdev->fences->slots, fence->slot);
}

static void fence_free(struct drm_gem_object *obj)
{
	struct quire_fence *fence = gem_to_quire_bo(obj)->fence;
	struct quire_fences *fences = fence->qdev->fences;
	struct dma_resv *resv = fence->bo->base.base.resv;

	mutex_lock(&fences->lock);
	fence_fini_device(fence);
	mutex_unlock(&fences->lock);
	if (fence->value) {
		ttm_bo_kunmap(&fence->map);
		/* No reference is left, and TTM's LRU walks skip pinned objects. */
		if (!drm_WARN_ON(&fence->qdev->drm, !dma_resv_trylock(resv))) {
			ttm_bo_unpin(&fence->bo->base);
			dma_resv_unlock(resv);
		}
	}
	mutex_destroy(&fence->lock);
	fence->bo->fence = NULL;
	quire_fence_quota_give(fence->quota, QUIRE_FENCE_MONITORED);
	kfree(fence);
	quire_bo_free(obj);
}

static const struct drm_gem_object_funcs fence_funcs = {
	.free = fence_free,
	.mmap = quire_bo_mmap,
	.vm_ops = &quire_bo_vm_ops,
	.export = quire_prime_export,
};

static const struct quire_bo_kind fence_kind = {
	.type = ttm_bo_type_device,
	.funcs = &fence_funcs,
	.destroy = quire_bo_fini,
};

/* A page that stays where it is. Nobody knows of the object yet. */
static int fence_pin(struct quire_fence *fence, u64 value)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct quire_bo *bo = fence->bo;
	bool is_iomem;
	int ret;

	ret = ttm_bo_reserve(&bo->base, true, false, NULL);
	if (ret)
		return ret;
	ret = quire_bo_validate(bo, &quire_system_place, 1, &ctx) ?:
	      ttm_bo_populate(&bo->base, &ctx) ?: ttm_bo_kmap(&bo->base, 0, 1, &fence->map);
	if (!ret) {
		__le64 *first = ttm_kmap_obj_virtual(&fence->map, &is_iomem);

		*first = cpu_to_le64(value);
		fence->value = first;
		ttm_bo_pin(&bo->base);
		quire_bo_publish(bo);
	}
	ttm_bo_unreserve(&bo->base);
	return ret;
}

/* Known to the device from here on. */
static int fence_init_device(struct quire_fence *fence)
{
	struct quire_paging_queue *queue = fence->qdev->paging_queue;
	struct quire_fences *fences = fence->qdev->fences;
	struct drm_gpu_scheduler *sched = &queue->sched;
	int ret, slot;

	slot = ida_alloc_max(&fences->slots, DRM_QUIRE_MAX_FENCES - 1, GFP_KERNEL);
	if (slot == -ENOSPC)
		return quire_refuse(&fence->qdev->drm, -ENOSPC, "fence: there are %u",
				    DRM_QUIRE_MAX_FENCES);
	if (slot < 0)
		return slot;
	fence->slot = slot;
	ret = drm_sched_entity_init(&fence->entity, DRM_SCHED_PRIORITY_KERNEL, &sched, 1, NULL);
	if (ret) {
		ida_free(&fences->slots, slot);
		return ret;
	}
	quire_paging_space_map_fence(&queue->space, slot, fence->bo->base.ttm->dma_address[0]);
	mutex_lock(&fences->lock);
	list_add_tail(&fence->link, &fences->list);
	mutex_unlock(&fences->lock);
	return 0;
}

static struct quire_fence *fence_alloc(struct quire_device *qdev,
				       struct quire_fence_quota *quota, u64 value)
{
	const struct quire_bo_config config = {
		.size = PAGE_SIZE,
		.segments = BIT(QUIRE_SEGMENT_SYSTEM),
		.caching = ttm_cached,
	};
	struct quire_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);
	struct quire_bo *bo;

	if (!fence)
		return ERR_PTR(-ENOMEM);
	bo = quire_bo_create(qdev, &config, &fence_kind, NULL);
	if (IS_ERR(bo)) {
		kfree(fence);
		return ERR_CAST(bo);
	}
	fence->qdev = qdev;
	fence->bo = bo;
	fence->quota = quota;
	fence->context = dma_fence_context_alloc(1);
	fence->requested = value;
	INIT_LIST_HEAD(&fence->link);
	mutex_init(&fence->lock);
	bo->fence = fence;
	return fence;
}

static int create_monitored(struct drm_device *drm, struct drm_file *file,
			    struct drm_quire_fence_create *args)
{
	struct quire_fence_quota *quota = to_quire_file(file)->fences;
	struct quire_fence *fence;
	int ret;

	if (!quire_fence_quota_take(quota, QUIRE_FENCE_MONITORED))
		return quire_refuse(drm, -ENOSPC, "fence: the file has %u", QUIRE_FILE_FENCES);
	fence = fence_alloc(to_quire_device(drm), quota, args->value);
	if (IS_ERR(fence)) {
		quire_fence_quota_give(quota, QUIRE_FENCE_MONITORED);
		return PTR_ERR(fence);
	}
	ret = fence_pin(fence, args->value) ?: fence_init_device(fence);
	if (!ret) {
		ret = drm_gem_handle_create(file, &fence->bo->base.base, &args->handle);
		if (ret == -ENOSPC)
			quire_refuse(drm, ret, "fence: the file has no handle left");
	}
	quire_fence_put(fence);
	return ret;
}

/**
 * quire_fence_create_ioctl - %DRM_IOCTL_QUIRE_FENCE_CREATE
 * @drm: the device
 * @data: &struct drm_quire_fence_create
 * @file: who asks
 * Returns: 0, or an error as documented there.
 */
int quire_fence_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_fence_create *args = data;

	if (args->flags & ~DRM_QUIRE_FENCE_NATIVE)
		return quire_refuse(drm, -EINVAL, "fence: flags %#x", args->flags);
	if (args->vm && !args->flags)
		return quire_refuse(drm, -EINVAL, "fence: a monitored one of VM %u", args->vm);
	CLASS(quire_device, device)(drm);
	if (device < 0)
		return device;
	if (args->flags & DRM_QUIRE_FENCE_NATIVE)
		return quire_native_create(drm, file, args);
	return create_monitored(drm, file, args);
}

/**
 * quire_fence_lookup - find a fence
 * @drm: the device
 * @file: whose it is
 * @handle: of its object
 * @native: it may be a native one
 * Returns: its object, with a reference; or -ENOENT; -EMEDIUMTYPE it is no fence; -EOPNOTSUPP it is
 * a native one.
 */
struct quire_bo *quire_fence_lookup(struct drm_device *drm, struct drm_file *file, u32 handle,
				    bool native)
{
	struct drm_gem_object *obj = drm_gem_object_lookup(file, handle);
	struct quire_bo *bo;

	if (!obj)
		return ERR_PTR(quire_refuse(drm, -ENOENT, "no object %u", handle));
	bo = gem_to_quire_bo(obj);
	if (quire_bo_is_fence(bo) || (native && quire_bo_is_native_fence(bo)))
		return bo;
	native = quire_bo_is_native_fence(bo);
	drm_gem_object_put(obj);
	if (native)
		return ERR_PTR(quire_refuse(drm, -EOPNOTSUPP,
					    "object %u is a native fence, which commands signal",
					    handle));
	return ERR_PTR(quire_refuse(drm, -EMEDIUMTYPE, "object %u is no fence", handle));
}

/**
 * quire_fence_put - drop a reference
 * @fence: not the caller's any more
 */
void quire_fence_put(struct quire_fence *fence)
{
	drm_gem_object_put(&fence->bo->base.base);
}

/**
 * quire_fence_value - read the value from memory
 * @fence: the fence
 * Returns: the number; later reads see what was written before it.
 */
u64 quire_fence_value(const struct quire_fence *fence)
{
	u64 value = le64_to_cpu(READ_ONCE(*fence->value));

	dma_rmb();
	return value;
}

/**
 * quire_fences_init - there are none
 * @qdev: the device; its rings are initialised
 * Returns: 0, or -ENOMEM.
 */
int quire_fences_init(struct quire_device *qdev)
{
	struct quire_fences *fences = qdev->fences;

	mutex_init(&fences->lock);
	INIT_LIST_HEAD(&fences->list);
	ida_init(&fences->slots);
	init_waitqueue_head(&fences->wait);
	fences->packets = dmam_pool_create("quire-fences", qdev->drm.dev, QUIRE_PAGING_BUFFER_MIN,
					   QUIRE_PAGING_BUFFER_MIN, 0);
	return fences->packets ? 0 : -ENOMEM;
}

/**
 * quire_fences_fini - the device goes
 * @qdev: the device; executes nothing any more, and nobody creates fences or queues signals
 *
 * Programs may keep fences, with the values that they have. Their pages are pinned, so that they
 * are taken out of reach of the device without a reservation.
 */
void quire_fences_fini(struct quire_device *qdev)
{
	struct quire_fences *fences = qdev->fences;
	struct quire_fence *fence, *next;

	mutex_lock(&fences->lock);
	list_for_each_entry_safe(fence, next, &fences->list, link) {
		fence_fini_device(fence);
		quire_tt_unmap(&qdev->ttm, fence->bo->base.ttm);
	}
	mutex_unlock(&fences->lock);
}
