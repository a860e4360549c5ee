// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Jobs of the paging queue
 *
 * A job is a paging buffer from the pool, with its submission to the ring and the fences that end
 * with it. Lists write to it (quire_plug.c), then it is pushed to the scheduler
 * (quire_paging_queue.c).
 */
#include <linux/slab.h>

#include "core/quire_compat.h"
#include "hw/quire_usage.h"
#include "quire_out_fence.h"
#include "quire_paging_job.h"
#include "quire_paging_queue.h"
#include "quire_paging_submission.h"

/**
 * quire_paging_job_free - free a job
 * @job: not known to the scheduler, or not any more
 */
void quire_paging_job_free(struct quire_paging_job *job)
{
	if (job->release)
		job->release(job);
	quire_usage_put(job->usage);
	kfree(job->submission);
	kfree(job);
}

/* Returns the scheduler's fence of it, with a reference. */
static struct dma_fence *job_push(struct quire_paging_job *job)
{
	struct dma_fence *finished;
	struct quire_out_fence *out;

	quire_paging_submission_ready(job->submission);
	drm_sched_job_arm(&job->base);
	finished = dma_fence_get(&job->base.s_fence->finished);
	list_for_each_entry(out, &job->submission->outs, link)
		quire_out_fence_follow(out, dma_fence_get(finished));
	refcount_inc(&job->queue->jobs);
	drm_sched_entity_push_job(&job->base); /* from here on it may be freed */
	return finished;
}

/**
 * quire_paging_job_push - hand a job to the scheduler
 * @job: the job, its buffer written; consumed
 *
 * It waits for nothing but earlier jobs. The fences in &quire_paging_submission.outs end with it.
 * Never fails. &quire_paging_queue.lock is held.
 */
void quire_paging_job_push(struct quire_paging_job *job)
{
	struct quire_paging_queue *queue = job->queue;
	struct drm_suballoc *sa = job->sa;
	struct dma_fence *finished;

	lockdep_assert_held(&queue->lock);

	finished = job_push(job);

	/* The pool may have it for long, and so not the one that may keep the module. */
	drm_suballoc_free(sa, finished);
	dma_fence_put(queue->last);
	queue->last = finished;
}

/**
 * quire_paging_job_push_open - hand the open job to the scheduler, if there is one
 * @queue: the queue; &quire_paging_queue.lock is held
 */
void quire_paging_job_push_open(struct quire_paging_queue *queue)
{
	struct quire_paging_job *job = queue->plug.job;

	lockdep_assert_held(&queue->lock);

	queue->plug.job = NULL;
	if (job)
		quire_paging_job_push(job);
}

/*
 * One waiter at a time: else small buffers would take all that becomes free, and a large one would
 * wait as long as they go on.
 */
static struct drm_suballoc *pool_take(struct quire_paging_queue *queue, u32 size,
				      bool interruptible)
{
	struct drm_suballoc *sa;

	if (!interruptible)
		mutex_lock(&queue->pool_lock);
	else if (mutex_lock_interruptible(&queue->pool_lock))
		return ERR_PTR(-ERESTARTSYS);
	/* Room may come only when open buffers are pushed, and none is left open meanwhile. */
	lock_map_acquire(&queue->open);
	lock_map_release(&queue->open);
	atomic_inc(&queue->plug.waiters);
	mutex_lock(&queue->lock);
	quire_paging_job_push_open(queue);
	mutex_unlock(&queue->lock);
	sa = drm_suballoc_new(&queue->pool, size, GFP_KERNEL, interruptible,
			      QUIRE_PAGING_BUFFER_MIN);
	atomic_dec(&queue->plug.waiters);
	mutex_unlock(&queue->pool_lock);
	return sa;
}

/**
 * quire_paging_job_pay - charge the time of a job to a file
 * @job: the job; its submission is initialised
 * @usage: of the file, or NULL
 */
void quire_paging_job_pay(struct quire_paging_job *job, struct quire_usage *usage)
{
	job->usage = quire_usage_get(usage);
	job->submission->base.usage = usage;
}

static int job_take_buffer(struct quire_paging_job *job, struct quire_usage *usage, u32 size,
			   bool interruptible)
{
	struct quire_paging_queue *queue = job->queue;
	struct quire_paging_buffer buffer;
	u64 offset;

	job->sa = pool_take(queue, size, interruptible);
	if (IS_ERR(job->sa))
		return PTR_ERR(job->sa);

	lock_map_acquire_read(&queue->open);
	offset = drm_suballoc_soffset(job->sa);
	buffer = (struct quire_paging_buffer) {
		.cpu = queue->pool_cpu + offset,
		.gpu_address = queue->pool_dma + offset,
		.size = size,
		.records = queue->records + offset / QUIRE_PAGING_PACKET_MIN,
		.max_records = size / QUIRE_PAGING_PACKET_MIN,
		.backend = job,
	};
	quire_paging_submission_init(job->submission, queue, &buffer);
	quire_paging_job_pay(job, usage);
	job->gpu_address = buffer.gpu_address;
	return 0;
}

/**
 * quire_paging_job_create - make a job with an open paging buffer
 * @batch: charged for it; it will be pushed to the queue of that
 * @size: bytes of packets, a multiple of %QUIRE_PAGING_BUFFER_MIN up to %QUIRE_PAGING_BUFFER_MAX
 * @interruptible: the wait for room in the pool ends with a signal
 *
 * Returns: the job, with &quire_paging_queue.open held, for quire_paging_job_push() or
 * quire_paging_job_destroy(); or an ERR_PTR: -ENOMEM, -ERESTARTSYS.
 */
struct quire_paging_job *quire_paging_job_create(struct quire_batch *batch, u32 size,
						 bool interruptible)
{
	struct quire_paging_queue *queue = batch->queue;
	struct quire_paging_job *job;
	int ret = -ENOMEM;

	job = kzalloc(sizeof(*job), GFP_KERNEL);
	if (!job)
		return ERR_PTR(-ENOMEM);

	job->queue = queue;
	job->submission = kzalloc(sizeof(*job->submission), GFP_KERNEL);
	if (job->submission)
		ret = quire_sched_job_init(&job->base, &queue->entity, 1, NULL, 0);
	if (ret)
		goto err_free;

	ret = job_take_buffer(job, batch->usage, size, interruptible);
	if (ret)
		goto err_cleanup;
	return job;

err_cleanup:
	drm_sched_job_cleanup(&job->base);
err_free:
	quire_paging_job_free(job);
	return ERR_PTR(ret);
}

/**
 * quire_paging_job_destroy - free a job that was not pushed
 * @job: the job; &quire_paging_queue.open is not held any more
 */
void quire_paging_job_destroy(struct quire_paging_job *job)
{
	drm_suballoc_free(job->sa, NULL);
	drm_sched_job_cleanup(&job->base);
	quire_paging_job_free(job);
}

/**
 * quire_paging_job_push_own - hand a job of another entity to the scheduler
 * @job: the job, whose buffer is not of the pool; its dependencies are added
 *
 * As quire_paging_job_push(); the caller keeps the order of the entity.
 */
void quire_paging_job_push_own(struct quire_paging_job *job)
{
	dma_fence_put(job_push(job));
}
