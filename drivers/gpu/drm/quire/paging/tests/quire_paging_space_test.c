// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "quire_paging_drive.h"
#include "quire_paging_space.h"

/*
 * DOC: what packets of address spaces do
 *
 * Virtual transfers and fills, page tables and contexts, as quire_paging_window_test.c has it
 * for the other operations: every case is built with every window size and executed on the
 * model. What memory must hold afterwards is computed here from the arguments alone.
 */

/**
 * struct space_case - one operation
 * @name: for messages
 * @max_packet_pages: of the device
 * @args: the operation
 */
struct space_case {
	const char *name;
	u32 max_packet_pages;
	struct quire_paging_args args;
};

#define PAGE	4096ull
#define VA(nr)	(QUIRE_SPACE_VA + (nr) * PAGE)
#define V(nr)	((QUIRE_MODEL_VRAM_BASE + (nr)) * PAGE)
#define S(nr)	((QUIRE_MODEL_SYSTEM_BASE + (nr)) * PAGE)

#define TRANSFER(from, to, bytes, where, pages)					\
	{ .operation = QUIRE_PAGING_VIRTUAL_TRANSFER, .u.transfer_virtual = {	\
		.source_virtual_address = from, .destination_virtual_address = to,	\
		.transfer_size = bytes, .transfer_direction = where, .flags = pages } }
#define FILL(to, bytes, pattern)						\
	{ .operation = QUIRE_PAGING_VIRTUAL_FILL, .u.fill_virtual = {		\
		.destination_virtual_address = to, .fill_size = bytes,		\
		.fill_pattern = pattern } }
#define INIT(...)								\
	{ .operation = QUIRE_PAGING_INIT_CONTEXT_RESOURCE, .u.init_context = { __VA_ARGS__ } }
#define REPEAT(nr, first, count, list, ...)					\
	{ .operation = QUIRE_PAGING_UPDATE_PAGE_TABLE, .u.update_page_table = {	\
		.update_mode = QUIRE_PAGE_TABLE_GPU_VIRTUAL,			\
		.page_table_address.gpu_virtual = VA(nr), .start_index = first,	\
		.page_table_entries = list, .num_page_table_entries = count,	\
		##__VA_ARGS__ } }
#define UPDATE(nr, first, list, ...)	\
	REPEAT(nr, first, ARRAY_SIZE(list), list, ##__VA_ARGS__)
#define UPDATE_MIXED(number, where, first, ...)					\
	{ .operation = QUIRE_PAGING_UPDATE_PAGE_TABLE, .u.update_page_table = {	\
		.update_mode = QUIRE_PAGE_TABLE_GPU_PHYSICAL,			\
		.page_table_address.gpu_physical = { number, where },		\
		.start_index = first, .page_table_entries = mixed,		\
		.num_page_table_entries = ARRAY_SIZE(mixed), ##__VA_ARGS__ } }
#define CONTEXT(nr, at, bytes)							\
	{ .operation = QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION, .u.update_context = {	\
		.context_allocation = VA(nr), .context_allocation_size = PAGE,	\
		.driver_private_data = context_data,				\
		.driver_private_data_size = bytes, .offset = at } }
#define COPY(list)								\
	{ .operation = QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES, .u.copy_entries = {	\
		.num_ranges = ARRAY_SIZE(list), .ranges = list } }
#define FLUSH(from, to)								\
	{ .operation = QUIRE_PAGING_FLUSH_TLB, .u.flush_tlb = {			\
		.root = { 0x21, 0x1234 }, .start_virtual_address = from,	\
		.end_virtual_address = to } }

/* flags: 1 valid, 2 zero, 8 read-only, 0x20 VRAM, 0x40 aperture, 0x400 large */
#define FOLLOW_4(flags, page) \
	{ flags, page }, { flags, (page) + 1 }, { flags, (page) + 2 }, { flags, (page) + 3 }
#define FOLLOW_16(flags, page) \
	FOLLOW_4(flags, page), FOLLOW_4(flags, (page) + 4), FOLLOW_4(flags, (page) + 8), \
	FOLLOW_4(flags, (page) + 12)
#define SAME_4(flags, page) \
	{ flags, page }, { flags, page }, { flags, page }, { flags, page }

static const struct quire_paging_pte contiguous[] = {
	FOLLOW_16(0x21, 0x1ff0), FOLLOW_16(0x21, 0x2000),
};

static const struct quire_paging_pte scattered[] = {
	{ 1, 0x9876543210 }, { 0x21, 5 }, { 0x29, 6 }, { 3, 0 }, { 0, 0 }, { 0x41, 23 },
	{ 5, 0x123 }, { 1, 0x124 }, { 0x11, 0x125 }, { 0x21, 3 }, { 0x21, 2 }, { 0x21, 1 },
};

static const struct quire_paging_pte mixed[] = {
	{ 1, 77 }, FOLLOW_16(0x21, 0x100), { 1, 78 }, { 1, 5 }, SAME_4(0, 0), SAME_4(0, 0),
	SAME_4(0, 0), SAME_4(3, 0), FOLLOW_4(1, 0x1000000), { 1, 0x1000004 }, { 9, 0x1000005 },
	SAME_4(0x21, 9), SAME_4(0x21, 9), FOLLOW_16(0x21, 9), { 1, 2 }, { 1, 3 },
};

static const struct quire_paging_pte large[] = {
	{ 0x421, 0x200 }, { 0x421, 0x400 }, { 0x421, 0x600 }, { 0x421, 0x800 }, { 0x421, 0xa00 },
	{ 0x421, 0xc00 }, { 0x421, 0xe00 }, { 0x21, 0xe01 }, { 0x21, 0xe02 }, { 0x21, 0xe03 },
	{ 0x403, 0 }, { 0, 0 },
};

static const struct quire_paging_pte tables[] = { FOLLOW_16(0x21, 0x40), SAME_4(1, 0x5555) };

static const struct quire_paging_pte wide[] = {
	{ 0x21, 0x10 }, { 0x21, 0x20 }, { 0x21, 0x30 }, { 0x21, 0x40 }, { 0x21, 0x50 },
	{ 0x21, 0x60 }, { 0x21, 0x70 }, { 1, 0x12340 }, { 0, 0 }, { 3, 0 }, { 0x21, 0x10 },
};

static const struct quire_paging_pte one[] = { { 0x29, 0x4321 } };
static const struct quire_paging_pte evicted[] = { SAME_4(0, 0), SAME_4(0, 0), SAME_4(0, 0) };

static const u8 context_data[4096] = "what the driver knows of the context, and writes there";

static const struct quire_paging_copy_range ranges[] = {
	{ 512, VA(3), VA(4), 0, 0 }, { 1, VA(3), VA(5), 511, 0 }, { 7, VA(4), VA(6), 3, 505 },
	{ 100, VA(6), VA(7), 412, 17 }, { 2, VA(7), VA(9), 17, 18 },
};

static const struct space_case cases[] = {
	{ "transfer", 1000, TRANSFER(VA(3), VA(12), 7 * PAGE, 0, 0) },
	{ "transfer, flags, packets of 2 pages", 2,
	  TRANSFER(VA(12), VA(1), 7 * PAGE, 1, QUIRE_TRANSFER_SRC_64K | QUIRE_TRANSFER_DST_64K) },
	{ "transfer, odd size", 3, TRANSFER(VA(0), VA(12), 7 * PAGE + 77, 2, 0) },
	{ "transfer of a byte", 3, TRANSFER(VA(0), VA(12), 1, 2, 0) },
	{ "transfer upwards, overlapping", 1000, TRANSFER(VA(2), VA(5), 11 * PAGE + 5, 2, 0) },
	{ "transfer upwards, overlapping, packets of 2 pages", 2,
	  TRANSFER(VA(2), VA(5), 11 * PAGE + 5, 2, 0) },
	{ "transfer downwards, overlapping", 1000, TRANSFER(VA(7), VA(3), 11 * PAGE, 2, 0) },
	{ "transfer in place", 4, TRANSFER(VA(7), VA(7), 11 * PAGE, 2, 0) },
	{ "fill", 1000, FILL(VA(2), 17 * PAGE + 12, 0x12345678) },
	{ "fill, packets of 1 page", 1, FILL(VA(5), 6 * PAGE + 4, 0xa1b2c3d4) },
	{ "context at a virtual address", 1, INIT(.is_virtual = true, .address = VA(9)) },
	{ "save area at a virtual address", 1,
	  INIT(.is_virtual = true, .address = VA(9), .save_area = true) },
	{ "save area in VRAM", 1, INIT(.segment = 1, .address = V(4), .save_area = true) },
	{ "context in VRAM", 1, INIT(.segment = 1, .address = V(4)) },
	{ "context in system memory", 1, INIT(.segment = 0, .address = S(5)) },
	{ "context in the aperture", 1, INIT(.segment = 2, .address = 6 * PAGE) },
	{ "pages that follow each other", 1000, UPDATE(1, 480, contiguous) },
	{ "pages that follow each other, packets of 7", 7, UPDATE(1, 3, contiguous) },
	{ "pages that do not", 1000, UPDATE(2, 0, scattered) },
	{ "pages that do not, packets of 5", 5, UPDATE(2, 0, scattered) },
	{ "all kinds", 1000, UPDATE(2, 100, mixed) },
	{ "all kinds, packets of 1", 1, UPDATE(2, 100, mixed) },
	{ "all kinds, packets of 12, initial", 12,
	  UPDATE(2, 200, mixed, .flags = QUIRE_UPDATE_INITIAL) },
	{ "all kinds, initial, in VRAM", 1000,
	  UPDATE_MIXED(1, V(8), 0, .flags = QUIRE_UPDATE_INITIAL) },
	{ "all kinds, in system memory", 1000,
	  UPDATE_MIXED(0, S(8), 9) },
	{ "level 1", 1000, UPDATE(3, 9, large, .page_table_level = 1) },
	{ "level 2", 1000, UPDATE(3, 9, tables, .page_table_level = 2) },
	{ "level 3, initial", 1000,
	  UPDATE(3, 492, tables, .page_table_level = 3, .flags = QUIRE_UPDATE_INITIAL) },
	{ "64 KiB", 1000, UPDATE(3, 21, wide, .flags = QUIRE_UPDATE_64K) },
	{ "64 KiB, initial, packets of 3", 3,
	  UPDATE(3, 4, wide, .flags = QUIRE_UPDATE_64K | QUIRE_UPDATE_INITIAL) },
	{ "evicted", 1000, UPDATE(3, 4, evicted, .flags = QUIRE_UPDATE_NOTIFY_EVICTION) },
	{ "repeated to a whole table", 1000,
	  REPEAT(7, 0, 512, one, .flags = QUIRE_UPDATE_REPEAT) },
	{ "repeated, 64 KiB, packets of 5, initial", 5,
	  REPEAT(7, 1, 31, wide,
		 .flags = QUIRE_UPDATE_REPEAT | QUIRE_UPDATE_64K | QUIRE_UPDATE_INITIAL) },
	{ "whole context", 1, CONTEXT(8, 0, 4096) },
	{ "end of a context", 1, CONTEXT(8, 4080, 16) },
	{ "inside of a context", 1, CONTEXT(8, 8, 88) },
	{ "copy of ranges", 1000, COPY(ranges) },
	{ "copy of ranges, packets of 2", 2, COPY(ranges) },
	{ "flush", 1, FLUSH(VA(3), VA(9)) },
	{ "flush of all", 1, FLUSH(0, 0) },
};

/* What tests of one case share. */
struct space_test {
	struct quire_drive *drive;
	struct quire_space *space;
	struct quire_space *expected;
	u8 *scratch;
};

static int space_init(struct kunit *test)
{
	struct space_test *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->drive = quire_drive_create(test);
	s->space = kunit_kzalloc(test, sizeof(*s->space), GFP_KERNEL);
	s->expected = kunit_kzalloc(test, sizeof(*s->expected), GFP_KERNEL);
	s->scratch = kunit_kzalloc(test, QUIRE_DRIVE_MAX_LOG, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s->space);
	KUNIT_ASSERT_NOT_NULL(test, s->expected);
	KUNIT_ASSERT_NOT_NULL(test, s->scratch);
	test->priv = s;

	return 0;
}

static u8 *at(struct quire_space *space, u64 address)
{
	return quire_space_at(space, QUIRE_SPACE_VIRTUAL, address, 0);
}

static void expect_fill(struct quire_space *space, const struct quire_paging_fill_virtual *fill)
{
	u64 i;

	for (i = 0; i < fill->fill_size; i++)
		at(space, fill->destination_virtual_address + i)[0] =
			fill->fill_pattern >> 8 * (i & 3);
}

static void expect_init(struct quire_space *space, const struct quire_paging_init_context *init)
{
	u8 *page = quire_space_at(space, init->is_virtual ? QUIRE_SPACE_VIRTUAL : init->segment,
				  init->address, PAGE);

	memset(page, 0, PAGE);
	memcpy(page, init->save_area ? "QSAV" : "QCTX", 4);
}

static u8 *expect_table(struct quire_space *space,
			const struct quire_paging_update_page_table *update)
{
	if (update->update_mode == QUIRE_PAGE_TABLE_GPU_VIRTUAL)
		return at(space, update->page_table_address.gpu_virtual);

	return quire_space_at(space, update->page_table_address.gpu_physical.segment,
			      update->page_table_address.gpu_physical.offset, PAGE);
}

static void expect_update(struct quire_space *space,
			  const struct quire_paging_update_page_table *update)
{
	u32 places = update->flags & 8 ? 16 : 1;
	u8 *table = expect_table(space, update);
	u32 i, nr;

	if (update->flags & 2)
		memset(table, 0, PAGE);
	for (i = 0; i < update->num_page_table_entries * places; i++) {
		const struct quire_paging_pte *pte = update->page_table_entries;

		nr = update->flags & 1 ? 0 : i / places;
		quire_space_set(table, update->start_index * places + i,
				pte[nr].page * PAGE + pte[nr].flags +
				(places == 16 && pte[nr].flags ? 0x800 : 0));
	}
}

static void expect_copy(struct quire_space *space, const struct quire_paging_copy_entries *copy)
{
	u32 i, j;

	for (i = 0; i < copy->num_ranges; i++) {
		const struct quire_paging_copy_range *range = &copy->ranges[i];

		for (j = 0; j < range->num_page_table_entries; j++)
			quire_space_set(at(space, range->dst_page_table_address),
					range->dst_start_pte_index + j,
					quire_space_entry(at(space, range->src_page_table_address),
							  range->src_start_pte_index + j));
	}
}

/* The operation as one step. */
static void expect(struct quire_space *space, const struct quire_paging_args *args)
{
	const struct quire_paging_transfer_virtual *transfer = &args->u.transfer_virtual;
	const struct quire_paging_update_context *context = &args->u.update_context;

	quire_space_reset(space);
	switch (args->operation) {
	case QUIRE_PAGING_VIRTUAL_TRANSFER:
		memmove(at(space, transfer->destination_virtual_address),
			at(space, transfer->source_virtual_address), transfer->transfer_size);
		break;
	case QUIRE_PAGING_VIRTUAL_FILL:
		expect_fill(space, &args->u.fill_virtual);
		break;
	case QUIRE_PAGING_INIT_CONTEXT_RESOURCE:
		expect_init(space, &args->u.init_context);
		break;
	case QUIRE_PAGING_UPDATE_PAGE_TABLE:
		expect_update(space, &args->u.update_page_table);
		break;
	case QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION:
		memcpy(at(space, context->context_allocation + context->offset),
		       context->driver_private_data, context->driver_private_data_size);
		break;
	case QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES:
		expect_copy(space, &args->u.copy_entries);
		break;
	default:
		space->flushes = 1;
		break;
	}
}

/* Executes the log of the drive and compares with what is expected. */
static void space_execute(struct kunit *test, struct space_test *s, u32 times)
{
	const char *wrong;

	quire_space_reset(s->space);
	wrong = quire_space_execute(s->space, s->drive->log, s->drive->log_size, times);
	KUNIT_ASSERT_TRUE_MSG(test, !wrong, "%s, window %u/%u: %s", s->drive->name,
			      s->drive->window, s->drive->private_window, wrong);
	s->space->flushes /= times;
	KUNIT_ASSERT_TRUE_MSG(test, !memcmp(s->space, s->expected, sizeof(*s->space)),
			      "%s, window %u/%u: memory differs", s->drive->name,
			      s->drive->window, s->drive->private_window);
}

static struct space_test *space_start(struct kunit *test, const struct space_case *c)
{
	struct space_test *s = test->priv;

	quire_drive_set(s->drive, c->name, &c->args, c->max_packet_pages);
	KUNIT_ASSERT_EQ_MSG(test, quire_paging_check_args(&s->drive->caps, &c->args), 0,
			    "%s", c->name);
	expect(s->expected, &c->args);
	KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(s->drive), "%s: stuck", c->name);
	KUNIT_ASSERT_EQ_MSG(test, s->drive->passes, 1u, "%s", c->name);
	space_execute(test, s, 1);

	return s;
}

/* Every window from 0 to just enough does what one large window does. */
static void quire_space_every_window(struct kunit *test)
{
	const struct space_case *c = test->param_value;
	struct space_test *s = space_start(test, c);
	u32 enough = s->drive->emitted;
	u32 smallest = quire_drive_smallest(&c->args);
	u64 bytes = s->drive->bytes;
	u32 size;

	for (size = 0; size <= enough + 8; size++) {
		s->drive->window = size;
		if (size < smallest) {
			KUNIT_ASSERT_TRUE_MSG(test, !quire_drive_run(s->drive),
					      "%s: packet in %u bytes", c->name, size);
			KUNIT_ASSERT_EQ(test, s->drive->packets, 0u);
			continue;
		}
		KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(s->drive), "%s: stuck with %u bytes",
				      c->name, size);
		KUNIT_ASSERT_EQ_MSG(test, s->drive->bytes, bytes, "%s: bytes", c->name);
		KUNIT_ASSERT_EQ_MSG(test, s->drive->passes == 1, size >= enough,
				    "%s: %u passes with %u of %u bytes", c->name,
				    s->drive->passes, size, enough);
		space_execute(test, s, 1);
	}
}

/* One record a pass: the same packets, each alone. */
static void quire_space_one_record(struct kunit *test)
{
	const struct space_case *c = test->param_value;
	struct space_test *s = space_start(test, c);
	u32 size = s->drive->log_size;

	memcpy(s->scratch, s->drive->log, size);
	s->drive->private_window = 16;
	KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(s->drive), "%s: stuck", c->name);
	KUNIT_EXPECT_EQ(test, s->drive->passes, s->drive->packets);
	KUNIT_ASSERT_EQ(test, s->drive->log_size, size);
	KUNIT_EXPECT_MEMEQ(test, s->drive->log, s->scratch, size);
}

/* Windows of changing size, some too small for anything. */
static void quire_space_mixed_windows(struct kunit *test)
{
	const struct space_case *c = test->param_value;
	struct space_test *s = space_start(test, c);
	u32 round;

	for (round = 1; round <= 100; round++) {
		s->drive->seed = round;
		s->drive->window = quire_drive_smallest(&c->args) + round * 2;
		s->drive->private_window = 64;
		s->drive->forget = round % 2;
		KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(s->drive), "%s: stuck", c->name);
		space_execute(test, s, 1);
	}
}

/* A ring that is restarted executes a packet twice; and no byte refers to the arguments. */
static void quire_space_twice(struct kunit *test)
{
	const struct space_case *c = test->param_value;
	struct space_test *s = space_start(test, c);
	struct quire_paging_args args;

	memcpy(&args, &c->args, sizeof(args));
	s->drive->args = &args;
	KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(s->drive), "%s: stuck", c->name);
	memset(&args, 0xff, sizeof(args));
	space_execute(test, s, 2);
}

/* Both directions, every distance, with packets and windows that split. */
static void quire_space_overlap(struct kunit *test)
{
	struct space_case c = { .name = "overlap", .args = TRANSFER(VA(8), VA(0), 0, 2, 0) };
	struct quire_paging_transfer_virtual *transfer = &c.args.u.transfer_virtual;
	struct space_test *s = test->priv;
	u32 to;

	for (to = 0; to <= 17; to++) {
		for (c.max_packet_pages = 1; c.max_packet_pages <= 9; c.max_packet_pages++) {
			transfer->destination_virtual_address = VA(to);
			transfer->transfer_size = 7 * PAGE - c.max_packet_pages % 2 * 1000;
			space_start(test, &c);
			s->drive->window = 40 + c.max_packet_pages / 3 * 40;
			KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(s->drive), "stuck");
			space_execute(test, s, 2);
		}
	}
}

/* As few packets as there can be: those that are nowhere near another are as long as allowed. */
static void quire_space_long_packets(struct kunit *test)
{
	struct space_case apart = {
		"apart", 5, TRANSFER(VA(0), VA(12), 12 * PAGE, 0, 0) };
	struct space_case near = {
		"near", 5, TRANSFER(VA(0), VA(4), 12 * PAGE, 0, 0) };
	struct space_case fill = { "fill", 5, FILL(VA(0), 11 * PAGE, 0) };

	KUNIT_EXPECT_EQ(test, space_start(test, &apart)->drive->packets, 3u);
	KUNIT_EXPECT_EQ(test, space_start(test, &near)->drive->packets, 3u);
	KUNIT_EXPECT_EQ(test, space_start(test, &fill)->drive->packets, 3u);
	near.args.u.transfer_virtual.destination_virtual_address = VA(3);
	KUNIT_EXPECT_EQ(test, space_start(test, &near)->drive->packets, 4u);
}

KUNIT_ARRAY_PARAM_DESC(space, cases, name);

static struct kunit_case quire_paging_space_cases[] = {
	KUNIT_CASE_PARAM(quire_space_every_window, space_gen_params),
	KUNIT_CASE_PARAM(quire_space_one_record, space_gen_params),
	KUNIT_CASE_PARAM(quire_space_mixed_windows, space_gen_params),
	KUNIT_CASE_PARAM(quire_space_twice, space_gen_params),
	KUNIT_CASE(quire_space_overlap),
	KUNIT_CASE(quire_space_long_packets),
	{}
};

static struct kunit_suite quire_paging_space_suite = {
	.name = "quire_paging_space",
	.init = space_init,
	.test_cases = quire_paging_space_cases,
};

kunit_test_suite(quire_paging_space_suite);
