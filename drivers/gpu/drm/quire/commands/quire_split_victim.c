// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: What the split planner evicts
 *
 * Objects that may be evicted are in heaps, what is needed furthest ahead first. Of those at
 * the top a few are compared more closely: what counts is how far ahead an object is needed
 * for each byte that it has too many. As many are chosen as make the room that is missing,
 * and without those that the others make superfluous. Objects that the part in preparation has
 * used, and that are not bound any more, are compared, too: behind a split they may go.
 *
 * If there was no room although there should have been enough bytes, memory is in pieces. From then
 * on objects are chosen that lie side by side, in a run that is long enough with what is free.
 *
 * Source: L. A. Belady, "A study of replacement algorithms for a virtual-storage computer".
 */
#include <linux/minmax.h>

#include "quire_split_internal.h"

/* Of each heap, that many are compared. */
#define QUIRE_SPLIT_COMPARED	16u

/* A run for which more objects would have to be evicted is not worth it. */
#define QUIRE_SPLIT_WINDOW	16u

struct candidate {
	u32 object;
	bool chosen;
	u64 weight; /* the larger, the better is it to evict it */
};

struct choice {
	u64 need; /* bytes to make free */
	u32 nr;
	struct candidate candidates[2 * QUIRE_SPLIT_COMPARED];
};

/* How far ahead does it come back, for each byte of it that was worth it? */
static u64 row_weight(const struct quire_split *split, u32 object, u64 need)
{
	const struct quire_split_row *row = &split->rows[object];
	u64 size = quire_split_size(split, object);

	if (row->next == QUIRE_SPLIT_NEVER)
		return U64_MAX;
	if (split->policy == QUIRE_SPLIT_FURTHEST)
		return row->next - split->group.offset;
	return (row->next - split->group.offset) * ((min(need, size) << 16) / size);
}

/* Those that may be the best; behind a split what the part has used may go, too. */
static u32 pool_compared(struct quire_split *split, const struct quire_split_pool *pool,
			 u32 objects[2 * QUIRE_SPLIT_COMPARED])
{
	u32 i, heap, nr = 0, heaps = quire_split_may_split(split) ? 2 : 1;

	for (heap = 0; heap < heaps; heap++)
		for (i = 0; i < min(pool->nr[heap], QUIRE_SPLIT_COMPARED); i++)
			objects[nr++] = pool->heaps[heap][i];
	return nr;
}

static bool is_better(const struct quire_split *split, const struct candidate *a,
		      const struct candidate *b, u64 need)
{
	const struct quire_split_row *x = &split->rows[a->object], *y = &split->rows[b->object];
	u64 size = quire_split_size(split, a->object), other = quire_split_size(split, b->object);
	bool busy = x->part == split->parts, other_busy = y->part == split->parts;

	if (a->weight != b->weight)
		return a->weight > b->weight;
	if (x->heap != y->heap)
		return x->heap == QUIRE_SPLIT_IDLE;
	if (x->dirty != y->dirty)
		return y->dirty;
	if (busy != other_busy)
		return other_busy;
	if (size == other)
		return a->object < b->object;
	/* The least that is enough; else the most. */
	return size >= need && other >= need ? size < other : size > other;
}

/* The best, or the worst, one of at most @most bytes that was chosen, or not; NULL: none. */
static struct candidate *choice_find(const struct quire_split *split, struct choice *choice,
				     bool chosen, u64 most, bool worst)
{
	struct candidate *found = NULL;
	u32 i;

	for (i = 0; i < choice->nr; i++) {
		struct candidate *candidate = &choice->candidates[i];

		if (candidate->chosen == chosen &&
		    quire_split_size(split, candidate->object) <= most &&
		    (!found || is_better(split, worst ? found : candidate,
					 worst ? candidate : found, choice->need)))
			found = candidate;
	}
	return found;
}

/* Bytes are all that counts. */
static u32 victim_of_bytes(struct quire_split *split, const struct quire_split_pool *pool,
			   u64 need)
{
	u32 i, objects[2 * QUIRE_SPLIT_COMPARED];
	struct choice choice = { .need = need };
	struct candidate *found;
	u64 bytes = 0;

	choice.nr = pool_compared(split, pool, objects);
	for (i = 0; i < choice.nr; i++)
		choice.candidates[i] = (struct candidate) {
			.object = objects[i],
			.weight = row_weight(split, objects[i], need),
		};
	while (bytes < need && (found = choice_find(split, &choice, false, U64_MAX, false))) {
		found->chosen = true;
		bytes += quire_split_size(split, found->object);
	}
	/* Leave those out that the others make superfluous. */
	while (bytes > need &&
	       (found = choice_find(split, &choice, true, bytes - need, true))) {
		found->chosen = false;
		bytes -= quire_split_size(split, found->object);
	}
	for (i = 0; i < choice.nr; i++)
		if (choice.candidates[i].chosen &&
		    split->rows[choice.candidates[i].object].heap == QUIRE_SPLIT_DONE)
			return QUIRE_NO_OBJECT;
	return choice_find(split, &choice, true, U64_MAX, false)->object;
}

/* Objects side by side that may be evicted. */
struct window {
	u32 beside[2]; /* what is below them, and above them */
	u32 idle; /* one that can go now */
	u64 cost; /* bytes that have to come back, the sooner the more */
	u64 bytes;
	bool done; /* one can go only behind a split */
	bool dirty;
	bool busy; /* the part that was submitted last uses one */
};

/* Bytes that come back after twice the time cost half. */
static u64 row_cost(const struct quire_split *split, u32 object)
{
	const struct quire_split_row *row = &split->rows[object];

	if (row->next == QUIRE_SPLIT_NEVER)
		return 0;
	return (quire_split_size(split, object) << 16) / (row->next - split->group.offset);
}

/* Objects that the part needs for longer are in the way. */
static bool window_may_take(const struct quire_split *split, u32 object)
{
	if (object == QUIRE_NO_OBJECT)
		return false;
	if (split->rows[object].heap == QUIRE_SPLIT_DONE)
		return quire_split_may_split(split);
	return split->rows[object].heap == QUIRE_SPLIT_IDLE;
}

static void window_take(const struct quire_split *split, struct window *window, u32 object)
{
	const struct quire_split_row *row = &split->rows[object];

	if (row->heap == QUIRE_SPLIT_DONE)
		window->done = true;
	else
		window->idle = object;
	window->cost += row_cost(split, object);
	window->bytes += quire_split_size(split, object);
	window->dirty |= row->dirty;
	window->busy |= row->part == split->parts;
}

/* Without them it is free from here to there, unless others have something in between. */
static u64 window_size(const struct quire_split *split, const struct quire_split_pool *pool,
		       const struct window *window)
{
	u32 below = window->beside[0], above = window->beside[1];
	u64 start = 0, end = pool->end;

	if (below != QUIRE_NO_OBJECT)
		start = split->rows[below].address + quire_split_size(split, below);
	if (above != QUIRE_NO_OBJECT)
		end = split->rows[above].address;
	return end > start ? end - start : 0;
}

/* Around @object, at each step to the side where it costs less. False: it gets not that large. */
static bool window_open(struct quire_split *split, const struct quire_split_pool *pool,
			u32 object, u64 size, struct window *window)
{
	bool below, above;
	u32 i;

	*window = (struct window) {
		.beside[0] = quire_split_map_next(split, object, false),
		.beside[1] = quire_split_map_next(split, object, true),
		.idle = QUIRE_NO_OBJECT,
	};
	window_take(split, window, object);
	for (i = 1; window_size(split, pool, window) < size; i++) {
		below = window_may_take(split, window->beside[0]);
		above = window_may_take(split, window->beside[1]);
		if (i == QUIRE_SPLIT_WINDOW || (!below && !above))
			return false;
		if (below && above)
			above = row_cost(split, window->beside[0]) >=
				row_cost(split, window->beside[1]);
		object = window->beside[above];
		window_take(split, window, object);
		window->beside[above] = quire_split_map_next(split, object, above);
	}
	return true;
}

static bool window_is_better(const struct window *a, const struct window *b)
{
	if (a->cost != b->cost)
		return a->cost < b->cost;
	if (a->done != b->done)
		return b->done;
	if (a->dirty != b->dirty)
		return b->dirty;
	if (a->busy != b->busy)
		return b->busy;
	return a->bytes < b->bytes;
}

/*
 * A run of @size bytes around the first objects of a heap. Sets *@victim to an object of it, or to
 * %QUIRE_NO_OBJECT: some may go only behind a split. False if there is none.
 */
static bool victim_of_run(struct quire_split *split, const struct quire_split_pool *pool, u64 size,
			  u32 *victim)
{
	u32 i, nr, objects[2 * QUIRE_SPLIT_COMPARED];
	struct window window, best = { .idle = QUIRE_NO_OBJECT };
	bool found = false;

	nr = pool_compared(split, pool, objects);
	for (i = 0; i < nr; i++) {
		if (!window_open(split, pool, objects[i], size, &window))
			continue;
		if (!found || window_is_better(&window, &best))
			best = window;
		found = true;
	}
	if (found)
		*victim = best.done ? QUIRE_NO_OBJECT : best.idle;
	return found;
}

/**
 * quire_split_victim - what should be evicted?
 * @split: the planner
 * @object: what there is no room for
 * @need: bytes that are missing, not 0
 * Returns: the object to begin with, or %QUIRE_NO_OBJECT: nothing, or nothing before the part in
 * preparation is submitted.
 */
u32 quire_split_victim(struct quire_split *split, u32 object, u64 need)
{
	struct quire_split_pool *pool = quire_split_pool(split, object);
	u32 victim;

	if (!pool->nr[QUIRE_SPLIT_IDLE])
		return QUIRE_NO_OBJECT;
	if (split->policy == QUIRE_SPLIT_LRU)
		return *pool->heaps[QUIRE_SPLIT_IDLE];
	if (pool->pieces && victim_of_run(split, pool, quire_split_size(split, object), &victim))
		return victim;
	return victim_of_bytes(split, pool, need);
}
