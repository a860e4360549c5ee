// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: What the device has yet to hear of
 *
 * Who loses a place can not always wait for memory, or for a paging buffer: that an object has
 * left (quire_residency.c), or that an MMU shows it no more (quire_mmu.c), is noted in a list,
 * and told before anything else comes to the place (quire_discard.c). Without memory it stays in
 * the list, and what would come fails.
 *
 * Locking: &quire_leaving.lock, which is not held while anything is submitted; one submits at a
 * time, see quire_discard_submit().
 */
#include <linux/dma-fence.h>
#include <linux/err.h>

#include "paging/quire_paging_list.h"
#include "quire_leaving.h"
#include "quire_paging_queue.h"
#include "quire_paging_work.h"

/* Of one buffer. */
#define LEAVING_MOST	32

/**
 * quire_leaving_init - nothing leaves yet
 * @leaving: to initialise
 * @lock: of its list
 * @ops: how the device hears of what does
 */
void quire_leaving_init(struct quire_leaving *leaving, spinlock_t *lock,
			const struct quire_leaving_ops *ops)
{
	leaving->ops = ops;
	leaving->lock = lock;
	INIT_LIST_HEAD(&leaving->list);
}

/* Takes some from the list. */
static u32 take_some(struct quire_leaving *leaving, struct list_head *taken)
{
	u32 count = 0;

	spin_lock(leaving->lock);
	while (count < LEAVING_MOST && !list_empty(&leaving->list)) {
		list_move_tail(leaving->list.next, taken);
		count++;
	}
	spin_unlock(leaving->lock);
	return count;
}

/* All in one buffer: told or not. */
static int submit_taken(struct quire_leaving *leaving, struct list_head *taken, u32 count,
			struct quire_paging_queue *queue, bool interruptible)
{
	struct quire_paging_work work;
	struct dma_fence *fence;
	struct list_head *link;
	int ret;

	quire_paging_work_init(&work, queue, NULL, 0, interruptible);
	ret = quire_paging_work_begin_whole(&work, count * leaving->ops->bytes);
	list_for_each(link, taken)
		if (!ret)
			ret = leaving->ops->describe(leaving, &work, link);
	quire_paging_work_end_whole(&work);
	fence = quire_paging_list_finish(&work.list, ret);
	if (IS_ERR(fence))
		return PTR_ERR(fence);
	dma_fence_put(fence);
	return 0;
}

static void return_taken(struct quire_leaving *leaving, struct list_head *taken)
{
	spin_lock(leaving->lock);
	list_splice(taken, &leaving->list);
	spin_unlock(leaving->lock);
}

/**
 * quire_leaving_submit - let the device hear of all that leaves
 * @leaving: that; one at a time, see quire_discard_submit()
 * @queue: where it hears of it
 * @interruptible: waits end with a signal
 *
 * What the caller submits after 0 is executed after that.
 *
 * Returns: 0; -ERESTARTSYS, never that if not @interruptible; -ENOMEM, -ENODEV: what is left
 * goes with the next call.
 */
int quire_leaving_submit(struct quire_leaving *leaving, struct quire_paging_queue *queue,
			 bool interruptible)
{
	LIST_HEAD(taken);
	u32 count;
	int ret;

	while ((count = take_some(leaving, &taken))) {
		ret = submit_taken(leaving, &taken, count, queue, interruptible);
		if (ret) {
			return_taken(leaving, &taken);
			return ret;
		}
		leaving->ops->gone(leaving, &taken);
		INIT_LIST_HEAD(&taken);
	}
	return 0;
}
