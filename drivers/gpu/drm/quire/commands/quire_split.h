/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_SPLIT_H
#define QUIRE_SPLIT_H

#include <linux/limits.h>

#include "quire_command_check.h"

/**
 * DOC: The split planner
 *
 * A command buffer whose objects do not fit into memory together runs in parts. Entries of
 * the patch-location list say from which byte on an object is bound to a slot; those with one
 * split offset take effect together, and between them and what is before it can be split.
 *
 * - Objects are paged in as the entries name them, and stay while the part that is prepared needs
 *   them. If there is no more room, the part up to there is submitted, and the next one begins. If
 *   there is none but for what can be evicted, it is, too, unless little came for it.
 * - What is bound on both sides of a split stays in place, held, but for slots that are
 *   written right there. Others may have memory between two parts; then it comes back.
 * - If others took something of a part that is ready, it is planned again, and may become shorter.
 *
 * If memory is in pieces, so that what is bound at one byte does not fit, what was just written is
 * evicted and paged in again, in an order that fits; then all that is bound. The original does not
 * promise that; the alternative is to fail.
 *
 * Nothing is allocated, nothing sleeps but the allocator. A planner belongs to one thread.
 *
 * Source: "Splitting a DMA Buffer"; D3DDDI_PATCHLOCATIONLIST, SplitOffset, SlotId.
 */

/* Segments that objects are in; each is a pool of its own. */
#define QUIRE_SPLIT_SEGMENTS	2u

/* As an address: wherever there is room. */
#define QUIRE_SPLIT_ANYWHERE	U64_MAX

struct quire_split;

/**
 * struct quire_split_part - a part of the command buffer that runs as a whole
 * @start: first byte
 * @end: behind its last byte
 * @first: first entry of the patch-location list that binds something in it; entries before may
 *         patch it, too
 * @last: behind the last one
 * @nr_objects: number of @objects
 * @objects: indices of those that are bound in it, each once, in the order in which they came to
 *           be needed; all are held where commands can use them; not to be kept
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
 * @go_on: called before each group of entries, also in a forecast: 0, or an error. NULL: 0
 * @find: tell whether the object is where commands can use it, and set *@address to its byte
 *        offset in its segment. Unless it is held, others may have evicted it
 * @page_in: page the object in, to *@address if that is free of other clients; on success set
 *           that to its place. Evicts objects of other clients, but none of this submission.
 *           -ENOSPC no run is large enough: the planner evicts something then. If it is the
 *           &quire_split.last resort, other clients in the way are waited for before that answer.
 *           -EAGAIN other clients want memory before there is room: @pause is called next
 * @evict: evict the object, which @find has just found, and which no part needs that was not
 *         submitted. Waits for what still uses it. -EAGAIN as @page_in
 * @hold: keep the object where it is until @release, but for @pause, and clients that do not
 *        ask; NULL, both, if no object moves that @find or @page_in found; not nested
 * @release: end @hold
 * @submit: run a part, after all that was paged in and before all that comes later. -EAGAIN
 *          others took something of it: it is planned again, from its first entry
 * @pause: let others have memory. What is @held is where it was afterwards; all else may be
 *         evicted. -ENOSPC some of it is, too: the part in preparation is planned again. NULL:
 *         there are no others
 *
 * All may sleep. All other errors end quire_split_run() with them.
 */
struct quire_split_memory_ops {
	int (*go_on)(struct quire_split *split);
	bool (*find)(struct quire_split *split, u32 object, u64 *address);
	int (*page_in)(struct quire_split *split, u32 object, u64 *address);
	int (*evict)(struct quire_split *split, u32 object);
	void (*hold)(struct quire_split *split, u32 object);
	void (*release)(struct quire_split *split, u32 object);
	int (*submit)(struct quire_split *split, const struct quire_split_part *part);
	int (*pause)(struct quire_split *split, const u32 *held, u32 nr_held);
};

/**
 * struct quire_split_options - what a planner is told, for tests and comparison
 * @every_point: split at every split point
 * @lru: evict what was used least recently, as if nothing were known of the future
 * @seed: not 0: split at some of the points, chosen by it
 * @max_bytes: not 0: at most so many bytes of objects are in a segment, if no more are bound
 */
struct quire_split_options {
	bool every_point;
	bool lru;
	u32 seed;
	u64 max_bytes;
};

/**
 * enum quire_split_policy - what is evicted first
 * @QUIRE_SPLIT_BYTES: what is needed furthest ahead, for each byte that it has too many
 * @QUIRE_SPLIT_FURTHEST: what is needed furthest ahead
 * @QUIRE_SPLIT_LRU: what was used least recently
 * @QUIRE_SPLIT_POLICIES: number of them
 */
enum quire_split_policy {
	QUIRE_SPLIT_BYTES,
	QUIRE_SPLIT_FURTHEST,
	QUIRE_SPLIT_LRU,
	QUIRE_SPLIT_POLICIES,
};

/**
 * struct quire_split_pool - a segment
 * @resident: bytes of the submission's objects in it, as far as is known
 * @needed: bytes of those that the part in preparation needs
 * @most: bytes that were seen to fit at once
 * @came: bytes that were paged in for the part in preparation
 * @limit: of @resident and @needed
 * @end: behind the last address that an object was seen to have
 * @heaps: by enum quire_split_heap
 * @nr: number of objects in each
 * @root: of the map of its objects
 * @pieces: there were bytes enough for an object, but no run
 */
struct quire_split_pool {
	u64 resident;
	u64 needed;
	u64 most;
	u64 came;
	u64 limit;
	u64 end;
	u32 *heaps[2];
	u32 nr[2];
	u32 root;
	bool pieces;
};

/**
 * struct quire_split_group - entries with one split offset: they take effect together
 * @first: first of them
 * @last: behind the last one
 * @offset: their split offset
 * @nr_needed: objects that were needed before it
 */
struct quire_split_group {
	u32 first;
	u32 last;
	u32 offset;
	u32 nr_needed;
};

/**
 * struct quire_split - a planner, and what came of it
 * @parts: submitted
 * @page_ins: objects paged in
 * @bytes_in: bytes of them
 * @evictions: objects evicted, without those that others evicted
 * @bytes_out: bytes of them
 * @repacks: objects that should have stayed in place were moved, at so many splits
 * @ops: the allocator
 * @list: the command buffer
 * @options: as given
 * @capacity: as given
 * @policy: by which it evicts
 * @rows: what is known of each object
 * @following: of each entry: split offset of the next one of its object, or %QUIRE_SPLIT_NEVER
 * @needed: objects of the part in preparation; all are held
 * @nr_needed: number of them
 * @pools: by segment
 * @slots: the resource table: what each slot holds, or %QUIRE_NO_OBJECT
 * @written: of each slot: first entry of the group that wrote it last
 * @group: what the planner is at
 * @start: first byte of the part in preparation
 * @first: its first entry
 * @random: state of the random numbers
 * @repacked: number of the last part, from 1, before which a repack was counted
 * @last: what is paged in has all memory but for what has to be there with it, and fits
 *
 * The implementation of @ops embeds it. What stands behind @repacks is private.
 */
struct quire_split {
	u32 parts;
	u32 page_ins;
	u64 bytes_in;
	u32 evictions;
	u64 bytes_out;
	u32 repacks;

	const struct quire_split_memory_ops *ops;
	const struct quire_command_list *list;
	struct quire_split_options options;
	u64 capacity[QUIRE_SPLIT_SEGMENTS];
	enum quire_split_policy policy;
	struct quire_split_row *rows;
	u32 *following;
	u32 *needed;
	u32 nr_needed;
	struct quire_split_pool pools[QUIRE_SPLIT_SEGMENTS];
	u32 slots[QUIRE_SLOTS];
	u32 written[QUIRE_SLOTS];
	struct quire_split_group group;
	u32 start;
	u32 first;
	u32 random;
	u32 repacked;
	bool last;
};

int quire_split_check(const struct quire_command_list *list,
		      const u64 capacity[QUIRE_SPLIT_SEGMENTS],
		      struct quire_command_error *error);
size_t quire_split_memory(const struct quire_command_list *list);
void quire_split_init(struct quire_split *split, const struct quire_split_memory_ops *ops,
		      const struct quire_command_list *list,
		      const u64 capacity[QUIRE_SPLIT_SEGMENTS],
		      const struct quire_split_options *options, void *memory);
int quire_split_run(struct quire_split *split);

#endif
