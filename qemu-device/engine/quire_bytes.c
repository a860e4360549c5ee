// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: some bytes of a segment, copied to the engine and back.
 *
 * For commands that count with what they read: a block of it is copied here, and the
 * outcome from here, so that it does not matter where either lies, or whether the same
 * memory is reachable twice. Non-coherent pages of the aperture are written by way of the
 * write buffer, and what is there is read from there.
 *
 * Callers have checked the range against the size of the segment.
 */
#include "quire_internal.h"

/* Bytes from @pos on that are contiguous, and of one page of the aperture; mapped. */
static struct quire_error quire_bytes_map(struct quire_engine *engine, struct quire_side *side,
					  uint64_t pos, uint64_t len, bool write,
					  uint64_t *addr, struct quire_mapping *map)
{
	uint64_t in_page = (side->address + pos) & (QUIRE_PAGE_SIZE - 1);
	struct quire_error error;

	if (side->segment == QUIRE_SEGMENT_APERTURE)
		len = quire_min(len, QUIRE_PAGE_SIZE - in_page);
	error = quire_side_next(engine, side, pos, len, addr, &len);
	if (error.code)
		return error;
	return quire_map_piece(engine, side->segment, *addr, len, write, map);
}

/**
 * quire_bytes_read - copy from a segment
 * @engine: the engine
 * @side: where
 * @pos: bytes from its start
 * @to: where to
 * @len: bytes
 *
 * Return: QUIRE_FAULT_DMA, or QUIRE_FAULT_APERTURE, if there is no memory, else none.
 */
struct quire_error quire_bytes_read(struct quire_engine *engine, struct quire_side *side,
				    uint64_t pos, void *to, uint64_t len)
{
	struct quire_mapping map;
	struct quire_error error;
	uint64_t addr, done;

	for (done = 0; done < len; done += map.len) {
		error = quire_bytes_map(engine, side, pos + done, len - done, false, &addr, &map);
		if (error.code)
			return error;
		memcpy((uint8_t *)to + done, map.ptr, map.len);
		quire_unmap_piece(engine, &map, false, map.len);
	}
	return QUIRE_OK;
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
 * Return: QUIRE_FAULT_DMA, or QUIRE_FAULT_APERTURE, if there is no memory, else none; all that
 * stands before is written.
 */
struct quire_error quire_bytes_write(struct quire_engine *engine, struct quire_side *side,
				     uint64_t pos, const void *from, uint64_t len)
{
	struct quire_mapping map;
	struct quire_error error;
	uint64_t addr, done;

	for (done = 0; done < len; done += map.len) {
		const uint8_t *bytes = (const uint8_t *)from + done;
		bool posted = quire_posted_at(engine, side, pos + done);

		error = quire_bytes_map(engine, side, pos + done, len - done, true, &addr, &map);
		if (error.code)
			return error;
		if (posted) {
			quire_posted_hold(engine, addr, bytes, map.len);
		} else {
			if (map.dma)
				quire_posted_give_way(engine, addr, map.len);
			memcpy(map.ptr, bytes, map.len);
		}
		quire_unmap_piece(engine, &map, true, posted ? 0 : map.len);
		if (!map.dma)
			engine->ops->vram_dirty(engine->opaque, addr, map.len);
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
 * Return: QUIRE_FAULT_DMA if there is no memory, else none.
 */
struct quire_error quire_value_read(struct quire_engine *engine, struct quire_side *side,
				    uint64_t *value)
{
	struct quire_mapping map;
	struct quire_error error;
	uint64_t addr, raw = 0;
	bool whole;

	side->found_len = 0;
	error = quire_bytes_map(engine, side, 0, sizeof(raw), false, &addr, &map);
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

/**
 * quire_value_write - write a 64-bit number at once
 * @engine: the engine
 * @side: where, a multiple of 8
 * @value: the number, little endian in memory
 *
 * Ordered after all earlier accesses.
 *
 * Return: QUIRE_FAULT_DMA if there is no memory, else none.
 */
struct quire_error quire_value_write(struct quire_engine *engine, struct quire_side *side,
				     uint64_t value)
{
	struct quire_error error;
	uint8_t bytes[8];
	uint64_t addr, len, raw;

	quire_put_le64(bytes, value);
	memcpy(&raw, bytes, sizeof(raw));
	if (quire_posted_at(engine, side, 0))
		return quire_bytes_write(engine, side, 0, bytes, sizeof(bytes));
	error = quire_side_next(engine, side, 0, sizeof(raw), &addr, &len);
	if (error.code)
		return error;
	if (side->segment == QUIRE_SEGMENT_VRAM) {
		__atomic_store_n((uint64_t *)(void *)(engine->vram + addr), raw,
				 __ATOMIC_SEQ_CST);
		engine->ops->vram_dirty(engine->opaque, addr, sizeof(raw));
		return QUIRE_OK;
	}
	quire_posted_give_way(engine, addr, sizeof(raw));
	if (!engine->ops->dma_write64(engine->opaque, addr, value))
		return QUIRE_ERROR(QUIRE_FAULT_DMA, addr);
	return QUIRE_OK;
}
