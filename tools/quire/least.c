// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "least.h"

#define NEVER	UINT32_MAX

/* For each use when the same thing is used next. */
static void find_next_uses(const uint32_t *uses, uint32_t count, uint32_t *next,
			   uint32_t *next_of, uint32_t kinds)
{
	for (uint32_t i = 0; i < kinds; i++)
		next_of[i] = NEVER;
	for (uint32_t i = count; i-- > 0;) {
		next[i] = next_of[uses[i]];
		next_of[uses[i]] = i;
	}
}

/* Of what is here, but for @not, what is used furthest ahead. */
static uint32_t find_furthest(const uint32_t *next_of, uint32_t kinds, uint32_t not)
{
	uint32_t furthest = not;

	for (uint32_t i = 0; i < kinds; i++)
		if (i != not && next_of[i] && (furthest == not || next_of[i] > next_of[furthest]))
			furthest = i;
	return furthest;
}

/* next_of[] of what is here is when it is used next; of others it is 0. */
static uint32_t walk(const uint32_t *uses, uint32_t count, const uint32_t *next,
		     uint32_t *next_of, uint32_t kinds, uint32_t room)
{
	uint32_t moves = 0, here = 0;

	for (uint32_t i = 0; i < kinds; i++)
		next_of[i] = 0;
	for (uint32_t i = 0; i < count; i++) {
		bool is_here = next_of[uses[i]];

		next_of[uses[i]] = next[i];
		if (is_here)
			continue;
		moves++;
		if (here < room)
			here++;
		else
			next_of[find_furthest(next_of, kinds, uses[i])] = 0;
	}
	return moves;
}

/**
 * least_moves - how often has something to be brought in, at least?
 * @uses: what is used, one after the other
 * @count: number of uses
 * @kinds: of what is used; all are of the same size
 * @room: for how many there is room, at least 1
 *
 * By Belady's rule: what is used furthest ahead goes.
 *
 * Returns how often, or -ENOMEM.
 */
int64_t least_moves(const uint32_t *uses, uint32_t count, uint32_t kinds, uint32_t room)
{
	uint32_t *next = calloc(count + 1, sizeof(*next));
	uint32_t *next_of = calloc(kinds + 1, sizeof(*next_of));
	int64_t moves = -ENOMEM;

	if (next && next_of) {
		find_next_uses(uses, count, next, next_of, kinds);
		moves = walk(uses, count, next, next_of, kinds, room);
	}
	free(next_of);
	free(next);
	return moves;
}
