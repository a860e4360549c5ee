/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BO_EVICT_H
#define QUIRE_BO_EVICT_H

struct quire_bo;
struct ttm_buffer_object;
struct ttm_placement;

void quire_bo_evict_flags(struct ttm_buffer_object *tbo, struct ttm_placement *placement);
void quire_bo_release_notify(struct ttm_buffer_object *tbo);
void quire_bo_release_late(struct quire_bo *bo);

#endif
