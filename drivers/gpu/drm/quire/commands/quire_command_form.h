/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_COMMAND_FORM_H
#define QUIRE_COMMAND_FORM_H

#include <linux/types.h>

#include "quire_command_list.h"

/* Operands of a command, at most. */
#define QUIRE_COMMAND_OPERANDS	3u

/**
 * struct quire_command_operand - memory that a command names
 * @at: byte of the command where the address field is
 * @id: enum quire_patch_field of it
 * @align: the address is a multiple of it, a power of two
 * @writes: it is written; else it is only read
 * @tiled: it has tiles, so it is in %QUIRE_SEGMENT_VRAM
 * @image: bytes of all of its tiles, from the address, for the device wants to know all of an
 *         image where it is; 0 if it has none
 * @first: first byte that is touched, from the address
 * @size: bytes from there to the last one that is touched, not 0
 *
 * What is touched of an image is all of the surface, whatever rectangle of it is asked for.
 */
struct quire_command_operand {
	u32 at;
	u32 id;
	u32 align;
	bool writes;
	bool tiled;
	u64 image;
	u64 first;
	u64 size;
};

/**
 * struct quire_command_form - what a command is
 * @size: bytes of it
 * @nr_operands: number of @operands
 * @operands: what it touches, in the order of their fields
 *
 * Source: "Commands" in Documentation/gpu/quire/device.rst.
 */
struct quire_command_form {
	u32 size;
	u32 nr_operands;
	struct quire_command_operand operands[QUIRE_COMMAND_OPERANDS];
};

int quire_command_form(const struct quire_packet_header *command, u32 room,
		       struct quire_command_form *form, const char **why);

#endif
