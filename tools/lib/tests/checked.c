// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <stdlib.h>

#include "checked.h"
#include "quire_command_check.h"
#include "tap.h"

static void convert(const struct quire_lists *lists, struct quire_command_allocation *allocations,
		    struct quire_patch_location *patches)
{
	for (uint32_t i = 0; i < lists->nr_allocations; i++) {
		const struct drm_quire_allocation *allocation = &lists->allocations[i];

		allocations[i] = (struct quire_command_allocation){
			.object = allocation->handle ? allocation->handle - 1 : QUIRE_NO_OBJECT,
			.writable = allocation->flags & DRM_QUIRE_ALLOCATION_WRITE,
			.offset = allocation->offset,
			.size = allocation->size,
		};
	}
	for (uint32_t i = 0; i < lists->nr_patches; i++) {
		const struct drm_quire_patch_location *patch = &lists->patches[i];

		patches[i] = (struct quire_patch_location){
			.allocation = patch->allocation,
			.slot = patch->slot,
			.driver_id = patch->driver_id,
			.split_offset = patch->split_offset,
			.allocation_offset = patch->allocation_offset,
			.patch_offset = patch->patch_offset,
		};
	}
}

static struct quire_command_object *make_objects(const struct quire_lists *lists, uint64_t size,
						 struct quire_command_list *list)
{
	struct quire_command_object *objects;

	for (uint32_t i = 0; i < lists->nr_allocations; i++)
		if (lists->allocations[i].handle > list->nr_objects)
			list->nr_objects = lists->allocations[i].handle;
	objects = calloc(list->nr_objects + 1, sizeof(*objects));
	for (uint32_t i = 0; objects && i < list->nr_objects; i++)
		objects[i] = (struct quire_command_object){
			.size = size, .segment = QUIRE_SEGMENT_VRAM, .align = 65536,
		};
	return objects;
}

/* Says why, if it is an error. Objects are all of the same size. */
int lists_check(const struct quire_lists *lists, uint64_t object_size)
{
	struct quire_command_list list = {
		.commands = lists->commands,
		.size = lists->commands_size,
		.nr_allocations = lists->nr_allocations,
		.nr_patches = lists->nr_patches,
	};
	struct quire_command_allocation *allocations = calloc(lists->nr_allocations + 1,
							      sizeof(*allocations));
	struct quire_patch_location *patches = calloc(lists->nr_patches + 1, sizeof(*patches));
	struct quire_command_object *objects = make_objects(lists, object_size, &list);
	u32 *fields = calloc(lists->commands_size / 8 + 1, sizeof(*fields));
	struct quire_command_error error;
	int ret = -ENOMEM;

	if (allocations && patches && objects && fields) {
		convert(lists, allocations, patches);
		list.allocations = allocations;
		list.patches = patches;
		list.objects = objects;
		ret = quire_command_check(&list, fields, &error);
		if (ret)
			tap_diag("entry %u, byte %u: %s", error.entry, error.offset, error.why);
	}
	free(fields);
	free(objects);
	free(patches);
	free(allocations);
	return ret;
}
