/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: bytes between rows and tiles.
 */
#ifndef QUIRE_TILES_H
#define QUIRE_TILES_H

#include "../core/quire_numbers.h"
#include "quire_work_types.h"

void quire_tiles_do(const struct quire_tiles *tiles, const struct quire_piece *pieces,
		    unsigned int count);

/* The band of a row of the rectangle, in its surface. */
static inline uint32_t quire_band_of(const struct quire_swizzle *swizzle, uint32_t row)
{
	return (swizzle->y + row) >> swizzle->tile_height_shift;
}

/* The row of the rectangle with which a band begins; above the rectangle that is row 0. */
static inline uint32_t quire_row_of(const struct quire_swizzle *swizzle, uint32_t band)
{
	uint64_t y = (uint64_t)band << swizzle->tile_height_shift;

	return quire_max(y, swizzle->y) - swizzle->y;
}

#endif
