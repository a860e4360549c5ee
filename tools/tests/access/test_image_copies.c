// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A program copies from image to image, and one instruction reads one and writes the other: it
 * needs a swizzling range for each of them at once, however few there are.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fixture.h"
#include "image.h"

#define NR_IMAGES	10
#define NR_COPIES	400
#define PIECE		256

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };

#define ANYWHERE	(DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)

static const struct image image = { DRM_QUIRE_LAYOUT_TILE_4K, 4, 64, 64, 1, 1 };

/**
 * struct copied - an image, and what it should be
 * @object: size and handle are set
 * @map: its mapping
 * @expected: as much memory
 */
struct copied {
	struct object object;
	void *map;
	uint8_t *expected;
};

static int create(const struct fixture *fixture, struct copied *c, unsigned int i)
{
	uint64_t size = image_object_size(&image);
	int ret;

	*c = (struct copied){ .object = { .size = size }, .expected = malloc(size) };
	if (!c->expected)
		return -ENOMEM;
	ret = image_create(fixture->fd, &image, ANYWHERE, &c->object.handle) ?:
	      quire_bo_map(fixture->fd, c->object.handle, size, &c->map);
	if (ret)
		return ret;
	memset(c->expected, i + 1, size);
	memset(c->map, i + 1, size);
	return object_place_and_wait(fixture, &c->object, &vram);
}

/* What a large memcpy() is on many processors. */
static void copy(void *to, const void *from, size_t bytes)
{
#ifdef __x86_64__
	size_t words = bytes / 8;

	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
#else
	memcpy(to, from, bytes);
#endif
}

int main(void)
{
	static struct copied all[NR_IMAGES];
	unsigned int wrong = 0;
	struct fixture fixture;
	uint64_t random = 5;
	int ret = 0;

	tap_start(60);
	fixture_open(&fixture);
	tap_ok(fixture.info.swizzling_ranges != 1, "one range is none");
	for (unsigned int i = 0; i < NR_IMAGES && !ret; i++)
		ret = create(&fixture, &all[i], i);
	if (!tap_ret(ret, 0, "images in VRAM"))
		return tap_done();
	for (unsigned int i = 0; i < NR_COPIES; i++) {
		struct copied *to = &all[random_below(&random, NR_IMAGES)];
		struct copied *from = &all[random_below(&random, NR_IMAGES)];
		uint64_t at = random_below(&random, to->object.size / PIECE) * PIECE;

		copy((uint8_t *)to->map + at, (uint8_t *)from->map + at, PIECE);
		memmove(to->expected + at, from->expected + at, PIECE);
	}
	for (unsigned int i = 0; i < NR_IMAGES; i++)
		wrong += memcmp(all[i].map, all[i].expected, all[i].object.size) != 0;
	tap_ok(!wrong, "all copies are what they should be");
	for (unsigned int i = 0; i < NR_IMAGES; i++) {
		munmap(all[i].map, all[i].object.size);
		object_close(&fixture, &all[i].object);
		free(all[i].expected);
	}
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
