// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Debuggers read and write the mapping of a program: the same bytes that the program sees, copied
 * where a CPU fault (quire_bo_vm.c) would map them.
 *
 * Locking: the reservation lock, and the locks that a fault takes to keep a place.
 */
#include <linux/highmem.h>
#include <linux/io.h>
#include <linux/minmax.h>

#include <drm/drm_drv.h>
#include <drm/drm_vma_manager.h>

#include "core/quire_compat.h"
#include "quire_bo.h"
#include "quire_bo_layout.h"
#include "quire_bo_visible.h"
#include "quire_bo_vm.h"
#include "quire_offered.h"
#include "quire_range.h"
#include "quire_window.h"

/* VRAM, or the window. */
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

/* By a mapping that may be cached, whatever the object is: see quire_tt.c. */
static int access_system_page(struct quire_bo *bo, unsigned long offset, void *buf, int len,
			      int write)
{
	struct ttm_operation_ctx ctx = { };
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

static int access_pages(struct quire_bo *bo, bool device, unsigned long offset, void *buf,
			int len, int write)
{
	int done = 0, ret = 0;

	while (done < len && !ret) {
		int bytes = min_t(int, len - done, PAGE_SIZE - offset_in_page(offset));

		if (device)
			ret = access_device_page(bo, offset, buf + done, bytes, write);
		else
			ret = access_system_page(bo, offset, buf + done, bytes, write);
		offset += bytes;
		done += bytes;
	}
	return ret ?: len;
}

/* -EAGAIN: it can not be reached there any more. */
static int bo_try_access(struct quire_bo *bo, unsigned long offset, void *buf, int len,
			 int write)
{
	struct quire_device *qdev = quire_bo_device(bo);
	int ret, idx;
	bool vram;

	ret = quire_bo_vm_make_visible(bo, false) ?: quire_bo_vm_wait_moved(bo, false) ?:
	      quire_bo_unswizzle(bo, false);
	if (ret)
		return ret;
	if (!drm_dev_enter(&qdev->drm, &idx))
		return -EIO;
	down_read(&qdev->vram_access);
	if (quire_bo_is_purged(bo)) {
		ret = -EIO;
	} else if (quire_bo_vm_by_range(bo)) {
		mutex_lock(&qdev->ranges->lock);
		ret = -EAGAIN;
		if (quire_range_acquire(bo))
			ret = access_pages(bo, true, offset, buf, len, write);
		mutex_unlock(&qdev->ranges->lock);
	} else if (quire_bo_vm_by_window(bo)) {
		down_read(&qdev->window->access);
		ret = access_pages(bo, quire_window_shows(bo), offset, buf, len, write);
		up_read(&qdev->window->access);
	} else {
		vram = quire_bo_mem_type(&bo->base) == QUIRE_PL_VRAM;
		ret = access_pages(bo, vram, offset, buf, len, write);
	}
	up_read(&qdev->vram_access);
	drm_dev_exit(idx);
	return ret;
}

/*
 * A split submission that needs the object in its place keeps it for the length of a wait budget,
 * which counts for all pages together: another thread that wants mmap_lock may wait for this one.
 * Foreign fences are waited for once; if more come, quire_bo_vm_make_visible() waits.
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

/**
 * quire_bo_vm_access - &vm_operations_struct.access: for debuggers
 * @vma: a mapping of an object
 * @addr: in it
 * @buf: what is read, or written
 * @len: bytes
 * @write: 1 to write, 0 to read
 *
 * Brings the object out of invisible VRAM as a fault does. TTM's own function does not wait for
 * moves of objects in system memory.
 *
 * Only a fatal signal ends a wait: ptrace has no -ERESTARTSYS. The watchdog ends waits for moves;
 * those for split submissions and for foreign fences end after 15 seconds.
 *
 * Returns: @len; -EACCES a write to a monitored or native fence; -EIO outside of the object, a
 * purged object, no device, or a fatal signal; -ENODEV no device; -ENOMEM, also for the pages of
 * the object; as quire_bo_vm_make_visible().
 */
int quire_bo_vm_access(struct vm_area_struct *vma, unsigned long addr, void *buf, int len,
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
