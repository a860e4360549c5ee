// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: each operation by itself, with content worked out by hand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "tap.h"

#define VRAM		(1 * MIB)
#define APERTURE	(1 * MIB)

static struct packets p;

/* Bytes from which work is done beside the engine, as the host has it. */
static uint64_t work_least;

static struct host *start(uint64_t slice_bytes)
{
	struct host *host = host_new(VRAM, APERTURE, 1, slice_bytes);

	host->memory.work_least = work_least;
	host->memory.work_slices = 1;
	test_scramble(host->memory.vram, VRAM / 2);
	test_scramble(host->memory.vram + VRAM - 2 * PAGE, 2 * PAGE);
	test_scramble(host_ram(host, RAM_BASE, 32 * PAGE), 32 * PAGE);
	host_ring_setup(host, 4);
	host_set_reg(host, 0x38, 3);
	host_ring_enable(host);
	p.size = 0;
	return host;
}

static bool finish(struct host *host)
{
	host_submit(host, &p, 5);
	return host_run(host) && host_get64(host, FENCE_PAGE) == 5 &&
	       !host_ring_reg(host, 0x24);
}

static bool all_bytes(const uint8_t *at, uint8_t value, uint64_t len)
{
	while (len--)
		if (*at++ != value)
			return false;
	return true;
}

static void test_fill(uint64_t slice_bytes)
{
	struct host *host = start(slice_bytes);
	static const uint8_t expected[12] = {
		0x44, 0x33, 0x22, 0x11, 0x44, 0x33, 0x22, 0x11, 0x44, 0x33, 0x22, 0x11
	};
	uint8_t before = host->memory.vram[3], after = host->memory.vram[16], below;

	packet_fill(&p, 1, 4, 12, 0x11223344);
	packet_fill(&p, 1, VRAM - 4096, 4096, 0x5a5a5a5a);
	below = host->memory.vram[VRAM - 4097];
	ok(finish(host), "fill: done with slices of %llu bytes", (unsigned long long)slice_bytes);
	ok(!memcmp(host->memory.vram + 4, expected, 12), "fill: pattern from its low byte");
	ok(host->memory.vram[3] == before && host->memory.vram[16] == after,
	   "fill: nothing beside it");
	ok(all_bytes(host->memory.vram + VRAM - 4096, 0x5a, 4096) &&
	   host->memory.vram[VRAM - 4097] == below,
	   "fill: up to the last byte");
	ok(all_bytes(host->dirty + 4, 1, 12) && !host->dirty[3] && !host->dirty[16],
	   "fill: marked dirty");
	host_free(host);
}

static void test_discard(uint64_t slice_bytes)
{
	struct host *host = start(slice_bytes);
	uint8_t below = host->memory.vram[PAGE - 1], above = host->memory.vram[4 * PAGE];

	packet_discard(&p, 1, PAGE, 3 * PAGE);
	ok(finish(host), "discard: done with slices of %llu bytes",
	   (unsigned long long)slice_bytes);
	ok(all_bytes(host->memory.vram + PAGE, 0, 3 * PAGE), "discard: reads as zero");
	ok(host->memory.vram[PAGE - 1] == below && host->memory.vram[4 * PAGE] == above,
	   "discard: nothing beside it");
	is(host->memory.discards, 0, "discard: a few pages are cleared");
	ok(all_bytes(host->dirty + PAGE, 1, 3 * PAGE) && !host->dirty[PAGE - 1] &&
	   !host->dirty[4 * PAGE], "discard: marked dirty");
	host_free(host);
}

/* Of [@from, @from + @len), how much goes to the host? All of it reads as zero. */
static void test_discard_blocks(uint64_t from, uint64_t len, uint64_t first, uint64_t bytes)
{
	struct host *host = host_new(8 * MIB, APERTURE, 0, 0);
	uint8_t *vram = host->memory.vram;

	memset(vram, 0xee, 8 * MIB);
	host_ring_setup(host, 4);
	host_ring_enable(host);
	p.size = 0;
	packet_discard(&p, 1, from, len);
	ok(finish(host) && all_bytes(vram, 0xee, from) && all_bytes(vram + from, 0, len) &&
	   all_bytes(vram + from + len, 0xee, 8 * MIB - from - len),
	   "discard: 0x%llx bytes from 0x%llx", (unsigned long long)len,
	   (unsigned long long)from);
	ok(host->discard_first == first && host->discard_bytes == bytes,
	   "discard: the host gets whole blocks");
	ok(all_bytes(host->dirty + from, 1, len), "discard: all of it is dirty");
	host_free(host);
}

/* Longer than what is written at a time, from any phase. */
static void test_fill_long(uint64_t slice_bytes)
{
	struct host *host = start(slice_bytes);
	uint64_t at, size, i;
	bool good = true;

	for (at = 100, size = 4; size < 6000; at += 4, size += 508) {
		uint8_t before = host->memory.vram[at - 1], after = host->memory.vram[at + size];

		p.size = 0;
		packet_fill(&p, 1, at, size, 0xd1c2b3a4);
		good &= finish(host);
		for (i = 0; i < size; i++)
			good &= host->memory.vram[at + i] == (0xd1c2b3a4 >> 8 * (i % 4) & 0xff);
		good &= host->memory.vram[at - 1] == before &&
			host->memory.vram[at + size] == after;
	}
	ok(good, "fill: of any length with slices of %llu bytes",
	   (unsigned long long)slice_bytes);
	host_free(host);
}

static void test_system_runs(uint64_t slice_bytes, uint64_t map_limit)
{
	struct host *host = start(slice_bytes);
	uint8_t *ram = host_ram(host, RAM_BASE, RAM_SIZE);
	uint8_t *expected = malloc(3 * PAGE);
	uint64_t size = 2 * PAGE + 100;
	uint8_t after;

	host->memory.granule = map_limit;
	/* Pages 5, 2, 3 to VRAM at 10, and from VRAM at 64 KiB to 9, 8, 4. */
	memcpy(expected, ram + 5 * PAGE, PAGE);
	memcpy(expected + PAGE, ram + 2 * PAGE, PAGE + 100);
	packet_transfer(&p, 0, 0, 1, 10, size);
	packet_run(&p, RAM_BASE + 5 * PAGE, 1);
	packet_run(&p, RAM_BASE + 2 * PAGE, 2);
	packet_end(&p);
	packet_transfer(&p, 1, 0x10000, 0, 0, size);
	packet_run(&p, RAM_BASE + 9 * PAGE, 1);
	packet_run(&p, RAM_BASE + 8 * PAGE, 1);
	packet_run(&p, RAM_BASE + 4 * PAGE, 1);
	packet_end(&p);
	after = ram[4 * PAGE + 100];
	host->memory.written = 0;
	ok(finish(host), "runs: done with slices of %llu bytes", (unsigned long long)slice_bytes);
	ok(!memcmp(host->memory.vram + 10, expected, size), "runs: system to VRAM");
	ok(!memcmp(ram + 9 * PAGE, host->memory.vram + 0x10000, PAGE) &&
	   !memcmp(ram + 8 * PAGE, host->memory.vram + 0x10000 + PAGE, PAGE) &&
	   !memcmp(ram + 4 * PAGE, host->memory.vram + 0x10000 + 2 * PAGE, 100),
	   "runs: VRAM to system");
	ok(ram[4 * PAGE + 100] == after, "runs: the rest of the last page is untouched");
	ok(host->memory.written == size, "runs: the host learns of each byte of them");
	ok(all_bytes(host->dirty + 10, 1, size) && !host->dirty[9] && !host->dirty[10 + size],
	   "runs: VRAM marked dirty");
	free(expected);
	host_free(host);
}

/* A flush, for apertures that are not coherent. */
static void add_flush(void)
{
	packet_physical(&p, 4, 1, 0, 1, 0);
}

/* One segment, both ways, every small distance; an aperture is mapped with @flags. */
static void test_overlap(uint32_t segment, uint64_t slice_bytes, uint64_t map_limit,
			 uint16_t flags)
{
	static const int64_t distances[] = { 0, 1, 7, 8, 100, 4096, 5000, 9999, 10000 };
	uint64_t size = 10000;
	size_t i;
	int sign;

	for (i = 0; i < ARRAY_SIZE(distances); i++) {
		for (sign = -1; sign <= 1; sign += 2) {
			struct host *host = start(slice_bytes);
			uint64_t src = 5 * PAGE + 33, dst = src + sign * distances[i];
			uint8_t *base = segment == 1 ? host->memory.vram :
					host_ram(host, RAM_BASE, MIB);
			uint8_t *expected = malloc(16 * PAGE);

			host->memory.granule = map_limit;
			memcpy(expected, base, 16 * PAGE);
			memmove(expected + dst, expected + src, size);
			packet_map(&p, 0, 16, flags);
			packet_run(&p, RAM_BASE, 16);
			packet_end(&p);
			packet_transfer(&p, segment, src, segment, dst, size);
			add_flush();
			ok(finish(host) && !memcmp(base, expected, 16 * PAGE),
			   "overlap: segment %u, distance %lld, slices of %llu, mappings of %llu, flags %u",
			   segment, (long long)(sign * distances[i]),
			   (unsigned long long)slice_bytes, (unsigned long long)map_limit, flags);
			free(expected);
			host_free(host);
		}
	}
}

/* Overlap in an aperture whose pages are in no order at all. */
static void test_overlap_scattered(int64_t distance, uint64_t slice_bytes, uint16_t flags)
{
	struct host *host = start(slice_bytes);
	uint8_t *ram = host_ram(host, RAM_BASE, MIB);
	uint8_t view[16 * 4096];
	uint64_t src = 3 * PAGE + 5, dst = src + distance;
	unsigned int i;
	bool same = true;

	packet_map(&p, 4, 16, flags);
	for (i = 0; i < 16; i++) {
		packet_run(&p, RAM_BASE + ((i * 7 + 3) % 16) * PAGE, 1);
		memcpy(view + i * PAGE, ram + ((i * 7 + 3) % 16) * PAGE, PAGE);
	}
	packet_end(&p);
	memmove(view + dst, view + src, 9 * PAGE);
	packet_transfer(&p, 2, 4 * PAGE + src, 2, 4 * PAGE + dst, 9 * PAGE);
	add_flush();
	finish(host);
	for (i = 0; i < 16; i++)
		same &= !memcmp(view + i * PAGE, ram + ((i * 7 + 3) % 16) * PAGE, PAGE);
	ok(same, "overlap: scattered aperture, distance %lld, slices of %llu, flags %u",
	   (long long)distance, (unsigned long long)slice_bytes, flags);
	host_free(host);
}

static void test_aperture(uint64_t slice_bytes)
{
	struct host *host = start(slice_bytes);
	uint8_t *ram = host_ram(host, RAM_BASE, MIB);

	packet_map(&p, 255, 1, QUIRE_MAP_CACHE_COHERENT);
	packet_run(&p, TOP_BASE + TOP_SIZE - PAGE, 1);
	packet_end(&p);
	packet_map(&p, 10, 3, QUIRE_MAP_CACHE_COHERENT);
	packet_run(&p, RAM_BASE + 7 * PAGE, 2);
	packet_run(&p, RAM_BASE, 1);
	packet_end(&p);
	packet_transfer(&p, 1, 0, 2, 10 * PAGE + 1, 3 * PAGE - 1);
	packet_transfer(&p, 1, 0, 2, 255 * PAGE, PAGE);
	packet_unmap(&p, 11, 1, RAM_BASE + 20 * PAGE);
	packet_map(&p, 20, 1, 0);
	packet_run(&p, RAM_BASE + 7 * PAGE, 1);
	packet_end(&p);
	packet_transfer(&p, 2, 11 * PAGE, 1, 0x60000, PAGE);
	packet_transfer(&p, 1, 0x70000, 2, 11 * PAGE, PAGE);
	ok(finish(host), "aperture: done with slices of %llu bytes",
	   (unsigned long long)slice_bytes);
	ok(!memcmp(ram + 7 * PAGE + 1, host->memory.vram, 2 * PAGE - 1) &&
	   !memcmp(ram, host->memory.vram + 2 * PAGE - 1, PAGE),
	   "aperture: written through the table");
	ok(!memcmp(host_ram(host, TOP_BASE + TOP_SIZE - PAGE, PAGE), host->memory.vram, PAGE),
	   "aperture: the last page of 64 bits");
	ok(!memcmp(ram + 20 * PAGE, host->memory.vram + 0x70000, PAGE),
	   "aperture: an unmapped page goes to the dummy page");
	ok(memcmp(ram + 8 * PAGE, host->memory.vram + 0x70000, PAGE),
	   "aperture: and not to what it was");
	is(host->memory.engine.aperture[10], (RAM_BASE + 7 * PAGE) | 3, "aperture: entry");
	is(host->memory.engine.aperture[20], (RAM_BASE + 7 * PAGE) | 1,
	   "aperture: entry that is not coherent");
	is(host->memory.engine.aperture[255], (TOP_BASE + TOP_SIZE - PAGE) | 3,
	   "aperture: coherent entry");
	is(host->memory.engine.aperture[11], (RAM_BASE + 20 * PAGE) | 5, "aperture: dummy entry");
	is(host->memory.engine.aperture[9], 0, "aperture: neighbour below");
	is(host->memory.engine.aperture[13], 0, "aperture: neighbour above");
	host_free(host);
}

/* However many slices it took to map them. */
static void test_aperture_reset(uint64_t slice_bytes)
{
	struct host *host = start(slice_bytes);

	packet_map(&p, 3, 4, 0);
	packet_run(&p, RAM_BASE, 4);
	packet_end(&p);
	packet_unmap(&p, 9, 3, RAM_BASE);
	ok(finish(host) && host->memory.engine.aperture[6] && host->memory.engine.aperture[11],
	   "aperture: mapped in slices of %llu bytes", (unsigned long long)slice_bytes);
	quire_engine_reset(&host->memory.engine);
	ok(all_bytes((uint8_t *)host->memory.engine.aperture, 0, APERTURE / PAGE * 8),
	   "aperture: a reset forgets all of it");
	host_free(host);
}

/* Pages of memory that this process has. */
static unsigned long resident(void)
{
	unsigned long size, pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%lu %lu", &size, &pages) != 2)
		pages = 0;
	if (file)
		fclose(file);
	return pages;
}

/* One page of the largest aperture, the last: the 32 MiB before it are not touched. */
static void test_aperture_reset_large(void)
{
	struct host *host = host_new(PAGE, QUIRE_APERTURE_SIZE_MAX, 0, 0);
	struct quire_engine *engine = &host->memory.engine;
	uint32_t last = engine->aperture_pages - 1;
	unsigned long before;

	host->memory.unchecked = true;
	host_ring_setup(host, 4);
	host_ring_enable(host);
	p.size = 0;
	packet_map(&p, last, 1, 0);
	packet_run(&p, RAM_BASE, 1);
	packet_end(&p);
	ok(finish(host) && engine->aperture[last], "aperture: the last page of 16 GiB");
	before = resident();
	host_set_reg(host, 0x30, 1);
	is(engine->aperture[last], 0, "aperture: it is reset");
	ok(before && resident() < before + 1024, "aperture: and nothing else");
	host_free(host);
}

/* The same system page at two places: any result, but no harm. */
static void test_aliases(uint64_t slice_bytes)
{
	struct host *host = start(slice_bytes);

	packet_unmap(&p, 0, 16, RAM_BASE + 3 * PAGE);
	packet_transfer(&p, 2, 5, 2, 4 * PAGE + 1, 8 * PAGE);
	packet_transfer(&p, 2, 4 * PAGE + 1, 2, 5, 8 * PAGE);
	packet_transfer(&p, 2, 0, 1, 0, 16 * PAGE);
	packet_transfer(&p, 2, 0, 0, 0, 4 * PAGE);
	packet_run(&p, RAM_BASE + 2 * PAGE, 2);
	packet_run(&p, RAM_BASE + 2 * PAGE, 2);
	packet_end(&p);
	ok(finish(host), "aliases: done with slices of %llu bytes",
	   (unsigned long long)slice_bytes);
	host_free(host);
}

static void test_physical(void)
{
	struct host *host = start(0);
	uint8_t *ram = host_ram(host, RAM_BASE, MIB);
	static const uint8_t low[8] = { 8, 7, 6, 5, 4, 3, 2, 1 };
	uint8_t keep[3];
	unsigned int len;

	packet_map(&p, 1, 1, 0);
	packet_run(&p, RAM_BASE + 2 * PAGE, 1);
	packet_end(&p);
	for (len = 1; len <= 8; len++) {
		packet_physical(&p, 5, 1, 100 * len, len, 0x0102030405060708);
		packet_physical(&p, 5, 0, RAM_BASE + 100 * len, len, 0x0102030405060708);
		packet_physical(&p, 5, 2, PAGE + 100 * len, len, 0x0102030405060708);
		packet_physical(&p, 4, len % 3, len % 3 ? PAGE + 1 : RAM_BASE + PAGE + 1, len, 0);
	}
	packet_physical(&p, 5, 1, VRAM - 1, 1, 0x77);
	keep[0] = host->memory.vram[303];
	keep[1] = ram[303];
	keep[2] = ram[2 * PAGE + 303];
	ok(finish(host), "physical: done");
	for (len = 1; len <= 8; len++)
		ok(!memcmp(host->memory.vram + 100 * len, low, len) &&
		   !memcmp(ram + 100 * len, low, len) &&
		   !memcmp(ram + 2 * PAGE + 100 * len, low, len),
		   "physical: %u bytes written in all three segments", len);
	ok(keep[0] == host->memory.vram[303] && keep[1] == ram[303] &&
	   keep[2] == ram[2 * PAGE + 303],
	   "physical: no more bytes than that");
	is(host->memory.vram[VRAM - 1], 0x77, "physical: last byte of VRAM");
	ok(host->dirty[VRAM - 1] && !host->dirty[VRAM - 2], "physical: it is dirty");
	ok(all_bytes(host->dirty + 800, 1, 8) && !host->dirty[799] && !host->dirty[808],
	   "physical: eight bytes of VRAM are dirty");
	host_free(host);
}

static void test_signal(void)
{
	struct host *host = start(0);

	packet_signal(&p, RAM_BASE + 8, 0xfedcba9876543210);
	packet_signal(&p, TOP_BASE + TOP_SIZE - 8, 0x123456789abcdef0);
	ok(finish(host), "signal: done");
	is(host_get64(host, RAM_BASE + 8), 0xfedcba9876543210, "signal: value");
	is(host_get64(host, TOP_BASE + TOP_SIZE - 8), 0x123456789abcdef0,
	   "signal: at the last 8 bytes of 64 bits");
	host_free(host);
}

/* Data first, then fence value, read pointer, interrupt. */
static void test_order(void)
{
	struct host *host = start(0);

	packet_fill(&p, 1, 0, 4, 0x01020304);
	host_queue(host, &p, 7, 0);
	host_queue(host, &p, 8, QUIRE_ENTRY_IRQ);
	host_ring_doorbell(host);
	host_run(host);
	ok(!strcmp(host->trace, "WFRFRWDWI"), "order: fence, read pointer, interrupt (%s)",
	   host->trace);
	is(host_get64(host, FENCE_PAGE), 8, "order: fence value");
	is(host_get32(host, FENCE_PAGE + 8), 2, "order: read pointer");
	is(host_get32(host, FENCE_PAGE + 12), 0, "order: reserved word is zero");
	host_free(host);
}

/* With slices of so many bytes. */
static void test_slices(uint64_t slice_bytes)
{
	uint16_t flags;

	test_fill(slice_bytes);
	test_fill_long(slice_bytes);
	test_discard(slice_bytes);
	test_system_runs(slice_bytes, 0);
	test_system_runs(slice_bytes, 1000);
	test_aperture(slice_bytes);
	test_aperture_reset(slice_bytes);
	test_aliases(slice_bytes);
	test_overlap(1, slice_bytes, 0, 0);
	for (flags = 0; flags <= QUIRE_MAP_CACHE_COHERENT; flags++) {
		test_overlap(2, slice_bytes, 0, flags);
		test_overlap(2, slice_bytes, 4096, flags);
		test_overlap(2, slice_bytes, 1000, flags);
		test_overlap_scattered(1, slice_bytes, flags);
		test_overlap_scattered(-1, slice_bytes, flags);
		test_overlap_scattered(4096, slice_bytes, flags);
		test_overlap_scattered(-4096, slice_bytes, flags);
		test_overlap_scattered(10000, slice_bytes, flags);
		test_overlap_scattered(-10000, slice_bytes, flags);
	}
}

int main(void)
{
	static const uint64_t slices[] = { 0, 1, 3, 4, 5, 4095, 4096, 4097 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(slices); i++)
		test_slices(slices[i]);
	/* All of it, and what is long enough, beside the engine. */
	for (work_least = 1; work_least <= 4096; work_least *= 4096) {
		test_slices(0);
		test_slices(3);
		test_slices(4096);
	}
	work_least = 0;
	test_discard_blocks(PAGE, 2 * MIB, 0, 0);
	test_discard_blocks(2 * MIB, 2 * MIB - PAGE, 0, 0);
	test_discard_blocks(2 * MIB, 2 * MIB, 2 * MIB, 2 * MIB);
	test_discard_blocks(2 * MIB - PAGE, 4 * MIB + 2 * PAGE, 2 * MIB, 4 * MIB);
	test_discard_blocks(0, 8 * MIB, 0, 8 * MIB);
	test_aperture_reset_large();
	test_physical();
	test_signal();
	test_order();
	return tap_done();
}
