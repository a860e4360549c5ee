/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGE_RUNS_H
#define QUIRE_PAGE_RUNS_H

#include "paging/quire_paging.h"

struct ttm_resource;
struct ttm_tt;

#define QUIRE_PAGE_RUNS_FEW	8

/**
 * struct quire_page_runs - where an object's pages are, for the builder
 * @location: for &struct quire_paging_args; not valid after
 *            quire_page_runs_fini()
 * @few: the runs, while they are few: needs no memory
 * @many: the runs, if there are more
 *
 * Not to be copied or moved: @location points into it.
 */
struct quire_page_runs {
	struct quire_paging_location location;
	struct quire_page_run few[QUIRE_PAGE_RUNS_FEW];
	struct quire_page_run *many;
};

int quire_page_runs_init(struct quire_page_runs *runs, struct ttm_resource *res,
			 struct ttm_tt *tt);
int quire_page_runs_init_tt(struct quire_page_runs *runs, struct ttm_tt *tt);
void quire_page_runs_fini(struct quire_page_runs *runs);

#endif
