// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Lists on their way to the queue
 *
 * Gives the list loop (paging/quire_paging_list.c) its buffers, and hands them to the queue. A
 * buffer is as large as the rest of the list is expected to need, or shared with other lists of the
 * batch. A thread submits a buffer before it asks for the next one, so concurrent moves cannot
 * starve each other. Between acquire and submit it is inside drm_dev_enter().
 *
 * Source: "Submitting a command buffer" of the original's documentation.
 */
/**
 * DOC: Plug
 *
 * A call that makes many moves one after the other, to evict everything or to make room, plugs the
 * queue. From then on the lists of its batch share paging buffers, tightly packed; each still has a
 * fence of its own, in the order in which they were built. A list gets what is left of the open
 * buffer, or a fresh one.
 *
 * Places are given away while work on them is pending, so work is executed in the order in which it
 * was built. The open buffer is therefore pushed before a list of anything else is; when it is
 * full; when the plug ends; when a task waits for one of its fences, also the owner itself inside
 * of TTM; and when a task waits for room in the pool.
 *
 * The first buffer is as large as its list needs, since many placements evict nothing; each further
 * one is twice as large. There is at most one plug; other batches have buffers of their own. To
 * evict everything TTM has a context of its own: the batch of that is
 * &quire_paging_queue.evictions, to which other tasks may add lists.
 *
 * Locking: a list of the owner holds &quire_paging_queue.lock from acquire to submit or release, in
 * which time it allocates nothing and waits for nothing. Plugs begin and end inside of
 * drm_dev_enter(), so no buffer is open after drm_dev_unplug().
 */
/**
 * DOC: The mark
 *
 * Before system sleep everything is evicted, and the driver has to know that the device is done
 * with all of it and that what the device writes is in memory. So the last submission is one
 * WRITE_PHYSICAL to a page of the driver's, which waits for all posted writes. It writes the fence
 * value of its own submission, so an earlier one is not taken for it. The value is known when the
 * ring takes the submission, and patched in then (quire_paging_submission.c).
 */
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "core/quire_patience.h"
#include "quire_out_fence.h"
#include "quire_paging_queue.h"
#include "quire_paging_work.h"

/* The largest shared buffer: as a rule the lists of 80 small objects. */
#define QUIRE_PLUG_BUFFER		SZ_4K

/* A list that turns out longer than expected goes on in buffers of this size. */
#define QUIRE_PAGING_BUFFER_MORE	SZ_4K

/* Another task of the same batch may end it at any time, and pushes what is open after that. */
static bool plug_is_of(const struct quire_batch *batch)
{
	return READ_ONCE(batch->queue->plug.owner) == batch;
}

static void plug_push_job(struct quire_paging_queue *queue, struct quire_paging_job *job)
{
	struct drm_suballoc *sa = job->sa;
	struct dma_fence *finished;

	lockdep_assert_held(&queue->lock);

	finished = quire_paging_job_push(job);
	/* The pool may have it for long, and so not the one that may keep the module. */
	drm_suballoc_free(sa, finished);
	dma_fence_put(queue->last);
	queue->last = finished;
}

static void plug_push_open(struct quire_paging_queue *queue)
{
	struct quire_paging_job *job = queue->plug.job;

	lockdep_assert_held(&queue->lock);

	queue->plug.job = NULL;
	if (job)
		plug_push_job(queue, job);
}

/**
 * quire_plug_push_all - push the open buffer, whichever batch has built it
 * @queue: the queue
 */
void quire_plug_push_all(struct quire_paging_queue *queue)
{
	guard(mutex)(&queue->lock);
	plug_push_open(queue);
}

/**
 * quire_plug_begin - let the lists of a batch share buffers
 * @batch: the batch, inside of drm_dev_enter() until quire_plug_end()
 *
 * Does nothing if the queue has a plug, or if the CPU copies: each list is waited for then.
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
 * quire_plug_push - push what a batch has built, for a fence that is given to a waiter
 * @batch: the batch; nothing is done if it has no plug
 */
void quire_plug_push(struct quire_batch *batch)
{
	if (plug_is_of(batch))
		quire_plug_push_all(batch->queue);
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
	quire_plug_push_all(queue);
	sa = drm_suballoc_new(&queue->pool, size, GFP_KERNEL, interruptible,
			      QUIRE_PAGING_BUFFER_MIN);
	atomic_dec(&queue->plug.waiters);
	mutex_unlock(&queue->pool_lock);
	return sa;
}

/**
 * quire_paging_job_create - make a job with an open buffer; of this file, but tests know the name
 * @batch: charged for it
 * @size: a multiple of %QUIRE_PAGING_BUFFER_MIN up to %QUIRE_PAGING_BUFFER_MAX
 * @interruptible: the wait for room in the pool ends with a signal
 * Returns: the job, with &quire_paging_queue.open held; or an ERR_PTR: -ENOMEM, -ERESTARTSYS.
 */
noinline struct quire_paging_job *quire_paging_job_create(struct quire_batch *batch, u32 size,
							  bool interruptible)
{
	struct quire_paging_queue *queue = batch->queue;
	struct quire_paging_buffer buffer;
	struct quire_paging_job *job;
	int ret = -ENOMEM;
	u64 offset;

	job = kzalloc(sizeof(*job), GFP_KERNEL);
	if (!job)
		return ERR_PTR(-ENOMEM);

	job->queue = queue;
	job->submission = kzalloc(sizeof(*job->submission), GFP_KERNEL);
	if (job->submission)
		ret = quire_sched_job_init(&job->base, &queue->entity, 1, NULL, 0);
	if (ret)
		goto err_free;

	job->sa = pool_take(queue, size, interruptible);
	ret = PTR_ERR_OR_ZERO(job->sa);
	if (ret)
		goto err_cleanup;

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
	quire_paging_job_open(job, &buffer, batch->usage);
	return job;

err_cleanup:
	drm_sched_job_cleanup(&job->base);
err_free:
	quire_paging_job_free(job);
	return ERR_PTR(ret);
}

static u32 job_room(const struct quire_paging_job *job)
{
	return job->submission->buffer.size - job->submission->buffer.used;
}

/*
 * A buffer for a list to write to, until the submit or release of which nothing is allocated or
 * waited for: as large as the list still needs, up to what leaves something for others. An open one
 * that turned out too small is not offered again.
 */
static struct quire_paging_job *plug_acquire(struct quire_paging_work *work)
{
	u64 bytes = clamp_t(u64, work->bytes, QUIRE_PAGING_BUFFER_MIN, QUIRE_PAGING_BUFFER_MAX);
	u32 size = round_up(bytes, QUIRE_PAGING_BUFFER_MIN);
	struct quire_batch *batch = work->batch;
	struct quire_paging_queue *queue = batch->queue;
	struct quire_paging_job *job;

	work->bytes = work->bytes > size ? work->bytes - size : QUIRE_PAGING_BUFFER_MORE;
	if (!plug_is_of(batch))
		return quire_paging_job_create(batch, size, work->interruptible);

	if (!work->list.fence) {
		lock_map_acquire_read(&queue->open);
		mutex_lock(&queue->lock);
		job = queue->plug.job;
		if (plug_is_of(batch) && job && job_room(job) >= size)
			return job;
		mutex_unlock(&queue->lock);
		lock_map_release(&queue->open);
	}

	job = quire_paging_job_create(batch, max(size, READ_ONCE(queue->plug.size)),
				      work->interruptible);
	if (IS_ERR(job))
		return job;
	mutex_lock(&queue->lock);
	if (!plug_is_of(batch)) {
		mutex_unlock(&queue->lock);
		return job;
	}
	WRITE_ONCE(queue->plug.size, min(2 * queue->plug.size, QUIRE_PLUG_BUFFER));
	plug_push_open(queue);
	job->plugged = true;
	queue->plug.job = job;
	return job;
}

static struct quire_paging_work *to_work(struct quire_paging_list *list)
{
	return container_of(list, struct quire_paging_work, list);
}

static int work_acquire(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	struct quire_paging_work *work = to_work(list);
	struct quire_paging_job *job;

	if (!drm_dev_enter(work->queue->drm, &work->unplug_index))
		return -ENODEV;

	job = ERR_PTR(-ENOMEM);
	work->out = quire_out_fence_alloc(work->lost);
	if (work->out)
		job = plug_acquire(work);
	if (IS_ERR(job)) {
		quire_out_fence_free(work->out);
		drm_dev_exit(work->unplug_index);
		return PTR_ERR(job);
	}

	*buffer = job->submission->buffer;
	return 0;
}

/* What other lists have written to the same buffer stays. */
static void work_release(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	struct quire_paging_work *work = to_work(list);
	struct quire_paging_job *job = buffer->backend;
	struct quire_paging_queue *queue = job->queue;
	bool shared = !list_empty(&job->submission->outs);

	if (job->plugged && !shared)
		queue->plug.job = NULL;
	if (job->plugged)
		mutex_unlock(&queue->lock);
	lock_map_release(&queue->open);
	if (!shared) {
		drm_suballoc_free(job->sa, NULL);
		drm_sched_job_cleanup(&job->base);
		quire_paging_job_free(job);
	}
	quire_out_fence_free(work->out);
	drm_dev_exit(work->unplug_index);
}

/* The job is pushed now, unless the plug has it. */
static struct dma_fence *work_submit(struct quire_paging_list *list,
				     struct quire_paging_buffer *buffer)
{
	struct quire_paging_work *work = to_work(list);
	struct quire_paging_job *job = buffer->backend;
	struct quire_paging_queue *queue = job->queue;
	struct dma_fence *fence;

	/* Windows are shared: other lists would run between two halves. */
	if (drm_WARN_ON_ONCE(queue->drm, work->whole)) {
		work_release(list, buffer);
		return ERR_PTR(-EIO);
	}
	if (!job->plugged) {
		mutex_lock(&queue->lock);
		plug_push_open(queue);
	}
	job->submission->buffer = *buffer;
	fence = quire_out_fence_begin(work->out, QUIRE_OUT_MOVES, queue->fence_context,
				      ++queue->fence_seqno, &queue->plug);
	list_add_tail(&work->out->link, &job->submission->outs);
	if (!job->plugged)
		plug_push_job(queue, job);
	else if (job_room(job) < QUIRE_PAGING_BUFFER_MIN || atomic_read(&queue->plug.waiters))
		plug_push_open(queue);
	mutex_unlock(&queue->lock);
	lock_map_release(&queue->open);
	drm_dev_exit(work->unplug_index);
	return fence;
}

/* The arrays of parts are shared: nothing waits with a part described. */
static int work_wait(struct quire_paging_list *list, struct dma_fence *fence)
{
	lockdep_assert_not_held(&to_work(list)->queue->runs_lock);

	dma_fence_wait(fence, false);
	return fence->error;
}

static bool work_is_idle(struct quire_paging_list *list)
{
	struct quire_paging_work *work = to_work(list);

	atomic64_inc(&work->queue->busy);
	return dma_resv_test_signaled(work->resv, DMA_RESV_USAGE_BOOKKEEP);
}

static int work_wait_idle(struct quire_paging_list *list)
{
	struct quire_paging_work *work = to_work(list);
	long ret;

	lockdep_assert_not_held(&work->queue->runs_lock);

	if (work_is_idle(list))
		return 0;

	ret = dma_resv_wait_timeout(work->resv, DMA_RESV_USAGE_BOOKKEEP,
				    work->interruptible, QUIRE_BUSY_TIMEOUT);
	return ret > 0 ? 0 : ret ?: -EBUSY;
}

static const struct quire_paging_list_ops work_ops = {
	.acquire = work_acquire,
	.submit = work_submit,
	.release = work_release,
	.wait_idle = work_wait_idle,
	.is_idle = work_is_idle,
	.wait = work_wait,
	.signalled = dma_fence_get_stub,
	.put = dma_fence_put,
};

/**
 * quire_paging_work_init - start a list of operations
 * @work: to initialise, on the stack
 * @batch: of the call; its queue executes the operations after all earlier ones
 * @resv: held until quire_paging_list_finish(); BUSY waits for all its fences, up to 15 seconds,
 *        then fails with -EBUSY; NULL if no operation can be BUSY
 * @bytes: of packets that are expected, before the first part if there are parts; less costs
 *         another buffer, more wastes room in the pool
 * @interruptible: waits end with -ERESTARTSYS on a signal
 *
 * Errors come from quire_paging_list_add() and _finish(): -ENODEV after unplug, -ENOMEM,
 * -ERESTARTSYS. A wedged device shows in the error of the returned fence (-EIO).
 */
void quire_paging_work_init(struct quire_paging_work *work, struct quire_batch *batch,
			    struct dma_resv *resv, u64 bytes, bool interruptible)
{
	*work = (struct quire_paging_work) {
		.list.ops = &work_ops,
		.list.caps = &batch->queue->caps,
		.batch = batch,
		.queue = batch->queue,
		.part.queue = batch->queue,
		.resv = resv,
		.bytes = bytes,
		.interruptible = interruptible,
	};
}

/**
 * quire_paging_work_next_part - submit what was added before, and describe the next part of a move
 * @work: the sides of its part are initialised, and have not all ended
 * @pages: of the part, at most; up to %QUIRE_SUB_TRANSFER_PAGES if there are several sides, so that
 *         all of them get the same pages
 * Returns: 0, then quire_paging_part_end() ends it; -ERESTARTSYS; errors of
 * quire_paging_list_submit().
 */
int quire_paging_work_next_part(struct quire_paging_work *work, u64 pages)
{
	int ret = quire_paging_list_submit(&work->list);

	if (!ret)
		ret = quire_paging_part_next(&work->part, pages, work->interruptible);
	if (!ret)
		work->bytes = quire_paging_part_bytes(&work->part) + work->tail;
	return ret;
}

/**
 * quire_paging_work_begin_whole - begin operations that belong together in one buffer
 * @work: the list
 * @bytes: of their packets, none smaller than %QUIRE_PAGING_PACKET_MIN; up to
 *         %QUIRE_PAGING_BUFFER_MAX
 *
 * Until quire_paging_work_end_whole(). If it takes more than @bytes and there is no room, it is
 * refused with -EIO, and nothing of it is executed.
 * Returns: 0, or an error of quire_paging_list_submit().
 */
int quire_paging_work_begin_whole(struct quire_paging_work *work, u32 bytes)
{
	const struct quire_paging_buffer *buffer = &work->list.buffer;
	int ret = 0;

	if (buffer->cpu && buffer->size - buffer->used < bytes)
		ret = quire_paging_list_submit(&work->list);
	if (!work->list.buffer.cpu)
		work->bytes = max_t(u64, work->bytes, bytes);
	work->whole = !ret;
	return ret;
}

/**
 * quire_paging_work_run - end a list and wait, not interrupted, until it is executed
 * @work: the list
 * @error: as quire_paging_list_finish() takes it
 *
 * Returns: 0; @error or the error of the list, then what was submitted of it is executed; the error
 * of the fence, -EIO if the device is wedged.
 */
int quire_paging_work_run(struct quire_paging_work *work, int error)
{
	struct dma_fence *fence = quire_paging_list_finish(&work->list, error);
	int ret;

	if (IS_ERR(fence))
		return PTR_ERR(fence);
	ret = work_wait(&work->list, fence);
	dma_fence_put(fence);
	return ret;
}

/**
 * quire_paging_work_nop - submit empty buffers and wait for the last
 * @queue: the queue
 * @count: how many
 * @bytes: of the pool that each takes, up to %QUIRE_PAGING_BUFFER_MAX; 0: the least
 * Returns: 0, or an error as of quire_paging_work_init().
 */
int quire_paging_work_nop(struct quire_paging_queue *queue, unsigned int count, u32 bytes)
{
	struct quire_paging_work work;
	int ret = 0;

	quire_paging_work_init(&work, &queue->unpaid, NULL, 0, true);
	while (count-- && !ret) {
		work.bytes = bytes;
		ret = quire_paging_list_submit_empty(&work.list);
	}
	return quire_paging_work_run(&work, ret);
}

/**
 * quire_mark_init - allocate the page
 * @mark: to initialise (devres)
 * @drm: the device
 * Returns: 0; -ENOMEM.
 */
int quire_mark_init(struct quire_mark *mark, struct drm_device *drm)
{
	mark->page = dmam_alloc_coherent(drm->dev, QUIRE_PAGE_SIZE, &mark->dma, GFP_KERNEL);
	if (!mark->page)
		return -ENOMEM;
	return drmm_mutex_init(drm, &mark->lock);
}

/**
 * quire_mark_reach - wait until all earlier submissions are done and their writes in memory
 * @mark: the mark
 * @queue: the queue, inside of drm_dev_enter()
 * Returns: 0; -EIO the device was given up, or has not executed this, which is logged;
 * -ERESTARTSYS; -ENOMEM; -ENODEV.
 */
int quire_mark_reach(struct quire_mark *mark, struct quire_paging_queue *queue)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_WRITE_PHYSICAL,
		.u.physical = {
			.segment = QUIRE_SEGMENT_SYSTEM,
			.size = sizeof(*mark->page),
			.physical_address = mark->dma,
		},
	};
	struct quire_paging_work work;
	u64 written, asked;
	int ret;

	if (mutex_lock_interruptible(&mark->lock))
		return -ERESTARTSYS;
	quire_paging_work_init(&work, &queue->unpaid, NULL,
			       sizeof(struct quire_packet_physical), true);
	ret = quire_paging_list_add(&work.list, &args);
	ret = quire_paging_work_run(&work, ret);
	written = quire_mark_written(mark);
	asked = READ_ONCE(mark->asked);
	if (!ret && written != asked) {
		drm_err(queue->drm, "the device wrote mark %llu, not %llu: it has not done all\n",
			written, asked);
		ret = -EIO;
	}
	mutex_unlock(&mark->lock);
	return ret;
}
