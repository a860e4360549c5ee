/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: the aperture.
 */
#ifndef QUIRE_APERTURE_H
#define QUIRE_APERTURE_H

#include "../core/quire_engine_types.h"
#include "../core/quire_fault.h"
#include "quire_memory_types.h"

bool quire_aperture_init(struct quire_engine *engine);
void quire_aperture_fini(struct quire_engine *engine);
void quire_aperture_reset(struct quire_engine *engine);
void quire_aperture_set(struct quire_engine *engine, uint32_t page, uint64_t entry);
void quire_aperture_count(struct quire_engine *engine);
struct quire_error quire_aperture_check(const struct quire_engine *engine,
					uint64_t offset, uint64_t len);
uint64_t quire_aperture_dummies(const struct quire_engine *engine, uint64_t offset,
				uint64_t len, uint64_t *first);
bool quire_aperture_next(const struct quire_engine *engine, uint64_t offset, uint64_t max,
			 struct quire_place *place);
bool quire_aperture_prev(const struct quire_engine *engine, uint64_t end, uint64_t max,
			 struct quire_place *place);

#endif
