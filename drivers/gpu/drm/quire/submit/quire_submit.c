// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Submissions
 *
 * %DRM_IOCTL_QUIRE_SUBMIT reads and checks the submission, then brings the objects to where
 * commands can use them (quire_validation.c), all together, and queues the commands as one part.
 * What does not fit even in the turn of the submission is divided (quire_submit_split.c).
 *
 * Submissions that fit come to the ring side by side. One that does not has the ring for itself
 * until its last part is queued, so that no other work comes between two parts. Dependencies could
 * not keep others away: a fence that is made must not wait for a part that is yet to be queued, for
 * which memory and places are still needed. So later callers wait before they have fences; foreign
 * fences are waited for before. Before the first part is queued any signal ends the call, later
 * only a fatal one.
 *
 * Locking: &quire_execution.gate, the turn, then reservations.
 */
#include <uapi/drm/quire_drm.h>

#include <quire/quire_hw.h>

#include "core/quire_device_types.h"
#include "core/quire_options.h"
#include "core/quire_refuse.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_vram_types.h"
#include "bo/quire_bo.h"
#include "bo/quire_window.h"
#include "exec/quire_context.h"
#include "quire_submit.h"

/* If its objects are too many bytes, those that a try brings in are in the way of the planner. */
static bool submit_may_fit(const struct quire_submit *submit)
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

static int whole_place(struct quire_submit *submit, u32 index)
{
	struct quire_validation *validation = &submit->validation;
	struct quire_bo *bo = submit->objects[index].bo;
	int ret;

	if (quire_submit_object_must_move(submit, index)) {
		if (validation->mode == QUIRE_VALIDATION_STAYS)
			return -ENOSPC;
		if (quire_bo_has_others(bo)) {
			submit->busy = index;
			/* It had no room without the turn: in parts it waits for busy objects. */
			validation->hopeless = validation->mode == QUIRE_VALIDATION_ALONE;
			return validation->hopeless ? -ENOSPC :
			       quire_validation_busy(validation, bo);
		}
	}
	ret = quire_submit_object_place(submit, index, QUIRE_SPLIT_ANYWHERE, false);
	if (!ret)
		ttm_bo_move_to_lru_tail_unlocked(&bo->base);
	return ret;
}

/* A try. After an error nothing was queued; -ENOSPC, -ENOMEM also if others were faster. */
static int submit_whole(struct quire_validation *validation)
{
	struct quire_submit *submit = container_of(validation, struct quire_submit, validation);
	const struct quire_split_part part = {
		.end = submit->list.size,
		.nr_objects = submit->list.nr_objects,
	};
	int ret = quire_commands_check_context(&submit->commands);

	if (ret)
		return ret;
	CLASS(quire_device, device)(&submit->qdev->drm);
	if (device < 0)
		return device;
	guard(quire_plug)(&validation->batch);
	return quire_submit_part(submit, &part, validation->ctx.base.interruptible, whole_place);
}

/* It first waits for all its fences, when other callers may queue. */
static int submit_in_parts(struct quire_submit *submit)
{
	struct quire_execution *execution = submit->commands.execution;
	int ret;

	submit->commands.splits = true;
	ret = quire_submit_wait_before(submit) ?: quire_gate_enter_alone(&execution->gate);
	if (ret)
		return ret;
	ret = quire_commands_check_context(&submit->commands) ?:
	      quire_validation_begin_turn(&submit->validation);
	if (!ret) {
		submit->in_turn = true;
		ret = quire_submit_split(submit);
		if (submit->in_turn)
			quire_validation_end_turn(&submit->validation, ret);
	}
	quire_gate_leave_alone(&execution->gate);
	/* The program can not tell what of it was executed: nothing may build on it. */
	if (ret && submit->commands.parts)
		quire_context_blame(submit->commands.context, &(struct quire_context_end) {
			.status = DRM_QUIRE_CONTEXT_INCOMPLETE,
			.submission = submit->commands.submission,
			.part = submit->commands.parts,
			.ring = execution->index,
		});
	return ret;
}

/* One that fits is not to be divided because other callers were faster. */
static int submit_queue(struct quire_commands *commands)
{
	struct quire_submit *submit = container_of(commands, struct quire_submit, commands);
	struct quire_validation *validation = &submit->validation;
	struct quire_split_options *options = &submit->options;
	int ret = -ENOSPC;

	*options = (struct quire_split_options) {
		.every_point = READ_ONCE(quire_options.split_every_point),
		.lru = READ_ONCE(quire_options.split_lru),
		.seed = READ_ONCE(quire_options.split_seed),
		.max_bytes = READ_ONCE(quire_options.split_max_bytes),
	};
	validation->qdev = submit->qdev;
	validation->batch.queue = submit->qdev->paging_queue;
	validation->batch.usage = commands->context->usage;
	validation->position = &commands->context->position;
	validation->try = submit_whole;
	validation->gate = &commands->execution->gate;
	validation->divides = true;
	if (!options->every_point && !options->lru && !options->seed && !options->max_bytes &&
	    submit_may_fit(submit))
		ret = quire_validation_run(validation);
	if (ret == -EBUSY && validation->busy)
		ret = quire_submit_refuse_object(submit, submit->busy, ret,
						 "others are at work with it");
	if (ret == -ENOSPC)
		ret = submit_in_parts(submit);
	quire_validation_forget(validation);
	return ret;
}

/**
 * quire_submit_ioctl - %DRM_IOCTL_QUIRE_SUBMIT
 * @drm: the device
 * @data: &struct drm_quire_submit
 * @file: the calling file
 * Returns: 0, or an error as documented there.
 * Source: DXGKDDI_RENDER, DXGKDDI_PATCH, DXGKDDI_SUBMITCOMMAND.
 */
int quire_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_submit *args = data;
	struct quire_submit submit = {
		.commands.ops = &quire_submit_ops,
		.commands.name = "submit",
		.commands.qdev = to_quire_device(drm),
		.commands.syncs.refused = QUIRE_SYNCS_NONE,
		.qdev = to_quire_device(drm),
	};
	struct quire_commands *commands = &submit.commands;
	int ret;

	if (args->flags || args->pad || args->pad2)
		ret = quire_refuse(drm, -EINVAL, "submit: flags %#x, pads %u and %u",
				   args->flags, args->pad, args->pad2);
	else
		ret = quire_commands_begin(commands, file, args->context, args->ring,
					   &args->syncs) ?:
		      quire_submit_read(&submit, file, args) ?:
		      quire_commands_execute(commands, file, submit.list.size, submit_queue);
	/* An error of a syncobj is none of the commands. */
	if (ret && commands->syncs.refused != QUIRE_SYNCS_NONE)
		submit.error = (struct quire_command_error) {
			.where = DRM_QUIRE_REFUSAL_SYNCS,
			.entry = commands->syncs.refused,
		};
	args->submission = commands->submission;
	args->parts = commands->parts;
	args->bytes_in = submit.bytes_in;
	args->bytes_out = submit.bytes_out;
	args->refused_where = submit.error.where;
	args->refused_entry = submit.error.entry;
	args->refused_offset = submit.error.offset;

	quire_submit_free(&submit);
	quire_commands_end(commands);
	return ret;
}
