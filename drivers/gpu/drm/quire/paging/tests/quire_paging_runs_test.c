// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "quire_paging_cases.h"
#include "quire_paging_drive.h"

/*
 * DOC: how the builder walks run lists
 *
 * Packets are followed through the runs of an operation, without memory: so
 * operations can be as large as the token counts.
 */

static int runs_init(struct kunit *test)
{
	test->priv = quire_drive_create(test);

	return 0;
}

/* Follows packets through an operation without memory. */
struct cover {
	const struct quire_paging_location *source; /* or NULL */
	const struct quire_paging_location *destination;
	u64 source_offset; /* pages */
	u64 destination_offset;
	u64 size; /* bytes */
	u64 pages;
	u64 done; /* pages */
	u64 emitted;
	bool from_end;
};

/* Pages of one side: at the place in the list, and never across runs. */
static void cover_side(struct quire_drive *drive, const struct quire_model_packet *packet,
		       const struct quire_paging_location *location, u64 nr,
		       u64 address, u64 pages)
{
	u64 left;
	u32 i;

	if (location->segment) {
		KUNIT_ASSERT_EQ_MSG(drive->test, address,
				    quire_drive_page(location, nr, &left) * PAGE,
				    "%s: address of page %llu", drive->name, nr);
		KUNIT_ASSERT_TRUE_MSG(drive->test, pages <= left, "%s: packet crosses a run",
				      drive->name);
		return;
	}

	for (i = 0; i < packet->nr_runs; i++) {
		u64 count = quire_model_run_pages(packet, i);

		KUNIT_ASSERT_EQ_MSG(drive->test, quire_model_run_first(packet, i),
				    quire_drive_page(location, nr, &left),
				    "%s: page %llu of the list", drive->name, nr);
		KUNIT_ASSERT_TRUE_MSG(drive->test, count <= left, "%s: run crosses a run",
				      drive->name);
		nr += count;
	}
}

static void cover_packet(struct quire_drive *drive, struct cover *cover,
			 const struct quire_model_packet *packet)
{
	u64 pages = packet->bytes / PAGE + !!(packet->bytes % PAGE);
	u64 first = cover->from_end ? cover->pages - cover->done - pages : cover->done;
	u64 rest = cover->size - first * PAGE;

	KUNIT_ASSERT_TRUE_MSG(drive->test, pages <= cover->pages - cover->done,
			      "%s: too many pages", drive->name);
	KUNIT_ASSERT_TRUE_MSG(drive->test, pages <= drive->caps.max_packet_pages,
			      "%s: packet of %llu pages", drive->name, pages);
	KUNIT_ASSERT_EQ_MSG(drive->test, packet->bytes, rest < pages * PAGE ? rest : pages * PAGE,
			    "%s: bytes of a packet", drive->name);
	if (cover->source)
		cover_side(drive, packet, cover->source, cover->source_offset + first,
			   packet->src_address, pages);
	cover_side(drive, packet, cover->destination, cover->destination_offset + first,
		   packet->address, pages);
	cover->done += pages;
	cover->emitted += packet->size;
}

static void cover_pass(struct quire_drive *drive, const u8 *bytes, u32 size)
{
	struct quire_model_packet packet;

	for (; size; size -= packet.size, bytes += packet.size) {
		const char *wrong = quire_model_decode(bytes, size, &packet);

		KUNIT_ASSERT_TRUE_MSG(drive->test, !wrong, "%s: %s", drive->name, wrong);
		cover_packet(drive, drive->pass_data, &packet);
	}
}

static void cover_set(struct cover *cover, const struct quire_paging_args *args,
		      struct quire_paging_location *aperture, struct quire_page_run *run)
{
	const struct quire_paging_transfer *t = &args->u.transfer;

	memset(cover, 0, sizeof(*cover));
	if (args->operation == QUIRE_PAGING_TRANSFER) {
		cover->source = &t->source;
		cover->destination = &t->destination;
		cover->source_offset = quire_drive_offset(args, &t->source);
		cover->destination_offset = quire_drive_offset(args, &t->destination);
		cover->size = t->transfer_size;
		cover->from_end = t->source.segment == t->destination.segment &&
				  t->source.nr_runs == 1 && t->destination.nr_runs == 1 &&
				  t->source.runs->first < t->destination.runs->first;
	} else if (args->operation == QUIRE_PAGING_FILL) {
		cover->destination = &args->u.fill.destination;
		cover->size = args->u.fill.fill_size;
	} else if (args->operation == QUIRE_PAGING_DISCARD_CONTENT) {
		cover->destination = &args->u.discard.location;
		cover->size = quire_drive_pages(cover->destination) * PAGE;
	} else if (args->operation == QUIRE_PAGING_MAP_APERTURE_SEGMENT) {
		cover->destination = &args->u.map.mdl;
		cover->destination_offset = args->u.map.mdl_offset;
		cover->size = args->u.map.number_of_pages * PAGE;
	} else {
		bool list = args->operation == QUIRE_PAGING_MAP_APERTURE_SEGMENT2;

		run->first = list ? args->u.map2.offset_in_pages : args->u.unmap.offset_in_pages;
		run->count = list ? args->u.map2.number_of_pages : args->u.unmap.number_of_pages;
		aperture->segment = QUIRE_SEGMENT_APERTURE;
		aperture->nr_runs = 1;
		aperture->runs = run;
		cover->destination = aperture;
		cover->size = run->count * PAGE;
	}
	cover->pages = cover->size / PAGE + !!(cover->size % PAGE);
}

static u64 cover_run(struct quire_drive *drive)
{
	struct quire_paging_location aperture;
	struct quire_page_run run;
	struct cover cover;

	cover_set(&cover, drive->args, &aperture, &run);
	drive->pass = cover_pass;
	drive->pass_data = &cover;
	KUNIT_ASSERT_TRUE_MSG(drive->test, quire_drive_run(drive), "%s: stuck", drive->name);
	KUNIT_ASSERT_EQ_MSG(drive->test, cover.done, cover.pages, "%s: pages", drive->name);
	KUNIT_ASSERT_EQ_MSG(drive->test, drive->bytes, cover.size, "%s: bytes", drive->name);

	return cover.emitted;
}

/* Bytes, or rectangles: no pages that follow each other from the first to the last. */
static bool is_no_cover(const struct quire_paging_args *args)
{
	return args->operation == QUIRE_PAGING_READ_PHYSICAL ||
	       args->operation == QUIRE_PAGING_WRITE_PHYSICAL ||
	       args->operation == QUIRE_PAGING_SPECIAL_LOCK_TRANSFER ||
	       (args->operation == QUIRE_PAGING_TRANSFER && args->u.transfer.flags & 3);
}

/* No packet crosses a run, even where the next run is its neighbour. */
static void quire_paging_run_boundaries(struct kunit *test)
{
	const struct quire_paging_case *c = test->param_value;
	struct quire_drive *drive = test->priv;
	u32 size;

	if (is_no_cover(&c->args))
		return;

	quire_drive_set(drive, c->name, &c->args, c->max_packet_pages);
	KUNIT_ASSERT_EQ(test, quire_paging_check_args(&drive->caps, &c->args), 0);
	for (size = 48; size < 400; size += 8) {
		drive->window = size;
		cover_run(drive);
	}
}

#define HUGE_PAGES	(BIT_ULL(32) - 1)
#define HUGE_SYSTEM	BIT_ULL(50)

static const struct quire_page_run huge_one[] = { { 7, HUGE_PAGES } };
static const struct quire_page_run huge_up[] = { { 1ull << 20, HUGE_PAGES } };
static const struct quire_page_run huge_far[] = { { 1ull << 40, HUGE_PAGES } };
static const struct quire_page_run huge_system[] = { { HUGE_SYSTEM, 1ull << 34 } };
static const struct quire_page_run huge_split[] = {
	{ 1ull << 33, 1ull << 30 }, { 3, (1ull << 31) + 5 }, { 1ull << 36, 1ull << 31 },
};

static const struct quire_paging_case huge_cases[] = {
	{ "5 GiB to VRAM", 1 << 18,
	  TRANSFER(SYSTEM, huge_system, VRAM, huge_split, 5ull << 30, 0, 0) },
	{ "5 GiB from VRAM, offsets above 4 GiB", 1 << 18,
	  TRANSFER(VRAM, huge_split, SYSTEM, huge_system, (5ull << 30) + 1, 6ull << 30,
		   1ull << 33) },
	{ "16 TiB from a list, less a page", U32_MAX,
	  TRANSFER(SYSTEM, huge_system, VRAM, huge_one, HUGE_PAGES * PAGE, 0, 0) },
	{ "16 TiB inside VRAM", U32_MAX,
	  TRANSFER(VRAM, huge_split, VRAM, huge_far, HUGE_PAGES * PAGE - 1, 0, 0) },
	{ "16 TiB upwards", 1 << 24,
	  TRANSFER(VRAM, huge_one, VRAM, huge_up, HUGE_PAGES * PAGE - 5, 0, 0) },
	{ "16 TiB downwards", 1 << 24,
	  TRANSFER(VRAM, huge_up, VRAM, huge_one, HUGE_PAGES * PAGE, 0, 0) },
	{ "fill of 16 TiB", 1 << 22, FILL(huge_split, HUGE_PAGES * PAGE - 4, 0x89abcdef) },
	{ "discard of 16 TiB", 1 << 26, DISCARD(huge_one) },
	{ "map of 4 TiB", U32_MAX, MAP(1ull << 33, 1ull << 30, huge_system, 1ull << 33, 0) },
	{ "unmap of 16 TiB", 1 << 20, UNMAP(1ull << 40, HUGE_PAGES) },
	{ "map of 16 TiB that follow each other", 1 << 20,
	  MAP2(1ull << 40, HUGE_PAGES, 0, 0, 0, .contiguous = true, .page_count = HUGE_PAGES,
	       .base_page_number = HUGE_SYSTEM) },
};

KUNIT_ARRAY_PARAM_DESC(huge, huge_cases, name);

/* Beyond 32 bits of bytes, up to all that the token counts. */
static void quire_paging_huge(struct kunit *test)
{
	const struct quire_paging_case *c = test->param_value;
	struct quire_drive *drive = test->priv;

	quire_drive_set(drive, c->name, &c->args, c->max_packet_pages);
	drive->caps.vram_pages = 1ull << 51;
	drive->caps.aperture_pages = 1ull << 51;
	KUNIT_ASSERT_EQ(test, quire_paging_check_args(&drive->caps, &c->args), 0);
	drive->window = QUIRE_DRIVE_MAX_WINDOW - 40;
	cover_run(drive);
	drive->window = 4096 + 8;
	cover_run(drive);
}

/* At most 64 bytes for a run of 2 MiB, 16 bytes for a page of its own. */
static void quire_paging_density(struct kunit *test)
{
	struct quire_page_run *runs = kunit_kzalloc(test, 4096 * sizeof(*runs), GFP_KERNEL);
	struct quire_page_run vram = { 5, 4096 };
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_TRANSFER, .u.transfer = {
			.source = { QUIRE_SEGMENT_SYSTEM, 4096, 0, runs },
			.destination = { QUIRE_SEGMENT_VRAM, 1, 0, &vram },
			.transfer_size = 4096 * PAGE,
		},
	};
	struct quire_drive *drive = test->priv;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, runs);
	for (i = 0; i < 4096; i++) {
		runs[i].first = S + 2 * i;
		runs[i].count = 1;
	}
	quire_drive_set(drive, "density", &args, U32_MAX);
	KUNIT_EXPECT_LE(test, cover_run(drive), 16ull * 4096);

	/* 8 runs of 2 MiB, and as many packets. */
	for (i = 0; i < 8; i++) {
		runs[i].first = S + 1024 * i;
		runs[i].count = 512;
	}
	args.u.transfer.source.nr_runs = 8;
	quire_drive_set(drive, "density", &args, 512);
	KUNIT_EXPECT_LE(test, cover_run(drive), 64ull * 8);
}

/* A walk of single pages, whose packets take the runs in order. */
struct walk {
	struct quire_page_run *runs[2];
	const u8 *expected;
	u32 seen; /* bytes */
	u64 done; /* pages */
};

#define WALK_PAGES	60

/* The runs that are described go: the builder has no business there any more. */
static void walk_pass(struct quire_drive *drive, const u8 *bytes, u32 size)
{
	struct walk *walk = drive->pass_data;
	struct quire_model_packet packet;
	u32 offset, i;

	KUNIT_EXPECT_MEMEQ(drive->test, bytes, walk->expected + walk->seen, size);
	walk->seen += size;
	for (offset = 0; offset < size; offset += packet.size) {
		const char *wrong = quire_model_decode(bytes + offset, size - offset, &packet);

		KUNIT_ASSERT_TRUE_MSG(drive->test, !wrong, "%s: %s", drive->name, wrong);
		walk->done += packet.bytes / PAGE;
	}
	for (i = 0; i < walk->done; i++) {
		walk->runs[0][i] = (struct quire_page_run) { 0, BIT_ULL(40) };
		walk->runs[1][i] = (struct quire_page_run) { 0, BIT_ULL(40) };
	}
}

static void walk_fill(struct walk *walk)
{
	u32 i;

	for (i = 0; i < WALK_PAGES; i++) {
		walk->runs[0][i] = (struct quire_page_run) { 2 * i, 1 };
		walk->runs[1][i] = (struct quire_page_run) { 2 * (WALK_PAGES - i), 1 };
	}
}

static void walk_run(struct quire_drive *drive, struct walk *walk,
		     const struct quire_paging_args *args, u8 *expected)
{
	u32 size;

	quire_drive_set(drive, "walk", args, U32_MAX);
	drive->window = 200;
	walk_fill(walk);
	KUNIT_ASSERT_TRUE_MSG(drive->test, quire_drive_run(drive), "stuck");
	KUNIT_ASSERT_GT(drive->test, drive->passes, 1u);
	size = drive->log_size;
	memcpy(expected, drive->log, size);

	walk->expected = expected;
	walk->seen = 0;
	walk->done = 0;
	drive->pass = walk_pass;
	drive->pass_data = walk;
	KUNIT_ASSERT_TRUE_MSG(drive->test, quire_drive_run(drive), "stuck");
	KUNIT_EXPECT_EQ(drive->test, walk->seen, size);
	KUNIT_EXPECT_EQ(drive->test, walk->done, (u64)WALK_PAGES);
}

/* A run list is read once, however many calls it takes. */
static void quire_paging_walks_once(struct kunit *test)
{
	struct walk walk = {
		.runs[0] = kunit_kzalloc(test, WALK_PAGES * sizeof(*walk.runs[0]), GFP_KERNEL),
		.runs[1] = kunit_kzalloc(test, WALK_PAGES * sizeof(*walk.runs[1]), GFP_KERNEL),
	};
	const struct quire_paging_location vram = {
		QUIRE_SEGMENT_VRAM, WALK_PAGES, 0, walk.runs[0],
	};
	const struct quire_paging_location list = {
		QUIRE_SEGMENT_SYSTEM, WALK_PAGES, 0, walk.runs[1],
	};
	const struct quire_paging_args args[] = {
		{ .operation = QUIRE_PAGING_TRANSFER, .u.transfer = {
			.source = list, .destination = vram, .transfer_size = WALK_PAGES * PAGE } },
		{ .operation = QUIRE_PAGING_TRANSFER, .u.transfer = {
			.source = vram, .destination = list, .transfer_size = WALK_PAGES * PAGE } },
		{ .operation = QUIRE_PAGING_FILL, .u.fill = {
			.destination = vram, .fill_size = WALK_PAGES * PAGE } },
		{ .operation = QUIRE_PAGING_DISCARD_CONTENT, .u.discard.location = vram },
		{ .operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT, .u.map = {
			.number_of_pages = WALK_PAGES, .mdl = list } },
	};
	u8 *expected = kunit_kzalloc(test, QUIRE_DRIVE_MAX_LOG, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, walk.runs[0]);
	KUNIT_ASSERT_NOT_NULL(test, walk.runs[1]);
	KUNIT_ASSERT_NOT_NULL(test, expected);
	for (i = 0; i < ARRAY_SIZE(args); i++)
		walk_run(test->priv, &walk, &args[i], expected);
}

KUNIT_ARRAY_PARAM_DESC(operation, quire_paging_operation_cases, name);

static struct kunit_case quire_paging_runs_cases[] = {
	KUNIT_CASE_PARAM(quire_paging_run_boundaries, operation_gen_params),
	KUNIT_CASE_PARAM(quire_paging_huge, huge_gen_params),
	KUNIT_CASE(quire_paging_density),
	KUNIT_CASE(quire_paging_walks_once),
	{}
};

static struct kunit_suite quire_paging_runs_suite = {
	.name = "quire_paging_runs",
	.init = runs_init,
	.test_cases = quire_paging_runs_cases,
};

kunit_test_suite(quire_paging_runs_suite);
