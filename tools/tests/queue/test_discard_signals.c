// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Who places something in VRAM hands out first what others have lost there. A signal may come
 * before there is a paging buffer for that: it is handed out later, all of it. And who waits
 * for the end of what is at work where something is dropped waits no more. Root only.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

#define NR_DEAD		16
#define SIGNAL_MS	15

/* The pool has room for 2048 moves. */
#define MOST_MOVES	4096
#define MOST_SPARE	2

/* The device stands still for longer than all of this takes, or until somebody looks sooner. */
#define HANG_MS		600000
#define SOON_MS		500

/* From the signal on. A process that waits for the device takes longer. */
#define DIES_MS		100000

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

static void on_signal(int signal)
{
	(void)signal;
}

static void signal_every(unsigned int milliseconds)
{
	struct timeval period = { .tv_usec = milliseconds * 1000 };
	struct itimerval timer = { period, period };

	setitimer(ITIMER_REAL, &timer, NULL);
}

/* A signal ends it. Who tries again will not be interrupted. */
static int place_once(const struct fixture *fixture, const struct object *object,
		      const struct place *place)
{
	struct drm_quire_bo_place argument = {
		.handle = object->handle,
		.segment = fixture->segments[place->segment].instance,
	};

	return quire_ioctl_once(fixture->fd, DRM_IOCTL_QUIRE_BO_PLACE, &argument);
}

/* There and back, @most times, or until a move has to wait for a buffer. *@moves: how often. */
static int fill_pool(const struct fixture *fixture, const struct object *object, unsigned int most,
		     unsigned int *moves)
{
	int ret = 0;

	for (*moves = 0; *moves < most && !ret; *moves += !ret)
		ret = place_once(fixture, object, *moves % 2 ? &system_memory : &aperture);
	return ret;
}

static uint64_t discarded(const struct fixture *fixture)
{
	struct debugfs_counter counter = { 0 };

	debugfs_counter(fixture->debugfs, "DISCARD_CONTENT", &counter);
	return counter.bytes;
}

/* What is dead is freed beside, and discarded a little later. */
static bool is_all_discarded(const struct fixture *fixture, uint64_t before, uint64_t bytes)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	while (discarded(fixture) - before < bytes && quire_now_ns() < end)
		test_sleep_ms(5);
	fixture_flush_discards(fixture);
	return discarded(fixture) - before == bytes;
}

static int create_all(const struct fixture *fixture, struct object *dead, struct object *next)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_DEAD && !ret; i++) {
		ret = object_create(fixture, &dead[i], QUIRE_PAGE, i);
		if (!ret)
			ret = object_place_and_wait(fixture, &dead[i], &vram);
		if (!ret)
			ret = object_create(fixture, &next[i], QUIRE_PAGE, NR_DEAD + i);
	}
	return ret;
}

/* Each time one more of them is dead. */
static unsigned int interrupt(const struct fixture *fixture, struct object *dead,
			      const struct object *next)
{
	unsigned int interrupted = 0;

	for (unsigned int i = 0; i < NR_DEAD; i++) {
		object_close(fixture, &dead[i]);
		interrupted += place_once(fixture, &next[i], &vram) == -EINTR;
	}
	return interrupted;
}

static void check_all(const struct fixture *fixture, struct object *next)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_DEAD; i++) {
		if (!ret)
			ret = object_place_and_wait(fixture, &next[i], &vram);
		if (!ret)
			ret = object_check(fixture, &next[i]);
		object_close(fixture, &next[i]);
	}
	tap_ret(ret, 0, "who came next gets there, and is whole");
}

/*
 * All paging buffers are in use, but for those of @spare moves of @most. One buffer tells the
 * device which objects have left VRAM, and the discard of their places needs the next one. Returns
 * how many moves there was room for.
 */
static unsigned int test_batch(const struct fixture *fixture, unsigned int most, unsigned int spare)
{
	struct object dead[NR_DEAD], next[NR_DEAD], filling;
	unsigned int moves, interrupted;
	uint64_t before;

	tap_ret(create_all(fixture, dead, next), 0, "objects in VRAM");
	tap_ret(object_create(fixture, &filling, QUIRE_PAGE, 0), 0, "another one");
	fixture_flush_discards(fixture);
	before = discarded(fixture);
	test_parameter("hang_period", HANG_MS);
	fixture_inject(fixture, "hang 1");
	signal_every(SIGNAL_MS);
	tap_ret(fill_pool(fixture, &filling, most - spare, &moves), spare ? 0 : -EINTR,
		"paging buffers are in use, but for those of %u moves", spare);
	interrupted = interrupt(fixture, dead, next);
	tap_ok(spare ? interrupted : interrupted == NR_DEAD,
	       "a signal comes to %u who have to discard", interrupted);
	signal_every(0);
	tap_ok(discarded(fixture) == before, "nothing was discarded");
	test_parameter("hang_period", SOON_MS);
	tap_ret(quire_bo_wait(fixture->fd, filling.handle, WAIT_MS), 0, "the device goes on");
	if (!tap_ok(is_all_discarded(fixture, before, NR_DEAD * QUIRE_PAGE), "all is discarded"))
		tap_diag("%" PRIu64 " bytes", discarded(fixture) - before);
	test_parameter("hang_period", 3000);
	check_all(fixture, next);
	object_close(fixture, &filling);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
	return moves;
}

/* All of VRAM. */
static pid_t start_placing(void)
{
	struct object object = { 0 };
	struct fixture fixture;
	pid_t pid = child_start(60);

	if (pid)
		return pid;
	fixture_open(&fixture);
	if (!quire_bo_create(fixture.fd, fixture_vram(&fixture), &object.handle))
		object_place(&fixture, &object, &vram);
	_exit(0);
}

static bool is_dead(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) == pid;
}

static bool dies(pid_t pid)
{
	for (unsigned int ms = 0; ms < DIES_MS; ms += 10) {
		if (is_dead(pid))
			return true;
		test_sleep_ms(10);
	}
	return false;
}

/* What is offered is still on its way to VRAM, where somebody else needs the room. */
static void test_purge(const struct fixture *fixture)
{
	struct object offered;
	uint64_t before;
	pid_t pid;

	tap_ret(object_create(fixture, &offered, QUIRE_MIB, 1), 0, "an object");
	fixture_flush_discards(fixture);
	before = discarded(fixture);
	test_parameter("hang_period", HANG_MS);
	fixture_inject(fixture, "hang 1");
	tap_ret(object_place(fixture, &offered, &vram), 0, "on its way to VRAM");
	tap_ret(quire_bo_madvise(fixture->fd, offered.handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"nobody needs it");
	pid = start_placing();
	test_sleep_ms(500);
	tap_ok(!is_dead(pid), "who wants its place waits for its end");
	kill(pid, SIGKILL);
	tap_ok(dies(pid), "until he is killed");
	tap_ok(discarded(fixture) == before, "it is not discarded");
	test_parameter("hang_period", SOON_MS);
	tap_ret(quire_bo_wait(fixture->fd, offered.handle, WAIT_MS), 0, "the device goes on");
	object_close(fixture, &offered);
	tap_ok(fixture_settles(fixture, fixture->segments), "it is gone");
	if (!tap_ok(is_all_discarded(fixture, before, QUIRE_MIB), "now it is discarded, once"))
		tap_diag("%" PRIu64 " bytes", discarded(fixture) - before);
	test_parameter("hang_period", 3000);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct fixture fixture;
	unsigned int most;

	tap_start(150);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	sigaction(SIGALRM, &action, NULL);
	most = test_batch(&fixture, MOST_MOVES, 0);
	for (unsigned int spare = 1; spare <= MOST_SPARE; spare++)
		test_batch(&fixture, most, spare);
	test_purge(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
