/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_VIEW_H
#define QUIRE_VIEW_H

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

void quire_view_take(struct quire_bo *bo);
void quire_view_taken(struct quire_bo *bo, bool moved);
void quire_view_keep(struct quire_bo *bo);
void quire_view_let_go(struct quire_bo *bo);

#endif
