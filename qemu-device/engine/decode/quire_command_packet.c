// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: a command, from bytes to a checked operation.
 *
 * Whoever checked it before it came to the ring, here it is looked at anew. The order is
 * that of quire_packet.c: size, opcode, size and flags of the command, reserved fields;
 * then address by address, source first: its segment, and whether what it names is
 * aligned, not empty, and inside of it. A fault about an address tells it as it stands in
 * the packet.
 */
#include "../core/quire_numbers.h"
#include "quire_command.h"
#include "quire_decode.h"

static struct quire_error quire_decode_nop(const struct quire_engine *engine, const uint8_t *p,
					   struct quire_op *op)
{
	(void)engine;
	(void)p;
	(void)op;
	return QUIRE_OK;
}

static struct quire_error quire_decode_copy(const struct quire_engine *engine, const uint8_t *p,
					    struct quire_op *op)
{
	struct quire_error error;

	op->total = QUIRE_GET64(p, quire_command_copy, size);
	error = quire_command_side(engine, op, QUIRE_ACCESS_READ,
				   QUIRE_GET64(p, quire_command_copy, src), op->total, 1,
				   &op->src);
	if (!error.code)
		error = quire_command_side(engine, op, QUIRE_ACCESS_WRITE,
					   QUIRE_GET64(p, quire_command_copy, dst), op->total, 1,
					   &op->dst);
	op->backward = quire_overlaps_upward(op);
	return error;
}

/* Of 32-bit numbers; 0 if they are not whole. */
static uint64_t quire_numbers_len(uint64_t size)
{
	return size & 3 ? 0 : size;
}

static struct quire_error quire_decode_fill(const struct quire_engine *engine, const uint8_t *p,
					    struct quire_op *op)
{
	op->total = quire_numbers_len(QUIRE_GET64(p, quire_command_fill, size));
	op->pattern = QUIRE_GET32(p, quire_command_fill, pattern);
	if (QUIRE_GET32(p, quire_command_fill, reserved))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	return quire_command_side(engine, op, QUIRE_ACCESS_WRITE,
				  QUIRE_GET64(p, quire_command_fill, dst), op->total, 4, &op->dst);
}

static struct quire_error quire_decode_arithmetic(const struct quire_engine *engine,
						  const uint8_t *p, struct quire_op *op)
{
	struct quire_error error;

	op->total = quire_numbers_len(QUIRE_GET64(p, quire_command_arithmetic, size));
	error = quire_command_side(engine, op, QUIRE_ACCESS_READ,
				   QUIRE_GET64(p, quire_command_arithmetic, src), op->total, 4,
				   &op->src);
	if (error.code)
		return error;
	return quire_command_side(engine, op, QUIRE_ACCESS_WRITE,
				  QUIRE_GET64(p, quire_command_arithmetic, dst), op->total, 4,
				  &op->dst);
}

static struct quire_error quire_decode_checksum(const struct quire_engine *engine,
						const uint8_t *p, struct quire_op *op)
{
	struct quire_error error;

	op->total = QUIRE_GET64(p, quire_command_checksum, size);
	error = quire_command_side(engine, op, QUIRE_ACCESS_READ,
				   QUIRE_GET64(p, quire_command_checksum, src), op->total,
				   QUIRE_CHECKSUM_ALIGN, &op->src);
	if (error.code)
		return error;
	return quire_command_side(engine, op, QUIRE_ACCESS_WRITE,
				  QUIRE_GET64(p, quire_command_checksum, result), 8, 8,
				  &op->result);
}

static struct quire_error quire_decode_compare(const struct quire_engine *engine,
					       const uint8_t *p, struct quire_op *op)
{
	struct quire_error error;

	op->total = QUIRE_GET64(p, quire_command_compare, size);
	error = quire_command_side(engine, op, QUIRE_ACCESS_READ,
				   QUIRE_GET64(p, quire_command_compare, src), op->total, 1,
				   &op->src);
	if (!error.code)
		error = quire_command_side(engine, op, QUIRE_ACCESS_READ,
					   QUIRE_GET64(p, quire_command_compare, dst), op->total,
					   1, &op->dst);
	if (error.code)
		return error;
	return quire_command_side(engine, op, QUIRE_ACCESS_WRITE,
				  QUIRE_GET64(p, quire_command_compare, result),
				  sizeof(struct quire_compare_report), 8, &op->result);
}

static struct quire_error quire_decode_write_value(const struct quire_engine *engine,
						   const uint8_t *p, struct quire_op *op)
{
	op->total = 8;
	op->value = QUIRE_GET64(p, quire_command_write_value, value);
	return quire_command_side(engine, op, QUIRE_ACCESS_WRITE,
				  QUIRE_GET64(p, quire_command_write_value, dst), op->total, 8,
				  &op->dst);
}

static struct quire_error quire_decode_wait_value(const struct quire_engine *engine,
						  const uint8_t *p, struct quire_op *op)
{
	op->total = 8;
	op->value = QUIRE_GET64(p, quire_command_wait_value, value);
	return quire_command_side(engine, op, QUIRE_ACCESS_READ,
				  QUIRE_GET64(p, quire_command_wait_value, src), op->total, 8,
				  &op->src);
}

static struct quire_error quire_decode_delay(const struct quire_engine *engine,
					     const uint8_t *p, struct quire_op *op)
{
	(void)engine;
	op->total = QUIRE_GET64(p, quire_command_delay, ns);
	return QUIRE_OK;
}

/* Fields that commands on registers have in common, at the same place. */
static struct quire_error quire_decode_register(const uint8_t *p, struct quire_op *op)
{
	op->total = 8;
	op->number = QUIRE_GET32(p, quire_command_set_register, number);
	if (QUIRE_GET32(p, quire_command_set_register, reserved))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	if (!op->has_registers)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_CONTEXT, 0);
	if (op->number >= QUIRE_CONTEXT_REGISTERS)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, op->number);
	return QUIRE_OK;
}

static struct quire_error quire_decode_set_register(const struct quire_engine *engine,
						    const uint8_t *p, struct quire_op *op)
{
	(void)engine;
	op->value = QUIRE_GET64(p, quire_command_set_register, operand);
	return quire_decode_register(p, op);
}

static struct quire_error quire_decode_store_register(const struct quire_engine *engine,
						      const uint8_t *p, struct quire_op *op)
{
	struct quire_error error = quire_decode_register(p, op);

	if (error.code)
		return error;
	return quire_command_side(engine, op, QUIRE_ACCESS_WRITE,
				  QUIRE_GET64(p, quire_command_store_register, dst), op->total, 8,
				  &op->dst);
}

static struct quire_error quire_decode_load_register(const struct quire_engine *engine,
						     const uint8_t *p, struct quire_op *op)
{
	struct quire_error error = quire_decode_register(p, op);

	if (error.code)
		return error;
	return quire_command_side(engine, op, QUIRE_ACCESS_READ,
				  QUIRE_GET64(p, quire_command_load_register, src), op->total, 8,
				  &op->src);
}

#define QUIRE_REGISTER_OPERATIONS \
	(QUIRE_REGISTER_SET | QUIRE_REGISTER_ADD | QUIRE_REGISTER_MULTIPLY | QUIRE_REGISTER_XOR)

static const struct quire_operation quire_commands[] = {
	[QUIRE_COMMAND_NOP] = {
		.fixed = sizeof(struct quire_command_nop),
		.runs = true,
		.decode = quire_decode_nop,
	},
	[QUIRE_COMMAND_COPY] = {
		.fixed = sizeof(struct quire_command_copy),
		.decode = quire_decode_copy,
	},
	[QUIRE_COMMAND_FILL] = {
		.fixed = sizeof(struct quire_command_fill),
		.decode = quire_decode_fill,
	},
	[QUIRE_COMMAND_COPY_2D] = {
		.fixed = sizeof(struct quire_command_2d),
		.decode = quire_surfaces_decode,
	},
	[QUIRE_COMMAND_BLEND] = {
		.fixed = sizeof(struct quire_command_2d),
		.decode = quire_surfaces_decode,
	},
	[QUIRE_COMMAND_ARITHMETIC] = {
		.fixed = sizeof(struct quire_command_arithmetic),
		.flags = QUIRE_ARITHMETIC_ADD | QUIRE_ARITHMETIC_XOR,
		.one_flag = true,
		.decode = quire_decode_arithmetic,
	},
	[QUIRE_COMMAND_CHECKSUM] = {
		.fixed = sizeof(struct quire_command_checksum),
		.decode = quire_decode_checksum,
	},
	[QUIRE_COMMAND_COMPARE] = {
		.fixed = sizeof(struct quire_command_compare),
		.decode = quire_decode_compare,
	},
	[QUIRE_COMMAND_WRITE_VALUE] = {
		.fixed = sizeof(struct quire_command_write_value),
		.decode = quire_decode_write_value,
	},
	[QUIRE_COMMAND_WAIT_VALUE] = {
		.fixed = sizeof(struct quire_command_wait_value),
		.flags = QUIRE_WAIT_EQUAL | QUIRE_WAIT_GREATER_EQUAL,
		.one_flag = true,
		.decode = quire_decode_wait_value,
	},
	[QUIRE_COMMAND_DELAY] = {
		.fixed = sizeof(struct quire_command_delay),
		.decode = quire_decode_delay,
	},
	[QUIRE_COMMAND_SIGNAL_NATIVE] = {
		.fixed = sizeof(struct quire_command_signal_native),
		.decode = quire_native_decode_signal,
	},
	[QUIRE_COMMAND_SET_REGISTER] = {
		.fixed = sizeof(struct quire_command_set_register),
		.flags = QUIRE_REGISTER_OPERATIONS,
		.one_flag = true,
		.decode = quire_decode_set_register,
	},
	[QUIRE_COMMAND_STORE_REGISTER] = {
		.fixed = sizeof(struct quire_command_store_register),
		.decode = quire_decode_store_register,
	},
	[QUIRE_COMMAND_LOAD_REGISTER] = {
		.fixed = sizeof(struct quire_command_load_register),
		.flags = QUIRE_REGISTER_OPERATIONS,
		.one_flag = true,
		.decode = quire_decode_load_register,
	},
};

/**
 * quire_command_find - how packets of a command look
 * @opcode: any number
 *
 * Return: NULL if there is no such command.
 */
const struct quire_operation *quire_command_find(uint16_t opcode)
{
	if (opcode >= QUIRE_ARRAY_SIZE(quire_commands) || !quire_commands[opcode].decode)
		return NULL;
	return &quire_commands[opcode];
}
