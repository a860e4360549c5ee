// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "failing.h"
#include "power.h"

#define PM_TEST		"/sys/power/pm_test"
#define PM_TEST_DELAY	"/sys/module/suspend/parameters/pm_test_delay"
#define FREEZE_TIMEOUT	"/sys/power/pm_freeze_timeout"

/* 9p over virtio does not come back: who reads from such a file system waits for ever. */
static bool has_share(void)
{
	FILE *mounts = fopen("/proc/mounts", "re");
	char line[512];
	bool found = false;

	while (mounts && fgets(line, sizeof(line), mounts))
		found |= !!strstr(line, " 9p ");
	if (mounts)
		fclose(mounts);
	return found;
}

/**
 * power_begin - from now on, power_state() suspends devices and resumes them at once (pm_test)
 *
 * Returns: false if this kernel can not do that, this is not root, or a share of the host is
 * mounted.
 */
bool power_begin(void)
{
	/* in ms: a slow machine needs more than the usual 20 s until all processes stand still */
	return !has_share() && failing_write(PM_TEST, "devices") &&
	       failing_write(PM_TEST_DELAY, "0") && failing_write(FREEZE_TIMEOUT, "200000");
}

/**
 * power_state - put the machine to sleep, after power_begin() its devices only
 * @state: "mem" or "disk"
 *
 * Returns 0 when it is awake again, or a negative errno: it did not sleep.
 */
int power_state(const char *state)
{
	return failing_write("/sys/power/state", state) ? 0 : -errno;
}

/**
 * power_end - the machine sleeps as ever
 */
void power_end(void)
{
	failing_write(PM_TEST, "none");
	failing_write(FREEZE_TIMEOUT, "20000");
}
