// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Memory statistics
 *
 * What /proc/PID/fdinfo says of a program's objects: for the regions system,
 * vram and aperture the keys of Documentation/gpu/drm-usage-stats.rst. A region
 * is a segment. Purgeable is what is dropped when its room is wanted: DONTNEED and
 * idle, in VRAM, or with pages that nobody else can have. Page tables count in VRAM, though
 * programs have no handle of them; one that was given up is in no region. So do save areas of
 * contexts, where they are.
 *
 * Nobody waits here, see quire_file_show_fdinfo().
 */
#include <linux/bitfield.h>
#include <linux/dma-resv.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_print.h>
#include <drm/ttm/ttm_tt.h>

#include "quire_bo.h"
#include "quire_compat.h"
#include "quire_context_save.h"
#include "quire_device.h"
#include "quire_file.h"
#include "quire_segment.h"
#include "quire_vm.h"

/* What is published: the instance of the segment, and above it the status. */
#define PUBLISHED_SEGMENT	GENMASK(7, 0)
#define PUBLISHED_STATUS	GENMASK(15, 8)
#define PUBLISHED_VIEW		BIT(16) /* with pages of a view, beside its place in VRAM */

/**
 * quire_bo_publish - let others know where an object is, without its lock
 * @bo: the object, reserved
 *
 * Its budget knows it, too. Every move does this; between moves it is done again when somebody
 * wants to know and nobody has the lock. So it is right when the object is idle, and what it was
 * before the move while it moves.
 */
void quire_bo_publish(struct quire_bo *bo)
{
	u32 mem_type = quire_bo_mem_type(&bo->base);
	u32 status = 0;

	dma_resv_assert_held(bo->base.base.resv);

	if (mem_type == QUIRE_PL_VRAM || (bo->base.ttm && ttm_tt_is_populated(bo->base.ttm)))
		status |= DRM_GEM_OBJECT_RESIDENT;
	if (mem_type == QUIRE_PL_VRAM ? bo->dontneed : quire_bo_is_offered(bo))
		status |= DRM_GEM_OBJECT_PURGEABLE;
	WRITE_ONCE(bo->published,
		   FIELD_PREP(PUBLISHED_SEGMENT, quire_segment_instance(mem_type)) |
		   FIELD_PREP(PUBLISHED_STATUS, status) |
		   FIELD_PREP(PUBLISHED_VIEW, !!bo->view));
	quire_budget_moved(bo, quire_segment_instance(mem_type));
}

/**
 * quire_bo_published_segment - where is an object, or was it before it moved?
 * @bo: the object; nothing is held
 *
 * Returns: instance of the segment.
 */
u32 quire_bo_published_segment(const struct quire_bo *bo)
{
	return FIELD_GET(PUBLISHED_SEGMENT, READ_ONCE(bo->published));
}

/* Never waits for the lock: who has it may wait for the device. */
static u32 bo_published(struct quire_bo *bo)
{
	if (dma_resv_trylock(bo->base.base.resv)) {
		quire_bo_publish(bo);
		dma_resv_unlock(bo->base.base.resv);
	}
	return READ_ONCE(bo->published);
}

/* @segments: by instance */
static void bo_add_stats(struct quire_bo *bo, u32 published, struct drm_memory_stats *segments)
{
	u32 status = FIELD_GET(PUBLISHED_STATUS, published);
	struct drm_memory_stats *stats = &segments[FIELD_GET(PUBLISHED_SEGMENT, published)];
	struct drm_gem_object *obj = &bo->base.base;

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

/* What it has kept is system memory that nobody else gets. */
static void view_add_stats(struct quire_bo *bo, struct drm_memory_stats *segments)
{
	struct drm_memory_stats *stats = &segments[quire_segment_instance(QUIRE_PL_SYSTEM)];

	if (!FIELD_GET(PUBLISHED_VIEW, READ_ONCE(bo->published)))
		return;
	stats->private += bo->base.base.size;
	stats->resident += bo->base.base.size;
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

static void objects_add_stats(struct drm_file *file, struct drm_memory_stats *segments)
{
	struct drm_gem_object *obj;
	int id = 0;

	for (; (obj = file_next_object(file, &id)); id++) {
		struct quire_bo *bo = gem_to_quire_bo(obj);

		bo_add_stats(bo, bo_published(bo), segments);
		view_add_stats(bo, segments);
		drm_gem_object_put(obj);
	}
}

/* Of the kernel: where it takes memory; not the caller's any more. */
static void kernel_add_stats(struct quire_bo *bo, struct drm_memory_stats *segments)
{
	u32 published = bo_published(bo);

	if (FIELD_GET(PUBLISHED_STATUS, published) & DRM_GEM_OBJECT_RESIDENT)
		bo_add_stats(bo, published, segments);
	drm_gem_object_put(&bo->base.base);
}

static void tables_add_stats(struct quire_vm_tables *tables, u32 level,
			     struct drm_memory_stats *segments)
{
	unsigned long index = 0;
	struct quire_bo *bo;

	for (; (bo = quire_vm_tables_next(tables, level, &index)); index++)
		kernel_add_stats(bo, segments);
}

static void saves_add_stats(struct quire_context_pages *pages, struct drm_memory_stats *segments)
{
	unsigned long index = 0;
	struct quire_bo *bo;

	for (; (bo = quire_context_save_next(pages, &index)); index++)
		kernel_add_stats(bo, segments);
}

static void vms_add_stats(struct drm_file *file, struct drm_memory_stats *segments)
{
	unsigned long id = 0;
	struct quire_vm *vm;
	u32 level;

	for (; (vm = quire_vm_next(file, &id)); id++) {
		for (level = 0; level < QUIRE_VM_LEVELS; level++)
			tables_add_stats(&vm->pages, level, segments);
		saves_add_stats(&vm->context_pages, segments);
		quire_vm_put(vm);
	}
}

/**
 * quire_bo_show_fdinfo - print where the memory of a file is
 * @p: where to print
 * @file: whose objects
 *
 * Each object counts once, in the segment where it is, or was before a move that is
 * being queued; and the pages of an alternate view that it has kept in VRAM count as system
 * memory.
 */
void quire_bo_show_fdinfo(struct drm_printer *p, struct drm_file *file)
{
	const enum drm_gem_object_status reported = DRM_GEM_OBJECT_RESIDENT |
						    DRM_GEM_OBJECT_PURGEABLE |
						    DRM_GEM_OBJECT_ACTIVE;
	struct drm_memory_stats segments[QUIRE_SEGMENT_COUNT] = { };
	unsigned int i;

	objects_add_stats(file, segments);
	vms_add_stats(file, segments);
	for (i = 0; i < QUIRE_SEGMENT_COUNT; i++)
		drm_print_memory_stats(p, &segments[i], reported, quire_segment_find(i)->name);
}
