// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Victims that are passed over
 *
 * An object that others are at work with (quire_bo_others.c) is not evicted: TTM would
 * wait for them with its lock held. Who finds no room for that reason waits for them
 * with nothing held, and tries again. TTM does not say what it passed over, so it is
 * noted here, for as long as a placement wants to know: a fence of another driver is not
 * to be kept for nothing.
 *
 * All placements share one note. One that waits for a victim that was in the way of
 * another one tries in vain once more, and is not kept for longer than it may be.
 */
#include <linux/dma-fence.h>

#include "quire_passed_over.h"

/**
 * quire_passed_over_init - nothing was passed over yet
 * @passed_over: to initialise; there is nothing to undo
 */
void quire_passed_over_init(struct quire_passed_over *passed_over)
{
	*passed_over = (struct quire_passed_over) { };
	spin_lock_init(&passed_over->lock);
}

/**
 * quire_passed_over_begin - a placement wants to know
 * @passed_over: of the device
 */
void quire_passed_over_begin(struct quire_passed_over *passed_over)
{
	spin_lock(&passed_over->lock);
	passed_over->placements++;
	spin_unlock(&passed_over->lock);
}

/**
 * quire_passed_over_end - the placement is over
 * @passed_over: of the device
 */
void quire_passed_over_end(struct quire_passed_over *passed_over)
{
	struct dma_fence *fence = NULL;

	spin_lock(&passed_over->lock);
	if (!--passed_over->placements)
		fence = no_free_ptr(passed_over->fence);
	spin_unlock(&passed_over->lock);
	dma_fence_put(fence);
}

/**
 * quire_passed_over_note - an object is not evicted
 * @passed_over: of the device
 * @fence: why not; the caller has a reference
 *
 * May be called under spinlocks.
 */
void quire_passed_over_note(struct quire_passed_over *passed_over, struct dma_fence *fence)
{
	struct dma_fence *before = NULL;

	spin_lock(&passed_over->lock);
	passed_over->count++;
	if (passed_over->placements) {
		before = passed_over->fence;
		passed_over->fence = dma_fence_get(fence);
	}
	spin_unlock(&passed_over->lock);
	dma_fence_put(before);
}

/**
 * quire_passed_over_count - how often was an object passed over?
 * @passed_over: of the device
 *
 * Returns: a number to be compared with a later one.
 */
u64 quire_passed_over_count(struct quire_passed_over *passed_over)
{
	u64 count;

	spin_lock(&passed_over->lock);
	count = passed_over->count;
	spin_unlock(&passed_over->lock);
	return count;
}

/**
 * quire_passed_over_wait - wait until another try is of use
 * @passed_over: of the device; after quire_passed_over_begin()
 * @since: quire_passed_over_count() before the last try
 * @interruptible: a signal ends it
 * @timeout: jiffies, at most
 *
 * Returns: jiffies that are left, at least 1; 0 nothing was passed over in the last try,
 * or it took too long; -ERESTARTSYS.
 */
long quire_passed_over_wait(struct quire_passed_over *passed_over, u64 since, bool interruptible,
			    long timeout)
{
	struct dma_fence *fence = NULL;
	long left = timeout;

	spin_lock(&passed_over->lock);
	if (passed_over->count == since)
		left = 0;
	else if (passed_over->fence)
		fence = dma_fence_get(passed_over->fence);
	spin_unlock(&passed_over->lock);

	if (fence)
		left = dma_fence_wait_timeout(fence, interruptible, left);
	dma_fence_put(fence);
	return left;
}
