// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Notices of pages that go
 *
 * Pages that an object leaves in the aperture belong to the kernel soon, or to another object.
 * Before that the device is told, once for each range of addresses where they are bound::
 *
 *     UPDATE_PAGE_TABLE   the range                       --> nothing
 *     UPDATE_PAGE_TABLE   a window of the paging ring     --> the pages
 *     FLUSH_TLB           the window
 *     NOTIFY_ALLOC        EVICTION, if the pages are write-combined
 *     NOTIFY_ALLOC        IOMMU_UNMAP
 *
 * A notice is executed in the context of the paging ring and has an address there: at the address
 * of the program the device could remember the entries anew behind it. IOMMU_UNMAP takes the place
 * of a flush of the range: all entries of the pages are forgotten, and the copies that use them
 * have ended. The aperture shows the pages until the move, which comes behind all of this, takes
 * them away.
 *
 * EVICTION normally has nothing to write: a move waits for commands, which flush what they posted
 * at their end; what was given up has done so, too (quire_execution_recovery.c); and a move flushes
 * what it posts itself.
 *
 * VRAM that an object leaves stays the GPU's: its ranges are flushed, by one packet of any size.
 *
 * Locking: &quire_vm_tables.lock.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC.
 */

#include "core/quire_placement.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_space.h"
#include "queue/quire_paging_work.h"
#include "bo/quire_bo.h"
#include "quire_context_page.h"
#include "quire_vm_table.h"

#define NOTICE_WINDOW	QUIRE_PAGING_WINDOW_DESTINATION

/**
 * quire_vm_is_noticed - is the device told of pages that an object leaves?
 * @bo: the object, reserved
 * Returns: true if it is in the aperture, and its range there shows its pages.
 */
bool quire_vm_is_noticed(struct quire_bo *bo)
{
	return quire_bo_mem_type(&bo->base) == QUIRE_PL_APERTURE && !bo->unmapped;
}

/* The window shows pages of the aperture that follow each other. */
static void describe_window(struct quire_vm_tables *tables,
			    struct quire_paging_update_page_table *update, u64 first, u32 pages)
{
	u32 i;

	for (i = 0; i < pages; i++)
		tables->entries[i] = (struct quire_paging_pte) {
			.flags = QUIRE_PTE(QUIRE_SEGMENT_APERTURE, 0,
					   QUIRE_PTE_VALID | QUIRE_PTE_NO_EXECUTE),
			.page = first + i,
		};
	*update = (struct quire_paging_update_page_table) {
		.update_mode = QUIRE_PAGE_TABLE_GPU_VIRTUAL,
		.page_table_address.gpu_virtual = quire_paging_window_table(NOTICE_WINDOW),
		.page_table_entries = tables->entries,
		.num_page_table_entries = pages,
		.first_pte_virtual_address = quire_paging_window_address(NOTICE_WINDOW),
	};
}

static int add_notice(struct quire_paging_work *work, struct quire_bo *bo, u32 flags, u64 offset,
		      u32 pages)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_NOTIFY_ALLOC,
		.allocation = &bo->allocation,
		.u.notify_alloc = {
			.flags = flags,
			.offset_in_bytes = offset,
			.size_in_bytes = (u64)pages << QUIRE_PAGE_SHIFT,
			.gpu_virtual_address_at_offset = quire_paging_window_address(NOTICE_WINDOW),
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

/* In one buffer: windows are everybody's. */
static int notice_pages(struct quire_vm_tables *tables, struct quire_paging_work *work,
			struct quire_bo *bo, u64 offset, u32 pages)
{
	u64 first = (bo->base.resource->start << (PAGE_SHIFT - QUIRE_PAGE_SHIFT)) +
		    (offset >> QUIRE_PAGE_SHIFT);
	const u64 window = quire_paging_window_address(NOTICE_WINDOW);
	struct quire_paging_args args = { .operation = QUIRE_PAGING_UPDATE_PAGE_TABLE };
	u32 bytes;
	int ret;

	describe_window(tables, &args.u.update_page_table, first, pages);
	bytes = quire_paging_update_bytes(work->list.caps, &args.u.update_page_table) +
		sizeof(struct quire_packet_flush_tlb) +
		2 * sizeof(struct quire_packet_notify_allocation);
	ret = quire_paging_work_begin_whole(work, bytes);
	if (ret)
		return ret;
	ret = quire_paging_list_add(&work->list, &args) ?:
	      quire_vm_add_flush(&work->list, work->queue->space.root, window,
				 window + QUIRE_PAGING_WINDOW_PAGES * QUIRE_PAGE_SIZE);
	/* Pages that are not cached may have posted writes. */
	if (!ret && bo->base.ttm->caching != ttm_cached)
		ret = add_notice(work, bo, QUIRE_NOTIFY_EVICTION, offset, pages);
	ret = ret ?: add_notice(work, bo, QUIRE_NOTIFY_IOMMU_UNMAP, offset, pages);
	quire_paging_work_end_whole(work);
	return ret;
}

/**
 * quire_vm_notice - have the device forget pages that an object is about to leave
 * @tables: of an address space where they are bound; @work has made all their entries invalid;
 *          @lock is held
 * @work: list that it is added to
 * @bo: the object, reserved, quire_vm_is_noticed()
 * @offset: bytes from its start
 * @size: bytes, not 0
 * Returns: 0, or an error of quire_paging_list_add().
 *
 * Source: DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC.
 */
int quire_vm_notice(struct quire_vm_tables *tables, struct quire_paging_work *work,
		    struct quire_bo *bo, u64 offset, u64 size)
{
	const u64 window = QUIRE_PAGING_WINDOW_PAGES << QUIRE_PAGE_SHIFT;
	u64 end = offset + size;
	int ret = 0;

	lockdep_assert_held(&tables->lock);

	for (; offset < end && !ret; offset += window)
		ret = notice_pages(tables, work, bo, offset,
				   min(end - offset, window) >> QUIRE_PAGE_SHIFT);
	return ret;
}
