/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_RESIDENCY_H
#define QUIRE_RESIDENCY_H

#include <linux/idr.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "queue/quire_discard.h"
#include "quire_bo.h"

struct quire_paging_work;
struct ttm_resource;

/**
 * struct quire_resident - an object, as the residency table of the device knows it
 * @bo: the object; NULL once it is freed; has &quire_residency.lock
 * @id: its number in notices, not 0
 * @told: the device was told that it is somewhere, and not that it left; has its reservation
 * @partly: not of all of its pages: more follow
 * @link: in &quire_residency.leaving
 * @leaves: it is there, or on its way; has &quire_residency.lock
 * @native: it is a native fence: its number and one more; or 0
 * @owner: root of the address space of that
 */
struct quire_resident {
	struct quire_bo *bo;
	u32 id;
	bool told;
	bool partly;
	struct list_head link;
	bool leaves;
	u32 native;
	u64 owner;
};

/**
 * struct quire_residency - what the device is told of where objects are
 * @residents: all that have an id, &struct quire_resident
 * @next: id of the next one
 * @lock: protects @leaving, and what @residents say of objects
 * @leaving: lost their places, and the device is to hear of it
 * @natives: numbers of native fences that are taken, until the device has forgotten them
 */
struct quire_residency {
	struct xarray residents;
	u32 next;
	spinlock_t lock; /* of leaving, and residents' bo */
	struct quire_leaving leaving;
	struct ida natives;
};

/* Make an object that is nowhere a native fence of the address space with this root. */
static inline void quire_resident_be_fence(struct quire_bo *bo, u32 number, u64 owner)
{
	bo->resident->native = number + 1;
	bo->resident->owner = owner;
}

/* The number of an object that is a native fence. */
static inline u32 quire_resident_fence(const struct quire_bo *bo)
{
	return bo->resident->native - 1;
}

void quire_residency_init(struct quire_residency *residency);
void quire_residency_fini(struct quire_residency *residency);
int quire_resident_create(struct quire_residency *residency, struct quire_bo *bo);
void quire_resident_drop(struct quire_residency *residency, struct quire_resident *resident,
			 bool left);
struct quire_bo *quire_resident_get(struct quire_residency *residency, unsigned long *id);
void quire_resident_leave(struct quire_bo *bo);
u32 quire_residency_bytes(const struct quire_bo *bo, struct ttm_resource *place);
int quire_residency_move(struct quire_paging_work *work, struct quire_bo *bo,
			 struct ttm_resource *place);
void quire_residency_stays(struct quire_bo *bo, struct quire_batch *batch);
int quire_residency_ensure(struct quire_bo *bo, struct quire_batch *batch);

#endif
