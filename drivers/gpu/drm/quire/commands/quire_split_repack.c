// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The last resort of the split planner: what is bound has to fit, and does not, because memory
 * is in pieces.
 */
#include <linux/errno.h>

#include "quire_split_internal.h"

/**
 * struct repack - objects to page in again
 * @segment: from 0
 * @nr: number of @objects
 * @objects: that are bound, each once; those with large alignments first, then the largest
 */
struct repack {
	u32 segment;
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

/*
 * Those with large alignments first: their sizes are multiples of them, so that nothing is lost
 * between two objects, and what is not more than there is fits.
 */
static bool repack_before(const struct quire_split *split, u32 a, u32 b)
{
	const struct quire_command_object *x = &split->list->objects[a];
	const struct quire_command_object *y = &split->list->objects[b];

	return x->align != y->align ? x->align > y->align : x->size > y->size;
}

static void repack_add(const struct quire_split *split, struct repack *repack, u32 object)
{
	u32 i;

	for (i = repack->nr++; i; i--) {
		if (!repack_before(split, object, repack->objects[i - 1]))
			break;
		repack->objects[i] = repack->objects[i - 1];
	}
	repack->objects[i] = object;
}

/* What is bound in the segment; @all: or else without what has to stay in place. */
static void repack_collect(const struct quire_split *split, struct repack *repack, bool all)
{
	u32 i, object;

	repack->nr = 0;
	for (i = 0; i < QUIRE_SLOTS; i++) {
		object = split->slots[i];
		if (object == QUIRE_NO_OBJECT || repack_has(repack, object) ||
		    quire_split_segment(split->list, object) != repack->segment)
			continue;
		if (all || !split->rows[object].fixed)
			repack_add(split, repack, object);
	}
}

/* What is needed is held: it is released, and so not needed any more, before it can move. */
static int repack_evict(struct quire_split *split, const struct repack *repack)
{
	u32 i, nr = 0;
	int ret = 0;

	for (i = 0; i < split->nr_needed; i++) {
		if (repack_has(repack, split->needed[i]))
			quire_split_unneed(split, split->needed[i]);
		else
			split->needed[nr++] = split->needed[i];
	}
	split->nr_needed = nr;
	for (i = 0; !ret && i < repack->nr; i++)
		ret = quire_split_evict(split, repack->objects[i]);
	return ret;
}

/* @last: all that is bound is in it, and fits, if others are not in the way. */
static int repack_move(struct quire_split *split, const struct repack *repack, bool last)
{
	int ret = repack_evict(split, repack);
	u32 i;

	split->last = last;
	for (i = 0; !ret && i < repack->nr; i++)
		ret = quire_split_need(split, repack->objects[i]);
	split->last = false;
	return ret;
}

/**
 * quire_split_repack - page in again what is bound in a segment, in an order that fits
 * @split: the planner, right behind a split, or at the first byte
 * @segment: from 0; nothing in it can be evicted any more
 *
 * At first only what may move; if that is not enough, all: quire_split_check() has seen that it
 * fits, so that others are waited for then.
 *
 * Returns: 0, then all that is bound in the segment is needed; -ENOSPC there is no room even
 * so; what the allocator returns.
 */
int quire_split_repack(struct quire_split *split, u32 segment)
{
	struct repack movable = { .segment = segment }, all = { .segment = segment };
	int ret;

	repack_collect(split, &movable, false);
	repack_collect(split, &all, true);
	ret = repack_move(split, &movable, movable.nr == all.nr);
	if (ret != -ENOSPC || movable.nr == all.nr)
		return ret;
	quire_split_count_repack(split);
	return repack_move(split, &all, true);
}
