// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Moves are counted by the places they go from and to, and evictions apart. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "vgem.h"

#define SIZE		(96 * QUIRE_PAGE)
#define NR_OBJECTS	5
#define OTHERS_MS	300
#define CHILD_S		60

static const struct place visible = { "visible", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_VISIBLE };
static const struct place invisible = {
	"invisible", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_INVISIBLE
};

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * struct moves - what is counted for all pairs of places
 * @pairs: by the segments of the old and of the new place
 */
struct moves {
	struct debugfs_counter pairs[QUIRE_SEGMENTS][QUIRE_SEGMENTS];
};

static void read_moves(const struct fixture *fixture, struct moves *moves)
{
	for (unsigned int from = 0; from < QUIRE_SEGMENTS; from++) {
		for (unsigned int to = 0; to < QUIRE_SEGMENTS; to++) {
			char name[32];
			int ret;

			snprintf(name, sizeof(name), "%s->%s", quire_segment_name(from),
				 quire_segment_name(to));
			ret = debugfs_counter(fixture->debugfs, name, &moves->pairs[from][to]);
			if (ret)
				tap_bail("no counter %s: %s", name, strerror(-ret));
		}
	}
}

/* What was added to the pair since @before, and taken from @before. */
static struct debugfs_counter added(const struct fixture *fixture, struct moves *before,
				    unsigned int from, unsigned int to)
{
	struct debugfs_counter *old = &before->pairs[from][to], delta;
	struct moves now;

	read_moves(fixture, &now);
	delta = now.pairs[from][to];
	delta.count -= old->count;
	delta.bytes -= old->bytes;
	delta.evictions -= old->evictions;
	*old = now.pairs[from][to];
	return delta;
}

/* @count moves of one object were made between the two places, and none elsewhere. */
static void expect(const struct fixture *fixture, struct moves *before, unsigned int from,
		   unsigned int to, uint64_t count, uint64_t evictions)
{
	struct debugfs_counter delta = added(fixture, before, from, to);
	bool ok = delta.count == count && delta.bytes == count * SIZE &&
		  delta.evictions == evictions;

	if (!tap_ok(ok, "%" PRIu64 " from %s to %s, evictions %" PRIu64, count,
		    quire_segment_name(from), quire_segment_name(to), evictions))
		tap_diag("%" PRIu64 " moves of %" PRIu64 " bytes, evictions %" PRIu64,
			 delta.count, delta.bytes, delta.evictions);
}

static void expect_no_other(const struct fixture *fixture, const struct moves *before)
{
	struct moves now;

	read_moves(fixture, &now);
	tap_ok(!memcmp(&now, before, sizeof(now)), "and nothing else");
}

static void test_places(const struct fixture *fixture)
{
	static const struct place * const way[] = {
		&visible, &invisible, &aperture, &vram, &system_memory, &aperture, &system_memory
	};
	unsigned int from = DRM_QUIRE_SEGMENT_SYSTEM;
	struct object object;
	struct moves before;

	tap_ret(object_create(fixture, &object, SIZE, 1), 0, "an object with content");
	for (size_t i = 0; i < ARRAY_SIZE(way); i++) {
		if (!fixture_has_place(fixture, way[i], SIZE)) {
			tap_skip("the device has no such place", "place it in %s", way[i]->name);
			continue;
		}
		read_moves(fixture, &before);
		tap_ret(object_place_and_wait(fixture, &object, way[i]), 0, "place it in %s",
			way[i]->name);
		expect(fixture, &before, from, way[i]->segment, 1, 0);
		expect_no_other(fixture, &before);
		from = way[i]->segment;
	}
	object_close(fixture, &object);
}

static void test_evictions(const struct fixture *fixture)
{
	struct object objects[NR_OBJECTS];
	struct moves before;
	int ret = 0;

	for (size_t i = 0; i < NR_OBJECTS && !ret; i++) {
		ret = object_create(fixture, &objects[i], SIZE, i);
		if (!ret)
			ret = object_place_and_wait(fixture, &objects[i], &vram);
	}
	tap_ret(ret, 0, "%u objects in VRAM", NR_OBJECTS);
	read_moves(fixture, &before);
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict all");
	expect(fixture, &before, DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_SEGMENT_APERTURE, NR_OBJECTS,
	       NR_OBJECTS);
	expect(fixture, &before, DRM_QUIRE_SEGMENT_APERTURE, DRM_QUIRE_SEGMENT_SYSTEM, NR_OBJECTS,
	       NR_OBJECTS);
	expect_no_other(fixture, &before);
	for (size_t i = 0; i < NR_OBJECTS; i++)
		object_close(fixture, &objects[i]);
}

/* The way out of VRAM is the direct one then; nobody makes room in the aperture. */
static void test_full_aperture(const struct fixture *fixture)
{
	struct object objects[NR_OBJECTS];
	struct moves before;
	struct object whole = {
		.size = fixture->segments[DRM_QUIRE_SEGMENT_APERTURE].size,
	};
	int ret = quire_bo_create(fixture->fd, whole.size, &whole.handle);

	if (!ret)
		ret = object_place_and_wait(fixture, &whole, &aperture);
	tap_ret(ret, 0, "an object that fills the aperture");
	for (size_t i = 0; i < NR_OBJECTS && !ret; i++) {
		ret = object_create(fixture, &objects[i], SIZE, i);
		if (!ret)
			ret = object_place_and_wait(fixture, &objects[i], &vram);
	}
	tap_ret(ret, 0, "%u objects in VRAM", NR_OBJECTS);
	read_moves(fixture, &before);
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict all");
	expect(fixture, &before, DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_SEGMENT_SYSTEM, NR_OBJECTS,
	       NR_OBJECTS);
	tap_ok(added(fixture, &before, DRM_QUIRE_SEGMENT_APERTURE,
		     DRM_QUIRE_SEGMENT_SYSTEM).count == 1, "the large one left the aperture once");
	expect_no_other(fixture, &before);
	for (size_t i = 0; i < NR_OBJECTS && !ret; i++)
		ret = object_check(fixture, &objects[i]);
	tap_ret(ret, 0, "their content is whole");
	for (size_t i = 0; i < NR_OBJECTS; i++)
		object_close(fixture, &objects[i]);
	object_close(fixture, &whole);
}

/* Ends the fence after a while. */
static pid_t signal_later(int vgem, uint32_t fence)
{
	pid_t pid = child_start(CHILD_S);

	if (pid)
		return pid;
	test_sleep_ms(OTHERS_MS);
	_exit(!!vgem_signal_fence(vgem, fence));
}

/* What somebody else uses moves when he is done, not before. */
static void test_foreign_fence(const struct fixture *fixture)
{
	struct debugfs_counter before, now;
	struct object object;
	int vgem = vgem_open();
	uint32_t fence;
	int64_t start;
	pid_t pid;

	if (vgem < 0) {
		tap_skip("no vgem here", "a move waits for others");
		return;
	}
	tap_ret(object_create(fixture, &object, SIZE, 1), 0, "an object with content");
	tap_ret(vgem_attach_fence(vgem, fixture->fd, object.handle, &fence), 0,
		"somebody else uses it");
	tap_ret(debugfs_counter(fixture->debugfs, "TRANSFER", &before), 0, "count transfers");
	start = quire_now_ns();
	pid = signal_later(vgem, fence);
	tap_ret(object_place(fixture, &object, &vram), 0, "place it in VRAM");
	tap_ok(quire_now_ns() - start >= OTHERS_MS * 1000000ll, "that waits for the other one");
	tap_ret(child_status(pid), 0, "who is done");
	tap_ret(quire_bo_wait(fixture->fd, object.handle, WAIT_MS), 0, "the move ends");
	tap_ret(debugfs_counter(fixture->debugfs, "TRANSFER", &now), 0, "count again");
	tap_ok(now.bytes == before.bytes + SIZE, "it has moved");
	tap_ret(object_check(fixture, &object), 0, "its content is whole");
	object_close(fixture, &object);
	close(vgem);
}

static void test_refused(const struct fixture *fixture)
{
	uint64_t size = fixture_visible(fixture) + QUIRE_PAGE;
	struct moves before;
	struct object object;

	if (size > fixture->info.max_bo_size) {
		tap_skip("all of VRAM is visible", "a place that is too small");
		return;
	}
	tap_ret(object_create(fixture, &object, size, 1), 0, "an object");
	read_moves(fixture, &before);
	tap_ret(object_place(fixture, &object, &visible), -ENOSPC, "a place that is too small");
	expect_no_other(fixture, &before);
	object_close(fixture, &object);
}

int main(void)
{
	struct fixture fixture;

	tap_start(120);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	test_places(&fixture);
	test_evictions(&fixture);
	test_full_aperture(&fixture);
	test_foreign_fence(&fixture);
	test_refused(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
