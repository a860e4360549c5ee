// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A place that fails has changed nothing: an object that is in its own way in VRAM, and so
 * has to leave it first, is in VRAM afterwards, whatever came in between, and in a place as
 * good.
 */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "failing.h"
#include "fixture.h"
#include "vgem.h"

#define NR_SIGNALS	40

/* An attempt that a signal ended goes on to its end the next time. */
#define MOST_SIGNALS	3

/* Failures in a row, one allocation after the other; then every eighth one. */
#define NR_FAILURES	64
#define MOST_FAILURES	2000

static const struct place *apart = &places[4], *in_one_run = &places[7];

static volatile sig_atomic_t signals;

static void on_signal(int signal)
{
	(void)signal;
	signals++;
}

static timer_t make_timer(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		tap_bail("timer_create");
	return timer;
}

/* To where it is in its own way: in several parts, in most of what cannot be seen. */
static int put_apart(const struct fixture *fixture, const struct object *object)
{
	int ret = object_place(fixture, object, &places[0]);

	return ret ? ret : object_place_and_wait(fixture, object, apart);
}

static int place_once(const struct fixture *fixture, const struct object *object,
		      const struct place *place)
{
	struct drm_quire_bo_place argument = {
		.handle = object->handle,
		.segment = fixture->segments[place->segment].instance,
		.flags = place->flags,
	};

	return quire_ioctl_once(fixture->fd, DRM_IOCTL_QUIRE_BO_PLACE, &argument);
}

static bool is_in_vram(const struct fixture *fixture, const struct object *object)
{
	return object_segment(fixture, object) == DRM_QUIRE_SEGMENT_VRAM;
}

/* Moves from VRAM to anywhere. */
static uint64_t count_moves(const struct fixture *fixture)
{
	static const char *const names[] = { "vram->vram", "vram->aperture", "vram->system" };
	struct debugfs_counter counter = { 0 };
	uint64_t moves = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		debugfs_counter(fixture->debugfs, names[i], &counter);
		moves += counter.count;
	}
	return moves;
}

static void test_signals(const struct fixture *fixture, const struct object *object)
{
	struct itimerspec time = { 0 };
	timer_t timer = make_timer();
	unsigned int interrupted = 0, most = 0, gone = 0, moved = 0, meanwhile = 0, in_a_row;
	uint64_t random = 5, moves;
	int ret = 0;

	for (int i = 0; i < NR_SIGNALS && !ret; i++) {
		ret = put_apart(fixture, object);
		if (ret)
			break;
		for (in_a_row = 0; in_a_row < 100; in_a_row++) {
			time.it_value.tv_nsec = 1000 + random_below(&random, 10000000);
			/* to count takes longer than that on a slow machine */
			moves = count_moves(fixture);
			timer_settime(timer, 0, &time, NULL);
			meanwhile -= signals;
			ret = place_once(fixture, object, in_one_run);
			meanwhile += signals;
			moved += ret == -EINTR && count_moves(fixture) != moves;
			gone += !is_in_vram(fixture, object);
			if (ret != -EINTR)
				break;
		}
		interrupted += in_a_row;
		most = in_a_row > most ? in_a_row : most;
	}
	timer_delete(timer);
	tap_diag("%u signals, %u calls interrupted, up to %u in a row", meanwhile, interrupted,
		 most);
	tap_ret(ret, 0, "placed in one run, whatever signals come");
	tap_ok(meanwhile, "signals came while it moved");
	tap_ok(!gone, "it is in VRAM after each call");
	tap_ok(!moved, "it has not moved where one was interrupted");
	tap_ok(most <= MOST_SIGNALS, "one that was interrupted is made the next time");
}

/* Places it, with the @nth allocation failing; @reached: there was one. */
static int place_failing(const struct fixture *fixture, const struct object *object,
			 unsigned int nth, bool *reached)
{
	int ret;

	failing_arm(nth);
	ret = place_once(fixture, object, in_one_run);
	*reached = failing_disarm();
	return ret;
}

static void test_failures(const struct fixture *fixture, const struct object *object)
{
	unsigned int failed = 0, gone = 0, wrong = 0, nth;
	bool reached = true;
	int ret = 0;

	if (!failing_begin()) {
		tap_skip("the kernel has no fault injection", "out of memory");
		return;
	}
	for (nth = 1; reached && nth < MOST_FAILURES && !ret; nth += nth < NR_FAILURES ? 1 : 8) {
		ret = put_apart(fixture, object);
		if (ret)
			break;
		ret = place_failing(fixture, object, nth, &reached);
		failed += ret == -ENOMEM;
		wrong += ret && ret != -ENOMEM;
		gone += !is_in_vram(fixture, object);
		ret = 0;
	}
	failing_end();
	tap_diag("%u allocations, %u of their failures failed the place", nth, failed);
	tap_ret(ret, 0, "placed each time that memory is there");
	tap_ok(failed, "some failed for want of memory");
	tap_ok(!wrong, "and for nothing else");
	tap_ok(!gone, "a failed place leaves it in VRAM");
}

enum { FILLER, BUSY, OBJECT, NR_OBJECTS };

/*
 * Most of what can not be seen is busy. In what can be seen the filler is where an object
 * would begin that need not be in one run.
 */
static int fill_invisible(const struct fixture *fixture, struct object *objects)
{
	uint64_t visible = fixture_visible(fixture);
	uint64_t invisible = fixture_vram(fixture) - visible;

	return quire_bo_create(fixture->fd, visible / 16, &objects[FILLER].handle) ?:
	       object_place_and_wait(fixture, &objects[FILLER], &places[3]) ?:
	       object_create(fixture, &objects[OBJECT], visible / 8 * 3, 1) ?:
	       object_place_and_wait(fixture, &objects[OBJECT], &places[6]) ?:
	       quire_bo_create(fixture->fd, invisible - visible / 4, &objects[BUSY].handle) ?:
	       object_place_and_wait(fixture, &objects[BUSY], apart);
}

/* The middle of what can be seen is busy; the object is in front of it and behind it. */
static int fill_middle(const struct fixture *fixture, struct object *objects)
{
	uint64_t visible = fixture_visible(fixture);

	return quire_bo_create(fixture->fd, visible / 2, &objects[FILLER].handle) ?:
	       object_place_and_wait(fixture, &objects[FILLER], &places[3]) ?:
	       quire_bo_create(fixture->fd, visible / 16, &objects[BUSY].handle) ?:
	       object_place_and_wait(fixture, &objects[BUSY], &places[3]) ?:
	       object_place_and_wait(fixture, &objects[FILLER], &places[0]) ?:
	       object_create(fixture, &objects[OBJECT], visible / 8 * 5, 1) ?:
	       object_place_and_wait(fixture, &objects[OBJECT], &places[3]);
}

/* Sends a signal to this process when it waits for others. */
static pid_t start_signalling(void)
{
	pid_t parent = getpid(), pid = child_start(60);
	bool waits;

	if (pid)
		return pid;
	waits = child_gets_within(parent, "quire_validation_wait", WAIT_MS);
	kill(parent, SIGUSR1);
	_exit(!waits);
}

/*
 * It has left VRAM, and finds no room where it shall go, for somebody else is at work with
 * what is in the way.
 */
static void find_no_room(const struct fixture *fixture, const struct object *objects,
			 const struct place *place)
{
	const struct object *object = &objects[OBJECT];
	uint64_t moves = count_moves(fixture);
	int vgem = vgem_open();
	uint32_t fence;
	pid_t pid;

	tap_ret(vgem_attach_fence(vgem, fixture->fd, objects[BUSY].handle, &fence), 0,
		"somebody else is at work");
	pid = start_signalling();
	tap_ret(place_once(fixture, object, place), -EINTR, "a signal ends the wait for him");
	tap_ret(child_status(pid), 0, "which came while it waited");
	tap_ok(count_moves(fixture) > moves, "the object has left VRAM");
	tap_ok(object_is_at(fixture, object, &places[3]), "the CPU sees it in VRAM as before");
	tap_ret(vgem_signal_fence(vgem, fence), 0, "the other one is done");
	close(vgem);
}

static void close_all(const struct fixture *fixture, struct object *objects)
{
	tap_ret(object_check(fixture, &objects[OBJECT]), 0, "the content is whole");
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		object_close(fixture, &objects[i]);
	tap_ok(fixture_settles(fixture, fixture->segments), "usage is what it was");
}

/* To where the CPU does not see it; it comes back in one run. */
static void test_run(const struct fixture *fixture)
{
	struct object objects[NR_OBJECTS];
	uint64_t moves;

	tap_ret(fill_invisible(fixture, objects), 0, "fill what can not be seen");
	find_no_room(fixture, objects, apart);
	moves = count_moves(fixture);
	tap_ret(object_place_and_wait(fixture, &objects[OBJECT], &places[6]), 0, "into one run");
	tap_ok(count_moves(fixture) == moves, "it was in one run as before");
	close_all(fixture, objects);
}

/* Into one run of what can be seen; it comes back there, where there is less room. */
static void test_visible(const struct fixture *fixture)
{
	struct object objects[NR_OBJECTS];

	tap_ret(fill_middle(fixture, objects), 0, "fill what can be seen");
	find_no_room(fixture, objects, &places[6]);
	close_all(fixture, objects);
}

static void test_no_room(const struct fixture *fixture)
{
	int vgem = vgem_open();

	if (vgem >= 0 && *fixture->debugfs) {
		test_run(fixture);
		test_visible(fixture);
	} else {
		tap_skip("no vgem or no debugfs", "others hold the room");
	}
	close(vgem);
}

int main(void)
{
	const struct sigaction action = { .sa_handler = on_signal };
	struct object object = { 0 };
	struct fixture fixture;
	uint64_t invisible;

	tap_start(120);
	sigaction(SIGUSR1, &action, NULL);
	fixture_open(&fixture);
	invisible = fixture_vram(&fixture) - fixture_visible(&fixture);
	if (!invisible)
		tap_skip_all("all of VRAM is visible");
	test_no_room(&fixture);
	tap_ret(object_create(&fixture, &object, invisible / 6 * 5 / QUIRE_PAGE * QUIRE_PAGE, 1),
		0, "create");
	test_signals(&fixture, &object);
	test_failures(&fixture, &object);
	tap_ret(object_check(&fixture, &object), 0, "the content is whole");
	object_close(&fixture, &object);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
