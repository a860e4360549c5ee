// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/module.h>

#include <asm/byteorder.h>
#include <kunit/visibility.h>

#include "quire_command_patch.h"

static u64 field_address(const struct quire_command_list *list, u32 entry, const u64 *addresses)
{
	return addresses[quire_patch_object(list, entry)] + list->patches[entry].allocation_offset;
}

/**
 * quire_command_patch - write a part of a command buffer with its addresses
 * @to: where to, aligned to 8; @end - @start bytes, each word of it is written once
 * @list: the submission
 * @fields: of the whole submission, from quire_command_check()
 * @start: first byte of the part, where a command begins
 * @end: behind its last byte, where a command ends
 * @addresses: QUIRE_ADDRESS() of the first byte of each object; that of an object which the
 *             part does not use is not looked at
 *
 * The command buffer stays as it is: what was written may be written again, also with other
 * addresses. Any context; the caller makes sure that the objects stay where they are.
 *
 * Source: DXGKDDI_PATCH.
 */
void quire_command_patch(void *to, const struct quire_command_list *list, const u32 *fields,
			 u32 start, u32 end, const u64 *addresses)
{
	const __le64 *from = list->commands + start;
	u32 i, words = (end - start) / sizeof(u64);
	__le64 *word = to;

	fields += start / sizeof(u64);
	for (i = 0; i < words; i++)
		word[i] = fields[i] ? cpu_to_le64(field_address(list, fields[i] - 1, addresses)) :
				      from[i];
}
EXPORT_SYMBOL_IF_KUNIT(quire_command_patch);
