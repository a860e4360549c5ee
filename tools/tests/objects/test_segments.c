// SPDX-License-Identifier: GPL-2.0 OR MIT
/* An object is never in a segment that it was not created for. */
#include <string.h>
#include <sys/mman.h>

#include "fixture.h"

#define SYSTEM		DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM)
#define VRAM		DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM)
#define APERTURE	DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE)

#define PIECE		QUIRE_MIB
#define MOST_PIECES	128

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place visible = {
	"visible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_VISIBLE
};

static const struct place invisible = {
	"invisible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_INVISIBLE
};

static int create_in(const struct fixture *fixture, struct object *object, uint32_t segments,
		     uint64_t key)
{
	int ret;

	*object = (struct object){ .size = 33 * QUIRE_PAGE, .key = key };
	ret = quire_bo_create_in(fixture->fd, object->size, segments, &object->handle);
	return ret ? ret : object_fill(fixture, object);
}

/* Its info says the set, and it can be placed in each segment of it, and in no other. */
static void test_set(const struct fixture *fixture, uint32_t segments)
{
	struct drm_quire_bo_info info;
	struct object object;

	tap_ret(create_in(fixture, &object, segments, segments), 0, "create in %#x", segments);
	quire_bo_info(fixture->fd, object.handle, &info);
	tap_ok(__builtin_popcount(info.segments) == __builtin_popcount(segments) &&
	       info.caching == DRM_QUIRE_CACHING_CACHED, "%#x: its info says so", segments);
	for (uint32_t i = 0; i < QUIRE_SEGMENTS; i++) {
		struct place place = { quire_segment_name(i), i, 0 };
		bool allowed = segments & DRM_QUIRE_SEGMENT_BIT(i);
		uint32_t before = object_segment(fixture, &object);

		tap_ret(object_place_and_wait(fixture, &object, &place), allowed ? 0 : -EINVAL,
			"%#x: place it in %s", segments, place.name);
		tap_ok(object_segment(fixture, &object) == (allowed ? i : before) &&
		       !(info.segments & DRM_QUIRE_SEGMENT_BIT(fixture->segments[i].instance)) ==
		       !allowed, "%#x: it is where it should be", segments);
	}
	tap_ret(object_check(fixture, &object), 0, "%#x: the content is whole", segments);
	object_close(fixture, &object);
}

/* Puts @bytes into @place; returns the objects made, or a negative errno. */
static int fill_place(const struct fixture *fixture, const struct place *place, uint64_t bytes,
		      struct object *pieces)
{
	int count = 0, ret = 0;

	for (uint64_t used = 0; used < bytes && count < MOST_PIECES && !ret; used += PIECE) {
		struct object *piece = &pieces[count++];

		*piece = (struct object){ .size = PIECE };
		ret = quire_bo_create(fixture->fd, PIECE, &piece->handle);
		if (!ret)
			ret = object_place_and_wait(fixture, piece, place);
	}
	return ret ? ret : count;
}

static void close_all(const struct fixture *fixture, struct object *pieces, int count)
{
	while (count-- > 0)
		object_close(fixture, &pieces[count]);
}

static void test_evicted(const struct fixture *fixture, struct object *object, uint32_t segment)
{
	uint32_t now = object_segment(fixture, object);

	tap_ok(now == segment, "it was evicted to %s (%s)", quire_segment_name(segment),
	       quire_segment_name(now));
	tap_ret(object_check(fixture, object), 0, "its content is whole");
	object_close(fixture, object);
}

static void test_eviction(const struct fixture *fixture)
{
	struct object pieces[MOST_PIECES], anywhere, not_aperture;
	int count;

	tap_ret(create_in(fixture, &anywhere, SYSTEM | VRAM | APERTURE, 1), 0, "create anywhere");
	tap_ret(create_in(fixture, &not_aperture, SYSTEM | VRAM, 2), 0, "create without aperture");
	tap_ret(object_place_and_wait(fixture, &anywhere, &vram), 0, "place it in VRAM");
	tap_ret(object_place_and_wait(fixture, &not_aperture, &vram), 0, "place it in VRAM");
	count = fill_place(fixture, &vram, fixture_vram(fixture), pieces);
	tap_ok(count > 0, "fill VRAM");
	test_evicted(fixture, &anywhere, DRM_QUIRE_SEGMENT_APERTURE);
	test_evicted(fixture, &not_aperture, DRM_QUIRE_SEGMENT_SYSTEM);
	close_all(fixture, pieces, count);
}

/* The CPU touches invisible objects while the visible part is full. */
static void test_touch(const struct fixture *fixture, uint32_t segments, uint32_t expected)
{
	struct object object;

	tap_ret(create_in(fixture, &object, segments, 3), 0, "create in %#x", segments);
	tap_ret(object_place_and_wait(fixture, &object, &invisible), 0, "place it invisibly");
	tap_ret(object_check(fixture, &object), 0, "its content is whole through the mapping");
	tap_ok(object_segment(fixture, &object) == expected, "it came to %s (%s)",
	       quire_segment_name(expected),
	       quire_segment_name(object_segment(fixture, &object)));
	object_close(fixture, &object);
}

static void test_touches(const struct fixture *fixture)
{
	struct object pieces[MOST_PIECES];
	int count;

	if (fixture_vram(fixture) < fixture_visible(fixture) + PIECE) {
		tap_skip("the CPU can reach all of VRAM", "touch invisible objects");
		return;
	}
	count = fill_place(fixture, &visible, fixture_visible(fixture), pieces);
	tap_ok(count > 0, "fill visible VRAM");
	test_touch(fixture, SYSTEM | VRAM | APERTURE, DRM_QUIRE_SEGMENT_APERTURE);
	test_touch(fixture, SYSTEM | VRAM, DRM_QUIRE_SEGMENT_SYSTEM);
	close_all(fixture, pieces, count);
}

int main(void)
{
	struct fixture fixture;

	tap_start(60);
	fixture_open(&fixture);
	test_set(&fixture, SYSTEM);
	test_set(&fixture, SYSTEM | VRAM);
	test_set(&fixture, SYSTEM | APERTURE);
	test_set(&fixture, SYSTEM | VRAM | APERTURE);
	test_eviction(&fixture);
	test_touches(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
