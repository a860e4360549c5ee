// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Others took something of a part that was ready: the split planner plans it again. */
#include <kunit/test.h>

#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/slab.h>

#include "quire_split_fake.h"

#define VRAM		QUIRE_SEGMENT_VRAM

/*
 * Calls of page_in and submit, with a canvas and room for one more: both come, the next one finds
 * no room, the first part; it finds none again, comes to the place of the first one, the third
 * one finds no room, the second part.
 */
#define THIRD_COMES	5
#define SECOND_PART	8

/**
 * struct world - what a case works with
 * @stream: planned
 * @fake: where
 * @memory: of the planner
 */
struct world {
	struct quire_split_stream stream;
	struct quire_split_fake fake;
	u64 memory[512];
};

static int world_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	return 0;
}

/* Objects of one byte, bound one after the other to slot 0, 8 bytes each. */
static struct world *world_begin(struct kunit *test, u32 nr, u64 vram)
{
	struct world *world = test->priv;
	u32 i;

	quire_stream_init(&world->stream, 8 * nr);
	for (i = 0; i < nr; i++)
		quire_stream_bind(&world->stream, 8 * i, 0,
				  quire_stream_object(&world->stream, 1, VRAM));
	quire_fake_init(&world->fake, &world->stream.list, vram, vram);
	return world;
}

/* The same, but for the first one: it is the canvas, in slot 1 all the time. */
static struct world *canvas_begin(struct kunit *test, u32 nr, u64 vram)
{
	struct world *world = world_begin(test, nr, vram);

	world->stream.patches[0].slot = 1;
	return world;
}

static void world_run(struct kunit *test, int expected)
{
	const struct quire_split_options options = { };
	struct world *world = test->priv;

	KUNIT_ASSERT_LE(test, quire_split_memory(&world->stream.list), sizeof(world->memory));
	KUNIT_EXPECT_EQ(test, quire_fake_run(&world->fake, &options, world->memory), expected);
	KUNIT_ASSERT_TRUE_MSG(test, !world->fake.error, "%s", world->fake.error);
}

/* The first of all calls that finds it missing is that of the only part. */
static void again_brings_back_what_was_taken(struct kunit *test)
{
	struct world *world = world_begin(test, 3, 3);

	world->fake.rob_after = 4;
	world->fake.robbed = 1;
	world_run(test, 0);
	KUNIT_EXPECT_EQ(test, world->fake.robberies, 1);
	KUNIT_EXPECT_EQ(test, world->fake.split.parts, 1);
	KUNIT_EXPECT_EQ(test, world->fake.split.page_ins, 4);
	KUNIT_EXPECT_EQ(test, world->fake.split.evictions, 0);
	KUNIT_EXPECT_EQ(test, world->fake.split.repacks, 0);
}

/* The fourth came to the place of the first: together they do not fit. */
static void again_makes_the_part_shorter(struct kunit *test)
{
	struct world *world = world_begin(test, 4, 3);

	world->fake.rob_after = 4;
	world_run(test, 0);
	KUNIT_EXPECT_EQ(test, world->fake.robberies, 1);
	KUNIT_ASSERT_EQ(test, world->fake.split.parts, 2);
	KUNIT_EXPECT_EQ(test, world->fake.parts[0].end, 24);
	/* the first again, for which the fourth went, and that again */
	KUNIT_EXPECT_EQ(test, world->fake.split.page_ins, 6);
	KUNIT_EXPECT_EQ(test, world->fake.evicted[0], 3);
}

/* It has to stay in place from part to part, and comes back to it. */
static void again_keeps_the_place_of_what_stays(struct kunit *test)
{
	struct world *world = canvas_begin(test, 5, 2);

	world->fake.pieces = true;
	world->fake.rob_after = SECOND_PART;
	world_run(test, 0);
	KUNIT_EXPECT_EQ(test, world->fake.robberies, 1);
	KUNIT_EXPECT_EQ(test, world->fake.split.parts, 4);
	KUNIT_EXPECT_EQ(test, world->fake.split.page_ins, 6);
	KUNIT_EXPECT_EQ(test, world->fake.split.repacks, 0);
}

/* The next one has its place already. */
static void again_says_that_it_moved(struct kunit *test)
{
	struct world *world = canvas_begin(test, 5, 2);

	world->fake.pieces = true;
	world->fake.rob_after = THIRD_COMES;
	world_run(test, 0);
	KUNIT_EXPECT_EQ(test, world->fake.robberies, 1);
	KUNIT_EXPECT_EQ(test, world->fake.split.parts, 4);
	KUNIT_EXPECT_EQ(test, world->fake.split.repacks, 1);
}

/* What is in place is not touched: neither moved, nor let go. */
static void again_leaves_what_stays_alone(struct kunit *test)
{
	struct world *world = canvas_begin(test, 5, 2);

	world->fake.rob_after = SECOND_PART;
	world->fake.robbed = 2;
	world_run(test, 0);
	KUNIT_EXPECT_EQ(test, world->fake.robberies, 1);
	KUNIT_EXPECT_EQ(test, world->fake.split.parts, 4);
	KUNIT_EXPECT_EQ(test, world->fake.objects[0].page_ins, 1);
	KUNIT_EXPECT_EQ(test, world->fake.objects[2].page_ins, 2);
	KUNIT_EXPECT_EQ(test, world->fake.split.repacks, 0);
}

/* The list of what comes is read anew: the one that is needed last goes, as ever. */
static void again_knows_the_future(struct kunit *test)
{
	static const u32 order[] = { 0, 1, 2, 0, 1, 2 };
	struct world *world = test->priv;
	u32 i;

	quire_stream_init(&world->stream, 48);
	for (i = 0; i < 4; i++)
		quire_stream_object(&world->stream, 1, VRAM);
	for (i = 0; i < 6; i++)
		quire_stream_bind(&world->stream, 8 * i, 0, order[i]);
	quire_fake_init(&world->fake, &world->stream.list, 2, 2);
	/* 0 and 1 came, and their part finds that 1 has gone */
	world->fake.rob_after = 4;
	world->fake.robbed = 1;
	world_run(test, 0);
	KUNIT_EXPECT_EQ(test, world->fake.robberies, 1);
	/* three, the one that was taken, and then one of two for each of the others */
	KUNIT_EXPECT_EQ(test, world->fake.split.page_ins, 3 + 1 + 1);
}

static struct world *goes_to_world(struct quire_split_fake *fake)
{
	return container_of(fake, struct world, fake);
}

static void nothing_came(struct quire_split_fake *fake, u32 object)
{
}

/* Others have its room now. */
static void room_goes(struct quire_split_fake *fake, u32 object)
{
	goes_to_world(fake)->fake.obstacle_size += fake->objects[object].robbed;
}

static int submitted(struct quire_split_fake *fake, const struct quire_split_part *part)
{
	return 0;
}

static void again_fails_if_others_have_its_room(struct kunit *test)
{
	static const struct quire_fake_watch watch = {
		.came = nothing_came,
		.goes = room_goes,
		.submit = submitted,
	};
	struct world *world = canvas_begin(test, 5, 2);

	world->fake.watch = &watch;
	world->fake.rob_after = SECOND_PART;
	world_run(test, -ENOSPC);
	KUNIT_EXPECT_EQ(test, world->fake.robberies, 1);
	KUNIT_EXPECT_EQ(test, world->fake.split.parts, 1);
}

/* With a canvas: it and what is beside it come when others are waited for, in each part. */
static void again_waits_for_others_at_last(struct kunit *test)
{
	struct world *world = canvas_begin(test, 5, 2);

	world->fake.locked = true;
	world_run(test, 0);
	KUNIT_EXPECT_EQ(test, world->fake.split.parts, 5);
	KUNIT_EXPECT_EQ(test, world->fake.split.page_ins, 1 + 4 * 2);
	KUNIT_EXPECT_EQ(test, world->fake.split.repacks, 4);
}

/* Nothing has to stay in place: what comes alone comes once. */
static void again_waits_for_others_where_all_may_move(struct kunit *test)
{
	struct world *world = world_begin(test, 3, 1);

	world->fake.locked = true;
	world_run(test, 0);
	KUNIT_EXPECT_EQ(test, world->fake.split.parts, 3);
	KUNIT_EXPECT_EQ(test, world->fake.split.page_ins, 3);
	KUNIT_EXPECT_EQ(test, world->fake.split.repacks, 0);
}

/* The canvas comes again, for the part that begins there. */
static void again_after_a_pause_that_lost_all(struct kunit *test)
{
	struct world *world = canvas_begin(test, 5, 2);

	world->fake.lost_in = 2;
	world_run(test, 0);
	KUNIT_EXPECT_EQ(test, world->fake.split.parts, 4);
	KUNIT_EXPECT_EQ(test, world->fake.objects[0].page_ins, 2);
	KUNIT_EXPECT_EQ(test, world->fake.split.page_ins, 5 + 1);
	KUNIT_EXPECT_EQ(test, world->fake.split.repacks, 1);
}

/* An eviction that takes long lets others have memory: nothing is evicted any more then. */
static void again_after_an_eviction_that_lost_all(struct kunit *test)
{
	struct world *world = canvas_begin(test, 5, 2);

	world->fake.busy = 2;
	world->fake.lost_in = 3;
	world_run(test, 0);
	KUNIT_EXPECT_EQ(test, world->fake.waits, 1);
	KUNIT_EXPECT_EQ(test, world->fake.split.parts, 4);
	KUNIT_EXPECT_EQ(test, world->fake.objects[0].page_ins, 2);
}

/* So does a page-in, every third time: the last one comes when the others have come again. */
static void again_after_a_page_in_that_lost_all(struct kunit *test)
{
	struct world *world = canvas_begin(test, 3, 3);

	world->fake.crowded = 3;
	world->fake.lost_in = 1;
	world_run(test, 0);
	KUNIT_EXPECT_EQ(test, world->fake.waits, 2);
	KUNIT_EXPECT_EQ(test, world->fake.split.parts, 1);
	KUNIT_EXPECT_EQ(test, world->fake.split.page_ins, 2 + 3);
}

static struct kunit_case quire_split_again_cases[] = {
	KUNIT_CASE(again_brings_back_what_was_taken),
	KUNIT_CASE(again_makes_the_part_shorter),
	KUNIT_CASE(again_keeps_the_place_of_what_stays),
	KUNIT_CASE(again_says_that_it_moved),
	KUNIT_CASE(again_leaves_what_stays_alone),
	KUNIT_CASE(again_knows_the_future),
	KUNIT_CASE(again_fails_if_others_have_its_room),
	KUNIT_CASE(again_waits_for_others_at_last),
	KUNIT_CASE(again_waits_for_others_where_all_may_move),
	KUNIT_CASE(again_after_a_pause_that_lost_all),
	KUNIT_CASE(again_after_an_eviction_that_lost_all),
	KUNIT_CASE(again_after_a_page_in_that_lost_all),
	{}
};

static struct kunit_suite quire_split_again_suite = {
	.name = "quire_split_again",
	.init = world_init,
	.test_cases = quire_split_again_cases,
};

kunit_test_suite(quire_split_again_suite);
