/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BO_VM_H
#define QUIRE_BO_VM_H

#include "core/quire_placement.h"
#include "quire_bo.h"
#include "quire_bo_layout.h"
#include "quire_window.h"

/* Does the CPU reach the object, where it is, by a swizzling range? */
static inline bool quire_bo_vm_by_range(struct quire_bo *bo)
{
	return quire_bo_mem_type(&bo->base) == QUIRE_PL_VRAM && quire_bo_is_tiled(bo);
}

/* By the window of the aperture, if there is one? */
static inline bool quire_bo_vm_by_window(struct quire_bo *bo)
{
	return quire_bo_mem_type(&bo->base) == QUIRE_PL_APERTURE && quire_window_is_for(bo);
}

/* BAR 2 is there again: give VRAM back to the CPU. */
static inline void quire_bo_vm_unblock(struct quire_device *qdev)
{
	up_write(&qdev->vram_access);
}

/* quire_bo_vm.c */
extern const struct vm_operations_struct quire_bo_vm_ops;

int quire_bo_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma);
void quire_bo_vm_block(struct quire_device *qdev);

/* quire_bo_access.c */
int quire_bo_vm_access(struct vm_area_struct *vma, unsigned long addr, void *buf, int len,
		       int write);

#endif
