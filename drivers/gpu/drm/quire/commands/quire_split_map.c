// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What of the submission lies where, as far as the split planner knows.
 *
 * A treap for each segment: a search tree by address, and a heap by a number that is as good as
 * random, so that it is not deep. Each object knows the largest gap that is under it, so one is
 * found without a look at all. Others may have put something in between, and what was evicted by
 * others may have the address of what came after it.
 *
 * Source: C. R. Aragon, R. G. Seidel, "Randomized search trees".
 */
#include <linux/minmax.h>

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

static void map_link(struct quire_split *split, u32 *link, u32 object, u32 up)
{
	*link = object;
	if (object != QUIRE_NO_OBJECT)
		split->rows[object].up = up;
}

static u64 map_room(const struct quire_split *split, u32 object)
{
	return object == QUIRE_NO_OBJECT ? 0 : split->rows[object].room;
}

/* Something has changed under it. */
static void map_refresh(struct quire_split *split, u32 object)
{
	while (object != QUIRE_NO_OBJECT) {
		struct quire_split_row *row = &split->rows[object];

		row->room = max(row->gap, max(map_room(split, row->below),
					      map_room(split, row->above)));
		object = row->up;
	}
}

static void map_measure(struct quire_split *split, u32 object, u32 below)
{
	u64 end = 0;

	if (object == QUIRE_NO_OBJECT)
		return;
	if (below != QUIRE_NO_OBJECT)
		end = split->rows[below].address + quire_split_size(split, below);
	split->rows[object].gap = max(split->rows[object].address, end) - end;
}

/**
 * quire_split_map_insert - an object has come
 * @split: the planner
 * @object: to &quire_split_row.address
 */
void quire_split_map_insert(struct quire_split *split, u32 object)
{
	struct quire_split_row *row = &split->rows[object];
	u32 *link = &quire_split_pool(split, object)->root, up = QUIRE_NO_OBJECT, next;
	u32 *below = &row->below, *above = &row->above, below_up = object, above_up = object;

	while (*link != QUIRE_NO_OBJECT && map_rank(*link) > map_rank(object)) {
		up = *link;
		link = map_below(split, object, up) ? &split->rows[up].below :
						      &split->rows[up].above;
	}
	next = *link;
	map_link(split, link, object, up);
	while (next != QUIRE_NO_OBJECT) {
		struct quire_split_row *other = &split->rows[next];

		if (map_below(split, next, object)) {
			map_link(split, below, next, below_up);
			below_up = next;
			below = &other->above;
			next = *below;
		} else {
			map_link(split, above, next, above_up);
			above_up = next;
			above = &other->below;
			next = *above;
		}
	}
	*below = QUIRE_NO_OBJECT;
	*above = QUIRE_NO_OBJECT;

	/* What was linked anew is between one of its neighbours and the root, or it is itself. */
	next = quire_split_map_above(split, object);
	map_measure(split, object, quire_split_map_below(split, object));
	map_measure(split, next, object);
	map_refresh(split, below_up);
	map_refresh(split, next);
}

/**
 * quire_split_map_remove - an object has gone
 * @split: the planner
 * @object: from &quire_split_row.address
 */
void quire_split_map_remove(struct quire_split *split, u32 object)
{
	const struct quire_split_row *row = &split->rows[object];
	u32 up = row->up, below = row->below, above = row->above;
	u32 lower = quire_split_map_below(split, object);
	u32 higher = quire_split_map_above(split, object);
	u32 *link = &quire_split_pool(split, object)->root;

	if (up != QUIRE_NO_OBJECT)
		link = split->rows[up].below == object ? &split->rows[up].below :
							 &split->rows[up].above;
	while (below != QUIRE_NO_OBJECT && above != QUIRE_NO_OBJECT) {
		if (map_rank(below) > map_rank(above)) {
			map_link(split, link, below, up);
			up = below;
			link = &split->rows[below].above;
			below = *link;
		} else {
			map_link(split, link, above, up);
			up = above;
			link = &split->rows[above].below;
			above = *link;
		}
	}
	map_link(split, link, below != QUIRE_NO_OBJECT ? below : above, up);

	map_measure(split, higher, lower);
	map_refresh(split, up);
	map_refresh(split, higher);
}

/**
 * quire_split_map_below - what is next below an object?
 * @split: the planner
 * @object: which is there
 *
 * Returns: an object, or %QUIRE_NO_OBJECT.
 */
u32 quire_split_map_below(const struct quire_split *split, u32 object)
{
	u32 next = split->rows[object].below, up = split->rows[object].up;

	if (next == QUIRE_NO_OBJECT) {
		for (; up != QUIRE_NO_OBJECT && split->rows[up].below == object;
		     up = split->rows[up].up)
			object = up;
		return up;
	}
	while (split->rows[next].above != QUIRE_NO_OBJECT)
		next = split->rows[next].above;
	return next;
}

/**
 * quire_split_map_above - what is next above an object?
 * @split: the planner
 * @object: which is there
 *
 * Returns: an object, or %QUIRE_NO_OBJECT.
 */
u32 quire_split_map_above(const struct quire_split *split, u32 object)
{
	u32 next = split->rows[object].above, up = split->rows[object].up;

	if (next == QUIRE_NO_OBJECT) {
		for (; up != QUIRE_NO_OBJECT && split->rows[up].above == object;
		     up = split->rows[up].up)
			object = up;
		return up;
	}
	while (split->rows[next].below != QUIRE_NO_OBJECT)
		next = split->rows[next].below;
	return next;
}
