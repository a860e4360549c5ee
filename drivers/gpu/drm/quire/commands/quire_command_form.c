// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The forms of the commands
 *
 * One table says of each command how long it is, which flags it has, where its address fields
 * are and which bytes it touches there; where that depends on further fields, a function does.
 *
 * To add a command: Documentation/gpu/quire/contributing-code.rst.
 */
#include <linux/array_size.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/stddef.h>

#include <asm/byteorder.h>

#include <quire/quire_layout.h>

#include "quire_command_check.h"

/* What commands of an opcode look like. */
struct command_form {
	u16 size; /* bytes; 0: there is no such command, or only @in_context */
	u16 flags; /* exactly one of these is set; 0: none is */
	bool longer; /* there may be more bytes */
	bool in_context; /* with an address space, whose commands are not checked */
	u8 bytes_at; /* offset of the field that has the bytes of all operands without a size */
	u8 multiple; /* what these bytes are a multiple of, a power of two */
	u8 nr_operands;
	struct quire_command_operand operands[QUIRE_COMMAND_OPERANDS];
	/* Sets what other fields say of the operands. Returns what is wrong, or NULL. */
	const char *(*fields)(const void *command, struct quire_command_operand *operands);
};

static const char *fill_fields(const void *command, struct quire_command_operand *operands)
{
	const struct quire_command_fill *fill = command;

	return fill->reserved ? "reserved is not 0" : NULL;
}

static const char *surface_fields(const struct quire_command_surface *surface, u32 element_shift,
				  struct quire_command_operand *operand)
{
	const struct quire_layout layout = {
		.kind = le32_to_cpu(surface->layout),
		.element_shift = element_shift,
		.width = le32_to_cpu(surface->width),
		.height = le32_to_cpu(surface->height),
		.levels = le16_to_cpu(surface->levels),
		.array_size = le16_to_cpu(surface->array_size),
	};
	u32 level = le16_to_cpu(surface->level), slice = le16_to_cpu(surface->slice);
	u32 row, pitch = le32_to_cpu(surface->pitch);
	struct quire_surface tiled;

	if (!quire_layout_valid(&layout))
		return "there is no such layout";
	if (level >= layout.levels || slice >= layout.array_size)
		return "there is no such level or slice";
	if (!quire_layout_tiled(&layout)) {
		row = layout.width << element_shift;
		operand->align = 1u << element_shift;
		if (layout.levels != 1 || layout.array_size != 1)
			return "a linear surface has one level and one slice";
		if (pitch & (operand->align - 1) || pitch < row)
			return "pitch is no multiple of the element, or less than a row";
		operand->size = (u64)(layout.height - 1) * pitch + row;
		return NULL;
	}
	if (pitch)
		return "pitch of a tiled surface is not 0";
	quire_layout_surface(&layout, level, slice, &tiled);
	operand->image = quire_layout_tiled_size(&layout);
	operand->align = 1u << tiled.tile_shift;
	operand->tiled = true;
	operand->first = tiled.tiled_offset;
	operand->size = quire_surface_tiled_size(&tiled);
	return NULL;
}

/* Its rectangle may be anything: it is clipped. */
static const char *copy_2d_fields(const void *command, struct quire_command_operand *operands)
{
	const struct quire_command_2d *rectangle = command;
	u32 element_shift = le32_to_cpu(rectangle->element_shift);
	const char *why;

	if (rectangle->reserved)
		return "reserved is not 0";
	why = surface_fields(&rectangle->src, element_shift, &operands[0]);
	return why ?: surface_fields(&rectangle->dst, element_shift, &operands[1]);
}

static const char *blend_fields(const void *command, struct quire_command_operand *operands)
{
	const struct quire_command_2d *blend = command;

	if (le32_to_cpu(blend->element_shift) != 2)
		return "what is blended has elements of 4 bytes";
	return copy_2d_fields(command, operands);
}

/* A fence belongs to an address space. */
static const char *signal_native_fields(const void *command,
					struct quire_command_operand *operands)
{
	return "a native fence is signalled with EXEC only";
}

#define FORM(type)	.size = sizeof(struct quire_command_##type)
#define BYTES(type, number) \
	.bytes_at = offsetof(struct quire_command_##type, size), .multiple = number
#define OPERAND(type, field, number, ...) \
	{ .at = offsetof(struct quire_command_##type, field), .id = QUIRE_PATCH_##number, \
	  ##__VA_ARGS__ }

static const struct command_form command_forms[] = {
	[QUIRE_COMMAND_NOP - QUIRE_COMMAND_FIRST] = { FORM(nop), .longer = true },
	[QUIRE_COMMAND_COPY - QUIRE_COMMAND_FIRST] = {
		FORM(copy), BYTES(copy, 1), .nr_operands = 2, .operands = {
			OPERAND(copy, src, SRC, .align = 1),
			OPERAND(copy, dst, DST, .align = 1, .writes = true),
		},
	},
	[QUIRE_COMMAND_FILL - QUIRE_COMMAND_FIRST] = {
		FORM(fill), BYTES(fill, 4), .fields = fill_fields,
		.nr_operands = 1, .operands = {
			OPERAND(fill, dst, DST, .align = 4, .writes = true),
		},
	},
	[QUIRE_COMMAND_COPY_2D - QUIRE_COMMAND_FIRST] = {
		FORM(2d), .fields = copy_2d_fields, .nr_operands = 2, .operands = {
			OPERAND(2d, src.address, SRC),
			OPERAND(2d, dst.address, DST, .writes = true),
		},
	},
	[QUIRE_COMMAND_BLEND - QUIRE_COMMAND_FIRST] = {
		FORM(2d), .fields = blend_fields, .nr_operands = 2, .operands = {
			OPERAND(2d, src.address, SRC),
			OPERAND(2d, dst.address, DST, .writes = true),
		},
	},
	[QUIRE_COMMAND_ARITHMETIC - QUIRE_COMMAND_FIRST] = {
		FORM(arithmetic), .flags = QUIRE_ARITHMETIC_ADD | QUIRE_ARITHMETIC_XOR,
		BYTES(arithmetic, 4), .nr_operands = 2, .operands = {
			OPERAND(arithmetic, src, SRC, .align = 4),
			OPERAND(arithmetic, dst, DST, .align = 4, .writes = true),
		},
	},
	[QUIRE_COMMAND_CHECKSUM - QUIRE_COMMAND_FIRST] = {
		FORM(checksum), BYTES(checksum, 1), .nr_operands = 2, .operands = {
			OPERAND(checksum, src, SRC, .align = QUIRE_CHECKSUM_ALIGN),
			OPERAND(checksum, result, RESULT, .align = 8, .writes = true,
				.size = sizeof(__le64)),
		},
	},
	[QUIRE_COMMAND_COMPARE - QUIRE_COMMAND_FIRST] = {
		FORM(compare), BYTES(compare, 1), .nr_operands = 3, .operands = {
			OPERAND(compare, src, SRC, .align = 1),
			OPERAND(compare, dst, DST, .align = 1),
			OPERAND(compare, result, RESULT, .align = 8, .writes = true,
				.size = sizeof(struct quire_compare_report)),
		},
	},
	[QUIRE_COMMAND_WRITE_VALUE - QUIRE_COMMAND_FIRST] = {
		FORM(write_value), .nr_operands = 1, .operands = {
			OPERAND(write_value, dst, DST, .align = 8, .writes = true,
				.size = sizeof(__le64)),
		},
	},
	[QUIRE_COMMAND_WAIT_VALUE - QUIRE_COMMAND_FIRST] = {
		FORM(wait_value), .flags = QUIRE_WAIT_EQUAL | QUIRE_WAIT_GREATER_EQUAL,
		.nr_operands = 1, .operands = {
			OPERAND(wait_value, src, SRC, .align = 8, .size = sizeof(__le64)),
		},
	},
	[QUIRE_COMMAND_DELAY - QUIRE_COMMAND_FIRST] = { FORM(delay) },
	[QUIRE_COMMAND_SIGNAL_NATIVE - QUIRE_COMMAND_FIRST] = {
		FORM(signal_native), .fields = signal_native_fields,
	},
	[QUIRE_COMMAND_SET_REGISTER - QUIRE_COMMAND_FIRST] = { .in_context = true },
	[QUIRE_COMMAND_STORE_REGISTER - QUIRE_COMMAND_FIRST] = { .in_context = true },
	[QUIRE_COMMAND_LOAD_REGISTER - QUIRE_COMMAND_FIRST] = { .in_context = true },
};

static_assert(ARRAY_SIZE(command_forms) == QUIRE_COMMAND_LAST - QUIRE_COMMAND_FIRST + 1);

/**
 * quire_command_form - tell what a command is and what it touches
 * @command: in memory that does not change, aligned to 8; nothing of it is trusted
 * @room: bytes from there to the end of the buffer, a multiple of 8, not 0
 * @form: filled in; undefined after an error
 * @why: after an error what is wrong
 * Returns: 0; -EMSGSIZE if it does not end in the buffer, its size is no multiple of 8, or above
 * %QUIRE_COMMAND_MAX_SIZE; -EOPNOTSUPP if there is no such command, or only for a context with an
 * address space; -EPROTO if it has not the size of such commands; -EDOM if its flags or other
 * fields can not be.
 * Source: "Commands" in Documentation/gpu/quire/device.rst.
 */
int quire_command_form(const struct quire_packet_header *command, u32 room,
		       struct quire_command_form *form, const char **why)
{
	u32 i, index = (u32)le16_to_cpu(command->opcode) - QUIRE_COMMAND_FIRST;
	const struct command_form *known =
		index < ARRAY_SIZE(command_forms) ? &command_forms[index] : NULL;
	u32 size = le32_to_cpu(command->size), flags = le16_to_cpu(command->flags);
	u64 bytes;

	*why = "command does not end in the buffer, or its size is no multiple of 8";
	if (size < sizeof(*command) || size > room || size % sizeof(u64))
		return -EMSGSIZE;
	*why = "command is longer than any may be";
	if (size > QUIRE_COMMAND_MAX_SIZE)
		return -EMSGSIZE;
	*why = "there is no such command";
	if (!known || (!known->size && !known->in_context))
		return -EOPNOTSUPP;
	*why = "only a context with an address space has registers";
	if (known->in_context)
		return -EOPNOTSUPP;
	*why = "size is not that of the command";
	if (size != known->size && !known->longer)
		return -EPROTO;
	*why = "flags are none that the command has";
	if (flags & ~known->flags || (known->flags && (!flags || flags & (flags - 1))))
		return -EDOM;

	/* Of a command without such a field it is the header, and not used. */
	bytes = le64_to_cpu(*(const __le64 *)((const void *)command + known->bytes_at));
	form->size = size;
	form->nr_operands = known->nr_operands;
	for (i = 0; i < known->nr_operands; i++) {
		form->operands[i] = known->operands[i];
		form->operands[i].size = known->operands[i].size ?: bytes;
	}
	*why = known->fields ? known->fields(command, form->operands) : NULL;
	if (!*why && known->bytes_at && (!bytes || bytes & (known->multiple - 1)))
		*why = bytes ? "size is no multiple of 4" : "size is 0";
	return *why ? -EDOM : 0;
}
