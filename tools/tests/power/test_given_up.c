// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The device was given up while objects were everywhere. It is told of nothing any more, also
 * not when they are evicted or die. What was in VRAM is lost, wherever somebody brings it then;
 * what was elsewhere is whole.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dmabuf.h"
#include "fixture.h"
#include "kmsg.h"
#include "vgem.h"

#define SIZE		(64 * QUIRE_PAGE)

/* Longer than a discard waits for others. */
#define DISCARD_MS	500

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place visible = {
	"visible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_VISIBLE
};

static const struct place invisible = {
	"invisible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_INVISIBLE
};

static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };

enum { FIRST, SECOND, SHARED, IN_VRAM, IN_APERTURE, DIES, DIES_IN_APERTURE, NR_OBJECTS };

static const struct place *const where[NR_OBJECTS] = {
	&invisible, &invisible, &invisible, &vram, &aperture, &vram, &aperture,
};

/**
 * struct scene - what is there when the device is given up
 * @fixture: the device
 * @objects: in @where
 * @maps: of them; nobody has touched those in VRAM there
 * @filler: all that the CPU sees of VRAM
 * @dmabuf: of the one that is shared
 */
struct scene {
	struct fixture fixture;
	struct object objects[NR_OBJECTS];
	void *maps[NR_OBJECTS];
	struct object filler;
	int dmabuf;
};

static int place_one(struct scene *scene, unsigned int i)
{
	const struct fixture *fixture = &scene->fixture;
	struct object *object = &scene->objects[i];

	return object_create(fixture, object, SIZE, i + 1) ?:
	       quire_bo_map(fixture->fd, object->handle, SIZE, &scene->maps[i]) ?:
	       object_place_and_wait(fixture, object, where[i]);
}

static void scene_open(struct scene *scene)
{
	struct object *filler = &scene->filler;
	int ret = 0;

	filler->size = fixture_visible(&scene->fixture);
	ret = quire_bo_create(scene->fixture.fd, filler->size, &filler->handle);
	if (!ret)
		ret = object_place_and_wait(&scene->fixture, filler, &visible);
	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = place_one(scene, i);
	tap_ret(ret, 0, "objects everywhere");
	scene->dmabuf = dmabuf_export(scene->fixture.fd, scene->objects[SHARED].handle);
	tap_ok(scene->dmabuf >= 0, "one of them is shared");
}

/* It hangs at a move, and at the first packet after its reset. */
static void give_up(const struct fixture *fixture)
{
	struct object object;
	int log = kmsg_open();

	test_parameter("hang_restarts", 0);
	test_parameter("hang_period", 600000);
	tap_ret(object_create(fixture, &object, SIZE, 99), 0, "one that moves");
	fixture_inject(fixture, "hang 1");
	tap_ret(object_place(fixture, &object, &vram), 0, "it moves");
	fixture_wait_hung(fixture);
	fixture_inject(fixture, "fault 1");
	/* It is reset when both are asked for, and not before. */
	test_parameter("hang_period", 500);
	tap_ok(kmsg_wait(log, "the device is wedged", WAIT_MS), "the device is given up");
	tap_ret(quire_bo_wait(fixture->fd, object.handle, WAIT_MS), -EIO, "programs are told");
	test_parameter("hang_period", 3000);
	test_parameter("hang_restarts", 1);
	close(log);
}

/* Operations that only tell the device of what it does not need any more. */
static uint64_t count_hints(const struct fixture *fixture)
{
	struct debugfs_counter discards = { 0 }, unmaps = { 0 };

	if (debugfs_counter(fixture->debugfs, "DISCARD_CONTENT", &discards) ||
	    debugfs_counter(fixture->debugfs, "UNMAP_APERTURE_SEGMENT", &unmaps))
		tap_bail("no counters");
	return discards.count + unmaps.count;
}

/* Is all VRAM that the CPU sees free, soon? A device that was given up answers no query. */
static bool gets_room(const struct fixture *fixture)
{
	static char text[65536];

	for (unsigned int i = 0; i < WAIT_MS / 10; i++) {
		if (debugfs_read(fixture->debugfs, "vram_mm", text, sizeof(text)) > 0 &&
		    strstr(text, "visible used: 0\n"))
			return true;
		test_sleep_ms(10);
	}
	return false;
}

/* To touch it brings it where the CPU sees it, but not what is not there any more. */
static void test_touch(struct scene *scene)
{
	const struct fixture *fixture = &scene->fixture;
	uint64_t moves = fixture_count(fixture, "vram->aperture");

	tap_ok(sigbus_on_read(scene->maps[FIRST]), "what was in VRAM is lost");
	tap_ok(fixture_count(fixture, "vram->aperture") == moves + 1,
	       "it went to the aperture, the rest of VRAM is full");
	tap_ok(sigbus_on_write(scene->maps[FIRST]), "it is lost there, too");
	moves = fixture_count(fixture, "vram->vram");
	object_close(fixture, &scene->filler);
	tap_ok(gets_room(fixture), "VRAM that the CPU sees has room again");
	tap_ok(sigbus_on_read(scene->maps[SECOND]), "another one is lost");
	tap_ok(fixture_count(fixture, "vram->vram") == moves + 1,
	       "it went to VRAM that the CPU sees");
	tap_ok(pattern_differs(scene->maps[IN_APERTURE], SIZE, IN_APERTURE + 1) == PATTERN_SAME,
	       "what was in the aperture is whole");
}

/* Others get no pages of what is lost. */
static void test_share(const struct scene *scene)
{
	uint64_t moves = fixture_count(&scene->fixture, "vram->system");
	int vgem = vgem_open();
	uint32_t handle;

	if (vgem < 0) {
		tap_skip("no vgem", "others");
		return;
	}
	tap_ret(dmabuf_import(vgem, scene->dmabuf, &handle), -ENODATA,
		"others are told that it is lost");
	tap_ok(fixture_count(&scene->fixture, "vram->system") == moves + 1, "it has left VRAM");
	close(vgem);
}

static void test_hints(struct scene *scene)
{
	const struct fixture *fixture = &scene->fixture;
	uint64_t hints = count_hints(fixture);

	object_close(fixture, &scene->objects[DIES]);
	munmap(scene->maps[DIES], SIZE);
	object_close(fixture, &scene->objects[DIES_IN_APERTURE]);
	munmap(scene->maps[DIES_IN_APERTURE], SIZE);
	test_sleep_ms(DISCARD_MS);
	tap_ok(count_hints(fixture) == hints, "objects die, and the device is not told");
	tap_ret(quire_bo_madvise(fixture->fd, scene->objects[IN_VRAM].handle,
				 DRM_QUIRE_MADV_DONTNEED, NULL), -EIO, "madvise says so");
	hints = fixture_count(fixture, "DISCARD_CONTENT");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "all are evicted");
	test_sleep_ms(DISCARD_MS);
	tap_ok(fixture_count(fixture, "DISCARD_CONTENT") == hints, "and it discards nothing");
	tap_ok(sigbus_on_read(scene->maps[IN_VRAM]), "what was in VRAM is lost");
	tap_ok(pattern_differs(scene->maps[IN_APERTURE], SIZE, IN_APERTURE + 1) == PATTERN_SAME,
	       "what was in the aperture is whole");
}

static void scene_close(struct scene *scene)
{
	close(scene->dmabuf);
	for (unsigned int i = 0; i < DIES; i++)
		munmap(scene->maps[i], SIZE);
	fixture_rebind(&scene->fixture);
	fixture_test_works(&scene->fixture);
}

int main(void)
{
	struct scene scene;

	tap_start(120);
	fixture_open(&scene.fixture);
	if (!*scene.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(scene.fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	if (!fixture_has_place(&scene.fixture, &invisible, NR_OBJECTS * SIZE))
		tap_skip_all("all of VRAM is visible");
	scene_open(&scene);
	give_up(&scene.fixture);
	test_touch(&scene);
	test_share(&scene);
	test_hints(&scene);
	scene_close(&scene);
	return tap_done();
}
