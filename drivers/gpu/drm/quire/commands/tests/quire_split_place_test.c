// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Where the split planner puts objects, in memory that follows it. */
#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/slab.h>

#include "quire_split_fake.h"

/**
 * struct world - what a case works with
 * @stream: planned
 * @fake: where
 * @memory: of the planner
 */
struct world {
	struct quire_split_stream stream;
	struct quire_split_fake fake;
	u64 memory[256];
};

static int world_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	return 0;
}

static void world_begin(struct world *world, u64 vram)
{
	quire_fake_init(&world->fake, &world->stream.list, vram, 0);
	world->fake.pieces = true;
	world->fake.follows = true;
}

static void expect_run(struct kunit *test)
{
	const struct quire_split_options options = { };
	struct world *world = test->priv;

	KUNIT_ASSERT_LE(test, quire_split_memory(&world->stream.list), sizeof(world->memory));
	KUNIT_ASSERT_EQ(test, quire_fake_run(&world->fake, &options, world->memory), 0);
	KUNIT_ASSERT_TRUE_MSG(test, !world->fake.error, "%s", world->fake.error);
}

static void expect_place(struct kunit *test, u32 object, u64 address)
{
	struct world *world = test->priv;

	KUNIT_EXPECT_EQ(test, world->fake.objects[object].address, address);
}

/* Bound one after the other, to one slot. Returns the object. */
static u32 stream_next(struct world *world, u32 group, u64 size, u32 align)
{
	u32 object = quire_stream_object(&world->stream, size, QUIRE_SEGMENT_VRAM);

	world->stream.objects[object].align = align;
	quire_stream_bind(&world->stream, 8 * group, 0, object);
	return object;
}

static void split_puts_objects_to_the_end(struct kunit *test)
{
	struct world *world = test->priv;
	u32 a, b, c;

	quire_stream_init(&world->stream, 24);
	a = stream_next(world, 0, 3, 1);
	b = stream_next(world, 1, 4, 1);
	c = stream_next(world, 2, 3, 1);
	world_begin(world, 10);
	expect_run(test);
	expect_place(test, a, 7);
	expect_place(test, b, 3);
	expect_place(test, c, 0);
}

/* What is needed no more leaves one between two others. */
static void split_puts_objects_into_gaps(struct kunit *test)
{
	struct world *world = test->priv;
	u32 a, b, c, d;

	quire_stream_init(&world->stream, 40);
	a = stream_next(world, 0, 3, 1);
	b = stream_next(world, 1, 4, 1);
	c = stream_next(world, 2, 3, 1);
	d = stream_next(world, 3, 2, 1);
	quire_stream_bind(&world->stream, 32, 0, a);
	quire_stream_bind(&world->stream, 32, 1, c);
	world_begin(world, 10);
	expect_run(test);
	KUNIT_EXPECT_EQ(test, world->fake.evicted[0], b);
	expect_place(test, d, 5);
}

/* It was there, one above the other, and @gone is no more. */
static void world_place(struct kunit *test, u32 nr, u32 gone)
{
	struct world *world = test->priv;
	u32 i;

	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, quire_fake_place(&world->fake, i), true);
	for (i = 0; i < nr; i++)
		world->fake.objects[i].resident = !(gone & BIT(i));
}

/* The highest gap has room, but not where the object may begin; the next one has. */
static void split_keeps_to_alignments(struct kunit *test)
{
	static const u64 sizes[] = { 20, 5, 6, 9 };
	struct world *world = test->priv;
	u32 i, aligned;

	quire_stream_init(&world->stream, 8);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		quire_stream_object(&world->stream, sizes[i], QUIRE_SEGMENT_VRAM);
	aligned = stream_next(world, 0, 4, 8);
	world_begin(world, 40);
	world_place(test, ARRAY_SIZE(sizes), BIT(0) | BIT(2));
	expect_run(test);
	expect_place(test, aligned, 16);
	KUNIT_EXPECT_EQ(test, world->fake.nr_evicted, 0);
}

/* Others have the place: it goes to where there is room, and that is known afterwards. */
static void split_goes_elsewhere_if_others_are_there(struct kunit *test)
{
	struct world *world = test->priv;
	u32 a, b;

	quire_stream_init(&world->stream, 16);
	a = stream_next(world, 0, 3, 1);
	b = stream_next(world, 1, 3, 1);
	world_begin(world, 12);
	world->fake.obstacle = 10;
	world->fake.obstacle_size = 2;
	expect_run(test);
	expect_place(test, a, 0);
	expect_place(test, b, 3);
	KUNIT_EXPECT_EQ(test, world->fake.nr_evicted, 0);
}

/* What others took is not known to have gone, and what has come to its place lies over it. */
static void split_sees_gaps_beside_what_has_gone(struct kunit *test)
{
	static const u64 sizes[] = { 4, 8, 8 };
	struct world *world = test->priv;
	u32 i, over, next;

	quire_stream_init(&world->stream, 16);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		quire_stream_object(&world->stream, sizes[i], QUIRE_SEGMENT_VRAM);
	over = stream_next(world, 0, 6, 1);
	next = stream_next(world, 1, 3, 1);
	world_begin(world, 20);
	world_place(test, ARRAY_SIZE(sizes), BIT(0));
	world->fake.robbed = 2;
	world->fake.rob_after = 1;
	expect_run(test);
	expect_place(test, over, 12);
	expect_place(test, next, 1);
}

/* In the model these do not fit together; in memory where bytes are all that counts they do. */
static void split_does_more_than_is_foreseen(struct kunit *test)
{
	struct world *world = test->priv;
	u32 i;

	quire_stream_init(&world->stream, 8);
	for (i = 0; i < 2; i++) {
		u32 object = quire_stream_object(&world->stream, 6 + i, QUIRE_SEGMENT_VRAM);

		world->stream.objects[object].align = 4;
		quire_stream_bind(&world->stream, 0, i, object);
	}
	quire_fake_init(&world->fake, &world->stream.list, 13, 0);
	expect_run(test);
	KUNIT_EXPECT_EQ(test, world->fake.bytes_in, 13);
	/* no plan of them is taken for the best before all are made */
	KUNIT_EXPECT_EQ(test, world->fake.goes_on, 2 * QUIRE_SPLIT_POLICIES + 1);
}

/* All at once, each in a slot of its own. */
static void stream_together(struct world *world, const u64 *sizes, const u32 *aligns, u32 nr)
{
	u32 i, object;

	quire_stream_init(&world->stream, 8);
	for (i = 0; i < nr; i++) {
		object = quire_stream_object(&world->stream, sizes[i], QUIRE_SEGMENT_VRAM);
		world->stream.objects[object].align = aligns[i];
		quire_stream_bind(&world->stream, 0, i, object);
	}
}

/* They fill memory, but not if the aligned one is as near to the end as can be. */
static void split_fills_memory_with_an_odd_end(struct kunit *test)
{
	static const u64 sizes[] = { 8, 9, 6 };
	static const u32 aligns[] = { 8, 1, 1 };
	struct world *world = test->priv;

	stream_together(world, sizes, aligns, ARRAY_SIZE(sizes));
	world_begin(world, 23);
	expect_run(test);
	expect_place(test, 0, 0);
	expect_place(test, 1, 8);
	expect_place(test, 2, 17);
}

/* The same, but something is lost behind one whose size is no multiple of its alignment. */
static void split_fills_memory_beside_odd_sizes(struct kunit *test)
{
	static const u64 sizes[] = { 9, 7, 4 };
	static const u32 aligns[] = { 8, 1, 4 };
	struct world *world = test->priv;

	stream_together(world, sizes, aligns, ARRAY_SIZE(sizes));
	world_begin(world, 23);
	expect_run(test);
	expect_place(test, 0, 0);
	expect_place(test, 1, 16);
	expect_place(test, 2, 12);
}

static struct kunit_case quire_split_place_cases[] = {
	KUNIT_CASE(split_puts_objects_to_the_end),
	KUNIT_CASE(split_puts_objects_into_gaps),
	KUNIT_CASE(split_keeps_to_alignments),
	KUNIT_CASE(split_goes_elsewhere_if_others_are_there),
	KUNIT_CASE(split_sees_gaps_beside_what_has_gone),
	KUNIT_CASE(split_does_more_than_is_foreseen),
	KUNIT_CASE(split_fills_memory_with_an_odd_end),
	KUNIT_CASE(split_fills_memory_beside_odd_sizes),
	{}
};

static struct kunit_suite quire_split_place_suite = {
	.name = "quire_split_place",
	.init = world_init,
	.test_cases = quire_split_place_cases,
};

kunit_test_suite(quire_split_place_suite);
