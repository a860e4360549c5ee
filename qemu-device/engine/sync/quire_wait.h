/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: rings that wait.
 *
 * Layer of synchronisation: what a ring waits for, in which context it executes, whom it tells.
 * Rings, and packets that are decoded, come in; values in memory and interrupts go out. It
 * uses address, work and decode.
 */
#ifndef QUIRE_WAIT_H
#define QUIRE_WAIT_H

#include "../core/quire_engine_types.h"
#include "../decode/quire_op_types.h"

void quire_wait(struct quire_engine *engine, struct quire_ring *ring, struct quire_op *op,
		uint64_t now, uint64_t ns);
uint64_t quire_delay_count(struct quire_engine *engine, struct quire_ring *ring,
			   struct quire_op *op, uint64_t most);
bool quire_waits(const struct quire_engine *engine, const struct quire_ring *ring);
void quire_wait_settle(struct quire_engine *engine, struct quire_ring *ring);
void quire_waits_look(struct quire_engine *engine);
void quire_waits_alarm(struct quire_engine *engine);
bool quire_wait_for_rings(struct quire_engine *engine, struct quire_ring *ring,
			  struct quire_op *op, uint32_t rings);
void quire_wait_ended(struct quire_engine *engine, const struct quire_ring *ring);
void quire_unmap_wait(struct quire_engine *engine, struct quire_ring *ring, struct quire_op *op);

#endif
