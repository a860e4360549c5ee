// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: native fences: what the device knows of them, where their values go, who may
 * signal one, who is told, and how it ends where they are nowhere.
 */
#include <inttypes.h>
#include <string.h>

#include "mmu.h"
#include "tap.h"

#define FENCES		1024u
#define FENCE		77u
#define VA		0x0abcde400000ull
#define NEVER		UINT64_MAX
#define STATUS_FENCE	1u /* bit of INT_STATUS */
#define FAULT_NATIVE	21u

/* Where the values of a fence are, and where the test finds them. */
struct storage {
	const char *name;
	uint64_t address;
	unsigned int segment;
	uint64_t memory;
};

static const struct storage storages[] = {
	{ "memory", RAM_SPARE + 16 * PAGE, 0, RAM_SPARE + 16 * PAGE },
	{ "VRAM", IN_VRAM(VRAM_SPARE), 1, VRAM_SPARE },
	{ "the aperture", IN_APERTURE(APERTURE_COHERENT), 0, RAM_APERTURE },
	{ "the aperture, not coherent", IN_APERTURE(APERTURE_POSTED), 0,
	  RAM_APERTURE + 64 * PAGE },
};

static bool tell(struct mmu *m, uint32_t fence, uint64_t owner, uint64_t value,
		 uint64_t monitored)
{
	m->p.size = 0;
	packet_fences(&m->p, fence, owner, value, monitored);
	return mmu_run_physical(m);
}

static bool tell_place(struct mmu *m, uint64_t address)
{
	return tell(m, FENCE, m->space.root, address, address + 64);
}

static bool knows(struct mmu *m, uint32_t fence, uint64_t owner, uint64_t value,
		  uint64_t monitored)
{
	host_set_reg(m->host, 0xe0, fence);
	return host_reg(m->host, 0xe0) == fence && host_reg64(m->host, 0xe8) == owner &&
	       host_reg64(m->host, 0xf0) == value && host_reg64(m->host, 0xf8) == monitored;
}

static bool signal_fence(struct mmu *m, uint32_t fence, uint64_t value)
{
	m->p.size = 0;
	command_signal_native(&m->p, fence, value);
	return mmu_run(m, false);
}

static uint32_t fault(struct mmu *m, uint64_t *addr)
{
	*addr = runner_reg64(&m->r, 0x30);
	return runner_reg(&m->r, 0x24);
}

/* What was told is known, of that fence alone, until something else is told. */
static void test_table(void)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);
	uint64_t place = IN_VRAM(VRAM_SPARE);

	ok(knows(m, 0, 0, 0, 0) && knows(m, FENCES - 1, 0, 0, 0), "table: nothing is known");
	m->p.size = 0;
	packet_fences(&m->p, 0, 5, 8, 16);
	packet_u32(&m->p, FENCES - 1);
	packet_u32(&m->p, 0);
	packet_u64(&m->p, ~0ull);
	packet_u64(&m->p, place);
	packet_u64(&m->p, IN_APERTURE(MMU_APERTURE - 8));
	packet_end(&m->p);
	ok(mmu_run_physical(m) && knows(m, 0, 5, 8, 16) && knows(m, 1, 0, 0, 0) &&
	   knows(m, FENCES - 1, ~0ull, place, IN_APERTURE(MMU_APERTURE - 8)),
	   "table: two fences of a packet");
	ok(tell(m, 0, 7, place + 8, (1ull << 56) - 8) &&
	   knows(m, 0, 7, place + 8, (1ull << 56) - 8),
	   "table: one moves on");
	ok(tell(m, 0, 0, 0, 0) && knows(m, 0, 0, 0, 0) && tell(m, 1, 0, 0, 0) &&
	   knows(m, 1, 0, 0, 0), "table: one is nowhere, also a second time");
	ok(knows(m, FENCES, 0, 0, 0) && knows(m, UINT32_MAX, 0, 0, 0), "table: no such fence");
	ok(knows(m, FENCES - 1, ~0ull, place, IN_APERTURE(MMU_APERTURE - 8)),
	   "table: the other one stays");
	host_set_reg(m->host, 0x30, 1);
	ok(!host_reg(m->host, 0xe0) && knows(m, FENCES - 1, 0, 0, 0), "table: a reset forgets");
	mmu_free(m);
}

/* A packet of which something is refused changes nothing. */
static void test_refused(void)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);

	m->p.size = 0;
	packet_fences(&m->p, 3, 5, 8, 16);
	packet_u32(&m->p, FENCES);
	packet_u32(&m->p, 0);
	packet_u64(&m->p, 1);
	packet_u64(&m->p, 8);
	packet_u64(&m->p, 16);
	packet_end(&m->p);
	ok(!mmu_run_physical(m) && host_ring_reg(m->host, 0x24) == 9 && knows(m, 3, 0, 0, 0),
	   "refused: nothing of the packet is known");
	mmu_free(m);
}

static void test_values(const struct storage *at)
{
	struct mmu *m = mmu_new(2, 0, 0, HOST_TLB);
	uint64_t value = 0x8877665544332211ull, told;

	place_put(m->host, at->segment, at->memory, 5);
	place_put(m->host, at->segment, at->memory + 64, NEVER);
	ok(tell_place(m, at->address), "%s: it is told", at->name);
	ok(signal_fence(m, FENCE, value) &&
	   place_get(m->host, at->segment, at->memory) == value &&
	   place_get(m->host, at->segment, at->memory + 64) == NEVER && !host_reg(m->host, 0xa0),
	   "%s: the value is in memory", at->name);
	ok(signal_fence(m, FENCE, 6) && signal_fence(m, FENCE, value) &&
	   place_get(m->host, at->segment, at->memory) == value, "%s: it only grows", at->name);
	ok(!host_reg64(m->host, 0x100), "%s: below the monitored value nobody is told", at->name);

	place_put(m->host, at->segment, at->memory + 64, value + 2);
	ok(signal_fence(m, FENCE, value + 1) && !host_reg64(m->host, 0x100), "%s: one below it",
	   at->name);
	ok(signal_fence(m, FENCE, value + 2) && host_reg64(m->host, 0x100) == 1,
	   "%s: it is reached", at->name);
	ok(signal_fence(m, FENCE, value + 3) && host_reg64(m->host, 0x100) == 2,
	   "%s: and passed", at->name);
	told = host_reg64(m->host, 0x100);
	ok(signal_fence(m, FENCE, 1) && host_reg64(m->host, 0x100) == told + 1 &&
	   place_get(m->host, at->segment, at->memory) == value + 3,
	   "%s: signalled again, it is told again", at->name);
	mmu_free(m);
}

/* Executed, with the packet behind it hung: of the entry nothing is told yet. */
static void test_irq(uint64_t monitored, uint32_t enabled)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);
	uint32_t wanted = monitored <= 9 ? STATUS_FENCE : 0;
	unsigned int sent;

	place_put(m->host, 1, VRAM_SPARE, 0);
	place_put(m->host, 1, VRAM_SPARE + 64, monitored);
	tell_place(m, IN_VRAM(VRAM_SPARE));
	host_set_reg(m->host, 0x34, 3);
	host_set_reg(m->host, 0x38, enabled);
	host_set_reg(m->host, 0x1000 + 0x200 * m->r.ring + 0x60, 2);
	sent = m->host->memory.interrupts[0];
	m->p.size = 0;
	command_signal_native(&m->p, FENCE, 9);
	command_nop(&m->p, 1);
	ok(!mmu_run(m, false) && place_get(m->host, 1, VRAM_SPARE) == 9 &&
	   host_reg(m->host, 0x34) == wanted &&
	   m->host->memory.interrupts[0] - sent == (wanted & enabled),
	   "irq: monitored 0x%" PRIx64 ", enabled %u", monitored, enabled);
	mmu_free(m);
}

/* What stands before is in memory, also in the middle of a submission. */
static void test_order(void)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);

	space_page(&m->space, VA, PTE_SYSTEM | RAM_SPARE);
	host_set_reg(m->host, 0x1000 + 0x200 * m->r.ring + 0x60, 3);
	ok(tell_place(m, IN_VRAM(VRAM_SPARE)), "order: it is told");
	m->p.size = 0;
	command_fill(&m->p, VA, 64, 0xabababab);
	command_signal_native(&m->p, FENCE, 9);
	command_nop(&m->p, 1);
	ok(!mmu_run(m, false) && place_get(m->host, 1, VRAM_SPARE) == 9 &&
	   host_get64(m->host, RAM_SPARE + 56) == 0xababababababababull && !host_reg(m->host, 0xa0),
	   "order: what stands before it is in memory");
	mmu_free(m);
}

/* What it does follows its storage. */
static void test_moves(void)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);
	uint64_t a = VRAM_SPARE, b = VRAM_SPARE + 8;

	place_put(m->host, 1, a + 64, NEVER);
	place_put(m->host, 1, b + 64, NEVER);
	ok(tell_place(m, IN_VRAM(a)) && signal_fence(m, FENCE, 3) && tell_place(m, IN_VRAM(b)) &&
	   signal_fence(m, FENCE, 4), "moves: signalled in two places");
	ok(place_get(m->host, 1, a) == 3 && place_get(m->host, 1, b) == 4,
	   "moves: the old place is not written any more");
	mmu_free(m);
}

static void test_fault(uint32_t fence, uint64_t owner, uint64_t address, uint32_t wanted,
		       uint64_t wanted_addr, const char *name)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);
	uint64_t addr, before = place_get(m->host, 1, VRAM_SPARE);
	uint32_t code;
	bool done;

	if (owner == 1)
		owner = m->space.root;
	else if (owner)
		owner += m->space.root;
	if (address)
		tell(m, FENCE, owner, address, address + 64);
	done = signal_fence(m, fence, NEVER);
	code = fault(m, &addr);
	ok(!done && code == wanted && addr == wanted_addr && host_migrate(m->host),
	   "faults: %s, %u at 0x%" PRIx64, name, code, addr);
	ok(place_get(m->host, 1, VRAM_SPARE) == before && !host_reg64(m->host, 0x100) &&
	   !context_get32(m->host, m->context, 4), "faults: %s: nothing is written", name);
	mmu_free(m);
}

static void test_faults(void)
{
	uint64_t vram = IN_VRAM(VRAM_SPARE);

	test_fault(FENCE, 1, 0, FAULT_NATIVE, FENCE, "nowhere");
	test_fault(FENCE + 1, 1, vram, FAULT_NATIVE, FENCE + 1, "another fence");
	test_fault(FENCE, PAGE, vram, FAULT_NATIVE, FENCE, "another address space");
	test_fault(FENCES, 1, vram, QUIRE_FAULT_BAD_RANGE, FENCES, "no such fence");
	test_fault(FENCE, 1, HOLE, QUIRE_FAULT_DMA, HOLE, "no memory");
	test_fault(FENCE, 1, ROM_BASE, QUIRE_FAULT_DMA, ROM_BASE, "read only");
	test_fault(FENCE, 1, IN_APERTURE(APERTURE_INVALID), QUIRE_FAULT_APERTURE,
		   APERTURE_INVALID, "an invalid page");
}

/* Of the monitored value alone: the current one is written before. */
static void test_monitored_nowhere(void)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);
	uint64_t addr;

	place_put(m->host, 1, VRAM_SPARE, 0);
	tell(m, FENCE, m->space.root, IN_VRAM(VRAM_SPARE), HOLE + 8);
	ok(!signal_fence(m, FENCE, 4) && fault(m, &addr) == QUIRE_FAULT_DMA && addr == HOLE + 8 &&
	   !host_reg64(m->host, 0x100), "faults: no memory where it is monitored");
	mmu_free(m);
}

/* Contexts without an address space own nothing, and a fence of nobody is nowhere. */
static void test_no_space(void)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);
	uint64_t addr;

	context_make(m->host, m->context, 0);
	ok(!signal_fence(m, FENCE, 4) && fault(m, &addr) == FAULT_NATIVE && addr == FENCE,
	   "faults: without an address space");
	mmu_free(m);
}

/* NATIVE_INTERRUPTS counts from a reset on. */
static void test_reset(bool control)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);
	const char *name = control ? "CONTROL" : "function";

	place_put(m->host, 1, VRAM_SPARE, 0);
	place_put(m->host, 1, VRAM_SPARE + 64, 2);
	ok(tell_place(m, IN_VRAM(VRAM_SPARE)) && signal_fence(m, FENCE, 2) &&
	   signal_fence(m, FENCE, 3) && host_reg64(m->host, 0x100) == 2,
	   "reset: %s: two signals are counted", name);
	if (control)
		host_set_reg(m->host, 0x30, 1);
	else
		quire_engine_reset(&m->host->memory.engine);
	ok(!host_reg64(m->host, 0x100), "reset: %s: none since", name);
	mmu_setup(m);
	ok(tell_place(m, IN_VRAM(VRAM_SPARE)) && signal_fence(m, FENCE, 4) &&
	   host_reg64(m->host, 0x100) == 1, "reset: %s: the next one is the first", name);
	mmu_free(m);
}

static void test_migration(void)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);
	uint64_t place = VRAM_SPARE;

	place_put(m->host, 1, place, 0);
	place_put(m->host, 1, place + 64, 2);
	ok(tell_place(m, IN_VRAM(place)) && signal_fence(m, FENCE, 2), "migration: signalled");
	host_set_reg(m->host, 0xe0, FENCE);
	ok(host_migrate(m->host) && host_reg(m->host, 0xe0) == FENCE &&
	   host_reg64(m->host, 0x100) == 1 &&
	   knows(m, FENCE, m->space.root, IN_VRAM(place), IN_VRAM(place + 64)),
	   "migration: it is known");
	ok(signal_fence(m, FENCE, 3) && place_get(m->host, 1, place) == 3 &&
	   host_reg64(m->host, 0x100) == 2, "migration: signalled again");
	mmu_free(m);
}

static void test_bad_states(void)
{
	static const struct {
		uint64_t owner, value, monitored;
		bool good;
	} states[] = {
		{ 1, 8, 16, true }, { ~0ull, IN_VRAM(0), IN_APERTURE(MMU_APERTURE - 8), true },
		{ 0, 8, 0, false }, { 0, 0, 8, false }, { 1, 0, 8, false }, { 1, 8, 0, false },
		{ 2, 8, 16, false }, { 1, 4, 16, false }, { 1, 8, 17, false },
		{ 1, IN_VRAM(MMU_VRAM), 8, false }, { 1, 8, IN_APERTURE(MMU_APERTURE), false },
		{ 1, 3ull << 56, 8, false },
	};
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		uint64_t *entries = quire_table_load(&m->host->memory.engine.native,
						     3 * (FENCES - 1), 3);

		entries[0] = states[i].owner;
		entries[1] = states[i].value;
		entries[2] = states[i].monitored;
		ok(host_migrate(m->host) == states[i].good, "states: %u %s", i,
		   states[i].good ? "loads" : "does not");
	}
	mmu_free(m);
}

int main(void)
{
	unsigned int i;

	test_seed(57);
	test_table();
	test_refused();
	for (i = 0; i < ARRAY_SIZE(storages); i++)
		test_values(&storages[i]);
	test_irq(9, 3);
	test_irq(8, 1);
	test_irq(10, 3);
	test_irq(NEVER, 1);
	test_irq(9, 2);
	test_order();
	test_moves();
	test_faults();
	test_monitored_nowhere();
	test_no_space();
	test_reset(true);
	test_reset(false);
	test_migration();
	test_bad_states();
	return tap_done();
}
