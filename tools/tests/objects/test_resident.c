// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Objects that are held resident: they come to where the device can access them, leave last, and
 * are counted, for each file, until it evicts or closes them or dies.
 */
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "dmabuf.h"
#include "image.h"
#include "monitored.h"
#include "refuse.h"
#include "resident.h"
#include "space.h"
#include "syncs.h"
#include "xxh64.h"

#define SYSTEM	DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM)
#define VRAM	DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM)
#define APART	DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE)

/* Bytes of a row of a tile, which one of a narrow image takes as well; and of a slice of it. */
#define ROW_OF_TILE	512u
#define SLICE		(8 * QUIRE_MIB)

/* Classes are instances where the test runs; see fixture_open(). */
static void make_in(const struct fixture *fixture, struct object *object, uint64_t size,
		    uint32_t segments)
{
	*object = (struct object){ .size = size, .key = segments };
	if (quire_bo_create_in(fixture->fd, size, segments, &object->handle) ||
	    object_fill(fixture, object))
		tap_bail("object");
}

/* Where is it after everything else wanted its room? */
static bool survives(const struct fixture *fixture, const struct object *object)
{
	resident_flood(fixture);
	return object_segment(fixture, object) == DRM_QUIRE_SEGMENT_VRAM;
}

static void test_places(const struct fixture *fixture)
{
	struct drm_quire_sync syncs[2] = {
		{ sync_create(fixture), DRM_QUIRE_SYNC_SIGNAL, 0 },
		{ sync_create(fixture), DRM_QUIRE_SYNC_SIGNAL, 7 },
	};
	struct object objects[3];

	make_in(fixture, &objects[0], QUIRE_MIB, SYSTEM | VRAM | APART);
	make_in(fixture, &objects[1], QUIRE_MIB, SYSTEM | APART);
	make_in(fixture, &objects[2], QUIRE_MIB, SYSTEM | VRAM);
	tap_ret(resident_make_syncs(fixture->fd, objects, 3, syncs, 2), 0, "make three resident");
	tap_ret(sync_wait(fixture, syncs[0].handle, 0, WAIT_MS), 0, "a fence ends it");
	tap_ret(sync_wait(fixture, syncs[1].handle, 7, WAIT_MS), 0, "and a point of a timeline");
	for (unsigned int i = 0; i < 3; i++)
		tap_ret(quire_bo_wait(fixture->fd, objects[i].handle, 0), 0,
			"object %u has moved then", i);
	tap_ok(object_segment(fixture, &objects[0]) == DRM_QUIRE_SEGMENT_VRAM, "to VRAM");
	tap_ok(object_segment(fixture, &objects[1]) == DRM_QUIRE_SEGMENT_APERTURE,
	       "to the aperture");
	tap_ok(object_segment(fixture, &objects[2]) == DRM_QUIRE_SEGMENT_VRAM, "to VRAM");
	tap_ret(resident_make_syncs(fixture->fd, objects, 0, syncs, 2), 0, "none");
	tap_ret(sync_wait(fixture, syncs[0].handle, 0, 0), 0, "ends at once");
	for (unsigned int i = 0; i < 3; i++) {
		tap_ret(object_check(fixture, &objects[i]), 0, "content %u is whole", i);
		object_close(fixture, &objects[i]);
	}
	drmSyncobjDestroy(fixture->fd, syncs[0].handle);
	drmSyncobjDestroy(fixture->fd, syncs[1].handle);
}

/* The fence of many moves is that of the last. */
static void test_many(const struct fixture *fixture)
{
	struct drm_quire_sync sync = { sync_create(fixture), DRM_QUIRE_SYNC_SIGNAL, 0 };
	const unsigned int half = fixture_vram(fixture) / 2 / QUIRE_MIB;
	struct object objects[64];
	const unsigned int count = half < ARRAY_SIZE(objects) ? half : ARRAY_SIZE(objects);
	bool busy = false, right = true;

	for (unsigned int i = 0; i < count; i++)
		make_in(fixture, &objects[i], QUIRE_MIB, SYSTEM | VRAM);
	tap_ret(resident_make_syncs(fixture->fd, objects, count, &sync, 1), 0, "make %u resident",
		count);
	tap_ret(sync_wait(fixture, sync.handle, 0, WAIT_MS), 0, "a fence ends it");
	for (unsigned int i = 0; i < count; i++)
		busy |= quire_bo_wait(fixture->fd, objects[i].handle, 0);
	tap_ok(!busy, "all of it");
	resident_flood(fixture);
	for (unsigned int i = 0; i < count; i++) {
		right &= object_segment(fixture, &objects[i]) == DRM_QUIRE_SEGMENT_VRAM;
		right &= !object_check(fixture, &objects[i]);
		object_close(fixture, &objects[i]);
	}
	tap_ok(right, "none of them was a victim");
	drmSyncobjDestroy(fixture->fd, sync.handle);
}

static void test_count(const struct fixture *fixture)
{
	struct object twice[2], *object = &twice[0];

	make_in(fixture, object, QUIRE_MIB, SYSTEM | VRAM);
	twice[1] = twice[0];
	tap_ret(object_place(fixture, object, &places[2]), 0, "place it");
	tap_ok(!survives(fixture, object), "an ordinary object is a victim");
	tap_ret(resident_make(fixture->fd, twice, 2), 0, "hold it twice in one call");
	tap_ret(resident_make(fixture->fd, object, 1), 0, "and once more");
	tap_ok(survives(fixture, object), "it is none");
	tap_ret(resident_evict(fixture->fd, twice, 2), 0, "two less");
	tap_ok(survives(fixture, object), "one is left");
	tap_ret(resident_evict(fixture->fd, twice, 2), -EINVAL, "but not two");
	tap_ok(survives(fixture, object), "so it is left");
	tap_ret(resident_evict(fixture->fd, object, 1), 0, "none");
	tap_ok(object_segment(fixture, object) == DRM_QUIRE_SEGMENT_VRAM, "it stays where it is");
	tap_ok(!survives(fixture, object), "until its room is needed");
	tap_ret(resident_evict(fixture->fd, object, 1), -EINVAL, "there is none more");
	tap_ret(object_check(fixture, object), 0, "its content is whole");
	object_close(fixture, object);
}

/* One of several can not be had. */
/* Which one is named when they are not made resident? */
static uint32_t refused_object(int fd, const struct object *objects, uint32_t count)
{
	struct drm_quire_resident list[3] = { 0 };
	struct drm_quire_make_resident make = {
		.objects = DRM_QUIRE_ARRAY(count, list), .refused_object = 77,
	};

	for (uint32_t i = 0; i < count; i++)
		list[i].handle = objects[i].handle;
	return quire_ioctl(fd, DRM_IOCTL_QUIRE_MAKE_RESIDENT, &make) ? make.refused_object : 88;
}

static void test_all_or_none(const struct fixture *fixture)
{
	struct drm_quire_sync sync = { sync_create(fixture), DRM_QUIRE_SYNC_SIGNAL, 0 };
	struct object objects[3];

	for (unsigned int i = 0; i < 3; i++)
		make_in(fixture, &objects[i], QUIRE_MIB, SYSTEM | VRAM);
	tap_ret(object_place(fixture, &objects[1], &places[2]), 0, "place one");
	tap_ret(quire_bo_madvise(fixture->fd, objects[1].handle, DRM_QUIRE_MADV_DONTNEED, NULL),
		0, "it is not needed");
	resident_flood(fixture);
	tap_ok(object_flags(fixture, &objects[1]) & DRM_QUIRE_BO_PURGED, "and purged");
	tap_ret(resident_make_syncs(fixture->fd, objects, 3, &sync, 1), -ENODATA,
		"it is not made resident");
	tap_ok(sync_is_untouched(fixture, sync.handle), "the syncobj has no fence");
	tap_ok(refused_object(fixture->fd, objects, 3) == 1, "the call says which");
	tap_ok(!survives(fixture, &objects[0]), "the one before is a victim");
	for (unsigned int i = 0; i < 3; i++)
		tap_ok(resident_count(fixture->fd, &objects[i]) == 0, "%u is not held", i);
	tap_ret(resident_make(fixture->fd, objects, 1), 0, "hold the first");
	tap_ret(resident_evict(fixture->fd, objects, 3), -EINVAL, "evict all");
	tap_ok(resident_count(fixture->fd, &objects[0]) == 1, "the first was held as before");
	tap_ret(object_check(fixture, &objects[0]), 0, "its content is whole");
	tap_ret(quire_bo_madvise(fixture->fd, objects[1].handle, DRM_QUIRE_MADV_WILLNEED, NULL),
		0, "the purged one is needed again");
	tap_ret(object_place(fixture, &objects[1], &places[2]), 0, "place it");
	tap_ok(!survives(fixture, &objects[1]),
	       "it is a victim: the calls that failed at it do not hold it");
	for (unsigned int i = 0; i < 3; i++)
		object_close(fixture, &objects[i]);
	drmSyncobjDestroy(fixture->fd, sync.handle);
}

/* What is offered goes first, and is held again when it is needed. */
static void test_offered(const struct fixture *fixture)
{
	struct object object;

	make_in(fixture, &object, QUIRE_MIB, SYSTEM | VRAM);
	tap_ret(quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"not needed");
	tap_ret(resident_make(fixture->fd, &object, 1), 0, "held all the same");
	tap_ret(quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_WILLNEED, NULL), 0,
		"needed");
	tap_ok(survives(fixture, &object), "it is no victim");
	tap_ret(quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"not needed");
	tap_ok(!survives(fixture, &object), "it is one");
	tap_ok(resident_count(fixture->fd, &object) == 1, "and held");
	object_close(fixture, &object);
}

/* The same object in another file. */
static uint32_t shared_with(const struct fixture *fixture, const struct object *object, int other)
{
	int dmabuf = dmabuf_export(fixture->fd, object->handle);
	uint32_t handle = 0;

	tap_ret(dmabuf_import(other, dmabuf, &handle), 0, "another file has it");
	close(dmabuf);
	return handle;
}

static bool is_in_vram(int fd, uint32_t handle)
{
	struct drm_quire_bo_info info;

	return !quire_bo_info(fd, handle, &info) && info.segment == DRM_QUIRE_SEGMENT_VRAM;
}

static void test_files(const struct fixture *fixture)
{
	int other = quire_open();
	struct object object, there;

	make_in(fixture, &object, QUIRE_MIB, SYSTEM | VRAM);
	there = object;
	there.handle = shared_with(fixture, &object, other);
	tap_ret(resident_make(fixture->fd, &object, 1), 0, "one file holds it");
	tap_ret(resident_make(fixture->fd, &object, 1), 0, "twice");
	tap_ret(resident_evict(other, &there, 1), -EINVAL, "the other one does not");
	tap_ret(resident_make(other, &there, 1), 0, "both do");
	object_close(fixture, &object);
	resident_flood(fixture);
	tap_ok(is_in_vram(other, there.handle), "one has closed it: it is held");
	object.handle = there.handle;
	object.handle = shared_with(&(struct fixture){ .fd = other }, &there, fixture->fd);
	tap_ret(resident_evict(fixture->fd, &object, 1), -EINVAL, "the one begins anew");
	tap_ret(resident_make(fixture->fd, &object, 1), 0, "it holds it again");
	close(other);
	tap_ok(survives(fixture, &object), "the other one is gone: it is held");
	tap_ret(resident_evict(fixture->fd, &object, 1), 0, "nobody does");
	tap_ok(!survives(fixture, &object), "it is a victim");
	object_close(fixture, &object);
}

static void test_dies(const struct fixture *fixture)
{
	struct object object;
	int dmabuf, said[2];
	char byte;
	pid_t pid;

	make_in(fixture, &object, QUIRE_MIB, SYSTEM | VRAM);
	dmabuf = dmabuf_export(fixture->fd, object.handle);
	if (pipe(said))
		tap_bail("pipe");
	pid = child_start(60);
	if (!pid) {
		struct object there = object;
		int fd = quire_open();

		if (dmabuf_import(fd, dmabuf, &there.handle) || resident_make(fd, &there, 1) ||
		    write(said[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	tap_ok(read(said[0], &byte, 1) == 1, "a process holds it");
	tap_ok(survives(fixture, &object), "it is no victim");
	child_kill(pid);
	tap_ok(!survives(fixture, &object), "the process has died: it is one");
	tap_ret(object_check(fixture, &object), 0, "its content is whole");
	close(said[0]);
	close(said[1]);
	close(dmabuf);
	object_close(fixture, &object);
}

/* More than fits is held: it goes by turns. */
static void test_too_much(const struct fixture *fixture)
{
	const uint64_t half = fixture_vram(fixture) / 2 + QUIRE_MIB;
	struct object objects[2];

	for (unsigned int i = 0; i < 2; i++)
		make_in(fixture, &objects[i], half, SYSTEM | VRAM);
	tap_ret(resident_make(fixture->fd, objects, 2), -ENOSPC, "both do not fit in one call");
	tap_ok(resident_count(fixture->fd, &objects[0]) == 0, "neither is held");
	for (unsigned int i = 0; i < 6; i++) {
		tap_ret(resident_make(fixture->fd, &objects[i % 2], 1), 0, "hold one");
		tap_ok(is_in_vram(fixture->fd, objects[i % 2].handle), "which is there");
	}
	for (unsigned int i = 0; i < 2; i++) {
		tap_ok(resident_count(fixture->fd, &objects[i]) == 3, "held three times");
		tap_ret(object_check(fixture, &objects[i]), 0, "its content is whole");
		object_close(fixture, &objects[i]);
	}
}

/* What may be where is summed up for each segment, each object once. */
static void test_sums(const struct fixture *fixture)
{
	const uint64_t apart = fixture->segments[DRM_QUIRE_SEGMENT_APERTURE].size;
	const uint64_t all = fixture_vram(fixture) + apart;
	struct object objects[4], thrice[3];

	make_in(fixture, &thrice[0], fixture_vram(fixture) / 4 * 3, SYSTEM | VRAM);
	thrice[1] = thrice[0];
	thrice[2] = thrice[0];
	tap_ret(resident_make(fixture->fd, thrice, 3), 0, "three quarters of VRAM, three times");
	tap_ok(resident_count(fixture->fd, &thrice[0]) == 3, "are held three times");
	object_close(fixture, &thrice[0]);
	for (unsigned int i = 0; i < 4; i++)
		tap_ret(quire_bo_create_in(fixture->fd, apart / 4 + QUIRE_MIB, SYSTEM | APART,
					   &objects[i].handle), 0, "a quarter of the aperture");
	tap_ret(resident_make(fixture->fd, objects, 4), -ENOSPC, "four of them are too much");
	for (unsigned int i = 0; i < 4; i++)
		object_close(fixture, &objects[i]);
	for (unsigned int i = 0; i < 4; i++)
		tap_ret(quire_bo_create_in(fixture->fd, all / 4 + QUIRE_MIB, SYSTEM | VRAM | APART,
					   &objects[i].handle), 0, "a quarter of both");
	tap_ret(resident_make(fixture->fd, objects, 4), -ENOSPC, "four of them are too much");
	for (unsigned int i = 0; i < 4; i++) {
		tap_ok(resident_count(fixture->fd, &objects[i]) == 0, "%u is not held", i);
		object_close(fixture, &objects[i]);
	}
}

/* Who holds it once more need not have it moved. */
static void test_stays(const struct fixture *fixture)
{
	static const struct place apart = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
	struct object object;

	make_in(fixture, &object, QUIRE_MIB, SYSTEM | VRAM | APART);
	tap_ret(object_place_and_wait(fixture, &object, &apart), 0, "one in the aperture");
	tap_ret(resident_make(fixture->fd, &object, 1), 0, "hold it");
	tap_ok(is_in_vram(fixture->fd, object.handle), "it comes to VRAM");
	tap_ret(object_place_and_wait(fixture, &object, &apart), 0, "it goes to the aperture");
	tap_ret(resident_make(fixture->fd, &object, 1), 0, "hold it once more");
	tap_ok(object_segment(fixture, &object) == DRM_QUIRE_SEGMENT_APERTURE, "it stays there");
	tap_ret(object_check(fixture, &object), 0, "its content is whole");
	object_close(fixture, &object);
}

/* Tiles are in VRAM and nowhere else, and may take more there than the image has bytes. */
static void test_images(const struct fixture *fixture)
{
	static const struct place apart = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
	const struct image image = {
		.layout = DRM_QUIRE_LAYOUT_TILE_64K, .element_size = 4, .width = 4,
		.height = SLICE / ROW_OF_TILE, .levels = 1,
		.array_size = fixture_vram(fixture) / 2 / SLICE + 1,
	};
	struct object objects[2] = { { 0 } };

	for (unsigned int i = 0; i < 2; i++) {
		objects[i].size = image_object_size(&image);
		tap_ret(image_create(fixture->fd, &image, SYSTEM | VRAM | APART,
				     &objects[i].handle), 0, "an image of %llu bytes, %llu in VRAM",
			(unsigned long long)objects[i].size,
			(unsigned long long)image_tiled_size(&image));
	}
	tap_ret(resident_make(fixture->fd, objects, 2), -ENOSPC, "two of them do not fit in VRAM");
	tap_ret(resident_make(fixture->fd, objects, 1), 0, "one does");
	tap_ret(object_place_and_wait(fixture, &objects[0], &apart), 0, "it goes to the aperture");
	tap_ret(resident_make(fixture->fd, objects, 1), 0, "hold it once more");
	tap_ok(is_in_vram(fixture->fd, objects[0].handle), "it is back");
	for (unsigned int i = 0; i < 2; i++)
		object_close(fixture, &objects[i]);
}

static void test_comes_back(struct work *work)
{
	static uint8_t pattern[QUIRE_MIB];
	struct fixture *fixture = &work->fixture;
	struct quire_object *bound;
	struct object object, held;
	struct space space;

	space_open(&space, work);
	make_in(fixture, &object, QUIRE_MIB, SYSTEM | VRAM);
	bound = space_object(&space, QUIRE_MIB, VRAM, false);
	space_soil(bound, 5);
	held = (struct object){ .handle = quire_object_handle(bound), .size = QUIRE_MIB, .key = 5 };
	space_map(&space, 0x100000000ull, bound, 0, QUIRE_MIB);
	tap_ret(resident_make(fixture->fd, &object, 1), 0, "hold one");
	tap_ret(resident_make(fixture->fd, &held, 1), 0, "and one that is bound");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict everything");
	tap_ok(!is_in_vram(fixture->fd, object.handle) && !is_in_vram(fixture->fd, held.handle),
	       "both are");
	pattern_fill(pattern, sizeof(pattern), 5);
	tap_ok(space_has(&space, 0x100000000ull, pattern, sizeof(pattern)), "one is executed with");
	tap_ok(is_in_vram(fixture->fd, held.handle), "which is back");
	tap_ok(survives(fixture, &held), "and no victim");
	tap_ret(resident_make(fixture->fd, &object, 1), 0, "hold the other one once more");
	tap_ok(is_in_vram(fixture->fd, object.handle), "it is back");
	tap_ok(resident_count(fixture->fd, &object) == 2, "and was held");
	tap_ret(object_check(fixture, &object), 0, "its content is whole");
	object_close(fixture, &object);
	quire_object_close(bound);
	space_close(&space);
}

/* References are no matter of the device. */
static void test_reset(const struct fixture *fixture)
{
	struct drm_quire_sync sync = { sync_create(fixture), DRM_QUIRE_SYNC_SIGNAL, 0 };
	struct object objects[2];

	for (unsigned int i = 0; i < 2; i++)
		make_in(fixture, &objects[i], QUIRE_MIB, SYSTEM | VRAM);
	tap_ret(resident_make(fixture->fd, &objects[0], 1), 0, "hold one");
	tap_ret(quire_bo_wait(fixture->fd, objects[0].handle, WAIT_MS), 0, "it is there");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	fixture_inject(fixture, "hang 1");
	tap_ret(resident_make_syncs(fixture->fd, objects, 2, &sync, 1), 0,
		"hold another one while the device hangs");
	tap_ret(sync_wait(fixture, sync.handle, 0, 0), -ETIME, "that one is not there yet");
	fixture_wait_hung(fixture);
	test_parameter("hang_period", 3000);
	tap_ret(sync_wait(fixture, sync.handle, 0, WAIT_MS), 0, "its move ends");
	resident_flood(fixture);
	for (unsigned int i = 0; i < 2; i++) {
		tap_ok(is_in_vram(fixture->fd, objects[i].handle), "%u is no victim", i);
		tap_ret(object_check(fixture, &objects[i]), 0, "its content is whole");
		tap_ok(resident_count(fixture->fd, &objects[i]) == 2 - (int)i, "held as often");
		object_close(fixture, &objects[i]);
	}
	drmSyncobjDestroy(fixture->fd, sync.handle);
}

static void on_alarm(int signal)
{
	(void)signal;
}

/* A signal comes, again and again; never if @microseconds is 0. */
static void alarm_often(unsigned int microseconds)
{
	struct itimerval time = {
		.it_interval.tv_usec = microseconds, .it_value.tv_usec = microseconds,
	};
	struct sigaction action = { .sa_handler = on_alarm };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &time, NULL);
}

/* Commands are at work until end_work(); returns a sync_file of their end. */
static int begin_work(struct space *space)
{
	space->results[0] = 0;
	quire_write_wait(&space->writer, QUIRE_WAIT_GREATER_EQUAL, SPACE_RESULTS, 1);
	tap_ret(space_exec(space, NULL, space->fence), 0, "something takes a while");
	return quire_fence_export(space->fence, 0);
}

static void end_work(const struct space *space)
{
	__atomic_store_n(space->results, 1, __ATOMIC_RELEASE);
}

/*
 * Another thread lets the work end when this one waits for it, and closes @object before, if that
 * is not NULL; it has the same file.
 */
static pid_t start_ending(const struct space *space, struct object *object)
{
	pid_t pid = child_start(60);
	bool waits;

	if (pid)
		return pid;
	waits = child_gets_within(getppid(), "quire_bo_wait_others", WAIT_MS);
	if (object)
		object_close(&space->work->fixture, object);
	end_work(space);
	_exit(!waits);
}

/* Others are at work with the second one, and a signal comes while that is waited for. */
static void test_interrupted(struct work *work)
{
	struct fixture *fixture = &work->fixture;
	struct drm_quire_resident list[2] = { 0 };
	struct drm_quire_make_resident make = { .objects = DRM_QUIRE_ARRAY(2, list) };
	struct object objects[2];
	struct space space;
	int dmabuf, file;
	pid_t pid;

	space_open(&space, work);
	for (unsigned int i = 0; i < 2; i++) {
		make_in(fixture, &objects[i], QUIRE_MIB, SYSTEM | VRAM);
		list[i].handle = objects[i].handle;
	}
	dmabuf = dmabuf_export(fixture->fd, objects[1].handle);
	file = begin_work(&space);
	tap_ret(dmabuf_import_sync_file(dmabuf, file), 0, "an object waits for it");
	alarm_often(50000);
	tap_ret(quire_ioctl_once(fixture->fd, DRM_IOCTL_QUIRE_MAKE_RESIDENT, &make), -EINTR,
		"a signal comes while two are made resident");
	alarm_often(0);
	tap_ok(resident_count(fixture->fd, &objects[0]) == 0 &&
	       resident_count(fixture->fd, &objects[1]) == 0, "neither is");
	tap_ret(quire_fence_wait(space.fence, 0, 0), -ETIME, "nobody was waited for");
	pid = start_ending(&space, NULL);
	tap_ret(resident_make(fixture->fd, objects, 2), 0, "again, to the end");
	tap_ret(quire_fence_wait(space.fence, 0, 0), 0, "that was");
	tap_ret(child_status(pid), 0, "it was waited for");
	tap_ok(is_in_vram(fixture->fd, objects[0].handle) &&
	       is_in_vram(fixture->fd, objects[1].handle), "both are there");
	tap_ok(resident_count(fixture->fd, &objects[0]) == 1 &&
	       resident_count(fixture->fd, &objects[1]) == 1, "held once each");
	tap_ok(!survives(fixture, &objects[0]) && !survives(fixture, &objects[1]),
	       "then both are victims: the call that was interrupted holds neither");
	close(file);
	close(dmabuf);
	for (unsigned int i = 0; i < 2; i++)
		object_close(fixture, &objects[i]);
	space_rewind(&space);
	space_close(&space);
}

/* The second one of two is closed while the call waits for those who are at work with it. */
static void test_closed_meanwhile(struct work *work)
{
	struct fixture *fixture = &work->fixture;
	struct drm_quire_resident list[2] = { 0 };
	struct drm_quire_make_resident make = { .objects = DRM_QUIRE_ARRAY(2, list) };
	struct object objects[2];
	struct space space;
	int dmabuf, file;
	pid_t pid;

	space_open(&space, work);
	for (unsigned int i = 0; i < 2; i++) {
		make_in(fixture, &objects[i], QUIRE_MIB, SYSTEM | VRAM);
		list[i].handle = objects[i].handle;
	}
	dmabuf = dmabuf_export(fixture->fd, objects[1].handle);
	file = begin_work(&space);
	tap_ret(dmabuf_import_sync_file(dmabuf, file), 0, "an object waits for it");
	pid = start_ending(&space, &objects[1]);
	tap_ret(quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_MAKE_RESIDENT, &make), -ENOENT,
		"it is closed while two are made resident");
	tap_ret(child_status(pid), 0, "by another thread");
	tap_ok(make.refused_object == 1, "the call says which");
	tap_ok(resident_count(fixture->fd, &objects[0]) == 0, "the other one is not held");
	tap_ret(dmabuf_import(fixture->fd, dmabuf, &objects[1].handle), 0, "open it again");
	tap_ok(resident_count(fixture->fd, &objects[1]) == 0, "nor is it");
	for (unsigned int i = 0; i < 2; i++)
		tap_ret(object_place(fixture, &objects[i], &places[2]), 0, "both are in VRAM");
	tap_ok(!survives(fixture, &objects[0]) && !survives(fixture, &objects[1]),
	       "and victims as others");
	close(file);
	close(dmabuf);
	for (unsigned int i = 0; i < 2; i++)
		object_close(fixture, &objects[i]);
	space_rewind(&space);
	space_close(&space);
}

#define ROUNDS		100u
#define SIGNAL_US	1700u
#define RIVALS		16u

static pid_t start_rival(const struct fixture *outer)
{
	pid_t pid = child_start(100);
	struct object objects[RIVALS];
	struct fixture fixture;
	uint64_t random = 3;

	if (pid)
		return pid;
	fixture_open(&fixture);
	for (unsigned int i = 0; i < RIVALS; i++)
		make_in(&fixture, &objects[i], fixture_vram(outer) / RIVALS, SYSTEM | VRAM);
	for (;;) {
		struct object *object = &objects[random_below(&random, RIVALS)];

		if (resident_make(fixture.fd, object, 1))
			_exit(1);
		if (random_below(&random, 4) && resident_evict(fixture.fd, object, 1))
			_exit(2);
		if (!random_below(&random, 16))
			for (unsigned int i = 0; i < RIVALS; i++)
				if (resident_count(fixture.fd, &objects[i]) < 0)
					_exit(3);
	}
}

/* Whatever ends a call: it was all or nothing. */
static void test_signals(const struct fixture *fixture)
{
	unsigned int held = 0, interrupted = 0;
	struct object objects[8];
	struct drm_quire_resident list[8] = { 0 };
	struct drm_quire_make_resident make = { .objects = DRM_QUIRE_ARRAY(8, list) };
	bool right = true;
	pid_t pid;
	int ret;

	for (unsigned int i = 0; i < 8; i++) {
		make_in(fixture, &objects[i], fixture_vram(fixture) / 64, SYSTEM | VRAM);
		list[i].handle = objects[i].handle;
	}
	pid = start_rival(fixture);
	for (unsigned int i = 0; i < ROUNDS && right; i++) {
		if (!held) /* a slow machine gets something done, too, in the end */
			alarm_often((i + 1) * SIGNAL_US);
		for (unsigned int j = 0; j < 8; j++)
			right &= !object_place(fixture, &objects[j], &places[0]);
		ret = quire_ioctl_once(fixture->fd, DRM_IOCTL_QUIRE_MAKE_RESIDENT, &make);
		held += !ret;
		interrupted += ret == -EINTR;
		right &= !ret || ret == -EINTR;
	}
	alarm_often(0);
	tap_ok(right, "%u calls ended, %u were interrupted", held, interrupted);
	tap_ok(held, "some came to something");
	tap_ok(child_is_running(pid), "another one goes on");
	child_kill(pid);
	for (unsigned int i = 0; i < 8; i++) {
		right &= resident_count(fixture->fd, &objects[i]) == (int)held;
		right &= !object_check(fixture, &objects[i]);
		object_close(fixture, &objects[i]);
	}
	tap_ok(right, "each is held as often as calls ended, and whole");
}

#define MAKE(...)	REFUSED(s, DRM_IOCTL_QUIRE_MAKE_RESIDENT, \
				struct drm_quire_make_resident, __VA_ARGS__)
#define EVICT(...)	REFUSED(s, DRM_IOCTL_QUIRE_EVICT, struct drm_quire_evict, __VA_ARGS__)

static void test_bad_syncs(struct subject *s, struct drm_quire_resident *list)
{
	uint32_t syncobj = sync_create(s->fixture);
	struct drm_quire_sync sync = { syncobj, DRM_QUIRE_SYNC_WAIT, 0 };

	MAKE(-EINVAL, "make: to wait", .objects = DRM_QUIRE_ARRAY(1, list),
	     .syncs = DRM_QUIRE_ARRAY(1, &sync));
	sync.flags = DRM_QUIRE_SYNC_SIGNAL;
	sync.handle = NO_HANDLE;
	MAKE(-ENOENT, "make: no syncobj", .objects = DRM_QUIRE_ARRAY(1, list),
	     .syncs = DRM_QUIRE_ARRAY(1, &sync));
	MAKE(-E2BIG, "make: too many syncs", .objects = DRM_QUIRE_ARRAY(1, list),
	     .syncs = { sizeof(sync), DRM_QUIRE_MAX_SYNCS + 1, BAD_POINTER });
	MAKE(-EFAULT, "make: bad pointer of syncs", .objects = DRM_QUIRE_ARRAY(1, list),
	     .syncs = { sizeof(sync), 1, BAD_POINTER });
	sync.handle = syncobj;
	list[1].handle = NO_HANDLE;
	MAKE(-ENOENT, "make: one is unknown, with a syncobj", .objects = DRM_QUIRE_ARRAY(2, list),
	     .syncs = DRM_QUIRE_ARRAY(1, &sync));
	tap_ok(sync_is_untouched(s->fixture, syncobj), "which gets no fence");
	drmSyncobjDestroy(s->fixture->fd, syncobj);
}

static void test_bad_arrays(struct subject *s, const struct drm_quire_resident *list)
{
	const struct drm_quire_array many = {
		sizeof(*list), DRM_QUIRE_MAX_RESIDENT + 1, (uintptr_t)list,
	};

	MAKE(-E2BIG, "make: too many", .objects = many);
	EVICT(-E2BIG, "evict: too many", .objects = many);
	MAKE(-EINVAL, "make: stride", .objects = { 4, 1, (uintptr_t)list });
	EVICT(-EINVAL, "evict: stride", .objects = { 12, 1, (uintptr_t)list });
	MAKE(-EFAULT, "make: bad pointer", .objects = { sizeof(*list), 1, BAD_POINTER });
	EVICT(-EFAULT, "evict: bad pointer", .objects = { sizeof(*list), 1, BAD_POINTER });
	MAKE(-EINVAL, "make: flags", .objects = DRM_QUIRE_ARRAY(1, list), .flags = 1);
	EVICT(-EINVAL, "evict: flags", .objects = DRM_QUIRE_ARRAY(1, list), .flags = 1);
}

/* Which one it is, of three. */
static void test_refused(struct subject *s, uint32_t handle, int error, const char *what)
{
	struct drm_quire_resident list[3] = {
		{ .handle = s->object.handle }, { .handle = s->object.handle },
		{ .handle = handle },
	};
	struct drm_quire_make_resident make = {
		.objects = DRM_QUIRE_ARRAY(3, list), .refused_object = 77,
	};

	refused(s, DRM_IOCTL_QUIRE_MAKE_RESIDENT, &make, error, what);
	tap_ok(make.refused_object == 2, "it is element %u", make.refused_object);
	tap_ok(resident_count(s->fixture->fd, &s->object) == 0, "none is held");
}

static void test_args(const struct fixture *fixture)
{
	struct drm_quire_resident list[3] = { 0 };
	struct drm_quire_evict evict = { .objects = DRM_QUIRE_ARRAY(2, list) };
	struct subject subject, *s = &subject;
	uint32_t fence, handle;

	subject_make(s, fixture);
	for (unsigned int i = 0; i < 3; i++)
		list[i].handle = s->object.handle;
	test_bad_arrays(s, list);
	test_bad_syncs(s, list);
	test_refused(s, 0, -ENOENT, "make: handle 0");
	test_refused(s, NO_HANDLE, -ENOENT, "make: unknown handle");
	quire_bo_create_in(fixture->fd, QUIRE_PAGE, SYSTEM, &handle);
	test_refused(s, handle, -ENOMEDIUM, "make: of system memory alone");
	quire_bo_close(fixture->fd, handle);
	monitored_create(fixture->fd, 0, &fence);
	test_refused(s, fence, -EPERM, "make: a monitored fence");
	quire_bo_close(fixture->fd, fence);
	list[1] = (struct drm_quire_resident){ .handle = s->object.handle, .pad = 1 };
	MAKE(-EINVAL, "make: pad", .objects = DRM_QUIRE_ARRAY(2, list));
	refused(s, DRM_IOCTL_QUIRE_EVICT, &evict, -EINVAL, "evict: pad");
	tap_ok(evict.refused_object == 1, "it is element %u", evict.refused_object);
	list[1] = (struct drm_quire_resident){ .handle = NO_HANDLE };
	refused(s, DRM_IOCTL_QUIRE_EVICT, &evict, -ENOENT, "evict: unknown handle");
	tap_ok(evict.refused_object == 1, "it is element %u", evict.refused_object);
	list[1].handle = s->object.handle;
	tap_ret(resident_make(fixture->fd, &s->object, 1), 0, "held once");
	refused(s, DRM_IOCTL_QUIRE_EVICT, &evict, -EINVAL, "evict: too often");
	tap_ok(evict.refused_object == 1, "it is element %u", evict.refused_object);
	tap_ok(resident_count(fixture->fd, &s->object) == 1, "it is held as before");
	subject_close(s);
}

int main(void)
{
	struct work work;

	tap_start(180);
	work_begin(&work);
	test_args(&work.fixture);
	test_places(&work.fixture);
	test_many(&work.fixture);
	test_count(&work.fixture);
	test_all_or_none(&work.fixture);
	test_offered(&work.fixture);
	test_files(&work.fixture);
	test_dies(&work.fixture);
	test_too_much(&work.fixture);
	test_images(&work.fixture);
	test_sums(&work.fixture);
	test_stays(&work.fixture);
	test_signals(&work.fixture);
	if (!*work.fixture.debugfs) {
		tap_skip("no debugfs, or not root", "waits, eviction, and a reset");
	} else {
		if (work.fixture.info.execution_rings) {
			test_parameter("hang_period", WORK_PATIENCE_MS);
			test_interrupted(&work);
			test_closed_meanwhile(&work);
			test_parameter("hang_period", 3000);
		}
		test_comes_back(&work);
		test_reset(&work.fixture);
	}
	work_end(&work);
	return tap_done();
}
