// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Queueing a part
 *
 * The objects of the part are reserved, and stay where they are until its fence signals. Its
 * commands are copied with their addresses (commands/quire_command_patch.c), and pushed in jobs.
 * The first job waits for what the objects wait for, and, of the first part, for the fences of the
 * program and for the ring (quire_execution_follow()). The fence of the last job is that of the
 * part, and goes to all the objects.
 *
 * The module parameter patch_commands_twice patches each part twice, which changes nothing.
 */
#include <linux/dma-resv.h>
#include <linux/module.h>

#include <quire/quire_command.h>
#include <quire/quire_hw.h>

#include "commands/quire_command_patch.h"
#include "bo/quire_bo.h"
#include "exec/quire_command_job.h"
#include "exec/quire_context.h"
#include "exec/quire_execution.h"
#include "quire_submit.h"

static bool quire_patch_commands_twice;
module_param_named(patch_commands_twice, quire_patch_commands_twice, bool, 0644);
MODULE_PARM_DESC(patch_commands_twice,
		 "Patch each part of a command buffer twice, for tests (default: false)");

/* Each has room for one command. */
static_assert(QUIRE_EXECUTION_JOB_SIZE >= QUIRE_COMMAND_MAX_SIZE);

/* Where a job that begins at @start ends: between two commands. */
static u32 job_end(const struct quire_submit *submit, u32 start, u32 end)
{
	const struct quire_packet_header *header;
	u32 size, next = start;

	do {
		header = submit->list.commands + next;
		size = le32_to_cpu(header->size);
		if (next + size - start > QUIRE_EXECUTION_JOB_SIZE)
			break;
		next += size;
	} while (next < end);
	return next;
}

static struct quire_submit_object *part_object(struct quire_submit *submit,
					       const struct quire_submit_part *part, u32 i)
{
	return &submit->objects[part->objects ? part->objects[i] : i];
}

static int part_add_objects(struct quire_submit *submit, struct quire_command_job *job,
			    const struct quire_submit_part *part)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < part->nr_objects && !ret; i++) {
		struct quire_submit_object *object = part_object(submit, part, i);
		struct dma_resv *resv = object->bo->base.base.resv;

		/* Two objects may share it, one of which is written, and the other one read. */
		ret = dma_resv_reserve_fences(resv, 2) ?:
		      drm_sched_job_add_resv_dependencies(&job->base, resv,
							  dma_resv_usage_rw(object->writes));
	}
	return ret;
}

/* All that can fail. */
static int part_prepare(struct quire_submit *submit, struct quire_command_job *job,
			const struct quire_submit_part *part)
{
	int ret = quire_execution_reserve(submit->execution, &job->base) ?:
		  part_add_objects(submit, job, part);
	u32 i;

	if (ret || submit->parts)
		return ret;
	for (i = 0; i < submit->syncs.count && !ret; i++)
		ret = drm_sched_job_add_dependency(&job->base,
						   dma_fence_get(submit->syncs.items[i].fence));
	return ret ?: quire_execution_follow(submit->execution, &job->base, submit->splits);
}

static void part_push(struct quire_submit *submit, struct quire_command_job *job, u32 start,
		      u32 end)
{
	const struct quire_command_range range = {
		.size = end - start,
		.submission = submit->submission,
		.part = submit->parts,
		.start = start,
	};

	dma_fence_put(submit->fence);
	dma_fence_put(submit->finished);
	submit->fence = quire_command_job_push(job, submit->memory, &range, &submit->finished);
}

/* The fence of the last job is that of the part. */
static void part_publish(struct quire_submit *submit, const struct quire_submit_part *part)
{
	u32 i;

	for (i = 0; i < part->nr_objects; i++) {
		struct quire_submit_object *object = part_object(submit, part, i);

		dma_resv_add_fence(object->bo->base.base.resv, submit->fence,
				   object->writes ? DMA_RESV_USAGE_WRITE : DMA_RESV_USAGE_READ);
	}
	quire_execution_pushed(submit->execution, submit->finished, submit->splits);
}

/**
 * quire_submit_part - queue a part
 * @submit: the submission; its execution ring is locked, and it has memory for its commands
 * @part: its objects are reserved, and are at &quire_submit.addresses
 * Returns: 0; -ENOMEM, then nothing of it was queued.
 *
 * Source: "Submitting a command buffer" of the original's documentation; DXGKDDI_PATCH.
 */
int quire_submit_part(struct quire_submit *submit, const struct quire_submit_part *part)
{
	unsigned int times = READ_ONCE(quire_patch_commands_twice) ? 2 : 1;
	struct quire_command_job *job, *next;
	u32 start, end;
	LIST_HEAD(jobs);
	int ret = 0;

	lockdep_assert_held(&submit->execution->lock);

	for (start = part->start; start < part->end && !ret;
	     start = job_end(submit, start, part->end)) {
		job = quire_command_job_create(submit->execution, submit->context);
		ret = PTR_ERR_OR_ZERO(job);
		if (!ret)
			list_add_tail(&job->link, &jobs);
	}
	if (!ret)
		ret = part_prepare(submit, list_first_entry(&jobs, struct quire_command_job, link),
				   part);
	if (ret) {
		list_for_each_entry_safe(job, next, &jobs, link)
			quire_command_job_destroy(job);
		return ret;
	}

	/* Submissions that fail have no number. */
	if (!submit->parts)
		submit->submission = atomic64_inc_return(&submit->context->submissions);
	while (times--)
		quire_command_patch((void *)submit->memory->words + part->start, &submit->list,
				    submit->fields, part->start, part->end, submit->addresses);
	start = part->start;
	list_for_each_entry_safe(job, next, &jobs, link) {
		list_del(&job->link);
		end = job_end(submit, start, part->end);
		part_push(submit, job, start, end);
		start = end;
	}
	part_publish(submit, part);
	submit->parts++;
	return 0;
}
