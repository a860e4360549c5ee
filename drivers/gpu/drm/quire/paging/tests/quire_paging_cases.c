// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <linux/limits.h>

#include "quire_paging_cases.h"

static const struct quire_page_run vram_one[] = { { V + 2, 20 } };
static const struct quire_page_run vram_low[] = { { V, 12 } };
static const struct quire_page_run vram_high[] = { { V + 5, 12 } };
static const struct quire_page_run vram_split[] = {
	{ V + 9, 3 }, { V + 1, 1 }, { V + 20, 7 }, { V + 12, 4 }, { V + 28, 1 },
};

static const struct quire_page_run vram_other[] = {
	{ V + 27, 1 }, { V + 2, 5 }, { V + 16, 4 }, { V + 29, 3 }, { V + 7, 2 }, { V, 1 },
};

/* Neighbours that nobody coalesced: still a boundary. */
static const struct quire_page_run vram_adjacent[] = {
	{ V + 4, 4 }, { V + 8, 4 }, { V + 12, 1 }, { V + 13, 7 },
};

static const struct quire_page_run list_one[] = { { S + 1, 20 } };
static const struct quire_page_run list_split[] = {
	{ S + 20, 2 }, { S, 5 }, { S + 10, 1 }, { S + 12, 6 }, { S + 5, 2 }, { S + 22, 2 },
};

static const struct quire_page_run list_pages[] = {
	{ S + 22, 1 }, { S + 3, 1 }, { S + 5, 1 }, { S + 1, 1 }, { S + 20, 1 }, { S + 7, 1 },
	{ S + 18, 1 }, { S + 9, 1 }, { S + 16, 1 }, { S + 11, 1 }, { S + 14, 1 }, { S + 13, 1 },
	{ S, 1 }, { S + 15, 1 }, { S + 12, 1 }, { S + 17, 1 }, { S + 10, 1 }, { S + 19, 1 },
};

/* An address list: pages that follow each other, too. */
static const u64 numbers[] = {
	S + 22, S + 3, S + 4, S + 5, S + 1, S + 20, S + 7, S + 18, S + 9,
	S + 8, S + 11, S + 14, S + 13, S, S + 15, S + 16, S + 12, S + 17,
};

#define ADL(list)	.page_count = ARRAY_SIZE(list), .pages = list

static const struct quire_page_run aperture_split[] = {
	{ 3, 5 }, { 10, 2 }, { 0, 3 }, { 15, 9 },
};

static const struct quire_page_run aperture_one[] = { { 1, 18 } };

static const struct quire_page_run vram_all[] = { { V + 8, 24 }, { V, 8 } };

/* Whole tiles of 64 KiB. */
static const struct quire_page_run vram_tiles[] = { { V + 16, 16 }, { V, 16 } };

/* Images; pitch_aligned_size is written by hand from device.rst. */
#define IMAGE(tile, log2, w, h, nr_levels, slices, bytes, tiled)		\
	{ .size = bytes, .pitch_aligned_size = tiled, .layout = {		\
		.kind = QUIRE_LAYOUT_TILE_##tile, .element_shift = log2,	\
		.width = w, .height = h, .levels = nr_levels, .array_size = slices } }

static const struct quire_paging_allocation image_4 =
	IMAGE(4K, 2, 40, 33, 2, 2, 4 * PAGE, 10 * PAGE);
static const struct quire_paging_allocation image_whole_tiles =
	IMAGE(4K, 1, 64, 128, 1, 1, 4 * PAGE, 4 * PAGE);
static const struct quire_paging_allocation image_bytes =
	IMAGE(64K, 0, 300, 20, 1, 1, 2 * PAGE, 32 * PAGE);
static const struct quire_paging_allocation image_16 =
	IMAGE(4K, 4, 33, 17, 6, 1, 3 * PAGE, 11 * PAGE);
static const struct quire_paging_allocation image_wide =
	IMAGE(4K, 0, 1500, 5, 1, 1, 2 * PAGE, 24 * PAGE);
static const struct quire_paging_allocation image_tiny =
	IMAGE(4K, 0, 1, 3, 2, 10, 1 * PAGE, 20 * PAGE);
static const struct quire_paging_allocation image_64k =
	IMAGE(64K, 2, 100, 37, 1, 2, 8 * PAGE, 32 * PAGE);

const struct quire_paging_case quire_paging_operation_cases[] = {
	{ "list to VRAM", 1000,
	  TRANSFER(SYSTEM, list_one, VRAM, vram_one, 20 * PAGE, 0, 0) },
	{ "list to VRAM, largest packet", U32_MAX,
	  TRANSFER(SYSTEM, list_pages, VRAM, vram_one, 18 * PAGE, 0, 0) },
	{ "VRAM to list", 1000,
	  TRANSFER(VRAM, vram_one, SYSTEM, list_pages, 18 * PAGE, 0, 0) },
	{ "list to VRAM, runs on both sides", 1000,
	  TRANSFER(SYSTEM, list_split, VRAM, vram_split, 16 * PAGE, 0, 0) },
	{ "VRAM to list, runs on both sides", 1000,
	  TRANSFER(VRAM, vram_other, SYSTEM, list_split, 16 * PAGE, 0, 0) },
	{ "VRAM to list, neighbour runs", 1000,
	  TRANSFER(VRAM, vram_adjacent, SYSTEM, list_one, 16 * PAGE, 0, 0) },
	{ "list to VRAM, transfer offset", 1000,
	  TRANSFER(SYSTEM, list_split, VRAM, vram_split, 9 * PAGE, 5 * PAGE, 0) },
	{ "list to VRAM, MDL offset", 1000,
	  TRANSFER(SYSTEM, list_split, VRAM, vram_split, 9 * PAGE, 0, 4) },
	{ "list to VRAM, both offsets", 1000,
	  TRANSFER(SYSTEM, list_split, VRAM, vram_one, 9 * PAGE, 5 * PAGE, 4) },
	{ "VRAM to list, both offsets, odd size", 3,
	  TRANSFER(VRAM, vram_split, SYSTEM, list_split, 8 * PAGE + 77, 4 * PAGE, 6) },
	{ "VRAM to list, both offsets, pages", 1000,
	  TRANSFER(VRAM, vram_split, SYSTEM, list_pages, 11 * PAGE, 2 * PAGE, 7) },
	{ "list to VRAM, one byte", 1000,
	  TRANSFER(SYSTEM, list_split, VRAM, vram_split, 1, 3 * PAGE, 7) },
	{ "list to VRAM, odd size", 1000,
	  TRANSFER(SYSTEM, list_split, VRAM, vram_split, 15 * PAGE + 4095, 0, 0) },
	{ "VRAM to list, packets of 1 page", 1,
	  TRANSFER(VRAM, vram_one, SYSTEM, list_split, 6 * PAGE + 1, 0, 0) },
	{ "list to VRAM, packets of 2 pages", 2,
	  TRANSFER(SYSTEM, list_split, VRAM, vram_other, 9 * PAGE, 0, 1) },
	{ "VRAM to aperture", 1000,
	  TRANSFER(VRAM, vram_split, APERTURE, aperture_split, 12 * PAGE + 5, 3 * PAGE, 99) },
	{ "aperture to VRAM", 4,
	  TRANSFER(APERTURE, aperture_split, VRAM, vram_other, 14 * PAGE, 2 * PAGE, 0) },
	{ "list to aperture", 1000,
	  TRANSFER(SYSTEM, list_pages, APERTURE, aperture_split, 12 * PAGE, 3 * PAGE, 2) },
	{ "aperture to list", 5,
	  TRANSFER(APERTURE, aperture_one, SYSTEM, list_split, 12 * PAGE + 9, PAGE, 2) },
	{ "VRAM to VRAM, runs on both sides", 1000,
	  TRANSFER(VRAM, vram_split, VRAM, vram_other, 16 * PAGE, 0, 0) },
	{ "VRAM to VRAM, both offsets", 2,
	  TRANSFER(VRAM, vram_split, VRAM, vram_other, 9 * PAGE + 9, 4 * PAGE, 5) },
	{ "swizzle, levels and slices", 1000,
	  CONVERT(SWIZZLE, SYSTEM, list_split, VRAM, vram_split, 4 * PAGE, 0, 3, 0, &image_4) },
	{ "unswizzle, levels and slices", 1000,
	  CONVERT(UNSWIZZLE, VRAM, vram_split, SYSTEM, list_pages, 4 * PAGE, 0, 1, 0, &image_4) },
	{ "swizzle, whole tiles, from the aperture", 1000,
	  CONVERT(SWIZZLE, APERTURE, aperture_split, VRAM, vram_other, 4 * PAGE, 0, 77, 0,
		  &image_whole_tiles) },
	{ "unswizzle, whole tiles, packets of 1 page", 1,
	  CONVERT(UNSWIZZLE, VRAM, vram_other, SYSTEM, list_split, 4 * PAGE, 0, 0, 0,
		  &image_whole_tiles) },
	{ "swizzle, bytes in tiles of 64 KiB", 1000,
	  CONVERT(SWIZZLE, SYSTEM, list_pages, VRAM, vram_tiles, 2 * PAGE, 0, 2, 0,
		  &image_bytes) },
	{ "unswizzle, tiles of 64 KiB, to the aperture", 2,
	  CONVERT(UNSWIZZLE, VRAM, vram_tiles, APERTURE, aperture_split, 8 * PAGE, 0, 0, 0,
		  &image_64k) },
	{ "swizzle, elements of 16 bytes, every level", 2,
	  CONVERT(SWIZZLE, SYSTEM, list_pages, VRAM, vram_split, 3 * PAGE, 0, 0, 0, &image_16) },
	{ "unswizzle, elements of 16 bytes, a page in the middle", 1000,
	  CONVERT(UNSWIZZLE, VRAM, vram_split, SYSTEM, list_pages, PAGE, PAGE, 5, 0, &image_16) },
	{ "swizzle, a part of a row", 1000,
	  CONVERT(SWIZZLE, SYSTEM, list_pages, VRAM, vram_all, PAGE, PAGE, 0, 0,
		  &image_wide) },
	{ "unswizzle, surfaces of a few bytes", 1000,
	  CONVERT(UNSWIZZLE, VRAM, vram_one, SYSTEM, list_one, PAGE, 0, 0, 0, &image_tiny) },
	{ "swizzle, the last page of an image, tiles of it alone", 1000,
	  CONVERT(SWIZZLE, SYSTEM, list_split, VRAM, vram_split, PAGE, 3 * PAGE, 6, 5,
		  &image_4) },
	{ "unswizzle from the aperture's middle", 3,
	  CONVERT(UNSWIZZLE, VRAM, vram_split, APERTURE, aperture_split, 2 * PAGE, 2 * PAGE, 0, 4,
		  &image_4) },
	{ "special lock out of VRAM, levels and slices", 1000,
	  SPECIAL_LOCK(UNSWIZZLE, VRAM, vram_split, SYSTEM, list_pages, 4 * PAGE, 0, 0, 3, 0xffff,
		       &image_4) },
	{ "special lock into VRAM, tiles of 64 KiB", 3,
	  SPECIAL_LOCK(SWIZZLE, SYSTEM, list_split, VRAM, vram_tiles, 8 * PAGE, 0, 0, U32_MAX, 0,
		       &image_64k) },
	{ "special lock out of VRAM, a page in the middle", 1000,
	  SPECIAL_LOCK(UNSWIZZLE, VRAM, vram_split, SYSTEM, list_pages, PAGE, PAGE, 0, 0, 1,
		       &image_16) },
	{ "special lock into VRAM, the last page, tiles of it alone", 1000,
	  SPECIAL_LOCK(SWIZZLE, SYSTEM, list_split, VRAM, vram_split, PAGE, 3 * PAGE, 5, 15, 0,
		       &image_4) },
	{ "VRAM upwards, overlapping", 2,
	  TRANSFER(VRAM, vram_low, VRAM, vram_high, 11 * PAGE + 100, 0, 0) },
	{ "VRAM downwards, overlapping", 2,
	  TRANSFER(VRAM, vram_high, VRAM, vram_low, 11 * PAGE + 100, 0, 0) },
	{ "VRAM upwards, overlapping, offset", 3,
	  TRANSFER(VRAM, vram_low, VRAM, vram_high, 9 * PAGE + 1, 2 * PAGE, 8) },
	{ "VRAM upwards, one packet", 1000,
	  TRANSFER(VRAM, vram_low, VRAM, vram_high, 12 * PAGE, 0, 0) },
	{ "VRAM in place", 4, TRANSFER(VRAM, vram_one, VRAM, vram_one, 9 * PAGE, 0, 0) },
	{ "fill", 1000, FILL(vram_one, 20 * PAGE, 0x12345678) },
	{ "fill, runs, last word", 1000, FILL(vram_split, 15 * PAGE + 4092, 0xa1b2c3d4) },
	{ "fill, packets of 1 page", 1, FILL(vram_adjacent, 6 * PAGE + 4, 0x01020304) },
	{ "fill, one word", 3, FILL(vram_split, 4, 0xfffefdfc) },
	{ "discard", 1000, DISCARD(vram_one) },
	{ "discard, runs", 1000, DISCARD(vram_split) },
	{ "discard, packets of 3 pages", 3, DISCARD(vram_adjacent) },
	{ "read VRAM", 1, PHYSICAL(READ, VRAM, V * PAGE + 4088, 8, 0) },
	{ "write VRAM", 1, PHYSICAL(WRITE, VRAM, (V + 3) * PAGE + 4095, 1, 0x11223344aabbccddull) },
	{ "write aperture", 1, PHYSICAL(WRITE, APERTURE, 5 * PAGE + 1, 7, 0x1122334455667788ull) },
	{ "write system", 1,
	  PHYSICAL(WRITE, SYSTEM, (S + 3) * PAGE + 8, 8, 0x1122334455667788ull) },
	{ "map", 1000, MAP(2, 18, list_pages, 0, 0) },
	{ "map, coherent, offset", 1000,
	  MAP(1, 13, list_split, 4, QUIRE_MAPAPERTURE_CACHE_COHERENT) },
	{ "map, packets of 2 pages", 2, MAP(0, 17, list_one, 3, 0) },
	{ "unmap", 1000, UNMAP(0, QUIRE_MODEL_APERTURE) },
	{ "unmap, packets of 5 pages", 5, UNMAP(3, 17) },
	{ "map an address list", 1000, MAP2(6, 18, 0, 0, 0, ADL(numbers)) },
	{ "map an address list, coherent, offset", 1000,
	  MAP2(2, 9, 7, QUIRE_MAPAPERTURE_CACHE_COHERENT, 0, ADL(numbers)) },
	{ "map an address list for the CPU, a part, packets of 3 pages", 3,
	  MAP2(9, 11, 1005, 0, 0xfd000000 + 9 * PAGE, ADL(numbers), .start = 1002) },
	{ "map contiguous pages", 1000,
	  MAP2(0, 24, 0, 0, 0, .contiguous = true, .page_count = 24, .base_page_number = S) },
	{ "map contiguous pages, coherent, offset, packets of 4 pages", 4,
	  MAP2(5, 15, 3, QUIRE_MAPAPERTURE_CACHE_COHERENT, 0,
	       .contiguous = true, .page_count = 20, .base_page_number = S + 2) },
	{ "map contiguous pages for the CPU, a part", 1000,
	  MAP2(0, 20, 4098, QUIRE_MAPAPERTURE_CACHE_COHERENT, 0xfd000000,
	       .contiguous = true, .page_count = 22, .base_page_number = S + 1,
	       .start = 4096) },
};
