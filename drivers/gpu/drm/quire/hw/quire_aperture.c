// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: What aperture and MMUs show
 *
 * A reset takes the tables of aperture and MMUs from the device, and TTM knows only the state after
 * all queued work. So the driver keeps tables of its own, of what the device must have when it goes
 * on with the packet at work: a page is entered when its mapping has been executed, and removed
 * when its unmapping has. Not before: a range has its next owner while work of the previous one is
 * pending (quire_move.c). They are allocated once.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, MapApertureSegment, MapApertureSegment2 and
 * UnmapApertureSegment; DXGK_BUILDPAGINGBUFFER_MAPMMU, DXGK_BUILDPAGINGBUFFER_UNMAPMMU.
 */
/**
 * DOC: The dummy page
 *
 * Unmapped aperture pages point at one page of the driver's, where accesses do no harm. There
 * should be none. The page has a pattern since probe; with the test option check_dummy_page the
 * first write to it is logged. Reads leave no trace, but the device can count them.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <kunit/visibility.h>

#include <drm/drm_print.h>
#include <quire/quire_hw.h>

#include "core/quire_device_types.h"
#include "core/quire_options.h"
#include "quire_aperture.h"

#define QUIRE_DUMMY_PATTERN	0xd5

#define ENTRY_MAPPED		BIT(0)
#define ENTRY_COHERENT		BIT(1)
#define ENTRY_CPU_VISIBLE	BIT(2) /* in the aperture */
#define ENTRY_VRAM		BIT(3) /* in an MMU */
#define ENTRY_PAGE		BIT(4)

/* @flags: of the packet header */
static u64 entry_make(u64 page, u16 flags)
{
	u64 entry = page * ENTRY_PAGE | ENTRY_MAPPED;

	if (flags & QUIRE_MAP_CACHE_COHERENT)
		entry |= ENTRY_COHERENT;
	if (flags & QUIRE_MAP_CPU_VISIBLE)
		entry |= ENTRY_CPU_VISIBLE;
	return entry;
}

/* @numbers: of the pages, unless they follow @base */
static void enter_list(u64 *entry, u32 count, u64 base, const __le64 *numbers, u16 flags)
{
	u64 page;
	u32 i;

	for (i = 0; i < count; i++) {
		page = flags & QUIRE_MAP_CONTIGUOUS ? base + i : le64_to_cpu(numbers[i]);
		entry[i] = entry_make(page, flags);
	}
}

/**
 * quire_aperture_init - make a table that shows the dummy page everywhere
 * @aperture: to initialise
 * @size: bytes of the aperture
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
 * quire_aperture_map - note that the device has mapped pages; any context, as all notes
 * @aperture: the table
 * @packet: built by the builder
 */
void quire_aperture_map(struct quire_aperture *aperture, const struct quire_packet_map *packet)
{
	u16 flags = le16_to_cpu(packet->header.flags);
	u64 *entry = aperture->entries + le64_to_cpu(packet->first_page);
	u64 *end = entry + le32_to_cpu(packet->pages);
	const __le64 *run = packet->runs;
	u64 page, count;

	scoped_guard(spinlock_irqsave, &aperture->lock) {
		for (; entry < end; run++) {
			page = QUIRE_RUN_FIRST(le64_to_cpu(*run));
			for (count = QUIRE_RUN_PAGES(le64_to_cpu(*run)); count; count--)
				*entry++ = entry_make(page++, flags);
		}
	}
}
EXPORT_SYMBOL_IF_KUNIT(quire_aperture_map);

/**
 * quire_aperture_map2 - note that the device has mapped an address list
 * @aperture: the table
 * @packet: built by the builder
 */
void quire_aperture_map2(struct quire_aperture *aperture, const struct quire_packet_map2 *packet)
{
	unsigned long flags;

	spin_lock_irqsave(&aperture->lock, flags);
	enter_list(aperture->entries + le64_to_cpu(packet->first_page),
		   le32_to_cpu(packet->pages), le64_to_cpu(packet->adl), packet->page_numbers,
		   le16_to_cpu(packet->header.flags));
	spin_unlock_irqrestore(&aperture->lock, flags);
}
EXPORT_SYMBOL_IF_KUNIT(quire_aperture_map2);

/* Returns false if the page is mapped in another way, or there is no room. */
static bool part_add(struct quire_aperture_part *part, u64 entry)
{
	struct quire_page_run *last = part->nr_runs ? &part->runs[part->nr_runs - 1] : NULL;
	u64 page = entry / ENTRY_PAGE;

	if (!entry || !!(entry & ENTRY_COHERENT) != part->coherent ||
	    !!(entry & ENTRY_CPU_VISIBLE) != part->cpu_visible)
		return false;
	if (part->cpu_visible) {
		/* Consecutive pages have no limit; listed ones have. */
		if (part->count < QUIRE_APERTURE_PAGES)
			part->pages[part->count] = page;
		else if (!part->contiguous || page != part->pages[0] + part->count)
			return false;
		part->contiguous &= page == part->pages[0] + part->count;
	} else if (last && last->first + last->count == page) {
		last->count++;
	} else if (part->nr_runs < QUIRE_APERTURE_RUNS) {
		part->runs[part->nr_runs++] = (struct quire_page_run) { page, 1 };
	} else {
		return false;
	}
	part->count++;
	return true;
}

/**
 * quire_aperture_next - find the next mapped pages
 * @aperture: the table
 * @first: page from which to look
 * @part: returned: pages mapped alike, as far as its runs or pages reach
 * Returns: false if nothing is mapped from @first on.
 */
bool quire_aperture_next(struct quire_aperture *aperture, u32 first,
			 struct quire_aperture_part *part)
{
	u32 page = first;

	scoped_guard(spinlock_irqsave, &aperture->lock) {
		while (page < aperture->count && !aperture->entries[page])
			page++;
		if (page >= aperture->count)
			return false;
		part->first = page;
		part->count = 0;
		part->nr_runs = 0;
		part->contiguous = true;
		part->coherent = aperture->entries[page] & ENTRY_COHERENT;
		part->cpu_visible = aperture->entries[page] & ENTRY_CPU_VISIBLE;
		while (page < aperture->count && part_add(part, aperture->entries[page]))
			page++;
	}
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(quire_aperture_next);

/**
 * quire_aperture_mapped - count pages that do not show the dummy page; any context
 * @aperture: the table
 * Returns: the number.
 */
u32 quire_aperture_mapped(struct quire_aperture *aperture)
{
	u32 page, mapped = 0;
	unsigned long flags;

	spin_lock_irqsave(&aperture->lock, flags);
	for (page = 0; page < aperture->count; page++)
		mapped += aperture->entries[page] != 0;
	spin_unlock_irqrestore(&aperture->lock, flags);
	return mapped;
}
EXPORT_SYMBOL_IF_KUNIT(quire_aperture_mapped);

/**
 * quire_mmu_table_init - make a table that shows nothing
 * @table: to initialise
 * @pages: of each MMU that the driver uses; 0: none
 * Returns: 0, or -ENOMEM.
 */
int quire_mmu_table_init(struct quire_mmu_table *table, u32 pages)
{
	spin_lock_init(&table->lock);
	table->pages = pages;
	table->entries = kvcalloc(size_mul(pages, QUIRE_MMU_COUNT), sizeof(*table->entries),
				  GFP_KERNEL);
	return table->entries ? 0 : -ENOMEM;
}
EXPORT_SYMBOL_IF_KUNIT(quire_mmu_table_init);

static u64 *table_entries(const struct quire_mmu_table *table, __le32 mmu, __le64 address)
{
	return table->entries + (size_t)le32_to_cpu(mmu) * table->pages +
	       (le64_to_cpu(address) >> QUIRE_PAGE_SHIFT);
}

/**
 * quire_mmu_table_map - note that the device has mapped pages of an MMU
 * @table: the table
 * @packet: built by the builder
 */
void quire_mmu_table_map(struct quire_mmu_table *table,
			 const struct quire_packet_map_mmu *packet)
{
	u64 *entry = table_entries(table, packet->mmu, packet->address);
	u32 i, pages = le32_to_cpu(packet->pages);
	unsigned long flags;

	spin_lock_irqsave(&table->lock, flags);
	enter_list(entry, pages, le64_to_cpu(packet->page_numbers[0]), packet->page_numbers,
		   le16_to_cpu(packet->header.flags));
	if (le32_to_cpu(packet->segment) == QUIRE_SEGMENT_VRAM)
		for (i = 0; i < pages; i++)
			entry[i] |= ENTRY_VRAM;
	spin_unlock_irqrestore(&table->lock, flags);
}
EXPORT_SYMBOL_IF_KUNIT(quire_mmu_table_map);

/**
 * quire_mmu_table_unmap - note that the device has unmapped pages of an MMU
 * @table: the table
 * @packet: built by the builder
 */
void quire_mmu_table_unmap(struct quire_mmu_table *table,
			   const struct quire_packet_unmap_mmu *packet)
{
	u64 *entry = table_entries(table, packet->mmu, packet->address);
	unsigned long flags;

	spin_lock_irqsave(&table->lock, flags);
	memset64(entry, 0, le32_to_cpu(packet->pages));
	spin_unlock_irqrestore(&table->lock, flags);
}
EXPORT_SYMBOL_IF_KUNIT(quire_mmu_table_unmap);

/* Counts the pages before @end that are mapped alike, one after the other. */
static u32 count_run(const u64 *entry, const u64 *end)
{
	u32 pages = 1;

	while (entry + pages < end && entry[pages] == *entry + pages * ENTRY_PAGE)
		pages++;
	return pages;
}

/**
 * quire_mmu_table_next - find the next mapped pages
 * @table: the table
 * @run: the previous run, all 0 to begin; returned: the next one
 * Returns: false if that was the last.
 */
bool quire_mmu_table_next(struct quire_mmu_table *table, struct quire_mmu_run *run)
{
	size_t count = (size_t)table->pages * QUIRE_MMU_COUNT;
	size_t page = (size_t)run->mmu * table->pages + run->first + run->pages;
	u64 entry;

	scoped_guard(spinlock_irqsave, &table->lock) {
		while (page < count && !table->entries[page])
			page++;
		if (page >= count)
			return false;
		entry = table->entries[page];
		*run = (struct quire_mmu_run) {
			.mmu = page / table->pages,
			.first = page % table->pages,
			.segment = entry & ENTRY_VRAM ? QUIRE_SEGMENT_VRAM : QUIRE_SEGMENT_SYSTEM,
			.page = entry / ENTRY_PAGE,
			.coherent = entry & ENTRY_COHERENT,
		};
		run->pages = count_run(&table->entries[page],
				       table->entries + (size_t)(run->mmu + 1) * table->pages);
	}
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(quire_mmu_table_next);

/**
 * quire_dummy_watch - fill the dummy page with the pattern
 * @qdev: the device, which does not use the page yet
 */
void quire_dummy_watch(struct quire_device *qdev)
{
	memset(qdev->dummy_page, QUIRE_DUMMY_PATTERN, QUIRE_PAGE_SIZE);
	atomic_set(&qdev->dummy_watched, 1);
}
EXPORT_SYMBOL_IF_KUNIT(quire_dummy_watch);

/**
 * quire_dummy_init - allocate the dummy page
 * @qdev: the device (devres)
 * Returns: 0; -ENOMEM.
 */
int quire_dummy_init(struct quire_device *qdev)
{
	qdev->dummy_page = dmam_alloc_coherent(qdev->drm.dev, QUIRE_PAGE_SIZE, &qdev->dummy_dma,
					       GFP_KERNEL);
	if (!qdev->dummy_page)
		return -ENOMEM;

	quire_dummy_watch(qdev);
	return 0;
}

/**
 * quire_dummy_check - log the first write to the dummy page, if a test asks for it
 * @qdev: the device
 * @when: for the log
 */
void quire_dummy_check(struct quire_device *qdev, const char *when)
{
	const u8 *written;

	if (!READ_ONCE(quire_options.check_dummy_page) || !atomic_read(&qdev->dummy_watched))
		return;

	written = memchr_inv(qdev->dummy_page, QUIRE_DUMMY_PATTERN, QUIRE_PAGE_SIZE);
	if (written && atomic_xchg(&qdev->dummy_watched, 0))
		drm_err(&qdev->drm, "%s: something wrote to the dummy page, %#x at byte %td\n",
			when, *written, written - (const u8 *)qdev->dummy_page);
}
EXPORT_SYMBOL_IF_KUNIT(quire_dummy_check);
