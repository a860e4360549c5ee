// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: how long a slice may be.
 *
 * A slice holds the host's lock, and is bounded by time. The clock is looked at
 * now and then: after some bytes, and other work counts as bytes, too.
 */
#include "quire_internal.h"

/**
 * quire_budget_begin - a slice begins
 * @engine: the engine
 * @budget: filled in: what the slice may use
 */
void quire_budget_begin(struct quire_engine *engine, struct quire_budget *budget)
{
	budget->start = engine->ops->clock(engine->opaque);
	budget->bytes = engine->look_bytes;
}

/**
 * quire_budget_take - something was done
 * @budget: of the slice
 * @bytes: what it counts
 */
void quire_budget_take(struct quire_budget *budget, uint64_t bytes)
{
	budget->bytes -= quire_min(budget->bytes, bytes);
}

/**
 * quire_budget_left - may the slice go on?
 * @engine: the engine
 * @budget: of the slice; its @bytes are not 0 after a yes
 *
 * Return: false if its time is over.
 */
bool quire_budget_left(struct quire_engine *engine, struct quire_budget *budget)
{
	if (budget->bytes)
		return true;
	if (engine->ops->clock(engine->opaque) - budget->start >= engine->slice_ns)
		return false;
	budget->bytes = engine->look_bytes;
	return true;
}
