/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_VIEW_H
#define QUIRE_VIEW_H

#include <linux/minmax.h>
#include <linux/types.h>

#include <uapi/drm/quire_drm.h>

#include "quire_bo.h"

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

/*
 * In VRAM, with a backing that TTM made for a move out of VRAM: use the kept pages, if there are
 * any. quire_view_taken() follows.
 */
static inline void quire_view_take(struct quire_bo *bo)
{
	if (bo->view)
		swap(bo->base.ttm, bo->view);
}

void quire_view_taken(struct quire_bo *bo, bool moved);
void quire_view_keep(struct quire_bo *bo);

/*
 * In VRAM: give the kept pages to TTM, which is about to take all that it has, and frees them
 * after all work on it. A backing without pages goes.
 */
static inline void quire_view_let_go(struct quire_bo *bo)
{
	quire_view_take(bo);
	quire_view_taken(bo, true);
}

#endif
