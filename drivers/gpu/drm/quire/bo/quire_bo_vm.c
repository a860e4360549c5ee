// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Objects in the address space of programs
 *
 * A CPU fault brings an object out of the invisible part of VRAM, waits for its moves, checks that
 * they succeeded, and then maps some pages: of an image in VRAM through a swizzling range
 * (quire_range.c), of an object in the aperture perhaps through the window (quire_window.c). A
 * move takes the mappings away again, so a mapping never shows an old place, or one without the
 * content after a failed move.
 *
 * SIGBUS is raised for a purged object, for one that can not be brought in reach (no memory), and
 * for every object once the device is unplugged. A mapping holds a reference of the GEM object, so
 * that the last one always goes through &drm_gem_object_funcs.free.
 *
 * Locking: the reservation lock, taken as ttm_bo_vm_reserve() does it: with mmap_lock dropped if
 * it has to wait. A signal ends the waits of a fault for that lock, for moves and for a paging
 * buffer, but not those for taking back an interrupted move, which the watchdog ends. No fault
 * waits for a move inside of drm_dev_enter(), so that unplug does not wait for it.
 */
#include <linux/minmax.h>

#include <drm/drm_drv.h>
#include <drm/drm_vma_manager.h>
#include <drm/ttm/ttm_resource.h>

#include "core/quire_compat.h"
#include "core/quire_refuse.h"
#include "quire_bo.h"
#include "quire_bo_layout.h"
#include "quire_bo_visible.h"
#include "quire_bo_vm.h"
#include "quire_offered.h"
#include "quire_range.h"
#include "quire_window.h"

/* The longest time that a fault may hold up other callers that need the object. */
#define QUIRE_FAULT_MOMENT	((long)HZ / 10)

/*
 * Without memory the access is not tried again (VM_FAULT_OOM): the allocations have called the OOM
 * killer where that may help. ttm_bo_vm_fault_reserved() does the same.
 */
static vm_fault_t fault_from_error(int error)
{
	switch (error) {
	case 0:
		return 0;
	case -EAGAIN:
	case -EBUSY:
	case -EINTR:
	case -ERESTARTSYS:
		return VM_FAULT_NOPAGE; /* the access is tried again, after the signal */
	default:
		return VM_FAULT_SIGBUS;
	}
}

static vm_fault_t bo_fault_wait_others(struct quire_bo *bo, struct vm_fault *vmf)
{
	if (vmf->flags & FAULT_FLAG_TRIED) {
		/*
		 * The second try must keep mmap_lock. With the reservation no more fences come:
		 * short ones are waited for, else the access begins anew.
		 */
		if (quire_bo_must_stay(bo) ||
		    quire_bo_wait_others_killable(bo, QUIRE_FAULT_MOMENT) <= 0)
			return VM_FAULT_NOPAGE;
		return fault_from_error(quire_bo_vm_make_visible(bo, true));
	}

	drm_gem_object_get(&bo->base.base);
	mmap_read_unlock(vmf->vma->vm_mm);
	dma_resv_unlock(bo->base.base.resv);
	if (!(vmf->flags & FAULT_FLAG_USER)) {
		/* A system call takes a signal that is not fatal after the access. */
		if (quire_bo_wait_planned_killable(bo, QUIRE_BUSY_TIMEOUT) > 0)
			quire_bo_wait_others_killable(bo, QUIRE_BUSY_TIMEOUT);
	} else if (quire_bo_wait_planned(bo, QUIRE_BUSY_TIMEOUT)) {
		quire_bo_wait_others(bo, true, QUIRE_BUSY_TIMEOUT);
	}
	drm_gem_object_put(&bo->base.base);
	return VM_FAULT_RETRY;
}

static vm_fault_t bo_fault_prepare(struct quire_bo *bo, struct vm_fault *vmf)
{
	if (quire_bo_is_purged(bo))
		return VM_FAULT_SIGBUS;
	if (bo->base.resource && quire_bo_is_visible(bo))
		return 0;
	if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return VM_FAULT_RETRY;
	if (vmf->flags & FAULT_FLAG_ALLOW_RETRY &&
	    (quire_bo_must_stay(bo) || quire_bo_has_others(bo)))
		return bo_fault_wait_others(bo, vmf);
	return fault_from_error(quire_bo_vm_make_visible(bo, true));
}

/*
 * As ttm_bo_vm_fault_reserved() would, which inserts in the same step: a fault that may be retried
 * waits without mmap_lock, and gives up the reservation.
 */
static vm_fault_t bo_fault_wait(struct quire_bo *bo, struct vm_fault *vmf)
{
	struct dma_resv *resv = bo->base.base.resv;

	if (dma_resv_test_signaled(resv, DMA_RESV_USAGE_KERNEL))
		return 0;
	if (!fault_flag_allow_retry_first(vmf->flags))
		return fault_from_error(quire_bo_vm_wait_moved(bo, true));
	if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return VM_FAULT_RETRY;

	drm_gem_object_get(&bo->base.base);
	mmap_read_unlock(vmf->vma->vm_mm);
	quire_bo_vm_wait_moved(bo, true);
	dma_resv_unlock(resv);
	drm_gem_object_put(&bo->base.base);
	return VM_FAULT_RETRY;
}

static vm_fault_t bo_fault_down_read(struct rw_semaphore *access, struct vm_fault *vmf)
{
	if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return down_read_trylock(access) ? 0 : VM_FAULT_RETRY;
	return down_read_killable(access) ? VM_FAULT_NOPAGE : 0;
}

static vm_fault_t bo_fault_insert_pages(struct vm_fault *vmf)
{
	return ttm_bo_vm_fault_reserved(vmf, vmf->vma->vm_page_prot, TTM_BO_VM_NUM_PREFAULT);
}

/* A thief of the range takes the mapping away, but not before it is there. */
static vm_fault_t bo_fault_insert_range(struct quire_bo *bo, struct vm_fault *vmf)
{
	struct quire_ranges *ranges = quire_bo_device(bo)->ranges;
	vm_fault_t ret;

	if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT) {
		if (!mutex_trylock(&ranges->lock))
			return VM_FAULT_RETRY;
	} else if (mutex_lock_killable(&ranges->lock)) {
		return VM_FAULT_NOPAGE;
	}
	/* All ranges are taken: the access is tried again, and the image leaves VRAM. */
	ret = VM_FAULT_NOPAGE;
	if (quire_range_acquire(bo))
		ret = bo_fault_insert_pages(vmf);
	mutex_unlock(&ranges->lock);
	return ret;
}

static vm_fault_t bo_fault_insert_aperture(struct quire_bo *bo, struct vm_fault *vmf)
{
	struct quire_window *window = quire_bo_device(bo)->window;
	struct ttm_bus_placement *bus = &bo->base.resource->bus;
	vm_fault_t ret;

	ret = bo_fault_down_read(&window->access, vmf);
	if (ret)
		return ret;
	if (quire_window_shows(bo)) {
		atomic64_inc(&window->faults);
		/*
		 * TTM maps what @bus says, here alone: when TTM copies for us (quire_move.c), the
		 * aperture may show something else by then. The window is not cached, even if the
		 * pages are.
		 */
		bus->offset = quire_window_address(quire_bo_device(bo), bo->base.resource);
		bus->is_iomem = true;
		ret = ttm_bo_vm_fault_reserved(vmf, pgprot_noncached(vmf->vma->vm_page_prot),
					       TTM_BO_VM_NUM_PREFAULT);
		bus->is_iomem = false;
		bus->offset = 0;
	} else {
		ret = bo_fault_insert_pages(vmf);
	}
	up_read(&window->access);
	return ret;
}

static vm_fault_t bo_fault_insert(struct quire_bo *bo, struct vm_fault *vmf)
{
	struct quire_device *qdev = quire_bo_device(bo);
	vm_fault_t ret;
	int idx;

	/* A reset of the function holds a fault up for a fraction of a second. */
	ret = bo_fault_down_read(&qdev->vram_access, vmf);
	if (ret)
		return ret;

	ret = VM_FAULT_SIGBUS;
	if (drm_dev_enter(&qdev->drm, &idx)) {
		if (quire_bo_is_purged(bo))
			ret = VM_FAULT_SIGBUS;
		else if (quire_bo_vm_by_range(bo))
			ret = bo_fault_insert_range(bo, vmf);
		else if (quire_bo_vm_by_window(bo))
			ret = bo_fault_insert_aperture(bo, vmf);
		else
			ret = bo_fault_insert_pages(vmf);
		drm_dev_exit(idx);
	}
	up_read(&qdev->vram_access);
	return ret;
}

/*
 * A fault that may not be retried keeps mmap_lock, and with it the object, while it waits, once,
 * for foreign fences; if more come, quire_bo_vm_make_visible() waits.
 */
static vm_fault_t bo_fault_reserve(struct quire_bo *bo, struct vm_fault *vmf)
{
	vm_fault_t ret = ttm_bo_vm_reserve(&bo->base, vmf);
	long left;

	if (ret || vmf->flags & FAULT_FLAG_ALLOW_RETRY || quire_bo_is_visible(bo) ||
	    !quire_bo_has_others(bo))
		return ret;
	dma_resv_unlock(bo->base.base.resv);
	left = quire_bo_wait_others_killable(bo, QUIRE_BUSY_TIMEOUT);
	if (left < 0)
		return VM_FAULT_SIGBUS;
	return left ? ttm_bo_vm_reserve(&bo->base, vmf) : VM_FAULT_NOPAGE;
}

static vm_fault_t quire_bo_fault(struct vm_fault *vmf)
{
	struct ttm_buffer_object *tbo = vmf->vma->vm_private_data;
	struct quire_bo *bo = ttm_to_quire_bo(tbo);
	vm_fault_t ret;

	ret = bo_fault_reserve(bo, vmf);
	if (ret)
		return ret;

	ret = bo_fault_prepare(bo, vmf) ?: bo_fault_wait(bo, vmf);
	if (!ret && bo->swizzled && vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		ret = VM_FAULT_RETRY;
	ret = ret ?: fault_from_error(quire_bo_unswizzle(bo, true)) ?: bo_fault_insert(bo, vmf);

	/* The lock is dropped with a retry. */
	if (ret == VM_FAULT_RETRY && !(vmf->flags & FAULT_FLAG_RETRY_NOWAIT))
		return ret;
	quire_offered_update(bo);
	dma_resv_unlock(tbo->base.resv);
	return ret;
}

/* vm_private_data is the object for TTM and for GEM. */
static_assert(!offsetof(struct ttm_buffer_object, base));

/* Counted before it is there: an object that leaves VRAM from now on has the form that it shows. */
static void quire_bo_vm_open(struct vm_area_struct *vma)
{
	atomic_inc(&ttm_to_quire_bo(vma->vm_private_data)->mappings);
	drm_gem_vm_open(vma);
}

static void quire_bo_vm_close(struct vm_area_struct *vma)
{
	atomic_dec(&ttm_to_quire_bo(vma->vm_private_data)->mappings);
	drm_gem_vm_close(vma);
}

const struct vm_operations_struct quire_bo_vm_ops = {
	.fault = quire_bo_fault,
	.open = quire_bo_vm_open,
	.close = quire_bo_vm_close,
	.access = quire_bo_vm_access,
};

/**
 * quire_bo_mmap - &drm_gem_object_funcs.mmap
 * @obj: the object; a reference for the mapping was taken
 * @vma: to set up
 *
 * drm_gem_ttm_mmap() of 6.12 would take a reference of TTM instead, and munmap() would free.
 *
 * Returns: 0; -EINVAL a private mapping; -EACCES a writable one of a fence.
 */
int quire_bo_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	const char *fence = quire_bo_fence_name(gem_to_quire_bo(obj));

	if (fence && vma->vm_flags & VM_WRITE)
		return quire_refuse(obj->dev, -EACCES, "mmap: a %s fence is read-only", fence);
	/* A copy of a page would never see a move. */
	if (vma_is_cow_mapping(vma))
		return -EINVAL;

	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP);
	if (fence)
		vm_flags_clear(vma, VM_MAYWRITE);
	atomic_inc(&gem_to_quire_bo(obj)->mappings);
	return 0;
}

/**
 * quire_bo_vm_block - take VRAM from the CPU
 * @qdev: the device; its BAR 2 is about to go for a while
 *
 * Writes before are in VRAM; accesses from now on wait for quire_bo_vm_unblock(), which the same
 * task calls.
 */
void quire_bo_vm_block(struct quire_device *qdev)
{
	down_write(&qdev->vram_access);
	unmap_mapping_range(qdev->ttm.dev_mapping, 0, 0, 1);
	quire_ranges_forget(qdev);
}
