// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "fixture.h"
#include "splitting.h"

static const char * const names[] = {
	"split_every_point", "split_lru", "split_seed", "split_max_bytes", "patch_commands_twice",
};

static pid_t guard;

/**
 * splitting_usual - turn all options of splitting off
 */
void splitting_usual(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
		debugfs_option_write(names[i], "0");
}

/**
 * splitting_begin - options of splitting may be set from now on
 *
 * They are what they were again when the test ends, however it does: a child sees to that.
 *
 * Returns: false if they can not be set.
 */
bool splitting_begin(void)
{
	sigset_t set;
	int signal;

	if (debugfs_option_write(names[0], "0"))
		return false;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	guard = child_start(0);
	if (!guard) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		sigwait(&set, &signal);
		splitting_usual();
		_exit(0);
	}
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return true;
}

/**
 * splitting_set - set an option
 * @name: of it
 * @value: number, or 0 and 1 for false and true
 *
 * Returns: true if it is set.
 */
bool splitting_set(const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return !debugfs_option_write(name, text);
}

/**
 * splitting_end - all is as usual again, after splitting_begin()
 */
void splitting_end(void)
{
	kill(guard, SIGTERM);
	tap_ret(child_status(guard), 0, "options are what they were");
}
