/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BO_EVICT_H
#define QUIRE_BO_EVICT_H

#include <linux/types.h>

struct quire_batch;
struct quire_bo;
struct ttm_buffer_object;
struct ttm_operation_ctx;
struct ttm_placement;

bool quire_bo_eviction_drops(struct quire_bo *bo);
void quire_bo_evict_flags(struct ttm_buffer_object *tbo, struct ttm_placement *placement);
int quire_bo_drop_evicted(struct quire_bo *bo, struct quire_batch *batch,
			  struct ttm_operation_ctx *ctx);
void quire_bo_release_notify(struct ttm_buffer_object *tbo);
void quire_bo_release_late(struct quire_bo *bo);

#endif
