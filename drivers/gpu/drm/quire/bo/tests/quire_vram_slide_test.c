// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Slides: where they begin, what they take, and whose it is afterwards. */
#include <kunit/test.h>

#include <linux/sizes.h>

#include <drm/ttm/ttm_placement.h>

#include "../../queue/quire_paging_work.h"
#include "../quire_vram_mgr.h"

#define PAGES	SZ_64K		/* of VRAM */
#define VISIBLE	(PAGES / 4)

/**
 * struct room - what a case works with
 * @mgr: of VRAM
 * @old: the place that an object has
 * @new: the one that it gets
 */
struct room {
	struct quire_vram_mgr mgr;
	struct quire_vram_resource old;
	struct quire_vram_resource new;
};

static int room_init(struct kunit *test)
{
	struct room *room = kunit_kzalloc(test, sizeof(*room), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, room);
	KUNIT_ASSERT_EQ(test, gpu_buddy_init(&room->mgr.mm, (u64)PAGES << PAGE_SHIFT, PAGE_SIZE),
			0);
	mutex_init(&room->mgr.lock);
	room->mgr.visible_size = (u64)VISIBLE << PAGE_SHIFT;
	INIT_LIST_HEAD(&room->old.blocks);
	INIT_LIST_HEAD(&room->new.blocks);
	mutex_lock(&room->mgr.lock);
	test->priv = room;
	return 0;
}

static void room_exit(struct kunit *test)
{
	struct room *room = test->priv;

	gpu_buddy_free_list(&room->mgr.mm, &room->old.blocks, 0);
	gpu_buddy_free_list(&room->mgr.mm, &room->new.blocks, 0);
	KUNIT_EXPECT_EQ(test, room->mgr.mm.avail, room->mgr.mm.size);
	gpu_buddy_fini(&room->mgr.mm);
	mutex_unlock(&room->mgr.lock);
	mutex_destroy(&room->mgr.lock);
}

/* In pages. */
static void is_at(struct kunit *test, u64 first, u64 count)
{
	struct room *room = test->priv;

	KUNIT_ASSERT_EQ(test, gpu_buddy_alloc_blocks(&room->mgr.mm, first << PAGE_SHIFT,
						     (first + count) << PAGE_SHIFT,
						     count << PAGE_SHIFT, PAGE_SIZE,
						     &room->old.blocks,
						     GPU_BUDDY_RANGE_ALLOCATION), 0);
	room->old.base.start = first;
	room->old.base.size = count << PAGE_SHIFT;
	room->old.base.placement = TTM_PL_FLAG_CONTIGUOUS;
	room->new.base.size = room->old.base.size;
}

/* To anywhere from page @first to page @last. */
static int slide(struct kunit *test, u64 first, u64 last, u64 alignment)
{
	struct room *room = test->priv;

	return quire_vram_slide(&room->mgr, &room->new, &room->old, first << PAGE_SHIFT,
				last << PAGE_SHIFT, alignment << PAGE_SHIFT);
}

static u64 blocks_pages(struct room *room, struct quire_vram_resource *vres)
{
	struct gpu_buddy_block *block;
	u64 bytes = 0;

	list_for_each_entry(block, &vres->blocks, link)
		bytes += gpu_buddy_block_size(&room->mgr.mm, block);
	return bytes >> PAGE_SHIFT;
}

static void expect_slide(struct kunit *test, u64 start, u64 taken)
{
	struct room *room = test->priv;

	KUNIT_EXPECT_EQ(test, room->new.base.start, start);
	KUNIT_EXPECT_TRUE(test, room->new.slid);
	KUNIT_EXPECT_TRUE(test, room->new.base.placement & TTM_PL_FLAG_CONTIGUOUS);
	KUNIT_EXPECT_EQ(test, blocks_pages(room, &room->new), taken);
	/* the old place is freed */
	quire_vram_slide_end(&room->mgr, &room->old);
	KUNIT_EXPECT_EQ(test, blocks_pages(room, &room->new),
			room->new.base.size >> PAGE_SHIFT);
	gpu_buddy_free_list(&room->mgr.mm, &room->old.blocks, 0);
	KUNIT_EXPECT_EQ(test, room->mgr.mm.avail, room->mgr.mm.size - room->new.base.size);
	KUNIT_EXPECT_NULL(test, room->new.from);
}

static void expect_none(struct kunit *test, int ret)
{
	struct room *room = test->priv;

	KUNIT_EXPECT_EQ(test, ret, -ENOSPC);
	KUNIT_EXPECT_TRUE(test, list_empty(&room->new.blocks));
	KUNIT_EXPECT_NULL(test, room->old.to);
}

static void slide_takes_one_page_downwards(struct kunit *test)
{
	is_at(test, 1000, QUIRE_SLIDE_PACKETS);
	KUNIT_ASSERT_EQ(test, slide(test, 0, 999, 1), 0);
	expect_slide(test, 999, 1);
}

static void slide_takes_one_page_upwards(struct kunit *test)
{
	is_at(test, 1000, QUIRE_SLIDE_PACKETS);
	KUNIT_ASSERT_EQ(test, slide(test, 1001, PAGES - QUIRE_SLIDE_PACKETS, 1), 0);
	expect_slide(test, 1001, 1);
}

/* The packets of a slide are in one buffer: the more pages, the further it goes. */
static void slide_goes_as_far_as_it_has_to(struct kunit *test)
{
	is_at(test, 1000, QUIRE_SLIDE_PACKETS + 1);
	KUNIT_ASSERT_EQ(test, slide(test, 0, 999, 1), 0);
	expect_slide(test, 998, 2);
}

static void slide_goes_as_far_upwards(struct kunit *test)
{
	is_at(test, 1000, 3 * QUIRE_SLIDE_PACKETS);
	KUNIT_ASSERT_EQ(test, slide(test, 1001, 20000, 1), 0);
	expect_slide(test, 1003, 3);
}

/* There is room at the start, but it is too near. */
static void slide_is_not_too_short(struct kunit *test)
{
	is_at(test, 2, 3 * QUIRE_SLIDE_PACKETS);
	expect_none(test, slide(test, 0, 1, 1));
	expect_none(test, slide(test, 3, 4, 1));
}

static void slide_begins_aligned(struct kunit *test)
{
	is_at(test, 1600, 800);
	KUNIT_ASSERT_EQ(test, slide(test, 0, 1595, 16), 0);
	expect_slide(test, 1584, 16);
}

static void slide_begins_aligned_upwards(struct kunit *test)
{
	is_at(test, 1600, 800);
	KUNIT_ASSERT_EQ(test, slide(test, 1605, 20000, 16), 0);
	expect_slide(test, 1616, 16);
}

/* Then another place would be as good as this one. */
static void slide_overlaps(struct kunit *test)
{
	is_at(test, 1000, 100);
	expect_none(test, slide(test, 0, 900, 1));
	expect_none(test, slide(test, 1100, 2000, 1));
	KUNIT_ASSERT_EQ(test, slide(test, 0, 901, 1), 0);
	expect_slide(test, 901, 99);
}

/* It is where it should be. */
static void slide_has_to_leave(struct kunit *test)
{
	is_at(test, 1000, 100);
	expect_none(test, slide(test, 0, 1000, 1));
	expect_none(test, slide(test, 1000, 2000, 1));
}

static void slide_is_one_sub_transfer(struct kunit *test)
{
	is_at(test, 8000, QUIRE_SUB_TRANSFER_PAGES);
	KUNIT_ASSERT_EQ(test, slide(test, 0, 7990, 1), 0);
	expect_slide(test, 7990, 10);
}

static void slide_is_not_more(struct kunit *test)
{
	is_at(test, 8000, QUIRE_SUB_TRANSFER_PAGES + 1);
	expect_none(test, slide(test, 0, 7990, 1));
}

static void slide_leaves_a_run(struct kunit *test)
{
	struct room *room = test->priv;

	is_at(test, 1000, 100);
	room->old.base.placement = 0;
	expect_none(test, slide(test, 0, 999, 1));
}

/* Somebody has a page of the room that it needs. */
static void slide_takes_what_is_free(struct kunit *test)
{
	struct room *room = test->priv;

	is_at(test, 990, 1);
	list_splice_init(&room->old.blocks, &room->new.blocks);
	is_at(test, 1000, 100);
	list_splice_init(&room->new.blocks, &room->old.blocks);
	expect_none(test, slide(test, 0, 989, 1));
	KUNIT_ASSERT_EQ(test, slide(test, 0, 991, 1), 0);
	KUNIT_EXPECT_EQ(test, blocks_pages(room, &room->new), 9);
}

/* The move has failed: the old place is as it was. */
static void slide_can_be_undone(struct kunit *test)
{
	struct room *room = test->priv;

	is_at(test, 1000, 100);
	KUNIT_ASSERT_EQ(test, slide(test, 0, 990, 1), 0);
	KUNIT_EXPECT_PTR_EQ(test, room->old.to, &room->new);
	quire_vram_slide_end(&room->mgr, &room->new);
	KUNIT_EXPECT_NULL(test, room->old.to);
	KUNIT_EXPECT_EQ(test, blocks_pages(room, &room->new), 10);
	KUNIT_EXPECT_EQ(test, blocks_pages(room, &room->old), 100);
}

static struct kunit_case quire_vram_slide_cases[] = {
	KUNIT_CASE(slide_takes_one_page_downwards),
	KUNIT_CASE(slide_takes_one_page_upwards),
	KUNIT_CASE(slide_goes_as_far_as_it_has_to),
	KUNIT_CASE(slide_goes_as_far_upwards),
	KUNIT_CASE(slide_is_not_too_short),
	KUNIT_CASE(slide_begins_aligned),
	KUNIT_CASE(slide_begins_aligned_upwards),
	KUNIT_CASE(slide_overlaps),
	KUNIT_CASE(slide_has_to_leave),
	KUNIT_CASE(slide_is_one_sub_transfer),
	KUNIT_CASE(slide_is_not_more),
	KUNIT_CASE(slide_leaves_a_run),
	KUNIT_CASE(slide_takes_what_is_free),
	KUNIT_CASE(slide_can_be_undone),
	{}
};

static struct kunit_suite quire_vram_slide_suite = {
	.name = "quire_vram_slide",
	.init = room_init,
	.exit = room_exit,
	.test_cases = quire_vram_slide_cases,
};

kunit_test_suite(quire_vram_slide_suite);
