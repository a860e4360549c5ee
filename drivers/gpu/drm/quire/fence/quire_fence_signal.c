// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Signals of monitored fences
 *
 * A value may have to wait for fences of anybody, and the paging queue waits for none: so each
 * monitored fence has an entity of its own, as bind queues have (quire_bind_job.c). Its jobs
 * depend on what was pushed to the paging queue last: so they come after all moves that were
 * queued before. Their order is that of their values, which so never go backwards.
 *
 * A job has one paging buffer with two packets: the device forgets what it knows of the address,
 * and writes the value, with an interrupt. Both may be executed again after a reset, for no later
 * value is written before.
 *
 * Locking: &quire_fence.lock from the value that is checked until its job is pushed. Nothing is
 * allocated or waited for under it.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE.
 */
#include <linux/dma-fence.h>
#include <linux/dmapool.h>
#include <linux/slab.h>

#include <quire/quire_hw.h>
#include <uapi/drm/quire_drm.h>

#include "paging/quire_paging.h"
#include "paging/quire_paging_list.h"
#include "core/quire_compat.h"
#include "core/quire_refuse.h"
#include "core/quire_sync.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_out_fence.h"
#include "queue/quire_paging_job.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_space.h"
#include "queue/quire_paging_submission.h"
#include "bo/quire_bo.h"
#include "vm/quire_context_page.h"
#include "quire_fence.h"

#define SIGNAL_RECORDS	(QUIRE_PAGING_BUFFER_MIN / QUIRE_PAGING_PACKET_MIN)

/**
 * struct fence_job - a value, in the hands of the scheduler
 * @base: base; first, because it is freed by it
 * @fence: whose value it is, with a reference
 * @value: the value
 * @cpu: the packets
 * @dma: DMA address of @cpu
 * @failed: the device was not able to write it
 * @out: its end, until it is pushed
 * @records: private data of the packets
 */
struct fence_job {
	struct quire_paging_job base;
	struct quire_fence *fence;
	u64 value;
	void *cpu;
	dma_addr_t dma;
	bool failed;
	struct quire_out_fence *out;
	struct quire_paging_record records[SIGNAL_RECORDS];
};

/**
 * struct fence_signal - a call
 * @list: the operations
 * @job: that they go to
 */
struct fence_signal {
	struct quire_paging_list list;
	struct fence_job *job;
};

/* One signal less is queued, or there was none. */
static void fence_leave_room(struct quire_fence *fence)
{
	atomic_dec(&fence->queued);
	quire_fences_wake(fence->qdev);
}

/* Jobs of a fence end one after the other, and with them their values grow. */
static void job_release(struct quire_paging_job *base)
{
	struct fence_job *job = container_of(base, struct fence_job, base);
	struct quire_fence *fence = job->fence;

	if (job->failed)
		WRITE_ONCE(fence->lost, job->value);
	if (job->cpu)
		dma_pool_free(fence->qdev->fences->packets, job->cpu, job->dma);
	quire_out_fence_free(job->out);
	fence_leave_room(fence);
	quire_fence_put(fence);
}

/* Takes a reference, and what &quire_fence.queued counts, over, also when it fails. */
static struct fence_job *job_create(struct quire_fence *fence, u64 value)
{
	struct fence_job *job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);
	int ret = -ENOMEM;

	if (!job) {
		fence_leave_room(fence);
		return ERR_PTR(-ENOMEM);
	}
	drm_gem_object_get(&fence->bo->base.base);
	job->base.queue = fence->qdev->paging_queue;
	job->base.release = job_release;
	job->fence = fence;
	job->value = value;
	job->base.submission = kzalloc(sizeof(*job->base.submission), GFP_KERNEL_ACCOUNT);
	job->out = quire_out_fence_alloc(NULL);
	job->cpu = dma_pool_alloc(fence->qdev->fences->packets, GFP_KERNEL, &job->dma);
	if (job->base.submission && job->out && job->cpu)
		ret = quire_sched_job_init(&job->base.base, &fence->entity, 1, NULL, 0);
	if (!ret)
		return job;
	quire_paging_job_free(&job->base);
	return ERR_PTR(ret);
}

static void job_destroy(struct fence_job *job)
{
	drm_sched_job_cleanup(&job->base.base);
	quire_paging_job_free(&job->base);
}

static int signal_acquire(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	struct fence_job *job = container_of(list, struct fence_signal, list)->job;

	*buffer = (struct quire_paging_buffer) {
		.cpu = job->cpu,
		.gpu_address = job->dma,
		.size = QUIRE_PAGING_BUFFER_MIN,
		.records = job->records,
		.max_records = SIGNAL_RECORDS,
		.backend = job,
	};
	quire_paging_submission_init(job->base.submission, job->base.queue, buffer);
	job->base.submission->failed = &job->failed;
	job->base.gpu_address = job->dma;
	return 0;
}

/* It is pushed when all of it is written. */
static struct dma_fence *signal_submit(struct quire_paging_list *list,
				       struct quire_paging_buffer *buffer)
{
	struct fence_job *job = buffer->backend;

	job->base.submission->buffer = *buffer;
	return dma_fence_get_stub();
}

static void signal_release(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
}

static int signal_wait(struct quire_paging_list *list, struct dma_fence *fence)
{
	return 0;
}

static const struct quire_paging_list_ops signal_ops = {
	.acquire = signal_acquire,
	.submit = signal_submit,
	.release = signal_release,
	.wait = signal_wait,
	.signalled = dma_fence_get_stub,
	.put = dma_fence_put,
};

/* Flush the address of the fence, then write the value. */
static int job_write_packets(struct fence_job *job)
{
	u64 address = quire_paging_fence_address(job->fence->slot);
	struct fence_signal signal = {
		.list.ops = &signal_ops,
		.list.caps = &job->base.queue->caps,
		.job = job,
	};
	struct quire_paging_args write = {
		.operation = QUIRE_PAGING_SIGNAL_MONITORED_FENCE,
		.u.signal_fence = {
			.monitored_fence_gpu_va = address,
			.monitored_fence_value = job->value,
		},
	};
	struct dma_fence *fence;
	int ret;

	ret = quire_vm_add_flush(&signal.list, job->base.queue->space.root, address,
				 address + QUIRE_PAGE_SIZE) ?:
	      quire_paging_list_add(&signal.list, &write);
	fence = quire_paging_list_finish(&signal.list, ret);
	if (IS_ERR(fence))
		return PTR_ERR(fence);
	dma_fence_put(fence);
	return 0;
}

static int job_add_dependencies(struct fence_job *job, const struct quire_syncs *syncs)
{
	struct drm_sched_job *sched_job = &job->base.base;
	int ret;
	u32 i;

	ret = drm_sched_job_add_dependency(sched_job, quire_paging_queue_last(job->base.queue));
	for (i = 0; i < syncs->count && !ret; i++)
		ret = drm_sched_job_add_dependency(sched_job, dma_fence_get(syncs->items[i].fence));
	return ret;
}

/* Returns the fence of its end, with a reference, or an ERR_PTR; takes the job over. */
static struct dma_fence *job_push_in_order(struct fence_job *job)
{
	struct quire_fence *fence = job->fence;
	struct dma_fence *end;

	mutex_lock(&fence->lock);
	if (job->value <= fence->requested) {
		end = ERR_PTR(quire_refuse(&fence->qdev->drm, -EINVAL,
					   "fence signal: value %llu after %llu", job->value,
					   fence->requested));
		mutex_unlock(&fence->lock);
		job_destroy(job);
		return end;
	}
	fence->requested = job->value;
	end = quire_out_fence_begin(job->out, QUIRE_OUT_MONITORED, fence->context,
				    ++fence->seqno, NULL);
	quire_out_fence_keep_module(end);
	list_add_tail(&job->out->link, &job->base.submission->outs);
	job->out = NULL;
	quire_paging_job_push_own(&job->base);
	mutex_unlock(&fence->lock);
	return end;
}

static int fence_signal(struct quire_fence *fence, u64 value, struct quire_syncs *syncs)
{
	struct fence_job *job;
	struct dma_fence *end;
	int ret;

	/* With nothing held: it waits for earlier signals, which may wait for foreign fences. */
	ret = wait_event_interruptible(fence->qdev->fences->wait,
				       atomic_add_unless(&fence->queued, 1,
							 DRM_QUIRE_MAX_SIGNALS));
	if (ret)
		return ret;
	CLASS(quire_device, device)(&fence->qdev->drm);
	if (device < 0) {
		fence_leave_room(fence);
		return device;
	}
	job = job_create(fence, value);
	if (IS_ERR(job))
		return PTR_ERR(job);
	ret = job_write_packets(job) ?: job_add_dependencies(job, syncs);
	if (ret) {
		job_destroy(job);
		return ret;
	}
	end = job_push_in_order(job);
	if (IS_ERR(end))
		return PTR_ERR(end);
	quire_syncs_signal(syncs, end);
	return 0;
}

static int signal_with_fence(struct drm_device *drm, struct drm_file *file,
			     const struct drm_quire_fence_signal *args, struct quire_syncs *syncs)
{
	int ret = quire_device_check(drm);
	struct quire_bo *bo;

	if (ret)
		return ret;
	bo = quire_fence_lookup(drm, file, args->handle, false);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	ret = quire_syncs_lookup(syncs, drm, file) ?: fence_signal(bo->fence, args->value, syncs);
	drm_gem_object_put(&bo->base.base);
	return ret;
}

/**
 * quire_fence_signal_ioctl - %DRM_IOCTL_QUIRE_FENCE_SIGNAL
 * @drm: the device
 * @data: &struct drm_quire_fence_signal
 * @file: who asks
 * Returns: 0, or an error as documented there.
 */
int quire_fence_signal_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_quire_fence_signal *args = data;
	struct quire_syncs syncs;
	int ret;

	if (args->pad)
		return quire_refuse(drm, -EINVAL, "fence signal: pad %u", args->pad);
	ret = quire_syncs_init(&syncs, drm, &args->syncs,
			       DRM_QUIRE_SYNC_SIGNAL | DRM_QUIRE_SYNC_WAIT);
	if (ret)
		return ret;
	ret = signal_with_fence(drm, file, args, &syncs);
	quire_syncs_fini(&syncs);
	return ret;
}
