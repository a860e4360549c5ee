// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: SIGNAL_MONITORED: where the value goes, that it comes at once and after all
 * that stands before it, who is told, and how it ends where it can not be written.
 */
#include <string.h>

#include "mmu.h"
#include "tap.h"

#define VA		0x0abcde400000ull
#define OTHER		0x0abcdf000000ull
#define VALUE		0x8877665544332211ull
#define IRQ		1u
#define FENCE		1u /* bit of INT_STATUS */

static struct mmu *current;
static unsigned int stores;
static bool all_before;

static void signal_at(struct mmu *m, uint16_t flags, uint64_t va, uint64_t value)
{
	m->p.size = 0;
	packet_signal_monitored(&m->p, flags, va, value);
}

/* As the model has it, with the fault if there is one; memory is compared as a whole. */
static void test_place(struct mmu *m, uint64_t entry, uint64_t in_page, const char *name)
{
	uint64_t value = VALUE + in_page;
	struct outcome out = { 0 };

	space_page(&m->space, VA, entry);
	model_take(&m->model);
	model_write(&m->model, m->space.root, VA + in_page, 8, (const uint8_t *)&value, &out);
	signal_at(m, IRQ, VA + in_page, value);
	ok(mmu_try(m, true, &out), "place: %s, 0x%llx, fault %u", name,
	   (unsigned long long)in_page, out.code);
}

static void test_places(void)
{
	static const struct {
		uint64_t entry;
		const char *name;
	} places[] = {
		{ PTE_VRAM | VRAM_SPARE, "VRAM" },
		{ PTE_SYSTEM | PTE_COHERENT | RAM_SPARE, "memory" },
		{ PTE_SYSTEM | RAM_SPARE, "memory that is not coherent" },
		{ PTE_APERTURE | APERTURE_COHERENT, "the aperture" },
		{ PTE_APERTURE | APERTURE_POSTED, "the aperture, not coherent" },
		{ PTE_VALID | PTE_ZERO, "no memory" },
		{ PTE_VALID | PTE_ZERO | PTE_READ_ONLY, "no memory, read only" },
		{ PTE_VRAM | PTE_READ_ONLY | VRAM_SPARE, "VRAM, read only" },
		{ PTE_SYSTEM | ROM_BASE, "a page that can only be read" },
		{ PTE_SYSTEM | HOLE, "a hole" },
		{ PTE_APERTURE | APERTURE_INVALID, "an invalid page" },
		{ PTE_APERTURE | APERTURE_ROM, "the aperture, read only" },
		{ PTE_SYSTEM | PTE_LARGE | RAM_SPARE, "a bad entry" },
		{ 0, "nowhere" },
	};
	static const uint64_t in_page[] = { 0, 8, 0x7f8, PAGE - 8 };
	struct mmu *m = mmu_new(2, 0, 0, HOST_TLB);
	unsigned int i, at;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		for (at = 0; at < ARRAY_SIZE(in_page); at++)
			test_place(m, places[i].entry, in_page[at], places[i].name);
	mmu_free(m);
}

/* It does not stay in the write buffer; what is there and is overlapped comes before it. */
static void test_posted(uint64_t entry, uint64_t ram, const char *name)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);
	uint32_t posted;

	space_page(&m->space, VA, entry);
	host_put64(m->host, ram + 64, 1);
	signal_at(m, 0, VA + 64, VALUE);
	ok(mmu_run(m, true) && host_get64(m->host, ram + 64) == VALUE && !host_reg(m->host, 0xa0),
	   "posted: %s: the value is in memory", name);

	m->p.size = 0;
	packet_fill_virtual(&m->p, VA, 128, 0xabababab);
	packet_fill_virtual(&m->p, OTHER, 16, 0xcdcdcdcd);
	packet_signal_monitored(&m->p, 0, VA + 64, VALUE + 1);
	space_page(&m->space, OTHER, PTE_SYSTEM | RAM_SPARE);
	ok(mmu_run(m, true) && host_get64(m->host, ram + 64) == VALUE + 1 &&
	   host_get64(m->host, ram + 56) == 0xababababababababull,
	   "posted: %s: after what it overlaps", name);
	posted = host_reg(m->host, 0xa0);
	mmu_settle(m);
	ok(posted == 16 && host_get64(m->host, ram + 64) == VALUE + 1,
	   "posted: %s: and it stays, all else is still posted", name);
	mmu_free(m);
}

static void on_store(struct memory_host *memory, uint64_t addr)
{
	struct host *host = current->host;

	(void)memory;
	if (addr != RAM_SPARE)
		return;
	stores++;
	all_before = !host->memory.working &&
		     !memcmp(host->memory.vram, host->memory.vram + SIZE_2M, SIZE_2M);
}

static const struct memory_host_watch watch = { .store = on_store };

/* One store, when the copy that is in a thread is done. */
static void test_order(uint64_t work_least)
{
	struct mmu *m = mmu_new(1, 1, PAGE, HOST_TLB);
	uint64_t touched;

	current = m;
	stores = 0;
	all_before = false;
	m->host->memory.watch = &watch;
	m->host->memory.work_least = work_least;
	m->host->memory.work_slices = 5;
	space_page(&m->space, VA, PTE_SYSTEM | PTE_COHERENT | RAM_SPARE);
	space_large(&m->space, OTHER, PTE_VRAM);
	space_large(&m->space, OTHER + SIZE_2M, PTE_VRAM | SIZE_2M);
	m->p.size = 0;
	packet_transfer_virtual(&m->p, 0, 2, OTHER, OTHER + SIZE_2M, SIZE_2M);
	packet_signal_monitored(&m->p, 0, VA, VALUE);
	ok(mmu_run(m, true) && stores == 1 && all_before &&
	   host_get64(m->host, RAM_SPARE) == VALUE && !work_least == !m->host->memory.works,
	   "order: one store after %u works", m->host->memory.works);
	signal_at(m, 0, VA, VALUE + 1);
	touched = m->host->memory.written;
	ok(mmu_run(m, true) && stores == 2 && m->host->memory.written == touched,
	   "order: and no other access");
	mmu_free(m);
}

/* A value that is signalled wakes a command that waits for it. */
static void test_waiter(void)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);
	uint64_t done;

	space_page(&m->space, VA, PTE_VRAM | VRAM_SPARE);
	place_put(m->host, 1, VRAM_SPARE, 0);
	m->p.size = 0;
	command_wait_value(&m->p, 1, VA, VALUE);
	ok(!mmu_run(m, false), "waiter: it waits");
	done = m->fence;
	signal_at(m, 0, VA, VALUE);
	ok(mmu_run(m, true) && runner_fence(&m->r) == done, "waiter: it goes on");
	mmu_free(m);
}

/* Executed, with the packet behind it hung: of the entry nothing is told yet. */
static void test_irq(uint16_t flags, uint32_t enabled, uint64_t entry, bool good)
{
	struct mmu *m = mmu_new(1, 0, 0, HOST_TLB);
	unsigned int before = m->host->memory.interrupts[0];
	uint32_t wanted = good && flags ? FENCE : 0;

	host_set_reg(m->host, 0x34, 3);
	host_set_reg(m->host, 0x38, enabled);
	host_set_reg(m->host, 0x1060, 2);
	space_page(&m->space, VA, entry);
	signal_at(m, flags, VA, VALUE);
	packet_fill_virtual(&m->p, VA, 8, 1);
	ok(!mmu_run(m, true) && (host_reg(m->host, 0x34) & FENCE) == wanted &&
	   m->host->memory.interrupts[0] - before == (enabled & wanted),
	   "irq: flag %u, enabled %u, %s", flags, enabled, good ? "written" : "a fault");
	mmu_free(m);
}

int main(void)
{
	test_seed(41);
	test_places();
	test_posted(PTE_SYSTEM | (RAM_SPARE + PAGE), RAM_SPARE + PAGE, "memory");
	test_posted(PTE_APERTURE | APERTURE_POSTED, RAM_APERTURE + 64 * PAGE, "the aperture");
	test_order(0);
	test_order(SIZE_64K);
	test_waiter();
	test_irq(IRQ, 1, PTE_VRAM | VRAM_SPARE, true);
	test_irq(IRQ, 3, PTE_SYSTEM | RAM_SPARE, true);
	test_irq(IRQ, 2, PTE_VRAM | VRAM_SPARE, true);
	test_irq(0, 3, PTE_VRAM | VRAM_SPARE, true);
	test_irq(IRQ, 1, 0, false);
	test_irq(IRQ, 1, PTE_SYSTEM | HOLE, false);
	return tap_done();
}
