// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The table of what the aperture shows: what is entered is found again, and nothing else. */
#include <kunit/test.h>

#include <linux/sizes.h>

#include <asm/byteorder.h>

#include <quire/quire_hw.h>

#include "../quire_aperture.h"

#define PAGES	1024

/**
 * struct map - a packet with room for its runs
 * @packet: the packet
 * @runs: of it
 */
struct map {
	struct quire_packet_map packet;
	__le64 runs[2 * QUIRE_APERTURE_RUNS];
};

/**
 * struct table - what a case works with
 * @aperture: under test
 * @map: the next packet
 * @part: what was found last
 */
struct table {
	struct quire_aperture aperture;
	struct map map;
	struct quire_aperture_part part;
};

static int table_init(struct kunit *test)
{
	struct table *table = kunit_kzalloc(test, sizeof(*table), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, table);
	KUNIT_ASSERT_EQ(test, quire_aperture_init(&table->aperture, PAGES * QUIRE_PAGE_SIZE), 0);
	test->priv = table;
	return 0;
}

static void table_exit(struct kunit *test)
{
	struct table *table = test->priv;

	quire_aperture_fini(&table->aperture);
}

/* Maps @count pages from @page on at @first, in one run. */
static void map_run(struct table *table, u32 first, u64 page, u32 count, u16 flags)
{
	table->map.packet.header.flags = cpu_to_le16(flags);
	table->map.packet.first_page = cpu_to_le64(first);
	table->map.packet.pages = cpu_to_le32(count);
	table->map.runs[0] = cpu_to_le64(QUIRE_RUN(page, count));
	quire_aperture_map(&table->aperture, &table->map.packet);
}

static void expect_part(struct kunit *test, u32 from, u32 first, u32 count, u64 page,
			bool coherent)
{
	struct table *table = test->priv;
	struct quire_aperture_part *part = &table->part;

	KUNIT_ASSERT_TRUE(test, quire_aperture_next(&table->aperture, from, part));
	KUNIT_EXPECT_EQ(test, part->first, first);
	KUNIT_EXPECT_EQ(test, part->count, count);
	KUNIT_EXPECT_EQ(test, part->coherent, coherent);
	KUNIT_EXPECT_EQ(test, part->runs[0].first, page);
}

static void expect_nothing(struct kunit *test, u32 from)
{
	struct table *table = test->priv;

	KUNIT_EXPECT_FALSE(test, quire_aperture_next(&table->aperture, from, &table->part));
}

static void aperture_is_empty_at_first(struct kunit *test)
{
	expect_nothing(test, 0);
	expect_nothing(test, PAGES);
}

/* Page 0 is a page like any other, and so is the last one of the aperture. */
static void aperture_finds_what_is_mapped(struct kunit *test)
{
	struct table *table = test->priv;

	map_run(table, 5, 0, 3, 0);
	map_run(table, PAGES - 2, 0xfffffffffull, 2, QUIRE_MAP_CACHE_COHERENT);
	expect_part(test, 0, 5, 3, 0, false);
	expect_part(test, 6, 6, 2, 1, false);
	expect_part(test, 8, PAGES - 2, 2, 0xfffffffffull, true);
	expect_nothing(test, PAGES);
}

static void aperture_joins_what_goes_on(struct kunit *test)
{
	struct table *table = test->priv;

	map_run(table, 0, 100, 4, QUIRE_MAP_CACHE_COHERENT);
	map_run(table, 4, 104, 4, QUIRE_MAP_CACHE_COHERENT);
	expect_part(test, 0, 0, 8, 100, true);
	KUNIT_EXPECT_EQ(test, table->part.nr_runs, 1);

	map_run(table, 8, 200, 2, QUIRE_MAP_CACHE_COHERENT);
	expect_part(test, 0, 0, 10, 100, true);
	KUNIT_EXPECT_EQ(test, table->part.nr_runs, 2);
	KUNIT_EXPECT_EQ(test, table->part.runs[1].first, 200);
	KUNIT_EXPECT_EQ(test, table->part.runs[1].count, 2);
}

static void aperture_keeps_kinds_apart(struct kunit *test)
{
	struct table *table = test->priv;

	map_run(table, 0, 100, 4, QUIRE_MAP_CACHE_COHERENT);
	map_run(table, 4, 104, 4, 0);
	expect_part(test, 0, 0, 4, 100, true);
	expect_part(test, 4, 4, 4, 104, false);
	expect_nothing(test, 8);
}

static void aperture_forgets_what_is_unmapped(struct kunit *test)
{
	struct table *table = test->priv;

	map_run(table, 0, 100, 8, 0);
	quire_aperture_unmap(&table->aperture, 2, 3);
	expect_part(test, 0, 0, 2, 100, false);
	expect_part(test, 2, 5, 3, 105, false);
	KUNIT_EXPECT_EQ(test, quire_aperture_mapped(&table->aperture), 5);
	quire_aperture_unmap(&table->aperture, 0, PAGES);
	expect_nothing(test, 0);
	KUNIT_EXPECT_EQ(test, quire_aperture_mapped(&table->aperture), 0);
}

static void aperture_shows_what_was_mapped_last(struct kunit *test)
{
	struct table *table = test->priv;

	map_run(table, 0, 100, 8, 0);
	map_run(table, 0, 300, 8, QUIRE_MAP_CACHE_COHERENT);
	expect_part(test, 0, 0, 8, 300, true);
	KUNIT_EXPECT_EQ(test, quire_aperture_mapped(&table->aperture), 8);
}

/* More runs than a part has: each part goes on where the last one ended. */
static void aperture_is_found_in_parts(struct kunit *test)
{
	struct table *table = test->priv;
	struct map *map = &table->map;
	u32 i, count = ARRAY_SIZE(map->runs) - 1;

	map->packet.first_page = cpu_to_le64(7);
	map->packet.pages = cpu_to_le32(2 * count);
	for (i = 0; i < count; i++)
		map->runs[i] = cpu_to_le64(QUIRE_RUN(1000 - 3 * i, 2));
	quire_aperture_map(&table->aperture, &map->packet);

	expect_part(test, 0, 7, 2 * QUIRE_APERTURE_RUNS, 1000, false);
	KUNIT_EXPECT_EQ(test, table->part.nr_runs, QUIRE_APERTURE_RUNS);
	expect_part(test, 7 + 2 * QUIRE_APERTURE_RUNS, 7 + 2 * QUIRE_APERTURE_RUNS,
		    2 * (QUIRE_APERTURE_RUNS - 1), 1000 - 3 * QUIRE_APERTURE_RUNS, false);
	expect_nothing(test, 7 + 2 * count);
}

static struct kunit_case quire_aperture_cases[] = {
	KUNIT_CASE(aperture_is_empty_at_first),
	KUNIT_CASE(aperture_finds_what_is_mapped),
	KUNIT_CASE(aperture_joins_what_goes_on),
	KUNIT_CASE(aperture_keeps_kinds_apart),
	KUNIT_CASE(aperture_forgets_what_is_unmapped),
	KUNIT_CASE(aperture_shows_what_was_mapped_last),
	KUNIT_CASE(aperture_is_found_in_parts),
	{}
};

static struct kunit_suite quire_aperture_suite = {
	.name = "quire_aperture",
	.init = table_init,
	.exit = table_exit,
	.test_cases = quire_aperture_cases,
};

kunit_test_suite(quire_aperture_suite);
