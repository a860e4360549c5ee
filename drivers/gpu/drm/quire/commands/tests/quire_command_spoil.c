// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What chance makes of a submission.
 */
#include "quire_command_scene.h"

static void swap_entries(struct quire_scene *scene, u32 a, u32 b)
{
	struct quire_patch_location patch = scene->patches[a];

	scene->patches[a] = scene->patches[b];
	scene->patches[b] = patch;
}

/* One bit of a number, often a low one. */
static u64 some_bit(struct quire_choices *choices)
{
	return 1ull << choices->below(choices, choices->below(choices, 4) ? 16 : 64);
}

static void spoil_entry(struct quire_patch_location *patch, struct quire_choices *choices)
{
	switch (choices->below(choices, 6)) {
	case 0:
		patch->allocation = choices->below(choices, QUIRE_SCENE_ALLOCATIONS);
		break;
	case 1:
		patch->slot = choices->below(choices, QUIRE_SLOTS + 1);
		break;
	case 2:
		patch->driver_id = choices->below(choices, 4);
		break;
	case 3:
		patch->split_offset = 8 * choices->below(choices, QUIRE_SCENE_WORDS);
		break;
	case 4:
		patch->allocation_offset ^= some_bit(choices);
		break;
	default:
		patch->patch_offset = 8 * choices->below(choices, QUIRE_SCENE_WORDS);
	}
}

static void spoil_entries(struct quire_scene *scene, struct quire_choices *choices)
{
	struct quire_command_list *list = &scene->list;
	u32 entry;

	if (!list->nr_patches)
		return;
	entry = choices->below(choices, list->nr_patches);
	switch (choices->below(choices, 4)) {
	case 0:
		swap_entries(scene, entry, choices->below(choices, list->nr_patches));
		break;
	case 1:
		scene->patches[entry] = scene->patches[--list->nr_patches];
		break;
	case 2:
		/* often another use of what is bound */
		scene->patches[entry].slot =
			scene->patches[choices->below(choices, list->nr_patches)].slot;
		break;
	default:
		spoil_entry(&scene->patches[entry], choices);
	}
}

static void spoil_allocation(struct quire_scene *scene, struct quire_choices *choices)
{
	struct quire_command_allocation *allocation =
		&scene->allocations[choices->below(choices, scene->list.nr_allocations)];

	switch (choices->below(choices, 4)) {
	case 0:
		allocation->object = choices->below(choices, scene->list.nr_objects);
		break;
	case 1:
		allocation->writable = !allocation->writable;
		break;
	case 2:
		allocation->offset ^= some_bit(choices);
		break;
	default:
		allocation->size ^= some_bit(choices);
	}
}

static void spoil_object(struct quire_scene *scene, struct quire_choices *choices)
{
	struct quire_command_object *object =
		&scene->objects[choices->below(choices, scene->list.nr_objects)];

	switch (choices->below(choices, 3)) {
	case 0:
		object->segment = QUIRE_SEGMENT_APERTURE;
		break;
	case 1:
		object->linear = true;
		break;
	default:
		object->align = choices->below(choices, 2) * QUIRE_PAGE_SIZE;
	}
}

/**
 * quire_scene_spoil - change something of a submission, so that it is wrong, perhaps
 * @scene: the submission
 * @choices: what is changed, and how
 */
void quire_scene_spoil(struct quire_scene *scene, struct quire_choices *choices)
{
	struct quire_command_list *list = &scene->list;
	u32 byte;

	switch (choices->below(choices, 8)) {
	case 0:
		list->size = 4 * choices->below(choices, 2 * QUIRE_SCENE_WORDS);
		break;
	case 1:
		spoil_object(scene, choices);
		break;
	case 2:
		spoil_allocation(scene, choices);
		break;
	case 3:
	case 4:
	case 5:
		spoil_entries(scene, choices);
		break;
	default:
		byte = choices->below(choices, sizeof(scene->commands));
		if (list->size)
			byte %= list->size;
		((u8 *)scene->commands)[byte] ^= 1u << choices->below(choices, 8);
	}
}
