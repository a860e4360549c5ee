/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: rings.
 */
#ifndef QUIRE_RING_H
#define QUIRE_RING_H

#include "../core/quire_budget.h"
#include "../core/quire_fault.h"

void quire_ring_settle(struct quire_engine *engine, struct quire_ring *ring);
void quire_ring_control(struct quire_engine *engine, struct quire_ring *ring, uint32_t old);
void quire_ring_doorbell(struct quire_engine *engine, struct quire_ring *ring);
void quire_ring_reset(struct quire_engine *engine, struct quire_ring *ring);
bool quire_ring_runnable(const struct quire_engine *engine, const struct quire_ring *ring);
uint32_t quire_ring_status(const struct quire_ring *ring);
struct quire_error quire_ring_check(const struct quire_ring *ring);
bool quire_ring_submission_ok(const struct quire_ring *ring);
void quire_ring_resume(struct quire_engine *engine, struct quire_ring *ring);
void quire_ring_run(struct quire_engine *engine, struct quire_ring *ring,
		    struct quire_budget *budget);

#endif
