// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/bitfield.h>

#include "quire_bo.h"
#include "quire_bo_publish.h"
#include "quire_budget.h"
#include "quire_segment.h"

/**
 * quire_bo_publish - let readers without the lock know where an object is
 * @bo: the object, reserved
 *
 * Also updates its budget. Every move does this; readers that can lock the object do it between
 * moves. So it is right when the object is idle, and says the old place during a move.
 */
void quire_bo_publish(struct quire_bo *bo)
{
	u32 mem_type = quire_bo_mem_type(&bo->base);
	u32 status = 0;

	dma_resv_assert_held(bo->base.base.resv);

	if (mem_type == QUIRE_PL_VRAM || (bo->base.ttm && ttm_tt_is_populated(bo->base.ttm)))
		status |= DRM_GEM_OBJECT_RESIDENT;
	if (mem_type == QUIRE_PL_VRAM ? quire_bo_is_unneeded(bo) : quire_bo_is_offered(bo))
		status |= DRM_GEM_OBJECT_PURGEABLE;
	WRITE_ONCE(bo->published,
		   FIELD_PREP(QUIRE_PUBLISHED_SEGMENT, quire_segment_instance(mem_type)) |
		   FIELD_PREP(QUIRE_PUBLISHED_STATUS, status) |
		   FIELD_PREP(QUIRE_PUBLISHED_VIEW, !!bo->view));
	quire_budget_moved(bo, quire_segment_instance(mem_type));
}

/**
 * quire_bo_published - where is an object, for statistics?
 * @bo: the object; nothing is held
 *
 * Never waits for the reservation: its holder may wait for the device.
 *
 * Returns: QUIRE_PUBLISHED_*.
 */
u32 quire_bo_published(struct quire_bo *bo)
{
	if (dma_resv_trylock(bo->base.base.resv)) {
		quire_bo_publish(bo);
		dma_resv_unlock(bo->base.base.resv);
	}
	return READ_ONCE(bo->published);
}
