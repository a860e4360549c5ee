// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Rules of SPECIAL_LOCK_TRANSFER: builder and device, without the driver. */
#include <errno.h>
#include <string.h>

#include "bare_args.h"
#include "image.h"
#include "quire_client.h"
#include "rules.h"
#include "tap.h"

/* 3 slices of 3 levels; the tiles of the whole image lie in one run. */
#define IMAGE_PAGES	6u
#define TILES_PAGES	18u
#define TILES		32u	/* page of VRAM where they begin */

static const struct image image = { DRM_QUIRE_LAYOUT_TILE_4K, 4, 40, 36, 3, 3 };
static const struct quire_paging_allocation allocation = {
	.size = IMAGE_PAGES * BARE_PAGE,
	.pitch_aligned_size = TILES_PAGES * BARE_PAGE,
	.layout = { QUIRE_LAYOUT_TILE_4K, 2, 40, 36, 3, 3 },
};

/* Pages of the alternate view; none of them is of the ordinary backing, 20 to 25. */
static const u32 order[IMAGE_PAGES] = { 7, 2, 11, 0, 9, 4 };
static struct quire_page_run view[IMAGE_PAGES];
static const struct quire_page_run tiles[] = { { TILES, TILES_PAGES } };

#define SPECIAL_LOCK(from, to, how, range, data)				\
	{ .operation = QUIRE_PAGING_SPECIAL_LOCK_TRANSFER,			\
	  .allocation = &allocation, .u.special_lock = {			\
		.source = from, .destination = to,				\
		.transfer_size = IMAGE_PAGES * BARE_PAGE,			\
		.flags = ONE_SHOT | QUIRE_TRANSFER_##how,			\
		.swizzling_range_id = range, .swizzling_range_data = data } }

static void prepare(struct bare *bare, u64 key)
{
	for (u32 i = 0; i < IMAGE_PAGES; i++)
		view[i] = bare_run_of(bare, order[i]);
	bare_fill(bare, key);
}

/* Expect the tiles of the linear form that is in the view, and zero between. */
static void expect_tiles(struct bare *bare)
{
	static u8 linear[IMAGE_PAGES * BARE_PAGE];

	for (u32 i = 0; i < IMAGE_PAGES; i++)
		memcpy(linear + i * BARE_PAGE, bare->expected.pages[order[i]], BARE_PAGE);
	image_tile(&image, linear, bare->expected.vram[TILES]);
}

static int fill_with_zero(struct bare *bare)
{
	struct quire_paging_args fill = FILL(SIDE(VRAM, tiles), TILES_PAGES * BARE_PAGE, 0);

	return bare_run(bare, &fill);
}

/* In from the view, and out to it, in small buffers; no other page is touched. */
static bool view_and_back(void *data)
{
	struct quire_paging_args in = SPECIAL_LOCK(SIDES(SYSTEM, view), SIDE(VRAM, tiles), SWIZZLE,
						   QUIRE_PAGING_NO_RANGE, 0);
	struct quire_paging_args out = SPECIAL_LOCK(SIDE(VRAM, tiles), SIDES(SYSTEM, view),
						    UNSWIZZLE, QUIRE_PAGING_NO_RANGE, 0);
	const u64 rest = image_linear_size(&image) % BARE_PAGE;
	struct bare *bare = data;
	bool ok;

	prepare(bare, 1);
	bare->window = 200;
	ok = rule_ret(fill_with_zero(bare), "fill") && rule_ret(bare_run(bare, &in), "page in");
	expect_tiles(bare);
	ok = bare_is_expected(bare) && ok;
	for (u32 i = 0; i < IMAGE_PAGES; i++)
		memset(bare_page(bare, order[i]), 0, BARE_PAGE);
	ok = ok && rule_ret(bare_run(bare, &out), "evict");
	/* what lies behind the image is not of it */
	memset(bare->expected.pages[order[IMAGE_PAGES - 1]] + rest, 0, BARE_PAGE - rest);
	return bare_is_expected(bare) && ok;
}

/* Range 0 shows the image from now on; returns which time that is. */
static u32 enable_range(struct bare *bare)
{
	bare_write32(bare, QUIRE_RANGE(0, QUIRE_RANGE_CONTROL), 0);
	bare_write32(bare, QUIRE_RANGE(0, QUIRE_RANGE_ADDR_LO), TILES * BARE_PAGE);
	bare_write32(bare, QUIRE_RANGE(0, QUIRE_RANGE_ADDR_HI), 0);
	bare_write32(bare, QUIRE_RANGE(0, QUIRE_RANGE_LAYOUT),
		     QUIRE_RANGE_LAYOUT_OF(QUIRE_LAYOUT_TILE_4K, 2));
	bare_write32(bare, QUIRE_RANGE(0, QUIRE_RANGE_WIDTH), image.width);
	bare_write32(bare, QUIRE_RANGE(0, QUIRE_RANGE_HEIGHT), image.height);
	bare_write32(bare, QUIRE_RANGE(0, QUIRE_RANGE_LEVELS),
		     QUIRE_RANGE_LEVELS_OF(image.levels, image.array_size));
	bare_write32(bare, QUIRE_RANGE(0, QUIRE_RANGE_CONTROL), QUIRE_RANGE_CONTROL_ENABLE);
	return bare_read32(bare, QUIRE_RANGE(0, QUIRE_RANGE_DATA));
}

static bool range_is_enabled(const struct bare *bare)
{
	return bare_read32(bare, QUIRE_RANGE(0, QUIRE_RANGE_CONTROL)) &
	       QUIRE_RANGE_CONTROL_ENABLE;
}

/* Its range ends with the transfer; the same range of somebody else, later, does not. */
static bool range_with_its_data(void *data)
{
	struct bare *bare = data;
	u32 now = enable_range(bare);
	struct quire_paging_args old = SPECIAL_LOCK(SIDE(VRAM, tiles), SIDES(SYSTEM, view),
						    UNSWIZZLE, 0, (now - 1) & 0xffff);
	struct quire_paging_args own = SPECIAL_LOCK(SIDE(VRAM, tiles), SIDES(SYSTEM, view),
						    UNSWIZZLE, 0, now);
	bool ok;

	prepare(bare, 2);
	ok = rule_is(range_is_enabled(bare), "the range shows it");
	ok = ok && rule_ret(bare_run(bare, &old), "of an earlier use");
	ok = rule_is(range_is_enabled(bare), "it is left alone") && ok;
	ok = ok && rule_ret(bare_run(bare, &own), "of this use");
	return rule_is(!range_is_enabled(bare), "it has ended") && ok;
}

/* As any transfer of what the GPU may use. */
static bool busy_until_idle(void *data)
{
	struct quire_paging_allocation in_use = allocation;
	struct quire_paging_args args = SPECIAL_LOCK(SIDE(VRAM, tiles), SIDES(SYSTEM, view),
						     UNSWIZZLE, QUIRE_PAGING_NO_RANGE, 0);
	struct bare *bare = data;
	bool ok;

	in_use.needs_idle = true;
	args.allocation = &in_use;
	prepare(bare, 3);
	ok = rule_is(bare_run(bare, &args) == -EBUSY, "it is BUSY");
	ok = bare_is_expected(bare) && ok;
	args.allocation_is_idle = true;
	return rule_ret(bare_run(bare, &args), "with the flag") && ok;
}

static const struct rule rules[] = {
	{ "special-lock-to-view-and-back", view_and_back },
	{ "special-lock-ends-its-range", range_with_its_data },
	{ "special-lock-busy-until-idle", busy_until_idle },
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
