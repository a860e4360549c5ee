// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What commands do, by the specification (device.rst), byte by byte: to objects that are
 * always where they are, in one run of memory each.
 */
#include <string.h>

#include "../tests/lib/xxh64.h"

#include "submit_world.h"

static const uint8_t *command_at(const struct world *world, uint32_t at)
{
	return (const uint8_t *)world->scene.commands + at;
}

static uint64_t get(const uint8_t *from, unsigned int size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | from[size];
	return value;
}

static void put(uint8_t *to, uint64_t value, unsigned int size)
{
	for (; size--; value >>= 8)
		*to++ = value;
}

/* What the address field at byte @at of the commands is of. */
uint8_t *reference_field(const struct world *world, uint32_t at)
{
	const struct quire_command_list *list = &world->scene.list;
	uint32_t i, object;

	for (i = 0; i < list->nr_patches; i++) {
		object = list->allocations[list->patches[i].allocation].object;
		if (object != QUIRE_NO_OBJECT && list->patches[i].patch_offset == at)
			return world->objects[object].bytes + list->patches[i].allocation_offset;
	}
	fuzz_finding(__FILE__, __LINE__, "a field without an entry is accepted");
}

static void fill(uint8_t *to, uint64_t size, uint32_t pattern)
{
	uint64_t i;

	for (i = 0; i < size; i++)
		to[i] = pattern >> i % 4 * 8;
}

static void arithmetic(const uint8_t *from, uint8_t *to, uint64_t size, bool add)
{
	uint64_t i, a, b;

	for (i = 0; i < size; i += 4) {
		a = get(from + i, 4);
		b = get(to + i, 4);
		put(to + i, add ? a + b : a ^ b, 4);
	}
}

static void compare(const uint8_t *one, const uint8_t *other, uint64_t size, uint8_t *result)
{
	uint64_t i, first = size, count = 0;

	for (i = 0; i < size; i++) {
		if (one[i] == other[i])
			continue;
		first = count++ ? first : i;
	}
	put(result, first, 8);
	put(result + 8, count, 8);
}

/* Does it end? */
static bool wait_value(struct world *world, uint32_t at)
{
	struct quire_command_wait_value *command = (void *)command_at(world, at);
	uint64_t value = get(reference_field(world, at + 8), 8), wanted;

	values_wait(world, command, value);
	wanted = get(command_at(world, at + 16), 8);
	return value == wanted ||
	       (get(command_at(world, at + 2), 2) == QUIRE_WAIT_GREATER_EQUAL && value > wanted);
}

/* False if it never ends. */
static bool execute(struct world *world, uint32_t at)
{
	const uint8_t *command = command_at(world, at);
	uint32_t opcode = get(command, 2);

	switch (opcode) {
	case QUIRE_COMMAND_COPY:
		memmove(reference_field(world, at + 16), reference_field(world, at + 8),
			get(command + 24, 8));
		break;
	case QUIRE_COMMAND_FILL:
		fill(reference_field(world, at + 8), get(command + 16, 8), get(command + 24, 4));
		break;
	case QUIRE_COMMAND_COPY_2D:
	case QUIRE_COMMAND_BLEND:
		reference_2d(world, at);
		break;
	case QUIRE_COMMAND_ARITHMETIC:
		arithmetic(reference_field(world, at + 8), reference_field(world, at + 16),
			   get(command + 24, 8), get(command + 2, 2) == QUIRE_ARITHMETIC_ADD);
		break;
	case QUIRE_COMMAND_CHECKSUM:
		put(reference_field(world, at + 16),
		    xxh64(reference_field(world, at + 8), get(command + 24, 8)), 8);
		break;
	case QUIRE_COMMAND_COMPARE:
		compare(reference_field(world, at + 8), reference_field(world, at + 16),
			get(command + 32, 8), reference_field(world, at + 24));
		break;
	case QUIRE_COMMAND_WRITE_VALUE:
		put(reference_field(world, at + 8), get(command + 16, 8), 8);
		break;
	case QUIRE_COMMAND_WAIT_VALUE:
		if (!wait_value(world, at))
			return false;
		break;
	}
	reached(REACH_COMMANDS + opcode - QUIRE_COMMAND_FIRST);
	return true;
}

/* Commands from @start to @end. Returns where it stops: at @end, or at one that waits for ever. */
uint32_t reference_run(struct world *world, uint32_t start, uint32_t end)
{
	uint32_t at;

	for (at = start; at < end; at += get(command_at(world, at + 4), 4))
		if (!execute(world, at))
			return at;
	FINDING_IF(at != end);
	return end;
}
