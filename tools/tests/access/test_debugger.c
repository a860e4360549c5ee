// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What a debugger reads of a mapping: the content, or an error if there is none; never anything. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "failing.h"
#include "fixture.h"
#include "peek.h"

#define SIZE		(16 * QUIRE_PAGE)
#define MOST		64	/* allocations of one access */

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };

static int map_new(const struct fixture *fixture, struct object *object, void **map)
{
	object->size = SIZE;
	return quire_bo_create(fixture->fd, SIZE, &object->handle) ?:
	       quire_bo_map(fixture->fd, object->handle, SIZE, map);
}

static void test_purged(const struct fixture *fixture)
{
	struct object object;
	uint64_t word;
	void *map;

	tap_ret(object_create(fixture, &object, SIZE, 1), 0, "an object");
	tap_ret(quire_bo_map(fixture->fd, object.handle, SIZE, &map), 0, "map it");
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "place it in VRAM");
	tap_ret(peek(getpid(), map, &word), 0, "read it");
	tap_ok(word == *(uint64_t *)map, "that is the content");
	tap_ret(quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"DONTNEED");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "it is dropped");
	tap_ret(peek(getpid(), map, &word), -EIO, "what is purged can not be read");
	tap_ret(quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_WILLNEED, NULL), 0,
		"WILLNEED");
	tap_ret(peek(getpid(), map, &word), 0, "then it can");
	tap_ok(!word, "it is zero");
	munmap(map, SIZE);
	object_close(fixture, &object);
}

/* Of a mapping whose first page is gone: what begins in the middle of the object. */
static void test_rest(const struct fixture *fixture, const struct place *place)
{
	struct object object;
	uint64_t *words, word = 0;
	void *map;

	tap_ret(object_create(fixture, &object, SIZE, 3), 0, "%s: an object", place->name);
	tap_ret(quire_bo_map(fixture->fd, object.handle, SIZE, &map), 0, "map it");
	tap_ret(object_place_and_wait(fixture, &object, place), 0, "place it");
	munmap(map, QUIRE_PAGE);
	words = map + QUIRE_PAGE;
	tap_ret(peek(getpid(), words, &word), 0, "read the second page, the first is unmapped");
	tap_ok(word == *words, "that is what the program sees");
	tap_ret(peek(getpid(), map + SIZE - sizeof(word), &word), 0, "read the last word");
	tap_ok(word == *(uint64_t *)(map + SIZE - sizeof(word)), "that is it");
	word = *words;
	tap_ret(poke(getpid(), words, ~word), 0, "write the second page");
	tap_ok(*words == ~word, "the program sees what was written");
	*words = word;
	tap_ret(object_check(fixture, &object), 0, "nothing else was written");
	munmap(words, SIZE - QUIRE_PAGE);
	object_close(fixture, &object);
}

/* One that fails is asked for again, or as less; if all do, that is an error. */
static void test_none_at_all(const struct fixture *fixture)
{
	struct object object;
	uint64_t word = 1;
	void *map;
	int ret;

	tap_ret(map_new(fixture, &object, &map), 0, "an object without pages");
	tap_ok(failing_all(0, 0), "there is no memory at all");
	ret = peek(getpid(), map, &word);
	tap_ok(failing_none(), "there is memory again");
	tap_ret(ret, -EIO, "without memory it can not be read");
	tap_ret(peek(getpid(), map, &word), 0, "then it can");
	tap_ok(!word, "it is zero");
	munmap(map, SIZE);
	object_close(fixture, &object);
}

/* Each allocation fails once: an error, or what is there. */
static void test_no_memory(const struct fixture *fixture)
{
	unsigned int n, failures = 0;
	bool failed = true;
	int ret = 0;

	if (!failing_begin() || !failing_below("quire")) {
		tap_skip("the kernel has no fault injection", "out of memory");
		return;
	}
	for (n = 1; failed && !ret && n < MOST; n++) {
		uint64_t word = 1;
		struct object object;
		void *map;

		ret = map_new(fixture, &object, &map);
		if (ret)
			break;
		failing_arm(n);
		ret = peek(getpid(), map, &word);
		failed = failing_disarm();
		failures += ret == -EIO;
		if (ret == -EIO)
			ret = peek(getpid(), map, &word);
		if (!ret && word)
			ret = -EILSEQ;
		munmap(map, SIZE);
		object_close(fixture, &object);
	}
	tap_ret(ret, 0, "out of memory %u times, %u times an error", n - 2, failures);
	tap_ok(n > 2 && !failed, "there were such allocations, and an end");
	test_none_at_all(fixture);
	failing_end();
}

static void test_unbound(struct fixture *fixture)
{
	struct object object;
	uint64_t word;
	void *map;

	tap_ret(object_create(fixture, &object, SIZE, 2), 0, "an object");
	tap_ret(quire_bo_map(fixture->fd, object.handle, SIZE, &map), 0, "map it");
	tap_ret(peek(getpid(), map, &word), 0, "read it");
	fixture_rebind(fixture);
	tap_ret(peek(getpid(), map, &word), -EIO, "it can not be read when its device has gone");
	munmap(map, SIZE);
}

int main(void)
{
	struct fixture fixture;

	tap_start(60);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	test_purged(&fixture);
	for (unsigned int i = 0; i < QUIRE_SEGMENTS; i++)
		test_rest(&fixture, &places[i]);
	test_no_memory(&fixture);
	test_unbound(&fixture);
	fixture_test_works(&fixture);
	return tap_done();
}
