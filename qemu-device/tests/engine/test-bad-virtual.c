// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: packets and commands of a context that the engine refuses: nothing of them is
 * executed, nothing after them, and the context is not told.
 */
#include <inttypes.h>
#include <string.h>

#include "image.h"
#include "mmu.h"
#include "tap.h"

/* Two pages of the address space, which are there. */
#define A		0x0abcde400000ull
#define B		(A + PAGE)

#define PACKET		(~0ull)	/* the fault tells the DMA address of the packet */
#define ANY		(~1ull)	/* any address */
#define QUIRE_FAULT_SOME 0	/* one that refuses a packet */

/**
 * struct bad - a packet and what becomes of it
 * @name: for the test point
 * @execution: for an execution ring
 * @code: QUIRE_FAULT_*
 * @addr: what FAULT_ADDR says
 * @build: makes the packet
 */
struct bad {
	const char *name;
	bool execution;
	uint32_t code;
	uint64_t addr;
	void (*build)(struct packets *p);
};

static const uint64_t numbers[] = { 1, 2, 3 };

/* A copy where directions do not matter. */
static void packet_move(struct packets *p, uint64_t src, uint64_t dst, uint64_t size)
{
	packet_transfer_virtual(p, 0, 2, src, dst, size);
}

/* One entry for @count places, in the table at A. */
static void packet_first(struct packets *p, uint16_t flags, uint32_t level, uint32_t count,
			 uint64_t entry)
{
	packet_update_table(p, flags, 0, level, A, 0, count, &entry, 1);
}

/* One behind two that are not valid. */
static void packet_last(struct packets *p, uint16_t flags, uint64_t entry)
{
	const uint64_t entries[] = { 0, PTE_ZERO, entry };

	packet_update_table(p, flags, 0, 0, A, 0, 3, entries, 3);
}

/* One range that is good, and another one. */
static void packet_copies(struct packets *p, uint64_t src, uint64_t dst, uint32_t src_start,
			  uint32_t dst_start, uint32_t count)
{
	const struct copied ranges[] = {
		{ A, B, 0, 1, 5 }, { src, dst, src_start, dst_start, count },
	};

	packet_copy_table(p, ranges, 2);
}

enum { ON_paging, ON_execution };

#define BAD(ring, name, code, addr, ...) \
	static void build_##ring##_##name(struct packets *p) { __VA_ARGS__; }
#include "bad-virtual.h"
#undef BAD

#define BAD(ring, name, code, addr, ...) \
	{ #name, ON_##ring, QUIRE_FAULT_##code, addr, build_##ring##_##name },
static const struct bad bad_packets[] = {
#include "bad-virtual.h"
};

#undef BAD

static struct mmu *start(void)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);

	space_pages(&m->space, A, PTE_VRAM | VRAM_PAGES, 8);
	space_page(&m->space, VA_END - PAGE, PTE_VRAM | (VRAM_PAGES + 9 * PAGE));
	space_page(&m->space, 0, PTE_VRAM | (VRAM_PAGES + 10 * PAGE));
	model_take(&m->model);
	return m;
}

static bool code_fits(uint32_t code, uint32_t wanted)
{
	if (wanted != QUIRE_FAULT_SOME)
		return code == wanted;
	return code == QUIRE_FAULT_BAD_PACKET || code == QUIRE_FAULT_BAD_SEGMENT ||
	       code == QUIRE_FAULT_BAD_RANGE;
}

static bool latched(struct mmu *m, const struct bad *bad, uint64_t packet, uint32_t offset)
{
	uint32_t base = bad->execution ? 0x1200 : 0x1000, header;
	uint32_t code = host_reg(m->host, base + 0x24);
	uint64_t addr = host_reg64(m->host, base + 0x30);
	uint64_t wanted = bad->addr == PACKET ? packet : bad->addr;

	memcpy(&header, m->p.bytes + offset, 4);
	if (code_fits(code, bad->code) && (bad->addr == ANY || addr == wanted) &&
	    host_reg(m->host, base + 0x28) == offset && host_reg(m->host, base + 0x2c) == header &&
	    host_reg64(m->host, base + 0x38) == m->fence)
		return true;
	printf("#   fault %u (%u) at 0x%" PRIx64 " (0x%" PRIx64 "), offset 0x%x (0x%x)\n", code,
	       bad->code, addr, wanted, host_reg(m->host, base + 0x28), offset);
	return false;
}

/* A good packet, the bad one, and a good one that must not be executed. */
static void test_bad(struct mmu *m, const struct bad *bad)
{
	uint32_t offset;
	uint64_t addr;

	m->p.size = 0;
	if (bad->execution)
		command_nop(&m->p, 3);
	else
		packet_physical(&m->p, 4, 1, 16, 1, 0);
	offset = m->p.size;
	m->p.start = m->p.size;
	bad->build(&m->p);
	if (bad->execution)
		command_fill(&m->p, A, PAGE, 0xbadbad);
	else
		packet_fill_virtual(&m->p, A, PAGE, 0xbadbad);
	addr = bad->execution ? RUNNER_BUFFER(1) + m->r.used : host_next_packet(m->host, &m->p) -
	       m->p.size;
	ok(!mmu_run(m, !bad->execution) && latched(m, bad, addr + offset, offset),
	   "%s: latched", bad->name);
	if (bad->execution)
		runner_start(&m->r, m->host, 1);
	else
		host_ring_restart(m->host);
	ok(model_same(&m->model), "%s: nothing changed", bad->name);
	m->p.size = 0;
	if (bad->execution)
		command_copy(&m->p, A, A, 8);
	else
		packet_transfer_virtual(&m->p, 0, 2, A, A, 8);
	ok(mmu_run(m, !bad->execution), "%s: the context goes on", bad->name);
}

int main(void)
{
	struct mmu *m = start();
	unsigned int i;

	test_seed(29);
	for (i = 0; i < ARRAY_SIZE(bad_packets); i++)
		test_bad(m, &bad_packets[i]);
	mmu_free(m);
	return tap_done();
}
