// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The address space that paging buffers are executed in: pages of all memory, in an order that
 * the input chooses, and some of it as pages of 64 KiB. The tables are the device's alone.
 */
#include <string.h>

#include "paging_world.h"

#define AT(member)	(CONTROL_BASE + offsetof(struct control, member))

static bool coprime(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}

	return a == 1;
}

/* Numbers below @count, each once. */
static void take_order(struct fuzz_input *input, uint8_t *to, uint32_t count, uint32_t segment)
{
	uint32_t step = 1 + fuzz_below(input, count), at = fuzz_below(input, count), i;

	while (!coprime(step, count))
		step--;
	for (i = 0; i < count; i++) {
		to[i] = segment << 6 | at;
		at = (at + step) % count;
	}
}

static void put_large(uint8_t *to, uint32_t segment)
{
	uint32_t i;

	for (i = 0; i < QUIRE_PT_ENTRIES_64K; i++)
		to[i] = segment << 6 | i;
}

/* As the device reads it. */
static uint64_t space_entry(const struct world *world, uint32_t page, bool coherent)
{
	uint32_t segment = world->space[page] >> 6, number = world->space[page] & 63;
	uint64_t bits = QUIRE_PTE_VALID, address = number * FUZZ_PAGE;

	if (!segment) {
		address += SYSTEM_BASE;
		bits |= coherent ? QUIRE_PTE_CACHE_COHERENT : 0;
	}
	if (page >= SPACE_LOCAL_64K) {
		address &= ~(FUZZ_PAGE * QUIRE_PT_ENTRIES_64K - 1ull);
		bits |= QUIRE_PTE_64K;
	}

	return QUIRE_PTE(segment, address, bits);
}

/* Of each level a table, and a context with them. */
static void space_tables(struct world *world, bool coherent)
{
	struct control *control = world->control;
	uint64_t address = AT(tables[QUIRE_PT_LEVELS - 1]);
	struct quire_context_area *context = &control->context;
	uint32_t level, i;

	memset(control->tables, 0, sizeof(control->tables));
	memset(context, 0, sizeof(*context));
	context->magic = cpu_to_le32(QUIRE_CONTEXT_MAGIC);
	context->root = cpu_to_le64(QUIRE_PTE(QUIRE_SEGMENT_SYSTEM, address, QUIRE_PTE_VALID));
	for (level = QUIRE_PT_LEVELS - 1; level; level--) {
		i = SPACE_BASE >> QUIRE_PT_SHIFT(level) & (QUIRE_PT_ENTRIES - 1);
		address = AT(tables[level - 1]);
		control->tables[level][i] =
			cpu_to_le64(QUIRE_PTE(QUIRE_SEGMENT_SYSTEM, address, QUIRE_PTE_VALID));
	}
	for (i = 0; i < SPACE_PAGES; i++)
		control->tables[0][i] = cpu_to_le64(space_entry(world, i, coherent));
}

/* Made anew for each input. */
void space_start(struct world *world)
{
	uint8_t *space = world->space;

	take_order(&world->input, space, VRAM_PAGES, QUIRE_SEGMENT_VRAM);
	take_order(&world->input, space + SPACE_SYSTEM, LIST_PAGES, QUIRE_SEGMENT_SYSTEM);
	take_order(&world->input, space + SPACE_APERTURE, APERTURE_PAGES,
		   QUIRE_SEGMENT_APERTURE);
	put_large(space + SPACE_LOCAL_64K, QUIRE_SEGMENT_VRAM);
	put_large(space + SPACE_SYSTEM_64K, QUIRE_SEGMENT_SYSTEM);
	space_tables(world, fuzz_below(&world->input, 2));
	world->ring.context = QUIRE_ADDRESS(QUIRE_SEGMENT_SYSTEM, AT(context));
}

/* Number of the page of the address space, or %SPACE_PAGES if there is none. */
uint32_t space_page(uint64_t va)
{
	uint64_t page = (va - SPACE_BASE) / FUZZ_PAGE;

	return page < SPACE_PAGES ? page : SPACE_PAGES;
}

/* Where a page of it is: sets its number in the segment that is returned. */
uint32_t space_where(const struct world *world, uint32_t page, uint64_t *number)
{
	uint32_t segment = world->space[page] >> 6;

	*number = world->space[page] & 63;
	if (!segment)
		*number += SYSTEM_BASE / FUZZ_PAGE;

	return segment;
}
