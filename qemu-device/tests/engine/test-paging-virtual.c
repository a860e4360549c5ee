// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: TRANSFER_VIRTUAL, where its direction and its flags say that pages are,
 * FILL_VIRTUAL, INIT_CONTEXT and UPDATE_CONTEXT.
 */
#include <string.h>

#include "mmu.h"
#include "tap.h"

#define VIRTUAL		0x8000u
#define LOCAL		2u	/* segments, as bits */
#define SYSTEM		5u

/* Pages of the address space, 2 MiB apart from each other. */
#define VA(n)		(0x0abc00000000ull + (n) * 2 * SIZE_2M)

/**
 * struct page - a page of the address space
 * @name: for the test point
 * @size: bytes
 * @entry: without the bits of its size
 */
struct page {
	const char *name;
	uint64_t size;
	uint64_t entry;
};

static const struct page pages[] = {
	{ "VRAM, 4 KiB", PAGE, PTE_VRAM | (VRAM_PAGES + 20 * PAGE) },
	{ "VRAM, 64 KiB", SIZE_64K, PTE_VRAM | VRAM_64K },
	{ "VRAM, 2 MiB", SIZE_2M, PTE_VRAM | VRAM_LARGE },
	{ "system, 4 KiB", PAGE, PTE_SYSTEM | (RAM_PAGES + 20 * PAGE) },
	{ "system, 64 KiB", SIZE_64K, PTE_SYSTEM | RAM_64K },
	{ "system, 2 MiB", SIZE_2M, PTE_SYSTEM | RAM_LARGE },
	{ "aperture, 4 KiB", PAGE, PTE_APERTURE | (APERTURE_POSTED + PAGE) },
	{ "aperture, 64 KiB", SIZE_64K, PTE_APERTURE | APERTURE_COHERENT },
	{ "zero, 4 KiB", PAGE, PTE_VALID | PTE_ZERO },
	{ "zero, 64 KiB", SIZE_64K, PTE_VALID | PTE_ZERO },
	{ "zero, 2 MiB", SIZE_2M, PTE_VALID | PTE_ZERO },
};

#define PAGE_KINDS	ARRAY_SIZE(pages)

static void set_page(struct space *space, uint64_t va, uint64_t size, uint64_t entry)
{
	if (size == PAGE)
		space_page(space, va, entry);
	else if (size == SIZE_64K)
		space_64k(space, va, entry);
	else
		space_large(space, va, entry);
}

static struct mmu *start(void)
{
	struct mmu *m = mmu_new(2, 0, 0, HOST_TLB);
	unsigned int i;

	for (i = 0; i < PAGE_KINDS; i++)
		set_page(&m->space, VA(i), pages[i].size, pages[i].entry);
	/* two of each kind of memory, one behind the other; and one that is read only */
	space_pages(&m->space, VA(20), PTE_VRAM | (VRAM_PAGES + 40 * PAGE), 2);
	space_pages(&m->space, VA(20) + 2 * PAGE, PTE_SYSTEM | (RAM_PAGES + 40 * PAGE), 2);
	space_64k(&m->space, VA(21), PTE_VRAM | (VRAM_64K + SIZE_64K));
	space_pages(&m->space, VA(21) + SIZE_64K, PTE_VRAM | (VRAM_PAGES + 44 * PAGE), 2);
	space_page(&m->space, VA(22), PTE_VRAM | PTE_READ_ONLY | (VRAM_PAGES + 46 * PAGE));
	model_take(&m->model);
	return m;
}

static bool try_transfer(struct mmu *m, uint16_t flags, uint32_t direction, uint64_t src,
			 uint64_t dst, uint64_t size, struct outcome *out)
{
	const struct rules from = { direction == 1 ? SYSTEM : LOCAL, flags & 1 ? SIZE_64K : PAGE };
	const struct rules to = { direction == 0 ? SYSTEM : LOCAL, flags & 2 ? SIZE_64K : PAGE };

	m->p.size = 0;
	packet_transfer_virtual(&m->p, flags, direction, src, dst, size);
	model_move(&m->model, m->space.root, &from, &to, src, dst, size, out);
	return out->unclear || mmu_try(m, true, out);
}

/* Is the page one that the side may have? Another reading than that of the model. */
static bool fits(const struct page *page, bool local, bool large)
{
	bool is_local = page->entry & PTE_SEGMENT(1), is_zero = page->entry & PTE_ZERO;

	return (is_zero || is_local == local) && (!large || page->size > PAGE);
}

/* Each page to each page, in each direction, with all flags. */
static void test_directions(void)
{
	struct mmu *m = start();
	unsigned int src, dst, direction, flags;
	struct outcome out;

	for (src = 0; src < PAGE_KINDS; src++) {
		for (dst = 0; dst < PAGE_KINDS; dst++) {
			bool good = true;

			if (src == dst)
				continue;
			for (direction = 0; direction < 3; direction++) {
				for (flags = 0; flags < 4; flags++) {
					bool done = fits(&pages[src], direction != 1, flags & 1) &&
						    fits(&pages[dst], direction != 0, flags & 2);

					good &= try_transfer(m, flags, direction, VA(src) + 9,
							     VA(dst) + 1, 77, &out);
					good &= done == !out.code;
				}
			}
			ok(good, "direction: %s to %s", pages[src].name, pages[dst].name);
		}
	}
	mmu_free(m);
}

/* What is told when pages of both kinds follow each other. */
static void test_direction_faults(void)
{
	struct mmu *m = start();
	struct outcome out;

	ok(try_transfer(m, 0, 2, VA(20) + 5, VA(2), 4 * PAGE - 5, &out) &&
	   out.code == QUIRE_FAULT_BAD_SEGMENT && out.addr == VA(20) + 2 * PAGE,
	   "direction: a source that is elsewhere from its third page on");
	ok(try_transfer(m, 0, 2, VA(2), VA(20) + 5, 4 * PAGE - 5, &out) &&
	   out.code == QUIRE_FAULT_BAD_SEGMENT && out.addr == VA(20) + 2 * PAGE,
	   "direction: a destination");
	ok(try_transfer(m, 1, 2, VA(21) + SIZE_64K - PAGE, VA(2), 2 * PAGE, &out) &&
	   out.code == QUIRE_FAULT_BAD_RANGE && out.addr == VA(21) + SIZE_64K,
	   "direction: a source whose second page is too small");
	ok(try_transfer(m, 2, 2, VA(2) + 7, VA(21) + SIZE_64K - 9, 100, &out) &&
	   out.code == QUIRE_FAULT_BAD_RANGE && out.addr == VA(21) + SIZE_64K,
	   "direction: a destination");
	ok(!host_ring_reg(m->host, 0x24) && !context_get32(m->host, m->context, CONTEXT_STATUS),
	   "direction: the context is not told of these");
	mmu_free(m);
}

/* As memmove does it, also across pages. */
static void test_overlap(void)
{
	static const uint64_t apart[] = { 1, 8, 100, PAGE - 1, PAGE, PAGE + 1, 5 * PAGE + 3 };
	struct mmu *m = start();
	struct outcome out;
	unsigned int i;
	bool good;

	for (i = 0; i < 64; i++)
		space_page(&m->space, VA(30) + i * PAGE,
			   PTE_VRAM | (VRAM_PAGES + (100 + i * 37 % 64) * PAGE));
	model_take(&m->model);
	for (i = 0; i < ARRAY_SIZE(apart); i++) {
		good = try_transfer(m, 0, 2, VA(30) + 3, VA(30) + 3 + apart[i], 50 * PAGE, &out);
		good &= !out.code;
		good &= try_transfer(m, 0, 2, VA(30) + 9 + apart[i], VA(30) + 9, 40 * PAGE, &out);
		ok(good && !out.code, "overlap: 0x%llx bytes apart, up and down",
		   (unsigned long long)apart[i]);
	}
	ok(try_transfer(m, 0, 2, VA(30), VA(30), 3 * PAGE, &out) && !out.code,
	   "overlap: onto itself");
	mmu_free(m);
}

static void test_fill_one(struct mmu *m, unsigned int kind, uint32_t pattern)
{
	struct outcome out;

	m->p.size = 0;
	packet_fill_virtual(&m->p, VA(kind) + 4, PAGE - 8, pattern);
	model_fill(&m->model, m->space.root, VA(kind) + 4, PAGE - 8, pattern, &out);
	ok(mmu_try(m, true, &out) && !out.code, "fill: %s, %#x", pages[kind].name, pattern);
}

/* Wherever the pages are; the pattern goes on from one to the next. */
static void test_fill(void)
{
	struct mmu *m = start();
	struct outcome out;
	unsigned int i;

	for (i = 0; i < PAGE_KINDS; i++) {
		test_fill_one(m, i, 0x11223344 + i);
		/* Bytes that are all the same are another way. */
		test_fill_one(m, i, 0x07070707);
	}
	m->p.size = 0;
	packet_fill_virtual(&m->p, VA(20) + 12, 4 * PAGE - 12, 0x04030201);
	model_fill(&m->model, m->space.root, VA(20) + 12, 4 * PAGE - 12, 0x04030201, &out);
	ok(mmu_try(m, true, &out) && !out.code, "fill: across pages");
	m->p.size = 0;
	packet_fill_virtual(&m->p, VA(22), 4, 1);
	model_fill(&m->model, m->space.root, VA(22), 4, 1, &out);
	ok(mmu_try(m, true, &out) && out.code == QUIRE_FAULT_PROTECTION, "fill: read only");
	is(host_ring_reg64(m->host, 0x80 + 8 * 12), 2 * PAGE_KINDS + 1, "fill: counted");
	mmu_free(m);
}

static bool is_context(struct mmu *m, unsigned int segment, uint64_t at)
{
	unsigned int i;

	mmu_settle(m);
	if (place_get(m->host, segment, at) != CONTEXT_MAGIC)
		return false;
	for (i = 8; i < PAGE; i += 8)
		if (place_get(m->host, segment, at + i))
			return false;
	return true;
}

/* Made in each segment by where it is, and by a virtual address. */
static void test_init(void)
{
	static const struct {
		uint32_t segment;
		uint64_t at;
	} places[] = {
		{ 0, RAM_PAGES + 60 * PAGE }, { 1, VRAM_PAGES + 60 * PAGE },
		{ 2, APERTURE_COHERENT + 5 * PAGE }, { 2, APERTURE_POSTED + 5 * PAGE },
	};
	struct mmu *m = start();
	unsigned int i, page;
	struct outcome out = { 0 };

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		m->p.size = 0;
		packet_init_context(&m->p, 0, places[i].segment, places[i].at);
		ok(mmu_run_physical(m) && is_context(m, places[i].segment, places[i].at),
		   "init: in segment %u", places[i].segment);
	}
	model_take(&m->model);
	for (i = 0; i < PAGE_KINDS; i++) {
		uint64_t at = pages[i].entry & PTE_ADDRESS;
		unsigned int segment = pages[i].entry >> 5 & 3;

		m->p.size = 0;
		packet_init_context(&m->p, VIRTUAL, 0, VA(i));
		for (page = 0; !(pages[i].entry & PTE_ZERO) && page < PAGE; page += 8)
			model_put(&m->model, segment, at + page, page ? 0 : CONTEXT_MAGIC, 8);
		ok(mmu_try(m, true, &out), "init: virtual, %s", pages[i].name);
	}
	is(host_ring_reg64(m->host, 0x80 + 8 * 13), 4 + PAGE_KINDS, "init: counted");
	mmu_free(m);
}

static void test_init_fault(const char *name, struct mmu *m, uint16_t flags, uint32_t segment,
			    uint64_t address, uint32_t code, uint64_t at, uint64_t entry)
{
	struct outcome out = { code, at, entry, ACCESS_WRITE, false };

	m->p.size = 0;
	packet_init_context(&m->p, flags, segment, address);
	ok(mmu_try(m, true, &out), "init: %s", name);
}

static void test_init_faults(void)
{
	struct mmu *m = start();

	test_init_fault("in a hole", m, 0, 0, HOLE, QUIRE_FAULT_DMA, HOLE, 0);
	test_init_fault("in a ROM", m, 0, 0, ROM_BASE, QUIRE_FAULT_DMA, ROM_BASE, 0);
	test_init_fault("in an invalid page", m, 0, 2, APERTURE_INVALID, QUIRE_FAULT_APERTURE,
			APERTURE_INVALID, 0);
	test_init_fault("read only", m, VIRTUAL, 0, VA(22), QUIRE_FAULT_PROTECTION, VA(22),
			PTE_VRAM | PTE_READ_ONLY | (VRAM_PAGES + 46 * PAGE));
	test_init_fault("no page", m, VIRTUAL, 0, VA(22) + PAGE, QUIRE_FAULT_PAGE,
			VA(22) + PAGE, 0);
	mmu_free(m);
}

/* Any member, and any bytes: it is the driver's. */
static void test_update(void)
{
	struct mmu *m = start();
	uint64_t data[512];
	unsigned int i, j, kinds = 0;

	for (i = 0; i < 60; i++) {
		unsigned int kind = i % PAGE_KINDS;
		uint64_t at = pages[kind].entry & PTE_ADDRESS;
		uint32_t offset = 8 * test_random_below(512);
		uint32_t bytes = 8 + 8 * test_random_below(512 - offset / 8);
		struct outcome out = { 0 };

		if (i < 3) {
			offset = i == 1 ? PAGE - 8 : 0;
			bytes = i == 2 ? PAGE : 8;
		}
		for (j = 0; j < bytes / 8; j++)
			data[j] = (uint64_t)test_random() << 32 | test_random();
		m->p.size = 0;
		packet_update_context(&m->p, VA(kind), offset, data, bytes);
		for (j = 0; !(pages[kind].entry & PTE_ZERO) && j < bytes / 8; j++)
			model_put(&m->model, pages[kind].entry >> 5 & 3, at + offset + 8 * j,
				  data[j], 8);
		kinds += mmu_try(m, true, &out);
	}
	is(kinds, 60, "update: at all offsets, in all segments");
	is(host_ring_reg64(m->host, 0x80 + 8 * 16), 60, "update: counted");
	mmu_free(m);
}

static void test_update_faults(void)
{
	struct mmu *m = start();
	struct outcome read_only = {
		QUIRE_FAULT_PROTECTION, VA(22) + 24,
		PTE_VRAM | PTE_READ_ONLY | (VRAM_PAGES + 46 * PAGE), ACCESS_WRITE, false,
	};
	struct outcome missing = { QUIRE_FAULT_PAGE, VA(23) + 24, 0, ACCESS_WRITE | 1 << 8, false };
	uint64_t data[2] = { 1, 2 };

	m->p.size = 0;
	packet_update_context(&m->p, VA(22), 24, data, 16);
	ok(mmu_try(m, true, &read_only), "update: read only");
	m->p.size = 0;
	packet_update_context(&m->p, VA(23), 24, data, 16);
	ok(mmu_try(m, true, &missing), "update: no page");
	mmu_free(m);
}

int main(void)
{
	test_seed(26);
	test_directions();
	test_direction_faults();
	test_overlap();
	test_fill();
	test_init();
	test_init_faults();
	test_update();
	test_update_faults();
	return tap_done();
}
