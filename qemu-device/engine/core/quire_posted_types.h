/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: the write buffer.
 */
#ifndef QUIRE_POSTED_TYPES_H
#define QUIRE_POSTED_TYPES_H

#include <stdint.h>

#include "quire_hw.h"

/* Pages whose writes are posted at a time. */
#define QUIRE_POSTED_PAGES	(QUIRE_POSTED_MAX / QUIRE_PAGE_SIZE)

/**
 * struct quire_posted_page - bytes of a page that were written and are not in memory
 * @addr: DMA address of the first; 0 if there are none
 * @len: how many follow each other, all in one page; 0 if there are none
 */
struct quire_posted_page {
	uint64_t addr;
	uint32_t len;
};

/**
 * struct quire_posted - the write buffer: what went through non-coherent entries last
 * @bytes: for each of @pages its bytes, at their place in the page; first, so that entries of page
 *         tables are aligned there
 * @pages: no two are of the same page
 * @next: of @pages, the one that is used next: the oldest
 * @total: how many bytes there are, of all
 *
 * All but @total is migrated.
 */
struct quire_posted {
	uint8_t bytes[QUIRE_POSTED_PAGES][QUIRE_PAGE_SIZE];
	struct quire_posted_page pages[QUIRE_POSTED_PAGES];
	uint32_t next;
	uint32_t total;
};

#endif
