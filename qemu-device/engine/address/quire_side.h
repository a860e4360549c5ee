/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: sides of an operation.
 *
 * Layer of addresses: a side of an operation is an address of any kind, or a list of pages. A
 * side and a position come in; places, bytes or a value go out. It uses mmu, memory and core.
 */
#ifndef QUIRE_SIDE_H
#define QUIRE_SIDE_H

#include "../core/quire_engine_types.h"
#include "../core/quire_fault.h"
#include "../core/quire_numbers.h"
#include "../memory/quire_memory_types.h"
#include "../mmu/quire_mmu_types.h"

/**
 * struct quire_side - where one side of an operation lies
 * @segment: QUIRE_SEGMENT_*
 * @address: byte offset in the segment; DMA address in system memory; virtual address
 * @len: bytes from @address on that are accessed, in VRAM or the aperture; 0 if there is
 *       no such side, or it is not accessed
 * @runs: little endian page runs, or NULL; then @list counts
 * @list: little endian page numbers, one for each page, or NULL; then @address counts
 * @run_count: number of @runs
 * @run: index of the run at the cursor
 * @run_start: byte position of the first byte of @run
 * @found: byte position from where on the bytes of @place are
 * @place: they lie there; none if nothing is known
 * @space: of virtual addresses
 */
struct quire_side {
	uint32_t segment;
	uint64_t address;
	uint64_t len;
	const uint8_t *runs;
	const uint8_t *list;
	uint32_t run_count;
	uint32_t run;
	uint64_t run_start;
	uint64_t found;
	struct quire_place place;
	struct quire_space space;
};

struct quire_error quire_side_find(struct quire_engine *engine, struct quire_side *side,
				   uint64_t pos, uint64_t max);
struct quire_error quire_side_prev(struct quire_engine *engine, struct quire_side *side,
				   uint64_t end, uint64_t max, struct quire_place *place);
void quire_side_forget(struct quire_side *side);
bool quire_side_posted(struct quire_engine *engine, struct quire_side *side, uint64_t pos);
struct quire_error quire_side_unmapped(const struct quire_engine *engine,
				       const struct quire_side *side, bool begins);

/**
 * quire_side_next - contiguous bytes of a side, from a position on
 * @engine: the engine
 * @side: the side; its cursor moves, and it remembers what is found
 * @pos: bytes from the start of the side, never less than in the last call
 * @max: bytes that are wanted, at least 1
 * @place: returned: bytes that are contiguous, 1 to @max
 *
 * Return: QUIRE_FAULT_BAD_RUNS behind the last run, QUIRE_FAULT_APERTURE at a page that is
 * not mapped, QUIRE_FAULT_MMU likewise, a fault of quire_mmu_next(), else none.
 */
static inline struct quire_error quire_side_next(struct quire_engine *engine,
						 struct quire_side *side, uint64_t pos,
						 uint64_t max, struct quire_place *place)
{
	uint64_t skip = pos - side->found;

	/* Of a position in front of what was found it is more than any length. */
	if (skip >= side->place.len) {
		struct quire_error error = quire_side_find(engine, side, pos, max);

		if (error.code)
			return error;
		skip = 0;
	}
	*place = side->place;
	place->addr += skip;
	place->len = quire_min(place->len - skip, max);
	return QUIRE_OK;
}

#endif
