// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Queries
 *
 * What programs can ask of the device. Every answer is an array of a structure that only grows at
 * its end; a program made for a shorter one gets the part it knows.
 */
#include <linux/nospec.h>

#include <drm/drm_file.h>
#include <uapi/drm/quire_drm.h>

#include "commands/quire_command_list.h"
#include "core/quire_array.h"
#include "core/quire_device_types.h"
#include "core/quire_file_types.h"
#include "core/quire_refuse.h"
#include "core/quire_regs.h"
#include "hw/quire_device_guard.h"
#include "bo/quire_bo.h"
#include "bo/quire_budget.h"
#include "bo/quire_range.h"
#include "bo/quire_segment.h"
#include "bo/quire_window.h"
#include "vm/quire_native.h"
#include "exec/quire_execution.h"
#include "quire_ioctl.h"

union query_answer {
	struct drm_quire_device_info device;
	struct drm_quire_segment_info segments[QUIRE_SEGMENT_COUNT];
	struct drm_quire_budget_info budgets[QUIRE_SEGMENT_COUNT];
};

/* The answer. Returns the number of its elements, or an error. */
static int query_device(struct quire_device *qdev, struct drm_file *file,
			union query_answer *answer)
{
	answer->device = (struct drm_quire_device_info) {
		.version = quire_read32(qdev->regs, QUIRE_REG_VERSION),
		.page_size = PAGE_SIZE,
		.max_bo_size = quire_bo_max_size(qdev),
		.caps = qdev->device_copies ? DRM_QUIRE_CAP_DEVICE_COPIES : 0,
		.swizzling_ranges = qdev->ranges->count,
		.swizzling_range_size = qdev->ranges->size,
		.aperture_window_size = qdev->window->size,
		.execution_rings = qdev->nr_executions,
		.slots = QUIRE_SLOTS,
		.max_commands = QUIRE_MAX_COMMANDS,
		.max_exec = qdev->max_submission,
		.max_file_fences = QUIRE_FILE_FENCES,
		.max_file_native_fences = QUIRE_FILE_NATIVE_FENCES,
	};
	return 1;
}

static int query_segments(struct quire_device *qdev, struct drm_file *file,
			  union query_answer *answer)
{
	u32 i;

	for (i = 0; i < QUIRE_SEGMENT_COUNT; i++)
		quire_segment_describe(qdev, i, &answer->segments[i]);
	return QUIRE_SEGMENT_COUNT;
}

static int query_budgets(struct quire_device *qdev, struct drm_file *file,
			 union query_answer *answer)
{
	return quire_budgets_describe(qdev, to_quire_file(file)->account, answer->budgets) ?:
	       QUIRE_SEGMENT_COUNT;
}

static const struct query_type {
	int (*ask)(struct quire_device *qdev, struct drm_file *file, union query_answer *answer);
	struct quire_array_type array;
} query_types[] = {
	[DRM_QUIRE_QUERY_DEVICE] = {
		.ask = query_device,
		.array = {
			.name = "query of the device",
			.size = sizeof(struct drm_quire_device_info),
			.min_stride = offsetofend(struct drm_quire_device_info, caps),
			.max_count = U32_MAX,
		},
	},
	[DRM_QUIRE_QUERY_SEGMENTS] = {
		.ask = query_segments,
		.array = {
			.name = "query of the segments",
			.size = sizeof(struct drm_quire_segment_info),
			.min_stride = offsetofend(struct drm_quire_segment_info, usage),
			.max_count = U32_MAX,
		},
	},
	[DRM_QUIRE_QUERY_BUDGETS] = {
		.ask = query_budgets,
		.array = {
			.name = "query of the budgets",
			.size = sizeof(struct drm_quire_budget_info),
			.min_stride = offsetofend(struct drm_quire_budget_info, to_trim),
			.max_count = U32_MAX,
		},
	},
};

static int query_check(struct drm_device *drm, const struct drm_quire_query *args,
		       const struct query_type *query)
{
	if (args->pad)
		return quire_refuse(drm, -EINVAL, "query: pad is %u", args->pad);
	if (!query)
		return quire_refuse(drm, -EINVAL, "query: no type %u", args->type);
	if (!args->answer.array)
		return 0;
	return quire_array_check(drm, &args->answer, &query->array);
}

static int query_ask(struct drm_device *drm, struct drm_file *file,
		     const struct query_type *query, union query_answer *answer)
{
	CLASS(quire_device, device)(drm);

	return device < 0 ? device : query->ask(to_quire_device(drm), file, answer);
}

/**
 * quire_query_ioctl - %DRM_IOCTL_QUIRE_QUERY
 * @drm: the device
 * @data: &struct drm_quire_query
 * @file: who asks
 *
 * The device is let go before the answer is written: a program's memory can take as long as it
 * likes, and unplug must not wait for it.
 *
 * Returns: 0, -EINVAL, -E2BIG, -EFAULT, -ENOMEM, -ENODEV, -EIO as the structure says.
 */
int quire_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_query *args = data;
	const struct query_type *query = NULL;
	union query_answer answer;
	int ret;

	if (args->type < ARRAY_SIZE(query_types))
		query = &query_types[array_index_nospec(args->type, ARRAY_SIZE(query_types))];
	ret = query_check(drm, args, query) ?: query_ask(drm, file, query, &answer);
	return ret < 0 ? ret :
	       quire_array_write(drm, &args->answer, &query->array, &answer, ret);
}
