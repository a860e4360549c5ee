// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Submissions
 *
 * %DRM_IOCTL_QUIRE_SUBMIT reads and checks the submission (quire_submit_read.c), then brings the
 * objects to where commands can use them and queues the commands: as a whole if they fit
 * (quire_submit_whole.c), else in parts (quire_submit_split.c).
 *
 * Submissions that fit come to the ring side by side. One that does not has the ring for itself
 * until its last part is queued, so that no other work comes between two parts. Dependencies could
 * not keep others away: a fence that is made must not wait for a part that is yet to be queued, for
 * which memory and places are still needed. So a call in parts lasts until the last one is queued,
 * and later callers wait before they have fences. Foreign fences are waited for before.
 *
 * Before the first part is queued any signal ends the call, later only a fatal one.
 *
 * Locking: &quire_execution.gate, the turn, then reservations.
 */
#include <uapi/drm/quire_drm.h>

#include "core/quire_device_types.h"
#include "core/quire_refuse.h"
#include "hw/quire_device_guard.h"
#include "exec/quire_commands.h"
#include "exec/quire_context.h"
#include "exec/quire_execution.h"
#include "quire_submit.h"
#include "quire_submit_object.h"
#include "quire_submit_paging.h"

static int submit_in_turn(struct quire_submit *submit)
{
	int ret;

	ret = quire_commands_check_context(&submit->commands) ?:
	      quire_validation_begin_turn(&submit->validation);
	if (ret)
		return ret;
	submit->in_turn = true;
	ret = quire_submit_claim(submit) ?: quire_submit_split(submit);
	quire_submit_unclaim(submit);
	quire_submit_unplan(submit);
	if (submit->in_turn)
		quire_validation_end_turn(&submit->validation, ret);
	return ret;
}

/* It first waits for all its fences, when other callers may queue. */
static int submit_in_parts(struct quire_submit *submit)
{
	struct quire_execution *execution = submit->commands.execution;
	int ret;

	submit->commands.splits = true;
	ret = quire_submit_wait_before(submit);
	if (ret)
		return ret;
	ret = quire_gate_enter_alone(&execution->gate);
	if (ret)
		return ret;
	ret = submit_in_turn(submit);
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
	int ret = -ENOSPC;

	validation->qdev = submit->qdev;
	validation->batch.queue = submit->qdev->paging_queue;
	validation->batch.usage = commands->context->usage;
	validation->position = &commands->context->position;
	validation->try = quire_submit_whole;
	validation->gate = &commands->execution->gate;
	validation->divides = true;
	if (!quire_submit_split_is_forced() && quire_submit_may_fit(submit))
		ret = quire_validation_run(validation);
	if (ret == -EBUSY && validation->busy)
		ret = quire_submit_object_refuse(submit, submit->busy, ret,
						 "others are at work with it");
	if (ret == -ENOSPC)
		ret = submit_in_parts(submit);
	quire_validation_forget(validation);
	return ret;
}

static int submit_read_all(struct quire_submit *submit, struct drm_file *file,
			   const struct drm_quire_submit *args)
{
	int ret = quire_submit_read(submit, file, args) ?: quire_submit_split_check(submit);

	submit->commands.packets = submit->list.commands;
	return ret;
}

/**
 * quire_submit_ioctl - %DRM_IOCTL_QUIRE_SUBMIT
 * @drm: the device
 * @data: &struct drm_quire_submit
 * @file: the calling file
 *
 * Returns: 0, or an error as documented there.
 *
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
		      submit_read_all(&submit, file, args) ?:
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
