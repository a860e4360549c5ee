// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * One try of a bind: steps 2 to 6 of quire_vm_bind.c.
 */
#include <linux/dma-resv.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "hw/quire_device_guard.h"
#include "bo/quire_bo.h"
#include "quire_vm.h"
#include "quire_vm_bind.h"
#include "quire_vm_validate.h"

static int reserve_object(struct quire_vm_bind *bind, struct drm_gem_object *obj)
{
	if (!obj || !drm_gpuvm_is_extobj(&bind->validation.vm->base, obj))
		return 0;
	return drm_exec_lock_obj(&bind->exec, obj);
}

/* An object that is bound now must not move before it is unbound. */
static int reserve_bound(struct quire_vm_bind *bind, u64 start, u64 size)
{
	struct drm_gpuvm *gpuvm = &bind->validation.vm->base;
	struct drm_gpuva *va;
	int ret;

	drm_gpuvm_for_each_va_range(va, gpuvm, start, start + size) {
		ret = reserve_object(bind, va->gem.obj);
		if (ret)
			return ret;
	}
	return 0;
}

static int reserve_all(struct quire_vm_bind *bind)
{
	struct quire_vm *vm = bind->validation.vm;
	int ret;
	u32 i;

	ret = drm_gpuvm_prepare_vm(&vm->base, &bind->exec, 0);
	if (!ret && !quire_vm_tables_are_whole(&vm->pages))
		ret = drm_gpuvm_prepare_objects(&vm->base, &bind->exec, 0);
	for (i = 0; i < bind->count && !ret; i++) {
		const struct drm_quire_bind *arg = &bind->binds[i];

		if (bind->objects[i])
			ret = reserve_object(bind, &bind->objects[i]->base.base);
		if (!ret && arg->operation == DRM_QUIRE_BIND_COPY)
			ret = reserve_bound(bind, arg->offset, arg->size);
		ret = ret ?: reserve_bound(bind, arg->address, arg->size);
	}
	return ret;
}

/* Nothing can be executed with such an object bound: no command could find it. */
static bool is_unusable(const struct quire_vm_validation *validation, int error)
{
	return error == -ENODATA || (error == -EBUSY && !validation->base.busy) ||
	       (error == -ENOSPC && validation->base.mode == QUIRE_VALIDATION_ALONE);
}

/* Bring back evicted objects of a range; @optional: but those that can not be used anyway. */
static int place_range(struct quire_vm_bind *bind, u64 start, u64 size, bool optional)
{
	struct quire_vm_validation *validation = &bind->validation;
	struct drm_gpuva *va;
	int ret;

	drm_gpuvm_for_each_va_range(va, &validation->vm->base, start, start + size) {
		if (!va->vm_bo || !va->vm_bo->evicted)
			continue;
		ret = quire_vm_validate_object(validation, gem_to_quire_bo(va->gem.obj));
		if (ret && !(optional && is_unusable(validation, ret)))
			return ret;
	}
	return 0;
}

static int place_bind(struct quire_vm_bind *bind, u32 i)
{
	const struct drm_quire_bind *arg = &bind->binds[i];
	struct quire_vm_validation *validation = &bind->validation;
	int ret = 0;

	bind->refused = i;
	/*
	 * A bind that may have to wait: until it is done commands find what was bound before, which
	 * can not be brought back any more once it is unbound.
	 */
	if (bind->syncs.count)
		ret = place_range(bind, arg->address, arg->size, true);
	/*
	 * Entries of an evicted object would be written at both places when it is brought back,
	 * which may be before the copy: so the source has its entries first.
	 */
	if (!ret && arg->operation == DRM_QUIRE_BIND_COPY)
		ret = place_range(bind, arg->offset, arg->size, false);
	if (!ret && bind->objects[i])
		ret = quire_vm_validate_object(validation, bind->objects[i]);
	if (!ret && arg->operation != DRM_QUIRE_BIND_UNMAP)
		ret = quire_vm_tables_ensure(&validation->vm->pages, arg->address,
					     arg->address + arg->size, validation);
	return ret;
}

/* All that is mapped has a place, and all that is bound has tables. */
static int place_all(struct quire_vm_bind *bind)
{
	struct quire_vm *vm = bind->validation.vm;
	int ret = 0;
	u32 i;

	bind->refused = bind->count;
	if (!quire_vm_tables_are_whole(&vm->pages))
		ret = quire_vm_complete(&bind->validation);
	for (i = 0; i < bind->count && !ret; i++)
		ret = place_bind(bind, i);
	if (!ret)
		bind->refused = bind->count;
	return ret;
}

/* Where nothing was bound there is nothing to forget. */
static bool replaces(struct quire_vm_bind *bind)
{
	struct drm_gpuvm *gpuvm = &bind->validation.vm->base;
	u64 end = 0;
	u32 i;

	for (i = 0; i < bind->count; i++) {
		const struct drm_quire_bind *arg = &bind->binds[i];

		if (arg->address < end ||
		    !drm_gpuvm_interval_empty(gpuvm, arg->address, arg->size))
			return true;
		end = arg->address + arg->size;
	}
	return false;
}

/* All packets, in jobs that are not pushed. */
static int describe_all(struct quire_vm_bind *bind)
{
	struct quire_vm_tables *tables = &bind->validation.vm->pages;
	int ret;
	u32 i;

	mutex_lock(&tables->lock);
	ret = quire_vm_write_before(tables, &bind->validation.base.batch, bind->binds,
				    bind->count);
	for (i = 0; i < bind->count && !ret; i++) {
		const struct drm_quire_bind *arg = &bind->binds[i];
		const struct quire_vm_range range = {
			.start = arg->address,
			.end = arg->address + arg->size,
			.bo = bind->objects[i],
			.offset = arg->offset,
			.bits = quire_vm_bind_bits(arg),
		};

		if (arg->operation == DRM_QUIRE_BIND_COPY)
			ret = quire_vm_copy_entries(tables, &bind->list, arg->offset,
						    arg->address, arg->size);
		else
			ret = quire_vm_write_range(tables, &bind->list.list, &range, 0);
	}
	if (!ret && replaces(bind))
		ret = quire_vm_add_flush(&bind->list.list, tables->root, bind->start, bind->end);
	mutex_unlock(&tables->lock);
	return ret ?: quire_bind_list_close(&bind->list);
}

static int obtain_objects(struct quire_vm_bind *bind)
{
	struct drm_gpuvm *gpuvm = &bind->validation.vm->base;
	struct drm_gpuvm_bo *vm_bo;
	u32 i;

	for (i = 0; i < bind->count; i++) {
		if (!bind->objects[i])
			continue;
		vm_bo = drm_gpuvm_bo_obtain_locked(gpuvm, &bind->objects[i]->base.base);
		if (IS_ERR(vm_bo))
			return PTR_ERR(vm_bo);
		drm_gpuvm_bo_extobj_add(vm_bo);
		quire_bulk_add(bind->objects[i]);
		bind->vm_bos[i] = vm_bo;
	}
	return 0;
}

static int add_dependencies(struct quire_vm_bind *bind)
{
	struct drm_sched_job *job = quire_bind_list_first(&bind->list);
	struct quire_vm *vm = bind->validation.vm;
	struct drm_gem_object *obj;
	int ret;
	u32 i;

	ret = drm_sched_job_add_dependency(job, quire_vm_tables_written(&vm->pages)) ?:
	      quire_bind_list_follow(&bind->list, bind->start, bind->end);
	for (i = 0; i < bind->syncs.count && !ret; i++)
		ret = drm_sched_job_add_dependency(job, dma_fence_get(bind->syncs.items[i].fence));
	drm_exec_for_each_locked_object(&bind->exec, obj)
		if (!ret)
			ret = drm_sched_job_add_resv_dependencies(job, obj->resv,
								  DMA_RESV_USAGE_KERNEL) ?:
			      dma_resv_reserve_fences(obj->resv, 1);
	return ret;
}

/* Everything is reserved and in its place. */
static int commit(struct quire_vm_bind *bind)
{
	struct drm_gem_object *obj;
	int ret;
	u32 i;

	quire_bind_list_init(&bind->list, bind->validation.vm, bind->queue, bind->list.charge);
	ret = quire_vm_copy_prepare(bind) ?: obtain_objects(bind) ?: describe_all(bind) ?:
	      add_dependencies(bind);
	if (ret) {
		quire_bind_list_drop(&bind->list);
	} else {
		quire_vm_change(bind);
		bind->fence = quire_bind_list_push(&bind->list, bind->start, bind->end);
		drm_exec_for_each_locked_object(&bind->exec, obj)
			dma_resv_add_fence(obj->resv, bind->fence, DMA_RESV_USAGE_BOOKKEEP);
	}
	for (i = 0; i < bind->count; i++) {
		if (!ret && bind->objects[i])
			bind->objects[i]->bound = true;
		drm_gpuvm_bo_put(bind->vm_bos[i]);
		bind->vm_bos[i] = NULL;
	}
	return ret;
}

/**
 * quire_vm_bind_try - &quire_validation.try of a bind
 * @base: of a struct quire_vm_bind, with all that can be had without reservations
 * Returns: 0, then it is pushed; or an error as of &struct drm_quire_vm_bind, then nothing is bound
 * that was not before.
 */
int quire_vm_bind_try(struct quire_validation *base)
{
	struct quire_vm_bind *bind = container_of(base, struct quire_vm_bind, validation.base);
	int ret;

	CLASS(quire_device, device)(&base->qdev->drm);
	if (device < 0)
		return device;
	guard(quire_plug)(&base->batch);
	drm_exec_init(&bind->exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES, 0);
	drm_exec_until_all_locked(&bind->exec) {
		ret = reserve_all(bind);
		drm_exec_retry_on_contention(&bind->exec);
		ret = ret ?: place_all(bind);
		if (ret)
			break;
	}
	ret = ret ?: commit(bind);
	drm_exec_fini(&bind->exec);
	return ret;
}
