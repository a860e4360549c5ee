// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: hostile state. A state taken in the middle of work loads; with
 * one field spoiled it is refused, or harmless; with random bytes it never
 * makes the engine leave its memory (ASan watches) or run for ever.
 */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "tap.h"

#define VRAM		(64 * PAGE)
#define APERTURE	(16 * PAGE)

static struct packets p;

static bool loads(struct host *host)
{
	const char *why;

	return quire_engine_post_load(&host->memory.engine, &why);
}

static void load_entry(struct quire_engine *engine, uint32_t page, uint64_t entry)
{
	*quire_engine_load_entries(engine, page, 1) = entry;
}

static void load_posted(struct quire_engine *engine, unsigned int i, uint64_t addr, uint32_t len)
{
	engine->posted.pages[i] = (struct quire_posted_page){ addr, len };
}

/* Stopped in the middle of a fill, which is the second packet. */
static struct host *middle(void)
{
	struct host *host = host_new(VRAM, APERTURE, 2, 4096);

	host_ring_setup(host, 4);
	host_ring_enable(host);
	p.size = 0;
	packet_map(&p, 0, 2, 0);
	packet_run(&p, RAM_BASE, 2);
	packet_end(&p);
	packet_fill(&p, 1, VRAM - 8 * PAGE, 8 * PAGE, 0x01020304);
	host_submit(host, &p, 1);
	memory_host_run(&host->memory);
	memory_host_run(&host->memory);
	return host;
}

static void test_good(void)
{
	struct host *host = middle();
	const char *why;

	ok(host->memory.engine.ring[0].active && host->memory.engine.ring[0].started &&
	   host->memory.engine.ring[0].done, "state: in the middle of a packet");
	ok(quire_engine_post_load(&host->memory.engine, &why), "state: loads");
	is(host->memory.engine.aperture_top, 2, "state: extent of the aperture table");
	ok(quire_engine_runnable(&host->memory.engine), "state: goes on");
	host_run(host);
	is(host_get64(host, FENCE_PAGE), 1, "state: completes");
	ok(quire_engine_post_load(&host->memory.engine, &why), "state: loads when idle");
	host_free(host);
}

/* What the engine reaches by itself can be saved, and loads. */
static void test_reached(void)
{
	struct host *host = middle();

	host_ring_disable(host);
	ok(loads(host), "reached: disabled in the middle");
	host_ring_doorbell(host);
	ok(loads(host), "reached: a doorbell while disabled");
	host_free(host);

	host = middle();
	host_set_reg(host, 0x30, 1);
	ok(loads(host), "reached: reset in the middle");
	host_free(host);

	host = middle();
	packet_fill(&p, 1, 0, 4, 0);
	host_submit(host, &p, 2);
	while (!host->memory.engine.ring[0].rptr || !host->memory.engine.ring[0].started)
		memory_host_run(&host->memory);
	host_ring_doorbell(host);
	host->memory.engine.ring[0].inject_fault = 1;
	host_run(host);
	ok(host_ring_reg(host, 0x24) && loads(host), "reached: a fault after a doorbell");
	host_ring_doorbell(host);
	ok(loads(host), "reached: a doorbell after a fault");
	host_free(host);

	host = middle();
	host->memory.engine.ring[0].inject_hang = 1;
	host_submit(host, &p, 2);
	host_run(host);
	ok(host->memory.engine.ring[0].hung && loads(host), "reached: hung");
	host_ring_doorbell(host);
	ok(loads(host), "reached: a doorbell while hung");
	host_ring_disable(host);
	ok(loads(host), "reached: disabled while hung");
	host_free(host);
}

static bool is_injected(struct host *host)
{
	const char *why;

	host->memory.engine.caps = 0;
	return !quire_engine_post_load(&host->memory.engine, &why) &&
	       !strcmp(why, "faults on demand of a device that has none");
}

/* What a device can not reach that has no faults on demand. */
static void test_injected(void)
{
	static const uint32_t regs[] = { 0x1060, 0x1064, 0x88 };
	struct host *host;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		host = middle();
		host_set_reg(host, regs[i], 4711);
		ok(loads(host), "injected: register 0x%x", regs[i]);
		ok(is_injected(host), "injected: nor can it be, register 0x%x", regs[i]);
		host_free(host);
	}
	for (i = 0; i < 2; i++) {
		host = middle();
		host_set_reg(host, regs[i], 1);
		host_submit(host, &p, 2);
		host_run(host);
		ok(loads(host) && !host_reg(host, regs[i]), "injected: %u came", i);
		ok(is_injected(host), "injected: nor can it be, %u", i);
		host_free(host);
	}
	host = middle();
	host->memory.engine.caps = 0;
	ok(loads(host), "injected: none");
	host_free(host);
}

/* An engine at work goes back to an earlier state, in which another packet was at work. */
static void test_earlier(void)
{
	struct host *host = middle();
	struct quire_ring earlier = { .submission = malloc(QUIRE_MAX_SUBMISSION) };
	uint8_t *filled = host->memory.vram + VRAM - 8 * PAGE;

	host_load_ring(&earlier, &host->memory.engine.ring[0]);
	host_run(host);
	p.size = 0;
	packet_transfer(&p, 1, 0, 1, 8 * PAGE, 8 * PAGE);
	host_submit(host, &p, 2);
	memory_host_run(&host->memory);
	ok(host->memory.engine.ring[0].started, "earlier: in the middle of a copy");
	memset(filled, 0, 8 * PAGE);
	host_load_ring(&host->memory.engine.ring[0], &earlier);
	ok(loads(host), "earlier: the middle of a fill loads");
	host_run(host);
	is(filled[8 * PAGE - 1], 1, "earlier: the fill goes on");
	free(earlier.submission);
	host_free(host);
}

static bool aperture_is_empty(const struct quire_engine *engine)
{
	uint32_t page;

	for (page = 0; page < engine->aperture_pages; page++)
		if (engine->aperture[page])
			return false;
	return true;
}

/* The fill at work becomes a discard, which has the same fields. */
static void make_discard(struct quire_ring *ring, uint64_t done)
{
	ring->submission[ring->offset] = QUIRE_OP_DISCARD_CONTENT;
	memset(ring->submission + ring->offset + 12, 0, 4);
	ring->done = done;
}

/* It becomes a write of 8 bytes, which is done as a whole. */
static void make_write(struct quire_ring *ring, uint64_t done)
{
	ring->submission[ring->offset] = QUIRE_OP_WRITE_PHYSICAL;
	memset(ring->submission + ring->offset + 12, 0, 4);
	ring->submission[ring->offset + 12] = 8;
	ring->done = done;
}

static void test_discard(void)
{
	struct host *host = middle();

	make_discard(&host->memory.engine.ring[0], PAGE);
	ok(loads(host), "state: in the middle of a discard");
	host_free(host);
}

#define SPOIL(what) do { \
	struct host *host = middle(); \
	struct quire_engine *engine = &host->memory.engine; \
	struct quire_ring *ring = &engine->ring[0]; \
	const char *why = NULL; \
	\
	(void)ring; \
	what; \
	ok(!quire_engine_post_load(engine, &why) && why, "refused: %s (%s)", #what, \
	   why ? why : "loaded"); \
	ok(!memory_host_run(&host->memory) && !host_ring_reg(host, 0x14) && \
	   aperture_is_empty(engine) && !host_reg(host, QUIRE_REG_POSTED), "and reset"); \
	host_free(host); \
} while (0)

static void test_spoiled(void)
{
	SPOIL(ring->offset = QUIRE_MAX_SUBMISSION);
	SPOIL(ring->offset += 4);
	SPOIL(ring->offset = ring->size);
	SPOIL(ring->offset = ~0u);
	SPOIL(ring->offset = 8);
	SPOIL(ring->size = QUIRE_MAX_SUBMISSION + 8);
	SPOIL(ring->size = ~7u);
	SPOIL(ring->size -= 8);
	SPOIL(ring->done = 8 * PAGE);
	SPOIL(ring->done = ~3ull);
	SPOIL(ring->done += 1);
	SPOIL(make_discard(ring, PAGE + 4));
	SPOIL(make_write(ring, 4));
	SPOIL(make_write(ring, 8));
	SPOIL(ring->started = false);
	SPOIL(ring->active = false);
	SPOIL(ring->hung = true);
	SPOIL(ring->order = 13);
	SPOIL(ring->order = 64);
	SPOIL(ring->entries = 8);
	SPOIL(ring->fence_page = 8);
	SPOIL(ring->wptr = ring->rptr);
	SPOIL(ring->wptr = ring->rptr + 17);
	SPOIL(ring->rptr += 2);
	SPOIL(ring->control = 3);
	SPOIL(ring->control = 0);
	SPOIL(ring->fault_code = 3);
	SPOIL(ring->fault_code = 99);
	SPOIL(ring->flags = 8);
	SPOIL(ring->flags = QUIRE_ENTRY_VIRTUAL);
	SPOIL(ring->context = RAM_BASE);
	SPOIL(ring->root = 1);
	SPOIL(ring->flags = QUIRE_ENTRY_CONTEXT; ring->context = 8);
	SPOIL(ring->flags = QUIRE_ENTRY_CONTEXT | QUIRE_ENTRY_VIRTUAL; ring->addr = 1ull << 48);
	SPOIL(ring->addr = 4);
	SPOIL(memset(ring->submission, 0xff, 256));
	SPOIL(ring->submission[ring->offset + 24 + 7] = 1);
	SPOIL(engine->int_status = 4);
	SPOIL(engine->int_enable = ~0u);
	SPOIL(load_entry(engine, 5, RAM_BASE));
	SPOIL(engine->posted.next = QUIRE_POSTED_PAGES);
	SPOIL(load_posted(engine, 0, RAM_BASE, 4097));
	SPOIL(load_posted(engine, 15, RAM_BASE + 1, 4096));
	SPOIL(load_posted(engine, 3, RAM_BASE, 0));
	SPOIL(load_posted(engine, 3, RAM_BASE, ~0u));
	SPOIL(load_posted(engine, 2, RAM_BASE, 8); load_posted(engine, 9, RAM_BASE + 16, 8));
	SPOIL(load_entry(engine, 5, RAM_BASE | 7));
	SPOIL(load_entry(engine, 5, RAM_BASE | 17));
	SPOIL(load_entry(engine, 5, RAM_BASE | 13));
	SPOIL(load_entry(engine, HOST_WINDOW / PAGE, RAM_BASE | 9));
	SPOIL(load_entry(engine, 5, RAM_BASE | 4));
	SPOIL(load_entry(engine, 15, 2));
	SPOIL(load_entry(engine, 5, RAM_BASE); load_entry(engine, 9, RAM_BASE | 1));
}

/* A packet at fault has at least its header in the submission. */
static void test_fault_end(void)
{
	static const uint32_t codes[] = { QUIRE_FAULT_INJECTED, QUIRE_FAULT_BAD_PACKET };
	unsigned int i, end;

	for (i = 0; i < ARRAY_SIZE(codes) * 2; i++) {
		struct host *host = middle();
		struct quire_ring *ring = host->memory.engine.ring;

		host_ring_disable(host);
		end = i % 2;
		ring->fault_code = codes[i / 2];
		ring->offset = QUIRE_MAX_SUBMISSION - 8 + 8 * end;
		ring->fault_offset = ring->offset;
		ring->fault_addr = ring->fault_code == QUIRE_FAULT_INJECTED ? 0 : BUFFER;
		ok(loads(host) == !end, "fault %u: %s the end", ring->fault_code,
		   end ? "refused at" : "loads before");
		host_free(host);
	}
}

/* Each bit of an entry: of one that is mapped, and of one that never was. */
static void test_entry_bits(void)
{
	struct host *host = middle();
	struct quire_engine *engine = &host->memory.engine;
	uint64_t mapped = engine->aperture[0], loaded[2] = { 0 };
	const char *why;
	unsigned int bit;

	host_run(host);
	for (bit = 0; bit < 64; bit++) {
		load_entry(engine, 0, mapped ^ 1ull << bit);
		loaded[0] |= (uint64_t)quire_engine_post_load(engine, &why) << bit;
		load_entry(engine, 0, 0);
		load_entry(engine, 9, 1ull << bit);
		loaded[1] |= (uint64_t)quire_engine_post_load(engine, &why) << bit;
		load_entry(engine, 9, 0);
	}
	is(loaded[0], ~0xfffull | QUIRE_APERTURE_COHERENT | QUIRE_APERTURE_DUMMY |
	   QUIRE_APERTURE_CPU_VISIBLE, "entry: bits of a mapped one");
	is(loaded[1], QUIRE_APERTURE_VALID, "entry: bits of one that never was");
	host_free(host);
}

/* The pages of a copy at work are mapped, also those that it is past. */
static void test_unmapped(void)
{
	unsigned int side;

	for (side = 0; side < 2; side++) {
		struct host *host = middle();
		const struct quire_ring *ring = host->memory.engine.ring;
		const char *why;

		p.size = 0;
		packet_transfer(&p, 2 - side, 0, 1 + side, 0, 2 * PAGE);
		host_submit(host, &p, 2);
		while (!ring->rptr || !ring->done)
			memory_host_run(&host->memory);
		ok(loads(host), "unmapped: in a copy, side %u", side);
		host->memory.engine.aperture[0] = 0;
		ok(!quire_engine_post_load(&host->memory.engine, &why) &&
		   !strcmp(why, "bad packet at work"), "unmapped: its page is not, side %u", side);
		host_free(host);
	}
}

/* Flip random bits; whatever loads may run. */
static void test_noise(void)
{
	unsigned int round, i, loaded = 0;
	size_t registers = offsetof(struct quire_ring, submission);
	bool ends = true;

	for (round = 0; round < 600; round++) {
		struct host *host = middle();
		struct quire_ring *ring = &host->memory.engine.ring[0];
		struct quire_ring copy = *ring;
		uint8_t *bytes = (uint8_t *)&copy;
		const char *why;

		for (i = 0; i < 1 + round % 3; i++) {
			bool register_bit = test_random() & 1;
			size_t at = test_random_below(register_bit ? registers : 128);

			*(register_bit ? bytes + at : copy.submission + at) ^=
				1u << (test_random() % 8);
		}
		/* As a stream is read: a boolean is never anything else. */
		copy.pending = bytes[offsetof(struct quire_ring, pending)] & 1;
		copy.active = bytes[offsetof(struct quire_ring, active)] & 1;
		copy.started = bytes[offsetof(struct quire_ring, started)] & 1;
		copy.hung = bytes[offsetof(struct quire_ring, hung)] & 1;
		memcpy(ring, &copy, sizeof(copy));
		load_entry(&host->memory.engine, test_random() % 16, test_random() & 1 ?
			   (uint64_t)test_random() << 12 | 1 : 0);
		loaded += quire_engine_post_load(&host->memory.engine, &why);
		ends &= host_run(host);
		host_free(host);
	}
	ok(ends, "noise: every state ends");
	ok(loaded > 50 && loaded < 550, "noise: %u of 600 states load", loaded);
}

/* An entry of each table of pages that a load brings. */
static void load_tables(struct quire_engine *engine, uint32_t page)
{
	*quire_table_load(&engine->residency, page, 1) = 1;
	*quire_table_load(&engine->native, page, 1) = 1;
	for (unsigned int i = 0; i < QUIRE_MMU_COUNT; i++)
		*quire_table_load(&engine->mmu[i], page, 1) = 1;
}

static bool tables_are_empty(const struct quire_engine *engine, uint32_t page)
{
	return !engine->residency.entries[page] && !engine->native.entries[page] &&
	       !engine->mmu[0].entries[page] && !engine->mmu[1].entries[page];
}

/* A load that ends early, before anybody looked at what it brought. */
static void test_early_end(void)
{
	struct host *host = host_new(VRAM, APERTURE, 0, 0);
	struct quire_engine *engine = &host->memory.engine;

	quire_engine_pre_load(engine);
	load_entry(engine, 0, RAM_BASE | 1);
	load_posted(engine, 0, RAM_BASE, 1);
	quire_engine_pre_load(engine);
	is(engine->aperture[0], 0, "a load begins with an invalid aperture");
	is(engine->posted.pages[0].len, 0, "a load begins with an empty write buffer");
	load_entry(engine, engine->aperture_pages - 1, ~0ull);
	load_posted(engine, 0, RAM_BASE, 1);
	load_tables(engine, 0);
	quire_engine_pre_load(engine);
	load_tables(engine, 1);
	ok(tables_are_empty(engine, 0), "a load begins with empty tables");
	quire_engine_reset(engine);
	ok(tables_are_empty(engine, 1), "an early end leaves nothing in them");
	is(engine->posted.pages[0].len, 0, "an early end leaves nothing in it");
	is(engine->aperture[engine->aperture_pages - 1], 0, "an early end leaves nothing");
	host_free(host);
}

/* What no check would accept: each index is outside of what it is of. */
static void load_nonsense(struct host *host)
{
	struct quire_engine *engine = &host->memory.engine;
	unsigned int i;

	quire_engine_pre_load(engine);
	for (i = 0; i < engine->ring_count; i++) {
		struct quire_ring *ring = &engine->ring[i];

		ring->control = 1;
		ring->order = ~0u;
		ring->active = true;
		ring->started = true;
		ring->size = UINT32_MAX & ~7u;
		ring->offset = 16 * MIB;
		ring->flags = ~0u;
		ring->save = RAM_BASE + 2 * PAGE;
		ring->done = ~0ull;
		ring->history_index = ~0u;
	}
	for (i = 0; i < QUIRE_RANGE_MAX; i++) {
		engine->range[i].addr = 1ull << 40;
		engine->range[i].control = 1;
		engine->range[i].layout = ~0u;
	}
	engine->aperture_index = ~0u;
	engine->residency_page = ~0ull;
	engine->native_fence = ~0u;
	engine->range_newest = ~0u;
	engine->posted.next = 100000;
	for (i = 0; i < QUIRE_POSTED_PAGES; i++)
		load_posted(engine, i, RAM_BASE, 200000);
	load_entry(engine, 0, RAM_BASE | 0xfff);
	load_tables(engine, 0);
}

/* Is all there that was loaded, and nothing of it was used? */
static bool is_untouched(struct host *host)
{
	const struct quire_engine *engine = &host->memory.engine;

	return engine->loading && engine->ring[0].offset == 16 * MIB &&
	       engine->ring[1].control == 1 && engine->posted.pages[0].len == 200000 &&
	       engine->aperture[0] == (RAM_BASE | 0xfff) && !tables_are_empty(engine, 0) &&
	       *host_ram(host, RAM_BASE, 1) == 0x55;
}

/* Was the device reset, and nothing of what was loaded used? */
static bool is_reset(struct host *host)
{
	const struct quire_engine *engine = &host->memory.engine;

	return !engine->loading && !engine->ring[0].control && !engine->ring[1].size &&
	       !engine->posted.pages[0].len && !engine->aperture[0] &&
	       tables_are_empty(engine, 0) && *host_ram(host, RAM_BASE, 1) == 0x55;
}

static uint64_t access_bar(struct quire_engine *engine, unsigned int bar, uint64_t at, bool write)
{
	switch (bar) {
	case 0:
		if (!write)
			return quire_regs_read(engine, at, 4);
		quire_regs_write(engine, at, 4, 0);
		return 0;
	case 1:
		if (!write)
			return quire_window_read(engine, at, 4);
		quire_window_write(engine, at, 4, ~0u);
		return 0;
	default:
		if (!write)
			return quire_ranges_read(engine, at, 4);
		quire_ranges_write(engine, at, 4, ~0u);
		return 0;
	}
}

/* Whatever is accessed meanwhile; of a load that goes on, by a monitor, it is the same. */
static void test_early_end_access(void)
{
	static const struct {
		unsigned int bar;
		uint64_t size;
		uint64_t found;
	} bars[] = { { 0, 0x3000, 0 }, { 1, PAGE, UINT32_MAX }, { 5, PAGE, 0 } };
	struct host *host = host_new(VRAM, APERTURE, 0, 0);
	struct quire_engine *engine = &host->memory.engine;
	unsigned int i, write;
	uint64_t at;

	*host_ram(host, RAM_BASE, 1) = 0x55;
	load_nonsense(host);
	for (i = 0; i < ARRAY_SIZE(bars); i++) {
		for (write = 0; write < 2; write++) {
			bool good = true;

			for (at = 0; at < bars[i].size && good; at += 4)
				good = access_bar(engine, bars[i].bar, at, write) ==
				       (write ? 0 : bars[i].found) && is_untouched(host);
			ok(good, "early end: BAR %u %s, up to 0x%llx", bars[i].bar,
			   write ? "takes nothing" : "shows nothing", (unsigned long long)at);
		}
	}
	quire_engine_end_load(engine);
	ok(is_reset(host), "early end: the machine runs, with a device that is reset");
	host_free(host);
}

/* Nothing runs before that. */
static void test_early_end_run(void)
{
	struct host *host = middle();
	struct quire_engine *engine = &host->memory.engine;

	*host_ram(host, RAM_BASE, 1) = 0x55;
	load_nonsense(host);
	ok(!quire_engine_runnable(engine), "early end: nothing to run");
	ok(!quire_engine_run(engine), "early end: nothing runs");
	quire_engine_settle(engine);
	is(engine->ring[0].offset, 16 * MIB, "early end: the ring stands still");
	quire_regs_write(engine, QUIRE_DOORBELL(0), 4, 0);
	ok(!quire_engine_run(engine) && is_untouched(host), "early end: nor with a doorbell");
	quire_engine_end_load(engine);
	ok(is_reset(host), "early end: the machine runs");
	host_ring_setup(host, 4);
	host_ring_enable(host);
	p.size = 0;
	packet_fill(&p, 1, 0, PAGE, 0x02020202);
	host_submit(host, &p, 5);
	host_run(host);
	is(host_get64(host, FENCE_PAGE), 5, "early end: it works then");
	host_free(host);
}

/* Entries that the aperture does not have. */
static void test_entries_outside(void)
{
	struct host *host = host_new(VRAM, APERTURE, 0, 0);
	struct quire_engine *engine = &host->memory.engine;
	uint32_t pages = engine->aperture_pages;

	ok(!quire_engine_load_entries(engine, pages, 1), "entries: behind the last");
	ok(!quire_engine_load_entries(engine, pages - 1, 2), "entries: across the end");
	ok(!quire_engine_load_entries(engine, UINT32_MAX, 2), "entries: wrapped");
	ok(!quire_engine_load_entries(engine, 0, UINT32_MAX), "entries: too many");
	is(engine->aperture_top, 0, "entries: none was loaded");
	ok(quire_engine_load_entries(engine, 0, pages), "entries: all");
	host_free(host);
}

static void test_config(void)
{
	struct host *host = host_new(VRAM, APERTURE, 0, 0);
	struct quire_engine *engine = calloc(1, sizeof(*engine));
	struct quire_engine_config config;
	const char *why;

#define REFUSED(what) do { \
	config = host->memory.config; \
	what; \
	ok(!quire_engine_init(engine, &config, &why) && why, "config: %s", #what); \
	quire_engine_fini(engine); \
} while (0)
	REFUSED(config.vram_size = 0);
	REFUSED(config.vram_size = VRAM + 1);
	REFUSED(config.vram_size = 1ull << 63);
	REFUSED(config.vram_visible = VRAM + PAGE);
	REFUSED(config.vram_visible = 8);
	REFUSED(config.aperture_size = 0);
	REFUSED(config.aperture_size = PAGE / 2);
	REFUSED(config.aperture_size = ~0xfffull);
	REFUSED(config.window_size = PAGE / 2);
	REFUSED(config.window_size = 3 * PAGE);
	REFUSED(config.window_size = 1ull << 40);
	free(engine);
	host_free(host);
}

int main(void)
{
	test_good();
	test_reached();
	test_injected();
	test_earlier();
	test_discard();
	test_spoiled();
	test_fault_end();
	test_entry_bits();
	test_unmapped();
	test_noise();
	test_early_end();
	test_early_end_access();
	test_early_end_run();
	test_entries_outside();
	test_config();
	return tap_done();
}
