// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/xarray.h>

#include "paging/quire_paging.h"
#include "core/quire_device_types.h"
#include "core/quire_file_types.h"
#include "quire_vm.h"

/* In a work item: the last reference may be dropped in the work of a scheduler. */
static void vm_release(struct kref *users)
{
	struct quire_vm *vm = container_of(users, struct quire_vm, users);
	struct quire_vms *vms = vm->qdev->vms;
	bool queued;

	spin_lock(&vms->wq_lock);
	queued = vms->wq && queue_work(vms->wq, &vm->work);
	spin_unlock(&vms->wq_lock);
	if (!queued)
		vm->work.func(&vm->work);
}

/**
 * quire_vm_get - take a reference
 * @vm: of which the caller has one
 * Returns: @vm.
 */
struct quire_vm *quire_vm_get(struct quire_vm *vm)
{
	kref_get(&vm->users);
	return vm;
}

/**
 * quire_vm_put - drop a reference
 * @vm: not the caller's any more
 *
 * May sleep.
 */
void quire_vm_put(struct quire_vm *vm)
{
	kref_put(&vm->users, vm_release);
}

/**
 * quire_vm_lookup - find an address space
 * @file: whose it is
 * @id: its identifier
 * Returns: the address space, with a reference, or NULL.
 */
struct quire_vm *quire_vm_lookup(struct drm_file *file, u32 id)
{
	struct quire_file *qfile = to_quire_file(file);
	struct quire_vm *vm;

	xa_lock(&qfile->vms);
	vm = xa_load(&qfile->vms, id);
	if (vm)
		quire_vm_get(vm);
	xa_unlock(&qfile->vms);
	return vm;
}

/**
 * quire_vm_next - go through all address spaces of a file
 * @file: whose they are
 * @id: where to begin; returned: the identifier of what was found
 * Returns: the first one from there on, with a reference, or NULL.
 */
struct quire_vm *quire_vm_next(struct drm_file *file, unsigned long *id)
{
	struct quire_file *qfile = to_quire_file(file);
	struct quire_vm *vm;

	xa_lock(&qfile->vms);
	vm = xa_find(&qfile->vms, id, ULONG_MAX, XA_PRESENT);
	if (vm)
		quire_vm_get(vm);
	xa_unlock(&qfile->vms);
	return vm;
}

/**
 * quire_vm_root - the entry that leads to the page tables
 * @vm: the address space
 * Returns: the entry, as contexts have it.
 */
u64 quire_vm_root(const struct quire_vm *vm)
{
	const struct quire_paging_pte *root = &vm->pages.root;

	return root->page << QUIRE_PAGE_SHIFT | root->flags;
}

/**
 * quire_vm_delete - take an address space from a file
 * @file: the file
 * @number: of the address space in that file
 *
 * Contexts that have it keep it.
 *
 * Returns: 0; -ENOENT there is no such address space.
 */
int quire_vm_delete(struct drm_file *file, u32 number)
{
	struct quire_vm *vm = xa_erase(&to_quire_file(file)->vms, number);

	if (!vm)
		return -ENOENT;
	quire_vm_put(vm);
	return 0;
}
