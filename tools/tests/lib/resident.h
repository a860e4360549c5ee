/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Objects that are held resident. */
#ifndef QUIRE_TEST_RESIDENT_H
#define QUIRE_TEST_RESIDENT_H

#include "fixture.h"

/* How often a test holds an object at most. */
#define RESIDENT_MOST 10000

int resident_make_syncs(int fd, const struct object *objects, uint32_t count,
			const struct drm_quire_sync *syncs, uint32_t nr_syncs);
int resident_make(int fd, const struct object *objects, uint32_t count);
int resident_evict(int fd, const struct object *objects, uint32_t count);
int resident_count(int fd, const struct object *object);
void resident_flood(const struct fixture *fixture);

#endif
