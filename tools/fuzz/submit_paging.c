// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Objects go in and out, by paging operations. */
#include <string.h>

#include <asm/byteorder.h>

#include "submit_world.h"

/* ---- VRAM ---- */

static struct quire_page_run vram_run(const struct world *world, uint32_t index)
{
	return (struct quire_page_run) {
		world->fake.objects[index].address / FUZZ_PAGE, world->objects[index].pages,
	};
}

/* Returns their number. */
static uint32_t system_runs(const struct world *world, uint32_t index,
			    struct quire_page_run runs[OBJECT_PAGES])
{
	const struct object *object = &world->objects[index];
	uint32_t page, count, nr = 0;

	for (page = 0; page < object->pages; page += count) {
		count = object->pages - page < object->chunk ? object->pages - page :
							       object->chunk;
		runs[nr++] = (struct quire_page_run) {
			SYSTEM_BASE / FUZZ_PAGE + memory_page(object, page), count,
		};
	}
	return nr;
}

/* In one sub-transfer, or in two. */
static void list_add_transfer(struct world *world, uint32_t index,
			      const struct quire_paging_location *from,
			      const struct quire_paging_location *to)
{
	const struct object *object = &world->objects[index];
	uint32_t first = 1 + world_below(world, object->pages), at, pages;

	for (at = 0; at < object->pages; at += pages) {
		struct quire_paging_args args = {
			.operation = QUIRE_PAGING_TRANSFER,
			.allocation = &object->paging,
			.u.transfer = {
				.source = *from,
				.destination = *to,
				.transfer_offset = at * FUZZ_PAGE,
				.mdl_offset = at,
			},
		};

		pages = at ? object->pages - first : first;
		args.u.transfer.transfer_size = pages * FUZZ_PAGE;
		if (!at)
			args.u.transfer.flags |= QUIRE_TRANSFER_START;
		if (at + pages == object->pages)
			args.u.transfer.flags |= QUIRE_TRANSFER_END;
		list_add(world, &args);
	}
}

/* What was evicted leaves room, which somebody else uses, or drops. */
static void list_add_others(struct world *world, uint32_t index)
{
	const struct quire_page_run run = vram_run(world, index);
	const struct quire_paging_location place = { QUIRE_SEGMENT_VRAM, 1, 0, &run };
	uint32_t *words = (void *)(world->expected->vram + world->fake.objects[index].address);
	struct quire_paging_args args = { .operation = QUIRE_PAGING_FILL };
	uint64_t size = run.count * FUZZ_PAGE, i;

	if (!world_below(world, 2)) {
		args.operation = QUIRE_PAGING_DISCARD_CONTENT;
		args.u.discard.location = place;
		memset(words, 0, size);
	} else {
		args.u.fill.destination = place;
		args.u.fill.fill_size = size;
		args.u.fill.fill_pattern = world_take(world, 4);
		for (i = 0; i < size / sizeof(*words); i++)
			words[i] = cpu_to_le32(args.u.fill.fill_pattern);
	}
	list_add(world, &args);
}

static void list_add_move(struct world *world, uint32_t index, bool in)
{
	struct quire_page_run runs[OBJECT_PAGES], run = vram_run(world, index);
	const struct quire_paging_location vram = { QUIRE_SEGMENT_VRAM, 1, 0, &run };
	const struct quire_paging_location system = {
		QUIRE_SEGMENT_SYSTEM, system_runs(world, index, runs), 0, runs,
	};

	list_add_transfer(world, index, in ? &system : &vram, in ? &vram : &system);
}

static void vram_in(struct world *world, uint32_t index)
{
	list_add_move(world, index, true);
	reached(REACH_VRAM_IN);
}

static void vram_out(struct world *world, uint32_t index)
{
	list_add_move(world, index, false);
	list_add_others(world, index);
	reached(REACH_VRAM_OUT);
}

/* ---- the aperture ---- */

static void aperture_set(struct world *world, uint32_t index, uint64_t bits)
{
	uint64_t *entry = &world->aperture[world->fake.objects[index].address / FUZZ_PAGE];
	const struct object *object = &world->objects[index];
	uint32_t i;

	for (i = 0; i < object->pages; i++)
		entry[i] = bits | (SYSTEM_BASE + memory_page(object, i) * FUZZ_PAGE);
}

static void list_add_map(struct world *world, uint32_t index, bool coherent)
{
	struct quire_page_run runs[OBJECT_PAGES];
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT,
		.allocation = &world->objects[index].paging,
		.u.map = {
			.offset_in_pages = world->fake.objects[index].address / FUZZ_PAGE,
			.number_of_pages = world->objects[index].pages,
			.mdl = {
				QUIRE_SEGMENT_SYSTEM, system_runs(world, index, runs), 0, runs,
			},
			.flags = coherent,
		},
	};

	list_add(world, &args);
}

/* The same, by an address list. */
static void list_add_map2(struct world *world, uint32_t index, bool coherent)
{
	const struct object *object = &world->objects[index];
	u64 numbers[OBJECT_PAGES];
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT2,
		.allocation = &object->paging,
		.u.map2 = {
			.offset_in_pages = world->fake.objects[index].address / FUZZ_PAGE,
			.number_of_pages = object->pages,
			.adl = { .page_count = object->pages, .pages = numbers },
			.flags = coherent,
		},
	};
	uint32_t i;

	for (i = 0; i < object->pages; i++)
		numbers[i] = SYSTEM_BASE / FUZZ_PAGE + memory_page(object, i);
	list_add(world, &args);
}

static void aperture_in(struct world *world, uint32_t index)
{
	bool coherent = world_below(world, 2);

	if (world_below(world, 2))
		list_add_map(world, index, coherent);
	else
		list_add_map2(world, index, coherent);
	aperture_set(world, index, QUIRE_APERTURE_VALID | (coherent ? QUIRE_APERTURE_COHERENT : 0));
	reached(REACH_APERTURE_IN);
}

static void list_add_unmap(struct world *world, uint64_t page, uint64_t pages)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT,
		.u.unmap = {
			.offset_in_pages = page,
			.number_of_pages = pages,
			.dummy_page = memory_dummy_page(world),
		},
	};

	list_add(world, &args);
	while (pages--)
		world->aperture[page++] = memory_dummy_page(world) | QUIRE_APERTURE_VALID |
					  QUIRE_APERTURE_DUMMY;
}

static void aperture_out(struct world *world, uint32_t index)
{
	list_add_unmap(world, world->fake.objects[index].address / FUZZ_PAGE,
		       world->objects[index].pages);
	reached(REACH_APERTURE_OUT);
}

/* ---- objects ---- */

/* The object has a place. Where it is in VRAM, its pages are somebody else's, perhaps. */
void paging_in(struct world *world, uint32_t index)
{
	bool vram = world->scene.objects[index].segment == QUIRE_SEGMENT_VRAM;

	list_start(world);
	if (vram)
		vram_in(world, index);
	else
		aperture_in(world, index);
	list_finish(world);
	memory_is_in_place(world, index);
	if (vram && world_below(world, 2)) {
		fuzz_ring_finish(&world->paging);
		memory_spoil_system(world, index);
	}
}

/* The object still has its place. The builder says when to wait, if it can. */
void paging_out(struct world *world, uint32_t index)
{
	bool vram = world->scene.objects[index].segment == QUIRE_SEGMENT_VRAM;

	if (!vram || !world->objects[index].paging.needs_idle)
		fuzz_ring_finish(&world->execution);
	memory_is_in_system(world, index);
	list_start(world);
	if (vram)
		vram_out(world, index);
	else
		aperture_out(world, index);
	list_finish(world);
}

/* What the device has not written to memory yet. */
void paging_flush(struct world *world)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_READ_PHYSICAL,
		.u.physical = { .segment = QUIRE_SEGMENT_VRAM, .size = 8 },
	};

	list_start(world);
	list_add(world, &args);
	list_finish(world);
	fuzz_ring_finish(&world->paging);
}

/* As a driver begins: nothing is mapped. */
void paging_start(struct world *world)
{
	fuzz_ring_start(&world->paging);
	world->open = false;
	list_start(world);
	list_add_unmap(world, 0, world->caps.aperture_pages);
	list_finish(world);
}
