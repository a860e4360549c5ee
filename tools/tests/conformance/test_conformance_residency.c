// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Rules of NOTIFY_RESIDENCY and NOTIFY_RESIDENCY2: the driver's moves, and the device's table. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "kmsg.h"
#include "rules.h"

#define PAGES	4u
#define ROUNDS	10u
#define HOLES	64u	/* in VRAM, between others */

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/* Returns false if device and driver do not agree, or so many pages are not there. */
static bool table_has(const struct fixture *fixture, uint64_t in_vram, uint64_t in_aperture)
{
	uint64_t seen[2] = { UINT64_MAX, UINT64_MAX };
	char text[4096] = "";

	debugfs_read(fixture->debugfs, "residency", text, sizeof(text));
	if (sscanf(text, "resident %" SCNu64 " %" SCNu64, &seen[0], &seen[1]) != 2)
		return rule_is(false, "the table is there");
	return rule_is(strstr(text, "\nmismatches 0\n"), "the device agrees") &&
	       rule_is(seen[0] == in_vram && seen[1] == in_aperture, "so many pages are there");
}

static int settle(const struct fixture *fixture)
{
	if (!fixture_settles(fixture, fixture->segments))
		return -ETIME;
	return debugfs_write(fixture->debugfs, "evict_all", "1");
}

static bool told_once(void *data)
{
	static const struct {
		const struct place *to;
		unsigned int notices;
	} way[] = {
		{ &vram, 1 }, { &aperture, 2 }, { &vram, 2 }, { &system_memory, 1 },
		{ &aperture, 1 }, { &system_memory, 1 },
	};
	const struct fixture *fixture = data;
	struct object object;
	bool ok;

	ok = rule_ret(settle(fixture) ?:
		      object_create(fixture, &object, PAGES * QUIRE_PAGE, 1), "an object");
	for (size_t i = 0; i < ARRAY_SIZE(way) && ok; i++) {
		uint64_t before = fixture_count(fixture, "NOTIFY_RESIDENCY");

		ok = rule_ret(object_place_and_wait(fixture, &object, way[i].to), "it moves") &&
		     table_has(fixture, way[i].to == &vram ? PAGES : 0,
			       way[i].to == &aperture ? PAGES : 0) &&
		     rule_is(fixture_count(fixture, "NOTIFY_RESIDENCY") - before == way[i].notices,
			     "each change is told, once");
	}
	object_close(fixture, &object);
	return ok;
}

/* Who dies leaves without a move, and somebody else comes to his place at once. */
static bool succeeds(const struct fixture *fixture)
{
	struct object object = { 0 };
	bool ok = rule_ret(settle(fixture), "nothing is anywhere");

	ok = ok && rule_ret(object_succeed(fixture, &object, &aperture, PAGES * QUIRE_PAGE),
			    "one dies, and one comes") &&
	     table_has(fixture, 0, PAGES) &&
	     rule_ret(object_check(fixture, &object), "it is whole");
	object_close(fixture, &object);
	return ok;
}

/*
 * On a busy machine the device may have been told beside: that shows nothing. What it refuses is
 * given up in the end, and only the log knows of it.
 */
static bool left_before(void *data)
{
	int log = kmsg_open();
	bool ok = true;

	for (unsigned int i = 0; i < ROUNDS && ok; i++)
		ok = succeeds(data);
	ok = rule_is(!kmsg_count(log, "fault: code"), "the device has refused nothing") && ok;
	close(log);
	return ok;
}

static bool in_parts(void *data)
{
	const struct fixture *fixture = data;
	uint64_t size = fixture_vram(fixture) / (2 * HOLES), before;
	struct object pieces[2 * HOLES], object;
	bool ok = rule_ret(settle(fixture), "nothing is anywhere");
	unsigned int i;

	for (i = 0; i < 2 * HOLES && ok; i++)
		ok = rule_ret(quire_bo_create(fixture->fd, size, &pieces[i].handle) ?:
			      object_place(fixture, &pieces[i], &vram), "VRAM is full");
	for (i = 0; i < 2 * HOLES; i += 2)
		object_close(fixture, &pieces[i]);
	ok = ok && rule_is(fixture_comes_down(fixture, vram.segment, HOLES * size),
			   "half of it is free");
	before = fixture_count(fixture, "NOTIFY_RESIDENCY2");
	ok = ok && rule_ret(object_create(fixture, &object, HOLES * size, 1) ?:
			    object_place_and_wait(fixture, &object, &vram), "in the holes") &&
	     rule_is(fixture_count(fixture, "NOTIFY_RESIDENCY2") > before, "it is told in parts") &&
	     table_has(fixture, 2 * HOLES * size / QUIRE_PAGE, 0) &&
	     rule_ret(object_check(fixture, &object), "it is whole");
	object_close(fixture, &object);
	for (i = 1; i < 2 * HOLES; i += 2)
		object_close(fixture, &pieces[i]);
	return ok;
}

static const struct rule rules[] = {
	{ "residency-told-once", told_once },
	{ "residency-left-before-others-come", left_before },
	{ "residency-in-parts", in_parts },
};

int main(void)
{
	struct fixture fixture;

	tap_start(110);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	rules_check(rules, ARRAY_SIZE(rules), &fixture);
	return tap_done();
}
