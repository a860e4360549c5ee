/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: bytes of a place, mapped.
 */
#ifndef QUIRE_MAPPING_H
#define QUIRE_MAPPING_H

#include "../core/quire_engine_types.h"
#include "../core/quire_fault.h"
#include "quire_dma.h"
#include "quire_memory_types.h"

struct quire_error quire_map_outside(struct quire_engine *engine, const struct quire_place *place,
				     bool write, struct quire_mapping *map);
bool quire_mapping_read(struct quire_engine *engine, const struct quire_place *place, void *to);

/* What is in the section that was found last, and not in the write buffer. */
static inline bool quire_map_section(const struct quire_engine *engine,
				     const struct quire_place *place, bool write,
				     struct quire_mapping *map)
{
	const struct quire_section *section = engine->section;
	uint64_t skip;

	if (place->segment != QUIRE_SEGMENT_SYSTEM || !section || (!write && engine->posted.total))
		return false;
	skip = place->addr - section->addr;
	if (skip >= section->size)
		return false;
	*map = (struct quire_mapping){
		.ptr = section->ptr + skip,
		.len = quire_min(place->len, section->size - skip),
		.dma = true,
		.posted = write && place->posted,
		.section = section,
	};
	return true;
}

/**
 * quire_map_piece - map some bytes, or as many of them from the front as possible
 * @engine: the engine
 * @place: the bytes, at least 1
 * @write: for writing
 * @map: filled in
 *
 * Return: QUIRE_FAULT_DMA if the address is no memory, else none.
 */
static inline struct quire_error quire_map_piece(struct quire_engine *engine,
						 const struct quire_place *place, bool write,
						 struct quire_mapping *map)
{
	if (place->segment == QUIRE_SEGMENT_VRAM)
		*map = (struct quire_mapping){
			.ptr = engine->vram + place->addr,
			.len = place->len,
		};
	else if (!quire_map_section(engine, place, write, map))
		return quire_map_outside(engine, place, write, map);
	return QUIRE_OK;
}

/**
 * quire_unmap_piece - end quire_map_piece()
 * @engine: the engine
 * @map: the mapping; perhaps one that the host need not know of
 * @write: for writing
 * @touched: bytes that were accessed
 */
static inline void quire_unmap_piece(struct quire_engine *engine, const struct quire_mapping *map,
				     bool write, uint64_t touched)
{
	if (map->dma)
		quire_dma_unmap(engine, map->section, map->ptr, map->len, write, touched);
}

/* Has the host to be told when a mapping ends? */
static inline bool quire_mapping_held(const struct quire_mapping *map)
{
	return map->dma && !map->section;
}

#endif
