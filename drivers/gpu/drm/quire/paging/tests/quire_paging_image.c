// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <linux/math64.h>
#include <linux/string.h>
#include <linux/types.h>

#include "quire_paging_image.h"
#include "quire_paging_model.h"

/*
 * DOC: a model of images for tests of the builder
 *
 * Where each byte of an image is, and what a packet that converts does, from the
 * specification (device.rst) alone: byte by byte, without the driver's and the device's
 * own computation.
 */

enum { SEGMENT_SYSTEM, SEGMENT_VRAM, SEGMENT_APERTURE };
enum { SWIZZLE = 1, UNSWIZZLE = 2 };

#define RUNS	80

static u32 halved(u32 size, u32 level)
{
	while (level--)
		size = size > 1 ? size / 2 : 1;

	return size;
}

static u32 ceil_div(u32 a, u32 b)
{
	return a / b + !!(a % b);
}

/* Wider than high, where they are not the same. */
static void tile_shape(const struct quire_model_image *image, u32 *width, u32 *height)
{
	u32 elements = image->tile / image->element;

	for (*width = 1, *height = 1; *width * *height < elements;) {
		if (*width == *height)
			*width *= 2;
		else
			*height *= 2;
	}
}

/* Row bit, column bit, row bit ... and the rows that are left. */
static u32 line_number(u32 columns, u32 column, u32 row)
{
	u32 line = 0, weight = 1;

	for (; columns > 1; columns /= 2, column /= 2, row /= 2) {
		line += row % 2 * weight;
		line += column % 2 * weight * 2;
		weight *= 4;
	}

	return line + row * weight;
}

static u64 level_size(const struct quire_model_image *image, u32 level, bool tiled)
{
	u32 w = halved(image->width, level), h = halved(image->height, level);
	u32 tile_w, tile_h;

	if (!tiled)
		return (u64)w * h * image->element;
	tile_shape(image, &tile_w, &tile_h);

	return (u64)ceil_div(w, tile_w) * ceil_div(h, tile_h) * image->tile;
}

static u64 slice_size(const struct quire_model_image *image, bool tiled)
{
	u64 size = 0;
	u32 i;

	for (i = 0; i < image->levels; i++)
		size += level_size(image, i, tiled);

	return size;
}

/* Bytes of the linear form. */
u64 quire_model_image_size(const struct quire_model_image *image)
{
	return image->slices * slice_size(image, false);
}

/* In the tiled form of a level: byte @byte of its linear form. */
static u64 tiled_in_level(const struct quire_model_image *image, u32 level, u64 byte)
{
	u32 pitch = halved(image->width, level) * image->element;
	u32 tile_w, tile_h, tile_pitch, x, y, tile;

	tile_shape(image, &tile_w, &tile_h);
	tile_pitch = tile_w * image->element;
	y = div_u64_rem(byte, pitch, &x);
	tile = y / tile_h * ceil_div(pitch, tile_pitch) + x / tile_pitch;
	y %= tile_h;
	x %= tile_pitch;

	return (u64)tile * image->tile + line_number(tile_pitch / 64, x / 64, y) * 64 + x % 64;
}

/* Where byte @byte of the linear form is in the tiled one. */
u64 quire_model_image_tiled(const struct quire_model_image *image, u64 byte)
{
	u64 tiled = 0;
	u32 level = 0;

	for (; byte >= slice_size(image, false); byte -= slice_size(image, false))
		tiled += slice_size(image, true);
	for (; byte >= level_size(image, level, false); level++) {
		byte -= level_size(image, level, false);
		tiled += level_size(image, level, true);
	}

	return tiled + tiled_in_level(image, level, byte);
}

static u64 get_le(const u8 *bytes, unsigned int size)
{
	u64 value = 0;

	while (size--)
		value = value << 8 | bytes[size];

	return value;
}

/**
 * struct swizzle - a packet that converts
 * @image: the image
 * @x: first column
 * @y: first row
 * @columns: of the rectangle
 * @rows: of the rectangle
 * @first: of the rectangle, byte of the linear form of the image
 * @pitch: bytes from row to row
 * @unswizzle: from the tiled to the linear side
 * @segment: of the linear side
 * @address: of the linear side
 * @pages: of the linear side
 * @tile: first one, byte of the tiled form of the image
 * @tiles: of the tiled side, bytes
 * @runs: page runs
 * @nr_runs: number of @runs
 */
struct swizzle {
	struct quire_model_image image;
	u32 x;
	u32 y;
	u32 columns;
	u32 rows;
	u64 first;
	u32 pitch;
	bool unswizzle;
	u32 segment;
	u64 address;
	u64 pages;
	u64 tile;
	u64 tiles;
	const u8 *runs;
	u32 nr_runs;
};

/* The first byte of the linear form of an element. */
static u64 linear_byte(const struct quire_model_image *image, u32 slice, u32 level, u64 x, u64 y)
{
	u64 byte = slice * slice_size(image, false);
	u32 i;

	for (i = 0; i < level; i++)
		byte += level_size(image, i, false);

	return byte + (y * halved(image->width, level) + x) * image->element;
}

static u64 tile_start(const struct swizzle *s, u64 byte)
{
	u64 tiled = quire_model_image_tiled(&s->image, byte);

	return tiled - (tiled & (s->image.tile - 1));
}

static void decode_rectangle(const u8 *bytes, struct swizzle *s)
{
	u32 level = get_le(bytes + 56, 2), slice = get_le(bytes + 58, 2);
	u64 last;

	s->x = get_le(bytes + 64, 4);
	s->y = get_le(bytes + 68, 4);
	s->columns = get_le(bytes + 72, 4);
	s->rows = get_le(bytes + 76, 4);
	s->first = linear_byte(&s->image, slice, level, s->x, s->y);
	s->pitch = halved(s->image.width, level) * s->image.element;
	last = linear_byte(&s->image, slice, level, s->x + s->columns - 1, s->y + s->rows - 1);
	s->tile = tile_start(s, s->first);
	s->tiles = tile_start(s, last) + s->image.tile - s->tile;
	s->pages = (s->address % QUIRE_MODEL_PAGE + last - s->first + s->image.element +
		    QUIRE_MODEL_PAGE - 1) / QUIRE_MODEL_PAGE;
}

static const char *decode_image(const u8 *bytes, struct swizzle *s)
{
	u32 kind = get_le(bytes + 40, 2);

	s->image = (struct quire_model_image) {
		.tile = kind == 1 ? 4096 : 65536,
		.element = 1u << get_le(bytes + 42, 2),
		.width = get_le(bytes + 44, 4),
		.height = get_le(bytes + 48, 4),
		.levels = get_le(bytes + 52, 2),
		.slices = get_le(bytes + 54, 2),
	};
	if (kind < 1 || kind > 2 || s->image.element > 16)
		return "no such layout";
	if (get_le(bytes + 56, 2) >= s->image.levels || get_le(bytes + 58, 2) >= s->image.slices)
		return "no such level or slice";

	return NULL;
}

static u64 run_pages(const struct swizzle *s, u32 nr)
{
	return (get_le(s->runs + nr * 8, 8) & 0xfff) + 1;
}

/* Page @nr of all runs. */
static u64 run_page(const struct swizzle *s, u64 nr)
{
	u32 i;

	for (i = 0; nr >= run_pages(s, i); i++)
		nr -= run_pages(s, i);

	return (get_le(s->runs + i * 8, 8) >> 12) + nr;
}

static const char *decode(const u8 *bytes, u32 size, struct swizzle *s)
{
	u32 flags = get_le(bytes + 2, 2), tiled, i;
	u64 pages = 0, tiled_address;
	const char *wrong;

	if (size < RUNS || (flags != SWIZZLE && flags != UNSWIZZLE))
		return "size or flags of a packet that converts";
	s->unswizzle = flags == UNSWIZZLE;
	s->segment = get_le(bytes + (s->unswizzle ? 12 : 8), 4);
	tiled = get_le(bytes + (s->unswizzle ? 8 : 12), 4);
	s->address = get_le(bytes + (s->unswizzle ? 24 : 16), 8);
	tiled_address = get_le(bytes + (s->unswizzle ? 16 : 24), 8);
	if (tiled != SEGMENT_VRAM || tiled_address || s->segment == SEGMENT_VRAM)
		return "sides of a packet that converts";
	if (s->segment == SEGMENT_SYSTEM && s->address >= QUIRE_MODEL_PAGE)
		return "not in the first page";

	wrong = decode_image(bytes, s);
	if (wrong)
		return wrong;
	decode_rectangle(bytes, s);
	if (get_le(bytes + 32, 8) != (u64)s->columns * s->rows * s->image.element)
		return "bytes of a packet that converts";

	s->runs = bytes + RUNS;
	s->nr_runs = (size - RUNS) / 8;
	for (i = 0; i < s->nr_runs; i++)
		pages += run_pages(s, i);
	if (s->segment != SEGMENT_SYSTEM)
		s->pages = 0;
	if (pages != s->pages + s->tiles / QUIRE_MODEL_PAGE)
		return "page runs are not those of the rectangle";

	return NULL;
}

/* NULL, or what is wrong with the packet. */
const char *quire_model_swizzle_check(const u8 *bytes, u32 size)
{
	struct swizzle s;

	return decode(bytes, size, &s);
}

static u8 *linear_at(struct quire_model *model, const struct swizzle *s, u64 offset)
{
	u64 at = s->address + offset, page = at / QUIRE_MODEL_PAGE;
	u8 *bytes;

	if (s->segment == SEGMENT_SYSTEM)
		page = run_page(s, page);
	bytes = quire_model_page(model, s->segment, page);

	return bytes ? bytes + at % QUIRE_MODEL_PAGE : NULL;
}

static u8 *tiled_at(struct quire_model *model, const struct swizzle *s, u64 offset)
{
	u64 at = quire_model_image_tiled(&s->image, s->first + offset) - s->tile;
	u8 *bytes = quire_model_page(model, SEGMENT_VRAM,
				     run_page(s, s->pages + at / QUIRE_MODEL_PAGE));

	return bytes ? bytes + at % QUIRE_MODEL_PAGE : NULL;
}

/* Executes the packet, byte by byte. */
const char *quire_model_swizzle(struct quire_model *model, const u8 *bytes, u32 size)
{
	const char *wrong;
	struct swizzle s;
	u64 row, i;

	wrong = decode(bytes, size, &s);
	for (row = 0; !wrong && row < s.rows; row++) {
		for (i = row * s.pitch; i < row * s.pitch + s.columns * s.image.element; i++) {
			u8 *linear = linear_at(model, &s, i), *tiled = tiled_at(model, &s, i);

			if (!linear || !tiled)
				return "conversion outside of memory";
			if (s.unswizzle)
				*linear = *tiled;
			else
				*tiled = *linear;
		}
	}

	return wrong;
}
