// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Native fences when something goes, or goes wrong: their address space, the file that made them,
 * interrupts, the machine's sleep, resets, the device. Every wait ends, no value is lost, and what
 * is nobody's any more nobody signals.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "native.h"
#include "power.h"
#include "wedge.h"

#define PERIOD_MS	500
#define SOON_MS		60000	/* less than the timeout of the waiter */
#define HEIRS		8u
#define MANY		101u	/* takes several packets to tell of */

static bool becomes_unknown(const struct work *work, const struct native *native)
{
	struct native_known known;
	unsigned int i;

	for (i = 0; i < WAIT_MS / 10; i++) {
		if (!native_known(work, native->number, &known, NULL))
			return true;
		test_sleep_ms(10);
	}
	return false;
}

/* Its commands are refused wherever its tables are, which may be where others were before. */
static bool heirs_are_refused(struct work *work, const struct native *native)
{
	struct drm_quire_context_state state = { 0 };
	struct space space;
	bool right = true;
	unsigned int i;

	for (i = 0; i < HEIRS && right; i++) {
		space_open(&space, work);
		right = native_signal(&space, native, 1000 + i) == -EIO;
		quire_context_state(space.context, &state);
		right &= state.fault == QUIRE_FAULT_NATIVE_FENCE;
		space_close(&space);
	}
	return right;
}

/* The address space goes before the fence, of which there is a handle, or a mapping only. */
static void test_left(struct work *work, bool has_handle)
{
	struct native native;
	struct space space;

	space_open(&space, work);
	native_open(&native, &space, 3);
	tap_ret(native_signal(&space, &native, 4), 0, "a value");
	if (!has_handle)
		quire_bo_close(work->fixture.fd, native.base.handle);
	space_close(&space);
	tap_ok(heirs_are_refused(work, &native), "its address space goes: others do not signal it");
	tap_ok(becomes_unknown(work, &native), "to the device it is nowhere");
	tap_ok(native_value(&native) == 4, "a mapping shows its value");
	if (has_handle) {
		tap_ret(monitored_wait(&native.base, 4, 0), 0, "which is there");
		tap_ret(monitored_wait(&native.base, 5, 100), -ETIME, "and none above");
		quire_bo_close(work->fixture.fd, native.base.handle);
	}
	munmap((void *)native.base.page, QUIRE_PAGE);
}

/* Who waits without an end is killed, and others go on. */
static void test_killed(struct space *space)
{
	struct native native;
	int64_t begin;
	pid_t pid;

	native_open(&native, space, 0);
	pid = monitored_start_waiter(&native.base, 2);
	begin = quire_now_ns();
	child_kill(pid);
	tap_ok(quire_now_ns() - begin < SOON_MS * 1000000ll, "who waits is killed, at once");
	tap_ret(native_signal(space, &native, 2), 0, "his value");
	tap_ok(native_value(&native) == 2, "comes all the same");
	monitored_close(&native.base);
}

/* Who waits looks by himself from time to time. */
static void test_lost_interrupt(struct space *space)
{
	const struct fixture *fixture = &space->work->fixture;
	struct native native;
	int64_t begin;
	pid_t pid;

	native_open(&native, space, 0);
	pid = monitored_start_waiter(&native.base, 1);
	fixture_inject(fixture, "drop-irq 1000");
	begin = quire_now_ns();
	native_write_signal(space, native.number, 1);
	tap_ret(space_exec(space, NULL, space->fence), 0, "a value, of which nobody hears");
	tap_ret(child_status(pid), 0, "ends a wait");
	tap_ok(quire_now_ns() - begin < SOON_MS * 1000000ll, "soon");
	fixture_inject(fixture, "drop-irq 0");
	tap_ret(work_fence_wait(space->fence), 0, "the commands end");
	space_rewind(space);
	monitored_close(&native.base);
}

static bool all_are_known(const struct work *work, const struct native *natives)
{
	struct native_known known;
	unsigned int i;

	for (i = 0; i < MANY; i++)
		if (!native_known(work, natives[i].number, &known, NULL))
			return false;
	return true;
}

static bool all_are(const struct native *natives, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < MANY; i++)
		if (native_value(&natives[i]) != value + i)
			return false;
	return true;
}

static int signal_all(struct space *space, const struct native *natives, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < MANY; i++)
		native_write_signal(space, natives[i].number, value + i);
	return space_run(space);
}

/* The device has forgotten all of them, and is told of all before anything is executed. */
static void test_many(struct space *space)
{
	const struct work *work = space->work;
	struct native natives[MANY];
	char address[64];
	unsigned int i;

	for (i = 0; i < MANY; i++)
		native_open(&natives[i], space, 0);
	tap_ret(signal_all(space, natives, 100), 0, "values of %u fences", MANY);
	tap_ret(sysfs_pci_address(work->fixture.fd, address, sizeof(address)), 0,
		"find the device");
	tap_ret(sysfs_reset(address), 0, "a reset of the function");
	tap_ok(all_are_known(work, natives), "the device knows all of them");
	tap_ok(all_are(natives, 100), "values are what they were");
	tap_ret(signal_all(space, natives, 1000), 0, "they grow");
	tap_ok(all_are(natives, 1000), "to values of their own");
	for (i = 0; i < MANY; i++)
		monitored_close(&natives[i].base);
}

static void test_sleep(struct space *space)
{
	struct native native;
	pid_t pid;

	if (!power_begin()) {
		tap_skip("no pm_test", "sleep");
		return;
	}
	native_open(&native, space, 0);
	tap_ret(native_signal(space, &native, 1), 0, "a value");
	pid = monitored_start_waiter(&native.base, 3);
	tap_ret(power_state("mem"), 0, "sleep");
	power_end();
	tap_ok(native_value(&native) == 1 && child_is_running(pid), "the value is what it was");
	tap_ret(native_signal(space, &native, 2), 0, "the next one");
	tap_ok(native_value(&native) == 2 && child_is_running(pid), "ends no wait");
	tap_ret(native_signal(space, &native, 3), 0, "the one after it");
	tap_ret(child_status(pid), 0, "does");
	monitored_close(&native.base);
}

/* Another file of the primary node, where objects have names. */
static int open_named(const struct native *native, const char *path, struct native *other)
{
	struct drm_gem_flink flink = { .handle = native->base.handle };
	struct drm_gem_open named = { 0 };

	*other = *native;
	other->base.fd = open(path, O_RDWR | O_CLOEXEC);
	if (drmIoctl(native->base.fd, DRM_IOCTL_GEM_FLINK, &flink))
		return -errno;
	named.name = flink.name;
	if (drmIoctl(other->base.fd, DRM_IOCTL_GEM_OPEN, &named))
		return -errno;
	other->base.handle = named.handle;
	return 0;
}

/* Who made it closes it: another file has it, and commands let it grow, wherever it was. */
static void test_named(const struct work *work)
{
	char *path = drmGetPrimaryDeviceNameFromFd(work->fixture.fd);
	struct work primary = *work;
	struct native native, other;
	struct native_known known;
	struct space space;

	if (quire_device_open(path, &primary.device))
		tap_bail("primary node");
	primary.fixture.fd = quire_device_fd(primary.device);
	space_open(&space, &primary);
	native_open(&native, &space, 0);
	tap_ret(open_named(&native, path, &other), 0, "another file has it");
	tap_ret(native_signal(&space, &native, 1), 0, "a value");
	tap_ret(monitored_wait(&other.base, 1, 0), 0, "is there");
	quire_bo_close(native.base.fd, native.base.handle);
	tap_ret(debugfs_write(work->fixture.debugfs, "evict_all", "1"), 0,
		"who made it closes it, and it is evicted");
	tap_ret(native_signal(&space, &native, 2), 0, "the next value");
	tap_ret(monitored_wait(&other.base, 2, 0), 0, "is there");
	quire_bo_close(other.base.fd, other.base.handle);
	tap_ret(debugfs_write(work->fixture.debugfs, "evict_all", "1"), 0,
		"the other one closes it, too");
	quire_write_delay(&space.writer, 0);
	tap_ret(space_run(&space), 0, "commands go on");
	tap_ok(!native_known(work, native.number, &known, NULL), "without it");
	munmap((void *)native.base.page, QUIRE_PAGE);
	close(other.base.fd);
	space_close(&space);
	quire_device_close(primary.device);
	free(path);
}

/* As a debugger reads and writes. */
static void test_debugger(struct space *space)
{
	int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	struct native native;
	uint64_t value = 0;

	native_open(&native, space, 77);
	tap_ok(pread(memory, &value, sizeof(value), (uintptr_t)native.base.page) ==
	       sizeof(value) && value == 77, "a debugger reads its value");
	value = 78;
	tap_ok(pwrite(memory, &value, sizeof(value), (uintptr_t)native.base.page) < 0 &&
	       native_value(&native) == 77, "and does not write it");
	close(memory);
	monitored_close(&native.base);
}

/* @give_up: gives the device up */
static void test_wedged(struct work *work, void (*give_up)(const struct fixture *fixture))
{
	const uint64_t *page;
	struct native native;
	struct space space;
	char address[64];
	uint32_t handle;
	pid_t pid;

	space_open(&space, work);
	native_open(&native, &space, 3);
	pid = monitored_start_waiter(&native.base, 4);
	give_up(&work->fixture);
	tap_ret(child_status(pid), EIO, "who waits is told");
	tap_ret(monitored_wait(&native.base, 4, WAIT_MS), -EIO, "and who asks later");
	tap_ok(native_value(&native) == 3, "the value is what it was");
	handle = native.base.handle;
	page = native.base.page;
	tap_ret(native_create(work->fixture.fd, quire_vm_id(space.vm), 0, &native), -EIO,
		"none is created");
	quire_bo_close(work->fixture.fd, handle);
	munmap((void *)page, QUIRE_PAGE);
	tap_ret(sysfs_pci_address(work->fixture.fd, address, sizeof(address)), 0,
		"find the device");
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind");
	space_close(&space);
	work_close(work);
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
	work_open(work);
}

int main(void)
{
	struct space space;
	struct work work;

	tap_start(200);
	work_begin(&work);
	if (!*work.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	test_left(&work, true);
	test_left(&work, false);
	space_open(&space, &work);
	test_killed(&space);
	test_lost_interrupt(&space);
	test_many(&space);
	test_debugger(&space);
	test_sleep(&space);
	space_close(&space);
	test_named(&work);
	test_parameter("hang_period", PERIOD_MS);
	if (work.fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)
		test_wedged(&work, wedge);
	test_wedged(&work, wedge_by_reset);
	test_parameter("hang_period", 3000);
	work_end(&work);
	return tap_done();
}
