/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: packets.
 */
#ifndef QUIRE_PACKET_H
#define QUIRE_PACKET_H

#include "../core/quire_engine_types.h"
#include "../core/quire_fault.h"
#include "quire_op_types.h"

struct quire_error quire_packet_decode(const struct quire_engine *engine,
				       const struct quire_ring *ring, uint32_t offset,
				       struct quire_op *op);
bool quire_packet_fits(const struct quire_engine *engine, const struct quire_ring *ring,
		       uint32_t header, uint32_t left);
bool quire_opcode_ok(const struct quire_engine *engine, const struct quire_ring *ring,
		     uint32_t opcode);
struct quire_error quire_packet_unmapped(const struct quire_engine *engine,
					 const struct quire_op *op, bool begins);

#endif
