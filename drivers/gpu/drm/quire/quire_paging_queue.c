// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The paging queue
 *
 * Owns the paging buffers: a pool of fixed size that is pinned once. A buffer
 * is open in the hands of one thread while its list is built, then becomes a
 * job of the DRM scheduler, is patched right before the ring takes it, and
 * returns to the pool with its fence.
 *
 * Nobody holds a buffer while waiting for another one, so that moves which run
 * at the same time can not starve each other. Between acquire and submit a
 * thread is inside drm_dev_enter(): after drm_dev_unplug() no buffer is open.
 *
 * All waits end: fences signal in bounded time because the watchdog
 * (queue_timedout_job()) restarts a stuck ring once and gives it up then.
 *
 * Locking: &quire_paging_queue.lock around arm and push; it is taken with
 * reservation locks held and in reclaim, so nothing is allocated under it.
 */
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "quire_compat.h"
#include "quire_paging_queue.h"
#include "quire_ring.h"
#include "quire_trace.h"

/* How long the ring may stand still. */
#define QUIRE_PAGING_TIMEOUT	msecs_to_jiffies(3000)

/* A wait for idle ends long after the watchdog must have acted. */
#define QUIRE_IDLE_TIMEOUT	msecs_to_jiffies(60000)

/**
 * struct quire_paging_job - one paging buffer in the scheduler
 * @base: base
 * @queue: where it came from
 * @fence: the submission, until the ring takes it
 * @buffer: what is submitted; memory of the pool until the job's fence signals
 */
struct quire_paging_job {
	struct drm_sched_job base;
	struct quire_paging_queue *queue;
	struct quire_ring_fence *fence;
	struct quire_paging_buffer buffer;
};

static struct quire_paging_job *to_paging_job(struct drm_sched_job *job)
{
	return container_of(job, struct quire_paging_job, base);
}

static void queue_count(struct quire_paging_queue *queue,
			const struct quire_paging_record *record)
{
	struct quire_paging_counter *counter = &queue->counters[record->operation];

	atomic64_inc(&counter->count);
	atomic64_add(record->bytes, &counter->bytes);
}

/*
 * The last step before the ring: fills in the address that the mover does not
 * know, in place (paging-model 5.1). Running it again changes nothing.
 */
static void queue_patch(struct quire_paging_queue *queue, struct quire_paging_buffer *buffer)
{
	struct quire_packet_unmap *unmap;
	u32 i;

	for (i = 0; i < buffer->nr_records; i++) {
		queue_count(queue, &buffer->records[i]);
		if (buffer->records[i].operation != QUIRE_PAGING_UNMAP_APERTURE_SEGMENT)
			continue;
		unmap = buffer->cpu + buffer->records[i].offset;
		unmap->dummy_page = cpu_to_le64(queue->dummy_page);
	}
}

static struct dma_fence *queue_run_job(struct drm_sched_job *sched_job)
{
	struct quire_paging_job *job = to_paging_job(sched_job);
	struct quire_ring_fence *fence = job->fence;

	queue_patch(job->queue, &job->buffer);
	atomic64_inc(&job->queue->submissions);
	job->fence = NULL;
	trace_quire_paging_buffer_submit(job->queue->drm->dev, &job->buffer);
	return quire_ring_submit(job->queue->ring, fence);
}

static void queue_unstick(struct quire_paging_queue *queue)
{
	struct drm_device *drm = queue->drm;

	drm_warn(drm, "paging ring is stuck, restarting it\n");
	if (!quire_ring_restart(queue->ring))
		return;

	drm_err(drm, "paging ring is stuck again, the device is wedged; unbind and bind it\n");
	quire_ring_kill(queue->ring, -EIO);
}

/*
 * The watchdog. A restarted ring goes on under the same fences, so whatever is
 * found, the scheduler keeps its jobs as they are.
 */
static enum drm_gpu_sched_stat queue_timedout_job(struct drm_sched_job *sched_job)
{
	struct quire_paging_queue *queue = to_paging_job(sched_job)->queue;

	quire_ring_process(queue->ring); /* an interrupt may have been lost */
	if (quire_ring_is_stuck(queue->ring))
		queue_unstick(queue);
	return quire_sched_take_back(sched_job);
}

static void queue_free_job(struct drm_sched_job *sched_job)
{
	struct quire_paging_job *job = to_paging_job(sched_job);
	struct quire_paging_queue *queue = job->queue;
	struct dma_fence *finished = &sched_job->s_fence->finished;

	trace_quire_paging_buffer_done(queue->drm->dev, finished->seqno,
				       job->buffer.gpu_address, finished->error);
	drm_sched_job_cleanup(sched_job);
	kfree(job->fence);
	kfree(job);
	if (atomic_dec_and_test(&queue->jobs))
		wake_up_all(&queue->idle);
}

static const struct drm_sched_backend_ops queue_sched_ops = {
	.run_job = queue_run_job,
	.timedout_job = queue_timedout_job,
	.free_job = queue_free_job,
};

static struct quire_paging_work *to_work(struct quire_paging_list *list)
{
	return container_of(list, struct quire_paging_work, list);
}

static int work_acquire(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	struct quire_paging_work *work = to_work(list);
	struct quire_paging_queue *queue = work->queue;
	struct drm_suballoc *sa;
	u64 offset;

	if (!drm_dev_enter(queue->drm, &work->unplug_index))
		return -ENODEV;

	sa = drm_suballoc_new(&queue->pool, QUIRE_PAGING_BUFFER_SIZE, GFP_KERNEL,
			      work->interruptible, QUIRE_PAGING_BUFFER_SIZE);
	if (IS_ERR(sa)) {
		drm_dev_exit(work->unplug_index);
		return PTR_ERR(sa);
	}

	offset = drm_suballoc_soffset(sa);
	*buffer = (struct quire_paging_buffer) {
		.cpu = queue->pool_cpu + offset,
		.gpu_address = queue->pool_dma + offset,
		.size = QUIRE_PAGING_BUFFER_SIZE,
		.records = queue->records +
			   offset / QUIRE_PAGING_BUFFER_SIZE * QUIRE_PAGING_RECORD_COUNT,
		.max_records = QUIRE_PAGING_RECORD_COUNT,
		.backend = sa,
	};
	return 0;
}

static void work_release(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	drm_suballoc_free(buffer->backend, NULL);
	drm_dev_exit(to_work(list)->unplug_index);
}

static struct quire_paging_job *work_create_job(struct quire_paging_work *work,
						const struct quire_paging_buffer *buffer)
{
	struct quire_paging_queue *queue = work->queue;
	struct quire_paging_job *job;
	int ret = -ENOMEM;

	job = kzalloc(sizeof(*job), GFP_KERNEL);
	if (!job)
		return ERR_PTR(-ENOMEM);

	job->queue = queue;
	job->buffer = *buffer;
	job->fence = quire_ring_fence_alloc(buffer->gpu_address, buffer->used);
	if (!job->fence)
		goto err_free;

	ret = quire_sched_job_init(&job->base, &queue->entity, 1, NULL, 0);
	if (ret)
		goto err_free;

	/* The entity is in order: what the first buffer waits for, all do. */
	if (work->resv && !work->list.fence)
		ret = drm_sched_job_add_resv_dependencies(&job->base, work->resv,
							  DMA_RESV_USAGE_BOOKKEEP);
	if (ret)
		goto err_cleanup;
	return job;

err_cleanup:
	drm_sched_job_cleanup(&job->base);
err_free:
	kfree(job->fence);
	kfree(job);
	return ERR_PTR(ret);
}

static struct dma_fence *work_submit(struct quire_paging_list *list,
				     struct quire_paging_buffer *buffer)
{
	struct quire_paging_work *work = to_work(list);
	struct quire_paging_queue *queue = work->queue;
	struct quire_paging_job *job;
	struct dma_fence *fence;

	job = work_create_job(work, buffer);
	if (IS_ERR(job)) {
		work_release(list, buffer);
		return ERR_CAST(job);
	}

	mutex_lock(&queue->lock);
	drm_sched_job_arm(&job->base);
	fence = dma_fence_get(&job->base.s_fence->finished);
	atomic_inc(&queue->jobs);
	drm_sched_entity_push_job(&job->base);
	mutex_unlock(&queue->lock);

	drm_suballoc_free(buffer->backend, fence);
	drm_dev_exit(work->unplug_index);
	return fence;
}

static int work_wait(struct quire_paging_list *list, struct dma_fence *fence)
{
	long ret = dma_fence_wait_timeout(fence, false, QUIRE_IDLE_TIMEOUT);

	if (ret < 0)
		return ret;
	return ret ? min(fence->error, 0) : -EIO;
}

static int work_wait_idle(struct quire_paging_list *list)
{
	struct quire_paging_work *work = to_work(list);
	long ret;

	if (!work->resv)
		return 0;

	ret = dma_resv_wait_timeout(work->resv, DMA_RESV_USAGE_BOOKKEEP,
				    work->interruptible, QUIRE_IDLE_TIMEOUT);
	if (ret < 0)
		return ret;
	return ret ? 0 : -EIO;
}

static const struct quire_paging_list_ops work_ops = {
	.acquire = work_acquire,
	.submit = work_submit,
	.release = work_release,
	.wait_idle = work_wait_idle,
	.wait = work_wait,
	.signalled = dma_fence_get_stub,
	.put = dma_fence_put,
};

/**
 * quire_paging_work_init - start a list of operations
 * @work: to initialise, on the stack
 * @queue: where the operations are executed, after all earlier ones
 * @resv: the first buffer waits for all its fences; held until
 *        quire_paging_list_finish(); NULL: waits for nothing
 * @interruptible: waits end with -ERESTARTSYS on a signal
 *
 * Errors come from quire_paging_list_add() and _finish(): -ENODEV after the
 * device was unplugged, -ENOMEM, -ERESTARTSYS. A wedged device shows in the
 * error of the returned fence (-EIO).
 *
 * Source: DESIGN "The queue drives it".
 */
void quire_paging_work_init(struct quire_paging_work *work,
			    struct quire_paging_queue *queue,
			    struct dma_resv *resv, bool interruptible)
{
	*work = (struct quire_paging_work) {
		.list.ops = &work_ops,
		.list.caps = &queue->caps,
		.queue = queue,
		.resv = resv,
		.interruptible = interruptible,
	};
}

/**
 * quire_paging_queue_nop - submit empty buffers and wait for the last
 * @queue: the queue
 * @count: how many
 *
 * What a submission costs without work in it.
 *
 * Returns: 0, or an error as of quire_paging_work_init().
 *
 * Source: paging-model 2.2, submissions of no bytes.
 */
int quire_paging_queue_nop(struct quire_paging_queue *queue, unsigned int count)
{
	struct quire_paging_work work;
	struct dma_fence *fence;
	int ret = 0;

	quire_paging_work_init(&work, queue, NULL, true);
	while (count-- && !ret) {
		ret = work_acquire(&work.list, &work.list.buffer);
		if (ret)
			break;
		fence = work_submit(&work.list, &work.list.buffer);
		work.list.buffer.cpu = NULL;
		ret = PTR_ERR_OR_ZERO(fence);
		if (!ret) {
			dma_fence_put(work.list.fence);
			work.list.fence = fence;
		}
	}

	fence = quire_paging_list_finish(&work.list, ret);
	if (IS_ERR(fence))
		return PTR_ERR(fence);
	ret = work_wait(&work.list, fence);
	dma_fence_put(fence);
	return ret;
}

static int queue_init_pool(struct quire_paging_queue *queue)
{
	queue->pool_cpu = dmam_alloc_coherent(queue->drm->dev, QUIRE_PAGING_BUFFERS_SIZE,
					      &queue->pool_dma, GFP_KERNEL);
	if (!queue->pool_cpu)
		return -ENOMEM;

	queue->records = kvcalloc(QUIRE_PAGING_BUFFER_COUNT,
				  QUIRE_PAGING_RECORDS_SIZE, GFP_KERNEL);
	if (!queue->records)
		return -ENOMEM;

	drm_suballoc_manager_init(&queue->pool, QUIRE_PAGING_BUFFERS_SIZE,
				  QUIRE_PAGING_BUFFER_SIZE);
	return 0;
}

static void queue_fini_pool(struct quire_paging_queue *queue)
{
	drm_suballoc_manager_fini(&queue->pool);
	kvfree(queue->records);
}

static int queue_init_sched(struct quire_paging_queue *queue)
{
	struct drm_gpu_scheduler *sched = &queue->sched;
	const struct drm_sched_init_args args = {
		.ops = &queue_sched_ops,
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
		.credit_limit = QUIRE_RING_ENTRIES / 2,
		.timeout = QUIRE_PAGING_TIMEOUT,
		.name = "quire-paging",
		.dev = queue->drm->dev,
	};
	int ret;

	ret = quire_sched_init(sched, &args);
	if (ret)
		return ret;

	ret = drm_sched_entity_init(&queue->entity, DRM_SCHED_PRIORITY_KERNEL,
				    &sched, 1, NULL);
	if (ret)
		drm_sched_fini(sched);
	return ret;
}

/**
 * quire_paging_queue_init - make the queue of ring 0
 * @queue: to initialise
 * @drm: whose queue it is; bound to its parent device
 * @config: what it is made of
 *
 * Returns: 0; -ENOMEM; -EINVAL if the device takes smaller submissions than
 * the buffers are, or the errors of the DRM scheduler.
 *
 * Source: DESIGN section 2; reference/linux.md 1.4 item 2, why there is one
 * entity.
 */
int quire_paging_queue_init(struct quire_paging_queue *queue, struct drm_device *drm,
			    const struct quire_paging_queue_config *config)
{
	int ret;

	queue->drm = drm;
	queue->ring = config->ring;
	queue->dummy_page = config->dummy_page;
	queue->caps = (struct quire_paging_caps) {
		.vram_pages = config->vram_size >> QUIRE_PAGE_SHIFT,
		.aperture_pages = config->aperture_size >> QUIRE_PAGE_SHIFT,
		.max_packet_pages = SZ_1G >> QUIRE_PAGE_SHIFT,
		.min_buffer_size = QUIRE_PAGING_BUFFER_SIZE,
		.min_private_data_size = QUIRE_PAGING_RECORDS_SIZE,
	};
	init_waitqueue_head(&queue->idle);

	ret = quire_paging_check_caps(&queue->caps);
	if (ret)
		return ret;
	if (config->max_submission < QUIRE_PAGING_BUFFER_SIZE) {
		drm_err(drm, "device takes only %u bytes at once, needed are %u\n",
			config->max_submission, QUIRE_PAGING_BUFFER_SIZE);
		return -EINVAL;
	}

	mutex_init(&queue->lock);
	fs_reclaim_acquire(GFP_KERNEL);
	might_lock(&queue->lock);
	fs_reclaim_release(GFP_KERNEL);

	ret = queue_init_pool(queue);
	if (ret)
		return ret;

	ret = queue_init_sched(queue);
	if (ret)
		queue_fini_pool(queue);
	return ret;
}

/**
 * quire_paging_queue_fini - take the queue down
 * @queue: the queue; its device is unplugged (or was never registered), its
 *         ring killed
 *
 * Source: reference/linux.md 2.3, unplug.
 */
void quire_paging_queue_fini(struct quire_paging_queue *queue)
{
	drm_sched_entity_destroy(&queue->entity);
	wait_event(queue->idle, !atomic_read(&queue->jobs));
	drm_sched_fini(&queue->sched);
	queue_fini_pool(queue);
	mutex_destroy(&queue->lock);
}

/**
 * quire_paging_queue_fault - the device says that the ring stopped at a fault
 * @queue: the queue
 *
 * The watchdog looks at it at once. Any context, also hard interrupt.
 */
void quire_paging_queue_fault(struct quire_paging_queue *queue)
{
	quire_ring_report_fault(queue->ring);
	drm_sched_fault(&queue->sched);
}
