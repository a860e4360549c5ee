/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_MOVE_H
#define QUIRE_MOVE_H

#include <linux/atomic.h>
#include <linux/types.h>

#include <drm/ttm/ttm_placement.h>

struct ttm_buffer_object;
struct ttm_operation_ctx;
struct ttm_place;
struct ttm_resource;

/* TTM_PL_SYSTEM, TTM_PL_TT (the aperture) and TTM_PL_VRAM */
#define QUIRE_MOVE_PLACES	(TTM_PL_VRAM + 1)

/**
 * struct quire_move_counter - moves from one place to another
 * @count: moves that were made, or handed to the device
 * @bytes: of the objects that moved
 * @evictions: those of @count that made room for somebody else
 */
struct quire_move_counter {
	atomic64_t count;
	atomic64_t bytes;
	atomic64_t evictions;
};

/**
 * struct quire_move_stats - all moves since the driver was bound
 * @moves: by the memory types of the old and of the new place
 */
struct quire_move_stats {
	struct quire_move_counter moves[QUIRE_MOVE_PLACES][QUIRE_MOVE_PLACES];
};

int quire_move(struct ttm_buffer_object *tbo, bool evict, struct ttm_operation_ctx *ctx,
	       struct ttm_resource *new_mem, struct ttm_place *hop);

#endif
