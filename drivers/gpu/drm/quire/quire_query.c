// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Queries
 *
 * What programs can ask of the device. Every answer is an array of a structure
 * that only grows at its end; a program made for a shorter one gets the part
 * it knows.
 */
#include <linux/array_size.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/stddef.h>

#include <drm/drm_file.h>
#include <uapi/drm/quire_drm.h>

#include "quire_array.h"
#include "quire_bo.h"
#include "quire_device.h"
#include "quire_ioctl.h"
#include "quire_refuse.h"
#include "quire_regs.h"
#include "quire_segment.h"

static const struct quire_array_type query_types[] = {
	[DRM_QUIRE_QUERY_DEVICE] = {
		.name = "query of the device",
		.size = sizeof(struct drm_quire_device_info),
		.min_stride = offsetofend(struct drm_quire_device_info, caps),
		.max_count = U32_MAX,
	},
	[DRM_QUIRE_QUERY_SEGMENTS] = {
		.name = "query of the segments",
		.size = sizeof(struct drm_quire_segment_info),
		.min_stride = offsetofend(struct drm_quire_segment_info, usage),
		.max_count = U32_MAX,
	},
};

static int query_device(struct quire_device *qdev, struct drm_quire_array *answer)
{
	const struct drm_quire_device_info info = {
		.version = quire_read32(qdev->regs, QUIRE_REG_VERSION),
		.page_size = PAGE_SIZE,
		.max_bo_size = quire_bo_max_size(qdev),
		.caps = qdev->device_copies ? DRM_QUIRE_CAP_DEVICE_COPIES : 0,
	};

	return quire_array_write(&qdev->drm, answer, &query_types[DRM_QUIRE_QUERY_DEVICE],
				 &info, 1);
}

static int query_segments(struct quire_device *qdev, struct drm_quire_array *answer)
{
	struct drm_quire_segment_info infos[QUIRE_SEGMENT_COUNT];
	u32 i;

	for (i = 0; i < QUIRE_SEGMENT_COUNT; i++)
		quire_segment_describe(qdev, i, &infos[i]);
	return quire_array_write(&qdev->drm, answer, &query_types[DRM_QUIRE_QUERY_SEGMENTS],
				 infos, QUIRE_SEGMENT_COUNT);
}

static int (* const query_funcs[])(struct quire_device *qdev, struct drm_quire_array *answer) = {
	[DRM_QUIRE_QUERY_DEVICE] = query_device,
	[DRM_QUIRE_QUERY_SEGMENTS] = query_segments,
};

static int query_check(struct drm_device *drm, const struct drm_quire_query *args)
{
	if (args->pad)
		return quire_refuse(drm, -EINVAL, "query: pad is %u", args->pad);
	if (args->type >= ARRAY_SIZE(query_funcs))
		return quire_refuse(drm, -EINVAL, "query: no type %u", args->type);
	if (!args->answer.array)
		return 0;
	return quire_array_check(drm, &args->answer, &query_types[args->type]);
}

/**
 * quire_query_ioctl - %DRM_IOCTL_QUIRE_QUERY
 * @drm: the device
 * @data: &struct drm_quire_query
 * @file: who asks
 *
 * Returns: 0, -EINVAL, -E2BIG, -EFAULT, -ENODEV, -EIO as the structure says.
 */
int quire_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_query *args = data;
	int ret, idx;
	u32 type;

	ret = query_check(drm, args) ?: quire_ioctl_enter(drm, &idx);
	if (ret)
		return ret;

	type = array_index_nospec(args->type, ARRAY_SIZE(query_funcs));
	ret = query_funcs[type](to_quire_device(drm), &args->answer);
	quire_ioctl_exit(idx);
	return ret;
}
