// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Address spaces
 *
 * drm_gpuvm keeps what is bound in an address space: ranges of addresses, the objects that they
 * lead to, and which of these were evicted. The device sees page tables::
 *
 *     VM_BIND --> quire_vm_bind.c      what is bound, and jobs that write entries
 *     EXEC -----> quire_vm_validate.c  brings back what was evicted, with its entries
 *     eviction -> quire_vm_validate.c  entries of an evicted object become invalid
 *
 * Objects that are private to an address space share its reservation, with the fences of all of
 * its work. Others have their own, and each submission locks them all.
 *
 * An address space lives as long as the file that made it, a context that has it, a call that
 * uses it, or a job of it. Then a work item unbinds everything, and has the device forget it.
 * The structure lives as long as an object that is private to it.
 *
 * Locking: the reservation of &quire_vm.base for what is bound.
 *
 * Source: Documentation/gpu/drm-vm-bind-locking.rst; "GPU virtual memory in WDDM 2.0".
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>

#include "core/quire_device_types.h"
#include "core/quire_file_types.h"
#include "core/quire_placement.h"
#include "core/quire_refuse.h"
#include "hw/quire_device_guard.h"
#include "hw/quire_usage.h"
#include "queue/quire_paging_queue.h"
#include "bo/quire_residency.h"
#include "quire_vm.h"
#include "quire_vm_validate.h"

/* Between two tries that need memory. */
#define MEMORY_MS	10

/* Of all devices: those that are being freed may be the last that need the code of the module. */
static struct workqueue_struct *vm_free_wq;
static atomic_t vm_count;
static DECLARE_WAIT_QUEUE_HEAD(vm_none);

/**
 * quire_vms_init_module - prepare to free address spaces
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

/* Who drops it may be work that frees objects, and the end of the device waits for that. */
static void vm_free(struct drm_gpuvm *gpuvm)
{
	struct quire_vm *vm = to_quire_vm(gpuvm);
	u32 i;

	for (i = 0; i < QUIRE_VM_LEVELS; i++)
		xa_destroy(&vm->pages.levels[i]);
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

static int queues_init(struct quire_vm *vm)
{
	struct drm_gpu_scheduler *sched = &vm->qdev->paging_queue->sched;
	struct quire_bind_queues *queues = &vm->queues;
	int ret;

	for (; queues->count < ARRAY_SIZE(queues->items); queues->count++) {
		struct quire_bind_queue *queue = &queues->items[queues->count];

		ret = drm_sched_entity_init(&queue->entity, DRM_SCHED_PRIORITY_KERNEL, &sched, 1,
					    NULL);
		if (ret)
			return ret;
		queue->fence_context = dma_fence_context_alloc(1);
	}
	return 0;
}

/* Nothing is executed in it any more. What the device remembers goes before its root does. */
static void vm_fini_device(struct quire_vm *vm)
{
	struct dma_resv *resv = drm_gpuvm_resv(&vm->base);
	struct quire_vm_tables *tables = &vm->pages;
	struct device *dev = vm->qdev->drm.dev;
	struct quire_context_page *page, *next;

	while (vm->queues.count) {
		struct quire_bind_queue *queue = &vm->queues.items[--vm->queues.count];

		drm_sched_entity_fini(&queue->entity);
		dma_fence_put(queue->last);
		queue->last = NULL;
	}
	quire_vm_forget(tables);
	dma_resv_lock(resv, NULL);
	mutex_lock(&tables->lock);
	quire_vm_tables_drop(tables, XA_PRESENT);
	dma_resv_unlock(resv);
	if (tables->written)
		dma_fence_wait(tables->written, false);
	dma_fence_put(tables->written);
	tables->written = NULL;
	dma_free_coherent(dev, QUIRE_PAGE_SIZE, tables->root_cpu, tables->root_dma);
	tables->root_cpu = NULL;
	mutex_unlock(&tables->lock);
	list_for_each_entry_safe(page, next, &vm->context_pages.idle, link) {
		if (page->made)
			dma_fence_wait(page->made, false);
		dma_free_coherent(dev, sizeof(*page->area), page->area, page->dma);
		dma_fence_put(page->made);
		kfree(page);
	}
	INIT_LIST_HEAD(&vm->context_pages.idle);
	xa_destroy(&vm->context_pages.saves);
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
 * @qdev: executes nothing any more; programs may keep address spaces
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
	scoped_guard(spinlock, &vms->wq_lock)
		vms->wq = NULL;
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

/* Take a native fence from the device; its values stay, for those who have it. */
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

static void vm_release_work(struct work_struct *work)
{
	struct quire_vm *vm = container_of(work, struct quire_vm, work);
	struct quire_vms *vms = vm->qdev->vms;
	unsigned long id = 0;
	bool known = false;
	struct quire_bo *bo;
	int ret;

	/* Ranges have references to the address space: nobody else would ever free it. */
	while ((ret = vm_try_unbind_all(vm)) == -ENOMEM)
		msleep(MEMORY_MS);
	drm_WARN_ON(&vm->qdev->drm, ret);
	/* Those that are about to be freed are told of before their place is reused. */
	while (vm->had_natives && (bo = quire_resident_get(vm->qdev->residency, &id))) {
		if (bo->gpuvm == &vm->base && quire_bo_is_native_fence(bo))
			native_forget(bo);
		drm_gem_object_put(&bo->base.base);
		id++;
		cond_resched();
	}
	/* The task that takes it off the list takes it down, with nothing held: that waits. */
	scoped_guard(mutex, &vms->lock) {
		known = !list_empty(&vm->link);
		list_del_init(&vm->link);
	}
	if (known)
		vm_fini_device(vm);
	drm_gpuvm_put(&vm->base);
}

static struct quire_vm *vm_create(struct quire_device *qdev, struct quire_usage *usage)
{
	struct quire_vm *vm = kzalloc(sizeof(*vm), GFP_KERNEL_ACCOUNT);
	struct drm_gem_object *r_obj = drm_gpuvm_resv_object_alloc(&qdev->drm);
	struct quire_vms *vms = qdev->vms;
	struct quire_vm_tables *tables;
	int ret = -ENOMEM;
	u32 i;

	if (!vm || !r_obj) {
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
	spin_lock_init(&vm->queues.lock);
	init_waitqueue_head(&vm->queues.room);
	spin_lock_init(&vm->context_pages.lock);
	INIT_LIST_HEAD(&vm->context_pages.idle);
	xa_init_flags(&vm->context_pages.saves, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	quire_bulk_init(&vm->bulk);
	tables = &vm->pages;
	tables->vm = vm;
	mutex_init(&tables->lock);
	for (i = 0; i < QUIRE_VM_LEVELS; i++)
		xa_init_flags(&tables->levels[i], XA_FLAGS_ACCOUNT);
	drm_dev_get(&qdev->drm);
	atomic_inc(&vm_count);
	drm_gpuvm_init(&vm->base, "quire", DRM_GPUVM_RESV_PROTECTED, &qdev->drm, r_obj, 0,
		       DRM_QUIRE_VM_SIZE, 0, 0, &vm_ops);
	drm_gem_object_put(r_obj);

	tables->root_cpu = dma_alloc_coherent(qdev->drm.dev, QUIRE_PAGE_SIZE, &tables->root_dma,
					      GFP_KERNEL_ACCOUNT);
	if (!tables->root_cpu)
		goto err_put;
	tables->root = (struct quire_paging_pte) {
		.flags = QUIRE_PTE(QUIRE_SEGMENT_SYSTEM, 0, QUIRE_PTE_VALID),
		.page = tables->root_dma >> QUIRE_PAGE_SHIFT,
	};
	/* The device knows it from here on. */
	scoped_guard(mutex, &vms->lock) {
		ret = vms->gone ? -ENODEV : queues_init(vm);
		if (!ret) {
			list_add_tail(&vm->link, &vms->list);
			return vm;
		}
	}
	vm_fini_device(vm);
err_put:
	drm_gpuvm_put(&vm->base);
	return ERR_PTR(ret);
}

/**
 * quire_vm_create_ioctl - %DRM_IOCTL_QUIRE_VM_CREATE
 * @drm: the device
 * @data: &struct drm_quire_vm_create
 * @file: of the caller
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
 * quire_vm_delete - take an address space from a file
 * @file: the file
 * @number: of the address space in that file; contexts that have it keep it
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

/**
 * quire_vm_destroy_ioctl - %DRM_IOCTL_QUIRE_VM_DESTROY
 * @drm: the device
 * @data: &struct drm_quire_vm_destroy
 * @file: of the caller
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
