// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The examples of libquire, in tools/examples, do what they say. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "run.h"
#include "xxh64.h"

static void test_first_copy(void)
{
	unsigned int bytes = 0;
	char text[256];

	tap_ok(!run_program("/examples/first-copy", text, sizeof(text)), "the copy is right");
	tap_ok(sscanf(text, "first-copy: %u bytes copied", &bytes) == 1 && bytes == QUIRE_MIB,
	       "it says how much it copied");
}

static void test_vm_bind(void)
{
	static char bytes[QUIRE_MIB];
	unsigned int size = 0;
	uint64_t address = 0, sum = 0;
	char text[256];

	memset(bytes, 'q', sizeof(bytes));
	tap_ok(!run_program("/examples/vm_bind", text, sizeof(text)),
	       "what is written by address is right");
	tap_ok(sscanf(text, "vm_bind: %u bytes at %" SCNx64 ", hash %" SCNx64, &size, &address,
		      &sum) == 3, "it says what happened");
	tap_ok(size == sizeof(bytes) && address && sum == xxh64(bytes, sizeof(bytes)),
	       "the hash is right");
}

/* Twice of what fits: half of it can not stay, and the sum is always needed. */
static void test_split(const struct fixture *fixture)
{
	const uint64_t vram = fixture_vram(fixture) / QUIRE_MIB;
	unsigned int objects = 0, parts = 0, in = 0, out = 0;
	char text[256];

	tap_ok(!run_program("/examples/split", text, sizeof(text)), "all objects are right");
	tap_ok(sscanf(text, "split: %u objects in %u parts, %u MiB paged in, %u out", &objects,
		      &parts, &in, &out) == 4, "it says what happened");
	tap_ok(objects == 2 * vram, "twice the video memory: %u objects", objects);
	tap_ok(parts > 1 && parts <= objects, "in parts: %u", parts);
	tap_ok(in == objects + 1, "each was brought in once: %u MiB", in);
	tap_ok(out >= objects + 1 - vram && out <= objects, "what was in the way went: %u MiB",
	       out);
}

int main(void)
{
	struct fixture fixture;

	tap_start(120);
	fixture_open(&fixture);
	test_first_copy();
	test_vm_bind();
	test_split(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
