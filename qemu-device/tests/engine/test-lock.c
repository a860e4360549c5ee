// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: SPECIAL_LOCK. It converts as a TRANSFER does, and takes the range away that it
 * names, if that still shows what it did.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "tap.h"

#define VRAM		(64 * PAGE)
#define TO_TILES	1
#define FROM_TILES	2
#define NO_RANGE	(~0u)

/* 64 x 64 elements of four bytes: four tiles, and four pages of rows. */
#define IMAGE_PAGES	4

static struct packets p;

static const struct image image = { .layout = 1, .shift = 2, .width = 64, .height = 64,
				    .levels = 1, .slices = 1, .columns = 64, .rows = 64 };

static uint32_t range_reg(unsigned int n, uint32_t reg)
{
	return 0x2000 + 0x40 * n + reg;
}

static bool is_on(struct host *host, unsigned int n)
{
	return host_reg(host, range_reg(n, 0x18));
}

static uint32_t data_of(struct host *host, unsigned int n)
{
	return host_reg(host, range_reg(n, 0x1c));
}

/* Enable a range for the image at the start of VRAM, or again. */
static void enable(struct host *host, unsigned int n)
{
	host_set_reg(host, range_reg(n, 0x18), 0);
	host_set_reg(host, range_reg(n, 0x08), 0x201);
	host_set_reg(host, range_reg(n, 0x0c), 64);
	host_set_reg(host, range_reg(n, 0x10), 64);
	host_set_reg(host, range_reg(n, 0x14), 0x10001);
	host_set_reg(host, range_reg(n, 0x18), 1);
}

static uint32_t named(unsigned int n, uint32_t data)
{
	return n | data << 16;
}

static struct host *start(uint64_t slice_bytes)
{
	struct host *host = host_new(VRAM, 16 * PAGE, slice_bytes ? 1 : 0, slice_bytes);

	test_scramble(host->memory.vram, VRAM);
	test_scramble(host_ram(host, RAM_BASE, 32 * PAGE), 32 * PAGE);
	host_ring_setup(host, 4);
	host_ring_enable(host);
	p.size = 0;
	return host;
}

/* Convert the image, pages @ram of RAM and @vram of VRAM; a TRANSFER if @range is 0. */
static void add(uint16_t flags, uint32_t ram, uint32_t vram, bool lock, uint32_t range)
{
	packet_swizzle(&p, flags, 0, 0, &image);
	packet_run(&p, RAM_BASE + ram * PAGE, IMAGE_PAGES);
	packet_run(&p, vram * PAGE, IMAGE_PAGES);
	packet_end(&p);
	if (lock) {
		packet_poke(&p, 0, 2, 10);
		packet_poke(&p, 60, 4, range);
	}
}

static bool finish(struct host *host)
{
	static uint64_t fence;
	bool done;

	host_submit(host, &p, ++fence);
	done = host_run(host) && host_get64(host, FENCE_PAGE) == fence;
	p.size = 0;
	return done;
}

/* The same bytes as by a TRANSFER. */
static void test_bytes(uint64_t slice_bytes, uint64_t work_least)
{
	struct host *host = start(slice_bytes);
	uint8_t *ram, *vram = host->memory.vram;
	bool good;

	host->memory.work_least = work_least;
	host->memory.work_slices = 1;
	ram = host_ram(host, RAM_BASE, 32 * PAGE);
	add(FROM_TILES, 0, 0, true, NO_RANGE);
	add(FROM_TILES, 8, 0, false, 0);
	good = finish(host);
	ok(good && !memcmp(ram, ram + 8 * PAGE, IMAGE_PAGES * PAGE),
	   "bytes: from tiles, slices of %llu", (unsigned long long)slice_bytes);
	add(TO_TILES, 16, 8, true, NO_RANGE);
	add(TO_TILES, 16, 16, false, 0);
	good = finish(host);
	ok(good && !memcmp(vram + 8 * PAGE, vram + 16 * PAGE, IMAGE_PAGES * PAGE) &&
	   memcmp(vram, vram + 8 * PAGE, IMAGE_PAGES * PAGE), "bytes: to tiles");
	is(host_ring_reg64(host, QUIRE_RING_PACKETS_OF(10)), 2, "bytes: counted");
	is(host_ring_reg64(host, QUIRE_RING_PACKETS_OF(1)), 2, "bytes: and transfers");
	host_free(host);
}

/* DATA says how often a range was enabled. */
static void test_data(void)
{
	struct host *host = start(0);
	bool rises = true;
	uint32_t i;

	is(data_of(host, 0), 0, "data: at first");
	enable(host, 0);
	is(data_of(host, 0), 1, "data: enabled");
	host_set_reg(host, range_reg(0, 0x18), 1);
	is(data_of(host, 0), 1, "data: it was already");
	host_set_reg(host, range_reg(0, 0x18), 0);
	is(data_of(host, 0), 1, "data: disabled");
	enable(host, 0);
	is(data_of(host, 0), 2, "data: enabled again");
	is(data_of(host, 1), 0, "data: not of another range");
	host_set_reg(host, range_reg(1, 0x18), 1);
	ok(!is_on(host, 1) && !data_of(host, 1), "data: not of one that is refused");
	host->memory.errors = 0;
	host_set_reg(host, range_reg(0, 0x1c), 9);
	ok(data_of(host, 0) == 2 && host->memory.errors == 1, "data: read-only");
	host_set_reg(host, 0x30, 1);
	is(data_of(host, 0), 2, "data: CONTROL.RESET keeps it, as the range");
	host->memory.unchecked = true;
	for (i = 2; i < 0x10000; i++) {
		rises &= data_of(host, 0) == i;
		host_set_reg(host, range_reg(0, 0x18), 0);
		host_set_reg(host, range_reg(0, 0x18), 1);
	}
	ok(rises && !data_of(host, 0) && is_on(host, 0), "data: has 16 bits");
	host->memory.unchecked = false;
	enable(host, 0);
	ok(host_migrate(host) && data_of(host, 0) == 1, "data: travels");
	quire_engine_reset(&host->memory.engine);
	is(data_of(host, 0), 0, "data: another reset clears it");
	host_free(host);
}

/* Which ranges are enabled after a packet that names @range. */
static void test_named(const char *what, uint32_t range, unsigned int left)
{
	struct host *host = start(0);
	unsigned int n, on = 0;

	for (n = 0; n < HOST_RANGES; n++)
		enable(host, n);
	enable(host, 1);
	add(FROM_TILES, 0, 0, true, range);
	ok(finish(host), "named: %s: done", what);
	for (n = 0; n < HOST_RANGES; n++)
		on |= (unsigned int)is_on(host, n) << n;
	is(on, left, what);
	is(host_reg(host, range_reg(0, 0x0c)), 64, "named: its registers stay");
	is(data_of(host, 1), 2, "named: DATA stays");
	host_free(host);
}

static bool was_on;
static bool was_mapped;

/* The first page of the linear side is mapped: soon bytes are read. */
static void look(struct memory_host *memory, uint64_t addr)
{
	if (addr == RAM_BASE) {
		was_on |= is_on((struct host *)memory, 0);
		was_mapped = true;
	}
}

/* A range is there until the packet begins, and not when the first byte is read. */
static void test_moment(uint16_t flags)
{
	static const struct memory_host_watch watch = { .map = look };
	struct host *host = start(64);

	host->memory.watch = &watch;
	enable(host, 0);
	packet_fill(&p, 1, 32 * PAGE, PAGE, 0);
	add(flags, 0, 0, true, named(0, 1));
	host_submit(host, &p, 1);
	while (!host_ring_reg64(host, 0x40))
		memory_host_run(&host->memory);
	ok(is_on(host, 0) && !host_ring_reg(host, 0x20), "moment: on while a packet before works");
	was_on = false;
	was_mapped = false;
	host_run(host);
	ok(was_mapped && !was_on && !is_on(host, 0), "moment: off when it begins to read");
	host_free(host);
}

/* Before the packet it is on: a ring that hangs there has not begun with it. */
static void test_before(bool hang)
{
	struct host *host = start(0);

	enable(host, 0);
	host_set_reg(host, hang ? 0x1060 : 0x1064, 1);
	add(FROM_TILES, 0, 0, true, named(0, 1));
	finish(host);
	ok(is_on(host, 0), "before: a packet that %s has taken nothing",
	   hang ? "hangs" : "was made to fail");
	host_ring_restart(host);
	add(FROM_TILES, 0, 0, true, named(0, 1));
	packet_poke(&p, 88, 8, VRAM);
	finish(host);
	ok(host_ring_reg(host, 0x24) == QUIRE_FAULT_BAD_RUNS && is_on(host, 0),
	   "before: nor has one that is refused");
	host_ring_restart(host);
	add(FROM_TILES, 0, 0, true, named(0, 1));
	ok(finish(host) && !is_on(host, 0), "before: but one that is executed");
	host_free(host);
}

/*
 * Once a packet: who enables the range while it is at work keeps it, even if DATA said the
 * same. In slices, each in another engine.
 */
static void test_once(void)
{
	struct host *host = start(PAGE);
	struct quire_engine *engine = &host->memory.engine;
	uint8_t *ram = host_ram(host, RAM_BASE, 32 * PAGE);
	bool good = true;
	unsigned int slices = 0;

	enable(host, 0);
	add(FROM_TILES, 8, 0, false, 0);
	ok(finish(host), "once: what it has to be");
	add(FROM_TILES, 0, 0, true, named(0, 1));
	host_submit(host, &p, 99);
	while (!engine->ring[0].done)
		memory_host_run(&host->memory);
	ok(!is_on(host, 0), "once: off in the middle");
	engine->range[0].control = 1;
	do {
		good &= host_migrate(host) && is_on(host, 0) && data_of(host, 0) == 1;
		slices++;
	} while (memory_host_run(&host->memory));
	ok(good && slices > 2, "once: and then let be, in %u slices", slices);
	ok(host_get64(host, FENCE_PAGE) == 99 && !memcmp(ram, ram + 8 * PAGE, IMAGE_PAGES * PAGE),
	   "once: the bytes are right");
	host_free(host);
}

/* Memory fails in the middle: the fault of a transfer, and a state that loads. */
static void test_fault(void)
{
	struct host *host = start(0);

	enable(host, 0);
	packet_swizzle(&p, FROM_TILES, 0, 0, &image);
	packet_run(&p, RAM_BASE, IMAGE_PAGES - 1);
	packet_run(&p, HOLE, 1);
	packet_run(&p, 0, IMAGE_PAGES);
	packet_end(&p);
	packet_poke(&p, 0, 2, 10);
	packet_poke(&p, 60, 4, named(0, 1));
	ok(!finish(host), "fault: not done");
	is(host_ring_reg(host, 0x24), QUIRE_FAULT_DMA, "fault: DMA");
	is(host_ring_reg64(host, 0x30), HOLE, "fault: where");
	is(host_ring_reg(host, 0x2c), 10 | FROM_TILES << 16, "fault: of what");
	ok(!is_on(host, 0), "fault: the range is gone");
	ok(host_migrate(host), "fault: its state loads");
	host_free(host);
}

static bool loads(struct host *host)
{
	const char *why;

	return quire_engine_post_load(&host->memory.engine, &why);
}

static void test_state(void)
{
	struct host *host = start(0);
	struct quire_engine *engine = &host->memory.engine;

	engine->range[0].data = 0xffff;
	ok(loads(host), "state: DATA without a range");
	engine->range[0].data = 0x10000;
	ok(!loads(host) && !engine->range[0].data, "state: refused: DATA of 17 bits");
	engine->range[HOST_RANGES].data = 1;
	ok(!loads(host), "state: refused: DATA of no range");
	host_free(host);
}

/* A device without ranges has special locks that name none. */
static void test_none(void)
{
	struct host *host = start(0);
	struct quire_engine *engine = &host->memory.engine;
	const char *why;

	quire_engine_fini(engine);
	host->memory.config.range_count = 0;
	ok(quire_engine_init(engine, &host->memory.config, &why), "none: no ranges");
	host_ring_setup(host, 4);
	host_ring_enable(host);
	add(TO_TILES, 0, 0, true, NO_RANGE);
	ok(finish(host), "none: no range is named");
	add(TO_TILES, 0, 0, true, named(0, 0));
	ok(!finish(host) && host_ring_reg(host, 0x24) == QUIRE_FAULT_BAD_RANGE,
	   "none: range 0 is refused");
	host_free(host);
}

int main(void)
{
	test_bytes(0, 0);
	test_bytes(100, 0);
	test_bytes(PAGE, 1);
	test_data();
	test_named("range 0", named(0, 1), 6);
	test_named("range 1 with its data", named(1, 2), 5);
	test_named("range 1 with old data", named(1, 1), 7);
	test_named("range 2 with data to come", named(2, 2), 7);
	test_named("range 2 with much data", named(2, 0x8001), 7);
	test_named("no range", NO_RANGE, 7);
	test_moment(TO_TILES);
	test_moment(FROM_TILES);
	test_before(true);
	test_before(false);
	test_once();
	test_fault();
	test_state();
	test_none();
	return tap_done();
}
