// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: submissions that lie at virtual addresses: over pages that do not follow each
 * other, in each segment, and what becomes of those that can not be read from there. And the
 * entries that no ring takes.
 */
#include <inttypes.h>
#include <string.h>

#include "mmu.h"
#include "tap.h"

#define VA		0x0abcde400000ull
#define DST		0x0abcdf000000ull
#define DST_AT		(VRAM_PAGES + 300 * PAGE)
#define FENCE		0x700000007ull

/* Pages of submissions, by turns of all kinds. */
static uint64_t page_of(unsigned int i)
{
	static const uint64_t kinds[] = {
		PTE_VRAM | VRAM_PAGES, PTE_SYSTEM | RAM_PAGES, PTE_APERTURE | APERTURE_COHERENT,
		PTE_SYSTEM | PTE_READ_ONLY | ROM_BASE, PTE_SYSTEM | PTE_COHERENT | RAM_PAGES,
	};

	if (i % 5 == 3)
		return kinds[3] + i / 5 % 16 * PAGE;
	return kinds[i % 5] + (69 - i) * PAGE;
}

static struct mmu *start(void)
{
	struct mmu *m = mmu_new(2, 0, 0, HOST_TLB);
	unsigned int i;

	space_page(&m->space, DST, PTE_VRAM | DST_AT);
	for (i = 0; i < 70; i++)
		space_page(&m->space, VA + i * PAGE, page_of(i));
	memset(m->host->memory.vram + DST_AT, 0, PAGE);
	host_set_reg(m->host, 0x38, 3);
	return m;
}

/* Put the packets of @m->p where the device finds them at @va. */
static void put(struct mmu *m, uint64_t va)
{
	uint32_t i;

	for (i = 0; i < m->p.size; i++) {
		uint64_t entry = space_get(&m->space, va + i, 0);

		*place_bytes(m->host, entry >> 5 & 3,
			     (entry & PTE_ADDRESS) + (va + i) % PAGE) = m->p.bytes[i];
	}
}

static bool submit_at(struct mmu *m, bool paging, uint64_t va)
{
	if (paging)
		host_submit_at(m->host, va, m->p.size, FENCE, m->context);
	else
		runner_submit_at(&m->r, va, m->p.size, FENCE, m->context);
	host_run(m->host);
	return (paging ? host_get64(m->host, FENCE_PAGE) : runner_fence(&m->r)) == FENCE;
}

static void restart(struct mmu *m, bool paging)
{
	if (paging)
		host_ring_restart(m->host);
	else
		runner_start(&m->r, m->host, m->r.ring);
	place_put(m->host, 0, m->context, CONTEXT_MAGIC);
}

/* @bytes of packets, the last of which writes a value. */
static void build(struct mmu *m, bool paging, uint32_t bytes, uint64_t value)
{
	m->p.size = 0;
	while (m->p.size < bytes - 64) {
		if (paging)
			packet_fill_virtual(&m->p, DST + 64, 8, m->p.size);
		else
			command_nop(&m->p, 3);
	}
	if (paging)
		packet_fill_virtual(&m->p, DST, 8, value);
	else
		command_write_value(&m->p, DST, value);
}

static void test_fetch(bool paging, uint32_t bytes, uint64_t va)
{
	struct mmu *m = start();
	uint64_t value = paging ? 0x0505050505050505 : 0x1020304050607080;

	build(m, paging, bytes, value);
	put(m, va);
	ok(submit_at(m, paging, va) && place_get(m->host, 1, DST_AT) == value,
	   "fetch: 0x%x bytes at 0x%" PRIx64 ", %s ring", m->p.size, va,
	   paging ? "paging" : "execution");
	mmu_free(m);
}

static void test_sizes(void)
{
	unsigned int paging;

	for (paging = 0; paging < 2; paging++) {
		test_fetch(paging, 64, VA);
		test_fetch(paging, 128, VA + PAGE - 64);
		test_fetch(paging, 128, VA + 2 * PAGE - 8);
		test_fetch(paging, 128, VA + 3 * PAGE - 72);
		test_fetch(paging, PAGE, VA + 5 * PAGE);
		test_fetch(paging, 30 * PAGE, VA + PAGE + 2040);
		test_fetch(paging, QUIRE_MAX_SUBMISSION, VA + 16);
	}
}

/* Large pages, and the ends of the address space. */
static void test_places(void)
{
	struct mmu *m = start();
	uint64_t entry = PTE_VRAM | VRAM_LARGE;

	space_page(&m->space, VA_END - PAGE, PTE_VRAM | (VRAM_PAGES + 200 * PAGE));
	space_page(&m->space, 0, PTE_VRAM | (VRAM_PAGES + 201 * PAGE));
	build(m, false, 128, 0x111);
	put(m, VA_END - m->p.size);
	ok(submit_at(m, false, VA_END - m->p.size) && place_get(m->host, 1, DST_AT) == 0x111,
	   "places: up to the end of the addresses");
	build(m, false, 128, 0x222);
	put(m, 0);
	runner_start(&m->r, m->host, 1);
	ok(submit_at(m, false, 0) && place_get(m->host, 1, DST_AT) == 0x222,
	   "places: from address 0 on");
	space_large(&m->space, DST + SIZE_2M, entry);
	build(m, false, 5 * PAGE, 0x333);
	memcpy(m->host->memory.vram + VRAM_LARGE + 40, m->p.bytes, m->p.size);
	runner_start(&m->r, m->host, 1);
	ok(submit_at(m, false, DST + SIZE_2M + 40) && place_get(m->host, 1, DST_AT) == 0x333,
	   "places: in a page of 2 MiB");
	mmu_free(m);
}

static bool fault_is(struct mmu *m, bool paging, uint32_t code, uint64_t addr)
{
	uint32_t is = paging ? host_ring_reg(m->host, 0x24) : runner_reg(&m->r, 0x24);
	uint64_t at = paging ? host_ring_reg64(m->host, 0x30) : runner_reg64(&m->r, 0x30);
	uint64_t fence = paging ? host_ring_reg64(m->host, 0x38) : runner_reg64(&m->r, 0x38);
	uint32_t opcode = paging ? host_ring_reg(m->host, 0x2c) : runner_reg(&m->r, 0x2c);

	if (is == code && at == addr && fence == FENCE && !opcode)
		return true;
	printf("#   fault %u (%u) at 0x%" PRIx64 " (0x%" PRIx64 "), packet 0x%x\n", is, code, at,
	       addr, opcode);
	return false;
}

/* Its third page is one that nothing can be executed from. */
static void test_fault(const char *name, uint64_t entry, uint32_t code, uint64_t addr)
{
	struct mmu *m = start();
	unsigned int paging;

	for (paging = 0; paging < 2; paging++) {
		build(m, paging, 5 * PAGE, 1);
		space_page(&m->space, VA + 7 * PAGE, page_of(7));
		put(m, VA + 5 * PAGE + 64);
		space_page(&m->space, VA + 7 * PAGE, entry);
		mmu_flush(m);
		ok(!submit_at(m, paging, VA + 5 * PAGE + 64) &&
		   fault_is(m, paging, code, addr ? addr : VA + 7 * PAGE),
		   "fault: %s, %s ring", name, paging ? "paging" : "execution");
		ok(!place_get(m->host, 1, DST_AT) && !place_get(m->host, 1, DST_AT + 64),
		   "fault: nothing of it is executed");
		if (code >= QUIRE_FAULT_PAGE)
			ok(context_get64(m->host, m->context, CONTEXT_ADDRESS) == VA + 7 * PAGE &&
			   context_get64(m->host, m->context, CONTEXT_ENTRY) == entry &&
			   context_get32(m->host, m->context, CONTEXT_ACCESS) == ACCESS_EXECUTE,
			   "fault: the context is told");
		else
			is(context_get32(m->host, m->context, CONTEXT_STATUS), 0,
			   "fault: the context is not told");
		restart(m, paging);
	}
	mmu_free(m);
}

static void test_faults(void)
{
	test_fault("not there", 0, QUIRE_FAULT_PAGE, 0);
	test_fault("not executable", page_of(7) | PTE_NO_EXECUTE, QUIRE_FAULT_PROTECTION, 0);
	test_fault("not executable, system", PTE_SYSTEM | PTE_NO_EXECUTE | RAM_PAGES,
		   QUIRE_FAULT_PROTECTION, 0);
	test_fault("bad", PTE_VRAM | MMU_VRAM, QUIRE_FAULT_BAD_PTE, 0);
	test_fault("an invalid page of the aperture", PTE_APERTURE | APERTURE_INVALID,
		   QUIRE_FAULT_APERTURE, APERTURE_INVALID);
}

/* A page that is none: one fault of those that say so. */
static void test_hole(void)
{
	struct mmu *m = start();
	uint32_t code;

	build(m, false, 128, 1);
	put(m, VA);
	space_page(&m->space, VA, PTE_SYSTEM | HOLE);
	ok(!submit_at(m, false, VA), "hole: refused");
	code = runner_reg(&m->r, 0x24);
	ok(code == QUIRE_FAULT_BUFFER_DMA || code == QUIRE_FAULT_DMA, "hole: fault %u", code);
	mmu_free(m);
}

/* That nothing is executed from a page does not keep it from being read and written. */
static void test_no_execute(void)
{
	struct mmu *m = start();

	space_page(&m->space, DST, PTE_VRAM | PTE_NO_EXECUTE | DST_AT);
	build(m, false, 128, 0x444);
	put(m, VA);
	ok(submit_at(m, false, VA) && place_get(m->host, 1, DST_AT) == 0x444,
	   "no execute: written");
	m->p.size = 0;
	command_copy(&m->p, DST, DST + 8, 8);
	put(m, VA);
	runner_start(&m->r, m->host, 1);
	ok(submit_at(m, false, VA) && place_get(m->host, 1, DST_AT + 8) == 0x444,
	   "no execute: read");
	mmu_free(m);
}

/* A submission is copied in: what is done to its pages afterwards has no effect. */
static void test_copied(void)
{
	struct mmu *m = start();

	m->p.size = 0;
	command_fill(&m->p, DST, 8, 0x0a0a0a0a);
	command_fill(&m->p, DST + 8, 8, 0x0b0b0b0b);
	put(m, VA);
	/* it writes over itself */
	space_page(&m->space, DST, page_of(0));
	ok(submit_at(m, false, VA) && place_get(m->host, 1, page_of(0) & PTE_ADDRESS) ==
	   0x0a0a0a0a0a0a0a0a && place_get(m->host, 1, (page_of(0) & PTE_ADDRESS) + 8) ==
	   0x0b0b0b0b0b0b0b0b, "copied: it writes over itself");
	mmu_free(m);
}

/* What a packet's fault says of where it is: its virtual address, as the entry has it. */
static void test_bad_packet(void)
{
	struct mmu *m = start();

	m->p.size = 0;
	command_nop(&m->p, 3);
	packet_u32(&m->p, 0x3f);
	packet_u32(&m->p, 8);
	put(m, VA + PAGE + 8);
	ok(!submit_at(m, false, VA + PAGE + 8) &&
	   runner_reg(&m->r, 0x24) == QUIRE_FAULT_BAD_OPCODE &&
	   runner_reg64(&m->r, 0x30) == VA + PAGE + 8 + 32 && runner_reg(&m->r, 0x28) == 32,
	   "bad packet: at its virtual address");
	runner_set_reg(&m->r, 0x50, 0);
	ok(runner_reg64(&m->r, 0x58) == VA + PAGE + 8, "bad packet: so is the one before");
	mmu_free(m);
}

static void test_bad_entry(const char *name, uint64_t addr, uint32_t size, uint32_t flags,
			   uint64_t context)
{
	struct mmu *m = start();
	uint64_t entry = RUNNER_ENTRIES(1);

	build(m, false, 128, 0xbad);
	put(m, VA);
	host_entry(m->host, m->host->wptr++, addr, size, flags, FENCE, context);
	host_put32(m->host, FENCE_PAGE + 64, m->host->wptr);
	host_ring_doorbell(m->host);
	host_run(m->host);
	ok(fault_is(m, true, QUIRE_FAULT_BAD_ENTRY, ENTRIES + 32), "entry: %s, paging ring", name);
	host_put64(m->host, entry, addr);
	host_put32(m->host, entry + 8, size);
	host_put32(m->host, entry + 12, flags);
	host_put64(m->host, entry + 16, FENCE);
	host_put64(m->host, entry + 24, context);
	host_put32(m->host, RUNNER_FENCE(1) + 64, 1);
	host_set_reg(m->host, 0x11000, 1);
	host_run(m->host);
	ok(fault_is(m, false, QUIRE_FAULT_BAD_ENTRY, entry), "entry: %s, execution ring", name);
	ok(!place_get(m->host, 1, DST_AT), "entry: %s, nothing is executed", name);
	mmu_free(m);
}

static void test_bad_entries(void)
{
	const uint64_t context = CONTEXT_IN_RAM(0);

	test_bad_entry("VIRTUAL without CONTEXT", VA, 128, AT_VIRTUAL, 0);
	test_bad_entry("VIRTUAL without CONTEXT, but with one", VA, 128, AT_VIRTUAL, context);
	test_bad_entry("a context without CONTEXT", BUFFER, 0, 0, context);
	test_bad_entry("an unknown flag", VA, 128, IN_CONTEXT | AT_VIRTUAL | 8, context);
	test_bad_entry("the last flag", VA, 128, IN_CONTEXT | 1u << 31, context);
	test_bad_entry("a context that is not aligned", VA, 128, IN_CONTEXT | AT_VIRTUAL,
		       context + 8);
	test_bad_entry("a context that is almost aligned", BUFFER, 8, IN_CONTEXT, context + 0x800);
	test_bad_entry("an address behind 48 bits", VA_END, 128, IN_CONTEXT | AT_VIRTUAL, context);
	test_bad_entry("across the end of 48 bits", VA_END - 64, 128, IN_CONTEXT | AT_VIRTUAL,
		       context);
	test_bad_entry("an address that wraps", ~0ull - 63, 128, IN_CONTEXT | AT_VIRTUAL, context);
	test_bad_entry("a DMA address that wraps, in a context", ~0ull - 63, 128, IN_CONTEXT,
		       context);
	test_bad_entry("an address that is not aligned", VA + 4, 128, IN_CONTEXT | AT_VIRTUAL,
		       context);
	test_bad_entry("an odd size", VA, 124, IN_CONTEXT | AT_VIRTUAL, context);
	test_bad_entry("too long", VA, QUIRE_MAX_SUBMISSION + 8, IN_CONTEXT | AT_VIRTUAL, context);
}

/* The entry is looked at before its context. */
static void test_entry_first(void)
{
	struct mmu *m = start();

	m->context = HOLE;
	m->p.size = 4;
	ok(!submit_at(m, false, VA) && runner_reg(&m->r, 0x24) == QUIRE_FAULT_BAD_ENTRY,
	   "entry first: then the context");
	runner_start(&m->r, m->host, 1);
	m->p.size = 8;
	ok(!submit_at(m, false, 0x123000) && runner_reg(&m->r, 0x24) == QUIRE_FAULT_BAD_CONTEXT,
	   "entry first: and the context before the submission");
	mmu_free(m);
}

/* Nothing to fetch. */
static void test_empty(void)
{
	struct mmu *m = start();

	m->p.size = 0;
	ok(submit_at(m, false, 0x777000) && submit_at(m, true, 0), "empty: completes at once");
	is(context_get32(m->host, m->context, CONTEXT_STATUS), 0, "empty: without a fault");
	mmu_free(m);
}

int main(void)
{
	test_seed(28);
	test_sizes();
	test_places();
	test_faults();
	test_hole();
	test_no_execute();
	test_copied();
	test_bad_packet();
	test_bad_entries();
	test_entry_first();
	test_empty();
	return tap_done();
}
