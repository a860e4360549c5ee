// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Which arguments of operations on virtual addresses, page tables and contexts are good, from
 * their description in quire_paging.h alone.
 */
#include "paging_world.h"

/* Bits of an entry, as the specification has them. */
#define VALID		0x1ull
#define ZERO		0x2ull
#define COHERENT	0x4ull
#define READ_ONLY	0x8ull
#define NO_EXECUTE	0x10ull
#define SEGMENT		0x3e0ull
#define LARGE		0x400ull

static bool good_virtual(uint64_t address, __uint128_t bytes)
{
	return !(address % FUZZ_PAGE) && address + bytes <= (__uint128_t)1 << 48;
}

/* The token counts pages in 32 bits. */
static bool good_bytes(uint64_t address, uint64_t bytes)
{
	return good_virtual(address, bytes) && bytes <= (uint64_t)UINT32_MAX * FUZZ_PAGE;
}

static bool good_transfer_virtual(const struct quire_paging_transfer_virtual *t)
{
	return t->transfer_direction < 3 && t->flags < 4 &&
	       good_bytes(t->source_virtual_address, t->transfer_size) &&
	       good_bytes(t->destination_virtual_address, t->transfer_size);
}

static bool good_place(const struct quire_paging_caps *caps, uint32_t segment, uint32_t last,
		       uint64_t address)
{
	return segment <= last && !(address % FUZZ_PAGE) &&
	       good_pages(caps, segment, address / FUZZ_PAGE, 1);
}

static bool good_init(const struct quire_paging_caps *caps,
		      const struct quire_paging_init_context *init)
{
	if (init->is_virtual)
		return !init->segment && good_virtual(init->address, FUZZ_PAGE);

	return good_place(caps, init->segment, 2, init->address);
}

static bool good_page(const struct quire_paging_caps *caps, const struct quire_paging_pte *pte,
		      uint32_t pages)
{
	uint64_t segment = (pte->flags & SEGMENT) >> 5;
	uint64_t known = VALID | ZERO | COHERENT | READ_ONLY | NO_EXECUTE | SEGMENT;

	if (pte->flags & ~(known | (pages == 512 ? LARGE : 0)))
		return false;
	if (pte->flags & ZERO)
		return !segment && !pte->page && !(pte->flags & COHERENT);

	return segment < 3 && (!segment || !(pte->flags & COHERENT)) && !(pte->page % pages) &&
	       good_pages(caps, segment, pte->page, pages);
}

static bool good_pte(const struct quire_paging_caps *caps, const struct quire_paging_pte *pte,
		     uint32_t level, bool is_64k)
{
	uint64_t segment = (pte->flags & SEGMENT) >> 5;

	if (!(pte->flags & VALID))
		return !pte->flags && !pte->page;
	if (!level)
		return good_page(caps, pte, is_64k ? 16 : 1);
	if (level == 1 && pte->flags & LARGE)
		return good_page(caps, pte, 512);

	return !(pte->flags & ~(VALID | SEGMENT)) && segment < 2 &&
	       good_pages(caps, segment, pte->page, 1);
}

static bool good_entries(const struct quire_paging_caps *caps,
			 const struct quire_paging_update_page_table *update)
{
	uint32_t count = update->num_page_table_entries, i;

	if (count && update->flags & 1)
		count = 1;
	for (i = 0; update->page_table_entries && i < count; i++) {
		const struct quire_paging_pte *pte = &update->page_table_entries[i];

		if (!good_pte(caps, pte, update->page_table_level, update->flags & 8) ||
		    (update->flags & 4 && pte->flags & VALID))
			return false;
	}

	return update->page_table_entries || !count;
}

static bool good_table(const struct quire_paging_caps *caps,
		       const struct quire_paging_update_page_table *update)
{
	const union quire_page_table_address *table = &update->page_table_address;

	switch ((uint32_t)update->update_mode) {
	case 0:
		return table->cpu_virtual && !((uintptr_t)table->cpu_virtual % 8);
	case 1:
		return good_virtual(table->gpu_virtual, FUZZ_PAGE);
	case 2:
		return good_place(caps, table->gpu_physical.segment, 1,
				  table->gpu_physical.offset);
	default:
		return false;
	}
}

static bool good_update(const struct quire_paging_caps *caps,
			const struct quire_paging_update_page_table *update)
{
	uint64_t limit = update->flags & 8 ? 32 : 512;

	if (update->page_table_level > 3 || update->flags > 15 ||
	    (update->flags & 8 && update->page_table_level))
		return false;
	if (update->flags & 2 && !update->num_page_table_entries)
		return false;

	return (uint64_t)update->start_index + update->num_page_table_entries <= limit &&
	       good_virtual(update->first_pte_virtual_address, 0) && good_table(caps, update) &&
	       good_entries(caps, update);
}

static bool good_flush(const struct quire_paging_caps *caps,
		       const struct quire_paging_flush_tlb *flush)
{
	uint64_t start = flush->start_virtual_address, end = flush->end_virtual_address;

	return flush->root.flags & VALID && good_pte(caps, &flush->root, 3, false) &&
	       good_virtual(start, 0) && good_virtual(end, 0) &&
	       (start < end || !(start | end));
}

static bool good_update_context(const struct quire_paging_update_context *update)
{
	uint64_t size = update->driver_private_data_size, end = update->offset + size;

	return !(size % 8) && !(update->offset % 8) && (update->driver_private_data || !size) &&
	       good_virtual(update->context_allocation, update->context_allocation_size) &&
	       end <= update->context_allocation_size && end <= FUZZ_PAGE;
}

static bool good_copy(const struct quire_paging_copy_entries *copy)
{
	uint32_t i;

	for (i = 0; copy->ranges && i < copy->num_ranges; i++) {
		const struct quire_paging_copy_range *range = &copy->ranges[i];
		uint64_t count = range->num_page_table_entries;

		if (!count || range->src_start_pte_index + count > 512 ||
		    range->dst_start_pte_index + count > 512 ||
		    !good_virtual(range->src_page_table_address, FUZZ_PAGE) ||
		    !good_virtual(range->dst_page_table_address, FUZZ_PAGE))
			return false;
	}

	return copy->ranges || !copy->num_ranges;
}

/* What good_args() says of these operations. */
bool good_virtual_args(const struct quire_paging_caps *caps, const struct quire_paging_args *args)
{
	switch (args->operation) {
	case QUIRE_PAGING_VIRTUAL_TRANSFER:
		return good_transfer_virtual(&args->u.transfer_virtual);
	case QUIRE_PAGING_VIRTUAL_FILL:
		return !(args->u.fill_virtual.fill_size % 4) &&
		       good_bytes(args->u.fill_virtual.destination_virtual_address,
				  args->u.fill_virtual.fill_size);
	case QUIRE_PAGING_INIT_CONTEXT_RESOURCE:
		return good_init(caps, &args->u.init_context);
	case QUIRE_PAGING_UPDATE_PAGE_TABLE:
		return good_update(caps, &args->u.update_page_table);
	case QUIRE_PAGING_FLUSH_TLB:
		return good_flush(caps, &args->u.flush_tlb);
	case QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION:
		return good_update_context(&args->u.update_context);
	case QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES:
		return good_copy(&args->u.copy_entries);
	default:
		return false;
	}
}
