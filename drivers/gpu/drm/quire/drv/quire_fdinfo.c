// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Memory statistics
 *
 * What /proc/PID/fdinfo says of a program's objects: for the regions system, vram and aperture the
 * keys of Documentation/gpu/drm-usage-stats.rst. A region is a segment. Purgeable is content that
 * is dropped when its room is wanted: DONTNEED and idle, in VRAM, or with pages that are not
 * shared. Page tables count in VRAM, though programs have no handle of them; one that was given up
 * counts nowhere. Save areas of contexts count where they are.
 */
#include <linux/bitfield.h>
#include <linux/dma-resv.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_print.h>
#include <drm/ttm/ttm_tt.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "core/quire_file_types.h"
#include "core/quire_placement.h"
#include "hw/quire_ring.h"
#include "hw/quire_usage.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_publish.h"
#include "bo/quire_segment.h"
#include "vm/quire_context_page.h"
#include "vm/quire_vm.h"
#include "vm/quire_vm_table.h"
#include "exec/quire_execution.h"
#include "quire_file.h"

/* @segments: by instance */
static void bo_add_stats(struct quire_bo *bo, u32 published, struct drm_memory_stats *segments)
{
	u32 status = FIELD_GET(QUIRE_PUBLISHED_STATUS, published);
	struct drm_memory_stats *stats = &segments[FIELD_GET(QUIRE_PUBLISHED_SEGMENT, published)];
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
	struct drm_memory_stats *system = &segments[quire_segment_instance(QUIRE_PL_SYSTEM)];
	struct drm_gem_object *obj;
	int id = 0;

	for (; (obj = file_next_object(file, &id)); id++) {
		struct quire_bo *bo = gem_to_quire_bo(obj);

		bo_add_stats(bo, quire_bo_published(bo), segments);
		/* Pages that an alternate view has kept are memory that nobody else gets. */
		if (FIELD_GET(QUIRE_PUBLISHED_VIEW, READ_ONCE(bo->published))) {
			system->private += obj->size;
			system->resident += obj->size;
		}
		drm_gem_object_put(obj);
	}
}

/* Of the kernel: where it takes memory; not the caller's any more. */
static void kernel_add_stats(struct quire_bo *bo, struct drm_memory_stats *segments)
{
	u32 published = quire_bo_published(bo);

	if (FIELD_GET(QUIRE_PUBLISHED_STATUS, published) & DRM_GEM_OBJECT_RESIDENT)
		bo_add_stats(bo, published, segments);
	drm_gem_object_put(&bo->base.base);
}

static void vms_add_stats(struct drm_file *file, struct drm_memory_stats *segments)
{
	unsigned long id = 0, index;
	struct quire_bo *bo;
	struct quire_vm *vm;
	u32 level;

	for (; (vm = quire_vm_next(file, &id)); id++) {
		for (level = 0; level < QUIRE_VM_LEVELS; level++)
			for (index = 0; (bo = quire_vm_tables_next(&vm->pages, level, &index));
			     index++)
				kernel_add_stats(bo, segments);
		for (index = 0; (bo = quire_context_save_next(&vm->context_pages, &index)); index++)
			kernel_add_stats(bo, segments);
		quire_vm_put(vm);
	}
}

/*
 * Each object counts once, in the segment where it is, or was before a move that is being queued;
 * and the pages of an alternate view that it has kept in VRAM count as system memory.
 */
static void show_memory(struct drm_printer *p, struct drm_file *file)
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

/* Time of the engines. What is at work counts as far as it is; no time is ever less than before. */
static void show_usage(struct drm_printer *p, struct quire_device *qdev,
		       const struct quire_usage *usage)
{
	u64 execution = 0;
	u32 i;

	drm_printf(p, "drm-engine-paging:\t%llu ns\n",
		   quire_ring_usage(qdev->paging_ring, usage));
	if (!qdev->nr_executions)
		return;
	for (i = 0; i < qdev->nr_executions; i++)
		execution += quire_ring_usage(&qdev->executions[i].ring, usage);
	drm_printf(p, "drm-engine-execution:\t%llu ns\n", execution);
	drm_printf(p, "drm-engine-capacity-execution:\t%u\n", qdev->nr_executions);
}

/**
 * quire_file_show_fdinfo - &drm_driver.show_fdinfo
 * @p: where to print
 * @file: of whom
 *
 * Never waits: the DRM core calls this inside of drm_dev_enter(), and monitors ask while the device
 * is busy or hangs.
 */
void quire_file_show_fdinfo(struct drm_printer *p, struct drm_file *file)
{
	show_usage(p, to_quire_device(file->minor->dev), to_quire_file(file)->usage);
	show_memory(p, file);
}
