// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <linux/string.h>
#include <linux/types.h>

#include "quire_paging_tables.h"

/*
 * DOC: a model of the device's tables for tests of the builder
 *
 * As quire_paging_model.c, of which it is the part for packets that move nothing: fences. From
 * the specification of packets alone.
 *
 * Functions return NULL, or what is wrong.
 */

enum { OP_SIGNAL = 18 };

#define VA_END	0x1000000000000ull

static u64 get_le(const u8 *bytes, unsigned int size)
{
	u64 value = 0;

	while (size--)
		value = value << 8 | bytes[size];

	return value;
}

void quire_tables_reset(struct quire_tables *tables)
{
	u32 i;

	memset(tables, 0, sizeof(*tables));
	for (i = 0; i < QUIRE_TABLES_FENCES; i++)
		tables->fences[i] = i * 0x123456789abcdull;
}

static const char *decode_signal(const u8 *bytes, struct quire_model_packet *packet)
{
	packet->address = get_le(bytes + 8, 8);
	packet->value = get_le(bytes + 16, 8);
	packet->bytes = 8;
	if (packet->size != 24 || packet->flags != 1)
		return "bad header of a signal";

	return packet->address % 8 || packet->address >= VA_END ? "bad address of a fence" : NULL;
}

/* For quire_model_decode(), which knows the header. */
const char *quire_tables_decode(const u8 *bytes, struct quire_model_packet *packet)
{
	switch (packet->opcode) {
	case OP_SIGNAL:
		return decode_signal(bytes, packet);
	default:
		return "no such operation";
	}
}

static const char *execute_signal(struct quire_tables *tables,
				  const struct quire_model_packet *packet)
{
	u64 nr = (packet->address - QUIRE_TABLES_VA) / 8;

	if (nr >= QUIRE_TABLES_FENCES)
		return "signal outside of memory";
	tables->fences[nr] = packet->value;
	tables->interrupts++;

	return NULL;
}

static const char *execute(struct quire_tables *tables, const u8 *bytes,
			   const struct quire_model_packet *packet)
{
	switch (packet->opcode) {
	case OP_SIGNAL:
		return execute_signal(tables, packet);
	default:
		return "no operation of a table";
	}
}

/* Executes packets, one after the other. */
const char *quire_tables_execute(struct quire_tables *tables, const u8 *bytes, u32 size)
{
	struct quire_model_packet packet;
	const char *wrong;

	for (; size; bytes += packet.size, size -= packet.size) {
		wrong = quire_model_decode(bytes, size, &packet);
		if (!wrong)
			wrong = execute(tables, bytes, &packet);
		if (wrong)
			return wrong;
	}

	return NULL;
}
