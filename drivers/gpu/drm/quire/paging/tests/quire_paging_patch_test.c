// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Patching: which bytes of which packets it writes, that all others stay, and that it
 * refuses a buffer whose records are not its packets.
 */
#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "../quire_paging_list.h"

#define ADDRESS		0x7000123400ull
#define DUMMY		0x8888000ull
#define MARK		0x9999000ull
#define FENCE		0x123456789ull
#define ANY		0x5555000ull	/* written by nobody */
#define LIST_PAGES	3
#define MAP2_WORDS	(sizeof(struct quire_packet_map2) / sizeof(__le64))
#define UPDATE_WORDS	(sizeof(struct quire_packet_update_page_table) / sizeof(__le64))
#define CONTEXT_WORDS	(sizeof(struct quire_packet_update_context) / sizeof(__le64))
#define COPY_WORDS	(sizeof(struct quire_packet_copy_page_table) / sizeof(__le64))
#define MMU_WORDS	(sizeof(struct quire_packet_map_mmu) / sizeof(__le64))
#define NOTICE_WORDS	(sizeof(struct quire_packet_notify_residency2) / sizeof(__le64))
#define RANGE_WORDS	(sizeof(struct quire_copy_range) / sizeof(__le64))
/* Two fences. */
#define FENCE_WORDS	(1 + 2 * sizeof(struct quire_fence_place) / sizeof(__le64))

/**
 * struct packets - one buffer, every kind of packet that is patched and those like it
 * @fill: not patched
 * @map2: struct quire_packet_map2, with an array
 * @numbers: that array
 * @contiguous: the same, without an array
 * @unmap: patched
 * @write: to the mark
 * @elsewhere: not to the mark
 * @vram: to the same address in another segment
 * @half: to the mark, but not all of a value
 * @read: of the mark
 * @map: struct quire_packet_map, not patched, with a list
 * @transfer: virtual, not patched
 * @virtual_fill: not patched
 * @init: of a context, not patched; shorter than all others
 * @flush: not patched
 * @update: struct quire_packet_update_page_table, not patched, with a list
 * @repeated: the same, with one entry for several places
 * @followed: likewise
 * @context: struct quire_packet_update_context, not patched, with data
 * @signal: not patched
 * @mmu: struct quire_packet_map_mmu, not patched, with numbers
 * @mmu_contiguous: the same, with one number
 * @mmu_unmap: not patched
 * @notice: not patched
 * @comes: struct quire_packet_notify_residency2, not patched, with a list
 * @leaves: the same, without a list
 * @going: not patched
 * @fences: struct quire_packet_notify_fences, not patched, with fences
 * @copy: struct quire_packet_copy_page_table, not patched, with ranges
 */
struct packets {
	struct quire_packet_fill fill;
	__le64 map2[MAP2_WORDS];
	__le64 numbers[LIST_PAGES];
	__le64 contiguous[MAP2_WORDS];
	struct quire_packet_unmap unmap;
	struct quire_packet_physical write;
	struct quire_packet_physical elsewhere;
	struct quire_packet_physical vram;
	struct quire_packet_physical half;
	struct quire_packet_physical read;
	__le64 map[MAP2_WORDS + 1];
	struct quire_packet_transfer_virtual transfer;
	struct quire_packet_fill_virtual virtual_fill;
	struct quire_packet_init_context init;
	struct quire_packet_flush_tlb flush;
	__le64 update[UPDATE_WORDS + 5];
	__le64 repeated[UPDATE_WORDS + 1];
	__le64 followed[UPDATE_WORDS + 1];
	__le64 context[CONTEXT_WORDS + 3];
	struct quire_packet_signal_monitored signal;
	__le64 mmu[MMU_WORDS + LIST_PAGES];
	__le64 mmu_contiguous[MMU_WORDS + 1];
	struct quire_packet_unmap_mmu mmu_unmap;
	struct quire_packet_notify_residency notice;
	__le64 comes[NOTICE_WORDS + 2];
	__le64 leaves[NOTICE_WORDS];
	struct quire_packet_notify_allocation going;
	__le64 fences[FENCE_WORDS];
	__le64 copy[COPY_WORDS + 2 * RANGE_WORDS];
};

/* A packet, and where that of the record before ends. */
#define RECORD(member, number) \
	{ .offset = offsetof(struct packets, member), .operation = QUIRE_PAGING_##number }

enum {
	AT_FILL, AT_MAP2, AT_CONTIGUOUS, AT_UNMAP, AT_WRITE, AT_ELSEWHERE, AT_VRAM, AT_HALF,
	AT_READ, AT_MAP, AT_TRANSFER, AT_VIRTUAL_FILL, AT_INIT, AT_FLUSH, AT_UPDATE, AT_REPEATED,
	AT_FOLLOWED, AT_CONTEXT, AT_SIGNAL, AT_MMU, AT_MMU_CONTIGUOUS, AT_MMU_UNMAP, AT_NOTICE,
	AT_COMES, AT_LEAVES, AT_GOING, AT_FENCES, AT_COPY, NR_RECORDS
};

static const struct quire_paging_record good_records[NR_RECORDS] = {
	[AT_FILL] = RECORD(fill, FILL),
	[AT_MAP2] = RECORD(map2, MAP_APERTURE_SEGMENT2),
	[AT_CONTIGUOUS] = RECORD(contiguous, MAP_APERTURE_SEGMENT2),
	[AT_UNMAP] = RECORD(unmap, UNMAP_APERTURE_SEGMENT),
	[AT_WRITE] = RECORD(write, WRITE_PHYSICAL),
	[AT_ELSEWHERE] = RECORD(elsewhere, WRITE_PHYSICAL),
	[AT_VRAM] = RECORD(vram, WRITE_PHYSICAL),
	[AT_HALF] = RECORD(half, WRITE_PHYSICAL),
	[AT_READ] = RECORD(read, READ_PHYSICAL),
	[AT_MAP] = RECORD(map, MAP_APERTURE_SEGMENT),
	[AT_TRANSFER] = RECORD(transfer, VIRTUAL_TRANSFER),
	[AT_VIRTUAL_FILL] = RECORD(virtual_fill, VIRTUAL_FILL),
	[AT_INIT] = RECORD(init, INIT_CONTEXT_RESOURCE),
	[AT_FLUSH] = RECORD(flush, FLUSH_TLB),
	[AT_UPDATE] = RECORD(update, UPDATE_PAGE_TABLE),
	[AT_REPEATED] = RECORD(repeated, UPDATE_PAGE_TABLE),
	[AT_FOLLOWED] = RECORD(followed, UPDATE_PAGE_TABLE),
	[AT_CONTEXT] = RECORD(context, UPDATE_CONTEXT_ALLOCATION),
	[AT_SIGNAL] = RECORD(signal, SIGNAL_MONITORED_FENCE),
	[AT_MMU] = RECORD(mmu, MAP_MMU),
	[AT_MMU_CONTIGUOUS] = RECORD(mmu_contiguous, MAP_MMU),
	[AT_MMU_UNMAP] = RECORD(mmu_unmap, UNMAP_MMU),
	[AT_NOTICE] = RECORD(notice, NOTIFY_RESIDENCY),
	[AT_COMES] = RECORD(comes, NOTIFY_RESIDENCY2),
	[AT_LEAVES] = RECORD(leaves, NOTIFY_RESIDENCY2),
	[AT_GOING] = RECORD(going, NOTIFY_ALLOC),
	[AT_FENCES] = RECORD(fences, NOTIFY_FENCE_RESIDENCY),
	[AT_COPY] = RECORD(copy, COPY_PAGE_TABLE_ENTRIES),
};

/* One buffer with its records. */
struct scene {
	struct packets packets;
	struct quire_paging_record records[NR_RECORDS];
	struct quire_paging_buffer buffer;
};

static struct quire_packet_header header(u16 opcode, u16 flags, size_t size)
{
	return (struct quire_packet_header) {
		.opcode = cpu_to_le16(opcode),
		.flags = cpu_to_le16(flags),
		.size = cpu_to_le32(size),
	};
}

static struct quire_packet_physical physical(u16 opcode, u32 segment, u32 size, u64 address)
{
	return (struct quire_packet_physical) {
		.header = header(opcode, 0, sizeof(struct quire_packet_physical)),
		.segment = cpu_to_le32(segment),
		.size = cpu_to_le32(size),
		.address = cpu_to_le64(address),
		.value = cpu_to_le64(ANY),
	};
}

static void scene_write_map2(struct quire_packet_map2 *packet, u16 flags, u32 numbers)
{
	packet->header = header(QUIRE_OP_MAP_APERTURE2, flags,
				sizeof(*packet) + numbers * sizeof(__le64));
	packet->pages = cpu_to_le32(LIST_PAGES);
	packet->adl = cpu_to_le64(ANY);
}

static void scene_write_maps(struct packets *packets)
{
	struct quire_packet_header *map = (void *)packets->map;

	scene_write_map2((void *)packets->map2, 0, LIST_PAGES);
	scene_write_map2((void *)packets->contiguous, QUIRE_MAP_CONTIGUOUS, 0);
	*map = header(QUIRE_OP_MAP_APERTURE, 0, sizeof(packets->map));
	packets->unmap.header = header(QUIRE_OP_UNMAP_APERTURE, 0, sizeof(packets->unmap));
	packets->unmap.dummy_page = cpu_to_le64(ANY);
}

static void scene_write_update(__le64 *words, size_t size, u16 flags)
{
	struct quire_packet_update_page_table *packet = (void *)words;

	packet->header = header(QUIRE_OP_UPDATE_PAGE_TABLE, flags, size);
	packet->count = cpu_to_le32(5);
}

static void scene_write_virtual(struct packets *packets)
{
	struct quire_packet_update_context *context = (void *)packets->context;
	struct quire_packet_header *copy = (void *)packets->copy;

	packets->transfer.header = header(QUIRE_OP_TRANSFER_VIRTUAL, 0, sizeof(packets->transfer));
	packets->virtual_fill.header = header(QUIRE_OP_FILL_VIRTUAL, 0,
					      sizeof(packets->virtual_fill));
	packets->init.header = header(QUIRE_OP_INIT_CONTEXT, 0, sizeof(packets->init));
	packets->flush.header = header(QUIRE_OP_FLUSH_TLB, 0, sizeof(packets->flush));
	scene_write_update(packets->update, sizeof(packets->update), QUIRE_ADDRESS_VIRTUAL);
	scene_write_update(packets->repeated, sizeof(packets->repeated), QUIRE_UPDATE_REPEAT);
	scene_write_update(packets->followed, sizeof(packets->followed), QUIRE_UPDATE_CONTIGUOUS);
	context->header = header(QUIRE_OP_UPDATE_CONTEXT, 0, sizeof(packets->context));
	context->bytes = cpu_to_le32(24);
	*copy = header(QUIRE_OP_COPY_PAGE_TABLE, 0, sizeof(packets->copy));
}

static void scene_write_mmu(struct packets *packets)
{
	struct quire_packet_map_mmu *map = (void *)packets->mmu;

	map->header = header(QUIRE_OP_MAP_MMU, QUIRE_MAP_CACHE_COHERENT, sizeof(packets->mmu));
	map->pages = cpu_to_le32(LIST_PAGES);
	map = (void *)packets->mmu_contiguous;
	map->header = header(QUIRE_OP_MAP_MMU, QUIRE_MAP_CONTIGUOUS,
			     sizeof(packets->mmu_contiguous));
	map->pages = cpu_to_le32(LIST_PAGES);
	packets->mmu_unmap.header = header(QUIRE_OP_UNMAP_MMU, 0, sizeof(packets->mmu_unmap));
}

static void scene_write_tables(struct packets *packets)
{
	struct quire_packet_header *comes = (void *)packets->comes;
	struct quire_packet_header *leaves = (void *)packets->leaves;
	struct quire_packet_header *fences = (void *)packets->fences;

	packets->signal.header = header(QUIRE_OP_SIGNAL_MONITORED, QUIRE_SIGNAL_IRQ,
					sizeof(packets->signal));
	packets->notice.header = header(QUIRE_OP_NOTIFY_RESIDENCY, QUIRE_NOTIFY_RESIDENT,
					sizeof(packets->notice));
	*comes = header(QUIRE_OP_NOTIFY_RESIDENCY2, QUIRE_NOTIFY_RESIDENT,
			sizeof(packets->comes));
	*leaves = header(QUIRE_OP_NOTIFY_RESIDENCY2, 0, sizeof(packets->leaves));
	*fences = header(QUIRE_OP_NOTIFY_FENCES, 0, sizeof(packets->fences));
	packets->going.header = header(QUIRE_OP_NOTIFY_ALLOCATION, QUIRE_NOTIFY_EVICTION,
				       sizeof(packets->going));
}

static struct scene *scene_create(struct kunit *test)
{
	struct scene *scene = kunit_kzalloc(test, sizeof(*scene), GFP_KERNEL);
	struct packets *packets;

	KUNIT_ASSERT_NOT_NULL(test, scene);
	packets = &scene->packets;
	packets->fill.header = header(QUIRE_OP_FILL, 0, sizeof(packets->fill));
	scene_write_maps(packets);
	scene_write_virtual(packets);
	scene_write_tables(packets);
	scene_write_mmu(packets);
	packets->write = physical(QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_SYSTEM, 8, MARK);
	packets->elsewhere = physical(QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_SYSTEM, 8, MARK + 8);
	packets->vram = physical(QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_VRAM, 8, MARK);
	packets->half = physical(QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_SYSTEM, 4, MARK);
	packets->read = physical(QUIRE_OP_READ_PHYSICAL, QUIRE_SEGMENT_SYSTEM, 8, MARK);
	memcpy(scene->records, good_records, sizeof(good_records));
	scene->buffer = (struct quire_paging_buffer) {
		.cpu = packets,
		.gpu_address = ADDRESS,
		.size = sizeof(*packets),
		.used = sizeof(*packets),
		.records = scene->records,
		.nr_records = NR_RECORDS,
		.max_records = NR_RECORDS,
	};
	return scene;
}

static const struct quire_paging_patch good_values = {
	.dummy_page = DUMMY,
	.mark = MARK,
	.fence = FENCE,
};

/* What it should make of a buffer. */
static void patch_expected(struct packets *packets, u64 fence)
{
	struct quire_packet_map2 *map2 = (void *)packets->map2;

	map2->adl = cpu_to_le64(ADDRESS + offsetof(struct packets, numbers));
	packets->unmap.dummy_page = cpu_to_le64(DUMMY);
	packets->write.value = cpu_to_le64(fence);
}

static void patch_values(struct kunit *test)
{
	struct quire_paging_patch values = good_values;
	struct scene *scene = scene_create(test);
	struct packets expected = scene->packets;

	patch_expected(&expected, FENCE);
	KUNIT_EXPECT_EQ(test, quire_paging_patch(&scene->buffer, &values), 0);
	KUNIT_EXPECT_EQ(test, memcmp(&scene->packets, &expected, sizeof(expected)), 0);
	KUNIT_EXPECT_EQ(test, memcmp(scene->records, good_records, sizeof(good_records)), 0);
	KUNIT_EXPECT_EQ(test, values.marks, 1u);
}

/* What counts is the last time; once more changes nothing. */
static void patch_again(struct kunit *test)
{
	struct quire_paging_patch values = good_values;
	struct scene *scene = scene_create(test);
	struct packets expected = scene->packets;

	values.fence = 1;
	values.dummy_page = 0;
	KUNIT_EXPECT_EQ(test, quire_paging_patch(&scene->buffer, &values), 0);
	patch_expected(&expected, FENCE);
	values = good_values;
	KUNIT_EXPECT_EQ(test, quire_paging_patch(&scene->buffer, &values), 0);
	KUNIT_EXPECT_EQ(test, quire_paging_patch(&scene->buffer, &values), 0);
	KUNIT_EXPECT_EQ(test, memcmp(&scene->packets, &expected, sizeof(expected)), 0);
	KUNIT_EXPECT_EQ(test, values.marks, 1u);
}

/* A page at address 0 is no mark if there is none. */
static void patch_no_mark(struct kunit *test)
{
	struct quire_paging_patch values = good_values;
	struct scene *scene = scene_create(test);
	struct packets expected;

	scene->packets.write.address = 0;
	expected = scene->packets;
	patch_expected(&expected, ANY);
	values.mark = 0;
	KUNIT_EXPECT_EQ(test, quire_paging_patch(&scene->buffer, &values), 0);
	KUNIT_EXPECT_EQ(test, memcmp(&scene->packets, &expected, sizeof(expected)), 0);
	KUNIT_EXPECT_EQ(test, values.marks, 0u);
}

static void patch_empty(struct kunit *test)
{
	struct quire_paging_patch values = good_values;
	struct scene *scene = scene_create(test);

	scene->buffer.used = 0;
	scene->buffer.nr_records = 0;
	KUNIT_EXPECT_EQ(test, quire_paging_patch(&scene->buffer, &values), 0);
}

/* A record for which no bytes are left: nothing is read where they should be. */
static void patch_reads_no_further(struct kunit *test)
{
	static const struct quire_paging_record record = { .operation = QUIRE_PAGING_FILL };
	struct quire_packet_fill *fill = kunit_kzalloc(test, sizeof(*fill), GFP_KERNEL);
	struct quire_paging_patch values = good_values;
	struct scene *scene = scene_create(test);

	KUNIT_ASSERT_NOT_NULL(test, fill);
	*fill = scene->packets.fill;
	scene->buffer.cpu = fill;
	scene->buffer.size = sizeof(*fill);
	scene->buffer.used = sizeof(*fill);
	scene->buffer.nr_records = 1;
	KUNIT_EXPECT_EQ(test, quire_paging_patch(&scene->buffer, &values), 0);
	scene->records[1] = record;
	scene->records[1].offset = sizeof(*fill);
	scene->buffer.nr_records = 2;
	KUNIT_EXPECT_EQ(test, quire_paging_patch(&scene->buffer, &values), -EINVAL);
}

/* The packet says that it is longer than it can be, and so does the buffer. */
static void patch_refuses_a_long_packet(struct kunit *test)
{
	struct quire_paging_patch values = good_values;
	struct scene *scene = scene_create(test);

	scene->packets.fill.header.size = cpu_to_le32(sizeof(scene->packets.fill) + 8);
	scene->buffer.used = sizeof(scene->packets.fill) + 8;
	scene->buffer.nr_records = 1;
	KUNIT_EXPECT_EQ(test, quire_paging_patch(&scene->buffer, &values), -EINVAL);
}

/**
 * struct bad_case - a buffer that has to be refused
 * @name: of the case
 * @record: that is wrong
 * @offset: added to where it points
 * @next: added to where the next one points
 * @operation: instead of its own, if not 0
 * @opcode: instead of that of its packet, if not 0
 * @size: added to the size that its packet says
 * @used: added to the bytes of the buffer
 * @nr_records: added to the number of records
 * @pages: added to the pages that its packet maps
 * @count: added to the entries that its packet writes, or to the bytes
 */
struct bad_case {
	const char *name;
	u32 record;
	int offset;
	int next;
	u16 operation;
	u16 opcode;
	int size;
	int used;
	int nr_records;
	int pages;
	int count;
};

/* The last of the buffer, before where @member begins: longer, and the buffer with it. */
#define LAST(at, member, longer)						\
	.record = at, .size = longer, .nr_records = (at) + 1 - NR_RECORDS,	\
	.used = (int)offsetof(struct packets, member) + (longer) -		\
		(int)sizeof(struct packets)

static const struct bad_case bad_cases[] = {
	{ .name = "misaligned", .record = AT_UNMAP, .offset = 4 },
	{ .name = "inside of the packet before", .record = AT_UNMAP, .offset = -8 },
	{ .name = "inside of its packet", .record = AT_UNMAP, .offset = 8 },
	{ .name = "the packet of another", .record = AT_VRAM, .offset = -32 },
	{ .name = "behind the buffer", .record = AT_MAP, .offset = 0x10000 },
	{ .name = "before the buffer", .record = AT_FILL, .offset = -8 },
	{ .name = "another operation", .record = AT_WRITE,
	  .operation = QUIRE_PAGING_READ_PHYSICAL },
	{ .name = "no operation", .record = AT_WRITE, .operation = QUIRE_PAGING_OPERATIONS },
	{ .name = "beyond all operations", .record = AT_WRITE, .operation = 0xffff },
	{ .name = "another opcode", .record = AT_UNMAP, .opcode = QUIRE_OP_MAP_APERTURE },
	{ .name = "too small", .record = AT_FILL, .size = -8 },
	{ .name = "too large", .record = AT_UNMAP, .size = 8 },
	{ .name = "no multiple of 8", .record = AT_MAP, .size = 4 },
	{ .name = "no multiple of 8, nor the buffer", .record = AT_COPY, .size = -4, .used = -4 },
	{ .name = "list beyond the buffer", .record = AT_COPY, .size = 32 },
	{ .name = "transfer too large", LAST(AT_TRANSFER, virtual_fill, 8) },
	{ .name = "fill too large", LAST(AT_VIRTUAL_FILL, init, 8) },
	{ .name = "context too large", LAST(AT_INIT, flush, 8) },
	{ .name = "flush too large", LAST(AT_FLUSH, update, 8) },
	{ .name = "entries too few", .record = AT_UPDATE, .count = 1 },
	{ .name = "entries too many", .record = AT_UPDATE, .count = -1 },
	{ .name = "two entries that are repeated", LAST(AT_REPEATED, followed, 8) },
	{ .name = "no entry that is followed", LAST(AT_FOLLOWED, context, -8) },
	{ .name = "data too short", .record = AT_CONTEXT, .count = 8 },
	{ .name = "data too long", .record = AT_CONTEXT, .count = -8 },
	{ .name = "signal too large", LAST(AT_SIGNAL, mmu, 8) },
	{ .name = "numbers of an MMU too few", LAST(AT_MMU, mmu_contiguous, -8) },
	{ .name = "numbers of an MMU too many", LAST(AT_MMU, mmu_contiguous, 8) },
	{ .name = "no number of an MMU", LAST(AT_MMU_CONTIGUOUS, mmu_unmap, -8) },
	{ .name = "two numbers of an MMU", LAST(AT_MMU_CONTIGUOUS, mmu_unmap, 8) },
	{ .name = "unmap of an MMU too large", LAST(AT_MMU_UNMAP, notice, 8) },
	{ .name = "notice too large", LAST(AT_NOTICE, comes, 8) },
	{ .name = "what comes to no page", LAST(AT_COMES, leaves, -16) },
	{ .name = "what leaves for a page", LAST(AT_LEAVES, going, 8) },
	{ .name = "notice of what goes too large", LAST(AT_GOING, fences, 8) },
	{ .name = "half a fence", LAST(AT_FENCES, copy, 8) },
	{ .name = "no fence", LAST(AT_FENCES, copy, -64) },
	{ .name = "half a range", .record = AT_COPY, .size = -16, .used = -16 },
	{ .name = "no range", .record = AT_COPY, .size = -64, .used = -64 },
	{ .name = "another operation of page tables", .record = AT_UPDATE,
	  .operation = QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES },
	{ .name = "list and next beyond the buffer", .record = AT_MAP2, .size = 0x10000,
	  .next = 0x10000, .pages = 0x2000 },
	{ .name = "list too short", .record = AT_MAP2, .size = -8 },
	{ .name = "list not as long as the pages", .record = AT_MAP2, .pages = 1 },
	{ .name = "list that should not be", .record = AT_CONTIGUOUS, .size = 8 },
	{ .name = "half a packet", .used = -8 },
	{ .name = "bytes that are no packet", .used = 8 },
	{ .name = "a packet without record", .nr_records = -1 },
};

KUNIT_ARRAY_PARAM_DESC(bad, bad_cases, name);

/* In packets that have one, and more. */
static void scene_break_count(struct quire_packet_header *packet, int count)
{
	struct quire_packet_update_page_table *update = (void *)packet;
	struct quire_packet_update_context *context = (void *)packet;

	if (le16_to_cpu(packet->opcode) == QUIRE_OP_UPDATE_PAGE_TABLE)
		update->count = cpu_to_le32(le32_to_cpu(update->count) + count);
	if (le16_to_cpu(packet->opcode) == QUIRE_OP_UPDATE_CONTEXT)
		context->bytes = cpu_to_le32(le32_to_cpu(context->bytes) + count);
}

static void scene_break(struct scene *scene, const struct bad_case *c)
{
	struct quire_paging_record *record = &scene->records[c->record];
	struct quire_packet_map2 *map = (void *)&scene->packets + record->offset;
	struct quire_packet_header *packet = &map->header;

	packet->size = cpu_to_le32(le32_to_cpu(packet->size) + c->size);
	if (c->opcode)
		packet->opcode = cpu_to_le16(c->opcode);
	if (c->pages)
		map->pages = cpu_to_le32(le32_to_cpu(map->pages) + c->pages);
	scene_break_count(packet, c->count);
	record->offset += c->offset;
	if (c->next)
		record[1].offset += c->next;
	if (c->operation)
		record->operation = c->operation;
	scene->buffer.used += c->used;
	scene->buffer.nr_records += c->nr_records;
}

/* Also what stands before is as it was. */
static void patch_refused(struct kunit *test)
{
	const struct bad_case *c = test->param_value;
	struct quire_paging_patch values = good_values;
	struct scene *scene = scene_create(test);
	struct packets before;

	scene_break(scene, c);
	before = scene->packets;
	KUNIT_EXPECT_EQ(test, quire_paging_patch(&scene->buffer, &values), -EINVAL);
	KUNIT_EXPECT_EQ(test, memcmp(&scene->packets, &before, sizeof(before)), 0);
	KUNIT_EXPECT_EQ(test, values.marks, 0u);
}

static struct kunit_case quire_paging_patch_cases[] = {
	KUNIT_CASE(patch_values),
	KUNIT_CASE(patch_again),
	KUNIT_CASE(patch_no_mark),
	KUNIT_CASE(patch_empty),
	KUNIT_CASE(patch_reads_no_further),
	KUNIT_CASE(patch_refuses_a_long_packet),
	KUNIT_CASE_PARAM(patch_refused, bad_gen_params),
	{}
};

static struct kunit_suite quire_paging_patch_suite = {
	.name = "quire_paging_patch",
	.test_cases = quire_paging_patch_cases,
};

kunit_test_suite(quire_paging_patch_suite);
