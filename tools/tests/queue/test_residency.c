// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The residency table of the device: after all that objects do, and all that is done to the
 * device, it has what the driver has. Root only.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device_view.h"
#include "dmabuf.h"
#include "image.h"
#include "kmsg.h"
#include "work.h"

#define SIZE		(16 * QUIRE_PAGE)
#define BATCH_MS	500	/* within this what is collected for the device goes out */
#define ROUNDS		10
#define PIECES		400	/* runs of what has to take the room between others */

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place contiguous = { "contiguous", DRM_QUIRE_SEGMENT_VRAM,
					 DRM_QUIRE_PLACE_CONTIGUOUS };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * struct table - what debugfs says of the table
 * @vram: pages that the device thinks have an object
 * @aperture: likewise
 * @mismatches: pages of which device and driver think otherwise
 */
struct table {
	uint64_t vram;
	uint64_t aperture;
	uint64_t mismatches;
};

static struct table read_table(const struct fixture *fixture)
{
	struct table table = { .mismatches = UINT64_MAX };
	char text[4096];
	char *line;

	if (debugfs_read(fixture->debugfs, "residency", text, sizeof(text)) < 0)
		return table;
	line = strstr(text, "resident ");
	if (line)
		sscanf(line, "resident %" SCNu64 " %" SCNu64, &table.vram, &table.aperture);
	line = strstr(text, "mismatches ");
	if (line)
		sscanf(line, "mismatches %" SCNu64, &table.mismatches);
	return table;
}

/* So many pages are there, or soon are: what was closed dies beside. The driver thinks so, too. */
static bool expect(const struct fixture *fixture, uint64_t in_vram, uint64_t in_aperture,
		   const char *what)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;
	struct table table;

	do {
		table = read_table(fixture);
		if (!table.mismatches && table.vram == in_vram && table.aperture == in_aperture)
			break;
		test_sleep_ms(20);
	} while (quire_now_ns() < end);
	tap_ok(!table.mismatches, "%s: the device is right", what);
	if (!tap_ok(table.vram == in_vram && table.aperture == in_aperture,
		    "%s: %" PRIu64 " pages in VRAM, %" PRIu64 " in the aperture", what, in_vram,
		    in_aperture))
		tap_diag("%" PRIu64 ", %" PRIu64, table.vram, table.aperture);
	return !table.mismatches && table.vram == in_vram && table.aperture == in_aperture;
}

/* What a test begins with: nothing is anywhere. */
static void settle(const struct fixture *fixture)
{
	tap_ok(fixture_settles(fixture, fixture->segments), "what was closed is gone");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "nothing is anywhere");
	expect(fixture, 0, 0, "in the beginning");
}

static void test_moves(const struct fixture *fixture)
{
	static const struct place *const way[] = {
		&vram, &aperture, &vram, &system_memory, &aperture, &system_memory, &contiguous,
		&vram,
	};
	struct object object;
	uint64_t notices;

	/* also of what programs before have left */
	settle(fixture);
	notices = fixture_count(fixture, "NOTIFY_RESIDENCY");
	tap_ret(object_create(fixture, &object, SIZE, 1), 0, "an object");
	expect(fixture, 0, 0, "created");
	for (unsigned int i = 0; i < ARRAY_SIZE(way); i++) {
		tap_ret(object_place_and_wait(fixture, &object, way[i]), 0, "place it: %s",
			way[i]->name);
		expect(fixture, way[i]->segment == vram.segment ? 16 : 0,
		       way[i]->segment == aperture.segment ? 16 : 0, way[i]->name);
	}
	tap_ok(fixture_count(fixture, "NOTIFY_RESIDENCY") == notices + 9, "each was told, once");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "it is evicted");
	expect(fixture, 0, 0, "evicted");
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "place it in VRAM");
	tap_ret(quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"it is offered");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "and dropped");
	expect(fixture, 0, 0, "purged");
	object_close(fixture, &object);
}

static void test_deaths(const struct fixture *fixture)
{
	static const struct place *const where[] = { &vram, &aperture, &vram, &aperture };
	struct object objects[ARRAY_SIZE(where)];
	int ret = 0;

	settle(fixture);
	for (unsigned int i = 0; i < ARRAY_SIZE(where) && !ret; i++)
		ret = object_create(fixture, &objects[i], SIZE, i + 1) ?:
		      object_place_and_wait(fixture, &objects[i], where[i]);
	tap_ret(ret, 0, "objects in both segments");
	expect(fixture, 32, 32, "together");
	object_close(fixture, &objects[0]);
	object_close(fixture, &objects[1]);
	expect(fixture, 16, 16, "the others");
	object_close(fixture, &objects[2]);
	object_close(fixture, &objects[3]);
}

/* Nobody else does anything: the device hears of it all the same. */
static void test_told_alone(const struct fixture *fixture)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;
	struct object object;
	uint64_t notices;

	settle(fixture);
	tap_ret(object_create(fixture, &object, SIZE, 1), 0, "an object");
	tap_ret(object_place_and_wait(fixture, &object, &aperture), 0, "in the aperture");
	/* no discard of before that it could go with */
	test_sleep_ms(BATCH_MS);
	notices = fixture_count(fixture, "NOTIFY_RESIDENCY");
	object_close(fixture, &object);
	while (fixture_count(fixture, "NOTIFY_RESIDENCY") == notices && quire_now_ns() < end)
		test_sleep_ms(10);
	tap_ok(fixture_count(fixture, "NOTIFY_RESIDENCY") == notices + 1,
	       "the device hears soon that it has died");
}

static int succeed(const struct fixture *fixture, const struct place *place)
{
	struct object object;
	int ret = object_succeed(fixture, &object, place, SIZE);

	ret = ret ?: object_check(fixture, &object);
	object_close(fixture, &object);
	return ret;
}

/*
 * Often: on a busy machine the device may have been told before, beside. A notice that the device
 * refuses is given up in the end, and nothing of it is seen but in the log.
 */
static void test_succession(const struct fixture *fixture, const struct place *place)
{
	int log = kmsg_open(), ret = 0;

	for (unsigned int i = 0; i < ROUNDS && !ret; i++) {
		settle(fixture);
		ret = succeed(fixture, place);
	}
	tap_ret(ret, 0, "%u times one dies in %s, and another one has its place", ROUNDS,
		place->name);
	expect(fixture, 0, 0, "in the end");
	tap_ret(kmsg_count(log, "fault: code"), 0, "the device has refused none of it");
	close(log);
}

/* So many pages of the aperture lead somewhere. */
static void expect_mapped(const struct fixture *fixture, uint64_t pages, const char *what)
{
	struct device_aperture view = { .mapped = UINT64_MAX };
	int ret = device_aperture_read(fixture->debugfs, &view);

	tap_ok(!ret && view.mapped == pages, "%s: so many pages are mapped: %" PRIu64, what,
	       view.mapped);
}

static int import_into_aperture(const struct fixture *fixture, struct object *object)
{
	int dmabuf = udmabuf_create(SIZE);
	int ret = dmabuf < 0 ? dmabuf : dmabuf_import(fixture->fd, dmabuf, &object->handle);

	if (dmabuf >= 0)
		close(dmabuf);
	return ret ?: object_place_and_wait(fixture, object, &aperture);
}

/*
 * The pages of an imported object are of others, who have them back when it dies: at once the
 * device hears that they have left the aperture, and that the object has.
 */
static void test_imported(const struct fixture *fixture)
{
	struct object imported = { .size = SIZE }, next;
	int log = kmsg_open();
	bool good = true;
	uint64_t notices;

	for (unsigned int i = 0; i < ROUNDS && good; i++) {
		settle(fixture);
		tap_ret(import_into_aperture(fixture, &imported), 0, "an imported object");
		good = expect(fixture, 0, 16, "imported");
		expect_mapped(fixture, 16, "imported");
		notices = fixture_count(fixture, "NOTIFY_RESIDENCY");
		object_close(fixture, &imported);
		tap_ok(fixture_comes_down(fixture, aperture.segment, 0), "its place is free");
		expect_mapped(fixture, 0, "dead");
		tap_ret(object_create(fixture, &next, SIZE, i) ?:
			object_place_and_wait(fixture, &next, &aperture), 0, "another one");
		good = good && expect(fixture, 0, 16, "the other one");
		expect_mapped(fixture, 16, "the other one");
		tap_ok(fixture_count(fixture, "NOTIFY_RESIDENCY") == notices + 2,
		       "one has left, the other one has come");
		tap_ret(object_check(fixture, &next), 0, "it is whole");
		object_close(fixture, &next);
	}
	expect(fixture, 0, 0, "in the end");
	tap_ret(kmsg_count(log, "fault: code"), 0, "the device has refused none of it");
	close(log);
}

/* Its pages are where others have died. */
static void test_pieces(const struct fixture *fixture)
{
	uint64_t pages = fixture_vram(fixture) / QUIRE_PAGE, notices;
	uint64_t small = pages / (2 * PIECES) * QUIRE_PAGE;
	struct object pieces[2 * PIECES], object;
	int ret = 0;

	settle(fixture);
	for (unsigned int i = 0; i < 2 * PIECES && !ret; i++) {
		ret = quire_bo_create(fixture->fd, small, &pieces[i].handle) ?:
		      object_place(fixture, &pieces[i], &vram);
	}
	tap_ret(ret, 0, "VRAM is full");
	for (unsigned int i = 0; i < 2 * PIECES; i += 2)
		object_close(fixture, &pieces[i]);
	tap_ok(fixture_comes_down(fixture, vram.segment, PIECES * small), "half of it is free");
	tap_ret(object_create(fixture, &object, PIECES * small, 1), 0, "one that has the room");
	notices = fixture_count(fixture, "NOTIFY_RESIDENCY2");
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "of half of them");
	tap_ok(fixture_count(fixture, "NOTIFY_RESIDENCY2") > notices, "it is told in parts");
	expect(fixture, 2 * PIECES * small / QUIRE_PAGE, 0, "in pieces");
	tap_ret(object_check(fixture, &object), 0, "it is whole");
	for (unsigned int i = 1; i < 2 * PIECES; i += 2)
		object_close(fixture, &pieces[i]);
	tap_ret(object_place_and_wait(fixture, &object, &aperture), 0, "it leaves");
	expect(fixture, 0, PIECES * small / QUIRE_PAGE, "alone");
	object_close(fixture, &object);
}

/* An image takes more in VRAM than elsewhere. */
static void test_image(const struct fixture *fixture)
{
	static const struct image image = { DRM_QUIRE_LAYOUT_TILE_64K, 4, 100, 100, 1, 1 };
	uint64_t pages = image_object_size(&image) / QUIRE_PAGE;
	struct object object = { .size = image_object_size(&image), .key = 1 };
	struct table table;

	settle(fixture);
	tap_ret(image_create(fixture->fd, &image, DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1,
			     &object.handle), 0, "an image");
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "place it in VRAM");
	table = read_table(fixture);
	tap_ok(!table.mismatches && table.vram > pages, "it takes more than %" PRIu64
	       " pages, all of which the device knows", pages);
	tap_ret(object_place_and_wait(fixture, &object, &aperture), 0, "in the aperture");
	expect(fixture, 0, pages, "its pages");
	object_close(fixture, &object);
}

/* It begins anew, without content, in system memory. */
static void renew(const struct fixture *fixture, const struct object *object)
{
	bool retained = true;

	tap_ret(quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_WILLNEED, &retained),
		0, "it is needed again");
	tap_ok(!retained && object_is_at(fixture, object, &system_memory),
	       "it is new, in system memory");
}

/* A move that leaves is at work, and one that comes is behind it. @strikes answer it. */
static void stop_moves(const struct fixture *fixture, const struct object objects[2],
		       unsigned int strikes)
{
	unsigned int runs = fixture_resident_runs(fixture);
	char again[32];

	test_parameter("hang_restarts", 0);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	fixture_inject(fixture, "hang 1");
	tap_ret(object_place(fixture, &objects[0], &aperture), 0, "it leaves, and that hangs");
	tap_ret(object_place(fixture, &objects[1], &vram), 0, "another one comes");
	fixture_wait_hung(fixture);
	if (strikes > 1) {
		/* What is restored is the dummy page, what is mapped, and what is where. */
		snprintf(again, sizeof(again), "fault %u", 3 + runs);
		fixture_inject(fixture, again);
	}
	test_parameter("hang_period", 3000);
	tap_ret(quire_bo_wait(fixture->fd, objects[0].handle, WAIT_MS), 0, "it ends");
	tap_ret(quire_bo_wait(fixture->fd, objects[1].handle, WAIT_MS), 0, "both do");
	fixture_inject(fixture, "fault 0");
	test_parameter("hang_restarts", 1);
}

/* A reset takes the table from the device, with notices pending, or given up. */
static void test_reset(const struct fixture *fixture, unsigned int strikes)
{
	struct object objects[2], stays[2];
	int ret = 0;

	settle(fixture);
	for (unsigned int i = 0; i < 2 && !ret; i++)
		ret = object_create(fixture, &objects[i], SIZE, i + 1) ?:
		      object_create(fixture, &stays[i], SIZE, i + 3) ?:
		      object_place_and_wait(fixture, &stays[i], i ? &aperture : &vram);
	if (!ret)
		ret = object_place_and_wait(fixture, &objects[0], &vram);
	tap_ret(ret, 0, "objects everywhere");
	expect(fixture, 32, 16, "before");
	stop_moves(fixture, objects, strikes);
	tap_ok(!!(object_flags(fixture, &objects[0]) & DRM_QUIRE_BO_PURGED) == (strikes > 1),
	       strikes > 1 ? "its content was given up" : "it is whole");
	expect(fixture, 32, 32, strikes > 1 ? "given up" : "reset");
	if (strikes > 1) {
		renew(fixture, &objects[0]);
		expect(fixture, 32, 16, "renewed");
	}
	for (unsigned int i = 0; i < 2; i++) {
		object_close(fixture, &objects[i]);
		object_close(fixture, &stays[i]);
	}
	settle(fixture);
}

/*
 * What else is in a buffer that is refused is not executed: what it tells is. Then what is lost
 * leaves without a move, and the device hears of that before another one has its place.
 */
static void test_refused(const struct fixture *fixture, bool renewed)
{
	struct object lost, whole;

	settle(fixture);
	tap_ret(object_create(fixture, &lost, SIZE, 1), 0, "one that moves");
	tap_ret(object_create(fixture, &whole, SIZE, 2), 0, "and one behind it");
	test_option("patch_refuse", 1);
	tap_ret(object_place_and_wait(fixture, &lost, &vram), 0, "its buffer is broken");
	test_option("patch_refuse", 0);
	tap_ok(object_flags(fixture, &lost) & DRM_QUIRE_BO_PURGED, "its content is lost");
	expect(fixture, 16, 0, "it is there");
	if (renewed)
		renew(fixture, &lost);
	else
		object_close(fixture, &lost);
	tap_ret(object_place_and_wait(fixture, &whole, &vram), 0, "the next one takes its place");
	expect(fixture, 16, 0, "and this one");
	tap_ret(object_check(fixture, &whole), 0, "which is whole");
	if (renewed) {
		tap_ret(object_place_and_wait(fixture, &lost, &vram), 0, "the other one comes");
		expect(fixture, 32, 0, "both");
		tap_ret(object_check_zero(fixture, &lost), 0, "it is zero");
		object_close(fixture, &lost);
	}
	object_close(fixture, &whole);
}

int main(void)
{
	struct fixture fixture;

	tap_start(240);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	test_moves(&fixture);
	test_deaths(&fixture);
	test_told_alone(&fixture);
	test_succession(&fixture, &vram);
	test_succession(&fixture, &aperture);
	test_imported(&fixture);
	test_pieces(&fixture);
	test_image(&fixture);
	test_reset(&fixture, 1);
	test_reset(&fixture, 2);
	test_refused(&fixture, false);
	test_refused(&fixture, true);
	settle(&fixture);
	fixture_test_works(&fixture);
	return tap_done();
}
