/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: copies and fills, at once or beside the engine.
 */
#ifndef QUIRE_WORK_H
#define QUIRE_WORK_H

#include "../core/quire_budget.h"
#include "quire_work_types.h"

bool quire_work_init(struct quire_engine *engine);
void quire_work_fini(struct quire_engine *engine);
struct quire_work *quire_work_begin(struct quire_engine *engine, const struct quire_ring *ring,
				    uint64_t left, uint64_t unit,
				    const struct quire_budget *budget);
bool quire_work_add(struct quire_engine *engine, struct quire_work *work,
		    struct quire_budget *budget);
void quire_work_go(struct quire_engine *engine, struct quire_ring *ring,
		   struct quire_budget *budget);
bool quire_work_running(const struct quire_engine *engine, const struct quire_ring *ring);
bool quire_work_end(struct quire_engine *engine, struct quire_ring *ring, bool wait);
void quire_work_do(struct quire_work *work);

/**
 * quire_work_piece - where the next piece is to be
 * @work: the work, with room for it
 *
 * Return: it; what it holds is of earlier work.
 */
static inline struct quire_piece *quire_work_piece(struct quire_work *work)
{
	return &work->pieces[work->count];
}

#endif
