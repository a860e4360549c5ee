/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_COMMAND_PATCH_H
#define QUIRE_COMMAND_PATCH_H

#include "quire_command_list.h"

void quire_command_patch(void *to, const struct quire_command_list *list, const u32 *fields,
			 u32 start, u32 end, const u64 *addresses);

#endif
