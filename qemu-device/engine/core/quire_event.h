/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: events, for the tracing of the host.
 */
#ifndef QUIRE_EVENT_H
#define QUIRE_EVENT_H

#include "quire_engine_types.h"

static inline void quire_event(struct quire_engine *engine, enum quire_event event,
			       const struct quire_ring *ring, uint64_t a, uint64_t b)
{
	if (engine->ops->event)
		engine->ops->event(engine->opaque, event, ring - engine->ring, a, b);
}

#endif
