/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layouts of images as the specification has them, counted anew and byte by byte:
 * nothing here knows quire_layout.h.
 */
#ifndef QUIRE_TEST_IMAGE_H
#define QUIRE_TEST_IMAGE_H

#include "host.h"

/*
 * struct image - an image, and a rectangle in one of its surfaces
 * @layout: 1 for tiles of 4 KiB, 2 for tiles of 64 KiB
 * @shift: log2 of the bytes of an element
 * @width: of level 0
 * @height: of level 0
 * @levels: how many
 * @slices: how many
 * @level: of the rectangle
 * @slice: of the rectangle
 * @x: first column
 * @y: first row
 * @columns: of the rectangle
 * @rows: of the rectangle
 */
struct image {
	uint32_t layout;
	uint32_t shift;
	uint32_t width;
	uint32_t height;
	uint32_t levels;
	uint32_t slices;
	uint32_t level;
	uint32_t slice;
	uint32_t x;
	uint32_t y;
	uint32_t columns;
	uint32_t rows;
};

uint64_t image_tile_bytes(const struct image *image);
uint64_t image_level_width(const struct image *image, uint32_t level);
uint64_t image_level_height(const struct image *image, uint32_t level);
uint64_t image_linear_size(const struct image *image);
uint64_t image_tiles(const struct image *image);
uint64_t image_linear(const struct image *image, uint64_t x, uint64_t y);
uint64_t image_tile(const struct image *image, uint64_t x, uint64_t y);
uint64_t image_in_tile(const struct image *image, uint64_t x, uint64_t y);
uint64_t image_tiled(const struct image *image, uint64_t x, uint64_t y);
uint32_t image_random_levels(const struct image *image);
void image_random(struct image *image, uint32_t layout, uint32_t most);
void image_random_rectangle(struct image *image);
uint64_t image_rectangle_tiles(const struct image *image, uint64_t *first);
uint64_t image_rectangle_span(const struct image *image);
void packet_poke(struct packets *p, uint32_t offset, uint32_t bytes, uint64_t value);
void packet_image(struct packets *p, uint16_t flags, uint32_t segment, uint32_t layout);
void packet_lock(struct packets *p, uint16_t flags, uint32_t range);
void packet_surface(struct packets *p, uint16_t flags, uint32_t layout, uint32_t shift,
		    uint32_t width, uint32_t height);
void packet_swizzle(struct packets *p, uint16_t flags, uint32_t segment, uint64_t address,
		    const struct image *image);

#endif
