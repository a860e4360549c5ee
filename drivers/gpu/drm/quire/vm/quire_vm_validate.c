// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Eviction of what is bound
 *
 * An object that leaves VRAM or the aperture, or moves there, takes its entries with it: they
 * become invalid before its place is reused (NotifyEviction of the original), and the object is
 * noted as evicted in each address space where it is bound. No work uses it then: all work of an
 * address space leaves a fence with each of its objects, and a move waits for these.
 *
 * The next submission or bind brings evicted objects back first, and has their entries written. So
 * nothing is executed with stale entries, also where there was no memory to make them invalid.
 * Dropped page tables are made anew in the same way (quire_vm_table.c).
 *
 * Locking: the reservation of an object; to bring back, those of the address space and of all
 * objects that are bound there and not private to it.
 *
 * Source: drm_gpuvm_validate(); DXGK_UPDATEPAGETABLEFLAGS, NotifyEviction.
 */

#include "bo/quire_bo.h"
#include "quire_native.h"
#include "quire_vm.h"
#include "quire_vm_place.h"
#include "quire_vm_validate.h"

static int ensure_tables(struct quire_vm_validation *validation, struct drm_gpuva *va)
{
	return quire_vm_tables_ensure(&validation->vm->pages, va->va.addr,
				      va->va.addr + va->va.range, validation);
}

/**
 * quire_vm_bo_validate - &drm_gpuvm_ops.vm_bo_validate
 * @vm_bo: an object that may have been evicted, reserved
 * @exec: what is reserved
 * Returns: 0, then it is not evicted any more; errors of quire_vm_place(), and of
 * quire_vm_tables_ensure().
 */
int quire_vm_bo_validate(struct drm_gpuvm_bo *vm_bo, struct drm_exec *exec)
{
	struct quire_vm *vm = to_quire_vm(vm_bo->vm);
	struct quire_bo *bo = gem_to_quire_bo(vm_bo->obj);
	struct quire_batch *batch;
	struct drm_gpuva *va;
	int ret;

	if (!vm_bo->evicted)
		return 0;
	ret = quire_vm_place(vm->validation, bo);
	if (ret) {
		/* The first of its addresses tells the program which object it is. */
		drm_gpuvm_bo_for_each_va(va, vm_bo) {
			vm->validation->refused = va->va.addr;
			break;
		}
		return ret;
	}
	drm_gpuvm_bo_for_each_va(va, vm_bo)
		if (!ret)
			ret = ensure_tables(vm->validation, va);
	if (ret)
		return ret;
	batch = &vm->validation->base.batch;
	mutex_lock(&vm->pages.lock);
	ret = quire_vm_write_object(&vm->pages, batch, vm_bo, true);
	/* It stays evicted: the entries written before there was no memory must not be used. */
	if (ret && quire_vm_write_object(&vm->pages, batch, vm_bo, false))
		vm->pages.unflushed = true;
	mutex_unlock(&vm->pages.lock);
	if (ret)
		return ret;
	bo->bound = true;
	vm_bo->evicted = false;
	return 0;
}

static int renew_if_lost(struct quire_vm_validation *validation)
{
	struct quire_vm_tables *tables = &validation->vm->pages;
	int ret = 0;

	mutex_lock(&tables->lock);
	if (tables->lost || READ_ONCE(tables->failed))
		ret = quire_vm_renew_tables(tables, &validation->base.batch);
	mutex_unlock(&tables->lock);
	return ret;
}

static int complete_tables(struct quire_vm_validation *validation)
{
	struct drm_gpuvm *gpuvm = &validation->vm->base;
	struct quire_vm_tables *tables = &validation->vm->pages;
	struct drm_gpuva *va;
	int ret = 0;

	drm_gpuvm_for_each_va(va, gpuvm)
		if (!ret)
			ret = ensure_tables(validation, va);
	if (ret)
		return ret;
	mutex_lock(&tables->lock);
	ret = quire_vm_write_all(tables, &validation->base.batch);
	if (!ret)
		tables->incomplete = false;
	mutex_unlock(&tables->lock);
	return ret;
}

/**
 * quire_vm_validate - place all that is bound, have its entries written, tell of native fences
 * @validation: one that runs
 * @exec: has reserved the address space, and all objects that are bound there
 *
 * Done when &quire_vm_tables.written and the moves of the objects are.
 *
 * Returns: 0; errors of quire_vm_bo_validate() and quire_natives_validate().
 */
int quire_vm_validate(struct quire_vm_validation *validation, struct drm_exec *exec)
{
	struct quire_vm *vm = validation->vm;
	struct drm_gpuvm_bo *vm_bo;
	int ret;

	ret = renew_if_lost(validation) ?: quire_natives_validate(validation);
	if (ret)
		return ret;
	vm->validation = validation;
	ret = drm_gpuvm_validate(&vm->base, exec);
	vm->validation = NULL;
	if (!ret && vm->pages.incomplete)
		ret = complete_tables(validation);
	if (ret)
		return ret;
	/* Commands may use everything that is bound: it is evicted last. */
	quire_bulk_touch_apart(&vm->bulk);
	list_for_each_entry(vm_bo, &vm->base.extobj.list, list.entry.extobj)
		ttm_bo_move_to_lru_tail_unlocked(&gem_to_quire_bo(vm_bo->obj)->base);
	quire_bulk_touch(&vm->bulk, &vm->qdev->ttm);
	return 0;
}

/**
 * quire_vm_complete - have entries of all that is bound and not evicted
 * @validation: one that runs; its address space is reserved, and all objects that are bound there
 *
 * Evicted objects stay so: a bind is not to be refused because of other objects.
 *
 * Returns: 0; errors of quire_vm_tables_ensure() and quire_vm_write_all().
 */
int quire_vm_complete(struct quire_vm_validation *validation)
{
	struct quire_vm_tables *tables = &validation->vm->pages;
	int ret = renew_if_lost(validation);

	if (!ret && tables->incomplete)
		ret = complete_tables(validation);
	return ret;
}

/**
 * quire_vm_validate_object - as quire_vm_validate(), of one object
 * @validation: one that runs; its address space is reserved, and its tables are whole
 * @bo: the object, reserved; may be bound there, or not yet
 * Returns: 0; errors of quire_vm_bo_validate().
 */
int quire_vm_validate_object(struct quire_vm_validation *validation, struct quire_bo *bo)
{
	struct drm_gpuvm_bo *vm_bo = drm_gpuvm_bo_find(&validation->vm->base, &bo->base.base);
	int ret;

	if (!vm_bo)
		return quire_vm_place(validation, bo);
	/* That may evict it: from the aperture, back to VRAM. */
	ret = quire_vm_place(validation, bo);
	validation->vm->validation = validation;
	if (!ret)
		ret = quire_vm_bo_validate(vm_bo, NULL);
	validation->vm->validation = NULL;
	drm_gpuvm_bo_put(vm_bo);
	return ret;
}

/**
 * quire_vm_bo_leaves - make the entries of an object invalid before it moves, or is dropped
 * @bo: the object, reserved; no foreign work is in it
 * @batch: of the call
 *
 * If there is no memory for that, it is done before the next submission in the address space.
 */
void quire_vm_bo_leaves(struct quire_bo *bo, struct quire_batch *batch)
{
	struct quire_vm_tables *tables;
	struct drm_gpuvm_bo *vm_bo;

	if (quire_bo_is_page_table(bo))
		return;
	drm_gem_for_each_gpuvm_bo(vm_bo, &bo->base.base) {
		if (vm_bo->evicted)
			continue;
		drm_gpuvm_bo_evict(vm_bo, true);
		tables = &to_quire_vm(vm_bo->vm)->pages;
		mutex_lock(&tables->lock);
		if (tables->root_cpu && !tables->lost &&
		    quire_vm_write_object(tables, batch, vm_bo, false))
			tables->unflushed = true;
		mutex_unlock(&tables->lock);
	}
	bo->bound = false;
}
