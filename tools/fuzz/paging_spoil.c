// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Good arguments made bad, most likely: one thing of them at a time. It is counted what came of
 * each, so that none is left out unseen.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <linux/array_size.h>

#include "paging_world.h"

/* What is spoiled: a number, the runs of a location, or what is no part of the arguments. */
enum kind {
	NUMBER_OF, RUNS_OF, PAGES_OF, ENTRIES_OF, RANGES_OF, TABLE_OF, POINTER_OF, ALLOCATION_OF,
	OPERATION_OF, LAYOUT_OF,
};

/* Runs and lists are never longer than the memory that they are in. */
static const struct thing {
	const char *name;
	enum kind kind;
	uint32_t operation;
	size_t offset;
	size_t size;
} things[] = {
#define THING(kind, operation, member, size) \
	{ #operation " " #member, kind, QUIRE_PAGING_##operation, \
	  offsetof(struct quire_paging_args, u.member), size }
#define NUMBER(operation, member, size)	THING(NUMBER_OF, operation, member, size)
#define RUNS(operation, member)		THING(RUNS_OF, operation, member, 0)
	NUMBER(TRANSFER, transfer.source.segment, 4),
	NUMBER(TRANSFER, transfer.source.start, 8),
	RUNS(TRANSFER, transfer.source),
	NUMBER(TRANSFER, transfer.destination.segment, 4),
	NUMBER(TRANSFER, transfer.destination.start, 8),
	RUNS(TRANSFER, transfer.destination),
	NUMBER(TRANSFER, transfer.transfer_offset, 8),
	NUMBER(TRANSFER, transfer.transfer_size, 8),
	NUMBER(TRANSFER, transfer.flags, 4),
	NUMBER(TRANSFER, transfer.mdl_offset, 8),
	{ "TRANSFER allocation", ALLOCATION_OF, QUIRE_PAGING_TRANSFER, 0, 0 },
	NUMBER(SPECIAL_LOCK_TRANSFER, special_lock.source.segment, 4),
	NUMBER(SPECIAL_LOCK_TRANSFER, special_lock.source.start, 8),
	RUNS(SPECIAL_LOCK_TRANSFER, special_lock.source),
	NUMBER(SPECIAL_LOCK_TRANSFER, special_lock.destination.segment, 4),
	NUMBER(SPECIAL_LOCK_TRANSFER, special_lock.destination.start, 8),
	RUNS(SPECIAL_LOCK_TRANSFER, special_lock.destination),
	NUMBER(SPECIAL_LOCK_TRANSFER, special_lock.transfer_offset, 8),
	NUMBER(SPECIAL_LOCK_TRANSFER, special_lock.transfer_size, 8),
	NUMBER(SPECIAL_LOCK_TRANSFER, special_lock.flags, 4),
	NUMBER(SPECIAL_LOCK_TRANSFER, special_lock.swizzling_range_id, 4),
	NUMBER(SPECIAL_LOCK_TRANSFER, special_lock.swizzling_range_data, 4),
	{ "SPECIAL_LOCK_TRANSFER allocation", ALLOCATION_OF,
	  QUIRE_PAGING_SPECIAL_LOCK_TRANSFER, 0, 0 },
	NUMBER(FILL, fill.destination.segment, 4),
	NUMBER(FILL, fill.destination.start, 8),
	RUNS(FILL, fill.destination),
	NUMBER(FILL, fill.fill_size, 8),
	NUMBER(DISCARD_CONTENT, discard.location.segment, 4),
	NUMBER(DISCARD_CONTENT, discard.location.start, 8),
	RUNS(DISCARD_CONTENT, discard.location),
	NUMBER(READ_PHYSICAL, physical.segment, 4),
	NUMBER(READ_PHYSICAL, physical.size, 4),
	NUMBER(READ_PHYSICAL, physical.physical_address, 8),
	NUMBER(READ_PHYSICAL, physical.value, 8),
	NUMBER(WRITE_PHYSICAL, physical.segment, 4),
	NUMBER(WRITE_PHYSICAL, physical.size, 4),
	NUMBER(WRITE_PHYSICAL, physical.physical_address, 8),
	NUMBER(MAP_APERTURE_SEGMENT, map.offset_in_pages, 8),
	NUMBER(MAP_APERTURE_SEGMENT, map.number_of_pages, 8),
	NUMBER(MAP_APERTURE_SEGMENT, map.mdl.segment, 4),
	NUMBER(MAP_APERTURE_SEGMENT, map.mdl.start, 8),
	RUNS(MAP_APERTURE_SEGMENT, map.mdl),
	NUMBER(MAP_APERTURE_SEGMENT, map.mdl_offset, 8),
	NUMBER(MAP_APERTURE_SEGMENT, map.flags, 4),
	NUMBER(UNMAP_APERTURE_SEGMENT, unmap.offset_in_pages, 8),
	NUMBER(UNMAP_APERTURE_SEGMENT, unmap.number_of_pages, 8),
	NUMBER(UNMAP_APERTURE_SEGMENT, unmap.dummy_page, 8),
	NUMBER(MAP_APERTURE_SEGMENT2, map2.offset_in_pages, 8),
	NUMBER(MAP_APERTURE_SEGMENT2, map2.number_of_pages, 8),
	NUMBER(MAP_APERTURE_SEGMENT2, map2.adl.start, 8),
	THING(PAGES_OF, MAP_APERTURE_SEGMENT2, map2.adl, 0),
	NUMBER(MAP_APERTURE_SEGMENT2, map2.adl_offset, 8),
	NUMBER(MAP_APERTURE_SEGMENT2, map2.flags, 4),
	NUMBER(MAP_APERTURE_SEGMENT2, map2.cpu_visible_address, 8),
	NUMBER(VIRTUAL_TRANSFER, transfer_virtual.transfer_size, 8),
	NUMBER(VIRTUAL_TRANSFER, transfer_virtual.source_virtual_address, 8),
	NUMBER(VIRTUAL_TRANSFER, transfer_virtual.destination_virtual_address, 8),
	NUMBER(VIRTUAL_TRANSFER, transfer_virtual.transfer_direction, 4),
	NUMBER(VIRTUAL_TRANSFER, transfer_virtual.flags, 4),
	NUMBER(VIRTUAL_FILL, fill_virtual.fill_size, 8),
	NUMBER(VIRTUAL_FILL, fill_virtual.destination_virtual_address, 8),
	NUMBER(INIT_CONTEXT_RESOURCE, init_context.segment, 4),
	NUMBER(INIT_CONTEXT_RESOURCE, init_context.address, 8),
	NUMBER(UPDATE_PAGE_TABLE, update_page_table.page_table_level, 4),
	NUMBER(UPDATE_PAGE_TABLE, update_page_table.update_mode, 4),
	THING(TABLE_OF, UPDATE_PAGE_TABLE, update_page_table, 0),
	THING(POINTER_OF, UPDATE_PAGE_TABLE, update_page_table.page_table_entries, 0),
	THING(ENTRIES_OF, UPDATE_PAGE_TABLE, update_page_table, 0),
	NUMBER(UPDATE_PAGE_TABLE, update_page_table.start_index, 4),
	NUMBER(UPDATE_PAGE_TABLE, update_page_table.num_page_table_entries, 4),
	NUMBER(UPDATE_PAGE_TABLE, update_page_table.flags, 4),
	NUMBER(UPDATE_PAGE_TABLE, update_page_table.first_pte_virtual_address, 8),
	NUMBER(FLUSH_TLB, flush_tlb.root.flags, 8),
	NUMBER(FLUSH_TLB, flush_tlb.root.page, 8),
	NUMBER(FLUSH_TLB, flush_tlb.start_virtual_address, 8),
	NUMBER(FLUSH_TLB, flush_tlb.end_virtual_address, 8),
	NUMBER(UPDATE_CONTEXT_ALLOCATION, update_context.context_allocation, 8),
	NUMBER(UPDATE_CONTEXT_ALLOCATION, update_context.context_allocation_size, 8),
	THING(POINTER_OF, UPDATE_CONTEXT_ALLOCATION, update_context.driver_private_data, 0),
	NUMBER(UPDATE_CONTEXT_ALLOCATION, update_context.driver_private_data_size, 4),
	NUMBER(UPDATE_CONTEXT_ALLOCATION, update_context.offset, 4),
	THING(POINTER_OF, COPY_PAGE_TABLE_ENTRIES, copy_entries.ranges, 0),
	THING(RANGES_OF, COPY_PAGE_TABLE_ENTRIES, copy_entries, 0),
	{ "operation", OPERATION_OF, 0, 0, 0 },
#undef RUNS
#undef NUMBER
#undef THING
#define LAYOUT(member) \
	{ "layout " #member, LAYOUT_OF, 0, offsetof(struct quire_layout, member), 4 }
	LAYOUT(kind),
	LAYOUT(element_shift),
	LAYOUT(width),
	LAYOUT(height),
	LAYOUT(levels),
	LAYOUT(array_size),
#undef LAYOUT
};

static unsigned long spoiled_of[ARRAY_SIZE(things)];
static uint8_t spoiled_now[ARRAY_SIZE(things)] FUZZ_EXTRA_COUNTERS;

static uint64_t take_edge(struct fuzz_input *input)
{
	static const uint64_t edges[] = {
		0, 1, 2, 3, QUIRE_RANGE_MAX, FUZZ_PAGE, 1ull << 16, 1ull << 31, UINT32_MAX,
		1ull << 32, 1ull << 52, 1ull << 63, UINT64_MAX - FUZZ_PAGE + 1, UINT64_MAX,
	};

	return edges[fuzz_below(input, ARRAY_SIZE(edges))];
}

/* On an edge, one next to what it was, or with one bit of it turned. */
static uint64_t take_other(struct fuzz_input *input, uint64_t value)
{
	uint32_t choice = fuzz_below(input, 8);

	switch (choice) {
	case 0:
		return value + 1;
	case 1:
		return value - 1;
	case 2:
		return value ^ 1ull << fuzz_below(input, 64);
	case 3:
		return value ^ 1ull << fuzz_below(input, 8);
	default:
		return take_edge(input);
	}
}

static void spoil_number(struct fuzz_input *input, void *at, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, at, size);
	value = take_other(input, value);
	memcpy(at, &value, size);
}

/* Runs of no pages, none at all, or pages that the segment has not. */
static void spoil_runs(struct fuzz_input *input, struct quire_paging_location *location)
{
	uint64_t limit = location->segment == QUIRE_SEGMENT_VRAM ? VRAM_PAGES :
			 location->segment == QUIRE_SEGMENT_APERTURE ? APERTURE_PAGES :
			 UINT64_MAX / FUZZ_PAGE;
	uint32_t choice = fuzz_below(input, 6);
	struct quire_page_run *run;

	if (choice == 0)
		location->runs = NULL;
	if (choice == 1)
		location->nr_runs = 0;
	if (choice < 2 || !location->nr_runs)
		return;
	run = (struct quire_page_run *)&location->runs[fuzz_below(input, location->nr_runs)];
	if (choice == 2)
		run->count = 0;
	else if (choice == 3)
		run->first = limit - run->count + fuzz_below(input, 2);
	else if (choice == 4)
		run->first = take_other(input, run->first);
	else
		run->count = take_other(input, run->count);
}

/* An array has as many numbers as there were, or fewer. */
static void spoil_pages(struct fuzz_input *input, struct quire_paging_adl *adl)
{
	uint32_t choice = fuzz_below(input, 4);
	uint64_t *number;

	if (adl->contiguous) {
		if (choice == 0)
			adl->page_count = take_other(input, adl->page_count);
		else if (choice == 1)
			adl->base_page_number = UINT64_MAX / FUZZ_PAGE - adl->page_count +
						fuzz_below(input, 2);
		else
			adl->base_page_number = take_other(input, adl->base_page_number);
		return;
	}
	if (choice == 0)
		adl->pages = NULL;
	if (choice == 1)
		adl->page_count = fuzz_below(input, adl->page_count + 1);
	if (choice < 2 || !adl->page_count)
		return;
	number = (uint64_t *)&adl->pages[fuzz_below(input, adl->page_count)];
	*number = choice == 2 ? UINT64_MAX / FUZZ_PAGE - fuzz_below(input, 2) :
				take_other(input, *number);
}

/* Where it is: never a place of the CPU that is none. */
static void spoil_table(struct fuzz_input *input, struct quire_paging_update_page_table *update)
{
	union quire_page_table_address *table = &update->page_table_address;

	if (update->update_mode == QUIRE_PAGE_TABLE_GPU_VIRTUAL)
		table->gpu_virtual = take_other(input, table->gpu_virtual);
	else if (update->update_mode == QUIRE_PAGE_TABLE_CPU_VIRTUAL)
		table->cpu_virtual = fuzz_below(input, 2) ? NULL :
			(__le64 *)((uint8_t *)table->cpu_virtual + fuzz_below(input, 8));
	else if (fuzz_below(input, 2))
		table->gpu_physical.segment = take_other(input, table->gpu_physical.segment);
	else
		table->gpu_physical.offset = take_other(input, table->gpu_physical.offset);
}

/* One of those that count, mostly. */
static void spoil_entries(struct fuzz_input *input, struct quire_paging_update_page_table *update)
{
	uint32_t count = update->num_page_table_entries;
	struct quire_paging_pte *pte;

	if (!count)
		return;
	if (update->flags & QUIRE_UPDATE_REPEAT)
		count = 1;
	pte = (struct quire_paging_pte *)&update->page_table_entries[fuzz_below(input, count)];
	switch (fuzz_below(input, 4)) {
	case 0:
		pte->flags ^= 1ull << fuzz_below(input, fuzz_below(input, 4) ? 12 : 64);
		break;
	case 1:
		pte->flags &= ~QUIRE_PTE_SEGMENT_MASK;
		pte->flags |= fuzz_below(input, 4) << QUIRE_PTE_SEGMENT_SHIFT | QUIRE_PTE_VALID;
		break;
	case 2: /* large pages over the end of VRAM */
		pte->flags &= QUIRE_PTE_LARGE;
		pte->flags |= QUIRE_PTE(QUIRE_SEGMENT_VRAM, 0, QUIRE_PTE_VALID);
		pte->page = fuzz_below(input, 2) * QUIRE_PT_ENTRIES_64K;
		break;
	default:
		pte->page = take_other(input, pte->page);
		break;
	}
}

static void spoil_ranges(struct fuzz_input *input, struct quire_paging_copy_entries *copy)
{
	struct quire_paging_copy_range *range;

	if (!copy->num_ranges)
		return;
	range = (struct quire_paging_copy_range *)
		&copy->ranges[fuzz_below(input, copy->num_ranges)];
	switch (fuzz_below(input, 5)) {
	case 0:
		range->num_page_table_entries = take_other(input, range->num_page_table_entries);
		break;
	case 1:
		range->src_page_table_address = take_other(input, range->src_page_table_address);
		break;
	case 2:
		range->dst_page_table_address = take_other(input, range->dst_page_table_address);
		break;
	case 3:
		range->src_start_pte_index = take_other(input, range->src_start_pte_index);
		break;
	default:
		range->dst_start_pte_index = take_other(input, range->dst_start_pte_index);
		break;
	}
}

/*
 * The sizes may stay as they are, so that what a bad layout would need is not too much for
 * the allocation as well.
 */
static void spoil_layout(struct fuzz_input *input, struct quire_paging_allocation *image,
			 size_t offset)
{
	static const uint32_t edges[] = {
		0, 3, 4, 5, 8, 15, 16, 17, 2048, 2049, 16384, 16385, 1u << 31, UINT32_MAX,
	};
	uint32_t *number = (uint32_t *)((uint8_t *)&image->layout + offset);
	uint32_t choice = fuzz_take(input, 1);

	if (choice % 4 == 0)
		++*number;
	else if (choice % 4 == 1)
		--*number;
	else
		*number = edges[fuzz_below(input, ARRAY_SIZE(edges))];
	if (choice & 64)
		image->size = 1ull << 44;
	if (choice & 128)
		image->pitch_aligned_size = 1ull << 44;
}

static void spoil_thing(struct world *world, struct quire_paging_args *args,
			const struct thing *thing)
{
	void *at = (uint8_t *)args + thing->offset;

	switch (thing->kind) {
	case NUMBER_OF:
		spoil_number(&world->input, at, thing->size);
		break;
	case RUNS_OF:
		spoil_runs(&world->input, at);
		break;
	case PAGES_OF:
		spoil_pages(&world->input, at);
		break;
	case ENTRIES_OF:
		spoil_entries(&world->input, at);
		break;
	case RANGES_OF:
		spoil_ranges(&world->input, at);
		break;
	case TABLE_OF:
		spoil_table(&world->input, at);
		break;
	case POINTER_OF:
		*(void **)at = NULL;
		break;
	case ALLOCATION_OF:
		args->allocation = NULL;
		break;
	case OPERATION_OF:
		args->operation = QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES + 1 +
				  fuzz_below(&world->input, 2) * QUIRE_PAGING_MAP_APERTURE_SEGMENT2;
		break;
	case LAYOUT_OF:
		spoil_layout(&world->input, &world->image, thing->offset);
		break;
	}
}

static bool has_thing(const struct quire_paging_args *args, const struct thing *thing,
		      bool new_image)
{
	switch (thing->kind) {
	case OPERATION_OF:
		return true;
	case LAYOUT_OF:
		return new_image;
	default:
		return thing->operation == (uint32_t)args->operation;
	}
}

/* One thing of good arguments. @new_image: nobody knows the layout of the image yet. */
void spoil_args(struct world *world, struct quire_paging_args *args, bool new_image)
{
	bool good = good_args(&world->caps, args);
	uint32_t nr = 0, i;

	for (i = 0; i < ARRAY_SIZE(things); i++)
		nr += has_thing(args, &things[i], new_image);
	nr = fuzz_below(&world->input, nr) + 1;
	for (i = 0; nr -= has_thing(args, &things[i], new_image); i++)
		;
	spoil_thing(world, args, &things[i]);
	if (good && !good_args(&world->caps, args)) {
		spoiled_of[i]++;
		spoiled_now[i] = 1;
	}
}

/* One line for each: check.sh wants none with a 0. */
void spoiled_tell(void)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(things); i++)
		fprintf(stderr, "reach: %lu spoiled: %s\n", spoiled_of[i], things[i].name);
}
