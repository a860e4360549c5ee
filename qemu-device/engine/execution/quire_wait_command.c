// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: WRITE_VALUE, WAIT_VALUE and DELAY.
 *
 * How a ring waits is in quire_wait.c.
 */
#include "../address/quire_bytes.h"
#include "../sync/quire_wait.h"
#include "quire_command.h"
#include "quire_operations.h"
#include "quire_step.h"

struct quire_error quire_write_value(struct quire_engine *engine, struct quire_ring *ring,
				     struct quire_op *op, struct quire_budget *budget)
{
	struct quire_error error = quire_value_write(engine, &op->dst, op->value);

	if (!error.code)
		quire_command_done(ring, budget, op->total);
	return error;
}

/*
 * The time between two looks at a value: an eighth of the time that the ring has waited,
 * between these. Soon for the guest at first, and seldom for the host when the wait is long.
 */
#define QUIRE_WAIT_LOOK_LEAST	100000u
#define QUIRE_WAIT_LOOK_MOST	(QUIRE_WAIT_LOOK_LEAST << 7)

/*
 * The time from @now to the next look of a ring that has waited for @waited. The time between two
 * looks is the least one times a power of two, and a look is at a multiple of it: rings that wait
 * are looked at together.
 */
static uint64_t quire_wait_look(uint64_t now, uint64_t waited)
{
	uint64_t interval = QUIRE_WAIT_LOOK_LEAST;

	while (interval < QUIRE_WAIT_LOOK_MOST && interval * 2 <= waited / 8)
		interval *= 2;
	return interval - now % interval;
}

struct quire_error quire_wait_value(struct quire_engine *engine, struct quire_ring *ring,
				    struct quire_op *op, struct quire_budget *budget)
{
	uint64_t value, now;
	struct quire_error error = quire_value_read(engine, &op->src, &value);

	if (error.code)
		return error;
	if (value == op->value || (op->flags & QUIRE_WAIT_GREATER_EQUAL && value > op->value)) {
		quire_command_done(ring, budget, op->total);
		return QUIRE_OK;
	}
	now = engine->ops->time(engine->opaque);
	if (!op->waiting)
		op->since = now;
	quire_wait(engine, ring, op, now, quire_wait_look(now, now - op->since));
	return QUIRE_OK;
}

struct quire_error quire_delay(struct quire_engine *engine, struct quire_ring *ring,
			       struct quire_op *op, struct quire_budget *budget)
{
	uint64_t now = quire_delay_count(engine, ring, op, op->total);

	(void)budget;
	if (ring->done < op->total)
		quire_wait(engine, ring, op, now, op->total - ring->done);
	return QUIRE_OK;
}
