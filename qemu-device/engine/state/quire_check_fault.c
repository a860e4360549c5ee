// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: what is true of the fault registers of a ring.
 *
 * A fault stands at the ring (before there is an entry), at an entry (before
 * its packets are there), at a packet, or at the completion. The registers of a
 * ring do not change while it is enabled, so an address that was made from them
 * can be made again; those of a ring that is off hold anything.
 */
#include "../core/quire_numbers.h"
#include "../device/quire_ring.h"
#include "../execution/quire_opcode.h"
#include "../memory/quire_segment.h"
#include "quire_check_fault.h"
#include "quire_command.h"

static bool quire_enabled(const struct quire_ring *ring)
{
	return ring->control & QUIRE_RING_CONTROL_ENABLE;
}

/* Before there is an entry. */
static bool quire_fault_at_ring(const struct quire_ring *ring)
{
	return !ring->offset && !ring->fault_opcode && !ring->fault_fence;
}

static bool quire_fault_at_entry(const struct quire_ring *ring)
{
	return !ring->offset && !ring->fault_opcode;
}

/* The operation of the packet at fault, which passed the checks of its size and flags. */
static const struct quire_operation *quire_fault_operation(const struct quire_engine *engine,
							   const struct quire_ring *ring)
{
	return quire_packet_operation(engine, ring, ring->fault_opcode,
				      QUIRE_MAX_SUBMISSION - ring->offset);
}

/* At such a packet, which can end in the fault. */
static bool quire_fault_at_packet(const struct quire_engine *engine, const struct quire_ring *ring)
{
	const struct quire_operation *operation = quire_fault_operation(engine, ring);

	return operation && operation->faults & QUIRE_FAULT_BIT(ring->fault_code);
}

/* At the DMA address of a packet that has at least a header. */
static bool quire_fault_of_packet(const struct quire_ring *ring)
{
	return ring->offset < QUIRE_MAX_SUBMISSION && !(ring->fault_addr & 7) &&
	       ring->fault_addr >= ring->offset;
}

static bool quire_bad_ring(const struct quire_ring *ring)
{
	uint64_t addr = ring->fault_addr;
	uint64_t bytes = sizeof(struct quire_ring_entry) << QUIRE_RING_ORDER_MAX;
	struct quire_error error = quire_ring_check(ring);

	if (ring->rptr || !quire_fault_at_ring(ring))
		return false;
	if (quire_enabled(ring))
		return error.code && error.addr == addr;
	/* An address that is not aligned or too high, or an order. */
	return !quire_page_aligned(addr) || addr > UINT64_MAX - (bytes - 1) ||
	       (addr > QUIRE_RING_ORDER_MAX && addr <= UINT32_MAX);
}

static bool quire_is_entry(const struct quire_ring *ring)
{
	uint32_t index = ring->rptr & ((1u << (ring->order & 31)) - 1);
	uint64_t entry = ring->entries + (uint64_t)index * sizeof(struct quire_ring_entry);

	if (quire_enabled(ring))
		return ring->fault_addr == entry;
	return !(ring->fault_addr & (sizeof(struct quire_ring_entry) - 1));
}

/* Is the fault at this member of the fence page? */
static bool quire_is_member(const struct quire_ring *ring, size_t member)
{
	uint64_t page = ring->fault_addr - member;

	return quire_enabled(ring) ? page == ring->fence_page : quire_page_aligned(page);
}

static bool quire_bad_wptr(const struct quire_ring *ring)
{
	uint32_t entries = quire_enabled(ring) ? 1u << (ring->order & 31) : 1;

	return ring->fault_addr <= UINT32_MAX &&
	       (uint32_t)ring->fault_addr - ring->rptr > entries;
}

static bool quire_has_residency(uint64_t segment)
{
	return segment == QUIRE_SEGMENT_VRAM || segment == QUIRE_SEGMENT_APERTURE;
}

/* A segment that the packet may not name. Those of virtual addresses are 0. */
static bool quire_bad_segment(const struct quire_engine *engine, const struct quire_ring *ring)
{
	const struct quire_operation *operation = quire_fault_operation(engine, ring);
	uint32_t segments = operation->segments;
	uint64_t segment = ring->fault_addr;

	switch (operation->named) {
	case QUIRE_NAMED_PAGE:
		return segment < QUIRE_VA_END;
	case QUIRE_NAMED_ADDRESS:
		segment = QUIRE_ADDRESS_SEGMENT(segment);
		break;
	default:
		if (segment > (operation->named == QUIRE_NAMED_BYTE ? UINT8_MAX : UINT32_MAX))
			return false;
	}
	if (ring->fault_opcode >> 16 & operation->flags & QUIRE_ADDRESS_VIRTUAL)
		segments = 1u << QUIRE_SEGMENT_SYSTEM;
	return segment >= 32 || !(segments & 1u << segment);
}

/* An address, or whatever else tells that something is not where it can be: mostly any. */
static bool quire_bad_range(const struct quire_ring *ring)
{
	switch (ring->fault_opcode & 0xffff) {
	case QUIRE_COMMAND_SIGNAL_NATIVE:
		return ring->fault_addr >= QUIRE_NATIVE_FENCES && ring->fault_addr <= UINT32_MAX;
	case QUIRE_OP_MAP_APERTURE:
		return quire_page_aligned(ring->fault_addr);
	case QUIRE_OP_SIGNAL_FENCE:
		return ring->fault_addr & 7;
	case QUIRE_OP_NOTIFY_RESIDENCY:
		return quire_has_residency(QUIRE_ADDRESS_SEGMENT(ring->fault_addr));
	case QUIRE_OP_NOTIFY_RESIDENCY2:
		return ring->fault_addr <= UINT32_MAX;
	default:
		return true;
	}
}

/* Of the completion, of the ring that goes idle, or of a packet. */
static bool quire_fence_dma(const struct quire_engine *engine, const struct quire_ring *ring)
{
	if (ring->fault_opcode)
		return quire_fault_at_packet(engine, ring) && !(ring->fault_addr & 7);
	if (quire_is_member(ring, offsetof(struct quire_fence_page, doorbell_event)))
		return quire_fault_at_ring(ring);
	return quire_is_member(ring, offsetof(struct quire_fence_page, fence)) ||
	       quire_is_member(ring, offsetof(struct quire_fence_page, rptr));
}

/* Of an entry, or of the completion, which can not save its registers; or of a packet. */
static bool quire_bad_context(const struct quire_engine *engine, const struct quire_ring *ring)
{
	if (!ring->fault_opcode)
		return quire_page_aligned(ring->fault_addr) &&
		       (!ring->offset || !quire_is_paging(engine, ring));
	return quire_fault_at_packet(engine, ring) && !ring->fault_addr;
}

/* Of a submission that has a virtual address, or of a packet that accesses one. */
static bool quire_fault_of_space(const struct quire_engine *engine, const struct quire_ring *ring)
{
	return ring->fault_addr < QUIRE_VA_END &&
	       (quire_fault_at_entry(ring) || quire_fault_at_packet(engine, ring));
}

/* The page that has an owner; an allocation that is nowhere, or a page of one. */
static bool quire_bad_residency(const struct quire_engine *engine, const struct quire_ring *ring)
{
	uint32_t segment = QUIRE_ADDRESS_SEGMENT(ring->fault_addr);
	uint64_t offset = QUIRE_ADDRESS_OFFSET(ring->fault_addr);

	if (!quire_fault_at_packet(engine, ring))
		return false;
	if (ring->fault_opcode >> 16 & QUIRE_NOTIFY_RESIDENT)
		return quire_has_residency(segment) && quire_page_aligned(offset) &&
		       offset >> QUIRE_PAGE_SHIFT < quire_segment_pages(engine, segment);
	return ring->fault_addr <= UINT32_MAX &&
	       (ring->fault_addr ||
		(ring->fault_opcode & 0xffff) == QUIRE_OP_NOTIFY_RESIDENCY2);
}

/* A page of an MMU. */
static bool quire_bad_mmu(const struct quire_engine *engine, const struct quire_ring *ring)
{
	uint64_t offset = QUIRE_ADDRESS_OFFSET(ring->fault_addr);

	return quire_fault_at_packet(engine, ring) &&
	       quire_is_mmu(QUIRE_ADDRESS_SEGMENT(ring->fault_addr)) &&
	       quire_page_aligned(offset) && offset < engine->mmu_size;
}

static bool quire_fault_ok(const struct quire_engine *engine, const struct quire_ring *ring)
{
	switch (ring->fault_code) {
	case QUIRE_FAULT_RING_DMA:
		return quire_fault_at_ring(ring) &&
		       (quire_is_entry(ring) ||
			quire_is_member(ring, offsetof(struct quire_fence_page, wptr)));
	case QUIRE_FAULT_BAD_WPTR:
		return quire_fault_at_ring(ring) && quire_bad_wptr(ring);
	case QUIRE_FAULT_BAD_ENTRY:
		return quire_fault_at_entry(ring) && quire_is_entry(ring);
	case QUIRE_FAULT_BUFFER_DMA:
		return quire_fault_at_entry(ring);
	case QUIRE_FAULT_BAD_PACKET:
		return quire_fault_of_packet(ring);
	case QUIRE_FAULT_BAD_OPCODE:
		return quire_fault_of_packet(ring) &&
		       !quire_opcode_ok(engine, ring, ring->fault_opcode & 0xffff);
	case QUIRE_FAULT_BAD_SEGMENT:
		return quire_fault_at_packet(engine, ring) && quire_bad_segment(engine, ring);
	case QUIRE_FAULT_BAD_RANGE:
		return quire_fault_at_packet(engine, ring) && quire_bad_range(ring);
	case QUIRE_FAULT_BAD_RUNS:
		return quire_fault_of_packet(ring) &&
		       quire_fault_at_packet(engine, ring);
	case QUIRE_FAULT_DMA:
		return quire_fault_at_packet(engine, ring);
	case QUIRE_FAULT_APERTURE:
		return (quire_fault_at_entry(ring) ||
			quire_fault_at_packet(engine, ring)) &&
		       quire_page_aligned(ring->fault_addr) &&
		       ring->fault_addr < engine->aperture_size;
	case QUIRE_FAULT_FENCE_DMA:
		return quire_fence_dma(engine, ring);
	case QUIRE_FAULT_INJECTED:
		return ring->offset < QUIRE_MAX_SUBMISSION && !ring->fault_addr;
	case QUIRE_FAULT_BAD_CONTEXT:
		return quire_bad_context(engine, ring);
	case QUIRE_FAULT_PAGE:
	case QUIRE_FAULT_PROTECTION:
	case QUIRE_FAULT_BAD_PTE:
		return quire_fault_of_space(engine, ring);
	case QUIRE_FAULT_RESIDENCY:
		return quire_bad_residency(engine, ring);
	case QUIRE_FAULT_MMU:
		return quire_bad_mmu(engine, ring);
	case QUIRE_FAULT_NATIVE_FENCE:
		return quire_fault_at_packet(engine, ring) &&
		       ring->fault_addr < QUIRE_NATIVE_FENCES;
	default:
		return false;
	}
}

/**
 * quire_check_fault - do the fault registers of a ring tell of a fault that can be?
 * @engine: the engine
 * @ring: one of its rings; its OFFSET is one that a ring can have
 *
 * Return: NULL if they do, or tell of none; else what is wrong.
 */
const char *quire_check_fault(const struct quire_engine *engine, const struct quire_ring *ring)
{
	if (!ring->fault_code)
		return ring->fault_offset || ring->fault_opcode || ring->fault_addr ||
		       ring->fault_fence ? "fault registers without a fault" : NULL;
	if (ring->offset != ring->fault_offset)
		return "a fault at another offset";
	if (ring->fault_code == QUIRE_FAULT_BAD_RING)
		return quire_bad_ring(ring) ? NULL : "bad fault registers";
	if (quire_enabled(ring) && quire_ring_check(ring).code)
		return "bad ring registers";
	return quire_fault_ok(engine, ring) ? NULL : "bad fault registers";
}
