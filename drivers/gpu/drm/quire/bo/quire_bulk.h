/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BULK_H
#define QUIRE_BULK_H

#include <linux/list.h>

#include <drm/ttm/ttm_resource.h>

struct quire_bo;
struct ttm_device;

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

void quire_bulk_init(struct quire_bulk *bulk);
void quire_bulk_fini(struct quire_bulk *bulk, struct ttm_device *ttm);
void quire_bulk_add(struct quire_bo *bo);
void quire_bulk_remove(struct quire_bo *bo);
void quire_bulk_leave(struct quire_bo *bo);
void quire_bulk_touch_apart(struct quire_bulk *bulk);
void quire_bulk_touch(struct quire_bulk *bulk, struct ttm_device *ttm);

#endif
