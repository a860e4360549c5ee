// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: accesses to dummy pages are reported, if the host wants that.
 */
#include <string.h>

#include "image.h"
#include "runner.h"
#include "tap.h"

#define VRAM		(8 * MIB)
#define PAGES		1536u	/* of the aperture: three chunks */
#define APERTURE	(PAGES * PAGE)
#define DUMMY_PAGE	(RAM_BASE + 5 * MIB)

static struct packets p;

static uint64_t dummies(struct host *host)
{
	return host_reg64(host, 0xa8);
}

static uint64_t offset(struct host *host)
{
	return host_reg64(host, 0xb0);
}

static void map(uint64_t first, uint32_t pages)
{
	packet_map(&p, first, pages, 1);
	packet_run(&p, RAM_BASE, pages);
	packet_end(&p);
}

static void unmap(uint64_t first, uint32_t pages)
{
	packet_unmap(&p, first, pages, DUMMY_PAGE);
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

static void restart(struct host *host, bool report)
{
	memory_host_stop(&host->memory);
	host->memory.dummy_page_report = report;
	memory_host_start(&host->memory, APERTURE, 0, 0);
	host_ring_setup(host, 4);
	host_ring_enable(host);
}

/* All of the aperture is mapped, but pages 3, 4 and 10, which were unmapped. */
static struct host *start(bool report)
{
	struct host *host = host_new(VRAM, APERTURE, 0, 0);

	restart(host, report);
	p.size = 0;
	map(0, 512);
	map(512, 512);
	map(1024, 512);
	unmap(3, 2);
	unmap(10, 1);
	finish(host);
	return host;
}

static void test_off(void)
{
	struct host *host = start(false);

	is(host_reg(host, 0x28) & 2, 0, "off: no capability");
	packet_transfer(&p, 2, 3 * PAGE, 1, 0, PAGE);
	ok(finish(host) && !dummies(host) && !offset(host), "off: nothing is reported");
	host_free(host);
}

/* Run it: @count pages were dummies, the first of the last packet at @first. */
static void check(struct host *host, const char *what, uint64_t count, uint64_t first)
{
	static uint64_t last;
	uint64_t before = dummies(host);

	if (!before)
		last = 0;
	last = count ? first : last;
	ok(finish(host), "%s: done", what);
	is(dummies(host) - before, count, what);
	is(offset(host), last, "and where");
}

static void test_packets(void)
{
	struct host *host = start(true);

	is(host_reg(host, 0x28) & 2, 2, "packets: the capability");
	check(host, "to map and unmap is no access", 0, 0);
	packet_transfer(&p, 2, 5 * PAGE, 1, 0, 5 * PAGE);
	packet_transfer(&p, 2, 500 * PAGE, 1, 0, 1000 * PAGE);
	packet_transfer(&p, 1, 0, 2, 11 * PAGE, PAGE);
	packet_transfer(&p, 1, 3 * PAGE, 1, 4 * PAGE, PAGE);
	packet_fill(&p, 1, 3 * PAGE, PAGE, 0);
	packet_discard(&p, 1, 3 * PAGE, PAGE);
	packet_signal(&p, DUMMY_PAGE, 1);
	packet_physical(&p, 5, 0, DUMMY_PAGE, 8, 1);
	packet_physical(&p, 4, 1, 3 * PAGE, 8, 0);
	packet_physical(&p, 4, 2, 2 * PAGE + 4088, 8, 0);
	check(host, "mapped pages, and other segments", 0, 0);
	packet_transfer(&p, 2, 3 * PAGE, 1, 0, 1);
	check(host, "a byte is read", 1, 3 * PAGE);
	packet_transfer(&p, 2, 5 * PAGE - 1, 1, 0, 2);
	check(host, "the last byte", 1, 4 * PAGE);
	packet_transfer(&p, 1, 0, 2, 0, 16 * PAGE);
	check(host, "a copy over a range partly unmapped", 3, 3 * PAGE);
	packet_transfer(&p, 2, 4 * PAGE, 2, 9 * PAGE, 2 * PAGE);
	check(host, "both sides", 2, 10 * PAGE);
	packet_transfer(&p, 2, 3 * PAGE, 0, 0, PAGE);
	packet_run(&p, RAM_BASE, 1);
	packet_end(&p);
	check(host, "to system memory", 1, 3 * PAGE);
	unmap(0, 1);
	packet_image(&p, 2, 2, 1);
	check(host, "a transfer that converts", 1, 0);
	packet_image(&p, 2, 2, 1);
	packet_poke(&p, 24, 8, 2 * PAGE + 2048);
	packet_poke(&p, 32, 8, 7 * 32 * 4);
	packet_poke(&p, 72, 4, 7);
	check(host, "of a narrow rectangle, whose rows are far apart", 1, 3 * PAGE);
	packet_physical(&p, 4, 2, 10 * PAGE + 8, 8, 0);
	check(host, "a physical read", 1, 10 * PAGE);
	packet_physical(&p, 5, 2, 4 * PAGE + 8, 8, 1);
	check(host, "a physical write", 1, 4 * PAGE);
	packet_map(&p, 3, 1, 1);
	packet_run(&p, DUMMY_PAGE, 1);
	packet_end(&p);
	packet_transfer(&p, 2, 3 * PAGE, 1, 0, PAGE);
	check(host, "the same page, mapped", 0, 0);
	unmap(3, 1);
	packet_transfer(&p, 2, 3 * PAGE, 1, 0, PAGE);
	check(host, "and unmapped", 1, 3 * PAGE);
	host_set_reg(host, 0x30, 1);
	ok(!dummies(host) && !offset(host), "packets: a reset forgets them");
	host_free(host);
}

/* A command is done: @count pages were dummies, the first of its last side at @first. */
static void check_command(struct runner *r, const char *what, uint64_t count, uint64_t first)
{
	static uint64_t fence;
	uint64_t before = dummies(r->host);

	runner_submit(r, &p, ++fence);
	p.size = 0;
	ok(host_run(r->host) && runner_fence(r) == fence && dummies(r->host) - before == count &&
	   offset(r->host) == first, "commands: %s", what);
}

/* Each side of a command alone, the others in mapped pages or VRAM; then all of them. */
static void test_commands(void)
{
	const uint64_t mapped = IN_APERTURE(5 * PAGE), vram = IN_VRAM(0);
	const uint64_t at3 = IN_APERTURE(4 * PAGE - 32), at4 = IN_APERTURE(4 * PAGE);
	const uint64_t at10 = IN_APERTURE(10 * PAGE);
	struct area area = { at3 - 64, 0, 64, 16, 16, 1, 1, 0, 0 };
	struct host *host = start(true);
	struct runner r;

	runner_start(&r, host, 1);
	host_put64(host, DUMMY_PAGE, 0);
	command_copy(&p, mapped, vram, PAGE);
	command_fill(&p, mapped, PAGE, 0);
	command_arithmetic(&p, 1, vram, mapped, 32);
	command_checksum(&p, mapped, mapped + 8, PAGE);
	command_compare(&p, vram, mapped, mapped + PAGE, PAGE);
	command_write_value(&p, mapped, 7);
	command_wait_value(&p, QUIRE_WAIT_EQUAL, mapped, 7);
	check_command(&r, "mapped pages and VRAM", 0, 0);
	command_copy(&p, at3, vram, 8);
	check_command(&r, "copy, the source", 1, 3 * PAGE);
	command_copy(&p, vram, at4, 8);
	check_command(&r, "copy, the destination", 1, 4 * PAGE);
	command_fill(&p, at3, 8, 0);
	check_command(&r, "fill", 1, 3 * PAGE);
	command_src(&p, &area);
	check_command(&r, "a rectangle, the source", 2, 3 * PAGE);
	area.address = at10;
	command_dst(&p, &area);
	check_command(&r, "a rectangle, the destination", 1, 10 * PAGE);
	command_arithmetic(&p, 1, at3, vram, 8);
	check_command(&r, "arithmetic, the source", 1, 3 * PAGE);
	command_arithmetic(&p, 1, vram, at4, 8);
	check_command(&r, "arithmetic, the destination", 1, 4 * PAGE);
	command_checksum(&p, at3, vram, 8);
	check_command(&r, "checksum, the source", 1, 3 * PAGE);
	command_checksum(&p, vram, at10, 8);
	check_command(&r, "checksum, the result", 1, 10 * PAGE);
	command_compare(&p, at3, vram, vram, 8);
	check_command(&r, "compare, one side", 1, 3 * PAGE);
	command_compare(&p, vram, at4, vram, 8);
	check_command(&r, "compare, the other one", 1, 4 * PAGE);
	command_compare(&p, vram, vram, at10, 8);
	check_command(&r, "compare, the result", 1, 10 * PAGE);
	command_compare(&p, at3, at4, at10, 8);
	check_command(&r, "compare, all three", 3, 10 * PAGE);
	command_write_value(&p, at4, 9);
	check_command(&r, "write a value", 1, 4 * PAGE);
	command_wait_value(&p, QUIRE_WAIT_EQUAL, at10, 9);
	check_command(&r, "wait for a value", 1, 10 * PAGE);
	host_free(host);
}

/* Whole chunks are not looked at page by page. */
static void test_chunks(uint64_t at, uint64_t size, uint64_t count, uint64_t first)
{
	struct host *host = start(true);

	unmap(3, 2);
	unmap(511, 700);
	packet_transfer(&p, 2, at, 1, 0, size);
	ok(finish(host), "chunks: 0x%llx bytes at 0x%llx", (unsigned long long)size,
	   (unsigned long long)at);
	is(dummies(host), count, "chunks: all that are unmapped");
	is(offset(host), first, "chunks: from the first on");
	host_free(host);
}

/* In many slices, or by another thread, and after a fault: once for each packet. */
static void test_once(void)
{
	struct host *host = start(true);

	host->memory.engine.slice_ns = 1;
	host->memory.engine.look_bytes = 512;
	packet_transfer(&p, 1, 0, 2, 0, 16 * PAGE);
	ok(finish(host) && host->slices > 100 && dummies(host) == 3, "once: in many slices");
	host->memory.work_least = 1;
	packet_transfer(&p, 1, 0, 2, 0, 16 * PAGE);
	ok(finish(host) && host->memory.works && dummies(host) == 6, "once: by another thread");
	packet_transfer(&p, 2, 0, 0, 0, 16 * PAGE);
	packet_run(&p, HOLE, 16);
	packet_end(&p);
	finish(host);
	ok(host_ring_reg(host, 0x24) == QUIRE_FAULT_DMA && dummies(host) == 9,
	   "once: a packet that fails later");
	host_ring_restart(host);
	packet_transfer(&p, 2, APERTURE - PAGE, 1, 0, 2 * PAGE);
	finish(host);
	ok(host_ring_reg(host, 0x24) == QUIRE_FAULT_BAD_RANGE && dummies(host) == 9,
	   "once: not one that is refused");
	host_ring_restart(host);
	host_set_reg(host, 0x1060, 1);
	packet_transfer(&p, 2, 0, 1, 0, 16 * PAGE);
	finish(host);
	is(dummies(host), 9, "once: nor one that hangs");
	host_free(host);
}

static bool loads(struct host *host, bool report, uint64_t pages, uint64_t at)
{
	struct quire_engine *engine = &host->memory.engine;
	const char *why;

	engine->caps = report ? QUIRE_CAPS_DUMMY_REPORT : 0;
	engine->dummy_pages = pages;
	engine->dummy_offset = at;
	return quire_engine_post_load(engine, &why);
}

static void test_load(void)
{
	struct host *host = start(true);

	ok(loads(host, true, 1, 3 * PAGE), "load: one");
	ok(loads(host, true, UINT64_MAX, APERTURE - PAGE), "load: many");
	ok(loads(host, true, 0, 0), "load: none");
	ok(loads(host, false, 0, 0), "load: none, nor is any reported");
	ok(!loads(host, true, 1, APERTURE), "load: not behind the aperture");
	ok(!loads(host, true, 1, 8), "load: not in a page");
	ok(!loads(host, true, 0, PAGE), "load: not where none is");
	ok(!loads(host, false, 1, 0), "load: none where none is reported");
	host_free(host);
}

int main(void)
{
	test_off();
	test_packets();
	test_commands();
	test_chunks(0, APERTURE, 703, 3 * PAGE);
	test_chunks(400 * PAGE, APERTURE - 400 * PAGE, 700, 511 * PAGE);
	test_chunks(512 * PAGE, 512 * PAGE, 512, 512 * PAGE);
	test_chunks(512 * PAGE + 1, 512 * PAGE - 1, 512, 512 * PAGE);
	test_chunks(600 * PAGE, 1000 * PAGE - 600 * PAGE, 400, 600 * PAGE);
	test_chunks(500 * PAGE, 600 * PAGE, 589, 511 * PAGE);
	test_chunks(1210 * PAGE, PAGE + 1, 1, 1210 * PAGE);
	test_once();
	test_load();
	return tap_done();
}
