// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: References of being resident
 *
 * Each file counts how often it holds each of its objects resident; &quire_bo.holds is the sum
 * over all files, and calls that are about to hold. The count of a file goes with the handle: a
 * file that closes it, or dies, holds nothing any more. An object is found by its mmap() offset,
 * which is unique as long as it lives; its counts go before.
 *
 * Locking: &quire_holds.lock. The DRM core takes a handle away before it calls close, so that a
 * count that was made with the lock held, for an open handle, is found when that is closed.
 */
#include <drm/drm_file.h>
#include <drm/drm_vma_manager.h>

#include "core/quire_file_types.h"
#include "core/quire_refuse.h"
#include "quire_bo.h"
#include "quire_hold.h"

static unsigned long hold_index(const struct quire_bo *bo)
{
	return drm_vma_node_start(&bo->base.base.vma_node);
}

static unsigned long hold_count(struct quire_holds *holds, const struct quire_bo *bo)
{
	void *entry = xa_load(&holds->counts, hold_index(bo));

	return entry ? xa_to_value(entry) : 0;
}

/* Needs memory only for the first one: 0 is an entry, too, until holds_change() erases it. */
static int hold_set(struct quire_holds *holds, const struct quire_bo *bo, unsigned long count)
{
	return xa_err(xa_store(&holds->counts, hold_index(bo), xa_mk_value(count), GFP_KERNEL));
}

/**
 * quire_holds_init - nothing is held
 * @holds: to initialise
 */
void quire_holds_init(struct quire_holds *holds)
{
	mutex_init(&holds->lock);
	xa_init_flags(&holds->counts, XA_FLAGS_ACCOUNT);
}

/**
 * quire_holds_fini - undo quire_holds_init()
 * @holds: all handles of the file are closed
 */
void quire_holds_fini(struct quire_holds *holds)
{
	WARN_ON_ONCE(!xa_empty(&holds->counts));
	xa_destroy(&holds->counts);
	mutex_destroy(&holds->lock);
}

/* Does the handle still lead to the object? */
static bool is_open(struct drm_file *file, const struct quire_held *item)
{
	struct drm_gem_object *obj = drm_gem_object_lookup(file, item->handle);

	if (obj)
		drm_gem_object_put(obj);
	return obj == &item->bo->base.base;
}

/* Adds @by, 1 or -1, to the counts of all items, or of none. */
static int holds_change(struct drm_file *file, const struct quire_held *items, u32 count,
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
	return ret;
}

/**
 * quire_holds_take - a file holds some objects once more
 * @file: the file
 * @items: the objects; &quire_bo.holds counts this already
 * @count: number of @items
 * @refused: returned, with an error: index of the item
 *
 * Returns: 0; -ENOENT a handle is closed; -ENOMEM; then nothing has changed.
 */
int quire_holds_take(struct drm_file *file, const struct quire_held *items, u32 count,
		     u32 *refused)
{
	return holds_change(file, items, count, refused, 1);
}

/**
 * quire_holds_drop - a file holds some objects once less
 * @file: the file
 * @items: the objects
 * @count: number of @items
 * @refused: returned, with an error: index of the item
 *
 * Returns: 0; -EINVAL it does not hold one that often, then nothing has changed.
 */
int quire_holds_drop(struct drm_file *file, const struct quire_held *items, u32 count,
		     u32 *refused)
{
	int ret = holds_change(file, items, count, refused, -1);
	u32 i;

	for (i = 0; i < count && !ret; i++) {
		atomic64_dec(&items[i].bo->holds);
		quire_bo_prioritize(items[i].bo);
	}
	return ret;
}

/**
 * quire_holds_close - a handle of an object is closed: the file does not hold it any more
 * @obj: the object
 * @file: the file
 */
void quire_holds_close(struct drm_gem_object *obj, struct drm_file *file)
{
	struct quire_holds *holds = to_quire_file(file)->holds;
	struct quire_bo *bo = gem_to_quire_bo(obj);
	unsigned long count;

	/*
	 * MAKE_RESIDENT counts a hold before quire_holds_take() looks the handle up, under
	 * &drm_file.table_lock. DRM took the handle away under that lock before it came here.
	 */
	if (!atomic64_read(&bo->holds))
		return;

	mutex_lock(&holds->lock);
	count = hold_count(holds, bo);
	if (count)
		xa_erase(&holds->counts, hold_index(bo));
	mutex_unlock(&holds->lock);
	if (!count)
		return;
	atomic64_sub(count, &bo->holds);
	quire_bo_prioritize(bo);
}
