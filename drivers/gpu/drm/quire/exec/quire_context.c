// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Contexts
 *
 * The work of a program that ends together: a command that hangs or is refused ends its context,
 * and nothing else. Each context has an entity and a timeline of fences on each execution ring. It
 * lives as long as the file that made it, a call that uses it, or a job of it; its entities go
 * earlier if the device goes, whose schedulers they belong to.
 *
 * Source: DXGKDDI_CREATECONTEXT; "Timeout detection and recovery" of the original's documentation.
 */

/**
 * DOC: Save areas of contexts
 *
 * Where the device puts the registers of a context with an address space while other contexts run:
 * an object of a page, private to the address space, in VRAM or, where there is no room, in the
 * aperture. Its content can not be made anew. It is evicted as objects of programs are, when
 * nothing of the address space is at work, and comes back with the next EXEC::
 *
 *     EXEC --> place it            TRANSFER from where it was, if it was elsewhere
 *          --> INIT_CONTEXT        the first time
 *          --> UPDATE_CONTEXT      if it is where the device was not told
 *          --> commands            load, run, store
 *
 * The paging ring executes this in order; commands wait for a fence of the reservation. What it
 * gave up is tried again with the next commands; commands that wait for it end with -EIO, also when
 * they come to the ring during the next try. If the content is lost the context ends.
 *
 * Locking: the reservation of the address space; @failed is set without.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, InitContextResource;
 * DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION; DXGKARGCB_CREATECONTEXTALLOCATION.
 */
#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stddef.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gpuvm.h>

#include "paging/quire_paging.h"
#include "paging/quire_paging_list.h"
#include "core/quire_device_types.h"
#include "core/quire_file_types.h"
#include "core/quire_refuse.h"
#include "hw/quire_device_guard.h"
#include "hw/quire_usage.h"
#include "queue/quire_paging_work.h"
#include "bo/quire_bo.h"
#include "bo/quire_segment.h"
#include "vm/quire_context_page.h"
#include "vm/quire_vm.h"
#include "vm/quire_vm_validate.h"
#include "quire_context.h"
#include "quire_execution.h"

/* Take it from the device, which executes nothing of it any more; &quire_contexts.lock is held. */
static void context_fini_device(struct quire_context *context)
{
	struct quire_execution *executions = context->qdev->executions;
	u32 i;

	for (i = 0; i < context->nr_rings; i++)
		dma_fence_put(xa_erase(&executions[i].last,
				       context->rings[i].entity.fence_context));
	while (context->nr_rings)
		drm_sched_entity_fini(&context->rings[--context->nr_rings].entity);
	if (context->page)
		quire_context_page_put(context->page, context->vm);
	context->page = NULL;
}

/**
 * quire_contexts_fini - the schedulers go
 * @contexts: no job of any is left, and none comes; programs may keep them
 */
void quire_contexts_fini(struct quire_contexts *contexts)
{
	struct quire_context *context, *next;

	guard(mutex)(&contexts->lock);
	list_for_each_entry_safe(context, next, &contexts->list, link) {
		list_del_init(&context->link);
		context_fini_device(context);
	}
}

/* May run in the work of a scheduler: under the lock nothing waits for such work or for memory. */
static void context_release(struct kref *refs)
{
	struct quire_context *context = container_of(refs, struct quire_context, refs);
	struct quire_contexts *contexts = context->qdev->contexts;
	struct drm_device *drm = &context->qdev->drm;

	scoped_guard(mutex, &contexts->lock) {
		list_del(&context->link);
		context_fini_device(context);
	}
	dma_fence_put(context->made);
	if (context->vm)
		quire_vm_put(context->vm);
	quire_usage_put(context->usage);
	kfree(context);
	drm_dev_put(drm);
}

/**
 * quire_context_put - drop a reference; may sleep
 * @context: not the caller's any more
 */
void quire_context_put(struct quire_context *context)
{
	kref_put(&context->refs, context_release);
}

/**
 * quire_context_lookup - find a context
 * @file: whose it is
 * @id: its identifier
 * Returns: the context, with a reference, or NULL.
 */
struct quire_context *quire_context_lookup(struct drm_file *file, u32 id)
{
	struct quire_file *qfile = to_quire_file(file);
	struct quire_context *context;

	xa_lock(&qfile->contexts);
	context = xa_load(&qfile->contexts, id);
	if (context)
		quire_context_get(context);
	xa_unlock(&qfile->contexts);
	return context;
}

/**
 * quire_context_blame - end a context
 * @context: if it has ended it keeps the first reason, unless that was a fault on another ring
 *           that is explained here
 * @end: the reason
 */
void quire_context_blame(struct quire_context *context, const struct quire_context_end *end)
{
	unsigned long flags;

	spin_lock_irqsave(&context->lock, flags);
	if (context->end.status == DRM_QUIRE_CONTEXT_GOOD ||
	    context->end.fault == QUIRE_FAULT_BAD_CONTEXT)
		context->end = *end;
	spin_unlock_irqrestore(&context->lock, flags);
}

static struct quire_context *context_create(struct quire_device *qdev,
					    enum drm_sched_priority priority,
					    struct quire_vm *vm)
{
	struct quire_context *context = kzalloc(sizeof(*context), GFP_KERNEL_ACCOUNT);
	struct quire_context_page *page;
	int ret = 0;
	u32 i;

	if (!context)
		return ERR_PTR(-ENOMEM);

	kref_init(&context->refs);
	context->qdev = qdev;
	context->vm = vm ? quire_vm_get(vm) : NULL;
	spin_lock_init(&context->lock);
	init_waitqueue_head(&context->room);
	drm_dev_get(&qdev->drm);
	INIT_LIST_HEAD(&context->link);
	if (vm) {
		page = quire_context_page_get(vm);
		ret = PTR_ERR_OR_ZERO(page);
		if (ret)
			goto err_put;
		context->page = page;
		context->made = dma_fence_get(page->made);
	}

	scoped_guard(mutex, &qdev->contexts->lock) {
		list_add_tail(&context->link, &qdev->contexts->list);
		for (i = 0; i < qdev->nr_executions; i++) {
			struct drm_gpu_scheduler *sched = &qdev->executions[i].sched;
			struct quire_context_ring *ring = &context->rings[i];

			ret = drm_sched_entity_init(&ring->entity, priority, &sched, 1, NULL);
			if (ret)
				break;
			ring->fence_context = dma_fence_context_alloc(1);
			context->nr_rings++;
		}
	}
	if (!ret)
		return context;
err_put:
	quire_context_put(context);
	return ERR_PTR(ret);
}

/* @id: of an address space, or 0 */
static struct quire_context *context_create_in(struct drm_device *drm, struct drm_file *file,
					       enum drm_sched_priority priority, u32 id)
{
	struct quire_vm *vm __free(quire_vm) = NULL;

	CLASS(quire_device, device)(drm);
	if (device < 0)
		return ERR_PTR(device);
	if (id)
		vm = quire_vm_lookup(file, id);
	if (id && !vm)
		return ERR_PTR(quire_refuse(drm, -ENOENT, "context: no VM %u", id));
	return context_create(to_quire_device(drm), priority, vm);
}

/**
 * quire_context_create_ioctl - %DRM_IOCTL_QUIRE_CONTEXT_CREATE
 * @drm: the device
 * @data: &struct drm_quire_context_create
 * @file: of the caller
 * Returns: 0, or an error as documented there.
 */
int quire_context_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct xa_limit limit = XA_LIMIT(1, DRM_QUIRE_MAX_CONTEXTS);
	struct drm_quire_context_create *args = data;
	struct quire_file *qfile = to_quire_file(file);
	enum drm_sched_priority priority = DRM_SCHED_PRIORITY_NORMAL;
	struct quire_context *context;
	int ret = 0;

	if (args->flags || args->pad || args->pad2)
		return quire_refuse(drm, -EINVAL, "context: flags %#x, pads %u and %u",
				    args->flags, args->pad, args->pad2);
	if (args->priority > DRM_QUIRE_PRIORITY_HIGH)
		return quire_refuse(drm, -EINVAL, "context: no priority %u", args->priority);
	if (args->priority == DRM_QUIRE_PRIORITY_HIGH && !capable(CAP_SYS_NICE))
		return quire_refuse(drm, -EACCES, "context: high priority");
	if (args->priority == DRM_QUIRE_PRIORITY_HIGH)
		priority = DRM_SCHED_PRIORITY_HIGH;
	else if (args->priority == DRM_QUIRE_PRIORITY_LOW)
		priority = DRM_SCHED_PRIORITY_LOW;
	context = context_create_in(drm, file, priority, args->vm);
	if (IS_ERR(context))
		return PTR_ERR(context);

	context->usage = quire_usage_get(qfile->usage);
	/* The device reads the page with the first submission, which is after that. */
	if (context->made)
		ret = dma_fence_wait(context->made, true) ?: context->made->error;
	if (!ret)
		ret = xa_alloc(&qfile->contexts, &args->context, context, limit, GFP_KERNEL);
	if (ret)
		quire_context_put(context);
	if (ret == -EBUSY)
		ret = quire_refuse(drm, -ENOSPC, "context: the file has %u",
				   DRM_QUIRE_MAX_CONTEXTS);
	return ret;
}

/**
 * quire_context_delete - a file has a context no more
 * @file: whose it is
 * @id: its identifier
 * Returns: 0, or -ENOENT.
 */
int quire_context_delete(struct drm_file *file, u32 id)
{
	struct quire_context *context = xa_erase(&to_quire_file(file)->contexts, id);

	if (!context)
		return -ENOENT;
	quire_context_put(context);
	return 0;
}

/**
 * quire_context_destroy_ioctl - %DRM_IOCTL_QUIRE_CONTEXT_DESTROY
 * @drm: the device
 * @data: &struct drm_quire_context_destroy
 * @file: of the caller
 * Returns: 0, or an error as documented there.
 */
int quire_context_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_context_destroy *args = data;

	if (args->pad)
		return quire_refuse(drm, -EINVAL, "context: pad %u", args->pad);
	if (quire_context_delete(file, args->context))
		return quire_refuse(drm, -ENOENT, "no context %u", args->context);
	return 0;
}

/**
 * quire_context_state_ioctl - %DRM_IOCTL_QUIRE_CONTEXT_STATE
 * @drm: the device
 * @data: &struct drm_quire_context_state
 * @file: of the caller
 * Returns: 0, or an error as documented there.
 */
int quire_context_state_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_context_state *args = data;
	struct quire_context *context;
	struct quire_context_end end;

	context = quire_context_lookup(file, args->context);
	if (!context)
		return quire_refuse(drm, -ENOENT, "no context %u", args->context);
	scoped_guard(spinlock_irq, &context->lock)
		end = context->end;
	quire_context_put(context);

	args->status = end.status;
	args->submission = end.submission;
	args->part = end.part;
	args->ring = end.ring;
	args->offset = end.offset;
	args->fault = end.fault;
	args->address = end.address;
	args->entry = end.entry;
	args->access = QUIRE_ACCESS_KIND(end.access);
	args->level = QUIRE_ACCESS_LEVEL(end.access);
	return 0;
}

/**
 * quire_context_close - drop a context of a file that is closed
 * @context: not the file's any more; executed to its end, unless the program was killed
 */
void quire_context_close(struct quire_context *context)
{
	if (current->flags & PF_EXITING && current->exit_code == SIGKILL)
		WRITE_ONCE(context->cancelled, true);
	quire_context_put(context);
}

/* What it takes to make one, and to tell of it. */
#define SAVE_BYTES	(2 * QUIRE_CONTEXT_WINDOW_BYTES + \
			 sizeof(struct quire_packet_init_context) + \
			 sizeof(struct quire_packet_update_context) + sizeof(__le64))

static const struct drm_gem_object_funcs save_funcs = {
	.free = quire_bo_free_later,
};

static const struct quire_bo_kind save_kind = {
	.type = ttm_bo_type_kernel,
	.funcs = &save_funcs,
	.destroy = quire_bo_fini,
};

static int save_create(struct quire_context_save *save, struct quire_vm *vm)
{
	const struct quire_bo_config config = {
		.size = PAGE_SIZE,
		.segments = BIT(QUIRE_SEGMENT_SYSTEM) | BIT(QUIRE_SEGMENT_VRAM) |
			    BIT(QUIRE_SEGMENT_APERTURE),
		.caching = ttm_cached,
		.gpuvm = &vm->base,
		.bulk = &vm->bulk,
	};
	struct quire_bo *bo;
	int ret;

	bo = quire_bo_create(vm->qdev, &config, &save_kind, NULL);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	ret = xa_alloc(&vm->context_pages.saves, &save->id, bo, xa_limit_32b, GFP_KERNEL);
	if (ret) {
		drm_gem_object_put(&bo->base.base);
		return ret;
	}
	save->bo = bo;
	return 0;
}

static u32 save_segment(const struct quire_bo *bo)
{
	return quire_segment_instance(quire_bo_mem_type(&bo->base));
}

static u64 save_address(const struct quire_bo *bo)
{
	return QUIRE_ADDRESS(save_segment(bo), (u64)bo->base.resource->start << PAGE_SHIFT);
}

/* Have the area made, if it is not, and the device told: in one buffer, as both use the window. */
static int save_tell(struct quire_context_page *page, struct quire_vm_validation *validation)
{
	struct dma_resv *resv = drm_gpuvm_resv(&validation->vm->base);
	struct quire_context_save *save = &page->save;
	const struct quire_paging_pte entry = {
		.flags = QUIRE_PTE(save_segment(save->bo), 0,
				   QUIRE_PTE_VALID | QUIRE_PTE_NO_EXECUTE),
		.page = save->bo->base.resource->start,
	};
	u64 address = save_address(save->bo);
	struct quire_paging_work work;
	struct dma_fence *fence;
	int ret;

	ret = dma_resv_reserve_fences(resv, 1);
	if (ret)
		return ret;
	quire_paging_work_init(&work, &validation->base.batch, NULL, SAVE_BYTES, true);
	work.lost = &save->failed;
	ret = quire_paging_work_begin_whole(&work, SAVE_BYTES);
	if (!ret && !save->ready)
		ret = quire_context_add_window(&work, &entry) ?:
		      quire_context_add_init(&work, true);
	ret = ret ?: quire_context_add_page(&work, page) ?:
	      quire_context_add_update(&work, offsetof(struct quire_context_area, save), address);
	quire_paging_work_end_whole(&work);
	fence = quire_paging_list_finish(&work.list, ret);
	if (IS_ERR(fence))
		return PTR_ERR(fence);
	dma_resv_add_fence(resv, fence, DMA_RESV_USAGE_KERNEL);
	dma_fence_put(page->made);
	page->made = fence;
	save->told = address;
	save->tells++;
	return 0;
}

static void save_lost(struct quire_context *context)
{
	quire_context_blame(context, &(struct quire_context_end) {
		.status = DRM_QUIRE_CONTEXT_LOST,
	});
}

/**
 * quire_context_save_validate - bring the save area of a context to where the device finds it
 * @context: has an address space, and is there for the device
 * @validation: one that runs; the address space is reserved, and all that is bound there
 *
 * It is there when the fences of usage %DMA_RESV_USAGE_KERNEL of the reservation have signalled.
 *
 * Returns: 0; -ECANCELED its content is lost, and the context has ended; -ENOMEM, -ENODEV, -EIO,
 * -ERESTARTSYS; other errors of quire_vm_place().
 */
int quire_context_save_validate(struct quire_context *context,
				struct quire_vm_validation *validation)
{
	struct quire_context_page *page = context->page;
	struct quire_context_save *save = &page->save;
	int ret = 0;

	if (!save->bo)
		ret = save_create(save, context->vm);
	if (ret)
		return ret;
	if (quire_bo_is_purged(save->bo)) {
		save_lost(context);
		return quire_refuse(&context->qdev->drm, -ECANCELED,
				    "exec: the registers of the context are lost");
	}
	ret = quire_vm_place(validation, save->bo);
	if (ret)
		return ret;
	/* All work of the address space is at work with it from here on. */
	save->bo->bound = true;
	if (save->told && !save->ready)
		save->ready = dma_fence_is_signaled(page->made) && !READ_ONCE(save->failed);
	/* An operation that failed is done again. */
	if (READ_ONCE(save->failed)) {
		WRITE_ONCE(save->given_up, save->tells);
		/* Who does not see that it failed sees what did: quire_context_save_error(). */
		smp_wmb();
		WRITE_ONCE(save->failed, false);
		save->told = 0;
	}
	return save->told == save_address(save->bo) ? 0 : save_tell(page, validation);
}

/**
 * quire_context_save_error - may commands of a context begin?
 * @context: the context; what its commands wait for has ended
 * @tell: &quire_context_save.tells when they were pushed
 * Returns: 0; -EIO the device was not told of its save area; -ECANCELED its content is lost, and
 * the context has ended.
 */
int quire_context_save_error(struct quire_context *context, unsigned long tell)
{
	const struct quire_context_save *save = &context->page->save;

	if (READ_ONCE(save->bo->lost)) {
		save_lost(context);
		return -ECANCELED;
	}
	if (READ_ONCE(save->failed))
		return -EIO;
	/* Pairs with quire_context_save_validate(). */
	smp_rmb();
	return tell <= READ_ONCE(save->given_up) ? -EIO : 0;
}
