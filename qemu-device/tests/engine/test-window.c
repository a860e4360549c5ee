// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: the window of the aperture. What the CPU reads and writes there is compared
 * with system memory byte by byte.
 */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "tap.h"

#define VRAM		(16 * PAGE)
#define APERTURE	(16 * PAGE)
#define VISIBLE		(4 | 2)		/* flags of a map of consecutive pages */
#define COHERENT	1
#define ONES		(~0ull)

static struct packets p;

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

static struct host *start(void)
{
	struct host *host = host_new(VRAM, APERTURE, 0, 0);

	test_scramble(host->memory.vram, VRAM);
	test_scramble(host_ram(host, RAM_BASE, 32 * PAGE), 32 * PAGE);
	host_ring_setup(host, 4);
	host_ring_enable(host);
	p.size = 0;
	return host;
}

/* Pages of RAM, from @page on, at @first of the aperture. */
static void show(struct host *host, uint32_t first, uint32_t pages, uint32_t page, uint16_t flags)
{
	packet_map2(&p, first, pages, flags, RAM_BASE / PAGE + page);
	if (!finish(host))
		ok(false, "pages are mapped");
}

static uint64_t look(struct host *host, uint64_t offset, unsigned int size)
{
	return quire_window_read(&host->memory.engine, offset, size);
}

static void put(struct host *host, uint64_t offset, unsigned int size, uint64_t value)
{
	quire_window_write(&host->memory.engine, offset, size, value);
}

static uint64_t part(uint64_t value, unsigned int size)
{
	return size < 8 ? value & ((1ull << 8 * size) - 1) : value;
}

/* Pages that are apart in memory, neither in order; page n of the window is at 2 * (9 - n). */
static void scatter(struct host *host)
{
	uint64_t list[HOST_WINDOW / PAGE];
	uint32_t i;

	for (i = 0; i < HOST_WINDOW / PAGE; i++)
		list[i] = RAM_BASE / PAGE + 2 * (9 - i);
	packet_map2_list(&p, host_next_packet(host, &p), 0, 4 | COHERENT, list, i);
	ok(finish(host), "pages are mapped by a list");
}

static uint8_t *scattered(struct host *host, uint64_t offset)
{
	return host_ram(host, RAM_BASE + 2 * (9 - offset / PAGE) * PAGE + offset % PAGE, 1);
}

static bool reads(struct host *host, uint64_t offset, unsigned int size)
{
	uint64_t value = look(host, offset, size);
	unsigned int i;
	bool good = value == part(value, size);

	for (i = 0; i < size; i++)
		good &= (uint8_t)(value >> 8 * i) == *scattered(host, offset + i);
	return good;
}

/* The bytes of the access change, and their neighbours do not. */
static bool writes(struct host *host, uint64_t offset, unsigned int size)
{
	uint64_t value = (uint64_t)test_random() << 32 | test_random();
	uint8_t before = *scattered(host, offset - 1), after = *scattered(host, offset + size);
	unsigned int i;
	bool good;

	put(host, offset, size, value);
	good = *scattered(host, offset - 1) == before && *scattered(host, offset + size) == after;
	for (i = 0; i < size; i++)
		good &= *scattered(host, offset + i) == (uint8_t)(value >> 8 * i);
	return good;
}

/* Each offset where a page ends, and some of the others. */
static uint64_t step(uint64_t offset)
{
	return offset % PAGE < 4080 ? 61 : 1;
}

/* Aligned or not, in a page and from one to the next. */
static void test_accesses(uint64_t granule)
{
	struct host *host = start();
	uint64_t offset, touched;
	unsigned int size;
	bool read = true, wrote = true;

	host->memory.granule = granule;
	scatter(host);
	touched = host->memory.touched;
	for (size = 1; size <= 8; size *= 2) {
		for (offset = 1; offset < HOST_WINDOW - 8; offset += step(offset)) {
			read &= reads(host, offset, size);
			wrote &= writes(host, offset, size);
			read &= reads(host, offset, size);
		}
		read &= reads(host, HOST_WINDOW - size, size) && reads(host, 0, size);
	}
	ok(read, "accesses: read, mappings of %llu bytes", (unsigned long long)granule);
	ok(wrote, "accesses: written");
	ok(host->memory.touched > touched && !host->memory.mapped, "accesses: by DMA");
	is(host->memory.misses + host->memory.errors, 0, "accesses: none missed");
	host_free(host);
}

/* What is not to be seen: nothing is read, nothing is written, and it is told. */
static bool is_nothing(struct host *host, uint64_t offset)
{
	static uint8_t before[32 * PAGE];
	unsigned int misses = host->memory.misses;

	memcpy(before, host_ram(host, RAM_BASE, sizeof(before)), sizeof(before));
	put(host, offset, 8, 0x1122334455667788);
	put(host, offset + 5, 1, 0x11);
	return look(host, offset, 8) == ONES && look(host, offset + 2, 4) == 0xffffffff &&
	       look(host, offset + 1, 2) == 0xffff && look(host, offset + 7, 1) == 0xff &&
	       host->memory.misses == misses + 6 &&
	       !memcmp(before, host_ram(host, RAM_BASE, sizeof(before)), sizeof(before));
}

static void test_nothing(void)
{
	struct host *host = start();

	ok(is_nothing(host, 0), "nothing: never mapped");
	look(host, PAGE - 3, 8);
	is(host->memory.missed, 8, "nothing: told of all bytes in two pages");
	show(host, 0, 8, 0, VISIBLE);
	ok(!is_nothing(host, 0) && !is_nothing(host, 7 * PAGE), "nothing: mapped, it is something");
	show(host, 1, 1, 9, 2);
	ok(is_nothing(host, PAGE), "nothing: mapped again without the flag");
	packet_map(&p, 2, 1, COHERENT);
	packet_run(&p, RAM_BASE, 1);
	packet_end(&p);
	packet_unmap(&p, 3, 1, RAM_BASE + PAGE);
	ok(finish(host) && is_nothing(host, 2 * PAGE), "nothing: MAP_APERTURE");
	ok(is_nothing(host, 3 * PAGE), "nothing: unmapped");
	packet_map2(&p, 4, 1, VISIBLE, HOLE / PAGE);
	packet_map2(&p, 5, 1, VISIBLE, ROM_BASE / PAGE);
	packet_map(&p, 8, 1, COHERENT);
	packet_run(&p, RAM_BASE, 1);
	packet_end(&p);
	ok(finish(host) && is_nothing(host, 4 * PAGE), "nothing: no memory");
	ok(is_nothing(host, 8 * PAGE), "nothing: behind the window");
	ok(is_nothing(host, 16 * PAGE), "nothing: behind the aperture");
	is(look(host, 5 * PAGE, 8), 0, "nothing: what can be read only is read");
	put(host, 5 * PAGE, 8, 1);
	is(look(host, 5 * PAGE, 8), 0, "nothing: and not written");
	host_free(host);
}

/* Of an access in two pages, one of which there is. */
static void test_halves(void)
{
	struct host *host = start();
	uint8_t *ram = host_ram(host, RAM_BASE, 4 * PAGE);
	uint64_t first, last;

	show(host, 7, 1, 0, VISIBLE);
	show(host, 3, 1, 2, VISIBLE);
	memcpy(&last, ram + PAGE - 8, 8);
	memcpy(&first, ram + 2 * PAGE, 8);
	is(look(host, HOST_WINDOW - 3, 8), last >> 40 | ONES << 24, "halves: the end of it");
	put(host, HOST_WINDOW - 3, 8, 0x1122334455667788);
	memcpy(&last, ram + PAGE - 8, 8);
	is(last >> 40, 0x667788, "halves: three bytes are written");
	is(look(host, 3 * PAGE - 6, 8), first << 48 | ONES >> 16, "halves: the second page");
	is(host->memory.misses, 3, "halves: told");
	is(host->memory.missed, 6, "halves: of the bytes that are nowhere");
	put(host, 3 * PAGE - 6, 8, 0x1122334455667788);
	memcpy(&first, ram + 2 * PAGE, 8);
	is(first & 0xffff, 0x1122, "halves: two bytes are written");
	host_free(host);
}

static uint32_t posted(struct host *host)
{
	return host_reg(host, 0xa0);
}

/* The CPU sees what the device has written, and the device what the CPU has. */
static void test_posted(void)
{
	struct host *host = start();
	uint8_t *vram = host->memory.vram, *ram = host_ram(host, RAM_BASE, 2 * PAGE);
	uint64_t wanted;

	show(host, 0, 2, 0, VISIBLE);
	packet_transfer(&p, 1, 0, 2, 100, 200);
	packet_transfer(&p, 1, 0x1000, 2, PAGE + 8, 50);
	ok(finish(host) && posted(host) == 250 && memcmp(ram + 100, vram, 8),
	   "posted: not in memory");
	memcpy(&wanted, vram + 60, 8);
	is(look(host, 160, 8), wanted, "posted: but seen");
	is(posted(host), 50, "posted: now in memory, not that of another page");
	ok(!memcmp(ram + 100, vram, 200), "posted: all of the page");
	put(host, PAGE + 10, 2, 0xabcd);
	is(posted(host), 0, "posted: a write sends it to memory, too");
	packet_physical(&p, 4, 1, 0, 1, 0);
	ok(finish(host) && ram[PAGE + 10] == 0xcd && ram[PAGE + 11] == 0xab &&
	   !memcmp(ram + PAGE + 8, vram + 0x1000, 2) &&
	   !memcmp(ram + PAGE + 12, vram + 0x1004, 46), "posted: what the CPU wrote stays");
	packet_transfer(&p, 1, 0, 2, 100, 8);
	packet_transfer(&p, 1, 0, 2, PAGE + 100, 8);
	ok(finish(host) && posted(host) == 16, "posted: again");
	look(host, 2000, 8);
	is(posted(host), 8, "posted: who looks at other bytes of the page sends it, too");
	packet_transfer(&p, 2, PAGE + 10, 1, 0x2000, 2);
	ok(finish(host) && vram[0x2000] == 0xcd && vram[0x2001] == 0xab,
	   "posted: and the device reads it");
	host_free(host);
}

/* Without a bus master there is no memory; what is posted waits for it. */
static void test_away(void)
{
	struct host *host = start();
	struct memory_region *region = host->memory.regions;
	uint64_t size = region->size, wanted;

	show(host, 0, 1, 0, VISIBLE);
	packet_transfer(&p, 1, 0, 2, 0, 64);
	ok(finish(host), "away: posted");
	region->size = 0;
	is(look(host, 0, 8), ONES, "away: nothing is read");
	put(host, 0, 8, 0);
	is(posted(host), 64, "away: nothing is lost");
	is(host->memory.misses, 2, "away: told");
	region->size = size;
	memcpy(&wanted, host->memory.vram, 8);
	is(look(host, 0, 8), wanted, "away: it is here again");
	is(host->memory.errors, 0, "away: no mistake");
	host_free(host);
}

/* A packet takes the page away between two accesses of the guest, in the middle of its work. */
static void test_stolen(void)
{
	struct host *host = start();
	unsigned int gone = 0, seen = 0, i;

	show(host, 0, 8, 0, VISIBLE);
	host->memory.engine.slice_ns = 1;
	host->memory.engine.look_bytes = 8;
	packet_unmap(&p, 0, 8, RAM_BASE + 20 * PAGE);
	host_submit(host, &p, 1);
	do {
		for (i = 0; i < 8; i++)
			if (host->memory.engine.aperture[i] & 4)
				gone += is_nothing(host, i * PAGE);
			else
				seen += !is_nothing(host, i * PAGE);
	} while (memory_host_run(&host->memory));
	ok(gone > 8 && seen > 8, "stolen: %u accesses find it, %u do not", seen, gone);
	ok(is_nothing(host, 0) && is_nothing(host, 7 * PAGE), "stolen: all is gone");
	host_free(host);
}

static void test_reset(void)
{
	struct host *host = start();

	show(host, 0, 1, 0, VISIBLE);
	host_set_reg(host, 0x30, 1);
	ok(is_nothing(host, 0), "reset: CONTROL.RESET");
	is(host_reg64(host, 0x48), HOST_WINDOW, "reset: the window is there");
	host_ring_setup(host, 4);
	host_ring_enable(host);
	show(host, 0, 1, 0, VISIBLE);
	ok(!is_nothing(host, 0), "reset: mapped anew");
	quire_engine_reset(&host->memory.engine);
	ok(is_nothing(host, 0), "reset: of the bus");
	host_free(host);
}

static void test_saved(void)
{
	struct host *host = start();
	struct quire_engine *engine = &host->memory.engine;
	uint64_t wanted;

	show(host, 0, 1, 0, VISIBLE);
	show(host, 1, 1, 1, 2);
	packet_transfer(&p, 1, 0, 2, 0, 64);
	ok(finish(host) && host_migrate(host), "saved: loads");
	memcpy(&wanted, host->memory.vram, 8);
	is(look(host, 0, 8), wanted, "saved: a page is seen, with what was posted");
	ok(is_nothing(host, PAGE), "saved: another one is not");

	/* A load that ends early. */
	quire_engine_pre_load(engine);
	*quire_engine_load_entries(engine, 0, 1) = RAM_BASE | 9;
	ok(is_nothing(host, 0), "early end: nothing is seen");
	host_free(host);
}

/* A device without a window. */
static void test_none(void)
{
	struct host *host = start();
	struct quire_engine *engine = &host->memory.engine;
	const char *why;

	quire_engine_fini(engine);
	host->memory.config.window_size = 0;
	ok(quire_engine_init(engine, &host->memory.config, &why), "none: no window");
	host_ring_setup(host, 4);
	host_ring_enable(host);
	is(host_reg64(host, 0x48), 0, "none: says so");
	packet_map2(&p, 0, 1, 2, RAM_BASE / PAGE);
	ok(finish(host) && is_nothing(host, 0), "none: nothing to see");
	packet_map2(&p, 0, 1, VISIBLE, RAM_BASE / PAGE);
	ok(!finish(host), "none: no page can be visible");
	is(host_ring_reg(host, 0x24), QUIRE_FAULT_BAD_RANGE, "none: that is refused");
	quire_engine_fini(engine);
	host->memory.config.window_size = APERTURE;
	ok(quire_engine_init(engine, &host->memory.config, &why), "none: all of the aperture");
	host_ring_setup(host, 4);
	host_ring_enable(host);
	show(host, APERTURE / PAGE - 1, 1, 0, VISIBLE);
	ok(!is_nothing(host, APERTURE - 8), "none: its last page");
	host_free(host);
}

int main(void)
{
	test_accesses(0);
	test_accesses(8);
	test_nothing();
	test_halves();
	test_posted();
	test_away();
	test_stolen();
	test_reset();
	test_saved();
	test_none();
	return tap_done();
}
