// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Monitored fences: values grow and nobody but the device writes them; the program sees them,
 * calls and commands wait for them; signals wait for other work, and other work for signals.
 */
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "dmabuf.h"
#include "monitored.h"
#include "peek.h"
#include "refuse.h"
#include "space.h"
#include "syncs.h"

/* Where a fence is bound. */
#define FENCE	0x300000000ull

/* Submissions, four times as many as the scheduler gives the ring at a time. */
#define MANY	"256"

/* It had the time for it. */
#define STILL_MS	100

static bool is_zero_behind(const struct monitored *fence)
{
	return pattern_not_zero(fence->page + 1, QUIRE_PAGE - sizeof(uint64_t)) == PATTERN_SAME;
}

static void test_values(const struct fixture *fixture)
{
	struct drm_quire_bo_info info = { 0 };
	struct monitored fence;

	monitored_open(&fence, fixture->fd, 5);
	tap_ret(quire_bo_info(fixture->fd, fence.handle, &info), 0, "info of a fence");
	tap_ok(info.size == QUIRE_PAGE && !info.segment && info.segments == 1,
	       "it is a page of system memory");
	tap_ok(monitored_value(&fence) == 5 && is_zero_behind(&fence),
	       "it begins with its value, and zero behind");
	tap_ret(monitored_wait(&fence, 0, 0), 0, "a value below is there");
	tap_ret(monitored_wait(&fence, 5, 0), 0, "and the value itself");
	tap_ret(monitored_wait(&fence, 6, 0), -ETIME, "one above is not");
	tap_ret(monitored_signal(&fence, 5), -EINVAL, "the same value");
	tap_ret(monitored_signal(&fence, 4), -EINVAL, "a value below");
	tap_ret(monitored_signal(&fence, 6), 0, "one above");
	tap_ret(monitored_wait(&fence, 6, WAIT_MS), 0, "is waited for");
	tap_ok(monitored_value(&fence) == 6, "and seen");
	tap_ret(monitored_signal(&fence, 6), -EINVAL, "the same value again");
	tap_ret(monitored_wait(&fence, 1ull << 63, 0), -ETIME, "a large one is not there");
	tap_ret(monitored_signal(&fence, 1ull << 63), 0, "nor is it below: there is no sign");
	tap_ret(monitored_wait(&fence, 1ull << 63, WAIT_MS), 0, "it comes");
	tap_ret(monitored_wait(&fence, 8, 0), 0, "and is above a small one");
	tap_ret(monitored_signal(&fence, 7), -EINVAL, "what was queued last counts");
	tap_ret(monitored_signal(&fence, UINT64_MAX), 0, "the largest");
	tap_ret(monitored_wait(&fence, UINT64_MAX, WAIT_MS), 0, "is waited for");
	tap_ok(monitored_value(&fence) == UINT64_MAX && is_zero_behind(&fence),
	       "and seen, with zero behind");
	tap_ret(monitored_signal(&fence, UINT64_MAX), -EINVAL, "there is none above");
	monitored_close(&fence);
}

static int map_error(int fd, uint64_t offset, int protection, int flags)
{
	void *map = mmap(NULL, QUIRE_PAGE, protection, flags, fd, offset);

	if (map == MAP_FAILED)
		return -errno;
	munmap(map, QUIRE_PAGE);
	return 0;
}

static void test_mapping(const struct fixture *fixture)
{
	struct monitored fence;
	uint64_t offset;

	monitored_open(&fence, fixture->fd, 1);
	offset = monitored_offset(fixture->fd, fence.handle);
	tap_ret(map_error(fixture->fd, offset, PROT_READ, MAP_SHARED), 0, "a read-only mapping");
	tap_ret(map_error(fixture->fd, offset, PROT_READ | PROT_WRITE, MAP_SHARED), -EACCES,
		"a writable one");
	tap_ret(map_error(fixture->fd, offset, PROT_WRITE, MAP_SHARED), -EACCES,
		"one for writing alone");
	tap_ret(map_error(fixture->fd, offset, PROT_READ, MAP_PRIVATE), -EINVAL, "a private one");
	tap_ret(mprotect((void *)fence.page, QUIRE_PAGE, PROT_READ | PROT_WRITE) ? -errno : 0,
		-EACCES, "it does not become writable");
	tap_ret(poke(getpid(), fence.page, 99), -EIO, "a debugger does not write either");
	tap_ok(sigbus_on_read(fence.page) == false && monitored_value(&fence) == 1,
	       "the value is what it was");
	quire_bo_close(fixture->fd, fence.handle);
	tap_ok(monitored_value(&fence) == 1, "it is there as long as the mapping");
	munmap((void *)fence.page, QUIRE_PAGE);
}

/* Who waits hears of it, whether anything was queued before or not. */
static void test_woken(const struct fixture *fixture)
{
	struct monitored fence;
	int64_t start;
	pid_t pid;

	monitored_open(&fence, fixture->fd, 0);
	pid = monitored_start_waiter(&fence, 3);
	tap_ret(monitored_signal(&fence, 2), 0, "a value below");
	tap_ret(monitored_wait(&fence, 2, WAIT_MS), 0, "is there");
	test_sleep_ms(STILL_MS);
	tap_ok(child_is_running(pid), "and ends no wait for one above");
	tap_ret(monitored_signal(&fence, 4), 0, "a value above");
	tap_ret(child_status(pid), 0, "does");
	start = quire_now_ns();
	tap_ret(monitored_wait(&fence, 5, STILL_MS), -ETIME, "a value that does not come");
	/* The kernel counts ticks, and a machine may be late with them. */
	tap_ok(quire_now_ns() - start >= STILL_MS * 500000ll, "is waited for about that long");
	monitored_close(&fence);
}

/* Whoever looks for memory, the page stays where it is. */
static void test_swap(const struct fixture *fixture)
{
	struct monitored fence;
	unsigned int left = 1000;

	if (!*fixture->debugfs) {
		tap_skip("no debugfs, or not root", "swapping out");
		return;
	}
	monitored_open(&fence, fixture->fd, 1);
	while (left && debugfs_swap_out() > 0)
		left--;
	tap_ok(left, "objects are swapped out");
	tap_ret(monitored_signal(&fence, 2) ?: monitored_wait(&fence, 2, WAIT_MS), 0,
		"a value after that");
	tap_ok(monitored_value(&fence) == 2, "is seen");
	monitored_close(&fence);
}

/* An interrupt that is lost is found out. */
static void test_lost_interrupt(const struct fixture *fixture)
{
	struct monitored fence;
	pid_t pid;

	if (!*fixture->debugfs) {
		tap_skip("no debugfs, or not root", "lost interrupts");
		return;
	}
	monitored_open(&fence, fixture->fd, 0);
	test_parameter("hang_period", 500);
	pid = monitored_start_waiter(&fence, 1);
	fixture_inject(fixture, "drop-irq 2");
	tap_ret(monitored_signal(&fence, 1), 0, "a value whose interrupt is lost");
	tap_ret(child_status(pid), 0, "ends the wait");
	fixture_inject(fixture, "drop-irq 0");
	test_parameter("hang_period", 3000);
	monitored_close(&fence);
}

static void on_alarm(int number)
{
	(void)number;
}

/* Signals come, again and again, until this process ends: one of them while it waits. */
static void begin_alarms(void)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	const struct itimerval often = {
		.it_interval.tv_usec = STILL_MS * 1000, .it_value.tv_usec = STILL_MS * 1000,
	};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void test_signals(const struct fixture *fixture)
{
	struct monitored fence;
	pid_t pid;

	monitored_open(&fence, fixture->fd, 0);
	pid = child_start(60);
	if (!pid) {
		struct drm_quire_fence_wait wait = {
			.handle = fence.handle, .value = 1,
			.timeout_ns = quire_now_ns() + WAIT_MS * 1000000ll,
		};

		begin_alarms();
		_exit(-quire_ioctl_once(fence.fd, DRM_IOCTL_QUIRE_FENCE_WAIT, &wait));
	}
	tap_ret(child_status(pid), EINTR, "a signal ends the wait");
	pid = monitored_start_waiter(&fence, 1);
	child_kill(pid);
	tap_ret(monitored_signal(&fence, 1), 0, "who waits is killed, and nobody misses him");
	tap_ret(monitored_wait(&fence, 1, WAIT_MS), 0, "the value comes");
	monitored_close(&fence);
}

static int bind_fence(const struct space *space, const struct monitored *fence, uint32_t flags)
{
	const struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_MAP, .flags = flags, .address = FENCE,
		.size = QUIRE_PAGE, .handle = fence->handle,
	};

	return quire_vm_bind(space->vm, &bind, 1, NULL, NULL);
}

/* Commands wait until the value is there. */
static void test_commands(struct work *work)
{
	struct monitored fence;
	struct space space;

	space_open(&space, work);
	monitored_open(&fence, work->fixture.fd, 8);
	tap_ret(bind_fence(&space, &fence, 0), -EACCES, "a fence that could be written");
	tap_ret(bind_fence(&space, &fence, DRM_QUIRE_BIND_READ_ONLY), 0, "a read-only one");
	space.results[1] = 0;
	quire_write_wait(&space.writer, QUIRE_WAIT_GREATER_EQUAL, FENCE, 10);
	quire_write_value(&space.writer, SPACE_RESULTS + 8, 77);
	tap_ret(space_exec(&space, NULL, space.fence), 0, "commands that wait for it");
	tap_ret(monitored_signal(&fence, 9), 0, "a value below");
	tap_ret(monitored_wait(&fence, 9, WAIT_MS), 0, "is there");
	tap_ok(quire_fence_wait(space.fence, 0, STILL_MS * 1000000ll) == -ETIME &&
	       !space.results[1], "they wait");
	tap_ret(monitored_signal(&fence, 10), 0, "the value");
	tap_ret(work_fence_wait(space.fence), 0, "they go on");
	tap_ok(space.results[1] == 77, "to their end");
	space_rewind(&space);
	quire_write_value(&space.writer, FENCE, 1000);
	tap_ok(space_run(&space) < 0 && monitored_value(&fence) == 10, "they can not write it");
	space_renew_context(&space);
	quire_bo_close(work->fixture.fd, fence.handle);
	munmap((void *)fence.page, QUIRE_PAGE);
	space.results[1] = 0;
	quire_write_wait(&space.writer, QUIRE_WAIT_GREATER_EQUAL, FENCE, 10);
	quire_write_value(&space.writer, SPACE_RESULTS + 8, 78);
	tap_ret(space_run(&space), 0, "it is closed, and bound yet");
	tap_ok(space.results[1] == 78, "commands read it");
	space_close(&space);
}

/**
 * struct stage - work that is held
 * @work: the device
 * @gate: where it waits
 * @context: of it
 * @held: its end
 */
struct stage {
	struct work *work;
	struct gate gate;
	struct quire_context *context;
	struct quire_fence *held;
};

static void stage_open(struct stage *stage, struct work *work)
{
	stage->work = work;
	work_gate_open_apart(work, &stage->gate);
	stage->context = work_context(work);
	stage->held = work_fence(work);
	work_wait_at(work, &stage->gate, 1);
	if (work_submit(work, stage->context, 1, NULL, stage->held))
		tap_bail("hold");
}

static void stage_let_go(struct stage *stage)
{
	work_gate_raise(&stage->gate, 1);
}

static void stage_close(struct stage *stage)
{
	work_gate_close(&stage->gate);
	quire_fence_close(stage->held);
	quire_context_destroy(stage->context);
}

static struct drm_quire_sync wait_for(const struct stage *stage)
{
	return (struct drm_quire_sync){
		.handle = quire_fence_syncobj(stage->held), .flags = DRM_QUIRE_SYNC_WAIT,
	};
}

/* Points of a timeline, which are the fences of its values. */
static void test_order(struct work *work)
{
	const struct fixture *fixture = &work->fixture;
	uint32_t timeline = sync_create(fixture);
	struct drm_quire_sync syncs[2];
	struct monitored fence, other;
	struct stage stage;

	stage_open(&stage, work);
	monitored_open(&fence, fixture->fd, 0);
	monitored_open(&other, fixture->fd, 0);
	syncs[0] = wait_for(&stage);
	syncs[1] = (struct drm_quire_sync){ timeline, DRM_QUIRE_SYNC_SIGNAL, 1 };
	tap_ret(monitored_signal_syncs(&fence, 1, syncs, 2), 0, "a value that waits for work");
	syncs[1].point = 2;
	tap_ret(monitored_signal_syncs(&fence, 2, syncs + 1, 1), 0, "one that follows it");
	tap_ret(monitored_signal(&other, 1), 0, "one of another fence");
	tap_ret(monitored_wait(&other, 1, WAIT_MS), 0, "is written");
	tap_ret(monitored_wait(&fence, 1, STILL_MS), -ETIME, "the first one waits");
	tap_ok(!monitored_value(&fence), "and with it the second one: values do not go back");
	tap_ret(sync_wait(fixture, timeline, 1, STILL_MS), -ETIME, "and their points");
	stage_let_go(&stage);
	tap_ret(sync_wait(fixture, timeline, 1, WAIT_MS), 0, "the work ends: one point");
	tap_ok(monitored_value(&fence) >= 1, "has its value in memory");
	tap_ret(sync_wait(fixture, timeline, 2, WAIT_MS), 0, "the other one");
	tap_ok(monitored_value(&fence) == 2, "likewise");
	drmSyncobjDestroy(fixture->fd, timeline);
	monitored_close(&other);
	monitored_close(&fence);
	stage_close(&stage);
}

/* A wait for a point of a timeline is not one for those behind it. */
static void test_point(struct work *work)
{
	const struct fixture *fixture = &work->fixture;
	uint32_t timeline = sync_create(fixture);
	const struct drm_quire_sync sync = { timeline, DRM_QUIRE_SYNC_WAIT, 1 };
	struct stage first, second;
	struct monitored fence;

	stage_open(&first, work);
	stage_open(&second, work);
	monitored_open(&fence, fixture->fd, 0);
	if (drmSyncobjTransfer(fixture->fd, timeline, 1, quire_fence_syncobj(first.held), 0, 0) ||
	    drmSyncobjTransfer(fixture->fd, timeline, 2, quire_fence_syncobj(second.held), 0, 0))
		tap_bail("transfer");
	tap_ret(monitored_signal_syncs(&fence, 1, &sync, 1), 0, "a value that waits for a point");
	tap_ret(monitored_wait(&fence, 1, STILL_MS), -ETIME, "it does");
	stage_let_go(&first);
	tap_ret(monitored_wait(&fence, 1, WAIT_MS), 0, "the point is there: it is written");
	tap_ret(sync_wait(fixture, timeline, 2, 0), -ETIME, "the next point is not there");
	stage_let_go(&second);
	tap_ret(sync_wait(fixture, timeline, 2, WAIT_MS), 0, "and comes");
	drmSyncobjDestroy(fixture->fd, timeline);
	monitored_close(&fence);
	stage_close(&second);
	stage_close(&first);
}

/* What is queued is done, whoever has closed the fence. */
static void test_close(struct work *work)
{
	const struct fixture *fixture = &work->fixture;
	uint32_t syncobj = sync_create(fixture);
	struct drm_quire_sync syncs[2];
	struct monitored fence;
	struct stage stage;

	stage_open(&stage, work);
	monitored_open(&fence, fixture->fd, 0);
	syncs[0] = wait_for(&stage);
	syncs[1] = (struct drm_quire_sync){ syncobj, DRM_QUIRE_SYNC_SIGNAL, 0 };
	tap_ret(monitored_signal_syncs(&fence, 1, syncs, 2), 0, "a value that waits for work");
	monitored_close(&fence);
	tap_ret(sync_wait(fixture, syncobj, 0, STILL_MS), -ETIME, "its fence is closed, it waits");
	stage_let_go(&stage);
	tap_ret(sync_wait(fixture, syncobj, 0, WAIT_MS), 0, "and is done");
	drmSyncobjDestroy(fixture->fd, syncobj);
	stage_close(&stage);
}

/* So many are queued, and one more waits; a signal ends that. */
static void test_flood(struct work *work)
{
	struct monitored fence;
	struct stage stage;
	unsigned int i;
	int ret = 0;
	pid_t pid;

	stage_open(&stage, work);
	monitored_open(&fence, work->fixture.fd, 0);
	for (i = 0; i < DRM_QUIRE_MAX_SIGNALS && !ret; i++) {
		const struct drm_quire_sync sync = wait_for(&stage);

		ret = monitored_signal_syncs(&fence, i + 1, &sync, 1);
	}
	tap_ret(ret, 0, "%u values wait", i);
	pid = child_start(60);
	if (!pid) {
		struct drm_quire_fence_signal more = {
			.handle = fence.handle, .value = DRM_QUIRE_MAX_SIGNALS + 1,
		};

		begin_alarms();
		_exit(-quire_ioctl_once(fence.fd, DRM_IOCTL_QUIRE_FENCE_SIGNAL, &more));
	}
	tap_ret(child_status(pid), EINTR, "one more waits, until a signal");
	stage_let_go(&stage);
	tap_ret(monitored_signal(&fence, DRM_QUIRE_MAX_SIGNALS + 1), 0,
		"later there is room, and its value was not taken");
	tap_ret(monitored_wait(&fence, DRM_QUIRE_MAX_SIGNALS + 1, WAIT_MS), 0, "all are written");
	monitored_close(&fence);
	stage_close(&stage);
}

/* One of so many ends, and nothing else happens: who waits gets its room. */
static void test_room(struct work *work)
{
	struct stage first, others;
	struct monitored fence;
	unsigned int i;
	int ret = 0;
	pid_t pid;

	stage_open(&first, work);
	stage_open(&others, work);
	monitored_open(&fence, work->fixture.fd, 0);
	for (i = 0; i < DRM_QUIRE_MAX_SIGNALS && !ret; i++) {
		const struct drm_quire_sync sync = wait_for(i ? &others : &first);

		ret = monitored_signal_syncs(&fence, i + 1, &sync, 1);
	}
	tap_ret(ret, 0, "%u values wait, the first one for less", i);
	pid = child_start(60);
	if (!pid)
		_exit(-monitored_signal(&fence, DRM_QUIRE_MAX_SIGNALS + 1));
	test_sleep_ms(STILL_MS);
	tap_ok(child_is_running(pid), "one more waits");
	stage_let_go(&first);
	tap_ret(child_status(pid), 0, "the first one is written: there is room");
	tap_ret(monitored_wait(&fence, 2, STILL_MS), -ETIME, "the others wait");
	stage_let_go(&others);
	tap_ret(monitored_wait(&fence, DRM_QUIRE_MAX_SIGNALS + 1, WAIT_MS), 0, "all are written");
	monitored_close(&fence);
	stage_close(&others);
	stage_close(&first);
}

/* More than the ring takes at a time: what is queued behind them waits in its queue. */
static pid_t start_many(const struct fixture *fixture)
{
	pid_t pid = child_start(60);

	if (!pid)
		_exit(-debugfs_write(fixture->debugfs, "nop_submit", MANY));
	tap_ok(child_gets_within(pid, "dma_fence_default_wait", WAIT_MS), "many are queued");
	return pid;
}

/*
 * A value follows what was moved before, also of what waits with it for the ring: when it is there,
 * the device executes nothing more, and the driver hears of the end of the move all the same.
 */
static void test_after_moves(const struct fixture *fixture)
{
	struct object first, object;
	struct monitored fence;
	pid_t pid;

	test_parameter("hang_period", 600000);
	monitored_open(&fence, fixture->fd, 0);
	tap_ret(object_create(fixture, &first, QUIRE_PAGE, 1), 0, "create");
	tap_ret(object_create(fixture, &object, 8 * QUIRE_MIB, 1), 0, "create");
	fixture_inject(fixture, "hang 1");
	tap_ret(object_place(fixture, &first, &places[2]), 0, "a move that hangs");
	pid = start_many(fixture);
	tap_ret(object_place(fixture, &object, &places[2]), 0, "a move behind them");
	tap_ret(monitored_signal(&fence, 1), 0, "a value behind that");
	test_parameter("hang_period", 500);
	tap_ret(monitored_wait(&fence, 1, WAIT_MS), 0, "is there");
	test_parameter("hang_period", 600000);
	fixture_inject(fixture, "hang 1");
	tap_ret(quire_bo_wait(fixture->fd, object.handle, WAIT_MS), 0,
		"and the move is done");
	tap_ret(child_status(pid), 0, "and all before them");
	fixture_inject(fixture, "hang 0");
	test_parameter("hang_period", 500);
	tap_ret(debugfs_write(fixture->debugfs, "nop_submit", "1"), 0, "the device goes on");
	test_parameter("hang_period", 3000);
	object_close(fixture, &first);
	object_close(fixture, &object);
	monitored_close(&fence);
}

#define CREATE(...)	REFUSED(s, DRM_IOCTL_QUIRE_FENCE_CREATE, \
				struct drm_quire_fence_create, __VA_ARGS__)
#define SIGNAL(...)	REFUSED(s, DRM_IOCTL_QUIRE_FENCE_SIGNAL, \
				struct drm_quire_fence_signal, __VA_ARGS__)
#define WAIT(...)	REFUSED(s, DRM_IOCTL_QUIRE_FENCE_WAIT, \
				struct drm_quire_fence_wait, __VA_ARGS__)

static void test_bad_syncs(struct subject *s, uint32_t handle)
{
	uint32_t syncobj = sync_create(s->fixture);
	struct drm_quire_sync sync = { syncobj, DRM_QUIRE_SYNC_WAIT, 0 };

	SIGNAL(-ENOENT, "signal: a fence that there is not", .handle = handle, .value = 9,
	       .syncs = DRM_QUIRE_ARRAY(1, &sync));
	sync.flags = DRM_QUIRE_SYNC_WAIT | DRM_QUIRE_SYNC_SIGNAL;
	SIGNAL(-EINVAL, "signal: both flags", .handle = handle, .value = 9,
	       .syncs = DRM_QUIRE_ARRAY(1, &sync));
	sync.flags = DRM_QUIRE_SYNC_SIGNAL;
	sync.handle = NO_HANDLE;
	SIGNAL(-ENOENT, "signal: no syncobj", .handle = handle, .value = 9,
	       .syncs = DRM_QUIRE_ARRAY(1, &sync));
	sync.handle = syncobj;
	SIGNAL(-EINVAL, "signal: a value below, with a syncobj", .handle = handle, .value = 1,
	       .syncs = DRM_QUIRE_ARRAY(1, &sync));
	tap_ok(sync_is_untouched(s->fixture, syncobj), "which gets no fence");
	SIGNAL(-E2BIG, "signal: too many syncs", .handle = handle, .value = 9,
	       .syncs = { sizeof(sync), DRM_QUIRE_MAX_SYNCS + 1, BAD_POINTER });
	SIGNAL(-EFAULT, "signal: bad pointer of syncs", .handle = handle, .value = 9,
	       .syncs = { sizeof(sync), 1, BAD_POINTER });
	drmSyncobjDestroy(s->fixture->fd, syncobj);
}

/* What other objects can be used for. */
static void test_no_object(struct subject *s, uint32_t handle)
{
	const uint64_t nop = QUIRE_COMMAND_NOP | 8ull << 32;
	struct drm_quire_allocation allocation = { .handle = handle, .size = QUIRE_PAGE };
	struct drm_quire_context_create context = { 0 };

	REFUSED(s, DRM_IOCTL_QUIRE_BO_PLACE, struct drm_quire_bo_place, -EPERM, "place a fence",
		.handle = handle);
	REFUSED(s, DRM_IOCTL_QUIRE_BO_MADVISE, struct drm_quire_bo_madvise, -EPERM,
		"offer a fence", .handle = handle, .advice = DRM_QUIRE_MADV_DONTNEED);
	tap_ret(dmabuf_export(s->fixture->fd, handle), -EPERM, "export a fence");
	tap_ret(quire_ioctl(s->fixture->fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &context), 0,
		"a context");
	REFUSED(s, DRM_IOCTL_QUIRE_SUBMIT, struct drm_quire_submit, -ENOMEDIUM,
		"submit a fence", .context = context.context, .commands = (uintptr_t)&nop,
		.commands_size = sizeof(nop), .allocations = DRM_QUIRE_ARRAY(1, &allocation));
	quire_ioctl(s->fixture->fd, DRM_IOCTL_QUIRE_CONTEXT_DESTROY,
		    &(struct drm_quire_context_destroy){ .context = context.context });
}

static void test_args(const struct fixture *fixture)
{
	struct subject subject, *s = &subject;
	struct monitored fence;
	uint32_t handle;

	subject_make(s, fixture);
	monitored_open(&fence, fixture->fd, 1);
	handle = fence.handle;
	CREATE(-EINVAL, "create: unknown flag", .flags = 1u << 31);
	SIGNAL(-EINVAL, "signal: pad", .handle = handle, .value = 9, .pad = 1);
	SIGNAL(-ENOENT, "signal: handle 0", .value = 9);
	SIGNAL(-ENOENT, "signal: unknown handle", .handle = NO_HANDLE, .value = 9);
	SIGNAL(-EMEDIUMTYPE, "signal: another object", .handle = s->object.handle, .value = 9);
	WAIT(-EINVAL, "wait: pad", .handle = handle, .pad = 1);
	WAIT(-ENOENT, "wait: handle 0", .value = 0);
	WAIT(-ENOENT, "wait: unknown handle", .handle = NO_HANDLE);
	WAIT(-EMEDIUMTYPE, "wait: another object", .handle = s->object.handle);
	WAIT(0, "wait: a negative time", .handle = handle, .value = 1, .timeout_ns = INT64_MIN);
	WAIT(0, "wait: the end of time", .handle = handle, .value = 1, .timeout_ns = INT64_MAX);
	test_bad_syncs(s, handle);
	test_no_object(s, handle);
	tap_ok(monitored_value(&fence) == 1, "the value is what it was");
	tap_ret(monitored_signal(&fence, 2), 0, "and none above was taken");
	tap_ret(monitored_wait(&fence, 2, WAIT_MS), 0, "so it grows");
	monitored_close(&fence);
	subject_close(s);
}

int main(void)
{
	struct work work;

	tap_start(150);
	work_begin(&work);
	test_args(&work.fixture);
	test_values(&work.fixture);
	test_mapping(&work.fixture);
	test_woken(&work.fixture);
	test_swap(&work.fixture);
	test_lost_interrupt(&work.fixture);
	test_signals(&work.fixture);
	test_after_moves(&work.fixture);
	if (work.fixture.info.execution_rings < 2) {
		tap_skip("there is one ring", "signals and commands");
	} else {
		test_parameter("hang_period", WORK_PATIENCE_MS);
		test_commands(&work);
		test_order(&work);
		test_point(&work);
		test_close(&work);
		test_flood(&work);
		test_room(&work);
		test_parameter("hang_period", 3000);
	}
	work_end(&work);
	return tap_done();
}
