// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: SIGNAL_NATIVE.
 *
 * Where a fence is, and whose, is in quire_native.c.
 */
#include "../address/quire_bytes.h"
#include "../memory/quire_posted.h"
#include "../sync/quire_interrupt.h"
#include "../sync/quire_native.h"
#include "quire_operations.h"
#include "quire_step.h"

/* A value of the fence; the aperture may have never shown anything there. */
static struct quire_error quire_native_side(struct quire_engine *engine, uint32_t fence,
					    enum quire_native_part part, struct quire_side *side)
{
	uint64_t address = quire_native_get(engine, fence, part);

	*side = (struct quire_side){
		.segment = QUIRE_ADDRESS_SEGMENT(address),
		.address = QUIRE_ADDRESS_OFFSET(address),
		.len = sizeof(__le64),
	};
	return quire_side_unmapped(engine, side, false);
}

/* Returns what its current value is afterwards. */
static struct quire_error quire_native_grow(struct quire_engine *engine, const struct quire_op *op,
					    uint64_t *current)
{
	struct quire_side side;
	struct quire_error error = quire_native_side(engine, op->native, QUIRE_NATIVE_CURRENT,
						     &side);

	if (!error.code)
		error = quire_value_read(engine, &side, current);
	if (error.code || *current >= op->value)
		return error;
	*current = op->value;
	return quire_value_signal(engine, &side, op->value);
}

static struct quire_error quire_native_monitored(struct quire_engine *engine,
						 const struct quire_op *op, uint64_t *value)
{
	struct quire_side side;
	struct quire_error error = quire_native_side(engine, op->native, QUIRE_NATIVE_MONITORED,
						     &side);

	return error.code ? error : quire_value_read(engine, &side, value);
}

/*
 * A processor that waits writes the monitored value and then looks at the current one. Here the
 * current one is written before the monitored one is looked at, with a full barrier between
 * them on both sides: so one of them sees what the other one wrote.
 */
struct quire_error quire_signal_native(struct quire_engine *engine, struct quire_ring *ring,
				       struct quire_op *op, struct quire_budget *budget)
{
	uint64_t owner = quire_native_get(engine, op->native, QUIRE_NATIVE_OWNER);
	uint64_t current, monitored;
	struct quire_error error;

	if (!owner || owner != op->root)
		return QUIRE_ERROR(QUIRE_FAULT_NATIVE_FENCE, op->native);
	quire_budget_take(budget, engine->posted.total);
	quire_posted_flush(engine);
	error = quire_native_grow(engine, op, &current);
	if (error.code)
		return error;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	error = quire_native_monitored(engine, op, &monitored);
	if (error.code)
		return error;
	if (current >= monitored) {
		engine->native_interrupts++;
		quire_interrupt(engine, QUIRE_VECTOR_FENCE);
	}
	quire_command_done(ring, budget, op->total);
	return QUIRE_OK;
}
