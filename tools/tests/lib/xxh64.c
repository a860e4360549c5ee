// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Source: "XXH64 algorithm description" in doc/xxhash_spec.md of xxHash, by which the steps are
 * numbered.
 */
#include <endian.h>
#include <string.h>

#include "xxh64.h"

#define PRIME_1		0x9e3779b185ebca87ull
#define PRIME_2		0xc2b2ae3d27d4eb4full
#define PRIME_3		0x165667b19e3779f9ull
#define PRIME_4		0x85ebca77c2b2ae63ull
#define PRIME_5		0x27d4eb2f165667c5ull

#define LANES		4
#define STRIPE		(LANES * sizeof(uint64_t))

static uint64_t rotate(uint64_t value, unsigned int bits)
{
	return value << bits | value >> (64 - bits);
}

static uint64_t read64(const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return le64toh(value);
}

static uint32_t read32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return le32toh(value);
}

static uint64_t mix(uint64_t accumulator, uint64_t lane)
{
	return rotate(accumulator + lane * PRIME_2, 31) * PRIME_1;
}

/* Steps 1 to 3, of what has a stripe at least; *@bytes goes behind the last one. */
static uint64_t converge(const uint8_t **bytes, uint64_t size)
{
	uint64_t lanes[LANES] = { PRIME_1 + PRIME_2, PRIME_2, 0, -PRIME_1 };
	uint64_t hash;

	for (; size >= STRIPE; size -= STRIPE, *bytes += STRIPE)
		for (unsigned int i = 0; i < LANES; i++)
			lanes[i] = mix(lanes[i], read64(*bytes + i * sizeof(uint64_t)));

	hash = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) +
	       rotate(lanes[3], 18);
	for (unsigned int i = 0; i < LANES; i++)
		hash = (hash ^ mix(0, lanes[i])) * PRIME_1 + PRIME_4;
	return hash;
}

/* Step 5: what is less than a stripe. */
static uint64_t consume(uint64_t hash, const uint8_t *bytes, unsigned int size)
{
	for (; size >= 8; size -= 8, bytes += 8)
		hash = rotate(hash ^ mix(0, read64(bytes)), 27) * PRIME_1 + PRIME_4;
	for (; size >= 4; size -= 4, bytes += 4)
		hash = rotate(hash ^ read32(bytes) * PRIME_1, 23) * PRIME_2 + PRIME_3;
	for (; size; size--, bytes++)
		hash = rotate(hash ^ *bytes * PRIME_5, 11) * PRIME_1;
	return hash;
}

/**
 * xxh64 - hash bytes
 * @bytes: the first
 * @size: of them
 *
 * Returns the hash.
 */
uint64_t xxh64(const void *bytes, uint64_t size)
{
	const uint8_t *at = bytes;
	uint64_t hash = size >= STRIPE ? converge(&at, size) : PRIME_5;

	hash = consume(hash + size, at, size % STRIPE);
	hash = (hash ^ hash >> 33) * PRIME_2;
	hash = (hash ^ hash >> 29) * PRIME_3;
	return hash ^ hash >> 32;
}
