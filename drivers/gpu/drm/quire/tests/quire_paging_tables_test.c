// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <kunit/test.h>

#include <linux/slab.h>
#include <linux/string.h>

#include "quire_paging_drive.h"
#include "quire_paging_tables.h"

/*
 * DOC: what packets of fences do
 *
 * As quire_paging_space_test.c has it for address spaces: every case is built with every window
 * size and executed on the model. What the model must hold afterwards is computed here from
 * the arguments alone.
 */

/**
 * struct tables_case - one operation
 * @name: for messages
 * @max_packet_pages: of the device
 * @packets: that it takes, in a window that is large enough
 * @args: the operation
 */
struct tables_case {
	const char *name;
	u32 max_packet_pages;
	u32 packets;
	struct quire_paging_args args;
};

#define SIGNAL(address, number)							\
	{ .operation = QUIRE_PAGING_SIGNAL_MONITORED_FENCE, .u.signal_fence = {	\
		.monitored_fence_gpu_va = address, .monitored_fence_value = number } }

static const struct tables_case cases[] = {
	{ "signal", 1, 1, SIGNAL(QUIRE_TABLES_VA + 0x128, 0x123456789abcdef0) },
	{ "signal of 0 at the end", 1, 1, SIGNAL(QUIRE_TABLES_VA + 4088, 0) },
};

/* What tests of one case share. */
struct tables_test {
	struct quire_drive *drive;
	struct quire_tables *tables;
	struct quire_tables *expected;
};

static int tables_init(struct kunit *test)
{
	struct tables_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->drive = quire_drive_create(test);
	t->tables = kunit_kzalloc(test, sizeof(*t->tables), GFP_KERNEL);
	t->expected = kunit_kzalloc(test, sizeof(*t->expected), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->tables);
	KUNIT_ASSERT_NOT_NULL(test, t->expected);
	test->priv = t;

	return 0;
}

/* The operation as one step. */
static void expect(struct quire_tables *tables, const struct quire_paging_args *args)
{
	const struct quire_paging_signal_fence *signal = &args->u.signal_fence;

	quire_tables_reset(tables);
	tables->fences[(signal->monitored_fence_gpu_va & 4095) / 8] =
		signal->monitored_fence_value;
	tables->interrupts = 1;
}

/* Executes the log of the drive and compares with what is expected. */
static void tables_execute(struct kunit *test, struct tables_test *t)
{
	const char *wrong;

	quire_tables_reset(t->tables);
	wrong = quire_tables_execute(t->tables, t->drive->log, t->drive->log_size);
	KUNIT_ASSERT_TRUE_MSG(test, !wrong, "%s, window %u/%u: %s", t->drive->name,
			      t->drive->window, t->drive->private_window, wrong);
	KUNIT_ASSERT_TRUE_MSG(test, !memcmp(t->tables, t->expected, sizeof(*t->tables)),
			      "%s, window %u/%u: tables differ", t->drive->name,
			      t->drive->window, t->drive->private_window);
}

static struct tables_test *tables_start(struct kunit *test, const struct tables_case *c)
{
	struct tables_test *t = test->priv;

	quire_drive_set(t->drive, c->name, &c->args, c->max_packet_pages);
	KUNIT_ASSERT_EQ_MSG(test, quire_paging_check_args(&t->drive->caps, &c->args), 0,
			    "%s", c->name);
	expect(t->expected, &c->args);
	KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(t->drive), "%s: stuck", c->name);
	KUNIT_ASSERT_EQ_MSG(test, t->drive->passes, 1u, "%s", c->name);
	KUNIT_EXPECT_EQ_MSG(test, t->drive->packets, c->packets, "%s", c->name);
	tables_execute(test, t);

	return t;
}

/* Every window from 0 to just enough does what one large window does. */
static void quire_tables_every_window(struct kunit *test)
{
	const struct tables_case *c = test->param_value;
	struct tables_test *t = tables_start(test, c);
	u32 smallest = quire_drive_smallest(&c->args);
	u32 enough = t->drive->emitted;
	u64 bytes = t->drive->bytes;
	u32 size;

	for (size = 0; size <= enough + 8; size++) {
		t->drive->window = size;
		if (size < smallest) {
			KUNIT_ASSERT_TRUE_MSG(test, !quire_drive_run(t->drive),
					      "%s: packet in %u bytes", c->name, size);
			KUNIT_ASSERT_EQ(test, t->drive->packets, 0u);
			continue;
		}
		KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(t->drive), "%s: stuck with %u bytes",
				      c->name, size);
		KUNIT_ASSERT_EQ_MSG(test, t->drive->bytes, bytes, "%s: bytes", c->name);
		KUNIT_ASSERT_EQ_MSG(test, t->drive->passes == 1, size >= enough,
				    "%s: %u passes with %u of %u bytes", c->name,
				    t->drive->passes, size, enough);
		tables_execute(test, t);
	}
}

/* One record a pass: the same packets, each alone. */
static void quire_tables_one_record(struct kunit *test)
{
	const struct tables_case *c = test->param_value;
	struct tables_test *t = tables_start(test, c);

	t->drive->private_window = 16;
	KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(t->drive), "%s: stuck", c->name);
	KUNIT_EXPECT_EQ(test, t->drive->passes, c->packets);
	KUNIT_EXPECT_EQ(test, t->drive->packets, c->packets);
	tables_execute(test, t);
}

/* Windows of changing size, some too small for anything. */
static void quire_tables_mixed_windows(struct kunit *test)
{
	const struct tables_case *c = test->param_value;
	struct tables_test *t = tables_start(test, c);
	u32 round;

	for (round = 1; round <= 100; round++) {
		t->drive->seed = round;
		t->drive->window = quire_drive_smallest(&c->args) + round * 2;
		t->drive->private_window = 64;
		t->drive->forget = round % 2;
		KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(t->drive), "%s: stuck", c->name);
		tables_execute(test, t);
	}
}

KUNIT_ARRAY_PARAM_DESC(tables, cases, name);

static struct kunit_case quire_paging_tables_cases[] = {
	KUNIT_CASE_PARAM(quire_tables_every_window, tables_gen_params),
	KUNIT_CASE_PARAM(quire_tables_one_record, tables_gen_params),
	KUNIT_CASE_PARAM(quire_tables_mixed_windows, tables_gen_params),
	{}
};

static struct kunit_suite quire_paging_tables_suite = {
	.name = "quire_paging_tables",
	.init = tables_init,
	.test_cases = quire_paging_tables_cases,
};

kunit_test_suite(quire_paging_tables_suite);
