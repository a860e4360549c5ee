// SPDX-License-Identifier: GPL-2.0 OR MIT
/* xorshift64, started anew on each page from the key and the page's number. */
#include "pattern.h"
#include "quire_client.h"

#define WORDS	(QUIRE_PAGE / sizeof(uint64_t))

static uint64_t page_start(uint64_t key, uint64_t page)
{
	uint64_t state = (key + 1) * 0x9e3779b97f4a7c15ull ^ (page + 1) * 0xd6e8feb86659fd93ull;

	return state ? state : 1;
}

static inline uint64_t xorshift(uint64_t state)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^ state << 17;
}

/* @size is a multiple of the page size, for all of these. */
void pattern_fill(void *map, uint64_t size, uint64_t key)
{
	uint64_t *words = map;

	for (uint64_t page = 0; page < size / QUIRE_PAGE; page++) {
		uint64_t state = page_start(key, page);

		for (unsigned int i = 0; i < WORDS; i++) {
			state = xorshift(state);
			*words++ = state;
		}
	}
}

/* Returns the offset of the first word that is wrong, or PATTERN_SAME. */
uint64_t pattern_differs(const void *map, uint64_t size, uint64_t key)
{
	const uint64_t *words = map;

	for (uint64_t page = 0; page < size / QUIRE_PAGE; page++) {
		uint64_t state = page_start(key, page);

		for (unsigned int i = 0; i < WORDS; i++) {
			state = xorshift(state);
			if (words[i] != state)
				return page * QUIRE_PAGE + i * sizeof(*words);
		}
		words += WORDS;
	}
	return PATTERN_SAME;
}

/* Returns the offset of the first word that is not zero, or PATTERN_SAME. */
uint64_t pattern_not_zero(const void *map, uint64_t size)
{
	const uint64_t *words = map;

	for (uint64_t i = 0; i < size / sizeof(*words); i++) {
		if (words[i])
			return i * sizeof(*words);
	}
	return PATTERN_SAME;
}
