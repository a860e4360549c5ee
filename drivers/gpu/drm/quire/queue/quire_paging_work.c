// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Lists on their way to the queue
 *
 * Gives the list loop (paging/quire_paging_list.c) its buffers, and hands them to the queue. A
 * buffer is as large as the rest of the list is expected to need, or shared with other lists of the
 * batch (quire_plug.c). A thread holds one buffer at a time and submits it before it asks for the
 * next one, so concurrent moves cannot starve each other. Between acquire and submit a thread is
 * inside drm_dev_enter(): after drm_dev_unplug() no buffer is open.
 *
 * Locking: the caller holds the reservation object that it names.
 */
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "core/quire_patience.h"
#include "quire_out_fence.h"
#include "quire_paging_queue.h"
#include "quire_paging_submission.h"
#include "quire_paging_work.h"

/* A list that turns out longer than expected goes on in buffers of this size. */
#define QUIRE_PAGING_BUFFER_MORE	SZ_4K

static struct quire_paging_work *to_work(struct quire_paging_list *list)
{
	return container_of(list, struct quire_paging_work, list);
}

/* As much as the list still needs, up to what leaves something for others. */
static u32 work_buffer_size(struct quire_paging_work *work)
{
	u64 bytes = clamp_t(u64, work->bytes, QUIRE_PAGING_BUFFER_MIN, QUIRE_PAGING_BUFFER_MAX);
	u32 size = round_up(bytes, QUIRE_PAGING_BUFFER_MIN);

	work->bytes = work->bytes > size ? work->bytes - size : QUIRE_PAGING_BUFFER_MORE;
	return size;
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
		job = quire_plug_acquire(work->batch, work_buffer_size(work), !list->fence,
					 work->interruptible);
	if (IS_ERR(job)) {
		quire_out_fence_free(work->out);
		drm_dev_exit(work->unplug_index);
		return PTR_ERR(job);
	}

	*buffer = job->submission->buffer;
	return 0;
}

static void work_release(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	quire_plug_release(buffer->backend);
	quire_out_fence_free(to_work(list)->out);
	drm_dev_exit(to_work(list)->unplug_index);
}

static struct dma_fence *work_submit(struct quire_paging_list *list,
				     struct quire_paging_buffer *buffer)
{
	struct dma_fence *fence;

	/* Windows are shared: other lists would run between two halves. */
	if (drm_WARN_ON_ONCE(to_work(list)->queue->drm, to_work(list)->whole)) {
		work_release(list, buffer);
		return ERR_PTR(-EIO);
	}
	fence = quire_plug_submit(buffer->backend, buffer, to_work(list)->out);
	drm_dev_exit(to_work(list)->unplug_index);
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
 * @batch: of the call; charged for the operations, which its queue executes after all earlier ones
 * @resv: BUSY waits for all its fences, up to 15 seconds, then fails with -EBUSY; held until
 *        quire_paging_list_finish(); NULL if no operation can be BUSY
 * @bytes: of packets that are expected before the first part, if there are parts; less costs
 *         another buffer, more wastes room in the pool
 * @interruptible: waits end with -ERESTARTSYS on a signal
 *
 * Errors come from quire_paging_list_add() and _finish(): -ENODEV after unplug, -ENOMEM,
 * -ERESTARTSYS. A wedged device shows in the error of the returned fence (-EIO).
 *
 * Source: "Submitting a command buffer" of the original's documentation;
 * Documentation/gpu/quire/model.rst.
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
 * quire_paging_work_next_part - describe the next part of a move
 * @work: the list; the sides of its part are initialised
 * @pages: as of quire_paging_part_next()
 *
 * Submits what was added before. The caller then adds operations for the part, and ends it with
 * quire_paging_part_end().
 *
 * Returns: 0, -ERESTARTSYS, or an error of quire_paging_list_submit().
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
 * Until quire_paging_work_end_whole() nothing of other lists is executed in between. If it takes
 * more than @bytes and there is no room, it is refused with -EIO, and nothing of it is executed.
 *
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
 * quire_paging_work_end_whole - end quire_paging_work_begin_whole()
 * @work: the list
 */
void quire_paging_work_end_whole(struct quire_paging_work *work)
{
	work->whole = false;
}

/**
 * quire_paging_work_run - end a list and wait until it is executed
 * @work: the list
 * @error: as quire_paging_list_finish() takes it
 *
 * Not interrupted; the watchdog ends it.
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
 *
 * Returns: 0, or an error as of quire_paging_work_init().
 *
 * Source: Documentation/gpu/quire/device.rst, submissions of no bytes.
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
