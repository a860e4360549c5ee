/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Quire virtual GPU: where the elements of an image lie.
 *
 * The only definition of layouts, shared by the device, the driver and the
 * tests. "Layouts" in Documentation/gpu/quire/device.rst is the specification.
 *
 * An image has two forms. The linear form is what the CPU sees: rows, levels
 * and slices, tightly. The tiled form lies in VRAM. This file says where an
 * element is in each of them; it copies nothing.
 *
 * Only quire_layout_valid() takes any numbers. All others want a valid layout,
 * and what lies in it: then nothing overflows. Nothing here divides, so that a
 * 32-bit kernel can use it as it is.
 */
#ifndef QUIRE_LAYOUT_H
#define QUIRE_LAYOUT_H

#include "quire_hw.h"

/* What a layout may have at most. */
#define QUIRE_LAYOUT_MAX_ELEMENT_SHIFT	4u
#define QUIRE_LAYOUT_MAX_SIZE		16384u
#define QUIRE_LAYOUT_MAX_LEVELS		15u
#define QUIRE_LAYOUT_MAX_SLICES		2048u

/* Tiles are made of lines. */
#define QUIRE_LINE_SHIFT		6u
#define QUIRE_LINE_BYTES		64u

/**
 * struct quire_layout - an image
 * @kind: QUIRE_LAYOUT_*
 * @element_shift: log2 of the bytes of an element, 0 to 4
 * @width: elements of level 0, 1 to 16384
 * @height: rows of level 0, 1 to 16384
 * @levels: 1 to 1 + floor(log2(max(@width, @height)))
 * @array_size: slices, 1 to 2048
 */
struct quire_layout {
	__u32 kind;
	__u32 element_shift;
	__u32 width;
	__u32 height;
	__u32 levels;
	__u32 array_size;
};

/**
 * struct quire_surface - one level of one slice
 * @width: elements of a row
 * @height: rows
 * @pitch: bytes of a row of the linear form
 * @tiles_per_row: tiles side by side; 0 in a linear layout, as what follows
 * @tile_rows: rows of tiles
 * @tile_width_shift: log2 of the elements of a row of a tile
 * @tile_height_shift: log2 of the rows of a tile
 * @tile_shift: log2 of the bytes of a tile
 * @linear_offset: where it begins in the linear form
 * @tiled_offset: where it begins in the tiled form
 */
struct quire_surface {
	__u32 width;
	__u32 height;
	__u32 pitch;
	__u32 tiles_per_row;
	__u32 tile_rows;
	__u32 tile_width_shift;
	__u32 tile_height_shift;
	__u32 tile_shift;
	__u64 linear_offset;
	__u64 tiled_offset;
};

/**
 * quire_layout_valid - is there such a layout?
 * @layout: any numbers
 *
 * Returns: 1 if there is, else 0.
 */
static inline int quire_layout_valid(const struct quire_layout *layout)
{
	__u32 largest = layout->width > layout->height ? layout->width : layout->height;

	return layout->kind <= QUIRE_LAYOUT_TILE_64K &&
	       layout->element_shift <= QUIRE_LAYOUT_MAX_ELEMENT_SHIFT &&
	       layout->width && layout->height && largest <= QUIRE_LAYOUT_MAX_SIZE &&
	       layout->levels && layout->levels <= QUIRE_LAYOUT_MAX_LEVELS &&
	       largest >> (layout->levels - 1) &&
	       layout->array_size && layout->array_size <= QUIRE_LAYOUT_MAX_SLICES;
}

/**
 * quire_layout_tiled - has it tiles?
 * @layout: a valid layout
 *
 * Returns: 1 if its form in VRAM is tiled, 0 if it is linear there, too.
 */
static inline int quire_layout_tiled(const struct quire_layout *layout)
{
	return layout->kind != QUIRE_LAYOUT_LINEAR;
}

/**
 * quire_layout_tile_shift - bytes of a tile
 * @kind: QUIRE_LAYOUT_TILE_*
 *
 * Returns: log2 of them.
 */
static inline __u32 quire_layout_tile_shift(__u32 kind)
{
	return kind == QUIRE_LAYOUT_TILE_64K ? 16 : 12;
}

/**
 * quire_layout_tile_width_shift - elements of a row of a tile
 * @layout: a valid layout with tiles
 *
 * Returns: log2 of them.
 */
static inline __u32 quire_layout_tile_width_shift(const struct quire_layout *layout)
{
	return (quire_layout_tile_shift(layout->kind) - layout->element_shift + 1) >> 1;
}

/**
 * quire_layout_tile_height_shift - rows of a tile
 * @layout: a valid layout with tiles
 *
 * Returns: log2 of them.
 */
static inline __u32 quire_layout_tile_height_shift(const struct quire_layout *layout)
{
	return (quire_layout_tile_shift(layout->kind) - layout->element_shift) >> 1;
}

/**
 * quire_layout_level_size - width or height of a level
 * @size: that of level 0
 * @level: the level, at most 31
 *
 * Returns: elements or rows, at least 1.
 */
static inline __u32 quire_layout_level_size(__u32 size, __u32 level)
{
	return size >> level ? size >> level : 1;
}

/**
 * quire_layout_level - a level of slice 0, as if it began at 0
 * @layout: a valid layout
 * @level: one of its levels
 * @surface: filled in
 */
static inline void quire_layout_level(const struct quire_layout *layout, __u32 level,
				      struct quire_surface *surface)
{
	surface->width = quire_layout_level_size(layout->width, level);
	surface->height = quire_layout_level_size(layout->height, level);
	surface->pitch = surface->width << layout->element_shift;
	surface->tiles_per_row = 0;
	surface->tile_rows = 0;
	surface->tile_width_shift = 0;
	surface->tile_height_shift = 0;
	surface->tile_shift = 0;
	surface->linear_offset = 0;
	surface->tiled_offset = 0;
	if (!quire_layout_tiled(layout))
		return;
	surface->tile_shift = quire_layout_tile_shift(layout->kind);
	surface->tile_width_shift = quire_layout_tile_width_shift(layout);
	surface->tile_height_shift = quire_layout_tile_height_shift(layout);
	surface->tiles_per_row = (surface->width + (1u << surface->tile_width_shift) - 1) >>
				 surface->tile_width_shift;
	surface->tile_rows = (surface->height + (1u << surface->tile_height_shift) - 1) >>
			     surface->tile_height_shift;
}

/**
 * quire_surface_linear_size - bytes of a surface in the linear form
 * @surface: the surface
 *
 * Returns: their number.
 */
static inline __u64 quire_surface_linear_size(const struct quire_surface *surface)
{
	return (__u64)surface->pitch * surface->height;
}

/**
 * quire_surface_tiled_size - bytes of a surface in VRAM
 * @surface: the surface
 *
 * Returns: their number; of a linear layout that of the linear form.
 */
static inline __u64 quire_surface_tiled_size(const struct quire_surface *surface)
{
	if (!surface->tile_shift)
		return quire_surface_linear_size(surface);
	return (__u64)(surface->tiles_per_row * surface->tile_rows) << surface->tile_shift;
}

/**
 * quire_layout_linear_levels - bytes of the first levels of a slice in the linear form
 * @layout: a valid layout
 * @levels: how many, at most all
 *
 * Returns: where the next level begins in its slice, or how long the slice is.
 */
static inline __u64 quire_layout_linear_levels(const struct quire_layout *layout, __u32 levels)
{
	struct quire_surface surface;
	__u64 bytes = 0;
	__u32 level;

	for (level = 0; level < levels; level++) {
		quire_layout_level(layout, level, &surface);
		bytes += quire_surface_linear_size(&surface);
	}
	return bytes;
}

/**
 * quire_layout_tiled_levels - bytes of the first levels of a slice in VRAM
 * @layout: a valid layout
 * @levels: how many, at most all
 *
 * Returns: where the next level begins in its slice, or how long the slice is.
 */
static inline __u64 quire_layout_tiled_levels(const struct quire_layout *layout, __u32 levels)
{
	struct quire_surface surface;
	__u64 bytes = 0;
	__u32 level;

	for (level = 0; level < levels; level++) {
		quire_layout_level(layout, level, &surface);
		bytes += quire_surface_tiled_size(&surface);
	}
	return bytes;
}

/**
 * quire_layout_linear_size - bytes of the linear form
 * @layout: a valid layout
 *
 * Returns: their number, below 2^44.
 */
static inline __u64 quire_layout_linear_size(const struct quire_layout *layout)
{
	return layout->array_size * quire_layout_linear_levels(layout, layout->levels);
}

/**
 * quire_layout_tiled_size - bytes of the form in VRAM
 * @layout: a valid layout
 *
 * Returns: their number, below 2^44: a multiple of the tile, or of a linear layout that
 * of the linear form.
 */
static inline __u64 quire_layout_tiled_size(const struct quire_layout *layout)
{
	return layout->array_size * quire_layout_tiled_levels(layout, layout->levels);
}

/**
 * quire_layout_surface - one level of one slice
 * @layout: a valid layout
 * @level: one of its levels
 * @slice: one of its slices
 * @surface: filled in
 */
static inline void quire_layout_surface(const struct quire_layout *layout, __u32 level,
					__u32 slice, struct quire_surface *surface)
{
	quire_layout_level(layout, level, surface);
	surface->linear_offset = slice * quire_layout_linear_levels(layout, layout->levels) +
				 quire_layout_linear_levels(layout, level);
	surface->tiled_offset = slice * quire_layout_tiled_levels(layout, layout->levels) +
				quire_layout_tiled_levels(layout, level);
}

/**
 * quire_tile_column_bits - lines side by side in a tile
 * @layout: a valid layout with tiles
 *
 * Returns: log2 of them, at most that of the rows.
 */
static inline __u32 quire_tile_column_bits(const struct quire_layout *layout)
{
	return quire_layout_tile_width_shift(layout) + layout->element_shift - QUIRE_LINE_SHIFT;
}

/**
 * quire_tile_line - number of a line in its tile
 * @column_bits: quire_tile_column_bits()
 * @column: of the line, in lines
 * @row: of the line, in its tile
 *
 * The bits are independent: the number is that of (@column, 0) or'ed with that of
 * (0, @row).
 *
 * Returns: bits of row and column by turns, that of the row first; above them the rest
 * of the row.
 */
static inline __u32 quire_tile_line(__u32 column_bits, __u32 column, __u32 row)
{
	__u32 line = row >> column_bits << 2 * column_bits;
	__u32 bit;

	for (bit = 0; bit < column_bits; bit++)
		line |= (row >> bit & 1) << 2 * bit | (column >> bit & 1) << (2 * bit + 1);
	return line;
}

/**
 * quire_tile_offset - where an element lies in its tile
 * @layout: a valid layout with tiles
 * @x: column of the element in its surface
 * @y: row of the element in its surface
 *
 * Returns: byte offset of its first byte; it does not straddle a line.
 */
static inline __u32 quire_tile_offset(const struct quire_layout *layout, __u32 x, __u32 y)
{
	__u32 byte = (x & ((1u << quire_layout_tile_width_shift(layout)) - 1))
		     << layout->element_shift;
	__u32 row = y & ((1u << quire_layout_tile_height_shift(layout)) - 1);

	return quire_tile_line(quire_tile_column_bits(layout), byte >> QUIRE_LINE_SHIFT, row)
		       << QUIRE_LINE_SHIFT |
	       (byte & (QUIRE_LINE_BYTES - 1));
}

/**
 * quire_surface_tile - in which tile does an element lie?
 * @surface: a surface with tiles
 * @x: column of the element
 * @y: row of the element
 *
 * Returns: index of the tile in its surface: tile n begins n << @tile_shift bytes behind
 * the surface's @tiled_offset.
 */
static inline __u32 quire_surface_tile(const struct quire_surface *surface, __u32 x, __u32 y)
{
	return (y >> surface->tile_height_shift) * surface->tiles_per_row +
	       (x >> surface->tile_width_shift);
}

/**
 * quire_surface_linear - where an element lies in the linear form
 * @layout: a valid layout
 * @surface: one of its surfaces
 * @x: column of the element
 * @y: row of the element
 *
 * Returns: byte offset of its first byte from the start of the image.
 */
static inline __u64 quire_surface_linear(const struct quire_layout *layout,
					 const struct quire_surface *surface, __u32 x, __u32 y)
{
	return surface->linear_offset + (__u64)y * surface->pitch +
	       (x << layout->element_shift);
}

/**
 * quire_surface_tiled - where an element lies in VRAM
 * @layout: a valid layout
 * @surface: one of its surfaces
 * @x: column of the element
 * @y: row of the element
 *
 * Returns: byte offset of its first byte from the start of the image.
 */
static inline __u64 quire_surface_tiled(const struct quire_layout *layout,
					const struct quire_surface *surface, __u32 x, __u32 y)
{
	if (!quire_layout_tiled(layout))
		return quire_surface_linear(layout, surface, x, y);
	return surface->tiled_offset +
	       ((__u64)quire_surface_tile(surface, x, y) << surface->tile_shift) +
	       quire_tile_offset(layout, x, y);
}

/**
 * quire_surface_span - bytes from the first to the last one of a rectangle, linear
 * @layout: a valid layout
 * @surface: one of its surfaces
 * @columns: of the rectangle, not 0, at most the surface's width
 * @rows: of the rectangle, not 0, at most the surface's height
 *
 * Returns: their number, with what stands between the rows.
 */
static inline __u64 quire_surface_span(const struct quire_layout *layout,
				       const struct quire_surface *surface,
				       __u32 columns, __u32 rows)
{
	return (__u64)(rows - 1) * surface->pitch + (columns << layout->element_shift);
}

#endif
