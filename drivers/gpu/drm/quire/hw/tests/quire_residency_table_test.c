// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The residency table over a reset: what the device had and what is noted is found again. */
#include <kunit/test.h>

#include <linux/slab.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include <quire/quire_hw.h>

#include "../quire_residency_table.h"

#define VRAM_PAGES	64
#define APERTURE_PAGES	32

static int table_init(struct kunit *test)
{
	struct quire_residency_table *table = kunit_kzalloc(test, sizeof(*table), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, table);
	KUNIT_ASSERT_EQ(test, quire_residency_table_init(table, VRAM_PAGES, APERTURE_PAGES), 0);
	test->priv = table;
	return 0;
}

static void table_exit(struct kunit *test)
{
	struct quire_residency_table *table = test->priv;

	kvfree(table->entries);
}

static void keep(struct quire_residency_table *table)
{
	table->kept = true;
}

static void enter(struct kunit *test, u32 segment, u64 first, u32 pages, u32 id, u32 offset)
{
	const struct quire_residency_run run = {
		.segment = segment,
		.first = first,
		.pages = pages,
		.id = id,
		.offset = offset,
	};

	quire_residency_table_enter(test->priv, &run);
}

/* Object 7 in two pieces of VRAM, its second half first, 8 at the end, 9 in the aperture. */
static void fill(struct kunit *test)
{
	enter(test, QUIRE_SEGMENT_VRAM, 0, 4, 7, 4);
	enter(test, QUIRE_SEGMENT_VRAM, 4, 4, 0, 0);
	enter(test, QUIRE_SEGMENT_VRAM, 8, 4, 7, 0);
	enter(test, QUIRE_SEGMENT_VRAM, VRAM_PAGES - 2, 100, 8, 0);
	enter(test, QUIRE_SEGMENT_APERTURE, 0, APERTURE_PAGES, 9, 1);
	keep(test->priv);
}

/* The next run is this one; @pages 0: there is none. */
static void expect(struct kunit *test, struct quire_residency_run *run, u32 segment, u64 first,
		   u32 pages, u32 id, u32 offset)
{
	bool found = quire_residency_table_next(test->priv, run);

	KUNIT_ASSERT_EQ(test, found, pages != 0);
	if (!found)
		return;
	KUNIT_EXPECT_EQ(test, run->segment, segment);
	KUNIT_EXPECT_EQ(test, run->first, first);
	KUNIT_EXPECT_EQ(test, run->pages, pages);
	KUNIT_EXPECT_EQ(test, run->id, id);
	KUNIT_EXPECT_EQ(test, run->offset, offset);
}

static void residency_walk(struct kunit *test)
{
	struct quire_residency_run run = { };

	expect(test, &run, 0, 0, 0, 0, 0);
	fill(test);
	expect(test, &run, QUIRE_SEGMENT_VRAM, 0, 4, 7, 4);
	expect(test, &run, QUIRE_SEGMENT_VRAM, 8, 4, 7, 0);
	expect(test, &run, QUIRE_SEGMENT_VRAM, VRAM_PAGES - 2, 2, 8, 0);
	expect(test, &run, QUIRE_SEGMENT_APERTURE, 0, APERTURE_PAGES, 9, 1);
	expect(test, &run, 0, 0, 0, 0, 0);
}

/* Pages that follow each other, but not in their object, and objects that follow each other. */
static void residency_neighbours(struct kunit *test)
{
	struct quire_residency_run run = { };

	enter(test, QUIRE_SEGMENT_VRAM, 10, 1, 1, 0);
	enter(test, QUIRE_SEGMENT_VRAM, 11, 1, 1, 2);
	enter(test, QUIRE_SEGMENT_VRAM, 12, 1, 2, 3);
	keep(test->priv);
	expect(test, &run, QUIRE_SEGMENT_VRAM, 10, 1, 1, 0);
	expect(test, &run, QUIRE_SEGMENT_VRAM, 11, 1, 1, 2);
	expect(test, &run, QUIRE_SEGMENT_VRAM, 12, 1, 2, 3);
	expect(test, &run, 0, 0, 0, 0, 0);
}

static void note(struct kunit *test, u32 id, bool resident, u32 segment, u64 first, u32 pages)
{
	const struct quire_packet_notify_residency packet = {
		.header.flags = cpu_to_le16(resident ? QUIRE_NOTIFY_RESIDENT : 0),
		.allocation = cpu_to_le32(id),
		.pages = cpu_to_le32(pages),
		.address = cpu_to_le64(QUIRE_ADDRESS(segment, first << QUIRE_PAGE_SHIFT)),
	};

	quire_residency_table_note(test->priv, &packet);
}

static void residency_note(struct kunit *test)
{
	struct quire_residency_run run = { };

	/* the device has the table: that is where it is told */
	note(test, 5, true, QUIRE_SEGMENT_VRAM, 20, 2);
	fill(test);
	note(test, 7, false, 0, 0, 0);
	note(test, 9, false, 0, 0, 0);
	note(test, 7, true, QUIRE_SEGMENT_APERTURE, 8, 8);
	note(test, 9, true, QUIRE_SEGMENT_VRAM, 1, 3);
	expect(test, &run, QUIRE_SEGMENT_VRAM, 1, 3, 9, 0);
	expect(test, &run, QUIRE_SEGMENT_VRAM, VRAM_PAGES - 2, 2, 8, 0);
	expect(test, &run, QUIRE_SEGMENT_APERTURE, 8, 8, 7, 0);
	expect(test, &run, 0, 0, 0, 0, 0);
}

/**
 * struct part - a notice with room for runs
 * @packet: the notice
 * @runs: of it
 */
struct part {
	struct quire_packet_notify_residency2 packet;
	__le64 runs[2];
};

static void residency_note_parts(struct kunit *test)
{
	struct part comes = {
		.packet = {
			.header.flags = cpu_to_le16(QUIRE_NOTIFY_RESIDENT),
			.allocation = cpu_to_le32(3),
			.segment = cpu_to_le32(QUIRE_SEGMENT_VRAM),
			.offset = cpu_to_le32(10),
			.pages = cpu_to_le32(5),
		},
		.runs = { cpu_to_le64(QUIRE_RUN(40, 2)), cpu_to_le64(QUIRE_RUN(30, 3)) },
	};
	struct part leaves = {
		.packet = {
			.allocation = cpu_to_le32(7),
			.segment = cpu_to_le32(QUIRE_SEGMENT_VRAM),
			.offset = cpu_to_le32(2),
			.pages = cpu_to_le32(4),
		},
	};
	struct quire_residency_run run = { };

	quire_residency_table_note2(test->priv, &comes.packet);
	fill(test);
	quire_residency_table_note2(test->priv, &leaves.packet);
	quire_residency_table_note2(test->priv, &comes.packet);
	expect(test, &run, QUIRE_SEGMENT_VRAM, 2, 2, 7, 6);
	expect(test, &run, QUIRE_SEGMENT_VRAM, 8, 2, 7, 0);
	expect(test, &run, QUIRE_SEGMENT_VRAM, 30, 3, 3, 12);
	expect(test, &run, QUIRE_SEGMENT_VRAM, 40, 2, 3, 10);
	expect(test, &run, QUIRE_SEGMENT_VRAM, VRAM_PAGES - 2, 2, 8, 0);
	expect(test, &run, QUIRE_SEGMENT_APERTURE, 0, APERTURE_PAGES, 9, 1);
	expect(test, &run, 0, 0, 0, 0, 0);
}

/* A part in one segment is none in the other. */
static void residency_note_segment(struct kunit *test)
{
	struct part leaves = {
		.packet = {
			.allocation = cpu_to_le32(7),
			.segment = cpu_to_le32(QUIRE_SEGMENT_APERTURE),
			.pages = cpu_to_le32(8),
		},
	};
	struct quire_residency_run run = { };

	fill(test);
	quire_residency_table_note2(test->priv, &leaves.packet);
	expect(test, &run, QUIRE_SEGMENT_VRAM, 0, 4, 7, 4);
}

/* The device has it again, and loses it once more. */
static void residency_again(struct kunit *test)
{
	struct quire_residency_table *table = test->priv;
	struct quire_residency_run run = { };

	KUNIT_EXPECT_FALSE(test, table->works);
	fill(test);
	quire_residency_table_restored(table);
	KUNIT_EXPECT_TRUE(test, table->works);
	expect(test, &run, 0, 0, 0, 0, 0);
	enter(test, QUIRE_SEGMENT_VRAM, 0, VRAM_PAGES, 0, 0);
	enter(test, QUIRE_SEGMENT_APERTURE, 0, APERTURE_PAGES, 0, 0);
	keep(table);
	expect(test, &run, 0, 0, 0, 0, 0);
}

static struct kunit_case quire_residency_cases[] = {
	KUNIT_CASE(residency_walk),
	KUNIT_CASE(residency_neighbours),
	KUNIT_CASE(residency_note),
	KUNIT_CASE(residency_note_parts),
	KUNIT_CASE(residency_note_segment),
	KUNIT_CASE(residency_again),
	{}
};

static struct kunit_suite quire_residency_suite = {
	.name = "quire_residency_table",
	.init = table_init,
	.exit = table_exit,
	.test_cases = quire_residency_cases,
};

kunit_test_suite(quire_residency_suite);
