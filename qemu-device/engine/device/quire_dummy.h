/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: accesses to dummy pages.
 */
#ifndef QUIRE_DUMMY_H
#define QUIRE_DUMMY_H

#include "../core/quire_engine_types.h"
#include "../decode/quire_op_types.h"

void quire_dummy_report(struct quire_engine *engine, const struct quire_ring *ring,
			const struct quire_op *op);
const char *quire_check_dummy(const struct quire_engine *engine);

#endif
