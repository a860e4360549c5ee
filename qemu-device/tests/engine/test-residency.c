// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: notices of residency. All of the table is compared with a model after each
 * packet, and all memory: whether the notice is good or contradicts what is known, in one slice
 * or many, on one engine or several.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mmu-model.h"
#include "notice.h"
#include "tap.h"

#define VRAM_PAGES	1500u
#define APERTURE_PAGES	700u

/* Allocations whose numbers differ by that are searched at the same pages. */
#define SHARED		4096u
#define MOST		600u
#define RESIDENCY	19u /* the fault */

/*
 * struct bench - what a test works with
 * @host: the host
 * @table: the model
 * @memory: as it should be
 * @p: packets
 * @list: page numbers
 * @fence: the last one
 * @migrates: between slices the state moves to another engine, now and then
 */
struct bench {
	struct host *host;
	struct notices table;
	struct mmu_model memory;
	struct packets p;
	uint32_t list[MOST];
	uint64_t fence;
	bool migrates;
};

static void start(struct bench *b, uint64_t slice_looks, uint64_t look_bytes)
{
	memset(b, 0, sizeof(*b));
	b->host = host_new(VRAM_PAGES * PAGE, APERTURE_PAGES * PAGE, slice_looks, look_bytes);
	test_scramble(b->host->memory.vram, VRAM_PAGES * PAGE);
	host_ring_setup(b->host, 4);
	host_ring_enable(b->host);
	notices_init(&b->table, b->host);
	model_init(&b->memory, b->host);
	model_take(&b->memory);
}

static void stop(struct bench *b)
{
	model_fini(&b->memory);
	notices_fini(&b->table);
	host_free(b->host);
}

static bool run(struct bench *b)
{
	host_submit(b->host, &b->p, ++b->fence);
	while (memory_host_run(&b->host->memory))
		if (b->migrates && !(test_random() % 4) && !host_migrate(b->host))
			abort();
	return host_get64(b->host, FENCE_PAGE) == b->fence;
}

static bool same(struct bench *b)
{
	return notices_same(&b->table) && model_same(&b->memory);
}

static bool fault_is(struct bench *b, uint32_t code, uint64_t addr)
{
	uint32_t is_code = host_ring_reg(b->host, 0x24);
	uint64_t is_addr = host_ring_reg64(b->host, 0x30);

	if (is_code == code && is_addr == addr)
		return true;
	printf("#   fault %u (%u) at 0x%" PRIx64 " (0x%" PRIx64 ")\n", is_code, code, is_addr,
	       addr);
	return false;
}

/* Tell the engine and the model; they agree. */
static bool tell(struct bench *b, const struct notice *notice, bool *good)
{
	uint64_t addr;
	bool done;

	b->p.size = 0;
	packet_notice(&b->p, notice);
	*good = notices_tell(&b->table, notice, &addr);
	done = run(b);
	if (done != *good || (!done && !fault_is(b, RESIDENCY, addr)) || !same(b)) {
		printf("#   notice %u, %s, allocation %u, segment %u, offset %u, pages %u\n",
		       notice->opcode, notice->resident ? "comes" : "leaves",
		       notice->allocation, notice->segment, notice->offset, notice->pages);
		return false;
	}
	if (!done)
		host_ring_restart(b->host);
	return true;
}

static uint32_t any_pages(void)
{
	return test_random() % 4 ? 1 + test_random_below(12) : 1 + test_random_below(MOST);
}

/* Page numbers: in a row, in some rows, or anywhere; seldom one of them twice. */
static void any_list(struct bench *b, struct notice *notice)
{
	uint32_t pages = b->table.pages[notice->segment], i;
	uint32_t rows = notice->opcode == 19 ? 1 : 1 + test_random_below(4);

	for (i = 0; i < notice->pages; i++) {
		if (!(i % (notice->pages / rows + 1)))
			b->list[i] = test_random_below(pages - MOST);
		else
			b->list[i] = b->list[i - 1] + 1;
	}
	notice->list = b->list;
}

/* A part of what somebody has, or perhaps not. */
static void any_part(struct bench *b, struct notice *notice)
{
	const struct known *known = b->table.known[notice->segment];
	uint32_t page = test_random_below(b->table.pages[notice->segment]), i;

	for (i = 0; i < b->table.pages[notice->segment] && !known[page].allocation; i++)
		page = (page + 1) % b->table.pages[notice->segment];
	if (!known[page].allocation || !(test_random() % 4))
		return;
	notice->allocation = known[page].allocation;
	notice->offset = known[page].offset;
	for (i = 1; page + i < b->table.pages[notice->segment] &&
	     known[page + i].allocation == notice->allocation &&
	     known[page + i].offset == notice->offset + i; i++)
		;
	notice->pages = 1 + test_random_below(i + !(test_random() % 8));
}

static void any_notice(struct bench *b, struct notice *notice)
{
	*notice = (struct notice){
		.opcode = 19 + test_random() % 2,
		.resident = test_random() % 5 < 3,
		.allocation = 1 + test_random_below(3) + SHARED * test_random_below(2),
		.segment = 1 + test_random() % 2,
		.pages = any_pages(),
	};
	if (test_random() % 2 && notice->opcode == 20)
		notice->offset = test_random_below(8);
	if (notice->resident)
		any_list(b, notice);
	else if (notice->opcode == 20)
		any_part(b, notice);
}

static void test_random_notices(uint64_t slice_looks, uint64_t look_bytes, bool migrates)
{
	static struct bench b;
	unsigned int i, done = 0, count[2][2][2] = { 0 };
	struct notice notice;
	bool good;

	start(&b, slice_looks, look_bytes);
	b.migrates = migrates;
	for (i = 0; i < 300; i++, done++) {
		any_notice(&b, &notice);
		if (!tell(&b, &notice, &good))
			break;
		count[notice.opcode - 19][notice.resident][good]++;
	}
	ok(done == 300, "random: slices of %u, %s", (unsigned int)look_bytes,
	   migrates ? "several engines" : "one engine");
	for (i = 0; i < 8; i++)
		if (count[i / 4][i / 2 % 2][i % 2] < 5)
			break;
	ok(i == 8, "random: each kind came to each end");
	stop(&b);
}

static void row(struct bench *b, uint32_t first, uint32_t pages)
{
	uint32_t i;

	for (i = 0; i < pages; i++)
		b->list[i] = first + i;
}

/* To pages from @first on. */
static bool come(struct bench *b, unsigned int opcode, uint32_t allocation, uint32_t segment,
		 uint32_t first, uint32_t offset, uint32_t pages)
{
	const struct notice notice = { opcode, true, allocation, segment, offset, pages, b->list };
	bool good;

	row(b, first, pages);
	return tell(b, &notice, &good) && good;
}

static bool leave(struct bench *b, unsigned int opcode, uint32_t allocation, uint32_t segment,
		  uint32_t offset, uint32_t pages)
{
	const struct notice notice = { opcode, false, allocation, segment, offset, pages, NULL };
	bool good;

	return tell(b, &notice, &good) && good;
}

/* What contradicts, wherever the page is that does. */
static void test_contradictions(uint64_t look_bytes)
{
	static struct bench b;
	static const uint32_t at[] = { 0, 1, 7, 8, 9, 299, 511, 512, 599 };
	uint32_t segment;
	unsigned int i;

	start(&b, 1, look_bytes);
	for (segment = 1; segment <= 2; segment++)
		for (i = 0; i < ARRAY_SIZE(at); i++) {
			ok(come(&b, 20, 7, segment, 50 + at[i], 3, 1) &&
			   !come(&b, 19, 8, segment, 50, 0, 600) &&
			   !come(&b, 20, 8, segment, 50, 9, 600) &&
			   !come(&b, 19, 7, segment, 50 + at[i], 0, 1) &&
			   leave(&b, 20, 7, segment, 3, 1) && same(&b),
			   "contradiction: page %u of segment %u is taken", at[i], segment);
			ok(come(&b, 19, 8, segment, 50, 0, 600) &&
			   leave(&b, 20, 8, segment, at[i], 1) &&
			   !leave(&b, 20, 8, segment, 0, 600) &&
			   !leave(&b, 20, 8, segment, at[i], 1) &&
			   !leave(&b, 20, 8, 3 - segment, 0, 1) && leave(&b, 19, 8, 0, 0, 0) &&
			   !leave(&b, 19, 8, 0, 0, 0) && same(&b),
			   "contradiction: page %u of the allocation is nowhere", at[i]);
		}
	ok(come(&b, 20, 8, 2, 0, 0, 600) && come(&b, 20, 8, 2, 600, 600, APERTURE_PAGES - 600) &&
	   !leave(&b, 20, 8, 2, 0, APERTURE_PAGES + 1) && leave(&b, 20, 8, 2, 3, 1) &&
	   !leave(&b, 20, 8, 2, 0, APERTURE_PAGES + 1) && leave(&b, 19, 8, 0, 0, 0),
	   "contradiction: one page more than the segment has");
	ok(!leave(&b, 20, 8, 1, 0, ~0u) && !leave(&b, 20, 8, 1, ~0u, 1),
	   "contradiction: more pages than there are");
	ok(come(&b, 20, 8, 1, 0, ~0u - 9, 10) && leave(&b, 20, 8, 1, ~0u - 4, 5) &&
	   !leave(&b, 20, 8, 1, ~0u - 4, 1), "contradiction: the last offsets");
	ok(come(&b, 20, 9, 1, 20, 1u << 30, 1) && !leave(&b, 20, 9, 1, 0, (1u << 30) + 1) &&
	   leave(&b, 20, 9, 1, 1u << 30, 1),
	   "contradiction: one is further off than there are pages");
	stop(&b);
}

/* A page that one packet names twice. */
static void test_twice(uint32_t between)
{
	static struct bench b;
	struct notice notice = { 20, true, 5, 2, 0, between + 2, b.list };
	bool good;

	start(&b, 1, PAGE);
	row(&b, 10, between + 1);
	b.list[between + 1] = 10;
	ok(tell(&b, &notice, &good) && !good, "twice: with %u between", between);
	b.list[between + 1] = 9;
	ok(tell(&b, &notice, &good) && good, "twice: another page is free");
	stop(&b);
}

/* One page of an allocation that is at several places, also twice in one segment. */
static void test_places(void)
{
	static struct bench b;

	start(&b, 1, PAGE);
	ok(come(&b, 19, 3, 1, 100, 0, 8) && come(&b, 19, 3, 2, 100, 0, 8) &&
	   come(&b, 20, 3, 1, 20, 2, 2), "places: in both segments, and twice in one");
	ok(leave(&b, 20, 3, 1, 2, 1) && !leave(&b, 20, 3, 1, 2, 1) && leave(&b, 20, 3, 2, 2, 1),
	   "places: a part leaves all of one segment, and no other");
	ok(leave(&b, 19, 3, 0, 0, 0) && !leave(&b, 19, 3, 0, 0, 0), "places: all leaves all");
	stop(&b);
}

static unsigned int slices_of(struct bench *b)
{
	unsigned int slices = 0;

	host_submit(b->host, &b->p, ++b->fence);
	while (memory_host_run(&b->host->memory))
		slices++;
	return slices;
}

/* A long notice holds nobody up, and a search ends where nothing is. */
static void test_slices(void)
{
	static struct bench b;
	unsigned int come_slices, leave_slices;

	memset(&b, 0, sizeof(b));
	b.host = host_new(1024 * MIB, MIB, 1, PAGE);
	b.host->memory.unchecked = true;
	host_ring_setup(b.host, 4);
	host_ring_enable(b.host);
	packet_residency(&b.p, 1, 9, 100000, 1ull << 56);
	come_slices = slices_of(&b);
	b.p.size = 0;
	packet_residency(&b.p, 0, 9, 0, 0);
	leave_slices = slices_of(&b);
	ok(come_slices > 200 && leave_slices > 100, "slices: %u to come, %u to leave", come_slices,
	   leave_slices);
	b.p.size = 0;
	packet_residency(&b.p, 1, 9, 1, 1ull << 56 | (1023 * MIB));
	packet_residency(&b.p, 1, 8, 1, 1ull << 56 | (100 * MIB));
	slices_of(&b);
	b.p.size = 0;
	packet_residency(&b.p, 0, 9, 0, 0);
	leave_slices = slices_of(&b);
	ok(leave_slices < 20 && host_get64(b.host, FENCE_PAGE) == b.fence,
	   "slices: %u to search what is nearly empty", leave_slices);
	host_free(b.host);
}

/* Nothing but notices changes the table. */
static void test_others(void)
{
	static struct bench b;

	start(&b, 0, 0);
	ok(come(&b, 19, 3, 1, 0, 0, 600) && come(&b, 19, 4, 2, 0, 0, 600), "others: two are there");
	b.p.size = 0;
	packet_map(&b.p, 0, 500, 0);
	packet_run(&b.p, RAM_BASE, 500);
	packet_end(&b.p);
	packet_fill(&b.p, 1, 0, 100 * PAGE, 1);
	packet_transfer(&b.p, 1, 0, 2, 0, 100 * PAGE);
	packet_discard(&b.p, 1, 0, 600 * PAGE);
	packet_unmap(&b.p, 0, 600, RAM_BASE);
	ok(run(&b) && notices_same(&b.table), "others: they change nothing");
	host_ring_restart(b.host);
	ok(notices_same(&b.table), "others: nor does a ring that is disabled");
	stop(&b);
}

static void test_reset(bool control, bool middle)
{
	static struct bench b;

	start(&b, 1, PAGE);
	come(&b, 19, 3, 1, 0, 0, 600);
	come(&b, 19, 4, 2, 100, 0, 600);
	host_set_reg64(b.host, 0xc0, 1ull << 56);
	if (middle) {
		b.p.size = 0;
		packet_residency(&b.p, 1, 5, 800, 1ull << 56 | 650 * PAGE);
		host_submit(b.host, &b.p, 77);
		while (b.host->memory.engine.ring[0].done < 1000)
			memory_host_run(&b.host->memory);
	}
	if (control)
		host_set_reg(b.host, 0x30, 1);
	else
		quire_engine_reset(&b.host->memory.engine);
	is(host_reg64(b.host, 0xc0), 0, "reset: the page that is shown");
	notices_clear(&b.table);
	ok(same(&b), "reset: %s, %s: nothing is resident", control ? "CONTROL" : "function",
	   middle ? "in a notice" : "idle");
	host_ring_setup(b.host, 4);
	host_ring_enable(b.host);
	ok(come(&b, 19, 5, 1, 0, 0, 600) && come(&b, 19, 3, 2, 0, 0, 600), "reset: all is free");
	stop(&b);
}

/* A packet begins, the state moves after each slice, and the other engine ends it. */
static void test_moves(const struct notice *notice)
{
	static struct bench b;
	unsigned int moves = 0;
	uint64_t addr;

	start(&b, 1, 512);
	come(&b, 19, 3, 2, 20, 0, 600);
	come(&b, 19, 4, 1, 900, 0, 600);
	notices_tell(&b.table, notice, &addr);
	b.p.size = 0;
	packet_notice(&b.p, notice);
	host_submit(b.host, &b.p, ++b.fence);
	do {
		if (!host_migrate(b.host))
			break;
	} while (memory_host_run(&b.host->memory) && ++moves < 150);
	/* What is looked at anew each time does not end by moving alone. */
	host_run(b.host);
	ok(host_get64(b.host, FENCE_PAGE) == b.fence && same(&b), "moves: notice %u that %s, %u",
	   notice->opcode, notice->resident ? "comes" : "leaves", moves);
	stop(&b);
}

/*
 * The ring is disabled; what it still has to end it ends in slices, also on another engine, and
 * can not be enabled before.
 */
static bool ends(struct host *host, bool moved, unsigned int *slices)
{
	struct quire_ring *ring = &host->memory.engine.ring[0];
	uint64_t done = ring->done;

	host_ring_disable(host);
	*slices = 0;
	if (!(host_ring_reg(host, 0x18) & 1))
		return true;
	if (ring->done != done)
		return false;
	do {
		if (moved && !host_migrate(host))
			return false;
		host_ring_enable(host);
		if (host_ring_reg(host, 0x14))
			return false;
		++*slices;
	} while (memory_host_run(&host->memory));
	return !host_ring_reg(host, 0x18);
}

/* In the middle of what it changes the ring is disabled: it is done as a whole, or not at all. */
static void test_disable(const struct notice *notice, bool moved)
{
	static struct bench b;
	unsigned int half = 0, slices, whole = 0, not = 0, most = 0, more;
	uint64_t addr;

	for (slices = 1; !whole || slices < 12; slices++) {
		start(&b, 1, 512);
		come(&b, 19, 3, 2, 20, 0, 600);
		come(&b, 19, 4, 1, 900, 0, 600);
		b.p.size = 0;
		packet_notice(&b.p, notice);
		host_submit(b.host, &b.p, ++b.fence);
		for (half = 0; half < slices; half++)
			memory_host_run(&b.host->memory);
		if (moved && !host_migrate(b.host))
			break;
		if (!ends(b.host, moved, &more))
			break;
		most = more > most ? more : most;
		if (host_ring_reg(b.host, 0x20) || host_ring_reg(b.host, 0x1c) > 2) {
			notices_tell(&b.table, notice, &addr);
			whole++;
		} else {
			not++;
		}
		if (!notices_same(&b.table) || slices > 3000)
			break;
		stop(&b);
		b.host = NULL;
	}
	ok(!b.host && whole && not && most > 1,
	   "disable: notice %u that %s: %u not, %u as a whole, in %u slices at most",
	   notice->opcode, notice->resident ? "comes" : "leaves", not, whole, most);
	if (b.host)
		stop(&b);
}

/* States that no engine reaches. */
static bool loads(struct bench *b, uint32_t page, uint64_t entry, uint64_t done)
{
	struct quire_engine *engine = &b->host->memory.engine;
	uint64_t old = engine->residency.entries[page], was = engine->ring[0].done;
	const char *why;
	bool good;

	quire_table_load(&engine->residency, 0, engine->residency.pages)[page] = entry;
	engine->residency.used[page / 512]++;
	engine->ring[0].done = done;
	why = quire_engine_check(engine);
	good = !why;
	if (why)
		printf("#   %s\n", why);
	engine->residency.entries[page] = old;
	engine->residency.used[page / 512]--;
	engine->ring[0].done = was;
	return good;
}

static void test_bad_states(void)
{
	static struct bench b;
	struct quire_ring *ring;

	start(&b, 1, 512);
	come(&b, 19, 4, 1, 1000, 0, 100);
	ok(loads(&b, 0, 5ull << 32 | 1, 0), "states: a page of an allocation");
	ok(!loads(&b, 0, 5ull << 32, 0), "states: a page of none");
	ok(!loads(&b, VRAM_PAGES + APERTURE_PAGES - 1, 1ull << 63, 0), "states: the last one");

	ring = &b.host->memory.engine.ring[0];
	b.p.size = 0;
	packet_residency(&b.p, 1, 6, 500, 1ull << 56 | 10 * PAGE);
	host_submit(b.host, &b.p, 2);
	while (ring->done <= 600)
		memory_host_run(&b.host->memory);
	ok(loads(&b, 1100, 9, ring->done), "states: in a notice, nothing else matters");
	ok(!loads(&b, 10, 0, ring->done), "states: a page that has come is free");
	ok(!loads(&b, 10, 1ull << 32 | 6, ring->done), "states: or is another one");
	ok(!loads(&b, 509, 6, ring->done), "states: one that has not come is not free");
	ok(!loads(&b, 1100, 0, ring->done + 1), "states: one more has come");
	ok(!loads(&b, 1100, 0, ring->done - 1), "states: one less has");
	ok(!loads(&b, 1100, 0, 400), "states: they are looked at, and there");
	host_run(b.host);

	b.p.size = 0;
	packet_residency(&b.p, 0, 6, 0, 0);
	host_submit(b.host, &b.p, 3);
	while (ring->done <= VRAM_PAGES + APERTURE_PAGES + 100)
		memory_host_run(&b.host->memory);
	ok(!loads(&b, 20, 6, ring->done), "states: one that has left is there");
	ok(loads(&b, 20, 7, ring->done), "states: but another one may be");
	stop(&b);
}

/* How many slices does it take until an allocation of a page has left? */
static unsigned int slices_to_leave(struct bench *b, uint32_t allocation)
{
	const struct notice notice = { 19, false, allocation, 0, 0, 0, NULL };
	unsigned int slices = 0;
	uint64_t addr;

	notices_tell(&b->table, &notice, &addr);
	b->p.size = 0;
	packet_notice(&b->p, &notice);
	host_submit(b->host, &b->p, ++b->fence);
	do {
		slices++;
	} while (memory_host_run(&b->host->memory));
	return slices;
}

/* An allocation for each page of VRAM, in order or the other way round. */
static void fill_table(struct bench *b, bool backwards)
{
	uint32_t i;

	for (i = 0; i < VRAM_PAGES; i++)
		come(b, 19, 100 + i, 1, backwards ? VRAM_PAGES - 1 - i : i, 0, 1);
}

/* The table is full, and who leaves is found as in an empty one, wherever that is. */
static void test_cost(bool migrates, bool is_reset)
{
	static struct bench b;
	unsigned int alone, first, last;

	start(&b, 1, 512);
	come(&b, 19, 7, 1, VRAM_PAGES / 2, 0, 1);
	alone = slices_to_leave(&b, 7);
	fill_table(&b, false);
	if (migrates)
		host_migrate(b.host);
	if (is_reset) {
		quire_engine_reset(&b.host->memory.engine);
		notices_clear(&b.table);
		host_ring_setup(b.host, 4);
		host_ring_enable(b.host);
		fill_table(&b, true);
	}
	first = slices_to_leave(&b, 100);
	last = slices_to_leave(&b, 100 + VRAM_PAGES - 1);
	ok(first == alone && last == alone && same(&b),
	   "cost: %u slices in an empty table, %u and %u in a full one", alone, first, last);
	stop(&b);
}

int main(void)
{
	static uint32_t list[600];
	const struct notice notices[] = {
		{ 19, true, 5, 1, 0, 600, list },
		{ 20, true, 5, 1, 4, 600, list },
		{ 19, false, 4, 0, 0, 0, NULL },
		{ 20, false, 3, 2, 100, 400, NULL },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(list); i++)
		list[i] = 100 + i;
	test_seed(19);
	test_random_notices(0, 0, false);
	test_random_notices(1, 512, false);
	test_random_notices(1, 4096, true);
	test_contradictions(PAGE);
	test_contradictions(64);
	test_twice(0);
	test_twice(1);
	test_twice(500);
	test_places();
	test_slices();
	test_cost(false, false);
	test_cost(true, false);
	test_cost(false, true);
	test_others();
	test_reset(true, false);
	test_reset(true, true);
	test_reset(false, false);
	test_reset(false, true);
	for (i = 0; i < ARRAY_SIZE(notices); i++) {
		test_moves(&notices[i]);
		test_disable(&notices[i], false);
		test_disable(&notices[i], true);
	}
	test_bad_states();
	return tap_done();
}
