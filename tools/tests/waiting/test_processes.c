// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Many processes at once, each with its own content; some are killed. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "fixture.h"

#define NR_WORKERS	8
#define NR_VICTIMS	3
#define NR_OBJECTS	10
#define LARGEST		(QUIRE_MIB)
#define RUN_MS		5000

static uint64_t random_size(uint64_t *random)
{
	return (1 + random_below(random, LARGEST / QUIRE_PAGE)) * QUIRE_PAGE;
}

static int renew(const struct fixture *fixture, struct object *object, uint64_t *random)
{
	if (object->handle)
		object_close(fixture, object);
	return object_create(fixture, object, random_size(random), random_next(random));
}

static int step(const struct fixture *fixture, struct object *object, uint64_t *random)
{
	const struct place *place = &places[random_below(random, NR_PLACES)];

	switch (random_below(random, 12)) {
	case 0:
		return renew(fixture, object, random);
	case 1:
		object->key = random_next(random);
		return object_fill(fixture, object);
	case 2:
	case 3:
		return object_check(fixture, object);
	default:
		if (!fixture_has_place(fixture, place, object->size))
			return 0;
		return object_place(fixture, object, place);
	}
}

static int work(const struct fixture *fixture, uint64_t seed, unsigned int milliseconds)
{
	struct object objects[NR_OBJECTS] = { 0 };
	int64_t end = quire_now_ns() + milliseconds * 1000000ll;
	uint64_t random = seed;
	int ret = 0;

	for (size_t i = 0; i < NR_OBJECTS && !ret; i++)
		ret = renew(fixture, &objects[i], &random);
	while (!ret && quire_now_ns() < end)
		ret = step(fixture, &objects[random_below(&random, NR_OBJECTS)], &random);
	for (size_t i = 0; i < NR_OBJECTS && !ret; i++)
		ret = object_check(fixture, &objects[i]);
	return ret;
}

/* Each process has its own file of the device. The status is an errno. */
static pid_t start(uint64_t seed, unsigned int milliseconds)
{
	pid_t pid = child_start(2 * milliseconds / 1000 + 30);
	struct fixture fixture;

	if (pid)
		return pid;
	fixture_open(&fixture);
	_exit(-work(&fixture, seed, milliseconds) & 0xff);
}

/* Kills one after the other in the middle of its work, and starts another. */
static unsigned int harass(unsigned int milliseconds)
{
	int64_t end = quire_now_ns() + milliseconds * 1000000ll;
	uint64_t random = 7;
	pid_t victims[NR_VICTIMS];
	unsigned int killed = 0;

	for (int i = 0; i < NR_VICTIMS; i++)
		victims[i] = start(1000 + i, 2 * milliseconds);
	do {
		int i = random_below(&random, NR_VICTIMS);

		test_sleep_ms(20 + random_below(&random, 200));
		child_kill(victims[i]);
		victims[i] = start(2000 + killed++, 2 * milliseconds);
	} while (quire_now_ns() < end);
	for (int i = 0; i < NR_VICTIMS; i++)
		child_kill(victims[i]);
	return killed;
}

static void test_worker(pid_t pid, int number)
{
	tap_ret(child_status(pid), 0, "process %d found its content whole", number);
}

int main(void)
{
	struct fixture fixture;
	pid_t workers[NR_WORKERS];
	unsigned int killed;

	tap_start(60);
	fixture_open(&fixture);
	for (int i = 0; i < NR_WORKERS; i++)
		workers[i] = start(i + 1, RUN_MS);
	killed = harass(RUN_MS);
	tap_ok(killed, "killed %u processes at work", killed);
	for (int i = 0; i < NR_WORKERS; i++)
		test_worker(workers[i], i);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
