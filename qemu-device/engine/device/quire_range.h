/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: swizzling ranges.
 */
#ifndef QUIRE_RANGE_H
#define QUIRE_RANGE_H

#include "../core/quire_engine_types.h"

void quire_range_control(struct quire_engine *engine, struct quire_range *range, uint32_t old);
uint32_t quire_range_oldest(const struct quire_engine *engine);
void quire_range_let_go(struct quire_engine *engine, uint32_t named);
void quire_ranges_reset(struct quire_engine *engine);
const char *quire_check_ranges(const struct quire_engine *engine);
uint64_t quire_ranges_read(struct quire_engine *engine, uint64_t offset, unsigned int size);
void quire_ranges_write(struct quire_engine *engine, uint64_t offset, unsigned int size,
			uint64_t value);

#endif
