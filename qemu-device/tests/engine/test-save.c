// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: registers of contexts: what commands make of them, that they are in the save area
 * when a submission has ended, in whatever way, and nowhere else; which save areas are refused.
 */
#include <inttypes.h>
#include <string.h>

#include "image.h"
#include "mmu.h"
#include "tap.h"

#define VA		0x0abcde400000ull
#define NOWHERE		0x0abcdf000000ull
#define AT		(VRAM_PAGES + 3 * PAGE)
#define SET		1u
#define ADD		2u
#define MULTIPLY	4u
#define XOR		8u
#define ANY		(~0ull) /* address of the packet */
#define VALUE		0x8877665544332211ull

#define SAVE_MAGIC	0x56415351u
#define CONTEXT_SAVE	40u
#define REGISTER(ring, n) (64 + 128 * (ring) + 8 * (n))

#define SAVE_IN_RAM	(RAM_CONTEXTS + 8 * PAGE)
#define SAVE_IN_VRAM	IN_VRAM(VRAM_CONTEXTS + 8 * PAGE)
#define SAVE_IN_APERTURE IN_APERTURE(APERTURE_COHERENT + 62 * PAGE)
#define SAVE_POSTED	IN_APERTURE(APERTURE_POSTED + 62 * PAGE)

static void put(struct mmu *m, uint64_t page, unsigned int offset, uint64_t value)
{
	place_put(m->host, page >> 56, (page & 0xffffffffffffff) + offset, value);
}

static uint64_t get(struct mmu *m, uint64_t page, unsigned int offset)
{
	return context_get64(m->host, page, offset);
}

/* As INIT_CONTEXT makes it; told to the context. */
static void save_make(struct mmu *m, uint64_t context, uint64_t save)
{
	unsigned int i;

	for (i = 0; i < PAGE; i += 8)
		put(m, save, i, 0);
	put(m, save, 0, SAVE_MAGIC);
	put(m, context, CONTEXT_SAVE, save);
}

static struct mmu *start(uint64_t save)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);

	space_page(&m->space, VA, PTE_VRAM | AT);
	save_make(m, m->context, save);
	place_put(m->host, 1, AT, VALUE);
	return m;
}

static bool fault_is(struct mmu *m, uint32_t code, uint64_t addr)
{
	if (runner_reg(&m->r, 0x24) == code && runner_reg64(&m->r, 0x30) == addr)
		return true;
	printf("#   fault %u (%u) at 0x%" PRIx64 " (0x%" PRIx64 ")\n", runner_reg(&m->r, 0x24),
	       code, runner_reg64(&m->r, 0x30), addr);
	return false;
}

static bool set(struct mmu *m, uint16_t operation, uint32_t number, uint64_t operand)
{
	m->p.size = 0;
	command_set_register(&m->p, operation, number, operand);
	return mmu_run(m, false);
}

static uint64_t combined(uint16_t operation, uint64_t a, uint64_t b)
{
	switch (operation) {
	case SET:
		return b;
	case ADD:
		return a + b;
	case MULTIPLY:
		return a * b;
	default:
		return a ^ b;
	}
}

static void test_operations(void)
{
	static const uint16_t operations[] = { SET, ADD, MULTIPLY, XOR };
	struct mmu *m = start(SAVE_IN_RAM);
	uint64_t model[16] = { 0 };
	unsigned int i, n;
	bool good = true;

	for (i = 0; i < 200; i++) {
		uint64_t operand = (uint64_t)test_random() << 32 | test_random();

		n = test_random() % 16;
		if (i % 3) {
			good &= set(m, operations[i % 4], n, operand);
		} else {
			place_put(m->host, 1, AT + 8 * (i % 8), operand);
			m->p.size = 0;
			command_load_register(&m->p, operations[i % 4], n, VA + 8 * (i % 8));
			good &= mmu_run(m, false);
		}
		model[n] = combined(operations[i % 4], model[n], operand);
		m->p.size = 0;
		command_store_register(&m->p, n, VA + 64);
		good &= mmu_run(m, false) && place_get(m->host, 1, AT + 64) == model[n];
	}
	ok(good, "operations: one after the other, by number and from memory");
	for (n = 0; n < 16; n++)
		good &= get(m, SAVE_IN_RAM, REGISTER(1, n)) == model[n];
	ok(good, "operations: all are in the save area");
	mmu_free(m);
}

/* Nothing but the registers of the ring changes there. */
static void test_segments(void)
{
	static const uint64_t saves[] = {
		SAVE_IN_RAM, SAVE_IN_VRAM, SAVE_IN_APERTURE, SAVE_POSTED,
	};
	unsigned int i, at;

	for (i = 0; i < ARRAY_SIZE(saves); i++) {
		struct mmu *m = start(saves[i]);
		bool same = true;

		for (at = 8; at < PAGE; at += 8)
			put(m, saves[i], at, at * VALUE);
		m->p.size = 0;
		command_set_register(&m->p, ADD, 7, 5);
		command_load_register(&m->p, XOR, 0, VA);
		ok(mmu_run(m, false) &&
		   get(m, saves[i], REGISTER(1, 7)) == REGISTER(1, 7) * VALUE + 5 &&
		   get(m, saves[i], REGISTER(1, 0)) == (REGISTER(1, 0) * VALUE ^ VALUE),
		   "segments: %u: loaded and stored", i);
		for (at = 8; at < PAGE; at += 8)
			if (at != REGISTER(1, 7) && at != REGISTER(1, 0))
				same &= get(m, saves[i], at) == at * VALUE;
		ok(same && get(m, saves[i], 0) == SAVE_MAGIC, "segments: %u: all else is as it was",
		   i);
		ok(set(m, ADD, 7, 1) &&
		   get(m, saves[i], REGISTER(1, 7)) == REGISTER(1, 7) * VALUE + 6,
		   "segments: %u: and loaded again", i);
		mmu_free(m);
	}
}

/* Contexts by turns on a ring, and one on two rings. */
static void test_switch(void)
{
	struct mmu *m = start(SAVE_IN_RAM);
	uint64_t a = m->context, b = CONTEXT_IN_RAM(1);
	struct runner other;
	bool good = true;
	unsigned int i;

	context_make(m->host, b, m->space.root);
	save_make(m, b, SAVE_IN_VRAM);
	for (i = 0; i < 10; i++) {
		m->context = i & 1 ? b : a;
		good &= set(m, ADD, 3, i & 1 ? 100 : 1);
	}
	ok(good && get(m, SAVE_IN_RAM, REGISTER(1, 3)) == 5 &&
	   get(m, SAVE_IN_VRAM, REGISTER(1, 3)) == 500, "switch: each context has its own");
	runner_start(&other, m->host, 2);
	m->p.size = 0;
	command_set_register(&m->p, ADD, 3, 7);
	command_delay(&m->p, 1000);
	runner_submit_in(&other, &m->p, 1, a);
	host_run(m->host);
	m->context = a;
	ok(set(m, ADD, 3, 1) && get(m, SAVE_IN_RAM, REGISTER(1, 3)) == 6 &&
	   !get(m, SAVE_IN_RAM, REGISTER(2, 3)), "switch: beside it on another ring");
	m->host->memory.time += 1000;
	host_run(m->host);
	ok(runner_fence(&other) == 1 && get(m, SAVE_IN_RAM, REGISTER(2, 3)) == 7 &&
	   get(m, SAVE_IN_RAM, REGISTER(1, 3)) == 6, "switch: each ring has its own");
	mmu_free(m);
}

static void test_refused(const char *name, uint64_t save, uint64_t magic)
{
	struct mmu *m = start(SAVE_IN_RAM);
	bool same = true;
	unsigned int i;

	put(m, m->context, CONTEXT_SAVE, save);
	put(m, SAVE_IN_RAM, 0, magic);
	/* of one that is not aligned */
	put(m, SAVE_IN_RAM, 8, SAVE_MAGIC);
	for (i = 16; i < PAGE; i += 8)
		put(m, SAVE_IN_RAM, i, VALUE + i);
	m->p.size = 0;
	command_write_value(&m->p, VA, 1);
	ok(!mmu_run(m, false) && fault_is(m, QUIRE_FAULT_BAD_CONTEXT, m->context) &&
	   place_get(m->host, 1, AT) == VALUE, "refused: %s", name);
	runner_set_reg(&m->r, 0x14, 0);
	runner_start(&m->r, m->host, 1);
	for (i = 16; i < PAGE; i += 8)
		same &= get(m, SAVE_IN_RAM, i) == VALUE + i;
	ok(same, "refused: nothing is written there");
	ok(!context_get32(m->host, m->context, CONTEXT_STATUS), "refused: no fault is latched");
	m->p.size = 0;
	packet_fill_virtual(&m->p, VA, 8, 1);
	ok(mmu_run(m, true), "refused: the paging ring does not look at it");
	mmu_free(m);
}

static void test_bad_saves(void)
{
	test_refused("in a hole", HOLE, SAVE_MAGIC);
	test_refused("not aligned", SAVE_IN_RAM + 8, SAVE_MAGIC);
	test_refused("behind VRAM", IN_VRAM(8 * MIB), SAVE_MAGIC);
	test_refused("behind the aperture", IN_APERTURE(MMU_APERTURE), SAVE_MAGIC);
	test_refused("in an invalid page", IN_APERTURE(APERTURE_INVALID), SAVE_MAGIC);
	test_refused("in an MMU", 3ull << 56, SAVE_MAGIC);
	test_refused("of another magic", SAVE_IN_RAM, SAVE_MAGIC + 1);
	test_refused("that is a context", SAVE_IN_RAM, CONTEXT_MAGIC);
	test_refused("that is nothing", SAVE_IN_RAM, 0);
}

/* Without a save area, and without a context. */
static void test_none(void)
{
	struct mmu *m = start(SAVE_IN_RAM);

	put(m, m->context, CONTEXT_SAVE, 0);
	ok(!set(m, SET, 0, 1) && fault_is(m, QUIRE_FAULT_BAD_CONTEXT, 0), "none: SET");
	runner_start(&m->r, m->host, 1);
	m->p.size = 0;
	command_load_register(&m->p, SET, 0, VA);
	ok(!mmu_run(m, false) && fault_is(m, QUIRE_FAULT_BAD_CONTEXT, 0), "none: LOAD");
	runner_start(&m->r, m->host, 1);
	m->p.size = 0;
	command_store_register(&m->p, 0, VA);
	ok(!mmu_run(m, false) && fault_is(m, QUIRE_FAULT_BAD_CONTEXT, 0) &&
	   place_get(m->host, 1, AT) == VALUE, "none: STORE");
	runner_start(&m->r, m->host, 1);
	m->p.size = 0;
	command_set_register(&m->p, SET, 0, 1);
	runner_submit(&m->r, &m->p, ++m->fence);
	host_run(m->host);
	ok(fault_is(m, QUIRE_FAULT_BAD_CONTEXT, 0), "none: without a context");
	ok(!get(m, SAVE_IN_RAM, REGISTER(1, 0)), "none: nothing is written");
	mmu_free(m);
}

static void test_bad(const char *name, uint32_t code, uint64_t addr, struct mmu *m)
{
	bool done = mmu_run(m, false);

	ok(!done && fault_is(m, code, addr == ANY ? runner_reg64(&m->r, 0x30) : addr) &&
	   !get(m, SAVE_IN_RAM, REGISTER(1, 1)), "bad: %s", name);
	runner_start(&m->r, m->host, 1);
	m->p.size = 0;
}

static void test_bad_packets(void)
{
	struct mmu *m = start(SAVE_IN_RAM);
	uint16_t bad[] = { 0, 3, 16, 0x8000 };
	unsigned int i;

	m->p.size = 0;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		command_set_register(&m->p, bad[i], 1, 1);
		test_bad("flags of SET", QUIRE_FAULT_BAD_PACKET, ANY, m);
		command_load_register(&m->p, bad[i], 1, VA);
		test_bad("flags of LOAD", QUIRE_FAULT_BAD_PACKET, ANY, m);
	}
	command_store_register(&m->p, 1, VA);
	packet_poke(&m->p, 2, 2, 1);
	test_bad("flags of STORE", QUIRE_FAULT_BAD_PACKET, ANY, m);
	command_set_register(&m->p, SET, 1, 1);
	packet_poke(&m->p, 12, 4, 1);
	test_bad("reserved of SET", QUIRE_FAULT_BAD_PACKET, ANY, m);
	command_set_register(&m->p, SET, 16, 1);
	test_bad("register 16", QUIRE_FAULT_BAD_RANGE, 16, m);
	command_store_register(&m->p, ~0u, VA);
	test_bad("the last register", QUIRE_FAULT_BAD_RANGE, ~0u, m);
	command_load_register(&m->p, SET, 16, VA);
	test_bad("register 16 of LOAD", QUIRE_FAULT_BAD_RANGE, 16, m);
	command_load_register(&m->p, SET, 1, VA + 4);
	test_bad("LOAD not aligned", QUIRE_FAULT_BAD_RANGE, VA + 4, m);
	command_store_register(&m->p, 1, VA_END);
	test_bad("STORE behind all", QUIRE_FAULT_BAD_RANGE, VA_END, m);
	command_set_register(&m->p, SET, 1, 1);
	packet_u64(&m->p, 0);
	packet_end(&m->p);
	test_bad("a long SET", QUIRE_FAULT_BAD_PACKET, ANY, m);
	mmu_free(m);
}

/* What stands before the fault counts, and nothing of what it stands in. */
static void test_fault(uint64_t save)
{
	struct mmu *m = start(save);

	m->p.size = 0;
	command_set_register(&m->p, ADD, 2, 5);
	command_load_register(&m->p, SET, 2, NOWHERE);
	command_set_register(&m->p, ADD, 2, 50);
	ok(!mmu_run(m, false) && fault_is(m, QUIRE_FAULT_PAGE, NOWHERE) &&
	   get(m, save, REGISTER(1, 2)) == 5, "fault: registers are those of the packets before");
	runner_start(&m->r, m->host, 1);
	put(m, m->context, 0, CONTEXT_MAGIC);
	runner_set_reg(&m->r, 0x64, 2);
	m->p.size = 0;
	command_set_register(&m->p, ADD, 2, 1);
	command_set_register(&m->p, ADD, 2, 1);
	ok(!mmu_run(m, false) && get(m, save, REGISTER(1, 2)) == 6,
	   "fault: also of one on demand");
	mmu_free(m);
}

/* Disabled, also while it hangs: what is at OFFSET is not executed, what is before is. */
static void test_disabled(uint64_t save, uint32_t hang)
{
	struct mmu *m = start(save);

	m->p.size = 0;
	command_set_register(&m->p, ADD, 4, 3);
	command_delay(&m->p, 1000);
	command_set_register(&m->p, ADD, 4, 30);
	runner_set_reg(&m->r, 0x60, hang);
	runner_submit_in(&m->r, &m->p, 1, m->context);
	host_run(m->host);
	ok(!get(m, save, REGISTER(1, 4)), "disabled: at work the device has them");
	runner_set_reg(&m->r, 0x14, 0);
	ok(runner_reg(&m->r, 0x20) == 24 && get(m, save, REGISTER(1, 4)) == 3,
	   "disabled: registers are those of OFFSET, hang %u", hang);
	/* the driver goes on there */
	runner_start(&m->r, m->host, 1);
	m->p.size = 0;
	command_set_register(&m->p, ADD, 4, 30);
	ok(mmu_run(m, false) && get(m, save, REGISTER(1, 4)) == 33, "disabled: it goes on");
	mmu_free(m);
}

/* A reset of the device writes nothing. */
static void test_reset(void)
{
	struct mmu *m = start(SAVE_IN_VRAM);

	ok(set(m, SET, 4, 9), "reset: a register is set");
	m->p.size = 0;
	command_set_register(&m->p, ADD, 4, 3);
	command_delay(&m->p, 1000);
	runner_submit_in(&m->r, &m->p, 2, m->context);
	host_run(m->host);
	host_set_reg(m->host, 0x30, 1);
	ok(get(m, SAVE_IN_VRAM, REGISTER(1, 4)) == 9, "reset: what was at work is lost");
	mmu_setup(m);
	ok(set(m, ADD, 4, 1) && get(m, SAVE_IN_VRAM, REGISTER(1, 4)) == 10,
	   "reset: the rest is there");
	mmu_free(m);
}

/* What is loaded moves with its ring; where it is stored is settled when it begins. */
static void test_migrated(void)
{
	struct mmu *m = start(SAVE_IN_VRAM);

	set(m, SET, 15, 1000);
	m->p.size = 0;
	command_set_register(&m->p, ADD, 15, 3);
	command_delay(&m->p, 1000);
	command_set_register(&m->p, MULTIPLY, 15, 2);
	runner_submit_in(&m->r, &m->p, ++m->fence, m->context);
	host_run(m->host);
	put(m, m->context, CONTEXT_SAVE, HOLE);
	put(m, SAVE_IN_VRAM, REGISTER(1, 15), 7);
	ok(host_migrate(m->host), "migrated: in the middle");
	host_run(m->host);
	m->host->memory.time += 1000;
	host_run(m->host);
	ok(runner_fence(&m->r) == m->fence && get(m, SAVE_IN_VRAM, REGISTER(1, 15)) == 2006,
	   "migrated: registers moved along");
	mmu_free(m);
}

/* There is no memory any more when the submission ends. */
static void test_gone(void)
{
	struct mmu *m = start(SAVE_IN_APERTURE);

	m->p.size = 0;
	command_set_register(&m->p, ADD, 15, 3);
	command_delay(&m->p, 1000);
	runner_submit_in(&m->r, &m->p, ++m->fence, m->context);
	host_run(m->host);
	m->p.size = 0;
	packet_map(&m->p, APERTURE_COHERENT / PAGE + 62, 1, 1);
	packet_run(&m->p, ROM_BASE, 1);
	packet_end(&m->p);
	ok(mmu_run_physical(m), "gone: it is a page that can not be written");
	m->host->memory.time += 1000;
	host_run(m->host);
	ok(runner_fence(&m->r) != m->fence - 1 &&
	   fault_is(m, QUIRE_FAULT_BAD_CONTEXT, m->context) && host_migrate(m->host),
	   "gone: the submission does not complete");
	mmu_free(m);
}

static void test_init(void)
{
	struct mmu *m = start(SAVE_IN_RAM);
	const uint64_t pages[] = { RAM_SPARE, IN_VRAM(VRAM_SPARE), IN_APERTURE(63 * PAGE) };
	unsigned int i, at;
	bool zero;

	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		zero = true;
		for (at = 0; at < PAGE; at += 8)
			put(m, pages[i], at, VALUE);
		m->p.size = 0;
		packet_init_context(&m->p, 1, i, pages[i] & 0xffffffffffffff);
		zero &= mmu_run_physical(m);
		for (at = 8; at < PAGE; at += 8)
			zero &= !get(m, pages[i], at);
		ok(zero && get(m, pages[i], 0) == SAVE_MAGIC, "init: segment %u", i);
		put(m, m->context, CONTEXT_SAVE, pages[i]);
		ok(set(m, ADD, 0, 4) && get(m, pages[i], REGISTER(1, 0)) == 4, "init: it is one");
	}
	space_page(&m->space, VA + PAGE, PTE_VRAM | (VRAM_SPARE + PAGE));
	m->p.size = 0;
	packet_init_context(&m->p, 0x8001, 0, VA + PAGE);
	ok(mmu_run(m, true) && get(m, IN_VRAM(VRAM_SPARE + PAGE), 0) == SAVE_MAGIC,
	   "init: by a virtual address");
	mmu_free(m);
}

int main(void)
{
	test_seed(61);
	test_operations();
	test_segments();
	test_switch();
	test_bad_saves();
	test_none();
	test_bad_packets();
	test_fault(SAVE_IN_VRAM);
	test_fault(SAVE_POSTED);
	test_disabled(SAVE_IN_RAM, 0);
	test_disabled(SAVE_POSTED, 0);
	test_disabled(SAVE_IN_VRAM, 2);
	test_reset();
	test_migrated();
	test_gone();
	test_init();
	return tap_done();
}
