// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "quire_paging_drive.h"
#include "quire_paging_tables.h"

/*
 * DOC: what packets of fences, notices and MMUs do
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

#define RESIDENCY(object, ...)							\
	{ .operation = QUIRE_PAGING_NOTIFY_RESIDENCY, .allocation = object,	\
	  .u.notify_residency = { __VA_ARGS__ } }
#define RESIDENCY2(object, first, nr, number, ...)				\
	{ .operation = QUIRE_PAGING_NOTIFY_RESIDENCY2, .allocation = object,	\
	  .u.notify_residency2 = {						\
		.allocation_offset_in_pages = first, .size_in_pages = nr,	\
		.segment = number, ##__VA_ARGS__ } }
#define GOING(object, kind, first, bytes, address)				\
	{ .operation = QUIRE_PAGING_NOTIFY_ALLOC, .allocation = object,		\
	  .u.notify_alloc = { .flags = kind, .offset_in_bytes = first,		\
		.size_in_bytes = bytes, .gpu_virtual_address_at_offset = address } }

#define MAP(address, id, number, first, list, ...)				\
	{ .operation = QUIRE_PAGING_MAP_MMU, .u.map_mmu = {			\
		.virtual_address = address, .mmu_id = id, .segment = number,	\
		.allocation_offset_in_pages = first,				\
		.adl = { .page_count = ARRAY_SIZE(list), .pages = list }, ##__VA_ARGS__ } }
#define MAP_RANGE(address, id, number, first, ...)				\
	{ .operation = QUIRE_PAGING_MAP_MMU, .u.map_mmu = {			\
		.virtual_address = address, .mmu_id = id, .segment = number,	\
		.allocation_offset_in_pages = first, .adl = {			\
			.contiguous = true, ##__VA_ARGS__ } } }
#define UNMAP(address, id, pages)						\
	{ .operation = QUIRE_PAGING_UNMAP_MMU, .u.unmap_mmu = {			\
		.virtual_address = address, .mmu_id = id,			\
		.number_of_pages = pages } }

#define TELL(list)								\
	{ .operation = QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY, .u.notify_fences = {	\
		.num_fences = ARRAY_SIZE(list), .fences = list } }

#define PAGE	4096ull
#define V(nr)	(QUIRE_MODEL_VRAM_BASE + (nr))

/* 9 pages of backing, 11 in VRAM. */
static const struct quire_paging_allocation coming = {
	.needs_idle = true, .size = 9 * PAGE - 100, .pitch_aligned_size = 11 * PAGE - 100,
	.id = 0x12345678,
};

static const struct quire_paging_allocation leaving = {
	.needs_idle = true, .size = QUIRE_TABLES_LEFT * PAGE,
	.pitch_aligned_size = QUIRE_TABLES_LEFT * PAGE, .id = QUIRE_TABLES_LEAVING,
};

static const struct quire_page_run scattered[] = {
	{ V(8), 2 }, { V(0), 4 }, { V(31), 1 }, { V(10), 9 },
};

static const struct quire_page_run reversed[] = {
	{ 11, 1 }, { 10, 1 }, { 9, 1 }, { 8, 1 }, { 2, 2 }, { 0, 1 },
};

static const u64 system_pages[] = { 0x123456789abcd, 7, 8, 3, 0xfff00, V(0), V(31), 0x400000000 };
static const u64 vram_pages[] = { V(9), V(8), V(7), V(31), V(30), V(0) };

/* One moves on, some come, one leaves, one is told of twice. */
static const struct quire_paging_fence_residency fences[] = {
	{ 3, 7, 0x100000000000000 | (V(31) * PAGE + 4088), 0x200000000000008 },
	{ 1, 0x123456789abcdef1, 0x200000000000010, 0xfffffffffffff8 },
	{ 1023, 0x8001, 8, 16 },
	{ .native_fence = 6 },
	{ 2, 3, 0x10000, 0x10040 },
	{ 1, 0x21, 0x20000, 0x20040 },
};

static const struct quire_paging_fence_residency one_fence[] = { { 0, 5, 0x1000, 0x1040 } };

static const struct tables_case cases[] = {
	{ "fence", 1, 1, TELL(one_fence) },
	{ "fences", 1000, 1, TELL(fences) },
	{ "fences, packets of 4", 4, 2, TELL(fences) },
	{ "fences, packets of 1", 1, 6, TELL(fences) },
	{ "comes to VRAM", 1, 1, RESIDENCY(&coming, true, 1, V(8) * PAGE) },
	{ "comes to the aperture", 1, 1, RESIDENCY(&coming, true, 2, 2 * PAGE) },
	{ "leaves", 1, 1, RESIDENCY(&leaving, false, 0, 0) },
	{ "part comes to VRAM", 1000, 1,
	  RESIDENCY2(&coming, 3, 8, 1, .resident = true, .contiguous = true,
		     .physical_address = V(9) * PAGE) },
	{ "part comes to VRAM, packets of 3", 3, 3,
	  RESIDENCY2(&coming, 3, 8, 1, .resident = true, .contiguous = true,
		     .physical_address = V(9) * PAGE) },
	{ "part comes to pages of VRAM", 1000, 1,
	  RESIDENCY2(&coming, 1, 10, 1, .resident = true,
		     .mdl = { 1, ARRAY_SIZE(scattered), 0, scattered }) },
	{ "part comes to pages of VRAM, packets of 4", 4, 3,
	  RESIDENCY2(&coming, 1, 10, 1, .resident = true,
		     .mdl = { 1, ARRAY_SIZE(scattered), 0, scattered }) },
	{ "part comes to pages of the aperture", 1000, 1,
	  RESIDENCY2(&coming, 4, 5, 2, .resident = true,
		     .mdl = { 2, ARRAY_SIZE(reversed), 3, reversed }) },
	{ "part comes to pages of the aperture, packets of 1", 1, 5,
	  RESIDENCY2(&coming, 4, 5, 2, .resident = true,
		     .mdl = { 2, ARRAY_SIZE(reversed), 4, reversed }) },
	{ "part leaves VRAM", 1000, 1, RESIDENCY2(&leaving, 0, 6, 1) },
	{ "part leaves the aperture", 1000, 1, RESIDENCY2(&leaving, 1, 4, 2) },
	{ "part leaves the aperture, packets of 3", 3, 2, RESIDENCY2(&leaving, 1, 4, 2) },
	{ "map", 1000, 1, MAP(8 * PAGE, 1, 0, 0, system_pages) },
	{ "map of the rest of a list, coherent, packets of 2", 2, 3,
	  MAP(0, 0, 0, 3, system_pages, .flags = QUIRE_MAPAPERTURE_CACHE_COHERENT) },
	{ "map of VRAM, packets of 5", 5, 2, MAP(PAGE, 1, 1, 0, vram_pages) },
	{ "map of a range", 1000, 1,
	  MAP_RANGE(2 * PAGE, 1, 0, 0, .page_count = 14, .base_page_number = 0x123456789abcd) },
	{ "map of the rest of a range, packets of 3", 3, 3,
	  MAP_RANGE(PAGE, 0, 1, 0x1004, .page_count = 11, .base_page_number = V(9),
		    .start = 0x1001) },
	{ "unmap", 1, 1, UNMAP(3 * PAGE, 0, 9) },
	{ "unmap of all", 1000, 1, UNMAP(0, 1, QUIRE_MODEL_MMU) },
	{ "eviction", 1, 1, GOING(&coming, 1, 2 * PAGE, 7 * PAGE, 0xffffffff9000) },
	{ "pages are forgotten", 1, 1, GOING(&coming, 2, 0, PAGE, 0) },
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

static void expect_signal(struct quire_tables *tables,
			  const struct quire_paging_signal_fence *signal)
{
	tables->fences[(signal->monitored_fence_gpu_va & 4095) / 8] =
		signal->monitored_fence_value;
	tables->interrupts = 1;
}

static void expect_residency(struct quire_tables *tables, u32 allocation,
			     const struct quire_paging_notify_residency *notify)
{
	u32 pages = notify->segment == 1 ? 11 : 9;
	u32 i;

	for (i = 0; i < pages && notify->resident; i++)
		*quire_tables_page(tables, notify->segment, notify->physical_address / PAGE + i) =
			(struct quire_tables_page) { allocation, i };
	if (notify->resident)
		return;

	for (i = 0; i < QUIRE_MODEL_VRAM; i++)
		if (tables->vram[i].allocation == allocation)
			memset(&tables->vram[i], 0, sizeof(tables->vram[i]));
	for (i = 0; i < QUIRE_MODEL_APERTURE; i++)
		if (tables->aperture[i].allocation == allocation)
			memset(&tables->aperture[i], 0, sizeof(tables->aperture[i]));
}

/* Where page @page of the allocation is in the segment; there is one. */
static struct quire_tables_page *find(struct quire_tables *tables, u32 segment, u32 allocation,
				      u32 page)
{
	struct quire_tables_page *at = segment == 1 ? tables->vram : tables->aperture;

	while (at->allocation != allocation || at->offset != page)
		at++;

	return at;
}

static void expect_residency2(struct quire_tables *tables, u32 allocation,
			      const struct quire_paging_notify_residency2 *notify)
{
	u32 page = notify->allocation_offset_in_pages;
	u32 end = page + notify->size_in_pages;
	u64 nr;

	for (; page < end; page++) {
		if (!notify->resident) {
			memset(find(tables, notify->segment, allocation, page), 0,
			       sizeof(struct quire_tables_page));
			continue;
		}
		if (notify->contiguous)
			nr = notify->physical_address / PAGE + page -
			     notify->allocation_offset_in_pages;
		else
			nr = quire_drive_page(&notify->mdl, page - notify->mdl.start, NULL);
		*quire_tables_page(tables, notify->segment, nr) =
			(struct quire_tables_page) { allocation, page };
	}
}

static void expect_fences(struct quire_tables *tables,
			  const struct quire_paging_notify_fences *notify)
{
	u32 i;

	for (i = 0; i < notify->num_fences; i++) {
		const struct quire_paging_fence_residency *fence = &notify->fences[i];
		struct quire_tables_native *native = &tables->native[fence->native_fence];

		native->owner = fence->owner;
		native->values[0] = fence->current_value_address;
		native->values[1] = fence->monitored_value_address;
	}
}

static void expect_map(struct quire_tables *tables, const struct quire_paging_map_mmu *map)
{
	u32 nr = map->allocation_offset_in_pages - map->adl.start;
	struct quire_tables_mapped *to = &tables->mmu[map->mmu_id][map->virtual_address / PAGE];

	for (; nr < map->adl.page_count; nr++, to++) {
		to->page = map->adl.contiguous ? map->adl.base_page_number + nr :
						 map->adl.pages[nr];
		to->segment = map->segment;
		to->flags = map->flags ? 3 : 1;
	}
}

static void expect_going(struct quire_tables *tables, u32 allocation,
			 const struct quire_paging_notify_alloc *notify)
{
	tables->going.flags = notify->flags;
	tables->going.allocation = allocation;
	tables->going.offset = notify->offset_in_bytes;
	tables->going.size = notify->size_in_bytes;
	tables->going.address = notify->gpu_virtual_address_at_offset;
	tables->notices = 1;
}

/* The operation as one step. */
static void expect(struct quire_tables *tables, const struct quire_paging_args *args)
{
	const struct quire_paging_unmap_mmu *unmap = &args->u.unmap_mmu;
	u32 allocation = args->allocation ? args->allocation->id : 0;

	quire_tables_reset(tables);
	switch (args->operation) {
	case QUIRE_PAGING_SIGNAL_MONITORED_FENCE:
		expect_signal(tables, &args->u.signal_fence);
		break;
	case QUIRE_PAGING_NOTIFY_RESIDENCY:
		expect_residency(tables, allocation, &args->u.notify_residency);
		break;
	case QUIRE_PAGING_NOTIFY_RESIDENCY2:
		expect_residency2(tables, allocation, &args->u.notify_residency2);
		break;
	case QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY:
		expect_fences(tables, &args->u.notify_fences);
		break;
	case QUIRE_PAGING_MAP_MMU:
		expect_map(tables, &args->u.map_mmu);
		break;
	case QUIRE_PAGING_UNMAP_MMU:
		memset(&tables->mmu[unmap->mmu_id][unmap->virtual_address / PAGE], 0,
		       unmap->number_of_pages * sizeof(struct quire_tables_mapped));
		break;
	default:
		expect_going(tables, allocation, &args->u.notify_alloc);
		break;
	}
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
