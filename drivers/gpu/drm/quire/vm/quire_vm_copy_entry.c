// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Copies of page-table entries
 *
 * Only the device knows what a range of addresses leads to when its bind is executed: so
 * %DRM_QUIRE_BIND_COPY has it copy the entries. It sees page tables at virtual addresses of the
 * paging ring, through the windows that moves use (quire_paging_space.c)::
 *
 *     UPDATE_PAGE_TABLE         source window       --> tables that are read
 *     UPDATE_PAGE_TABLE         destination window  --> tables that are written
 *     FLUSH_TLB                 both
 *     COPY_PAGE_TABLE_ENTRIES   source window to destination window
 *
 * All of that is in one paging buffer, as of moves. A window shows a page for each piece, which is
 * in one table on both sides.
 *
 * Overlapping ranges are copied piece by piece, in the order of memmove(), and each through a table
 * of the paging ring: a packet may be executed twice, so it reads nothing that it writes.
 *
 * Where the source has no table, the entries of the target become invalid.
 *
 * Locking: &quire_vm_tables.lock, as quire_vm_entry.c.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES.
 */
#include <linux/math64.h>

#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_space.h"
#include "bo/quire_bo.h"
#include "quire_vm.h"

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

/**
 * struct copy_chunk - pieces that the windows show at a time
 * @tables: of the address space; their @entries are those of the windows
 * @bind: where packets go
 * @overlap: ranges do
 * @count: number of @ranges
 * @ranges: the pieces, by virtual addresses of the windows
 */
struct copy_chunk {
	struct quire_vm_tables *tables;
	struct quire_bind_list *bind;
	bool overlap;
	u32 count;
	struct quire_paging_copy_range ranges[COPY_PIECES];
};

static struct quire_paging_pte *window_entries(const struct copy_chunk *chunk,
					       enum quire_paging_window window)
{
	return chunk->tables->entries + window * COPY_PIECES;
}

static int add_window(struct copy_chunk *chunk, enum quire_paging_window window)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_UPDATE_PAGE_TABLE,
		.u.update_page_table = {
			.update_mode = QUIRE_PAGE_TABLE_GPU_VIRTUAL,
			.page_table_address.gpu_virtual = quire_paging_window_table(window),
			.page_table_entries = window_entries(chunk, window),
			.num_page_table_entries = chunk->count,
			.first_pte_virtual_address = quire_paging_window_address(window),
		},
	};

	return quire_paging_list_add(&chunk->bind->list, &args);
}

static int add_ranges(struct copy_chunk *chunk, const struct quire_paging_copy_range *ranges,
		      u32 count)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES,
		.u.copy_entries = { .num_ranges = count, .ranges = ranges },
	};

	return quire_paging_list_add(&chunk->bind->list, &args);
}

static int add_copies(struct copy_chunk *chunk)
{
	int ret = 0;
	u32 i;

	if (!chunk->overlap)
		return add_ranges(chunk, chunk->ranges, chunk->count);
	/* Two packets, the second of which begins when the ring is never restarted at the first. */
	for (i = 0; i < chunk->count && !ret; i++) {
		struct quire_paging_copy_range from = chunk->ranges[i], to = from;

		from.dst_page_table_address = quire_paging_spare_table();
		from.dst_start_pte_index = 0;
		to.src_page_table_address = quire_paging_spare_table();
		to.src_start_pte_index = 0;
		ret = add_ranges(chunk, &from, 1) ?: add_ranges(chunk, &to, 1);
	}
	return ret;
}

/* In one buffer. */
static int emit(struct copy_chunk *chunk)
{
	struct quire_bind_list *bind = chunk->bind;
	int ret;

	if (!chunk->count)
		return 0;
	ret = quire_bind_list_begin_whole(bind, COPY_BYTES) ?:
	      add_window(chunk, QUIRE_PAGING_WINDOW_SOURCE) ?:
	      add_window(chunk, QUIRE_PAGING_WINDOW_DESTINATION) ?:
	      quire_vm_add_flush(&bind->list, bind->vm->qdev->paging_queue->space.root,
				 quire_paging_window_address(0),
				 quire_paging_window_address(QUIRE_PAGING_WINDOWS)) ?:
	      add_copies(chunk);
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
		return emit(chunk) ?:
		       quire_vm_write_range(chunk->tables, &chunk->bind->list, &range, 0);
	chunk->ranges[chunk->count] = (struct quire_paging_copy_range) {
		.num_page_table_entries = bytes >> QUIRE_PAGE_SHIFT,
		.src_page_table_address = show(chunk, QUIRE_PAGING_WINDOW_SOURCE, from),
		.dst_page_table_address = show(chunk, QUIRE_PAGING_WINDOW_DESTINATION, to),
		.src_start_pte_index = source >> QUIRE_PAGE_SHIFT & (QUIRE_PT_ENTRIES - 1),
		.dst_start_pte_index = target >> QUIRE_PAGE_SHIFT & (QUIRE_PT_ENTRIES - 1),
	};
	return ++chunk->count == COPY_PIECES ? emit(chunk) : 0;
}

/* Bytes from an address on, or before one, that its table maps; a whole table at its border. */
static u64 table_rest(u64 address)
{
	return TABLE_BYTES - (address & (TABLE_BYTES - 1));
}

static u64 table_before(u64 address)
{
	return ((address - 1) & (TABLE_BYTES - 1)) + 1;
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
 * @bind: that it is added to
 * @source: first address that is read
 * @target: first address that is written
 * @size: bytes; ranges may overlap, as of memmove
 *
 * Nothing is flushed of the address space.
 *
 * Returns: 0; -EIO there is no table; errors of quire_paging_list_add().
 */
int quire_vm_copy_entries(struct quire_vm_tables *tables, struct quire_bind_list *bind,
			  u64 source, u64 target, u64 size)
{
	u64 distance = source < target ? target - source : source - target;
	struct copy_chunk chunk = { .tables = tables, .bind = bind, .overlap = distance < size };
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
			bytes = min3(left, table_rest(source + done), table_rest(target + done));
			at = done;
		}
		ret = add_piece(&chunk, source + at, target + at, bytes);
	}
	ret = ret ?: emit(&chunk);
	/* The target may have had pages of 2 MiB. */
	for (address = ALIGN_DOWN(target, TABLE_BYTES); address < target + size && !ret;
	     address += TABLE_BYTES)
		ret = quire_vm_write_small(tables, &bind->list, address);
	return ret;
}
