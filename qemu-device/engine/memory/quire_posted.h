/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: the write buffer.
 */
#ifndef QUIRE_POSTED_H
#define QUIRE_POSTED_H

#include "../core/quire_engine_types.h"

void quire_posted_hold(struct quire_engine *engine, uint64_t addr, const void *from,
		       uint32_t len);
void *quire_posted_read(struct quire_engine *engine, uint64_t addr, uint64_t *len);
void quire_posted_give_way(struct quire_engine *engine, uint64_t addr, uint64_t len);
void quire_posted_flush(struct quire_engine *engine);
void quire_posted_drop(struct quire_engine *engine);
void quire_posted_count(struct quire_engine *engine);
const char *quire_check_posted(const struct quire_engine *engine);

#endif
