// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The function is reset from outside: who writes to VRAM meanwhile waits, and nothing that was
 * written is lost; every page of the aperture is shown again, however many runs they are; what
 * was at work goes on, and what was done is not done again. A device that does not work after
 * it is given up.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "fixture.h"

#define NR_RESETS	5
#define NR_WRITERS	2
#define NR_COPIERS	3
#define NR_COPY_RESETS	12

/* One page each: more runs than one operation of a restoration takes. */
#define NR_SMALL	200

/*
 * Moves of half of visible VRAM: the device has work for long enough to be told to hang,
 * and the scheduler gives it all of them at once.
 */
#define NR_PENDING	60

/* On a busy machine it may be done before it is told to; it is told to at once, or never. */
#define NR_TRIES	20
#define HANG_MS		300

static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place visible = {
	"visible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_VISIBLE
};

static const struct place invisible = {
	"invisible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_INVISIBLE
};

/* Writes, and reads what it wrote one round before, also as a debugger, until it is killed. */
static void write_forever(atomic_uint *rounds, atomic_uint *wrong)
{
	struct fixture fixture;
	struct object object;
	volatile uint32_t *word;
	uint32_t read = 0;
	void *map;
	int mem;

	fixture_open(&fixture);
	if (object_create(&fixture, &object, QUIRE_PAGE, 1) ||
	    object_place_and_wait(&fixture, &object, &visible) ||
	    quire_bo_map(fixture.fd, object.handle, QUIRE_PAGE, &map))
		_exit(1);
	mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	word = map;
	for (uint32_t i = 0; i < 1024; i++)
		word[i] = 0;
	for (uint32_t round = 1;; round++, ++*rounds) {
		for (uint32_t i = 0; i < 1024; i++) {
			*wrong += word[i] != round - 1;
			word[i] = round;
		}
		*wrong += pread(mem, &read, sizeof(read), (uintptr_t)map) != sizeof(read) ||
			  read != round;
	}
}

static void test_writers(const char *address, atomic_uint *counts)
{
	atomic_uint *rounds = &counts[0], *wrong = &counts[1];
	pid_t writers[NR_WRITERS];
	unsigned int before;
	int ret = 0;

	for (unsigned int i = 0; i < NR_WRITERS; i++) {
		writers[i] = child_start(60);
		if (!writers[i])
			write_forever(rounds, wrong);
	}
	for (unsigned int i = 0; i < NR_RESETS && !ret; i++) {
		for (before = *rounds; *rounds < before + 100;)
			test_sleep_ms(1);
		ret = sysfs_reset(address);
	}
	for (before = *rounds; !ret && *rounds < before + 100;)
		test_sleep_ms(1);
	tap_ret(ret, 0, "%u resets while VRAM is written", NR_RESETS);
	for (unsigned int i = 0; i < NR_WRITERS; i++) {
		kill(writers[i], SIGKILL);
		waitpid(writers[i], NULL, 0);
	}
	tap_ret((int)*wrong, 0, "no write is lost (%u rounds)", *rounds);
}

/* Goes into VRAM and out, with its content, until it is killed. */
static void copy_forever(atomic_uint *rounds, atomic_uint *wrong)
{
	struct fixture fixture;
	struct object object;

	fixture_open(&fixture);
	if (object_create(&fixture, &object, fixture_visible(&fixture) / 4, 1))
		_exit(1);
	for (;; ++*rounds) {
		*wrong += object_place_and_wait(&fixture, &object, &visible) ||
			  object_place_and_wait(&fixture, &object, &places[0]) ||
			  object_check(&fixture, &object);
	}
}

/*
 * Who copies, waits for the end of the reset as well: the device, or the CPU. A reset that
 * comes between two copies says nothing: there are several who copy, and it comes at any time.
 */
static void test_copies(const char *address, atomic_uint *counts)
{
	atomic_uint *rounds = &counts[0], *wrong = &counts[1];
	pid_t copiers[NR_COPIERS];
	unsigned int before;
	int ret = 0;

	*rounds = *wrong = 0;
	for (unsigned int i = 0; i < NR_COPIERS; i++) {
		copiers[i] = child_start(60);
		if (!copiers[i])
			copy_forever(rounds, wrong);
	}
	for (unsigned int i = 0; i < NR_COPY_RESETS && !ret; i++) {
		for (before = *rounds; *rounds < before + NR_COPIERS;)
			test_sleep_ms(1);
		test_sleep_ms(i * 7 % NR_COPY_RESETS);
		ret = sysfs_reset(address);
	}
	tap_ret(ret, 0, "%u resets while objects move", NR_COPY_RESETS);
	for (before = *rounds; !ret && *rounds < before + NR_COPIERS;)
		test_sleep_ms(1);
	for (unsigned int i = 0; i < NR_COPIERS; i++)
		child_kill(copiers[i]);
	tap_ret((int)*wrong, 0, "their content is whole (%u rounds)", *rounds);
}

static int create_all(const struct fixture *fixture, struct object *objects)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_SMALL && !ret; i++)
		ret = object_create(fixture, &objects[i], QUIRE_PAGE, i + 1);
	return ret;
}

static int place_all(const struct fixture *fixture, const struct object *objects,
		     const struct place *place)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_SMALL && !ret; i++)
		ret = object_place_and_wait(fixture, &objects[i], place);
	return ret;
}

/* With a hole in the middle: what is mapped comes back in more than one part. */
static void test_aperture(const struct fixture *fixture, const char *address)
{
	struct object objects[NR_SMALL];
	int ret = 0;

	tap_ret(create_all(fixture, objects), 0, "create");
	tap_ret(place_all(fixture, objects, &aperture), 0, "place them in the aperture");
	tap_ret(object_place_and_wait(fixture, &objects[NR_SMALL / 2], &places[0]), 0,
		"but one of them");
	tap_ret(sysfs_reset(address), 0, "reset");
	tap_ret(place_all(fixture, objects, &vram), 0, "through it to VRAM");
	for (unsigned int i = 0; i < NR_SMALL && !ret; i++)
		ret = object_check(fixture, &objects[i]);
	tap_ret(ret, 0, "all of them are whole");
	for (unsigned int i = 0; i < NR_SMALL; i++)
		object_close(fixture, &objects[i]);
}

/* A reset while moves are pending, then a hang. 0: it hung before all of them were over. */
static int hang_after_reset(const struct fixture *fixture, const char *address,
			    const struct object *object)
{
	int ret = debugfs_write(fixture->debugfs, "inject", "hang 1");

	for (unsigned int i = 0; i < NR_PENDING && !ret; i++)
		ret = object_place(fixture, object, i % 2 ? &visible : &invisible);
	if (!ret)
		ret = sysfs_reset(address);
	if (!ret)
		ret = debugfs_write(fixture->debugfs, "inject", "hang 1");
	if (ret || fixture_hangs(fixture, HANG_MS))
		return ret;
	ret = debugfs_write(fixture->debugfs, "inject", "hang 0");
	return ret ? ret : -EAGAIN;
}

/* The device hangs at what was pending; nobody gives it anything else that would tell. */
static void test_hang_afterwards(const struct fixture *fixture, const char *address)
{
	struct object object;
	int ret = -EAGAIN;

	if (!fixture_has_place(fixture, &invisible, fixture_visible(fixture) / 2)) {
		tap_skip("too little VRAM", "a hang after a reset");
		return;
	}
	test_parameter("hang_period", 60000);
	tap_ret(object_create(fixture, &object, fixture_visible(fixture) / 2, 1), 0, "create");
	tap_ret(object_place_and_wait(fixture, &object, &visible), 0, "place it");
	for (unsigned int i = 0; i < NR_TRIES && ret == -EAGAIN; i++)
		ret = hang_after_reset(fixture, address, &object);
	tap_ret(ret, 0, "a hang after a reset while %d moves were pending", NR_PENDING);
	test_parameter("hang_period", 3000);
	tap_ret(quire_bo_wait(fixture->fd, object.handle, WAIT_MS), 0, "all of them end");
	tap_ret(object_check(fixture, &object), 0, "the content is whole");
	object_close(fixture, &object);
}

static int make_overlapping(const struct fixture *fixture, struct object objects[2])
{
	uint64_t size = fixture_visible(fixture) / 4 * 3;

	return object_create(fixture, &objects[0], size, 1) ?:
	       object_create(fixture, &objects[1], size, 2) ?:
	       object_place_and_wait(fixture, &objects[0], &visible) ?:
	       object_place_and_wait(fixture, &objects[1], &aperture);
}

/*
 * One leaves its place, another one gets it, then the device hangs. It could not say that it
 * had done the first: done again, that brings what the other one has.
 */
static void test_no_interrupt(const struct fixture *fixture, const char *address)
{
	struct object objects[2];

	test_parameter("hang_period", 60000);
	tap_ret(make_overlapping(fixture, objects), 0, "in visible VRAM and the aperture");
	objects[0].key = 3;
	tap_ret(object_fill(fixture, &objects[0]), 0, "content that is in no page yet");
	tap_ret(debugfs_write(fixture->debugfs, "nop_submit", "1"), 0, "nothing is pending");
	fixture_inject(fixture, "drop-irq 1000");
	/* TRANSFER, it left; TRANSFER, UNMAP, it left and came; TRANSFER */
	fixture_inject(fixture, "hang 7");
	tap_ret(object_place(fixture, &objects[0], &places[0]), 0, "the one leaves");
	tap_ret(object_place(fixture, &objects[1], &visible), 0, "the other one comes");
	tap_ret(object_place(fixture, &objects[1], &places[0]), 0, "and goes");
	fixture_wait_hung(fixture);
	tap_ret(sysfs_reset(address), 0, "reset");
	test_parameter("hang_period", 3000);
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
		tap_ret(quire_bo_wait(fixture->fd, objects[i].handle, WAIT_MS), 0, "wait");
		tap_ret(object_check(fixture, &objects[i]), 0, "the content is whole");
		object_close(fixture, &objects[i]);
	}
}

/*
 * A reset of the function, and a hang that is asked for again and again, because the reset
 * forgets that. Whoever waits for what was placed then: -EIO, the device is given up; 0: it
 * hung too early or too late.
 */
static int reset_with_hangs(const struct fixture *fixture, const char *address,
			    const struct object *object)
{
	pid_t pid = fixture_start_hanging(fixture, 0);
	int ret = sysfs_reset(address);

	child_kill(pid);
	if (!ret)
		ret = debugfs_write(fixture->debugfs, "inject", "hang 0");
	return ret ? ret : object_place_and_wait(fixture, object, &visible);
}

/* It hangs at what gives it its aperture back, where nothing is restarted. */
static void test_hang_meanwhile(struct fixture *fixture, const char *address)
{
	struct object objects[NR_SMALL];
	int ret = 0;

	tap_ret(create_all(fixture, objects), 0, "create");
	for (unsigned int i = 0; i < NR_TRIES && !ret; i++) {
		ret = place_all(fixture, objects, &aperture);
		if (!ret)
			ret = reset_with_hangs(fixture, address, &objects[0]);
	}
	tap_ret(ret, -EIO, "a device that hangs in a reset is given up");
	fixture_rebind(fixture);
	fixture_test_works(fixture);
}

int main(void)
{
	atomic_uint *counts = mmap(NULL, QUIRE_PAGE, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct fixture fixture;
	char address[64];

	if (counts == MAP_FAILED)
		tap_bail("mmap");
	tap_start(120);
	fixture_open(&fixture);
	if (sysfs_pci_address(fixture.fd, address, sizeof(address)) || sysfs_reset(address))
		tap_skip_all("the device can not be reset, or not root");
	test_writers(address, counts);
	test_copies(address, counts);
	test_aperture(&fixture, address);
	tap_ok(fixture_settles(&fixture, fixture.segments), "nothing is left");
	if (*fixture.debugfs && fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES) {
		test_no_interrupt(&fixture, address);
		test_hang_afterwards(&fixture, address);
	} else {
		tap_skip("no debugfs, or the CPU copies", "what is at work at a reset");
	}
	tap_ok(fixture_settles(&fixture, fixture.segments), "nothing is left");
	if (*fixture.debugfs)
		test_hang_meanwhile(&fixture, address);
	else
		tap_skip("no debugfs", "a hang in a reset");
	return tap_done();
}
