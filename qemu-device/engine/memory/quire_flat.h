/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: the flat MMUs.
 */
#ifndef QUIRE_FLAT_H
#define QUIRE_FLAT_H

#include "../core/quire_engine_types.h"
#include "../core/quire_fault.h"
#include "quire_memory_types.h"

/* An entry of a flat MMU: page-aligned address and these bits; 0 if nothing is mapped. */
#define QUIRE_FLAT_VALID	0x1ull
#define QUIRE_FLAT_COHERENT	0x2ull /* of system memory */
#define QUIRE_FLAT_VRAM		0x4ull
#define QUIRE_FLAT_BITS		(QUIRE_FLAT_VALID | QUIRE_FLAT_COHERENT | QUIRE_FLAT_VRAM)

bool quire_flat_init(struct quire_engine *engine);
void quire_flat_fini(struct quire_engine *engine);
void quire_flat_reset(struct quire_engine *engine, bool loading);
struct quire_error quire_flat_fault(uint32_t segment, uint64_t offset);
struct quire_error quire_flat_check(const struct quire_engine *engine,
				    uint32_t segment, uint64_t offset, uint64_t len);
bool quire_flat_next(const struct quire_engine *engine, uint32_t segment, uint64_t offset,
		     uint64_t max, struct quire_place *place);
bool quire_flat_prev(const struct quire_engine *engine, uint32_t segment, uint64_t end,
		     uint64_t max, struct quire_place *place);
const char *quire_check_flat(const struct quire_engine *engine);

#endif
