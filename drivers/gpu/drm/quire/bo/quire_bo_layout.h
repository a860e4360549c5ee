/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BO_LAYOUT_H
#define QUIRE_BO_LAYOUT_H

#include <linux/types.h>

#include <quire/quire_layout.h>

#include "quire_bo.h"

/* An image that has tiles in VRAM. */
static inline bool quire_bo_is_tiled(const struct quire_bo *bo)
{
	return quire_layout_tiled(&bo->allocation.layout);
}

/*
 * Its tiles have bytes that are not of the image, which a conversion leaves as they were. Without,
 * both forms have the same size.
 */
static inline bool quire_bo_pads_tiles(const struct quire_bo *bo)
{
	return quire_bo_is_tiled(bo) && bo->allocation.pitch_aligned_size !=
	       quire_layout_linear_size(&bo->allocation.layout);
}

/*
 * In VRAM and reserved, does it leave that without a conversion? Not if programs or importers may
 * see its pages, or they can not hold its tiles.
 */
static inline bool quire_bo_leaves_swizzled(const struct quire_bo *bo)
{
	return quire_bo_is_tiled(bo) && !quire_bo_pads_tiles(bo) &&
	       !atomic_read(&bo->mappings) && !quire_bo_is_shared(bo);
}

void quire_bo_clear_rest(struct quire_bo *bo);
int quire_bo_unswizzle(struct quire_bo *bo, bool interruptible);

#endif
