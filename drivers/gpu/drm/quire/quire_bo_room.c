// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Getting room
 *
 * What placements and submissions have in common: room that is free is taken, or what is in
 * the way is evicted first. Together they tell a full segment from a lack of memory.
 */
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_resource.h>

#include "quire_bo.h"

/**
 * quire_is_no_room - does an error of a placement say that there is no room?
 * @error: negative errno, or 0
 *
 * Returns: true if so; of quire_bo_validate() it may be memory that is missing, too.
 */
bool quire_is_no_room(int error)
{
	/* TTM of 6.12 calls a full segment -ENOMEM. */
	return error == -ENOSPC || error == -ENOMEM;
}

/**
 * quire_bo_take_free_room - bring an object to a place that is free
 * @bo: the object, reserved
 * @place: where
 * @ctx: how to wait
 *
 * Evicts and locks nobody.
 *
 * Returns: as quire_bo_validate().
 */
int quire_bo_take_free_room(struct quire_bo *bo, const struct ttm_place *place,
			    struct ttm_operation_ctx *ctx)
{
	struct ttm_place free = *place;

	free.flags |= TTM_PL_FLAG_DESIRED;
	return quire_bo_validate(bo, &free, 1, ctx);
}

/**
 * quire_bo_make_room - evict what is in the way
 * @bo: the object, reserved
 * @place: where it shall go
 * @ctx: how to wait
 *
 * The room is free afterwards; it is the caller who sees to it that nobody else takes it.
 *
 * Returns: 0; -ENOSPC there is none; -ENOMEM no memory, exactly; -ERESTARTSYS, -EDEADLK.
 */
int quire_bo_make_room(struct quire_bo *bo, const struct ttm_place *place,
		       struct ttm_operation_ctx *ctx)
{
	struct ttm_placement placement = { .num_placement = 1, .placement = place };
	struct ttm_resource *res;
	int ret;

	ret = ttm_bo_mem_space(&bo->base, &placement, &res, ctx);
	if (!ret)
		ttm_resource_free(&bo->base, &res);
	return ret;
}
