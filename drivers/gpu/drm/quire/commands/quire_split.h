/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_SPLIT_H
#define QUIRE_SPLIT_H

#include "quire_command_check.h"
#include "quire_command_list.h"

struct quire_split;

/**
 * struct quire_split_part - a part of the command buffer that runs as a whole
 * @start: first byte
 * @end: behind its last byte
 * @first: first entry of the patch-location list that binds something in it
 * @last: behind the last one
 * @nr_objects: number of @objects
 * @objects: indices of those that are bound at some byte of it, ascending, each once; all of them
 *           are where commands can use them
 *
 * What has to be patched in it may be named by entries before @first, too.
 */
struct quire_split_part {
	u32 start;
	u32 end;
	u32 first;
	u32 last;
	u32 nr_objects;
	const u32 *objects;
};

/**
 * struct quire_split_memory_ops - the allocator, as the planner sees it
 * @find: is the object where commands can use it? Sets *@address to its byte offset in its
 *        segment. Others may have evicted it, unless it is held
 * @page_in: bring it there. Evicts objects of others, but none of this submission. -ENOSPC there
 *           is no room of one run, though there may be in all: the planner evicts something then
 * @evict: take it away; it is not held, and in no part that was not submitted. What still uses
 *         it is waited for
 * @hold: nobody else moves it until @release
 * @release: ends @hold
 * @submit: let a part run, after all that was paged in and before all that comes later
 *
 * Errors (other than -ENOSPC of @page_in) end quire_split_run() with them.
 */
struct quire_split_memory_ops {
	bool (*find)(struct quire_split *split, u32 object, u64 *address);
	int (*page_in)(struct quire_split *split, u32 object, u64 *address);
	int (*evict)(struct quire_split *split, u32 object);
	void (*hold)(struct quire_split *split, u32 object);
	void (*release)(struct quire_split *split, u32 object);
	int (*submit)(struct quire_split *split, const struct quire_split_part *part);
};

/**
 * struct quire_split_options - what a planner is told, for tests and comparison
 * @every_point: split at every split point
 * @lru: evict what was used least recently, as if nothing were known of the future
 * @seed: not 0: split at some of the points, chosen by it
 * @max_bytes: not 0: the objects of a part have at most so many bytes in a segment, if they can
 */
struct quire_split_options {
	bool every_point;
	bool lru;
	u32 seed;
	u64 max_bytes;
};

#endif
