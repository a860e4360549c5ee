/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Walking the pages of a location, run by run. */
#ifndef QUIRE_PAGE_CURSOR_H
#define QUIRE_PAGE_CURSOR_H

#include <linux/types.h>

#include "quire_paging.h"

/**
 * quire_page_cursor_seek - bring a cursor to a page
 * @cursor: all zero, or where it was brought or advanced to before in the same location
 * @location: where the pages are
 * @page: one of them, counted from the first page of the allocation
 *
 * Costs nothing if the cursor is there already, else a walk: from its run on, or from the
 * first run to what stands before that.
 */
static inline void quire_page_cursor_seek(struct quire_page_cursor *cursor,
					  const struct quire_paging_location *location, u64 page)
{
	u64 run_page = cursor->page - cursor->skip;

	page -= location->start;
	if (cursor->page == page)
		return;

	if (page < run_page) {
		run_page = 0;
		cursor->run = 0;
	}
	while (page - run_page >= location->runs[cursor->run].count)
		run_page += location->runs[cursor->run++].count;
	cursor->page = page;
	cursor->skip = page - run_page;
}

/**
 * quire_page_cursor_number - page number of a cursor's page
 * @cursor: the cursor
 * @location: where the pages are
 *
 * Returns: as of &quire_page_run.first.
 */
static inline u64 quire_page_cursor_number(const struct quire_page_cursor *cursor,
					   const struct quire_paging_location *location)
{
	return location->runs[cursor->run].first + cursor->skip;
}

/**
 * quire_page_cursor_left - pages of the run from a cursor's page on
 * @cursor: the cursor
 * @location: where the pages are
 *
 * Returns: pages, not 0.
 */
static inline u64 quire_page_cursor_left(const struct quire_page_cursor *cursor,
					 const struct quire_paging_location *location)
{
	return location->runs[cursor->run].count - cursor->skip;
}

/**
 * quire_page_cursor_advance - step over pages of one run
 * @cursor: the cursor
 * @location: where the pages are
 * @pages: at most quire_page_cursor_left()
 */
static inline void quire_page_cursor_advance(struct quire_page_cursor *cursor,
					     const struct quire_paging_location *location,
					     u64 pages)
{
	cursor->page += pages;
	cursor->skip += pages;
	if (cursor->skip == location->runs[cursor->run].count) {
		cursor->run++;
		cursor->skip = 0;
	}
}

#endif
