// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The split planner, rule by rule: "Splitting a DMA Buffer", and what it is free to choose.
 * quire_split_fake.c judges all that happens in between.
 */
#include <kunit/test.h>

#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "quire_split_fake.h"

#define VRAM		QUIRE_SEGMENT_VRAM
#define APERTURE	QUIRE_SEGMENT_APERTURE

/**
 * struct world - what a case works with
 * @stream: planned
 * @fake: where
 * @options: of the planner
 * @memory: of the planner
 */
struct world {
	struct quire_split_stream stream;
	struct quire_split_fake fake;
	struct quire_split_options options;
	u64 memory[2048];
};

static int world_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	return 0;
}

/* A command buffer of @size bytes, objects of those sizes in VRAM up to a 0, and @vram bytes. */
static struct quire_split_stream *begin(struct kunit *test, u32 size, u64 vram, const u64 *sizes)
{
	struct world *world = test->priv;

	quire_stream_init(&world->stream, size);
	while (*sizes)
		quire_stream_object(&world->stream, *sizes++, VRAM);
	quire_fake_init(&world->fake, &world->stream.list, vram, vram);
	return &world->stream;
}

#define SIZES(...)	((const u64[]) { __VA_ARGS__, 0 })

static struct quire_split_fake *run_to(struct kunit *test, int expected)
{
	struct world *world = test->priv;

	KUNIT_ASSERT_LE(test, quire_split_memory(&world->stream.list), sizeof(world->memory));
	KUNIT_EXPECT_EQ(test, quire_fake_run(&world->fake, &world->options, world->memory),
			expected);
	KUNIT_ASSERT_TRUE_MSG(test, !world->fake.error, "%s", world->fake.error);
	return &world->fake;
}

static struct quire_split_fake *run(struct kunit *test)
{
	return run_to(test, 0);
}

/* Parts end at these bytes, up to the end of the command buffer. */
static void expect_parts(struct kunit *test, const struct quire_split_fake *fake, const u32 *ends)
{
	u32 i = 0;

	do {
		KUNIT_ASSERT_LT(test, i, fake->split.parts);
		KUNIT_EXPECT_EQ(test, fake->parts[i].end, ends[i]);
	} while (ends[i++] != fake->list->size);
	KUNIT_EXPECT_EQ(test, fake->split.parts, i);
}

#define ENDS(...)	((const u32[]) { __VA_ARGS__ })

static void expect_evicted(struct kunit *test, const struct quire_split_fake *fake, u32 nr,
			   const u32 *objects)
{
	u32 i;

	KUNIT_ASSERT_EQ(test, fake->nr_evicted, nr);
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, fake->evicted[i], objects[i]);
}

/**
 * struct plan_entry - an entry of the patch-location list
 * @offset: its split offset
 * @slot: the slot that it writes
 * @object: index, or %QUIRE_NO_OBJECT
 * @writes: commands write the object
 */
struct plan_entry {
	u32 offset;
	u32 slot;
	u32 object;
	bool writes;
};

/**
 * struct plan_case - a command buffer, and how it has to be planned
 * @name: the rule
 * @size: bytes of commands
 * @vram: bytes
 * @sizes: of objects, up to a 0
 * @nr_entries: number of @entries
 * @entries: of the list; where there is none:
 * @slot_0: what slot 0 gets, one after the other, every 8 bytes: a is object 0
 * @every_point: as of the options
 * @lru: as of the options
 * @ends: of the parts, up to that of the command buffer; NULL: any
 * @first_end: not 0: of the first part
 * @has_objects: @objects are looked at
 * @objects: of each part, a bit for each
 * @evicts_more: there may be others after @evicted
 * @nr_evicted: number of @evicted; not compared if it is 0
 * @evicted: objects, in order
 * @once: objects that are paged in just once, a bit for each
 * @page_ins: not 0: of all objects
 */
struct plan_case {
	const char *name;
	u32 size;
	u64 vram;
	u64 sizes[8];
	u32 nr_entries;
	struct plan_entry entries[5];
	const char *slot_0;
	bool every_point;
	bool lru;
	const u32 *ends;
	u32 first_end;
	bool has_objects;
	u32 objects[3];
	bool evicts_more;
	u32 nr_evicted;
	u32 evicted[2];
	u32 once;
	u32 page_ins;
};

#define BIND(at, row, number)	{ .offset = at, .slot = row, .object = number }
#define BIND_WRITE(at, row, number) \
	{ .offset = at, .slot = row, .object = number, .writes = true }
#define UNBIND(at, row)		{ .offset = at, .slot = row, .object = QUIRE_NO_OBJECT }

static const struct plan_case plan_cases[] = {
	{ "rule 1: the table starts empty", 16, 1, { 1 }, 1, { BIND(8, 0, 0) },
	  .every_point = true, .ends = ENDS(8, 16), .has_objects = true, .objects = { 0, 1 } },
	{ "rule 2: an entry counts from its offset on", 24, 2, { 1, 1, 1, 1 }, 4,
	  { BIND(0, 0, 0), BIND(8, 0, 1), BIND(8, 1, 2), BIND(16, 0, 3) },
	  .ends = ENDS(8, 16, 24), .has_objects = true, .objects = { 0x1, 0x6, 0xc } },
	{ "rule 2: entries of one offset take effect together", 16, 2, { 1, 1, 1, 1 }, 4,
	  { BIND(0, 0, 0), BIND(0, 1, 1), BIND(8, 0, 2), BIND(8, 1, 3) },
	  .ends = ENDS(8, 16), .nr_evicted = 2, .evicted = { 0, 1 } },
	{ "rule 3: a slot frees what it had", 16, 1, { 1, 1 }, 2, { BIND(0, 0, 0), BIND(8, 0, 1) },
	  .ends = ENDS(8, 16), .nr_evicted = 1, .evicted = { 0 } },
	/* the judge would see it go */
	{ "rule 3: but not if another slot has it", 24, 2, { 1, 1, 1 }, 4,
	  { BIND(0, 0, 0), BIND(0, 1, 0), BIND(8, 0, 1), BIND(16, 0, 2) },
	  .ends = ENDS(16, 24), .nr_evicted = 1, .evicted = { 1 } },
	{ "rule 4: an allocation that is none unbinds", 24, 1, { 1, 1 }, 3,
	  { BIND(0, 0, 0), UNBIND(8, 0), BIND(16, 1, 1) },
	  .ends = ENDS(16, 24), .nr_evicted = 1, .evicted = { 0 } },
	/* the part before runs although nothing of what follows fits */
	{ "rule 5: bytes before an offset need nothing", 24, 2, { 2, 2 }, 2,
	  { BIND(8, 0, 0), BIND(16, 0, 1) },
	  .ends = ENDS(16, 24), .has_objects = true, .objects = { 1, 2 } },
	/* that object 0 stays in place, held, sees the judge */
	{ "rule 6: what is bound stays in place", 32, 3, { 1, 1, 1, 2 }, 4,
	  { BIND(0, 0, 0), BIND(8, 1, 1), BIND(16, 1, 2), BIND(24, 1, 3) },
	  .ends = ENDS(24, 32), .nr_evicted = 2, .evicted = { 1, 2 }, .once = 0x1 },
	/* what is paged in for the next part comes behind the one before */
	{ "rule 8: paging stands between parts", 24, 2, { 1, 1, 1 }, 4,
	  { BIND(0, 0, 0), BIND(0, 1, 1), UNBIND(8, 0), BIND(16, 0, 2) },
	  .ends = ENDS(16, 24), .has_objects = true, .objects = { 0x3, 0x6 },
	  .nr_evicted = 1, .evicted = { 0 } },
	{ "a list without entries is one part", 64, 4, { 1 }, .ends = ENDS(64) },
	{ "no split if all fits", 24, 3, { 1, 1, 1 }, .slot_0 = "abc", .ends = ENDS(24) },
	{ "evicts what is needed last", 40, 2, { 1, 1, 1 }, .slot_0 = "abcab",
	  .evicts_more = true, .nr_evicted = 1, .evicted = { 1 }, .page_ins = 4 },
	{ "evicts what was used least recently", 40, 2, { 1, 1, 1 }, .slot_0 = "abcab",
	  .lru = true, .evicts_more = true, .nr_evicted = 1, .evicted = { 0 }, .page_ins = 5 },
	/* b is needed in the part; but behind a split it is the better one to go */
	{ "splits early for a better choice", 72, 3, { 1, 1, 1, 1 }, .slot_0 = "acabdacab",
	  .first_end = 32, .evicts_more = true, .nr_evicted = 1, .evicted = { 1 } },
	/* the large one is needed last, but has ten bytes that have to come back, not one */
	{ "weighs what has to come back", 40, 11, { 10, 1, 1 }, .slot_0 = "abcba",
	  .every_point = true, .nr_evicted = 2, .evicted = { 1, 2 } },
	{ "evicts one large object instead of many that are near", 72, 6, { 3, 1, 1, 1, 3 },
	  .slot_0 = "abcdebcda", .every_point = true,
	  .evicts_more = true, .nr_evicted = 1, .evicted = { 0 }, .once = 0x2 },
	{ "evicts many objects instead of a large one that is near", 72, 6, { 3, 1, 1, 1, 3 },
	  .slot_0 = "abcdeabcd", .every_point = true,
	  .evicts_more = true, .nr_evicted = 1, .evicted = { 3 }, .once = 0x1 },
	/* the small one is needed last, but that alone is not enough, and the large one is */
	{ "evicts no more than it has to", 40, 5, { 4, 1, 4 }, .slot_0 = "bacab",
	  .every_point = true, .once = 0x2 },
	/* nothing is needed again */
	{ "evicts what fits best", 40, 10, { 4, 2, 3, 1, 2 }, .slot_0 = "abcde",
	  .every_point = true, .nr_evicted = 1, .evicted = { 1 } },
	{ "evicts clean before dirty", 32, 3, { 1, 1, 1, 1 }, 4,
	  { BIND_WRITE(0, 0, 0), BIND(8, 0, 1), BIND_WRITE(16, 0, 2), BIND(24, 0, 3) },
	  .every_point = true, .nr_evicted = 1, .evicted = { 1 } },
	/* which of two that nobody needs does the part use that was submitted last? */
	{ "evicts idle before busy", 24, 3, { 1, 2, 1 }, .slot_0 = "abc",
	  .every_point = true, .nr_evicted = 1, .evicted = { 0 } },
	{ "evicts idle before busy, the larger one", 24, 3, { 1, 2, 1 }, .slot_0 = "bac",
	  .every_point = true, .nr_evicted = 1, .evicted = { 1 } },
};

KUNIT_ARRAY_PARAM_DESC(plan, plan_cases, name);

static void plan_write(struct quire_split_stream *stream, const struct plan_case *plan)
{
	u32 i;

	for (i = 0; i < plan->nr_entries; i++) {
		const struct plan_entry *entry = &plan->entries[i];

		if (entry->object == QUIRE_NO_OBJECT)
			quire_stream_unbind(stream, entry->offset, entry->slot);
		else if (entry->writes)
			quire_stream_write(stream, entry->offset, entry->slot, entry->object);
		else
			quire_stream_bind(stream, entry->offset, entry->slot, entry->object);
	}
	for (i = 0; plan->slot_0 && plan->slot_0[i]; i++)
		quire_stream_bind(stream, 8 * i, 0, plan->slot_0[i] - 'a');
}

static void split_plans(struct kunit *test)
{
	const struct plan_case *plan = test->param_value;
	struct world *world = test->priv;
	struct quire_split_fake *fake;
	u32 i;

	plan_write(begin(test, plan->size, plan->vram, plan->sizes), plan);
	world->options.every_point = plan->every_point;
	world->options.lru = plan->lru;
	fake = run(test);

	if (plan->ends)
		expect_parts(test, fake, plan->ends);
	if (plan->first_end)
		KUNIT_EXPECT_EQ(test, fake->parts[0].end, plan->first_end);
	for (i = 0; plan->has_objects && i < fake->split.parts; i++)
		KUNIT_EXPECT_EQ(test, fake->parts[i].objects, plan->objects[i]);
	if (plan->evicts_more)
		KUNIT_EXPECT_EQ(test, fake->evicted[0], plan->evicted[0]);
	else if (plan->nr_evicted)
		expect_evicted(test, fake, plan->nr_evicted, plan->evicted);
	for (i = 0; plan->once >> i; i++)
		if (plan->once & 1u << i)
			KUNIT_EXPECT_EQ(test, fake->objects[i].page_ins, 1);
	if (plan->page_ins)
		KUNIT_EXPECT_EQ(test, fake->split.page_ins, plan->page_ins);
}

/* Objects 0 and 1 have bytes 0 and 1 of 4, then 2 needs 3 of them beside 1. */
static struct quire_split_fake *run_in_pieces(struct kunit *test, bool again)
{
	struct quire_split_stream *stream = begin(test, 16, 4, SIZES(1, 1, 3));

	quire_stream_bind(stream, 0, 0, 0);
	quire_stream_bind(stream, 0, 1, 1);
	quire_stream_bind(stream, 8, 0, 2);
	if (again)
		quire_stream_bind(stream, 8, 1, 1);
	((struct world *)test->priv)->fake.pieces = true;
	return run(test);
}

/* Rule 7. */
static void split_what_is_written_there_may_move(struct kunit *test)
{
	struct quire_split_fake *fake = run_in_pieces(test, true);

	expect_parts(test, fake, ENDS(8, 16));
	KUNIT_EXPECT_EQ(test, fake->objects[1].address, 3);
	KUNIT_EXPECT_EQ(test, fake->split.repacks, 0);
}

/* Against rule 6, and counted: the alternative is to fail. */
static void split_moves_all_before_it_fails(struct kunit *test)
{
	struct quire_split_fake *fake = run_in_pieces(test, false);

	expect_parts(test, fake, ENDS(8, 16));
	KUNIT_EXPECT_EQ(test, fake->objects[1].address, 3);
	KUNIT_EXPECT_EQ(test, fake->split.repacks, 1);
}

/* By size alone what is aligned would leave room behind the others that nothing fits into. */
static void split_moves_what_is_aligned_first(struct kunit *test)
{
	struct quire_split_stream *stream = begin(test, 8, 28, SIZES(9, 8, 7, 4));
	struct world *world = test->priv;
	u32 i;

	for (i = 0; i < 4; i++) {
		stream->objects[i].align = i % 2 ? 4 : 0;
		quire_stream_bind(stream, 0, i, i);
	}
	world->fake.pieces = true;
	expect_parts(test, run(test), ENDS(8));
	KUNIT_EXPECT_EQ(test, world->fake.split.repacks, 0);
}

/* Others have what is missing: nothing helps. */
static void split_fails_if_others_are_in_the_way(struct kunit *test)
{
	struct quire_split_stream *stream = begin(test, 16, 4, SIZES(1, 3));
	struct world *world = test->priv;

	quire_stream_bind(stream, 0, 0, 0);
	quire_stream_bind(stream, 8, 0, 1);
	world->fake.pieces = true;
	world->fake.obstacle = 2;
	world->fake.obstacle_size = 1;
	run_to(test, -ENOSPC);
	KUNIT_EXPECT_EQ(test, world->fake.split.parts, 1);
}

/* Rule 10. */
static void split_refuses_what_alone_cannot_fit(struct kunit *test)
{
	struct quire_split_stream *stream = begin(test, 24, 4, SIZES(4, 5));
	struct quire_command_error error;
	const u64 capacity[] = { 4, 9 };

	quire_stream_bind(stream, 0, 0, 0);
	quire_stream_unbind(stream, 8, 0);
	quire_stream_bind(stream, 16, 0, 1);
	KUNIT_EXPECT_EQ(test, quire_split_check(&stream->list, capacity, &error), -EFBIG);
	KUNIT_EXPECT_EQ(test, error.where, QUIRE_COMMAND_PATCHES);
	KUNIT_EXPECT_EQ(test, error.entry, 2);
	KUNIT_EXPECT_EQ(test, error.offset, 16);
	stream->objects[1].segment = APERTURE;
	KUNIT_EXPECT_EQ(test, quire_split_check(&stream->list, capacity, &error), 0);
}

/* Rule 10: an object in two slots counts once, and what is unbound at the same offset not. */
static void split_refuses_what_together_cannot_fit(struct kunit *test)
{
	struct quire_split_stream *stream = begin(test, 32, 4, SIZES(2, 2, 1));
	struct quire_command_error error;
	const u64 capacity[] = { 4, 4 };

	quire_stream_bind(stream, 0, 0, 0);
	quire_stream_bind(stream, 0, 1, 0);
	quire_stream_bind(stream, 8, 1, 1);
	quire_stream_bind(stream, 16, 2, 2);
	quire_stream_unbind(stream, 16, 0);
	KUNIT_EXPECT_EQ(test, quire_split_check(&stream->list, capacity, &error), 0);
	quire_stream_bind(stream, 24, 3, 0);
	quire_stream_bind(stream, 24, 4, 0);
	KUNIT_EXPECT_EQ(test, quire_split_check(&stream->list, capacity, &error), -EXFULL);
	KUNIT_EXPECT_EQ(test, error.where, QUIRE_COMMAND_PATCHES);
	KUNIT_EXPECT_EQ(test, error.entry, 6);
	KUNIT_EXPECT_EQ(test, error.offset, 24);
}

/* Slot 0 gets these objects, one after the other. */
static struct quire_split_fake *run_objects(struct kunit *test, const char *objects,
					    const u64 *sizes, u64 vram)
{
	u32 i, nr = strlen(objects);
	struct quire_split_stream *stream = begin(test, 8 * nr, vram, sizes);

	for (i = 0; i < nr; i++)
		quire_stream_bind(stream, 8 * i, 0, objects[i] - 'a');
	return run(test);
}

/* "An example" in Documentation/gpu/quire/splitting.rst: T, a, b, c. */
static u32 run_example(struct kunit *test)
{
	struct quire_split_stream *stream = begin(test, 320, 6, SIZES(2, 2, 2, 2));
	u32 i;

	quire_stream_write(stream, 0, 0, 0);
	for (i = 0; i < 5; i++)
		quire_stream_bind(stream, 64 * i, 1, 1 + i % 3);
	return run(test)->split.page_ins;
}

static void split_does_what_the_example_says(struct kunit *test)
{
	struct world *world = test->priv;

	KUNIT_EXPECT_EQ(test, run_example(test), 5);
	expect_parts(test, &world->fake, ENDS(128, 256, 320));
	expect_evicted(test, &world->fake, 2, ENDS(2, 1));
	world->options.lru = true;
	KUNIT_EXPECT_EQ(test, run_example(test), 6);
}

/* Of many. Each but the last is needed once more. */
static void split_finds_it_among_many(struct kunit *test)
{
	struct quire_split_stream *stream = begin(test, 8 * 60, 30, SIZES(1));
	u32 i;

	for (i = 1; i <= 30; i++)
		quire_stream_object(stream, 1, VRAM);
	for (i = 0; i < 60; i++)
		quire_stream_bind(stream, 8 * i, 0, i <= 30 ? (7 * i) % 31 : (7 * (i - 31)) % 31);
	((struct world *)test->priv)->options.every_point = true;
	expect_evicted(test, run(test), 1, ENDS(7 * 29 % 31));
}

/* Only one came for the part, which is not enough to end it; but nobody needs that one again. */
static void split_comes_early_though_little_came(struct kunit *test)
{
	struct quire_split_fake *fake = run_objects(test, "abcdefghijklabcdefghij",
						    SIZES(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), 10);

	KUNIT_EXPECT_EQ(test, fake->evicted[1], 10);
	KUNIT_EXPECT_EQ(test, fake->split.page_ins, 13);
}

static void split_segments_are_pools_of_their_own(struct kunit *test)
{
	struct quire_split_stream *stream = begin(test, 32, 2, SIZES(1, 1, 1));
	u32 other = quire_stream_object(stream, 2, APERTURE);

	quire_stream_bind(stream, 0, 0, other);
	quire_stream_bind(stream, 0, 1, 0);
	quire_stream_unbind(stream, 8, 0);
	quire_stream_bind(stream, 16, 1, 1);
	quire_stream_bind(stream, 24, 1, 2);
	expect_evicted(test, run(test), 1, ENDS(0));
}

static void split_counts_on_what_is_there(struct kunit *test)
{
	struct quire_split_stream *stream = begin(test, 16, 2, SIZES(1, 1, 1));
	struct world *world = test->priv;
	struct quire_split_fake *fake;

	quire_stream_bind(stream, 0, 0, 0);
	quire_stream_bind(stream, 8, 1, 1);
	quire_fake_place(&world->fake, 2);
	quire_fake_place(&world->fake, 1);
	fake = run(test);
	KUNIT_EXPECT_EQ(test, fake->split.page_ins, 1);
	expect_evicted(test, fake, 1, ENDS(2));
}

static void split_asks_again_what_is_there(struct kunit *test)
{
	struct quire_split_stream *stream = begin(test, 80, 9, SIZES(1, 1, 1));
	struct world *world = test->priv;
	u32 i;

	for (i = 0; i < 10; i++)
		quire_stream_bind(stream, 8 * i, 0, i % 3);
	world->options.every_point = true;
	world->fake.thief = 1;
	KUNIT_EXPECT_GT(test, run(test)->split.page_ins, 3);
}

/* Memory is full of what nobody needs: two of 16 objects are an eighth. */
static void expect_no_wait_for_room(struct kunit *test, u32 segment)
{
	struct quire_split_stream *stream = begin(test, 48, 16, SIZES(1));
	struct world *world = test->priv;
	u32 i;

	for (i = 0; i < 21; i++)
		quire_stream_object(stream, 1, segment);
	/* @begin has told the allocator of less */
	quire_fake_init(&world->fake, &stream->list, 16, 16);
	for (i = 0; i < 16; i++)
		quire_fake_place(&world->fake, 6 + i);
	for (i = 0; i < 5; i++)
		quire_stream_bind(stream, 8 * (i + 1), 0, 1 + i);
	expect_parts(test, run(test), ENDS(24, 40, 48));
}

static void split_does_not_wait_for_more_room(struct kunit *test)
{
	expect_no_wait_for_room(test, VRAM);
	expect_no_wait_for_room(test, APERTURE);
}

static void split_has_a_limit(struct kunit *test)
{
	struct quire_split_fake *fake;

	((struct world *)test->priv)->options.max_bytes = 2;
	fake = run_objects(test, "abcd", SIZES(1, 1, 1, 1), 9);
	expect_parts(test, fake, ENDS(16, 24, 32));
	KUNIT_EXPECT_EQ(test, fake->nr_evicted, 2);
	/* less than what is bound at once it can not be */
	((struct world *)test->priv)->options.max_bytes = 1;
	fake = run_objects(test, "abcd", SIZES(1, 2, 1, 1), 9);
	expect_parts(test, fake, ENDS(8, 16, 32));
}

static void split_is_the_same_again(struct kunit *test)
{
	struct world *world = test->priv;
	u32 ends[8], nr, i;

	world->options.seed = 5;
	run_objects(test, "abcdefgh", SIZES(1, 1, 1, 1, 1, 1, 1, 1), 8);
	nr = world->fake.split.parts;
	KUNIT_ASSERT_GT(test, nr, 1);
	KUNIT_ASSERT_LT(test, nr, 8);
	for (i = 0; i < nr; i++)
		ends[i] = world->fake.parts[i].end;
	run_objects(test, "abcdefgh", SIZES(1, 1, 1, 1, 1, 1, 1, 1), 8);
	expect_parts(test, &world->fake, ends);
}

static void split_ends_with_an_error(struct kunit *test)
{
	struct quire_split_stream *stream = begin(test, 16, 1, SIZES(1, 1));
	struct world *world = test->priv;

	quire_stream_bind(stream, 0, 0, 0);
	quire_stream_bind(stream, 8, 0, 1);
	world->fake.refuse = -EIO;
	run_to(test, -EIO);
	KUNIT_EXPECT_EQ(test, world->fake.split.parts, 0);
	KUNIT_EXPECT_EQ(test, world->fake.split.page_ins, 1);
}

/* One object is bound all the time, the others one after the other. */
static struct quire_split_fake *pauses_begin(struct kunit *test)
{
	struct quire_split_stream *stream = begin(test, 32, 2, SIZES(1, 1, 1, 1, 1));
	struct world *world = test->priv;
	u32 i;

	quire_stream_bind(stream, 0, 1, 0);
	for (i = 0; i < 4; i++)
		quire_stream_bind(stream, 8 * i, 0, i + 1);
	return &world->fake;
}

static void split_pauses_between_parts(struct kunit *test)
{
	struct quire_split_fake *fake = pauses_begin(test);

	run(test);
	KUNIT_EXPECT_EQ(test, fake->split.parts, 4);
	KUNIT_EXPECT_EQ(test, fake->pauses, 3);
	KUNIT_EXPECT_EQ(test, fake->split.repacks, 0);
}

/* What is held is back where it was; all else has gone. */
static void split_goes_on_where_things_are_after_a_pause(struct kunit *test)
{
	struct quire_split_fake *fake = pauses_begin(test);

	fake->guests = 1;
	run(test);
	KUNIT_EXPECT_EQ(test, fake->split.parts, 4);
	KUNIT_EXPECT_EQ(test, fake->split.repacks, 0);
	/* others did it */
	KUNIT_EXPECT_EQ(test, fake->split.evictions, 0);
}

/* Every second try; there are three evictions. */
static void split_pauses_when_an_eviction_takes_long(struct kunit *test)
{
	struct quire_split_fake *fake = pauses_begin(test);

	fake->busy = 2;
	run(test);
	KUNIT_EXPECT_EQ(test, fake->waits, 2);
	KUNIT_EXPECT_EQ(test, fake->pauses, 3 + 2);
	KUNIT_EXPECT_EQ(test, fake->split.evictions, 3);
}

/*
 * Every second try. The first one beside the canvas finds room at once; the others do when the
 * part before has ended, and something was evicted.
 */
static void split_pauses_when_a_page_in_takes_long(struct kunit *test)
{
	struct quire_split_fake *fake = pauses_begin(test);

	fake->crowded = 2;
	run(test);
	KUNIT_EXPECT_EQ(test, fake->split.page_ins, 5);
	KUNIT_EXPECT_EQ(test, fake->waits, 1 + 3 * 3);
	KUNIT_EXPECT_EQ(test, fake->pauses, 3 + 1 + 3 * 3);
	KUNIT_EXPECT_EQ(test, fake->split.evictions, 3);
}

static void split_ends_with_an_error_of_that_pause(struct kunit *test)
{
	struct quire_split_fake *fake = pauses_begin(test);

	fake->crowded = 2;
	fake->refuse_pause = -EIO;
	run_to(test, -EIO);
	KUNIT_EXPECT_EQ(test, fake->split.parts, 0);
	KUNIT_EXPECT_EQ(test, fake->split.page_ins, 1);
}

/* Nothing is submitted yet, and two of four objects have to go. */
static void split_pauses_before_the_first_part(struct kunit *test)
{
	struct quire_split_stream *stream = begin(test, 8, 4, SIZES(2, 1, 1, 1, 1));
	struct world *world = test->priv;
	u32 i;

	for (i = 1; i < 5; i++)
		quire_fake_place(&world->fake, i);
	quire_stream_bind(stream, 0, 0, 0);
	world->fake.busy = 2;
	expect_parts(test, run(test), ENDS(8));
	KUNIT_EXPECT_EQ(test, world->fake.waits, 1);
	KUNIT_EXPECT_EQ(test, world->fake.pauses, 1);
	KUNIT_EXPECT_EQ(test, world->fake.split.evictions, 2);
}

static void split_ends_with_an_error_of_a_pause(struct kunit *test)
{
	struct quire_split_fake *fake = pauses_begin(test);

	fake->refuse_pause = -EIO;
	run_to(test, -EIO);
	KUNIT_EXPECT_EQ(test, fake->split.parts, 1);
	KUNIT_EXPECT_EQ(test, fake->split.page_ins, 2);
}

static struct kunit_case quire_split_cases[] = {
	KUNIT_CASE_PARAM(split_plans, plan_gen_params),
	KUNIT_CASE(split_what_is_written_there_may_move),
	KUNIT_CASE(split_moves_all_before_it_fails),
	KUNIT_CASE(split_moves_what_is_aligned_first),
	KUNIT_CASE(split_fails_if_others_are_in_the_way),
	KUNIT_CASE(split_refuses_what_alone_cannot_fit),
	KUNIT_CASE(split_refuses_what_together_cannot_fit),
	KUNIT_CASE(split_does_what_the_example_says),
	KUNIT_CASE(split_finds_it_among_many),
	KUNIT_CASE(split_comes_early_though_little_came),
	KUNIT_CASE(split_segments_are_pools_of_their_own),
	KUNIT_CASE(split_counts_on_what_is_there),
	KUNIT_CASE(split_asks_again_what_is_there),
	KUNIT_CASE(split_does_not_wait_for_more_room),
	KUNIT_CASE(split_has_a_limit),
	KUNIT_CASE(split_is_the_same_again),
	KUNIT_CASE(split_ends_with_an_error),
	KUNIT_CASE(split_pauses_between_parts),
	KUNIT_CASE(split_goes_on_where_things_are_after_a_pause),
	KUNIT_CASE(split_pauses_when_an_eviction_takes_long),
	KUNIT_CASE(split_pauses_when_a_page_in_takes_long),
	KUNIT_CASE(split_ends_with_an_error_of_that_pause),
	KUNIT_CASE(split_pauses_before_the_first_part),
	KUNIT_CASE(split_ends_with_an_error_of_a_pause),
	{}
};

static struct kunit_suite quire_split_suite = {
	.name = "quire_split",
	.init = world_init,
	.test_cases = quire_split_cases,
};

kunit_test_suite(quire_split_suite);
