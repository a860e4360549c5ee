// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The paging address space
 *
 * What the paging ring executes has an address space of its own, the original's paging process:
 * windows, through which a move sees parts of its source and destination, and the page tables
 * themselves, so that the device can write the entries of the windows::
 *
 *     virtual address        table of level 1            memory
 *     BASE             +---> 0: table of level 0 ------> context, tables
 *     BASE +  2 MiB    +---> 1: table of level 0 ------> what a move reads
 *     BASE +  4 MiB    +---> 2: table of level 0 ------> what a move writes
 *     BASE +  6 MiB    +---> 3: page of 2 MiB ---------> the same, where it makes
 *     BASE +  8 MiB    +---> 4: page of 2 MiB ---------> such a page
 *     BASE + 10 MiB    +---> 5: 8 tables --------------> pages of monitored fences
 *
 * The CPU makes it before anything is executed in it. From then on only the device writes the
 * tables of small pages and entries 3 and 4 of level 1. A window belongs to the packets at work, so
 * it is mapped and used in one paging buffer. The same holds for a spare table to which nothing
 * leads (quire_vm_table.c).
 *
 * Before a stopped ring goes on, the context is made anew, since a latched fault would refuse it,
 * and so are the tables that do not change. Entries of windows stay, because the packet at work may
 * use them. The CPU writes entries of fences as a whole, while nothing uses the address; a page
 * that the device may remember is flushed by the next user of the address (quire_fence.c).
 *
 * Source: "GPU virtual memory in WDDM 2.0", the paging process.
 */
/**
 * DOC: Moves in virtual addresses
 *
 * The second generation of the model moves content between virtual addresses. A part of a move is
 * seen through the windows of the paging ring, in chunks as large as a window::
 *
 *     UPDATE_PAGE_TABLE   source window       --> pages that are read
 *     UPDATE_PAGE_TABLE   destination window  --> pages that are written
 *     FLUSH_TLB           all windows
 *     VIRTUAL_TRANSFER    source window to destination window
 *
 * A chunk is in one paging buffer, because all lists share the windows. Where all pages of a window
 * make pages of 64 KiB, it has entries of these; where they make one of 2 MiB, another window is
 * used, which is a single entry. The module parameter generation selects how moves are made from
 * now on; both may be at work at a time and give the same bytes. The first generation always has
 * images that change their form, for the second one converts nothing, and moves inside of VRAM that
 * overlap, which two virtual addresses do not tell.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL, DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL.
 */
#include <linux/dma-mapping.h>
#include <linux/moduleparam.h>

#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "paging/quire_paging.h"
#include "quire_paging_queue.h"
#include "quire_paging_work.h"

static void *page_cpu(const struct quire_paging_space *space, u32 page)
{
	return space->memory + page * QUIRE_PAGE_SIZE;
}

/* An entry that leads to one of the pages. */
static struct quire_paging_pte page_entry(const struct quire_paging_space *space, u32 page,
					  u64 flags)
{
	return (struct quire_paging_pte) {
		.flags = QUIRE_PTE(QUIRE_SEGMENT_SYSTEM, 0, QUIRE_PTE_VALID | flags),
		.page = (space->dma >> QUIRE_PAGE_SHIFT) + page,
	};
}

/*
 * By the CPU: nothing is executed there. From entry @start on: what leads to pages that follow each
 * other. Other entries stay: at first there are none.
 */
static int write_table(struct quire_paging_space *space, u32 table, u32 level, u32 start,
		       u32 page, u32 count, u64 flags)
{
	struct quire_paging_pte entries[PAGING_PAGES];
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_UPDATE_PAGE_TABLE,
		.u.update_page_table = {
			.page_table_level = level,
			.update_mode = QUIRE_PAGE_TABLE_CPU_VIRTUAL,
			.page_table_address.cpu_virtual = page_cpu(space, table),
			.page_table_entries = entries,
			.start_index = start,
			.num_page_table_entries = count,
		},
	};
	int ret;
	u32 i;

	for (i = 0; i < count; i++)
		entries[i] = page_entry(space, page + i, flags);
	ret = quire_paging_check_args(space->caps, &args);
	if (!ret && quire_build_paging_buffer(space->caps, &args) != QUIRE_BUILD_DONE)
		ret = -EIO;
	return ret;
}

static int write_tables(struct quire_paging_space *space)
{
	return write_table(space, PAGING_TABLE_3, 3, PAGING_BASE >> QUIRE_PT_SHIFT(3),
			   PAGING_TABLE_2, 1, 0) ?:
	       write_table(space, PAGING_TABLE_2, 2, 0, PAGING_TABLE_1, 1, 0) ?:
	       write_table(space, PAGING_TABLE_1, 1, PAGING_REGION_SELF, PAGING_TABLE_SELF,
			   1 + QUIRE_PAGING_WINDOWS, 0) ?:
	       write_table(space, PAGING_TABLE_1, 1, PAGING_REGION_FENCE, PAGING_TABLE_FENCE,
			   QUIRE_PAGING_FENCE_TABLES, 0) ?:
	       write_table(space, PAGING_TABLE_SELF, 0, 0, 0, PAGING_TABLE_FENCE,
			   QUIRE_PTE_CACHE_COHERENT | QUIRE_PTE_NO_EXECUTE);
}

static void write_context(struct quire_paging_space *space)
{
	struct quire_context_area *context = page_cpu(space, PAGING_CONTEXT);

	memset(context, 0, sizeof(*context));
	context->magic = cpu_to_le32(QUIRE_CONTEXT_MAGIC);
	context->root = cpu_to_le64(space->root.page << QUIRE_PAGE_SHIFT | space->root.flags);
}

/**
 * quire_paging_space_init - make the address space of the paging ring
 * @space: to initialise (devres)
 * @drm: the device
 * @caps: what the device can do
 * Returns: 0 or -ENOMEM.
 */
int quire_paging_space_init(struct quire_paging_space *space, struct drm_device *drm,
			    const struct quire_paging_caps *caps)
{
	space->memory = dmam_alloc_coherent(drm->dev, PAGING_PAGES * QUIRE_PAGE_SIZE,
					    &space->dma, GFP_KERNEL);
	space->entries = drmm_kmalloc_array(drm, QUIRE_PAGING_WINDOWS * QUIRE_PAGING_WINDOW_PAGES,
					    sizeof(*space->entries), GFP_KERNEL);
	if (!space->memory || !space->entries)
		return -ENOMEM;

	space->context = QUIRE_ADDRESS(QUIRE_SEGMENT_SYSTEM,
				       space->dma + PAGING_CONTEXT * QUIRE_PAGE_SIZE);
	space->root = page_entry(space, PAGING_TABLE_3, 0);
	space->caps = caps;
	write_context(space);
	return write_tables(space);
}

/**
 * quire_paging_space_renew - make the context anew, and its fixed tables; allocates nothing
 * @space: the address space; the ring is started again, whatever stopped it
 */
void quire_paging_space_renew(struct quire_paging_space *space)
{
	write_context(space);
	WARN_ON_ONCE(write_tables(space));
}

/**
 * quire_paging_space_print_fault - print the fault that is latched in the context, if any
 * @space: the address space; the ring is stopped, or at fault
 * @p: where to
 * Returns: false if there is none.
 */
bool quire_paging_space_print_fault(const struct quire_paging_space *space, struct drm_printer *p)
{
	const struct quire_context_area *context = page_cpu(space, PAGING_CONTEXT);
	u32 access;

	if (!(le32_to_cpu(READ_ONCE(context->status)) & QUIRE_CONTEXT_FAULT))
		return false;
	access = le32_to_cpu(READ_ONCE(context->fault_access));
	drm_printf(p,
		   "paging context: code %u, address %#llx, access%s%s%s, entry %#llx of level %u\n",
		   le32_to_cpu(READ_ONCE(context->fault_code)),
		   le64_to_cpu(READ_ONCE(context->fault_address)),
		   access & QUIRE_ACCESS_READ ? " read" : "",
		   access & QUIRE_ACCESS_WRITE ? " write" : "",
		   access & QUIRE_ACCESS_EXECUTE ? " execute" : "",
		   le64_to_cpu(READ_ONCE(context->fault_entry)), QUIRE_ACCESS_LEVEL(access));
	return true;
}

/**
 * quire_paging_space_spoil_table - for tests: cut the tables of windows off until they are renewed
 * @space: the address space
 */
void quire_paging_space_spoil_table(struct quire_paging_space *space)
{
	__le64 *table = page_cpu(space, PAGING_TABLE_1);
	u32 i;

	for (i = 0; i < QUIRE_PAGING_WINDOWS; i++)
		WRITE_ONCE(table[PAGING_REGION_WINDOW + i], 0);
}

#define GENERATION_VIRTUAL	2

static unsigned int quire_generation = 1;

static int generation_set(const char *text, const struct kernel_param *param)
{
	return param_set_uint_minmax(text, param, 1, GENERATION_VIRTUAL);
}

static const struct kernel_param_ops generation_ops = {
	.set = generation_set,
	.get = param_get_uint,
};

module_param_cb(generation, &generation_ops, &quire_generation, 0644);
MODULE_PARM_DESC(generation,
		 "Generation of the paging model in which moves are made: 1, by segments (default), or 2, by virtual addresses");

/**
 * quire_virtual_is_chosen - check whether moves are made in virtual addresses
 * Returns: what the module parameter says now.
 */
bool quire_virtual_is_chosen(void)
{
	return READ_ONCE(quire_generation) == GENERATION_VIRTUAL;
}

/**
 * struct virtual_chunk - pages that the windows show at a time
 * @first: of the part
 * @pages: how many
 * @windows: their updates, which begin with the address of the first page
 * @flags: %QUIRE_TRANSFER_SRC_64K, %QUIRE_TRANSFER_DST_64K
 */
struct virtual_chunk {
	u64 first;
	u32 pages;
	struct quire_paging_update_page_table windows[QUIRE_PAGING_WINDOWS];
	u32 flags;
};

/* The largest step, of 2 MiB, 64 KiB or one page, of which the pages make whole ones. */
static u32 chunk_step(const struct virtual_chunk *chunk, const struct quire_page_runs *side)
{
	const struct quire_paging_location *location = &side->location;
	u64 left = chunk->pages, count, bits = 0;
	struct quire_page_cursor cursor = { 0 };

	quire_page_cursor_seek(&cursor, location, location->start + chunk->first);
	for (; left; left -= count) {
		count = min(quire_page_cursor_left(&cursor, location), left);
		bits |= quire_page_cursor_number(&cursor, location) | count;
		quire_page_cursor_advance(&cursor, location, count);
	}
	if (IS_ALIGNED(bits, QUIRE_PT_ENTRIES))
		return QUIRE_PT_ENTRIES;
	return IS_ALIGNED(bits, QUIRE_PT_ENTRIES_64K) ? QUIRE_PT_ENTRIES_64K : 1;
}

/* Each of @step pages. */
static void write_entries(const struct virtual_chunk *chunk, const struct quire_page_runs *side,
			  struct quire_paging_pte *entries, u32 step)
{
	const struct quire_paging_location *location = &side->location;
	u64 flags = QUIRE_PTE(location->segment, 0, QUIRE_PTE_VALID | QUIRE_PTE_NO_EXECUTE);
	struct quire_page_cursor cursor = { 0 };
	u32 i;

	/* As in a list of pages: the device posts no writes there. */
	if (location->segment == QUIRE_SEGMENT_SYSTEM)
		flags |= QUIRE_PTE_CACHE_COHERENT;
	if (step == QUIRE_PT_ENTRIES)
		flags |= QUIRE_PTE_LARGE;
	quire_page_cursor_seek(&cursor, location, location->start + chunk->first);
	for (i = 0; i < chunk->pages / step; i++) {
		entries[i] = (struct quire_paging_pte) {
			.flags = flags,
			.page = quire_page_cursor_number(&cursor, location),
		};
		quire_page_cursor_advance(&cursor, location, step);
	}
}

/*
 * Entries of 4 KiB may leave some of a page of 64 KiB that was there before. Nothing looks at
 * these: they are behind the chunk.
 */
static void chunk_describe(struct virtual_chunk *chunk, struct quire_paging_work *work,
			   enum quire_paging_window window)
{
	const struct quire_page_runs *side = &work->part.sides[window];
	struct quire_paging_space *space = &work->queue->space;
	struct quire_paging_pte *entries = space->entries + window * QUIRE_PAGING_WINDOW_PAGES;
	struct quire_paging_update_page_table *update = &chunk->windows[window];
	u32 step = chunk_step(chunk, side);

	*update = (struct quire_paging_update_page_table) {
		.update_mode = QUIRE_PAGE_TABLE_GPU_VIRTUAL,
		.page_table_address.gpu_virtual = quire_paging_window_table(window),
		.first_pte_virtual_address = quire_paging_window_address(window),
		.flags = step == QUIRE_PT_ENTRIES_64K ? QUIRE_UPDATE_64K : 0,
		.page_table_entries = entries,
		.num_page_table_entries = chunk->pages / step,
	};
	if (step == QUIRE_PT_ENTRIES) {
		update->page_table_level = 1;
		update->page_table_address.gpu_virtual = quire_paging_page_address(PAGING_TABLE_1);
		update->start_index = PAGING_REGION_LARGE + window;
		update->first_pte_virtual_address =
			quire_paging_region_address(PAGING_REGION_LARGE + window);
	}
	if (step > 1)
		chunk->flags |= window == QUIRE_PAGING_WINDOW_SOURCE ? QUIRE_TRANSFER_SRC_64K :
								       QUIRE_TRANSFER_DST_64K;
	write_entries(chunk, side, entries, step);
	if (atomic_read(&space->spoil) && !atomic_dec_if_positive(&space->spoil))
		entries[chunk->pages / step - 1] = (struct quire_paging_pte) { };
}

static u32 direction(const struct quire_page_runs *sides)
{
	if (sides[QUIRE_PAGING_SOURCE].location.segment != QUIRE_SEGMENT_VRAM)
		return QUIRE_DIRECTION_SYSTEM_TO_LOCAL;
	if (sides[QUIRE_PAGING_DESTINATION].location.segment != QUIRE_SEGMENT_VRAM)
		return QUIRE_DIRECTION_LOCAL_TO_SYSTEM;
	return QUIRE_DIRECTION_LOCAL_TO_LOCAL;
}

/* A transfer; or, of the last window alone, a fill. */
static void describe_move(const struct quire_paging_work *work, const struct virtual_chunk *chunk,
			  enum quire_paging_window first, struct quire_paging_args *args)
{
	const struct quire_paging_update_page_table *to =
		&chunk->windows[QUIRE_PAGING_WINDOW_DESTINATION];

	if (first == QUIRE_PAGING_WINDOW_DESTINATION) {
		args->operation = QUIRE_PAGING_VIRTUAL_FILL;
		args->u.fill_virtual = (struct quire_paging_fill_virtual) {
			.fill_size = (u64)chunk->pages << QUIRE_PAGE_SHIFT,
			.destination_virtual_address = to->first_pte_virtual_address,
		};
		return;
	}
	args->operation = QUIRE_PAGING_VIRTUAL_TRANSFER;
	args->u.transfer_virtual = (struct quire_paging_transfer_virtual) {
		.transfer_size = (u64)chunk->pages << QUIRE_PAGE_SHIFT,
		.source_virtual_address = chunk->windows[first].first_pte_virtual_address,
		.destination_virtual_address = to->first_pte_virtual_address,
		.transfer_direction = direction(work->part.sides),
		.flags = chunk->flags,
	};
}

/* In one buffer: the windows from @first on, a flush of all windows, and the move. */
static int add_chunk(struct quire_paging_work *work, struct virtual_chunk *chunk,
		     enum quire_paging_window first)
{
	struct quire_paging_args args = { .operation = QUIRE_PAGING_UPDATE_PAGE_TABLE };
	u32 bytes = sizeof(struct quire_packet_flush_tlb) +
		    max(sizeof(struct quire_packet_transfer_virtual),
			sizeof(struct quire_packet_fill_virtual));
	enum quire_paging_window window;
	int ret;

	for (window = first; window < QUIRE_PAGING_WINDOWS; window++) {
		chunk_describe(chunk, work, window);
		bytes += quire_paging_update_bytes(work->list.caps, &chunk->windows[window]);
	}
	ret = quire_paging_work_begin_whole(work, bytes);
	if (ret)
		return ret;

	for (window = first; window < QUIRE_PAGING_WINDOWS && !ret; window++) {
		args.u.update_page_table = chunk->windows[window];
		ret = quire_paging_list_add(&work->list, &args);
	}
	if (!ret) {
		args.operation = QUIRE_PAGING_FLUSH_TLB;
		args.u.flush_tlb = (struct quire_paging_flush_tlb) {
			.root = work->queue->space.root,
			.start_virtual_address = quire_paging_window_address(0),
			.end_virtual_address = quire_paging_region_address(PAGING_REGION_FENCE),
		};
		ret = quire_paging_list_add(&work->list, &args);
	}
	if (!ret) {
		describe_move(work, chunk, first, &args);
		ret = quire_paging_list_add(&work->list, &args);
	}
	quire_paging_work_end_whole(work);
	return ret;
}

/**
 * quire_virtual_move - add a move, or a fill with zero, of the part of a list
 * @work: the list; its part has no layout; source and destination share no page
 * @first: %QUIRE_PAGING_WINDOW_SOURCE; %QUIRE_PAGING_WINDOW_DESTINATION for a fill, in VRAM
 * Returns: 0, or an error of quire_paging_list_add().
 */
int quire_virtual_move(struct quire_paging_work *work, enum quire_paging_window first)
{
	u64 pages = work->part.sides[QUIRE_PAGING_DESTINATION].pages, done;
	int ret = 0;

	for (done = 0; done < pages && !ret; done += QUIRE_PAGING_WINDOW_PAGES) {
		struct virtual_chunk chunk = {
			.first = done,
			.pages = min(pages - done, QUIRE_PAGING_WINDOW_PAGES),
		};

		ret = add_chunk(work, &chunk, first);
	}
	return ret;
}

/* A window shows the side of its number. */
static_assert((int)QUIRE_PAGING_WINDOW_SOURCE == (int)QUIRE_PAGING_SOURCE);
static_assert((int)QUIRE_PAGING_WINDOW_DESTINATION == (int)QUIRE_PAGING_DESTINATION);
