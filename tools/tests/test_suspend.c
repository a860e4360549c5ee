// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The machine's devices are suspended and resumed, and a hibernation is prepared, without
 * the machine (pm_test): what was in VRAM is in system memory afterwards, and whole.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "failing.h"
#include "fixture.h"

#define SUSPEND_DELAY	"/sys/module/suspend/parameters/pm_test_delay"
#define SIZE		(64 * QUIRE_PAGE)

static const struct place *const everywhere[] = {
	&places[0], &places[1], &places[2], &places[3],
};

#define NR_OBJECTS	ARRAY_SIZE(everywhere)

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

static bool suspend_begin(void)
{
	return failing_write("/sys/power/pm_test", "devices") && failing_write(SUSPEND_DELAY, "0");
}

static void suspend_end(void)
{
	failing_write("/sys/power/pm_test", "none");
}

static int power_state(const char *state)
{
	return failing_write("/sys/power/state", state) ? 0 : -errno;
}

static int place_all(const struct fixture *fixture, const struct object *objects)
{
	int ret = 0;

	for (size_t i = 0; i < NR_OBJECTS && !ret; i++)
		if (fixture_has_place(fixture, everywhere[i], SIZE))
			ret = object_place_and_wait(fixture, &objects[i], everywhere[i]);
	return ret;
}

static int check_all(const struct fixture *fixture, const struct object *objects)
{
	int ret = 0;

	for (size_t i = 0; i < NR_OBJECTS && !ret; i++)
		ret = object_check(fixture, &objects[i]);
	return ret;
}

static unsigned int count_out_of_system(const struct fixture *fixture,
					const struct object *objects)
{
	unsigned int count = 0;

	for (size_t i = 0; i < NR_OBJECTS; i++)
		count += object_segment(fixture, &objects[i]) != DRM_QUIRE_SEGMENT_SYSTEM;
	return count;
}

static void test_suspend(const struct fixture *fixture, const struct object *objects)
{
	tap_ret(place_all(fixture, objects), 0, "objects in all places");
	tap_ret(power_state("mem"), 0, "suspend and resume");
	tap_ret(count_out_of_system(fixture, objects), 0, "all of them are in system memory");
	tap_ret(place_all(fixture, objects), 0, "they go back");
	tap_ret(check_all(fixture, objects), 0, "and are whole");
}

static void test_hibernate(const struct fixture *fixture, const struct object *objects)
{
	tap_ret(power_state("disk"), 0, "prepare to hibernate");
	tap_ret(count_out_of_system(fixture, objects), 0, "all of them are in system memory");
	tap_ret(place_all(fixture, objects), 0, "they go back");
	tap_ret(check_all(fixture, objects), 0, "and are whole");
}

int main(void)
{
	struct object objects[NR_OBJECTS];
	struct fixture fixture;
	int ret = 0;

	tap_start(120);
	fixture_open(&fixture);
	if (has_share())
		tap_skip_all("a share of the host is mounted, which does not survive this");
	if (!suspend_begin())
		tap_skip_all("a kernel without pm_test, or not root");
	for (size_t i = 0; i < NR_OBJECTS && !ret; i++)
		ret = object_create(&fixture, &objects[i], SIZE, i + 1);
	tap_ret(ret, 0, "create");
	test_suspend(&fixture, objects);
	if (!failing_write("/sys/power/pm_test", "freezer"))
		tap_bail("pm_test");
	test_hibernate(&fixture, objects);
	suspend_end();
	for (size_t i = 0; i < NR_OBJECTS; i++)
		object_close(&fixture, &objects[i]);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
