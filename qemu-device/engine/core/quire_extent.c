// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: where in the residency table an allocation can be.
 *
 * There is no room in a notice that something leaves for where it is, so the table is searched.
 * An extent is from the first page to behind the last that its allocations have had since it was
 * empty, so that the search takes as long as they are large, and not as the table is. Allocations
 * share one if their numbers are the same in the lowest bits; there are as many extents as pages,
 * and drivers number in order.
 */
#include <stdlib.h>

#include "quire_extent.h"
#include "quire_numbers.h"

static struct quire_extent *quire_extent_of(const struct quire_extents *extents,
					    uint32_t allocation)
{
	return &extents->of[allocation & extents->mask];
}

/**
 * quire_extents_init - memory for the extents of a table
 * @extents: all zero
 * @pages: of the table, perhaps none
 *
 * Return: false without memory.
 */
bool quire_extents_init(struct quire_extents *extents, uint32_t pages)
{
	uint64_t count = 1;

	while (count < pages)
		count *= 2;
	extents->mask = count - 1;
	extents->of = calloc(count, sizeof(*extents->of));
	return extents->of;
}

/**
 * quire_extents_fini - free them
 * @extents: the extents; there may be none
 */
void quire_extents_fini(struct quire_extents *extents)
{
	free(extents->of);
	*extents = (struct quire_extents){ 0 };
}

/**
 * quire_extents_add - an allocation comes to a page
 * @extents: the extents
 * @allocation: its number
 * @page: of the table
 */
void quire_extents_add(struct quire_extents *extents, uint32_t allocation, uint32_t page)
{
	struct quire_extent *extent = quire_extent_of(extents, allocation);

	extent->first = extent->pages ? quire_min(extent->first, page) : page;
	extent->end = extent->pages ? quire_max(extent->end, page + 1) : page + 1;
	extent->pages++;
}

/**
 * quire_extents_remove - an allocation leaves a page
 * @extents: the extents
 * @allocation: its number; it had come there
 */
void quire_extents_remove(struct quire_extents *extents, uint32_t allocation)
{
	quire_extent_of(extents, allocation)->pages--;
}

/**
 * quire_extents_find - where can an allocation be?
 * @extents: the extents
 * @allocation: its number
 * @first: cut to the first page where it can be, if that is behind
 * @end: cut to behind the last one, if that is in front; at or before @first if there is none
 */
void quire_extents_find(const struct quire_extents *extents, uint32_t allocation,
			uint32_t *first, uint32_t *end)
{
	const struct quire_extent *extent = quire_extent_of(extents, allocation);

	*first = quire_max(*first, extent->first);
	*end = extent->pages ? quire_min(*end, extent->end) : 0;
}
