// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: copies, the bulk of the work.
 *
 * A copy is cut where either side stops to be contiguous, where a DMA mapping
 * ends, and where the budget of the slice ends. Each piece is one memmove
 * between the mapped memory and VRAM; some are mapped at a time, and done as
 * quire_work.c has it. Sides that overlap in one segment with the destination
 * above the source are copied from the end, piece by piece; struct
 * quire_ring::done then counts from the end, so that a later slice goes on
 * correctly.
 *
 * What goes last through non-coherent entries of the aperture stays in the write
 * buffer, see quire_posted.c: it is copied there a page at a time.
 *
 * System memory may be reachable twice: mapped at two aperture pages, listed
 * twice in the runs, or aliasing VRAM through BAR 2. Then each piece is still
 * a memmove, and the order of pieces decides what the bytes are.
 */
#include "../core/quire_numbers.h"
#include "../memory/quire_mapping.h"
#include "../memory/quire_posted.h"
#include "../work/quire_work.h"
#include "quire_ahead.h"
#include "quire_operations.h"

/* Backward pieces are this long at most: their mappings are found by search. */
#define QUIRE_COPY_TAIL_MAX	(64u * 1024)

/* Leave the last @len bytes of a place. */
static void quire_place_trim(struct quire_place *place, uint64_t len)
{
	place->addr += place->len - len;
	place->len = len;
}

/*
 * Map the last @len bytes of a place, or as many of them from the back as possible. What
 * is not mapped as a whole is mapped in pages, most likely: the last one is
 * tried next.
 */
static struct quire_error quire_map_tail(struct quire_engine *engine, struct quire_place place,
					 uint64_t len, bool write, struct quire_mapping *map)
{
	struct quire_error error;
	uint64_t skip, page;

	quire_place_trim(&place, len);
	for (;;) {
		error = quire_map_piece(engine, &place, write, map);
		if (error.code || map->len == place.len)
			return error;
		quire_unmap_piece(engine, map, write, 0);
		page = (place.addr + place.len - 1) & ~(QUIRE_PAGE_SIZE - 1);
		skip = quire_max(map->len, page > place.addr ? page - place.addr : 0);
		quire_place_trim(&place, place.len - skip);
	}
}

/* Map a piece at @pos of at most @max bytes. */
static struct quire_error quire_piece_forward(struct quire_engine *engine, struct quire_op *op,
					      uint64_t pos, uint64_t max,
					      struct quire_piece *piece)
{
	struct quire_place from, to;
	struct quire_error error;

	error = quire_side_next(engine, &op->src, pos, max, &from);
	if (!error.code)
		error = quire_side_next(engine, &op->dst, pos, from.len, &to);
	if (error.code)
		return error;
	from.len = to.len;
	error = quire_map_piece(engine, &from, false, &piece->src);
	if (error.code)
		return error;
	to.len = piece->src.len;
	error = quire_map_piece(engine, &to, true, &piece->dst);
	if (error.code)
		quire_unmap_piece(engine, &piece->src, false, 0);
	piece->from = piece->src.ptr;
	piece->to = to.addr;
	return error;
}

/* Map a piece that ends at @end of at most @max bytes. */
static struct quire_error quire_piece_backward(struct quire_engine *engine, struct quire_op *op,
					       uint64_t end, uint64_t max,
					       struct quire_piece *piece)
{
	struct quire_place from, to;
	struct quire_error error;

	error = quire_side_prev(engine, &op->src, end, quire_min(max, QUIRE_COPY_TAIL_MAX), &from);
	if (!error.code)
		error = quire_side_prev(engine, &op->dst, end, from.len, &to);
	if (!error.code)
		error = quire_map_tail(engine, from, to.len, false, &piece->src);
	if (error.code)
		return error;
	error = quire_map_tail(engine, to, piece->src.len, true, &piece->dst);
	if (error.code)
		quire_unmap_piece(engine, &piece->src, false, 0);
	piece->from = (uint8_t *)piece->src.ptr + piece->src.len - piece->dst.len;
	piece->to = to.addr + to.len - piece->dst.len;
	return error;
}

/* The next piece of the copy when @done bytes are done or mapped. */
static struct quire_error quire_piece_next(struct quire_engine *engine, struct quire_op *op,
					   uint64_t done, uint64_t max,
					   struct quire_piece *piece)
{
	uint64_t left = op->total - done;

	if (op->backward)
		return quire_piece_backward(engine, op, left, quire_min(left, max), piece);
	return quire_piece_forward(engine, op, done, quire_min(left, max), piece);
}

/* A piece of what goes straight to memory, or to VRAM. */
static struct quire_error quire_piece_straight(struct quire_engine *engine, struct quire_op *op,
					       uint64_t done, uint64_t max,
					       struct quire_piece *piece)
{
	struct quire_error error = quire_piece_next(engine, op, done, max, piece);

	if (!error.code && piece->dst.dma)
		quire_posted_give_way(engine, piece->to, piece->dst.len);
	return error;
}

/* The next part of a copy that goes past the write buffer, at most @left bytes. */
static struct quire_error quire_copy_straight(struct quire_engine *engine,
					      struct quire_ring *ring, struct quire_op *op,
					      uint64_t left, struct quire_budget *budget)
{
	struct quire_work *work = quire_work_begin(engine, ring, left, 1, budget);
	struct quire_error error;

	do {
		error = quire_piece_straight(engine, op, ring->done + work->bytes,
					     work->max - work->bytes, quire_work_piece(work));
	} while (!error.code && quire_work_add(engine, work, budget));
	if (!work->count)
		return error;
	quire_work_go(engine, ring, budget);
	return QUIRE_OK;
}

/*
 * The next piece into the write buffer, within a page. It is mapped all the same: what is
 * no memory is a fault now, not when the page is written. The page was looked up before, to
 * know that it is posted, and may be another one by now.
 */
static struct quire_error quire_copy_posted(struct quire_engine *engine, struct quire_ring *ring,
					    struct quire_op *op, uint64_t max,
					    struct quire_budget *budget)
{
	struct quire_piece piece;
	struct quire_error error;
	uint64_t len;

	max = quire_min(max, budget->bytes);
	error = quire_piece_next(engine, op, ring->done, max, &piece);
	if (error.code)
		return error;
	len = piece.dst.len;
	if (!piece.dst.posted) {
		quire_unmap_piece(engine, &piece.dst, true, 0);
		quire_unmap_piece(engine, &piece.src, false, 0);
		return quire_copy_straight(engine, ring, op, len, budget);
	}
	quire_posted_hold(engine, piece.to, piece.from, len);
	quire_unmap_piece(engine, &piece.dst, true, 0);
	quire_unmap_piece(engine, &piece.src, false, 0);
	ring->done += len;
	ring->progress += len;
	quire_budget_take(budget, len);
	return QUIRE_OK;
}

/* What was found before an error is done first: the error comes again. */
struct quire_error quire_copy(struct quire_engine *engine, struct quire_ring *ring,
			      struct quire_op *op, struct quire_budget *budget)
{
	bool posted;
	uint64_t left = quire_posted_ahead(engine, op, ring->done, &posted);

	return posted ? quire_copy_posted(engine, ring, op, left, budget) :
			quire_copy_straight(engine, ring, op, left, budget);
}
