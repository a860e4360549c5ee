/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BO_PUBLISH_H
#define QUIRE_BO_PUBLISH_H

#include <linux/bitfield.h>
#include <linux/types.h>

#include "quire_bo.h"

/* What is published: the instance of the segment, and above it the status. */
#define QUIRE_PUBLISHED_SEGMENT	GENMASK(7, 0)
#define QUIRE_PUBLISHED_STATUS	GENMASK(15, 8)
#define QUIRE_PUBLISHED_VIEW		BIT(16) /* with pages of a view, beside its place in VRAM */

/* Instance of the segment where an object is, or was before it moved; nothing is held. */
static inline u32 quire_bo_published_segment(const struct quire_bo *bo)
{
	return FIELD_GET(QUIRE_PUBLISHED_SEGMENT, READ_ONCE(bo->published));
}

void quire_bo_publish(struct quire_bo *bo);
u32 quire_bo_published(struct quire_bo *bo);

#endif
