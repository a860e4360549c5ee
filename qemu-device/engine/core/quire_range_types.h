/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: swizzling ranges.
 */
#ifndef QUIRE_RANGE_TYPES_H
#define QUIRE_RANGE_TYPES_H

#include <stdint.h>

/**
 * struct quire_range - a swizzling range: its registers, and when it was touched
 * @addr: byte offset in VRAM
 * @layout: kind, and element shift from bit 8 on
 * @width: of level 0
 * @height: of level 0
 * @levels: levels, and array size from bit 16 on
 * @control: QUIRE_RANGE_CONTROL_*
 * @data: how often it was enabled, 16 bits
 * @touched: when that was last, by &quire_engine.range_touches; 0 if never
 *
 * All of it is migrated. While it is enabled there is such an image, and it is in VRAM.
 */
struct quire_range {
	uint64_t addr;
	uint32_t layout;
	uint32_t width;
	uint32_t height;
	uint32_t levels;
	uint32_t control;
	uint32_t data;
	uint64_t touched;
};

#endif
