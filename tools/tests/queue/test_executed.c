// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the device says that it did, beside what the driver believes: each packet is executed
 * once, also when the ring is restarted; the aperture points at what is in it, and at the
 * dummy page before pages are let go.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "device_view.h"
#include "fixture.h"

#define PAGES		200u
#define PERIOD_MS	500
#define LOOKS		2000u

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/* Operations of moves: the driver's name, and the opcode. */
static const struct {
	const char *name;
	uint32_t opcode;
} operations[] = {
	{ "TRANSFER", QUIRE_OP_TRANSFER },
	{ "FILL", QUIRE_OP_FILL },
	{ "DISCARD_CONTENT", QUIRE_OP_DISCARD_CONTENT },
	{ "READ_PHYSICAL", QUIRE_OP_READ_PHYSICAL },
	{ "WRITE_PHYSICAL", QUIRE_OP_WRITE_PHYSICAL },
	{ "MAP_APERTURE_SEGMENT", QUIRE_OP_MAP_APERTURE },
	{ "UNMAP_APERTURE_SEGMENT", QUIRE_OP_UNMAP_APERTURE },
	{ "NOTIFY_RESIDENCY", QUIRE_OP_NOTIFY_RESIDENCY },
	{ "NOTIFY_RESIDENCY2", QUIRE_OP_NOTIFY_RESIDENCY2 },
};

/**
 * struct tally - packets, as both sides count them
 * @device: executed
 * @driver: handed over
 */
struct tally {
	struct device_packets device;
	uint64_t driver[ARRAY_SIZE(operations)];
};

static void tally(const struct fixture *fixture, struct tally *tally)
{
	struct debugfs_counter counter;

	tap_ret(debugfs_write(fixture->debugfs, "nop_submit", "1"), 0, "nothing is under way");
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++) {
		if (debugfs_counter(fixture->debugfs, operations[i].name, &counter))
			tap_bail("no counter of %s", operations[i].name);
		tally->driver[i] = counter.count;
	}
	tap_ret(device_packets_read(fixture->debugfs, &tally->device), 0, "ask the device");
}

/* Since @before each packet was executed once; of @operation there were at least @least. */
static void expect_once(const struct fixture *fixture, const struct tally *before,
			const char *operation, uint64_t least)
{
	uint64_t executed, sum = 0;
	bool found = false;
	struct tally now;

	tally(fixture, &now);
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++) {
		uint32_t at = operations[i].opcode - 1;

		executed = now.device.opcodes[at] - before->device.opcodes[at];
		sum += executed;
		found |= !strcmp(operations[i].name, operation) && executed >= least;
		if (!tap_ok(executed == now.driver[i] - before->driver[i],
			    "each %s was executed once", operations[i].name))
			tap_diag("handed over %" PRIu64 ", executed %" PRIu64,
				 now.driver[i] - before->driver[i], executed);
	}
	tap_ok(now.device.packets - before->device.packets == sum, "there was nothing else");
	tap_ok(found, "%s at least %" PRIu64 " times", operation, least);
}

/*
 * As many pages of the aperture point at pages as are in it, others do not. A place is free
 * some time after its pages were unmapped, and never before.
 */
static void expect_aperture(const struct fixture *fixture, uint64_t *mapped)
{
	struct device_aperture said = { 0 };
	uint64_t used = 0;
	int ret = 0;

	for (unsigned int i = 0; i < WAIT_MS / 10 && !ret; i++) {
		if (i)
			test_sleep_ms(10);
		used = fixture_usage(fixture, DRM_QUIRE_SEGMENT_APERTURE) / QUIRE_PAGE;
		ret = device_aperture_read(fixture->debugfs, &said);
		if (said.mapped >= used)
			break;
	}
	tap_ret(ret, 0, "ask the device");
	if (!tap_ok(said.mapped == used, "what is in the aperture is mapped, and no more"))
		tap_diag("in it %" PRIu64 ", mapped %" PRIu64, used, said.mapped);
	*mapped = said.mapped;
}

static void test_moves(const struct fixture *fixture, const struct object *object)
{
	static const struct place *const way[] = { &aperture, &vram, &aperture, &system_memory };
	uint64_t mapped, before;
	struct tally start;

	tally(fixture, &start);
	expect_aperture(fixture, &before);
	for (size_t i = 0; i < ARRAY_SIZE(way); i++) {
		tap_ret(object_place_and_wait(fixture, object, way[i]), 0, "to %s", way[i]->name);
		expect_aperture(fixture, &mapped);
		tap_ok(mapped == before + (way[i] == &aperture ? PAGES : 0), "its pages: %s",
		       way[i] == &aperture ? "mapped" : "not mapped");
	}
	tap_ret(object_check(fixture, object), 0, "the content is whole");
	expect_once(fixture, &start, "UNMAP_APERTURE_SEGMENT", 2);
}

/* What is said to be submitted N times is. */
static void test_nop(const struct fixture *fixture)
{
	struct tally before, after;

	tally(fixture, &before);
	tap_ret(debugfs_write(fixture->debugfs, "nop_submit", "300"), 0, "300 empty submissions");
	tally(fixture, &after);
	/* and the one of tally() */
	tap_ok(after.device.entries - before.device.entries == 301, "300 entries of the ring");
	tap_ok(after.device.packets == before.device.packets, "no packet");
}

/* Moves all the time, so that packets are executed all the time. */
static pid_t start_moving(const struct fixture *fixture, const struct object *object)
{
	pid_t pid = child_start(60);

	if (pid)
		return pid;
	for (;;) {
		object_place(fixture, object, &aperture);
		object_place(fixture, object, &vram);
	}
}

/* Of a packet that is forgotten while it is looked at, nothing is said. */
static void test_forgotten(const struct fixture *fixture, const struct object *object)
{
	pid_t moving = start_moving(fixture, object);
	unsigned int known = 0, nowhere = 0;
	struct device_packets packets;
	int ret = 0;

	for (unsigned int i = 0; i < LOOKS && !ret; i++) {
		ret = device_packets_read(fixture->debugfs, &packets);
		known += packets.known;
		nowhere += packets.nowhere;
	}
	child_kill(moving);
	tap_ret(ret, 0, "ask the device");
	tap_ok(known > LOOKS, "packets are known");
	if (!tap_ok(!nowhere, "each has an address"))
		tap_diag("%u of %u have none", nowhere, known);
}

static void expect_left(const struct fixture *fixture, const char *text)
{
	char left[64] = "";

	/* Those of execution rings follow. */
	debugfs_read(fixture->debugfs, "inject", left, sizeof(left));
	tap_ok(!strncmp(left, text, strlen(text)), "all of it has happened");
}

/* The ring is restarted at the packet that it stopped at, whichever that is. */
static void test_restart(const struct fixture *fixture, const struct object *object,
			 const char *command)
{
	struct tally before;

	tap_ret(object_place_and_wait(fixture, object, &aperture), 0, "to the aperture");
	tally(fixture, &before);
	fixture_inject(fixture, command);
	tap_ret(object_place_and_wait(fixture, object, &vram), 0, "to VRAM");
	tap_ret(object_place_and_wait(fixture, object, &system_memory), 0, "to the system");
	expect_left(fixture, "hang 0\nfault 0\ndrop-irq 0\n");
	expect_once(fixture, &before, "TRANSFER", 2);
	tap_ret(object_check(fixture, object), 0, "the content is whole");
}

/*
 * The device hangs between two packets of one submission, and is reset: what the first one has
 * mapped is mapped again, though it is not executed again.
 */
static void test_reset(const struct fixture *fixture, const struct object *object)
{
	uint64_t before, mapped;

	tap_ret(object_place_and_wait(fixture, object, &vram), 0, "to VRAM");
	expect_aperture(fixture, &before);
	test_parameter("hang_restarts", 0);
	fixture_inject(fixture, "hang 2");
	tap_ret(object_place_and_wait(fixture, object, &aperture), 0, "to the aperture");
	expect_left(fixture, "hang 0\nfault 0\ndrop-irq 0\n");
	test_parameter("hang_restarts", 1);
	expect_aperture(fixture, &mapped);
	tap_ok(mapped == before + PAGES, "its pages are mapped after a reset");
	tap_ret(object_check(fixture, object), 0, "the content is whole");
}

/* An object dies in the aperture, and the device hangs before it unmaps its pages. */
static void test_unmap(const struct fixture *fixture)
{
	uint64_t before, mapped, used;
	struct device_aperture said;
	struct object object;

	expect_aperture(fixture, &before);
	tap_ret(object_create(fixture, &object, PAGES * QUIRE_PAGE, 7), 0, "another object");
	tap_ret(object_place_and_wait(fixture, &object, &aperture), 0, "to the aperture");
	expect_aperture(fixture, &mapped);
	/* the device is looked at before the ring is restarted */
	test_parameter("hang_period", 600000);
	fixture_inject(fixture, "hang 1");
	object_close(fixture, &object);
	fixture_wait_hung(fixture);
	tap_ret(device_aperture_read(fixture->debugfs, &said), 0, "ask the device");
	used = fixture_usage(fixture, DRM_QUIRE_SEGMENT_APERTURE) / QUIRE_PAGE;
	tap_ok(said.mapped == mapped, "its pages are still mapped");
	tap_ok(used == mapped, "and its place is not free");
	test_parameter("hang_period", 3000);
	tap_ok(fixture_settles(fixture, fixture->segments), "the ring is restarted: it is freed");
	expect_aperture(fixture, &mapped);
	tap_ok(mapped == before, "its pages were unmapped before");
}

int main(void)
{
	static const char * const commands[] = { "hang 1", "hang 2", "fault 2", "drop-irq 2" };
	struct object object;
	struct fixture fixture;

	tap_start(60);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	tap_ret(object_create(&fixture, &object, PAGES * QUIRE_PAGE, 1), 0, "an object");
	tap_ret(object_place_and_wait(&fixture, &object, &vram), 0, "in VRAM");
	test_moves(&fixture, &object);
	test_nop(&fixture);
	test_forgotten(&fixture, &object);
	test_parameter("hang_period", PERIOD_MS);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		test_restart(&fixture, &object, commands[i]);
	test_reset(&fixture, &object);
	object_close(&fixture, &object);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	test_unmap(&fixture);
	fixture_test_works(&fixture);
	return tap_done();
}
