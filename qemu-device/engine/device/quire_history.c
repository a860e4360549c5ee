// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: what a ring executed, and what the aperture holds, for tests of
 * drivers: numbers of packets, and which ones the last were.
 *
 * A packet counts when it is executed to its end. Its DMA address says which one
 * it is, also in a ring that was started again in the middle of a submission.
 */
#include <stddef.h>

#include "../execution/quire_opcode.h"
#include "quire_history.h"

/**
 * quire_history_add - a packet was executed
 * @ring: the ring; its OFFSET is still at the packet
 * @op: the decoded packet
 */
void quire_history_add(struct quire_ring *ring, const struct quire_op *op)
{
	uint64_t number = quire_history_packets(ring);

	ring->history[number % QUIRE_RING_HISTORY_PACKETS] = (struct quire_record){
		.addr = ring->addr + ring->offset,
		.header = op->opcode | (uint32_t)op->flags << 16,
	};
	ring->executed[op->opcode]++;
}

/**
 * quire_history_packets - packets that a ring executed since reset
 * @ring: the ring
 *
 * Return: their number.
 */
uint64_t quire_history_packets(const struct quire_ring *ring)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < QUIRE_OPCODE_COUNT; i++)
		sum += ring->executed[i];
	return sum;
}

/**
 * quire_history_get - the packet that HISTORY_INDEX asks for
 * @ring: the ring
 *
 * Return: zeroes if it is not executed yet, or not known any more.
 */
struct quire_record quire_history_get(const struct quire_ring *ring)
{
	uint32_t back = (uint32_t)quire_history_packets(ring) - ring->history_index;

	if (!back || back > QUIRE_RING_HISTORY_PACKETS)
		return (struct quire_record){ 0 };
	return ring->history[ring->history_index % QUIRE_RING_HISTORY_PACKETS];
}

/* Packets of an opcode that the ring refuses. */
static bool quire_executed_others(const struct quire_engine *engine,
				  const struct quire_ring *ring)
{
	unsigned int opcode;

	for (opcode = 0; opcode < QUIRE_OPCODE_COUNT; opcode++)
		if (ring->executed[opcode] && !quire_opcode_ok(engine, ring, opcode))
			return true;
	return false;
}

/**
 * quire_check_history - can this be what a ring executed?
 * @engine: the engine
 * @ring: one of its rings
 *
 * Return: NULL if it can, else what is wrong.
 */
const char *quire_check_history(const struct quire_engine *engine,
				const struct quire_ring *ring)
{
	uint64_t packets = quire_history_packets(ring);
	unsigned int i;

	if (quire_executed_others(engine, ring))
		return "packets that the ring refuses";
	if (ring->offset && !packets)
		return "bad number of packets";
	for (i = 0; i < QUIRE_RING_HISTORY_PACKETS; i++) {
		const struct quire_record *record = &ring->history[i];

		if (i >= packets) {
			if (record->addr || record->header)
				return "a packet that was not executed";
		} else if (record->addr & 7 ||
			   !quire_packet_operation(engine, ring, record->header,
						   QUIRE_MAX_SUBMISSION) ||
			   !ring->executed[record->header & 0xffff]) {
			return "bad packet in the history";
		}
	}
	return NULL;
}
