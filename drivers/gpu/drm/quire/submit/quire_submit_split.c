// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Submissions that are split
 *
 * The planner (commands/quire_split.h) divides what does not fit as a whole. It sees memory through
 * the operations here: quire_submit_paging.c pages for it, and each part is queued when all that it
 * uses is in place.
 *
 * With a test option (split_every_point, split_seed, split_max_bytes or split_lru of &struct
 * quire_options) all submissions come here.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include <drm/drm_exec.h>

#include <quire/quire_command.h>
#include <quire/quire_hw.h>

#include "commands/quire_split.h"
#include "core/quire_options.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_vram_types.h"
#include "bo/quire_bo.h"
#include "bo/quire_window.h"
#include "quire_submit.h"
#include "quire_submit_object.h"
#include "quire_submit_paging.h"

/**
 * struct submit_split - a submission and its planner
 * @split: the planner
 * @submit: the submission
 * @error: of an operation that can not return it
 */
struct submit_split {
	struct quire_split split;
	struct quire_submit *submit;
	int error;
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

static bool split_find(struct quire_split *split, u32 object, u64 *address)
{
	struct submit_split *ss = to_submit_split(split);
	int ret;

	if (ss->error)
		return false;
	ret = quire_submit_find(ss->submit, object);
	if (ret < 0)
		ss->error = ret;
	if (ret <= 0)
		return false;
	*address = QUIRE_ADDRESS_OFFSET(ss->submit->addresses[object]);
	return true;
}

static int split_page_in(struct quire_split *split, u32 object, u64 *address)
{
	struct submit_split *ss = to_submit_split(split);
	int ret = split_check(ss) ?: quire_submit_page_in(ss->submit, object, *address,
							  split->last);

	if (!ret)
		*address = QUIRE_ADDRESS_OFFSET(ss->submit->addresses[object]);
	return ret;
}

static int split_evict(struct quire_split *split, u32 object)
{
	struct submit_split *ss = to_submit_split(split);

	return split_check(ss) ?: quire_submit_evict(ss->submit, object);
}

static int split_pause(struct quire_split *split, const u32 *held, u32 nr_held)
{
	struct submit_split *ss = to_submit_split(split);

	return split_check(ss) ?: quire_submit_pause(ss->submit, held, nr_held);
}

/*
 * They are, but for objects that other clients moved meanwhile, which go back to where they were.
 * If that place is taken, or has to be waited for, the planner decides.
 */
static int part_place(struct quire_submit *submit, const struct quire_submit_part *part)
{
	int ret = 0;
	u32 i;

	quire_ctx_init(&submit->validation.ctx, &submit->validation.batch, false);
	for (i = 0; i < part->nr_objects && !ret; i++) {
		u32 index = part->objects[i];
		const struct quire_submit_goal goal = { submit->addresses[index], .must = true };

		if (quire_submit_object_must_wait(submit, index))
			return -EAGAIN;
		ret = quire_submit_object_place(submit, index, goal);
	}
	return ret == -ENOSPC ? -EAGAIN : ret;
}

static int part_try(struct quire_submit *submit, const struct quire_submit_part *part)
{
	u32 flags = quire_submit_exec_flags(quire_submit_is_interruptible(submit));
	struct drm_exec exec;
	int ret = 0;
	u32 i;

	drm_exec_init(&exec, flags, part->nr_objects);
	/* TTM may lock victims with the same ticket, see quire_submit_whole.c. */
	drm_exec_until_all_locked(&exec) {
		ret = 0;
		for (i = 0; i < part->nr_objects && !ret; i++) {
			struct quire_bo *bo = submit->objects[part->objects[i]].bo;

			ret = drm_exec_lock_obj(&exec, &bo->base.base);
		}
		drm_exec_retry_on_contention(&exec);
		ret = ret ?: part_place(submit, part);
		if (ret)
			break;
	}
	ret = ret ?: quire_submit_part(submit, part);
	drm_exec_fini(&exec);
	return ret == -EINTR ? -ERESTARTSYS : ret;
}

static int split_submit(struct quire_split *split, const struct quire_split_part *planned)
{
	struct submit_split *ss = to_submit_split(split);
	struct quire_submit *submit = ss->submit;
	const struct quire_submit_part part = {
		.start = planned->start,
		.end = planned->end,
		.nr_objects = planned->nr_objects,
		.objects = planned->objects,
	};
	CLASS(quire_device, device)(&submit->qdev->drm);

	return device < 0 ? device : split_check(ss) ?: part_try(submit, &part);
}

static const struct quire_split_memory_ops split_ops = {
	.go_on = split_go_on,
	.find = split_find,
	.page_in = split_page_in,
	.evict = split_evict,
	.submit = split_submit,
	.pause = split_pause,
};

static void split_options(struct quire_split_options *options)
{
	*options = (struct quire_split_options) {
		.every_point = READ_ONCE(quire_options.split_every_point),
		.lru = READ_ONCE(quire_options.split_lru),
		.seed = READ_ONCE(quire_options.split_seed),
		.max_bytes = READ_ONCE(quire_options.split_max_bytes),
	};
}

/**
 * quire_submit_split_is_forced - do tests want submissions to be split?
 *
 * Returns: true if a test option says so.
 */
bool quire_submit_split_is_forced(void)
{
	struct quire_split_options options;

	split_options(&options);
	return options.every_point || options.lru || options.seed || options.max_bytes;
}

/**
 * quire_submit_split - queue a submission in as many parts as it takes
 * @submit: the submission; its execution ring is locked, it has memory for its commands, it
 *          has its turn, and has waited for all that it has to wait for
 *
 * Others may have the turn between two parts; &quire_submit.in_turn says whether the submission
 * has it afterwards. quire_submit_unplan() is to follow.
 *
 * Returns: 0; -ENOSPC there is no room, as others are at work with what is in the way, or have
 * it locked, for longer than 15 seconds; -ENODATA an object is purged; -EBUSY others have pinned
 * one, or are at work with it as long; -ENOMEM, -EIO, -ENODEV; before anything was queued
 * -ERESTARTSYS.
 *
 * Source: "Splitting a DMA Buffer" of the original's documentation.
 */
int quire_submit_split(struct quire_submit *submit)
{
	/* As if nobody else had anything. */
	const u64 capacity[QUIRE_SPLIT_SEGMENTS] = {
		submit->qdev->vram_mgr->manager.size, submit->qdev->aperture_size,
	};
	struct submit_split ss = { .submit = submit };
	struct quire_split_options options;
	void *memory;
	int ret;

	memory = kvmalloc(quire_split_memory(&submit->list), GFP_KERNEL_ACCOUNT);
	if (!memory)
		return -ENOMEM;

	submit->patience = QUIRE_BUSY_TIMEOUT;
	quire_validation_begin_tries(&submit->validation);
	split_options(&options);
	quire_split_init(&ss.split, &split_ops, &submit->list, capacity, &options, memory);
	ret = quire_split_run(&ss.split);
	kvfree(memory);
	submit->bytes_out = ss.split.bytes_out;
	ret = ss.error ?: ret;
	return ret == -ENOSPC ? quire_submit_object_refuse_room(submit, submit->comes) : ret;
}

/* Objects of the aperture that the CPU maps through the aperture BAR have only that part of it. */
static int split_check_window(struct quire_submit *submit)
{
	const u64 capacity[QUIRE_SPLIT_SEGMENTS] = { U64_MAX, submit->qdev->window->size };
	struct quire_command_list list = submit->list;
	struct quire_command_object *objects;
	bool any = false;
	int ret;
	u32 i;

	for (i = 0; i < list.nr_objects; i++)
		any |= quire_window_is_for(submit->objects[i].bo) &&
		       list.objects[i].segment == QUIRE_SEGMENT_APERTURE;
	if (!any)
		return 0;
	objects = kvmalloc_array(list.nr_objects, sizeof(*objects), GFP_KERNEL_ACCOUNT);
	if (!objects)
		return -ENOMEM;
	for (i = 0; i < list.nr_objects; i++) {
		objects[i] = list.objects[i];
		if (!quire_window_is_for(submit->objects[i].bo))
			objects[i].size = 0;
	}
	list.objects = objects;
	ret = quire_split_check(&list, capacity, &submit->error);
	kvfree(objects);
	return ret;
}

/**
 * quire_submit_split_check - can it be executed in parts?
 * @submit: the submission, read
 * Returns: 0; -EFBIG an object alone does not fit; -EXFULL a table does not; @error of
 * @submit says which. -ENOMEM.
 */
int quire_submit_split_check(struct quire_submit *submit)
{
	const u64 capacity[QUIRE_SPLIT_SEGMENTS] = {
		submit->qdev->vram_mgr->manager.size, submit->qdev->aperture_size,
	};
	int ret;

	ret = quire_split_check(&submit->list, capacity, &submit->error) ?:
	      split_check_window(submit);
	if (ret && ret != -ENOMEM)
		return quire_submit_refuse(submit, ret);
	return ret;
}
