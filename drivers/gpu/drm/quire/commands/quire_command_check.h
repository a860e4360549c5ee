/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_COMMAND_CHECK_H
#define QUIRE_COMMAND_CHECK_H

#include "quire_command_list.h"

/**
 * enum quire_command_part - where in a submission something is wrong
 * @QUIRE_COMMAND_WHOLE: in none of the following
 * @QUIRE_COMMAND_BUFFER: in the command buffer
 * @QUIRE_COMMAND_ALLOCATIONS: in an element of the allocation list
 * @QUIRE_COMMAND_PATCHES: in an element of the patch-location list
 */
enum quire_command_part {
	QUIRE_COMMAND_WHOLE,
	QUIRE_COMMAND_BUFFER,
	QUIRE_COMMAND_ALLOCATIONS,
	QUIRE_COMMAND_PATCHES,
};

/**
 * struct quire_command_error - what is wrong
 * @where: enum quire_command_part
 * @entry: index of the element, if @where is a list
 * @offset: byte of the command buffer that it is about: of the command, of the address field
 *          or of the split point
 * @why: for messages, without a full stop; constant
 */
struct quire_command_error {
	u32 where;
	u32 entry;
	u32 offset;
	const char *why;
};

int quire_command_check(const struct quire_command_list *list, u32 *fields,
			struct quire_command_error *error);

#endif
