// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Submissions
 *
 * %DRM_IOCTL_QUIRE_SUBMIT reads and checks the submission (quire_submit_read.c), then, with the
 * lock of the execution ring, brings the objects to where commands can use them and queues the
 * commands: as a whole if they fit (quire_submit_whole.c), else in parts (quire_submit_split.c).
 *
 * Foreign fences are never waited for with the lock of the ring or in the turn, as all later
 * callers would wait, too: a try that meets some gives both up, waits, and begins anew. Only a
 * submission of which a part is queued can not do that.
 *
 * Fences are made when all that they wait for is queued: a waiter waits for the device alone, not
 * for memory or locks. So the call lasts until the last part is queued. Before the first part is
 * queued any signal ends it, later only a fatal one.
 *
 * Locking: &quire_execution.lock, then reservations.
 */
#include <uapi/drm/quire_drm.h>

#include "core/quire_device_types.h"
#include "core/quire_refuse.h"
#include "hw/quire_device_guard.h"
#include "exec/quire_command_job.h"
#include "exec/quire_context.h"
#include "exec/quire_execution.h"
#include "quire_submit.h"
#include "quire_submit_object.h"
#include "quire_submit_paging.h"

/**
 * quire_submit_check_context - may commands of its context be queued yet?
 * @submit: the submission; its ring is locked
 *
 * Returns: 0, or the error of a context that has ended.
 */
int quire_submit_check_context(const struct quire_submit *submit)
{
	int ret = quire_context_error(submit->context);

	if (ret)
		return quire_refuse(&submit->qdev->drm, ret, "submit: the context has ended");
	return 0;
}

static int submit_in_turn(struct quire_submit *submit)
{
	int ret;

	ret = quire_submit_check_context(submit) ?:
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

/* It first waits for all its fences, without the lock. */
static int submit_in_parts(struct quire_submit *submit)
{
	struct quire_execution *execution = submit->execution;
	int ret;

	submit->splits = true;
	ret = quire_submit_wait_before(submit);
	if (ret)
		return ret;
	if (mutex_lock_interruptible(&execution->lock))
		return -ERESTARTSYS;
	ret = submit_in_turn(submit);
	mutex_unlock(&execution->lock);
	/* The program can not tell what of it was executed: nothing may build on it. */
	if (ret && submit->parts)
		quire_context_blame(submit->context, &(struct quire_context_end) {
			.status = DRM_QUIRE_CONTEXT_INCOMPLETE,
			.submission = submit->submission,
			.part = submit->parts,
			.ring = execution->index,
		});
	return ret;
}

/* One that fits is not to be divided because other callers were faster. */
static int submit_until_queued(struct quire_submit *submit)
{
	struct quire_validation *validation = &submit->validation;
	int ret = -ENOSPC;

	validation->qdev = submit->qdev;
	validation->position = &submit->context->position;
	validation->try = quire_submit_whole;
	validation->lock = &submit->execution->lock;
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

/* With memory for the commands; their jobs keep it. */
static int submit_with_memory(struct quire_submit *submit)
{
	int ret;

	submit->memory = quire_command_memory_create(submit->context, submit->execution->index,
						     submit->list.size);
	if (IS_ERR(submit->memory))
		return PTR_ERR(submit->memory);
	ret = submit_until_queued(submit);
	quire_command_memory_put(submit->memory);
	return ret;
}

static int submit_read_all(struct quire_submit *submit, struct drm_file *file,
			   struct drm_quire_submit *args)
{
	struct drm_device *drm = &submit->qdev->drm;
	int ret, idx;

	submit->execution = &submit->qdev->executions[args->ring];
	ret = quire_device_enter(drm, &idx);
	if (ret)
		return ret;
	quire_device_exit(idx);

	submit->context = quire_context_lookup(file, args->context);
	if (!submit->context)
		return quire_refuse(drm, -ENOENT, "submit: no context %u", args->context);
	if (submit->context->vm)
		return quire_refuse(drm, -EINVAL, "submit: context %u has a VM", args->context);
	return quire_submit_read(submit, file, args) ?: quire_submit_split_check(submit) ?:
	       quire_syncs_lookup(&submit->syncs, drm, file);
}

static int submit_with_syncs(struct quire_submit *submit, struct drm_file *file,
			     struct drm_quire_submit *args)
{
	int ret;

	ret = quire_syncs_init(&submit->syncs, &submit->qdev->drm, &args->syncs,
			       DRM_QUIRE_SYNC_SIGNAL | DRM_QUIRE_SYNC_WAIT);
	if (!ret) {
		ret = submit_read_all(submit, file, args) ?: submit_with_memory(submit);
		if (!ret)
			quire_syncs_signal(&submit->syncs, dma_fence_get(submit->fence));
		quire_syncs_fini(&submit->syncs);
	}
	/* An error of a syncobj is none of the commands. */
	if (ret && submit->syncs.refused != QUIRE_SYNCS_NONE)
		submit->error = (struct quire_command_error) {
			.where = DRM_QUIRE_REFUSAL_SYNCS,
			.entry = submit->syncs.refused,
		};
	return ret;
}

/**
 * quire_submit_ioctl - %DRM_IOCTL_QUIRE_SUBMIT
 * @drm: the device
 * @data: &struct drm_quire_submit
 * @file: who asks
 *
 * Returns: 0, or an error as documented there.
 *
 * Source: DXGKDDI_RENDER, DXGKDDI_PATCH, DXGKDDI_SUBMITCOMMAND.
 */
int quire_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_submit *args = data;
	struct quire_submit submit = { .qdev = to_quire_device(drm) };
	int ret;

	if (args->flags || args->pad || args->pad2)
		ret = quire_refuse(drm, -EINVAL, "submit: flags %#x, pads %u and %u",
				   args->flags, args->pad, args->pad2);
	else if (args->ring >= submit.qdev->nr_executions)
		ret = quire_refuse(drm, -EINVAL, "submit: no ring %u", args->ring);
	else
		ret = submit_with_syncs(&submit, file, args);
	args->submission = submit.submission;
	args->parts = submit.parts;
	args->bytes_in = submit.bytes_in;
	args->bytes_out = submit.bytes_out;
	args->refused_where = submit.error.where;
	args->refused_entry = submit.error.entry;
	args->refused_offset = submit.error.offset;

	quire_submit_free(&submit);
	if (submit.context)
		quire_context_put(submit.context);
	dma_fence_put(submit.finished);
	dma_fence_put(submit.fence);
	return ret;
}
