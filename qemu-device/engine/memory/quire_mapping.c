// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: bytes of a place, mapped.
 *
 * VRAM is memory of the engine, system memory is mapped by the host, and what is in the write
 * buffer is read there.
 */
#include <string.h>

#include "../core/quire_numbers.h"
#include "quire_mapping.h"
#include "quire_posted.h"

/* Bytes that are zero, for reads where there is no memory. */
static uint8_t quire_zeroes[64u * 1024];

/* Nothing writes to what is mapped for reading. */
static void quire_map_nowhere(bool write, struct quire_mapping *map)
{
	if (write)
		return;
	map->ptr = quire_zeroes;
	map->len = quire_min(map->len, sizeof(quire_zeroes));
}

/**
 * quire_map_outside - quire_map_piece() of what is not in VRAM
 * @engine: the engine
 * @place: the bytes, at least 1
 * @write: for writing
 * @map: filled in
 *
 * Return: QUIRE_FAULT_DMA if the address is no memory, else none.
 */
struct quire_error quire_map_outside(struct quire_engine *engine, const struct quire_place *place,
				     bool write, struct quire_mapping *map)
{
	uint64_t len;

	*map = (struct quire_mapping){ .len = place->len, .posted = write && place->posted };
	if (place->segment == QUIRE_SEGMENT_NOWHERE) {
		quire_map_nowhere(write, map);
		return QUIRE_OK;
	}
	if (!write)
		map->ptr = quire_posted_read(engine, place->addr, &map->len);
	if (map->ptr) {
		map->posted = true;
		return QUIRE_OK;
	}
	len = map->len;
	map->ptr = quire_dma_map(engine, place->addr, &map->len, write, &map->section);
	if (!map->ptr || !map->len)
		return QUIRE_ERROR(QUIRE_FAULT_DMA, place->addr);
	map->len = quire_min(map->len, len);
	map->dma = true;
	return QUIRE_OK;
}

/**
 * quire_mapping_read - copy some bytes to the engine
 * @engine: the engine
 * @place: the bytes, which may be in the write buffer and in memory by turns
 * @to: where to
 *
 * Return: false if the address is no memory.
 */
bool quire_mapping_read(struct quire_engine *engine, const struct quire_place *place, void *to)
{
	struct quire_place part = *place;
	struct quire_mapping map;
	uint64_t done;

	for (done = 0; done < place->len; done += map.len) {
		part.addr = place->addr + done;
		part.len = place->len - done;
		if (quire_map_piece(engine, &part, false, &map).code)
			return false;
		memcpy((uint8_t *)to + done, map.ptr, map.len);
		quire_unmap_piece(engine, &map, false, map.len);
	}
	return true;
}
