/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A model of what the device keeps of fences and notices, and of its MMUs. */
#ifndef QUIRE_PAGING_TABLES_H
#define QUIRE_PAGING_TABLES_H

#include <linux/types.h>

#include "quire_paging_model.h"

#define QUIRE_TABLES_VA		0xfffffffff000ull /* the last page there is */
#define QUIRE_TABLES_FENCES	512
#define QUIRE_TABLES_LEAVING	0x80000001 /* there from the start, in both segments */
#define QUIRE_TABLES_LEFT	6 /* its pages */
#define QUIRE_TABLES_OTHER	77

/**
 * struct quire_tables_page - what is in a page of a segment
 * @allocation: 0: nothing
 * @offset: which of its pages
 */
struct quire_tables_page {
	u32 allocation;
	u32 offset;
};

/**
 * struct quire_tables_going - a notice of pages that are about to go
 * @flags: of its packet
 * @allocation: whose
 * @offset: byte offset in the allocation
 * @size: bytes
 * @address: virtual address
 */
struct quire_tables_going {
	u32 flags;
	u32 allocation;
	u64 offset;
	u64 size;
	u64 address;
};

/* Of an MMU's page. */
#define QUIRE_TABLES_MAPPED	1
#define QUIRE_TABLES_COHERENT	2

/**
 * struct quire_tables_mapped - what an MMU shows in a page
 * @page: of memory
 * @segment: where that is
 * @flags: QUIRE_TABLES_*; 0: nothing
 */
struct quire_tables_mapped {
	u64 page;
	u32 segment;
	u32 flags;
};

#define QUIRE_TABLES_NATIVE	1024

/**
 * struct quire_tables_native - where a native fence is
 * @owner: root of its address space; 0: nowhere
 * @values: addresses of the current one and of the monitored one
 */
struct quire_tables_native {
	u64 owner;
	u64 values[2];
};

/**
 * struct quire_tables - what packets change
 * @fences: values at QUIRE_TABLES_VA
 * @interrupts: that signals caused
 * @vram: residency of its pages, from QUIRE_MODEL_VRAM_BASE on
 * @aperture: residency of its pages
 * @mmu: of each MMU
 * @going: the last notice
 * @notices: how many there were
 * @native: where native fences are
 */
struct quire_tables {
	u64 fences[QUIRE_TABLES_FENCES];
	u32 interrupts;
	struct quire_tables_page vram[QUIRE_MODEL_VRAM];
	struct quire_tables_page aperture[QUIRE_MODEL_APERTURE];
	struct quire_tables_mapped mmu[2][QUIRE_MODEL_MMU];
	struct quire_tables_going going;
	u32 notices;
	struct quire_tables_native native[QUIRE_TABLES_NATIVE];
};

void quire_tables_reset(struct quire_tables *tables);
struct quire_tables_page *quire_tables_page(struct quire_tables *tables, u32 segment, u64 nr);
const char *quire_tables_decode(const u8 *bytes, struct quire_model_packet *packet);
const char *quire_tables_execute(struct quire_tables *tables, const u8 *bytes, u32 size);

#endif
