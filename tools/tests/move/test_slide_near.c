// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The ends of what slides: by one page, both ways, in small VRAM; and what is too large, and
 * does not, where much of VRAM is visible.
 */
#include <inttypes.h>

#include "device_view.h"
#include "straddle.h"

/* Packets of a slide, at most, and so the pages of the largest object that slides by one. */
#define MOST_PACKETS	1024

#define OPCODE_TRANSFER	1

static uint64_t count_transfers(const struct fixture *fixture)
{
	struct device_packets packets;

	if (device_packets_read(fixture->debugfs, &packets))
		tap_bail("no packets");
	return packets.opcodes[OPCODE_TRANSFER - 1];
}

static void expect_whole(const struct fixture *fixture, const struct straddler *s,
			 const struct place *to)
{
	bool is_visible = object_flags(fixture, &s->object) & DRM_QUIRE_BO_VISIBLE;

	tap_ok(is_visible == (to == &straddle_visible), "it is in %s", to->name);
	tap_ret(object_check(fixture, &s->object), 0, "it is whole");
	tap_ret(object_check(fixture, &s->low), 0, "so is what was below");
}

/*
 * Each page is a packet of its own, which overwrites nothing but what was read before. With
 * @fault the device does not get to its end at once, and executes a packet again.
 */
static void test_one_page(const struct fixture *fixture, uint64_t size, uint64_t inside,
			  const struct place *to, const char *fault)
{
	struct straddle_counts before, now;
	struct straddler s = { 0 };
	uint64_t transfers;

	if (straddle(fixture, &s, size, inside)) {
		tap_ret(straddle_make_room(fixture, &s), 0, "the others leave");
		before = straddle_count(fixture);
		transfers = count_transfers(fixture);
		if (fault)
			fixture_inject(fixture, fault);
		tap_ret(object_place_and_wait(fixture, &s.object, to), 0, "place it in %s",
			to->name);
		now = straddle_count(fixture);
		transfers = count_transfers(fixture) - transfers;
		tap_ok(now.slides == before.slides + 1 && now.ways == before.ways, "it slid there");
		/* a reset of the device begins to count anew */
		tap_ok(fault || transfers == size / QUIRE_PAGE, "by one page: %" PRIu64 " packets",
		       transfers);
		expect_whole(fixture, &s, to);
	}
	straddle_close(fixture, &s);
	tap_ok(fixture_settles(fixture, fixture->segments), "usage is what it was");
}

static void test_one_page_all(const struct fixture *fixture, uint64_t half)
{
	static const char *const faults[] = { NULL, "hang 300", "fault 300" };

	for (unsigned int i = 0; i < ARRAY_SIZE(faults); i++) {
		test_one_page(fixture, half + QUIRE_PAGE, half, &straddle_visible, faults[i]);
		test_one_page(fixture, half + QUIRE_PAGE, QUIRE_PAGE, &straddle_invisible,
			      faults[i]);
	}
}

/* Too large to slide: it leaves VRAM, and comes back to where it should be. */
static void test_long_way(const struct fixture *fixture, uint64_t size, uint64_t inside)
{
	struct straddle_counts before, now;
	struct straddler s = { 0 };

	if (straddle(fixture, &s, size, inside)) {
		tap_ret(straddle_make_room(fixture, &s), 0, "the others leave");
		before = straddle_count(fixture);
		tap_ret(object_place_and_wait(fixture, &s.object, &straddle_visible), 0,
			"place it in the visible part");
		now = straddle_count(fixture);
		tap_ok(now.slides == before.slides && now.ways == before.ways + 1,
		       "it went by way of system memory");
		expect_whole(fixture, &s, &straddle_visible);
	}
	straddle_close(fixture, &s);
	tap_ok(fixture_settles(fixture, fixture->segments), "usage is what it was");
}

int main(void)
{
	uint64_t limit, half;
	struct fixture fixture;
	bool is_small;

	tap_start(120);
	straddle_start(&fixture);
	limit = fixture_visible(&fixture);
	half = limit / 2;
	is_small = half / QUIRE_PAGE < MOST_PACKETS && fixture_vram(&fixture) == 2 * limit;
	if (!is_small && half < STRADDLE_MOST)
		tap_skip_all("VRAM of another kind");
	if (is_small)
		test_one_page_all(&fixture, half);
	else
		test_long_way(&fixture, half + QUIRE_PAGE, half);
	return tap_done();
}
