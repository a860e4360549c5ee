// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The CPU touches objects in VRAM that it can not reach. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"

static const struct place invisible = {
	"invisible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_INVISIBLE
};

static const struct place anywhere = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place visible = {
	"visible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_VISIBLE
};

static bool is_reachable(const struct fixture *fixture, const struct object *object)
{
	uint32_t flags = object_flags(fixture, object);

	return object_segment(fixture, object) != UINT32_MAX && flags & DRM_QUIRE_BO_VISIBLE;
}

static void *map_or_bail(const struct fixture *fixture, const struct object *object)
{
	void *map;
	int ret = quire_bo_map(fixture->fd, object->handle, object->size, &map);

	if (ret)
		tap_bail("mmap: %s", strerror(-ret));
	return map;
}

static void test_read(const struct fixture *fixture)
{
	struct object object;

	tap_ret(object_create(fixture, &object, QUIRE_MIB, 1), 0, "create");
	tap_ret(object_place_and_wait(fixture, &object, &invisible), 0, "place it invisibly");
	tap_ok(!is_reachable(fixture, &object), "it can not be reached");
	tap_ret(object_check(fixture, &object), 0, "its content is whole through the mapping");
	tap_ok(is_reachable(fixture, &object), "it came to where it can be reached");
	object_close(fixture, &object);
}

static void test_write(const struct fixture *fixture)
{
	struct object object;

	tap_ret(object_create(fixture, &object, 5 * QUIRE_PAGE, 1), 0, "create");
	tap_ret(object_place_and_wait(fixture, &object, &invisible), 0, "place it invisibly");
	object.key = 2;
	tap_ret(object_fill(fixture, &object), 0, "write it through the mapping");
	tap_ret(object_place_and_wait(fixture, &object, &invisible), 0, "place it again");
	tap_ok(!is_reachable(fixture, &object), "it can not be reached again");
	tap_ret(object_check(fixture, &object), 0, "it holds what was written");
	object_close(fixture, &object);
}

/* A byte as a mapping of this moment shows it. */
static unsigned char byte_now(const struct fixture *fixture, const struct object *object,
			      size_t offset)
{
	unsigned char *map = map_or_bail(fixture, object);
	unsigned char byte = map[offset];

	munmap(map, object->size);
	return byte;
}

/* At each place: the content, and one byte written where the object is now. */
static void check_old_mapping(const struct fixture *fixture, struct object *object,
			      unsigned char *map, bool wait)
{
	const size_t middle = 31 * QUIRE_PAGE + 5;
	uint64_t wrong = 0, lost = 0;
	int ret;

	for (size_t i = 0; i < NR_PLACES; i++) {
		if (!fixture_has_place(fixture, &places[i], object->size))
			continue;
		ret = wait ? object_place_and_wait(fixture, object, &places[i]) :
			     object_place(fixture, object, &places[i]);
		tap_ret(ret, 0, "place it in %s while it is mapped", places[i].name);
		map[middle] ^= 0xff;
		lost += byte_now(fixture, object, middle) != map[middle];
		map[middle] ^= 0xff;
		wrong += pattern_differs(map, object->size, 3) != PATTERN_SAME;
	}
	tap_ok(!wrong, "the mapping shows the content at every place");
	tap_ok(!lost, "what is written through it is at that place");
}

/*
 * A mapping that was there before the moves leads to the new place, not to where the
 * object was: while it moves, when the move would still take a write along, and after it.
 */
static void test_old_mapping(const struct fixture *fixture)
{
	struct object object;
	unsigned char *map;

	tap_ret(object_create(fixture, &object, 64 * QUIRE_PAGE, 3), 0, "create");
	map = map_or_bail(fixture, &object);
	check_old_mapping(fixture, &object, map, false);
	check_old_mapping(fixture, &object, map, true);
	munmap(map, object.size);
	object_close(fixture, &object);
}

/* Two mappings and a read-only one see the same bytes. */
static void test_aliases(const struct fixture *fixture)
{
	struct object object;
	unsigned char *a, *b;

	tap_ret(object_create(fixture, &object, 2 * QUIRE_PAGE, 4), 0, "create");
	a = map_or_bail(fixture, &object);
	b = map_or_bail(fixture, &object);
	tap_ret(mprotect(b, object.size, PROT_READ), 0, "make one mapping read-only");
	a[4097] = 0x5a;
	tap_ok(b[4097] == 0x5a, "a write is seen through the other mapping");
	tap_ret(object_place_and_wait(fixture, &object, &invisible), 0, "place it invisibly");
	a[4098] = 0xa5;
	tap_ok(b[4097] == 0x5a && b[4098] == 0xa5, "both writes are seen after the move");
	munmap(a, object.size);
	munmap(b, object.size);
	object_close(fixture, &object);
}

/* Through /proc/self/mem, as a debugger does it: not through the page tables. */
static int debugger_read(int mem, const unsigned char *map, const struct object *object)
{
	unsigned char *copy = malloc(object->size);
	ssize_t got = pread(mem, copy, object->size, (uintptr_t)map);
	bool whole = got == (ssize_t)object->size &&
		     pattern_differs(copy, object->size, object->key) == PATTERN_SAME;

	free(copy);
	return whole ? 0 : got < 0 ? -errno : -EPROTO;
}

/* All but the first and the last bytes, so that no page is written from its start to its end. */
static int debugger_write(int mem, unsigned char *map, struct object *object)
{
	unsigned char *copy = malloc(object->size);
	size_t size = object->size - 16;
	ssize_t written;

	object->key++;
	pattern_fill(copy, object->size, object->key);
	written = pwrite(mem, copy + 8, size, (uintptr_t)map + 8);
	if (written == (ssize_t)size) {
		memcpy(map, copy, 8);
		memcpy(map + object->size - 8, copy + object->size - 8, 8);
	}
	free(copy);
	return written == (ssize_t)size ? 0 : written < 0 ? -errno : -EPROTO;
}

static void test_debugger(const struct fixture *fixture)
{
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	struct object object;
	unsigned char *map;

	tap_ok(mem >= 0, "open /proc/self/mem");
	tap_ret(object_create(fixture, &object, 3 * QUIRE_PAGE, 6), 0, "create");
	map = map_or_bail(fixture, &object);
	for (size_t i = 0; i < NR_PLACES; i++) {
		if (!fixture_has_place(fixture, &places[i], object.size))
			continue;
		tap_ret(object_place_and_wait(fixture, &object, &places[i]), 0, "place it in %s",
			places[i].name);
		tap_ret(debugger_read(mem, map, &object), 0, "a debugger reads the content");
		tap_ret(debugger_write(mem, map, &object), 0, "he writes it anew");
		tap_ret(object_check(fixture, &object), 0, "that is what it holds");
	}
	munmap(map, object.size);
	close(mem);
	object_close(fixture, &object);
}

/* Larger than what the CPU can reach: it has to go to system memory. */
static void test_large(const struct fixture *fixture)
{
	uint64_t size = fixture_visible(fixture) + QUIRE_MIB;
	struct object object;

	tap_ret(object_create(fixture, &object, size, 5), 0, "create more than is visible");
	tap_ret(object_place(fixture, &object, &visible), -ENOSPC, "it does not fit there");
	tap_ret(object_place_and_wait(fixture, &object, &anywhere), 0, "place it in VRAM");
	tap_ok(!is_reachable(fixture, &object), "not all of it can be reached");
	tap_ret(object_check(fixture, &object), 0, "its content is whole through the mapping");
	tap_ok(object_segment(fixture, &object) != DRM_QUIRE_SEGMENT_VRAM, "it left VRAM");
	object_close(fixture, &object);
}

/* Twice as much as is visible, touched in turn. */
static void test_window_pressure(const struct fixture *fixture)
{
	size_t count = 2 * fixture_visible(fixture) / QUIRE_MIB;
	struct object objects[64];
	int ret = 0;

	if (count > ARRAY_SIZE(objects))
		count = ARRAY_SIZE(objects);
	for (size_t i = 0; i < count && !ret; i++) {
		ret = object_create(fixture, &objects[i], QUIRE_MIB, 100 + i);
		if (!ret)
			ret = object_place(fixture, &objects[i], &invisible);
	}
	tap_ret(ret, 0, "place %zu MiB invisibly", count);
	for (size_t i = 0; i < count && !ret; i++)
		ret = object_check(fixture, &objects[i]);
	tap_ret(ret, 0, "the content of all is whole through the mappings");
	for (size_t i = 0; i < count; i++)
		object_close(fixture, &objects[i]);
}

int main(void)
{
	struct fixture fixture;

	tap_start(120);
	fixture_open(&fixture);
	if (fixture_vram(&fixture) < fixture_visible(&fixture) + 4 * QUIRE_MIB)
		tap_skip_all("the CPU can reach all of VRAM");
	test_read(&fixture);
	test_write(&fixture);
	test_old_mapping(&fixture);
	test_aliases(&fixture);
	test_debugger(&fixture);
	test_large(&fixture);
	test_window_pressure(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
