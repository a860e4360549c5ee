// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The residency table over a reset
 *
 * A reset empties the residency table of the device, but pending work goes on afterwards, and its
 * notices assume the old table. So the table is read before a reset, and told anew after it
 * (quire_reset.c). Notices of a submission that is given up meanwhile are noted: the objects are
 * where the driver has put them, with or without their content.
 *
 * The copy is allocated once: 8 bytes for each page of VRAM and of the aperture.
 *
 * Locking: the ring is stopped from saving to the end of restoring; what is noted has
 * &quire_ring.lock. &quire_residency_table.lock, a leaf, for reading the table of the device.
 *
 * Source: Documentation/gpu/quire/device.rst, residency.
 */
#include <linux/device.h>
#include <linux/slab.h>
#include <kunit/visibility.h>

#include "core/quire_device_types.h"
#include "core/quire_regs.h"
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
 * quire_residency_table_init - make an empty copy
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
 * quire_residency_table_enter - note what the device has
 * @table: the table
 * @run: pages of a segment
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
 * quire_residency_table_keep - the copy is complete
 * @table: the table
 */
void quire_residency_table_keep(struct quire_residency_table *table)
{
	table->kept = true;
}
EXPORT_SYMBOL_IF_KUNIT(quire_residency_table_keep);

/* Pages @first to @end of the object leave, wherever in the segment. */
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
 * quire_residency_table_note - note what a notice that is given up would have told
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
 * quire_residency_table_note2 - the same of a notice of a part
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
 * quire_residency_table_next - find the next pages of an object
 * @table: the table, saved
 * @run: the previous run, all 0 to begin; returned: the next one
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

static void save_fini(void *table)
{
	quire_residency_table_fini(table);
}

/**
 * quire_residency_save_init - allocate the copy of the table
 * @qdev: the device; its sizes are read (devres)
 *
 * Returns: 0, or -ENOMEM.
 */
int quire_residency_save_init(struct quire_device *qdev)
{
	struct quire_residency_table *table = qdev->residency_table;
	int ret;

	mutex_init(&table->lock);
	ret = quire_residency_table_init(table, qdev->vram_size >> QUIRE_PAGE_SHIFT,
					 qdev->aperture_size >> QUIRE_PAGE_SHIFT);
	return ret ?: devm_add_action_or_reset(qdev->drm.dev, save_fini, table);
}

/**
 * quire_residency_read - read what the device says of a page
 * @qdev: the device
 * @segment: %QUIRE_SEGMENT_VRAM or %QUIRE_SEGMENT_APERTURE
 * @page: of it
 * @run: returned: from that page on
 *
 * May sleep.
 *
 * Returns: false if the device says that there is no such page.
 */
bool quire_residency_read(struct quire_device *qdev, u32 segment, u64 page,
			  struct quire_residency_run *run)
{
	u64 address = QUIRE_ADDRESS(segment, page << QUIRE_PAGE_SHIFT);

	mutex_lock(&qdev->residency_table->lock);
	quire_write64(qdev->regs, QUIRE_REG_RESIDENCY_PAGE_LO, address);
	*run = (struct quire_residency_run) {
		.segment = segment,
		.first = page,
		.pages = quire_read32(qdev->regs, QUIRE_REG_RESIDENCY_PAGES),
		.id = quire_read32(qdev->regs, QUIRE_REG_RESIDENCY_ALLOCATION),
		.offset = quire_read32(qdev->regs, QUIRE_REG_RESIDENCY_OFFSET),
	};
	mutex_unlock(&qdev->residency_table->lock);
	return run->pages;
}

static void save_segment(struct quire_device *qdev, u32 segment)
{
	struct quire_residency_table *table = qdev->residency_table;
	struct quire_residency_run run = { .segment = segment };
	u64 page;

	for (page = 0; page < table->count[segment]; page += run.pages) {
		if (!quire_residency_read(qdev, segment, page, &run))
			run = (struct quire_residency_run) {
				.segment = segment,
				.first = page,
				.pages = table->count[segment] - page,
			};
		quire_residency_table_enter(table, &run);
	}
}

/**
 * quire_residency_save - copy the table that the device is about to lose
 * @qdev: the device; its rings are stopped
 *
 * Does nothing if it was lost already, or was never filled.
 */
void quire_residency_save(struct quire_device *qdev)
{
	struct quire_residency_table *table = qdev->residency_table;

	if (!table->works || table->kept)
		return;
	save_segment(qdev, QUIRE_SEGMENT_VRAM);
	save_segment(qdev, QUIRE_SEGMENT_APERTURE);
	quire_residency_table_keep(table);
}
