// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Arguments of operations: mostly good, some wild. */
#include <string.h>

#include "paging_world.h"

static uint64_t take_wild(struct fuzz_input *input)
{
	uint64_t value = fuzz_take(input, 2);

	switch (fuzz_below(input, 4)) {
	case 0:
		return value;
	case 1:
		return 0 - value;
	case 2:
		return value << fuzz_below(input, 64);
	default:
		return fuzz_take(input, 8);
	}
}

static void take_location(struct fuzz_input *input, uint32_t segment, bool disjoint,
			  struct quire_page_run *runs, struct quire_paging_location *location)
{
	static const struct { uint64_t first, pages; } segments[] = {
		{ SYSTEM_BASE / FUZZ_PAGE, LIST_PAGES }, { 0, VRAM_PAGES }, { 0, APERTURE_PAGES },
	};
	uint64_t first = segments[segment].first, pages = segments[segment].pages;
	uint32_t i;

	location->segment = segment;
	location->start = 0;
	location->runs = runs;
	location->nr_runs = disjoint ? 1 : fuzz_below(input, MAX_RUNS + 1);
	for (i = 0; i < location->nr_runs; i++) {
		uint64_t at = fuzz_below(input, pages);

		runs[i].first = first + at;
		runs[i].count = 1 + fuzz_below(input, disjoint ? pages - at : pages - at > 5 ?
					       5 : pages - at);
	}
	if (fuzz_take(input, 1) == 255 && location->nr_runs) {
		runs[0].first = take_wild(input);
		runs[0].count = take_wild(input);
	}
}

/* Up to all pages from @skip on, and sometimes more. */
static uint64_t take_pages(struct fuzz_input *input, uint64_t pages, uint64_t skip)
{
	if (fuzz_take(input, 1) == 255)
		return take_wild(input);

	return pages > skip && pages - skip < UINT64_MAX ?
	       fuzz_below(input, pages - skip + 1) : 0;
}

/* A sub-transfer that goes on where the last one ended, sometimes elsewhere. */
static void take_next_part(struct fuzz_input *input, const struct quire_paging_sequence *sequence,
			   struct quire_paging_transfer *t)
{
	uint32_t choice = fuzz_take(input, 1);

	t->flags = choice & 1 ? QUIRE_TRANSFER_END : 0;
	t->transfer_offset = sequence->transfer_offset;
	t->mdl_offset = sequence->mdl_offset;
	if (choice >= 248)
		t->transfer_offset += fuzz_below(input, 4) * FUZZ_PAGE;
	if (choice >= 252)
		t->mdl_offset += fuzz_below(input, 4);
}

static void take_first_part(struct fuzz_input *input, struct quire_paging_transfer *t)
{
	uint32_t choice = fuzz_take(input, 1);

	t->flags = choice & 1 ? QUIRE_TRANSFER_START :
				QUIRE_TRANSFER_START | QUIRE_TRANSFER_END;
	t->mdl_offset = fuzz_below(input, 4);
	t->transfer_offset = 0;
	if (choice >= 248)
		t->flags = fuzz_below(input, 4) * QUIRE_TRANSFER_START;
	if (choice >= 252)
		t->transfer_offset = take_wild(input);
}

/* The runs begin at the page that is needed first, or up to three before it. */
static void take_start(struct fuzz_input *input, struct quire_paging_location *location,
		       uint64_t page)
{
	uint32_t before = fuzz_below(input, 4);

	location->start = page > before ? page - before : 0;
}

static void take_transfer(struct fuzz_input *input, const struct quire_paging_sequence *sequence,
			  struct quire_paging_transfer *t,
			  struct quire_page_run runs[][MAX_RUNS])
{
	uint32_t shape = fuzz_take(input, 1);
	uint32_t source = sequence->pending ? sequence->source : shape % 3;
	uint32_t destination = sequence->pending ? sequence->destination : shape / 3 % 3;
	uint64_t skip_from, skip_to, from, to;

	take_location(input, source, shape & 64, runs[0], &t->source);
	take_location(input, destination, shape & 128, runs[1], &t->destination);
	if (sequence->pending)
		take_next_part(input, sequence, t);
	else
		take_first_part(input, t);
	skip_from = source ? t->transfer_offset / FUZZ_PAGE : t->mdl_offset;
	skip_to = destination ? t->transfer_offset / FUZZ_PAGE : t->mdl_offset;
	take_start(input, &t->source, skip_from);
	take_start(input, &t->destination, skip_to);
	skip_from -= t->source.start;
	skip_to -= t->destination.start;
	from = location_pages(&t->source);
	to = location_pages(&t->destination);
	from = from > skip_from ? from - skip_from : 0;
	to = to > skip_to ? to - skip_to : 0;
	t->transfer_size = take_pages(input, from < to ? from : to, 0) * FUZZ_PAGE;
	if (t->transfer_size && t->flags & QUIRE_TRANSFER_END && fuzz_take(input, 1) & 1)
		t->transfer_size -= fuzz_below(input, FUZZ_PAGE);
}

static void take_physical(struct fuzz_input *input, struct quire_paging_physical *p, bool write)
{
	p->segment = fuzz_below(input, 4);
	p->size = fuzz_below(input, 10);
	p->physical_address = fuzz_below(input, VRAM_PAGES * 16) * 256 + fuzz_below(input, 16) +
			      (p->segment ? 0 : SYSTEM_BASE);
	if (fuzz_take(input, 1) < 16) /* at the end of the page, or over it */
		p->physical_address |= FUZZ_PAGE - 16;
	p->value = write ? fuzz_take(input, 8) : 0;
}

/* An image that VRAM may have room for, sometimes none. */
void take_image(struct fuzz_input *input, struct quire_paging_allocation *image)
{
	struct quire_layout *layout = &image->layout;
	uint32_t largest;

	*layout = (struct quire_layout) {
		.kind = 1 + fuzz_below(input, 2),
		.element_shift = fuzz_below(input, 5),
		.width = 1 + fuzz_below(input, 90),
		.height = 1 + fuzz_below(input, 70),
		.levels = 1 + fuzz_below(input, 3),
		.array_size = 1 + fuzz_below(input, 4),
	};
	while (layout->array_size > 1 &&
	       quire_layout_linear_size(layout) > VRAM_PAGES / 2 * FUZZ_PAGE)
		layout->array_size--;
	largest = layout->width > layout->height ? layout->width : layout->height;
	while (!(largest >> (layout->levels - 1)))
		layout->levels--;
	image->size = (quire_layout_linear_size(layout) + FUZZ_PAGE - 1) / FUZZ_PAGE * FUZZ_PAGE;
	image->pitch_aligned_size = quire_layout_tiled_size(layout);
	image->needs_idle = fuzz_below(input, 2);
	if (fuzz_take(input, 1) == 255)
		layout->width = take_wild(input);
	if (fuzz_take(input, 1) == 255)
		image->size = take_wild(input);
}

/* Runs of whole tiles. */
static void take_tiles(struct fuzz_input *input, const struct quire_layout *layout,
		       struct quire_paging_location *location, struct quire_page_run *runs)
{
	uint64_t tile = layout->kind == QUIRE_LAYOUT_TILE_64K ? 16 : 1;
	uint32_t i;

	location->segment = QUIRE_SEGMENT_VRAM;
	location->start = 0;
	location->runs = runs;
	location->nr_runs = 1 + fuzz_below(input, MAX_RUNS);
	for (i = 0; i < location->nr_runs; i++) {
		runs[i].first = fuzz_below(input, VRAM_PAGES - tile + 1);
		runs[i].count = tile * (1 + fuzz_below(input, (VRAM_PAGES - runs[i].first) / tile));
	}
	if (fuzz_take(input, 1) == 255)
		runs[0].count += fuzz_below(input, 3);
}

/* To or from the pages of an alternate view: the list begins with the part. */
static void take_special_lock(struct fuzz_input *input, struct quire_paging_args *args,
			      struct quire_paging_location *linear)
{
	struct quire_paging_transfer *lock = &args->u.special_lock;
	uint32_t choice = fuzz_take(input, 1);

	args->operation = QUIRE_PAGING_SPECIAL_LOCK_TRANSFER;
	if (choice < 250)
		linear->start = 0;
	lock->swizzling_range_id = choice & 1 ? choice / 2 % NR_RANGES : QUIRE_PAGING_NO_RANGE;
	lock->swizzling_range_data = choice & 1 ? fuzz_take(input, 2) : 0;
	if (choice == 255)
		lock->swizzling_range_data = take_wild(input);
	if (choice == 254)
		lock->swizzling_range_id = QUIRE_RANGE_MAX + fuzz_take(input, 4) / 2;
}

static bool is_special_lock(struct fuzz_input *input,
			    const struct quire_paging_sequence *sequence, uint32_t side)
{
	if (sequence->pending)
		return sequence->operation == QUIRE_PAGING_SPECIAL_LOCK_TRANSFER;

	return side == QUIRE_SEGMENT_SYSTEM && fuzz_take(input, 1) & 1;
}

/* A part of @image, from one form to the other. */
void take_conversion(struct fuzz_input *input, const struct quire_paging_sequence *sequence,
		     const struct quire_paging_allocation *image, struct quire_paging_args *args,
		     struct quire_page_run runs[][MAX_RUNS])
{
	struct quire_paging_transfer *t = &args->u.transfer;
	bool swizzle = sequence->pending ? sequence->destination == QUIRE_SEGMENT_VRAM :
					   fuzz_below(input, 2);
	struct quire_paging_location *linear = swizzle ? &t->source : &t->destination;
	uint32_t side = sequence->pending ? (swizzle ? sequence->source : sequence->destination) :
					    fuzz_below(input, 2) * QUIRE_SEGMENT_APERTURE;
	uint64_t offset, left, has;

	memset(args, 0, sizeof(*args));
	args->operation = QUIRE_PAGING_TRANSFER;
	args->allocation = image;
	take_tiles(input, &image->layout, swizzle ? &t->destination : &t->source, runs[0]);
	take_location(input, side, false, runs[1], linear);
	if (sequence->pending)
		take_next_part(input, sequence, t);
	else
		take_first_part(input, t);
	offset = side ? t->transfer_offset / FUZZ_PAGE : t->mdl_offset;
	take_start(input, linear, offset);
	left = image->size - t->transfer_offset;
	has = location_pages(linear) + linear->start;
	has = has > offset ? (has - offset) * FUZZ_PAGE : 0;
	/* an image of a wild layout is larger than memory: there is a part of it */
	if (left > has && (left >> 32 || !(t->flags & QUIRE_TRANSFER_END)))
		left = has;
	t->transfer_size = t->flags & QUIRE_TRANSFER_END ? left :
			   fuzz_below(input, left / FUZZ_PAGE + 1) * FUZZ_PAGE;
	t->flags |= swizzle ? QUIRE_TRANSFER_SWIZZLE : QUIRE_TRANSFER_UNSWIZZLE;
	if (is_special_lock(input, sequence, side))
		take_special_lock(input, args, linear);
}

/* Pages that follow each other, or are anywhere; rarely some that are nowhere. */
static void take_adl(struct fuzz_input *input, struct quire_paging_adl *adl, u64 *numbers)
{
	uint64_t first = SYSTEM_BASE / FUZZ_PAGE, wild = fuzz_take(input, 1);
	uint32_t i;

	adl->contiguous = wild & 1;
	adl->page_count = fuzz_below(input, MAX_NUMBERS + 1);
	if (adl->contiguous) {
		adl->base_page_number = first + fuzz_below(input, LIST_PAGES - MAX_NUMBERS + 1);
		if (wild == 255)
			adl->base_page_number = take_wild(input);
		return;
	}
	adl->pages = numbers;
	for (i = 0; i < adl->page_count; i++)
		numbers[i] = first + fuzz_below(input, LIST_PAGES);
	if (wild == 254)
		numbers[0] = take_wild(input);
}

static void take_map2(struct fuzz_input *input, struct quire_paging_map2 *map, u64 *numbers)
{
	uint64_t before;

	take_adl(input, &map->adl, numbers);
	map->offset_in_pages = fuzz_below(input, APERTURE_PAGES);
	map->adl_offset = fuzz_below(input, 8);
	before = fuzz_below(input, 4);
	map->adl.start = map->adl_offset > before ? map->adl_offset - before : 0;
	map->number_of_pages = take_pages(input, map->adl.page_count,
					  map->adl_offset - map->adl.start);
	map->flags = fuzz_below(input, 2);
	if (fuzz_below(input, 2))
		map->cpu_visible_address = 0xfd000000 + map->offset_in_pages * FUZZ_PAGE;
}

void take_args(struct fuzz_input *input, const struct quire_paging_sequence *sequence,
	       struct quire_paging_args *args, struct quire_page_run runs[][MAX_RUNS],
	       u64 *numbers)
{
	memset(args, 0, sizeof(*args));
	args->operation = fuzz_below(input, 10);
	if (args->operation == 9)
		args->operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT2;
	else if (args->operation >= QUIRE_PAGING_SPECIAL_LOCK_TRANSFER) /* of an image only */
		args->operation = QUIRE_PAGING_TRANSFER;

	switch (args->operation) {
	case QUIRE_PAGING_TRANSFER:
		take_transfer(input, sequence, &args->u.transfer, runs);
		break;
	case QUIRE_PAGING_FILL:
		take_location(input, QUIRE_SEGMENT_VRAM, false, runs[0],
			      &args->u.fill.destination);
		args->u.fill.fill_size = take_pages(input,
						    location_pages(&args->u.fill.destination), 0) *
					 FUZZ_PAGE;
		if (args->u.fill.fill_size)
			args->u.fill.fill_size -= fuzz_below(input, 1024) * 4;
		args->u.fill.fill_pattern = fuzz_take(input, 4);
		break;
	case QUIRE_PAGING_DISCARD_CONTENT:
		take_location(input, QUIRE_SEGMENT_VRAM, false, runs[0],
			      &args->u.discard.location);
		break;
	case QUIRE_PAGING_READ_PHYSICAL:
	case QUIRE_PAGING_WRITE_PHYSICAL:
		take_physical(input, &args->u.physical,
			      args->operation == QUIRE_PAGING_WRITE_PHYSICAL);
		break;
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT:
		take_location(input, QUIRE_SEGMENT_SYSTEM, false, runs[0], &args->u.map.mdl);
		args->u.map.offset_in_pages = fuzz_below(input, APERTURE_PAGES);
		args->u.map.mdl_offset = fuzz_below(input, 8);
		take_start(input, &args->u.map.mdl, args->u.map.mdl_offset);
		args->u.map.number_of_pages = take_pages(input,
							 location_pages(&args->u.map.mdl),
							 args->u.map.mdl_offset -
							 args->u.map.mdl.start);
		args->u.map.flags = fuzz_below(input, 2);
		break;
	case QUIRE_PAGING_SPECIAL_LOCK_TRANSFER:
		break;
	case QUIRE_PAGING_UNMAP_APERTURE_SEGMENT:
		args->u.unmap.offset_in_pages = fuzz_below(input, APERTURE_PAGES);
		args->u.unmap.number_of_pages = take_pages(input, APERTURE_PAGES,
							   args->u.unmap.offset_in_pages);
		/* Mostly another page than it will be patched to. */
		args->u.unmap.dummy_page = SYSTEM_BASE +
					   fuzz_below(input, SYSTEM_PAGES) * FUZZ_PAGE;
		break;
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT2:
		take_map2(input, &args->u.map2, numbers);
		break;
	default:
		break;
	}
}
