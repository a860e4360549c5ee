// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What operations do to memory, from their arguments alone. */
#include <string.h>

#include "../../drivers/gpu/drm/quire/paging/tests/quire_paging_image.h"

#include "paging_world.h"

uint8_t *model_page(struct world *world, uint32_t segment, uint64_t page)
{
	if (segment == QUIRE_SEGMENT_VRAM)
		return page < VRAM_PAGES ? world->expected->vram + page * FUZZ_PAGE : NULL;
	if (segment == QUIRE_SEGMENT_APERTURE)
		return page < APERTURE_PAGES ?
			world->expected->system + world->aperture[page] * FUZZ_PAGE : NULL;
	page -= SYSTEM_BASE / FUZZ_PAGE;

	return page < SYSTEM_PAGES ? world->expected->system + page * FUZZ_PAGE : NULL;
}

/* Page @nr of the allocation, counted through the runs. */
static uint64_t model_number(const struct quire_paging_location *location, uint64_t nr)
{
	uint32_t i = 0;

	nr -= location->start;
	while (nr >= location->runs[i].count)
		nr -= location->runs[i++].count;

	return location->runs[i].first + nr;
}

static uint8_t *model_nth(struct world *world, const struct quire_paging_location *location,
			  uint64_t nr)
{
	return model_page(world, location->segment, model_number(location, nr));
}

static bool model_has(uint8_t *const *pages, uint64_t count, const uint8_t *page)
{
	while (count--)
		if (pages[count] == page)
			return true;
	return false;
}

/* Order of pages matters where they are reachable twice: left to nobody. */
static bool model_ambiguous(const struct quire_paging_transfer *t, uint64_t count,
			    uint8_t *const *from, uint8_t *const *to)
{
	bool ranges = t->source.segment == t->destination.segment &&
		      t->source.nr_runs == 1 && t->destination.nr_runs == 1;
	bool shared = false, twice = false;
	uint64_t i;

	for (i = 0; i < count; i++) {
		shared |= model_has(from, count, to[i]);
		twice |= model_has(to, i, to[i]) || model_has(from, i, from[i]);
	}
	if (!shared && !(twice && ranges))
		return false;
	if (!ranges || twice)
		return true;

	/* An overlap of two ranges: shared pages have to be the same pages of it. */
	for (i = 0; i < count; i++) {
		uint64_t at = t->destination.runs->first + i - t->source.runs->first;

		if (model_has(from, count, to[i]) && (at >= count || from[at] != to[i]))
			return true;
	}

	return false;
}

static bool model_transfer(struct world *world, const struct quire_paging_transfer *t)
{
	static uint8_t bytes[(VRAM_PAGES + 1) * FUZZ_PAGE];
	uint8_t *from[VRAM_PAGES + 1], *to[VRAM_PAGES + 1];
	uint64_t first_from = t->source.segment ? t->transfer_offset / FUZZ_PAGE : t->mdl_offset;
	uint64_t first_to = t->destination.segment ? t->transfer_offset / FUZZ_PAGE : t->mdl_offset;
	uint64_t i, part, pages = t->transfer_size / FUZZ_PAGE + !!(t->transfer_size % FUZZ_PAGE);

	if (pages > VRAM_PAGES)
		return false;
	for (i = 0; i < pages; i++) {
		from[i] = model_nth(world, &t->source, first_from + i);
		to[i] = model_nth(world, &t->destination, first_to + i);
		if (!from[i] || !to[i])
			return false;
	}
	if (model_ambiguous(t, pages, from, to))
		return false;

	for (i = 0; i < pages; i++)
		memcpy(bytes + i * FUZZ_PAGE, from[i], FUZZ_PAGE);
	for (i = 0; i < pages; i++) {
		part = t->transfer_size - i * FUZZ_PAGE;
		memcpy(to[i], bytes + i * FUZZ_PAGE, part < FUZZ_PAGE ? part : FUZZ_PAGE);
	}

	return true;
}

static struct quire_model_image model_image(const struct quire_layout *layout)
{
	return (struct quire_model_image) {
		.tile = layout->kind == QUIRE_LAYOUT_TILE_4K ? 4096 : 65536,
		.element = 1u << layout->element_shift,
		.width = layout->width,
		.height = layout->height,
		.levels = layout->levels,
		.slices = layout->array_size,
	};
}

/* The order of packets matters where a page is written twice: left to nobody. */
static bool model_writes_once(struct world *world, const struct quire_paging_location *to)
{
	uint64_t pages = location_pages(to), i, j;

	if (pages > SYSTEM_PAGES)
		return false;
	for (i = 0; i < pages; i++)
		for (j = 0; j < i; j++)
			if (model_nth(world, to, to->start + i) ==
			    model_nth(world, to, to->start + j))
				return false;
	return true;
}

static bool model_reaches(struct world *world, const struct quire_paging_location *location)
{
	uint64_t pages = location_pages(location), i;

	if (pages > 4 * SYSTEM_PAGES)
		return false;
	for (i = 0; i < pages; i++)
		if (!model_nth(world, location, location->start + i))
			return false;
	return true;
}

static bool model_convert(struct world *world, const struct quire_paging_args *args)
{
	const struct quire_paging_transfer *t = &args->u.transfer;
	struct quire_model_image image = model_image(&args->allocation->layout);
	bool swizzle = t->flags & QUIRE_TRANSFER_SWIZZLE;
	const struct quire_paging_location *linear = swizzle ? &t->source : &t->destination;
	const struct quire_paging_location *tiled = swizzle ? &t->destination : &t->source;
	uint64_t first = linear->segment ? t->transfer_offset / FUZZ_PAGE :
			 args->operation == QUIRE_PAGING_TRANSFER ? t->mdl_offset : 0;
	uint64_t size = quire_model_image_size(&image), i;

	if (!model_reaches(world, &t->source) || !model_reaches(world, &t->destination) ||
	    !model_writes_once(world, &t->destination))
		return false;
	for (i = 0; i < t->transfer_size && t->transfer_offset + i < size; i++) {
		uint64_t at = quire_model_image_tiled(&image, t->transfer_offset + i);
		uint8_t *pixel = model_nth(world, linear, first + i / FUZZ_PAGE);
		uint8_t *texel = model_nth(world, tiled, at / FUZZ_PAGE);

		if (swizzle)
			texel[at % FUZZ_PAGE] = pixel[i % FUZZ_PAGE];
		else
			pixel[i % FUZZ_PAGE] = texel[at % FUZZ_PAGE];
	}

	return true;
}

static bool model_set(struct world *world, const struct quire_paging_location *location,
		      uint64_t size, uint32_t pattern)
{
	uint64_t done, i;

	for (done = 0; done < size; done += FUZZ_PAGE) {
		uint8_t *page = model_nth(world, location, done / FUZZ_PAGE);

		for (i = 0; i < FUZZ_PAGE && done + i < size; i++)
			page[i] = pattern >> i % 4 * 8;
	}

	return true;
}

static bool model_physical(struct world *world, const struct quire_paging_physical *p, bool write)
{
	uint8_t *page = model_page(world, p->segment, p->physical_address / FUZZ_PAGE);
	uint32_t i;

	for (i = 0; page && write && i < p->size; i++)
		page[p->physical_address % FUZZ_PAGE + i] = p->value >> 8 * i;

	return page;
}

static bool model_map(struct world *world, const struct quire_paging_map *map)
{
	uint64_t i;

	for (i = 0; i < map->number_of_pages; i++)
		if (!model_nth(world, &map->mdl, map->mdl_offset + i))
			return false;
	for (i = 0; i < map->number_of_pages; i++) {
		world->aperture[map->offset_in_pages + i] =
			model_number(&map->mdl, map->mdl_offset + i) - SYSTEM_BASE / FUZZ_PAGE;
		world->dummy[map->offset_in_pages + i] = false;
		world->coherent[map->offset_in_pages + i] = map->flags;
		world->visible[map->offset_in_pages + i] = false;
	}

	return true;
}

/* Index in system memory of page @nr of the allocation. */
static uint64_t model_adl_page(const struct quire_paging_adl *adl, uint64_t nr)
{
	nr -= adl->start;

	return (adl->contiguous ? adl->base_page_number + nr : adl->pages[nr]) -
	       SYSTEM_BASE / FUZZ_PAGE;
}

static bool model_map2(struct world *world, const struct quire_paging_map2 *map)
{
	uint64_t i;

	for (i = 0; i < map->number_of_pages; i++)
		if (model_adl_page(&map->adl, map->adl_offset + i) >= SYSTEM_PAGES)
			return false;
	for (i = 0; i < map->number_of_pages; i++) {
		world->aperture[map->offset_in_pages + i] =
			model_adl_page(&map->adl, map->adl_offset + i);
		world->dummy[map->offset_in_pages + i] = false;
		world->coherent[map->offset_in_pages + i] = map->flags;
		world->visible[map->offset_in_pages + i] = map->cpu_visible_address;
	}

	return true;
}

static bool model_unmap(struct world *world, const struct quire_paging_unmap *unmap)
{
	uint64_t i;

	for (i = 0; i < unmap->number_of_pages; i++) {
		world->aperture[unmap->offset_in_pages + i] = DUMMY_PAGE;
		world->dummy[unmap->offset_in_pages + i] = true;
		world->coherent[unmap->offset_in_pages + i] = false;
		world->visible[unmap->offset_in_pages + i] = false;
	}

	return true;
}

uint64_t location_pages(const struct quire_paging_location *location)
{
	uint64_t pages = 0;
	uint32_t i;

	for (i = 0; i < location->nr_runs; i++)
		pages += location->runs[i].count;

	return pages;
}

/* False if there is nothing to compare with. */
bool model(struct world *world, const struct quire_paging_args *args)
{
	switch (args->operation) {
	case QUIRE_PAGING_TRANSFER:
		if (args->u.transfer.flags & (QUIRE_TRANSFER_SWIZZLE | QUIRE_TRANSFER_UNSWIZZLE))
			return model_convert(world, args);
		return model_transfer(world, &args->u.transfer);
	case QUIRE_PAGING_SPECIAL_LOCK_TRANSFER:
		return model_convert(world, args);
	case QUIRE_PAGING_FILL:
		return model_set(world, &args->u.fill.destination, args->u.fill.fill_size,
				 args->u.fill.fill_pattern);
	case QUIRE_PAGING_DISCARD_CONTENT:
		return location_pages(&args->u.discard.location) <= 4 * VRAM_PAGES &&
		       model_set(world, &args->u.discard.location,
				 location_pages(&args->u.discard.location) * FUZZ_PAGE, 0);
	case QUIRE_PAGING_READ_PHYSICAL:
	case QUIRE_PAGING_WRITE_PHYSICAL:
		return model_physical(world, &args->u.physical,
				      args->operation == QUIRE_PAGING_WRITE_PHYSICAL);
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT:
		return model_map(world, &args->u.map);
	case QUIRE_PAGING_UNMAP_APERTURE_SEGMENT:
		return model_unmap(world, &args->u.unmap);
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT2:
		return model_map2(world, &args->u.map2);
	default:
		return model_virtual(world, args);
	}
}
