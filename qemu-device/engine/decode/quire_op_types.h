/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: decoded packets.
 *
 * Layer of packets: bytes of a submission come in, checked operations go out. It changes
 * nothing, and reads no memory but the copy of the submission. It uses the structures of the
 * layers below, and segments.
 */
#ifndef QUIRE_OP_TYPES_H
#define QUIRE_OP_TYPES_H

#include "../address/quire_side.h"
#include "../work/quire_work_types.h"
#include "quire_layout.h"

struct quire_operation;

/**
 * struct quire_table_write - what is written to a page table
 * @entries: little endian entries, or ranges, of the packet
 * @level: of the table
 * @start: first entry
 * @count: how many
 */
struct quire_table_write {
	const uint8_t *entries;
	uint32_t level;
	uint32_t start;
	uint32_t count;
};

/**
 * struct quire_notice - what a notice of residency says
 * @allocation: whose pages come or leave
 * @segment: where; unused if all of them leave
 * @offset: number of the first page in the allocation
 * @pages: how many
 */
struct quire_notice {
	uint32_t allocation;
	uint32_t segment;
	uint32_t offset;
	uint32_t pages;
};

/**
 * struct quire_plane - the part of a surface that a rectangle has, in elements
 * @layout: of the image; the side says where it begins
 * @surface: the level of the slice
 * @x: first column
 * @y: first row
 */
struct quire_plane {
	struct quire_layout layout;
	struct quire_surface surface;
	uint32_t x;
	uint32_t y;
};

/**
 * struct quire_rectangles - what a command copies from a surface to another one, clipped
 * @src: where it is read
 * @dst: where it is written
 * @row_bytes: bytes of a row; 0 if nothing is left
 */
struct quire_rectangles {
	struct quire_plane src;
	struct quire_plane dst;
	uint32_t row_bytes;
};

/**
 * struct quire_result - where a command says what it has found out
 * @segment: QUIRE_SEGMENT_*
 * @address: byte offset in the segment, or virtual address
 * @len: bytes
 */
struct quire_result {
	uint32_t segment;
	uint64_t address;
	uint64_t len;
};

/**
 * struct quire_op - a decoded packet, checked against all but host memory
 * @operation: what there is to know of its opcode
 * @opcode: enum quire_opcode, or enum quire_command_opcode; says which member of the union counts
 * @flags: of the header
 * @size: bytes of the packet
 * @addr: address of the packet, as the ring has it
 * @root: of the address space of a context
 * @in_context: virtual addresses are those of the context
 * @has_registers: and it has a save area, on an execution ring
 * @backward: copy from the end, because the sides overlap
 * @waiting: the packet was begun, and waits
 * @unit: what a slice does of it is a multiple of this
 * @total: units of work: bytes, or pages of the aperture, or nanoseconds; 0 if there is
 *         nothing to do
 * @src: source, for operations that read
 * @dst: destination, for operations that write; aperture range of (un)map
 * @value: of a write, a wait, a signal or a register; dummy page of an unmap; range of a special
 *         lock; root of a flush
 * @wait_until: it need not be looked at before; of the machine's time
 * @since: when a WAIT_VALUE began to wait; of a DELAY, up to when the time that passed is in
 *         &quire_ring.done
 * @wait_for: a bit for each ring whose work, at work when the packet looked, has to end
 * @pattern: of a fill
 * @number: of a register
 * @native: number of the native fence that is signalled
 * @table: of what writes page tables, or tells where fences are
 * @notice: of residency; its pages are those of @src, and of @dst once more
 * @swizzle: of a packet that converts
 * @rectangles: of a command on surfaces
 * @result: of CHECKSUM and COMPARE
 */
struct quire_op {
	const struct quire_operation *operation;
	uint16_t opcode;
	uint16_t flags;
	uint32_t size;
	uint64_t addr;
	uint64_t root;
	bool in_context;
	bool has_registers;
	bool backward;
	bool waiting;
	uint32_t unit;
	uint64_t total;
	struct quire_side src;
	struct quire_side dst;
	uint64_t value;
	uint64_t wait_until;
	uint64_t since;
	uint32_t wait_for;
	union {
		uint32_t pattern;
		uint32_t number;
		uint32_t native;
		struct quire_table_write table;
		struct quire_notice notice;
		struct quire_swizzle swizzle;
		struct quire_rectangles rectangles;
		struct quire_result result;
	};
};

/* The side that a command writes its result to. */
static inline struct quire_side quire_result_side(const struct quire_op *op)
{
	return (struct quire_side){
		.segment = op->result.segment,
		.address = op->result.address,
		.len = op->result.len,
		.space = { .root = op->root, .access = QUIRE_ACCESS_WRITE },
	};
}

/* Must a copy begin with its end? If its destination overlaps its source, behind the first byte. */
static inline bool quire_overlaps_upward(const struct quire_op *op)
{
	return op->src.segment == op->dst.segment && op->dst.address > op->src.address &&
	       op->dst.address - op->src.address < op->total;
}

/* QUIRE_SPECIAL_LOCK_RANGE(), taken apart. */
static inline uint32_t quire_named_range(uint32_t named)
{
	return named & 0xffff;
}

static inline uint32_t quire_named_data(uint32_t named)
{
	return named >> 16;
}

#endif
