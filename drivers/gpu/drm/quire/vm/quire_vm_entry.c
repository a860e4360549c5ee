// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Page-table entries
 *
 * Entries are written by the device, by UPDATE_PAGE_TABLE at the places that tables have in VRAM:
 * those that eviction and revalidation change by the paging queue, in its order; those of a bind by
 * jobs of bind queues (quire_bind_job.c). Such jobs and commands wait for the paging queue
 * (&quire_vm_tables.written).
 *
 * The TLB holds valid entries only. When one becomes invalid, or leads elsewhere, FLUSH_TLB follows
 * in the same list, or a notice that does the same for pages (quire_vm_notice.c).
 *
 * Where all of a table of level 0 leads to one aligned run of memory, the entry above it is that of
 * a page of 2 MiB. The table keeps its entries: when less than all of it changes, the entry leads
 * to the table again, behind the change, and the rest is the same page by either way::
 *
 *     level 1   ...| LARGE -------------------------+
 *                                                   v
 *     level 0   [ 512 entries ] --> page 0, 1, ... of 2 MiB in one run
 *
 * Locking: &quire_vm_tables.lock, from where tables are looked up until what writes there is
 * pushed, or is known to be executed while they stay where they are.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE, DXGK_BUILDPAGINGBUFFER_FLUSHTLB.
 */
#include <linux/delay.h>

#include "paging/quire_paging_list.h"
#include "core/quire_device_types.h"
#include "core/quire_placement.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_cursor.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_work.h"
#include "bo/quire_bo.h"
#include "quire_vm.h"

/* Between two tries to flush all of an address space. */
#define FORGET_MS	10

static u64 table_address(const struct quire_bo *bo)
{
	return (u64)bo->base.resource->start << PAGE_SHIFT;
}

/* Entries of one table, from @tables->entries. */
static int add_update(struct quire_vm_tables *tables, struct quire_paging_list *list,
		      u32 level, struct quire_bo *table, u32 start, u32 count, u32 flags)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_UPDATE_PAGE_TABLE,
		.u.update_page_table = {
			.page_table_level = level,
			.update_mode = QUIRE_PAGE_TABLE_GPU_PHYSICAL,
			.page_table_entries = tables->entries,
			.start_index = start,
			.num_page_table_entries = count,
			.flags = flags,
		},
	};
	union quire_page_table_address *address = &args.u.update_page_table.page_table_address;

	address->gpu_physical.segment = table ? QUIRE_SEGMENT_VRAM : QUIRE_SEGMENT_SYSTEM;
	address->gpu_physical.offset = table ? table_address(table) : tables->root_dma;
	return quire_paging_list_add(list, &args);
}

/* The entry in the place of a table, one level above. The root, of level 3, is no object. */
static int add_above(struct quire_vm_tables *tables, struct quire_paging_list *list, u32 level,
		     unsigned long index, u64 flags, u64 page)
{
	struct quire_bo *parent = NULL;

	if (level + 1 < QUIRE_VM_LEVELS)
		parent = xa_load(&tables->levels[level + 1], index >> QUIRE_PT_LEVEL_BITS);
	tables->entries[0] = (struct quire_paging_pte) { .flags = flags, .page = page };
	return add_update(tables, list, level + 1, parent, index % QUIRE_PT_ENTRIES, 1, 0);
}

static int add_entry_of_table(struct quire_vm_tables *tables, struct quire_paging_list *list,
			      u32 level, unsigned long index, struct quire_bo *bo)
{
	return add_above(tables, list, level, index,
			 QUIRE_PTE(QUIRE_SEGMENT_VRAM, 0, QUIRE_PTE_VALID),
			 table_address(bo) >> QUIRE_PAGE_SHIFT);
}

/* From above: a table is empty before something below it is. */
static int add_links(struct quire_vm_tables *tables, struct quire_paging_list *list)
{
	struct quire_bo *bo;
	unsigned long index;
	u32 level = QUIRE_VM_LEVELS;
	int ret;

	while (level--) {
		xa_for_each_marked(&tables->levels[level], index, bo, QUIRE_VM_UNLINKED) {
			/* The fill of new VRAM may have been given up, with no error here. */
			tables->entries[0] = (struct quire_paging_pte) { };
			ret = add_update(tables, list, level, bo, 0, 1, QUIRE_UPDATE_INITIAL) ?:
			      add_entry_of_table(tables, list, level, index, bo);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/* Of a range with an object: where its first page is. */
static void range_begin(const struct quire_vm_range *range, struct quire_cursor *cursor)
{
	struct ttm_resource *res = range->bo->base.resource;
	u64 n, pages = range->offset >> QUIRE_PAGE_SHIFT;

	if (quire_bo_is_fence(range->bo))
		quire_cursor_first_tt(cursor, range->bo->base.ttm);
	else if (res->mem_type == QUIRE_PL_VRAM)
		quire_cursor_first_vram(cursor, res);
	else
		quire_cursor_first_run(cursor, res);
	for (; pages; pages -= n) {
		n = min(pages, cursor->count);
		quire_cursor_skip(cursor, n);
	}
}

static u32 range_segment(const struct quire_vm_range *range)
{
	if (quire_bo_is_fence(range->bo))
		return QUIRE_SEGMENT_SYSTEM;
	return range->bo->base.resource->mem_type == QUIRE_PL_VRAM ? QUIRE_SEGMENT_VRAM :
								     QUIRE_SEGMENT_APERTURE;
}

/* One run of memory, as large as what a table has, and aligned. */
static bool is_large(const struct quire_cursor *cursor, u32 count)
{
	return count == QUIRE_PT_ENTRIES && cursor->count >= count &&
	       IS_ALIGNED(cursor->first, QUIRE_PT_ENTRIES);
}

static int write_large(struct quire_vm_tables *tables, struct quire_paging_list *list,
		       const struct quire_vm_range *range, u64 page, u64 address)
{
	unsigned long index = quire_vm_table_index(address, 0);

	/* For ever: packets that are written now may be executed long after others. */
	xa_set_mark(&tables->levels[0], index, QUIRE_VM_LARGE);
	return add_above(tables, list, 0, index,
			 QUIRE_PTE(range_segment(range), 0, range->bits | QUIRE_PTE_LARGE), page);
}

/**
 * quire_vm_write_small - replace a page of 2 MiB by its table, if there is or was one
 * @tables: the tables; @lock is held
 * @list: that it is added to, behind a change of a part of the table
 * @address: virtual address of something in the table, which is there
 * Returns: 0, or an error of quire_paging_list_add().
 */
int quire_vm_write_small(struct quire_vm_tables *tables, struct quire_paging_list *list,
			 u64 address)
{
	unsigned long index = quire_vm_table_index(address, 0);

	if (!xa_get_mark(&tables->levels[0], index, QUIRE_VM_LARGE))
		return 0;
	return add_entry_of_table(tables, list, 0, index, xa_load(&tables->levels[0], index));
}

/* The part of a range that is in one table. */
static int write_piece(struct quire_vm_tables *tables, struct quire_paging_list *list,
		       const struct quire_vm_range *range, struct quire_cursor *cursor,
		       u64 address, u32 count, u32 flags)
{
	u32 i, start = address >> QUIRE_PAGE_SHIFT & (QUIRE_PT_ENTRIES - 1);
	bool large = range->bo && is_large(cursor, count);
	u64 page = cursor->first;
	struct quire_bo *table;
	int ret;

	table = xa_load(&tables->levels[0], quire_vm_table_index(address, 0));
	if (!table)
		return -EIO;
	if (!range->bo) {
		tables->entries[0] = (struct quire_paging_pte) { .flags = range->bits };
		flags |= QUIRE_UPDATE_REPEAT;
	}
	for (i = 0; range->bo && i < count; i++) {
		tables->entries[i] = (struct quire_paging_pte) {
			.flags = QUIRE_PTE(range_segment(range), 0, range->bits),
			.page = cursor->first,
		};
		quire_cursor_skip(cursor, 1);
	}
	ret = add_update(tables, list, 0, table, start, count, flags);
	if (ret)
		return ret;
	return large ? write_large(tables, list, range, page, address) :
		       quire_vm_write_small(tables, list, address);
}

/* Where there is no table nothing is valid: skip to the next table. */
static u64 next_address(struct quire_vm_tables *tables, const struct quire_vm_range *range,
			u64 address)
{
	unsigned long index = quire_vm_table_index(address, 0);
	unsigned long found = index;

	if (range->bits)
		return address;
	if (!xa_find(&tables->levels[0], &found, quire_vm_table_index(range->end - 1, 0),
		     XA_PRESENT))
		return range->end;
	return found == index ? address : (u64)found << QUIRE_PT_SHIFT(1);
}

/**
 * quire_vm_write_range - have the entries of a range written
 * @tables: the tables, which are there unless entries become invalid; @lock is held
 * @list: that it is added to
 * @range: the range; an object is reserved, and in VRAM or the aperture, or a monitored fence
 * @flags: 0 or %QUIRE_UPDATE_NOTIFY_EVICTION
 * Returns: 0; -EIO there is no table; errors of quire_paging_list_add().
 */
int quire_vm_write_range(struct quire_vm_tables *tables, struct quire_paging_list *list,
			 const struct quire_vm_range *range, u32 flags)
{
	struct quire_cursor cursor = { };
	u64 address, end;
	int ret = 0;

	lockdep_assert_held(&tables->lock);

	if (range->bo)
		range_begin(range, &cursor);
	for (address = next_address(tables, range, range->start); address < range->end && !ret;
	     address = next_address(tables, range, end)) {
		end = min(range->end, ALIGN(address + 1, BIT_ULL(QUIRE_PT_SHIFT(1))));
		ret = write_piece(tables, list, range, &cursor, address,
				  (end - address) >> QUIRE_PAGE_SHIFT, flags);
		if (end == range->end)
			break;
	}
	return ret;
}

/* Ends a list of the paging queue. An empty one leaves the fence of the last one. */
static int finish(struct quire_vm_tables *tables, struct quire_paging_work *work, int ret)
{
	bool empty = quire_paging_list_is_empty(&work->list);
	struct dma_fence *fence = quire_paging_list_finish(&work->list, ret);

	if (IS_ERR(fence))
		return PTR_ERR(fence);
	if (empty) {
		dma_fence_put(fence);
		return 0;
	}
	dma_fence_put(tables->written);
	tables->written = fence;
	return 0;
}

static void begin(struct quire_vm_tables *tables, struct quire_batch *batch,
		  struct quire_paging_work *work)
{
	lockdep_assert_held(&tables->lock);

	quire_paging_work_init(work, batch, NULL, 0, false);
	work->lost = &tables->failed;
}

/* Write the entries of a bound range, or make them invalid as its object leaves. */
static int write_va(struct quire_vm_tables *tables, struct quire_paging_work *work,
		    struct drm_gpuva *va, bool valid)
{
	struct quire_bo *bo = va->gem.obj ? gem_to_quire_bo(va->gem.obj) : NULL;
	struct quire_vm_range range = {
		.start = va->va.addr,
		.end = va->va.addr + va->va.range,
	};
	int ret;

	if (!valid) {
		ret = quire_vm_write_range(tables, &work->list, &range,
					   QUIRE_UPDATE_NOTIFY_EVICTION);
		if (ret)
			return ret;
		if (quire_vm_is_noticed(bo))
			return quire_vm_notice(tables, work, bo, va->gem.offset, va->va.range);
		return quire_vm_add_flush(&work->list, tables->root, range.start, range.end);
	}
	range.bo = bo;
	range.offset = va->gem.offset;
	range.bits = to_quire_vma(va)->bits;
	return quire_vm_write_range(tables, &work->list, &range, 0);
}

/* First what leads to new tables, and what was not flushed before. */
static int begin_entries(struct quire_vm_tables *tables, struct quire_batch *batch,
			 struct quire_paging_work *work)
{
	int ret;

	begin(tables, batch, work);
	ret = add_links(tables, &work->list);
	if (!ret && tables->unflushed)
		ret = quire_vm_add_flush(&work->list, tables->root, 0, 0);
	return ret;
}

static int finish_entries(struct quire_vm_tables *tables, struct quire_paging_work *work, int ret)
{
	struct quire_bo *bo;
	unsigned long index;
	u32 level;

	ret = finish(tables, work, ret);
	if (ret) {
		tables->half_linked = true;
		return ret;
	}
	for (level = 0; level < QUIRE_VM_LEVELS; level++)
		xa_for_each_marked(&tables->levels[level], index, bo, QUIRE_VM_UNLINKED)
			xa_clear_mark(&tables->levels[level], index, QUIRE_VM_UNLINKED);
	tables->half_linked = false;
	tables->unflushed = false;
	return 0;
}

/**
 * quire_vm_write_before - have entries written that must be there while a bind waits
 * @tables: the tables, not lost; @lock is held; the address space is reserved, and what is bound
 *          at the ranges
 * @batch: of the call
 * @binds: what changes
 * @count: elements of @binds
 *
 * Those that lead to new tables. Also, an evicted object is not waited for once it is unbound,
 * which is before the bind is done: so entries for which there was no memory at the eviction, and
 * which lead to its old place, become invalid.
 *
 * &quire_vm_tables.written is the fence then, as after all that have entries written.
 *
 * Returns: 0; -ENOMEM, -ENODEV, -EIO.
 */
int quire_vm_write_before(struct quire_vm_tables *tables, struct quire_batch *batch,
			  const struct drm_quire_bind *binds, u32 count)
{
	struct drm_gpuvm *gpuvm = &tables->vm->base;
	struct quire_paging_work work;
	struct drm_gpuva *va;
	int ret = begin_entries(tables, batch, &work);
	u32 i;

	for (i = 0; i < count && !ret; i++)
		drm_gpuvm_for_each_va_range(va, gpuvm, binds[i].address,
					    binds[i].address + binds[i].size)
			if (!ret && va->vm_bo && va->vm_bo->evicted)
				ret = write_va(tables, &work, va, false);
	return finish_entries(tables, &work, ret);
}

/**
 * quire_vm_write_object - have all entries of an object written
 * @tables: the tables, not lost; @lock is held
 * @batch: of the call
 * @vm_bo: the object, reserved
 * @valid: they lead to the place that it has; else nowhere, and are flushed
 * Returns: 0; after an error some may be written, -ENOMEM, -ENODEV, -EIO.
 */
int quire_vm_write_object(struct quire_vm_tables *tables, struct quire_batch *batch,
			  struct drm_gpuvm_bo *vm_bo, bool valid)
{
	struct quire_paging_work work;
	struct drm_gpuva *va;
	int ret = begin_entries(tables, batch, &work);

	drm_gpuvm_bo_for_each_va(va, vm_bo)
		if (!ret)
			ret = write_va(tables, &work, va, valid);
	return finish_entries(tables, &work, ret);
}

/**
 * quire_vm_write_all - have all entries of an address space written
 * @tables: the tables, not lost; @lock is held; the address space is reserved with all objects
 *          in it
 * @batch: of the call
 *
 * Entries of what is evicted are written when it is brought back.
 *
 * Returns: 0; after an error some may be written, -ENOMEM, -ENODEV, -EIO.
 */
int quire_vm_write_all(struct quire_vm_tables *tables, struct quire_batch *batch)
{
	struct drm_gpuvm *gpuvm = &tables->vm->base;
	struct quire_paging_work work;
	struct drm_gpuva *va;
	int ret = begin_entries(tables, batch, &work);

	drm_gpuvm_for_each_va(va, gpuvm)
		if (!ret && !(va->vm_bo && va->vm_bo->evicted))
			ret = write_va(tables, &work, va, true);
	return finish_entries(tables, &work, ret);
}

/**
 * quire_vm_renew_tables - empty the root, after tables were lost
 * @tables: the tables; their address space is reserved, and @lock is held
 * @batch: of the call
 *
 * All other tables are dropped, and the TLB is flushed.
 *
 * Returns: 0, or an error, then they are lost as before.
 */
int quire_vm_renew_tables(struct quire_vm_tables *tables, struct quire_batch *batch)
{
	struct quire_paging_work work;
	int ret;

	WRITE_ONCE(tables->renewals, tables->renewals + 1);
	/* Who does not see that something failed sees this: command_prepare(). */
	smp_wmb();
	WRITE_ONCE(tables->failed, false);
	begin(tables, batch, &work);
	tables->entries[0] = (struct quire_paging_pte) { };
	ret = add_update(tables, &work.list, QUIRE_VM_LEVELS, NULL, 0, QUIRE_PT_ENTRIES,
			 QUIRE_UPDATE_REPEAT);
	if (!ret)
		ret = quire_vm_add_flush(&work.list, tables->root, 0, 0);
	ret = finish(tables, &work, ret);
	tables->lost = true;
	if (ret)
		return ret;
	quire_vm_tables_drop(tables);
	tables->lost = false;
	tables->half_linked = false;
	tables->incomplete = true;
	return 0;
}

/* Without memory, or if the buffer is given up; a device that is gone or wedged knows nothing. */
static bool is_forgotten_later(struct quire_device *qdev, int error)
{
	return (error == -ENOMEM || error == -EIO) && !quire_device_is_wedged(qdev);
}

/**
 * quire_vm_forget - have the device forget all of an address space
 * @tables: the tables; nothing is executed with them any more
 *
 * Waits until it has, if it is there, and tries until it succeeds: the page of the root is freed
 * next, and may become another root.
 */
void quire_vm_forget(struct quire_vm_tables *tables)
{
	struct quire_paging_work work;
	int ret;

	mutex_lock(&tables->lock);
	for (;;) {
		/* Earlier failures do not matter any more. */
		WRITE_ONCE(tables->failed, false);
		begin(tables, &tables->vm->qdev->paging_queue->unpaid, &work);
		ret = quire_vm_add_flush(&work.list, tables->root, 0, 0);
		ret = quire_paging_work_run(&work, ret);
		if (!is_forgotten_later(tables->vm->qdev, ret))
			break;
		msleep(FORGET_MS);
	}
	mutex_unlock(&tables->lock);
}
