/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: segments.
 */
#ifndef QUIRE_SEGMENT_H
#define QUIRE_SEGMENT_H

#include "../core/quire_engine_types.h"

/* Segments that packets name are below. */
#define QUIRE_SEGMENTS		QUIRE_SEGMENT_MMU(QUIRE_MMU_COUNT)

/* Pages of all system memory there can be. */
#define QUIRE_SYSTEM_PAGES	(1ull << (64 - QUIRE_PAGE_SHIFT))

/* Is a segment what an MMU shows? */
static inline bool quire_is_mmu(uint32_t segment)
{
	return segment - QUIRE_SEGMENT_MMU(0) < QUIRE_MMU_COUNT;
}

uint64_t quire_segment_size(const struct quire_engine *engine, uint32_t segment);
bool quire_native_place_ok(const struct quire_engine *engine, uint64_t address);

/* Pages of a segment that has some of its own. */
static inline uint32_t quire_segment_pages(const struct quire_engine *engine, uint32_t segment)
{
	return quire_segment_size(engine, segment) >> QUIRE_PAGE_SHIFT;
}

#endif
