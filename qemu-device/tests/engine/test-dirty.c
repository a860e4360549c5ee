// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: of each byte of VRAM that changes the host is told, in the same slice: a migration
 * at any time sees all of it. Each packet and command that writes, and each kind of address that
 * can lead to VRAM.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "mmu.h"
#include "tap.h"

#define PAGES		64u		/* of each kind of address */
#define VA		0x0abcde400000ull
#define NOWHERE		0x0abcdf000000ull
#define SRC		0ull		/* offsets there */
#define DST		(24 * PAGE)
#define SIZE		(20 * PAGE)	/* of either */
#define NUMBER		(50 * PAGE + 8)
#define TABLE		(52 * PAGE)
#define TILES		VRAM_LARGE	/* 8 of 64 KiB */
#define SAVE		IN_VRAM(VRAM_CONTEXTS + 8 * PAGE)
#define SAVE_MAGIC	0x56415351u
#define CONTEXT_SAVE	40u
#define FENCE		7u
#define VIRTUAL		0x8000u

/* Kinds of addresses: of VRAM itself, of an MMU that shows it, of an address space that does. */
enum way { IN_SEGMENT, IN_MMU, IN_SPACE, KINDS };

static const char *const kind_names[] = { "VRAM", "an MMU", "an address space" };

/*
 * struct write - a way to write
 * @name: for the test point
 * @kinds: bits of those that it can name
 * @build: packets that write at addresses of a kind
 * @command: they are of an execution ring
 * @faults: they end in a fault
 */
struct write {
	const char *name;
	unsigned int kinds;
	void (*build)(struct packets *p, enum way kind);
	bool command;
	bool faults;
};

static uint32_t segment_of(enum way kind)
{
	return kind == IN_SEGMENT ? 1 : 3;
}

static uint64_t offset_of(enum way kind, uint64_t offset)
{
	return kind == IN_SEGMENT ? VRAM_64K + offset : offset;
}

/* As commands name it, and paging operations that name virtual addresses. */
static uint64_t at(enum way kind, uint64_t offset)
{
	if (kind == IN_SPACE)
		return VA + offset;
	return (uint64_t)segment_of(kind) << 56 | offset_of(kind, offset);
}

static struct area area_at(enum way kind, uint64_t offset, uint32_t layout)
{
	return (struct area){
		.address = at(kind, offset),
		.layout = layout,
		.pitch = layout ? 0 : 512,
		.width = 128,
		.height = 128,
		.levels = 1,
		.slices = 1,
	};
}

static struct image image_of(uint32_t layout)
{
	return (struct image){
		.layout = layout,
		.shift = 2,
		.width = 128,
		.height = 128,
		.levels = 1,
		.slices = 1,
		.columns = 127,
		.rows = 99,
	};
}

static void add_from_system(struct packets *p, enum way kind)
{
	packet_transfer(p, 0, 0, segment_of(kind), offset_of(kind, DST), SIZE);
	packet_run(p, RAM_PAGES, SIZE / PAGE);
	packet_end(p);
}

static void add_physical(struct packets *p, enum way kind)
{
	packet_physical(p, 5, segment_of(kind), offset_of(kind, NUMBER), 8, 0x55555555);
	packet_physical(p, 5, segment_of(kind), offset_of(kind, NUMBER + 99), 1, 0x66);
}

static void add_registers(struct packets *p, enum way kind)
{
	command_set_register(p, 1, 3, 0x5151515151515151);
	command_store_register(p, 3, at(kind, NUMBER));
}

#define WRITE(id, ...) \
	static void write_##id(struct packets *p, enum way kind) { (void)kind; __VA_ARGS__; }
WRITE(from_system, add_from_system(p, kind))
WRITE(from_aperture, packet_transfer(p, 2, APERTURE_COHERENT, segment_of(kind),
				     offset_of(kind, DST + 5), SIZE - 7))
WRITE(forward, packet_transfer(p, segment_of(kind), offset_of(kind, SRC), segment_of(kind),
			       offset_of(kind, DST), SIZE))
WRITE(backward, packet_transfer(p, segment_of(kind), offset_of(kind, SRC), segment_of(kind),
				offset_of(kind, SRC + 333), SIZE))
WRITE(fill, packet_fill(p, 1, offset_of(kind, DST), SIZE, 0x12345678))
WRITE(discard, packet_discard(p, 1, offset_of(kind, DST), SIZE))
WRITE(physical, add_physical(p, kind))

/* From tiles, and to tiles; those are in VRAM itself in any case. */
static void add_swizzle(struct packets *p, enum way kind, uint16_t flags, uint32_t layout)
{
	const struct image image = image_of(layout);

	packet_swizzle(p, flags, kind == IN_MMU ? 3 : 2, kind == IN_MMU ? DST + 16 : 16, &image);
	packet_run(p, TILES, 16);
	packet_end(p);
}

WRITE(from_tiles, add_swizzle(p, kind, 2, 1))
WRITE(from_large_tiles, add_swizzle(p, kind, 2, 2))
WRITE(to_tiles, add_swizzle(p, kind, 1, 1))
WRITE(to_large_tiles, add_swizzle(p, kind, 1, 2))
WRITE(lock, packet_lock(p, 1, ~0u))

WRITE(transfer_virtual, packet_transfer_virtual(p, 0, 2, at(kind, SRC), at(kind, DST), SIZE))
WRITE(backward_virtual, packet_transfer_virtual(p, 0, 2, at(kind, SRC), at(kind, SRC + 99), SIZE))
WRITE(fill_virtual, packet_fill_virtual(p, at(kind, DST), SIZE, 0x23456789))
WRITE(context, packet_init_context(p, 0, 1, offset_of(kind, TABLE)))
WRITE(context_virtual, packet_init_context(p, VIRTUAL, 0, at(kind, TABLE)))
WRITE(save_area, packet_init_context(p, 1, 1, offset_of(kind, TABLE)))
WRITE(save_area_virtual, packet_init_context(p, VIRTUAL | 1, 0, at(kind, TABLE)))
WRITE(member, packet_member(p, at(kind, TABLE), 16))
WRITE(table, packet_table(p, 0, 1, 0, offset_of(kind, TABLE), 9, 400, 400))
WRITE(table_initial, packet_table(p, 2, 1, 0, offset_of(kind, TABLE), 9, 1, 1))
WRITE(table_repeat, packet_table(p, 1, 1, 0, offset_of(kind, TABLE), 0, 512, 1))
WRITE(table_virtual, packet_table(p, VIRTUAL, 0, 0, at(kind, TABLE), 9, 400, 400))
WRITE(table_64k, packet_table(p, VIRTUAL | 8, 0, 0, at(kind, TABLE), 1, 3, 3))
WRITE(copied, packet_copied(p, at(kind, TABLE), at(kind, TABLE + PAGE), 300))
WRITE(monitored, packet_signal_monitored(p, 0, at(kind, NUMBER), 0x2222222222222222))

WRITE(copy, command_copy(p, at(kind, SRC), at(kind, DST + 3), SIZE - 5))
WRITE(copy_up, command_copy(p, at(kind, SRC), at(kind, SRC + PAGE + 7), SIZE))
WRITE(pattern, command_fill(p, at(kind, DST), SIZE, 0x3456789a))
WRITE(arithmetic, command_arithmetic(p, 1, at(kind, SRC), at(kind, DST), SIZE))
WRITE(checksum, command_checksum(p, at(kind, SRC), at(kind, NUMBER), SIZE))
WRITE(compare, command_compare(p, at(kind, SRC), at(kind, DST), at(kind, NUMBER), SIZE))
WRITE(value, command_write_value(p, at(kind, NUMBER), 0x4444444444444444))
WRITE(registers, add_registers(p, kind))
WRITE(native, command_signal_native(p, FENCE, 0x6000000000000000))
WRITE(nowhere, command_fill(p, NOWHERE, 8, 1))

static void add_2d(struct packets *p, enum way kind, uint16_t opcode, uint32_t from, uint32_t to)
{
	const struct area src = area_at(kind, SRC, from), dst = area_at(kind, 32 * PAGE, to);
	const struct place some = { 1, 2, 3, 5, 120, 118 };

	command_2d(p, opcode, &src, &dst, 2, &some);
}

WRITE(rows, add_2d(p, kind, 0x23, 0, 0))
WRITE(tiled_to_rows, add_2d(p, kind, 0x23, 1, 0))
WRITE(rows_to_tiled, add_2d(p, kind, 0x23, 0, 1))
WRITE(large_tiled, add_2d(p, kind, 0x23, 1, 2))
WRITE(blend, add_2d(p, kind, 0x24, 0, 0))
WRITE(blend_tiled, add_2d(p, kind, 0x24, 2, 1))
#undef WRITE

#define V	1u	/* IN_SEGMENT, as a bit */
#define M	2u	/* IN_MMU */
#define S	4u	/* IN_SPACE */

static const struct write writes[] = {
	{ "TRANSFER from memory", V | M, write_from_system, false, false },
	{ "TRANSFER from the aperture", V | M, write_from_aperture, false, false },
	{ "TRANSFER", V | M, write_forward, false, false },
	{ "TRANSFER backward", V | M, write_backward, false, false },
	{ "FILL", V, write_fill, false, false },
	{ "DISCARD_CONTENT", V, write_discard, false, false },
	{ "WRITE_PHYSICAL", V | M, write_physical, false, false },
	{ "TRANSFER from tiles of 4 KiB", M, write_from_tiles, false, false },
	{ "TRANSFER from tiles of 64 KiB", M, write_from_large_tiles, false, false },
	{ "TRANSFER to tiles of 4 KiB", V | M, write_to_tiles, false, false },
	{ "TRANSFER to tiles of 64 KiB", V | M, write_to_large_tiles, false, false },
	{ "SPECIAL_LOCK", V, write_lock, false, false },
	{ "TRANSFER_VIRTUAL", S, write_transfer_virtual, false, false },
	{ "TRANSFER_VIRTUAL backward", S, write_backward_virtual, false, false },
	{ "FILL_VIRTUAL", S, write_fill_virtual, false, false },
	{ "INIT_CONTEXT", V, write_context, false, false },
	{ "INIT_CONTEXT, virtual", S, write_context_virtual, false, false },
	{ "INIT_CONTEXT of a save area", V, write_save_area, false, false },
	{ "INIT_CONTEXT of a save area, virtual", S, write_save_area_virtual, false, false },
	{ "UPDATE_CONTEXT", S, write_member, false, false },
	{ "UPDATE_PAGE_TABLE", V, write_table, false, false },
	{ "UPDATE_PAGE_TABLE, INITIAL", V, write_table_initial, false, false },
	{ "UPDATE_PAGE_TABLE, REPEAT", V, write_table_repeat, false, false },
	{ "UPDATE_PAGE_TABLE, virtual", S, write_table_virtual, false, false },
	{ "UPDATE_PAGE_TABLE, virtual, 64 KiB", S, write_table_64k, false, false },
	{ "COPY_PAGE_TABLE", S, write_copied, false, false },
	{ "SIGNAL_MONITORED", S, write_monitored, false, false },
	{ "COPY", V | M | S, write_copy, true, false },
	{ "COPY backward", V | M | S, write_copy_up, true, false },
	{ "FILL of a ring", V | M | S, write_pattern, true, false },
	{ "COPY_2D", V | M | S, write_rows, true, false },
	{ "COPY_2D from tiles", V | S, write_tiled_to_rows, true, false },
	{ "COPY_2D to tiles", V | S, write_rows_to_tiled, true, false },
	{ "COPY_2D to tiles of 64 KiB", V | S, write_large_tiled, true, false },
	{ "BLEND", V | M | S, write_blend, true, false },
	{ "BLEND to tiles", V | S, write_blend_tiled, true, false },
	{ "ARITHMETIC", V | M | S, write_arithmetic, true, false },
	{ "CHECKSUM", V | M | S, write_checksum, true, false },
	{ "COMPARE", V | M | S, write_compare, true, false },
	{ "WRITE_VALUE", V | M | S, write_value, true, false },
	{ "registers", S, write_registers, true, false },
	{ "SIGNAL_NATIVE", S, write_native, true, false },
	{ "a fault of the context", S, write_nowhere, true, true },
};

#undef V
#undef M
#undef S

/* The context is in VRAM, and so are its save area and the values of its fence. */
static struct mmu *start(uint64_t slice_looks, uint64_t least)
{
	struct mmu *m = mmu_new(2, slice_looks, slice_looks ? 5000 : 0, HOST_TLB);
	unsigned int i;

	m->host->memory.work_least = least;
	m->host->memory.work_slices = 2;
	m->p.size = 0;
	packet_map_mmu(&m->p, 0, 0, 1, 0, PAGES);
	for (i = 0; i < PAGES; i++)
		packet_u64(&m->p, VRAM_PAGES / PAGE + 7 + 4 * i);
	packet_end(&m->p);
	packet_fences(&m->p, FENCE, m->space.root, IN_VRAM(VRAM_SPARE), IN_VRAM(VRAM_SPARE + 64));
	if (!mmu_run_physical(m))
		abort();
	for (i = 0; i < PAGES; i++)
		space_page(&m->space, VA + i * PAGE, PTE_VRAM | (VRAM_PAGES + (9 + 4 * i) * PAGE));
	m->context = CONTEXT_IN_VRAM(0);
	return m;
}

static void refresh(struct mmu *m)
{
	unsigned int i;

	test_scramble(m->host->memory.vram, 300 * PAGE);
	test_scramble(m->host->memory.vram + VRAM_64K, PAGES * PAGE);
	context_make(m->host, m->context, m->space.root);
	for (i = 0; i < PAGE; i += 8)
		place_put(m->host, 1, VRAM_CONTEXTS + 8 * PAGE + i, i ? 0 : SAVE_MAGIC);
	place_put(m->host, 1, VRAM_CONTEXTS + CONTEXT_SAVE, SAVE);
	place_put(m->host, 1, VRAM_SPARE, 5);
	place_put(m->host, 1, VRAM_SPARE + 64, ~0ull);
}

/* Bytes that changed since @before, which becomes what is; false if one was not told. */
static bool look(struct host *host, uint8_t *before, uint64_t *changed)
{
	const uint8_t *vram = host->memory.vram;
	uint64_t page, i;
	bool good = true;

	for (page = 0; page < MMU_VRAM; page += PAGE) {
		if (!memcmp(vram + page, before + page, PAGE))
			continue;
		for (i = page; i < page + PAGE; i++) {
			if (vram[i] == before[i])
				continue;
			(*changed)++;
			if (good && !host->dirty[i])
				printf("#   VRAM 0x%llx is not told\n", (unsigned long long)i);
			good &= host->dirty[i];
		}
		memcpy(before + page, vram + page, PAGE);
	}
	memset(host->dirty, 0, MMU_VRAM);
	return good;
}

static void submit(struct mmu *m, const struct write *write, enum way kind)
{
	m->fence++;
	if (write->command && kind == IN_SPACE)
		runner_submit_in(&m->r, &m->p, m->fence, m->context);
	else if (write->command)
		runner_submit(&m->r, &m->p, m->fence);
	else if (kind == IN_SPACE)
		host_submit_in(m->host, &m->p, m->fence, m->context);
	else
		host_submit(m->host, &m->p, m->fence);
}

static void test_write(struct mmu *m, const struct write *write, enum way kind, const char *how)
{
	static uint8_t before[MMU_VRAM];
	uint64_t changed = 0, fence;
	bool good = true, more;

	refresh(m);
	mmu_flush(m);
	m->p.size = 0;
	write->build(&m->p, kind);
	memcpy(before, m->host->memory.vram, MMU_VRAM);
	memset(m->host->dirty, 0, MMU_VRAM);
	submit(m, write, kind);
	do {
		more = memory_host_run(&m->host->memory);
		good &= look(m->host, before, &changed);
	} while (more);
	fence = write->command ? runner_fence(&m->r) : host_get64(m->host, FENCE_PAGE);
	ok(good && changed && (fence == m->fence) == !write->faults, "%s, %s, %s: %u bytes",
	   write->name, kind_names[kind], how, (unsigned int)changed);
	if (fence != m->fence && !write->faults)
		printf("#   fault %u\n", write->command ? runner_reg(&m->r, 0x24) :
		       host_ring_reg(m->host, 0x24));
	if (fence == m->fence)
		return;
	if (write->command)
		runner_start(&m->r, m->host, m->r.ring);
	else
		host_ring_restart(m->host);
}

static void test_writes(const char *how, uint64_t slice_looks, uint64_t least)
{
	struct mmu *m = start(slice_looks, least);
	unsigned int i, kind;

	for (i = 0; i < ARRAY_SIZE(writes); i++)
		for (kind = 0; kind < KINDS; kind++)
			if (writes[i].kinds & 1u << kind)
				test_write(m, &writes[i], kind, how);
	is(m->host->memory.works != 0, least != 0, "by another thread");
	mmu_free(m);
}

int main(void)
{
	test_seed(34);
	test_writes("at once", 0, 0);
	test_writes("in slices", 1, 0);
	test_writes("in a thread", 1, 3 * PAGE);
	return tap_done();
}
