// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: segments, and what can be in them.
 */
#include "../core/quire_numbers.h"
#include "quire_segment.h"

/**
 * quire_segment_size - bytes of a segment
 * @engine: the engine
 * @segment: one with offsets, or %QUIRE_SEGMENT_VIRTUAL
 *
 * Return: how many.
 */
uint64_t quire_segment_size(const struct quire_engine *engine, uint32_t segment)
{
	if (quire_is_mmu(segment))
		return engine->mmu_size;
	switch (segment) {
	case QUIRE_SEGMENT_VRAM:
		return engine->vram_size;
	case QUIRE_SEGMENT_APERTURE:
		return engine->aperture_size;
	default:
		return QUIRE_VA_END;
	}
}

/**
 * quire_native_place_ok - can a value of a fence be there?
 * @engine: the engine
 * @address: QUIRE_ADDRESS(), not 0
 *
 * Return: false if it is in no segment that fences may be in, misaligned or outside of it.
 */
bool quire_native_place_ok(const struct quire_engine *engine, uint64_t address)
{
	uint32_t segment = QUIRE_ADDRESS_SEGMENT(address);
	uint64_t offset = QUIRE_ADDRESS_OFFSET(address);

	if (segment > QUIRE_SEGMENT_APERTURE || offset & 7)
		return false;
	return segment == QUIRE_SEGMENT_SYSTEM ||
	       quire_range_ok(offset, sizeof(__le64), quire_segment_size(engine, segment));
}
