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
 * - The list says all that will be needed, so each entry knows the next one of its object.
 *
 * If memory is in pieces, so that what has to be bound at one byte does not fit though it is not
 * more than there is, what was just written is evicted and paged in again, the largest first;
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

static void rows_init(struct quire_split *split)
{
	u32 i;

	for (i = 0; i < split->list->nr_objects; i++)
		split->rows[i] = (struct quire_split_row) {
			.next = QUIRE_SPLIT_NEVER,
			.heap = QUIRE_SPLIT_NOWHERE,
		};
}

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
	u32 i, *numbers;

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

	for (i = 0; i < QUIRE_SLOTS; i++) {
		split->slots[i] = QUIRE_NO_OBJECT;
		split->written[i] = U32_MAX;
	}
	rows_init(split);
	following_init(split);
	pools_init(split);
	if (options->max_bytes)
		limits_init(split, options->max_bytes);
}
EXPORT_SYMBOL_IF_KUNIT(quire_split_init);

/* Which group is next? */
static void group_begin(struct quire_split *split)
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
	row->dirty |= split->list->allocations[split->list->patches[entry].allocation].writable;
	quire_split_sort(split, object);
}

/* From here on all of its entries are in the table. */
static void group_apply(struct quire_split *split)
{
	u32 i, slot, old;

	for (i = split->group.first; i < split->group.last; i++) {
		slot = split->list->patches[i].slot;
		old = split->slots[slot];
		split->slots[slot] = quire_patch_object(split->list, i);
		split->written[slot] = split->group.first;
		object_bind(split, split->slots[slot], i);
		object_unbind(split, old, i);
	}
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

static int group_run(struct quire_split *split)
{
	u32 object;
	int ret = 0;

	group_begin(split);
	group_apply(split);
	if (split_is_wanted(split) && quire_split_may_split(split))
		ret = part_end(split);
	while (!ret && (ret = group_page_in(split, &object)) == -ENOSPC) {
		if (quire_split_may_split(split))
			ret = part_end(split);
		else
			ret = quire_split_repack(split, quire_split_segment(split->list, object));
	}
	return ret;
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
	int ret = 0;

	for (i = 0; i < split->list->nr_objects; i++)
		quire_split_look(split, i);
	while (!ret && split->group.last < split->list->nr_patches)
		ret = group_run(split);
	if (!ret) {
		split->group.first = split->group.last;
		split->group.nr_needed = split->nr_needed;
		ret = part_submit(split, split->list->size);
	}
	needed_release(split);
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(quire_split_run);
