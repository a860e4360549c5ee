// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <inttypes.h>

#include "straddle.h"

const struct place straddle_visible = {
	"a visible run", DRM_QUIRE_SEGMENT_VRAM,
	DRM_QUIRE_PLACE_CONTIGUOUS | DRM_QUIRE_PLACE_VISIBLE
};

const struct place straddle_invisible = {
	"an invisible run", DRM_QUIRE_SEGMENT_VRAM,
	DRM_QUIRE_PLACE_CONTIGUOUS | DRM_QUIRE_PLACE_INVISIBLE
};

const struct place straddle_run = {
	"a run", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_CONTIGUOUS
};

const struct place straddle_any = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };

static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * straddle_start - open the device, with all of VRAM free
 * @fixture: to open
 *
 * Ends the program, as skipped, where nothing slides or nobody can see it.
 */
void straddle_start(struct fixture *fixture)
{
	fixture_open(fixture);
	if (!(fixture->info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("the CPU moves, and does not slide");
	if (!fixture->debugfs[0])
		tap_skip_all("no debugfs, or not root");
	debugfs_write(fixture->debugfs, "evict_all", "1");
}

/**
 * straddle_count - ask the driver what has moved so far
 * @fixture: of straddle_start()
 *
 * Ends the test if there are no counters.
 *
 * Returns: what was counted since the module was loaded.
 */
struct straddle_counts straddle_count(const struct fixture *fixture)
{
	return (struct straddle_counts){
		.slides = fixture_count(fixture, "vram->vram"),
		.ways = fixture_count(fixture, "vram->system") +
			fixture_count(fixture, "vram->aperture"),
		.submissions = fixture_count(fixture, "submissions"),
	};
}

/**
 * straddle_settled - the same, when all that was closed is discarded
 * @fixture: of straddle_start()
 *
 * The driver discards what dies soon, and many at once: for half a second nothing is submitted
 * then.
 *
 * Returns: what was counted.
 */
struct straddle_counts straddle_settled(const struct fixture *fixture)
{
	struct straddle_counts now = straddle_count(fixture), before;

	do {
		before = now;
		test_sleep_ms(500);
		now = straddle_count(fixture);
	} while (now.submissions != before.submissions);
	return now;
}

/* Everything but the room for @size bytes, @inside of them below the limit. */
static int fill_rest(const struct fixture *fixture, struct straddler *s, uint64_t size,
		     uint64_t inside)
{
	uint64_t limit = fixture_visible(fixture), all = fixture_vram(fixture);
	uint64_t above = all - limit - (size - inside);
	int ret = 0;

	if (limit != inside)
		ret = object_create(fixture, &s->low, limit - inside, 1) ?:
		      object_place_and_wait(fixture, &s->low, &straddle_visible);
	if (!ret && above)
		ret = quire_bo_create(fixture->fd, above, &s->high.handle);
	if (!ret && above)
		ret = object_place_and_wait(fixture, &s->high, all < 4 * limit ?
					    &straddle_any : &straddle_invisible);
	return ret;
}

/**
 * straddle_object - bring an object over the limit
 * @fixture: the device; nothing is in VRAM
 * @s: has the object, which is in system memory
 * @size: bytes that it takes in VRAM
 * @inside: of them below the limit
 * @how: the place that it asks for: the only one that is free
 *
 * Returns: true if it is there; see straddle_close() in any case.
 */
bool straddle_object(const struct fixture *fixture, struct straddler *s, uint64_t size,
		     uint64_t inside, const struct place *how)
{
	int ret = fill_rest(fixture, s, size, inside);
	uint64_t moved = straddle_count(fixture).ways;
	struct drm_quire_bo_info info = { 0 };

	s->size = size;
	if (!ret)
		ret = object_place_and_wait(fixture, &s->object, how);
	if (!ret)
		ret = quire_bo_info(fixture->fd, s->object.handle, &info);
	tap_ret(ret, 0, "%" PRIu64 " pages over the limit, %" PRIu64 " below it",
		size / QUIRE_PAGE, inside / QUIRE_PAGE);
	moved = straddle_count(fixture).ways - moved;
	/* an image can be seen wherever it is */
	if (tap_ok(!ret && !moved && (info.layout || !(info.flags & DRM_QUIRE_BO_VISIBLE)),
		   "it is there, and nobody has left for it"))
		return true;
	tap_diag("%" PRIu64 " have left", moved);
	return false;
}

/* The same for a new object with content. */
bool straddle(const struct fixture *fixture, struct straddler *s, uint64_t size,
	      uint64_t inside)
{
	/* a large block that is free, and then a small one behind it, are one run */
	bool any = size % QUIRE_MIB && inside % QUIRE_MIB == 0;

	tap_ret(object_create(fixture, &s->object, size, 3), 0, "an object with content");
	return straddle_object(fixture, s, size, inside, any ? &straddle_any : &straddle_run);
}

/* Frees the room that it needs, all but its own. Returns 0 or a negative errno. */
int straddle_make_room(const struct fixture *fixture, struct straddler *s)
{
	int ret = 0;

	if (s->high.handle)
		quire_bo_close(fixture->fd, s->high.handle);
	s->high.handle = 0;
	if (s->low.handle)
		ret = object_place_and_wait(fixture, &s->low, &system_memory);
	if (!ret && !fixture_comes_down(fixture, DRM_QUIRE_SEGMENT_VRAM, s->size))
		ret = -ETIME;
	return ret;
}

void straddle_close(const struct fixture *fixture, struct straddler *s)
{
	object_close(fixture, &s->object);
	if (s->low.handle)
		object_close(fixture, &s->low);
	if (s->high.handle)
		object_close(fixture, &s->high);
	*s = (struct straddler){ 0 };
}
