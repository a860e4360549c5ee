// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: NOTIFY_FENCES and SIGNAL_NATIVE, from bytes to a checked operation.
 *
 * The order of checks is that of quire_packet.c. Whether a context may signal a fence is found
 * out when that is executed, and so is what is at its addresses.
 */
#include "../core/quire_numbers.h"
#include "../memory/quire_segment.h"
#include "quire_command.h"
#include "quire_decode.h"

static struct quire_error quire_check_value(const struct quire_engine *engine, uint64_t address)
{
	uint32_t segment = QUIRE_ADDRESS_SEGMENT(address);

	if (segment > QUIRE_SEGMENT_APERTURE)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_SEGMENT, segment);
	if (!quire_native_place_ok(engine, address))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, address);
	return QUIRE_OK;
}

static struct quire_error quire_check_fence(const struct quire_engine *engine, const uint8_t *p)
{
	uint64_t owner = QUIRE_GET64(p, quire_fence_place, owner);
	uint64_t current = QUIRE_GET64(p, quire_fence_place, current_value);
	uint64_t monitored = QUIRE_GET64(p, quire_fence_place, monitored_value);
	uint32_t fence = QUIRE_GET32(p, quire_fence_place, fence);
	struct quire_error error;

	if (QUIRE_GET32(p, quire_fence_place, reserved) || !owner != !current ||
	    !current != !monitored)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	if (fence >= QUIRE_NATIVE_FENCES)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, fence);
	if (!owner)
		return QUIRE_OK;
	if (!(owner & QUIRE_PTE_VALID))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, owner);
	error = quire_check_value(engine, current);
	return error.code ? error : quire_check_value(engine, monitored);
}

struct quire_error quire_decode_notify_fences(const struct quire_engine *engine, const uint8_t *p,
					      struct quire_op *op)
{
	const uint8_t *fences = p + sizeof(struct quire_packet_notify_fences);
	uint32_t bytes = op->size - sizeof(struct quire_packet_notify_fences), at;
	struct quire_error error = QUIRE_OK;

	if (!bytes || bytes % sizeof(struct quire_fence_place))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	for (at = 0; at < bytes && !error.code; at += sizeof(struct quire_fence_place))
		error = quire_check_fence(engine, fences + at);
	op->table.entries = fences;
	op->table.count = bytes / sizeof(struct quire_fence_place);
	op->total = 1;
	return error;
}

struct quire_error quire_decode_command_signal_native(const struct quire_engine *engine,
						      const uint8_t *p, struct quire_op *op)
{
	(void)engine;
	op->native = QUIRE_GET32(p, quire_command_signal_native, fence);
	op->value = QUIRE_GET64(p, quire_command_signal_native, value);
	op->total = 8;
	if (QUIRE_GET32(p, quire_command_signal_native, reserved))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_PACKET, 0);
	if (!op->in_context)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_CONTEXT, 0);
	if (op->native >= QUIRE_NATIVE_FENCES)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RANGE, op->native);
	return QUIRE_OK;
}
