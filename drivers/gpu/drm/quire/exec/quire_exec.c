// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Commands with virtual addresses
 *
 * %DRM_IOCTL_QUIRE_EXEC names nothing but an address: its commands may use all that is bound in
 * the address space of their context. These objects are reserved and brought back
 * (quire_vm_validate.c), so are the registers of the context (quire_context_save.c), and all stay
 * until the fence of the commands signals. Nobody checks the commands: page tables keep programs
 * apart.
 *
 * A job waits for moves of the objects, for what the paging queue has written to page tables, and
 * for the fences that the program names; not for binds, for which programs use syncobjs.
 *
 * Locking: &quire_execution.lock, then reservations.
 *
 * Source: DXGKDDI_SUBMITCOMMANDVIRTUAL.
 */
#include <linux/dma-resv.h>

#include <drm/drm_exec.h>
#include <drm/drm_gpuvm.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "core/quire_refuse.h"
#include "core/quire_sync.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_plug.h"
#include "vm/quire_vm.h"
#include "vm/quire_vm_place.h"
#include "vm/quire_vm_table.h"
#include "vm/quire_vm_validate.h"
#include "quire_command_job.h"
#include "quire_context.h"
#include "quire_execution.h"

/**
 * struct exec - one call
 * @validation: base
 * @execution: the ring
 * @context: whose commands they are, with a reference
 * @memory: what is charged for them
 * @exec: what is reserved
 * @syncs: fences in and out
 * @address: virtual, of the first command
 * @size: bytes of them
 * @submission: returned, its number
 * @fence: of the commands, once they were pushed
 */
struct exec {
	struct quire_vm_validation validation;
	struct quire_execution *execution;
	struct quire_context *context;
	struct quire_command_memory *memory;
	struct drm_exec exec;
	struct quire_syncs syncs;
	u64 address;
	u32 size;
	u64 submission;
	struct dma_fence *fence;
};

static int check_args(struct drm_device *drm, const struct drm_quire_exec *args)
{
	struct quire_device *qdev = to_quire_device(drm);

	if (args->flags)
		return quire_refuse(drm, -EINVAL, "exec: flags %#x", args->flags);
	if (args->ring >= qdev->nr_executions)
		return quire_refuse(drm, -EINVAL, "exec: no ring %u", args->ring);
	if (!args->size || args->size % sizeof(u64) || args->address % sizeof(u64))
		return quire_refuse(drm, -EINVAL, "exec: address %#llx, size %u", args->address,
				    args->size);
	if (args->address > DRM_QUIRE_VM_SIZE - args->size)
		return quire_refuse(drm, -ERANGE, "exec: address %#llx, size %u", args->address,
				    args->size);
	if (args->size > qdev->max_submission)
		return quire_refuse(drm, -E2BIG, "exec: size %u is above %u", args->size,
				    qdev->max_submission);
	return 0;
}

/* All that can fail. */
static int prepare(struct exec *exec, struct drm_sched_job *job)
{
	struct drm_gem_object *obj;
	int ret;
	u32 i;

	ret = quire_execution_reserve(exec->execution, job) ?:
	      quire_execution_follow(exec->execution, job, false) ?:
	      drm_sched_job_add_dependency(job, quire_vm_tables_written(&exec->validation.vm->pages));
	for (i = 0; i < exec->syncs.count && !ret; i++)
		ret = drm_sched_job_add_dependency(job, dma_fence_get(exec->syncs.items[i].fence));
	drm_exec_for_each_locked_object(&exec->exec, obj)
		if (!ret)
			ret = drm_sched_job_add_resv_dependencies(job, obj->resv,
								  DMA_RESV_USAGE_KERNEL) ?:
			      dma_resv_reserve_fences(obj->resv, 1);
	return ret;
}

static int queue(struct exec *exec)
{
	struct quire_command_range range = { .address = exec->address, .size = exec->size };
	struct quire_command_job *job;
	struct dma_fence *finished;
	struct drm_gem_object *obj;
	int ret;

	job = quire_command_job_create(exec->execution, exec->context);
	if (IS_ERR(job))
		return PTR_ERR(job);
	ret = prepare(exec, &job->base);
	if (ret) {
		quire_command_job_destroy(job);
		return ret;
	}
	exec->submission = atomic64_inc_return(&exec->context->submissions);
	range.submission = exec->submission;
	exec->fence = quire_command_job_push(job, exec->memory, &range, &finished);
	drm_exec_for_each_locked_object(&exec->exec, obj)
		dma_resv_add_fence(obj->resv, exec->fence, DMA_RESV_USAGE_BOOKKEEP);
	quire_execution_pushed(exec->execution, finished, false);
	dma_fence_put(finished);
	return 0;
}

static int try_exec(struct quire_validation *base)
{
	struct exec *exec = container_of(base, struct exec, validation.base);
	struct quire_vm_validation *validation = &exec->validation;
	struct drm_gpuvm *gpuvm = &validation->vm->base;
	struct quire_device *qdev = base->qdev;
	bool plugged;
	int ret, idx;

	validation->refused = U64_MAX;
	ret = quire_context_error(exec->context);
	if (ret)
		return quire_refuse(&qdev->drm, ret, "exec: the context has ended");
	ret = quire_device_enter(&qdev->drm, &idx);
	if (ret)
		return ret;
	plugged = qdev->device_copies && quire_plug_begin(qdev->paging_queue);
	drm_exec_init(&exec->exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES, 0);
	drm_exec_until_all_locked(&exec->exec) {
		ret = drm_gpuvm_prepare_vm(gpuvm, &exec->exec, 0) ?:
		      drm_gpuvm_prepare_objects(gpuvm, &exec->exec, 0);
		drm_exec_retry_on_contention(&exec->exec);
		ret = ret ?: quire_vm_validate(validation, &exec->exec) ?:
		      quire_context_save_validate(exec->context, validation);
		if (ret)
			break;
	}
	ret = ret ?: queue(exec);
	drm_exec_fini(&exec->exec);
	quire_plug_end(qdev->paging_queue, plugged);
	quire_device_exit(idx);
	return ret;
}

static int run(struct exec *exec)
{
	int ret;

	exec->memory = quire_command_memory_create(exec->context, exec->execution->index, 0);
	if (IS_ERR(exec->memory))
		return PTR_ERR(exec->memory);
	quire_vm_validation_init(&exec->validation, exec->context->vm, try_exec);
	exec->validation.base.lock = &exec->execution->lock;
	ret = quire_validation_run(&exec->validation.base);
	quire_validation_forget(&exec->validation.base);
	quire_command_memory_put(exec->memory);
	if (!ret)
		quire_syncs_signal(&exec->syncs, dma_fence_get(exec->fence));
	dma_fence_put(exec->fence);
	return ret;
}

static int exec_in_context(struct exec *exec, struct drm_device *drm, struct drm_file *file,
			   const struct drm_quire_exec *args)
{
	int ret, idx;

	ret = quire_device_enter(drm, &idx);
	if (ret)
		return ret;
	quire_device_exit(idx);

	exec->context = quire_context_lookup(file, args->context);
	if (!exec->context)
		return quire_refuse(drm, -ENOENT, "exec: no context %u", args->context);
	if (!exec->context->vm)
		ret = quire_refuse(drm, -EINVAL, "exec: context %u has no VM", args->context);
	ret = ret ?: quire_syncs_lookup(&exec->syncs, drm, file) ?: run(exec);
	quire_context_put(exec->context);
	return ret;
}

/**
 * quire_exec_ioctl - %DRM_IOCTL_QUIRE_EXEC
 * @drm: the device
 * @data: &struct drm_quire_exec
 * @file: who asks
 * Returns: 0, or an error as documented there.
 */
int quire_exec_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_exec *args = data;
	struct exec exec = {
		.validation.refused = U64_MAX,
		.address = args->address,
		.size = args->size,
	};
	int ret;

	ret = check_args(drm, args) ?:
	      quire_syncs_init(&exec.syncs, drm, &args->syncs,
			       DRM_QUIRE_SYNC_SIGNAL | DRM_QUIRE_SYNC_WAIT);
	if (!ret) {
		exec.execution = &to_quire_device(drm)->executions[args->ring];
		ret = exec_in_context(&exec, drm, file, args);
		quire_syncs_fini(&exec.syncs);
	}
	args->submission = exec.submission;
	args->refused_address = exec.validation.refused;
	if (!ret || quire_error_names_none(ret))
		args->refused_address = U64_MAX;
	return ret;
}
