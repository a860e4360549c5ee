// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: virtual addresses, from pages to contiguous bytes.
 *
 * Pages come one by one from quire_walk.c. Here those that follow each other in memory
 * become one place, forward or backward, so that what copies has few pieces. A page of the
 * aperture is looked up there once more.
 *
 * Only the first page can be at fault: one that comes later ends the place, and is the first
 * of the next one.
 */
#include "../core/quire_numbers.h"
#include "../memory/quire_aperture.h"
#include "quire_mmu.h"
#include "quire_walk.h"

/* Is the page one that the side may have? */
static struct quire_error quire_page_fits(const struct quire_space *space, uint64_t va,
					  const struct quire_page *page)
{
	uint32_t access = QUIRE_ACCESS_OF(space->access, page->shift == QUIRE_PT_SHIFT(1));
	uint32_t bit = 1u << QUIRE_PTE_SEGMENT(page->entry);

	if (space->segments && !(page->entry & QUIRE_PTE_ZERO) && !(space->segments & bit))
		return (struct quire_error){ QUIRE_FAULT_BAD_SEGMENT, va, page->entry, access };
	if (page->shift < space->least_shift)
		return (struct quire_error){ QUIRE_FAULT_BAD_RANGE, va, page->entry, access };
	return QUIRE_OK;
}

static struct quire_error quire_mmu_find(struct quire_engine *engine, struct quire_space *space,
					 uint64_t va)
{
	struct quire_page page;
	struct quire_error error = quire_walk_page(engine, space, va, &page);

	if (!error.code)
		error = quire_page_fits(space, va, &page);
	if (!error.code)
		space->page = page;
	return error;
}

/* The page of an address becomes that of @space: a look ahead has mostly made it that. */
static inline struct quire_error quire_mmu_page(struct quire_engine *engine,
						struct quire_space *space, uint64_t va)
{
	if (space->page.shift && !((va ^ space->page.va) >> space->page.shift))
		return QUIRE_OK;
	return quire_mmu_find(engine, space, va);
}

/* Where a page is, or the part of it that is wanted: all but the aperture is that simple. */
static bool quire_page_place(const struct quire_page *page, uint64_t in_page, uint64_t len,
			     struct quire_place *place)
{
	*place = (struct quire_place){
		.segment = QUIRE_PTE_SEGMENT(page->entry),
		.addr = (page->entry & QUIRE_PTE_ADDRESS_MASK) + in_page,
		.len = len,
	};
	if (page->entry & QUIRE_PTE_ZERO)
		place->segment = QUIRE_SEGMENT_NOWHERE;
	else if (place->segment == QUIRE_SEGMENT_SYSTEM)
		place->posted = !(page->entry & QUIRE_PTE_CACHE_COHERENT);
	return place->segment != QUIRE_SEGMENT_APERTURE;
}

/* The bytes of one page from @va on. */
static struct quire_error quire_mmu_first(struct quire_engine *engine, struct quire_space *space,
					  uint64_t va, uint64_t max, struct quire_place *place)
{
	const struct quire_page *page = &space->page;
	struct quire_error error = quire_mmu_page(engine, space, va);
	uint64_t in_page, offset;

	if (error.code)
		return error;
	in_page = va - page->va;
	max = quire_min(max, (1ull << page->shift) - in_page);
	if (quire_page_place(page, in_page, max, place))
		return QUIRE_OK;
	offset = place->addr;
	if (!quire_aperture_next(engine, offset, max, place))
		return QUIRE_ERROR(QUIRE_FAULT_APERTURE, offset & ~(QUIRE_PAGE_SIZE - 1));
	return QUIRE_OK;
}

/* The bytes of one page up to @end. */
static struct quire_error quire_mmu_last(struct quire_engine *engine, struct quire_space *space,
					 uint64_t end, uint64_t max, struct quire_place *place)
{
	const struct quire_page *page = &space->page;
	struct quire_error error = quire_mmu_page(engine, space, end - 1);
	uint64_t offset;

	if (error.code)
		return error;
	max = quire_min(max, end - page->va);
	if (quire_page_place(page, end - max - page->va, max, place))
		return QUIRE_OK;
	offset = place->addr + max;
	if (!quire_aperture_prev(engine, offset, max, place))
		return QUIRE_ERROR(QUIRE_FAULT_APERTURE, (offset - 1) & ~(QUIRE_PAGE_SIZE - 1));
	return QUIRE_OK;
}

/* Do two places make one? @next is behind @place in virtual addresses. */
static bool quire_place_joins(const struct quire_place *place, const struct quire_place *next)
{
	if (place->segment != next->segment || place->posted != next->posted)
		return false;
	return place->segment == QUIRE_SEGMENT_NOWHERE ||
	       (next->addr && place->addr + place->len == next->addr);
}

/**
 * quire_mmu_next - contiguous bytes of an address space, from an address on
 * @engine: the engine
 * @space: the address space, and what is done there; its cursor moves
 * @va: virtual address
 * @max: bytes that are wanted, at least 1, not past %QUIRE_VA_END
 * @place: returned: where they are, 1 to @max
 *
 * Return: a fault of quire_walk_page(), QUIRE_FAULT_APERTURE, or if the page is not one that
 * the side may have, QUIRE_FAULT_BAD_SEGMENT or QUIRE_FAULT_BAD_RANGE; else none.
 */
struct quire_error quire_mmu_next(struct quire_engine *engine, struct quire_space *space,
				  uint64_t va, uint64_t max, struct quire_place *place)
{
	struct quire_error error = quire_mmu_first(engine, space, va, max, place);
	struct quire_place next;

	while (!error.code && place->len < max) {
		if (quire_mmu_first(engine, space, va + place->len, max - place->len, &next).code ||
		    !quire_place_joins(place, &next))
			break;
		place->len += next.len;
	}
	return error;
}

/**
 * quire_mmu_prev - contiguous bytes of an address space, up to an address
 * @engine: the engine
 * @space: the address space, and what is done there; its cursor moves
 * @end: virtual address behind the last
 * @max: bytes that are wanted, 1 to @end
 * @place: returned: where they are, 1 to @max
 *
 * Return: as quire_mmu_next(), of the page of the last byte.
 */
struct quire_error quire_mmu_prev(struct quire_engine *engine, struct quire_space *space,
				  uint64_t end, uint64_t max, struct quire_place *place)
{
	struct quire_error error = quire_mmu_last(engine, space, end, max, place);
	struct quire_place before;

	while (!error.code && place->len < max) {
		if (quire_mmu_last(engine, space, end - place->len, max - place->len,
				   &before).code ||
		    !quire_place_joins(&before, place))
			break;
		place->addr = before.addr;
		place->len += before.len;
	}
	return error;
}
