// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: the write buffer. What went through entries of the aperture that
 * are not coherent is not in memory until it is flushed, or other bytes take its
 * place; the device itself sees it at once.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image.h"
#include "tap.h"

#define VRAM		MIB
#define APERTURE	MIB
#define MAX		0x10000u	/* bytes in the buffer */

/* Offsets in the aperture: the first pages of RAM, once more coherently, and as a dummy. */
#define POSTED		0ull
#define COHERENT	(128 * PAGE)
#define DUMMY		(255 * PAGE)
#define PAGES		100u
#define DUMMY_PAGE	(RAM_BASE + 200 * PAGE)

static struct packets p;
static uint64_t work_least;

static uint32_t posted(struct host *host)
{
	return host_reg(host, 0xa0);
}

/* Run what is in @p; the fence says that it is done. */
static bool finish(struct host *host)
{
	static uint64_t fence;
	bool done;

	host_submit(host, &p, ++fence);
	done = host_run(host) && host_get64(host, FENCE_PAGE) == fence;
	p.size = 0;
	return done;
}

static struct host *start(uint64_t slice_bytes)
{
	struct host *host = host_new(VRAM, APERTURE, slice_bytes ? 1 : 0, slice_bytes);

	host->memory.work_least = work_least;
	host->memory.work_slices = 1;
	test_scramble(host->memory.vram, VRAM);
	host_ring_setup(host, 4);
	host_ring_enable(host);
	p.size = 0;
	packet_map(&p, POSTED / PAGE, PAGES, 0);
	packet_run(&p, RAM_BASE, PAGES);
	packet_end(&p);
	packet_map(&p, COHERENT / PAGE, PAGES, 1);
	packet_run(&p, RAM_BASE, PAGES);
	packet_end(&p);
	packet_unmap(&p, DUMMY / PAGE, 1, DUMMY_PAGE);
	return host;
}

static void to_aperture(uint64_t from, uint64_t to, uint64_t size)
{
	packet_transfer(&p, 1, from, 2, to, size);
}

static void flush(void)
{
	packet_physical(&p, 4, 1, 0, 1, 0);
}

/* Does memory have what VRAM has? */
static bool has(struct host *host, uint64_t ram, uint64_t vram, uint64_t size)
{
	return !memcmp(host_ram(host, RAM_BASE + ram, size), host->memory.vram + vram, size);
}

/* Memory is zero where nothing was ever written. */
static bool is_old(struct host *host, uint64_t ram, uint64_t size)
{
	const uint8_t *bytes = host_ram(host, RAM_BASE + ram, size);

	return !bytes[0] && !memcmp(bytes, bytes + 1, size - 1);
}

/* Each of the two operations flushes, wherever its address is. */
static void test_flush(uint16_t opcode, uint32_t segment, uint64_t address)
{
	struct host *host = start(0);

	to_aperture(77, POSTED + 5, 100);
	ok(finish(host) && is_old(host, 0, 2 * PAGE), "flush: the fence came, the bytes did not");
	is(posted(host), 100, "flush: they are in the buffer");
	packet_physical(&p, opcode, segment, address, 4, 0);
	ok(finish(host) && has(host, 5, 77, 100), "flush: by operation %u in segment %u", opcode,
	   segment);
	is(posted(host), 0, "flush: the buffer is empty");
	ok(is_old(host, 0, 5) && is_old(host, 105, PAGE), "flush: and no byte more is written");
	host_free(host);
}

static void test_flushes(void)
{
	uint16_t opcode;

	for (opcode = 4; opcode <= 5; opcode++) {
		test_flush(opcode, 0, RAM_BASE + 50 * PAGE);
		test_flush(opcode, 1, VRAM - 4);
		test_flush(opcode, 2, POSTED + 50 * PAGE);
		test_flush(opcode, 2, COHERENT + 50 * PAGE);
	}
}

/* What does not stay: a physical write, and what goes through other entries. */
static void test_straight(void)
{
	struct host *host = start(0);

	packet_physical(&p, 5, 2, POSTED + 7, 4, 0x01010101);
	ok(finish(host) && host_get32(host, RAM_BASE + 7) == 0x01010101,
	   "straight: a physical write");
	to_aperture(0, COHERENT + PAGE, PAGE);
	ok(finish(host) && has(host, PAGE, 0, PAGE), "straight: a coherent entry");
	to_aperture(0, DUMMY, PAGE);
	ok(finish(host) && has(host, DUMMY_PAGE - RAM_BASE, 0, PAGE), "straight: a dummy page");
	packet_transfer(&p, 1, 0, 0, 0, PAGE);
	packet_run(&p, RAM_BASE + 9 * PAGE, 1);
	packet_end(&p);
	ok(finish(host) && has(host, 9 * PAGE, 0, PAGE), "straight: system memory");
	is(posted(host), 0, "straight: nothing is in the buffer");
	host_free(host);
}

/* The device reads @size bytes at @offset of the first three pages, through whatever. */
static void read_back(struct host *host, uint32_t segment, uint64_t base, uint64_t offset,
		      uint64_t size, const uint8_t *expected)
{
	uint64_t at = VRAM / 2;

	packet_transfer(&p, segment, segment ? base + offset : 0, 1, at,
			segment ? size : offset + size);
	if (!segment) {
		packet_run(&p, RAM_BASE, (offset + size + PAGE - 1) / PAGE);
		at += offset;
	}
	packet_end(&p);
	ok(finish(host) && !memcmp(host->memory.vram + at, expected + offset, size),
	   "reads: %llu bytes at %llu in segment %u, base %llu", (unsigned long long)size,
	   (unsigned long long)offset, segment, (unsigned long long)base);
}

/* The end of a page, a whole page, and the start of one; the CPU writes beside them. */
static void test_reads(uint64_t slice_bytes)
{
	static const struct { uint64_t offset, size; } parts[] = {
		{ 0, 3 * PAGE }, { 1, 3 * PAGE - 2 }, { 2000, 1 }, { 1999, 3 }, { 1990, 10 },
		{ 2 * PAGE + 90, 20 }, { PAGE, PAGE }, { 2 * PAGE + 100, 100 },
	};
	uint64_t first = 2000, size = 2 * PAGE + 100 - first;
	uint8_t *expected = memory_host_alloc(3 * PAGE);
	struct host *host = start(slice_bytes);
	unsigned int i;

	memset(host_ram(host, RAM_BASE, 3 * PAGE), 0xc5, 3 * PAGE);
	memset(expected, 0x3a, 3 * PAGE);
	memcpy(expected + first, host->memory.vram + 77, size);
	to_aperture(77, POSTED + first, size);
	finish(host);
	memset(host_ram(host, RAM_BASE, 3 * PAGE), 0x3a, 3 * PAGE);
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		read_back(host, 0, 0, parts[i].offset, parts[i].size, expected);
		read_back(host, 2, POSTED, parts[i].offset, parts[i].size, expected);
		read_back(host, 2, COHERENT, parts[i].offset, parts[i].size, expected);
	}
	is(posted(host), size, "reads: all of it is still in the buffer");
	memset(expected, 0x3a, 3 * PAGE);
	ok(!memcmp(host_ram(host, RAM_BASE, 3 * PAGE), expected, 3 * PAGE),
	   "reads: nothing of it is in memory");
	flush();
	finish(host);
	memcpy(expected + first, host->memory.vram + 77, size);
	ok(!memcmp(host_ram(host, RAM_BASE, 3 * PAGE), expected, 3 * PAGE),
	   "reads: then all, and what the CPU wrote beside it");
	free(expected);
	host_free(host);
}

/* Two writes to one page: over each other, side by side, or apart. */
static void test_again(uint64_t first, uint64_t second, uint64_t size, uint32_t held)
{
	bool apart = first + size < second || second + size < first;
	struct host *host = start(0);
	uint64_t left = second - first;

	to_aperture(0, POSTED + first, size);
	to_aperture(PAGE, POSTED + second, size);
	ok(finish(host) && posted(host) == held, "again: %llu, then %llu, %u held",
	   (unsigned long long)first, (unsigned long long)second, held);
	ok(apart ? has(host, first, 0, size) : is_old(host, 0, PAGE),
	   "again: the first is %s memory", apart ? "in" : "not in");
	ok(is_old(host, second, size), "again: the second is not in memory");
	flush();
	ok(finish(host) && has(host, second, PAGE, size), "again: then it is, over the first");
	if (left && left < size)
		ok(has(host, first, 0, left), "again: and what is left of the first");
	host_free(host);
}

/* A page more than there is room for: the oldest makes room. */
static void test_room(void)
{
	struct host *host = start(0);
	unsigned int i;

	for (i = 0; i < 16; i++)
		to_aperture(i * PAGE, POSTED + (i * 7 % 16) * PAGE, 8);
	ok(finish(host) && posted(host) == 16 * 8, "room: for 16 pages");
	for (i = 0; i < 16; i++) {
		ok(is_old(host, (i * 7 % 16) * PAGE, 8), "room: page %u is in the buffer", i);
		to_aperture(0, POSTED + (20 + i) * PAGE, 8);
		ok(finish(host) && has(host, (i * 7 % 16) * PAGE, i * PAGE, 8),
		   "room: until page %u more comes", i);
	}
	is(posted(host), 16 * 8, "room: no more at a time");
	host_free(host);
}

/* Places are taken by turns: one that has become free waits for its own. */
static void test_turns(void)
{
	struct host *host = start(0);
	unsigned int i;

	for (i = 0; i < 16; i++)
		to_aperture(i * PAGE, POSTED + i * PAGE, 8);
	to_aperture(0, COHERENT + 5 * PAGE, 8);
	ok(finish(host) && posted(host) == 15 * 8, "turns: page 5 has given way");
	for (i = 0; i < 5; i++)
		to_aperture(0, POSTED + (20 + i) * PAGE, 8);
	ok(finish(host) && posted(host) == 15 * 8 && has(host, 4 * PAGE, 4 * PAGE, 8) &&
	   is_old(host, 6 * PAGE, 8), "turns: pages 0 to 4 have made room");
	to_aperture(0, POSTED + 30 * PAGE, 8);
	ok(finish(host) && posted(host) == 16 * 8 && is_old(host, 6 * PAGE, 8),
	   "turns: then its place is taken");
	host_free(host);
}

/* The first page of memory is one like others, and not what a place without bytes has. */
static void test_first_page(void)
{
	struct host *host = start(0);
	uint8_t *bytes = host->memory.regions[1].bytes;

	host->memory.regions[1] = (struct memory_region){ 0, ROM_SIZE, bytes, false };
	packet_map(&p, 1, 1, 0);
	packet_run(&p, 0, 1);
	packet_end(&p);
	to_aperture(0, POSTED, 8);
	to_aperture(0, PAGE + 100, 8);
	to_aperture(0, COHERENT, 8);
	ok(finish(host) && posted(host) == 8, "first page: the other one has given way");
	to_aperture(8, PAGE + 108, 8);
	to_aperture(0, POSTED + 2 * PAGE, 8);
	ok(finish(host) && posted(host) == 24 && !bytes[100], "first page: one run of bytes");
	flush();
	ok(finish(host) && !memcmp(bytes + 100, host->memory.vram, 16), "first page: flushed");
	host_free(host);
}

/* The last page of memory, behind which there is no address. */
static void test_last_page(void)
{
	const uint64_t last = TOP_BASE + TOP_SIZE - PAGE;
	struct host *host = start(0);

	packet_map(&p, 1, 1, 0);
	packet_run(&p, last, 1);
	packet_end(&p);
	to_aperture(0, PAGE + 100, 8);
	packet_transfer(&p, 1, PAGE, 0, 0, PAGE);
	packet_run(&p, last, 1);
	packet_end(&p);
	ok(finish(host) && !posted(host), "last page: what is written past it comes after it");
	flush();
	ok(finish(host) && !memcmp(host_ram(host, last, PAGE), host->memory.vram + PAGE, PAGE),
	   "last page: the newer bytes stay");
	host_free(host);
}

/* Of a long copy the end stays. */
static void test_long(uint64_t slice_bytes)
{
	struct host *host = start(slice_bytes);
	uint64_t size = 50 * PAGE + 123, straight = size - MAX;

	host->memory.granule = slice_bytes ? 1000 : 0;
	to_aperture(7, POSTED + 99, PAGE);
	to_aperture(7, POSTED + 99, size);
	ok(finish(host) && has(host, 99, 7, straight),
	   "long: its start is in memory, slices of %llu", (unsigned long long)slice_bytes);
	ok(!work_least || slice_bytes || host->memory.works, "long: and is left to another thread");
	/* 17 pages have a part of the end, and 16 have room. */
	ok(posted(host) > MAX - PAGE && posted(host) <= MAX &&
	   is_old(host, 99 + size - posted(host), posted(host)), "long: its end is not");
	flush();
	ok(finish(host) && has(host, 99, 7, size) && is_old(host, 99 + size, PAGE),
	   "long: then all of it");
	host_free(host);
}

/* Of a copy from its end it is the start that stays. */
static void test_long_backward(uint64_t slice_bytes)
{
	struct host *host = start(slice_bytes);
	uint8_t *before = memory_host_alloc(60 * PAGE), *ram = host_ram(host, RAM_BASE, 60 * PAGE);
	uint64_t size = 50 * PAGE, held;

	test_scramble(ram, 60 * PAGE);
	memcpy(before, ram, 60 * PAGE);
	packet_transfer(&p, 2, POSTED, 2, POSTED + 2 * PAGE, size);
	ok(finish(host) && posted(host) == MAX, "backward: as much as there is room for");
	held = MAX;
	ok(!memcmp(ram + 2 * PAGE, before + 2 * PAGE, held) &&
	   !memcmp(ram + 2 * PAGE + held, before + held, size - held),
	   "backward: its end is in memory, slices of %llu", (unsigned long long)slice_bytes);
	flush();
	ok(finish(host) && !memcmp(ram + 2 * PAGE, before, size) && !memcmp(ram, before, 2 * PAGE),
	   "backward: then all of it");
	free(before);
	host_free(host);
}

/* Something is written past the buffer over what is there: the newer bytes last. */
static void test_over(const char *what, void (*write)(void), uint64_t at, uint64_t size)
{
	struct host *host = start(0);

	to_aperture(0, POSTED, PAGE);
	to_aperture(0, POSTED + 60 * PAGE, 8);
	finish(host);
	write();
	ok(finish(host) && has(host, at, VRAM / 2, size), "over, %s: it is in memory", what);
	ok(has(host, 0, 0, at) && has(host, at + size, at + size, PAGE - at - size),
	   "over, %s: so is what it lies in", what);
	is(posted(host), 8, "over, that is out of the buffer, and nothing else");
	packet_transfer(&p, 2, POSTED, 1, 8 * PAGE, PAGE);
	flush();
	ok(finish(host) && !memcmp(host->memory.vram + 8 * PAGE + at, host->memory.vram + VRAM / 2,
				   size), "over, %s: the device reads it", what);
	ok(has(host, at, VRAM / 2, size), "over, %s: the flush leaves it", what);
	host_free(host);
}

static void write_system(void)
{
	packet_transfer(&p, 1, VRAM / 2 - 1000, 0, 0, PAGE);
	packet_run(&p, RAM_BASE + 99 * PAGE, 1);
	packet_end(&p);
	packet_transfer(&p, 1, VRAM / 2, 0, 0, 100);
	packet_run(&p, RAM_BASE, 1);
	packet_end(&p);
}

static void write_coherent(void)
{
	to_aperture(VRAM / 2, COHERENT + PAGE - 1, 1);
}

/* The bytes before the last 64 KiB of a copy. */
static void write_long(void)
{
	packet_map(&p, 100, 17, 0);
	packet_run(&p, RAM_BASE, 1);
	packet_run(&p, DUMMY_PAGE + PAGE, 16);
	packet_end(&p);
	to_aperture(VRAM / 2, 100 * PAGE + 1000, MAX + PAGE - 1000);
	to_aperture(0, POSTED + 60 * PAGE, 8);
	packet_physical(&p, 5, 2, POSTED + 61 * PAGE, 1, 0);
	to_aperture(0, POSTED + 60 * PAGE, 8);
}

static void write_signal(void)
{
	packet_physical(&p, 5, 1, VRAM / 2, 8, 0x1122334455667788);
	to_aperture(0, POSTED, PAGE);
	to_aperture(0, POSTED + 60 * PAGE, 8);
	packet_signal(&p, RAM_BASE + 64, 0x1122334455667788);
}

/* The same, of all of a page and of a byte more than what is there, at each end. */
static void test_around(uint64_t before, uint64_t after)
{
	struct host *host = start(0);

	to_aperture(0, POSTED + 100, 50);
	to_aperture(VRAM / 2, COHERENT + 100 - before, before + 50 + after);
	ok(finish(host) && !posted(host), "around: %llu before, %llu after",
	   (unsigned long long)before, (unsigned long long)after);
	flush();
	ok(finish(host) && has(host, 100 - before, VRAM / 2, before + 50 + after),
	   "around: the newer bytes stay");
	host_free(host);
}

/* Side by side is not over it. */
static void test_beside(void)
{
	struct host *host = start(0);

	to_aperture(0, POSTED + 100, 50);
	to_aperture(VRAM / 2, COHERENT, 100);
	to_aperture(VRAM / 2 + 150, COHERENT + 150, PAGE);
	ok(finish(host) && posted(host) == 50, "beside: what is there stays there");
	host_free(host);
}

/* A transfer that converts reads what is there, and writes past it. */
static void test_converted(void)
{
	struct host *host = start(0);
	uint8_t page[4096], *ram = host_ram(host, RAM_BASE, PAGE);

	to_aperture(VRAM / 2, POSTED, PAGE);
	packet_image(&p, 1, 0, 1);
	ok(finish(host) && is_old(host, 0, PAGE), "converted: what is posted is read");
	packet_image(&p, 2, 2, 1);
	ok(finish(host) && has(host, 0, VRAM / 2, PAGE), "converted: and comes back");
	is(posted(host), 0, "converted: straight to memory");
	to_aperture(0, POSTED, PAGE);
	packet_image(&p, 2, 0, 1);
	finish(host);
	memcpy(page, ram, PAGE);
	flush();
	ok(finish(host) && !memcmp(page, ram, PAGE), "converted: over what was posted before");
	host_free(host);
}

static void test_overs(void)
{
	test_converted();
	test_around(1, 0);
	test_around(0, 1);
	test_around(100, PAGE);
	test_beside();
	test_over("system", write_system, 0, 100);
	test_over("coherent", write_coherent, PAGE - 1, 1);
	test_over("long", write_long, 1000, PAGE - 1000);
	test_over("signal", write_signal, 64, 8);
}

/* One copy through entries of all kinds. */
static void test_mixed(uint64_t slice_bytes)
{
	struct host *host = start(slice_bytes);
	unsigned int i;

	for (i = 0; i < 8; i++) {
		packet_map(&p, i, 1, i & 1);
		packet_run(&p, RAM_BASE + i * PAGE, 1);
		packet_end(&p);
	}
	to_aperture(3, POSTED + 10, 8 * PAGE - 20);
	ok(finish(host) && posted(host) == 4 * PAGE - 10, "mixed: half of it is in the buffer");
	for (i = 0; i < 8; i += 2)
		ok(is_old(host, i * PAGE, PAGE) && has(host, (i + 1) * PAGE, (i + 1) * PAGE - 7,
						       i < 6 ? PAGE : PAGE - 10),
		   "mixed: page %u is, page %u is not", i, i + 1);
	flush();
	ok(finish(host) && has(host, 10, 3, 8 * PAGE - 20), "mixed: then all is in memory");
	host_free(host);
}

/* A page that is unmapped, and used for something else, before the flush. */
static void test_late(void)
{
	struct host *host = start(0);

	to_aperture(0, POSTED, PAGE);
	packet_unmap(&p, POSTED / PAGE, 1, DUMMY_PAGE);
	packet_map(&p, POSTED / PAGE, 1, 1);
	packet_run(&p, RAM_BASE + PAGE, 1);
	packet_end(&p);
	ok(finish(host) && is_old(host, 0, PAGE), "late: to map anew is no flush");
	memset(host_ram(host, RAM_BASE, PAGE), 0x77, PAGE);
	flush();
	ok(finish(host) && has(host, 0, 0, PAGE), "late: it comes over what the page has then");
	host_free(host);
}

/* Memory that is gone when the bytes come. */
static void test_lost(void)
{
	struct host *host = start(0);
	unsigned int errors;

	host->memory.regions[1].read_only = false;
	packet_map(&p, 0, 1, 0);
	packet_run(&p, ROM_BASE, 1);
	packet_end(&p);
	to_aperture(0, 0, PAGE);
	finish(host);
	host->memory.regions[1].read_only = true;
	errors = host->memory.errors;
	flush();
	ok(finish(host) && !host_ring_reg(host, 0x24), "lost: no fault");
	is(host->memory.errors, errors + 1, "lost: a line in the log");
	is(posted(host), 0, "lost: the buffer is empty");
	host_free(host);
}

/* No memory is a fault at once, and what stands before it is done. */
static void test_fault(uint64_t source, uint64_t destination, const char *what)
{
	struct host *host = start(0);

	packet_map(&p, 0, 2, 0);
	packet_run(&p, RAM_BASE + 10 * PAGE, 1);
	packet_run(&p, destination, 1);
	packet_end(&p);
	packet_transfer(&p, 0, 0, 2, 0, 2 * PAGE);
	packet_run(&p, RAM_BASE + 12 * PAGE, 1);
	packet_run(&p, source, 1);
	packet_end(&p);
	finish(host);
	is(host_ring_reg(host, 0x24), QUIRE_FAULT_DMA, what);
	is(host_ring_reg64(host, 0x30), source > destination ? source : destination,
	   "fault: its address");
	is(posted(host), PAGE, "fault: the page before is done");
	host_free(host);
}

/* Bytes that are posted count in a slice as others do. */
static void test_budget(void)
{
	struct host *host = start(1000);

	finish(host);
	host->slices = 0;
	to_aperture(0, POSTED, 8 * PAGE);
	ok(finish(host) && host->slices >= 8 * PAGE / 1000, "budget: eight pages in many slices");
	host_free(host);
}

static void test_kept_and_dropped(void)
{
	struct host *host = start(0);

	to_aperture(0, POSTED, 10);
	finish(host);
	host_ring_restart(host);
	is(posted(host), 10, "kept: by a ring that is disabled");
	to_aperture(0, POSTED + PAGE, 10);
	finish(host);
	is(posted(host), 20, "kept: and enabled");
	host_set_reg(host, 0xa0, 0);
	is(posted(host), 20, "kept: the register is read-only");
	ok(is_old(host, 0, 2 * PAGE), "kept: and not written");
	host_set_reg(host, 0x30, 1);
	is(posted(host), 0, "flushed: by CONTROL.RESET");
	ok(has(host, 0, 0, 10) && has(host, PAGE, 0, 10), "flushed: all of it is in memory");
	host_free(host);

	host = start(0);
	to_aperture(0, POSTED, 10);
	finish(host);
	quire_engine_reset(&host->memory.engine);
	is(posted(host), 0, "dropped: by another reset");
	host_ring_setup(host, 4);
	host_ring_enable(host);
	flush();
	ok(finish(host) && is_old(host, 0, 2 * PAGE), "dropped: nothing comes after it");
	host_free(host);
}

static void test_slices(uint64_t slice_bytes)
{
	test_reads(slice_bytes);
	test_long(slice_bytes);
	test_long_backward(slice_bytes);
	test_mixed(slice_bytes);
}

/* Words that lie aligned in @size bytes of the child: is each 0, or as VRAM has it? */
static bool words_whole(pid_t child, struct host *host, uint64_t skip, uint64_t size,
			unsigned int word, unsigned int *new)
{
	uint64_t at = (skip + word - 1) & -(uint64_t)word;

	for (*new = 0; at + word <= skip + size; at += word) {
		const uint8_t *vram = host->memory.vram + at - skip;
		void *at_host = host_ram(host, RAM_BASE + at, word);
		long value = ptrace(PTRACE_PEEKDATA, child, at_host, NULL);
		uint64_t old = 0;

		if (!memcmp(&value, vram, word))
			++*new;
		else if (memcmp(&value, &old, word))
			return false;
	}
	return true;
}

static void flush_traced(struct host *host)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	raise(SIGSTOP);
	host_set_reg(host, 0x30, 1); /* CONTROL.RESET */
	raise(SIGSTOP);
	_exit(0);
}

/*
 * A flush is looked at after each of its instructions: of a word that lies aligned, as the number
 * of a WRITE_VALUE does, a part is in memory at no time.
 */
static void test_whole(uint64_t skip, uint64_t size, unsigned int word)
{
	struct host *host = start(0);
	unsigned int steps = 0, new, first, words = size / word - 1;
	bool whole = true;
	int status;
	pid_t child;

	to_aperture(0, POSTED + skip, size);
	ok(finish(host) && posted(host) == size, "whole: %u bytes are in the buffer",
	   (unsigned int)size);
	fflush(stdout);
	child = fork();
	if (!child)
		flush_traced(host);
	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) {
		printf("ok %u - whole # SKIP no process may be traced here\n", ++tap_count);
		host_free(host);
		return;
	}
	words_whole(child, host, skip, size, word, &first);
	while (whole && !ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) &&
	       waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
	       WSTOPSIG(status) == SIGTRAP && ++steps)
		whole = words_whole(child, host, skip, size, word, &new);
	ok(whole && !first && new >= words,
	   "whole: words of %u bytes at %u, after each of %u instructions: %u are written", word,
	   (unsigned int)skip, steps, new);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	host_free(host);
}

int main(void)
{
	static const uint64_t slices[] = { 0, 1000, 4096 };
	size_t i;

	test_flushes();
	test_straight();
	test_again(100, 120, 40, 60);
	test_again(100, 140, 40, 80);
	test_again(140, 100, 40, 80);
	test_again(100, 100, 40, 40);
	test_again(100, 141, 40, 40);
	test_again(141, 100, 40, 40);
	test_room();
	test_turns();
	test_first_page();
	test_last_page();
	for (i = 0; i < ARRAY_SIZE(slices); i++)
		test_slices(slices[i]);
	for (work_least = 1; work_least <= 4096; work_least *= 4096) {
		test_slices(0);
		test_slices(1000);
	}
	work_least = 0;
	test_overs();
	test_budget();
	test_late();
	test_lost();
	test_fault(HOLE, RAM_BASE + 11 * PAGE, "fault: the source is no memory");
	test_fault(RAM_BASE + 13 * PAGE, HOLE, "fault: the destination is no memory");
	test_kept_and_dropped();
	test_whole(3, 61, 8);
	test_whole(8, 203, 8);
	test_whole(1, 62, 4);
	test_whole(4, 4, 4);
	return tap_done();
}
