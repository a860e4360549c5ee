// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "../quire_paging_internal.h"
#include "quire_paging_args.h"

/*
 * DOC: the builder's interface
 *
 * The table of operations, bytes of each packet, BUSY, and operations of no
 * size. What packets do to memory is tested in quire_paging_window_test.c.
 */

#define WINDOW	256

static const u32 operations[] = {
	QUIRE_PAGING_TRANSFER,
	QUIRE_PAGING_FILL,
	QUIRE_PAGING_DISCARD_CONTENT,
	QUIRE_PAGING_READ_PHYSICAL,
	QUIRE_PAGING_WRITE_PHYSICAL,
	QUIRE_PAGING_MAP_APERTURE_SEGMENT,
	QUIRE_PAGING_UNMAP_APERTURE_SEGMENT,
	QUIRE_PAGING_SPECIAL_LOCK_TRANSFER,
	QUIRE_PAGING_VIRTUAL_TRANSFER,
	QUIRE_PAGING_VIRTUAL_FILL,
	QUIRE_PAGING_INIT_CONTEXT_RESOURCE,
	QUIRE_PAGING_UPDATE_PAGE_TABLE,
	QUIRE_PAGING_FLUSH_TLB,
	QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION,
	QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES,
	QUIRE_PAGING_NOTIFY_RESIDENCY,
	QUIRE_PAGING_SIGNAL_MONITORED_FENCE,
	QUIRE_PAGING_MAP_APERTURE_SEGMENT2,
	QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY,
	QUIRE_PAGING_MAP_MMU,
	QUIRE_PAGING_UNMAP_MMU,
	QUIRE_PAGING_NOTIFY_RESIDENCY2,
	QUIRE_PAGING_NOTIFY_ALLOC,
};

/* Each of the enum is an operation, in full and like no other. */
static void quire_paging_table(struct kunit *test)
{
	const struct quire_paging_operation_ops *ops[ARRAY_SIZE(operations)];
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(operations); i++) {
		ops[i] = quire_paging_find_operation(operations[i]);
		KUNIT_ASSERT_NOT_NULL(test, ops[i]);
		KUNIT_ASSERT_NOT_NULL(test, ops[i]->name);
		KUNIT_EXPECT_GT(test, strlen(ops[i]->name), (size_t)0);
		KUNIT_EXPECT_PTR_EQ(test, quire_paging_operation_name(operations[i]),
				    ops[i]->name);
		KUNIT_EXPECT_TRUE(test, ops[i]->opcode);
		KUNIT_EXPECT_GT(test, ops[i]->size, (u16)0);
		KUNIT_EXPECT_TRUE(test, ops[i]->check);
		KUNIT_EXPECT_TRUE(test, ops[i]->units);
		KUNIT_EXPECT_TRUE(test, ops[i]->emit);
		for (j = 0; j < i; j++) {
			KUNIT_EXPECT_TRUE(test, ops[i]->opcode != ops[j]->opcode);
			KUNIT_EXPECT_TRUE(test, strcmp(ops[i]->name, ops[j]->name));
		}
	}
}

/* Numbers and names are the original's. */
static void quire_paging_second_generation(struct kunit *test)
{
	static const struct {
		u32 number;
		const char *name;
	} known[] = {
		{ 8, "VIRTUAL_TRANSFER" }, { 9, "VIRTUAL_FILL" }, { 10, "INIT_CONTEXT_RESOURCE" },
		{ 11, "UPDATE_PAGE_TABLE" }, { 12, "FLUSH_TLB" },
		{ 13, "UPDATE_CONTEXT_ALLOCATION" }, { 14, "COPY_PAGE_TABLE_ENTRIES" },
		{ 15, "NOTIFY_RESIDENCY" }, { 16, "SIGNAL_MONITORED_FENCE" },
		{ 17, "MAP_APERTURE_SEGMENT2" }, { 18, "NOTIFY_FENCE_RESIDENCY" },
		{ 19, "MAP_MMU" }, { 20, "UNMAP_MMU" }, { 21, "NOTIFY_RESIDENCY2" },
		{ 22, "NOTIFY_ALLOC" },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		const char *name = quire_paging_operation_name(known[i].number);

		KUNIT_ASSERT_NOT_NULL(test, name);
		KUNIT_EXPECT_TRUE(test, !strcmp(name, known[i].name));
	}
}

/* Other numbers are no operations. */
static void quire_paging_outside_table(struct kunit *test)
{
	static const u32 outside[] = { QUIRE_PAGING_OPERATIONS, 1 << 16, 1u << 31, U32_MAX };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(outside); i++) {
		const struct quire_paging_args args = { .operation = outside[i] };

		KUNIT_EXPECT_TRUE(test, !quire_paging_find_operation(outside[i]));
		KUNIT_EXPECT_TRUE(test, !quire_paging_operation_name(outside[i]));
		KUNIT_EXPECT_EQ(test, quire_paging_check_args(&caps, &args), -EINVAL);
	}
}

struct golden_case {
	const char *name;
	struct quire_paging_args args;
	u32 size;
	u8 bytes[192];
	u64 record_bytes;
};

/* Elements of 8 bytes, 2 x 3 of them, in a tile of 64 KiB. */
static const struct quire_paging_allocation golden_image = {
	.size = PAGE, .pitch_aligned_size = 16 * PAGE,
	.layout = { QUIRE_LAYOUT_TILE_64K, 3, 2, 3, 1, 1 },
};

/* Two slices of it, in one page. */
static const struct quire_paging_allocation golden_slices = {
	.size = PAGE, .pitch_aligned_size = 32 * PAGE,
	.layout = { QUIRE_LAYOUT_TILE_64K, 3, 2, 3, 1, 2 },
};

/* What notices tell of. */
static const struct quire_paging_allocation golden_object = {
	.needs_idle = true, .size = 0x120 * PAGE - 8, .pitch_aligned_size = 0x145 * PAGE - 8,
	.id = 0xfedcba98,
};

#define ENTRIES(...)	(const struct quire_paging_pte[]) { __VA_ARGS__ }
#define RANGES(...)	(const struct quire_paging_copy_range[]) { __VA_ARGS__ }

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
	{ "swizzle",
	  { .operation = QUIRE_PAGING_TRANSFER, .allocation = &golden_image,
	    .u.transfer = {
		.source = LOCATION(SYSTEM, 2, { 0x12345678a, 1 }, { 0xabcdef, 8 }),
		.destination = LOCATION(VRAM, 1, { 0x123, 16 }),
		.transfer_size = PAGE, .mdl_offset = 1,
		.flags = QUIRE_TRANSFER_START | QUIRE_TRANSFER_SWIZZLE } },
	  96, { 0x01, 0x00, 0x01, 0x00, 0x60, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x30, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x02, 0x00, 0x03, 0x00, 0x02, 0x00, 0x00, 0x00,
		0x03, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x02, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00,
		0x00, 0xf0, 0xde, 0xbc, 0x0a, 0x00, 0x00, 0x00,
		0x0f, 0x30, 0x12, 0x00, 0x00, 0x00, 0x00, 0x00 }, 48 },
	{ "special lock out of VRAM, from a range",
	  { .operation = QUIRE_PAGING_SPECIAL_LOCK_TRANSFER, .allocation = &golden_image,
	    .u.special_lock = {
		.source = LOCATION(VRAM, 1, { 0x123, 16 }),
		.destination = LOCATION(SYSTEM, 2, { 0x12345678a, 1 }, { 0xabcdef, 8 }),
		.transfer_size = PAGE,
		.flags = QUIRE_TRANSFER_START | QUIRE_TRANSFER_UNSWIZZLE,
		.swizzling_range_id = 7, .swizzling_range_data = 0xfedc } },
	  96, { 0x0a, 0x00, 0x02, 0x00, 0x60, 0x00, 0x00, 0x00,
		0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x30, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x02, 0x00, 0x03, 0x00, 0x02, 0x00, 0x00, 0x00,
		0x03, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x07, 0x00, 0xdc, 0xfe,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x02, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00,
		0x00, 0xa0, 0x78, 0x56, 0x34, 0x12, 0x00, 0x00,
		0x0f, 0x30, 0x12, 0x00, 0x00, 0x00, 0x00, 0x00 }, 48 },
	{ "special lock into VRAM, without a range",
	  { .operation = QUIRE_PAGING_SPECIAL_LOCK_TRANSFER, .allocation = &golden_image,
	    .u.special_lock = {
		.source = LOCATION(SYSTEM, 1, { 0x12345678a, 1 }),
		.destination = LOCATION(VRAM, 1, { 0x123, 16 }),
		.transfer_size = PAGE,
		.flags = QUIRE_TRANSFER_END | QUIRE_TRANSFER_SWIZZLE,
		.swizzling_range_id = QUIRE_PAGING_NO_RANGE } },
	  96, { 0x0a, 0x00, 0x01, 0x00, 0x60, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x30, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x02, 0x00, 0x03, 0x00, 0x02, 0x00, 0x00, 0x00,
		0x03, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00,
		0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x02, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00,
		0x00, 0xa0, 0x78, 0x56, 0x34, 0x12, 0x00, 0x00,
		0x0f, 0x30, 0x12, 0x00, 0x00, 0x00, 0x00, 0x00 }, 48 },
	{ "unswizzle of two slices",
	  { .operation = QUIRE_PAGING_TRANSFER, .allocation = &golden_slices,
	    .u.transfer = {
		.source = LOCATION(VRAM, 1, { 0x123, 32 }),
		.destination = LOCATION(APERTURE, 1, { 0x456, 1 }),
		.transfer_size = PAGE,
		.flags = QUIRE_TRANSFER_START | QUIRE_TRANSFER_UNSWIZZLE } },
	  176, { 0x01, 0x00, 0x02, 0x00, 0x58, 0x00, 0x00, 0x00,
		0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x60, 0x45, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x30, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x02, 0x00, 0x03, 0x00, 0x02, 0x00, 0x00, 0x00,
		0x03, 0x00, 0x00, 0x00, 0x01, 0x00, 0x02, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x02, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00,
		0x0f, 0x30, 0x12, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x01, 0x00, 0x02, 0x00, 0x58, 0x00, 0x00, 0x00,
		0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x30, 0x60, 0x45, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x30, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x02, 0x00, 0x03, 0x00, 0x02, 0x00, 0x00, 0x00,
		0x03, 0x00, 0x00, 0x00, 0x01, 0x00, 0x02, 0x00,
		0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x02, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00,
		0x0f, 0x30, 0x13, 0x00, 0x00, 0x00, 0x00, 0x00 }, 96 },
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
	{ "map of an address list",
	  { .operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT2,
	    .dma_buffer_gpu_address = 0x1122334400000000ull, .u.map2 = {
		.offset_in_pages = 0x6fe, .number_of_pages = 2,
		.adl = { .start = 0x20, .page_count = 3,
			 .pages = NUMBERS(0x9988, 0x77665544332ull, 0x123) },
		.adl_offset = 0x21, .flags = QUIRE_MAPAPERTURE_CACHE_COHERENT,
		.cpu_visible_address = 0xfd6fe000 } },
	  48, { 0x09, 0x00, 0x05, 0x00, 0x30, 0x00, 0x00, 0x00,
		0x02, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,
		0xfe, 0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x98, 0x56, 0x00, 0x00, 0x44, 0x33, 0x22, 0x11,
		0x32, 0x43, 0x54, 0x65, 0x76, 0x07, 0x00, 0x00,
		0x23, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00 }, 0x2000 },
	{ "map of contiguous pages",
	  { .operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT2, .u.map2 = {
		.offset_in_pages = 0x700, .number_of_pages = 0x100,
		.adl = { .page_count = 0x110, .contiguous = true,
			 .base_page_number = 0x123456789abull },
		.adl_offset = 0x10 } },
	  32, { 0x09, 0x00, 0x02, 0x00, 0x20, 0x00, 0x00, 0x00,
		0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00,
		0x00, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0xbb, 0x89, 0x67, 0x45, 0x23, 0x01, 0x00, 0x00 }, 0x100000 },
	{ "virtual transfer",
	  { .operation = QUIRE_PAGING_VIRTUAL_TRANSFER, .u.transfer_virtual = {
		.allocation_offset = 0x5000, .transfer_size = 0x834567,
		.source_virtual_address = 0x123456789000, .transfer_direction = 1,
		.destination_virtual_address = 0xfedcba987000, .flags = 2 } },
	  120, { 0x0b, 0x00, 0x02, 0x00, 0x28, 0x00, 0x00, 0x00,
		0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x90, 0x78, 0x56, 0x34, 0x12, 0x00, 0x00,
		0x00, 0x70, 0x98, 0xba, 0xdc, 0xfe, 0x00, 0x00,
		0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x0b, 0x00, 0x02, 0x00, 0x28, 0x00, 0x00, 0x00,
		0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x90, 0xb8, 0x56, 0x34, 0x12, 0x00, 0x00,
		0x00, 0x70, 0xd8, 0xba, 0xdc, 0xfe, 0x00, 0x00,
		0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x0b, 0x00, 0x02, 0x00, 0x28, 0x00, 0x00, 0x00,
		0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x90, 0xf8, 0x56, 0x34, 0x12, 0x00, 0x00,
		0x00, 0x70, 0x18, 0xbb, 0xdc, 0xfe, 0x00, 0x00,
		0x67, 0x45, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00 }, 0x834567 },
	{ "virtual fill",
	  { .operation = QUIRE_PAGING_VIRTUAL_FILL, .u.fill_virtual = {
		.allocation_offset = 0x5000, .fill_size = 0x3004,
		.destination_virtual_address = 0x7ffff0000000, .fill_pattern = 0x11223344 } },
	  32, { 0x0c, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0xf0, 0xff, 0x7f, 0x00, 0x00,
		0x04, 0x30, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x44, 0x33, 0x22, 0x11, 0x00, 0x00, 0x00, 0x00 }, 0x3004 },
	{ "context at a virtual address",
	  { .operation = QUIRE_PAGING_INIT_CONTEXT_RESOURCE, .u.init_context = {
		.is_virtual = true, .address = 0xabcdef012000 } },
	  24, { 0x0d, 0x00, 0x00, 0x80, 0x18, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x20, 0x01, 0xef, 0xcd, 0xab, 0x00, 0x00 }, 0x1000 },
	{ "context in VRAM",
	  { .operation = QUIRE_PAGING_INIT_CONTEXT_RESOURCE, .u.init_context = {
		.segment = QUIRE_SEGMENT_VRAM, .address = 0xabc000 } },
	  24, { 0x0d, 0x00, 0x00, 0x00, 0x18, 0x00, 0x00, 0x00,
		0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0xc0, 0xab, 0x00, 0x00, 0x00, 0x00, 0x00 }, 0x1000 },
	{ "entries at a virtual address",
	  { .operation = QUIRE_PAGING_UPDATE_PAGE_TABLE, .u.update_page_table = {
		.update_mode = QUIRE_PAGE_TABLE_GPU_VIRTUAL,
		.page_table_address.gpu_virtual = 0x123456789000, .page_table_level = 2,
		.page_table_entries = ENTRIES({ 0x21, 0xfed }, { 0, 0 }, { 0x1, 0xabcdef012 }),
		.start_index = 0x123, .num_page_table_entries = 3 } },
	  56, { 0x0e, 0x00, 0x00, 0x80, 0x38, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,
		0x00, 0x90, 0x78, 0x56, 0x34, 0x12, 0x00, 0x00,
		0x23, 0x01, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00,
		0x21, 0xd0, 0xfe, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x01, 0x20, 0x01, 0xef, 0xcd, 0xab, 0x00, 0x00 }, 24 },
	{ "entries that follow each other, of 64 KiB, in VRAM",
	  { .operation = QUIRE_PAGING_UPDATE_PAGE_TABLE, .u.update_page_table = {
		.update_mode = QUIRE_PAGE_TABLE_GPU_PHYSICAL,
		.page_table_address.gpu_physical = { QUIRE_SEGMENT_VRAM, 0xabc000 },
		.page_table_entries = ENTRIES({ 0x59, 0x120 }, { 0x59, 0x130 }, { 0x59, 0x140 }),
		.start_index = 29, .num_page_table_entries = 3,
		.flags = QUIRE_UPDATE_64K | QUIRE_UPDATE_INITIAL } },
	  40, { 0x0e, 0x00, 0x1a, 0x00, 0x28, 0x00, 0x00, 0x00,
		0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0xc0, 0xab, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x1d, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00,
		0x59, 0x00, 0x12, 0x00, 0x00, 0x00, 0x00, 0x00 }, 384 },
	{ "entries that are the same, in system memory",
	  { .operation = QUIRE_PAGING_UPDATE_PAGE_TABLE, .u.update_page_table = {
		.update_mode = QUIRE_PAGE_TABLE_GPU_PHYSICAL, .page_table_level = 1,
		.page_table_address.gpu_physical = { QUIRE_SEGMENT_SYSTEM, 0xfedcba9876543000 },
		.page_table_entries = ENTRIES({ 0, 0 }), .num_page_table_entries = 512,
		.flags = QUIRE_UPDATE_REPEAT | QUIRE_UPDATE_NOTIFY_EVICTION } },
	  40, { 0x0e, 0x00, 0x05, 0x00, 0x28, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
		0x00, 0x30, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00 }, 0x1000 },
	{ "flush",
	  { .operation = QUIRE_PAGING_FLUSH_TLB, .u.flush_tlb = {
		.root = { 0x21, 0xabc }, .start_virtual_address = 0x123456789000,
		.end_virtual_address = 0x1000000000000 } },
	  32, { 0x0f, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00,
		0x21, 0xc0, 0xab, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x90, 0x78, 0x56, 0x34, 0x12, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00 }, 0 },
	{ "update of a context",
	  { .operation = QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION, .u.update_context = {
		.context_allocation = 0x123456789000, .context_allocation_size = PAGE,
		.driver_private_data = "what a driver has", .driver_private_data_size = 16,
		.offset = 8 } },
	  40, { 0x10, 0x00, 0x00, 0x00, 0x28, 0x00, 0x00, 0x00,
		0x00, 0x90, 0x78, 0x56, 0x34, 0x12, 0x00, 0x00,
		0x08, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00,
		0x77, 0x68, 0x61, 0x74, 0x20, 0x61, 0x20, 0x64,
		0x72, 0x69, 0x76, 0x65, 0x72, 0x20, 0x68, 0x61 }, 16 },
	{ "copy of entries",
	  { .operation = QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES, .u.copy_entries = {
		.num_ranges = 2,
		.ranges = RANGES({ 0x105, 0x123456789000, 0xabcdef012000, 0xf0, 0x11 },
				 { 1, 0x3000, 0x4000, 511, 0 }) } },
	  72, { 0x11, 0x00, 0x00, 0x00, 0x48, 0x00, 0x00, 0x00,
		0x00, 0x90, 0x78, 0x56, 0x34, 0x12, 0x00, 0x00,
		0x00, 0x20, 0x01, 0xef, 0xcd, 0xab, 0x00, 0x00,
		0xf0, 0x00, 0x00, 0x00, 0x11, 0x00, 0x00, 0x00,
		0x05, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x30, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0xff, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00 }, 2096 },
	{ "signal of a fence",
	  { .operation = QUIRE_PAGING_SIGNAL_MONITORED_FENCE, .u.signal_fence = {
		.monitored_fence_gpu_va = 0x123456789ff8,
		.monitored_fence_value = 0xfedcba9876543210 } },
	  24, { 0x12, 0x00, 0x01, 0x00, 0x18, 0x00, 0x00, 0x00,
		0xf8, 0x9f, 0x78, 0x56, 0x34, 0x12, 0x00, 0x00,
		0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe }, 8 },
	{ "notice of what comes to VRAM",
	  { .operation = QUIRE_PAGING_NOTIFY_RESIDENCY, .allocation = &golden_object,
	    .u.notify_residency = {
		.resident = true, .segment = QUIRE_SEGMENT_VRAM, .physical_address = 0xabc000 } },
	  24, { 0x13, 0x00, 0x01, 0x00, 0x18, 0x00, 0x00, 0x00,
		0x98, 0xba, 0xdc, 0xfe, 0x45, 0x01, 0x00, 0x00,
		0x00, 0xc0, 0xab, 0x00, 0x00, 0x00, 0x00, 0x01 }, 0 },
	{ "notice of what comes to the aperture",
	  { .operation = QUIRE_PAGING_NOTIFY_RESIDENCY, .allocation = &golden_object,
	    .u.notify_residency = {
		.resident = true, .segment = QUIRE_SEGMENT_APERTURE,
		.physical_address = 0x123000 } },
	  24, { 0x13, 0x00, 0x01, 0x00, 0x18, 0x00, 0x00, 0x00,
		0x98, 0xba, 0xdc, 0xfe, 0x20, 0x01, 0x00, 0x00,
		0x00, 0x30, 0x12, 0x00, 0x00, 0x00, 0x00, 0x02 }, 0 },
	{ "notice of what leaves",
	  { .operation = QUIRE_PAGING_NOTIFY_RESIDENCY, .allocation = &golden_object },
	  24, { 0x13, 0x00, 0x00, 0x00, 0x18, 0x00, 0x00, 0x00,
		0x98, 0xba, 0xdc, 0xfe, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00 }, 0 },
	{ "notice of a part that comes, with a list",
	  { .operation = QUIRE_PAGING_NOTIFY_RESIDENCY2, .allocation = &golden_object,
	    .u.notify_residency2 = {
		.allocation_offset_in_pages = 0x12, .size_in_pages = 0x34,
		.segment = QUIRE_SEGMENT_VRAM, .resident = true,
		.mdl = { QUIRE_SEGMENT_VRAM, 2, 0x11,
			 RUNS({ 0xabc, 0x21 }, { 0x123, 0x100 }) } } },
	  40, { 0x14, 0x00, 0x01, 0x00, 0x28, 0x00, 0x00, 0x00,
		0x98, 0xba, 0xdc, 0xfe, 0x01, 0x00, 0x00, 0x00,
		0x12, 0x00, 0x00, 0x00, 0x34, 0x00, 0x00, 0x00,
		0x1f, 0xd0, 0xab, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x13, 0x30, 0x12, 0x00, 0x00, 0x00, 0x00, 0x00 }, 0 },
	{ "notice of a part that comes, of one run",
	  { .operation = QUIRE_PAGING_NOTIFY_RESIDENCY2, .allocation = &golden_object,
	    .u.notify_residency2 = {
		.allocation_offset_in_pages = 0x11f, .size_in_pages = 1,
		.segment = QUIRE_SEGMENT_APERTURE, .resident = true, .contiguous = true,
		.physical_address = 0x456000 } },
	  32, { 0x14, 0x00, 0x01, 0x00, 0x20, 0x00, 0x00, 0x00,
		0x98, 0xba, 0xdc, 0xfe, 0x02, 0x00, 0x00, 0x00,
		0x1f, 0x01, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
		0x00, 0x60, 0x45, 0x00, 0x00, 0x00, 0x00, 0x00 }, 0 },
	{ "notice of a part that leaves",
	  { .operation = QUIRE_PAGING_NOTIFY_RESIDENCY2, .allocation = &golden_object,
	    .u.notify_residency2 = {
		.allocation_offset_in_pages = 0x12, .size_in_pages = 0x105,
		.segment = QUIRE_SEGMENT_VRAM } },
	  24, { 0x14, 0x00, 0x00, 0x00, 0x18, 0x00, 0x00, 0x00,
		0x98, 0xba, 0xdc, 0xfe, 0x01, 0x00, 0x00, 0x00,
		0x12, 0x00, 0x00, 0x00, 0x05, 0x01, 0x00, 0x00 }, 0 },
	{ "notice of fences",
	  { .operation = QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY, .u.notify_fences = {
		.num_fences = 2, .fences = FENCES({ 0x3ff, 0x123456789021, 0x100000000012340,
			0x200000000000558 }, { .native_fence = 7 }) } },
	  72, { 0x18, 0x00, 0x00, 0x00, 0x48, 0x00, 0x00, 0x00,
		0xff, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x21, 0x90, 0x78, 0x56, 0x34, 0x12, 0x00, 0x00,
		0x40, 0x23, 0x01, 0x00, 0x00, 0x00, 0x00, 0x01,
		0x58, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
		0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00 }, 0 },
	{ "map of an MMU",
	  { .operation = QUIRE_PAGING_MAP_MMU, .u.map_mmu = {
		.virtual_address = 0x1fe000, .mmu_id = 1, .segment = QUIRE_SEGMENT_SYSTEM,
		.allocation_offset_in_pages = 0x21, .flags = QUIRE_MAPAPERTURE_CACHE_COHERENT,
		.adl = { .start = 0x20, .page_count = 3,
			 .pages = NUMBERS(0x9988, 0x77665544332ull, 0x123) } } },
	  48, { 0x16, 0x00, 0x01, 0x00, 0x30, 0x00, 0x00, 0x00,
		0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0xe0, 0x1f, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x32, 0x43, 0x54, 0x65, 0x76, 0x07, 0x00, 0x00,
		0x23, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00 }, 0x2000 },
	{ "map of an MMU, contiguous pages of VRAM",
	  { .operation = QUIRE_PAGING_MAP_MMU, .u.map_mmu = {
		.virtual_address = 0x3000, .segment = QUIRE_SEGMENT_VRAM,
		.allocation_offset_in_pages = 0x10,
		.adl = { .page_count = 0x110, .contiguous = true,
			 .base_page_number = 0xabc } } },
	  40, { 0x16, 0x00, 0x02, 0x00, 0x28, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
		0x00, 0x30, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0xcc, 0x0a, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00 }, 0x100000 },
	{ "unmap of an MMU",
	  { .operation = QUIRE_PAGING_UNMAP_MMU, .u.unmap_mmu = {
		.virtual_address = 0xfe000, .mmu_id = 1, .allocation_offset = 0x77,
		.number_of_pages = 0x102 } },
	  24, { 0x17, 0x00, 0x00, 0x00, 0x18, 0x00, 0x00, 0x00,
		0x01, 0x00, 0x00, 0x00, 0x02, 0x01, 0x00, 0x00,
		0x00, 0xe0, 0x0f, 0x00, 0x00, 0x00, 0x00, 0x00 }, 0x102000 },
	{ "notice of an eviction",
	  { .operation = QUIRE_PAGING_NOTIFY_ALLOC, .allocation = &golden_object,
	    .u.notify_alloc = {
		.flags = QUIRE_NOTIFY_EVICTION, .offset_in_bytes = 0x11000,
		.size_in_bytes = 0x10f000, .gpu_virtual_address_at_offset = 0x123456789000 } },
	  40, { 0x15, 0x00, 0x01, 0x00, 0x28, 0x00, 0x00, 0x00,
		0x98, 0xba, 0xdc, 0xfe, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x10, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0xf0, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x90, 0x78, 0x56, 0x34, 0x12, 0x00, 0x00 }, 0 },
	{ "notice of pages that are forgotten",
	  { .operation = QUIRE_PAGING_NOTIFY_ALLOC, .allocation = &golden_object,
	    .u.notify_alloc = {
		.flags = QUIRE_NOTIFY_IOMMU_UNMAP, .size_in_bytes = 0x120000,
		.gpu_virtual_address_at_offset = 0xfedcba987000 } },
	  40, { 0x15, 0x00, 0x02, 0x00, 0x28, 0x00, 0x00, 0x00,
		0x98, 0xba, 0xdc, 0xfe, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x12, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x70, 0x98, 0xba, 0xdc, 0xfe, 0x00, 0x00 }, 0 },
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

/* The last page below the top of 64 bits is not refused. */
static void quire_paging_near_the_top(struct kunit *test)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_TRANSFER, .u.transfer = {
			.source = LOCATION(SYSTEM, 1, { TOP - 8, 8 }),
			.destination = VRAM_8, .transfer_size = 8 * PAGE,
		},
	};
	struct window *window = window_open(test, &args);

	KUNIT_ASSERT_EQ(test, quire_paging_check_args(&caps, &args), 0);
	KUNIT_ASSERT_EQ(test, quire_build_paging_buffer(&caps, &args), QUIRE_BUILD_DONE);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(window->bytes[5]), (TOP - 8) << 12 | 7);
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
	{ "map of an address list", false, { .operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT2,
		.u.map2 = { .number_of_pages = 8, .adl = CONTIGUOUS_8 } } },
	{ "virtual transfer", false, { .operation = QUIRE_PAGING_VIRTUAL_TRANSFER,
		.u.transfer_virtual.transfer_size = PAGE } },
	{ "virtual fill", false, { .operation = QUIRE_PAGING_VIRTUAL_FILL,
		.u.fill_virtual.fill_size = PAGE } },
	{ "context", false, { .operation = QUIRE_PAGING_INIT_CONTEXT_RESOURCE } },
	{ "page table", false, { .operation = QUIRE_PAGING_UPDATE_PAGE_TABLE,
		.u.update_page_table = {
			.update_mode = QUIRE_PAGE_TABLE_GPU_VIRTUAL,
			.page_table_entries = ENTRIES({ 0, 0 }), .num_page_table_entries = 1 } } },
	{ "flush", false, { .operation = QUIRE_PAGING_FLUSH_TLB, .u.flush_tlb.root = { 1, 1 } } },
	{ "update of a context", false, { .operation = QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION,
		.u.update_context = { .driver_private_data = "8 bytes",
				      .driver_private_data_size = 8 } } },
	{ "copy of entries", false, { .operation = QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES,
		.u.copy_entries = { .num_ranges = 1, .ranges = RANGES({ 1, 0, PAGE, 0, 0 }) } } },
	{ "signal of a fence", false, { .operation = QUIRE_PAGING_SIGNAL_MONITORED_FENCE } },
	{ "notice of fences", false, { .operation = QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY,
		.u.notify_fences = { .num_fences = 1, .fences = FENCES({ .native_fence = 1 }) } } },
	{ "map of an MMU", false, { .operation = QUIRE_PAGING_MAP_MMU,
		.u.map_mmu.adl = CONTIGUOUS_8 } },
	{ "unmap of an MMU", false, { .operation = QUIRE_PAGING_UNMAP_MMU,
		.u.unmap_mmu.number_of_pages = 8 } },
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
	{ "map of no address list", false, { .operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT2 } },
	{ "virtual transfer", false, { .operation = QUIRE_PAGING_VIRTUAL_TRANSFER } },
	{ "virtual fill", false, { .operation = QUIRE_PAGING_VIRTUAL_FILL } },
	{ "page table", false, { .operation = QUIRE_PAGING_UPDATE_PAGE_TABLE,
		.u.update_page_table.update_mode = QUIRE_PAGE_TABLE_GPU_VIRTUAL } },
	{ "update of a context", false, { .operation = QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION } },
	{ "copy of entries", false, { .operation = QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES } },
	{ "notice of no part that comes", false, { .operation = QUIRE_PAGING_NOTIFY_RESIDENCY2,
		.u.notify_residency2 = { .segment = QUIRE_SEGMENT_VRAM, .resident = true,
					 .contiguous = true } } },
	{ "notice of no part that leaves", false, { .operation = QUIRE_PAGING_NOTIFY_RESIDENCY2,
		.u.notify_residency2.segment = QUIRE_SEGMENT_APERTURE } },
	{ "notice of no fence", false, { .operation = QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY } },
	{ "map of no page of an MMU", false, { .operation = QUIRE_PAGING_MAP_MMU } },
	{ "map from the end of a list", false, { .operation = QUIRE_PAGING_MAP_MMU,
		.u.map_mmu = { .allocation_offset_in_pages = 8, .adl = CONTIGUOUS_8 } } },
	{ "unmap of no page of an MMU", false, { .operation = QUIRE_PAGING_UNMAP_MMU } },
	{ "notice of no eviction", false, { .operation = QUIRE_PAGING_NOTIFY_ALLOC,
		.u.notify_alloc.flags = QUIRE_NOTIFY_EVICTION } },
};

KUNIT_ARRAY_PARAM_DESC(empty, empty_cases, name);

/* Size 0 is done at once: no window, no idle allocation, nothing written. */
static void quire_paging_empty(struct kunit *test)
{
	const struct quire_paging_allocation allocation = { .needs_idle = true, .id = 1 };
	const struct busy_case *c = test->param_value;
	struct quire_paging_args args, before;

	memcpy(&args, &c->args, sizeof(args));
	args.allocation = &allocation;
	memcpy(&before, &args, sizeof(before));
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&caps, &args), 0);
	KUNIT_EXPECT_EQ(test, quire_build_paging_buffer(&caps, &args), QUIRE_BUILD_DONE);
	KUNIT_EXPECT_MEMEQ(test, &args, &before, sizeof(before));
}

/* A special lock is of an image, so it has an allocation. */
static void quire_paging_busy_special_lock(struct kunit *test)
{
	struct quire_paging_allocation allocation = golden_slices;
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_SPECIAL_LOCK_TRANSFER,
		.allocation = &allocation,
		.u.special_lock = {
			.source = LOCATION(VRAM, 1, { 0, 32 }),
			.destination = LIST_8,
			.transfer_size = PAGE,
			.flags = QUIRE_TRANSFER_START | QUIRE_TRANSFER_UNSWIZZLE,
		},
	};
	struct window *window = window_open(test, &args);

	allocation.needs_idle = true;
	KUNIT_ASSERT_EQ(test, quire_paging_check_args(&caps, &args), 0);
	busy_expect(test, &args);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(window->bytes[0]), 0xa5a5a5a5a5a5a5a5ull);
	args.dma_size = 100;
	KUNIT_EXPECT_EQ(test, quire_build_paging_buffer(&caps, &args), QUIRE_BUILD_FULL);
	KUNIT_EXPECT_EQ(test, args.multipass_offset, 6u);
	window_open(test, &args);
	busy_expect(test, &args);
	KUNIT_EXPECT_EQ(test, quire_build_paging_buffer(&caps, &args), QUIRE_BUILD_DONE);

	/* Nothing of it, or an image that is not in use: nobody to wait for. */
	args.multipass_offset = 0;
	args.allocation_is_idle = false;
	args.u.special_lock.transfer_size = 0;
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&caps, &args), 0);
	KUNIT_EXPECT_EQ(test, quire_build_paging_buffer(&caps, &args), QUIRE_BUILD_DONE);
	args.u.special_lock.transfer_size = PAGE;
	allocation.needs_idle = false;
	window_open(test, &args);
	KUNIT_EXPECT_EQ(test, quire_build_paging_buffer(&caps, &args), QUIRE_BUILD_DONE);
	KUNIT_EXPECT_EQ(test, args.multipass_offset, 12u);
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
	KUNIT_CASE(quire_paging_table),
	KUNIT_CASE(quire_paging_second_generation),
	KUNIT_CASE(quire_paging_outside_table),
	KUNIT_CASE_PARAM(quire_paging_golden, golden_gen_params),
	KUNIT_CASE(quire_paging_near_the_top),
	KUNIT_CASE_PARAM(quire_paging_busy, busy_gen_params),
	KUNIT_CASE_PARAM(quire_paging_not_busy, busy_gen_params),
	KUNIT_CASE_PARAM(quire_paging_empty, empty_gen_params),
	KUNIT_CASE(quire_paging_busy_special_lock),
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
