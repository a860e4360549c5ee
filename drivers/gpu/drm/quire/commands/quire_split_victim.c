// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: What the split planner evicts
 *
 * Objects that may be evicted are in heaps, what is needed furthest ahead first. Of those at
 * the top a few are compared more closely: what counts is how far ahead an object is needed
 * for each byte that it has too many. As many are chosen as make the room that is missing,
 * and without those that the others make superfluous.
 *
 * Objects that the part in preparation has used, and that are not bound any more, are
 * compared, too. If one of them is better, it is time for a split: behind it they may go.
 *
 * That is good where bytes are all that counts. If there was no room although there should
 * have been enough bytes, memory is in pieces, and from then on objects are chosen that lie
 * side by side: see quire_split_window().
 *
 * Source: L. A. Belady, "A study of replacement algorithms for a virtual-storage computer".
 */
#include <linux/minmax.h>

#include "quire_split_internal.h"

/**
 * struct candidate - an object that may be evicted
 * @object: its index
 * @chosen: it is one of those that make room
 * @weight: the larger, the better is it to evict it
 */
struct candidate {
	u32 object;
	bool chosen;
	u64 weight;
};

/**
 * struct choice - what to evict
 * @need: bytes to make free
 * @nr: number of @candidates
 * @candidates: in no order
 */
struct choice {
	u64 need;
	u32 nr;
	struct candidate candidates[2 * QUIRE_SPLIT_COMPARED];
};

/*
 * An object that is evicted has to come back. How far ahead, for each byte of it that was worth
 * it? What never comes back is best.
 */
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

static void choice_add(const struct quire_split *split, struct choice *choice,
		       const struct quire_split_pool *pool, enum quire_split_heap which)
{
	const u32 *heap = quire_split_heap(split, pool, which);
	u32 i, nr = min(pool->nr[which], QUIRE_SPLIT_COMPARED);

	for (i = 0; i < nr; i++)
		choice->candidates[choice->nr++] = (struct candidate) {
			.object = heap[i],
			.weight = row_weight(split, heap[i], choice->need),
		};
}

/* The least that is enough; else the most. */
static bool fits_better(u64 size, u64 other, u64 need)
{
	if (size >= need && other >= need)
		return size < other;
	return size > other;
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
	if (size != other)
		return fits_better(size, other, need);
	return a->object < b->object;
}

/* The best one that was not chosen; NULL there is none. */
static struct candidate *choice_best(const struct quire_split *split, struct choice *choice)
{
	struct candidate *best = NULL;
	u32 i;

	for (i = 0; i < choice->nr; i++) {
		struct candidate *candidate = &choice->candidates[i];

		if (!candidate->chosen &&
		    (!best || is_better(split, candidate, best, choice->need)))
			best = candidate;
	}
	return best;
}

/* Choose until there is room; returns the bytes that are too many. */
static u64 choice_make(const struct quire_split *split, struct choice *choice)
{
	struct candidate *best;
	u64 bytes = 0;

	while (bytes < choice->need && (best = choice_best(split, choice))) {
		best->chosen = true;
		bytes += quire_split_size(split, best->object);
	}
	return bytes > choice->need ? bytes - choice->need : 0;
}

/* The worst one that was chosen and has at most @spare bytes; NULL there is none. */
static struct candidate *choice_worst(const struct quire_split *split, struct choice *choice,
				      u64 spare)
{
	struct candidate *worst = NULL;
	u32 i;

	for (i = 0; i < choice->nr; i++) {
		struct candidate *candidate = &choice->candidates[i];

		if (candidate->chosen && quire_split_size(split, candidate->object) <= spare &&
		    (!worst || is_better(split, worst, candidate, choice->need)))
			worst = candidate;
	}
	return worst;
}

/* Leave those out that the others make superfluous. */
static void choice_trim(const struct quire_split *split, struct choice *choice, u64 spare)
{
	struct candidate *worst;

	while ((worst = choice_worst(split, choice, spare))) {
		worst->chosen = false;
		spare -= quire_split_size(split, worst->object);
	}
}

/* The first one to evict; none, if some may be evicted only behind a split. */
static u32 choice_first(const struct quire_split *split, const struct choice *choice)
{
	const struct candidate *best = NULL;
	u32 i;

	for (i = 0; i < choice->nr; i++) {
		const struct candidate *candidate = &choice->candidates[i];

		if (!candidate->chosen)
			continue;
		if (split->rows[candidate->object].heap == QUIRE_SPLIT_DONE)
			return QUIRE_NO_OBJECT;
		if (!best || is_better(split, candidate, best, choice->need))
			best = candidate;
	}
	return best->object;
}

/* Bytes are all that counts. */
static u32 victim_of_bytes(struct quire_split *split, const struct quire_split_pool *pool,
			   u64 need)
{
	struct choice choice = { .need = need };

	choice_add(split, &choice, pool, QUIRE_SPLIT_IDLE);
	if (quire_split_may_split(split))
		choice_add(split, &choice, pool, QUIRE_SPLIT_DONE);
	choice_trim(split, &choice, choice_make(split, &choice));
	return choice_first(split, &choice);
}

/**
 * quire_split_victim - what should be evicted?
 * @split: the planner
 * @object: what there is no room for
 * @need: bytes that are missing, not 0
 *
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
		return *quire_split_heap(split, pool, QUIRE_SPLIT_IDLE);
	if (pool->pieces &&
	    quire_split_window(split, pool, quire_split_size(split, object), &victim))
		return victim;
	return victim_of_bytes(split, pool, need);
}
