// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Who is evicted first
 *
 * TTM evicts by priorities, and those of one priority by when they were used last: first what
 * is offered, then what is needed, and last what somebody holds resident (quire_hold.c).
 *
 * Locking: &ttm_device.lru_lock for the priority, so that of two changes the later one counts,
 * whoever has the reservation.
 */
#include <linux/dma-resv.h>

#include "quire_bo.h"
#include "quire_device.h"

static u32 priority_of(struct quire_bo *bo)
{
	if (READ_ONCE(bo->dontneed))
		return QUIRE_PRIORITY_OFFERED;
	return atomic64_read(&bo->holds) ? QUIRE_PRIORITY_RESIDENT : QUIRE_PRIORITY_NEEDED;
}

/**
 * quire_bo_prioritize - what decides about the priority of an object has changed
 * @bo: the object, with a reference; reserved or not
 *
 * Never waits: close() comes here, and whoever has the reservation may wait for the device. Who
 * has it puts the object into its new list when he is done with it, or at the latest who uses it
 * next.
 */
void quire_bo_prioritize(struct quire_bo *bo)
{
	struct ttm_device *ttm = bo->base.bdev;
	bool locked;

	spin_lock(&ttm->lru_lock);
	bo->base.priority = priority_of(bo);
	locked = dma_resv_trylock(bo->base.base.resv);
	if (locked)
		ttm_bo_move_to_lru_tail(&bo->base);
	spin_unlock(&ttm->lru_lock);
	if (locked)
		dma_resv_unlock(bo->base.base.resv);
	quire_budget_held(bo);
}
