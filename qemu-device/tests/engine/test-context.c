// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: contexts: which of them are refused, what the device tells one of a fault and
 * when, that it executes nothing then, and that no other is concerned.
 */
#include <inttypes.h>
#include <string.h>

#include "mmu.h"
#include "tap.h"

#define VA		0x0abcde400000ull
#define NOWHERE		0x0abcdf000000ull
#define AT		(VRAM_PAGES + 3 * PAGE)

static struct mmu *start(void)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);

	space_page(&m->space, VA, PTE_VRAM | AT);
	place_put(m->host, 1, AT, 0);
	host_set_reg(m->host, 0x38, 3);
	return m;
}

/* A value at @va, which is written by a submission of the context. */
static bool write_at(struct mmu *m, bool paging, uint64_t va, uint32_t value)
{
	m->p.size = 0;
	if (paging)
		packet_fill_virtual(&m->p, va, 4, value);
	else
		command_fill(&m->p, va, 4, value);
	return mmu_run(m, paging);
}

static bool is_written(struct mmu *m, uint32_t value)
{
	return (uint32_t)place_get(m->host, 1, AT) == value;
}

static bool fault_is(struct mmu *m, bool paging, uint32_t code, uint64_t addr, uint32_t opcode)
{
	uint32_t is_code = paging ? host_ring_reg(m->host, 0x24) : runner_reg(&m->r, 0x24);
	uint32_t is_opcode = paging ? host_ring_reg(m->host, 0x2c) : runner_reg(&m->r, 0x2c);
	uint64_t is_addr = paging ? host_ring_reg64(m->host, 0x30) : runner_reg64(&m->r, 0x30);
	uint64_t fence = paging ? host_ring_reg64(m->host, 0x38) : runner_reg64(&m->r, 0x38);

	if (is_code == code && is_addr == addr && is_opcode == opcode && fence == m->fence)
		return true;
	printf("#   fault %u (%u) at 0x%" PRIx64 " (0x%" PRIx64 "), packet 0x%x (0x%x)\n", is_code,
	       code, is_addr, addr, is_opcode, opcode);
	return false;
}

static void restart(struct mmu *m, bool paging)
{
	if (paging)
		host_ring_restart(m->host);
	else
		runner_start(&m->r, m->host, m->r.ring);
}

/* In each segment, for both kinds of rings. */
static void test_segments(void)
{
	const uint64_t contexts[] = { CONTEXT_IN_RAM(1), CONTEXT_IN_VRAM(1), CONTEXT_IN_APERTURE };
	struct mmu *m = start();
	unsigned int i, paging;

	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		m->context = contexts[i];
		context_make(m->host, m->context, m->space.root);
		for (paging = 0; paging < 2; paging++) {
			ok(write_at(m, paging, VA, 10 * i + paging) &&
			   is_written(m, 10 * i + paging),
			   "segments: a context in segment %u, %s ring", i,
			   paging ? "paging" : "execution");
			write_at(m, paging, NOWHERE, 1);
			ok(fault_is(m, paging, QUIRE_FAULT_PAGE, NOWHERE, paging ? 0xc : 0x22) &&
			   context_get32(m->host, m->context, CONTEXT_STATUS) == 1 &&
			   context_get64(m->host, m->context, CONTEXT_ADDRESS) == NOWHERE,
			   "segments: it is told of its fault");
			restart(m, paging);
			context_make(m->host, m->context, m->space.root);
		}
	}
	mmu_free(m);
}

static void test_refused(const char *name, struct mmu *m, uint64_t context)
{
	uint64_t old = m->context;
	unsigned int paging;

	m->context = context;
	for (paging = 0; paging < 2; paging++) {
		ok(!write_at(m, paging, VA, 0xbad) &&
		   fault_is(m, paging, QUIRE_FAULT_BAD_CONTEXT, context, 0) && is_written(m, 0),
		   "refused: %s, %s ring", name, paging ? "paging" : "execution");
		restart(m, paging);
	}
	m->context = old;
	ok(write_at(m, false, VA, 0) && write_at(m, true, VA, 0), "refused: others are not");
}

static void test_bad_contexts(void)
{
	static const uint64_t heads[] = {
		0, CONTEXT_MAGIC + 1, CONTEXT_MAGIC | 1ull << 31, CONTEXT_MAGIC | 1ull << 32,
		CONTEXT_MAGIC | 2ull << 32, CONTEXT_MAGIC | 1ull << 63, CONTEXT_MAGIC | 3ull << 32,
	};
	struct mmu *m = start();
	unsigned int i;

	test_refused("in a hole", m, HOLE);
	test_refused("behind VRAM", m, IN_VRAM(8 * MIB));
	test_refused("far behind VRAM", m, IN_VRAM(0xfffffffffff000));
	test_refused("behind the aperture", m, IN_APERTURE(MMU_APERTURE));
	test_refused("in an invalid page of the aperture", m, IN_APERTURE(APERTURE_INVALID));
	test_refused("in a page of the aperture that is no memory", m,
		     IN_APERTURE(APERTURE_HOLE));
	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		context_make(m->host, CONTEXT_IN_RAM(1), m->space.root);
		place_put(m->host, 0, RAM_CONTEXTS + PAGE, heads[i]);
		test_refused(i < 3 ? "magic" : "status", m, CONTEXT_IN_RAM(1));
		is(place_get(m->host, 0, RAM_CONTEXTS + PAGE), heads[i], "refused: as it was");
	}
	mmu_free(m);
}

/* Without an address space there are no addresses; what needs none is executed. */
static void test_no_space(void)
{
	static const uint64_t roots[] = { 0, ~1ull, PTE_SEGMENT(1) | VRAM_TABLES };
	struct mmu *m = start();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(roots); i++) {
		context_make(m->host, m->context, roots[i]);
		m->p.size = 0;
		packet_physical(&m->p, 5, 1, AT, 4, 5 + i);
		ok(mmu_run(m, true) && is_written(m, 5 + i), "no space: a physical write");
		m->p.size = 0;
		command_nop(&m->p, 3);
		ok(mmu_run(m, false), "no space: a command without an address");
		ok(!write_at(m, false, VA, 1) &&
		   fault_is(m, false, QUIRE_FAULT_PAGE, VA, 0x22) &&
		   context_get64(m->host, m->context, CONTEXT_ENTRY) == roots[i] &&
		   context_get32(m->host, m->context, CONTEXT_ACCESS) ==
		   (ACCESS_WRITE | ROOT_LEVEL << 8), "no space: an address");
		restart(m, false);
	}
	/* on an execution ring all addresses are virtual, then, also one that names VRAM */
	context_make(m->host, m->context, m->space.root);
	m->p.size = 0;
	command_write_value(&m->p, IN_VRAM(AT), 1);
	ok(!mmu_run(m, false) && fault_is(m, false, QUIRE_FAULT_BAD_RANGE, IN_VRAM(AT), 0x28),
	   "no space: an address of VRAM is none in a context");
	restart(m, false);
	mmu_free(m);
}

/* All members are there when the fault is an event. */
static void watch_event(struct host *host, char what)
{
	if (what == 'E' && context_get32(host, CONTEXT_IN_RAM(0), CONTEXT_STATUS) == 1 &&
	    context_get32(host, CONTEXT_IN_RAM(0), CONTEXT_CODE) == QUIRE_FAULT_PAGE)
		*(unsigned int *)host->watch_data += 1;
}

static void test_latched(void)
{
	struct mmu *m = start();
	unsigned int seen = 0, i;
	bool good = true;

	for (i = 48; i < PAGE; i += 8)
		place_put(m->host, 0, RAM_CONTEXTS + i, i);
	m->host->watch = watch_event;
	m->host->watch_data = &seen;
	write_at(m, false, NOWHERE + 8, 1);
	is(seen, 1, "latched: before the event");
	is(context_get32(m->host, m->context, 0), CONTEXT_MAGIC, "latched: magic");
	is(context_get32(m->host, m->context, CONTEXT_STATUS), 1, "latched: status");
	is(context_get64(m->host, m->context, CONTEXT_ROOT), m->space.root, "latched: root");
	is(context_get64(m->host, m->context, CONTEXT_ADDRESS), NOWHERE + 8, "latched: address");
	is(context_get64(m->host, m->context, CONTEXT_ENTRY), 0, "latched: entry");
	is(context_get32(m->host, m->context, CONTEXT_CODE), 16, "latched: code");
	is(context_get32(m->host, m->context, CONTEXT_ACCESS), 2 | 1 << 8, "latched: access");
	for (i = 48; i < PAGE; i += 8)
		good &= place_get(m->host, 0, RAM_CONTEXTS + i) == i;
	ok(good, "latched: nothing behind it changes");

	/* refused until the driver lets it go on; what it was told stays */
	m->host->watch = NULL;
	restart(m, false);
	ok(!write_at(m, false, VA, 7) &&
	   fault_is(m, false, QUIRE_FAULT_BAD_CONTEXT, m->context, 0), "latched: refused");
	ok(!write_at(m, true, VA, 7) &&
	   fault_is(m, true, QUIRE_FAULT_BAD_CONTEXT, m->context, 0), "latched: on each ring");
	is(context_get64(m->host, m->context, CONTEXT_ADDRESS), NOWHERE + 8,
	   "latched: the first fault stays");
	ok(is_written(m, 0), "latched: nothing was executed");
	mmu_free(m);
}

/* By UPDATE_CONTEXT, in another context which has it in its address space. */
static void test_cleared(void)
{
	struct mmu *m = start();
	uint64_t context = m->context, member = CONTEXT_MAGIC;

	space_page(&m->space, VA + PAGE, PTE_SYSTEM | PTE_COHERENT | RAM_CONTEXTS);
	context_make(m->host, CONTEXT_IN_RAM(1), m->space.root);
	write_at(m, false, NOWHERE, 1);
	restart(m, false);
	m->context = CONTEXT_IN_RAM(1);
	m->p.size = 0;
	packet_update_context(&m->p, VA + PAGE, 0, &member, 8);
	ok(mmu_run(m, true), "cleared: by another context");
	m->context = context;
	ok(write_at(m, false, VA, 9) && is_written(m, 9), "cleared: it goes on");
	is(context_get64(m->host, context, CONTEXT_ADDRESS), NOWHERE,
	   "cleared: nothing else was changed");
	mmu_free(m);
}

/* A fault of one is no concern of another, on the same ring or beside it. */
static void test_others(void)
{
	struct mmu *m = start();
	uint64_t bad = m->context;
	struct runner other;

	space_page(&m->space, VA + PAGE, PTE_VRAM | (AT + PAGE));
	context_make(m->host, CONTEXT_IN_VRAM(2), m->space.root);
	runner_start(&other, m->host, 2);
	m->p.size = 0;
	command_delay(&m->p, 1000);
	command_write_value(&m->p, VA + PAGE, 3);
	runner_submit_in(&other, &m->p, 3, CONTEXT_IN_VRAM(2));
	host_run(m->host);
	write_at(m, false, NOWHERE, 1);
	m->host->memory.time += 1000;
	host_run(m->host);
	ok(runner_fence(&other) == 3 && place_get(m->host, 1, AT + PAGE) == 3,
	   "others: the submission of another context goes on");
	restart(m, false);
	m->context = CONTEXT_IN_VRAM(2);
	ok(write_at(m, false, VA, 4) && is_written(m, 4),
	   "others: and the same ring with another context");
	/* a submission without one */
	m->p.size = 0;
	command_write_value(&m->p, IN_VRAM(AT), 5);
	runner_submit(&m->r, &m->p, ++m->fence);
	host_run(m->host);
	ok(runner_fence(&m->r) == m->fence && is_written(m, 5), "others: and without one");
	is(context_get32(m->host, bad, CONTEXT_STATUS), 1, "others: the first is still at fault");
	is(context_get32(m->host, CONTEXT_IN_VRAM(2), CONTEXT_STATUS), 0, "others: they are not");
	mmu_free(m);
}

/* Two submissions of one context are at work, and both fault: it has one fault, a whole one. */
static void test_both(void)
{
	struct mmu *m = start();
	struct runner other;
	uint64_t address, entry = PTE_VRAM | PTE_READ_ONLY | AT;
	uint32_t code;

	space_page(&m->space, VA + 8 * PAGE, entry);
	runner_start(&other, m->host, 2);
	m->p.size = 0;
	command_delay(&m->p, 1000);
	command_fill(&m->p, NOWHERE, 8, 1);
	runner_submit_in(&m->r, &m->p, 1, m->context);
	m->p.size = 0;
	command_delay(&m->p, 1000);
	command_fill(&m->p, VA + 8 * PAGE, 8, 1);
	runner_submit_in(&other, &m->p, 1, m->context);
	host_run(m->host);
	m->host->memory.time += 1000;
	host_run(m->host);
	ok(runner_reg(&m->r, 0x24) == QUIRE_FAULT_PAGE &&
	   runner_reg(&other, 0x24) == QUIRE_FAULT_PROTECTION, "both: rings fault");
	address = context_get64(m->host, m->context, CONTEXT_ADDRESS);
	code = context_get32(m->host, m->context, CONTEXT_CODE);
	entry = context_get64(m->host, m->context, CONTEXT_ENTRY);
	ok((address == NOWHERE && code == QUIRE_FAULT_PAGE && !entry) ||
	   (address == VA + 8 * PAGE && code == QUIRE_FAULT_PROTECTION &&
	    entry == (PTE_VRAM | PTE_READ_ONLY | AT)), "both: the context has one of them");
	mmu_free(m);
}

/* It is read when a submission begins, not in between. */
static void test_begin(void)
{
	struct mmu *m = start();
	struct space other;

	space_init(&other, m->host, m->pools, 0);
	space_page(&other, VA, PTE_VRAM | (AT + PAGE));
	place_put(m->host, 1, AT + PAGE, 0);
	m->p.size = 0;
	command_delay(&m->p, 1000);
	command_write_value(&m->p, VA, 6);
	runner_submit_in(&m->r, &m->p, 1, m->context);
	host_run(m->host);
	context_make(m->host, m->context, other.root);
	place_put(m->host, 0, RAM_CONTEXTS, 0);
	ok(host_migrate(m->host), "begin: a migration in between");
	host_run(m->host);
	m->host->memory.time += 1000;
	host_run(m->host);
	ok(runner_fence(&m->r) == 1 && is_written(m, 6) && !place_get(m->host, 1, AT + PAGE),
	   "begin: what changes afterwards does not matter");
	m->fence = 1;
	context_make(m->host, m->context, other.root);
	ok(write_at(m, false, VA, 7) && (uint32_t)place_get(m->host, 1, AT + PAGE) == 7 &&
	   is_written(m, 6), "begin: but for the next submission");
	mmu_free(m);
}

/* Faults of other kinds are not the context's. */
static void test_not_latched(void)
{
	struct mmu *m = start();

	space_page(&m->space, VA + PAGE, PTE_SYSTEM | HOLE);
	ok(!write_at(m, false, VA + PAGE, 1) &&
	   fault_is(m, false, QUIRE_FAULT_DMA, HOLE, 0x22), "not latched: no memory");
	restart(m, false);
	m->p.size = 0;
	command_write_value(&m->p, VA + 4, 1);
	ok(!mmu_run(m, false) && fault_is(m, false, QUIRE_FAULT_BAD_RANGE, VA + 4, 0x28),
	   "not latched: a bad range");
	restart(m, false);
	host_set_reg(m->host, 0x1064, 1);
	ok(!write_at(m, true, VA, 1) && fault_is(m, true, QUIRE_FAULT_INJECTED, 0, 0xc),
	   "not latched: a fault on demand");
	restart(m, true);
	is(context_get64(m->host, m->context, 0), CONTEXT_MAGIC, "not latched: status");
	ok(write_at(m, true, VA, 2) && is_written(m, 2), "not latched: it goes on");
	mmu_free(m);
}

int main(void)
{
	test_seed(27);
	test_segments();
	test_bad_contexts();
	test_no_space();
	test_latched();
	test_cleared();
	test_others();
	test_both();
	test_begin();
	test_not_latched();
	return tap_done();
}
