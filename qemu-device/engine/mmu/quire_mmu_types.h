/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: translation of virtual addresses.
 *
 * Layer of virtual addresses: page tables are walked, translations remembered. An address of
 * an address space comes in, a place goes out. It uses memory and core.
 */
#ifndef QUIRE_MMU_TYPES_H
#define QUIRE_MMU_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "quire_hw.h"

/* Entries of a table that are read together. */
#define QUIRE_WALK_ENTRIES	QUIRE_PT_ENTRIES_64K

/**
 * struct quire_page - a translation
 * @va: virtual address of its first byte
 * @shift: log2 of its bytes
 * @entry: the page-table entry, which is one of a page that can be
 */
struct quire_page {
	uint64_t va;
	uint32_t shift;
	uint64_t entry;
};

/**
 * struct quire_walk - where a walk of the page tables has ended
 * @known: in a table of level 0, and the rest counts
 * @region: of virtual addresses: number of the 2 MiB that the table translates
 * @table: the table: an entry that leads to it
 * @first: number of the first entry that is in @entries
 * @count: how many are, 0 or %QUIRE_WALK_ENTRIES
 * @entries: as they were when they were read
 */
struct quire_walk {
	bool known;
	uint64_t region;
	uint64_t table;
	uint32_t first;
	uint32_t count;
	uint64_t entries[QUIRE_WALK_ENTRIES];
};

/**
 * struct quire_space - how a side that has virtual addresses is translated
 * @root: of the address space
 * @access: QUIRE_ACCESS_*: what is done there
 * @segments: a bit for each segment that its pages may be in; 0: any
 * @least_shift: log2 of the bytes that its pages have at least; 0: any
 * @page: the last one that was found, which the side may have; its @shift is 0 if none was
 * @walk: where the last byte was found
 * @ahead: the same for who looks ahead
 */
struct quire_space {
	uint64_t root;
	uint32_t access;
	uint32_t segments;
	uint32_t least_shift;
	struct quire_page page;
	struct quire_walk walk;
	struct quire_walk ahead;
};

#endif
