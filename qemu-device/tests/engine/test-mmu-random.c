// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: random address spaces, and random packets in them, against the model: pages
 * of all sizes, scattered over all segments, some that can not be written, and some that are
 * missing. In slices of each size, beside threads, and with the state that moves to another
 * engine in between.
 *
 * What the specification leaves open is left out: which of two pages that are missing at the
 * same byte is told.
 */
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "mmu.h"
#include "tap.h"

#define REGIONS		5u
#define SMALL		(512u + 256 + 128)
#define MIDDLE		(16u + 8)

/**
 * struct region - virtual addresses that mostly have pages
 * @va: the first
 * @size: bytes
 */
struct region {
	uint64_t va;
	uint64_t size;
};

/**
 * struct world - an address space, and the pages that are left
 * @m: the engine
 * @regions: where something is
 * @small: entries of pages of 4 KiB, none of which is used twice
 * @middle: of 64 KiB
 * @large: of 2 MiB
 * @smalls: how many are left
 * @middles: how many are left
 * @larges: how many are left
 */
struct world {
	struct mmu *m;
	struct region regions[REGIONS];
	uint64_t small[SMALL];
	uint64_t middle[MIDDLE];
	uint64_t large[2];
	unsigned int smalls;
	unsigned int middles;
	unsigned int larges;
};

static unsigned int done[0x30], faults[32];

static void shuffle(uint64_t *list, unsigned int count)
{
	while (count > 1) {
		unsigned int other = test_random_below(count--);
		uint64_t entry = list[count];

		list[count] = list[other];
		list[other] = entry;
	}
}

static void take_pages(struct world *w)
{
	unsigned int i, n = 0;

	for (i = 0; i < 512; i++)
		w->small[n++] = PTE_VRAM | (VRAM_PAGES + i * PAGE);
	for (i = 0; i < 256; i++)
		w->small[n++] = PTE_SYSTEM | (RAM_PAGES + i * PAGE);
	for (i = 0; i < 128; i++)
		w->small[n++] = PTE_APERTURE | i * PAGE;
	w->smalls = n;
	shuffle(w->small, n);
	for (i = 0; i < 16; i++)
		w->middle[i] = PTE_VRAM | (VRAM_64K + i * SIZE_64K);
	for (; i < MIDDLE; i++)
		w->middle[i] = PTE_SYSTEM | (RAM_64K + (i - 16) * SIZE_64K);
	w->middles = MIDDLE;
	shuffle(w->middle, MIDDLE);
	w->large[0] = PTE_VRAM | VRAM_LARGE;
	w->large[1] = test_random() & 1 ? PTE_SYSTEM | RAM_LARGE : PTE_APERTURE | APERTURE_LARGE;
	w->larges = 2;
}

/* Some pages can not be written; of system memory some are coherent. */
static uint64_t with_bits(uint64_t entry)
{
	if (!(test_random() % 24))
		entry |= PTE_READ_ONLY;
	if (!(entry & PTE_SEGMENT(3)) && test_random() & 1)
		entry |= PTE_COHERENT;
	return entry;
}

static uint64_t random_small(struct world *w)
{
	unsigned int kind = test_random() % 48;

	if (kind < 2 || !w->smalls)
		return PTE_VALID | PTE_ZERO;
	return kind == 2 ? 0 : with_bits(w->small[--w->smalls]);
}

/* One page at @va; returns its size. */
static uint64_t random_page(struct world *w, uint64_t va)
{
	struct space *space = &w->m->space;

	if (!(va % SIZE_2M) && w->larges && test_random() & 1) {
		space_large(space, va, with_bits(w->large[--w->larges]));
		return SIZE_2M;
	}
	if (!(va % SIZE_64K) && w->middles && test_random() & 1) {
		space_64k(space, va, with_bits(w->middle[--w->middles]));
		return SIZE_64K;
	}
	space_page(space, va, random_small(w));
	return PAGE;
}

/* Regions lie across the end of a table of some level. */
static void make_region(struct world *w, unsigned int i)
{
	static const uint64_t edges[REGIONS] = {
		SIZE_2M * 3, 1ull << 30, 1ull << 39, 5ull << 44, VA_END - SIZE_2M * 5,
	};
	uint64_t va = edges[i] - test_random_below(40) * PAGE, end, size;

	size = (40 + test_random_below(80)) * PAGE;
	end = edges[i] + size;
	w->regions[i].va = va;
	while (va < end)
		va += random_page(w, va);
	w->regions[i].size = va - w->regions[i].va;
}

static struct world *world_new(uint32_t seed)
{
	static const uint64_t slices[] = { 0, 97, 1000, 4096, 10000 };
	static const uint64_t limits[] = { 0, 4096, 3000, 64 };
	static const uint64_t works[] = { 0, 1, 5000, 40000 };
	static const uint32_t tlbs[] = { 0, 4, 64, 256, 4096 };
	struct world *w = calloc(1, sizeof(*w));
	unsigned int i;

	test_seed(seed);
	w->m = mmu_new(seed % 3, 1 + test_random() % 4, slices[test_random() % 5],
		       tlbs[test_random() % 5]);
	w->m->host->memory.granule = limits[test_random() % 4];
	w->m->host->memory.work_least = works[test_random() % 4];
	w->m->host->memory.work_slices = test_random() % 4;
	w->m->host->memory.parts = seed % 5;
	memory_host_share(&w->m->host->memory);
	w->m->migrates = test_random() & 1;
	take_pages(w);
	for (i = 0; i < REGIONS; i++)
		make_region(w, i);
	model_take(&w->m->model);
	return w;
}

static uint64_t random_size(uint64_t align)
{
	uint64_t size = 1 + test_random_below(test_random() & 3 ? 3 * PAGE : 30 * PAGE);

	return (size + align - 1) / align * align;
}

/* Somewhere in a region; often at an edge of a page, seldom across the end of the region. */
static uint64_t random_va(const struct world *w, uint64_t size, uint64_t align)
{
	const struct region *r = &w->regions[test_random() % REGIONS];
	uint64_t room = r->size > size ? r->size - size : 1, at = test_random_below(room);

	if (!(test_random() % 4))
		at = at / PAGE * PAGE;
	if (!(test_random() % 32))
		at = r->size - test_random_below(PAGE);
	at = (r->va + at) / align * align;
	return at > VA_END - size ? (VA_END - size) / align * align : at;
}

/* The direction of both, often the right one. */
static uint32_t random_direction(struct world *w, uint64_t src, uint64_t dst)
{
	bool src_local, dst_local;
	struct outcome out;
	struct found found;

	if (!(test_random() % 4))
		return test_random() % 3;
	model_find(&w->m->model, w->m->space.root, src, ACCESS_READ, &found, &out);
	src_local = found.segment == 1;
	model_find(&w->m->model, w->m->space.root, dst, ACCESS_READ, &found, &out);
	dst_local = found.segment == 1;
	return src_local ? dst_local ? 2 : 0 : 1;
}

/* A copy, also one that overlaps. */
static bool random_move(struct world *w, bool paging, struct outcome *out)
{
	struct rules any = { 7, PAGE }, src_rules = any, dst_rules = any;
	uint64_t size = random_size(1), src = random_va(w, size, 1), dst;
	uint32_t flags = test_random() % 4 ? 0 : test_random() % 4, direction;
	struct mmu *m = w->m;

	dst = test_random() % 3 ? random_va(w, size, 1) : src + test_random_below(2 * PAGE);
	if (dst > VA_END - size)
		dst = src;
	direction = random_direction(w, src, dst);
	if (paging) {
		src_rules = (struct rules){ direction == 1 ? 5 : 2, flags & 1 ? SIZE_64K : PAGE };
		dst_rules = (struct rules){ direction ? 2 : 5, flags & 2 ? SIZE_64K : PAGE };
	}
	m->model.dry = true;
	model_move(&m->model, m->space.root, &src_rules, &dst_rules, src, dst, size, out);
	m->model.dry = false;
	/* What an entry of a directory has in front of it is no page. */
	if (out->unclear || (out->code && dst > src && dst - src < size && out->access >> 8))
		return false;
	model_move(&m->model, m->space.root, &src_rules, &dst_rules, src, dst, size, out);
	if (paging)
		packet_transfer_virtual(&m->p, flags, direction, src, dst, size);
	else
		command_copy(&m->p, src, dst, size);
	return true;
}

static bool random_fill(struct world *w, bool paging, struct outcome *out)
{
	uint64_t size = random_size(4), dst = random_va(w, size, 4);
	uint32_t pattern = test_random();

	model_fill(&w->m->model, w->m->space.root, dst, size, pattern, out);
	if (paging)
		packet_fill_virtual(&w->m->p, dst, size, pattern);
	else
		command_fill(&w->m->p, dst, size, pattern);
	return true;
}

static void write_number(struct mmu *m, uint64_t va, uint64_t value, struct outcome *out)
{
	uint8_t bytes[8];
	unsigned int i;

	for (i = 0; i < 8; i++)
		bytes[i] = value >> 8 * i;
	model_write(&m->model, m->space.root, va, 8, bytes, out);
}

static bool random_value(struct world *w, struct outcome *out)
{
	uint64_t value = (uint64_t)test_random() << 32 | test_random();
	uint64_t va = random_va(w, 8, 8);

	write_number(w->m, va, value, out);
	command_write_value(&w->m->p, va, value);
	return true;
}

static bool random_checksum(struct world *w, struct outcome *out)
{
	uint64_t size = random_size(1), src = random_va(w, size, 32), result = random_va(w, 8, 8);
	struct mmu *m = w->m;

	command_checksum(&m->p, src, result, size);
	model_read(&m->model, m->space.root, src, size, m->model.bytes, out);
	if (!out->code)
		write_number(m, result, hash_xxh64(m->model.bytes, size), out);
	return true;
}

/* Does the side of a comparison have all its bytes? They go to @to. */
static bool side_of(struct world *w, uint64_t va, uint64_t size, uint8_t *to,
		    struct outcome *out)
{
	*out = (struct outcome){ 0 };
	model_read(&w->m->model, w->m->space.root, va, size, to, out);
	return !out->code;
}

/* The result is within one page; which side is read first is nobody's concern. */
static bool random_compare(struct world *w, struct outcome *out)
{
	uint64_t size = random_size(1), src = random_va(w, size, 1), dst, result, i;
	uint8_t *a = w->m->model.bytes, *b = a + DATA_SIZE / 2;
	uint64_t first = size, count = 0;
	struct outcome other;
	bool good;

	dst = test_random() & 1 ? src : random_va(w, size, 1);
	result = random_va(w, 16, 16);
	good = side_of(w, src, size, a, out);
	if (!side_of(w, dst, size, b, good ? out : &other)) {
		if (!good && src != dst)
			return false;
		good = false;
	}
	command_compare(&w->m->p, src, dst, result, size);
	if (!good)
		return true;
	for (i = size; i--;) {
		if (a[i] == b[i])
			continue;
		first = i;
		count++;
	}
	write_number(w->m, result, first, out);
	if (!out->code)
		write_number(w->m, result + 8, count, out);
	return true;
}

static bool random_packet(struct world *w, bool paging, struct outcome *out)
{
	uint32_t start = w->m->p.size;
	bool built;

	*out = (struct outcome){ 0 };
	if (paging) {
		built = test_random() & 3 ? random_move(w, true, out) :
					    random_fill(w, true, out);
	} else {
		switch (test_random() % 8) {
		case 0:
			built = random_fill(w, false, out);
			break;
		case 1:
			built = random_value(w, out);
			break;
		case 2:
			built = random_checksum(w, out);
			break;
		case 3:
			built = random_compare(w, out);
			break;
		default:
			built = random_move(w, false, out);
			break;
		}
	}
	if (built) {
		done[w->m->p.bytes[start]] += !out->code;
		faults[out->code]++;
	} else {
		w->m->p.size = start;
	}
	return built;
}

/* Two pages change their places, which the flush of the next submission tells. */
static void swap_pages(struct world *w)
{
	uint64_t at[2], entries[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		at[i] = random_va(w, PAGE, PAGE);
		entries[i] = space_get(&w->m->space, at[i], 1) & PTE_LARGE ? PTE_64K :
			     space_get(&w->m->space, at[i], 0);
	}
	if (!((entries[0] | entries[1]) & PTE_64K)) {
		space_page(&w->m->space, at[0], entries[1]);
		space_page(&w->m->space, at[1], entries[0]);
	}
	/* tables may be new */
	model_take(&w->m->model);
}

static void test_round(uint32_t seed)
{
	struct world *w = world_new(seed);
	struct outcome out = { 0 };
	bool good = true, paging;
	unsigned int i, n;

	for (i = 0; i < 14 && good; i++) {
		if (!(test_random() % 3))
			swap_pages(w);
		paging = test_random() % 3 == 0;
		w->m->p.size = 0;
		out = (struct outcome){ 0 };
		for (n = test_random() % 6; n && !out.code; n--)
			if (!random_packet(w, paging, &out))
				out = (struct outcome){ 0 };
		good = mmu_try(w->m, paging, &out);
	}
	ok(good && !w->m->host->memory.mapped, "random: seed %u", seed);
	mmu_free(w->m);
	free(w);
}

int main(void)
{
	static const unsigned int opcodes[] = { 11, 12, 0x21, 0x22, 0x26, 0x27, 0x28 };
	static const unsigned int codes[] = {
		QUIRE_FAULT_PAGE, QUIRE_FAULT_PROTECTION, QUIRE_FAULT_BAD_SEGMENT,
		QUIRE_FAULT_BAD_RANGE,
	};
	uint32_t seed, i;

	for (seed = 1; seed <= 70; seed++)
		test_round(seed);
	for (i = 0; i < ARRAY_SIZE(opcodes); i++)
		ok(done[opcodes[i]] > 10, "random: opcode 0x%x was executed %u times", opcodes[i],
		   done[opcodes[i]]);
	for (i = 0; i < ARRAY_SIZE(codes); i++)
		ok(faults[codes[i]] > 4, "random: fault %u came %u times", codes[i],
		   faults[codes[i]]);
	return tap_done();
}
