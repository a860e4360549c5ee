// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: copies and fills that another thread does while the engine goes
 * on. The host here does them when it is asked often enough, or has to wait.
 */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "tap.h"

#define VRAM		(16 * MIB)
#define APERTURE	(4 * MIB)
#define LEAST		(64 * 1024ull)
#define PART		(4 * MIB)	/* of what is started at once */

static struct packets p;

static struct host *start(uint64_t slice_looks, uint64_t look_bytes)
{
	struct host *host = host_new(VRAM, APERTURE, slice_looks, look_bytes);

	host->memory.work_least = LEAST;
	host->memory.work_slices = 3;
	host_ring_setup(host, 4);
	host_set_reg(host, 0x38, 3);
	host_ring_enable(host);
	p.size = 0;
	return host;
}

static bool all_bytes(const uint8_t *memory, uint8_t value, uint64_t size)
{
	return memory[0] == value && !memcmp(memory, memory + 1, size - 1);
}

/* Submits @p and runs until something is started. */
static bool run_to_work(struct host *host)
{
	unsigned int slices = 10;

	host_submit(host, &p, 1);
	while (!host->memory.working && slices--)
		memory_host_run(&host->memory);
	return host->memory.working;
}

static void test_wait(void)
{
	struct host *host = start(0, 0);

	packet_fill(&p, 1, PAGE, MIB, 0x07070707);
	ok(run_to_work(host), "wait: a long fill is started");
	ok(!quire_engine_runnable(&host->memory.engine), "wait: nothing to run meanwhile");
	is(host_ring_reg(host, 0x18), QUIRE_RING_STATUS_BUSY, "wait: the ring is busy");
	is(host_ring_reg64(host, 0x40), 0, "wait: no progress yet");
	ok(!host->dirty[PAGE] && !host->memory.vram[PAGE], "wait: nothing is written or dirty");
	host_ring_doorbell(host);
	ok(memory_host_run(&host->memory) && !host->dirty[PAGE], "wait: a doorbell ends nothing");
	host_run(host);
	ok(all_bytes(host->memory.vram + PAGE, 7, MIB), "wait: filled");
	ok(all_bytes(host->dirty + PAGE, 1, MIB) && !host->dirty[PAGE - 1] &&
	   !host->dirty[PAGE + MIB], "wait: dirty, and no more than that");
	is(host_get64(host, FENCE_PAGE), 1, "wait: complete");
	is(host_ring_reg64(host, 0x40), MIB + 1, "wait: progress");
	is(host->memory.works, 1, "wait: in one part");
	host_free(host);
}

/* Parts are short, and what is shorter than worth it is done at once. */
static void test_parts(void)
{
	struct host *host = start(0, 0);
	uint64_t done = 0, now;
	bool good = true;

	packet_fill(&p, 1, 0, 3 * PART + LEAST - 4, 0x01020304);
	host_submit(host, &p, 1);
	while (memory_host_run(&host->memory)) {
		now = host_ring_reg64(host, 0x40);
		good &= now - done <= PART;
		done = now;
	}
	ok(good, "parts: none is longer than 4 MiB");
	is(host->memory.works, 3, "parts: three are started, the rest is not");
	is(host_ring_reg64(host, 0x40), 3 * PART + LEAST - 3, "parts: all is done");
	host_free(host);

	host = start(0, 0);
	packet_transfer(&p, 1, 0, 1, MIB, LEAST - 1);
	packet_transfer(&p, 1, 0, 1, MIB, LEAST);
	host_submit(host, &p, 1);
	host_run(host);
	is(host->memory.works, 1, "parts: a copy that is long enough is started");
	host_free(host);

	host = start(0, 0);
	host->memory.work_least = 0;
	packet_fill(&p, 1, 0, VRAM, 1);
	host_submit(host, &p, 1);
	host_run(host);
	is(host->memory.works, 0, "parts: none is started by a host that wants none");
	is(host_get64(host, FENCE_PAGE), 1, "parts: and it is done");
	host_free(host);
}

static struct host *start_copy(void)
{
	struct host *host = start(0, 0);

	test_scramble(host_ram(host, RAM_BASE, MIB), MIB);
	packet_transfer(&p, 0, 0, 1, MIB, 256 * PAGE);
	packet_run(&p, RAM_BASE, 256);
	packet_end(&p);
	packet_fill(&p, 1, 0, PAGE, 0x03030303);
	ok(run_to_work(host), "copy: started");
	return host;
}

static bool is_copied(struct host *host)
{
	return !memcmp(host->memory.vram + MIB, host_ram(host, RAM_BASE, MIB), MIB) &&
	       all_bytes(host->dirty + MIB, 1, MIB);
}

/* Who stops the ring waits for the part that is being done, and for no more. */
static void test_disable(void)
{
	struct host *host = start_copy();

	host_ring_disable(host);
	ok(!host->memory.working && !host->memory.mapped, "disable: nothing is done after it");
	ok(is_copied(host), "disable: what was being done is whole");
	is(host_ring_reg(host, 0x18), 0, "disable: not busy");
	is(host_ring_reg(host, 0x20), 48, "disable: OFFSET is behind the packet that is done");
	ok(!memory_host_run(&host->memory) && !host->memory.vram[0], "disable: no more");
	host_ring_enable(host);
	p.size = 0;
	packet_fill(&p, 1, 0, MIB, 0x02020202);
	host_submit(host, &p, 2);
	host_run(host);
	ok(all_bytes(host->memory.vram, 2, MIB), "disable: works again");
	host_free(host);
}

static void test_reset(void)
{
	struct host *host = start_copy();

	host_set_reg(host, 0x30, 1);
	ok(!host->memory.working && !host->memory.mapped, "reset: nothing is done after it");
	ok(is_copied(host), "reset: what was being done is whole");
	is(host_ring_reg64(host, 0x40), 0, "reset: progress");
	is(host_ring_reg(host, 0x20), 0, "reset: OFFSET");
	ok(!memory_host_run(&host->memory), "reset: nothing to do");
	host_free(host);

	host = start_copy();
	quire_engine_reset(&host->memory.engine);
	ok(!host->memory.working && is_copied(host), "reset: of the machine");
	host_free(host);

	host = start_copy();
	memory_host_stop(&host->memory);
	ok(!host->memory.working && is_copied(host), "reset: the end of the engine");
	host_free(host);
}

/* As before state is saved: also where a part was the last one of its packet. */
static void test_settle(void)
{
	struct host *host = start_copy();
	const char *why;

	quire_engine_settle(&host->memory.engine);
	ok(!host->memory.working && is_copied(host), "settle: what was being done is whole");
	is(host_ring_reg(host, 0x20), 48, "settle: at the next packet");
	ok(quire_engine_post_load(&host->memory.engine, &why), "settle: a state that loads");
	ok(quire_engine_runnable(&host->memory.engine), "settle: it goes on");
	host_run(host);
	ok(all_bytes(host->memory.vram, 3, PAGE), "settle: to the end");
	is(host_get64(host, FENCE_PAGE), 1, "settle: complete");
	quire_engine_settle(&host->memory.engine);
	ok(!host->memory.working, "settle: when idle");
	host_free(host);

	host = start(0, 0);
	packet_fill(&p, 1, 0, 2 * PART, 0x05050505);
	run_to_work(host);
	quire_engine_settle(&host->memory.engine);
	ok(all_bytes(host->memory.vram, 5, PART) && !host->memory.vram[PART],
	   "settle: within a packet");
	ok(quire_engine_post_load(&host->memory.engine, &why), "settle: a state within one");
	host_run(host);
	ok(all_bytes(host->memory.vram, 5, 2 * PART), "settle: the rest of it");
	host_free(host);
}

/* Found before the fault: done before the fault. */
static void test_fault(void)
{
	struct host *host = start(0, 0);

	host->memory.granule = PAGE;
	test_scramble(host_ram(host, RAM_BASE, MIB), MIB);
	packet_transfer(&p, 0, 0, 1, MIB, 257 * PAGE);
	packet_run(&p, RAM_BASE, 256);
	packet_run(&p, HOLE, 1);
	packet_end(&p);
	ok(run_to_work(host), "fault: what stands before it is started");
	is(host_ring_reg(host, 0x24), 0, "fault: not yet");
	host_run(host);
	ok(is_copied(host), "fault: what stands before it is copied");
	is(host_ring_reg(host, 0x24), QUIRE_FAULT_DMA, "fault: DMA");
	is(host_ring_reg64(host, 0x30), HOLE, "fault: address");
	is(host->memory.mapped, 0, "fault: nothing stays mapped");
	host_free(host);
}

/* Mapping takes time, here a look of the clock each: a slice ends by it. */
static void host_map_slowly(struct memory_host *memory, uint64_t addr)
{
	(void)addr;
	memory->clock += 10;
}

static void test_time(void)
{
	static const struct memory_host_watch slow = { .map = host_map_slowly };
	struct host *host = start(1000, 4 * PAGE);
	bool good = true, more;
	uint64_t clock;

	host->memory.granule = PAGE;
	host->memory.watch = &slow;
	test_scramble(host_ram(host, RAM_BASE, MIB), MIB);
	packet_transfer(&p, 0, 0, 1, MIB, 256 * PAGE);
	packet_run(&p, RAM_BASE, 256);
	packet_end(&p);
	host_submit(host, &p, 1);
	do {
		clock = host->memory.clock;
		more = memory_host_run(&host->memory);
		good &= host->memory.clock - clock < 1000 + 4 * 11 + 2;
		good &= !host->memory.working || host->memory.mapped <= 100 + 4;
	} while (more);
	ok(good, "time: no slice is longer than it may be");
	is(host->memory.works, 3, "time: as many parts as slices");
	ok(!memcmp(host->memory.vram + MIB, host_ram(host, RAM_BASE, MIB), MIB),
	   "time: all is copied");
	host_free(host);
}

/* Blocks that the host can not take back are cleared, as any fill. */
static void test_discard(bool refuse)
{
	struct host *host = start(0, 0);
	uint64_t from = 2 * MIB - 3 * PAGE, size = 6 * MIB + 5 * PAGE;

	host->no_discard = refuse;
	memset(host->memory.vram, 0xaa, VRAM);
	packet_discard(&p, 1, from, size);
	host_submit(host, &p, 1);
	host_run(host);
	ok(all_bytes(host->memory.vram + from, 0, size) && host->memory.vram[from - 1] == 0xaa &&
	   host->memory.vram[from + size] == 0xaa, "discard: zero, and no more than that");
	ok(all_bytes(host->dirty + from, 1, size) && !host->dirty[from - 1] &&
	   !host->dirty[from + size], "discard: dirty");
	is(host->memory.discards, refuse ? 0 : 3, "discard: blocks that are taken back");
	is(host->memory.works, refuse ? 3 : 0, "discard: blocks that are cleared beside");
	is(host_ring_reg64(host, 0x40), size + 1, "discard: progress");
	host_free(host);
}

/* Copied from the end, in several pieces: the last one is the lowest. */
static void test_backward(uint64_t least)
{
	struct host *host = start(0, 0);
	uint64_t from = 5 * PAGE, size = 300 * 1024 + 5;

	host->memory.work_least = least;
	test_scramble(host->memory.vram, MIB);
	packet_transfer(&p, 1, PAGE, 1, from, size);
	host_submit(host, &p, 1);
	host_run(host);
	ok(host->memory.works == !!least, "backward: %s", least ? "beside" : "at once");
	ok(all_bytes(host->dirty + from, 1, size) && !host->dirty[from - 1] &&
	   !host->dirty[from + size], "backward: dirty, and no more than that");
	host_free(host);
}

int main(void)
{
	test_wait();
	test_parts();
	test_disable();
	test_reset();
	test_settle();
	test_fault();
	test_time();
	test_discard(false);
	test_discard(true);
	test_backward(0);
	test_backward(LEAST);
	return tap_done();
}
