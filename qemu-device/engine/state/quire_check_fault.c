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
#include "../decode/quire_packet.h"
#include "../device/quire_ring.h"
#include "../memory/quire_segment.h"
#include "quire_check_fault.h"
#include "quire_command.h"

#define QUIRE_OPS(a, b, c)	(1ull << (a) | 1ull << (b) | 1ull << (c))
#define QUIRE_OPS_UP_TO(last)	(2 * (1ull << (last)) - 1)
#define QUIRE_OPS_REGISTERS \
	QUIRE_OPS(QUIRE_COMMAND_SET_REGISTER, QUIRE_COMMAND_STORE_REGISTER, \
		  QUIRE_COMMAND_LOAD_REGISTER)
/* Those that name addresses. */
#define QUIRE_OPS_COMMANDS \
	((QUIRE_OPS_UP_TO(QUIRE_COMMAND_WAIT_VALUE) - QUIRE_OPS_UP_TO(QUIRE_COMMAND_NOP)) | \
	 QUIRE_OPS_REGISTERS)
/* That names a fence, and accesses memory where that is. */
#define QUIRE_OPS_NATIVE \
	(QUIRE_OPS_UP_TO(QUIRE_COMMAND_SIGNAL_NATIVE) - QUIRE_OPS_UP_TO(QUIRE_COMMAND_DELAY))
#define QUIRE_OPS_ALL \
	(QUIRE_OPS_UP_TO(QUIRE_OP_MAX) | QUIRE_OPS_COMMANDS | QUIRE_OPS_NATIVE)
#define QUIRE_OPS_COPY \
	(QUIRE_OPS(QUIRE_OP_TRANSFER, QUIRE_OP_READ_PHYSICAL, QUIRE_OP_WRITE_PHYSICAL) | \
	 QUIRE_OPS_COMMANDS)
/* Those on virtual addresses, page tables and contexts. */
#define QUIRE_OPS_VIRTUAL \
	((QUIRE_OPS_UP_TO(QUIRE_OP_SIGNAL_MONITORED) - QUIRE_OPS_UP_TO(QUIRE_OP_SPECIAL_LOCK)) & \
	 ~(1ull << QUIRE_OP_FLUSH_TLB))
/* That looks up where its pages are, and accesses none. */
#define QUIRE_OPS_LOOK_UP \
	(QUIRE_OPS_UP_TO(QUIRE_OP_NOTIFY_ALLOCATION) - QUIRE_OPS_UP_TO(QUIRE_OP_NOTIFY_RESIDENCY2))
#define QUIRE_OPS_APERTURE \
	(QUIRE_OPS_COPY | QUIRE_OPS_VIRTUAL | QUIRE_OPS_LOOK_UP | QUIRE_OPS_NATIVE)
#define QUIRE_OPS_SYSTEM \
	(QUIRE_OPS_COPY | QUIRE_OPS_VIRTUAL | QUIRE_OPS_NATIVE | 1ull << QUIRE_OP_SPECIAL_LOCK)
/* Those that may have an address space. */
#define QUIRE_OPS_SPACE		(QUIRE_OPS_VIRTUAL | QUIRE_OPS_LOOK_UP | QUIRE_OPS_COMMANDS)
/* Those that name pages. */
#define QUIRE_OPS_LISTS \
	(QUIRE_OPS(QUIRE_OP_TRANSFER, QUIRE_OP_MAP_APERTURE, QUIRE_OP_MAP_APERTURE2) | \
	 1ull << QUIRE_OP_SPECIAL_LOCK | 1ull << QUIRE_OP_NOTIFY_RESIDENCY2 | \
	 1ull << QUIRE_OP_MAP_MMU)
/* Those that tell what is where. */
#define QUIRE_OPS_NOTICES \
	(1ull << QUIRE_OP_NOTIFY_RESIDENCY | 1ull << QUIRE_OP_NOTIFY_RESIDENCY2)

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

/* At a packet that passed the checks of its size and flags, one of @opcodes. */
static bool quire_fault_at_packet(const struct quire_engine *engine,
				  const struct quire_ring *ring, uint64_t opcodes)
{
	uint32_t opcode = ring->fault_opcode & 0xffff;

	return opcode < QUIRE_OPCODE_COUNT && opcodes & 1ull << opcode &&
	       quire_packet_fits(engine, ring, ring->fault_opcode,
				 QUIRE_MAX_SUBMISSION - ring->offset);
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

/* The address of a command: no segment that commands access, or not one for a tiled surface. */
static bool quire_bad_command_segment(const struct quire_ring *ring)
{
	uint32_t segment = QUIRE_ADDRESS_SEGMENT(ring->fault_addr);
	uint32_t opcode = ring->fault_opcode & 0xffff;

	if (opcode == QUIRE_COMMAND_SIGNAL_NATIVE)
		return false;
	if (opcode == QUIRE_COMMAND_COPY_2D || opcode == QUIRE_COMMAND_BLEND)
		return segment != QUIRE_SEGMENT_VRAM;
	return segment != QUIRE_SEGMENT_VRAM && segment != QUIRE_SEGMENT_APERTURE &&
	       !quire_is_mmu(segment);
}

/* Of a page in one of the segments up to @most, or with a virtual address. */
static bool quire_bad_page_segment(const struct quire_ring *ring, uint32_t most)
{
	return ring->fault_addr > (ring->fault_opcode >> 16 & QUIRE_ADDRESS_VIRTUAL ? 0 : most);
}

static bool quire_has_residency(uint64_t segment)
{
	return segment == QUIRE_SEGMENT_VRAM || segment == QUIRE_SEGMENT_APERTURE;
}

static bool quire_bad_segment(const struct quire_engine *engine, const struct quire_ring *ring)
{
	uint64_t segment = ring->fault_addr;

	if (!quire_is_paging(engine, ring))
		return quire_bad_command_segment(ring);
	if ((ring->fault_opcode & 0xffff) == QUIRE_OP_TRANSFER_VIRTUAL)
		return segment < QUIRE_VA_END; /* it is the address of the page */
	if (segment > UINT32_MAX)
		return false;
	switch (ring->fault_opcode & 0xffff) {
	case QUIRE_OP_TRANSFER: /* 0 if both sides are the system segment */
		return !segment || segment >= QUIRE_SEGMENTS ||
		       ring->fault_opcode != QUIRE_OP_TRANSFER; /* any, on the wrong side */
	case QUIRE_OP_READ_PHYSICAL:
	case QUIRE_OP_WRITE_PHYSICAL:
		return segment >= QUIRE_SEGMENTS;
	case QUIRE_OP_MAP_APERTURE:
	case QUIRE_OP_MAP_APERTURE2:
	case QUIRE_OP_UNMAP_APERTURE:
		return segment != QUIRE_SEGMENT_APERTURE;
	case QUIRE_OP_SIGNAL_FENCE:
	case QUIRE_OP_FILL_VIRTUAL:
	case QUIRE_OP_FLUSH_TLB:
	case QUIRE_OP_UPDATE_CONTEXT:
	case QUIRE_OP_COPY_PAGE_TABLE:
	case QUIRE_OP_SIGNAL_MONITORED:
	case QUIRE_OP_NOTIFY_ALLOCATION:
	case QUIRE_OP_UNMAP_MMU:
		return false;
	case QUIRE_OP_MAP_MMU:
		return segment > QUIRE_SEGMENT_VRAM;
	case QUIRE_OP_INIT_CONTEXT:
		return quire_bad_page_segment(ring, QUIRE_SEGMENT_APERTURE);
	case QUIRE_OP_UPDATE_PAGE_TABLE:
		return quire_bad_page_segment(ring, QUIRE_SEGMENT_VRAM);
	case QUIRE_OP_SPECIAL_LOCK: /* any, on the wrong side */
		return true;
	case QUIRE_OP_NOTIFY_RESIDENCY:
		return segment <= UINT8_MAX && !quire_has_residency(segment);
	case QUIRE_OP_NOTIFY_FENCES:
		return segment <= UINT8_MAX && segment > QUIRE_SEGMENT_APERTURE;
	case QUIRE_OP_NOTIFY_RESIDENCY2:
		return !quire_has_residency(segment);
	default:
		return segment != QUIRE_SEGMENT_VRAM;
	}
}

static bool quire_bad_range(const struct quire_engine *engine, const struct quire_ring *ring)
{
	if ((ring->fault_opcode & 0xffff) == QUIRE_COMMAND_SIGNAL_NATIVE)
		return ring->fault_addr >= QUIRE_NATIVE_FENCES && ring->fault_addr <= UINT32_MAX;
	if (!quire_is_paging(engine, ring)) /* any, if it is virtual */
		return true;
	switch (ring->fault_opcode & 0xffff) {
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
		return quire_fault_at_packet(engine, ring, 1ull << QUIRE_OP_SIGNAL_FENCE) &&
		       !(ring->fault_addr & 7);
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
	return quire_fault_at_packet(engine, ring, QUIRE_OPS_VIRTUAL | QUIRE_OPS_LOOK_UP |
				     QUIRE_OPS_REGISTERS | QUIRE_OPS_NATIVE) &&
	       !ring->fault_addr;
}

/* Of a submission that has a virtual address, or of a packet that accesses one. */
static bool quire_fault_of_space(const struct quire_engine *engine, const struct quire_ring *ring)
{
	return ring->fault_addr < QUIRE_VA_END &&
	       (quire_fault_at_entry(ring) ||
		quire_fault_at_packet(engine, ring, QUIRE_OPS_SPACE));
}

/* The page that has an owner; an allocation that is nowhere, or a page of one. */
static bool quire_bad_residency(const struct quire_engine *engine, const struct quire_ring *ring)
{
	uint32_t segment = QUIRE_ADDRESS_SEGMENT(ring->fault_addr);
	uint64_t offset = QUIRE_ADDRESS_OFFSET(ring->fault_addr);

	if (!quire_fault_at_packet(engine, ring, QUIRE_OPS_NOTICES))
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

	return quire_fault_at_packet(engine, ring, QUIRE_OPS_COPY) &&
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
		return quire_fault_at_packet(engine, ring, QUIRE_OPS_ALL) &&
		       quire_bad_segment(engine, ring);
	case QUIRE_FAULT_BAD_RANGE:
		return quire_fault_at_packet(engine, ring, QUIRE_OPS_ALL) &&
		       quire_bad_range(engine, ring);
	case QUIRE_FAULT_BAD_RUNS:
		return quire_fault_of_packet(ring) &&
		       quire_fault_at_packet(engine, ring, QUIRE_OPS_LISTS);
	case QUIRE_FAULT_DMA:
		return quire_fault_at_packet(engine, ring, QUIRE_OPS_SYSTEM);
	case QUIRE_FAULT_APERTURE:
		return (quire_fault_at_entry(ring) ||
			quire_fault_at_packet(engine, ring, QUIRE_OPS_APERTURE)) &&
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
		return quire_fault_at_packet(engine, ring, QUIRE_OPS_NATIVE) &&
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
