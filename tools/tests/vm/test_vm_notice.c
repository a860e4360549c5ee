// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Pages of the aperture are left by objects that are bound: the device hears of it, forgets where
 * they were, and keeps nothing back that was written there; also of commands that never ended.
 */
#include <inttypes.h>
#include <string.h>

#include "space.h"
#include "xxh64.h"

#define SIZE		(4 * QUIRE_PAGE)
#define LARGE		(3 * QUIRE_MIB)	/* two windows of the paging ring */
#define BASE		0x100000000ull
#define APART		DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE)
#define ANYWHERE	(DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)

static uint8_t pattern[SIZE];

static struct quire_object *object_of(const struct work *work, uint64_t size, uint32_t classes,
				      uint32_t caching)
{
	const struct quire_object_options options = {
		.size = size, .classes = classes, .caching = caching,
	};
	struct quire_object *object;

	if (quire_object_create(work->device, &options, &object))
		tap_bail("object");
	return object;
}

static void place(const struct work *work, const struct quire_object *object, uint32_t segment)
{
	const uint32_t handle = quire_object_handle(object);
	int ret = quire_bo_place(work->fixture.fd, handle, segment, 0) ?:
		  quire_bo_wait(work->fixture.fd, handle, WAIT_MS);

	tap_ret(ret, 0, "an object goes to %s", quire_segment_name(segment));
}

static uint64_t notices(const struct work *work)
{
	return fixture_count(&work->fixture, "notify_alloc");
}

/**
 * struct leaving - what the device hears when an object leaves
 * @name: for messages
 * @caching: DRM_QUIRE_CACHING_*
 * @segment: where it was
 * @size: bytes that are bound
 * @binds: how often
 * @notices: how many
 */
struct leaving {
	const char *name;
	uint32_t caching;
	uint32_t segment;
	uint64_t size;
	unsigned int binds;
	unsigned int notices;
};

static const struct leaving leavings[] = {
	{ "cached pages", DRM_QUIRE_CACHING_CACHED, DRM_QUIRE_SEGMENT_APERTURE, SIZE, 1, 1 },
	{ "write-combined pages", DRM_QUIRE_CACHING_WRITE_COMBINED, DRM_QUIRE_SEGMENT_APERTURE,
	  SIZE, 1, 2 },
	{ "pages with two addresses", DRM_QUIRE_CACHING_CACHED, DRM_QUIRE_SEGMENT_APERTURE, SIZE,
	  2, 2 },
	{ "many pages", DRM_QUIRE_CACHING_WRITE_COMBINED, DRM_QUIRE_SEGMENT_APERTURE, LARGE, 1,
	  4 },
	{ "pages without an address", DRM_QUIRE_CACHING_WRITE_COMBINED,
	  DRM_QUIRE_SEGMENT_APERTURE, SIZE, 0, 0 },
	{ "VRAM", DRM_QUIRE_CACHING_WRITE_COMBINED, DRM_QUIRE_SEGMENT_VRAM, SIZE, 1, 0 },
};

static void test_leaving(struct work *work, const struct leaving *leaving)
{
	const uint32_t classes = leaving->segment == DRM_QUIRE_SEGMENT_APERTURE ? APART : ANYWHERE;
	struct quire_object *object = object_of(work, leaving->size, classes, leaving->caching);
	struct space space;
	uint64_t before;

	space_open(&space, work);
	for (unsigned int i = 0; i < leaving->binds; i++)
		space_map(&space, (i + 1) * BASE, object, 0, leaving->size);
	place(work, object, leaving->segment);
	quire_write_delay(&space.writer, 0);
	tap_ret(space_run(&space), 0, "%s: all is bound", leaving->name);
	before = notices(work);
	place(work, object, DRM_QUIRE_SEGMENT_SYSTEM);
	before = notices(work) - before;
	tap_ok(before == leaving->notices, "%s: %" PRIu64 " notices", leaving->name, before);
	quire_object_close(object);
	space_close(&space);
}

/**
 * struct stale - how an object comes back elsewhere
 * @caching: DRM_QUIRE_CACHING_*
 * @offset: byte of the first one that is bound
 * @generation: of the moves of others meanwhile
 */
struct stale {
	uint32_t caching;
	uint64_t offset;
	unsigned int generation;
};

static const struct stale stales[] = {
	{ DRM_QUIRE_CACHING_CACHED, 0, 1 },
	{ DRM_QUIRE_CACHING_WRITE_COMBINED, 0, 1 },
	{ DRM_QUIRE_CACHING_CACHED, QUIRE_PAGE, 1 },
	{ DRM_QUIRE_CACHING_CACHED, 0, 2 },
};

/* Moves of the second generation use the windows of the paging ring, too. */
static void move_something(const struct work *work, unsigned int generation)
{
	struct quire_object *object = object_of(work, SIZE, ANYWHERE, DRM_QUIRE_CACHING_CACHED);

	space_soil(object, 3);
	test_parameter("generation", generation);
	place(work, object, DRM_QUIRE_SEGMENT_VRAM);
	test_parameter("generation", 1);
	quire_object_close(object);
}

/* Another one has its place when it comes back. */
static void test_stale(struct work *work, const struct stale *stale)
{
	struct quire_object *object = object_of(work, SIZE, APART, stale->caching);
	struct quire_object *other = object_of(work, SIZE, APART, stale->caching);
	const uint64_t size = SIZE - stale->offset;
	struct space space;

	space_open(&space, work);
	space_soil(object, 1);
	space_soil(other, 2);
	pattern_fill(pattern, SIZE, 1);
	space_map(&space, BASE, object, stale->offset, size);
	tap_ok(space_has(&space, BASE, pattern + stale->offset, size), "found where it is");
	move_something(work, stale->generation);
	place(work, object, DRM_QUIRE_SEGMENT_SYSTEM);
	place(work, other, DRM_QUIRE_SEGMENT_APERTURE);
	tap_ok(space_has(&space, BASE, pattern + stale->offset, size), "and where it is then");
	quire_write_fill(&space.writer, BASE, size, 0x33333333);
	tap_ret(space_run(&space), 0, "it is written");
	memset(pattern + stale->offset, 0x33, size);
	place(work, object, DRM_QUIRE_SEGMENT_SYSTEM);
	tap_ok(!memcmp(space_bytes(object), pattern, SIZE), "the CPU finds what was written");
	pattern_fill(pattern, SIZE, 2);
	tap_ok(!memcmp(space_bytes(other), pattern, SIZE), "the one in its place was not");
	quire_object_close(other);
	quire_object_close(object);
	space_close(&space);
}

/* What the device has written is in memory when nobody works on it any more. */
static void test_given_up(struct work *work)
{
	struct quire_object *object = object_of(work, SIZE, APART,
						DRM_QUIRE_CACHING_WRITE_COMBINED);
	struct space space;

	space_open(&space, work);
	memset(space_bytes(object), 0x11, SIZE);
	space_map(&space, BASE, object, 0, SIZE);
	if (!work_inject(work, 0, "hang", 2)) {
		tap_skip("no fault injection", "commands that hang");
		return;
	}
	quire_write_fill(&space.writer, BASE, SIZE, 0x22222222);
	quire_write_delay(&space.writer, 0);
	tap_ret(space_run(&space), -EIO, "it hangs, and is given up");
	memset(pattern, 0x22, SIZE);
	tap_ok(!memcmp(space_bytes(object), pattern, SIZE), "what was before is in memory");
	place(work, object, DRM_QUIRE_SEGMENT_SYSTEM);
	memset(space_bytes(object), 0x44, SIZE);
	memset(pattern, 0x44, SIZE);
	space_renew_context(&space);
	quire_write_delay(&space.writer, 0);
	tap_ret(space_run(&space), 0, "something else is executed");
	tap_ok(!memcmp(space_bytes(object), pattern, SIZE), "and nothing comes late");
	quire_object_close(object);
	space_close(&space);
}

int main(void)
{
	struct work work;

	tap_start(100);
	work_begin(&work);
	if (!*work.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	for (size_t i = 0; i < ARRAY_SIZE(leavings); i++)
		test_leaving(&work, &leavings[i]);
	for (size_t i = 0; i < ARRAY_SIZE(stales); i++)
		test_stale(&work, &stales[i]);
	test_given_up(&work);
	work_end(&work);
	return tap_done();
}
