// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The paging queue
 *
 * Owns the paging buffers: parts of one pool that is pinned once. A buffer is
 * open in the hands of one thread while its list is built, or several of its lists
 * (quire_plug.c), then becomes a job
 * of the DRM scheduler, goes through the ring (quire_paging_submission.c), and returns
 * to the pool with its fence.
 *
 * Whatever can fail is done before a buffer is taken: the job and its fences
 * are made first, so that to push a written buffer never fails, and no memory is
 * asked for while a buffer is held.
 *
 * Waits for the device end with the fence, and fences end because of the
 * watchdog (quire_watchdog.c) and recovery (quire_recovery.c). The scheduler has no
 * timeout of its own.
 *
 * Locking: &quire_paging_queue.lock around arm and push, and while a list writes to a buffer
 * that it shares; it is taken with reservation locks held, and nothing is allocated under it:
 * a job is pushed whatever memory there is. &quire_paging_queue.pool_lock is held while waiting
 * for room in the pool, and memory may be allocated under it; who has an open buffer does not
 * take it, nor &quire_paging_queue.runs_lock, which is taken before (quire_paging_part.c).
 */
#include <linux/dma-mapping.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "quire_compat.h"
#include "quire_out_fence.h"
#include "quire_paging_part.h"
#include "quire_paging_queue.h"
#include "quire_trace.h"

static struct quire_paging_job *to_paging_job(struct drm_sched_job *job)
{
	return container_of(job, struct quire_paging_job, base);
}

static struct dma_fence *queue_run_job(struct drm_sched_job *sched_job)
{
	struct quire_paging_job *job = to_paging_job(sched_job);
	struct quire_paging_submission *submission = job->submission;
	struct quire_paging_queue *queue = job->queue;
	struct dma_fence *fence;

	job->submission = NULL;
	atomic64_inc(&queue->submissions);
	trace_quire_paging_buffer_submit(queue->drm->dev, &submission->buffer);
	fence = quire_ring_submit(queue->ring, &submission->base);
	quire_watchdog_arm(&queue->watchdog);
	return fence;
}

/**
 * quire_paging_job_free - free a job
 * @job: the job, which the scheduler does not know, or not any more
 */
void quire_paging_job_free(struct quire_paging_job *job)
{
	if (job->release)
		job->release(job);
	quire_usage_put(job->usage);
	kfree(job->submission);
	kfree(job);
}

static void queue_put_job(struct quire_paging_queue *queue)
{
	if (refcount_dec_and_test(&queue->jobs))
		complete(&queue->idle);
}

static void queue_free_job(struct drm_sched_job *sched_job)
{
	struct quire_paging_job *job = to_paging_job(sched_job);
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

/*
 * In turn: what becomes free would else always go to those who need little, and a
 * large buffer would wait for as long as they go on.
 */
static struct drm_suballoc *pool_take(struct quire_paging_queue *queue, u32 size,
				      bool interruptible)
{
	struct drm_suballoc *sa;

	if (!interruptible)
		mutex_lock(&queue->pool_lock);
	else if (mutex_lock_interruptible(&queue->pool_lock))
		return ERR_PTR(-ERESTARTSYS);
	/* Room may come only when those who have open buffers hand them in. */
	lock_map_acquire(&queue->open);
	lock_map_release(&queue->open);
	quire_plug_make_room(queue);
	sa = drm_suballoc_new(&queue->pool, size, GFP_KERNEL, interruptible,
			      QUIRE_PAGING_BUFFER_MIN);
	quire_plug_has_room(queue);
	mutex_unlock(&queue->pool_lock);
	return sa;
}

/**
 * quire_paging_job_pay - the time that a job takes counts for who makes it
 * @job: the job; its submission is initialised
 */
void quire_paging_job_pay(struct quire_paging_job *job)
{
	job->usage = quire_payers_find(&job->queue->payers);
	job->submission->base.usage = job->usage;
}

static int job_take_buffer(struct quire_paging_job *job, u32 size, bool interruptible)
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
	quire_paging_job_pay(job);
	job->gpu_address = buffer.gpu_address;
	return 0;
}

/**
 * quire_paging_job_create - make a job with an open paging buffer
 * @queue: where it will be pushed
 * @size: bytes of packets, a multiple of %QUIRE_PAGING_BUFFER_MIN up to
 *        %QUIRE_PAGING_BUFFER_MAX
 * @interruptible: the wait for room in the pool ends with a signal
 *
 * Returns: the job, with &quire_paging_queue.open held, to be given to
 * quire_paging_job_push() or quire_paging_job_destroy(); or an ERR_PTR: -ENOMEM,
 * -ERESTARTSYS.
 */
struct quire_paging_job *quire_paging_job_create(struct quire_paging_queue *queue,
						 u32 size, bool interruptible)
{
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

	ret = job_take_buffer(job, size, interruptible);
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
 * quire_paging_job_destroy - take a job back that was not pushed
 * @job: the job; &quire_paging_queue.open is not held any more
 */
void quire_paging_job_destroy(struct quire_paging_job *job)
{
	drm_suballoc_free(job->sa, NULL);
	drm_sched_job_cleanup(&job->base);
	quire_paging_job_free(job);
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
 * @job: the job, its buffer written; not the caller's any more
 *
 * It waits for nothing but what was pushed before: no fence of others can hold
 * up the queue. The fences in &quire_paging_submission.outs, which have begun, end with it.
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
 * quire_paging_job_push_own - hand a job of another entity to the scheduler
 * @job: the job, whose buffer is not of the pool; its dependencies are added
 *
 * As quire_paging_job_push(), in an order of its own: who pushes to the entity sees to that.
 */
void quire_paging_job_push_own(struct quire_paging_job *job)
{
	dma_fence_put(job_push(job));
}

/**
 * quire_paging_queue_last - what was pushed last?
 * @queue: the queue
 *
 * For jobs of other entities, which are executed in the order of the queue by depending on it.
 * Not for others than the scheduler.
 *
 * Returns: its end, with a reference, or NULL if nothing was.
 */
struct dma_fence *quire_paging_queue_last(struct quire_paging_queue *queue)
{
	struct dma_fence *last;

	mutex_lock(&queue->lock);
	last = dma_fence_get(queue->last);
	mutex_unlock(&queue->lock);
	return last;
}

/**
 * quire_paging_queue_owns - is a fence of this queue?
 * @queue: the queue
 * @fence: a fence of a reservation object
 *
 * What is not, is of other drivers or devices, and nobody here knows when it
 * ends.
 *
 * Returns: true if quire_plug_submit() returned it.
 */
bool quire_paging_queue_owns(const struct quire_paging_queue *queue,
			     const struct dma_fence *fence)
{
	return fence->context == queue->fence_context;
}

static int queue_init_pool(struct quire_paging_queue *queue)
{
	queue->pool_cpu = dmam_alloc_coherent(queue->drm->dev, QUIRE_PAGING_BUFFERS_SIZE,
					      &queue->pool_dma, GFP_KERNEL);
	if (!queue->pool_cpu)
		return -ENOMEM;

	queue->records = kvzalloc(QUIRE_PAGING_RECORDS_SIZE, GFP_KERNEL);
	queue->runs = kvmalloc_array(QUIRE_PAGING_SIDES * QUIRE_SUB_TRANSFER_PAGES,
				     sizeof(*queue->runs), GFP_KERNEL);
	queue->page_numbers = kvmalloc_array(QUIRE_SUB_TRANSFER_PAGES,
					     sizeof(*queue->page_numbers), GFP_KERNEL);
	if (!queue->records || !queue->runs || !queue->page_numbers) {
		kvfree(queue->page_numbers);
		kvfree(queue->runs);
		kvfree(queue->records);
		return -ENOMEM;
	}

	mutex_init(&queue->runs_lock);
	mutex_init(&queue->pool_lock);
	mutex_lock(&queue->runs_lock);
	might_lock(&queue->pool_lock);
	mutex_unlock(&queue->runs_lock);
	drm_suballoc_manager_init(&queue->pool, QUIRE_PAGING_BUFFERS_SIZE,
				  QUIRE_PAGING_BUFFER_MIN);
	return 0;
}

static void queue_fini_pool(struct quire_paging_queue *queue)
{
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
		.window_pages = config->window_size >> QUIRE_PAGE_SHIFT,
		.mmu_pages = config->mmu_size >> QUIRE_PAGE_SHIFT,
		.max_packet_pages = SZ_1G >> QUIRE_PAGE_SHIFT,
		.min_buffer_size = QUIRE_PAGING_BUFFER_MIN,
		.min_private_data_size = QUIRE_PAGING_BUFFER_MIN / QUIRE_PAGING_PACKET_MIN *
					 sizeof(struct quire_paging_record),
	};
	return quire_paging_check_caps(&queue->caps);
}

/*
 * lockdep sees to it that nobody allocates under the lock, and that who has an open buffer
 * waits neither for room in the pool nor for who describes a part.
 */
static void queue_init_lock(struct quire_paging_queue *queue)
{
	static struct lock_class_key open_key;

	mutex_init(&queue->lock);
	fs_reclaim_acquire(GFP_KERNEL);
	might_lock(&queue->lock);
	fs_reclaim_release(GFP_KERNEL);
	lockdep_init_map(&queue->open, "quire_paging_queue.open", &open_key, 0);
}

/**
 * quire_paging_queue_init - make the queue of ring 0
 * @queue: to initialise
 * @drm: whose queue it is; bound to its parent device
 * @config: what it is made of
 *
 * There is one entity, so work is executed in the order in which it is pushed, which is that
 * in which it is built: places
 * are given away while work on them is pending (quire_move.c).
 *
 * Returns: 0; -ENOMEM; -EINVAL if the device takes smaller submissions than
 * the buffers are, or the errors of the DRM scheduler.
 *
 * Source: drm_sched_entity_init(); Documentation/gpu/quire/model.rst.
 */
int quire_paging_queue_init(struct quire_paging_queue *queue, struct drm_device *drm,
			    const struct quire_paging_queue_config *config)
{
	int ret;

	queue->drm = drm;
	queue->ring = config->ring;
	queue->aperture = config->aperture;
	queue->residency = config->residency;
	queue->mmus = config->mmus;
	queue->natives = config->natives;
	queue->dummy_page = config->dummy_page;
	queue->mark = config->mark;
	queue->fence_context = dma_fence_context_alloc(1);
	refcount_set(&queue->jobs, 1);
	init_completion(&queue->idle);
	quire_payers_init(&queue->payers);
	queue_init_lock(queue);

	ret = queue_init_caps(queue, config) ?:
	      quire_paging_space_init(&queue->space, drm, &queue->caps);
	if (ret)
		return ret;

	ret = queue_init_pool(queue);
	if (ret)
		return ret;

	quire_watchdog_init(&queue->watchdog, queue->ring, config->watchdogs, config->stuck);
	ret = quire_plug_init(&queue->plug);
	if (ret)
		goto err_watchdog;

	ret = queue_init_sched(queue);
	if (ret)
		goto err_plug;
	return 0;

err_plug:
	quire_plug_fini(&queue->plug);
err_watchdog:
	quire_watchdog_fini(&queue->watchdog);
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
	queue_put_job(queue);
	wait_for_completion(&queue->idle);
	drm_sched_fini(&queue->sched);
	dma_fence_put(queue->last);
	quire_plug_fini(&queue->plug);
	quire_watchdog_fini(&queue->watchdog);
	queue_fini_pool(queue);
	mutex_destroy(&queue->lock);
}

/**
 * quire_paging_queue_wait - wait for the end of all that was built so far
 * @queue: the queue; others may go on
 *
 * Not interrupted; the watchdog ends it. Allocates nothing.
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
 * quire_paging_queue_fault - the device says that the ring stopped at a fault
 * @queue: the queue
 *
 * The watchdog looks at it at once. Any context, also hard interrupt.
 */
void quire_paging_queue_fault(struct quire_paging_queue *queue)
{
	quire_watchdog_look_now(&queue->watchdog);
}

/**
 * quire_paging_queue_peek - what stands in a paging buffer?
 * @queue: the queue
 * @addr: DMA address
 * @bytes: returned
 * @size: bytes to be returned
 *
 * Any context.
 *
 * Returns: bytes that @bytes has; 0 if @addr is in no paging buffer.
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
