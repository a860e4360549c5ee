// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Address spaces
 *
 * drm_gpuvm keeps what is bound in an address space: ranges of addresses, the objects that they
 * lead to, and which of these were evicted. The device sees page tables::
 *
 *     VM_BIND -> quire_vm_bind.c      what is bound, and jobs that write entries
 *                    |
 *                    +-> quire_vm_table.c     tables, where there are none yet
 *                    +-> quire_bind_job.c     bind queues
 *     EXEC ----> quire_exec.c
 *                    |
 *                    +-> quire_vm_validate.c  brings back what was evicted, writes its entries
 *     eviction -> quire_vm_validate.c  entries of an evicted object become invalid
 *
 * Objects that are private to an address space share its reservation, with the fences of all of
 * its work. Others have their own, and each submission locks them all.
 *
 * An address space lives as long as the file that made it, a context that has it, a call that
 * uses it, or a job of it. Then a work item unbinds everything, and has the device forget it.
 * The structure lives as long as an object that is private to it.
 *
 * Locking: the reservation of &quire_vm.base for what is bound; see quire_vm_table.c for the
 * page tables.
 *
 * Source: Documentation/gpu/drm-vm-bind-locking.rst of the kernel; "GPU virtual memory in
 * WDDM 2.0".
 */
#include <linux/delay.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>

#include "core/quire_device_types.h"
#include "core/quire_file_types.h"
#include "core/quire_refuse.h"
#include "hw/quire_device_guard.h"
#include "hw/quire_usage.h"
#include "bo/quire_bo.h"
#include "quire_native.h"
#include "quire_vm.h"
#include "quire_vm_bind.h"
#include "quire_vm_validate.h"

/* So often is looked whether there is memory again. */
#define MEMORY_MS	10

/* Of all devices: those that are being freed may be the last that need the code of the module. */
static struct workqueue_struct *vm_free_wq;
static atomic_t vm_count;
static DECLARE_WAIT_QUEUE_HEAD(vm_none);

/**
 * quire_vms_init_module - there are none yet, of no device
 *
 * Returns: 0, or -ENOMEM.
 */
int quire_vms_init_module(void)
{
	vm_free_wq = alloc_workqueue("quire-vm-free", WQ_UNBOUND, 0);
	return vm_free_wq ? 0 : -ENOMEM;
}

/**
 * quire_vms_exit_module - wait until all are freed
 *
 * No program has any, and no driver has a device: those that are left are being freed.
 */
void quire_vms_exit_module(void)
{
	wait_event(vm_none, !atomic_read(&vm_count));
	destroy_workqueue(vm_free_wq);
}

static void vm_free_work(struct work_struct *work)
{
	struct quire_vm *vm = container_of(work, struct quire_vm, work);
	struct drm_device *drm = &vm->qdev->drm;

	quire_usage_put(vm->usage);
	kfree(vm);
	drm_dev_put(drm);
	if (atomic_dec_and_test(&vm_count))
		wake_up_all(&vm_none);
}

/*
 * A private object may have the last reference, and the address space that of the device, which
 * waits for work that frees objects: so it is not dropped there.
 */
static void vm_free(struct drm_gpuvm *gpuvm)
{
	struct quire_vm *vm = to_quire_vm(gpuvm);

	quire_vm_tables_free(&vm->pages);
	quire_bulk_fini(&vm->bulk, &vm->qdev->ttm);
	INIT_WORK(&vm->work, vm_free_work);
	queue_work(vm_free_wq, &vm->work);
}

static struct drm_gpuvm_bo *vm_bo_alloc(void)
{
	return kzalloc(sizeof(struct drm_gpuvm_bo), GFP_KERNEL_ACCOUNT);
}

static void vm_bo_free(struct drm_gpuvm_bo *vm_bo)
{
	quire_bulk_remove(gem_to_quire_bo(vm_bo->obj));
	kfree(vm_bo);
}

static const struct drm_gpuvm_ops vm_ops = {
	.vm_free = vm_free,
	.vm_bo_alloc = vm_bo_alloc,
	.vm_bo_free = vm_bo_free,
	.vm_bo_validate = quire_vm_bo_validate,
	.sm_step_map = quire_vm_step_map,
	.sm_step_remap = quire_vm_step_remap,
	.sm_step_unmap = quire_vm_step_unmap,
};

/* Nothing is executed in it any more. What the device remembers goes before its root does. */
static void vm_fini_device(struct quire_vm *vm)
{
	quire_bind_queues_fini(&vm->queues);
	quire_vm_forget(&vm->pages);
	quire_vm_tables_fini(&vm->pages);
	quire_context_pages_fini(&vm->context_pages, &vm->qdev->drm);
}

/**
 * quire_vms_init - there are none
 * @qdev: the device; its paging queue works
 * Returns: 0, or -ENOMEM.
 */
int quire_vms_init(struct quire_device *qdev)
{
	struct quire_vms *vms = qdev->vms;

	mutex_init(&vms->lock);
	spin_lock_init(&vms->wq_lock);
	INIT_LIST_HEAD(&vms->list);
	vms->wq = alloc_workqueue("quire-vms", WQ_UNBOUND, 0);
	return vms->wq ? 0 : -ENOMEM;
}

/**
 * quire_vms_fini - the device goes
 * @qdev: the device; executes nothing any more
 *
 * Programs may keep address spaces, but can not use them any more.
 */
void quire_vms_fini(struct quire_device *qdev)
{
	struct quire_vms *vms = qdev->vms;
	struct workqueue_struct *wq = vms->wq;
	struct quire_vm *vm;

	mutex_lock(&vms->lock);
	vms->gone = true;
	while ((vm = list_first_entry_or_null(&vms->list, struct quire_vm, link))) {
		list_del_init(&vm->link);
		/* The work item that drops the last reference does not wait for this. */
		drm_gpuvm_get(&vm->base);
		mutex_unlock(&vms->lock);
		vm_fini_device(vm);
		drm_gpuvm_put(&vm->base);
		mutex_lock(&vms->lock);
	}
	mutex_unlock(&vms->lock);

	/* The device knows of none any more: the last reference is dropped without a wait. */
	spin_lock(&vms->wq_lock);
	vms->wq = NULL;
	spin_unlock(&vms->wq_lock);
	destroy_workqueue(wq);
}

static int vm_try_unbind_all(struct quire_vm *vm)
{
	struct drm_gpuva *va, *next;
	struct drm_exec exec;
	int ret = 0;

	drm_exec_init(&exec, DRM_EXEC_IGNORE_DUPLICATES, 0);
	drm_exec_until_all_locked(&exec) {
		ret = drm_gpuvm_prepare_vm(&vm->base, &exec, 0) ?:
		      drm_gpuvm_prepare_objects(&vm->base, &exec, 0);
		drm_exec_retry_on_contention(&exec);
		if (ret)
			break;
	}
	drm_gpuvm_for_each_va_safe(va, next, &vm->base) {
		if (ret)
			break;
		drm_gpuva_remove(va);
		drm_gpuva_unlink(va);
		kfree(to_quire_vma(va));
	}
	drm_exec_fini(&exec);
	return ret;
}

static void vm_release_work(struct work_struct *work)
{
	struct quire_vm *vm = container_of(work, struct quire_vm, work);
	struct quire_vms *vms = vm->qdev->vms;
	bool known;
	int ret;

	/* Ranges have references to the address space: nobody else would ever free it. */
	while ((ret = vm_try_unbind_all(vm)) == -ENOMEM)
		msleep(MEMORY_MS);
	drm_WARN_ON(&vm->qdev->drm, ret);
	quire_natives_forget(vm);
	/* The task that takes it off the list takes it down, with nothing held: that waits. */
	mutex_lock(&vms->lock);
	known = !list_empty(&vm->link);
	list_del_init(&vm->link);
	mutex_unlock(&vms->lock);
	if (known)
		vm_fini_device(vm);
	drm_gpuvm_put(&vm->base);
}

static struct quire_vm *vm_create(struct quire_device *qdev, struct quire_usage *usage)
{
	struct drm_device *drm = &qdev->drm;
	struct quire_vms *vms = qdev->vms;
	struct drm_gem_object *r_obj;
	struct quire_vm *vm;
	int ret;

	vm = kzalloc(sizeof(*vm), GFP_KERNEL_ACCOUNT);
	r_obj = drm_gpuvm_resv_object_alloc(drm);
	if (!vm || !r_obj) {
		if (r_obj)
			drm_gem_object_put(r_obj);
		kfree(vm);
		return ERR_PTR(-ENOMEM);
	}

	vm->qdev = qdev;
	vm->usage = quire_usage_get(usage);
	kref_init(&vm->users);
	INIT_LIST_HEAD(&vm->link);
	INIT_LIST_HEAD(&vm->natives);
	INIT_WORK(&vm->work, vm_release_work);
	quire_context_pages_init(&vm->context_pages);
	quire_bulk_init(&vm->bulk);
	drm_dev_get(drm);
	atomic_inc(&vm_count);
	drm_gpuvm_init(&vm->base, "quire", DRM_GPUVM_RESV_PROTECTED, drm, r_obj, 0,
		       DRM_QUIRE_VM_SIZE, 0, 0, &vm_ops);
	drm_gem_object_put(r_obj);

	ret = quire_vm_tables_init(&vm->pages, vm);
	if (ret)
		goto err_put;
	/* The device knows it from here on. */
	mutex_lock(&vms->lock);
	ret = vms->gone ? -ENODEV : quire_bind_queues_init(&vm->queues, vm);
	if (!ret)
		list_add_tail(&vm->link, &vms->list);
	mutex_unlock(&vms->lock);
	if (!ret)
		return vm;
	quire_vm_forget(&vm->pages);
	quire_vm_tables_fini(&vm->pages);
err_put:
	drm_gpuvm_put(&vm->base);
	return ERR_PTR(ret);
}

/**
 * quire_vm_create_ioctl - %DRM_IOCTL_QUIRE_VM_CREATE
 * @drm: the device
 * @data: &struct drm_quire_vm_create
 * @file: who asks
 * Returns: 0, or an error as documented there.
 */
int quire_vm_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct xa_limit limit = XA_LIMIT(1, DRM_QUIRE_MAX_VMS);
	struct drm_quire_vm_create *args = data;
	struct quire_vm *vm;
	int ret;

	if (args->pad)
		return quire_refuse(drm, -EINVAL, "vm: pad %u", args->pad);
	CLASS(quire_device, device)(drm);
	if (device < 0)
		return device;
	vm = vm_create(to_quire_device(drm), to_quire_file(file)->usage);
	if (IS_ERR(vm))
		return PTR_ERR(vm);

	ret = xa_alloc(&to_quire_file(file)->vms, &args->vm, vm, limit, GFP_KERNEL);
	if (ret)
		quire_vm_put(vm);
	if (ret == -EBUSY)
		ret = quire_refuse(drm, -ENOSPC, "vm: the file has %u", DRM_QUIRE_MAX_VMS);
	return ret;
}

/**
 * quire_vm_destroy_ioctl - %DRM_IOCTL_QUIRE_VM_DESTROY
 * @drm: the device
 * @data: &struct drm_quire_vm_destroy
 * @file: who asks
 * Returns: 0, or an error as documented there.
 */
int quire_vm_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_vm_destroy *args = data;

	if (args->pad)
		return quire_refuse(drm, -EINVAL, "vm: pad %u", args->pad);
	if (quire_vm_delete(file, args->vm))
		return quire_refuse(drm, -ENOENT, "no VM %u", args->vm);
	return 0;
}
