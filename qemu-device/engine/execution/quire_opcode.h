/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: packets, by their opcode.
 */
#ifndef QUIRE_OPCODE_H
#define QUIRE_OPCODE_H

#include "../decode/quire_operation_types.h"

struct quire_error quire_packet_decode(const struct quire_engine *engine,
				       const struct quire_ring *ring, uint32_t offset,
				       struct quire_op *op);
const struct quire_operation *quire_packet_operation(const struct quire_engine *engine,
						     const struct quire_ring *ring,
						     uint32_t header, uint32_t left);
bool quire_opcode_ok(const struct quire_engine *engine, const struct quire_ring *ring,
		     uint32_t opcode);
bool quire_opcode_exists(uint32_t opcode);

#endif
