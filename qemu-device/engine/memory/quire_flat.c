// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: the flat MMUs, tables of pages that a driver maps and unmaps.
 *
 * An entry is the page-aligned address of a page of system memory or of VRAM, and
 * QUIRE_FLAT_* bits; zero where nothing is mapped. Other than in the aperture a page can
 * be taken away while a packet of another ring is at work on it: what is left of the packet
 * finds that out when it gets there.
 *
 * Callers have checked every offset against the size of the segment.
 */
#include "../core/quire_numbers.h"
#include "quire_flat.h"

static const struct quire_table *quire_flat_of(const struct quire_engine *engine,
					       uint32_t segment)
{
	return &engine->mmu[segment - QUIRE_SEGMENT_MMU(0)];
}

/**
 * quire_flat_init - memory for the tables
 * @engine: the engine; @mmu_size is known
 *
 * Return: false without memory; what was allocated is for quire_flat_fini().
 */
bool quire_flat_init(struct quire_engine *engine)
{
	unsigned int i;

	for (i = 0; i < QUIRE_MMU_COUNT; i++)
		if (!quire_table_init(&engine->mmu[i], engine->mmu_size >> QUIRE_PAGE_SHIFT))
			return false;
	return true;
}

/**
 * quire_flat_fini - free them
 * @engine: the engine; there may be none
 */
void quire_flat_fini(struct quire_engine *engine)
{
	unsigned int i;

	for (i = 0; i < QUIRE_MMU_COUNT; i++)
		quire_table_fini(&engine->mmu[i]);
}

/**
 * quire_flat_reset - nothing is mapped
 * @engine: the engine
 * @loading: entries were loaded, and are not counted yet
 */
void quire_flat_reset(struct quire_engine *engine, bool loading)
{
	unsigned int i;

	for (i = 0; i < QUIRE_MMU_COUNT; i++)
		quire_table_reset(&engine->mmu[i], loading);
}

/**
 * quire_flat_fault - the fault of a page that is not mapped
 * @segment: QUIRE_SEGMENT_MMU()
 * @offset: of a byte in the page
 *
 * Return: QUIRE_FAULT_MMU, with the segment and the page.
 */
struct quire_error quire_flat_fault(uint32_t segment, uint64_t offset)
{
	return QUIRE_ERROR(QUIRE_FAULT_MMU,
			   QUIRE_ADDRESS(segment, offset & ~(QUIRE_PAGE_SIZE - 1)));
}

/**
 * quire_flat_check - is every page mapped that has some of the bytes?
 * @engine: the engine
 * @segment: QUIRE_SEGMENT_MMU()
 * @offset: of the first byte
 * @len: bytes, at least 1, inside of the segment
 *
 * Return: QUIRE_FAULT_MMU with the first page that is not.
 */
struct quire_error quire_flat_check(const struct quire_engine *engine,
				    uint32_t segment, uint64_t offset, uint64_t len)
{
	uint64_t page = offset >> QUIRE_PAGE_SHIFT;
	uint64_t last = (offset + len - 1) >> QUIRE_PAGE_SHIFT;
	const struct quire_table *table = quire_flat_of(engine, segment);

	while (page <= last) {
		if (table->used[page / QUIRE_TABLE_CHUNK] == QUIRE_TABLE_CHUNK)
			page = (page / QUIRE_TABLE_CHUNK + 1) * QUIRE_TABLE_CHUNK;
		else if (table->entries[page])
			page++;
		else
			return quire_flat_fault(segment, page << QUIRE_PAGE_SHIFT);
	}
	return QUIRE_OK;
}

/* The page that has the byte at @offset, or behind the last; false if it is not mapped. */
static bool quire_flat_page(const struct quire_table *table, uint64_t offset,
			    struct quire_place *place)
{
	uint64_t page = offset >> QUIRE_PAGE_SHIFT, entry;

	if (page >= table->top || !table->entries[page])
		return false;
	entry = table->entries[page];
	*place = (struct quire_place){
		.segment = entry & QUIRE_FLAT_VRAM ? QUIRE_SEGMENT_VRAM : QUIRE_SEGMENT_SYSTEM,
		.addr = entry & ~(QUIRE_PAGE_SIZE - 1),
		.len = QUIRE_PAGE_SIZE,
		.posted = !(entry & (QUIRE_FLAT_VRAM | QUIRE_FLAT_COHERENT)),
	};
	return true;
}

/* Does @next go on where @place ends, in memory too? */
static bool quire_flat_joins(const struct quire_place *place, const struct quire_place *next)
{
	return place->segment == next->segment && place->posted == next->posted && next->addr &&
	       place->addr + place->len == next->addr;
}

/**
 * quire_flat_next - memory behind an MMU, from an offset on
 * @engine: the engine
 * @segment: QUIRE_SEGMENT_MMU()
 * @offset: bytes, inside of the segment
 * @max: bytes that are wanted, at least 1
 * @place: returned: bytes from there on, 1 to @max, that are posted or not alike
 *
 * Return: false if the page is not mapped.
 */
bool quire_flat_next(const struct quire_engine *engine, uint32_t segment, uint64_t offset,
		     uint64_t max, struct quire_place *place)
{
	const struct quire_table *table = quire_flat_of(engine, segment);
	uint64_t in_page = offset & (QUIRE_PAGE_SIZE - 1);
	struct quire_place next;

	if (!quire_flat_page(table, offset, place))
		return false;
	place->addr += in_page;
	place->len -= in_page;
	while (place->len < max && quire_flat_page(table, offset + place->len, &next) &&
	       quire_flat_joins(place, &next))
		place->len += next.len;
	place->len = quire_min(place->len, max);
	return true;
}

/**
 * quire_flat_prev - memory behind an MMU, up to an offset
 * @engine: the engine
 * @segment: QUIRE_SEGMENT_MMU()
 * @end: bytes, 1 to the size of the segment
 * @max: bytes that are wanted, 1 to @end
 * @place: returned: bytes up to there, 1 to @max, that are posted or not alike
 *
 * Return: false if the page of the last byte is not mapped.
 */
bool quire_flat_prev(const struct quire_engine *engine, uint32_t segment, uint64_t end,
		     uint64_t max, struct quire_place *place)
{
	const struct quire_table *table = quire_flat_of(engine, segment);
	struct quire_place before;

	if (!quire_flat_page(table, end - 1, place))
		return false;
	place->len = ((end - 1) & (QUIRE_PAGE_SIZE - 1)) + 1;
	while (place->len < max && quire_flat_page(table, end - place->len - 1, &before) &&
	       quire_flat_joins(&before, place)) {
		place->addr = before.addr;
		place->len += before.len;
	}
	if (place->len > max) {
		place->addr += place->len - max;
		place->len = max;
	}
	return true;
}

static bool quire_flat_entry_ok(const struct quire_engine *engine, uint64_t entry)
{
	uint64_t bits = entry & (QUIRE_PAGE_SIZE - 1), page = entry - bits;

	if (!(bits & QUIRE_FLAT_VALID) || bits & ~QUIRE_FLAT_BITS)
		return false;
	return !(bits & QUIRE_FLAT_VRAM) ||
	       (!(bits & QUIRE_FLAT_COHERENT) &&
		quire_range_ok(page, QUIRE_PAGE_SIZE, engine->vram_size));
}

/**
 * quire_check_flat - can this be mapped?
 * @engine: the engine
 *
 * Return: NULL if it can, else what is wrong.
 */
const char *quire_check_flat(const struct quire_engine *engine)
{
	unsigned int i;
	uint32_t page;

	for (i = 0; i < QUIRE_MMU_COUNT; i++) {
		const struct quire_table *table = &engine->mmu[i];

		for (page = quire_table_next(table, 0, table->pages); page < table->pages;
		     page = quire_table_next(table, page + 1, table->pages))
			if (!quire_flat_entry_ok(engine, table->entries[page]))
				return "bad entry of an MMU";
	}
	return NULL;
}
