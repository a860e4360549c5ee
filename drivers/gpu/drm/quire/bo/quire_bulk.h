/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BULK_H
#define QUIRE_BULK_H

#include <linux/list.h>

#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_resource.h>

struct quire_bo;

/**
 * struct quire_bulk - what moves in the LRU lists together with an address space
 * @move: all that is private to it and bound, but for what is @apart, and its page tables; has
 *        the reservation, and &ttm_device.lru_lock
 * @apart: &struct quire_bo: private, bound, and offered or held; has the reservation
 */
struct quire_bulk {
	struct ttm_lru_bulk_move move;
	struct list_head apart;
};

/* Nothing is bound yet. */
static inline void quire_bulk_init(struct quire_bulk *bulk)
{
	ttm_lru_bulk_move_init(&bulk->move);
	INIT_LIST_HEAD(&bulk->apart);
}

/* Nothing is bound any more, and there are no page tables. */
static inline void quire_bulk_fini(struct quire_bulk *bulk, struct ttm_device *ttm)
{
	ttm_lru_bulk_move_fini(ttm, &bulk->move);
}

/* Move what is not apart to the tail. The address space is reserved. */
static inline void quire_bulk_touch(struct quire_bulk *bulk, struct ttm_device *ttm)
{
	spin_lock(&ttm->lru_lock);
	ttm_lru_bulk_move_tail(&bulk->move);
	spin_unlock(&ttm->lru_lock);
}

void quire_bulk_add(struct quire_bo *bo);
void quire_bulk_remove(struct quire_bo *bo);
void quire_bulk_leave(struct quire_bo *bo);
void quire_bulk_touch_apart(struct quire_bulk *bulk);

#endif
