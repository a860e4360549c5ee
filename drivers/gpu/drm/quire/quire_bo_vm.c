// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Objects in the address space of programs
 *
 * A CPU fault brings an object out of the invisible part of VRAM, waits for
 * its moves, and maps some pages. A move takes the mappings away again, so a
 * mapping never shows an old place.
 *
 * SIGBUS is raised for a purged object, and for every object once the device
 * is unplugged.
 *
 * Locking: the reservation lock, taken as ttm_bo_vm_reserve() does it: with
 * mmap_lock dropped if it has to wait. Waits for other holders of the lock, for
 * moves and for a paging buffer end with a signal; those for discards that go before a
 * move and for what an interrupted move has to undo do not, but the watchdog ends them.
 */
#include <linux/dma-resv.h>
#include <linux/highmem.h>
#include <linux/io.h>
#include <linux/mm.h>

#include <drm/drm_drv.h>
#include <drm/drm_vma_manager.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_tt.h>

#include "quire_bo.h"
#include "quire_device.h"
#include "quire_ttm.h"

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
	case -ENOMEM:
		return VM_FAULT_OOM;
	default:
		return VM_FAULT_SIGBUS;
	}
}

/* Brings the object in reach; 0 if it is, or soon will be. */
static vm_fault_t bo_fault_prepare(struct quire_bo *bo, struct vm_fault *vmf)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };

	if (quire_bo_is_purged(bo))
		return VM_FAULT_SIGBUS;
	if (bo->base.resource && quire_bo_is_visible(bo))
		return 0;
	if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return VM_FAULT_RETRY;
	return fault_from_error(quire_bo_make_visible(bo, &ctx));
}

static vm_fault_t bo_fault_reserved(struct quire_bo *bo, struct vm_fault *vmf)
{
	vm_fault_t ret;

	ret = bo_fault_prepare(bo, vmf);
	if (ret)
		return ret;

	ret = ttm_bo_vm_fault_reserved(vmf, vmf->vma->vm_page_prot, TTM_BO_VM_NUM_PREFAULT);

	/* If that waited for a move, the move may have failed. */
	if (ret == VM_FAULT_NOPAGE && quire_bo_is_purged(bo)) {
		ttm_bo_unmap_virtual(&bo->base);
		ret = VM_FAULT_SIGBUS;
	}
	return ret;
}

static vm_fault_t quire_bo_fault(struct vm_fault *vmf)
{
	struct ttm_buffer_object *tbo = vmf->vma->vm_private_data;
	struct quire_device *qdev = ttm_to_quire(tbo->bdev);
	vm_fault_t ret;
	int idx;

	ret = ttm_bo_vm_reserve(tbo, vmf);
	if (ret)
		return ret;

	ret = VM_FAULT_SIGBUS;
	if (drm_dev_enter(&qdev->drm, &idx)) {
		ret = bo_fault_reserved(ttm_to_quire_bo(tbo), vmf);
		drm_dev_exit(idx);
	}

	/* TTM has dropped the lock when it says retry. */
	if (ret == VM_FAULT_RETRY && !(vmf->flags & FAULT_FLAG_RETRY_NOWAIT))
		return ret;
	dma_resv_unlock(tbo->base.resv);
	return ret;
}

static int access_vram_page(struct quire_bo *bo, unsigned long offset, void *buf, int len,
			    int write)
{
	unsigned long pfn = quire_ttm_io_mem_pfn(&bo->base, offset >> PAGE_SHIFT);
	void __iomem *page = ioremap_wc(PFN_PHYS(pfn), PAGE_SIZE);

	if (!page)
		return -ENOMEM;
	if (write)
		memcpy_toio(page + offset_in_page(offset), buf, len);
	else
		memcpy_fromio(buf, page + offset_in_page(offset), len);
	iounmap(page);
	return 0;
}

static int access_system_page(struct quire_bo *bo, unsigned long offset, void *buf, int len,
			      int write)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct page *page;
	int ret;

	ret = ttm_bo_populate(&bo->base, &ctx);
	if (ret)
		return ret;

	page = bo->base.ttm->pages[offset >> PAGE_SHIFT];
	if (write)
		memcpy_to_page(page, offset_in_page(offset), buf, len);
	else
		memcpy_from_page(buf, page, offset_in_page(offset), len);
	return 0;
}

static int access_prepare(struct quire_bo *bo)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	long ret;

	ret = quire_bo_make_visible(bo, &ctx);
	if (ret)
		return ret;

	ret = dma_resv_wait_timeout(bo->base.base.resv, DMA_RESV_USAGE_KERNEL, true,
				    MAX_SCHEDULE_TIMEOUT);
	if (ret < 0)
		return ret;
	return quire_bo_is_purged(bo) ? -EIO : 0;
}

static int access_pages(struct quire_bo *bo, unsigned long offset, void *buf, int len, int write)
{
	bool vram = quire_bo_mem_type(&bo->base) == QUIRE_PL_VRAM;
	int done = 0, ret = 0;

	while (done < len && !ret) {
		int bytes = min_t(int, len - done, PAGE_SIZE - offset_in_page(offset));

		if (vram)
			ret = access_vram_page(bo, offset, buf + done, bytes, write);
		else
			ret = access_system_page(bo, offset, buf + done, bytes, write);
		offset += bytes;
		done += bytes;
	}
	return ret ?: len;
}

static int bo_access(struct quire_bo *bo, unsigned long offset, void *buf, int len, int write)
{
	struct quire_device *qdev = quire_bo_device(bo);
	int ret, idx;

	if (!drm_dev_enter(&qdev->drm, &idx))
		return -EIO;

	ret = access_prepare(bo);
	if (!ret)
		ret = access_pages(bo, offset, buf, len, write);

	drm_dev_exit(idx);
	return ret;
}

/*
 * For debuggers. Brings the object out of invisible VRAM as a fault does. TTM's own
 * does not wait for moves of objects in system memory.
 */
static int quire_bo_vm_access(struct vm_area_struct *vma, unsigned long addr, void *buf,
			      int len, int write)
{
	struct ttm_buffer_object *tbo = vma->vm_private_data;
	unsigned long first = vma->vm_pgoff - drm_vma_node_start(&tbo->base.vma_node);
	unsigned long offset = addr - vma->vm_start + (first << PAGE_SHIFT);
	int ret;

	if (len < 1 || offset + len > tbo->base.size)
		return -EIO;

	ret = ttm_bo_reserve(tbo, true, false, NULL);
	if (ret)
		return ret;
	ret = bo_access(ttm_to_quire_bo(tbo), offset, buf, len, write);
	ttm_bo_unreserve(tbo);
	return ret;
}

const struct vm_operations_struct quire_bo_vm_ops = {
	.fault = quire_bo_fault,
	.open = ttm_bo_vm_open,
	.close = ttm_bo_vm_close,
	.access = quire_bo_vm_access,
};
