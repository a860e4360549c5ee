// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The paging queue
 *
 * Owns the paging buffers: parts of one pool that is pinned once. A buffer is
 * open in the hands of one thread while its list is built, then becomes a job
 * of the DRM scheduler, is patched right before the ring takes it, and returns
 * to the pool with its fence.
 *
 * Whatever can fail is done before a buffer is taken: the job and its fences
 * are made first, so that to submit a written buffer never fails, and no memory
 * is asked for while a buffer is held. A thread holds one buffer at a time and
 * submits it before it asks for the next one; moves which run at the same time
 * can not starve each other. Between acquire and submit a thread is inside
 * drm_dev_enter(): after drm_dev_unplug() no buffer is open.
 *
 * Waits for the device end with the fence, and fences end because of the
 * watchdog (quire_watchdog.c). The scheduler has no timeout of its own.
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

/* A list that turns out longer than expected goes on in buffers of this size. */
#define QUIRE_PAGING_BUFFER_MORE	SZ_4K

/**
 * struct quire_paging_job - one paging buffer, open or in the scheduler
 * @base: base
 * @queue: where it came from
 * @fence: the submission, until the ring takes it
 * @sa: memory of the pool, while the buffer is open
 * @buffer: what is submitted; memory of the pool until the job's fence signals
 */
struct quire_paging_job {
	struct drm_sched_job base;
	struct quire_paging_queue *queue;
	struct quire_ring_fence *fence;
	struct drm_suballoc *sa;
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
 * know, in place (DXGKDDI_PATCH). Running it again changes nothing.
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
	struct quire_paging_queue *queue = job->queue;
	struct quire_ring_fence *submission = job->fence;
	struct dma_fence *fence;

	queue_patch(queue, &job->buffer);
	atomic64_inc(&queue->submissions);
	job->fence = NULL;
	trace_quire_paging_buffer_submit(queue->drm->dev, &job->buffer);
	fence = quire_ring_submit(queue->ring, submission, job->buffer.gpu_address,
				  job->buffer.used);
	quire_watchdog_arm(&queue->watchdog);
	return fence;
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
	.free_job = queue_free_job,
};

static struct quire_paging_work *to_work(struct quire_paging_list *list)
{
	return container_of(list, struct quire_paging_work, list);
}

static int work_init_job(struct quire_paging_work *work, struct quire_paging_job *job)
{
	int ret;

	ret = quire_sched_job_init(&job->base, &work->queue->entity, 1, NULL, 0);
	if (ret)
		return ret;

	/* The entity is in order: what the first buffer waits for, all do. */
	if (work->resv && !work->list.fence)
		ret = drm_sched_job_add_resv_dependencies(&job->base, work->resv,
							  DMA_RESV_USAGE_BOOKKEEP);
	if (ret)
		drm_sched_job_cleanup(&job->base);
	return ret;
}

static struct quire_paging_job *work_create_job(struct quire_paging_work *work)
{
	struct quire_paging_job *job;
	int ret = -ENOMEM;

	job = kzalloc(sizeof(*job), GFP_KERNEL);
	if (!job)
		return ERR_PTR(-ENOMEM);

	job->queue = work->queue;
	job->fence = quire_ring_fence_alloc();
	if (job->fence)
		ret = work_init_job(work, job);
	if (ret) {
		kfree(job->fence);
		kfree(job);
		return ERR_PTR(ret);
	}
	return job;
}

static void work_destroy_job(struct quire_paging_job *job)
{
	drm_sched_job_cleanup(&job->base);
	kfree(job->fence);
	kfree(job);
}

/* As much as the list still needs, in parts that leave something for others. */
static u32 work_buffer_size(struct quire_paging_work *work)
{
	u64 bytes = clamp_t(u64, work->bytes, QUIRE_PAGING_BUFFER_MIN, QUIRE_PAGING_BUFFER_MAX);
	u32 size = round_up(bytes, QUIRE_PAGING_BUFFER_MIN);

	work->bytes = work->bytes > size ? work->bytes - size : QUIRE_PAGING_BUFFER_MORE;
	return size;
}

static int work_take_buffer(struct quire_paging_work *work, struct quire_paging_job *job)
{
	struct quire_paging_queue *queue = work->queue;
	u32 size = work_buffer_size(work);
	u64 offset;

	job->sa = drm_suballoc_new(&queue->pool, size, GFP_KERNEL, work->interruptible,
				   QUIRE_PAGING_BUFFER_MIN);
	if (IS_ERR(job->sa))
		return PTR_ERR(job->sa);

	offset = drm_suballoc_soffset(job->sa);
	job->buffer = (struct quire_paging_buffer) {
		.cpu = queue->pool_cpu + offset,
		.gpu_address = queue->pool_dma + offset,
		.size = size,
		.records = queue->records + offset / QUIRE_PAGING_PACKET_MIN,
		.max_records = size / QUIRE_PAGING_PACKET_MIN,
		.backend = job,
	};
	return 0;
}

static int work_acquire(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	struct quire_paging_work *work = to_work(list);
	struct quire_paging_job *job;
	int ret;

	if (!drm_dev_enter(work->queue->drm, &work->unplug_index))
		return -ENODEV;

	job = work_create_job(work);
	ret = PTR_ERR_OR_ZERO(job);
	if (ret)
		goto err_exit;

	ret = work_take_buffer(work, job);
	if (ret)
		goto err_job;

	*buffer = job->buffer;
	return 0;

err_job:
	work_destroy_job(job);
err_exit:
	drm_dev_exit(work->unplug_index);
	return ret;
}

static void work_release(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	struct quire_paging_job *job = buffer->backend;

	drm_suballoc_free(job->sa, NULL);
	work_destroy_job(job);
	drm_dev_exit(to_work(list)->unplug_index);
}

static struct dma_fence *work_submit(struct quire_paging_list *list,
				     struct quire_paging_buffer *buffer)
{
	struct quire_paging_work *work = to_work(list);
	struct quire_paging_queue *queue = work->queue;
	struct quire_paging_job *job = buffer->backend;
	struct drm_suballoc *sa = job->sa;
	struct dma_fence *fence;

	job->buffer = *buffer;

	mutex_lock(&queue->lock);
	drm_sched_job_arm(&job->base);
	fence = dma_fence_get(&job->base.s_fence->finished);
	atomic_inc(&queue->jobs);
	drm_sched_entity_push_job(&job->base); /* from here on it may be freed */
	mutex_unlock(&queue->lock);

	drm_suballoc_free(sa, fence);
	drm_dev_exit(work->unplug_index);
	return fence;
}

static int work_wait(struct quire_paging_list *list, struct dma_fence *fence)
{
	dma_fence_wait(fence, false);
	return fence->error;
}

static int work_wait_idle(struct quire_paging_list *list)
{
	struct quire_paging_work *work = to_work(list);
	long ret;

	if (!work->resv)
		return 0;

	ret = dma_resv_wait_timeout(work->resv, DMA_RESV_USAGE_BOOKKEEP,
				    work->interruptible, MAX_SCHEDULE_TIMEOUT);
	return min(ret, 0);
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
 * @bytes: of packets that are expected, as quire_paging_list_size() counts them;
 *         less costs another buffer, more wastes room in the pool
 * @interruptible: waits end with -ERESTARTSYS on a signal
 *
 * Errors come from quire_paging_list_add() and _finish(): -ENODEV after the
 * device was unplugged, -ENOMEM, -ERESTARTSYS. A wedged device shows in the
 * error of the returned fence (-EIO).
 *
 * Source: "Submitting a command buffer" of the original's documentation;
 * Documentation/gpu/quire/model.rst.
 */
void quire_paging_work_init(struct quire_paging_work *work,
			    struct quire_paging_queue *queue,
			    struct dma_resv *resv, u64 bytes, bool interruptible)
{
	*work = (struct quire_paging_work) {
		.list.ops = &work_ops,
		.list.caps = &queue->caps,
		.queue = queue,
		.resv = resv,
		.bytes = bytes,
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
 * Source: Documentation/gpu/quire/device.rst, submissions of no bytes.
 */
int quire_paging_queue_nop(struct quire_paging_queue *queue, unsigned int count)
{
	struct quire_paging_work work;
	struct dma_fence *fence;
	int ret = 0;

	quire_paging_work_init(&work, queue, NULL, 0, true);
	while (count-- && !ret)
		ret = quire_paging_list_submit_empty(&work.list);

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

	queue->records = kvzalloc(QUIRE_PAGING_RECORDS_SIZE, GFP_KERNEL);
	if (!queue->records)
		return -ENOMEM;

	drm_suballoc_manager_init(&queue->pool, QUIRE_PAGING_BUFFERS_SIZE,
				  QUIRE_PAGING_BUFFER_MIN);
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
		.timeout = MAX_SCHEDULE_TIMEOUT,
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

static int queue_init_caps(struct quire_paging_queue *queue,
			   const struct quire_paging_queue_config *config)
{
	if (config->max_submission < QUIRE_PAGING_BUFFER_MAX) {
		drm_err(queue->drm, "device takes only %u bytes at once, needed are %u\n",
			config->max_submission, QUIRE_PAGING_BUFFER_MAX);
		return -EINVAL;
	}

	queue->caps = (struct quire_paging_caps) {
		.vram_pages = config->vram_size >> QUIRE_PAGE_SHIFT,
		.aperture_pages = config->aperture_size >> QUIRE_PAGE_SHIFT,
		.max_packet_pages = SZ_1G >> QUIRE_PAGE_SHIFT,
		.min_buffer_size = QUIRE_PAGING_BUFFER_MIN,
		.min_private_data_size = QUIRE_PAGING_BUFFER_MIN / QUIRE_PAGING_PACKET_MIN *
					 sizeof(struct quire_paging_record),
	};
	return quire_paging_check_caps(&queue->caps);
}

/* Moves run in reclaim: tell lockdep before the first one does. */
static void queue_init_lock(struct quire_paging_queue *queue)
{
	mutex_init(&queue->lock);
	fs_reclaim_acquire(GFP_KERNEL);
	might_lock(&queue->lock);
	fs_reclaim_release(GFP_KERNEL);
}

/**
 * quire_paging_queue_init - make the queue of ring 0
 * @queue: to initialise
 * @drm: whose queue it is; bound to its parent device
 * @config: what it is made of
 *
 * There is one entity: TTM of 6.12 keeps one fence of evictions for a manager,
 * and takes the later one of two only if they are of one context.
 *
 * Returns: 0; -ENOMEM; -EINVAL if the device takes smaller submissions than
 * the buffers are, or the errors of the DRM scheduler.
 *
 * Source: ttm_bo_move_accel_cleanup(); Documentation/gpu/quire/model.rst.
 */
int quire_paging_queue_init(struct quire_paging_queue *queue, struct drm_device *drm,
			    const struct quire_paging_queue_config *config)
{
	int ret;

	queue->drm = drm;
	queue->ring = config->ring;
	queue->dummy_page = config->dummy_page;
	init_waitqueue_head(&queue->idle);
	queue_init_lock(queue);

	ret = queue_init_caps(queue, config);
	if (ret)
		return ret;

	ret = queue_init_pool(queue);
	if (ret)
		return ret;

	ret = quire_watchdog_init(&queue->watchdog, queue->ring);
	if (ret)
		goto err_pool;

	ret = queue_init_sched(queue);
	if (ret)
		goto err_watchdog;
	return 0;

err_watchdog:
	quire_watchdog_fini(&queue->watchdog);
err_pool:
	queue_fini_pool(queue);
	return ret;
}

/**
 * quire_paging_queue_fini - take the queue down
 * @queue: the queue; its device is unplugged (or was never registered), its
 *         ring killed
 *
 * Source: drm_dev_unplug(); drm_sched_fini().
 */
void quire_paging_queue_fini(struct quire_paging_queue *queue)
{
	drm_sched_entity_destroy(&queue->entity);
	wait_event(queue->idle, !atomic_read(&queue->jobs));
	drm_sched_fini(&queue->sched);
	quire_watchdog_fini(&queue->watchdog);
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
	quire_watchdog_look_now(&queue->watchdog);
}
