// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The table of what the aperture shows: what is entered is found again, and nothing else. */
#include <kunit/test.h>

#include <linux/sizes.h>
#include <linux/string.h>

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
 * struct map2 - a packet with room for its page numbers
 * @packet: the packet
 * @numbers: of it
 */
struct map2 {
	struct quire_packet_map2 packet;
	__le64 numbers[2 * QUIRE_APERTURE_PAGES];
};

/**
 * struct table - what a case works with
 * @aperture: under test
 * @map: the next packet
 * @map2: the next packet with an address list
 * @part: what was found last
 */
struct table {
	struct quire_aperture aperture;
	struct map map;
	struct map2 map2;
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

static void map_list(struct table *table, u32 first, u32 count, u16 flags)
{
	table->map2.packet.header.flags = cpu_to_le16(flags);
	table->map2.packet.first_page = cpu_to_le64(first);
	table->map2.packet.pages = cpu_to_le32(count);
	quire_aperture_map2(&table->aperture, &table->map2.packet);
}

/* @count pages from @page on, without an array. */
static void map_base(struct table *table, u32 first, u64 page, u32 count, u16 flags)
{
	table->map2.packet.adl = cpu_to_le64(page);
	memset(table->map2.numbers, 0xff, sizeof(table->map2.numbers));
	map_list(table, first, count, flags | QUIRE_MAP_CONTIGUOUS);
}

/* Every third page from @page on. */
static void map_array(struct table *table, u32 first, u64 page, u32 count, u16 flags)
{
	u32 i;

	table->map2.packet.adl = cpu_to_le64(0x123456789000);
	for (i = 0; i < count; i++)
		table->map2.numbers[i] = cpu_to_le64(page + 3 * i);
	map_list(table, first, count, flags);
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

static void expect_visible(struct kunit *test, u32 first, u32 count, bool contiguous)
{
	struct table *table = test->priv;
	struct quire_aperture_part *part = &table->part;

	KUNIT_ASSERT_TRUE(test, quire_aperture_next(&table->aperture, first, part));
	KUNIT_EXPECT_EQ(test, part->first, first);
	KUNIT_EXPECT_EQ(test, part->count, count);
	KUNIT_EXPECT_TRUE(test, part->cpu_visible);
	KUNIT_EXPECT_EQ(test, part->contiguous, contiguous);
}

/* What the CPU does not see is found in runs, whatever it was mapped by. */
static void aperture_joins_address_lists(struct kunit *test)
{
	struct table *table = test->priv;

	map_base(table, 0, 100, 4, QUIRE_MAP_CACHE_COHERENT);
	map_array(table, 4, 104, 1, QUIRE_MAP_CACHE_COHERENT);
	map_array(table, 5, 200, 3, 0);
	expect_part(test, 0, 0, 5, 100, true);
	KUNIT_EXPECT_FALSE(test, table->part.cpu_visible);
	expect_part(test, 5, 5, 3, 200, false);
	KUNIT_EXPECT_EQ(test, table->part.nr_runs, 3);
	KUNIT_EXPECT_EQ(test, table->part.runs[2].first, 206);
}

/* Neither joined with what it does not see. */
static void aperture_knows_what_the_cpu_sees(struct kunit *test)
{
	struct table *table = test->priv;

	map_run(table, 0, 100, 2, QUIRE_MAP_CACHE_COHERENT);
	map_base(table, 2, 102, 300, QUIRE_MAP_CACHE_COHERENT | QUIRE_MAP_CPU_VISIBLE);
	map_run(table, 302, 402, 2, QUIRE_MAP_CACHE_COHERENT);
	map_base(table, 304, 500, 2, QUIRE_MAP_CPU_VISIBLE);
	expect_part(test, 0, 0, 2, 100, true);
	expect_visible(test, 2, 300, true);
	KUNIT_EXPECT_TRUE(test, table->part.coherent);
	KUNIT_EXPECT_EQ(test, table->part.pages[0], 102);
	expect_part(test, 302, 302, 2, 402, true);
	expect_visible(test, 304, 2, true);
	KUNIT_EXPECT_FALSE(test, table->part.coherent);
	quire_aperture_unmap(&table->aperture, 0, PAGES);
	map_run(table, 304, 500, 1, 0);
	expect_part(test, 0, 304, 1, 500, false);
	KUNIT_EXPECT_FALSE(test, table->part.cpu_visible);
}

/* As many as an array holds, though what comes then follows the last one. */
static void aperture_lists_what_the_cpu_sees(struct kunit *test)
{
	const u32 count = QUIRE_APERTURE_PAGES;
	struct table *table = test->priv;
	u32 i;

	map_array(table, 7, 1000, count - 1, QUIRE_MAP_CPU_VISIBLE);
	map_base(table, 6 + count, 20000, 5, QUIRE_MAP_CPU_VISIBLE);
	expect_visible(test, 7, count, false);
	for (i = 0; i < count - 1; i++)
		KUNIT_EXPECT_EQ(test, table->part.pages[i], 1000 + 3 * i);
	KUNIT_EXPECT_EQ(test, table->part.pages[count - 1], 20000);
	expect_visible(test, 7 + count, 4, true);
	KUNIT_EXPECT_EQ(test, table->part.pages[0], 20001);
}

/* A long run ends where it ends, a short one is a part of an array. */
static void aperture_ends_what_follows(struct kunit *test)
{
	const u32 count = QUIRE_APERTURE_PAGES;
	struct table *table = test->priv;

	map_base(table, 0, 1000, count, QUIRE_MAP_CPU_VISIBLE);
	map_base(table, count, 5000, 2, QUIRE_MAP_CPU_VISIBLE);
	map_base(table, count + 2, 7000, 1, QUIRE_MAP_CPU_VISIBLE);
	expect_visible(test, 0, count, true);
	expect_visible(test, count, 3, false);
	KUNIT_EXPECT_EQ(test, table->part.pages[0], 5000);
	KUNIT_EXPECT_EQ(test, table->part.pages[1], 5001);
	KUNIT_EXPECT_EQ(test, table->part.pages[2], 7000);
	expect_nothing(test, count + 3);
}

static struct kunit_case quire_aperture_cases[] = {
	KUNIT_CASE(aperture_is_empty_at_first),
	KUNIT_CASE(aperture_finds_what_is_mapped),
	KUNIT_CASE(aperture_joins_what_goes_on),
	KUNIT_CASE(aperture_keeps_kinds_apart),
	KUNIT_CASE(aperture_forgets_what_is_unmapped),
	KUNIT_CASE(aperture_shows_what_was_mapped_last),
	KUNIT_CASE(aperture_is_found_in_parts),
	KUNIT_CASE(aperture_joins_address_lists),
	KUNIT_CASE(aperture_knows_what_the_cpu_sees),
	KUNIT_CASE(aperture_lists_what_the_cpu_sees),
	KUNIT_CASE(aperture_ends_what_follows),
	{}
};

static struct kunit_suite quire_aperture_suite = {
	.name = "quire_aperture",
	.init = table_init,
	.exit = table_exit,
	.test_cases = quire_aperture_cases,
};

kunit_test_suite(quire_aperture_suite);
