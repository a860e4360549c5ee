// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Jobs of commands
 *
 * A part of a command buffer becomes one job of the scheduler, or several that follow each other
 * in the entity of the context, if it is longer than a job may be. Whatever can fail is done
 * before a job is pushed, for it has its fences then.
 *
 * When the scheduler runs a job, its commands go to the ring. If the context has ended meanwhile
 * the job has no bytes there and its fence ends with -ECANCELED, but behind all fences before it:
 * commands that are still on the ring use its objects. The same is asked again when a ring is
 * restarted with what was pending.
 *
 * Locking: &quire_execution.lock from create to push; &quire_ring.lock on the way through the
 * ring.
 */
#include <linux/build_bug.h>
#include <linux/dma-fence.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "core/quire_compat.h"
#include "queue/quire_out_fence.h"
#include "vm/quire_context_page.h"
#include "vm/quire_vm.h"
#include "vm/quire_vm_table.h"
#include "quire_command_job.h"
#include "quire_context.h"
#include "quire_execution.h"

/**
 * DOC: Memory of commands
 *
 * Queued commands stand in memory of the kernel, charged to their program, until the scheduler has
 * freed the last of their jobs. A job is copied to the pool of its ring when it runs
 * (quire_execution_load()), so jobs that wait take nothing of the pool.
 *
 * A context has a limit of such memory on each ring. A caller above it waits, with no lock, for
 * earlier submissions of the same context.
 */

/* For jobs and fences, so that there are not too many small submissions. */
#define QUIRE_COMMAND_MEMORY_EACH	SZ_4K

/* Of a context on a ring. */
#define QUIRE_COMMAND_MEMORY_MAX	SZ_2M

static_assert(QUIRE_MAX_COMMANDS + QUIRE_COMMAND_MEMORY_EACH <= QUIRE_COMMAND_MEMORY_MAX);

static void memory_uncharge(struct quire_context *context, u32 ring, u32 bytes)
{
	spin_lock_irq(&context->lock);
	context->rings[ring].queued -= bytes;
	spin_unlock_irq(&context->lock);
	wake_up_all(&context->room);
}

/**
 * quire_command_memory_create - take memory for the commands of a submission
 * @context: whose it is
 * @ring: number of the execution ring
 * @size: bytes, at most %QUIRE_MAX_COMMANDS
 *
 * Waits while the context has too much of it.
 *
 * Returns: memory with one reference, not initialised; or -ENOMEM, -ERESTARTSYS.
 */
struct quire_command_memory *quire_command_memory_create(struct quire_context *context, u32 ring,
							 u32 size)
{
	u32 *queued = &context->rings[ring].queued;
	u32 bytes = size + QUIRE_COMMAND_MEMORY_EACH;
	struct quire_command_memory *memory;
	int ret;

	spin_lock_irq(&context->lock);
	ret = wait_event_interruptible_lock_irq(context->room,
						*queued + bytes <= QUIRE_COMMAND_MEMORY_MAX,
						context->lock);
	if (!ret)
		*queued += bytes;
	spin_unlock_irq(&context->lock);
	if (ret)
		return ERR_PTR(ret);

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

	memory_uncharge(memory->context, memory->ring, memory->size + QUIRE_COMMAND_MEMORY_EACH);
	kvfree(memory);
}

/**
 * quire_command_memory_put - drop a reference
 * @memory: not the caller's any more; the caller has a reference to its context
 *
 * May sleep.
 */
void quire_command_memory_put(struct quire_command_memory *memory)
{
	kref_put(&memory->refs, memory_release);
}

static struct quire_command_submission *to_command_submission(struct quire_ring_fence *fence)
{
	return container_of(fence, struct quire_command_submission, base);
}

/* A job whose page tables or save area are not what they were when it was pushed does not begin. */
static int command_prepare(struct quire_ring_fence *fence)
{
	struct quire_command_submission *submission = to_command_submission(fence);
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

static void command_locate(const struct quire_command_submission *submission,
			   struct quire_context_end *end)
{
	end->submission = submission->range.submission;
	end->part = submission->range.part;
	end->ring = submission->execution->index;
	end->offset = submission->range.start + submission->base.executed;
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
	struct quire_command_submission *submission = to_command_submission(fence);
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
 * quire_command_at_work - which command is at work?
 * @execution: the execution ring; its ring is stopped
 * @end: set: submission, part, ring and byte of the command; unchanged if there is none
 */
void quire_command_at_work(struct quire_execution *execution, struct quire_context_end *end)
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

static struct dma_fence *command_run_job(struct drm_sched_job *sched_job)
{
	struct quire_command_job *job = container_of(sched_job, struct quire_command_job, base);
	struct quire_command_submission *submission = job->submission;
	struct quire_execution *execution = job->execution;
	const struct quire_command_range *range = &submission->range;
	bool cookie = dma_fence_begin_signalling();
	struct dma_fence *fence;

	job->submission = NULL;
	if (job->context->vm)
		submission->base.addr = range->address;
	else
		submission->base.addr = quire_execution_load(execution,
							     (void *)job->memory->words +
							     range->start, range->size);
	fence = quire_ring_submit(&execution->ring, &submission->base);
	quire_watchdog_arm(&execution->watchdog);
	dma_fence_end_signalling(cookie);
	return fence;
}

static void job_free(struct quire_command_job *job)
{
	quire_out_fence_free(job->out);
	if (job->memory)
		quire_command_memory_put(job->memory);
	quire_context_put(job->context);
	kfree(job->submission);
	kfree(job);
}

static void command_free_job(struct drm_sched_job *sched_job)
{
	struct quire_command_job *job = container_of(sched_job, struct quire_command_job, base);
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

/**
 * quire_command_job_create - make a job
 * @execution: where it will be executed; locked
 * @context: whose it is
 * Returns: the job, for quire_command_job_push() or quire_command_job_destroy(); or -ENOMEM.
 */
struct quire_command_job *quire_command_job_create(struct quire_execution *execution,
						   struct quire_context *context)
{
	struct drm_sched_entity *entity = &context->rings[execution->index].entity;
	struct quire_command_job *job;
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

/**
 * quire_command_job_destroy - take a job back that was not pushed
 * @job: the job
 */
void quire_command_job_destroy(struct quire_command_job *job)
{
	drm_sched_job_cleanup(&job->base);
	job_free(job);
}

/**
 * quire_command_job_push - hand a job to the scheduler
 * @job: the job, its dependencies added; not the caller's any more
 * @memory: of the command buffer; the job takes a reference of its own
 * @range: its commands, written there
 * @finished: returned: the scheduler's fence of it, with a reference; it does not keep the module
 *
 * Never fails.
 *
 * Returns: a fence for all other users, with a reference: it ends with the job.
 *
 * Source: DXGKDDI_SUBMITCOMMAND.
 */
struct dma_fence *quire_command_job_push(struct quire_command_job *job,
					 struct quire_command_memory *memory,
					 const struct quire_command_range *range,
					 struct dma_fence **finished)
{
	struct quire_execution *execution = job->execution;
	struct quire_context_ring *ring = &job->context->rings[execution->index];
	struct quire_out_fence *out = job->out;
	struct dma_fence *fence;

	lockdep_assert_held(&execution->lock);

	*job->submission = (struct quire_command_submission) {
		.base.size = range->size,
		.base.ops = &command_ops,
		.base.usage = job->context->usage,
		.base.is_virtual = job->context->vm,
		.context = job->context,
		.execution = execution,
		.range = *range,
	};
	if (job->context->vm) {
		job->submission->base.context = QUIRE_ADDRESS(QUIRE_SEGMENT_SYSTEM,
							      job->context->page->dma);
		job->submission->tell = job->context->page->save.tells;
		job->submission->renewals = job->context->vm->pages.renewals;
	}
	kref_get(&memory->refs);
	job->memory = memory;
	drm_sched_job_arm(&job->base);
	job->out = NULL;
	fence = quire_out_fence_begin(out, QUIRE_OUT_COMMANDS, ring->fence_context,
				      ++ring->fence_seqno, NULL);
	quire_out_fence_keep_module(fence);
	*finished = dma_fence_get(&job->base.s_fence->finished);
	quire_out_fence_follow(out, dma_fence_get(*finished));
	refcount_inc(&execution->jobs);
	drm_sched_entity_push_job(&job->base); /* from here on it may be freed */
	return fence;
}
