// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: ARITHMETIC.
 */
#include <string.h>

#include "../address/quire_bytes.h"
#include "../core/quire_numbers.h"
#include "quire_command.h"
#include "quire_operations.h"
#include "quire_step.h"

static void quire_add_stride(uint8_t *restrict dst, const uint8_t *restrict src)
{
	uint32_t i, a, b;

	for (i = 0; i < QUIRE_STRIDE; i += 4) {
		memcpy(&a, dst + i, sizeof(a));
		memcpy(&b, src + i, sizeof(b));
		a = quire_le32(quire_le32(a) + quire_le32(b));
		memcpy(dst + i, &a, sizeof(a));
	}
}

static void quire_xor_stride(uint8_t *restrict dst, const uint8_t *restrict src)
{
	uint32_t i;

	for (i = 0; i < QUIRE_STRIDE; i++)
		dst[i] ^= src[i];
}

/* Numbers that share no bytes with those of the source; returns how many bytes were done. */
static uint64_t quire_combine_strides(uint8_t *dst, const uint8_t *src, uint64_t len, bool add)
{
	uint64_t i;

	for (i = 0; i + QUIRE_STRIDE <= len; i += QUIRE_STRIDE) {
		if (add)
			quire_add_stride(dst + i, src + i);
		else
			quire_xor_stride(dst + i, src + i);
	}
	return i;
}

/* One number after the other. */
static void quire_combine(uint8_t *dst, const uint8_t *src, uint64_t len, bool add)
{
	uint64_t i;

	for (i = 0; i < len; i += 4) {
		uint32_t a = quire_get_le32(dst + i), b = quire_get_le32(src + i);

		quire_put_le32(dst + i, add ? a + b : a ^ b);
	}
}

/*
 * One number after the other: if the destination is some way behind the source, the numbers
 * there are read again later. So both are brought here in one piece, if they share bytes.
 */
struct quire_error quire_arithmetic(struct quire_engine *engine, struct quire_ring *ring,
				    struct quire_op *op, struct quire_budget *budget)
{
	uint64_t n = quire_command_block(ring, op, budget);
	uint64_t apart = op->dst.address - op->src.address;
	uint8_t numbers[2 * QUIRE_BLOCK];
	bool add = op->flags & QUIRE_ARITHMETIC_ADD;
	uint64_t done = 0;
	struct quire_error error;

	if (op->src.segment != op->dst.segment || apart > n)
		apart = n;
	error = quire_bytes_read(engine, &op->src, ring->done, numbers, n);
	if (!error.code)
		error = quire_bytes_read(engine, &op->dst, ring->done, numbers + apart, n);
	if (error.code)
		return error;
	if (apart == n)
		done = quire_combine_strides(numbers + n, numbers, n, add);
	quire_combine(numbers + apart + done, numbers + done, n - done, add);
	error = quire_bytes_write(engine, &op->dst, ring->done, numbers + apart, n);
	if (!error.code)
		quire_command_done(ring, budget, n);
	return error;
}
