// SPDX-License-Identifier: GPL-2.0 OR MIT
/* debugfs: operations are counted as they are made, and all can be evicted. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

#define SIZE	QUIRE_MIB

static const struct place contiguous = {
	"contiguous vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_CONTIGUOUS
};

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

static const char * const names[] = {
	"TRANSFER", "FILL", "DISCARD_CONTENT", "READ_PHYSICAL", "WRITE_PHYSICAL",
	"MAP_APERTURE_SEGMENT", "UNMAP_APERTURE_SEGMENT",
};

enum { TRANSFER, FILL, DISCARD, READ, WRITE, MAP, UNMAP, NR_OPERATIONS };

/**
 * struct counters - all of them at one time
 * @operations: in the order of @names
 */
struct counters {
	struct debugfs_counter operations[NR_OPERATIONS];
};

static struct counters read_counters(const struct fixture *fixture)
{
	struct counters counters;

	for (int i = 0; i < NR_OPERATIONS; i++) {
		int ret = debugfs_counter(fixture->debugfs, names[i], &counters.operations[i]);

		if (ret)
			tap_bail("no counter %s: %s", names[i], strerror(-ret));
	}
	return counters;
}

/* What was added since @before. */
static struct counters added(const struct fixture *fixture, const struct counters *before)
{
	struct counters now = read_counters(fixture);

	for (int i = 0; i < NR_OPERATIONS; i++) {
		now.operations[i].count -= before->operations[i].count;
		now.operations[i].bytes -= before->operations[i].bytes;
	}
	return now;
}

/* @most: operations that may be made for it */
static void expect(const struct counters *delta, int operation, uint64_t bytes, uint64_t most)
{
	const struct debugfs_counter *counter = &delta->operations[operation];
	bool ok = counter->bytes == bytes && counter->count <= most && !counter->count == !bytes;

	if (!tap_ok(ok, "%s of %" PRIu64 " bytes", names[operation], bytes))
		tap_diag("%" PRIu64 " of %" PRIu64 " bytes, at most %" PRIu64 " expected",
			 counter->count, counter->bytes, most);
}

static struct counters move(const struct fixture *fixture, const struct object *object,
			    const struct place *place)
{
	struct counters before = read_counters(fixture);

	tap_ret(object_place_and_wait(fixture, object, place), 0, "place it in %s", place->name);
	return added(fixture, &before);
}

static void test_fill(const struct fixture *fixture)
{
	struct object object = { .size = SIZE };
	struct counters delta;

	tap_ret(quire_bo_create(fixture->fd, SIZE, &object.handle), 0, "a fresh object");
	delta = move(fixture, &object, &contiguous);
	expect(&delta, FILL, SIZE, 1);
	expect(&delta, TRANSFER, 0, 0);
	object_close(fixture, &object);
}

static void test_moves(const struct fixture *fixture)
{
	struct counters delta;
	struct object object;

	tap_ret(object_create(fixture, &object, SIZE, 1), 0, "an object with content");
	delta = move(fixture, &object, &contiguous);
	expect(&delta, TRANSFER, SIZE, SIZE / QUIRE_PAGE);
	expect(&delta, FILL, 0, 0);
	expect(&delta, MAP, 0, 0);
	delta = move(fixture, &object, &aperture);
	expect(&delta, MAP, SIZE, SIZE / QUIRE_PAGE);
	expect(&delta, TRANSFER, SIZE, 1);
	expect(&delta, UNMAP, 0, 0);
	delta = move(fixture, &object, &contiguous);
	expect(&delta, TRANSFER, SIZE, 1);
	expect(&delta, UNMAP, SIZE, 1);
	delta = move(fixture, &object, &system_memory);
	expect(&delta, TRANSFER, SIZE, SIZE / QUIRE_PAGE);
	expect(&delta, MAP, 0, 0);
	delta = move(fixture, &object, &aperture);
	expect(&delta, MAP, SIZE, SIZE / QUIRE_PAGE);
	expect(&delta, TRANSFER, 0, 0);
	delta = move(fixture, &object, &system_memory);
	expect(&delta, UNMAP, SIZE, 1);
	expect(&delta, TRANSFER, 0, 0);
	tap_ret(object_check(fixture, &object), 0, "the content is whole");
	object_close(fixture, &object);
}

static void test_discard(const struct fixture *fixture)
{
	struct counters before, delta;
	struct object object;

	tap_ret(object_create(fixture, &object, SIZE, 2), 0, "an object with content");
	tap_ret(object_place_and_wait(fixture, &object, &contiguous), 0, "place it in VRAM");
	before = read_counters(fixture);
	tap_ret(quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"DONTNEED");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict all");
	delta = added(fixture, &before);
	expect(&delta, DISCARD, SIZE, 1);
	expect(&delta, TRANSFER, 0, 0);
	tap_ok(object_flags(fixture, &object) & DRM_QUIRE_BO_PURGED, "it is purged");
	object_close(fixture, &object);
}

static void test_evict_all(const struct fixture *fixture)
{
	struct object objects[8];
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(objects) && !ret; i++) {
		ret = object_create(fixture, &objects[i], (i + 1) * 64 * QUIRE_PAGE, i);
		if (!ret)
			ret = object_place(fixture, &objects[i], &vram);
	}
	tap_ret(ret, 0, "eight objects in VRAM");
	tap_ok(fixture_usage(fixture, DRM_QUIRE_SEGMENT_VRAM), "VRAM is in use");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict all");
	tap_ok(!fixture_usage(fixture, DRM_QUIRE_SEGMENT_VRAM), "VRAM is not in use");
	for (size_t i = 0; i < ARRAY_SIZE(objects) && !ret; i++)
		ret = object_check(fixture, &objects[i]);
	tap_ret(ret, 0, "the content of all is whole");
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++)
		object_close(fixture, &objects[i]);
}

/* People look for the device, not for the number of one of its nodes. */
static void test_name(const struct fixture *fixture)
{
	char address[64] = "?";

	tap_ret(sysfs_pci_address(fixture->fd, address, sizeof(address)), 0, "PCI name");
	tap_ok(strstr(fixture->debugfs, address), "%s has the PCI name %s", fixture->debugfs,
	       address);
}

static void test_readable(const struct fixture *fixture, const char *name)
{
	static char text[65536];

	tap_ok(debugfs_read(fixture->debugfs, name, text, sizeof(text)) > 0, "%s can be read",
	       name);
}

static void test_pool(const struct fixture *fixture)
{
	char text[256];
	int ret = debugfs_read(fixture->debugfs, "paging_pool", text, sizeof(text));
	char *number = ret > 0 ? strpbrk(text, "0123456789") : NULL;
	unsigned long long bytes = number ? strtoull(number, NULL, 10) : 0;

	tap_ok(bytes && bytes <= QUIRE_MIB, "paging_pool pins at most a MiB (%llu)", bytes);
}

static void test_nop(const struct fixture *fixture)
{
	tap_ret(debugfs_write(fixture->debugfs, "nop_submit", "200"), 0, "200 empty submissions");
	tap_ret(debugfs_write(fixture->debugfs, "nop_submit", "x"), -EINVAL,
		"nop_submit takes numbers");
}

static uint64_t event_count(const struct fixture *fixture, const char *name)
{
	struct debugfs_counter counter;

	if (debugfs_counter(fixture->debugfs, name, &counter))
		tap_bail("no counter of %s", name);
	return counter.count;
}

/* An idle device is told by one doorbell, and answers with one interrupt. */
static void test_events(const struct fixture *fixture)
{
	static const char * const names[] = { "submissions", "doorbells", "interrupts" };
	struct object object = { .size = QUIRE_PAGE };
	uint64_t before[ARRAY_SIZE(names)];

	tap_ret(quire_bo_create(fixture->fd, object.size, &object.handle), 0, "an object");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "nothing else is to be done");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		before[i] = event_count(fixture, names[i]);
	tap_ret(object_place_and_wait(fixture, &object, &contiguous), 0, "place it in VRAM");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		tap_ok(event_count(fixture, names[i]) == before[i] + 1, "one of the %s", names[i]);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		before[i] = event_count(fixture, names[i]);
	tap_ret(debugfs_write(fixture->debugfs, "nop_submit", "1000"), 0, "submit 1000 times");
	tap_ok(event_count(fixture, names[0]) == before[0] + 1000, "1000 submissions");
	for (size_t i = 1; i < ARRAY_SIZE(names); i++)
		tap_ok(event_count(fixture, names[i]) <= before[i] + 1000, "at most as many %s",
		       names[i]);
	object_close(fixture, &object);
}

int main(void)
{
	struct fixture fixture;

	tap_start(40);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	test_name(&fixture);
	test_fill(&fixture);
	test_moves(&fixture);
	test_discard(&fixture);
	test_evict_all(&fixture);
	test_readable(&fixture, "counters");
	test_readable(&fixture, "vram_mm");
	test_readable(&fixture, "aperture_mm");
	test_pool(&fixture);
	test_nop(&fixture);
	test_events(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
