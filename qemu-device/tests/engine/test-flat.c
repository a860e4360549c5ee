// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: the flat MMUs. What they show is read and written as any other segment, by
 * packets of both kinds of rings; a model has all memory and all that is mapped.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "mmu-model.h"
#include "tap.h"

#define VRAM		(2 * MIB)
#define APERTURE	(64 * PAGE)
#define PAGES		256u		/* of each MMU */
#define POOL		256u		/* pages that are shown: half in VRAM, half in RAM */
#define VRAM_SIDE	(256 * PAGE)	/* VRAM that is shown by none */
#define RAM_SIDE	(RAM_BASE + 512 * PAGE)
#define RAM_APERTURE	(RAM_BASE + 256 * PAGE)
#define MMU(n)		(3u + (n))
#define IN_MMU(n, at)	((uint64_t)MMU(n) << 56 | (at))
#define FAULT_MMU	20u
#define NONE		(~0u)

/*
 * struct bench - what a test works with
 * @host: the host
 * @r: an execution ring
 * @model: memory as it should be
 * @shown: for each page of each MMU which one of the pool it shows, or NONE
 * @coherent: of each page
 * @taken: which of the pool are shown
 * @old: VRAM before the packet
 * @bytes: for what is copied
 * @p: packets
 * @fence: the last one
 * @migrates: between slices the state moves to another engine, now and then
 */
struct bench {
	struct host *host;
	struct runner r;
	struct mmu_model model;
	uint32_t shown[2][PAGES];
	bool coherent[2][PAGES];
	bool taken[POOL];
	uint8_t old[VRAM];
	uint8_t bytes[PAGES * PAGE];
	struct packets p;
	uint64_t fence;
	bool migrates;
};

/* Where the packets of a random test read or write. */
struct where {
	unsigned int segment;
	uint64_t at;
};

static struct bench bench;

static unsigned int pool_segment(uint32_t which)
{
	return which < POOL / 2;
}

static uint64_t pool_address(uint32_t which)
{
	return pool_segment(which) ? which * PAGE : RAM_BASE + (which - POOL / 2) * PAGE;
}

static bool run(struct bench *b, bool paging)
{
	b->fence++;
	if (paging)
		host_submit(b->host, &b->p, b->fence);
	else
		runner_submit(&b->r, &b->p, b->fence);
	while (memory_host_run(&b->host->memory))
		if (b->migrates && !(test_random() % 8) && !host_migrate(b->host))
			abort();
	return (paging ? host_get64(b->host, FENCE_PAGE) : runner_fence(&b->r)) == b->fence;
}

static bool start_with(struct bench *b, uint64_t slice_looks, uint64_t look_bytes)
{
	memset(b, 0, sizeof(*b));
	memset(b->shown, 0xff, sizeof(b->shown));
	b->host = host_new(VRAM, APERTURE, slice_looks, look_bytes);
	test_scramble(b->host->memory.vram, VRAM);
	test_scramble(host_ram(b->host, RAM_BASE, 1), 600 * PAGE);
	host_ring_setup(b->host, 4);
	host_ring_enable(b->host);
	runner_start(&b->r, b->host, 1);
	packet_map(&b->p, 0, 32, 1);
	packet_run(&b->p, RAM_APERTURE, 32);
	packet_end(&b->p);
	packet_map(&b->p, 32, 32, 0);
	packet_run(&b->p, RAM_APERTURE + 32 * PAGE, 32);
	packet_end(&b->p);
	model_init(&b->model, b->host);
	return run(b, true);
}

static void start(struct bench *b, uint64_t slice_looks, uint64_t look_bytes)
{
	if (!start_with(b, slice_looks, look_bytes))
		abort();
	model_take(&b->model);
}

static void stop(struct bench *b)
{
	model_fini(&b->model);
	host_free(b->host);
}

static void settle(struct bench *b)
{
	b->p.size = 0;
	packet_physical(&b->p, 4, 1, 0, 1, 0);
	if (!run(b, true))
		abort();
}

/* All memory; and what of VRAM has changed is known to be dirty. */
static bool same(struct bench *b)
{
	const uint8_t *vram = b->host->memory.vram;
	uint32_t i;

	settle(b);
	if (!model_same(&b->model))
		return false;
	for (i = 0; i < VRAM; i++)
		if (vram[i] != b->old[i] && !b->host->dirty[i]) {
			printf("#   VRAM 0x%x is not told dirty\n", i);
			return false;
		}
	return true;
}

static bool fault_is(struct bench *b, bool paging, uint32_t code, uint64_t addr)
{
	uint32_t base = paging ? 0x1000 : 0x1200, is_code = host_reg(b->host, base + 0x24);
	uint64_t is_addr = host_reg64(b->host, base + 0x30);

	if (is_code == code && is_addr == addr)
		return true;
	printf("#   fault %u (%u) at 0x%" PRIx64 " (0x%" PRIx64 ")\n", is_code, code, is_addr,
	       addr);
	return false;
}

static void restart(struct bench *b, bool paging)
{
	if (paging)
		host_ring_restart(b->host);
	else
		runner_start(&b->r, b->host, 1);
}

static void show(struct bench *b, unsigned int mmu, uint32_t page, uint32_t which, bool coherent)
{
	if (b->shown[mmu][page] != NONE)
		b->taken[b->shown[mmu][page]] = false;
	b->shown[mmu][page] = which;
	b->coherent[mmu][page] = coherent;
	if (which != NONE)
		b->taken[which] = true;
}

/* So many pages of the pool that are free, in one segment, and in a row if that is asked for. */
static unsigned int find_free(struct bench *b, unsigned int wanted, bool in_row, uint32_t *list)
{
	uint32_t at = test_random_below(2) * (POOL / 2), end = at + POOL / 2;
	unsigned int count = 0;

	for (at += test_random_below(POOL / 2); at < end && count < wanted; at++) {
		if (!b->taken[at])
			list[count++] = at;
		else if (in_row && count)
			break;
	}
	return count;
}

static void map_list(struct bench *b, unsigned int mmu, uint32_t page, const uint32_t *list,
		     unsigned int pages, uint16_t flags)
{
	unsigned int i;

	packet_map_mmu(&b->p, flags, mmu, pool_segment(list[0]), page * PAGE, pages);
	for (i = 0; i < (flags & 2 ? 1 : pages); i++)
		packet_u64(&b->p, pool_address(list[i]) / PAGE);
	packet_end(&b->p);
	for (i = 0; i < pages; i++)
		show(b, mmu, page + i, list[i], flags & 1);
}

static bool any_map(struct bench *b)
{
	unsigned int mmu = test_random() % 2, pages;
	uint16_t flags = test_random() % 4;
	uint32_t list[24], page;

	pages = find_free(b, 1 + test_random_below(ARRAY_SIZE(list)), flags & 2, list);
	if (!pages)
		return true;
	page = test_random_below(PAGES - pages + 1);
	b->p.size = 0;
	map_list(b, mmu, page, list, pages, flags);
	return run(b, true) && same(b);
}

static bool any_unmap(struct bench *b)
{
	unsigned int mmu = test_random() % 2, i;
	uint32_t pages = 1 + test_random_below(6), page = test_random_below(PAGES - pages + 1);

	b->p.size = 0;
	packet_unmap_mmu(&b->p, mmu, page * PAGE, pages);
	for (i = 0; i < pages; i++)
		show(b, mmu, page + i, NONE, false);
	return run(b, true) && same(b);
}

/* Where a byte is; NULL in a page that is not mapped. */
static uint8_t *byte_at(struct bench *b, const struct where *where, uint64_t pos)
{
	uint64_t at = where->at + pos;
	uint32_t which;

	if (where->segment < 3)
		return model_place(&b->model, where->segment, at, true);
	which = b->shown[where->segment - 3][at / PAGE];
	if (which == NONE)
		return NULL;
	return model_place(&b->model, pool_segment(which), pool_address(which) + at % PAGE, true);
}

/* The first page that is not mapped, as a fault tells it; 0 if there is none. */
static uint64_t hole_of(struct bench *b, const struct where *where, uint64_t size)
{
	uint64_t page;

	for (page = where->at / PAGE; page <= (where->at + size - 1) / PAGE; page++)
		if (where->segment >= 3 && b->shown[where->segment - 3][page] == NONE)
			return (uint64_t)where->segment << 56 | page * PAGE;
	return 0;
}

static void any_where(struct where *where, uint64_t size, bool command)
{
	where->segment = test_random() % 4 ? MMU(test_random() % 2) : test_random_below(3);
	if (where->segment == 0 && command)
		where->segment = 2;
	if (where->segment >= 3)
		where->at = test_random_below(PAGES * PAGE - size + 1);
	else if (where->segment == 2)
		where->at = test_random_below(APERTURE - size + 1);
	else if (where->segment == 1)
		where->at = VRAM_SIDE + test_random_below(VRAM - VRAM_SIDE - size + 1);
	else
		where->at = RAM_SIDE;
}

/* The packet ends as the model does. */
static bool ends(struct bench *b, bool paging, uint64_t hole)
{
	bool done = run(b, paging);

	if (done != !hole || (hole && !fault_is(b, paging, FAULT_MMU, hole)))
		return false;
	if (hole)
		restart(b, paging);
	return same(b);
}

static uint64_t any_size(void)
{
	return 1 + test_random_below((test_random() % 8 ? 6 : 50) * PAGE);
}

static bool any_copy(struct bench *b, bool command, unsigned int *holes)
{
	uint64_t size = any_size(), hole, i;
	struct where src, dst;

	any_where(&src, size, command);
	do
		any_where(&dst, size, command);
	while (!src.segment && !dst.segment);
	b->p.size = 0;
	if (command)
		command_copy(&b->p, (uint64_t)src.segment << 56 | src.at,
			     (uint64_t)dst.segment << 56 | dst.at, size);
	else
		packet_transfer(&b->p, src.segment, src.segment ? src.at : 0, dst.segment,
				dst.segment ? dst.at : 0, size);
	if (!src.segment || !dst.segment) {
		packet_run(&b->p, RAM_SIDE, (size + PAGE - 1) / PAGE);
		packet_end(&b->p);
	}
	hole = hole_of(b, &src, size);
	if (!hole)
		hole = hole_of(b, &dst, size);
	for (i = 0; !hole && i < size; i++)
		b->bytes[i] = *byte_at(b, &src, i);
	for (i = 0; !hole && i < size; i++)
		*byte_at(b, &dst, i) = b->bytes[i];
	*holes += !!hole;
	return ends(b, !command, hole);
}

static bool any_fill(struct bench *b)
{
	uint64_t size = (any_size() + 3) & ~3ull, i, hole;
	struct where dst;

	any_where(&dst, size + 4, true);
	dst.at &= ~3ull;
	b->p.size = 0;
	command_fill(&b->p, (uint64_t)dst.segment << 56 | dst.at, size, 0x44332211);
	hole = hole_of(b, &dst, size);
	for (i = 0; !hole && i < size; i++)
		*byte_at(b, &dst, i) = 0x11 * (i % 4 + 1);
	return ends(b, false, hole);
}

static bool any_value(struct bench *b, bool command)
{
	const struct where dst = { MMU(test_random() % 2), test_random_below(PAGES * 512) * 8 };
	uint64_t hole = hole_of(b, &dst, 8), value = test_random() * 0x100000001ull, i;

	b->p.size = 0;
	if (command)
		command_write_value(&b->p, (uint64_t)dst.segment << 56 | dst.at, value);
	else
		packet_physical(&b->p, 5, dst.segment, dst.at, 8, value);
	for (i = 0; !hole && i < 8; i++)
		*byte_at(b, &dst, i) = value >> 8 * i;
	return ends(b, !command, hole);
}

/* An image between its tiles in VRAM and rows that an MMU shows. */
static bool any_image(struct bench *b, unsigned int *holes)
{
	const struct image image = { 1, 2, 64, 64, 1, 1, 0, 0, 0, 0, 64, 64 };
	struct where linear = { MMU(test_random() % 2), test_random_below(PAGES - 4) * PAGE + 16 };
	uint16_t flags = 1 + test_random() % 2;
	uint64_t hole = hole_of(b, &linear, 64 * 64 * 4), x, y, i;

	b->p.size = 0;
	packet_swizzle(&b->p, flags, linear.segment, linear.at, &image);
	packet_run(&b->p, VRAM_SIDE, 4);
	packet_end(&b->p);
	for (y = 0; !hole && y < 64; y++)
		for (x = 0; x < 64; x++)
			for (i = 0; i < 4; i++) {
				uint8_t *row = byte_at(b, &linear, image_linear(&image, x, y) + i);
				uint8_t *tile = b->model.vram + VRAM_SIDE +
						image_tiled(&image, x, y) + i;

				*(flags == 1 ? tile : row) = *(flags == 1 ? row : tile);
			}
	*holes += !!hole;
	return ends(b, true, hole);
}

static bool any_packet(struct bench *b, unsigned int *holes)
{
	memcpy(b->old, b->host->memory.vram, VRAM);
	memset(b->host->dirty, 0, VRAM);
	switch (test_random() % 10) {
	case 0:
	case 1:
	case 2:
		return any_map(b);
	case 3:
		return any_unmap(b);
	case 4:
		return any_value(b, test_random() % 2);
	case 5:
		return any_fill(b);
	case 6:
		return any_image(b, holes);
	default:
		return any_copy(b, test_random() % 2, holes);
	}
}

static void test_random_packets(uint64_t looks, uint64_t bytes, uint64_t least, bool migrates)
{
	struct bench *b = &bench;
	unsigned int i, holes = 0;

	start(b, looks, bytes);
	b->host->memory.work_least = least;
	b->host->memory.work_slices = least ? 2 : 0;
	b->migrates = migrates;
	for (i = 0; i < 150; i++)
		if (!any_packet(b, &holes))
			break;
	ok(i == 150 && holes > 5, "random: slices of %u bytes, %u works, %s, %u holes",
	   (unsigned int)bytes, b->host->memory.works, migrates ? "several engines" : "one engine",
	   holes);
	stop(b);
}

/* Pages of the pool, one after the other. */
static void map_row(struct bench *b, unsigned int mmu, uint32_t page, uint32_t first,
		    unsigned int pages, uint16_t flags)
{
	uint32_t list[POOL];
	unsigned int i;

	for (i = 0; i < pages; i++)
		list[i] = first + i;
	b->p.size = 0;
	map_list(b, mmu, page, list, pages, flags);
	if (!run(b, true))
		abort();
}

static void test_posted(void)
{
	struct bench *b = &bench;

	start(b, 0, 0);
	map_row(b, 0, 0, POOL / 2, 1, 0);
	map_row(b, 0, 1, POOL / 2 + 1, 1, 1);
	map_row(b, 0, 2, 0, 1, 0);
	map_row(b, 1, 0, 1, 1, 1);
	b->p.size = 0;
	packet_transfer(&b->p, 1, VRAM_SIDE, 3, PAGE, 2 * PAGE);
	packet_transfer(&b->p, 1, VRAM_SIDE, 4, 0, PAGE);
	ok(run(b, true) && !host_reg(b->host, 0xa0), "posted: neither coherent pages nor VRAM");
	packet_transfer(&b->p, 1, VRAM_SIDE, 3, 100, 1000);
	ok(run(b, true) && host_reg(b->host, 0xa0) == 1000, "posted: what is not coherent");
	stop(b);
}

/* @at: of the pages that are taken away while a copy of the others is at work in a thread. */
static void test_waits(unsigned int mmu, uint64_t at, unsigned int pages, bool waits)
{
	struct bench *b = &bench;
	const uint8_t *vram;

	start(b, 1, PAGE);
	vram = b->host->memory.vram;
	b->host->memory.work_least = PAGE;
	b->host->memory.work_slices = 10;
	map_row(b, 0, 10, 0, 64, 2);
	map_row(b, 1, 10, 64, 32, 2);
	b->p.size = 0;
	command_copy(&b->p, IN_MMU(0, 10 * PAGE), IN_VRAM(VRAM_SIDE), 32 * PAGE);
	runner_submit(&b->r, &b->p, 7);
	while (!b->host->memory.working)
		memory_host_run(&b->host->memory);
	b->p.size = 0;
	packet_unmap_mmu(&b->p, mmu, at, pages);
	host_submit(b->host, &b->p, 99);
	while (host_get64(b->host, FENCE_PAGE) != 99)
		if (!memory_host_run(&b->host->memory))
			break;
	ok(host_get64(b->host, FENCE_PAGE) == 99 && b->host->memory.working == !waits,
	   "waits: %s for pages from 0x%" PRIx64 " of MMU %u", waits ? "it does" : "it does not",
	   at, mmu);
	ok(host_run(b->host) && runner_fence(&b->r) == 7 &&
	   !memcmp(vram, vram + VRAM_SIDE, 32 * PAGE),
	   "waits: the copy is as it began");
	stop(b);
}

/* While a copy goes on in slices, its last pages are others, or are taken away. */
static void test_middle(bool unmap, bool upward)
{
	struct bench *b = &bench;
	struct quire_ring *ring;
	uint64_t done;
	uint8_t *vram;

	start(b, 1, PAGE);
	vram = b->host->memory.vram;
	ring = &b->host->memory.engine.ring[1];
	map_row(b, 0, 0, 0, 64, 2);
	if (upward) /* from its end on */
		test_scramble(vram, 64 * PAGE);
	memcpy(b->old, vram, VRAM);
	b->p.size = 0;
	if (upward)
		command_copy(&b->p, IN_MMU(0, 0), IN_MMU(0, 24 * PAGE), 40 * PAGE);
	else
		command_copy(&b->p, IN_MMU(0, 0), IN_VRAM(VRAM_SIDE), 64 * PAGE);
	runner_submit(&b->r, &b->p, 55);
	while (ring->done < 8 * PAGE)
		memory_host_run(&b->host->memory);
	done = ring->done;
	b->p.size = 0;
	if (unmap)
		packet_unmap_mmu(&b->p, 0, (upward ? 3 : 50) * PAGE, 2);
	else
		map_list(b, 0, 50, (const uint32_t[]){ 100, 101 }, 2, 0);
	host_submit(b->host, &b->p, 99);
	host_run(b->host);
	if (!unmap) {
		ok(runner_fence(&b->r) == 55 && done < 50 * PAGE &&
		   !memcmp(vram + VRAM_SIDE, b->old, 50 * PAGE) &&
		   !memcmp(vram + VRAM_SIDE + 50 * PAGE, b->old + 100 * PAGE, 2 * PAGE) &&
		   !memcmp(vram + VRAM_SIDE + 52 * PAGE, b->old + 52 * PAGE, 12 * PAGE),
		   "middle: the rest comes from the new pages");
	} else if (upward) {
		ok(fault_is(b, false, FAULT_MMU, IN_MMU(0, 4 * PAGE)) &&
		   !memcmp(vram + 29 * PAGE, b->old + 5 * PAGE, 35 * PAGE) &&
		   !memcmp(vram, b->old, 28 * PAGE), "middle: a copy from its end finds the hole");
	} else {
		ok(fault_is(b, false, FAULT_MMU, IN_MMU(0, 50 * PAGE)) &&
		   !memcmp(vram + VRAM_SIDE, b->old, 50 * PAGE) &&
		   !memcmp(vram + VRAM_SIDE + 50 * PAGE, b->old + VRAM_SIDE + 50 * PAGE, 14 * PAGE),
		   "middle: what stands before the hole is done");
	}
	ok(host_migrate(b->host), "middle: it migrates");
	stop(b);
}

/* The same, of a copy in threads whose source is in a row: what was found there does not stay. */
static void test_remembered(void)
{
	const uint32_t others[] = { POOL / 2 + 3, POOL / 2 + 4 };
	struct bench *b = &bench;
	struct quire_ring *ring;
	uint32_t list[64], i;
	uint64_t done;
	uint8_t *vram, *ram;

	start(b, 1, PAGE);
	vram = b->host->memory.vram;
	ram = host_ram(b->host, pool_address(others[0]), 2 * PAGE);
	ring = &b->host->memory.engine.ring[1];
	b->host->memory.work_least = PAGE;
	for (i = 0; i < ARRAY_SIZE(list); i++)
		list[i] = 127 - i;
	map_row(b, 0, 0, 0, 64, 2);
	b->p.size = 0;
	map_list(b, 1, 0, list, 64, 0);
	if (!run(b, true))
		abort();
	memcpy(b->old, vram, VRAM);
	b->p.size = 0;
	command_copy(&b->p, IN_MMU(0, 0), IN_MMU(1, 0), 64 * PAGE);
	runner_submit(&b->r, &b->p, 55);
	while (!ring->done)
		memory_host_run(&b->host->memory);
	done = ring->done;
	b->p.size = 0;
	map_list(b, 0, 40, others, 2, 1);
	host_submit(b->host, &b->p, 99);
	host_run(b->host);
	ok(runner_fence(&b->r) == 55 && done < 40 * PAGE &&
	   !memcmp(vram + (127 - 39) * PAGE, b->old + 39 * PAGE, PAGE) &&
	   !memcmp(vram + (127 - 40) * PAGE, ram, PAGE) &&
	   !memcmp(vram + (127 - 41) * PAGE, ram + PAGE, PAGE) &&
	   !memcmp(vram + (127 - 42) * PAGE, b->old + 42 * PAGE, PAGE),
	   "remembered: the rest of %u works comes from the new pages", b->host->memory.works);
	stop(b);
}

/* A map and an unmap in slices, with the state moved between any two. */
static void test_moves(void)
{
	struct bench *b = &bench;
	unsigned int moves = 0, i;
	uint32_t list[64];

	start(b, 1, 32);
	for (i = 0; i < 64; i++)
		list[i] = 127 - i;
	b->p.size = 0;
	map_list(b, 1, 30, list, 64, 0);
	packet_unmap_mmu(&b->p, 1, 40 * PAGE, 30);
	for (i = 0; i < 30; i++)
		show(b, 1, 40 + i, NONE, false);
	host_submit(b->host, &b->p, ++b->fence);
	do
		moves += host_migrate(b->host);
	while (memory_host_run(&b->host->memory));
	ok(host_get64(b->host, FENCE_PAGE) == b->fence && moves > 20, "moves: %u", moves);
	memcpy(b->old, b->host->memory.vram, VRAM);
	for (i = 0; i < 70; i++) {
		const struct where at = { 4, (28 + i) * PAGE };
		uint64_t hole = hole_of(b, &at, 8), n;

		b->p.size = 0;
		packet_physical(&b->p, 5, 4, at.at, 8, i);
		for (n = 0; !hole && n < 8; n++)
			*byte_at(b, &at, n) = n ? 0 : i;
		if (!ends(b, true, hole))
			break;
	}
	is(i, 70, "moves: each page is where it should be");
	stop(b);
}

static void test_reset(bool control)
{
	struct bench *b = &bench;
	unsigned int mmu;

	start(b, 1, PAGE);
	map_row(b, 0, 0, 0, 100, 2);
	map_row(b, 1, 200, POOL / 2, 56, 0);
	host_ring_restart(b->host);
	b->p.size = 0;
	packet_physical(&b->p, 4, 3, 0, 8, 0);
	packet_physical(&b->p, 4, 4, 255 * PAGE, 8, 0);
	ok(run(b, true), "reset: a ring that is disabled changes nothing");
	if (control)
		host_set_reg(b->host, 0x30, 1);
	else
		quire_engine_reset(&b->host->memory.engine);
	for (mmu = 0; mmu < 2; mmu++) {
		host_ring_setup(b->host, 4);
		host_ring_enable(b->host);
		b->p.size = 0;
		packet_physical(&b->p, 4, MMU(mmu), mmu ? 255 * PAGE : 0, 8, 0);
		ok(!run(b, true) &&
		   fault_is(b, true, FAULT_MMU, IN_MMU(mmu, mmu ? 255 * PAGE : 0)),
		   "reset: %s: MMU %u shows nothing", control ? "CONTROL" : "function", mmu);
		host_ring_disable(b->host);
	}
	stop(b);
}

static void test_size(uint64_t size)
{
	struct bench *b = &bench;

	start(b, 0, 0);
	memory_host_stop(&b->host->memory);
	b->host->memory.mmu_size = size;
	memory_host_start(&b->host->memory, APERTURE, 0, 0);
	host_ring_setup(b->host, 4);
	host_ring_enable(b->host);
	is(host_reg64(b->host, 0xd8), size, "size: the register");
	b->p.size = 0;
	packet_map_mmu(&b->p, 0, 1, 1, size, 1);
	packet_u64(&b->p, 0);
	packet_end(&b->p);
	ok(!run(b, true) && fault_is(b, true, QUIRE_FAULT_BAD_RANGE, size),
	   "size: nothing behind it, 0x%" PRIx64, size);
	stop(b);
}

static void test_bad_states(void)
{
	static const struct {
		uint64_t entry;
		bool good;
	} entries[] = {
		{ 1, true }, { 3, true }, { 5, true }, { ~0xfffull | 1, true },
		{ (VRAM - PAGE) | 5, true }, { 7, false }, { 2, false }, { 4, false }, { 9, false },
		{ 0x801, false }, { VRAM | 5, false }, { PAGE, false }, { ~0xfffull | 5, false },
	};
	struct bench *b = &bench;
	unsigned int i;

	start(b, 0, 0);
	for (i = 0; i < 2 * ARRAY_SIZE(entries); i++) {
		struct quire_table *table = &b->host->memory.engine.mmu[i % 2];
		bool good = entries[i / 2].good;

		quire_table_load(table, 0, PAGES)[PAGES - 1] = entries[i / 2].entry;
		ok(host_migrate(b->host) == good, "states: entry 0x%" PRIx64 " of MMU %u %s",
		   entries[i / 2].entry, i % 2, good ? "loads" : "does not");
	}
	stop(b);
}

int main(void)
{
	test_seed(22);
	test_random_packets(0, 0, 0, false);
	test_random_packets(1, 512, 0, false);
	test_random_packets(1, PAGE, 2 * PAGE, false);
	test_random_packets(1, PAGE, 0, true);
	test_posted();
	test_waits(0, 10 * PAGE, 1, true);
	test_waits(0, 41 * PAGE, 1, true);
	test_waits(0, 0, 11, true);
	test_waits(0, 42 * PAGE, 8, false);
	test_waits(0, 0, 10, false);
	test_waits(1, 10 * PAGE, 32, false);
	test_middle(true, false);
	test_middle(true, true);
	test_middle(false, false);
	test_remembered();
	test_moves();
	test_reset(true);
	test_reset(false);
	test_size(0);
	test_size(PAGE);
	test_size(64 * MIB);
	test_bad_states();
	return tap_done();
}
