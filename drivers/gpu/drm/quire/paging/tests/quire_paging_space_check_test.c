// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "quire_paging_args.h"

/*
 * DOC: the checks of address spaces, page tables and contexts
 *
 * What is refused, and with which error; and what is next to it, and is not.
 */

#define VA_END	BIT_ULL(48)

struct check_case {
	const char *name;
	int err;
	struct quire_paging_args args;
};

#define TRANSFER(text, errno, from, to, bytes, ...)				\
	{ text, errno, { .operation = QUIRE_PAGING_VIRTUAL_TRANSFER,		\
		.u.transfer_virtual = { .source_virtual_address = from,		\
			.destination_virtual_address = to,			\
			.transfer_size = bytes, ##__VA_ARGS__ } } }
#define FILL(text, errno, to, bytes)						\
	{ text, errno, { .operation = QUIRE_PAGING_VIRTUAL_FILL, .u.fill_virtual = {	\
		.destination_virtual_address = to, .fill_size = bytes } } }
#define INIT(text, errno, virtual, where, at)					\
	{ text, errno, { .operation = QUIRE_PAGING_INIT_CONTEXT_RESOURCE,	\
		.u.init_context = { .is_virtual = virtual, .segment = where, .address = at } } }
#define CONTEXT(text, errno, where, size, at, nr, data)				\
	{ text, errno, { .operation = QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION,	\
		.u.update_context = { .context_allocation = where,		\
			.context_allocation_size = size, .offset = at,		\
			.driver_private_data_size = nr,				\
			.driver_private_data = data } } }
#define FLUSH(text, errno, leads, page, from, to)				\
	{ text, errno, { .operation = QUIRE_PAGING_FLUSH_TLB, .u.flush_tlb = {	\
		.root = { leads, page }, .start_virtual_address = from,		\
		.end_virtual_address = to } } }
#define RANGES(...)	(const struct quire_paging_copy_range[]) { __VA_ARGS__ }
#define COPY(text, errno, nr, ...)						\
	{ text, errno, { .operation = QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES,	\
		.u.copy_entries = { .num_ranges = nr, .ranges = __VA_ARGS__ } } }

#define ENTRIES(...)	(const struct quire_paging_pte[]) { __VA_ARGS__ }
#define UPDATE(text, errno, list, first, nr, ...)				\
	{ text, errno, { .operation = QUIRE_PAGING_UPDATE_PAGE_TABLE,		\
		.u.update_page_table = {					\
			.update_mode = QUIRE_PAGE_TABLE_GPU_VIRTUAL,		\
			.page_table_address.gpu_virtual = 0x1000,		\
			.page_table_entries = list, .start_index = first,	\
			.num_page_table_entries = nr, ##__VA_ARGS__ } } }
#define TABLE(text, errno, mode, ...)						\
	{ text, errno, { .operation = QUIRE_PAGING_UPDATE_PAGE_TABLE,		\
		.u.update_page_table = { .update_mode = mode,			\
			.page_table_address = { __VA_ARGS__ },			\
			.page_table_entries = four, .num_page_table_entries = 4 } } }
/* One entry of a level. */
#define ENTRY(text, errno, level, bits, number)					\
	{ text, errno, { .operation = QUIRE_PAGING_UPDATE_PAGE_TABLE,		\
		.u.update_page_table = {					\
			.update_mode = QUIRE_PAGE_TABLE_GPU_VIRTUAL,		\
			.page_table_level = level, .num_page_table_entries = 1,	\
			.page_table_entries = ENTRIES({ bits, number }) } } }
#define ENTRY_64K(text, errno, bits, number)					\
	{ text, errno, { .operation = QUIRE_PAGING_UPDATE_PAGE_TABLE,		\
		.u.update_page_table = {					\
			.update_mode = QUIRE_PAGE_TABLE_GPU_VIRTUAL,		\
			.flags = QUIRE_UPDATE_64K, .num_page_table_entries = 1,	\
			.page_table_entries = ENTRIES({ bits, number }) } } }

static const struct quire_paging_pte four[] = { { 1, 1 }, { 1, 2 }, { 1, 3 }, { 1, 4 } };
static __le64 cpu_table[512 + 1];

static const struct check_case cases[] = {
	TRANSFER("transfer to the end", 0, 0, VA_END - 8 * PAGE, 8 * PAGE),
	TRANSFER("transfer of a byte", 0, VA_END - PAGE, 0, 1, .flags = 3,
		 .transfer_direction = 2),
	TRANSFER("transfer of nothing from the end", 0, VA_END, VA_END, 0),
	TRANSFER("transfer from inside of a page", -EINVAL, 8, PAGE, PAGE),
	TRANSFER("transfer to inside of a page", -EINVAL, 0, PAGE + 8, PAGE),
	TRANSFER("transfer from behind the end", -ERANGE, VA_END, 0, PAGE),
	TRANSFER("transfer to behind the end", -ERANGE, 0, VA_END, 1),
	TRANSFER("transfer over the end", -ERANGE, VA_END - 8 * PAGE, 0, 8 * PAGE + 1),
	TRANSFER("transfer to over the end", -ERANGE, 0, VA_END - 8 * PAGE, 8 * PAGE + 1),
	TRANSFER("transfer of all 64 bits", -ERANGE, PAGE, PAGE, U64_MAX),
	TRANSFER("transfer from the top", -ERANGE, U64_MAX - 4095, 0, PAGE),
	TRANSFER("transfer of more than counts", -E2BIG, 0, 0, BIT_ULL(44)),
	TRANSFER("transfer in no direction", -EINVAL, 0, PAGE, PAGE, .transfer_direction = 3),
	TRANSFER("transfer with an unknown flag", -EINVAL, 0, PAGE, PAGE, .flags = BIT(2)),
	TRANSFER("transfer with a flag too far", -EINVAL, 0, PAGE, PAGE, .flags = BIT(16)),
	FILL("fill to the end", 0, VA_END - PAGE, PAGE),
	FILL("fill of half a word", -EINVAL, 0, 2),
	FILL("fill inside of a page", -EINVAL, 4, 4),
	FILL("fill over the end", -ERANGE, VA_END - PAGE, PAGE + 4),
	FILL("fill of all 64 bits", -ERANGE, 0, U64_MAX - 3),
	FILL("fill of more than counts", -E2BIG, 0, BIT_ULL(44)),
	INIT("last virtual context", 0, true, 0, VA_END - PAGE),
	INIT("virtual context with a segment", -EINVAL, true, 1, PAGE),
	INIT("virtual context inside of a page", -EINVAL, true, 0, PAGE + 8),
	INIT("virtual context behind the end", -ERANGE, true, 0, VA_END),
	INIT("last context of VRAM", 0, false, 1, 0xfff * PAGE),
	INIT("context behind VRAM", -ERANGE, false, 1, 0x1000 * PAGE),
	INIT("context behind the aperture", -ERANGE, false, 2, 0x800 * PAGE),
	INIT("context in segment 3", -EINVAL, false, 3, PAGE),
	INIT("context inside of a page of VRAM", -EINVAL, false, 1, 512),
	INIT("context at the top", -EOVERFLOW, false, 0, U64_MAX - 4095),
	CONTEXT("end of a context", 0, VA_END - PAGE, PAGE, 4088, 8, ""),
	CONTEXT("nothing of a context", 0, PAGE, PAGE, 4096, 0, NULL),
	CONTEXT("context of several pages", 0, PAGE, 4 * PAGE, 4000, 96, ""),
	CONTEXT("behind a context", -ERANGE, PAGE, PAGE, 4088, 16, ""),
	CONTEXT("behind the first page of a context", -ERANGE, PAGE, 4 * PAGE, 4096, 8, ""),
	CONTEXT("behind a small context", -ERANGE, PAGE, 64, 64, 8, ""),
	CONTEXT("context offset at the top", -ERANGE, PAGE, PAGE, 0xfffffff8, 8, ""),
	CONTEXT("context of half a word", -EINVAL, PAGE, PAGE, 0, 4, ""),
	CONTEXT("context from half a word", -EINVAL, PAGE, PAGE, 4, 8, ""),
	CONTEXT("context without data", -EINVAL, PAGE, PAGE, 0, 8, NULL),
	CONTEXT("context that is not at a page", -EINVAL, PAGE + 512, PAGE, 0, 8, ""),
	CONTEXT("context over the end", -ERANGE, VA_END - PAGE, 2 * PAGE, 0, 8, ""),
	FLUSH("flush of all", 0, 1, 5, 0, 0),
	FLUSH("flush to the end", 0, 0x21, 5, VA_END - PAGE, VA_END),
	FLUSH("flush without a root", -EINVAL, 0, 0, 0, 0),
	FLUSH("flush of a read-only root", -EINVAL, 0x29, 5, 0, 0),
	FLUSH("flush of a root in the aperture", -EINVAL, 0x41, 5, 0, 0),
	FLUSH("flush of a root behind VRAM", -ERANGE, 0x21, 0x1000, 0, 0),
	FLUSH("flush of a root at the top", -EOVERFLOW, 1, TOP, 0, 0),
	FLUSH("flush from inside of a page", -EINVAL, 1, 5, 8, PAGE),
	FLUSH("flush to inside of a page", -EINVAL, 1, 5, 0, 8),
	FLUSH("flush of nothing", -EINVAL, 1, 5, PAGE, PAGE),
	FLUSH("flush backwards", -EINVAL, 1, 5, 2 * PAGE, PAGE),
	FLUSH("flush to 0", -EINVAL, 1, 5, PAGE, 0),
	FLUSH("flush over the end", -ERANGE, 1, 5, 0, VA_END + PAGE),
	COPY("copy of a table", 0, 1, RANGES({ 512, 0, VA_END - PAGE, 0, 0 })),
	COPY("copy of no range", 0, 0, NULL),
	COPY("copy without ranges", -EINVAL, 1, NULL),
	COPY("copy of no entry", -EINVAL, 2, RANGES({ 1, 0, PAGE, 0, 0 }, { 0, 0, PAGE, 0, 0 })),
	COPY("copy from behind a table", -ERANGE, 1, RANGES({ 2, 0, PAGE, 511, 0 })),
	COPY("copy to behind a table", -ERANGE, 1, RANGES({ 2, 0, PAGE, 0, 511 })),
	COPY("copy from a start at the top", -ERANGE, 1, RANGES({ 2, 0, PAGE, U32_MAX, 0 })),
	COPY("copy from inside of a page", -EINVAL, 1, RANGES({ 1, 8, PAGE, 0, 0 })),
	COPY("copy to inside of a page", -EINVAL, 1, RANGES({ 1, 0, PAGE + 8, 0, 0 })),
	COPY("copy from behind the end", -ERANGE, 1, RANGES({ 1, VA_END, PAGE, 0, 0 })),
	COPY("copy to behind the end", -ERANGE, 1, RANGES({ 1, 0, VA_END, 0, 0 })),
	COPY("copy whose second range is too long", -ERANGE, 2,
	     RANGES({ 1, 0, PAGE, 0, 0 }, { 513, 0, PAGE, 0, 0 })),
	UPDATE("entries to the end of a table", 0, four, 508, 4, .page_table_level = 3),
	UPDATE("no entry", 0, NULL, 512, 0),
	UPDATE("no entry of a table that is new", -EINVAL, four, 0, 0,
	       .flags = QUIRE_UPDATE_INITIAL),
	UPDATE("entries that are nowhere", -EINVAL, NULL, 0, 1),
	UPDATE("entries behind the table", -ERANGE, four, 509, 4),
	UPDATE("too many entries", -ERANGE, ENTRIES({ 1, 1 }), 0, 513,
	       .flags = QUIRE_UPDATE_REPEAT),
	UPDATE("start at the top", -ERANGE, four, U32_MAX, 1),
	UPDATE("entries of level 4", -EINVAL, four, 0, 4, .page_table_level = 4),
	UPDATE("unknown flag", -EINVAL, four, 0, 4, .flags = QUIRE_UPDATE_CONTIGUOUS),
	UPDATE("native fence as a flag", -EINVAL, four, 0, 4, .flags = BIT(15)),
	UPDATE("last 64 KiB", 0, ENTRIES({ 1, 16 }), 31, 1, .flags = QUIRE_UPDATE_64K),
	UPDATE("behind the last 64 KiB", -ERANGE, ENTRIES({ 1, 16 }), 32, 1,
	       .flags = QUIRE_UPDATE_64K),
	UPDATE("64 KiB of level 1", -EINVAL, ENTRIES({ 0, 0 }), 0, 1, .page_table_level = 1,
	       .flags = QUIRE_UPDATE_64K),
	UPDATE("evicted, but the last is valid", -EINVAL, ENTRIES({ 0, 0 }, { 1, 1 }), 0, 2,
	       .flags = QUIRE_UPDATE_NOTIFY_EVICTION),
	UPDATE("evicted", 0, ENTRIES({ 0, 0 }, { 0, 0 }), 0, 2,
	       .flags = QUIRE_UPDATE_NOTIFY_EVICTION),
	UPDATE("repeated, others do not count", 0, ENTRIES({ 1, 1 }, { 0x800, 0 }), 0, 2,
	       .flags = QUIRE_UPDATE_REPEAT),
	UPDATE("last entry is bad", -EINVAL, ENTRIES({ 1, 1 }, { 0x800, 0 }), 0, 2),
	UPDATE("mapped last", 0, four, 0, 4, .first_pte_virtual_address = VA_END - PAGE),
	UPDATE("mapped inside of a page", -EINVAL, four, 0, 4, .first_pte_virtual_address = 8),
	UPDATE("mapped at the top", -ERANGE, four, 0, 4,
	       .first_pte_virtual_address = U64_MAX - 4095),
	TABLE("no mode", -EINVAL, 3, .gpu_virtual = 0x1000),
	TABLE("table inside of a page", -EINVAL, QUIRE_PAGE_TABLE_GPU_VIRTUAL,
	      .gpu_virtual = 0x1008),
	TABLE("table behind the end", -ERANGE, QUIRE_PAGE_TABLE_GPU_VIRTUAL,
	      .gpu_virtual = VA_END),
	TABLE("table of the CPU", 0, QUIRE_PAGE_TABLE_CPU_VIRTUAL,
	      .cpu_virtual = cpu_table),
	TABLE("no table of the CPU", -EINVAL, QUIRE_PAGE_TABLE_CPU_VIRTUAL,
	      .cpu_virtual = NULL),
	TABLE("table of the CPU, misaligned", -EINVAL, QUIRE_PAGE_TABLE_CPU_VIRTUAL,
	      .cpu_virtual = (void *)cpu_table + 4),
	TABLE("last table of VRAM", 0, QUIRE_PAGE_TABLE_GPU_PHYSICAL,
	      .gpu_physical = { 1, 0xfff * PAGE }),
	TABLE("table in system memory", 0, QUIRE_PAGE_TABLE_GPU_PHYSICAL,
	      .gpu_physical = { 0, 0x123456789000 }),
	TABLE("table behind VRAM", -ERANGE, QUIRE_PAGE_TABLE_GPU_PHYSICAL,
	      .gpu_physical = { 1, 0x1000 * PAGE }),
	TABLE("table in the aperture", -EINVAL, QUIRE_PAGE_TABLE_GPU_PHYSICAL,
	      .gpu_physical = { 2, PAGE }),
	TABLE("table inside of a page of VRAM", -EINVAL, QUIRE_PAGE_TABLE_GPU_PHYSICAL,
	      .gpu_physical = { 1, 512 }),
	TABLE("table at the top", -EOVERFLOW, QUIRE_PAGE_TABLE_GPU_PHYSICAL,
	      .gpu_physical = { 0, U64_MAX - 4095 }),
	ENTRY("page with all bits", 0, 0, 0x1d, 0x1234),
	ENTRY("last page of VRAM", 0, 0, 0x21, 0xfff),
	ENTRY("page behind VRAM", -ERANGE, 0, 0x21, 0x1000),
	ENTRY("page behind the aperture", -ERANGE, 0, 0x41, 0x800),
	ENTRY("page in segment 3", -EINVAL, 0, 0x61, 1),
	ENTRY("page at the top", -EOVERFLOW, 0, 1, TOP),
	ENTRY("page above 64 bits", -EOVERFLOW, 0, 1, BIT_ULL(52)),
	ENTRY("page of VRAM above 64 bits", -EOVERFLOW, 0, 0x21, U64_MAX),
	ENTRY("one of 64 KiB, given", -EINVAL, 0, 0x801, 0x10),
	ENTRY("bit of the address", -EINVAL, 0, 0x1001, 0x10),
	ENTRY("highest bit", -EINVAL, 0, BIT_ULL(63) | 1, 0x10),
	ENTRY("large page of level 0", -EINVAL, 0, 0x401, 0x200),
	ENTRY("nothing", 0, 0, 0, 0),
	ENTRY("nothing, with a page", -EINVAL, 0, 0, 1),
	ENTRY("nothing, with a segment", -EINVAL, 0, 0x20, 0),
	ENTRY("nothing, but zero", -EINVAL, 0, 2, 0),
	ENTRY("zero", 0, 0, 0xb, 0),
	ENTRY("zero, with a page", -EINVAL, 0, 3, 1),
	ENTRY("zero, with a segment", -EINVAL, 0, 0x23, 0),
	ENTRY("zero that is coherent", -EINVAL, 0, 7, 0),
	ENTRY("coherent page", 0, 0, 0x1d, 1),
	ENTRY("coherent page of VRAM", -EINVAL, 0, 0x25, 1),
	ENTRY("coherent page of the aperture", -EINVAL, 0, 0x45, 1),
	ENTRY("coherent large page", 0, 1, 0x405, 0x200),
	ENTRY("coherent large page of VRAM", -EINVAL, 1, 0x425, 0x200),
	ENTRY("coherent large page of zeros", -EINVAL, 1, 0x407, 0),
	ENTRY("large page", 0, 1, 0x439, 0xe00),
	ENTRY("large page of zeros", 0, 1, 0x403, 0),
	ENTRY("large page behind VRAM", -ERANGE, 1, 0x421, 0x1000),
	ENTRY("large page that is not aligned", -EINVAL, 1, 0x421, 0x210),
	ENTRY("large page of level 2", -EINVAL, 2, 0x421, 0x200),
	ENTRY("table", 0, 1, 0x21, 0x201),
	ENTRY("table that is read-only", -EINVAL, 1, 0x29, 0x201),
	ENTRY("table of zeros", -EINVAL, 1, 3, 0),
	ENTRY("table that is coherent", -EINVAL, 3, 5, 0x201),
	ENTRY("table of level 3 in the aperture", -EINVAL, 3, 0x41, 1),
	ENTRY("table of level 3 behind VRAM", -ERANGE, 3, 0x21, 0x1000),
	ENTRY_64K("64 KiB", 0, 0x29, 0xff0),
	ENTRY_64K("64 KiB that are not aligned", -EINVAL, 0x21, 0x18),
	ENTRY_64K("64 KiB behind the aperture", -ERANGE, 0x41, 0x800),
	ENTRY_64K("64 KiB at the top", -EOVERFLOW, 1, TOP - 15),
	ENTRY_64K("64 KiB, and large", -EINVAL, 0x401, 0x200),
	ENTRY_64K("64 KiB of zeros", 0, 3, 0),
	ENTRY_64K("coherent 64 KiB", 0, 5, 0x10),
	ENTRY_64K("coherent 64 KiB of VRAM", -EINVAL, 0x25, 0x10),
};

KUNIT_ARRAY_PARAM_DESC(check, cases, name);

static void quire_space_checked(struct kunit *test)
{
	const struct check_case *c = test->param_value;
	struct quire_paging_args args;

	memcpy(&args, &c->args, sizeof(args));
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&caps, &args), c->err);
	KUNIT_EXPECT_MEMEQ(test, &args, &c->args, sizeof(args));
}

/* 64 KiB have to be in their segment with all of their pages. */
static void quire_space_odd_segment(struct kunit *test)
{
	const struct quire_paging_pte pte[] = { { 0x21, 0x1000 } };
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_UPDATE_PAGE_TABLE, .u.update_page_table = {
			.update_mode = QUIRE_PAGE_TABLE_GPU_VIRTUAL,
			.page_table_entries = pte, .num_page_table_entries = 1,
			.flags = QUIRE_UPDATE_64K,
		},
	};
	struct quire_paging_caps odd = caps;

	odd.vram_pages = 0x100f;
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&odd, &args), -ERANGE);
	odd.vram_pages = 0x1010;
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&odd, &args), 0);
	args.u.update_page_table.flags = 0;
	odd.vram_pages = 0x1001;
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&odd, &args), 0);
	odd.vram_pages = 0x1000;
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&odd, &args), -ERANGE);
}

static struct kunit_case quire_paging_space_check_cases[] = {
	KUNIT_CASE_PARAM(quire_space_checked, check_gen_params),
	KUNIT_CASE(quire_space_odd_segment),
	{}
};

static struct kunit_suite quire_paging_space_check_suite = {
	.name = "quire_paging_space_check",
	.test_cases = quire_paging_space_check_cases,
};

kunit_test_suite(quire_paging_space_check_suite);
