// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Images of commands, with addresses of objects and with virtual ones. */
#include <endian.h>

#include <quire/quire_layout.h>

#include "libquire_private.h"

static uint16_t at_least_one(uint16_t value)
{
	return value ? value : 1;
}

static struct quire_command_surface surface(const struct quire_image *image)
{
	return (struct quire_command_surface){
		.layout = htole32(image->layout),
		.pitch = htole32(image->pitch),
		.width = htole32(image->width),
		.height = htole32(image->height),
		.levels = htole16(at_least_one(image->levels)),
		.array_size = htole16(at_least_one(image->array_size)),
		.level = htole16(image->level),
		.slice = htole16(image->slice),
	};
}

/* Without header and addresses. */
struct quire_command_2d libquire_command_2d(const struct quire_image *src,
					    const struct quire_image *dst,
					    const struct quire_rectangle *rectangle,
					    uint32_t element_shift)
{
	return (struct quire_command_2d){
		.src = surface(src),
		.dst = surface(dst),
		.element_shift = htole32(element_shift),
		.src_x = htole32(rectangle->src_x),
		.src_y = htole32(rectangle->src_y),
		.dst_x = htole32(rectangle->dst_x),
		.dst_y = htole32(rectangle->dst_y),
		.columns = htole32(rectangle->columns),
		.rows = htole32(rectangle->rows),
	};
}

/* Bytes from the first to the last of it; of what can be no image: the driver says so. */
uint64_t libquire_image_size(const struct quire_image *image, uint32_t element_shift)
{
	const struct quire_layout layout = {
		.kind = image->layout,
		.element_shift = element_shift,
		.width = image->width,
		.height = image->height,
		.levels = at_least_one(image->levels),
		.array_size = at_least_one(image->array_size),
	};

	if (!quire_layout_valid(&layout))
		return 1;
	if (quire_layout_tiled(&layout))
		return quire_layout_tiled_size(&layout);
	return (uint64_t)image->pitch * (image->height - 1) +
	       ((uint64_t)image->width << element_shift);
}

static void write_2d(struct quire_writer *writer, uint16_t opcode, const struct quire_image *src,
		     const struct quire_image *dst, const struct quire_rectangle *rectangle,
		     uint32_t element_shift)
{
	struct quire_command_2d command = libquire_command_2d(src, dst, rectangle, element_shift);

	command.src.address = htole64(src->at.offset);
	command.dst.address = htole64(dst->at.offset);
	quire_write(writer, &command, opcode, 0, sizeof(command));
}

void quire_write_copy_2d(struct quire_writer *writer, const struct quire_image *src,
			 const struct quire_image *dst, const struct quire_rectangle *rectangle,
			 uint32_t element_size)
{
	write_2d(writer, QUIRE_COMMAND_COPY_2D, src, dst, rectangle, __builtin_ctz(element_size));
}

void quire_write_blend(struct quire_writer *writer, const struct quire_image *src,
		       const struct quire_image *dst, const struct quire_rectangle *rectangle)
{
	write_2d(writer, QUIRE_COMMAND_BLEND, src, dst, rectangle, 2);
}
