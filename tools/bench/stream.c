// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <linux/container_of.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

/* Entries for each object, slots, and objects that are used together. */
#define USES	2u
#define SLOTS	4u
#define CLOSE	(STREAM_ROOM * 3 / 2)

/* Source: George Marsaglia, "Xorshift RNGs". */
static u32 next_random(u32 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* Most of them are near to each other, and what is near changes slowly. */
static void stream_fill(struct stream *stream, struct quire_patch_location *patches,
			struct quire_command_allocation *allocations,
			struct quire_command_object *objects, u32 largest, u32 random)
{
	u32 nr = stream->list.nr_objects;

	for (u32 i = 0; i < nr; i++) {
		objects[i] = (struct quire_command_object) {
			.size = 1 + next_random(&random) % largest,
			.segment = QUIRE_SEGMENT_VRAM,
		};
		allocations[i].object = i;
	}
	for (u32 i = 0; i < stream->list.nr_patches; i++) {
		u32 near = next_random(&random) % CLOSE, any = next_random(&random);

		patches[i].split_offset = 8 * i;
		patches[i].slot = i % SLOTS;
		patches[i].allocation = any % 8 ? (i / USES + near) % nr : any / 8 % nr;
	}
}

/*
 * @entries: their number; a third of the near objects has no room. @largest: bytes of an object at
 * most; 1: all are equal. @seed: not 0
 */
bool stream_prepare(struct stream *stream, u32 entries, u32 largest, u32 seed)
{
	u32 nr_objects = entries / USES;
	struct quire_command_object *objects = calloc(nr_objects, sizeof(*objects));
	struct quire_command_allocation *allocations = calloc(nr_objects, sizeof(*allocations));
	struct quire_patch_location *patches = calloc(entries, sizeof(*patches));

	*stream = (struct stream) {
		.list = {
			.size = 8 * entries,
			.nr_objects = nr_objects,
			.nr_allocations = nr_objects,
			.nr_patches = entries,
			.objects = objects,
			.allocations = allocations,
			.patches = patches,
		},
		.capacity = STREAM_ROOM * (1 + largest) / 2,
		.places = calloc(nr_objects, sizeof(*stream->places)),
	};
	stream->memory = malloc(quire_split_memory(&stream->list));
	if (!objects || !allocations || !patches || !stream->places || !stream->memory)
		return false;
	stream_fill(stream, patches, allocations, objects, largest, seed);
	return true;
}

void stream_free(struct stream *stream)
{
	free((void *)stream->list.objects);
	free((void *)stream->list.allocations);
	free((void *)stream->list.patches);
	free(stream->places);
	free(stream->memory);
}

static struct stream *to_stream(struct quire_split *split)
{
	return container_of(split, struct stream, split);
}

static bool stream_find(struct quire_split *split, u32 object, u64 *address)
{
	*address = to_stream(split)->places[object];
	return *address != STREAM_NOWHERE;
}

static int stream_page_in(struct quire_split *split, u32 object, u64 *address)
{
	struct stream *stream = to_stream(split);
	u64 used = stream->used + split->list->objects[object].size;

	if (used > stream->capacity || *address == QUIRE_SPLIT_ANYWHERE)
		return -ENOSPC;
	stream->used = used;
	stream->places[object] = *address;
	return 0;
}

static int stream_evict(struct quire_split *split, u32 object)
{
	struct stream *stream = to_stream(split);

	stream->used -= split->list->objects[object].size;
	stream->places[object] = STREAM_NOWHERE;
	return 0;
}

static void stream_hold(struct quire_split *split, u32 object)
{
}

static int stream_submit(struct quire_split *split, const struct quire_split_part *part)
{
	return 0;
}

const struct quire_split_memory_ops stream_ops = {
	.find = stream_find,
	.page_in = stream_page_in,
	.evict = stream_evict,
	.hold = stream_hold,
	.release = stream_hold,
	.submit = stream_submit,
};

bool stream_run(struct stream *stream, const struct quire_split_options *options)
{
	return stream_run_in(stream, options, &stream_ops);
}

/* From memory in which nothing is. @ops: those of the stream, or what calls them */
bool stream_run_in(struct stream *stream, const struct quire_split_options *options,
		   const struct quire_split_memory_ops *ops)
{
	const u64 capacity[QUIRE_SPLIT_SEGMENTS] = { stream->capacity };

	memset(stream->places, 0xff, stream->list.nr_objects * sizeof(*stream->places));
	stream->used = 0;
	quire_split_init(&stream->split, ops, &stream->list, capacity, options, stream->memory);
	return !quire_split_run(&stream->split);
}

/* Is the object in a slot behind the entry? */
static bool is_bound(const struct quire_command_list *list, u32 entry, u32 object)
{
	for (u32 i = 0; i < SLOTS && i <= entry; i++)
		if (quire_patch_object(list, entry - i) == object)
			return true;
	return false;
}

/* How many entries later is it bound again? */
static u32 distance(const struct quire_command_list *list, u32 entry, u32 object)
{
	u32 i = entry + 1;

	while (i < list->nr_patches && quire_patch_object(list, i) != object)
		i++;
	return i < list->nr_patches ? i - entry : UINT32_MAX;
}

static u32 furthest(const struct quire_command_list *list, u32 entry, const u32 *resident,
		    u32 nr)
{
	u32 best = 0, best_distance = 0;

	for (u32 i = 0; i < nr; i++) {
		u32 d = distance(list, entry, resident[i]);

		if (d > best_distance && !is_bound(list, entry, resident[i])) {
			best = i;
			best_distance = d;
		}
	}
	return best;
}

/* Objects that have to be paged in at least: each time what is needed last goes. */
double stream_belady(const struct stream *stream)
{
	const struct quire_command_list *list = &stream->list;
	u32 resident[STREAM_ROOM], nr = 0, misses = 0;

	for (u32 i = 0; i < list->nr_patches; i++) {
		u32 object = quire_patch_object(list, i), j = 0;

		while (j < nr && resident[j] != object)
			j++;
		if (j < nr)
			continue;
		misses++;
		j = nr < STREAM_ROOM ? nr++ : furthest(list, i, resident, nr);
		resident[j] = object;
	}
	return misses;
}
