/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: one slice of a packet.
 *
 * Layer of operations, each in a file of its own. A ring, a decoded packet and the budget of a
 * slice come in; a part of the packet is done, and an error goes out if there was one. It uses
 * all layers below, and knows nothing of entries, fence pages or registers.
 */
#ifndef QUIRE_EXECUTE_H
#define QUIRE_EXECUTE_H

#include "../core/quire_budget.h"
#include "../core/quire_fault.h"
#include "../decode/quire_op_types.h"

struct quire_error quire_execute(struct quire_engine *engine, struct quire_ring *ring,
				 struct quire_op *op, struct quire_budget *budget);

#endif
