// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: MAP_MMU and UNMAP_MMU, in slices.
 *
 * Callers have checked the range against the size of the segment, and the pages of the packet.
 */
#include "../core/quire_numbers.h"
#include "../memory/quire_flat.h"
#include "../sync/quire_wait.h"
#include "quire_operations.h"
#include "quire_step.h"

/* @done counts pages. */
struct quire_error quire_map_mmu(struct quire_engine *engine, struct quire_ring *ring,
				 struct quire_op *op, struct quire_budget *budget)
{
	struct quire_table *table = &engine->mmu[op->dst.segment - QUIRE_SEGMENT_MMU(0)];
	uint64_t first = op->dst.address >> QUIRE_PAGE_SHIFT;
	uint64_t left = quire_pages_slice(ring, op->total - ring->done, budget);
	uint64_t bits = QUIRE_FLAT_VALID;
	struct quire_error error;
	struct quire_place place;

	if (op->src.segment == QUIRE_SEGMENT_VRAM)
		bits |= QUIRE_FLAT_VRAM;
	else if (op->flags & QUIRE_MAP_CACHE_COHERENT)
		bits |= QUIRE_FLAT_COHERENT;
	for (; left; left--, ring->done++) {
		error = quire_side_next(engine, &op->src, ring->done << QUIRE_PAGE_SHIFT,
					QUIRE_PAGE_SIZE, &place);
		if (error.code)
			return error;
		quire_table_set(table, first + ring->done, place.addr | bits);
	}
	return QUIRE_OK;
}

/* The same; the last unit is to wait, as in quire_unmap_aperture(). */
struct quire_error quire_unmap_mmu(struct quire_engine *engine, struct quire_ring *ring,
				   struct quire_op *op, struct quire_budget *budget)
{
	struct quire_table *table = &engine->mmu[op->dst.segment - QUIRE_SEGMENT_MMU(0)];
	uint64_t first = op->dst.address >> QUIRE_PAGE_SHIFT, left = op->total - 1 - ring->done;

	for (left = quire_pages_slice(ring, left, budget); left; left--)
		quire_table_set(table, first + ring->done++, 0);
	quire_unmap_wait(engine, ring, op);
	return QUIRE_OK;
}
