// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Two long moves at once: each is a sequence of sub-transfers of its own, and the device may get
 * START of the one, START of the other, and then the ends. Both are whole.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "kprobe.h"

#define PART		(16 * QUIRE_MIB)
#define NR_MOVERS	2
/* As a rule every second round is enough; where nobody sees it, some have to do. */
#define ROUNDS_MS	10000
#define ROUNDS_UNSEEN	8

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * struct mover - a thread that moves an object
 * @fixture: the device
 * @object: more than a part
 * @ready: how many of the threads are
 * @tid: of the thread
 * @ret: of the move
 */
struct mover {
	const struct fixture *fixture;
	struct object object;
	unsigned int *ready;
	pid_t tid;
	int ret;
};

/* Whose part it is; NR_MOVERS if it is nobody's. */
static unsigned int part_owner(const struct mover *movers, const char *line)
{
	char who[32];

	for (unsigned int i = 0; i < NR_MOVERS; i++) {
		snprintf(who, sizeof(who), "-%d ", movers[i].tid);
		if (strstr(line, who) && strstr(line, " part:"))
			return i;
	}
	return NR_MOVERS;
}

/* Has one of them described a part while the other was between two of its own? */
static bool trace_is_mixed(const struct mover *movers)
{
	FILE *file = fopen(KPROBE_TRACE, "re");
	unsigned int last = NR_MOVERS, changes = 0;
	char line[512];

	if (!file)
		tap_bail("no trace");
	while (fgets(line, sizeof(line), file)) {
		unsigned int owner = part_owner(movers, line);

		if (owner == NR_MOVERS)
			continue;
		changes += owner != last;
		last = owner;
	}
	fclose(file);
	return changes > NR_MOVERS;
}

/* All of them begin at the same moment. */
static void *move(void *data)
{
	struct mover *mover = data;

	mover->tid = gettid();
	__atomic_add_fetch(mover->ready, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(mover->ready, __ATOMIC_ACQUIRE) < NR_MOVERS)
		;
	mover->ret = object_place_and_wait(mover->fixture, &mover->object, &vram);
	return NULL;
}

static int move_together(struct mover *movers)
{
	pthread_t threads[NR_MOVERS];
	unsigned int ready = 0;
	int ret = 0;

	for (unsigned int i = 0; i < NR_MOVERS; i++) {
		movers[i].ready = &ready;
		if (pthread_create(&threads[i], NULL, move, &movers[i]))
			tap_bail("no thread");
	}
	for (unsigned int i = 0; i < NR_MOVERS; i++) {
		pthread_join(threads[i], NULL);
		ret = ret ? ret : movers[i].ret;
	}
	return ret;
}

static int move_back(const struct fixture *fixture, const struct mover *movers)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_MOVERS && !ret; i++)
		ret = object_place_and_wait(fixture, &movers[i].object, &system_memory);
	return ret;
}

/* Until their parts came in turns, if that can be seen. */
static void test_rounds(const struct fixture *fixture, struct mover *movers, bool traced)
{
	int64_t end = quire_now_ns() + ROUNDS_MS * 1000000ll;
	bool mixed = false;
	unsigned int i;
	int ret = 0;

	for (i = 0; !mixed && !ret && quire_now_ns() < end; i++) {
		if (!traced && i == ROUNDS_UNSEEN)
			break;
		ret = i ? move_back(fixture, movers) : 0;
		if (traced)
			kprobe_clear();
		if (!ret)
			ret = move_together(movers);
		mixed = traced && trace_is_mixed(movers);
	}
	tap_ret(ret, 0, "two long moves at once, %u times", i);
	if (mixed)
		tap_ok(true, "parts of one came between those of the other");
	else
		tap_skip(traced ? "they never met" : "no kprobes, or not root",
			 "parts of one came between those of the other");
}

/* Two parts; three of the first if there is room: who waits for the other gets in between. */
static uint64_t size_of(const struct fixture *fixture, unsigned int i)
{
	bool room = fixture_vram(fixture) >= (NR_MOVERS + 1) * (PART + QUIRE_PAGE);

	return (i || !room ? 1 : 2) * PART + QUIRE_PAGE;
}

int main(void)
{
	struct mover movers[NR_MOVERS];
	struct fixture fixture;
	bool traced;

	tap_start(90);
	fixture_open(&fixture);
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	if (fixture_vram(&fixture) < NR_MOVERS * (PART + QUIRE_PAGE))
		tap_skip_all("too little VRAM for two objects of more than a part");
	for (unsigned int i = 0; i < NR_MOVERS; i++) {
		movers[i] = (struct mover) { .fixture = &fixture };
		tap_ret(object_create(&fixture, &movers[i].object, size_of(&fixture, i), 1 + i), 0,
			"an object of several parts");
	}
	traced = kprobe_start("part", "quire_paging_part_end");
	test_rounds(&fixture, movers, traced);
	kprobe_stop("part");
	for (unsigned int i = 0; i < NR_MOVERS; i++) {
		tap_ret(object_check(&fixture, &movers[i].object), 0, "its content is whole");
		object_close(&fixture, &movers[i].object);
	}
	tap_ok(fixture_settles(&fixture, fixture.segments), "nothing is left");
	return tap_done();
}
