// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An independent XXH64, for engine tests: all of the input at hand, without a state.
 */
#include "hash.h"

#define P1 11400714785074694791ull
#define P2 14029467366897019727ull
#define P3 1609587929392839161ull
#define P4 9650029242287828579ull
#define P5 2870177450012600261ull

static uint64_t rotl(uint64_t x, int r)
{
	return (x << r) | (x >> (64 - r));
}

static uint64_t get(const uint8_t *bytes, unsigned int count)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < count; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

uint64_t hash_xxh64(const uint8_t *bytes, uint64_t size)
{
	uint64_t v[4] = { P1 + P2, P2, 0, -P1 }, h = P5, at = 0;
	int i;

	for (; at + 32 <= size; at += 32)
		for (i = 0; i < 4; i++) {
			v[i] += get(bytes + at + 8 * i, 8) * P2;
			v[i] = rotl(v[i], 31) * P1;
		}
	if (size >= 32) {
		h = rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18);
		for (i = 0; i < 4; i++)
			h = (h ^ rotl(v[i] * P2, 31) * P1) * P1 + P4;
	}
	h += size;
	for (; at + 8 <= size; at += 8)
		h = rotl(h ^ rotl(get(bytes + at, 8) * P2, 31) * P1, 27) * P1 + P4;
	for (; at + 4 <= size; at += 4)
		h = rotl(h ^ get(bytes + at, 4) * P1, 23) * P2 + P3;
	for (; at < size; at++)
		h = rotl(h ^ bytes[at] * P5, 11) * P1;
	h = (h ^ h >> 33) * P2;
	h = (h ^ h >> 29) * P3;
	return h ^ h >> 32;
}
