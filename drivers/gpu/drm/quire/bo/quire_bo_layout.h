/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BO_LAYOUT_H
#define QUIRE_BO_LAYOUT_H

#include <linux/highmem.h>

#include <quire/quire_layout.h>

#include "quire_bo.h"

static inline bool quire_bo_is_tiled(const struct quire_bo *bo)
{
	return quire_layout_tiled(&bo->allocation.layout);
}

/* Its tiles have bytes that are not of the image, which a conversion leaves as they were. */
static inline bool quire_bo_pads_tiles(const struct quire_bo *bo)
{
	return quire_bo_is_tiled(bo) && bo->allocation.pitch_aligned_size !=
	       quire_layout_linear_size(&bo->allocation.layout);
}

/*
 * An image in VRAM keeps its tiles when it leaves, if neither a program nor an importer sees its
 * pages. It is reserved.
 */
static inline bool quire_bo_leaves_swizzled(const struct quire_bo *bo)
{
	return quire_bo_is_tiled(bo) && !quire_bo_pads_tiles(bo) &&
	       !atomic_read(&bo->mappings) && !quire_bo_is_shared(bo);
}

/* With an alternate view it is an image, and may be in VRAM and system memory alone. */
static inline bool quire_bo_has_view(const struct quire_bo *bo)
{
	return bo->flags & DRM_QUIRE_BO_CREATE_ALTERNATE_VIEW;
}

/* Do programs use its alternate view? It is reserved. */
static inline bool quire_view_is_mapped(const struct quire_bo *bo)
{
	return quire_bo_has_view(bo) && atomic_read(&bo->mappings);
}

/* In VRAM, with a backing that TTM made for a move: use the kept pages, if there are any. */
static inline void quire_view_take(struct quire_bo *bo)
{
	if (bo->view)
		swap(bo->base.ttm, bo->view);
}

/* A move out of VRAM is queued, or has failed: then all is as before quire_view_take(). */
static inline void quire_view_taken(struct quire_bo *bo, bool moved)
{
	if (!bo->view)
		return;
	if (!moved) {
		swap(bo->base.ttm, bo->view);
	} else if (!WARN_ON_ONCE(ttm_tt_is_populated(bo->view))) {
		/* TTM made it for the move, and nothing has filled it. */
		quire_tt_destroy(bo->base.bdev, bo->view);
		bo->view = NULL;
	}
}

/* Keep the pages that it leaves on its way back to VRAM: a move that reads them is queued. */
static inline void quire_view_keep(struct quire_bo *bo)
{
	WARN_ON_ONCE(bo->view);
	swap(bo->base.ttm, bo->view);
}

/*
 * In VRAM: give the kept pages to TTM, which is about to take all that it has, and frees them
 * after all work on it. A backing without pages goes.
 */
static inline void quire_view_let_go(struct quire_bo *bo)
{
	quire_view_take(bo);
	quire_view_taken(bo, true);
}

/* Clear the rest of the last page behind an image: no conversion writes there. */
static inline void quire_bo_clear_rest(struct quire_bo *bo)
{
	u64 end = quire_layout_linear_size(&bo->allocation.layout);
	u32 used = offset_in_page(end);

	if (used)
		memzero_page(bo->base.ttm->pages[end >> PAGE_SHIFT], used, PAGE_SIZE - used);
}

int quire_bo_unswizzle(struct quire_bo *bo, bool interruptible);

#endif
