// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: What the MMUs show
 *
 * As of the aperture (quire_aperture.c), the driver keeps a table of what the MMUs must show when
 * the device goes on with the packet at work after a reset: a page is entered when its MAP_MMU has
 * been executed, and removed when its UNMAP_MMU has.
 *
 * The table is allocated once: 8 bytes for each page that the driver uses.
 *
 * Locking: &quire_mmu_table.lock, inside of &quire_ring.lock.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <kunit/visibility.h>
#include <quire/quire_hw.h>

#include "quire_mmu_table.h"

#define ENTRY_MAPPED		BIT(0)
#define ENTRY_VRAM		BIT(1)
#define ENTRY_COHERENT		BIT(2)
#define ENTRY_PAGE		BIT(3)

static u64 entry_make(u64 page, u32 segment, u16 flags)
{
	u64 entry = page * ENTRY_PAGE | ENTRY_MAPPED;

	if (segment == QUIRE_SEGMENT_VRAM)
		entry |= ENTRY_VRAM;
	if (flags & QUIRE_MAP_CACHE_COHERENT)
		entry |= ENTRY_COHERENT;
	return entry;
}

static u64 *table_entries(const struct quire_mmu_table *table, __le32 mmu, __le64 address)
{
	return table->entries + (size_t)le32_to_cpu(mmu) * table->pages +
	       (le64_to_cpu(address) >> QUIRE_PAGE_SHIFT);
}

/**
 * quire_mmu_table_init - make a table that shows nothing
 * @table: to initialise
 * @pages: of each MMU that the driver uses; 0: none
 *
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

/**
 * quire_mmu_table_fini - free the table
 * @table: the table; nothing is pending any more
 */
void quire_mmu_table_fini(struct quire_mmu_table *table)
{
	kvfree(table->entries);
}
EXPORT_SYMBOL_IF_KUNIT(quire_mmu_table_fini);

/**
 * quire_mmu_table_map - note that the device has mapped pages of an MMU
 * @table: the table
 * @packet: built by the builder
 *
 * Any context.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_MAPMMU.
 */
void quire_mmu_table_map(struct quire_mmu_table *table,
			 const struct quire_packet_map_mmu *packet)
{
	u64 *entry = table_entries(table, packet->mmu, packet->address);
	u32 i, pages = le32_to_cpu(packet->pages), segment = le32_to_cpu(packet->segment);
	u16 map_flags = le16_to_cpu(packet->header.flags);
	unsigned long flags;
	u64 page;

	spin_lock_irqsave(&table->lock, flags);
	for (i = 0; i < pages; i++) {
		page = map_flags & QUIRE_MAP_CONTIGUOUS ?
		       le64_to_cpu(packet->page_numbers[0]) + i :
		       le64_to_cpu(packet->page_numbers[i]);
		entry[i] = entry_make(page, segment, map_flags);
	}
	spin_unlock_irqrestore(&table->lock, flags);
}
EXPORT_SYMBOL_IF_KUNIT(quire_mmu_table_map);

/**
 * quire_mmu_table_unmap - note that the device has unmapped pages of an MMU
 * @table: the table
 * @packet: built by the builder
 *
 * Any context.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_UNMAPMMU.
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
 *
 * Returns: false if that was the last.
 */
bool quire_mmu_table_next(struct quire_mmu_table *table, struct quire_mmu_run *run)
{
	size_t count = (size_t)table->pages * QUIRE_MMU_COUNT;
	size_t page = (size_t)run->mmu * table->pages + run->first + run->pages;
	unsigned long flags;
	u64 entry;

	spin_lock_irqsave(&table->lock, flags);
	while (page < count && !table->entries[page])
		page++;
	if (page < count) {
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
	spin_unlock_irqrestore(&table->lock, flags);

	return page < count;
}
EXPORT_SYMBOL_IF_KUNIT(quire_mmu_table_next);
