/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: steps of operations.
 */
#ifndef QUIRE_STEP_H
#define QUIRE_STEP_H

#include "../core/quire_budget.h"
#include "../core/quire_ring_types.h"
#include "../decode/quire_op_types.h"

/* Bytes that a command counts with in one step, at most. */
#define QUIRE_BLOCK		4096u

/* Bytes that a loop counts with at a time, as many as compilers make vectors of without a test. */
#define QUIRE_STRIDE		64u

uint64_t quire_command_block(const struct quire_ring *ring, const struct quire_op *op,
			     const struct quire_budget *budget);
void quire_command_done(struct quire_ring *ring, struct quire_budget *budget, uint64_t bytes);
uint64_t quire_pages_slice(struct quire_ring *ring, uint64_t left, struct quire_budget *budget);

#endif
