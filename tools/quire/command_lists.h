/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Lists of a program as the driver has them when it has copied them in. */
#ifndef QUIRE_COMMAND_LISTS_H
#define QUIRE_COMMAND_LISTS_H

#include "libquire.h"
#include "quire_command_check.h"

/**
 * struct command_lists - for the driver's own functions, in user space
 * @list: the whole
 * @objects: its objects; that with handle n is element n - 1
 * @allocations: its allocations
 * @patches: its patch locations
 */
struct command_lists {
	struct quire_command_list list;
	struct quire_command_object *objects;
	struct quire_command_allocation *allocations;
	struct quire_patch_location *patches;
};

int command_lists_init(struct command_lists *lists, const struct quire_lists *from,
		       uint32_t nr_objects);
void command_lists_free(struct command_lists *lists);

#endif
