// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: COPY_2D and BLEND where they have an edge; the rest is in test-command.c.
 */
#include <stdlib.h>
#include <string.h>

#include "runner.h"
#include "tap.h"

#define VRAM		(1024 * PAGE)
#define APERTURE	(16 * PAGE)
#define SRC		0u
#define DST		(256 * PAGE)

static struct packets p;

static void run(struct runner *r, uint16_t opcode, const struct area *src,
		const struct area *dst, uint32_t shift, const struct place *place)
{
	p.size = 0;
	command_2d(&p, opcode, src, dst, shift, place);
	runner_submit(r, &p, r->wptr + 1);
	host_run(r->host);
}

static bool is_done(const struct runner *r)
{
	return runner_fence(r) == r->wptr;
}

/* Every product that there can be is divided to the nearest. */
static void test_div255(void)
{
	static const struct area src = { IN_VRAM(SRC), 0, 1024, 256, 256, 1, 1, 0, 0 };
	static const struct area dst = { IN_VRAM(DST), 0, 1024, 256, 256, 1, 1, 0, 0 };
	static const struct place all = { 0, 0, 0, 0, 256, 256 };
	struct host *host = host_new(VRAM, APERTURE, 0, 0);
	uint32_t d, a, wrong = 0;
	struct runner r;

	runner_start(&r, host, 1);
	for (a = 0; a < 256; a++) {
		for (d = 0; d < 256; d++) {
			uint8_t *at = host->memory.vram + 4 * (256 * a + d);

			memcpy(at, (uint8_t []){ 0, 1, 255, a }, 4);
			memset(at + DST, d, 4);
		}
	}
	run(&r, 0x24, &src, &dst, 2, &all);
	for (a = 0; a < 256; a++) {
		for (d = 0; d < 256; d++) {
			const uint8_t *at = host->memory.vram + DST + 4 * (256 * a + d);
			uint32_t part = (2 * d * (255 - a) + 255) / 510;

			wrong += at[0] != part;
			wrong += at[1] != (part + 1 > 255 ? 255 : part + 1);
			wrong += at[2] != 255;
			wrong += at[3] != (part + a > 255 ? 255 : part + a);
		}
	}
	ok(is_done(&r) && !wrong, "blend: every alpha over every value");
	host_free(host);
}

/* What a rectangle of 8 by 8 elements, of bytes, has of two surfaces of 10 by 10. */
static void test_clip(void)
{
	static const struct {
		struct place place;
		struct place left;
	} cases[] = {
		{ { 1, 1, 2, 2, 8, 8 }, { 1, 1, 2, 2, 8, 8 } },
		{ { 3, 0, 0, 0, 8, 8 }, { 3, 0, 0, 0, 7, 8 } },
		{ { 0, 3, 0, 0, 8, 8 }, { 0, 3, 0, 0, 8, 7 } },
		{ { 0, 0, 9, 9, 8, 8 }, { 0, 0, 9, 9, 1, 1 } },
		{ { -7, -7, 0, 0, 8, 8 }, { 0, 0, 7, 7, 1, 1 } },
		{ { 0, 0, -7, -7, 8, 8 }, { 7, 7, 0, 0, 1, 1 } },
		{ { -3, 0, -5, 0, 8, 8 }, { 2, 0, 0, 0, 3, 8 } },
		{ { -8, 0, 0, 0, 8, 8 }, { 0 } },
		{ { 0, 0, 10, 0, 8, 8 }, { 0 } },
		{ { 0, 10, 0, 0, 8, 8 }, { 0 } },
		{ { 0, 0, 0, -8, 8, 8 }, { 0 } },
		{ { INT32_MIN, 0, 0, 0, UINT32_MAX, 1 }, { 0 } },
		{ { INT32_MAX, 0, INT32_MIN, 0, UINT32_MAX, 1 }, { 0 } },
		{ { INT32_MIN, 0, INT32_MIN, 0, UINT32_MAX, 1 }, { 0, 0, 0, 0, 10, 1 } },
		{ { -5, 0, -5, 0, UINT32_MAX, UINT32_MAX }, { 0, 0, 0, 0, 10, 10 } },
		{ { 0, 0, 0, 0, 0, 8 }, { 0 } },
		{ { 0, 0, 0, 0, 8, 0 }, { 0 } },
	};
	static const struct area src = { IN_VRAM(SRC), 0, 12, 10, 10, 1, 1, 0, 0 };
	static const struct area dst = { IN_VRAM(DST), 0, 13, 10, 10, 1, 1, 0, 0 };
	struct host *host = host_new(VRAM, APERTURE, 0, 0);
	static uint8_t wanted[16 * 13];
	unsigned int i, x, y;
	struct runner r;

	runner_start(&r, host, 1);
	test_scramble(host->memory.vram, 200);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct place *left = &cases[i].left;

		memset(host->memory.vram + DST - 13, 0, sizeof(wanted));
		memset(wanted, 0, sizeof(wanted));
		for (y = 0; y < left->rows; y++)
			for (x = 0; x < left->columns; x++)
				wanted[13 + 13 * (left->dst_y + y) + left->dst_x + x] =
					host->memory.vram[12 * (left->src_y + y) + left->src_x + x];
		run(&r, 0x23, &src, &dst, 0, &cases[i].place);
		ok(is_done(&r) && !memcmp(host->memory.vram + DST - 13, wanted, sizeof(wanted)),
		   "clip: case %u", i);
	}
	host_free(host);
}

/* The levels of an image are clipped by their own size. */
static void test_level(void)
{
	static const struct area src = { IN_VRAM(SRC), 1, 0, 100, 60, 3, 2, 2, 1 };
	static const struct area dst = { IN_VRAM(DST), 0, 100, 25, 16, 1, 1, 0, 0 };
	static const struct place all = { 0, 0, 0, 0, 25, 16 };
	struct host *host = host_new(VRAM, APERTURE, 0, 0);
	uint64_t i, written = 0;
	struct runner r;

	runner_start(&r, host, 1);
	memset(host->memory.vram, 1, DST);
	run(&r, 0x23, &src, &dst, 2, &all);
	for (i = 0; i < 16 * 100; i++)
		written += host->memory.vram[DST + i];
	ok(is_done(&r) && written == 25 * 4 * 15, "level: 25 by 15 elements of it");
	host_free(host);
}

/* A row that is longer than what is done in a step, of the largest elements. */
static void test_long_row(void)
{
	static const struct area src = { IN_VRAM(SRC), 0, 0x10000, 4096, 2, 1, 1, 0, 0 };
	static const struct area tiled = { IN_VRAM(VRAM / 2), 1, 0, 4096, 2, 1, 1, 0, 0 };
	static const struct place all = { 0, 0, 0, 0, 4096, 2 };
	static const struct area back = { IN_VRAM(DST), 0, 0x10010, 4096, 2, 1, 1, 0, 0 };
	struct host *host = host_new(VRAM, APERTURE, 1, 3 * PAGE + 7);
	struct runner r;

	runner_start(&r, host, 1);
	test_scramble(host->memory.vram, 0x20000);
	run(&r, 0x23, &src, &tiled, 4, &all);
	run(&r, 0x23, &tiled, &back, 4, &all);
	ok(is_done(&r) && !memcmp(host->memory.vram, host->memory.vram + DST, 0x10000) &&
	   !memcmp(host->memory.vram + 0x10000, host->memory.vram + DST + 0x10010, 0x10000),
	   "long row: to tiles and back");
	host_free(host);
}

/* The last bytes of VRAM belong to a surface, and one byte more is refused. */
static void test_last_byte(void)
{
	static const struct place one = { 0, 0, 4, 4, 1, 1 };
	static const struct area src = { IN_VRAM(SRC), 0, 64, 5, 5, 1, 1, 0, 0 };
	struct area dst = { 0, 0, 64, 5, 5, 1, 1, 0, 0 };
	struct host *host = host_new(VRAM, APERTURE, 0, 0);
	uint64_t bytes = 4 * 64 + 5;
	struct runner r;

	runner_start(&r, host, 1);
	host->memory.vram[0] = 9;
	dst.address = IN_VRAM(VRAM - bytes);
	run(&r, 0x23, &src, &dst, 0, &one);
	ok(is_done(&r) && host->memory.vram[VRAM - 1] == 9, "last byte: it is there");
	dst.address++;
	run(&r, 0x23, &src, &dst, 0, &one);
	is(runner_reg(&r, 0x24), QUIRE_FAULT_BAD_RANGE, "last byte: the one behind it is not");
	host_free(host);
}

/* A rectangle onto itself. */
static void test_same(void)
{
	static const struct area area = { IN_VRAM(SRC), 1, 0, 60, 60, 1, 1, 0, 0 };
	static const struct place all = { 0, 0, 0, 0, 60, 60 };
	struct host *host = host_new(VRAM, APERTURE, 0, 0);
	uint8_t *before = malloc(DST);
	struct runner r;

	runner_start(&r, host, 1);
	test_scramble(host->memory.vram, DST);
	memcpy(before, host->memory.vram, DST);
	run(&r, 0x23, &area, &area, 2, &all);
	ok(is_done(&r) && !memcmp(before, host->memory.vram, DST), "same: copied onto itself");
	free(before);
	host_free(host);
}

int main(void)
{
	test_div255();
	test_clip();
	test_level();
	test_long_row();
	test_last_byte();
	test_same();
	return tap_done();
}
