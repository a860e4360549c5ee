/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: packets, before they are executed.
 */
#ifndef QUIRE_PACKET_H
#define QUIRE_PACKET_H

#include "../core/quire_fault.h"
#include "quire_op_types.h"

struct quire_error quire_packet_unmapped(const struct quire_engine *engine,
					 const struct quire_op *op, bool begins);

#endif
