/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: how long a slice may be.
 */
#ifndef QUIRE_BUDGET_H
#define QUIRE_BUDGET_H

#include "quire_engine_types.h"

/**
 * struct quire_budget - what is left of the slice for a ring
 * @start: when its share began
 * @ns: how long that is
 * @bytes: bytes to copy, fill or clear until the next look at the clock
 * @used: bytes that were taken and are not in the engine's count of work
 *
 * A step may overdraw by one smallest unit of its operation, so that every
 * slice makes progress.
 */
struct quire_budget {
	uint64_t start;
	uint64_t ns;
	uint64_t bytes;
	uint64_t used;
};

/*
 * What else takes time, in bytes that are copied meanwhile: a packet, an entry
 * with what is written when it is done, a mapping, a page to (un)map.
 */
#define QUIRE_COST_PACKET	0x1000u
#define QUIRE_COST_ENTRY	0x4000u
#define QUIRE_COST_MAPPING	0x1000u
#define QUIRE_COST_PAGE		8u

void quire_budget_begin(const struct quire_engine *engine, struct quire_budget *budget,
			uint64_t now, uint64_t ns);
void quire_budget_take(struct quire_budget *budget, uint64_t bytes);
void quire_budget_count(struct quire_engine *engine, struct quire_budget *budget);
bool quire_budget_left(struct quire_engine *engine, struct quire_budget *budget);

#endif
