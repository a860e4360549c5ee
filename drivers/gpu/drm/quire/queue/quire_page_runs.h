/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGE_RUNS_H
#define QUIRE_PAGE_RUNS_H

#include "paging/quire_paging.h"
#include "quire_cursor.h"

struct ttm_resource;
struct ttm_tt;

/**
 * struct quire_page_runs - a part of an object's place, for the builder
 * @location: the part, for &struct quire_paging_args; valid while its array is the caller's
 * @part: where the part begins
 * @next: where the next part begins
 * @pages: of the part
 *
 * All zero: a side that an operation does not have.
 */
struct quire_page_runs {
	struct quire_paging_location location;
	struct quire_cursor part;
	struct quire_cursor next;
	u64 pages;
};

void quire_page_runs_init(struct quire_page_runs *runs, struct ttm_resource *res,
			  struct ttm_tt *tt);
void quire_page_runs_next(struct quire_page_runs *runs, struct quire_page_run *array,
			  u32 room, u64 pages);
void quire_page_runs_from(struct quire_page_runs *runs, struct quire_page_run *array,
			  u32 room, u64 first, u64 pages);
bool quire_page_runs_ended(const struct quire_page_runs *runs);

#endif
