// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Submissions that fit
 *
 * Most do: all objects are reserved together, brought to where commands can use them, and the
 * command buffer is one part. Others may be evicted for that, by TTM's own order: at the same time
 * as other callers do so, and if there is no room once more in the turn of the submission
 * (quire_turn.c). What does not fit even then is divided (quire_submit_split.c).
 *
 * Objects that others are at work with, and that have to move, are waited for with nothing
 * held.
 */

#include <drm/drm_exec.h>

#include <quire/quire_hw.h>

#include "core/quire_device_types.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_plug.h"
#include "queue/quire_vram_types.h"
#include "bo/quire_bo.h"
#include "bo/quire_window.h"
#include "quire_submit.h"
#include "quire_submit_object.h"

/**
 * struct whole - one try
 * @submit: the submission
 * @exec: locks of all objects
 * @moves: what may be brought to where commands can use it
 */
struct whole {
	struct quire_submit *submit;
	struct drm_exec exec;
	enum quire_submit_moves moves;
};

/* In its turn not in an attempt after one that a signal has ended. */
static bool is_interruptible(const struct whole *whole)
{
	return whole->moves != QUIRE_SUBMIT_MOVES_ALONE || whole->submit->interruptible;
}

static int whole_place_object(const struct whole *whole, u32 index)
{
	struct ttm_operation_ctx ctx = {
		.interruptible = is_interruptible(whole),
		.gfp_retry_mayfail = true,
	};
	struct quire_submit *submit = whole->submit;

	if (whole->moves == QUIRE_SUBMIT_STAYS && quire_submit_object_must_move(submit, index))
		return -ENOSPC;
	if (quire_submit_object_must_wait(submit, index)) {
		submit->busy = index;
		return -EAGAIN;
	}
	return quire_submit_object_place(submit, index, whole->moves == QUIRE_SUBMIT_MOVES_ALONE,
					 &ctx);
}

static int whole_place(struct whole *whole)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < whole->submit->list.nr_objects && !ret; i++)
		ret = whole_place_object(whole, i);
	return ret;
}

/* TTM locks victims with the same ticket, so it has to be before all locks are said to be taken. */
static int whole_lock_and_place(struct whole *whole)
{
	struct quire_submit *submit = whole->submit;
	int ret;
	u32 i;

	drm_exec_until_all_locked(&whole->exec) {
		ret = 0;
		for (i = 0; i < submit->list.nr_objects && !ret; i++)
			ret = drm_exec_lock_obj(&whole->exec, &submit->objects[i].bo->base.base);
		drm_exec_retry_on_contention(&whole->exec);
		ret = ret ?: whole_place(whole);
		if (ret)
			return ret;
	}
	return 0;
}

static int whole_queue(struct quire_submit *submit)
{
	const struct quire_submit_part part = {
		.end = submit->list.size,
		.nr_objects = submit->list.nr_objects,
	};

	return quire_submit_part(submit, &part);
}

static int whole_try(struct whole *whole)
{
	struct quire_submit *submit = whole->submit;
	struct quire_device *qdev = submit->qdev;
	bool plugged;
	int ret, idx;

	ret = quire_device_enter(&qdev->drm, &idx);
	if (ret)
		return ret;

	plugged = qdev->device_copies && quire_plug_begin(qdev->paging_queue);
	drm_exec_init(&whole->exec, quire_submit_exec_flags(is_interruptible(whole)),
		      submit->list.nr_objects);
	ret = whole_lock_and_place(whole) ?: whole_queue(submit);
	drm_exec_fini(&whole->exec);
	quire_plug_end(qdev->paging_queue, plugged);
	quire_device_exit(idx);
	/* TTM waits for the lock of a victim, and says what that says. */
	return ret == -EINTR ? -ERESTARTSYS : ret;
}

/**
 * quire_submit_may_fit - could a submission be one part, if nobody else had anything?
 * @submit: the submission
 *
 * Returns: false if its objects are too many bytes: what is brought in then would only be in the
 * way of the planner.
 */
bool quire_submit_may_fit(const struct quire_submit *submit)
{
	u64 vram = 0, aperture = 0, window = 0;
	u32 i;

	for (i = 0; i < submit->list.nr_objects; i++) {
		u64 size = submit->list.objects[i].size;

		if (submit->list.objects[i].segment == QUIRE_SEGMENT_VRAM) {
			vram += size;
			continue;
		}
		aperture += size;
		if (quire_window_is_for(submit->objects[i].bo))
			window += size;
	}
	return vram <= submit->qdev->vram_mgr->manager.size &&
	       aperture <= submit->qdev->aperture_size && window <= submit->qdev->window->size;
}

/**
 * quire_submit_whole - queue a submission as one part
 * @submit: the submission, which may fit; as quire_submit_part() wants it, but with nothing
 *          reserved
 * @moves: what may be brought to where commands can use it
 *
 * Returns: 0; -ENOSPC or -ENOMEM it does not fit, or others were faster, or there is no
 * memory; -EAGAIN others are at work with &quire_submit.busy, which has to move; -ENODATA an
 * object is purged; -EBUSY others have pinned one; -ERESTARTSYS a signal; -EIO, -ENODEV. Nothing
 * was queued then.
 */
int quire_submit_whole(struct quire_submit *submit, enum quire_submit_moves moves)
{
	struct whole whole = { .submit = submit, .moves = moves };

	return whole_try(&whole);
}
