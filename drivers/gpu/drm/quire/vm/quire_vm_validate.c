// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Eviction of what is bound
 *
 * An object that leaves VRAM or the aperture, or goes to another place there, takes its
 * entries with it: they become invalid before its place is somebody else's (NotifyEviction
 * of the original), and the object is noted as evicted in each address space where it is bound.
 * Nothing is at work there that uses it: who moves an object waits for its fences, and all
 * work of an address space leaves one with each of its objects.
 *
 * Whatever is executed there next brings all that was evicted back first, and has its entries
 * written; so nothing is ever executed with entries of a place that is somebody else's, also
 * where there was no memory to make them invalid. Tables that were given up are made anew in the
 * same way (quire_vm_table.c).
 *
 * Locking: the reservation of an object; to bring back, those of the address space and of all
 * objects that are bound there and not private to it.
 *
 * Source: drm_gpuvm_validate(); DXGK_UPDATEPAGETABLEFLAGS, NotifyEviction.
 */
#include <linux/lockdep.h>

#include <drm/drm_gpuvm.h>

#include "bo/quire_bo.h"
#include "bo/quire_bulk.h"
#include "quire_native.h"
#include "quire_vm.h"
#include "quire_vm_room.h"
#include "quire_vm_table.h"
#include "quire_vm_validate.h"

static int ensure_tables(struct quire_vm_attempt *attempt, struct drm_gpuva *va)
{
	return quire_vm_tables_ensure(&attempt->vm->pages, va->va.addr,
				      va->va.addr + va->va.range, attempt);
}

static int object_validate(struct quire_vm_attempt *attempt, struct drm_gpuvm_bo *vm_bo)
{
	struct quire_vm_tables *tables = &attempt->vm->pages;
	struct drm_gpuva *va;
	int ret = 0;

	drm_gpuvm_bo_for_each_va(va, vm_bo)
		if (!ret)
			ret = ensure_tables(attempt, va);
	if (ret)
		return ret;
	mutex_lock(&tables->lock);
	ret = quire_vm_write_object(tables, vm_bo, true);
	/* It is evicted yet: nobody would take away what was written before there was no memory. */
	if (ret && quire_vm_write_object(tables, vm_bo, false))
		tables->unflushed = true;
	mutex_unlock(&tables->lock);
	return ret;
}

/* Where a program finds it. */
static void note_refused(struct quire_vm_attempt *attempt, struct drm_gpuvm_bo *vm_bo)
{
	struct drm_gpuva *va;

	drm_gpuvm_bo_for_each_va(va, vm_bo) {
		attempt->refused = va->va.addr;
		break;
	}
}

/**
 * quire_vm_bo_validate - &drm_gpuvm_ops.vm_bo_validate
 * @vm_bo: an object that may have been evicted, reserved
 * @exec: what is reserved
 * Returns: 0, then it is not evicted any more; errors of quire_vm_attempt_place(), and of
 * quire_vm_tables_ensure().
 */
int quire_vm_bo_validate(struct drm_gpuvm_bo *vm_bo, struct drm_exec *exec)
{
	struct quire_vm_attempt *attempt = to_quire_vm(vm_bo->vm)->attempt;
	struct quire_bo *bo = gem_to_quire_bo(vm_bo->obj);
	int ret;

	if (!vm_bo->evicted)
		return 0;
	ret = quire_vm_attempt_place(attempt, bo);
	if (ret) {
		note_refused(attempt, vm_bo);
		return ret;
	}
	ret = object_validate(attempt, vm_bo);
	if (!ret) {
		bo->bound = true;
		vm_bo->evicted = false;
	}
	return ret;
}

static int renew_if_lost(struct quire_vm_tables *tables)
{
	int ret = 0;

	mutex_lock(&tables->lock);
	if (tables->lost || READ_ONCE(tables->failed))
		ret = quire_vm_renew_tables(tables);
	mutex_unlock(&tables->lock);
	return ret;
}

static int complete_tables(struct quire_vm_attempt *attempt)
{
	struct drm_gpuvm *gpuvm = &attempt->vm->base;
	struct quire_vm_tables *tables = &attempt->vm->pages;
	struct drm_gpuva *va;
	int ret = 0;

	drm_gpuvm_for_each_va(va, gpuvm)
		if (!ret)
			ret = ensure_tables(attempt, va);
	if (ret)
		return ret;
	mutex_lock(&tables->lock);
	ret = quire_vm_write_all(tables);
	if (!ret)
		tables->incomplete = false;
	mutex_unlock(&tables->lock);
	return ret;
}

/* Commands may use everything that is bound: it is evicted last. */
static void touch(struct quire_vm *vm)
{
	struct drm_gpuvm_bo *vm_bo;

	quire_bulk_touch_apart(&vm->bulk);
	list_for_each_entry(vm_bo, &vm->base.extobj.list, list.entry.extobj)
		ttm_bo_move_to_lru_tail_unlocked(&gem_to_quire_bo(vm_bo->obj)->base);
	quire_bulk_touch(&vm->bulk, &vm->qdev->ttm);
}

/**
 * quire_vm_validate - all that is bound is where its entries lead, and native fences are told of
 * @attempt: one that runs
 * @exec: has reserved the address space, and all objects that are bound there
 *
 * When what is queued by the paging ring now is executed, &quire_vm_tables.written and the
 * moves of the objects.
 *
 * Returns: 0; errors of quire_vm_bo_validate() and quire_natives_validate().
 */
int quire_vm_validate(struct quire_vm_attempt *attempt, struct drm_exec *exec)
{
	struct quire_vm *vm = attempt->vm;
	int ret;

	ret = renew_if_lost(&vm->pages) ?: quire_natives_validate(attempt);
	if (ret)
		return ret;
	vm->attempt = attempt;
	ret = drm_gpuvm_validate(&vm->base, exec);
	vm->attempt = NULL;
	if (!ret && vm->pages.incomplete)
		ret = complete_tables(attempt);
	if (!ret)
		touch(vm);
	return ret;
}

/**
 * quire_vm_complete - tables have entries of all that is bound and not evicted
 * @attempt: one that runs; its address space is reserved, and all objects that are bound there
 *
 * What is evicted stays so: whoever binds something is not to be refused for the sake of others.
 *
 * Returns: 0; errors of quire_vm_tables_ensure() and quire_vm_write_all().
 */
int quire_vm_complete(struct quire_vm_attempt *attempt)
{
	struct quire_vm_tables *tables = &attempt->vm->pages;
	int ret = renew_if_lost(tables);

	if (!ret && tables->incomplete)
		ret = complete_tables(attempt);
	return ret;
}

/**
 * quire_vm_validate_object - as quire_vm_validate(), of one object
 * @attempt: one that runs; its address space is reserved, and its tables are whole
 * @bo: the object, reserved; may be bound there, or not yet
 * Returns: 0; errors of quire_vm_bo_validate().
 */
int quire_vm_validate_object(struct quire_vm_attempt *attempt, struct quire_bo *bo)
{
	struct drm_gpuvm_bo *vm_bo = drm_gpuvm_bo_find(&attempt->vm->base, &bo->base.base);
	int ret;

	if (!vm_bo)
		return quire_vm_attempt_place(attempt, bo);
	/* That may evict it: from the aperture, back to VRAM. */
	ret = quire_vm_attempt_place(attempt, bo);
	attempt->vm->attempt = attempt;
	if (!ret)
		ret = quire_vm_bo_validate(vm_bo, NULL);
	attempt->vm->attempt = NULL;
	drm_gpuvm_bo_put(vm_bo);
	return ret;
}

static void invalidate(struct drm_gpuvm_bo *vm_bo)
{
	struct quire_vm_tables *tables = &to_quire_vm(vm_bo->vm)->pages;

	mutex_lock(&tables->lock);
	if (tables->root_cpu && !tables->lost && quire_vm_write_object(tables, vm_bo, false))
		tables->unflushed = true;
	mutex_unlock(&tables->lock);
}

/**
 * quire_vm_bo_leaves - an object leaves its place: its entries become invalid
 * @bo: the object, reserved; no work of others is in it
 *
 * Before the move is queued. What can not be done for want of memory is done before anything is
 * executed in the address space again.
 */
void quire_vm_bo_leaves(struct quire_bo *bo)
{
	struct drm_gpuvm_bo *vm_bo;

	if (quire_bo_is_page_table(bo))
		return;
	drm_gem_for_each_gpuvm_bo(vm_bo, &bo->base.base) {
		if (vm_bo->evicted)
			continue;
		drm_gpuvm_bo_evict(vm_bo, true);
		invalidate(vm_bo);
	}
	bo->bound = false;
}

/**
 * quire_vm_bo_purged - an object loses its place and its content, when it is idle
 * @bo: the object, reserved
 *
 * Commands that use it may be at work yet, so that its entries stay. Nothing is executed with
 * them any more while it is bound; before that ends quire_vm_write_before() takes them away.
 */
void quire_vm_bo_purged(struct quire_bo *bo)
{
	struct quire_vm_tables *tables;
	struct drm_gpuvm_bo *vm_bo;

	drm_gem_for_each_gpuvm_bo(vm_bo, &bo->base.base) {
		drm_gpuvm_bo_evict(vm_bo, true);
		tables = &to_quire_vm(vm_bo->vm)->pages;
		mutex_lock(&tables->lock);
		tables->unflushed = true;
		mutex_unlock(&tables->lock);
	}
}
