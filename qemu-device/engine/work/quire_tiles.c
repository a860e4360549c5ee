// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: bytes between rows and tiles.
 *
 * The inner part of a transfer that converts, for the thread that the host has
 * for it: it needs the pieces, which are linear memory, the addresses of the
 * tiles, and nothing else.
 *
 * Bytes are counted in the rectangle, row by row. A row of the rectangle crosses
 * tiles side by side; in each of them it has lines, which are whole but for the
 * first and the last. A line's number in its tile is made of two parts, of its
 * row and of its column: the first is made once for a row, the second is in a
 * table. So there is nothing to be done for an element, nor to know of one: a
 * piece may end anywhere.
 *
 * The rest is for speed. To tiles, row by row is best: lines are written as a whole
 * and never looked at. From tiles, some rows are done together, tile by tile, so that
 * what is read lies together; which lines come next no processor foresees, so they
 * are fetched ahead. What is long goes past the caches.
 */
#include <string.h>

#include "quire_layout.h"
#include "quire_tiles.h"

/* The part of a line's column in its place: bits 0 to 3 are bits 1, 3, 5, 7 of its number. */
static const uint32_t quire_column_offset[] = {
	0x0000, 0x0080, 0x0200, 0x0280, 0x0800, 0x0880, 0x0a00, 0x0a80,
	0x2000, 0x2080, 0x2200, 0x2280, 0x2800, 0x2880, 0x2a00, 0x2a80,
};

/* Rows that are read together; a tile has a multiple of it. */
#define QUIRE_ROWS_TOGETHER	16u

/* Lines of tiles that are fetched before they are read. */
#define QUIRE_LINES_AHEAD	32u

/* Bytes of the next piece that are fetched during the one before. */
#define QUIRE_PIECE_AHEAD	512u

/* Bytes that are moved at once. */
struct quire_vector {
	long long __attribute__((__vector_size__(16))) value;
};

#define QUIRE_HAS_BUILTIN(name)	__has_builtin(__builtin_##name)

/* To an aligned address past the caches, where the compiler knows how. */
static inline void quire_store_stream(uint8_t *to, struct quire_vector vector)
{
	struct quire_vector *aligned = (void *)to;

#if QUIRE_HAS_BUILTIN(nontemporal_store)
	__builtin_nontemporal_store(vector.value, &aligned->value);
#elif QUIRE_HAS_BUILTIN(ia32_movntdq)
	__builtin_ia32_movntdq(&aligned->value, vector.value);
#else
	*aligned = vector;
#endif
}

static inline void quire_store(uint8_t *to, struct quire_vector vector, bool stream)
{
	if (stream)
		quire_store_stream(to, vector);
	else
		memcpy(to, &vector, sizeof(vector));
}

/* All of it is read before any is written: the same memory may be reachable twice. */
static inline void quire_move_line(uint8_t *to, const uint8_t *from, bool stream)
{
	struct quire_vector a, b, c, d;

	stream = stream && !((uintptr_t)to % sizeof(a));
	memcpy(&a, from, sizeof(a));
	memcpy(&b, from + 16, sizeof(b));
	memcpy(&c, from + 32, sizeof(c));
	memcpy(&d, from + 48, sizeof(d));
	quire_store(to, a, stream);
	quire_store(to + 16, b, stream);
	quire_store(to + 32, c, stream);
	quire_store(to + 48, d, stream);
}

static inline void quire_move(uint8_t *tiled, uint8_t *linear, uint32_t n, bool to_tiles,
			      bool stream)
{
	uint8_t *to = to_tiles ? tiled : linear;
	const uint8_t *from = to_tiles ? linear : tiled;

	if (n == QUIRE_LINE_BYTES)
		quire_move_line(to, from, stream);
	else
		memmove(to, from, n);
}

/* @n bytes from byte @at of a row of a tile on; @tile is where column 0 of that row is. */
static inline void quire_move_lines(uint8_t *tile, uint32_t at, uint8_t *linear, uint32_t n,
				    bool to_tiles, bool stream)
{
	const uint32_t *column = &quire_column_offset[at >> QUIRE_LINE_SHIFT];
	uint32_t in_line = at & (QUIRE_LINE_BYTES - 1);
	uint32_t len;

	if (in_line) {
		len = quire_min(n, QUIRE_LINE_BYTES - in_line);
		quire_move(tile + *column++ + in_line, linear, len, to_tiles, stream);
		linear += len;
		n -= len;
	}
	for (; n >= QUIRE_LINE_BYTES; n -= QUIRE_LINE_BYTES, linear += QUIRE_LINE_BYTES)
		quire_move(tile + *column++, linear, QUIRE_LINE_BYTES, to_tiles, stream);
	if (n)
		quire_move(tile + *column, linear, n, to_tiles, stream);
}

static inline void quire_fetch_lines(const uint8_t *tile, uint32_t column_bits)
{
	uint32_t i;

	for (i = 0; i < 1u << column_bits; i++)
		__builtin_prefetch(tile + quire_column_offset[i]);
}

/* Where the tiles of a row of the rectangle are at hand. */
static uint8_t *const *quire_tiles_of_row(const struct quire_tiles *tiles, uint32_t row)
{
	const struct quire_swizzle *swizzle = &tiles->swizzle;
	uint32_t band = (swizzle->y + row) >> swizzle->tile_height_shift;

	return &tiles->tile[(band - swizzle->first_band) * swizzle->tiles];
}

/* Where in its tiles the line of column 0 is, of a row of the rectangle. */
static uint32_t quire_offset_of_row(const struct quire_tiles *tiles, uint32_t row)
{
	const struct quire_swizzle *swizzle = &tiles->swizzle;
	uint32_t v = (swizzle->y + row) & ((1u << swizzle->tile_height_shift) - 1);

	return quire_tile_line(swizzle->column_bits, 0, v) << QUIRE_LINE_SHIFT;
}

/*
 * @n bytes from byte @column on of each of @rows rows, in one band, which have @n bytes
 * each in linear memory: tile by tile.
 */
static inline void quire_move_rows(const struct quire_tiles *tiles, uint32_t row, uint32_t rows,
				   uint32_t column, uint8_t *linear, uint32_t n, bool to_tiles,
				   bool stream)
{
	const struct quire_swizzle *swizzle = &tiles->swizzle;
	uint32_t width = 1u << swizzle->tile_width_shift;
	uint32_t at = (swizzle->x & (width - 1)) + column;
	uint8_t *const *tile = quire_tiles_of_row(tiles, row);
	uint8_t *const *end = tile + swizzle->tiles;
	uint32_t ahead = quire_max((QUIRE_LINES_AHEAD >> swizzle->column_bits) / rows, 1);
	uint32_t offset[QUIRE_ROWS_TOGETHER], done, len, i;

	for (i = 0; i < rows; i++)
		offset[i] = quire_offset_of_row(tiles, row + i);
	tile += at >> swizzle->tile_width_shift;
	at &= width - 1;
	for (done = 0; done < n; done += len, at = 0, tile++) {
		len = quire_min(n - done, width - at);
		for (i = 0; i < rows; i++) {
			if (!to_tiles && ahead < end - tile)
				quire_fetch_lines(tile[ahead] + offset[i], swizzle->column_bits);
			quire_move_lines(*tile + offset[i], at, linear + (uint64_t)i * n + done,
					 len, to_tiles, stream);
		}
	}
}

/* Rows that can be done together: whole ones, in one block of their band. */
static uint32_t quire_rows_together(const struct quire_tiles *tiles, uint32_t row, uint64_t len)
{
	uint32_t in_block = (tiles->swizzle.y + row) % QUIRE_ROWS_TOGETHER;

	return quire_min(len / tiles->swizzle.row_bytes, QUIRE_ROWS_TOGETHER - in_block);
}

/* A piece of linear memory that begins at byte @pos of the rectangle. */
static inline void quire_move_piece(const struct quire_tiles *tiles, uint64_t pos,
				    uint8_t *linear, uint64_t len, bool to_tiles, bool stream)
{
	uint32_t row_bytes = tiles->swizzle.row_bytes;
	uint32_t row = pos / row_bytes, column = pos % row_bytes;
	uint32_t n, rows;

	for (; len; row += rows, column = 0) {
		n = quire_min(len, row_bytes - column);
		rows = 1;
		if (!to_tiles && n == row_bytes)
			rows = quire_rows_together(tiles, row, len);
		quire_move_rows(tiles, row, rows, column, linear, n, to_tiles, stream);
		linear += (uint64_t)rows * n;
		len -= (uint64_t)rows * n;
	}
}

static inline void quire_move_pieces(const struct quire_tiles *tiles,
				     const struct quire_piece *pieces, unsigned int count,
				     bool to_tiles, bool stream)
{
	const struct quire_piece *piece;
	uint64_t pos = tiles->pos, at;

	for (piece = pieces; piece < pieces + count; pos += piece++->dst.len) {
		if (to_tiles && piece + 1 < pieces + count)
			for (at = 0; at < quire_min(piece[1].dst.len, QUIRE_PIECE_AHEAD);
			     at += QUIRE_LINE_BYTES)
				__builtin_prefetch((uint8_t *)piece[1].src.ptr + at);
		quire_move_piece(tiles, pos, to_tiles ? piece->src.ptr : piece->dst.ptr,
				 piece->dst.len, to_tiles, stream);
	}
}

/**
 * quire_tiles_do - convert all pieces
 * @tiles: where they go to or come from
 * @pieces: linear memory, in order
 * @count: of @pieces
 */
void quire_tiles_do(const struct quire_tiles *tiles, const struct quire_piece *pieces,
		    unsigned int count)
{
	if (tiles->to_tiles && tiles->stream)
		quire_move_pieces(tiles, pieces, count, true, true);
	else if (tiles->to_tiles)
		quire_move_pieces(tiles, pieces, count, true, false);
	else if (tiles->stream)
		quire_move_pieces(tiles, pieces, count, false, true);
	else
		quire_move_pieces(tiles, pieces, count, false, false);
	/* What went past the caches is seen before what is stored next. */
	if (tiles->stream)
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
}
