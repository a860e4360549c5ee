// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: addresses of commands, checked.
 */
#include "../core/quire_numbers.h"
#include "../memory/quire_segment.h"
#include "quire_command_side.h"

/**
 * quire_command_segment - take an address of a packet apart
 * @op: the command; in a context its addresses are virtual, whole
 * @access: QUIRE_ACCESS_*, what it does there
 * @address: as it stands there
 * @side: its segment and its offset are filled in
 *
 * Return: QUIRE_FAULT_BAD_SEGMENT if no command may access that, else none.
 */
struct quire_error quire_command_segment(const struct quire_op *op, uint32_t access,
					 uint64_t address, struct quire_side *side)
{
	if (op->in_context) {
		side->segment = QUIRE_SEGMENT_VIRTUAL;
		side->address = address;
		side->space.root = op->root;
		side->space.access = access;
		return QUIRE_OK;
	}
	side->segment = QUIRE_ADDRESS_SEGMENT(address);
	side->address = QUIRE_ADDRESS_OFFSET(address);
	if (side->segment != QUIRE_SEGMENT_VRAM && side->segment != QUIRE_SEGMENT_APERTURE &&
	    !quire_is_mmu(side->segment))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_SEGMENT, address);
	return QUIRE_OK;
}

/**
 * quire_command_side - check what a command accesses at an address
 * @engine: the engine
 * @op: the command
 * @access: QUIRE_ACCESS_*, what it does there
 * @address: as it stands in the packet
 * @len: bytes, 0 if they are wrong in another way
 * @align: the offset is a multiple of this, a power of two
 * @side: filled in
 *
 * Return: the fault that it deserves, if any.
 */
struct quire_error quire_command_side(const struct quire_engine *engine,
				      const struct quire_op *op, uint32_t access,
				      uint64_t address, uint64_t len, uint64_t align,
				      struct quire_side *side)
{
	struct quire_error error = quire_command_segment(op, access, address, side);

	if (error.code)
		return error;
	if (!len || side->address & (align - 1) ||
	    !quire_range_ok(side->address, len, quire_segment_size(engine, side->segment)))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, address);
	side->len = len;
	return QUIRE_OK;
}
