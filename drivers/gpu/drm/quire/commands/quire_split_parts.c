// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * How the split planner goes through the command buffer: group by group, with a split where there
 * is no more room, and back to the first entry of a part that others took something of.
 *
 * What the part in preparation needs is held from the moment that it is there; of all else it is
 * asked again before anything depends on it, for others take memory, too. The allocator does not
 * say how much room is left. It is learned: what was resident at the same time fits.
 */
#include <linux/errno.h>
#include <linux/minmax.h>

#include "quire_split_internal.h"

/* A part for which that share of memory came does not wait for more room to be submitted. */
#define QUIRE_SPLIT_SHARE	8u

static void object_went(struct quire_split *split, u32 object)
{
	struct quire_split_row *row = &split->rows[object];

	if (!row->resident)
		return;
	row->resident = false;
	row->dirty &= !!row->bound;
	quire_split_map_remove(split, object);
	quire_split_pool(split, object)->resident -= quire_split_size(split, object);
	quire_split_sort(split, object);
}

static void object_came(struct quire_split *split, u32 object, u64 address)
{
	struct quire_split_pool *pool = quire_split_pool(split, object);
	struct quire_split_row *row = &split->rows[object];
	u64 size = quire_split_size(split, object);

	if (row->resident && row->address == address)
		return;
	object_went(split, object);
	row->resident = true;
	row->address = address;
	pool->resident += size;
	pool->most = max(pool->most, pool->resident);
	pool->end = max(pool->end, address + size);
	quire_split_map_insert(split, object);
	quire_split_sort(split, object);
}

/**
 * quire_split_look - see whether an object is where commands can use it
 * @split: the planner
 * @object: which one; &quire_split_row.resident is right until others do something
 */
void quire_split_look(struct quire_split *split, u32 object)
{
	u64 address;

	if (split->ops->find(split, object, &address))
		object_came(split, object, address);
	else
		object_went(split, object);
}

/* 0: what is needed is where it was; -EAGAIN: the part in preparation has to be planned again. */
static int split_pause(struct quire_split *split)
{
	int ret;

	if (!split->ops->pause)
		return 0;
	ret = split->ops->pause(split, split->needed, split->nr_needed);
	return ret == -ENOSPC ? -EAGAIN : ret;
}

/* Also if others were faster. */
static int object_evict(struct quire_split *split, u32 object)
{
	int ret;

	for (;;) {
		quire_split_look(split, object);
		if (!split->rows[object].resident)
			return 0;
		ret = split->ops->evict(split, object);
		if (!ret)
			break;
		if (ret == -EAGAIN)
			ret = split_pause(split);
		if (ret)
			return ret;
	}
	split->evictions++;
	split->bytes_out += quire_split_size(split, object);
	object_went(split, object);
	return 0;
}

static int object_page_in(struct quire_split *split, u32 object)
{
	struct quire_split_pool *pool = quire_split_pool(split, object);
	u64 address, lacks, size = quire_split_size(split, object);
	u32 victim;
	int ret;

	for (;;) {
		lacks = pool->resident + size - pool->limit;
		if (pool->resident + size <= pool->limit) {
			address = quire_split_place(split, object);
			/* While others want memory, they have it first. */
			while ((ret = split->ops->page_in(split, object, &address)) == -EAGAIN) {
				ret = split_pause(split);
				if (ret)
					return ret;
			}
			if (ret != -ENOSPC)
				break;
			/* Others have taken some, or it is in pieces: what goes now is sure. */
			if (pool->most - pool->resident >= size) {
				pool->most = pool->resident;
				pool->pieces = true;
			}
			lacks = size - (pool->most - pool->resident);
		}
		/* A part for which much came is executed while room for more is made. */
		if (quire_split_may_split(split) && pool->came * QUIRE_SPLIT_SHARE >= pool->most)
			return -ENOSPC;
		victim = quire_split_victim(split, object, lacks);
		if (victim == QUIRE_NO_OBJECT)
			return -ENOSPC;
		ret = object_evict(split, victim);
		if (ret)
			return ret;
	}
	if (ret)
		return ret;

	split->page_ins++;
	split->bytes_in += size;
	pool->came += size;
	object_came(split, object, address);
	return 0;
}

/* -ENOSPC: there is no room before the part is submitted. */
static int object_need(struct quire_split *split, u32 object)
{
	struct quire_split_pool *pool = quire_split_pool(split, object);
	struct quire_split_row *row = &split->rows[object];
	u64 size = quire_split_size(split, object);
	int ret = 0;

	if (row->needed)
		return 0;
	if (pool->needed + size > pool->limit)
		return -ENOSPC;
	quire_split_look(split, object);
	if (!row->resident)
		ret = object_page_in(split, object);
	if (ret)
		return ret;

	if (split->ops->hold)
		split->ops->hold(split, object);
	row->needed = true;
	row->part = split->parts + 1;
	pool->needed += size;
	split->needed[split->nr_needed++] = object;
	return 0;
}

/* The caller mends the list of what is needed. */
static void object_unneed(struct quire_split *split, u32 object)
{
	if (split->ops->release)
		split->ops->release(split, object);
	split->rows[object].needed = false;
	split->rows[object].fixed = false;
	quire_split_pool(split, object)->needed -= quire_split_size(split, object);
	quire_split_sort(split, object);
}

static int part_submit(struct quire_split *split, u32 end)
{
	const struct quire_split_part part = {
		.start = split->start,
		.end = end,
		.first = split->first,
		.last = split->group.first,
		.nr_objects = split->group.nr_needed,
		.objects = split->needed,
	};
	int ret = split->ops->submit(split, &part);
	u32 i;

	split->parts += !ret;
	for (i = 0; i < QUIRE_SPLIT_SEGMENTS; i++)
		split->pools[i].came = 0;
	return ret;
}

/* At first the next part needs what is in slots that the group does not write, in its place. */
static void needed_keep(struct quire_split *split)
{
	u32 i, object, nr = 0;

	for (i = 0; i < split->nr_needed; i++)
		split->rows[split->needed[i]].fixed = false;
	for (i = 0; i < QUIRE_SLOTS; i++)
		if (split->slots[i] != QUIRE_NO_OBJECT &&
		    split->written[i] != split->group.first)
			split->rows[split->slots[i]].fixed = true;

	for (i = 0; i < split->nr_needed; i++) {
		object = split->needed[i];
		if (split->rows[object].fixed) {
			split->rows[object].part = split->parts + 1;
			split->needed[nr++] = object;
		} else {
			object_unneed(split, object);
		}
	}
	split->nr_needed = nr;
}

/* Split before the group. */
static int part_end(struct quire_split *split)
{
	int ret = part_submit(split, split->group.offset);

	if (ret)
		return ret;
	split->start = split->group.offset;
	split->first = split->group.first;
	needed_keep(split);
	return split_pause(split);
}

/* What should have stayed in place has moved: each split counts once. */
static void count_repack(struct quire_split *split)
{
	split->repacks += split->repacked != split->parts + 1;
	split->repacked = split->parts + 1;
}

/* To page in again, each once: those with large alignments first, then the largest. */
struct repack {
	u32 nr;
	u32 objects[QUIRE_SLOTS];
};

static bool repack_has(const struct repack *repack, u32 object)
{
	u32 i;

	for (i = 0; i < repack->nr; i++)
		if (repack->objects[i] == object)
			return true;
	return false;
}

/* Sizes are multiples of alignments, so that nothing is lost between two objects. */
static bool repack_before(const struct quire_split *split, u32 a, u32 b)
{
	const struct quire_command_object *x = &split->list->objects[a];
	const struct quire_command_object *y = &split->list->objects[b];

	return x->align != y->align ? x->align > y->align : x->size > y->size;
}

/* What is bound in the segment; @all: or else without what has to stay in place. */
static void repack_collect(const struct quire_split *split, struct repack *repack, u32 segment,
			   bool all)
{
	u32 i, slot, object;

	repack->nr = 0;
	for (slot = 0; slot < QUIRE_SLOTS; slot++) {
		object = split->slots[slot];
		if (object == QUIRE_NO_OBJECT || repack_has(repack, object) ||
		    quire_split_segment(split->list, object) != segment ||
		    (split->rows[object].fixed && !all))
			continue;
		for (i = repack->nr++; i; i--) {
			if (!repack_before(split, object, repack->objects[i - 1]))
				break;
			repack->objects[i] = repack->objects[i - 1];
		}
		repack->objects[i] = object;
	}
}

/* @last: all that is bound is in it, and fits, if others are not in the way. */
static int repack_move(struct quire_split *split, const struct repack *repack, bool last)
{
	u32 i, nr = 0;
	int ret = 0;

	/* What is needed is held: it is released before it can move. */
	for (i = 0; i < split->nr_needed; i++) {
		if (repack_has(repack, split->needed[i]))
			object_unneed(split, split->needed[i]);
		else
			split->needed[nr++] = split->needed[i];
	}
	split->nr_needed = nr;
	for (i = 0; !ret && i < repack->nr; i++)
		ret = object_evict(split, repack->objects[i]);
	split->last = last;
	for (i = 0; !ret && i < repack->nr; i++)
		ret = object_need(split, repack->objects[i]);
	split->last = false;
	return ret;
}

/*
 * The last resort, right behind a split, or at the first byte: page in again what may move; if that
 * is not enough, all. As quire_split_check() has seen that it fits, others are waited for then.
 */
static int split_repack(struct quire_split *split, u32 segment)
{
	struct repack movable, all;
	int ret;

	repack_collect(split, &movable, segment, false);
	repack_collect(split, &all, segment, true);
	ret = repack_move(split, &movable, movable.nr == all.nr);
	if (ret != -ENOSPC || movable.nr == all.nr)
		return ret;
	count_repack(split);
	return repack_move(split, &all, true);
}

/* Until all is there that the group binds, in the order of its entries; @table: that is bound. */
static int group_need(struct quire_split *split, bool table)
{
	u32 first = table ? 0 : split->group.first, last = table ? QUIRE_SLOTS : split->group.last;
	u32 object, i = first;
	int ret;

	while (i < last) {
		object = table ? split->slots[i] : quire_patch_object(split->list, i);
		i++;
		if (object == QUIRE_NO_OBJECT || !split->rows[object].bound)
			continue;
		ret = object_need(split, object);
		if (ret == -ENOSPC) {
			if (quire_split_may_split(split))
				ret = part_end(split);
			else
				ret = split_repack(split, quire_split_segment(split->list, object));
			i = first;
		}
		if (ret)
			return ret;
	}
	return 0;
}

static bool split_is_wanted(struct quire_split *split)
{
	u32 *random = &split->random;

	if (split->options.every_point || !split->options.seed)
		return split->options.every_point;
	/* Source: George Marsaglia, "Xorshift RNGs". */
	*random ^= *random << 13;
	*random ^= *random >> 17;
	*random ^= *random << 5;
	return *random % 4 == 0;
}

/* From the group that the planner is at to the end. */
static int parts_finish(struct quire_split *split)
{
	int ret = 0;

	while (split->group.last < split->list->nr_patches) {
		if (split->ops->go_on)
			ret = split->ops->go_on(split);
		if (ret)
			return ret;
		quire_split_group_next(split, false);
		if (split_is_wanted(split) && quire_split_may_split(split))
			ret = part_end(split);
		ret = ret ?: group_need(split, false);
		if (ret)
			return ret;
	}
	split->group.first = split->group.last;
	split->group.nr_needed = split->nr_needed;
	return part_submit(split, split->list->size);
}

/*
 * Others took something of the part in preparation, and it may not fit any more with all that
 * came since: go back to its first entry. What is bound there is there again afterwards.
 */
static int parts_rewind(struct quire_split *split)
{
	u64 places[QUIRE_SLOTS];
	u32 i, object, nr = 0;
	int ret;

	quire_split_table_start(split);
	while (split->group.last < split->first)
		quire_split_group_next(split, true);
	if (split->start)
		quire_split_group_next(split, true);
	needed_keep(split);
	if (!split->start)
		return 0;

	for (i = 0; i < QUIRE_SLOTS; i++)
		if (split->slots[i] != QUIRE_NO_OBJECT)
			places[i] = split->rows[split->slots[i]].address;
	/* Of what has to stay where it is, something may have gone, too. */
	for (i = 0; i < split->nr_needed; i++) {
		object = split->needed[i];
		quire_split_look(split, object);
		if (split->rows[object].resident)
			split->needed[nr++] = object;
		else
			object_unneed(split, object);
	}
	split->nr_needed = nr;

	ret = group_need(split, true);
	/* Also if it has to be planned once more: then that is where it was. */
	for (i = 0; i < QUIRE_SLOTS; i++)
		if (split->slots[i] != QUIRE_NO_OBJECT &&
		    split->written[i] != split->group.first &&
		    split->rows[split->slots[i]].address != places[i])
			count_repack(split);
	return ret;
}

/**
 * quire_split_parts - plan and submit all parts
 * @split: the planner, where it starts; nothing is held afterwards
 * Returns: 0; -ENOSPC what is bound at one byte does not fit; what the allocator returns.
 */
int quire_split_parts(struct quire_split *split)
{
	int ret = parts_finish(split);

	/* A client that takes memory again and again must not keep others waiting. */
	while (ret == -EAGAIN)
		ret = parts_rewind(split) ?: split_pause(split) ?: parts_finish(split);
	while (split->nr_needed)
		object_unneed(split, split->needed[--split->nr_needed]);
	return ret;
}
