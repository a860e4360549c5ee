/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: how packets of an opcode look.
 */
#ifndef QUIRE_OPERATION_H
#define QUIRE_OPERATION_H

#include "../core/quire_engine_types.h"
#include "../core/quire_fault.h"
#include "quire_op_types.h"

/**
 * struct quire_operation - how packets of one opcode look
 * @fixed: bytes of the packet without its runs
 * @runs: page runs, or page numbers, or what is ignored, may follow
 * @flags: allowed flags of the header
 * @one_flag: exactly one of them
 * @decode: fills in and checks the operation; the size is right
 */
struct quire_operation {
	uint32_t fixed;
	bool runs;
	uint16_t flags;
	bool one_flag;
	struct quire_error (*decode)(const struct quire_engine *engine, const uint8_t *p,
				     struct quire_op *op);
};

#endif
