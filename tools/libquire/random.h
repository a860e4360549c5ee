/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Numbers that repeat for a seed: splitmix64. */
#ifndef QUIRE_RANDOM_H
#define QUIRE_RANDOM_H

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* A number below @limit, which is not 0. */
static inline uint64_t random_below(uint64_t *state, uint64_t limit)
{
	return random_next(state) % limit;
}

#endif
