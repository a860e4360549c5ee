// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A ring that stops working again and again: how far recovery goes, and what that costs. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dump.h"
#include "fixture.h"
#include "kmsg.h"
#include "syncs.h"

#define PERIOD_MS	2000
#define LONG_MS		20000	/* time for all that is to happen to be asked for */

/* The watchdog looks once a second. */
#define AT_ONCE_MS	500

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };

enum { IN_VRAM, IN_APERTURE, IN_SYSTEM, MOVES, BEHIND, NR_OBJECTS };

/**
 * struct scene - objects in all places
 * @fixture: the device
 * @objects: by what they do
 * @syncobj: the fence of the move that hangs
 * @log: the kernel's
 */
struct scene {
	struct fixture fixture;
	struct object objects[NR_OBJECTS];
	uint32_t syncobj;
	int log;
};

static void scene_open(struct scene *scene)
{
	const struct fixture *fixture = &scene->fixture;
	int ret = 0;

	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = object_create(fixture, &scene->objects[i], 64 * QUIRE_PAGE, i + 1);
	if (!ret)
		ret = object_place_and_wait(fixture, &scene->objects[IN_VRAM], &vram);
	if (!ret)
		ret = object_place_and_wait(fixture, &scene->objects[IN_APERTURE], &aperture);
	tap_ret(ret, 0, "objects in all places");
	scene->syncobj = sync_create(fixture);
	scene->log = kmsg_open();
}

static void scene_close(struct scene *scene)
{
	fixture_inject(&scene->fixture, "hang 0");
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		object_close(&scene->fixture, &scene->objects[i]);
	close(scene->log);
	/* The discards of what dies are added now, and go out before the next hang. */
	tap_ok(fixture_settles(&scene->fixture, scene->fixture.segments), "all of it is freed");
}

/* One move, and another one behind it; the device hangs at the first packet. */
static void begin(const struct scene *scene, const struct place *place)
{
	fixture_inject(&scene->fixture, "hang 1");
	tap_ret(object_place_signal(&scene->fixture, &scene->objects[MOVES], place,
				    scene->syncobj, 0), 0, "a move to %s", place->name);
	tap_ret(object_place(&scene->fixture, &scene->objects[BEHIND], &vram), 0,
		"one behind it");
	fixture_wait_hung(&scene->fixture);
}

/* To the next hang, which was asked for. */
static void restart(const struct scene *scene)
{
	test_parameter("hang_period", PERIOD_MS);
	tap_ok(kmsg_wait(scene->log, "stuck, restarting it", WAIT_MS), "the ring is restarted");
	test_parameter("hang_period", LONG_MS);
	fixture_wait_hung(&scene->fixture);
}

static void wait_moves(const struct scene *scene)
{
	tap_ret(quire_bo_wait(scene->fixture.fd, scene->objects[MOVES].handle, WAIT_MS), 0,
		"the wait for the move ends");
	tap_ret(quire_bo_wait(scene->fixture.fd, scene->objects[BEHIND].handle, WAIT_MS), 0,
		"and for the one behind");
}

/* All that is to happen was asked for. */
static void end(const struct scene *scene)
{
	test_parameter("hang_period", PERIOD_MS);
	wait_moves(scene);
	test_parameter("hang_period", LONG_MS);
}

static void expect_said(int log, unsigned int restarts, unsigned int resets, unsigned int lost)
{
	unsigned int said[3] = { 0 };
	char line[1024];
	ssize_t bytes;

	while ((bytes = read(log, line, sizeof(line) - 1)) > 0) {
		line[bytes] = '\0';
		said[0] += !!strstr(line, "stuck, restarting it");
		said[1] += !!strstr(line, "stuck, resetting the device");
		said[2] += !!strstr(line, "is given up");
	}
	tap_ret(said[0], restarts, "restarts of the ring");
	tap_ret(said[1], resets, "resets of the device");
	tap_ret(said[2], lost, "submissions given up");
}

static void expect_fence(const struct scene *scene, int status)
{
	struct fence_state state = { 0 };
	int file = sync_export(&scene->fixture, scene->syncobj);

	tap_ret(fence_query(file, &state), 0, "ask the fence of the move");
	tap_ret(state.status, status, "it says how the move ended");
	close(file);
}

/*
 * All of it is whole. What is in the aperture goes to VRAM through it: does the device
 * still find the pages there?
 */
static void expect_whole(const struct scene *scene, unsigned int but)
{
	const struct object *object = &scene->objects[IN_APERTURE];
	const uint64_t interrupts = fixture_count(&scene->fixture, "interrupts");
	int ret = 0;

	tap_ok(object_is_at(&scene->fixture, object, &aperture), "it is still in the aperture");
	tap_ret(object_place_and_wait(&scene->fixture, object, &vram), 0, "from there to VRAM");
	tap_ok(fixture_count_reaches(&scene->fixture, "interrupts", interrupts + 1,
				     INTERRUPT_MS),
	       "the device says when it is done");
	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		if (i != but)
			ret = object_check(&scene->fixture, &scene->objects[i]);
	tap_ret(ret, 0, "the content is whole");
}

/* Hangs, hangs again as @again says, and goes on: nothing is lost. */
static void hang_twice(struct scene *scene, const char *again, unsigned int restarts,
		       unsigned int resets)
{
	begin(scene, &vram);
	fixture_inject(&scene->fixture, again);
	end(scene);
	expect_said(scene->log, restarts, resets, 0);
	expect_fence(scene, 1);
	expect_whole(scene, NR_OBJECTS);
}

/* Twice, at two packets: nobody minds. */
static void test_apart(struct scene *scene)
{
	scene_open(scene);
	hang_twice(scene, "hang 2", 2, 0);
	scene_close(scene);
}

/* The same in one submission: TRANSFER, UNMAP. */
static void test_apart_in_one(struct scene *scene)
{
	scene_open(scene);
	tap_ret(object_place_and_wait(&scene->fixture, &scene->objects[MOVES], &aperture), 0,
		"place it in the aperture");
	hang_twice(scene, "hang 2", 2, 0);
	scene_close(scene);
}

/*
 * Once more in one submission, each time one packet further on: what a restart begins with
 * is where the one before had got to. What dies apart from its neighbours is a packet each.
 */
static void test_further(struct scene *scene)
{
	struct debugfs_counter before = { 0 }, after = { 0 };
	const struct fixture *fixture = &scene->fixture;
	struct object objects[6];
	int ret = 0;

	scene_open(scene);
	for (unsigned int i = 0; i < ARRAY_SIZE(objects) && !ret; i++) {
		ret = object_create(fixture, &objects[i], 16 * QUIRE_PAGE, i + 1);
		if (!ret)
			ret = object_place_and_wait(fixture, &objects[i], &vram);
	}
	tap_ret(ret, 0, "neighbours in VRAM");
	debugfs_counter(fixture->debugfs, "DISCARD_CONTENT", &before);
	/* before the discards the device is told that all three have left */
	fixture_inject(&scene->fixture, "hang 5");
	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i += 2)
		object_close(fixture, &objects[i]);
	fixture_wait_hung(&scene->fixture);
	fixture_inject(&scene->fixture, "hang 2");
	test_parameter("hang_period", PERIOD_MS);
	fixture_wait_hung(&scene->fixture);
	tap_ret(object_place_and_wait(fixture, &objects[1], &aperture), 0, "it goes on");
	test_parameter("hang_period", LONG_MS);
	debugfs_counter(fixture->debugfs, "DISCARD_CONTENT", &after);
	tap_ret((int)(after.count - before.count), 3, "discards");
	expect_said(scene->log, 2, 0, 0);
	for (unsigned int i = 1; i < ARRAY_SIZE(objects); i += 2)
		object_close(fixture, &objects[i]);
	scene_close(scene);
}

/* With @mapped pages that the aperture has when the device works again. */
static void expect_dump(uint64_t mapped)
{
	static char text[16384];
	char line[64];
	bool found = dump_wait(text, sizeof(text));

	tap_ok(found, "there is a dump of the device");
	tap_ok(found && strstr(text, "Quire device coredump"), "it says what it is");
	tap_ok(found && strstr(text, "status: 0x"), "it has the registers");
	tap_ok(found && strstr(text, "\npending: ") && strstr(text, "\n  fence "),
	       "it has the ring");
	tap_ok(found && strstr(text, "packet at offset 0x0 of"), "it says which packet");
	tap_ok(found && !strstr(text, "\ncommand: "), "and that it is no command");
	snprintf(line, sizeof(line), "\naperture: %" PRIu64 " pages mapped\n", mapped);
	tap_ok(found && strstr(text, line), "%" PRIu64 " pages of the aperture are mapped",
	       mapped);
	/* the header of a TRANSFER: opcode 1, no flags */
	tap_ok(found && strstr(text, "  0x0000: 01 00 00 00"), "it has the packet");
}

/*
 * Twice at one packet: the device is reset, and nothing is lost. What has left the
 * aperture before is not mapped again.
 */
static void test_reset(struct scene *scene)
{
	const struct fixture *fixture = &scene->fixture;
	const struct object *object = &scene->objects[MOVES];
	uint64_t mapped;
	int64_t start;

	scene_open(scene);
	tap_ret(object_place_and_wait(fixture, object, &aperture), 0, "into the aperture");
	tap_ret(object_place_and_wait(fixture, object, &places[0]), 0, "and out of it");
	mapped = fixture_usage(fixture, DRM_QUIRE_SEGMENT_APERTURE) / QUIRE_PAGE;
	dump_forget();
	start = quire_now_ns();
	hang_twice(scene, "hang 1", 1, 1);
	tap_ok(quire_now_ns() - start >= 2 * PERIOD_MS * 1000000ll,
	       "a ring that was restarted has its time, too");
	expect_dump(mapped);
	scene_close(scene);
}

/* The first strike resets the device if that is asked for. */
static void test_no_restart(struct scene *scene)
{
	scene_open(scene);
	test_parameter("hang_restarts", 0);
	begin(scene, &vram);
	end(scene);
	test_parameter("hang_restarts", 1);
	expect_said(scene->log, 0, 1, 0);
	expect_fence(scene, 1);
	expect_whole(scene, NR_OBJECTS);
	scene_close(scene);
}

/*
 * Restarts are taken away while they are made. What comes next is the reset, and not what
 * a device is worth that a reset did not help.
 */
static void test_fewer_restarts(struct scene *scene)
{
	scene_open(scene);
	test_parameter("hang_restarts", 5);
	begin(scene, &vram);
	for (unsigned int i = 0; i < 3; i++) {
		fixture_inject(&scene->fixture, "hang 1");
		restart(scene);
	}
	test_parameter("hang_restarts", 0);
	end(scene);
	test_parameter("hang_restarts", 1);
	expect_said(scene->log, 0, 1, 0);
	expect_fence(scene, 1);
	expect_whole(scene, NR_OBJECTS);
	scene_close(scene);
}

/*
 * Three times at one packet: what that moves is lost, and only that. The aperture
 * takes two packets to be restored: the dummy page, and what is mapped; what is where follows.
 */
static void give_up(struct scene *scene, const struct place *place)
{
	unsigned int runs = fixture_resident_runs(&scene->fixture);
	char again[32];

	snprintf(again, sizeof(again), "hang %u", 3 + runs);
	begin(scene, place);
	fixture_inject(&scene->fixture, "hang 1");
	restart(scene);
	fixture_inject(&scene->fixture, again);
	end(scene);
	expect_said(scene->log, 0, 2, 1);
	expect_fence(scene, -EIO);
}

/* As a debugger reads it; what is in its place now may be somebody else's. */
static int read_mem(const void *map)
{
	int file = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	uint64_t word;
	int ret = pread(file, &word, sizeof(word), (uintptr_t)map) < 0 ? -errno : 0;

	close(file);
	return ret;
}

static void expect_lost(const struct scene *scene, const struct object *object)
{
	bool retained = true;
	void *map = NULL;

	tap_ok(object_flags(&scene->fixture, object) & DRM_QUIRE_BO_PURGED,
	       "the info of what moved says that it is lost");
	tap_ret(object_place(&scene->fixture, object, &vram), -ENODATA, "it can not be placed");
	tap_ret(quire_bo_map(scene->fixture.fd, object->handle, object->size, &map), 0, "map it");
	tap_ok(sigbus_on_read(map), "touching it raises SIGBUS");
	tap_ret(read_mem(map), -EIO, "reading it through /proc/self/mem fails");
	tap_ret(quire_bo_madvise(scene->fixture.fd, object->handle, DRM_QUIRE_MADV_WILLNEED,
				 &retained), 0, "WILLNEED");
	tap_ok(!retained, "says that it was lost");
	tap_ret(object_check_zero(&scene->fixture, object), 0, "it reads as zero");
	munmap(map, object->size);
}

static void expect_usable(const struct scene *scene, const struct object *object)
{
	tap_ret(object_fill(&scene->fixture, object), 0, "it takes new content");
	tap_ret(object_place_and_wait(&scene->fixture, object, &aperture), 0,
		"goes to the aperture");
	tap_ret(object_place_and_wait(&scene->fixture, object, &vram), 0, "and to VRAM");
	tap_ret(object_check(&scene->fixture, object), 0, "and is whole");
}

static void test_give_up(struct scene *scene, const struct place *place)
{
	scene_open(scene);
	give_up(scene, place);
	expect_lost(scene, &scene->objects[MOVES]);
	expect_whole(scene, MOVES);
	expect_usable(scene, &scene->objects[MOVES]);
	scene_close(scene);
}

/* An object that has content in VRAM goes to the aperture, which is mapped before that. */
static void test_give_up_after_map(struct scene *scene)
{
	const struct object *object = &scene->objects[MOVES];

	scene_open(scene);
	tap_ret(object_place_and_wait(&scene->fixture, object, &vram), 0, "place it in VRAM");
	give_up(scene, &aperture);
	expect_lost(scene, object);
	expect_whole(scene, MOVES);
	expect_usable(scene, object);
	scene_close(scene);
}

/* An object that never had content goes to VRAM: nobody fills its place with zeroes. */
static void test_give_up_fresh(struct scene *scene)
{
	struct object *object = &scene->objects[MOVES];

	scene_open(scene);
	object_close(&scene->fixture, object);
	tap_ret(quire_bo_create(scene->fixture.fd, object->size, &object->handle), 0,
		"an object without content");
	give_up(scene, &vram);
	expect_lost(scene, object);
	expect_whole(scene, MOVES);
	expect_usable(scene, object);
	scene_close(scene);
}

static void inject(const struct scene *scene, const char *what, unsigned int packets)
{
	char command[32];

	snprintf(command, sizeof(command), "%s %u", what, packets);
	fixture_inject(&scene->fixture, command);
}

static bool advise(const struct scene *scene, const struct object *object, uint32_t advice)
{
	bool retained = false;

	tap_ret(quire_bo_madvise(scene->fixture.fd, object->handle, advice, &retained), 0,
		advice == DRM_QUIRE_MADV_WILLNEED ? "WILLNEED" : "DONTNEED");
	return retained;
}

/*
 * Two moves of one object are given up, and programs say meanwhile that they need it, or
 * do not: what the first one loses is not forgotten, and the second one, which ends after
 * it was said, takes nothing from the content that is new then.
 */
static void test_give_up_advised(struct scene *scene)
{
	const struct object *object = &scene->objects[MOVES];
	unsigned int runs;

	scene_open(scene);
	runs = fixture_resident_runs(&scene->fixture);
	test_parameter("hang_restarts", 0);
	begin(scene, &vram);
	tap_ret(object_place(&scene->fixture, object, &places[0]), 0, "and a move back");
	tap_ok(advise(scene, object, DRM_QUIRE_MADV_DONTNEED), "nothing is lost yet");
	tap_ok(advise(scene, object, DRM_QUIRE_MADV_WILLNEED), "still not");
	/*
	 * The aperture, two packets, and what is where; the move, at fault; both again, with
	 * where it would be; one behind, and where that is; back, hung.
	 */
	inject(scene, "fault", 2 + runs + 1);
	inject(scene, "hang", (2 + runs + 1) + (2 + runs + 1) + 2 + 1);
	tap_ok(kmsg_wait(scene->log, "is given up", WAIT_MS), "the move is given up");
	fixture_wait_hung(&scene->fixture);
	inject(scene, "fault", 2 + runs + 2 + 1);
	tap_ok(!advise(scene, object, DRM_QUIRE_MADV_WILLNEED), "the loss is not forgotten");
	tap_ok(kmsg_wait(scene->log, "is given up", WAIT_MS), "the move back is given up, too");
	tap_ok(!(object_flags(&scene->fixture, object) & DRM_QUIRE_BO_PURGED),
	       "which is no new loss");
	tap_ret(object_check_zero(&scene->fixture, object), 0, "it reads as zero");
	test_parameter("hang_restarts", 1);
	expect_usable(scene, object);
	expect_whole(scene, MOVES);
	scene_close(scene);
}

/* A fault is no hang: nobody waits until the ring has stood still for long. */
static void test_faults(struct scene *scene)
{
	const struct object *object = &scene->objects[MOVES];
	static const struct place *const there[] = { &vram, &aperture };
	int64_t fastest = INT64_MAX;
	int ret = 0;

	scene_open(scene);
	test_parameter("hang_period", 10 * WAIT_MS);
	for (unsigned int i = 0; i < 20 && !ret; i++) {
		int64_t start = quire_now_ns();

		ret = debugfs_write(scene->fixture.debugfs, "inject", "fault 1");
		if (!ret)
			ret = object_place(&scene->fixture, object, there[i % 2]);
		if (!ret)
			ret = quire_bo_wait(scene->fixture.fd, object->handle, WAIT_MS);
		/* the first one may come right before a look */
		if (i && quire_now_ns() - start < fastest)
			fastest = quire_now_ns() - start;
	}
	tap_ret(ret, 0, "20 faults");
	fastest /= 1000000;
	tap_ok(fastest < AT_ONCE_MS, "they are recovered from at once (%" PRId64 " ms)", fastest);
	test_parameter("hang_period", LONG_MS);
	expect_said(scene->log, 20, 0, 0);
	expect_whole(scene, NR_OBJECTS);
	scene_close(scene);
}

/* One hang costs one period, not two. */
static void test_period(struct scene *scene)
{
	int64_t start, milliseconds;

	scene_open(scene);
	test_parameter("hang_period", 4 * PERIOD_MS);
	start = quire_now_ns();
	begin(scene, &vram);
	wait_moves(scene);
	milliseconds = (quire_now_ns() - start) / 1000000;
	tap_ok(milliseconds >= 4 * PERIOD_MS, "not before a period (%lld ms)",
	       (long long)milliseconds);
	tap_ok(milliseconds < 8 * PERIOD_MS, "not after two (%lld ms)", (long long)milliseconds);
	test_parameter("hang_period", LONG_MS);
	scene_close(scene);
}

static void test_parameters(void)
{
	static const struct {
		const char *name;
		const char *value;
	} bad[] = {
		{ "hang_period", "0" }, { "hang_period", "99" }, { "hang_period", "3600001" },
		{ "hang_period", "soon" }, { "hang_restarts", "101" }, { "hang_restarts", "-1" },
	};
	char before[16] = "", after[16] = "";

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		sysfs_parameter_read(bad[i].name, before, sizeof(before));
		tap_ok(sysfs_parameter_write(bad[i].name, bad[i].value) < 0, "%s=%s is refused",
		       bad[i].name, bad[i].value);
		sysfs_parameter_read(bad[i].name, after, sizeof(after));
		tap_ok(*before && !strcmp(before, after), "and changes nothing");
	}
}

int main(void)
{
	struct scene scene;

	tap_start(300);
	fixture_open(&scene.fixture);
	if (!*scene.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(scene.fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	test_parameters();
	test_parameter("hang_period", LONG_MS);
	test_apart(&scene);
	test_apart_in_one(&scene);
	test_further(&scene);
	test_reset(&scene);
	test_no_restart(&scene);
	test_fewer_restarts(&scene);
	test_give_up(&scene, &vram);
	test_give_up_after_map(&scene);
	test_give_up_fresh(&scene);
	test_give_up_advised(&scene);
	test_faults(&scene);
	test_period(&scene);
	test_parameter("hang_period", 3000);
	tap_ok(fixture_settles(&scene.fixture, scene.fixture.segments), "usage is what it was");
	return tap_done();
}
