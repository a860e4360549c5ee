// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the split planner evicts where memory is in pieces: objects that lie side by side, so that
 * with what is free around them there is a run that is long enough.
 */
#include <linux/minmax.h>

#include "quire_split_internal.h"

/* A run for which more objects would have to be evicted is not worth it. */
#define QUIRE_SPLIT_WINDOW	16u

/**
 * struct window - objects side by side that may be evicted
 * @lowest: the first
 * @highest: the last
 * @below: in front of them, or %QUIRE_NO_OBJECT
 * @above: behind them, or %QUIRE_NO_OBJECT
 * @idle: one that can go now, or %QUIRE_NO_OBJECT
 * @cost: bytes that have to come back, the sooner the more
 * @bytes: of them
 * @done: one can go only behind a split
 * @dirty: one was written
 * @busy: the part that was submitted last uses one
 */
struct window {
	u32 lowest;
	u32 highest;
	u32 below;
	u32 above;
	u32 idle;
	u64 cost;
	u64 bytes;
	bool done;
	bool dirty;
	bool busy;
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
	u64 start = 0, end = pool->end;

	if (window->below != QUIRE_NO_OBJECT)
		start = split->rows[window->below].address +
			quire_split_size(split, window->below);
	if (window->above != QUIRE_NO_OBJECT)
		end = split->rows[window->above].address;
	return end > start ? end - start : 0;
}

/* To the side where it costs less. False if there is none. */
static bool window_grow(struct quire_split *split, struct window *window)
{
	bool below = window_may_take(split, window->below);
	bool above = window_may_take(split, window->above);

	if (below && above)
		below = row_cost(split, window->below) < row_cost(split, window->above);
	if (below) {
		window->lowest = window->below;
		window_take(split, window, window->lowest);
		window->below = quire_split_map_below(split, window->lowest);
	} else if (above) {
		window->highest = window->above;
		window_take(split, window, window->highest);
		window->above = quire_split_map_above(split, window->highest);
	}
	return below || above;
}

/* Around @object. False if it does not get that large. */
static bool window_open(struct quire_split *split, const struct quire_split_pool *pool,
			u32 object, u64 size, struct window *window)
{
	u32 i;

	*window = (struct window) {
		.lowest = object,
		.highest = object,
		.below = quire_split_map_below(split, object),
		.above = quire_split_map_above(split, object),
		.idle = QUIRE_NO_OBJECT,
	};
	window_take(split, window, object);
	for (i = 1; window_size(split, pool, window) < size; i++)
		if (i == QUIRE_SPLIT_WINDOW || !window_grow(split, window))
			return false;
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

/* The best one around the first objects of a heap. */
static bool window_choose(struct quire_split *split, const struct quire_split_pool *pool,
			  enum quire_split_heap which, u64 size, struct window *best)
{
	const u32 *heap = quire_split_heap(split, pool, which);
	u32 i, nr = min(pool->nr[which], QUIRE_SPLIT_COMPARED);
	struct window window;
	bool found = false;

	for (i = 0; i < nr; i++) {
		if (!window_open(split, pool, heap[i], size, &window))
			continue;
		if (!found || window_is_better(&window, best))
			*best = window;
		found = true;
	}
	return found;
}

/**
 * quire_split_window - find objects that leave a run behind
 * @split: the planner
 * @pool: the segment
 * @size: of the run
 * @victim: set to one of them, or to %QUIRE_NO_OBJECT: some may go only behind a split
 *
 * Returns: there are such objects.
 */
bool quire_split_window(struct quire_split *split, const struct quire_split_pool *pool, u64 size,
			u32 *victim)
{
	struct window idle, done;
	bool has_idle = window_choose(split, pool, QUIRE_SPLIT_IDLE, size, &idle);
	bool has_done = quire_split_may_split(split) &&
			window_choose(split, pool, QUIRE_SPLIT_DONE, size, &done);

	if (!has_idle && !has_done)
		return false;
	if (!has_idle || (has_done && window_is_better(&done, &idle)))
		idle = done;
	*victim = idle.done ? QUIRE_NO_OBJECT : idle.idle;
	return true;
}
