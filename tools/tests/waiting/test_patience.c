// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Who needs what somebody else is at work with waits: without holding up others, without
 * work, and not for ever.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "dmabuf.h"
#include "user.h"
#include "vgem.h"

#define WATCH_MS	1000
#define CHILD_S		60
#define READERS		8

/* One holds the lock of an object while the other one asks for it. */
#define TOUCHERS	2
#define RESTARTS	100
#define RESTART_MS	5
#define RESTARTS_MS	4000

/* The driver does not wait for longer. */
#define PATIENCE_MS	15000
#define LATER_MS	200

/* Well below what is really waited for: 10 s for a fence of vgem, or the driver's patience. */
#define PROMPT_MS	5000

/*
 * Between two signals of those who wait under signals. Some of them do something else for most
 * of that time before they call again: two of them do at once, then.
 */
#define SIGNAL_MS	100
#define PAUSE_MS	70

/* Who waits does nothing else: a tenth of the time is enough for that. */
#define MOST_CPU_MS	(WATCH_MS / 10)

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place run = { "a run", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_CONTIGUOUS };
static const struct place invisible = {
	"invisible", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_INVISIBLE
};

/* A process that places an object; its status is the errno. */
static pid_t start_place(const struct fixture *fixture, const struct object *object,
			 const struct place *place)
{
	pid_t pid = child_start(CHILD_S);

	if (pid)
		return pid;
	_exit(-object_place(fixture, object, place));
}

static void on_signal(int signal)
{
	(void)signal;
}

/* From now on; SA_RESTART: calls are made again by the kernel. */
static void start_signals(int flags)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };
	struct timeval period = { .tv_usec = SIGNAL_MS * 1000 };
	struct itimerval timer = { period, period };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* start_place() under signals, with calls that the kernel makes again. */
static pid_t start_place_signals(const struct fixture *fixture, const struct object *object,
				 const struct place *place)
{
	pid_t pid = child_start(CHILD_S);

	if (pid)
		return pid;
	start_signals(SA_RESTART);
	_exit(-object_place(fixture, object, place));
}

/* The same by calls that it makes again itself, after a while. */
static pid_t start_place_again(const struct fixture *fixture, const struct object *object,
			       const struct place *place)
{
	struct drm_quire_bo_place argument = {
		.handle = object->handle,
		.segment = fixture->segments[place->segment].instance,
	};
	pid_t pid = child_start(CHILD_S);
	int ret;

	if (pid)
		return pid;
	start_signals(0);
	for (;;) {
		ret = quire_ioctl_once(fixture->fd, DRM_IOCTL_QUIRE_BO_PLACE, &argument);
		if (ret != -EINTR)
			_exit(-ret);
		test_sleep_ms(PAUSE_MS);
	}
}

/* A process that places an object, which SIGUSR1 ends, and does so again much later. */
static pid_t start_place_later(const struct fixture *fixture, const struct object *object,
			       const struct place *place)
{
	struct drm_quire_bo_place argument = {
		.handle = object->handle,
		.segment = fixture->segments[place->segment].instance,
	};
	const struct sigaction action = { .sa_handler = on_signal };
	pid_t pid = child_start(CHILD_S);
	int ret;

	if (pid)
		return pid;
	sigaction(SIGUSR1, &action, NULL);
	ret = quire_ioctl_once(fixture->fd, DRM_IOCTL_QUIRE_BO_PLACE, &argument);
	if (ret != -EINTR)
		_exit(EPROTO);
	test_sleep_ms(PATIENCE_MS + LATER_MS);
	_exit(-object_place(fixture, object, place));
}

/* A process that shares an object with vgem, under signals. */
static pid_t start_share_signals(const struct fixture *fixture, const struct object *object,
				 int vgem)
{
	int dmabuf, ret;
	uint32_t handle;
	pid_t pid = child_start(CHILD_S);

	if (pid)
		return pid;
	dmabuf = dmabuf_export(fixture->fd, object->handle);
	start_signals(SA_RESTART);
	ret = dmabuf_import(vgem, dmabuf, &handle);
	if (!ret)
		drmCloseBufferHandle(vgem, handle);
	_exit(-ret);
}

/*
 * A process that looks at the content of a mapping; its status: it is not the object's.
 * A SIGUSR1 lets the access begin anew.
 */
static pid_t start_read(const struct object *object, const void *map)
{
	pid_t pid = child_start(CHILD_S);

	if (pid)
		return pid;
	_exit(pattern_differs(map, object->size, object->key) != PATTERN_SAME);
}

/* A process that takes the lock of an object and gives it back, again and again. */
static pid_t start_touch(const struct fixture *fixture, const struct object *object)
{
	pid_t pid = child_start(CHILD_S);

	if (pid)
		return pid;
	while (!quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_WILLNEED, NULL))
		;
	_exit(1);
}

/* @function: where it waits; what it does before it is there does not count */
static void test_idle(pid_t pid, const char *function)
{
	long before, spent;

	tap_ok(child_gets_within(pid, function, WAIT_MS), "it begins to wait");
	before = child_cpu_ms(pid);
	test_sleep_ms(WATCH_MS);
	spent = child_cpu_ms(pid) - before;
	tap_ok(child_is_running(pid), "it waits");
	if (!tap_ok(before >= 0 && spent <= MOST_CPU_MS, "it does nothing meanwhile"))
		tap_diag("%ld ms of a processor in %d ms", spent, WATCH_MS);
}

/* Faults begin anew, again and again; returns how long the object was held at most, in ms. */
static int64_t restart_faults(const struct fixture *fixture, const struct object *object,
			      const pid_t pids[READERS])
{
	int64_t longest = 0, end = quire_now_ns() + RESTARTS_MS * 1000000ll;

	for (int i = 0; i < RESTARTS && quire_now_ns() < end; i++) {
		int64_t start, took;

		for (int reader = 0; reader < READERS; reader++)
			kill(pids[reader], SIGUSR1);
		test_sleep_ms(RESTART_MS);
		start = quire_now_ns();
		quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_WILLNEED, NULL);
		took = quire_now_ns() - start;
		if (took > longest)
			longest = took;
	}
	return longest / 1000000;
}

/* Half of VRAM is in use by somebody else, and all of it is asked for. */
static void test_room(const struct fixture *fixture, int vgem, const struct place *place)
{
	struct object victim, small, large = { .size = fixture_vram(fixture) };
	uint32_t fence;
	int64_t start;
	pid_t pid;

	tap_ret(object_create(fixture, &victim, large.size / 2, 1), 0, "half of VRAM");
	tap_ret(object_place_and_wait(fixture, &victim, &vram), 0, "place it");
	tap_ret(object_create(fixture, &small, QUIRE_MIB, 2), 0, "a small one");
	tap_ret(quire_bo_create(fixture->fd, large.size, &large.handle), 0, "all of VRAM");
	tap_ret(vgem_attach_fence(vgem, fixture->fd, victim.handle, &fence), 0,
		"somebody else is at work with the half");
	pid = start_place(fixture, &large, place);
	test_idle(pid, "quire_validation_wait");
	start = quire_now_ns();
	tap_ret(object_place_and_wait(fixture, &small, &vram), 0, "what fits beside is placed");
	tap_ok(quire_now_ns() - start < PROMPT_MS * 1000000ll, "at once");
	tap_ret(vgem_signal_fence(vgem, fence), 0, "the other one is done");
	tap_ret(-child_status(pid), 0, "all of VRAM is placed as %s", place->name);
	tap_ret(object_check(fixture, &victim), 0, "the content of the half is whole");
	tap_ret(object_check(fixture, &small), 0, "and that of the small one");
	quire_bo_close(fixture->fd, large.handle);
	object_close(fixture, &small);
	object_close(fixture, &victim);
}

/* An object in VRAM, and commands at work with it. */
static void create_busy(const struct fixture *fixture, const struct user *user,
			struct object *object)
{
	tap_ret(object_create(fixture, object, QUIRE_MIB, 3), 0, "an object");
	tap_ret(object_place_and_wait(fixture, object, &vram), 0, "place it in VRAM");
	user_uses(user, fixture, object);
}

/* The exit status, as a negative errno; -ETIMEDOUT if there is none. */
static int result_of(pid_t pid)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	while (child_is_running(pid)) {
		if (quire_now_ns() > end) {
			child_kill(pid);
			return -ETIMEDOUT;
		}
		test_sleep_ms(10);
	}
	return -child_status(pid);
}

/*
 * Commands use an object. One process needs its room, one would move it, one would share it: each
 * gives up 15 seconds after it began to wait, also with signals all the time, and with another one
 * under signals that began when half of that was over.
 */
static void test_patience(const struct fixture *fixture, int vgem)
{
	struct object victim, shared, large = { .size = fixture_vram(fixture) };
	pid_t pids[5], later;
	struct user user;
	int64_t start;

	user_begin(&user);
	tap_ret(quire_bo_create(fixture->fd, large.size, &large.handle), 0, "all of VRAM");
	create_busy(fixture, &user, &victim);
	create_busy(fixture, &user, &shared);
	start = quire_now_ns();
	pids[2] = start_place_signals(fixture, &large, &vram);
	pids[3] = start_place_again(fixture, &victim, &places[0]);
	pids[4] = start_share_signals(fixture, &shared, vgem);
	pids[0] = start_place(fixture, &large, &vram);
	pids[1] = start_place(fixture, &victim, &places[0]);
	/* processes with signals do not sleep long enough to be seen; they began before */
	tap_ok(child_gets_within(pids[0], "quire_validation_wait", WAIT_MS) &&
	       child_gets_within(pids[1], "quire_bo_wait_others", WAIT_MS), "they wait");
	test_sleep_ms(PATIENCE_MS / 2);
	later = start_place_again(fixture, &victim, &places[0]);
	tap_ret(result_of(pids[0]), -ENOSPC, "who needs its room gives up");
	tap_ret(result_of(pids[1]), -EBUSY, "who would move it gives up");
	tap_ret(result_of(pids[2]), -ENOSPC, "who needs its room gives up, with signals");
	tap_ret(result_of(pids[3]), -EBUSY, "who would move it gives up, with signals");
	tap_ret(result_of(pids[4]), -ETIME, "who would share it gives up, with signals");
	tap_ok(quire_now_ns() - start >= PATIENCE_MS * 1000000ll, "after %d seconds",
	       PATIENCE_MS / 1000);
	child_kill(later);
	user_end(&user);
	tap_ret(object_place_and_wait(fixture, &large, &vram), 0, "there is room");
	tap_ret(object_check(fixture, &victim), 0, "the content is whole");
	tap_ret(object_check(fixture, &shared), 0, "the content is whole");
	quire_bo_close(fixture->fd, large.handle);
	object_close(fixture, &shared);
	object_close(fixture, &victim);
}

/*
 * Processes that begin when half of that time is over still wait when the first one has given up;
 * so does one that begins after another was killed, and one that has waited long ago.
 */
static void test_later(const struct fixture *fixture)
{
	pid_t first, killed, later, again;
	struct object victim, third;
	struct user user;

	user_begin(&user);
	create_busy(fixture, &user, &victim);
	create_busy(fixture, &user, &third);
	/* it waits first, and what is kept of that is not replaced */
	again = start_place_later(fixture, &third, &places[0]);
	tap_ok(child_gets_within(again, "quire_bo_wait_others", WAIT_MS), "one waits");
	kill(again, SIGUSR1);
	killed = start_place(fixture, &third, &places[0]);
	first = start_place(fixture, &victim, &places[0]);
	tap_ok(child_gets_within(killed, "quire_bo_wait_others", WAIT_MS) &&
	       child_gets_within(first, "quire_bo_wait_others", WAIT_MS), "others wait, too");
	test_sleep_ms(PATIENCE_MS / 2);
	child_kill(killed);
	killed = start_place(fixture, &third, &places[0]);
	later = start_place_again(fixture, &victim, &places[0]);
	tap_ret(result_of(first), -EBUSY, "the first one gives up");
	tap_ok(child_gets_within(again, "quire_bo_wait_others", WAIT_MS),
	       "a call of long ago is forgotten");
	user_end(&user);
	tap_ret(result_of(later), 0, "who would move it, and came later, waits for that");
	tap_ret(result_of(again), 0, "who has given up long ago waits anew");
	tap_ret(result_of(killed), 0, "who comes after one that was killed waits as long");
	tap_ret(object_check(fixture, &victim), 0, "the content is whole");
	tap_ret(object_check(fixture, &third), 0, "the content is whole");
	object_close(fixture, &third);
	object_close(fixture, &victim);
}

/*
 * CPU faults that would move what somebody is at work with, most of them while somebody else
 * has the lock of the object: they get it in their second try.
 */
static void test_fault(const struct fixture *fixture)
{
	struct object object;
	pid_t pids[READERS], touchers[TOUCHERS];
	struct user user;
	int64_t start;
	int status = 0;
	void *map;

	if (!fixture_has_place(fixture, &invisible, QUIRE_MIB)) {
		tap_skip("the device has no such place", "a fault that has to move");
		return;
	}
	tap_ret(object_create(fixture, &object, QUIRE_MIB, 4), 0, "an object");
	tap_ret(object_place_and_wait(fixture, &object, &invisible), 0, "out of reach of the CPU");
	tap_ret(quire_bo_map(fixture->fd, object.handle, object.size, &map), 0, "map it");
	user_begin(&user);
	user_uses(&user, fixture, &object);
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < TOUCHERS; i++)
		touchers[i] = start_touch(fixture, &object);
	for (int i = 0; i < READERS; i++)
		pids[i] = start_read(&object, map);
	test_sleep_ms(RESTART_MS);
	tap_ok(restart_faults(fixture, &object, pids) < PROMPT_MS, "the object is not held");
	for (int i = 0; i < TOUCHERS; i++)
		child_kill(touchers[i]);
	test_idle(pids[0], "quire_bo_wait_others");
	start = quire_now_ns();
	tap_ret(quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_WILLNEED, NULL), 0,
		"the object is not held");
	child_kill(pids[1]);
	tap_ok(quire_now_ns() - start < PROMPT_MS * 1000000ll, "nor is who is killed");
	user_end(&user);
	tap_ret(child_status(pids[0]), 0, "the content is read");
	for (int i = 2; i < READERS; i++)
		status |= child_status(pids[i]);
	tap_ret(status, 0, "by all of them");
	munmap(map, object.size);
	object_close(fixture, &object);
}

/*
 * One waits for longer than a fault does at a time. Its second try has to keep mmap_lock, and must
 * not wait with that and with the object.
 */
static void test_long_fault(const struct fixture *fixture)
{
	struct object object;
	struct user user;
	int64_t start;
	pid_t reader;
	void *map;

	if (!fixture_has_place(fixture, &invisible, QUIRE_MIB)) {
		tap_skip("the device has no such place", "a fault that has to move, for long");
		return;
	}
	tap_ret(object_create(fixture, &object, QUIRE_MIB, 5), 0, "an object");
	tap_ret(object_place_and_wait(fixture, &object, &invisible), 0, "out of reach of the CPU");
	tap_ret(quire_bo_map(fixture->fd, object.handle, object.size, &map), 0, "map it");
	user_begin(&user);
	user_uses(&user, fixture, &object);
	reader = start_read(&object, map);
	tap_ok(child_gets_within(reader, "quire_bo_wait_others", WAIT_MS), "it is read");
	test_sleep_ms(PATIENCE_MS + LATER_MS);
	start = quire_now_ns();
	tap_ret(quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_WILLNEED, NULL), 0,
		"the object is not held");
	tap_ok(quire_now_ns() - start < PROMPT_MS * 1000000ll, "at no time");
	tap_ok(child_is_running(reader), "its reader waits");
	user_end(&user);
	tap_ret(child_status(reader), 0, "the content is read");
	munmap(map, object.size);
	object_close(fixture, &object);
}

int main(void)
{
	struct fixture fixture;
	int vgem = vgem_open();

	tap_start(200);
	fixture_open(&fixture);
	if (vgem < 0)
		tap_skip_all("no vgem here");
	if (getuid() || !fixture.info.execution_rings)
		tap_skip_all("not root, or the device executes no commands");
	test_room(&fixture, vgem, &vram);
	test_room(&fixture, vgem, &run);
	test_patience(&fixture, vgem);
	test_later(&fixture);
	test_fault(&fixture);
	test_long_fault(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
