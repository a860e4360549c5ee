// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Who evicts everything shares submissions among many small moves. Each of them is whole and has
 * its own fence; nobody waits for what was not submitted, and nobody overtakes it; a submission
 * that fails loses what is in it and no more, and a move that has failed before fails alone. The
 * same goes for a placement that makes room with many moves.
 */
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "dmabuf.h"
#include "fixture.h"
#include "syncs.h"
#include "user.h"

#define NR_OBJECTS	200
#define SIZE		QUIRE_PAGE
#define CHILD_S		200
#define HANG_MS		60000	/* until it is to end */
#define PERIOD_MS	1000
#define PUSHED_MS	100
#define STILL_MS	2000	/* the worker that hands one over is not later than that */

/* Who makes room for one that is as large as some small ones, and how many signals he gets. */
#define NR_SMALL	4
#define NR_SIGNALS	20
#define SIGNAL_MS	5

/* Submissions per object, at most, of those that share. */
#define SHARED		10

/* Not the aperture: each is evicted in one move. */
#define SEGMENTS	(DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM) | \
			 DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM))

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place visible = {
	"visible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_VISIBLE
};

static const struct place invisible = {
	"invisible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_INVISIBLE
};

static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * struct scene - many small objects
 * @fixture: the device
 * @objects: in VRAM, in this order
 */
struct scene {
	struct fixture fixture;
	struct object objects[NR_OBJECTS];
};

static uint64_t count(const struct scene *scene, const char *name)
{
	return fixture_count(&scene->fixture, name);
}

static int create(const struct scene *scene, struct object *object, uint64_t key)
{
	*object = (struct object) { .size = SIZE, .key = key };
	return quire_bo_create_caching(scene->fixture.fd, SIZE, SEGMENTS,
				       DRM_QUIRE_CACHING_CACHED, &object->handle) ?:
	       object_fill(&scene->fixture, object);
}

static void scene_place(struct scene *scene)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = create(scene, &scene->objects[i], i + 1) ?:
		      object_place(&scene->fixture, &scene->objects[i], &vram);
	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = quire_bo_wait(scene->fixture.fd, scene->objects[i].handle, WAIT_MS);
	tap_ret(ret, 0, "%u small objects in VRAM", NR_OBJECTS);
}

static void scene_close(struct scene *scene)
{
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		object_close(&scene->fixture, &scene->objects[i]);
}

static int evict_all(const struct scene *scene)
{
	return debugfs_write(scene->fixture.debugfs, "evict_all", "1");
}

static bool is_lost(const struct scene *scene, unsigned int i)
{
	return object_flags(&scene->fixture, &scene->objects[i]) & DRM_QUIRE_BO_PURGED;
}

/* All but those from @first to @end are whole, and have left VRAM; these are lost. */
static void expect_lost(const struct scene *scene, unsigned int first, unsigned int end)
{
	unsigned int i, bad = 0, still = 0;

	for (i = 0; i < NR_OBJECTS; i++) {
		bool lost = i >= first && i < end;

		still += object_segment(&scene->fixture, &scene->objects[i]) ==
			 DRM_QUIRE_SEGMENT_VRAM;
		if (is_lost(scene, i) != lost ||
		    (!lost && object_check(&scene->fixture, &scene->objects[i])))
			bad++;
	}
	tap_ok(!still, "all have left VRAM");
	tap_ok(!bad, "%u of them are lost, the others are whole", end - first);
}

static void test_shared(struct scene *scene)
{
	uint64_t submissions, moves;

	scene_place(scene);
	submissions = count(scene, "submissions");
	moves = count(scene, "vram->system");
	tap_ret(evict_all(scene), 0, "evict them");
	submissions = count(scene, "submissions") - submissions;
	tap_ok(count(scene, "vram->system") - moves == NR_OBJECTS, "each was moved");
	if (!tap_ok(submissions && submissions * SHARED <= NR_OBJECTS, "they share submissions"))
		tap_diag("%" PRIu64 " submissions", submissions);
	expect_lost(scene, 0, 0);
	scene_close(scene);
}

/* What is placed is executed also if nobody waits for it. */
static void test_placed(struct scene *scene)
{
	struct object object;
	uint64_t submissions;

	tap_ret(create(scene, &object, 998), 0, "an object");
	tap_ret(object_place_and_wait(&scene->fixture, &object, &vram), 0, "in VRAM");
	submissions = count(scene, "submissions");
	tap_ret(object_place(&scene->fixture, &object, &system_memory), 0, "it leaves");
	for (unsigned int i = 0; i < WAIT_MS && count(scene, "submissions") == submissions; i++)
		test_sleep_ms(1);
	tap_ok(count(scene, "submissions") == submissions + 1, "that is submitted");
	tap_ret(quire_bo_wait(scene->fixture.fd, object.handle, WAIT_MS), 0, "and done");
	tap_ret(object_check(&scene->fixture, &object), 0, "the content is whole");
	object_close(&scene->fixture, &object);
}

/**
 * struct crowd - visible VRAM is full
 * @small: are evicted first
 * @filler: all the rest of it
 * @coming: in invisible VRAM, as large as all that are small
 */
struct crowd {
	struct object small[NR_SMALL];
	struct object filler;
	struct object coming;
};

static int crowd_place(const struct scene *scene, struct crowd *crowd)
{
	const struct fixture *fixture = &scene->fixture;
	int ret = 0;

	crowd->filler = (struct object) {
		.size = fixture_visible(fixture) - NR_SMALL * SIZE,
	};
	for (unsigned int i = 0; i < NR_SMALL && !ret; i++)
		ret = create(scene, &crowd->small[i], 900 + i) ?:
		      object_place_and_wait(fixture, &crowd->small[i], &visible);
	return ret ?:
	       quire_bo_create(fixture->fd, crowd->filler.size, &crowd->filler.handle) ?:
	       object_place_and_wait(fixture, &crowd->filler, &visible) ?:
	       object_create(fixture, &crowd->coming, NR_SMALL * SIZE, 910) ?:
	       object_place_and_wait(fixture, &crowd->coming, &invisible);
}

static int crowd_check(const struct scene *scene, const struct crowd *crowd)
{
	int ret = object_is_at(&scene->fixture, &crowd->coming, &visible) ?
		  object_check(&scene->fixture, &crowd->coming) : -EXDEV;

	for (unsigned int i = 0; i < NR_SMALL && !ret; i++)
		ret = object_is_at(&scene->fixture, &crowd->small[i], &system_memory) ?
		      object_check(&scene->fixture, &crowd->small[i]) : -EXDEV;
	return ret;
}

/*
 * Who makes room with many moves leaves an open buffer behind, and moves inside of VRAM, where
 * no pages stay behind: the last move is executed all the same, though nobody waits for it.
 */
static void test_end(const struct scene *scene)
{
	const struct fixture *fixture = &scene->fixture;
	struct crowd crowd;
	uint64_t end;

	if (fixture_visible(fixture) == fixture_vram(fixture)) {
		tap_skip("the CPU sees all of VRAM", "a move inside of VRAM");
		return;
	}
	tap_ret(evict_all(scene), 0, "VRAM is empty");
	tap_ret(crowd_place(scene, &crowd), 0, "visible VRAM is full");
	end = count(scene, "TRANSFER") + NR_SMALL + 1;
	tap_ret(object_place(fixture, &crowd.coming, &visible), 0, "one takes the room of some");
	for (unsigned int i = 0; i < WAIT_MS && count(scene, "TRANSFER") < end; i++)
		test_sleep_ms(1);
	if (!tap_ok(count(scene, "TRANSFER") == end, "its move is submitted, and all before"))
		tap_diag("%" PRIu64 ", should be %" PRIu64, count(scene, "TRANSFER"), end);
	tap_ret(quire_bo_wait(fixture->fd, crowd.coming.handle, WAIT_MS), 0, "and done");
	tap_ret(crowd_check(scene, &crowd), 0, "all are whole, and where they should be");
	object_close(fixture, &crowd.coming);
	object_close(fixture, &crowd.filler);
	for (unsigned int i = 0; i < NR_SMALL; i++)
		object_close(fixture, &crowd.small[i]);
}

/* In the middle of a submission that is shared: what comes behind goes on there. */
static void test_hang(struct scene *scene, unsigned int restarts)
{
	scene_place(scene);
	test_parameter("hang_restarts", restarts);
	test_parameter("hang_period", PERIOD_MS);
	fixture_inject(&scene->fixture, "hang 50");
	tap_ret(evict_all(scene), 0, "evict them, with a hang and %u restarts", restarts);
	tap_ok(fixture_hangs(&scene->fixture, WAIT_MS), "it has hung");
	test_parameter("hang_period", 3000);
	test_parameter("hang_restarts", 1);
	expect_lost(scene, 0, 0);
	scene_close(scene);
}

/* The second submission fails: not those before it, and not those behind. */
static void test_failed(struct scene *scene)
{
	unsigned int first, end;

	scene_place(scene);
	test_option("patch_refuse", 2);
	tap_ret(evict_all(scene), 0, "evict them, one submission is broken");
	for (first = 0; first < NR_OBJECTS && !is_lost(scene, first);)
		first++;
	for (end = first; end < NR_OBJECTS && is_lost(scene, end);)
		end++;
	if (!tap_ok(first && end > first + 1 && end < NR_OBJECTS, "what it moved is lost"))
		tap_diag("objects %u to %u of %u", first, end, NR_OBJECTS);
	expect_lost(scene, first, end);
	scene_close(scene);
}

/* Begins to evict everything; returns when @moves objects have left VRAM. */
static pid_t evict_beside(const struct scene *scene, unsigned int moves)
{
	uint64_t end = count(scene, "vram->system") + moves;
	pid_t pid = child_start(CHILD_S);

	if (!pid)
		_exit(-evict_all(scene));
	for (unsigned int i = 0; i < WAIT_MS && count(scene, "vram->system") < end; i++)
		test_sleep_ms(1);
	tap_ok(count(scene, "vram->system") == end, "%u are evicted", moves);
	return pid;
}

/* The fence of its last move. */
static int fence_of(const struct scene *scene, unsigned int i)
{
	int dmabuf = dmabuf_export(scene->fixture.fd, scene->objects[i].handle);
	int file = dmabuf_export_sync_file(dmabuf);

	close(dmabuf);
	return file;
}

static int fence_status(int file)
{
	struct fence_state state = { 0 };

	tap_ret(fence_query(file, &state), 0, "ask a fence");
	return state.status;
}

/*
 * The device hangs, and one of the objects comes back to VRAM in a buffer that is broken. Half
 * of the others are used after it, and so are evicted after it.
 */
static void fail_behind_hang(struct scene *scene, struct object *hangs)
{
	const struct fixture *fixture = &scene->fixture;
	int ret = 0;

	tap_ret(object_place_and_wait(fixture, &scene->objects[0], &system_memory), 0,
		"one of them leaves VRAM");
	tap_ret(create(scene, hangs, 999), 0, "another object");
	fixture_inject(fixture, "hang 1");
	tap_ret(object_place(fixture, hangs, &vram), 0, "hangs");
	fixture_wait_hung(fixture);
	test_option("patch_refuse", 1);
	tap_ret(object_place(fixture, &scene->objects[0], &vram), 0, "the one comes back");
	for (unsigned int i = 1; i < NR_OBJECTS / 2 && !ret; i++)
		ret = object_place(fixture, &scene->objects[i], &vram);
	tap_ret(ret, 0, "others are used");
}

/* A move fails behind others; the next one of the same object shares a submission. */
static void test_failed_before(struct scene *scene)
{
	struct object hangs;
	int files[2];
	pid_t pid;

	scene_place(scene);
	test_parameter("hang_period", HANG_MS);
	fail_behind_hang(scene, &hangs);
	pid = evict_beside(scene, NR_OBJECTS + 1);
	for (unsigned int i = 0; i < 2; i++)
		files[i] = fence_of(scene, i);
	tap_ret(fence_status(files[0]), 0, "none of it is done");
	test_parameter("hang_period", 3000);
	tap_ret(child_status(pid), 0, "all are evicted");
	tap_ret(fence_status(files[0]), -EIO, "its fence says that it failed");
	tap_ret(fence_status(files[1]), 1, "that of its neighbour does not");
	for (unsigned int i = 0; i < 2; i++)
		close(files[i]);
	tap_ret(object_check(&scene->fixture, &hangs), 0, "what hung is whole");
	object_close(&scene->fixture, &hangs);
	expect_lost(scene, 0, 1);
	scene_close(scene);
}

/**
 * struct stop - the eviction stops at an object that commands are at work with
 * @busy: that object, behind the others
 * @late: one behind it, where the CPU does not see it
 * @user: the commands
 * @pid: who evicts
 * @submissions: when it has stopped
 */
struct stop {
	struct object busy;
	struct object late;
	struct user user;
	pid_t pid;
	uint64_t submissions;
};

/* When it does not grow any more: those that are full are on their way to the device. */
static uint64_t count_still(const struct scene *scene, const char *name)
{
	uint64_t last, now = count(scene, name);

	do {
		last = now;
		test_sleep_ms(STILL_MS);
		now = count(scene, name);
	} while (now != last);
	return now;
}

/* With @command the device misbehaves first. */
static void stop_begin(struct scene *scene, struct stop *stop, const char *command)
{
	const struct fixture *fixture = &scene->fixture;

	scene_place(scene);
	tap_ret(create(scene, &stop->busy, 1000), 0, "one more");
	tap_ret(object_place_and_wait(fixture, &stop->busy, &vram), 0, "behind them");
	tap_ret(create(scene, &stop->late, 1001), 0, "and another one");
	tap_ret(object_place_and_wait(fixture, &stop->late, &invisible), 0, "the last");
	user_begin(&stop->user);
	user_uses(&stop->user, fixture, &stop->busy);
	if (command)
		fixture_inject(fixture, command);
	stop->pid = evict_beside(scene, NR_OBJECTS);
	tap_ok(child_gets_within(stop->pid, "dma_fence_default_wait", WAIT_MS),
	       "who evicts waits for them");
	stop->submissions = count_still(scene, "submissions");
}

static void stop_end(struct scene *scene, struct stop *stop)
{
	tap_ok(child_is_running(stop->pid), "who evicts still waits");
	user_end(&stop->user);
	tap_ret(child_status(stop->pid), 0, "all is evicted");
	tap_ret(object_check(&scene->fixture, &stop->busy), 0, "also that one is whole");
	tap_ret(object_check(&scene->fixture, &stop->late), 0, "and the last one");
	object_close(&scene->fixture, &stop->busy);
	object_close(&scene->fixture, &stop->late);
	expect_lost(scene, 0, 0);
	scene_close(scene);
}

/* Whoever waits for a move that was not submitted has it submitted. */
static void test_waiter(struct scene *scene, struct stop *stop)
{
	const struct object *last = &scene->objects[NR_OBJECTS - 1];

	stop_begin(scene, stop, NULL);
	test_sleep_ms(PUSHED_MS);
	tap_ok(count(scene, "submissions") == stop->submissions, "the last ones are not submitted");
	tap_ret(quire_bo_wait(scene->fixture.fd, last->handle, WAIT_MS), 0,
		"who waits for one of them waits for no more");
	tap_ok(count(scene, "submissions") == stop->submissions + 1, "it was submitted for him");
	stop_end(scene, stop);
}

/* The same through a sync_file, which is looked at, and then polled. */
static void test_poll(struct scene *scene, struct stop *stop)
{
	struct pollfd fd = { .events = POLLIN };

	stop_begin(scene, stop, NULL);
	fd.fd = fence_of(scene, NR_OBJECTS - 1);
	tap_ret(fence_status(fd.fd), 0, "the fence of the last one has not signalled");
	tap_ok(poll(&fd, 1, WAIT_MS) == 1, "who polls it is told");
	tap_ret(fence_status(fd.fd), 1, "it has signalled");
	close(fd.fd);
	stop_end(scene, stop);
}

/* Whoever waits for a move that was submitted, which hangs, has nothing else submitted. */
static void test_waiter_behind(struct scene *scene, struct stop *stop)
{
	stop_begin(scene, stop, "hang 1");
	tap_ret(quire_bo_wait(scene->fixture.fd, scene->objects[0].handle, PUSHED_MS), -ETIME,
		"the first one hangs");
	tap_ok(count(scene, "submissions") == stop->submissions, "the last ones are not submitted");
	stop_end(scene, stop);
}

/* Work of others is executed behind all that was built before. */
static void test_order(struct scene *scene, struct stop *stop)
{
	const struct object *last = &scene->objects[NR_OBJECTS - 1];

	stop_begin(scene, stop, NULL);
	tap_ret(debugfs_write(scene->fixture.debugfs, "nop_submit", "1"), 0,
		"somebody else submits, and waits for that");
	tap_ok(count(scene, "submissions") == stop->submissions + 2, "two are submitted");
	tap_ret(quire_bo_wait(scene->fixture.fd, last->handle, WAIT_MS), 0,
		"all before it is done");
	stop_end(scene, stop);
}

/* Somebody else moves something: that, too, is executed behind all that was built before. */
static void test_other_moves(struct scene *scene, struct stop *stop)
{
	const struct object *last = &scene->objects[NR_OBJECTS - 1];
	uint64_t moves;

	stop_begin(scene, stop, NULL);
	moves = count(scene, "vram->system");
	tap_ret(object_check(&scene->fixture, &stop->late), 0, "the CPU looks at it");
	tap_ok(count(scene, "vram->system") == moves + 1, "it was moved for that");
	tap_ok(count(scene, "submissions") == stop->submissions + 2, "two are submitted");
	tap_ret(quire_bo_wait(scene->fixture.fd, last->handle, WAIT_MS), 0,
		"all before it is done");
	stop_end(scene, stop);
}

static void on_signal(int signal)
{
	(void)signal;
}

/* Signals do not end what can not be taken back. */
static void test_signals(struct scene *scene, struct stop *stop)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	sigaction(SIGUSR1, &action, NULL);
	stop_begin(scene, stop, NULL);
	for (unsigned int i = 0; i < NR_SIGNALS; i++) {
		kill(stop->pid, SIGUSR1);
		test_sleep_ms(SIGNAL_MS);
	}
	tap_ok(count(scene, "submissions") == stop->submissions, "signals submit nothing");
	stop_end(scene, stop);
}

int main(void)
{
	struct scene scene;
	struct stop stop;

	tap_start(240);
	fixture_open(&scene.fixture);
	if (!*scene.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(scene.fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	test_shared(&scene);
	test_placed(&scene);
	test_end(&scene);
	test_hang(&scene, 1);
	test_hang(&scene, 0);
	test_failed(&scene);
	test_failed_before(&scene);
	if (scene.fixture.info.execution_rings) {
		test_waiter(&scene, &stop);
		test_poll(&scene, &stop);
		test_waiter_behind(&scene, &stop);
		test_order(&scene, &stop);
		test_other_moves(&scene, &stop);
		test_signals(&scene, &stop);
	} else {
		tap_skip("the device executes no commands", "they are at work with an object");
	}
	tap_ok(fixture_settles(&scene.fixture, scene.fixture.segments), "nothing is left");
	return tap_done();
}
