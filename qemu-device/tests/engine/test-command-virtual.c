// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: each command on virtual addresses. It does to pages that are scattered over
 * all segments what it does, without a context, to bytes of VRAM that follow each other.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "mmu.h"
#include "tap.h"

#define FLAT		VRAM_64K
#define VA		0x0abcde400000ull
#define BYTES		(12 * SIZE_64K)	/* of either */
#define HALF		(BYTES / 2)

/**
 * struct twins - a command for both sides
 * @m: the engine
 * @p: packets of the flat side, and of the virtual one
 * @base: address of the first byte of each
 */
struct twins {
	struct mmu *m;
	struct packets p[2];
	uint64_t base[2];
};

static unsigned int opcodes[0x30];

/* Pages of 4 KiB in all segments, and some of 64 KiB; none follows the one before. */
static void make_pages(struct mmu *m)
{
	unsigned int i;

	for (i = 0; i < BYTES / PAGE; i++) {
		uint64_t entry = PTE_VRAM | (VRAM_PAGES + (7 + 2 * i) % 512 * PAGE);

		if (i % 4 == 1)
			entry = PTE_SYSTEM | (RAM_PAGES + (255 - i) * PAGE);
		else if (i % 4 == 2)
			entry = PTE_SYSTEM | PTE_COHERENT | (RAM_PAGES + (255 - i) * PAGE);
		else if (i % 4 == 3 && i < 128)
			entry = PTE_APERTURE | (127 - i) * PAGE;
		space_page(&m->space, VA + i * PAGE, entry);
	}
	space_64k(&m->space, VA + 3 * SIZE_64K, PTE_SYSTEM | (RAM_64K + 5 * SIZE_64K));
	space_64k(&m->space, VA + 8 * SIZE_64K, PTE_SYSTEM | RAM_64K);
}

/* What the virtual side has, in its order. */
static void collect(struct mmu *m, uint8_t *to)
{
	struct outcome out;
	struct found found;
	uint64_t at;

	model_take(&m->model);
	for (at = 0; at < BYTES; at += PAGE) {
		if (!model_find(&m->model, m->space.root, VA + at, ACCESS_READ, &found, &out))
			abort();
		memcpy(to + at, found.byte, PAGE);
	}
}

/* The flat side becomes what the virtual one is. */
static struct twins *twins_new(uint32_t seed)
{
	static const uint64_t slices[] = { 0, 997, 4096, 10000 };
	static const uint64_t limits[] = { 0, 4096, 3000, 64 };
	static const uint64_t works[] = { 0, 1, 5000, 40000 };
	struct twins *t = calloc(1, sizeof(*t));

	if (!t)
		abort();
	test_seed(seed);
	t->m = mmu_new(seed % 3, 1 + test_random() % 4, slices[test_random() % 4], HOST_TLB);
	t->m->host->memory.granule = limits[test_random() % 4];
	t->m->host->memory.work_least = works[test_random() % 4];
	t->m->host->memory.work_slices = test_random() % 4;
	t->m->host->memory.step = 100;
	t->m->host->memory.parts = seed % 5;
	memory_host_share(&t->m->host->memory);
	t->m->migrates = seed & 1;
	t->base[0] = IN_VRAM(FLAT);
	t->base[1] = VA;
	make_pages(t->m);
	collect(t->m, t->m->host->memory.vram + FLAT);
	return t;
}

static void twins_free(struct twins *t)
{
	mmu_free(t->m);
	free(t);
}

/* Execute both; are both done, and the same afterwards? */
static bool twins_same(struct twins *t)
{
	static uint8_t bytes[BYTES];
	struct mmu *m = t->m;

	runner_submit(&m->r, &t->p[0], ++m->fence);
	if (!host_run(m->host) || runner_fence(&m->r) != m->fence)
		return false;
	m->p = t->p[1];
	if (!mmu_run(m, false)) {
		printf("#   fault %u at 0x%llx\n", runner_reg(&m->r, 0x24),
		       (unsigned long long)runner_reg64(&m->r, 0x30));
		return false;
	}
	collect(m, bytes);
	return !memcmp(bytes, m->host->memory.vram + FLAT, BYTES);
}

static uint64_t random_size(uint64_t align)
{
	uint64_t size = 1 + test_random_below(test_random() & 1 ? 3 * PAGE : 40 * PAGE);

	return (size + align - 1) / align * align;
}

static uint64_t random_at(uint64_t size, uint64_t align)
{
	return test_random_below((BYTES - size) / align + 1) * align;
}

/* Two sides, often some bytes apart. */
static uint64_t random_near(uint64_t at, uint64_t size, uint64_t align)
{
	uint64_t near = at + test_random_below(9) * align;

	return test_random() & 1 && near <= BYTES - size ? near : random_at(size, align);
}

static uint32_t level_size(uint32_t size, uint32_t level)
{
	return size >> level ? size >> level : 1;
}

/* A surface of its own half of the bytes. */
static void random_area(struct area *area, uint64_t first, uint32_t shift)
{
	uint64_t size, tile;
	struct image image;

	do {
		image_random(&image, 1 + test_random() % 2, test_random() & 1 ? 20 : 120);
		image.shift = shift;
		*area = (struct area){
			.layout = test_random() % 3, .width = image.width,
			.height = image.height, .levels = 1, .slices = 1,
		};
		area->address = first;
		if (!area->layout) {
			area->pitch = (area->width + test_random_below(900)) << shift;
			size = (uint64_t)area->pitch * area->height;
			area->address += test_random_below(PAGE >> shift) << shift;
			continue;
		}
		image.layout = area->layout;
		image.levels = image_random_levels(&image);
		tile = image_tile_bytes(&image);
		area->levels = image.levels;
		area->slices = image.slices;
		area->level = test_random_below(area->levels);
		area->slice = test_random_below(area->slices);
		size = image_tiles(&image) * tile;
		area->address += test_random_below(3) * tile;
	} while (area->address + size > first + HALF);
}

static void random_2d(struct twins *t, uint16_t opcode)
{
	uint32_t shift = opcode == 0x24 ? 2 : test_random() % 5;
	struct area src, dst;
	struct place at;
	unsigned int i;

	random_area(&src, 0, shift);
	random_area(&dst, HALF, shift);
	at = (struct place){
		.src_x = (int32_t)test_random_below(level_size(src.width, src.level) + 4) - 2,
		.src_y = (int32_t)test_random_below(level_size(src.height, src.level) + 4) - 2,
		.dst_x = (int32_t)test_random_below(level_size(dst.width, dst.level) + 4) - 2,
		.dst_y = (int32_t)test_random_below(level_size(dst.height, dst.level) + 4) - 2,
		.columns = test_random_below(150),
		.rows = test_random_below(150),
	};
	for (i = 0; i < 2; i++) {
		struct area from = src, to = dst;

		from.address += t->base[i];
		to.address += t->base[i];
		command_2d(&t->p[i], opcode, &from, &to, shift, &at);
	}
}

static void random_command(struct twins *t, uint16_t opcode)
{
	uint64_t align = opcode == 0x22 || opcode == 0x25 ? 4 : 1, size = random_size(align);
	uint64_t src = random_at(size, align), dst = random_near(src, size, align);
	uint64_t result = random_at(16, 8), value = test_random(), hashed = random_at(size, 32);
	uint16_t flag = 1 + test_random() % 2;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct packets *p = &t->p[i];
		uint64_t base = t->base[i];

		if (opcode == 0x20)
			command_nop(p, value % 5);
		else if (opcode == 0x21)
			command_copy(p, base + src, base + dst, size);
		else if (opcode == 0x22)
			command_fill(p, base + dst, size, value);
		else if (opcode == 0x25)
			command_arithmetic(p, flag, base + src, base + dst, size);
		else if (opcode == 0x26)
			command_checksum(p, base + hashed, base + result, size);
		else if (opcode == 0x27)
			command_compare(p, base + src, base + dst, base + result, size);
		else if (opcode == 0x28 || opcode == 0x29)
			command_write_value(p, base + result, value);
		else
			command_delay(p, value % 5000);
		if (opcode == 0x29)
			command_wait_value(p, flag, base + result, value);
	}
}

static void add_command(struct twins *t, uint16_t opcode)
{
	if (opcode == 0x23 || opcode == 0x24)
		random_2d(t, opcode);
	else
		random_command(t, opcode);
	opcodes[opcode]++;
}

/* Each command by itself. */
static void test_each(void)
{
	struct twins *t = twins_new(2);
	uint16_t opcode;
	unsigned int i;
	bool good;

	for (opcode = 0x20; opcode <= 0x2a; opcode++) {
		good = true;
		for (i = 0; i < 12 && good; i++) {
			t->p[0].size = 0;
			t->p[1].size = 0;
			add_command(t, opcode);
			good = twins_same(t);
		}
		ok(good, "command: 0x%x", opcode);
	}
	twins_free(t);
}

static void test_round(uint32_t seed)
{
	struct twins *t = twins_new(seed);
	bool good = true;
	unsigned int i, n;

	for (i = 0; i < 6 && good; i++) {
		t->p[0].size = 0;
		t->p[1].size = 0;
		for (n = test_random() % 6; n; n--)
			add_command(t, 0x20 + test_random() % 11);
		good = twins_same(t);
	}
	ok(good, "command: seed %u", seed);
	twins_free(t);
}

/* A surface with a page that is missing: what does not touch it is done. */
static void test_missing(uint32_t layout)
{
	struct twins *t = twins_new(4);
	struct mmu *m = t->m;
	/* 128 x 128 elements of 4 bytes, 16 pages on either side */
	struct area src = { VA, layout, layout ? 0 : 512, 128, 128, 1, 1, 0, 0 };
	struct area dst = { VA + SIZE_64K, 0, 512, 128, 128, 1, 1, 0, 0 };
	struct place first = { 0, 0, 0, 0, 32, 8 }, all = { 0, 0, 0, 0, 128, 128 };
	uint64_t missing = VA + 9 * PAGE;

	space_page(&m->space, missing, 0);
	m->p.size = 0;
	command_2d(&m->p, 0x23, &src, &dst, 2, &first);
	ok(mmu_run(m, false), "missing: layout %u, a rectangle beside it", layout);
	m->p.size = 0;
	command_2d(&m->p, 0x23, &src, &dst, 2, &all);
	ok(!mmu_run(m, false) && runner_reg(&m->r, 0x24) == QUIRE_FAULT_PAGE &&
	   runner_reg64(&m->r, 0x30) - missing < PAGE &&
	   context_get32(m->host, m->context, CONTEXT_ACCESS) == ACCESS_READ,
	   "missing: layout %u, one that needs it", layout);
	runner_start(&m->r, m->host, 1);
	context_make(m->host, m->context, m->space.root);
	m->p.size = 0;
	command_2d(&m->p, 0x23, &dst, &src, 2, &all);
	ok(!mmu_run(m, false) && runner_reg(&m->r, 0x24) == QUIRE_FAULT_PAGE &&
	   runner_reg64(&m->r, 0x30) - missing < PAGE &&
	   context_get32(m->host, m->context, CONTEXT_ACCESS) & ACCESS_WRITE,
	   "missing: layout %u, one that writes it", layout);
	twins_free(t);
}

/* The report is written last, and where it can not be nothing else is. */
static void test_results(void)
{
	struct twins *t = twins_new(6);
	struct mmu *m = t->m;
	uint64_t entry = PTE_VRAM | PTE_READ_ONLY | (VRAM_PAGES + PAGE), at = VA + BYTES + 8;
	struct outcome out = { QUIRE_FAULT_PROTECTION, at, entry, ACCESS_WRITE, false };

	space_page(&m->space, VA + BYTES, entry);
	model_take(&m->model);
	m->p.size = 0;
	command_checksum(&m->p, VA, at, 5 * PAGE);
	ok(mmu_try(m, false, &out), "result: of a checksum");
	m->p.size = 0;
	command_compare(&m->p, VA, VA + 7, at, 5 * PAGE);
	ok(mmu_try(m, false, &out), "result: of a comparison");
	m->p.size = 0;
	command_write_value(&m->p, at, 4);
	ok(mmu_try(m, false, &out), "result: a value");
	out = (struct outcome){ QUIRE_FAULT_PAGE, VA + BYTES + PAGE, 0, ACCESS_READ, false };
	m->p.size = 0;
	command_wait_value(&m->p, 1, VA + BYTES + PAGE, 4);
	ok(mmu_try(m, false, &out), "result: a value that is waited for");
	twins_free(t);
}

int main(void)
{
	uint32_t seed, opcode;
	bool all = true;

	test_each();
	for (seed = 1; seed <= 60; seed++)
		test_round(seed);
	for (opcode = 0x20; opcode <= 0x2a; opcode++)
		all &= opcodes[opcode] > 12;
	ok(all, "command: each one came");
	test_missing(0);
	test_missing(1);
	test_results();
	return tap_done();
}
