// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dmabuf.h"
#include "undone_waiting.h"

#define SYSTEM		DRM_QUIRE_SEGMENT_SYSTEM
#define VRAM		DRM_QUIRE_SEGMENT_VRAM
#define FOREVER		INT64_MAX
#define SIGNAL_US	500	/* from one to the next */

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

void waiting_start_signals(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct sigaction action = { .sa_handler = nothing };

	if (sigaction(SIGUSR1, &action, NULL) || timer_create(CLOCK_MONOTONIC, &event, &timer))
		tap_bail("no timer");
	timer_is_set = true;
	set_signals(SIGNAL_US);
}

/* After waiting_start_signals(). */
void waiting_set_signals(bool come)
{
	set_signals(come ? SIGNAL_US : 0);
}

/* Killed where it waits: a process that has the same file. */
int waiting_kill(struct stage *s, int (*call)(struct stage *s), const char *function)
{
	pid_t pid = child_start(UNDONE_S);
	bool waits;

	if (!pid)
		_exit(!!call(s));
	waits = child_gets_within(pid, function, WAIT_MS);
	kill(pid, SIGKILL);
	return child_status(pid) == -SIGKILL && waits ? -EINTR : -ECHILD;
}

static int export(struct stage *s, uint32_t handle)
{
	int dmabuf = dmabuf_export(s->fd, handle);

	if (dmabuf < 0)
		tap_bail("a dma-buf: %s", strerror(-dmabuf));
	return dmabuf;
}

/* By many at the same time. Returns @expected if all come to it, or else what one comes to. */
int waiting_together(struct stage *s, int (*call)(struct stage *s), int expected)
{
	pid_t pids[WAITING_CALLERS];
	int ret = expected;

	for (unsigned int i = 0; i < WAITING_CALLERS; i++) {
		pids[i] = child_start(UNDONE_S);
		if (!pids[i])
			_exit(-call(s));
	}
	for (unsigned int i = 0; i < WAITING_CALLERS; i++) {
		int status = -child_status(pids[i]);

		ret = status == expected ? ret : status;
	}
	return ret;
}

/* Commands of ring 1 wait, if there is one, and an object is in use by them. */
void waiting_use_dmabuf(struct stage *s, int dmabuf)
{
	struct work *work = &s->scene.work;
	struct quire_fence *fence = work_fence(work);
	int file;

	work_gate_open_apart(work, &gate);
	atexit(open_gate);
	work_wait_at(work, &gate, 1);
	if (work_submit(work, work_context(work), work->fixture.info.execution_rings > 1, NULL,
			fence))
		tap_bail("commands that wait");
	end = quire_fence_syncobj(fence);
	file = quire_fence_export(fence, 0);
	if (dmabuf_import_sync_file(dmabuf, file))
		tap_bail("an object in use");
	close(file);
	close(dmabuf);
}

void waiting_use(struct stage *s, uint32_t handle)
{
	waiting_use_dmabuf(s, export(s, handle));
}

/* The object is in system memory, bound, and in use. */
void waiting_begin(struct stage *s)
{
	const struct drm_quire_bind bind = {
		.address = UNDONE_BASE, .size = UNDONE_SIZE, .handle = s->object,
	};
	struct drm_quire_vm_bind call = { .vm = s->vm, .binds = DRM_QUIRE_ARRAY(1, &bind) };

	if (quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_BIND, &call) ||
	    undone_place(s, s->object, SYSTEM))
		tap_bail("an object");
	waiting_use(s, s->object);
}

/* The other one is exported while it has content. */
void waiting_begin_purged(struct stage *s)
{
	int dmabuf = export(s, s->other);

	if (undone_place(s, s->other, VRAM) ||
	    quire_bo_madvise(s->fd, s->other, DRM_QUIRE_MADV_DONTNEED, NULL) ||
	    debugfs_write(s->scene.work.fixture.debugfs, "evict_all", "1"))
		tap_bail("a purged object");
	waiting_use_dmabuf(s, dmabuf);
}

void waiting_begin_purged_signals(struct stage *s)
{
	waiting_begin_purged(s);
	waiting_start_signals();
}

void waiting_begin_signals(struct stage *s)
{
	waiting_begin(s);
	waiting_start_signals();
}

#define INTERRUPTED(function, ioctl, type, ...)				\
	int function(struct stage *s)				\
	{								\
		struct type argument = { __VA_ARGS__ };			\
									\
		return quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_##ioctl, &argument); \
	}

INTERRUPTED(waiting_bo, BO_WAIT, drm_quire_bo_wait, .handle = s->object, .timeout_ns = FOREVER)
INTERRUPTED(waiting_place, BO_PLACE, drm_quire_bo_place, .handle = s->object, .segment = VRAM)
INTERRUPTED(waiting_renew, BO_MADVISE, drm_quire_bo_madvise, .handle = s->other,
	    .advice = DRM_QUIRE_MADV_WILLNEED)
INTERRUPTED(waiting_fence, FENCE_WAIT, drm_quire_fence_wait, .handle = s->fence,
	    .value = ~0ull, .timeout_ns = FOREVER)
INTERRUPTED(waiting_native, FENCE_WAIT, drm_quire_fence_wait, .handle = s->native,
	    .value = ~0ull, .timeout_ns = FOREVER)

int waiting_hold(struct stage *s)
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

int waiting_submit(struct stage *s)
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

int waiting_exec(struct stage *s)
{
	const struct drm_quire_sync sync = wait_of_end();

	return exec_behind(s, &sync, 1);
}

/* Where the busy object is bound. */
int waiting_exec_busy(struct stage *s)
{
	return exec_behind(s, NULL, 0);
}

/* The busy object, once more, elsewhere. */
int waiting_bind_busy(struct stage *s)
{
	const struct drm_quire_bind bind = {
		.address = 3 * UNDONE_BASE, .size = UNDONE_SIZE, .handle = s->object,
	};
	struct drm_quire_vm_bind call = { .vm = s->vm, .binds = DRM_QUIRE_ARRAY(1, &bind) };

	return quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_VM_BIND, &call);
}

int waiting_submit_more(struct stage *s)
{
	const struct drm_quire_sync sync = wait_of_end();

	return submit_behind(s, &sync, 1);
}

int waiting_signal(struct stage *s)
{
	const struct drm_quire_sync sync = wait_of_end();
	struct drm_quire_fence_signal signal = {
		.handle = s->fence, .value = s->value + 1, .syncs = DRM_QUIRE_ARRAY(1, &sync),
	};
	int ret = quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_FENCE_SIGNAL, &signal);

	s->value += !ret;
	return ret;
}

int waiting_bind(struct stage *s)
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
	void function(struct stage *s)				\
	{								\
		waiting_begin(s);						\
		unbind(s);						\
		s->scene.subject.object.handle = s->other;		\
		waiting_start_signals();					\
		fill(s, queue);						\
		set_signals(signals);					\
	}

FILLED(waiting_fill_exec, waiting_exec, SIGNAL_US)
FILLED(waiting_fill_submit, waiting_submit_more, SIGNAL_US)
FILLED(waiting_fill_signals, waiting_signal, SIGNAL_US)
FILLED(waiting_fill_binds, waiting_bind, SIGNAL_US)
FILLED(waiting_fill_exec_once, waiting_exec, 0)
FILLED(waiting_fill_submit_once, waiting_submit_more, 0)
FILLED(waiting_fill_signals_once, waiting_signal, 0)
FILLED(waiting_fill_binds_once, waiting_bind, 0)

/* What is waited for is over, and no signal comes any more. */
void waiting_end(void)
{
	if (timer_is_set)
		set_signals(0);
	open_gate();
}
