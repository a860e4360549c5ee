// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Layouts of images as the specification has them: see image.h.
 */
#include "image.h"

/* Columns and rows of a tile, by layout and log2 of the element: the specification's table. */
static const struct {
	uint64_t columns;
	uint64_t rows;
} image_tile_size[2][5] = {
	{ { 64, 64 }, { 64, 32 }, { 32, 32 }, { 32, 16 }, { 16, 16 } },
	{ { 256, 256 }, { 256, 128 }, { 128, 128 }, { 128, 64 }, { 64, 64 } },
};

static uint64_t tile_columns(const struct image *image)
{
	return image_tile_size[image->layout - 1][image->shift].columns;
}

static uint64_t tile_rows(const struct image *image)
{
	return image_tile_size[image->layout - 1][image->shift].rows;
}

static uint64_t element(const struct image *image)
{
	return 1u << image->shift;
}

static uint64_t halved(uint64_t size, uint32_t times)
{
	while (times-- && size > 1)
		size /= 2;
	return size;
}

static uint64_t round_up(uint64_t n, uint64_t by)
{
	return n / by + (n % by != 0);
}

uint64_t image_tile_bytes(const struct image *image)
{
	return image->layout == 1 ? 4096 : 65536;
}

uint64_t image_level_width(const struct image *image, uint32_t level)
{
	return halved(image->width, level);
}

uint64_t image_level_height(const struct image *image, uint32_t level)
{
	return halved(image->height, level);
}

/* Elements of the first so many levels of a slice. */
static uint64_t elements_before(const struct image *image, uint32_t levels)
{
	uint64_t sum = 0;

	while (levels--)
		sum += image_level_width(image, levels) * image_level_height(image, levels);
	return sum;
}

static uint64_t tiles_per_row(const struct image *image, uint32_t level)
{
	return round_up(image_level_width(image, level), tile_columns(image));
}

/* Tiles of the first so many levels of a slice. */
static uint64_t tiles_before(const struct image *image, uint32_t levels)
{
	uint64_t sum = 0;

	while (levels--)
		sum += tiles_per_row(image, levels) *
		       round_up(image_level_height(image, levels), tile_rows(image));
	return sum;
}

uint64_t image_linear_size(const struct image *image)
{
	return image->slices * elements_before(image, image->levels) * element(image);
}

uint64_t image_tiles(const struct image *image)
{
	return image->slices * tiles_before(image, image->levels);
}

/* Of the element in the surface that @image names, from the start of the image. */
uint64_t image_linear(const struct image *image, uint64_t x, uint64_t y)
{
	uint64_t before = image->slice * elements_before(image, image->levels) +
			  elements_before(image, image->level);

	return (before + y * image_level_width(image, image->level) + x) * element(image);
}

/* Index of its tile in the image. */
uint64_t image_tile(const struct image *image, uint64_t x, uint64_t y)
{
	return image->slice * tiles_before(image, image->levels) +
	       tiles_before(image, image->level) +
	       y / tile_rows(image) * tiles_per_row(image, image->level) +
	       x / tile_columns(image);
}

/*
 * Number of a line among so many side by side: squares of two by two, which go down first,
 * in squares of two by two of these, while there are two side by side.
 */
static uint64_t line_number(uint64_t column, uint64_t row, uint64_t side_by_side)
{
	if (side_by_side == 1)
		return row;
	return 4 * line_number(column / 2, row / 2, side_by_side / 2) + 2 * (column % 2) +
	       row % 2;
}

uint64_t image_in_tile(const struct image *image, uint64_t x, uint64_t y)
{
	uint64_t byte = x % tile_columns(image) * element(image);
	uint64_t lines = tile_columns(image) * element(image) / 64;

	return line_number(byte / 64, y % tile_rows(image), lines) * 64 + byte % 64;
}

uint64_t image_tiled(const struct image *image, uint64_t x, uint64_t y)
{
	return image_tile(image, x, y) * image_tile_bytes(image) + image_in_tile(image, x, y);
}

uint32_t image_random_levels(const struct image *image)
{
	uint32_t largest = image->width > image->height ? image->width : image->height;
	uint32_t most = 1;

	while (largest >>= 1)
		most++;
	return test_random() & 1 ? 1 : 1 + test_random_below(most);
}

/* At most so many columns, and so many rows. */
void image_random(struct image *image, uint32_t layout, uint32_t most)
{
	*image = (struct image){ .layout = layout, .shift = test_random_below(5) };
	image->width = 1 + test_random_below(most);
	image->height = 1 + test_random_below(most);
	image->levels = image_random_levels(image);
	image->slices = 1 + test_random_below(3);
}

/* In a surface of the image: half of them are whole rows, a quarter the whole surface. */
void image_random_rectangle(struct image *image)
{
	uint32_t width, height;

	image->level = test_random_below(image->levels);
	image->slice = test_random_below(image->slices);
	width = image_level_width(image, image->level);
	height = image_level_height(image, image->level);
	image->x = test_random() & 1 ? 0 : test_random_below(width);
	image->columns = image->x ? 1 + test_random_below(width - image->x) : width;
	image->y = test_random() & 1 ? 0 : test_random_below(height);
	image->rows = image->y ? 1 + test_random_below(height - image->y) : height;
}

/* Tiles from that of the first element of the rectangle to that of the last one. */
uint64_t image_rectangle_tiles(const struct image *image, uint64_t *first)
{
	*first = image_tile(image, image->x, image->y);
	return image_tile(image, image->x + image->columns - 1,
			  image->y + image->rows - 1) - *first + 1;
}

/* Bytes from its first element to the end of its last one, in the linear form. */
uint64_t image_rectangle_span(const struct image *image)
{
	return image_linear(image, image->x + image->columns - 1, image->y + image->rows - 1) +
	       element(image) - image_linear(image, image->x, image->y);
}

static void packet_u16s(struct packets *p, uint32_t low, uint32_t high)
{
	packet_u32(p, (low & 0xffff) | high << 16);
}

/* A transfer that converts, flags 1 to tiles and 2 from tiles, without its runs. */
void packet_swizzle(struct packets *p, uint16_t flags, uint32_t segment, uint64_t address,
		    const struct image *image)
{
	bool to_tiles = flags & 1;

	packet_start(p, 1, flags);
	packet_u32(p, to_tiles ? segment : 1);
	packet_u32(p, to_tiles ? 1 : segment);
	packet_u64(p, to_tiles ? address : 0);
	packet_u64(p, to_tiles ? 0 : address);
	packet_u64(p, (uint64_t)image->columns * image->rows << image->shift);
	packet_u16s(p, image->layout, image->shift);
	packet_u32(p, image->width);
	packet_u32(p, image->height);
	packet_u16s(p, image->levels, image->slices);
	packet_u16s(p, image->level, image->slice);
	packet_u32(p, 0);
	packet_u32(p, image->x);
	packet_u32(p, image->y);
	packet_u32(p, image->columns);
	packet_u32(p, image->rows);
	packet_end(p);
}

/*
 * A good one, with runs: a level of 32 x 32 elements of four bytes, in a page of RAM or of
 * the aperture, and a tile.
 */
void packet_image(struct packets *p, uint16_t flags, uint32_t segment, uint32_t layout)
{
	const struct image image = {
		.layout = layout,
		.shift = 2,
		.width = 64,
		.height = 64,
		.levels = 7,
		.slices = 2,
		.level = 1,
		.slice = 1,
		.columns = 32,
		.rows = 32,
	};

	packet_swizzle(p, flags, segment, 0, &image);
	if (!segment)
		packet_run(p, RAM_BASE, 1);
	packet_run(p, PAGE, image_tile_bytes(&image) / PAGE);
	packet_end(p);
}

/* packet_image() as a special lock that names a range. */
void packet_lock(struct packets *p, uint16_t flags, uint32_t range)
{
	packet_image(p, flags, 0, 1);
	packet_poke(p, 0, 2, 10);
	packet_poke(p, 60, 4, range);
}

/* All of an image of whole tiles and pages, from the start of RAM and from that of VRAM. */
void packet_surface(struct packets *p, uint16_t flags, uint32_t layout, uint32_t shift,
		    uint32_t width, uint32_t height)
{
	const struct image image = {
		.layout = layout,
		.shift = shift,
		.width = width,
		.height = height,
		.levels = 1,
		.slices = 1,
		.columns = width,
		.rows = height,
	};
	uint32_t pages = (width * height << shift) / PAGE;

	packet_swizzle(p, flags, 0, 0, &image);
	packet_run(p, RAM_BASE, pages);
	packet_run(p, 0, pages);
	packet_end(p);
}

/* Other bytes at an offset of the packet that was built last. */
void packet_poke(struct packets *p, uint32_t offset, uint32_t bytes, uint64_t value)
{
	uint32_t i;

	for (i = 0; i < bytes; i++)
		p->bytes[p->start + offset + i] = value >> (8 * i);
}
