// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: positions in a segment, or in a list of page runs or page numbers.
 *
 * A side of an operation is asked for its bytes piece by piece: forward from
 * a position that never goes back within a packet, or backward from an end.
 * Page runs are only walked forward. What comes back is a VRAM offset or a
 * DMA address, with as many bytes as are contiguous there. The side remembers
 * what it found: a host that maps less of it asks again, and nothing is
 * searched twice.
 */
#include "quire_internal.h"

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

static bool quire_side_next_run(struct quire_side *side, uint64_t pos, uint64_t max,
				uint64_t *addr, uint64_t *len)
{
	uint64_t run, first, n;
	uint32_t i;

	if (!quire_side_seek(side, pos))
		return false;
	run = quire_side_run(side, side->run);
	first = QUIRE_RUN_FIRST(run) << QUIRE_PAGE_SHIFT;
	*addr = first + (pos - side->run_start);
	n = quire_run_bytes(run) - (pos - side->run_start);
	for (i = side->run + 1; n < max && i < side->run_count; i++) {
		run = quire_side_run(side, i);
		first = QUIRE_RUN_FIRST(run) << QUIRE_PAGE_SHIFT;
		if (!first || first != *addr + n)
			break;
		n += quire_run_bytes(run);
	}
	*len = quire_min(n, max);
	return true;
}

/* Address of the page that holds @pos, of a list. */
static uint64_t quire_side_page(const struct quire_side *side, uint64_t pos)
{
	return quire_get_le64(side->list + 8 * (pos >> QUIRE_PAGE_SHIFT)) << QUIRE_PAGE_SHIFT;
}

/* Search what is contiguous from @pos on, at most @max bytes, and remember it. */
static struct quire_error quire_side_find(const struct quire_engine *engine,
					  struct quire_side *side, uint64_t pos, uint64_t max)
{
	uint64_t addr = side->address + pos, len = max;

	if (side->runs) {
		if (!quire_side_next_run(side, pos, max, &addr, &len))
			return QUIRE_ERROR(QUIRE_FAULT_BAD_RUNS, pos);
	} else if (side->list) {
		addr = quire_side_page(side, pos) + (pos & (QUIRE_PAGE_SIZE - 1));
		len = quire_min(max, QUIRE_PAGE_SIZE - (pos & (QUIRE_PAGE_SIZE - 1)));
	} else if (side->segment == QUIRE_SEGMENT_APERTURE) {
		if (!quire_aperture_next(engine, side->address + pos, max, &addr, &len))
			return QUIRE_ERROR(QUIRE_FAULT_APERTURE, side->address + pos);
	}
	side->found = pos;
	side->found_addr = addr;
	side->found_len = len;
	return QUIRE_OK;
}

/**
 * quire_side_next - contiguous bytes of a side, from a position on
 * @engine: the engine
 * @side: the side; its cursor moves, and it remembers what is found
 * @pos: bytes from the start of the side, never less than in the last call
 * @max: bytes that are wanted, at least 1
 * @addr: returned: VRAM offset or DMA address of the first
 * @len: returned: bytes that are contiguous there, 1 to @max
 *
 * Return: QUIRE_FAULT_BAD_RUNS behind the last run, QUIRE_FAULT_APERTURE at a page that is
 * not mapped, else none.
 */
struct quire_error quire_side_next(const struct quire_engine *engine, struct quire_side *side,
				   uint64_t pos, uint64_t max, uint64_t *addr, uint64_t *len)
{
	struct quire_error error;
	uint64_t skip = pos - side->found;

	if (pos < side->found || skip >= side->found_len) {
		error = quire_side_find(engine, side, pos, max);
		if (error.code)
			return error;
		skip = 0;
	}
	*addr = side->found_addr + skip;
	*len = quire_min(side->found_len - skip, max);
	return QUIRE_OK;
}

/**
 * quire_side_prev - contiguous bytes of a side, up to a position
 * @engine: the engine
 * @side: the side, not page runs
 * @end: bytes from the start of the side, not 0
 * @max: bytes that are wanted, 1 to @end
 * @addr: returned: VRAM offset or DMA address of the first
 * @len: returned: bytes that are contiguous there, 1 to @max
 *
 * Return: QUIRE_FAULT_APERTURE if the page of the last byte is not mapped, else none.
 */
struct quire_error quire_side_prev(const struct quire_engine *engine,
				   const struct quire_side *side, uint64_t end, uint64_t max,
				   uint64_t *addr, uint64_t *len)
{
	*addr = side->address + end - max;
	*len = max;
	if (side->segment == QUIRE_SEGMENT_APERTURE &&
	    !quire_aperture_prev(engine, side->address + end, max, addr, len))
		return QUIRE_ERROR(QUIRE_FAULT_APERTURE, side->address + end - 1);
	return QUIRE_OK;
}
