// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Page runs
 *
 * Turns what TTM knows (blocks in VRAM, a range of the aperture, the DMA
 * addresses of a ttm_tt) into what the builder takes: an array of page runs in
 * the order of the object, neighbours joined. Joining is done before anything
 * is built, so that a packet is as long as the memory allows.
 *
 * The array is counted first and allocated once; a failed allocation leaves
 * nothing to undo.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include <drm/ttm/ttm_tt.h>

#include "quire_cursor.h"
#include "quire_page_runs.h"
#include "quire_placement.h"

/* Joins runs from @cursor on; writes them to @runs unless that is NULL. Returns how many. */
static u64 runs_collect(struct quire_cursor cursor, struct quire_page_run *runs)
{
	struct quire_page_run run = { };
	u64 nr = 0;

	for (; cursor.count; quire_cursor_next(&cursor)) {
		if (nr && cursor.first == run.first + run.count) {
			run.count += cursor.count;
		} else {
			run.first = cursor.first;
			run.count = cursor.count;
			nr++;
		}
		if (runs)
			runs[nr - 1] = run;
	}
	return nr;
}

static int runs_init(struct quire_page_runs *runs, u32 segment,
		     const struct quire_cursor *cursor)
{
	u64 nr = runs_collect(*cursor, NULL);
	struct quire_page_run *array = &runs->single;

	runs->many = NULL;
	if (nr > 1) {
		if (nr > U32_MAX)
			return -ENOMEM;
		runs->many = kvmalloc_array(nr, sizeof(*runs->many), GFP_KERNEL);
		if (!runs->many)
			return -ENOMEM;
		array = runs->many;
	}

	runs_collect(*cursor, array);
	runs->location = (struct quire_paging_location) {
		.segment = segment,
		.nr_runs = nr,
		.runs = array,
	};
	return 0;
}

/**
 * quire_page_runs_init_tt - describe system pages
 * @runs: to initialise; ended with quire_page_runs_fini() if this succeeds
 * @tt: populated, with DMA addresses; stays so until then
 *
 * Returns: 0, or -ENOMEM. May sleep.
 *
 * Source: paging-model 4.1, the MDL; reference/linux.md 1.4 item 9.
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
 * Source: paging-model 4.1; DESIGN "The builder is pure".
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
