// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Order of eviction
 *
 * TTM evicts by priority, and by last use within one: first offered objects, then needed ones, and
 * last those that a file holds resident (quire_hold.c).
 *
 * Locking: &ttm_device.lru_lock for the priority, so that the later one of two changes counts,
 * whatever reservations are held.
 */
#include "quire_bo.h"
#include "quire_budget.h"

static u32 priority_of(struct quire_bo *bo)
{
	if (quire_bo_is_unneeded(bo))
		return QUIRE_PRIORITY_OFFERED;
	return atomic64_read(&bo->holds) ? QUIRE_PRIORITY_RESIDENT : QUIRE_PRIORITY_NEEDED;
}

/**
 * quire_bo_has_usual_priority - is an object neither offered nor held?
 * @bo: the object, reserved
 *
 * Returns: true if so; it stays so until quire_bulk_leave() is called for it.
 */
bool quire_bo_has_usual_priority(struct quire_bo *bo)
{
	struct ttm_device *ttm = bo->base.bdev;
	bool usual;

	spin_lock(&ttm->lru_lock);
	usual = bo->base.priority == QUIRE_PRIORITY_NEEDED &&
		priority_of(bo) == QUIRE_PRIORITY_NEEDED;
	spin_unlock(&ttm->lru_lock);
	return usual;
}

/**
 * quire_bo_prioritize - update the priority of an object
 * @bo: the object, with a reference; reserved or not. If it is offered now, or held, it was
 *      reserved when that changed, and quire_bulk_leave() was called before
 *
 * Never waits: close() comes here, and the holder of the reservation may wait for the device. That
 * holder, or the next user at the latest, moves the object to its new list.
 */
void quire_bo_prioritize(struct quire_bo *bo)
{
	struct ttm_device *ttm = bo->base.bdev;
	u32 priority;
	bool locked;

	spin_lock(&ttm->lru_lock);
	priority = priority_of(bo);
	WARN_ON_ONCE(bo->base.bulk_move && bo->base.priority != priority);
	bo->base.priority = priority;
	locked = dma_resv_trylock(bo->base.base.resv);
	if (locked)
		ttm_bo_move_to_lru_tail(&bo->base);
	spin_unlock(&ttm->lru_lock);
	if (locked)
		dma_resv_unlock(bo->base.base.resv);
	quire_budget_held(bo);
}
