// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Rules of FILL and DISCARD_CONTENT: builder and device, without the driver. */
#include <errno.h>
#include <string.h>

#include <asm/byteorder.h>

#include "bare_args.h"
#include "quire_client.h"
#include "rules.h"
#include "tap.h"

#define PATTERN	0x44332211u

/* From page 5 on, and more behind it. */
static const struct quire_page_run runs[] = { { 5, 3 }, { 20, 2 }, { 30, 6 } };

static void expect_pattern(struct bare *bare, u32 page, u32 bytes)
{
	static const u8 pattern[] = { 0x11, 0x22, 0x33, 0x44 };
	u8 *at = (u8 *)bare->expected.vram + page * BARE_PAGE;

	for (u32 i = 0; i < bytes; i++)
		at[i] = pattern[i % 4];
}

/* 6 pages of three runs, in packets of a page and buffers of a packet. */
static bool pattern_keeps_phase(void *data)
{
	struct quire_paging_args args = FILL(SIDES(VRAM, runs), 6 * BARE_PAGE, PATTERN);
	struct bare *bare = data;
	bool ok;

	bare_fill(bare, 1);
	bare->window = sizeof(struct quire_packet_fill);
	bare->caps.max_packet_pages = 1;
	ok = rule_ret(bare_run(bare, &args), "fill");
	expect_pattern(bare, 5, 3 * BARE_PAGE);
	expect_pattern(bare, 20, 2 * BARE_PAGE);
	expect_pattern(bare, 30, BARE_PAGE);
	ok = ok && rule_is(bare->passes == 6, "it takes 6 passes");
	return bare_is_expected(bare) && ok;
}

/* What lies behind the last word, in the same page, is of somebody else. */
static bool fill_is_exact(void *data)
{
	struct bare *bare = data;
	bool ok = true;

	bare_fill(bare, 2);
	for (u32 bytes = 4; bytes < 3 * BARE_PAGE && ok; bytes += 1020) {
		struct quire_paging_args args = FILL(SIDES(VRAM, runs), bytes, PATTERN);

		ok = rule_ret(bare_run(bare, &args), "fill");
		expect_pattern(bare, 5, bytes);
		ok = bare_is_expected(bare) && ok;
	}
	return ok;
}

/* What the builder would not describe, made by hand: the device does not execute it. */
static int submit_fill(struct bare *bare, u32 segment)
{
	const struct quire_packet_fill packet = {
		.header = { __cpu_to_le16(QUIRE_OP_FILL), 0, __cpu_to_le32(sizeof(packet)) },
		.segment = __cpu_to_le32(segment), .pattern = __cpu_to_le32(PATTERN),
		.size = __cpu_to_le64(BARE_PAGE),
	};

	memcpy(bare_buffer(bare), &packet, sizeof(packet));
	return bare_submit(bare, sizeof(packet));
}

static bool aperture_is_refused(void *data)
{
	static const struct quire_page_run first[] = { { 0, 1 } };
	struct quire_paging_args fill = FILL(SIDE(APERTURE, first), BARE_PAGE, PATTERN);
	struct bare *bare = data;
	const struct quire_page_run page[] = { bare_run_of(bare, 0) };
	struct quire_paging_args map = MAP(0, 1, SIDE(SYSTEM, page));
	bool ok;

	bare_fill(bare, 3);
	ok = rule_ret(bare_run(bare, &map), "a page in the aperture");
	ok = rule_is(bare_run(bare, &fill) == -EINVAL, "the builder refuses") && ok;
	ok = rule_is(submit_fill(bare, QUIRE_SEGMENT_APERTURE) == -EIO &&
		     bare_fault(bare) == QUIRE_FAULT_BAD_SEGMENT, "the device refuses") && ok;
	return bare_is_expected(bare) && ok;
}

static bool fill_zero_is_done(void *data)
{
	struct quire_paging_args args = FILL(SIDES(VRAM, runs), 0, PATTERN);
	struct bare *bare = data;
	u64 submissions = bare->submissions;
	bool ok;

	bare_fill(bare, 4);
	ok = rule_ret(bare_run(bare, &args), "of no size");
	ok = ok && rule_is(bare->submissions == submissions, "no packets");
	return bare_is_expected(bare) && ok;
}

/* Nothing of it is there any more, and all else is. */
static bool discarded_reads_zero(void *data)
{
	struct quire_paging_args args = DISCARD(SIDES(VRAM, runs));
	struct bare *bare = data;
	bool ok;

	bare_fill(bare, 5);
	ok = rule_ret(bare_run(bare, &args), "discard");
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
		memset(bare->expected.vram[runs[i].first], 0, runs[i].count * BARE_PAGE);
	return bare_is_expected(bare) && ok;
}

static bool discard_is_for_memory(void *data)
{
	struct bare *bare = data;
	const struct quire_page_run page[] = { bare_run_of(bare, 0) };
	struct quire_paging_args list = DISCARD(SIDE(SYSTEM, page));
	struct quire_paging_args aperture = DISCARD(SIDES(APERTURE, runs));
	bool ok;

	bare_fill(bare, 6);
	ok = rule_is(bare_run(bare, &list) == -EINVAL, "a page list is refused");
	ok = rule_is(bare_run(bare, &aperture) == -EINVAL, "the aperture is refused") && ok;
	return bare_is_expected(bare) && ok;
}

static const struct rule rules[] = {
	{ "fill-pattern-phase", pattern_keeps_phase },
	{ "fill-exact-size", fill_is_exact },
	{ "fill-refused-on-aperture", aperture_is_refused },
	{ "fill-size-zero", fill_zero_is_done },
	{ "discard-leaves-nothing", discarded_reads_zero },
	{ "discard-memory-segment-only", discard_is_for_memory },
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
