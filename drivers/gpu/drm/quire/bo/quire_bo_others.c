// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Fences of others
 *
 * A program can put any fence of any driver into the reservation object of an object
 * (DMA_BUF_IOCTL_IMPORT_SYNC_FILE), and importers put theirs there. A move of content has to wait
 * for them, and the driver can not tell how long. Nothing in the paging queue, which is in order
 * and shared by all programs, ever waits for one: a caller waits before it takes a paging buffer.
 *
 * Importers are told of a swap-out, of what was idle, and may need the pages until work on them
 * that they name at that moment is done; TTM can not be told any more to let them be. What changes
 * the aperture alone waits for commands: only they reach pages through it.
 */
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "queue/quire_out_fence.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_vram_types.h"
#include "quire_bo.h"

/* So often a wait looks for a signal that kills; dma_fence_wait() knows of none or of all. */
#define KILLABLE_SLICE	((long)HZ / 10)

static bool is_ours(struct quire_bo *bo, struct dma_fence *fence)
{
	return quire_paging_queue_owns(quire_bo_device(bo)->paging_queue, fence);
}

/* Commands look through the aperture, and what is bound has its addresses there. */
static bool is_of_device(struct dma_fence *fence)
{
	return quire_out_fence_is_of(fence, QUIRE_OUT_COMMANDS) ||
	       quire_out_fence_is_of(fence, QUIRE_OUT_BINDS);
}

static bool is_of_others(struct quire_bo *bo, struct dma_fence *fence)
{
	return !is_ours(bo, fence) && !dma_fence_is_signaled(fence);
}

/**
 * quire_bo_show_fences - others may see the fences of an object
 * @bo: the object, reserved; it gets shared, or is and got another fence
 */
void quire_bo_show_fences(struct quire_bo *bo)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;

	dma_resv_for_each_fence(&cursor, bo->base.base.resv, DMA_RESV_USAGE_BOOKKEEP, fence)
		if (is_ours(bo, fence))
			quire_out_fence_keep_module(fence);
}

/* Private to an address space and not bound there: the fences are of others of that. */
static bool is_used_by_nobody(const struct quire_bo *bo)
{
	return quire_bo_is_private(bo) && !READ_ONCE(bo->bound);
}

/**
 * quire_bo_is_used - do commands, importers or programs use an object?
 * @bo: the object, reserved
 * @content: with its content; else only commands, which look through the aperture
 *
 * Returns: true if a fence that is not of the paging queue has not signalled.
 */
bool quire_bo_is_used(struct quire_bo *bo, bool content)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;

	if (is_used_by_nobody(bo))
		return false;
	dma_resv_for_each_fence(&cursor, bo->base.base.resv, DMA_RESV_USAGE_BOOKKEEP, fence)
		if (is_of_others(bo, fence) && (content || is_of_device(fence)))
			return true;
	return false;
}

/*
 * To leave the aperture waits for commands alone. TTM asks for that, too, when it swaps out, but
 * names no range, and waits until the object is idle.
 */
static bool eviction_moves_content(const struct quire_bo *bo, const struct ttm_place *place)
{
	return !place || place->mem_type != QUIRE_PL_APERTURE || !place->lpfn || bo->base.deleted;
}

/**
 * quire_bo_is_spared - is an object no victim, because it is in use?
 * @bo: the object, reserved
 * @place: where room is needed; NULL: anywhere
 *
 * TTM would wait for the fences with its lock held. A planned object is evicted by the submission
 * that planned it, and by no other task.
 *
 * Returns: true if so.
 */
bool quire_bo_is_spared(struct quire_bo *bo, const struct ttm_place *place)
{
	return READ_ONCE(bo->planned) || quire_bo_is_used(bo, eviction_moves_content(bo, place));
}

/**
 * quire_bo_get_user - why did quire_bo_is_spared() say so?
 * @bo: the object, reserved
 * @place: as there
 * @since: when that was
 * @released: set if it was a fence that has signalled since
 *
 * Any context; calls back to no driver.
 *
 * Returns: a fence that has not signalled, with a reference; or NULL.
 */
struct dma_fence *quire_bo_get_user(struct quire_bo *bo, const struct ttm_place *place,
				    ktime_t since, bool *released)
{
	bool content = eviction_moves_content(bo, place);
	struct dma_resv_iter cursor;
	struct dma_fence *fence;

	if (READ_ONCE(bo->planned) || is_used_by_nobody(bo))
		return NULL;
	dma_resv_for_each_fence(&cursor, bo->base.base.resv, DMA_RESV_USAGE_BOOKKEEP, fence) {
		if (is_ours(bo, fence) || !(content || is_of_device(fence)))
			continue;
		if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags))
			return dma_fence_get(fence);
		*released |= ktime_compare(dma_fence_timestamp(fence), since) >= 0;
	}
	return NULL;
}

/**
 * quire_bo_wait_others - wait for the fences of others that an object has now
 * @bo: the object; if it is not reserved, a fence that is added meanwhile is not waited for
 * @interruptible: a signal ends it
 * @timeout: jiffies, at most, and at least 1
 *
 * dma_resv_wait_timeout() would begin anew whenever the reservation object gets another list.
 *
 * Returns: jiffies that are left, at least 1; 0 a fence has not signalled in time; -ERESTARTSYS;
 * -ENOMEM.
 */
long quire_bo_wait_others(struct quire_bo *bo, bool interruptible, long timeout)
{
	struct dma_fence **fences;
	unsigned int count, i;
	long left = timeout;
	int ret;

	if (is_used_by_nobody(bo))
		return timeout;
	ret = dma_resv_get_fences(bo->base.base.resv, DMA_RESV_USAGE_BOOKKEEP, &count, &fences);
	if (ret)
		return ret;
	for (i = 0; i < count; i++) {
		if (left > 0 && is_of_others(bo, fences[i]))
			left = dma_fence_wait_timeout(fences[i], interruptible, left);
		dma_fence_put(fences[i]);
	}
	kfree(fences);
	return left;
}

/**
 * quire_bo_wait_others_killable - the same, but only a signal that kills ends the wait
 * @bo: the object, reserved or not
 * @timeout: jiffies, at most, and at least 1
 *
 * Returns: as quire_bo_wait_others().
 */
long quire_bo_wait_others_killable(struct quire_bo *bo, long timeout)
{
	long slice, left = 0;

	for (; timeout > 0 && !left; timeout -= slice - left) {
		if (fatal_signal_pending(current))
			return -ERESTARTSYS;
		slice = min(timeout, KILLABLE_SLICE);
		left = quire_bo_wait_others(bo, false, slice);
		if (left < 0)
			return left;
	}
	return timeout;
}

/**
 * quire_bo_wait_planned_killable - wait until no submission decides where an object is
 * @bo: the object, not reserved; it would be missed by a submission that has planned it
 * @timeout: jiffies, at most
 *
 * Returns: jiffies that are left, at least 1; 0 one still does; -ERESTARTSYS a signal that kills.
 */
long quire_bo_wait_planned_killable(struct quire_bo *bo, long timeout)
{
	return wait_event_killable_timeout(quire_bo_device(bo)->unplanned,
					   !READ_ONCE(bo->planned), timeout);
}

/**
 * quire_bo_wait_patiently - wait for others, but not for ever
 * @bo: the object, reserved or not
 * @interruptible: a signal ends it; the thread's next call goes on with what it had left
 *
 * Returns: 0; -EBUSY the object is still in use, after %QUIRE_BUSY_TIMEOUT; -ERESTARTSYS; -ENOMEM.
 */
int quire_bo_wait_patiently(struct quire_bo *bo, bool interruptible)
{
	struct quire_patience patience = { };
	long left;

	if (interruptible)
		quire_take_patience(&bo->position.patience, &patience);
	left = quire_bo_wait_others(bo, interruptible, max(quire_patience_left(&patience), 1l));
	if (left == -ERESTARTSYS)
		quire_keep_patience(&bo->position.patience, &patience);
	return left > 0 ? 0 : left ?: -EBUSY;
}

/**
 * quire_bo_must_wait - has a placement to wait for others first?
 * @bo: the object, reserved
 * @place: where it shall go
 *
 * Asked by who can give the reservation up while he waits.
 *
 * Returns: true if content may move, and others are at work, or it leaves the aperture, and
 * commands are.
 */
bool quire_bo_must_wait(struct quire_bo *bo, const struct ttm_place *place)
{
	struct ttm_resource_manager *man = &quire_bo_device(bo)->vram_mgr->manager;
	u32 from = quire_bo_mem_type(&bo->base), to = place->mem_type;
	struct ttm_resource *res = bo->base.resource;

	if (from == QUIRE_PL_APERTURE && to == QUIRE_PL_SYSTEM)
		return quire_bo_has_commands(bo);
	if (from != QUIRE_PL_VRAM && to != QUIRE_PL_VRAM)
		return false;
	/* As ttm_bo_validate() looks if there is anything to do. */
	if (from == to && man->func->compatible(man, res, place, res->size) &&
	    (!(place->flags & TTM_PL_FLAG_CONTIGUOUS) ||
	     res->placement & TTM_PL_FLAG_CONTIGUOUS))
		return false;
	return quire_bo_has_others(bo);
}
