/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: where in a table allocations are.
 */
#ifndef QUIRE_EXTENT_H
#define QUIRE_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct quire_extent - where allocations of some numbers are
 * @first: page of the residency table, none is in front of it
 * @end: none is there or behind it
 * @pages: how many they have; none: @first and @end mean nothing
 */
struct quire_extent {
	uint32_t first;
	uint32_t end;
	uint32_t pages;
};

/**
 * struct quire_extents - extents of all allocations
 * @of: those whose number, and @mask, is the index
 * @mask: a power of two, less 1
 */
struct quire_extents {
	struct quire_extent *of;
	uint32_t mask;
};

bool quire_extents_init(struct quire_extents *extents, uint32_t pages);
void quire_extents_fini(struct quire_extents *extents);
void quire_extents_add(struct quire_extents *extents, uint32_t allocation, uint32_t page);
void quire_extents_remove(struct quire_extents *extents, uint32_t allocation);
void quire_extents_find(const struct quire_extents *extents, uint32_t allocation,
			uint32_t *first, uint32_t *end);

#endif
