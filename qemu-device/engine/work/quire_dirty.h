/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: which VRAM was written.
 */
#ifndef QUIRE_DIRTY_H
#define QUIRE_DIRTY_H

#include "../core/quire_engine_types.h"
#include "quire_work_types.h"

void quire_pieces_dirty(struct quire_engine *engine, const struct quire_work *work);
void quire_swizzle_dirty(struct quire_engine *engine, const struct quire_work *work);

#endif
