/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_SEGMENT_H
#define QUIRE_SEGMENT_H

#include <linux/bits.h>
#include <linux/types.h>

#include <quire/quire_hw.h>

struct drm_quire_segment_info;
struct quire_device;

/* Instances are below it. */
#define QUIRE_SEGMENT_COUNT	(QUIRE_SEGMENT_APERTURE + 1)

/* The set of all segments. */
#define QUIRE_SEGMENT_ALL	GENMASK(QUIRE_SEGMENT_COUNT - 1, 0)

/**
 * struct quire_segment - how programs and TTM call a segment
 * @segment_class: enum drm_quire_segment_class
 * @mem_type: QUIRE_PL_*
 * @name: for messages and statistics
 */
struct quire_segment {
	u32 segment_class;
	u32 mem_type;
	const char *name;
};

const struct quire_segment *quire_segment_find(u32 instance);
u32 quire_segment_instance(u32 mem_type);
void quire_segment_describe(struct quire_device *qdev, u32 instance,
			    struct drm_quire_segment_info *info);

#endif
