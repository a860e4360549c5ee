// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Rules of splitting that only who asks the planner sees: in which order it brings objects in,
 * where a part ends, what it holds and what it moves. A case for each, with the rule's name;
 * quire_split_fake.c judges all that happens in between.
 */
#include <kunit/test.h>

#include <linux/errno.h>
#include <linux/slab.h>

#include "quire_split_fake.h"

/**
 * struct plan - what a case works with
 * @stream: planned
 * @fake: where
 * @memory: of the planner
 */
struct plan {
	struct quire_split_stream stream;
	struct quire_split_fake fake;
	u64 memory[512];
};

static int plan_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct plan), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

/* @nr objects of a byte each, a command buffer of @size bytes, and @vram bytes for objects. */
static struct plan *plan_begin(struct kunit *test, u32 nr, u32 size, u64 vram)
{
	struct plan *plan = test->priv;

	quire_stream_init(&plan->stream, size);
	while (nr--)
		quire_stream_object(&plan->stream, 1, QUIRE_SEGMENT_VRAM);
	quire_fake_init(&plan->fake, &plan->stream.list, vram, vram);
	return plan;
}

static void plan_run(struct kunit *test)
{
	const struct quire_split_options options = { };
	struct plan *plan = test->priv;

	KUNIT_ASSERT_LE(test, quire_split_memory(&plan->stream.list), sizeof(plan->memory));
	KUNIT_ASSERT_EQ(test, quire_fake_run(&plan->fake, &options, plan->memory), 0);
	KUNIT_ASSERT_TRUE_MSG(test, !plan->fake.error, "%s", plan->fake.error);
}

/* Addresses are given one after the other. */
static void paged_in_in_order(struct kunit *test)
{
	struct plan *plan = plan_begin(test, 4, 16, 4);

	quire_stream_bind(&plan->stream, 0, 2, 1);
	quire_stream_bind(&plan->stream, 0, 0, 3);
	quire_stream_bind(&plan->stream, 0, 1, 0);
	quire_stream_bind(&plan->stream, 8, 3, 2);
	plan_run(test);
	KUNIT_EXPECT_EQ(test, plan->fake.objects[1].address, 0);
	KUNIT_EXPECT_EQ(test, plan->fake.objects[3].address, 1);
	KUNIT_EXPECT_EQ(test, plan->fake.objects[0].address, 2);
	KUNIT_EXPECT_EQ(test, plan->fake.objects[2].address, 3);
}

/* Two fit. What makes room, also an object that is not needed at all, goes behind the part. */
static void part_ends_where_nothing_fits(struct kunit *test)
{
	struct plan *plan = plan_begin(test, 5, 40, 2);
	u32 i;

	for (i = 0; i < 4; i++)
		quire_stream_bind(&plan->stream, 8 + 8 * i, i % 2, i);
	KUNIT_EXPECT_TRUE(test, quire_fake_place(&plan->fake, 4));
	plan_run(test);
	KUNIT_ASSERT_EQ(test, plan->fake.split.parts, 4);
	KUNIT_EXPECT_EQ(test, plan->fake.parts[0].end, 16);
	KUNIT_EXPECT_EQ(test, plan->fake.parts[0].objects, 0x1);
	KUNIT_EXPECT_EQ(test, plan->fake.parts[1].start, 16);
	KUNIT_EXPECT_EQ(test, plan->fake.parts[1].end, 24);
	KUNIT_EXPECT_EQ(test, plan->fake.parts[1].objects, 0x3);
	KUNIT_EXPECT_EQ(test, plan->fake.parts[2].end, 32);
	KUNIT_EXPECT_EQ(test, plan->fake.parts[2].objects, 0x6);
	KUNIT_EXPECT_EQ(test, plan->fake.parts[3].end, 40);
	KUNIT_EXPECT_EQ(test, plan->fake.parts[3].objects, 0xc);
}

/* What is in the first and in the last slot is of each part, at one address. */
static void table_is_held_over_splits(struct kunit *test)
{
	struct plan *plan = plan_begin(test, 6, 48, 3);
	u32 i;

	quire_stream_bind(&plan->stream, 0, 0, 0);
	quire_stream_bind(&plan->stream, 8, QUIRE_SLOTS - 1, 1);
	for (i = 0; i < 4; i++)
		quire_stream_bind(&plan->stream, 16 + 8 * i, 1, 2 + i);
	plan_run(test);
	KUNIT_ASSERT_EQ(test, plan->fake.split.parts, 4);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, plan->fake.parts[i].objects & 0x3, 0x3);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, plan->fake.objects[i].page_ins, 1);
		KUNIT_EXPECT_EQ(test, plan->fake.objects[i].address, i);
	}
	KUNIT_EXPECT_EQ(test, plan->fake.split.repacks, 0);
}

/*
 * Objects 0, 1 and 2 have the first bytes of 4. Then 0 goes, and 3 wants two that are side by
 * side. Object 1 is written again there, 2 is not.
 */
static void rewritten_slot_may_move(struct kunit *test)
{
	struct plan *plan = plan_begin(test, 3, 32, 4);
	u32 i, large = quire_stream_object(&plan->stream, 2, QUIRE_SEGMENT_VRAM);

	plan->fake.pieces = true;
	for (i = 0; i < 3; i++)
		quire_stream_bind(&plan->stream, 8 * i, i, i);
	quire_stream_bind(&plan->stream, 24, 0, large);
	quire_stream_bind(&plan->stream, 24, 1, 1);
	plan_run(test);
	KUNIT_EXPECT_EQ(test, plan->fake.split.parts, 2);
	KUNIT_EXPECT_EQ(test, plan->fake.objects[large].address, 0);
	KUNIT_EXPECT_EQ(test, plan->fake.objects[1].address, 3);
	KUNIT_EXPECT_EQ(test, plan->fake.objects[2].address, 2);
	KUNIT_EXPECT_EQ(test, plan->fake.objects[2].page_ins, 1);
	KUNIT_EXPECT_EQ(test, plan->fake.split.repacks, 0);
}

static struct kunit_case conformance_split_cases[] = {
	KUNIT_CASE(paged_in_in_order),
	KUNIT_CASE(part_ends_where_nothing_fits),
	KUNIT_CASE(table_is_held_over_splits),
	KUNIT_CASE(rewritten_slot_may_move),
	{}
};

static struct kunit_suite conformance_split_suite = {
	.name = "quire_conformance_split",
	.init = plan_init,
	.test_cases = conformance_split_cases,
};

kunit_test_suite(conformance_split_suite);
