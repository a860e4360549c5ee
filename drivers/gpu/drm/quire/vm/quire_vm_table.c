// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Page tables
 *
 * An address space has a table of level 3, its root, in system memory. All other tables are objects
 * of a page in VRAM, private to the address space, made when a bind needs them. TTM may evict one
 * that is idle, which is dropped without a copy. Then all are lost: nothing is executed before the
 * next submission or bind makes them anew from drm_gpuvm (quire_vm_validate.c).
 *
 * Entries are written by the paging queue, or for a bind by jobs (quire_vm_bind.c), which wait for
 * the paging queue as commands do. The TLB holds valid entries only: when one becomes invalid, or
 * leads elsewhere, FLUSH_TLB follows in the same list, or a notice.
 *
 * Where all of a table of level 0 leads to one aligned run of memory, the entry above it is that of
 * a page of 2 MiB. The table keeps its entries: when less than all of it changes, the entry leads
 * to the table again, behind the change, and the rest is the same page by either way.
 *
 * Locking: the reservation of the address space for which tables there are; &quire_vm_tables.lock
 * inside of it, from where tables are looked up until what writes there is pushed, or is known to
 * be executed while they stay where they are.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE, DXGK_BUILDPAGINGBUFFER_FLUSHTLB.
 */
/**
 * DOC: Notices of pages that go
 *
 * Before an object leaves pages of the aperture the device is told, for each range of addresses
 * where they are bound: by NOTIFY_ALLOC of a window of the paging ring that shows them, for at the
 * address of the program the device could remember the entries anew. Instead of a flush IOMMU_UNMAP
 * has all entries of the pages forgotten, and the copies that use them end. EVICTION comes before
 * it for pages that are write-combined.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC.
 */
/**
 * DOC: Copies of page-table entries
 *
 * Only the device knows what a range of addresses leads to when its bind is executed: so
 * %DRM_QUIRE_BIND_COPY has it copy the entries. The windows of the paging ring show the tables, a
 * page for each piece, which is in one table on both sides; all in one paging buffer. Overlapping
 * ranges are copied in the order of memmove(), and each piece through a table of the paging ring: a
 * packet may be executed twice, so it reads nothing that it writes. Where the source has no table,
 * the entries of the target become invalid.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES.
 */
#include <linux/delay.h>
#include <linux/dma-fence.h>
#include <linux/math64.h>

#include "core/quire_device_types.h"
#include "core/quire_file_types.h"
#include "core/quire_placement.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_page_runs.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_work.h"
#include "bo/quire_bo.h"
#include "quire_vm.h"

/* Between two tries to flush all of an address space. */
#define FORGET_MS	10

#define NOTICE_WINDOW	QUIRE_PAGING_WINDOW_DESTINATION

/* As many as fit in one buffer whatever packets the builder makes of them. */
#define COPY_PIECES	24u

/* Two windows, and two packets of each piece. */
#define COPY_ENTRY_BYTES	(sizeof(struct quire_packet_update_page_table) + sizeof(__le64))
#define COPY_RANGE_BYTES	(sizeof(struct quire_packet_copy_page_table) + \
				 sizeof(struct quire_copy_range))
#define COPY_BYTES		(sizeof(struct quire_packet_flush_tlb) + \
				 COPY_PIECES * 2 * (COPY_ENTRY_BYTES + COPY_RANGE_BYTES))

/* What one table of level 0 maps. */
#define TABLE_BYTES	BIT_ULL(QUIRE_PT_SHIFT(1))

/* In a work item: the last reference may be dropped in the work of a scheduler. */
static void vm_release(struct kref *users)
{
	struct quire_vm *vm = container_of(users, struct quire_vm, users);
	struct quire_vms *vms = vm->qdev->vms;
	bool queued;

	spin_lock(&vms->wq_lock);
	queued = vms->wq && queue_work(vms->wq, &vm->work);
	spin_unlock(&vms->wq_lock);
	if (!queued)
		vm->work.func(&vm->work);
}

/**
 * quire_vm_put - drop a reference
 * @vm: not the caller's any more; may be NULL
 *
 * May sleep.
 */
void quire_vm_put(struct quire_vm *vm)
{
	if (vm)
		kref_put(&vm->users, vm_release);
}

/**
 * quire_vm_next - find an address space of a file
 * @file: whose it is
 * @id: first identifier; returned: that of what was found
 * @last: last identifier
 * Returns: the first one in that range, with a reference, or NULL.
 */
struct quire_vm *quire_vm_next(struct drm_file *file, unsigned long *id, unsigned long last)
{
	struct xarray *vms = &to_quire_file(file)->vms;
	struct quire_vm *vm;

	xa_lock(vms);
	vm = xa_find(vms, id, last, XA_PRESENT);
	if (vm)
		quire_vm_get(vm);
	xa_unlock(vms);
	return vm;
}

/**
 * quire_vm_next_bo - go through tables of a level, or save areas of contexts
 * @bos: struct quire_bo, with nothing held
 * @index: where to begin; returned: where there is one
 * Returns: the first one from there on, with a reference, or NULL.
 */
struct quire_bo *quire_vm_next_bo(struct xarray *bos, unsigned long *index)
{
	struct quire_bo *bo;

	xa_lock(bos);
	bo = xa_find(bos, index, ULONG_MAX, XA_PRESENT);
	if (bo)
		drm_gem_object_get(&bo->base.base);
	xa_unlock(bos);
	return bo;
}

/**
 * quire_vm_tables_drop - give tables up
 * @tables: @lock is held, and the address space reserved
 * @mark: of those that go
 */
void quire_vm_tables_drop(struct quire_vm_tables *tables, xa_mark_t mark)
{
	struct quire_bo *bo;
	unsigned long index;
	u32 level;

	lockdep_assert_held(&tables->lock);

	for (level = 0; level < QUIRE_VM_LEVELS; level++) {
		xa_for_each_marked(&tables->levels[level], index, bo, mark) {
			xa_erase(&tables->levels[level], index);
			quire_bulk_remove(bo);
			drm_gem_object_put(&bo->base.base);
		}
	}
}

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

/* Replace a page of 2 MiB by its table, if there is or was one, behind a change of a part of it. */
static int write_small(struct quire_vm_tables *tables, struct quire_paging_list *list, u64 address)
{
	unsigned long index = quire_vm_table_index(address, 0);

	if (!xa_get_mark(&tables->levels[0], index, QUIRE_VM_LARGE))
		return 0;
	return add_entry_of_table(tables, list, 0, index, xa_load(&tables->levels[0], index));
}

/* Of a range with an object: where its first page is. */
static void range_begin(const struct quire_vm_range *range, struct quire_cursor *cursor)
{
	struct ttm_resource *res = range->bo->base.resource;
	u64 n, pages = range->offset >> QUIRE_PAGE_SHIFT;

	quire_cursor_first(cursor, quire_bo_is_fence(range->bo) ? NULL : res, range->bo->base.ttm);
	for (; pages; pages -= n) {
		n = min(pages, cursor->count);
		quire_cursor_skip(cursor, n);
	}
}

/* The part of a range that is in one table. */
static int write_piece(struct quire_vm_tables *tables, struct quire_paging_list *list,
		       const struct quire_vm_range *range, struct quire_cursor *cursor,
		       u64 address, u32 count, u32 flags)
{
	u32 i, segment, start = address >> QUIRE_PAGE_SHIFT & (QUIRE_PT_ENTRIES - 1);
	unsigned long index = quire_vm_table_index(address, 0);
	struct quire_bo *table = xa_load(&tables->levels[0], index);
	u64 bits = range->bits, page = cursor->first;
	/* One run of memory, as large as what a table has, and aligned. */
	bool large = range->bo && count == QUIRE_PT_ENTRIES && cursor->count >= count &&
		     IS_ALIGNED(page, QUIRE_PT_ENTRIES);
	int ret;

	if (!table)
		return -EIO;
	if (range->bo) {
		segment = quire_segment_instance(quire_bo_mem_type(&range->bo->base));
		bits = QUIRE_PTE(segment, 0, bits);
		for (i = 0; i < count; i++) {
			tables->entries[i] = (struct quire_paging_pte) {
				.flags = bits,
				.page = cursor->first,
			};
			quire_cursor_skip(cursor, 1);
		}
	} else {
		tables->entries[0] = (struct quire_paging_pte) { .flags = bits };
		flags |= QUIRE_UPDATE_REPEAT;
	}
	ret = add_update(tables, list, 0, table, start, count, flags);
	if (ret || !large)
		return ret ?: write_small(tables, list, address);
	/* For ever: packets that are written now may be executed long after others. */
	xa_set_mark(&tables->levels[0], index, QUIRE_VM_LARGE);
	return add_above(tables, list, 0, index, bits | QUIRE_PTE_LARGE, page);
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
 * @tables: @lock is held; there unless entries become invalid
 * @list: that it is added to
 * @range: its object is reserved, and in VRAM or the aperture, or a monitored fence
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

/* Pieces that the windows show at a time. */
struct copy_chunk {
	struct quire_vm_tables *tables; /* their entries are those of the windows */
	struct quire_paging_list *list;
	bool overlap; /* ranges do */
	u32 count;
	struct quire_paging_copy_range ranges[COPY_PIECES]; /* by addresses of the windows */
};

static struct quire_paging_pte *window_entries(const struct copy_chunk *chunk,
					       enum quire_paging_window window)
{
	return chunk->tables->entries + window * COPY_PIECES;
}

static int add_ranges(struct copy_chunk *chunk, const struct quire_paging_copy_range *ranges,
		      u32 count)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES,
		.u.copy_entries = { .num_ranges = count, .ranges = ranges },
	};

	return quire_paging_list_add(chunk->list, &args);
}

static int emit(struct copy_chunk *chunk)
{
	struct quire_paging_list *list = chunk->list;
	enum quire_paging_window window;
	struct quire_paging_args args;
	int ret = 0;
	u32 i;

	if (!chunk->count)
		return 0;
	/* Nothing else is executed between packets of one buffer. */
	if (list->buffer.cpu && list->buffer.size - list->buffer.used < COPY_BYTES)
		ret = quire_paging_list_submit(list);
	for (window = 0; window < QUIRE_PAGING_WINDOWS && !ret; window++) {
		args = quire_vm_show(window, window_entries(chunk, window), chunk->count);
		ret = quire_paging_list_add(list, &args);
	}
	ret = ret ?: quire_vm_add_flush(list, chunk->tables->vm->qdev->paging_queue->space.root,
					quire_paging_window_address(0),
					quire_paging_window_address(QUIRE_PAGING_WINDOWS));
	if (!ret && !chunk->overlap)
		ret = add_ranges(chunk, chunk->ranges, chunk->count);
	/* Two packets, the second of which begins when the ring is never restarted at the first. */
	for (i = 0; i < chunk->count && chunk->overlap && !ret; i++) {
		struct quire_paging_copy_range from = chunk->ranges[i], to = from;

		from.dst_page_table_address = quire_paging_spare_table();
		from.dst_start_pte_index = 0;
		to.src_page_table_address = quire_paging_spare_table();
		to.src_start_pte_index = 0;
		ret = add_ranges(chunk, &from, 1) ?: add_ranges(chunk, &to, 1);
	}
	chunk->count = 0;
	return ret;
}

/* Show a table in the next page of a window. Returns: its virtual address. */
static u64 show(struct copy_chunk *chunk, enum quire_paging_window window,
		const struct quire_bo *table)
{
	window_entries(chunk, window)[chunk->count] = (struct quire_paging_pte) {
		.flags = QUIRE_PTE(QUIRE_SEGMENT_VRAM, 0, QUIRE_PTE_VALID | QUIRE_PTE_NO_EXECUTE),
		.page = table->base.resource->start,
	};
	return quire_paging_window_address(window) + chunk->count * QUIRE_PAGE_SIZE;
}

static int add_piece(struct copy_chunk *chunk, u64 source, u64 target, u64 bytes)
{
	const struct quire_vm_range range = { .start = target, .end = target + bytes };
	struct xarray *level = &chunk->tables->levels[0];
	struct quire_bo *from = xa_load(level, quire_vm_table_index(source, 0));
	struct quire_bo *to = xa_load(level, quire_vm_table_index(target, 0));

	if (!to)
		return -EIO;
	if (!from)
		return emit(chunk) ?: quire_vm_write_range(chunk->tables, chunk->list, &range, 0);
	chunk->ranges[chunk->count] = (struct quire_paging_copy_range) {
		.num_page_table_entries = bytes >> QUIRE_PAGE_SHIFT,
		.src_page_table_address = show(chunk, QUIRE_PAGING_WINDOW_SOURCE, from),
		.dst_page_table_address = show(chunk, QUIRE_PAGING_WINDOW_DESTINATION, to),
		.src_start_pte_index = source >> QUIRE_PAGE_SHIFT & (QUIRE_PT_ENTRIES - 1),
		.dst_start_pte_index = target >> QUIRE_PAGE_SHIFT & (QUIRE_PT_ENTRIES - 1),
	};
	return ++chunk->count == COPY_PIECES ? emit(chunk) : 0;
}

/* Bytes before an address that its table maps; a whole table at its border. */
static u64 table_before(u64 address)
{
	return (address - 1) % TABLE_BYTES + 1;
}

/**
 * quire_vm_copy_bytes - packets of a copy of entries
 * @size: bytes of addresses
 * Returns: bytes that they take at most, with what is lost at ends of buffers.
 */
u64 quire_vm_copy_bytes(u64 size)
{
	u64 pieces = 2 * (size / TABLE_BYTES + 2);

	return (div_u64(pieces, COPY_PIECES) + 1) * 2 * COPY_BYTES;
}

/**
 * quire_vm_copy_entries - have entries of a range copied
 * @tables: the tables, those of the target are there; @lock is held
 * @list: that it is added to
 * @source: first address that is read
 * @target: first address that is written
 * @size: bytes; ranges may overlap, as of memmove
 *
 * Nothing is flushed of the address space.
 *
 * Returns: 0; -EIO there is no table; errors of quire_paging_list_add().
 */
int quire_vm_copy_entries(struct quire_vm_tables *tables, struct quire_paging_list *list,
			  u64 source, u64 target, u64 size)
{
	u64 distance = source < target ? target - source : source - target;
	struct copy_chunk chunk = { .tables = tables, .list = list, .overlap = distance < size };
	u64 done, bytes, at, left, address;
	int ret = 0;

	BUILD_BUG_ON(COPY_BYTES > QUIRE_BIND_WHOLE_MAX);
	BUILD_BUG_ON(QUIRE_PAGING_WINDOWS * COPY_PIECES > ARRAY_SIZE(tables->entries));
	lockdep_assert_held(&tables->lock);

	for (done = 0; done < size && !ret; done += bytes) {
		left = size - done;
		if (source < target) { /* from the end */
			bytes = min3(left, table_before(source + left),
				     table_before(target + left));
			at = left - bytes;
		} else {
			bytes = min3(left, TABLE_BYTES - (source + done) % TABLE_BYTES,
				     TABLE_BYTES - (target + done) % TABLE_BYTES);
			at = done;
		}
		ret = add_piece(&chunk, source + at, target + at, bytes);
	}
	ret = ret ?: emit(&chunk);
	/* The target may have had pages of 2 MiB. */
	for (address = ALIGN_DOWN(target, TABLE_BYTES); address < target + size && !ret;
	     address += TABLE_BYTES)
		ret = write_small(tables, list, address);
	return ret;
}

/* In one buffer: windows are everybody's. */
static int notice_pages(struct quire_vm_tables *tables, struct quire_paging_work *work,
			struct quire_bo *bo, u64 offset, u32 pages)
{
	u64 first = (bo->base.resource->start << (PAGE_SHIFT - QUIRE_PAGE_SHIFT)) +
		    (offset >> QUIRE_PAGE_SHIFT);
	const u64 window = quire_paging_window_address(NOTICE_WINDOW);
	struct quire_paging_args update = quire_vm_show(NOTICE_WINDOW, tables->entries, pages);
	struct quire_paging_args notice = {
		.operation = QUIRE_PAGING_NOTIFY_ALLOC,
		.allocation = &bo->allocation,
		.u.notify_alloc = {
			.flags = QUIRE_NOTIFY_EVICTION,
			.offset_in_bytes = offset,
			.size_in_bytes = (u64)pages << QUIRE_PAGE_SHIFT,
			.gpu_virtual_address_at_offset = window,
		},
	};
	u32 i, bytes;
	int ret;

	for (i = 0; i < pages; i++)
		tables->entries[i] = (struct quire_paging_pte) {
			.flags = QUIRE_PTE(QUIRE_SEGMENT_APERTURE, 0,
					   QUIRE_PTE_VALID | QUIRE_PTE_NO_EXECUTE),
			.page = first + i,
		};
	bytes = quire_paging_update_bytes(work->list.caps, &update.u.update_page_table) +
		sizeof(struct quire_packet_flush_tlb) +
		2 * sizeof(struct quire_packet_notify_allocation);
	ret = quire_paging_work_begin_whole(work, bytes);
	if (ret)
		return ret;
	ret = quire_paging_list_add(&work->list, &update) ?:
	      quire_vm_add_flush(&work->list, work->queue->space.root, window,
				 window + QUIRE_PAGING_WINDOW_PAGES * QUIRE_PAGE_SIZE);
	/* Pages that are not cached may have posted writes. */
	if (!ret && bo->base.ttm->caching != ttm_cached)
		ret = quire_paging_list_add(&work->list, &notice);
	notice.u.notify_alloc.flags = QUIRE_NOTIFY_IOMMU_UNMAP;
	ret = ret ?: quire_paging_list_add(&work->list, &notice);
	quire_paging_work_end_whole(work);
	return ret;
}

/* Make the entries of a bound range invalid as its object leaves. */
static int forget_va(struct quire_vm_tables *tables, struct quire_paging_work *work,
		     struct drm_gpuva *va)
{
	const u64 window = QUIRE_PAGING_WINDOW_PAGES << QUIRE_PAGE_SHIFT;
	struct quire_bo *bo = gem_to_quire_bo(va->gem.obj);
	u64 offset = va->gem.offset, end = offset + va->va.range;
	struct quire_vm_range range = {
		.start = va->va.addr,
		.end = va->va.addr + va->va.range,
	};
	int ret;

	ret = quire_vm_write_range(tables, &work->list, &range, QUIRE_UPDATE_NOTIFY_EVICTION);
	if (ret)
		return ret;
	if (quire_bo_mem_type(&bo->base) != QUIRE_PL_APERTURE || bo->unmapped)
		return quire_vm_add_flush(&work->list, tables->root, range.start, range.end);
	for (; offset < end && !ret; offset += window)
		ret = notice_pages(tables, work, bo, offset,
				   min(end - offset, window) >> QUIRE_PAGE_SHIFT);
	return ret;
}

static int write_va(struct quire_vm_tables *tables, struct quire_paging_work *work,
		    struct drm_gpuva *va)
{
	const struct quire_vm_range range = {
		.start = va->va.addr,
		.end = va->va.addr + va->va.range,
		.bo = va->gem.obj ? gem_to_quire_bo(va->gem.obj) : NULL,
		.offset = va->gem.offset,
		.bits = to_quire_vma(va)->bits,
	};

	return quire_vm_write_range(tables, &work->list, &range, 0);
}

static void begin(struct quire_vm_tables *tables, struct quire_batch *batch,
		  struct quire_paging_work *work)
{
	lockdep_assert_held(&tables->lock);

	quire_paging_work_init(work, batch, NULL, 0, false);
	work->lost = &tables->failed;
}

static int finish(struct quire_vm_tables *tables, struct quire_paging_work *work, int ret)
{
	bool empty = quire_paging_list_is_empty(&work->list);
	struct dma_fence *fence = quire_paging_list_finish(&work->list, ret);

	if (IS_ERR(fence))
		return PTR_ERR(fence);
	/* An empty list leaves the fence of the last one. */
	if (!empty)
		swap(tables->written, fence);
	dma_fence_put(fence);
	return 0;
}

/* First what leads to new tables, from above, and what was not flushed before. */
static int begin_entries(struct quire_vm_tables *tables, struct quire_batch *batch,
			 struct quire_paging_work *work)
{
	struct quire_paging_list *list = &work->list;
	u32 level = QUIRE_VM_LEVELS;
	struct quire_bo *bo;
	unsigned long index;
	int ret;

	begin(tables, batch, work);
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
	return tables->unflushed ? quire_vm_add_flush(list, tables->root, 0, 0) : 0;
}

static int finish_entries(struct quire_vm_tables *tables, struct quire_paging_work *work, int ret)
{
	struct quire_bo *bo;
	unsigned long index;
	u32 level;

	ret = finish(tables, work, ret);
	tables->half_linked = ret;
	if (ret)
		return ret;
	for (level = 0; level < QUIRE_VM_LEVELS; level++)
		xa_for_each_marked(&tables->levels[level], index, bo, QUIRE_VM_UNLINKED)
			xa_clear_mark(&tables->levels[level], index, QUIRE_VM_UNLINKED);
	tables->unflushed = false;
	return 0;
}

/**
 * quire_vm_write_before - have entries written that must be there while a bind waits
 * @tables: not lost; @lock is held, the address space reserved, and what is bound at the ranges
 * @batch: of the call
 * @binds: what changes
 * @count: elements of @binds
 *
 * Those that lead to new tables; and nobody waits for an evicted object once it is unbound, before
 * the bind is done: so entries that lead to its old place, without memory at the eviction, go.
 *
 * Returns: 0; after an error some may be written, -ENOMEM, -ENODEV, -EIO.
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
				ret = forget_va(tables, &work, va);
	return finish_entries(tables, &work, ret);
}

/**
 * quire_vm_write_object - have all entries of an object written
 * @tables: not lost; @lock is held
 * @batch: of the call
 * @vm_bo: the object, reserved
 * @valid: they lead to the place that it has; else nowhere, and are flushed
 * Returns: as quire_vm_write_before().
 */
int quire_vm_write_object(struct quire_vm_tables *tables, struct quire_batch *batch,
			  struct drm_gpuvm_bo *vm_bo, bool valid)
{
	struct quire_paging_work work;
	struct drm_gpuva *va;
	int ret = begin_entries(tables, batch, &work);

	drm_gpuvm_bo_for_each_va(va, vm_bo)
		if (!ret)
			ret = valid ? write_va(tables, &work, va) : forget_va(tables, &work, va);
	return finish_entries(tables, &work, ret);
}

/**
 * quire_vm_write_all - have all entries of an address space written, but of what is evicted
 * @tables: not lost; @lock is held, the address space reserved, and all objects in it
 * @batch: of the call
 * Returns: as quire_vm_write_before().
 */
int quire_vm_write_all(struct quire_vm_tables *tables, struct quire_batch *batch)
{
	struct drm_gpuvm *gpuvm = &tables->vm->base;
	struct quire_paging_work work;
	struct drm_gpuva *va;
	int ret = begin_entries(tables, batch, &work);

	drm_gpuvm_for_each_va(va, gpuvm)
		if (!ret && !(va->vm_bo && va->vm_bo->evicted))
			ret = write_va(tables, &work, va);
	return finish_entries(tables, &work, ret);
}

/**
 * quire_vm_renew_tables - drop all but the root after tables were lost, and flush the TLB
 * @tables: @lock is held, and the address space reserved
 * @batch: of the call
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
	quire_vm_tables_drop(tables, XA_PRESENT);
	tables->lost = false;
	tables->half_linked = false;
	tables->incomplete = true;
	return 0;
}

/**
 * quire_vm_forget - have the device forget all of an address space, if it is there
 * @tables: nothing is executed with them any more
 *
 * Tries until it succeeds: the page of the root is freed next, and may become another root.
 */
void quire_vm_forget(struct quire_vm_tables *tables)
{
	struct quire_device *qdev = tables->vm->qdev;
	struct quire_paging_work work;
	int ret;

	guard(mutex)(&tables->lock);
	for (;;) {
		/* Earlier failures do not matter any more. */
		WRITE_ONCE(tables->failed, false);
		begin(tables, &qdev->paging_queue->unpaid, &work);
		ret = quire_vm_add_flush(&work.list, tables->root, 0, 0);
		ret = quire_paging_work_run(&work, ret);
		/* Without memory, or if the buffer is given up. A wedged device knows nothing. */
		if ((ret != -ENOMEM && ret != -EIO) || quire_device_is_wedged(qdev))
			break;
		msleep(FORGET_MS);
	}
}
