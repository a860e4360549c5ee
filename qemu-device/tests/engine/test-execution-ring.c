// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: execution rings beside the paging ring. How many there are, what each of
 * them refuses, that they share a slice, and that a fault, a hang or a thread of one of
 * them is no concern of the others.
 */
#include <stdlib.h>
#include <string.h>

#include "runner.h"
#include "tap.h"

#define VRAM		(1024 * PAGE)
#define APERTURE	(64 * PAGE)
#define PART		(128 * PAGE)	/* of VRAM, for each ring */

static struct packets p;

/* A host with another number of execution rings. */
static struct host *host_with(unsigned int rings, uint64_t slice_looks, uint64_t look_bytes)
{
	struct host *host = host_new(VRAM, APERTURE, 0, 0);

	memory_host_stop(&host->memory);
	host->memory.execution_rings = rings;
	memory_host_start(&host->memory, APERTURE, slice_looks, look_bytes);
	host_ring_setup(host, 4);
	host_ring_enable(host);
	return host;
}

static bool no_register(struct host *host, uint32_t offset)
{
	unsigned int errors = host->memory.errors;

	host_set_reg(host, offset, 1);
	return !host_reg(host, offset) && host->memory.errors == errors + 2;
}

static void test_count(void)
{
	struct quire_engine_config config;
	struct quire_engine engine;
	struct host *host;
	unsigned int n, ring;
	const char *why;
	bool good;

	for (n = 0; n < QUIRE_RING_MAX; n++) {
		host = host_with(n, 0, 0);
		is(host_reg(host, 8), n + 1, "count: RING_COUNT");
		good = true;
		for (ring = n + 1; ring < QUIRE_RING_MAX; ring++)
			good &= no_register(host, 0x1000 + 0x200 * ring) &&
				no_register(host, 0x1014 + 0x200 * ring) &&
				no_register(host, 0x1060 + 0x200 * ring) &&
				no_register(host, 0x10000 + 0x1000 * ring);
		good &= no_register(host, 0x18000) && no_register(host, 0x1fffc);
		ok(good, "count: %u rings, others have no registers", n + 1);
		host_free(host);
	}
	host = host_new(VRAM, APERTURE, 0, 0);
	config = host->memory.config;
	config.execution_rings = QUIRE_RING_MAX;
	ok(!quire_engine_init(&engine, &config, &why) && strstr(why, "execution rings"),
	   "count: more are refused");
	host_free(host);
}

/* Each ring fills its part of VRAM. */
static void queue_fill(struct runner *r, uint64_t fence)
{
	p.size = 0;
	command_fill(&p, IN_VRAM(r->ring * PART), PART, 0x01010101 * r->ring);
	runner_queue(r, &p, fence);
}

static void ring_doorbell(const struct runner *r)
{
	host_set_reg(r->host, QUIRE_DOORBELL(r->ring), 1);
}

static bool is_filled(const struct runner *r)
{
	const uint8_t *part = r->host->memory.vram + r->ring * PART;
	uint64_t i;

	for (i = 0; i < PART; i++)
		if (part[i] != r->ring)
			return false;
	return true;
}

static void test_all(void)
{
	struct host *host = host_with(7, 2, PAGE);
	struct runner r[8];
	unsigned int i;
	bool good = true;

	for (i = 1; i <= 7; i++) {
		runner_start(&r[i], host, i);
		queue_fill(&r[i], 100 + i);
		ring_doorbell(&r[i]);
	}
	host_run(host);
	for (i = 1; i <= 7; i++)
		good &= is_filled(&r[i]) && runner_fence(&r[i]) == 100 + i &&
			runner_reg(&r[i], 0x1c) == 1 && !runner_reg(&r[i], 0x18) &&
			runner_reg64(&r[i], 0x48) == 1 &&
			runner_reg64(&r[i], 0x80 + 8 * 0x22) == 1;
	ok(good, "all: seven rings execute what each of them is given");
	is(host_ring_reg64(host, 0x48), 0, "all: the paging ring nothing of it");
	host_free(host);
}

static void test_paging_refuses(void)
{
	struct host *host = host_with(2, 0, 0);
	unsigned int opcode;

	for (opcode = 0x1f; opcode <= 0x30; opcode++) {
		host_ring_restart(host);
		p.size = 0;
		packet_u32(&p, opcode);
		packet_u32(&p, 32);
		packet_u64(&p, IN_VRAM(0));
		packet_u64(&p, IN_VRAM(64));
		packet_u64(&p, 8);
		host_submit(host, &p, 1);
		host_run(host);
		is(host_ring_reg(host, 0x24), QUIRE_FAULT_BAD_OPCODE, "paging ring: no commands");
	}
	host_free(host);
}

/* Hangs and faults on demand are those of one ring, and are counted by its packets alone. */
static void test_inject(void)
{
	struct host *host = host_with(2, 0, 0);
	struct runner a, b;

	host_set_reg(host, 0x38, 3);
	runner_start(&a, host, 1);
	runner_start(&b, host, 2);
	runner_set_reg(&a, 0x60, 2);
	runner_set_reg(&b, 0x64, 3);
	host_set_reg(host, 0x1060, 7);
	p.size = 0;
	command_nop(&p, 0);
	command_nop(&p, 1);
	command_nop(&p, 2);
	runner_submit(&a, &p, 1);
	runner_submit(&b, &p, 2);
	p.size = 0;
	packet_fill(&p, 1, 0, 8, 5);
	host_submit(host, &p, 3);
	host_run(host);
	ok(runner_reg(&a, 0x18) == QUIRE_RING_STATUS_BUSY && runner_reg(&a, 0x20) == 8 &&
	   !runner_fence(&a), "inject: one ring hangs at its second packet");
	ok(runner_reg(&b, 0x24) == QUIRE_FAULT_INJECTED && runner_reg(&b, 0x20) == 24,
	   "inject: another one faults at its third");
	is(host_get64(host, FENCE_PAGE), 3, "inject: the paging ring does neither");
	is(host_reg(host, 0x1060), 6, "inject: and counts its own");
	runner_start(&b, host, 2);
	queue_fill(&b, 4);
	ring_doorbell(&b);
	host_run(host);
	is(runner_fence(&b), 4, "inject: beside a ring that hangs others work");
	runner_set_reg(&a, 0x60, 9);
	host_set_reg(host, 0x30, 1);
	ok(runner_reg(&a, 0x60) == 9 && host_reg(host, 0x1060) == 6,
	   "inject: a reset keeps what is left");
	runner_start(&a, host, 1);
	queue_fill(&a, 5);
	ring_doorbell(&a);
	host_run(host);
	is(runner_fence(&a), 5, "inject: the ring works after a reset");
	quire_engine_reset(&host->memory.engine);
	is(runner_reg(&a, 0x60), 0, "inject: nothing is left after that of the machine");
	host_free(host);
}

/* However many rings have work, a slice is as long as one. */
static void test_slice(void)
{
	struct host *host = host_with(7, 6, PAGE);
	uint64_t most = 0, before, now;
	struct runner r[8];
	unsigned int i;

	for (i = 1; i <= 7; i++) {
		runner_start(&r[i], host, i);
		queue_fill(&r[i], 1);
		ring_doorbell(&r[i]);
	}
	do {
		before = host->memory.clock;
		memory_host_run(&host->memory);
		now = host->memory.clock;
		most = now - before > most ? now - before : most;
	} while (host->memory.scheduled);
	/* a look more for each ring whose turn it is, which is after the end for one at most */
	ok(most <= 6 + 2, "slice: %u looks at the clock at most", (unsigned int)most);
	host_free(host);
}

/* The shortest slices: of the rings with long commands each has its turn. */
static void test_turns(void)
{
	struct host *host = host_with(3, 1, PAGE);
	uint64_t least, most, apart = 0;
	struct runner r[4];
	unsigned int i, slice;

	for (i = 1; i <= 3; i++) {
		runner_start(&r[i], host, i);
		queue_fill(&r[i], 1);
		ring_doorbell(&r[i]);
	}
	for (slice = 0; slice < 90; slice++) {
		memory_host_run(&host->memory);
		least = UINT64_MAX;
		most = 0;
		for (i = 1; i <= 3; i++) {
			uint64_t done = runner_reg64(&r[i], 0x40);

			least = done < least ? done : least;
			most = done > most ? done : most;
		}
		apart = most - least > apart ? most - least : apart;
	}
	ok(least && apart <= 4 * PAGE, "turns: the rings are 0x%x bytes apart at most",
	   (unsigned int)apart);
	host_free(host);
}

/* A long command holds up no paging, and paging no commands. */
static void test_paging_first(void)
{
	struct host *host = host_with(1, 1, PAGE);
	unsigned int slices = 0;
	struct runner r;
	uint64_t before;

	runner_start(&r, host, 1);
	queue_fill(&r, 1);
	ring_doorbell(&r);
	for (slices = 0; slices < 8; slices++)
		memory_host_run(&host->memory);
	p.size = 0;
	packet_fill(&p, 1, 0, 8, 5);
	host_submit(host, &p, 9);
	for (slices = 0; host_get64(host, FENCE_PAGE) != 9 && slices < 50; slices++)
		memory_host_run(&host->memory);
	ok(slices < 10 && !runner_fence(&r), "paging: comes first, after %u slices", slices);

	p.size = 0;
	packet_fill(&p, 1, 0, PART, 5);
	host_submit(host, &p, 10);
	before = runner_reg64(&r, 0x40);
	for (slices = 0; slices < 20; slices++)
		memory_host_run(&host->memory);
	ok(host_get64(host, FENCE_PAGE) != 10 &&
	   runner_reg64(&r, 0x40) - before >= 18 * PAGE,
	   "paging: a long one leaves commands their part");
	host_run(host);
	ok(host_get64(host, FENCE_PAGE) == 10 && is_filled(&r), "paging: both end");
	host_free(host);
}

static void map_all(struct host *host, uint16_t flags)
{
	p.size = 0;
	packet_map(&p, 0, APERTURE / PAGE, flags);
	packet_run(&p, RAM_BASE, APERTURE / PAGE);
	packet_end(&p);
	host_submit(host, &p, 1);
	host_run(host);
}

/* When an execution ring writes its fence, what it has posted is in memory. */
static void test_release(void)
{
	struct host *host = host_with(1, 0, 0);
	struct runner r;

	map_all(host, 0);
	runner_start(&r, host, 1);
	p.size = 0;
	command_fill(&p, IN_APERTURE(0), 64, 0x07070707);
	command_write_value(&p, IN_APERTURE(PAGE), 0x1122334455667788);
	command_delay(&p, 1000);
	runner_submit(&r, &p, 1);
	host_run(host);
	ok(!runner_fence(&r) && !*host_ram(host, RAM_BASE, 1) && host_reg(host, 0xa0) == 72,
	   "release: posted while the submission is at work");
	host->memory.time += 1000;
	host_run(host);
	ok(runner_fence(&r) == 1 && !host_reg(host, 0xa0), "release: not after its fence");
	ok(*host_ram(host, RAM_BASE + 63, 1) == 7 &&
	   host_get64(host, RAM_BASE + PAGE) == 0x1122334455667788, "release: it is in memory");
	p.size = 0;
	packet_transfer(&p, 1, 0, 2, 2 * PAGE, 100);
	host_submit(host, &p, 2);
	host_run(host);
	is(host_reg(host, 0xa0), 100, "release: but what a paging ring has posted stays");
	p.size = 0;
	runner_submit(&r, &p, 2);
	host_run(host);
	is(host_reg(host, 0xa0), 0, "release: until a fence of an execution ring");
	host_free(host);
}

/* One page, mapped with a write buffer and without: the bytes that are written last stay. */
static void test_same_page(void)
{
	struct host *host = host_with(1, 0, 0);
	struct runner r;

	p.size = 0;
	packet_map(&p, 0, 1, 0);
	packet_run(&p, RAM_BASE, 1);
	packet_end(&p);
	packet_map(&p, 1, 1, 1);
	packet_run(&p, RAM_BASE, 1);
	packet_end(&p);
	host_submit(host, &p, 1);
	host_run(host);
	runner_start(&r, host, 1);
	p.size = 0;
	command_fill(&p, IN_APERTURE(0), 64, 0x07070707);
	command_write_value(&p, IN_APERTURE(PAGE + 8), 1);
	command_arithmetic(&p, 1, IN_VRAM(0), IN_APERTURE(PAGE + 16), 4);
	command_fill(&p, IN_APERTURE(32), 8, 0x08080808);
	command_checksum(&p, IN_VRAM(0), IN_APERTURE(PAGE + 32), 1);
	runner_submit(&r, &p, 1);
	host_run(host);
	is(runner_fence(&r), 1, "same page: done");
	is(host_get64(host, RAM_BASE), 0x0707070707070707, "same page: what was posted");
	is(host_get64(host, RAM_BASE + 8), 1, "same page: a value over it");
	is(host_get64(host, RAM_BASE + 16), 0x0707070707070707, "same page: a sum of it");
	ok(host_get64(host, RAM_BASE + 32) != 0x0808080808080808, "same page: a hash over it");
	host_free(host);
}

/* Memory that is mapped in pieces of an odd length: the pattern goes on in its middle. */
static void test_fill_pieces(void)
{
	struct host *host = host_with(1, 0, 0);
	struct runner r;
	unsigned int i;
	bool good = true;

	map_all(host, QUIRE_MAP_CACHE_COHERENT);
	runner_start(&r, host, 1);
	host->memory.granule = PAGE - 1;
	p.size = 0;
	command_fill(&p, IN_APERTURE(PAGE), 40 * PAGE, 0x04030201);
	runner_submit(&r, &p, 1);
	host_run(host);
	for (i = 0; i < 40 * PAGE; i++)
		good &= *host_ram(host, RAM_BASE + PAGE + i, 1) == 1 + i % 4;
	ok(good && runner_fence(&r) == 1, "fill: in odd pieces");
	host_free(host);
}

/* A thread has a copy of one ring while another ring takes places of the write buffer. */
static void test_posted_source(void)
{
	struct host *host = host_with(1, 0, 0);
	struct runner r;
	unsigned int i;
	bool good = true;

	map_all(host, 0);
	runner_start(&r, host, 1);
	memset(host->memory.vram, 0x11, PAGE);
	p.size = 0;
	packet_transfer(&p, 1, 0, 2, PAGE, PAGE);
	host_submit(host, &p, 2);
	host_run(host);
	host->memory.work_least = 1;
	host->memory.work_slices = 4;
	memset(host_ram(host, RAM_BASE, PAGE), 0x22, PAGE);
	p.size = 0;
	command_copy(&p, IN_APERTURE(PAGE), IN_VRAM(PART), PAGE);
	command_copy(&p, IN_APERTURE(0), IN_VRAM(PART + PAGE), 3 * PAGE);
	runner_submit(&r, &p, 1);
	while (!host->memory.working)
		memory_host_run(&host->memory);
	memset(host->memory.vram, 0x33, 32 * PAGE);
	p.size = 0;
	for (i = 0; i < 20; i++)
		packet_transfer(&p, 1, 0, 2, (8 + i) * PAGE, PAGE);
	host_submit(host, &p, 3);
	host_run(host);
	for (i = 0; i < PAGE; i++)
		good &= host->memory.vram[PART + i] == 0x11 &&
			host->memory.vram[PART + PAGE + i] == 0x22 &&
			host->memory.vram[PART + 2 * PAGE + i] == 0x11;
	ok(good && runner_fence(&r) == 1, "posted: a source is not what others put in its place");
	host_free(host);
}

/* Threads have work of several rings at once; each ends for itself, and all at a reset. */
static void test_works(void)
{
	struct host *host = host_with(3, 0, 0);
	struct runner r[4];
	unsigned int i;

	host->memory.work_least = PAGE;
	host->memory.work_slices = 1000;
	for (i = 1; i <= 3; i++) {
		runner_start(&r[i], host, i);
		queue_fill(&r[i], 1);
		ring_doorbell(&r[i]);
	}
	memory_host_run(&host->memory);
	is(host->memory.working, 3, "works: of three rings at once");
	runner_set_reg(&r[2], 0x14, 0);
	ok(host->memory.working == 2 && is_filled(&r[2]), "works: that of a ring that is stopped");
	quire_engine_settle(&host->memory.engine);
	ok(!host->memory.working && is_filled(&r[1]) && is_filled(&r[3]), "works: all are settled");
	host_run(host);
	ok(runner_fence(&r[1]) == 1 && runner_fence(&r[3]) == 1 && !runner_fence(&r[2]),
	   "works: the others complete");
	for (i = 1; i <= 3; i++) {
		runner_start(&r[i], host, i);
		queue_fill(&r[i], 2);
		ring_doorbell(&r[i]);
	}
	memory_host_run(&host->memory);
	is(host->memory.working, 3, "works: again");
	host_set_reg(host, 0x30, 1);
	ok(!host->memory.working && !host->memory.mapped, "works: a reset waits for all");
	host_free(host);
}

int main(void)
{
	test_count();
	test_all();
	test_paging_refuses();
	test_inject();
	test_slice();
	test_turns();
	test_paging_first();
	test_release();
	test_same_page();
	test_fill_pieces();
	test_posted_source();
	test_works();
	return tap_done();
}
