/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_OFFERED_H
#define QUIRE_OFFERED_H

#include "quire_bo.h"

struct quire_shrinker;

/* Unlock an object of quire_offered_take(), and drop the reference. */
static inline void quire_offered_put(struct quire_bo *bo)
{
	dma_resv_unlock(bo->base.base.resv);
	drm_gem_object_put(&bo->base.base);
}

struct quire_bo *quire_offered_take(struct quire_shrinker *shrinker);
void quire_offered_update(struct quire_bo *bo);
void quire_offered_forget(struct quire_bo *bo);

#endif
