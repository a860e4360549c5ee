// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "quire_paging_drive.h"
#include "quire_paging_space.h"

/*
 * DOC: how page tables are written
 *
 * Which packets UPDATE_PAGE_TABLE makes of entries, that the CPU writes what the device
 * would, and both for entries at random. Memory is that of quire_paging_space.c.
 */

#define PAGE	4096ull
#define TABLE	(QUIRE_SPACE_VA + 5 * PAGE)
#define ENTRIES	512

#define VALID	0x1ull
#define ZERO	0x2ull
#define VRAM	0x20ull
#define LARGE	0x400ull

/**
 * struct table_test - what a test needs
 * @drive: calls the builder
 * @space: packets are executed there
 * @entries: of the operation
 * @words: what the table has to be
 * @cpu: the table of the CPU
 * @least: bytes of the shortest packets, from each entry on
 * @args: the operation, at first all of @entries
 * @seed: of what is random
 */
struct table_test {
	struct quire_drive *drive;
	struct quire_space *space;
	struct quire_paging_pte entries[ENTRIES];
	u64 words[ENTRIES];
	__le64 cpu[ENTRIES];
	u32 least[ENTRIES + 1];
	struct quire_paging_args args;
	u32 seed;
};

static int table_init(struct kunit *test)
{
	struct table_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->drive = quire_drive_create(test);
	t->space = kunit_kzalloc(test, sizeof(*t->space), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->space);
	t->args = (struct quire_paging_args) {
		.operation = QUIRE_PAGING_UPDATE_PAGE_TABLE,
		.u.update_page_table = {
			.update_mode = QUIRE_PAGE_TABLE_GPU_VIRTUAL,
			.page_table_address.gpu_virtual = TABLE,
			.page_table_entries = t->entries,
			.num_page_table_entries = ENTRIES,
		},
	};
	test->priv = t;

	return 0;
}

static struct quire_paging_update_page_table *update_of(struct table_test *t)
{
	return &t->args.u.update_page_table;
}

/* Entries @first and after that, each @step pages behind the one before. */
static void table_set(struct table_test *t, u32 first, u32 count, u64 flags, u64 page, u64 step)
{
	u32 i;

	for (i = 0; i < count; i++)
		t->entries[first + i] = (struct quire_paging_pte) { flags, page + i * step };
}

static void table_run(struct kunit *test, const char *name, u32 max_packet_pages)
{
	struct table_test *t = test->priv;

	quire_drive_set(t->drive, name, &t->args, max_packet_pages);
	KUNIT_ASSERT_EQ_MSG(test, quire_paging_check_args(&t->drive->caps, &t->args), 0,
			    "%s", name);
	KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(t->drive), "%s: stuck", name);
}

/* Packet @nr of the log; the driver has found that all are good. */
static struct quire_model_packet table_packet(struct table_test *t, u32 nr)
{
	struct quire_model_packet packet = { };
	u32 offset = 0;

	do {
		quire_model_decode(t->drive->log + offset, t->drive->log_size - offset, &packet);
		offset += packet.size;
	} while (nr--);

	return packet;
}

static void expect_packet(struct kunit *test, u32 nr, u32 flags, u32 start, u32 count, u32 size)
{
	struct table_test *t = test->priv;
	struct quire_model_packet packet = table_packet(t, nr);

	KUNIT_EXPECT_EQ_MSG(test, packet.flags, flags, "%s: flags of packet %u",
			    t->drive->name, nr);
	KUNIT_EXPECT_EQ_MSG(test, packet.value, start, "%s: start of packet %u",
			    t->drive->name, nr);
	KUNIT_EXPECT_EQ_MSG(test, packet.count, count, "%s: count of packet %u",
			    t->drive->name, nr);
	KUNIT_EXPECT_EQ_MSG(test, packet.size, size, "%s: size of packet %u",
			    t->drive->name, nr);
}

#define VIRTUAL		0x8000
#define REPEAT		0x8001
#define CONTIGUOUS	0x8010

/* All of a table, by one rule: 40 bytes. */
static void table_one_packet(struct kunit *test)
{
	struct table_test *t = test->priv;

	table_set(t, 0, ENTRIES, VALID | VRAM, 0x1000, 1);
	table_run(test, "contiguous", 1000);
	KUNIT_EXPECT_EQ(test, t->drive->emitted, 40u);
	expect_packet(test, 0, CONTIGUOUS, 0, ENTRIES, 40);

	table_set(t, 0, ENTRIES, VALID | VRAM, 0x1000, 0);
	table_run(test, "equal", 1000);
	KUNIT_EXPECT_EQ(test, t->drive->emitted, 40u);
	expect_packet(test, 0, REPEAT, 0, ENTRIES, 40);

	table_set(t, 0, ENTRIES, 0, 0, 0);
	update_of(t)->flags = QUIRE_UPDATE_NOTIFY_EVICTION | QUIRE_UPDATE_INITIAL;
	table_run(test, "evicted", 1000);
	expect_packet(test, 0, REPEAT | 6, 0, ENTRIES, 40);

	/* The first counts. */
	table_set(t, 0, ENTRIES, VALID | VRAM, 0x1000, 3);
	update_of(t)->flags = QUIRE_UPDATE_REPEAT;
	table_run(test, "repeated", 1000);
	KUNIT_EXPECT_EQ(test, t->drive->emitted, 40u);
	expect_packet(test, 0, REPEAT, 0, ENTRIES, 40);
}

/* Pages of each size follow each other in their own way, and what is no page in none. */
static void table_contiguous_pages(struct kunit *test)
{
	struct table_test *t = test->priv;
	struct quire_paging_update_page_table *update = update_of(t);

	update->num_page_table_entries = 32;
	update->flags = QUIRE_UPDATE_64K;
	table_set(t, 0, 32, VALID, 0x1000, 16);
	table_run(test, "64 KiB", 1000);
	expect_packet(test, 0, CONTIGUOUS | 8, 0, 32, 40);
	KUNIT_EXPECT_EQ(test, t->drive->bytes, 512 * 8u);

	update->flags = 0;
	table_run(test, "every 16th", 1000);
	expect_packet(test, 0, VIRTUAL, 0, 32, 32 + 32 * 8);

	update->page_table_level = 1;
	table_set(t, 0, 32, VALID | LARGE, 0x1000, 512);
	table_run(test, "2 MiB", 1000);
	expect_packet(test, 0, CONTIGUOUS, 0, 32, 40);
	table_set(t, 0, 32, VALID, 0x1000, 512);
	table_run(test, "tables every 2 MiB", 1000);
	expect_packet(test, 0, VIRTUAL, 0, 32, 32 + 32 * 8);
	table_set(t, 0, 32, VALID, 0x1000, 1);
	table_run(test, "tables", 1000);
	expect_packet(test, 0, VIRTUAL, 0, 32, 32 + 32 * 8);
	update->page_table_level = 3;
	table_run(test, "tables of level 3", 1000);
	expect_packet(test, 0, VIRTUAL, 0, 32, 32 + 32 * 8);
}

/* No rule: all of them in one list. */
static void table_no_rule(struct kunit *test)
{
	struct table_test *t = test->priv;
	u32 i;

	for (i = 0; i < ENTRIES; i++)
		table_set(t, i, 1, VALID | VRAM, 0x1000 - i % 2 * 7, 0);
	table_run(test, "alternating", 1000);
	KUNIT_EXPECT_EQ(test, t->drive->packets, 1u);
	expect_packet(test, 0, VIRTUAL, 0, ENTRIES, 32 + ENTRIES * 8);

	/* Pages follow each other, but each other one is read-only. */
	for (i = 0; i < ENTRIES; i++)
		table_set(t, i, 1, VALID | VRAM | (i % 2 * 8), 0x1000 + i, 0);
	table_run(test, "alternating flags", 1000);
	KUNIT_EXPECT_EQ(test, t->drive->packets, 1u);
	KUNIT_EXPECT_EQ(test, t->drive->emitted, 32 + ENTRIES * 8u);
}

/* @before entries of a list, a stretch, @after entries of a list. */
static void table_cut(struct kunit *test, u32 before, u32 stretch, u32 after, u32 packets)
{
	struct table_test *t = test->priv;
	u64 step;

	update_of(t)->num_page_table_entries = before + stretch + after;
	for (step = 0; step < 2; step++) {
		table_set(t, 0, before, VALID, 0x9000, 3);
		table_set(t, before, stretch, VALID | VRAM, 0x1000, step);
		table_set(t, before + stretch, after, VALID, 0x5000, 3);
		table_run(test, "stretch", 1000);
		KUNIT_EXPECT_EQ_MSG(test, t->drive->packets, packets, "%u, %u, %u entries", before,
				    stretch, after);
	}
}

/* Where it is shorter, and not where it is as long. */
static void table_cut_where_shorter(struct kunit *test)
{
	table_cut(test, 1, 9, 1, 1);
	table_cut(test, 1, 10, 1, 3);
	table_cut(test, 1, 5, 0, 1);
	table_cut(test, 1, 6, 0, 2);
	table_cut(test, 0, 5, 1, 1);
	table_cut(test, 0, 6, 1, 2);
	table_cut(test, 0, 2, 0, 1);
	KUNIT_EXPECT_EQ(test, ((struct table_test *)test->priv)->drive->emitted, 40u);
}

/* The last of equal entries is the first of pages that follow each other. */
static void table_two_rules_meet(struct kunit *test)
{
	struct table_test *t = test->priv;

	table_set(t, 0, 3, VALID, 0x9000, 3);
	table_set(t, 3, 3, VALID, 0x1000, 0);
	table_set(t, 5, 20, VALID, 0x1000, 1);
	update_of(t)->num_page_table_entries = 25;
	table_run(test, "two rules", 1000);
	KUNIT_EXPECT_EQ(test, t->drive->packets, 2u);
	expect_packet(test, 0, VIRTUAL, 0, 5, 32 + 5 * 8);
	expect_packet(test, 1, CONTIGUOUS, 5, 20, 40);
}

/* A packet that follows must keep what is written: only the first clears. */
static void table_initial_once(struct kunit *test)
{
	struct table_test *t = test->priv;
	u32 i;

	table_set(t, 0, ENTRIES, VALID | VRAM, 0x1000, 3);
	update_of(t)->flags = QUIRE_UPDATE_INITIAL;
	table_run(test, "initial", 100);
	KUNIT_ASSERT_EQ(test, t->drive->packets, 6u);
	expect_packet(test, 0, VIRTUAL | 2, 0, 100, 32 + 800);
	for (i = 1; i < 6; i++)
		expect_packet(test, i, VIRTUAL, i * 100, i < 5 ? 100 : 12,
			      32 + (i < 5 ? 800 : 96));

	/* Also if it is not the first of a window. */
	t->drive->window = 32 + 800;
	KUNIT_ASSERT_TRUE(test, quire_drive_run(t->drive));
	KUNIT_EXPECT_EQ(test, t->drive->passes, 6u);
	expect_packet(test, 1, VIRTUAL, 100, 100, 32 + 800);
}

/* All of it is an eviction. */
static void table_eviction_in_all(struct kunit *test)
{
	struct table_test *t = test->priv;
	u32 i;

	table_set(t, 0, ENTRIES, 0, 0, 0);
	update_of(t)->flags = QUIRE_UPDATE_NOTIFY_EVICTION;
	table_run(test, "evicted", 200);
	KUNIT_ASSERT_EQ(test, t->drive->packets, 3u);
	for (i = 0; i < 3; i++)
		expect_packet(test, i, REPEAT | 4, i * 200, i < 2 ? 200 : 112, 40);
}

/* ---- at random ---- */

static u32 below(struct table_test *t, u32 limit)
{
	t->seed = t->seed * 1664525 + 1013904223;

	return (t->seed >> 8) % limit;
}

/* Pages that an entry of the table leads to, aligned to as many; @table: to one of the next. */
static u32 random_pages(struct table_test *t, bool table)
{
	struct quire_paging_update_page_table *update = update_of(t);

	if (update->flags & QUIRE_UPDATE_64K)
		return 16;

	return update->page_table_level == 1 && !table ? 512 : 1;
}

/* Some entries that follow a rule, or none: of pages, of tables, of nothing. */
static u32 random_stretch(struct table_test *t, u32 first, u32 limit)
{
	u32 level = update_of(t)->page_table_level;
	u32 count = min(limit, 1 + below(t, below(t, 4) ? 14 : 100));
	bool table = level > 1 || (level == 1 && below(t, 3) == 0);
	u32 pages = random_pages(t, table);
	u64 flags = VALID | (level == 1 && !table ? LARGE : 0) | (below(t, 2) ? VRAM : 0);
	u64 page = (u64)(1 + below(t, 200)) * pages;

	if (update_of(t)->flags & QUIRE_UPDATE_NOTIFY_EVICTION || below(t, 6) == 0)
		table_set(t, first, count, 0, 0, 0);
	else if (!table && below(t, 8) == 0)
		table_set(t, first, count, VALID | ZERO | (flags & LARGE), 0, 0);
	else
		table_set(t, first, count, flags | (table ? 0 : below(t, 2) * 8), page,
			  (u64)below(t, 3) * pages);

	return count;
}

static void random_update(struct table_test *t)
{
	struct quire_paging_update_page_table *update = update_of(t);
	u32 limit, i;

	update->flags = below(t, 2) * QUIRE_UPDATE_INITIAL;
	update->flags |= (below(t, 8) == 0) * QUIRE_UPDATE_NOTIFY_EVICTION;
	update->flags |= (below(t, 8) == 0) * QUIRE_UPDATE_REPEAT;
	update->page_table_level = below(t, 3) ? 0 : below(t, 4);
	if (!update->page_table_level)
		update->flags |= (below(t, 3) == 0) * QUIRE_UPDATE_64K;
	limit = update->flags & QUIRE_UPDATE_64K ? 32 : ENTRIES;
	update->num_page_table_entries = 1 + below(t, below(t, 3) ? limit : 8);
	update->start_index = below(t, limit - update->num_page_table_entries + 1);

	for (i = 0; i < update->num_page_table_entries; )
		i += random_stretch(t, i, update->num_page_table_entries - i);
}

static u64 random_word(struct table_test *t, u32 nr)
{
	const struct quire_paging_pte *pte =
		&t->entries[update_of(t)->flags & QUIRE_UPDATE_REPEAT ? 0 : nr];
	u64 word = pte->page * PAGE + pte->flags;

	return word && update_of(t)->flags & QUIRE_UPDATE_64K ? word + 0x800 : word;
}

/* What the table has to be, of what it was. */
static void random_expect(struct table_test *t)
{
	const struct quire_paging_update_page_table *update = update_of(t);
	u32 places = update->flags & QUIRE_UPDATE_64K ? 16 : 1;
	u32 i;

	if (update->flags & QUIRE_UPDATE_INITIAL)
		memset(t->words, 0, sizeof(t->words));
	for (i = 0; i < update->num_page_table_entries * places; i++)
		t->words[update->start_index * places + i] = random_word(t, i / places);
}

static bool random_is_as_expected(struct table_test *t)
{
	const u8 *table = quire_space_at(t->space, QUIRE_SPACE_VIRTUAL, TABLE, PAGE);
	u32 i;

	for (i = 0; i < ENTRIES; i++)
		if (quire_space_entry(table, i) != t->words[i])
			return false;

	return true;
}

static const u32 most[] = { 1000, 1000, 512, 100, 17, 5, 2, 1 };

/* Each in a large window, and in windows of other sizes, into a table that has entries. */
static void table_random(struct kunit *test)
{
	struct table_test *t = test->priv;
	const char *wrong;
	u32 round;

	quire_space_reset(t->space);
	memset(quire_space_at(t->space, QUIRE_SPACE_VIRTUAL, TABLE, PAGE), 0, PAGE);
	for (round = 1; round <= 6000; round++) {
		t->seed = round;
		random_update(t);
		random_expect(t);
		table_run(test, "random", most[below(t, ARRAY_SIZE(most))]);
		if (round % 2) {
			t->drive->seed = round;
			t->drive->window = 40 + below(t, 600);
			t->drive->private_window = 16 + below(t, 200);
			KUNIT_ASSERT_TRUE(test, quire_drive_run(t->drive));
		}
		wrong = quire_space_execute(t->space, t->drive->log, t->drive->log_size,
					    1 + round % 3);
		KUNIT_ASSERT_TRUE_MSG(test, !wrong, "round %u: %s", round, wrong);
		KUNIT_ASSERT_TRUE_MSG(test, random_is_as_expected(t), "round %u: table differs",
				      round);
	}
}

/* What is told before is what is written, however long packets may be; by the CPU nothing. */
static void table_bytes(struct kunit *test)
{
	struct table_test *t = test->priv;
	struct quire_paging_update_page_table update;
	u32 round;

	for (round = 1; round <= 3000; round++) {
		t->seed = round;
		random_update(t);
		table_run(test, "random", most[below(t, ARRAY_SIZE(most))]);
		KUNIT_ASSERT_EQ_MSG(test,
				    (u64)quire_paging_update_bytes(&t->drive->caps, update_of(t)),
				    (u64)t->drive->emitted, "round %u", round);
	}

	update = *update_of(t);
	update.update_mode = QUIRE_PAGE_TABLE_CPU_VIRTUAL;
	update.page_table_address.cpu_virtual = t->cpu;
	KUNIT_EXPECT_EQ(test, quire_paging_update_bytes(&t->drive->caps, &update), 0u);
	update = *update_of(t);
	update.num_page_table_entries = 0;
	KUNIT_EXPECT_EQ(test, quire_paging_update_bytes(&t->drive->caps, &update), 0u);
}

/* By the CPU: without window and packet, the same. */
static void table_cpu(struct kunit *test)
{
	struct table_test *t = test->priv;
	struct quire_paging_args args;
	u32 round, i;

	for (round = 1; round <= 3000; round++) {
		t->seed = round;
		random_update(t);
		random_expect(t);
		memcpy(&args, &t->args, sizeof(args));
		args.u.update_page_table.update_mode = QUIRE_PAGE_TABLE_CPU_VIRTUAL;
		args.u.update_page_table.page_table_address.cpu_virtual = t->cpu;
		quire_drive_set(t->drive, "CPU", &args, most[round % ARRAY_SIZE(most)]);
		KUNIT_ASSERT_EQ(test, quire_paging_check_args(&t->drive->caps, &args), 0);
		KUNIT_ASSERT_EQ(test, quire_build_paging_buffer(&t->drive->caps, &args),
				QUIRE_BUILD_DONE);
		KUNIT_ASSERT_EQ(test, args.multipass_offset,
				args.u.update_page_table.num_page_table_entries);
		for (i = 0; i < ENTRIES; i++)
			KUNIT_ASSERT_EQ_MSG(test, le64_to_cpu(t->cpu[i]), t->words[i],
					    "round %u: entry %u", round, i);
	}
}

/* A window that there is stays as it is; and so do entries when it is asked again. */
static void table_cpu_no_packet(struct kunit *test)
{
	struct table_test *t = test->priv;
	struct quire_paging_args args;
	struct quire_paging_record record;
	__le64 window[16];

	table_set(t, 0, ENTRIES, VALID | VRAM, 0x1000, 1);
	update_of(t)->update_mode = QUIRE_PAGE_TABLE_CPU_VIRTUAL;
	update_of(t)->page_table_address.cpu_virtual = t->cpu;
	quire_drive_set(t->drive, "CPU", &t->args, 5);
	t->args.dma_buffer = window;
	t->args.dma_size = sizeof(window);
	t->args.private_data = &record;
	t->args.private_data_size = sizeof(record);
	memset(window, 0xa5, sizeof(window));
	memcpy(&args, &t->args, sizeof(args));
	KUNIT_EXPECT_EQ(test, quire_build_paging_buffer(&t->drive->caps, &args), QUIRE_BUILD_DONE);
	KUNIT_EXPECT_EQ(test, args.dma_size, (u32)sizeof(window));
	KUNIT_EXPECT_EQ(test, args.private_data_size, (u32)sizeof(record));
	KUNIT_EXPECT_EQ(test, args.dma_buffer_write_offset, 0u);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(window[0]), 0xa5a5a5a5a5a5a5a5ull);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(t->cpu[511]), 0x11ff021ull);

	memset(t->cpu, 0, sizeof(t->cpu));
	KUNIT_EXPECT_EQ(test, quire_build_paging_buffer(&t->drive->caps, &args), QUIRE_BUILD_DONE);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(t->cpu[511]), 0ull);
}

/* Is what the entries @first to @last are a rule? */
static bool least_is_rule(const struct table_test *t, u32 first, u32 last, u32 step)
{
	const struct quire_paging_pte *a = &t->entries[first], *b = &t->entries[last];

	if (step && ((a->flags & (VALID | ZERO)) != VALID))
		return false;

	return b->flags == a->flags && b->page == a->page + (last - first) * step;
}

/* Bytes of the shortest packets of level 0, by trying all. */
static u32 least_bytes(struct table_test *t, u32 step)
{
	u32 nr = update_of(t)->num_page_table_entries;
	u32 first, next, rule;

	t->least[nr] = 0;
	for (first = nr; first--; ) {
		t->least[first] = U32_MAX;
		for (next = first + 1; next <= nr; next++)
			t->least[first] = min(t->least[first],
					      32 + 8 * (next - first) + t->least[next]);
		for (rule = 0; rule < 2; rule++)
			for (next = first; next < nr && least_is_rule(t, first, next, rule * step);
			     next++)
				t->least[first] = min(t->least[first], 40 + t->least[next + 1]);
	}

	return t->least[0];
}

/* Near the least in each case, and nearer in all. */
static void table_near_the_least(struct kunit *test)
{
	struct table_test *t = test->priv;
	u64 all = 0, least_of_all = 0;
	u32 round, least;

	for (round = 1; round <= 300; round++) {
		t->seed = round;
		do {
			random_update(t);
		} while (update_of(t)->page_table_level ||
			 update_of(t)->flags & QUIRE_UPDATE_REPEAT);
		table_run(test, "random", 1000);
		least = least_bytes(t, update_of(t)->flags & QUIRE_UPDATE_64K ? 16 : 1);
		KUNIT_ASSERT_TRUE_MSG(test, t->drive->emitted >= least &&
				      t->drive->emitted * 4 <= least * 5ull,
				      "round %u: %llu bytes, least are %u", round,
				      (unsigned long long)t->drive->emitted, least);
		all += t->drive->emitted;
		least_of_all += least;
	}
	KUNIT_EXPECT_LE(test, all * 100, least_of_all * 105);
}

static struct kunit_case quire_paging_page_table_cases[] = {
	KUNIT_CASE(table_one_packet),
	KUNIT_CASE(table_contiguous_pages),
	KUNIT_CASE(table_no_rule),
	KUNIT_CASE(table_cut_where_shorter),
	KUNIT_CASE(table_two_rules_meet),
	KUNIT_CASE(table_initial_once),
	KUNIT_CASE(table_eviction_in_all),
	KUNIT_CASE(table_random),
	KUNIT_CASE(table_bytes),
	KUNIT_CASE(table_cpu),
	KUNIT_CASE(table_cpu_no_packet),
	KUNIT_CASE(table_near_the_least),
	{}
};

static struct kunit_suite quire_paging_page_table_suite = {
	.name = "quire_paging_page_table",
	.init = table_init,
	.test_cases = quire_paging_page_table_cases,
};

kunit_test_suite(quire_paging_page_table_suite);
