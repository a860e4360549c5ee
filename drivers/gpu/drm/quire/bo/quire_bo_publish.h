/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BO_PUBLISH_H
#define QUIRE_BO_PUBLISH_H

#include <linux/bits.h>
#include <linux/types.h>

struct quire_bo;

/* What is published: the instance of the segment, and above it the status. */
#define QUIRE_PUBLISHED_SEGMENT	GENMASK(7, 0)
#define QUIRE_PUBLISHED_STATUS	GENMASK(15, 8)
#define QUIRE_PUBLISHED_VIEW		BIT(16) /* with pages of a view, beside its place in VRAM */

void quire_bo_publish(struct quire_bo *bo);
u32 quire_bo_published_segment(const struct quire_bo *bo);
u32 quire_bo_published(struct quire_bo *bo);

#endif
