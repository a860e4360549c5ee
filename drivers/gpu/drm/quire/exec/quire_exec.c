// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Commands with virtual addresses
 *
 * %DRM_IOCTL_QUIRE_EXEC names nothing but an address: its commands may use all that is bound in
 * the address space of their context. These objects, and the registers of the context, are reserved
 * and brought back (quire_vm_validate.c), and stay until the fence of the commands signals. Nobody
 * checks the commands: page tables keep programs apart. A job does not wait for binds, for which
 * programs use syncobjs.
 *
 * Source: DXGKDDI_SUBMITCOMMANDVIRTUAL.
 */
#include <linux/dma-resv.h>

#include <drm/drm_exec.h>
#include <drm/drm_gpuvm.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "core/quire_refuse.h"
#include "hw/quire_device_guard.h"
#include "vm/quire_vm.h"
#include "vm/quire_vm_validate.h"
#include "quire_context.h"
#include "quire_execution.h"

struct exec {
	struct quire_commands commands;
	struct quire_vm_validation validation;
	struct drm_exec exec; /* what is reserved */
	u64 address; /* virtual, of the first command */
	u32 size;
};

static struct exec *to_exec(struct quire_commands *commands)
{
	return container_of(commands, struct exec, commands);
}

static int check_args(struct drm_device *drm, const struct drm_quire_exec *args)
{
	struct quire_device *qdev = to_quire_device(drm);

	if (args->flags)
		return quire_refuse(drm, -EINVAL, "exec: flags %#x", args->flags);
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

static int exec_depend(struct quire_commands *commands, struct drm_sched_job *job)
{
	struct exec *exec = to_exec(commands);
	struct drm_gem_object *obj;
	int ret;

	ret = drm_sched_job_add_dependency(job,
					   quire_vm_tables_written(&commands->context->vm->pages));
	drm_exec_for_each_locked_object(&exec->exec, obj)
		if (!ret)
			ret = drm_sched_job_add_resv_dependencies(job, obj->resv,
								  DMA_RESV_USAGE_KERNEL) ?:
			      dma_resv_reserve_fences(obj->resv, 1);
	return ret;
}

static void exec_publish(struct quire_commands *commands)
{
	struct drm_gem_object *obj;

	drm_exec_for_each_locked_object(&to_exec(commands)->exec, obj)
		dma_resv_add_fence(obj->resv, commands->fence, DMA_RESV_USAGE_BOOKKEEP);
}

static const struct quire_commands_ops exec_ops = {
	.depend = exec_depend,
	.publish = exec_publish,
};

static int try_exec(struct quire_validation *base)
{
	struct exec *exec = container_of(base, struct exec, validation.base);
	struct quire_vm_validation *validation = &exec->validation;
	struct drm_gpuvm *gpuvm = &validation->vm->base;
	int ret;

	validation->refused = U64_MAX;
	ret = quire_commands_check_context(&exec->commands);
	if (ret)
		return ret;
	CLASS(quire_device, device)(&base->qdev->drm);
	if (device < 0)
		return device;
	guard(quire_plug)(&base->batch);
	drm_exec_init(&exec->exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES, 0);
	drm_exec_until_all_locked(&exec->exec) {
		ret = drm_gpuvm_prepare_vm(gpuvm, &exec->exec, 0) ?:
		      drm_gpuvm_prepare_objects(gpuvm, &exec->exec, 0);
		drm_exec_retry_on_contention(&exec->exec);
		ret = ret ?: quire_vm_validate(validation, &exec->exec) ?:
		      quire_context_save_validate(exec->commands.context, validation);
		if (ret)
			break;
	}
	ret = ret ?: quire_commands_queue(&exec->commands, exec->address, 0, exec->size);
	drm_exec_fini(&exec->exec);
	return ret;
}

static int exec_queue(struct quire_commands *commands)
{
	struct quire_vm_validation *validation = &to_exec(commands)->validation;
	int ret;

	quire_vm_validation_init(validation, commands->context->vm, try_exec);
	validation->base.gate = &commands->execution->gate;
	ret = quire_validation_run(&validation->base);
	quire_validation_forget(&validation->base);
	return ret;
}

/**
 * quire_exec_ioctl - %DRM_IOCTL_QUIRE_EXEC
 * @drm: the device
 * @data: &struct drm_quire_exec
 * @file: the calling file
 * Returns: 0, or an error as documented there.
 */
int quire_exec_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_exec *args = data;
	struct exec exec = {
		.commands.ops = &exec_ops,
		.commands.name = "exec",
		.commands.qdev = to_quire_device(drm),
		.validation.refused = U64_MAX,
		.address = args->address,
		.size = args->size,
	};
	int ret;

	ret = check_args(drm, args) ?:
	      quire_commands_begin(&exec.commands, file, args->context, args->ring,
				   &args->syncs) ?:
	      quire_commands_execute(&exec.commands, file, 0, exec_queue);
	args->submission = exec.commands.submission;
	args->refused_address = exec.validation.refused;
	if (!ret || quire_error_names_none(ret))
		args->refused_address = U64_MAX;
	quire_commands_end(&exec.commands);
	return ret;
}
