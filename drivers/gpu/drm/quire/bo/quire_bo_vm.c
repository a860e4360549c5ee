// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Objects in the address space of programs
 *
 * A CPU fault brings an object out of the invisible part of VRAM, waits for its moves, checks that
 * they succeeded, and maps some pages: of an image in VRAM through a swizzling range, of an object
 * in the aperture perhaps through the window. A move takes the mappings away again. SIGBUS is
 * raised for a purged object, for one that can not be brought in reach (no memory), and for every
 * object once the device is unplugged.
 *
 * Locking: the reservation lock, taken as ttm_bo_vm_reserve() does it: with mmap_lock dropped if it
 * has to wait. A signal ends the waits of a fault for that lock, for moves and for a paging buffer,
 * but not those for taking back an interrupted move, which the watchdog ends. No fault waits for a
 * move inside of drm_dev_enter(), so that unplug does not wait for it.
 */

/**
 * DOC: The window of the aperture
 *
 * Programs see an object that asks for it through the device, in BAR 1, while it is in the
 * aperture. Where an aperture page is not mapped, BAR 1 shows nothing that a program may see, and
 * loses writes. So mappings are taken away before a reset takes the aperture from the device, and
 * come back with it. Of a device that was given up the pages are mapped.
 *
 * Locking: &quire_window.access. Closing waits for tasks that get a mapping, and these do not wait
 * for the device, so recovery can do that.
 *
 * Source: DXGK_ALLOCATIONINFOFLAGS, MapApertureCpuVisible.
 */
#include <linux/highmem.h>
#include <linux/io.h>
#include <linux/pci.h>

#include <drm/drm_drv.h>
#include <drm/drm_vma_manager.h>

#include "core/quire_compat.h"
#include "core/quire_refuse.h"
#include "core/quire_regs.h"
#include "hw/quire_device_guard.h"
#include "quire_bo_vm.h"
#include "quire_vram_mgr.h"

/**
 * quire_window_init - find out if there is a window
 * @qdev: the device, its registers are there, and the size of its aperture is known
 *
 * Returns: 0, or -ENODEV if the device says nonsense.
 */
int quire_window_init(struct quire_device *qdev)
{
	struct pci_dev *pdev = to_pci_dev(qdev->drm.dev);
	struct quire_window *window = qdev->window;

	init_rwsem(&window->access);
	window->base = pci_resource_start(pdev, QUIRE_BAR_WINDOW);
	window->size = round_down(quire_read64(qdev->regs, QUIRE_REG_WINDOW_SIZE_LO), PAGE_SIZE);
	if (window->size > qdev->aperture_size ||
	    window->size > pci_resource_len(pdev, QUIRE_BAR_WINDOW)) {
		drm_err(&qdev->drm, "window makes no sense: %#llx of %#llx, BAR %#llx\n",
			window->size, qdev->aperture_size,
			(u64)pci_resource_len(pdev, QUIRE_BAR_WINDOW));
		return -ENODEV;
	}
	window->evicted[0] = (struct ttm_place) {
		.mem_type = QUIRE_PL_APERTURE,
		.lpfn = window->size >> PAGE_SHIFT,
		.flags = TTM_PL_FLAG_DESIRED,
	};
	window->evicted[1] = quire_system_place;
	return 0;
}

/* In the aperture, and for the window: is it there? Else the CPU has to use its pages. */
static bool window_shows(struct quire_bo *bo)
{
	struct quire_device *qdev = quire_bo_device(bo);

	lockdep_assert_held(&qdev->window->access);

	return !bo->unmapped && !quire_device_is_wedged(qdev);
}

/*
 * Into the visible part of VRAM if that has room, unless it is an image, else out of VRAM; nothing
 * is evicted for it. While a placement waits for its turn or has it, to system memory: the room is
 * for that one. -EBUSY: foreign fences, or else placements would wait with it.
 */
static int bo_make_visible(struct quire_bo *bo, bool interruptible)
{
	struct quire_device *qdev = quire_bo_device(bo);
	struct quire_validation validation = {
		.qdev = qdev,
		.ctx.base.interruptible = interruptible,
	};
	unsigned int first = quire_bo_is_tiled(bo);
	struct ttm_place places[] = {
		{
			.mem_type = QUIRE_PL_VRAM,
			.lpfn = qdev->vram_visible >> PAGE_SHIFT,
			.flags = TTM_PL_FLAG_DESIRED,
		},
		quire_system_place,
		quire_system_place,
	};
	int ret;

	if (!bo->base.resource)
		return quire_bo_validate(bo, &quire_system_place, 1, &validation.ctx.base);
	if (quire_bo_is_visible(bo))
		return 0;
	if (quire_bo_has_others(bo))
		return -EBUSY;
	if (quire_bo_allows(bo, QUIRE_PL_APERTURE)) {
		quire_bo_aperture_place(bo, &places[1]);
		places[1].flags |= TTM_PL_FLAG_DESIRED;
	}
	quire_validation_enter(&validation);
	ret = quire_validation_place(&validation, bo, places + first, ARRAY_SIZE(places) - first);
	quire_validation_leave(&validation, ret);
	if (validation.mode == QUIRE_VALIDATION_STAYS)
		ret = quire_bo_validate(bo, &quire_system_place, 1, &validation.ctx.base);
	return ret;
}

/**
 * quire_bo_io_mem_pfn - &ttm_device_funcs.io_mem_pfn
 * @tbo: in visible VRAM, reserved, an image with a range that nobody steals; or in the window
 * @page_offset: pages from its start, inside of the object
 *
 * Returns: the page frame number for the CPU.
 */
unsigned long quire_bo_io_mem_pfn(struct ttm_buffer_object *tbo, unsigned long page_offset)
{
	struct quire_device *qdev = ttm_to_quire(tbo->bdev);
	struct quire_ranges *ranges = qdev->ranges;
	struct quire_bo *bo = ttm_to_quire_bo(tbo);

	if (tbo->resource->mem_type == QUIRE_PL_APERTURE)
		return PHYS_PFN(quire_window_address(qdev, tbo->resource)) + page_offset;
	if (quire_bo_is_tiled(bo)) {
		lockdep_assert_held(&ranges->lock);
		return PHYS_PFN(ranges->base + (bo->range - ranges->ranges) * ranges->size) +
		       page_offset;
	}
	return PHYS_PFN(qdev->vram_base + quire_vram_page_offset(tbo->resource, page_offset));
}

/**
 * quire_bo_vm_make_visible - queue the move that brings an object in reach of the CPU
 * @bo: the object, reserved; not inside of drm_dev_enter()
 * @interruptible: whether the waits end with a signal
 *
 * Waits for foreign fences with the lock held: callers wait before, if they can.
 *
 * Returns: 0, also where no move is needed; -EBUSY foreign fences did not end in 15 seconds;
 * -ENOMEM; -ERESTARTSYS; -ENODEV the device is gone.
 */
int quire_bo_vm_make_visible(struct quire_bo *bo, bool interruptible)
{
	int ret = 0, idx;

	if (!quire_bo_is_visible(bo))
		ret = quire_bo_wait_patiently(bo, interruptible);
	if (ret)
		return ret;
	if (!drm_dev_enter(&quire_bo_device(bo)->drm, &idx))
		return -ENODEV;
	ret = bo_make_visible(bo, interruptible);
	drm_dev_exit(idx);
	return ret;
}

/* The longest time that a fault may hold up other callers that need the object. */
#define QUIRE_FAULT_MOMENT	((long)HZ / 10)

/*
 * Without memory the access is not tried again (VM_FAULT_OOM): the allocations have called the OOM
 * killer where that may help. ttm_bo_vm_fault_reserved() does the same.
 */
static vm_fault_t fault_from_error(int error)
{
	/* The access is tried again, after the signal. */
	if (error == -EAGAIN || error == -EBUSY || error == -EINTR || error == -ERESTARTSYS)
		return VM_FAULT_NOPAGE;
	return error ? VM_FAULT_SIGBUS : 0;
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
	pgprot_t prot = vmf->vma->vm_page_prot;
	vm_fault_t ret;

	ret = bo_fault_down_read(&window->access, vmf);
	if (ret)
		return ret;
	if (window_shows(bo)) {
		atomic64_inc(&window->faults);
		/*
		 * TTM maps what @bus says, here alone: when TTM copies for us (quire_move.c), the
		 * aperture may show something else by then. The window is not cached, even if the
		 * pages are.
		 */
		bus->offset = quire_window_address(quire_bo_device(bo), bo->base.resource);
		bus->is_iomem = true;
		prot = pgprot_noncached(prot);
	}
	ret = ttm_bo_vm_fault_reserved(vmf, prot, TTM_BO_VM_NUM_PREFAULT);
	bus->is_iomem = false;
	bus->offset = 0;
	up_read(&window->access);
	return ret;
}

static vm_fault_t bo_fault_insert(struct quire_bo *bo, struct vm_fault *vmf)
{
	struct quire_device *qdev = quire_bo_device(bo);
	u32 mem_type = quire_bo_mem_type(&bo->base);
	vm_fault_t ret;
	int idx;

	ret = bo_fault_down_read(&qdev->vram_access, vmf);
	if (ret)
		return ret;

	ret = VM_FAULT_SIGBUS;
	if (drm_dev_enter(&qdev->drm, &idx)) {
		if (quire_bo_is_purged(bo))
			ret = VM_FAULT_SIGBUS;
		else if (mem_type == QUIRE_PL_VRAM && quire_bo_is_tiled(bo))
			ret = bo_fault_insert_range(bo, vmf);
		else if (mem_type == QUIRE_PL_APERTURE && quire_window_is_for(bo))
			ret = bo_fault_insert_aperture(bo, vmf);
		else
			ret = bo_fault_insert_pages(vmf);
		drm_dev_exit(idx);
	}
	up_read(&qdev->vram_access);
	return ret;
}

static vm_fault_t quire_bo_fault(struct vm_fault *vmf)
{
	struct quire_bo *bo = ttm_to_quire_bo(vmf->vma->vm_private_data);
	vm_fault_t ret = ttm_bo_vm_reserve(&bo->base, vmf);
	long left;

	if (ret)
		return ret;
	/*
	 * A fault that may not be retried keeps mmap_lock, and with it the object, while it waits,
	 * once, for foreign fences; if more come, quire_bo_vm_make_visible() waits.
	 */
	if (!(vmf->flags & FAULT_FLAG_ALLOW_RETRY) && !quire_bo_is_visible(bo) &&
	    quire_bo_has_others(bo)) {
		dma_resv_unlock(bo->base.base.resv);
		left = quire_bo_wait_others_killable(bo, QUIRE_BUSY_TIMEOUT);
		if (left <= 0)
			return left ? VM_FAULT_SIGBUS : VM_FAULT_NOPAGE;
		ret = ttm_bo_vm_reserve(&bo->base, vmf);
		if (ret)
			return ret;
	}

	ret = bo_fault_prepare(bo, vmf) ?: bo_fault_wait(bo, vmf);
	if (!ret && bo->swizzled)
		ret = vmf->flags & FAULT_FLAG_RETRY_NOWAIT ? VM_FAULT_RETRY :
		      fault_from_error(quire_bo_unswizzle(bo, true));
	ret = ret ?: bo_fault_insert(bo, vmf);

	/* The lock is dropped with a retry. */
	if (ret == VM_FAULT_RETRY && !(vmf->flags & FAULT_FLAG_RETRY_NOWAIT))
		return ret;
	quire_offered_update(bo);
	dma_resv_unlock(bo->base.base.resv);
	return ret;
}

static int access_device_page(struct quire_bo *bo, unsigned long offset, void *buf, int len,
			      int write)
{
	phys_addr_t address = PFN_PHYS(quire_bo_io_mem_pfn(&bo->base, offset >> PAGE_SHIFT));
	void __iomem *page;

	if (quire_bo_mem_type(&bo->base) == QUIRE_PL_VRAM)
		page = ioremap_wc(address, PAGE_SIZE);
	else
		page = ioremap(address, PAGE_SIZE);
	if (!page)
		return -ENOMEM;
	if (write)
		memcpy_toio(page + offset_in_page(offset), buf, len);
	else
		memcpy_fromio(buf, page + offset_in_page(offset), len);
	iounmap(page);
	return 0;
}

static int access_pages(struct quire_bo *bo, bool device, unsigned long offset, void *buf,
			int len, int write)
{
	struct ttm_operation_ctx ctx = { };
	int done, bytes, ret;

	ret = device ? 0 : ttm_bo_populate(&bo->base, &ctx);
	for (done = 0; done < len && !ret; done += bytes) {
		bytes = min_t(int, len - done, PAGE_SIZE - offset_in_page(offset));
		/* Pages by a mapping that may be cached, whatever the object is: see quire_tt.c. */
		if (device)
			ret = access_device_page(bo, offset, buf + done, bytes, write);
		else if (write)
			memcpy_to_page(bo->base.ttm->pages[offset >> PAGE_SHIFT],
				       offset_in_page(offset), buf + done, bytes);
		else
			memcpy_from_page(buf + done, bo->base.ttm->pages[offset >> PAGE_SHIFT],
					 offset_in_page(offset), bytes);
		offset += bytes;
	}
	return ret ?: len;
}

/* -EAGAIN: it can not be reached there any more. */
static int bo_try_access(struct quire_bo *bo, unsigned long offset, void *buf, int len,
			 int write)
{
	struct quire_device *qdev = quire_bo_device(bo);
	u32 mem_type;
	int ret, idx;

	ret = quire_bo_vm_make_visible(bo, false) ?: quire_bo_vm_wait_moved(bo, false) ?:
	      quire_bo_unswizzle(bo, false);
	if (ret)
		return ret;
	if (!drm_dev_enter(&qdev->drm, &idx))
		return -EIO;
	down_read(&qdev->vram_access);
	mem_type = quire_bo_mem_type(&bo->base);
	if (quire_bo_is_purged(bo)) {
		ret = -EIO;
	} else if (mem_type == QUIRE_PL_VRAM && quire_bo_is_tiled(bo)) {
		guard(mutex)(&qdev->ranges->lock);
		ret = -EAGAIN;
		if (quire_range_acquire(bo))
			ret = access_pages(bo, true, offset, buf, len, write);
	} else if (mem_type == QUIRE_PL_APERTURE && quire_window_is_for(bo)) {
		guard(rwsem_read)(&qdev->window->access);
		ret = access_pages(bo, window_shows(bo), offset, buf, len, write);
	} else {
		ret = access_pages(bo, mem_type == QUIRE_PL_VRAM, offset, buf, len, write);
	}
	up_read(&qdev->vram_access);
	drm_dev_exit(idx);
	return ret;
}

/*
 * A split submission keeps the object for the length of a wait budget, which counts for all pages
 * together: another thread that wants mmap_lock may wait for this one. Foreign fences are waited
 * for once; if more come, quire_bo_vm_make_visible() waits.
 */
static int bo_reserve_for_access(struct quire_bo *bo)
{
	struct quire_patience patience;
	bool waited = false;
	long left = 1;
	int ret;

	quire_take_patience(&bo->access_patience, &patience);
	for (;;) {
		ret = ttm_bo_reserve(&bo->base, false, false, NULL);
		if (ret)
			break;
		if (left && quire_bo_must_stay(bo)) {
			ttm_bo_unreserve(&bo->base);
			left = quire_bo_wait_planned_killable(bo, quire_patience_left(&patience));
			if (left < 0)
				return -EIO;
		} else if (!waited && !quire_bo_is_visible(bo) && quire_bo_has_others(bo)) {
			ttm_bo_unreserve(&bo->base);
			if (quire_bo_wait_others_killable(bo, QUIRE_BUSY_TIMEOUT) <= 0)
				return -EIO;
			waited = true;
		} else {
			break;
		}
	}
	quire_keep_patience(&bo->access_patience, &patience);
	return ret;
}

/*
 * For debuggers: the bytes that a program sees, where a fault would map them. TTM's own function
 * does not wait for moves of objects in system memory. Only a fatal signal ends a wait: ptrace has
 * no -ERESTARTSYS.
 */
static int quire_bo_vm_access(struct vm_area_struct *vma, unsigned long addr, void *buf, int len,
			      int write)
{
	struct quire_bo *bo = ttm_to_quire_bo(vma->vm_private_data);
	unsigned long first = vma->vm_pgoff - drm_vma_node_start(&bo->base.base.vma_node);
	unsigned long offset = addr - vma->vm_start + (first << PAGE_SHIFT);
	int ret;

	if (len < 1 || offset + len > bo->base.base.size)
		return -EIO;
	if (write && quire_bo_fence_name(bo))
		return -EACCES;

	ret = bo_reserve_for_access(bo);
	if (ret)
		return ret;
	do {
		ret = bo_try_access(bo, offset, buf, len, write);
	} while (ret == -EAGAIN);
	quire_offered_update(bo);
	ttm_bo_unreserve(&bo->base);
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
