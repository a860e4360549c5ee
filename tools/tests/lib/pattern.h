/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Content that is known from a key and an offset alone. */
#ifndef QUIRE_PATTERN_H
#define QUIRE_PATTERN_H

#include <stdint.h>

#define PATTERN_SAME	UINT64_MAX

void pattern_fill(void *map, uint64_t size, uint64_t key);
uint64_t pattern_differs(const void *map, uint64_t size, uint64_t key);
uint64_t pattern_not_zero(const void *map, uint64_t size);

#endif
