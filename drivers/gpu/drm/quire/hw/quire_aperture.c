// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: What the aperture shows
 *
 * A reset takes the aperture table from the device, and TTM knows only the state after all queued
 * work. So the driver keeps a table of its own, of what the device must have when it goes on with
 * the packet at work: a page is entered when its MAP_APERTURE_SEGMENT has been executed, and
 * removed when its UNMAP_APERTURE_SEGMENT has. Not before: a range has its next owner while work of
 * the previous one is pending (quire_move.c).
 *
 * The table is allocated once: 8 bytes for each page of the aperture.
 *
 * Locking: &quire_aperture.lock, inside of &quire_ring.lock.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <kunit/visibility.h>
#include <quire/quire_hw.h>

#include "quire_aperture.h"

#define ENTRY_MAPPED		BIT(0)
#define ENTRY_COHERENT		BIT(1)
#define ENTRY_CPU_VISIBLE	BIT(2)
#define ENTRY_PAGE_SHIFT	3

/* @flags: of the packet header */
static u64 entry_make(u64 page, u16 flags)
{
	u64 entry = page << ENTRY_PAGE_SHIFT | ENTRY_MAPPED;

	if (flags & QUIRE_MAP_CACHE_COHERENT)
		entry |= ENTRY_COHERENT;
	if (flags & QUIRE_MAP_CPU_VISIBLE)
		entry |= ENTRY_CPU_VISIBLE;
	return entry;
}

/**
 * quire_aperture_init - make a table that shows the dummy page everywhere
 * @aperture: to initialise
 * @size: bytes of the aperture
 *
 * Returns: 0, or -ENOMEM.
 */
int quire_aperture_init(struct quire_aperture *aperture, u64 size)
{
	spin_lock_init(&aperture->lock);
	aperture->count = size >> QUIRE_PAGE_SHIFT;
	aperture->entries = kvcalloc(aperture->count, sizeof(*aperture->entries), GFP_KERNEL);
	return aperture->entries ? 0 : -ENOMEM;
}
EXPORT_SYMBOL_IF_KUNIT(quire_aperture_init);

/**
 * quire_aperture_fini - free the table
 * @aperture: the table; nothing is pending any more
 */
void quire_aperture_fini(struct quire_aperture *aperture)
{
	kvfree(aperture->entries);
}
EXPORT_SYMBOL_IF_KUNIT(quire_aperture_fini);

/**
 * quire_aperture_map - note that the device has mapped system pages
 * @aperture: the table
 * @packet: built by the builder
 *
 * Any context.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, MapApertureSegment.
 */
void quire_aperture_map(struct quire_aperture *aperture, const struct quire_packet_map *packet)
{
	u16 map_flags = le16_to_cpu(packet->header.flags);
	u64 *entry = aperture->entries + le64_to_cpu(packet->first_page);
	u64 *end = entry + le32_to_cpu(packet->pages);
	const __le64 *run = packet->runs;
	unsigned long flags;
	u64 page, count;

	spin_lock_irqsave(&aperture->lock, flags);
	for (; entry < end; run++) {
		page = QUIRE_RUN_FIRST(le64_to_cpu(*run));
		for (count = QUIRE_RUN_PAGES(le64_to_cpu(*run)); count; count--)
			*entry++ = entry_make(page++, map_flags);
	}
	spin_unlock_irqrestore(&aperture->lock, flags);
}
EXPORT_SYMBOL_IF_KUNIT(quire_aperture_map);

/**
 * quire_aperture_map2 - note that the device has mapped an address list
 * @aperture: the table
 * @packet: built by the builder
 *
 * Any context.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, MapApertureSegment2.
 */
void quire_aperture_map2(struct quire_aperture *aperture, const struct quire_packet_map2 *packet)
{
	u16 map_flags = le16_to_cpu(packet->header.flags);
	u64 *entry = aperture->entries + le64_to_cpu(packet->first_page);
	u32 i, count = le32_to_cpu(packet->pages);
	u64 base = le64_to_cpu(packet->adl);
	unsigned long flags;

	spin_lock_irqsave(&aperture->lock, flags);
	for (i = 0; i < count; i++) {
		u64 page = map_flags & QUIRE_MAP_CONTIGUOUS ?
			   base + i : le64_to_cpu(packet->page_numbers[i]);

		entry[i] = entry_make(page, map_flags);
	}
	spin_unlock_irqrestore(&aperture->lock, flags);
}
EXPORT_SYMBOL_IF_KUNIT(quire_aperture_map2);

/**
 * quire_aperture_unmap - note that the device has unmapped pages
 * @aperture: the table
 * @first: first page, in the aperture
 * @count: pages
 *
 * Any context.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, UnmapApertureSegment.
 */
void quire_aperture_unmap(struct quire_aperture *aperture, u64 first, u32 count)
{
	unsigned long flags;

	spin_lock_irqsave(&aperture->lock, flags);
	memset64(aperture->entries + first, 0, count);
	spin_unlock_irqrestore(&aperture->lock, flags);
}
EXPORT_SYMBOL_IF_KUNIT(quire_aperture_unmap);

/* Returns false if @page starts a run for which there is no room. */
static bool part_add_to_runs(struct quire_aperture_part *part, u64 page)
{
	struct quire_page_run *last = part->nr_runs ? &part->runs[part->nr_runs - 1] : NULL;

	if (last && last->first + last->count == page) {
		last->count++;
	} else if (part->nr_runs < QUIRE_APERTURE_RUNS) {
		part->runs[part->nr_runs++] = (struct quire_page_run) {
			.first = page,
			.count = 1,
		};
	} else {
		return false;
	}
	return true;
}

/* Consecutive pages have no limit; listed ones have. */
static bool part_add_to_list(struct quire_aperture_part *part, u64 page)
{
	if (part->count < QUIRE_APERTURE_PAGES)
		part->pages[part->count] = page;
	else if (!part->contiguous)
		return false;

	if (page == part->pages[0] + part->count)
		return true;
	if (part->count >= QUIRE_APERTURE_PAGES)
		return false;
	part->contiguous = false;
	return true;
}

/* Returns false if the page is mapped in another way, or there is no room. */
static bool part_add(struct quire_aperture_part *part, u64 entry)
{
	u64 page = entry >> ENTRY_PAGE_SHIFT;

	if (!entry || !!(entry & ENTRY_COHERENT) != part->coherent ||
	    !!(entry & ENTRY_CPU_VISIBLE) != part->cpu_visible)
		return false;
	if (!(part->cpu_visible ? part_add_to_list(part, page) : part_add_to_runs(part, page)))
		return false;
	part->count++;
	return true;
}

/**
 * quire_aperture_next - find the next mapped pages
 * @aperture: the table
 * @first: page from which to look
 * @part: returned: pages mapped alike, as far as its runs or pages reach
 *
 * Returns: false if nothing is mapped from @first on.
 */
bool quire_aperture_next(struct quire_aperture *aperture, u32 first,
			 struct quire_aperture_part *part)
{
	unsigned long flags;
	u32 page = first;
	u64 entry;

	spin_lock_irqsave(&aperture->lock, flags);
	while (page < aperture->count && !aperture->entries[page])
		page++;
	part->first = page;
	part->count = 0;
	part->nr_runs = 0;
	part->contiguous = true;
	entry = page < aperture->count ? aperture->entries[page] : 0;
	part->coherent = entry & ENTRY_COHERENT;
	part->cpu_visible = entry & ENTRY_CPU_VISIBLE;
	while (page < aperture->count && part_add(part, aperture->entries[page]))
		page++;
	spin_unlock_irqrestore(&aperture->lock, flags);

	return part->count;
}
EXPORT_SYMBOL_IF_KUNIT(quire_aperture_next);

/**
 * quire_aperture_mapped - count the mapped pages
 * @aperture: the table
 *
 * Any context.
 *
 * Returns: pages that show something else than the dummy page.
 */
u32 quire_aperture_mapped(struct quire_aperture *aperture)
{
	unsigned long flags;
	u32 page, mapped = 0;

	spin_lock_irqsave(&aperture->lock, flags);
	for (page = 0; page < aperture->count; page++)
		mapped += aperture->entries[page] != 0;
	spin_unlock_irqrestore(&aperture->lock, flags);

	return mapped;
}
EXPORT_SYMBOL_IF_KUNIT(quire_aperture_mapped);
