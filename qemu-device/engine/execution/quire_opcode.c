// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: packets, by their opcode.
 *
 * One row an opcode has all that differs from one to the other. A new operation is a row here, a
 * decoder in decode, and a function in this folder that executes it.
 */
#include "../core/quire_numbers.h"
#include "../decode/quire_decode.h"
#include "../memory/quire_segment.h"
#include "../sync/quire_context.h"
#include "../sync/quire_native.h"
#include "quire_command.h"
#include "quire_opcode.h"
#include "quire_operations.h"
#include "quire_residency.h"

/* Segments that a packet may name. */
#define QUIRE_IN(segment)	(1u << (segment))
#define QUIRE_IN_SYSTEM		QUIRE_IN(QUIRE_SEGMENT_SYSTEM)
#define QUIRE_IN_VRAM		QUIRE_IN(QUIRE_SEGMENT_VRAM)
#define QUIRE_IN_APERTURE	QUIRE_IN(QUIRE_SEGMENT_APERTURE)
#define QUIRE_IN_ANY		(QUIRE_IN(QUIRE_SEGMENTS) - 1)
#define QUIRE_IN_COMMANDS	(QUIRE_IN_ANY & ~QUIRE_IN_SYSTEM)

/* Faults that a packet can end in. */
#define QUIRE_CAN_SEGMENT	QUIRE_FAULT_BIT(QUIRE_FAULT_BAD_SEGMENT)
#define QUIRE_CAN_RANGE		QUIRE_FAULT_BIT(QUIRE_FAULT_BAD_RANGE)
#define QUIRE_CAN_RUNS		QUIRE_FAULT_BIT(QUIRE_FAULT_BAD_RUNS)
#define QUIRE_CAN_DMA		QUIRE_FAULT_BIT(QUIRE_FAULT_DMA)
#define QUIRE_CAN_APERTURE	QUIRE_FAULT_BIT(QUIRE_FAULT_APERTURE)
#define QUIRE_CAN_FENCE_DMA	QUIRE_FAULT_BIT(QUIRE_FAULT_FENCE_DMA)
#define QUIRE_CAN_CONTEXT	QUIRE_FAULT_BIT(QUIRE_FAULT_BAD_CONTEXT)
#define QUIRE_CAN_RESIDENCY	QUIRE_FAULT_BIT(QUIRE_FAULT_RESIDENCY)
#define QUIRE_CAN_MMU		QUIRE_FAULT_BIT(QUIRE_FAULT_MMU)
#define QUIRE_CAN_NATIVE_FENCE	QUIRE_FAULT_BIT(QUIRE_FAULT_NATIVE_FENCE)
#define QUIRE_CAN_SPACE \
	(QUIRE_FAULT_BIT(QUIRE_FAULT_PAGE) | QUIRE_FAULT_BIT(QUIRE_FAULT_PROTECTION) | \
	 QUIRE_FAULT_BIT(QUIRE_FAULT_BAD_PTE))

#define QUIRE_CAN_COPY \
	(QUIRE_CAN_SEGMENT | QUIRE_CAN_RANGE | QUIRE_CAN_DMA | QUIRE_CAN_APERTURE | QUIRE_CAN_MMU)
#define QUIRE_CAN_VIRTUAL \
	(QUIRE_CAN_RANGE | QUIRE_CAN_DMA | QUIRE_CAN_APERTURE | QUIRE_CAN_CONTEXT | QUIRE_CAN_SPACE)

#define QUIRE_REGISTER_OPERATIONS \
	(QUIRE_REGISTER_SET | QUIRE_REGISTER_ADD | QUIRE_REGISTER_MULTIPLY | QUIRE_REGISTER_XOR)

static const struct quire_operation quire_operations[] = {
	/* Paging operations, on the paging ring. */
	[QUIRE_OP_TRANSFER] = {
		.fixed = sizeof(struct quire_packet_transfer), .tail = true,
		.decode = quire_decode_transfer, .execute = quire_copy,
		.unit = 1, .resume = QUIRE_RESUME_UNITS,
		.faults = QUIRE_CAN_COPY | QUIRE_CAN_RUNS,
		.segments = QUIRE_IN_ANY & ~QUIRE_IN_SYSTEM,
	},
	[QUIRE_OP_FILL] = {
		.fixed = sizeof(struct quire_packet_fill),
		.decode = quire_decode_fill, .execute = quire_fill_range,
		.unit = 4, .resume = QUIRE_RESUME_UNITS,
		.faults = QUIRE_CAN_SEGMENT | QUIRE_CAN_RANGE,
		.segments = QUIRE_IN_VRAM,
	},
	[QUIRE_OP_DISCARD_CONTENT] = {
		.fixed = sizeof(struct quire_packet_discard),
		.decode = quire_decode_discard, .execute = quire_discard_content,
		.unit = QUIRE_PAGE_SIZE, .resume = QUIRE_RESUME_UNITS,
		.faults = QUIRE_CAN_SEGMENT | QUIRE_CAN_RANGE,
		.segments = QUIRE_IN_VRAM,
	},
	[QUIRE_OP_READ_PHYSICAL] = {
		.fixed = sizeof(struct quire_packet_physical),
		.decode = quire_decode_physical, .once = quire_physical_read,
		.faults = QUIRE_CAN_COPY,
		.segments = QUIRE_IN_ANY,
	},
	[QUIRE_OP_WRITE_PHYSICAL] = {
		.fixed = sizeof(struct quire_packet_physical),
		.decode = quire_decode_physical, .once = quire_physical_write,
		.faults = QUIRE_CAN_COPY,
		.segments = QUIRE_IN_ANY,
	},
	[QUIRE_OP_MAP_APERTURE] = {
		.fixed = sizeof(struct quire_packet_map), .tail = true,
		.flags = QUIRE_MAP_CACHE_COHERENT,
		.decode = quire_decode_map, .execute = quire_map_aperture,
		.unit = 1, .resume = QUIRE_RESUME_UNITS,
		.faults = QUIRE_CAN_SEGMENT | QUIRE_CAN_RANGE | QUIRE_CAN_RUNS,
		.segments = QUIRE_IN_APERTURE,
	},
	[QUIRE_OP_UNMAP_APERTURE] = {
		.fixed = sizeof(struct quire_packet_unmap),
		.decode = quire_decode_unmap, .execute = quire_unmap_aperture,
		.unit = 1, .resume = QUIRE_RESUME_UNITS,
		.faults = QUIRE_CAN_SEGMENT | QUIRE_CAN_RANGE,
		.segments = QUIRE_IN_APERTURE,
	},
	[QUIRE_OP_SIGNAL_FENCE] = {
		.fixed = sizeof(struct quire_packet_signal),
		.decode = quire_decode_signal, .once = quire_signal_fence,
		.faults = QUIRE_CAN_RANGE | QUIRE_CAN_FENCE_DMA,
	},
	[QUIRE_OP_MAP_APERTURE2] = {
		.fixed = sizeof(struct quire_packet_map2), .tail = true,
		.flags = QUIRE_MAP_CACHE_COHERENT | QUIRE_MAP_CONTIGUOUS |
			QUIRE_MAP_CPU_VISIBLE,
		.decode = quire_decode_map2, .execute = quire_map_aperture,
		.unit = 1, .resume = QUIRE_RESUME_UNITS,
		.faults = QUIRE_CAN_SEGMENT | QUIRE_CAN_RANGE | QUIRE_CAN_RUNS,
		.segments = QUIRE_IN_APERTURE,
	},
	[QUIRE_OP_SPECIAL_LOCK] = {
		.fixed = sizeof(struct quire_packet_special_lock), .tail = true,
		.flags = QUIRE_TRANSFER_SWIZZLE | QUIRE_TRANSFER_UNSWIZZLE, .one_flag = true,
		.decode = quire_decode_swizzle, .execute = quire_swizzle_copy,
		.unit = 1, .resume = QUIRE_RESUME_UNITS,
		.faults = QUIRE_CAN_SEGMENT | QUIRE_CAN_RANGE | QUIRE_CAN_RUNS | QUIRE_CAN_DMA,
	},
	[QUIRE_OP_TRANSFER_VIRTUAL] = {
		.fixed = sizeof(struct quire_packet_transfer_virtual),
		.flags = QUIRE_TRANSFER_SRC_64K | QUIRE_TRANSFER_DST_64K,
		.decode = quire_decode_transfer_virtual, .execute = quire_copy,
		.unit = 1, .resume = QUIRE_RESUME_UNITS,
		.faults = QUIRE_CAN_SEGMENT | QUIRE_CAN_VIRTUAL,
		.named = QUIRE_NAMED_PAGE,
	},
	[QUIRE_OP_FILL_VIRTUAL] = {
		.fixed = sizeof(struct quire_packet_fill_virtual),
		.decode = quire_decode_fill_virtual, .execute = quire_fill_range,
		.unit = 1, .resume = QUIRE_RESUME_UNITS,
		.faults = QUIRE_CAN_VIRTUAL,
	},
	[QUIRE_OP_INIT_CONTEXT] = {
		.fixed = sizeof(struct quire_packet_init_context),
		.flags = QUIRE_ADDRESS_VIRTUAL | QUIRE_INIT_SAVE_AREA,
		.decode = quire_decode_init_context, .once = quire_context_init,
		.faults = QUIRE_CAN_SEGMENT | QUIRE_CAN_VIRTUAL,
		.segments = QUIRE_IN_SYSTEM | QUIRE_IN_VRAM | QUIRE_IN_APERTURE,
	},
	[QUIRE_OP_UPDATE_PAGE_TABLE] = {
		.fixed = sizeof(struct quire_packet_update_page_table), .tail = true,
		.flags = QUIRE_UPDATE_REPEAT | QUIRE_UPDATE_INITIAL |
			QUIRE_UPDATE_NOTIFY_EVICTION | QUIRE_UPDATE_64K |
			QUIRE_UPDATE_CONTIGUOUS | QUIRE_ADDRESS_VIRTUAL,
		.decode = quire_decode_update_page_table, .once = quire_update_page_table,
		.faults = QUIRE_CAN_SEGMENT | QUIRE_CAN_VIRTUAL,
		.segments = QUIRE_IN_SYSTEM | QUIRE_IN_VRAM,
	},
	[QUIRE_OP_FLUSH_TLB] = {
		.fixed = sizeof(struct quire_packet_flush_tlb),
		.decode = quire_decode_flush_tlb, .execute = quire_flush_tlb,
		.resume = QUIRE_RESUME_WAITING,
		.faults = QUIRE_CAN_RANGE,
	},
	[QUIRE_OP_UPDATE_CONTEXT] = {
		.fixed = sizeof(struct quire_packet_update_context), .tail = true,
		.decode = quire_decode_update_context, .once = quire_context_update,
		.faults = QUIRE_CAN_VIRTUAL,
	},
	[QUIRE_OP_COPY_PAGE_TABLE] = {
		.fixed = sizeof(struct quire_packet_copy_page_table), .tail = true,
		.decode = quire_decode_copy_page_table, .execute = quire_copy_page_table,
		.unit = 1, .resume = QUIRE_RESUME_UNITS,
		.faults = QUIRE_CAN_VIRTUAL,
	},
	[QUIRE_OP_SIGNAL_MONITORED] = {
		.fixed = sizeof(struct quire_packet_signal_monitored),
		.flags = QUIRE_SIGNAL_IRQ,
		.decode = quire_decode_signal_monitored, .once = quire_signal_monitored,
		.faults = QUIRE_CAN_VIRTUAL,
	},
	[QUIRE_OP_NOTIFY_RESIDENCY] = {
		.fixed = sizeof(struct quire_packet_notify_residency),
		.flags = QUIRE_NOTIFY_RESIDENT,
		.decode = quire_decode_notify_residency, .execute = quire_notify_residency,
		.unit = 1, .resume = QUIRE_RESUME_UNITS, .check = quire_check_notice,
		.faults = QUIRE_CAN_SEGMENT | QUIRE_CAN_RANGE | QUIRE_CAN_RESIDENCY,
		.segments = QUIRE_IN_VRAM | QUIRE_IN_APERTURE, .named = QUIRE_NAMED_BYTE,
	},
	[QUIRE_OP_NOTIFY_RESIDENCY2] = {
		.fixed = sizeof(struct quire_packet_notify_residency2), .tail = true,
		.flags = QUIRE_NOTIFY_RESIDENT,
		.decode = quire_decode_notify_residency2, .execute = quire_notify_residency,
		.unit = 1, .resume = QUIRE_RESUME_UNITS, .check = quire_check_notice,
		.faults = QUIRE_CAN_SEGMENT | QUIRE_CAN_RANGE | QUIRE_CAN_RUNS |
			QUIRE_CAN_RESIDENCY,
		.segments = QUIRE_IN_VRAM | QUIRE_IN_APERTURE,
	},
	[QUIRE_OP_NOTIFY_ALLOCATION] = {
		.fixed = sizeof(struct quire_packet_notify_allocation),
		.flags = QUIRE_NOTIFY_EVICTION | QUIRE_NOTIFY_IOMMU_UNMAP, .one_flag = true,
		.decode = quire_decode_notify_allocation, .execute = quire_notify_allocation,
		.unit = 1, .resume = QUIRE_RESUME_UNITS,
		.faults = QUIRE_CAN_RANGE | QUIRE_CAN_APERTURE | QUIRE_CAN_CONTEXT |
			QUIRE_CAN_SPACE,
	},
	[QUIRE_OP_MAP_MMU] = {
		.fixed = sizeof(struct quire_packet_map_mmu), .tail = true,
		.flags = QUIRE_MAP_CACHE_COHERENT | QUIRE_MAP_CONTIGUOUS,
		.decode = quire_decode_map_mmu, .execute = quire_map_mmu,
		.unit = 1, .resume = QUIRE_RESUME_UNITS,
		.faults = QUIRE_CAN_SEGMENT | QUIRE_CAN_RANGE | QUIRE_CAN_RUNS,
		.segments = QUIRE_IN_SYSTEM | QUIRE_IN_VRAM,
	},
	[QUIRE_OP_UNMAP_MMU] = {
		.fixed = sizeof(struct quire_packet_unmap_mmu),
		.decode = quire_decode_unmap_mmu, .execute = quire_unmap_mmu,
		.unit = 1, .resume = QUIRE_RESUME_UNITS,
		.faults = QUIRE_CAN_RANGE,
	},
	[QUIRE_OP_NOTIFY_FENCES] = {
		.fixed = sizeof(struct quire_packet_notify_fences), .tail = true,
		.decode = quire_decode_notify_fences, .once = quire_notify_fences,
		.faults = QUIRE_CAN_SEGMENT | QUIRE_CAN_RANGE,
		.segments = QUIRE_IN_SYSTEM | QUIRE_IN_VRAM | QUIRE_IN_APERTURE,
			.named = QUIRE_NAMED_BYTE,
	},

	/* Commands, on execution rings. */
	[QUIRE_COMMAND_NOP] = {
		.fixed = sizeof(struct quire_command_nop), .tail = true,
	},
	[QUIRE_COMMAND_COPY] = {
		.fixed = sizeof(struct quire_command_copy),
		.decode = quire_decode_command_copy, .execute = quire_copy,
		.unit = 1, .resume = QUIRE_RESUME_UNITS,
		.faults = QUIRE_CAN_COPY | QUIRE_CAN_SPACE,
		.segments = QUIRE_IN_COMMANDS, .named = QUIRE_NAMED_ADDRESS,
	},
	[QUIRE_COMMAND_FILL] = {
		.fixed = sizeof(struct quire_command_fill),
		.decode = quire_decode_command_fill, .execute = quire_fill_range,
		.unit = 1, .resume = QUIRE_RESUME_UNITS,
		.faults = QUIRE_CAN_COPY | QUIRE_CAN_SPACE,
		.segments = QUIRE_IN_COMMANDS, .named = QUIRE_NAMED_ADDRESS,
	},
	[QUIRE_COMMAND_COPY_2D] = {
		.fixed = sizeof(struct quire_command_2d),
		.decode = quire_decode_command_2d, .execute = quire_rectangle,
		.unit = 1, .resume = QUIRE_RESUME_UNITS,
		.faults = QUIRE_CAN_COPY | QUIRE_CAN_SPACE,
		.segments = QUIRE_IN_VRAM, .named = QUIRE_NAMED_ADDRESS,
	},
	[QUIRE_COMMAND_BLEND] = {
		.fixed = sizeof(struct quire_command_2d),
		.decode = quire_decode_command_2d, .execute = quire_rectangle,
		.unit = 1, .resume = QUIRE_RESUME_UNITS,
		.faults = QUIRE_CAN_COPY | QUIRE_CAN_SPACE,
		.segments = QUIRE_IN_VRAM, .named = QUIRE_NAMED_ADDRESS,
	},
	[QUIRE_COMMAND_ARITHMETIC] = {
		.fixed = sizeof(struct quire_command_arithmetic),
		.flags = QUIRE_ARITHMETIC_ADD | QUIRE_ARITHMETIC_XOR, .one_flag = true,
		.decode = quire_decode_command_arithmetic, .execute = quire_arithmetic,
		.unit = 4, .resume = QUIRE_RESUME_UNITS,
		.faults = QUIRE_CAN_COPY | QUIRE_CAN_SPACE,
		.segments = QUIRE_IN_COMMANDS, .named = QUIRE_NAMED_ADDRESS,
	},
	[QUIRE_COMMAND_CHECKSUM] = {
		.fixed = sizeof(struct quire_command_checksum),
		.decode = quire_decode_command_checksum, .execute = quire_checksum,
		.unit = QUIRE_CHECKSUM_ALIGN, .resume = QUIRE_RESUME_UNITS,
		.kept = QUIRE_RING_KEPT, .reports = true,
		.faults = QUIRE_CAN_COPY | QUIRE_CAN_SPACE,
		.segments = QUIRE_IN_COMMANDS, .named = QUIRE_NAMED_ADDRESS,
	},
	[QUIRE_COMMAND_COMPARE] = {
		.fixed = sizeof(struct quire_command_compare),
		.decode = quire_decode_command_compare, .execute = quire_compare,
		.unit = 1, .resume = QUIRE_RESUME_UNITS,
		.kept = QUIRE_COMPARE_KEPT, .reports = true, .check = quire_check_compare,
		.faults = QUIRE_CAN_COPY | QUIRE_CAN_SPACE,
		.segments = QUIRE_IN_COMMANDS, .named = QUIRE_NAMED_ADDRESS,
	},
	[QUIRE_COMMAND_WRITE_VALUE] = {
		.fixed = sizeof(struct quire_command_write_value),
		.decode = quire_decode_command_write_value, .execute = quire_write_value,
		.faults = QUIRE_CAN_COPY | QUIRE_CAN_SPACE,
		.segments = QUIRE_IN_COMMANDS, .named = QUIRE_NAMED_ADDRESS,
	},
	[QUIRE_COMMAND_WAIT_VALUE] = {
		.fixed = sizeof(struct quire_command_wait_value),
		.flags = QUIRE_WAIT_EQUAL | QUIRE_WAIT_GREATER_EQUAL, .one_flag = true,
		.decode = quire_decode_command_wait_value, .execute = quire_wait_value,
		.resume = QUIRE_RESUME_WAITING,
		.faults = QUIRE_CAN_COPY | QUIRE_CAN_SPACE,
		.segments = QUIRE_IN_COMMANDS, .named = QUIRE_NAMED_ADDRESS,
	},
	[QUIRE_COMMAND_DELAY] = {
		.fixed = sizeof(struct quire_command_delay),
		.decode = quire_decode_command_delay, .execute = quire_delay,
		.resume = QUIRE_RESUME_ANYWHERE,
	},
	[QUIRE_COMMAND_SIGNAL_NATIVE] = {
		.fixed = sizeof(struct quire_command_signal_native),
		.decode = quire_decode_command_signal_native, .execute = quire_signal_native,
		.faults = QUIRE_CAN_RANGE | QUIRE_CAN_DMA | QUIRE_CAN_APERTURE |
			QUIRE_CAN_CONTEXT | QUIRE_CAN_NATIVE_FENCE,
	},
	[QUIRE_COMMAND_SET_REGISTER] = {
		.fixed = sizeof(struct quire_command_set_register),
		.flags = QUIRE_REGISTER_OPERATIONS, .one_flag = true,
		.decode = quire_decode_command_set_register, .execute = quire_register,
		.faults = QUIRE_CAN_COPY | QUIRE_CAN_SPACE | QUIRE_CAN_CONTEXT,
		.segments = QUIRE_IN_COMMANDS, .named = QUIRE_NAMED_ADDRESS,
	},
	[QUIRE_COMMAND_STORE_REGISTER] = {
		.fixed = sizeof(struct quire_command_store_register),
		.decode = quire_decode_command_store_register, .execute = quire_register,
		.faults = QUIRE_CAN_COPY | QUIRE_CAN_SPACE | QUIRE_CAN_CONTEXT,
		.segments = QUIRE_IN_COMMANDS, .named = QUIRE_NAMED_ADDRESS,
	},
	[QUIRE_COMMAND_LOAD_REGISTER] = {
		.fixed = sizeof(struct quire_command_load_register),
		.flags = QUIRE_REGISTER_OPERATIONS, .one_flag = true,
		.decode = quire_decode_command_load_register, .execute = quire_register,
		.faults = QUIRE_CAN_COPY | QUIRE_CAN_SPACE | QUIRE_CAN_CONTEXT,
		.segments = QUIRE_IN_COMMANDS, .named = QUIRE_NAMED_ADDRESS,
	},
};

/* QUIRE_OP_TRANSFER with flags. */
static const struct quire_operation quire_operation_swizzle = {
	.fixed = sizeof(struct quire_packet_swizzle), .tail = true,
	.flags = QUIRE_TRANSFER_SWIZZLE | QUIRE_TRANSFER_UNSWIZZLE, .one_flag = true,
	.decode = quire_decode_swizzle, .execute = quire_swizzle_copy,
	.unit = 1, .resume = QUIRE_RESUME_UNITS,
	.faults = QUIRE_CAN_COPY | QUIRE_CAN_RUNS,
};

/**
 * quire_opcode_exists - is there such an opcode?
 * @opcode: any number
 *
 * Return: false if no ring executes packets of it.
 */
bool quire_opcode_exists(uint32_t opcode)
{
	return opcode < QUIRE_ARRAY_SIZE(quire_operations) && quire_operations[opcode].fixed;
}

static const struct quire_operation *quire_find_operation(const struct quire_engine *engine,
							  const struct quire_ring *ring,
							  uint32_t opcode, uint16_t flags)
{
	bool paging = opcode < QUIRE_COMMAND_FIRST;

	if (!quire_opcode_exists(opcode) || quire_is_paging(engine, ring) != paging)
		return NULL;
	if (opcode == QUIRE_OP_TRANSFER && flags)
		return &quire_operation_swizzle;
	return &quire_operations[opcode];
}

static bool quire_flags_ok(const struct quire_operation *operation, uint16_t flags)
{
	if (operation->one_flag && (!flags || flags & (flags - 1)))
		return false;
	return !(flags & ~operation->flags);
}

/**
 * quire_packet_decode - check a packet and fill in what it asks for
 * @engine: the engine; not changed
 * @ring: the ring that holds its submission
 * @offset: of the packet in the submission, multiple of 8, below the submission's size
 * @op: filled in; points into the submission
 *
 * Return: the fault that the packet deserves, if any.
 */
struct quire_error quire_packet_decode(const struct quire_engine *engine,
				       const struct quire_ring *ring, uint32_t offset,
				       struct quire_op *op)
{
	const uint8_t *packet = ring->submission + offset;
	uint32_t left = ring->size - offset, header = quire_get_le32(packet);
	const struct quire_operation *operation;

	*op = (struct quire_op){
		.opcode = header & 0xffff,
		.flags = header >> 16,
		.size = QUIRE_GET32(packet, quire_packet_header, size),
		.addr = ring->addr + offset,
		.in_context = ring->flags & QUIRE_ENTRY_CONTEXT,
		.root = ring->root,
		.has_registers = ring->save,
	};
	if (op->size < sizeof(struct quire_packet_header) || op->size > left || op->size & 7)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	operation = quire_find_operation(engine, ring, op->opcode, op->flags);
	if (!operation)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_OPCODE, 0);
	if (op->size < operation->fixed || (!operation->tail && op->size > operation->fixed) ||
	    !quire_flags_ok(operation, op->flags))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	op->operation = operation;
	op->unit = operation->unit;
	return operation->decode ? operation->decode(engine, packet, op) : QUIRE_OK;
}

/**
 * quire_packet_operation - the operation of a packet that passes the first checks
 * @engine: the engine
 * @ring: the ring that it stands in
 * @header: first 32 bits of the packet
 * @left: bytes left of the submission
 *
 * Return: NULL if the ring has no such operation, its flags are wrong or it does not fit.
 */
const struct quire_operation *quire_packet_operation(const struct quire_engine *engine,
						     const struct quire_ring *ring,
						     uint32_t header, uint32_t left)
{
	uint16_t flags = header >> 16;
	const struct quire_operation *operation = quire_find_operation(engine, ring,
								       header & 0xffff, flags);

	if (!operation || !quire_flags_ok(operation, flags) || operation->fixed > left)
		return NULL;
	return operation;
}

/**
 * quire_opcode_ok - does the ring execute packets of this opcode?
 * @engine: the engine
 * @ring: the ring
 * @opcode: any number
 *
 * Return: false if it refuses them.
 */
bool quire_opcode_ok(const struct quire_engine *engine, const struct quire_ring *ring,
		     uint32_t opcode)
{
	return quire_find_operation(engine, ring, opcode, 0);
}
