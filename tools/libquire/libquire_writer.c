// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Commands with virtual addresses: nothing belongs to them. */
#include <endian.h>
#include <string.h>

#include "libquire.h"

void quire_write(struct quire_writer *writer, void *command, uint16_t opcode, uint16_t flags,
		 uint32_t size)
{
	*(struct quire_packet_header *)command = (struct quire_packet_header){
		htole16(opcode), htole16(flags), htole32(size)
	};
	if (writer->used <= writer->size && size <= writer->size - writer->used)
		memcpy((char *)writer->bytes + writer->used, command, size);
	if (size <= UINT32_MAX - writer->used)
		writer->used += size;
	else
		writer->used = UINT32_MAX;
}

#define WRITE(writer, command, opcode, flags) \
	quire_write(writer, &(command), opcode, flags, sizeof(command))

void quire_write_copy(struct quire_writer *writer, uint64_t src, uint64_t dst, uint64_t size)
{
	struct quire_command_copy copy = {
		.src = htole64(src), .dst = htole64(dst), .size = htole64(size),
	};

	WRITE(writer, copy, QUIRE_COMMAND_COPY, 0);
}

void quire_write_fill(struct quire_writer *writer, uint64_t dst, uint64_t size, uint32_t pattern)
{
	struct quire_command_fill fill = {
		.dst = htole64(dst), .size = htole64(size), .pattern = htole32(pattern),
	};

	WRITE(writer, fill, QUIRE_COMMAND_FILL, 0);
}

void quire_write_checksum(struct quire_writer *writer, uint64_t src, uint64_t size,
			  uint64_t result)
{
	struct quire_command_checksum checksum = {
		.src = htole64(src), .result = htole64(result), .size = htole64(size),
	};

	WRITE(writer, checksum, QUIRE_COMMAND_CHECKSUM, 0);
}

void quire_write_value(struct quire_writer *writer, uint64_t dst, uint64_t value)
{
	struct quire_command_write_value write = {
		.dst = htole64(dst), .value = htole64(value),
	};

	WRITE(writer, write, QUIRE_COMMAND_WRITE_VALUE, 0);
}

void quire_write_wait(struct quire_writer *writer, uint16_t condition, uint64_t src,
		      uint64_t value)
{
	struct quire_command_wait_value wait = {
		.src = htole64(src), .value = htole64(value),
	};

	WRITE(writer, wait, QUIRE_COMMAND_WAIT_VALUE, condition);
}

void quire_write_delay(struct quire_writer *writer, uint64_t time)
{
	struct quire_command_delay delay = { .ns = htole64(time) };

	WRITE(writer, delay, QUIRE_COMMAND_DELAY, 0);
}

void quire_write_set_register(struct quire_writer *writer, uint32_t number, uint16_t operation,
			      uint64_t operand)
{
	struct quire_command_set_register set = {
		.number = htole32(number), .operand = htole64(operand),
	};

	WRITE(writer, set, QUIRE_COMMAND_SET_REGISTER, operation);
}

void quire_write_store_register(struct quire_writer *writer, uint32_t number, uint64_t dst)
{
	struct quire_command_store_register store = {
		.number = htole32(number), .dst = htole64(dst),
	};

	WRITE(writer, store, QUIRE_COMMAND_STORE_REGISTER, 0);
}

void quire_write_load_register(struct quire_writer *writer, uint32_t number, uint16_t operation,
			       uint64_t src)
{
	struct quire_command_load_register load = {
		.number = htole32(number), .src = htole64(src),
	};

	WRITE(writer, load, QUIRE_COMMAND_LOAD_REGISTER, operation);
}
