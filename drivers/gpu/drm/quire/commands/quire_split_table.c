// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The resource table of the split planner: what the entries of the patch-location list write
 * into it, group by group, and what that says of each object.
 */
#include <linux/limits.h>
#include <linux/minmax.h>

#include "quire_split_internal.h"

/* Backwards, so that each entry finds the next one of its object. */
static void following_init(struct quire_split *split)
{
	const struct quire_command_list *list = split->list;
	u32 i, object;

	for (i = list->nr_patches; i-- > 0;) {
		object = quire_patch_object(list, i);
		if (object == QUIRE_NO_OBJECT)
			continue;
		split->following[i] = split->rows[object].next;
		split->rows[object].next = list->patches[i].split_offset;
	}
}

/* Nothing is bound. The heaps are emptied first: their order is of what changes here. */
static void rows_start(struct quire_split *split)
{
	u32 i, heap;

	for (i = 0; i < QUIRE_SPLIT_SEGMENTS; i++)
		for (heap = 0; heap < QUIRE_SPLIT_NOWHERE; heap++)
			split->pools[i].nr[heap] = 0;
	for (i = 0; i < split->list->nr_objects; i++) {
		split->rows[i].heap = QUIRE_SPLIT_NOWHERE;
		split->rows[i].bound = 0;
		split->rows[i].next = QUIRE_SPLIT_NEVER;
		split->rows[i].used = 0;
		split->rows[i].part = min(split->rows[i].part, split->parts);
	}
	following_init(split);
	for (i = 0; i < split->list->nr_objects; i++)
		quire_split_sort(split, i);
}

/**
 * quire_split_table_start - go back to before the first entry
 * @split: the planner; what is known of where objects are, and what is needed, stays
 */
void quire_split_table_start(struct quire_split *split)
{
	u32 i;

	for (i = 0; i < QUIRE_SLOTS; i++) {
		split->slots[i] = QUIRE_NO_OBJECT;
		split->written[i] = U32_MAX;
	}
	split->group = (struct quire_split_group) { };
	rows_start(split);
}

/**
 * quire_split_group_begin - go on to the next group
 * @split: the planner, not at the last one; the table stays as it is
 */
void quire_split_group_begin(struct quire_split *split)
{
	struct quire_split_group *group = &split->group;

	group->first = group->last;
	group->last = quire_split_group_end(split->list, group->first);
	group->offset = split->list->patches[group->first].split_offset;
	group->nr_needed = split->nr_needed;
}

static void object_unbind(struct quire_split *split, u32 object, u32 entry)
{
	if (object == QUIRE_NO_OBJECT)
		return;
	split->rows[object].bound--;
	split->rows[object].used = entry;
	quire_split_sort(split, object);
}

static void object_bind(struct quire_split *split, u32 object, u32 entry)
{
	struct quire_split_row *row = &split->rows[object];

	if (object == QUIRE_NO_OBJECT)
		return;
	row->bound++;
	row->used = entry;
	row->next = split->following[entry];
	quire_split_sort(split, object);
}

static void entry_apply(struct quire_split *split, u32 entry)
{
	u32 slot = split->list->patches[entry].slot, old = split->slots[slot];

	split->slots[slot] = quire_patch_object(split->list, entry);
	split->written[slot] = split->group.first;
	object_bind(split, split->slots[slot], entry);
	object_unbind(split, old, entry);
}

/**
 * quire_split_group_replay - write the group into the table once more
 * @split: the planner, at a group that was applied before quire_split_table_start()
 *
 * What commands have written is known already.
 */
void quire_split_group_replay(struct quire_split *split)
{
	u32 i;

	for (i = split->group.first; i < split->group.last; i++)
		entry_apply(split, i);
}

static void entry_dirty(struct quire_split *split, u32 entry)
{
	u32 object = quire_patch_object(split->list, entry);

	if (object != QUIRE_NO_OBJECT)
		split->rows[object].dirty |=
			split->list->allocations[split->list->patches[entry].allocation].writable;
}

/**
 * quire_split_group_apply - from here on all entries of the group are in the table
 * @split: the planner
 */
void quire_split_group_apply(struct quire_split *split)
{
	u32 i;

	for (i = split->group.first; i < split->group.last; i++) {
		entry_dirty(split, i);
		entry_apply(split, i);
	}
}
