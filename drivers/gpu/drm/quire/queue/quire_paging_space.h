/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGING_SPACE_H
#define QUIRE_PAGING_SPACE_H

#include <linux/atomic.h>
#include <quire/quire_hw.h>

#include "paging/quire_paging.h"

struct drm_device;
struct drm_printer;

/* Pages of a scratch window: what one table of level 0 maps. */
#define QUIRE_PAGING_WINDOW_PAGES	QUIRE_PT_ENTRIES

/* Tables of level 0 for the pages of monitored fences, and what they can map. */
#define QUIRE_PAGING_FENCE_TABLES	8
#define QUIRE_PAGING_FENCES		(QUIRE_PAGING_FENCE_TABLES * QUIRE_PT_ENTRIES)

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

/**
 * struct quire_paging_fault - the fault that is latched in the context
 * @status: QUIRE_CONTEXT_*; without %QUIRE_CONTEXT_FAULT the rest means nothing
 * @code: enum quire_fault
 * @access: QUIRE_ACCESS_OF()
 * @address: virtual address that could not be accessed
 * @entry: the page-table entry that says so; 0 if it is in no memory
 */
struct quire_paging_fault {
	u32 status;
	u32 code;
	u32 access;
	u64 address;
	u64 entry;
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
struct quire_paging_fault quire_paging_space_fault(const struct quire_paging_space *space);
void quire_paging_fault_print(const struct quire_paging_fault *fault, struct drm_printer *p);
bool quire_paging_space_spoils(struct quire_paging_space *space);
void quire_paging_space_spoil_table(struct quire_paging_space *space);
struct quire_paging_pte *quire_paging_window_entries(const struct quire_paging_space *space,
						     enum quire_paging_window window);
u64 quire_paging_window_address(enum quire_paging_window window);
u64 quire_paging_window_table(enum quire_paging_window window);
struct quire_paging_update_page_table quire_paging_window_update(enum quire_paging_window window,
								 bool large);
u64 quire_paging_windows_end(void);
void quire_paging_space_map_fence(struct quire_paging_space *space, u32 slot, dma_addr_t page);
void quire_paging_space_unmap_fence(struct quire_paging_space *space, u32 slot);
u64 quire_paging_fence_address(u32 slot);
u64 quire_paging_spare_table(void);

#endif
