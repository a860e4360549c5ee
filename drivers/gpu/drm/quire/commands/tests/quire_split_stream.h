/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Patch-location lists for tests of the split planner: written by hand, or random ones. */
#ifndef QUIRE_SPLIT_STREAM_H
#define QUIRE_SPLIT_STREAM_H

#include "../quire_command_check.h"

#define QUIRE_STREAM_OBJECTS	64u
#define QUIRE_STREAM_ENTRIES	512u

/**
 * struct quire_split_stream - a command buffer, as far as the planner looks at it
 * @list: refers to the rest
 * @objects: what the allocations are of
 * @allocations: of each object two, read and written; behind them one that is none
 * @patches: the entries
 */
struct quire_split_stream {
	struct quire_command_list list;
	struct quire_command_object objects[QUIRE_STREAM_OBJECTS];
	struct quire_command_allocation allocations[2 * QUIRE_STREAM_OBJECTS + 1];
	struct quire_patch_location patches[QUIRE_STREAM_ENTRIES];
};

/**
 * struct quire_split_shape - what random streams are like
 * @objects: their number
 * @points: number of split points
 * @slots: that are used
 * @sizes: of an object at most
 * @equal: all have that size
 * @segments: 1 or 2
 * @locality: of 16 bindings so many are of what was bound not long ago
 * @plain: one entry a point, which binds something
 *
 * Else there are up to twice as many entries at a point as there are slots; in all not more than
 * %QUIRE_STREAM_ENTRIES.
 */
struct quire_split_shape {
	u32 objects;
	u32 points;
	u32 slots;
	u32 sizes;
	bool equal;
	u32 segments;
	u32 locality;
	bool plain;
};

u32 quire_stream_random(u32 *state);
void quire_stream_init(struct quire_split_stream *stream, u32 size);
u32 quire_stream_object(struct quire_split_stream *stream, u64 size, u32 segment);
void quire_stream_bind(struct quire_split_stream *stream, u32 offset, u32 slot, u32 object);
void quire_stream_write(struct quire_split_stream *stream, u32 offset, u32 slot, u32 object);
void quire_stream_unbind(struct quire_split_stream *stream, u32 offset, u32 slot);
void quire_stream_fill(struct quire_split_stream *stream, const struct quire_split_shape *shape,
		       u32 *random);

#endif
