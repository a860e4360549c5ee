/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: work, in pieces.
 *
 * Layer of work: pieces that are mapped come in, and are copied, filled or converted, here or
 * in a thread of the host; then they are unmapped, told as dirty and counted. It uses memory
 * and core, and is not interested in where pieces come from.
 */
#ifndef QUIRE_WORK_TYPES_H
#define QUIRE_WORK_TYPES_H

#include "../memory/quire_memory_types.h"

/**
 * struct quire_piece - bytes that are contiguous on both sides, or on the linear side of a
 *                      conversion, which is the only one that is mapped then
 * @src: mapping of the source, at least as long as @dst; unused if @from is NULL
 * @dst: mapping of the destination, which is the piece
 * @from: first byte to copy of @src; NULL to fill @dst
 * @to: where @dst is: VRAM offset or DMA address; of a copy
 */
struct quire_piece {
	struct quire_mapping src;
	struct quire_mapping dst;
	const void *from;
	uint64_t to;
};

/**
 * struct quire_swizzle - the rectangle of a transfer that converts, in bytes
 * @tile_shift: log2 of the bytes of a tile
 * @tile_width_shift: log2 of the bytes of a row of a tile
 * @tile_height_shift: log2 of the rows of a tile
 * @column_bits: log2 of the lines of a row of a tile
 * @tiles_per_row: tiles of a row of the surface
 * @tiles: those of them that the rectangle touches
 * @x: column of the first byte in the surface
 * @y: first row in the surface
 * @pitch: bytes from row to row of the linear side
 * @row_bytes: bytes of a row of the rectangle
 * @rows: rows of the rectangle
 * @span: bytes of the linear side from the first to the last; 0 if nothing is converted
 * @first_band: first row of tiles, in the surface, whose addresses are at hand
 * @bands: how many of them, 0 after the packet was decoded
 */
struct quire_swizzle {
	uint32_t tile_shift;
	uint32_t tile_width_shift;
	uint32_t tile_height_shift;
	uint32_t column_bits;
	uint32_t tiles_per_row;
	uint32_t tiles;
	uint32_t x;
	uint32_t y;
	uint32_t pitch;
	uint32_t row_bytes;
	uint32_t rows;
	uint64_t span;
	uint32_t first_band;
	uint32_t bands;
};

/* Tiles that are at hand; a row of a surface has at most half of them. */
#define QUIRE_TILES		2048u

/**
 * struct quire_tiles - the tiled side of work that converts
 * @swizzle: what is converted
 * @to_tiles: from linear memory to tiles, else from tiles to linear memory
 * @stream: it is so long that it goes past the caches
 * @pos: byte of the rectangle with which the first piece begins
 * @tile: the tiles of the rectangle, band after band, from @first_band of @swizzle on
 */
struct quire_tiles {
	struct quire_swizzle swizzle;
	bool to_tiles;
	bool stream;
	uint64_t pos;
	uint8_t *tile[QUIRE_TILES];
};

/* Pieces of what is done at once, and of what is started. */
#define QUIRE_WORK_PIECES_NOW	16u
#define QUIRE_WORK_PIECES	256u

/* Who resets or stops the device waits for so many bytes. */
#define QUIRE_WORK_BYTES	(4ull << 20)

/**
 * struct quire_work - a part of a copy or a fill: all that it takes to do it
 * @pieces: in the order in which they are done
 * @count: of @pieces
 * @most: of @pieces
 * @bytes: of all pieces
 * @max: bytes that it may have
 * @least: bytes from which it is started, rather than done at once
 * @pattern: for pieces that are filled
 * @phase: byte of the pattern with which the first of them begins
 * @converts: pieces are the linear side of a conversion
 * @tiles: its tiled side; they stay from one part of a packet to the next
 * @running: started and not ended: another thread has it
 */
struct quire_work {
	struct quire_piece pieces[QUIRE_WORK_PIECES];
	unsigned int count;
	unsigned int most;
	uint64_t bytes;
	uint64_t max;
	uint64_t least;
	uint32_t pattern;
	uint32_t phase;
	bool converts;
	struct quire_tiles tiles;
	bool running;
};

#endif
