// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Rules of MAP_APERTURE_SEGMENT2, and of the CPU's window of the aperture: builder and device,
 * without the driver.
 */
#include <errno.h>
#include <string.h>

#include "bare_args.h"
#include "quire_client.h"
#include "rules.h"
#include "tap.h"

#define COHERENT	QUIRE_MAPAPERTURE_CACHE_COHERENT
#define DUMMY		31u	/* page of this process */
#define PAGES		7u

/* An address list of 8 pages, not in their order. */
static const u32 order[] = { 5, 1, 8, 2, 12, 3, 20, 7 };
static u64 list[ARRAY_SIZE(order)];

static const struct quire_page_run vram[] = { { 10, 8 } };

static void prepare(struct bare *bare, u64 key)
{
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		list[i] = bare_run_of(bare, order[i]).first;
	bare_fill(bare, key);
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

/* Pages of the array from @skip on. */
static int map_array(struct bare *bare, u32 page, u32 count, u32 skip, u64 cpu)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT2,
		.u.map2 = {
			.offset_in_pages = page, .number_of_pages = count,
			.adl = { .page_count = ARRAY_SIZE(list), .pages = list },
			.adl_offset = skip, .flags = COHERENT, .cpu_visible_address = cpu,
		},
	};

	return bare_run(bare, &args);
}

static bool array_of_pages(void *data)
{
	struct bare *bare = data;
	bool ok;

	prepare(bare, 1);
	/* two pages a packet */
	bare->window = sizeof(struct quire_packet_map2) + 2 * sizeof(u64);
	ok = rule_ret(map_array(bare, 40, 5, 2, 0), "map") &&
	     rule_ret(copy_to(bare, 40, 5), "write through it");
	for (u32 i = 0; i < 5; i++)
		memcpy(bare->expected.pages[order[2 + i]], bare->expected.vram[10 + i], BARE_PAGE);
	return bare_is_expected(bare) && ok;
}

/* Of 16 pages from @base on those from @skip on. */
static int map_contiguous(struct bare *bare, u32 page, u32 count, u64 base, u32 skip)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT2,
		.u.map2 = {
			.offset_in_pages = page, .number_of_pages = count,
			.adl = { .page_count = 16, .contiguous = true, .base_page_number = base },
			.adl_offset = skip, .flags = COHERENT,
		},
	};

	return bare_run(bare, &args);
}

/* One page is written to; what the others would be need not be ours. */
static bool contiguous_base(void *data)
{
	struct bare *bare = data;
	u64 base;
	bool ok;

	prepare(bare, 2);
	base = bare_run_of(bare, 6).first - 3;
	bare->caps.max_packet_pages = 2;
	ok = rule_ret(map_contiguous(bare, 100, PAGES, base, 3), "map");
	for (u32 i = 0; i < PAGES; i++)
		ok = rule_is((bare_aperture(bare, 100 + i) & ~QUIRE_APERTURE_BITS) ==
			     (base + 3 + i) * BARE_PAGE, "pages follow each other") && ok;
	ok = ok && rule_ret(copy_to(bare, 100, 1), "write through the first");
	memcpy(bare->expected.pages[6], bare->expected.vram[10], BARE_PAGE);
	return bare_is_expected(bare) && ok;
}

/* The CPU writes through it and reads through it, until it is unmapped. */
static bool cpu_visible_until_unmap(void *data)
{
	struct bare *bare = data;
	volatile u32 *window = (volatile u32 *)bare->window_bar;
	u32 *page = (u32 *)bare->expected.pages[order[1]];
	bool ok;

	prepare(bare, 3);
	ok = rule_ret(map_array(bare, 8, 3, 0, bare->window_address + 8 * BARE_PAGE), "map");
	window += 9 * BARE_PAGE / sizeof(u32);
	ok = rule_is(window[5] == page[5], "the CPU reads it") && ok;
	window[6] = 0x12345678;
	page[6] = 0x12345678;
	ok = bare_is_expected(bare) && ok;
	ok = rule_ret(unmap(bare, 8, 3), "unmap") && ok;
	ok = rule_is(window[5] == ~0u, "it is not there any more") && ok;
	window[7] = 0;
	return bare_is_expected(bare) && ok;
}

/* What was not asked for is not shown; what can not be shown is refused. */
static bool cpu_visible_when_asked(void *data)
{
	struct bare *bare = data;
	volatile u32 *window = (volatile u32 *)bare->window_bar;
	const u32 end = bare->caps.window_pages;
	bool ok;

	prepare(bare, 4);
	ok = rule_ret(map_array(bare, 8, 3, 0, 0), "map");
	ok = rule_is(window[8 * BARE_PAGE / sizeof(u32)] == ~0u, "the CPU does not see it") && ok;
	ok = rule_is(map_array(bare, end - 1, 2, 0, bare->window_address) == -ERANGE,
		     "beyond the window") && ok;
	return bare_is_expected(bare) && ok;
}

static const struct rule rules[] = {
	{ "map2-array-of-pages", array_of_pages },
	{ "map2-contiguous-base", contiguous_base },
	{ "map2-cpu-visible-until-unmap", cpu_visible_until_unmap },
	{ "map2-cpu-visible-when-asked", cpu_visible_when_asked },
};

int main(void)
{
	static struct bare bare;

	tap_start(60);
	bare_open(&bare);
	if (!bare.window_bar)
		tap_bail("the device has no window of its aperture");
	rules_check(rules, ARRAY_SIZE(rules), &bare);
	bare_close(&bare);
	return tap_done();
}
