// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Pages of contexts
 *
 * What the device keeps of a context with an address space: a page of system memory that is never
 * moved or evicted. So a fault that is latched there can always be read.
 *
 * The device makes it, through a window of the paging ring, all in one paging buffer. The creator
 * of a context waits for that with nothing held, and a signal ends the wait. As packets write the
 * page later, it belongs to the address space: contexts borrow it, and the next one has it made
 * anew. It is freed with the address space, which waits for the device.
 *
 * Locking: &quire_context_pages.lock for the list; taken in the work of schedulers.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, InitContextResource;
 * DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION; DXGKDDI_SETROOTPAGETABLE.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "queue/quire_paging_queue.h"
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
 * quire_vm_show - describe that a window of the paging ring shows pages
 * @window: which
 * @entries: what leads to the pages; not read yet
 * @count: how many
 * Returns: UPDATE_PAGE_TABLE, for quire_paging_list_add().
 */
struct quire_paging_args quire_vm_show(enum quire_paging_window window,
				       const struct quire_paging_pte *entries, u32 count)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_UPDATE_PAGE_TABLE,
		.u.update_page_table = {
			.update_mode = QUIRE_PAGE_TABLE_GPU_VIRTUAL,
			.page_table_address.gpu_virtual = quire_paging_window_table(window),
			.first_pte_virtual_address = quire_paging_window_address(window),
			.page_table_entries = entries,
			.num_page_table_entries = count,
		},
	};

	return args;
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
	struct quire_paging_args update = quire_vm_show(CONTEXT_WINDOW, entry, 1);

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

/**
 * quire_context_page_get - have a page made for a new context
 * @vm: its address space
 *
 * Queued when it returns: see &quire_context_page.made. To be called inside of drm_dev_enter().
 *
 * Returns: the page; or -ENOMEM, -ENODEV; -ERESTARTSYS there was no paging buffer before a signal.
 */
struct quire_context_page *quire_context_page_get(struct quire_vm *vm)
{
	struct quire_batch batch = { vm->qdev->paging_queue, vm->usage };
	struct quire_context_pages *pages = &vm->context_pages;
	struct quire_context_page *page = NULL;
	struct quire_paging_work work;
	struct dma_fence *fence;
	int ret;

	scoped_guard(spinlock, &pages->lock) {
		page = list_first_entry_or_null(&pages->idle, struct quire_context_page, link);
		if (page)
			list_del_init(&page->link);
	}
	if (!page) {
		page = kzalloc(sizeof(*page), GFP_KERNEL_ACCOUNT);
		if (!page)
			return ERR_PTR(-ENOMEM);
		page->area = dma_alloc_coherent(vm->qdev->drm.dev, sizeof(*page->area),
						&page->dma, GFP_KERNEL_ACCOUNT);
		if (!page->area) {
			kfree(page);
			return ERR_PTR(-ENOMEM);
		}
	}
	quire_paging_work_init(&work, &batch, NULL, CONTEXT_BYTES, true);
	ret = quire_paging_work_begin_whole(&work, CONTEXT_BYTES) ?:
	      quire_context_add_page(&work, page) ?: quire_context_add_init(&work, false) ?:
	      quire_context_add_update(&work, offsetof(struct quire_context_area, root),
				       quire_vm_root(vm));
	quire_paging_work_end_whole(&work);
	fence = quire_paging_list_finish(&work.list, ret);
	if (IS_ERR(fence)) {
		quire_context_page_put(page, vm);
		return ERR_CAST(fence);
	}
	dma_fence_put(page->made);
	page->made = fence;
	return page;
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
