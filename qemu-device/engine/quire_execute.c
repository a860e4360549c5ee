// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: one slice of a decoded packet.
 *
 * Every operation does its part between ring->done and op->total and stops
 * when the budget of the slice is used. Only host memory can still fail.
 */
#include "quire_internal.h"

/* Bytes that one memcpy() of a fill writes. */
#define QUIRE_FILL_BLOCK	512u

/*
 * The host gets memory back in blocks of this size, a huge page of most hosts,
 * and is never left with part of one. Less is cleared, which is cheaper than a
 * system call now and page faults later: measured in QEMU, with the faults,
 * 64 KiB take 1 us instead of 30, 1 MiB 16 us instead of 430; a huge page that
 * is given back takes 80 us. Linux's free page reporting has the same bound.
 */
#define QUIRE_DISCARD_BLOCK	(2ull << 20)

/* Bytes to do now, of @left: as the budget has it, at least a @unit. */
static uint64_t quire_slice(struct quire_ring *ring, struct quire_budget *budget,
			    uint64_t left, uint64_t unit)
{
	uint64_t n = quire_max(budget->bytes & ~(unit - 1), unit);

	n = quire_min(n, left);
	budget->bytes -= quire_min(budget->bytes, n);
	ring->done += n;
	ring->progress += n;
	return n;
}

/* Repeat @pattern over @n bytes, a multiple of four. */
static void quire_set_pattern(uint8_t *to, uint32_t pattern, uint64_t n)
{
	uint8_t block[QUIRE_FILL_BLOCK];
	uint64_t len;
	unsigned int i;

	for (i = 0; i < quire_min(n, sizeof(block)); i++)
		block[i] = pattern >> 8 * (i % 4);
	for (; n; n -= len, to += len) {
		len = quire_min(n, sizeof(block));
		memcpy(to, block, len);
	}
}

/* A slice is a multiple of four bytes, so the pattern's phase goes on. */
static void quire_fill(struct quire_engine *engine, struct quire_ring *ring,
		       const struct quire_op *op, struct quire_budget *budget)
{
	uint64_t offset = op->dst.address + ring->done;
	uint64_t n = quire_slice(ring, budget, op->total - ring->done, 4);
	uint8_t byte = op->pattern;

	if (op->pattern == byte * 0x01010101u)
		memset(engine->vram + offset, byte, n);
	else
		quire_set_pattern(engine->vram + offset, op->pattern, n);
	engine->ops->vram_dirty(engine->opaque, offset, n);
}

/* Up to a block, then whole blocks, then the rest: one of them in a step. */
static void quire_discard(struct quire_engine *engine, struct quire_ring *ring,
			  const struct quire_op *op, struct quire_budget *budget)
{
	uint64_t offset = op->dst.address + ring->done;
	uint64_t left = op->total - ring->done;
	uint64_t before = -offset & (QUIRE_DISCARD_BLOCK - 1);
	uint64_t n;

	if (!before && left >= QUIRE_DISCARD_BLOCK) {
		n = quire_slice(ring, budget, left & ~(QUIRE_DISCARD_BLOCK - 1),
				QUIRE_DISCARD_BLOCK);
		engine->ops->vram_discard(engine->opaque, offset, n);
		return;
	}
	n = quire_slice(ring, budget, before ? quire_min(before, left) : left, QUIRE_PAGE_SIZE);
	memset(engine->vram + offset, 0, n);
	engine->ops->vram_dirty(engine->opaque, offset, n);
}

/* Where one side of a physical access lies: VRAM offset or DMA address. */
static struct quire_error quire_physical_addr(struct quire_engine *engine,
					      struct quire_side *side, uint64_t len,
					      uint64_t *addr)
{
	return quire_side_next(engine, side, 0, len, addr, &len);
}

static struct quire_error quire_physical_read(struct quire_engine *engine,
					      struct quire_op *op, uint64_t len)
{
	uint8_t sink[8];
	uint64_t addr, done;
	struct quire_error error = quire_physical_addr(engine, &op->src, len, &addr);

	if (error.code || op->src.segment == QUIRE_SEGMENT_VRAM)
		return error;
	done = quire_dma_read(engine, addr, sink, len);
	if (done < len)
		return QUIRE_ERROR(QUIRE_FAULT_DMA, addr + done);
	return QUIRE_OK;
}

static struct quire_error quire_physical_write(struct quire_engine *engine,
					       struct quire_op *op, uint64_t len)
{
	uint8_t bytes[8];
	uint64_t addr, i;
	struct quire_error error = quire_physical_addr(engine, &op->dst, len, &addr);

	if (error.code)
		return error;
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = op->value >> (8 * i);
	if (op->dst.segment == QUIRE_SEGMENT_VRAM) {
		memcpy(engine->vram + addr, bytes, len);
		engine->ops->vram_dirty(engine->opaque, addr, len);
	} else if (!quire_dma_write(engine, addr, bytes, len)) {
		return QUIRE_ERROR(QUIRE_FAULT_DMA, addr);
	}
	return QUIRE_OK;
}

static struct quire_error quire_signal(struct quire_engine *engine, const struct quire_op *op)
{
	if (!engine->ops->dma_write64(engine->opaque, op->dst.address, op->value))
		return QUIRE_ERROR(QUIRE_FAULT_FENCE_DMA, op->dst.address);
	return QUIRE_OK;
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
	switch (op->opcode) {
	case QUIRE_OP_TRANSFER:
		return quire_copy(engine, ring, op, budget);
	case QUIRE_OP_FILL:
		quire_fill(engine, ring, op, budget);
		return QUIRE_OK;
	case QUIRE_OP_DISCARD_CONTENT:
		quire_discard(engine, ring, op, budget);
		return QUIRE_OK;
	case QUIRE_OP_MAP_APERTURE:
		return quire_map_aperture(engine, ring, op, budget);
	case QUIRE_OP_UNMAP_APERTURE:
		quire_unmap_aperture(engine, ring, op, budget);
		return QUIRE_OK;
	default:
		return quire_execute_once(engine, ring, op);
	}
}
