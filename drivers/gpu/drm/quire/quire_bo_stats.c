// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Memory statistics
 *
 * What /proc/PID/fdinfo says of a program's objects: for the regions system,
 * vram and aperture the keys of Documentation/gpu/drm-usage-stats.rst. A region
 * is a segment. Purgeable is what an eviction would discard: idle, in VRAM,
 * DONTNEED.
 */
#include <linux/dma-resv.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_print.h>
#include <drm/ttm/ttm_tt.h>

#include "quire_bo.h"
#include "quire_compat.h"
#include "quire_device.h"
#include "quire_segment.h"

static enum drm_gem_object_status bo_status(struct quire_bo *bo)
{
	bool vram = quire_bo_mem_type(&bo->base) == QUIRE_PL_VRAM;
	enum drm_gem_object_status status = 0;

	dma_resv_assert_held(bo->base.base.resv);

	if (vram || (bo->base.ttm && ttm_tt_is_populated(bo->base.ttm)))
		status |= DRM_GEM_OBJECT_RESIDENT;
	if (vram && bo->dontneed)
		status |= DRM_GEM_OBJECT_PURGEABLE;
	return status;
}

/* @segments: by instance */
static void bo_add_stats(struct quire_bo *bo, struct drm_memory_stats *segments)
{
	u32 instance = quire_segment_instance(quire_bo_mem_type(&bo->base));
	struct drm_memory_stats *stats = &segments[instance];
	struct drm_gem_object *obj = &bo->base.base;
	enum drm_gem_object_status status = bo_status(bo);

	if (drm_gem_object_is_shared_for_memory_stats(obj))
		stats->shared += obj->size;
	else
		stats->private += obj->size;

	if (status & DRM_GEM_OBJECT_RESIDENT)
		stats->resident += obj->size;
	if (!dma_resv_test_signaled(obj->resv, DMA_RESV_USAGE_BOOKKEEP))
		stats->active += obj->size;
	else if (status & DRM_GEM_OBJECT_PURGEABLE)
		stats->purgeable += obj->size;
}

/* The next object of the file from @id on, with a reference. */
static struct drm_gem_object *file_next_object(struct drm_file *file, int *id)
{
	struct drm_gem_object *obj;

	spin_lock(&file->table_lock);
	obj = idr_get_next(&file->object_idr, id);
	if (obj)
		drm_gem_object_get(obj);
	spin_unlock(&file->table_lock);
	return obj;
}

/**
 * quire_bo_show_fdinfo - &drm_driver.show_fdinfo
 * @p: where to print
 * @file: whose objects
 */
void quire_bo_show_fdinfo(struct drm_printer *p, struct drm_file *file)
{
	const enum drm_gem_object_status reported = DRM_GEM_OBJECT_RESIDENT |
						    DRM_GEM_OBJECT_PURGEABLE |
						    DRM_GEM_OBJECT_ACTIVE;
	struct drm_memory_stats segments[QUIRE_SEGMENT_COUNT] = { };
	struct drm_gem_object *obj;
	unsigned int i;
	int id = 0;

	for (; (obj = file_next_object(file, &id)); id++) {
		int ret = dma_resv_lock_interruptible(obj->resv, NULL);

		if (!ret) {
			bo_add_stats(gem_to_quire_bo(obj), segments);
			dma_resv_unlock(obj->resv);
		}
		drm_gem_object_put(obj);
		if (ret)
			return;
	}

	for (i = 0; i < QUIRE_SEGMENT_COUNT; i++)
		drm_print_memory_stats(p, &segments[i], reported, quire_segment_find(i)->name);
}
