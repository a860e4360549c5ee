// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What is purged and taken back (WILLNEED) reads as zero and is what a new object is, whatever
 * was left of it: pages in swap space, or the tiles of an image. Root only.
 */
#include <stdio.h>
#include <unistd.h>

#include "image.h"
#include "work.h"

#define SIZE		QUIRE_MIB

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/* Without padding: it leaves VRAM as tiles. */
static const struct image image = { DRM_QUIRE_LAYOUT_TILE_4K, 4, 256, 1024, 1, 1 };

static int create_image(const struct fixture *fixture, struct object *object)
{
	object->size = image_object_size(&image);
	object->key = 2;
	return image_create(fixture->fd, &image, DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1,
			    &object->handle) ?: object_fill(fixture, object);
}

static bool has_flag(const struct fixture *fixture, const struct object *object, uint32_t flag)
{
	return object_flags(fixture, object) & flag;
}

/* It leaves VRAM, and that is given up half way: what it has of its pages is not all. */
static void lose(const struct fixture *fixture, const struct object *object)
{
	char fault[32];

	tap_ret(object_place_and_wait(fixture, object, &vram), 0, "place it in VRAM");
	snprintf(fault, sizeof(fault), "fault %u", 2 + fixture_resident_runs(fixture));
	test_parameter("hang_restarts", 0);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	fixture_inject(fixture, "hang 1");
	tap_ret(object_place(fixture, object, &system_memory), 0, "it leaves, and that hangs");
	fixture_wait_hung(fixture);
	/* the aperture, which is empty, takes one packet to be restored */
	fixture_inject(fixture, fault);
	test_parameter("hang_period", 3000);
	tap_ret(quire_bo_wait(fixture->fd, object->handle, WAIT_MS), 0, "it ends");
	fixture_inject(fixture, "fault 0");
	test_parameter("hang_restarts", 1);
	tap_ok(has_flag(fixture, object, DRM_QUIRE_BO_PURGED), "it is lost");
}

/* It is new, and goes anywhere. */
static void expect_new(const struct fixture *fixture, const struct object *object)
{
	bool retained = true;

	tap_ret(quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_WILLNEED,
				 &retained), 0, "WILLNEED");
	tap_ok(!retained, "says that it is gone");
	tap_ok(!has_flag(fixture, object, DRM_QUIRE_BO_PURGED | DRM_QUIRE_BO_SWIZZLED),
	       "it has neither tiles in its pages nor a loss");
	tap_ret(object_check_zero(fixture, object), 0, "it reads as zero");
	tap_ret(object_fill(fixture, object), 0, "it takes content");
	tap_ret(object_place_and_wait(fixture, object, &vram), 0, "place it in VRAM");
	tap_ret(object_place_and_wait(fixture, object, &system_memory), 0, "and back");
	tap_ret(object_check(fixture, object), 0, "it is whole");
}

/* Content that was half there has no way back from swap space. */
static void test_lost_and_swapped(const struct fixture *fixture)
{
	struct object object;

	tap_ret(object_create(fixture, &object, SIZE, 1), 0, "an object");
	lose(fixture, &object);
	tap_ok(fixture_settles_with(fixture, SIZE), "it is alone");
	tap_ok(debugfs_swap_out() == SIZE / QUIRE_PAGE, "what is left of it is swapped out");
	expect_new(fixture, &object);
	object_close(fixture, &object);
}

static void test_lost_image(const struct fixture *fixture)
{
	struct object object;

	tap_ret(create_image(fixture, &object), 0, "an image");
	lose(fixture, &object);
	expect_new(fixture, &object);
	object_close(fixture, &object);
}

static void test_dropped_image(const struct fixture *fixture)
{
	struct object object;

	tap_ret(create_image(fixture, &object), 0, "an image");
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "place it in VRAM");
	tap_ret(object_place_and_wait(fixture, &object, &system_memory), 0, "and back");
	tap_ok(has_flag(fixture, &object, DRM_QUIRE_BO_SWIZZLED), "its pages have its tiles");
	tap_ret(quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"it is offered");
	tap_ok(fixture_settles_with(fixture, object.size), "it is alone");
	/* so TTM takes the drop for nothing */
	tap_ret(debugfs_swap_out(), 0, "TTM swaps out");
	tap_ok(has_flag(fixture, &object, DRM_QUIRE_BO_PURGED), "it is dropped");
	tap_ok(!has_flag(fixture, &object, DRM_QUIRE_BO_SWIZZLED), "there are no tiles left");
	expect_new(fixture, &object);
	object_close(fixture, &object);
}

int main(void)
{
	struct fixture fixture;

	tap_start(120);
	fixture_open(&fixture);
	if (!fixture.debugfs[0] || access(DEBUGFS_TTM, R_OK))
		tap_skip_all("not root, or no debugfs");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	debugfs_write(fixture.debugfs, "evict_all", "1");
	test_lost_and_swapped(&fixture);
	test_lost_image(&fixture);
	test_dropped_image(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
