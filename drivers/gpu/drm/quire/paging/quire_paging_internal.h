/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the builder and the checks of its arguments share. */
#ifndef QUIRE_PAGING_INTERNAL_H
#define QUIRE_PAGING_INTERNAL_H

#include <linux/types.h>

#include <quire/quire_hw.h>

#include "quire_paging.h"

/**
 * quire_paging_bytes_to_pages - pages that some bytes touch
 * @bytes: from the start of a page on
 *
 * Returns: pages, the last may be touched in part.
 */
static inline u64 quire_paging_bytes_to_pages(u64 bytes)
{
	return (bytes >> QUIRE_PAGE_SHIFT) + !!(bytes & (QUIRE_PAGE_SIZE - 1));
}

/**
 * quire_transfer_first_page - where a transfer starts in one of its sides
 * @transfer: the transfer
 * @location: its source or its destination
 *
 * Returns: pages from the start of @location.
 *
 * Source: paging-model 4.1: the byte offset is for a segment, the page offset
 * for an MDL.
 */
static inline u64 quire_transfer_first_page(const struct quire_paging_transfer *transfer,
					    const struct quire_paging_location *location)
{
	if (location->segment == QUIRE_SEGMENT_SYSTEM)
		return transfer->mdl_offset;

	return transfer->transfer_offset >> QUIRE_PAGE_SHIFT;
}

u64 quire_paging_pages(const struct quire_paging_args *args);

#endif
