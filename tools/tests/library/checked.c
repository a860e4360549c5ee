// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <stdlib.h>

#include "checked.h"
#include "command_lists.h"
#include "quire_command_check.h"
#include "tap.h"

#define ALIGN	65536	/* of the largest tiles */

static int check(const struct command_lists *lists)
{
	u32 *fields = calloc(lists->list.size / 8 + 1, sizeof(*fields));
	struct quire_command_error error;
	int ret = fields ? quire_command_check(&lists->list, fields, &error) : -ENOMEM;

	if (ret && fields)
		tap_diag("entry %u, byte %u: %s", error.entry, error.offset, error.why);
	free(fields);
	return ret;
}

/* Says why, if it is an error. Handles are from 1 to @nr_objects, of the same size each. */
int lists_check(const struct quire_lists *lists, uint32_t nr_objects, uint64_t object_size)
{
	struct command_lists copied;
	int ret = command_lists_init(&copied, lists, nr_objects);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < nr_objects; i++) {
		copied.objects[i].size = object_size;
		copied.objects[i].align = ALIGN;
	}
	ret = check(&copied);
	command_lists_free(&copied);
	return ret;
}
