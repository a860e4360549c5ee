// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>

#include "libquire_private.h"
#include "quire_client.h"

static uint32_t add_syncs(struct drm_quire_sync *syncs, uint32_t flags,
			  const struct quire_fence_point *points, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		syncs[i] = (struct drm_quire_sync){
			.handle = points[i].fence->syncobj,
			.flags = flags,
			.point = points[i].point,
		};
	return count;
}

/**
 * libquire_make_syncs - fences, as the driver wants them
 * @submission: whose they are
 * @syncs: to fill
 *
 * Returns how many there are, or -E2BIG.
 */
int libquire_make_syncs(const struct quire_submission *submission,
			struct drm_quire_sync syncs[DRM_QUIRE_MAX_SYNCS])
{
	uint32_t count;

	if (submission->nr_waits > DRM_QUIRE_MAX_SYNCS ||
	    submission->nr_signals > DRM_QUIRE_MAX_SYNCS - submission->nr_waits)
		return -E2BIG;
	count = add_syncs(syncs, DRM_QUIRE_SYNC_WAIT, submission->waits, submission->nr_waits);
	return count + add_syncs(syncs + count, DRM_QUIRE_SYNC_SIGNAL, submission->signals,
				 submission->nr_signals);
}

static struct quire_result result_of(const struct drm_quire_submit *submit)
{
	return (struct quire_result){
		.submission = submit->submission,
		.parts = submit->parts,
		.bytes_in = submit->bytes_in,
		.bytes_out = submit->bytes_out,
		.refused_where = submit->refused_where,
		.refused_entry = submit->refused_entry,
		.refused_offset = submit->refused_offset,
	};
}

int quire_submit(struct quire_context *context, const struct quire_lists *lists,
		 const struct quire_submission *submission, struct quire_result *result)
{
	static const struct quire_submission usual = { 0 };
	const struct quire_submission *how = submission ? submission : &usual;
	struct drm_quire_sync syncs[DRM_QUIRE_MAX_SYNCS];
	int count = libquire_make_syncs(how, syncs);
	struct drm_quire_submit submit = {
		.context = context->id,
		.ring = how->ring,
		.commands = (uintptr_t)lists->commands,
		.commands_size = lists->commands_size,
		.allocations = DRM_QUIRE_ARRAY(lists->nr_allocations, lists->allocations),
		.patches = DRM_QUIRE_ARRAY(lists->nr_patches, lists->patches),
		.syncs = DRM_QUIRE_ARRAY(count, syncs),
	};
	int ret = count < 0 ? count :
			      quire_ioctl(context->device->fd, DRM_IOCTL_QUIRE_SUBMIT, &submit);

	if (!result)
		return ret;
	*result = result_of(&submit);
	if (ret)
		libquire_explain(lists, ret, result);
	return ret;
}
