// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Validation
 *
 * Every call that needs objects in VRAM or the aperture is a &struct quire_validation: BO_PLACE and
 * MAKE_RESIDENT for one object, EXEC and VM_BIND for all that is bound, with page tables and save
 * areas, SUBMIT for its list. A CPU fault is one, too, but makes one try, as it holds locks.
 * quire_validation_run() tries until one of these ends it:
 *
 * - **success**;
 * - **no progress**: three tries in the turn have made no room, and nothing is in the way that will
 *   go (-ENOSPC);
 * - **the deadline**: for 15 seconds in all, other callers had what is in the way (-ENOSPC), or
 *   worked with an object that has to move (-EBUSY);
 * - **a signal** (-ERESTARTSYS), after which the next call goes on (&struct quire_position);
 * - **another error**.
 *
 * .. code-block:: none
 *
 *         +--> side by side with other callers, or, while one has the turn, with nothing moved
 *         |        | no room
 *         |        v
 *         |    alone, in the turn (quire_turn.c) <--+
 *         |        | no room, or an object in use   | room was made, or, three times, was not
 *         |        v                                |
 *         |    look at what is in the way ----------+
 *         |        |
 *         |        v
 *         +--- wait for it, with nothing held
 *
 * TTM evicts what it can lock, and an object that is in use is spared (quire_bo_is_spared()). After
 * a try without room quire_validation_look() finds the reason in the segments that were full: a
 * fence, also one that has signalled since the try began; an object that is locked; or one that had
 * died before the call and is still to be freed (quire_bo_free.c). These are waited for, without
 * turn and reservations.
 *
 * Locking: a try may take reservations; waits are made with nothing held.
 *
 * Source: drivers/gpu/drm/xe/xe_validation.c has the same purpose.
 */
#include <linux/dma-resv.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_resource.h>

#include "core/quire_device_types.h"
#include "core/quire_gate.h"
#include "core/quire_placement.h"
#include "quire_bo.h"
#include "quire_bo_free.h"
#include "quire_validation.h"

/* So many tries in a row that make no room: there is none, or another caller has it locked. */
#define QUIRE_VALIDATION_TRIES	3

/* So many objects of a segment are looked at, with the LRU lock of the device. */
#define QUIRE_VALIDATION_LOOKS	4096

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

static unsigned int place_index(const struct ttm_place *place)
{
	return place->mem_type != QUIRE_PL_VRAM;
}

/**
 * quire_validation_take_free - bring an object to a place that is free
 * @validation: of a caller that has the turn
 * @bo: the object, reserved
 * @place: where
 *
 * Evicts and locks no other object.
 *
 * Returns: as quire_bo_validate().
 */
int quire_validation_take_free(struct quire_validation *validation, struct quire_bo *bo,
			       const struct ttm_place *place)
{
	struct ttm_place free = *place;

	free.flags |= TTM_PL_FLAG_DESIRED;
	return quire_bo_validate(bo, &free, 1, &validation->ctx.base);
}

/* The room is free afterwards. Errors are exact: -ENOMEM says that memory is missing. */
static int make_room(struct quire_validation *validation, struct quire_bo *bo,
		     const struct ttm_place *place)
{
	struct ttm_placement placement = { .num_placement = 1, .placement = place };
	struct ttm_resource *res;
	int ret;

	ret = ttm_bo_mem_space(&bo->base, &placement, &res, &validation->ctx.base);
	if (!ret)
		ttm_resource_free(&bo->base, &res);
	return ret;
}

/* No object is evicted if there is a place that is free. */
static int take_room(struct quire_validation *validation, struct quire_bo *bo,
		     const struct ttm_place *place)
{
	int ret = quire_validation_take_free(validation, bo, place);

	if (quire_is_no_room(ret))
		ret = make_room(validation, bo, place) ?:
		      quire_validation_take_free(validation, bo, place);
	if (ret == -ENOSPC)
		validation->full[place_index(place)] = *place;
	return ret;
}

/**
 * quire_validation_place - bring an object to one of several places
 * @validation: in a try
 * @bo: the object, reserved
 * @places: where; those behind the first have TTM_PL_FLAG_FALLBACK
 * @count: number of @places
 *
 * Objects in the way are evicted. In the turn free room of a place is taken before, and the places
 * are tried one after the other.
 *
 * Returns: 0; -ENOSPC there is no room, or nothing may move, also if it would not; -ENOMEM no
 * memory, in the turn exactly; other errors of quire_bo_validate().
 */
int quire_validation_place(struct quire_validation *validation, struct quire_bo *bo,
			   const struct ttm_place *places, unsigned int count)
{
	int ret = -ENOSPC;
	unsigned int i;

	if (validation->mode == QUIRE_VALIDATION_SHARED)
		return quire_bo_validate(bo, places, count, &validation->ctx.base);
	for (i = 0; i < count && ret == -ENOSPC && validation->mode == QUIRE_VALIDATION_ALONE;
	     i++) {
		struct ttm_place place = places[i];

		place.flags &= ~TTM_PL_FLAG_FALLBACK;
		ret = take_room(validation, bo, &place);
	}
	return ret;
}

/**
 * quire_validation_busy - end a try because an object has to move, and is in use
 * @validation: in a try
 * @bo: the object
 *
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
 * @validation: may have a fence and an object
 *
 * Before the next try, and at the end.
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
	validation->full[0] = (struct ttm_place) { };
	validation->full[1] = (struct ttm_place) { };
}

static u64 usage(struct quire_validation *validation, u32 mem_type)
{
	return ttm_resource_manager_usage(ttm_manager_type(&validation->qdev->ttm, mem_type));
}

/**
 * quire_validation_begin_tries - begin to try in the turn
 * @validation: has the turn
 */
void quire_validation_begin_tries(struct quire_validation *validation)
{
	validation->mode = QUIRE_VALIDATION_ALONE;
	validation->least[0] = usage(validation, QUIRE_PL_VRAM);
	validation->least[1] = usage(validation, QUIRE_PL_APERTURE);
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

/* It may be a ghost of TTM, and die meanwhile. Returns true if there is a reason to wait. */
static bool look_at(struct quire_validation *validation, struct ttm_buffer_object *tbo,
		    const struct ttm_place *place)
{
	struct dma_resv *resv = tbo->base.resv;

	if (!dma_resv_trylock(resv)) {
		validation->locked = true;
		return false;
	}
	if (quire_bo_is_ours(tbo) && ttm_bo_eviction_valuable(tbo, place))
		validation->in_use = quire_bo_get_user(ttm_to_quire_bo(tbo), place,
						       validation->began, &validation->released);
	dma_resv_unlock(resv);
	return validation->in_use || validation->released;
}

/* Of very many objects the rest is not looked at: one of them may be locked. */
static void look_at_list(struct quire_validation *validation, const struct ttm_place *place,
			 struct list_head *lru, unsigned int *looks)
{
	struct ttm_lru_item *item;

	list_for_each_entry(item, lru, link) {
		if (!ttm_lru_item_is_res(item))
			continue;
		if (++*looks > QUIRE_VALIDATION_LOOKS)
			validation->locked = true;
		if (*looks > QUIRE_VALIDATION_LOOKS ||
		    look_at(validation, ttm_lru_item_to_res(item)->bo, place))
			break;
	}
}

/**
 * quire_validation_look - find what is in the way
 * @validation: after a try that ended with -ENOSPC; nothing is reserved
 *
 * Sets &quire_validation.in_use, @released and @locked.
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
			if (!validation->in_use && !validation->released)
				look_at_list(validation, place, &man->lru[priority], &looks);
	}
	spin_unlock(&ttm->lru_lock);
}

/* That ends: what a try itself takes and gives back counts for nothing. */
static bool has_made_room(struct quire_validation *validation)
{
	u64 now[QUIRE_VALIDATION_PLACES] = {
		usage(validation, QUIRE_PL_VRAM), usage(validation, QUIRE_PL_APERTURE),
	};
	bool made = false;
	unsigned int i;

	for (i = 0; i < QUIRE_VALIDATION_PLACES; i++) {
		if (now[i] >= validation->least[i])
			continue;
		validation->least[i] = now[i];
		made = true;
	}
	return made;
}

/**
 * quire_validation_try_again - may another try, in the same turn, find more room?
 * @validation: after quire_validation_begin_tries(), and a try that ended with -ENOSPC; nothing is
 *              reserved
 *
 * Sleeps for a jiffy if the try has made no room.
 *
 * Returns: true if so; false if it has to be waited for, see quire_validation_wait(), or there is
 * none, or the caller is killed.
 */
bool quire_validation_try_again(struct quire_validation *validation)
{
	bool was_locked = validation->locked;

	quire_validation_look(validation);
	if (validation->in_use || validation->released || fatal_signal_pending(current))
		return false;
	if (has_made_room(validation)) {
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
	if (interruptible)
		schedule_timeout_interruptible(1);
	else
		schedule_timeout_uninterruptible(1);
	return max(timeout - 1, 1l);
}

/**
 * quire_validation_wait - wait until another try is of use
 * @validation: after a look; nothing is reserved
 * @interruptible: a signal ends the wait
 * @timeout: jiffies, at most
 *
 * Returns: jiffies that are left, at least 1; 0 there is nothing to wait for, or it took too long;
 * -ERESTARTSYS.
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

static struct quire_ticket *ticket_of(struct quire_validation *validation)
{
	return validation->position ? &validation->position->ticket : NULL;
}

/**
 * quire_validation_enter - take room side by side with other callers
 * @validation: may have no position: its call is never interrupted, or not made again
 *
 * Never sleeps. While a caller has the turn, or waits for it, @mode says that nothing may move.
 */
void quire_validation_enter(struct quire_validation *validation)
{
	if (quire_turn_enter(validation->qdev->turn, ticket_of(validation)))
		validation->mode = QUIRE_VALIDATION_SHARED;
	else
		validation->mode = QUIRE_VALIDATION_STAYS;
}

/**
 * quire_validation_leave - end what quire_validation_enter() began
 * @validation: as there
 * @error: result of the try: after -ERESTARTSYS the position gets a place in the queue
 */
void quire_validation_leave(struct quire_validation *validation, int error)
{
	if (validation->mode == QUIRE_VALIDATION_SHARED)
		quire_turn_exit(validation->qdev->turn, ticket_of(validation),
				error == -ERESTARTSYS);
}

/**
 * quire_validation_begin_turn - wait for the turn
 * @validation: with nothing reserved, outside of drm_dev_enter()
 *
 * Returns: 0, then quire_validation_end_turn() is to follow; -ERESTARTSYS.
 */
int quire_validation_begin_turn(struct quire_validation *validation)
{
	bool interruptible;
	int ret;

	ret = quire_turn_begin(validation->qdev->turn, &validation->position->ticket,
			       &interruptible);
	if (ret)
		return ret;
	validation->deaf |= !interruptible;
	validation->ctx.base.interruptible = !validation->deaf;
	return 0;
}

/**
 * quire_validation_end_turn - let the next caller have the turn
 * @validation: of quire_validation_begin_turn()
 * @error: result of the tries: after -ERESTARTSYS the place in the queue is kept
 */
void quire_validation_end_turn(struct quire_validation *validation, int error)
{
	quire_turn_end(validation->qdev->turn, &validation->position->ticket,
		       error == -ERESTARTSYS);
}

static int try_once(struct quire_validation *validation)
{
	int ret;

	quire_validation_begin_try(validation);
	ret = validation->try(validation);
	/* TTM waits for the lock of a victim, and returns the error of that. */
	return ret == -EINTR ? -ERESTARTSYS : ret;
}

static int try_in_turn(struct quire_validation *validation)
{
	int ret;

	quire_validation_begin_tries(validation);
	do {
		ret = try_once(validation);
		if (ret != -ENOSPC || validation->hopeless)
			return ret;
		if ((validation->ctx.base.interruptible && signal_pending(current)) ||
		    fatal_signal_pending(current))
			return -ERESTARTSYS;
	} while (quire_validation_try_again(validation));
	return ret;
}

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
	ret = try_in_turn(validation);
	quire_validation_end_turn(validation, ret);
	return ret;
}

static int try_through_gate(struct quire_validation *validation)
{
	int ret;

	if (!validation->gate)
		return try_inside(validation);
	ret = quire_gate_enter(validation->gate);
	if (ret)
		return ret;
	ret = try_inside(validation);
	quire_gate_leave(validation->gate);
	return ret;
}

/* After tries that ended with @ret. Returns: 1 to try again; 0; -ERESTARTSYS; -ENOMEM. */
static int wait_for_others(struct quire_validation *validation, int ret,
			   struct quire_patience *patience)
{
	long left = 0;

	if (ret == -EBUSY && validation->busy)
		left = quire_bo_wait_others(validation->busy, true, quire_patience_left(patience));
	else if (ret == -ENOSPC && !validation->hopeless && !validation->divides &&
		 validation->qdev->turn->fair)
		left = quire_validation_wait(validation, true, quire_patience_left(patience));
	return left > 0 ? 1 : left;
}

/**
 * quire_validation_run - try until it comes to something
 * @validation: the first group of members is set, the rest is zero. After -EBUSY @busy is to be
 *              looked at before quire_validation_forget(), which is to follow in any case
 *
 * To be called with nothing reserved, and outside of drm_dev_enter(). Without turns (module
 * parameter fair_placement) there is one try.
 *
 * Returns: 0; -ENOSPC there is no room, or other callers had what is in the way for 15 seconds;
 * -EBUSY an object has to move, and was in use as long, or an error of &quire_validation.try;
 * -ERESTARTSYS a signal came first; other errors of &quire_validation.try.
 */
int quire_validation_run(struct quire_validation *validation)
{
	struct quire_patience *kept = &validation->position->patience;
	struct quire_patience patience;
	unsigned long begin;
	int ret, waited;

	quire_take_patience(kept, &patience);
	if (!validation->divides)
		validation->died = quire_free_list_died(validation->qdev->free_list);
	do {
		begin = jiffies;
		ret = try_through_gate(validation);
		quire_patience_tried(&patience, begin);
		waited = wait_for_others(validation, ret, &patience);
	} while (waited > 0);
	if (waited < 0)
		ret = waited;
	if (ret == -ERESTARTSYS)
		quire_keep_patience(kept, &patience);
	return ret;
}
