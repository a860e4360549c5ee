/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BO_VM_H
#define QUIRE_BO_VM_H

#include "quire_range.h"
#include "quire_window.h"

/*
 * Wait for the moves of a reserved object: 0, or -ERESTARTSYS. If they failed, quire_bo_is_purged()
 * says so. Inside of drm_dev_enter() an unplug waits as well.
 */
static inline int quire_bo_vm_wait_moved(struct quire_bo *bo, bool interruptible)
{
	long ret = dma_resv_wait_timeout(bo->base.base.resv, DMA_RESV_USAGE_KERNEL, interruptible,
					 MAX_SCHEDULE_TIMEOUT);

	return min(ret, 0);
}

/* Take VRAM from the CPU until quire_bo_vm_unblock(), by the same task. Writes before are there. */
static inline void quire_bo_vm_block(struct quire_device *qdev)
{
	down_write(&qdev->vram_access);
	unmap_mapping_range(qdev->ttm.dev_mapping, 0, 0, 1);
	quire_ranges_forget(qdev);
}

/* BAR 2 is there again: give VRAM back to the CPU. */
static inline void quire_bo_vm_unblock(struct quire_device *qdev)
{
	up_write(&qdev->vram_access);
}

extern const struct vm_operations_struct quire_bo_vm_ops;

int quire_bo_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma);
int quire_bo_vm_make_visible(struct quire_bo *bo, bool interruptible);
unsigned long quire_bo_io_mem_pfn(struct ttm_buffer_object *tbo, unsigned long page_offset);

#endif
