/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: the TLB.
 */
#ifndef QUIRE_TLB_H
#define QUIRE_TLB_H

#include "../core/quire_engine_types.h"
#include "../memory/quire_memory_types.h"
#include "quire_mmu_types.h"

bool quire_tlb_init(struct quire_engine *engine);
void quire_tlb_fini(struct quire_engine *engine);
bool quire_tlb_find(const struct quire_engine *engine, uint64_t root, uint64_t va,
		    struct quire_page *page);
void quire_tlb_add(struct quire_engine *engine, uint64_t root, const struct quire_page *page);
void quire_tlb_flush(struct quire_engine *engine, uint64_t root, uint64_t start, uint64_t end);
void quire_tlb_reset(struct quire_engine *engine);
uint64_t quire_tlb_drop(struct quire_engine *engine, const struct quire_place *place);
void quire_tlb_hold(struct quire_engine *engine, bool hold);

#endif
