// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Somebody holds the lock of an object, and waits for others with it: whoever else calls can be
 * interrupted, and goes on later as if nothing had been.
 */
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <xf86drm.h>

#include "dmabuf.h"
#include "fixture.h"
#include "vgem.h"
#include "work.h"

#define SIZE		(16 * QUIRE_PAGE)
#define SIGNAL_MS	100
#define CHILD_S		60

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place visible = {
	"visible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_VISIBLE
};

static const struct place invisible = {
	"invisible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_INVISIBLE
};

/**
 * struct held - an object whose lock is held
 * @fixture: the device
 * @object: the object, in VRAM
 * @vgem: vgem
 * @dmabuf: of the object
 * @holder: the process
 */
struct held {
	struct fixture fixture;
	struct object object;
	int vgem;
	int dmabuf;
	pid_t holder;
};

/**
 * struct call - a call that needs the lock
 * @name: of it
 * @run: makes it, once
 */
struct call {
	const char *name;
	int (*run)(const struct held *held);
};

static int run_info(const struct held *held)
{
	struct drm_quire_bo_info info = { .handle = held->object.handle };

	return quire_ioctl_once(held->fixture.fd, DRM_IOCTL_QUIRE_BO_INFO, &info);
}

static int run_madvise(const struct held *held)
{
	struct drm_quire_bo_madvise madvise = {
		.handle = held->object.handle,
		.advice = DRM_QUIRE_MADV_WILLNEED,
	};

	return quire_ioctl_once(held->fixture.fd, DRM_IOCTL_QUIRE_BO_MADVISE, &madvise);
}

static int run_place(const struct held *held)
{
	struct drm_quire_bo_place place = {
		.handle = held->object.handle,
		.segment = held->fixture.segments[DRM_QUIRE_SEGMENT_APERTURE].instance,
	};

	return quire_ioctl_once(held->fixture.fd, DRM_IOCTL_QUIRE_BO_PLACE, &place);
}

static int run_export(const struct held *held)
{
	struct drm_prime_handle prime = { .handle = held->object.handle };
	int ret = quire_ioctl_once(held->fixture.fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);

	if (!ret)
		close(prime.fd);
	return ret;
}

static int run_cpu_access(const struct held *held)
{
	struct dma_buf_sync sync = { .flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ };

	return quire_ioctl_once(held->dmabuf, DMA_BUF_IOCTL_SYNC, &sync);
}

static int run_attach(const struct held *held)
{
	struct drm_prime_handle prime = { .fd = held->dmabuf };
	int ret = quire_ioctl_once(held->vgem, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);

	if (!ret)
		drmCloseBufferHandle(held->vgem, prime.handle);
	return ret;
}

static const struct call calls[] = {
	{ "info", run_info },
	{ "madvise", run_madvise },
	{ "place", run_place },
	{ "CPU access", run_cpu_access },
	{ "attach", run_attach },
};

static const struct call willneed = { "WILLNEED", run_madvise };

static const struct call hung_calls[] = {
	{ "info", run_info },
	{ "export", run_export },
};

static void on_signal(int signal)
{
	(void)signal;
}

/* A signal comes, again and again, until the call is over. */
static int run_under_signals(const struct held *held, const struct call *call)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec time = {
		.it_value.tv_nsec = SIGNAL_MS * 1000000,
		.it_interval.tv_nsec = SIGNAL_MS * 1000000,
	};
	struct sigaction action = { .sa_handler = on_signal };
	timer_t timer;
	int ret;

	sigaction(SIGUSR1, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		tap_bail("timer_create");
	timer_settime(timer, 0, &time, NULL);
	ret = call->run(held);
	timer_delete(timer);
	return ret;
}

static void test_interrupted(const struct held *held, const struct call *call)
{
	tap_ret(run_under_signals(held, call), -EINTR, "%s: a signal ends it", call->name);
}

/* Evicts it, which drops its content, and so waits until nobody is at work with it. */
static void run_evict(const struct held *held)
{
	_exit(-debugfs_write(held->fixture.debugfs, "evict_all", "1"));
}

/*
 * Adds 0 to a word of it. The futex code brings it in with a fault that can not be retried:
 * that one waits for the move with the object locked.
 */
static void run_touch(const struct held *held)
{
	struct sigaction action = { .sa_handler = on_signal };
	uint32_t other = 0;
	void *map;

	sigaction(SIGUSR1, &action, NULL);
	if (quire_bo_map(held->fixture.fd, held->object.handle, SIZE, &map))
		_exit(1);
	_exit(syscall(SYS_futex, &other, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 1, 1, map,
		      FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) < 0);
}

/* Returns when the holder waits for others, with the lock. */
static void hold(struct held *held, void (*run)(const struct held *held))
{
	held->holder = child_start(CHILD_S);
	if (!held->holder)
		run(held);
	tap_ok(child_gets_within(held->holder, "dma_fence_default_wait", WAIT_MS),
	       "somebody holds it");
}

static void test_calls(const struct held *held, const struct call *call, size_t count)
{
	for (size_t i = 0; i < count; i++)
		test_interrupted(held, &call[i]);
	tap_ok(child_is_running(held->holder), "it was held all the time");
}

static void test_work(const struct held *held, const struct call *call, size_t count)
{
	for (size_t i = 0; i < count; i++)
		tap_ret(call[i].run(held), 0, "%s: works now", call[i].name);
}

/* Somebody is at work with it, and it has no content to keep: its eviction waits. */
static void test_evicted(struct held *held)
{
	const struct fixture *fixture = &held->fixture;
	uint32_t handle = held->object.handle, fence;
	bool retained = true;

	tap_ret(object_place_and_wait(fixture, &held->object, &vram), 0, "place it in VRAM");
	tap_ret(quire_bo_madvise(fixture->fd, handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"DONTNEED");
	held->dmabuf = dmabuf_export(fixture->fd, handle);
	tap_ret(vgem_attach_fence(held->vgem, fixture->fd, handle, &fence), 0,
		"somebody is at work with it");
	hold(held, run_evict);
	test_calls(held, calls, ARRAY_SIZE(calls));
	tap_ret(vgem_signal_fence(held->vgem, fence), 0, "the other one is done");
	tap_ret(child_status(held->holder), 0, "and who held it");
	tap_ret(quire_bo_madvise(fixture->fd, handle, DRM_QUIRE_MADV_WILLNEED, &retained), 0,
		"WILLNEED");
	tap_ok(!retained, "it was dropped: no call has changed that");
	test_work(held, calls, ARRAY_SIZE(calls));
	close(held->dmabuf);
}

/* A purged object gets new content when nobody is at work with it, and not before. */
static void test_renewed(struct held *held)
{
	const struct fixture *fixture = &held->fixture;
	uint32_t handle = held->object.handle, fence;
	bool retained = true;

	tap_ret(object_place_and_wait(fixture, &held->object, &vram), 0, "place it in VRAM");
	tap_ret(quire_bo_madvise(fixture->fd, handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"DONTNEED");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "it is dropped");
	tap_ret(vgem_attach_fence(held->vgem, fixture->fd, handle, &fence), 0,
		"somebody is at work with it");
	test_interrupted(held, &willneed);
	tap_ok(object_flags(fixture, &held->object) & DRM_QUIRE_BO_PURGED, "it is purged");
	tap_ret(vgem_signal_fence(held->vgem, fence), 0, "the other one is done");
	tap_ret(quire_bo_madvise(fixture->fd, handle, DRM_QUIRE_MADV_WILLNEED, &retained), 0,
		"WILLNEED");
	tap_ok(!retained, "it was purged until then");
	tap_ret(object_check_zero(fixture, &held->object), 0, "it reads as zero");
}

/*
 * Somebody is at work with what the CPU does not see, and it is touched. A signal comes, which
 * is none that says that it is lost.
 */
static void test_signalled(struct held *held)
{
	const struct fixture *fixture = &held->fixture;
	uint32_t fence;

	if (!fixture_has_place(fixture, &invisible, SIZE)) {
		tap_skip("all of VRAM is visible", "a signal while a fault moves it");
		return;
	}
	tap_ret(object_fill(fixture, &held->object), 0, "new content");
	tap_ret(object_place_and_wait(fixture, &held->object, &invisible), 0,
		"where the CPU does not see it");
	tap_ret(vgem_attach_fence(held->vgem, fixture->fd, held->object.handle, &fence), 0,
		"somebody is at work with it");
	hold(held, run_touch);
	kill(held->holder, SIGUSR1);
	test_sleep_ms(SIGNAL_MS);
	tap_ok(child_is_running(held->holder), "it is touched, and a signal comes");
	tap_ret(vgem_signal_fence(held->vgem, fence), 0, "the other one is done");
	tap_ret(child_status(held->holder), 0, "then it is there");
	tap_ret(object_check(fixture, &held->object), 0, "the content is whole");
}

/* A move hangs, and somebody touches what moves. It was never shared. */
static void test_touched(struct held *held)
{
	const struct fixture *fixture = &held->fixture;

	tap_ret(object_create(fixture, &held->object, SIZE, 2), 0, "another one");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	fixture_inject(fixture, "hang 1");
	tap_ret(object_place(fixture, &held->object, &visible), 0, "it moves");
	fixture_wait_hung(fixture);
	hold(held, run_touch);
	test_calls(held, hung_calls, ARRAY_SIZE(hung_calls));
	test_parameter("hang_period", 3000);
	tap_ret(child_status(held->holder), 0, "who held it goes on");
	test_work(held, hung_calls, ARRAY_SIZE(hung_calls));
	tap_ret(object_check(fixture, &held->object), 0, "the content is whole");
	object_close(fixture, &held->object);
}

int main(void)
{
	struct held held;

	tap_start(60);
	fixture_open(&held.fixture);
	held.vgem = vgem_open();
	if (held.vgem < 0 || !*held.fixture.debugfs)
		tap_skip_all("no vgem, or not root");
	tap_ret(object_create(&held.fixture, &held.object, SIZE, 1), 0, "create");
	test_evicted(&held);
	test_renewed(&held);
	test_signalled(&held);
	object_close(&held.fixture, &held.object);
	if (held.fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)
		test_touched(&held);
	close(held.vgem);
	tap_ok(fixture_settles(&held.fixture, held.fixture.segments), "usage is what it was");
	return tap_done();
}
