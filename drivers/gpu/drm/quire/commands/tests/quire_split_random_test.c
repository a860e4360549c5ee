// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The split planner on random streams: whatever it does has to be right. Of the small ones the
 * optimum is known: it is not below it, and where all objects have one size it is not above it.
 */
#include <kunit/test.h>

#include <linux/bits.h>
#include <linux/slab.h>

#include "quire_split_fake.h"
#include "quire_split_optimum.h"

#define STREAMS	100000u

/**
 * struct world - what a case works with
 * @stream: planned
 * @fake: where
 * @options: of the planner
 * @optimum: for the search
 * @memory: of the planner
 */
struct world {
	struct quire_split_stream stream;
	struct quire_split_fake fake;
	struct quire_split_options options;
	struct quire_split_optimum optimum;
	u64 memory[2048];
};

/**
 * struct tally - what came of all streams
 * @parts: that were submitted
 * @repacks: objects that should have stayed were moved, so often
 * @robberies: submissions that found something missing
 * @searched: streams whose optimum is known
 * @alike: those of them that have to reach it
 * @again: those of these that have to page in something twice, or what was there from before
 */
struct tally {
	u32 parts;
	u32 repacks;
	u32 robberies;
	u32 searched;
	u32 alike;
	u32 again;
};

static int world_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	return 0;
}

static u32 random_to(u32 *random, u32 last)
{
	return 1 + quire_stream_random(random) % last;
}

static bool one_of(u32 *random, u32 number)
{
	return random_to(random, number) == 1;
}

static void random_stream(struct world *world, u32 *random)
{
	const struct quire_split_shape shape = {
		.objects = random_to(random, 16),
		.points = random_to(random, 20),
		.slots = random_to(random, 4),
		.sizes = random_to(random, 10),
		.equal = one_of(random, 2),
		.segments = random_to(random, 2),
		.locality = quire_stream_random(random) % 16,
	};

	quire_stream_fill(&world->stream, &shape, random);
}

static void random_options(struct world *world, u32 *random)
{
	world->options = (struct quire_split_options) {
		.lru = one_of(random, 8),
		.every_point = one_of(random, 16),
		.seed = one_of(random, 8) ? *random : 0,
		.max_bytes = one_of(random, 8) ? random_to(random, 20) : 0,
	};
}

/* Memory in which it can run; some objects are there. */
static bool random_memory(struct world *world, u32 *random)
{
	const u64 capacity[] = { random_to(random, 40), random_to(random, 40) };
	struct quire_command_error error;
	u32 i;

	if (quire_split_check(&world->stream.list, capacity, &error))
		return false;
	quire_fake_init(&world->fake, &world->stream.list, capacity[0], capacity[1]);
	world->fake.pieces = one_of(random, 2);
	world->fake.thief = one_of(random, 4) ? 4 : 0;
	world->fake.robber = one_of(random, 4) ? 4 : 0;
	world->fake.guests = one_of(random, 4) ? 2 : 0;
	world->fake.loss = one_of(random, 2) ? 8 : 0;
	world->fake.busy = one_of(random, 4) ? 3 : 0;
	world->fake.crowded = one_of(random, 4) ? 3 : 0;
	world->fake.follows = world->fake.pieces && one_of(random, 2);
	for (i = 0; i < world->stream.list.nr_objects; i++)
		if (one_of(random, 4))
			quire_fake_place(&world->fake, i);
	return true;
}

/* Objects that are there, a bit each. */
static u32 resident_objects(const struct world *world)
{
	u32 i, objects = 0;

	for (i = 0; i < world->stream.list.nr_objects; i++)
		if (world->fake.objects[i].resident)
			objects |= BIT(i);
	return objects;
}

/* Not where others bring something back: that is not the planner's. */
static bool is_searched(const struct world *world)
{
	u32 i;

	for (i = 0; i < world->stream.list.nr_objects; i++)
		if (world->stream.objects[i].segment != QUIRE_SEGMENT_VRAM)
			return false;
	return world->stream.list.nr_objects <= QUIRE_OPTIMUM_OBJECTS && !world->fake.guests;
}

/* Objects of one size, all of the memory, and nobody else in it. */
static bool is_alike(const struct world *world)
{
	const struct quire_split_options *options = &world->options;
	u32 i;

	for (i = 1; i < world->stream.list.nr_objects; i++)
		if (world->stream.objects[i].size != world->stream.objects[0].size)
			return false;
	return !world->fake.thief && !world->fake.robber && !options->lru && !options->max_bytes;
}

/* The bytes of all that is bound at some time and not there at first: without any choice. */
static u64 first_bytes(const struct world *world, u32 resident)
{
	const struct quire_command_list *list = &world->stream.list;
	u32 i, object;
	u64 bytes = 0;

	for (i = 0; i < list->nr_patches; i++) {
		object = quire_patch_object(list, i);
		if (object == QUIRE_NO_OBJECT || (resident & BIT(object)))
			continue;
		resident |= BIT(object);
		bytes += list->objects[object].size;
	}
	return bytes;
}

static void expect_optimum(struct kunit *test, u32 stream, u32 resident, struct tally *tally)
{
	struct world *world = test->priv;
	u64 least, bytes = world->fake.bytes_in;

	if (!is_searched(world))
		return;
	least = quire_split_optimum(&world->optimum, &world->stream.list, world->fake.capacity[0],
				    resident);
	KUNIT_ASSERT_TRUE_MSG(test, bytes >= least, "stream %u: below the optimum", stream);
	tally->searched++;
	if (!is_alike(world))
		return;
	KUNIT_ASSERT_TRUE_MSG(test, bytes == least, "stream %u: not the optimum", stream);
	tally->alike++;
	tally->again += least > first_bytes(world, resident);
}

/* All of it is judged where it happens, in quire_split_fake.c. */
static void expect_right(struct kunit *test, u32 stream, struct tally *tally)
{
	struct world *world = test->priv;
	u32 resident = resident_objects(world);

	KUNIT_ASSERT_LE(test, quire_split_memory(&world->stream.list), sizeof(world->memory));
	KUNIT_ASSERT_EQ_MSG(test, quire_fake_run(&world->fake, &world->options, world->memory), 0,
			    "stream %u", stream);
	KUNIT_ASSERT_TRUE_MSG(test, !world->fake.error, "stream %u: %s", stream,
			      world->fake.error);
	expect_optimum(test, stream, resident, tally);
	tally->parts += world->fake.split.parts;
	tally->repacks += world->fake.split.repacks;
	tally->robberies += world->fake.robberies;
}

static void split_is_right_on_random_streams(struct kunit *test)
{
	struct world *world = test->priv;
	u32 stream, random = 1;
	struct tally tally = { };

	for (stream = 0; stream < STREAMS; stream++) {
		do {
			random_stream(world, &random);
			random_options(world, &random);
		} while (!random_memory(world, &random));
		expect_right(test, stream, &tally);
	}
	/* or they show nothing */
	KUNIT_EXPECT_GT(test, tally.parts, 2 * STREAMS);
	KUNIT_EXPECT_GT(test, tally.repacks, STREAMS / 1000);
	KUNIT_EXPECT_GT(test, tally.robberies, STREAMS / 10);
	KUNIT_EXPECT_GT(test, tally.searched, STREAMS / 5);
	KUNIT_EXPECT_GT(test, tally.alike, STREAMS / 20);
	KUNIT_EXPECT_GT(test, tally.again, STREAMS / 200);
}

/* The same list in the same memory, the same parts and victims. */
static void split_does_the_same_again(struct kunit *test)
{
	struct quire_split_fake *first;
	struct world *world = test->priv;
	u32 stream, before, random = 2;

	first = kunit_kzalloc(test, sizeof(*first), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, first);
	for (stream = 0; stream < STREAMS / 100; stream++) {
		random_stream(world, &random);
		random_options(world, &random);
		before = random;
		if (!random_memory(world, &random))
			continue;
		quire_fake_run(&world->fake, &world->options, world->memory);
		*first = world->fake;
		random_memory(world, &before);
		quire_fake_run(&world->fake, &world->options, world->memory);
		KUNIT_EXPECT_EQ(test, first->split.parts, world->fake.split.parts);
		KUNIT_EXPECT_EQ(test, first->bytes_in, world->fake.bytes_in);
		KUNIT_EXPECT_MEMEQ(test, first->parts, world->fake.parts, sizeof(first->parts));
		KUNIT_EXPECT_MEMEQ(test, first->evicted, world->fake.evicted,
				   sizeof(first->evicted));
	}
}

static struct kunit_case quire_split_random_cases[] = {
	KUNIT_CASE(split_is_right_on_random_streams),
	KUNIT_CASE(split_does_the_same_again),
	{}
};

static struct kunit_suite quire_split_random_suite = {
	.name = "quire_split_random",
	.init = world_init,
	.test_cases = quire_split_random_cases,
};

kunit_test_suite(quire_split_random_suite);
