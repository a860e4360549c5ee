// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Page-table entries, and the operations that copy them, or have their translations forgotten:
 * COPY_PAGE_TABLE_ENTRIES and FLUSH_TLB. An entry that the device would fault on with BAD_PTE is
 * refused here, where it is still known which operation writes it.
 */
#include <linux/align.h>
#include <linux/errno.h>
#include <linux/minmax.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"

/* Of what leads to a table, of a page of any size, and of one in system memory. */
#define PTE_TABLE	(QUIRE_PTE_VALID | QUIRE_PTE_SEGMENT_MASK)
#define PTE_PAGE	(PTE_TABLE | QUIRE_PTE_ZERO | QUIRE_PTE_READ_ONLY | QUIRE_PTE_NO_EXECUTE)
#define PTE_SYSTEM_PAGE	(PTE_PAGE | QUIRE_PTE_CACHE_COHERENT)

static bool pte_is_page(const struct quire_paging_pte *pte, u32 level)
{
	return !level || (level == 1 && pte->flags & QUIRE_PTE_LARGE);
}

static u64 pte_bits(const struct quire_paging_pte *pte, u32 level)
{
	const u64 elsewhere = QUIRE_PTE_ZERO | QUIRE_PTE_SEGMENT_MASK;
	u64 bits = pte->flags & elsewhere ? PTE_PAGE : PTE_SYSTEM_PAGE;

	if (!pte_is_page(pte, level))
		return PTE_TABLE;

	return level ? bits | QUIRE_PTE_LARGE : bits;
}

/**
 * quire_paging_pte_pages - count the pages of 4 KiB that an entry leads to
 * @pte: a valid one
 * @level: of its table
 * @is_64k: it is that of a page of 64 KiB
 *
 * Returns: pages that follow each other; those of a table are one.
 */
u32 quire_paging_pte_pages(const struct quire_paging_pte *pte, u32 level, bool is_64k)
{
	if (is_64k)
		return QUIRE_PT_ENTRIES_64K;

	return level && pte_is_page(pte, level) ? QUIRE_PT_ENTRIES : 1;
}

/**
 * quire_paging_pte_check - check that an entry can be in a table
 * @caps: what the device can do
 * @pte: the entry
 * @level: of the table, 0 to 3; the root of an address space is as one of level 3
 * @is_64k: it is that of a page of 64 KiB; of level 0
 *
 * Returns: 0; -EINVAL for unknown bits, or bits and segments that such an entry can not
 * have, or a page that is not aligned to its size; -EOVERFLOW if an address does not fit 64
 * bits; -ERANGE if it is not in its segment.
 */
int quire_paging_pte_check(const struct quire_paging_caps *caps,
			   const struct quire_paging_pte *pte, u32 level, bool is_64k)
{
	u32 last = pte_is_page(pte, level) ? QUIRE_SEGMENT_APERTURE : QUIRE_SEGMENT_VRAM;
	u32 segment = QUIRE_PTE_SEGMENT(pte->flags);
	u32 pages = quire_paging_pte_pages(pte, level, is_64k);

	if (!(pte->flags & QUIRE_PTE_VALID))
		return pte->flags || pte->page ? -EINVAL : 0;
	if (pte->flags & ~pte_bits(pte, level) || segment > last)
		return -EINVAL;
	if (pte->flags & QUIRE_PTE_ZERO)
		return pte->page || segment ? -EINVAL : 0;
	if (!IS_ALIGNED(pte->page, pages))
		return -EINVAL;

	return quire_paging_check_segment(caps, segment, pte->page, pages);
}

u64 quire_paging_copy_entries_units(const struct quire_paging_args *args)
{
	return args->u.copy_entries.num_ranges;
}

static int copy_check_side(u64 table, u32 start, u32 count)
{
	int err = quire_paging_check_virtual(table, QUIRE_PAGE_SIZE);

	if (err)
		return err;

	return (u64)start + count > QUIRE_PT_ENTRIES ? -ERANGE : 0;
}

int quire_paging_copy_entries_check(const struct quire_paging_caps *caps,
				    const struct quire_paging_args *args)
{
	const struct quire_paging_copy_entries *copy = &args->u.copy_entries;
	int err = 0;
	u32 i;

	if (copy->num_ranges && !copy->ranges)
		return -EINVAL;

	for (i = 0; i < copy->num_ranges && !err; i++) {
		const struct quire_paging_copy_range *range = &copy->ranges[i];
		u32 count = range->num_page_table_entries;

		if (!count)
			return -EINVAL;
		err = copy_check_side(range->src_page_table_address, range->src_start_pte_index,
				      count);
		if (!err)
			err = copy_check_side(range->dst_page_table_address,
					      range->dst_start_pte_index, count);
	}

	return err;
}

void quire_paging_copy_entries_emit(struct quire_paging_args *args,
				    struct quire_paging_packet *packet)
{
	const struct quire_paging_copy_range *from = &args->u.copy_entries.ranges[packet->first];
	struct quire_packet_copy_page_table *body = packet->at;
	u32 i;

	packet->count = min(packet->count, packet->room / sizeof(*body->ranges));
	packet->list = packet->count * sizeof(*body->ranges);
	for (i = 0; i < packet->count; i++) {
		body->ranges[i] = (struct quire_copy_range) {
			.src = cpu_to_le64(from[i].src_page_table_address),
			.dst = cpu_to_le64(from[i].dst_page_table_address),
			.src_start = cpu_to_le32(from[i].src_start_pte_index),
			.dst_start = cpu_to_le32(from[i].dst_start_pte_index),
			.count = cpu_to_le32(from[i].num_page_table_entries),
		};
		packet->bytes += from[i].num_page_table_entries * sizeof(__le64);
	}
}

int quire_paging_flush_tlb_check(const struct quire_paging_caps *caps,
				 const struct quire_paging_args *args)
{
	const struct quire_paging_flush_tlb *flush = &args->u.flush_tlb;
	u64 start = flush->start_virtual_address;
	u64 end = flush->end_virtual_address;
	int err;

	if (!(flush->root.flags & QUIRE_PTE_VALID))
		return -EINVAL;
	err = quire_paging_pte_check(caps, &flush->root, QUIRE_PT_LEVELS - 1, false);
	if (!err)
		err = quire_paging_check_virtual(start, 0);
	if (!err)
		err = quire_paging_check_virtual(end, 0);
	if (err)
		return err;

	return start < end || (!start && !end) ? 0 : -EINVAL;
}

void quire_paging_flush_tlb_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_flush_tlb *flush = &args->u.flush_tlb;
	struct quire_packet_flush_tlb *body = packet->at;

	body->root = cpu_to_le64(quire_paging_pte_word(&flush->root));
	body->start = cpu_to_le64(flush->start_virtual_address);
	body->end = cpu_to_le64(flush->end_virtual_address);
}
