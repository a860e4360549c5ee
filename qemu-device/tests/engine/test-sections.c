// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: system memory that the engine reaches without its host.
 */
#include <string.h>

#include "host.h"
#include "tap.h"

#define VRAM		(4 * MIB)
#define APERTURE	(4 * MIB)
#define PAGES		16u

static struct packets p;

static struct host *start(unsigned int parts)
{
	struct host *host = host_new(VRAM, APERTURE, 0, 0);

	host->memory.parts = parts;
	memory_host_share(&host->memory);
	test_scramble(host->memory.vram, VRAM);
	host_ring_setup(host, 4);
	host_ring_enable(host);
	p.size = 0;
	return host;
}

static uint64_t count_told(const struct host *host)
{
	uint64_t i, n = 0;

	for (i = 0; i < RAM_SIZE; i++)
		n += host->told[i];
	return n;
}

/* VRAM to RAM, from @offset of RAM on. */
static void copy_out(uint64_t offset)
{
	packet_transfer(&p, 1, 0, 0, 0, PAGES * PAGE);
	packet_run(&p, RAM_BASE + offset, PAGES);
	packet_end(&p);
}

static bool is_out(struct host *host, uint64_t offset)
{
	return !memcmp(host->memory.vram, host_ram(host, RAM_BASE + offset, PAGES * PAGE),
		       PAGES * PAGE);
}

static void test_reached(void)
{
	struct host *host = start(1);

	copy_out(PAGE);
	packet_transfer(&p, 0, 0, 1, 2 * MIB, PAGES * PAGE);
	packet_run(&p, RAM_BASE + PAGE, PAGES);
	packet_end(&p);
	packet_signal(&p, RAM_BASE + 40 * PAGE, 7);
	packet_physical(&p, QUIRE_OP_WRITE_PHYSICAL, 0, RAM_BASE + 41 * PAGE, 8, 9);
	host_submit(host, &p, 1);
	host_run(host);
	ok(is_out(host, PAGE), "reached: written");
	ok(!memcmp(host->memory.vram, host->memory.vram + 2 * MIB, PAGES * PAGE),
	   "reached: read");
	is(host_get64(host, RAM_BASE + 40 * PAGE), 7, "reached: a value");
	is(host_get64(host, RAM_BASE + 41 * PAGE), 9, "reached: a physical write");
	is(host_get64(host, FENCE_PAGE), 1, "reached: complete");
	is(host->memory.maps, 0, "reached: nothing was mapped");
	ok(host->told[PAGE] && host->told[(PAGES + 1) * PAGE - 1] && host->told[40 * PAGE] &&
	   host->told[41 * PAGE] && host->told[FENCE_PAGE - RAM_BASE],
	   "reached: all of it is told");
	/* fence, read pointer, and the wish for a doorbell */
	is(count_told(host), PAGES * PAGE + 16 + 24, "reached: and nothing else");
	host_free(host);
}

static unsigned int nr_written;

static void count_written(struct memory_host *memory, const struct memory_region *region,
			  uint64_t offset, uint64_t len)
{
	(void)memory;
	(void)region;
	(void)offset;
	nr_written += len >= PAGE;
}

/* Pieces that follow each other in memory are told together. */
static void test_joined(void)
{
	static const struct memory_host_watch watch = { .written = count_written };
	struct host *host = start(1);
	unsigned int i;

	packet_map(&p, 0, 2 * PAGES, QUIRE_MAP_CACHE_COHERENT);
	for (i = 0; i < PAGES; i++)
		packet_run(&p, RAM_BASE + (100 + 2 * i) * PAGE, 1);
	packet_run(&p, RAM_BASE + PAGE, PAGES);
	packet_end(&p);
	packet_transfer(&p, QUIRE_SEGMENT_APERTURE, 0, QUIRE_SEGMENT_APERTURE, PAGES * PAGE,
			PAGES * PAGE);
	packet_end(&p);
	host->memory.watch = &watch;
	host_submit(host, &p, 1);
	host_run(host);
	is(host_get64(host, FENCE_PAGE), 1, "joined: complete");
	ok(nr_written == 1, "joined: %u pieces are told in %u calls", PAGES, nr_written);
	host_free(host);
}

/* The end of a section is within a page; behind the last one the host maps. */
static void test_ends(void)
{
	struct host *host = start(4);
	const struct quire_section *last = &host->memory.sections[2];
	uint64_t first = last->addr / PAGE * PAGE - RAM_BASE - 4 * PAGE;
	uint64_t end = last->addr + last->size - RAM_BASE;
	uint64_t second = end / PAGE * PAGE - 4 * PAGE;

	copy_out(first);
	host_submit(host, &p, 1);
	host_run(host);
	ok(is_out(host, first), "ends: from one to the next");
	p.size = 0;
	copy_out(second);
	host_submit(host, &p, 2);
	host_run(host);
	ok(is_out(host, second) && host->memory.maps, "ends: into what is mapped");
	ok(host->told[end - 1] && !host->told[end], "ends: told up to there");
	is(host_get64(host, FENCE_PAGE), 2, "ends: complete");
	host_free(host);
}

static void test_not_there(void)
{
	struct host *host = start(1);

	packet_transfer(&p, 1, 0, 0, 0, PAGE);
	packet_run(&p, ROM_BASE, 1);
	packet_end(&p);
	host_submit(host, &p, 1);
	host_run(host);
	is(host_ring_reg(host, 0x24), QUIRE_FAULT_DMA, "not there: what can only be read");
	is(host_ring_reg64(host, 0x30), ROM_BASE, "not there: its address");
	host_free(host);

	host = start(1);
	packet_signal(&p, HOLE, 1);
	host_submit(host, &p, 1);
	host_run(host);
	is(host_ring_reg(host, 0x24), QUIRE_FAULT_FENCE_DMA, "not there: nothing");
	host_free(host);

	host = start(1);
	packet_transfer(&p, 1, 0, 0, 0, PAGE);
	packet_run(&p, TOP_BASE + TOP_SIZE - PAGE, 1);
	packet_end(&p);
	host_submit(host, &p, 1);
	host_run(host);
	ok(!memcmp(host->memory.regions[2].bytes + TOP_SIZE - PAGE, host->memory.vram, PAGE),
	   "not there: but the last page of 64 bits is");
	host_free(host);
}

/* Memory goes away while another thread copies to it: that comes to its end first. */
static void test_goes(void)
{
	struct host *host = start(1);

	host->memory.work_least = PAGE;
	host->memory.work_slices = 3;
	copy_out(PAGE);
	copy_out(100 * PAGE);
	host_submit(host, &p, 1);
	while (!host->memory.working)
		memory_host_run(&host->memory);
	ok(!is_out(host, PAGE), "goes: at work");
	host->memory.parts = 0;
	memory_host_share(&host->memory);
	ok(!host->memory.working && is_out(host, PAGE), "goes: what was begun is done");
	ok(host->told[PAGE] && host->told[(PAGES + 1) * PAGE - 1], "goes: and told");
	is(host->memory.maps, 0, "goes: up to here nothing was mapped");
	memset(host->told, 0, RAM_SIZE);
	host_run(host);
	ok(is_out(host, 100 * PAGE) && host->memory.maps, "goes: the rest is mapped");
	is(count_told(host), 0, "goes: nothing is reached any more");
	is(host_get64(host, FENCE_PAGE), 1, "goes: complete");
	host_free(host);
}

int main(void)
{
	test_reached();
	test_joined();
	test_ends();
	test_not_there();
	test_goes();
	return tap_done();
}
