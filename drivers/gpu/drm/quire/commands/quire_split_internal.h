/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the files of the planner share. */
#ifndef QUIRE_SPLIT_INTERNAL_H
#define QUIRE_SPLIT_INTERNAL_H

#include <linux/limits.h>

#include "quire_split.h"

/* No entry binds the object any more. */
#define QUIRE_SPLIT_NEVER	U32_MAX

/**
 * enum quire_split_heap - heaps of objects that are where commands can use them
 * @QUIRE_SPLIT_IDLE: no part that was not submitted needs them
 * @QUIRE_SPLIT_DONE: the part in preparation does, but they are not bound any more
 * @QUIRE_SPLIT_NOWHERE: none of these
 *
 * The first one of a heap is what should be evicted first, sizes not considered.
 */
enum quire_split_heap {
	QUIRE_SPLIT_IDLE,
	QUIRE_SPLIT_DONE,
	QUIRE_SPLIT_NOWHERE,
};

/**
 * struct quire_split_row - what is known of an object
 * @address: where it is, or was
 * @gap: bytes below it where nothing of the submission is, as far as is known
 * @room: the largest of these, of all that the map has under it
 * @under: roots of those that are below it, and above it, in the map
 * @up: what it is under, in the map
 * @next: split offset of the next entry that binds it, or %QUIRE_SPLIT_NEVER
 * @used: entry that bound or unbound it last
 * @part: number of the last part that needs it, from 1
 * @bound: slots that hold it
 * @place: in its heap
 * @heap: enum quire_split_heap
 * @resident: it is where commands can use it, or others evicted it
 * @needed: by the part in preparation; then it is held, too
 * @fixed: it has to stay in place from the last split on
 * @dirty: written since it was paged in
 */
struct quire_split_row {
	u64 address;
	u64 gap;
	u64 room;
	u32 under[2];
	u32 up;
	u32 next;
	u32 used;
	u32 part;
	u32 bound;
	u32 place;
	u8 heap;
	bool resident;
	bool needed;
	bool fixed;
	bool dirty;
};

static inline u64 quire_split_size(const struct quire_split *split, u32 object)
{
	return split->list->objects[object].size;
}

static inline u32 quire_split_segment(const struct quire_command_list *list, u32 object)
{
	return list->objects[object].segment - QUIRE_SEGMENT_VRAM;
}

static inline struct quire_split_pool *quire_split_pool(struct quire_split *split, u32 object)
{
	return &split->pools[quire_split_segment(split->list, object)];
}

/* Is something between the last split point and this one? */
static inline bool quire_split_may_split(const struct quire_split *split)
{
	return split->start < split->group.offset;
}

/* Behind the last entry that has the split offset of @first. */
static inline u32 quire_split_group_end(const struct quire_command_list *list, u32 first)
{
	u32 last = first;

	while (last < list->nr_patches &&
	       list->patches[last].split_offset == list->patches[first].split_offset)
		last++;
	return last;
}

void quire_split_largest(const struct quire_command_list *list, u64 bytes[QUIRE_SPLIT_SEGMENTS]);

int quire_split_parts(struct quire_split *split);
void quire_split_look(struct quire_split *split, u32 object);

void quire_split_table_start(struct quire_split *split);
void quire_split_group_next(struct quire_split *split, bool again);
void quire_split_sort(struct quire_split *split, u32 object);

void quire_split_map_insert(struct quire_split *split, u32 object);
void quire_split_map_remove(struct quire_split *split, u32 object);
u32 quire_split_map_next(const struct quire_split *split, u32 object, bool above);
u64 quire_split_place(const struct quire_split *split, u32 object);

u32 quire_split_victim(struct quire_split *split, u32 object, u64 need);

#endif
