// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Signals end waits and moves at any time, and nothing is lost. */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "ticks.h"
#include "user.h"
#include "vgem.h"

#define NR_OBJECTS	48
#define RUN_MS		4000

static volatile sig_atomic_t signals;

/* Where each signal leaves a byte, if somebody waits for one. */
static int caught[2] = { -1, -1 };

static void on_signal(int signal)
{
	(void)signal;
	signals++;
	if (caught[1] >= 0 && write(caught[1], "", 1) < 0)
		_exit(2);
}

static void expect_signals(int flags)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };

	sigaction(SIGUSR1, &action, NULL);
}

static timer_t make_timer(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		tap_bail("timer_create");
	return timer;
}

/* One signal, soon; but on a slow machine it takes longer until there is a wait. */
static void arm(timer_t timer, uint64_t *random)
{
	uint64_t most = 2000000 << random_below(random, 6);
	struct itimerspec time = { .it_value.tv_nsec = 1000 + random_below(random, most) };

	timer_settime(timer, 0, &time, NULL);
}

/**
 * struct run - what happened
 * @random: state
 * @places: that a signal ended
 * @waits: that a signal ended
 * @done: ioctls that no signal ended
 * @error: what else came back
 */
struct run {
	uint64_t random;
	unsigned int places;
	unsigned int waits;
	unsigned int done;
	int error;
};

/* Again until no signal comes in its way. */
static void once(const struct fixture *fixture, unsigned long request, void *argument,
		 struct run *run, unsigned int *interrupted)
{
	int ret;

	do {
		ret = quire_ioctl_once(fixture->fd, request, argument);
		*interrupted += ret == -EINTR;
	} while (ret == -EINTR);
	if (ret)
		run->error = ret;
	else
		run->done++;
}

static void place_and_wait(const struct fixture *fixture, const struct object *object,
			   const struct place *place, struct run *run)
{
	struct drm_quire_bo_place argument = { .handle = object->handle, .flags = place->flags };
	struct drm_quire_bo_wait wait = {
		.handle = object->handle,
		.timeout_ns = quire_now_ns() + WAIT_MS * 1000000ll,
	};

	argument.segment = fixture->segments[place->segment].instance;
	once(fixture, DRM_IOCTL_QUIRE_BO_PLACE, &argument, run, &run->places);
	if (run->error)
		tap_diag("%llu bytes to %s", (unsigned long long)object->size, place->name);
	else
		once(fixture, DRM_IOCTL_QUIRE_BO_WAIT, &wait, run, &run->waits);
}

static void run_for(const struct fixture *fixture, const struct object *objects,
		    unsigned int milliseconds, struct run *run)
{
	int64_t end = quire_now_ns() + milliseconds * 1000000ll;
	timer_t timer = make_timer();

	while (quire_now_ns() < end && !run->error) {
		const struct object *object = &objects[random_below(&run->random, NR_OBJECTS)];
		const struct place *place = &places[random_below(&run->random, NR_PLACES)];

		if (!fixture_has_place(fixture, place, object->size))
			continue;
		arm(timer, &run->random);
		place_and_wait(fixture, object, place, run);
	}
	timer_delete(timer);
}

/* What is interrupted, and how often, is up to the machine. */
static void test_flags(const struct fixture *fixture, const struct object *objects, int flags,
		       const char *name)
{
	struct run run = { .random = 3 };

	signals = 0;
	expect_signals(flags);
	run_for(fixture, objects, RUN_MS, &run);
	tap_diag("%s: %d signals, %u ioctls done, %u places and %u waits interrupted", name,
		 (int)signals, run.done, run.places, run.waits);
	tap_ret(run.error, 0, "%s: nothing but EINTR comes of signals", name);
	tap_ok(signals && run.done, "%s: there were signals and moves", name);
	if (flags & SA_RESTART)
		tap_ok(!run.places && !run.waits, "%s: nothing was interrupted", name);
}

/*
 * A wait that does not end before the signal comes: commands are at work with the object. Calls are
 * not restarted, as in the test before.
 */
static void test_wait(const struct fixture *fixture, const struct object *object)
{
	struct drm_quire_bo_wait wait = { .handle = object->handle, .timeout_ns = INT64_MAX };
	struct user user;
	pid_t pid;

	if (!*fixture->debugfs || !fixture->info.execution_rings) {
		tap_skip("no debugfs, or not root, or no commands", "a wait is interrupted");
		return;
	}
	user_begin(&user);
	user_uses(&user, fixture, object);
	pid = tick_within(on_signal, "dma_resv_wait_timeout");
	tap_ret(quire_ioctl_once(fixture->fd, DRM_IOCTL_QUIRE_BO_WAIT, &wait), -EINTR,
		"a signal ends a wait");
	tap_ret(child_status(pid), 0, "which has begun before");
	user_end(&user);
	tap_ret(quire_ioctl_once(fixture->fd, DRM_IOCTL_QUIRE_BO_WAIT, &wait), 0, "again");
}

/* Evicts everything, or ends the fence as soon as a signal was caught. */
static pid_t start(const struct fixture *fixture, int vgem, uint32_t fence)
{
	pid_t pid = child_start(60);
	char byte;

	if (pid)
		return pid;
	if (vgem < 0)
		_exit(!!debugfs_write(fixture->debugfs, "evict_all", "1"));
	_exit(read(caught[0], &byte, 1) != 1 || vgem_signal_fence(vgem, fence));
}

/*
 * Somebody else evicts an object that is in use, and holds it until it is not. Whoever
 * needs its room waits for him, and a signal that restarts calls does not end that.
 */
static void test_victim(const struct fixture *fixture)
{
	struct object victim, object = { .size = fixture_vram(fixture) };
	struct drm_quire_bo_place place = {
		.segment = fixture->segments[DRM_QUIRE_SEGMENT_VRAM].instance,
	};
	struct itimerspec time = { .it_value.tv_nsec = 500000000 };
	int vgem = vgem_open();
	pid_t evictor, other;
	uint32_t fence;
	timer_t timer;

	if (vgem < 0 || !*fixture->debugfs ||
	    !(fixture->info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)) {
		tap_skip("no vgem, no debugfs, or the CPU copies", "wait for a victim");
		return;
	}
	tap_ret(object_create(fixture, &victim, QUIRE_MIB, 1), 0, "create");
	tap_ret(object_place_and_wait(fixture, &victim, &places[2]), 0, "place it in VRAM");
	tap_ret(quire_bo_madvise(fixture->fd, victim.handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"DONTNEED");
	tap_ret(vgem_attach_fence(vgem, fixture->fd, victim.handle, &fence), 0,
		"somebody else uses it");
	tap_ret(quire_bo_create(fixture->fd, object.size, &place.handle), 0, "create a large one");
	if (pipe(caught))
		tap_bail("pipe");
	evictor = start(fixture, -1, 0);
	other = start(fixture, vgem, fence);
	test_sleep_ms(500);
	signals = 0;
	timer = make_timer();
	timer_settime(timer, 0, &time, NULL);
	tap_ret(quire_ioctl_once(fixture->fd, DRM_IOCTL_QUIRE_BO_PLACE, &place), 0,
		"place it where a victim is in use");
	tap_ok(signals == 1, "a signal came meanwhile");
	tap_ok(!child_status(evictor) && !child_status(other), "the others are done");
	timer_delete(timer);
	close(caught[0]);
	close(caught[1]);
	caught[1] = -1;
	quire_bo_close(fixture->fd, place.handle);
	object_close(fixture, &victim);
	close(vgem);
}

static int create_all(const struct fixture *fixture, struct object *objects)
{
	uint64_t size = fixture_vram(fixture) / 24;
	int ret = 0;

	if (size > fixture_visible(fixture) / 4)
		size = fixture_visible(fixture) / 4;
	size -= size % QUIRE_PAGE;
	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = object_create(fixture, &objects[i], size, i);
	return ret;
}

int main(void)
{
	struct object objects[NR_OBJECTS];
	struct fixture fixture;
	unsigned int wrong = 0;

	tap_start(600);
	fixture_open(&fixture);
	tap_ret(create_all(&fixture, objects), 0, "create twice as much as VRAM");
	test_flags(&fixture, objects, 0, "handler");
	test_wait(&fixture, &objects[0]);
	test_flags(&fixture, objects, SA_RESTART, "restarting handler");
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		wrong += !!object_check(&fixture, &objects[i]);
	tap_ok(!wrong, "the content of all objects is whole");
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		object_close(&fixture, &objects[i]);
	test_victim(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
