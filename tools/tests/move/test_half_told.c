// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A signal ends a move when the device was told a part of where the object comes to: it is told
 * again where the object is. Root only.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

#define PIECES		1000u	/* pages of the object, none behind the other: 32 notices */
#define NOTICES		32u
#define SIZE		(PIECES * QUIRE_PAGE)

/*
 * Each takes 256 bytes of the pool, which leaves 100 KiB: in one part, or in two, at its end and at
 * its begin. So there is room for the 48 KiB of the copy in either case, and then for some of the
 * notices, but not for all: those have more than 80 KiB.
 */
#define NR_FILLING	((512 - 100) * 1024 / 256)

/* The device stands still until it is let go, however long the rest takes. */
#define LONG_MS		600000
#define LET_GO_S	300	/* ends a process that waits for what does not come */

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };

static struct object pieces[2 * PIECES], filling[NR_FILLING];

/* Of VRAM every second page is free, and nothing else. */
static void leave_holes(const struct fixture *fixture, struct object *rest)
{
	int ret = object_create(fixture, rest, fixture_vram(fixture) - 2 * SIZE, 1) ?:
		  object_place_and_wait(fixture, rest, &vram);

	for (unsigned int i = 0; i < 2 * PIECES && !ret; i++)
		ret = quire_bo_create(fixture->fd, QUIRE_PAGE, &pieces[i].handle) ?:
		      object_place(fixture, &pieces[i], &vram);
	tap_ret(ret, 0, "VRAM is full");
	for (unsigned int i = 0; i < 2 * PIECES; i += 2)
		object_close(fixture, &pieces[i]);
	tap_ok(fixture_comes_down(fixture, vram.segment, fixture_vram(fixture) - SIZE),
	       "every second page is free");
}

/* The device stands still, and there is room for a copy and a little more. */
static void fill_pool(const struct fixture *fixture)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_FILLING && !ret; i++)
		ret = quire_bo_create(fixture->fd, QUIRE_PAGE, &filling[i].handle);
	test_parameter("hang_period", LONG_MS);
	fixture_inject(fixture, "hang 1");
	for (unsigned int i = 0; i < NR_FILLING && !ret; i++)
		ret = object_place(fixture, &filling[i], &aperture);
	tap_ret(ret, 0, "the pool is almost full");
}

static pid_t start_interrupter(void)
{
	pid_t pid = child_start(LET_GO_S);

	if (pid)
		return pid;
	_exit(!fixture_interrupt_half_way(getppid(), "3000"));
}

static void on_signal(int signal)
{
	(void)signal;
}

static int place_interrupted(const struct fixture *fixture, const struct object *object)
{
	struct drm_quire_bo_place argument = {
		.handle = object->handle, .segment = fixture->segments[vram.segment].instance,
	};
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	return quire_ioctl_once(fixture->fd, DRM_IOCTL_QUIRE_BO_PLACE, &argument);
}

static void test_half_told(const struct fixture *fixture)
{
	struct object object, rest;
	uint64_t told;
	pid_t pid;

	leave_holes(fixture, &rest);
	tap_ret(object_create(fixture, &object, SIZE, 2) ?:
		object_place_and_wait(fixture, &object, &aperture), 0, "one in the aperture");
	tap_ok(fixture_residency_is_right(fixture), "the device knows that");
	told = fixture_count(fixture, "NOTIFY_RESIDENCY2");
	fill_pool(fixture);
	pid = start_interrupter();
	tap_ret(place_interrupted(fixture, &object), -EINTR, "a signal ends its way to VRAM");
	tap_ret(child_status(pid), 0, "a process has interrupted it half way");
	told = fixture_count(fixture, "NOTIFY_RESIDENCY2") - told;
	tap_ok(told && told < NOTICES, "some of it was told (%u)", (unsigned int)told);
	tap_ok(object_is_at(fixture, &object, &aperture), "it is where it was");
	tap_ok(fixture_residency_is_right(fixture), "and the device knows that");
	for (unsigned int i = 0; i < NR_FILLING; i++)
		object_close(fixture, &filling[i]);
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "to VRAM, to the end");
	tap_ok(fixture_residency_is_right(fixture), "the device knows that, too");
	tap_ret(object_check(fixture, &object), 0, "it is whole");
	object_close(fixture, &object);
	object_close(fixture, &rest);
	for (unsigned int i = 1; i < 2 * PIECES; i += 2)
		object_close(fixture, &pieces[i]);
}

int main(void)
{
	struct fixture fixture;

	tap_start(250);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	test_half_told(&fixture);
	test_parameter("hang_period", 3000);
	tap_ok(fixture_settles(&fixture, fixture.segments), "nothing is left");
	return tap_done();
}
