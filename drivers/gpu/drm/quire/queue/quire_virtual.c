// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Moves in virtual addresses
 *
 * The second generation of the model moves content between virtual addresses. A part of a move is
 * seen through the windows of the paging ring (quire_paging_space.c), in chunks as large as a
 * window::
 *
 *     UPDATE_PAGE_TABLE   source window       --> pages that are read
 *     UPDATE_PAGE_TABLE   destination window  --> pages that are written
 *     FLUSH_TLB           all windows
 *     VIRTUAL_TRANSFER    source window to destination window
 *
 * A chunk is in one paging buffer, because all lists share the windows; a buffer has as many chunks
 * as fit. Where all pages of a window make pages of 64 KiB, it has entries of these; where they
 * make one of 2 MiB, another window is used, which is a single entry. The module parameter
 * generation selects how moves are made from now on; both may be at work at a time and give the
 * same bytes. The first generation always has
 *
 * - images that change their form, for the second one converts nothing;
 * - moves inside of VRAM that overlap, which two virtual addresses do not tell.
 *
 * Locking: as of &struct quire_paging_part; between quire_paging_part_next() and
 * quire_paging_part_end().
 *
 * Source: DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL, DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL.
 */
#include <linux/align.h>
#include <linux/build_bug.h>
#include <linux/moduleparam.h>

#include "paging/quire_page_cursor.h"
#include "quire_paging_queue.h"
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
 * quire_virtual_is_chosen - check whether moves are made in virtual addresses
 *
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

/* Checks that the pages make whole pages of @step each. */
static bool chunk_is_made_of(const struct virtual_chunk *chunk, const struct quire_page_runs *side,
			     u32 step)
{
	const struct quire_paging_location *location = &side->location;
	struct quire_page_cursor cursor = { 0 };
	u64 left = chunk->pages, count;

	quire_page_cursor_seek(&cursor, location, location->start + chunk->first);
	for (; left; left -= count) {
		count = min(quire_page_cursor_left(&cursor, location), left);
		if (!IS_ALIGNED(quire_page_cursor_number(&cursor, location) | count, step))
			return false;
		quire_page_cursor_advance(&cursor, location, count);
	}
	return true;
}

/* Returns the largest step for which they do. */
static u32 chunk_step(const struct virtual_chunk *chunk, const struct quire_page_runs *side)
{
	if (chunk_is_made_of(chunk, side, QUIRE_PT_ENTRIES))
		return QUIRE_PT_ENTRIES;
	return chunk_is_made_of(chunk, side, QUIRE_PT_ENTRIES_64K) ? QUIRE_PT_ENTRIES_64K : 1;
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
	struct quire_paging_pte *entries = quire_paging_window_entries(&work->queue->space, window);
	struct quire_paging_update_page_table *update = &chunk->windows[window];
	u32 step = chunk_step(chunk, side);

	*update = quire_paging_window_update(window, step == QUIRE_PT_ENTRIES);
	update->flags = step == QUIRE_PT_ENTRIES_64K ? QUIRE_UPDATE_64K : 0;
	update->page_table_entries = entries;
	update->num_page_table_entries = chunk->pages / step;
	if (step > 1)
		chunk->flags |= window == QUIRE_PAGING_WINDOW_SOURCE ? QUIRE_TRANSFER_SRC_64K :
								       QUIRE_TRANSFER_DST_64K;
	write_entries(chunk, side, entries, step);
	if (quire_paging_space_spoils(&work->queue->space))
		entries[chunk->pages / step - 1] = (struct quire_paging_pte) { };
}

static u64 chunk_address(const struct virtual_chunk *chunk, enum quire_paging_window window)
{
	return chunk->windows[window].first_pte_virtual_address;
}

/* From the start of the first window to the end of the last one. */
static int add_flush(struct quire_paging_work *work)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_FLUSH_TLB,
		.u.flush_tlb = {
			.root = work->queue->space.root,
			.start_virtual_address = quire_paging_window_address(0),
			.end_virtual_address = quire_paging_windows_end(),
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

static int add_transfer(struct quire_paging_work *work, const struct virtual_chunk *chunk)
{
	const struct quire_page_runs *sides = work->part.sides;
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_VIRTUAL_TRANSFER,
		.u.transfer_virtual = {
			.transfer_size = (u64)chunk->pages << QUIRE_PAGE_SHIFT,
			.source_virtual_address =
				chunk_address(chunk, QUIRE_PAGING_WINDOW_SOURCE),
			.destination_virtual_address =
				chunk_address(chunk, QUIRE_PAGING_WINDOW_DESTINATION),
			.transfer_direction = direction(&sides[QUIRE_PAGING_SOURCE],
							&sides[QUIRE_PAGING_DESTINATION]),
			.flags = chunk->flags,
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

static int add_fill(struct quire_paging_work *work, const struct virtual_chunk *chunk)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_VIRTUAL_FILL,
		.u.fill_virtual = {
			.fill_size = (u64)chunk->pages << QUIRE_PAGE_SHIFT,
			.destination_virtual_address =
				chunk_address(chunk, QUIRE_PAGING_WINDOW_DESTINATION),
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

typedef int (*add_move_t)(struct quire_paging_work *work, const struct virtual_chunk *chunk);

/* In one buffer, with windows from @first on. */
static int add_chunk(struct quire_paging_work *work, struct virtual_chunk *chunk,
		     enum quire_paging_window first, add_move_t add_move)
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
	ret = ret ?: add_flush(work) ?: add_move(work, chunk);
	quire_paging_work_end_whole(work);
	return ret;
}

static int add_chunks(struct quire_paging_work *work, enum quire_paging_window first,
		      add_move_t add_move)
{
	u64 pages = work->part.sides[QUIRE_PAGING_DESTINATION].pages, done;
	int ret = 0;

	for (done = 0; done < pages && !ret; done += QUIRE_PAGING_WINDOW_PAGES) {
		struct virtual_chunk chunk = {
			.first = done,
			.pages = min(pages - done, QUIRE_PAGING_WINDOW_PAGES),
		};

		ret = add_chunk(work, &chunk, first, add_move);
	}
	return ret;
}

/**
 * quire_virtual_transfer - add a move of the part of a list
 * @work: the list; its part has a source and a destination that share no page, and no layout
 *
 * Returns: 0, or an error of quire_paging_list_add().
 */
int quire_virtual_transfer(struct quire_paging_work *work)
{
	return add_chunks(work, QUIRE_PAGING_WINDOW_SOURCE, add_transfer);
}

/**
 * quire_virtual_fill - add a fill of the part of a list with zero
 * @work: the list; its part has a destination, in VRAM
 *
 * Returns: 0, or an error of quire_paging_list_add().
 */
int quire_virtual_fill(struct quire_paging_work *work)
{
	return add_chunks(work, QUIRE_PAGING_WINDOW_DESTINATION, add_fill);
}

/* A window shows the side of its number. */
static_assert((int)QUIRE_PAGING_WINDOW_SOURCE == (int)QUIRE_PAGING_SOURCE);
static_assert((int)QUIRE_PAGING_WINDOW_DESTINATION == (int)QUIRE_PAGING_DESTINATION);
