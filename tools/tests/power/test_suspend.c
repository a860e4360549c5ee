// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The machine's devices are suspended and resumed, and a hibernation is prepared, without
 * the machine (pm_test): what was in VRAM is in system memory afterwards, and whole. If
 * there is no memory for that nothing sleeps, and all goes on.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "dmabuf.h"
#include "failing.h"
#include "fdinfo.h"
#include "fixture.h"
#include "image.h"
#include "power.h"
#include "user.h"
#include "vgem.h"

#define SIZE		(64 * QUIRE_PAGE)

/* Memory that a suspend may have: in such steps, up to what is surely enough. */
#define STEP_BYTES	1536
#define STEP_PAGES	24
#define ENOUGH		1000000

/*
 * The last one in the aperture is seen through the device there, if that can show it. The last
 * ones in VRAM are images with an alternate view, which are mapped all the time.
 */
static const struct place *const everywhere[] = {
	&places[0], &places[1], &places[2], &places[3], &places[1], &places[2], &places[2],
};

#define NR_OBJECTS	ARRAY_SIZE(everywhere)
#define NR_VIEWS	2
#define FIRST_VIEW	(NR_OBJECTS - NR_VIEWS)

/* SIZE bytes, in both forms. */
static const struct image picture = { DRM_QUIRE_LAYOUT_TILE_4K, 4, 256, 256, 1, 1 };

static void *seen[NR_VIEWS];	/* mappings of the views */

static int create_window(const struct fixture *fixture, struct object *object)
{
	if (fixture->info.aperture_window_size < SIZE)
		return 0;

	object_close(fixture, object);
	return quire_bo_create_window(fixture->fd, SIZE, 0, &object->handle) ?:
	       object_fill(fixture, object);
}

static int create_view(const struct fixture *fixture, struct object *object, void **map)
{
	object_close(fixture, object);
	return image_create_view(fixture->fd, &picture, &object->handle) ?:
	       object_fill(fixture, object) ?:
	       quire_bo_map(fixture->fd, object->handle, SIZE, map);
}

static int create_all(const struct fixture *fixture, struct object *objects)
{
	int ret = 0;

	for (size_t i = 0; i < NR_OBJECTS && !ret; i++)
		ret = object_create(fixture, &objects[i], SIZE, i + 1);
	ret = ret ?: create_window(fixture, &objects[FIRST_VIEW - 1]);
	for (size_t i = 0; i < NR_VIEWS && !ret; i++)
		ret = create_view(fixture, &objects[FIRST_VIEW + i], &seen[i]);
	return ret;
}

/* The last one comes from the pages of its view, and keeps them; it is seen through a range. */
static int place_views(const struct fixture *fixture, const struct object *objects)
{
	const struct object *last = &objects[NR_VIEWS - 1];
	int ret = object_place_and_wait(fixture, last, &places[0]) ?:
		  object_place_and_wait(fixture, last, &places[2]);

	if (!ret && sigbus_on_read(seen[NR_VIEWS - 1]))
		ret = -EFAULT;
	return ret;
}

static int place_all(const struct fixture *fixture, const struct object *objects)
{
	int ret = 0;

	for (size_t i = 0; i < NR_OBJECTS && !ret; i++)
		if (fixture_has_place(fixture, everywhere[i], SIZE))
			ret = object_place_and_wait(fixture, &objects[i], everywhere[i]);
	return ret ?: place_views(fixture, &objects[FIRST_VIEW]);
}

static int check_all(const struct fixture *fixture, const struct object *objects)
{
	int ret = 0;

	for (size_t i = 0; i < NR_VIEWS && !ret; i++)
		if (pattern_differs(seen[i], SIZE, objects[FIRST_VIEW + i].key) != PATTERN_SAME)
			ret = -EILSEQ;
	for (size_t i = 0; i < NR_OBJECTS && !ret; i++)
		ret = object_check(fixture, &objects[i]);
	return ret;
}

static unsigned int count_out_of_system(const struct fixture *fixture,
					const struct object *objects)
{
	unsigned int count = 0;

	for (size_t i = 0; i < NR_OBJECTS; i++)
		count += object_segment(fixture, &objects[i]) != DRM_QUIRE_SEGMENT_SYSTEM;
	return count;
}

static bool views_have_it(const struct fixture *fixture, const struct object *objects)
{
	bool have = true;

	for (size_t i = FIRST_VIEW; i < NR_OBJECTS; i++)
		have &= !!(object_flags(fixture, &objects[i]) & DRM_QUIRE_BO_ALTERNATE);
	return have;
}

static void test_suspend(const struct fixture *fixture, const struct object *objects)
{
	tap_ret(place_all(fixture, objects), 0, "objects in all places");
	tap_ret(power_state("mem"), 0, "suspend and resume");
	tap_ret(count_out_of_system(fixture, objects), 0, "all of them are in system memory");
	tap_ok(views_have_it(fixture, objects), "images in their alternate views");
	tap_ret(place_all(fixture, objects), 0, "they go back");
	tap_ret(check_all(fixture, objects), 0, "and are whole");
}

static void test_hibernate(const struct fixture *fixture, const struct object *objects)
{
	tap_ret(place_all(fixture, objects), 0, "objects in all places");
	tap_ret(power_state("disk"), 0, "prepare to hibernate");
	tap_ret((int)fdinfo_region(fixture->fd, "resident", DRM_QUIRE_SEGMENT_SYSTEM), 0,
		"no page is left in memory that could go to swap");
	tap_ret(count_out_of_system(fixture, objects), 0, "all of them are in system memory");
	tap_ok(views_have_it(fixture, objects), "images in their alternate views");
	tap_ret(place_all(fixture, objects), 0, "they go back");
	tap_ret(check_all(fixture, objects), 0, "and are whole");
}

/* What others have pinned stays with them, and what is theirs comes back where it was. */
static void test_shared(const struct fixture *fixture)
{
	struct object mine, theirs = { .size = SIZE, .key = 21 };
	int vgem = vgem_open(), udmabuf = udmabuf_create(SIZE), dmabuf;
	uint32_t handle;
	void *map;

	if (vgem < 0 || udmabuf < 0) {
		tap_skip("no vgem or udmabuf here", "objects that are shared");
		close(udmabuf);
		close(vgem);
		return;
	}
	tap_ret(object_create(fixture, &mine, SIZE, 20), 0, "an object");
	tap_ret(object_place_and_wait(fixture, &mine, &places[2]), 0, "in VRAM");
	dmabuf = dmabuf_export(fixture->fd, mine.handle);
	tap_ret(dmabuf_import(vgem, dmabuf, &handle), 0, "vgem has it, too");
	tap_ret(dmabuf_import(fixture->fd, udmabuf, &theirs.handle), 0, "an object of udmabuf");
	tap_ret(dmabuf_map(udmabuf, SIZE, &map), 0, "map it");
	pattern_fill(map, SIZE, theirs.key);
	tap_ret(object_place_and_wait(fixture, &theirs, &places[1]), 0, "in the aperture");
	tap_ret(power_state("mem"), 0, "suspend and resume");
	tap_ret(object_check(fixture, &mine), 0, "ours is whole");
	tap_ok(object_is_at(fixture, &theirs, &places[0]), "the other one is in system memory");
	tap_ret(object_place_and_wait(fixture, &theirs, &places[1]), 0, "it goes back");
	tap_ok(pattern_differs(map, SIZE, theirs.key) == PATTERN_SAME, "and is whole");
	munmap(map, SIZE);
	close(dmabuf);
	close(udmabuf);
	close(vgem);
	object_close(fixture, &theirs);
	object_close(fixture, &mine);
}

/* Whatever became of it, the device works. */
/* What is in VRAM can not leave while commands are at work with it, and would be lost. */
static void test_busy(const struct fixture *fixture)
{
	struct object object;
	struct user user;

	if (!fixture->info.execution_rings) {
		tap_skip("the device executes no commands", "nothing sleeps");
		return;
	}
	tap_ret(object_create(fixture, &object, SIZE, 77) ?: object_fill(fixture, &object) ?:
		object_place_and_wait(fixture, &object, &places[2]), 0, "one in VRAM");
	user_begin(&user);
	user_uses(&user, fixture, &object);
	tap_ret(power_state("mem"), -EBUSY, "commands are at work with it: nothing sleeps");
	tap_ok(object_is_at(fixture, &object, &places[2]), "it is in VRAM yet");
	user_end(&user);
	tap_ret(power_state("mem"), 0, "then the devices sleep");
	tap_ret(object_check(fixture, &object), 0, "it is whole");
	object_close(fixture, &object);
}

static int go_on(const struct fixture *fixture, const struct object *objects)
{
	int ret = check_all(fixture, objects);

	if (!ret)
		ret = place_all(fixture, objects);
	return ret ? ret : check_all(fixture, objects);
}

static int suspend_with(const char *state, unsigned int bytes, unsigned int pages)
{
	int ret;

	if (!failing_all(bytes, pages))
		tap_bail("failslab, fail_page_alloc");
	ret = power_state(state);
	if (!failing_none())
		tap_bail("failslab, fail_page_alloc");
	return ret;
}

static void test_no_memory(const struct fixture *fixture, const struct object *objects,
			   const char *state)
{
	tap_ret(place_all(fixture, objects), 0, "objects in all places");
	tap_ret(suspend_with(state, 0, 0), -ENOMEM, "%s: refused without memory", state);
	tap_ret(go_on(fixture, objects), 0, "%s: all goes on", state);
}

/* With a little more each time, until there is enough. */
static void test_little_memory(const struct fixture *fixture, const struct object *objects,
			       unsigned int bytes, unsigned int pages)
{
	unsigned int n, refused = 0;
	int ret = -ENOMEM;

	for (n = 1; ret == -ENOMEM && n < ENOUGH / STEP_BYTES; n++) {
		ret = suspend_with("mem", bytes ? n * bytes : ENOUGH, pages ? n * pages : ENOUGH);
		refused += ret == -ENOMEM;
		if (ret == -ENOMEM && go_on(fixture, objects))
			ret = -EILSEQ;
	}
	tap_ret(ret, 0, "with %u bytes and %u pages more each time: refused %u times", bytes,
		pages, refused);
	tap_ok(refused, "there were such suspends");
	tap_ret(count_out_of_system(fixture, objects), 0, "then all of them are in system memory");
	tap_ret(go_on(fixture, objects), 0, "and all goes on");
}

int main(void)
{
	struct object objects[NR_OBJECTS];
	struct fixture fixture;
	bool fails;

	tap_start(280);
	fixture_open(&fixture);
	if (!power_begin())
		tap_skip_all("no pm_test, not root, or a share of the host, which does not last");
	/* What the driver leaves behind when it lets go would be told of all that follows. */
	fixture_rebind(&fixture);
	tap_ret(create_all(&fixture, objects), 0, "create");
	test_suspend(&fixture, objects);
	test_shared(&fixture);
	test_busy(&fixture);
	/* The memory of others is no matter here: they may not suspend without. */
	fails = failing_begin() && failing_below("quire");
	if (fails) {
		test_no_memory(&fixture, objects, "mem");
		test_little_memory(&fixture, objects, STEP_BYTES, 0);
		test_little_memory(&fixture, objects, 0, STEP_PAGES);
	} else {
		tap_skip("a kernel that fails no allocations of one module", "out of memory");
	}
	if (!failing_write("/sys/power/pm_test", "freezer"))
		tap_bail("pm_test");
	test_hibernate(&fixture, objects);
	if (fails)
		test_no_memory(&fixture, objects, "disk");
	failing_end();
	power_end();
	for (size_t i = 0; i < NR_VIEWS; i++)
		munmap(seen[i], SIZE);
	for (size_t i = 0; i < NR_OBJECTS; i++)
		object_close(&fixture, &objects[i]);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
