// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Rules of images and of what programs see through a pointer, with the driver. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <quire/quire_hw.h>

#include "device_view.h"
#include "fixture.h"
#include "image.h"
#include "rules.h"
#include "vgem.h"

#define ANYWHERE	(DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)
#define BYTES		(256u << 10)	/* of an image, in both forms */
#define BANDS		16u
#define MAX_RANGES	16u

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/* Tiles without padding. */
static const struct image whole = { DRM_QUIRE_LAYOUT_TILE_64K, 4, 256, 256, 1, 1 };

/* The same, larger than the window of a range. */
static const struct image large = { DRM_QUIRE_LAYOUT_TILE_4K, 16, 1024, 1025, 1, 1 };

/**
 * struct canvas - an image and a pointer to it
 * @object: of it
 * @map: its linear form, as a program has it
 */
struct canvas {
	struct object object;
	uint8_t *map;
};

static int canvas_map(const struct fixture *fixture, struct canvas *canvas)
{
	void *map;
	int ret = quire_bo_map(fixture->fd, canvas->object.handle, BYTES, &map);

	canvas->map = map;
	return ret;
}

static int canvas_open(const struct fixture *fixture, struct canvas *canvas)
{
	canvas->object.size = BYTES;
	return image_create(fixture->fd, &whole, ANYWHERE, &canvas->object.handle) ?:
	       canvas_map(fixture, canvas);
}

static void canvas_close(const struct fixture *fixture, struct canvas *canvas)
{
	munmap(canvas->map, BYTES);
	object_close(fixture, &canvas->object);
}

static int evict_all(const struct fixture *fixture)
{
	return debugfs_write(fixture->debugfs, "evict_all", "1");
}

static int draw_band(uint8_t *map, unsigned int band)
{
	const uint64_t size = BYTES / BANDS;

	pattern_fill(map + band * size, size, 7 + band);
	return 0;
}

/* One band in VRAM, one after it was evicted, to the aperture or from both, and so on. */
static int draw_evicted(const struct fixture *fixture, const struct canvas *canvas)
{
	int ret = 0;

	for (unsigned int band = 0; band < BANDS && !ret; band += 2)
		ret = object_place_and_wait(fixture, &canvas->object, &vram) ?:
		      draw_band(canvas->map, band) ?:
		      (band % 4 ? evict_all(fixture) :
				  object_place_and_wait(fixture, &canvas->object, &aperture)) ?:
		      draw_band(canvas->map, band + 1);
	return ret;
}

static bool equals_under_eviction(void *data)
{
	static uint8_t reference[BYTES];
	const struct fixture *fixture = data;
	struct canvas evicted, still;
	bool ok;

	ok = rule_ret(canvas_open(fixture, &evicted) ?: canvas_open(fixture, &still), "create") &&
	     rule_ret(draw_evicted(fixture, &evicted), "draw under eviction") &&
	     rule_ret(object_place_and_wait(fixture, &still.object, &vram), "place");
	for (unsigned int band = 0; band < BANDS; band++) {
		draw_band(still.map, band);
		draw_band(reference, band);
	}
	ok = rule_is(!memcmp(evicted.map, still.map, BYTES), "both are equal") && ok;
	ok = rule_is(!memcmp(evicted.map, reference, BYTES), "and what was drawn") && ok;
	canvas_close(fixture, &evicted);
	canvas_close(fixture, &still);
	return ok;
}

/* The same bytes before, during and after: one pointer, all places, nobody tells it. */
static bool keeps_pattern(const struct fixture *fixture, const uint8_t *map,
			  const struct object *object)
{
	static const struct place *const way[] = {
		&vram, &aperture, &vram, &system_memory, &vram, &aperture, &system_memory,
	};
	bool ok = rule_is(pattern_differs(map, BYTES, 5) == PATTERN_SAME, "before it");

	for (size_t i = 0; i < ARRAY_SIZE(way) && ok; i++) {
		ok = rule_ret(object_place(fixture, object, way[i]), way[i]->name);
		ok = rule_is(pattern_differs(map, BYTES, 5) == PATTERN_SAME, "during it") && ok;
		ok = rule_ret(quire_bo_wait(fixture->fd, object->handle, WAIT_MS), "wait") && ok;
		ok = rule_is(pattern_differs(map, BYTES, 5) == PATTERN_SAME, "and after it") && ok;
		ok = rule_ret(evict_all(fixture), "evict") && ok;
		ok = rule_is(pattern_differs(map, BYTES, 5) == PATTERN_SAME, "and evicted") && ok;
	}
	return ok;
}

static bool lock_patterns_stay(void *data)
{
	const struct fixture *fixture = data;
	struct canvas canvas = { .object = { .size = BYTES } };
	bool ok;

	ok = rule_ret(canvas_open(fixture, &canvas), "an image");
	pattern_fill(canvas.map, BYTES, 5);
	ok = ok && keeps_pattern(fixture, canvas.map, &canvas.object);
	canvas_close(fixture, &canvas);
	ok = rule_ret(quire_bo_create(fixture->fd, BYTES, &canvas.object.handle) ?:
		      canvas_map(fixture, &canvas), "what is no image") && ok;
	pattern_fill(canvas.map, BYTES, 5);
	ok = ok && keeps_pattern(fixture, canvas.map, &canvas.object);
	canvas_close(fixture, &canvas);
	return ok;
}

static bool is_swizzled(const struct fixture *fixture, const struct canvas *canvas)
{
	return object_flags(fixture, &canvas->object) & DRM_QUIRE_BO_SWIZZLED;
}

/* Whoever has a pointer finds linear pages behind it. */
static bool unswizzled_while_mapped(void *data)
{
	const struct fixture *fixture = data;
	struct canvas canvas;
	bool ok = rule_ret(canvas_open(fixture, &canvas), "an image");

	pattern_fill(canvas.map, BYTES, 6);
	for (unsigned int i = 0; i < 2 && ok; i++) {
		ok = rule_ret(object_place_and_wait(fixture, &canvas.object, &vram) ?:
			      object_place_and_wait(fixture, &canvas.object,
						    i ? &aperture : &system_memory), "evict it");
		ok = rule_is(!is_swizzled(fixture, &canvas), "its pages are linear") && ok;
		ok = rule_is(pattern_differs(canvas.map, BYTES, 6) == PATTERN_SAME,
			     "the pointer shows it") && ok;
	}
	canvas_close(fixture, &canvas);
	return ok;
}

/* Nobody has a pointer: it stays as it is, and comes back; then somebody maps it. */
static bool swizzled_while_not_mapped(void *data)
{
	const struct fixture *fixture = data;
	struct canvas canvas;
	bool ok = rule_ret(canvas_open(fixture, &canvas), "an image");

	pattern_fill(canvas.map, BYTES, 8);
	munmap(canvas.map, BYTES);
	for (unsigned int i = 0; i < 2 && ok; i++) {
		ok = rule_ret(object_place_and_wait(fixture, &canvas.object, &vram) ?:
			      object_place_and_wait(fixture, &canvas.object, &system_memory),
			      "evict it");
		ok = rule_is(is_swizzled(fixture, &canvas), "its pages are swizzled") && ok;
	}
	ok = rule_ret(canvas_map(fixture, &canvas), "map it") && ok;
	ok = rule_is(pattern_differs(canvas.map, BYTES, 8) == PATTERN_SAME, "linear again") && ok;
	canvas_close(fixture, &canvas);
	return ok;
}

/* Each pointer shows its own image, however often a range goes from one to the next. */
static bool use_ranges(const struct canvas *canvases, unsigned int count)
{
	bool ok = true;

	for (unsigned int round = 0; round < 3 && ok; round++) {
		for (unsigned int i = 0; i < count; i++)
			pattern_fill(canvases[i].map, BYTES / 64, round + i);
		for (unsigned int i = 0; i < count; i++)
			ok = rule_is(pattern_differs(canvases[i].map, BYTES / 64, round + i) ==
				     PATTERN_SAME, "each keeps its own") && ok;
	}
	return ok;
}

/* Two more images than there are ranges, all in VRAM: nobody waits, nobody leaves. */
static bool ranges_are_stolen(void *data)
{
	const struct fixture *fixture = data;
	unsigned int count = fixture->info.swizzling_ranges + 2;
	struct canvas canvases[MAX_RANGES + 2];
	bool ok = true;

	for (unsigned int i = 0; i < count; i++)
		ok = rule_ret(canvas_open(fixture, &canvases[i]) ?:
			      object_place_and_wait(fixture, &canvases[i].object, &vram),
			      "an image in VRAM") && ok;
	ok = ok && use_ranges(canvases, count);
	for (unsigned int i = 0; i < count; i++) {
		ok = rule_is(!fixture->info.swizzling_ranges ||
			     object_segment(fixture, &canvases[i].object) ==
			     DRM_QUIRE_SEGMENT_VRAM, "it is in VRAM still") && ok;
		canvas_close(fixture, &canvases[i]);
	}
	return ok;
}

/* Did the last TRANSFER convert what left VRAM? */
static bool was_unswizzled(const struct fixture *fixture)
{
	struct device_history history;
	uint32_t last = 0;

	if (device_history_read(fixture->debugfs, &history))
		tap_bail("no device_packets");
	for (unsigned int i = 0; i < history.count; i++)
		if ((history.packets[i].header & 0xffff) == QUIRE_OP_TRANSFER)
			last = history.packets[i].header;
	return last >> 16 & QUIRE_TRANSFER_UNSWIZZLE;
}

static bool shows_both_ends(const uint8_t *map, uint64_t end, uint64_t key)
{
	return rule_is(pattern_differs(map, BYTES, key) == PATTERN_SAME &&
		       pattern_differs(map + end, BYTES, key + 1) == PATTERN_SAME,
		       "the pointer shows it");
}

/* In VRAM, and touched: it leaves for its backing, where the pointer shows it. */
static bool leaves_at_touch(const struct fixture *fixture, const struct canvas *canvas,
			    uint64_t key)
{
	const uint64_t end = canvas->object.size - BYTES;
	bool ok;

	pattern_fill(canvas->map, BYTES, key);
	pattern_fill(canvas->map + end, BYTES, key + 1);
	ok = rule_ret(object_place_and_wait(fixture, &canvas->object, &vram), "into VRAM");
	ok = rule_is(object_segment(fixture, &canvas->object) == DRM_QUIRE_SEGMENT_VRAM,
		     "there it is") && ok;
	ok = shows_both_ends(canvas->map, end, key) && ok;
	ok = rule_is(object_segment(fixture, &canvas->object) != DRM_QUIRE_SEGMENT_VRAM,
		     "it has left VRAM") && ok;
	ok = rule_is(was_unswizzled(fixture), "with UNSWIZZLE") && ok;
	return rule_is(!is_swizzled(fixture, canvas), "its pages are linear") && ok;
}

/* No range can show it: it is too large, or there are none. What is written there comes back. */
static bool unswizzled_without_range(void *data)
{
	const struct fixture *fixture = data;
	struct canvas canvas = { .object = { .size = image_object_size(&large) } };
	void *map = NULL;
	bool ok;

	ok = rule_is(image_linear_size(&large) > fixture->info.swizzling_range_size,
		     "no range is so large");
	ok = ok && rule_ret(image_create(fixture->fd, &large, ANYWHERE, &canvas.object.handle) ?:
			    quire_bo_map(fixture->fd, canvas.object.handle, canvas.object.size,
					 &map), "an image");
	if (!ok)
		return false;
	canvas.map = map;
	for (unsigned int i = 0; i < 2 && ok; i++)
		ok = leaves_at_touch(fixture, &canvas, 30 + 2 * i);
	munmap(map, canvas.object.size);
	object_close(fixture, &canvas.object);
	return ok;
}

/* From VRAM, where a range shows it, by @operation: BUSY, once, and whole. */
static bool busy_to_leave(const struct fixture *fixture, const struct canvas *canvas,
			  const char *operation)
{
	uint64_t before, executed;
	bool ok;

	ok = rule_ret(object_place_and_wait(fixture, &canvas->object, &vram), "into VRAM");
	pattern_fill(canvas->map, BYTES, 9);
	before = fixture_count(fixture, "busy");
	executed = fixture_count(fixture, operation);
	ok = ok && rule_ret(object_place_and_wait(fixture, &canvas->object, &system_memory), "go");
	ok = rule_is(fixture_count(fixture, "busy") == before + 1, "BUSY, once") && ok;
	ok = rule_is(fixture_count(fixture, operation) > executed, operation) && ok;
	return rule_is(pattern_differs(canvas->map, BYTES, 9) == PATTERN_SAME, "the same") && ok;
}

static void *evict_others(void *data)
{
	return (void *)(intptr_t)evict_all(data);
}

/* Offered while somebody uses it: nothing is discarded before he is done. */
static bool is_discarded_behind(const struct fixture *fixture, int vgem, uint32_t fence)
{
	uint64_t before = fixture_count(fixture, "busy");
	uint64_t discards = fixture_count(fixture, "DISCARD_CONTENT");
	pthread_t thread;
	void *ret;
	bool ok;

	if (pthread_create(&thread, NULL, evict_others, (void *)fixture))
		tap_bail("no thread");
	for (int i = 0; i < WAIT_MS / 10 && fixture_count(fixture, "busy") == before; i++)
		test_sleep_ms(10);
	test_sleep_ms(100);
	ok = rule_is(fixture_count(fixture, "busy") == before + 1, "BUSY, once");
	ok = rule_is(fixture_count(fixture, "DISCARD_CONTENT") == discards, "it waits") && ok;
	ok = rule_ret(vgem_signal_fence(vgem, fence), "it is idle") && ok;
	pthread_join(thread, &ret);
	ok = rule_ret((intptr_t)ret, "evict") && ok;
	return rule_is(fixture_count(fixture, "DISCARD_CONTENT") == discards + 1,
		       "discarded then") && ok;
}

static bool busy_to_discard(const struct fixture *fixture, const struct canvas *canvas)
{
	int vgem = vgem_open();
	uint32_t fence;
	bool ok;

	if (vgem < 0)
		return rule_skip("no vgem: nobody uses what is offered");
	ok = rule_ret(object_place_and_wait(fixture, &canvas->object, &vram), "into VRAM");
	pattern_fill(canvas->map, BYTES, 9);
	ok = ok && rule_ret(vgem_attach_fence(vgem, fixture->fd, canvas->object.handle, &fence) ?:
			    quire_bo_madvise(fixture->fd, canvas->object.handle,
					     DRM_QUIRE_MADV_DONTNEED, NULL), "offer it in use");
	ok = ok && is_discarded_behind(fixture, vgem, fence);
	ok = rule_is(object_flags(fixture, &canvas->object) & DRM_QUIRE_BO_PURGED, "purged") && ok;
	close(vgem);
	return ok;
}

/* Who has a range is in use: the builder says so, and the operation comes after the wait. */
static bool busy_with_range(void *data)
{
	const struct fixture *fixture = data;
	struct canvas canvas, viewed = { .object = { .size = BYTES } };
	bool ok;

	if (!fixture->info.swizzling_ranges)
		return rule_skip("there is no range");
	ok = rule_is(fixture_settles(fixture, fixture->segments), "nothing else is there");
	fixture_flush_discards(fixture);
	ok = ok && rule_ret(canvas_open(fixture, &canvas), "an image") &&
	     rule_ret(image_create_view(fixture->fd, &whole, &viewed.object.handle) ?:
		      canvas_map(fixture, &viewed), "an image with a view");
	if (!ok)
		return false;
	ok = busy_to_leave(fixture, &canvas, "TRANSFER");
	ok = busy_to_leave(fixture, &viewed, "SPECIAL_LOCK_TRANSFER") && ok;
	ok = busy_to_discard(fixture, &canvas) && ok;
	canvas_close(fixture, &canvas);
	canvas_close(fixture, &viewed);
	return ok;
}

/* To the alternate pages and back, under one pointer; its own pages are not asked for. */
static bool view_keeps_pointer(void *data)
{
	const struct fixture *fixture = data;
	struct canvas canvas = { .object = { .size = BYTES } };
	uint64_t before = fixture_count(fixture, "SPECIAL_LOCK_TRANSFER");
	bool ok;

	ok = rule_ret(image_create_view(fixture->fd, &whole, &canvas.object.handle) ?:
		      canvas_map(fixture, &canvas), "an image with a view");
	for (unsigned int i = 0; i < 3 && ok; i++) {
		ok = rule_ret(object_place_and_wait(fixture, &canvas.object, &vram), "to VRAM");
		pattern_fill(canvas.map, BYTES, 20 + i);
		ok = rule_ret(evict_all(fixture), "evict") && ok;
		ok = rule_is(object_flags(fixture, &canvas.object) & DRM_QUIRE_BO_ALTERNATE,
			     "it is in its alternate pages") && ok;
		ok = rule_is(pattern_differs(canvas.map, BYTES, 20 + i) == PATTERN_SAME,
			     "the pointer shows it") && ok;
	}
	ok = rule_is(fixture_count(fixture, "SPECIAL_LOCK_TRANSFER") >= before + 5,
		     "by special locks") && ok;
	canvas_close(fixture, &canvas);
	return ok;
}

static const struct rule rules[] = {
	{ "image-equal-under-eviction", equals_under_eviction },
	{ "lock-patterns-over-eviction", lock_patterns_stay },
	{ "unswizzle-while-mapped", unswizzled_while_mapped },
	{ "swizzled-while-not-mapped", swizzled_while_not_mapped },
	{ "swizzling-range-steal", ranges_are_stolen },
	{ "unswizzle-without-range", unswizzled_without_range },
	{ "busy-while-range-is-owned", busy_with_range },
	{ "special-lock-keeps-pointer", view_keeps_pointer },
};

int main(void)
{
	struct fixture fixture;

	tap_start(60);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	rules_check(rules, ARRAY_SIZE(rules), &fixture);
	return tap_done();
}
