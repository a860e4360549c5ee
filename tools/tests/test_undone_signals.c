// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What calls take is given back when a signal interrupts them, or kills the program, while they
 * wait; when nobody can be told of what they have made; and when the driver lets go of the device.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "counted.h"
#include "dmabuf.h"
#include "undone.h"

#define SYSTEM		DRM_QUIRE_SEGMENT_SYSTEM
#define VRAM		DRM_QUIRE_SEGMENT_VRAM
#define FOREVER		INT64_MAX
#define SIGNAL_US	500	/* from one to the next */
#define NR_KILLS	400
#define NR_UNTOLD	400	/* each is a race that is lost often before */

/*
 * Commands wait at a gate until the row is over, and objects are in use by them: whatever waits
 * for these waits until a signal comes.
 */
static struct gate gate;
static uint32_t end;	/* syncobj of their end */

static void open_gate(void)
{
	work_gate_raise(&gate, 1);
}

static void nothing(int number)
{
	(void)number;
}

static timer_t timer;
static bool timer_is_set;

/* @period: from one signal to the next, us; 0: no more */
static void set_signals(unsigned int period)
{
	const struct itimerspec times = {
		.it_value.tv_nsec = period * 1000, .it_interval.tv_nsec = period * 1000,
	};

	if (timer_settime(timer, 0, &times, NULL))
		tap_bail("the timer does not start");
}

static void start_signals(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct sigaction action = { .sa_handler = nothing };

	if (sigaction(SIGUSR1, &action, NULL) || timer_create(CLOCK_MONOTONIC, &event, &timer))
		tap_bail("no timer");
	timer_is_set = true;
	set_signals(SIGNAL_US);
}

static void keep_busy(struct stage *s, uint32_t handle, int file)
{
	int dmabuf = dmabuf_export(s->fd, handle);
	int ret = dmabuf < 0 ? dmabuf : dmabuf_import_sync_file(dmabuf, file);

	if (ret)
		tap_bail("an object in use: %s", strerror(-ret));
	close(dmabuf);
}

/* The object is in system memory, bound, and in use. */
static void begin(struct stage *s)
{
	struct work *work = &s->scene.work;
	const struct drm_quire_bind bind = {
		.address = UNDONE_BASE, .size = UNDONE_SIZE, .handle = s->object,
	};
	struct drm_quire_vm_bind call = { .vm = s->vm, .binds = DRM_QUIRE_ARRAY(1, &bind) };
	struct quire_fence *fence = work_fence(work);
	int file;

	if (quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_BIND, &call) ||
	    undone_place(s, s->object, SYSTEM))
		tap_bail("an object");
	work_gate_open_apart(work, &gate);
	atexit(open_gate);
	work_wait_at(work, &gate, 1);
	if (work_submit(work, work_context(work), 0, NULL, fence))
		tap_bail("commands that wait");
	end = quire_fence_syncobj(fence);
	file = quire_fence_export(fence, 0);
	keep_busy(s, s->object, file);
	close(file);
}

static void begin_signals(struct stage *s)
{
	begin(s);
	start_signals();
}

#define INTERRUPTED(function, ioctl, type, ...)				\
	static int function(struct stage *s)				\
	{								\
		struct type argument = { __VA_ARGS__ };			\
									\
		return quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_##ioctl, &argument); \
	}

INTERRUPTED(wait, BO_WAIT, drm_quire_bo_wait, .handle = s->object, .timeout_ns = FOREVER)
INTERRUPTED(place, BO_PLACE, drm_quire_bo_place, .handle = s->object, .segment = VRAM)
INTERRUPTED(fence_wait, FENCE_WAIT, drm_quire_fence_wait, .handle = s->fence,
	    .value = ~0ull, .timeout_ns = FOREVER)
INTERRUPTED(native_wait, FENCE_WAIT, drm_quire_fence_wait, .handle = s->native,
	    .value = ~0ull, .timeout_ns = FOREVER)

static int hold(struct stage *s)
{
	const struct drm_quire_resident objects[] = {
		{ .handle = s->other }, { .handle = s->object },
	};
	struct drm_quire_make_resident hold = { .objects = DRM_QUIRE_ARRAY(2, objects) };

	return quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_MAKE_RESIDENT, &hold);
}

static int exec_behind(struct stage *s, const struct drm_quire_sync *syncs, uint32_t count)
{
	struct drm_quire_exec exec = {
		.context = s->context, .address = SPACE_COMMANDS, .size = s->space.writer.used,
		.syncs = DRM_QUIRE_ARRAY(count, syncs),
	};

	return quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_EXEC, &exec);
}

static int submit_behind(struct stage *s, const struct drm_quire_sync *syncs, uint32_t count)
{
	struct attempt a;

	attempt_init(&a, &s->scene);
	a.submit.syncs = (struct drm_quire_array)DRM_QUIRE_ARRAY(count, syncs);
	return quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_SUBMIT, &a.submit);
}

static int submit(struct stage *s)
{
	return submit_behind(s, NULL, 0);
}

/* What may be queued is: the next one waits. Other objects are used then. */
static void fill(struct stage *s, int (*queue)(struct stage *s))
{
	int ret = 0;

	for (unsigned int i = 0; i < 100000 && ret != -EINTR; i++)
		ret = queue(s);
	if (ret != -EINTR)
		tap_bail("nothing is full");
}

static struct drm_quire_sync wait_of_end(void)
{
	return (struct drm_quire_sync){ .handle = end, .flags = DRM_QUIRE_SYNC_WAIT };
}

static int exec_more(struct stage *s)
{
	const struct drm_quire_sync sync = wait_of_end();

	return exec_behind(s, &sync, 1);
}

static int submit_more(struct stage *s)
{
	const struct drm_quire_sync sync = wait_of_end();

	return submit_behind(s, &sync, 1);
}

static int signal_more(struct stage *s)
{
	const struct drm_quire_sync sync = wait_of_end();
	struct drm_quire_fence_signal signal = {
		.handle = s->fence, .value = s->value + 1, .syncs = DRM_QUIRE_ARRAY(1, &sync),
	};
	int ret = quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_FENCE_SIGNAL, &signal);

	s->value += !ret;
	return ret;
}

static int bind_more(struct stage *s)
{
	const struct drm_quire_sync sync = wait_of_end();
	const struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_MAP_ZERO, .address = 2 * UNDONE_BASE,
		.size = 64 * QUIRE_MIB,
	};
	struct drm_quire_vm_bind call = {
		.vm = s->vm, .binds = DRM_QUIRE_ARRAY(1, &bind), .syncs = DRM_QUIRE_ARRAY(1, &sync),
	};

	return quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_VM_BIND, &call);
}

static void unbind(struct stage *s)
{
	const struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_UNMAP, .address = UNDONE_BASE, .size = UNDONE_SIZE,
	};
	struct drm_quire_vm_bind call = { .vm = s->vm, .binds = DRM_QUIRE_ARRAY(1, &bind) };

	if (quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_BIND, &call))
		tap_bail("unbind");
}

/* @signals: go on to come */
#define FILLED(function, queue, signals)				\
	static void function(struct stage *s)				\
	{								\
		begin(s);						\
		unbind(s);						\
		s->scene.subject.object.handle = s->other;		\
		start_signals();					\
		fill(s, queue);						\
		set_signals(signals);					\
	}

FILLED(fill_exec, exec_more, SIGNAL_US)
FILLED(fill_submit, submit_more, SIGNAL_US)
FILLED(fill_signals, signal_more, SIGNAL_US)
FILLED(fill_binds, bind_more, SIGNAL_US)
FILLED(fill_exec_once, exec_more, 0)
FILLED(fill_binds_once, bind_more, 0)

/* What was waited for is over: the same call comes to its end. */
#define WORKS(call)						\
	static int call##_works(struct stage *s)			\
	{								\
		if (timer_is_set)					\
			set_signals(0);					\
		open_gate();						\
		return call(s);						\
	}

WORKS(wait)
WORKS(place)
WORKS(hold)
WORKS(submit)
WORKS(exec_more)
WORKS(submit_more)
WORKS(signal_more)
WORKS(bind_more)

/*
 * Killed where it waits: a process that has the same file.
 */
static int killed_in(struct stage *s, int (*call)(struct stage *s), const char *function)
{
	pid_t pid = child_start(60);
	bool waits;

	if (!pid)
		_exit(!!call(s));
	waits = child_gets_within(pid, function, WAIT_MS);
	kill(pid, SIGKILL);
	return child_status(pid) == -SIGKILL && waits ? -EINTR : -ECHILD;
}

#define KILLED(call, where)					\
	static int call##_killed(struct stage *s)			\
	{								\
		return killed_in(s, call, where);			\
	}

KILLED(wait, "quire_bo_wait")
KILLED(place, "quire_bo_place")
KILLED(fence_wait, "quire_fence_wait_ioctl")
KILLED(hold, "quire_make_resident_ioctl")
KILLED(bind_more, "quire_vm_bind_ioctl")
KILLED(exec_more, "quire_exec_ioctl")
KILLED(submit, "quire_submit_ioctl")

/*
 * Nobody can be told: the page of the answer is taken away while it is made.
 */
struct answer {
	void *page;
	bool stop;
};

static void *take_away(void *data)
{
	struct answer *answer = data;

	while (!__atomic_load_n(&answer->stop, __ATOMIC_ACQUIRE)) {
		mprotect(answer->page, QUIRE_PAGE, PROT_READ);
		mprotect(answer->page, QUIRE_PAGE, PROT_READ | PROT_WRITE);
	}
	return NULL;
}

/* Until one was made that has no place to be told of; those that can be told of are closed. */
static int untold(struct stage *s, unsigned long request, const void *argument, size_t size,
		  size_t name, int (*close_it)(struct stage *s, uint32_t number))
{
	struct answer answer = {
		.page = mmap(NULL, QUIRE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0),
	};
	pthread_t thread;
	int ret = 0;

	memcpy(answer.page, argument, size);
	if (pthread_create(&thread, NULL, take_away, &answer))
		tap_bail("no thread");
	while (!ret) {
		ret = quire_ioctl(s->fd, request, answer.page);
		if (!ret)
			ret = close_it(s, *(uint32_t *)((char *)answer.page + name));
	}
	__atomic_store_n(&answer.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	munmap(answer.page, QUIRE_PAGE);
	return ret;
}

static int close_object(struct stage *s, uint32_t number)
{
	return quire_bo_close(s->fd, number);
}

static int close_context(struct stage *s, uint32_t number)
{
	struct drm_quire_context_destroy destroy = { .context = number };

	return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_CONTEXT_DESTROY, &destroy);
}

static int close_vm(struct stage *s, uint32_t number)
{
	struct drm_quire_vm_destroy destroy = { .vm = number };

	return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_DESTROY, &destroy);
}

#define CREATED_UNTOLD(function, ioctl, type, name, close_it, ...)		\
	static int function(struct stage *s)				\
	{								\
		struct type argument = { __VA_ARGS__ };			\
									\
		return untold(s, DRM_IOCTL_QUIRE_##ioctl, &argument, sizeof(argument),	\
			      offsetof(struct type, name), close_it);	\
	}

CREATED_UNTOLD(create_untold, BO_CREATE, drm_quire_bo_create, handle, close_object,
	       .size = QUIRE_PAGE,
	       .segments = DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)
CREATED_UNTOLD(context_untold, CONTEXT_CREATE, drm_quire_context_create, context, close_context,
	       .vm = s->vm)
CREATED_UNTOLD(vm_untold, VM_CREATE, drm_quire_vm_create, vm, close_vm, .pad = 0)
CREATED_UNTOLD(fence_untold, FENCE_CREATE, drm_quire_fence_create, handle, close_object, .value = 0)
CREATED_UNTOLD(native_untold, FENCE_CREATE, drm_quire_fence_create, handle, close_object,
	       .flags = DRM_QUIRE_FENCE_NATIVE, .vm = s->vm)

static const struct row rows[] = {
	ROW(-EINTR, wait, "BO_WAIT interrupted", .prepare = begin_signals, .works = wait_works),
	ROW(-EINTR, place, "BO_PLACE interrupted", .prepare = begin_signals,
	    .works = place_works),
	ROW(-EINTR, fence_wait, "FENCE_WAIT interrupted", .prepare = begin_signals),
	ROW(-EINTR, native_wait, "FENCE_WAIT for a native fence interrupted",
	    .prepare = begin_signals),
	ROW(-EINTR, hold, "MAKE_RESIDENT interrupted", .prepare = begin_signals,
	    .works = hold_works),
	ROW(-EINTR, submit, "SUBMIT interrupted", .prepare = begin_signals,
	    .works = submit_works),
	ROW(-EINTR, exec_more, "EXEC of too much interrupted", .prepare = fill_exec,
	    .works = exec_more_works),
	ROW(-EINTR, submit_more, "SUBMIT of too much interrupted", .prepare = fill_submit,
	    .works = submit_more_works),
	ROW(-EINTR, signal_more, "FENCE_SIGNAL of too much interrupted", .prepare = fill_signals,
	    .works = signal_more_works),
	ROW(-EINTR, bind_more, "VM_BIND of too much interrupted", .prepare = fill_binds,
	    .works = bind_more_works),
	ROW(-EINTR, wait_killed, "BO_WAIT killed", .runs = NR_KILLS, .prepare = begin,
	    .works = wait_works),
	ROW(-EINTR, place_killed, "BO_PLACE killed", .runs = NR_KILLS, .prepare = begin,
	    .works = place_works),
	ROW(-EINTR, fence_wait_killed, "FENCE_WAIT killed", .runs = NR_KILLS, .prepare = begin),
	ROW(-EINTR, hold_killed, "MAKE_RESIDENT killed", .runs = NR_KILLS, .prepare = begin,
	    .works = hold_works),
	ROW(-EINTR, bind_more_killed, "VM_BIND of too much killed", .runs = NR_KILLS,
	    .prepare = fill_binds_once, .works = bind_more_works),
	ROW(-EINTR, exec_more_killed, "EXEC of too much killed", .runs = NR_KILLS,
	    .prepare = fill_exec_once, .works = exec_more_works),
	ROW(-EINTR, submit_killed, "SUBMIT killed", .runs = NR_KILLS, .prepare = begin,
	    .works = submit_works),
	ROW(-EFAULT, create_untold, "BO_CREATE that can not be told", .runs = NR_UNTOLD),
	ROW(-EFAULT, context_untold, "CONTEXT_CREATE that can not be told", .runs = NR_UNTOLD),
	ROW(-EFAULT, vm_untold, "VM_CREATE that can not be told", .runs = NR_UNTOLD),
	ROW(-EFAULT, fence_untold, "FENCE_CREATE that can not be told", .runs = NR_UNTOLD),
	ROW(-EFAULT, native_untold, "FENCE_CREATE of a native one that can not be told",
	    .runs = NR_UNTOLD),
};

/* Of an argument, those rows alone that have it in their name. */
int main(int argc, char **argv)
{
	tap_start(900);
	undone_begin(argc > 1 ? argv[1] : "");
	undone_rows(rows, ARRAY_SIZE(rows));
	return undone_end();
}
