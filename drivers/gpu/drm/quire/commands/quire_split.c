// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The split planner
 *
 * A command buffer whose objects do not fit into memory together runs in parts. Entries of
 * the patch-location list say from which byte on an object is bound to a slot; those with one
 * split offset take effect together, and between them and what is before it can be split.
 *
 * - Objects are paged in one after the other, as the entries name them, and stay while the
 *   part that is prepared needs them. If there is no more room, the part up to there is
 *   submitted, and the next one begins. If there is none but for what can be evicted, it is,
 *   too, unless little came for it: it is executed while room for more is made.
 * - What is bound on both sides of a split stays in place, held, but for slots that are
 *   written right there. Others may have memory between two parts; then it comes back.
 * - What is evicted says quire_split_victim().
 * - If others took something of a part that is ready, it is planned again. What has come to the
 *   place of that may leave no room for it, so the part may become shorter.
 * - The list says all that will be needed, so each entry knows the next one of its object.
 *
 * If memory is in pieces, so that what has to be bound at one byte does not fit though it is not
 * more than there is, what was just written is evicted and paged in again, in an order that fits;
 * if that is not enough, all that is bound. Fields are patched for each part, so this is right,
 * too, but it is not what the original promises. It is done only where the alternative is to
 * fail.
 *
 * Pure: nothing is allocated, nothing sleeps but the allocator. The memory is the caller's.
 *
 * Locking: none; a planner belongs to one thread.
 *
 * Life cycle: quire_command_check(), quire_split_check(), quire_split_init(),
 * quire_split_run().
 *
 * Source: "Splitting a DMA Buffer"; D3DDDI_PATCHLOCATIONLIST, SplitOffset, SlotId.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/string.h>

#include <kunit/visibility.h>

#include "quire_split_internal.h"

/**
 * quire_split_memory - how much memory does a planner need?
 * @list: what it is for
 *
 * Returns: bytes.
 */
size_t quire_split_memory(const struct quire_command_list *list)
{
	size_t object = sizeof(struct quire_split_row) + 3 * sizeof(u32);

	return list->nr_objects * object + list->nr_patches * sizeof(u32);
}
EXPORT_SYMBOL_IF_KUNIT(quire_split_memory);

/* At least what is bound at once. */
static void limits_init(struct quire_split *split, u64 max_bytes)
{
	u64 largest[QUIRE_SPLIT_SEGMENTS];
	u32 i;

	quire_split_largest(split->list, largest);
	for (i = 0; i < QUIRE_SPLIT_SEGMENTS; i++)
		split->pools[i].limit = max(max_bytes, largest[i]);
}

static void pools_init(struct quire_split *split)
{
	u32 i;

	for (i = 0; i < QUIRE_SPLIT_SEGMENTS; i++) {
		split->pools[i].limit = U64_MAX;
		split->pools[i].root = QUIRE_NO_OBJECT;
	}
	for (i = 0; i < split->list->nr_objects; i++)
		if (quire_split_segment(split->list, i) == 0)
			split->pools[1].first++;
}

/**
 * quire_split_init - prepare a planner
 * @split: set
 * @ops: the allocator
 * @list: what quire_command_check() and quire_split_check() found good; outlives @split
 * @options: copied
 * @memory: quire_split_memory() bytes, aligned to 8; outlives @split
 *
 * There is nothing to undo.
 */
void quire_split_init(struct quire_split *split, const struct quire_split_memory_ops *ops,
		      const struct quire_command_list *list,
		      const struct quire_split_options *options, void *memory)
{
	u32 *numbers;

	*split = (struct quire_split) {
		.ops = ops,
		.list = list,
		.options = *options,
		.rows = memory,
		.random = options->seed * 0x9e3779b9, /* odd: only 0 becomes 0 */
	};
	numbers = (u32 *)(split->rows + list->nr_objects);
	split->needed = numbers;
	split->heaps[QUIRE_SPLIT_IDLE] = numbers + list->nr_objects;
	split->heaps[QUIRE_SPLIT_DONE] = numbers + 2 * list->nr_objects;
	split->following = numbers + 3 * list->nr_objects;

	memset(split->rows, 0, list->nr_objects * sizeof(*split->rows));
	pools_init(split);
	quire_split_table_start(split);
	if (options->max_bytes)
		limits_init(split, options->max_bytes);
}
EXPORT_SYMBOL_IF_KUNIT(quire_split_init);

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

/* What is in a slot that the group does not write stays where it is. */
static void needed_fix(struct quire_split *split)
{
	u32 i;

	for (i = 0; i < split->nr_needed; i++)
		split->rows[split->needed[i]].fixed = false;
	for (i = 0; i < QUIRE_SLOTS; i++)
		if (split->slots[i] != QUIRE_NO_OBJECT &&
		    split->written[i] != split->group.first)
			split->rows[split->slots[i]].fixed = true;
}

/* The next part needs that, and at first no more. */
static void needed_keep(struct quire_split *split)
{
	u32 i, object, nr = 0;

	needed_fix(split);
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
	int ret = 0;

	quire_split_group_begin(split);
	quire_split_group_apply(split);
	if (split_is_wanted(split) && quire_split_may_split(split))
		ret = part_end(split);
	return ret ?: group_need(split, group_page_in);
}

/* From the group that the planner is at to the end. */
static int split_finish(struct quire_split *split)
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
	if (!ret && table_has_moved(split, places))
		quire_split_count_repack(split);
	return ret;
}

/*
 * Others took something of the part in preparation, and it may not fit any more with all that
 * came since: plan it again from its first entry.
 */
static int split_rewind(struct quire_split *split)
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

static void needed_release(struct quire_split *split)
{
	while (split->nr_needed)
		quire_split_unneed(split, split->needed[--split->nr_needed]);
}

/**
 * quire_split_run - let a command buffer run, in as many parts as it takes
 * @split: prepared by quire_split_init(), and used up then
 *
 * Sleeps only where the allocator does. Nothing is held afterwards, and objects may be where
 * commands can use them.
 *
 * Returns: 0 all parts were submitted; -ENOSPC others have so much, or such pieces, that what is
 * bound at one byte does not fit; what the allocator returns. After an error the first
 * &quire_split.parts parts were submitted.
 */
int quire_split_run(struct quire_split *split)
{
	u32 i;
	int ret;

	for (i = 0; i < split->list->nr_objects; i++)
		quire_split_look(split, i);
	ret = split_finish(split);
	/* Who takes again and again must not keep others from their turn. */
	while (ret == -EAGAIN)
		ret = split_rewind(split) ?: quire_split_pause(split) ?: split_finish(split);
	needed_release(split);
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(quire_split_run);
