// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "../paging/quire_paging.h"

/*
 * DOC: the builder's interface
 *
 * Bytes of each packet, refused arguments, BUSY, and operations of no size.
 * What packets do to memory is tested in quire_paging_window_test.c.
 */

#define PAGE	4096ull
#define WINDOW	256
#define TOP	(U64_MAX >> 12)	/* no run reaches this page number's end */

static const struct quire_paging_caps caps = {
	.vram_pages = 0x1000,
	.aperture_pages = 0x800,
	.max_packet_pages = 0x400,
	.min_buffer_size = QUIRE_PAGING_MIN_BUFFER_SIZE,
	.min_private_data_size = QUIRE_PAGING_MIN_PRIVATE_SIZE,
};

#define RUNS(...)	(const struct quire_page_run[]) { __VA_ARGS__ }
#define LOCATION(number, nr, ...) \
	{ .segment = QUIRE_SEGMENT_##number, .nr_runs = nr, .runs = RUNS(__VA_ARGS__) }

struct golden_case {
	const char *name;
	struct quire_paging_args args;
	u32 size;
	u8 bytes[72];
	u64 record_bytes;
};

/* Written by hand from device.rst. */
static const struct golden_case golden_cases[] = {
	{ "transfer from a list",
	  { .operation = QUIRE_PAGING_TRANSFER, .u.transfer = {
		.source = LOCATION(SYSTEM, 2, { 0x12345678a, 5 }, { 0xabcdef, 0x1003 }),
		.destination = LOCATION(VRAM, 1, { 0x123, 0x400 }),
		.transfer_offset = 2 * PAGE, .transfer_size = 6 * PAGE + 0x321, .mdl_offset = 1,
		.flags = QUIRE_TRANSFER_START } },
	  56, { 0x01, 0x00, 0x00, 0x00, 0x38, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x50, 0x12, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x21, 0x63, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x03, 0xb0, 0x78, 0x56, 0x34, 0x12, 0x00, 0x00,
		0x02, 0xf0, 0xde, 0xbc, 0x0a, 0x00, 0x00, 0x00 }, 0x6321 },
	{ "transfer to a list, run of more than 4096 pages",
	  { .operation = QUIRE_PAGING_TRANSFER, .u.transfer = {
		.source = LOCATION(APERTURE, 1, { 0x10, 0x7f0 }),
		.destination = LOCATION(SYSTEM, 1, { 0x8000000000001ull, 0x2000 }),
		.transfer_size = PAGE } },
	  48, { 0x01, 0x00, 0x00, 0x00, 0x30, 0x00, 0x00, 0x00,
		0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80 }, 0x1000 },
	{ "transfer between segments",
	  { .operation = QUIRE_PAGING_TRANSFER, .u.transfer = {
		.source = LOCATION(VRAM, 1, { 0xabc, 0x10 }),
		.destination = LOCATION(APERTURE, 1, { 0x1, 0x10 }),
		.transfer_size = 16 * PAGE - 1, .mdl_offset = 0x77 } },
	  40, { 0x01, 0x00, 0x00, 0x00, 0x28, 0x00, 0x00, 0x00,
		0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,
		0x00, 0xc0, 0xab, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00 }, 0xffff },
	{ "fill",
	  { .operation = QUIRE_PAGING_FILL, .u.fill = {
		.destination = LOCATION(VRAM, 1, { 0x234, 0x10 }),
		.fill_size = 3 * PAGE + 4, .fill_pattern = 0x11223344 } },
	  32, { 0x02, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00,
		0x01, 0x00, 0x00, 0x00, 0x44, 0x33, 0x22, 0x11,
		0x00, 0x40, 0x23, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x04, 0x30, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00 }, 0x3004 },
	{ "discard",
	  { .operation = QUIRE_PAGING_DISCARD_CONTENT,
	    .u.discard.location = LOCATION(VRAM, 2, { 0x456, 0x12 }, { 0x1, 0x400 }) },
	  64, { 0x03, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00,
		0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x60, 0x45, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x20, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x03, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00,
		0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00 }, 0x412000 },
	{ "read",
	  { .operation = QUIRE_PAGING_READ_PHYSICAL, .u.physical = {
		.segment = QUIRE_SEGMENT_APERTURE, .size = 4, .physical_address = 0x123ffc } },
	  32, { 0x04, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00,
		0x02, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00,
		0xfc, 0x3f, 0x12, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00 }, 4 },
	{ "write",
	  { .operation = QUIRE_PAGING_WRITE_PHYSICAL, .u.physical = {
		.segment = QUIRE_SEGMENT_SYSTEM, .size = 8,
		.physical_address = 0xfedcba9876543210ull, .value = 0x0102030405060708ull } },
	  32, { 0x05, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00,
		0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe,
		0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01 }, 8 },
	{ "map",
	  { .operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT, .u.map = {
		.offset_in_pages = 0x345, .number_of_pages = 0x12,
		.mdl = LOCATION(SYSTEM, 2, { 0x9988, 0x10 }, { 0x77665544332ull, 0x20 }),
		.mdl_offset = 0xf, .flags = QUIRE_MAPAPERTURE_CACHE_COHERENT } },
	  40, { 0x06, 0x00, 0x01, 0x00, 0x28, 0x00, 0x00, 0x00,
		0x02, 0x00, 0x00, 0x00, 0x12, 0x00, 0x00, 0x00,
		0x45, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x70, 0x99, 0x09, 0x00, 0x00, 0x00, 0x00,
		0x10, 0x20, 0x33, 0x44, 0x55, 0x66, 0x77, 0x00 }, 0x12000 },
	{ "unmap",
	  { .operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT, .u.unmap = {
		.offset_in_pages = 0x678, .number_of_pages = 0x123,
		.dummy_page = 0xabcdef000ull } },
	  32, { 0x07, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00,
		0x02, 0x00, 0x00, 0x00, 0x23, 0x01, 0x00, 0x00,
		0x78, 0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0xf0, 0xde, 0xbc, 0x0a, 0x00, 0x00, 0x00 }, 0x123000 },
};

KUNIT_ARRAY_PARAM_DESC(golden, golden_cases, name);

/* Memory of one window; what is not written stays 0xa5. */
struct window {
	__le64 bytes[WINDOW / 8];
	struct quire_paging_record records[4];
};

static struct window *window_open(struct kunit *test, struct quire_paging_args *args)
{
	struct window *window = kunit_kzalloc(test, sizeof(*window), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, window);
	memset(window, 0xa5, sizeof(*window));
	args->dma_buffer = window->bytes;
	args->dma_size = sizeof(window->bytes);
	args->private_data = window->records;
	args->private_data_size = sizeof(window->records);

	return window;
}

static void quire_paging_golden(struct kunit *test)
{
	const struct golden_case *c = test->param_value;
	struct quire_paging_args args;
	struct window *window;
	u64 bytes = 0;
	u32 i;

	memcpy(&args, &c->args, sizeof(args));
	window = window_open(test, &args);
	args.dma_buffer_write_offset = 0x5678;

	KUNIT_ASSERT_EQ(test, quire_paging_check_args(&caps, &args), 0);
	KUNIT_ASSERT_EQ(test, quire_build_paging_buffer(&caps, &args), QUIRE_BUILD_DONE);
	KUNIT_EXPECT_EQ(test, WINDOW - args.dma_size, c->size);
	KUNIT_EXPECT_MEMEQ(test, window->bytes, c->bytes, c->size);
	KUNIT_EXPECT_EQ(test, args.dma_buffer_write_offset, 0x5678 + c->size);
	KUNIT_EXPECT_EQ(test, window->records[0].offset, 0x5678u);
	KUNIT_EXPECT_EQ(test, window->records[0].operation, c->args.operation);
	for (i = 0; window->records + i < (struct quire_paging_record *)args.private_data; i++)
		bytes += window->records[i].bytes;
	KUNIT_EXPECT_EQ(test, bytes, c->record_bytes);

	/* It is done: another call with the same arguments adds nothing. */
	KUNIT_EXPECT_EQ(test, quire_build_paging_buffer(&caps, &args), QUIRE_BUILD_DONE);
	KUNIT_EXPECT_EQ(test, WINDOW - args.dma_size, c->size);
}

struct bad_case {
	const char *name;
	int err;
	struct quire_paging_args args;
};

#define BAD_TRANSFER(text, errno, from, to, bytes, ...)			\
	{ text, errno, { .operation = QUIRE_PAGING_TRANSFER, .u.transfer = {	\
		.source = from, .destination = to, .transfer_size = bytes,	\
		##__VA_ARGS__ } } }
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
#define BAD_UNMAP(text, errno, first, pages, dummy)				\
	{ text, errno, { .operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT, .u.unmap = {	\
		.offset_in_pages = first, .number_of_pages = pages, .dummy_page = dummy } } }
#define BAD_WINDOW(text, errno, ...)						\
	{ text, errno, { .operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT,	\
			 .u.unmap = { 0, 1, 0 }, ##__VA_ARGS__ } }

#define NO_RUNS(number)	{ .segment = QUIRE_SEGMENT_##number, .nr_runs = 1 }
#define SEGMENT_3	{ .segment = 3, .nr_runs = 1, .runs = RUNS({ 0, 8 }) }
#define VRAM_8		LOCATION(VRAM, 1, { 0, 8 })
#define LIST_8		LOCATION(SYSTEM, 1, { 0, 8 })
#define LIST_TOP	LOCATION(SYSTEM, 1, { TOP - 8, 8 })

static const struct bad_case bad_cases[] = {
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

/* The last page below the top of 64 bits is not refused. */
static void quire_paging_near_the_top(struct kunit *test)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_TRANSFER, .u.transfer = {
			.source = LIST_TOP, .destination = VRAM_8, .transfer_size = 8 * PAGE,
		},
	};
	struct window *window = window_open(test, &args);

	KUNIT_ASSERT_EQ(test, quire_paging_check_args(&caps, &args), 0);
	KUNIT_ASSERT_EQ(test, quire_build_paging_buffer(&caps, &args), QUIRE_BUILD_DONE);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(window->bytes[5]), (TOP - 8) << 12 | 7);
}

/* One page more than the token counts. */
static void quire_paging_too_big(struct kunit *test)
{
	const struct quire_page_run all[] = { { 0, 1ull << 32 } };
	const struct quire_paging_location vram = { QUIRE_SEGMENT_VRAM, 1, all };
	const struct quire_paging_location list = { QUIRE_SEGMENT_SYSTEM, 1, all };
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

struct busy_case {
	const char *name;
	bool waits;
	struct quire_paging_args args;
};

static const struct busy_case busy_cases[] = {
	{ "transfer", true, { .operation = QUIRE_PAGING_TRANSFER, .u.transfer = {
		.source = LOCATION(VRAM, 2, { 0, 4 }, { 8, 4 }), .destination = LIST_8,
		.transfer_size = 8 * PAGE } } },
	{ "fill", false, { .operation = QUIRE_PAGING_FILL, .u.fill = {
		.destination = LOCATION(VRAM, 2, { 0, 4 }, { 8, 4 }), .fill_size = 8 * PAGE } } },
	{ "discard", true, { .operation = QUIRE_PAGING_DISCARD_CONTENT,
		.u.discard.location = LOCATION(VRAM, 2, { 0, 4 }, { 8, 4 }) } },
	{ "read", false, { .operation = QUIRE_PAGING_READ_PHYSICAL, .u.physical = {
		.segment = QUIRE_SEGMENT_VRAM, .size = 8 } } },
	{ "write", false, { .operation = QUIRE_PAGING_WRITE_PHYSICAL, .u.physical = {
		.segment = QUIRE_SEGMENT_VRAM, .size = 8 } } },
	{ "map", false, { .operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT, .u.map = {
		.number_of_pages = 8, .mdl = LIST_8 } } },
	{ "unmap", false, { .operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT, .u.unmap = {
		.number_of_pages = 8 } } },
};

KUNIT_ARRAY_PARAM_DESC(busy, busy_cases, name);

/* BUSY keeps all as it is, in the first pass and between passes. */
static void busy_expect(struct kunit *test, struct quire_paging_args *args)
{
	struct quire_paging_args before;

	memcpy(&before, args, sizeof(before));
	args->allocation_is_idle = false;
	before.allocation_is_idle = false;
	KUNIT_EXPECT_EQ(test, quire_build_paging_buffer(&caps, args), QUIRE_BUILD_BUSY);
	before.progress = args->progress;
	KUNIT_EXPECT_MEMEQ(test, args, &before, sizeof(before));
	args->allocation_is_idle = true;
}

static void quire_paging_busy(struct kunit *test)
{
	const struct quire_paging_allocation allocation = { .needs_idle = true };
	const struct busy_case *c = test->param_value;
	struct quire_paging_args args;
	struct window *window;

	memcpy(&args, &c->args, sizeof(args));
	args.allocation = &allocation;
	window = window_open(test, &args);
	if (c->waits) {
		busy_expect(test, &args);
		KUNIT_EXPECT_EQ(test, le64_to_cpu(window->bytes[0]), 0xa5a5a5a5a5a5a5a5ull);

		/* A window of one packet: full after it, and busy again. */
		args.dma_size = 50;
		KUNIT_EXPECT_EQ(test, quire_build_paging_buffer(&caps, &args), QUIRE_BUILD_FULL);
		KUNIT_EXPECT_EQ(test, args.multipass_offset, 4u);
		window = window_open(test, &args);
		busy_expect(test, &args);
	}
	KUNIT_EXPECT_EQ(test, quire_build_paging_buffer(&caps, &args), QUIRE_BUILD_DONE);
}

/* Nobody to wait for. */
static void quire_paging_not_busy(struct kunit *test)
{
	const struct quire_paging_allocation allocation = { .needs_idle = false };
	const struct busy_case *c = test->param_value;
	struct quire_paging_args args;

	memcpy(&args, &c->args, sizeof(args));
	window_open(test, &args);
	KUNIT_EXPECT_EQ(test, quire_build_paging_buffer(&caps, &args), QUIRE_BUILD_DONE);

	memcpy(&args, &c->args, sizeof(args));
	args.allocation = &allocation;
	window_open(test, &args);
	KUNIT_EXPECT_EQ(test, quire_build_paging_buffer(&caps, &args), QUIRE_BUILD_DONE);
}

static const struct busy_case empty_cases[] = {
	{ "transfer", false, { .operation = QUIRE_PAGING_TRANSFER, .u.transfer = {
		.source = VRAM_8, .destination = LIST_8 } } },
	{ "transfer upwards", false, { .operation = QUIRE_PAGING_TRANSFER, .u.transfer = {
		.source = VRAM_8, .destination = LOCATION(VRAM, 1, { 4, 8 }) } } },
	{ "transfer without runs", false, { .operation = QUIRE_PAGING_TRANSFER, .u.transfer = {
		.source.segment = QUIRE_SEGMENT_VRAM } } },
	{ "transfer behind the end", false, { .operation = QUIRE_PAGING_TRANSFER, .u.transfer = {
		.source = VRAM_8, .destination = LIST_8,
		.transfer_offset = 8 * PAGE, .mdl_offset = 8 } } },
	{ "fill", false, { .operation = QUIRE_PAGING_FILL, .u.fill.destination = VRAM_8 } },
	{ "discard", false, { .operation = QUIRE_PAGING_DISCARD_CONTENT,
		.u.discard.location.segment = QUIRE_SEGMENT_VRAM } },
	{ "map", false, { .operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT, .u.map.mdl = LIST_8 } },
	{ "unmap", false, { .operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT } },
};

KUNIT_ARRAY_PARAM_DESC(empty, empty_cases, name);

/* Size 0 is done at once: no window, no idle allocation, nothing written. */
static void quire_paging_empty(struct kunit *test)
{
	const struct quire_paging_allocation allocation = { .needs_idle = true };
	const struct busy_case *c = test->param_value;
	struct quire_paging_args args, before;

	memcpy(&args, &c->args, sizeof(args));
	args.allocation = &allocation;
	memcpy(&before, &args, sizeof(before));
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&caps, &args), 0);
	KUNIT_EXPECT_EQ(test, quire_build_paging_buffer(&caps, &args), QUIRE_BUILD_DONE);
	KUNIT_EXPECT_MEMEQ(test, &args, &before, sizeof(before));
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
	c.vram_pages = U64_MAX;
	KUNIT_EXPECT_EQ(test, quire_paging_check_caps(&c), -EOVERFLOW);
	c = caps;
	c.max_packet_pages = 0;
	KUNIT_EXPECT_EQ(test, quire_paging_check_caps(&c), -EINVAL);
	c = caps;
	c.min_buffer_size = 47;
	KUNIT_EXPECT_EQ(test, quire_paging_check_caps(&c), -EINVAL);
	c = caps;
	c.min_private_data_size = 15;
	KUNIT_EXPECT_EQ(test, quire_paging_check_caps(&c), -EINVAL);
}

/* Fresh windows of the smallest sizes that the caps allow make progress. */
static void quire_paging_smallest_window(struct kunit *test)
{
	const struct golden_case *c = test->param_value;
	struct quire_paging_args args;
	u32 token;

	memcpy(&args, &c->args, sizeof(args));
	do {
		token = args.multipass_offset;
		window_open(test, &args);
		args.dma_size = QUIRE_PAGING_MIN_BUFFER_SIZE;
		args.private_data_size = QUIRE_PAGING_MIN_PRIVATE_SIZE;
		if (quire_build_paging_buffer(&caps, &args) == QUIRE_BUILD_DONE)
			return;
	} while (args.multipass_offset > token);
	KUNIT_FAIL(test, "%s: no progress from page %u on", c->name, token);
}

static struct kunit_case quire_paging_cases[] = {
	KUNIT_CASE_PARAM(quire_paging_golden, golden_gen_params),
	KUNIT_CASE_PARAM(quire_paging_refused, bad_gen_params),
	KUNIT_CASE(quire_paging_near_the_top),
	KUNIT_CASE(quire_paging_too_big),
	KUNIT_CASE_PARAM(quire_paging_busy, busy_gen_params),
	KUNIT_CASE_PARAM(quire_paging_not_busy, busy_gen_params),
	KUNIT_CASE_PARAM(quire_paging_empty, empty_gen_params),
	KUNIT_CASE(quire_paging_caps_checked),
	KUNIT_CASE_PARAM(quire_paging_smallest_window, golden_gen_params),
	{}
};

static struct kunit_suite quire_paging_suite = {
	.name = "quire_paging",
	.test_cases = quire_paging_cases,
};

kunit_test_suite(quire_paging_suite);

MODULE_DESCRIPTION("KUnit tests for the Quire driver");
MODULE_LICENSE("Dual MIT/GPL");
/* MODULE_IMPORT_NS() takes a name or a string, depending on the kernel. */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
