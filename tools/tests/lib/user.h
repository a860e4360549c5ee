/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Commands that are at work with objects of a test until it lets them end. vgem ends its fences by
 * itself, after ten seconds; these wait for as long as it takes.
 */
#ifndef QUIRE_TEST_USER_H
#define QUIRE_TEST_USER_H

#include "work.h"

/**
 * struct user - commands at work with objects
 * @work: the device, once more
 * @context: of the commands
 * @gate: where they wait; in the aperture
 * @file: sync_file of their end
 */
struct user {
	struct work work;
	struct quire_context *context;
	struct gate gate;
	int file;
};

void user_begin(struct user *user);
void user_uses(const struct user *user, const struct fixture *fixture,
	       const struct object *object);
void user_end(struct user *user);

#endif
