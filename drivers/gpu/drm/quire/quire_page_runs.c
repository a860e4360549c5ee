// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Page runs
 *
 * Turns what TTM knows (blocks in VRAM, a range of the aperture, the DMA
 * addresses of a ttm_tt) into what the builder takes: an array of page runs in
 * the order of the object, neighbours joined. Joining is done before anything
 * is built, so that a packet is as long as the memory allows.
 *
 * What TTM has is walked once. A few runs need no memory; more go into an array
 * that doubles. A failed allocation leaves nothing to undo.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <drm/ttm/ttm_tt.h>

#include "quire_cursor.h"
#include "quire_page_runs.h"
#include "quire_placement.h"

/* Twice the room, with what is there. */
static struct quire_page_run *runs_grow(struct quire_page_runs *runs, u32 nr, u32 *room)
{
	struct quire_page_run *array;

	if (*room > U32_MAX / 2)
		return NULL;

	array = kvmalloc_array(2 * *room, sizeof(*array), GFP_KERNEL);
	if (!array)
		return NULL;

	memcpy(array, runs->many ?: runs->few, nr * sizeof(*array));
	kvfree(runs->many);
	runs->many = array;
	*room *= 2;
	return array;
}

static int runs_init(struct quire_page_runs *runs, u32 segment, struct quire_cursor *cursor)
{
	struct quire_page_run *array = runs->few;
	u32 nr = 0, room = ARRAY_SIZE(runs->few);

	runs->many = NULL;
	for (; cursor->count; quire_cursor_next(cursor)) {
		if (nr && cursor->first == array[nr - 1].first + array[nr - 1].count) {
			array[nr - 1].count += cursor->count;
			continue;
		}
		if (nr == room) {
			array = runs_grow(runs, nr, &room);
			if (!array)
				goto err_nomem;
		}
		array[nr].first = cursor->first;
		array[nr].count = cursor->count;
		nr++;
	}

	runs->location = (struct quire_paging_location) {
		.segment = segment,
		.nr_runs = nr,
		.runs = array,
	};
	return 0;

err_nomem:
	quire_page_runs_fini(runs);
	return -ENOMEM;
}

/**
 * quire_page_runs_init_tt - describe system pages
 * @runs: to initialise; ended with quire_page_runs_fini() if this succeeds
 * @tt: populated, with DMA addresses; stays so until then
 *
 * Returns: 0, or -ENOMEM. May sleep.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, pMdl; ttm_sg_tt_init().
 */
int quire_page_runs_init_tt(struct quire_page_runs *runs, struct ttm_tt *tt)
{
	struct quire_cursor cursor;

	quire_cursor_first_tt(&cursor, tt);
	return runs_init(runs, QUIRE_SEGMENT_SYSTEM, &cursor);
}

/**
 * quire_page_runs_init - describe the place of an object
 * @runs: to initialise; ended with quire_page_runs_fini() if this succeeds
 * @res: the place; NULL is system memory
 * @tt: pages of the object; only looked at if @res is system memory, populated
 *      then
 *
 * Returns: 0, or -ENOMEM. May sleep.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, Transfer.Source and Destination.
 */
int quire_page_runs_init(struct quire_page_runs *runs, struct ttm_resource *res,
			 struct ttm_tt *tt)
{
	struct quire_cursor cursor;

	switch (res ? res->mem_type : QUIRE_PL_SYSTEM) {
	case QUIRE_PL_VRAM:
		quire_cursor_first_vram(&cursor, res);
		return runs_init(runs, QUIRE_SEGMENT_VRAM, &cursor);
	case QUIRE_PL_APERTURE:
		quire_cursor_first_aperture(&cursor, res);
		return runs_init(runs, QUIRE_SEGMENT_APERTURE, &cursor);
	default:
		return quire_page_runs_init_tt(runs, tt);
	}
}

/**
 * quire_page_runs_fini - give the array back
 * @runs: initialised, or zero
 */
void quire_page_runs_fini(struct quire_page_runs *runs)
{
	kvfree(runs->many);
	runs->many = NULL;
}
