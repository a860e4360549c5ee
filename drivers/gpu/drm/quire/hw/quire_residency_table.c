// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The residency table over a reset
 *
 * A reset empties the residency table of the device, but what is pending goes on afterwards, and
 * its notices are of the table that was. So it is read before (quire_residency_save.c), and told
 * anew after (quire_restore.c). What a submission that is given up had to tell is noted
 * meanwhile: the objects are where the driver has put them, with or without their content.
 *
 * The copy is allocated once: 8 bytes for each page of VRAM and of the aperture.
 *
 * Locking: the ring is stopped from saving to the end of restoring. What is noted has
 * &quire_ring.lock.
 *
 * Source: Documentation/gpu/quire/device.rst, residency.
 */
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include <asm/byteorder.h>

#include <kunit/visibility.h>

#include <quire/quire_hw.h>

#include "quire_residency_table.h"

static u64 entry_make(u32 id, u32 offset)
{
	return (u64)id << 32 | offset;
}

static u32 entry_id(u64 entry)
{
	return entry >> 32;
}

static u64 *table_entries(const struct quire_residency_table *table, u32 segment)
{
	return table->entries + (segment == QUIRE_SEGMENT_APERTURE ?
				 table->count[QUIRE_SEGMENT_VRAM] : 0);
}

/**
 * quire_residency_table_init - make a table of which the device has the original
 * @table: to initialise
 * @vram: pages of VRAM
 * @aperture: pages of the aperture
 *
 * Returns: 0, or -ENOMEM.
 */
int quire_residency_table_init(struct quire_residency_table *table, u32 vram, u32 aperture)
{
	table->count[QUIRE_SEGMENT_VRAM] = vram;
	table->count[QUIRE_SEGMENT_APERTURE] = aperture;
	table->entries = kvcalloc(size_add(vram, aperture), sizeof(*table->entries), GFP_KERNEL);
	return table->entries ? 0 : -ENOMEM;
}
EXPORT_SYMBOL_IF_KUNIT(quire_residency_table_init);

/**
 * quire_residency_table_fini - free the table
 * @table: the table; nothing is pending any more
 */
void quire_residency_table_fini(struct quire_residency_table *table)
{
	kvfree(table->entries);
}
EXPORT_SYMBOL_IF_KUNIT(quire_residency_table_fini);

/**
 * quire_residency_table_enter - the device had this
 * @table: the table
 * @run: pages of a segment, the first of which there is
 */
void quire_residency_table_enter(struct quire_residency_table *table,
				 const struct quire_residency_run *run)
{
	u64 *entry = table_entries(table, run->segment) + run->first;
	u32 left = table->count[run->segment] - run->first;
	u32 i;

	for (i = 0; i < min(run->pages, left); i++)
		entry[i] = run->id ? entry_make(run->id, run->offset + i) : 0;
}
EXPORT_SYMBOL_IF_KUNIT(quire_residency_table_enter);

/**
 * quire_residency_table_keep - all that the device had was entered
 * @table: the table
 */
void quire_residency_table_keep(struct quire_residency_table *table)
{
	table->kept = true;
}
EXPORT_SYMBOL_IF_KUNIT(quire_residency_table_keep);

/* It leaves: pages @first to @end of it, wherever in the segment. */
static void note_leaving(struct quire_residency_table *table, u32 segment, u32 id, u64 first,
			 u64 end)
{
	u64 *entries = table_entries(table, segment);
	u32 i;

	for (i = 0; i < table->count[segment]; i++)
		if (entry_id(entries[i]) == id && (u32)entries[i] >= first &&
		    (u32)entries[i] < end)
			entries[i] = 0;
}

static void note_coming(struct quire_residency_table *table, u32 segment, u64 page, u32 id,
			u32 offset, u32 pages)
{
	u64 *entries = table_entries(table, segment) + page;
	u32 i;

	for (i = 0; i < pages; i++)
		entries[i] = entry_make(id, offset + i);
}

/**
 * quire_residency_table_note - a notice is never told
 * @table: the table; does nothing while the device has it
 * @packet: built by the builder
 *
 * Any context.
 */
void quire_residency_table_note(struct quire_residency_table *table,
				const struct quire_packet_notify_residency *packet)
{
	u32 id = le32_to_cpu(packet->allocation);
	u64 address = le64_to_cpu(packet->address);

	if (!table->kept)
		return;
	if (le16_to_cpu(packet->header.flags) & QUIRE_NOTIFY_RESIDENT) {
		note_coming(table, QUIRE_ADDRESS_SEGMENT(address),
			    QUIRE_ADDRESS_OFFSET(address) >> QUIRE_PAGE_SHIFT, id, 0,
			    le32_to_cpu(packet->pages));
		return;
	}
	note_leaving(table, QUIRE_SEGMENT_VRAM, id, 0, U64_MAX);
	note_leaving(table, QUIRE_SEGMENT_APERTURE, id, 0, U64_MAX);
}
EXPORT_SYMBOL_IF_KUNIT(quire_residency_table_note);

/**
 * quire_residency_table_note2 - a notice of a part is never told
 * @table: the table; does nothing while the device has it
 * @packet: built by the builder
 *
 * Any context.
 */
void quire_residency_table_note2(struct quire_residency_table *table,
				 const struct quire_packet_notify_residency2 *packet)
{
	u32 segment = le32_to_cpu(packet->segment), id = le32_to_cpu(packet->allocation);
	u32 first = le32_to_cpu(packet->offset), left = le32_to_cpu(packet->pages);
	const __le64 *run = packet->runs;
	u32 pages;

	if (!table->kept)
		return;
	if (!(le16_to_cpu(packet->header.flags) & QUIRE_NOTIFY_RESIDENT)) {
		note_leaving(table, segment, id, first, (u64)first + left);
		return;
	}
	for (; left; left -= pages, first += pages, run++) {
		pages = QUIRE_RUN_PAGES(le64_to_cpu(*run));
		note_coming(table, segment, QUIRE_RUN_FIRST(le64_to_cpu(*run)), id, first, pages);
	}
}
EXPORT_SYMBOL_IF_KUNIT(quire_residency_table_note2);

static bool find_run(const struct quire_residency_table *table, struct quire_residency_run *run)
{
	const u64 *entries = table_entries(table, run->segment);
	u32 count = table->count[run->segment];
	u64 page = run->first + run->pages;

	while (page < count && !entries[page])
		page++;
	if (page == count)
		return false;
	run->first = page;
	run->id = entry_id(entries[page]);
	run->offset = entries[page];
	for (run->pages = 1; page + run->pages < count; run->pages++)
		if (entries[page + run->pages] != entries[page] + run->pages)
			break;
	return true;
}

/**
 * quire_residency_table_next - find what was somewhere
 * @table: the table, saved
 * @run: the run before; all 0 to begin; returned: the next one, of an object
 *
 * Returns: false if that was the last.
 */
bool quire_residency_table_next(const struct quire_residency_table *table,
				struct quire_residency_run *run)
{
	if (!table->kept)
		return false;
	if (!run->segment)
		run->segment = QUIRE_SEGMENT_VRAM;
	if (find_run(table, run))
		return true;
	if (run->segment == QUIRE_SEGMENT_APERTURE)
		return false;
	*run = (struct quire_residency_run) { .segment = QUIRE_SEGMENT_APERTURE };
	return find_run(table, run);
}
EXPORT_SYMBOL_IF_KUNIT(quire_residency_table_next);

/**
 * quire_residency_table_restored - the device has its table again
 * @table: the table
 */
void quire_residency_table_restored(struct quire_residency_table *table)
{
	table->kept = false;
	table->works = true;
}
EXPORT_SYMBOL_IF_KUNIT(quire_residency_table_restored);
