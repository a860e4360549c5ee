/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* VRAM in which no free run is larger than a hole, and half of which is free. */
#ifndef QUIRE_TEST_HOLES_H
#define QUIRE_TEST_HOLES_H

#include "work.h"

#define HOLES	32u

/**
 * struct holes - what is between free places
 * @size: bytes of each, and of each hole
 * @between: objects; zero to begin with
 */
struct holes {
	uint64_t size;
	struct quire_object *between[HOLES];
};

void holes_make(struct holes *holes, const struct work *work);
void holes_wait(const struct work *work);
void holes_close(struct holes *holes);
struct quire_object *holes_object(const struct work *work, uint64_t size);

#endif
