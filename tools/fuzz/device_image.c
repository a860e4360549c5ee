// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Packets that convert an image, as a TRANSFER or a SPECIAL_LOCK. */
#include <string.h>

#include <linux/array_size.h>

#include "quire_layout.h"

#include "device_guest.h"

/* A rectangle of an image of some tiles, or one so large that it goes past the caches. */
static void take_rectangle(struct fuzz_input *input, struct quire_layout *layout,
			   struct quire_surface *surface, uint32_t *place)
{
	bool large = !fuzz_below(input, 16);

	*layout = (struct quire_layout) {
		.kind = 1 + fuzz_below(input, 2),
		.element_shift = large ? 2 : fuzz_below(input, 5),
		.width = large ? 512 : 64 + fuzz_below(input, 64),
		.height = large ? 512 : 64 + fuzz_below(input, 64),
		.levels = 1 + fuzz_below(input, 3),
		.array_size = 1 + fuzz_below(input, 3),
	};
	place[0] = large ? 0 : fuzz_below(input, layout->levels);
	place[1] = fuzz_below(input, layout->array_size);
	quire_layout_level(layout, place[0], surface);
	place[2] = large ? 0 : fuzz_below(input, 8);
	place[3] = large ? 0 : fuzz_below(input, 8);
	place[4] = large ? 512 : 1 + fuzz_below(input, surface->width - place[2]);
	place[5] = large ? 512 : 1 + fuzz_below(input, surface->height - place[3]);
}

/* @pages of system memory, in some runs; they may be the same ones. */
static uint32_t put_linear(struct fuzz_input *input, uint8_t *packet, uint32_t size,
			   uint32_t pages)
{
	uint32_t most = pages > 32 ? 128 : 1 + fuzz_below(input, 32), n;

	for (; pages; pages -= n, size += 8) {
		n = pages < most ? pages : most;
		put(packet + size, (RAM_BASE / FUZZ_PAGE + fuzz_below(input, 129 - n)) <<
				   QUIRE_RUN_COUNT_BITS | (n - 1), 8);
	}
	return size;
}

/* @pages of tiles of @unit pages, in the first 16 of VRAM, which may be the same ones. */
static uint32_t put_tiles(struct fuzz_input *input, uint8_t *packet, uint32_t size,
			  uint32_t pages, uint32_t unit)
{
	uint32_t first, n;

	for (; pages; pages -= n, size += 8) {
		first = pages > 64 ? 0 : fuzz_below(input, 16) / unit * unit;
		n = pages < 16 - first ? pages : 16 - first;
		put(packet + size, (uint64_t)first << QUIRE_RUN_COUNT_BITS | (n - 1), 8);
	}
	return size;
}

/* One field that is wrong, or a run too many or too few. */
static uint32_t spoil(struct fuzz_input *input, uint8_t *packet, uint32_t size)
{
	switch (fuzz_below(input, 16)) {
	case 0:
	case 1:
		put(packet + 8 + fuzz_below(input, 18) * 4, fuzz_take(input, 4), 4);
		return size;
	case 2:
		put(packet + size - 8, take_run(input), 8);
		return size;
	case 3:
		return size - 8;
	case 4:
		put(packet + size, take_run(input), 8);
		return size + 8;
	default:
		return size;
	}
}

/* A transfer that converts, mostly in order; returns its size. */
static uint32_t make_swizzle(struct fuzz_input *input, uint8_t *packet, uint16_t *flags)
{
	static const uint32_t at[] = { 64, 68, 72, 76 };
	struct quire_layout layout;
	struct quire_surface surface;
	uint32_t place[6], i, first, last, size = 80;
	uint32_t segment = !fuzz_below(input, 3) ? QUIRE_SEGMENT_APERTURE : 0;
	uint64_t begin, end;

	take_rectangle(input, &layout, &surface, place);
	begin = fuzz_below(input, 16) << layout.element_shift;
	end = begin + quire_surface_span(&layout, &surface, place[4], place[5]);
	first = quire_surface_tile(&surface, place[2], place[3]);
	last = quire_surface_tile(&surface, place[2] + place[4] - 1, place[3] + place[5] - 1);
	*flags = 1 + fuzz_below(input, 2);
	memset(packet + 8, 0, size - 8);
	put(packet + (*flags & 1 ? 8 : 12), segment, 4);
	put(packet + (*flags & 1 ? 12 : 8), QUIRE_SEGMENT_VRAM, 4);
	put(packet + (*flags & 1 ? 16 : 24), begin, 8);
	put(packet + 32, (place[4] * place[5]) << layout.element_shift, 8);
	put(packet + 40, layout.element_shift << 16 | layout.kind, 4);
	put(packet + 44, layout.width, 4);
	put(packet + 48, layout.height, 4);
	put(packet + 52, layout.array_size << 16 | layout.levels, 4);
	put(packet + 56, place[1] << 16 | place[0], 4);
	for (i = 0; i < ARRAY_SIZE(at); i++)
		put(packet + at[i], place[2 + i], 4);
	if (!segment)
		size = put_linear(input, packet, size, (end + FUZZ_PAGE - 1) / FUZZ_PAGE);
	i = surface.tile_shift - QUIRE_PAGE_SHIFT;
	size = put_tiles(input, packet, size, (last - first + 1) << i, 1u << i);
	return spoil(input, packet, size);
}

/* The range of a special lock: none, one as it is or as it was, or nonsense. */
static uint32_t take_named(struct guest *guest)
{
	uint32_t choice = fuzz_take(&guest->input, 1), n = choice % RANGES;

	if (choice < 32)
		return QUIRE_SPECIAL_LOCK_NO_RANGE;
	if (choice == 255)
		return fuzz_take(&guest->input, 4);
	return QUIRE_SPECIAL_LOCK_RANGE(n, guest->host.engine.range[n].data - (choice >= 224));
}

uint32_t make_image(struct guest *guest, uint8_t *packet, bool lock)
{
	uint16_t flags;
	uint32_t size = make_swizzle(&guest->input, packet, &flags);

	put(packet, (lock ? QUIRE_OP_SPECIAL_LOCK : QUIRE_OP_TRANSFER) | flags << 16, 4);
	put(packet + 4, size, 4);
	if (lock)
		put(packet + 60, take_named(guest), 4);
	return size;
}
