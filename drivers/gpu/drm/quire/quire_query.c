// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Queries
 *
 * What programs can ask of the device. An answer is a structure, or an array
 * of one, that only grows at its end; a program made for a shorter one gets
 * the part it knows.
 */
#include <linux/mm.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>
#include <drm/ttm/ttm_resource.h>
#include <uapi/drm/quire_drm.h>

#include "quire_bo.h"
#include "quire_device.h"
#include "quire_ioctl.h"
#include "quire_regs.h"

/* Hands at most @args->size bytes of the answer out. */
static int query_answer(struct drm_quire_query *args, const void *answer, u32 size)
{
	u32 bytes = min(args->size, size);

	if (!args->pointer) {
		args->size = size;
		return 0;
	}
	if (copy_to_user(u64_to_user_ptr(args->pointer), answer, bytes))
		return -EFAULT;
	args->size = bytes;
	return 0;
}

static int query_device(struct quire_device *qdev, struct drm_quire_query *args)
{
	const struct drm_quire_device_info info = {
		.version = quire_read32(qdev->regs, QUIRE_REG_VERSION),
		.page_size = PAGE_SIZE,
		.max_bo_size = quire_bo_max_size(qdev),
		.caps = qdev->device_copies ? DRM_QUIRE_CAP_DEVICE_COPIES : 0,
	};

	return query_answer(args, &info, sizeof(info));
}

static u64 segment_usage(struct quire_device *qdev, u32 mem_type)
{
	return ttm_resource_manager_usage(ttm_manager_type(&qdev->ttm, mem_type));
}

static int query_segments(struct quire_device *qdev, struct drm_quire_query *args)
{
	const struct drm_quire_segment_info info[] = {
		{
			.id = DRM_QUIRE_SEGMENT_SYSTEM,
			.usage = segment_usage(qdev, QUIRE_PL_SYSTEM),
		},
		{
			.id = DRM_QUIRE_SEGMENT_VRAM,
			.size = qdev->vram_mgr.manager.size,
			.visible_size = qdev->vram_visible,
			.usage = segment_usage(qdev, QUIRE_PL_VRAM),
		},
		{
			.id = DRM_QUIRE_SEGMENT_APERTURE,
			.size = qdev->aperture_size,
			.visible_size = qdev->aperture_size,
			.usage = segment_usage(qdev, QUIRE_PL_APERTURE),
		},
	};

	return query_answer(args, info, sizeof(info));
}

/**
 * quire_query_ioctl - %DRM_IOCTL_QUIRE_QUERY
 * @drm: the device
 * @data: &struct drm_quire_query
 * @file: who asks
 *
 * Returns: 0, -EINVAL, -EFAULT, -ENODEV, -EIO as the structure says.
 */
int quire_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct quire_device *qdev = to_quire_device(drm);
	struct drm_quire_query *args = data;
	int ret, idx;

	if (args->pad || args->type > DRM_QUIRE_QUERY_SEGMENTS)
		return -EINVAL;
	ret = quire_ioctl_enter(drm, &idx);
	if (ret)
		return ret;

	if (args->type == DRM_QUIRE_QUERY_DEVICE)
		ret = query_device(qdev, args);
	else
		ret = query_segments(qdev, args);

	quire_ioctl_exit(idx);
	return ret;
}
