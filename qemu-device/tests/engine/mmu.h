/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An engine with an address space, a context and a model, for engine tests: what is executed
 * in the context is compared with the model, all of memory and the fault.
 */
#ifndef QUIRE_TEST_MMU_H
#define QUIRE_TEST_MMU_H

#include "mmu-model.h"

/* VRAM. It ends within a page of 64 KiB, and within one of 2 MiB. */
#define MMU_VRAM		(7 * MIB + 8 * PAGE)
#define VRAM_PAGES		0ull		/* of 4 KiB, 512 of them */
#define VRAM_LARGE		SIZE_2M
#define VRAM_64K		(4 * MIB)	/* 16 pages */
#define VRAM_TABLES		(5 * MIB)
#define VRAM_CONTEXTS		(6 * MIB)	/* 16 pages */
#define VRAM_SPARE		(6 * MIB + SIZE_64K)

/* RAM, with the same in it. */
#define RAM_PAGES		RAM_BASE	/* 256 of them */
#define RAM_LARGE		0x200000ull
#define RAM_64K			0x400000ull	/* 8 pages */
#define RAM_APERTURE		0x480000ull	/* 128 pages */
#define RAM_TABLES		0x500000ull
#define RAM_CONTEXTS		0x600000ull	/* 16 pages */
#define RAM_SPARE		0x610000ull

/* Pages of the aperture: those of RAM_APERTURE, coherent or not, and those of RAM_LARGE. */
#define MMU_APERTURE		(4 * MIB)
#define APERTURE_COHERENT	0ull		/* 64 pages */
#define APERTURE_POSTED		(64 * PAGE)	/* 64 pages */
#define APERTURE_ROM		(128 * PAGE)	/* one that can only be read */
#define APERTURE_HOLE		(129 * PAGE)	/* one that is no memory */
#define APERTURE_INVALID	(130 * PAGE)
#define APERTURE_LARGE		SIZE_2M

/* Entries, but for their page. */
#define PTE_SYSTEM	PTE_VALID
#define PTE_VRAM	(PTE_VALID | PTE_SEGMENT(1))
#define PTE_APERTURE	(PTE_VALID | PTE_SEGMENT(2))

/* Contexts by number, some in each segment. */
#define CONTEXT_IN_RAM(n)	(RAM_CONTEXTS + (n) * PAGE)
#define CONTEXT_IN_VRAM(n)	IN_VRAM(VRAM_CONTEXTS + (n) * PAGE)
/* The last coherent page, which is page 63 of RAM_APERTURE. */
#define CONTEXT_IN_APERTURE	IN_APERTURE(APERTURE_COHERENT + 63 * PAGE)

/*
 * struct mmu - all of that
 * @host: the engine and its memory
 * @pools: where tables are
 * @space: the address space
 * @context: one that has it
 * @r: the driver of an execution ring
 * @model: what memory should be
 * @p: packets to be executed
 * @fence: the last one
 * @migrates: between slices the state moves to another engine, now and then
 */
struct mmu {
	struct host *host;
	struct pool pools[2];
	struct space space;
	uint64_t context;
	struct runner r;
	struct mmu_model model;
	struct packets p;
	uint64_t fence;
	bool migrates;
};

struct mmu *mmu_new(unsigned int tables, uint64_t slice_looks, uint64_t look_bytes,
		    uint32_t tlb_entries);
void mmu_free(struct mmu *m);
void mmu_setup(struct mmu *m);
bool mmu_run_physical(struct mmu *m);
bool mmu_run(struct mmu *m, bool paging);
void mmu_flush(struct mmu *m);
void mmu_settle(struct mmu *m);
bool mmu_try(struct mmu *m, bool paging, const struct outcome *wanted);

#endif
