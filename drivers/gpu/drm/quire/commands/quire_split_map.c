// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Where the split planner puts objects
 *
 * An object that is paged in goes to the highest place that is free, as far as the planner knows.
 * The allocator follows where it can. So the planner can foresee what places cost; and memory that
 * is given out from one end falls into fewer pieces than with an allocator that rounds sizes up.
 *
 * The map of a segment is a treap: a search tree by address, and a heap by a number that is as good
 * as random, so that it is not deep. Each object knows the largest gap that is under it.
 *
 * Source: C. R. Aragon, R. G. Seidel, "Randomized search trees".
 */
#include <linux/align.h>
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

/* The link to an object that is under @up. */
static u32 *map_link(struct quire_split *split, u32 object, u32 up)
{
	if (up == QUIRE_NO_OBJECT)
		return &quire_split_pool(split, object)->root;
	return &split->rows[up].under[split->rows[up].under[1] == object];
}

static void map_set(struct quire_split *split, u32 *link, u32 object, u32 up)
{
	*link = object;
	if (object != QUIRE_NO_OBJECT)
		split->rows[object].up = up;
}

static void map_refresh(struct quire_split *split, u32 object)
{
	struct quire_split_row *row = &split->rows[object];
	u32 i;

	row->room = row->gap;
	for (i = 0; i < 2; i++)
		if (row->under[i] != QUIRE_NO_OBJECT)
			row->room = max(row->room, split->rows[row->under[i]].room);
}

/* Something has changed under it, or next below it. */
static void map_measure(struct quire_split *split, u32 object)
{
	u64 end = 0;
	u32 below;

	if (object == QUIRE_NO_OBJECT)
		return;
	below = quire_split_map_next(split, object, false);
	if (below != QUIRE_NO_OBJECT)
		end = split->rows[below].address + quire_split_size(split, below);
	split->rows[object].gap = max(split->rows[object].address, end) - end;
	for (; object != QUIRE_NO_OBJECT; object = split->rows[object].up)
		map_refresh(split, object);
}

/* What it was under comes under it. */
static void map_raise(struct quire_split *split, u32 object)
{
	u32 up = split->rows[object].up;
	struct quire_split_row *row = &split->rows[object], *lower = &split->rows[up];
	bool above = lower->under[1] == object;

	map_set(split, map_link(split, up, lower->up), object, lower->up);
	map_set(split, &lower->under[above], row->under[!above], up);
	map_set(split, &row->under[!above], up, object);
	map_refresh(split, up);
}

/**
 * quire_split_map_insert - an object has come
 * @split: the planner
 * @object: to &quire_split_row.address
 */
void quire_split_map_insert(struct quire_split *split, u32 object)
{
	u32 *link = &quire_split_pool(split, object)->root, up = QUIRE_NO_OBJECT;
	struct quire_split_row *row = &split->rows[object];

	while (*link != QUIRE_NO_OBJECT) {
		up = *link;
		link = &split->rows[up].under[map_below(split, up, object)];
	}
	row->under[0] = QUIRE_NO_OBJECT;
	row->under[1] = QUIRE_NO_OBJECT;
	map_set(split, link, object, up);
	while (row->up != QUIRE_NO_OBJECT && map_rank(row->up) < map_rank(object))
		map_raise(split, object);
	map_measure(split, object);
	map_measure(split, quire_split_map_next(split, object, true));
}

/**
 * quire_split_map_remove - an object has gone
 * @split: the planner
 * @object: from &quire_split_row.address
 */
void quire_split_map_remove(struct quire_split *split, u32 object)
{
	const struct quire_split_row *row = &split->rows[object];
	u32 next, higher = quire_split_map_next(split, object, true);

	while (row->under[0] != QUIRE_NO_OBJECT && row->under[1] != QUIRE_NO_OBJECT)
		map_raise(split, row->under[map_rank(row->under[1]) > map_rank(row->under[0])]);
	next = row->under[row->under[0] == QUIRE_NO_OBJECT];
	map_set(split, map_link(split, object, row->up), next, row->up);
	map_measure(split, row->up);
	map_measure(split, higher);
}

/**
 * quire_split_map_next - what is next to an object?
 * @split: the planner
 * @object: which is there
 * @above: look above, not below
 * Returns: an object, or %QUIRE_NO_OBJECT.
 */
u32 quire_split_map_next(const struct quire_split *split, u32 object, bool above)
{
	u32 next = split->rows[object].under[above], up = split->rows[object].up;

	if (next == QUIRE_NO_OBJECT) {
		for (; up != QUIRE_NO_OBJECT && split->rows[up].under[above] == object;
		     up = split->rows[up].up)
			object = up;
		return up;
	}
	while (split->rows[next].under[!above] != QUIRE_NO_OBJECT)
		next = split->rows[next].under[!above];
	return next;
}

/* At the end of a gap. */
static u64 gap_place(u64 start, u64 end, u64 size, u32 align)
{
	u64 address;

	if (end < start + size)
		return QUIRE_SPLIT_ANYWHERE;
	address = ALIGN_DOWN(end - size, align);
	return address >= start ? address : QUIRE_SPLIT_ANYWHERE;
}

/* In the highest gap of at least @least bytes that is below an object. */
static u64 gap_below_place(const struct quire_split *split, u32 segment, u64 least, u64 size,
			   u32 align)
{
	u32 next = split->pools[segment].root;
	const struct quire_split_row *row;

	if (next == QUIRE_NO_OBJECT || split->rows[next].room < least)
		return QUIRE_SPLIT_ANYWHERE;
	for (;;) {
		row = &split->rows[next];
		if (row->under[1] != QUIRE_NO_OBJECT && split->rows[row->under[1]].room >= least)
			next = row->under[1];
		else if (row->gap < least)
			next = row->under[0];
		else
			return gap_place(row->address - row->gap, row->address, size, align);
	}
}

/* The lowest place where nothing of the table is. */
static u64 table_place(const struct quire_split *split, u32 segment, u64 size, u32 align)
{
	const struct quire_split_row *row;
	u64 end, address = 0;
	u32 i = 0, object;

	while (i < QUIRE_SLOTS) {
		object = split->slots[i++];
		if (object == QUIRE_NO_OBJECT ||
		    quire_split_segment(split->list, object) != segment)
			continue;
		row = &split->rows[object];
		end = row->address + quire_split_size(split, object);
		if (row->resident && row->address < address + size && end > address) {
			address = ALIGN(end, align);
			i = 0;
		}
	}
	return address + size <= split->capacity[segment] ? address : QUIRE_SPLIT_ANYWHERE;
}

/**
 * quire_split_place - where should an object go?
 * @split: the planner
 * @object: which is not there
 *
 * Of gaps that are large enough the highest is tried, and if the alignment is in the way the
 * highest in which it can not be. The last resort, when nothing is there that is not bound, goes
 * to the lowest place: from address 0 on, and with falling alignments, nothing is lost between two
 * objects. From the end on it would be, if that is aligned less than the first of them.
 *
 * Returns: an address, or %QUIRE_SPLIT_ANYWHERE: the planner knows of no room.
 */
u64 quire_split_place(const struct quire_split *split, u32 object)
{
	u32 segment = quire_split_segment(split->list, object);
	u32 align = max(split->list->objects[object].align, 1u);
	u64 size = quire_split_size(split, object), start = 0, address;
	u32 next;

	if (split->last)
		return table_place(split, segment, size, align);
	for (next = split->pools[segment].root; next != QUIRE_NO_OBJECT;
	     next = split->rows[next].under[1])
		start = split->rows[next].address + quire_split_size(split, next);
	address = gap_place(start, split->capacity[segment], size, align);
	if (address == QUIRE_SPLIT_ANYWHERE)
		address = gap_below_place(split, segment, size, size, align);
	if (address == QUIRE_SPLIT_ANYWHERE)
		address = gap_below_place(split, segment, size + align - 1, size, align);
	return address;
}
