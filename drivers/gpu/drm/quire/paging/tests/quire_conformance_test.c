// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Rules of the paging model that have no effect on a device, or none that a device is large
 * enough for: a case for each, with the rule's name. tools/conformance/rules lists them all.
 */
#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "../quire_paging_list.h"
#include "quire_paging_args.h"

#define WINDOW	512
#define RECORDS	(WINDOW / 32)

#define START	QUIRE_TRANSFER_START
#define END	QUIRE_TRANSFER_END

static const struct quire_paging_allocation object = {
	.needs_idle = true, .size = 8 * PAGE, .pitch_aligned_size = 8 * PAGE, .id = 1,
};

/* 8192 elements: 2 columns of 4 tiles, and 8 pages of the linear form. */
static const struct quire_paging_allocation image = {
	.needs_idle = true, .size = 8 * PAGE, .pitch_aligned_size = 8 * PAGE,
	.layout = { QUIRE_LAYOUT_TILE_4K, 2, 64, 128, 1, 1 },
};

#define TWO_RUNS(number)	LOCATION(number, 2, { 0, 4 }, { 8, 4 })

static const struct quire_paging_pte entries[] = { { 1, 9 }, { 1, 4 }, { 1, 7 }, { 1, 2 } };

static const struct quire_paging_copy_range ranges[] = {
	{ 8, 0, PAGE, 0, 0 }, { 8, 0, PAGE, 100, 200 },
};

/*
 * One of each operation, 8 pages in two runs where it has any; both kinds of TRANSFER. The
 * view of the special lock has a page more than that takes.
 */
static const struct quire_paging_args all_operations[] = {
	{ .operation = QUIRE_PAGING_TRANSFER, .allocation = &object, .u.transfer = {
		.source = TWO_RUNS(VRAM), .destination = LIST_8,
		.transfer_size = 8 * PAGE, .flags = START | END } },
	{ .operation = QUIRE_PAGING_TRANSFER, .allocation = &image, .u.transfer = {
		.source = TWO_RUNS(SYSTEM), .destination = VRAM_8,
		.transfer_size = 8 * PAGE, .flags = START | END | QUIRE_TRANSFER_SWIZZLE } },
	{ .operation = QUIRE_PAGING_SPECIAL_LOCK_TRANSFER, .allocation = &image,
		.u.special_lock = {
		.source = VRAM_8, .destination = LOCATION(SYSTEM, 2, { 0, 4 }, { 8, 5 }),
		.transfer_size = 8 * PAGE, .flags = START | END | QUIRE_TRANSFER_UNSWIZZLE,
		.swizzling_range_id = QUIRE_PAGING_NO_RANGE } },
	{ .operation = QUIRE_PAGING_FILL, .allocation = &object, .u.fill = {
		.destination = TWO_RUNS(VRAM), .fill_size = 8 * PAGE } },
	{ .operation = QUIRE_PAGING_DISCARD_CONTENT, .allocation = &object,
		.u.discard.location = TWO_RUNS(VRAM) },
	{ .operation = QUIRE_PAGING_READ_PHYSICAL, .allocation = &object, .u.physical = {
		.segment = QUIRE_SEGMENT_VRAM, .size = 8 } },
	{ .operation = QUIRE_PAGING_WRITE_PHYSICAL, .allocation = &object, .u.physical = {
		.segment = QUIRE_SEGMENT_VRAM, .size = 8 } },
	{ .operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT, .allocation = &object, .u.map = {
		.number_of_pages = 8, .mdl = TWO_RUNS(SYSTEM) } },
	{ .operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT, .allocation = &object, .u.unmap = {
		.number_of_pages = 8, .dummy_page = 0x1000 } },
	{ .operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT2, .allocation = &object, .u.map2 = {
		.number_of_pages = 8,
		.adl = { .page_count = 8, .contiguous = true, .base_page_number = 4 } } },
	{ .operation = QUIRE_PAGING_VIRTUAL_TRANSFER, .allocation = &object,
		.u.transfer_virtual.transfer_size = 8 * PAGE },
	{ .operation = QUIRE_PAGING_VIRTUAL_FILL, .allocation = &object,
		.u.fill_virtual.fill_size = 8 * PAGE },
	{ .operation = QUIRE_PAGING_INIT_CONTEXT_RESOURCE, .allocation = &object },
	{ .operation = QUIRE_PAGING_UPDATE_PAGE_TABLE, .allocation = &object,
		.u.update_page_table = {
		.update_mode = QUIRE_PAGE_TABLE_GPU_VIRTUAL, .num_page_table_entries = 4,
		.page_table_entries = entries } },
	{ .operation = QUIRE_PAGING_FLUSH_TLB, .allocation = &object,
		.u.flush_tlb.root = { QUIRE_PTE_VALID, 4 } },
	{ .operation = QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION, .allocation = &object,
		.u.update_context = {
		.driver_private_data = entries, .driver_private_data_size = sizeof(entries) } },
	{ .operation = QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES, .allocation = &object,
		.u.copy_entries = { .num_ranges = ARRAY_SIZE(ranges), .ranges = ranges } },
	{ .operation = QUIRE_PAGING_NOTIFY_RESIDENCY, .allocation = &object,
		.u.notify_residency = { .resident = true, .segment = QUIRE_SEGMENT_VRAM } },
	{ .operation = QUIRE_PAGING_SIGNAL_MONITORED_FENCE, .allocation = &object },
	{ .operation = QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY, .allocation = &object,
		.u.notify_fences = { .num_fences = 2,
		.fences = FENCES({ .native_fence = 1 }, { .native_fence = 2 }) } },
	{ .operation = QUIRE_PAGING_MAP_MMU, .allocation = &object, .u.map_mmu.adl = {
		.page_count = 8, .contiguous = true, .base_page_number = 4 } },
	{ .operation = QUIRE_PAGING_UNMAP_MMU, .allocation = &object, .u.unmap_mmu = {
		.number_of_pages = 8 } },
	{ .operation = QUIRE_PAGING_NOTIFY_RESIDENCY2, .allocation = &object,
		.u.notify_residency2 = {
		.size_in_pages = 8, .segment = QUIRE_SEGMENT_VRAM, .resident = true,
		.mdl = TWO_RUNS(VRAM) } },
	{ .operation = QUIRE_PAGING_NOTIFY_ALLOC, .allocation = &object, .u.notify_alloc = {
		.flags = QUIRE_NOTIFY_EVICTION, .size_in_bytes = 8 * PAGE } },
};

/**
 * struct window - a paging buffer
 * @bytes: of its packets
 * @records: its private data
 */
struct window {
	__le64 bytes[WINDOW / 8];
	struct quire_paging_record records[RECORDS];
};

static int conformance_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct window), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

static void window_open(struct kunit *test, struct quire_paging_args *args, u32 size)
{
	struct window *window = test->priv;

	args->dma_buffer = size ? window->bytes : NULL;
	args->dma_size = size;
	args->private_data = window->records;
	args->private_data_size = sizeof(window->records);
	args->dma_buffer_write_offset = 0;
}

static bool is_answer(enum quire_build_status status)
{
	return status == QUIRE_BUILD_DONE || status == QUIRE_BUILD_FULL ||
	       status == QUIRE_BUILD_BUSY;
}

static bool may_be_busy(const struct quire_paging_args *args)
{
	return args->operation == QUIRE_PAGING_TRANSFER ||
	       args->operation == QUIRE_PAGING_DISCARD_CONTENT ||
	       args->operation == QUIRE_PAGING_SPECIAL_LOCK_TRANSFER;
}

/* For one packet, of one run where it names some: of the list, and of the tiles. */
static u32 half_window(const struct quire_paging_args *args)
{
	if (args->operation == QUIRE_PAGING_DISCARD_CONTENT)
		return sizeof(struct quire_packet_discard);
	if (args->allocation == &image)
		return sizeof(struct quire_packet_swizzle) + 2 * sizeof(__le64);
	return sizeof(struct quire_packet_transfer) + sizeof(__le64);
}

static u32 smallest_packet(const struct quire_paging_args *args)
{
	switch (args->operation) {
	case QUIRE_PAGING_INIT_CONTEXT_RESOURCE:
	case QUIRE_PAGING_NOTIFY_RESIDENCY:
	case QUIRE_PAGING_SIGNAL_MONITORED_FENCE:
	case QUIRE_PAGING_UNMAP_MMU:
		return 24;
	default:
		return 32;
	}
}

/* Every operation, busy or idle, in windows of every size. */
static void three_answers_and_no_other(struct kunit *test)
{
	struct quire_paging_args args;
	enum quire_build_status status;
	u32 i, size;

	for (i = 0; i < 2 * ARRAY_SIZE(all_operations); i++) {
		for (size = 0; size <= WINDOW; size += 8) {
			memcpy(&args, &all_operations[i / 2], sizeof(args));
			args.allocation_is_idle = i % 2;
			window_open(test, &args, size);
			status = quire_build_paging_buffer(&caps, &args);
			KUNIT_ASSERT_TRUE_MSG(test, is_answer(status), "operation %u, %u bytes",
					      args.operation, size);
			KUNIT_ASSERT_TRUE_MSG(test, status != QUIRE_BUILD_DONE ||
					      size >= smallest_packet(&args),
					      "operation %u: done in %u bytes", args.operation,
					      size);
		}
	}
}

/* Where nothing waits for the GPU there is nothing to wait for. */
static void busy_only_transfer_and_discard(struct kunit *test)
{
	struct quire_paging_args args;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all_operations); i++) {
		memcpy(&args, &all_operations[i], sizeof(args));
		window_open(test, &args, WINDOW);
		KUNIT_EXPECT_EQ_MSG(test, quire_build_paging_buffer(&caps, &args),
				    may_be_busy(&args) ? QUIRE_BUILD_BUSY : QUIRE_BUILD_DONE,
				    "operation %u", args.operation);
	}
}

/* Half of the pages in one packet, then BUSY, then the other half. */
static void expect_token_kept(struct kunit *test, struct quire_paging_args *args)
{
	u32 half;

	args->allocation_is_idle = true;
	window_open(test, args, half_window(args));
	KUNIT_ASSERT_EQ_MSG(test, quire_build_paging_buffer(&caps, args), QUIRE_BUILD_FULL,
			    "operation %u", args->operation);
	half = args->multipass_offset;
	KUNIT_EXPECT_EQ(test, half, args->allocation == &image ? 4096u : 4u);

	args->allocation_is_idle = false;
	window_open(test, args, WINDOW);
	KUNIT_EXPECT_EQ_MSG(test, quire_build_paging_buffer(&caps, args), QUIRE_BUILD_BUSY,
			    "operation %u", args->operation);
	KUNIT_EXPECT_EQ(test, args->multipass_offset, half);
	KUNIT_EXPECT_EQ(test, args->dma_size, (u32)WINDOW);
	KUNIT_EXPECT_EQ(test, args->dma_buffer_write_offset, 0u);

	args->allocation_is_idle = true;
	KUNIT_EXPECT_EQ(test, quire_build_paging_buffer(&caps, args), QUIRE_BUILD_DONE);
	KUNIT_EXPECT_EQ(test, args->multipass_offset, 2 * half);
}

/* As before the call but for what a call may remember. */
static void busy_keeps_token(struct kunit *test)
{
	struct quire_paging_args args;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all_operations); i++) {
		memcpy(&args, &all_operations[i], sizeof(args));
		if (may_be_busy(&args))
			expect_token_kept(test, &args);
	}
}

/* Without a window the answer is FULL; nothing is touched, and the token stays. */
static void no_buffer_is_full(struct kunit *test)
{
	struct quire_paging_args args;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all_operations); i++) {
		memcpy(&args, &all_operations[i], sizeof(args));
		args.allocation_is_idle = true;
		window_open(test, &args, 0);
		KUNIT_EXPECT_EQ_MSG(test, quire_build_paging_buffer(&caps, &args),
				    QUIRE_BUILD_FULL, "operation %u", args.operation);
		KUNIT_EXPECT_EQ(test, args.multipass_offset, 0u);
		KUNIT_EXPECT_EQ(test, args.dma_buffer_write_offset, 0u);
	}
}

/* 12 GiB, in packets of 1 GiB, one a pass: bytes would not fit into the token. */
static void token_counts_pages_above_4_gib(struct kunit *test)
{
	const struct quire_paging_caps large = {
		.vram_pages = 0x1000000, .aperture_pages = 0x400000, .max_packet_pages = 0x40000,
		.min_buffer_size = QUIRE_PAGING_MIN_BUFFER_SIZE,
		.min_private_data_size = QUIRE_PAGING_MIN_PRIVATE_SIZE,
	};
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_TRANSFER, .u.transfer = {
			.source = LOCATION(VRAM, 1, { 0x500000, 0x300000 }),
			.destination = LOCATION(APERTURE, 1, { 0, 0x300000 }),
			.transfer_size = 0x300000 * PAGE,
		},
	};
	struct window *window = test->priv;
	enum quire_build_status status;
	u32 passes = 0;

	KUNIT_ASSERT_EQ(test, quire_paging_check_args(&large, &args), 0);
	do {
		window_open(test, &args, sizeof(struct quire_packet_transfer));
		status = quire_build_paging_buffer(&large, &args);
		KUNIT_ASSERT_EQ(test, le64_to_cpu(window->bytes[2]),
				(0x500000 + passes * 0x40000ull) * PAGE);
		KUNIT_ASSERT_EQ(test, le64_to_cpu(window->bytes[3]), passes * 0x40000ull * PAGE);
		KUNIT_ASSERT_EQ(test, le64_to_cpu(window->bytes[4]), 0x40000 * PAGE);
		KUNIT_ASSERT_EQ(test, args.multipass_offset, ++passes * 0x40000u);
	} while (status == QUIRE_BUILD_FULL);
	KUNIT_EXPECT_EQ(test, status, QUIRE_BUILD_DONE);
	KUNIT_EXPECT_EQ(test, passes, 12u);
}

static const struct quire_page_run pages_0_to_7 = { 0, 8 };

/* Pages of an object of 8, from VRAM to a list. */
static struct quire_paging_args part(u64 first, u64 pages, u32 flags)
{
	return (struct quire_paging_args) {
		.operation = QUIRE_PAGING_TRANSFER,
		.allocation = &object,
		.u.transfer = {
			.source = { QUIRE_SEGMENT_VRAM, 1, 0, &pages_0_to_7 },
			.destination = { QUIRE_SEGMENT_SYSTEM, 1, 0, &pages_0_to_7 },
			.transfer_offset = first * PAGE,
			.mdl_offset = first,
			.transfer_size = pages * PAGE,
			.flags = flags,
		},
	};
}

static int next_part(struct quire_paging_sequence *sequence, u64 first, u64 pages, u32 flags)
{
	struct quire_paging_args args = part(first, pages, flags);
	int err = quire_paging_sequence_check(sequence, &args);

	if (!err)
		quire_paging_sequence_note(sequence, &args);
	return err;
}

static void start_not_inside_pending(struct kunit *test)
{
	struct quire_paging_sequence sequence = { };

	KUNIT_EXPECT_EQ(test, next_part(&sequence, 0, 4, START), 0);
	KUNIT_EXPECT_EQ(test, next_part(&sequence, 4, 4, START | END), -EINVAL);
	KUNIT_EXPECT_EQ(test, next_part(&sequence, 0, 8, START | END), -EINVAL);
	KUNIT_EXPECT_EQ(test, next_part(&sequence, 4, 4, END), 0);
	KUNIT_EXPECT_EQ(test, next_part(&sequence, 0, 8, START | END), 0);
}

static void end_not_without_start(struct kunit *test)
{
	struct quire_paging_sequence sequence = { };

	KUNIT_EXPECT_EQ(test, next_part(&sequence, 0, 8, END), -EINVAL);
	KUNIT_EXPECT_EQ(test, next_part(&sequence, 0, 4, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, next_part(&sequence, 0, 8, START | END), 0);
	KUNIT_EXPECT_EQ(test, next_part(&sequence, 4, 4, END), -EINVAL);
}

/* Neither between two parts, nor at either end; and none comes twice. */
static void parts_leave_no_hole(struct kunit *test)
{
	struct quire_paging_sequence sequence = { };

	KUNIT_EXPECT_EQ(test, next_part(&sequence, 1, 3, START), -ERANGE);
	KUNIT_EXPECT_EQ(test, next_part(&sequence, 0, 7, START | END), -ERANGE);
	KUNIT_EXPECT_EQ(test, next_part(&sequence, 0, 3, START), 0);
	KUNIT_EXPECT_EQ(test, next_part(&sequence, 4, 4, END), -ERANGE);
	KUNIT_EXPECT_EQ(test, next_part(&sequence, 2, 6, END), -ERANGE);
	KUNIT_EXPECT_EQ(test, next_part(&sequence, 3, 4, END), -ERANGE);
	KUNIT_EXPECT_EQ(test, next_part(&sequence, 3, 5, END), 0);
}

static struct kunit_case conformance_cases[] = {
	KUNIT_CASE(three_answers_and_no_other),
	KUNIT_CASE(busy_only_transfer_and_discard),
	KUNIT_CASE(busy_keeps_token),
	KUNIT_CASE(no_buffer_is_full),
	KUNIT_CASE(token_counts_pages_above_4_gib),
	KUNIT_CASE(start_not_inside_pending),
	KUNIT_CASE(end_not_without_start),
	KUNIT_CASE(parts_leave_no_hole),
	{}
};

static struct kunit_suite conformance_suite = {
	.name = "quire_conformance",
	.init = conformance_init,
	.test_cases = conformance_cases,
};

kunit_test_suite(conformance_suite);
