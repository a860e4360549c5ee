// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: CHECKSUM, which is XXH64 with a seed of 0.
 *
 * Written from the specification of the xxHash fast digest algorithm, and with its names:
 * stripes of 32 bytes go into four accumulators, which the ring keeps; what is left after
 * the last whole stripe is taken in at the end, and all is mixed.
 *
 * Source: xxHash fast digest algorithm, version 0.1.1, XXH64 algorithm description.
 */
#include "../address/quire_bytes.h"
#include "../core/quire_numbers.h"
#include "quire_command.h"
#include "quire_operations.h"
#include "quire_step.h"

#define QUIRE_PRIME_1	0x9e3779b185ebca87ull
#define QUIRE_PRIME_2	0xc2b2ae3d27d4eb4full
#define QUIRE_PRIME_3	0x165667b19e3779f9ull
#define QUIRE_PRIME_4	0x85ebca77c2b2ae63ull
#define QUIRE_PRIME_5	0x27d4eb2f165667c5ull

#define QUIRE_LANES	QUIRE_RING_KEPT
#define QUIRE_STRIPE	QUIRE_CHECKSUM_ALIGN

static uint64_t quire_rotate(uint64_t value, unsigned int bits)
{
	return value << bits | value >> (64 - bits);
}

static uint64_t quire_checksum_round(uint64_t acc, uint64_t lane)
{
	return quire_rotate(acc + lane * QUIRE_PRIME_2, 31) * QUIRE_PRIME_1;
}

static void quire_checksum_begin(uint64_t *acc)
{
	acc[0] = QUIRE_PRIME_1 + QUIRE_PRIME_2;
	acc[1] = QUIRE_PRIME_2;
	acc[2] = 0;
	acc[3] = 0 - QUIRE_PRIME_1;
}

static void quire_checksum_stripes(uint64_t *acc, const uint8_t *bytes, uint64_t n)
{
	unsigned int lane;

	for (; n >= QUIRE_STRIPE; n -= QUIRE_STRIPE)
		for (lane = 0; lane < QUIRE_LANES; lane++, bytes += 8)
			acc[lane] = quire_checksum_round(acc[lane], quire_get_le64(bytes));
}

static uint64_t quire_checksum_converge(const uint64_t *acc, uint64_t total)
{
	uint64_t hash;
	unsigned int lane;

	if (total < QUIRE_STRIPE)
		return QUIRE_PRIME_5 + total;
	hash = quire_rotate(acc[0], 1) + quire_rotate(acc[1], 7) + quire_rotate(acc[2], 12) +
	       quire_rotate(acc[3], 18);
	for (lane = 0; lane < QUIRE_LANES; lane++)
		hash = (hash ^ quire_checksum_round(0, acc[lane])) * QUIRE_PRIME_1 +
		       QUIRE_PRIME_4;
	return hash + total;
}

/* What is less than a stripe. */
static uint64_t quire_checksum_rest(uint64_t hash, const uint8_t *bytes, uint64_t n)
{
	for (; n >= 8; n -= 8, bytes += 8) {
		hash ^= quire_checksum_round(0, quire_get_le64(bytes));
		hash = quire_rotate(hash, 27) * QUIRE_PRIME_1 + QUIRE_PRIME_4;
	}
	if (n >= 4) {
		hash ^= quire_get_le32(bytes) * QUIRE_PRIME_1;
		hash = quire_rotate(hash, 23) * QUIRE_PRIME_2 + QUIRE_PRIME_3;
		n -= 4;
		bytes += 4;
	}
	for (; n; n--, bytes++) {
		hash ^= *bytes * QUIRE_PRIME_5;
		hash = quire_rotate(hash, 11) * QUIRE_PRIME_1;
	}
	return hash;
}

static uint64_t quire_checksum_mix(uint64_t hash)
{
	hash = (hash ^ hash >> 33) * QUIRE_PRIME_2;
	hash = (hash ^ hash >> 29) * QUIRE_PRIME_3;
	return hash ^ hash >> 32;
}

/* The last @n bytes are there, and all stripes before them are in @acc. */
static uint64_t quire_checksum_end(const uint64_t *acc, uint64_t total, const uint8_t *bytes,
				   uint64_t n)
{
	uint64_t rest = n % QUIRE_STRIPE;
	uint64_t hash = quire_checksum_converge(acc, total);

	return quire_checksum_mix(quire_checksum_rest(hash, bytes + n - rest, rest));
}

/* The next block, and after the last one the hash. */
struct quire_error quire_checksum(struct quire_engine *engine, struct quire_ring *ring,
				  struct quire_op *op, struct quire_budget *budget)
{
	uint64_t n = quire_command_block(ring, op, budget);
	uint8_t bytes[QUIRE_BLOCK], hash[8];
	struct quire_error error;

	if (!ring->done)
		quire_checksum_begin(ring->kept);
	error = quire_bytes_read(engine, &op->src, ring->done, bytes, n);
	if (error.code)
		return error;
	quire_checksum_stripes(ring->kept, bytes, n);
	if (ring->done + n == op->total) {
		struct quire_side result = quire_result_side(op);

		quire_put_le64(hash, quire_checksum_end(ring->kept, op->total, bytes, n));
		error = quire_bytes_write(engine, &result, 0, hash, sizeof(hash));
	}
	if (!error.code)
		quire_command_done(ring, budget, n);
	return error;
}
