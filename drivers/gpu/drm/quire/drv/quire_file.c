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
#include <linux/slab.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_print.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "core/quire_file_types.h"
#include "core/quire_placement.h"
#include "hw/quire_ring.h"
#include "hw/quire_usage.h"
#include "bo/quire_bo.h"
#include "bo/quire_budget.h"
#include "bo/quire_bulk.h"
#include "bo/quire_segment.h"
#include "vm/quire_context_page.h"
#include "fence/quire_fence.h"
#include "vm/quire_vm.h"
#include "exec/quire_context.h"
#include "exec/quire_execution.h"
#include "quire_drv.h"

/* An open file, and what other parts of the driver keep of it: @base has pointers to that. */
struct file_state {
	struct quire_file base;
	struct quire_holds holds;
	struct quire_account account;
};

/**
 * quire_file_open - &drm_driver.open
 * @drm: the device
 * @file: opened
 *
 * Returns: 0, or -ENOMEM.
 */
int quire_file_open(struct drm_device *drm, struct drm_file *file)
{
	struct file_state *state = kzalloc(sizeof(*state), GFP_KERNEL_ACCOUNT);
	struct quire_file *qfile;

	if (!state)
		return -ENOMEM;
	qfile = &state->base;
	qfile->holds = &state->holds;
	qfile->account = &state->account;
	qfile->usage = quire_usage_create();
	if (!qfile->usage) {
		kfree(state);
		return -ENOMEM;
	}
	xa_init_flags(&qfile->contexts, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&qfile->vms, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	quire_holds_init(qfile->holds);
	quire_account_open(to_quire_device(drm), qfile->account, file);
	file->driver_priv = qfile;
	return 0;
}

/**
 * quire_file_postclose - &drm_driver.postclose
 * @drm: the device
 * @file: closed
 *
 * What was submitted is executed all the same, see quire_context_close().
 */
void quire_file_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct quire_file *qfile = to_quire_file(file);
	struct quire_context *context;
	struct quire_vm *vm;
	unsigned long id;

	xa_for_each(&qfile->contexts, id, context)
		quire_context_close(context);
	xa_for_each(&qfile->vms, id, vm)
		quire_vm_put(vm);
	xa_destroy(&qfile->contexts);
	xa_destroy(&qfile->vms);
	quire_holds_fini(qfile->holds);
	quire_account_close(to_quire_device(drm), qfile->account);
	quire_usage_put(qfile->usage);
	kfree(container_of(qfile, struct file_state, base));
}

/**
 * quire_file_release - &file_operations.release
 * @inode: of the node
 * @filp: the file
 *
 * Returns: 0.
 */
int quire_file_release(struct inode *inode, struct file *filp)
{
	struct drm_file *file = filp->private_data;

	quire_account_silence(to_quire_device(file->minor->dev), to_quire_file(file)->account);
	return drm_release(inode, filp);
}

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

static void objects_add_stats(struct drm_file *file, struct drm_memory_stats *segments)
{
	struct drm_memory_stats *system = &segments[quire_segment_instance(QUIRE_PL_SYSTEM)];
	struct drm_gem_object *obj;
	struct quire_bo *bo;
	int id;

	for (id = 0;; id++) {
		scoped_guard(spinlock, &file->table_lock) {
			obj = idr_get_next(&file->object_idr, &id);
			if (obj)
				drm_gem_object_get(obj);
		}
		if (!obj)
			return;
		bo = gem_to_quire_bo(obj);
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

	for (; (vm = quire_vm_next(file, &id, ULONG_MAX)); id++) {
		for (level = 0; level < QUIRE_VM_LEVELS; level++)
			for (index = 0; (bo = quire_vm_next_bo(&vm->pages.levels[level], &index));
			     index++)
				kernel_add_stats(bo, segments);
		for (index = 0; (bo = quire_vm_next_bo(&vm->context_pages.saves, &index)); index++)
			kernel_add_stats(bo, segments);
		quire_vm_put(vm);
	}
}

/**
 * quire_file_show_fdinfo - &drm_driver.show_fdinfo
 * @p: where to print
 * @file: of whom
 *
 * What is at work counts as far as it is; no time is ever less than before. Each object counts
 * once, where it is, or was before a move that is being queued. Never waits: the DRM core calls
 * this inside of drm_dev_enter(), and monitors ask while the device is busy or hangs.
 */
void quire_file_show_fdinfo(struct drm_printer *p, struct drm_file *file)
{
	struct quire_device *qdev = to_quire_device(file->minor->dev);
	const struct quire_usage *usage = to_quire_file(file)->usage;
	const enum drm_gem_object_status reported = DRM_GEM_OBJECT_RESIDENT |
						    DRM_GEM_OBJECT_PURGEABLE |
						    DRM_GEM_OBJECT_ACTIVE;
	struct drm_memory_stats segments[QUIRE_SEGMENT_COUNT] = { };
	u64 execution = 0;
	unsigned int i;

	drm_printf(p, "drm-engine-paging:\t%llu ns\n", quire_ring_usage(qdev->paging_ring, usage));
	if (qdev->nr_executions) {
		for (i = 0; i < qdev->nr_executions; i++)
			execution += quire_ring_usage(&qdev->executions[i].ring, usage);
		drm_printf(p, "drm-engine-execution:\t%llu ns\n", execution);
		drm_printf(p, "drm-engine-capacity-execution:\t%u\n", qdev->nr_executions);
	}

	objects_add_stats(file, segments);
	vms_add_stats(file, segments);
	for (i = 0; i < QUIRE_SEGMENT_COUNT; i++)
		drm_print_memory_stats(p, &segments[i], reported, quire_segment_find(i)->name);
}
