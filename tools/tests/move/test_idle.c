// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What owns a swizzling range is moved when it is idle: the builder answers BUSY first, and
 * is asked again. For waits that do wait see test_view.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "fixture.h"
#include "image.h"

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

#define ANYWHERE	(DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)

/* With padding: what is filled and converted is one move. */
static const struct image image = { DRM_QUIRE_LAYOUT_TILE_4K, 4, 70, 40, 1, 1 };

static uint64_t busy(const struct fixture *fixture)
{
	return fixture_count(fixture, "busy");
}

static void fill(uint8_t *map)
{
	for (uint64_t i = 0; i < image_linear_size(&image); i++)
		map[i] = i * 7 + (i >> 8);
}

static bool is_filled(const uint8_t *map)
{
	for (uint64_t i = 0; i < image_linear_size(&image); i++)
		if (map[i] != (uint8_t)(i * 7 + (i >> 8)))
			return false;
	return true;
}

/* From VRAM, where the mapping was touched if @touched, to @to. */
static uint64_t busy_of_leaving(const struct fixture *fixture, const struct object *object,
				uint8_t *map, bool touched, const struct place *to)
{
	uint64_t before;

	tap_ret(object_place_and_wait(fixture, object, &vram), 0, "into VRAM");
	if (touched)
		tap_ok(is_filled(map), "its content is there");
	before = busy(fixture);
	tap_ret(object_place_and_wait(fixture, object, to), 0, "to %s", to->name);
	return busy(fixture) - before;
}

static void test_owner(const struct fixture *fixture)
{
	struct object object = { .size = image_object_size(&image) };
	uint64_t before;
	void *map;

	tap_ret(image_create(fixture->fd, &image, ANYWHERE, &object.handle), 0, "create");
	tap_ret(quire_bo_map(fixture->fd, object.handle, object.size, &map), 0, "map");
	fill(map);
	before = busy(fixture);
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "into VRAM");
	tap_ok(busy(fixture) == before, "without a range it need not be idle");
	tap_ok(busy_of_leaving(fixture, &object, map, false, &system_memory) == 0,
	       "nor to leave untouched");
	tap_ok(busy_of_leaving(fixture, &object, map, true, &system_memory) == 1,
	       "with a range the builder answers BUSY, once");
	tap_ok(busy_of_leaving(fixture, &object, map, true, &aperture) == 1,
	       "also where the aperture is mapped first");
	tap_ok(is_filled(map), "the content is what it was");
	munmap(map, object.size);
	object_close(fixture, &object);
}

/* Of many sub-transfers only the first asks. */
static void test_parts(const struct fixture *fixture)
{
	/* Its last column of tiles is almost empty, so that they are more than a part takes. */
	static const struct image large = { DRM_QUIRE_LAYOUT_TILE_4K, 4, 33, 16384, 1, 7 };
	static const struct place one_run = {
		"vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_CONTIGUOUS,
	};
	struct object object = { .size = image_object_size(&large) };
	uint64_t before;
	void *map;

	if (object.size > fixture->info.swizzling_range_size ||
	    image_tiled_size(&large) > fixture_vram(fixture)) {
		tap_skip("no range is so large", "many sub-transfers");
		return;
	}
	tap_ret(image_create(fixture->fd, &large, ANYWHERE, &object.handle), 0, "create");
	tap_ret(quire_bo_map(fixture->fd, object.handle, object.size, &map), 0, "map");
	tap_ret(object_place_and_wait(fixture, &object, &one_run), 0, "into VRAM");
	*(volatile uint32_t *)map = 0x12345678;
	before = busy(fixture);
	tap_ret(object_place_and_wait(fixture, &object, &system_memory), 0, "out of VRAM");
	tap_ok(busy(fixture) == before + 1, "one BUSY for all sub-transfers");
	tap_ok(*(volatile uint32_t *)map == 0x12345678, "the content is what it was");
	munmap(map, object.size);
	object_close(fixture, &object);
}

int main(void)
{
	struct fixture fixture;

	tap_start(60);
	fixture_open(&fixture);
	if (!fixture.info.swizzling_ranges || !*fixture.debugfs)
		tap_skip_all("the device has no swizzling ranges, or nobody counts");
	test_owner(&fixture);
	test_parts(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
