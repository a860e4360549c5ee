// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/string.h>

#include "quire_split_stream.h"

/* The allocation that is none. */
#define NONE	(2 * QUIRE_STREAM_OBJECTS)

/* Bytes of the command buffer between two split points. */
#define STEP	8u

/* Source: George Marsaglia, "Xorshift RNGs". */
u32 quire_stream_random(u32 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* @size: of the command buffer */
void quire_stream_init(struct quire_split_stream *stream, u32 size)
{
	memset(stream, 0, sizeof(*stream));
	stream->list.size = size;
	stream->list.objects = stream->objects;
	stream->list.allocations = stream->allocations;
	stream->list.nr_allocations = NONE + 1;
	stream->list.patches = stream->patches;
	stream->allocations[NONE].object = QUIRE_NO_OBJECT;
}

/* Returns its index. */
u32 quire_stream_object(struct quire_split_stream *stream, u64 size, u32 segment)
{
	u32 object = stream->list.nr_objects++, i;

	stream->objects[object] = (struct quire_command_object) {
		.size = size,
		.segment = segment,
	};
	for (i = 0; i < 2; i++)
		stream->allocations[2 * object + i] = (struct quire_command_allocation) {
			.object = object,
			.writable = i,
			.size = size,
		};
	return object;
}

static void stream_entry(struct quire_split_stream *stream, u32 offset, u32 slot, u32 allocation)
{
	stream->patches[stream->list.nr_patches++] = (struct quire_patch_location) {
		.allocation = allocation,
		.slot = slot,
		.split_offset = offset,
	};
}

void quire_stream_bind(struct quire_split_stream *stream, u32 offset, u32 slot, u32 object)
{
	stream_entry(stream, offset, slot, 2 * object);
}

void quire_stream_write(struct quire_split_stream *stream, u32 offset, u32 slot, u32 object)
{
	stream_entry(stream, offset, slot, 2 * object + 1);
}

void quire_stream_unbind(struct quire_split_stream *stream, u32 offset, u32 slot)
{
	stream_entry(stream, offset, slot, NONE);
}

/* Objects in the order in which they were bound last. */
static u32 stream_choose(u32 *recent, const struct quire_split_shape *shape, u32 *random)
{
	u32 i = quire_stream_random(random) % shape->objects, object;

	if (quire_stream_random(random) % 16 < shape->locality)
		i = quire_stream_random(random) % (shape->objects / 2 + 1);
	object = recent[i];
	memmove(recent + 1, recent, i * sizeof(*recent));
	recent[0] = object;
	return object;
}

/* Some slots are written, each once; some unbind, and some say again what was said. */
static void stream_point(struct quire_split_stream *stream, const struct quire_split_shape *shape,
			 u32 offset, u32 *recent, u32 *random)
{
	u32 slot = quire_stream_random(random) % shape->slots;
	u32 entries = shape->plain ? 1 : 1 + quire_stream_random(random) % shape->slots;

	for (; entries--; slot = (slot + 1) % shape->slots) {
		u32 what = shape->plain ? 8 : quire_stream_random(random) % 16;
		u32 object = stream_choose(recent, shape, random);

		if (what < 3)
			quire_stream_unbind(stream, offset, slot);
		else if (what < 7)
			quire_stream_write(stream, offset, slot, object);
		else
			quire_stream_bind(stream, offset, slot, object);
		if (what == 15)
			quire_stream_bind(stream, offset, slot, object);
	}
}

/* A random stream of that shape; @random: not 0, goes on */
void quire_stream_fill(struct quire_split_stream *stream, const struct quire_split_shape *shape,
		       u32 *random)
{
	u32 i, recent[QUIRE_STREAM_OBJECTS], offset = quire_stream_random(random) % 2 * STEP;

	quire_stream_init(stream, offset + shape->points * STEP);
	for (i = 0; i < shape->objects; i++)
		recent[i] = quire_stream_object(stream, shape->equal ? shape->sizes :
						1 + quire_stream_random(random) % shape->sizes,
						QUIRE_SEGMENT_VRAM +
						quire_stream_random(random) % shape->segments);
	for (i = 0; i < shape->points; i++)
		stream_point(stream, shape, offset + i * STEP, recent, random);
}
