// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Whoever goes in the middle of a move leaves nothing behind. */
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "work.h"

#define NR_OBJECTS	8
#define NR_KILLS	20

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };

static uint64_t object_size(const struct fixture *fixture)
{
	uint64_t size = fixture_vram(fixture) / 16;

	return size - size % QUIRE_PAGE;
}

static int create_and_place(const struct fixture *fixture, struct object *objects)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++) {
		ret = object_create(fixture, &objects[i], object_size(fixture), i);
		if (!ret)
			ret = object_place(fixture, &objects[i], &vram);
	}
	return ret;
}

/* Handles are closed with their moves still queued. */
static void test_close_handles(const struct fixture *fixture)
{
	struct object objects[NR_OBJECTS];

	tap_ret(create_and_place(fixture, objects), 0, "queue moves");
	for (unsigned int i = 0; i < NR_OBJECTS; i++) {
		object_place(fixture, &objects[i], &places[i % NR_PLACES]);
		object_close(fixture, &objects[i]);
	}
	tap_ok(fixture_settles(fixture, fixture->segments), "closed handles leave nothing");
}

/* The whole file is closed, its handles are not. */
static void test_close_file(const struct fixture *fixture)
{
	struct fixture other = *fixture;
	struct object objects[NR_OBJECTS];

	other.fd = quire_open();
	tap_ok(other.fd >= 0, "open the device once more");
	tap_ret(create_and_place(&other, objects), 0, "queue moves");
	close(other.fd);
	tap_ok(fixture_settles(fixture, fixture->segments), "a closed file leaves nothing");
}

/* The device may still reach the pages of a dead object: its place is not given away yet. */
static void test_close_hanging(const struct fixture *fixture)
{
	static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
	struct object object;
	uint64_t usage;

	if (!*fixture->debugfs || !(fixture->info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)) {
		tap_skip("no debugfs, or the CPU copies", "an object dies behind the aperture");
		return;
	}
	tap_ret(object_create(fixture, &object, QUIRE_MIB, 10), 0, "create");
	tap_ret(object_place_and_wait(fixture, &object, &aperture), 0, "place it in the aperture");
	usage = fixture_usage(fixture, DRM_QUIRE_SEGMENT_APERTURE);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	fixture_inject(fixture, "hang 1");
	object_close(fixture, &object);
	test_sleep_ms(200);
	tap_ok(fixture_usage(fixture, DRM_QUIRE_SEGMENT_APERTURE) == usage,
	       "closed, it keeps its place until the device has let go");
	test_parameter("hang_period", 3000);
	tap_ok(fixture_settles(fixture, fixture->segments), "and not longer");
}

/* A mapping keeps its object alive without handle or file. */
static void test_close_mapped(const struct fixture *fixture)
{
	struct fixture other = *fixture;
	struct object object;
	void *map;

	other.fd = quire_open();
	tap_ret(object_create(&other, &object, object_size(fixture), 9), 0, "create");
	tap_ret(object_place(&other, &object, &vram), 0, "queue a move");
	tap_ret(quire_bo_map(other.fd, object.handle, object.size, &map), 0, "map");
	object_close(&other, &object);
	close(other.fd);
	tap_ok(pattern_differs(map, object.size, 9) == PATTERN_SAME,
	       "the mapping outlives handle and file");
	munmap(map, object.size);
	tap_ok(fixture_settles(fixture, fixture->segments), "and leaves nothing");
}

/* Moves for ever. */
static void run_victim(uint64_t seed)
{
	struct object objects[NR_OBJECTS];
	struct fixture fixture;
	uint64_t random = seed;

	fixture_open(&fixture);
	if (create_and_place(&fixture, objects))
		_exit(1);
	for (;;) {
		struct object *object = &objects[random_below(&random, NR_OBJECTS)];
		const struct place *place = &places[random_below(&random, NR_PLACES)];

		object_place(&fixture, object, place);
		if (!random_below(&random, 4))
			quire_bo_wait(fixture.fd, object->handle, 1000);
		if (!random_below(&random, 8) && object_check(&fixture, object))
			_exit(2);
	}
}

static bool kill_one(unsigned int number, uint64_t *random)
{
	pid_t pid = child_start(60);

	if (!pid)
		run_victim(number);
	test_sleep_ms(1 + random_below(random, 150));
	kill(pid, SIGKILL);
	return child_status(pid) == -SIGKILL;
}

static void test_kill(const struct fixture *fixture)
{
	unsigned int killed = 0;
	uint64_t random = 11;

	for (unsigned int i = 0; i < NR_KILLS; i++)
		killed += kill_one(i, &random);
	tap_ok(killed == NR_KILLS, "%u of %d were killed at work", killed, NR_KILLS);
	tap_ok(fixture_settles(fixture, fixture->segments), "killed processes leave nothing");
}

/* More than fits at once, over and over, is only possible if all comes back. */
static void test_room(const struct fixture *fixture)
{
	struct object object = { .size = fixture_vram(fixture) / 4 * 3 };
	int ret = 0;

	object.size -= object.size % QUIRE_PAGE;
	for (int i = 0; i < 30 && !ret; i++) {
		ret = quire_bo_create(fixture->fd, object.size, &object.handle);
		if (!ret)
			ret = object_place(fixture, &object, &vram);
		object_close(fixture, &object);
	}
	tap_ret(ret, 0, "30 times three quarters of VRAM");
	tap_ok(fixture_settles(fixture, fixture->segments), "and nothing is left");
}

int main(void)
{
	struct fixture fixture;

	tap_start(60);
	fixture_open(&fixture);
	test_close_handles(&fixture);
	test_close_file(&fixture);
	test_close_hanging(&fixture);
	test_close_mapped(&fixture);
	test_kill(&fixture);
	test_room(&fixture);
	return tap_done();
}
