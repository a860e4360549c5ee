// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * An eviction has to work when memory is short: what the driver allocates for it is small,
 * and not larger for a large object than for a small one.
 */
#include <inttypes.h>
#include <unistd.h>

#include "allocations.h"
#include "fixture.h"

#define SMALL	QUIRE_MIB
#define LARGE	(48 * QUIRE_MIB)

/* What has room in a page, so that nobody has to look for several pages in a row. */
#define MOST	2048

#define BIT(class)	DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_##class)

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * struct way - how an object is evicted
 * @name: for messages
 * @segments: where it may be
 * @from: where it is
 */
struct way {
	const char *name;
	uint32_t segments;
	const struct place *from;
};

static const struct way ways[] = {
	{ "vram to system", BIT(SYSTEM) | BIT(VRAM), &vram },
	{ "vram to aperture to system", BIT(SYSTEM) | BIT(APERTURE) | BIT(VRAM), &vram },
	{ "aperture to system", BIT(SYSTEM) | BIT(APERTURE), &aperture },
};

static int prepare(const struct fixture *fixture, const struct way *way, uint64_t size,
		   struct object *object)
{
	int ret = quire_bo_create_in(fixture->fd, size, way->segments, &object->handle);

	object->size = size;
	object->key = size;
	if (!ret)
		ret = object_fill(fixture, object);
	return ret ? ret : object_place_and_wait(fixture, object, way->from);
}

/* Everything is evicted: one object. */
static void test_eviction(const struct fixture *fixture, const struct way *way, uint64_t size,
			  struct allocations *allocations)
{
	struct object object;
	int ret;

	tap_ret(prepare(fixture, way, size, &object), 0, "%s: an object of %" PRIu64 " MiB",
		way->name, size / QUIRE_MIB);
	fixture_flush_discards(fixture);
	tap_ret(allocations_begin(), 0, "look at allocations");
	ret = debugfs_write(fixture->debugfs, "evict_all", "1");
	tap_ret(allocations_end(allocations), 0, "count them");
	tap_ret(ret, 0, "it was evicted");
	tap_ok(object_is_at(fixture, &object, &system_memory), "it is in system memory");
	tap_diag("the driver: %" PRIu64 " times, %" PRIu64 " bytes, %" PRIu64 " at most in %s",
		 allocations->count, allocations->bytes, allocations->largest,
		 allocations->whose);
	tap_diag("others for it: %" PRIu64 " bytes at most in %s", allocations->others_largest,
		 allocations->others_whose);
	tap_diag("the object: %" PRIu64 " pages, a table of %" PRIu64 " bytes",
		 allocations->object_pages, allocations->object_table);
	tap_ret(object_check(fixture, &object), 0, "its content is whole");
	object_close(fixture, &object);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

static void test_way(const struct fixture *fixture, const struct way *way)
{
	struct allocations small, large;

	test_eviction(fixture, way, SMALL, &small);
	test_eviction(fixture, way, LARGE, &large);
	tap_ok(small.count && small.largest < MOST, "what the driver allocates is small");
	tap_ok(large.largest == small.largest, "and not larger for a large object");
	tap_ok(large.others_largest < MOST && large.others_largest == small.others_largest,
	       "nor is what others allocate for it");
	tap_ok(!small.pages && !large.pages, "no pages but those of objects");
}

int main(void)
{
	struct fixture fixture;

	tap_start(60);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	if (!access("/sys/kernel/debug/kmemleak", F_OK))
		tap_skip_all("a kernel that allocates to watch allocations");
	if (allocations_begin())
		tap_skip_all("no tracefs");
	allocations_end(&(struct allocations){ 0 });
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		test_way(&fixture, &ways[i]);
	return tap_done();
}
