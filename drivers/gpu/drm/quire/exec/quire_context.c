// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Contexts
 *
 * The work of a program that ends together: a command that hangs or is refused ends its context,
 * and nothing else. Each context has an entity of the scheduler of each execution ring, and a
 * timeline of fences there.
 *
 * A context lives as long as the file that made it, a call that uses it, or a job of it. Its
 * entities go earlier if the device goes, whose schedulers they belong to.
 *
 * Source: DXGKDDI_CREATECONTEXT; "Timeout detection and recovery" of the original's
 * documentation.
 */
#include <linux/capability.h>
#include <linux/dma-fence.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "core/quire_device_types.h"
#include "core/quire_file_types.h"
#include "core/quire_refuse.h"
#include "hw/quire_device_guard.h"
#include "hw/quire_usage.h"
#include "vm/quire_context_page.h"
#include "vm/quire_vm.h"
#include "quire_context.h"
#include "quire_execution.h"

/**
 * quire_contexts_init - there are none
 * @contexts: to initialise
 */
void quire_contexts_init(struct quire_contexts *contexts)
{
	mutex_init(&contexts->lock);
	INIT_LIST_HEAD(&contexts->list);
}

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
 * @contexts: no job of any of them is left, and no new one comes
 *
 * Programs may keep contexts: they execute nothing any more.
 */
void quire_contexts_fini(struct quire_contexts *contexts)
{
	struct quire_context *context, *next;

	mutex_lock(&contexts->lock);
	list_for_each_entry_safe(context, next, &contexts->list, link) {
		list_del_init(&context->link);
		context_fini_device(context);
	}
	mutex_unlock(&contexts->lock);
}

/* May run in the work of a scheduler: under the lock nothing waits for such work or for memory. */
static void context_release(struct kref *refs)
{
	struct quire_context *context = container_of(refs, struct quire_context, refs);
	struct quire_contexts *contexts = context->qdev->contexts;
	struct drm_device *drm = &context->qdev->drm;

	mutex_lock(&contexts->lock);
	list_del(&context->link);
	context_fini_device(context);
	mutex_unlock(&contexts->lock);
	dma_fence_put(context->made);
	if (context->vm)
		quire_vm_put(context->vm);
	quire_usage_put(context->usage);
	kfree(context);
	drm_dev_put(drm);
}

/**
 * quire_context_get - take a reference
 * @context: of which the caller has one
 * Returns: @context.
 */
struct quire_context *quire_context_get(struct quire_context *context)
{
	kref_get(&context->refs);
	return context;
}

/**
 * quire_context_put - drop a reference
 * @context: not the caller's any more
 *
 * May sleep.
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
 * @context: the context; if it has ended it keeps the first reason, unless that was a fault on
 *           another ring that is explained here
 * @end: the reason
 *
 * Any context, also hard interrupt.
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

/**
 * quire_context_error - is its work executed?
 * @context: the context
 *
 * Any context, also hard interrupt.
 *
 * Returns: 0, or -ECANCELED.
 */
int quire_context_error(struct quire_context *context)
{
	return READ_ONCE(context->end.status) != DRM_QUIRE_CONTEXT_GOOD ||
	       READ_ONCE(context->cancelled) ? -ECANCELED : 0;
}

static int context_init_rings(struct quire_context *context)
{
	struct quire_device *qdev = context->qdev;
	u32 i;

	for (i = 0; i < qdev->nr_executions; i++) {
		struct drm_gpu_scheduler *sched = &qdev->executions[i].sched;
		struct quire_context_ring *ring = &context->rings[i];
		int ret;

		ret = drm_sched_entity_init(&ring->entity, context->priority, &sched, 1, NULL);
		if (ret)
			return ret;
		ring->fence_context = dma_fence_context_alloc(1);
		context->nr_rings++;
	}
	return 0;
}

static struct quire_context *context_create(struct quire_device *qdev,
					    enum drm_sched_priority priority,
					    struct quire_vm *vm)
{
	struct quire_context *context = kzalloc(sizeof(*context), GFP_KERNEL_ACCOUNT);
	struct quire_context_page *page;
	int ret;

	if (!context)
		return ERR_PTR(-ENOMEM);

	kref_init(&context->refs);
	context->qdev = qdev;
	context->priority = priority;
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

	mutex_lock(&qdev->contexts->lock);
	list_add_tail(&context->link, &qdev->contexts->list);
	ret = context_init_rings(context);
	mutex_unlock(&qdev->contexts->lock);
	if (!ret)
		return context;
err_put:
	quire_context_put(context);
	return ERR_PTR(ret);
}

static int context_priority(struct drm_device *drm, u32 asked, enum drm_sched_priority *priority)
{
	switch (asked) {
	case DRM_QUIRE_PRIORITY_LOW:
		*priority = DRM_SCHED_PRIORITY_LOW;
		return 0;
	case DRM_QUIRE_PRIORITY_NORMAL:
		*priority = DRM_SCHED_PRIORITY_NORMAL;
		return 0;
	case DRM_QUIRE_PRIORITY_HIGH:
		if (!capable(CAP_SYS_NICE))
			return quire_refuse(drm, -EACCES, "context: high priority");
		*priority = DRM_SCHED_PRIORITY_HIGH;
		return 0;
	default:
		return quire_refuse(drm, -EINVAL, "context: no priority %u", asked);
	}
}

/* @id: of an address space, or 0 */
static struct quire_context *context_create_in(struct drm_device *drm, struct drm_file *file,
					       enum drm_sched_priority priority, u32 id)
{
	struct quire_context *context;
	struct quire_vm *vm = NULL;

	CLASS(quire_device, device)(drm);
	if (device < 0)
		return ERR_PTR(device);
	if (id)
		vm = quire_vm_lookup(file, id);
	if (id && !vm)
		return ERR_PTR(quire_refuse(drm, -ENOENT, "context: no VM %u", id));
	context = context_create(to_quire_device(drm), priority, vm);
	if (vm)
		quire_vm_put(vm);
	return context;
}

/**
 * quire_context_create_ioctl - %DRM_IOCTL_QUIRE_CONTEXT_CREATE
 * @drm: the device
 * @data: &struct drm_quire_context_create
 * @file: who asks
 * Returns: 0, or an error as documented there.
 */
int quire_context_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct xa_limit limit = XA_LIMIT(1, DRM_QUIRE_MAX_CONTEXTS);
	struct drm_quire_context_create *args = data;
	struct quire_file *qfile = to_quire_file(file);
	enum drm_sched_priority priority;
	struct quire_context *context;
	int ret;

	if (args->flags || args->pad || args->pad2)
		return quire_refuse(drm, -EINVAL, "context: flags %#x, pads %u and %u",
				    args->flags, args->pad, args->pad2);
	ret = context_priority(drm, args->priority, &priority);
	if (ret)
		return ret;
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
 * @file: who asks
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
 * @file: who asks
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
	spin_lock_irq(&context->lock);
	end = context->end;
	spin_unlock_irq(&context->lock);
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
 * @context: not the file's any more
 *
 * Its submissions are still executed, unless the program was killed: then those that have not
 * begun never do.
 */
void quire_context_close(struct quire_context *context)
{
	if (current->flags & PF_EXITING && current->exit_code == SIGKILL)
		WRITE_ONCE(context->cancelled, true);
	quire_context_put(context);
}
