/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Page-table entries: what callers say, and what the device reads. */
#ifndef QUIRE_PAGING_PTE_H
#define QUIRE_PAGING_PTE_H

#include <linux/types.h>

#include "quire_paging.h"

u32 quire_paging_pte_pages(const struct quire_paging_pte *pte, u32 level, bool is_64k);
int quire_paging_pte_check(const struct quire_paging_caps *caps,
			   const struct quire_paging_pte *pte, u32 level, bool is_64k);

/**
 * quire_paging_pte_word - an entry as the device reads it
 * @pte: passed quire_paging_pte_check()
 *
 * Returns: QUIRE_PTE(), without %QUIRE_PTE_64K.
 */
static inline u64 quire_paging_pte_word(const struct quire_paging_pte *pte)
{
	return pte->page << QUIRE_PAGE_SHIFT | pte->flags;
}

#endif
