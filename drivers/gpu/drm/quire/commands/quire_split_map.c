// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What of the submission lies where, as far as the split planner knows.
 *
 * A treap for each segment: a search tree by address, and a heap by a number that is as good as
 * random, so that it is not deep. Others may have put something in between, and what was
 * evicted by others may have the address of what came after it.
 *
 * Source: C. R. Aragon, R. G. Seidel, "Randomized search trees".
 */
#include "quire_split_internal.h"

static bool map_below(const struct quire_split *split, u32 a, u32 b)
{
	const struct quire_split_row *x = &split->rows[a], *y = &split->rows[b];

	return x->address != y->address ? x->address < y->address : a < b;
}

static u32 map_rank(u32 object)
{
	return (object + 1) * 0x9e3779b9;
}

/**
 * quire_split_map_insert - an object has come
 * @split: the planner
 * @object: to &quire_split_row.address
 */
void quire_split_map_insert(struct quire_split *split, u32 object)
{
	struct quire_split_row *row = &split->rows[object];
	u32 *link = &quire_split_pool(split, object)->root, next;
	u32 *below = &row->below, *above = &row->above;

	while (*link != QUIRE_NO_OBJECT && map_rank(*link) > map_rank(object))
		link = map_below(split, object, *link) ? &split->rows[*link].below :
							 &split->rows[*link].above;
	for (next = *link; next != QUIRE_NO_OBJECT;) {
		struct quire_split_row *other = &split->rows[next];

		if (map_below(split, next, object)) {
			*below = next;
			below = &other->above;
			next = *below;
		} else {
			*above = next;
			above = &other->below;
			next = *above;
		}
	}
	*below = QUIRE_NO_OBJECT;
	*above = QUIRE_NO_OBJECT;
	*link = object;
}

/**
 * quire_split_map_remove - an object has gone
 * @split: the planner
 * @object: from &quire_split_row.address
 */
void quire_split_map_remove(struct quire_split *split, u32 object)
{
	u32 *link = &quire_split_pool(split, object)->root;
	u32 below = split->rows[object].below, above = split->rows[object].above;

	while (*link != object)
		link = map_below(split, object, *link) ? &split->rows[*link].below :
							 &split->rows[*link].above;
	while (below != QUIRE_NO_OBJECT && above != QUIRE_NO_OBJECT) {
		if (map_rank(below) > map_rank(above)) {
			*link = below;
			link = &split->rows[below].above;
			below = *link;
		} else {
			*link = above;
			link = &split->rows[above].below;
			above = *link;
		}
	}
	*link = below != QUIRE_NO_OBJECT ? below : above;
}

/**
 * quire_split_map_below - what is next below an object?
 * @split: the planner
 * @object: which is there
 *
 * Returns: an object, or %QUIRE_NO_OBJECT.
 */
u32 quire_split_map_below(struct quire_split *split, u32 object)
{
	u32 next = quire_split_pool(split, object)->root, best = QUIRE_NO_OBJECT;

	while (next != QUIRE_NO_OBJECT) {
		if (map_below(split, next, object)) {
			best = next;
			next = split->rows[next].above;
		} else {
			next = split->rows[next].below;
		}
	}
	return best;
}

/**
 * quire_split_map_above - what is next above an object?
 * @split: the planner
 * @object: which is there
 *
 * Returns: an object, or %QUIRE_NO_OBJECT.
 */
u32 quire_split_map_above(struct quire_split *split, u32 object)
{
	u32 next = quire_split_pool(split, object)->root, best = QUIRE_NO_OBJECT;

	while (next != QUIRE_NO_OBJECT) {
		if (map_below(split, object, next)) {
			best = next;
			next = split->rows[next].below;
		} else {
			next = split->rows[next].above;
		}
	}
	return best;
}
