// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What MMUs show, as executed packets say: it is found again after a reset. */
#include <kunit/test.h>

#include <asm/byteorder.h>

#include <quire/quire_hw.h>

#include "../quire_aperture.h"

#define PAGES	64u

static int table_init(struct kunit *test)
{
	struct quire_mmu_table *table = kunit_kzalloc(test, sizeof(*table), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, table);
	KUNIT_ASSERT_EQ(test, quire_mmu_table_init(table, PAGES), 0);
	test->priv = table;
	return 0;
}

static void table_exit(struct kunit *test)
{
	quire_mmu_table_fini(test->priv);
}

static struct quire_packet_map_mmu *packet_make(struct kunit *test, u32 mmu, u32 first, u32 pages)
{
	struct quire_packet_map_mmu *packet;

	packet = kunit_kzalloc(test, sizeof(*packet) + PAGES * sizeof(__le64), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, packet);
	packet->mmu = cpu_to_le32(mmu);
	packet->segment = cpu_to_le32(QUIRE_SEGMENT_VRAM);
	packet->address = cpu_to_le64((u64)first << QUIRE_PAGE_SHIFT);
	packet->pages = cpu_to_le32(pages);
	return packet;
}

/* Pages that follow each other, from @page on. */
static void map(struct kunit *test, u32 mmu, u32 first, u32 pages, u64 page)
{
	struct quire_packet_map_mmu *packet = packet_make(test, mmu, first, pages);

	packet->header.flags = cpu_to_le16(QUIRE_MAP_CONTIGUOUS);
	packet->page_numbers[0] = cpu_to_le64(page);
	quire_mmu_table_map(test->priv, packet);
}

static void unmap(struct kunit *test, u32 mmu, u32 first, u32 pages)
{
	const struct quire_packet_unmap_mmu packet = {
		.mmu = cpu_to_le32(mmu),
		.pages = cpu_to_le32(pages),
		.address = cpu_to_le64((u64)first << QUIRE_PAGE_SHIFT),
	};

	quire_mmu_table_unmap(test->priv, &packet);
}

/* The next run is this one. */
static void expect(struct kunit *test, struct quire_mmu_run *run, u32 mmu, u32 first, u32 pages,
		   u64 page)
{
	KUNIT_ASSERT_TRUE(test, quire_mmu_table_next(test->priv, run));
	KUNIT_EXPECT_EQ(test, run->mmu, mmu);
	KUNIT_EXPECT_EQ(test, run->first, first);
	KUNIT_EXPECT_EQ(test, run->pages, pages);
	KUNIT_EXPECT_EQ(test, run->page, page);
}

static void expect_end(struct kunit *test, struct quire_mmu_run *run)
{
	KUNIT_EXPECT_FALSE(test, quire_mmu_table_next(test->priv, run));
}

static void empty_shows_nothing(struct kunit *test)
{
	struct quire_mmu_run run = { };

	expect_end(test, &run);
}

static void neighbours_are_one_run(struct kunit *test)
{
	struct quire_mmu_run run = { };

	map(test, 0, 4, 3, 100);
	map(test, 0, 7, 2, 103);
	map(test, 0, 9, 1, 106);
	expect(test, &run, 0, 4, 5, 100);
	KUNIT_EXPECT_EQ(test, run.segment, QUIRE_SEGMENT_VRAM);
	KUNIT_EXPECT_FALSE(test, run.coherent);
	expect(test, &run, 0, 9, 1, 106);
	expect_end(test, &run);
}

/* Also where the pages behind would go on: they are of another MMU. */
static void runs_end_with_their_mmu(struct kunit *test)
{
	struct quire_mmu_run run = { };

	map(test, 0, PAGES - 2, 2, 10);
	map(test, 1, 0, 2, 12);
	map(test, 1, PAGES - 1, 1, 5);
	expect(test, &run, 0, PAGES - 2, 2, 10);
	expect(test, &run, 1, 0, 2, 12);
	expect(test, &run, 1, PAGES - 1, 1, 5);
	expect_end(test, &run);
}

static void what_is_taken_away_is_not_there(struct kunit *test)
{
	struct quire_mmu_run run = { };

	map(test, 0, 0, 10, 50);
	map(test, 1, 0, 10, 70);
	unmap(test, 0, 3, 4);
	expect(test, &run, 0, 0, 3, 50);
	expect(test, &run, 0, 7, 3, 57);
	expect(test, &run, 1, 0, 10, 70);
	unmap(test, 1, 0, PAGES);
	expect_end(test, &run);
}

static void lists_and_system_pages(struct kunit *test)
{
	struct quire_packet_map_mmu *packet = packet_make(test, 1, 8, 4);
	struct quire_mmu_run run = { };
	static const u64 pages[] = { 9, 10, 4, 5 };
	u32 i;

	packet->segment = cpu_to_le32(QUIRE_SEGMENT_SYSTEM);
	packet->header.flags = cpu_to_le16(QUIRE_MAP_CACHE_COHERENT);
	for (i = 0; i < 4; i++)
		packet->page_numbers[i] = cpu_to_le64(pages[i]);
	quire_mmu_table_map(test->priv, packet);
	map(test, 1, 12, 1, 6);
	expect(test, &run, 1, 8, 2, 9);
	KUNIT_EXPECT_EQ(test, run.segment, QUIRE_SEGMENT_SYSTEM);
	KUNIT_EXPECT_TRUE(test, run.coherent);
	expect(test, &run, 1, 10, 2, 4);
	expect(test, &run, 1, 12, 1, 6);
	KUNIT_EXPECT_EQ(test, run.segment, QUIRE_SEGMENT_VRAM);
	expect_end(test, &run);
}

static struct kunit_case mmu_table_cases[] = {
	KUNIT_CASE(empty_shows_nothing),
	KUNIT_CASE(neighbours_are_one_run),
	KUNIT_CASE(runs_end_with_their_mmu),
	KUNIT_CASE(what_is_taken_away_is_not_there),
	KUNIT_CASE(lists_and_system_pages),
	{ }
};

static struct kunit_suite mmu_table_suite = {
	.name = "quire_mmu_table",
	.init = table_init,
	.exit = table_exit,
	.test_cases = mmu_table_cases,
};

kunit_test_suite(mmu_table_suite);
