/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Transfers that convert between the two forms of an image. */
#ifndef QUIRE_PAGING_SWIZZLE_H
#define QUIRE_PAGING_SWIZZLE_H

#include <linux/types.h>

#include <quire/quire_layout.h>

#include "quire_paging.h"

/**
 * quire_paging_converts - tell whether a transfer converts
 * @transfer: the transfer, or what a special lock has in common with one
 *
 * Returns: true if it has %QUIRE_TRANSFER_SWIZZLE or %QUIRE_TRANSFER_UNSWIZZLE.
 */
static inline bool quire_paging_converts(const struct quire_paging_transfer *transfer)
{
	return transfer->flags & (QUIRE_TRANSFER_SWIZZLE | QUIRE_TRANSFER_UNSWIZZLE);
}

void quire_paging_tiled_pages(const struct quire_layout *layout, u64 offset, u64 bytes,
			      u64 *first, u64 *pages);

int quire_paging_check_sides(const struct quire_paging_transfer *transfer);

#endif
