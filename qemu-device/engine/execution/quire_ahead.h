/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: which part of a copy is posted.
 */
#ifndef QUIRE_AHEAD_H
#define QUIRE_AHEAD_H

#include "../core/quire_engine_types.h"
#include "../decode/quire_op_types.h"

uint64_t quire_posted_ahead(struct quire_engine *engine, struct quire_op *op, uint64_t done,
			    bool *posted);

#endif
