// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: COPY_2D and BLEND, from one surface to another one.
 *
 * Done row by row, a block of a row in a step; struct quire_ring::done counts the bytes
 * of the rectangle. A block is brought to the engine in the order of the columns, whatever
 * layout it has, and goes from here to the other surface. In a linear one it is in one
 * piece. In a tiled one a line of 64 bytes is, at most: so far it is never divided.
 */
#include <string.h>

#include "../address/quire_bytes.h"
#include "../core/quire_numbers.h"
#include "quire_command.h"
#include "quire_operations.h"
#include "quire_step.h"

/* A block of a row of the rectangle: bytes from @column on. */
struct quire_stretch {
	uint32_t row;
	uint32_t column;
	uint32_t len;
};

/*
 * The line that is right of the one at @at in its row of a tiled surface. @columns are the
 * bits of an address that count columns of lines in a tile, between those that count rows.
 */
static inline uint64_t quire_next_line(const struct quire_plane *plane, uint64_t columns,
				       uint64_t at)
{
	uint64_t column = ((at & columns) - columns) & columns;

	at = (at & ~(columns | (QUIRE_LINE_BYTES - 1))) | column;
	return column ? at : at + (1ull << plane->surface.tile_shift);
}

/* All of a stretch, from its side to @bytes or, if @write, back. */
static struct quire_error quire_stretch_move(struct quire_engine *engine,
					     struct quire_side *side,
					     const struct quire_plane *plane,
					     const struct quire_stretch *stretch, uint8_t *bytes,
					     bool write)
{
	bool tiled = quire_layout_tiled(&plane->layout);
	uint32_t x = plane->x + (stretch->column >> plane->layout.element_shift);
	uint64_t at = quire_surface_tiled(&plane->layout, &plane->surface, x,
					  plane->y + stretch->row);
	struct quire_error error = QUIRE_OK;
	uint32_t bits, done, len;
	uint64_t columns = 0;

	if (tiled) {
		bits = quire_tile_column_bits(&plane->layout);
		columns = quire_tile_line(bits, (1u << bits) - 1, 0) << QUIRE_LINE_SHIFT;
	}
	for (done = 0; done < stretch->len && !error.code; done += len) {
		len = stretch->len - done;
		if (tiled)
			len = quire_min(len, QUIRE_LINE_BYTES - (at & (QUIRE_LINE_BYTES - 1)));
		error = write ? quire_bytes_write(engine, side, at, bytes + done, len) :
				quire_bytes_read(engine, side, at, bytes + done, len);
		at = quire_next_line(plane, columns, at);
	}
	return error;
}

/* @value / 255 to the nearest, of at most 255 * 255; no step of it has more than 16 bits. */
static inline uint16_t quire_div255(uint16_t value)
{
	value += 128;
	return (uint16_t)(value + (value >> 8)) >> 8;
}

/* A channel: @src over @dst, of which so much is seen. */
static inline uint8_t quire_over(uint8_t src, uint8_t dst, uint8_t seen)
{
	uint16_t sum = src + quire_div255(dst * seen);

	return sum > 255 ? 255 : sum;
}

static void quire_blend_stride(uint8_t *restrict dst, const uint8_t *restrict src)
{
	uint8_t seen[QUIRE_STRIDE];
	uint32_t i, pixel;

	for (i = 0; i < QUIRE_STRIDE; i += 4) {
		memcpy(&pixel, src + i, sizeof(pixel));
		pixel = (255 - (quire_le32(pixel) >> 24)) * 0x01010101u;
		memcpy(seen + i, &pixel, sizeof(pixel));
	}
	for (i = 0; i < QUIRE_STRIDE; i++)
		dst[i] = quire_over(src[i], dst[i], seen[i]);
}

/* Four bytes of premultiplied channels, the last one is alpha: @src over @dst. */
static void quire_blend(uint8_t *dst, const uint8_t *src, uint32_t len)
{
	uint32_t i, rest;

	for (i = 0; i + QUIRE_STRIDE <= len; i += QUIRE_STRIDE)
		quire_blend_stride(dst + i, src + i);
	for (rest = i; rest < len; rest++)
		dst[rest] = quire_over(src[rest], dst[rest], 255 - src[rest | 3]);
}

/* The next block of a COPY_2D or a BLEND. */
struct quire_error quire_rectangle(struct quire_engine *engine, struct quire_ring *ring,
				   struct quire_op *op, struct quire_budget *budget)
{
	const struct quire_rectangles *r = &op->rectangles;
	struct quire_stretch stretch = {
		.row = ring->done / r->row_bytes,
		.column = ring->done % r->row_bytes,
	};
	uint8_t src[QUIRE_BLOCK], dst[QUIRE_BLOCK], *from = src;
	struct quire_error error;

	stretch.len = quire_min(quire_command_block(ring, op, budget),
				r->row_bytes - stretch.column);
	error = quire_stretch_move(engine, &op->src, &r->src, &stretch, src, false);
	if (!error.code && op->opcode == QUIRE_COMMAND_BLEND) {
		error = quire_stretch_move(engine, &op->dst, &r->dst, &stretch, dst, false);
		quire_blend(dst, src, error.code ? 0 : stretch.len);
		from = dst;
	}
	if (!error.code)
		error = quire_stretch_move(engine, &op->dst, &r->dst, &stretch, from, true);
	if (!error.code)
		quire_command_done(ring, budget, stretch.len);
	return error;
}
