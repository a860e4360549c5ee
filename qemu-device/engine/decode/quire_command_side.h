/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: addresses of commands.
 */
#ifndef QUIRE_COMMAND_SIDE_H
#define QUIRE_COMMAND_SIDE_H

#include "../core/quire_fault.h"
#include "quire_op_types.h"

struct quire_error quire_command_segment(const struct quire_op *op, uint32_t access,
					 uint64_t address, struct quire_side *side);
struct quire_error quire_command_side(const struct quire_engine *engine,
				      const struct quire_op *op, uint32_t access,
				      uint64_t address, uint64_t len, uint64_t align,
				      struct quire_side *side);

#endif
