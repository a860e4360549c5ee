/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_MMU_TABLE_H
#define QUIRE_MMU_TABLE_H

#include <linux/spinlock.h>

struct quire_packet_map_mmu;
struct quire_packet_unmap_mmu;

/**
 * struct quire_mmu_table - what the MMUs of the device show
 * @lock: protects @entries; taken in hard interrupt context
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

int quire_mmu_table_init(struct quire_mmu_table *table, u32 pages);
void quire_mmu_table_fini(struct quire_mmu_table *table);
void quire_mmu_table_map(struct quire_mmu_table *table,
			 const struct quire_packet_map_mmu *packet);
void quire_mmu_table_unmap(struct quire_mmu_table *table,
			   const struct quire_packet_unmap_mmu *packet);
bool quire_mmu_table_next(struct quire_mmu_table *table, struct quire_mmu_run *run);

#endif
