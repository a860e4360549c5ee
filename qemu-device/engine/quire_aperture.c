// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: the aperture, a table of system pages.
 *
 * An entry is a page-aligned DMA address and QUIRE_APERTURE_* bits; zero is a
 * page that was never mapped. Entries are valid for ever once mapped: an unmap
 * points them at the dummy page. Lookups coalesce neighbours that are adjacent
 * in system memory, so that one DMA mapping covers them.
 *
 * Callers have checked every offset against the size of the segment.
 */
#include "quire_internal.h"

/* Bytes of the slice's budget that a page to (un)map costs. */
#define QUIRE_APERTURE_PAGE_COST	8

static uint64_t quire_aperture_page(uint64_t entry)
{
	return entry & ~(QUIRE_PAGE_SIZE - 1);
}

void quire_aperture_reset(struct quire_engine *engine)
{
	memset(engine->aperture, 0, engine->aperture_top * sizeof(*engine->aperture));
	engine->aperture_top = 0;
}

/* Is every page of the @len bytes at @side mapped? */
struct quire_error quire_aperture_check(const struct quire_engine *engine,
					const struct quire_side *side, uint64_t len)
{
	uint64_t page = side->address >> QUIRE_PAGE_SHIFT;
	uint64_t last = (side->address + len - 1) >> QUIRE_PAGE_SHIFT;

	if (side->segment != QUIRE_SEGMENT_APERTURE)
		return QUIRE_OK;
	for (; page <= last; page++)
		if (!(engine->aperture[page] & QUIRE_APERTURE_VALID))
			return QUIRE_ERROR(QUIRE_FAULT_APERTURE, page << QUIRE_PAGE_SHIFT);
	return QUIRE_OK;
}

/* System memory at @offset: address and contiguous bytes, at most @max. */
bool quire_aperture_next(const struct quire_engine *engine, uint64_t offset, uint64_t max,
			 uint64_t *addr, uint64_t *len)
{
	const uint64_t *entry = &engine->aperture[offset >> QUIRE_PAGE_SHIFT];
	const uint64_t *end = engine->aperture + engine->aperture_pages;
	uint64_t in_page = offset & (QUIRE_PAGE_SIZE - 1);
	uint64_t n = QUIRE_PAGE_SIZE - in_page;
	uint64_t page = quire_aperture_page(*entry);

	if (!(*entry & QUIRE_APERTURE_VALID))
		return false;
	*addr = page + in_page;
	while (n < max && ++entry < end && (*entry & QUIRE_APERTURE_VALID) &&
	       quire_aperture_page(*entry) == page + QUIRE_PAGE_SIZE) {
		page += QUIRE_PAGE_SIZE;
		if (!page)
			break;
		n += QUIRE_PAGE_SIZE;
	}
	*len = quire_min(n, max);
	return true;
}

/* The same for bytes that end at @end, which is not 0. */
bool quire_aperture_prev(const struct quire_engine *engine, uint64_t end, uint64_t max,
			 uint64_t *addr, uint64_t *len)
{
	const uint64_t *entry = &engine->aperture[(end - 1) >> QUIRE_PAGE_SHIFT];
	uint64_t n = ((end - 1) & (QUIRE_PAGE_SIZE - 1)) + 1;
	uint64_t page = quire_aperture_page(*entry);
	uint64_t last = page + n;

	if (!(*entry & QUIRE_APERTURE_VALID))
		return false;
	while (n < max && entry-- > engine->aperture && (*entry & QUIRE_APERTURE_VALID) &&
	       page && quire_aperture_page(*entry) == page - QUIRE_PAGE_SIZE) {
		page -= QUIRE_PAGE_SIZE;
		n += QUIRE_PAGE_SIZE;
	}
	*len = quire_min(n, max);
	*addr = last - *len;
	return true;
}

/* Pages to do in this slice; accounts for them. */
static uint64_t quire_aperture_slice(struct quire_engine *engine, struct quire_ring *ring,
				     const struct quire_op *op, struct quire_budget *budget)
{
	uint64_t first = op->dst.address >> QUIRE_PAGE_SHIFT;
	uint64_t n = quire_max(budget->bytes / QUIRE_APERTURE_PAGE_COST, 1);

	n = quire_min(n, op->total - ring->done);
	budget->bytes -= quire_min(budget->bytes, n * QUIRE_APERTURE_PAGE_COST);
	ring->progress += n;
	engine->aperture_top = quire_max(engine->aperture_top, first + ring->done + n);
	return n;
}

struct quire_error quire_aperture_map(struct quire_engine *engine, struct quire_ring *ring,
				      struct quire_op *op, struct quire_budget *budget)
{
	uint64_t *entry = &engine->aperture[op->dst.address >> QUIRE_PAGE_SHIFT];
	uint64_t left = quire_aperture_slice(engine, ring, op, budget);
	uint64_t bits = QUIRE_APERTURE_VALID;
	struct quire_error error;
	uint64_t addr, len, page;

	if (op->flags & QUIRE_MAP_CACHE_COHERENT)
		bits |= QUIRE_APERTURE_COHERENT;
	while (left) {
		error = quire_side_next(engine, &op->src, ring->done << QUIRE_PAGE_SHIFT,
					left << QUIRE_PAGE_SHIFT, &addr, &len);
		if (error.code)
			return error;
		for (page = 0; page < len >> QUIRE_PAGE_SHIFT; page++)
			entry[ring->done + page] = (addr + (page << QUIRE_PAGE_SHIFT)) | bits;
		ring->done += page;
		left -= page;
	}
	return QUIRE_OK;
}

void quire_aperture_unmap(struct quire_engine *engine, struct quire_ring *ring,
			  const struct quire_op *op, struct quire_budget *budget)
{
	uint64_t *entry = &engine->aperture[op->dst.address >> QUIRE_PAGE_SHIFT];
	uint64_t left = quire_aperture_slice(engine, ring, op, budget);

	for (; left; left--)
		entry[ring->done++] = op->value | QUIRE_APERTURE_VALID;
}
