/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: what a ring executed.
 */
#ifndef QUIRE_HISTORY_H
#define QUIRE_HISTORY_H

#include "../core/quire_engine_types.h"
#include "../decode/quire_op_types.h"

void quire_history_add(struct quire_ring *ring, const struct quire_op *op);
uint64_t quire_history_packets(const struct quire_ring *ring);
struct quire_record quire_history_get(const struct quire_ring *ring);
const char *quire_check_history(const struct quire_engine *engine,
				const struct quire_ring *ring);

#endif
