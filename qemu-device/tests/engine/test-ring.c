// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: registers, ring mechanics, reset.
 */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "tap.h"

#define VRAM		(2 * MIB)
#define APERTURE	(1 * MIB)

static struct packets p;

static struct host *start(uint64_t slice_looks, uint64_t look_bytes, unsigned int order)
{
	struct host *host = host_new(VRAM, APERTURE, slice_looks, look_bytes);

	host_ring_setup(host, order);
	host_set_reg(host, 0x38, 3);
	host_ring_enable(host);
	p.size = 0;
	return host;
}

static void test_info(void)
{
	struct host *host = host_new(VRAM, APERTURE, 0, 0);

	is(host_reg(host, 0), 0x52495551, "regs: id");
	is(host_reg(host, 4), 0x1000a, "regs: version 1.10");
	is(host_reg(host, 8), 1 + HOST_EXECUTION_RINGS, "regs: rings");
	is(host_reg(host, 12), 256 * 1024, "regs: longest submission");
	is(host_reg64(host, 0x10), VRAM, "regs: VRAM size");
	is(host_reg64(host, 0x18), VRAM, "regs: visible VRAM");
	is(host_reg64(host, 0x20), APERTURE, "regs: aperture size");
	is(host_reg64(host, 0x48), HOST_WINDOW, "regs: window of the aperture");
	is(host_reg(host, 0x54), HOST_TLB, "regs: translations");
	is(host_reg64(host, 0xb8), 0, "regs: walks");
	is(quire_regs_read(&host->memory.engine, 0x10, 8), VRAM, "regs: a pair in one access");
	is(host->memory.errors, 0, "regs: no guest error so far");
	host_free(host);
}

/* Every access of every size: what is no register reads 0 and is reported. */
static void test_every_access(void)
{
	struct host *host = host_new(VRAM, APERTURE, 0, 0);
	bool good = true;
	uint32_t at, size;

	for (at = 0; at < 0x1200; at++) {
		for (size = 1; size <= 8; size *= 2) {
			unsigned int errors = host->memory.errors;

			if (quire_regs_read(&host->memory.engine, at, size) && at % size)
				good = false;
			if ((size < 4 || at % size) && host->memory.errors != errors + 1)
				good = false;
		}
	}
	ok(good, "regs: unaligned and short reads are refused");
	for (at = 0; at < QUIRE_BAR_REGS_SIZE; at++)
		for (size = 1; size <= 8; size *= 2)
			if (at != 0x30)
				memory_host_write(&host->memory, at, size, ~0ull);
	host_run(host);
	is(host_ring_reg(host, 0x24), QUIRE_FAULT_BAD_RING, "regs: all ones everywhere: a fault");
	is(host_reg(host, 0), 0x52495551, "regs: read-only stays");
	is(host_reg64(host, 0x10), VRAM, "regs: read-only pair stays");
	is(host_reg(host, 0x38), 3, "regs: reserved bits do not stick");
	is(host_ring_reg(host, 0x14), 1, "regs: nor in the ring control");
	host_set_reg(host, 0x30, ~0u);
	is(host_reg(host, 0x30), 0, "regs: control reads 0");
	for (at = 0; at < 0x20; at += 4)
		good &= !host_ring_reg(host, at);
	ok(good, "regs: reset after that");
	for (at = QUIRE_BAR_REGS_SIZE; at; at = at * 2) {
		memory_host_write(&host->memory, at, 4, 1);
		quire_regs_read(&host->memory.engine, at, 4);
	}
	ok(!quire_regs_read(&host->memory.engine, ~0ull, 8), "regs: far outside");
	host_free(host);
}

/* A register of 4 bytes has no 8, also where it is aligned for them. */
static void test_long_access(void)
{
	static const uint32_t regs[] = { 0, 8, 0x28, 0x30, 0x38, 0x88, 0x90, 0x1010, 0x1018,
					0x1060 };
	struct host *host = host_new(VRAM, APERTURE, 0, 0);
	unsigned int i;

	host_set_reg(host, 0x38, 1);
	host_set_reg(host, 0x88, 4711);
	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		ok(!quire_regs_read(&host->memory.engine, regs[i], 8),
		   "regs: 8 bytes at 0x%x", regs[i]);
		memory_host_write(&host->memory, regs[i], 8, 3);
	}
	is(host->memory.errors, 2 * ARRAY_SIZE(regs), "regs: reported");
	is(host_reg(host, 0x38), 1, "regs: and nothing changed");
	is(host_reg(host, 0x88), 4711, "regs: nor was the device reset");
	is(host_ring_reg(host, 0x10), 0, "regs: nor the order");
	host_free(host);
}

/* A doorbell is a register like others: 4 or 8 bytes, aligned. */
static void test_doorbell_access(void)
{
	struct host *host = start(0, 0, 4);
	uint32_t at, size, kicks;
	bool good = true;

	host_run(host);
	for (at = 0x10000; at < 0x10010; at++) {
		for (size = 1; size <= 8; size *= 2) {
			kicks = host->memory.kicks;
			memory_host_write(&host->memory, at, size, 1);
			good &= (host->memory.kicks != kicks) == (size >= 4 && !(at % size));
		}
	}
	ok(good, "regs: doorbells that are not aligned, or short, are not heard");
	host_free(host);
}

/* A host that does not want faults on demand. */
static void test_no_injection(void)
{
	struct host *host = start(0, 0, 4);
	struct quire_engine *engine = &host->memory.engine;
	const char *why;
	static const uint32_t regs[] = { 0x1060, 0x1064, 0x88 };
	unsigned int i;

	is(host_reg(host, 0x28), 1, "injection: a cap");
	quire_engine_fini(engine);
	host->memory.config.fault_injection = false;
	ok(quire_engine_init(engine, &host->memory.config, &why), "injection: none");
	is(host_reg(host, 0x28), 0, "injection: no cap");
	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		host_set_reg(host, regs[i], 1);
		is(host_reg(host, regs[i]), 0, "injection: not stored");
	}
	is(host->memory.errors, 3, "injection: reported");
	engine->inject_drop_irq = 1;
	ok(!quire_engine_post_load(engine, &why), "injection: a state with it is refused");
	host_free(host);
}

static void test_locked(void)
{
	struct host *host = start(0, 0, 4);

	host_set_reg64(host, 0x1000, 0);
	host_set_reg64(host, 0x1008, 0);
	host_set_reg(host, 0x1010, 0);
	is(host_ring_reg64(host, 0), ENTRIES, "locked: entries while enabled");
	is(host_ring_reg64(host, 8), FENCE_PAGE, "locked: fence page while enabled");
	is(host_ring_reg(host, 0x10), 4, "locked: order while enabled");
	is(host->memory.errors, 5, "locked: reported");
	host_ring_disable(host);
	memory_host_write(&host->memory, 0x1000, 8, 0xfedcba9876543000);
	is(host_ring_reg64(host, 0), 0xfedcba9876543000, "locked: a pair at once when disabled");
	host_set_reg(host, 0x1004, 7);
	is(host_ring_reg64(host, 0), 0x776543000, "locked: the upper half alone");
	host_set_reg64(host, 0x1000, TOP_BASE + TOP_SIZE - PAGE);
	host_set_reg(host, 0x1010, 7);
	host_ring_enable(host);
	host_run(host);
	is(host_ring_reg(host, 0x24), 0, "locked: entries up to the end of 64 bits");
	host_free(host);
}

/* Many submissions through each size of ring; the pointers wrap 32 bits never. */
static void test_wrap(unsigned int order)
{
	struct host *host = start(3, 4096, order);
	unsigned int size = 1u << order, total = 5 * size + 3, done = 0, n;
	bool good = true;

	while (done < total) {
		for (n = 0; n < size && done < total; n++) {
			p.size = 0;
			packet_signal(&p, RAM_BASE + 8 * (done % 1000), done + 1);
			host_queue(host, &p, ++done, 0);
		}
		host_ring_doorbell(host);
		good &= host_run(host) && host_get64(host, FENCE_PAGE) == done &&
			host_get32(host, FENCE_PAGE + 8) == done &&
			host_ring_reg(host, 0x1c) == done && !host_ring_reg(host, 0x18) &&
			host_get64(host, RAM_BASE + 8 * ((done - 1) % 1000)) == done;
	}
	ok(good, "wrap: %u submissions through %u entries", total, size);
	host_put32(host, FENCE_PAGE + 64, host->wptr + size + 1);
	host_ring_doorbell(host);
	host_run(host);
	is(host_ring_reg(host, 0x24), QUIRE_FAULT_BAD_WPTR, "wrap: one more than the ring holds");
	is(host_ring_reg64(host, 0x30), host->wptr + size + 1, "wrap: the pointer is latched");
	is(host_ring_reg64(host, 0x38), 0, "wrap: the fault is of no submission");
	host_ring_restart(host);
	p.size = 0;
	host_submit(host, &p, 9);
	host_run(host);
	is(host_get64(host, FENCE_PAGE), 9, "wrap: an empty submission completes after that");
	host_put32(host, FENCE_PAGE + 64, 0);
	host_ring_doorbell(host);
	host_run(host);
	is(host_ring_reg(host, 0x24), QUIRE_FAULT_BAD_WPTR, "wrap: backwards");
	host_free(host);
}

/* The free-running pointers cross 32 bits. */
static void test_wrap_32(void)
{
	struct host *host = start(0, 0, 2);
	unsigned int i;

	host_run(host);
	host->memory.engine.ring[0].rptr = 0xfffffffe;
	host->memory.engine.ring[0].wptr = 0xfffffffe;
	host->wptr = 0xfffffffe;
	for (i = 0; i < 4; i++)
		host_queue(host, &p, i + 1, 0);
	host_ring_doorbell(host);
	host_run(host);
	is(host_ring_reg(host, 0x1c), 2, "wrap: read pointer past 32 bits");
	is(host_get64(host, FENCE_PAGE), 4, "wrap: all completed");
	host_free(host);
}

static void test_doorbell(void)
{
	struct host *host = start(0, 0, 4);
	unsigned int kicks;

	host_run(host);
	is(host_ring_reg(host, 0x18), 0, "doorbell: idle");
	host_queue(host, &p, 1, 0);
	is(host_ring_reg(host, 0x18), 0, "doorbell: not looked at without it");
	ok(!memory_host_run(&host->memory) && !host_get64(host, FENCE_PAGE),
	   "doorbell: nor executed");
	kicks = host->memory.kicks;
	host_ring_doorbell(host);
	is(host->memory.kicks, kicks + 1, "doorbell: kicks");
	is(host_ring_reg(host, 0x18), QUIRE_RING_STATUS_BUSY, "doorbell: busy");
	host_run(host);
	is(host_get64(host, FENCE_PAGE), 1, "doorbell: executed");
	host_queue(host, &p, 2, 0);
	memory_host_write(&host->memory, 0x10ff8, 8, 0);
	host_run(host);
	is(host_get64(host, FENCE_PAGE), 2, "doorbell: anywhere in its page, any value");
	host_queue(host, &p, 3, 0);
	memory_host_write(&host->memory, QUIRE_DOORBELL(1 + HOST_EXECUTION_RINGS), 4, 0);
	memory_host_run(&host->memory);
	is(host_get64(host, FENCE_PAGE), 2, "doorbell: not in the page of no ring");
	host_ring_disable(host);
	kicks = host->memory.kicks;
	host_ring_doorbell(host);
	ok(host->memory.kicks == kicks && !quire_engine_runnable(&host->memory.engine),
	   "doorbell: a disabled ring does not hear it");
	host_free(host);
}

/* Packets that hardly move a byte take time, too. */
static void test_budget_packets(void)
{
	struct host *host = start(2, 4 * 4096, 6);
	unsigned int i, done = 0;
	uint64_t now;

	for (i = 0; i < 100; i++)
		packet_physical(&p, 5, 1, 0, 1, i);
	host_submit(host, &p, 1);
	do {
		memory_host_run(&host->memory);
		now = host_ring_reg64(host, 0x48);
		ok(now - done <= 8, "budget: %u packets at most, after %u", 8, done);
		done = now;
	} while (done < 100);
	host_free(host);
}

static void test_budget(void)
{
	struct host *host = start(4, 4096, 6);
	unsigned int i;

	for (i = 0; i < 64; i++)
		host_queue(host, &p, i + 1, 0);
	ok(memory_host_run(&host->memory), "budget: more to do");
	is(host_ring_reg(host, 0x1c), 3, "budget: entries count");
	host_run(host);
	is(host_get64(host, FENCE_PAGE), 64, "budget: all done in the end");
	host_free(host);

	host = start(2, 4096, 6);
	packet_fill(&p, 1, 0, 5 * 4096, 0x01020304);
	host_submit(host, &p, 1);
	ok(memory_host_run(&host->memory) && host->memory.vram[0] == 4 &&
	   !host->memory.vram[2 * 4096],
	   "budget: bytes count");
	is(host_ring_reg(host, 0x18), QUIRE_RING_STATUS_BUSY, "budget: busy in the middle");
	host_ring_disable(host);
	is(host_ring_reg(host, 0x18), 0, "disable: not busy");
	ok(!memory_host_run(&host->memory) && !host->memory.vram[2 * 4096],
	   "disable: stops at once");
	is(host_ring_reg(host, 0x1c), 0, "disable: not completed");
	host_ring_enable(host);
	host_run(host);
	ok(!host->memory.vram[2 * 4096], "disable: the submission is forgotten");
	host_free(host);

	host = start(1, 64, 6);
	p.size = 0;
	packet_signal(&p, RAM_BASE, 1);
	packet_signal(&p, RAM_BASE, 2);
	packet_signal(&p, RAM_BASE, 3);
	host_submit(host, &p, 1);
	ok(memory_host_run(&host->memory) && !host_get64(host, RAM_BASE),
	   "budget: fetching a submission counts");
	host_run(host);
	p.size = 0;
	packet_map(&p, 0, 64, 0);
	packet_run(&p, RAM_BASE, 64);
	packet_end(&p);
	host_submit(host, &p, 2);
	while (!host->memory.engine.aperture[0])
		memory_host_run(&host->memory);
	is(host->memory.engine.aperture[8], 0, "budget: pages to map count");
	host_run(host);
	ok(host->memory.engine.aperture[63], "budget: all mapped in the end");
	host_free(host);
}

static void test_reset(void)
{
	struct host *host = start(3, 4096, 4);
	bool zero = true, kept;
	uint32_t at;

	packet_map(&p, 3, 2, 0);
	packet_run(&p, RAM_BASE, 2);
	packet_end(&p);
	packet_fill(&p, 1, 0, 5 * 4096, 0x01020304);
	host_submit(host, &p, 1);
	memory_host_run(&host->memory);
	host_set_reg(host, 0x1060, 7);
	host_set_reg(host, 0x1064, 7);
	host_set_reg(host, 0x88, 7);
	host_set_reg(host, 0x30, 1);
	ok(!quire_engine_runnable(&host->memory.engine) && !memory_host_run(&host->memory),
	   "reset: no work is left");
	for (at = 0; at < 0x48; at += 4)
		zero &= !host_ring_reg(host, at);
	for (at = 0x34; at < 0x3c; at += 4)
		zero &= !host_reg(host, at);
	kept = host_reg(host, 0x1060) == 7 && host_reg(host, 0x1064) == 7 &&
	       host_reg(host, 0x88) == 7;
	ok(zero, "reset: registers");
	ok(kept, "reset: not faults on demand");
	ok(!host->memory.engine.aperture[3] && !host->memory.engine.aperture[4],
	   "reset: the aperture");
	is(host->memory.vram[0], 4, "reset: not VRAM");
	quire_engine_reset(&host->memory.engine);
	zero &= !host_reg(host, 0x1060) && !host_reg(host, 0x1064) && !host_reg(host, 0x88);
	ok(zero, "reset: of the machine, faults on demand too");
	host_ring_setup(host, 4);
	host_ring_enable(host);
	p.size = 0;
	packet_transfer(&p, 2, 3 * PAGE, 1, 0, 8);
	host_submit(host, &p, 1);
	host_run(host);
	is(host_ring_reg(host, 0x24), QUIRE_FAULT_APERTURE, "reset: aperture pages are invalid");
	quire_engine_reset(&host->memory.engine);
	quire_engine_reset(&host->memory.engine);
	ok(!memory_host_run(&host->memory), "reset: twice");
	host_free(host);
}

static void test_progress(void)
{
	struct host *host = start(2, 1000, 4);
	uint64_t last = 0, now;
	bool rises = true, more;

	packet_transfer(&p, 1, 0, 1, 5000, 20000);
	host_submit(host, &p, 1);
	do {
		more = memory_host_run(&host->memory);
		now = host_ring_reg64(host, 0x40);
		rises &= now > last || !more;
		last = now;
	} while (more);
	ok(rises, "progress: rises with every slice");
	is(last, 20001, "progress: bytes and packets");
	host_ring_restart(host);
	is(host_ring_reg64(host, 0x40), 20001, "progress: stays over a restart");
	host_free(host);
}

/* The longest submission. */
static void test_longest(void)
{
	struct host *host = start(0, 0, 4);
	unsigned int count = 0;

	while (p.size + 24 <= QUIRE_MAX_SUBMISSION)
		packet_signal(&p, RAM_BASE, ++count);
	while (p.size < QUIRE_MAX_SUBMISSION)
		packet_u64(&p, 0);
	host_submit(host, &p, 1);
	host_run(host);
	is(host_get64(host, RAM_BASE), count, "longest: all good packets executed");
	is(host_ring_reg(host, 0x24), QUIRE_MAX_SUBMISSION % 24 ? QUIRE_FAULT_BAD_PACKET : 0,
	   "longest: and what is left over refused");
	is(host_ring_reg(host, 0x28), count * 24, "longest: at its place");
	host_free(host);
}

int main(void)
{
	test_info();
	test_every_access();
	test_long_access();
	test_doorbell_access();
	test_no_injection();
	test_locked();
	test_wrap(0);
	test_wrap(1);
	test_wrap(4);
	test_wrap(12);
	test_wrap_32();
	test_doorbell();
	test_budget();
	test_budget_packets();
	test_reset();
	test_progress();
	test_longest();
	return tap_done();
}
