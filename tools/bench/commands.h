/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Command buffers of any length that pass the check, with their lists. */
#ifndef QUIRE_BENCH_COMMANDS_H
#define QUIRE_BENCH_COMMANDS_H

#include <stdbool.h>

#include "quire_command_check.h"

/**
 * enum commands_kind - what a buffer is made of
 * @COMMANDS_COMPARE: short commands, with the most fields that any has
 * @COMMANDS_BLEND: what a picture is drawn with
 * @COMMANDS_NOP: the longest commands, without a field
 * @COMMANDS_MIXED: all that there are, by chance
 */
enum commands_kind {
	COMMANDS_COMPARE,
	COMMANDS_BLEND,
	COMMANDS_NOP,
	COMMANDS_MIXED,
};

/**
 * struct commands - a submission, as the driver has it when it is checked
 * @list: the command buffer and its lists
 * @fields: what the check fills in
 */
struct commands {
	struct quire_command_list list;
	u32 *fields;
};

bool commands_prepare(struct commands *commands, enum commands_kind kind, u32 size, u32 seed);
bool commands_check(struct commands *commands);
size_t commands_bytes(const struct commands *commands);
void commands_copy(const struct commands *commands, void *to);
void commands_free(struct commands *commands);

#endif
