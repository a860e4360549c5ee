// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Another driver is at work with an object all the time: each of its fences ends soon, and when it
 * does the next one is there. Calls that have to move the object give up after 15 seconds all the
 * same, however short each wait is.
 */
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "child.h"
#include "space.h"
#include "user.h"
#include "vgem.h"

#define BASE		0x100000000ull
#define LEAST_MS	10000	/* of the 15 seconds */
#define MOST_MS		90000
#define TIMER_MS	700
#define FENCE_MS	1
#define NR_TRIES	5
#define VRAM		DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM)
#define APERTURE	DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE)

/**
 * struct again - an object that is always busy
 * @work: the device
 * @object: in system memory, and commands can use it in VRAM alone
 * @other: another one
 * @space: has the first one bound
 * @context: of submissions
 */
struct again {
	struct work work;
	struct quire_object *object;
	struct quire_object *other;
	struct space space;
	struct quire_context *context;
};

static void keep_busy(const struct again *again, int vgem)
{
	uint32_t fences[2];
	unsigned int i;

	for (i = 0;; i++) {
		if (vgem_attach_fence(vgem, again->work.fixture.fd,
				      quire_object_handle(again->object), &fences[i % 2]))
			_exit(1);
		test_sleep_ms(FENCE_MS);
		if (i && vgem_signal_fence(vgem, fences[(i + 1) % 2]))
			_exit(1);
	}
}

static int place(struct again *again)
{
	return quire_bo_place(again->work.fixture.fd, quire_object_handle(again->object),
			      DRM_QUIRE_SEGMENT_VRAM, 0);
}

static int submit(struct again *again)
{
	quire_recorder_write_value(again->work.recorder, quire_at(again->object, 0), 1);
	return work_submit(&again->work, again->context, 1, NULL, NULL);
}

/* With another object: there is room for one of them, so each is a part. */
static int submit_parts(struct again *again)
{
	quire_recorder_write_value(again->work.recorder, quire_at(again->object, 0), 1);
	quire_recorder_write_value(again->work.recorder, quire_at(again->other, 0), 1);
	return work_submit(&again->work, again->context, 1, NULL, NULL);
}

static int exec(struct again *again)
{
	quire_write_delay(&again->space.writer, 0);
	return space_exec(&again->space, NULL, NULL);
}

/**
 * struct call - that has to move the object
 * @name: for messages
 * @run: makes it
 * @timer: signals end the call again and again, and libdrm makes it again
 */
struct call {
	const char *name;
	int (*run)(struct again *again);
	bool timer;
};

static const struct call calls[] = {
	{ "BO_PLACE", place, false }, { "SUBMIT", submit, false }, { "EXEC", exec, false },
	{ "BO_PLACE with a timer", place, true }, { "SUBMIT with a timer", submit, true },
	{ "EXEC with a timer", exec, true },
};

static const struct call parts = { "SUBMIT in parts", submit_parts, false };

static void on_signal(int number)
{
	(void)number;
}

static void start_timer(void)
{
	const struct sigaction action = { .sa_handler = on_signal };
	const struct itimerval timer = {
		.it_interval.tv_usec = TIMER_MS * 1000, .it_value.tv_usec = TIMER_MS * 1000,
	};

	if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &timer, NULL))
		_exit(1);
}

/* Not before the 15 seconds are over. */
static pid_t start_call(struct again *again, const struct call *call)
{
	pid_t pid = child_start(WAIT_MS / 1000);
	int64_t begin;
	int ret;

	if (pid)
		return pid;
	if (call->timer)
		start_timer();
	begin = quire_now_ns();
	ret = call->run(again);
	_exit(quire_now_ns() - begin < LEAST_MS * 1000000ll ? ETIME : -ret);
}

/* What has not ended by then waits for ever. */
static int status_of(pid_t pid)
{
	int64_t end = quire_now_ns() + MOST_MS * 1000000ll;

	while (child_is_running(pid) && quire_now_ns() < end)
		test_sleep_ms(20);
	if (!child_is_running(pid))
		return -child_status(pid);
	child_kill(pid);
	return -ETIMEDOUT;
}

static void again_open(struct again *again, uint32_t classes)
{
	struct work *work = &again->work;

	work_begin(work);
	again->context = work_context(work);
	again->object = work_object_in(work, QUIRE_PAGE, classes);
	again->other = work_object_in(work, QUIRE_PAGE, classes);
	space_open(&again->space, work);
	space_map(&again->space, BASE, again->object, 0, QUIRE_PAGE);
	tap_ret(quire_bo_place(work->fixture.fd, quire_object_handle(again->object),
			       DRM_QUIRE_SEGMENT_SYSTEM, 0), 0, "an object that is not in VRAM");
	tap_ret(quire_object_wait(again->object, WAIT_MS * 1000000ll), 0, "and has moved");
}

static void again_close(struct again *again)
{
	space_close(&again->space);
	quire_object_close(again->other);
	quire_object_close(again->object);
	quire_context_destroy(again->context);
	work_end(&again->work);
}

/* Commands of somebody else are at work with it: EXEC waits with nothing locked. */
static void test_lock(void)
{
	struct again again;
	struct object object;
	struct user user;
	pid_t pid;

	again_open(&again, APERTURE);
	user_begin(&user);
	object = (struct object) {
		.handle = quire_object_handle(again.object), .size = QUIRE_PAGE,
	};
	user_uses(&user, &again.work.fixture, &object);
	again.space.ring = 0;
	pid = child_start(WAIT_MS / 1000);
	if (!pid)
		_exit(-exec(&again));
	tap_ok(child_gets_within(pid, "quire_bo_wait_others", WAIT_MS), "EXEC waits for commands");
	tap_ret(quire_bo_madvise(again.work.fixture.fd, object.handle, DRM_QUIRE_MADV_WILLNEED,
				 NULL), 0, "the lock of its object is to be had");
	tap_ok(child_is_within(pid, "quire_bo_wait_others"), "while it waits");
	child_kill(pid);
	tap_ok(true, "it can be killed");
	user_end(&user);
	again_close(&again);
}

static pid_t start_busy(const struct again *again, int vgem)
{
	pid_t pid = child_start(WAIT_MS / 1000);

	if (!pid)
		keep_busy(again, vgem);
	while (!quire_object_wait(again->object, 0))
		test_sleep_ms(1);
	return pid;
}

static void test_calls(int vgem, const struct call *call, unsigned int count)
{
	pid_t pids[ARRAY_SIZE(calls)], busy;
	struct again again;
	unsigned int i;

	again_open(&again, VRAM);
	busy = start_busy(&again, vgem);
	for (i = 0; i < count; i++)
		pids[i] = start_call(&again, &call[i]);
	for (i = 0; i < count; i++)
		tap_ret(status_of(pids[i]), -EBUSY, "%s", call[i].name);
	tap_ok(child_is_running(busy), "another driver is at work all the time");
	child_kill(busy);
	again_close(&again);
}

/*
 * SUBMIT in parts waits for the fences that its objects have, and then for its turn. A fence that
 * was added meanwhile is waited for in the turn, for 15 seconds at most. Returns true if the test
 * has signalled both fences itself: those of vgem end after 10 seconds.
 */
static bool try_newcomer(struct again *again, int vgem)
{
	const uint32_t handle = quire_object_handle(again->object);
	const int fd = again->work.fixture.fd;
	uint32_t before, newcomer;
	bool in_time, waits;
	pid_t pid;
	int ret;

	if (vgem_attach_fence(vgem, fd, handle, &before))
		tap_bail("vgem");
	pid = child_start(WAIT_MS / 1000);
	if (!pid)
		_exit(-submit_parts(again));
	waits = child_gets_within(pid, "quire_submit_wait_before", WAIT_MS);
	if (vgem_attach_fence(vgem, fd, handle, &newcomer))
		tap_bail("vgem");
	in_time = !vgem_signal_fence(vgem, before);
	waits &= child_gets_within(pid, "quire_submit_page_in", WAIT_MS);
	in_time &= !vgem_signal_fence(vgem, newcomer);
	ret = -child_status(pid);
	if (in_time) {
		tap_ok(waits, "SUBMIT in parts waits in its turn for a fence that was added");
		tap_ret(ret, 0, "and goes on when that has signalled");
	}
	return in_time;
}

static void test_newcomer(int vgem)
{
	struct again again;
	unsigned int i;

	again_open(&again, VRAM);
	for (i = 0; i < NR_TRIES && !try_newcomer(&again, vgem); i++)
		tap_ret(quire_bo_place(again.work.fixture.fd, quire_object_handle(again.object),
				       DRM_QUIRE_SEGMENT_SYSTEM, 0), 0, "once more");
	tap_ok(i < NR_TRIES, "the fence that was added has not ended by itself");
	again_close(&again);
}

int main(void)
{
	int vgem = vgem_open();

	tap_start(WAIT_MS / 1000);
	if (vgem < 0 || getuid())
		tap_skip_all("no vgem here, or not root");
	test_calls(vgem, calls, ARRAY_SIZE(calls));
	test_option("split_max_bytes", QUIRE_PAGE);
	test_calls(vgem, &parts, 1);
	test_newcomer(vgem);
	test_option("split_max_bytes", 0);
	test_lock();
	close(vgem);
	return tap_done();
}
