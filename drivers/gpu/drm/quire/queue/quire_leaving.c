// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: What the device has yet to hear of
 *
 * Where an object loses its place, the driver cannot always wait for memory or a paging buffer. So
 * notices that an object has left (quire_residency.c), or that an MMU does not show it any more
 * (quire_mmu.c), are kept in a list and submitted before anything else comes to the place
 * (quire_discard.c). Without memory they stay in the list, and the next user of the place fails.
 *
 * Locking: &quire_leaving.lock, not held over submissions, which are serialised by
 * quire_discard_submit().
 */
#include <linux/dma-fence.h>

#include "quire_leaving.h"
#include "quire_paging_work.h"

/* Of one buffer. */
#define LEAVING_MOST	32

/**
 * quire_leaving_init - make an empty list
 * @leaving: to initialise
 * @lock: of its list
 * @ops: how the device hears of the entries
 */
void quire_leaving_init(struct quire_leaving *leaving, spinlock_t *lock,
			const struct quire_leaving_ops *ops)
{
	leaving->ops = ops;
	leaving->lock = lock;
	INIT_LIST_HEAD(&leaving->list);
}

/* All in one buffer: submitted together or not at all. */
static int submit_taken(struct quire_leaving *leaving, struct list_head *taken, u32 count,
			struct quire_batch *batch, bool interruptible)
{
	struct quire_paging_work work;
	struct dma_fence *fence;
	struct list_head *link;
	int ret;

	quire_paging_work_init(&work, batch, NULL, 0, interruptible);
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

/**
 * quire_leaving_submit - submit all notices of the list
 * @leaving: the list; serialised, see quire_discard_submit()
 * @batch: of the call
 * @interruptible: waits end with a signal
 *
 * Later submissions are executed after these.
 *
 * Returns: 0; -ERESTARTSYS, only if @interruptible; -ENOMEM, -ENODEV: the rest stays in the list.
 */
int quire_leaving_submit(struct quire_leaving *leaving, struct quire_batch *batch,
			 bool interruptible)
{
	for (;;) {
		LIST_HEAD(taken);
		u32 count = 0;
		int ret;

		spin_lock(leaving->lock);
		for (; count < LEAVING_MOST && !list_empty(&leaving->list); count++)
			list_move_tail(leaving->list.next, &taken);
		spin_unlock(leaving->lock);
		if (!count)
			return 0;

		ret = submit_taken(leaving, &taken, count, batch, interruptible);
		if (ret) {
			spin_lock(leaving->lock);
			list_splice(&taken, &leaving->list);
			spin_unlock(leaving->lock);
			return ret;
		}
		leaving->ops->gone(leaving, &taken);
	}
}
