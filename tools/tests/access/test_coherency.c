// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Write-combined objects: the device may keep back what it writes to their pages, so each move
 * that writes there through the aperture ends with a flush. They keep their content between all
 * places, and show it as soon as the fence of the move has signalled.
 */
#include <inttypes.h>
#include <linux/dma-buf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dmabuf.h"
#include "fixture.h"
#include "image.h"

#define ANYWHERE	(DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)
#define COMBINED	DRM_QUIRE_CACHING_WRITE_COMBINED

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/* One page, what the device can keep back, a page more, and several parts of a move. */
static const uint64_t sizes[] = {
	QUIRE_PAGE, 5 * QUIRE_PAGE, 16 * QUIRE_PAGE, 17 * QUIRE_PAGE,
	QUIRE_MIB + QUIRE_PAGE, 5 * QUIRE_MIB + 3 * QUIRE_PAGE,
};

static int create(const struct fixture *fixture, struct object *object, uint64_t size,
		  uint32_t caching)
{
	*object = (struct object){ .size = size, .key = size + caching };
	return quire_bo_create_caching(fixture->fd, size, ANYWHERE, caching, &object->handle) ?:
	       object_fill(fixture, object);
}

static uint64_t flushes(const struct fixture *fixture)
{
	return fixture_count(fixture, "READ_PHYSICAL");
}

static bool device_copies(void)
{
	char text[8] = "";

	sysfs_parameter_read("device_copies", text, sizeof(text));
	return text[0] == 'Y';
}

static void test_info(const struct fixture *fixture)
{
	for (uint32_t caching = 0; caching <= COMBINED; caching++) {
		struct drm_quire_bo_info info;
		struct object object;
		int ret;

		tap_ret(create(fixture, &object, QUIRE_PAGE, caching), 0, "caching %u: create",
			caching);
		ret = quire_bo_info(fixture->fd, object.handle, &info);
		tap_ok(!ret && info.caching == caching, "caching %u: its info says so", caching);
		object_close(fixture, &object);
	}
}

/* From each place to each other one; a look at it right behind the fence. */
static void test_size(const struct fixture *fixture, uint64_t size)
{
	struct object object;
	int ret = 0;

	tap_ret(create(fixture, &object, size, COMBINED), 0, "%" PRIu64 " pages: create",
		size / QUIRE_PAGE);
	for (size_t i = 0; i < NR_PLACES && !ret; i++) {
		for (size_t j = 0; j < NR_PLACES && !ret; j++) {
			if (!fixture_has_place(fixture, &places[i], size) ||
			    !fixture_has_place(fixture, &places[j], size))
				continue;
			ret = object_place_and_wait(fixture, &object, &places[i]) ?:
			      object_place_and_wait(fixture, &object, &places[j]) ?:
			      object_check(fixture, &object);
			if (ret)
				tap_diag("%s to %s", places[i].name, places[j].name);
			/* Other bytes in what it leaves than in what it comes to. */
			object.key++;
			ret = ret ?: object_fill(fixture, &object);
		}
	}
	tap_ret(ret, 0, "%" PRIu64 " pages: whole, from each place to each other",
		size / QUIRE_PAGE);
	object_close(fixture, &object);
}

/* One look through a mapping that was there before the move. */
static void test_mapped(const struct fixture *fixture, uint64_t size)
{
	static const struct place *const way[] = {
		&vram, &aperture, &system_memory, &vram, &system_memory, &aperture, &vram,
		&aperture,
	};
	struct object object;
	void *map;

	tap_ret(create(fixture, &object, size, COMBINED), 0, "%" PRIu64 " pages: create",
		size / QUIRE_PAGE);
	tap_ret(quire_bo_map(fixture->fd, object.handle, size, &map), 0, "map it");
	for (size_t i = 0; i < ARRAY_SIZE(way); i++) {
		pattern_fill(map, size, i);
		tap_ret(object_place_and_wait(fixture, &object, way[i]), 0, "to %s",
			way[i]->name);
		tap_ok(pattern_differs(map, size, i) == PATTERN_SAME, "the mapping shows it");
	}
	munmap(map, size);
	object_close(fixture, &object);
}

/* One for a move, however long it is, and only where the device may keep bytes back. */
static void test_counts(const struct fixture *fixture, uint64_t size, uint32_t caching)
{
	static const struct {
		const struct place *to;
		bool flushes;
	} way[] = {
		{ &vram, false }, { &aperture, true }, { &vram, false }, { &system_memory, false },
		{ &aperture, false }, { &system_memory, false }, { &vram, false },
	};
	const bool expected = caching == COMBINED && device_copies();
	struct object object;

	tap_ret(create(fixture, &object, size, caching), 0, "caching %u, %" PRIu64 " pages",
		caching, size / QUIRE_PAGE);
	for (size_t i = 0; i < ARRAY_SIZE(way); i++) {
		uint64_t before = flushes(fixture);

		tap_ret(object_place_and_wait(fixture, &object, way[i].to), 0, "to %s",
			way[i].to->name);
		tap_ret((int)(flushes(fixture) - before), way[i].flushes && expected,
			"flushes of it");
	}
	object_close(fixture, &object);
}

/* Evicted by others: the same moves, that nobody asked for. */
static void test_evicted(const struct fixture *fixture)
{
	struct object object;

	tap_ret(create(fixture, &object, 33 * QUIRE_PAGE, COMBINED), 0, "create");
	for (unsigned int i = 0; i < 3; i++) {
		tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "to VRAM");
		tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict everything");
		tap_ret(object_check(fixture, &object), 0, "it is whole");
	}
	object_close(fixture, &object);
}

static void test_shared(const struct fixture *fixture)
{
	static const struct place *const way[] = {
		&vram, &aperture, &vram, &system_memory, &aperture, &vram, &aperture,
	};
	const uint64_t size = 21 * QUIRE_PAGE;
	struct object object;
	int dmabuf;
	void *map;

	tap_ret(create(fixture, &object, size, COMBINED), 0, "create");
	dmabuf = dmabuf_export(fixture->fd, object.handle);
	tap_ok(dmabuf >= 0, "export it");
	tap_ret(dmabuf_map(dmabuf, size, &map), 0, "map the dma-buf");
	for (size_t i = 0; i < ARRAY_SIZE(way); i++) {
		dmabuf_sync(dmabuf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW);
		pattern_fill(map, size, 100 + i);
		dmabuf_sync(dmabuf, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW);
		tap_ret(object_place_and_wait(fixture, &object, way[i]), 0, "to %s",
			way[i]->name);
		tap_ok(pattern_differs(map, size, 100 + i) == PATTERN_SAME, "the dma-buf shows it");
	}
	munmap(map, size);
	close(dmabuf);
	object_close(fixture, &object);
}

static int create_image(const struct fixture *fixture, const struct image *image,
			struct object *object)
{
	return image_create_caching(fixture->fd, image, ANYWHERE, COMBINED, &object->handle);
}

/* By VRAM to @place; one flush if that is the aperture, also if the move converts. */
static bool image_goes(const struct fixture *fixture, const struct object *object,
		       const struct place *place)
{
	uint64_t before = flushes(fixture);

	return !object_place_and_wait(fixture, object, &vram) &&
	       !object_place_and_wait(fixture, object, place) &&
	       !(object_flags(fixture, object) & DRM_QUIRE_BO_SWIZZLED) &&
	       flushes(fixture) - before == (place->segment == DRM_QUIRE_SEGMENT_APERTURE);
}

/* Images go past what this device keeps back, or not: nobody can rely on it. */
static void test_image(const struct fixture *fixture, const struct image *image)
{
	const uint64_t size = image_object_size(image), used = image_linear_size(image);
	uint8_t *linear = malloc(size);
	struct object object = { .size = size };
	bool same = true;
	uint8_t *map;
	void *mapped;

	tap_ret(create_image(fixture, image, &object), 0, "an image");
	tap_ret(quire_bo_map(fixture->fd, object.handle, size, &mapped), 0, "map it");
	map = mapped;
	for (size_t i = 0; linear && same && i < 3 * NR_PLACES; i++) {
		if (!fixture_has_place(fixture, &places[i % NR_PLACES], 2 * size))
			continue;
		pattern_fill(linear, size, i);
		memcpy(map, linear, used);
		same = image_goes(fixture, &object, &places[i % NR_PLACES]) &&
		       !memcmp(map, linear, used);
		if (!same)
			tap_diag("to %s", places[i % NR_PLACES].name);
	}
	tap_ok(linear && same, "whole and flushed, from VRAM to each place");
	munmap(mapped, size);
	object_close(fixture, &object);
	free(linear);
}

/* Nobody looks at it before it goes: it may leave VRAM in tiles, unconverted. */
static void test_unmapped_image(const struct fixture *fixture, const struct image *image)
{
	const uint64_t size = image_object_size(image);
	struct object object = { .size = size, .key = 5 };
	int ret;

	tap_ret(create_image(fixture, image, &object) ?:
		object_fill(fixture, &object), 0, "an image");
	ret = object_place_and_wait(fixture, &object, &vram) ?:
	      object_place_and_wait(fixture, &object, &aperture) ?:
	      object_place_and_wait(fixture, &object, &vram) ?:
	      object_place_and_wait(fixture, &object, &aperture) ?:
	      object_place_and_wait(fixture, &object, &system_memory);
	tap_ret(ret ?: object_check(fixture, &object), 0, "whole, by the aperture");
	object_close(fixture, &object);
}

int main(void)
{
	static const struct image images[] = {
		{ DRM_QUIRE_LAYOUT_TILE_4K, 4, 301, 173, 9, 1 },
		{ DRM_QUIRE_LAYOUT_TILE_64K, 8, 257, 255, 1, 1 },
	};
	static const struct image whole = { DRM_QUIRE_LAYOUT_TILE_4K, 4, 64, 64, 1, 1 };
	struct fixture fixture;

	tap_start(240);
	fixture_open(&fixture);
	test_info(&fixture);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		test_size(&fixture, sizes[i]);
		test_mapped(&fixture, sizes[i]);
		for (uint32_t caching = 0; caching <= COMBINED; caching++)
			test_counts(&fixture, sizes[i], caching);
	}
	test_evicted(&fixture);
	test_shared(&fixture);
	for (size_t i = 0; i < ARRAY_SIZE(images); i++)
		test_image(&fixture, &images[i]);
	test_unmapped_image(&fixture, &whole);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
