// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An engine with an address space, for engine tests: see mmu.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mmu.h"

static struct packets p;

static void map(uint64_t first, uint64_t at, unsigned int pages, uint16_t flags)
{
	packet_map(&p, first / PAGE, pages, flags);
	packet_run(&p, at, pages);
	packet_end(&p);
}

/* The rings, and the pages of the aperture: also after a reset. */
void mmu_setup(struct mmu *m)
{
	host_ring_setup(m->host, 4);
	host_ring_enable(m->host);
	p.size = 0;
	map(APERTURE_COHERENT, RAM_APERTURE, 64, 1);
	map(APERTURE_POSTED, RAM_APERTURE + 64 * PAGE, 64, 0);
	map(APERTURE_ROM, ROM_BASE, 1, 1);
	map(APERTURE_HOLE, HOLE, 1, 1);
	map(APERTURE_LARGE, RAM_LARGE, 512, 0);
	host_submit(m->host, &p, ++m->fence);
	if (!host_run(m->host) || host_get64(m->host, FENCE_PAGE) != m->fence)
		abort();
	runner_start(&m->r, m->host, 1);
}

/* @tables: the segment that they are in, 2 for either. */
struct mmu *mmu_new(unsigned int tables, uint64_t slice_looks, uint64_t look_bytes,
		    uint32_t tlb_entries)
{
	struct mmu *m = calloc(1, sizeof(*m));

	if (!m)
		abort();
	m->host = host_with_tlb(MMU_VRAM, MMU_APERTURE, slice_looks, look_bytes, tlb_entries);
	test_scramble(m->host->memory.vram, VRAM_TABLES);
	test_scramble(host_ram(m->host, RAM_BASE, 1), RAM_TABLES - RAM_BASE);
	test_scramble(host_ram(m->host, ROM_BASE, 1), ROM_SIZE);
	m->pools[0] = (struct pool){ RAM_TABLES, RAM_CONTEXTS };
	m->pools[1] = (struct pool){ VRAM_TABLES, VRAM_CONTEXTS };
	space_init(&m->space, m->host, m->pools, tables);
	m->context = CONTEXT_IN_RAM(0);
	context_make(m->host, m->context, m->space.root);
	mmu_setup(m);
	model_init(&m->model, m->host);
	return m;
}

void mmu_free(struct mmu *m)
{
	model_fini(&m->model);
	host_free(m->host);
	free(m);
}

/* Execute @m->p on the paging ring, without a context; false if it faults. */
bool mmu_run_physical(struct mmu *m)
{
	host_submit(m->host, &m->p, ++m->fence);
	return host_run(m->host) && host_get64(m->host, FENCE_PAGE) == m->fence;
}

static void run_to_end(struct mmu *m)
{
	while (memory_host_run(&m->host->memory))
		if (m->migrates && !(test_random() % 32) && !host_migrate(m->host))
			abort();
}

/* Execute @m->p in the context; false if it faults. */
bool mmu_run(struct mmu *m, bool paging)
{
	m->fence++;
	if (paging)
		host_submit_in(m->host, &m->p, m->fence, m->context);
	else
		runner_submit_in(&m->r, &m->p, m->fence, m->context);
	run_to_end(m);
	return (paging ? host_get64(m->host, FENCE_PAGE) : runner_fence(&m->r)) == m->fence;
}

/* What no test can do without. */
static void run_good(struct mmu *m)
{
	host_submit(m->host, &p, ++m->fence);
	if (host_run(m->host) && host_get64(m->host, FENCE_PAGE) == m->fence)
		return;
	fflush(stdout);
	fprintf(stderr, "Bail out! fault %u of a packet that is good\n",
		host_ring_reg(m->host, 0x24));
	exit(2);
}

/* All translations of the address space are forgotten. */
void mmu_flush(struct mmu *m)
{
	p.size = 0;
	packet_flush_tlb(&p, m->space.root, 0, 0);
	run_good(m);
}

/* What is posted goes to memory. */
void mmu_settle(struct mmu *m)
{
	p.size = 0;
	packet_physical(&p, 4, 1, 0, 1, 0);
	run_good(m);
}

static uint32_t ring_reg(struct mmu *m, bool paging, uint32_t reg)
{
	return paging ? host_ring_reg(m->host, reg) : runner_reg(&m->r, reg);
}

static bool fault_is(struct mmu *m, bool paging, const struct outcome *wanted)
{
	uint64_t addr = ring_reg(m, paging, 0x30) | (uint64_t)ring_reg(m, paging, 0x34) << 32;
	uint32_t code = ring_reg(m, paging, 0x24);

	if (code == wanted->code && addr == (wanted->code ? wanted->addr : 0))
		return true;
	printf("#   fault %u (%u) at 0x%" PRIx64 " (0x%" PRIx64 ")\n", code, wanted->code, addr,
	       wanted->addr);
	return false;
}

/* The context can be used again, and the ring. */
static void go_on(struct mmu *m, bool paging)
{
	unsigned int segment = m->context >> 56;
	uint64_t at = m->context & 0xffffffffffffff;

	place_put(m->host, segment, at, CONTEXT_MAGIC);
	model_put(&m->model, segment, at, CONTEXT_MAGIC, 8);
	if (paging)
		host_ring_restart(m->host);
	else
		runner_start(&m->r, m->host, m->r.ring);
}

/*
 * Execute @m->p in the context, with nothing remembered, and look whether it ends as @wanted
 * says, with memory as the model has it. The model has executed it already.
 */
bool mmu_try(struct mmu *m, bool paging, const struct outcome *wanted)
{
	bool good, done;

	model_latch(&m->model, m->context, wanted);
	mmu_flush(m);
	done = mmu_run(m, paging);
	good = fault_is(m, paging, wanted) && done == !wanted->code;
	if (!done && paging)
		host_ring_restart(m->host);
	mmu_settle(m);
	good &= model_same(&m->model);
	if (!done)
		go_on(m, paging);
	return good;
}
