/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BO_LAYOUT_H
#define QUIRE_BO_LAYOUT_H

#include <linux/types.h>

#include <quire/quire_layout.h>

#include "quire_bo.h"

struct quire_layout;

/* In VRAM. */
static inline bool quire_bo_is_tiled(const struct quire_bo *bo)
{
	return quire_layout_tiled(&bo->allocation.layout);
}

void quire_bo_set_layout(struct quire_bo *bo, const struct quire_layout *layout);
u32 quire_bo_tile_pages(const struct quire_layout *layout);
bool quire_bo_pads_tiles(const struct quire_bo *bo);
bool quire_bo_leaves_swizzled(const struct quire_bo *bo);
void quire_bo_clear_rest(struct quire_bo *bo);
int quire_bo_unswizzle(struct quire_bo *bo, bool interruptible);

#endif
