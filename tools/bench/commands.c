// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <asm/byteorder.h>
#include <linux/array_size.h>
#include <linux/minmax.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "quire_command_check.h"

#define OBJECTS		64u
#define OBJECT_SIZE	0x1000000u
#define PAGES		1024u	/* of an object, at which operands begin */

#define HEADER(number, flag, size) \
	{ cpu_to_le16(QUIRE_COMMAND_##number), cpu_to_le16(flag), cpu_to_le32(size) }
#define COMMAND(number, flag, type, ...) \
	{ .type = { .header = HEADER(number, flag, sizeof(((union command *)0)->type)), \
		    ##__VA_ARGS__ } }
#define SIZE		.size = cpu_to_le64(0x10000)
#define SURFACE		{ .pitch = cpu_to_le32(1024), .width = cpu_to_le32(256), \
			  .height = cpu_to_le32(256), .levels = cpu_to_le16(1), \
			  .array_size = cpu_to_le16(1) }
#define RECTANGLE	.src = SURFACE, .dst = SURFACE, .element_shift = cpu_to_le32(2), \
			.columns = cpu_to_le32(200), .rows = cpu_to_le32(200)

union command {
	struct quire_packet_header header;
	struct quire_command_nop nop;
	struct quire_command_copy copy;
	struct quire_command_fill fill;
	struct quire_command_2d rectangle;
	struct quire_command_arithmetic arithmetic;
	struct quire_command_checksum checksum;
	struct quire_command_compare compare;
	struct quire_command_write_value write_value;
	struct quire_command_wait_value wait_value;
	struct quire_command_delay delay;
};

static const union command mixed[] = {
	COMMAND(NOP, 0, nop),
	COMMAND(COPY, 0, copy, SIZE),
	COMMAND(FILL, 0, fill, SIZE),
	COMMAND(COPY_2D, 0, rectangle, RECTANGLE),
	COMMAND(BLEND, 0, rectangle, RECTANGLE),
	COMMAND(ARITHMETIC, QUIRE_ARITHMETIC_XOR, arithmetic, SIZE),
	COMMAND(CHECKSUM, 0, checksum, SIZE),
	COMMAND(COMPARE, 0, compare, SIZE),
	COMMAND(WRITE_VALUE, 0, write_value),
	COMMAND(WAIT_VALUE, QUIRE_WAIT_EQUAL, wait_value),
	COMMAND(DELAY, 0, delay),
};

static const union command compare = COMMAND(COMPARE, 0, compare, SIZE);
static const union command blend = COMMAND(BLEND, 0, rectangle, RECTANGLE);
static const union command nop = { .header = HEADER(NOP, 0, QUIRE_COMMAND_MAX_SIZE) };

/**
 * struct writer - a submission that is written
 * @kind: of which commands
 * @random: what comes next
 * @bytes: of commands that are there
 * @nr_patches: entries that are there
 * @commands: the command buffer
 * @patches: the patch-location list
 */
struct writer {
	enum commands_kind kind;
	u32 random;
	u32 bytes;
	u32 nr_patches;
	void *commands;
	struct quire_patch_location *patches;
};

/* Source: George Marsaglia, "Xorshift RNGs". */
static u32 below(struct writer *writer, u32 limit)
{
	writer->random ^= writer->random << 13;
	writer->random ^= writer->random >> 17;
	writer->random ^= writer->random << 5;
	return writer->random % limit;
}

static const union command *choose(struct writer *writer)
{
	switch (writer->kind) {
	case COMMANDS_COMPARE:
		return &compare;
	case COMMANDS_BLEND:
		return &blend;
	case COMMANDS_NOP:
		return &nop;
	default:
		return &mixed[below(writer, ARRAY_SIZE(mixed))];
	}
}

/* All that the command uses is bound where it begins, as a recorder does it. */
static void write_patches(struct writer *writer, const struct quire_command_form *form)
{
	for (u32 i = 0; i < form->nr_operands; i++)
		writer->patches[writer->nr_patches++] = (struct quire_patch_location) {
			.allocation = below(writer, OBJECTS),
			.slot = i,
			.driver_id = form->operands[i].id,
			.split_offset = writer->bytes,
			.allocation_offset = below(writer, PAGES) * 4096,
			.patch_offset = writer->bytes + form->operands[i].at,
		};
}

/* False: it has no room. */
static bool write_command(struct writer *writer, u32 size)
{
	const union command *command = choose(writer);
	u32 bytes = le32_to_cpu(command->header.size);
	struct quire_command_form form;
	const char *why;

	if (writer->bytes + bytes > size)
		return false;
	memset(writer->commands + writer->bytes, 0, bytes);
	memcpy(writer->commands + writer->bytes, command, min_t(u32, bytes, sizeof(*command)));
	if (quire_command_form(writer->commands + writer->bytes, bytes, &form, &why))
		return false;
	write_patches(writer, &form);
	writer->bytes += bytes;
	return true;
}

static void fill_objects(struct quire_command_object *objects,
			 struct quire_command_allocation *allocations)
{
	for (u32 i = 0; i < OBJECTS; i++) {
		objects[i] = (struct quire_command_object) {
			.size = OBJECT_SIZE,
			.segment = QUIRE_SEGMENT_VRAM,
		};
		allocations[i] = (struct quire_command_allocation) {
			.object = i,
			.writable = true,
			.size = OBJECT_SIZE,
		};
	}
}

/**
 * commands_prepare - write a command buffer and its lists
 * @commands: filled in; for commands_free(), also after an error
 * @kind: of what
 * @size: bytes of the command buffer, at most; less than the longest command are missing
 * @seed: of all that is random; not 0
 *
 * Returns false if there is no memory, or a command that can not be.
 */
bool commands_prepare(struct commands *commands, enum commands_kind kind, u32 size, u32 seed)
{
	u32 most = size / sizeof(struct quire_command_compare) * QUIRE_COMMAND_OPERANDS;
	struct quire_command_object *objects = calloc(OBJECTS, sizeof(*objects));
	struct quire_command_allocation *allocations = calloc(OBJECTS, sizeof(*allocations));
	struct writer writer = {
		.kind = kind,
		.random = seed,
		.commands = malloc(size),
		.patches = calloc(most, sizeof(*writer.patches)),
	};

	*commands = (struct commands) {
		.list = {
			.commands = writer.commands,
			.nr_objects = OBJECTS,
			.nr_allocations = OBJECTS,
			.objects = objects,
			.allocations = allocations,
			.patches = writer.patches,
		},
		.fields = calloc(size / sizeof(u64), sizeof(*commands->fields)),
	};
	if (!objects || !allocations || !writer.commands || !writer.patches || !commands->fields)
		return false;
	fill_objects(objects, allocations);
	while (write_command(&writer, size))
		;
	commands->list.size = writer.bytes;
	commands->list.nr_patches = writer.nr_patches;
	return size - writer.bytes < QUIRE_COMMAND_MAX_SIZE;
}

/* May it run? What is wrong is said. */
bool commands_check(struct commands *commands)
{
	struct quire_command_error error;
	int err = quire_command_check(&commands->list, commands->fields, &error);

	if (err)
		fprintf(stderr, "byte %#x: %s\n", error.offset, error.why);
	return !err;
}

/* What the check reads: commands, allocations and patch locations. */
size_t commands_bytes(const struct commands *commands)
{
	const struct quire_command_list *list = &commands->list;

	return list->size + list->nr_allocations * sizeof(*list->allocations) +
	       list->nr_patches * sizeof(*list->patches);
}

/* The same bytes; there is room for them @to. */
void commands_copy(const struct commands *commands, void *to)
{
	const struct quire_command_list *list = &commands->list;
	size_t allocations = list->nr_allocations * sizeof(*list->allocations);

	memcpy(to, list->commands, list->size);
	memcpy(to + list->size, list->allocations, allocations);
	memcpy(to + list->size + allocations, list->patches,
	       list->nr_patches * sizeof(*list->patches));
}

void commands_free(struct commands *commands)
{
	free((void *)commands->list.commands);
	free((void *)commands->list.objects);
	free((void *)commands->list.allocations);
	free((void *)commands->list.patches);
	free(commands->fields);
}
