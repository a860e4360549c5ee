// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Who places something in VRAM hands out first what others have lost there. A signal may come
 * before there is a paging buffer for that: it is handed out later, all of it. Root only.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/time.h>

#include "fixture.h"

#define NR_DEAD		16
#define SIGNAL_MS	15

/* The pool has room for 2048 moves. */
#define MOST_MOVES	4096

/* The device stands still for longer than all of this takes, or until somebody looks sooner. */
#define HANG_MS		50000
#define SOON_MS		500

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

/* There and back, until a move has to wait for a buffer. */
static int fill_pool(const struct fixture *fixture, const struct object *object)
{
	int ret = 0;

	for (unsigned int i = 0; i < MOST_MOVES && !ret; i++)
		ret = place_once(fixture, object, i % 2 ? &system_memory : &aperture);
	return ret;
}

static uint64_t discarded(const struct fixture *fixture)
{
	struct debugfs_counter counter = { 0 };

	debugfs_counter(fixture->debugfs, "DISCARD_CONTENT", &counter);
	return counter.bytes;
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

int main(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct object dead[NR_DEAD], next[NR_DEAD], filling;
	struct fixture fixture;
	uint64_t before;

	tap_start(100);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	tap_ret(create_all(&fixture, dead, next), 0, "objects in VRAM");
	tap_ret(object_create(&fixture, &filling, QUIRE_PAGE, 0), 0, "another one");
	fixture_flush_discards(&fixture);
	before = discarded(&fixture);
	test_parameter("hang_period", HANG_MS);
	fixture_inject(&fixture, "hang 1");
	sigaction(SIGALRM, &action, NULL);
	signal_every(SIGNAL_MS);
	tap_ret(fill_pool(&fixture, &filling), -EINTR, "all paging buffers are in use");
	tap_ok(interrupt(&fixture, dead, next) == NR_DEAD,
	       "a signal comes to each who has to discard");
	signal_every(0);
	tap_ok(discarded(&fixture) == before, "nothing could be discarded");
	test_parameter("hang_period", SOON_MS);
	tap_ret(quire_bo_wait(fixture.fd, filling.handle, WAIT_MS), 0, "the device goes on");
	fixture_flush_discards(&fixture);
	if (!tap_ok(discarded(&fixture) - before == NR_DEAD * QUIRE_PAGE, "all is discarded"))
		tap_diag("%" PRIu64 " bytes", discarded(&fixture) - before);
	test_parameter("hang_period", 3000);
	check_all(&fixture, next);
	object_close(&fixture, &filling);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
