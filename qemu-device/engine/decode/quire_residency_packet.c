// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: notices of residency, from bytes to a checked operation.
 *
 * The order of checks is that of quire_packet.c. Whether a notice contradicts what is known is
 * found out when it is executed.
 */
#include "../core/quire_numbers.h"
#include "../memory/quire_segment.h"
#include "quire_decode.h"
#include "quire_runs.h"

static bool quire_residency_segment_ok(uint32_t segment)
{
	return segment == QUIRE_SEGMENT_VRAM || segment == QUIRE_SEGMENT_APERTURE;
}

/* Each page is looked at twice: can it be, and then it is so. */
static void quire_notice_total(const struct quire_engine *engine, struct quire_op *op)
{
	uint64_t pages = op->notice.pages;

	if (!(op->flags & QUIRE_NOTIFY_RESIDENT))
		pages = op->opcode == QUIRE_OP_NOTIFY_RESIDENCY ? engine->residency.pages :
			quire_segment_pages(engine, op->notice.segment);
	op->total = 2 * pages;
	/* One side to look, the other one to do: either only goes forward. */
	op->dst = op->src;
}

struct quire_error quire_decode_notify_residency(const struct quire_engine *engine,
						 const uint8_t *p, struct quire_op *op)
{
	uint64_t address = QUIRE_GET64(p, quire_packet_notify_residency, address);
	uint32_t segment = QUIRE_ADDRESS_SEGMENT(address);
	uint64_t offset = QUIRE_ADDRESS_OFFSET(address);

	op->notice = (struct quire_notice){
		.allocation = QUIRE_GET32(p, quire_packet_notify_residency, allocation),
		.segment = segment,
		.pages = QUIRE_GET32(p, quire_packet_notify_residency, pages),
	};
	if (!op->notice.allocation)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	if (!(op->flags & QUIRE_NOTIFY_RESIDENT)) {
		quire_notice_total(engine, op);
		return op->notice.pages || address ? QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0) :
						     QUIRE_OK;
	}
	if (!quire_residency_segment_ok(segment))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_SEGMENT, segment);
	if (!op->notice.pages || !quire_page_aligned(offset) ||
	    !quire_range_ok(offset >> QUIRE_PAGE_SHIFT, op->notice.pages,
			    quire_segment_pages(engine, segment)))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, address);
	op->src.address = offset;
	quire_notice_total(engine, op);
	return QUIRE_OK;
}

struct quire_error quire_decode_notify_residency2(const struct quire_engine *engine,
						  const uint8_t *p, struct quire_op *op)
{
	struct quire_runs runs = quire_runs_of(p, sizeof(struct quire_packet_notify_residency2),
					       op->size);
	uint64_t pages = 0;

	op->notice = (struct quire_notice){
		.allocation = QUIRE_GET32(p, quire_packet_notify_residency2, allocation),
		.segment = QUIRE_GET32(p, quire_packet_notify_residency2, segment),
		.offset = QUIRE_GET32(p, quire_packet_notify_residency2, offset),
		.pages = QUIRE_GET32(p, quire_packet_notify_residency2, pages),
	};
	if (!op->notice.allocation)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	if (!quire_residency_segment_ok(op->notice.segment))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_SEGMENT, op->notice.segment);
	if (!op->notice.pages ||
	    !quire_range_ok(op->notice.offset, op->notice.pages, 1ull << 32))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, op->notice.offset);
	if (op->flags & QUIRE_NOTIFY_RESIDENT)
		pages = op->notice.pages;
	if (!quire_runs_take(&runs, pages, quire_segment_pages(engine, op->notice.segment), 1,
			     &op->src) || runs.count)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RUNS, 0);
	quire_notice_total(engine, op);
	return QUIRE_OK;
}
