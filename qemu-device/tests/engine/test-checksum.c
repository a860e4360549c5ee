// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: CHECKSUM against hashes that others have published, in slices of each
 * size; and COMPARE where its numbers have an edge.
 */
#include <string.h>

#include "runner.h"
#include "tap.h"

#define VRAM		(64 * PAGE)
#define APERTURE	(16 * PAGE)
#define RESULT		(40 * PAGE)

static struct packets p;

static uint64_t get(const uint8_t *from)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < 8; i++)
		value |= (uint64_t)from[i] << 8 * i;
	return value;
}

/* The hash of bytes at the begin of VRAM. */
static uint64_t hash(const void *bytes, uint64_t size, uint64_t look_bytes)
{
	struct host *host = host_new(VRAM, APERTURE, 1, look_bytes);
	struct runner r;
	uint64_t value;

	runner_start(&r, host, 1);
	memcpy(host->memory.vram, bytes, size);
	p.size = 0;
	command_checksum(&p, IN_VRAM(0), IN_VRAM(RESULT), size);
	runner_submit(&r, &p, 1);
	host_run(host);
	value = runner_fence(&r) == 1 ? get(host->memory.vram + RESULT) : 0;
	host_free(host);
	return value;
}

/* Of the library's own sanity checks: its buffer, and XXH64 of it with a seed of 0. */
static void test_library(void)
{
	static const struct {
		uint64_t size;
		uint64_t hash;
	} known[] = {
		{ 1, 0xe934a84adb052768 },
		{ 4, 0x9136a0dca57457ee },
		{ 14, 0x8282dcc4994e35c8 },
		{ 222, 0xb641ae8cb691c174 },
	};
	uint64_t generator = 2654435761u;
	uint8_t bytes[222];
	unsigned int i;

	for (i = 0; i < sizeof(bytes); i++) {
		bytes[i] = generator >> 56;
		generator *= 11400714785074694797ull;
	}
	for (i = 0; i < ARRAY_SIZE(known); i++)
		is(hash(bytes, known[i].size, 0), known[i].hash, "library: its sanity check");
}

/* Of words that are in many implementations' tests. */
static void test_words(void)
{
	static const struct {
		const char *word;
		uint64_t hash;
	} known[] = {
		{ "a", 0xd24ec4f1a98c6e5b },
		{ "abc", 0x44bc2cf5ad770999 },
		{ "Nobody inspects the spammish repetition", 0xfbcea83c8a378bf1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		is(hash(known[i].word, strlen(known[i].word), 0), known[i].hash, known[i].word);
}

/* One hash, however the slices divide it. */
static void test_slices(void)
{
	static uint8_t bytes[5 * 4096 + 31];
	static const uint64_t looks[] = { 1, 31, 32, 33, 100, 4095, 4096, 4097, 10000 };
	unsigned int i, size;
	bool good = true;

	test_seed(3);
	test_scramble(bytes, sizeof(bytes));
	for (size = sizeof(bytes) - 40; size <= sizeof(bytes); size++) {
		uint64_t whole = hash(bytes, size, 0);

		for (i = 0; i < ARRAY_SIZE(looks); i += 1 + (size & 1))
			good &= hash(bytes, size, looks[i]) == whole;
	}
	ok(good, "slices: the same hash");
}

/* The hash is of what was there: it may be written to where it was read. */
static void test_result_inside(void)
{
	struct host *host = host_new(VRAM, APERTURE, 0, 0);
	uint64_t wanted = hash("abcdefghabcdefgh", 16, 0);
	struct runner r;

	runner_start(&r, host, 1);
	memcpy(host->memory.vram, "abcdefghabcdefgh", 16);
	p.size = 0;
	command_checksum(&p, IN_VRAM(0), IN_VRAM(8), 16);
	runner_submit(&r, &p, 1);
	host_run(host);
	is(get(host->memory.vram + 8), wanted, "result: over what was hashed");
	host_free(host);
}

static void test_compare(void)
{
	static const uint64_t sizes[] = { 1, 2, 4095, 4096, 4097, 3 * 4096 };
	struct host *host = host_new(VRAM, APERTURE, 1, 1000);
	uint8_t *vram = host->memory.vram;
	unsigned int i, where;
	bool good = true;
	struct runner r;

	runner_start(&r, host, 1);
	for (i = 0; i < 4 * ARRAY_SIZE(sizes); i++) {
		uint64_t size = sizes[i / 4], at[] = { 0, size - 1, size / 2, size };

		where = i % 4;
		memset(vram, 0, VRAM);
		/* behind the end it does not count */
		vram[size] = 1;
		if (at[where] < size)
			vram[at[where]] = 1;
		p.size = 0;
		command_compare(&p, IN_VRAM(0), IN_VRAM(20 * PAGE), IN_VRAM(RESULT), size);
		runner_submit(&r, &p, i + 1);
		host_run(host);
		good &= runner_fence(&r) == i + 1 && get(vram + RESULT) == at[where] &&
			get(vram + RESULT + 8) == (at[where] < size);
	}
	ok(good, "compare: first, last, middle and no byte");
	memset(vram, 1, 3 * PAGE);
	memset(vram + 20 * PAGE, 2, 3 * PAGE);
	p.size = 0;
	command_compare(&p, IN_VRAM(0), IN_VRAM(20 * PAGE), IN_VRAM(RESULT), 3 * PAGE);
	runner_submit(&r, &p, 99);
	host_run(host);
	ok(!get(vram + RESULT) && get(vram + RESULT + 8) == 3 * PAGE, "compare: all of them");
	host_free(host);
}

int main(void)
{
	test_library();
	test_words();
	test_slices();
	test_result_inside();
	test_compare();
	return tap_done();
}
