/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_MOVE_H
#define QUIRE_MOVE_H

/**
 * DOC: Layer move
 *
 * What TTM calls: a move becomes one list of paging operations (quire_move.c); a victim gets a
 * place to go, or its content is dropped (quire_bo_evict.c); an object that dies leaves its place.
 * Also the set-up of TTM and its managers, and the dmem cgroup controller (quire_ttm.c).
 *
 * In: &struct ttm_device_funcs. Out: lists in the paging queue, whose fence ends the move. May use:
 * all before it, up to access.
 */

#include <linux/atomic.h>
#include <linux/types.h>

#include "core/quire_placement.h"

struct dma_fence;
struct quire_batch;
struct quire_bo;
struct quire_device;
struct quire_move;
struct ttm_buffer_object;
struct ttm_operation_ctx;
struct ttm_place;
struct ttm_placement;
struct ttm_resource;

/* One more than the highest memory type. */
#define QUIRE_MOVE_PLACES	(QUIRE_PL_VRAM + 1)

/**
 * struct quire_move_counter - moves from one place to another
 * @count: moves that were made, or handed to the device
 * @bytes: of the objects
 * @evictions: those of @count that made room for another object
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

struct dma_fence *quire_move_submit(struct quire_move *move, struct ttm_operation_ctx *ctx);

/* quire_bo_evict.c */
bool quire_bo_eviction_drops(struct quire_bo *bo);
void quire_bo_evict_flags(struct ttm_buffer_object *tbo, struct ttm_placement *placement);
void quire_bo_release_notify(struct ttm_buffer_object *tbo);
void quire_bo_delete_mem_notify(struct ttm_buffer_object *tbo);

/* quire_ttm.c */
int quire_ttm_init(struct quire_device *qdev);
void quire_ttm_remove(struct quire_device *qdev);
int quire_ttm_evict_all(struct quire_device *qdev);
void quire_ttm_swap_out(struct quire_device *qdev);

#endif
