// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Submissions that are split
 *
 * The planner (commands/quire_split.h) divides what does not fit as a whole. It sees memory through
 * the operations here, and each part is queued when all that it uses is in place. With a test
 * option (split_every_point, split_seed, split_max_bytes or split_lru) all submissions come here.
 *
 * A submission that is split has the turn (quire_turn.c): nobody else takes room, and its objects
 * stay where they are until the planner evicts them, or others have the turn (&quire_bo.planned).
 * TTM evicts objects of others, in its own order, before the planner evicts any of its own. The
 * CPU, and importers, may still move an object, if they have begun before or may not wait. What has
 * gone when a part is queued is brought back then, or the planner plans the part again.
 *
 * Between two parts the turn ends, if others wait for it and the submission has had it for a
 * while. All parts so far are executed then and nothing is planned, so others find room; of what
 * the next part needs, what they evict comes back to where it was, or the part is planned again.
 *
 * An object is evicted when the part that uses it is executed: that is waited for here, so that the
 * paging queue does not, and not in the turn if others want theirs.
 */
#include <linux/atomic.h>
#include <linux/dma-fence.h>
#include <linux/jiffies.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include <quire/quire_hw.h>

#include "core/quire_patience.h"
#include "core/quire_refuse.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_vram_types.h"
#include "bo/quire_bo.h"
#include "bo/quire_turn.h"
#include "exec/quire_context.h"
#include "quire_submit.h"

/* While the device is waited for, so often is looked who else waits, and who is killed. */
#define QUIRE_SUBMIT_LOOK	(HZ / 10)

struct submit_split {
	struct quire_split split;
	struct quire_submit *submit; /* which has its turn */
	int error; /* of an operation that can not return it */
};

static struct submit_split *to_submit_split(struct quire_split *split)
{
	return container_of(split, struct submit_split, split);
}

/* Before each operation. */
static int split_check(const struct submit_split *ss)
{
	if (ss->error)
		return ss->error;
	return fatal_signal_pending(current) ? -ERESTARTSYS : 0;
}

/* Many commands neither keep the processor, nor hold up a fatal signal. */
static int split_go_on(struct quire_split *split)
{
	cond_resched();
	return split_check(to_submit_split(split));
}

/*
 * Signals that do not kill count until the first part is queued, but in no attempt after one that
 * they have ended. The device ends all waits; a signal that kills is looked for between them.
 */
static bool submit_is_interruptible(const struct quire_submit *submit)
{
	return !submit->validation.deaf && !submit->commands.parts;
}

static int object_reserve(struct quire_submit *submit, u32 index)
{
	return ttm_bo_reserve(&submit->objects[index].bo->base, submit_is_interruptible(submit),
			      false, NULL);
}

/* Does it have to move while it is in use? That is waited for without reservations. */
static bool object_must_wait(struct quire_submit *submit, u32 index)
{
	return quire_submit_object_must_move(submit, index) &&
	       quire_bo_has_others(submit->objects[index].bo);
}

/* The planner decides where it is, or not any more. Nobody else writes it: others have no turn. */
static void object_plan(struct quire_submit *submit, u32 index, bool planned)
{
	WRITE_ONCE(submit->objects[index].bo->planned, planned);
	submit->objects[index].planned = planned;
}

/* If it is where commands can use it, it stays there. */
static bool split_find(struct quire_split *split, u32 index, u64 *address)
{
	struct submit_split *ss = to_submit_split(split);
	struct quire_submit *submit = ss->submit;
	bool placed;
	int ret;

	if (ss->error)
		return false;
	ret = object_reserve(submit, index);
	if (ret) {
		ss->error = ret;
		return false;
	}
	placed = quire_submit_object_is_placed(submit, index);
	if (placed) {
		object_plan(submit, index, true);
		*address = QUIRE_ADDRESS_OFFSET(submit->addresses[index]);
	}
	ttm_bo_unreserve(&submit->objects[index].bo->base);
	return placed;
}

struct page_in {
	u32 index;
	u64 address; /* where it shall be, see quire_submit_object_place() */
	bool must; /* nowhere else */
	bool last; /* nothing else can make room: there is some, when others let go of theirs */
	bool waits; /* others are at work with it, so the last try did nothing */
};

/*
 * One try. With a wound/wait ticket TTM would wait for victims that a later caller has locked,
 * which may itself wait for others: not in this turn.
 */
static int page_in_try(struct quire_submit *submit, struct page_in *in)
{
	struct quire_validation *validation = &submit->validation;
	int ret;

	in->waits = false;
	validation->ctx.base.interruptible = submit_is_interruptible(submit);
	quire_validation_begin_try(validation);
	CLASS(quire_device, device)(&submit->qdev->drm);
	if (device < 0)
		return device;
	ret = object_reserve(submit, in->index);
	if (!ret) {
		in->waits = object_must_wait(submit, in->index);
		ret = in->waits ? -EBUSY :
		      quire_submit_object_place(submit, in->index, in->address, in->must);
		if (!ret)
			object_plan(submit, in->index, true);
		ttm_bo_unreserve(&submit->objects[in->index].bo->base);
	}
	return ret == -EINTR ? -ERESTARTSYS : ret;
}

/* The planner may have nothing else to evict: then what others have locked is waited for, too. */
static bool page_in_waits_for_locks(const struct quire_submit *submit, const struct page_in *in)
{
	return in->last && submit->validation.locked;
}

/*
 * After a try that met others, at most @left jiffies.
 *
 * Returns: 1 another try may be of use; 0 it is not; -EAGAIN others want their turn meanwhile;
 * -ERESTARTSYS; -ENOMEM.
 */
static int page_in_wait(struct quire_submit *submit, struct page_in *in, long left)
{
	bool interruptible = submit_is_interruptible(submit);
	struct quire_validation *validation = &submit->validation;
	long slice = min_t(long, left, QUIRE_SUBMIT_LOOK), rest;
	bool now;

	if (left <= 0)
		return 0;
	if (in->waits) {
		rest = quire_bo_wait_others(submit->objects[in->index].bo, interruptible, slice);
	} else {
		if (in->last && quire_validation_try_again(validation))
			return 1;
		if (!in->last)
			quire_validation_look(validation);
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
	return quire_submit_refuse_object(submit, index, -EBUSY, "others are at work with it");
}

/*
 * A victim that is in use is waited for: in the turn no other call takes the room that it leaves.
 * Only callers that wait for the turn end that. *@left jiffies become less.
 */
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

/* No object is evicted to make *@address free: it goes elsewhere then. */
static int quire_submit_page_in(struct quire_split *split, u32 index, u64 *address)
{
	struct submit_split *ss = to_submit_split(split);
	struct quire_submit *submit = ss->submit;
	const struct page_in in = { .index = index, .address = *address, .last = split->last };
	int ret = split_check(ss) ?: object_page_in(submit, in, &submit->patience);

	if (!ret) {
		submit->patience = QUIRE_BUSY_TIMEOUT;
		*address = QUIRE_ADDRESS_OFFSET(submit->addresses[index]);
	}
	return ret;
}

/* @idle: returned: nobody else was at work with it; or else nothing was done. */
static int object_try_evict(struct quire_submit *submit, u32 index, bool *idle)
{
	struct quire_bo *bo = submit->objects[index].bo;
	struct quire_operation_ctx ctx;
	int ret;

	CLASS(quire_device, device)(&submit->qdev->drm);
	if (device < 0)
		return device;
	ret = object_reserve(submit, index);
	if (!ret) {
		*idle = !quire_bo_has_others(bo);
		if (*idle) {
			object_plan(submit, index, false);
			wake_up_all(&submit->qdev->unplanned);
			quire_ctx_init(&ctx, &submit->validation.batch, false);
			ret = quire_submit_object_leave(bo, &ctx.base);
		}
		ttm_bo_unreserve(&bo->base);
	}
	return ret;
}

/* Waits for the parts of this submission that use it, and for what was queued before them. */
static int quire_submit_evict(struct quire_split *split, u32 index)
{
	struct submit_split *ss = to_submit_split(split);
	struct quire_submit *submit = ss->submit;
	bool idle = false, executed;
	unsigned long begin;
	int ret = split_check(ss);
	long left;

	while (!ret) {
		begin = jiffies;
		executed = !submit->commands.fence ||
			   dma_fence_is_signaled(submit->commands.fence);
		left = quire_bo_wait_others(submit->objects[index].bo,
					    submit_is_interruptible(submit), QUIRE_SUBMIT_LOOK);
		ret = min(left, 0l);
		if (left > 0)
			ret = object_try_evict(submit, index, &idle);
		if (ret || idle)
			break;
		if (fatal_signal_pending(current))
			return -ERESTARTSYS;
		/* Others count from when the device has done all of this submission. */
		if (executed) {
			submit->patience -= jiffies - begin;
			if (submit->patience <= 0)
				return object_refuse_busy(submit, index);
		}
		ret = quire_turn_is_due(submit->qdev->turn) ? -EAGAIN : 0;
	}
	return ret;
}

/* Objects that other clients moved meanwhile go back to where they were, or the planner decides. */
static int part_place(struct quire_submit *submit, u32 index)
{
	int ret;

	if (object_must_wait(submit, index))
		return -EAGAIN;
	ret = quire_submit_object_place(submit, index, submit->addresses[index], true);
	return ret == -ENOSPC ? -EAGAIN : ret;
}

static int split_submit(struct quire_split *split, const struct quire_split_part *part)
{
	struct submit_split *ss = to_submit_split(split);
	struct quire_submit *submit = ss->submit;
	int ret;

	CLASS(quire_device, device)(&submit->qdev->drm);
	if (device < 0)
		return device;
	quire_ctx_init(&submit->validation.ctx, &submit->validation.batch, false);
	ret = split_check(ss) ?:
	      quire_submit_part(submit, part, submit_is_interruptible(submit), part_place);
	return ret == -EINTR ? -ERESTARTSYS : ret;
}

/* TTM may evict all objects again. Callers that wait for that, or for claims, go on. */
static void submit_unplan(struct quire_submit *submit)
{
	u32 i;

	for (i = 0; i < submit->list.nr_objects; i++)
		if (submit->objects[i].planned)
			object_plan(submit, i, false);
	wake_up_all(&submit->qdev->unplanned);
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

/* In turn, which ends for others if the wait for the device is long. */
static int submit_step_aside(struct quire_submit *submit)
{
	struct quire_ticket *ticket = &submit->commands.context->position.ticket;
	struct quire_turn *turn = submit->qdev->turn;
	int ret = submit_wait_parts(submit, QUIRE_BUSY_TIMEOUT);

	if (ret < 0)
		return ret;
	submit_unplan(submit);
	quire_turn_end(turn, ticket, false);
	submit->in_turn = false;
	if (!ret)
		ret = submit_wait_parts(submit, ULONG_MAX);
	if (ret < 0)
		return ret;
	ret = quire_turn_again(turn, submit_is_interruptible(submit) ? ticket : NULL);
	submit->in_turn = !ret;
	return ret;
}

/*
 * What is held comes back to where it was, all of it that can: nobody else may get these places.
 * After -ERESTARTSYS the submission may have its turn no more, see &quire_submit.in_turn.
 */
static int quire_submit_pause(struct quire_split *split, const u32 *held, u32 nr_held)
{
	struct submit_split *ss = to_submit_split(split);
	struct quire_submit *submit = ss->submit;
	struct page_in in = { .must = true };
	long left = QUIRE_BUSY_TIMEOUT;
	int err, ret = split_check(ss);
	u32 i;

	if (ret || !quire_turn_is_due(submit->qdev->turn))
		return ret;
	do {
		err = 0;
		ret = submit_step_aside(submit);
		for (i = 0; i < nr_held && !ret; i++) {
			in.index = held[i];
			in.address = submit->addresses[held[i]];
			ret = object_page_in(submit, in, &left);
			if (ret == -ENOSPC) {
				err = ret;
				ret = 0;
			}
		}
		ret = ret ?: err;
	} while (ret == -EAGAIN);
	return ret;
}

static const struct quire_split_memory_ops split_ops = {
	.go_on = split_go_on,
	.find = split_find,
	.page_in = quire_submit_page_in,
	.evict = quire_submit_evict,
	.submit = split_submit,
	.pause = quire_submit_pause,
};

/**
 * quire_submit_split - queue a submission in as many parts as it takes
 * @submit: the submission; its execution ring is locked, it has memory for its commands, it
 *          has its turn, and has waited for all that it has to wait for
 *
 * Others may have the turn between two parts; &quire_submit.in_turn says whether the submission
 * has it afterwards.
 *
 * Returns: 0; -ENOSPC there is no room, as others are at work with what is in the way, or have
 * it locked, for longer than 15 seconds; -ENODATA an object is purged; -EBUSY others have pinned
 * one, or are at work with it as long; -ENOMEM, -EIO, -ENODEV; before anything was queued
 * -ERESTARTSYS.
 * Source: "Splitting a DMA Buffer" of the original's documentation.
 */
int quire_submit_split(struct quire_submit *submit)
{
	/* As if nobody else had anything. */
	const u64 capacity[QUIRE_SPLIT_SEGMENTS] = {
		submit->qdev->vram_mgr->manager.size, submit->qdev->aperture_size,
	};
	struct submit_split ss = { .submit = submit };
	void *memory = NULL;
	u32 i = 0;
	int ret;

	ret = quire_submit_claim(submit);
	if (!ret) {
		memory = kvmalloc(quire_split_memory(&submit->list), GFP_KERNEL_ACCOUNT);
		ret = memory ? 0 : -ENOMEM;
	}
	if (!ret) {
		submit->patience = QUIRE_BUSY_TIMEOUT;
		quire_validation_begin_tries(&submit->validation);
		quire_split_init(&ss.split, &split_ops, &submit->list, capacity, &submit->options,
				 memory);
		ret = quire_split_run(&ss.split);
		kvfree(memory);
		submit->bytes_out = ss.split.bytes_out;
		ret = ss.error ?: ret;
	}
	if (ret == -ENOSPC) {
		while (submit->list.allocations[i].object != submit->comes)
			i++;
		quire_refuse(&submit->qdev->drm, ret,
			     "submit: others are in the way of allocation %u", i);
	}
	for (i = 0; i < submit->nr_claimed; i++)
		atomic_dec(&submit->objects[i].bo->claims);
	submit_unplan(submit);
	return ret;
}
