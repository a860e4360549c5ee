// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: state with a context: saved and loaded in the middle of what it executes, and
 * refused if no engine gets there.
 */
#include <stdlib.h>
#include <string.h>

#include "mmu.h"
#include "tap.h"

#define SRC		0x0abcde400000ull
#define DST		0x0abcdf000000ull
#define PAGES		24u
#define SRC_AT(i)	(VRAM_PAGES + (30 - (i)) * PAGE)
#define DST_AT(i)	(VRAM_PAGES + (100 + 2 * (i)) * PAGE)

static struct mmu *start(void)
{
	struct mmu *m = mmu_new(2, 1, PAGE, HOST_TLB);
	unsigned int i;

	for (i = 0; i < PAGES; i++) {
		space_page(&m->space, SRC + i * PAGE, PTE_VRAM | SRC_AT(i));
		space_page(&m->space, DST + i * PAGE, PTE_VRAM | DST_AT(i));
	}
	return m;
}

static struct quire_ring *ring_of(struct mmu *m, bool paging)
{
	return &m->host->memory.engine.ring[paging ? 0 : m->r.ring];
}

static void submit_copy(struct mmu *m, bool paging)
{
	m->p.size = 0;
	if (paging)
		packet_transfer_virtual(&m->p, 0, 2, SRC, DST, PAGES * PAGE);
	else
		command_copy(&m->p, SRC, DST, PAGES * PAGE);
	m->fence++;
	if (paging)
		host_submit_in(m->host, &m->p, m->fence, m->context);
	else
		runner_submit_in(&m->r, &m->p, m->fence, m->context);
}

static bool is_done(struct mmu *m, bool paging)
{
	return (paging ? host_get64(m->host, FENCE_PAGE) : runner_fence(&m->r)) == m->fence;
}

/* In the middle of the copy. */
static struct mmu *middle(bool paging)
{
	struct mmu *m = start();

	submit_copy(m, paging);
	while (!ring_of(m, paging)->done)
		memory_host_run(&m->host->memory);
	return m;
}

static bool is_copied(struct mmu *m, unsigned int first)
{
	const uint8_t *vram = m->host->memory.vram;
	unsigned int i;

	for (i = first; i < PAGES; i++)
		if (memcmp(vram + SRC_AT(i), vram + DST_AT(i), PAGE))
			return false;
	return true;
}

/* After each slice. */
static void test_copy(bool paging)
{
	struct mmu *m = start();
	unsigned int moves = 0;
	bool good = true;

	submit_copy(m, paging);
	do {
		good &= host_migrate(m->host);
		moves++;
	} while (good && memory_host_run(&m->host->memory) && moves < 1000);
	ok(good && is_done(m, paging) && is_copied(m, 0) && moves > PAGES / 2,
	   "copy: %u migrations in one, %s ring", moves, paging ? "paging" : "execution");
	mmu_free(m);
}

/* The context was read when the submission began: what is loaded does not read it again. */
static void test_kept(bool paging)
{
	struct mmu *m = middle(paging);
	uint64_t walks = host_reg64(m->host, 0xb8);

	is(ring_of(m, paging)->context, m->context, "kept: the context");
	is(ring_of(m, paging)->root, m->space.root, "kept: the root");
	memset(place_bytes(m->host, 0, m->context), 0, PAGE);
	ok(host_migrate(m->host) && walks && host_reg64(m->host, 0xb8) == walks, "kept: walks");
	ok(host_run(m->host) && is_done(m, paging) && is_copied(m, 0),
	   "kept: it goes on, %s ring", paging ? "paging" : "execution");
	ok(!ring_of(m, paging)->context && !ring_of(m, paging)->root, "kept: not for longer");
	mmu_free(m);
}

/* No translation is remembered: what the tables say now is what counts. */
static void test_forgotten(bool paging)
{
	struct mmu *m = middle(paging);
	unsigned int first = ring_of(m, paging)->done / PAGE + 2, i;

	for (i = first; i < PAGES; i++)
		space_page(&m->space, DST + i * PAGE, PTE_VRAM | (DST_AT(i) + PAGE));
	ok(host_migrate(m->host) && host_run(m->host) && is_done(m, paging), "forgotten: done");
	for (i = first; i < PAGES; i++)
		if (memcmp(m->host->memory.vram + SRC_AT(i),
			   m->host->memory.vram + DST_AT(i) + PAGE, PAGE))
			break;
	ok(i == PAGES && first < PAGES, "forgotten: the rest went to other pages, %s ring",
	   paging ? "paging" : "execution");
	mmu_free(m);
}

/* A fault that was to come comes on the other side, and is latched there. */
static void test_fault(bool paging)
{
	struct mmu *m = middle(paging);
	uint64_t at = DST + (PAGES - 1) * PAGE;

	space_page(&m->space, at, PTE_VRAM | PTE_READ_ONLY | DST_AT(PAGES - 1));
	ok(host_migrate(m->host) && host_run(m->host) && !is_done(m, paging) &&
	   ring_of(m, paging)->fault_code == QUIRE_FAULT_PROTECTION &&
	   ring_of(m, paging)->fault_addr == at, "fault: after a migration");
	is(context_get64(m->host, m->context, CONTEXT_ADDRESS), at, "fault: the context is told");
	ok(host_migrate(m->host) && ring_of(m, paging)->fault_addr == at, "fault: it migrates");
	mmu_free(m);
}

/* While a FLUSH_TLB waits for a thread. */
static void test_flush(void)
{
	struct mmu *m = start();

	m->host->memory.work_least = PAGE;
	m->host->memory.work_slices = 1000;
	submit_copy(m, false);
	while (!m->host->memory.working)
		memory_host_run(&m->host->memory);
	m->p.size = 0;
	packet_flush_tlb(&m->p, m->space.root, 0, 0);
	host_submit(m->host, &m->p, 77);
	memory_host_run(&m->host->memory);
	memory_host_run(&m->host->memory);
	ok(host_migrate(m->host), "flush: a migration while it waits, or has waited");
	m->host->memory.work_slices = 0;
	ok(host_run(m->host) && host_get64(m->host, FENCE_PAGE) == 77 && is_done(m, false) &&
	   is_copied(m, 0), "flush: both are done");
	mmu_free(m);
}

/* Fetched from a virtual address, and not begun yet. */
static void test_fetched(void)
{
	struct mmu *m = start();

	m->p.size = 0;
	command_copy(&m->p, SRC + PAGE, DST, 4 * PAGE);
	command_copy(&m->p, SRC, DST, PAGES * PAGE);
	memcpy(m->host->memory.vram + SRC_AT(0) + 64, m->p.bytes, m->p.size);
	runner_submit_at(&m->r, SRC + 64, m->p.size, ++m->fence, m->context);
	while (!ring_of(m, false)->active)
		memory_host_run(&m->host->memory);
	memset(m->host->memory.vram + SRC_AT(0) + 64, 0, m->p.size);
	ok(host_migrate(m->host) && ring_of(m, false)->addr == SRC + 64 && host_run(m->host) &&
	   is_done(m, false) && is_copied(m, 0), "fetched: it goes on");
	mmu_free(m);
}

#define SPOIL(on_paging, what) do { \
	bool on = on_paging; \
	struct mmu *m = middle(on); \
	struct quire_engine *engine = &m->host->memory.engine; \
	struct quire_ring *ring = ring_of(m, on); \
	const char *why = NULL; \
	\
	what; \
	ok(!quire_engine_post_load(engine, &why) && why, "refused: %s (%s)", #what, \
	   why ? why : "loaded"); \
	ok(!memory_host_run(&m->host->memory) && !ring->control && !ring->context && \
	   !ring->root, "and reset"); \
	mmu_free(m); \
} while (0)

static void test_refused(void)
{
	unsigned int paging;

	for (paging = 0; paging < 2; paging++) {
		SPOIL(paging, ring->flags &= ~QUIRE_ENTRY_CONTEXT);
		SPOIL(paging, ring->flags = QUIRE_ENTRY_VIRTUAL);
		SPOIL(paging, ring->flags |= 8);
		SPOIL(paging, ring->flags = 0; ring->context = 0; ring->root = 0);
		SPOIL(paging, ring->flags |= QUIRE_ENTRY_VIRTUAL; ring->addr = VA_END);
		SPOIL(paging, ring->flags |= QUIRE_ENTRY_VIRTUAL; ring->addr = VA_END - 8);
		SPOIL(paging, ring->context |= 8);
		SPOIL(paging, ring->context |= 0x800);
		SPOIL(paging, ring->context |= 3ull << 56);
		SPOIL(paging, ring->context = IN_VRAM(16 * MIB));
		SPOIL(paging, ring->context = IN_APERTURE(16 * MIB));
		SPOIL(paging, ring->done = PAGES * PAGE);
		SPOIL(paging, ring->active = false);
	}
	/* an end behind the addresses, and no size */
	SPOIL(true, memset(ring->submission + 24, 0xff, 8));
	SPOIL(true, memset(ring->submission + 32, 0, 8));
	SPOIL(false, memset(ring->submission + 16, 0xff, 8));
}

/* A ring that is idle, or off, has no context. */
static void test_idle(void)
{
	struct mmu *m;
	const char *why;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		m = start();
		if (i & 1)
			m->host->memory.engine.ring[0].context = RAM_CONTEXTS;
		else
			m->host->memory.engine.ring[0].root = m->space.root;
		if (i & 2)
			m->host->memory.engine.ring[0].control = 0;
		ok(!quire_engine_post_load(&m->host->memory.engine, &why),
		   "idle: with a part of a context");
		mmu_free(m);
	}
}

/* Random bits of a state with a context; whatever loads may run. */
static void test_noise(void)
{
	size_t registers = offsetof(struct quire_ring, submission);
	unsigned int round, i, loaded = 0;
	bool ends = true;

	for (round = 0; round < 200; round++) {
		struct mmu *m = middle(round & 1);
		struct quire_ring *ring = ring_of(m, round & 1);
		uint8_t *bytes = (uint8_t *)ring;
		const char *why;

		for (i = 0; i < 1 + round % 3; i++) {
			unsigned int where = test_random() % 4;
			uint8_t *at = bytes + test_random_below(registers);

			if (!where)
				at = ring->submission + test_random_below(40);
			else if (where == 1)
				at = (uint8_t *)&ring->root + test_random_below(8);
			else if (where == 2)
				at = (uint8_t *)&ring->context + test_random_below(8);
			*at ^= 1u << test_random() % 8;
		}
		/* As a stream is read: a boolean is never anything else. */
		bytes[offsetof(struct quire_ring, pending)] &= 1;
		bytes[offsetof(struct quire_ring, active)] &= 1;
		bytes[offsetof(struct quire_ring, started)] &= 1;
		bytes[offsetof(struct quire_ring, hung)] &= 1;
		loaded += quire_engine_post_load(&m->host->memory.engine, &why);
		m->host->memory.engine.look_bytes = 1ull << 40;
		ends &= host_run(m->host);
		mmu_free(m);
	}
	ok(ends, "noise: every state ends");
	ok(loaded > 10 && loaded < 190, "noise: %u of 200 states load", loaded);
}

static void test_config(void)
{
	static const uint32_t bad[] = { 3, 5000, 1u << 31 };
	struct mmu *m = start();
	struct quire_engine *engine = calloc(1, sizeof(*engine));
	struct quire_engine_config config = m->host->memory.config;
	const char *why;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		why = NULL;
		config.tlb_entries = bad[i];
		ok(!quire_engine_init(engine, &config, &why) && why, "config: %u translations",
		   bad[i]);
		quire_engine_fini(engine);
	}
	free(engine);
	mmu_free(m);
}

int main(void)
{
	unsigned int paging;

	test_seed(30);
	for (paging = 0; paging < 2; paging++) {
		test_copy(paging);
		test_kept(paging);
		test_forgotten(paging);
		test_fault(paging);
	}
	test_flush();
	test_fetched();
	test_refused();
	test_idle();
	test_noise();
	test_config();
	return tap_done();
}
