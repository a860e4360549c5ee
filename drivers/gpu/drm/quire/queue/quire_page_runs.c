// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Page runs
 *
 * Turns what TTM has (blocks in VRAM, a range of the aperture, the DMA addresses of a ttm_tt) into
 * what the builder takes: an array of page runs in the order of the object, neighbours joined, so
 * that a packet is as long as the memory allows.
 *
 * TTM's data is walked once, part after part, and each part is written to an array of constant size
 * that the caller lends: nothing is allocated, however large the object is.
 */
#include <linux/minmax.h>
#include <linux/module.h>

#include <drm/ttm/ttm_tt.h>

#include <kunit/visibility.h>

#include "core/quire_placement.h"
#include "quire_page_runs.h"

static void runs_write(struct quire_page_runs *runs, struct quire_page_run *array, u32 room,
		       u64 pages)
{
	struct quire_cursor *cursor = &runs->next;
	u64 left = pages, count;
	u32 nr = 0;

	for (; cursor->count && left; quire_cursor_skip(cursor, count)) {
		count = min(cursor->count, left);
		if (nr && cursor->first == array[nr - 1].first + array[nr - 1].count)
			array[nr - 1].count += count;
		else if (nr < room)
			array[nr++] = (struct quire_page_run) {
				.first = cursor->first,
				.count = count,
			};
		else
			break;
		left -= count;
	}

	runs->pages = pages - left;
	runs->location.nr_runs = nr;
	runs->location.runs = array;
}

/**
 * quire_page_runs_init - start to describe the place of an object
 * @runs: to initialise; there is no part yet
 * @res: the place, which does not change meanwhile; NULL is system memory
 * @tt: pages of the object; used if @res is system memory: populated, with DMA addresses
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, Transfer.Source and Destination, pMdl.
 */
void quire_page_runs_init(struct quire_page_runs *runs, struct ttm_resource *res,
			  struct ttm_tt *tt)
{
	*runs = (struct quire_page_runs) { };

	switch (res ? res->mem_type : QUIRE_PL_SYSTEM) {
	case QUIRE_PL_VRAM:
		runs->location.segment = QUIRE_SEGMENT_VRAM;
		quire_cursor_first_vram(&runs->next, res);
		break;
	case QUIRE_PL_APERTURE:
		runs->location.segment = QUIRE_SEGMENT_APERTURE;
		quire_cursor_first_run(&runs->next, res);
		break;
	default:
		runs->location.segment = QUIRE_SEGMENT_SYSTEM;
		quire_cursor_first_tt(&runs->next, tt);
		break;
	}
	runs->part = runs->next;
}
EXPORT_SYMBOL_IF_KUNIT(quire_page_runs_init);

/**
 * quire_page_runs_next - describe the next part
 * @runs: the place; its part is set
 * @array: where the runs are written
 * @room: runs that @array holds, not 0
 * @pages: of the part, at most; fewer where the place ends or @array is full
 */
void quire_page_runs_next(struct quire_page_runs *runs, struct quire_page_run *array,
			  u32 room, u64 pages)
{
	runs->location.start += runs->pages;
	runs->part = runs->next;
	runs_write(runs, array, room, pages);
}
EXPORT_SYMBOL_IF_KUNIT(quire_page_runs_next);

/**
 * quire_page_runs_from - describe a part that may begin in the last one
 * @runs: the place; its part is set
 * @array: where the runs are written
 * @room: runs that @array holds; enough
 * @first: page of the place, not before the last part
 * @pages: of the part; the place has them
 */
void quire_page_runs_from(struct quire_page_runs *runs, struct quire_page_run *array,
			  u32 room, u64 first, u64 pages)
{
	u64 skip = first - runs->location.start, count;

	for (; skip; skip -= count) {
		count = min(runs->part.count, skip);
		quire_cursor_skip(&runs->part, count);
	}
	runs->location.start = first;
	runs->next = runs->part;
	runs_write(runs, array, room, pages);
}
EXPORT_SYMBOL_IF_KUNIT(quire_page_runs_from);

/**
 * quire_page_runs_ended - check that there is no further part
 * @runs: the place
 *
 * Returns: true behind the last part, and for an unused side.
 */
bool quire_page_runs_ended(const struct quire_page_runs *runs)
{
	return !runs->next.count;
}
EXPORT_SYMBOL_IF_KUNIT(quire_page_runs_ended);
