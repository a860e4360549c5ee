/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: state that came from elsewhere.
 *
 * Uppermost layer: state that was saved comes in, and is accepted or refused. It uses all.
 */
#ifndef QUIRE_STATE_H
#define QUIRE_STATE_H

#include "../core/quire_engine_types.h"

void quire_engine_pre_load(struct quire_engine *engine);
uint64_t *quire_engine_load_entries(struct quire_engine *engine, uint32_t first, uint32_t count);
bool quire_engine_post_load(struct quire_engine *engine, const char **why);
void quire_engine_end_load(struct quire_engine *engine);

#endif
