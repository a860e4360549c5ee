// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: steps of operations, how large they are and what they cost.
 *
 * What copies and fills goes the way of the paging operations, see quire_copy.c and
 * quire_fill.c, also beside the engine. All other commands do a block, or less, in a step: it
 * is read, counted with, and written. What they have to remember from one step to the next is
 * in struct quire_ring, so that another process can go on.
 */
#include "../core/quire_numbers.h"
#include "quire_step.h"

/* A step is more than its bytes: both sides are looked up and mapped. */
#define QUIRE_COST_STEP		0x400u

/**
 * quire_command_done - a step was done
 * @ring: the ring of the command; @done and @progress are advanced
 * @budget: of the slice; what was used is taken off
 * @bytes: of the step
 */
void quire_command_done(struct quire_ring *ring, struct quire_budget *budget, uint64_t bytes)
{
	ring->done += bytes;
	ring->progress += bytes;
	quire_budget_take(budget, bytes + QUIRE_COST_STEP);
}

/**
 * quire_command_block - bytes of the next step
 * @ring: the ring
 * @op: its command
 * @budget: of the slice, with bytes left
 *
 * Return: their number, a multiple of its unit but at the end.
 */
uint64_t quire_command_block(const struct quire_ring *ring, const struct quire_op *op,
			     const struct quire_budget *budget)
{
	uint64_t unit = op->unit;
	uint64_t most = quire_max(budget->bytes & ~(unit - 1), unit);

	return quire_min(op->total - ring->done, quire_min(most, QUIRE_BLOCK));
}

/**
 * quire_pages_slice - pages of a table that are changed in this slice
 * @ring: the ring of the packet; its @progress counts them already
 * @left: pages that are left
 * @budget: of the slice; what they cost is taken off
 *
 * Return: how many, at least one if one is left.
 */
uint64_t quire_pages_slice(struct quire_ring *ring, uint64_t left, struct quire_budget *budget)
{
	uint64_t n = quire_min(quire_max(budget->bytes / QUIRE_COST_PAGE, 1), left);

	quire_budget_take(budget, n * QUIRE_COST_PAGE);
	ring->progress += n;
	return n;
}
