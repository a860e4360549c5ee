// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the device keeps of contexts with address spaces: it makes that itself, each time anew,
 * with the root of the right address space; a signal ends the wait for it, and what was queued
 * harms nobody then.
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "space.h"
#include "ticks.h"

#define SIZE		(4 * QUIRE_PAGE)
#define BASE		0x100000000ull
#define CONTEXTS	24u
#define PERIOD_MS	3000u

static uint8_t bytes[2][SIZE];

static uint64_t counted(const struct work *work, const char *name)
{
	return fixture_count(&work->fixture, name);
}

static void test_counters(struct work *work)
{
	uint64_t inits, updates;
	struct quire_context *context;
	struct space space;

	space_open(&space, work);
	inits = counted(work, "INIT_CONTEXT_RESOURCE");
	updates = counted(work, "UPDATE_CONTEXT_ALLOCATION");
	context = work_context(work);
	tap_ok(counted(work, "INIT_CONTEXT_RESOURCE") == inits &&
	       counted(work, "UPDATE_CONTEXT_ALLOCATION") == updates,
	       "a context without an address space is none to the device");
	quire_context_destroy(context);
	for (unsigned int i = 1; i <= 3; i++) {
		space_renew_context(&space);
		tap_ok(counted(work, "INIT_CONTEXT_RESOURCE") == inits + i &&
		       counted(work, "UPDATE_CONTEXT_ALLOCATION") == updates + i,
		       "the device makes context %u", i);
	}
	space_close(&space);
}

/* The same address in two address spaces, and contexts of both that come and go in turns. */
static void test_roots(struct work *work)
{
	struct quire_object *objects[2];
	struct space spaces[2];
	bool right = true;

	for (unsigned int i = 0; i < 2; i++) {
		space_open(&spaces[i], work);
		objects[i] = work_object(work, SIZE);
		space_soil(objects[i], i);
		space_map(&spaces[i], BASE, objects[i], 0, SIZE);
	}
	for (unsigned int i = 0; i < CONTEXTS && right; i++) {
		struct space *space = &spaces[i % 2];

		space_renew_context(space);
		right = space_has(space, BASE, bytes[i % 2], SIZE);
	}
	tap_ok(right, "%u contexts have the right address space", CONTEXTS);
	for (unsigned int i = 0; i < 2; i++) {
		quire_object_close(objects[i]);
		space_close(&spaces[i]);
	}
}

/* A fault is latched, and is none of the next context that gets the page. */
static void test_fault(struct work *work)
{
	struct drm_quire_context_state state = { 0 };
	bool right = true;
	struct space space;

	space_open(&space, work);
	for (unsigned int i = 0; i < CONTEXTS && right; i++) {
		quire_write_value(&space.writer, BASE + i * QUIRE_PAGE, 1);
		right = space_run(&space) == -EIO;
		quire_context_state(space.context, &state);
		right &= state.fault == QUIRE_FAULT_PAGE &&
			 state.address == BASE + i * QUIRE_PAGE;
		space_renew_context(&space);
		quire_write_value(&space.writer, SPACE_RESULTS, i);
		right &= !space_run(&space) && space.results[0] == i;
	}
	tap_ok(right, "after each of %u faults there is a good context", CONTEXTS);
	space_close(&space);
}

static void on_signal(int number)
{
	(void)number;
}

static int create_once(int fd, uint32_t vm)
{
	struct drm_quire_context_create create = { .vm = vm };

	return quire_ioctl_once(fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &create);
}

/* While the paging ring stands still. */
static int create_interrupted(int fd, uint32_t vm)
{
	pid_t pid = tick_within(on_signal, "quire_context_create_ioctl");
	int ret = create_once(fd, vm);

	child_status(pid);
	return ret;
}

static void test_interrupted(struct work *work)
{
	struct drm_quire_vm_create create = { 0 };
	const char *debugfs = work->fixture.debugfs;
	struct space space;
	int fd;

	space_open(&space, work);
	fd = quire_open();
	tap_ret(quire_ioctl(fd, DRM_IOCTL_QUIRE_VM_CREATE, &create), 0, "another file");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	if (debugfs_write(debugfs, "inject", "hang 1")) {
		tap_skip("no faults on demand", "a signal while a context is made");
	} else {
		for (unsigned int i = 0; i < 3; i++)
			tap_ret(create_interrupted(fd, create.vm), -EINTR, "a signal ends it");
		tap_ret(create_interrupted(work->fixture.fd, quire_vm_id(space.vm)), -EINTR,
			"also of others");
		close(fd);
		fd = -1;
		test_parameter("hang_period", 1000);
		space_renew_context(&space);
		quire_write_value(&space.writer, SPACE_RESULTS, 77);
		tap_ok(!space_run(&space) && space.results[0] == 77, "then the ring goes on");
		tap_ret(debugfs_write(debugfs, "nop_submit", "1"), 0, "with all that was queued");
	}
	test_parameter("hang_period", PERIOD_MS);
	if (fd >= 0)
		close(fd);
	space_close(&space);
}

/* The buffer that makes it is given up. */
static void test_given_up(struct work *work)
{
	struct space space;

	/* Or else the buffer that is given up takes one of those down. */
	tap_ok(fixture_settles(&work->fixture, work->fixture.segments), "nothing is dying");
	space_open(&space, work);
	quire_write_value(&space.writer, SPACE_RESULTS, 1);
	tap_ret(space_run(&space), 0, "all is there");
	test_option("patch_refuse", 1);
	tap_ret(create_once(work->fixture.fd, quire_vm_id(space.vm)), -EIO, "it is not made");
	test_option("patch_refuse", 0);
	space_renew_context(&space);
	quire_write_value(&space.writer, SPACE_RESULTS, 2);
	tap_ok(!space_run(&space) && space.results[0] == 2, "the next one is");
	space_close(&space);
}

int main(void)
{
	struct work work;

	tap_start(90);
	work_begin(&work);
	for (unsigned int i = 0; i < 2; i++)
		pattern_fill(bytes[i], SIZE, i);
	test_roots(&work);
	test_fault(&work);
	if (*work.fixture.debugfs) {
		test_counters(&work);
		test_interrupted(&work);
		test_given_up(&work);
	} else {
		tap_skip("not root", "what the device does");
	}
	work_end(&work);
	return tap_done();
}
