// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Discards in batches
 *
 * The device is told of every place in VRAM that lost its content (DISCARD_CONTENT), so that it can
 * give the memory behind it back. One packet in a job of its own would cost more than it gives:
 * idle places are collected, neighbours are joined, and all of them go out in one list.
 *
 * A place can be given to another object as soon as it is in the batch. So a task that brings
 * content into VRAM calls quire_discard_submit() after its place was allocated and before its own
 * list is submitted: paging work is in order, and the discard comes first. Other places go out
 * after a delay.
 *
 * A discard is a hint: without memory for the list it is dropped. Notices that an object has left
 * (quire_residency.c), or that an MMU does not show it any more (quire_mmu.c), are not: they go out
 * before, and placements fail without them.
 *
 * Locking: &quire_discard_batch.submit_lock, then &quire_discard_batch.lock. The first is held over
 * the submission, so that runs taken by one thread are submitted before another one, which found
 * none, goes on.
 */
#include <linux/dma-fence.h>

#include <drm/drm_drv.h>

#include "quire_discard.h"
#include "quire_leaving.h"
#include "quire_paging_queue.h"
#include "quire_paging_work.h"

#define QUIRE_DISCARD_DELAY	msecs_to_jiffies(100)

/* Returns false if there is no room. */
static bool batch_try_add(struct quire_discard_batch *batch, u64 first, u64 count)
{
	struct quire_page_run *last;
	bool added = true;

	spin_lock(&batch->lock);
	last = batch->nr ? &batch->runs[batch->nr - 1] : NULL;
	if (last && last->first + last->count == first) {
		last->count += count;
	} else if (last && first + count == last->first) {
		last->first = first;
		last->count += count;
	} else if (batch->nr < QUIRE_DISCARD_RUNS) {
		batch->runs[batch->nr++] = (struct quire_page_run) {
			.first = first,
			.count = count,
		};
	} else {
		added = false;
	}
	spin_unlock(&batch->lock);
	return added;
}

static void batch_take(struct quire_discard_batch *batch)
{
	lockdep_assert_held(&batch->submit_lock);

	spin_lock(&batch->lock);
	batch->nr_taken = batch->nr;
	memcpy(batch->taken, batch->runs, batch->nr * sizeof(*batch->runs));
	batch->nr = 0;
	spin_unlock(&batch->lock);
}

/* After a signal the runs stay taken: the next caller submits them, at the latest the work. */
static int batch_submit_runs(struct quire_discard_batch *batch, struct quire_batch *caller,
			     bool interruptible)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_DISCARD_CONTENT,
		.u.discard.location = {
			.segment = QUIRE_SEGMENT_VRAM,
			.nr_runs = batch->nr_taken,
			.runs = batch->taken,
		},
	};
	struct quire_paging_work work;
	struct dma_fence *fence;
	int ret;

	quire_paging_work_init(&work, caller, NULL,
			       batch->nr_taken * sizeof(struct quire_packet_discard),
			       interruptible);
	ret = quire_paging_list_add(&work.list, &args);
	fence = quire_paging_list_finish(&work.list, ret);
	if (IS_ERR(fence) && PTR_ERR(fence) == -ERESTARTSYS)
		return -ERESTARTSYS;
	if (!IS_ERR(fence))
		dma_fence_put(fence);
	batch->nr_taken = 0;
	return 0;
}

/* Most placements find the batch empty: those do not pay for the arguments. */
static int batch_submit_taken(struct quire_discard_batch *batch, struct quire_batch *caller,
			      bool interruptible)
{
	lockdep_assert_held(&batch->submit_lock);

	if (!batch->nr_taken)
		return 0;
	return batch_submit_runs(batch, caller, interruptible);
}

/*
 * If this is true, the work will see what the caller has put in: it is not pending any more before
 * it takes the lock under which it looks, and the caller has had that lock.
 */
static bool is_scheduled(struct quire_discard_batch *batch)
{
	return delayed_work_pending(&batch->work);
}

static void batch_work(struct work_struct *work)
{
	struct quire_discard_batch *batch = container_of(to_delayed_work(work),
							 struct quire_discard_batch, work);

	if (quire_discard_submit(batch, &batch->queue->unpaid, false) == -ENOMEM)
		schedule_delayed_work(&batch->work, QUIRE_DISCARD_DELAY);
}

/**
 * quire_discard_init - make an empty batch
 * @batch: to initialise
 * @queue: where discards are executed
 * @residency: notices of objects that left
 * @mmu: notices of free places that MMUs show
 */
void quire_discard_init(struct quire_discard_batch *batch, struct quire_paging_queue *queue,
			struct quire_leaving *residency, struct quire_leaving *mmu)
{
	batch->queue = queue;
	batch->residency = residency;
	batch->mmu = mmu;
	mutex_init(&batch->submit_lock);
	spin_lock_init(&batch->lock);
	INIT_DELAYED_WORK(&batch->work, batch_work);
}

/**
 * quire_discard_fini - drop the batch
 * @batch: the batch; the device is unplugged, nothing is added any more
 */
void quire_discard_fini(struct quire_discard_batch *batch)
{
	cancel_delayed_work_sync(&batch->work);
	mutex_destroy(&batch->submit_lock);
}

/**
 * quire_discard_add - discard the content of a place
 * @batch: the batch
 * @res: the place, in VRAM; unused, and not free yet
 *
 * May sleep, but waits for the device only if all paging buffers are in use.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, DiscardContent.
 */
void quire_discard_add(struct quire_discard_batch *batch, struct ttm_resource *res)
{
	struct quire_cursor cursor;

	for (quire_cursor_first_vram(&cursor, res); cursor.count; quire_cursor_next(&cursor))
		while (!batch_try_add(batch, cursor.first, cursor.count))
			if (quire_discard_submit(batch, &batch->queue->unpaid, false))
				return;

	if (!is_scheduled(batch))
		schedule_delayed_work(&batch->work, QUIRE_DISCARD_DELAY);
}

/**
 * quire_discard_later - submit the batch and the notices after a delay
 * @batch: the batch
 *
 * Does not sleep.
 */
void quire_discard_later(struct quire_discard_batch *batch)
{
	int idx;

	if (is_scheduled(batch))
		return;
	if (!drm_dev_enter(batch->queue->drm, &idx))
		return;
	schedule_delayed_work(&batch->work, QUIRE_DISCARD_DELAY);
	drm_dev_exit(idx);
}

/**
 * quire_discard_submit - submit the batch and the notices now
 * @batch: the batch
 * @caller: paging work of the call
 * @interruptible: waits end with a signal
 *
 * What the caller submits after 0 is executed after the notices, and after the discard of every
 * place that was free before the call.
 *
 * Returns: 0; -ERESTARTSYS, only if @interruptible; errors of quire_leaving_submit().
 */
int quire_discard_submit(struct quire_discard_batch *batch, struct quire_batch *caller,
			 bool interruptible)
{
	int ret;

	if (!interruptible)
		mutex_lock(&batch->submit_lock);
	else if (mutex_lock_interruptible(&batch->submit_lock))
		return -ERESTARTSYS;

	ret = quire_leaving_submit(batch->residency, caller, interruptible) ?:
	      quire_leaving_submit(batch->mmu, caller, interruptible) ?:
	      batch_submit_taken(batch, caller, interruptible);
	if (!ret) {
		batch_take(batch);
		ret = batch_submit_taken(batch, caller, interruptible);
	}
	mutex_unlock(&batch->submit_lock);
	return ret;
}
