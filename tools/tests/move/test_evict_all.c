// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Everything is evicted: whoever asked for it, as suspend does, goes on when all of it has been
 * moved. Many programs place small objects meanwhile, one after the other, for ever: it ends,
 * and they go on. Hibernation does the same before programs are frozen.
 */
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

#define NR_PLACERS	16
#define NR_OBJECTS	64	/* of each, one page */
#define ROUNDS		3
#define CHILD_S		200
#define HANG_MS		500

/* It took for ever, while programs placed. */
#define LONGEST_MS	WAIT_MS

/* A move that hangs for a moment is waited for, too. */
static void test_waits(const struct fixture *fixture)
{
	static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
	struct object object;
	int64_t start;

	if (!(fixture->info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)) {
		tap_skip("the CPU copies", "a move that hangs");
		return;
	}
	tap_ret(object_create(fixture, &object, QUIRE_MIB, 1), 0, "create");
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "place it in VRAM");
	test_parameter("hang_period", HANG_MS);
	fixture_inject(fixture, "hang 1");
	start = quire_now_ns();
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict everything");
	tap_ok(quire_now_ns() - start > HANG_MS / 2 * 1000000ll, "which waits for it");
	tap_ret(quire_bo_wait(fixture->fd, object.handle, INTERRUPT_MS), 0,
		"it is in its new place");
	test_parameter("hang_period", 3000);
	tap_ret(object_check(fixture, &object), 0, "the content is whole");
	object_close(fixture, &object);
}

static bool is_fair(void)
{
	char text[8] = "";

	return sysfs_parameter_read("fair_placement", text, sizeof(text)) > 0 && text[0] == 'Y';
}

/* @placing: to count this process in when it has placed once */
static void place_forever(atomic_uint *placing)
{
	uint32_t handles[NR_OBJECTS];
	struct fixture fixture;

	fixture_open(&fixture);
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		if (quire_bo_create(fixture.fd, QUIRE_PAGE, &handles[i]))
			_exit(1);
	for (unsigned int i = 0;; i++) {
		if (quire_bo_place(fixture.fd, handles[i % NR_OBJECTS],
				   DRM_QUIRE_SEGMENT_VRAM, 0))
			_exit(1);
		if (!i)
			atomic_fetch_add(placing, 1);
	}
}

/* Returns when each of them has placed once. */
static void start_placers(pid_t placers[NR_PLACERS])
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;
	atomic_uint *placing = mmap(NULL, sizeof(*placing), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (placing == MAP_FAILED)
		tap_bail("mmap");
	for (unsigned int i = 0; i < NR_PLACERS; i++) {
		placers[i] = child_start(CHILD_S);
		if (!placers[i])
			place_forever(placing);
	}
	while (atomic_load(placing) < NR_PLACERS && quire_now_ns() < end)
		test_sleep_ms(10);
	tap_ok(atomic_load(placing) == NR_PLACERS, "all of them place");
	munmap(placing, sizeof(*placing));
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

	pid = child_start(CHILD_S);
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

	tap_start(250);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!is_fair())
		tap_skip_all("placements take no turns");
	test_waits(&fixture);
	start_placers(placers);
	for (unsigned int i = 0; i < ROUNDS && !left; i++)
		left = evict(&fixture, i + 1);
	tap_ok(stop_placers(placers), "nobody's placement failed");
	if (left)
		waitpid(left, NULL, 0);
	tap_ok(fixture_settles(&fixture, fixture.segments), "nothing is left");
	return tap_done();
}
