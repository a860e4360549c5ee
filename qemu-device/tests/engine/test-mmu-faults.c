// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: virtual addresses that lead nowhere: each cause at each level, what the fault
 * registers and the context say then, and that what stands before has been done.
 */
#include <string.h>

#include "mmu.h"
#include "tap.h"

#define SCRATCH		0x111111200000ull
#define SCRATCH_AT	(VRAM_PAGES + 256 * PAGE)
#define VA		0x0abcde401000ull	/* 2 MiB aligned, and a page more */
#define BEHIND		0x0abcf0000000ull	/* 2 MiB aligned */

static struct mmu *start(void)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);

	space_pages(&m->space, SCRATCH, PTE_VRAM | SCRATCH_AT, 64);
	space_pages(&m->space, VA, PTE_VRAM | VRAM_PAGES, 64);
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

/* The same as a paging operation, into VRAM. */
static bool try_transfer(struct mmu *m, uint32_t direction, uint64_t src, uint64_t dst,
			 uint64_t size, uint32_t code)
{
	struct outcome out;

	m->p.size = 0;
	packet_transfer_virtual(&m->p, 0, direction, src, dst, size);
	model_copy(&m->model, m->space.root, src, dst, size, &out);
	return mmu_try(m, true, &out) && out.code == code;
}

static bool try_fill(struct mmu *m, bool paging, uint64_t dst, uint64_t size, uint32_t code)
{
	struct outcome out;

	m->p.size = 0;
	if (paging)
		packet_fill_virtual(&m->p, dst, size, 0x0a0b0c0d);
	else
		command_fill(&m->p, dst, size, 0x0a0b0c0d);
	model_fill(&m->model, m->space.root, dst, size, 0x0a0b0c0d, &out);
	return mmu_try(m, paging, &out) && out.code == code;
}

/* Of a page of 64 KiB all entries are the same; @old are those that were there. */
static void set_entries(struct mmu *m, uint64_t va, unsigned int level, uint64_t entry,
			uint64_t *old)
{
	uint64_t first = va & ~(SIZE_64K - 1);
	unsigned int i;

	for (i = 0; i < 16; i++)
		old[i] = space_get(&m->space, first + i * PAGE, 0);
	if (!level && entry & PTE_64K && entry & PTE_VALID)
		space_64k(&m->space, first, entry);
	else
		space_set(&m->space, va, level, entry);
}

static void set_back(struct mmu *m, uint64_t va, unsigned int level, uint64_t entry,
		     const uint64_t *old)
{
	uint64_t first = va & ~(SIZE_64K - 1);
	unsigned int i;

	space_set(&m->space, va, level, entry);
	for (i = 0; i < 16; i++)
		space_set(&m->space, first + i * PAGE, 0, old[i]);
}

/*
 * An entry of a level in place of the one that is there, accessed at @va in every way. The
 * root is in the context, too.
 */
static void test_entry(struct mmu *m, const char *name, uint64_t va, unsigned int level,
		       uint64_t entry, uint32_t code)
{
	uint64_t old = space_get(&m->space, va, level), root = m->space.root;
	uint32_t direction = code == QUIRE_FAULT_DMA || code == QUIRE_FAULT_APERTURE ? 1 : 2;
	uint64_t entries[16];

	set_entries(m, va, level, entry, entries);
	context_make(m->host, m->context, m->space.root);
	model_take(&m->model);
	m->space.root = root; /* for the flush */
	if (level == ROOT_LEVEL) {
		struct outcome out = { code, va, entry, ACCESS_WRITE | ROOT_LEVEL << 8, false };

		m->p.size = 0;
		command_fill(&m->p, va, 8, 1);
		ok(mmu_try(m, false, &out), "level 4, %s 0x%llx", name,
		   (unsigned long long)entry);
	} else {
		ok(try_copy(m, va + 5, SCRATCH, 3, code) &&
		   try_copy(m, SCRATCH + 9, va + 6, 3, code) &&
		   try_transfer(m, direction, va + 11, SCRATCH, 20, code) &&
		   try_fill(m, true, va + 8, 8, code) && try_fill(m, false, va + 12, 4, code),
		   "level %u, %s 0x%llx", level, name, (unsigned long long)entry);
	}
	set_back(m, va, level, old, entries);
	context_make(m->host, m->context, m->space.root);
}

/* Without VALID nothing else counts. */
static void test_invalid(void)
{
	static const uint64_t entries[] = { 0, ~1ull, PTE_ZERO, PTE_SEGMENT(1) | VRAM_PAGES };
	struct mmu *m = start();
	unsigned int level, i;

	for (level = 0; level <= ROOT_LEVEL; level++)
		for (i = 0; i < ARRAY_SIZE(entries); i++)
			test_entry(m, "not valid", VA, level, entries[i], QUIRE_FAULT_PAGE);
	mmu_free(m);
}

/* Where directories can not be: at each level, and as a root. */
static void test_bad_directories(void)
{
	static const uint64_t bits[] = {
		PTE_ZERO, PTE_COHERENT, PTE_READ_ONLY, PTE_NO_EXECUTE, PTE_64K, PTE_LARGE,
		PTE_SEGMENT(2), PTE_SEGMENT(4), PTE_SEGMENT(8), PTE_SEGMENT(16),
	};
	struct mmu *m = start();
	unsigned int level, i;

	for (level = 1; level <= ROOT_LEVEL; level++) {
		uint64_t good = space_get(&m->space, VA, level);

		for (i = 0; i < ARRAY_SIZE(bits); i++)
			if (level > 1 || bits[i] != PTE_LARGE)
				test_entry(m, "bit", VA, level, good | bits[i],
					   QUIRE_FAULT_BAD_PTE);
		/* where a page of 2 MiB could be, and more */
		if (level > 1)
			test_entry(m, "large", VA, level, PTE_VRAM | PTE_LARGE | VRAM_LARGE,
				   QUIRE_FAULT_BAD_PTE);
		test_entry(m, "segment", VA, level, (good & ~PTE_SEGMENT(31)) | PTE_SEGMENT(2),
			   QUIRE_FAULT_BAD_PTE);
		test_entry(m, "behind VRAM", VA, level, PTE_VRAM | MMU_VRAM,
			   QUIRE_FAULT_BAD_PTE);
		test_entry(m, "far behind VRAM", VA, level, PTE_VRAM | PTE_ADDRESS,
			   QUIRE_FAULT_BAD_PTE);
	}
	mmu_free(m);
}

/* The entry is in no memory: there is none to be told. */
static void test_no_table(void)
{
	struct mmu *m = start();
	unsigned int level;

	for (level = 1; level < ROOT_LEVEL; level++) {
		test_entry(m, "table in a hole", VA, level, PTE_SYSTEM | HOLE,
			   QUIRE_FAULT_BAD_PTE);
		test_entry(m, "table behind memory", VA, level, PTE_SYSTEM | (1ull << 62),
			   QUIRE_FAULT_BAD_PTE);
	}
	mmu_free(m);
}

/* Entries of level 0. */
static void test_bad_pages(void)
{
	struct mmu *m = start();
	unsigned int segment;

	test_entry(m, "large", VA, 0, PTE_VRAM | PTE_LARGE, QUIRE_FAULT_BAD_PTE);
	for (segment = 3; segment < 32; segment++)
		test_entry(m, "segment", VA, 0, PTE_VALID | PTE_SEGMENT(segment),
			   QUIRE_FAULT_BAD_PTE);
	test_entry(m, "behind VRAM", VA, 0, PTE_VRAM | MMU_VRAM, QUIRE_FAULT_BAD_PTE);
	test_entry(m, "far behind VRAM", VA, 0, PTE_VRAM | 1ull << 62, QUIRE_FAULT_BAD_PTE);
	test_entry(m, "end of 64 bits", VA, 0, PTE_VRAM | PTE_ADDRESS, QUIRE_FAULT_BAD_PTE);
	test_entry(m, "behind the aperture", VA, 0, PTE_APERTURE | MMU_APERTURE,
		   QUIRE_FAULT_BAD_PTE);
	test_entry(m, "far behind the aperture", VA, 0, PTE_APERTURE | PTE_ADDRESS,
		   QUIRE_FAULT_BAD_PTE);
	test_entry(m, "zero with a segment", VA, 0, PTE_VRAM | PTE_ZERO, QUIRE_FAULT_BAD_PTE);
	test_entry(m, "zero with an address", VA, 0, PTE_VALID | PTE_ZERO | RAM_PAGES,
		   QUIRE_FAULT_BAD_PTE);
	test_entry(m, "coherent in VRAM", VA, 0, PTE_VRAM | PTE_COHERENT | VRAM_PAGES,
		   QUIRE_FAULT_BAD_PTE);
	test_entry(m, "coherent in the aperture", VA, 0,
		   PTE_APERTURE | PTE_COHERENT | APERTURE_COHERENT, QUIRE_FAULT_BAD_PTE);
	test_entry(m, "coherent zero", VA, 0, PTE_VALID | PTE_ZERO | PTE_COHERENT,
		   QUIRE_FAULT_BAD_PTE);
	test_entry(m, "64 KiB, not aligned", VA, 0, PTE_VRAM | PTE_64K | (VRAM_64K + PAGE),
		   QUIRE_FAULT_BAD_PTE);
	test_entry(m, "64 KiB, not aligned in system memory", VA, 0,
		   PTE_SYSTEM | PTE_64K | (RAM_64K + 8 * PAGE), QUIRE_FAULT_BAD_PTE);
	test_entry(m, "64 KiB, across the end of VRAM", VA, 0,
		   PTE_VRAM | PTE_64K | (MMU_VRAM & ~(SIZE_64K - 1)), QUIRE_FAULT_BAD_PTE);
	test_entry(m, "64 KiB, behind the aperture", VA, 0, PTE_APERTURE | PTE_64K | MMU_APERTURE,
		   QUIRE_FAULT_BAD_PTE);
	test_entry(m, "64 KiB, zero with an address", VA, 0,
		   PTE_VALID | PTE_ZERO | PTE_64K | RAM_64K, QUIRE_FAULT_BAD_PTE);
	mmu_free(m);
}

/* Entries of level 1 that are pages. */
static void test_bad_large(void)
{
	const uint64_t large = PTE_VALID | PTE_LARGE;
	struct mmu *m = start();
	unsigned int segment;

	test_entry(m, "64 KiB", VA, 1, PTE_VRAM | PTE_LARGE | PTE_64K | VRAM_LARGE,
		   QUIRE_FAULT_BAD_PTE);
	for (segment = 3; segment < 32; segment++)
		test_entry(m, "segment", VA, 1, large | PTE_SEGMENT(segment),
			   QUIRE_FAULT_BAD_PTE);
	test_entry(m, "not aligned", VA, 1, PTE_VRAM | PTE_LARGE | (VRAM_LARGE + PAGE),
		   QUIRE_FAULT_BAD_PTE);
	test_entry(m, "not aligned in system memory", VA, 1, large | (RAM_LARGE + MIB),
		   QUIRE_FAULT_BAD_PTE);
	test_entry(m, "across the end of VRAM", VA, 1, PTE_VRAM | PTE_LARGE | 6 * MIB,
		   QUIRE_FAULT_BAD_PTE);
	test_entry(m, "behind VRAM", VA, 1, PTE_VRAM | PTE_LARGE | 8 * MIB,
		   QUIRE_FAULT_BAD_PTE);
	test_entry(m, "behind the aperture", VA, 1, PTE_APERTURE | PTE_LARGE | MMU_APERTURE,
		   QUIRE_FAULT_BAD_PTE);
	test_entry(m, "coherent in VRAM", VA, 1, PTE_VRAM | PTE_LARGE | PTE_COHERENT | VRAM_LARGE,
		   QUIRE_FAULT_BAD_PTE);
	test_entry(m, "zero with a segment", VA, 1, PTE_VRAM | PTE_LARGE | PTE_ZERO,
		   QUIRE_FAULT_BAD_PTE);
	test_entry(m, "zero with an address", VA, 1, large | PTE_ZERO | RAM_LARGE,
		   QUIRE_FAULT_BAD_PTE);
	mmu_free(m);
}

/* The entry is good, but not what it leads to: the fault is that of the memory. */
static void test_no_memory(void)
{
	const uint64_t large = PTE_VALID | PTE_LARGE;
	struct mmu *m = start();

	test_entry(m, "hole", VA, 0, PTE_SYSTEM | HOLE, QUIRE_FAULT_DMA);
	test_entry(m, "coherent hole", VA, 0, PTE_SYSTEM | PTE_COHERENT | HOLE, QUIRE_FAULT_DMA);
	test_entry(m, "64 KiB of a hole", VA, 0, PTE_SYSTEM | PTE_64K | HOLE, QUIRE_FAULT_DMA);
	test_entry(m, "2 MiB of a hole", VA, 1, large | HOLE, QUIRE_FAULT_DMA);
	test_entry(m, "hole in the aperture", VA, 0, PTE_APERTURE | APERTURE_HOLE,
		   QUIRE_FAULT_DMA);
	test_entry(m, "invalid page of the aperture", VA, 0, PTE_APERTURE | APERTURE_INVALID,
		   QUIRE_FAULT_APERTURE);
	test_entry(m, "64 KiB of the aperture, invalid", VA, 0,
		   PTE_APERTURE | PTE_64K | 10 * SIZE_64K, QUIRE_FAULT_APERTURE);
	space_page(&m->space, VA, PTE_SYSTEM | ROM_BASE);
	space_page(&m->space, VA + PAGE, PTE_SYSTEM | PTE_COHERENT | ROM_BASE);
	space_page(&m->space, VA + 2 * PAGE, PTE_APERTURE | APERTURE_ROM);
	model_take(&m->model);
	ok(try_copy(m, VA + 3, SCRATCH, 2 * PAGE + 9, 0) &&
	   try_fill(m, false, VA + 8, 8, QUIRE_FAULT_DMA) &&
	   try_fill(m, true, VA + PAGE + 8, 8, QUIRE_FAULT_DMA) &&
	   try_copy(m, SCRATCH, VA + 2 * PAGE + 40, 8, QUIRE_FAULT_DMA),
	   "memory that is read only");
	mmu_free(m);
}

/* Pages one behind the other, of which one is bad: the others are copied as far as it is. */
static void test_part(uint64_t bad, uint32_t code)
{
	struct mmu *m = start();
	unsigned int i;

	for (i = 0; i < 20; i++)
		space_page(&m->space, VA + i * PAGE, PTE_VRAM | (VRAM_PAGES + (40 - i) * PAGE));
	space_page(&m->space, VA + 12 * PAGE, bad);
	model_take(&m->model);
	ok(try_copy(m, SCRATCH, VA, 20 * PAGE, code) &&
	   try_copy(m, SCRATCH + 77, VA + 5, 16 * PAGE, code) &&
	   try_copy(m, SCRATCH, VA + 12 * PAGE - 1, 2, code) &&
	   try_copy(m, SCRATCH, VA + 12 * PAGE + 30, 2, code) &&
	   try_copy(m, SCRATCH, VA + 13 * PAGE, 3 * PAGE, 0),
	   "part, 0x%llx: of a destination, fault %u", (unsigned long long)bad, code);
	if (code != QUIRE_FAULT_PROTECTION)
		ok(try_copy(m, VA, SCRATCH, 20 * PAGE, code) &&
		   try_copy(m, VA + 3, SCRATCH + 999, 13 * PAGE, code) &&
		   try_copy(m, VA + 13 * PAGE - 1, SCRATCH, 1, code),
		   "part, 0x%llx: of a source, fault %u", (unsigned long long)bad, code);
	/* that it is elsewhere is another fault, see test-paging-virtual.c */
	if (code != QUIRE_FAULT_DMA && code != QUIRE_FAULT_APERTURE)
		ok(try_transfer(m, 2, SCRATCH + 1, VA + 1, 18 * PAGE, code),
		   "part, 0x%llx: of a paging operation", (unsigned long long)bad);
	ok(try_fill(m, false, VA + 4, 15 * PAGE, code) && try_fill(m, true, VA, 14 * PAGE, code),
	   "part, 0x%llx: of a fill", (unsigned long long)bad);
	/* from the end: what stands behind the page is done */
	ok(try_copy(m, VA + PAGE, VA + 2 * PAGE, 15 * PAGE, code) &&
	   (code == QUIRE_FAULT_DMA ||
	    try_copy(m, VA + 8 * PAGE + 5, VA + 9 * PAGE + 1, 7 * PAGE + 100, code)),
	   "part, 0x%llx: of a copy from the end", (unsigned long long)bad);
	mmu_free(m);
}

static bool copy_over(struct mmu *m, uint64_t src, uint64_t by, uint64_t size, uint32_t code)
{
	return try_copy(m, src, src + by, size, code) &&
	       (code == QUIRE_FAULT_APERTURE || try_transfer(m, 2, src, src + by, size, code));
}

/*
 * Copies that overlap upward reach a page from behind: in its middle, or at its end after what
 * stands behind it is done; and begin in front of it or within it. It is that of the destination,
 * or, where it can not be read either, of the source.
 */
static void test_behind(uint64_t size, uint64_t bad, uint32_t code)
{
	const uint64_t first = BEHIND - 8 * PAGE, end = BEHIND + size;
	void (*set)(struct space *space, uint64_t va, uint64_t entry) =
		size == PAGE ? space_page : size == SIZE_64K ? space_64k : space_large;
	struct mmu *m = start();

	space_pages(&m->space, first, PTE_VRAM | VRAM_PAGES, 8);
	space_pages(&m->space, end, PTE_VRAM | (VRAM_PAGES + 16 * PAGE), 8);
	set(&m->space, BEHIND, bad);
	model_take(&m->model);
	ok(copy_over(m, first, size / 2, 8 * PAGE, code) &&
	   copy_over(m, BEHIND - 5, 100, 5, code) &&
	   copy_over(m, BEHIND - 100, 60, 100, code) &&
	   copy_over(m, BEHIND - PAGE, size - 4, PAGE, code),
	   "behind, 0x%llx bytes, 0x%llx: the end of the destination is in it, fault %u",
	   (unsigned long long)size, (unsigned long long)bad, code);
	ok(copy_over(m, first + 3, PAGE + 7, size + 12 * PAGE, code) &&
	   copy_over(m, BEHIND, 100, size + 2 * PAGE, code) &&
	   copy_over(m, BEHIND + size / 2, 8, size / 2 + 3 * PAGE, code),
	   "behind, 0x%llx bytes, 0x%llx: all passes through it, fault %u",
	   (unsigned long long)size, (unsigned long long)bad, code);
	mmu_free(m);
}

static void test_behind_sizes(void)
{
	test_behind(PAGE, PTE_VRAM | PTE_READ_ONLY | (VRAM_PAGES + 99 * PAGE),
		    QUIRE_FAULT_PROTECTION);
	test_behind(PAGE, PTE_VRAM | PTE_LARGE | VRAM_PAGES, QUIRE_FAULT_BAD_PTE);
	test_behind(PAGE, 0, QUIRE_FAULT_PAGE);
	test_behind(PAGE, PTE_APERTURE | APERTURE_INVALID, QUIRE_FAULT_APERTURE);
	test_behind(SIZE_64K, PTE_VRAM | PTE_READ_ONLY | VRAM_64K, QUIRE_FAULT_PROTECTION);
	test_behind(SIZE_64K, PTE_VALID | PTE_ZERO | PTE_READ_ONLY, QUIRE_FAULT_PROTECTION);
	test_behind(SIZE_64K, PTE_VRAM | PTE_LARGE | VRAM_64K, QUIRE_FAULT_BAD_PTE);
	test_behind(SIZE_64K, PTE_APERTURE | 10 * SIZE_64K, QUIRE_FAULT_APERTURE);
	test_behind(SIZE_2M, PTE_VRAM | PTE_READ_ONLY | VRAM_LARGE, QUIRE_FAULT_PROTECTION);
	test_behind(SIZE_2M, PTE_VALID | PTE_ZERO | PTE_READ_ONLY, QUIRE_FAULT_PROTECTION);
	test_behind(SIZE_2M, PTE_VRAM | PTE_64K | VRAM_LARGE, QUIRE_FAULT_BAD_PTE);
}

/* What was begun counts, in slices of any size. */
static void test_part_slices(void)
{
	static const uint64_t looks[] = { 1, 100, PAGE, 3 * PAGE };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(looks); i++) {
		struct mmu *m = start();

		m->host->memory.engine.slice_ns = 1;
		m->host->memory.engine.look_bytes = looks[i];
		space_page(&m->space, VA + 7 * PAGE, PTE_VRAM | PTE_READ_ONLY | VRAM_PAGES);
		model_take(&m->model);
		ok(try_copy(m, SCRATCH + 3, VA + 1, 9 * PAGE, QUIRE_FAULT_PROTECTION) &&
		   try_transfer(m, 2, SCRATCH + 3, VA + 1, 9 * PAGE, QUIRE_FAULT_PROTECTION),
		   "part, slices of 0x%llx bytes", (unsigned long long)looks[i]);
		mmu_free(m);
	}
}

/* At the end of the addresses, and where a large page ends. */
static void test_ends(void)
{
	struct mmu *m = start();

	space_page(&m->space, VA_END - PAGE, PTE_VRAM | VRAM_PAGES);
	space_large(&m->space, 0, PTE_VRAM | PTE_READ_ONLY | VRAM_LARGE);
	space_page(&m->space, SIZE_2M, PTE_VRAM | (VRAM_PAGES + PAGE));
	model_take(&m->model);
	ok(try_copy(m, VA_END - 10, SCRATCH, 10, 0) && try_fill(m, true, VA_END - PAGE, PAGE, 0) &&
	   try_copy(m, VA_END - 2 * PAGE, SCRATCH, 2 * PAGE, QUIRE_FAULT_PAGE),
	   "ends: the last page");
	ok(try_copy(m, SIZE_2M - 7, SCRATCH, 14, 0) &&
	   try_copy(m, SIZE_2M - 9, SIZE_2M - 1, 12, QUIRE_FAULT_PROTECTION) &&
	   try_fill(m, false, SIZE_2M - PAGE, 8, QUIRE_FAULT_PROTECTION),
	   "ends: a large page that is read only");
	mmu_free(m);
}

int main(void)
{
	test_seed(22);
	test_invalid();
	test_bad_directories();
	test_no_table();
	test_bad_pages();
	test_bad_large();
	test_no_memory();
	test_part(0, QUIRE_FAULT_PAGE);
	test_part(PTE_VRAM | PTE_READ_ONLY | VRAM_PAGES, QUIRE_FAULT_PROTECTION);
	test_part(PTE_VRAM | PTE_LARGE | VRAM_PAGES, QUIRE_FAULT_BAD_PTE);
	test_part(PTE_SYSTEM | HOLE, QUIRE_FAULT_DMA);
	test_part(PTE_APERTURE | APERTURE_INVALID, QUIRE_FAULT_APERTURE);
	test_behind_sizes();
	test_part_slices();
	test_ends();
	return tap_done();
}
