// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The LRU of what is bound
 *
 * Each EXEC uses all that is bound in its address space. Private objects of that and its page
 * tables stand together in the LRU lists of TTM, which moves them to the tail in one step. Two
 * kinds of objects are moved one by one: shared ones, and private ones that are offered or held
 * resident, as a bulk has one priority, and theirs may change without the reservation
 * (quire_bo_priority.c).
 *
 * Locking: the reservation of the address space.
 */
#include <drm/ttm/ttm_resource.h>

#include "quire_bo.h"
#include "quire_bulk.h"

/**
 * quire_bulk_add - an object is bound, or is a page table
 * @bo: any object; ignored if it is private to no address space
 */
void quire_bulk_add(struct quire_bo *bo)
{
	if (!bo->bulk || bo->base.bulk_move)
		return;
	if (quire_bo_has_usual_priority(bo)) {
		list_del_init(&bo->apart);
		/* It may be in the list of the priority that it had. */
		ttm_bo_move_to_lru_tail_unlocked(&bo->base);
		ttm_bo_set_bulk_move(&bo->base, &bo->bulk->move);
	} else if (list_empty(&bo->apart)) {
		list_add_tail(&bo->apart, &bo->bulk->apart);
	}
}

/**
 * quire_bulk_remove - an object is not bound any more
 * @bo: any object
 */
void quire_bulk_remove(struct quire_bo *bo)
{
	if (!bo->bulk)
		return;
	list_del_init(&bo->apart);
	ttm_bo_set_bulk_move(&bo->base, NULL);
}

/**
 * quire_bulk_leave - the priority of an object is about to change
 * @bo: any object, reserved
 */
void quire_bulk_leave(struct quire_bo *bo)
{
	if (!bo->base.bulk_move)
		return;
	ttm_bo_set_bulk_move(&bo->base, NULL);
	list_add_tail(&bo->apart, &bo->bulk->apart);
}

/**
 * quire_bulk_touch_apart - move objects that are apart to the tail
 * @bulk: of an address space, which is reserved
 *
 * Those that need not be apart any more join the bulk.
 */
void quire_bulk_touch_apart(struct quire_bulk *bulk)
{
	struct quire_bo *bo, *next;

	list_for_each_entry_safe(bo, next, &bulk->apart, apart) {
		ttm_bo_move_to_lru_tail_unlocked(&bo->base);
		quire_bulk_add(bo);
	}
}
