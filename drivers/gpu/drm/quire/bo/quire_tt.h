/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_TT_H
#define QUIRE_TT_H

#include <linux/types.h>

struct ttm_buffer_object;
struct ttm_device;
struct ttm_operation_ctx;
struct ttm_tt;

struct ttm_tt *quire_tt_create(struct ttm_buffer_object *tbo, u32 page_flags);
void quire_tt_destroy(struct ttm_device *ttm, struct ttm_tt *tt);
int quire_tt_populate(struct ttm_device *ttm, struct ttm_tt *tt, struct ttm_operation_ctx *ctx);
void quire_tt_unpopulate(struct ttm_device *ttm, struct ttm_tt *tt);
void quire_tt_unmap(struct ttm_device *ttm, struct ttm_tt *tt);

#endif
