// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Validation
 *
 * Every call that needs objects in VRAM or the aperture is a &struct quire_validation: BO_PLACE,
 * MAKE_RESIDENT, EXEC and VM_BIND for all that is bound, SUBMIT for its list; and a CPU fault,
 * which makes one try, as it holds locks. quire_validation_run() goes round, with
 *
 * 1. a try side by side with other callers; while one has the turn, nothing moves;
 * 2. without room, tries alone, in the turn (quire_turn.c), until three have made no room;
 * 3. a look at what is in the way: a fence, a lock, or an object that had died before the call and
 *    is still to be freed; and a wait for it.
 *
 * It ends with success, another error, a signal (the next call goes on), without room when nothing
 * is in the way that will go (-ENOSPC), or after 15 seconds in all: other callers had what is in
 * the way (-ENOSPC), or worked with an object that has to move (-EBUSY).
 *
 * Locking: a try may take reservations; waits are made with nothing held.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include <drm/ttm/ttm_resource.h>

#include "core/quire_gate.h"
#include "quire_bo.h"
#include "quire_validation.h"

/* After so many tries in a row that make no room: there is none, or others have it locked. */
#define QUIRE_VALIDATION_TRIES	3

/* Objects of a segment that are looked at, with the LRU lock of the device. */
#define QUIRE_VALIDATION_LOOKS	4096

/**
 * quire_validation_take_free - bring an object to a place that is free, without evictions
 * @validation: of a caller that has the turn
 * @bo: the object, reserved
 * @place: where
 * Returns: as quire_bo_validate().
 */
int quire_validation_take_free(struct quire_validation *validation, struct quire_bo *bo,
			       const struct ttm_place *place)
{
	struct ttm_place free = *place;

	free.flags |= TTM_PL_FLAG_DESIRED;
	return quire_bo_validate(bo, &free, 1, &validation->ctx.base);
}

/**
 * quire_validation_place - bring an object to one of several places
 * @validation: in a try
 * @bo: the object, reserved
 * @places: where; those behind the first have TTM_PL_FLAG_FALLBACK
 * @count: number of @places
 *
 * Objects in the way are evicted. In the turn one place is tried after the other, free room first.
 * Returns: 0; -ENOSPC there is no room, or nothing may move, also if it would not; -ENOMEM no
 * memory, in the turn exactly; other errors of quire_bo_validate().
 */
int quire_validation_place(struct quire_validation *validation, struct quire_bo *bo,
			   const struct ttm_place *places, unsigned int count)
{
	struct ttm_operation_ctx *ctx = &validation->ctx.base;
	struct ttm_resource *res;
	int ret = -ENOSPC;
	unsigned int i;

	if (validation->mode == QUIRE_VALIDATION_SHARED)
		return quire_bo_validate(bo, places, count, ctx);
	if (validation->mode == QUIRE_VALIDATION_STAYS)
		return -ENOSPC;
	for (i = 0; i < count && ret == -ENOSPC; i++) {
		struct ttm_place place = places[i];
		struct ttm_placement placement = { .num_placement = 1, .placement = &place };

		place.flags &= ~TTM_PL_FLAG_FALLBACK;
		ret = quire_validation_take_free(validation, bo, &place);
		if (quire_is_no_room(ret)) {
			/* Errors of this are exact: -ENOMEM says that memory is missing. */
			ret = ttm_bo_mem_space(&bo->base, &placement, &res, ctx);
			if (!ret) {
				ttm_resource_free(&bo->base, &res);
				ret = quire_validation_take_free(validation, bo, &place);
			}
		}
		if (ret == -ENOSPC)
			validation->full[place.mem_type != QUIRE_PL_VRAM] = place;
	}
	return ret;
}

/**
 * quire_validation_busy - end a try as an object has to move, and is in use
 * @validation: in a try
 * @bo: the object
 * Returns: -EBUSY.
 */
int quire_validation_busy(struct quire_validation *validation, struct quire_bo *bo)
{
	drm_gem_object_get(&bo->base.base);
	validation->busy = bo;
	return -EBUSY;
}

/**
 * quire_validation_forget - forget what the last try has met
 * @validation: before the next try, and at the end
 */
void quire_validation_forget(struct quire_validation *validation)
{
	if (validation->busy)
		drm_gem_object_put(&validation->busy->base.base);
	dma_fence_put(validation->in_use);
	validation->busy = NULL;
	validation->in_use = NULL;
	validation->released = false;
	validation->hopeless = false;
	memset(validation->full, 0, sizeof(validation->full));
}

/* @place: index of &quire_validation.full */
static u64 usage(struct quire_validation *validation, unsigned int place)
{
	u32 mem_type = place ? QUIRE_PL_APERTURE : QUIRE_PL_VRAM;

	return ttm_resource_manager_usage(ttm_manager_type(&validation->qdev->ttm, mem_type));
}

/**
 * quire_validation_begin_tries - begin to try in the turn
 * @validation: has the turn
 */
void quire_validation_begin_tries(struct quire_validation *validation)
{
	unsigned int i;

	validation->mode = QUIRE_VALIDATION_ALONE;
	for (i = 0; i < QUIRE_VALIDATION_PLACES; i++)
		validation->least[i] = usage(validation, i);
	validation->still = 0;
	validation->locked = false;
}

/**
 * quire_validation_begin_try - begin a try
 * @validation: forgets the one before
 */
void quire_validation_begin_try(struct quire_validation *validation)
{
	quire_validation_forget(validation);
	quire_ctx_init(&validation->ctx, &validation->batch, validation->ctx.base.interruptible);
	validation->ctx.base.gfp_retry_mayfail = true;
	validation->began = ktime_get();
}

/* Of very many objects the rest is not looked at: one of them may be locked. */
static void look_at_list(struct quire_validation *validation, const struct ttm_place *place,
			 struct list_head *lru, unsigned int *looks)
{
	struct ttm_buffer_object *tbo;
	struct ttm_lru_item *item;
	struct dma_resv *resv;

	list_for_each_entry(item, lru, link) {
		if (validation->in_use || validation->released || *looks > QUIRE_VALIDATION_LOOKS)
			break;
		if (!ttm_lru_item_is_res(item))
			continue;
		/* It may be a ghost of TTM, and die meanwhile. */
		tbo = ttm_lru_item_to_res(item)->bo;
		resv = tbo->base.resv;
		if (++*looks > QUIRE_VALIDATION_LOOKS || !dma_resv_trylock(resv)) {
			validation->locked = true;
			continue;
		}
		if (quire_bo_is_ours(tbo) && ttm_bo_eviction_valuable(tbo, place))
			validation->in_use = quire_bo_get_user(ttm_to_quire_bo(tbo), place,
							       validation->began,
							       &validation->released);
		dma_resv_unlock(resv);
	}
}

/**
 * quire_validation_look - find what is in the way
 * @validation: after a try without room, with nothing reserved; gets @in_use, @released, @locked
 */
void quire_validation_look(struct quire_validation *validation)
{
	struct ttm_device *ttm = &validation->qdev->ttm;
	struct ttm_resource_manager *man;
	const struct ttm_place *place;
	unsigned int i, priority, looks;

	spin_lock(&ttm->lru_lock);
	for (i = 0; i < QUIRE_VALIDATION_PLACES; i++) {
		place = &validation->full[i];
		if (place->mem_type == QUIRE_PL_SYSTEM)
			continue;
		man = ttm_manager_type(ttm, place->mem_type);
		looks = 0;
		for (priority = 0; priority < TTM_MAX_BO_PRIORITY; priority++)
			look_at_list(validation, place, &man->lru[priority], &looks);
	}
	spin_unlock(&ttm->lru_lock);
}

/**
 * quire_validation_try_again - may another try, in the same turn, find more room?
 * @validation: after a try that ended with -ENOSPC; nothing is reserved
 *
 * Sleeps for a jiffy if the try has made no room.
 * Returns: true if so; false: quire_validation_wait(), there is none, or the caller is killed.
 */
bool quire_validation_try_again(struct quire_validation *validation)
{
	bool was_locked = validation->locked, made = false;
	unsigned int i;

	quire_validation_look(validation);
	if (validation->in_use || validation->released || fatal_signal_pending(current))
		return false;
	/* Below the least, so this ends: what a try takes and gives back counts for nothing. */
	for (i = 0; i < QUIRE_VALIDATION_PLACES; i++) {
		u64 now = usage(validation, i);

		made |= now < validation->least[i];
		validation->least[i] = min(validation->least[i], now);
	}
	if (made) {
		/* What is locked now may be evicted next. */
		validation->locked = was_locked;
		validation->still = 0;
		cond_resched();
		return true;
	}
	if (++validation->still >= QUIRE_VALIDATION_TRIES)
		return false;
	schedule_timeout_uninterruptible(1);
	return true;
}

static long wait_for_locks(bool interruptible, long timeout)
{
	if (interruptible && signal_pending(current))
		return -ERESTARTSYS;
	__set_current_state(interruptible ? TASK_INTERRUPTIBLE : TASK_UNINTERRUPTIBLE);
	schedule_timeout(1);
	return max(timeout - 1, 1l);
}

/**
 * quire_validation_wait - wait until another try is of use
 * @validation: after a look; nothing is reserved
 * @interruptible: a signal ends the wait
 * @timeout: jiffies, at most
 * Returns: jiffies that are left, at least 1; 0 nothing to wait for, or no time; -ERESTARTSYS.
 */
long quire_validation_wait(struct quire_validation *validation, bool interruptible, long timeout)
{
	struct quire_free_list *dead = validation->qdev->free_list;
	long left = 0;

	if (timeout <= 0)
		return 0;
	validation->still = 0;
	if (validation->in_use)
		left = dma_fence_wait_timeout(validation->in_use, interruptible, timeout);
	else if (validation->released)
		left = timeout;
	else if (!quire_free_list_is_freed(dead, validation->died))
		left = quire_free_list_wait_freed(dead, validation->died, interruptible, timeout);
	else if (validation->locked)
		left = wait_for_locks(interruptible, timeout);
	cond_resched();
	return left;
}

/**
 * quire_validation_enter - take room side by side with other callers
 * @validation: without a position, its call is never interrupted, or not made again
 *
 * Never sleeps. While a caller has the turn, or waits for it, nothing may move: @mode.
 */
void quire_validation_enter(struct quire_validation *validation)
{
	if (quire_turn_enter(validation->qdev->turn, quire_validation_ticket(validation)))
		validation->mode = QUIRE_VALIDATION_SHARED;
	else
		validation->mode = QUIRE_VALIDATION_STAYS;
}

/**
 * quire_validation_begin_turn - wait for the turn
 * @validation: with nothing reserved, outside of drm_dev_enter()
 * Returns: 0, then quire_validation_end_turn() is to follow; -ERESTARTSYS.
 */
int quire_validation_begin_turn(struct quire_validation *validation)
{
	struct quire_ticket *ticket = &validation->position->ticket;
	bool interruptible;
	int ret = quire_turn_begin(validation->qdev->turn, ticket, &interruptible);

	if (ret)
		return ret;
	validation->deaf |= !interruptible;
	validation->ctx.base.interruptible = !validation->deaf;
	return 0;
}

static int try_once(struct quire_validation *validation)
{
	int ret;

	quire_validation_begin_try(validation);
	ret = validation->try(validation);
	/* TTM waits for the lock of a victim, and returns the error of that. */
	return ret == -EINTR ? -ERESTARTSYS : ret;
}

/* Once side by side with others, and, if that found no room, in the turn. */
static int try_inside(struct quire_validation *validation)
{
	int ret;

	validation->ctx.base.interruptible = true;
	quire_validation_enter(validation);
	ret = try_once(validation);
	quire_validation_leave(validation, ret);
	if (!quire_is_no_room(ret) || validation->hopeless || !validation->qdev->turn->fair)
		return ret;

	ret = quire_validation_begin_turn(validation);
	if (ret)
		return ret;
	quire_validation_begin_tries(validation);
	do {
		ret = try_once(validation);
		if (ret != -ENOSPC || validation->hopeless)
			break;
		if ((validation->ctx.base.interruptible && signal_pending(current)) ||
		    fatal_signal_pending(current))
			ret = -ERESTARTSYS;
	} while (ret == -ENOSPC && quire_validation_try_again(validation));
	quire_validation_end_turn(validation, ret);
	return ret;
}

/**
 * quire_validation_run - try until it comes to something
 * @validation: first group of members set, rest zero; quire_validation_forget() is to follow
 *
 * With nothing reserved, and outside of drm_dev_enter(). Without turns there is one try.
 * Returns: 0; -ENOSPC there is no room, or other callers had it for 15 seconds; -EBUSY @busy has
 * to move, and was in use as long; -ERESTARTSYS; other errors of &quire_validation.try.
 */
int quire_validation_run(struct quire_validation *validation)
{
	struct quire_patience *kept = &validation->position->patience;
	struct quire_patience patience;
	unsigned long begin;
	long left;
	int ret;

	quire_take_patience(kept, &patience);
	if (!validation->divides)
		validation->died = quire_free_list_died(validation->qdev->free_list);
	do {
		begin = jiffies;
		ret = validation->gate ? quire_gate_enter(validation->gate) : 0;
		if (!ret) {
			ret = try_inside(validation);
			if (validation->gate)
				quire_gate_leave(validation->gate);
		}
		quire_patience_tried(&patience, begin);
		left = 0;
		if (ret == -EBUSY && validation->busy)
			left = quire_bo_wait_others(validation->busy, true,
						    quire_patience_left(&patience));
		else if (ret == -ENOSPC && !validation->hopeless && !validation->divides &&
			 validation->qdev->turn->fair)
			left = quire_validation_wait(validation, true,
						     quire_patience_left(&patience));
	} while (left > 0);
	if (left < 0)
		ret = left;
	if (ret == -ERESTARTSYS)
		quire_keep_patience(kept, &patience);
	return ret;
}
