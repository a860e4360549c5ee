/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_MOVE_H
#define QUIRE_MOVE_H

/**
 * DOC: Layer move
 *
 * What TTM calls: a move becomes one list of paging operations (quire_move_list.c), a victim gets a
 * place to go (quire_bo_evict.c), an object that dies leaves its place. Also the set-up of TTM and
 * its managers (quire_ttm.c), and the dmem cgroup controller.
 *
 * In: &struct ttm_device_funcs. Out: lists in the paging queue, whose fence ends the move. May use:
 * all before it, up to access.
 */

#include <linux/types.h>

struct ttm_buffer_object;
struct ttm_operation_ctx;
struct ttm_place;
struct ttm_resource;

int quire_move(struct ttm_buffer_object *tbo, bool evict, struct ttm_operation_ctx *ctx,
	       struct ttm_resource *new_mem, struct ttm_place *hop);

#endif
