// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <stdlib.h>

#include "command_lists.h"

static struct quire_command_allocation allocation_of(const struct drm_quire_allocation *from)
{
	return (struct quire_command_allocation){
		.object = from->handle ? from->handle - 1 : QUIRE_NO_OBJECT,
		.writable = from->flags & DRM_QUIRE_ALLOCATION_WRITE,
		.offset = from->offset,
		.size = from->size,
	};
}

static struct quire_patch_location patch_of(const struct drm_quire_patch_location *from)
{
	return (struct quire_patch_location){
		.allocation = from->allocation,
		.slot = from->slot,
		.driver_id = from->driver_id,
		.split_offset = from->split_offset,
		.allocation_offset = from->allocation_offset,
		.patch_offset = from->patch_offset,
	};
}

/**
 * command_lists_init - make the driver's lists of a program's
 * @lists: to be made; its objects are in VRAM, their sizes are the caller's to fill in
 * @from: outlives @lists
 * @nr_objects: handles are from 1 to it
 *
 * Returns 0 or -ENOMEM.
 */
int command_lists_init(struct command_lists *lists, const struct quire_lists *from,
		       uint32_t nr_objects)
{
	lists->objects = calloc(nr_objects + 1, sizeof(*lists->objects));
	lists->allocations = calloc(from->nr_allocations + 1, sizeof(*lists->allocations));
	lists->patches = calloc(from->nr_patches + 1, sizeof(*lists->patches));
	if (!lists->objects || !lists->allocations || !lists->patches) {
		command_lists_free(lists);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < nr_objects; i++)
		lists->objects[i].segment = QUIRE_SEGMENT_VRAM;
	for (uint32_t i = 0; i < from->nr_allocations; i++)
		lists->allocations[i] = allocation_of(&from->allocations[i]);
	for (uint32_t i = 0; i < from->nr_patches; i++)
		lists->patches[i] = patch_of(&from->patches[i]);
	lists->list = (struct quire_command_list){
		.commands = from->commands,
		.size = from->commands_size,
		.nr_objects = nr_objects,
		.nr_allocations = from->nr_allocations,
		.nr_patches = from->nr_patches,
		.objects = lists->objects,
		.allocations = lists->allocations,
		.patches = lists->patches,
	};
	return 0;
}

void command_lists_free(struct command_lists *lists)
{
	free(lists->objects);
	free(lists->allocations);
	free(lists->patches);
}
