// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Out of memory where the CPU looks in another way than at pages: as test_oom.c, with images in
 * swizzling ranges and in alternate views, and objects in the window of the aperture. Needs a
 * kernel with fault injection, as the debug guest has it.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "failing.h"
#include "fixture.h"
#include "image.h"
#include "steps.h"

#define WINDOW_SIZE	(8 * QUIRE_PAGE)

static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };

/*
 * Both fill their pages, one of them also its tiles: that one is a tile wide, for what it takes
 * to convert more than a page can be had in another way when an allocation fails.
 */
static const struct image whole = { DRM_QUIRE_LAYOUT_TILE_4K, 4, 32, 64, 1, 4 };
static const struct image padded = { DRM_QUIRE_LAYOUT_TILE_4K, 4, 64, 48, 1, 1 };

static void *seen; /* a mapping of the object, or NULL */
static int memory = -1; /* of this process, as a debugger has it */

static void look(const struct fixture *fixture, const struct object *object)
{
	if (quire_bo_map(fixture->fd, object->handle, object->size, &seen))
		tap_bail("map");
}

static void look_away(const struct object *object)
{
	munmap(seen, object->size);
	seen = NULL;
}

static int to_system(const struct fixture *fixture, struct object *object)
{
	return object_place_and_wait(fixture, object, &system_memory);
}

static int to_aperture(const struct fixture *fixture, struct object *object)
{
	return object_place_and_wait(fixture, object, &aperture);
}

/* It has a range there, if it is an image and can have one. */
static int to_vram(const struct fixture *fixture, struct object *object)
{
	int ret = object_place_and_wait(fixture, object, &vram);

	if (!ret && seen)
		ret = sigbus_on_read(seen) ? -ENOMEM : 0;
	return ret;
}

static bool is_alternate(const struct fixture *fixture, const struct object *object)
{
	return object_flags(fixture, object) & DRM_QUIRE_BO_ALTERNATE;
}

static bool is_swizzled(const struct fixture *fixture, const struct object *object)
{
	return object_flags(fixture, object) & DRM_QUIRE_BO_SWIZZLED;
}

/* In VRAM, from where the backing was given back; the view gets its first pages. */
static int from_backing(const struct fixture *fixture, struct object *object)
{
	int ret;

	look_away(object);
	ret = to_vram(fixture, object) ?: to_system(fixture, object) ?: to_vram(fixture, object);
	look(fixture, object);
	return ret ?: to_vram(fixture, object);
}

static int to_view(const struct fixture *fixture, struct object *object)
{
	int ret = to_vram(fixture, object) ?: to_system(fixture, object);

	return ret ?: is_alternate(fixture, object) ? 0 : -EILSEQ;
}

/* In VRAM, with the pages of the view. */
static int from_view(const struct fixture *fixture, struct object *object)
{
	return to_view(fixture, object) ?: to_vram(fixture, object);
}

/* Said to be where it is, and seen there as anywhere. */
static int finish_seen(const struct fixture *fixture, struct object *object, int ret)
{
	uint32_t segment = object_segment(fixture, object);

	if (ret && segment != DRM_QUIRE_SEGMENT_SYSTEM && is_alternate(fixture, object))
		return -EINVAL;
	ret = quire_bo_wait(fixture->fd, object->handle, WAIT_MS);
	if (!ret && pattern_differs(seen, object->size, object->key) != PATTERN_SAME)
		ret = -EILSEQ;
	return ret ?: step_finish_whole(fixture, object, ret);
}

/* The CPU has to convert its pages, in place. */
static int leave_swizzled(const struct fixture *fixture, struct object *object)
{
	int ret = to_vram(fixture, object) ?: to_system(fixture, object);

	return ret ?: is_swizzled(fixture, object) ? 0 : -EILSEQ;
}

static int run_touch(const struct fixture *fixture, struct object *object)
{
	void *map;
	int ret = quire_bo_map(fixture->fd, object->handle, object->size, &map);

	if (ret)
		return ret;
	ret = sigbus_on_read(map) ? -ENOMEM : 0;
	munmap(map, object->size);
	return ret;
}

/* As a debugger, who hears of nothing but a failure. */
static int run_debug(const struct fixture *fixture, struct object *object)
{
	uint8_t byte;

	(void)fixture;
	(void)object;
	return pread(memory, &byte, 1, (uintptr_t)seen) == 1 ? 0 : -ENOMEM;
}

static const struct step view_steps[] = {
	{ "view: out of VRAM for the first time", from_backing, to_system, finish_seen },
	{ "view: out of VRAM", from_view, to_system, finish_seen },
	{ "view: back to VRAM", to_view, to_vram, finish_seen },
	{ "view: a debugger", to_vram, run_debug, finish_seen },
};

static const struct step swizzled_steps[] = {
	{ "swizzled: the first touch", leave_swizzled, run_touch, step_finish_whole },
	{ "swizzled: into VRAM", leave_swizzled, to_vram, step_finish_whole },
};

/* Among others its one allocation comes earlier or later each time, and may be passed by. */
static const struct step unswizzle_steps[] = {
	{ "swizzled: the first touch alone", leave_swizzled, run_touch, step_finish_whole },
};

static const struct step window_steps[] = {
	{ "window: to the aperture", to_system, to_aperture, finish_seen },
	{ "window: aperture to VRAM", to_aperture, to_vram, finish_seen },
	{ "window: VRAM to aperture", to_vram, to_aperture, finish_seen },
	{ "window: a debugger", to_aperture, run_debug, finish_seen },
};

/* Filled, and seen if the steps are of who looks. */
static void test_steps(const struct fixture *fixture, struct object *object,
		       const struct step *steps, size_t count, bool looks)
{
	tap_ret(object_fill(fixture, object), 0, "fill");
	tap_ok(fixture_settles_with(fixture, object->size), "it is alone");
	if (looks)
		look(fixture, object);
	for (size_t i = 0; i < count; i++)
		step_test(fixture, object, &steps[i]);
	if (looks)
		look_away(object);
	object_close(fixture, object);
}

static void test_view(const struct fixture *fixture)
{
	struct object object = { .size = image_object_size(&padded), .key = 3 };

	tap_ret(image_create_view(fixture->fd, &padded, &object.handle), 0,
		"an image with an alternate view");
	test_steps(fixture, &object, view_steps, ARRAY_SIZE(view_steps), true);
}

static void test_swizzled(const struct fixture *fixture, const struct step *steps, size_t count)
{
	struct object object = { .size = image_object_size(&whole), .key = 4 };

	tap_ret(image_create(fixture->fd, &whole, DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1,
			     &object.handle), 0, "an image");
	test_steps(fixture, &object, steps, count, false);
}

static void test_window(const struct fixture *fixture)
{
	struct object object = { .size = WINDOW_SIZE, .key = 5 };

	if (fixture->info.aperture_window_size < WINDOW_SIZE) {
		tap_skip("the device has no window", "an object for it");
		return;
	}
	tap_ret(quire_bo_create_window(fixture->fd, WINDOW_SIZE, 0, &object.handle), 0,
		"an object for the window");
	test_steps(fixture, &object, window_steps, ARRAY_SIZE(window_steps), true);
}

int main(void)
{
	struct fixture fixture;

	tap_start(280);
	fixture_open(&fixture);
	if (!failing_begin())
		tap_skip_all("a kernel without fault injection, or not root");
	memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	test_view(&fixture);
	test_swizzled(&fixture, swizzled_steps, ARRAY_SIZE(swizzled_steps));
	test_window(&fixture);
	if (tap_ok(failing_within("quire_bo_unswizzle"), "only who converts lacks memory"))
		test_swizzled(&fixture, unswizzle_steps, ARRAY_SIZE(unswizzle_steps));
	close(memory);
	failing_end();
	tap_ok(fixture_settles(&fixture, fixture.segments), "nothing is left");
	return tap_done();
}
