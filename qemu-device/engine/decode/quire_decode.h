/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: decoders of packets, for quire_packet.c.
 */
#ifndef QUIRE_DECODE_H
#define QUIRE_DECODE_H

#include "quire_operation.h"

/* quire_command_side.c */
struct quire_error quire_command_segment(const struct quire_op *op, uint32_t access,
					 uint64_t address, struct quire_side *side);
struct quire_error quire_command_side(const struct quire_engine *engine,
				      const struct quire_op *op, uint32_t access,
				      uint64_t address, uint64_t len, uint64_t align,
				      struct quire_side *side);

/* quire_command_packet.c */
const struct quire_operation *quire_command_find(uint16_t opcode);

/* quire_surface_packet.c */
struct quire_error quire_surfaces_decode(const struct quire_engine *engine, const uint8_t *p,
					 struct quire_op *op);

/* quire_swizzle_packet.c */
struct quire_error quire_swizzle_decode(const struct quire_engine *engine, const uint8_t *p,
					struct quire_op *op);

/* quire_virtual_packet.c */
const struct quire_operation *quire_virtual_find(uint16_t opcode);

/* quire_residency_packet.c */
const struct quire_operation *quire_residency_find(uint16_t opcode);

/* quire_flat_packet.c */
const struct quire_operation *quire_flat_find(uint16_t opcode);

/* quire_native_packet.c */
const struct quire_operation *quire_native_find(uint16_t opcode);
struct quire_error quire_native_decode_signal(const struct quire_engine *engine, const uint8_t *p,
					      struct quire_op *op);

#endif
