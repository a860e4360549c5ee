// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: commands on the registers of a context.
 *
 * Each is done as a whole, or not at all: a fault of the address space comes before the register
 * changes. Where the registers come from, and go to, is in quire_context.c.
 */
#include "../address/quire_bytes.h"
#include "../sync/quire_context.h"
#include "quire_command.h"
#include "quire_operations.h"
#include "quire_step.h"

static uint64_t quire_combined(uint16_t operation, uint64_t value, uint64_t operand)
{
	switch (operation) {
	case QUIRE_REGISTER_ADD:
		return value + operand;
	case QUIRE_REGISTER_MULTIPLY:
		return value * operand;
	case QUIRE_REGISTER_XOR:
		return value ^ operand;
	default:
		return operand;
	}
}

/* SET_REGISTER, STORE_REGISTER and LOAD_REGISTER; after a fault nothing has changed. */
struct quire_error quire_register(struct quire_engine *engine, struct quire_ring *ring,
				  struct quire_op *op, struct quire_budget *budget)
{
	uint64_t *value = &ring->registers[op->number];
	struct quire_error error = QUIRE_OK;
	uint64_t operand = op->value;

	if (op->opcode == QUIRE_COMMAND_STORE_REGISTER)
		error = quire_value_write(engine, &op->dst, *value);
	else if (op->opcode == QUIRE_COMMAND_LOAD_REGISTER)
		error = quire_value_read(engine, &op->src, &operand);
	if (error.code)
		return error;
	if (op->opcode != QUIRE_COMMAND_STORE_REGISTER)
		*value = quire_combined(op->flags, *value, operand);
	quire_command_done(ring, budget, op->total);
	return QUIRE_OK;
}
