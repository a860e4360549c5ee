// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Arguments of operations on virtual addresses, page tables and contexts: good ones. */
#include <string.h>

#include <linux/array_size.h>

#include "paging_world.h"

/* Pages of the address space that follow each other and are of one kind. */
static const struct zone {
	uint32_t first;
	uint32_t pages;
	bool local;
} zones[] = {
	{ 0, VRAM_PAGES, true },
	{ SPACE_SYSTEM, LIST_PAGES + APERTURE_PAGES, false },
	{ SPACE_LOCAL_64K, QUIRE_PT_ENTRIES_64K, true },
	{ SPACE_SYSTEM_64K, QUIRE_PT_ENTRIES_64K, false },
};

static uint64_t take_any_va(struct fuzz_input *input)
{
	return SPACE_BASE + fuzz_below(input, SPACE_PAGES) * FUZZ_PAGE;
}

/* Bytes of up to @pages. */
static uint64_t take_bytes(struct fuzz_input *input, uint32_t pages, uint32_t unit)
{
	uint64_t size = fuzz_below(input, pages + 1) * FUZZ_PAGE;

	return size ? size - fuzz_below(input, FUZZ_PAGE / unit) * unit : 0;
}

/* One side at least is local. */
static void take_virtual_transfer(struct fuzz_input *input,
				  struct quire_paging_transfer_virtual *t)
{
	const struct zone *to = &zones[fuzz_below(input, ARRAY_SIZE(zones))];
	const struct zone *from = &zones[to->local ? fuzz_below(input, ARRAY_SIZE(zones)) :
						     fuzz_below(input, 2) * 2];
	uint32_t skip_from = fuzz_below(input, from->pages), most;
	uint32_t skip_to = fuzz_below(input, to->pages);

	most = from->pages - skip_from;
	if (most > to->pages - skip_to)
		most = to->pages - skip_to;
	fuzz_take(input, 1); /* inputs of the corpus have a byte here */
	t->transfer_size = take_bytes(input, most, 1);
	t->source_virtual_address = SPACE_BASE + (from->first + skip_from) * FUZZ_PAGE;
	t->destination_virtual_address = SPACE_BASE + (to->first + skip_to) * FUZZ_PAGE;
	t->transfer_direction = !from->local ? QUIRE_DIRECTION_SYSTEM_TO_LOCAL :
				!to->local ? QUIRE_DIRECTION_LOCAL_TO_SYSTEM :
				QUIRE_DIRECTION_LOCAL_TO_LOCAL;
	if (from->first >= SPACE_LOCAL_64K)
		t->flags |= fuzz_below(input, 2) * QUIRE_TRANSFER_SRC_64K;
	if (to->first >= SPACE_LOCAL_64K)
		t->flags |= fuzz_below(input, 2) * QUIRE_TRANSFER_DST_64K;
}

static void take_virtual_fill(struct fuzz_input *input, struct quire_paging_fill_virtual *fill)
{
	uint32_t skip = fuzz_below(input, SPACE_PAGES);

	fuzz_take(input, 1); /* and here */
	fill->fill_size = take_bytes(input, SPACE_PAGES - skip, 4);
	fill->destination_virtual_address = SPACE_BASE + skip * FUZZ_PAGE;
	fill->fill_pattern = fuzz_take(input, 4);
}

static uint64_t take_place(struct fuzz_input *input, uint32_t segment)
{
	if (segment == QUIRE_SEGMENT_SYSTEM)
		return SYSTEM_BASE + fuzz_below(input, LIST_PAGES) * FUZZ_PAGE;

	return fuzz_below(input, segment == QUIRE_SEGMENT_VRAM ? VRAM_PAGES : APERTURE_PAGES) *
	       FUZZ_PAGE;
}

static void take_init_context(struct fuzz_input *input, struct quire_paging_init_context *init)
{
	uint32_t kind = fuzz_below(input, 4);

	init->is_virtual = kind & 1;
	init->save_area = kind & 2;
	init->segment = init->is_virtual ? 0 : fuzz_below(input, 3);
	init->address = init->is_virtual ? take_any_va(input) : take_place(input, init->segment);
}

static void take_pte(struct fuzz_input *input, uint32_t level, bool is_64k, bool evicted,
		     struct quire_paging_pte *pte)
{
	bool large = level == 1 && fuzz_below(input, 2), page = !level || large;
	uint32_t kind = fuzz_take(input, 1), segment = kind % (page ? 3 : 2);
	uint32_t pages = is_64k ? 16 : large ? 512 : 1;

	*pte = (struct quire_paging_pte) { 0 };
	if (evicted || kind < 32)
		return;
	pte->flags = QUIRE_PTE_VALID;
	if (page)
		pte->flags |= kind & (QUIRE_PTE_READ_ONLY | QUIRE_PTE_NO_EXECUTE);
	if (large)
		pte->flags |= QUIRE_PTE_LARGE;
	if (page && kind >= 224) {
		pte->flags |= QUIRE_PTE_ZERO;
		return;
	}
	/* of VRAM and the aperture pages of 2 MiB are too large */
	if (large)
		segment = QUIRE_SEGMENT_SYSTEM;
	pte->flags |= (uint64_t)segment << QUIRE_PTE_SEGMENT_SHIFT;
	if (segment != QUIRE_SEGMENT_SYSTEM)
		pte->page = fuzz_below(input, is_64k ? 1 : APERTURE_PAGES) * pages;
	else
		pte->page = fuzz_take(input, kind & 1 ? 1 : 4) * pages;
	if (page && segment == QUIRE_SEGMENT_SYSTEM)
		pte->flags |= kind & QUIRE_PTE_CACHE_COHERENT;
}

/* Stretches of what follows a rule, and entries without one. */
static void take_entries(struct fuzz_input *input, struct quire_paging_update_page_table *update,
			 struct quire_paging_pte *entries)
{
	bool is_64k = update->flags & QUIRE_UPDATE_64K;
	uint32_t left = 0, step = 0, i;

	for (i = 0; i < update->num_page_table_entries; i++) {
		if (i && left) {
			entries[i] = entries[i - 1];
			entries[i].page += step;
			left--;
			continue;
		}
		take_pte(input, update->page_table_level, is_64k,
			 update->flags & QUIRE_UPDATE_NOTIFY_EVICTION, &entries[i]);
		left = fuzz_below(input, 2) ? fuzz_below(input, 24) : 0;
		step = fuzz_below(input, 4);
		/* system memory has room for what comes behind */
		if (!step || (entries[i].flags & (QUIRE_PTE_VALID | QUIRE_PTE_ZERO |
						  QUIRE_PTE_SEGMENT_MASK)) != QUIRE_PTE_VALID)
			step = 0;
		else
			step = is_64k ? 16 : entries[i].flags & QUIRE_PTE_LARGE ? 512 : 1;
	}
}

static void take_table(struct world *world, struct quire_paging_update_page_table *update)
{
	struct fuzz_input *input = &world->input;
	union quire_page_table_address *table = &update->page_table_address;

	update->update_mode = fuzz_below(input, 3);
	switch (update->update_mode) {
	case QUIRE_PAGE_TABLE_CPU_VIRTUAL:
		table->cpu_virtual = world->cpu_table;
		break;
	case QUIRE_PAGE_TABLE_GPU_VIRTUAL:
		table->gpu_virtual = take_any_va(input);
		break;
	case QUIRE_PAGE_TABLE_GPU_PHYSICAL:
		table->gpu_physical.segment = fuzz_below(input, 2);
		table->gpu_physical.offset = take_place(input, table->gpu_physical.segment);
		break;
	}
}

static void take_update(struct world *world, struct quire_paging_update_page_table *update,
			struct quire_paging_pte *entries)
{
	struct fuzz_input *input = &world->input;
	uint32_t flags = fuzz_take(input, 1), limit = QUIRE_PT_ENTRIES;

	update->page_table_level = fuzz_below(input, QUIRE_PT_LEVELS);
	update->flags = flags & QUIRE_UPDATE_INITIAL;
	if (!(flags & 3 << 4))
		update->flags |= QUIRE_UPDATE_REPEAT;
	if (!(flags & 3 << 6))
		update->flags |= QUIRE_UPDATE_NOTIFY_EVICTION;
	if (!update->page_table_level && flags & 1) {
		update->flags |= QUIRE_UPDATE_64K;
		limit /= QUIRE_PT_ENTRIES_64K;
	}
	take_table(world, update);
	update->start_index = fuzz_below(input, limit);
	update->num_page_table_entries = fuzz_below(input, limit - update->start_index) + 1;
	if (flags & 4 && update->num_page_table_entries > 12)
		update->num_page_table_entries = 12;
	if (!(update->flags & QUIRE_UPDATE_INITIAL) && flags == 0xff)
		update->num_page_table_entries = 0;
	update->first_pte_virtual_address = fuzz_take(input, 3) * FUZZ_PAGE;
	update->page_table_entries = entries;
	take_entries(input, update, entries);
}

static void take_flush(struct fuzz_input *input, struct quire_paging_flush_tlb *flush)
{
	uint64_t pages = fuzz_below(input, SPACE_PAGES);

	flush->root.flags = QUIRE_PTE_VALID;
	flush->root.page = (CONTROL_BASE + offsetof(struct control, tables[3])) / FUZZ_PAGE;
	if (!pages)
		return;
	flush->start_virtual_address = take_any_va(input);
	flush->end_virtual_address = flush->start_virtual_address + pages * FUZZ_PAGE;
}

static void take_update_context(struct fuzz_input *input,
				struct quire_paging_update_context *update, u64 *words)
{
	uint32_t i;

	update->context_allocation = take_any_va(input);
	update->context_allocation_size = FUZZ_PAGE << fuzz_below(input, 2);
	update->offset = fuzz_below(input, FUZZ_PAGE / 8) * 8;
	update->driver_private_data_size = fuzz_below(input, FUZZ_PAGE / 8 + 1) * 8;
	if (update->driver_private_data_size > FUZZ_PAGE - update->offset)
		update->driver_private_data_size = FUZZ_PAGE - update->offset;
	update->driver_private_data = words;
	words[0] = fuzz_take(input, 8);
	for (i = 1; i < update->driver_private_data_size / 8; i++)
		words[i] = words[i - 1] * 0x9e3779b97f4a7c15ull + i;
}

static void take_copy(struct fuzz_input *input, struct quire_paging_copy_entries *copy,
		      struct quire_paging_copy_range *ranges)
{
	uint32_t i, most;

	copy->num_ranges = fuzz_below(input, MAX_RANGES + 1);
	copy->ranges = ranges;
	for (i = 0; i < copy->num_ranges; i++) {
		struct quire_paging_copy_range *range = &ranges[i];

		range->src_page_table_address = take_any_va(input);
		range->dst_page_table_address = take_any_va(input);
		range->src_start_pte_index = fuzz_below(input, QUIRE_PT_ENTRIES);
		range->dst_start_pte_index = fuzz_below(input, QUIRE_PT_ENTRIES);
		most = range->src_start_pte_index > range->dst_start_pte_index ?
		       range->src_start_pte_index : range->dst_start_pte_index;
		range->num_page_table_entries = 1 + fuzz_below(input, QUIRE_PT_ENTRIES - most);
	}
}

/* An operation from VIRTUAL_TRANSFER to COPY_PAGE_TABLE_ENTRIES. */
void take_virtual(struct world *world, struct quire_paging_args *args, struct lists *lists)
{
	struct fuzz_input *input = &world->input;

	memset(args, 0, sizeof(*args));
	args->operation = QUIRE_PAGING_VIRTUAL_TRANSFER + fuzz_below(input, 7);
	switch (args->operation) {
	case QUIRE_PAGING_VIRTUAL_TRANSFER:
		take_virtual_transfer(input, &args->u.transfer_virtual);
		break;
	case QUIRE_PAGING_VIRTUAL_FILL:
		take_virtual_fill(input, &args->u.fill_virtual);
		break;
	case QUIRE_PAGING_INIT_CONTEXT_RESOURCE:
		take_init_context(input, &args->u.init_context);
		break;
	case QUIRE_PAGING_UPDATE_PAGE_TABLE:
		take_update(world, &args->u.update_page_table, lists->entries);
		break;
	case QUIRE_PAGING_FLUSH_TLB:
		take_flush(input, &args->u.flush_tlb);
		break;
	case QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION:
		take_update_context(input, &args->u.update_context, lists->words);
		break;
	default:
		take_copy(input, &args->u.copy_entries, lists->ranges);
		break;
	}
}
