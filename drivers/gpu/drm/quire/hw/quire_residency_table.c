// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The residency table over a reset
 *
 * A reset empties the residency table of the device, but notices of pending work assume the old
 * one. So the table is read before a reset, and told anew after it (quire_reset.c). Notices of a
 * submission that is given up meanwhile are noted: the objects are where the driver has put them,
 * with or without their content. The copy is allocated once.
 *
 * Locking: the ring is stopped from saving to the end of restoring; what is noted has
 * &quire_ring.lock. &quire_residency_table.lock, a leaf, for reading the table of the device.
 *
 * The places of native fences are noted when the ring gets the notice, not when that is executed: a
 * fence is moved when all commands that can signal it are done, and later commands wait for the
 * move. So telling the device too early does no harm, and a pending notice is told once more.
 *
 * Source: Documentation/gpu/quire/device.rst, residency.
 */
#include <linux/device.h>
#include <linux/slab.h>
#include <kunit/visibility.h>

#include "paging/quire_paging.h"
#include "core/quire_device_types.h"
#include "core/quire_regs.h"
#include "quire_residency_table.h"

static u64 *table_entries(const struct quire_residency_table *table, u32 segment)
{
	return table->entries + (segment == QUIRE_SEGMENT_APERTURE ?
				 table->count[QUIRE_SEGMENT_VRAM] : 0);
}

/**
 * quire_residency_table_init - make an empty copy
 * @table: to initialise; its entries are for kvfree()
 * @vram: pages of VRAM
 * @aperture: pages of the aperture
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

/* Pages from @offset of the object on come to @page; @id 0: nothing does. */
static void note_coming(struct quire_residency_table *table, u32 segment, u64 page, u32 id,
			u32 offset, u32 pages)
{
	u64 *entries = table_entries(table, segment) + page;
	u32 i;

	for (i = 0; i < pages; i++)
		entries[i] = id ? (u64)id << 32 | (offset + i) : 0;
}

/* Pages @first to @end of the object leave, wherever in the segment. */
static void note_leaving(struct quire_residency_table *table, u32 segment, u32 id, u64 first,
			 u64 end)
{
	u64 *entry = table_entries(table, segment);
	u64 *last = entry + table->count[segment];

	for (; entry < last; entry++)
		if (*entry >> 32 == id && (u32)*entry >= first && (u32)*entry < end)
			*entry = 0;
}

/**
 * quire_residency_table_enter - note what the device has
 * @table: the table
 * @run: pages of a segment
 */
void quire_residency_table_enter(struct quire_residency_table *table,
				 const struct quire_residency_run *run)
{
	u32 left = table->count[run->segment] - run->first;

	note_coming(table, run->segment, run->first, run->id, run->offset, min(run->pages, left));
}
EXPORT_SYMBOL_IF_KUNIT(quire_residency_table_enter);

/**
 * quire_residency_table_note - note what a notice that is given up would have told; any context
 * @table: the table; does nothing while the device has it
 * @packet: built by the builder
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
 * quire_residency_table_note2 - the same of a notice of a part; any context
 * @table: the table; does nothing while the device has it
 * @packet: built by the builder
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

/**
 * quire_residency_table_next - find the next pages of an object
 * @table: the table
 * @run: the previous run, all 0 to begin; returned: the next one
 * Returns: false if that was the last, or nothing is kept.
 */
bool quire_residency_table_next(const struct quire_residency_table *table,
				struct quire_residency_run *run)
{
	const u64 *vram_end = table->entries + table->count[QUIRE_SEGMENT_VRAM];
	const u64 *end = vram_end + table->count[QUIRE_SEGMENT_APERTURE];
	const u64 *entry = table_entries(table, run->segment) + run->first + run->pages;

	if (!table->kept)
		return false;
	while (entry < end && !*entry)
		entry++;
	if (entry == end)
		return false;
	if (entry < vram_end)
		end = vram_end;
	run->segment = end == vram_end ? QUIRE_SEGMENT_VRAM : QUIRE_SEGMENT_APERTURE;
	run->first = entry - table_entries(table, run->segment);
	run->id = *entry >> 32;
	run->offset = *entry;
	for (run->pages = 1; entry + run->pages < end; run->pages++)
		if (entry[run->pages] != *entry + run->pages)
			break;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(quire_residency_table_next);

static void entries_free(void *entries)
{
	kvfree(entries);
}

/**
 * quire_residency_save_init - allocate the copy of the table
 * @qdev: the device; its sizes are read (devres)
 * Returns: 0, or -ENOMEM.
 */
int quire_residency_save_init(struct quire_device *qdev)
{
	struct quire_residency_table *table = qdev->residency_table;
	int ret;

	mutex_init(&table->lock);
	ret = quire_residency_table_init(table, qdev->vram_size >> QUIRE_PAGE_SHIFT,
					 qdev->aperture_size >> QUIRE_PAGE_SHIFT);
	return ret ?: devm_add_action_or_reset(qdev->drm.dev, entries_free, table->entries);
}

/**
 * quire_residency_read - read what the device says of a page; may sleep
 * @qdev: the device
 * @segment: %QUIRE_SEGMENT_VRAM or %QUIRE_SEGMENT_APERTURE
 * @page: of it
 * @run: returned: from that page on
 * Returns: false if the device says that there is no such page.
 */
bool quire_residency_read(struct quire_device *qdev, u32 segment, u64 page,
			  struct quire_residency_run *run)
{
	guard(mutex)(&qdev->residency_table->lock);
	quire_write64(qdev->regs, QUIRE_REG_RESIDENCY_PAGE_LO,
		      QUIRE_ADDRESS(segment, page << QUIRE_PAGE_SHIFT));
	*run = (struct quire_residency_run) {
		.segment = segment,
		.first = page,
		.pages = quire_read32(qdev->regs, QUIRE_REG_RESIDENCY_PAGES),
		.id = quire_read32(qdev->regs, QUIRE_REG_RESIDENCY_ALLOCATION),
		.offset = quire_read32(qdev->regs, QUIRE_REG_RESIDENCY_OFFSET),
	};
	return run->pages;
}

static void save_segment(struct quire_device *qdev, u32 segment)
{
	struct quire_residency_table *table = qdev->residency_table;
	struct quire_residency_run run;
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
 * quire_residency_save - copy the table that the device is about to lose, unless it has none
 * @qdev: the device; its rings are stopped
 */
void quire_residency_save(struct quire_device *qdev)
{
	struct quire_residency_table *table = qdev->residency_table;

	if (!table->works || table->kept)
		return;
	save_segment(qdev, QUIRE_SEGMENT_VRAM);
	save_segment(qdev, QUIRE_SEGMENT_APERTURE);
	table->kept = true;
}

/**
 * quire_natives_init - allocate the table, empty
 * @qdev: the device (devres)
 * Returns: 0, or -ENOMEM.
 */
int quire_natives_init(struct quire_device *qdev)
{
	struct quire_natives *natives = qdev->natives;

	spin_lock_init(&natives->lock);
	natives->places = kvcalloc(QUIRE_NATIVE_FENCES, sizeof(*natives->places), GFP_KERNEL);
	if (!natives->places)
		return -ENOMEM;
	return devm_add_action_or_reset(qdev->drm.dev, entries_free, natives->places);
}

/**
 * quire_natives_note - note what the ring is given to tell; any context
 * @natives: native fences
 * @packet: built by the builder
 */
void quire_natives_note(struct quire_natives *natives,
			const struct quire_packet_notify_fences *packet)
{
	u32 bytes = le32_to_cpu(packet->header.size) - sizeof(*packet);
	u32 i, number, count = bytes / sizeof(*packet->fences);
	unsigned long flags;

	spin_lock_irqsave(&natives->lock, flags);
	for (i = 0; i < count; i++) {
		const struct quire_fence_place *from = &packet->fences[i];

		number = le32_to_cpu(from->fence);
		natives->places[number] = (struct quire_paging_fence_residency) {
			.native_fence = number,
			.owner = le64_to_cpu(from->owner),
			.current_value_address = le64_to_cpu(from->current_value),
			.monitored_value_address = le64_to_cpu(from->monitored_value),
		};
	}
	spin_unlock_irqrestore(&natives->lock, flags);
}

/**
 * quire_natives_next - find the next fences that have a place
 * @natives: native fences
 * @at: first number to look at; returned: where to go on
 * @fences: returned: what was noted of them
 * @most: size of @fences
 * Returns: their number; 0: there are no more.
 */
u32 quire_natives_next(struct quire_natives *natives, u32 *at,
		       struct quire_paging_fence_residency *fences, u32 most)
{
	unsigned long flags;
	u32 count = 0;

	spin_lock_irqsave(&natives->lock, flags);
	for (; *at < QUIRE_NATIVE_FENCES && count < most; (*at)++)
		if (natives->places[*at].owner)
			fences[count++] = natives->places[*at];
	spin_unlock_irqrestore(&natives->lock, flags);
	return count;
}
