/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BULK_H
#define QUIRE_BULK_H

#include <linux/mutex.h>
#include <linux/xarray.h>

#include "quire_bo.h"

/**
 * struct quire_bulk - what moves in the LRU lists together with an address space
 * @move: private objects of it that are bound, and page tables; also has &ttm_device.lru_lock
 * @apart: &struct quire_bo: private, bound, and offered or held, so not part of @move
 */
struct quire_bulk {
	struct ttm_lru_bulk_move move;
	struct list_head apart;
};

/**
 * struct quire_holds - what a file holds resident
 * @lock: protects the rest; nothing but memory is waited for inside
 * @counts: its references of each object, as values, by hold_index()
 */
struct quire_holds {
	struct mutex lock; /* protects the rest */
	struct xarray counts;
};

/**
 * struct quire_held - an element of what is to be held, or not any more
 * @bo: the object, with a reference
 * @handle: of the file
 */
struct quire_held {
	struct quire_bo *bo;
	u32 handle;
};

static inline void quire_bulk_init(struct quire_bulk *bulk)
{
	ttm_lru_bulk_move_init(&bulk->move);
	INIT_LIST_HEAD(&bulk->apart);
}

static inline void quire_bulk_fini(struct quire_bulk *bulk, struct ttm_device *ttm)
{
	ttm_lru_bulk_move_fini(ttm, &bulk->move);
}

/* Move what is not apart to the tail. The address space is reserved. */
static inline void quire_bulk_touch(struct quire_bulk *bulk, struct ttm_device *ttm)
{
	scoped_guard(spinlock, &ttm->lru_lock)
		ttm_lru_bulk_move_tail(&bulk->move);
}

/* An object is not bound any more. */
static inline void quire_bulk_remove(struct quire_bo *bo)
{
	if (!bo->bulk)
		return;
	list_del_init(&bo->apart);
	ttm_bo_set_bulk_move(&bo->base, NULL);
}

/* The priority of an object is about to change. It is reserved. */
static inline void quire_bulk_leave(struct quire_bo *bo)
{
	if (!bo->base.bulk_move)
		return;
	ttm_bo_set_bulk_move(&bo->base, NULL);
	list_add_tail(&bo->apart, &bo->bulk->apart);
}

static inline void quire_holds_init(struct quire_holds *holds)
{
	mutex_init(&holds->lock);
	xa_init_flags(&holds->counts, XA_FLAGS_ACCOUNT);
}

/* All handles of the file are closed. */
static inline void quire_holds_fini(struct quire_holds *holds)
{
	WARN_ON_ONCE(!xa_empty(&holds->counts));
	xa_destroy(&holds->counts);
	mutex_destroy(&holds->lock);
}

void quire_bo_prioritize(struct quire_bo *bo);
void quire_bulk_add(struct quire_bo *bo);
void quire_bulk_touch_apart(struct quire_bulk *bulk);
int quire_holds_change(struct drm_file *file, const struct quire_held *items, u32 count,
		       u32 *refused, int by);
void quire_holds_close(struct drm_gem_object *obj, struct drm_file *file);

#endif
