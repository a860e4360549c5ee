// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Packets of page-table entries
 *
 * What UPDATE_PAGE_TABLE writes often follows a rule, and then a packet says the rule: entries
 * that are equal (REPEAT), or pages that follow each other with the same flags (CONTIGUOUS).
 * Such a stretch takes a packet of 40 bytes. What has no rule is a list: 32 bytes, and 8 for
 * each entry.
 *
 * The entries are gone through once. A stretch gets a packet of its own where that is shorter
 * than to have it in a list::
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
 * A list does not go on where a packet has as many entries as it may, nor with a stretch that
 * would be cut out itself.
 * What is left of the window does not count: it cuts lists, but changes no choice. So
 * quire_paging_update_bytes() can tell before what entries will take.
 */
#include <linux/align.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/module.h>

#include <kunit/visibility.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"
#include "quire_paging_pte.h"

#define UPDATE_FLAGS	(QUIRE_UPDATE_REPEAT | QUIRE_UPDATE_INITIAL | \
			 QUIRE_UPDATE_NOTIFY_EVICTION | QUIRE_UPDATE_64K)

static u64 update_entries(const struct quire_paging_args *args)
{
	return args->u.update_page_table.num_page_table_entries;
}

static bool update_is_64k(const struct quire_paging_update_page_table *update)
{
	return update->flags & QUIRE_UPDATE_64K;
}

/* Places of the table that an entry is written to. */
static u32 update_places(const struct quire_paging_update_page_table *update)
{
	return update_is_64k(update) ? QUIRE_PT_ENTRIES_64K : 1;
}

static const struct quire_paging_pte *
update_entry(const struct quire_paging_update_page_table *update, u64 nr)
{
	return &update->page_table_entries[update->flags & QUIRE_UPDATE_REPEAT ? 0 : nr];
}

static int update_check_physical(const struct quire_paging_caps *caps, u32 segment, u64 offset)
{
	if (segment > QUIRE_SEGMENT_VRAM || !IS_ALIGNED(offset, QUIRE_PAGE_SIZE))
		return -EINVAL;

	return quire_paging_check_segment(caps, segment, offset >> QUIRE_PAGE_SHIFT, 1);
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
		return update_check_physical(caps, table->gpu_physical.segment,
					     table->gpu_physical.offset);
	default:
		return -EINVAL;
	}
}

static int update_check_entries(const struct quire_paging_caps *caps,
				const struct quire_paging_update_page_table *update)
{
	u32 nr = update->num_page_table_entries;
	int err = 0;
	u32 i;

	if (nr && !update->page_table_entries)
		return -EINVAL;
	if (nr && update->flags & QUIRE_UPDATE_REPEAT)
		nr = 1;

	for (i = 0; i < nr && !err; i++) {
		const struct quire_paging_pte *pte = &update->page_table_entries[i];

		if (update->flags & QUIRE_UPDATE_NOTIFY_EVICTION && pte->flags & QUIRE_PTE_VALID)
			return -EINVAL;
		err = quire_paging_pte_check(caps, pte, update->page_table_level,
					     update_is_64k(update));
	}

	return err;
}

static int update_check(const struct quire_paging_caps *caps,
			const struct quire_paging_args *args, u64 *entries)
{
	const struct quire_paging_update_page_table *update = &args->u.update_page_table;
	u32 limit = QUIRE_PT_ENTRIES / update_places(update);
	int err;

	if (update->page_table_level >= QUIRE_PT_LEVELS || update->flags & ~UPDATE_FLAGS)
		return -EINVAL;
	if (update_is_64k(update) && update->page_table_level)
		return -EINVAL;
	/* What comes first clears the rest: there has to be something. */
	if (update->flags & QUIRE_UPDATE_INITIAL && !update->num_page_table_entries)
		return -EINVAL;

	err = update_check_table(caps, update);
	if (!err)
		err = quire_paging_check_virtual(update->first_pte_virtual_address, 0);
	if (err)
		return err;

	*entries = update_entries(args);
	if (update->start_index + *entries > limit)
		return -ERANGE;

	return update_check_entries(caps, update);
}

/* By the CPU, which may share the table with the device: each entry as a whole. */

static void cpu_write(__le64 *place, u64 word)
{
	WRITE_ONCE(*place, cpu_to_le64(word));
}

static void cpu_clear_others(const struct quire_paging_update_page_table *update)
{
	u32 places = update_places(update);
	u32 first = update->start_index * places;
	u32 end = first + update->num_page_table_entries * places;
	u32 i;

	for (i = 0; i < QUIRE_PT_ENTRIES; i++)
		if (i < first || i >= end)
			cpu_write(&update->page_table_address.cpu_virtual[i], 0);
}

static u64 cpu_word(const struct quire_paging_update_page_table *update, u32 nr)
{
	u64 word = quire_paging_pte_word(update_entry(update, nr));

	return update_is_64k(update) && word & QUIRE_PTE_VALID ? word | QUIRE_PTE_64K : word;
}

static void cpu_update(const struct quire_paging_update_page_table *update)
{
	u32 places = update_places(update);
	__le64 *place = update->page_table_address.cpu_virtual + update->start_index * places;
	u32 i, j;

	if (update->flags & QUIRE_UPDATE_INITIAL)
		cpu_clear_others(update);
	for (i = 0; i < update->num_page_table_entries; i++)
		for (j = 0; j < places; j++)
			cpu_write(place++, cpu_word(update, i));
}

/**
 * struct stretch - entries that a rule describes
 * @count: how many
 * @rule: %QUIRE_UPDATE_REPEAT or %QUIRE_UPDATE_CONTIGUOUS; of one entry it does not count
 */
struct stretch {
	u64 count;
	u16 rule;
};

/* Pages from an entry to the next one of a stretch; 0: it can not be in one. */
static u32 stretch_step(const struct quire_paging_update_page_table *update,
			const struct quire_paging_pte *pte)
{
	const u64 page = QUIRE_PTE_VALID | QUIRE_PTE_ZERO;

	if ((pte->flags & page) != QUIRE_PTE_VALID || update->page_table_level > 1)
		return 0;
	if (update->page_table_level && !(pte->flags & QUIRE_PTE_LARGE))
		return 0;

	return quire_paging_pte_pages(pte, update->page_table_level, update_is_64k(update));
}

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
	struct stretch stretch = {
		.count = stretch_count(update, first, most, 0),
		.rule = QUIRE_UPDATE_REPEAT,
	};
	u32 step = stretch_step(update, update_entry(update, first));

	if (step && stretch.count == 1) {
		stretch.count = stretch_count(update, first, most, step);
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

static u64 update_table(const struct quire_paging_update_page_table *update)
{
	return update->update_mode == QUIRE_PAGE_TABLE_GPU_VIRTUAL ?
		update->page_table_address.gpu_virtual :
		update->page_table_address.gpu_physical.offset;
}

static u32 update_segment(const struct quire_paging_update_page_table *update)
{
	return update->update_mode == QUIRE_PAGE_TABLE_GPU_VIRTUAL ?
		0 : update->page_table_address.gpu_physical.segment;
}

/* But for the rule. What is initial is so once: later packets must keep it. */
static u16 update_flags(const struct quire_paging_update_page_table *update, u64 first)
{
	u16 flags = update->flags & (QUIRE_UPDATE_NOTIFY_EVICTION | QUIRE_UPDATE_64K);

	if (!first)
		flags |= update->flags & QUIRE_UPDATE_INITIAL;
	if (update->update_mode == QUIRE_PAGE_TABLE_GPU_VIRTUAL)
		flags |= QUIRE_ADDRESS_VIRTUAL;

	return flags;
}

/* Entries that stand in the packet of a stretch. */
static u32 stretch_entries(const struct stretch *stretch)
{
	return stretch->rule ? 1 : stretch->count;
}

/* What the next packet writes if the window has room for it, from entry @first on. */
static struct stretch update_next(const struct quire_paging_caps *caps,
				  const struct quire_paging_update_page_table *update, u64 first)
{
	u64 end = first + min(update->num_page_table_entries - first, caps->max_packet_pages);
	struct stretch stretch = stretch_find(update, first, end - first);

	if (!stretch_is_worth(stretch.count, false,
			      list_goes_on(update, first + stretch.count, end))) {
		stretch.count = list_end(update, first, end, caps->max_packet_pages) - first;
		stretch.rule = 0;
	}
	return stretch;
}

/* One packet, from entry @first on. */
static void update_emit(struct quire_paging_args *args, u64 first, const struct stretch *stretch)
{
	const struct quire_paging_update_page_table *update = &args->u.update_page_table;
	struct quire_packet_update_page_table *packet = args->dma_buffer;
	u32 nr = stretch_entries(stretch), count = stretch->count;
	u32 i;

	packet->segment = cpu_to_le32(update_segment(update));
	packet->level = cpu_to_le32(update->page_table_level);
	packet->table = cpu_to_le64(update_table(update));
	packet->start = cpu_to_le32(update->start_index + first);
	packet->count = cpu_to_le32(count);
	for (i = 0; i < nr; i++)
		packet->entries[i] =
			cpu_to_le64(quire_paging_pte_word(update_entry(update, first + i)));
	quire_paging_commit(args, update_flags(update, first) | stretch->rule,
			    sizeof(*packet) + nr * sizeof(*packet->entries),
			    (u64)count * update_places(update) * sizeof(*packet->entries), count);
}

/* The next packet, for which there is room with one entry. */
static void update_emit_next(const struct quire_paging_caps *caps, struct quire_paging_args *args)
{
	u64 room = (args->dma_size - sizeof(struct quire_packet_update_page_table)) /
		   sizeof(__le64);
	u64 first = args->multipass_offset;
	struct stretch next = update_next(caps, &args->u.update_page_table, first);

	if (!next.rule)
		next.count = min(next.count, room);
	update_emit(args, first, &next);
}

/**
 * quire_paging_update_bytes - what entries of a page table take
 * @caps: what the device can do
 * @update: arguments that quire_paging_check_args() finds good
 *
 * Returns: bytes of the packets that the builder makes of them if its window has room for all;
 * 0 if there is none, for the CPU writes the table.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE.
 */
u32 quire_paging_update_bytes(const struct quire_paging_caps *caps,
			      const struct quire_paging_update_page_table *update)
{
	u32 bytes = 0, first = 0;
	struct stretch next;

	if (update->update_mode == QUIRE_PAGE_TABLE_CPU_VIRTUAL)
		return 0;

	for (; first < update->num_page_table_entries; first += next.count) {
		next = update_next(caps, update, first);
		bytes += sizeof(struct quire_packet_update_page_table) +
			 stretch_entries(&next) * sizeof(__le64);
	}
	return bytes;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_update_bytes);

static enum quire_build_status
update_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 entries)
{
	const size_t smallest = sizeof(struct quire_packet_update_page_table) + sizeof(__le64);

	if (args->u.update_page_table.update_mode == QUIRE_PAGE_TABLE_CPU_VIRTUAL) {
		cpu_update(&args->u.update_page_table);
		args->multipass_offset = entries;
		return QUIRE_BUILD_DONE;
	}

	while (args->multipass_offset < entries) {
		if (!quire_paging_fits(args, smallest))
			return QUIRE_BUILD_FULL;

		update_emit_next(caps, args);
	}

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_update_page_table_ops = {
	.name = "UPDATE_PAGE_TABLE",
	.opcode = QUIRE_OP_UPDATE_PAGE_TABLE,
	.check = update_check,
	.pages = update_entries,
	.build = update_build,
};
