// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: copies, the bulk of the work.
 *
 * A copy is cut where either side stops to be contiguous, where a DMA mapping
 * ends, and where the budget of the slice ends. Each piece is one memmove
 * between the mapped memory and VRAM; some are mapped at a time. Sides that
 * overlap in one segment with the destination above the source are copied from
 * the end, piece by piece; struct quire_ring::done then counts from the end, so
 * that a later slice goes on correctly.
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

/* Pieces that are mapped at a time. */
#define QUIRE_COPY_PIECES	16

/* Bytes of a piece that are fetched during the one before; more do not help. */
#define QUIRE_COPY_AHEAD	512u
#define QUIRE_CACHE_LINE	64u

/**
 * struct quire_piece - bytes that are contiguous on both sides
 * @src: mapping of the source, at least as long as @dst
 * @dst: mapping of the destination, which is the piece
 * @from: first byte to copy of @src
 */
struct quire_piece {
	struct quire_mapping src;
	struct quire_mapping dst;
	const void *from;
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

/* Map a piece at @pos of at most @max bytes. */
static struct quire_error quire_piece_forward(struct quire_engine *engine, struct quire_op *op,
					      uint64_t pos, uint64_t max,
					      struct quire_piece *piece)
{
	struct quire_error error;
	uint64_t from, to, len;

	error = quire_side_next(engine, &op->src, pos, max, &from, &len);
	if (!error.code)
		error = quire_side_next(engine, &op->dst, pos, len, &to, &len);
	if (!error.code)
		error = quire_map(engine, op->src.segment, from, len, false, &piece->src);
	if (error.code)
		return error;
	error = quire_map(engine, op->dst.segment, to, piece->src.len, true, &piece->dst);
	if (error.code)
		quire_unmap(engine, &piece->src, false, 0);
	piece->from = piece->src.ptr;
	return error;
}

/* Map a piece that ends at @end of at most @max bytes. */
static struct quire_error quire_piece_backward(struct quire_engine *engine, struct quire_op *op,
					       uint64_t end, uint64_t max,
					       struct quire_piece *piece)
{
	struct quire_error error;
	uint64_t from, to, n = quire_min(max, QUIRE_COPY_TAIL_MAX), len;

	error = quire_side_prev(engine, &op->src, end, n, &from, &n);
	if (!error.code)
		error = quire_side_prev(engine, &op->dst, end, n, &to, &len);
	if (!error.code)
		error = quire_map_tail(engine, op->src.segment, from + n - len, len, false,
				       &piece->src);
	if (error.code)
		return error;
	error = quire_map_tail(engine, op->dst.segment, to + len - piece->src.len,
			       piece->src.len, true, &piece->dst);
	if (error.code)
		quire_unmap(engine, &piece->src, false, 0);
	piece->from = (uint8_t *)piece->src.ptr + piece->src.len - piece->dst.len;
	return error;
}

/* The next piece of the copy when @done bytes are done or mapped. */
static struct quire_error quire_piece_next(struct quire_engine *engine, struct quire_op *op,
					   uint64_t done, uint64_t max,
					   struct quire_piece *piece)
{
	uint64_t left = op->total - done;

	if (op->backward)
		return quire_piece_backward(engine, op, left, quire_min(left, max), piece);
	return quire_piece_forward(engine, op, done, quire_min(left, max), piece);
}

static void quire_prefetch(const void *from, uint64_t len)
{
	uint64_t at;

	for (at = 0; at < quire_min(len, QUIRE_COPY_AHEAD); at += QUIRE_CACHE_LINE)
		__builtin_prefetch((const uint8_t *)from + at);
}

/*
 * Map some pieces, copy them, unmap them. While one is copied the start of the
 * next is fetched already: short pieces lie anywhere, and no processor foresees
 * where. *@len is what was copied, at most as much as it was; on an error all
 * that stands before it.
 */
static struct quire_error quire_copy_pieces(struct quire_engine *engine, struct quire_op *op,
					    uint64_t done, uint64_t *len)
{
	struct quire_piece pieces[QUIRE_COPY_PIECES];
	struct quire_error error = QUIRE_OK;
	unsigned int count = 0, i;
	uint64_t mapped = 0;

	while (count < QUIRE_COPY_PIECES && mapped < *len) {
		error = quire_piece_next(engine, op, done + mapped, *len - mapped,
					 &pieces[count]);
		if (error.code)
			break;
		mapped += pieces[count++].dst.len;
	}
	for (i = 0; i < count; i++) {
		if (i + 1 < count)
			quire_prefetch(pieces[i + 1].from, pieces[i + 1].dst.len);
		memmove(pieces[i].dst.ptr, pieces[i].from, pieces[i].dst.len);
	}
	for (i = 0; i < count; i++) {
		quire_unmap(engine, &pieces[i].dst, true, pieces[i].dst.len);
		quire_unmap(engine, &pieces[i].src, false, pieces[i].dst.len);
	}
	*len = mapped;
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

/**
 * quire_copy - one slice of a TRANSFER
 * @engine: the engine
 * @ring: the ring it stands in; @done says how far it is, and is advanced
 * @op: the decoded packet
 * @budget: what the slice may use; what was used is taken off
 *
 * Does at least a piece, and goes on to the end or to the budget's end.
 *
 * Return: the fault that stops the ring, if any; all that stands before it is copied.
 */
struct quire_error quire_copy(struct quire_engine *engine, struct quire_ring *ring,
			      struct quire_op *op, struct quire_budget *budget)
{
	struct quire_error error = QUIRE_OK;
	uint64_t start = ring->done;

	while (ring->done < op->total && budget->bytes && !error.code) {
		uint64_t len = quire_min(op->total - ring->done, budget->bytes);

		error = quire_copy_pieces(engine, op, ring->done, &len);
		ring->done += len;
		ring->progress += len;
		budget->bytes -= len;
	}
	quire_copy_dirty(engine, op, start, ring->done);
	return error;
}
