// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Bind queues
 *
 * A bind may have to wait for foreign fences, and the paging queue waits for none. So each address
 * space has queues of its own, entities of the scheduler of the paging ring::
 *
 *     VM_BIND --> quire_bind_list --> jobs --> entity of the queue --+--> paging ring
 *                                                                    |
 *     moves ----> paging buffers of the pool -> entity of the paging +
 *                                               queue
 *
 * The call allocates and writes everything: entries say where objects are, and these stay there
 * until the job is done, for its fence is in their reservations. Packets are in memory of their
 * own, charged to the program: a bind that waits takes nothing from the pool of the paging queue.
 * An address space has a limit of such memory, and callers above it wait with nothing held.
 *
 * Queues are independent, but binds whose ranges overlap are executed in the order in which they
 * are made, or page tables would differ from what is bound.
 *
 * Locking: the reservation of the address space, from quire_bind_list_init() on.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE on a companion context; "Asynchronous VM_BIND"
 * of the kernel's documentation.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "paging/quire_paging.h"
#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "queue/quire_out_fence.h"
#include "queue/quire_paging_job.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_submission.h"
#include "quire_bind_job.h"
#include "quire_vm.h"

/* Of an address space, queued and not done. */
#define BIND_QUEUED_MAX		SZ_2M

/* A buffer of one job: a few pages that follow each other can nearly always be had. */
#define BIND_BUFFER_MAX		SZ_16K

/**
 * struct quire_bind_job - some packets of a bind, in the hands of the scheduler
 * @base: base; first, because it is freed by it
 * @vm: whose entries they write, with a reference
 * @cpu: the packets
 * @dma: DMA address of @cpu
 * @size: bytes of @cpu
 * @records: their private data
 * @charge: bytes that are given back with the job
 * @link: in &quire_bind_list.jobs
 */
struct quire_bind_job {
	struct quire_paging_job base;
	struct quire_vm *vm;
	void *cpu;
	dma_addr_t dma;
	u32 size;
	struct quire_paging_record *records;
	u64 charge;
	struct list_head link;
};

static struct quire_bind_list *to_bind_list(struct quire_paging_list *list)
{
	return container_of(list, struct quire_bind_list, list);
}

/**
 * quire_bind_queues_init - make the bind queues of an address space
 * @queues: to initialise
 * @vm: whose they are
 * Returns: 0, or an error of the DRM scheduler.
 */
int quire_bind_queues_init(struct quire_bind_queues *queues, struct quire_vm *vm)
{
	struct drm_gpu_scheduler *sched = &vm->qdev->paging_queue->sched;
	int ret;

	spin_lock_init(&queues->lock);
	init_waitqueue_head(&queues->room);
	while (queues->count < ARRAY_SIZE(queues->items)) {
		struct quire_bind_queue *queue = &queues->items[queues->count];

		ret = drm_sched_entity_init(&queue->entity, DRM_SCHED_PRIORITY_KERNEL, &sched, 1,
					    NULL);
		if (ret) {
			quire_bind_queues_fini(queues);
			return ret;
		}
		queue->fence_context = dma_fence_context_alloc(1);
		queues->count++;
	}
	return 0;
}

/**
 * quire_bind_queues_fini - take the bind queues of an address space down
 * @queues: the queues; nobody pushes any more
 */
void quire_bind_queues_fini(struct quire_bind_queues *queues)
{
	while (queues->count) {
		struct quire_bind_queue *queue = &queues->items[--queues->count];

		drm_sched_entity_fini(&queue->entity);
		dma_fence_put(queue->last);
		queue->last = NULL;
	}
}

/**
 * quire_bind_charge - wait until a bind may take memory
 * @queues: where it will be queued
 * @bytes: as many at most
 *
 * With nothing reserved: it waits for earlier binds of the address space.
 *
 * Returns: 0, or -ERESTARTSYS.
 */
int quire_bind_charge(struct quire_bind_queues *queues, u64 bytes)
{
	int ret;

	spin_lock_irq(&queues->lock);
	ret = wait_event_interruptible_lock_irq(queues->room,
						!queues->queued ||
						queues->queued + bytes <= BIND_QUEUED_MAX,
						queues->lock);
	if (!ret)
		queues->queued += bytes;
	spin_unlock_irq(&queues->lock);
	return ret;
}

/**
 * quire_bind_uncharge - undo quire_bind_charge()
 * @queues: as there
 * @bytes: as there
 */
void quire_bind_uncharge(struct quire_bind_queues *queues, u64 bytes)
{
	spin_lock_irq(&queues->lock);
	queues->queued -= bytes;
	spin_unlock_irq(&queues->lock);
	wake_up_all(&queues->room);
}

static void bind_job_release(struct quire_paging_job *base)
{
	struct quire_bind_job *job = container_of(base, struct quire_bind_job, base);

	if (job->cpu)
		dma_free_coherent(job->vm->qdev->drm.dev, job->size, job->cpu, job->dma);
	kfree(job->records);
	quire_bind_uncharge(&job->vm->queues, job->charge);
	quire_vm_put(job->vm);
}

static struct quire_bind_job *bind_job_create(struct quire_bind_list *bind)
{
	struct quire_bind_job *job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);
	struct quire_vm *vm = bind->vm;
	int ret = -ENOMEM;

	if (!job)
		return ERR_PTR(-ENOMEM);
	job->base.queue = vm->qdev->paging_queue;
	job->base.release = bind_job_release;
	job->vm = quire_vm_get(vm);
	job->size = bind->size;
	job->base.submission = kzalloc(sizeof(*job->base.submission), GFP_KERNEL_ACCOUNT);
	job->records = kcalloc(job->size / QUIRE_PAGING_PACKET_MIN, sizeof(*job->records),
			       GFP_KERNEL_ACCOUNT);
	job->cpu = dma_alloc_coherent(vm->qdev->drm.dev, job->size, &job->dma,
				      GFP_KERNEL_ACCOUNT);
	if (job->base.submission && job->records && job->cpu)
		ret = quire_sched_job_init(&job->base.base, &vm->queues.items[bind->queue].entity,
					   1, NULL, 0);
	if (!ret)
		return job;
	quire_paging_job_free(&job->base);
	return ERR_PTR(ret);
}

static int bind_acquire(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	struct quire_bind_job *job = bind_job_create(to_bind_list(list));

	if (IS_ERR(job))
		return PTR_ERR(job);
	*buffer = (struct quire_paging_buffer) {
		.cpu = job->cpu,
		.gpu_address = job->dma,
		.size = job->size,
		.records = job->records,
		.max_records = job->size / QUIRE_PAGING_PACKET_MIN,
		.backend = job,
	};
	quire_paging_submission_init(job->base.submission, job->base.queue, buffer);
	quire_paging_job_pay(&job->base, job->vm->usage);
	job->base.submission->failed = &job->vm->pages.failed;
	job->base.gpu_address = job->dma;
	return 0;
}

/* Nothing is pushed before all of it is written. */
static struct dma_fence *bind_submit(struct quire_paging_list *list,
				     struct quire_paging_buffer *buffer)
{
	struct quire_bind_job *job = buffer->backend;

	job->base.submission->buffer = *buffer;
	list_add_tail(&job->link, &to_bind_list(list)->jobs);
	return dma_fence_get_stub();
}

static void bind_job_destroy(struct quire_bind_job *job)
{
	drm_sched_job_cleanup(&job->base.base);
	quire_paging_job_free(&job->base);
}

static void bind_release(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	bind_job_destroy(buffer->backend);
}

/* No operation of page tables waits for anything. */
static int bind_wait(struct quire_paging_list *list, struct dma_fence *fence)
{
	return 0;
}

static const struct quire_paging_list_ops bind_ops = {
	.acquire = bind_acquire,
	.submit = bind_submit,
	.release = bind_release,
	.wait = bind_wait,
	.signalled = dma_fence_get_stub,
	.put = dma_fence_put,
};

/**
 * quire_bind_list_init - begin to describe what a bind changes
 * @bind: to initialise, on the stack; @charge is what was charged
 * @vm: the address space
 * @queue: number of the bind queue
 * @bytes: of packets that are expected
 *
 * Operations are added then, and quire_bind_list_close() follows.
 */
void quire_bind_list_init(struct quire_bind_list *bind, struct quire_vm *vm, u32 queue,
			  u64 bytes)
{
	bind->list = (struct quire_paging_list) {
		.ops = &bind_ops,
		.caps = &vm->qdev->paging_queue->caps,
	};
	bind->vm = vm;
	bind->queue = queue;
	bind->size = PAGE_ALIGN(clamp_t(u64, bytes, QUIRE_BIND_WHOLE_MAX, BIND_BUFFER_MAX));
	bind->out = NULL;
	INIT_LIST_HEAD(&bind->jobs);
}

/**
 * quire_bind_list_begin_whole - begin operations that need one paging buffer
 * @bind: the list
 * @bytes: of their packets, at most %QUIRE_BIND_WHOLE_MAX
 *
 * Nothing else is executed between packets of one buffer.
 *
 * Returns: 0, or what quire_paging_list_submit() returns.
 */
int quire_bind_list_begin_whole(struct quire_bind_list *bind, u32 bytes)
{
	const struct quire_paging_buffer *buffer = &bind->list.buffer;

	if (buffer->cpu && buffer->size - buffer->used < bytes)
		return quire_paging_list_submit(&bind->list);
	return 0;
}

/**
 * quire_bind_list_close - end the description
 * @bind: the list
 * Returns: 0, then it may be pushed; or an error, then quire_bind_list_drop() follows.
 */
int quire_bind_list_close(struct quire_bind_list *bind)
{
	int ret = 0;

	bind->out = quire_out_fence_alloc(&bind->vm->pages.failed);
	if (!bind->out)
		return -ENOMEM;
	/* A bind of nothing that was there has a fence, too, in its turn. */
	if (list_empty(&bind->jobs) && !bind->list.buffer.cpu)
		ret = quire_paging_list_submit_empty(&bind->list);
	return ret ?: quire_paging_list_submit(&bind->list);
}

/**
 * quire_bind_list_drop - free a list instead of pushing it
 * @bind: the list, not pushed; also after an error
 */
void quire_bind_list_drop(struct quire_bind_list *bind)
{
	struct quire_bind_job *job, *next;

	quire_paging_list_finish(&bind->list, -ECANCELED);
	list_for_each_entry_safe(job, next, &bind->jobs, link)
		bind_job_destroy(job);
	INIT_LIST_HEAD(&bind->jobs);
	quire_out_fence_free(bind->out);
	bind->out = NULL;
}

/**
 * quire_bind_list_first - the first job, for dependencies
 * @bind: the list, closed
 * Returns: the job.
 */
struct drm_sched_job *quire_bind_list_first(struct quire_bind_list *bind)
{
	return &list_first_entry(&bind->jobs, struct quire_bind_job, link)->base.base;
}

/**
 * quire_bind_list_follow - have it done after binds whose ranges overlap
 * @bind: the list, closed
 * @start: first address of all that changes
 * @end: behind the last
 * Returns: 0, or -ENOMEM.
 */
int quire_bind_list_follow(struct quire_bind_list *bind, u64 start, u64 end)
{
	struct quire_bind_queues *queues = &bind->vm->queues;
	int ret = 0;
	u32 i;

	for (i = 0; i < queues->count && !ret; i++) {
		struct quire_bind_queue *queue = &queues->items[i];

		if (i != bind->queue && queue->last && start < queue->end && queue->start < end)
			ret = drm_sched_job_add_dependency(quire_bind_list_first(bind),
							   dma_fence_get(queue->last));
	}
	return ret;
}

/**
 * quire_bind_list_push - hand a list to its queue
 * @bind: the list, closed; not usable any more
 * @start: first address of all that changes
 * @end: behind the last
 *
 * Never fails.
 *
 * Returns: the fence of its end, with a reference.
 */
struct dma_fence *quire_bind_list_push(struct quire_bind_list *bind, u64 start, u64 end)
{
	struct quire_bind_queue *queue = &bind->vm->queues.items[bind->queue];
	struct quire_bind_job *job, *next, *last;
	struct dma_fence *fence;

	fence = quire_out_fence_begin(bind->out, QUIRE_OUT_BINDS, queue->fence_context,
				      ++queue->fence_seqno, NULL);
	quire_out_fence_keep_module(fence);
	dma_fence_put(quire_paging_list_finish(&bind->list, 0));
	last = list_last_entry(&bind->jobs, struct quire_bind_job, link);
	last->charge = bind->charge;
	list_add_tail(&bind->out->link, &last->base.submission->outs);
	list_for_each_entry_safe(job, next, &bind->jobs, link)
		quire_paging_job_push_own(&job->base);
	if (queue->last && !dma_fence_is_signaled(queue->last)) {
		start = min(start, queue->start);
		end = max(end, queue->end);
	}
	dma_fence_put(queue->last);
	queue->last = dma_fence_get(fence);
	queue->start = start;
	queue->end = end;
	return fence;
}
