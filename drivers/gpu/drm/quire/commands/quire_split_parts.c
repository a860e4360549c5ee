// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * How the split planner goes through the command buffer: group by group, with a split where there
 * is no more room, and back to the first entry of a part that others took something of.
 */
#include <linux/errno.h>

#include "quire_split_internal.h"

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

/*
 * The next part needs what is in a slot that the group does not write, in its place, and at first
 * no more.
 */
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
			quire_split_unneed(split, object);
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
	return quire_split_pause(split);
}

/* Source: George Marsaglia, "Xorshift RNGs". */
static u32 split_random(struct quire_split *split)
{
	split->random ^= split->random << 13;
	split->random ^= split->random >> 17;
	split->random ^= split->random << 5;
	return split->random;
}

static bool split_is_wanted(struct quire_split *split)
{
	return split->options.every_point ||
	       (split->options.seed && split_random(split) % 4 == 0);
}

/* In the order of the entries. Sets *@object to the one that finds no room. */
static int group_page_in(struct quire_split *split, u32 *object)
{
	u32 i;
	int ret = 0;

	for (i = split->group.first; !ret && i < split->group.last; i++) {
		*object = quire_patch_object(split->list, i);
		if (*object != QUIRE_NO_OBJECT && split->rows[*object].bound)
			ret = quire_split_need(split, *object);
	}
	return ret;
}

/* The same with all that is bound, in the order of the slots. */
static int table_page_in(struct quire_split *split, u32 *object)
{
	u32 i;
	int ret = 0;

	for (i = 0; !ret && i < QUIRE_SLOTS; i++) {
		*object = split->slots[i];
		if (*object != QUIRE_NO_OBJECT)
			ret = quire_split_need(split, *object);
	}
	return ret;
}

/* Until all is there, with a split or without. */
static int group_need(struct quire_split *split,
		      int (*page_in)(struct quire_split *split, u32 *object))
{
	u32 object;
	int ret;

	while ((ret = page_in(split, &object)) == -ENOSPC) {
		if (quire_split_may_split(split))
			ret = part_end(split);
		else
			ret = quire_split_repack(split, quire_split_segment(split->list, object));
		if (ret)
			break;
	}
	return ret;
}

static int group_run(struct quire_split *split)
{
	int ret = split->ops->go_on ? split->ops->go_on(split) : 0;

	if (ret)
		return ret;
	quire_split_group_begin(split);
	quire_split_group_apply(split);
	if (split_is_wanted(split) && quire_split_may_split(split))
		ret = part_end(split);
	return ret ?: group_need(split, group_page_in);
}

/* From the group that the planner is at to the end. */
static int parts_finish(struct quire_split *split)
{
	int ret = 0;

	while (!ret && split->group.last < split->list->nr_patches)
		ret = group_run(split);
	if (ret)
		return ret;
	split->group.first = split->group.last;
	split->group.nr_needed = split->nr_needed;
	return part_submit(split, split->list->size);
}

/* Of what has to stay where it is, something may have gone, too: sets *@places to where it was. */
static void needed_drop(struct quire_split *split, u64 places[QUIRE_SLOTS])
{
	u32 i, object, nr = 0;

	for (i = 0; i < QUIRE_SLOTS; i++)
		if (split->slots[i] != QUIRE_NO_OBJECT)
			places[i] = split->rows[split->slots[i]].address;
	for (i = 0; i < split->nr_needed; i++) {
		object = split->needed[i];
		quire_split_look(split, object);
		if (split->rows[object].resident)
			split->needed[nr++] = object;
		else
			quire_split_unneed(split, object);
	}
	split->nr_needed = nr;
}

static bool table_has_moved(const struct quire_split *split, const u64 places[QUIRE_SLOTS])
{
	u32 i;

	for (i = 0; i < QUIRE_SLOTS; i++)
		if (split->slots[i] != QUIRE_NO_OBJECT &&
		    split->written[i] != split->group.first &&
		    split->rows[split->slots[i]].address != places[i])
			return true;
	return false;
}

/* What is bound where the part in preparation begins is there again afterwards. */
static int part_begin_again(struct quire_split *split)
{
	u64 places[QUIRE_SLOTS];
	int ret;

	quire_split_group_begin(split);
	quire_split_group_replay(split);
	needed_keep(split);
	needed_drop(split, places);
	ret = group_need(split, table_page_in);
	/* Also if it has to be planned once more: then that is where it was. */
	if (table_has_moved(split, places))
		quire_split_count_repack(split);
	return ret;
}

/*
 * Others took something of the part in preparation, and it may not fit any more with all that
 * came since: plan it again from its first entry.
 */
static int parts_rewind(struct quire_split *split)
{
	quire_split_table_start(split);
	while (split->group.last < split->first) {
		quire_split_group_begin(split);
		quire_split_group_replay(split);
	}
	if (split->start)
		return part_begin_again(split);
	needed_keep(split);
	return 0;
}

/**
 * quire_split_parts - plan and submit all parts
 * @split: the planner, from quire_split_start()
 *
 * Nothing is held afterwards.
 *
 * Returns: 0; -ENOSPC what is bound at one byte does not fit; what the allocator returns.
 */
int quire_split_parts(struct quire_split *split)
{
	int ret = parts_finish(split);

	/* A client that takes memory again and again must not keep others waiting. */
	while (ret == -EAGAIN)
		ret = parts_rewind(split) ?: quire_split_pause(split) ?: parts_finish(split);
	while (split->nr_needed)
		quire_split_unneed(split, split->needed[--split->nr_needed]);
	return ret;
}
