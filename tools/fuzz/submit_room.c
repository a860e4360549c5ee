// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Is there room? What the planner says of it is compared with what the lists say. */
#include <linux/errno.h>

#include "submit_world.h"

/**
 * struct room - what has to be in a segment, and goes there one after the other
 * @world: the world
 * @segment: which one
 * @nr: number of @objects
 * @objects: each once, those with large alignments first, then the largest
 * @addresses: of those that are there
 */
struct room {
	const struct world *world;
	uint32_t segment;
	uint32_t nr;
	uint32_t objects[OBJECTS];
	uint64_t addresses[OBJECTS];
};

static uint64_t size_of(const struct room *room, uint32_t i)
{
	return room->world->scene.objects[room->objects[i]].size;
}

static bool is_before(const struct quire_command_object *a, const struct quire_command_object *b)
{
	return a->align != b->align ? a->align > b->align : a->size > b->size;
}

static void room_add(struct room *room, uint32_t object)
{
	const struct quire_command_object *objects = room->world->scene.objects;
	uint32_t i;

	if (object == QUIRE_NO_OBJECT || objects[object].segment != room->segment)
		return;
	for (i = 0; i < room->nr; i++)
		if (room->objects[i] == object)
			return;
	for (i = room->nr++; i && is_before(&objects[object], &objects[room->objects[i - 1]]); i--)
		room->objects[i] = room->objects[i - 1];
	room->objects[i] = object;
}

/* What is bound at byte @offset, in the order of the slots. */
static void room_collect(struct room *room, uint32_t offset)
{
	const struct quire_command_list *list = &room->world->scene.list;
	uint32_t slots[QUIRE_SLOTS], i;

	for (i = 0; i < QUIRE_SLOTS; i++)
		slots[i] = QUIRE_NO_OBJECT;
	for (i = 0; i < list->nr_patches && list->patches[i].split_offset <= offset; i++)
		slots[list->patches[i].slot] = quire_patch_object(list, i);
	for (i = 0; i < QUIRE_SLOTS; i++)
		room_add(room, slots[i]);
}

static uint64_t room_bytes(const struct room *room)
{
	uint64_t bytes = 0;
	uint32_t i;

	for (i = 0; i < room->nr; i++)
		bytes += size_of(room, i);
	return bytes;
}

static bool is_bound_too_much(const struct world *world, uint32_t offset, const u64 *capacity)
{
	uint32_t segment;

	for (segment = QUIRE_SEGMENT_VRAM; segment <= QUIRE_SEGMENT_APERTURE; segment++) {
		struct room room = { .world = world, .segment = segment };

		room_collect(&room, offset);
		if (room_bytes(&room) > capacity[segment - QUIRE_SEGMENT_VRAM])
			return true;
	}
	return false;
}

/* What quire_split_check() should say: the first entry that is too much decides. */
int room_answer(const struct world *world, const u64 *capacity)
{
	const struct quire_command_list *list = &world->scene.list;
	uint32_t i, object;

	for (i = 0; i < list->nr_patches; i++) {
		const struct quire_patch_location *patch = &list->patches[i];

		object = quire_patch_object(list, i);
		if (object != QUIRE_NO_OBJECT && list->objects[object].size >
		    capacity[list->objects[object].segment - QUIRE_SEGMENT_VRAM])
			return -EFBIG;
		if (i + 1 < list->nr_patches && patch[1].split_offset == patch->split_offset)
			continue;
		if (is_bound_too_much(world, patch->split_offset, capacity))
			return -EXFULL;
	}
	return 0;
}

static bool apart(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
	return a + a_size <= b || b + b_size <= a;
}

/* Is nothing there that came before object @i? */
static bool is_free(const struct room *room, uint64_t address, uint32_t i)
{
	const struct quire_split_fake *fake = &room->world->fake;
	uint32_t j;

	if (room->segment == QUIRE_SEGMENT_VRAM &&
	    !apart(address, size_of(room, i), fake->obstacle, fake->obstacle_size))
		return false;
	for (j = 0; j < i; j++)
		if (!apart(address, size_of(room, i), room->addresses[j], size_of(room, j)))
			return false;
	return true;
}

static bool room_fits(struct room *room)
{
	uint64_t capacity = room->world->fake.capacity[room->segment - QUIRE_SEGMENT_VRAM];
	uint32_t i, align;

	for (i = 0; i < room->nr; i++) {
		align = room->world->scene.objects[room->objects[i]].align ?: FUZZ_PAGE;
		for (room->addresses[i] = 0; !is_free(room, room->addresses[i], i);)
			room->addresses[i] += align;
		if (room->addresses[i] + size_of(room, i) > capacity)
			return false;
	}
	return true;
}

/* For what is bound at byte @offset, in that order, in empty memory: the last that is tried. */
bool room_is_there(const struct world *world, uint32_t offset)
{
	uint32_t segment;

	for (segment = QUIRE_SEGMENT_VRAM; segment <= QUIRE_SEGMENT_APERTURE; segment++) {
		struct room room = { .world = world, .segment = segment };

		room_collect(&room, offset);
		if (!room_fits(&room))
			return false;
	}
	return true;
}
