// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Virtual addresses by three means: an engine that remembers no translation, one that does and is
 * told what changes, and the model of the engine's tests, which looks up each byte from the root.
 * All have the same tables, which change between packets, and the same accesses: they find the
 * same bytes and faults, and leave the same memory. The state of the second may be saved and
 * loaded between any two slices.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/array_size.h>

#include "mmu_world.h"

#define MOST_SLICES	200000u
#define MAX_STEPS	24u

static uint8_t *pristine_vram, *pristine_ram;

/* How accesses ended, by enum quire_fault: check.sh wants each of these. */
static unsigned long ended[QUIRE_FAULT_BAD_PTE + 1];

static const struct end {
	uint32_t code;
	const char *name;
} ends[] = {
	{ QUIRE_FAULT_NONE, "done" }, { QUIRE_FAULT_PAGE, "PAGE" },
	{ QUIRE_FAULT_PROTECTION, "PROTECTION" }, { QUIRE_FAULT_BAD_PTE, "BAD_PTE" },
	{ QUIRE_FAULT_APERTURE, "APERTURE" }, { QUIRE_FAULT_DMA, "DMA" },
	{ QUIRE_FAULT_BAD_SEGMENT, "BAD_SEGMENT" }, { QUIRE_FAULT_BAD_RANGE, "BAD_RANGE" },
};

static void tell_reach(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ends); i++)
		fprintf(stderr, "reach: %lu ended: %s\n", ended[ends[i].code], ends[i].name);
}

/* ---- both engines ---- */

/* To the end. The state of the one may move to another engine, which knows no translations. */
static void run(struct mmu_world *world, struct mmu *m)
{
	unsigned int slices = 0;

	while (fuzz_run(&m->host->memory)) {
		FINDING_IF(slices++ > MOST_SLICES);
		if (m->migrates && !fuzz_below(&world->input, 4))
			FINDING_IF(!host_migrate(m->host));
	}
}

static uint32_t ring_reg(struct mmu *m, bool paging, uint32_t reg)
{
	return paging ? host_ring_reg(m->host, reg) : runner_reg(&m->r, reg);
}

static uint64_t fault_addr(struct mmu *m, bool paging)
{
	return ring_reg(m, paging, QUIRE_RING_FAULT_ADDR_LO) |
	       (uint64_t)ring_reg(m, paging, QUIRE_RING_FAULT_ADDR_HI) << 32;
}

/* Execute it in the context, or, what is about no address space, without. */
static void execute(struct mmu_world *world, struct mmu *m, const struct packets *p, bool paging,
		    bool in_context)
{
	m->fence++;
	if (!in_context)
		host_submit(m->host, p, m->fence);
	else if (paging)
		host_submit_in(m->host, p, m->fence, m->context);
	else
		runner_submit_in(&m->r, p, m->fence, m->context);
	run(world, m);
}

/* What is posted goes to memory. */
static void settle(struct mmu_world *world, struct mmu *m)
{
	static struct packets p;

	p.size = 0;
	packet_physical(&p, QUIRE_OP_READ_PHYSICAL, QUIRE_SEGMENT_VRAM, 0, 1, 0);
	execute(world, m, &p, true, false);
	FINDING_IF(host_ring_reg(m->host, QUIRE_RING_FAULT_CODE));
}

/* After a fault. */
static void go_on(struct mmu *m, bool paging)
{
	place_put(m->host, m->context >> 56, m->context & 0xffffffffffffff, CONTEXT_MAGIC);
	if (paging)
		host_ring_restart(m->host);
	else
		runner_start(&m->r, m->host, m->r.ring);
}

static void compare_engines(struct mmu_world *world, bool paging)
{
	struct mmu *bare = world->bare, *cached = world->cached;

	FINDING_IF(ring_reg(bare, paging, QUIRE_RING_FAULT_CODE) !=
		   ring_reg(cached, paging, QUIRE_RING_FAULT_CODE));
	FINDING_IF(fault_addr(bare, paging) != fault_addr(cached, paging));
	FINDING_IF(memcmp(place_bytes(bare->host, bare->context >> 56,
				      bare->context & 0xffffffffffffff),
			  place_bytes(cached->host, cached->context >> 56,
				      cached->context & 0xffffffffffffff), PAGE));
}

static void compare_memory(struct mmu_world *world)
{
	struct mmu *bare = world->bare, *cached = world->cached;

	FINDING_IF(!model_same(&bare->model));
	FINDING_IF(memcmp(bare->host->memory.vram, cached->host->memory.vram, MMU_VRAM));
	FINDING_IF(memcmp(host_ram(bare->host, RAM_BASE, DATA_SIZE),
			  host_ram(cached->host, RAM_BASE, DATA_SIZE), DATA_SIZE));
}

/* ---- an access ---- */

static uint64_t take_va(struct mmu_world *world, uint64_t size, uint64_t align)
{
	uint64_t va = world->regions[fuzz_below(&world->input, MMU_REGIONS)];
	uint32_t choice = fuzz_take(&world->input, 1);

	va += fuzz_take(&world->input, 3) % (2 * SIZE_64K);
	if (choice < 64)
		va &= ~(PAGE - 1);
	else if (choice < 96)
		va -= size / 2;
	va = va / align * align;

	return va > VA_END - size ? (VA_END - size) / align * align : va;
}

/* Is it in the tables, or in the context? What that changes at once is left to nobody. */
static bool is_kept(struct mmu *m, const uint8_t *byte)
{
	const uint8_t *ram = m->model.ram + (RAM_TABLES - RAM_BASE);
	const uint8_t *vram = m->model.vram + VRAM_TABLES;
	const uint8_t *context = model_place(&m->model, m->context >> 56,
					     m->context & 0xffffffffffffff, false);

	return byte && ((byte >= ram && byte < ram + 2 * MIB) ||
			(byte >= vram && byte < vram + 2 * MIB) ||
			(byte >= context && byte < context + PAGE));
}

static bool writes_kept(struct mmu_world *world, uint64_t dst, uint64_t size)
{
	struct mmu *bare = world->bare;
	uint64_t va = dst & ~(PAGE - 1);
	struct outcome out;
	struct found found;

	for (; va < dst + size; va += PAGE) {
		model_find(&bare->model, bare->space.root, va, ACCESS_WRITE, &found, &out);
		if (is_kept(bare, found.byte))
			return true;
	}

	return false;
}

/*
 * Is memory reached by two addresses? A copy in pieces may read there what it has written, as the
 * specification allows, and a model byte by byte does not.
 */
static bool is_aliased(struct mmu_world *world, uint64_t src, uint64_t dst, uint64_t size)
{
	uint64_t root = world->bare->space.root, i, j;
	const uint8_t *from[40], *to[40];
	uint64_t pages = (size + 2 * PAGE - 2) / PAGE;
	struct outcome out;
	struct found found;

	for (i = 0; i <= pages; i++) {
		uint64_t va = (src & ~(PAGE - 1)) + i * PAGE;

		from[i] = va < VA_END && model_find(&world->bare->model, root, va, ACCESS_READ,
						    &found, &out) ? found.byte : NULL;
		va = (dst & ~(PAGE - 1)) + i * PAGE;
		to[i] = va < VA_END && model_find(&world->bare->model, root, va, ACCESS_WRITE,
						  &found, &out) ? found.byte : NULL;
	}
	for (i = 0; i <= pages; i++) {
		for (j = 0; j <= pages; j++) {
			bool same = src / PAGE + i == dst / PAGE + j;

			if (from[i] && from[i] == to[j] && !same)
				return true;
			if (to[i] && to[i] == to[j] && i != j)
				return true;
		}
	}

	return false;
}

/*
 * Does the specification say how it ends? Of a fault from behind it says less: which address
 * could not be accessed depends on how much is looked at together.
 */
static bool is_clear(const struct outcome *out, uint64_t src, uint64_t dst, uint64_t size)
{
	bool backward = dst > src && dst - src < size;

	return !out->unclear && !(backward && out->code &&
				  (out->access >> 8 || out->code == QUIRE_FAULT_DMA));
}

static bool move(struct mmu_world *world, bool paging, struct packets *p, struct outcome *out)
{
	struct fuzz_input *input = &world->input;
	uint64_t size = 1 + fuzz_below(input, fuzz_below(input, 2) ? 3 * PAGE : 15 * PAGE);
	uint64_t src = take_va(world, size, 1), dst = take_va(world, size, 1);
	uint32_t direction = fuzz_below(input, 3), flags = fuzz_below(input, 8);
	struct rules any = { 7, PAGE }, from = any, to = any;
	struct mmu_model *model = &world->bare->model;
	uint64_t root = world->bare->space.root;

	if (flags == 7 && src + PAGE <= VA_END - size)
		dst = src + fuzz_below(input, PAGE);
	flags = flags > 3 ? 0 : flags;
	if (paging) {
		from = (struct rules){ direction == 1 ? 5 : 2, flags & 1 ? SIZE_64K : PAGE };
		to = (struct rules){ direction ? 2 : 5, flags & 2 ? SIZE_64K : PAGE };
		packet_transfer_virtual(p, flags, direction, src, dst, size);
	} else {
		command_copy(p, src, dst, size);
	}
	if (writes_kept(world, dst, size) || is_aliased(world, src, dst, size))
		return false;
	model->dry = true;
	model_move(model, root, &from, &to, src, dst, size, out);
	model->dry = false;
	if (!is_clear(out, src, dst, size))
		return false;
	model_move(model, root, &from, &to, src, dst, size, out);

	return true;
}

static bool fill(struct mmu_world *world, bool paging, struct packets *p, struct outcome *out)
{
	uint64_t size = 4 + fuzz_below(&world->input, 2 * PAGE) * 4, dst = take_va(world, size, 4);
	uint32_t pattern = fuzz_take(&world->input, 4);

	if (paging)
		packet_fill_virtual(p, dst, size, pattern);
	else
		command_fill(p, dst, size, pattern);
	if (writes_kept(world, dst, size))
		return false;
	model_fill(&world->bare->model, world->bare->space.root, dst, size, pattern, out);

	return true;
}

static bool value(struct mmu_world *world, struct packets *p, struct outcome *out)
{
	uint64_t number = fuzz_take(&world->input, 8), dst = take_va(world, 8, 8);
	uint8_t bytes[8];
	unsigned int i;

	for (i = 0; i < 8; i++)
		bytes[i] = number >> 8 * i;
	command_write_value(p, dst, number);
	if (writes_kept(world, dst, 8))
		return false;
	model_write(&world->bare->model, world->bare->space.root, dst, 8, bytes, out);

	return true;
}

static void check_outcome(struct mmu_world *world, bool paging, const struct outcome *out)
{
	struct mmu *bare = world->bare;
	uint32_t code = ring_reg(bare, paging, QUIRE_RING_FAULT_CODE);

	ended[out->code]++;
	FINDING_IF(code != out->code);
	FINDING_IF(code && fault_addr(bare, paging) != out->addr);
	model_latch(&bare->model, bare->context, out);
	FINDING_IF(memcmp(model_place(&bare->model, bare->context >> 56,
				      bare->context & 0xffffffffffffff, true),
			  place_bytes(bare->host, bare->context >> 56,
				      bare->context & 0xffffffffffffff), PAGE));
}

static void go_on_both(struct mmu_world *world, bool paging)
{
	if (!ring_reg(world->bare, paging, QUIRE_RING_FAULT_CODE))
		return;
	go_on(world->bare, paging);
	go_on(world->cached, paging);
	model_put(&world->bare->model, world->bare->context >> 56,
		  world->bare->context & 0xffffffffffffff, CONTEXT_MAGIC, 8);
}

/* What is not known how it ends is executed by nobody. */
static void access_space(struct mmu_world *world)
{
	static struct packets p;
	bool paging = fuzz_below(&world->input, 2), known;
	uint32_t kind = fuzz_below(&world->input, 8);
	struct outcome out = { 0 };

	p.size = 0;
	if (kind < 5)
		known = move(world, paging, &p, &out);
	else if (kind < 7 || paging)
		known = fill(world, paging, &p, &out);
	else
		known = value(world, &p, &out);
	if (!known)
		return;
	if (world->flushes.size)
		execute(world, world->cached, &world->flushes, true, false);
	world->flushes.size = 0;
	execute(world, world->bare, &p, paging, true);
	execute(world, world->cached, &p, paging, true);
	compare_engines(world, paging);
	check_outcome(world, paging, &out);
	go_on_both(world, paging);
}

/* ---- one input ---- */

static void engine_start(struct mmu *m, uint32_t tlb_entries, uint64_t looks, uint64_t bytes,
			 uint64_t granule)
{
	memory_host_stop(&m->host->memory);
	memcpy(m->host->memory.vram, pristine_vram, MMU_VRAM);
	memcpy(host_ram(m->host, RAM_BASE, DATA_SIZE), pristine_ram, DATA_SIZE);
	m->host->memory.tlb_entries = tlb_entries;
	m->host->memory.granule = granule;
	m->host->memory.parts = tlb_entries ? granule / PAGE : 0;
	memory_host_start(&m->host->memory, MMU_APERTURE, looks, bytes);
	m->fence = 0;
	mmu_setup(m);
}

static struct mmu_world *world_create(void)
{
	struct mmu_world *world = fuzz_alloc(sizeof(*world));

	/* the same bytes in both */
	test_seed(1);
	world->bare = mmu_new(1, 1, 4096, 0);
	test_seed(1);
	world->cached = mmu_new(1, 1, 4096, QUIRE_TLB_ENTRIES_MIN);
	pristine_vram = fuzz_alloc(MMU_VRAM);
	pristine_ram = fuzz_alloc(DATA_SIZE);
	memcpy(pristine_vram, world->bare->host->memory.vram, MMU_VRAM);
	memcpy(pristine_ram, host_ram(world->bare->host, RAM_BASE, DATA_SIZE), DATA_SIZE);

	return world;
}

/* The contexts of both are at the same place. */
static void world_start(struct mmu_world *world)
{
	static const uint32_t entries[] = { 4, 8, 32, 256 };
	static const uint64_t contexts[] = {
		CONTEXT_IN_RAM(1), CONTEXT_IN_VRAM(1), CONTEXT_IN_APERTURE,
	};
	struct fuzz_input *input = &world->input;
	uint64_t looks = 1 + fuzz_below(input, 8), bytes = 64 + fuzz_below(input, 3 * PAGE);
	uint64_t granule = 64u << fuzz_below(input, 9);
	uint64_t context = contexts[fuzz_below(input, ARRAY_SIZE(contexts))];

	engine_start(world->bare, 0, looks, bytes, granule);
	engine_start(world->cached, entries[fuzz_below(input, 4)], looks, bytes, granule);
	model_take(&world->bare->model);
	tables_make(world);
	world->bare->context = context;
	world->cached->context = context;
	context_make(world->bare->host, context, world->bare->space.root);
	context_make(world->cached->host, context, world->bare->space.root);
	model_take(&world->bare->model);
	world->flushes.size = 0;
	world->cached->migrates = fuzz_below(input, 4) == 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mmu_world *world;
	unsigned int steps;

	if (!world) {
		world = world_create();
		atexit(tell_reach);
	}
	fuzz_input_start(&world->input, data, size);
	steps = 1 + fuzz_below(&world->input, MAX_STEPS);
	world_start(world);
	while (steps--) {
		if (fuzz_below(&world->input, 2))
			tables_change(world);
		else
			access_space(world);
	}
	settle(world, world->bare);
	settle(world, world->cached);
	compare_memory(world);

	return 0;
}
