// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: UPDATE_PAGE_TABLE with each of its flags, and COPY_PAGE_TABLE: what becomes
 * of each entry, and that nothing else changes.
 */
#include <string.h>

#include "mmu.h"
#include "tap.h"

#define REPEAT		0x1u
#define INITIAL		0x2u
#define EVICTION	0x4u
#define OF_64K		0x8u
#define CONTIGUOUS	0x10u
#define VIRTUAL		0x8000u
#define ENTRIES_OF_TABLE 512u

/* Tables that are written, by their place, and where the address space has them. */
#define IN_VRAM_AT	VRAM_SPARE
#define IN_RAM_AT	RAM_SPARE
#define IN_APERTURE_AT	(APERTURE_COHERENT + 3 * PAGE)
#define VA		0x0abcde400000ull
#define VA_LARGE	0x0abcdf000000ull	/* of VRAM_LARGE */

/**
 * struct table - how a table is named
 * @name: for the test point
 * @flags: VIRTUAL or 0
 * @named: segment that the packet says
 * @address: address that the packet says
 * @segment: where it is
 * @at: where it is
 */
struct table {
	const char *name;
	uint16_t flags;
	uint32_t named;
	uint64_t address;
	unsigned int segment;
	uint64_t at;
};

static const struct table tables[] = {
	{ "VRAM", 0, 1, IN_VRAM_AT, 1, IN_VRAM_AT },
	{ "system", 0, 0, IN_RAM_AT, 0, IN_RAM_AT },
	{ "virtual, VRAM", VIRTUAL, 0, VA, 1, IN_VRAM_AT },
	{ "virtual, system", VIRTUAL, 0, VA + PAGE, 0, IN_RAM_AT },
	{ "virtual, aperture", VIRTUAL, 0, VA + 2 * PAGE, 2, IN_APERTURE_AT },
	{ "virtual, 2 MiB", VIRTUAL, 0, VA_LARGE + 99 * PAGE, 1, VRAM_LARGE + 99 * PAGE },
};

static struct mmu *start(unsigned int where)
{
	struct mmu *m = mmu_new(where, 0, 0, HOST_TLB);

	space_page(&m->space, VA, PTE_VRAM | IN_VRAM_AT);
	space_page(&m->space, VA + PAGE, PTE_SYSTEM | PTE_COHERENT | IN_RAM_AT);
	space_page(&m->space, VA + 2 * PAGE, PTE_APERTURE | IN_APERTURE_AT);
	space_page(&m->space, VA + 3 * PAGE, PTE_VRAM | (IN_VRAM_AT + PAGE));
	space_page(&m->space, VA + 4 * PAGE, PTE_VRAM | PTE_READ_ONLY | (IN_VRAM_AT + 2 * PAGE));
	space_page(&m->space, VA + 5 * PAGE, PTE_VALID | PTE_ZERO);
	space_large(&m->space, VA_LARGE, PTE_VRAM | VRAM_LARGE);
	test_scramble(m->host->memory.vram + IN_VRAM_AT, 4 * PAGE);
	test_scramble(host_ram(m->host, IN_RAM_AT, PAGE), PAGE);
	model_take(&m->model);
	return m;
}

static bool has_one(unsigned int flags)
{
	return flags & (REPEAT | CONTIGUOUS);
}

/* What the specification has no word for can not be built. */
static bool possible(unsigned int flags, uint32_t level)
{
	if (flags & REPEAT && flags & CONTIGUOUS)
		return false;
	if (flags & OF_64K && level)
		return false;
	return !(flags & CONTIGUOUS) || (level < 2 && !(flags & EVICTION));
}

/* Any number is an entry: what it leads to is not looked at. */
static uint64_t random_entry(unsigned int flags)
{
	uint64_t entry = (uint64_t)test_random() << 32 | test_random();

	if (flags & EVICTION)
		return test_random() & 1 ? 0 : entry & ~PTE_VALID;
	if (flags & CONTIGUOUS)
		return ((entry | PTE_VALID) & ~PTE_ZERO) >> 8 << 8 | PTE_VALID;
	return test_random() % 4 ? entry | PTE_VALID : entry & ~PTE_VALID;
}

/* The entry that place @i from the first on gets. */
static uint64_t entry_of(unsigned int flags, uint32_t level, const uint64_t *entries,
			 uint32_t i)
{
	uint64_t entry = entries[has_one(flags) ? 0 : i];
	uint64_t page = flags & OF_64K ? SIZE_64K : level ? SIZE_2M : PAGE;

	if (flags & CONTIGUOUS)
		entry += i * page;
	return flags & OF_64K && entry & PTE_VALID ? entry | PTE_64K : entry;
}

static void model_update(struct mmu *m, const struct table *table, unsigned int flags,
			 uint32_t level, uint32_t first, uint32_t count,
			 const uint64_t *entries)
{
	unsigned int places = flags & OF_64K ? 16 : 1, i, j;

	for (i = 0; flags & INITIAL && i < ENTRIES_OF_TABLE; i++)
		model_put(&m->model, table->segment, table->at + 8 * i, 0, 8);
	for (i = 0; i < count; i++)
		for (j = 0; j < places; j++)
			model_put(&m->model, table->segment,
				  table->at + 8 * ((first + i) * places + j),
				  entry_of(flags, level, entries, i), 8);
}

static bool try_update(struct mmu *m, const struct table *table, unsigned int flags,
		       uint32_t level, uint32_t first, uint32_t count)
{
	struct outcome out = { 0 };
	uint64_t entries[ENTRIES_OF_TABLE];
	unsigned int i;

	for (i = 0; i < count; i++)
		entries[i] = random_entry(flags);
	model_update(m, table, flags, level, first, count, entries);
	m->p.size = 0;
	packet_update_table(&m->p, flags | table->flags, table->named, level, table->address,
			    first, count, entries, has_one(flags) ? 1 : count);
	return mmu_try(m, true, &out);
}

/* The first, the last, all, and some places in between. */
static void test_flags(struct mmu *m, const struct table *table, unsigned int flags,
		       uint32_t level)
{
	uint32_t most = flags & OF_64K ? 32 : ENTRIES_OF_TABLE, first, i;
	bool good = try_update(m, table, flags, level, 0, 1) &&
		    try_update(m, table, flags, level, most - 1, 1) &&
		    try_update(m, table, flags, level, 0, most);

	for (i = 0; i < 2 && good; i++) {
		first = test_random_below(most);
		good = try_update(m, table, flags, level, first,
				  1 + test_random_below(most - first));
	}
	ok(good, "update: flags 0x%x, level %u, %s", flags, level, table->name);
}

static void test_update(void)
{
	unsigned int i, flags;
	uint32_t level;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		struct mmu *m = start(i % 2);

		for (flags = 0; flags < 0x20; flags++)
			for (level = 0; level < 4; level++)
				if (possible(flags, level))
					test_flags(m, &tables[i], flags, level);
		mmu_free(m);
	}
}

/* A packet that names memory as it is needs no context. */
static void test_physical(void)
{
	struct mmu *m = start(1);
	uint64_t entry = PTE_VRAM | 5 * PAGE, in_place;

	m->p.size = 0;
	packet_update_table(&m->p, REPEAT, 1, 0, IN_VRAM_AT, 3, 2, &entry, 1);
	packet_update_table(&m->p, 0, 0, 2, IN_RAM_AT, 511, 1, &entry, 1);
	ok(mmu_run_physical(m), "physical: without a context");
	in_place = place_get(m->host, 1, IN_VRAM_AT + 8 * 4);
	ok(in_place == entry && place_get(m->host, 0, IN_RAM_AT + 8 * 511) == entry,
	   "physical: written");
	is(host_ring_reg64(m->host, 0x80 + 8 * 14), 2, "physical: counted");
	ok(m->host->dirty[IN_VRAM_AT + 8 * 4 + 7] && !m->host->dirty[IN_VRAM_AT + 8 * 5],
	   "physical: dirty, and no more");
	mmu_free(m);
}

/* @at: what is accessed first. */
static void test_update_fault(const char *name, struct mmu *m, uint16_t flags, uint32_t segment,
			      uint64_t table, uint32_t code, uint64_t at, uint64_t entry)
{
	struct outcome out = { code, at, entry, ACCESS_WRITE, false };

	m->p.size = 0;
	packet_update_table(&m->p, flags, segment, 0, table, 7, 2, (uint64_t[]){ 1, 2 }, 2);
	ok(mmu_try(m, true, &out), "update: %s", name);
}

static void test_update_faults(void)
{
	struct mmu *m = start(1);

	test_update_fault("a table that is read only", m, VIRTUAL, 0, VA + 4 * PAGE,
			  QUIRE_FAULT_PROTECTION, VA + 4 * PAGE + 8 * 7,
			  PTE_VRAM | PTE_READ_ONLY | (IN_VRAM_AT + 2 * PAGE));
	test_update_fault("no table", m, VIRTUAL, 0, VA + 7 * PAGE, QUIRE_FAULT_PAGE,
			  VA + 7 * PAGE + 8 * 7, 0);
	test_update_fault("a table in a hole", m, 0, 0, HOLE, QUIRE_FAULT_DMA, HOLE + 8 * 7, 0);
	test_update_fault("a table in a ROM", m, 0, 0, ROM_BASE, QUIRE_FAULT_DMA,
			  ROM_BASE + 8 * 7, 0);
	test_update_fault("lost in a page that is zero", m, VIRTUAL, 0, VA + 5 * PAGE, 0, 0, 0);
	mmu_free(m);
}

static uint8_t *model_at(struct mmu *m, uint64_t va)
{
	struct outcome out;
	struct found found;

	model_find(&m->model, m->space.root, va, ACCESS_READ, &found, &out);
	return found.byte;
}

static void model_copy_range(struct mmu *m, const struct copied *range)
{
	struct outcome out;

	if (model_at(m, range->src) == model_at(m, range->dst))
		memmove(model_at(m, range->dst) + 8 * range->dst_start,
			model_at(m, range->src) + 8 * range->src_start, 8 * range->count);
	else
		model_copy(&m->model, m->space.root, range->src + 8 * range->src_start,
			   range->dst + 8 * range->dst_start, 8 * range->count, &out);
}

static bool try_copies(struct mmu *m, const struct copied *ranges, unsigned int count)
{
	struct outcome out = { 0 };
	unsigned int i;

	for (i = 0; i < count; i++)
		model_copy_range(m, &ranges[i]);
	m->p.size = 0;
	packet_copy_table(&m->p, ranges, count);
	return mmu_try(m, true, &out);
}

/* From each table to each, and within each, by some entries up and down. */
static void test_copy(void)
{
	static const uint64_t at[] = { VA, VA + PAGE, VA + 2 * PAGE, VA + 3 * PAGE,
				       VA_LARGE + 5 * PAGE };
	struct mmu *m = start(2);
	unsigned int src, dst;

	for (src = 0; src < ARRAY_SIZE(at); src++) {
		for (dst = 0; dst < ARRAY_SIZE(at); dst++) {
			const struct copied ranges[] = {
				{ at[src], at[dst], 0, 0, ENTRIES_OF_TABLE },
				{ at[src], at[dst], 511, 0, 1 },
				{ at[src], at[dst], 3, 5, 300 },
				{ at[src], at[dst], 9, 8, 400 },
				{ at[src], at[dst], 0, 511, 1 },
			};

			ok(try_copies(m, &ranges[1], 1) && try_copies(m, &ranges[2], 1) &&
			   try_copies(m, &ranges[3], 1) && try_copies(m, ranges, 5),
			   "copy: table %u to table %u", src, dst);
			test_scramble(m->host->memory.vram + IN_VRAM_AT, 2 * PAGE);
			model_take(&m->model);
		}
	}
	is(host_ring_reg64(m->host, 0x80 + 8 * 17), 100, "copy: counted");
	mmu_free(m);
}

/* Each range finds what the ones before it have done. */
static void test_copy_order(void)
{
	const struct copied ranges[] = {
		{ VA, VA + PAGE, 0, 100, 50 },
		{ VA + PAGE, VA + 2 * PAGE, 110, 0, 20 },
		{ VA + 2 * PAGE, VA, 5, 300, 10 },
		{ VA, VA, 300, 301, 100 },
	};
	struct mmu *m = start(0);

	ok(try_copies(m, ranges, ARRAY_SIZE(ranges)), "copy: ranges one after the other");
	mmu_free(m);
}

static void test_copy_fault(const char *name, uint64_t src, uint64_t dst, uint32_t code,
			    uint64_t at, uint64_t entry, uint32_t access)
{
	const struct copied ranges[] = {
		{ VA, VA + PAGE, 2, 3, 4 },
		{ src, dst, 5, 6, 7 },
		{ VA, VA + PAGE, 20, 30, 40 },
	};
	struct mmu *m = start(1);
	struct outcome out = { code, at, entry, access, false };

	model_copy_range(m, &ranges[0]);
	m->p.size = 0;
	packet_copy_table(&m->p, ranges, 3);
	ok(mmu_try(m, true, &out), "copy: %s", name);
	mmu_free(m);
}

static void test_copy_faults(void)
{
	test_copy_fault("from no table", VA + 7 * PAGE, VA, QUIRE_FAULT_PAGE,
			VA + 7 * PAGE + 40, 0, ACCESS_READ);
	test_copy_fault("to no table", VA, VA + 7 * PAGE, QUIRE_FAULT_PAGE, VA + 7 * PAGE + 48,
			0, ACCESS_WRITE);
	test_copy_fault("to one that is read only", VA, VA + 4 * PAGE, QUIRE_FAULT_PROTECTION,
			VA + 4 * PAGE + 48, PTE_VRAM | PTE_READ_ONLY | (IN_VRAM_AT + 2 * PAGE),
			ACCESS_WRITE);
}

/* A driver makes an address space by packets alone, and uses it. */
static void test_made(void)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);
	uint64_t table = VRAM_SPARE, root = PTE_VRAM | table, entry, out;
	uint32_t level;

	m->p.size = 0;
	for (level = 3; level; level--) {
		entry = PTE_VRAM | (table + (4 - level) * PAGE);
		packet_update_table(&m->p, INITIAL, 1, level, table + (3 - level) * PAGE,
				    VA >> (12 + 9 * level) & 511, 1, &entry, 1);
	}
	entry = PTE_SYSTEM | PTE_COHERENT | RAM_PAGES;
	packet_update_table(&m->p, INITIAL | CONTIGUOUS, 1, 0, table + 3 * PAGE, 0, 200, &entry, 1);
	entry = PTE_VRAM | VRAM_64K;
	packet_update_table(&m->p, CONTIGUOUS | OF_64K, 1, 0, table + 3 * PAGE, 16, 16, &entry, 1);
	ok(mmu_run_physical(m), "made: tables");
	context_make(m->host, m->context, root);
	m->p.size = 0;
	packet_transfer_virtual(&m->p, 1, 0, VA + MIB, VA + 5, 100 * PAGE);
	ok(mmu_run(m, true), "made: a copy");
	ok(!memcmp(host_ram(m->host, RAM_PAGES + 5, 100 * PAGE), m->host->memory.vram + VRAM_64K,
		   100 * PAGE), "made: it went where it should");
	out = VA + 200 * PAGE;
	m->p.size = 0;
	packet_fill_virtual(&m->p, out, 8, 1);
	ok(!mmu_run(m, true) && host_ring_reg(m->host, 0x24) == QUIRE_FAULT_PAGE &&
	   host_ring_reg64(m->host, 0x30) == out, "made: and behind it is nothing");
	mmu_free(m);
}

int main(void)
{
	test_seed(25);
	test_update();
	test_physical();
	test_update_faults();
	test_copy();
	test_copy_order();
	test_copy_faults();
	test_made();
	return tap_done();
}
