// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A range of the aperture has a new owner before the work of the old one is executed. */
#include "fixture.h"

#define PERIOD_MS	1000

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

enum { OLD, NEW, FIRST, NR_OBJECTS };

/**
 * struct scene - an empty aperture, and objects in VRAM
 * @fixture: the device
 * @objects: OLD and NEW get the same range; FIRST is what the device hangs at
 */
struct scene {
	struct fixture fixture;
	struct object objects[NR_OBJECTS];
};

static void scene_open(struct scene *scene)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = object_create(&scene->fixture, &scene->objects[i], 64 * QUIRE_PAGE, i + 1);
	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = object_place_and_wait(&scene->fixture, &scene->objects[i], &vram);
	/* Content that no page of system memory ever had. */
	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++) {
		scene->objects[i].key += NR_OBJECTS;
		ret = object_fill(&scene->fixture, &scene->objects[i]);
	}
	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = -!object_is_at(&scene->fixture, &scene->objects[i], &vram);
	tap_ret(ret, 0, "objects with content in VRAM");
	tap_ret(debugfs_write(scene->fixture.debugfs, "nop_submit", "1"), 0, "nothing is pending");
}

static void scene_close(struct scene *scene)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = object_check(&scene->fixture, &scene->objects[i]);
	tap_ret(ret, 0, "the content of all is whole");
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		object_close(&scene->fixture, &scene->objects[i]);
	tap_ok(fixture_settles(&scene->fixture, scene->fixture.segments), "all of it is freed");
}

static void move(const struct scene *scene, unsigned int which, const struct place *place)
{
	tap_ret(object_place(&scene->fixture, &scene->objects[which], place), 0, "%s to %s",
		which == OLD ? "the old one" : which == NEW ? "the new one" : "another one",
		place->name);
}

static void wait_all(const struct scene *scene)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = quire_bo_wait(scene->fixture.fd, scene->objects[i].handle, WAIT_MS);
	tap_ret(ret, 0, "all moves end");
}

/* The old one's UNMAP is executed when the new one's MAP was handed over long ago. */
static void test_unmap_behind_map(struct scene *scene)
{
	scene_open(scene);
	move(scene, OLD, &aperture);
	wait_all(scene);
	fixture_inject(&scene->fixture, "hang 1");
	move(scene, FIRST, &system_memory);
	move(scene, OLD, &system_memory);
	move(scene, NEW, &aperture);
	wait_all(scene);
	test_parameter("hang_restarts", 0);
	fixture_inject(&scene->fixture, "hang 1");
	move(scene, FIRST, &vram);
	wait_all(scene);
	test_parameter("hang_restarts", 1);
	tap_ok(object_is_at(&scene->fixture, &scene->objects[NEW], &aperture),
	       "after a reset the new one is in the aperture");
	move(scene, NEW, &vram);
	scene_close(scene);
}

/* The device is reset at the old one's TRANSFER, when the new one's MAP is handed over. */
static void test_reset_before_map(struct scene *scene)
{
	scene_open(scene);
	test_parameter("hang_restarts", 0);
	fixture_inject(&scene->fixture, "hang 2");
	move(scene, OLD, &aperture);
	move(scene, OLD, &system_memory);
	move(scene, NEW, &aperture);
	wait_all(scene);
	test_parameter("hang_restarts", 1);
	move(scene, NEW, &vram);
	scene_close(scene);
}

int main(void)
{
	struct scene scene;

	tap_start(120);
	fixture_open(&scene.fixture);
	if (!*scene.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(scene.fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("the CPU copies");
	test_parameter("hang_period", PERIOD_MS);
	test_unmap_behind_map(&scene);
	test_reset_before_map(&scene);
	test_parameter("hang_period", 3000);
	return tap_done();
}
