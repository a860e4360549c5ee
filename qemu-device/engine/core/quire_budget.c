// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: how long a slice may be.
 *
 * A slice holds the host's lock, and is bounded by time, which its rings share. The
 * clock is looked at now and then: after some bytes, and other work counts as bytes, too.
 */
#include "quire_budget.h"
#include "quire_numbers.h"

/**
 * quire_budget_begin - the share of a ring in a slice begins
 * @engine: the engine
 * @budget: filled in: what the ring may use
 * @now: what the clock says
 * @ns: nanoseconds of the share; even without any it may do so much as between two looks
 */
void quire_budget_begin(const struct quire_engine *engine, struct quire_budget *budget,
			uint64_t now, uint64_t ns)
{
	budget->start = now;
	budget->ns = ns;
	budget->used = 0;
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
	budget->used += bytes;
}

/**
 * quire_budget_count - count what was used in the engine's work
 * @engine: the engine
 * @budget: of the slice
 *
 * Before each look at the clock: a host may make its time of that count.
 */
void quire_budget_count(struct quire_engine *engine, struct quire_budget *budget)
{
	engine->worked += budget->used;
	budget->used = 0;
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
	quire_budget_count(engine, budget);
	if (engine->ops->clock(engine->opaque) - budget->start >= budget->ns)
		return false;
	budget->bytes = engine->look_bytes;
	return true;
}
