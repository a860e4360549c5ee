// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Moves that are described in parts, and the device stops in a middle one, or a signal comes
 * between two: content is whole, or reported lost as that of a short move.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dmabuf.h"
#include "fixture.h"
#include "kmsg.h"
#include "syncs.h"

#define PART		(16 * QUIRE_MIB)
#define SIZE		(3 * PART + QUIRE_PAGE)

#define PERIOD_MS	20000	/* time for the next fault to be asked for */

/* The device stands still until it is let go, however long the rest takes. */
#define LONG_MS		120000
#define SIGNAL_MS	3000
#define PROMPT_MS	(LONG_MS / 2)
#define LET_GO_S	300	/* ends a process that waits for what does not come */

/*
 * Buffers of 256 bytes, one for each MAP of a page. They leave 80 KiB: two parts of a MAP of
 * scattered pages have 33 KiB each, the third waits for room.
 */
#define NR_FILLING	((512 - 80) * 1024 / 256)

/* Every second one is a MAP of three such parts: more than there is room for. */
#define NR_FLOOD	20

static const struct place one_run = {
	"contiguous vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_CONTIGUOUS
};

static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * struct stop - where the device stops in a move, and what comes of it
 * @name: for messages
 * @from: where the object is
 * @to: where it goes
 * @restarts: hang_restarts
 * @commands: for "inject": the first before the move, the others each after the device has
 *            stopped again
 * @lost: it is given up
 */
struct stop {
	const char *name;
	const struct place *from;
	const struct place *to;
	unsigned int restarts;
	const char *commands[3];
	bool lost;
};

/*
 * A part into VRAM is one packet, into the aperture two. The aperture is restored by one
 * packet if nothing is mapped, else by one more for each of its parts; what is where follows.
 */
static const struct stop stops[] = {
	{ "a restart", &system_memory, &one_run, 1, { "hang 2" }, false },
	{ "a restart in each of two parts", &system_memory, &one_run, 1,
	  { "hang 2", "hang 2" }, false },
	{ "a reset", &system_memory, &one_run, 0, { "hang 2" }, false },
	{ "a fault", &system_memory, &one_run, 1, { "fault 3" }, false },
	{ "a restart on the way out", &one_run, &aperture, 1, { "hang 4" }, false },
	{ "a reset on the way out", &one_run, &aperture, 0, { "hang 4" }, false },
	{ "a reset on the way back", &aperture, &one_run, 0, { "hang 2" }, false },
	{ "given up", &system_memory, &one_run, 0, { "hang 2", "fault 2" }, true },
	{ "given up at the end", &system_memory, &one_run, 0, { "hang 4", "fault 2" }, true },
	{ "given up on the way out", &one_run, &system_memory, 0, { "hang 3", "fault 3" }, true },
};

static void expect_lost(const struct fixture *fixture, const struct object *object)
{
	bool retained = true;

	tap_ok(object_flags(fixture, object) & DRM_QUIRE_BO_PURGED, "its info says so");
	tap_ret(object_place(fixture, object, &one_run), -ENODATA, "it can not be placed");
	tap_ret(quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_WILLNEED, &retained),
		0, "WILLNEED");
	tap_ok(!retained, "says that it was lost");
	tap_ret(object_check_zero(fixture, object), 0, "it reads as zero");
	tap_ret(object_fill(fixture, object), 0, "new content");
	tap_ret(object_place_and_wait(fixture, object, &one_run), 0, "to VRAM");
	tap_ret(object_check(fixture, object), 0, "it is whole");
}

static void test_stop(const struct fixture *fixture, const struct object *object,
		      const struct stop *stop)
{
	struct fence_state state = { 0 };
	uint32_t syncobj = sync_create(fixture);
	int log, file;

	tap_ret(object_place_and_wait(fixture, object, stop->from), 0, "%s: from %s", stop->name,
		stop->from->name);
	fixture_flush_discards(fixture);
	test_parameter("hang_restarts", stop->restarts);
	log = kmsg_open();
	fixture_inject(fixture, stop->commands[0]);
	tap_ret(object_place_signal(fixture, object, stop->to, syncobj, 0), 0, "to %s",
		stop->to->name);
	for (unsigned int i = 1; i < ARRAY_SIZE(stop->commands) && stop->commands[i]; i++) {
		fixture_wait_hung(fixture);
		fixture_inject(fixture, stop->commands[i]);
	}
	tap_ret(quire_bo_wait(fixture->fd, object->handle, WAIT_MS), 0, "the move ends");
	tap_ret(kmsg_count(log, "is given up"), stop->lost, "submissions given up");
	file = sync_export(fixture, syncobj);
	tap_ret(fence_query(file, &state), 0, "ask its fence");
	tap_ret(state.status, stop->lost ? -EIO : 1, "it says how the move ended");
	if (stop->lost)
		expect_lost(fixture, object);
	else
		tap_ret(object_check(fixture, object), 0, "the content is whole");
	debugfs_write(fixture->debugfs, "inject", "hang 0");
	debugfs_write(fixture->debugfs, "inject", "fault 0");
	close(file);
	close(log);
}

static void test_stops(const struct fixture *fixture)
{
	struct object object;

	tap_ret(object_create(fixture, &object, SIZE, 3), 0, "an object of three parts and a page");
	test_parameter("hang_period", PERIOD_MS);
	for (size_t i = 0; i < ARRAY_SIZE(stops); i++)
		test_stop(fixture, &object, &stops[i]);
	test_parameter("hang_restarts", 1);
	test_parameter("hang_period", 3000);
	object_close(fixture, &object);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

static void on_signal(int signal)
{
	(void)signal;
}

/* A signal ends it. */
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

/* Returns what the call does, which a signal comes upon, and once more if it began late. */
static int place_interrupted(const struct fixture *fixture, const struct object *object,
			     const struct place *place)
{
	const struct itimerspec time = {
		.it_value.tv_sec = SIGNAL_MS / 1000, .it_interval.tv_sec = SIGNAL_MS / 1000,
	};
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	timer_t timer;
	int ret;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		tap_bail("timer_create");
	timer_settime(timer, 0, &time, NULL);
	ret = place_once(fixture, object, place);
	timer_delete(timer);
	return ret;
}

/* Lets the device stand still, and maps scattered pages until there is no room for a part. */
static pid_t start_flood(void)
{
	struct fixture fixture;
	struct object object;
	pid_t pid = child_start(60);

	if (pid)
		return pid;
	fixture_open(&fixture);
	if (dmabuf_import(fixture.fd, udmabuf_create_scattered(SIZE / QUIRE_PAGE, NULL),
			  &object.handle) ||
	    debugfs_write(fixture.debugfs, "inject", "hang 1"))
		_exit(1);
	for (size_t i = 0; i < NR_FLOOD; i++)
		if (object_place(&fixture, &object, i % 2 ? &system_memory : &aperture))
			_exit(2);
	_exit(0);
}

/* Somebody describes a part, and waits for a paging buffer: who waits for him hears signals. */
static void test_wait_for_turn(const struct fixture *fixture)
{
	struct object object;
	int64_t start;
	pid_t pid;

	if (access("/dev/udmabuf", R_OK)) {
		tap_skip("no udmabuf here", "a signal ends the wait for who describes a part");
		return;
	}
	tap_ret(object_create(fixture, &object, QUIRE_PAGE, 4), 0, "an object");
	test_parameter("hang_period", LONG_MS);
	pid = start_flood();
	tap_ok(child_gets_within(pid, "drm_suballoc_new", WAIT_MS),
	       "somebody waits for a paging buffer");
	start = quire_now_ns();
	tap_ret(place_interrupted(fixture, &object, &aperture), -EINTR,
		"a signal ends the wait for him");
	tap_ok(quire_now_ns() - start < PROMPT_MS * 1000000ll, "at once");
	tap_ok(child_is_within(pid, "drm_suballoc_new"), "he still waits");
	tap_ok(object_is_at(fixture, &object, &system_memory), "it is where it was");
	test_parameter("hang_period", 3000);
	tap_ret(object_place_and_wait(fixture, &object, &aperture), 0, "once more");
	tap_ret(child_status(pid), 0, "he has ended");
	tap_ret(object_check(fixture, &object), 0, "the content is whole");
	object_close(fixture, &object);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

static pid_t start_interrupter(void)
{
	pid_t pid = child_start(LET_GO_S);

	if (pid)
		return pid;
	_exit(!fixture_interrupt_half_way(getppid(), "3000"));
}

/* The first parts are on their way when a signal comes: what they map is unmapped. */
static void test_half_way(const struct fixture *fixture)
{
	static struct object filling[NR_FILLING];
	int dmabuf = udmabuf_create_scattered(SIZE / QUIRE_PAGE, NULL), ret = 0;
	struct debugfs_counter maps[2] = { 0 }, unmaps[2] = { 0 };
	struct object object = { .size = SIZE };
	uint64_t mapped;
	pid_t pid;

	if (dmabuf == -ENOENT) {
		tap_skip("no udmabuf here", "a move that ends half way");
		return;
	}
	tap_ret(dmabuf < 0 ? dmabuf : 0, 0, "scattered pages");
	tap_ret(dmabuf_import(fixture->fd, dmabuf, &object.handle), 0, "import them");
	for (size_t i = 0; i < NR_FILLING && !ret; i++)
		ret = quire_bo_create(fixture->fd, QUIRE_PAGE, &filling[i].handle);
	test_parameter("hang_period", LONG_MS);
	debugfs_counter(fixture->debugfs, "MAP_APERTURE_SEGMENT", &maps[0]);
	debugfs_counter(fixture->debugfs, "UNMAP_APERTURE_SEGMENT", &unmaps[0]);
	fixture_inject(fixture, "hang 1");
	for (size_t i = 0; i < NR_FILLING && !ret; i++)
		ret = object_place(fixture, &filling[i], &aperture);
	tap_ret(ret, 0, "the pool is almost full");
	pid = start_interrupter();
	tap_ret(place_once(fixture, &object, &aperture), -EINTR,
		"a signal ends a large move half way");
	debugfs_counter(fixture->debugfs, "MAP_APERTURE_SEGMENT", &maps[1]);
	debugfs_counter(fixture->debugfs, "UNMAP_APERTURE_SEGMENT", &unmaps[1]);
	mapped = maps[1].bytes - maps[0].bytes - NR_FILLING * QUIRE_PAGE;
	tap_ok(mapped == PART || mapped == 2 * PART, "some of its parts were mapped (%llu MiB)",
	       (unsigned long long)(mapped / QUIRE_MIB));
	tap_ok(unmaps[1].bytes - unmaps[0].bytes == object.size, "all of it is unmapped");
	tap_ok(object_is_at(fixture, &object, &system_memory), "it is where it was");
	tap_ret(child_status(pid), 0, "a process has interrupted it half way");
	tap_ret(object_place_and_wait(fixture, &object, &aperture), 0, "once more");
	for (size_t i = 0; i < NR_FILLING; i++)
		object_close(fixture, &filling[i]);
	object_close(fixture, &object);
	close(dmabuf);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct fixture fixture;

	tap_start(250);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	if (fixture_vram(&fixture) < SIZE)
		tap_skip_all("too little VRAM");
	sigaction(SIGUSR1, &action, NULL);
	test_stops(&fixture);
	test_wait_for_turn(&fixture);
	test_half_way(&fixture);
	return tap_done();
}
