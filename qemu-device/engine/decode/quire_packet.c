// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: paging operations on physical addresses, from bytes to checked operations.
 *
 * The packet lies in the copied-in submission, so nobody changes it between
 * check and use. The order of checks is part of the specification: size,
 * opcode, size and reserved fields of the operation, segments, ranges, runs.
 * What passes can only fail on system memory and on the aperture table.
 *
 * Faults about the packet as a whole are reported with address 0 here; the
 * ring replaces it by the DMA address of the packet.
 */
#include "../core/quire_numbers.h"
#include "../memory/quire_segment.h"
#include "quire_decode.h"
#include "quire_packet.h"
#include "quire_runs.h"

/* Check that @side with @len bytes lies in its segment, which exists. */
static struct quire_error quire_check_range(const struct quire_engine *engine,
					    struct quire_side *side, uint64_t len)
{
	if (!len || !quire_range_ok(side->address, len,
				    quire_segment_size(engine, side->segment)))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, side->address);
	side->len = len;
	return QUIRE_OK;
}

/* Take the rest of the packet as runs of exactly @pages system pages. */
static struct quire_error quire_take_runs(const uint8_t *packet, uint32_t fixed, uint32_t size,
					  uint64_t pages, struct quire_side *side)
{
	struct quire_runs runs = quire_runs_of(packet, fixed, size);

	if (!quire_runs_take(&runs, pages, QUIRE_SYSTEM_PAGES, 1, side) || runs.count)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RUNS, 0);
	return QUIRE_OK;
}

static struct quire_error quire_check_transfer_side(const struct quire_engine *engine,
						    struct quire_side *side, uint64_t len)
{
	if (side->segment != QUIRE_SEGMENT_SYSTEM)
		return quire_check_range(engine, side, len);
	if (!len || side->address)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, side->address);
	return QUIRE_OK;
}

struct quire_error quire_decode_transfer(const struct quire_engine *engine, const uint8_t *p,
					 struct quire_op *op)
{
	struct quire_side *system = NULL;
	struct quire_error error;
	uint64_t pages = 0;

	op->src.segment = QUIRE_GET32(p, quire_packet_transfer, src_segment);
	op->dst.segment = QUIRE_GET32(p, quire_packet_transfer, dst_segment);
	op->src.address = QUIRE_GET64(p, quire_packet_transfer, src_address);
	op->dst.address = QUIRE_GET64(p, quire_packet_transfer, dst_address);
	op->total = QUIRE_GET64(p, quire_packet_transfer, size);

	if (op->src.segment >= QUIRE_SEGMENTS)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_SEGMENT, op->src.segment);
	if (op->dst.segment >= QUIRE_SEGMENTS ||
	    (op->src.segment == QUIRE_SEGMENT_SYSTEM && op->dst.segment == QUIRE_SEGMENT_SYSTEM))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_SEGMENT, op->dst.segment);
	error = quire_check_transfer_side(engine, &op->src, op->total);
	if (!error.code)
		error = quire_check_transfer_side(engine, &op->dst, op->total);
	if (error.code)
		return error;

	if (op->src.segment == QUIRE_SEGMENT_SYSTEM)
		system = &op->src;
	else if (op->dst.segment == QUIRE_SEGMENT_SYSTEM)
		system = &op->dst;
	if (system)
		pages = (op->total + QUIRE_PAGE_SIZE - 1) >> QUIRE_PAGE_SHIFT;
	op->backward = quire_overlaps_upward(op);
	return quire_take_runs(p, sizeof(struct quire_packet_transfer), op->size, pages, system);
}

struct quire_error quire_decode_fill(const struct quire_engine *engine, const uint8_t *p,
				     struct quire_op *op)
{
	op->dst.segment = QUIRE_GET32(p, quire_packet_fill, segment);
	op->dst.address = QUIRE_GET64(p, quire_packet_fill, address);
	op->total = QUIRE_GET64(p, quire_packet_fill, size);
	op->pattern = QUIRE_GET32(p, quire_packet_fill, pattern);

	if (op->dst.segment != QUIRE_SEGMENT_VRAM)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_SEGMENT, op->dst.segment);
	if (op->dst.address & 3 || op->total & 3)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, op->dst.address);
	return quire_check_range(engine, &op->dst, op->total);
}

struct quire_error quire_decode_discard(const struct quire_engine *engine, const uint8_t *p,
					struct quire_op *op)
{
	op->dst.segment = QUIRE_GET32(p, quire_packet_discard, segment);
	op->dst.address = QUIRE_GET64(p, quire_packet_discard, address);
	op->total = QUIRE_GET64(p, quire_packet_discard, size);

	if (QUIRE_GET32(p, quire_packet_discard, reserved))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	if (op->dst.segment != QUIRE_SEGMENT_VRAM)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_SEGMENT, op->dst.segment);
	if (!quire_page_aligned(op->dst.address) || !quire_page_aligned(op->total))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, op->dst.address);
	return quire_check_range(engine, &op->dst, op->total);
}

struct quire_error quire_decode_physical(const struct quire_engine *engine, const uint8_t *p,
					 struct quire_op *op)
{
	bool read = op->opcode == QUIRE_OP_READ_PHYSICAL;
	struct quire_side *side = read ? &op->src : &op->dst;

	side->segment = QUIRE_GET32(p, quire_packet_physical, segment);
	side->address = QUIRE_GET64(p, quire_packet_physical, address);
	op->total = QUIRE_GET32(p, quire_packet_physical, size);
	op->value = QUIRE_GET64(p, quire_packet_physical, value);

	if (read && op->value)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	if (side->segment >= QUIRE_SEGMENTS)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_SEGMENT, side->segment);
	if (!op->total || op->total > 8 ||
	    (side->address & (QUIRE_PAGE_SIZE - 1)) + op->total > QUIRE_PAGE_SIZE)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, side->address);
	if (side->segment == QUIRE_SEGMENT_SYSTEM)
		return QUIRE_OK;
	return quire_check_range(engine, side, op->total);
}

/* The aperture pages of a map or an unmap, as a side in bytes. */
static struct quire_error quire_decode_pages(const struct quire_engine *engine,
					     const uint8_t *p, struct quire_op *op)
{
	uint64_t first = QUIRE_GET64(p, quire_packet_map, first_page);

	op->dst.segment = QUIRE_GET32(p, quire_packet_map, segment);
	op->dst.address = first << QUIRE_PAGE_SHIFT;
	op->total = QUIRE_GET32(p, quire_packet_map, pages);

	if (op->dst.segment != QUIRE_SEGMENT_APERTURE)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_SEGMENT, op->dst.segment);
	if (!op->total || !quire_range_ok(first, op->total, engine->aperture_pages))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, op->dst.address);
	return QUIRE_OK;
}

struct quire_error quire_decode_map(const struct quire_engine *engine, const uint8_t *p,
				    struct quire_op *op)
{
	struct quire_error error = quire_decode_pages(engine, p, op);

	if (error.code)
		return error;
	op->src.segment = QUIRE_SEGMENT_SYSTEM;
	return quire_take_runs(p, sizeof(struct quire_packet_map), op->size, op->total, &op->src);
}

/* Consecutive pages from number @first on. */
static struct quire_error quire_take_base(uint64_t first, struct quire_op *op)
{
	if (!quire_range_ok(first, op->total, QUIRE_SYSTEM_PAGES))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, first);
	if (op->size != sizeof(struct quire_packet_map2))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RUNS, 0);
	op->src.address = first << QUIRE_PAGE_SHIFT;
	return QUIRE_OK;
}

/*
 * The pages of the array at @adl, which is that of the packet: it was copied in with it,
 * and nobody changes it any more.
 */
static struct quire_error quire_take_list(const uint8_t *p, uint64_t adl, struct quire_op *op)
{
	const uint8_t *list = p + sizeof(struct quire_packet_map2);
	uint64_t i;

	if (adl != op->addr + sizeof(struct quire_packet_map2))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, adl);
	if (op->size - sizeof(struct quire_packet_map2) != 8 * op->total)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RUNS, 0);
	for (i = 0; i < op->total; i++)
		if (quire_get_le64(list + 8 * i) >= QUIRE_SYSTEM_PAGES)
			return QUIRE_ERROR(QUIRE_FAULT_BAD_RUNS, 0);
	op->src.list = list;
	return QUIRE_OK;
}

struct quire_error quire_decode_map2(const struct quire_engine *engine, const uint8_t *p,
				     struct quire_op *op)
{
	uint64_t adl = QUIRE_GET64(p, quire_packet_map2, adl);
	struct quire_error error = quire_decode_pages(engine, p, op);

	if (error.code)
		return error;
	if (op->flags & QUIRE_MAP_CPU_VISIBLE &&
	    !quire_range_ok(op->dst.address, op->total << QUIRE_PAGE_SHIFT, engine->window_size))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, op->dst.address);
	op->src.segment = QUIRE_SEGMENT_SYSTEM;
	return op->flags & QUIRE_MAP_CONTIGUOUS ? quire_take_base(adl, op) :
						  quire_take_list(p, adl, op);
}

struct quire_error quire_decode_unmap(const struct quire_engine *engine, const uint8_t *p,
				      struct quire_op *op)
{
	struct quire_error error = quire_decode_pages(engine, p, op);

	if (error.code)
		return error;
	/* One more, to wait. */
	op->total++;
	op->value = QUIRE_GET64(p, quire_packet_unmap, dummy_page);
	if (!quire_page_aligned(op->value))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, op->value);
	return QUIRE_OK;
}

struct quire_error quire_decode_signal(const struct quire_engine *engine, const uint8_t *p,
				       struct quire_op *op)
{
	(void)engine;
	op->dst.segment = QUIRE_SEGMENT_SYSTEM;
	op->dst.address = QUIRE_GET64(p, quire_packet_signal, address);
	op->value = QUIRE_GET64(p, quire_packet_signal, value);
	op->total = 1;

	if (op->dst.address & 7)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, op->dst.address);
	return QUIRE_OK;
}

/**
 * quire_packet_unmapped - does the packet access a page that is not mapped?
 * @engine: the engine
 * @op: the decoded packet
 * @begins: nothing of it is done: pages of MMUs count, too, which may be taken away later
 *
 * What maps pages does not access them.
 *
 * Return: QUIRE_FAULT_APERTURE with the offset of the first such page of the aperture, or
 * QUIRE_FAULT_MMU with the first one of an MMU; source first.
 */
struct quire_error quire_packet_unmapped(const struct quire_engine *engine,
					 const struct quire_op *op, bool begins)
{
	struct quire_error error = quire_side_unmapped(engine, &op->src, begins);

	if (!error.code)
		error = quire_side_unmapped(engine, &op->dst, begins);
	if (!error.code && op->operation->reports) {
		struct quire_side result = quire_result_side(op);

		error = quire_side_unmapped(engine, &result, begins);
	}
	return error;
}
