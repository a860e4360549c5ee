// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Places of objects as runs of pages: what is joined, where parts begin and end. */
#include <kunit/test.h>

#include <linux/limits.h>
#include <linux/sizes.h>

#include <drm/ttm/ttm_resource.h>
#include <drm/ttm/ttm_tt.h>

#include "../quire_page_runs.h"
#include "../../core/quire_placement.h"
#include "../../bo/quire_vram_mgr.h"

#define ROOM	8

/**
 * struct place - what a case works with
 * @runs: under test
 * @array: where they are written
 * @addresses: of @tt
 * @tt: pages in system memory
 * @mgr: of VRAM
 * @vres: a place in VRAM
 * @res: a place in the aperture
 */
struct place {
	struct quire_page_runs runs;
	struct quire_page_run array[ROOM + 1];
	dma_addr_t addresses[ROOM];
	struct ttm_tt tt;
	struct quire_vram_mgr mgr;
	struct quire_vram_resource vres;
	struct ttm_resource res;
};

static int place_init(struct kunit *test)
{
	struct place *place = kunit_kzalloc(test, sizeof(*place), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, place);
	KUNIT_ASSERT_EQ(test, gpu_buddy_init(&place->mgr.mm, SZ_1M, PAGE_SIZE), 0);
	INIT_LIST_HEAD(&place->vres.blocks);
	place->vres.mgr = &place->mgr;
	place->vres.base.mem_type = QUIRE_PL_VRAM;
	place->res.mem_type = QUIRE_PL_APERTURE;
	/* what is not written is seen */
	memset(place->array, 0xff, sizeof(place->array));
	test->priv = place;
	return 0;
}

static void place_exit(struct kunit *test)
{
	struct place *place = test->priv;

	gpu_buddy_free_list(&place->mgr.mm, &place->vres.blocks, 0);
	gpu_buddy_fini(&place->mgr.mm);
}

/* Pages of system memory with these numbers. */
static void in_system(struct place *place, const u64 *numbers, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		place->addresses[i] = numbers[i] << QUIRE_PAGE_SHIFT;
	place->tt.dma_address = place->addresses;
	place->tt.num_pages = count;
	quire_page_runs_init(&place->runs, NULL, &place->tt);
}

/* Adds a range of VRAM, in pages. */
static void add_vram(struct kunit *test, u64 first, u64 count)
{
	struct place *place = test->priv;
	LIST_HEAD(blocks);

	KUNIT_ASSERT_EQ(test, gpu_buddy_alloc_blocks(&place->mgr.mm, first << PAGE_SHIFT,
						     (first + count) << PAGE_SHIFT,
						     count << PAGE_SHIFT, PAGE_SIZE, &blocks,
						     GPU_BUDDY_RANGE_ALLOCATION), 0);
	list_splice_tail(&blocks, &place->vres.blocks);
	place->vres.base.size += count << PAGE_SHIFT;
}

static void expect_part(struct kunit *test, u64 start, u32 nr_runs, u64 pages)
{
	struct place *place = test->priv;

	KUNIT_EXPECT_EQ(test, place->runs.location.start, start);
	KUNIT_ASSERT_EQ(test, place->runs.location.nr_runs, nr_runs);
	KUNIT_EXPECT_PTR_EQ(test, place->runs.location.runs, &place->array[0]);
	KUNIT_EXPECT_EQ(test, place->runs.pages, pages);
	/* nothing behind them was written */
	KUNIT_EXPECT_EQ(test, place->array[nr_runs].count, U64_MAX);
}

static void expect_run(struct kunit *test, u32 i, u64 first, u64 count)
{
	struct place *place = test->priv;

	KUNIT_EXPECT_EQ(test, place->array[i].first, first);
	KUNIT_EXPECT_EQ(test, place->array[i].count, count);
}

static void next_part(struct kunit *test, u32 room, u64 pages)
{
	struct place *place = test->priv;

	memset(place->array, 0xff, sizeof(place->array));
	quire_page_runs_next(&place->runs, place->array, room, pages);
}

static void page_runs_of_no_side_are_empty(struct kunit *test)
{
	struct place *place = test->priv;

	KUNIT_EXPECT_TRUE(test, quire_page_runs_ended(&place->runs));
	next_part(test, ROOM, U64_MAX);
	expect_part(test, 0, 0, 0);
	KUNIT_EXPECT_TRUE(test, quire_page_runs_ended(&place->runs));
}

/* Up and next to each other, not down, and not a page twice. */
static void page_runs_join_neighbours(struct kunit *test)
{
	static const u64 numbers[] = { 10, 11, 12, 20, 19, 18, 18, 19 };
	struct place *place = test->priv;

	in_system(place, numbers, ARRAY_SIZE(numbers));
	KUNIT_EXPECT_EQ(test, place->runs.location.segment, QUIRE_SEGMENT_SYSTEM);
	next_part(test, ROOM, U64_MAX);
	expect_part(test, 0, 5, 8);
	expect_run(test, 0, 10, 3);
	expect_run(test, 1, 20, 1);
	expect_run(test, 2, 19, 1);
	expect_run(test, 3, 18, 1);
	expect_run(test, 4, 18, 2);
	KUNIT_EXPECT_TRUE(test, quire_page_runs_ended(&place->runs));
}

/* A run that goes on is no run more; the next one does not fit, and begins the next part. */
static void page_runs_end_where_the_array_ends(struct kunit *test)
{
	static const u64 numbers[] = { 5, 7, 8, 30, 40, 41 };
	struct place *place = test->priv;

	in_system(place, numbers, ARRAY_SIZE(numbers));
	next_part(test, 2, U64_MAX);
	expect_part(test, 0, 2, 3);
	expect_run(test, 1, 7, 2);
	KUNIT_EXPECT_FALSE(test, quire_page_runs_ended(&place->runs));
	next_part(test, 2, U64_MAX);
	expect_part(test, 3, 2, 3);
	expect_run(test, 0, 30, 1);
	expect_run(test, 1, 40, 2);
	KUNIT_EXPECT_TRUE(test, quire_page_runs_ended(&place->runs));
	next_part(test, 2, U64_MAX);
	expect_part(test, 6, 0, 0);
}

/* A run is split where a part ends, and a part that begins in it is not joined to the last. */
static void page_runs_split_at_parts(struct kunit *test)
{
	struct place *place = test->priv;

	place->res.start = 100;
	place->res.size = 10 << PAGE_SHIFT;
	quire_page_runs_init(&place->runs, &place->res, NULL);
	KUNIT_EXPECT_EQ(test, place->runs.location.segment, QUIRE_SEGMENT_APERTURE);
	next_part(test, ROOM, 4);
	expect_part(test, 0, 1, 4);
	expect_run(test, 0, 100, 4);
	next_part(test, 1, 1);
	expect_part(test, 4, 1, 1);
	expect_run(test, 0, 104, 1);
	next_part(test, ROOM, 6);
	expect_part(test, 5, 1, 5);
	expect_run(test, 0, 105, 5);
	KUNIT_EXPECT_TRUE(test, quire_page_runs_ended(&place->runs));
}

/* Blocks that follow each other are one run, whatever their sizes; others are not. */
static void page_runs_join_blocks(struct kunit *test)
{
	struct place *place = test->priv;

	add_vram(test, 64, 64);
	add_vram(test, 128, 8);
	add_vram(test, 137, 3);
	add_vram(test, 16, 16);
	quire_page_runs_init(&place->runs, &place->vres.base, NULL);
	KUNIT_EXPECT_EQ(test, place->runs.location.segment, QUIRE_SEGMENT_VRAM);
	next_part(test, ROOM, U64_MAX);
	expect_part(test, 0, 3, 91);
	expect_run(test, 0, 64, 72);
	expect_run(test, 1, 137, 3);
	expect_run(test, 2, 16, 16);
	KUNIT_EXPECT_TRUE(test, quire_page_runs_ended(&place->runs));
}

/* A block may be larger than what is left of the object. */
static void page_runs_end_with_the_object(struct kunit *test)
{
	struct place *place = test->priv;

	add_vram(test, 64, 64);
	place->vres.base.size = 5 << PAGE_SHIFT;
	quire_page_runs_init(&place->runs, &place->vres.base, NULL);
	next_part(test, ROOM, U64_MAX);
	expect_part(test, 0, 1, 5);
	expect_run(test, 0, 64, 5);
	KUNIT_EXPECT_TRUE(test, quire_page_runs_ended(&place->runs));
}

/* What has slid is one run, whatever blocks it has. */
static void page_runs_of_a_slide_are_one(struct kunit *test)
{
	struct place *place = test->priv;

	add_vram(test, 64, 64);
	add_vram(test, 16, 1);
	place->vres.slid = true;
	place->vres.base.start = 60;
	quire_page_runs_init(&place->runs, &place->vres.base, NULL);
	next_part(test, ROOM, U64_MAX);
	expect_part(test, 0, 1, 65);
	expect_run(test, 0, 60, 65);
}

/* More pages than 32 bits have. */
static void page_runs_may_be_long(struct kunit *test)
{
	u64 most = (U64_C(1) << 40) + 3;
	struct place *place = test->priv;

	place->res.start = 1;
	place->res.size = most << PAGE_SHIFT;
	quire_page_runs_init(&place->runs, &place->res, NULL);
	next_part(test, 1, most - 1);
	expect_part(test, 0, 1, most - 1);
	expect_run(test, 0, 1, most - 1);
	next_part(test, 1, U64_MAX);
	expect_part(test, most - 1, 1, 1);
	expect_run(test, 0, most, 1);
}

/* Parts that begin inside of the last one, or behind it. */
static void page_runs_begin_anywhere(struct kunit *test)
{
	static const u64 numbers[] = { 10, 11, 12, 20, 21, 30, 31, 32 };
	struct place *place = test->priv;

	in_system(place, numbers, ARRAY_SIZE(numbers));
	next_part(test, ROOM, 2);
	memset(place->array, 0xff, sizeof(place->array));
	quire_page_runs_from(&place->runs, place->array, ROOM, 1, 3);
	expect_part(test, 1, 2, 3);
	expect_run(test, 0, 11, 2);
	expect_run(test, 1, 20, 1);
	memset(place->array, 0xff, sizeof(place->array));
	quire_page_runs_from(&place->runs, place->array, ROOM, 5, 2);
	expect_part(test, 5, 1, 2);
	expect_run(test, 0, 30, 2);
	next_part(test, ROOM, U64_MAX);
	expect_part(test, 7, 1, 1);
	expect_run(test, 0, 32, 1);
	KUNIT_EXPECT_TRUE(test, quire_page_runs_ended(&place->runs));
}

static struct kunit_case quire_page_runs_cases[] = {
	KUNIT_CASE(page_runs_of_no_side_are_empty),
	KUNIT_CASE(page_runs_join_neighbours),
	KUNIT_CASE(page_runs_end_where_the_array_ends),
	KUNIT_CASE(page_runs_split_at_parts),
	KUNIT_CASE(page_runs_join_blocks),
	KUNIT_CASE(page_runs_end_with_the_object),
	KUNIT_CASE(page_runs_of_a_slide_are_one),
	KUNIT_CASE(page_runs_may_be_long),
	KUNIT_CASE(page_runs_begin_anywhere),
	{}
};

static struct kunit_suite quire_page_runs_suite = {
	.name = "quire_page_runs",
	.init = place_init,
	.exit = place_exit,
	.test_cases = quire_page_runs_cases,
};

kunit_test_suite(quire_page_runs_suite);
