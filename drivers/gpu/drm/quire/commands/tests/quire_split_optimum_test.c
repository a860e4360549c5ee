// SPDX-License-Identifier: GPL-2.0 OR MIT
/* How much the split planner pages in, beside the optimum and beside LRU. */
#include <kunit/test.h>

#include <linux/slab.h>

#include "quire_split_fake.h"
#include "quire_split_optimum.h"

/* Each shape. */
#define STREAMS	1000u

/**
 * struct world - what a case works with
 * @stream: planned
 * @fake: where
 * @optimum: for the search
 * @memory: of the planner
 */
struct world {
	struct quire_split_stream stream;
	struct quire_split_fake fake;
	struct quire_split_optimum optimum;
	u64 memory[2048];
};

/**
 * struct bytes - paged in
 * @optimum: at least
 * @planner: by the planner
 * @lru: by the planner, which evicts what was used least recently
 */
struct bytes {
	u64 optimum;
	u64 planner;
	u64 lru;
};

/**
 * struct shape_case - streams to measure
 * @name: of the case
 * @shape: of the streams
 */
struct shape_case {
	const char *name;
	struct quire_split_shape shape;
};

/* Without locality it is as far from the optimum, and LRU further. */
static const struct shape_case shape_cases[] = {
	{ "equal sizes", {
		.objects = 8, .points = 10, .slots = 2, .sizes = 10, .equal = true,
		.segments = 1, .locality = 12, .plain = true } },
	{ "equal sizes, several entries", {
		.objects = 8, .points = 10, .slots = 3, .sizes = 10, .equal = true,
		.segments = 1, .locality = 12 } },
	{ "equal sizes, long", {
		.objects = 8, .points = 40, .slots = 3, .sizes = 10, .equal = true,
		.segments = 1, .locality = 12 } },
	{ "sizes of 1 to 10", {
		.objects = 8, .points = 10, .slots = 2, .sizes = 10, .segments = 1,
		.locality = 12, .plain = true } },
	{ "sizes of 1 to 10, several entries", {
		.objects = 8, .points = 10, .slots = 3, .sizes = 10, .segments = 1,
		.locality = 12 } },
	{ "sizes of 1 to 10, long", {
		.objects = 8, .points = 40, .slots = 2, .sizes = 10, .segments = 1,
		.locality = 12, .plain = true } },
	{ "sizes of 1 to 1000", {
		.objects = 8, .points = 20, .slots = 2, .sizes = 1000, .segments = 1,
		.locality = 12, .plain = true } },
};

KUNIT_ARRAY_PARAM_DESC(shape, shape_cases, name);

static int world_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	return 0;
}

static u64 run(struct kunit *test, u64 capacity, bool lru, bool pieces)
{
	const struct quire_split_options options = { .lru = lru };
	struct world *world = test->priv;

	quire_fake_init(&world->fake, &world->stream.list, capacity, 0);
	world->fake.pieces = pieces;
	KUNIT_ASSERT_EQ(test, quire_fake_run(&world->fake, &options, world->memory), 0);
	KUNIT_ASSERT_TRUE_MSG(test, !world->fake.error, "%s", world->fake.error);
	return world->fake.bytes_in;
}

/* One of @part bytes fits. False if that is too little for what is bound at once. */
static bool stream_fits(struct world *world, u32 part, u64 *bytes)
{
	u64 capacity[QUIRE_SPLIT_SEGMENTS] = { };
	struct quire_command_error error;
	u32 i;

	for (i = 0; i < world->stream.list.nr_objects; i++)
		capacity[0] += world->stream.objects[i].size;
	*bytes = capacity[0] / part;
	capacity[0] = *bytes;
	return !quire_split_check(&world->stream.list, capacity, &error);
}

static bool stream_run(struct kunit *test, struct bytes *bytes)
{
	struct world *world = test->priv;
	u64 capacity;

	if (!stream_fits(world, 2, &capacity))
		return false;
	*bytes = (struct bytes) {
		.optimum = quire_split_optimum(&world->optimum, &world->stream.list, capacity,
					       0),
		.planner = run(test, capacity, false, false),
		.lru = run(test, capacity, true, false),
	};
	return true;
}

static void split_is_near_the_optimum(struct kunit *test)
{
	const struct shape_case *param = test->param_value;
	struct world *world = test->priv;
	struct bytes bytes, sum = { };
	u32 i, random = 1, count = 0;

	for (i = 0; i < STREAMS; i++) {
		quire_stream_fill(&world->stream, &param->shape, &random);
		if (!stream_run(test, &bytes))
			continue;
		if (param->shape.equal)
			KUNIT_ASSERT_EQ(test, bytes.planner, bytes.optimum);
		KUNIT_ASSERT_LE(test, bytes.optimum, bytes.planner);
		KUNIT_ASSERT_LE(test, bytes.planner, bytes.lru);
		sum.optimum += bytes.optimum;
		sum.planner += bytes.planner;
		sum.lru += bytes.lru;
		count++;
	}
	KUNIT_EXPECT_GT(test, count, STREAMS / 4);
	KUNIT_EXPECT_LE(test, 100 * sum.planner, 110 * sum.optimum);
	KUNIT_EXPECT_GT(test, sum.lru, sum.optimum);
}

/*
 * Objects need runs of addresses. Beside how it were if bytes alone counted, that costs little;
 * if it took no notice of where objects lie, it would be a fifth more.
 */
static void split_leaves_runs(struct kunit *test)
{
	const struct quire_split_shape shape = {
		.objects = 60, .points = 80, .slots = 3, .sizes = 100, .segments = 1,
		.locality = 14 };
	struct world *world = test->priv;
	u64 capacity, bytes = 0, runs = 0, lru = 0;
	u32 i, random = 1;

	for (i = 0; i < STREAMS; i++) {
		quire_stream_fill(&world->stream, &shape, &random);
		if (!stream_fits(world, 3, &capacity))
			continue;
		bytes += run(test, capacity, false, false);
		runs += run(test, capacity, false, true);
		lru += run(test, capacity, true, true);
	}
	KUNIT_EXPECT_LE(test, 100 * runs, 112 * bytes);
	KUNIT_EXPECT_GT(test, 100 * lru, 150 * bytes);
}

static struct kunit_case quire_split_optimum_cases[] = {
	KUNIT_CASE_PARAM(split_is_near_the_optimum, shape_gen_params),
	KUNIT_CASE(split_leaves_runs),
	{}
};

static struct kunit_suite quire_split_optimum_suite = {
	.name = "quire_split_optimum",
	.init = world_init,
	.test_cases = quire_split_optimum_cases,
};

kunit_test_suite(quire_split_optimum_suite);
