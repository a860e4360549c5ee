// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Moves in virtual addresses that end in page faults: the ring goes on in the same generation,
 * whatever it takes; log and dump say what could not be accessed; and what the faulty move did
 * not move is whole.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <quire/quire_hw.h>

#include "dump.h"
#include "fixture.h"
#include "kmsg.h"

#define PAGES		63u	/* which make no pages of 64 KiB */
#define LARGE		512u	/* which make a page of 2 MiB */
#define PAGE_OF(window)	(0x8000200000ull + (window) * 0x200000ull)	/* the driver's windows */
#define LARGE_OF(window)	PAGE_OF(2 + (window))	/* and those of large pages */

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

enum { IN_VRAM, IN_APERTURE, MOVES, NR_OBJECTS };

/**
 * struct scene - objects, and what is said of them
 * @fixture: the device
 * @objects: by what they do
 * @log: the kernel's
 */
struct scene {
	struct fixture fixture;
	struct object objects[NR_OBJECTS];
	int log;
};

/**
 * struct said - lines of the log
 * @restarts: of the ring
 * @resets: of the device
 * @lost: submissions given up
 * @pages: faults of the ring that are page faults
 * @faults: all faults of the ring
 * @contexts: what the context has of the expected fault
 */
struct said {
	unsigned int restarts, resets, lost, pages, faults, contexts;
};

static void scene_open_with(struct scene *scene, unsigned int pages)
{
	const struct fixture *fixture = &scene->fixture;
	int ret = 0;

	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = object_create(fixture, &scene->objects[i], pages * QUIRE_PAGE, i + 1);
	ret = ret ?: object_place_and_wait(fixture, &scene->objects[IN_VRAM], &vram) ?:
	      object_place_and_wait(fixture, &scene->objects[IN_APERTURE], &aperture);
	tap_ret(ret, 0, "objects in all places");
	dump_forget();
	scene->log = kmsg_open();
}

static void scene_open(struct scene *scene)
{
	scene_open_with(scene, PAGES);
}

static void scene_close(struct scene *scene)
{
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		object_close(&scene->fixture, &scene->objects[i]);
	close(scene->log);
	tap_ok(fixture_settles(&scene->fixture, scene->fixture.segments), "all of it is freed");
}

static void spoil(const struct scene *scene, const char *command)
{
	tap_ret(debugfs_write(scene->fixture.debugfs, "spoil", command), 0, "spoil: %s", command);
}

static void listen(const struct scene *scene, const char *context, struct said *said)
{
	char line[1024], page[32];
	ssize_t bytes;

	snprintf(page, sizeof(page), "fault: code %u,", QUIRE_FAULT_PAGE);
	while ((bytes = read(scene->log, line, sizeof(line) - 1)) > 0) {
		line[bytes] = '\0';
		said->restarts += !!strstr(line, "stuck, restarting it");
		said->resets += !!strstr(line, "stuck, resetting the device");
		said->lost += !!strstr(line, "is given up");
		said->faults += !!strstr(line, "ring 0 fault: code");
		said->pages += strstr(line, "ring 0 fault: code") && strstr(line, page);
		said->contexts += !!strstr(line, context);
	}
}

/* What is given up ends before the reset that follows is in the log. */
static struct said listen_for(const struct scene *scene, const char *context,
			      unsigned int resets)
{
	struct said said = { 0 };

	for (unsigned int i = 0; i < WAIT_MS / 20; i++) {
		listen(scene, context, &said);
		if (said.resets >= resets)
			break;
		test_sleep_ms(20);
	}
	return said;
}

static void expect_said(const struct scene *scene, const char *context, unsigned int restarts,
			unsigned int resets, unsigned int lost)
{
	struct said said = listen_for(scene, context, resets);
	unsigned int faults = restarts + resets;

	/* What ends with a restart has as many faults as that; what is given up, one for each. */
	tap_ret(said.restarts, restarts, "restarts of the ring");
	tap_ret(said.resets, resets, "resets of the device");
	tap_ret(said.lost, lost, "submissions given up");
	tap_ret(said.faults, faults, "faults of the ring");
	tap_ret(said.pages, faults, "all of them page faults: the context is not refused");
	tap_ret(said.contexts, faults, "each time the log has \"%s\"", context);
}

/* How the driver says it. */
static void say_context(char *text, size_t size, uint64_t address, const char *access,
			unsigned int level)
{
	snprintf(text, size, "paging context: code %u, address %#" PRIx64
		 ", access %s, entry 0x0 of level %u", QUIRE_FAULT_PAGE, address, access, level);
}

/* With content again. */
static int object_renew(const struct fixture *fixture, const struct object *object)
{
	bool retained;

	return quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_WILLNEED, &retained) ?:
	       object_fill(fixture, object);
}

/* In the generation that was chosen; @but: the object that has lost its content. */
static void expect_works(const struct scene *scene, unsigned int but)
{
	static const struct place *const way[] = { &vram, &system_memory, &vram, &aperture };
	struct debugfs_counter before = { 0 }, after = { 0 };
	const struct fixture *fixture = &scene->fixture;
	int ret = 0;

	debugfs_counter(fixture->debugfs, "VIRTUAL_TRANSFER", &before);
	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++) {
		if (i != but)
			ret = object_check(fixture, &scene->objects[i]);
	}
	tap_ret(ret, 0, "the content is whole");
	if (but < NR_OBJECTS)
		ret = object_renew(fixture, &scene->objects[but]);
	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		for (size_t j = 0; j < ARRAY_SIZE(way) && !ret; j++)
			ret = object_place_and_wait(fixture, &scene->objects[i], way[j]) ?:
			      object_check(fixture, &scene->objects[i]);
	tap_ret(ret, 0, "all of them move, and are whole");
	debugfs_counter(fixture->debugfs, "VIRTUAL_TRANSFER", &after);
	tap_ok(after.count >= before.count + NR_OBJECTS, "in virtual addresses");
}

static void move_one(const struct scene *scene)
{
	tap_ret(object_place_and_wait(&scene->fixture, &scene->objects[MOVES], &vram), 0,
		"move one to VRAM");
}

static void expect_dump(const char *context)
{
	static char text[16384];
	bool found = dump_wait(text, sizeof(text));

	tap_ok(found && strstr(text, context), "the dump has \"%s\"", context);
	tap_ok(found && strstr(text, "ring: 0\n"), "and that it is the paging ring");
}

/* Tables that are made anew cure it, with the first restart, or with a reset. */
static void test_cured(struct scene *scene, unsigned int restarts)
{
	char context[128];

	scene_open(scene);
	test_parameter("hang_restarts", restarts);
	spoil(scene, "table");
	move_one(scene);
	test_parameter("hang_restarts", 1);
	say_context(context, sizeof(context), PAGE_OF(0), "read", 1);
	expect_said(scene, context, restarts, !restarts, 0);
	if (!restarts)
		expect_dump(context);
	expect_works(scene, NR_OBJECTS);
	scene_close(scene);
}

/* Nothing cures it: the move of so many pages is given up, and only that. */
static void test_given_up(struct scene *scene, unsigned int pages, const char *window,
			  uint64_t address, const char *access, unsigned int restarts)
{
	const struct object *object = &scene->objects[MOVES];
	char context[128];

	scene_open_with(scene, pages);
	test_parameter("hang_restarts", restarts);
	spoil(scene, window);
	move_one(scene);
	test_parameter("hang_restarts", 1);
	tap_ok(object_flags(&scene->fixture, object) & DRM_QUIRE_BO_PURGED, "it is lost");
	say_context(context, sizeof(context), address, access, pages == LARGE);
	expect_said(scene, context, restarts, 2, 1);
	expect_dump(context);
	expect_works(scene, MOVES);
	scene_close(scene);
}

/*
 * A restart with the TRANSFER, whose windows were mapped before it: they show what they did. The
 * object is a page, and so the TRANSFER the fourth packet.
 */
static void test_hang(struct scene *scene)
{
	struct object object = { .size = QUIRE_PAGE, .key = 77 };
	const struct fixture *fixture = &scene->fixture;

	scene_open(scene);
	tap_ret(object_create(fixture, &object, object.size, object.key), 0, "a page");
	fixture_inject(fixture, "hang 4");
	tap_ret(object_place(fixture, &object, &vram), 0, "it moves to VRAM");
	tap_ok(kmsg_wait(scene->log, "stuck, restarting it", WAIT_MS), "the device hangs");
	tap_ret(quire_bo_wait(fixture->fd, object.handle, WAIT_MS), 0, "the move ends");
	tap_ret(object_check(fixture, &object), 0, "its content is whole");
	object_close(fixture, &object);
	expect_works(scene, NR_OBJECTS);
	scene_close(scene);
}

/*
 * The same with a window of a large page, whose entry is in a table that is made anew. Four of
 * these are four windows, and so the third packet fills the first one.
 */
static void test_hang_large(struct scene *scene)
{
	struct object object = { .size = 8 * QUIRE_MIB };
	const struct fixture *fixture = &scene->fixture;
	struct debugfs_counter before = { 0 }, after = { 0 };

	scene_open(scene);
	tap_ret(quire_bo_create(fixture->fd, object.size, &object.handle), 0, "large pages");
	debugfs_counter(fixture->debugfs, "UPDATE_PAGE_TABLE", &before);
	fixture_inject(fixture, "hang 3");
	tap_ret(object_place(fixture, &object, &vram), 0, "they get a place in VRAM");
	tap_ok(kmsg_wait(scene->log, "stuck, restarting it", WAIT_MS), "the device hangs");
	tap_ret(quire_bo_wait(fixture->fd, object.handle, WAIT_MS), 0, "all are filled");
	debugfs_counter(fixture->debugfs, "UPDATE_PAGE_TABLE", &after);
	tap_ret(after.bytes - before.bytes, 4 * 8, "bytes of four entries");
	tap_ok(!(object_flags(fixture, &object) & DRM_QUIRE_BO_PURGED), "they are not lost");
	tap_ret(object_check_zero(fixture, &object), 0, "and zero");
	object_close(fixture, &object);
	expect_works(scene, NR_OBJECTS);
	scene_close(scene);
}

static void test_refused(const struct fixture *fixture)
{
	static const char *const bad[] = { "tables", "window", "window -1", "window two" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		tap_ok(debugfs_write(fixture->debugfs, "spoil", bad[i]) < 0,
		       "spoil: \"%s\" is refused", bad[i]);
}

int main(void)
{
	const uint64_t last = (PAGES - 1) * QUIRE_PAGE;
	struct scene scene;

	tap_start(240);
	fixture_open(&scene.fixture);
	if (!*scene.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(scene.fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	test_refused(&scene.fixture);
	test_parameter("generation", 2);
	test_cured(&scene, 1);
	test_cured(&scene, 0);
	test_given_up(&scene, PAGES, "window 1", PAGE_OF(0) + last, "read", 1);
	test_given_up(&scene, PAGES, "window 2", PAGE_OF(1) + last, "write", 4);
	test_given_up(&scene, LARGE, "window 2", LARGE_OF(1), "write", 1);
	test_parameter("hang_period", 1000);
	test_hang(&scene);
	test_hang_large(&scene);
	test_parameter("hang_period", 3000);
	test_parameter("generation", 1);
	fixture_test_works(&scene.fixture);
	return tap_done();
}
