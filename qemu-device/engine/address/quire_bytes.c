// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: some bytes of a segment, copied to the engine and back.
 *
 * For commands that count with what they read: a block of it is copied here, and the
 * outcome from here, so that it does not matter where either lies, or whether the same
 * memory is reachable twice. Non-coherent pages of the aperture are written by way of the
 * write buffer, and what is there is read from there.
 *
 * Callers have checked the range against the size of the segment, or of an address space.
 */
#include <string.h>

#include "../core/quire_numbers.h"
#include "../memory/quire_dma.h"
#include "../memory/quire_mapping.h"
#include "../memory/quire_posted.h"
#include "quire_bytes.h"

/* Bytes from @pos on that are contiguous, and of one page if they may be posted; mapped. */
static struct quire_error quire_bytes_map(struct quire_engine *engine, struct quire_side *side,
					  uint64_t pos, uint64_t len, bool write,
					  struct quire_place *place, struct quire_mapping *map)
{
	uint64_t in_page = (side->address + pos) & (QUIRE_PAGE_SIZE - 1);
	struct quire_error error;

	if (side->segment != QUIRE_SEGMENT_VRAM)
		len = quire_min(len, QUIRE_PAGE_SIZE - in_page);
	error = quire_side_next(engine, side, pos, len, place);
	if (error.code)
		return error;
	return quire_map_piece(engine, place, write, map);
}

/**
 * quire_bytes_read - copy from a segment
 * @engine: the engine
 * @side: where
 * @pos: bytes from its start
 * @to: where to
 * @len: bytes
 *
 * Return: QUIRE_FAULT_DMA, or QUIRE_FAULT_APERTURE, if there is no memory, or a fault of the
 * address space, else none.
 */
struct quire_error quire_bytes_read(struct quire_engine *engine, struct quire_side *side,
				    uint64_t pos, void *to, uint64_t len)
{
	struct quire_mapping map;
	struct quire_error error;
	struct quire_place place;
	uint64_t done;

	for (done = 0; done < len; done += map.len) {
		error = quire_bytes_map(engine, side, pos + done, len - done, false, &place, &map);
		if (error.code)
			return error;
		memcpy((uint8_t *)to + done, map.ptr, map.len);
		quire_unmap_piece(engine, &map, false, map.len);
	}
	return QUIRE_OK;
}

/* Write to what is mapped, and end that. */
static void quire_bytes_put(struct quire_engine *engine, const struct quire_place *place,
			    const struct quire_mapping *map, const uint8_t *bytes)
{
	if (place->posted) {
		quire_posted_hold(engine, place->addr, bytes, map->len);
	} else if (map->ptr) {
		if (map->dma)
			quire_posted_give_way(engine, place->addr, map->len);
		memcpy(map->ptr, bytes, map->len);
	}
	quire_unmap_piece(engine, map, true, place->posted ? 0 : map->len);
	if (place->segment == QUIRE_SEGMENT_VRAM)
		engine->ops->vram_dirty(engine->opaque, place->addr, map->len);
}

/**
 * quire_bytes_write - copy to a segment
 * @engine: the engine
 * @side: where
 * @pos: bytes from its start
 * @from: where from
 * @len: bytes
 *
 * What is posted has to be memory, too: a fault comes now, and not when it is flushed.
 *
 * Return: QUIRE_FAULT_DMA, or QUIRE_FAULT_APERTURE, if there is no memory, or a fault of the
 * address space, else none; all that stands before is written.
 */
struct quire_error quire_bytes_write(struct quire_engine *engine, struct quire_side *side,
				     uint64_t pos, const void *from, uint64_t len)
{
	struct quire_mapping map;
	struct quire_error error;
	struct quire_place place;
	uint64_t done;

	for (done = 0; done < len; done += map.len) {
		error = quire_bytes_map(engine, side, pos + done, len - done, true, &place, &map);
		if (error.code)
			return error;
		quire_bytes_put(engine, &place, &map, (const uint8_t *)from + done);
	}
	return QUIRE_OK;
}

/**
 * quire_value_read - read a 64-bit number at once
 * @engine: the engine
 * @side: where, a multiple of 8; it is looked up anew, as the page may have another one by now
 * @value: what is there, little endian in memory
 *
 * Ordered before all later accesses.
 *
 * Return: QUIRE_FAULT_DMA if there is no memory, or a fault of the address space, else none.
 */
struct quire_error quire_value_read(struct quire_engine *engine, struct quire_side *side,
				    uint64_t *value)
{
	struct quire_mapping map;
	struct quire_error error;
	struct quire_place place;
	uint64_t raw = 0;
	bool whole;

	side->place.len = 0;
	side->space.page.shift = 0;
	error = quire_bytes_map(engine, side, 0, sizeof(raw), false, &place, &map);
	if (error.code)
		return error;
	whole = map.len == sizeof(raw) && !((uintptr_t)map.ptr & 7);
	if (whole)
		raw = __atomic_load_n((uint64_t *)map.ptr, __ATOMIC_ACQUIRE);
	quire_unmap_piece(engine, &map, false, map.len);
	if (!whole)
		error = quire_bytes_read(engine, side, 0, &raw, sizeof(raw));
	*value = quire_get_le64(&raw);
	return error;
}

/* One store, past the write buffer. */
static struct quire_error quire_place_store(struct quire_engine *engine,
					    const struct quire_place *place, uint64_t value)
{
	uint8_t bytes[8];
	uint64_t raw;

	if (place->segment == QUIRE_SEGMENT_NOWHERE)
		return QUIRE_OK;
	if (place->segment == QUIRE_SEGMENT_VRAM) {
		quire_put_le64(bytes, value);
		memcpy(&raw, bytes, sizeof(raw));
		__atomic_store_n((uint64_t *)(void *)(engine->vram + place->addr), raw,
				 __ATOMIC_SEQ_CST);
		engine->ops->vram_dirty(engine->opaque, place->addr, sizeof(raw));
		return QUIRE_OK;
	}
	quire_posted_give_way(engine, place->addr, sizeof(raw));
	if (!quire_dma_write64(engine, place->addr, value))
		return QUIRE_ERROR(QUIRE_FAULT_DMA, place->addr);
	return QUIRE_OK;
}

/**
 * quire_value_write - write a 64-bit number at once
 * @engine: the engine
 * @side: where, a multiple of 8
 * @value: the number, little endian in memory
 *
 * Ordered after all earlier accesses.
 *
 * Return: QUIRE_FAULT_DMA if there is no memory, or a fault of the address space, else none.
 */
struct quire_error quire_value_write(struct quire_engine *engine, struct quire_side *side,
				     uint64_t value)
{
	struct quire_error error;
	struct quire_place place;
	uint8_t bytes[8];

	error = quire_side_next(engine, side, 0, sizeof(bytes), &place);
	if (error.code)
		return error;
	if (!place.posted)
		return quire_place_store(engine, &place, value);
	quire_put_le64(bytes, value);
	return quire_bytes_write(engine, side, 0, bytes, sizeof(bytes));
}

/**
 * quire_value_signal - tell the processor a 64-bit number
 * @engine: the engine
 * @side: where, a multiple of 8
 * @value: the number, little endian in memory
 *
 * As quire_value_write(), but never by way of the write buffer: who waits for it sees it.
 *
 * Return: QUIRE_FAULT_DMA if there is no memory, or a fault of the address space, else none.
 */
struct quire_error quire_value_signal(struct quire_engine *engine, struct quire_side *side,
				      uint64_t value)
{
	struct quire_place place;
	struct quire_error error = quire_side_next(engine, side, 0, sizeof(value), &place);

	return error.code ? error : quire_place_store(engine, &place, value);
}
