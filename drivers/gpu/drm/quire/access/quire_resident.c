// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Making resident
 *
 * %DRM_IOCTL_QUIRE_MAKE_RESIDENT and %DRM_IOCTL_QUIRE_EVICT. Objects are placed one after the
 * other (quire_bo_place.c) where the device can access them, and the fences of their moves become
 * one. They count as held from the beginning, so that none is a victim of the next one as long as
 * there are others. The references of the file (quire_hold.c) are counted last, when only memory
 * can be missing.
 *
 * Locking: none is held while something moves.
 */
#include <linux/dma-fence-array.h>
#include <linux/dma-fence-unwrap.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/stddef.h>

#include <drm/drm_file.h>

#include <quire/quire_hw.h>

#include "core/quire_array.h"
#include "core/quire_compat.h"
#include "core/quire_file_types.h"
#include "core/quire_refuse.h"
#include "core/quire_sync.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_vram_types.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_layout.h"
#include "bo/quire_bo_publish.h"
#include "bo/quire_budget.h"
#include "bo/quire_bulk.h"
#include "bo/quire_hold.h"
#include "vm/quire_vm_place.h"
#include "quire_bo_place.h"
#include "quire_resident.h"

static const struct quire_array_type resident_type = {
	.name = "objects",
	.size = sizeof(struct drm_quire_resident),
	.min_stride = offsetofend(struct drm_quire_resident, pad),
	.max_count = DRM_QUIRE_MAX_RESIDENT,
};

/**
 * struct resident - one ioctl
 * @drm: the device
 * @file: the calling file
 * @items: the objects
 * @count: number of @items
 * @refused: index of the item that an error is about, or @count
 * @to_trim: bytes that the file is above its budget afterwards
 * @fences: end of the move of each, or NULL; NULL if the call has no @syncs
 * @syncs: get the end of all moves
 */
struct resident {
	struct drm_device *drm;
	struct drm_file *file;
	struct quire_held *items;
	u32 count;
	u32 refused;
	u64 to_trim;
	struct dma_fence **fences;
	struct quire_syncs syncs;
};

static int read_objects(struct resident *resident, const struct drm_quire_array *array)
{
	struct drm_quire_resident *args;
	int ret = 0;
	u32 i;

	args = quire_array_read(resident->drm, array, &resident_type);
	if (IS_ERR_OR_NULL(args))
		return PTR_ERR_OR_ZERO(args);
	resident->items = kvcalloc(array->count, sizeof(*resident->items), GFP_KERNEL_ACCOUNT);
	if (!resident->items) {
		kvfree(args);
		return -ENOMEM;
	}
	resident->count = array->count;
	for (i = 0; i < resident->count && !ret; i++) {
		resident->items[i].handle = args[i].handle;
		if (args[i].pad) {
			resident->refused = i;
			ret = quire_refuse(resident->drm, -EINVAL, "objects: element %u: pad %u",
					   i, args[i].pad);
		}
	}
	kvfree(args);
	return ret;
}

static int lookup_objects(struct resident *resident)
{
	int ret = quire_device_check(resident->drm);
	struct drm_gem_object *obj;
	u32 i;

	if (ret)
		return ret;
	for (i = 0; i < resident->count; i++) {
		obj = drm_gem_object_lookup(resident->file, resident->items[i].handle);
		if (!obj) {
			resident->refused = i;
			return quire_refuse(resident->drm, -ENOENT, "no object %u",
					    resident->items[i].handle);
		}
		resident->items[i].bo = gem_to_quire_bo(obj);
	}
	return 0;
}

static void free_all(struct resident *resident)
{
	u32 i;

	for (i = 0; i < resident->count; i++) {
		if (resident->fences)
			dma_fence_put(resident->fences[i]);
		if (resident->items[i].bo)
			drm_gem_object_put(&resident->items[i].bo->base.base);
	}
	kvfree(resident->fences);
	kvfree(resident->items);
}

static bool may_be_in_aperture(const struct quire_bo *bo)
{
	return quire_bo_allows(bo, QUIRE_PL_APERTURE) && !quire_bo_is_tiled(bo);
}

/* An object that is named twice counts once. */
static bool is_first(const struct resident *resident, u32 i)
{
	u32 before;

	for (before = 0; before < i; before++)
		if (resident->items[before].bo == resident->items[i].bo)
			return false;
	return true;
}

/* Sum up what needs VRAM, what needs the aperture, and what may be in either. */
static int check_sum(struct resident *resident)
{
	struct quire_device *qdev = to_quire_device(resident->drm);
	const u64 vram = qdev->vram_mgr->manager.size;
	u64 only_vram = 0, only_aperture = 0, either = 0;
	u32 i;

	for (i = 0; i < resident->count; i++) {
		struct quire_bo *bo = resident->items[i].bo;

		if (!is_first(resident, i))
			continue;
		if (!may_be_in_aperture(bo))
			only_vram += quire_bo_size_in(bo, QUIRE_PL_VRAM);
		else if (!quire_bo_allows(bo, QUIRE_PL_VRAM))
			only_aperture += bo->base.base.size;
		else
			either += bo->base.base.size;
	}
	if (only_vram <= vram && only_aperture <= qdev->aperture_size &&
	    only_vram + only_aperture + either <= vram + qdev->aperture_size)
		return 0;
	return quire_refuse(resident->drm, -ENOSPC, "%u objects do not fit together",
			    resident->count);
}

static int check_places(struct resident *resident)
{
	struct drm_device *drm = resident->drm;
	int ret = 0;
	u32 i;

	for (i = 0; i < resident->count && !ret; i++) {
		const struct quire_held *item = &resident->items[i];
		const char *fence = quire_bo_fence_name(item->bo);

		if (fence)
			ret = quire_refuse(drm, -EPERM, "object %u is a %s fence", item->handle,
					   fence);
		else if (!quire_vm_can_place(item->bo))
			ret = quire_refuse(drm, -ENOMEDIUM, "object %u may only be in set %#x",
					   item->handle, item->bo->segments);
		if (ret)
			resident->refused = i;
	}
	return ret ?: check_sum(resident);
}

/* An object that is held in the aperture already stays there; else VRAM is better. */
static int place_object(struct resident *resident, struct quire_bo *bo, bool was_held,
			struct dma_fence **moved)
{
	struct quire_usage *usage = to_quire_file(resident->file)->usage;
	bool stays = was_held && quire_bo_published_segment(bo) == QUIRE_SEGMENT_APERTURE;
	u64 vram = quire_bo_device(bo)->vram_mgr->manager.size;
	int ret = -ENOSPC;

	if (stays && may_be_in_aperture(bo))
		return quire_bo_place(bo, QUIRE_PL_APERTURE, 0, usage, moved);
	if (quire_bo_allows(bo, QUIRE_PL_VRAM) && quire_bo_size_in(bo, QUIRE_PL_VRAM) <= vram)
		ret = quire_bo_place(bo, QUIRE_PL_VRAM, 0, usage, moved);
	if (ret == -ENOSPC && may_be_in_aperture(bo))
		ret = quire_bo_place(bo, QUIRE_PL_APERTURE, 0, usage, moved);
	return ret;
}

/* Adds one to *@held, also with an error if the object counts as held. */
static int hold_and_place(struct resident *resident, u32 i, u32 *held)
{
	struct dma_fence **moved = resident->fences ? &resident->fences[i] : NULL;
	struct quire_bo *bo = resident->items[i].bo;
	bool was_held;
	int ret;

	ret = ttm_bo_reserve(&bo->base, true, false, NULL);
	if (ret)
		return ret;
	quire_bulk_leave(bo);
	was_held = atomic64_inc_return(&bo->holds) > 1;
	quire_bo_prioritize(bo);
	ttm_bo_unreserve(&bo->base);
	++*held;

	ret = place_object(resident, bo, was_held, moved);
	if (ret && moved)
		*moved = NULL;
	return ret;
}

/* One fence for the ends of all moves; NULL: all are over. Arrays can not be nested. */
static struct dma_fence *join_fences(struct resident *resident)
{
	struct dma_fence_unwrap cursor;
	struct dma_fence_array *array;
	struct dma_fence **fences;
	struct dma_fence *fence;
	u32 i, count = 0, n = 0;

	for (i = 0; resident->fences && i < resident->count; i++)
		dma_fence_unwrap_for_each(fence, &cursor, resident->fences[i])
			count++;
	if (!count)
		return NULL;
	fences = kmalloc_array(count, sizeof(*fences), GFP_KERNEL_ACCOUNT);
	if (!fences)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < resident->count; i++)
		dma_fence_unwrap_for_each(fence, &cursor, resident->fences[i])
			fences[n++] = dma_fence_get(fence);
	array = quire_fence_array_create(count, fences, dma_fence_context_alloc(1), 1);
	if (array)
		return &array->base;
	while (n--)
		dma_fence_put(fences[n]);
	kfree(fences);
	return ERR_PTR(-ENOMEM);
}

static int take(struct resident *resident)
{
	struct dma_fence *end = join_fences(resident);
	int ret = PTR_ERR_OR_ZERO(end);

	if (ret)
		return ret;
	ret = quire_holds_take(resident->file, resident->items, resident->count,
			       &resident->refused);
	if (ret) {
		dma_fence_put(end);
		return ret;
	}
	resident->to_trim = quire_budget_to_trim(to_quire_device(resident->drm),
						 to_quire_file(resident->file)->account);
	if (resident->syncs.count)
		quire_syncs_signal(&resident->syncs, end);
	return 0;
}

static int make_resident(struct resident *resident)
{
	u32 held = 0, i;
	int ret = 0;

	if (resident->syncs.count && resident->count) {
		resident->fences = kvcalloc(resident->count, sizeof(*resident->fences),
					    GFP_KERNEL_ACCOUNT);
		if (!resident->fences)
			return -ENOMEM;
	}
	for (i = 0; i < resident->count && !ret; i++) {
		ret = hold_and_place(resident, i, &held);
		if (ret)
			resident->refused = i;
	}
	ret = ret ?: take(resident);
	while (ret && held--) {
		atomic64_dec(&resident->items[held].bo->holds);
		quire_bo_prioritize(resident->items[held].bo);
	}
	return ret;
}

/**
 * quire_make_resident_ioctl - %DRM_IOCTL_QUIRE_MAKE_RESIDENT
 * @drm: the device
 * @data: &struct drm_quire_make_resident
 * @file: the calling file
 *
 * Returns: 0, or an error as documented there.
 */
int quire_make_resident_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_make_resident *args = data;
	struct resident resident = {
		.drm = drm, .file = file, .refused = args->objects.count,
	};
	int ret;

	if (args->flags)
		ret = quire_refuse(drm, -EINVAL, "make resident: flags %#x", args->flags);
	else
		ret = quire_syncs_init(&resident.syncs, drm, &args->syncs,
				       DRM_QUIRE_SYNC_SIGNAL);
	if (!ret) {
		ret = read_objects(&resident, &args->objects) ?: lookup_objects(&resident) ?:
		      quire_syncs_lookup(&resident.syncs, drm, file) ?:
		      check_places(&resident) ?: make_resident(&resident);
		quire_syncs_fini(&resident.syncs);
	}
	args->refused_object = quire_error_names_none(ret) ? args->objects.count :
								   resident.refused;
	args->to_trim = resident.to_trim;
	free_all(&resident);
	return ret;
}

/**
 * quire_evict_ioctl - %DRM_IOCTL_QUIRE_EVICT
 * @drm: the device
 * @data: &struct drm_quire_evict
 * @file: the calling file
 *
 * Returns: 0, or an error as documented there.
 */
int quire_evict_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_evict *args = data;
	struct resident resident = {
		.drm = drm, .file = file, .refused = args->objects.count,
	};
	int ret;

	if (args->flags)
		ret = quire_refuse(drm, -EINVAL, "evict: flags %#x", args->flags);
	else
		ret = read_objects(&resident, &args->objects) ?: lookup_objects(&resident) ?:
		      quire_holds_drop(file, resident.items, resident.count, &resident.refused);
	args->refused_object = resident.refused;
	free_all(&resident);
	return ret;
}
