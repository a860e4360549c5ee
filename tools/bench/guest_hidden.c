// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * How much of the paging of a split submission is hidden behind its execution: how much
 * sooner it ends than if the device did one after the other.
 *
 * Objects are used one after the other. Of the same submission four times are taken:
 *
 * - none: all objects are in VRAM, and commands take no time;
 * - paging: an eighth of the objects may be in VRAM, and commands take no time;
 * - execution: all are in VRAM, and commands take time;
 * - both: an eighth may be, and commands take time.
 *
 * What is hidden is paging + execution - both - none. The share is that of the shorter one of
 * paging - none and execution - none, for no more can be hidden. Of each time it is the least of
 * several.
 *
 * On this device all rings share the emulator's processor: what a ring copies holds up paging,
 * as on no real device. So commands take time in two ways: DELAY, which needs no processor and
 * shows what planner and driver make possible, as long as paging takes; and checksums, which
 * show what is left of it here.
 */
#include <errno.h>
#include <stdio.h>

#include "guest.h"
#include "measure.h"
#include "program.h"

#define OBJECTS		48
#define OBJECT_SIZE	(4 * QUIRE_MIB)
#define ROUNDS		9
#define ROOM		(OBJECTS / 8 * OBJECT_SIZE)

/**
 * struct scene - objects that are used one after the other
 * @guest: the device
 * @program: that does it
 * @objects: the objects
 * @results: where checksums go
 * @points: let parts begin at each object, not where memory is full
 */
struct scene {
	const struct guest *guest;
	struct program program;
	struct quire_object *objects[OBJECTS];
	struct quire_object *results;
	bool points;
};

/* What makes commands take time. */
struct work {
	bool checksums;
	uint64_t delay_ns;
};

static void record_one(struct scene *scene, unsigned int i, const struct work *work)
{
	struct quire_recorder *recorder = scene->program.recorder;

	quire_recorder_bind(recorder, 0, quire_at(scene->objects[i], 0), OBJECT_SIZE, true);
	quire_recorder_write_value(recorder, quire_at(scene->objects[i], 0), i);
	quire_recorder_delay(recorder, work->delay_ns);
	if (work->checksums)
		quire_recorder_checksum(recorder, quire_at(scene->objects[i], 0), OBJECT_SIZE,
					quire_at(scene->results, i * sizeof(uint64_t)));
	quire_recorder_unbind(recorder, 0);
}

static void record(struct scene *scene, const struct work *work)
{
	quire_recorder_reset(scene->program.recorder);
	for (unsigned int i = 0; i < OBJECTS; i++)
		record_one(scene, i, work);
}

/* Seconds, once memory is as it is each time. */
static double run(struct scene *scene, const struct work *work, bool pages)
{
	struct quire_result result;
	double seconds;

	record(scene, work);
	program_set_option("split_every_point", pages && scene->points);
	program_limit(scene->guest, pages ? ROOM : 0);
	program_run(&scene->program, NULL);
	seconds = program_run(&scene->program, &result);
	guest_must(!result.bytes_in == pages ? -EDOM : 0, "paging is not as it should be");
	return seconds;
}

/* The least of some runs: what else the machine does takes time, and gives none. */
static void take(double *least, double seconds)
{
	if (!*least || seconds < *least)
		*least = seconds;
}

/* The share; see above. */
static void measure(struct scene *scene, const struct work *work, const char *name)
{
	static const struct work idle;
	double none = 0, paging = 0, execution = 0, both = 0, hidden;

	for (int i = 0; i < ROUNDS; i++) {
		take(&none, run(scene, &idle, false));
		take(&paging, run(scene, &idle, true));
		take(&execution, run(scene, work, false));
		take(&both, run(scene, work, true));
	}
	hidden = paging + execution - both - none;
	measure_print(name, hidden / ((paging < execution ? paging : execution) - none), "ratio");
}

/* For all objects together as long as paging takes. */
static uint64_t delay_like_paging(struct scene *scene)
{
	static const struct work idle;
	double none = 0, paging = 0;

	for (int i = 0; i < ROUNDS; i++) {
		take(&none, run(scene, &idle, false));
		take(&paging, run(scene, &idle, true));
	}
	return (paging - none) * 1e9 / OBJECTS;
}

static void scene_open(struct scene *scene)
{
	program_open(&scene->program, 0);
	scene->results = program_object(&scene->program, QUIRE_PAGE);
	for (int i = 0; i < OBJECTS; i++)
		scene->objects[i] = program_object(&scene->program, OBJECT_SIZE);
}

static void scene_close(struct scene *scene)
{
	program_set_option("split_every_point", 0);
	program_limit(scene->guest, 0);
	for (int i = 0; i < OBJECTS; i++)
		quire_object_close(scene->objects[i]);
	quire_object_close(scene->results);
	program_close(&scene->program);
}

void guest_hidden(struct guest *guest)
{
	const struct work checksums = { .checksums = true };
	struct scene scene = { .guest = guest };
	struct work delays = { 0 };

	guest_must(guest->vram > (OBJECTS + 1) * OBJECT_SIZE ? 0 : -ENOSPC, "VRAM is too small");
	scene_open(&scene);
	delays.delay_ns = delay_like_paging(&scene);
	measure_print("hidden_delay_us", delays.delay_ns / 1000.0, "us");
	measure(&scene, &delays, "hidden_delay");
	measure(&scene, &checksums, "hidden_checksum");
	scene.points = true;
	delays.delay_ns = delay_like_paging(&scene);
	measure(&scene, &delays, "hidden_delay_points");
	measure(&scene, &checksums, "hidden_checksum_points");
	scene_close(&scene);
}
