/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: walks of page tables.
 */
#ifndef QUIRE_WALK_H
#define QUIRE_WALK_H

#include "../core/quire_engine_types.h"
#include "../core/quire_fault.h"
#include "quire_mmu_types.h"

struct quire_error quire_walk_page(struct quire_engine *engine, struct quire_space *space,
				   uint64_t va, struct quire_page *page);

#endif
