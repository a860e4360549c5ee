// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Images in VRAM that are in their own way slide as tiles: whether a range shows them or not,
 * with padding or without, and while the device stands still in the middle.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image.h"
#include "straddle.h"
#include "work.h"

#define TILE_4K		DRM_QUIRE_LAYOUT_TILE_4K
#define TILE_64K	DRM_QUIRE_LAYOUT_TILE_64K

static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * struct way - how an image slides
 * @name: for messages
 * @layout: DRM_QUIRE_LAYOUT_TILE_*
 * @tiles: in a row of them
 * @padded: a part of the last ones is not of the image
 * @shown: a program has it mapped, and has touched it in VRAM
 * @hangs: the device stands still at this packet; 0: it does not
 * @again: and at the same one, when the ring was restarted: it is reset
 */
struct way {
	const char *name;
	uint32_t layout;
	uint32_t tiles;
	bool padded;
	bool shown;
	unsigned int hangs;
	bool again;
};

static const struct way ways[] = {
	{ "small tiles", TILE_4K, 8, false, false, 0, false },
	{ "small tiles, shown", TILE_4K, 8, false, true, 0, false },
	{ "small tiles, padded, shown", TILE_4K, 8, true, true, 0, false },
	{ "large tiles", TILE_64K, 2, false, false, 0, false },
	{ "large tiles, shown", TILE_64K, 2, false, true, 0, false },
	{ "large tiles, padded", TILE_64K, 2, true, false, 0, false },
	{ "small tiles, shown, it hangs", TILE_4K, 8, false, true, 20, false },
	{ "large tiles, it hangs twice", TILE_64K, 2, false, false, 20, true },
};

/* Of 4 bytes a pixel; a row of tiles more than half of the visible part. */
static struct image image_of(const struct way *way, uint64_t half)
{
	uint64_t tile = way->layout == TILE_4K ? 4096 : 65536;
	uint32_t side = way->layout == TILE_4K ? 32 : 128;

	return (struct image){
		.layout = way->layout,
		.element_size = 4,
		.width = way->tiles * side - (way->padded ? 5 : 0),
		.height = (half / (tile * way->tiles) + 1) * side - (way->padded ? 7 : 0),
		.levels = 1,
		.array_size = 1,
	};
}

static int compare(const char *name, const uint8_t *map, const uint8_t *linear, uint64_t size)
{
	uint64_t i = 0;

	if (!memcmp(map, linear, size))
		return 0;
	while (map[i] == linear[i])
		i++;
	tap_diag("%s: wrong at %#" PRIx64, name, i);
	return -EILSEQ;
}

/* The ring stands still; it is reset if it does so twice at the same packet. */
static void inject(const struct fixture *fixture, const struct way *way)
{
	char command[32];

	test_parameter("hang_period", WORK_PATIENCE_MS);
	snprintf(command, sizeof(command), "hang %u", way->hangs);
	fixture_inject(fixture, command);
}

static void expect_restart(const struct fixture *fixture, const struct way *way)
{
	fixture_wait_hung(fixture);
	if (way->again)
		fixture_inject(fixture, "hang 1");
	test_parameter("hang_period", 3000);
	if (way->again)
		fixture_wait_hung(fixture);
}

static void slide(const struct fixture *fixture, const struct way *way, struct straddler *s,
		  const struct image *image, uint8_t *map, const uint8_t *linear)
{
	uint64_t size = image_linear_size(image);
	struct straddle_counts before, now;

	if (way->shown)
		tap_ret(compare(way->name, map, linear, size), 0, "%s: it is shown", way->name);
	tap_ret(straddle_make_room(fixture, s), 0, "the others leave");
	before = straddle_count(fixture);
	if (way->hangs)
		inject(fixture, way);
	tap_ret(object_place(fixture, &s->object, &straddle_visible), 0, "%s: place it",
		way->name);
	if (way->hangs)
		expect_restart(fixture, way);
	tap_ret(quire_bo_wait(fixture->fd, s->object.handle, WAIT_MS), 0, "it is there");
	now = straddle_count(fixture);
	tap_ok(now.slides == before.slides + 1 && now.ways == before.ways, "it slid there");
	tap_ret(compare(way->name, map, linear, size), 0, "%s: it is whole", way->name);
	tap_ret(object_place_and_wait(fixture, &s->object, &system_memory), 0, "it leaves VRAM");
	tap_ret(compare(way->name, map, linear, size), 0, "%s: it is whole", way->name);
	tap_ret(object_check(fixture, &s->low), 0, "so is what was below");
}

static void test_way(const struct fixture *fixture, const struct way *way)
{
	uint64_t half = fixture_visible(fixture) / 2;
	struct image image = image_of(way, half);
	struct straddler s = { 0 };
	uint8_t *linear;
	void *map;

	s.object.size = image_object_size(&image);
	linear = malloc(s.object.size);
	if (!linear || image_create(fixture->fd, &image, DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1,
				    &s.object.handle) ||
	    quire_bo_map(fixture->fd, s.object.handle, s.object.size, &map))
		tap_bail("%s: no image", way->name);
	pattern_fill(linear, s.object.size, 7);
	memcpy(map, linear, image_linear_size(&image));
	if (straddle_object(fixture, &s, image_tiled_size(&image), half, &straddle_run))
		slide(fixture, way, &s, &image, map, linear);
	munmap(map, s.object.size);
	straddle_close(fixture, &s);
	free(linear);
	tap_ok(fixture_settles(fixture, fixture->segments), "usage is what it was");
}

int main(void)
{
	uint64_t limit, above;
	struct fixture fixture;

	tap_start(120);
	straddle_start(&fixture);
	limit = fixture_visible(&fixture);
	above = fixture_vram(&fixture) - limit;
	if (limit > STRADDLE_MOST || above < limit)
		tap_skip_all("VRAM of another kind");
	for (unsigned int i = 0; i < ARRAY_SIZE(ways); i++)
		test_way(&fixture, &ways[i]);
	return tap_done();
}
