/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: what its files share and nobody else sees.
 */
#ifndef QUIRE_INTERNAL_H
#define QUIRE_INTERNAL_H

#include <string.h>

#include "quire_engine.h"

/**
 * struct quire_budget - what is left of the slice
 * @packets: packets and ring entries
 * @bytes: bytes to copy, fill or discard
 *
 * A step may overdraw by one smallest unit of its operation, so that every
 * slice makes progress.
 */
struct quire_budget {
	uint32_t packets;
	uint64_t bytes;
};

/**
 * struct quire_side - where one side of an operation lies
 * @segment: QUIRE_SEGMENT_*
 * @address: byte offset in the segment; DMA address in system memory
 * @runs: little endian page runs, or NULL; then @address counts
 * @run_count: number of @runs
 * @run: index of the run at the cursor
 * @run_start: byte position of the first byte of @run
 */
struct quire_side {
	uint32_t segment;
	uint64_t address;
	const uint8_t *runs;
	uint32_t run_count;
	uint32_t run;
	uint64_t run_start;
};

/**
 * struct quire_op - a decoded packet, checked against all but host memory
 * @opcode: enum quire_opcode
 * @flags: of the header
 * @size: bytes of the packet
 * @src: source, for operations that read
 * @dst: destination, for operations that write; aperture range of (un)map
 * @total: units of work: bytes, or pages of the aperture
 * @backward: copy from the end, because the sides overlap
 * @pattern: of a fill
 * @value: of a write or a signal; dummy page of an unmap
 */
struct quire_op {
	uint16_t opcode;
	uint16_t flags;
	uint32_t size;
	struct quire_side src;
	struct quire_side dst;
	uint64_t total;
	bool backward;
	uint32_t pattern;
	uint64_t value;
};

/**
 * struct quire_error - result of a check or a step
 * @code: enum quire_fault, QUIRE_FAULT_NONE if all is well
 * @addr: address that was refused or failed
 */
struct quire_error {
	enum quire_fault code;
	uint64_t addr;
};

#define QUIRE_ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define QUIRE_OK		((struct quire_error){ QUIRE_FAULT_NONE, 0 })
#define QUIRE_ERROR(code, addr)	((struct quire_error){ (code), (addr) })

static inline uint64_t quire_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t quire_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline bool quire_range_ok(uint64_t offset, uint64_t len, uint64_t size)
{
	return len <= size && offset <= size - len;
}

static inline bool quire_page_aligned(uint64_t value)
{
	return !(value & (QUIRE_PAGE_SIZE - 1));
}

static inline uint32_t quire_get_le32(const void *from)
{
	const uint8_t *p = from;

	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t quire_get_le64(const void *from)
{
	return quire_get_le32(from) |
	       (uint64_t)quire_get_le32((const uint8_t *)from + 4) << 32;
}

static inline void quire_event(struct quire_engine *engine, enum quire_event event,
			       const struct quire_ring *ring, uint64_t a, uint64_t b)
{
	if (engine->ops->event)
		engine->ops->event(engine->opaque, event, ring - engine->ring, a, b);
}

/* quire_interrupt.c */
void quire_interrupt(struct quire_engine *engine, unsigned int vector);

/* quire_dma.c */
uint64_t quire_dma_read(struct quire_engine *engine, uint64_t addr, void *to, uint64_t len);
bool quire_dma_write(struct quire_engine *engine, uint64_t addr, const void *from,
		     uint64_t len);
bool quire_dma_read32(struct quire_engine *engine, uint64_t addr, uint32_t *value);

/* quire_ring.c */
void quire_ring_control(struct quire_engine *engine, struct quire_ring *ring, uint32_t old);
void quire_ring_doorbell(struct quire_engine *engine, struct quire_ring *ring);
void quire_ring_reset(struct quire_ring *ring);
bool quire_ring_runnable(const struct quire_ring *ring);
uint32_t quire_ring_status(const struct quire_ring *ring);
struct quire_error quire_ring_check(const struct quire_ring *ring);
void quire_ring_run(struct quire_engine *engine, struct quire_ring *ring,
		    struct quire_budget *budget);

/* quire_packet.c */
struct quire_error quire_packet_decode(const struct quire_engine *engine, const uint8_t *packet,
				       uint32_t left, struct quire_op *op);

/* quire_execute.c */
struct quire_error quire_execute(struct quire_engine *engine, struct quire_ring *ring,
				 struct quire_op *op, struct quire_budget *budget);

/* quire_copy.c */
struct quire_error quire_copy(struct quire_engine *engine, struct quire_ring *ring,
			      struct quire_op *op, struct quire_budget *budget);

/* quire_side.c */
struct quire_error quire_side_next(const struct quire_engine *engine, struct quire_side *side,
				   uint64_t pos, uint64_t max, uint64_t *addr, uint64_t *len);
struct quire_error quire_side_prev(const struct quire_engine *engine,
				   const struct quire_side *side, uint64_t end, uint64_t max,
				   uint64_t *addr, uint64_t *len);

/* quire_aperture.c */
void quire_aperture_reset(struct quire_engine *engine);
void quire_engine_reset_control(struct quire_engine *engine);
struct quire_error quire_aperture_check(const struct quire_engine *engine,
					const struct quire_side *side, uint64_t len);
bool quire_aperture_next(const struct quire_engine *engine, uint64_t offset, uint64_t max,
			 uint64_t *addr, uint64_t *len);
bool quire_aperture_prev(const struct quire_engine *engine, uint64_t end, uint64_t max,
			 uint64_t *addr, uint64_t *len);

/* quire_map.c */
struct quire_error quire_map_aperture(struct quire_engine *engine, struct quire_ring *ring,
				      struct quire_op *op, struct quire_budget *budget);
void quire_unmap_aperture(struct quire_engine *engine, struct quire_ring *ring,
			  const struct quire_op *op, struct quire_budget *budget);

#endif
