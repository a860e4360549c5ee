// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Objects that the split planner may evict, what is needed furthest ahead first. */
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

static void heap_rise(struct quire_split *split, u32 *heap, u32 place)
{
	u32 object = heap[place];

	while (place && row_before(split, object, heap[(place - 1) / 2])) {
		heap_put(split, heap, place, heap[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	heap_put(split, heap, place, object);
}

static void heap_sink(struct quire_split *split, u32 *heap, u32 nr, u32 place)
{
	u32 object = heap[place], child;

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
 * quire_split_heap - a heap of a segment
 * @split: the planner
 * @pool: the segment
 * @heap: %QUIRE_SPLIT_IDLE or %QUIRE_SPLIT_DONE
 *
 * Returns: &quire_split_pool.nr objects.
 */
u32 *quire_split_heap(const struct quire_split *split, const struct quire_split_pool *pool,
		      enum quire_split_heap heap)
{
	return split->heaps[heap] + pool->first;
}

static void heap_remove(struct quire_split *split, u32 object)
{
	struct quire_split_row *row = &split->rows[object];
	struct quire_split_pool *pool = quire_split_pool(split, object);
	u32 *heap = quire_split_heap(split, pool, row->heap);
	u32 last = --pool->nr[row->heap];

	if (row->place != last) {
		u32 moved = heap[last];

		heap_put(split, heap, row->place, moved);
		heap_rise(split, heap, row->place);
		heap_sink(split, heap, last, split->rows[moved].place);
	}
	row->heap = QUIRE_SPLIT_NOWHERE;
}

static void heap_insert(struct quire_split *split, u32 object, enum quire_split_heap which)
{
	struct quire_split_pool *pool = quire_split_pool(split, object);
	u32 *heap = quire_split_heap(split, pool, which);
	u32 place = pool->nr[which]++;

	split->rows[object].heap = which;
	heap_put(split, heap, place, object);
	heap_rise(split, heap, place);
}

/**
 * quire_split_sort - put an object into the heap where it belongs
 * @split: the planner
 * @object: of which something has changed
 */
void quire_split_sort(struct quire_split *split, u32 object)
{
	const struct quire_split_row *row = &split->rows[object];

	if (row->heap != QUIRE_SPLIT_NOWHERE)
		heap_remove(split, object);
	if (row->resident && !row->bound)
		heap_insert(split, object, row->needed ? QUIRE_SPLIT_DONE : QUIRE_SPLIT_IDLE);
}
