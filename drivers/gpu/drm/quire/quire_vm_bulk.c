// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The LRU of what is bound
 *
 * Each EXEC uses all that is bound in its address space. What is private to that, and its page
 * tables, stand together in the LRU lists of TTM, which moves them to the tail in one step however
 * many they are. Two kinds of objects are moved one by one: those that are shared, and private ones
 * that are offered or held resident, because what stands together has one priority, and theirs may
 * change without the reservation (quire_bo_priority.c).
 *
 * Locking: the reservation of the address space.
 *
 * Source: &struct ttm_lru_bulk_move.
 */
#include <linux/dma-resv.h>

#include <drm/drm_gpuvm.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_resource.h>

#include "quire_bo.h"
#include "quire_device.h"
#include "quire_vm.h"
#include "quire_vm_bulk.h"

/**
 * quire_vm_bulk_init - nothing is bound yet
 * @vm: to initialise
 */
void quire_vm_bulk_init(struct quire_vm *vm)
{
	ttm_lru_bulk_move_init(&vm->bulk);
	INIT_LIST_HEAD(&vm->apart);
}

/**
 * quire_vm_bulk_fini - nothing is bound any more
 * @vm: it has no tables, either
 */
void quire_vm_bulk_fini(struct quire_vm *vm)
{
	ttm_lru_bulk_move_fini(&vm->qdev->ttm, &vm->bulk);
}

/**
 * quire_vm_bulk_add - an object is bound, or is a page table
 * @bo: which shares the reservation of its address space, or is private to none: nothing is done
 */
void quire_vm_bulk_add(struct quire_bo *bo)
{
	if (!bo->vm || bo->base.bulk_move)
		return;
	if (quire_bo_has_usual_priority(bo)) {
		list_del_init(&bo->apart);
		/* It may be in the list of the priority that it had. */
		ttm_bo_move_to_lru_tail_unlocked(&bo->base);
		ttm_bo_set_bulk_move(&bo->base, &bo->vm->bulk);
	} else if (list_empty(&bo->apart)) {
		list_add_tail(&bo->apart, &bo->vm->apart);
	}
}

/**
 * quire_vm_bulk_remove - an object is not bound any more
 * @bo: any object
 */
void quire_vm_bulk_remove(struct quire_bo *bo)
{
	if (!bo->vm)
		return;
	list_del_init(&bo->apart);
	ttm_bo_set_bulk_move(&bo->base, NULL);
}

/**
 * quire_vm_bulk_leave - the priority of an object is about to change
 * @bo: any object, reserved
 */
void quire_vm_bulk_leave(struct quire_bo *bo)
{
	if (!bo->base.bulk_move)
		return;
	ttm_bo_set_bulk_move(&bo->base, NULL);
	list_add_tail(&bo->apart, &bo->vm->apart);
}

/**
 * quire_vm_bulk_touch - commands may use everything that is bound: it is evicted last
 * @vm: it is reserved, and so are all shared objects that are bound there
 */
void quire_vm_bulk_touch(struct quire_vm *vm)
{
	struct drm_gpuvm_bo *vm_bo;
	struct quire_bo *bo, *next;

	list_for_each_entry_safe(bo, next, &vm->apart, apart) {
		ttm_bo_move_to_lru_tail_unlocked(&bo->base);
		quire_vm_bulk_add(bo);
	}
	list_for_each_entry(vm_bo, &vm->base.extobj.list, list.entry.extobj)
		ttm_bo_move_to_lru_tail_unlocked(&gem_to_quire_bo(vm_bo->obj)->base);

	spin_lock(&vm->qdev->ttm.lru_lock);
	ttm_lru_bulk_move_tail(&vm->bulk);
	spin_unlock(&vm->qdev->ttm.lru_lock);
}
