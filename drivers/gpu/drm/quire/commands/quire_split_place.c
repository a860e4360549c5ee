// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Where the split planner puts objects
 *
 * An object that is paged in goes to the highest place that is free, as far as the planner knows.
 * The allocator follows where it can. So the planner knows beforehand where all will be, and can
 * foresee what places cost; and memory that is given out from one end falls into fewer pieces than
 * with an allocator that rounds sizes up.
 */
#include <linux/align.h>
#include <linux/minmax.h>

#include "quire_split_internal.h"

/**
 * struct gap - memory where nothing of the submission is
 * @start: its first byte
 * @end: behind its last byte
 */
struct gap {
	u64 start;
	u64 end;
};

/* Above all objects. */
static struct gap gap_at_the_end(const struct quire_split *split, u32 segment)
{
	struct gap gap = { .end = split->capacity[segment] };
	u32 next = split->pools[segment].root;

	for (; next != QUIRE_NO_OBJECT; next = split->rows[next].above)
		gap.start = split->rows[next].address + quire_split_size(split, next);
	return gap;
}

/* The highest one of @size bytes that is below an object; else it is empty. */
static struct gap gap_find(const struct quire_split *split, u32 segment, u64 size)
{
	u32 next = split->pools[segment].root;
	const struct quire_split_row *row;

	if (next == QUIRE_NO_OBJECT || split->rows[next].room < size)
		return (struct gap) { };
	for (;;) {
		row = &split->rows[next];
		if (row->above != QUIRE_NO_OBJECT && split->rows[row->above].room >= size)
			next = row->above;
		else if (row->gap < size)
			next = row->below;
		else
			return (struct gap) { row->address - row->gap, row->address };
	}
}

/* At its end. */
static u64 gap_place(struct gap gap, u64 size, u32 align)
{
	u64 address;

	if (gap.end < gap.start + size)
		return QUIRE_SPLIT_ANYWHERE;
	address = ALIGN_DOWN(gap.end - size, align);
	return address >= gap.start ? address : QUIRE_SPLIT_ANYWHERE;
}

/* Returns the end of an object of the table that is there; @address if none is. */
static u64 table_in_the_way(const struct quire_split *split, u32 segment, u64 address, u64 size)
{
	const struct quire_split_row *row;
	u32 i, object;

	for (i = 0; i < QUIRE_SLOTS; i++) {
		object = split->slots[i];
		if (object == QUIRE_NO_OBJECT ||
		    quire_split_segment(split->list, object) != segment)
			continue;
		row = &split->rows[object];
		if (row->resident && row->address < address + size &&
		    row->address + quire_split_size(split, object) > address)
			return row->address + quire_split_size(split, object);
	}
	return address;
}

/* The lowest place where nothing of the table is. */
static u64 table_place(const struct quire_split *split, u32 segment, u64 size, u32 align)
{
	u64 end, address = 0;

	while ((end = table_in_the_way(split, segment, address, size)) != address)
		address = ALIGN(end, align);
	return address + size <= split->capacity[segment] ? address : QUIRE_SPLIT_ANYWHERE;
}

/**
 * quire_split_place - where should an object go?
 * @split: the planner
 * @object: which is not there
 *
 * Of gaps that are large enough the highest is tried, and if the alignment is in the way the
 * highest in which it can not be. What is the last resort, when nothing is there that is not bound,
 * goes to the lowest place: from address 0 on, and with falling alignments, nothing is lost
 * between two objects. From the end on it would be, if that is aligned less than the first of them.
 *
 * Returns: an address, or %QUIRE_SPLIT_ANYWHERE: the planner knows of no room.
 */
u64 quire_split_place(const struct quire_split *split, u32 object)
{
	u32 segment = quire_split_segment(split->list, object);
	u32 align = max(split->list->objects[object].align, 1u);
	u64 size = quire_split_size(split, object);
	u64 address;

	if (split->last)
		return table_place(split, segment, size, align);
	address = gap_place(gap_at_the_end(split, segment), size, align);
	if (address == QUIRE_SPLIT_ANYWHERE)
		address = gap_place(gap_find(split, segment, size), size, align);
	if (address == QUIRE_SPLIT_ANYWHERE)
		address = gap_place(gap_find(split, segment, size + align - 1), size, align);
	return address;
}
