// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Rules of TRANSFER: builder and device, without the driver. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <asm/byteorder.h>

#include "bare_args.h"
#include "image.h"
#include "quire_client.h"
#include "rules.h"
#include "tap.h"

#define LIST	12u	/* pages of the page list */
#define FIRST	20u	/* page of VRAM where the segment side begins */

/* The page list: each page by itself, and not in their order. */
static const u32 order[LIST] = { 7, 2, 11, 0, 9, 4, 14, 1, 13, 6, 3, 10 };
static struct quire_page_run list[LIST];
static const struct quire_page_run vram[] = { { FIRST, 16 } };

static void prepare(struct bare *bare, u64 key)
{
	for (u32 i = 0; i < LIST; i++)
		list[i] = bare_run_of(bare, order[i]);
	bare_fill(bare, key);
}

/* Expect pages of the list from @page on in VRAM, from @to on. */
static void expect_in(struct bare *bare, u32 to, u32 page, u32 pages)
{
	for (u32 i = 0; i < pages; i++)
		memcpy(bare->expected.vram[to + i], bare->expected.pages[order[page + i]],
		       BARE_PAGE);
}

/* The reverse. */
static void expect_out(struct bare *bare, u32 from, u32 page, u32 pages)
{
	for (u32 i = 0; i < pages; i++)
		memcpy(bare->expected.pages[order[page + i]], bare->expected.vram[from + i],
		       BARE_PAGE);
}

/* 3 pages, from each direction, the offset not 0 on one side only. */
static bool offset_is_for_segments(void *data)
{
	struct quire_paging_args in = TRANSFER(SIDES(SYSTEM, list), SIDE(VRAM, vram),
					       3 * BARE_PAGE, .transfer_offset = 5 * BARE_PAGE);
	struct quire_paging_args out = TRANSFER(SIDE(VRAM, vram), SIDES(SYSTEM, list),
						3 * BARE_PAGE, .transfer_offset = 7 * BARE_PAGE);
	struct bare *bare = data;
	bool ok;

	prepare(bare, 1);
	ok = rule_ret(bare_run(bare, &in), "into VRAM");
	expect_in(bare, FIRST + 5, 0, 3);
	ok = ok && rule_ret(bare_run(bare, &out), "out of VRAM");
	expect_out(bare, FIRST + 7, 0, 3);
	return bare_is_expected(bare) && ok;
}

static bool mdl_offset_is_in_pages(void *data)
{
	struct quire_paging_args in = TRANSFER(SIDES(SYSTEM, list), SIDE(VRAM, vram),
					       3 * BARE_PAGE, .mdl_offset = 4);
	struct quire_paging_args out = TRANSFER(SIDE(VRAM, vram), SIDES(SYSTEM, list),
						2 * BARE_PAGE, .mdl_offset = 9);
	struct bare *bare = data;
	bool ok;

	prepare(bare, 2);
	ok = rule_ret(bare_run(bare, &in), "into VRAM");
	expect_in(bare, FIRST, 4, 3);
	ok = ok && rule_ret(bare_run(bare, &out), "out of VRAM");
	expect_out(bare, FIRST, 9, 2);
	return bare_is_expected(bare) && ok;
}

/* In buffers of one run each: the same bytes, and nobody writes to the arguments. */
static bool offsets_are_constant(void *data)
{
	struct quire_paging_args args = TRANSFER(SIDES(SYSTEM, list), SIDE(VRAM, vram),
						 7 * BARE_PAGE, .mdl_offset = 5,
						 .transfer_offset = 3 * BARE_PAGE);
	const struct quire_paging_transfer before = args.u.transfer;
	struct bare *bare = data;
	bool ok;

	prepare(bare, 3);
	bare->window = sizeof(struct quire_packet_transfer) + sizeof(u64);
	ok = rule_ret(bare_run(bare, &args), "into VRAM");
	expect_in(bare, FIRST + 3, 5, 7);
	ok = ok && rule_is(bare->passes >= 7, "it takes 7 passes");
	ok = ok && rule_is(!memcmp(&args.u.transfer, &before, sizeof(before)), "unchanged");
	return bare_is_expected(bare) && ok;
}

static bool address_is_of_segment(void *data)
{
	static const struct quire_page_run runs[] = { { 41, 1 }, { 3, 2 }, { 60, 1 } };
	struct quire_paging_args args = TRANSFER(SIDES(SYSTEM, list), SIDES(VRAM, runs),
						 4 * BARE_PAGE, .flags = ONE_SHOT);
	struct bare *bare = data;
	bool ok;

	prepare(bare, 4);
	ok = rule_ret(bare_run(bare, &args), "into VRAM");
	expect_in(bare, 41, 0, 1);
	expect_in(bare, 3, 1, 2);
	expect_in(bare, 60, 3, 1);
	return bare_is_expected(bare) && ok;
}

/* Without an allocation: as it is, at once, and nothing that needs a layout. */
static bool null_allocation_is_raw(void *data)
{
	struct quire_paging_args raw = TRANSFER(SIDE(VRAM, vram), SIDES(SYSTEM, list),
						4 * BARE_PAGE + 17, .flags = ONE_SHOT);
	struct quire_paging_args converts = TRANSFER(SIDE(VRAM, vram), SIDES(SYSTEM, list),
						     4 * BARE_PAGE,
						     .flags = QUIRE_TRANSFER_UNSWIZZLE);
	struct bare *bare = data;
	bool ok;

	prepare(bare, 5);
	ok = rule_ret(bare_run(bare, &raw), "out of VRAM");
	expect_out(bare, FIRST, 0, 4);
	memcpy(bare->expected.pages[order[4]], bare->expected.vram[FIRST + 4], 17);
	ok = ok && rule_is(bare_run(bare, &converts) == -EINVAL, "UNSWIZZLE of it is refused");
	return bare_is_expected(bare) && ok;
}

static bool size_zero_is_done(void *data)
{
	struct quire_paging_args args = TRANSFER(SIDE(VRAM, vram), SIDES(SYSTEM, list), 0,
						 .flags = ONE_SHOT);
	struct bare *bare = data;
	u64 before, submissions = bare->submissions;
	bool ok;

	prepare(bare, 6);
	before = bare_packets(bare);
	ok = rule_ret(bare_run(bare, &args), "of no size");
	ok = ok && rule_is(bare->passes == 1, "one call");
	ok = ok && rule_is(bare_packets(bare) == before && bare->submissions == submissions,
			   "no packets");
	return bare_is_expected(bare) && ok;
}

/* 12 pages that move by 3, in packets of 2 pages and buffers of 2 packets. */
static bool overlap(struct bare *bare, u32 from, u32 to)
{
	const struct quire_page_run source[] = { { from, 12 } }, destination[] = { { to, 12 } };
	struct quire_paging_args args = TRANSFER(SIDE(VRAM, source), SIDE(VRAM, destination),
						 12 * BARE_PAGE - 100, .flags = ONE_SHOT);
	const struct quire_paging_allocation object = {
		.size = 12 * BARE_PAGE - 100, .pitch_aligned_size = 12 * BARE_PAGE - 100,
	};
	bool ok;

	args.allocation = &object;
	prepare(bare, 7);
	bare->window = 2 * sizeof(struct quire_packet_transfer);
	bare->caps.max_packet_pages = 2;
	ok = rule_ret(bare_run(bare, &args), "inside of VRAM");
	memmove(bare->expected.vram[to], bare->expected.vram[from], 12 * BARE_PAGE - 100);
	return bare_is_expected(bare) && ok;
}

static bool overlap_upwards(void *data) { return overlap(data, 10, 13); }

static bool overlap_downwards(void *data) { return overlap(data, 13, 10); }

/* All pages of the list, in the aperture from page 0 on. */
static int map_list(struct bare *bare)
{
	struct quire_paging_args args = MAP(0, LIST, SIDES(SYSTEM, list),
					    .flags = QUIRE_MAPAPERTURE_CACHE_COHERENT);

	return bare_run(bare, &args);
}

/* 11 pages of it, in one packet, which a builder need not make: by hand. */
static int move_in_aperture(struct bare *bare, u32 from, u32 to)
{
	const struct quire_packet_transfer packet = {
		.header = { __cpu_to_le16(QUIRE_OP_TRANSFER), 0, __cpu_to_le32(sizeof(packet)) },
		.src_segment = __cpu_to_le32(QUIRE_SEGMENT_APERTURE),
		.dst_segment = __cpu_to_le32(QUIRE_SEGMENT_APERTURE),
		.src_address = __cpu_to_le64(from * BARE_PAGE),
		.dst_address = __cpu_to_le64(to * BARE_PAGE),
		.size = __cpu_to_le64(11 * BARE_PAGE),
	};

	memcpy(bare_buffer(bare), &packet, sizeof(packet));
	return bare_submit(bare, sizeof(packet));
}

/* What lies in pages here and there is copied page by page: it is the device that sees to it. */
static bool overlap_in_packet(void *data)
{
	static u8 moved[11][BARE_PAGE];
	struct bare *bare = data;
	bool ok;

	prepare(bare, 8);
	ok = rule_ret(map_list(bare), "map") && rule_ret(move_in_aperture(bare, 0, 1), "upwards");
	for (u32 i = 0; i < 11; i++)
		memcpy(moved[i], bare->expected.pages[order[i]], BARE_PAGE);
	for (u32 i = 0; i < 11; i++)
		memcpy(bare->expected.pages[order[1 + i]], moved[i], BARE_PAGE);
	ok = bare_is_expected(bare) && ok;
	ok = rule_ret(move_in_aperture(bare, 1, 0), "downwards") && ok;
	for (u32 i = 0; i < 11; i++)
		memcpy(bare->expected.pages[order[i]], moved[i], BARE_PAGE);
	return bare_is_expected(bare) && ok;
}

/* 6 pages out of VRAM, from @page of it on, to other pages of the list than before. */
static bool build_out(struct bare *bare, struct quire_paging_args *args, u32 page, u32 turn)
{
	for (u32 i = 0; i < 6; i++)
		list[i] = bare_run_of(bare, order[turn + i]);
	args->u.transfer.transfer_offset = page * BARE_PAGE;
	args->multipass_offset = 0;
	return rule_is(quire_build_paging_buffer(&bare->caps, args) == QUIRE_BUILD_DONE, "DONE");
}

/* One page list for two operations in one buffer, and for something else before that runs. */
static bool content_is_self_contained(void *data)
{
	struct quire_paging_args args = TRANSFER(SIDE(VRAM, vram), SIDES(SYSTEM, list),
						 6 * BARE_PAGE, .flags = ONE_SHOT);
	struct bare *bare = data;
	bool ok;

	prepare(bare, 9);
	args.dma_buffer = bare_buffer(bare);
	args.dma_size = BARE_PAGE;
	args.private_data = bare->records;
	args.private_data_size = sizeof(bare->records);
	ok = build_out(bare, &args, 0, 0) && build_out(bare, &args, 6, 6);
	memset(list, 0xff, sizeof(list));
	memset(&args.u, 0xff, sizeof(args.u));
	ok = ok && rule_ret(bare_submit(bare, args.dma_buffer_write_offset), "execute");
	expect_out(bare, FIRST, 0, 6);
	expect_out(bare, FIRST + 6, 6, 6);
	return bare_is_expected(bare) && ok;
}

/* 3 slices of 3 levels; the tiles of the whole image lie in one run. */
#define IMAGE_PAGES	6u
#define TILES_PAGES	18u

static const struct image image = { DRM_QUIRE_LAYOUT_TILE_4K, 4, 40, 36, 3, 3 };
static const struct quire_paging_allocation image_allocation = {
	.size = IMAGE_PAGES * BARE_PAGE,
	.pitch_aligned_size = TILES_PAGES * BARE_PAGE,
	.layout = { QUIRE_LAYOUT_TILE_4K, 2, 40, 36, 3, 3 },
};

static const struct quire_page_run tiles[] = { { 32, TILES_PAGES } };

/* Expect the tiles of the linear form in the list, and zero between. */
static void expect_tiles(struct bare *bare)
{
	static u8 linear[IMAGE_PAGES * BARE_PAGE];

	for (u32 i = 0; i < IMAGE_PAGES; i++)
		memcpy(linear + i * BARE_PAGE, bare->expected.pages[order[i]], BARE_PAGE);
	image_tile(&image, linear, bare->expected.vram[32]);
}

static bool is_size_of_image(void)
{
	return rule_is(image_object_size(&image) == image_allocation.size &&
		       image_tiled_size(&image) == image_allocation.pitch_aligned_size,
		       "the sizes are those of the image");
}

static int fill_with_zero(struct bare *bare, const struct quire_page_run *run)
{
	struct quire_paging_args fill = FILL(SIDE(VRAM, run), run->count * BARE_PAGE, 0);

	memset(bare->expected.vram[run->first], 0, run->count * BARE_PAGE);
	return bare_run(bare, &fill);
}

/* In, in small buffers: each level and slice is where device.rst has it; out again. */
static bool all_levels_and_slices(void *data)
{
	struct quire_paging_args in = TRANSFER(SIDES(SYSTEM, list), SIDE(VRAM, tiles),
					       IMAGE_PAGES * BARE_PAGE,
					       .flags = ONE_SHOT | QUIRE_TRANSFER_SWIZZLE);
	struct quire_paging_args out = TRANSFER(SIDE(VRAM, tiles), SIDES(SYSTEM, list),
						IMAGE_PAGES * BARE_PAGE,
						.flags = ONE_SHOT | QUIRE_TRANSFER_UNSWIZZLE);
	const u64 rest = image_linear_size(&image) % BARE_PAGE;
	struct bare *bare = data;
	bool ok = is_size_of_image();

	in.allocation = &image_allocation;
	out.allocation = &image_allocation;
	prepare(bare, 10);
	ok = ok && rule_ret(fill_with_zero(bare, tiles), "fill");
	bare->window = 200;
	ok = ok && rule_ret(bare_run(bare, &in), "SWIZZLE");
	expect_tiles(bare);
	ok = bare_is_expected(bare) && ok;
	for (u32 i = 0; i < IMAGE_PAGES; i++)
		memset(bare_page(bare, order[i]), 0, BARE_PAGE);
	ok = ok && rule_ret(bare_run(bare, &out), "UNSWIZZLE");
	/* what lies behind the image is not of it */
	memset(bare->expected.pages[order[IMAGE_PAGES - 1]] + rest, 0, BARE_PAGE - rest);
	return bare_is_expected(bare) && ok;
}

/* The backing has less pages than VRAM: nothing is written behind either. */
static bool sizes_of_both_sides(void *data)
{
	struct quire_paging_args in = TRANSFER(SIDES(SYSTEM, list), SIDE(VRAM, tiles),
					       IMAGE_PAGES * BARE_PAGE,
					       .flags = ONE_SHOT | QUIRE_TRANSFER_SWIZZLE);
	const struct quire_paging_sequence nothing = { 0 };
	struct quire_paging_args short_tiles, long_list;
	static const struct quire_page_run few[] = { { 32, TILES_PAGES - 1 } };
	struct bare *bare = data;
	bool ok = is_size_of_image();

	in.allocation = &image_allocation;
	short_tiles = in;
	short_tiles.u.transfer.destination.runs = few;
	long_list = in;
	long_list.u.transfer.transfer_size = (IMAGE_PAGES + 1) * BARE_PAGE;
	prepare(bare, 11);
	ok = rule_ret(quire_paging_sequence_check(&nothing, &in), "its own size") && ok;
	ok = rule_is(bare_run(bare, &short_tiles) == -ERANGE, "too few tiles") && ok;
	ok = rule_is(quire_paging_sequence_check(&nothing, &long_list) == -ERANGE,
		     "more than its size") && ok;
	return bare_is_expected(bare) && ok;
}

static const struct rule rules[] = {
	{ "transfer-offset-segment-side", offset_is_for_segments },
	{ "mdl-offset-in-pages", mdl_offset_is_in_pages },
	{ "offsets-constant-over-passes", offsets_are_constant },
	{ "segment-address", address_is_of_segment },
	{ "null-allocation-raw", null_allocation_is_raw },
	{ "transfer-size-zero", size_zero_is_done },
	{ "overlap-upwards", overlap_upwards },
	{ "overlap-downwards", overlap_downwards },
	{ "overlap-in-one-packet", overlap_in_packet },
	{ "content-self-contained", content_is_self_contained },
	{ "all-levels-and-slices", all_levels_and_slices },
	{ "pitch-aligned-size", sizes_of_both_sides },
};

int main(void)
{
	static struct bare bare;

	tap_start(60);
	bare_open(&bare);
	rules_check(rules, ARRAY_SIZE(rules), &bare);
	bare_close(&bare);
	return tap_done();
}
