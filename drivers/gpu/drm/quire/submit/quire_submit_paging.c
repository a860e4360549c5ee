// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Paging for submissions that are split
 *
 * A submission that is split has the turn (quire_turn.c): nobody else takes room, and its
 * objects stay where the planner has put them until the planner evicts them, or others have
 * the turn (&quire_bo.planned). Objects of others are evicted by TTM, in its own order, before
 * the planner evicts any of its own.
 *
 * The CPU, and importers, may still move an object: most wait while it is planned, but may have
 * begun before, or may not wait. What has gone when a part is queued is brought back then; if
 * there is no room for it any more, the planner plans the part again.
 *
 * Between two parts the turn ends, if others wait for it and the submission has had it for a
 * while. All parts so far are executed then and nothing is planned, so others find room; of what
 * the next part needs, what they evict comes back to where it was. If that can not be, as others
 * are at work there, the planner plans the part again, and it comes back elsewhere.
 *
 * An object is evicted when the part that uses it is executed: that is waited for here, so
 * that the paging queue does not. Neither a part that takes long is waited for in the turn of
 * the submission, if others want theirs, nor what others are at work with. What else the
 * submission has to wait for (fences of the program, of other drivers, of work before it) was
 * waited for before (quire_submit.c), when nobody stood behind it. What comes later waits for
 * the device, its turn, and those who have begun since (quire_bo_others.c).
 */
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/jiffies.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include "core/quire_patience.h"
#include "hw/quire_device_guard.h"
#include "bo/quire_bo.h"
#include "bo/quire_turn.h"
#include "exec/quire_context.h"
#include "quire_submit.h"
#include "quire_submit_object.h"
#include "quire_submit_paging.h"

/* While the device is waited for, so often is looked who else waits, and who is killed. */
#define QUIRE_SUBMIT_LOOK	(HZ / 10)

/**
 * quire_submit_is_interruptible - may a signal that does not kill end it?
 * @submit: the submission, which has its turn
 *
 * Those count until the first part is queued, but in no attempt after one that they have ended.
 * The device ends all waits; a signal that kills is looked for between them.
 *
 * Returns: true if so.
 */
bool quire_submit_is_interruptible(const struct quire_submit *submit)
{
	return !submit->validation.deaf && !submit->commands.parts;
}

static int object_reserve(struct quire_submit *submit, u32 index)
{
	return ttm_bo_reserve(&submit->objects[index].bo->base,
			      quire_submit_is_interruptible(submit), false, NULL);
}

/* From now on the planner decides where it is. */
static void object_plan(struct quire_submit *submit, u32 index)
{
	WRITE_ONCE(submit->objects[index].bo->planned, true);
	submit->objects[index].planned = true;
}

/* Or not any more. Nobody else writes it: others have no turn. */
static void object_unplan(struct quire_submit *submit, u32 index)
{
	WRITE_ONCE(submit->objects[index].bo->planned, false);
	submit->objects[index].planned = false;
}

/**
 * quire_submit_find - is an object where commands can use it?
 * @submit: the submission, which has its turn
 * @index: of the object, which is not reserved
 *
 * If it is, it stays there, and its address is in &quire_submit.addresses.
 *
 * Returns: 1 it is; 0 it is not; -ERESTARTSYS.
 */
int quire_submit_find(struct quire_submit *submit, u32 index)
{
	bool placed;
	int ret;

	ret = object_reserve(submit, index);
	if (ret)
		return ret;
	placed = quire_submit_object_is_placed(submit, index);
	if (placed)
		object_plan(submit, index);
	ttm_bo_unreserve(&submit->objects[index].bo->base);
	return placed;
}

/**
 * struct page_in - what is asked for
 * @index: of the object
 * @goal: where it shall be; if it is elsewhere already, it stays there
 * @last: nothing else can make room for it: there is some, when others let go of theirs
 * @waits: others are at work with it, so the last try did nothing
 */
struct page_in {
	u32 index;
	struct quire_submit_goal goal;
	bool last;
	bool waits;
};

/*
 * One try. With a wound/wait ticket TTM would wait for victims that somebody has locked who came
 * later, and they may wait for others: not in this turn.
 */
static int page_in_try(struct quire_submit *submit, struct page_in *in)
{
	struct quire_validation *validation = &submit->validation;
	int ret;

	in->waits = false;
	validation->ctx.base.interruptible = quire_submit_is_interruptible(submit);
	quire_validation_begin_try(validation);
	CLASS(quire_device, device)(&submit->qdev->drm);
	if (device < 0)
		return device;
	ret = object_reserve(submit, in->index);
	if (!ret) {
		in->waits = quire_submit_object_must_wait(submit, in->index);
		ret = in->waits ? -EBUSY :
		      quire_submit_object_place(submit, in->index, in->goal);
		if (!ret)
			object_plan(submit, in->index);
		ttm_bo_unreserve(&submit->objects[in->index].bo->base);
	}
	return ret == -EINTR ? -ERESTARTSYS : ret;
}

/* The planner may have nothing else to evict: then what others have locked is waited for, too. */
static bool page_in_waits_for_locks(const struct quire_submit *submit, const struct page_in *in)
{
	return in->last && submit->validation.locked;
}

/* After a try without room. Returns true if another one may be of use at once. */
static bool page_in_try_again(struct quire_submit *submit, const struct page_in *in)
{
	if (in->last)
		return quire_validation_try_again(&submit->validation);
	quire_validation_look(&submit->validation);
	return false;
}

/*
 * After a try that met others, at most @left jiffies.
 *
 * Returns: 1 another try may be of use; 0 it is not; -EAGAIN others want their turn meanwhile;
 * -ERESTARTSYS; -ENOMEM.
 */
static int page_in_wait(struct quire_submit *submit, struct page_in *in, long left)
{
	bool interruptible = quire_submit_is_interruptible(submit);
	struct quire_validation *validation = &submit->validation;
	long slice = min_t(long, left, QUIRE_SUBMIT_LOOK), rest;
	bool now;

	if (left <= 0)
		return 0;
	if (in->waits) {
		rest = quire_bo_wait_others(submit->objects[in->index].bo, interruptible, slice);
	} else {
		if (page_in_try_again(submit, in))
			return 1;
		if (!validation->in_use && !validation->released &&
		    !page_in_waits_for_locks(submit, in))
			return 0;
		rest = quire_validation_wait(validation, interruptible, slice);
	}
	if (rest < 0)
		return rest;
	now = rest && !validation->released && !page_in_waits_for_locks(submit, in);
	return !now && quire_turn_is_due(submit->qdev->turn) ? -EAGAIN : 1;
}

static int object_refuse_busy(struct quire_submit *submit, u32 index)
{
	return quire_submit_object_refuse(submit, index, -EBUSY, "others are at work with it");
}

/* *@left jiffies become less. */
static int object_page_in(struct quire_submit *submit, struct page_in in, long *left)
{
	unsigned long end = jiffies + *left;
	int ret, more;

	submit->comes = in.index;
	quire_validation_begin_tries(&submit->validation);
	do {
		if (fatal_signal_pending(current))
			return -ERESTARTSYS;
		ret = page_in_try(submit, &in);
		if (!in.waits && ret != -ENOSPC)
			break;
		*left = end - jiffies;
		more = page_in_wait(submit, &in, *left);
	} while (more > 0);
	*left = end - jiffies;
	if (!in.waits && ret != -ENOSPC)
		return ret;
	if (more)
		return more;
	return in.waits ? object_refuse_busy(submit, in.index) : -ENOSPC;
}

/**
 * quire_submit_page_in - bring an object to where commands can use it
 * @submit: the submission, which has its turn
 * @index: of the object, which is not reserved
 * @address: where it would best be, or %QUIRE_SPLIT_ANYWHERE
 * @last: nothing else of the submission is in the way, so that others are if there is no room
 *
 * Nobody is evicted to make @address free: it goes elsewhere then. Who is passed over as a victim,
 * because somebody is at work with it, is waited for: there is nobody who could take the room that
 * it leaves, but for who wants his turn. If it is the @last resort, callers that have locked a
 * victim are waited for, too.
 * Afterwards the object stays, and its address is in &quire_submit.addresses.
 *
 * Returns: 0; -EAGAIN others should have their turn meanwhile; -EBUSY others are at work with
 * it for longer than 15 seconds, in all calls until one succeeds; errors of
 * quire_submit_object_place(), with @last -ENOSPC after 15 seconds;
 * -ERESTARTSYS, -EIO, -ENODEV.
 */
int quire_submit_page_in(struct quire_submit *submit, u32 index, u64 address, bool last)
{
	const struct page_in in = { .index = index, .goal.address = address, .last = last };
	int ret = object_page_in(submit, in, &submit->patience);

	if (!ret)
		submit->patience = QUIRE_BUSY_TIMEOUT;
	return ret;
}

/* Has the device done all of this submission? */
static bool submit_is_executed(const struct quire_submit *submit)
{
	return !submit->commands.fence || dma_fence_is_signaled(submit->commands.fence);
}

/* @idle: returned: nobody else was at work with it; or else nothing was done. */
static int object_try_evict(struct quire_submit *submit, u32 index, bool *idle)
{
	struct quire_bo *bo = submit->objects[index].bo;
	int ret;

	CLASS(quire_device, device)(&submit->qdev->drm);
	if (device < 0)
		return device;
	ret = object_reserve(submit, index);
	if (!ret) {
		*idle = !quire_bo_has_others(bo);
		if (*idle) {
			object_unplan(submit, index);
			wake_up_all(&submit->qdev->unplanned);
			ret = quire_submit_object_evict(submit, index);
		}
		ttm_bo_unreserve(&bo->base);
	}
	return ret;
}

/*
 * After a look at an object that others were at work with. They count from when the device has
 * done all of this submission: since @begin, or not at all.
 */
static int object_look_again(struct quire_submit *submit, u32 index, bool executed,
			     unsigned long begin)
{
	if (fatal_signal_pending(current))
		return -ERESTARTSYS;
	if (executed) {
		submit->patience -= jiffies - begin;
		if (submit->patience <= 0)
			return object_refuse_busy(submit, index);
	}
	return quire_turn_is_due(submit->qdev->turn) ? -EAGAIN : 0;
}

/**
 * quire_submit_evict - take an object away from where commands can use it
 * @submit: the submission, which has its turn
 * @index: of the object, which is not reserved
 *
 * Waits for the parts of this submission that use it, and for what was queued before them.
 *
 * Returns: 0; -EAGAIN others should have their turn meanwhile; -EBUSY others are at work with
 * it for longer than 15 seconds, of which page-ins that have waited since the last one that
 * succeeded have used some; -ERESTARTSYS, -EIO, -ENODEV; errors of quire_submit_object_evict().
 */
int quire_submit_evict(struct quire_submit *submit, u32 index)
{
	bool idle = false, executed;
	unsigned long begin;
	long left;
	int ret;

	do {
		begin = jiffies;
		executed = submit_is_executed(submit);
		left = quire_bo_wait_others(submit->objects[index].bo,
					    quire_submit_is_interruptible(submit),
					    QUIRE_SUBMIT_LOOK);
		ret = min(left, 0l);
		if (left > 0)
			ret = object_try_evict(submit, index, &idle);
		if (!ret && !idle)
			ret = object_look_again(submit, index, executed, begin);
	} while (!ret && !idle);
	return ret;
}

/**
 * quire_submit_unplan - let go of all objects
 * @submit: the submission; without its turn it has none
 *
 * They are TTM's again. Who waits for that, or for quire_submit_unclaim(), goes on.
 */
void quire_submit_unplan(struct quire_submit *submit)
{
	u32 i;

	for (i = 0; i < submit->list.nr_objects; i++)
		if (submit->objects[i].planned)
			object_unplan(submit, i);
	wake_up_all(&submit->qdev->unplanned);
}

/*
 * To where it was, all of it that can be: nobody else may get these places. *@left jiffies become
 * less. -ENOSPC: not all of it is there; -EAGAIN: others want their turn meanwhile.
 */
static int submit_bring_back(struct quire_submit *submit, const u32 *held, u32 nr_held, long *left)
{
	struct page_in in = { .goal.must = true };
	int ret, err = 0;
	u32 i;

	for (i = 0; i < nr_held; i++) {
		in.index = held[i];
		in.goal.address = submit->addresses[held[i]];
		ret = object_page_in(submit, in, left);
		if (ret && ret != -ENOSPC)
			return ret;
		err = err ?: ret;
	}
	return err;
}

/* Returns: 1 all parts so far are executed; 0 not in time; -ERESTARTSYS. */
static int submit_wait_parts(struct quire_submit *submit, unsigned long timeout)
{
	unsigned long start = jiffies;

	while (submit->commands.fence &&
	       !dma_fence_wait_timeout(submit->commands.fence, false, QUIRE_SUBMIT_LOOK)) {
		if (fatal_signal_pending(current))
			return -ERESTARTSYS;
		if (jiffies - start > timeout)
			return 0;
	}
	return 1;
}

/* In turn: who waits longer for the device does not keep others from theirs. */
static int submit_step_aside(struct quire_submit *submit)
{
	struct quire_ticket *ticket = &submit->commands.context->position.ticket;
	struct quire_turn *turn = submit->qdev->turn;
	int ret = submit_wait_parts(submit, QUIRE_BUSY_TIMEOUT);

	if (ret < 0)
		return ret;
	quire_submit_unplan(submit);
	quire_turn_end(turn, ticket, false);
	submit->in_turn = false;
	if (!ret)
		ret = submit_wait_parts(submit, ULONG_MAX);
	if (ret < 0)
		return ret;
	ret = quire_turn_again(turn, quire_submit_is_interruptible(submit) ? ticket : NULL);
	submit->in_turn = !ret;
	return ret;
}

/**
 * quire_submit_pause - let others have room, if they want some
 * @submit: the submission, which has its turn
 * @held: indices of objects that the next part needs
 * @nr_held: number of them
 *
 * Returns: 0, then @held are where they were; -ENOSPC some are not, as others are in the way for
 * too long; -EBUSY others are at work with one for too long; other errors of
 * quire_submit_page_in(), but not -EAGAIN;
 * -ERESTARTSYS a signal ends it, see quire_submit_is_interruptible(), and it may have its turn no
 * more, see &quire_submit.in_turn.
 */
int quire_submit_pause(struct quire_submit *submit, const u32 *held, u32 nr_held)
{
	long left = QUIRE_BUSY_TIMEOUT;
	int ret;

	if (!quire_turn_is_due(submit->qdev->turn))
		return 0;
	do {
		ret = submit_step_aside(submit) ?:
		      submit_bring_back(submit, held, nr_held, &left);
	} while (ret == -EAGAIN);
	return ret;
}
