// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the split planner knows of where objects are, and how it brings them there.
 *
 * What the part in preparation needs is held from the moment that it is there; of all else it is
 * asked again before anything depends on it, for others take memory, too.
 *
 * The allocator does not say how much room is left. It is learned: what was resident at the same
 * time fits.
 */
#include <linux/errno.h>
#include <linux/minmax.h>

#include "quire_split_internal.h"

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

/**
 * quire_split_count_repack - what should have stayed in place has moved
 * @split: the planner; each split counts once
 */
void quire_split_count_repack(struct quire_split *split)
{
	split->repacks += split->repacked != split->parts + 1;
	split->repacked = split->parts + 1;
}

/**
 * quire_split_pause - let others have memory
 * @split: the planner
 *
 * Returns: 0, then what is needed is where it was; -EAGAIN some of it is not: the part in
 * preparation has to be planned again; what the allocator returns.
 */
int quire_split_pause(struct quire_split *split)
{
	int ret;

	if (!split->ops->pause)
		return 0;
	ret = split->ops->pause(split, split->needed, split->nr_needed);
	return ret == -ENOSPC ? -EAGAIN : ret;
}

/**
 * quire_split_evict - take an object away
 * @split: the planner
 * @object: not needed
 *
 * Returns: 0, also if others were faster; -EAGAIN as quire_split_pause(); what the allocator
 * returns.
 */
int quire_split_evict(struct quire_split *split, u32 object)
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
			ret = quire_split_pause(split);
		if (ret)
			return ret;
	}
	split->evictions++;
	split->bytes_out += quire_split_size(split, object);
	object_went(split, object);
	return 0;
}

/* Page an object in. If there is no room, set *@lacks to the bytes that are missing. */
static int object_try(struct quire_split *split, u32 object, u64 *address, u64 *lacks)
{
	struct quire_split_pool *pool = quire_split_pool(split, object);
	u64 size = quire_split_size(split, object);
	int ret;

	if (pool->resident + size > pool->limit) {
		*lacks = pool->resident + size - pool->limit;
		return -ENOSPC;
	}

	*address = quire_split_place(split, object);
	/* While others want memory, they have it first. */
	while ((ret = split->ops->page_in(split, object, address)) == -EAGAIN) {
		ret = quire_split_pause(split);
		if (ret)
			return ret;
	}
	if (ret != -ENOSPC)
		return ret;

	/*
	 * If it should have fitted, others have taken some of it, or it is in pieces: then only
	 * what goes now is sure.
	 */
	if (pool->most - pool->resident >= size) {
		pool->most = pool->resident;
		pool->pieces = true;
	}
	*lacks = size - (pool->most - pool->resident);
	return -ENOSPC;
}

static int object_page_in(struct quire_split *split, u32 object)
{
	struct quire_split_pool *pool = quire_split_pool(split, object);
	u64 address, lacks;
	u32 victim;
	int ret;

	while ((ret = object_try(split, object, &address, &lacks)) == -ENOSPC) {
		/* A part for which much came is executed while room for more is made. */
		if (quire_split_may_split(split) && pool->came * QUIRE_SPLIT_SHARE >= pool->most)
			return -ENOSPC;
		victim = quire_split_victim(split, object, lacks);
		if (victim == QUIRE_NO_OBJECT)
			return -ENOSPC;
		ret = quire_split_evict(split, victim);
		if (ret)
			return ret;
	}
	if (ret)
		return ret;

	split->page_ins++;
	split->bytes_in += quire_split_size(split, object);
	pool->came += quire_split_size(split, object);
	object_came(split, object, address);
	return 0;
}

/**
 * quire_split_need - make an object one that the part in preparation needs
 * @split: the planner
 * @object: it is bound
 *
 * Returns: 0, then it is held; -ENOSPC there is no room before the part is submitted; what the
 * allocator returns.
 */
int quire_split_need(struct quire_split *split, u32 object)
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

/**
 * quire_split_unneed - end what quire_split_need() began
 * @split: the planner, whose list of what is needed the caller mends
 * @object: which is needed
 */
void quire_split_unneed(struct quire_split *split, u32 object)
{
	if (split->ops->release)
		split->ops->release(split, object);
	split->rows[object].needed = false;
	split->rows[object].fixed = false;
	quire_split_pool(split, object)->needed -= quire_split_size(split, object);
	quire_split_sort(split, object);
}
