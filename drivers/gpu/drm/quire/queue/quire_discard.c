// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Discards in batches
 *
 * The device is told of every place in VRAM that lost its content (DISCARD_CONTENT), so that it can
 * give the memory behind it back. Idle places are collected, neighbours are joined, and all of them
 * go out in one list, after a delay. A place can be given to another object as soon as it is in the
 * batch. So a task that brings content into VRAM calls quire_discard_submit() after its place was
 * allocated and before its own list is submitted: paging work is in order, and the discard comes
 * first. A discard is a hint: without memory for the list it is dropped.
 *
 * Notices that an object has left (quire_residency.c), or that an MMU does not show it any more
 * (quire_mmu.c), are not. Where an object loses its place the driver cannot always wait for memory
 * or a paging buffer, so they are kept in lists (&struct quire_leaving) and submitted before
 * anything else comes to the place. Without memory they stay there, and the next user fails.
 *
 * Locking: &quire_discard_batch.submit_lock is held over the submission, so that what is taken by
 * one thread is submitted before another one, which found nothing, goes on. Inside of it
 * &quire_discard_batch.lock or &quire_leaving.lock.
 */
#include <linux/dma-fence.h>

#include <drm/drm_drv.h>

#include "quire_discard.h"
#include "quire_paging_queue.h"
#include "quire_paging_work.h"

#define QUIRE_DISCARD_DELAY	msecs_to_jiffies(100)

/* Notices in one buffer. */
#define LEAVING_MOST		32

static int work_finish(struct quire_paging_work *work, int error)
{
	struct dma_fence *fence = quire_paging_list_finish(&work->list, error);

	if (IS_ERR(fence))
		return PTR_ERR(fence);
	dma_fence_put(fence);
	return 0;
}

/* Those of one buffer are submitted together or not at all; after an error the rest stays. */
static int leaving_submit(struct quire_leaving *leaving, struct quire_batch *caller,
			  bool interruptible)
{
	struct quire_paging_work work;
	struct list_head *link;
	int ret;

	for (;;) {
		LIST_HEAD(taken);
		u32 count = 0;

		spin_lock(leaving->lock);
		for (; count < LEAVING_MOST && !list_empty(&leaving->list); count++)
			list_move_tail(leaving->list.next, &taken);
		spin_unlock(leaving->lock);
		if (!count)
			return 0;

		quire_paging_work_init(&work, caller, NULL, 0, interruptible);
		ret = quire_paging_work_begin_whole(&work, count * leaving->ops->bytes);
		list_for_each(link, &taken)
			if (!ret)
				ret = leaving->ops->describe(leaving, &work, link);
		quire_paging_work_end_whole(&work);
		ret = work_finish(&work, ret);
		if (ret) {
			spin_lock(leaving->lock);
			list_splice(&taken, &leaving->list);
			spin_unlock(leaving->lock);
			return ret;
		}
		leaving->ops->gone(leaving, &taken);
	}
}

/* Returns false if there is no room. */
static bool batch_try_add(struct quire_discard_batch *batch, u64 first, u64 count)
{
	struct quire_page_run *last;

	scoped_guard(spinlock, &batch->lock) {
		last = batch->nr ? &batch->runs[batch->nr - 1] : NULL;
		if (last && last->first + last->count == first) {
			last->count += count;
		} else if (last && first + count == last->first) {
			last->first = first;
			last->count += count;
		} else if (batch->nr < QUIRE_DISCARD_RUNS) {
			batch->runs[batch->nr++] = (struct quire_page_run) { first, count };
		} else {
			return false;
		}
	}
	return true;
}

/* After a signal the runs stay taken: the next caller submits them, at the latest the work. */
static int batch_submit_taken(struct quire_discard_batch *batch, struct quire_batch *caller,
			      bool interruptible)
{
	struct quire_paging_work work;
	struct quire_paging_args args;
	int ret;

	lockdep_assert_held(&batch->submit_lock);

	if (!batch->nr_taken)
		return 0;
	args = (struct quire_paging_args) {
		.operation = QUIRE_PAGING_DISCARD_CONTENT,
		.u.discard.location = {
			.segment = QUIRE_SEGMENT_VRAM,
			.nr_runs = batch->nr_taken,
			.runs = batch->taken,
		},
	};
	quire_paging_work_init(&work, caller, NULL,
			       batch->nr_taken * sizeof(struct quire_packet_discard),
			       interruptible);
	ret = quire_paging_list_add(&work.list, &args);
	ret = work_finish(&work, ret);
	if (ret == -ERESTARTSYS)
		return ret;
	batch->nr_taken = 0;
	return 0;
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

/*
 * If the work is pending it will see what the caller has put in: it is not pending any more before
 * it takes the lock under which it looks, and the caller has had that lock.
 */
static void batch_schedule(struct quire_discard_batch *batch)
{
	if (!delayed_work_pending(&batch->work))
		schedule_delayed_work(&batch->work, QUIRE_DISCARD_DELAY);
}

/**
 * quire_discard_add - discard the content of a place; may sleep
 * @batch: the batch
 * @res: the place, in VRAM; unused, and not free yet
 */
void quire_discard_add(struct quire_discard_batch *batch, struct ttm_resource *res)
{
	struct quire_cursor cursor;

	for (quire_cursor_first(&cursor, res, NULL); cursor.count; quire_cursor_next(&cursor))
		while (!batch_try_add(batch, cursor.first, cursor.count))
			if (quire_discard_submit(batch, &batch->queue->unpaid, false))
				return;
	batch_schedule(batch);
}

/**
 * quire_discard_later - submit the batch and the notices after a delay; does not sleep
 * @batch: the batch
 */
void quire_discard_later(struct quire_discard_batch *batch)
{
	int idx;

	if (delayed_work_pending(&batch->work) || !drm_dev_enter(batch->queue->drm, &idx))
		return;
	batch_schedule(batch);
	drm_dev_exit(idx);
}

/**
 * quire_discard_submit - submit the notices and the batch before what the caller submits then
 * @batch: the batch
 * @caller: paging work of the call
 * @interruptible: waits end with a signal
 *
 * Returns: 0; -ERESTARTSYS, only if @interruptible; -ENOMEM, -ENODEV: notices stay in their list.
 */
int quire_discard_submit(struct quire_discard_batch *batch, struct quire_batch *caller,
			 bool interruptible)
{
	int ret;

	if (!interruptible)
		mutex_lock(&batch->submit_lock);
	else if (mutex_lock_interruptible(&batch->submit_lock))
		return -ERESTARTSYS;

	ret = leaving_submit(batch->residency, caller, interruptible) ?:
	      leaving_submit(batch->mmu, caller, interruptible) ?:
	      batch_submit_taken(batch, caller, interruptible);
	if (!ret) {
		scoped_guard(spinlock, &batch->lock) {
			batch->nr_taken = batch->nr;
			memcpy(batch->taken, batch->runs, batch->nr * sizeof(*batch->runs));
			batch->nr = 0;
		}
		ret = batch_submit_taken(batch, caller, interruptible);
	}
	mutex_unlock(&batch->submit_lock);
	return ret;
}
