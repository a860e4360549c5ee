/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_MOVE_H
#define QUIRE_MOVE_H

#include <linux/types.h>

struct ttm_buffer_object;
struct ttm_operation_ctx;
struct ttm_place;
struct ttm_resource;

int quire_move(struct ttm_buffer_object *tbo, bool evict, struct ttm_operation_ctx *ctx,
	       struct ttm_resource *new_mem, struct ttm_place *hop);

#endif
