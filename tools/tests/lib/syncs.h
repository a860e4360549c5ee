/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Syncobjs and sync_files, as a test sees them. */
#ifndef QUIRE_TEST_SYNCS_H
#define QUIRE_TEST_SYNCS_H

#include "fixture.h"

/**
 * struct fence_state - what a sync_file says of itself
 * @status: 1 signalled, 0 not yet, negative: the error of the fence
 * @timestamp: ns, when it did
 * @driver: who made the fence
 */
struct fence_state {
	int status;
	uint64_t timestamp;
	char driver[32];
};

uint32_t sync_create(const struct fixture *fixture);
int sync_wait(const struct fixture *fixture, uint32_t syncobj, uint64_t point,
	      unsigned int milliseconds);
bool sync_is_untouched(const struct fixture *fixture, uint32_t syncobj);
int sync_export(const struct fixture *fixture, uint32_t syncobj);
int sync_eventfd(const struct fixture *fixture, uint32_t syncobj, uint64_t point);

int fence_query(int sync_file, struct fence_state *state);
bool fd_is_ready(int fd, unsigned int milliseconds);

int object_place_signal(const struct fixture *fixture, const struct object *object,
			const struct place *place, uint32_t syncobj, uint64_t point);

#endif
