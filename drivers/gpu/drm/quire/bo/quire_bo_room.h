/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BO_ROOM_H
#define QUIRE_BO_ROOM_H

#include <linux/types.h>

struct quire_bo;
struct quire_device;
struct ttm_operation_ctx;
struct ttm_place;

/**
 * struct quire_room_tries - tries of one caller to find room
 * @passed_over: quire_passed_over_count() before the last one
 * @vram: the least bytes of VRAM that were in use, in this turn
 * @aperture: the same of the aperture
 * @died: quire_free_list_died() when the call began; 0: these are not waited for
 * @still: so many in a row, in this turn, made no room
 * @locked: after one of these another caller had locked an object that is in a segment
 */
struct quire_room_tries {
	u64 passed_over;
	u64 vram;
	u64 aperture;
	u64 died;
	unsigned int still;
	bool locked;
};

bool quire_is_no_room(int error);
int quire_bo_take_free_room(struct quire_bo *bo, const struct ttm_place *place,
			    struct ttm_operation_ctx *ctx);
int quire_bo_make_room(struct quire_bo *bo, const struct ttm_place *place,
		       struct ttm_operation_ctx *ctx);
int quire_bo_take_room(struct quire_bo *bo, const struct ttm_place *place,
		       struct ttm_operation_ctx *ctx);

void quire_room_start(struct quire_device *qdev, struct quire_room_tries *tries);
void quire_room_begin(struct quire_device *qdev, struct quire_room_tries *tries);
void quire_room_try(struct quire_device *qdev, struct quire_room_tries *tries);
bool quire_room_was_passed_over(struct quire_device *qdev, const struct quire_room_tries *tries);
bool quire_room_try_again(struct quire_device *qdev, struct quire_room_tries *tries);
long quire_room_wait(struct quire_device *qdev, struct quire_room_tries *tries,
		     bool interruptible, long timeout);

#endif
