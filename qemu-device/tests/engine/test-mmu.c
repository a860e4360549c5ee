// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: where virtual addresses lead: pages of each size in each segment, tables in
 * VRAM and in system memory, what the bits of an entry do. See mmu-model.h.
 */
#include <string.h>

#include "mmu.h"
#include "tap.h"

/* Some pages of VRAM, which are known to work. */
#define SCRATCH		0x555555400000ull
#define SCRATCH_PAGES	64u
#define SCRATCH_AT	(VRAM_PAGES + 256 * PAGE)

/**
 * struct shape - a page
 * @name: for the test point
 * @size: bytes
 * @entry: without the bits of its size
 */
struct shape {
	const char *name;
	uint64_t size;
	uint64_t entry;
};

static const struct shape shapes[] = {
	{ "4 KiB in VRAM", PAGE, PTE_VRAM | (VRAM_PAGES + 5 * PAGE) },
	{ "4 KiB in system memory", PAGE, PTE_SYSTEM | (RAM_PAGES + 3 * PAGE) },
	{ "4 KiB in coherent system memory", PAGE,
	  PTE_SYSTEM | PTE_COHERENT | (RAM_PAGES + 3 * PAGE) },
	{ "4 KiB in the aperture", PAGE, PTE_APERTURE | (APERTURE_COHERENT + 2 * PAGE) },
	{ "4 KiB in the aperture, posted", PAGE, PTE_APERTURE | (APERTURE_POSTED + PAGE) },
	{ "64 KiB in VRAM", SIZE_64K, PTE_VRAM | (VRAM_64K + 3 * SIZE_64K) },
	{ "64 KiB in system memory", SIZE_64K, PTE_SYSTEM | (RAM_64K + SIZE_64K) },
	{ "64 KiB in the aperture", SIZE_64K, PTE_APERTURE | (APERTURE_POSTED + SIZE_64K) },
	{ "2 MiB in VRAM", SIZE_2M, PTE_VRAM | VRAM_LARGE },
	{ "2 MiB in system memory", SIZE_2M, PTE_SYSTEM | RAM_LARGE },
	{ "2 MiB in coherent system memory", SIZE_2M, PTE_SYSTEM | PTE_COHERENT | RAM_LARGE },
	{ "2 MiB in the aperture", SIZE_2M, PTE_APERTURE | APERTURE_LARGE },
};

/* Where pages are: both ends, and where an index of each level is the first or the last. */
static const uint64_t places[] = {
	0, SIZE_2M, (1ull << 30) - SIZE_2M, (1ull << 39) - SIZE_2M, 1ull << 39, 1ull << 47,
	0x123456600000, VA_END - SIZE_2M,
};

static void set_page(struct space *space, uint64_t va, uint64_t size, uint64_t entry)
{
	if (size == PAGE)
		space_page(space, va, entry);
	else if (size == SIZE_64K)
		space_64k(space, va, entry);
	else
		space_large(space, va, entry);
}

/* A fresh address space with the scratch pages and one more. */
static struct mmu *space_with(unsigned int tables, uint64_t va, uint64_t size, uint64_t entry)
{
	struct mmu *m = mmu_new(tables, 0, 0, HOST_TLB);

	space_pages(&m->space, SCRATCH, PTE_VRAM | SCRATCH_AT, SCRATCH_PAGES);
	set_page(&m->space, va, size, entry);
	model_take(&m->model);
	return m;
}

static bool try_copy(struct mmu *m, uint64_t src, uint64_t dst, uint64_t size, uint32_t code)
{
	struct outcome out;

	m->p.size = 0;
	command_copy(&m->p, src, dst, size);
	model_copy(&m->model, m->space.root, src, dst, size, &out);
	return mmu_try(m, false, &out) && out.code == code;
}

static bool try_fill(struct mmu *m, uint64_t dst, uint64_t size, uint32_t code)
{
	struct outcome out;

	m->p.size = 0;
	command_fill(&m->p, dst, size, 0x04030201);
	model_fill(&m->model, m->space.root, dst, size, 0x04030201, &out);
	return mmu_try(m, false, &out) && out.code == code;
}

/* Into the page and out of it, at both of its ends and in its middle. */
static void test_shape(const struct shape *shape, unsigned int tables, uint64_t va)
{
	struct mmu *m = space_with(tables, va, shape->size, shape->entry);
	uint64_t last = shape->size - 1, odd = 3 * PAGE / 2 + 1;
	bool good;

	good = try_copy(m, SCRATCH + 7, va, 1, 0) && try_copy(m, SCRATCH + 9, va + last, 1, 0) &&
	       try_copy(m, va + last, SCRATCH + PAGE - 1, 1, 0) &&
	       try_copy(m, va, SCRATCH + PAGE, PAGE, 0) &&
	       try_fill(m, va + shape->size - 64, 64, 0);
	if (shape->size > PAGE)
		good &= try_copy(m, SCRATCH + 2, va + odd, 5 * PAGE + 3, 0) &&
			try_copy(m, va + shape->size - 6 * PAGE, SCRATCH + 5, 6 * PAGE, 0);
	ok(good, "%s at 0x%llx, tables in %u", shape->name, (unsigned long long)va, tables);
	ok(host_migrate(m->host) && try_copy(m, SCRATCH, va + 1, PAGE - 1, 0),
	   "%s: and after a migration", shape->name);
	mmu_free(m);
}

static void test_shapes(void)
{
	unsigned int i;

	for (i = 0; i < 3 * ARRAY_SIZE(shapes); i++)
		test_shape(&shapes[i / 3], i % 3, places[i % ARRAY_SIZE(places)]);
	for (i = 0; i < ARRAY_SIZE(places); i++)
		test_shape(&shapes[0], i % 2, places[i] + SIZE_2M - PAGE);
}

/* Behind the page is nothing, nor before it. */
static void test_beside(void)
{
	static const uint64_t sizes[] = { PAGE, SIZE_64K, SIZE_2M };
	static const uint64_t at[] = { VRAM_PAGES + PAGE, VRAM_64K, VRAM_LARGE };
	uint64_t va = 0x40400000;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct mmu *m = space_with(1, va, sizes[i], PTE_VRAM | at[i]);

		ok(try_copy(m, va - 1, SCRATCH, 1, QUIRE_FAULT_PAGE) &&
		   try_copy(m, va + sizes[i], SCRATCH, 1, QUIRE_FAULT_PAGE) &&
		   try_fill(m, va - 8, 16, QUIRE_FAULT_PAGE) &&
		   try_fill(m, va + sizes[i] - 8, 16, QUIRE_FAULT_PAGE),
		   "beside a page of 0x%llx bytes is none", (unsigned long long)sizes[i]);
		mmu_free(m);
	}
}

static bool all_zero(const uint8_t *bytes, uint64_t size)
{
	uint64_t i;

	for (i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

/* A page that is ZERO: there is no memory. */
static void test_zero(void)
{
	static const uint64_t sizes[] = { PAGE, SIZE_64K, SIZE_2M };
	uint64_t va = 0x60000000, size;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct mmu *m = space_with(i % 2, va, sizes[i], PTE_VALID | PTE_ZERO);
		bool good;

		space_page(&m->space, va + sizes[i], PTE_VRAM | (VRAM_PAGES + PAGE));
		space_page(&m->space, va - PAGE, PTE_SYSTEM | RAM_PAGES);
		model_take(&m->model);
		good = try_fill(m, va, PAGE, 0) && try_copy(m, va, SCRATCH + 1, PAGE, 0);
		ok(good && all_zero(m->host->memory.vram + SCRATCH_AT + 1, PAGE),
		   "zero, 0x%llx: reads as zero, also what was written",
		   (unsigned long long)sizes[i]);
		size = sizes[i] > SIZE_64K ? 60 * PAGE : sizes[i] + 10;
		ok(try_copy(m, SCRATCH, va - 5, size, 0) &&
		   try_copy(m, va - 5, SCRATCH, 9, 0) &&
		   try_copy(m, va + sizes[i] - 5, SCRATCH, 9, 0),
		   "zero, 0x%llx: but not what is beside it", (unsigned long long)sizes[i]);
		set_page(&m->space, va, sizes[i], PTE_VALID | PTE_ZERO | PTE_READ_ONLY);
		model_take(&m->model);
		ok(try_copy(m, va, SCRATCH, 8, 0) && try_fill(m, va, 8, QUIRE_FAULT_PROTECTION),
		   "zero, 0x%llx: and read only", (unsigned long long)sizes[i]);
		mmu_free(m);
	}
}

static void test_read_only(void)
{
	uint64_t va = 0x7f0000000000;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct mmu *m = space_with(i % 3, va, shapes[i].size,
					   shapes[i].entry | PTE_READ_ONLY | PTE_NO_EXECUTE);

		space_page(&m->space, va - PAGE, PTE_VRAM | (VRAM_PAGES + 9 * PAGE));
		model_take(&m->model);
		ok(try_copy(m, va, SCRATCH + 3, PAGE, 0), "read only, %s: is read",
		   shapes[i].name);
		ok(try_fill(m, va + 16, 8, QUIRE_FAULT_PROTECTION) &&
		   try_copy(m, SCRATCH, va + shapes[i].size - 1, 1, QUIRE_FAULT_PROTECTION) &&
		   try_copy(m, SCRATCH, va - 100, 200, QUIRE_FAULT_PROTECTION) &&
		   try_fill(m, va - 8, 16, QUIRE_FAULT_PROTECTION),
		   "read only, %s: is not written", shapes[i].name);
		mmu_free(m);
	}
}

static uint32_t posted(struct mmu *m)
{
	return host_reg(m->host, QUIRE_REG_POSTED);
}

/* What is written to a page is posted, or in memory at once; and seen by the device. */
static void test_posted(const char *name, uint64_t size, uint64_t entry, uint8_t *at,
			bool is_posted, struct mmu *m)
{
	uint64_t va = 0x220000000000;

	set_page(&m->space, va, size, entry);
	mmu_flush(m);
	mmu_settle(m);
	memset(at, 0xee, 64);
	m->p.size = 0;
	packet_fill_virtual(&m->p, va, 64, 0x07070707);
	ok(mmu_run(m, true) && posted(m) == (is_posted ? 64 : 0) &&
	   at[0] == (is_posted ? 0xee : 7), "posted, %s: a fill", name);
	m->p.size = 0;
	packet_transfer_virtual(&m->p, 0, 1, va, SCRATCH, 64);
	ok(mmu_run(m, true) && m->host->memory.vram[SCRATCH_AT + 63] == 7,
	   "posted, %s: the device sees it", name);
	mmu_settle(m);
	ok(!posted(m) && at[0] == 7 && at[63] == 7, "posted, %s: in memory after a flush", name);
	memset(m->host->memory.vram + SCRATCH_AT, 9, 64);
	m->p.size = 0;
	packet_transfer_virtual(&m->p, 0, 0, SCRATCH, va + 8, 8);
	ok(mmu_run(m, true) && posted(m) == (is_posted ? 8 : 0) &&
	   at[8] == (is_posted ? 7 : 9), "posted, %s: a transfer", name);
	m->p.size = 0;
	command_write_value(&m->p, va + 16, ~0ull);
	ok(mmu_run(m, false) && !posted(m) && at[8] == 9 && at[16] == 0xff,
	   "posted, %s: not after the fence of an execution ring", name);
	/* the page may be of another size next time */
	set_page(&m->space, va, size, 0);
}

static void test_write_buffer(void)
{
	struct mmu *m = space_with(1, 0, PAGE, PTE_SYSTEM | RAM_PAGES);
	uint8_t *page = host_ram(m->host, RAM_PAGES + 7 * PAGE, PAGE);

	test_posted("system", PAGE, PTE_SYSTEM | (RAM_PAGES + 7 * PAGE), page, true, m);
	test_posted("coherent system", PAGE, PTE_SYSTEM | PTE_COHERENT | (RAM_PAGES + 7 * PAGE),
		    page, false, m);
	test_posted("64 KiB", SIZE_64K, PTE_SYSTEM | RAM_64K, host_ram(m->host, RAM_64K, 1),
		    true, m);
	test_posted("coherent 64 KiB", SIZE_64K, PTE_SYSTEM | PTE_COHERENT | RAM_64K,
		    host_ram(m->host, RAM_64K, 1), false, m);
	test_posted("aperture", PAGE, PTE_APERTURE | APERTURE_POSTED,
		    host_ram(m->host, RAM_APERTURE + APERTURE_POSTED, 1), true, m);
	test_posted("coherent aperture", PAGE, PTE_APERTURE | APERTURE_COHERENT,
		    host_ram(m->host, RAM_APERTURE, 1), false, m);
	test_posted("2 MiB", SIZE_2M, PTE_SYSTEM | RAM_LARGE, host_ram(m->host, RAM_LARGE, 1),
		    true, m);
	test_posted("coherent 2 MiB", SIZE_2M, PTE_SYSTEM | PTE_COHERENT | RAM_LARGE,
		    host_ram(m->host, RAM_LARGE, 1), false, m);
	mmu_free(m);
}

int main(void)
{
	test_seed(21);
	test_shapes();
	test_beside();
	test_zero();
	test_read_only();
	test_write_buffer();
	return tap_done();
}
