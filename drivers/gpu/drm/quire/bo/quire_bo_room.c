// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Getting room
 *
 * What placements, submissions and address spaces have in common: room that is free is taken, or
 * what is in the way is evicted first. Together they tell a full segment from a lack of memory.
 *
 * TTM evicts what it can lock, and says "no room" if that was not enough. A caller that has the
 * turn (quire_turn.c) asks &struct quire_room_tries whether it should try again:
 *
 * - at once, if the last try has evicted something: no other caller takes that room;
 * - after a jiffy, for a few tries: a victim may have been locked, or dying, at that moment;
 * - after quire_room_wait(), without the turn, if a victim stays locked, has unsignalled fences
 *   (quire_passed_over.c), or had died before the call and is still to be freed (quire_bo_free.c);
 * - not at all otherwise: there is no room.
 */
#include <linux/dma-resv.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_resource.h>

#include "core/quire_device_types.h"
#include "core/quire_placement.h"
#include "quire_bo.h"
#include "quire_bo_free.h"
#include "quire_bo_room.h"
#include "quire_passed_over.h"

/* So many tries in a row that make no room: there is none, or another caller has it locked. */
#define QUIRE_ROOM_TRIES	3

/* So many objects of a segment are looked at, with the LRU lock of the device. */
#define QUIRE_ROOM_LOOKS	4096

/**
 * quire_is_no_room - does an error of a placement say that there is no room?
 * @error: negative errno, or 0
 *
 * Returns: true if so; of quire_bo_validate() it may be memory that is missing, too.
 */
bool quire_is_no_room(int error)
{
	/* TTM of 6.12 calls a full segment -ENOMEM. */
	return error == -ENOSPC || error == -ENOMEM;
}

/**
 * quire_bo_take_free_room - bring an object to a place that is free
 * @bo: the object, reserved
 * @place: where
 * @ctx: how to wait
 *
 * Evicts and locks nobody.
 *
 * Returns: as quire_bo_validate().
 */
int quire_bo_take_free_room(struct quire_bo *bo, const struct ttm_place *place,
			    struct ttm_operation_ctx *ctx)
{
	struct ttm_place free = *place;

	free.flags |= TTM_PL_FLAG_DESIRED;
	return quire_bo_validate(bo, &free, 1, ctx);
}

/**
 * quire_bo_make_room - evict what is in the way
 * @bo: the object, reserved
 * @place: where it shall go
 * @ctx: how to wait
 *
 * The room is free afterwards; it is the caller who sees to it that nobody else takes it.
 *
 * Returns: 0; -ENOSPC there is none; -ENOMEM no memory, exactly; -ERESTARTSYS.
 */
int quire_bo_make_room(struct quire_bo *bo, const struct ttm_place *place,
		       struct ttm_operation_ctx *ctx)
{
	struct ttm_placement placement = { .num_placement = 1, .placement = place };
	struct ttm_resource *res;
	int ret;

	ret = ttm_bo_mem_space(&bo->base, &placement, &res, ctx);
	if (!ret)
		ttm_resource_free(&bo->base, &res);
	return ret;
}

/**
 * quire_bo_take_room - bring an object to a place, and evict what is in its way
 * @bo: the object, reserved; of a caller that has the turn
 * @place: where
 * @ctx: how to wait
 *
 * Nothing is evicted if there is a place that is free.
 *
 * Returns: 0; -ENOSPC there is no room; -ENOMEM no memory, exactly; other errors of
 * quire_bo_validate().
 */
int quire_bo_take_room(struct quire_bo *bo, const struct ttm_place *place,
		       struct ttm_operation_ctx *ctx)
{
	int ret = quire_bo_take_free_room(bo, place, ctx);

	if (quire_is_no_room(ret))
		ret = quire_bo_make_room(bo, place, ctx) ?:
		      quire_bo_take_free_room(bo, place, ctx);
	return ret;
}

static struct ttm_resource_manager *manager(struct quire_device *qdev, u32 mem_type)
{
	return ttm_manager_type(&qdev->ttm, mem_type);
}

/**
 * quire_room_start - a call begins that may need room
 * @qdev: the device
 * @tries: to initialise
 *
 * For calls that reserve what private objects share. quire_room_wait() waits then for the objects
 * that have died until now; not for what the tries of the call give back, which would not end.
 */
void quire_room_start(struct quire_device *qdev, struct quire_room_tries *tries)
{
	*tries = (struct quire_room_tries) { .died = quire_free_list_died(qdev->free_list) };
}

/**
 * quire_room_begin - a caller gets the turn
 * @qdev: the device
 * @tries: zero, or after quire_room_start()
 */
void quire_room_begin(struct quire_device *qdev, struct quire_room_tries *tries)
{
	*tries = (struct quire_room_tries) {
		.died = tries->died,
		.vram = ttm_resource_manager_usage(manager(qdev, QUIRE_PL_VRAM)),
		.aperture = ttm_resource_manager_usage(manager(qdev, QUIRE_PL_APERTURE)),
	};
}

/**
 * quire_room_try - a try to find room begins
 * @qdev: the device
 * @tries: of the caller
 */
void quire_room_try(struct quire_device *qdev, struct quire_room_tries *tries)
{
	tries->passed_over = quire_passed_over_count(qdev->passed_over);
}

/**
 * quire_room_was_passed_over - did the last try spare a victim with unsignalled fences?
 * @qdev: the device
 * @tries: after quire_room_try()
 *
 * Returns: true if so; also if the try of another caller did, for all share one count.
 */
bool quire_room_was_passed_over(struct quire_device *qdev, const struct quire_room_tries *tries)
{
	return quire_passed_over_count(qdev->passed_over) != tries->passed_over;
}

/* That ends: what a try itself takes and gives back counts for nothing. */
static bool has_less_than_ever(u64 *least, u64 usage)
{
	if (usage >= *least)
		return false;
	*least = usage;
	return true;
}

static bool has_made_room(struct quire_device *qdev, struct quire_room_tries *tries)
{
	bool vram = has_less_than_ever(&tries->vram,
				       ttm_resource_manager_usage(manager(qdev, QUIRE_PL_VRAM)));
	bool aperture = has_less_than_ever(&tries->aperture,
				ttm_resource_manager_usage(manager(qdev, QUIRE_PL_APERTURE)));

	return vram || aperture;
}

/* Of very many objects the rest is not looked at: one of them may be locked. */
static bool list_has_locked(struct list_head *lru, unsigned int *looks)
{
	struct ttm_lru_item *item;

	list_for_each_entry(item, lru, link) {
		if (!ttm_lru_item_is_res(item))
			continue;
		if (++*looks > QUIRE_ROOM_LOOKS ||
		    dma_resv_is_locked(ttm_lru_item_to_res(item)->bo->base.resv))
			return true;
	}
	return false;
}

/* The caller has reserved nothing, so it is the lock of another one. */
static bool segment_has_locked(struct quire_device *qdev, u32 mem_type)
{
	struct ttm_resource_manager *man = manager(qdev, mem_type);
	unsigned int i, looks = 0;
	bool locked = false;

	spin_lock(&qdev->ttm.lru_lock);
	for (i = 0; i < TTM_MAX_BO_PRIORITY && !locked; i++)
		locked = list_has_locked(&man->lru[i], &looks);
	spin_unlock(&qdev->ttm.lru_lock);
	return locked;
}

/**
 * quire_room_try_again - may another try, in the same turn, find more room?
 * @qdev: the device
 * @tries: after quire_room_begin(), quire_room_try(), and a try that ended with -ENOSPC
 *
 * With nothing reserved. Sleeps for a jiffy if the try has made no room.
 *
 * Returns: true if so; false if it has to be waited for, see quire_room_wait(), or there is none,
 * or the caller is killed.
 */
bool quire_room_try_again(struct quire_device *qdev, struct quire_room_tries *tries)
{
	if (quire_room_was_passed_over(qdev, tries) || fatal_signal_pending(current))
		return false;
	if (has_made_room(qdev, tries)) {
		tries->still = 0;
		cond_resched();
		return true;
	}
	tries->locked |= segment_has_locked(qdev, QUIRE_PL_VRAM) ||
			 segment_has_locked(qdev, QUIRE_PL_APERTURE);
	if (++tries->still >= QUIRE_ROOM_TRIES)
		return false;
	schedule_timeout_uninterruptible(1);
	return true;
}

static long wait_for_locks(bool interruptible, long timeout)
{
	if (interruptible && signal_pending(current))
		return -ERESTARTSYS;
	if (interruptible)
		schedule_timeout_interruptible(1);
	else
		schedule_timeout_uninterruptible(1);
	return timeout - 1;
}

/**
 * quire_room_wait - wait until another try is of use
 * @qdev: the device; after quire_passed_over_begin()
 * @tries: after a try that ended with -ENOSPC, and quire_room_try_again() if it had the turn
 * @interruptible: a signal ends it
 * @timeout: jiffies, at most
 *
 * With nothing reserved.
 *
 * Returns: jiffies that are left, at least 1; 0 there is nothing to wait for, or it took too long;
 * -ERESTARTSYS.
 */
long quire_room_wait(struct quire_device *qdev, struct quire_room_tries *tries,
		     bool interruptible, long timeout)
{
	if (timeout <= 0)
		return 0;
	tries->still = 0;
	if (quire_room_was_passed_over(qdev, tries))
		return quire_passed_over_wait(qdev->passed_over, tries->passed_over,
					      interruptible, timeout);
	if (!quire_free_list_is_freed(qdev->free_list, tries->died))
		return quire_free_list_wait_freed(qdev->free_list, tries->died, interruptible,
						  timeout);
	return tries->locked ? wait_for_locks(interruptible, timeout) : 0;
}
