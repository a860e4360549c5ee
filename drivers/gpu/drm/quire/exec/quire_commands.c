// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: From objects to jobs
 *
 * EXEC and SUBMIT take the same way. The objects that commands use are brought to their places
 * (quire_validation.c), and are reserved when quire_commands_queue() makes jobs:
 *
 * .. code-block:: none
 *
 *     first job   waits for moves of the objects, for fences that the program names, for what the
 *        |        paging queue writes to page tables, and for a split submission before it
 *        v
 *     jobs ...    one after the other in the entity of the context
 *        |
 *        v
 *     last job    its fence goes to all objects, and to the syncobjs of the program
 *
 * Fences are made when all that they wait for is queued: a waiter waits for the device alone, not
 * for memory or locks. What is larger than a job becomes several of them. What does not fit into
 * memory becomes several parts (the folder submit), each of which comes here.
 *
 * Locking: &quire_execution.gate, then reservations, then &quire_execution.lock.
 *
 * Source: DXGKDDI_SUBMITCOMMAND, DXGKDDI_SUBMITCOMMANDVIRTUAL.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mutex.h>

#include <uapi/drm/quire_drm.h>

#include <quire/quire_command.h>

#include "core/quire_device_types.h"
#include "core/quire_refuse.h"
#include "hw/quire_device_guard.h"
#include "vm/quire_vm.h"
#include "quire_command_job.h"
#include "quire_commands.h"
#include "quire_context.h"
#include "quire_execution.h"

/* Each has room for one command. */
static_assert(QUIRE_EXECUTION_JOB_SIZE >= QUIRE_COMMAND_MAX_SIZE);

static int find_context(struct quire_commands *commands, struct drm_file *file, u32 context)
{
	struct drm_device *drm = &commands->qdev->drm;
	int ret = quire_device_check(drm);

	if (ret)
		return ret;
	commands->context = quire_context_lookup(file, context);
	if (!commands->context)
		return quire_refuse(drm, -ENOENT, "%s: no context %u", commands->name, context);
	if (!commands->context->vm == !commands->ops->patch)
		return quire_refuse(drm, -EINVAL, "%s: context %u has %s VM", commands->name,
				    context, commands->context->vm ? "a" : "no");
	return 0;
}

/**
 * quire_commands_begin - find ring and context, and read what is waited for
 * @commands: @ops, @name and @qdev are set, the rest is zero; quire_commands_end() is to follow in
 *            any case
 * @file: the calling file
 * @context: number of the context
 * @ring: number of the execution ring
 * @syncs: of &struct drm_quire_sync
 *
 * Returns: 0; -EINVAL no such ring, or the context has an address space and the commands have
 * patches, or neither has; -ENOENT no such context; errors of quire_syncs_init(); -ENODEV, -EIO.
 */
int quire_commands_begin(struct quire_commands *commands, struct drm_file *file, u32 context,
			 u32 ring, const struct drm_quire_array *syncs)
{
	struct drm_device *drm = &commands->qdev->drm;

	commands->syncs.refused = QUIRE_SYNCS_NONE;
	if (ring >= commands->qdev->nr_executions)
		return quire_refuse(drm, -EINVAL, "%s: no ring %u", commands->name, ring);
	commands->execution = &commands->qdev->executions[ring];
	return quire_syncs_init(&commands->syncs, drm, syncs,
				DRM_QUIRE_SYNC_SIGNAL | DRM_QUIRE_SYNC_WAIT) ?:
	       find_context(commands, file, context);
}

/**
 * quire_commands_end - drop all references
 * @commands: queued or not
 */
void quire_commands_end(struct quire_commands *commands)
{
	quire_syncs_fini(&commands->syncs);
	dma_fence_put(commands->finished);
	dma_fence_put(commands->fence);
	if (commands->context)
		quire_context_put(commands->context);
}

/**
 * quire_commands_check_context - may commands of the context still be queued?
 * @commands: the commands
 *
 * The same is asked again when a job begins.
 *
 * Returns: 0, or the error of a context that has ended.
 */
int quire_commands_check_context(const struct quire_commands *commands)
{
	int ret = quire_context_error(commands->context);

	if (ret)
		return quire_refuse(&commands->qdev->drm, ret, "%s: the context has ended",
				    commands->name);
	return 0;
}

/**
 * quire_commands_execute - queue commands, and let the syncobjs of the program end with them
 * @commands: after quire_commands_begin()
 * @file: the calling file
 * @size: bytes that have to be patched, at most %QUIRE_MAX_COMMANDS
 * @queue: calls quire_commands_queue() for each part
 *
 * Returns: 0; errors of quire_syncs_lookup(), quire_command_memory_create() and @queue.
 */
int quire_commands_execute(struct quire_commands *commands, struct drm_file *file, u32 size,
			   int (*queue)(struct quire_commands *commands))
{
	int ret = quire_syncs_lookup(&commands->syncs, &commands->qdev->drm, file);

	if (ret)
		return ret;
	commands->memory = quire_command_memory_create(commands->context,
						       commands->execution->index, size);
	if (IS_ERR(commands->memory))
		return PTR_ERR(commands->memory);
	ret = queue(commands);
	quire_command_memory_put(commands->memory);
	if (!ret)
		quire_syncs_signal(&commands->syncs, dma_fence_get(commands->fence));
	return ret;
}

/* Where a job that begins at @start ends: between two commands. */
static u32 job_end(const struct quire_commands *commands, u32 start, u32 end)
{
	const struct quire_packet_header *header;
	u32 size, next = start;

	if (!commands->packets)
		return end;
	do {
		header = commands->packets + next;
		size = le32_to_cpu(header->size);
		if (next + size - start > QUIRE_EXECUTION_JOB_SIZE)
			break;
		next += size;
	} while (next < end);
	return next;
}

static int create_jobs(struct quire_commands *commands, u32 start, u32 end, struct list_head *jobs)
{
	struct quire_command_job *job;

	for (; start < end; start = job_end(commands, start, end)) {
		job = quire_command_job_create(commands->execution, commands->context);
		if (IS_ERR(job))
			return PTR_ERR(job);
		list_add_tail(&job->link, jobs);
	}
	return 0;
}

/* All that can fail. The first part waits for the program and the ring, later ones for that. */
static int depend(struct quire_commands *commands, struct drm_sched_job *job)
{
	int ret = quire_execution_reserve(commands->execution, job) ?:
		  commands->ops->depend(commands, job);
	u32 i;

	if (ret || commands->parts)
		return ret;
	for (i = 0; i < commands->syncs.count && !ret; i++)
		ret = drm_sched_job_add_dependency(job,
						   dma_fence_get(commands->syncs.items[i].fence));
	return ret ?: quire_execution_follow(commands->execution, job, commands->splits);
}

static void push_jobs(struct quire_commands *commands, u64 address, u32 start, u32 end,
		      struct list_head *jobs)
{
	struct quire_command_range range = { .address = address, .part = commands->parts };
	struct quire_command_job *job, *next;

	/* Calls that fail have no number. */
	if (!commands->parts)
		commands->submission = atomic64_inc_return(&commands->context->submissions);
	range.submission = commands->submission;
	if (commands->ops->patch)
		commands->ops->patch(commands, start, end);
	list_for_each_entry_safe(job, next, jobs, link) {
		list_del(&job->link);
		range.start = start;
		start = job_end(commands, start, end);
		range.size = start - range.start;
		dma_fence_put(commands->fence);
		dma_fence_put(commands->finished);
		commands->fence = quire_command_job_push(job, commands->memory, &range,
							 &commands->finished);
	}
	commands->ops->publish(commands);
	quire_execution_pushed(commands->execution, commands->finished, commands->splits);
	commands->parts++;
}

/**
 * quire_commands_queue - queue a part
 * @commands: in quire_commands_execute(); the gate of the ring was entered, alone if @splits
 * @address: virtual, of the first command; 0: they have to be patched
 * @start: first byte of the part
 * @end: behind the last one
 *
 * All that it uses is reserved, and has its place.
 *
 * Returns: 0; -ENOMEM, then nothing of it was queued.
 *
 * Source: "Submitting a command buffer" of the original's documentation.
 */
int quire_commands_queue(struct quire_commands *commands, u64 address, u32 start, u32 end)
{
	struct quire_command_job *job, *next;
	LIST_HEAD(jobs);
	int ret;

	mutex_lock(&commands->execution->lock);
	ret = create_jobs(commands, start, end, &jobs);
	if (!ret)
		ret = depend(commands,
			     &list_first_entry(&jobs, struct quire_command_job, link)->base);
	if (!ret)
		push_jobs(commands, address, start, end, &jobs);
	else
		list_for_each_entry_safe(job, next, &jobs, link)
			quire_command_job_destroy(job);
	mutex_unlock(&commands->execution->lock);
	return ret;
}
