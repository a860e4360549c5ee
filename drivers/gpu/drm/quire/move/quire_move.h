/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_MOVE_H
#define QUIRE_MOVE_H

/**
 * DOC: Layer move
 *
 * What TTM calls: a move becomes one list of paging operations (quire_move_list.c); a victim gets a
 * place to go, or its content is dropped (quire_bo_evict.c); an object that dies leaves its place.
 * Also the set-up of TTM and its managers (quire_ttm.c), and the dmem cgroup controller.
 *
 * In: &struct ttm_device_funcs. Out: lists in the paging queue, whose fence ends the move. May use:
 * all before it, up to access.
 */

#include <linux/types.h>

#include "bo/quire_range.h"

struct dma_fence;
struct quire_batch;
struct quire_bo;
struct quire_device;
struct ttm_buffer_object;
struct ttm_operation_ctx;
struct ttm_place;
struct ttm_resource;

/**
 * struct quire_move - a move while it is made
 * @qdev: the device
 * @batch: of the call
 * @bo: the object, reserved
 * @old: place that it leaves, or NULL
 * @new: place that it gets
 * @maps: step 1 is needed
 * @copies: step 2 is a TRANSFER
 * @converts: from one form of an image to the other
 * @special: to or from its alternate view
 * @use: with @special: of the range that showed it
 * @fills: step 2 is a FILL, or begins with one
 * @windows: step 2 is made in virtual addresses
 * @unmaps: step 4 is needed
 * @submitted: a part of the list was handed to the queue, or all of it
 * @unmapped: step 4 was done, or a part of it
 *
 * Source: ttm_bo_handle_move_mem(); Documentation/gpu/quire/model.rst.
 */
struct quire_move {
	struct quire_device *qdev;
	struct quire_batch *batch;
	struct quire_bo *bo;
	struct ttm_resource *old;
	struct ttm_resource *new;
	bool maps;
	bool copies;
	bool converts;
	bool special;
	struct quire_range_use use;
	bool fills;
	bool windows;
	bool unmaps;
	bool submitted;
	bool unmapped;
};

int quire_move(struct ttm_buffer_object *tbo, bool evict, struct ttm_operation_ctx *ctx,
	       struct ttm_resource *new_mem, struct ttm_place *hop);

/* quire_move_list.c */
struct dma_fence *quire_move_submit(struct quire_move *move, struct ttm_operation_ctx *ctx);
void quire_move_undo(struct quire_move *move);

#endif
