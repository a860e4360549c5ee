// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Packets of page-table entries
 *
 * What UPDATE_PAGE_TABLE writes often follows a rule, and then a packet says the rule: entries that
 * are equal (REPEAT), or pages that follow each other with the same flags (CONTIGUOUS). Such a
 * stretch takes a packet of 40 bytes. What has no rule is a list: 32 bytes, and 8 for each entry. A
 * stretch gets a packet of its own where that is shorter than to have it in a list::
 *
 *   entries:   e e e e e S S S S S S S S S S S S e e e
 *   list:     [32 + 5 * 8                                  + 12 * 8 + 3 * 8]
 *   or:       [32 + 5 * 8] [40: the stretch      ] [32 + 3 * 8]
 *
 * So the longest stretch that begins at an entry is cut out if it has more than
 *
 * * 9 entries: in the middle of a list, which has to begin again behind it
 * * 5: where the list would end with it, or where none has begun
 * * 1: where none has begun, and none goes on behind it
 *
 * A list does not go on where a packet has as many entries as it may, nor with a stretch that would
 * be cut out itself. What is left of the window cuts lists, but changes no choice: so
 * quire_paging_update_bytes() can tell before what entries will take.
 */
#include <linux/compiler.h>
#include <linux/module.h>

#include <kunit/visibility.h>

#include "quire_paging_internal.h"

/* Of what leads to a table, of a page of any size, and of one in system memory. */
#define PTE_TABLE	(QUIRE_PTE_VALID | QUIRE_PTE_SEGMENT_MASK)
#define PTE_PAGE	(PTE_TABLE | QUIRE_PTE_ZERO | QUIRE_PTE_READ_ONLY | QUIRE_PTE_NO_EXECUTE)
#define PTE_SYSTEM_PAGE	(PTE_PAGE | QUIRE_PTE_CACHE_COHERENT)

#define UPDATE_FLAGS	(QUIRE_UPDATE_REPEAT | QUIRE_UPDATE_INITIAL | \
			 QUIRE_UPDATE_NOTIFY_EVICTION | QUIRE_UPDATE_64K)

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

/* Pages of 4 KiB that a valid entry leads to; those of a table are one. */
static u32 pte_pages(const struct quire_paging_pte *pte, u32 level, bool is_64k)
{
	if (is_64k)
		return QUIRE_PT_ENTRIES_64K;

	return level && pte_is_page(pte, level) ? QUIRE_PT_ENTRIES : 1;
}

/*
 * What the device would fault on with BAD_PTE is refused here, where it is still known which
 * operation writes it. The root of an address space is as an entry of level 3.
 */
static int pte_check(const struct quire_paging_caps *caps, const struct quire_paging_pte *pte,
		     u32 level, bool is_64k)
{
	u32 last = pte_is_page(pte, level) ? QUIRE_SEGMENT_APERTURE : QUIRE_SEGMENT_VRAM;
	u32 segment = QUIRE_PTE_SEGMENT(pte->flags);
	u32 pages = pte_pages(pte, level, is_64k);

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

static u64 pte_word(const struct quire_paging_pte *pte)
{
	return pte->page << QUIRE_PAGE_SHIFT | pte->flags;
}

/* Places of the table that an entry is written to. */
static u32 update_places(const struct quire_paging_update_page_table *update)
{
	return update->flags & QUIRE_UPDATE_64K ? QUIRE_PT_ENTRIES_64K : 1;
}

static const struct quire_paging_pte *
update_entry(const struct quire_paging_update_page_table *update, u64 nr)
{
	return &update->page_table_entries[update->flags & QUIRE_UPDATE_REPEAT ? 0 : nr];
}

static int update_check_table(const struct quire_paging_caps *caps,
			      const struct quire_paging_update_page_table *update)
{
	const union quire_page_table_address *table = &update->page_table_address;

	switch (update->update_mode) {
	case QUIRE_PAGE_TABLE_CPU_VIRTUAL:
		return table->cpu_virtual && IS_ALIGNED((unsigned long)table->cpu_virtual,
							sizeof(*table->cpu_virtual)) ? 0 : -EINVAL;
	case QUIRE_PAGE_TABLE_GPU_VIRTUAL:
		return quire_paging_check_virtual(table->gpu_virtual, QUIRE_PAGE_SIZE);
	case QUIRE_PAGE_TABLE_GPU_PHYSICAL:
		if (table->gpu_physical.segment > QUIRE_SEGMENT_VRAM)
			return -EINVAL;
		return quire_paging_check_address(caps, table->gpu_physical.segment,
						  table->gpu_physical.offset, 1);
	default:
		return -EINVAL;
	}
}

static int update_check_entries(const struct quire_paging_caps *caps,
				const struct quire_paging_update_page_table *update)
{
	u32 i, nr = update->num_page_table_entries;
	int err = 0;

	if (nr && !update->page_table_entries)
		return -EINVAL;
	if (update->flags & QUIRE_UPDATE_REPEAT)
		nr = min(nr, 1u);

	for (i = 0; i < nr && !err; i++) {
		const struct quire_paging_pte *pte = &update->page_table_entries[i];

		if (update->flags & QUIRE_UPDATE_NOTIFY_EVICTION && pte->flags & QUIRE_PTE_VALID)
			return -EINVAL;
		err = pte_check(caps, pte, update->page_table_level,
				update->flags & QUIRE_UPDATE_64K);
	}

	return err;
}

int quire_paging_update_check(const struct quire_paging_caps *caps,
			      const struct quire_paging_args *args)
{
	const struct quire_paging_update_page_table *update = &args->u.update_page_table;
	u64 end = (u64)update->start_index + update->num_page_table_entries;

	if (update->page_table_level >= QUIRE_PT_LEVELS || update->flags & ~UPDATE_FLAGS ||
	    (update->flags & QUIRE_UPDATE_64K && update->page_table_level))
		return -EINVAL;
	/* The first packet clears the rest of the table: there has to be one. */
	if (update->flags & QUIRE_UPDATE_INITIAL && !update->num_page_table_entries)
		return -EINVAL;

	return update_check_table(caps, update) ?:
	       quire_paging_check_virtual(update->first_pte_virtual_address, 0) ?:
	       (end > QUIRE_PT_ENTRIES / update_places(update) ? -ERANGE : 0) ?:
	       update_check_entries(caps, update);
}

/**
 * quire_paging_update_by_cpu - write page-table entries with the CPU, if the arguments ask for it
 * @args: an UPDATE_PAGE_TABLE, that was checked
 *
 * The device may see the table meanwhile: each entry is written as a whole.
 *
 * Returns: false if the device has to write them.
 */
bool quire_paging_update_by_cpu(const struct quire_paging_args *args)
{
	const struct quire_paging_update_page_table *update = &args->u.update_page_table;
	__le64 *table = update->page_table_address.cpu_virtual;
	u32 places = update_places(update);
	u32 at = update->start_index * places;
	u32 end = at + update->num_page_table_entries * places;
	u32 i, j;

	if (update->update_mode != QUIRE_PAGE_TABLE_CPU_VIRTUAL)
		return false;

	for (i = 0; update->flags & QUIRE_UPDATE_INITIAL && i < QUIRE_PT_ENTRIES; i++)
		if (i < at || i >= end)
			WRITE_ONCE(table[i], 0);
	for (i = 0; i < update->num_page_table_entries; i++) {
		u64 word = pte_word(update_entry(update, i));

		if (update->flags & QUIRE_UPDATE_64K && word & QUIRE_PTE_VALID)
			word |= QUIRE_PTE_64K;
		for (j = 0; j < places; j++)
			WRITE_ONCE(table[at++], cpu_to_le64(word));
	}

	return true;
}

/* Entries that a packet writes. */
struct stretch {
	u64 count;
	u16 rule; /* QUIRE_UPDATE_REPEAT or _CONTIGUOUS, any of one entry; 0: a list */
};

/* Entries from @first on, at most @most, each of which has its page @step behind the last. */
static u64 stretch_count(const struct quire_paging_update_page_table *update, u64 first, u64 most,
			 u32 step)
{
	const struct quire_paging_pte *pte = update_entry(update, first);
	u64 nr;

	for (nr = 1; nr < most; nr++) {
		const struct quire_paging_pte *next = update_entry(update, first + nr);

		if (next->flags != pte->flags || next->page != pte->page + nr * step)
			break;
	}

	return nr;
}

/* The longest that begins with entry @first. */
static struct stretch stretch_find(const struct quire_paging_update_page_table *update,
				   u64 first, u64 most)
{
	const struct quire_paging_pte *pte = update_entry(update, first);
	bool has_page = (pte->flags & (QUIRE_PTE_VALID | QUIRE_PTE_ZERO)) == QUIRE_PTE_VALID &&
			pte_is_page(pte, update->page_table_level);
	struct stretch stretch = {
		.count = stretch_count(update, first, most, 0),
		.rule = QUIRE_UPDATE_REPEAT,
	};

	if (has_page && stretch.count == 1) {
		stretch.count = stretch_count(update, first, most,
					      pte_pages(pte, update->page_table_level,
							update->flags & QUIRE_UPDATE_64K));
		stretch.rule = QUIRE_UPDATE_CONTIGUOUS;
	}

	return stretch;
}

/* Does it make less bytes to cut @count entries out? @open: of a list; @rest: that goes on. */
static bool stretch_is_worth(u64 count, bool open, bool rest)
{
	const u32 header = sizeof(struct quire_packet_update_page_table);
	u32 cut = header + sizeof(__le64) + (rest ? header : 0);
	u64 listed = count * sizeof(__le64) + (open ? 0 : header);

	return cut < listed;
}

/* Is it a list that goes on with entry @first, up to @end? */
static bool list_goes_on(const struct quire_paging_update_page_table *update, u64 first, u64 end)
{
	u64 count;

	if (first >= end)
		return false;
	count = stretch_find(update, first, end - first).count;

	return !stretch_is_worth(count, false, first + count < end);
}

/*
 * Entry behind a list from @first on, @end at the latest: where a stretch is cut out. One has
 * at most @max entries, and may pass @end.
 */
static u64 list_end(const struct quire_paging_update_page_table *update, u64 first, u64 end,
		    u64 max)
{
	u64 at = first + stretch_find(update, first, end - first).count;

	while (at < end) {
		u64 left = update->num_page_table_entries - at;
		u64 count = stretch_find(update, at, min(left, max)).count;

		if (stretch_is_worth(count, true, list_goes_on(update, at + count, end)))
			break;
		/* Its last one may begin another. */
		at += max(count - 1, 1ull);
	}

	return min(at, end);
}

/* What the next packet writes if the window has room for it, from entry @first on. */
static struct stretch update_next(const struct quire_paging_update_page_table *update, u64 first,
				  u32 max)
{
	u64 end = first + min(update->num_page_table_entries - first, max);
	struct stretch stretch = stretch_find(update, first, end - first);

	if (!stretch_is_worth(stretch.count, false,
			      list_goes_on(update, first + stretch.count, end))) {
		stretch.count = list_end(update, first, end, max) - first;
		stretch.rule = 0;
	}
	return stretch;
}

void quire_paging_update_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_update_page_table *update = &args->u.update_page_table;
	bool is_virtual = update->update_mode == QUIRE_PAGE_TABLE_GPU_VIRTUAL;
	const union quire_page_table_address *table = &update->page_table_address;
	struct stretch next = update_next(update, packet->first, packet->max_pages);
	struct quire_packet_update_page_table *body = packet->at;
	u32 i, room = packet->room / sizeof(*body->entries);
	u32 nr = next.rule ? 1 : min(next.count, room);

	packet->count = next.rule ? next.count : nr;
	if (nr > room)
		packet->count = 0;
	if (!packet->count)
		return;

	/* INITIAL clears the rest of the table: later packets must keep what stands there. */
	packet->flags = next.rule |
			(update->flags & (QUIRE_UPDATE_NOTIFY_EVICTION | QUIRE_UPDATE_64K)) |
			(packet->first ? 0 : update->flags & QUIRE_UPDATE_INITIAL) |
			(is_virtual ? QUIRE_ADDRESS_VIRTUAL : 0);
	packet->list = nr * sizeof(*body->entries);
	packet->bytes = packet->count * update_places(update) * sizeof(*body->entries);
	body->segment = cpu_to_le32(is_virtual ? 0 : table->gpu_physical.segment);
	body->level = cpu_to_le32(update->page_table_level);
	body->table = cpu_to_le64(is_virtual ? table->gpu_virtual : table->gpu_physical.offset);
	body->start = cpu_to_le32(update->start_index + packet->first);
	body->count = cpu_to_le32(packet->count);
	for (i = 0; i < nr; i++) {
		const struct quire_paging_pte *pte = update_entry(update, packet->first + i);

		body->entries[i] = cpu_to_le64(pte_word(pte));
	}
}

/**
 * quire_paging_update_bytes - count the bytes that entries of a page table take
 * @caps: what the device can do
 * @update: arguments that quire_paging_check_args() finds good
 *
 * Returns: bytes of all their packets; 0 if the CPU writes the table.
 */
u32 quire_paging_update_bytes(const struct quire_paging_caps *caps,
			      const struct quire_paging_update_page_table *update)
{
	u32 bytes = 0, first = 0;
	struct stretch next;

	if (update->update_mode == QUIRE_PAGE_TABLE_CPU_VIRTUAL)
		return 0;

	for (; first < update->num_page_table_entries; first += next.count) {
		next = update_next(update, first, caps->max_packet_pages);
		bytes += sizeof(struct quire_packet_update_page_table) +
			 (next.rule ? 1 : next.count) * sizeof(__le64);
	}
	return bytes;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_update_bytes);

static int copy_check_side(u64 table, u32 start, u32 count)
{
	return quire_paging_check_virtual(table, QUIRE_PAGE_SIZE) ?:
	       ((u64)start + count > QUIRE_PT_ENTRIES ? -ERANGE : 0);
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
				      count) ?:
		      copy_check_side(range->dst_page_table_address, range->dst_start_pte_index,
				      count);
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

	if (!(flush->root.flags & QUIRE_PTE_VALID))
		return -EINVAL;

	return pte_check(caps, &flush->root, QUIRE_PT_LEVELS - 1, false) ?:
	       quire_paging_check_virtual(start, 0) ?:
	       quire_paging_check_virtual(end, 0) ?:
	       (start < end || (!start && !end) ? 0 : -EINVAL);
}

void quire_paging_flush_tlb_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_flush_tlb *flush = &args->u.flush_tlb;
	struct quire_packet_flush_tlb *body = packet->at;

	body->root = cpu_to_le64(pte_word(&flush->root));
	body->start = cpu_to_le64(flush->start_virtual_address);
	body->end = cpu_to_le64(flush->end_virtual_address);
}
