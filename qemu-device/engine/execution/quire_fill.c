// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: fills.
 *
 * A fill is a copy without a source, see quire_copy.c: VRAM is filled in one piece, the
 * aperture and virtual addresses in pieces that are contiguous in memory, and what goes last
 * through non-coherent entries stays in the write buffer.
 *
 * In system memory a piece may end anywhere. The pattern goes on with the next byte of it.
 */
#include "../core/quire_numbers.h"
#include "../memory/quire_mapping.h"
#include "../memory/quire_posted.h"
#include "../work/quire_work.h"
#include "quire_ahead.h"
#include "quire_operations.h"
#include "quire_step.h"

/**
 * quire_fill_part - fill the next part of a range of VRAM
 * @engine: the engine
 * @ring: the ring of the packet; its @done is advanced
 * @offset: of the part
 * @left: bytes that are left of the range
 * @unit: a part is a whole number of it, a power of two and a multiple of four
 * @pattern: what is repeated
 * @budget: what the slice may use; what was used is taken off
 */
void quire_fill_part(struct quire_engine *engine, struct quire_ring *ring,
		     uint64_t offset, uint64_t left, uint64_t unit, uint32_t pattern,
		     struct quire_budget *budget)
{
	struct quire_work *work = quire_work_begin(engine, ring, left, unit, budget);

	*quire_work_piece(work) = (struct quire_piece){
		.dst = { .ptr = engine->vram + offset, .len = work->max },
	};
	work->pattern = pattern;
	quire_work_add(engine, work, budget);
	quire_work_go(engine, ring, budget);
}

/* Map a piece at @done of at most @max bytes. */
static struct quire_error quire_fill_piece(struct quire_engine *engine, struct quire_op *op,
					   uint64_t done, uint64_t max,
					   struct quire_piece *piece)
{
	struct quire_place place = { 0 };
	struct quire_error error;

	*piece = (struct quire_piece){ 0 };
	error = quire_side_next(engine, &op->dst, done, max, &place);
	if (!error.code)
		error = quire_map_piece(engine, &place, true, &piece->dst);
	piece->to = place.addr;
	return error;
}

/* The next part of a fill that goes past the write buffer, at most @left bytes. */
static struct quire_error quire_fill_straight(struct quire_engine *engine,
					      struct quire_ring *ring, struct quire_op *op,
					      uint64_t left, struct quire_budget *budget)
{
	struct quire_work *work = quire_work_begin(engine, ring, left, 4, budget);
	struct quire_piece *piece;
	struct quire_error error;

	work->pattern = op->pattern;
	work->phase = ring->done % 4;
	do {
		piece = quire_work_piece(work);
		error = quire_fill_piece(engine, op, ring->done + work->bytes,
					 work->max - work->bytes, piece);
		if (!error.code && piece->dst.dma)
			quire_posted_give_way(engine, piece->to, piece->dst.len);
	} while (!error.code && quire_work_add(engine, work, budget));
	if (!work->count)
		return error;
	quire_work_go(engine, ring, budget);
	return QUIRE_OK;
}

/* The next piece into the write buffer, within a page; as in quire_copy_posted(). */
static struct quire_error quire_fill_posted(struct quire_engine *engine,
					    struct quire_ring *ring, struct quire_op *op,
					    uint64_t max, struct quire_budget *budget)
{
	uint8_t bytes[QUIRE_PAGE_SIZE];
	struct quire_piece piece;
	struct quire_error error;
	uint64_t i;

	error = quire_fill_piece(engine, op, ring->done, quire_min(max, budget->bytes), &piece);
	if (error.code)
		return error;
	if (!piece.dst.posted) {
		quire_unmap_piece(engine, &piece.dst, true, 0);
		return quire_fill_straight(engine, ring, op, piece.dst.len, budget);
	}
	for (i = 0; i < piece.dst.len; i++)
		bytes[i] = op->pattern >> 8 * ((ring->done + i) % 4);
	quire_posted_hold(engine, piece.to, bytes, piece.dst.len);
	quire_unmap_piece(engine, &piece.dst, true, 0);
	quire_command_done(ring, budget, piece.dst.len);
	return QUIRE_OK;
}

static struct quire_error quire_fill_pieces(struct quire_engine *engine,
					    struct quire_ring *ring, struct quire_op *op,
					    struct quire_budget *budget)
{
	bool posted;
	uint64_t left = quire_posted_ahead(engine, op, ring->done, &posted);

	return posted ? quire_fill_posted(engine, ring, op, left, budget) :
			quire_fill_straight(engine, ring, op, left, budget);
}

/* The paging operations, and the command. */
struct quire_error quire_fill_range(struct quire_engine *engine, struct quire_ring *ring,
				    struct quire_op *op, struct quire_budget *budget)
{
	if (op->dst.segment != QUIRE_SEGMENT_VRAM)
		return quire_fill_pieces(engine, ring, op, budget);
	quire_fill_part(engine, ring, op->dst.address + ring->done, op->total - ring->done, 4,
			op->pattern, budget);
	return QUIRE_OK;
}
