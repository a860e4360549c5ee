/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_MOVE_LIST_H
#define QUIRE_MOVE_LIST_H

#include <linux/types.h>

#include "bo/quire_range.h"

struct dma_fence;
struct quire_bo;
struct quire_device;
struct ttm_operation_ctx;
struct ttm_resource;

/**
 * struct quire_move - one move on its way
 * @qdev: the device
 * @bo: what moves, reserved
 * @old: place that it leaves, or NULL
 * @new: place that it gets
 * @maps: step 1 is needed
 * @copies: step 2 is a TRANSFER
 * @converts: from one form of an image to the other
 * @special: to or from its alternate view
 * @use: then: of the range that showed it
 * @fills: step 2 is a FILL, or begins with one
 * @windows: step 2 is made in virtual addresses
 * @unmaps: step 4 is needed
 * @submitted: a part of the list was handed to the queue, or all of it
 * @unmapped: step 4 was done, or a part of it
 */
struct quire_move {
	struct quire_device *qdev;
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

struct dma_fence *quire_move_submit(struct quire_move *move, struct ttm_operation_ctx *ctx);
void quire_move_undo(struct quire_move *move);

#endif
