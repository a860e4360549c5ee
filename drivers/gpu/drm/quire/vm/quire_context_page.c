// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Pages of contexts
 *
 * What the device keeps of a context with an address space: a page of system memory that is never
 * moved or evicted. So a fault that is latched there can always be read.
 *
 * The device makes it, on the paging ring and through one of its windows (quire_paging_space.c),
 * all in one paging buffer::
 *
 *     UPDATE_PAGE_TABLE           window --> the page
 *     FLUSH_TLB                   the page of the window
 *     INIT_CONTEXT_RESOURCE       a context without an address space, and without a fault
 *     UPDATE_CONTEXT_ALLOCATION   its root
 *
 * The creator of a context waits for that with nothing held, and a signal ends the wait. The
 * packets still write the page later, so it belongs to the address space: contexts borrow it, and
 * the next one has it made anew. It is freed with the address space, which waits for the device.
 *
 * A context without an address space is none to the device. The page of the paging ring itself is
 * made by the CPU, without packets.
 *
 * Locking: &quire_context_pages.lock for the list; taken in the work of schedulers.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, InitContextResource;
 * DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION; DXGKDDI_SETROOTPAGETABLE.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "paging/quire_paging.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_space.h"
#include "queue/quire_paging_work.h"
#include "bo/quire_bo.h"
#include "quire_context_page.h"
#include "quire_vm.h"

/* Either would do. */
#define CONTEXT_WINDOW	QUIRE_PAGING_WINDOW_DESTINATION

#define CONTEXT_BYTES	(QUIRE_CONTEXT_WINDOW_BYTES + \
			 sizeof(struct quire_packet_init_context) + \
			 sizeof(struct quire_packet_update_context) + sizeof(__le64))

/**
 * quire_context_pages_init - there are none
 * @pages: to initialise
 */
void quire_context_pages_init(struct quire_context_pages *pages)
{
	spin_lock_init(&pages->lock);
	INIT_LIST_HEAD(&pages->idle);
	xa_init_flags(&pages->saves, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
}

static void page_free(struct quire_context_page *page, struct drm_device *drm)
{
	if (page->area)
		dma_free_coherent(drm->dev, sizeof(*page->area), page->area, page->dma);
	dma_fence_put(page->made);
	kfree(page);
}

/**
 * quire_context_pages_fini - free them, when the device does not write them any more
 * @pages: the pages; no context has one, or will
 * @drm: the device
 */
void quire_context_pages_fini(struct quire_context_pages *pages, struct drm_device *drm)
{
	struct quire_context_page *page, *next;

	list_for_each_entry_safe(page, next, &pages->idle, link) {
		if (page->made)
			dma_fence_wait(page->made, false);
		page_free(page, drm);
	}
	INIT_LIST_HEAD(&pages->idle);
	xa_destroy(&pages->saves);
}

/**
 * quire_vm_add_flush - FLUSH_TLB of a range
 * @list: that it is added to
 * @root: of the address space
 * @start: first address
 * @end: behind the last; 0, with @start 0: all addresses
 * Returns: 0, or an error of quire_paging_list_add().
 */
int quire_vm_add_flush(struct quire_paging_list *list, struct quire_paging_pte root, u64 start,
		       u64 end)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_FLUSH_TLB,
		.u.flush_tlb = {
			.root = root,
			.start_virtual_address = start,
			.end_virtual_address = end,
		},
	};

	return quire_paging_list_add(list, &args);
}

/**
 * quire_context_add_window - show a page in the window
 * @work: list that it is added to, in a buffer with all that uses the window
 * @entry: what leads to the page
 * Returns: 0, or an error of quire_paging_list_add().
 */
int quire_context_add_window(struct quire_paging_work *work, const struct quire_paging_pte *entry)
{
	const u64 address = quire_paging_window_address(CONTEXT_WINDOW);
	struct quire_paging_args update = {
		.operation = QUIRE_PAGING_UPDATE_PAGE_TABLE,
		.u.update_page_table = {
			.update_mode = QUIRE_PAGE_TABLE_GPU_VIRTUAL,
			.page_table_address.gpu_virtual = quire_paging_window_table(CONTEXT_WINDOW),
			.page_table_entries = entry,
			.num_page_table_entries = 1,
			.first_pte_virtual_address = address,
		},
	};

	return quire_paging_list_add(&work->list, &update) ?:
	       quire_vm_add_flush(&work->list, work->queue->space.root, address,
				  address + QUIRE_PAGE_SIZE);
}

/**
 * quire_context_add_page - show what the device keeps of a context in the window
 * @work: as of quire_context_add_window()
 * @page: of the context
 * Returns: 0, or an error of quire_paging_list_add().
 */
int quire_context_add_page(struct quire_paging_work *work, const struct quire_context_page *page)
{
	const struct quire_paging_pte entry = {
		.flags = QUIRE_PTE(QUIRE_SEGMENT_SYSTEM, 0, QUIRE_PTE_VALID |
				   QUIRE_PTE_NO_EXECUTE | QUIRE_PTE_CACHE_COHERENT),
		.page = page->dma >> QUIRE_PAGE_SHIFT,
	};

	return quire_context_add_window(work, &entry);
}

/**
 * quire_context_add_init - INIT_CONTEXT_RESOURCE of the page in the window
 * @work: as of quire_context_add_window()
 * @save_area: it becomes a save area; else a context without an address space, and without a fault
 * Returns: 0, or an error of quire_paging_list_add().
 */
int quire_context_add_init(struct quire_paging_work *work, bool save_area)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_INIT_CONTEXT_RESOURCE,
		.u.init_context = {
			.is_virtual = true,
			.address = quire_paging_window_address(CONTEXT_WINDOW),
			.save_area = save_area,
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

/**
 * quire_context_add_update - UPDATE_CONTEXT_ALLOCATION of the page in the window
 * @work: as of quire_context_add_window()
 * @offset: of a 64-bit member of struct quire_context_area
 * @value: that it gets
 * Returns: 0, or an error of quire_paging_list_add().
 */
int quire_context_add_update(struct quire_paging_work *work, u32 offset, u64 value)
{
	const __le64 data = cpu_to_le64(value);
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION,
		.u.update_context = {
			.context_allocation = quire_paging_window_address(CONTEXT_WINDOW),
			.context_allocation_size = QUIRE_PAGE_SIZE,
			.driver_private_data = &data,
			.driver_private_data_size = sizeof(data),
			.offset = offset,
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

static int page_make(struct quire_context_page *page, struct quire_vm *vm)
{
	struct quire_batch batch = { vm->qdev->paging_queue, vm->usage };
	struct quire_paging_work work;
	struct dma_fence *fence;
	int ret;

	quire_paging_work_init(&work, &batch, NULL, CONTEXT_BYTES, true);
	ret = quire_paging_work_begin_whole(&work, CONTEXT_BYTES) ?:
	      quire_context_add_page(&work, page) ?: quire_context_add_init(&work, false) ?:
	      quire_context_add_update(&work, offsetof(struct quire_context_area, root),
				       quire_vm_root(vm));
	quire_paging_work_end_whole(&work);
	fence = quire_paging_list_finish(&work.list, ret);
	if (IS_ERR(fence))
		return PTR_ERR(fence);
	dma_fence_put(page->made);
	page->made = fence;
	return 0;
}

/**
 * quire_context_page_get - have a page made for a new context
 * @vm: its address space
 *
 * Queued when it returns: see &quire_context_page.made. To be called inside of drm_dev_enter().
 *
 * Returns: the page; or -ENOMEM, -ENODEV; -ERESTARTSYS a signal came before there was a paging
 * buffer.
 */
struct quire_context_page *quire_context_page_get(struct quire_vm *vm)
{
	struct quire_context_pages *pages = &vm->context_pages;
	struct drm_device *drm = &vm->qdev->drm;
	struct quire_context_page *page;
	int ret;

	spin_lock(&pages->lock);
	page = list_first_entry_or_null(&pages->idle, struct quire_context_page, link);
	if (page)
		list_del_init(&page->link);
	spin_unlock(&pages->lock);
	if (!page) {
		page = kzalloc(sizeof(*page), GFP_KERNEL_ACCOUNT);
		if (!page)
			return ERR_PTR(-ENOMEM);
		page->area = dma_alloc_coherent(drm->dev, sizeof(*page->area), &page->dma,
						GFP_KERNEL_ACCOUNT);
		if (!page->area) {
			page_free(page, drm);
			return ERR_PTR(-ENOMEM);
		}
	}
	ret = page_make(page, vm);
	if (!ret)
		return page;
	quire_context_page_put(page, vm);
	return ERR_PTR(ret);
}

/**
 * quire_context_page_put - give the page of a context back, and drop its save area
 * @page: of quire_context_page_get(); nothing is executed with it any more
 * @vm: the address space, which the device knows
 *
 * Also in the work of a scheduler.
 */
void quire_context_page_put(struct quire_context_page *page, struct quire_vm *vm)
{
	struct quire_context_pages *pages = &vm->context_pages;
	struct quire_context_save *save = &page->save;

	if (save->bo) {
		xa_erase(&pages->saves, save->id);
		drm_gem_object_put(&save->bo->base.base);
	}
	*save = (struct quire_context_save) { };
	spin_lock(&pages->lock);
	list_add(&page->link, &pages->idle);
	spin_unlock(&pages->lock);
}

/**
 * quire_context_save_next - go through the save areas of an address space
 * @pages: of the address space; nothing is held, and nothing is waited for
 * @index: where to begin; returned: where there is one
 * Returns: the first one from there on, with a reference, or NULL.
 */
struct quire_bo *quire_context_save_next(struct quire_context_pages *pages, unsigned long *index)
{
	struct quire_bo *bo;

	xa_lock(&pages->saves);
	bo = xa_find(&pages->saves, index, ULONG_MAX, XA_PRESENT);
	if (bo)
		drm_gem_object_get(&bo->base.base);
	xa_unlock(&pages->saves);
	return bo;
}
