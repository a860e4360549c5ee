// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: UNMAP_APERTURE while packets of another ring are at work in the pages: when it
 * is done, nothing reads or writes what they were.
 */
#include <string.h>

#include "mmu.h"
#include "tap.h"

#define VRAM		(8 * MIB)
#define APERTURE	(2 * MIB)
#define TABLES		(6 * MIB)
#define PAGES		256u
#define SIZE		(PAGES * PAGE)
#define DUMMY		(RAM_BASE + 3 * MIB)
#define VA		0x100000000000ull	/* shows the aperture */
#define LEAST		(64 * 1024ull)

/*
 * struct bench - what a test works with
 * @host: the host; its aperture shows the first MiB of RAM, coherent
 * @space: an address space that shows the aperture from VA on, and VRAM one to one
 * @pools: where its tables are
 * @context: one that has it
 * @r: an execution ring
 * @p: packets
 */
struct bench {
	struct host *host;
	struct space space;
	struct pool pools[2];
	uint64_t context;
	struct runner r;
	struct packets p;
};

static struct bench bench;

static struct bench *start(uint64_t slice_looks, uint64_t look_bytes)
{
	struct bench *b = &bench;
	unsigned int i;

	memset(b, 0, sizeof(*b));
	b->host = host_with_tlb(VRAM, APERTURE, slice_looks, look_bytes, HOST_TLB);
	b->pools[1] = (struct pool){ TABLES, TABLES + MIB };
	b->context = CONTEXT_IN_RAM(0);
	space_init(&b->space, b->host, b->pools, 1);
	for (i = 0; i < PAGES; i++) {
		space_page(&b->space, VA + i * PAGE, PTE_APERTURE | i * PAGE);
		space_page(&b->space, i * PAGE, PTE_VRAM | i * PAGE);
	}
	context_make(b->host, b->context, b->space.root);
	host_ring_setup(b->host, 4);
	host_ring_enable(b->host);
	runner_start(&b->r, b->host, 1);
	test_scramble(host_ram(b->host, RAM_BASE, SIZE), SIZE);
	test_scramble(b->host->memory.vram, SIZE);
	memset(host_ram(b->host, DUMMY, PAGE), 0xdd, PAGE);
	packet_map(&b->p, 0, PAGES, 1);
	packet_run(&b->p, RAM_BASE, PAGES);
	packet_end(&b->p);
	host_submit(b->host, &b->p, 1);
	host_run(b->host);
	is(host_get64(b->host, FENCE_PAGE), 1, "the aperture is mapped");
	b->p.size = 0;
	return b;
}

static void submit_unmap(struct bench *b, uint64_t first, uint32_t pages, uint64_t fence)
{
	b->p.size = 0;
	packet_unmap(&b->p, first, pages, DUMMY);
	host_submit(b->host, &b->p, fence);
}

/* A copy, where one side is in the aperture. */
struct copy {
	const char *name;
	uint64_t src;
	uint64_t dst;
	bool virtual;
};

static const struct copy copies[] = {
	{ "from the aperture", IN_APERTURE(64 * PAGE), IN_VRAM(64 * PAGE), false },
	{ "to the aperture", IN_VRAM(64 * PAGE), IN_APERTURE(64 * PAGE), false },
	{ "from the aperture, virtual", VA + 64 * PAGE, 64 * PAGE, true },
	{ "to the aperture, virtual", 64 * PAGE, VA + 64 * PAGE, true },
};

#define COPY_PAGES	32u

/* Of the copy's pages, 64 to 95, a thread has some when @pages are taken away. */
static void test_waits(const struct copy *copy, uint64_t first, uint32_t pages, bool waits)
{
	struct bench *b = start(0, 0);
	uint8_t *ram = host_ram(b->host, RAM_BASE, SIZE), *vram = b->host->memory.vram;
	unsigned int slices;

	b->host->memory.work_least = LEAST;
	b->host->memory.work_slices = 6;
	command_copy(&b->p, copy->src, copy->dst, COPY_PAGES * PAGE);
	if (copy->virtual)
		runner_submit_in(&b->r, &b->p, 7, b->context);
	else
		runner_submit(&b->r, &b->p, 7);
	for (slices = 0; !b->host->memory.working && slices < 10; slices++)
		memory_host_run(&b->host->memory);
	ok(b->host->memory.working == 1, "%s: a thread is at work", copy->name);
	submit_unmap(b, first, pages, 2);
	while (host_get64(b->host, FENCE_PAGE) != 2)
		if (!memory_host_run(&b->host->memory))
			break;
	ok(host_get64(b->host, FENCE_PAGE) == 2 && b->host->memory.working == !waits,
	   "%s: an unmap of pages from %u on %s", copy->name, (unsigned int)first,
	   waits ? "waits for it" : "does not wait");
	ok(host_run(b->host) && runner_fence(&b->r) == 7 &&
	   !memcmp(ram + 64 * PAGE, vram + 64 * PAGE, COPY_PAGES * PAGE),
	   "%s: what had begun is whole", copy->name);
	host_free(b->host);
}

static void test_all_waits(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(copies); i++) {
		const struct copy *copy = &copies[i];

		test_waits(copy, 0, PAGES, true);
		test_waits(copy, 64, 1, true);
		test_waits(copy, 95, 1, true);
		/* of virtual addresses it is not known where they lead */
		test_waits(copy, 63, 1, copy->virtual);
		test_waits(copy, 96, 10, copy->virtual);
	}
}

/* A copy goes on in slices: the pages that it has not come to are the dummy page. */
static void test_slices(bool virtual)
{
	struct bench *b = start(1, PAGE);
	uint8_t *ram = host_ram(b->host, RAM_BASE, SIZE), *vram = b->host->memory.vram;
	uint64_t done;

	command_copy(&b->p, virtual ? VA : IN_APERTURE(0), virtual ? 0 : IN_VRAM(0), 64 * PAGE);
	if (virtual)
		runner_submit_in(&b->r, &b->p, 7, b->context);
	else
		runner_submit(&b->r, &b->p, 7);
	while (runner_ring(&b->r)->done < 8 * PAGE && memory_host_run(&b->host->memory))
		;
	done = runner_ring(&b->r)->done;
	submit_unmap(b, 50, 1, 2);
	host_run(b->host);
	ok(host_get64(b->host, FENCE_PAGE) == 2 && runner_fence(&b->r) == 7 && done < 40 * PAGE,
	   "slices: both are done");
	ok(!memcmp(vram, ram, 50 * PAGE) &&
	   !memcmp(vram + 50 * PAGE, host_ram(b->host, DUMMY, PAGE), PAGE) &&
	   !memcmp(vram + 51 * PAGE, ram + 51 * PAGE, 13 * PAGE),
	   "slices: %s addresses lead to the dummy page", virtual ? "virtual" : "physical");
	host_free(b->host);
}

/* The same in threads: the source is in a row, and found as a whole, the destination is not. */
static void test_remembered(void)
{
	struct bench *b = start(1, PAGE);
	uint8_t *ram = host_ram(b->host, RAM_BASE, SIZE);
	uint8_t *to = host_ram(b->host, RAM_BASE + MIB, MIB);
	uint64_t done;
	unsigned int i;

	packet_map(&b->p, PAGES, 64, 1);
	for (i = 0; i < 64; i++)
		packet_run(&b->p, RAM_BASE + MIB + (127 - i) * PAGE, 1);
	packet_end(&b->p);
	host_submit(b->host, &b->p, 2);
	host_run(b->host);
	b->host->memory.work_least = PAGE;
	b->p.size = 0;
	command_copy(&b->p, IN_APERTURE(0), IN_APERTURE(SIZE), 64 * PAGE);
	runner_submit(&b->r, &b->p, 7);
	while (!runner_ring(&b->r)->done && memory_host_run(&b->host->memory))
		;
	done = runner_ring(&b->r)->done;
	submit_unmap(b, 40, 1, 3);
	host_run(b->host);
	ok(host_get64(b->host, FENCE_PAGE) == 3 && runner_fence(&b->r) == 7 && done &&
	   done < 40 * PAGE, "remembered: both are done");
	ok(!memcmp(to + (127 - 39) * PAGE, ram + 39 * PAGE, PAGE) &&
	   !memcmp(to + (127 - 40) * PAGE, host_ram(b->host, DUMMY, PAGE), PAGE) &&
	   !memcmp(to + (127 - 41) * PAGE, ram + 41 * PAGE, PAGE),
	   "remembered: what is left comes from the dummy page");
	host_free(b->host);
}

/* What it waits for ends while the engine does not run; and it moves to another machine. */
static void test_ends(void)
{
	struct bench *b = start(0, 0);

	b->host->memory.work_least = LEAST;
	b->host->memory.work_slices = 1000;
	command_copy(&b->p, copies[1].src, copies[1].dst, COPY_PAGES * PAGE);
	runner_submit(&b->r, &b->p, 7);
	while (!b->host->memory.working && memory_host_run(&b->host->memory))
		;
	submit_unmap(b, 64, COPY_PAGES, 2);
	memory_host_run(&b->host->memory);
	ok(b->host->memory.working == 1 && host_get64(b->host, FENCE_PAGE) == 1,
	   "ends: an unmap waits");
	ok(host_migrate(b->host), "ends: the state moves");
	host_run(b->host);
	ok(host_get64(b->host, FENCE_PAGE) == 2 && runner_fence(&b->r) == 7,
	   "ends: both are done there");

	b->p.size = 0;
	packet_map(&b->p, 64, COPY_PAGES, 1);
	packet_run(&b->p, RAM_BASE + 64 * PAGE, COPY_PAGES);
	packet_end(&b->p);
	host_submit(b->host, &b->p, 3);
	host_run(b->host);
	b->host->memory.work_least = LEAST;
	b->host->memory.work_slices = 1000;
	b->p.size = 0;
	command_copy(&b->p, copies[1].src, copies[1].dst, COPY_PAGES * PAGE);
	runner_submit(&b->r, &b->p, 8);
	while (!b->host->memory.working && memory_host_run(&b->host->memory))
		;
	submit_unmap(b, 64, COPY_PAGES, 4);
	memory_host_run(&b->host->memory);
	runner_set_reg(&b->r, 0x14, 0);
	ok(!b->host->memory.working && quire_engine_runnable(&b->host->memory.engine),
	   "ends: the other ring is disabled");
	host_run(b->host);
	is(host_get64(b->host, FENCE_PAGE), 4, "ends: the unmap is done");
	host_free(b->host);
}

int main(void)
{
	test_seed(35);
	test_all_waits();
	test_slices(false);
	test_slices(true);
	test_remembered();
	test_ends();
	return tap_done();
}
