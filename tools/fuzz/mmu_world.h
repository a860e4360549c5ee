/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the parts of mmu_fuzz share. */
#ifndef QUIRE_MMU_WORLD_H
#define QUIRE_MMU_WORLD_H

#include "fuzz.h"
#include "mmu.h"

#define MMU_REGIONS	4u
#define MMU_SLOTS	(MMU_REGIONS * 40u)

/**
 * struct slot - an entry of a table that may change
 * @segment: of the table
 * @address: of the entry
 * @va: first virtual address that it is about
 * @level: of the table
 */
struct slot {
	unsigned int segment;
	uint64_t address;
	uint64_t va;
	unsigned int level;
};

/**
 * struct mmu_world - the same address space of two engines
 * @bare: the engine without a TLB, with the model
 * @cached: the engine with one
 * @space: of both; its tables are made in the memory of @bare
 * @slots: entries
 * @nr_slots: how many
 * @regions: where something is, first virtual addresses
 * @shared: a table is reached by several addresses: flushes of less than all are not enough
 * @flushes: packets for @cached, of what has changed
 * @input: what decides
 */
struct mmu_world {
	struct mmu *bare;
	struct mmu *cached;
	struct slot slots[MMU_SLOTS];
	unsigned int nr_slots;
	uint64_t regions[MMU_REGIONS];
	bool shared;
	struct packets flushes;
	struct fuzz_input input;
};

void tables_make(struct mmu_world *world);
void tables_change(struct mmu_world *world);

#endif
