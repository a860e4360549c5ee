// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: paging operations on virtual addresses, page tables and contexts, from bytes
 * to a checked operation.
 *
 * As quire_packet.c does it, and in the same order: size, flags and reserved fields, context,
 * segments, ranges. What is at a virtual address is only found out when it is reached.
 */
#include "../core/quire_numbers.h"
#include "quire_decode.h"

/* Virtual addresses are those of a context: is there one? */
static struct quire_error quire_check_context(const struct quire_op *op)
{
	return op->in_context ? QUIRE_OK : QUIRE_ERROR(QUIRE_FAULT_BAD_CONTEXT, 0);
}

/* @len bytes at a virtual address that is a multiple of @align. */
static struct quire_error quire_check_virtual(const struct quire_op *op, uint32_t access,
					      uint64_t va, uint64_t len, uint64_t align,
					      struct quire_side *side)
{
	if (!len || va & (align - 1) || !quire_range_ok(va, len, QUIRE_VA_END))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, va);
	*side = (struct quire_side){
		.segment = QUIRE_SEGMENT_VIRTUAL,
		.address = va,
		.len = len,
		.space = { .root = op->root, .access = access },
	};
	return QUIRE_OK;
}

/* A page that a packet writes: in a segment up to @most, or with a virtual address. */
static struct quire_error quire_check_page(const struct quire_engine *engine,
					   const struct quire_op *op, uint32_t segment,
					   uint32_t most, uint64_t address,
					   struct quire_side *side)
{
	bool is_virtual = op->flags & QUIRE_ADDRESS_VIRTUAL;
	struct quire_error error = is_virtual ? quire_check_context(op) : QUIRE_OK;
	uint64_t size = UINT64_MAX;

	if (error.code)
		return error;
	if (segment > (is_virtual ? 0 : most))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_SEGMENT, segment);
	if (is_virtual)
		return quire_check_virtual(op, QUIRE_ACCESS_WRITE, address, QUIRE_PAGE_SIZE,
					   QUIRE_PAGE_SIZE, side);
	if (segment == QUIRE_SEGMENT_VRAM)
		size = engine->vram_size;
	else if (segment == QUIRE_SEGMENT_APERTURE)
		size = engine->aperture_size;
	if (!quire_page_aligned(address) ||
	    (segment && !quire_range_ok(address, QUIRE_PAGE_SIZE, size)))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, address);
	side->segment = segment;
	side->address = address;
	side->len = QUIRE_PAGE_SIZE;
	return QUIRE_OK;
}

static bool quire_src_is_local(uint32_t direction)
{
	return direction != QUIRE_DIRECTION_SYSTEM_TO_LOCAL;
}

static bool quire_dst_is_local(uint32_t direction)
{
	return direction != QUIRE_DIRECTION_LOCAL_TO_SYSTEM;
}

/* Which pages a side may have. */
static void quire_restrict(struct quire_space *space, bool local, bool large)
{
	space->segments = 1u << QUIRE_SEGMENT_VRAM;
	if (!local)
		space->segments = 1u << QUIRE_SEGMENT_SYSTEM | 1u << QUIRE_SEGMENT_APERTURE;
	space->least_shift = large ? QUIRE_PT_SHIFT_64K : 0;
}

struct quire_error quire_decode_transfer_virtual(const struct quire_engine *engine,
						 const uint8_t *p, struct quire_op *op)
{
	uint32_t direction = QUIRE_GET32(p, quire_packet_transfer_virtual, direction);
	uint64_t src = QUIRE_GET64(p, quire_packet_transfer_virtual, src);
	uint64_t dst = QUIRE_GET64(p, quire_packet_transfer_virtual, dst);
	struct quire_error error;

	(void)engine;
	op->total = QUIRE_GET64(p, quire_packet_transfer_virtual, size);
	if (direction > QUIRE_DIRECTION_LOCAL_TO_LOCAL ||
	    QUIRE_GET32(p, quire_packet_transfer_virtual, reserved))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	error = quire_check_context(op);
	if (!error.code)
		error = quire_check_virtual(op, QUIRE_ACCESS_READ, src, op->total, 1, &op->src);
	if (!error.code)
		error = quire_check_virtual(op, QUIRE_ACCESS_WRITE, dst, op->total, 1, &op->dst);
	quire_restrict(&op->src.space, quire_src_is_local(direction),
		       op->flags & QUIRE_TRANSFER_SRC_64K);
	quire_restrict(&op->dst.space, quire_dst_is_local(direction),
		       op->flags & QUIRE_TRANSFER_DST_64K);
	op->backward = quire_overlaps_upward(op);
	return error;
}

struct quire_error quire_decode_fill_virtual(const struct quire_engine *engine, const uint8_t *p,
					     struct quire_op *op)
{
	uint64_t dst = QUIRE_GET64(p, quire_packet_fill_virtual, dst);
	struct quire_error error;

	(void)engine;
	op->total = QUIRE_GET64(p, quire_packet_fill_virtual, size);
	op->pattern = QUIRE_GET32(p, quire_packet_fill_virtual, pattern);
	if (QUIRE_GET32(p, quire_packet_fill_virtual, reserved))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	error = quire_check_context(op);
	if (error.code)
		return error;
	if (op->total & 3)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, dst);
	return quire_check_virtual(op, QUIRE_ACCESS_WRITE, dst, op->total, 4, &op->dst);
}

struct quire_error quire_decode_init_context(const struct quire_engine *engine, const uint8_t *p,
					     struct quire_op *op)
{
	if (QUIRE_GET32(p, quire_packet_init_context, reserved))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	op->total = 1;
	return quire_check_page(engine, op, QUIRE_GET32(p, quire_packet_init_context, segment),
				QUIRE_SEGMENT_APERTURE,
				QUIRE_GET64(p, quire_packet_init_context, address), &op->dst);
}

struct quire_error quire_decode_update_context(const struct quire_engine *engine, const uint8_t *p,
					       struct quire_op *op)
{
	uint64_t context = QUIRE_GET64(p, quire_packet_update_context, context);
	uint32_t offset = QUIRE_GET32(p, quire_packet_update_context, offset);
	uint32_t bytes = QUIRE_GET32(p, quire_packet_update_context, bytes);
	struct quire_error error;

	(void)engine;
	if (op->size - sizeof(struct quire_packet_update_context) != bytes)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	error = quire_check_context(op);
	if (error.code)
		return error;
	if (!bytes || offset & 7 || !quire_range_ok(offset, bytes, QUIRE_PAGE_SIZE))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, context);
	error = quire_check_virtual(op, QUIRE_ACCESS_WRITE, context, QUIRE_PAGE_SIZE,
				    QUIRE_PAGE_SIZE, &op->dst);
	op->dst.address += offset;
	op->dst.len = bytes;
	op->table.entries = p + sizeof(struct quire_packet_update_context);
	op->table.count = bytes;
	op->total = 1;
	return error;
}

/* Entries that the packet has; those that are one for all, or all. */
static uint64_t quire_update_entries(const struct quire_op *op)
{
	return op->flags & (QUIRE_UPDATE_REPEAT | QUIRE_UPDATE_CONTIGUOUS) ? 1 : op->table.count;
}

/* Flags that fit the level, and each other. */
static bool quire_update_flags_ok(const struct quire_op *op)
{
	uint16_t both = QUIRE_UPDATE_REPEAT | QUIRE_UPDATE_CONTIGUOUS;

	if ((op->flags & both) == both)
		return false;
	if (op->flags & QUIRE_UPDATE_64K && op->table.level)
		return false;
	return !(op->flags & QUIRE_UPDATE_CONTIGUOUS) || op->table.level <= 1;
}

/* The one entry of pages that follow each other: there are pages, and they have addresses. */
static bool quire_contiguous_ok(const struct quire_op *op)
{
	uint64_t entry = quire_get_le64(op->table.entries);
	uint32_t shift = op->flags & QUIRE_UPDATE_64K ? QUIRE_PT_SHIFT_64K :
							QUIRE_PT_SHIFT(op->table.level);
	uint64_t behind = (uint64_t)(op->table.count - 1) << shift;

	if (!(entry & QUIRE_PTE_VALID) || entry & QUIRE_PTE_ZERO)
		return false;
	return (entry & QUIRE_PTE_ADDRESS_MASK) <= UINT64_MAX - behind;
}

static bool quire_update_entries_ok(const struct quire_op *op)
{
	uint64_t i;

	for (i = 0; op->flags & QUIRE_UPDATE_NOTIFY_EVICTION && i < quire_update_entries(op); i++)
		if (quire_get_le64(op->table.entries + 8 * i) & QUIRE_PTE_VALID)
			return false;
	return !(op->flags & QUIRE_UPDATE_CONTIGUOUS) || quire_contiguous_ok(op);
}

struct quire_error quire_decode_update_page_table(const struct quire_engine *engine,
						  const uint8_t *p, struct quire_op *op)
{
	uint64_t table = QUIRE_GET64(p, quire_packet_update_page_table, table);
	uint32_t most = op->flags & QUIRE_UPDATE_64K ? QUIRE_PT_ENTRIES / QUIRE_PT_ENTRIES_64K :
						       QUIRE_PT_ENTRIES;
	struct quire_error error;

	op->total = 1;
	op->table = (struct quire_table_write){
		.entries = p + sizeof(struct quire_packet_update_page_table),
		.level = QUIRE_GET32(p, quire_packet_update_page_table, level),
		.start = QUIRE_GET32(p, quire_packet_update_page_table, start),
		.count = QUIRE_GET32(p, quire_packet_update_page_table, count),
	};
	if (op->size - sizeof(struct quire_packet_update_page_table) !=
	    8 * quire_update_entries(op) || !quire_update_flags_ok(op))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	error = quire_check_page(engine, op,
				 QUIRE_GET32(p, quire_packet_update_page_table, segment),
				 QUIRE_SEGMENT_VRAM, table, &op->dst);
	if (error.code)
		return error;
	if (op->table.level >= QUIRE_PT_LEVELS)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, 0);
	if (!op->table.count || !quire_range_ok(op->table.start, op->table.count, most))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, table);
	if (!quire_update_entries_ok(op))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	return QUIRE_OK;
}

struct quire_error quire_decode_flush_tlb(const struct quire_engine *engine, const uint8_t *p,
					  struct quire_op *op)
{
	uint64_t start = QUIRE_GET64(p, quire_packet_flush_tlb, start);
	uint64_t end = QUIRE_GET64(p, quire_packet_flush_tlb, end);

	(void)engine;
	op->value = QUIRE_GET64(p, quire_packet_flush_tlb, root);
	op->total = 1;
	if (!(op->value & QUIRE_PTE_VALID))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, op->value);
	if (!start && !end)
		end = QUIRE_VA_END;
	if (!quire_page_aligned(end) || end > QUIRE_VA_END)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, end);
	if (!quire_page_aligned(start) || start >= end)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, start);
	op->dst.segment = QUIRE_SEGMENT_NOWHERE;
	op->dst.address = start;
	op->dst.len = end - start;
	return QUIRE_OK;
}

static struct quire_error quire_check_table(const struct quire_op *op, uint64_t table,
					    uint32_t start, uint32_t count)
{
	struct quire_side side;

	if (!count || !quire_range_ok(start, count, QUIRE_PT_ENTRIES))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, table);
	return quire_check_virtual(op, 0, table, QUIRE_PAGE_SIZE, QUIRE_PAGE_SIZE, &side);
}

static struct quire_error quire_check_copy_range(const struct quire_op *op, const uint8_t *range)
{
	uint32_t count = QUIRE_GET32(range, quire_copy_range, count);
	struct quire_error error;

	error = quire_check_table(op, QUIRE_GET64(range, quire_copy_range, src),
				  QUIRE_GET32(range, quire_copy_range, src_start), count);
	if (error.code)
		return error;
	return quire_check_table(op, QUIRE_GET64(range, quire_copy_range, dst),
				 QUIRE_GET32(range, quire_copy_range, dst_start), count);
}

struct quire_error quire_decode_copy_page_table(const struct quire_engine *engine, const uint8_t *p,
						struct quire_op *op)
{
	const uint8_t *ranges = p + sizeof(struct quire_packet_copy_page_table);
	uint64_t bytes = op->size - sizeof(struct quire_packet_copy_page_table), at;
	struct quire_error error;

	(void)engine;
	if (!bytes || bytes % sizeof(struct quire_copy_range))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	for (at = 0; at < bytes; at += sizeof(struct quire_copy_range))
		if (QUIRE_GET32(ranges + at, quire_copy_range, reserved))
			return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	error = quire_check_context(op);
	for (at = 0; at < bytes && !error.code; at += sizeof(struct quire_copy_range))
		error = quire_check_copy_range(op, ranges + at);
	op->table.entries = ranges;
	op->total = bytes / sizeof(struct quire_copy_range);
	return error;
}

struct quire_error quire_decode_signal_monitored(const struct quire_engine *engine,
						 const uint8_t *p, struct quire_op *op)
{
	struct quire_error error = quire_check_context(op);

	(void)engine;
	op->value = QUIRE_GET64(p, quire_packet_signal_monitored, value);
	op->total = 1;
	if (error.code)
		return error;
	return quire_check_virtual(op, QUIRE_ACCESS_WRITE,
				   QUIRE_GET64(p, quire_packet_signal_monitored, address),
				   sizeof(op->value), sizeof(op->value), &op->dst);
}

struct quire_error quire_decode_notify_allocation(const struct quire_engine *engine,
						  const uint8_t *p, struct quire_op *op)
{
	uint64_t offset = QUIRE_GET64(p, quire_packet_notify_allocation, offset);
	uint64_t size = QUIRE_GET64(p, quire_packet_notify_allocation, size);
	uint64_t address = QUIRE_GET64(p, quire_packet_notify_allocation, address);
	struct quire_error error;

	(void)engine;
	/* One more to wait, if nothing may be at work afterwards. */
	op->total = (size >> QUIRE_PAGE_SHIFT) + !!(op->flags & QUIRE_NOTIFY_IOMMU_UNMAP);
	if (!QUIRE_GET32(p, quire_packet_notify_allocation, allocation) ||
	    QUIRE_GET32(p, quire_packet_notify_allocation, reserved))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	error = quire_check_context(op);
	if (error.code)
		return error;
	if (!quire_page_aligned(offset) || offset + size < offset)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, offset);
	if (!quire_page_aligned(size))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, address);
	return quire_check_virtual(op, QUIRE_ACCESS_READ, address, size, QUIRE_PAGE_SIZE, &op->src);
}
