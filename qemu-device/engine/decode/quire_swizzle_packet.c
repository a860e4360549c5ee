// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: a TRANSFER that converts, or a SPECIAL_LOCK, from bytes to a checked
 * operation.
 *
 * The order of checks is that of quire_packet.c: reserved fields, segments, the range, the
 * image and its rectangle, addresses, runs. Every number is bounded before it is
 * counted with.
 *
 * From here on there are bytes: an element is so many bytes side by side, in both
 * forms, and a column of the rectangle is that of its first byte.
 */
#include "../core/quire_numbers.h"
#include "../memory/quire_segment.h"
#include "quire_decode.h"
#include "quire_runs.h"

/**
 * struct quire_rectangle - what a packet names of an image
 * @layout: the image
 * @level: of the rectangle
 * @slice: of the rectangle
 * @x: first column
 * @y: first row
 * @columns: of the rectangle
 * @rows: of the rectangle
 * @size: what the packet says it has, in bytes
 */
struct quire_rectangle {
	struct quire_layout layout;
	uint32_t level;
	uint32_t slice;
	uint32_t x;
	uint32_t y;
	uint32_t columns;
	uint32_t rows;
	uint64_t size;
};

static struct quire_rectangle quire_get_rectangle(const uint8_t *p)
{
	return (struct quire_rectangle){
		.layout = {
			.kind = QUIRE_GET16(p, quire_packet_swizzle, layout),
			.element_shift = QUIRE_GET16(p, quire_packet_swizzle, element_shift),
			.width = QUIRE_GET32(p, quire_packet_swizzle, width),
			.height = QUIRE_GET32(p, quire_packet_swizzle, height),
			.levels = QUIRE_GET16(p, quire_packet_swizzle, levels),
			.array_size = QUIRE_GET16(p, quire_packet_swizzle, array_size),
		},
		.level = QUIRE_GET16(p, quire_packet_swizzle, level),
		.slice = QUIRE_GET16(p, quire_packet_swizzle, slice),
		.x = QUIRE_GET32(p, quire_packet_swizzle, x),
		.y = QUIRE_GET32(p, quire_packet_swizzle, y),
		.columns = QUIRE_GET32(p, quire_packet_swizzle, columns),
		.rows = QUIRE_GET32(p, quire_packet_swizzle, rows),
		.size = QUIRE_GET64(p, quire_packet_swizzle, size),
	};
}

/* Are there such an image, and such a rectangle in it? Then fill in its surface. */
static bool quire_rectangle_ok(const struct quire_rectangle *r, struct quire_surface *surface)
{
	if (!quire_layout_valid(&r->layout) || !quire_layout_tiled(&r->layout) ||
	    r->level >= r->layout.levels || r->slice >= r->layout.array_size)
		return false;
	quire_layout_level(&r->layout, r->level, surface);
	return r->columns && quire_range_ok(r->x, r->columns, surface->width) &&
	       r->rows && quire_range_ok(r->y, r->rows, surface->height) &&
	       r->size == (uint64_t)r->columns * r->rows << r->layout.element_shift;
}

/* The rectangle in bytes. */
static struct quire_swizzle quire_swizzle_of(const struct quire_rectangle *r,
					     const struct quire_surface *surface)
{
	uint32_t shift = r->layout.element_shift;
	uint32_t width_shift = surface->tile_width_shift;
	uint32_t last = (r->x + r->columns - 1) >> width_shift;

	return (struct quire_swizzle){
		.tile_shift = surface->tile_shift,
		.tile_width_shift = width_shift + shift,
		.tile_height_shift = surface->tile_height_shift,
		.column_bits = quire_tile_column_bits(&r->layout),
		.tiles_per_row = surface->tiles_per_row,
		.tiles = last - (r->x >> width_shift) + 1,
		.x = r->x << shift,
		.y = r->y,
		.pitch = surface->pitch,
		.row_bytes = r->columns << shift,
		.rows = r->rows,
		.span = quire_surface_span(&r->layout, surface, r->columns, r->rows),
	};
}

static uint64_t quire_swizzle_tile_pages(const struct quire_rectangle *r,
					 const struct quire_surface *surface)
{
	uint64_t first = quire_surface_tile(surface, r->x, r->y);
	uint64_t last = quire_surface_tile(surface, r->x + r->columns - 1, r->y + r->rows - 1);

	return (last - first + 1) << (surface->tile_shift - QUIRE_PAGE_SHIFT);
}

/* Of a tiled side it is zero, of a linear one where the rectangle begins. */
static bool quire_address_ok(const struct quire_engine *engine, struct quire_side *side,
			     uint64_t span, uint32_t element)
{
	if (side->segment == QUIRE_SEGMENT_VRAM)
		return !side->address;
	if (side->address & (element - 1))
		return false;
	if (side->segment == QUIRE_SEGMENT_SYSTEM)
		return side->address < QUIRE_PAGE_SIZE;
	side->len = span;
	return quire_range_ok(side->address, span, quire_segment_size(engine, side->segment));
}

static struct quire_error quire_check_addresses(const struct quire_engine *engine,
						struct quire_op *op, uint32_t element)
{
	uint64_t span = op->swizzle.span;

	if (!quire_address_ok(engine, &op->src, span, element))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, op->src.address);
	if (!quire_address_ok(engine, &op->dst, span, element))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, op->dst.address);
	return QUIRE_OK;
}

static bool quire_segment_ok(const struct quire_op *op, const struct quire_side *side, bool tiled)
{
	if (tiled)
		return side->segment == QUIRE_SEGMENT_VRAM;
	if (side->segment == QUIRE_SEGMENT_SYSTEM)
		return true;
	return op->opcode == QUIRE_OP_TRANSFER &&
	       (side->segment == QUIRE_SEGMENT_APERTURE || quire_is_mmu(side->segment));
}

static struct quire_error quire_check_segments(const struct quire_op *op, bool to_tiles)
{
	if (!quire_segment_ok(op, &op->src, !to_tiles))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_SEGMENT, op->src.segment);
	if (!quire_segment_ok(op, &op->dst, to_tiles))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_SEGMENT, op->dst.segment);
	return QUIRE_OK;
}

/* Is there the range that a special lock names, if it names one? */
static bool quire_named_range_ok(const struct quire_engine *engine, const struct quire_op *op)
{
	return op->opcode == QUIRE_OP_TRANSFER || op->value == QUIRE_SPECIAL_LOCK_NO_RANGE ||
	       quire_named_range(op->value) < engine->range_count;
}

/* Runs of the linear side, if it is in system memory, then those of the tiles. */
static bool quire_swizzle_runs(const struct quire_engine *engine, struct quire_runs runs,
			       const struct quire_swizzle *swizzle, uint64_t tile_pages,
			       struct quire_side *linear, struct quire_side *tiled)
{
	uint32_t unit = 1u << (swizzle->tile_shift - QUIRE_PAGE_SHIFT);
	uint64_t end = linear->address + swizzle->span, pages = 0;

	if (linear->segment == QUIRE_SEGMENT_SYSTEM)
		pages = (end + QUIRE_PAGE_SIZE - 1) >> QUIRE_PAGE_SHIFT;
	return quire_runs_take(&runs, pages, QUIRE_SYSTEM_PAGES, 1, linear) &&
	       quire_runs_take(&runs, tile_pages, engine->vram_size >> QUIRE_PAGE_SHIFT, unit,
			       tiled) &&
	       !runs.count;
}

struct quire_error quire_decode_swizzle(const struct quire_engine *engine, const uint8_t *p,
					struct quire_op *op)
{
	struct quire_runs runs = quire_runs_of(p, sizeof(struct quire_packet_swizzle), op->size);
	bool to_tiles = op->flags & QUIRE_TRANSFER_SWIZZLE;
	struct quire_side *linear = to_tiles ? &op->src : &op->dst;
	struct quire_side *tiled = to_tiles ? &op->dst : &op->src;
	struct quire_rectangle rectangle = quire_get_rectangle(p);
	struct quire_surface surface;
	struct quire_error error;

	op->src.segment = QUIRE_GET32(p, quire_packet_swizzle, src_segment);
	op->dst.segment = QUIRE_GET32(p, quire_packet_swizzle, dst_segment);
	op->src.address = QUIRE_GET64(p, quire_packet_swizzle, src_address);
	op->dst.address = QUIRE_GET64(p, quire_packet_swizzle, dst_address);
	op->total = rectangle.size;
	op->value = QUIRE_GET32(p, quire_packet_swizzle, reserved);

	if (op->opcode == QUIRE_OP_TRANSFER && op->value)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	error = quire_check_segments(op, to_tiles);
	if (error.code)
		return error;
	if (!quire_named_range_ok(engine, op))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, quire_named_range(op->value));
	if (!quire_rectangle_ok(&rectangle, &surface))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, 0);
	op->swizzle = quire_swizzle_of(&rectangle, &surface);
	error = quire_check_addresses(engine, op, 1u << rectangle.layout.element_shift);
	if (error.code)
		return error;
	if (!quire_swizzle_runs(engine, runs, &op->swizzle,
				quire_swizzle_tile_pages(&rectangle, &surface), linear, tiled))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RUNS, 0);
	return QUIRE_OK;
}
