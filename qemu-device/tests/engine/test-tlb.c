// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: translations that are remembered. A driver that forgets to flush them finds
 * out; one that need not does well; and how often tables are walked.
 */
#include <string.h>

#include "mmu.h"
#include "tap.h"

#define OUT		0x222222200000ull	/* where values are copied to */
#define OUT_AT		(VRAM_SPARE + 4 * PAGE)
#define VA		0x0abcde400000ull
#define A		(VRAM_PAGES + 8 * PAGE)
#define B		(VRAM_PAGES + 9 * PAGE)

/* What the pages have in their first bytes. */
#define IN_A		0xaaaa0000aaaaull
#define IN_B		0xbbbb0000bbbbull
#define NOTHING		(~0ull)		/* a fault */
#define AHEAD_PAGES	40u

static struct mmu *start(uint32_t tlb_entries)
{
	struct mmu *m = mmu_new(1, 0, 0, tlb_entries);

	space_page(&m->space, OUT, PTE_VRAM | OUT_AT);
	place_put(m->host, 1, A, IN_A);
	place_put(m->host, 1, B, IN_B);
	return m;
}

/* The number at @va as the device sees it. After a fault the context can go on. */
static uint64_t look(struct mmu *m, uint64_t va)
{
	m->p.size = 0;
	command_copy(&m->p, va, OUT, 8);
	if (mmu_run(m, false))
		return place_get(m->host, 1, OUT_AT);
	place_put(m->host, 0, m->context, CONTEXT_MAGIC);
	runner_start(&m->r, m->host, 1);
	return NOTHING;
}

static uint64_t walks(struct mmu *m)
{
	return host_reg64(m->host, 0xb8);
}

/* A table of level @level - 1 and all below it, which lead to a page. */
static uint64_t tables_to(struct mmu *m, unsigned int level, uint64_t page)
{
	struct space other;

	space_init(&other, m->host, m->pools, 1);
	space_page(&other, VA, PTE_VRAM | page);
	return space_get(&other, VA, level);
}

/* The entry of a level leads to A, then to B. */
static void test_entry(unsigned int level)
{
	struct mmu *m = start(HOST_TLB);
	uint64_t a = tables_to(m, level, A), b = tables_to(m, level, B);

	space_set(&m->space, VA, level, a);
	is(look(m, VA), IN_A, "entry: leads to a page");
	space_set(&m->space, VA, level, b);
	ok(look(m, VA) == IN_A && look(m, VA) == IN_A,
	   "entry: of level %u, a change is not noticed", level);
	mmu_flush(m);
	ok(look(m, VA) == IN_B, "entry: of level %u, but after a flush", level);
	space_set(&m->space, VA, level, 0);
	ok(look(m, VA) == IN_B, "entry: of level %u, nor that it is not valid any more", level);
	mmu_flush(m);
	ok(look(m, VA) == NOTHING, "entry: of level %u, but after a flush", level);
	space_set(&m->space, VA, level, a);
	ok(look(m, VA) == IN_A, "entry: of level %u, what becomes valid needs none", level);
	mmu_free(m);
}

/* Pages of each size, and of each segment. */
static void test_page(const char *name, uint64_t size, uint64_t a, uint64_t b)
{
	struct mmu *m = start(HOST_TLB);
	void (*set)(struct space *space, uint64_t va, uint64_t entry) =
		size == PAGE ? space_page : size == SIZE_64K ? space_64k : space_large;
	uint64_t at = size - 64, seen;

	place_put(m->host, a >> 5 & 3, (a & PTE_ADDRESS) + at, IN_A);
	place_put(m->host, b >> 5 & 3, (b & PTE_ADDRESS) + at, IN_B);
	set(&m->space, VA, a);
	is(look(m, VA + at), IN_A, "page: is there");
	set(&m->space, VA, b);
	ok(look(m, VA + at) == IN_A, "page: %s, not noticed", name);
	/* all of it is one translation */
	if (size > PAGE) {
		seen = place_get(m->host, a >> 5 & 3, (a & PTE_ADDRESS) + 8);
		ok(look(m, VA + 8) == seen, "page: %s, nor at its other end", name);
	}
	mmu_flush(m);
	ok(look(m, VA + at) == IN_B, "page: %s, noticed after a flush", name);
	mmu_free(m);
}

/* What it may do is remembered, too. */
static void test_rights(void)
{
	struct mmu *m = start(HOST_TLB);

	space_page(&m->space, VA, PTE_VRAM | A);
	is(look(m, VA), IN_A, "rights: read");
	space_page(&m->space, VA, PTE_VRAM | PTE_READ_ONLY | A);
	m->p.size = 0;
	command_write_value(&m->p, VA, 77);
	ok(mmu_run(m, false) && place_get(m->host, 1, A) == 77,
	   "rights: read only is not noticed");
	mmu_flush(m);
	ok(!mmu_run(m, false) && runner_reg(&m->r, 0x24) == QUIRE_FAULT_PROTECTION,
	   "rights: but after a flush");
	mmu_free(m);
}

/* The same number of an address in two address spaces. */
static void test_roots(void)
{
	struct mmu *m = start(HOST_TLB);
	struct space other;
	uint64_t context = m->context;
	unsigned int i;
	bool good = true;

	space_init(&other, m->host, m->pools, 0);
	space_page(&other, OUT, PTE_VRAM | OUT_AT);
	space_page(&other, VA, PTE_VRAM | B);
	space_page(&m->space, VA, PTE_VRAM | A);
	context_make(m->host, CONTEXT_IN_RAM(1), other.root);
	for (i = 0; i < 8; i++) {
		m->context = i & 1 ? CONTEXT_IN_RAM(1) : context;
		good &= look(m, VA) == (i & 1 ? IN_B : IN_A);
	}
	ok(good, "roots: each context sees its own page");
	/* a third context, of the second address space: what is remembered is its, too */
	space_page(&other, VA, PTE_VRAM | A);
	context_make(m->host, CONTEXT_IN_RAM(2), other.root);
	m->context = CONTEXT_IN_RAM(2);
	is(look(m, VA), IN_B, "roots: contexts share what is remembered of a root");
	/* another root for the first context: there is nothing of it */
	m->context = context;
	context_make(m->host, context, other.root);
	is(look(m, VA), IN_B, "roots: a context with another root");
	mmu_free(m);
}

static void test_reset(void)
{
	struct mmu *m = start(HOST_TLB);

	space_page(&m->space, VA, PTE_VRAM | A);
	is(look(m, VA), IN_A, "reset: remembered");
	ok(walks(m) > 0, "reset: tables were walked");
	space_page(&m->space, VA, PTE_VRAM | B);
	runner_set_reg(&m->r, 0x14, 0);
	runner_start(&m->r, m->host, 1);
	is(look(m, VA), IN_A, "reset: not by disabling a ring");
	host_set_reg(m->host, 0x30, 1);
	is(walks(m), 0, "reset: nothing was walked since");
	mmu_setup(m);
	is(look(m, VA), IN_B, "reset: all is forgotten");
	space_page(&m->space, VA, PTE_VRAM | A);
	ok(host_migrate(m->host) && look(m, VA) == IN_A, "reset: as on another machine");
	mmu_free(m);
}

/* A device that remembers nothing. */
static void test_none(void)
{
	struct mmu *m = start(0);
	uint64_t before;

	is(host_reg(m->host, 0x54), 0, "none: TLB_ENTRIES");
	space_page(&m->space, VA, PTE_VRAM | A);
	is(look(m, VA), IN_A, "none: a page");
	space_page(&m->space, VA, PTE_VRAM | B);
	is(look(m, VA), IN_B, "none: a change is noticed");
	before = walks(m);
	is(look(m, VA), IN_B, "none: the same once more");
	ok(walks(m) >= before + 2, "none: tables are walked anew");
	mmu_free(m);
}

/* More pages than the TLB holds, again and again, some of which change. */
static void test_thrash(uint32_t entries)
{
	struct mmu *m = start(entries);
	uint64_t at[64], before;
	unsigned int i, n;
	bool good = true;

	for (i = 0; i < 64; i++) {
		at[i] = (64 + i) * PAGE;
		place_put(m->host, 1, at[i], 1000 + i);
		space_page(&m->space, VA + i * PAGE * 33, PTE_VRAM | at[i]);
	}
	before = walks(m);
	for (n = 0; n < 600; n++) {
		i = test_random() % 64;
		if (!(n % 20)) {
			at[i] = (64 + test_random() % 64) * PAGE;
			space_page(&m->space, VA + i * PAGE * 33, PTE_VRAM | at[i]);
			mmu_flush(m);
		}
		good &= look(m, VA + i * PAGE * 33) == place_get(m->host, 1, at[i]);
	}
	ok(good, "thrash: %u translations, and pages are right", entries);
	if (entries < 64)
		ok(walks(m) - before > 300, "thrash: most of them were walked for");
	mmu_free(m);
}

/* What is remembered is not walked for. */
static void test_hit(void)
{
	struct mmu *m = start(HOST_TLB);
	uint64_t before = walks(m);

	space_page(&m->space, VA, PTE_VRAM | A);
	look(m, VA);
	ok(walks(m) - before == 2, "hit: two pages are walked for");
	before = walks(m);
	look(m, VA + 8);
	look(m, VA);
	is(walks(m) - before, 0, "hit: not any more");
	mmu_flush(m);
	look(m, VA);
	is(walks(m) - before, 2, "hit: but after a flush");
	mmu_free(m);
}

/*
 * Many pages are walked for together: once for each 2 MiB of a side and slice. @pages of the
 * source from @src on, each somewhere else.
 */
static void test_walks(uint32_t entries, uint64_t src, unsigned int pages, unsigned int parts)
{
	struct mmu *m = start(entries);
	uint64_t before, slices;
	unsigned int i;

	for (i = 0; i < pages; i++) {
		space_page(&m->space, src + i * PAGE,
			   PTE_VRAM | (VRAM_PAGES + (2 * i + 1) % 512 * PAGE));
		space_page(&m->space, VA + i * PAGE, PTE_SYSTEM | (RAM_PAGES + i * PAGE));
	}
	mmu_flush(m);
	m->p.size = 0;
	command_copy(&m->p, src, VA, pages * PAGE);
	before = walks(m);
	ok(mmu_run(m, false), "walks: a copy of %u pages", pages);
	ok(walks(m) - before >= 2 && walks(m) - before <= parts + 1,
	   "walks: %u for it, not one for each page", (unsigned int)(walks(m) - before));

	mmu_flush(m);
	m->host->memory.engine.slice_ns = 1;
	m->host->memory.engine.look_bytes = 5 * PAGE;
	before = walks(m);
	slices = 0;
	runner_submit_in(&m->r, &m->p, ++m->fence, m->context);
	while (memory_host_run(&m->host->memory))
		slices++;
	ok(runner_fence(&m->r) == m->fence && slices >= pages / 5,
	   "walks: in %u slices", (unsigned int)slices);
	ok(walks(m) - before <= 2 * (slices + 1) + parts,
	   "walks: %u, one for a side and slice", (unsigned int)(walks(m) - before));
	mmu_free(m);
}

/*
 * The end of what is written is looked at before the rest is copied, also where it has another
 * table: each table is found once all the same. From @src, past it, to @dst, as many pages as a
 * slice looks ahead for.
 */
static void test_walks_ahead(uint64_t src, uint64_t dst, unsigned int tables)
{
	struct mmu *m = start(HOST_TLB);
	uint64_t before;
	unsigned int i;

	for (i = 0; i < AHEAD_PAGES; i++) {
		space_page(&m->space, src + i * PAGE, PTE_VRAM | (VRAM_PAGES + i * PAGE));
		space_page(&m->space, dst + i * PAGE,
			   PTE_VRAM | (VRAM_PAGES + (AHEAD_PAGES + i) * PAGE));
	}
	mmu_flush(m);
	m->host->memory.engine.look_bytes = AHEAD_PAGES * PAGE;
	m->p.size = 0;
	command_copy(&m->p, src, dst, AHEAD_PAGES * PAGE);
	before = walks(m);
	ok(mmu_run(m, false), "ahead: a copy %s, from %#llx", src < dst ? "up" : "down",
	   (unsigned long long)src);
	is(walks(m) - before, tables, "ahead: a walk for each table of a side");
	mmu_free(m);
}

/* Pages that are one translation are walked for once. */
static void test_large_walks(void)
{
	struct mmu *m = start(HOST_TLB);
	uint64_t before;

	space_large(&m->space, VA, PTE_VRAM | VRAM_LARGE);
	space_large(&m->space, VA + SIZE_2M, PTE_SYSTEM | RAM_LARGE);
	m->host->memory.engine.slice_ns = 1;
	m->host->memory.engine.look_bytes = PAGE;
	m->p.size = 0;
	command_copy(&m->p, VA, VA + SIZE_2M, MIB);
	before = walks(m);
	ok(mmu_run(m, false), "large: a copy");
	is(walks(m) - before, 2, "large: one translation of a side, in all slices");
	mmu_free(m);
}

int main(void)
{
	unsigned int level;

	test_seed(23);
	for (level = 0; level < 4; level++)
		test_entry(level);
	test_page("4 KiB", PAGE, PTE_VRAM | A, PTE_VRAM | B);
	test_page("4 KiB, system", PAGE, PTE_SYSTEM | RAM_PAGES, PTE_SYSTEM | (RAM_PAGES + PAGE));
	test_page("64 KiB", SIZE_64K, PTE_VRAM | VRAM_64K, PTE_SYSTEM | RAM_64K);
	test_page("2 MiB", SIZE_2M, PTE_VRAM | VRAM_LARGE, PTE_SYSTEM | RAM_LARGE);
	test_page("2 MiB, aperture", SIZE_2M, PTE_APERTURE | APERTURE_LARGE,
		  PTE_VRAM | VRAM_LARGE);
	test_rights();
	test_roots();
	test_reset();
	test_none();
	test_thrash(4);
	test_thrash(16);
	test_thrash(256);
	test_hit();
	test_walks(256, 0x40000000, 250, 1);
	test_walks(256, 0x40000000 - 100 * PAGE, 250, 2);
	test_walks(4, 0x40000000, 250, 1);
	test_walks(0, 0x40000000 - 3 * PAGE, 250, 2);
	test_walks_ahead(0x40000000, 0x60000000 - 32 * PAGE, 3);
	test_walks_ahead(0x60000000 - 36 * PAGE, 0x60000000 - 32 * PAGE, 4);
	test_walks_ahead(0x60000000 - 28 * PAGE, 0x60000000 - 32 * PAGE, 4);
	test_large_walks();
	return tap_done();
}
