// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Segments
 *
 * Programs name a segment by its instance, TTM by its memory type, the device
 * by its segment number (QUIRE_SEGMENT_*). Instances are the numbers of the
 * device: unique whatever the class, so that a set of segments is a mask, as
 * the segment sets of the original are (DXGK_ALLOCATIONINFO).
 */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/nospec.h>

#include <drm/ttm/ttm_resource.h>
#include <uapi/drm/quire_drm.h>

#include <quire/quire_hw.h>

#include "core/quire_device_types.h"
#include "core/quire_placement.h"
#include "queue/quire_vram_types.h"
#include "quire_segment.h"

static const struct quire_segment segments[QUIRE_SEGMENT_COUNT] = {
	[QUIRE_SEGMENT_SYSTEM] = {
		.segment_class = DRM_QUIRE_SEGMENT_SYSTEM,
		.mem_type = QUIRE_PL_SYSTEM,
		.name = "system",
	},
	[QUIRE_SEGMENT_VRAM] = {
		.segment_class = DRM_QUIRE_SEGMENT_VRAM,
		.mem_type = QUIRE_PL_VRAM,
		.name = "vram",
	},
	[QUIRE_SEGMENT_APERTURE] = {
		.segment_class = DRM_QUIRE_SEGMENT_APERTURE,
		.mem_type = QUIRE_PL_APERTURE,
		.name = "aperture",
	},
};

/**
 * quire_segment_find - what is known of an instance
 * @instance: as a program says it, may be anything
 *
 * Returns: the segment; NULL if there is none.
 */
const struct quire_segment *quire_segment_find(u32 instance)
{
	if (instance >= QUIRE_SEGMENT_COUNT)
		return NULL;
	return &segments[array_index_nospec(instance, QUIRE_SEGMENT_COUNT)];
}

/**
 * quire_segment_instance - name of a memory type for programs
 * @mem_type: QUIRE_PL_*; another one is a mistake of the driver
 *
 * Returns: the instance.
 */
u32 quire_segment_instance(u32 mem_type)
{
	u32 i;

	for (i = 0; i < QUIRE_SEGMENT_COUNT; i++)
		if (segments[i].mem_type == mem_type)
			return i;
	WARN_ON_ONCE(1);
	return QUIRE_SEGMENT_SYSTEM;
}

/*
 * TTM counts a place while it looks for it: what is above the size is not there, and
 * will not be.
 */
static u64 segment_usage(struct quire_device *qdev, u32 mem_type, u64 size)
{
	u64 usage = ttm_resource_manager_usage(ttm_manager_type(&qdev->ttm, mem_type));

	return size ? min(usage, size) : usage;
}

/**
 * quire_segment_describe - tell a program about a segment
 * @qdev: the device; it may be unplugged
 * @instance: below QUIRE_SEGMENT_COUNT
 * @info: to fill
 */
void quire_segment_describe(struct quire_device *qdev, u32 instance,
			    struct drm_quire_segment_info *info)
{
	const struct quire_segment *segment = &segments[instance];

	*info = (struct drm_quire_segment_info) {
		.instance = instance,
		.segment_class = segment->segment_class,
		.min_page_size = PAGE_SIZE,
	};
	switch (segment->mem_type) {
	case QUIRE_PL_VRAM:
		info->size = qdev->vram_mgr->manager.size;
		info->visible_size = qdev->vram_visible;
		break;
	case QUIRE_PL_APERTURE:
		info->size = qdev->aperture_size;
		info->visible_size = qdev->aperture_size;
		break;
	}
	info->usage = segment_usage(qdev, segment->mem_type, info->size);
}
