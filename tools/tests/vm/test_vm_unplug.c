// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The device goes while programs have address spaces with binds, commands and values that wait,
 * and call it all the time: each call ends with ENODEV, everything that waits ends, and the
 * module can be unloaded after that.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "churn.h"
#include "failing.h"
#include "pending.h"
#include "syncs.h"

#define TURNS		5u
#define WAITER_S	120
/* Fences of a pending address space: of the work, the binds, and all commands. */
#define NR_FENCES	(DRM_QUIRE_BIND_QUEUES + 3)
/* As many objects as take a while to be freed. */
#define PRIVATE		400u
#define PRIVATE_SIZE	(4 * QUIRE_PAGE)
#define PRIVATE_BASE	0x6000000000ull
/* More values than can be queued. */
#define VALUES		200u

/**
 * struct going - what is there when the device goes
 * @pending: what waits
 * @churn: who calls it all the time
 * @waiters: for a value, for a fence, in a bind, and to queue one more value
 * @files: sync_files of all that waits
 */
struct going {
	struct pending pending;
	struct churn churn;
	pid_t waiters[4];
	int files[NR_FENCES];
};

/* Behind the binds that wait, all of which it replaces. */
static int bind_over(const struct pending *pending)
{
	return space_bind(&pending->space, DRM_QUIRE_BIND_UNMAP, 0, 0, DRM_QUIRE_VM_SIZE / 2);
}

static int signal_many(const struct pending *pending)
{
	int ret = 0;

	for (unsigned int i = 0; i < VALUES && !ret; i++)
		ret = monitored_signal(&pending->fence, 10 + i);
	return ret;
}

/* Returns a process that is within @function; its status is the errno of @call. */
static pid_t start_waiter(const struct pending *pending,
			  int (*call)(const struct pending *pending), const char *function)
{
	pid_t pid = child_start(WAITER_S);

	if (!pid)
		_exit(-call(pending));
	tap_ok(child_gets_within(pid, function, WAIT_MS), "somebody waits: %s", function);
	return pid;
}

static int wait_executed(const struct pending *pending)
{
	return work_fence_wait(pending->executed);
}

static void going_begin(struct going *going, struct work *work)
{
	struct pending *pending = &going->pending;
	unsigned int nr = 0;

	churn_start(&going->churn, WAITER_S);
	tap_ok(churn_goes_on(&going->churn, TURNS), "programs are at work");
	pending_open(pending, work);
	pending_queue(pending, 0);
	going->files[nr++] = quire_fence_export(pending->held, 0);
	for (unsigned int i = 0; i < DRM_QUIRE_BIND_QUEUES; i++)
		going->files[nr++] = quire_fence_export(pending->bound[i], 0);
	going->files[nr++] = quire_fence_export(pending->executed, 0);
	going->files[nr++] = quire_fence_export(pending->waited, 0);
	going->waiters[0] = monitored_start_waiter(&pending->fence, 2);
	going->waiters[1] = start_waiter(pending, bind_over, "quire_vm_bind");
	going->waiters[2] = start_waiter(pending, signal_many, "quire_fence_signal_ioctl");
	going->waiters[3] = start_waiter(pending, wait_executed, "drm_syncobj_array_wait_timeout");
}

/* What a sync_file ends with: 1 or a negative errno; 0: it does not. Closes it. */
static int end_of_file(int file)
{
	struct fence_state state = { 0 };

	if (!fd_is_ready(file, WAIT_MS) || fence_query(file, &state))
		state.status = 0;
	close(file);
	return state.status;
}

/* All that waits ends. */
static void going_end(struct going *going)
{
	churn_end(&going->churn, -ENODEV, "who is at work is told");
	tap_ret(child_status(going->waiters[0]), ENODEV, "who waits for a value is told");
	tap_ret(child_status(going->waiters[1]), ENODEV, "who waits in a bind, too");
	tap_ret(child_status(going->waiters[2]), ENODEV, "who waits to queue a value, too");
	tap_ok(child_status(going->waiters[3]) >= 0, "who waits for a fence is woken");
	for (unsigned int i = 0; i < NR_FENCES; i++)
		tap_ret(end_of_file(going->files[i]), -ENODEV, "fence %u says why", i);
}

static void test_calls(const struct pending *pending)
{
	const struct space *space = &pending->space;
	int fd = pending->work->fixture.fd;
	struct drm_quire_vm_destroy destroy = { .vm = quire_vm_id(space->vm) };
	struct drm_quire_context_create context = { .vm = destroy.vm };
	struct drm_quire_vm_create create = { 0 };
	uint32_t handle;

	tap_ret(quire_ioctl(fd, DRM_IOCTL_QUIRE_VM_CREATE, &create), -ENODEV, "VM_CREATE");
	tap_ret(bind_over(pending), -ENODEV, "VM_BIND");
	tap_ret(quire_exec(space->context, SPACE_COMMANDS, 16, NULL, NULL), -ENODEV, "EXEC");
	tap_ret(quire_ioctl(fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &context), -ENODEV,
		"CONTEXT_CREATE");
	tap_ret(monitored_create(fd, 0, &handle), -ENODEV, "FENCE_CREATE");
	tap_ret(monitored_signal(&pending->fence, 1000), -ENODEV, "FENCE_SIGNAL");
	tap_ret(monitored_wait(&pending->fence, 1000, WAIT_MS), -ENODEV, "FENCE_WAIT");
	tap_ret(quire_ioctl(fd, DRM_IOCTL_QUIRE_VM_DESTROY, &destroy), -ENODEV, "VM_DESTROY");
}

/* What closed programs leave behind is gone soon. */
static bool unloads_soon(void)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	while (quire_now_ns() < end) {
		if (!syscall(SYS_delete_module, "quire", O_NONBLOCK))
			return true;
		test_sleep_ms(20);
	}
	return false;
}

static void test_unload(void)
{
	if (access("/sys/module/quire/initstate", F_OK)) {
		tap_skip("the driver is built in", "unload it");
		return;
	}
	tap_ok(unloads_soon(), "nothing of it keeps the module");
	tap_ok(!system("modprobe quire"), "load it");
}

/* @removed: the device is pulled out; else its driver lets go of it */
static void test_gone(bool removed)
{
	struct going going;
	struct work work;
	char path[128], address[64];

	work_open(&work);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	tap_ret(sysfs_pci_address(work.fixture.fd, address, sizeof(address)), 0,
		"find the device");
	going_begin(&going, &work);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/remove", address);
	if (removed)
		tap_ok(failing_write(path, "1"), "the device is gone");
	else
		tap_ret(sysfs_driver_write("unbind", address), 0, "unbind");
	going_end(&going);
	test_calls(&going.pending);
	pending_close(&going.pending);
	work_close(&work);
	test_parameter("hang_period", 3000);
	if (removed)
		tap_ok(failing_write("/sys/bus/pci/rescan", "1"), "it comes back");
	else if (access("/sys/module/quire/initstate", F_OK))
		tap_ret(sysfs_driver_write("bind", address), 0, "bind");
	test_unload();
	fixture_reopen(&work.fixture);
	tap_ok(!fixture_usage(&work.fixture, DRM_QUIRE_SEGMENT_VRAM), "all of VRAM is free");
	fixture_test_works(&work.fixture);
	close(work.fixture.fd);
}

/* Binds all of them, and waits for its end. */
static void run_owner(int ready)
{
	struct space space;
	struct work work;

	work_open(&work);
	space_open(&space, &work);
	for (unsigned int i = 0; i < PRIVATE; i++)
		space_map(&space, PRIVATE_BASE + i * PRIVATE_SIZE,
			  space_object(&space, PRIVATE_SIZE, 0, true), 0, PRIVATE_SIZE);
	if (write(ready, "", 1) != 1)
		_exit(EPIPE);
	pause();
}

/* Objects die last, after everything else of a program, and have the address space. */
static void test_private(void)
{
	struct fixture fixture;
	char address[64], byte;
	int pipes[2];
	pid_t owner;

	fixture_open(&fixture);
	if (sysfs_pci_address(fixture.fd, address, sizeof(address)) || pipe(pipes))
		tap_bail("pipe");
	close(fixture.fd);
	owner = child_start(WAITER_S);
	if (!owner)
		run_owner(pipes[1]);
	tap_ok(read(pipes[0], &byte, 1) == 1, "a program has %u private objects", PRIVATE);
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind");
	child_kill(owner);
	close(pipes[0]);
	close(pipes[1]);
	if (access("/sys/module/quire/initstate", F_OK))
		tap_ret(sysfs_driver_write("bind", address), 0, "bind");
	test_unload();
	fixture_reopen(&fixture);
	fixture_test_works(&fixture);
	close(fixture.fd);
}

int main(void)
{
	struct fixture fixture;
	char address[64];
	bool can;

	tap_start(280);
	fixture_open(&fixture);
	can = !sysfs_pci_address(fixture.fd, address, sizeof(address)) && !getuid() &&
	      fixture.info.execution_rings > 1;
	close(fixture.fd);
	if (!can)
		tap_skip_all("no sysfs, not root, or too few rings");
	test_gone(false);
	test_gone(true);
	test_private();
	return tap_done();
}
