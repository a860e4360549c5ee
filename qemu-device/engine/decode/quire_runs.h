/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: page runs of a packet.
 */
#ifndef QUIRE_RUNS_H
#define QUIRE_RUNS_H

#include "../address/quire_side.h"

/**
 * struct quire_runs - page runs of a packet that no side has taken yet
 * @at: the first, little endian
 * @count: how many
 */
struct quire_runs {
	const uint8_t *at;
	uint32_t count;
};

struct quire_runs quire_runs_of(const uint8_t *packet, uint32_t fixed, uint32_t size);
bool quire_runs_take(struct quire_runs *runs, uint64_t pages, uint64_t end, uint32_t unit,
		     struct quire_side *side);

#endif
