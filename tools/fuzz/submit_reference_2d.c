// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Commands of rectangles, element by element. */
#include <string.h>

#include <asm/byteorder.h>

#include "../../drivers/gpu/drm/quire/paging/tests/quire_paging_image.h"

#include "submit_world.h"

#define CHANNELS	4u

/**
 * struct plane - a surface: one level of one slice
 * @bytes: of the image
 * @image: how it is tiled, if it is
 * @first: byte of the image's linear form where the level begins
 * @pitch: bytes from one row to the next, in the linear form if it is tiled
 * @width: elements
 * @height: rows
 */
struct plane {
	uint8_t *bytes;
	struct quire_model_image image;
	uint64_t first;
	uint64_t pitch;
	int64_t width;
	int64_t height;
};

static uint32_t halved(uint32_t size, uint32_t level)
{
	return size >> level ? size >> level : 1;
}

static struct plane plane_of(uint8_t *bytes, const struct quire_command_surface *surface,
			     uint32_t element)
{
	const uint32_t level = le16_to_cpu(surface->level), layout = le32_to_cpu(surface->layout);
	struct plane plane = {
		.bytes = bytes,
		.image = {
			.tile = layout == QUIRE_LAYOUT_TILE_64K ? 65536 :
				layout == QUIRE_LAYOUT_TILE_4K ? 4096 : 0,
			.element = element,
			.width = le32_to_cpu(surface->width),
			.height = le32_to_cpu(surface->height),
			.slices = 1,
		},
		.pitch = le32_to_cpu(surface->pitch),
	};

	plane.width = halved(plane.image.width, level);
	plane.height = halved(plane.image.height, level);
	if (!plane.image.tile)
		return plane;
	plane.pitch = plane.width * element;
	plane.image.levels = level;
	plane.first = quire_model_image_size(&plane.image);
	plane.image.levels = le16_to_cpu(surface->levels);
	plane.first += le16_to_cpu(surface->slice) * quire_model_image_size(&plane.image);
	return plane;
}

/* NULL outside of the surface. */
static uint8_t *element_at(const struct plane *plane, int64_t x, int64_t y)
{
	uint64_t byte;

	if (x < 0 || y < 0 || x >= plane->width || y >= plane->height)
		return NULL;
	byte = plane->first + y * plane->pitch + x * plane->image.element;
	return plane->bytes + (plane->image.tile ? quire_model_image_tiled(&plane->image, byte) :
						   byte);
}

static void blend(const uint8_t *from, uint8_t *to)
{
	uint32_t alpha = from[CHANNELS - 1], i, sum;

	for (i = 0; i < CHANNELS; i++) {
		/* to the nearest: no tie is possible, 255 is odd */
		sum = from[i] + (2 * to[i] * (255 - alpha) + 255) / 510;
		to[i] = sum < 255 ? sum : 255;
	}
}

/* COPY_2D or BLEND at byte @at. */
void reference_2d(const struct world *world, uint32_t at)
{
	const struct quire_command_2d *command = (void *)((uint8_t *)world->scene.commands + at);
	const uint32_t element = 1u << le32_to_cpu(command->element_shift);
	const struct plane src = plane_of(reference_field(world, at + 8), &command->src, element);
	const struct plane dst = plane_of(reference_field(world, at + 40), &command->dst, element);
	const bool copies = le16_to_cpu(command->header.opcode) == QUIRE_COMMAND_COPY_2D;
	const int64_t src_x = (int32_t)le32_to_cpu(command->src_x);
	const int64_t src_y = (int32_t)le32_to_cpu(command->src_y);
	const int64_t dst_x = (int32_t)le32_to_cpu(command->dst_x);
	const int64_t dst_y = (int32_t)le32_to_cpu(command->dst_y);
	int64_t x, y;

	for (y = 0; y < le32_to_cpu(command->rows); y++) {
		for (x = 0; x < le32_to_cpu(command->columns); x++) {
			const uint8_t *from = element_at(&src, src_x + x, src_y + y);
			uint8_t *to = element_at(&dst, dst_x + x, dst_y + y);

			if (from && to && copies)
				memmove(to, from, element);
			else if (from && to)
				blend(from, to);
		}
	}
}
