// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The resource table of the split planner: what the entries of the patch-location list write
 * into it, group by group, and what that says of each object. Those that may be evicted are in
 * heaps, what is needed furthest ahead first.
 */
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "quire_split_internal.h"

/* Should @a be evicted before @b, sizes not considered? */
static bool row_before(const struct quire_split *split, u32 a, u32 b)
{
	const struct quire_split_row *x = &split->rows[a], *y = &split->rows[b];

	if (split->policy == QUIRE_SPLIT_LRU && x->used != y->used)
		return x->used < y->used;
	if (split->policy != QUIRE_SPLIT_LRU && x->next != y->next)
		return x->next > y->next;
	if (x->dirty != y->dirty)
		return y->dirty;
	if (x->part != y->part)
		return x->part < y->part;
	return a < b;
}

static void heap_put(struct quire_split *split, u32 *heap, u32 place, u32 object)
{
	heap[place] = object;
	split->rows[object].place = place;
}

/* What is at @place may be anywhere in the heap. */
static void heap_settle(struct quire_split *split, u32 *heap, u32 nr, u32 place)
{
	u32 object = heap[place], child;

	for (; place && row_before(split, object, heap[(place - 1) / 2]); place = (place - 1) / 2)
		heap_put(split, heap, place, heap[(place - 1) / 2]);
	for (;;) {
		child = 2 * place + 1;
		if (child + 1 < nr && row_before(split, heap[child + 1], heap[child]))
			child++;
		if (child >= nr || !row_before(split, heap[child], object))
			break;
		heap_put(split, heap, place, heap[child]);
		place = child;
	}
	heap_put(split, heap, place, object);
}

/**
 * quire_split_sort - put an object into the heap where it belongs
 * @split: the planner
 * @object: of which something has changed
 */
void quire_split_sort(struct quire_split *split, u32 object)
{
	struct quire_split_pool *pool = quire_split_pool(split, object);
	struct quire_split_row *row = &split->rows[object];
	u32 *heap, last;

	if (row->heap != QUIRE_SPLIT_NOWHERE) {
		heap = pool->heaps[row->heap];
		last = --pool->nr[row->heap];
		if (row->place != last) {
			heap[row->place] = heap[last];
			heap_settle(split, heap, last, row->place);
		}
		row->heap = QUIRE_SPLIT_NOWHERE;
	}
	if (row->resident && !row->bound) {
		row->heap = row->needed ? QUIRE_SPLIT_DONE : QUIRE_SPLIT_IDLE;
		heap = pool->heaps[row->heap];
		last = pool->nr[row->heap]++;
		heap[last] = object;
		heap_settle(split, heap, last + 1, last);
	}
}

/**
 * quire_split_table_start - go back to before the first entry
 * @split: the planner; what is known of where objects are, and what is needed, stays
 */
void quire_split_table_start(struct quire_split *split)
{
	const struct quire_command_list *list = split->list;
	u32 i, object;

	split->group = (struct quire_split_group) { };
	for (i = 0; i < QUIRE_SLOTS; i++) {
		split->slots[i] = QUIRE_NO_OBJECT;
		split->written[i] = U32_MAX;
	}
	/* The heaps are emptied first: their order is of what changes here. */
	for (i = 0; i < QUIRE_SPLIT_SEGMENTS; i++)
		memset(split->pools[i].nr, 0, sizeof(split->pools[i].nr));
	for (i = 0; i < list->nr_objects; i++) {
		split->rows[i].heap = QUIRE_SPLIT_NOWHERE;
		split->rows[i].bound = 0;
		split->rows[i].next = QUIRE_SPLIT_NEVER;
		split->rows[i].used = 0;
		split->rows[i].part = min(split->rows[i].part, split->parts);
	}
	/* Backwards, so that each entry finds the next one of its object. */
	for (i = list->nr_patches; i-- > 0;) {
		object = quire_patch_object(list, i);
		if (object == QUIRE_NO_OBJECT)
			continue;
		split->following[i] = split->rows[object].next;
		split->rows[object].next = list->patches[i].split_offset;
	}
	for (i = 0; i < list->nr_objects; i++)
		quire_split_sort(split, i);
}

/**
 * quire_split_group_next - write the next group into the table
 * @split: the planner, not at the last one
 * @again: it was written before quire_split_table_start(): what is dirty is known
 */
void quire_split_group_next(struct quire_split *split, bool again)
{
	const struct quire_command_list *list = split->list;
	struct quire_split_group *group = &split->group;
	u32 i;

	group->first = group->last;
	group->last = quire_split_group_end(list, group->first);
	group->offset = list->patches[group->first].split_offset;
	group->nr_needed = split->nr_needed;
	for (i = group->first; i < group->last; i++) {
		const struct quire_patch_location *patch = &list->patches[i];
		u32 slot = patch->slot, old = split->slots[slot];
		u32 object = quire_patch_object(list, i);

		split->slots[slot] = object;
		split->written[slot] = group->first;
		if (object != QUIRE_NO_OBJECT) {
			struct quire_split_row *row = &split->rows[object];

			if (!again)
				row->dirty |= list->allocations[patch->allocation].writable;
			row->bound++;
			row->used = i;
			row->next = split->following[i];
			quire_split_sort(split, object);
		}
		if (old != QUIRE_NO_OBJECT) {
			split->rows[old].bound--;
			split->rows[old].used = i;
			quire_split_sort(split, old);
		}
	}
}
