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
 * for memory or locks. What does not fit into memory becomes several parts (the folder submit).
 *
 * If the context has ended when the scheduler runs a job, the job has no bytes on the ring and its
 * fence ends with -ECANCELED, but behind all fences before it: commands that are still on the ring
 * use its objects. The same is asked again when a ring is restarted with what was pending.
 *
 * Commands of SUBMIT stand in memory of the kernel, charged to their program, until the scheduler
 * has freed the last of their jobs. A job is copied to the pool of its ring when it runs. A context
 * has a limit of such memory on each ring: a caller above it waits, with no lock.
 *
 * Locking: &quire_execution.gate, then reservations, then &quire_execution.lock from the making of
 * jobs until they are pushed; &quire_ring.lock on the way through the ring.
 *
 * Source: DXGKDDI_SUBMITCOMMAND, DXGKDDI_SUBMITCOMMANDVIRTUAL.
 */
#include <linux/build_bug.h>
#include <linux/cleanup.h>
#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include <drm/gpu_scheduler.h>
#include <uapi/drm/quire_drm.h>

#include <quire/quire_command.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "core/quire_refuse.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_out_fence.h"
#include "vm/quire_context_page.h"
#include "vm/quire_vm.h"
#include "quire_context.h"
#include "quire_execution.h"

/* Of a context on a ring, and for jobs and fences of a submission: against too many small ones. */
#define COMMAND_MEMORY_MAX	SZ_2M
#define COMMAND_MEMORY_EACH	SZ_4K

static_assert(QUIRE_MAX_COMMANDS + COMMAND_MEMORY_EACH <= COMMAND_MEMORY_MAX);

/* Each has room for one command. */
static_assert(QUIRE_EXECUTION_JOB_SIZE >= QUIRE_COMMAND_MAX_SIZE);

/* The commands of a submission, with their addresses: no more changes once a job has them. */
struct quire_command_memory {
	struct kref refs; /* of the call and its jobs, which have references to @context, too */
	struct quire_context *context;
	u32 ring;
	u32 size;
	__le64 words[];
};

/* Commands of a job on their way through the ring. */
struct command_submission {
	struct quire_ring_fence base; /* first, because its fence is freed by it */
	struct quire_context *context; /* lives as long as the job */
	struct quire_execution *execution;
	u64 number; /* in the context */
	u32 part;
	u32 start; /* byte of the command buffer, and of its memory, where they begin */
	unsigned long tell; /* quire_context_save.tells, if the context has an address space */
	unsigned long renewals; /* quire_vm_tables.renewals of that */
};

/* Some commands of a part, in the hands of the scheduler. */
struct command_job {
	struct drm_sched_job base;
	struct quire_context *context;
	struct quire_execution *execution;
	struct command_submission *submission; /* until the ring takes it */
	struct quire_command_memory *memory; /* once it is pushed */
	struct quire_out_fence *out; /* its fence, as others see it; until it is pushed */
	struct list_head link; /* in the jobs of the part, until then */
};

static void memory_uncharge(struct quire_context *context, u32 ring, u32 bytes)
{
	scoped_guard(spinlock_irq, &context->lock)
		context->rings[ring].queued -= bytes;
	wake_up_all(&context->room);
}

/* Waits while the context has too much of it. Not initialised. */
static noinline struct quire_command_memory *
quire_command_memory_create(struct quire_context *context, u32 ring, u32 size)
{
	u32 *queued = &context->rings[ring].queued;
	u32 bytes = size + COMMAND_MEMORY_EACH;
	struct quire_command_memory *memory;
	int ret;

	scoped_guard(spinlock_irq, &context->lock) {
		ret = wait_event_interruptible_lock_irq(context->room,
							*queued + bytes <= COMMAND_MEMORY_MAX,
							context->lock);
		if (ret)
			return ERR_PTR(ret);
		*queued += bytes;
	}
	memory = kvmalloc(struct_size(memory, words, size / sizeof(*memory->words)),
			  GFP_KERNEL_ACCOUNT);
	if (!memory) {
		memory_uncharge(context, ring, bytes);
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&memory->refs);
	memory->context = context;
	memory->ring = ring;
	memory->size = size;
	return memory;
}

static void memory_release(struct kref *refs)
{
	struct quire_command_memory *memory = container_of(refs, struct quire_command_memory, refs);

	memory_uncharge(memory->context, memory->ring, memory->size + COMMAND_MEMORY_EACH);
	kvfree(memory);
}

static struct command_submission *to_command_submission(struct quire_ring_fence *fence)
{
	return container_of(fence, struct command_submission, base);
}

/* A job whose page tables or save area are not what they were when it was pushed does not begin. */
static int command_prepare(struct quire_ring_fence *fence)
{
	struct command_submission *submission = to_command_submission(fence);
	struct quire_context *context = submission->context;
	const struct quire_vm_tables *tables;
	int ret;

	if (!context->vm)
		return quire_context_error(context);
	tables = &context->vm->pages;
	if (READ_ONCE(tables->failed))
		return -EIO;
	/* Pairs with quire_vm_renew_tables(). */
	smp_rmb();
	if (submission->renewals != READ_ONCE(tables->renewals))
		return -EIO;
	ret = quire_context_save_error(context, submission->tell);
	return ret ?: quire_context_error(context);
}

static void command_locate(const struct command_submission *submission,
			   struct quire_context_end *end)
{
	end->submission = submission->number;
	end->part = submission->part;
	end->ring = submission->execution->index;
	end->offset = submission->start + submission->base.executed;
}

/* Another ring may have latched something else of the same context. */
static bool latch_is_of(const struct quire_context_area *area, const struct quire_context_end *end)
{
	return le32_to_cpu(READ_ONCE(area->fault_code)) == end->fault &&
	       le64_to_cpu(READ_ONCE(area->fault_address)) == end->address;
}

static void command_read_latch(const struct quire_context_page *page, struct quire_context_end *end)
{
	const struct quire_context_area *area;
	u32 access;
	u64 entry;

	if (!page || !end->fault)
		return;
	area = page->area;
	if (!latch_is_of(area, end))
		return;
	entry = le64_to_cpu(READ_ONCE(area->fault_entry));
	access = le32_to_cpu(READ_ONCE(area->fault_access));
	/* That ring may do so now. */
	dma_rmb();
	if (!latch_is_of(area, end))
		return;
	end->entry = entry;
	end->access = access;
}

/* The context is to blame if recovery gave the job up and knows the cause. */
static void command_retire(struct quire_ring_fence *fence, int error)
{
	struct command_submission *submission = to_command_submission(fence);
	struct quire_context_end end = submission->execution->cause;

	if (!error || fence->refused || end.status == DRM_QUIRE_CONTEXT_GOOD)
		return;
	command_locate(submission, &end);
	command_read_latch(submission->context->page, &end);
	/* That address is the driver's, not one of the program. */
	if (end.fault == QUIRE_FAULT_BAD_CONTEXT)
		end.address = 0;
	quire_context_blame(submission->context, &end);
}

static const struct quire_ring_fence_ops command_ops = {
	.prepare = command_prepare,
	.retire = command_retire,
};

/**
 * quire_commands_at_work - which command is at work?
 * @execution: the execution ring; its ring is stopped
 * @end: set: submission, part, ring and byte of the command; unchanged if there is none
 */
void quire_commands_at_work(struct quire_execution *execution, struct quire_context_end *end)
{
	struct quire_ring *ring = &execution->ring;
	struct quire_ring_fence *oldest;
	unsigned long flags;

	spin_lock_irqsave(&ring->lock, flags);
	oldest = list_first_entry_or_null(&ring->pending, struct quire_ring_fence, link);
	if (oldest)
		command_locate(to_command_submission(oldest), end);
	spin_unlock_irqrestore(&ring->lock, flags);
}

/* The scheduler has no more jobs on the ring than there are places: the oldest one is free. */
static u64 execution_load(struct quire_execution *execution, const void *commands, u32 size)
{
	u32 offset = execution->loaded++ % QUIRE_EXECUTION_JOBS * QUIRE_EXECUTION_JOB_SIZE;

	memcpy(execution->pool_cpu + offset, commands, size);
	return execution->pool_dma + offset;
}

static struct dma_fence *command_run_job(struct drm_sched_job *sched_job)
{
	struct command_job *job = container_of(sched_job, struct command_job, base);
	struct command_submission *submission = job->submission;
	struct quire_execution *execution = job->execution;
	bool cookie = dma_fence_begin_signalling();
	struct dma_fence *fence;

	job->submission = NULL;
	if (!job->context->vm)
		submission->base.addr = execution_load(execution, (void *)job->memory->words +
						       submission->start, submission->base.size);
	fence = quire_ring_submit(&execution->ring, &submission->base);
	quire_watchdog_arm(&execution->watchdog);
	dma_fence_end_signalling(cookie);
	return fence;
}

static void job_free(struct command_job *job)
{
	quire_out_fence_free(job->out);
	if (job->memory)
		kref_put(&job->memory->refs, memory_release);
	quire_context_put(job->context);
	kfree(job->submission);
	kfree(job);
}

static void command_free_job(struct drm_sched_job *sched_job)
{
	struct command_job *job = container_of(sched_job, struct command_job, base);
	struct quire_execution *execution = job->execution;

	drm_sched_job_cleanup(sched_job);
	job_free(job);
	if (refcount_dec_and_test(&execution->jobs))
		complete(&execution->idle);
}

const struct drm_sched_backend_ops quire_command_sched_ops = {
	.run_job = command_run_job,
	.free_job = command_free_job,
};

static struct command_job *job_create(struct quire_execution *execution,
				      struct quire_context *context)
{
	struct drm_sched_entity *entity = &context->rings[execution->index].entity;
	struct command_job *job;
	int ret = -ENOMEM;

	lockdep_assert_held(&execution->lock);

	job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);
	if (!job)
		return ERR_PTR(-ENOMEM);
	job->context = quire_context_get(context);
	job->execution = execution;
	job->submission = kzalloc(sizeof(*job->submission), GFP_KERNEL_ACCOUNT);
	job->out = quire_out_fence_alloc(NULL);
	if (job->submission && job->out)
		ret = quire_sched_job_init(&job->base, entity, 1, NULL, 0);
	if (!ret)
		return job;
	job_free(job);
	return ERR_PTR(ret);
}

/* Never fails. */
static void job_push(struct quire_commands *commands, struct command_job *job, u64 address,
		     u32 start, u32 size)
{
	struct quire_execution *execution = commands->execution;
	struct quire_context *context = commands->context;
	struct quire_context_ring *ring = &context->rings[execution->index];
	struct command_submission *submission = job->submission;
	struct quire_out_fence *out = job->out;

	lockdep_assert_held(&execution->lock);

	*submission = (struct command_submission) {
		.base.addr = address,
		.base.size = size,
		.base.ops = &command_ops,
		.base.usage = context->usage,
		.base.is_virtual = context->vm,
		.context = context,
		.execution = execution,
		.number = commands->submission,
		.part = commands->parts,
		.start = start,
	};
	if (context->vm) {
		submission->base.context = QUIRE_ADDRESS(QUIRE_SEGMENT_SYSTEM, context->page->dma);
		submission->tell = context->page->save.tells;
		submission->renewals = context->vm->pages.renewals;
	}
	kref_get(&commands->memory->refs);
	job->memory = commands->memory;
	drm_sched_job_arm(&job->base);
	job->out = NULL;
	dma_fence_put(commands->fence);
	commands->fence = quire_out_fence_begin(out, QUIRE_OUT_COMMANDS, ring->fence_context,
						++ring->fence_seqno, NULL);
	quire_out_fence_keep_module(commands->fence);
	dma_fence_put(commands->finished);
	commands->finished = dma_fence_get(&job->base.s_fence->finished);
	quire_out_fence_follow(out, dma_fence_get(commands->finished));
	refcount_inc(&execution->jobs);
	drm_sched_entity_push_job(&job->base); /* from here on it may be freed */
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

/* What a context pushed last, whose key is from *@key to @max. */
static struct dma_fence *execution_next_last(struct quire_execution *execution,
					     unsigned long *key, unsigned long max)
{
	struct dma_fence *fence;

	xa_lock(&execution->last);
	fence = dma_fence_get(xa_find(&execution->last, key, max, XA_PRESENT));
	xa_unlock(&execution->last);
	return fence;
}

/**
 * quire_execution_wait - wait for all jobs of a ring
 * @execution: the execution ring; not locked: some jobs wait for foreign fences
 *
 * Not for contexts that are made meanwhile: a program may make one after the other.
 *
 * Returns: 0, or -ERESTARTSYS.
 */
int quire_execution_wait(struct quire_execution *execution)
{
	/* Timelines are numbered in order. */
	const unsigned long newest = dma_fence_context_alloc(1);
	unsigned long key = 0;
	struct dma_fence *fence;
	long ret = 0;

	while (!ret && (fence = execution_next_last(execution, &key, newest))) {
		ret = dma_fence_wait(fence, true);
		dma_fence_put(fence);
		key++;
	}
	return ret;
}

/*
 * The dependencies of the first job of a submission that keep those that are split apart.
 * Source: "Splitting a DMA Buffer" of the original's documentation: split portions are not
 * interleaved with work of another context.
 */
static int execution_follow(struct quire_execution *execution, struct drm_sched_job *job,
			    bool splits)
{
	unsigned long key = 0;
	struct dma_fence *fence;
	int ret;

	lockdep_assert_held(&execution->lock);

	ret = drm_sched_job_add_dependency(job, dma_fence_get(execution->split));
	while (splits && !ret && (fence = execution_next_last(execution, &key, ULONG_MAX))) {
		ret = drm_sched_job_add_dependency(job, fence);
		key++;
	}
	return ret;
}

/* All that can fail. The first part waits for the program and the ring, later ones for that. */
static int depend(struct quire_commands *commands, struct drm_sched_job *job)
{
	struct quire_execution *execution = commands->execution;
	int ret = xa_reserve(&execution->last, job->entity->fence_context, GFP_KERNEL) ?:
		  commands->ops->depend(commands, job);
	u32 i;

	if (ret || commands->parts)
		return ret;
	for (i = 0; i < commands->syncs.count && !ret; i++)
		ret = drm_sched_job_add_dependency(job,
						   dma_fence_get(commands->syncs.items[i].fence));
	return ret ?: execution_follow(execution, job, commands->splits);
}

/**
 * quire_commands_queue - queue a part
 * @commands: in quire_commands_execute(); the gate of the ring was entered, alone if @splits
 * @address: virtual, of the first command; 0: they have to be patched
 * @start: first byte of the part; all that it uses is reserved, and has its place
 * @end: behind the last one
 * Returns: 0; -ENOMEM, then nothing of it was queued.
 * Source: "Submitting a command buffer" of the original's documentation.
 */
int quire_commands_queue(struct quire_commands *commands, u64 address, u32 start, u32 end)
{
	struct quire_execution *execution = commands->execution;
	struct drm_sched_fence *s_fence;
	struct command_job *job, *next;
	u32 at, to;
	LIST_HEAD(jobs);
	int ret = 0;

	guard(mutex)(&execution->lock);
	for (at = start; at < end && !ret; at = job_end(commands, at, end)) {
		job = job_create(execution, commands->context);
		ret = PTR_ERR_OR_ZERO(job);
		if (!ret)
			list_add_tail(&job->link, &jobs);
	}
	ret = ret ?: depend(commands, &list_first_entry(&jobs, struct command_job, link)->base);
	if (ret) {
		list_for_each_entry_safe(job, next, &jobs, link) {
			drm_sched_job_cleanup(&job->base);
			job_free(job);
		}
		return ret;
	}

	/* Calls that fail have no number. */
	if (!commands->parts)
		commands->submission = atomic64_inc_return(&commands->context->submissions);
	if (commands->ops->patch)
		commands->ops->patch(commands, (void *)commands->memory->words + start, start, end);
	list_for_each_entry_safe(job, next, &jobs, link) {
		list_del(&job->link);
		to = job_end(commands, start, end);
		job_push(commands, job, address, start, to - start);
		start = to;
	}
	commands->ops->publish(commands);
	s_fence = to_drm_sched_fence(commands->finished);
	dma_fence_put(xa_store(&execution->last, s_fence->scheduled.context,
			       dma_fence_get(commands->finished), GFP_KERNEL));
	if (commands->splits) {
		dma_fence_put(execution->split);
		execution->split = dma_fence_get(commands->finished);
	}
	commands->parts++;
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
 * Returns: 0; -EINVAL no such ring, or the context has an address space and the commands have
 * patches, or neither has; -ENOENT no such context; errors of quire_syncs_init(); -ENODEV, -EIO.
 */
int quire_commands_begin(struct quire_commands *commands, struct drm_file *file, u32 context,
			 u32 ring, const struct drm_quire_array *syncs)
{
	struct drm_device *drm = &commands->qdev->drm;
	int ret;

	commands->syncs.refused = QUIRE_SYNCS_NONE;
	if (ring >= commands->qdev->nr_executions)
		return quire_refuse(drm, -EINVAL, "%s: no ring %u", commands->name, ring);
	commands->execution = &commands->qdev->executions[ring];
	ret = quire_syncs_init(&commands->syncs, drm, syncs,
			       DRM_QUIRE_SYNC_SIGNAL | DRM_QUIRE_SYNC_WAIT) ?:
	      quire_device_check(drm);
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
 * Returns: 0; errors of quire_syncs_lookup() and @queue; -ENOMEM, -ERESTARTSYS.
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
	kref_put(&commands->memory->refs, memory_release);
	if (!ret)
		quire_syncs_signal(&commands->syncs, dma_fence_get(commands->fence));
	return ret;
}
