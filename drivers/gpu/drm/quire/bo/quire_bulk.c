// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Order of eviction
 *
 * TTM evicts by priority, and by last use within one: first offered objects, then needed ones, and
 * last those that a file holds resident. The priority has &ttm_device.lru_lock, so that the later
 * one of two changes counts, whatever reservations are held.
 */

/**
 * DOC: The LRU of what is bound
 *
 * Each EXEC uses all that is bound in its address space. Private objects of that and its page
 * tables stand together in the LRU lists of TTM, which moves them to the tail in one step. Shared
 * objects are moved one by one, and private ones that are offered or held resident: a bulk has one
 * priority, and theirs may change without the reservation, that of the address space.
 */

/**
 * DOC: References of being resident
 *
 * Each file counts how often it holds each of its objects; &quire_bo.holds is the sum over all
 * files, and calls that are about to hold. The count of a file goes with the handle: the DRM core
 * takes a handle away before it calls close, so a count that was made with &quire_holds.lock held,
 * for an open handle, is found when that is closed.
 */
#include <drm/drm_vma_manager.h>

#include "core/quire_file_types.h"
#include "core/quire_refuse.h"
#include "quire_bulk.h"

static u32 priority_of(struct quire_bo *bo)
{
	if (quire_bo_is_unneeded(bo))
		return QUIRE_PRIORITY_OFFERED;
	return atomic64_read(&bo->holds) ? QUIRE_PRIORITY_RESIDENT : QUIRE_PRIORITY_NEEDED;
}

/**
 * quire_bo_prioritize - update the priority of an object
 * @bo: the object, with a reference, reserved or not; if it is offered now, or held, it was
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

/**
 * quire_bulk_add - an object is bound, or is a page table
 * @bo: any object; ignored if it is private to no address space
 */
void quire_bulk_add(struct quire_bo *bo)
{
	struct ttm_device *ttm = bo->base.bdev;
	bool usual;

	if (!bo->bulk || bo->base.bulk_move)
		return;
	/* It stays so until quire_bulk_leave() is called for it. */
	spin_lock(&ttm->lru_lock);
	usual = bo->base.priority == QUIRE_PRIORITY_NEEDED &&
		priority_of(bo) == QUIRE_PRIORITY_NEEDED;
	spin_unlock(&ttm->lru_lock);
	if (usual) {
		list_del_init(&bo->apart);
		/* It may be in the list of the priority that it had. */
		ttm_bo_move_to_lru_tail_unlocked(&bo->base);
		ttm_bo_set_bulk_move(&bo->base, &bo->bulk->move);
	} else if (list_empty(&bo->apart)) {
		list_add_tail(&bo->apart, &bo->bulk->apart);
	}
}

/**
 * quire_bulk_touch_apart - move objects that are apart to the tail
 * @bulk: of an address space, which is reserved; objects that need not be apart join it
 */
void quire_bulk_touch_apart(struct quire_bulk *bulk)
{
	struct quire_bo *bo, *next;

	list_for_each_entry_safe(bo, next, &bulk->apart, apart) {
		ttm_bo_move_to_lru_tail_unlocked(&bo->base);
		quire_bulk_add(bo);
	}
}

/* Unique as long as the object lives; its counts go before. */
static unsigned long hold_index(const struct quire_bo *bo)
{
	return drm_vma_node_start(&bo->base.base.vma_node);
}

static unsigned long hold_count(struct quire_holds *holds, const struct quire_bo *bo)
{
	void *entry = xa_load(&holds->counts, hold_index(bo));

	return entry ? xa_to_value(entry) : 0;
}

/* Needs memory only for the first one: 0 is an entry, too, until quire_holds_change() erases it. */
static int hold_set(struct quire_holds *holds, const struct quire_bo *bo, unsigned long count)
{
	return xa_err(xa_store(&holds->counts, hold_index(bo), xa_mk_value(count), GFP_KERNEL));
}

static bool is_open(struct drm_file *file, const struct quire_held *item)
{
	struct drm_gem_object *obj = drm_gem_object_lookup(file, item->handle);

	if (obj)
		drm_gem_object_put(obj);
	return obj == &item->bo->base.base;
}

/**
 * quire_holds_change - a file holds some objects once more, or once less
 * @file: the file
 * @items: the objects
 * @count: number of @items
 * @refused: returned, with an error: index of the item
 * @by: 1, &quire_bo.holds counts it already; -1, that is changed as well
 *
 * Returns: 0; -ENOENT a handle is closed; -EINVAL it does not hold one that often; -ENOMEM; then
 * nothing has changed.
 */
int quire_holds_change(struct drm_file *file, const struct quire_held *items, u32 count,
		       u32 *refused, int by)
{
	struct quire_holds *holds = to_quire_file(file)->holds;
	unsigned long held;
	int ret = 0;
	u32 i;

	mutex_lock(&holds->lock);
	for (i = 0; i < count && !ret; i++) {
		const struct quire_held *item = &items[i];
		struct drm_device *drm = &quire_bo_device(item->bo)->drm;

		held = hold_count(holds, item->bo);
		if (by > 0 && !is_open(file, item))
			ret = quire_refuse(drm, -ENOENT, "object %u was closed meanwhile",
					   item->handle);
		else if (by < 0 && !held)
			ret = quire_refuse(drm, -EINVAL, "evict: object %u is not held that often",
					   item->handle);
		else
			ret = hold_set(holds, item->bo, held + by);
	}
	if (ret) {
		*refused = --i;
		while (i--)
			hold_set(holds, items[i].bo, hold_count(holds, items[i].bo) - by);
	}
	for (i = 0; i < count; i++)
		if (!hold_count(holds, items[i].bo))
			xa_erase(&holds->counts, hold_index(items[i].bo));
	mutex_unlock(&holds->lock);

	for (i = 0; i < count && by < 0 && !ret; i++) {
		atomic64_dec(&items[i].bo->holds);
		quire_bo_prioritize(items[i].bo);
	}
	return ret;
}

/**
 * quire_holds_close - &drm_gem_object_funcs.close: the file does not hold the object any more
 * @obj: the object
 * @file: the file; of two handles of an object, the first one that it closes counts
 *
 * Never waits for the device.
 */
void quire_holds_close(struct drm_gem_object *obj, struct drm_file *file)
{
	struct quire_holds *holds = to_quire_file(file)->holds;
	struct quire_bo *bo = gem_to_quire_bo(obj);
	void *count = NULL;

	/*
	 * MAKE_RESIDENT counts a hold before quire_holds_change() looks the handle up, under
	 * &drm_file.table_lock. DRM took the handle away under that lock before it came here.
	 */
	if (atomic64_read(&bo->holds)) {
		guard(mutex)(&holds->lock);
		count = xa_erase(&holds->counts, hold_index(bo));
	}
	if (count) {
		atomic64_sub(xa_to_value(count), &bo->holds);
		quire_bo_prioritize(bo);
	}
	quire_budget_disown(obj, file);
}
