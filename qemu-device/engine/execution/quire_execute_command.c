// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: one slice of a decoded command.
 *
 * What copies and fills goes the way of the paging operations, see quire_copy.c and
 * quire_fill.c, also beside the engine. All others do a block, or less, in a step: it is
 * read, counted with, and written. What they have to remember from one step to the next
 * is in struct quire_ring, so that another process can go on.
 */
#include "../address/quire_bytes.h"
#include "../core/quire_numbers.h"
#include "quire_command.h"
#include "quire_operations.h"
#include "quire_step.h"

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
static struct quire_error quire_arithmetic(struct quire_engine *engine, struct quire_ring *ring,
					   struct quire_op *op, struct quire_budget *budget)
{
	uint64_t n = quire_command_block(ring, op, budget);
	uint64_t apart = op->dst.address - op->src.address;
	uint8_t numbers[2 * QUIRE_BLOCK];
	struct quire_error error;

	if (op->src.segment != op->dst.segment || apart > n)
		apart = n;
	error = quire_bytes_read(engine, &op->src, ring->done, numbers, n);
	if (!error.code)
		error = quire_bytes_read(engine, &op->dst, ring->done, numbers + apart, n);
	if (error.code)
		return error;
	quire_combine(numbers + apart, numbers, n, op->flags & QUIRE_ARITHMETIC_ADD);
	error = quire_bytes_write(engine, &op->dst, ring->done, numbers + apart, n);
	if (!error.code)
		quire_command_done(ring, budget, n);
	return error;
}

static struct quire_error quire_write_value(struct quire_engine *engine, struct quire_ring *ring,
					    struct quire_op *op, struct quire_budget *budget)
{
	struct quire_error error = quire_value_write(engine, &op->dst, op->value);

	if (!error.code)
		quire_command_done(ring, budget, op->total);
	return error;
}

/**
 * quire_command - do the next part of a command
 * @engine: the engine
 * @ring: the execution ring it stands in; @done says how far it is
 * @op: the decoded command
 * @budget: what the slice may use; what was used is taken off
 *
 * The command is finished when ring->done reaches op->total.
 *
 * Return: the fault that stops the ring, if any.
 */
struct quire_error quire_command(struct quire_engine *engine, struct quire_ring *ring,
				 struct quire_op *op, struct quire_budget *budget)
{
	if (!op->total)
		return QUIRE_OK;
	switch (op->opcode) {
	case QUIRE_COMMAND_COPY:
		return quire_copy(engine, ring, op, budget);
	case QUIRE_COMMAND_FILL:
		return quire_fill_range(engine, ring, op, budget);
	case QUIRE_COMMAND_COPY_2D:
	case QUIRE_COMMAND_BLEND:
		return quire_rectangle(engine, ring, op, budget);
	case QUIRE_COMMAND_ARITHMETIC:
		return quire_arithmetic(engine, ring, op, budget);
	case QUIRE_COMMAND_CHECKSUM:
		return quire_checksum(engine, ring, op, budget);
	case QUIRE_COMMAND_COMPARE:
		return quire_compare(engine, ring, op, budget);
	case QUIRE_COMMAND_WRITE_VALUE:
		return quire_write_value(engine, ring, op, budget);
	case QUIRE_COMMAND_WAIT_VALUE:
		return quire_wait_value(engine, ring, op, budget);
	case QUIRE_COMMAND_SIGNAL_NATIVE:
		return quire_signal_native(engine, ring, op, budget);
	case QUIRE_COMMAND_SET_REGISTER:
	case QUIRE_COMMAND_STORE_REGISTER:
	case QUIRE_COMMAND_LOAD_REGISTER:
		return quire_register(engine, ring, op, budget);
	default:
		quire_delay(engine, ring, op);
		return QUIRE_OK;
	}
}
