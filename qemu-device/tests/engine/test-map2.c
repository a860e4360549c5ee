// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: MAP_APERTURE2, with both forms of its address list.
 */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "tap.h"

#define VRAM		(16 * PAGE)
#define APERTURE	(64 * PAGE)
#define MANY		50u

static struct packets p;

static struct host *start(uint64_t slice_bytes)
{
	struct host *host = host_new(VRAM, APERTURE, slice_bytes ? 1 : 0, slice_bytes);

	host_ring_setup(host, 4);
	host_ring_enable(host);
	p.size = 0;
	return host;
}

static bool finish(struct host *host)
{
	host_submit(host, &p, 5);
	return host_run(host) && host_get64(host, FENCE_PAGE) == 5;
}

static uint64_t entry(const struct host *host, uint32_t page)
{
	return host->memory.engine.aperture[page];
}

static void test_contiguous(void)
{
	struct host *host = start(0);
	bool good = true;
	uint32_t i;

	packet_map2(&p, 1, 5, 2, RAM_BASE / PAGE + 9);
	packet_map2(&p, 8, 40, 2 | 1, 0xabcdef012345);
	packet_map2(&p, 63, 1, 2, (1ull << 52) - 1);
	ok(finish(host), "contiguous: done");
	for (i = 0; i < 5; i++)
		good &= entry(host, 1 + i) == ((RAM_BASE + (9 + i) * PAGE) | 1);
	ok(good && !entry(host, 0) && !entry(host, 6), "contiguous: entries");
	for (i = 0; i < 40; i++)
		good &= entry(host, 8 + i) == ((0xabcdef012345000 + i * PAGE) | 3);
	ok(good && !entry(host, 7) && !entry(host, 48), "contiguous: coherent ones");
	is(entry(host, 63), ~0xfffull | 1, "contiguous: the last page of 64 bits");
	is(host_ring_reg64(host, QUIRE_RING_PACKETS_OF(9)), 3, "contiguous: counted");
	host_free(host);
}

/* In any order, more than once, up to the last page there can be. */
static void test_list(void)
{
	static const uint64_t list[] = {
		RAM_BASE / PAGE + 3, RAM_BASE / PAGE + 4, RAM_BASE / PAGE + 2,
		RAM_BASE / PAGE + 3, 0, (1ull << 52) - 1, 0x8000000000000,
	};
	struct host *host = start(0);
	bool good = true;
	uint32_t i;

	packet_fill(&p, 1, 0, 8, 0);
	packet_map2_list(&p, host_next_packet(host, &p), 2, 0, list, 7);
	packet_map2_list(&p, host_next_packet(host, &p), 20, 1, list + 2, 1);
	ok(finish(host), "list: done");
	for (i = 0; i < 7; i++)
		good &= entry(host, 2 + i) == (list[i] * PAGE | 1);
	ok(good && !entry(host, 1) && !entry(host, 9), "list: entries");
	is(entry(host, 20), list[2] * PAGE | 3, "list: a coherent one");
	is(host_ring_reg64(host, QUIRE_RING_PACKETS_OF(9)), 2, "list: counted");
	host_free(host);
}

static void make_list(uint64_t list[MANY])
{
	uint32_t i;

	for (i = 0; i < MANY; i++)
		list[i] = test_random() & 1 ? i + 1000 : test_random();
}

static bool has_list(const struct host *host, const uint64_t list[MANY], uint32_t first)
{
	uint32_t i;

	for (i = 0; i < MANY; i++)
		if (entry(host, first + i) != (list[i] * PAGE | 1))
			return false;
	return true;
}

/*
 * In slices of a few pages, and each in another engine; the guest changes the array as soon as
 * the submission is copied in.
 */
static void test_slices(uint64_t slice_bytes, bool by_list)
{
	struct host *host = start(slice_bytes);
	uint64_t list[MANY], before, now, addr = host_next_packet(host, &p);
	unsigned int slices = 0;
	bool good = true;

	make_list(list);
	if (!by_list)
		for (before = 1; before < MANY; before++)
			list[before] = list[0] + before;
	if (by_list)
		packet_map2_list(&p, addr, 3, 0, list, MANY);
	else
		packet_map2(&p, 3, MANY, 2, list[0]);
	host_submit(host, &p, 5);
	while (!host->memory.engine.ring[0].active)
		memory_host_run(&host->memory);
	test_scramble(host_ram(host, addr, p.size), p.size);
	do {
		before = host_ring_reg64(host, 0x40);
		good &= host_migrate(host);
		memory_host_run(&host->memory);
		now = host_ring_reg64(host, 0x40);
		slices += now > before;
	} while (host->memory.scheduled);
	ok(good && host_get64(host, FENCE_PAGE) == 5 && has_list(host, list, 3),
	   "slices of %llu bytes: entries of a %s", (unsigned long long)slice_bytes,
	   by_list ? "list" : "base");
	ok(slices >= MANY * 8 / (slice_bytes + 8), "slices: %u with progress", slices);
	is(now, MANY + 1, "slices: progress of pages and a packet");
	host_free(host);
}

/* Who is off in the middle goes on there: the packet is at the same address. */
static void test_restart(void)
{
	struct host *host = start(8 * 8);
	uint64_t list[MANY], addr;
	uint32_t offset;

	make_list(list);
	packet_fill(&p, 1, 0, 8, 0);
	addr = host_next_packet(host, &p);
	packet_map2_list(&p, addr, 3, 0, list, MANY);
	host_submit(host, &p, 5);
	while (!entry(host, 10))
		memory_host_run(&host->memory);
	host_ring_disable(host);
	offset = host_ring_reg(host, 0x20);
	ok(offset == 32 && !entry(host, 3 + MANY - 1), "restart: off in the packet");
	host_ring_enable(host);
	host_entry(host, 0, BUFFER + offset, p.size - offset, 0, 6, 0);
	host_put32(host, FENCE_PAGE + 64, 1);
	host_ring_doorbell(host);
	ok(host_run(host) && host_get64(host, FENCE_PAGE) == 6 && has_list(host, list, 3),
	   "restart: done");
	/* Somewhere else it is another packet. */
	host_ring_restart(host);
	memmove(host_ram(host, BUFFER, p.size), host_ram(host, BUFFER + offset, p.size),
		p.size - offset);
	host_entry(host, 0, BUFFER, p.size - offset, 0, 7, 0);
	host_put32(host, FENCE_PAGE + 64, 1);
	host_ring_doorbell(host);
	host_run(host);
	is(host_ring_reg(host, 0x24), QUIRE_FAULT_BAD_RANGE, "restart: not somewhere else");
	is(host_ring_reg64(host, 0x30), addr + 32, "restart: and says what is wrong");
	host_free(host);
}

/* What the CPU sees is what was mapped so last, and is in the window. */
static void test_visible(void)
{
	static const uint64_t list[] = { 300, 301 };
	struct host *host = start(0);

	packet_map2(&p, 0, HOST_WINDOW / PAGE, 4 | 2, 0x1000);
	packet_map2_list(&p, host_next_packet(host, &p), 1, 4 | 1, list, 2);
	packet_map(&p, 3, 1, 0);
	packet_run(&p, RAM_BASE, 1);
	packet_end(&p);
	packet_map2(&p, 4, 1, 2, 0x2000);
	packet_unmap(&p, 5, 1, RAM_BASE);
	ok(finish(host), "visible: done");
	is(entry(host, 0), 0x1000001 | 8, "visible: contiguous");
	is(entry(host, 1), 300 * PAGE | 11, "visible: of a list");
	is(entry(host, 2), 301 * PAGE | 11, "visible: of a list, the second");
	is(entry(host, 3), RAM_BASE | 1, "visible: not after MAP_APERTURE");
	is(entry(host, 4), 0x2000001, "visible: not without the flag");
	is(entry(host, 5), RAM_BASE | 5, "visible: no dummy page");
	is(entry(host, 6), 0x1006001 | 8, "visible: the others are");
	is(entry(host, 7), 0x1007001 | 8, "visible: to the end of the window");
	host_free(host);
}

/* A packet through pages that are mapped so. */
static void test_used(void)
{
	static const uint64_t list[] = { RAM_BASE / PAGE + 2, RAM_BASE / PAGE };
	struct host *host = start(0);

	test_scramble(host->memory.vram, VRAM);
	packet_map2_list(&p, host_next_packet(host, &p), 0, 1, list, 2);
	packet_transfer(&p, 1, 0, 2, 0, 2 * PAGE);
	ok(finish(host) &&
	   !memcmp(host_ram(host, RAM_BASE + 2 * PAGE, PAGE), host->memory.vram, PAGE) &&
	   !memcmp(host_ram(host, RAM_BASE, PAGE), host->memory.vram + PAGE, PAGE),
	   "used: a copy goes there");
	host_free(host);
}

int main(void)
{
	test_contiguous();
	test_list();
	test_slices(8, true);
	test_slices(8, false);
	test_slices(7 * 8, true);
	test_slices(7 * 8, false);
	test_restart();
	test_visible();
	test_used();
	return tap_done();
}
