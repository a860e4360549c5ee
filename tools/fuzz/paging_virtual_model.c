// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What operations on virtual addresses, page tables and contexts do to memory, from their
 * arguments alone.
 */
#include <string.h>

#include "paging_world.h"

/* NULL where the address space has nothing. */
static uint8_t *virtual_page(struct world *world, uint64_t va)
{
	uint32_t page = space_page(va);
	uint64_t number;
	uint32_t segment;

	if (page == SPACE_PAGES)
		return NULL;
	segment = space_where(world, page, &number);

	return model_page(world, segment, number);
}

/* All pages of a side, which are where the packet says, and large enough; false if not. */
static bool virtual_side(struct world *world, uint64_t va, uint64_t pages, bool local, bool large,
			 uint8_t **side)
{
	uint64_t number, i;

	for (i = 0; i < pages; i++) {
		uint32_t page = space_page(va + i * FUZZ_PAGE);

		if (page == SPACE_PAGES || (large && page < SPACE_LOCAL_64K))
			return false;
		if (local != (space_where(world, page, &number) == QUIRE_SEGMENT_VRAM))
			return false;
		side[i] = virtual_page(world, va + i * FUZZ_PAGE);
	}

	return true;
}

/* Is a page reached by two addresses? What is moved first is left to nobody then. */
static bool virtual_aliases(const struct quire_paging_transfer_virtual *t, uint64_t pages,
			    uint8_t *const *from, uint8_t *const *to)
{
	uint64_t source = t->source_virtual_address / FUZZ_PAGE;
	uint64_t destination = t->destination_virtual_address / FUZZ_PAGE;
	uint64_t i, j;

	for (i = 0; i < pages; i++) {
		for (j = 0; j < pages; j++) {
			bool same = from[i] == to[j];

			if (same != (source + i == destination + j) || (i != j && to[i] == to[j]))
				return true;
		}
	}

	return false;
}

static bool virtual_transfer(struct world *world, const struct quire_paging_transfer_virtual *t)
{
	static uint8_t bytes[SPACE_PAGES * FUZZ_PAGE];
	uint8_t *from[SPACE_PAGES], *to[SPACE_PAGES];
	uint64_t pages = t->transfer_size / FUZZ_PAGE + !!(t->transfer_size % FUZZ_PAGE), i, part;

	if (pages > SPACE_PAGES ||
	    !virtual_side(world, t->source_virtual_address, pages, t->transfer_direction != 1,
			  t->flags & 1, from) ||
	    !virtual_side(world, t->destination_virtual_address, pages,
			  t->transfer_direction != 0, t->flags & 2, to) ||
	    virtual_aliases(t, pages, from, to))
		return false;
	for (i = 0; i < pages; i++)
		memcpy(bytes + i * FUZZ_PAGE, from[i], FUZZ_PAGE);
	for (i = 0; i < pages; i++) {
		part = t->transfer_size - i * FUZZ_PAGE;
		memcpy(to[i], bytes + i * FUZZ_PAGE, part < FUZZ_PAGE ? part : FUZZ_PAGE);
	}

	return true;
}

static bool virtual_fill(struct world *world, const struct quire_paging_fill_virtual *fill)
{
	uint64_t va = fill->destination_virtual_address, i;
	uint8_t *page = NULL;

	if (fill->fill_size > SPACE_PAGES * FUZZ_PAGE)
		return false;
	for (i = 0; i < fill->fill_size; i += FUZZ_PAGE)
		if (!virtual_page(world, va + i))
			return false;
	for (i = 0; i < fill->fill_size; i++) {
		if (!(i % FUZZ_PAGE))
			page = virtual_page(world, va + i);
		page[i % FUZZ_PAGE] = fill->fill_pattern >> i % 4 * 8;
	}

	return true;
}

static bool virtual_init(struct world *world, const struct quire_paging_init_context *init)
{
	uint8_t *page = init->is_virtual ? virtual_page(world, init->address) :
			model_page(world, init->segment, init->address / FUZZ_PAGE);

	if (!page)
		return false;
	memset(page, 0, FUZZ_PAGE);
	memcpy(page, init->save_area ? "QSAV" : "QCTX", 4);

	return true;
}

static void put_le64(uint8_t *to, uint64_t value)
{
	uint32_t i;

	for (i = 0; i < 8; i++)
		to[i] = value >> 8 * i;
}

static uint8_t *virtual_table(struct world *world,
			      const struct quire_paging_update_page_table *update)
{
	const union quire_page_table_address *table = &update->page_table_address;

	switch (update->update_mode) {
	case QUIRE_PAGE_TABLE_CPU_VIRTUAL:
		return table->cpu_virtual == world->cpu_table ? world->cpu_expected : NULL;
	case QUIRE_PAGE_TABLE_GPU_VIRTUAL:
		return virtual_page(world, table->gpu_virtual);
	default:
		return model_page(world, table->gpu_physical.segment,
				  table->gpu_physical.offset / FUZZ_PAGE);
	}
}

static bool virtual_update(struct world *world,
			   const struct quire_paging_update_page_table *update)
{
	uint32_t places = update->flags & QUIRE_UPDATE_64K ? 16 : 1, i;
	uint8_t *table = virtual_table(world, update);

	if (!table)
		return false;
	if (update->flags & QUIRE_UPDATE_INITIAL)
		memset(table, 0, FUZZ_PAGE);
	for (i = 0; i < update->num_page_table_entries * places; i++) {
		const struct quire_paging_pte *pte = &update->page_table_entries
			[update->flags & QUIRE_UPDATE_REPEAT ? 0 : i / places];
		uint64_t word = pte->page * FUZZ_PAGE + pte->flags;

		if (places > 1 && word & 1)
			word |= 1ull << 11;
		put_le64(table + (update->start_index * places + i) * 8, word);
	}

	return true;
}

static bool virtual_update_context(struct world *world,
				   const struct quire_paging_update_context *update)
{
	uint8_t *page = virtual_page(world, update->context_allocation);

	if (page && update->driver_private_data_size)
		memcpy(page + update->offset, update->driver_private_data,
		       update->driver_private_data_size);

	return page;
}

static bool virtual_copy(struct world *world, const struct quire_paging_copy_entries *copy)
{
	uint32_t i;

	for (i = 0; i < copy->num_ranges; i++)
		if (!virtual_page(world, copy->ranges[i].src_page_table_address) ||
		    !virtual_page(world, copy->ranges[i].dst_page_table_address))
			return false;
	for (i = 0; i < copy->num_ranges; i++) {
		const struct quire_paging_copy_range *range = &copy->ranges[i];

		memmove(virtual_page(world, range->dst_page_table_address) +
			range->dst_start_pte_index * 8,
			virtual_page(world, range->src_page_table_address) +
			range->src_start_pte_index * 8, range->num_page_table_entries * 8);
	}

	return true;
}

/* What model() does with these operations. */
bool model_virtual(struct world *world, const struct quire_paging_args *args)
{
	switch (args->operation) {
	case QUIRE_PAGING_VIRTUAL_TRANSFER:
		return virtual_transfer(world, &args->u.transfer_virtual);
	case QUIRE_PAGING_VIRTUAL_FILL:
		return virtual_fill(world, &args->u.fill_virtual);
	case QUIRE_PAGING_INIT_CONTEXT_RESOURCE:
		return virtual_init(world, &args->u.init_context);
	case QUIRE_PAGING_UPDATE_PAGE_TABLE:
		return virtual_update(world, &args->u.update_page_table);
	case QUIRE_PAGING_FLUSH_TLB:
		return true;
	case QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION:
		return virtual_update_context(world, &args->u.update_context);
	case QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES:
		return virtual_copy(world, &args->u.copy_entries);
	default:
		return false;
	}
}
