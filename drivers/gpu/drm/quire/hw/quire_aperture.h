/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_APERTURE_H
#define QUIRE_APERTURE_H

#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "paging/quire_paging.h"

struct quire_device;
struct quire_packet_map;
struct quire_packet_map2;
struct quire_packet_map_mmu;
struct quire_packet_unmap_mmu;

/* Runs, or pages of an address list, that one operation of a restoration maps. */
#define QUIRE_APERTURE_RUNS	64
#define QUIRE_APERTURE_PAGES	128

/**
 * struct quire_aperture - what the aperture of the device shows
 * @lock: of @entries; inside of &quire_ring.lock
 * @count: pages of the aperture
 * @entries: for each page: the system page and how it is mapped; 0: the dummy page
 */
struct quire_aperture {
	spinlock_t lock; /* of @entries */
	u32 count;
	u64 *entries;
};

/**
 * struct quire_aperture_part - consecutive aperture pages that are mapped alike
 * @first: first page of the aperture
 * @count: pages
 * @coherent: mapped cache coherent
 * @cpu_visible: the CPU sees them
 * @contiguous: if @cpu_visible: the pages follow each other from the first of @pages on
 * @nr_runs: number of @runs
 * @runs: the system pages, if not @cpu_visible
 * @pages: their page numbers, if @cpu_visible
 */
struct quire_aperture_part {
	u32 first;
	u32 count;
	bool coherent;
	bool cpu_visible;
	bool contiguous;
	u32 nr_runs;
	union {
		struct quire_page_run runs[QUIRE_APERTURE_RUNS];
		u64 pages[QUIRE_APERTURE_PAGES];
	};
};

/**
 * struct quire_mmu_table - what the MMUs of the device show
 * @lock: of @entries; inside of &quire_ring.lock
 * @pages: of each MMU that the driver uses, from its start; 0: none
 * @entries: for each page of the first MMU, then of the others; 0: nothing is mapped
 */
struct quire_mmu_table {
	spinlock_t lock; /* of @entries */
	u32 pages;
	u64 *entries;
};

/**
 * struct quire_mmu_run - pages of an MMU that show consecutive pages
 * @mmu: below %QUIRE_MMU_COUNT
 * @first: first page of the MMU
 * @pages: number of them
 * @segment: of the pages shown: %QUIRE_SEGMENT_SYSTEM or %QUIRE_SEGMENT_VRAM
 * @page: first page shown
 * @coherent: mapped cache coherent
 */
struct quire_mmu_run {
	u32 mmu;
	u32 first;
	u32 pages;
	u32 segment;
	u64 page;
	bool coherent;
};

int quire_aperture_init(struct quire_aperture *aperture, u64 size);
void quire_aperture_map(struct quire_aperture *aperture, const struct quire_packet_map *packet);
void quire_aperture_map2(struct quire_aperture *aperture, const struct quire_packet_map2 *packet);
bool quire_aperture_next(struct quire_aperture *aperture, u32 first,
			 struct quire_aperture_part *part);
u32 quire_aperture_mapped(struct quire_aperture *aperture);

int quire_mmu_table_init(struct quire_mmu_table *table, u32 pages);
void quire_mmu_table_map(struct quire_mmu_table *table,
			 const struct quire_packet_map_mmu *packet);
void quire_mmu_table_unmap(struct quire_mmu_table *table,
			   const struct quire_packet_unmap_mmu *packet);
bool quire_mmu_table_next(struct quire_mmu_table *table, struct quire_mmu_run *run);

void quire_dummy_watch(struct quire_device *qdev);
int quire_dummy_init(struct quire_device *qdev);
void quire_dummy_check(struct quire_device *qdev, const char *when);

/* Nothing is pending any more, here and below. */
static inline void quire_aperture_fini(struct quire_aperture *aperture)
{
	kvfree(aperture->entries);
}

static inline void quire_mmu_table_fini(struct quire_mmu_table *table)
{
	kvfree(table->entries);
}

/* Notes that the device has unmapped pages. */
static inline void quire_aperture_unmap(struct quire_aperture *aperture, u64 first, u32 count)
{
	unsigned long flags;

	spin_lock_irqsave(&aperture->lock, flags);
	memset64(aperture->entries + first, 0, count);
	spin_unlock_irqrestore(&aperture->lock, flags);
}

#endif
