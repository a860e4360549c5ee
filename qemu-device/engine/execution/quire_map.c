// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: the operations that change the aperture's table, in slices.
 *
 * Callers have checked the range against the size of the segment.
 */
#include "../core/quire_numbers.h"
#include "../memory/quire_aperture.h"
#include "../sync/quire_wait.h"
#include "quire_operations.h"
#include "quire_step.h"

/* MAP_APERTURE and MAP_APERTURE2; @done counts pages. */
struct quire_error quire_map_aperture(struct quire_engine *engine, struct quire_ring *ring,
				      struct quire_op *op, struct quire_budget *budget)
{
	uint32_t first = op->dst.address >> QUIRE_PAGE_SHIFT;
	uint64_t left = quire_pages_slice(ring, op->total - ring->done, budget);
	uint64_t bits = QUIRE_APERTURE_VALID;
	struct quire_error error;
	struct quire_place place;
	uint64_t page;

	engine->aperture_top = quire_max(engine->aperture_top, first + ring->done + left);
	if (op->flags & QUIRE_MAP_CACHE_COHERENT)
		bits |= QUIRE_APERTURE_COHERENT;
	if (op->flags & QUIRE_MAP_CPU_VISIBLE)
		bits |= QUIRE_APERTURE_CPU_VISIBLE;
	while (left) {
		error = quire_side_next(engine, &op->src, ring->done << QUIRE_PAGE_SHIFT,
					left << QUIRE_PAGE_SHIFT, &place);
		if (error.code)
			return error;
		for (page = 0; page < place.len >> QUIRE_PAGE_SHIFT; page++)
			quire_aperture_set(engine, first + ring->done + page,
					   (place.addr + (page << QUIRE_PAGE_SHIFT)) | bits);
		ring->done += page;
		left -= page;
	}
	return QUIRE_OK;
}

/*
 * @done counts pages; the last unit is to wait. What is at work in a thread has the pages from
 * before; it has ended when this has.
 */
struct quire_error quire_unmap_aperture(struct quire_engine *engine, struct quire_ring *ring,
					struct quire_op *op, struct quire_budget *budget)
{
	uint32_t first = op->dst.address >> QUIRE_PAGE_SHIFT;
	uint64_t left = quire_pages_slice(ring, op->total - 1 - ring->done, budget);

	engine->aperture_top = quire_max(engine->aperture_top, first + ring->done + left);
	for (; left; left--)
		quire_aperture_set(engine, first + ring->done++,
				   op->value | QUIRE_APERTURE_VALID | QUIRE_APERTURE_DUMMY);
	quire_unmap_wait(engine, ring, op);
	return QUIRE_OK;
}
