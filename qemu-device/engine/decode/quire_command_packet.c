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
#include "quire_command_side.h"
#include "quire_decode.h"

struct quire_error quire_decode_command_copy(const struct quire_engine *engine, const uint8_t *p,
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

struct quire_error quire_decode_command_fill(const struct quire_engine *engine, const uint8_t *p,
					     struct quire_op *op)
{
	struct quire_error error;

	op->total = quire_numbers_len(QUIRE_GET64(p, quire_command_fill, size));
	op->pattern = QUIRE_GET32(p, quire_command_fill, pattern);
	if (QUIRE_GET32(p, quire_command_fill, reserved))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	error = quire_command_side(engine, op, QUIRE_ACCESS_WRITE,
				   QUIRE_GET64(p, quire_command_fill, dst), op->total, 4, &op->dst);
	if (op->dst.segment == QUIRE_SEGMENT_VRAM)
		op->unit = 4;
	return error;
}

struct quire_error quire_decode_command_arithmetic(const struct quire_engine *engine,
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

/* Where the result of a command goes. */
static struct quire_error quire_decode_result(const struct quire_engine *engine, uint64_t address,
					      uint64_t len, struct quire_op *op)
{
	struct quire_side side = { 0 };
	struct quire_error error = quire_command_side(engine, op, QUIRE_ACCESS_WRITE, address, len,
						      8, &side);

	op->result = (struct quire_result){ side.segment, side.address, side.len };
	return error;
}

struct quire_error quire_decode_command_checksum(const struct quire_engine *engine,
						 const uint8_t *p, struct quire_op *op)
{
	struct quire_error error;

	op->total = QUIRE_GET64(p, quire_command_checksum, size);
	error = quire_command_side(engine, op, QUIRE_ACCESS_READ,
				   QUIRE_GET64(p, quire_command_checksum, src), op->total,
				   QUIRE_CHECKSUM_ALIGN, &op->src);
	if (error.code)
		return error;
	return quire_decode_result(engine, QUIRE_GET64(p, quire_command_checksum, result), 8, op);
}

struct quire_error quire_decode_command_compare(const struct quire_engine *engine, const uint8_t *p,
						struct quire_op *op)
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
	return quire_decode_result(engine, QUIRE_GET64(p, quire_command_compare, result),
				   sizeof(struct quire_compare_report), op);
}

struct quire_error quire_decode_command_write_value(const struct quire_engine *engine,
						    const uint8_t *p, struct quire_op *op)
{
	op->total = 8;
	op->value = QUIRE_GET64(p, quire_command_write_value, value);
	return quire_command_side(engine, op, QUIRE_ACCESS_WRITE,
				  QUIRE_GET64(p, quire_command_write_value, dst), op->total, 8,
				  &op->dst);
}

struct quire_error quire_decode_command_wait_value(const struct quire_engine *engine,
						   const uint8_t *p, struct quire_op *op)
{
	op->total = 8;
	op->value = QUIRE_GET64(p, quire_command_wait_value, value);
	return quire_command_side(engine, op, QUIRE_ACCESS_READ,
				  QUIRE_GET64(p, quire_command_wait_value, src), op->total, 8,
				  &op->src);
}

struct quire_error quire_decode_command_delay(const struct quire_engine *engine, const uint8_t *p,
					      struct quire_op *op)
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

struct quire_error quire_decode_command_set_register(const struct quire_engine *engine,
						     const uint8_t *p, struct quire_op *op)
{
	(void)engine;
	op->value = QUIRE_GET64(p, quire_command_set_register, operand);
	return quire_decode_register(p, op);
}

struct quire_error quire_decode_command_store_register(const struct quire_engine *engine,
						       const uint8_t *p, struct quire_op *op)
{
	struct quire_error error = quire_decode_register(p, op);

	if (error.code)
		return error;
	return quire_command_side(engine, op, QUIRE_ACCESS_WRITE,
				  QUIRE_GET64(p, quire_command_store_register, dst), op->total, 8,
				  &op->dst);
}

struct quire_error quire_decode_command_load_register(const struct quire_engine *engine,
						      const uint8_t *p, struct quire_op *op)
{
	struct quire_error error = quire_decode_register(p, op);

	if (error.code)
		return error;
	return quire_command_side(engine, op, QUIRE_ACCESS_READ,
				  QUIRE_GET64(p, quire_command_load_register, src), op->total, 8,
				  &op->src);
}
