// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Which arguments are good, from their description in quire_paging.h alone; where the tiles of an
 * image are says quire_layout.h, which qemu-device/tests/engine/layout.c looks at.
 */
#include "paging_world.h"

/* Sums are made in 128 bits: none is too large. */
#define ALL_PAGES	((__uint128_t)1 << 52) /* of 64-bit addresses, but for the last one */

/* Pages from @first on: all in the segment, and none at the end of what 64 bits address. */
bool good_pages(const struct quire_paging_caps *caps, uint32_t segment, __uint128_t first,
		__uint128_t count)
{
	__uint128_t limit = segment == QUIRE_SEGMENT_VRAM ? caps->vram_pages :
			    segment == QUIRE_SEGMENT_APERTURE ? caps->aperture_pages :
			    ALL_PAGES - 1;

	return first + count <= limit;
}

static __uint128_t pages_of(__uint128_t bytes)
{
	return (bytes + FUZZ_PAGE - 1) / FUZZ_PAGE;
}

static bool good_runs(const struct quire_paging_caps *caps,
		      const struct quire_paging_location *location)
{
	uint32_t i;

	if (!location->nr_runs)
		return true;
	for (i = 0; location->runs && i < location->nr_runs; i++)
		if (!location->runs[i].count ||
		    !good_pages(caps, location->segment, location->runs[i].first,
				location->runs[i].count))
			return false;

	return location->runs;
}

/* It has the pages @first of the allocation and so on, @count of them. */
static bool good_location(const struct quire_paging_caps *caps,
			  const struct quire_paging_location *location, __uint128_t first,
			  __uint128_t count)
{
	return good_runs(caps, location) && first >= location->start &&
	       first + count <= (__uint128_t)location->start + location_pages(location);
}

static bool in(uint32_t number, uint32_t first, uint32_t last)
{
	return number >= first && number <= last;
}

/* An image with tiles. */
static bool good_layout(const struct quire_layout *layout)
{
	uint32_t halvings = 0;

	if ((layout->kind != QUIRE_LAYOUT_TILE_4K && layout->kind != QUIRE_LAYOUT_TILE_64K) ||
	    !in(layout->width, 1, 16384) || !in(layout->height, 1, 16384))
		return false;
	while (layout->width >> halvings > 1 || layout->height >> halvings > 1)
		halvings++;

	return layout->element_shift <= 4 && in(layout->levels, 1, 1 + halvings) &&
	       in(layout->array_size, 1, 2048);
}

static bool good_image(const struct quire_paging_allocation *image)
{
	return image && good_layout(&image->layout) &&
	       image->size >= quire_layout_linear_size(&image->layout) &&
	       image->pitch_aligned_size >= quire_layout_tiled_size(&image->layout);
}

/* The row of tiles with a byte of the linear form: where it begins, or ends, when tiled. */
static uint64_t row_of_tiles(const struct quire_layout *layout, uint64_t byte, bool end)
{
	uint64_t slice = byte / (quire_layout_linear_size(layout) / layout->array_size);
	struct quire_surface surface;
	uint32_t level = 0;
	uint64_t row;

	do {
		quire_layout_surface(layout, level++, slice, &surface);
	} while (byte >= surface.linear_offset + quire_surface_linear_size(&surface));
	row = ((byte - surface.linear_offset) / surface.pitch >> surface.tile_height_shift) + end;

	return surface.tiled_offset + (row * surface.tiles_per_row << surface.tile_shift);
}

/* Whole tiles, among them those of the part. */
static bool good_tiles(const struct quire_paging_caps *caps, const struct quire_layout *layout,
		       const struct quire_paging_location *tiles, uint64_t offset, __uint128_t end)
{
	uint64_t size = quire_layout_linear_size(layout), first, pages;
	uint32_t tile = layout->kind == QUIRE_LAYOUT_TILE_64K ? 16 : 1, i;

	if (end > size)
		end = size;
	if (offset >= end)
		return good_runs(caps, tiles);
	first = row_of_tiles(layout, offset, false) / FUZZ_PAGE;
	pages = row_of_tiles(layout, end - 1, true) / FUZZ_PAGE - first;
	if (!good_location(caps, tiles, first, pages) || tiles->start % tile)
		return false;
	for (i = 0; i < tiles->nr_runs; i++)
		if (tiles->runs[i].count % tile)
			return false;

	return true;
}

/* @mdl_offset: of the list, if there is one */
static bool good_conversion(const struct quire_paging_caps *caps,
			    const struct quire_paging_args *args, uint64_t mdl_offset)
{
	const struct quire_paging_transfer *t = &args->u.transfer;
	bool swizzle = t->flags & QUIRE_TRANSFER_SWIZZLE;
	const struct quire_paging_location *linear = swizzle ? &t->source : &t->destination;
	const struct quire_paging_location *tiled = swizzle ? &t->destination : &t->source;
	uint64_t first = linear->segment ? t->transfer_offset / FUZZ_PAGE : mdl_offset;

	if (!(t->flags & QUIRE_TRANSFER_UNSWIZZLE) != swizzle || !good_image(args->allocation) ||
	    tiled->segment != QUIRE_SEGMENT_VRAM || linear->segment == QUIRE_SEGMENT_VRAM)
		return false;

	return good_location(caps, linear, first, pages_of(t->transfer_size)) &&
	       good_tiles(caps, &args->allocation->layout, tiled, t->transfer_offset,
			  (__uint128_t)t->transfer_offset + t->transfer_size);
}

/* What a special lock has in common with it, too. */
static bool good_part(const struct quire_paging_transfer *t)
{
	return t->source.segment <= QUIRE_SEGMENT_APERTURE &&
	       t->destination.segment <= QUIRE_SEGMENT_APERTURE &&
	       (t->source.segment || t->destination.segment) &&
	       !(t->flags & ~(1u << 0 | 1u << 1 | 1u << 3 | 1u << 4)) &&
	       !(t->transfer_offset % FUZZ_PAGE);
}

static bool good_side(const struct quire_paging_caps *caps, const struct quire_paging_transfer *t,
		      const struct quire_paging_location *side)
{
	return good_location(caps, side, side->segment ? t->transfer_offset / FUZZ_PAGE :
							 t->mdl_offset,
			     pages_of(t->transfer_size));
}

static bool good_transfer(const struct quire_paging_caps *caps,
			  const struct quire_paging_args *args)
{
	const struct quire_paging_transfer *t = &args->u.transfer;

	if (!good_part(t))
		return false;
	if (t->flags & (QUIRE_TRANSFER_SWIZZLE | QUIRE_TRANSFER_UNSWIZZLE))
		return good_conversion(caps, args, t->mdl_offset);

	return good_side(caps, t, &t->source) && good_side(caps, t, &t->destination);
}

static bool good_special_lock(const struct quire_paging_caps *caps,
			      const struct quire_paging_args *args)
{
	const struct quire_paging_transfer *lock = &args->u.special_lock;
	bool swizzle = lock->flags & QUIRE_TRANSFER_SWIZZLE;
	const struct quire_paging_location *view = swizzle ? &lock->source : &lock->destination;
	bool range = lock->swizzling_range_id == QUIRE_PAGING_NO_RANGE ?
		     !lock->swizzling_range_data :
		     lock->swizzling_range_id < QUIRE_RANGE_MAX &&
		     lock->swizzling_range_data < 1u << 16;

	return range && good_part(&args->u.transfer) && view->segment == QUIRE_SEGMENT_SYSTEM &&
	       !view->start && good_conversion(caps, args, 0);
}

static bool good_physical(const struct quire_paging_caps *caps,
			  const struct quire_paging_physical *p)
{
	return p->segment <= QUIRE_SEGMENT_APERTURE && in(p->size, 1, 8) &&
	       p->physical_address % FUZZ_PAGE + p->size <= FUZZ_PAGE &&
	       good_pages(caps, p->segment, p->physical_address / FUZZ_PAGE, 1);
}

/* Of maps of both kinds, and of unmaps. */
static bool good_aperture(const struct quire_paging_caps *caps, uint64_t first, uint64_t pages,
			  uint32_t flags)
{
	return good_pages(caps, QUIRE_SEGMENT_APERTURE, first, pages) && flags < 2;
}

static bool good_map(const struct quire_paging_caps *caps, const struct quire_paging_map *map)
{
	return good_aperture(caps, map->offset_in_pages, map->number_of_pages, map->flags) &&
	       map->mdl.segment == QUIRE_SEGMENT_SYSTEM &&
	       good_location(caps, &map->mdl, map->mdl_offset, map->number_of_pages);
}

static bool good_adl(const struct quire_paging_caps *caps, const struct quire_paging_adl *adl)
{
	uint32_t i;

	if (adl->contiguous)
		return good_pages(caps, QUIRE_SEGMENT_SYSTEM, adl->base_page_number,
				  adl->page_count);
	for (i = 0; adl->pages && i < adl->page_count; i++)
		if (!good_pages(caps, QUIRE_SEGMENT_SYSTEM, adl->pages[i], 1))
			return false;

	return adl->pages || !adl->page_count;
}

static bool good_map2(const struct quire_paging_caps *caps, const struct quire_paging_map2 *map)
{
	uint64_t seen = map->cpu_visible_address;

	return good_aperture(caps, map->offset_in_pages, map->number_of_pages, map->flags) &&
	       good_adl(caps, &map->adl) && map->adl_offset >= map->adl.start &&
	       (__uint128_t)map->adl_offset + map->number_of_pages <=
	       (__uint128_t)map->adl.start + map->adl.page_count &&
	       (!seen || (!(seen % FUZZ_PAGE) &&
			  good_pages(caps, QUIRE_SEGMENT_SYSTEM, seen / FUZZ_PAGE,
				     map->number_of_pages) &&
			  map->offset_in_pages + map->number_of_pages <= caps->window_pages));
}

/* What quire_paging_check_args() has to say of an operation that nobody has begun. */
bool good_args(const struct quire_paging_caps *caps, const struct quire_paging_args *args)
{
	switch (args->operation) {
	case QUIRE_PAGING_TRANSFER:
		return good_transfer(caps, args);
	case QUIRE_PAGING_SPECIAL_LOCK_TRANSFER:
		return good_special_lock(caps, args);
	case QUIRE_PAGING_FILL:
		return args->u.fill.destination.segment == QUIRE_SEGMENT_VRAM &&
		       !(args->u.fill.fill_size % 4) &&
		       good_location(caps, &args->u.fill.destination, 0,
				     pages_of(args->u.fill.fill_size));
	case QUIRE_PAGING_DISCARD_CONTENT:
		return args->u.discard.location.segment == QUIRE_SEGMENT_VRAM &&
		       good_location(caps, &args->u.discard.location, 0, 0);
	case QUIRE_PAGING_READ_PHYSICAL:
		return !args->u.physical.value && good_physical(caps, &args->u.physical);
	case QUIRE_PAGING_WRITE_PHYSICAL:
		return good_physical(caps, &args->u.physical);
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT:
		return good_map(caps, &args->u.map);
	case QUIRE_PAGING_UNMAP_APERTURE_SEGMENT:
		return good_aperture(caps, args->u.unmap.offset_in_pages,
				     args->u.unmap.number_of_pages, 0) &&
		       !(args->u.unmap.dummy_page % FUZZ_PAGE) &&
		       good_pages(caps, QUIRE_SEGMENT_SYSTEM,
				  args->u.unmap.dummy_page / FUZZ_PAGE, 1);
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT2:
		return good_map2(caps, &args->u.map2);
	default:
		return good_virtual_args(caps, args);
	}
}
