// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: quire_layout.h says what the specification says, of every element
 * of small images and of some of the largest ones; and it takes no others.
 */
#include "host.h"
#include "image.h"
#include "quire_layout.h"
#include "tap.h"

static struct quire_layout layout_of(const struct image *image)
{
	return (struct quire_layout){
		.kind = image->layout,
		.element_shift = image->shift,
		.width = image->width,
		.height = image->height,
		.levels = image->levels,
		.array_size = image->slices,
	};
}

static bool same_element(const struct image *image, const struct quire_layout *layout,
			 const struct quire_surface *surface, uint32_t x, uint32_t y)
{
	uint64_t tile = image_tile(image, x, y) - image_tile(image, 0, 0);

	return quire_surface_linear(layout, surface, x, y) == image_linear(image, x, y) &&
	       quire_surface_tiled(layout, surface, x, y) == image_tiled(image, x, y) &&
	       quire_tile_offset(layout, x, y) == image_in_tile(image, x, y) &&
	       quire_surface_tile(surface, x, y) == tile;
}

static bool same_surface(const struct image *image, const struct quire_surface *surface)
{
	uint32_t width = image_level_width(image, image->level);
	uint32_t height = image_level_height(image, image->level);

	return surface->width == width && surface->height == height &&
	       surface->pitch == width << image->shift &&
	       surface->linear_offset == image_linear(image, 0, 0) &&
	       surface->tiled_offset == image_tiled(image, 0, 0) &&
	       1u << surface->tile_shift == image_tile_bytes(image);
}

static bool same_sizes(const struct image *image, const struct quire_layout *layout)
{
	return quire_layout_valid(layout) &&
	       quire_layout_linear_size(layout) == image_linear_size(image) &&
	       quire_layout_tiled_size(layout) == image_tiles(image) * image_tile_bytes(image);
}

/* Every element of every surface. */
static bool same_image(struct image *image)
{
	struct quire_layout layout = layout_of(image);
	struct quire_surface surface;
	uint32_t x, y;
	bool good = same_sizes(image, &layout);

	for (image->slice = 0; image->slice < image->slices; image->slice++) {
		for (image->level = 0; image->level < image->levels; image->level++) {
			quire_layout_surface(&layout, image->level, image->slice, &surface);
			good &= same_surface(image, &surface);
			for (y = 0; y < surface.height; y++)
				for (x = 0; x < surface.width; x++)
					good &= same_element(image, &layout, &surface, x, y);
		}
	}
	return good;
}

static void test_all_elements(void)
{
	static const uint32_t sizes[][2] = {
		{ 1, 1 }, { 1, 300 }, { 300, 1 }, { 257, 65 }, { 64, 64 }, { 255, 256 },
		{ 129, 31 }, { 17, 130 }, { 33, 47 },
	};
	struct image image;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(sizes) * 10; i++) {
		image = (struct image){ .layout = 1 + i % 2, .shift = i / 2 % 5 };
		image.width = sizes[i / 10][0];
		image.height = sizes[i / 10][1];
		image.levels = image_random_levels(&image);
		image.slices = 1 + i % 3;
		ok(same_image(&image), "%ux%u, layout %u, element %u: every element", image.width,
		   image.height, image.layout, 1u << image.shift);
	}
}

/* Anywhere in images of any size. */
static void test_some_elements(void)
{
	struct quire_layout layout;
	struct quire_surface surface;
	struct image image;
	bool good = true;
	uint32_t i;

	for (i = 0; i < 20000; i++) {
		image_random(&image, 1 + i % 2, i & 4 ? 16384 : 600);
		image.slices = 1 + test_random_below(2048);
		image_random_rectangle(&image);
		layout = layout_of(&image);
		quire_layout_surface(&layout, image.level, image.slice, &surface);
		good &= same_sizes(&image, &layout) && same_surface(&image, &surface) &&
			same_element(&image, &layout, &surface, image.x, image.y) &&
			same_element(&image, &layout, &surface, image.x + image.columns - 1,
				     image.y + image.rows - 1);
	}
	ok(good, "any size: elements anywhere");
}

static void test_largest(void)
{
	struct image image = { 2, 4, 16384, 16384, 15, 2048, 14, 2047, 0, 0, 1, 1 };
	struct quire_layout layout = layout_of(&image);
	struct quire_surface surface;

	ok(same_sizes(&image, &layout), "largest: sizes");
	ok(quire_layout_linear_size(&layout) < 1ull << 44 &&
	   quire_layout_tiled_size(&layout) < 1ull << 44, "largest: below 2^44");
	quire_layout_surface(&layout, 14, 2047, &surface);
	ok(same_surface(&image, &surface), "largest: the last surface");
	is(surface.linear_offset + 16, quire_layout_linear_size(&layout), "largest: is at the end");
	quire_layout_surface(&layout, 0, 0, &surface);
	is(quire_surface_span(&layout, &surface, 16384, 16384), 1ull << 32, "largest: span");
	is(quire_surface_span(&layout, &surface, 1, 2), (1 << 18) + 16, "a column of two: span");
}

/* A linear layout has one form. */
static void test_linear(void)
{
	struct quire_layout layout = { QUIRE_LAYOUT_LINEAR, 2, 17, 5, 5, 3 };
	struct quire_surface surface;
	uint64_t size = 4 * (17 * 5 + 8 * 2 + 4 + 2 + 1) * 3;

	ok(quire_layout_valid(&layout) && !quire_layout_tiled(&layout), "linear: valid");
	is(quire_layout_linear_size(&layout), size, "linear: size");
	is(quire_layout_tiled_size(&layout), size, "linear: size in VRAM");
	quire_layout_surface(&layout, 1, 2, &surface);
	is(surface.tiled_offset, surface.linear_offset, "linear: a surface");
	is(surface.tiles_per_row + surface.tile_rows + surface.tile_shift, 0, "linear: no tiles");
	is(quire_surface_tiled(&layout, &surface, 3, 1), 2 * size / 3 + 4 * (17 * 5 + 8 + 3),
	   "linear: an element in VRAM");
}

static void test_valid(void)
{
	static const struct quire_layout good = { QUIRE_LAYOUT_TILE_64K, 4, 16384, 1, 15, 2048 };
	struct quire_layout layout;

#define VALID(expected, what) do { \
	layout = good; \
	layout.what; \
	is(quire_layout_valid(&layout), expected, "valid: " #what); \
} while (0)
	VALID(1, kind = 0);
	VALID(0, kind = 3);
	VALID(0, kind = ~0u);
	VALID(1, element_shift = 0);
	VALID(0, element_shift = 5);
	VALID(0, element_shift = ~0u);
	VALID(0, width = 0);
	VALID(0, width = 16383);
	VALID(0, width = 16385);
	VALID(0, width = ~0u);
	VALID(0, height = 0);
	VALID(1, height = 16384);
	VALID(0, height = 16385);
	VALID(0, height = ~0u);
	VALID(0, levels = 0);
	VALID(1, levels = 1);
	VALID(0, levels = 16);
	VALID(0, levels = 33);
	VALID(0, levels = ~0u);
	VALID(0, array_size = 0);
	VALID(1, array_size = 1);
	VALID(0, array_size = 2049);
	VALID(0, array_size = ~0u);
}

/* The most levels of each size, and one more. */
static void test_levels(void)
{
	struct quire_layout layout = { QUIRE_LAYOUT_TILE_4K, 0, 1, 1, 1, 1 };
	uint32_t size, most = 0;
	bool good = true;

	for (size = 1; size <= 16384; size++) {
		most += !(size & (size - 1));
		layout.width = size & 1 ? size : 1;
		layout.height = size & 1 ? 1 : size;
		layout.levels = most;
		good &= quire_layout_valid(&layout);
		layout.levels = most + 1;
		good &= !quire_layout_valid(&layout);
	}
	ok(good, "valid: levels of each size");
}

int main(void)
{
	test_all_elements();
	test_some_elements();
	test_largest();
	test_linear();
	test_valid();
	test_levels();
	return tap_done();
}
