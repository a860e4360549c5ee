// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Fences of others
 *
 * A program can put any fence of any driver into the reservation object of an
 * object (DMA_BUF_IOCTL_IMPORT_SYNC_FILE), and importers put theirs there. Who
 * moves content must wait for them, and nobody here knows how long: other
 * drivers promise that their fences end, but not when.
 *
 * The paging queue is in order and shared by all programs, so nothing in it
 * ever waits for such a fence. Who needs its end waits before his work is
 * queued, and before he has a paging buffer:
 *
 * ====================  ==========================================  ================
 * who                   waits holding                               at most
 * ====================  ==========================================  ================
 * BO_PLACE              nothing; a signal ends it                   15 s, EBUSY
 * BO_PLACE, victim in   nothing; a signal ends it                   15 s, ENOSPC
 * use, or locked
 * EXEC, VM_BIND,        nothing; a signal ends it                   15 s, EBUSY
 * object that moves
 * the same, victim in   nothing; a signal ends it                   15 s, ENOSPC
 * use, or locked
 * a CPU fault that      nothing; a signal ends it                   15 s, tries
 * has to move                                                       again
 * the same, may not     mmap_lock; a signal that kills ends it      15 s, tries
 * be retried                                                        again
 * a debugger, for a     mmap_lock of the program; a signal that     15 s, takes the
 * submission in parts   kills ends it                               object
 * a debugger, object    mmap_lock of the program; a signal that     15 s, EIO
 * that has to move      kills ends it
 * DMA_BUF_IOCTL_SYNC,   nothing; a signal ends it                   15 s, ETIME
 * object that moves
 * these three, of those the object as well; a signal ends it, but   15 s, as above
 * who began meanwhile   not for a debugger
 * SUBMIT, objects that  nothing; a signal ends it                   15 s, EBUSY
 * have to move
 * SUBMIT, in parts      nothing; a signal ends it                   until it ends
 * the same, of those    its ring, and its turn until others want    15 s, EBUSY,
 * who began later       theirs; a signal ends it before the first   ENOSPC
 *                       part is queued, then one that kills
 * the same, who has     its turn until others want theirs; the      15 s, ENOSPC
 * locked its room       same signals
 * the same, to evict    the same, of the same 15 s; what the        15 s, EBUSY
 * what is its own       device has to do for it does not count
 * an importer that      what its driver has; a signal ends it       15 s, ETIME
 * attaches, to pin
 * an importer that      the object, as its driver called; a signal  15 s, ETIME
 * pins or maps          ends it
 * WILLNEED of what      nothing; a signal ends it                   15 s, EBUSY
 * is purged
 * eviction              does not wait: the object is spared
 * swap-out of an        the object                                  until it ends
 * exported object
 * suspend               the object                                  15 s, EBUSY
 * unbind                the object                                  until it ends
 * ====================  ==========================================  ================
 *
 * What is swapped out was idle. Importers are told then, and may need the pages until work
 * on them that they name at that moment is done; TTM can not be told any more to let them be.
 *
 * How the 15 s are counted stands in quire_patience.c.
 *
 * Only content waits for all of them. What changes the aperture alone waits for commands, which
 * look through it as nobody else does.
 */
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "core/quire_patience.h"
#include "core/quire_placement.h"
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
 * @bo: the object, reserved
 *
 * To be called when it gets shared, and when a shared one got another fence.
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

/* Of those that use its content, or else only of those that look through the aperture. */
static struct dma_fence *fence_of_others(struct quire_bo *bo, bool content)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;

	if (is_used_by_nobody(bo))
		return NULL;
	dma_resv_for_each_fence(&cursor, bo->base.base.resv, DMA_RESV_USAGE_BOOKKEEP, fence)
		if (is_of_others(bo, fence) && (content || is_of_device(fence)))
			return fence;
	return NULL;
}

/**
 * quire_bo_has_others - is somebody else at work with an object?
 * @bo: the object, reserved
 *
 * Returns: true if a fence that is not of the paging queue has not signalled.
 */
bool quire_bo_has_others(struct quire_bo *bo)
{
	return fence_of_others(bo, true);
}

/**
 * quire_bo_has_commands - are commands at work with an object?
 * @bo: the object, reserved
 *
 * Returns: true if a fence of theirs has not signalled.
 */
bool quire_bo_has_commands(struct quire_bo *bo)
{
	return fence_of_others(bo, false);
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
 * TTM would wait for the fences of an evicted object with its lock held. A planned object is
 * evicted by the submission that planned it, and by no other task.
 *
 * Returns: true if so.
 */
bool quire_bo_is_spared(struct quire_bo *bo, const struct ttm_place *place)
{
	return READ_ONCE(bo->planned) || fence_of_others(bo, eviction_moves_content(bo, place));
}

static bool signalled_since(struct dma_fence *fence, ktime_t since)
{
	return test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags) &&
	       ktime_compare(dma_fence_timestamp(fence), since) >= 0;
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
		*released |= signalled_since(fence, since);
	}
	return NULL;
}

/**
 * quire_bo_wait_others - wait for the fences of others that an object has now
 * @bo: the object, reserved or not; if not, a fence that is added meanwhile is not waited for
 * @interruptible: a signal ends it
 * @timeout: jiffies, at most, and at least 1
 *
 * Without the reservation dma_resv_wait_timeout() begins anew when the reservation object gets
 * another list of fences. With CONFIG_DEBUG_MUTEXES it gets one for each fence that is added.
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
 * @bo: the object, reserved or not; if not, others may begin at any time
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
 * quire_bo_must_stay - would the CPU take an object from a submission that needs it there?
 * @bo: the object, reserved
 *
 * What has gone may find no room any more when commands come to it.
 *
 * Returns: true, then it is not to be moved before quire_bo_wait_planned().
 */
bool quire_bo_must_stay(struct quire_bo *bo)
{
	dma_resv_assert_held(bo->base.base.resv);

	return READ_ONCE(bo->planned) && !quire_bo_is_visible(bo);
}

/**
 * quire_bo_wait_planned - wait until no submission decides where an object is
 * @bo: the object, not reserved; the next one may begin at any time
 * @timeout: jiffies, at most
 *
 * For those who move it outside of a turn: it would be missed where they take it from. A signal
 * ends the wait.
 *
 * Returns: true if none does.
 */
bool quire_bo_wait_planned(struct quire_bo *bo, long timeout)
{
	return wait_event_interruptible_timeout(quire_bo_device(bo)->unplanned,
						!READ_ONCE(bo->planned), timeout) > 0;
}

/**
 * quire_bo_wait_planned_killable - the same, but only a signal that kills ends the wait
 * @bo: the object, not reserved; the next one may begin at any time
 * @timeout: jiffies, at most
 *
 * Returns: jiffies that are left, at least 1; 0 one still does; -ERESTARTSYS.
 */
long quire_bo_wait_planned_killable(struct quire_bo *bo, long timeout)
{
	return wait_event_killable_timeout(quire_bo_device(bo)->unplanned,
					   !READ_ONCE(bo->planned), timeout);
}

/**
 * quire_bo_wait_claims - wait until no submission in parts comes to an object any more
 * @bo: the object, not reserved; the next one may begin at any time
 * @timeout: jiffies, at most
 *
 * A signal ends the wait.
 *
 * Returns: true if none does.
 */
bool quire_bo_wait_claims(struct quire_bo *bo, long timeout)
{
	return wait_event_interruptible_timeout(quire_bo_device(bo)->unplanned,
						!atomic_read(&bo->claims), timeout) > 0;
}

/**
 * quire_bo_wait_patiently - wait for others, but not for ever
 * @bo: the object, reserved or not; if not, others may begin at any time
 * @interruptible: a signal ends it; the thread's next call goes on with what it had left
 *
 * Returns: 0 nobody else is at work with it; -EBUSY somebody still is, after
 * %QUIRE_BUSY_TIMEOUT; -ERESTARTSYS; -ENOMEM.
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

/* As ttm_bo_validate() looks if there is anything to do. */
static bool is_in(struct quire_bo *bo, const struct ttm_place *place)
{
	struct ttm_resource_manager *man = &quire_bo_device(bo)->vram_mgr->manager;
	struct ttm_resource *res = bo->base.resource;

	return (!(place->flags & TTM_PL_FLAG_CONTIGUOUS) ||
		res->placement & TTM_PL_FLAG_CONTIGUOUS) &&
	       man->func->compatible(man, res, place, res->size);
}

/**
 * quire_bo_must_wait - has a placement to wait for others first?
 * @bo: the object, reserved
 * @place: where it shall go
 *
 * Asked by who can give the reservation up while he waits: others who need the
 * room of the object do not stand behind him then.
 *
 * Returns: true if content may move, and quire_bo_has_others(), or it leaves the aperture, and
 * quire_bo_has_commands().
 */
bool quire_bo_must_wait(struct quire_bo *bo, const struct ttm_place *place)
{
	bool from = quire_bo_mem_type(&bo->base) == QUIRE_PL_VRAM;
	bool to = place->mem_type == QUIRE_PL_VRAM;

	if (quire_bo_mem_type(&bo->base) == QUIRE_PL_APERTURE &&
	    place->mem_type == QUIRE_PL_SYSTEM)
		return quire_bo_has_commands(bo);
	return (from || to) && !(from && to && is_in(bo, place)) && quire_bo_has_others(bo);
}
