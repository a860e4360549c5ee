// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Which policy the split planner chooses: never one that pages in more than another one would. */
#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/slab.h>

#include "quire_split_fake.h"

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

/**
 * struct trial - random streams, and what they come into
 * @streams: so many
 * @tenths: of what the objects have is in each segment
 * @places: objects need runs of addresses; a quarter of the streams has many of them
 */
struct trial {
	u32 streams;
	u32 tenths;
	bool places;
};

/**
 * struct paged - bytes that were paged in by all streams of a trial
 * @planner: as was foreseen
 * @lru: with LRU
 */
struct paged {
	u64 planner;
	u64 lru;
};

/* Some of the objects are there. */
static bool world_fill(struct world *world, const struct trial *trial, u32 *random)
{
	u64 capacity[QUIRE_SPLIT_SEGMENTS] = { };
	struct quire_command_error error;
	u32 i;

	for (i = 0; i < world->stream.list.nr_objects; i++)
		capacity[world->stream.objects[i].segment - QUIRE_SEGMENT_VRAM] +=
			world->stream.objects[i].size;
	for (i = 0; i < QUIRE_SPLIT_SEGMENTS; i++)
		capacity[i] = trial->tenths * capacity[i] / 10;
	if (quire_split_check(&world->stream.list, capacity, &error))
		return false;
	quire_fake_init(&world->fake, &world->stream.list, capacity[0], capacity[1]);
	world->fake.pieces = trial->places;
	world->fake.follows = trial->places;
	for (i = 0; i < world->stream.list.nr_objects; i++)
		if (quire_stream_random(random) % 4 == 0)
			quire_fake_place(&world->fake, i);
	return true;
}

/* The same memory each time; bytes that are paged in. */
static u64 world_run(struct kunit *test, const struct trial *trial, bool lru, u32 random)
{
	struct world *world = test->priv;

	KUNIT_ASSERT_EQ(test, world_fill(world, trial, &random), true);
	world->options.lru = lru;
	KUNIT_ASSERT_EQ(test, quire_fake_run(&world->fake, &world->options, world->memory), 0);
	KUNIT_ASSERT_TRUE_MSG(test, !world->fake.error, "%s", world->fake.error);
	return world->fake.bytes_in;
}

static void random_world(struct world *world, const struct trial *trial, u32 *random)
{
	const bool many = trial->places && quire_stream_random(random) % 4 == 0;
	const struct quire_split_shape shape = {
		.objects = many ? 60 : 12,
		.points = many ? 80 : 30,
		.slots = 2,
		.sizes = 100,
		.segments = 1 + quire_stream_random(random) % 2,
		.locality = 12,
		.plain = quire_stream_random(random) % 2,
	};

	quire_stream_fill(&world->stream, &shape, random);
	world->options = (struct quire_split_options) {
		.every_point = quire_stream_random(random) % 8 == 0,
		.seed = quire_stream_random(random) % 8 ? 0 : *random,
		.max_bytes = quire_stream_random(random) % 8 ? 0 : 200,
	};
}

/* Stream by stream, whatever is in memory at first, and however it is to be split. */
static void expect_never_more(struct kunit *test, const struct trial *trial, struct paged *paged)
{
	u32 i, random = 1, chosen[QUIRE_SPLIT_POLICIES] = { }, count = 0;
	struct world *world = test->priv;

	for (i = 0; i < trial->streams; i++) {
		u64 lru, planner;
		u32 seed;

		random_world(world, trial, &random);
		seed = random;
		if (!world_fill(world, trial, &random))
			continue;
		lru = world_run(test, trial, true, seed);
		planner = world_run(test, trial, false, seed);
		KUNIT_ASSERT_LE(test, planner, lru);
		paged->lru += lru;
		paged->planner += planner;
		chosen[world->fake.split.policy]++;
		count++;
	}
	/* or it shows nothing */
	KUNIT_EXPECT_GT(test, count, trial->streams / 4);
	for (i = 0; i < QUIRE_SPLIT_POLICIES; i++)
		KUNIT_EXPECT_GT(test, chosen[i], count / 100);
}

static void split_never_pages_in_more_than_lru(struct kunit *test)
{
	static const struct trial trial = { .streams = 2000, .tenths = 5 };
	struct paged paged = { };

	expect_never_more(test, &trial, &paged);
}

/* And much less in all. */
static void split_never_pages_in_more_than_lru_in_places(struct kunit *test)
{
	static const struct trial trial = { .streams = 1000, .tenths = 4, .places = true };
	struct paged paged = { };

	expect_never_more(test, &trial, &paged);
	KUNIT_EXPECT_LE(test, 100 * paged.planner, 76 * paged.lru);
}

#define GROUPS	4u

/* One object after the other: the first has one byte, each other one @more than that before. */
static void one_by_one(struct world *world, u64 vram, u64 more)
{
	u32 i;

	quire_stream_init(&world->stream, 8 * GROUPS);
	for (i = 0; i < GROUPS; i++)
		quire_stream_bind(&world->stream, 8 * i, 0,
				  quire_stream_object(&world->stream, 1 + i * more,
						      QUIRE_SEGMENT_VRAM));
	quire_fake_init(&world->fake, &world->stream.list, vram, 0);
}

/* What knows the future, if it does not matter. */
static void split_knows_the_future_if_all_are_equal(struct kunit *test)
{
	struct world *world = test->priv;

	one_by_one(world, GROUPS, 1);
	KUNIT_ASSERT_EQ(test, quire_fake_run(&world->fake, &world->options, world->memory), 0);
	KUNIT_EXPECT_EQ(test, world->fake.bytes_in, 1 + 2 + 3 + 4);
	KUNIT_EXPECT_EQ(test, world->fake.split.policy, QUIRE_SPLIT_BYTES);
}

/* What is planned and executed of one stream, in so many bytes of VRAM. */
static u64 stream_run(struct kunit *test, u64 vram)
{
	struct world *world = test->priv;

	quire_fake_init(&world->fake, &world->stream.list, vram, 0);
	KUNIT_ASSERT_EQ(test, quire_fake_run(&world->fake, &world->options, world->memory), 0);
	KUNIT_ASSERT_TRUE_MSG(test, !world->fake.error, "%s", world->fake.error);
	return world->fake.bytes_in;
}

/* What is to be split at every point is planned so: another policy is best then. */
static void split_foresees_where_it_has_to_split(struct kunit *test)
{
	static const u32 sizes[] = { 2, 3, 4, 1, 3 };
	static const u32 bound[] = { 3, 0, 1, 3, 1, 2, 4, 4, 2, 0 };
	struct world *world = test->priv;
	u32 i;

	quire_stream_init(&world->stream, 8 * ARRAY_SIZE(bound));
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		quire_stream_object(&world->stream, sizes[i], QUIRE_SEGMENT_VRAM);
	for (i = 0; i < ARRAY_SIZE(bound); i++)
		quire_stream_bind(&world->stream, 8 * i, 0, bound[i]);
	KUNIT_EXPECT_EQ(test, stream_run(test, 7), 2 + 3 + 4 + 1 + 3 + 2);
	KUNIT_EXPECT_EQ(test, world->fake.split.policy, QUIRE_SPLIT_BYTES);
	world->options.every_point = true;
	KUNIT_EXPECT_EQ(test, stream_run(test, 7), 2 + 3 + 4 + 1 + 3 + 2);
	KUNIT_EXPECT_EQ(test, world->fake.split.policy, QUIRE_SPLIT_LRU);
}

/* They do not fit together; @end_at: as of the fake. */
static int run_until(struct world *world, u32 end_at)
{
	one_by_one(world, GROUPS, 1);
	world->fake.end_at = end_at;
	return quire_fake_run(&world->fake, &world->options, world->memory);
}

/* Whoever is killed does not wait until all is planned, and nothing has happened then. */
static void split_forecast_ends_when_it_is_told_to(struct kunit *test)
{
	struct world *world = test->priv;
	u32 i;

	for (i = 1; i <= 2 * QUIRE_SPLIT_POLICIES * GROUPS; i++) {
		KUNIT_EXPECT_EQ(test, run_until(world, i), -EINTR);
		KUNIT_EXPECT_EQ(test, world->fake.goes_on, i);
		KUNIT_EXPECT_EQ(test, world->fake.split.parts, 0);
		KUNIT_EXPECT_EQ(test, world->fake.split.bytes_out, 0);
	}
	for (; i <= (2 * QUIRE_SPLIT_POLICIES + 1) * GROUPS; i++)
		KUNIT_EXPECT_EQ(test, run_until(world, i), -EINTR);
	KUNIT_EXPECT_EQ(test, run_until(world, i), 0);
}

/* One plan shows that, and then none is better. */
static void split_plans_once_if_all_is_there(struct kunit *test)
{
	struct world *world = test->priv;
	u32 i;

	one_by_one(world, 100, 1);
	for (i = 0; i < GROUPS; i++)
		KUNIT_EXPECT_EQ(test, quire_fake_place(&world->fake, i), true);
	KUNIT_EXPECT_EQ(test, quire_fake_run(&world->fake, &world->options, world->memory), 0);
	KUNIT_EXPECT_EQ(test, world->fake.goes_on, 2 * GROUPS);
}

/* With one size no plan is better than another one, and none is made. */
static void split_plans_equal_sizes_once(struct kunit *test)
{
	struct world *world = test->priv;

	one_by_one(world, 2, 0);
	KUNIT_EXPECT_EQ(test, quire_fake_run(&world->fake, &world->options, world->memory), 0);
	KUNIT_EXPECT_EQ(test, world->fake.goes_on, GROUPS);
}

static struct kunit_case quire_split_forecast_cases[] = {
	KUNIT_CASE(split_never_pages_in_more_than_lru),
	KUNIT_CASE(split_never_pages_in_more_than_lru_in_places),
	KUNIT_CASE(split_knows_the_future_if_all_are_equal),
	KUNIT_CASE(split_foresees_where_it_has_to_split),
	KUNIT_CASE(split_forecast_ends_when_it_is_told_to),
	KUNIT_CASE(split_plans_once_if_all_is_there),
	KUNIT_CASE(split_plans_equal_sizes_once),
	{}
};

static struct kunit_suite quire_split_forecast_suite = {
	.name = "quire_split_forecast",
	.init = world_init,
	.test_cases = quire_split_forecast_cases,
};

kunit_test_suite(quire_split_forecast_suite);
