/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGING_SPACE_H
#define QUIRE_PAGING_SPACE_H

#include <linux/atomic.h>

#include "paging/quire_paging.h"

struct drm_device;
struct drm_printer;
struct quire_paging_work;

/* Pages of a scratch window: what one table of level 0 maps. */
#define QUIRE_PAGING_WINDOW_PAGES	QUIRE_PT_ENTRIES

/* Tables of level 0 for the pages of monitored fences, and what they can map. */
#define QUIRE_PAGING_FENCE_TABLES	8
#define QUIRE_PAGING_FENCES		(QUIRE_PAGING_FENCE_TABLES * QUIRE_PT_ENTRIES)

/* Not 0: an address that was not set is in no page. */
#define PAGING_BASE		BIT_ULL(QUIRE_PT_SHIFT(3))
#define PAGING_REGION_SIZE	BIT_ULL(QUIRE_PT_SHIFT(1))

/**
 * enum quire_paging_window - windows through which moves see what they read and write
 * @QUIRE_PAGING_WINDOW_SOURCE: what is read
 * @QUIRE_PAGING_WINDOW_DESTINATION: what is written
 * @QUIRE_PAGING_WINDOWS: behind the last
 */
enum quire_paging_window {
	QUIRE_PAGING_WINDOW_SOURCE,
	QUIRE_PAGING_WINDOW_DESTINATION,
	QUIRE_PAGING_WINDOWS,
};

/* Pages of &quire_paging_space.memory. */
enum paging_page {
	PAGING_CONTEXT,
	PAGING_TABLE_3,
	PAGING_TABLE_2,
	PAGING_TABLE_1,
	PAGING_TABLE_SPARE,
	PAGING_TABLE_SELF,
	PAGING_TABLE_WINDOW,
	PAGING_TABLE_FENCE = PAGING_TABLE_WINDOW + QUIRE_PAGING_WINDOWS,
	PAGING_PAGES = PAGING_TABLE_FENCE + QUIRE_PAGING_FENCE_TABLES,
};

/* Entries of level 1: tables of level 0, but for the windows of a large page. */
enum paging_region {
	PAGING_REGION_SELF,
	PAGING_REGION_WINDOW,
	PAGING_REGION_LARGE = PAGING_REGION_WINDOW + QUIRE_PAGING_WINDOWS,
	PAGING_REGION_FENCE = PAGING_REGION_LARGE + QUIRE_PAGING_WINDOWS,
};

/**
 * struct quire_paging_space - the address space of the paging ring, and its context
 * @memory: the context and the page tables, as the CPU sees them
 * @dma: DMA address of @memory
 * @context: of the context, for ring entries: QUIRE_ADDRESS()
 * @root: the entry that leads to the table of level 3
 * @entries: for who maps windows, %QUIRE_PAGING_WINDOW_PAGES each; under
 *           &quire_paging_queue.runs_lock
 * @caps: what the device can do
 * @spoil: the window that is mapped so many times from now on has no last entry, for tests; 0: none
 */
struct quire_paging_space {
	void *memory;
	dma_addr_t dma;
	u64 context;
	struct quire_paging_pte root;
	struct quire_paging_pte *entries;
	const struct quire_paging_caps *caps;
	atomic_t spoil;
};

int quire_paging_space_init(struct quire_paging_space *space, struct drm_device *drm,
			    const struct quire_paging_caps *caps);
void quire_paging_space_renew(struct quire_paging_space *space);
bool quire_paging_space_print_fault(const struct quire_paging_space *space, struct drm_printer *p);
void quire_paging_space_spoil_table(struct quire_paging_space *space);
bool quire_virtual_is_chosen(void);
int quire_virtual_move(struct quire_paging_work *work, enum quire_paging_window first);

/* Virtual addresses, here and below. */
static inline u64 quire_paging_page_address(u32 page)
{
	return PAGING_BASE + page * QUIRE_PAGE_SIZE;
}

static inline u64 quire_paging_region_address(u32 region)
{
	return PAGING_BASE + region * PAGING_REGION_SIZE;
}

/* The first page of a window of small pages. */
static inline u64 quire_paging_window_address(enum quire_paging_window window)
{
	return quire_paging_region_address(PAGING_REGION_WINDOW + window);
}

/* Its table of level 0. */
static inline u64 quire_paging_window_table(enum quire_paging_window window)
{
	return quire_paging_page_address(PAGING_TABLE_WINDOW + window);
}

/* The page of a monitored fence. */
static inline u64 quire_paging_fence_address(u32 slot)
{
	return quire_paging_region_address(PAGING_REGION_FENCE) + slot * QUIRE_PAGE_SIZE;
}

/* All tables of fences follow each other. */
static inline void quire_paging_space_write_fence(struct quire_paging_space *space, u32 slot,
						  u64 entry)
{
	__le64 *tables = space->memory + PAGING_TABLE_FENCE * QUIRE_PAGE_SIZE;

	WRITE_ONCE(tables[slot], cpu_to_le64(entry));
}

/* The paging ring reaches the page of a monitored fence; @slot is unused. */
static inline void quire_paging_space_map_fence(struct quire_paging_space *space, u32 slot,
						dma_addr_t page)
{
	quire_paging_space_write_fence(space, slot,
				       QUIRE_PTE(QUIRE_SEGMENT_SYSTEM, page,
						 QUIRE_PTE_VALID | QUIRE_PTE_CACHE_COHERENT |
						 QUIRE_PTE_NO_EXECUTE));
}

/* Nothing that is executed uses it. The device may remember the page until a flush. */
static inline void quire_paging_space_unmap_fence(struct quire_paging_space *space, u32 slot)
{
	quire_paging_space_write_fence(space, slot, 0);
}

/* The table to which nothing leads. */
static inline u64 quire_paging_spare_table(void)
{
	return quire_paging_page_address(PAGING_TABLE_SPARE);
}

#endif
