// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Images have tiles in VRAM, and programs see their linear form, wherever they go. */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dmabuf.h"
#include "fixture.h"
#include "image.h"

#define TILE_4K		DRM_QUIRE_LAYOUT_TILE_4K
#define TILE_64K	DRM_QUIRE_LAYOUT_TILE_64K

#define NR_FRESH	20	/* images that may get pages which are not clear */

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place invisible = {
	"invisible", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_INVISIBLE
};

static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * struct picture - an image, its object and what it should hold
 * @name: for messages
 * @image: the image
 * @object: size and handle are set
 * @linear: its content
 * @shown: it is in the part of VRAM that is looked at
 */
struct picture {
	const char *name;
	struct image image;
	struct object object;
	uint8_t *linear;
	bool shown;
};

#define PICTURE(text, ...)	{ .name = text, .image = { __VA_ARGS__ } }

#define ANYWHERE	(DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)

static int picture_write(const struct fixture *fixture, const struct picture *p)
{
	void *map;
	int ret = quire_bo_map(fixture->fd, p->object.handle, p->object.size, &map);

	if (ret)
		return ret;
	memcpy(map, p->linear, image_linear_size(&p->image));
	munmap(map, p->object.size);
	return 0;
}

static int picture_compare(const struct picture *p, const uint8_t *map)
{
	uint64_t i = 0;

	if (!memcmp(map, p->linear, image_linear_size(&p->image)))
		return 0;
	while (map[i] == p->linear[i])
		i++;
	tap_diag("%s: wrong at %#" PRIx64, p->name, i);
	return -EILSEQ;
}

static int picture_check(const struct fixture *fixture, const struct picture *p)
{
	void *map;
	int ret = quire_bo_map(fixture->fd, p->object.handle, p->object.size, &map);

	if (ret)
		return ret;
	ret = picture_compare(p, map);
	munmap(map, p->object.size);
	return ret;
}

static int picture_create(const struct fixture *fixture, struct picture *p, uint64_t seed)
{
	p->object.size = image_object_size(&p->image);
	p->linear = malloc(p->object.size);
	if (!p->linear)
		return -ENOMEM;
	pattern_fill(p->linear, p->object.size, seed);
	return image_create(fixture->fd, &p->image, ANYWHERE, &p->object.handle) ?:
	       picture_write(fixture, p);
}

static void picture_close(const struct fixture *fixture, struct picture *p)
{
	object_close(fixture, &p->object);
	free(p->linear);
}

static bool is_swizzled(const struct fixture *fixture, const struct picture *p)
{
	return object_flags(fixture, &p->object) & DRM_QUIRE_BO_SWIZZLED;
}

static struct picture pictures[] = {
	PICTURE("bytes", TILE_4K, 1, 200, 130, 1, 1),
	PICTURE("2 bytes, one column", TILE_4K, 2, 1, 1000, 1, 1),
	PICTURE("4 bytes, all levels", TILE_4K, 4, 301, 173, 9, 1),
	PICTURE("8 bytes, one row", TILE_4K, 8, 5000, 1, 13, 1),
	PICTURE("16 bytes, slices", TILE_4K, 16, 33, 65, 3, 5),
	PICTURE("bytes, large tiles", TILE_64K, 1, 700, 300, 1, 1),
	PICTURE("2 bytes, large tiles, slices", TILE_64K, 2, 128, 129, 4, 3),
	PICTURE("4 bytes, large tiles, all levels", TILE_64K, 4, 555, 444, 10, 1),
	PICTURE("8 bytes, large tiles", TILE_64K, 8, 257, 255, 1, 1),
	PICTURE("16 bytes, large tiles", TILE_64K, 16, 65, 64, 7, 2),
	PICTURE("a byte", TILE_4K, 1, 1, 1, 1, 1),
	PICTURE("surfaces of a few bytes", TILE_4K, 1, 3, 2, 2, 700),
};

/* Then the CPU sees it in VRAM. */
static bool has_range(const struct fixture *fixture, const struct picture *p)
{
	return image_linear_size(&p->image) <= fixture->info.swizzling_range_size;
}

/* Another place in VRAM than it has, where there is room for it. */
static const struct place *other_vram(const struct fixture *fixture, const struct picture *p)
{
	return fixture_has_place(fixture, &invisible, image_tiled_size(&p->image)) ? &invisible :
										     &vram;
}

static void test_round_trip(const struct fixture *fixture, struct picture *p)
{
	struct drm_quire_bo_info info;
	int ret = quire_bo_info(fixture->fd, p->object.handle, &info);

	tap_ok(!ret && info.vram_size == image_tiled_size(&p->image) &&
	       info.layout == p->image.layout && info.element_size == p->image.element_size &&
	       info.width == p->image.width && info.height == p->image.height &&
	       info.levels == p->image.levels && info.array_size == p->image.array_size,
	       "%s: info says what it is", p->name);
	tap_ret(object_place_and_wait(fixture, &p->object, &vram) ?:
		picture_check(fixture, p), 0, "%s: touched in VRAM", p->name);
	if (has_range(fixture, p))
		tap_ok(object_segment(fixture, &p->object) == DRM_QUIRE_SEGMENT_VRAM,
		       "%s: it is in VRAM still", p->name);
	else
		tap_ok(object_segment(fixture, &p->object) != DRM_QUIRE_SEGMENT_VRAM,
		       "%s: it is not in VRAM any more", p->name);
	tap_ret(object_place_and_wait(fixture, &p->object, &vram) ?:
		object_place_and_wait(fixture, &p->object, &system_memory) ?:
		picture_check(fixture, p), 0, "%s: to system memory", p->name);
	tap_ret(object_place_and_wait(fixture, &p->object, &vram) ?:
		object_place_and_wait(fixture, &p->object, &aperture) ?:
		picture_check(fixture, p), 0, "%s: to the aperture", p->name);
	tap_ret(object_place_and_wait(fixture, &p->object, &vram) ?:
		object_place_and_wait(fixture, &p->object, other_vram(fixture, p)) ?:
		picture_check(fixture, p), 0, "%s: from the aperture, inside of VRAM", p->name);
}

/* The part of VRAM that the CPU sees, as it is; NULL if it can not be had. */
static uint8_t *map_vram(const char *address, uint64_t size)
{
	char path[128];
	void *map;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource2", address);
	fd = open(path, O_RDWR | O_CLOEXEC);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

/* Where in VRAM all of @tiled is, in one run; -1 if nowhere. */
static int64_t find_in_vram(const uint8_t *map, uint64_t visible, const uint8_t *tiled,
			    uint64_t size)
{
	for (uint64_t at = 0; at + size <= visible; at += QUIRE_PAGE)
		if (!memcmp(map + at, tiled, 64) && !memcmp(map + at, tiled, size))
			return at;
	return -1;
}

static void expect_tiles(const struct picture *p, const uint8_t *map, uint64_t visible)
{
	uint64_t size = image_tiled_size(&p->image);
	uint8_t *tiled = malloc(size);

	image_tile(&p->image, p->linear, tiled);
	tap_ok(map && find_in_vram(map, visible, tiled, size) >= 0,
	       "%s: VRAM has the tiles that it should have, and nothing between", p->name);
	free(tiled);
}

/* VRAM is looked at while nobody drives the device: who has it bound lets nobody else. */
static void look_into_vram(struct fixture *fixture, uint8_t byte, bool look)
{
	uint64_t visible = fixture_visible(fixture);
	char address[64];
	uint8_t *map;

	tap_ret(sysfs_pci_address(fixture->fd, address, sizeof(address)), 0, "find the device");
	close(fixture->fd);
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind");
	map = map_vram(address, visible);
	tap_ok(map, "look into VRAM");
	for (size_t i = 0; look && i < ARRAY_SIZE(pictures); i++)
		if (pictures[i].shown)
			expect_tiles(&pictures[i], map, visible);
	if (map) {
		memset(map, byte, visible);
		munmap(map, visible);
	}
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
	fixture_reopen(fixture);
}

/* The tiles of the specification, and padding that tells nothing of what was there. */
static void test_tiles(struct fixture *fixture)
{
	static const struct place run = {
		"run", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_VISIBLE | DRM_QUIRE_PLACE_CONTIGUOUS
	};
	/* Runs leave holes. */
	uint64_t room = fixture_visible(fixture) / 8 * 7;
	size_t there = 0, placed = 0;

	look_into_vram(fixture, 0xee, false);
	for (size_t i = 0; i < ARRAY_SIZE(pictures); i++) {
		tap_ret(picture_create(fixture, &pictures[i], i + 100), 0, "%s: create",
			pictures[i].name);
		pictures[i].shown = image_tiled_size(&pictures[i].image) <= room;
		if (!pictures[i].shown)
			continue;
		room -= image_tiled_size(&pictures[i].image);
		tap_ret(object_place_and_wait(fixture, &pictures[i].object, &run), 0,
			"%s: into VRAM", pictures[i].name);
	}
	/* Where the CPU sees all of VRAM, runs of some may have taken the place of others. */
	for (size_t i = 0; i < ARRAY_SIZE(pictures); i++) {
		placed += pictures[i].shown;
		pictures[i].shown &= object_segment(fixture, &pictures[i].object) ==
				     DRM_QUIRE_SEGMENT_VRAM;
		there += pictures[i].shown;
	}
	tap_ok(fixture_vram(fixture) > fixture_visible(fixture) ? there == placed : there > 0,
	       "%zu of %zu are there", there, placed);
	look_into_vram(fixture, 0, true);
	for (size_t i = 0; i < ARRAY_SIZE(pictures); i++)
		free(pictures[i].linear);
}

static void test_pictures(const struct fixture *fixture)
{
	for (size_t i = 0; i < ARRAY_SIZE(pictures); i++) {
		tap_ret(picture_create(fixture, &pictures[i], i + 1), 0, "%s: create",
			pictures[i].name);
		test_round_trip(fixture, &pictures[i]);
		picture_close(fixture, &pictures[i]);
	}
}

/* Tiles without padding: as many bytes in both forms. */
static struct picture whole = PICTURE("whole tiles", TILE_64K, 4, 512, 256, 1, 2);

/* Nobody looks: it stays as it is, through all places, until somebody does. */
static void test_swizzled(const struct fixture *fixture)
{
	static const struct place * const ways[] = { &system_memory, &aperture };

	tap_ret(picture_create(fixture, &whole, 77), 0, "%s: create", whole.name);
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		tap_ok(!is_swizzled(fixture, &whole), "linear at first");
		tap_ret(object_place_and_wait(fixture, &whole.object, &vram) ?:
			object_place_and_wait(fixture, &whole.object, ways[i]), 0,
			"through VRAM to %s", ways[i]->name);
		tap_ok(is_swizzled(fixture, &whole), "it is swizzled there");
		tap_ret(object_place_and_wait(fixture, &whole.object, &vram) ?:
			object_place_and_wait(fixture, &whole.object, ways[i]), 0,
			"through VRAM again");
		tap_ok(is_swizzled(fixture, &whole), "it is swizzled still");
		tap_ret(object_place_and_wait(fixture, &whole.object, ways[!i]), 0, "to %s",
			ways[!i]->name);
		tap_ok(is_swizzled(fixture, &whole), "it is swizzled there, too");
		tap_ret(picture_check(fixture, &whole), 0, "who maps it sees its content");
		tap_ok(!is_swizzled(fixture, &whole), "it is linear again");
	}
	picture_close(fixture, &whole);
}

/* In VRAM all tiles are as they should be: the flag is of pages. */
static void test_flag(const struct fixture *fixture)
{
	tap_ret(picture_create(fixture, &whole, 82), 0, "%s: create", whole.name);
	tap_ret(object_place_and_wait(fixture, &whole.object, &vram) ?:
		object_place_and_wait(fixture, &whole.object, &system_memory), 0, "through VRAM");
	tap_ok(is_swizzled(fixture, &whole), "its pages are swizzled");
	tap_ret(object_place_and_wait(fixture, &whole.object, &vram), 0, "into VRAM");
	tap_ok(!is_swizzled(fixture, &whole), "it has no pages that are");
	tap_ret(picture_check(fixture, &whole), 0, "who maps it there sees its content");
	picture_close(fixture, &whole);
}

/* What is left of a mapping is one. */
static void test_pieces(const struct fixture *fixture)
{
	uint64_t middle = image_object_size(&whole.image) / 2;
	uint8_t *map;
	void *at;

	tap_ret(picture_create(fixture, &whole, 83), 0, "%s: create", whole.name);
	tap_ret(quire_bo_map(fixture->fd, whole.object.handle, whole.object.size, &at), 0, "map");
	map = at;
	munmap(map + middle, QUIRE_PAGE);
	munmap(map + middle + QUIRE_PAGE, middle - QUIRE_PAGE);
	tap_ret(object_place_and_wait(fixture, &whole.object, &vram) ?:
		object_place_and_wait(fixture, &whole.object, &system_memory), 0,
		"mapped in pieces, through VRAM");
	tap_ok(!is_swizzled(fixture, &whole), "it is linear");
	tap_ok(!memcmp(map, whole.linear, middle), "what is left shows its content");
	munmap(map, middle);
	tap_ret(object_place_and_wait(fixture, &whole.object, &vram) ?:
		object_place_and_wait(fixture, &whole.object, &system_memory), 0,
		"no piece is mapped any more, through VRAM");
	tap_ok(is_swizzled(fixture, &whole), "it is swizzled");
	picture_close(fixture, &whole);
}

/* A pointer, and what is evicted under it. */
static void test_mapped(const struct fixture *fixture)
{
	uint8_t *map;
	void *at;

	tap_ret(picture_create(fixture, &whole, 78), 0, "%s: create", whole.name);
	tap_ret(quire_bo_map(fixture->fd, whole.object.handle, whole.object.size, &at), 0, "map");
	map = at;
	for (unsigned int i = 0; i < 8; i++) {
		const struct place *place = i % 2 ? &system_memory : &aperture;

		whole.linear[i * 4099] = i;
		map[i * 4099] = i;
		tap_ret(object_place_and_wait(fixture, &whole.object, &vram) ?:
			object_place_and_wait(fixture, &whole.object, place), 0,
			"mapped, through VRAM to %s", place->name);
		tap_ok(!is_swizzled(fixture, &whole), "it is linear");
		tap_ret(picture_compare(&whole, map), 0, "the pointer shows its content");
		tap_ret(object_place_and_wait(fixture, &whole.object, &vram) ?:
			picture_compare(&whole, map), 0, "and does so in VRAM");
	}
	munmap(at, whole.object.size);
	tap_ret(object_place_and_wait(fixture, &whole.object, &vram) ?:
		object_place_and_wait(fixture, &whole.object, &system_memory), 0,
		"not mapped any more, through VRAM");
	tap_ok(is_swizzled(fixture, &whole), "it is swizzled");
	picture_close(fixture, &whole);
}

static void test_shared(const struct fixture *fixture)
{
	void *map = NULL;
	int dmabuf;

	tap_ret(picture_create(fixture, &whole, 79), 0, "%s: create", whole.name);
	tap_ret(object_place_and_wait(fixture, &whole.object, &vram) ?:
		object_place_and_wait(fixture, &whole.object, &system_memory), 0, "through VRAM");
	tap_ok(is_swizzled(fixture, &whole), "swizzled before it is shared");
	dmabuf = dmabuf_export(fixture->fd, whole.object.handle);
	tap_ok(dmabuf >= 0, "export");
	tap_ret(dmabuf_map(dmabuf, whole.object.size, &map), 0, "map the dma-buf");
	tap_ret(map ? picture_compare(&whole, map) : -ENOMEM, 0, "others see its content");
	munmap(map, whole.object.size);
	tap_ret(object_place_and_wait(fixture, &whole.object, &vram) ?:
		object_place_and_wait(fixture, &whole.object, &system_memory), 0,
		"shared, through VRAM");
	tap_ok(!is_swizzled(fixture, &whole), "it is linear");
	close(dmabuf);
	tap_ret(picture_check(fixture, &whole), 0, "and has its content");
	picture_close(fixture, &whole);
}

/**
 * struct writer - who writes through a pointer all the time
 * @words: where, one of them each
 * @count: how often each was written
 * @stop: it is over
 */
struct writer {
	volatile uint32_t *words;
	uint32_t count;
	bool stop;
};

#define WRITER_WORDS	512
#define WRITER_STRIDE	257

static void *write_words(void *data)
{
	struct writer *writer = data;

	do {
		writer->count++;
		for (unsigned int i = 0; i < WRITER_WORDS; i++)
			writer->words[i * WRITER_STRIDE] = writer->count;
	} while (!__atomic_load_n(&writer->stop, __ATOMIC_RELAXED));
	return NULL;
}

/* No word is lost, whatever moves meanwhile. */
static void test_written(const struct fixture *fixture)
{
	struct writer writer = { 0 };
	unsigned int lost = 0;
	pthread_t thread;
	void *map;
	int ret = 0;

	tap_ret(picture_create(fixture, &whole, 80), 0, "%s: create", whole.name);
	tap_ret(quire_bo_map(fixture->fd, whole.object.handle, whole.object.size, &map), 0, "map");
	writer.words = map;
	tap_ret(-pthread_create(&thread, NULL, write_words, &writer), 0, "write all the time");
	for (unsigned int i = 0; i < 60 && !ret; i++)
		ret = object_place(fixture, &whole.object, i % 3 ? &vram : &aperture);
	__atomic_store_n(&writer.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	tap_ret(ret, 0, "placed meanwhile");
	for (unsigned int i = 0; i < WRITER_WORDS; i++)
		lost += writer.words[i * WRITER_STRIDE] != writer.count;
	tap_ok(!lost, "no word is lost");
	munmap(map, whole.object.size);
	picture_close(fixture, &whole);
}

/* Longer than one sub-transfer, in each direction. */
static void test_long(const struct fixture *fixture)
{
	struct picture p = PICTURE("long", TILE_64K, 4, 2500, 1700, 12, 1);
	struct picture many = PICTURE("long, whole tiles", TILE_4K, 16, 1024, 128, 1, 10);

	if (!fixture_has_place(fixture, &vram, image_tiled_size(&p.image))) {
		tap_skip("VRAM is too small", "images in several parts");
		return;
	}
	tap_ret(picture_create(fixture, &p, 5), 0, "%s: create", p.name);
	test_round_trip(fixture, &p);
	picture_close(fixture, &p);
	tap_ret(picture_create(fixture, &many, 6), 0, "%s: create", many.name);
	test_round_trip(fixture, &many);
	picture_close(fixture, &many);
}

/* Others take its place. */
static void test_evicted(const struct fixture *fixture)
{
	struct object all = { 0 };

	tap_ret(picture_create(fixture, &whole, 81), 0, "%s: create", whole.name);
	tap_ret(object_create(fixture, &all, fixture_vram(fixture), 1), 0, "as large as VRAM");
	for (unsigned int i = 0; i < 3; i++) {
		tap_ret(object_place_and_wait(fixture, &whole.object, &vram) ?:
			object_place_and_wait(fixture, &all, &vram), 0, "evicted");
		tap_ok(is_swizzled(fixture, &whole), "it is swizzled");
	}
	tap_ret(picture_check(fixture, &whole), 0, "its content is whole");
	tap_ret(object_check(fixture, &all), 0, "and that of the other");
	object_close(fixture, &all);
	picture_close(fixture, &whole);
}

/* Never written: nothing of others is in it, nor behind it. The first pages come clear. */
static void test_fresh(const struct fixture *fixture)
{
	static const struct image small = { TILE_4K, 4, 30, 30, 1, 1 };
	int ret = 0;

	for (unsigned int i = 0; i < NR_FRESH && !ret; i++) {
		struct object object = { .size = image_object_size(&small) };

		ret = image_create(fixture->fd, &small, ANYWHERE, &object.handle);
		if (!ret && i % 2)
			ret = object_check_zero(fixture, &object);
		if (!ret)
			ret = object_place_and_wait(fixture, &object, &vram);
		test_soil_pages();
		if (!ret)
			ret = object_place_and_wait(fixture, &object, &system_memory) ?:
			      object_check_zero(fixture, &object);
		object_close(fixture, &object);
	}
	tap_ret(ret, 0, "fresh images read as zero, to the end");
}

int main(void)
{
	struct fixture fixture;

	tap_start(240);
	fixture_open(&fixture);
	test_pictures(&fixture);
	test_tiles(&fixture);
	test_swizzled(&fixture);
	test_flag(&fixture);
	test_pieces(&fixture);
	test_mapped(&fixture);
	test_shared(&fixture);
	test_written(&fixture);
	test_long(&fixture);
	test_evicted(&fixture);
	test_fresh(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
