// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Making resident
 *
 * %DRM_IOCTL_QUIRE_MAKE_RESIDENT and %DRM_IOCTL_QUIRE_EVICT. Objects are placed one after the
 * other (quire_bo_place.c) where the device can access them, and the fences of their moves become
 * one. They count as held from the beginning, so that none is a victim of the next one as long as
 * there are others. The references of the file (quire_bulk.c) are counted last, when only memory
 * can be missing.
 *
 * Locking: none is held while something moves.
 */
#include <linux/dma-fence-unwrap.h>
#include <linux/err.h>
#include <linux/stddef.h>

#include "core/quire_array.h"
#include "core/quire_file_types.h"
#include "core/quire_refuse.h"
#include "core/quire_sync.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_vram_types.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_layout.h"
#include "bo/quire_budget.h"
#include "bo/quire_bulk.h"
#include "vm/quire_vm_validate.h"
#include "quire_access.h"

static const struct quire_array_type resident_type = {
	.name = "objects",
	.size = sizeof(struct drm_quire_resident),
	.min_stride = offsetofend(struct drm_quire_resident, pad),
	.max_count = DRM_QUIRE_MAX_RESIDENT,
};

/* One ioctl. */
struct resident {
	struct drm_device *drm;
	struct drm_file *file;
	struct quire_held *items;
	u32 count;
	u32 refused; /* index of the item that an error is about, or count */
	u64 to_trim; /* bytes that the file is above its budget afterwards */
	struct dma_fence **fences; /* end of the move of each; NULL if the call has no syncs */
	struct quire_syncs syncs; /* get the end of all moves */
};

static int get_objects(struct resident *resident, const struct drm_quire_array *array)
{
	struct drm_quire_resident *args __free(kvfree) =
		quire_array_read(resident->drm, array, &resident_type);
	struct drm_gem_object *obj;
	int ret;
	u32 i;

	if (IS_ERR(args))
		return PTR_ERR(args);
	resident->items = kvcalloc(array->count, sizeof(*resident->items), GFP_KERNEL_ACCOUNT);
	if (!resident->items)
		return -ENOMEM;
	resident->count = array->count;
	for (i = 0; i < resident->count; i++) {
		resident->items[i].handle = args[i].handle;
		if (args[i].pad) {
			resident->refused = i;
			return quire_refuse(resident->drm, -EINVAL, "objects: element %u: pad %u",
					    i, args[i].pad);
		}
	}

	ret = quire_device_check(resident->drm);
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

/* Each may be placed, and all together: what needs VRAM, the aperture, and either of them. */
static int check_places(struct resident *resident)
{
	struct quire_device *qdev = to_quire_device(resident->drm);
	const u64 vram = qdev->vram_mgr->manager.size;
	u64 only_vram = 0, only_aperture = 0, either = 0;
	struct drm_device *drm = resident->drm;
	u32 i;

	for (i = 0; i < resident->count; i++) {
		const struct quire_held *item = &resident->items[i];
		struct quire_bo *bo = item->bo;
		const char *fence;

		resident->refused = i;
		fence = quire_bo_fence_name(bo);
		if (fence)
			return quire_refuse(drm, -EPERM, "object %u is a %s fence", item->handle,
					    fence);
		if (!quire_vm_can_place(bo))
			return quire_refuse(drm, -ENOMEDIUM, "object %u may only be in set %#x",
					    item->handle, bo->segments);
		if (!is_first(resident, i))
			continue;
		if (!may_be_in_aperture(bo))
			only_vram += quire_bo_size_in(bo, QUIRE_PL_VRAM);
		else if (!quire_bo_allows(bo, QUIRE_PL_VRAM))
			only_aperture += bo->base.base.size;
		else
			either += bo->base.base.size;
	}
	resident->refused = resident->count;
	if (only_vram <= vram && only_aperture <= qdev->aperture_size &&
	    only_vram + only_aperture + either <= vram + qdev->aperture_size)
		return 0;
	return quire_refuse(drm, -ENOSPC, "%u objects do not fit together", resident->count);
}

/* Adds one to *@held, also with an error if the object counts as held. */
static int hold_and_place(struct resident *resident, u32 i, u32 *held)
{
	struct dma_fence **moved = resident->fences ? &resident->fences[i] : NULL;
	struct quire_usage *usage = to_quire_file(resident->file)->usage;
	struct quire_bo *bo = resident->items[i].bo;
	u64 vram = quire_bo_device(bo)->vram_mgr->manager.size;
	bool stays;
	int ret;

	ret = ttm_bo_reserve(&bo->base, true, false, NULL);
	if (ret)
		return ret;
	quire_bulk_leave(bo);
	stays = atomic64_inc_return(&bo->holds) > 1;
	quire_bo_prioritize(bo);
	ttm_bo_unreserve(&bo->base);
	++*held;

	/* An object that is held in the aperture already stays there; else VRAM is better. */
	stays &= may_be_in_aperture(bo) &&
		 quire_bo_published_segment(bo) == QUIRE_SEGMENT_APERTURE;
	ret = -ENOSPC;
	if (!stays && quire_bo_allows(bo, QUIRE_PL_VRAM) &&
	    quire_bo_size_in(bo, QUIRE_PL_VRAM) <= vram)
		ret = quire_bo_place(bo, QUIRE_PL_VRAM, 0, usage, moved);
	if (ret == -ENOSPC && may_be_in_aperture(bo))
		ret = quire_bo_place(bo, QUIRE_PL_APERTURE, 0, usage, moved);
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

static int make_resident(struct resident *resident)
{
	struct dma_fence *end = NULL;
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
	if (!ret) {
		end = join_fences(resident);
		ret = PTR_ERR_OR_ZERO(end);
	}
	ret = ret ?: quire_holds_change(resident->file, resident->items, resident->count,
					&resident->refused, 1);
	if (!ret) {
		resident->to_trim = quire_budget_to_trim(to_quire_device(resident->drm),
							 to_quire_file(resident->file)->account);
		if (resident->syncs.count)
			quire_syncs_signal(&resident->syncs, end);
		return 0;
	}
	if (!IS_ERR(end))
		dma_fence_put(end);
	while (held--) {
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
 * Returns: 0, or an error as documented there.
 */
int quire_make_resident_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_make_resident *args = data;
	struct resident resident = { .drm = drm, .file = file, .refused = args->objects.count };
	int ret;

	if (args->flags)
		ret = quire_refuse(drm, -EINVAL, "make resident: flags %#x", args->flags);
	else
		ret = quire_syncs_init(&resident.syncs, drm, &args->syncs,
				       DRM_QUIRE_SYNC_SIGNAL);
	if (!ret) {
		ret = get_objects(&resident, &args->objects) ?:
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
 * Returns: 0, or an error as documented there.
 */
int quire_evict_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_evict *args = data;
	struct resident resident = { .drm = drm, .file = file, .refused = args->objects.count };
	int ret;

	if (args->flags)
		ret = quire_refuse(drm, -EINVAL, "evict: flags %#x", args->flags);
	else
		ret = get_objects(&resident, &args->objects) ?:
		      quire_holds_change(file, resident.items, resident.count,
					 &resident.refused, -1);
	args->refused_object = resident.refused;
	free_all(&resident);
	return ret;
}
