// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "quire_paging_args.h"

/*
 * DOC: the checks of the builder's arguments
 *
 * What is refused, and with which error.
 */

struct bad_case {
	const char *name;
	int err;
	struct quire_paging_args args;
};

#define BAD_TRANSFER(text, errno, from, to, bytes, ...)			\
	{ text, errno, { .operation = QUIRE_PAGING_TRANSFER, .u.transfer = {	\
		.source = from, .destination = to, .transfer_size = bytes,	\
		##__VA_ARGS__ } } }
#define IMAGE(tile, log2, w, h, nr_levels, slices, bytes, tiled)		\
	(const struct quire_paging_allocation[]) { {				\
		.size = bytes, .pitch_aligned_size = tiled, .layout = {		\
			.kind = tile, .element_shift = log2, .width = w,	\
			.height = h, .levels = nr_levels, .array_size = slices } } }
#define BAD_SWIZZLE(text, errno, image, from, to, bytes, ...)			\
	{ text, errno, { .operation = QUIRE_PAGING_TRANSFER, .allocation = image,	\
		.u.transfer = { .source = from, .destination = to,		\
			.transfer_size = bytes, ##__VA_ARGS__ } } }
#define BAD_LOCK(text, errno, image, from, to, ...)				\
	{ text, errno, { .operation = QUIRE_PAGING_SPECIAL_LOCK_TRANSFER,	\
		.allocation = image, .u.special_lock = { .source = from,	\
			.destination = to, .transfer_size = 4 * PAGE, ##__VA_ARGS__ } } }
#define BAD_FILL(text, errno, to, bytes)					\
	{ text, errno, { .operation = QUIRE_PAGING_FILL, .u.fill = {		\
		.destination = to, .fill_size = bytes } } }
#define BAD_DISCARD(text, errno, where)						\
	{ text, errno, { .operation = QUIRE_PAGING_DISCARD_CONTENT,		\
			 .u.discard.location = where } }
#define BAD_PHYSICAL(text, errno, what, number, where, bytes, ...)		\
	{ text, errno, { .operation = QUIRE_PAGING_##what##_PHYSICAL, .u.physical = {	\
		.segment = number, .physical_address = where, .size = bytes,	\
		##__VA_ARGS__ } } }
#define BAD_MAP(text, errno, first, pages, list, ...)				\
	{ text, errno, { .operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT, .u.map = {	\
		.offset_in_pages = first, .number_of_pages = pages, .mdl = list,	\
		##__VA_ARGS__ } } }
#define BAD_MAP2(text, errno, first, pages, list, ...)				\
	{ text, errno, { .operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT2, .u.map2 = {	\
		.offset_in_pages = first, .number_of_pages = pages, .adl = list,	\
		##__VA_ARGS__ } } }
#define BAD_UNMAP(text, errno, first, pages, dummy)				\
	{ text, errno, { .operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT, .u.unmap = {	\
		.offset_in_pages = first, .number_of_pages = pages, .dummy_page = dummy } } }
#define BAD_WINDOW(text, errno, ...)						\
	{ text, errno, { .operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT,	\
			 .u.unmap = { 0, 1, 0 }, ##__VA_ARGS__ } }

#define NO_RUNS(number)	{ .segment = QUIRE_SEGMENT_##number, .nr_runs = 1 }
#define LIST_8_AT_1	{ .segment = QUIRE_SEGMENT_SYSTEM, .nr_runs = 1, .start = 1,	\
			  .runs = RUNS({ 0, 8 }) }
#define SEGMENT_3	{ .segment = 3, .nr_runs = 1, .runs = RUNS({ 0, 8 }) }

#define NO_NUMBERS	{ .page_count = 1 }
#define ARRAY_2		{ .page_count = 2, .pages = NUMBERS(1, 2) }
#define ARRAY_AT_TOP	{ .page_count = 2, .pages = NUMBERS(1, TOP) }
#define ADL_AT_TOP	{ .page_count = 8, .contiguous = true, .base_page_number = TOP - 7 }
#define ADL_FROM_9	{ .start = 9, .page_count = 8, .contiguous = true }

/* Four tiles of 32 x 32 elements. */
#define IMAGE_4		IMAGE(QUIRE_LAYOUT_TILE_4K, 2, 64, 64, 1, 1, 4 * PAGE, 4 * PAGE)
#define SWIZZLE		.flags = QUIRE_TRANSFER_SWIZZLE
#define UNSWIZZLE	.flags = QUIRE_TRANSFER_UNSWIZZLE

static const struct bad_case bad_cases[] = {
	BAD_SWIZZLE("swizzle without an allocation", -EINVAL, NULL, LIST_8, VRAM_8, PAGE, SWIZZLE),
	BAD_SWIZZLE("swizzle and unswizzle", -EINVAL, IMAGE_4, LIST_8, VRAM_8, 4 * PAGE,
		    .flags = QUIRE_TRANSFER_SWIZZLE | QUIRE_TRANSFER_UNSWIZZLE),
	BAD_SWIZZLE("swizzle of no image", -EINVAL,
		    IMAGE(QUIRE_LAYOUT_LINEAR, 2, 64, 64, 1, 1, 4 * PAGE, 4 * PAGE),
		    LIST_8, VRAM_8, 4 * PAGE, SWIZZLE),
	BAD_SWIZZLE("swizzle of an unknown layout", -EINVAL,
		    IMAGE(3, 2, 64, 64, 1, 1, 4 * PAGE, 4 * PAGE),
		    LIST_8, VRAM_8, 4 * PAGE, SWIZZLE),
	BAD_SWIZZLE("swizzle of elements of 32 bytes", -EINVAL,
		    IMAGE(QUIRE_LAYOUT_TILE_4K, 5, 8, 8, 1, 1, 4 * PAGE, 4 * PAGE),
		    LIST_8, VRAM_8, 4 * PAGE, SWIZZLE),
	BAD_SWIZZLE("swizzle of an image larger than its backing", -EINVAL,
		    IMAGE(QUIRE_LAYOUT_TILE_4K, 2, 64, 64, 1, 1, 4 * PAGE - 1, 4 * PAGE),
		    LIST_8, VRAM_8, 4 * PAGE, SWIZZLE),
	BAD_SWIZZLE("swizzle of tiles larger than their place", -EINVAL,
		    IMAGE(QUIRE_LAYOUT_TILE_4K, 2, 64, 64, 1, 1, 4 * PAGE, 3 * PAGE),
		    LIST_8, VRAM_8, 4 * PAGE, SWIZZLE),
	BAD_SWIZZLE("swizzle out of VRAM", -EINVAL, IMAGE_4, VRAM_8, LIST_8, 4 * PAGE, SWIZZLE),
	BAD_SWIZZLE("unswizzle into VRAM", -EINVAL, IMAGE_4, LIST_8, VRAM_8, 4 * PAGE, UNSWIZZLE),
	BAD_SWIZZLE("swizzle inside of VRAM", -EINVAL, IMAGE_4, VRAM_8, VRAM_8, 4 * PAGE, SWIZZLE),
	BAD_SWIZZLE("swizzle into the aperture", -EINVAL, IMAGE_4, LIST_8,
		    LOCATION(APERTURE, 1, { 0, 8 }), 4 * PAGE, SWIZZLE),
	BAD_SWIZZLE("swizzle from inside of a page", -EINVAL, IMAGE_4, LIST_8, VRAM_8, PAGE,
		    SWIZZLE, .transfer_offset = 4),
	BAD_SWIZZLE("swizzle of too short a list", -ERANGE, IMAGE_4,
		    LOCATION(SYSTEM, 1, { 0, 3 }), VRAM_8, 4 * PAGE, SWIZZLE),
	BAD_SWIZZLE("unswizzle of too few tiles", -ERANGE, IMAGE_4,
		    LOCATION(VRAM, 1, { 0, 3 }), LIST_8, 4 * PAGE, UNSWIZZLE),
	BAD_SWIZZLE("unswizzle of a page in a row of tiles that is not there", -ERANGE, IMAGE_4,
		    LOCATION(VRAM, 1, { 0, 1 }), LIST_8, PAGE, UNSWIZZLE),
	BAD_SWIZZLE("swizzle of tiles in pieces", -EINVAL,
		    IMAGE(QUIRE_LAYOUT_TILE_64K, 2, 64, 64, 1, 1, 4 * PAGE, 16 * PAGE), LIST_8,
		    LOCATION(VRAM, 2, { 0, 8 }, { 32, 8 }), 4 * PAGE, SWIZZLE),
	BAD_SWIZZLE("swizzle behind VRAM", -ERANGE, IMAGE_4, LIST_8,
		    LOCATION(VRAM, 1, { 0xffe, 4 }), 4 * PAGE, SWIZZLE),
	BAD_SWIZZLE("swizzle of nothing without runs", -EINVAL, IMAGE_4, LIST_8, NO_RUNS(VRAM), 0,
		    SWIZZLE),
	BAD_SWIZZLE("unswizzle of nothing behind VRAM", -ERANGE, IMAGE_4,
		    LOCATION(VRAM, 1, { 0xffe, 4 }), LIST_8, 0, UNSWIZZLE),
	BAD_LOCK("special lock that does not convert", -EINVAL, IMAGE_4, VRAM_8, LIST_8),
	BAD_LOCK("special lock both ways", -EINVAL, IMAGE_4, VRAM_8, LIST_8,
		 .flags = QUIRE_TRANSFER_SWIZZLE | QUIRE_TRANSFER_UNSWIZZLE),
	BAD_LOCK("special lock of no allocation", -EINVAL, NULL, VRAM_8, LIST_8, UNSWIZZLE),
	BAD_LOCK("special lock to the aperture", -EINVAL, IMAGE_4, VRAM_8,
		 LOCATION(APERTURE, 1, { 0, 8 }), UNSWIZZLE),
	BAD_LOCK("special lock from the aperture", -EINVAL, IMAGE_4,
		 LOCATION(APERTURE, 1, { 0, 8 }), VRAM_8, SWIZZLE),
	BAD_LOCK("special lock of an unknown flag", -EINVAL, IMAGE_4, VRAM_8, LIST_8,
		 .flags = QUIRE_TRANSFER_UNSWIZZLE | BIT(5)),
	BAD_LOCK("special lock of a range that no device has", -EINVAL, IMAGE_4, VRAM_8, LIST_8,
		 UNSWIZZLE, .swizzling_range_id = QUIRE_RANGE_MAX),
	BAD_LOCK("special lock of a range used too often", -EINVAL, IMAGE_4, VRAM_8, LIST_8,
		 UNSWIZZLE, .swizzling_range_data = 0x10000),
	BAD_LOCK("special lock of no range, which was used", -EINVAL, IMAGE_4, VRAM_8, LIST_8,
		 UNSWIZZLE, .swizzling_range_id = U32_MAX, .swizzling_range_data = 1),
	BAD_LOCK("special lock of a list that begins elsewhere", -ERANGE, IMAGE_4, VRAM_8,
		 LIST_8_AT_1, UNSWIZZLE),
	BAD_LOCK("special lock of too short a list", -ERANGE, IMAGE_4, VRAM_8,
		 LOCATION(SYSTEM, 1, { 0, 3 }), UNSWIZZLE),
	BAD_LOCK("special lock of too few tiles", -ERANGE, IMAGE_4, LOCATION(VRAM, 1, { 0, 3 }),
		 LIST_8, UNSWIZZLE),
	BAD_TRANSFER("both sides system", -EINVAL, LIST_8, LIST_8, PAGE),
	BAD_TRANSFER("source in segment 3", -EINVAL, SEGMENT_3, LIST_8, PAGE),
	BAD_TRANSFER("destination in segment 3", -EINVAL, VRAM_8, SEGMENT_3, PAGE),
	BAD_TRANSFER("transfer offset inside a page", -EINVAL, VRAM_8, LIST_8, PAGE,
		     .transfer_offset = 512),
	BAD_TRANSFER("idle as a flag", -EINVAL, VRAM_8, LIST_8, PAGE, .flags = BIT(2)),
	BAD_TRANSFER("unknown flag", -EINVAL, VRAM_8, LIST_8, PAGE, .flags = BIT(31)),
	BAD_TRANSFER("source without runs", -EINVAL, NO_RUNS(VRAM), LIST_8, PAGE),
	BAD_TRANSFER("destination without runs", -EINVAL, VRAM_8, NO_RUNS(SYSTEM), PAGE),
	BAD_TRANSFER("empty run", -EINVAL,
		     LOCATION(VRAM, 3, { 0, 4 }, { 9, 0 }, { 5, 4 }), LIST_8, PAGE),
	BAD_TRANSFER("empty run of a list", -EINVAL, VRAM_8,
		     LOCATION(SYSTEM, 2, { 0, 8 }, { 9, 0 }), PAGE),
	BAD_TRANSFER("source behind VRAM", -ERANGE, LOCATION(VRAM, 1, { 0xff9, 8 }), LIST_8, PAGE),
	BAD_TRANSFER("destination behind the aperture", -ERANGE, LIST_8,
		     LOCATION(APERTURE, 1, { 0x7f9, 8 }), PAGE),
	BAD_TRANSFER("source too short", -ERANGE, VRAM_8,
		     LOCATION(SYSTEM, 1, { 0, 16 }), 8 * PAGE + 1),
	BAD_TRANSFER("destination too short", -ERANGE, LOCATION(VRAM, 1, { 0, 16 }), LIST_8,
		     8 * PAGE + 1),
	BAD_TRANSFER("no list", -ERANGE, VRAM_8, { .segment = QUIRE_SEGMENT_SYSTEM }, 1),
	BAD_TRANSFER("transfer offset too far", -ERANGE, VRAM_8, LIST_8, 5 * PAGE,
		     .transfer_offset = 4 * PAGE),
	BAD_TRANSFER("MDL offset too far", -ERANGE, VRAM_8, LIST_8, 5 * PAGE, .mdl_offset = 4),
	BAD_TRANSFER("MDL offset at the top", -EOVERFLOW, VRAM_8, LIST_8, PAGE,
		     .mdl_offset = U64_MAX),
	BAD_TRANSFER("transfer offset at the top", -EOVERFLOW, VRAM_8, LIST_8, PAGE,
		     .transfer_offset = U64_MAX - 4095),
	BAD_TRANSFER("size at the top", -EOVERFLOW, VRAM_8, LIST_8, U64_MAX),
	BAD_TRANSFER("segment page at the top", -EOVERFLOW,
		     LOCATION(VRAM, 1, { U64_MAX, 1 }), LIST_8, PAGE),
	BAD_TRANSFER("segment bytes at the top", -EOVERFLOW,
		     LOCATION(VRAM, 1, { TOP, 1 }), LIST_8, PAGE),
	BAD_TRANSFER("list page at the top", -EOVERFLOW, VRAM_8,
		     LOCATION(SYSTEM, 1, { TOP, 1 }), PAGE),
	BAD_TRANSFER("list run over the top", -EOVERFLOW, VRAM_8,
		     LOCATION(SYSTEM, 1, { TOP - 7, 8 }), PAGE),
	BAD_TRANSFER("run count at the top", -EOVERFLOW, VRAM_8,
		     LOCATION(SYSTEM, 1, { 2, U64_MAX }), PAGE),
	BAD_FILL("fill of an aperture", -EINVAL, LOCATION(APERTURE, 1, { 0, 8 }), PAGE),
	BAD_FILL("fill of system memory", -EINVAL, LIST_8, PAGE),
	BAD_FILL("fill of segment 3", -EINVAL, SEGMENT_3, PAGE),
	BAD_FILL("fill of half a word", -EINVAL, VRAM_8, PAGE + 2),
	BAD_FILL("fill of an empty run", -EINVAL, LOCATION(VRAM, 1, { 0, 0 }), PAGE),
	BAD_FILL("fill without runs", -EINVAL, NO_RUNS(VRAM), PAGE),
	BAD_FILL("fill behind VRAM", -ERANGE, LOCATION(VRAM, 1, { 0x1000, 1 }), PAGE),
	BAD_FILL("fill of too short a list", -ERANGE, VRAM_8, 8 * PAGE + 4),
	BAD_FILL("fill at the top", -EOVERFLOW, LOCATION(VRAM, 1, { U64_MAX - 3, 4 }), PAGE),
	BAD_FILL("fill of all 64 bits", -EOVERFLOW, VRAM_8, U64_MAX - 3),
	BAD_DISCARD("discard of an aperture", -EINVAL, LOCATION(APERTURE, 1, { 0, 8 })),
	BAD_DISCARD("discard of system memory", -EINVAL, LIST_8),
	BAD_DISCARD("discard of an empty run", -EINVAL, LOCATION(VRAM, 2, { 0, 1 }, { 5, 0 })),
	BAD_DISCARD("discard without runs", -EINVAL, NO_RUNS(VRAM)),
	BAD_DISCARD("discard behind VRAM", -ERANGE, LOCATION(VRAM, 2, { 0, 1 }, { 0xfff, 2 })),
	BAD_DISCARD("discard at the top", -EOVERFLOW, LOCATION(VRAM, 1, { U64_MAX, U64_MAX })),
	BAD_PHYSICAL("read of no byte", -EINVAL, READ, QUIRE_SEGMENT_VRAM, 0, 0),
	BAD_PHYSICAL("write of 9 bytes", -EINVAL, WRITE, QUIRE_SEGMENT_VRAM, 0, 9),
	BAD_PHYSICAL("write over the page's end", -EINVAL, WRITE, QUIRE_SEGMENT_VRAM, 4089, 8),
	BAD_PHYSICAL("read of segment 3", -EINVAL, READ, 3, 0, 8),
	BAD_PHYSICAL("read with a value", -EINVAL, READ, QUIRE_SEGMENT_VRAM, 0, 8, .value = 1),
	BAD_PHYSICAL("read behind VRAM", -ERANGE, READ, QUIRE_SEGMENT_VRAM, 0x1000 * PAGE, 1),
	BAD_PHYSICAL("write behind the aperture", -ERANGE, WRITE, QUIRE_SEGMENT_APERTURE,
		     0x800 * PAGE, 8),
	BAD_PHYSICAL("write at the top", -EOVERFLOW, WRITE, QUIRE_SEGMENT_SYSTEM, U64_MAX - 7, 8),
	BAD_PHYSICAL("read of VRAM at the top", -EOVERFLOW, READ, QUIRE_SEGMENT_VRAM, U64_MAX, 1),
	BAD_MAP("map of VRAM", -EINVAL, 0, 8, VRAM_8),
	BAD_MAP("map with an unknown flag", -EINVAL, 0, 8, LIST_8, .flags = BIT(1)),
	BAD_MAP("map of an empty run", -EINVAL, 0, 8, LOCATION(SYSTEM, 2, { 0, 8 }, { 9, 0 })),
	BAD_MAP("map without runs", -EINVAL, 0, 1, NO_RUNS(SYSTEM)),
	BAD_MAP("map behind the aperture", -ERANGE, 0x7f9, 8, LIST_8),
	BAD_MAP("map of too short a list", -ERANGE, 0, 9, LIST_8),
	BAD_MAP("map with an offset too far", -ERANGE, 0, 8, LIST_8, .mdl_offset = 1),
	BAD_MAP("map with an offset at the top", -EOVERFLOW, 0, 8, LIST_8,
		.mdl_offset = U64_MAX - 7),
	BAD_MAP("map at the top", -EOVERFLOW, U64_MAX, 8, LIST_8),
	BAD_MAP("map of pages at the top", -EOVERFLOW, 0, 8, LOCATION(SYSTEM, 1, { TOP, 8 })),
	BAD_UNMAP("unmap to half a page", -EINVAL, 0, 8, 0x12345800),
	BAD_UNMAP("unmap to the last page", -EOVERFLOW, 0, 8, U64_MAX - 4095),
	BAD_UNMAP("unmap behind the aperture", -ERANGE, 0x7ff, 2, 0),
	BAD_UNMAP("unmap at the top", -EOVERFLOW, U64_MAX - 1, 2, 0),
	BAD_UNMAP("unmap of all 64 bits", -EOVERFLOW, 1, U64_MAX, 0),
	BAD_MAP2("map2 with an unknown flag", -EINVAL, 0, 8, CONTIGUOUS_8, .flags = BIT(1)),
	BAD_MAP2("map2 without an array", -EINVAL, 0, 1, NO_NUMBERS),
	BAD_MAP2("map2 behind the aperture", -ERANGE, 0x7f9, 8, CONTIGUOUS_8),
	BAD_MAP2("map2 at the top", -EOVERFLOW, U64_MAX, 8, CONTIGUOUS_8),
	BAD_MAP2("map2 of too short a list", -ERANGE, 0, 9, CONTIGUOUS_8),
	BAD_MAP2("map2 of too short an array", -ERANGE, 0, 3, ARRAY_2),
	BAD_MAP2("map2 with an offset too far", -ERANGE, 0, 8, CONTIGUOUS_8, .adl_offset = 1),
	BAD_MAP2("map2 with an offset at the top", -EOVERFLOW, 0, 8, CONTIGUOUS_8,
		 .adl_offset = U64_MAX - 6),
	BAD_MAP2("map2 of what is before the list", -ERANGE, 0, 1, ADL_FROM_9, .adl_offset = 8),
	BAD_MAP2("map2 of contiguous pages at the top", -EOVERFLOW, 0, 1, ADL_AT_TOP),
	BAD_MAP2("map2 of a page at the top", -EOVERFLOW, 0, 1, ARRAY_AT_TOP),
	BAD_MAP2("map2 seen inside of a page", -EINVAL, 0, 8, CONTIGUOUS_8,
		 .cpu_visible_address = 0xfd000800),
	BAD_MAP2("map2 seen at the top", -EOVERFLOW, 0, 8, CONTIGUOUS_8,
		 .cpu_visible_address = U64_MAX - 4095),
	BAD_MAP2("map2 behind what the CPU sees", -ERANGE, 0x6f9, 8, CONTIGUOUS_8,
		 .cpu_visible_address = 0xfd000000),
	{ "unknown operation", -EINVAL, { .operation = QUIRE_PAGING_OPERATIONS } },
	BAD_WINDOW("no paging buffer", -EINVAL, .dma_size = 8),
	BAD_WINDOW("no private data", -EINVAL, .private_data_size = 16),
	BAD_WINDOW("paging buffer misaligned", -EINVAL, .dma_buffer = (void *)4),
	BAD_WINDOW("private data misaligned", -EINVAL, .private_data = (void *)4),
	BAD_WINDOW("GPU address misaligned", -EINVAL, .dma_buffer_gpu_address = 4),
	BAD_WINDOW("write offset misaligned", -EINVAL, .dma_buffer_write_offset = 4),
	BAD_WINDOW("window of more than 4 GiB", -EOVERFLOW, .dma_buffer = (void *)8,
		   .dma_size = 16, .dma_buffer_write_offset = U32_MAX - 7),
	BAD_WINDOW("window at the top", -EOVERFLOW, .dma_buffer_gpu_address = U64_MAX - 7,
		   .dma_buffer_write_offset = 8),
	BAD_WINDOW("token behind the end", -ERANGE, .multipass_offset = 2),
};

KUNIT_ARRAY_PARAM_DESC(bad, bad_cases, name);

static void quire_paging_refused(struct kunit *test)
{
	const struct bad_case *c = test->param_value;
	struct quire_paging_args args;

	memcpy(&args, &c->args, sizeof(args));
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&caps, &args), c->err);
	KUNIT_EXPECT_MEMEQ(test, &args, &c->args, sizeof(args));
}

/* One page more than the token counts. */
static void quire_paging_too_big(struct kunit *test)
{
	const struct quire_page_run all[] = { { 0, 1ull << 32 } };
	const struct quire_paging_location vram = {
		.segment = QUIRE_SEGMENT_VRAM, .nr_runs = 1, .runs = all,
	};
	const struct quire_paging_location list = {
		.segment = QUIRE_SEGMENT_SYSTEM, .nr_runs = 1, .runs = all,
	};
	struct quire_paging_caps large = caps;
	struct quire_paging_args args[] = {
		{ .operation = QUIRE_PAGING_TRANSFER,
		  .u.transfer = { .source = vram, .destination = list } },
		{ .operation = QUIRE_PAGING_FILL, .u.fill.destination = vram },
		{ .operation = QUIRE_PAGING_DISCARD_CONTENT, .u.discard.location = vram },
		{ .operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT,
		  .u.map = { .number_of_pages = 1ull << 32, .mdl = list } },
		{ .operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT,
		  .u.unmap = { .number_of_pages = 1ull << 32 } },
	};
	u32 i;

	large.vram_pages = 1ull << 40;
	large.aperture_pages = 1ull << 40;
	args[0].u.transfer.transfer_size = (1ull << 44) - 4095;
	args[1].u.fill.fill_size = (1ull << 44) - 4092;
	for (i = 0; i < ARRAY_SIZE(args); i++)
		KUNIT_EXPECT_EQ_MSG(test, quire_paging_check_args(&large, &args[i]), -E2BIG,
				    "operation %u", args[i].operation);
}

static void quire_paging_caps_checked(struct kunit *test)
{
	struct quire_paging_caps c = caps;

	KUNIT_EXPECT_EQ(test, quire_paging_check_caps(&c), 0);
	c.vram_pages = 0;
	c.aperture_pages = TOP;
	c.max_packet_pages = 1;
	KUNIT_EXPECT_EQ(test, quire_paging_check_caps(&c), 0);
	c.aperture_pages = TOP + 1;
	KUNIT_EXPECT_EQ(test, quire_paging_check_caps(&c), -EOVERFLOW);
	c = caps;
	c.mmu_pages = TOP;
	KUNIT_EXPECT_EQ(test, quire_paging_check_caps(&c), 0);
	c.mmu_pages = TOP + 1;
	KUNIT_EXPECT_EQ(test, quire_paging_check_caps(&c), -EOVERFLOW);
	c = caps;
	c.vram_pages = U64_MAX;
	KUNIT_EXPECT_EQ(test, quire_paging_check_caps(&c), -EOVERFLOW);
	c = caps;
	c.max_packet_pages = 0;
	KUNIT_EXPECT_EQ(test, quire_paging_check_caps(&c), -EINVAL);
	c = caps;
	c.window_pages = c.aperture_pages;
	KUNIT_EXPECT_EQ(test, quire_paging_check_caps(&c), 0);
	c.window_pages++;
	KUNIT_EXPECT_EQ(test, quire_paging_check_caps(&c), -EINVAL);
	c = caps;
	c.min_buffer_size = 95;
	KUNIT_EXPECT_EQ(test, quire_paging_check_caps(&c), -EINVAL);
	c = caps;
	c.min_private_data_size = 15;
	KUNIT_EXPECT_EQ(test, quire_paging_check_caps(&c), -EINVAL);
}

static struct kunit_case quire_paging_check_cases[] = {
	KUNIT_CASE_PARAM(quire_paging_refused, bad_gen_params),
	KUNIT_CASE(quire_paging_too_big),
	KUNIT_CASE(quire_paging_caps_checked),
	{}
};

static struct kunit_suite quire_paging_check_suite = {
	.name = "quire_paging_check",
	.test_cases = quire_paging_check_cases,
};

kunit_test_suite(quire_paging_check_suite);
