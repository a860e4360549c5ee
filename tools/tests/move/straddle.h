/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Objects over the limit of the visible part of VRAM, which are in their own way. */
#ifndef QUIRE_TEST_STRADDLE_H
#define QUIRE_TEST_STRADDLE_H

#include "fixture.h"

/* Larger objects do not slide. */
#define STRADDLE_MOST	(16 * QUIRE_MIB)

/**
 * struct straddler - an object over the limit of the visible part
 * @object: it
 * @size: bytes that it takes in VRAM
 * @low: what is below, up to the start of VRAM, with content
 * @high: what is above, up to its end, without
 */
struct straddler {
	struct object object;
	uint64_t size;
	struct object low;
	struct object high;
};

/**
 * struct straddle_counts - moves of all objects
 * @slides: inside of VRAM
 * @ways: out of it
 * @submissions: of paging buffers
 */
struct straddle_counts {
	uint64_t slides;
	uint64_t ways;
	uint64_t submissions;
};

/* Places in VRAM: one run each, and any. */
extern const struct place straddle_visible;
extern const struct place straddle_invisible;
extern const struct place straddle_run;
extern const struct place straddle_any;

void straddle_start(struct fixture *fixture);
struct straddle_counts straddle_count(const struct fixture *fixture);
struct straddle_counts straddle_settled(const struct fixture *fixture);
bool straddle(const struct fixture *fixture, struct straddler *s, uint64_t size,
	      uint64_t inside);
bool straddle_object(const struct fixture *fixture, struct straddler *s, uint64_t size,
		     uint64_t inside, const struct place *how);
int straddle_make_room(const struct fixture *fixture, struct straddler *s);
void straddle_close(const struct fixture *fixture, struct straddler *s);

#endif
