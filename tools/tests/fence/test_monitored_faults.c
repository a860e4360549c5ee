// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Monitored fences when something goes wrong, or goes: the paging ring hangs, is reset, gives a
 * value up; the device is wedged or unbound; a program is killed; there are too many of them.
 * Every wait ends, and no value goes back.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "failing.h"
#include "monitored.h"
#include "syncs.h"
#include "wedge.h"

#define PERIOD_MS	500
#define NR_VALUES	32u

/**
 * struct watch - who looks whether values go back
 * @thread: looks
 * @fence: the fence
 * @stop: it shall not look any more
 * @back: a value was below one that was seen before
 */
struct watch {
	pthread_t thread;
	const struct monitored *fence;
	atomic_bool stop;
	bool back;
};

static void *run_watch(void *argument)
{
	struct watch *watch = argument;
	uint64_t value, last = 0;

	while (!atomic_load(&watch->stop)) {
		value = monitored_value(watch->fence);
		watch->back |= value < last;
		last = value;
	}
	return NULL;
}

static void watch_start(struct watch *watch, const struct monitored *fence)
{
	*watch = (struct watch){ .fence = fence };
	if (pthread_create(&watch->thread, NULL, run_watch, watch))
		tap_bail("thread");
}

static void watch_end(struct watch *watch)
{
	atomic_store(&watch->stop, true);
	pthread_join(watch->thread, NULL);
	tap_ok(!watch->back, "no value went back");
}

/* What the fence of a value ends with: 1 or a negative errno; 0: it does not. Closes it. */
static int end_of_file(int file)
{
	struct fence_state state = { 0 };

	if (!fd_is_ready(file, WAIT_MS) || fence_query(file, &state))
		state.status = 0;
	close(file);
	return state.status;
}

static int end_of(const struct fixture *fixture, uint32_t syncobj)
{
	return end_of_file(sync_export(fixture, syncobj));
}

static int signal_with(const struct monitored *fence, uint64_t value, uint32_t syncobj)
{
	const struct drm_quire_sync sync = { syncobj, DRM_QUIRE_SYNC_SIGNAL, 0 };

	return monitored_signal_syncs(fence, value, &sync, 1);
}

/* It hangs at a flush or at a value, and is restarted, or reset, with values behind. */
static void test_hang(const struct fixture *fixture, const char *where, unsigned int restarts)
{
	uint32_t syncobj = sync_create(fixture);
	struct monitored fence;
	struct watch watch;
	int ret = 0;

	monitored_open(&fence, fixture->fd, 0);
	watch_start(&watch, &fence);
	test_parameter("hang_restarts", restarts);
	fixture_inject(fixture, where);
	for (unsigned int i = 1; i < NR_VALUES && !ret; i++)
		ret = monitored_signal(&fence, i);
	tap_ret(ret ?: signal_with(&fence, NR_VALUES, syncobj), 0, "values, and a hang");
	fixture_wait_hung(fixture);
	tap_ret(monitored_wait(&fence, NR_VALUES, WAIT_MS), 0, "all of them are written");
	tap_ok(monitored_value(&fence) == NR_VALUES, "to the last");
	tap_ret(end_of(fixture, syncobj), 1, "and have no error");
	watch_end(&watch);
	test_parameter("hang_restarts", 1);
	drmSyncobjDestroy(fixture->fd, syncobj);
	monitored_close(&fence);
}

/*
 * Twice at one value, and the second time after a reset, in which one packet restores the
 * aperture: it is given up. Those who wait for it are told, and others follow.
 */
static void test_given_up(const struct fixture *fixture)
{
	uint32_t syncobj = sync_create(fixture);
	struct monitored fence;
	struct watch watch;
	pid_t pid;

	monitored_open(&fence, fixture->fd, 0);
	watch_start(&watch, &fence);
	test_parameter("hang_restarts", 0);
	pid = monitored_start_waiter(&fence, 3);
	fixture_inject(fixture, "hang 2");
	tap_ret(signal_with(&fence, 3, syncobj), 0, "a value");
	fixture_wait_hung(fixture);
	fixture_inject(fixture, "hang 2");
	tap_ret(child_status(pid), EIO, "it is given up, and who waits for it is told");
	tap_ret(end_of(fixture, syncobj), -EIO, "so is who has its fence");
	tap_ret(monitored_wait(&fence, 3, WAIT_MS), -EIO, "and who asks later");
	tap_ret(monitored_wait(&fence, 2, WAIT_MS), -EIO, "also for one below");
	tap_ok(!monitored_value(&fence), "it was not written");
	tap_ret(monitored_wait(&fence, 4, 0), -ETIME, "a larger one may come");
	tap_ret(monitored_signal(&fence, 3), -EINVAL, "not the same");
	tap_ret(monitored_signal(&fence, 4), 0, "but that");
	tap_ret(monitored_wait(&fence, 4, WAIT_MS), 0, "does");
	tap_ret(monitored_wait(&fence, 3, 0), 0, "and ends all waits for what is below");
	watch_end(&watch);
	test_parameter("hang_restarts", 1);
	drmSyncobjDestroy(fixture->fd, syncobj);
	monitored_close(&fence);
}

/* A reset of the whole function, by root, with values on their way. */
static void test_function_reset(const struct fixture *fixture)
{
	struct monitored fence;
	struct watch watch;
	char address[64];
	int ret = 0;

	tap_ret(sysfs_pci_address(fixture->fd, address, sizeof(address)), 0, "find the device");
	monitored_open(&fence, fixture->fd, 0);
	watch_start(&watch, &fence);
	for (unsigned int i = 1; i <= NR_VALUES && !ret; i++)
		ret = monitored_signal(&fence, i);
	tap_ret(ret, 0, "values");
	tap_ret(sysfs_reset(address), 0, "and a reset");
	tap_ret(monitored_signal(&fence, NR_VALUES + 1), 0, "and another value");
	tap_ret(monitored_wait(&fence, NR_VALUES + 1, WAIT_MS), 0, "all are written");
	watch_end(&watch);
	monitored_close(&fence);
}

/* The address of a fence that died is another's: what the device remembers of it is not. */
static void test_reuse(const struct fixture *fixture)
{
	struct monitored fence;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < 20 && !ret; i++) {
		monitored_open(&fence, fixture->fd, 0);
		ret = monitored_signal(&fence, i + 1) ?: monitored_wait(&fence, i + 1, WAIT_MS);
		if (!ret && monitored_value(&fence) != i + 1)
			ret = -EBADMSG;
		monitored_close(&fence);
		test_soil_pages();
	}
	tap_ret(ret, 0, "%u fences, one after the other", i);
}

#define QUARTERS	4u

/* Returns how many there can be more; the last error. */
static unsigned int create_all(int fd, uint32_t *handles, int *error)
{
	unsigned int count = 0;

	do {
		*error = monitored_create(fd, count, &handles[count]);
	} while (!*error && ++count <= DRM_QUIRE_MAX_FENCES);
	return count;
}

/* Each has a page of its own: their values differ. */
static int signal_all(int fd, const uint32_t *handles, unsigned int count)
{
	struct monitored fence = { .fd = fd };
	int ret = 0;

	for (unsigned int i = 0; i < count && !ret; i++) {
		fence.handle = handles[i];
		ret = monitored_signal(&fence, count + i);
	}
	for (unsigned int i = 0; i < count && !ret; i++) {
		fence.handle = handles[i];
		ret = monitored_wait(&fence, count + i, WAIT_MS);
		if (!ret && monitored_wait(&fence, count + i + 1, 0) != -ETIME)
			ret = -EBADMSG;
	}
	return ret;
}

static void test_limit_of_file(int fd, uint32_t *handles, unsigned int most)
{
	unsigned int count;
	int error;

	count = create_all(fd, handles, &error);
	tap_ret(error, -ENOSPC, "there is a limit for a file");
	tap_ok(count == most, "that is %u: %u", most, count);
	tap_ret(signal_all(fd, handles, count), 0, "all have values of their own");
}

/* A quarter of all for each file, so that no program takes those of the others. */
static void test_limit(const struct fixture *fixture)
{
	uint32_t *handles = calloc(DRM_QUIRE_MAX_FENCES + 1, sizeof(*handles));
	const unsigned int most = fixture->info.max_file_fences;
	struct monitored fence;
	int files[QUARTERS + 1];
	unsigned int i;
	uint32_t none;

	if (!handles)
		tap_bail("memory");
	tap_ok(most == DRM_QUIRE_MAX_FENCES / QUARTERS, "a file may have a quarter of all");
	for (i = 0; i <= QUARTERS; i++)
		files[i] = quire_open();
	for (i = 0; i < QUARTERS; i++)
		test_limit_of_file(files[i], handles, most);
	tap_ret(monitored_create(files[QUARTERS], 0, &none), -ENOSPC,
		"there is one for the device");
	quire_bo_close(files[QUARTERS - 1], handles[7]);
	monitored_open(&fence, files[QUARTERS - 1], 0);
	tap_ret(monitored_signal(&fence, 1) ?: monitored_wait(&fence, 1, WAIT_MS), 0,
		"where one was there is room for one");
	tap_ret(monitored_create(files[QUARTERS - 1], 0, &none), -ENOSPC, "and no more");
	munmap((void *)fence.page, QUIRE_PAGE);
	for (i = 0; i <= QUARTERS; i++)
		close(files[i]);
	free(handles);
}

/* Killed with all of them, and with values queued; nothing of it stays. */
static void test_killed(const struct fixture *fixture)
{
	uint32_t *handles = calloc(DRM_QUIRE_MAX_FENCES + 1, sizeof(*handles));
	struct monitored fence;
	int pipes[2], error;
	char byte;
	pid_t pid;

	if (!handles || pipe(pipes))
		tap_bail("pipe");
	monitored_open(&fence, fixture->fd, 0);
	fixture_inject(fixture, "hang 1");
	pid = child_start(60);
	if (!pid) {
		int fd = quire_open();
		struct monitored other = { .fd = fd };
		unsigned int count = create_all(fd, handles, &error);

		for (unsigned int i = 0; i < count; i++) {
			other.handle = handles[i];
			monitored_signal(&other, DRM_QUIRE_MAX_FENCES + i);
		}
		write(pipes[1], "", 1);
		pause();
	}
	if (read(pipes[0], &byte, 1) != 1)
		tap_bail("child");
	tap_ret(monitored_signal(&fence, 1), 0, "a value behind those of many");
	child_kill(pid);
	tap_ret(monitored_wait(&fence, 1, WAIT_MS), 0, "they die, and it is written");
	monitored_close(&fence);
	close(pipes[0]);
	close(pipes[1]);
	free(handles);
}

/* @give_up: gives the device up; nobody else tells who waits for a value that is not queued */
static void test_wedged(struct fixture *fixture, void (*give_up)(const struct fixture *fixture))
{
	struct monitored fence;
	pid_t pid;

	monitored_open(&fence, fixture->fd, 3);
	pid = monitored_start_waiter(&fence, 4);
	give_up(fixture);
	tap_ret(child_status(pid), EIO, "who waits is told");
	tap_ret(monitored_wait(&fence, 4, WAIT_MS), -EIO, "and who asks later");
	tap_ret(monitored_signal(&fence, 4), -EIO, "nothing is queued");
	tap_ret(monitored_create(fixture->fd, 0, &fence.handle), -EIO, "nor created");
	tap_ok(monitored_value(&fence) == 3, "the value is what it was");
	munmap((void *)fence.page, QUIRE_PAGE);
	fixture_rebind(fixture);
}

/* @queued: values of another fence wait behind a hang. */
static void test_unbound(struct fixture *fixture, unsigned int queued)
{
	uint32_t syncobj = sync_create(fixture);
	struct monitored fence, other;
	int fd = fixture->fd, ret = 0;
	char address[64];
	pid_t pid;

	monitored_open(&fence, fd, 3);
	monitored_open(&other, fd, 0);
	tap_ret(monitored_signal(&fence, 4), 0, "a value");
	tap_ret(monitored_wait(&fence, 4, WAIT_MS), 0, "is there");
	pid = monitored_start_waiter(&fence, 5);
	/* nobody restarts it before the driver is unbound, however long that takes */
	test_parameter("hang_period", 600000);
	if (queued)
		fixture_inject(fixture, "hang 1");
	for (unsigned int i = 1; i <= queued && !ret; i++)
		ret = signal_with(&other, i, syncobj);
	tap_ret(ret, 0, "%u values of another fence", queued);
	tap_ret(sysfs_pci_address(fd, address, sizeof(address)), 0, "find the device");
	ret = queued ? sync_export(fixture, syncobj) : -1;
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind");
	test_parameter("hang_period", PERIOD_MS);
	tap_ret(child_status(pid), ENODEV, "who waits is told");
	if (queued)
		tap_ok(end_of_file(ret) < 0, "so is who has a fence of a value");
	tap_ret(monitored_wait(&fence, 5, WAIT_MS), -ENODEV, "and who asks later");
	tap_ok(sigbus_on_read(fence.page), "the mapping is gone");
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
	monitored_close(&other);
	monitored_close(&fence);
	close(fd);
	fixture_reopen(fixture);
}

/* What could not be queued leaves room for the others, of which there are as many as may be. */
static void test_no_memory(const struct fixture *fixture)
{
	struct monitored fence;
	unsigned int i;
	int ret = -ENOMEM;

	if (!failing_begin() || !failing_below("quire")) {
		tap_skip("a kernel without fault injection", "signals without memory");
		return;
	}
	monitored_open(&fence, fixture->fd, 0);
	for (i = 0; i <= DRM_QUIRE_MAX_SIGNALS && ret == -ENOMEM; i++) {
		failing_arm(1);
		ret = monitored_signal(&fence, 1);
		failing_disarm();
	}
	failing_end();
	tap_ret(ret, -ENOMEM, "%u signals without memory", i);
	tap_ret(monitored_signal(&fence, 1), 0, "one with memory");
	tap_ret(monitored_wait(&fence, 1, WAIT_MS), 0, "is written");
	monitored_close(&fence);
}

int main(void)
{
	struct fixture fixture;

	tap_start(240);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	test_parameter("hang_period", PERIOD_MS);
	test_hang(&fixture, "hang 1", 1);
	test_hang(&fixture, "hang 2", 1);
	test_hang(&fixture, "hang 9", 0);
	test_hang(&fixture, "hang 10", 0);
	test_given_up(&fixture);
	test_function_reset(&fixture);
	test_reuse(&fixture);
	test_limit(&fixture);
	test_killed(&fixture);
	test_limit(&fixture);
	test_no_memory(&fixture);
	if (fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)
		test_wedged(&fixture, wedge);
	test_wedged(&fixture, wedge_by_reset);
	test_unbound(&fixture, 0);
	test_unbound(&fixture, DRM_QUIRE_MAX_SIGNALS);
	test_parameter("hang_period", 3000);
	fixture_test_works(&fixture);
	return tap_done();
}
