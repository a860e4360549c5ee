// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Page tables of mmu_fuzz: sane ones, in which entries of any kind come to be: of pages of each
 * size, anywhere or nowhere, of tables again, also of those that are on the way already, and
 * numbers that mean nothing.
 */
#include <string.h>

#include "mmu_world.h"

/* In system memory that the model does not know? The rings are there. */
static bool is_foreign(uint64_t entry)
{
	uint64_t size = entry & PTE_LARGE ? SIZE_2M : SIZE_64K, at = entry & PTE_ADDRESS;

	return !(entry & PTE_SEGMENT(31)) &&
	       ((at + size > RAM_BASE + DATA_SIZE && at < RAM_BASE + RAM_SIZE) ||
		at >= TOP_BASE - size);
}

static uint64_t take_bits(struct fuzz_input *input, uint64_t entry)
{
	uint32_t odd = fuzz_take(input, 1);

	if (odd < 24)
		entry |= PTE_READ_ONLY;
	if (odd >= 16 && odd < 32)
		entry |= PTE_NO_EXECUTE;
	if (odd & 1 && !(entry & PTE_SEGMENT(31)) && !(entry & PTE_ZERO))
		entry |= PTE_COHERENT;
	if (odd == 254)
		entry ^= 1ull << fuzz_below(input, 11); /* but for 64 KiB */
	if (odd == 255)
		entry += fuzz_take(input, 2) * PAGE;
	return is_foreign(entry) ? 0 : entry;
}

static uint64_t take_small(struct fuzz_input *input)
{
	uint32_t kind = fuzz_take(input, 1), page = fuzz_take(input, 1);

	if (kind < 8)
		return PTE_VALID | PTE_ZERO;
	if (kind < 16)
		return 0;
	if (kind < 20) /* of tables */
		return PTE_SYSTEM | (RAM_TABLES + page % 24 * PAGE);
	if (kind < 24)
		return PTE_VRAM | (VRAM_TABLES + page % 24 * PAGE);
	if (kind < 28)
		return PTE_APERTURE | (APERTURE_ROM + page % 3 * PAGE);
	if (kind == 28)
		return fuzz_take(input, 8) & ~PTE_64K;
	if (kind < 100)
		return PTE_SYSTEM | (RAM_PAGES + page * PAGE);
	if (kind < 140)
		return PTE_APERTURE | page % 63 * PAGE;
	if (kind < 160)
		return PTE_APERTURE | (APERTURE_POSTED + page % 64 * PAGE);
	return PTE_VRAM | (VRAM_PAGES + page * PAGE);
}

static uint64_t take_64k(struct fuzz_input *input)
{
	uint32_t kind = fuzz_below(input, 24);

	if (kind < 12)
		return PTE_VRAM | (VRAM_64K + kind * SIZE_64K);
	if (kind < 20)
		return PTE_SYSTEM | (RAM_64K + (kind - 12) * SIZE_64K);
	return kind == 20 ? PTE_VALID | PTE_ZERO : PTE_APERTURE | (kind - 21) * SIZE_64K;
}

static uint64_t take_large(struct fuzz_input *input)
{
	static const uint64_t large[] = {
		PTE_VRAM | VRAM_LARGE, PTE_SYSTEM | RAM_LARGE, PTE_APERTURE | APERTURE_LARGE,
		PTE_VALID | PTE_ZERO,
	};

	return large[fuzz_below(input, 4)] | PTE_LARGE;
}

/* One of the tables that there are, of any level. */
static uint64_t take_table(struct mmu_world *world)
{
	const struct slot *slot = &world->slots[fuzz_below(&world->input, world->nr_slots)];

	world->shared = true;
	return PTE_VALID | PTE_SEGMENT(slot->segment) | (slot->address & PTE_ADDRESS);
}

/* What a slot becomes. */
static uint64_t take_entry(struct mmu_world *world, const struct slot *slot)
{
	struct fuzz_input *input = &world->input;
	uint32_t kind = fuzz_take(input, 1);

	if (!slot->level)
		return take_bits(input, take_small(input));
	if (kind < 100)
		return take_table(world);
	if (kind < 120)
		return (fuzz_take(input, 8) & ~PTE_64K) | PTE_SEGMENT(4);
	if (kind < 150)
		return 0;
	return take_bits(input, slot->level == 1 ? take_large(input) : take_table(world));
}

static void add_slot(struct mmu_world *world, uint64_t va, unsigned int level)
{
	struct slot *slot = &world->slots[world->nr_slots++];
	unsigned int shift = 12 + 9 * level;

	slot->va = va >> shift << shift;
	slot->level = level;
	slot->address = space_table(&world->bare->space, va, level, &slot->segment) +
			8 * (va >> shift & 511);
}

/* Two parts of 16 pages, across the end of a table of some level. */
static void make_region(struct mmu_world *world, unsigned int i)
{
	static const uint64_t edges[MMU_REGIONS] = {
		SIZE_2M * 3, 1ull << 30, 1ull << 39, VA_END - SIZE_2M,
	};
	struct space *space = &world->bare->space;
	uint64_t va = edges[i] - SIZE_64K, page;
	unsigned int level;

	world->regions[i] = va;
	for (page = va; page < va + 2 * SIZE_64K; page += PAGE)
		space_page(space, page, take_bits(&world->input, take_small(&world->input)));
	if (fuzz_below(&world->input, 2))
		space_64k(space, edges[i], take_bits(&world->input, take_64k(&world->input)));
	for (page = va; page < va + 2 * SIZE_64K; page += PAGE)
		add_slot(world, page, 0);
	for (level = 1; level < 4; level++) {
		add_slot(world, va, level);
		add_slot(world, edges[i], level);
	}
}

/* What is in the memory of @bare is in the other's, too, and in the model. */
static void copy_tables(struct mmu_world *world)
{
	struct mmu *bare = world->bare, *cached = world->cached;
	uint64_t size = RAM_CONTEXTS - RAM_TABLES;
	const uint8_t *ram = host_ram(bare->host, RAM_TABLES, size);
	const uint8_t *vram = bare->host->memory.vram + VRAM_TABLES;

	memcpy(host_ram(cached->host, RAM_TABLES, size), ram, size);
	memcpy(bare->model.ram + (RAM_TABLES - RAM_BASE), ram, size);
	size = VRAM_CONTEXTS - VRAM_TABLES;
	memcpy(cached->host->memory.vram + VRAM_TABLES, vram, size);
	memcpy(bare->model.vram + VRAM_TABLES, vram, size);
}

void tables_make(struct mmu_world *world)
{
	struct mmu *bare = world->bare;
	unsigned int i;

	bare->pools[0].next = RAM_TABLES;
	bare->pools[1].next = VRAM_TABLES;
	space_init(&bare->space, bare->host, bare->pools, fuzz_below(&world->input, 3));
	world->nr_slots = 0;
	world->shared = false;
	for (i = 0; i < MMU_REGIONS; i++)
		make_region(world, i);
	copy_tables(world);
}

/*
 * All that may be remembered of it. What was not VALID is in no TLB, and of a large page it is
 * enough to name a part.
 */
static void note_change(struct mmu_world *world, const struct slot *slot, uint64_t old)
{
	uint64_t start = slot->va, end = start + (1ull << (12 + 9 * slot->level));

	if (!(old & PTE_VALID))
		return;
	if (slot->level == 1 && old & PTE_LARGE) {
		start += fuzz_below(&world->input, 512) * PAGE;
		end = start + PAGE;
	}
	if (world->shared) {
		start = 0;
		end = 0;
	}
	packet_flush_tlb(&world->flushes, world->bare->space.root, start, end);
}

static void change_slot(struct mmu_world *world, const struct slot *slot, uint64_t entry)
{
	struct host *host = world->bare->host;
	uint64_t old = place_get(host, slot->segment, slot->address);

	place_put(host, slot->segment, slot->address, entry);
	/* change_64k() names one of 64 KiB */
	if (slot->level || !(old & PTE_64K))
		note_change(world, slot, old);
}

/* 16 entries that follow each other. */
static void change_64k(struct mmu_world *world, unsigned int first, uint64_t entry)
{
	const struct slot *slot = &world->slots[first + fuzz_below(&world->input, 16)];
	uint64_t old = place_get(world->bare->host, slot->segment, slot->address);
	unsigned int i;

	if (old & PTE_64K)
		note_change(world, slot, old);
	for (i = first; i < first + 16; i++)
		change_slot(world, &world->slots[i], entry);
}

static bool is_64k(const struct mmu_world *world, unsigned int slot)
{
	return place_get(world->bare->host, world->slots[slot].segment,
			 world->slots[slot].address) & PTE_64K;
}

/* One entry; those of a page of 64 KiB go, and come, all at once. */
void tables_change(struct mmu_world *world)
{
	unsigned int i = fuzz_below(&world->input, world->nr_slots), first;
	struct slot *slot = &world->slots[i];
	uint64_t entry = take_entry(world, slot);

	first = slot->level ? i : i - (slot->va / PAGE & 15);
	if (slot->level) {
		change_slot(world, slot, entry);
	} else if (is_64k(world, first)) {
		change_64k(world, first, 0);
	} else if (!fuzz_below(&world->input, 4)) {
		entry = take_bits(&world->input, take_64k(&world->input));
		change_64k(world, first, entry & PTE_VALID ? entry | PTE_64K : 0);
	} else {
		change_slot(world, slot, entry);
	}
	copy_tables(world);
}
