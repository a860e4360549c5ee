// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: a command on two surfaces, from bytes to a checked operation.
 *
 * A surface is checked as a whole, its image if it is tiled: all of it lies in its
 * segment. Then the rectangle is clipped, and whatever is left of it does, too.
 */
#include "../core/quire_numbers.h"
#include "../memory/quire_segment.h"
#include "quire_command.h"
#include "quire_command_side.h"
#include "quire_decode.h"

#define QUIRE_BLEND_SHIFT	2u

static struct quire_layout quire_get_layout(const uint8_t *p, uint32_t element_shift)
{
	return (struct quire_layout){
		.kind = QUIRE_GET32(p, quire_command_surface, layout),
		.element_shift = element_shift,
		.width = QUIRE_GET32(p, quire_command_surface, width),
		.height = QUIRE_GET32(p, quire_command_surface, height),
		.levels = QUIRE_GET16(p, quire_command_surface, levels),
		.array_size = QUIRE_GET16(p, quire_command_surface, array_size),
	};
}

/* A linear surface: rows at a pitch of their own. Returns its bytes, 0 if it is none. */
static uint64_t quire_linear_surface(struct quire_plane *plane, uint32_t pitch)
{
	struct quire_surface *surface = &plane->surface;
	uint32_t element = 1u << plane->layout.element_shift;
	uint32_t row = surface->pitch;

	if (plane->layout.levels > 1 || plane->layout.array_size > 1 || pitch < row ||
	    pitch & (element - 1))
		return 0;
	surface->pitch = pitch;
	return (uint64_t)(surface->height - 1) * pitch + row;
}

/* The surface at @p of a packet; its side and its plane are filled in. */
static struct quire_error quire_surface_decode(const struct quire_engine *engine,
					       const struct quire_op *op, uint32_t access,
					       const uint8_t *p, uint32_t element_shift,
					       struct quire_side *side,
					       struct quire_plane *plane)
{
	uint64_t address = QUIRE_GET64(p, quire_command_surface, address), len;
	uint32_t pitch = QUIRE_GET32(p, quire_command_surface, pitch);
	uint32_t level = QUIRE_GET16(p, quire_command_surface, level);
	uint32_t slice = QUIRE_GET16(p, quire_command_surface, slice);
	struct quire_error error = quire_command_segment(op, access, address, side);

	plane->layout = quire_get_layout(p, element_shift);
	if (!error.code && plane->layout.kind != QUIRE_LAYOUT_LINEAR &&
	    (side->segment == QUIRE_SEGMENT_APERTURE || quire_is_mmu(side->segment)))
		error = QUIRE_ERROR(QUIRE_FAULT_BAD_SEGMENT, address);
	if (error.code)
		return error;
	if (!quire_layout_valid(&plane->layout) || level >= plane->layout.levels ||
	    slice >= plane->layout.array_size)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, address);
	quire_layout_surface(&plane->layout, level, slice, &plane->surface);
	if (!quire_layout_tiled(&plane->layout))
		return quire_command_side(engine, op, access, address,
					  quire_linear_surface(plane, pitch),
					  1u << element_shift, side);
	len = pitch ? 0 : quire_layout_tiled_size(&plane->layout);
	return quire_command_side(engine, op, access, address, len,
				  1u << plane->surface.tile_shift, side);
}

/**
 * struct quire_clip - one dimension of a rectangle
 * @src: first column, or row, in the source
 * @dst: the same in the destination
 * @count: how many
 */
struct quire_clip {
	int64_t src;
	int64_t dst;
	int64_t count;
};

static int64_t quire_larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t quire_smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Leave what is inside of both surfaces; nothing if @count is not above 0 then. */
static void quire_clip(struct quire_clip *clip, uint32_t src_size, uint32_t dst_size)
{
	int64_t skip = quire_larger(0, quire_larger(-clip->src, -clip->dst));
	int64_t end = quire_smaller(src_size - clip->src, dst_size - clip->dst);

	clip->count = quire_smaller(clip->count, end) - skip;
	clip->src += skip;
	clip->dst += skip;
}

static int64_t quire_get_signed(const uint8_t *p)
{
	return (int32_t)quire_get_le32(p);
}

#define QUIRE_GET_SIGNED(packet, field) \
	quire_get_signed((packet) + offsetof(struct quire_command_2d, field))

static void quire_rectangles_clip(const uint8_t *p, struct quire_op *op)
{
	struct quire_rectangles *r = &op->rectangles;
	struct quire_clip x = {
		.src = QUIRE_GET_SIGNED(p, src_x),
		.dst = QUIRE_GET_SIGNED(p, dst_x),
		.count = QUIRE_GET32(p, quire_command_2d, columns),
	};
	struct quire_clip y = {
		.src = QUIRE_GET_SIGNED(p, src_y),
		.dst = QUIRE_GET_SIGNED(p, dst_y),
		.count = QUIRE_GET32(p, quire_command_2d, rows),
	};

	quire_clip(&x, r->src.surface.width, r->dst.surface.width);
	quire_clip(&y, r->src.surface.height, r->dst.surface.height);
	if (x.count <= 0 || y.count <= 0)
		return;
	r->src.x = x.src;
	r->src.y = y.src;
	r->dst.x = x.dst;
	r->dst.y = y.dst;
	r->row_bytes = x.count << r->src.layout.element_shift;
	op->total = (uint64_t)r->row_bytes * y.count;
}

struct quire_error quire_decode_command_2d(const struct quire_engine *engine, const uint8_t *p,
					   struct quire_op *op)
{
	const uint8_t *src = p + offsetof(struct quire_command_2d, src);
	const uint8_t *dst = p + offsetof(struct quire_command_2d, dst);
	uint32_t shift = QUIRE_GET32(p, quire_command_2d, element_shift);
	struct quire_error error;

	if (QUIRE_GET32(p, quire_command_2d, reserved))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	if (shift > QUIRE_LAYOUT_MAX_ELEMENT_SHIFT ||
	    (op->opcode == QUIRE_COMMAND_BLEND && shift != QUIRE_BLEND_SHIFT))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	error = quire_surface_decode(engine, op, QUIRE_ACCESS_READ, src, shift, &op->src,
				     &op->rectangles.src);
	if (!error.code)
		error = quire_surface_decode(engine, op, QUIRE_ACCESS_WRITE, dst, shift, &op->dst,
					     &op->rectangles.dst);
	if (!error.code)
		quire_rectangles_clip(p, op);
	op->unit = 1u << shift;
	return error;
}
