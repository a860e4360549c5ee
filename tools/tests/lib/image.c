// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Row by row, each byte where the specification says: nothing of the driver's is used. */
#include <string.h>

#include "image.h"
#include "quire_client.h"

#define LINE	64u

/* One level of one slice: sizes in elements, of a tile too. */
struct surface {
	uint64_t width;
	uint64_t height;
	uint64_t tile_width;
	uint64_t tile_height;
	uint64_t tile_bytes;
};

static struct surface surface_of(const struct image *image, uint32_t level)
{
	uint64_t tile_bytes = image->layout == DRM_QUIRE_LAYOUT_TILE_4K ? 4096 : 65536;
	uint64_t elements = tile_bytes / image->element_size;
	struct surface surface = {
		.width = image->width >> level ? image->width >> level : 1,
		.height = image->height >> level ? image->height >> level : 1,
		.tile_width = 1,
		.tile_bytes = tile_bytes,
	};

	/* As square as can be, rather wide than high. */
	while (surface.tile_width * surface.tile_width < elements)
		surface.tile_width *= 2;
	surface.tile_height = elements / surface.tile_width;
	return surface;
}

static uint64_t tiles_per_row(const struct surface *surface)
{
	return (surface->width + surface->tile_width - 1) / surface->tile_width;
}

static uint64_t surface_tiled_size(const struct surface *surface)
{
	uint64_t rows = (surface->height + surface->tile_height - 1) / surface->tile_height;

	return tiles_per_row(surface) * rows * surface->tile_bytes;
}

/* Bits of row and column by turns, that of the row first, while the column has some. */
static uint64_t line_of(uint64_t columns, uint64_t column, uint64_t row)
{
	uint64_t line = 0;
	unsigned int at = 0;

	for (; columns > 1; columns /= 2) {
		line |= (row & 1) << at++;
		line |= (column & 1) << at++;
		row >>= 1;
		column >>= 1;
	}
	return line | row << at;
}

/* Where byte @byte of row @y is in a surface. */
static uint64_t tiled_byte(const struct image *image, const struct surface *surface,
			   uint64_t byte, uint64_t y)
{
	uint64_t tile_pitch = surface->tile_width * image->element_size;
	uint64_t tile = y / surface->tile_height * tiles_per_row(surface) + byte / tile_pitch;

	byte %= tile_pitch;
	return tile * surface->tile_bytes +
	       line_of(tile_pitch / LINE, byte / LINE, y % surface->tile_height) * LINE +
	       byte % LINE;
}

uint64_t image_linear_size(const struct image *image)
{
	uint64_t size = 0;

	for (uint32_t level = 0; level < image->levels; level++) {
		struct surface surface = surface_of(image, level);

		size += surface.width * surface.height * image->element_size;
	}
	return size * image->array_size;
}

uint64_t image_tiled_size(const struct image *image)
{
	uint64_t size = 0;

	for (uint32_t level = 0; level < image->levels; level++) {
		struct surface surface = surface_of(image, level);

		size += surface_tiled_size(&surface);
	}
	return size * image->array_size;
}

/* What an object for it has to have. */
uint64_t image_object_size(const struct image *image)
{
	return (image_linear_size(image) + QUIRE_PAGE - 1) / QUIRE_PAGE * QUIRE_PAGE;
}

/**
 * image_tile - what VRAM holds
 * @image: the image
 * @linear: its linear form
 * @tiled: returned, its tiled form; padding is zero
 */
void image_tile(const struct image *image, const uint8_t *linear, uint8_t *tiled)
{
	memset(tiled, 0, image_tiled_size(image));
	for (uint32_t i = 0; i < image->array_size * image->levels; i++) {
		struct surface surface = surface_of(image, i % image->levels);
		uint64_t pitch = surface.width * image->element_size;

		for (uint64_t y = 0; y < surface.height; y++)
			for (uint64_t byte = 0; byte < pitch; byte++)
				tiled[tiled_byte(image, &surface, byte, y)] = *linear++;
		tiled += surface_tiled_size(&surface);
	}
}

/**
 * image_create - make an object for an image
 * @fd: render node
 * @image: the image
 * @segments: set of classes where it may be
 * @handle: returned
 *
 * Returns 0 or a negative errno.
 */
int image_create(int fd, const struct image *image, uint32_t segments, uint32_t *handle)
{
	return image_create_caching(fd, image, segments, DRM_QUIRE_CACHING_CACHED, handle);
}

static int image_create_as(int fd, const struct image *image, uint32_t segments, uint32_t caching,
			   uint32_t flags, uint32_t *handle)
{
	struct drm_quire_bo_create create = {
		.size = image_object_size(image),
		.layout = image->layout,
		.element_size = image->element_size,
		.width = image->width,
		.height = image->height,
		.levels = image->levels,
		.array_size = image->array_size,
		.caching = caching,
		.flags = flags,
	};
	int ret = quire_segment_set(fd, segments, &create.segments);

	if (!ret)
		ret = quire_ioctl(fd, DRM_IOCTL_QUIRE_BO_CREATE, &create);
	*handle = ret ? 0 : create.handle;
	return ret;
}

/* The same, with a caching: enum drm_quire_caching. */
int image_create_caching(int fd, const struct image *image, uint32_t segments, uint32_t caching,
			 uint32_t *handle)
{
	return image_create_as(fd, image, segments, caching, 0, handle);
}

/* The same, with an alternate view; in VRAM and system memory, as it has to be. */
int image_create_view(int fd, const struct image *image, uint32_t *handle)
{
	return image_create_as(fd, image, DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM) |
					  DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM),
			       DRM_QUIRE_CACHING_CACHED, DRM_QUIRE_BO_CREATE_ALTERNATE_VIEW,
			       handle);
}
