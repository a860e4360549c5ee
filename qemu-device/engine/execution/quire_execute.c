// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: one slice of a decoded packet.
 *
 * Every operation does its part between ring->done and op->total and stops
 * when the budget of the slice is used. Only host memory can still fail.
 */
#include <string.h>

#include "../address/quire_bytes.h"
#include "../core/quire_numbers.h"
#include "../memory/quire_dma.h"
#include "../memory/quire_posted.h"
#include "../sync/quire_context.h"
#include "../sync/quire_interrupt.h"
#include "../sync/quire_native.h"
#include "quire_execute.h"
#include "quire_operations.h"
#include "quire_residency.h"

/*
 * The host gets memory back in blocks of this size, a huge page of most hosts,
 * and is never left with part of one. Less is cleared, which is cheaper than a
 * system call now and page faults later: measured in QEMU, with the faults,
 * 64 KiB take 1 us instead of 30, 1 MiB 16 us instead of 430; a huge page that
 * is given back takes 80 us. Linux's free page reporting has the same bound.
 */
#define QUIRE_DISCARD_BLOCK	(2ull << 20)

/* Up to a block, then blocks, then the rest: one of them in a step. */
static void quire_discard(struct quire_engine *engine, struct quire_ring *ring,
			  const struct quire_op *op, struct quire_budget *budget)
{
	uint64_t offset = op->dst.address + ring->done;
	uint64_t left = op->total - ring->done;
	uint64_t before = -offset & (QUIRE_DISCARD_BLOCK - 1);

	if (before) {
		left = quire_min(left, before);
	} else if (left >= QUIRE_DISCARD_BLOCK) {
		left = QUIRE_DISCARD_BLOCK;
		if (engine->ops->vram_discard(engine->opaque, offset, left)) {
			quire_budget_take(budget, left);
			ring->done += left;
			ring->progress += left;
			return;
		}
	}
	quire_fill_part(engine, ring, offset, left, QUIRE_PAGE_SIZE, 0, budget);
}

/* A flush: what the device has written before is in memory, wherever it went through. */
static struct quire_error quire_physical_read(struct quire_engine *engine,
					      struct quire_op *op, uint64_t len)
{
	uint8_t sink[8];
	uint64_t done;
	struct quire_place place;
	struct quire_error error = quire_side_next(engine, &op->src, 0, len, &place);

	quire_posted_flush(engine);
	if (error.code || place.segment == QUIRE_SEGMENT_VRAM)
		return error;
	done = quire_dma_read(engine, place.addr, sink, len);
	if (done < len)
		return QUIRE_ERROR(QUIRE_FAULT_DMA, place.addr + done);
	return QUIRE_OK;
}

static struct quire_error quire_physical_write(struct quire_engine *engine,
					       struct quire_op *op, uint64_t len)
{
	uint8_t bytes[8];
	struct quire_place place;
	struct quire_error error = quire_side_next(engine, &op->dst, 0, len, &place);

	quire_posted_flush(engine);
	if (error.code)
		return error;
	quire_put_le64(bytes, op->value);
	if (place.segment == QUIRE_SEGMENT_VRAM) {
		memcpy(engine->vram + place.addr, bytes, len);
		engine->ops->vram_dirty(engine->opaque, place.addr, len);
	} else if (!quire_dma_write(engine, place.addr, bytes, len)) {
		return QUIRE_ERROR(QUIRE_FAULT_DMA, place.addr);
	}
	return QUIRE_OK;
}

static struct quire_error quire_signal(struct quire_engine *engine, const struct quire_op *op)
{
	quire_posted_give_way(engine, op->dst.address, sizeof(op->value));
	if (!engine->ops->dma_write64(engine->opaque, op->dst.address, op->value))
		return QUIRE_ERROR(QUIRE_FAULT_FENCE_DMA, op->dst.address);
	return QUIRE_OK;
}

/* The value is where it belongs before anybody is told. */
static struct quire_error quire_signal_monitored(struct quire_engine *engine, struct quire_op *op)
{
	struct quire_error error = quire_value_signal(engine, &op->dst, op->value);

	if (!error.code && op->flags & QUIRE_SIGNAL_IRQ)
		quire_interrupt(engine, QUIRE_VECTOR_FENCE);
	return error;
}

/* Operations of one unit that is done as a whole. */
static struct quire_error quire_execute_once(struct quire_engine *engine,
					     struct quire_ring *ring, struct quire_op *op)
{
	uint64_t len = op->total;
	struct quire_error error;

	switch (op->opcode) {
	case QUIRE_OP_READ_PHYSICAL:
		error = quire_physical_read(engine, op, len);
		break;
	case QUIRE_OP_WRITE_PHYSICAL:
		error = quire_physical_write(engine, op, len);
		break;
	case QUIRE_OP_INIT_CONTEXT:
		error = quire_context_init(engine, op);
		break;
	case QUIRE_OP_UPDATE_CONTEXT:
		error = quire_context_update(engine, op);
		break;
	case QUIRE_OP_UPDATE_PAGE_TABLE:
		error = quire_update_page_table(engine, op);
		break;
	case QUIRE_OP_SIGNAL_MONITORED:
		error = quire_signal_monitored(engine, op);
		break;
	case QUIRE_OP_NOTIFY_FENCES:
		error = quire_notify_fences(engine, op);
		break;
	default:
		error = quire_signal(engine, op);
		break;
	}
	if (!error.code) {
		ring->done += len;
		ring->progress += len;
	}
	return error;
}

/**
 * quire_execute - do the next part of a packet
 * @engine: the engine
 * @ring: the ring it stands in; @done says how far it is
 * @op: the decoded packet
 * @budget: what the slice may use; what was used is taken off
 *
 * The packet is finished when ring->done reaches op->total.
 *
 * Return: the fault that stops the ring, if any.
 */
struct quire_error quire_execute(struct quire_engine *engine, struct quire_ring *ring,
				 struct quire_op *op, struct quire_budget *budget)
{
	if (!quire_is_paging(engine, ring))
		return quire_command(engine, ring, op, budget);
	switch (op->opcode) {
	case QUIRE_OP_TRANSFER:
		return op->flags ? quire_swizzle_copy(engine, ring, op, budget) :
				   quire_copy(engine, ring, op, budget);
	case QUIRE_OP_SPECIAL_LOCK:
		return quire_swizzle_copy(engine, ring, op, budget);
	case QUIRE_OP_TRANSFER_VIRTUAL:
		return quire_copy(engine, ring, op, budget);
	case QUIRE_OP_FILL:
	case QUIRE_OP_FILL_VIRTUAL:
		return quire_fill_range(engine, ring, op, budget);
	case QUIRE_OP_DISCARD_CONTENT:
		quire_discard(engine, ring, op, budget);
		return QUIRE_OK;
	case QUIRE_OP_MAP_APERTURE:
	case QUIRE_OP_MAP_APERTURE2:
		return quire_map_aperture(engine, ring, op, budget);
	case QUIRE_OP_UNMAP_APERTURE:
		quire_unmap_aperture(engine, ring, op, budget);
		return QUIRE_OK;
	case QUIRE_OP_NOTIFY_ALLOCATION:
		return quire_notify_allocation(engine, ring, op, budget);
	case QUIRE_OP_MAP_MMU:
		return quire_map_mmu(engine, ring, op, budget);
	case QUIRE_OP_UNMAP_MMU:
		quire_unmap_mmu(engine, ring, op, budget);
		return QUIRE_OK;
	case QUIRE_OP_NOTIFY_RESIDENCY:
	case QUIRE_OP_NOTIFY_RESIDENCY2:
		return quire_notify_residency(engine, ring, op, budget);
	case QUIRE_OP_COPY_PAGE_TABLE:
		return quire_copy_page_table(engine, ring, op, budget);
	case QUIRE_OP_FLUSH_TLB:
		quire_flush_tlb(engine, ring, op);
		return QUIRE_OK;
	default:
		return quire_execute_once(engine, ring, op);
	}
}
