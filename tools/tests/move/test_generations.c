// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Both generations of the paging model give the same bytes: between all places, for sizes
 * around what a window has, scattered or not, in turns and at a time. Which operations a move
 * is made of is counted: the one generation has none of the other one's.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

#define WINDOW		(512 * QUIRE_PAGE)	/* of the paging ring */
#define WINDOW_ENTRIES	(512 * 8)		/* bytes of them */
#define COMBINED	DRM_QUIRE_CACHING_WRITE_COMBINED
#define ANYWHERE	(DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

static const uint64_t sizes[] = {
	QUIRE_PAGE, 3 * QUIRE_PAGE, WINDOW - QUIRE_PAGE, WINDOW, WINDOW + QUIRE_PAGE,
	5 * QUIRE_MIB + 3 * QUIRE_PAGE,
};

/**
 * struct operations - packets that were executed
 * @transfers: of the first generation
 * @fills: of the first generation
 * @virtual_transfers: of the second one, as all below
 * @virtual_fills: that fill
 * @updates: that write page tables
 * @flushes: of translations
 */
struct operations {
	struct debugfs_counter transfers;
	struct debugfs_counter fills;
	struct debugfs_counter virtual_transfers;
	struct debugfs_counter virtual_fills;
	struct debugfs_counter updates;
	struct debugfs_counter flushes;
};

static void read_counter(const struct fixture *fixture, const char *name,
			 struct debugfs_counter *counter)
{
	if (debugfs_counter(fixture->debugfs, name, counter))
		tap_bail("no counter of %s", name);
}

static void read_operations(const struct fixture *fixture, struct operations *operations)
{
	read_counter(fixture, "TRANSFER", &operations->transfers);
	read_counter(fixture, "FILL", &operations->fills);
	read_counter(fixture, "VIRTUAL_TRANSFER", &operations->virtual_transfers);
	read_counter(fixture, "VIRTUAL_FILL", &operations->virtual_fills);
	read_counter(fixture, "UPDATE_PAGE_TABLE", &operations->updates);
	read_counter(fixture, "FLUSH_TLB", &operations->flushes);
}

/* What was added since @before. */
static struct operations added(const struct fixture *fixture, const struct operations *before)
{
	struct debugfs_counter *counter;
	const struct debugfs_counter *old = &before->transfers;
	struct operations now;

	read_operations(fixture, &now);
	for (counter = &now.transfers; counter <= &now.flushes; counter++, old++) {
		counter->count -= old->count;
		counter->bytes -= old->bytes;
	}
	return now;
}

/* Of all moves that begin from now on. */
static int choose(unsigned int generation)
{
	return sysfs_parameter_write("generation", generation == 1 ? "1" : "2");
}

static uint64_t windows_of(uint64_t size)
{
	return (size + WINDOW - 1) / WINDOW;
}

/* Of windows that show a page of 2 MiB, of both sides. */
static uint64_t large_windows(const struct operations *delta, uint64_t size, uint64_t sides)
{
	return (sides * size / QUIRE_PAGE * 8 - delta->updates.bytes) / (WINDOW_ENTRIES - 8);
}

static void check_virtual(const struct operations *delta, uint64_t size, bool fills)
{
	const struct debugfs_counter *moved = fills ? &delta->virtual_fills :
						      &delta->virtual_transfers;
	uint64_t sides = fills ? 1 : 2;
	uint64_t large = large_windows(delta, size, sides);

	tap_ok(!delta->transfers.count && !delta->fills.count,
	       "nothing of the first generation");
	tap_ok(moved->count == windows_of(size) && moved->bytes == size,
	       "an operation for each window, all bytes");
	tap_ok(delta->flushes.count == windows_of(size), "a flush for each window");
	tap_ok(delta->updates.count >= sides * windows_of(size) &&
	       large <= sides * (size / WINDOW) &&
	       delta->updates.bytes + large * (WINDOW_ENTRIES - 8) ==
	       sides * size / QUIRE_PAGE * 8,
	       "an entry for each page of each side; those of %" PRIu64 " windows are one", large);
}

static void check_physical(const struct operations *delta, uint64_t size, bool fills)
{
	const struct debugfs_counter *moved = fills ? &delta->fills : &delta->transfers;

	tap_ok(!delta->virtual_transfers.count && !delta->virtual_fills.count &&
	       !delta->updates.count && !delta->flushes.count, "nothing of the second generation");
	tap_ok(moved->count && moved->bytes == size, "all bytes by segments");
}

static void check_counts(const struct fixture *fixture, const struct operations *before,
			 unsigned int generation, uint64_t size, bool fills)
{
	struct operations delta = added(fixture, before);

	if (generation == 2)
		check_virtual(&delta, size, fills);
	else
		check_physical(&delta, size, fills);
}

static void test_counts(const struct fixture *fixture, unsigned int generation, uint64_t size)
{
	static const struct place *const way[] = { &vram, &aperture, &vram, &system_memory };
	struct operations before;
	struct object object = { .size = size };

	test_parameter("generation", generation);
	read_operations(fixture, &before);
	tap_ret(quire_bo_create(fixture->fd, size, &object.handle) ?:
		object_place_and_wait(fixture, &object, &vram), 0,
		"generation %u, %" PRIu64 " pages: an object without content", generation,
		size / QUIRE_PAGE);
	check_counts(fixture, &before, generation, size, true);
	tap_ret(object_check_zero(fixture, &object), 0, "it is zero");
	tap_ret(object_place_and_wait(fixture, &object, &system_memory) ?:
		object_fill(fixture, &object), 0, "get content");
	for (size_t i = 0; i < ARRAY_SIZE(way); i++) {
		read_operations(fixture, &before);
		tap_ret(object_place_and_wait(fixture, &object, way[i]), 0, "to %s",
			way[i]->name);
		check_counts(fixture, &before, generation, size, false);
		tap_ret(object_check(fixture, &object), 0, "its content is whole");
	}
	object_close(fixture, &object);
}

/* Where all pages of a window make a page of 2 MiB: VRAM, an object of which is in one piece. */
static void test_large(const struct fixture *fixture)
{
	struct object object = { .size = 4 * WINDOW, .key = 3 };
	struct operations before, delta;

	test_parameter("generation", 2);
	read_operations(fixture, &before);
	tap_ret(quire_bo_create(fixture->fd, 4 * WINDOW, &object.handle) ?:
		object_place_and_wait(fixture, &object, &vram), 0,
		"four windows of VRAM without content");
	delta = added(fixture, &before);
	tap_ok(delta.updates.count == 4 && delta.updates.bytes == 4 * 8 &&
	       delta.flushes.count == 4, "each is one entry");
	tap_ret(object_check_zero(fixture, &object) ?: object_fill(fixture, &object), 0,
		"all of it is zero");
	read_operations(fixture, &before);
	tap_ret(object_place_and_wait(fixture, &object, &system_memory), 0, "to system memory");
	delta = added(fixture, &before);
	tap_ok(large_windows(&delta, 4 * WINDOW, 2) >= 4, "what is read is one entry each");
	read_operations(fixture, &before);
	tap_ret(object_place_and_wait(fixture, &object, &vram) ?:
		object_check(fixture, &object), 0, "and back: its content is whole");
	delta = added(fixture, &before);
	tap_ok(large_windows(&delta, 4 * WINDOW, 2) >= 4, "what is written is one entry each");
	object_close(fixture, &object);
}

/* From each place to each other one, another generation each time. */
static void test_turns(const struct fixture *fixture, uint64_t size, uint32_t caching)
{
	struct object object = { .size = size, .key = size + caching };
	unsigned int generation = 1;
	int ret;

	ret = quire_bo_create_caching(fixture->fd, size, ANYWHERE, caching, &object.handle) ?:
	      object_fill(fixture, &object);
	for (size_t i = 0; i < NR_PLACES && !ret; i++) {
		for (size_t j = 0; j < NR_PLACES && !ret; j++) {
			if (!fixture_has_place(fixture, &places[i], size) ||
			    !fixture_has_place(fixture, &places[j], size))
				continue;
			ret = choose(generation) ?:
			      object_place_and_wait(fixture, &object, &places[i]);
			generation = 3 - generation;
			ret = ret ?: choose(generation) ?:
			      object_place_and_wait(fixture, &object, &places[j]) ?:
			      object_check(fixture, &object);
			if (ret)
				tap_diag("%s to %s", places[i].name, places[j].name);
			object.key++;
			ret = ret ?: object_fill(fixture, &object);
		}
	}
	tap_ret(ret, 0, "%" PRIu64 " pages, caching %u: in turns, from each place to each other",
		size / QUIRE_PAGE, caching);
	object_close(fixture, &object);
}

#define NR_CHILDREN	4
#define CHILD_MOVES	40
#define CHILD_S		200
#define CHILD_SIZE	(700 * QUIRE_PAGE)

/* Moves on its own, whatever the others do; switches the generation for all. */
static int mover(const struct fixture *parent, unsigned int number)
{
	static const struct place *const way[] = { &vram, &aperture, &vram, &system_memory };
	struct fixture fixture = *parent;
	struct object object;
	int ret;

	fixture_reopen(&fixture);
	ret = object_create(&fixture, &object, CHILD_SIZE, number);
	for (unsigned int i = 0; i < CHILD_MOVES && !ret; i++) {
		if (!number)
			ret = choose(1 + i / 2 % 2);
		ret = ret ?: object_place_and_wait(&fixture, &object, way[i % ARRAY_SIZE(way)]) ?:
		      object_check(&fixture, &object);
	}
	object_close(&fixture, &object);
	return ret ? 1 : 0;
}

/* The windows are everybody's. */
static void test_rivals(const struct fixture *fixture)
{
	pid_t children[NR_CHILDREN];
	unsigned int failed = 0;

	test_parameter("generation", 2);
	for (unsigned int i = 0; i < NR_CHILDREN; i++) {
		children[i] = child_start(CHILD_S);
		if (!children[i])
			_exit(mover(fixture, i));
	}
	for (unsigned int i = 0; i < NR_CHILDREN; i++)
		failed += child_status(children[i]) != 0;
	tap_ok(!failed, "%u processes move at a time, in both generations", NR_CHILDREN);
}

static void test_refused(void)
{
	static const char *const bad[] = { "0", "3", "-1", "two", "4294967298" };
	char before[16], after[16];

	test_parameter("generation", 2);
	sysfs_parameter_read("generation", before, sizeof(before));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		tap_ok(sysfs_parameter_write("generation", bad[i]) < 0,
		       "generation \"%s\" is refused", bad[i]);
	sysfs_parameter_read("generation", after, sizeof(after));
	tap_ok(!strcmp(before, after), "and it is as it was");
}

int main(void)
{
	struct fixture fixture;

	fixture_open(&fixture);
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)) {
		tap_skip("the CPU makes the copies", "generations");
		return tap_done();
	}
	test_refused();
	for (unsigned int generation = 1; generation <= 2; generation++)
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
			test_counts(&fixture, generation, sizes[i]);
	test_large(&fixture);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (uint32_t caching = 0; caching <= COMBINED; caching++)
			test_turns(&fixture, sizes[i], caching);
	test_rivals(&fixture);
	test_parameter("generation", 1);
	fixture_test_works(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "everything is given back");
	return tap_done();
}
