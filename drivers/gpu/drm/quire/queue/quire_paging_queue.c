// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The paging queue
 *
 * A paging buffer, a part of a pool that is pinned once, is open in the hands of one thread while
 * lists are built (quire_paging_work.c), then becomes a job of the DRM scheduler, goes through the
 * ring (quire_paging_submission.c), and returns to the pool with its fence. Fences end because of
 * the watchdog and recovery (quire_reset.c); the scheduler has no timeout.
 *
 * Locking: &quire_paging_queue.lock around arm and push, and while a list writes to a shared
 * buffer; it is taken with reservation locks held, and nothing is allocated under it.
 * &quire_paging_queue.pool_lock is held while waiting for room in the pool, and memory may be
 * allocated under it; a task with an open buffer takes neither it nor
 * &quire_paging_queue.runs_lock, which is taken before.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_print.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "quire_paging_queue.h"
#include "quire_paging_work.h"

#define CREATE_TRACE_POINTS
#include "quire_trace.h"

static struct dma_fence *queue_run_job(struct drm_sched_job *sched_job)
{
	struct quire_paging_job *job = container_of(sched_job, struct quire_paging_job, base);
	struct quire_paging_submission *submission = job->submission;
	struct quire_paging_queue *queue = job->queue;
	bool cookie = dma_fence_begin_signalling();
	struct dma_fence *fence;

	job->submission = NULL;
	atomic64_inc(&queue->submissions);
	trace_quire_paging_buffer_submit(queue->drm->dev, &submission->buffer);
	fence = quire_ring_submit(queue->ring, &submission->base);
	quire_watchdog_arm(&queue->watchdog);
	dma_fence_end_signalling(cookie);
	return fence;
}

static void queue_put_job(struct quire_paging_queue *queue)
{
	if (refcount_dec_and_test(&queue->jobs))
		complete(&queue->idle);
}

static void queue_free_job(struct drm_sched_job *sched_job)
{
	struct quire_paging_job *job = container_of(sched_job, struct quire_paging_job, base);
	struct quire_paging_queue *queue = job->queue;
	struct dma_fence *finished = &sched_job->s_fence->finished;

	trace_quire_paging_buffer_done(queue->drm->dev, finished->seqno,
				       job->gpu_address, finished->error);
	drm_sched_job_cleanup(sched_job);
	quire_paging_job_free(job);
	queue_put_job(queue);
}

static const struct drm_sched_backend_ops queue_sched_ops = {
	.run_job = queue_run_job,
	.free_job = queue_free_job,
};

/**
 * quire_paging_queue_last - get the end of the job pushed last, for dependencies on it
 * @queue: the queue
 * Returns: the scheduler's fence, with a reference; or NULL.
 */
struct dma_fence *quire_paging_queue_last(struct quire_paging_queue *queue)
{
	guard(mutex)(&queue->lock);
	return dma_fence_get(queue->last);
}

static void queue_push_open(struct work_struct *work)
{
	quire_plug_push_all(container_of(work, struct quire_paging_queue, plug.work));
}

/* After an error queue_fini_pool() follows. */
static int queue_init_pool(struct quire_paging_queue *queue)
{
	INIT_WORK(&queue->plug.work, queue_push_open);
	mutex_init(&queue->runs_lock);
	mutex_init(&queue->pool_lock);
	mutex_lock(&queue->runs_lock);
	might_lock(&queue->pool_lock);
	mutex_unlock(&queue->runs_lock);
	drm_suballoc_manager_init(&queue->pool, QUIRE_PAGING_BUFFERS_SIZE,
				  QUIRE_PAGING_BUFFER_MIN);

	queue->pool_cpu = dmam_alloc_coherent(queue->drm->dev, QUIRE_PAGING_BUFFERS_SIZE,
					      &queue->pool_dma, GFP_KERNEL);
	queue->records = kvzalloc(QUIRE_PAGING_RECORDS_SIZE, GFP_KERNEL);
	queue->runs = kvmalloc_array(QUIRE_PAGING_SIDES * QUIRE_SUB_TRANSFER_PAGES,
				     sizeof(*queue->runs), GFP_KERNEL);
	queue->page_numbers = kvmalloc_array(QUIRE_SUB_TRANSFER_PAGES,
					     sizeof(*queue->page_numbers), GFP_KERNEL);
	/* Unbound: the processor of the waiter may be busy with a copy. */
	queue->plug.wq = alloc_workqueue("quire-plug", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!queue->pool_cpu || !queue->records || !queue->runs || !queue->page_numbers ||
	    !queue->plug.wq)
		return -ENOMEM;
	return 0;
}

static void queue_fini_pool(struct quire_paging_queue *queue)
{
	if (queue->plug.wq)
		destroy_workqueue(queue->plug.wq);
	drm_suballoc_manager_fini(&queue->pool);
	mutex_destroy(&queue->pool_lock);
	mutex_destroy(&queue->runs_lock);
	kvfree(queue->page_numbers);
	kvfree(queue->runs);
	kvfree(queue->records);
}

static int queue_init_sched(struct quire_paging_queue *queue)
{
	struct drm_gpu_scheduler *sched = &queue->sched;
	const struct drm_sched_init_args args = {
		.ops = &queue_sched_ops,
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
		.credit_limit = QUIRE_RING_ENTRIES / 2,
		.timeout = MAX_SCHEDULE_TIMEOUT,
		.name = "quire-paging",
		.dev = queue->drm->dev,
	};
	int ret;

	ret = quire_sched_init(sched, &args);
	if (ret)
		return ret;
	ret = drm_sched_entity_init(&queue->entity, DRM_SCHED_PRIORITY_KERNEL, &sched, 1, NULL);
	if (ret)
		drm_sched_fini(sched);
	return ret;
}

/**
 * quire_paging_queue_init - make the queue of ring 0
 * @queue: to initialise
 * @qdev: the device; its ring 0 and tables are initialised
 * @window_size: bytes of the aperture that the CPU can see
 * @mmu_size: bytes that each MMU shows
 * @stuck: called when the ring does not work any more
 *
 * Returns: 0; -ENOMEM; -EINVAL if the device takes smaller submissions than the buffers are; errors
 * of the DRM scheduler.
 */
int quire_paging_queue_init(struct quire_paging_queue *queue, struct quire_device *qdev,
			    u64 window_size, u64 mmu_size, quire_watchdog_stuck_t stuck)
{
	static struct lock_class_key open_key;
	int ret;

	queue->drm = &qdev->drm;
	queue->ring = qdev->paging_ring;
	queue->fence_context = dma_fence_context_alloc(1);
	refcount_set(&queue->jobs, 1);
	init_completion(&queue->idle);

	/* lockdep: no allocation under the lock, no wait for buffers or parts with one open. */
	mutex_init(&queue->lock);
	fs_reclaim_acquire(GFP_KERNEL);
	might_lock(&queue->lock);
	fs_reclaim_release(GFP_KERNEL);
	lockdep_init_map(&queue->open, "quire_paging_queue.open", &open_key, 0);

	if (qdev->max_submission < QUIRE_PAGING_BUFFER_MAX) {
		drm_err(queue->drm, "device takes only %u bytes at once, needed are %u\n",
			qdev->max_submission, QUIRE_PAGING_BUFFER_MAX);
		return -EINVAL;
	}
	queue->caps = (struct quire_paging_caps) {
		.vram_pages = qdev->vram_size >> QUIRE_PAGE_SHIFT,
		.aperture_pages = qdev->aperture_size >> QUIRE_PAGE_SHIFT,
		.window_pages = window_size >> QUIRE_PAGE_SHIFT,
		.mmu_pages = mmu_size >> QUIRE_PAGE_SHIFT,
		.max_packet_pages = SZ_1G >> QUIRE_PAGE_SHIFT,
		.min_buffer_size = QUIRE_PAGING_BUFFER_MIN,
		.min_private_data_size = QUIRE_PAGING_BUFFER_MIN / QUIRE_PAGING_PACKET_MIN *
					 sizeof(struct quire_paging_record),
	};
	ret = quire_paging_check_caps(&queue->caps) ?:
	      quire_paging_space_init(&queue->space, queue->drm, &queue->caps);
	if (ret)
		return ret;

	quire_watchdog_init(&queue->watchdog, queue->ring, qdev->watchdogs, stuck);
	queue->unpaid.queue = queue;
	queue->evictions.queue = queue;
	ret = queue_init_pool(queue) ?: queue_init_sched(queue);
	if (ret) {
		quire_watchdog_fini(&queue->watchdog);
		queue_fini_pool(queue);
	}
	return ret;
}

/**
 * quire_paging_queue_fini - take the queue down
 * @queue: the queue; its device is unplugged or was never registered, its ring killed
 */
void quire_paging_queue_fini(struct quire_paging_queue *queue)
{
	drm_sched_entity_destroy(&queue->entity);
	queue_put_job(queue);
	wait_for_completion(&queue->idle);
	drm_sched_fini(&queue->sched);
	dma_fence_put(queue->last);
	quire_watchdog_fini(&queue->watchdog);
	queue_fini_pool(queue);
	mutex_destroy(&queue->lock);
}

/**
 * quire_paging_queue_wait - wait, not interrupted, for the end of all that was built so far
 * @queue: the queue
 */
void quire_paging_queue_wait(struct quire_paging_queue *queue)
{
	struct dma_fence *last;

	quire_plug_push_all(queue);
	last = quire_paging_queue_last(queue);
	if (last)
		dma_fence_wait(last, false);
	dma_fence_put(last);
}

/**
 * quire_paging_queue_peek - copy bytes of a paging buffer
 * @queue: the queue
 * @addr: DMA address
 * @bytes: returned
 * @size: of @bytes
 * Returns: bytes copied; 0 if @addr is in no paging buffer.
 */
u32 quire_paging_queue_peek(struct quire_paging_queue *queue, u64 addr, void *bytes, u32 size)
{
	u64 offset = addr - queue->pool_dma;

	if (addr < queue->pool_dma || offset >= QUIRE_PAGING_BUFFERS_SIZE)
		return 0;
	size = min_t(u64, size, QUIRE_PAGING_BUFFERS_SIZE - offset);
	memcpy(bytes, queue->pool_cpu + offset, size);
	return size;
}
