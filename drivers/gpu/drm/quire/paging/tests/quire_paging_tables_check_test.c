// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <kunit/test.h>

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "quire_paging_args.h"

/*
 * DOC: the checks of fences, notices and MMUs
 *
 * What is refused, and with which error; and what is next to it, and is not.
 */

#define VA_END	BIT_ULL(48)

struct check_case {
	const char *name;
	int err;
	struct quire_paging_args args;
};

#define SIGNAL(text, errno, address)						\
	{ text, errno, { .operation = QUIRE_PAGING_SIGNAL_MONITORED_FENCE,	\
		.u.signal_fence.monitored_fence_gpu_va = address } }

/* 0x20 pages of backing, 0x30 in VRAM. */
static const struct quire_paging_allocation object = {
	.size = 0x20 * PAGE - 8, .pitch_aligned_size = 0x30 * PAGE - 8, .id = 1,
};

static const struct quire_paging_allocation unnamed = {
	.size = 0x20 * PAGE, .pitch_aligned_size = 0x30 * PAGE,
};

static const struct quire_paging_allocation empty = { .id = 2 };

/* The last has more pages than can be counted. */
static const struct quire_paging_allocation huge[] = {
	{ .size = U32_MAX * PAGE, .pitch_aligned_size = U32_MAX * PAGE, .id = 3 },
	{ .size = U32_MAX * PAGE + 1, .pitch_aligned_size = U32_MAX * PAGE + 1, .id = 4 },
};

#define RESIDENCY(text, errno, whose, ...)					\
	{ text, errno, { .operation = QUIRE_PAGING_NOTIFY_RESIDENCY,		\
		.allocation = whose, .u.notify_residency = { __VA_ARGS__ } } }
#define PART(text, errno, whose, first, nr, number, ...)			\
	{ text, errno, { .operation = QUIRE_PAGING_NOTIFY_RESIDENCY2,		\
		.allocation = whose, .u.notify_residency2 = {			\
			.allocation_offset_in_pages = first,			\
			.size_in_pages = nr, .segment = number, ##__VA_ARGS__ } } }
#define COMES(text, errno, first, nr, number, address)				\
	PART(text, errno, &object, first, nr, number, .resident = true,		\
	     .contiguous = true, .physical_address = address)
#define LISTED(text, errno, first, nr, number, ...)				\
	PART(text, errno, &object, first, nr, number, .resident = true,		\
	     .mdl = { __VA_ARGS__ })
#define GOING(text, errno, whose, kind, first, bytes, address)			\
	{ text, errno, { .operation = QUIRE_PAGING_NOTIFY_ALLOC,		\
		.allocation = whose, .u.notify_alloc = {			\
			.flags = kind, .offset_in_bytes = first,		\
			.size_in_bytes = bytes,					\
			.gpu_virtual_address_at_offset = address } } }
#define MAP(text, errno, id, address, number, first, ...)			\
	{ text, errno, { .operation = QUIRE_PAGING_MAP_MMU, .u.map_mmu = {	\
		.mmu_id = id, .virtual_address = address, .segment = number,	\
		.allocation_offset_in_pages = first, .adl = { __VA_ARGS__ } } } }
#define UNMAP(text, errno, id, address, nr)					\
	{ text, errno, { .operation = QUIRE_PAGING_UNMAP_MMU, .u.unmap_mmu = {	\
		.mmu_id = id, .virtual_address = address, .number_of_pages = nr } } }
#define FENCE(text, errno, ...)							\
	{ text, errno, { .operation = QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY,	\
		.u.notify_fences = { .num_fences = 2, .fences =			\
			FENCES({ 1, 1, 8, 16 }, { __VA_ARGS__ }) } } }
/* The pages of a map. */
#define RANGE(first, nr, page)							\
	.start = first, .page_count = nr, .contiguous = true, .base_page_number = page
#define LIST(nr, ...)	.page_count = nr, .pages = __VA_ARGS__

static const struct check_case cases[] = {
	SIGNAL("signal of the last fence", 0, VA_END - 8),
	SIGNAL("signal behind the end", -ERANGE, VA_END),
	SIGNAL("signal at the top", -ERANGE, U64_MAX - 7),
	SIGNAL("signal of half a value", -EINVAL, 4),
	RESIDENCY("comes to the end of VRAM", 0, &object, true, 1, 0xfd0 * PAGE),
	RESIDENCY("comes to the end of the aperture", 0, &object, true, 2, 0x7e0 * PAGE),
	RESIDENCY("leaves", 0, &object, false, 0, 0),
	RESIDENCY("comes to the end of VRAM, and further", -ERANGE, &object, true, 1,
		  0xfd1 * PAGE),
	RESIDENCY("comes to the end of the aperture, and further", -ERANGE, &object, true, 2,
		  0x7e1 * PAGE),
	RESIDENCY("comes to the top", -EOVERFLOW, &object, true, 1, U64_MAX - 4095),
	RESIDENCY("comes to inside of a page", -EINVAL, &object, true, 1, 8),
	RESIDENCY("comes to system memory", -EINVAL, &object, true, 0, PAGE),
	RESIDENCY("comes to segment 3", -EINVAL, &object, true, 3, PAGE),
	RESIDENCY("nothing comes", -EINVAL, NULL, true, 1, 0),
	RESIDENCY("nothing leaves", -EINVAL, NULL, false, 0, 0),
	RESIDENCY("comes without a number", -EINVAL, &unnamed, true, 1, 0),
	RESIDENCY("leaves without a number", -EINVAL, &unnamed, false, 0, 0),
	RESIDENCY("comes and has no page", -EINVAL, &empty, true, 1, 0),
	RESIDENCY("comes and is as large as can be counted", -ERANGE, &huge[0], true, 1, 0),
	RESIDENCY("comes and is too large", -E2BIG, &huge[1], true, 1, 0),
	RESIDENCY("leaves for a segment", -EINVAL, &object, false, 1, 0),
	RESIDENCY("leaves for an address", -EINVAL, &object, false, 0, PAGE),
	COMES("all comes to the end of VRAM", 0, 0, 0x30, 1, 0xfd0 * PAGE),
	COMES("all comes to the end of the aperture", 0, 0, 0x20, 2, 0x7e0 * PAGE),
	COMES("last page comes", 0, 0x2f, 1, 1, 0),
	COMES("none comes from the end", 0, 0x30, 0, 1, 0),
	COMES("more than it has comes to VRAM", -ERANGE, 0x2f, 2, 1, 0),
	COMES("more than it has comes to the aperture", -ERANGE, 0x1f, 2, 2, 0),
	COMES("part whose end does not fit", -ERANGE, U32_MAX, 2, 1, 0),
	COMES("part comes to behind VRAM", -ERANGE, 0, 2, 1, 0xfff * PAGE),
	COMES("part comes to behind the aperture", -ERANGE, 0, 2, 2, 0x7ff * PAGE),
	COMES("part comes to the top", -EOVERFLOW, 0, 1, 1, U64_MAX - 4095),
	COMES("part comes to inside of a page", -EINVAL, 0, 1, 1, 2048),
	COMES("part comes to system memory", -EINVAL, 0, 1, 0, 0),
	COMES("part comes to segment 3", -EINVAL, 0, 1, 3, 0),
	LISTED("list that is long enough", 0, 2, 4, 1, 1, 2, 1, RUNS({ 1, 2 }, { 0xffd, 3 })),
	LISTED("list that is too short", -ERANGE, 2, 5, 1, 1, 2, 1, RUNS({ 1, 2 }, { 9, 3 })),
	LISTED("list that begins too late", -ERANGE, 2, 1, 1, 1, 1, 3, RUNS({ 1, 2 })),
	LISTED("list of another segment", -EINVAL, 0, 1, 1, 2, 1, 0, RUNS({ 1, 2 })),
	LISTED("list that is nowhere", -EINVAL, 0, 1, 1, 1, 1, 0, NULL),
	LISTED("list with an empty run", -EINVAL, 0, 1, 1, 1, 2, 0, RUNS({ 1, 2 }, { 4, 0 })),
	LISTED("list that leaves VRAM", -ERANGE, 0, 1, 1, 1, 2, 0, RUNS({ 1, 2 }, { 0xfff, 2 })),
	LISTED("list of a page at the top", -EOVERFLOW, 0, 1, 1, 1, 1, 0, RUNS({ TOP, 1 })),
	PART("all leaves VRAM", 0, &object, 0, 0x30, 1),
	PART("all leaves the aperture", 0, &object, 0, 0x20, 2),
	PART("more than it has leaves", -ERANGE, &object, 1, 0x20, 2),
	PART("part leaves system memory", -EINVAL, &object, 0, 1, 0),
	PART("part leaves segment 3", -EINVAL, &object, 0, 1, 3),
	PART("part leaves for a place", -EINVAL, &object, 0, 1, 1, .contiguous = true),
	PART("part leaves for a list", -EINVAL, &object, 0, 1, 1,
	     .mdl = LOCATION(VRAM, 1, { 1, 2 })),
	PART("part of nothing", -EINVAL, NULL, 0, 1, 1),
	PART("part without a number", -EINVAL, &unnamed, 0, 1, 1),
	PART("part up to the last page that counts", 0, &huge[0], 0, U32_MAX, 1),
	PART("part behind the last page that counts", -E2BIG, &huge[1], U32_MAX, 1, 1),
	{ "no list of fences", -EINVAL, { .operation = QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY,
		.u.notify_fences.num_fences = 1 } },
	FENCE("last fence", 0, 1023, ~0ull, 8, VA_END),
	FENCE("fence that is nowhere", 0, .native_fence = 1023),
	FENCE("fence behind the last", -ERANGE, 1024, 1, 8, 16),
	FENCE("fence behind the last, nowhere", -ERANGE, .native_fence = 1024),
	FENCE("fence of nobody", -EINVAL, 0, 0, 8, 16),
	FENCE("fence without a current value", -EINVAL, 0, 1, 0, 16),
	FENCE("fence without a monitored value", -EINVAL, 0, 1, 8, 0),
	FENCE("owner that is not valid", -EINVAL, 0, 2, 8, 16),
	FENCE("last values of VRAM", 0, 0, 1, 0x100000000fffff0, 0x100000000fffff8),
	FENCE("current value behind VRAM", -ERANGE, 0, 1, 0x100000001000000, 16),
	FENCE("monitored value behind VRAM", -ERANGE, 0, 1, 8, 0x100000001000000),
	FENCE("last value of the aperture", 0, 0, 1, 0x2000000007ffff8, 8),
	FENCE("value behind the aperture", -ERANGE, 0, 1, 8, 0x200000000800000),
	FENCE("value in segment 3", -EINVAL, 0, 1, 8, 0x300000000000008),
	FENCE("half a current value", -EINVAL, 0, 1, 12, 16),
	FENCE("half a monitored value", -EINVAL, 0, 1, 8, 0x100000000000014),
	MAP("map of all of an MMU", 0, 1, 0, 0, 0, RANGE(0, 0x200, 5)),
	MAP("map of the last pages of VRAM", 0, 0, 0x1fe000, 1, 0, LIST(2, NUMBERS(5, 0xfff))),
	MAP("map from inside of a list", 0, 0, 0x1fe000, 0, 9, RANGE(7, 4, 5)),
	MAP("map over the end of an MMU", -ERANGE, 0, 0x1ff000, 0, 0, RANGE(0, 2, 5)),
	MAP("map of more than an MMU", -ERANGE, 0, 0, 0, 0, RANGE(0, 0x201, 5)),
	MAP("map behind an MMU", -ERANGE, 0, 0x201000, 0, 0, RANGE(0, 0, 5)),
	MAP("map at the top", -ERANGE, 0, U64_MAX - 4095, 0, 0, RANGE(0, 1, 5)),
	MAP("map of another MMU", -EINVAL, 2, 0, 0, 0, RANGE(0, 1, 5)),
	MAP("map inside of a page", -EINVAL, 0, 8, 0, 0, RANGE(0, 1, 5)),
	MAP("map of the aperture", -EINVAL, 0, 0, 2, 0, RANGE(0, 1, 5)),
	MAP("map of a range behind VRAM", -ERANGE, 0, 0, 1, 0, RANGE(0, 2, 0xfff)),
	MAP("map of a page behind VRAM", -ERANGE, 0, 0, 1, 0, LIST(2, NUMBERS(5, 0x1000))),
	MAP("map of a page at the top", -EOVERFLOW, 0, 0, 0, 0, LIST(1, NUMBERS(TOP))),
	MAP("map of a list that is nowhere", -EINVAL, 0, 0, 0, 0, LIST(1, NULL)),
	MAP("map from before a list", -ERANGE, 0, 0, 0, 6, RANGE(7, 4, 5)),
	MAP("map from behind a list", -ERANGE, 0, 0, 0, 12, RANGE(7, 4, 5)),
	MAP("map of a list that begins at the top", -ERANGE, 0, 0, 0, 0,
	    RANGE(U64_MAX, 4, 5)),
	{ "map with an unknown flag", -EINVAL, { .operation = QUIRE_PAGING_MAP_MMU,
		.u.map_mmu = { .flags = BIT(1), .adl = CONTIGUOUS_8 } } },
	UNMAP("unmap of all of an MMU", 0, 1, 0, 0x200),
	UNMAP("unmap of the last page", 0, 0, 0x1ff000, 1),
	UNMAP("unmap of nothing at the end", 0, 0, 0x200000, 0),
	UNMAP("unmap over the end of an MMU", -ERANGE, 0, 0x1ff000, 2),
	UNMAP("unmap of more than an MMU", -ERANGE, 0, 0, U32_MAX),
	UNMAP("unmap at the top", -ERANGE, 0, U64_MAX - 4095, 1),
	UNMAP("unmap of another MMU", -EINVAL, 2, 0, 1),
	UNMAP("unmap inside of a page", -EINVAL, 0, 8, 1),
	GOING("all is evicted", 0, &object, 1, 0, 0x20 * PAGE, VA_END - 0x20 * PAGE),
	GOING("all is forgotten", 0, &object, 2, 0, 0x20 * PAGE, 0),
	GOING("nothing goes from the end", 0, &object, 1, 0x20 * PAGE, 0, VA_END),
	GOING("more than it has is evicted", -ERANGE, &object, 1, PAGE, 0x20 * PAGE, 0),
	GOING("eviction from behind the end", -ERANGE, &object, 1, 0x21 * PAGE, 0, 0),
	GOING("eviction at the top", -ERANGE, &object, 1, U64_MAX - 4095, 2 * PAGE, 0),
	GOING("eviction of all 64 bits", -ERANGE, &object, 1, PAGE, U64_MAX - 4095, 0),
	GOING("eviction over the end", -ERANGE, &object, 1, 0, 2 * PAGE, VA_END - PAGE),
	GOING("eviction from inside of a page", -EINVAL, &object, 1, 8, PAGE, 0),
	GOING("eviction of half a page", -EINVAL, &object, 1, 0, PAGE / 2, 0),
	GOING("eviction at half a page", -EINVAL, &object, 1, 0, PAGE, PAGE / 2),
	GOING("neither evicted nor forgotten", -EINVAL, &object, 0, 0, PAGE, 0),
	GOING("both evicted and forgotten", -EINVAL, &object, 3, 0, PAGE, 0),
	GOING("unknown flag", -EINVAL, &object, 4, 0, PAGE, 0),
	GOING("flag too far", -EINVAL, &object, BIT(16) | 1, 0, PAGE, 0),
	GOING("nothing is evicted", -EINVAL, NULL, 1, 0, PAGE, 0),
	GOING("eviction without a number", -EINVAL, &unnamed, 1, 0, PAGE, 0),
};

KUNIT_ARRAY_PARAM_DESC(check, cases, name);

static void quire_tables_checked(struct kunit *test)
{
	const struct check_case *c = test->param_value;
	struct quire_paging_args args;

	memcpy(&args, &c->args, sizeof(args));
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&caps, &args), c->err);
	KUNIT_EXPECT_MEMEQ(test, &args, &c->args, sizeof(args));
}

/* What a packet has for an address is 56 bits of it, and the number of the segment. */
static void quire_tables_far(struct kunit *test)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_NOTIFY_RESIDENCY, .allocation = &object,
		.u.notify_residency = { .resident = true, .segment = QUIRE_SEGMENT_VRAM },
	};
	struct quire_paging_caps large = caps;

	large.vram_pages = BIT_ULL(45);
	args.u.notify_residency.physical_address = BIT_ULL(56) - PAGE;
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&large, &args), 0);
	args.u.notify_residency.physical_address = BIT_ULL(56);
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&large, &args), -ERANGE);
}

static struct kunit_case quire_paging_tables_check_cases[] = {
	KUNIT_CASE_PARAM(quire_tables_checked, check_gen_params),
	KUNIT_CASE(quire_tables_far),
	{}
};

static struct kunit_suite quire_paging_tables_check_suite = {
	.name = "quire_paging_tables_check",
	.test_cases = quire_paging_tables_check_cases,
};

kunit_test_suite(quire_paging_tables_check_suite);
