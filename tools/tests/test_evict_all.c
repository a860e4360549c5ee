// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Everything is evicted: whoever asked for it, as suspend does, goes on when all of it has been
 * moved. Many programs place small objects meanwhile, one after the other, for ever: it ends,
 * and they go on. Hibernation does the same before programs are frozen.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

#define NR_PLACERS	16
#define NR_OBJECTS	64	/* of each, one page */
#define ROUNDS		3

/* It took for ever, while programs placed; it takes a second or two on a slow machine. */
#define LONGEST_MS	15000

/* A move that hangs for a moment is waited for, too. */
static void test_waits(const struct fixture *fixture)
{
	static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
	struct object object;

	if (!(fixture->info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)) {
		tap_skip("the CPU copies", "a move that hangs");
		return;
	}
	tap_ret(object_create(fixture, &object, QUIRE_MIB, 1), 0, "create");
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "place it in VRAM");
	test_parameter("hang_period", 500);
	fixture_inject(fixture, "hang 1");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict everything");
	tap_ret(quire_bo_wait(fixture->fd, object.handle, 0), 0, "it is in its new place");
	test_parameter("hang_period", 3000);
	tap_ret(object_check(fixture, &object), 0, "the content is whole");
	object_close(fixture, &object);
}

static bool is_fair(void)
{
	char text[8] = "";

	return sysfs_parameter_read("fair_placement", text, sizeof(text)) > 0 && text[0] == 'Y';
}

static void place_forever(void)
{
	uint32_t handles[NR_OBJECTS];
	struct fixture fixture;

	fixture_open(&fixture);
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		if (quire_bo_create(fixture.fd, QUIRE_PAGE, &handles[i]))
			_exit(1);
	for (unsigned int i = 0;; i++)
		if (quire_bo_place(fixture.fd, handles[i % NR_OBJECTS],
				   DRM_QUIRE_SEGMENT_VRAM, 0))
			_exit(1);
}

static void start_placers(pid_t placers[NR_PLACERS])
{
	for (unsigned int i = 0; i < NR_PLACERS; i++) {
		placers[i] = child_start(120);
		if (!placers[i])
			place_forever();
	}
}

/* Returns false if one of them has ended before: it could not place. */
static bool stop_placers(const pid_t placers[NR_PLACERS])
{
	bool all = true;

	for (unsigned int i = 0; i < NR_PLACERS; i++) {
		int status;

		kill(placers[i], SIGKILL);
		waitpid(placers[i], &status, 0);
		all &= WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	}
	return all;
}

/* Returns when it has ended, or has taken too long: it is not waited for then. */
static pid_t evict(const struct fixture *fixture, unsigned int round)
{
	int64_t start = quire_now_ns();
	pid_t ended = 0, pid;
	int status = 0;

	pid = child_start(120);
	if (!pid)
		_exit(-debugfs_write(fixture->debugfs, "evict_all", "1"));
	while (!ended && quire_now_ns() - start < LONGEST_MS * 1000000ll) {
		test_sleep_ms(10);
		ended = waitpid(pid, &status, WNOHANG);
	}
	tap_ok(ended == pid, "round %u ends (%lld ms)", round,
	       (long long)(quire_now_ns() - start) / 1000000);
	tap_ret(WEXITSTATUS(status), 0, "and well");
	return ended ? 0 : pid;
}

int main(void)
{
	pid_t placers[NR_PLACERS], left = 0;
	struct fixture fixture;

	tap_start(150);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!is_fair())
		tap_skip_all("placements take no turns");
	test_waits(&fixture);
	start_placers(placers);
	test_sleep_ms(1000);
	for (unsigned int i = 0; i < ROUNDS && !left; i++)
		left = evict(&fixture, i + 1);
	tap_ok(stop_placers(placers), "nobody's placement failed");
	if (left)
		waitpid(left, NULL, 0);
	tap_ok(fixture_settles(&fixture, fixture.segments), "nothing is left");
	return tap_done();
}
