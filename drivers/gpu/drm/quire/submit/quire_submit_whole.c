// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Submissions that fit
 *
 * Most do: all objects are reserved together, brought to where commands can use them
 * (quire_validation.c), and the command buffer is one part. What does not fit even in the turn of
 * the submission is divided (quire_submit_split.c).
 */

#include <drm/drm_exec.h>

#include <quire/quire_hw.h>

#include "commands/quire_split.h"
#include "core/quire_device_types.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_vram_types.h"
#include "bo/quire_bo.h"
#include "bo/quire_window.h"
#include "quire_submit.h"
#include "quire_submit_object.h"

/**
 * quire_submit_may_fit - could a submission be one part, with no other clients?
 * @submit: the submission
 * Returns: false if its objects are too many bytes: objects that a try brings in would only be in
 * the way of the planner.
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

static int whole_place_object(struct quire_submit *submit, u32 index)
{
	const struct quire_submit_goal goal = { QUIRE_SPLIT_ANYWHERE };
	struct quire_bo *bo = submit->objects[index].bo;
	int ret;

	if (submit->validation.mode == QUIRE_VALIDATION_STAYS &&
	    quire_submit_object_must_move(submit, index))
		return -ENOSPC;
	if (quire_submit_object_must_wait(submit, index)) {
		submit->busy = index;
		/* There was no room without the turn: in parts it waits for all busy objects. */
		submit->validation.hopeless = submit->validation.mode == QUIRE_VALIDATION_ALONE;
		return submit->validation.hopeless ? -ENOSPC :
		       quire_validation_busy(&submit->validation, bo);
	}
	ret = quire_submit_object_place(submit, index, goal);
	if (!ret)
		ttm_bo_move_to_lru_tail_unlocked(&bo->base);
	return ret;
}

/**
 * quire_submit_whole - &quire_validation.try of a submission that may fit
 * @validation: of a submission, which is as quire_submit_part() wants it, but with nothing reserved
 *
 * Returns: 0, it is queued as one part; or an error, then nothing was queued: -ENOSPC or -ENOMEM it
 * does not fit, or other callers were faster, or there is no memory; -EBUSY &quire_submit.busy has
 * to move, and is in use; -ENODATA an object is purged; -EBUSY one is pinned elsewhere; -EINTR,
 * -ERESTARTSYS; -EIO, -ENODEV.
 */
int quire_submit_whole(struct quire_validation *validation)
{
	struct quire_submit *submit = container_of(validation, struct quire_submit, validation);
	const struct quire_submit_part part = {
		.end = submit->list.size,
		.nr_objects = submit->list.nr_objects,
	};
	struct drm_exec exec;
	int ret;
	u32 i;

	ret = quire_commands_check_context(&submit->commands);
	if (ret)
		return ret;
	CLASS(quire_device, device)(&submit->qdev->drm);
	if (device < 0)
		return device;
	guard(quire_plug)(&validation->batch);
	drm_exec_init(&exec, quire_submit_exec_flags(validation->ctx.base.interruptible),
		      part.nr_objects);
	/* TTM locks victims with the same ticket, so objects are placed before locking ends. */
	drm_exec_until_all_locked(&exec) {
		ret = 0;
		for (i = 0; i < part.nr_objects && !ret; i++)
			ret = drm_exec_lock_obj(&exec, &submit->objects[i].bo->base.base);
		drm_exec_retry_on_contention(&exec);
		for (i = 0; i < part.nr_objects && !ret; i++)
			ret = whole_place_object(submit, i);
		if (ret)
			break;
	}
	ret = ret ?: quire_submit_part(submit, &part);
	drm_exec_fini(&exec);
	return ret;
}
