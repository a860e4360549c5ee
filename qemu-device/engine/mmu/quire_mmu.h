/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: virtual addresses.
 */
#ifndef QUIRE_MMU_H
#define QUIRE_MMU_H

#include "../core/quire_engine_types.h"
#include "../core/quire_fault.h"
#include "../memory/quire_memory_types.h"
#include "quire_mmu_types.h"

struct quire_error quire_mmu_next(struct quire_engine *engine, struct quire_space *space,
				  uint64_t va, uint64_t max, struct quire_place *place);
struct quire_error quire_mmu_prev(struct quire_engine *engine, struct quire_space *space,
				  uint64_t end, uint64_t max, struct quire_place *place);

#endif
