/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: the residency table.
 */
#ifndef QUIRE_RESIDENCY_H
#define QUIRE_RESIDENCY_H

#include "../core/quire_budget.h"
#include "../core/quire_fault.h"
#include "../decode/quire_operation_types.h"

bool quire_residency_init(struct quire_engine *engine);
void quire_residency_fini(struct quire_engine *engine);
void quire_residency_reset(struct quire_engine *engine);
void quire_residency_count(struct quire_engine *engine);
quire_execute_fn quire_notify_residency;
bool quire_notify_changes(const struct quire_ring *ring, const struct quire_op *op);
void quire_notify_resume(struct quire_ring *ring, const struct quire_op *op);
uint64_t quire_get_residency_allocation(const struct quire_engine *engine,
					const struct quire_ring *ring);
uint64_t quire_get_residency_offset(const struct quire_engine *engine,
				    const struct quire_ring *ring);
uint64_t quire_get_residency_pages(const struct quire_engine *engine,
				   const struct quire_ring *ring);
const char *quire_check_notice(const struct quire_engine *engine, const struct quire_ring *ring,
			       const struct quire_op *op);
const char *quire_check_residency(const struct quire_engine *engine);

#endif
