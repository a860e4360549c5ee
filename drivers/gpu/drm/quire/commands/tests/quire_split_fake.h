/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* An allocator for tests of the split planner, which judges each call that it gets. */
#ifndef QUIRE_SPLIT_FAKE_H
#define QUIRE_SPLIT_FAKE_H

#include "../quire_split.h"
#include "quire_split_stream.h"

#define QUIRE_FAKE_PARTS	QUIRE_STREAM_ENTRIES

struct quire_split_fake;

/**
 * struct quire_fake_watch - told where objects go, so that there is something in them
 * @came: an object is at &quire_fake_object.address now
 * @goes: it is taken away, by the planner or by others
 * @submit: a part, whose objects are all there
 */
struct quire_fake_watch {
	void (*came)(struct quire_split_fake *fake, u32 object);
	void (*goes)(struct quire_split_fake *fake, u32 object);
	int (*submit)(struct quire_split_fake *fake, const struct quire_split_part *part);
};

/**
 * struct quire_fake_object - an object in memory
 * @address: where it is, if it is resident
 * @before: where it was when the last part was submitted
 * @resident: commands can use it
 * @held: nobody may move it
 * @released: since the last part was submitted
 * @robbed: others took it, though it was held, since the last part was submitted
 * @page_ins: so often was it paged in
 */
struct quire_fake_object {
	u64 address;
	u64 before;
	bool resident;
	bool held;
	bool released;
	bool robbed;
	u32 page_ins;
};

/**
 * struct quire_fake_part - a part that was submitted
 * @start: its first byte
 * @end: behind its last byte
 * @objects: that it has, a bit each
 */
struct quire_fake_part {
	u32 start;
	u32 end;
	u64 objects;
};

/**
 * struct quire_split_fake - an allocator of the smallest kind
 * @split: the planner
 * @list: what it plans
 * @capacity: of each segment
 * @pieces: an object needs one run of addresses, the first that is free; else bytes that are
 *          free are good enough
 * @follows: with @pieces: where the planner would have it, if that is free
 * @thief: not 0: in so many calls others once take away what they can
 * @robber: not 0: in so many calls of page_in and submit others once take away one object, also
 *          if it is held
 * @rob_after: not 0: the same, before that call, which object is @robbed
 * @robbed: index
 * @guests: not 0: in so many pauses others once had all memory
 * @loss: not 0: of what is held, one in so many objects does not come back then
 * @busy: not 0: every so many tries an eviction takes long; at least 2
 * @crowded: the same, of what is paged in
 * @locked: others hold all memory until they are waited for, and so long is what comes refused
 * @lost_in: not 0: in that pause others take all memory, and nothing comes back
 * @random: state, for @thief, @robber and @guests
 * @objects: by index
 * @obstacle: others have the first bytes from here on
 * @obstacle_size: that many, in VRAM
 * @goes_on: so often was it asked whether to go on
 * @end_at: not 0: the answer is no then
 * @refuse: what the next submission fails with
 * @refuse_pause: what the next pause fails with
 * @robberies: submissions that found something missing
 * @pauses: so often could others have had memory
 * @tries: of evictions
 * @arrivals: tries to page something in
 * @waits: so many of both took long
 * @watch: or NULL: nothing is in the objects
 * @parts: that were submitted
 * @repacks: of the planner when the last part was submitted
 * @next: addresses that were given, without @pieces
 * @entry: the last that an object was paged in for
 * @bytes_in: that were paged in
 * @bytes_out: that were evicted
 * @nr_evicted: objects that were evicted
 * @evicted: the first of them, in order
 * @error: what was wrong at first; NULL nothing was
 */
struct quire_split_fake {
	struct quire_split split;
	const struct quire_command_list *list;
	u64 capacity[QUIRE_SPLIT_SEGMENTS];
	bool pieces;
	bool follows;
	u32 thief;
	u32 robber;
	u32 rob_after;
	u32 robbed;
	u32 guests;
	u32 loss;
	u32 busy;
	u32 crowded;
	bool locked;
	u32 lost_in;
	u32 random;
	struct quire_fake_object objects[QUIRE_STREAM_OBJECTS];
	u64 obstacle;
	u64 obstacle_size;
	u32 goes_on;
	u32 end_at;
	int refuse;
	int refuse_pause;
	u32 robberies;
	u32 pauses;
	u32 tries;
	u32 arrivals;
	u32 waits;
	const struct quire_fake_watch *watch;
	struct quire_fake_part parts[QUIRE_FAKE_PARTS];
	u32 repacks;
	u64 next;
	u32 entry;
	u64 bytes_in;
	u64 bytes_out;
	u32 nr_evicted;
	u32 evicted[8];
	const char *error;
};

void quire_fake_init(struct quire_split_fake *fake, const struct quire_command_list *list,
		     u64 vram, u64 aperture);
bool quire_fake_place(struct quire_split_fake *fake, u32 object);
int quire_fake_run(struct quire_split_fake *fake, const struct quire_split_options *options,
		   void *memory);

#endif
