/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: contexts.
 */
#ifndef QUIRE_CONTEXT_H
#define QUIRE_CONTEXT_H

#include "../core/quire_engine_types.h"
#include "../core/quire_fault.h"
#include "../decode/quire_operation_types.h"

bool quire_context_ok(const struct quire_engine *engine, const struct quire_ring *ring);
struct quire_error quire_context_load(struct quire_engine *engine, struct quire_ring *ring);
void quire_context_latch(struct quire_engine *engine, const struct quire_ring *ring,
			 struct quire_error error);
quire_once_fn quire_context_init;
struct quire_error quire_context_store(struct quire_engine *engine, struct quire_ring *ring);
quire_once_fn quire_context_update;
bool quire_registers_clear(const struct quire_ring *ring);

#endif
