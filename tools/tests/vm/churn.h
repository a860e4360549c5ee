/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Processes that are at work in address spaces, and look at all that they do. */
#ifndef QUIRE_TEST_CHURN_H
#define QUIRE_TEST_CHURN_H

#include <stdatomic.h>
#include <sys/types.h>

#include "fixture.h"

#define CHURN_PROCESSES	3u

/**
 * struct churn - all of them
 * @pids: of them
 * @shared: what they see, too: they are to end; how many turns each has made, all of them right
 *
 * One that hears that the device is gone, from a call or by SIGBUS, ends with ENODEV.
 */
struct churn {
	pid_t pids[CHURN_PROCESSES];
	struct {
		atomic_bool stop;
		atomic_uint turns[CHURN_PROCESSES];
	} *shared;
};

void churn_start(struct churn *churn, unsigned int seconds);
bool churn_has_made(const struct churn *churn, unsigned int turns);
bool churn_goes_on(const struct churn *churn, unsigned int turns);
void churn_end(struct churn *churn, int expected, const char *name);

#endif
