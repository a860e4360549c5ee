// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Native fences
 *
 * A number in memory that commands of an address space let grow, without the driver. The device
 * interrupts only when it reaches the monitored value, which waiters write to the same page::
 *
 *     EXEC: SIGNAL_NATIVE --> device: number --> { owner, address, address }
 *                                                     |         |
 *     page of memory  [ current value | monitored value ] <-----+
 *              |                  ^           |
 *     mapping of the program      |           +-- reached: interrupt --> FENCE_WAIT looks
 *                                 +------------------------------------- FENCE_WAIT sleeps
 *
 * Unlike a monitored fence (quire_fence.c) it is an object that is private to its address space,
 * and moves as others do: to VRAM, where all of it is visible, to the aperture, and to system
 * memory, where the device can not reach it. The device is told of each move, in the same paging
 * buffer and order as of residency (quire_residency.c): a notice comes before anything else uses
 * the place. Work of the address space brings its fences back first; and no fence moves while
 * commands that could signal it are at work.
 *
 * The number is given away only after the device was told that the fence is nowhere.
 *
 * A handle, a mapping or a waiter may keep a fence longer than its address space. The device knows
 * the owner by a root, which another address space gets next: so the fence is nowhere before that.
 *
 * Locking: the reservation of the address space.
 *
 * Source: "Native GPU fence objects" of the original's documentation;
 * DXGK_BUILDPAGINGBUFFER_NOTIFYFENCERESIDENCY.
 */
/**
 * DOC: How many fences a file may create
 *
 * The device has a limited number of monitored and of native fences, for all programs. A file may
 * have a quarter of each. A fence counts until it is freed, which may be after its file.
 */
#include <linux/dma-resv.h>
#include <linux/kref.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "core/quire_file_types.h"
#include "core/quire_placement.h"
#include "core/quire_refuse.h"
#include "hw/quire_natives.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_free.h"
#include "bo/quire_bo_publish.h"
#include "bo/quire_bo_vm.h"
#include "bo/quire_handle.h"
#include "bo/quire_prime.h"
#include "bo/quire_residency.h"
#include "quire_native.h"
#include "quire_vm.h"
#include "quire_vm_place.h"

static const int most[] = {
	[QUIRE_FENCE_MONITORED] = QUIRE_FILE_FENCES,
	[QUIRE_FENCE_NATIVE] = QUIRE_FILE_NATIVE_FENCES,
};

/**
 * struct quire_fence_quota - what a file, and fences that it created, have
 * @ref: of the file and of each fence
 * @count: fences, by kind
 */
struct quire_fence_quota {
	struct kref ref;
	atomic_t count[ARRAY_SIZE(most)];
};

/**
 * quire_fence_quota_create - a file has no fences yet
 *
 * Returns: its quota, for quire_fence_quota_put(), or NULL: no memory.
 */
struct quire_fence_quota *quire_fence_quota_create(void)
{
	struct quire_fence_quota *quota = kzalloc(sizeof(*quota), GFP_KERNEL_ACCOUNT);

	if (quota)
		kref_init(&quota->ref);
	return quota;
}

static void quota_free(struct kref *ref)
{
	kfree(container_of(ref, struct quire_fence_quota, ref));
}

/**
 * quire_fence_quota_put - drop a reference
 * @quota: not the caller's any more; may be NULL
 */
void quire_fence_quota_put(struct quire_fence_quota *quota)
{
	if (quota)
		kref_put(&quota->ref, quota_free);
}

/**
 * quire_fence_quota_take - one more fence is created
 * @quota: of the file
 * @kind: of fence
 * Returns: true, then the fence has a reference, for quire_fence_quota_give(); false if the file
 * has as many as it may.
 */
bool quire_fence_quota_take(struct quire_fence_quota *quota, enum quire_fence_kind kind)
{
	if (!atomic_add_unless(&quota->count[kind], 1, most[kind]))
		return false;
	kref_get(&quota->ref);
	return true;
}

/**
 * quire_fence_quota_give - a fence is freed
 * @quota: after quire_fence_quota_take()
 * @kind: the same
 */
void quire_fence_quota_give(struct quire_fence_quota *quota, enum quire_fence_kind kind)
{
	atomic_dec(&quota->count[kind]);
	quire_fence_quota_put(quota);
}

static_assert(DRM_QUIRE_MAX_NATIVE_FENCES == QUIRE_NATIVE_FENCES);

static void native_free(struct drm_gem_object *obj)
{
	struct quire_bo *bo = gem_to_quire_bo(obj);

	quire_fence_quota_give(bo->native->quota, QUIRE_FENCE_NATIVE);
	kfree(bo->native);
	bo->native = NULL;
	quire_bo_free(obj);
}

/* Commands can name it from here on. */
static int native_open(struct drm_gem_object *obj, struct drm_file *file)
{
	struct quire_native *native = gem_to_quire_bo(obj)->native;
	struct quire_vm *vm = to_quire_vm(native->bo->gpuvm);

	dma_resv_lock(obj->resv, NULL);
	if (!native->handles++)
		list_add_tail(&native->link, &vm->natives);
	dma_resv_unlock(obj->resv);
	return quire_handle_open(obj, file);
}

static void native_close(struct drm_gem_object *obj, struct drm_file *file)
{
	struct quire_native *native = gem_to_quire_bo(obj)->native;

	quire_handle_close(obj, file);
	dma_resv_lock(obj->resv, NULL);
	if (!--native->handles)
		list_del_init(&native->link);
	dma_resv_unlock(obj->resv);
}

static const struct drm_gem_object_funcs native_funcs = {
	.free = native_free,
	.open = native_open,
	.close = native_close,
	.mmap = quire_bo_mmap,
	.vm_ops = &quire_bo_vm_ops,
	.export = quire_prime_export,
};

static const struct quire_bo_kind native_kind = {
	.type = ttm_bo_type_device,
	.funcs = &native_funcs,
	.destroy = quire_bo_fini,
};

/* Give a new fence, which has no pages yet, its values. */
static int native_write_first(struct quire_bo *bo, u64 value)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct ttm_bo_kmap_obj map;
	int ret;

	ret = quire_bo_validate(bo, &quire_system_place, 1, &ctx) ?:
	      ttm_bo_populate(&bo->base, &ctx) ?: ttm_bo_kmap(&bo->base, 0, 1, &map);
	if (ret)
		return ret;
	quire_native_write(&map, QUIRE_NATIVE_CURRENT, value);
	quire_native_write(&map, QUIRE_NATIVE_MONITORED, U64_MAX);
	ttm_bo_kunmap(&map);
	return 0;
}

/* The reservation is held. */
static struct quire_bo *native_create(struct quire_device *qdev, struct quire_vm *vm,
				      struct quire_fence_quota *quota)
{
	const struct quire_bo_config config = {
		.size = PAGE_SIZE,
		.segments = BIT(QUIRE_SEGMENT_SYSTEM) | BIT(QUIRE_SEGMENT_VRAM) |
			    BIT(QUIRE_SEGMENT_APERTURE),
		.caching = ttm_cached,
		.gpuvm = &vm->base,
		.bulk = &vm->bulk,
	};
	struct quire_native *native = kzalloc(sizeof(*native), GFP_KERNEL_ACCOUNT);
	struct quire_bo *bo;

	if (!native)
		return ERR_PTR(-ENOMEM);
	bo = quire_bo_create(qdev, &config, &native_kind, NULL);
	if (IS_ERR(bo)) {
		kfree(native);
		return bo;
	}
	vm->had_natives = true;
	native->bo = bo;
	native->quota = quota;
	INIT_LIST_HEAD(&native->link);
	spin_lock_init(&native->lock);
	INIT_LIST_HEAD(&native->waiters);
	bo->native = native;
	return bo;
}

static struct quire_bo *native_create_in_vm(struct quire_device *qdev, struct quire_vm *vm,
					    struct quire_fence_quota *quota, u64 value)
{
	struct dma_resv *resv = drm_gpuvm_resv(&vm->base);
	struct quire_bo *bo;
	int ret, number;

	if (!quire_fence_quota_take(quota, QUIRE_FENCE_NATIVE))
		return ERR_PTR(quire_refuse(&qdev->drm, -ENOSPC,
					    "fence: the file has %u native ones",
					    QUIRE_FILE_NATIVE_FENCES));
	ret = dma_resv_lock_interruptible(resv, NULL);
	if (ret) {
		quire_fence_quota_give(quota, QUIRE_FENCE_NATIVE);
		return ERR_PTR(ret);
	}
	bo = native_create(qdev, vm, quota);
	if (IS_ERR(bo)) {
		dma_resv_unlock(resv);
		quire_fence_quota_give(quota, QUIRE_FENCE_NATIVE);
		return bo;
	}
	number = ida_alloc_max(&qdev->residency->natives, QUIRE_NATIVE_FENCES - 1, GFP_KERNEL);
	if (number == -ENOSPC)
		quire_refuse(&qdev->drm, -ENOSPC, "fence: there are %u native ones",
			     QUIRE_NATIVE_FENCES);
	ret = min(number, 0);
	if (!ret) {
		quire_resident_be_fence(bo, number, quire_vm_root(vm));
		ret = native_write_first(bo, value);
	}
	if (!ret)
		quire_bo_publish(bo);
	dma_resv_unlock(resv);
	if (!ret)
		return bo;
	drm_gem_object_put(&bo->base.base);
	return ERR_PTR(ret);
}

/**
 * quire_native_create - %DRM_IOCTL_QUIRE_FENCE_CREATE of a native fence
 * @drm: the device, in use
 * @file: who asks
 * @args: its argument, with %DRM_QUIRE_FENCE_NATIVE
 * Returns: 0, or an error as documented there.
 */
int quire_native_create(struct drm_device *drm, struct drm_file *file,
			struct drm_quire_fence_create *args)
{
	struct quire_vm *vm = quire_vm_lookup(file, args->vm);
	struct quire_bo *bo;
	int ret;

	if (!vm)
		return quire_refuse(drm, -ENOENT, "fence: no VM %u", args->vm);
	bo = native_create_in_vm(to_quire_device(drm), vm, to_quire_file(file)->fences,
				 args->value);
	quire_vm_put(vm);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	args->number = quire_resident_fence(bo);
	ret = drm_gem_handle_create(file, &bo->base.base, &args->handle);
	if (ret == -ENOSPC)
		quire_refuse(drm, ret, "fence: the file has no handle left");
	drm_gem_object_put(&bo->base.base);
	return ret;
}

/**
 * quire_natives_validate - place all native fences of an address space, and tell the device
 * @validation: one that runs; its address space is reserved
 * Returns: 0; errors of quire_vm_place() and quire_residency_ensure().
 */
int quire_natives_validate(struct quire_vm_validation *validation)
{
	struct quire_native *native;
	int ret;

	list_for_each_entry(native, &validation->vm->natives, link) {
		ret = quire_vm_place(validation, native->bo) ?:
		      quire_residency_ensure(native->bo, &validation->base.batch);
		if (ret)
			return ret;
		native->bo->bound = true;
	}
	return 0;
}

/* Its values stay, for those who have it. */
static void native_forget(struct quire_bo *bo)
{
	struct ttm_operation_ctx ctx = { };
	int idx;

	dma_resv_lock(bo->base.base.resv, NULL);
	if (drm_dev_enter(&quire_bo_device(bo)->drm, &idx)) {
		/* Without memory it stays, but is told of before anything comes anywhere. */
		if (quire_bo_validate(bo, &quire_system_place, 1, &ctx))
			quire_resident_leave(bo);
		drm_dev_exit(idx);
	}
	dma_resv_unlock(bo->base.base.resv);
}

/**
 * quire_natives_forget - take all native fences of an address space from the device
 * @vm: the address space; nothing is executed in it any more, and its root is there yet
 *
 * Fences that are about to be freed are left out: the device is told of them before their place is
 * reused.
 */
void quire_natives_forget(struct quire_vm *vm)
{
	struct quire_residency *residency = vm->qdev->residency;
	unsigned long id = 0;
	struct quire_bo *bo;

	while (vm->had_natives && (bo = quire_resident_get(residency, &id))) {
		if (bo->gpuvm == &vm->base && quire_bo_is_native_fence(bo))
			native_forget(bo);
		drm_gem_object_put(&bo->base.base);
		id++;
		cond_resched();
	}
}
