// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: page tables, walked from their root to the entry of a page.
 *
 * What is on the way is guest memory, and looked at as such: each entry is copied, and
 * checked before it is followed. Of a table of level 0 some entries are read together, and
 * the table is remembered while a side moves on in it, see struct quire_walk.
 */
#include "../core/quire_numbers.h"
#include "../memory/quire_mapping.h"
#include "quire_tlb.h"
#include "quire_walk.h"

/* Bits that an entry of a table may have: of what leads to a table, and of pages. */
#define QUIRE_PTE_OF_TABLE	(QUIRE_PTE_VALID | QUIRE_PTE_SEGMENT_MASK | QUIRE_PTE_ADDRESS_MASK)
#define QUIRE_PTE_OF_PAGE	(QUIRE_PTE_OF_TABLE | QUIRE_PTE_CACHE_COHERENT | \
				 QUIRE_PTE_READ_ONLY | QUIRE_PTE_NO_EXECUTE)
#define QUIRE_PTE_OF_ZERO	(QUIRE_PTE_VALID | QUIRE_PTE_ZERO | QUIRE_PTE_READ_ONLY | \
				 QUIRE_PTE_NO_EXECUTE)

static struct quire_error quire_miss(enum quire_fault code, uint64_t va, uint64_t entry,
				     uint32_t access, uint32_t level)
{
	return (struct quire_error){ code, va, entry, QUIRE_ACCESS_OF(access, level) };
}

/* Is an address aligned, and so many bytes from there on in its segment? */
static bool quire_pte_address_ok(const struct quire_engine *engine, uint64_t entry, uint64_t size)
{
	uint64_t address = entry & QUIRE_PTE_ADDRESS_MASK;

	if (address & (size - 1))
		return false;
	switch (QUIRE_PTE_SEGMENT(entry)) {
	case QUIRE_SEGMENT_SYSTEM:
		return true;
	case QUIRE_SEGMENT_VRAM:
		return quire_range_ok(address, size, engine->vram_size);
	case QUIRE_SEGMENT_APERTURE:
		return quire_range_ok(address, size, engine->aperture_size);
	default:
		return false;
	}
}

static bool quire_pte_table_ok(const struct quire_engine *engine, uint64_t entry)
{
	return !(entry & ~QUIRE_PTE_OF_TABLE) &&
	       QUIRE_PTE_SEGMENT(entry) != QUIRE_SEGMENT_APERTURE &&
	       quire_pte_address_ok(engine, entry, QUIRE_PAGE_SIZE);
}

/* @size: the bit that says how large the page is. */
static bool quire_pte_page_ok(const struct quire_engine *engine, uint64_t entry, uint64_t size,
			      uint32_t shift)
{
	if (entry & QUIRE_PTE_ZERO)
		return !(entry & ~(QUIRE_PTE_OF_ZERO | size));
	if (entry & QUIRE_PTE_CACHE_COHERENT &&
	    QUIRE_PTE_SEGMENT(entry) != QUIRE_SEGMENT_SYSTEM)
		return false;
	return !(entry & ~(QUIRE_PTE_OF_PAGE | size)) &&
	       quire_pte_address_ok(engine, entry, 1ull << shift);
}

/* An entry of which a part is in the write buffer, and the other one in memory. */
static bool quire_entry_read(struct quire_engine *engine, const struct quire_place *place,
			     uint64_t *entry)
{
	struct quire_place bytes = *place;
	uint64_t raw;

	bytes.len = sizeof(raw);
	if (!quire_mapping_read(engine, &bytes, &raw))
		return false;
	*entry = quire_get_le64(&raw);
	return true;
}

/* Entries of the table that @table leads to, from number @index on; false if it is no memory. */
static bool quire_table_read(struct quire_engine *engine, uint64_t table, uint32_t index,
			     uint64_t *entries, uint32_t count)
{
	struct quire_place place = {
		.segment = QUIRE_PTE_SEGMENT(table),
		.addr = (table & QUIRE_PTE_ADDRESS_MASK) + index * sizeof(*entries),
	};
	struct quire_mapping map;
	uint64_t i, n;

	for (i = 0; i < count; i += n) {
		place.len = (count - i) * sizeof(*entries);
		if (quire_map_piece(engine, &place, false, &map).code)
			return false;
		for (n = 0; n < map.len / sizeof(*entries); n++) {
			uint64_t raw = __atomic_load_n((uint64_t *)map.ptr + n, __ATOMIC_RELAXED);

			entries[i + n] = quire_get_le64(&raw);
		}
		quire_unmap_piece(engine, &map, false, map.len);
		if (!n) {
			n = 1;
			if (!quire_entry_read(engine, &place, &entries[i]))
				return false;
		}
		place.addr += n * sizeof(*entries);
	}
	return true;
}

static uint32_t quire_va_index(uint64_t va, uint32_t level)
{
	return va >> QUIRE_PT_SHIFT(level) & (QUIRE_PT_ENTRIES - 1);
}

/* A page was found, with an entry of @level: is it one that can be? */
static struct quire_error quire_page_found(const struct quire_engine *engine, uint32_t access,
					   uint64_t va, uint64_t entry, uint32_t level,
					   struct quire_page *page)
{
	uint64_t size = level ? QUIRE_PTE_LARGE : QUIRE_PTE_64K;
	uint32_t shift = QUIRE_PT_SHIFT(level);

	if (!(entry & QUIRE_PTE_VALID))
		return quire_miss(QUIRE_FAULT_PAGE, va, entry, access, level);
	if (!level && entry & QUIRE_PTE_64K)
		shift = QUIRE_PT_SHIFT_64K;
	if (!quire_pte_page_ok(engine, entry, size, shift))
		return quire_miss(QUIRE_FAULT_BAD_PTE, va, entry, access, level);
	*page = (struct quire_page){ va >> shift << shift, shift, entry };
	return QUIRE_OK;
}

/* The page of an address whose table of level 0 is known. */
static struct quire_error quire_walk_last(struct quire_engine *engine, struct quire_space *space,
					  uint64_t va, struct quire_page *page)
{
	struct quire_walk *walk = &space->walk;
	uint32_t index = quire_va_index(va, 0);

	if (index - walk->first >= walk->count) {
		walk->count = 0;
		walk->first = index & ~(QUIRE_WALK_ENTRIES - 1);
		if (!quire_table_read(engine, walk->table, walk->first, walk->entries,
				      QUIRE_WALK_ENTRIES))
			return quire_miss(QUIRE_FAULT_BAD_PTE, va, 0, space->access, 0);
		walk->count = QUIRE_WALK_ENTRIES;
	}
	return quire_page_found(engine, space->access, va, walk->entries[index - walk->first], 0,
				page);
}

static void quire_walk_note(struct quire_walk *walk, uint64_t va, uint64_t table)
{
	walk->known = true;
	walk->region = va >> QUIRE_PT_SHIFT(1);
	walk->table = table;
	walk->first = 0;
	walk->count = 0;
}

/* From the root on. */
static struct quire_error quire_walk_first(struct quire_engine *engine, struct quire_space *space,
					   uint64_t va, struct quire_page *page)
{
	uint64_t entry = space->root;
	uint32_t level;

	engine->walks++;
	for (level = QUIRE_PT_LEVELS; level; level--) {
		if (level == 1 && entry & QUIRE_PTE_LARGE && entry & QUIRE_PTE_VALID)
			return quire_page_found(engine, space->access, va, entry, level, page);
		if (!(entry & QUIRE_PTE_VALID))
			return quire_miss(QUIRE_FAULT_PAGE, va, entry, space->access, level);
		if (!quire_pte_table_ok(engine, entry))
			return quire_miss(QUIRE_FAULT_BAD_PTE, va, entry, space->access, level);
		if (level == 1)
			break;
		if (!quire_table_read(engine, entry, quire_va_index(va, level - 1), &entry, 1))
			return quire_miss(QUIRE_FAULT_BAD_PTE, va, 0, space->access, level - 1);
	}
	quire_walk_note(&space->walk, va, entry);
	return quire_walk_last(engine, space, va, page);
}

/* Does the page allow it? */
static struct quire_error quire_page_allows(const struct quire_space *space, uint64_t va,
					    const struct quire_page *page)
{
	uint32_t level = page->shift == QUIRE_PT_SHIFT(1);

	if ((page->entry & QUIRE_PTE_READ_ONLY && space->access & QUIRE_ACCESS_WRITE) ||
	    (page->entry & QUIRE_PTE_NO_EXECUTE && space->access & QUIRE_ACCESS_EXECUTE))
		return quire_miss(QUIRE_FAULT_PROTECTION, va, page->entry, space->access, level);
	return QUIRE_OK;
}

static bool quire_walk_knows(const struct quire_walk *walk, uint64_t va)
{
	return walk->known && walk->region == va >> QUIRE_PT_SHIFT(1);
}

/**
 * quire_walk_page - the page of a virtual address
 * @engine: the engine; it remembers what is found
 * @space: the address space, and what is done there; its cursor moves
 * @va: virtual address, below %QUIRE_VA_END
 * @page: filled in
 *
 * Return: QUIRE_FAULT_PAGE, QUIRE_FAULT_PROTECTION or QUIRE_FAULT_BAD_PTE, else none.
 */
struct quire_error quire_walk_page(struct quire_engine *engine, struct quire_space *space,
				   uint64_t va, struct quire_page *page)
{
	struct quire_error error;

	if (quire_tlb_find(engine, space->root, va, page))
		return quire_page_allows(space, va, page);
	if (!quire_walk_knows(&space->walk, va) && quire_walk_knows(&space->ahead, va))
		space->walk = space->ahead;
	if (quire_walk_knows(&space->walk, va))
		error = quire_walk_last(engine, space, va, page);
	else
		error = quire_walk_first(engine, space, va, page);
	if (error.code)
		return error;
	quire_tlb_add(engine, space->root, page);
	return quire_page_allows(space, va, page);
}
