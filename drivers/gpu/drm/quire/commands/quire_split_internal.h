/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the files of the planner share. */
#ifndef QUIRE_SPLIT_INTERNAL_H
#define QUIRE_SPLIT_INTERNAL_H

#include <linux/limits.h>

#include "quire_split.h"

/* No entry binds the object any more. */
#define QUIRE_SPLIT_NEVER	U32_MAX

/* A part for which that share of memory came does not wait for more room to be submitted. */
#define QUIRE_SPLIT_SHARE	8u

/* Of each heap, that many are compared. */
#define QUIRE_SPLIT_COMPARED	16u

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
 * @below: root of those that are below it, in the map
 * @above: of those that are above it
 * @up: what it is below or above of, in the map
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
	u32 below;
	u32 above;
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

u32 quire_split_group_end(const struct quire_command_list *list, u32 first);
void quire_split_largest(const struct quire_command_list *list, u64 bytes[QUIRE_SPLIT_SEGMENTS]);

void quire_split_start(struct quire_split *split, enum quire_split_policy policy);
int quire_split_parts(struct quire_split *split);

void quire_split_table_start(struct quire_split *split);
void quire_split_group_begin(struct quire_split *split);
void quire_split_group_apply(struct quire_split *split);
void quire_split_group_replay(struct quire_split *split);

u32 *quire_split_heap(const struct quire_split *split, const struct quire_split_pool *pool,
		      enum quire_split_heap heap);
void quire_split_sort(struct quire_split *split, u32 object);

void quire_split_map_insert(struct quire_split *split, u32 object);
void quire_split_map_remove(struct quire_split *split, u32 object);
u32 quire_split_map_below(const struct quire_split *split, u32 object);
u32 quire_split_map_above(const struct quire_split *split, u32 object);

u64 quire_split_place(const struct quire_split *split, u32 object);

u32 quire_split_victim(struct quire_split *split, u32 object, u64 need);
bool quire_split_window(struct quire_split *split, const struct quire_split_pool *pool, u64 size,
			u32 *victim);

void quire_split_look(struct quire_split *split, u32 object);
void quire_split_count_repack(struct quire_split *split);
int quire_split_pause(struct quire_split *split);
int quire_split_need(struct quire_split *split, u32 object);
void quire_split_unneed(struct quire_split *split, u32 object);
int quire_split_evict(struct quire_split *split, u32 object);

int quire_split_repack(struct quire_split *split, u32 segment);

#endif
