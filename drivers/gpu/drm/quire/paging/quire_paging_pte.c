// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Page-table entries. Refused is what the device would call BAD_PTE when it needs the entry:
 * then nobody knows any more who wrote it.
 */
#include <linux/align.h>
#include <linux/errno.h>

#include "quire_paging_internal.h"
#include "quire_paging_pte.h"

/* Of what leads to a table, of a page of any size, and of one in system memory. */
#define PTE_TABLE	(QUIRE_PTE_VALID | QUIRE_PTE_SEGMENT_MASK)
#define PTE_PAGE	(PTE_TABLE | QUIRE_PTE_ZERO | QUIRE_PTE_READ_ONLY | QUIRE_PTE_NO_EXECUTE)
#define PTE_SYSTEM_PAGE	(PTE_PAGE | QUIRE_PTE_CACHE_COHERENT)

static bool pte_is_page(const struct quire_paging_pte *pte, u32 level)
{
	return !level || (level == 1 && pte->flags & QUIRE_PTE_LARGE);
}

static u64 pte_bits(const struct quire_paging_pte *pte, u32 level)
{
	const u64 elsewhere = QUIRE_PTE_ZERO | QUIRE_PTE_SEGMENT_MASK;
	u64 bits = pte->flags & elsewhere ? PTE_PAGE : PTE_SYSTEM_PAGE;

	if (!pte_is_page(pte, level))
		return PTE_TABLE;

	return level ? bits | QUIRE_PTE_LARGE : bits;
}

static bool pte_is_empty(const struct quire_paging_pte *pte)
{
	return !pte->page && !(pte->flags & QUIRE_PTE_SEGMENT_MASK);
}

/**
 * quire_paging_pte_pages - pages of 4 KiB that an entry leads to
 * @pte: a valid one
 * @level: of its table
 * @is_64k: it is that of a page of 64 KiB
 *
 * Returns: pages that follow each other; those of a table are one.
 */
u32 quire_paging_pte_pages(const struct quire_paging_pte *pte, u32 level, bool is_64k)
{
	if (is_64k)
		return QUIRE_PT_ENTRIES_64K;

	return level && pte_is_page(pte, level) ? QUIRE_PT_ENTRIES : 1;
}

/**
 * quire_paging_pte_check - can an entry be in a table
 * @caps: what the device can do
 * @pte: the entry
 * @level: of the table, 0 to 3; the root of an address space is as one of level 3
 * @is_64k: it is that of a page of 64 KiB; of level 0
 *
 * Returns: 0; -EINVAL for bits that there are not, or not for it, a segment that it can not be
 * in, or a page that is not aligned to its size; -EOVERFLOW if an address does not fit 64
 * bits; -ERANGE if it is not in its segment.
 */
int quire_paging_pte_check(const struct quire_paging_caps *caps,
			   const struct quire_paging_pte *pte, u32 level, bool is_64k)
{
	u32 last = pte_is_page(pte, level) ? QUIRE_SEGMENT_APERTURE : QUIRE_SEGMENT_VRAM;
	u32 segment = QUIRE_PTE_SEGMENT(pte->flags);
	u32 pages = quire_paging_pte_pages(pte, level, is_64k);

	if (!(pte->flags & QUIRE_PTE_VALID))
		return pte->flags || pte->page ? -EINVAL : 0;
	if (pte->flags & ~pte_bits(pte, level) || segment > last)
		return -EINVAL;
	if (pte->flags & QUIRE_PTE_ZERO)
		return pte_is_empty(pte) ? 0 : -EINVAL;
	if (!IS_ALIGNED(pte->page, pages))
		return -EINVAL;

	return quire_paging_check_segment(caps, segment, pte->page, pages);
}
