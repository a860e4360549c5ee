// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: transfers that convert between rows and tiles.
 *
 * Done row by row, as the linear side has it; struct quire_ring::done counts the
 * bytes of the rectangle. A piece is linear memory that is contiguous there: of
 * a row, or of many, if the rectangle is as wide as its surface. The tiles are no
 * pieces: VRAM is always there, and all that a part needs is the address of each
 * tile.
 *
 * Tiles side by side are a band. Their addresses are looked up for so many bands
 * as there is room for, and serve all parts that lie in these.
 */
#include "../memory/quire_mapping.h"
#include "../memory/quire_posted.h"
#include "../work/quire_tiles.h"
#include "../work/quire_work.h"
#include "quire_operations.h"

/* Rectangles of so many bytes would only drive out of the caches what lies in them. */
#define QUIRE_STREAM_BYTES	0x100000ull

static struct quire_side *quire_linear_side(struct quire_op *op)
{
	return op->flags & QUIRE_TRANSFER_SWIZZLE ? &op->src : &op->dst;
}

static struct quire_side *quire_tiled_side(struct quire_op *op)
{
	return op->flags & QUIRE_TRANSFER_SWIZZLE ? &op->dst : &op->src;
}

/* The tiles of one band. */
static struct quire_error quire_band_find(struct quire_engine *engine, struct quire_op *op,
					  uint32_t band, uint8_t **tile)
{
	const struct quire_swizzle *swizzle = &op->swizzle;
	uint64_t before = (uint64_t)(band - quire_band_of(swizzle, 0)) * swizzle->tiles_per_row;
	struct quire_error error;
	struct quire_place place;
	uint32_t i;

	for (i = 0; i < swizzle->tiles; i++) {
		uint64_t pos = (before + i) << swizzle->tile_shift;
		uint64_t max = (uint64_t)(swizzle->tiles - i) << swizzle->tile_shift;

		error = quire_side_next(engine, quire_tiled_side(op), pos, max, &place);
		if (error.code)
			return error;
		tile[i] = engine->vram + place.addr;
	}
	return QUIRE_OK;
}

/* The tiles of all bands from @band on that there is room for. */
static struct quire_error quire_bands_find(struct quire_engine *engine, struct quire_op *op,
					   uint32_t band, struct quire_tiles *tiles,
					   struct quire_budget *budget)
{
	struct quire_swizzle *swizzle = &op->swizzle;
	uint32_t left = quire_band_of(swizzle, swizzle->rows - 1) - band + 1;
	struct quire_error error;
	uint32_t i;

	swizzle->first_band = band;
	swizzle->bands = quire_min(left, QUIRE_TILES / swizzle->tiles);
	for (i = 0; i < swizzle->bands; i++) {
		error = quire_band_find(engine, op, band + i, &tiles->tile[i * swizzle->tiles]);
		if (error.code)
			return error;
	}
	quire_budget_take(budget, (uint64_t)i * swizzle->tiles * QUIRE_COST_PAGE);
	return QUIRE_OK;
}

/* Have the tiles at hand that come next when @done bytes are done. */
static struct quire_error quire_swizzle_begin(struct quire_engine *engine, struct quire_op *op,
					      uint64_t done, struct quire_work *work,
					      struct quire_budget *budget)
{
	struct quire_tiles *tiles = &work->tiles;
	struct quire_swizzle *swizzle = &op->swizzle;
	uint32_t band = quire_band_of(swizzle, done / swizzle->row_bytes);
	struct quire_error error = QUIRE_OK;
	uint64_t end;

	if (band - swizzle->first_band >= swizzle->bands)
		error = quire_bands_find(engine, op, band, tiles, budget);
	end = quire_min(quire_row_of(swizzle, swizzle->first_band + swizzle->bands),
			swizzle->rows);
	work->max = quire_min(work->max, end * swizzle->row_bytes - done);
	work->converts = true;
	tiles->swizzle = *swizzle;
	tiles->to_tiles = op->flags & QUIRE_TRANSFER_SWIZZLE;
	tiles->stream = op->total >= QUIRE_STREAM_BYTES;
	tiles->pos = done;
	return error;
}

/* Map a piece of the linear side at @pos of the rectangle, at most @max bytes. */
static struct quire_error quire_swizzle_piece(struct quire_engine *engine, struct quire_op *op,
					      uint64_t pos, uint64_t max,
					      struct quire_piece *piece)
{
	const struct quire_swizzle *swizzle = &op->swizzle;
	struct quire_side *side = quire_linear_side(op);
	uint64_t row = pos / swizzle->row_bytes, column = pos % swizzle->row_bytes;
	uint64_t at = row * swizzle->pitch + column, len = max;
	bool read = op->flags & QUIRE_TRANSFER_SWIZZLE;
	struct quire_mapping map;
	struct quire_error error;
	struct quire_place place;

	if (swizzle->pitch != swizzle->row_bytes)
		len = quire_min(max, swizzle->row_bytes - column);
	if (side->segment == QUIRE_SEGMENT_SYSTEM)
		at += side->address;
	error = quire_side_next(engine, side, at, len, &place);
	if (!error.code)
		error = quire_map_piece(engine, &place, !read, &map);
	if (error.code)
		return error;
	if (map.dma && !read)
		quire_posted_give_way(engine, place.addr, map.len);
	*piece = (struct quire_piece){ .dst = { .len = map.len } };
	*(read ? &piece->src : &piece->dst) = map;
	return QUIRE_OK;
}

/* What was found before an error is done first: the error comes again. */
struct quire_error quire_swizzle_copy(struct quire_engine *engine, struct quire_ring *ring,
				      struct quire_op *op, struct quire_budget *budget)
{
	struct quire_work *work = quire_work_begin(engine, ring, op->total - ring->done, 1,
						   budget);
	struct quire_error error = quire_swizzle_begin(engine, op, ring->done, work, budget);

	if (error.code)
		return error;
	do {
		error = quire_swizzle_piece(engine, op, ring->done + work->bytes,
					    work->max - work->bytes, quire_work_piece(work));
	} while (!error.code && quire_work_add(engine, work, budget));
	if (!work->count)
		return error;
	quire_work_go(engine, ring, budget);
	return QUIRE_OK;
}
