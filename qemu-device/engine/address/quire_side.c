// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: positions in a segment, or in a list of page runs or page numbers.
 *
 * A side of an operation is asked for its bytes piece by piece: forward from
 * a position that never goes back within a packet, or backward from an end.
 * Page runs are only walked forward. What comes back is a place, with as many
 * bytes as are contiguous there. The side remembers what it found: a host that
 * maps less of it asks again, and nothing is searched twice. Of virtual addresses, the
 * aperture and MMUs that is forgotten at the end of a slice: tables may have changed.
 * Where nothing is to be searched, it is all that follows.
 */
#include "../core/quire_numbers.h"
#include "../memory/quire_aperture.h"
#include "../memory/quire_flat.h"
#include "../memory/quire_segment.h"
#include "../mmu/quire_mmu.h"
#include "quire_side.h"

/* No packet has so many bytes. */
#define QUIRE_SIDE_ALL		0x4000000000000000ull

static uint64_t quire_side_run(const struct quire_side *side, uint32_t run)
{
	return quire_get_le64(side->runs + 8ull * run);
}

static uint64_t quire_run_bytes(uint64_t run)
{
	return (uint64_t)QUIRE_RUN_PAGES(run) << QUIRE_PAGE_SHIFT;
}

/* Move the cursor to the run that holds @pos; false behind the last. */
static bool quire_side_seek(struct quire_side *side, uint64_t pos)
{
	while (side->run < side->run_count) {
		uint64_t bytes = quire_run_bytes(quire_side_run(side, side->run));

		if (pos - side->run_start < bytes)
			return true;
		side->run_start += bytes;
		side->run++;
	}
	return false;
}

/* The bytes of a run from @pos on, and of those that go on where it ends, as long as they do. */
static struct quire_error quire_side_find_run(struct quire_side *side, uint64_t pos, uint64_t max)
{
	struct quire_place *place = &side->place;
	uint64_t run, first, n;
	uint32_t i;

	if (!quire_side_seek(side, pos))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RUNS, pos);
	run = quire_side_run(side, side->run);
	first = QUIRE_RUN_FIRST(run) << QUIRE_PAGE_SHIFT;
	place->segment = side->segment;
	place->addr = first + (pos - side->run_start);
	n = quire_run_bytes(run) - (pos - side->run_start);
	for (i = side->run + 1; n < max && i < side->run_count; i++) {
		run = quire_side_run(side, i);
		first = QUIRE_RUN_FIRST(run) << QUIRE_PAGE_SHIFT;
		if (!first || first != place->addr + n)
			break;
		n += quire_run_bytes(run);
	}
	place->len = n;
	side->found = pos;
	return QUIRE_OK;
}

/* Address of the page that holds @pos, of a list. */
static uint64_t quire_side_page(const struct quire_side *side, uint64_t pos)
{
	return quire_get_le64(side->list + 8 * (pos >> QUIRE_PAGE_SHIFT)) << QUIRE_PAGE_SHIFT;
}

/**
 * quire_side_find - search what is contiguous from a position on, and remember it
 * @engine: the engine
 * @side: the side; its cursor moves
 * @pos: bytes from the start of the side
 * @max: bytes that are wanted, at least 1; more may be found
 *
 * Return: as quire_side_next().
 */
struct quire_error quire_side_find(struct quire_engine *engine, struct quire_side *side,
				   uint64_t pos, uint64_t max)
{
	uint64_t at = side->address + pos;
	struct quire_place place = { .segment = side->segment, .addr = at, .len = QUIRE_SIDE_ALL };
	struct quire_error error;

	if (side->runs)
		return quire_side_find_run(side, pos, max);
	if (side->list) {
		place.addr = quire_side_page(side, pos) + (pos & (QUIRE_PAGE_SIZE - 1));
		place.len = QUIRE_PAGE_SIZE - (pos & (QUIRE_PAGE_SIZE - 1));
	} else if (side->segment == QUIRE_SEGMENT_APERTURE) {
		if (!quire_aperture_next(engine, at, max, &place))
			return QUIRE_ERROR(QUIRE_FAULT_APERTURE, at);
	} else if (quire_is_mmu(side->segment)) {
		if (!quire_flat_next(engine, side->segment, at, max, &place))
			return quire_flat_fault(side->segment, at);
	} else if (side->segment == QUIRE_SEGMENT_VIRTUAL) {
		error = quire_mmu_next(engine, &side->space, at, max, &place);
		if (error.code)
			return error;
	}
	side->found = pos;
	side->place = place;
	return QUIRE_OK;
}

/*
 * A fault of an address space that was reached from behind is told at the first byte of the
 * side that the entry is for.
 */
static struct quire_error quire_side_first(const struct quire_side *side,
					   struct quire_error error)
{
	uint32_t level = error.access >> 8, shift = QUIRE_PT_SHIFT(level);

	if (!error.code || !error.access)
		return error;
	if (!level && error.entry & QUIRE_PTE_VALID && error.entry & QUIRE_PTE_64K)
		shift = QUIRE_PT_SHIFT_64K;
	error.addr = quire_max(error.addr >> shift << shift, side->address);
	return error;
}

/**
 * quire_side_prev - contiguous bytes of a side, up to a position
 * @engine: the engine
 * @side: the side, not page runs
 * @end: bytes from the start of the side, not 0
 * @max: bytes that are wanted, 1 to @end
 * @place: returned: bytes that are contiguous, 1 to @max
 *
 * Return: QUIRE_FAULT_APERTURE or QUIRE_FAULT_MMU if the page of the last byte is not mapped,
 * a fault of quire_mmu_prev(), else none.
 */
struct quire_error quire_side_prev(struct quire_engine *engine, struct quire_side *side,
				   uint64_t end, uint64_t max, struct quire_place *place)
{
	uint64_t at = side->address + end;

	*place = (struct quire_place){ .segment = side->segment, .addr = at - max, .len = max };
	if (side->segment == QUIRE_SEGMENT_VIRTUAL)
		return quire_side_first(side, quire_mmu_prev(engine, &side->space, at, max, place));
	if (side->segment == QUIRE_SEGMENT_APERTURE &&
	    !quire_aperture_prev(engine, at, max, place))
		return QUIRE_ERROR(QUIRE_FAULT_APERTURE, at - 1);
	if (quire_is_mmu(side->segment) &&
	    !quire_flat_prev(engine, side->segment, at, max, place))
		return quire_flat_fault(side->segment, at - 1);
	return QUIRE_OK;
}

/**
 * quire_side_forget - a slice begins: pages may be elsewhere by now
 * @side: the side; one whose addresses no table translates keeps what it knows
 */
void quire_side_forget(struct quire_side *side)
{
	if (side->segment != QUIRE_SEGMENT_VIRTUAL && side->segment != QUIRE_SEGMENT_APERTURE &&
	    !quire_is_mmu(side->segment))
		return;
	side->place.len = 0;
	side->space.page.shift = 0;
	side->space.walk.known = false;
	side->space.ahead.known = false;
}

/* What looks ahead has found a table: before anything was done the one before it is needed, too. */
static void quire_side_keep(struct quire_space *space, const struct quire_walk *found)
{
	if (!space->walk.known && space->ahead.known && space->ahead.region != found->region)
		space->walk = space->ahead;
	space->ahead = *found;
}

/**
 * quire_side_posted - would a byte that is written go through the write buffer?
 * @engine: the engine
 * @side: the side
 * @pos: of the byte; any, its cursor stays where it is
 *
 * Return: false, too, if the byte can not be written: that is found out when it is.
 */
bool quire_side_posted(struct quire_engine *engine, struct quire_side *side, uint64_t pos)
{
	uint64_t at = side->address + pos;
	struct quire_place place = { .posted = false };
	struct quire_space space;

	if (side->segment == QUIRE_SEGMENT_APERTURE)
		quire_aperture_next(engine, at, 1, &place);
	if (quire_is_mmu(side->segment))
		quire_flat_next(engine, side->segment, at, 1, &place);
	if (side->segment != QUIRE_SEGMENT_VIRTUAL)
		return place.posted;
	space = side->space;
	space.walk = side->space.ahead;
	space.ahead = side->space.walk;
	if (quire_mmu_next(engine, &space, at, 1, &place).code)
		return false;
	quire_side_keep(&side->space, &space.walk);
	return place.posted;
}

/**
 * quire_side_unmapped - does a side have a page that is not mapped?
 * @engine: the engine
 * @side: the side, inside of its segment; one that is not accessed has none
 * @begins: pages of MMUs count, too, which may be taken away later
 *
 * Return: QUIRE_FAULT_APERTURE with the offset of the first such page of the aperture, or
 * QUIRE_FAULT_MMU with the first one of an MMU, else none.
 */
struct quire_error quire_side_unmapped(const struct quire_engine *engine,
				       const struct quire_side *side, bool begins)
{
	if (!side->len)
		return QUIRE_OK;
	if (side->segment == QUIRE_SEGMENT_APERTURE)
		return quire_aperture_check(engine, side->address, side->len);
	if (begins && quire_is_mmu(side->segment))
		return quire_flat_check(engine, side->segment, side->address, side->len);
	return QUIRE_OK;
}
