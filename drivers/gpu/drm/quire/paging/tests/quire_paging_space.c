// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <linux/string.h>
#include <linux/types.h>

#include "quire_paging_space.h"
#include "quire_paging_tables.h"

/*
 * DOC: a model of address spaces for tests of the builder
 *
 * As quire_paging_model.c, of which it is the part for packets with virtual addresses, page
 * tables and contexts: from the specification (device.rst) alone. There are no translations:
 * pages of the address space follow each other in memory.
 *
 * Functions return NULL, or what is wrong.
 */

enum {
	OP_TRANSFER_VIRTUAL = 11, OP_FILL_VIRTUAL, OP_INIT_CONTEXT, OP_UPDATE_PAGE_TABLE,
	OP_FLUSH_TLB, OP_UPDATE_CONTEXT, OP_COPY_PAGE_TABLE,
};

enum { FLAG_REPEAT = 1, FLAG_INITIAL = 2, FLAG_EVICTION = 4, FLAG_64K = 8, FLAG_CONTIGUOUS = 16 };

#define FLAG_VIRTUAL	0x8000
#define FLAG_SAVE	1u /* of a context: its save area */
#define VA_END		0x1000000000000ull
#define PAGE		QUIRE_MODEL_PAGE

static u64 get_le(const u8 *bytes, unsigned int size)
{
	u64 value = 0;

	while (size--)
		value = value << 8 | bytes[size];

	return value;
}

void quire_space_reset(struct quire_space *space)
{
	u32 seed = 3;
	u32 i;

	memset(space, 0, sizeof(*space));
	for (i = 0; i < sizeof(space->bytes); i++) {
		seed = seed * 1664525 + 1013904223;
		space->bytes[i] = seed >> 24;
	}
}

/* Where bytes of a segment are, or of the address space; NULL if they are not there. */
u8 *quire_space_at(struct quire_space *space, u32 segment, u64 address, u64 bytes)
{
	static const u64 pages[] = {
		QUIRE_MODEL_SYSTEM_BASE, QUIRE_MODEL_VRAM_BASE, 0, QUIRE_SPACE_VA / PAGE,
	};
	u64 offset = address - pages[segment] * PAGE;

	if (offset > sizeof(space->bytes) || bytes > sizeof(space->bytes) - offset)
		return NULL;

	return space->bytes + offset;
}

u64 quire_space_entry(const u8 *table, u32 nr)
{
	return get_le(table + nr * 8, 8);
}

void quire_space_set(u8 *table, u32 nr, u64 entry)
{
	u32 i;

	for (i = 0; i < 8; i++)
		table[nr * 8 + i] = entry >> i * 8;
}

static bool is_virtual(u64 address, u64 bytes)
{
	return bytes <= VA_END && address <= VA_END - bytes;
}

/* A part of it may have been executed before: that must not have changed what it reads. */
static bool is_overwritten(const struct quire_model_packet *packet)
{
	return packet->src_address != packet->address &&
	       packet->src_address < packet->address + packet->bytes &&
	       packet->address < packet->src_address + packet->bytes;
}

static const char *decode_transfer(const u8 *bytes, struct quire_model_packet *packet)
{
	if (packet->size != 40 || packet->flags > 3 || get_le(bytes + 12, 4))
		return "bad header of a virtual transfer";
	packet->value = get_le(bytes + 8, 4);
	packet->src_address = get_le(bytes + 16, 8);
	packet->address = get_le(bytes + 24, 8);
	packet->bytes = get_le(bytes + 32, 8);
	if (packet->value > 2)
		return "no such direction";
	if (!packet->bytes || !is_virtual(packet->src_address, packet->bytes) ||
	    !is_virtual(packet->address, packet->bytes))
		return "bad size or address of a virtual transfer";

	return is_overwritten(packet) ? "virtual sides overlap" : NULL;
}

static const char *decode_fill(const u8 *bytes, struct quire_model_packet *packet)
{
	if (packet->size != 32 || packet->flags || get_le(bytes + 28, 4))
		return "bad header of a virtual fill";
	packet->address = get_le(bytes + 8, 8);
	packet->bytes = get_le(bytes + 16, 8);
	packet->value = get_le(bytes + 24, 4);
	if (!packet->bytes || packet->bytes % 4 || packet->address % 4 ||
	    !is_virtual(packet->address, packet->bytes))
		return "bad size or address of a virtual fill";

	return NULL;
}

/* Sets segment and address of what may be virtual. */
static const char *decode_place(u32 segment, u64 address, u32 last,
				struct quire_model_packet *packet)
{
	packet->segment = packet->flags & FLAG_VIRTUAL ? QUIRE_SPACE_VIRTUAL : segment;
	packet->address = address;
	if (address % PAGE)
		return "not at a page";
	if (packet->flags & FLAG_VIRTUAL && (segment || !is_virtual(address, PAGE)))
		return "bad virtual address";

	return segment > last ? "not in that segment" : NULL;
}

static const char *decode_init(const u8 *bytes, struct quire_model_packet *packet)
{
	if (packet->size != 24 || packet->flags & ~(FLAG_VIRTUAL | FLAG_SAVE) ||
	    get_le(bytes + 12, 4))
		return "bad header of a context";
	packet->bytes = PAGE;

	return decode_place(get_le(bytes + 8, 4), get_le(bytes + 16, 8), 2, packet);
}

/* What the flags of an update allow. */
static const char *decode_update_flags(const struct quire_model_packet *packet, u32 level)
{
	u64 entry = get_le(packet->runs, 8);
	bool valid = false;
	u32 i;

	for (i = 0; i < packet->nr_runs; i++)
		valid |= get_le(packet->runs + i * 8, 8) & 1;
	if (packet->flags & FLAG_EVICTION && valid)
		return "evicted, but valid";
	if (packet->flags & FLAG_64K && level)
		return "64 KiB above level 0";
	if (!(packet->flags & FLAG_CONTIGUOUS))
		return NULL;
	if (packet->flags & FLAG_REPEAT || level > 1 || (entry & 3) != 1)
		return "not contiguous";

	return level && !(entry & 0x400) ? "contiguous tables" : NULL;
}

static const char *decode_update(const u8 *bytes, struct quire_model_packet *packet)
{
	u32 level = get_le(bytes + 12, 4);
	u32 limit = packet->flags & FLAG_64K ? 32 : 512;
	const char *wrong;

	if (packet->flags & ~(FLAG_VIRTUAL | 31) || level > 3)
		return "bad header of an update";
	wrong = decode_place(get_le(bytes + 8, 4), get_le(bytes + 16, 8), 1, packet);
	if (wrong)
		return wrong;
	packet->value = get_le(bytes + 24, 4);
	packet->count = get_le(bytes + 28, 4);
	packet->runs = bytes + 32;
	packet->nr_runs = packet->flags & (FLAG_REPEAT | FLAG_CONTIGUOUS) ? 1 : packet->count;
	packet->bytes = (u64)packet->count * 8 * (512 / limit);
	if (!packet->count || packet->value > limit || packet->count > limit - packet->value)
		return "entries outside of the table";
	if (packet->size != 32 + packet->nr_runs * 8)
		return "size of an update";

	return decode_update_flags(packet, level);
}

static const char *decode_flush(const u8 *bytes, struct quire_model_packet *packet)
{
	u64 end = get_le(bytes + 24, 8);

	packet->value = get_le(bytes + 8, 8);
	packet->address = get_le(bytes + 16, 8);
	if (packet->size != 32 || packet->flags || !(packet->value & 1))
		return "bad flush";
	if (packet->address % PAGE || end % PAGE || end > VA_END)
		return "bad range of a flush";

	return packet->address < end || !(packet->address | end) ? NULL : "flush of nothing";
}

static const char *decode_context(const u8 *bytes, struct quire_model_packet *packet)
{
	u64 offset = get_le(bytes + 16, 4);

	packet->address = get_le(bytes + 8, 8);
	packet->bytes = get_le(bytes + 20, 4);
	packet->runs = bytes + 24;
	if (packet->flags || !packet->bytes || packet->bytes % 8 || offset % 8)
		return "bad update of a context";
	if (packet->address % PAGE || !is_virtual(packet->address, PAGE) ||
	    offset + packet->bytes > PAGE)
		return "bad place of a context";
	packet->address += offset;

	return packet->size == 24 + packet->bytes ? NULL : "size of an update of a context";
}

static const char *decode_copy_side(u64 table, u64 start, u64 count)
{
	return table % PAGE || !is_virtual(table, PAGE) || start + count > 512 ?
		"copy outside of a table" : NULL;
}

static const char *decode_copy(const u8 *bytes, struct quire_model_packet *packet)
{
	const u8 *range = bytes + 8;
	const char *wrong = NULL;
	u32 i;

	packet->runs = range;
	packet->nr_runs = (packet->size - 8) / 32;
	if (packet->flags || !packet->nr_runs || packet->size != 8 + packet->nr_runs * 32)
		return "bad copy of entries";
	for (i = 0; i < packet->nr_runs && !wrong; i++, range += 32) {
		u64 count = get_le(range + 24, 4);

		packet->bytes += count * 8;
		if (!count || get_le(range + 28, 4))
			return "bad range of entries";
		wrong = decode_copy_side(get_le(range, 8), get_le(range + 16, 4), count);
		if (!wrong)
			wrong = decode_copy_side(get_le(range + 8, 8), get_le(range + 20, 4),
						 count);
	}

	return wrong;
}

/* For quire_model_decode(), which knows the header. */
const char *quire_space_decode(const u8 *bytes, struct quire_model_packet *packet)
{
	switch (packet->opcode) {
	case OP_TRANSFER_VIRTUAL:
		return decode_transfer(bytes, packet);
	case OP_FILL_VIRTUAL:
		return decode_fill(bytes, packet);
	case OP_INIT_CONTEXT:
		return decode_init(bytes, packet);
	case OP_UPDATE_PAGE_TABLE:
		return decode_update(bytes, packet);
	case OP_FLUSH_TLB:
		return decode_flush(bytes, packet);
	case OP_UPDATE_CONTEXT:
		return decode_context(bytes, packet);
	case OP_COPY_PAGE_TABLE:
		return decode_copy(bytes, packet);
	default:
		return quire_tables_decode(bytes, packet);
	}
}

/* Entry @nr of those that an update writes. */
static u64 update_entry(const u8 *bytes, const struct quire_model_packet *packet, u32 nr)
{
	u64 entry = get_le(packet->runs + (packet->nr_runs == 1 ? 0 : nr) * 8, 8);
	u64 page = get_le(bytes + 12, 4) ? 0x200000 : PAGE;

	if (packet->flags & FLAG_64K)
		page = 0x10000;
	if (packet->flags & FLAG_CONTIGUOUS)
		entry += nr * page;
	if (packet->flags & FLAG_64K && entry & 1)
		entry |= 0x800;

	return entry;
}

static void execute_update(u8 *table, const u8 *bytes, const struct quire_model_packet *packet)
{
	u32 places = packet->flags & FLAG_64K ? 16 : 1;
	u32 i;

	if (packet->flags & FLAG_INITIAL)
		memset(table, 0, PAGE);
	for (i = 0; i < packet->count * places; i++)
		quire_space_set(table, packet->value * places + i,
				update_entry(bytes, packet, i / places));
}

static const char *execute_copy(struct quire_space *space, const struct quire_model_packet *packet)
{
	const u8 *range = packet->runs;
	u32 i;

	for (i = 0; i < packet->nr_runs; i++, range += 32) {
		u8 *from = quire_space_at(space, QUIRE_SPACE_VIRTUAL, get_le(range, 8), PAGE);
		u8 *to = quire_space_at(space, QUIRE_SPACE_VIRTUAL, get_le(range + 8, 8), PAGE);

		if (!from || !to)
			return "tables outside of memory";
		memmove(to + get_le(range + 20, 4) * 8, from + get_le(range + 16, 4) * 8,
			get_le(range + 24, 4) * 8);
	}

	return NULL;
}

static const char *execute_transfer(struct quire_space *space, u8 *to,
				    const struct quire_model_packet *packet)
{
	u8 *from = quire_space_at(space, QUIRE_SPACE_VIRTUAL, packet->src_address, packet->bytes);

	if (!from)
		return "transfer out of no memory";
	memmove(to, from, packet->bytes);

	return NULL;
}

static const char *execute(struct quire_space *space, const u8 *bytes,
			   const struct quire_model_packet *packet)
{
	bool placed = packet->opcode == OP_INIT_CONTEXT || packet->opcode == OP_UPDATE_PAGE_TABLE;
	u32 segment = placed ? packet->segment : QUIRE_SPACE_VIRTUAL;
	u8 *to;
	u64 i;

	if (packet->opcode == OP_COPY_PAGE_TABLE)
		return execute_copy(space, packet);
	if (packet->opcode == OP_FLUSH_TLB) {
		space->flushes++;
		return NULL;
	}

	to = quire_space_at(space, segment, packet->address,
			    packet->opcode == OP_UPDATE_PAGE_TABLE ? PAGE : packet->bytes);
	if (!to)
		return "write outside of memory";
	switch (packet->opcode) {
	case OP_TRANSFER_VIRTUAL:
		return execute_transfer(space, to, packet);
	case OP_FILL_VIRTUAL:
		for (i = 0; i < packet->bytes; i++)
			to[i] = packet->value >> i % 4 * 8;
		break;
	case OP_INIT_CONTEXT:
		memset(to, 0, PAGE);
		memcpy(to, packet->flags & FLAG_SAVE ? "QSAV" : "QCTX", 4);
		break;
	case OP_UPDATE_PAGE_TABLE:
		execute_update(to, bytes, packet);
		break;
	case OP_UPDATE_CONTEXT:
		memcpy(to, packet->runs, packet->bytes);
		break;
	default:
		return "no operation of an address space";
	}

	return NULL;
}

/* Executes packets, each of them so many times, one after the other. */
const char *quire_space_execute(struct quire_space *space, const u8 *bytes, u32 size, u32 times)
{
	struct quire_model_packet packet;
	const char *wrong;
	u32 i;

	for (; size; bytes += packet.size, size -= packet.size) {
		wrong = quire_model_decode(bytes, size, &packet);
		for (i = 0; i < times && !wrong; i++)
			wrong = execute(space, bytes, &packet);
		if (wrong)
			return wrong;
	}

	return NULL;
}
