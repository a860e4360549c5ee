/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Calls of which each allocation fails once, one after the other: see failing.h. */
#ifndef QUIRE_TEST_STEPS_H
#define QUIRE_TEST_STEPS_H

#include "fixture.h"

/**
 * struct step - a call that allocates
 * @name: of it
 * @prepare: without failures; may be NULL
 * @run: with one
 * @finish: without again: what @run left, @ret is what it said; returns 0 if that is right
 */
struct step {
	const char *name;
	int (*prepare)(const struct fixture *fixture, struct object *object);
	int (*run)(const struct fixture *fixture, struct object *object);
	int (*finish)(const struct fixture *fixture, struct object *object, int ret);
};

void step_test(const struct fixture *fixture, struct object *object, const struct step *step);
int step_finish_whole(const struct fixture *fixture, struct object *object, int ret);

#endif
