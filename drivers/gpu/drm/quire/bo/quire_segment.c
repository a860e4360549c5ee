// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Segments
 *
 * Programs name a segment by its instance, which is its number on the device (QUIRE_SEGMENT_*), TTM
 * by its memory type. Instances are unique whatever the class: a set of segments is a mask.
 */
#include <linux/nospec.h>

#include <uapi/drm/quire_drm.h>

#include "core/quire_device_types.h"
#include "core/quire_placement.h"
#include "queue/quire_vram_types.h"
#include "quire_segment.h"

static const struct quire_segment segments[QUIRE_SEGMENT_COUNT] = {
	[QUIRE_SEGMENT_SYSTEM] = { DRM_QUIRE_SEGMENT_SYSTEM, QUIRE_PL_SYSTEM, "system" },
	[QUIRE_SEGMENT_VRAM] = { DRM_QUIRE_SEGMENT_VRAM, QUIRE_PL_VRAM, "vram" },
	[QUIRE_SEGMENT_APERTURE] = { DRM_QUIRE_SEGMENT_APERTURE, QUIRE_PL_APERTURE, "aperture" },
};

/**
 * quire_segment_find - find a segment
 * @instance: from a program, may be anything
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
 * @mem_type: QUIRE_PL_*
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
	u64 usage;

	*info = (struct drm_quire_segment_info) {
		.instance = instance,
		.segment_class = segment->segment_class,
		.min_page_size = PAGE_SIZE,
	};
	if (instance == QUIRE_SEGMENT_VRAM) {
		info->size = qdev->vram_mgr->manager.size;
		info->visible_size = qdev->vram_visible;
	} else if (instance == QUIRE_SEGMENT_APERTURE) {
		info->size = qdev->aperture_size;
		info->visible_size = qdev->aperture_size;
	}
	usage = ttm_resource_manager_usage(ttm_manager_type(&qdev->ttm, segment->mem_type));
	/* TTM counts a place while it looks for it, also above the size. */
	info->usage = info->size ? min(usage, info->size) : usage;
}
