// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <linux/string.h>
#include <linux/types.h>

#include "quire_paging_tables.h"

/*
 * DOC: a model of the device's tables for tests of the builder
 *
 * As quire_paging_model.c, of which it is the part for packets that move nothing: fences,
 * notices, and what MMUs show. From the specification of packets alone.
 *
 * Functions return NULL, or what is wrong.
 */

enum {
	OP_SIGNAL = 18, OP_RESIDENCY, OP_RESIDENCY2, OP_GOING, OP_MAP_MMU, OP_UNMAP_MMU, OP_FENCES,
};

enum { SEGMENT_VRAM = 1, SEGMENT_APERTURE };

#define PAGE	QUIRE_MODEL_PAGE
#define VA_END	0x1000000000000ull

static u64 get_le(const u8 *bytes, unsigned int size)
{
	u64 value = 0;

	while (size--)
		value = value << 8 | bytes[size];

	return value;
}

static void page_set(struct quire_tables_page *page, u32 allocation, u32 offset)
{
	page->allocation = allocation;
	page->offset = offset;
}

/* One allocation that is in one piece in VRAM, and scattered over the aperture; and others. */
static void reset_residency(struct quire_tables *tables)
{
	u32 i;

	for (i = 0; i < QUIRE_TABLES_LEFT; i++) {
		page_set(&tables->vram[20 + i], QUIRE_TABLES_LEAVING, i);
		page_set(&tables->aperture[12 + i * 5 % 12], QUIRE_TABLES_LEAVING, i);
	}
	page_set(&tables->vram[7], QUIRE_TABLES_OTHER, 0);
	page_set(&tables->vram[19], QUIRE_TABLES_OTHER, 1);
	page_set(&tables->aperture[1], QUIRE_TABLES_OTHER, 2);
	page_set(&tables->aperture[14], QUIRE_TABLES_OTHER, 3);
}

/* Every third page shows nothing. */
static void reset_mmu(struct quire_tables_mapped *pages, u64 first)
{
	u32 i;

	for (i = 0; i < QUIRE_MODEL_MMU; i++)
		if (i % 3) {
			pages[i].page = first + i;
			pages[i].segment = i % 2;
			pages[i].flags = QUIRE_TABLES_MAPPED | (i & 4) / 2;
		}
}

void quire_tables_reset(struct quire_tables *tables)
{
	u32 i;

	memset(tables, 0, sizeof(*tables));
	reset_mmu(tables->mmu[0], 100);
	reset_mmu(tables->mmu[1], 200);
	for (i = 0; i < QUIRE_TABLES_FENCES; i++)
		tables->fences[i] = i * 0x123456789abcdull;
	for (i = 0; i < QUIRE_TABLES_NATIVE; i += 3)
		tables->native[i] = (struct quire_tables_native) { i * 2 + 1, { 8 * i + 8, 16 } };
	reset_residency(tables);
}

/* Page @nr of a segment, or NULL where the model has none. */
struct quire_tables_page *quire_tables_page(struct quire_tables *tables, u32 segment, u64 nr)
{
	if (segment == SEGMENT_APERTURE)
		return nr < QUIRE_MODEL_APERTURE ? &tables->aperture[nr] : NULL;

	nr -= QUIRE_MODEL_VRAM_BASE;
	return nr < QUIRE_MODEL_VRAM ? &tables->vram[nr] : NULL;
}

static const char *decode_signal(const u8 *bytes, struct quire_model_packet *packet)
{
	packet->address = get_le(bytes + 8, 8);
	packet->value = get_le(bytes + 16, 8);
	packet->bytes = 8;
	if (packet->size != 24 || packet->flags != 1)
		return "bad header of a signal";

	return packet->address % 8 || packet->address >= VA_END ? "bad address of a fence" : NULL;
}

/* Sets value to the allocation. */
static const char *decode_notice(const u8 *bytes, struct quire_model_packet *packet, u32 flags)
{
	packet->value = get_le(bytes + 8, 4);
	if (packet->flags > flags)
		return "flags of a notice";

	return packet->value ? NULL : "notice of no allocation";
}

static const char *decode_residency(const u8 *bytes, struct quire_model_packet *packet)
{
	u64 address = get_le(bytes + 16, 8);

	packet->count = get_le(bytes + 12, 4);
	packet->segment = address >> 56;
	packet->address = address << 8 >> 8;
	if (packet->size != 24)
		return "size of a notice";
	if (!packet->flags && (packet->count || address))
		return "what leaves has a place";
	if (packet->flags && (!packet->count || packet->address % PAGE ||
			      (packet->segment != SEGMENT_VRAM &&
			       packet->segment != SEGMENT_APERTURE)))
		return "what comes has no place";

	return decode_notice(bytes, packet, 1);
}

static const char *decode_residency2(const u8 *bytes, struct quire_model_packet *packet)
{
	u64 pages = 0;
	u32 i;

	packet->segment = get_le(bytes + 12, 4);
	packet->address = get_le(bytes + 16, 4);
	packet->count = get_le(bytes + 20, 4);
	packet->runs = bytes + 24;
	packet->nr_runs = (packet->size - 24) / 8;
	for (i = 0; i < packet->nr_runs; i++)
		pages += quire_model_run_pages(packet, i);
	if (packet->segment != SEGMENT_VRAM && packet->segment != SEGMENT_APERTURE)
		return "notice of another segment";
	if (!packet->count || pages != (packet->flags ? packet->count : 0))
		return "pages of a notice";

	return decode_notice(bytes, packet, 1);
}

static const char *decode_going(const u8 *bytes, struct quire_model_packet *packet)
{
	u64 size = get_le(bytes + 24, 8);

	packet->address = get_le(bytes + 32, 8);
	if (packet->size != 40 || !packet->flags || get_le(bytes + 12, 4))
		return "bad header of a notice";
	if (!size || (get_le(bytes + 16, 8) | size | packet->address) % PAGE ||
	    size > VA_END || packet->address > VA_END - size)
		return "bad place of a notice";

	return decode_notice(bytes, packet, 2);
}

/* Sets segment to the MMU. */
static const char *decode_mmu(const u8 *bytes, struct quire_model_packet *packet, u32 pages)
{
	packet->segment = get_le(bytes + 8, 4);
	packet->address = get_le(bytes + 16, 8);
	packet->count = pages;
	packet->bytes = (u64)pages * PAGE;
	if (packet->segment > 1)
		return "no such MMU";

	return !pages || packet->address % PAGE ? "bad place of an MMU" : NULL;
}

static const char *decode_map_mmu(const u8 *bytes, struct quire_model_packet *packet)
{
	u32 numbers;

	if (packet->size < 40 || packet->flags > 3 || get_le(bytes + 28, 4))
		return "bad header of a map of an MMU";
	numbers = packet->flags & 2 ? 1 : get_le(bytes + 24, 4);
	packet->value = get_le(bytes + 12, 4);
	packet->runs = bytes + 32;
	if (packet->size != 32 + numbers * 8ull)
		return "size of a map of an MMU";
	if (packet->value > SEGMENT_VRAM)
		return "map of an MMU to another segment";

	return decode_mmu(bytes, packet, get_le(bytes + 24, 4));
}

static const char *decode_unmap_mmu(const u8 *bytes, struct quire_model_packet *packet)
{
	if (packet->size != 24 || packet->flags)
		return "bad header of an unmap of an MMU";

	return decode_mmu(bytes, packet, get_le(bytes + 12, 4));
}

/* Sets count. */
static const char *decode_fences(const u8 *bytes, struct quire_model_packet *packet)
{
	u32 i;

	packet->count = (packet->size - 8) / 32;
	if (packet->flags || !packet->count || packet->size != 8 + packet->count * 32)
		return "bad header of a notice of fences";
	for (i = 0; i < packet->count; i++, bytes += 32) {
		if (get_le(bytes + 8, 4) >= QUIRE_TABLES_NATIVE || get_le(bytes + 12, 4))
			return "notice of no fence";
		if (!get_le(bytes + 16, 8) != !get_le(bytes + 24, 8) ||
		    !get_le(bytes + 16, 8) != !get_le(bytes + 32, 8))
			return "notice of half a fence";
	}

	return NULL;
}

/* For quire_model_decode(), which knows the header. */
const char *quire_tables_decode(const u8 *bytes, struct quire_model_packet *packet)
{
	switch (packet->opcode) {
	case OP_SIGNAL:
		return decode_signal(bytes, packet);
	case OP_RESIDENCY:
		return decode_residency(bytes, packet);
	case OP_RESIDENCY2:
		return decode_residency2(bytes, packet);
	case OP_GOING:
		return decode_going(bytes, packet);
	case OP_MAP_MMU:
		return decode_map_mmu(bytes, packet);
	case OP_UNMAP_MMU:
		return decode_unmap_mmu(bytes, packet);
	case OP_FENCES:
		return decode_fences(bytes, packet);
	default:
		return "no such operation";
	}
}

static const char *execute_signal(struct quire_tables *tables,
				  const struct quire_model_packet *packet)
{
	u64 nr = (packet->address - QUIRE_TABLES_VA) / 8;

	if (nr >= QUIRE_TABLES_FENCES)
		return "signal outside of memory";
	tables->fences[nr] = packet->value;
	tables->interrupts++;

	return NULL;
}

/* @offset: of the page in the allocation; @nr: of the segment */
static const char *come(struct quire_tables *tables, const struct quire_model_packet *packet,
			u32 offset, u64 nr)
{
	struct quire_tables_page *page = quire_tables_page(tables, packet->segment, nr);

	if (!page)
		return "notice outside of memory";
	if (page->allocation)
		return "it comes to where something is";
	page_set(page, packet->value, offset);

	return NULL;
}

/* Forgets the pages from @first to @end that are in @pages; returns how many. */
static u32 leave(struct quire_tables_page *pages, u32 nr, const struct quire_model_packet *packet,
		 u64 first, u64 end)
{
	u32 found = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (pages[i].allocation != packet->value || pages[i].offset < first ||
		    pages[i].offset >= end)
			continue;
		page_set(&pages[i], 0, 0);
		found++;
	}

	return found;
}

static const char *execute_residency(struct quire_tables *tables,
				     const struct quire_model_packet *packet)
{
	const char *wrong = NULL;
	u32 i;

	for (i = 0; i < packet->count && !wrong; i++)
		wrong = come(tables, packet, i, packet->address / PAGE + i);
	if (packet->flags)
		return wrong;

	return leave(tables->vram, QUIRE_MODEL_VRAM, packet, 0, ~0u) +
	       leave(tables->aperture, QUIRE_MODEL_APERTURE, packet, 0, ~0u) ?
		NULL : "it leaves and is nowhere";
}

static const char *execute_residency2(struct quire_tables *tables,
				      const struct quire_model_packet *packet)
{
	u64 end = packet->address + packet->count;
	u32 offset = packet->address;
	const char *wrong = NULL;
	u32 i, j, left;

	for (i = 0; i < packet->nr_runs; i++)
		for (j = 0; j < quire_model_run_pages(packet, i) && !wrong; j++)
			wrong = come(tables, packet, offset++,
				     quire_model_run_first(packet, i) + j);
	if (packet->flags)
		return wrong;

	left = packet->segment == SEGMENT_VRAM ?
		leave(tables->vram, QUIRE_MODEL_VRAM, packet, offset, end) :
		leave(tables->aperture, QUIRE_MODEL_APERTURE, packet, offset, end);
	return left == packet->count ? NULL : "a part leaves and is nowhere";
}

static void execute_going(struct quire_tables *tables, const u8 *bytes,
			  const struct quire_model_packet *packet)
{
	tables->going = (struct quire_tables_going) {
		.flags = packet->flags,
		.allocation = packet->value,
		.offset = get_le(bytes + 16, 8),
		.size = get_le(bytes + 24, 8),
		.address = packet->address,
	};
	tables->notices++;
}

static void execute_fences(struct quire_tables *tables, const u8 *bytes,
			   const struct quire_model_packet *packet)
{
	u32 i;

	for (i = 0; i < packet->count; i++, bytes += 32)
		tables->native[get_le(bytes + 8, 4)] = (struct quire_tables_native) {
			.owner = get_le(bytes + 16, 8),
			.values = { get_le(bytes + 24, 8), get_le(bytes + 32, 8) },
		};
}

static struct quire_tables_mapped mapped(const struct quire_model_packet *packet, u32 nr)
{
	bool contiguous = packet->flags & 2;

	if (packet->opcode == OP_UNMAP_MMU)
		return (struct quire_tables_mapped) { };

	return (struct quire_tables_mapped) {
		.page = get_le(packet->runs + (contiguous ? 0 : nr * 8), 8) +
			(contiguous ? nr : 0),
		.segment = packet->value,
		.flags = QUIRE_TABLES_MAPPED | (packet->flags & 1 ? QUIRE_TABLES_COHERENT : 0),
	};
}

static const char *execute_mmu(struct quire_tables *tables,
			       const struct quire_model_packet *packet)
{
	u64 first = packet->address / PAGE;
	u32 i;

	if (first + packet->count > QUIRE_MODEL_MMU)
		return "outside of an MMU";
	for (i = 0; i < packet->count; i++)
		tables->mmu[packet->segment][first + i] = mapped(packet, i);

	return NULL;
}

static const char *execute(struct quire_tables *tables, const u8 *bytes,
			   const struct quire_model_packet *packet)
{
	switch (packet->opcode) {
	case OP_SIGNAL:
		return execute_signal(tables, packet);
	case OP_RESIDENCY:
		return execute_residency(tables, packet);
	case OP_RESIDENCY2:
		return execute_residency2(tables, packet);
	case OP_GOING:
		execute_going(tables, bytes, packet);
		return NULL;
	case OP_FENCES:
		execute_fences(tables, bytes, packet);
		return NULL;
	case OP_MAP_MMU:
	case OP_UNMAP_MMU:
		return execute_mmu(tables, packet);
	default:
		return "no operation of a table";
	}
}

/* Executes packets, one after the other. */
const char *quire_tables_execute(struct quire_tables *tables, const u8 *bytes, u32 size)
{
	struct quire_model_packet packet;
	const char *wrong;

	for (; size; bytes += packet.size, size -= packet.size) {
		wrong = quire_model_decode(bytes, size, &packet);
		if (!wrong)
			wrong = execute(tables, bytes, &packet);
		if (wrong)
			return wrong;
	}

	return NULL;
}
