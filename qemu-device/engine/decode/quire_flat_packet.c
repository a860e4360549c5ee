// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: MAP_MMU and UNMAP_MMU, from bytes to a checked operation.
 *
 * The order of checks is that of quire_packet.c: reserved fields, segment, the MMU, the pages
 * of it, the page numbers.
 */
#include "../core/quire_numbers.h"
#include "../memory/quire_segment.h"
#include "quire_decode.h"

/* The pages of an MMU that a packet names, not none; the side is not one that is accessed. */
static struct quire_error quire_flat_pages(const struct quire_engine *engine, uint32_t mmu,
					   uint64_t address, uint64_t pages,
					   struct quire_side *side)
{
	if (mmu >= QUIRE_MMU_COUNT)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, mmu);
	if (!pages || !quire_page_aligned(address) ||
	    !quire_range_ok(address, pages << QUIRE_PAGE_SHIFT, engine->mmu_size))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, address);
	side->segment = QUIRE_SEGMENT_MMU(mmu);
	side->address = address;
	return QUIRE_OK;
}

/* Are the page numbers as many as there should be, and all in the segment? */
static bool quire_flat_numbers_ok(const struct quire_engine *engine, const struct quire_op *op,
				  const uint8_t *numbers)
{
	uint64_t end = op->src.segment == QUIRE_SEGMENT_VRAM ?
		       engine->vram_size >> QUIRE_PAGE_SHIFT : QUIRE_SYSTEM_PAGES;
	uint64_t given = (op->size - sizeof(struct quire_packet_map_mmu)) / 8, i;

	if (op->flags & QUIRE_MAP_CONTIGUOUS)
		return given == 1 && quire_range_ok(quire_get_le64(numbers), op->total, end);
	if (given != op->total)
		return false;
	for (i = 0; i < given; i++)
		if (quire_get_le64(numbers + 8 * i) >= end)
			return false;
	return true;
}

struct quire_error quire_decode_map_mmu(const struct quire_engine *engine, const uint8_t *p,
					struct quire_op *op)
{
	const uint8_t *numbers = p + sizeof(struct quire_packet_map_mmu);
	struct quire_error error;

	op->src.segment = QUIRE_GET32(p, quire_packet_map_mmu, segment);
	op->total = QUIRE_GET32(p, quire_packet_map_mmu, pages);
	if (QUIRE_GET32(p, quire_packet_map_mmu, reserved))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	if (op->src.segment > QUIRE_SEGMENT_VRAM)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_SEGMENT, op->src.segment);
	error = quire_flat_pages(engine, QUIRE_GET32(p, quire_packet_map_mmu, mmu),
				 QUIRE_GET64(p, quire_packet_map_mmu, address), op->total,
				 &op->dst);
	if (error.code)
		return error;
	if (!quire_flat_numbers_ok(engine, op, numbers))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RUNS, 0);
	if (op->flags & QUIRE_MAP_CONTIGUOUS)
		op->src.address = quire_get_le64(numbers) << QUIRE_PAGE_SHIFT;
	else
		op->src.list = numbers;
	return QUIRE_OK;
}

struct quire_error quire_decode_unmap_mmu(const struct quire_engine *engine, const uint8_t *p,
					  struct quire_op *op)
{
	uint64_t pages = QUIRE_GET32(p, quire_packet_unmap_mmu, pages);

	/* One more, to wait. */
	op->total = pages + 1;
	return quire_flat_pages(engine, QUIRE_GET32(p, quire_packet_unmap_mmu, mmu),
				QUIRE_GET64(p, quire_packet_unmap_mmu, address), pages, &op->dst);
}
