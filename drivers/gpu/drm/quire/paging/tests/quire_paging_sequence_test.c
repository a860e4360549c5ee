// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Sub-transfers: which may follow which, and that those described by a part of the run
 * lists are those described by all of them.
 */
#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "../quire_paging_list.h"
#include "quire_paging_args.h"

#define START	QUIRE_TRANSFER_START
#define END	QUIRE_TRANSFER_END
#define ONE	(QUIRE_TRANSFER_START | QUIRE_TRANSFER_END)

static const struct quire_paging_allocation object = {
	.size = 8 * PAGE, .pitch_aligned_size = 8 * PAGE,
};

static const struct quire_paging_allocation other = {
	.size = 8 * PAGE, .pitch_aligned_size = 8 * PAGE,
};

#define SWIZZLE	QUIRE_TRANSFER_SWIZZLE
#define LOCK	QUIRE_PAGING_SPECIAL_LOCK_TRANSFER

static const struct quire_paging_allocation image = {
	.size = 8 * PAGE, .pitch_aligned_size = 12 * PAGE,
};

/**
 * struct step - one operation of a sequence
 * @err: what the check says
 * @first: page of the object
 * @bytes: of this part
 * @flags: START, END, SWIZZLE
 * @mdl: pages that the list is ahead of the segment
 * @allocation: NULL: none
 * @to: segment, if not the system's
 * @operation: what it is, if not a transfer
 *
 * A case ends with a step of no flags, bytes and error.
 */
struct step {
	int err;
	u64 first;
	u64 bytes;
	u32 flags;
	u64 mdl;
	const struct quire_paging_allocation *allocation;
	u32 to;
	enum quire_paging_operation operation;
};

struct sequence_case {
	const char *name;
	struct step steps[8];
};

#define P(n)	((n) * PAGE)
#define OF(who)	.allocation = who

static const struct sequence_case sequence_cases[] = {
	{ "one shot", { { 0, 0, P(8), ONE, OF(&object) } } },
	{ "two one shots", { { 0, 0, P(8), ONE, OF(&object) }, { 0, 0, P(8), ONE, OF(&other) } } },
	{ "parts", { { 0, 0, P(3), START, OF(&object) }, { 0, 3, P(1), 0, OF(&object) },
		     { 0, 4, P(4), END, OF(&object) } } },
	{ "parts of a list that begins elsewhere", {
		{ 0, 0, P(3), START, 5, OF(&object) }, { 0, 3, P(5), END, 5, OF(&object) } } },
	{ "another after the end", {
		{ 0, 0, P(4), START, OF(&object) }, { 0, 4, P(4), END, OF(&object) },
		{ 0, 0, P(4), START, OF(&other) }, { 0, 4, P(4), END, OF(&other) } } },
	{ "raw bytes", { { 0, 0, P(2), START, OF(NULL) },
			 { 0, 2, P(2) + 5, END, OF(NULL) } } },
	{ "START inside", { { 0, 0, P(4), START, OF(&object) },
			    { -EINVAL, 4, P(4), START, OF(&object) },
			    { -EINVAL, 0, P(8), ONE, OF(&other) },
			    { 0, 4, P(4), END, OF(&object) } } },
	{ "END without START", { { -EINVAL, 0, P(8), END, OF(&object) } } },
	{ "part without START", { { -EINVAL, 0, P(4), 0, OF(&object) } } },
	{ "part after the end", { { 0, 0, P(8), ONE, OF(&object) },
				  { -EINVAL, 7, P(1), END, OF(&object) } } },
	{ "hole", { { 0, 0, P(3), START, OF(&object) }, { -ERANGE, 4, P(4), END, OF(&object) } } },
	{ "overlap", { { 0, 0, P(3), START, OF(&object) },
		       { -ERANGE, 2, P(6), END, OF(&object) } } },
	{ "the same part twice", { { 0, 0, P(3), START, OF(&object) },
				   { 0, 3, P(1), 0, OF(&object) },
				   { -ERANGE, 3, P(1), 0, OF(&object) } } },
	{ "hole in the list", { { 0, 0, P(3), START, OF(&object) },
				{ -ERANGE, 3, P(5), END, 1, OF(&object) } } },
	{ "hole at the start", { { -ERANGE, 1, P(7), ONE, OF(&object) } } },
	{ "hole at the end", { { -ERANGE, 0, P(7), ONE, OF(&object) } } },
	{ "more than there is", { { 0, 0, P(8), START, OF(&object) },
				  { -ERANGE, 8, P(1), END, OF(&object) } } },
	{ "another object's part", { { 0, 0, P(4), START, OF(&object) },
				     { -EINVAL, 4, P(4), END, OF(&other) },
				     { -EINVAL, 4, P(4), END, OF(NULL) } } },
	{ "to another place", { { 0, 0, P(4), START, OF(&object) },
				{ -EINVAL, 4, P(4), END, OF(&object),
				  .to = QUIRE_SEGMENT_APERTURE } } },
	{ "part of half a page", { { -EINVAL, 0, P(4) - 1, START, OF(&object) } } },
	{ "parts inside of a segment", { { 0, 0, P(4), START, OF(&object),
					   .to = QUIRE_SEGMENT_VRAM },
					 { -EINVAL, 4, P(4), END, OF(&object),
					   .to = QUIRE_SEGMENT_APERTURE },
					 { 0, 4, P(4), END, OF(&object),
					   .to = QUIRE_SEGMENT_VRAM } } },
	{ "nothing", { { 0, 0, 0, ONE, OF(&object) }, { 0, 0, P(8), ONE, OF(&object) } } },
	{ "nothing does not start", { { 0, 0, 0, START, OF(&object) },
				      { -EINVAL, 0, P(8), END, OF(&object) } } },
	{ "nothing at the end", { { 0, 0, P(8), START, OF(&object) },
				  { 0, 8, 0, END, OF(&object) },
				  { 0, 0, P(8), ONE, OF(&object) } } },
	{ "parts that convert have the size of the backing", {
		{ 0, 0, P(4), START | SWIZZLE, OF(&image) },
		{ -ERANGE, 4, P(8), END | SWIZZLE, OF(&image) },
		{ 0, 4, P(4), END | SWIZZLE, OF(&image) } } },
	{ "parts that do not have that in VRAM", {
		{ 0, 0, P(4), START, OF(&image) }, { -ERANGE, 4, P(4), END, OF(&image) },
		{ 0, 4, P(8), END, OF(&image) } } },
	{ "all parts convert, or none", {
		{ 0, 0, P(4), START | SWIZZLE, OF(&image) },
		{ -EINVAL, 4, P(8), END, OF(&image) } } },
	{ "parts of a special lock", {
		{ 0, 0, P(4), START | SWIZZLE, OF(&image), .operation = LOCK },
		{ 0, 4, P(1), SWIZZLE, OF(&image), .operation = LOCK },
		{ -ERANGE, 4, P(4), END | SWIZZLE, OF(&image), .operation = LOCK },
		{ 0, 5, P(3), END | SWIZZLE, OF(&image), .operation = LOCK },
		{ 0, 0, P(8), ONE | SWIZZLE, OF(&image) } } },
	{ "a special lock does not go on as a transfer", {
		{ 0, 0, P(4), START | SWIZZLE, OF(&image), .operation = LOCK },
		{ -EINVAL, 4, P(4), END | SWIZZLE, OF(&image) },
		{ 0, 4, P(4), END | SWIZZLE, OF(&image), .operation = LOCK },
		{ -EINVAL, 4, P(4), END | SWIZZLE, OF(&image), .operation = LOCK } } },
	{ "another operation between", { { 0, 0, P(4), START, OF(&object) },
					 { 0, .operation = QUIRE_PAGING_FILL, .bytes = 1 },
					 { 0, 4, P(4), END, OF(&object) } } },
};

KUNIT_ARRAY_PARAM_DESC(sequence, sequence_cases, name);

/* Wherever its range is, no offset of a list is there. */
static struct quire_paging_args step_special_lock(const struct step *step)
{
	return (struct quire_paging_args) {
		.operation = LOCK,
		.allocation = step->allocation,
		.u.special_lock = {
			.source.segment = QUIRE_SEGMENT_VRAM,
			.transfer_offset = step->first * PAGE,
			.transfer_size = step->bytes,
			.flags = step->flags,
			.swizzling_range_id = step->first,
			.swizzling_range_data = step->bytes >> 12,
		},
	};
}

static struct quire_paging_args step_args(const struct step *step)
{
	if (step->operation == LOCK)
		return step_special_lock(step);
	if (step->operation != QUIRE_PAGING_TRANSFER)
		return (struct quire_paging_args) { .operation = step->operation };

	return (struct quire_paging_args) {
		.operation = QUIRE_PAGING_TRANSFER,
		.allocation = step->allocation,
		.u.transfer = {
			.source.segment = QUIRE_SEGMENT_VRAM,
			.destination.segment = step->to,
			.transfer_offset = step->first * PAGE,
			.transfer_size = step->bytes,
			.mdl_offset = step->first + step->mdl,
			.flags = step->flags,
		},
	};
}

static void sequence_follows(struct kunit *test)
{
	const struct sequence_case *c = test->param_value;
	struct quire_paging_sequence sequence = { }, before;
	const struct step *step = c->steps;
	struct quire_paging_args args;
	u32 i;

	for (i = 0; step->flags || step->bytes || step->err; i++, step++) {
		args = step_args(step);
		before = sequence;
		KUNIT_EXPECT_EQ_MSG(test, quire_paging_sequence_check(&sequence, &args),
				    step->err, "step %u", i);
		KUNIT_EXPECT_MEMEQ(test, &sequence, &before, sizeof(sequence));
		if (!step->err)
			quire_paging_sequence_note(&sequence, &args);
	}
}

/*
 * Inside of a segment, from pages 0x100 on. What overlaps is not moved in several parts: the
 * first one would overwrite what the second reads, wherever it begins.
 */
static void sequence_overlap(struct kunit *test)
{
	struct quire_paging_sequence sequence = { };
	struct quire_page_run source = { 0x100, 8 }, destination = { .count = 8 };
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_TRANSFER,
		.allocation = &object,
		.u.transfer = {
			.source = { QUIRE_SEGMENT_VRAM, 1, 0, &source },
			.destination = { QUIRE_SEGMENT_VRAM, 1, 0, &destination },
			.transfer_size = P(4),
			.flags = START,
		},
	};
	struct quire_paging_transfer *t = &args.u.transfer;

	for (destination.first = 0xf8; destination.first <= 0x108; destination.first++) {
		bool apart = destination.first <= 0xfc || destination.first >= 0x104;

		KUNIT_EXPECT_EQ_MSG(test, quire_paging_sequence_check(&sequence, &args),
				    apart ? 0 : -EINVAL, "at %#llx", destination.first);
	}

	t->flags = ONE;
	t->transfer_size = P(8);
	destination.first = 0x101;
	KUNIT_EXPECT_EQ(test, quire_paging_sequence_check(&sequence, &args), 0);

	/* The second half, of which the sides have different parts. */
	sequence = (struct quire_paging_sequence) {
		.pending = true,
		.allocation = &object,
		.source = QUIRE_SEGMENT_VRAM,
		.destination = QUIRE_SEGMENT_VRAM,
		.transfer_offset = P(4),
	};
	t->flags = END;
	t->transfer_offset = P(4);
	t->transfer_size = P(4);
	t->destination.start = 2;
	destination = (struct quire_page_run) { 0x102 - 4, 6 };
	KUNIT_EXPECT_EQ(test, quire_paging_sequence_check(&sequence, &args), 0);
	destination.first++;
	KUNIT_EXPECT_EQ(test, quire_paging_sequence_check(&sequence, &args), -EINVAL);
	destination.first = 0x102 + 4;
	KUNIT_EXPECT_EQ(test, quire_paging_sequence_check(&sequence, &args), 0);
	destination.first--;
	KUNIT_EXPECT_EQ(test, quire_paging_sequence_check(&sequence, &args), -EINVAL);
}

#define MANY	24

/* Of the pages [first, first + pages) of @all; @array holds them. */
static struct quire_paging_location part_of(const struct quire_paging_location *all,
					    struct quire_page_run *array, u64 first, u64 pages)
{
	struct quire_paging_location part = {
		.segment = all->segment,
		.start = first,
		.runs = array,
	};
	u64 page = 0;
	u32 i;

	for (i = 0; i < all->nr_runs; i++) {
		u64 from = max(page, first), count = all->runs[i].count;
		u64 to = min(page + count, first + pages);

		if (from < to)
			array[part.nr_runs++] = (struct quire_page_run) {
				.first = all->runs[i].first + from - page,
				.count = to - from,
			};
		page += count;
	}
	return part;
}

struct window {
	u64 bytes[128];
	u64 records[64];
};

/* Builds all of it in windows of @size. Returns the bytes of packets. */
static u32 build_all(struct kunit *test, struct quire_paging_args *args, struct window *window,
		     u32 size)
{
	enum quire_build_status status;
	u32 used = 0;

	memset(window, 0, sizeof(*window));
	args->private_data = window->records;
	args->private_data_size = sizeof(window->records);
	KUNIT_ASSERT_EQ(test, quire_paging_check_args(&caps, args), 0);
	do {
		args->dma_buffer = (u8 *)window->bytes + used;
		args->dma_size = min_t(u32, size, sizeof(window->bytes) - used);
		status = quire_build_paging_buffer(&caps, args);
		KUNIT_ASSERT_TRUE_MSG(test, args->dma_buffer != (u8 *)window->bytes + used,
				      "no progress in a window of %u", size);
		used = (u8 *)args->dma_buffer - (u8 *)window->bytes;
	} while (status == QUIRE_BUILD_FULL);

	KUNIT_ASSERT_EQ(test, (int)status, (int)QUIRE_BUILD_DONE);
	return used;
}

static const struct quire_page_run list_runs[] = {
	{ 100, 1 }, { 7, 3 }, { 50, 1 }, { 52, 1 }, { 60, 9 }, { 90, 2 }, { 30, 7 },
};

static const struct quire_page_run vram_runs[] = { { 0x200, 5 }, { 0x80, 8 }, { 0x100, 11 } };

static const struct quire_paging_location whole_list = {
	.segment = QUIRE_SEGMENT_SYSTEM, .nr_runs = ARRAY_SIZE(list_runs), .runs = list_runs,
};

static const struct quire_paging_location whole_vram = {
	.segment = QUIRE_SEGMENT_VRAM, .nr_runs = ARRAY_SIZE(vram_runs), .runs = vram_runs,
};

static void expect_same(struct kunit *test, struct quire_paging_args *whole,
			struct quire_paging_args *part, u64 first)
{
	static struct window expected, found; /* too large for the stack */
	u32 sizes[] = { 48, 56, 80, sizeof(found.bytes) };
	u32 i, used;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		whole->multipass_offset = 0;
		part->multipass_offset = 0;
		used = build_all(test, whole, &expected, sizes[i]);
		KUNIT_EXPECT_EQ(test, build_all(test, part, &found, sizes[i]), used);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(&expected, &found, sizeof(found)), 0,
				    "from page %llu in windows of %u", first, sizes[i]);
	}
}

/* Every part of a transfer, in both directions. */
static void sequence_parts_of_a_transfer(struct kunit *test)
{
	struct quire_page_run list[MANY], vram[MANY];
	u64 first, pages;

	for (first = 0; first < 24; first++) {
		for (pages = 1; first + pages <= 24; pages++) {
			struct quire_paging_args whole = {
				.operation = QUIRE_PAGING_TRANSFER,
				.u.transfer = {
					.source = whole_vram,
					.destination = whole_list,
					.transfer_offset = first * PAGE,
					.transfer_size = pages * PAGE,
					.mdl_offset = first,
				},
			};
			struct quire_paging_args part = whole;

			part.u.transfer.source = part_of(&whole_vram, vram, first, pages);
			part.u.transfer.destination = part_of(&whole_list, list, first, pages);
			expect_same(test, &whole, &part, first);
			swap(whole.u.transfer.source, whole.u.transfer.destination);
			swap(part.u.transfer.source, part.u.transfer.destination);
			expect_same(test, &whole, &part, first);
		}
	}
}

static void sequence_parts_of_a_map(struct kunit *test)
{
	struct quire_page_run list[MANY];
	u64 first, pages;

	for (first = 0; first < 24; first++) {
		for (pages = 1; first + pages <= 24; pages++) {
			struct quire_paging_args whole = {
				.operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT,
				.u.map = {
					.offset_in_pages = 0x40 + first,
					.number_of_pages = pages,
					.mdl = whole_list,
					.mdl_offset = first,
				},
			};
			struct quire_paging_args part = whole;

			part.u.map.mdl = part_of(&whole_list, list, first, pages);
			expect_same(test, &whole, &part, first);
		}
	}
}

/* A part of the runs is not enough for what stands before or behind it. */
static void sequence_part_too_small(struct kunit *test)
{
	struct quire_page_run list[MANY];
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT,
		.u.map.mdl = part_of(&whole_list, list, 4, 8),
	};
	struct quire_paging_map *map = &args.u.map;

	map->mdl_offset = 4;
	map->number_of_pages = 8;
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&caps, &args), 0);
	map->number_of_pages = 9;
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&caps, &args), -ERANGE);
	map->number_of_pages = 8;
	map->mdl_offset = 5;
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&caps, &args), -ERANGE);
	map->mdl_offset = 3;
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&caps, &args), -ERANGE);
	map->mdl_offset = 11;
	map->number_of_pages = 1;
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&caps, &args), 0);
}

/* Operations that know no offset take all pages that are named. */
static void sequence_part_without_offset(struct kunit *test)
{
	struct quire_page_run vram[MANY];
	struct quire_paging_location part = part_of(&whole_vram, vram, 4, 8);
	struct quire_paging_args fill = {
		.operation = QUIRE_PAGING_FILL,
		.u.fill = { .destination = part, .fill_size = PAGE },
	};
	struct quire_paging_args discard = {
		.operation = QUIRE_PAGING_DISCARD_CONTENT,
		.u.discard.location = part,
	};

	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&caps, &fill), -ERANGE);
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&caps, &discard), -ERANGE);
	fill.u.fill.destination.start = 0;
	discard.u.discard.location.start = 0;
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&caps, &fill), 0);
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&caps, &discard), 0);
}

static struct kunit_case quire_paging_sequence_cases[] = {
	KUNIT_CASE_PARAM(sequence_follows, sequence_gen_params),
	KUNIT_CASE(sequence_overlap),
	KUNIT_CASE(sequence_parts_of_a_transfer),
	KUNIT_CASE(sequence_parts_of_a_map),
	KUNIT_CASE(sequence_part_too_small),
	KUNIT_CASE(sequence_part_without_offset),
	{}
};

static struct kunit_suite quire_paging_sequence_suite = {
	.name = "quire_paging_sequence",
	.test_cases = quire_paging_sequence_cases,
};

kunit_test_suite(quire_paging_sequence_suite);
