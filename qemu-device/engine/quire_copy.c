// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: copies, the bulk of the work.
 *
 * A copy is cut where either side stops to be contiguous, where a DMA mapping
 * ends, and where the budget of the slice ends. Each piece is one memmove
 * between the mapped memory and VRAM. Sides that overlap in one segment with
 * the destination above the source are copied from the end, piece by piece;
 * struct quire_ring::done then counts from the end, so that a later slice goes
 * on correctly.
 *
 * System memory may be reachable twice: mapped at two aperture pages, listed
 * twice in the runs, or aliasing VRAM through BAR 2. Then each piece is still
 * a memmove, and the order of pieces decides what the bytes are.
 */
#include "quire_internal.h"

/* Backward pieces are this long at most: their mappings are found by search. */
#define QUIRE_COPY_TAIL_MAX	(64u * 1024)

/**
 * struct quire_mapping - memory of one piece of one side
 * @ptr: first byte
 * @len: bytes
 * @dma: mapped by the host: to be unmapped
 */
struct quire_mapping {
	void *ptr;
	uint64_t len;
	bool dma;
};

/* Map @len bytes at @addr, or as many of them from the front as possible. */
static struct quire_error quire_map(struct quire_engine *engine, uint32_t segment,
				    uint64_t addr, uint64_t len, bool write,
				    struct quire_mapping *map)
{
	*map = (struct quire_mapping){ .len = len };
	if (segment == QUIRE_SEGMENT_VRAM) {
		map->ptr = engine->vram + addr;
		return QUIRE_OK;
	}
	map->ptr = engine->ops->dma_map(engine->opaque, addr, &map->len, write);
	if (!map->ptr || !map->len)
		return QUIRE_ERROR(QUIRE_FAULT_DMA, addr);
	map->len = quire_min(map->len, len);
	map->dma = true;
	return QUIRE_OK;
}

static void quire_unmap(struct quire_engine *engine, struct quire_mapping *map, bool write,
			uint64_t touched)
{
	if (map->dma)
		engine->ops->dma_unmap(engine->opaque, map->ptr, map->len, write, touched);
}

/* Map @len bytes at @addr, or as many of them from the back as possible. */
static struct quire_error quire_map_tail(struct quire_engine *engine, uint32_t segment,
					 uint64_t addr, uint64_t len, bool write,
					 struct quire_mapping *map)
{
	struct quire_error error;

	for (;;) {
		error = quire_map(engine, segment, addr, len, write, map);
		if (error.code || map->len == len)
			return error;
		quire_unmap(engine, map, write, 0);
		addr += map->len;
		len -= map->len;
	}
}

/* Copy a piece at @pos of at most *@len bytes; *@len is what was copied. */
static struct quire_error quire_copy_forward(struct quire_engine *engine, struct quire_op *op,
					     uint64_t pos, uint64_t *len)
{
	struct quire_mapping src, dst;
	struct quire_error error;
	uint64_t from, to;

	error = quire_side_next(engine, &op->src, pos, *len, &from, len);
	if (!error.code)
		error = quire_side_next(engine, &op->dst, pos, *len, &to, len);
	if (!error.code)
		error = quire_map(engine, op->src.segment, from, *len, false, &src);
	if (error.code)
		return error;
	error = quire_map(engine, op->dst.segment, to, src.len, true, &dst);
	if (!error.code) {
		*len = dst.len;
		memmove(dst.ptr, src.ptr, *len);
		quire_unmap(engine, &dst, true, *len);
	}
	quire_unmap(engine, &src, false, src.len);
	return error;
}

/* Copy a piece that ends at @end of at most *@len bytes; as above. */
static struct quire_error quire_copy_backward(struct quire_engine *engine, struct quire_op *op,
					      uint64_t end, uint64_t *len)
{
	struct quire_mapping src, dst;
	struct quire_error error;
	uint64_t from, to, n = quire_min(*len, QUIRE_COPY_TAIL_MAX);

	error = quire_side_prev(engine, &op->src, end, n, &from, &n);
	if (!error.code)
		error = quire_side_prev(engine, &op->dst, end, n, &to, len);
	if (!error.code)
		error = quire_map_tail(engine, op->src.segment, from + n - *len, *len, false, &src);
	if (error.code)
		return error;
	error = quire_map_tail(engine, op->dst.segment, to + *len - src.len, src.len, true, &dst);
	if (!error.code) {
		*len = dst.len;
		memmove(dst.ptr, (uint8_t *)src.ptr + src.len - *len, *len);
		quire_unmap(engine, &dst, true, *len);
	}
	quire_unmap(engine, &src, false, src.len);
	return error;
}

/* Tell the host which VRAM changed: [@from, @to) as counted by ring->done. */
static void quire_copy_dirty(struct quire_engine *engine, const struct quire_op *op,
			     uint64_t from, uint64_t to)
{
	if (op->dst.segment != QUIRE_SEGMENT_VRAM || from == to)
		return;
	if (op->backward)
		engine->ops->vram_dirty(engine->opaque, op->dst.address + op->total - to,
					to - from);
	else
		engine->ops->vram_dirty(engine->opaque, op->dst.address + from, to - from);
}

/* One slice of a copy: at least a piece, until the end or the budget's end. */
struct quire_error quire_copy(struct quire_engine *engine, struct quire_ring *ring,
			      struct quire_op *op, struct quire_budget *budget)
{
	struct quire_error error = QUIRE_OK;
	uint64_t start = ring->done;

	while (ring->done < op->total && budget->bytes) {
		uint64_t left = op->total - ring->done;
		uint64_t len = quire_min(left, budget->bytes);

		if (op->backward)
			error = quire_copy_backward(engine, op, left, &len);
		else
			error = quire_copy_forward(engine, op, ring->done, &len);
		if (error.code)
			break;
		ring->done += len;
		ring->progress += len;
		budget->bytes -= len;
	}
	quire_copy_dirty(engine, op, start, ring->done);
	return error;
}
