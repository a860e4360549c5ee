// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Rules of the aperture, and of the flush behind what is written through it: builder and
 * device, without the driver.
 */
#include <errno.h>
#include <string.h>

#include "bare_args.h"
#include "quire_client.h"
#include "rules.h"
#include "tap.h"

#define COHERENT	QUIRE_MAPAPERTURE_CACHE_COHERENT
#define DUMMY		31u	/* page of this process */

/* A page list of 8 pages, not in their order. */
static const u32 order[] = { 5, 1, 8, 2, 12, 3, 20, 7 };
static struct quire_page_run list[ARRAY_SIZE(order)];

static const struct quire_page_run vram[] = { { 10, 8 } };

static void prepare(struct bare *bare, u64 key)
{
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		list[i] = bare_run_of(bare, order[i]);
	bare_fill(bare, key);
}

/* The list from @skip on, at @page of the aperture. */
static int map(struct bare *bare, u32 page, u32 count, u32 skip, u32 flags)
{
	struct quire_paging_args args = MAP(page, count, SIDES(SYSTEM, list), .mdl_offset = skip,
					    .flags = flags);

	return bare_run(bare, &args);
}

static int unmap(struct bare *bare, u32 page, u32 count)
{
	struct quire_paging_args args = UNMAP(page, count, bare_dma(bare, DUMMY));

	return bare_run(bare, &args);
}

/* From page 10 of VRAM on into the aperture. */
static int copy_to(struct bare *bare, u32 page, u32 count)
{
	const struct quire_page_run run[] = { { page, count } };
	struct quire_paging_args args = TRANSFER(SIDE(VRAM, vram), SIDE(APERTURE, run),
						 count * BARE_PAGE, .flags = ONE_SHOT);

	return bare_run(bare, &args);
}

static int copy_from(struct bare *bare, u32 page, u32 count)
{
	const struct quire_page_run run[] = { { page, count } };
	struct quire_paging_args args = TRANSFER(SIDE(APERTURE, run), SIDE(VRAM, vram),
						 count * BARE_PAGE, .flags = ONE_SHOT);

	return bare_run(bare, &args);
}

/* Expect pages of VRAM, from page 10 on, in the list. */
static void expect_in_list(struct bare *bare, u32 skip, u32 count)
{
	for (u32 i = 0; i < count; i++)
		memcpy(bare->expected.pages[order[skip + i]], bare->expected.vram[10 + i],
		       BARE_PAGE);
}

/* The first page is the one that the offset names; and so through small buffers. */
static bool map_offset_is_in_pages(void *data)
{
	struct bare *bare = data;
	bool ok;

	prepare(bare, 1);
	bare->window = sizeof(struct quire_packet_map) + 2 * sizeof(u64);
	ok = rule_ret(map(bare, 40, 5, 2, COHERENT), "map");
	ok = ok && rule_ret(copy_to(bare, 40, 5), "copy");
	expect_in_list(bare, 2, 5);
	return bare_is_expected(bare) && ok;
}

static bool map_moves_nothing(void *data)
{
	struct bare *bare = data;
	bool ok;

	prepare(bare, 2);
	ok = rule_ret(map(bare, 10, 8, 0, 0), "map") && rule_ret(unmap(bare, 10, 8), "unmap");
	return bare_is_expected(bare) && ok;
}

/* Renaming: the same pages at three places, written through one and read through another. */
static bool maps_at_several_places(void *data)
{
	struct bare *bare = data;
	bool ok;

	prepare(bare, 3);
	ok = rule_ret(map(bare, 0, 4, 0, COHERENT), "map") &&
	     rule_ret(map(bare, 100, 4, 0, COHERENT), "map again") &&
	     rule_ret(map(bare, 50, 4, 0, COHERENT), "and again");
	ok = ok && rule_ret(copy_to(bare, 100, 4), "write through the second");
	expect_in_list(bare, 0, 4);
	ok = ok && rule_ret(unmap(bare, 0, 4), "unmap the first");
	memset(bare->vram + 10 * BARE_PAGE, 0, 4 * BARE_PAGE);
	ok = ok && rule_ret(copy_from(bare, 50, 4), "read through the third");
	return bare_is_expected(bare) && ok;
}

static bool is_dummy(const struct bare *bare, u32 page)
{
	u64 entry = bare_aperture(bare, page);

	return (entry & QUIRE_APERTURE_VALID) &&
	       (entry & ~QUIRE_APERTURE_BITS) == bare_dma(bare, DUMMY);
}

/* Valid, and of the dummy page; not of what was there. */
static bool unmap_shows_dummy(void *data)
{
	struct bare *bare = data;
	bool ok;

	prepare(bare, 4);
	ok = rule_ret(map(bare, 200, 8, 0, COHERENT), "map") &&
	     rule_ret(unmap(bare, 200, 8), "unmap");
	for (u32 i = 0; i < 8; i++)
		ok = rule_is(is_dummy(bare, 200 + i), "it is the dummy page") && ok;
	ok = ok && rule_ret(copy_from(bare, 203, 1), "a read is executed");
	memcpy(bare->expected.vram[10], bare->expected.pages[DUMMY], BARE_PAGE);
	return bare_is_expected(bare) && ok;
}

/* A stray write is executed, is found in the dummy page, and nowhere else. */
static bool dummy_is_writable(void *data)
{
	struct bare *bare = data;
	bool ok;

	prepare(bare, 5);
	ok = rule_ret(map(bare, 300, 8, 0, COHERENT), "map") &&
	     rule_ret(unmap(bare, 300, 8), "unmap") &&
	     rule_ret(copy_to(bare, 305, 1), "a write is executed");
	memcpy(bare->expected.pages[DUMMY], bare->expected.vram[10], BARE_PAGE);
	return bare_is_expected(bare) && ok;
}

static bool unmap_leaves_others(void *data)
{
	u64 before[8];
	struct bare *bare = data;
	bool ok;

	prepare(bare, 6);
	ok = rule_ret(map(bare, 400, 8, 0, COHERENT), "map");
	for (u32 i = 0; i < 8; i++)
		before[i] = bare_aperture(bare, 400 + i);
	bare->caps.max_packet_pages = 1;
	ok = ok && rule_ret(unmap(bare, 402, 3), "unmap 3 of 8");
	for (u32 i = 0; i < 8; i++)
		ok = rule_is(i >= 2 && i < 5 ? is_dummy(bare, 400 + i) :
			     bare_aperture(bare, 400 + i) == before[i], "those alone") && ok;
	ok = ok && rule_ret(copy_to(bare, 405, 3), "write behind them");
	expect_in_list(bare, 5, 3);
	return bare_is_expected(bare) && ok;
}

static u32 posted(const struct bare *bare)
{
	return bare_read32(bare, QUIRE_REG_POSTED);
}

/* Written through pages that are not coherent, and not flushed: the CPU sees what was there. */
static bool flush_is_needed(void *data)
{
	struct quire_paging_args flush = PHYSICAL(READ, VRAM, 0, 1, 0);
	struct bare *bare = data;
	bool ok;

	prepare(bare, 7);
	ok = rule_ret(map(bare, 500, 8, 0, 0), "map") &&
	     rule_ret(copy_to(bare, 500, 8), "write through it");
	ok = rule_is(posted(bare) == 8 * BARE_PAGE, "all bytes are posted") && ok;
	ok = bare_is_expected(bare) && ok;
	return rule_ret(bare_run(bare, &flush), "flush") && ok;
}

static bool flushes(struct bare *bare, struct quire_paging_args flush, const char *what)
{
	bool ok;

	prepare(bare, 8);
	ok = rule_ret(map(bare, 500, 8, 0, 0), "map") &&
	     rule_ret(copy_to(bare, 500, 8), "write through it") &&
	     rule_ret(bare_run(bare, &flush), what);
	expect_in_list(bare, 0, 8);
	ok = rule_is(!posted(bare), "nothing is posted") && ok;
	return bare_is_expected(bare) && ok;
}

/* Wherever it reads. */
static bool read_is_sufficient(void *data)
{
	const struct quire_paging_args vram_read = PHYSICAL(READ, VRAM, 0x1000, 8, 0);
	const struct quire_paging_args read = PHYSICAL(READ, APERTURE, 500 * BARE_PAGE, 1, 0);

	return flushes(data, vram_read, "READ_PHYSICAL of VRAM") &&
	       flushes(data, read, "READ_PHYSICAL of the aperture");
}

/* Behind the pages that are looked at, so that what it writes does not matter. */
static bool write_is_sufficient(void *data)
{
	const struct quire_paging_args write = PHYSICAL(WRITE, VRAM, BARE_VRAM * BARE_PAGE, 4, 1);

	return flushes(data, write, "WRITE_PHYSICAL");
}

/* There with the fence, without a flush; and each entry says so, of each packet. */
static bool coherent_needs_no_flush(void *data)
{
	struct bare *bare = data;
	bool ok;

	prepare(bare, 9);
	bare->caps.max_packet_pages = 4;
	ok = rule_ret(map(bare, 600, 8, 0, COHERENT), "map") &&
	     rule_ret(copy_to(bare, 600, 8), "write through it");
	ok = rule_is(!posted(bare), "nothing is posted") && ok;
	for (u32 i = 0; i < 8; i++)
		ok = rule_is(bare_aperture(bare, 600 + i) & QUIRE_APERTURE_COHERENT,
			     "the entry is coherent") && ok;
	expect_in_list(bare, 0, 8);
	return bare_is_expected(bare) && ok;
}

/* One pass in a buffer of one packet, which is executed; the @last one ends the move. */
static int next_pass(struct bare *bare, struct quire_paging_args *args, bool last)
{
	int ret;

	args->dma_buffer = bare_buffer(bare);
	args->dma_size = sizeof(struct quire_packet_transfer);
	args->private_data = bare->records;
	args->private_data_size = sizeof(bare->records);
	args->dma_buffer_write_offset = 0;
	ret = quire_build_paging_buffer(&bare->caps, args);
	if (ret != (last ? QUIRE_BUILD_DONE : QUIRE_BUILD_FULL))
		return -EPROTO;
	return bare_submit(bare, args->dma_buffer_write_offset);
}

/*
 * 4 pages, one a pass, through pages 700 to 703 of the aperture; between two passes another
 * page of the list that was mapped with them is unmapped, and mapped elsewhere.
 */
static int move_among_others(struct bare *bare, struct quire_paging_args *args)
{
	int ret = 0;

	bare->caps.max_packet_pages = 1;
	for (u32 i = 0; i < 4 && !ret; i++)
		ret = next_pass(bare, args, i == 3) ?: unmap(bare, 704 + i, 1) ?:
		      map(bare, 300 + i, 1, 4 + i, i % 2 ? COHERENT : 0);
	return ret;
}

/* What others write and read through the aperture meanwhile is neither lost nor elsewhere. */
static bool others_are_not_disturbed(void *data)
{
	static const struct quire_page_run used[] = { { 700, 4 } }, back[] = { { 40, 4 } };
	struct quire_paging_args write = TRANSFER(SIDE(VRAM, vram), SIDE(APERTURE, used),
						  4 * BARE_PAGE, .flags = ONE_SHOT);
	struct quire_paging_args read = TRANSFER(SIDE(APERTURE, used), SIDE(VRAM, back),
						 4 * BARE_PAGE, .flags = ONE_SHOT);
	struct quire_paging_args flush = PHYSICAL(READ, VRAM, 0, 1, 0);
	struct bare *bare = data;
	bool ok;

	prepare(bare, 11);
	ok = rule_ret(map(bare, 700, 8, 0, 0), "map") &&
	     rule_ret(move_among_others(bare, &write), "write");
	ok = rule_is(posted(bare) == 4 * BARE_PAGE, "all bytes are posted still") && ok;
	ok = ok && rule_ret(move_among_others(bare, &read), "read") &&
	     rule_ret(bare_run(bare, &flush), "flush");
	expect_in_list(bare, 0, 4);
	memcpy(bare->expected.vram[40], bare->expected.vram[10], 4 * BARE_PAGE);
	return bare_is_expected(bare) && ok;
}

/* 1 to 8 bytes, and none beside them. */
static bool physical_is_small(void *data)
{
	struct bare *bare = data;
	const u64 value = 0x8877665544332211ull;
	bool ok = true;

	prepare(bare, 10);
	for (u32 size = 1; size <= 8 && ok; size++) {
		struct quire_paging_args args = PHYSICAL(WRITE, VRAM, size * BARE_PAGE + 3, size,
							 value & (~0ull >> (64 - 8 * size)));

		ok = rule_ret(bare_run(bare, &args), "write");
		memcpy(bare->expected.vram[size] + 3, &value, size);
	}
	for (u32 size = 0; size <= 9; size += 9) {
		struct quire_paging_args args = PHYSICAL(WRITE, VRAM, 0, size, 0);

		ok = rule_is(bare_run(bare, &args) == -EINVAL, "0 or 9 bytes") && ok;
	}
	return bare_is_expected(bare) && ok;
}

static const struct rule rules[] = {
	{ "map-mdl-offset", map_offset_is_in_pages },
	{ "map-moves-nothing", map_moves_nothing },
	{ "map-at-several-places", maps_at_several_places },
	{ "unmap-dummy-page", unmap_shows_dummy },
	{ "dummy-page-writable", dummy_is_writable },
	{ "unmap-leaves-others", unmap_leaves_others },
	{ "map-disturbs-nobody", others_are_not_disturbed },
	{ "flush-needed", flush_is_needed },
	{ "read-physical-flushes", read_is_sufficient },
	{ "write-physical-flushes", write_is_sufficient },
	{ "cache-coherent-needs-no-flush", coherent_needs_no_flush },
	{ "physical-one-to-eight-bytes", physical_is_small },
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
