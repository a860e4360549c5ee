// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: one slice of a decoded packet, and operations that are short.
 *
 * Every operation does its part between ring->done and op->total and stops
 * when the budget of the slice is used. Only host memory can still fail.
 */
#include <string.h>

#include "../address/quire_bytes.h"
#include "../core/quire_numbers.h"
#include "../memory/quire_dma.h"
#include "../memory/quire_posted.h"
#include "../sync/quire_interrupt.h"
#include "quire_execute.h"
#include "quire_operations.h"

/*
 * The host gets memory back in blocks of this size, a huge page of most hosts,
 * and is never left with part of one. Less is cleared, which is cheaper than a
 * system call now and page faults later: measured in QEMU, with the faults,
 * 64 KiB take 1 us instead of 30, 1 MiB 16 us instead of 430; a huge page that
 * is given back takes 80 us. Linux's free page reporting has the same bound.
 */
#define QUIRE_DISCARD_BLOCK	(2ull << 20)

/* Up to a block, then blocks, then the rest: one of them in a step. */
struct quire_error quire_discard_content(struct quire_engine *engine, struct quire_ring *ring,
					 struct quire_op *op, struct quire_budget *budget)
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
			return QUIRE_OK;
		}
	}
	quire_fill_part(engine, ring, offset, left, QUIRE_PAGE_SIZE, 0, budget);
	return QUIRE_OK;
}

/* A flush: what the device has written before is in memory, wherever it went through. */
struct quire_error quire_physical_read(struct quire_engine *engine, struct quire_op *op)
{
	uint64_t len = op->total;
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

struct quire_error quire_physical_write(struct quire_engine *engine, struct quire_op *op)
{
	uint64_t len = op->total;
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

struct quire_error quire_signal_fence(struct quire_engine *engine, struct quire_op *op)
{
	quire_posted_give_way(engine, op->dst.address, sizeof(op->value));
	if (!quire_dma_write64(engine, op->dst.address, op->value))
		return QUIRE_ERROR(QUIRE_FAULT_FENCE_DMA, op->dst.address);
	return QUIRE_OK;
}

/* The value is where it belongs before anybody is told. */
struct quire_error quire_signal_monitored(struct quire_engine *engine, struct quire_op *op)
{
	struct quire_error error = quire_value_signal(engine, &op->dst, op->value);

	if (!error.code && op->flags & QUIRE_SIGNAL_IRQ)
		quire_interrupt(engine, QUIRE_VECTOR_FENCE);
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
	const struct quire_operation *operation = op->operation;
	struct quire_error error;

	if (!op->total)
		return QUIRE_OK;
	if (operation->execute)
		return operation->execute(engine, ring, op, budget);
	error = operation->once(engine, op);
	if (!error.code) {
		ring->done += op->total;
		ring->progress += op->total;
	}
	return error;
}
