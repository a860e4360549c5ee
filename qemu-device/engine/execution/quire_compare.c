// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: COMPARE.
 *
 * Of what is compared so far the ring keeps where the first byte is that differs, and how
 * many there are.
 */
#include <string.h>

#include "../address/quire_bytes.h"
#include "../core/quire_numbers.h"
#include "quire_command.h"
#include "quire_operations.h"
#include "quire_step.h"

#define QUIRE_KEPT_FIRST	0
#define QUIRE_KEPT_COUNT	1

static void quire_count_differences(struct quire_ring *ring, const uint8_t *a, const uint8_t *b,
				    uint64_t n)
{
	uint64_t i;

	if (!memcmp(a, b, n))
		return;
	for (i = 0; i < n; i++) {
		if (a[i] == b[i])
			continue;
		if (!ring->kept[QUIRE_KEPT_COUNT]++)
			ring->kept[QUIRE_KEPT_FIRST] = ring->done + i;
	}
}

static struct quire_error quire_compare_report(struct quire_engine *engine,
					       const struct quire_ring *ring,
					       struct quire_op *op)
{
	uint64_t count = ring->kept[QUIRE_KEPT_COUNT];
	uint8_t report[sizeof(struct quire_compare_report)];

	quire_put_le64(report + offsetof(struct quire_compare_report, first),
		       count ? ring->kept[QUIRE_KEPT_FIRST] : op->total);
	quire_put_le64(report + offsetof(struct quire_compare_report, count), count);
	return quire_bytes_write(engine, &op->result, 0, report, sizeof(report));
}

/**
 * quire_compare - the next block of a COMPARE, and after the last one the report
 * @engine: the engine
 * @ring: the ring it stands in; @done says how far it is, and is advanced
 * @op: the decoded command
 * @budget: what the slice may use; what was used is taken off
 *
 * Return: the fault that stops the ring, if any.
 */
struct quire_error quire_compare(struct quire_engine *engine, struct quire_ring *ring,
				 struct quire_op *op, struct quire_budget *budget)
{
	uint64_t n = quire_command_block(ring, op, budget);
	uint8_t a[QUIRE_BLOCK], b[QUIRE_BLOCK];
	struct quire_error error;

	error = quire_bytes_read(engine, &op->src, ring->done, a, n);
	if (!error.code)
		error = quire_bytes_read(engine, &op->dst, ring->done, b, n);
	if (error.code)
		return error;
	quire_count_differences(ring, a, b, n);
	if (ring->done + n == op->total)
		error = quire_compare_report(engine, ring, op);
	if (!error.code)
		quire_command_done(ring, budget, n);
	return error;
}

static bool quire_differences_ok(const struct quire_ring *ring)
{
	uint64_t first = ring->kept[QUIRE_KEPT_FIRST], count = ring->kept[QUIRE_KEPT_COUNT];

	if (!count)
		return !first;
	return first < ring->done && count <= ring->done - first;
}

/**
 * quire_check_kept - can a command have found out this?
 * @ring: the ring
 * @op: the decoded packet at work; NULL if there is none
 *
 * Of the accumulators of a checksum any number can be.
 *
 * Return: NULL if it can, else what is wrong.
 */
const char *quire_check_kept(const struct quire_ring *ring, const struct quire_op *op)
{
	unsigned int i, first = 0;

	if (op && op->opcode == QUIRE_COMMAND_CHECKSUM)
		return NULL;
	if (op && op->opcode == QUIRE_COMMAND_COMPARE) {
		if (!quire_differences_ok(ring))
			return "bad report of a comparison";
		first = QUIRE_KEPT_COUNT + 1;
	}
	for (i = first; i < QUIRE_RING_KEPT; i++)
		if (ring->kept[i])
			return "kept by a packet that keeps nothing";
	return NULL;
}
