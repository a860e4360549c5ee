// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: steps of commands, how large they are and what they cost.
 */
#include "../core/quire_numbers.h"
#include "quire_command.h"
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
 * quire_command_unit - what a slice does of a command is a multiple of this
 * @op: the decoded command
 *
 * Return: a number of bytes, power of two; 1 of commands that are not done in parts.
 */
uint64_t quire_command_unit(const struct quire_op *op)
{
	switch (op->opcode) {
	case QUIRE_COMMAND_FILL:
		return op->dst.segment == QUIRE_SEGMENT_VRAM ? 4 : 1;
	case QUIRE_COMMAND_ARITHMETIC:
		return 4;
	case QUIRE_COMMAND_CHECKSUM:
		return QUIRE_CHECKSUM_ALIGN;
	case QUIRE_COMMAND_COPY_2D:
	case QUIRE_COMMAND_BLEND:
		return 1u << op->rectangles.src.layout.element_shift;
	default:
		return 1;
	}
}

/**
 * quire_command_block - bytes of the next step
 * @ring: the ring
 * @op: its command
 * @budget: of the slice, with bytes left
 *
 * Return: their number, a multiple of quire_command_unit() but at the end.
 */
uint64_t quire_command_block(const struct quire_ring *ring, const struct quire_op *op,
			     const struct quire_budget *budget)
{
	uint64_t unit = quire_command_unit(op);
	uint64_t most = quire_max(budget->bytes & ~(unit - 1), unit);

	return quire_min(op->total - ring->done, quire_min(most, QUIRE_BLOCK));
}
