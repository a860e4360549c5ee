// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Plug
 *
 * A call that makes many moves one after the other, to evict everything or to make room, plugs the
 * queue. From then on the lists of its batch share paging buffers, tightly packed, and each still
 * has a fence of its own, in the order in which they were built::
 *
 *     quire_plug_begin()
 *       list: acquire --> what is left of the open buffer, or a fresh one
 *             submit  --> its fence; the buffer stays open for the next list
 *             release --> the buffer ends where the list began
 *     quire_plug_end()
 *
 * Places are given away while work on them is pending, so work is executed in the order in which it
 * was built. The open buffer is therefore pushed before a list of anything else is. It is also
 * pushed when it is full; when the plug ends; when a task waits for one of its fences, also the
 * owner itself inside of TTM; and when a task waits for room in the pool.
 *
 * The first buffer of a plug is as large as its list needs, since many placements evict nothing;
 * each further one is twice as large, up to %QUIRE_PLUG_BUFFER.
 *
 * The error of a submission is that of all lists that share it. A list whose content was lost
 * before fails alone (quire_paging_submission.c).
 *
 * A queue has at most one plug; the lists of all other batches have buffers of their own. To evict
 * everything TTM has a context of its own, so the batch of that is &quire_paging_queue.evictions,
 * to which other tasks may add lists. Where the CPU makes the copies there is no plug: each list is
 * waited for.
 *
 * Locking: a list of the owner holds &quire_paging_queue.lock from acquire to submit or release, in
 * which time it allocates nothing and waits for nothing. Plugs begin and end inside of
 * drm_dev_enter(), so no buffer is open after drm_dev_unplug().
 *
 * Source: "Submitting a command buffer" of the original's documentation: a paging buffer stays open
 * while there are operations for it.
 */
#include "core/quire_device_types.h"
#include "quire_out_fence.h"
#include "quire_paging_job.h"
#include "quire_paging_queue.h"
#include "quire_paging_submission.h"

/* The largest shared buffer: as a rule the lists of 80 small objects. */
#define QUIRE_PLUG_BUFFER	SZ_4K

/* Another task of the same batch may end it at any time, and pushes what is open after that. */
static bool plug_is_of(const struct quire_batch *batch)
{
	return READ_ONCE(batch->queue->plug.owner) == batch;
}

/**
 * quire_plug_push_all - push the open buffer, whoever has built it
 * @queue: the queue
 */
void quire_plug_push_all(struct quire_paging_queue *queue)
{
	mutex_lock(&queue->lock);
	quire_paging_job_push_open(queue);
	mutex_unlock(&queue->lock);
}

static void plug_work(struct work_struct *work)
{
	struct quire_plug *plug = container_of(work, struct quire_plug, work);

	quire_plug_push_all(container_of(plug, struct quire_paging_queue, plug));
}

/**
 * quire_plug_init - initialise the plug of a queue
 * @plug: to initialise
 *
 * Returns: 0, or -ENOMEM.
 */
int quire_plug_init(struct quire_plug *plug)
{
	INIT_WORK(&plug->work, plug_work);
	/* Unbound: the processor of the waiter may be busy with a copy. */
	plug->wq = alloc_workqueue("quire-plug", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return plug->wq ? 0 : -ENOMEM;
}

/**
 * quire_plug_fini - undo quire_plug_init()
 * @plug: the plug; it has ended, all fences are signalled
 */
void quire_plug_fini(struct quire_plug *plug)
{
	destroy_workqueue(plug->wq);
}

/**
 * quire_plug_begin - let the lists of a batch share buffers
 * @batch: the batch
 *
 * Does nothing if the queue has a plug, or if the CPU copies: each list is waited for then. Called
 * inside of drm_dev_enter(), as the quire_plug_end() for it.
 */
void quire_plug_begin(struct quire_batch *batch)
{
	struct quire_plug *plug = &batch->queue->plug;

	if (to_quire_device(batch->queue->drm)->device_copies &&
	    !cmpxchg(&plug->owner, NULL, batch))
		WRITE_ONCE(plug->size, QUIRE_PAGING_BUFFER_MIN);
}

/**
 * quire_plug_end - push what is open, and end the plug
 * @batch: the batch; nothing is done if it has no plug
 */
void quire_plug_end(struct quire_batch *batch)
{
	if (!plug_is_of(batch))
		return;
	/* A list that has not seen this, under the lock, submits before the lock is taken here. */
	WRITE_ONCE(batch->queue->plug.owner, NULL);
	quire_plug_push_all(batch->queue);
}

/**
 * quire_plug_push - push what a batch has built so far, if it has the plug
 * @batch: the batch
 *
 * For a fence that is about to be given to a waiter.
 */
void quire_plug_push(struct quire_batch *batch)
{
	if (plug_is_of(batch))
		quire_plug_push_all(batch->queue);
}

static u32 job_room(const struct quire_paging_job *job)
{
	return job->submission->buffer.size - job->submission->buffer.used;
}

/**
 * quire_plug_acquire - get a buffer for a list to write to
 * @batch: of the list
 * @size: expected bytes of packets, a multiple of %QUIRE_PAGING_BUFFER_MIN up to
 *        %QUIRE_PAGING_BUFFER_MAX
 * @first: the list had no buffer before: one that turned out too small is not offered again
 * @interruptible: the wait for room in the pool ends with a signal
 *
 * Returns: the job, for quire_plug_submit() or quire_plug_release(), until which nothing is
 * allocated or waited for; or an error of quire_paging_job_create().
 */
struct quire_paging_job *quire_plug_acquire(struct quire_batch *batch, u32 size, bool first,
					    bool interruptible)
{
	struct quire_paging_queue *queue = batch->queue;
	struct quire_paging_job *job;

	if (!plug_is_of(batch))
		return quire_paging_job_create(batch, size, interruptible);

	if (first) {
		lock_map_acquire_read(&queue->open);
		mutex_lock(&queue->lock);
		job = queue->plug.job;
		if (plug_is_of(batch) && job && job_room(job) >= size)
			return job;
		mutex_unlock(&queue->lock);
		lock_map_release(&queue->open);
	}

	job = quire_paging_job_create(batch, max(size, READ_ONCE(queue->plug.size)),
				      interruptible);
	if (IS_ERR(job))
		return job;
	mutex_lock(&queue->lock);
	if (!plug_is_of(batch)) {
		mutex_unlock(&queue->lock);
		return job;
	}
	WRITE_ONCE(queue->plug.size, min(2 * queue->plug.size, QUIRE_PLUG_BUFFER));
	quire_paging_job_push_open(queue);
	job->plugged = true;
	queue->plug.job = job;
	return job;
}

/**
 * quire_plug_submit - submit what a list has written to a buffer
 * @job: of quire_plug_acquire()
 * @buffer: its buffer, with what the list has written
 * @out: the fence of the list
 *
 * Never fails. The job is pushed now, unless the plug has it.
 *
 * Returns: the fence of its execution, with a reference for the caller; see
 * quire_out_fence_keep_module().
 */
struct dma_fence *quire_plug_submit(struct quire_paging_job *job,
				    const struct quire_paging_buffer *buffer,
				    struct quire_out_fence *out)
{
	struct quire_paging_queue *queue = job->queue;
	struct dma_fence *fence;

	if (!job->plugged) {
		mutex_lock(&queue->lock);
		quire_paging_job_push_open(queue);
	}
	job->submission->buffer = *buffer;
	fence = quire_out_fence_begin(out, QUIRE_OUT_MOVES, queue->fence_context,
				      ++queue->fence_seqno, &queue->plug);
	list_add_tail(&out->link, &job->submission->outs);
	if (!job->plugged)
		quire_paging_job_push(job);
	else if (job_room(job) < QUIRE_PAGING_BUFFER_MIN || atomic_read(&queue->plug.waiters))
		quire_paging_job_push_open(queue);
	mutex_unlock(&queue->lock);
	lock_map_release(&queue->open);
	return fence;
}

/**
 * quire_plug_release - give a buffer back that the list did not write to
 * @job: of quire_plug_acquire()
 *
 * What other lists have written to the same buffer stays.
 */
void quire_plug_release(struct quire_paging_job *job)
{
	struct quire_paging_queue *queue = job->queue;
	bool shared = !list_empty(&job->submission->outs);

	if (job->plugged && !shared)
		queue->plug.job = NULL;
	if (job->plugged)
		mutex_unlock(&queue->lock);
	lock_map_release(&queue->open);
	if (!shared)
		quire_paging_job_destroy(job);
}
