/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Patch-location lists of any length, with locality, and the memory that they run in. */
#ifndef QUIRE_BENCH_STREAM_H
#define QUIRE_BENCH_STREAM_H

#include "quire_split.h"

/* So many objects of middling size fit. */
#define STREAM_ROOM	8u
#define STREAM_NOWHERE	(~0u)

/**
 * struct stream - a list, its planner, and memory that has room for a part of the objects
 * @split: the planner
 * @list: what it plans
 * @memory: of the planner
 * @capacity: bytes that fit
 * @places: of each object that is there; else STREAM_NOWHERE
 * @used: bytes that something has
 */
struct stream {
	struct quire_split split;
	struct quire_command_list list;
	void *memory;
	u64 capacity;
	u32 *places;
	u64 used;
};

/* The memory: plain numbers, no time. Objects are where the planner would have them. */
extern const struct quire_split_memory_ops stream_ops;

bool stream_prepare(struct stream *stream, u32 entries, u32 largest, u32 seed);
bool stream_run(struct stream *stream, const struct quire_split_options *options);
bool stream_run_in(struct stream *stream, const struct quire_split_options *options,
		   const struct quire_split_memory_ops *ops);
double stream_belady(const struct stream *stream);
void stream_free(struct stream *stream);

#endif
