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

/* Of what the ring keeps; so many are QUIRE_COMPARE_KEPT. */
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
	struct quire_side result = quire_result_side(op);
	uint8_t report[sizeof(struct quire_compare_report)];

	quire_put_le64(report + offsetof(struct quire_compare_report, first),
		       count ? ring->kept[QUIRE_KEPT_FIRST] : op->total);
	quire_put_le64(report + offsetof(struct quire_compare_report, count), count);
	return quire_bytes_write(engine, &result, 0, report, sizeof(report));
}

/* The next block, and after the last one the report. */
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

/**
 * quire_check_compare - can a COMPARE have found out this?
 * @engine: the engine
 * @ring: the ring it stands in
 * @op: the decoded command
 *
 * Return: NULL if it can, else what is wrong.
 */
const char *quire_check_compare(const struct quire_engine *engine, const struct quire_ring *ring,
				const struct quire_op *op)
{
	uint64_t first = ring->kept[QUIRE_KEPT_FIRST], count = ring->kept[QUIRE_KEPT_COUNT];
	bool good = count ? first < ring->done && count <= ring->done - first : !first;

	(void)engine;
	(void)op;
	return good ? NULL : "bad report of a comparison";
}
