// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Moves in virtual addresses
 *
 * The second generation of the model moves content between virtual addresses. A part of a
 * move is seen through the windows of the paging ring (quire_paging_space.c), as much of it at
 * a time as a window has pages::
 *
 *     UPDATE_PAGE_TABLE   source window       --> pages that are read
 *     UPDATE_PAGE_TABLE   destination window  --> pages that are written
 *     FLUSH_TLB           both
 *     VIRTUAL_TRANSFER    source window to destination window
 *
 * All of that is in one paging buffer: windows are everybody's, and between two buffers of one
 * list there may be those of another one. The module parameter generation says in which way
 * moves are made from now on; both may be at work at a time, and give the same bytes. In the
 * first one are always
 *
 * - images that change their form, for the second generation converts nothing;
 * - what slides inside of VRAM: two virtual addresses of the same page do not tell that they
 *   overlap.
 *
 * Locking: as of &struct quire_paging_part; between quire_paging_part_next() and
 * quire_paging_part_end().
 *
 * Source: DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL, DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL.
 */
#include <linux/minmax.h>
#include <linux/moduleparam.h>

#include "paging/quire_page_cursor.h"
#include "quire_paging_queue.h"
#include "quire_paging_space.h"
#include "quire_paging_work.h"
#include "quire_virtual.h"

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
 * quire_virtual_is_chosen - are moves made in virtual addresses?
 *
 * Returns: what the module parameter says now.
 */
bool quire_virtual_is_chosen(void)
{
	return READ_ONCE(quire_generation) == GENERATION_VIRTUAL;
}

/*
 * Bytes of packets that a window takes at most: entries one by one, and packets between
 * which they are divided. What the builder makes of entries is never longer.
 */
static u32 window_bytes(u32 pages)
{
	return 2 * sizeof(struct quire_packet_update_page_table) + pages * 2 * sizeof(__le64);
}

static u32 chunk_bytes(u32 pages)
{
	return QUIRE_PAGING_WINDOWS * window_bytes(pages) +
	       sizeof(struct quire_packet_flush_tlb) +
	       sizeof(struct quire_packet_transfer_virtual);
}

static u64 page_flags(u32 segment)
{
	u64 flags = QUIRE_PTE(segment, 0, QUIRE_PTE_VALID | QUIRE_PTE_NO_EXECUTE);

	/* As a list of pages has it: nothing that is written there is kept back. */
	return segment == QUIRE_SEGMENT_SYSTEM ? flags | QUIRE_PTE_CACHE_COHERENT : flags;
}

/* Entries of pages of a side, from its page @first on. */
static void describe(struct quire_paging_pte *entries, const struct quire_page_runs *side,
		     u64 first, u32 pages)
{
	const struct quire_paging_location *location = &side->location;
	u64 flags = page_flags(location->segment);
	struct quire_page_cursor cursor = { 0 };
	u32 i;

	quire_page_cursor_seek(&cursor, location, location->start + first);
	for (i = 0; i < pages; i++) {
		entries[i] = (struct quire_paging_pte) {
			.flags = flags,
			.page = quire_page_cursor_number(&cursor, location),
		};
		quire_page_cursor_advance(&cursor, location, 1);
	}
}

static int add_update(struct quire_paging_work *work, enum quire_paging_window window,
		      const struct quire_page_runs *side, u64 first, u32 pages)
{
	struct quire_paging_pte *entries = work->queue->space.entries;
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_UPDATE_PAGE_TABLE,
		.u.update_page_table = {
			.update_mode = QUIRE_PAGE_TABLE_GPU_VIRTUAL,
			.page_table_address.gpu_virtual = quire_paging_window_table(window),
			.page_table_entries = entries,
			.num_page_table_entries = pages,
			.first_pte_virtual_address = quire_paging_window_address(window),
		},
	};

	describe(entries, side, first, pages);
	return quire_paging_list_add(&work->list, &args);
}

/* From the start of the first window to the end of the last one. */
static int add_flush(struct quire_paging_work *work)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_FLUSH_TLB,
		.u.flush_tlb = {
			.root = work->queue->space.root,
			.start_virtual_address = quire_paging_window_address(0),
			.end_virtual_address = quire_paging_window_address(QUIRE_PAGING_WINDOWS),
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

static u32 direction(const struct quire_page_runs *source,
		     const struct quire_page_runs *destination)
{
	if (source->location.segment != QUIRE_SEGMENT_VRAM)
		return QUIRE_DIRECTION_SYSTEM_TO_LOCAL;
	if (destination->location.segment != QUIRE_SEGMENT_VRAM)
		return QUIRE_DIRECTION_LOCAL_TO_SYSTEM;
	return QUIRE_DIRECTION_LOCAL_TO_LOCAL;
}

static int add_transfer(struct quire_paging_work *work, u32 pages)
{
	const struct quire_page_runs *sides = work->part.sides;
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_VIRTUAL_TRANSFER,
		.u.transfer_virtual = {
			.transfer_size = (u64)pages << QUIRE_PAGE_SHIFT,
			.source_virtual_address =
				quire_paging_window_address(QUIRE_PAGING_WINDOW_SOURCE),
			.destination_virtual_address =
				quire_paging_window_address(QUIRE_PAGING_WINDOW_DESTINATION),
			.transfer_direction = direction(&sides[QUIRE_PAGING_SOURCE],
							&sides[QUIRE_PAGING_DESTINATION]),
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

static int add_fill(struct quire_paging_work *work, u32 pages)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_VIRTUAL_FILL,
		.u.fill_virtual = {
			.fill_size = (u64)pages << QUIRE_PAGE_SHIFT,
			.destination_virtual_address =
				quire_paging_window_address(QUIRE_PAGING_WINDOW_DESTINATION),
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

static int transfer_chunk(struct quire_paging_work *work, u64 first, u32 pages)
{
	const struct quire_page_runs *sides = work->part.sides;

	return quire_paging_work_reserve(work, chunk_bytes(pages)) ?:
	       add_update(work, QUIRE_PAGING_WINDOW_SOURCE, &sides[QUIRE_PAGING_SOURCE], first,
			  pages) ?:
	       add_update(work, QUIRE_PAGING_WINDOW_DESTINATION,
			  &sides[QUIRE_PAGING_DESTINATION], first, pages) ?:
	       add_flush(work) ?: add_transfer(work, pages);
}

static int fill_chunk(struct quire_paging_work *work, u64 first, u32 pages)
{
	return quire_paging_work_reserve(work, chunk_bytes(pages)) ?:
	       add_update(work, QUIRE_PAGING_WINDOW_DESTINATION,
			  &work->part.sides[QUIRE_PAGING_DESTINATION], first, pages) ?:
	       add_flush(work) ?: add_fill(work, pages);
}

/**
 * quire_virtual_transfer - move the content of an object, or a part of it
 * @work: list that it is added to; the part has a source and a destination, which share no
 *        page, and no layout
 *
 * Returns: 0, or an error of quire_paging_list_add().
 */
int quire_virtual_transfer(struct quire_paging_work *work)
{
	u64 pages = work->part.sides[QUIRE_PAGING_SOURCE].pages, done;
	int ret = 0;
	u32 n;

	for (done = 0; done < pages && !ret; done += n) {
		n = min(pages - done, QUIRE_PAGING_WINDOW_PAGES);
		ret = transfer_chunk(work, done, n);
	}
	return ret;
}

/**
 * quire_virtual_fill - fill the place of an object with zero, or a part of it
 * @work: list that it is added to; the part has a destination, in VRAM
 *
 * Returns: 0, or an error of quire_paging_list_add().
 */
int quire_virtual_fill(struct quire_paging_work *work)
{
	u64 pages = work->part.sides[QUIRE_PAGING_DESTINATION].pages, done;
	int ret = 0;
	u32 n;

	for (done = 0; done < pages && !ret; done += n) {
		n = min(pages - done, QUIRE_PAGING_WINDOW_PAGES);
		ret = fill_chunk(work, done, n);
	}
	return ret;
}
