// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: NOTIFY_ALLOCATION: which bytes come to memory, which translations are forgotten,
 * exactly, and for whom it waits.
 */
#include <string.h>

#include "mmu.h"
#include "tap.h"

#define EVICTION	1u
#define UNMAP		2u

#define OUT		0x222222200000ull
#define OUT_AT		(VRAM_SPARE + 4 * PAGE)
#define VA		0x0abcde400000ull
#define FAR		0x0abcdf000000ull
#define LONG		0x300000000000ull
#define POSTED(i)	(RAM_APERTURE + (64 + (i)) * PAGE)
#define FILL		0x5a5a5a5au
#define APERTURE_EMPTY	(10 * SIZE_64K)	/* 16 pages of which none is mapped */

static bool tell(struct mmu *m, uint16_t flags, uint64_t va, uint64_t size)
{
	m->p.size = 0;
	packet_allocation(&m->p, flags, 16 * PAGE, size, va);
	return mmu_run(m, true);
}

/* Pages in a row: of memory, of the aperture, of VRAM, none, and of memory again; posted all. */
static struct mmu *start_posted(void)
{
	struct mmu *m = mmu_new(2, 0, 0, HOST_TLB);
	unsigned int i;

	space_page(&m->space, VA, PTE_SYSTEM | RAM_SPARE);
	space_page(&m->space, VA + PAGE, PTE_APERTURE | APERTURE_POSTED);
	space_page(&m->space, VA + 2 * PAGE, PTE_VRAM | VRAM_SPARE);
	space_page(&m->space, VA + 3 * PAGE, PTE_VALID | PTE_ZERO);
	space_page(&m->space, VA + 4 * PAGE, PTE_APERTURE | (APERTURE_POSTED + PAGE));
	space_page(&m->space, VA + 5 * PAGE, PTE_SYSTEM | (RAM_SPARE + PAGE));
	/* The same memory once more. */
	space_page(&m->space, FAR, PTE_SYSTEM | PTE_READ_ONLY | POSTED(1));
	m->p.size = 0;
	for (i = 0; i < 6; i++)
		packet_fill_virtual(&m->p, VA + i * PAGE + 64, 256, FILL);
	ok(mmu_run(m, true) && host_reg(m->host, 0xa0) == 4 * 256, "evict: bytes are posted");
	return m;
}

static bool is_there(struct mmu *m, uint64_t ram)
{
	return host_get32(m->host, ram + 64) == FILL && host_get32(m->host, ram + 316) == FILL;
}

/* Pages of the six, as bits: what is evicted is in memory, and nothing else. */
static void test_evict(uint64_t va, uint64_t size, unsigned int pages)
{
	static const struct {
		unsigned int bit;
		uint64_t ram;
	} places[] = {
		{ 1, RAM_SPARE }, { 2, POSTED(0) }, { 16, POSTED(1) }, { 32, RAM_SPARE + PAGE },
	};
	struct mmu *m = start_posted();
	unsigned int i, left = 0;
	bool good = true;

	ok(tell(m, EVICTION, va, size), "evict: done");
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		good &= is_there(m, places[i].ram) == !!(pages & places[i].bit);
		left += !(pages & places[i].bit);
	}
	ok(good && host_reg(m->host, 0xa0) == 256 * left, "evict: pages 0x%x, %u are left", pages,
	   left);
	model_take(&m->model);
	for (i = 0; i < ARRAY_SIZE(places); i++)
		memset(model_place(&m->model, 0, places[i].ram + 64, true), 0x5a, 256);
	mmu_settle(m);
	ok(model_same(&m->model), "evict: all is as it should be in the end");
	mmu_free(m);
}

static uint64_t look_in(struct mmu *m, uint64_t context, uint64_t va)
{
	uint64_t was = m->context, value = ~0ull;

	m->context = context;
	m->p.size = 0;
	command_copy(&m->p, va, OUT, 8);
	if (mmu_run(m, false))
		value = place_get(m->host, 1, OUT_AT);
	m->context = was;
	return value;
}

/*
 * struct way - a translation that is remembered
 * @other: of another address space
 * @size: of the page
 * @entry: of it
 * @in_page: where the page is in it that goes
 * @moved: a page of memory, to which @offset of the aperture is mapped
 * @offset: of a page, away from the others there
 */
struct way {
	bool other;
	uint64_t size;
	uint64_t entry;
	uint64_t in_page;
	uint64_t moved;
	uint64_t offset;
};

static void set_page(struct space *space, uint64_t va, uint64_t size, uint64_t entry)
{
	if (size == SIZE_2M)
		space_large(space, va, entry);
	else if (size == SIZE_64K)
		space_64k(space, va, entry);
	else
		space_page(space, va, entry);
}

/*
 * One way leads to memory that is @told by another one. Its entry is another one by now: who
 * has forgotten the translation finds that out.
 */
static void test_way(const struct way *way, uint64_t told, uint16_t flags, bool forgotten)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);
	uint64_t context = CONTEXT_IN_RAM(1), value;
	struct space other, *space = &m->space;

	space_init(&other, m->host, m->pools, 1);
	context_make(m->host, context, other.root);
	if (way->other)
		space = &other;
	else
		context = m->context;
	space_page(&m->space, OUT, PTE_VRAM | OUT_AT);
	space_page(&other, OUT, PTE_VRAM | OUT_AT);
	if (way->moved) {
		m->p.size = 0;
		packet_map(&m->p, way->offset / PAGE, 1, 1);
		packet_run(&m->p, way->moved, 1);
		packet_end(&m->p);
		place_put(m->host, 0, way->moved, 4711);
		ok(mmu_run_physical(m), "unmap: a page of the aperture moves");
	}
	set_page(space, LONG, way->size, way->entry);
	value = look_in(m, context, LONG + way->in_page);
	set_page(space, LONG, way->size, PTE_VALID | PTE_ZERO);
	space_page(&m->space, VA, told);
	ok(value && tell(m, flags, VA, PAGE) &&
	   look_in(m, context, LONG + way->in_page) == (forgotten ? 0 : value),
	   "unmap: entry 0x%llx of 0x%llx bytes, told 0x%llx: %s", (unsigned long long)way->entry,
	   (unsigned long long)way->size, (unsigned long long)told,
	   forgotten ? "forgotten" : "stays");
	mmu_free(m);
}

static void test_ways(void)
{
	const uint64_t vram = VRAM_PAGES + 17 * PAGE, ram = RAM_APERTURE + 5 * PAGE;
	const uint64_t aperture = PTE_APERTURE | (APERTURE_COHERENT + 5 * PAGE);
	const struct way to_vram = { false, PAGE, PTE_VRAM | vram, 0, 0, 0 };
	const struct way other = { true, PAGE, PTE_VRAM | PTE_READ_ONLY | vram, 0, 0, 0 };
	const struct way part = { false, SIZE_64K, PTE_VRAM | VRAM_64K, 3 * PAGE, 0, 0 };
	const struct way large = { true, SIZE_2M, PTE_SYSTEM | RAM_LARGE, 511 * PAGE, 0, 0 };
	const struct way to_ram = { false, PAGE, PTE_SYSTEM | PTE_COHERENT | ram, 0, 0, 0 };
	const struct way by_aperture = { true, PAGE, aperture, 0, 0, 0 };
	const struct way block = {
		false, SIZE_64K, PTE_APERTURE | APERTURE_COHERENT, 5 * PAGE, 0, 0
	};
	const struct way scattered = {
		false, SIZE_64K, PTE_APERTURE | APERTURE_COHERENT, 5 * PAGE, RAM_SPARE,
		APERTURE_COHERENT + 5 * PAGE
	};
	const struct way behind = {
		false, SIZE_2M, PTE_APERTURE | APERTURE_LARGE, 300 * PAGE, 0, 0
	};
	/* The same number in another segment. */
	const struct way same = { false, PAGE, PTE_VRAM | RAM_64K, 0, 0, 0 };

	test_way(&to_vram, PTE_VRAM | vram, UNMAP, true);
	test_way(&to_vram, PTE_VRAM | (vram + PAGE), UNMAP, false);
	test_way(&to_vram, PTE_VRAM | (vram - PAGE), UNMAP, false);
	test_way(&to_vram, PTE_VRAM | vram, EVICTION, false);
	test_way(&to_vram, PTE_VALID | PTE_ZERO, UNMAP, false);
	test_way(&other, PTE_VRAM | vram, UNMAP, true);
	test_way(&part, PTE_VRAM | VRAM_64K, UNMAP, true);
	test_way(&part, PTE_VRAM | (VRAM_64K + 15 * PAGE), UNMAP, true);
	test_way(&part, PTE_VRAM | (VRAM_64K + 16 * PAGE), UNMAP, false);
	test_way(&part, PTE_VRAM | (VRAM_64K - PAGE), UNMAP, false);
	test_way(&large, PTE_SYSTEM | (RAM_LARGE + 200 * PAGE), UNMAP, true);
	test_way(&large, PTE_SYSTEM | (RAM_LARGE + SIZE_2M), UNMAP, false);
	test_way(&large, PTE_APERTURE | (APERTURE_LARGE + 7 * PAGE), UNMAP, true);
	test_way(&to_ram, PTE_SYSTEM | ram, UNMAP, true);
	test_way(&to_ram, aperture, UNMAP, true);
	test_way(&by_aperture, aperture, UNMAP, true);
	test_way(&by_aperture, PTE_SYSTEM | ram, UNMAP, true);
	test_way(&by_aperture, PTE_SYSTEM | (ram + PAGE), UNMAP, false);
	test_way(&by_aperture, PTE_APERTURE | (APERTURE_COHERENT + 6 * PAGE), UNMAP, false);
	test_way(&block, PTE_SYSTEM | ram, UNMAP, true);
	test_way(&block, PTE_SYSTEM | (RAM_APERTURE + 16 * PAGE), UNMAP, false);
	test_way(&scattered, PTE_SYSTEM | RAM_SPARE, UNMAP, true);
	test_way(&scattered, PTE_SYSTEM | (RAM_APERTURE + 4 * PAGE), UNMAP, true);
	test_way(&scattered, PTE_SYSTEM | (RAM_APERTURE + 6 * PAGE), UNMAP, true);
	test_way(&scattered, PTE_SYSTEM | ram, UNMAP, false);
	test_way(&behind, PTE_SYSTEM | (RAM_LARGE + 511 * PAGE), UNMAP, true);
	/* of so many pages it is not looked up where they lead */
	test_way(&behind, PTE_SYSTEM | ram, UNMAP, true);
	test_way(&behind, PTE_VRAM | vram, UNMAP, false);
	test_way(&same, PTE_VRAM | RAM_64K, UNMAP, true);
	test_way(&same, PTE_SYSTEM | RAM_64K, UNMAP, false);
}

/* Only one page of the 64 KiB is there: the first, the last, or one between others that are not. */
static void test_holes(void)
{
	static const unsigned int pages[] = { 0, 1, 8, 14, 15 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		const struct way alone = {
			false, SIZE_64K, PTE_APERTURE | APERTURE_EMPTY, pages[i] * PAGE, RAM_SPARE,
			APERTURE_EMPTY + pages[i] * PAGE
		};

		test_way(&alone, PTE_SYSTEM | RAM_SPARE, UNMAP, true);
		test_way(&alone, PTE_APERTURE | alone.offset, UNMAP, true);
		test_way(&alone, PTE_SYSTEM | (RAM_SPARE + PAGE), UNMAP, false);
		test_way(&alone, PTE_SYSTEM | (RAM_SPARE - PAGE), UNMAP, false);
	}
}

/*
 * Returns how often a notice of 16 pages, none behind the other, looks at the clock, while the TLB
 * is full of translations with @entry.
 */
static uint64_t clock_of(uint64_t size, uint64_t entry)
{
	struct mmu *m = mmu_new(1, 1, PAGE, HOST_TLB);
	uint64_t before;
	unsigned int i;

	space_page(&m->space, OUT, PTE_VRAM | OUT_AT);
	for (i = 0; i < 16; i++)
		space_page(&m->space, VA + i * PAGE, PTE_SYSTEM | (RAM_PAGES + 2 * i * PAGE));
	for (i = 0; i < HOST_TLB; i++) {
		set_page(&m->space, LONG + i * size, size, entry);
		look_in(m, m->context, LONG + i * size);
	}
	before = m->host->memory.clock;
	ok(tell(m, UNMAP, VA, 16 * PAGE), "cost: a full TLB");
	before = m->host->memory.clock - before;
	mmu_free(m);
	return before;
}

/* A page that is looked at counts as 8 bytes; the clock is looked at after 4096 of them. */
static void test_cost(void)
{
	uint64_t few = clock_of(PAGE, PTE_VRAM | 3 * PAGE);
	uint64_t many = clock_of(SIZE_64K, PTE_APERTURE | APERTURE_COHERENT);
	uint64_t large = clock_of(SIZE_2M, PTE_APERTURE | APERTURE_LARGE);

	ok(many > few + few / 2 && large <= few,
	   "cost: looks into the aperture count: %u, %u and %u at the clock", (unsigned int)few,
	   (unsigned int)many, (unsigned int)large);
}

/* What stands before a page that is at fault is done; nothing is remembered of the walk. */
static void test_fault(uint16_t flags, uint64_t entry, uint32_t code, uint64_t addr)
{
	struct mmu *m = start_posted();
	uint32_t is;

	space_page(&m->space, VA + PAGE, entry);
	mmu_flush(m);
	ok(!tell(m, flags, VA, 2 * PAGE), "fault: it ends in one");
	is = host_ring_reg(m->host, 0x24);
	ok(is == code && host_ring_reg64(m->host, 0x30) == addr, "fault: %u (%u)", is, code);
	/* Of the others the context is told, which flushes. */
	if (code == QUIRE_FAULT_APERTURE)
		ok(is_there(m, RAM_SPARE) == (flags == EVICTION) && !is_there(m, POSTED(0)),
		   "fault: what stands before is done");
	mmu_free(m);
}

static void test_faults(void)
{
	unsigned int i;

	for (i = EVICTION; i <= UNMAP; i++) {
		test_fault(i, 0, QUIRE_FAULT_PAGE, VA + PAGE);
		test_fault(i, PTE_SYSTEM | PTE_LARGE, QUIRE_FAULT_BAD_PTE, VA + PAGE);
		test_fault(i, PTE_APERTURE | APERTURE_INVALID, QUIRE_FAULT_APERTURE,
			   APERTURE_INVALID);
	}
}

/* Two rings copy in their threads, one of them in a context; no copy is cut at what is posted. */
static void test_waits(uint16_t flags, bool in_context, bool waits)
{
	struct mmu *m = mmu_new(1, 1, PAGE, HOST_TLB);
	uint64_t fence;

	m->host->memory.work_least = PAGE;
	m->host->memory.work_slices = 12;
	space_page(&m->space, FAR, PTE_VRAM | VRAM_SPARE);
	space_pages(&m->space, VA, PTE_VRAM, 64);
	m->p.size = 0;
	if (in_context) {
		command_copy(&m->p, VA, VA + 32 * PAGE, 16 * PAGE);
		command_copy(&m->p, VA, VA + 32 * PAGE, 16 * PAGE);
		runner_submit_in(&m->r, &m->p, 500, m->context);
	} else {
		command_copy(&m->p, IN_VRAM(0), IN_VRAM(32 * PAGE), 16 * PAGE);
		command_copy(&m->p, IN_VRAM(0), IN_VRAM(32 * PAGE), 16 * PAGE);
		runner_submit(&m->r, &m->p, 500);
	}
	while (!m->host->memory.working)
		memory_host_run(&m->host->memory);
	m->p.size = 0;
	packet_allocation(&m->p, flags, 0, PAGE, FAR);
	fence = ++m->fence;
	host_submit_in(m->host, &m->p, fence, m->context);
	while (host_get64(m->host, FENCE_PAGE) != fence)
		if (!memory_host_run(&m->host->memory))
			break;
	/* It waits for the first copy, and not for the second one. */
	ok(host_get64(m->host, FENCE_PAGE) == fence && !!runner_ring(&m->r)->offset == waits &&
	   runner_fence(&m->r) != 500, "waits: flag %u, %s context: it %s", flags,
	   in_context ? "in a" : "no", waits ? "does" : "does not");
	ok(host_run(m->host) && runner_fence(&m->r) == 500, "waits: all ends");
	mmu_free(m);
}

/* Many pages, in slices, on one engine after the other; another ring looks at one meanwhile. */
static void test_long(uint16_t flags, bool moves)
{
	struct mmu *m = mmu_new(1, 1, 256, HOST_TLB);
	unsigned int slices = 0, i;

	space_page(&m->space, OUT, PTE_VRAM | OUT_AT);
	for (i = 0; i < 200; i++)
		space_page(&m->space, LONG + i * PAGE,
			   PTE_VRAM | (VRAM_PAGES + (400 - 2 * i) * PAGE));
	space_page(&m->space, LONG + 200 * PAGE, PTE_SYSTEM | RAM_SPARE);
	place_put(m->host, 1, VRAM_PAGES + 400 * PAGE, 4711);
	m->p.size = 0;
	packet_fill_virtual(&m->p, LONG + 200 * PAGE, 256, FILL);
	if (!mmu_run(m, true))
		return;
	m->p.size = 0;
	packet_allocation(&m->p, flags, 0, 201 * PAGE, LONG);
	host_submit_in(m->host, &m->p, ++m->fence, m->context);
	m->p.size = 0;
	command_copy(&m->p, LONG, OUT, 8);
	for (i = 0; i < 10; i++)
		runner_queue_in(&m->r, &m->p, 600, m->context);
	host_set_reg(m->host, 0x11000, 1);
	while (host_get64(m->host, FENCE_PAGE) != m->fence && slices++ < 10000) {
		memory_host_run(&m->host->memory);
		if (moves && !host_migrate(m->host))
			break;
	}
	ok(host_get64(m->host, FENCE_PAGE) == m->fence && slices > 5 &&
	   runner_fence(&m->r) == 600, "long: flag %u, %u slices", flags, slices);
	if (flags == EVICTION) {
		ok(host_get32(m->host, RAM_SPARE + 252) == FILL && !host_reg(m->host, 0xa0),
		   "long: the last page is in memory");
	} else if (!moves) {
		space_page(&m->space, LONG, PTE_VALID | PTE_ZERO);
		is(look_in(m, m->context, LONG), 0, "long: what others found is forgotten");
	}
	mmu_free(m);
}

int main(void)
{
	test_seed(21);
	test_evict(VA, PAGE, 1);
	test_evict(VA + PAGE, PAGE, 2);
	test_evict(VA + 2 * PAGE, 2 * PAGE, 0);
	test_evict(VA, 6 * PAGE, 1 | 2 | 16 | 32);
	test_evict(VA + 4 * PAGE, 2 * PAGE, 16 | 32);
	test_evict(FAR, PAGE, 16);
	test_ways();
	test_holes();
	test_cost();
	test_faults();
	test_waits(UNMAP, true, true);
	test_waits(UNMAP, false, false);
	test_waits(EVICTION, true, false);
	test_long(EVICTION, false);
	test_long(EVICTION, true);
	test_long(UNMAP, false);
	test_long(UNMAP, true);
	return tap_done();
}
