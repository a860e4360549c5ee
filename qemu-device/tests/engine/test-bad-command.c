// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: commands that the engine refuses, each field of each of them. Nothing of
 * a bad command is executed, nothing after it, and its ring alone stops.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "runner.h"
#include "tap.h"

#define VRAM		(64 * PAGE)
#define APERTURE	(16 * PAGE)
#define MAPPED		(8 * PAGE)	/* of the aperture */
#define PACKET		(~0ull)		/* the fault tells the DMA address of the packet */
#define FENCE		0x500000001ull

/**
 * struct bad - a command and what becomes of it
 * @name: for the test point
 * @code: QUIRE_FAULT_*
 * @addr: what FAULT_ADDR says
 * @build: makes the command
 */
struct bad {
	const char *name;
	uint32_t code;
	uint64_t addr;
	void (*build)(struct packets *p);
};

#define BAD(name, code, addr, ...) \
	static void build_##name(struct packets *p) { __VA_ARGS__; }
#include "bad-commands.h"
#undef BAD

#define BAD(name, code, addr, ...) \
	{ #name, QUIRE_FAULT_##code, addr, build_##name },
static const struct bad bad[] = {
#include "bad-commands.h"
};

#undef BAD

static struct host *faults_host(struct runner *r, struct runner *other)
{
	struct host *host = host_new(VRAM, APERTURE, 0, 0);
	static struct packets p;

	test_seed(5);
	test_scramble(host->memory.vram, VRAM);
	test_scramble(host_ram(host, RAM_BASE, MAPPED), MAPPED);
	host_ring_setup(host, 4);
	host_ring_enable(host);
	p.size = 0;
	packet_map(&p, 0, MAPPED / PAGE, 0);
	packet_run(&p, RAM_BASE, MAPPED / PAGE);
	packet_end(&p);
	/* aperture pages whose memory is no memory, or only to be read */
	packet_map(&p, 8, 2, 0);
	packet_run(&p, HOLE, 1);
	packet_run(&p, ROM_BASE, 1);
	packet_end(&p);
	packet_map(&p, 10, 1, 1);
	packet_run(&p, ROM_BASE, 1);
	packet_end(&p);
	host_submit(host, &p, 1);
	host_run(host);
	runner_start(r, host, 1);
	runner_start(other, host, 2);
	host_set_reg(host, 0x38, 3);
	return host;
}

static uint64_t sum(struct host *host)
{
	const uint8_t *ram = host_ram(host, RAM_BASE, MAPPED);
	uint64_t value = 1, i;

	for (i = 0; i < VRAM; i++)
		value = value * 31 + host->memory.vram[i];
	for (i = 0; i < MAPPED; i++)
		value = value * 31 + ram[i];
	return value;
}

static bool latched(const struct runner *r, uint32_t code, uint32_t offset, uint32_t header,
		    uint64_t addr)
{
	bool good = runner_reg(r, 0x24) == code && runner_reg(r, 0x28) == offset &&
		    runner_reg(r, 0x2c) == header && runner_reg64(r, 0x30) == addr &&
		    runner_reg64(r, 0x38) == FENCE &&
		    runner_reg(r, 0x18) == QUIRE_RING_STATUS_FAULT &&
		    r->host->memory.interrupts[QUIRE_VECTOR_FAULT] == 1 &&
		    r->host->memory.errors == 1;

	if (!good)
		printf("#   code %u (%u) offset 0x%x (0x%x) header 0x%x (0x%x) addr 0x%" PRIx64
		       " (0x%" PRIx64 ") errors %u\n", runner_reg(r, 0x24), code,
		       runner_reg(r, 0x28), offset, runner_reg(r, 0x2c), header,
		       runner_reg64(r, 0x30), addr, r->host->memory.errors);
	return good;
}

/* Do both other rings work, and this one after a restart? */
static bool live(struct runner *r, struct runner *other)
{
	struct host *host = r->host;
	static struct packets p;

	p.size = 0;
	command_write_value(&p, IN_VRAM(0), 3);
	runner_submit(other, &p, 3);
	p.size = 0;
	packet_physical(&p, QUIRE_OP_WRITE_PHYSICAL, 1, 8, 8, 4);
	host_submit(host, &p, 4);
	if (!host_run(host) || runner_fence(other) != 3 || host_get64(host, FENCE_PAGE) != 4)
		return false;
	runner_start(r, host, r->ring);
	p.size = 0;
	command_write_value(&p, IN_VRAM(16), 5);
	runner_submit(r, &p, 5);
	return host_run(host) && runner_fence(r) == 5 && !runner_reg(r, 0x24);
}

static void test_bad(const struct bad *bad)
{
	struct runner r, other;
	struct host *host = faults_host(&r, &other);
	static struct packets p;
	uint32_t offset, header;
	uint64_t before, addr;

	p.size = 0;
	command_nop(&p, 3);
	offset = p.size;
	p.start = p.size;
	bad->build(&p);
	memcpy(&header, p.bytes + offset, 4);
	command_fill(&p, IN_VRAM(0), VRAM, 0xbadbad);
	before = sum(host);
	addr = runner_submit(&r, &p, FENCE) + offset;
	host_run(host);
	ok(latched(&r, bad->code, offset, header, bad->addr == PACKET ? addr : bad->addr),
	   "%s: latched", bad->name);
	ok(sum(host) == before && !host_reg(host, QUIRE_REG_POSTED) && !runner_fence(&r),
	   "%s: nothing changed", bad->name);
	ok(live(&r, &other), "%s: others go on, and the ring after a restart", bad->name);
	host_free(host);
}

/* A field of a good command, each bit of it in turn: what is accepted ends, inside of memory. */
static void test_bits(const char *name, void (*build)(struct packets *p), uint32_t size,
		      unsigned int least)
{
	static struct packets p;
	struct runner r, other;
	struct host *host = faults_host(&r, &other);
	unsigned int bit, refused = 0;
	bool ends = true;

	host->memory.step = 1ull << 60;
	for (bit = 0; bit < size * 8; bit++) {
		p.size = 0;
		build(&p);
		if (p.size != size)
			abort();
		p.bytes[bit / 8] ^= 1u << bit % 8;
		runner_start(&r, host, 1);
		runner_submit(&r, &p, 1);
		/* one that waits may do so for ever */
		for (unsigned int slices = 0; slices < 1000; slices++)
			if (!memory_host_run(&host->memory))
				break;
		refused += runner_reg(&r, 0x24) != 0;
		ends &= runner_reg(&r, 0x24) || runner_fence(&r) == 1 ||
			runner_ring(&r)->started;
	}
	ok(ends, "bits of %s: each one is executed or refused", name);
	ok(refused >= least, "bits of %s: %u of %u refused", name, refused, size * 8);
	host_free(host);
}

static void build_copy(struct packets *p)
{
	command_copy(p, IN_VRAM(PAGE), IN_APERTURE(PAGE), PAGE);
}

static void build_fill(struct packets *p)
{
	command_fill(p, IN_APERTURE(PAGE), PAGE, 7);
}

static void build_2d(struct packets *p)
{
	command_2d(p, 0x23, &tiled_area, &aperture_area, 2, &place);
}

static void build_blend(struct packets *p)
{
	command_2d(p, 0x24, &aperture_area, &tiled_area, 2, &place);
}

static void build_arithmetic(struct packets *p)
{
	command_arithmetic(p, 1, IN_VRAM(PAGE), IN_APERTURE(PAGE), PAGE);
}

static void build_checksum(struct packets *p)
{
	command_checksum(p, IN_VRAM(PAGE), IN_APERTURE(PAGE), PAGE);
}

static void build_compare(struct packets *p)
{
	command_compare(p, IN_VRAM(PAGE), IN_APERTURE(PAGE), IN_APERTURE(0), PAGE);
}

static void build_write(struct packets *p)
{
	command_write_value(p, IN_APERTURE(8), 1);
}

static void build_wait(struct packets *p)
{
	command_wait_value(p, 2, IN_APERTURE(8), 0);
}

static void build_native(struct packets *p)
{
	command_signal_native(p, 5, 1);
}

static void build_delay(struct packets *p)
{
	command_delay(p, 1);
}

int main(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		test_bad(&bad[i]);
	test_bits("a copy", build_copy, 32, 200);
	test_bits("a fill", build_fill, 32, 150);
	test_bits("a 2D copy", build_2d, 104, 300);
	test_bits("a blend", build_blend, 104, 300);
	test_bits("arithmetic", build_arithmetic, 32, 200);
	test_bits("a checksum", build_checksum, 32, 200);
	test_bits("a comparison", build_compare, 40, 250);
	test_bits("a write", build_write, 24, 110);
	test_bits("a wait", build_wait, 24, 110);
	test_bits("a delay", build_delay, 16, 60);
	test_bits("a signal", build_native, 24, 192);
	return tap_done();
}
