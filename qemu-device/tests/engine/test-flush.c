// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: FLUSH_TLB: which translations it forgets, exactly, and that it waits for what
 * other rings do with them.
 */
#include <string.h>

#include "mmu.h"
#include "tap.h"

#define OUT		0x222222200000ull
#define OUT_AT		(VRAM_SPARE + 4 * PAGE)
#define VA		0x0abcde400000ull
#define PAGES		8u
#define OLD(i)		((16 + (i)) * PAGE)
#define NEW(i)		((32 + (i)) * PAGE)

/* Of the test with threads, which has all in VRAM. */
#define BIG_VRAM	(24 * MIB)
#define BIG_TABLES	(20 * MIB)
#define LEAST		SIZE_64K
#define PART		(4 * MIB)
#define COPIES		20u	/* of a ring, one after the other */
#define SRC		0x100000000000ull
#define DST		0x200000000000ull

static uint64_t look(struct mmu *m, uint64_t va)
{
	m->p.size = 0;
	command_copy(&m->p, va, OUT, 8);
	return mmu_run(m, false) ? place_get(m->host, 1, OUT_AT) : ~0ull;
}

static bool flush(struct mmu *m, uint64_t root, uint64_t first, uint64_t end)
{
	m->p.size = 0;
	packet_flush_tlb(&m->p, root, first, end);
	return mmu_run_physical(m);
}

/* Pages in a row, which are remembered, and are others meanwhile. */
static struct mmu *start(uint64_t va)
{
	struct mmu *m = mmu_new(2, 0, 0, HOST_TLB);
	unsigned int i;

	space_page(&m->space, OUT, PTE_VRAM | OUT_AT);
	for (i = 0; i < PAGES; i++) {
		place_put(m->host, 1, OLD(i), 100 + i);
		place_put(m->host, 1, NEW(i), 200 + i);
		space_page(&m->space, va + i * PAGE, PTE_VRAM | OLD(i));
		is(look(m, va + i * PAGE), 100 + i, "flush: a page is there");
		space_page(&m->space, va + i * PAGE, PTE_VRAM | NEW(i));
	}
	return m;
}

/* Pages @first to @end of those at @va are new, and no others. */
static bool are_new(struct mmu *m, uint64_t va, unsigned int first, unsigned int end)
{
	unsigned int i;
	bool good = true;

	for (i = 0; i < PAGES; i++)
		good &= look(m, va + i * PAGE) == (i >= first && i < end ? 200 : 100) + i;
	return good;
}

static void test_range(uint64_t va, unsigned int first, unsigned int end)
{
	struct mmu *m = start(va);

	ok(flush(m, m->space.root, va + first * PAGE, va + end * PAGE) &&
	   are_new(m, va, first, end), "flush: pages %u to %u at 0x%llx, and no more", first, end,
	   (unsigned long long)va);
	mmu_free(m);
}

static void test_ranges(void)
{
	struct mmu *m;
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		test_range(VA - 3 * PAGE, i, i + 1);
	test_range(VA, 0, 3);
	test_range(VA, 5, PAGES);
	test_range((1ull << 39) - 4 * PAGE, 2, 6);
	test_range(0, 0, 1);
	test_range(0, 1, PAGES);
	test_range(VA_END - PAGES * PAGE, 7, PAGES);

	m = start(VA);
	ok(flush(m, m->space.root, 0, VA) && flush(m, m->space.root, VA + PAGES * PAGE, VA_END) &&
	   are_new(m, VA, 0, 0), "flush: nothing before and behind");
	ok(flush(m, m->space.root, 0, VA + PAGE) && are_new(m, VA, 0, 1),
	   "flush: from the begin on");
	ok(flush(m, m->space.root, VA + PAGE, VA_END) && are_new(m, VA, 0, PAGES),
	   "flush: to the end of all");
	mmu_free(m);

	m = start(VA);
	ok(flush(m, m->space.root, 0, 0) && are_new(m, VA, 0, PAGES), "flush: all");
	mmu_free(m);
}

/* Of another root, though it leads to the same tables, or there is none. */
static void test_other_root(void)
{
	struct mmu *m = start(VA);
	struct space other;

	space_init(&other, m->host, m->pools, 1);
	ok(flush(m, other.root, 0, 0) && flush(m, other.root, VA, VA + PAGE) &&
	   are_new(m, VA, 0, 0), "flush: of another root");
	ok(flush(m, PTE_SYSTEM | HOLE, 0, 0) && are_new(m, VA, 0, 0),
	   "flush: of a root that is in no memory");
	ok(flush(m, m->space.root, VA, VA + PAGE) && are_new(m, VA, 0, 1), "flush: of its own");
	mmu_free(m);
}

/* A page that is larger than the range is forgotten as a whole; not if it is beside it. */
static void test_large(uint64_t size, uint64_t from, uint64_t to, bool touched)
{
	struct mmu *m = mmu_new(0, 0, 0, HOST_TLB);
	void (*set)(struct space *space, uint64_t va, uint64_t entry) =
		size == SIZE_64K ? space_64k : space_large;
	uint64_t first = size == SIZE_64K ? VRAM_64K : VRAM_LARGE;
	uint64_t second = size == SIZE_64K ? RAM_64K : RAM_LARGE;

	space_page(&m->space, OUT, PTE_VRAM | OUT_AT);
	place_put(m->host, 1, first, 1);
	place_put(m->host, 1, first + size - 8, 2);
	place_put(m->host, 0, second, 3);
	place_put(m->host, 0, second + size - 8, 4);
	set(&m->space, VA, PTE_VRAM | first);
	is(look(m, VA), 1, "flush: a large page");
	set(&m->space, VA, PTE_SYSTEM | second);
	ok(flush(m, m->space.root, VA + from, VA + to) && look(m, VA) == (touched ? 3 : 1) &&
	   look(m, VA + size - 8) == (touched ? 4 : 2),
	   "flush: of a page of 0x%llx bytes 0x%llx to 0x%llx: %s", (unsigned long long)size,
	   (unsigned long long)from, (unsigned long long)to,
	   touched ? "all is forgotten" : "nothing is");
	mmu_free(m);
}

static void test_sizes(void)
{
	static const uint64_t sizes[] = { SIZE_64K, SIZE_2M };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		test_large(sizes[i], 0, PAGE, true);
		test_large(sizes[i], 5 * PAGE, 6 * PAGE, true);
		test_large(sizes[i], sizes[i] - PAGE, sizes[i], true);
		test_large(sizes[i], sizes[i] - PAGE, 3 * sizes[i], true);
		test_large(sizes[i], -PAGE, PAGE, true);
		test_large(sizes[i], -4 * sizes[i], 0, false);
		test_large(sizes[i], sizes[i], 2 * sizes[i], false);
	}
}

/* In one submission, with the change before it: what follows sees what is new. */
static void test_order(uint32_t entries)
{
	struct mmu *m = mmu_new(1, 0, 0, entries);
	uint64_t page = PTE_VRAM | NEW(0);
	unsigned int segment;
	uint64_t table;

	space_page(&m->space, OUT, PTE_VRAM | OUT_AT);
	space_page(&m->space, VA, PTE_VRAM | OLD(0));
	place_put(m->host, 1, OLD(0), 100);
	place_put(m->host, 1, NEW(0), 200);
	table = space_table(&m->space, VA, 0, &segment);
	m->p.size = 0;
	packet_transfer_virtual(&m->p, 0, 2, VA, OUT, 8);
	packet_update_table(&m->p, 0, segment, 0, table, VA / PAGE % 512, 1, &page, 1);
	packet_flush_tlb(&m->p, m->space.root, VA, VA + PAGE);
	packet_transfer_virtual(&m->p, 0, 2, VA, OUT + 8, 8);
	ok(mmu_run(m, true) && place_get(m->host, 1, OUT_AT) == 100 &&
	   place_get(m->host, 1, OUT_AT + 8) == 200,
	   "order: what follows in the same slice sees it, %u translations", entries);
	mmu_free(m);
}

/* An engine whose threads do long copies, and large pages: source, destination, another. */
static struct host *big(struct space *space, struct pool *pools, struct runner *r,
			uint64_t context)
{
	struct host *host = host_with_tlb(BIG_VRAM, MIB, 0, 0, HOST_TLB);
	unsigned int i;

	host->memory.work_least = LEAST;
	host->memory.work_slices = 6;
	test_scramble(host->memory.vram, 8 * MIB);
	pools[1] = (struct pool){ BIG_TABLES, BIG_TABLES + MIB };
	space_init(space, host, pools, 1);
	for (i = 0; i < 4; i++) {
		space_large(space, SRC + i * SIZE_2M, PTE_VRAM | i * SIZE_2M);
		space_large(space, DST + i * SIZE_2M, PTE_VRAM | (4 + i) * SIZE_2M);
	}
	context_make(host, context, space->root);
	host_ring_setup(host, 4);
	host_ring_enable(host);
	runner_start(r, host, 1);
	return host;
}

/* All that began with a translation from before is there when the flush is done. */
static void test_waits(uint64_t size)
{
	static struct packets p;
	struct pool pools[2] = { { 0 } };
	uint64_t context = CONTEXT_IN_RAM(0), before, done = 0;
	struct space space;
	struct runner r;
	struct host *host = big(&space, pools, &r, context);
	unsigned int slices;
	bool ended = false;

	p.size = 0;
	command_copy(&p, SRC, DST, size);
	runner_submit_in(&r, &p, 1, context);
	for (slices = 0; !host->memory.working && slices < 10; slices++)
		memory_host_run(&host->memory);
	before = runner_ring(&r)->done;
	ok(host->memory.working == 1 && before < size, "waits: a copy is at work");
	/* what is left of it goes somewhere else */
	space_large(&space, DST + 2 * SIZE_2M, PTE_VRAM | 8 * SIZE_2M);
	space_large(&space, DST + 3 * SIZE_2M, PTE_VRAM | 9 * SIZE_2M);
	p.size = 0;
	packet_flush_tlb(&p, space.root, 0, 0);
	host_submit(host, &p, 2);
	for (slices = 0; host_get64(host, FENCE_PAGE) != 2 && slices < 100; slices++) {
		memory_host_run(&host->memory);
		if (host_get64(host, FENCE_PAGE) != 2)
			continue;
		done = runner_ring(&r)->active ? runner_ring(&r)->done : size;
		ended = done > before || runner_ring(&r)->offset || runner_ring(&r)->rptr;
	}
	ok(host_get64(host, FENCE_PAGE) == 2 && ended,
	   "waits: the flush is done after what was at work, of 0x%llx bytes",
	   (unsigned long long)size);
	ok(done <= before + PART, "waits: not for what began after it");
	host_run(host);
	is(runner_fence(&r), 1, "waits: the copy is done");
	done = done < PART ? PART : done;
	if (size > done)
		ok(!memcmp(host->memory.vram + done, host->memory.vram + 16 * MIB + done - PART,
			   size - done),
		   "waits: what came after the flush has the new translation");
	ok(!memcmp(host->memory.vram, host->memory.vram + 8 * MIB, size < PART ? size : PART),
	   "waits: and all is there");
	host_free(host);
}

static void copies_submit(struct runner *r, uint64_t context, unsigned int count)
{
	struct packets p;

	p.size = 0;
	while (count--)
		command_copy(&p, SRC, DST, PART);
	runner_submit_in(r, &p, 1, context);
}

/* Two rings of one address space copy by turns, so that one of them is always at work. */
static void test_antiphase(void)
{
	static struct packets p;
	struct pool pools[2] = { { 0 } };
	uint64_t context = CONTEXT_IN_RAM(0);
	struct space space;
	struct runner r, other;
	struct host *host = big(&space, pools, &r, context);
	unsigned int slices, most = 3 * host->memory.work_slices;

	runner_start(&other, host, 2);
	copies_submit(&r, context, COPIES);
	for (slices = 0; !host->memory.working || slices < 4; slices++)
		memory_host_run(&host->memory);
	copies_submit(&other, context, COPIES);
	while (host->memory.working < 2)
		memory_host_run(&host->memory);
	p.size = 0;
	packet_flush_tlb(&p, space.root, 0, 0);
	host_submit(host, &p, 2);
	for (slices = 0; host_get64(host, FENCE_PAGE) != 2 && slices < 1000; slices++)
		memory_host_run(&host->memory);
	ok(slices <= most && runner_ring(&r)->active && runner_ring(&other)->active,
	   "antiphase: the flush is done after %u slices, while both rings copy", slices);
	host_run(host);
	ok(runner_fence(&r) == 1 && runner_fence(&other) == 1, "antiphase: they end");
	host_free(host);
}

static void settle(struct host *host, const struct runner *r)
{
	(void)r;
	quire_engine_settle(&host->memory.engine);
}

static void disable(struct host *host, const struct runner *r)
{
	(void)host;
	runner_set_reg(r, 0x14, 0);
}

/* What a flush waits for ends while the engine does not run: the flush learns of it. */
static void test_ended(void (*end)(struct host *host, const struct runner *r), const char *how)
{
	static struct packets p;
	struct pool pools[2] = { { 0 } };
	uint64_t context = CONTEXT_IN_RAM(0);
	struct space space;
	struct runner r;
	struct host *host = big(&space, pools, &r, context);
	unsigned int slices;

	p.size = 0;
	command_copy(&p, SRC, DST, MIB);
	runner_submit_in(&r, &p, 1, context);
	for (slices = 0; !host->memory.working && slices < 10; slices++)
		memory_host_run(&host->memory);
	p.size = 0;
	packet_flush_tlb(&p, space.root, 0, 0);
	host_submit(host, &p, 2);
	memory_host_run(&host->memory);
	ok(host->memory.working == 1 && host_get64(host, FENCE_PAGE) != 2,
	   "%s: a flush waits", how);
	end(host, &r);
	ok(!host->memory.working && quire_engine_runnable(&host->memory.engine),
	   "%s: it can go on", how);
	host_run(host);
	ok(host_get64(host, FENCE_PAGE) == 2, "%s: it is done", how);
	host_free(host);
}

/* Of two rings that are at work with old translations one ends: the flush waits for the other. */
static void test_both(void (*end)(struct host *host, const struct runner *r), bool first)
{
	static struct packets p;
	struct pool pools[2] = { { 0 } };
	uint64_t context = CONTEXT_IN_RAM(0);
	struct space space;
	struct runner r[2];
	struct host *host = big(&space, pools, &r[0], context);

	host->memory.work_slices = 1000;
	runner_start(&r[1], host, 2);
	copies_submit(&r[0], context, 1);
	copies_submit(&r[1], context, 1);
	while (host->memory.working < 2)
		memory_host_run(&host->memory);
	p.size = 0;
	packet_flush_tlb(&p, space.root, 0, 0);
	host_submit(host, &p, 2);
	memory_host_run(&host->memory);
	disable(host, &r[!first]);
	memory_host_run(&host->memory);
	memory_host_run(&host->memory);
	ok(host->memory.working == 1 && host_get64(host, FENCE_PAGE) != 2,
	   "both: a flush waits for ring %u after ring %u has ended", 1 + first, 2 - first);
	end(host, &r[first]);
	ok(!host->memory.working && quire_engine_runnable(&host->memory.engine),
	   "both: it can go on");
	host_run(host);
	is(host_get64(host, FENCE_PAGE), 2, "both: it is done");
	host_free(host);
}

/* A ring that waits for a value is no reason to wait, and looks through the new page. */
static void test_not_for_waits(void)
{
	static struct packets p;
	struct pool pools[2] = { { 0 } };
	uint64_t context = CONTEXT_IN_RAM(0);
	struct space space;
	struct runner r;
	struct host *host = big(&space, pools, &r, context);

	place_put(host, 1, 17 * MIB, 0);
	place_put(host, 1, 17 * MIB + PAGE, 5);
	space_page(&space, VA, PTE_VRAM | 17 * MIB);
	p.size = 0;
	command_wait_value(&p, 1, VA, 5);
	runner_submit_in(&r, &p, 1, context);
	host_run(host);
	ok(runner_reg(&r, 0x18) == 1 && !runner_fence(&r), "waits: a ring waits for a value");
	space_page(&space, VA, PTE_VRAM | (17 * MIB + PAGE));
	p.size = 0;
	packet_flush_tlb(&p, space.root, VA, VA + PAGE);
	host_submit(host, &p, 2);
	host_run(host);
	is(host_get64(host, FENCE_PAGE), 2, "waits: a flush does not wait for it");
	host->memory.time += 1000000;
	host_run(host);
	is(runner_fence(&r), 1, "waits: it finds the value in the new page");
	host_free(host);
}

int main(void)
{
	test_seed(24);
	test_ranges();
	test_other_root();
	test_sizes();
	test_order(HOST_TLB);
	test_order(4);
	test_order(0);
	test_waits(MIB);
	test_waits(PART);
	test_waits(8 * MIB);
	test_antiphase();
	test_ended(settle, "settled");
	test_ended(disable, "disabled");
	test_both(disable, false);
	test_both(disable, true);
	test_both(settle, true);
	test_not_for_waits();
	return tap_done();
}
