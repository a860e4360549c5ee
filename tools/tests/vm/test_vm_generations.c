// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Both generations of the paging model at work in the same address spaces: what is bound there is
 * moved by segments and by virtual addresses, one after the other and at a time, evicted and
 * brought back, and its bytes are those that the CPU computes.
 */
#include <string.h>
#include <unistd.h>

#include "churn.h"
#include "space.h"
#include "xxh64.h"

#define OBJECTS		4u
#define BASE		0x4000000000ull
#define WINDOW_PAGES	512u	/* of the paging ring, and of a page of 2 MiB */
#define MOST_PAGES	(2 * WINDOW_PAGES + 3)
#define ROUNDS		150u
#define MOVES		6u
#define CHURN_S		4000	/* ends what hangs */
#define CHURN_TURNS	60u
#define SWITCH_MS	3u

/* Around what a window shows, in pages; the odd objects are private. */
static const uint32_t sizes[OBJECTS] = { 16, WINDOW_PAGES, WINDOW_PAGES + 1, MOST_PAGES };

/**
 * struct scene - an address space, and what should be in it
 * @work: the device
 * @space: of it
 * @objects: bound one behind the other
 * @bytes: content of each
 * @random: what comes next
 */
struct scene {
	struct work work;
	struct space space;
	struct quire_object *objects[OBJECTS];
	uint8_t bytes[OBJECTS][MOST_PAGES * 4096];
	uint64_t random;
};

/**
 * struct moves - operations that were executed
 * @physical: of the first generation
 * @virtual: of the second one
 */
struct moves {
	uint64_t physical;
	uint64_t virtual;
};

static struct moves count_moves(const struct work *work)
{
	return (struct moves){
		fixture_count(&work->fixture, "TRANSFER"),
		fixture_count(&work->fixture, "VIRTUAL_TRANSFER"),
	};
}

static void expect_both(const struct work *work, const struct moves *before, const char *name)
{
	struct moves now = count_moves(work);

	tap_ok(now.physical > before->physical && now.virtual > before->virtual,
	       "%s: moves of both generations", name);
}

/* Of all moves that begin from now on. */
static int choose(unsigned int generation)
{
	return sysfs_parameter_write("generation", generation == 1 ? "1" : "2");
}

/* Where an object begins; 2 MiB, and pages of that, are aligned. */
static uint64_t address(unsigned int i)
{
	return BASE + i * 4 * WINDOW_PAGES * QUIRE_PAGE;
}

static uint64_t size_of(unsigned int i)
{
	return sizes[i] * QUIRE_PAGE;
}

static void scene_open(struct scene *scene, struct work *work)
{
	scene->work = *work;
	scene->random = 1;
	space_open(&scene->space, &scene->work);
	for (unsigned int i = 0; i < OBJECTS; i++) {
		scene->objects[i] = space_object(&scene->space, size_of(i), 0, i % 2);
		space_soil(scene->objects[i], i);
		pattern_fill(scene->bytes[i], size_of(i), i);
		space_map(&scene->space, address(i), scene->objects[i], 0, size_of(i));
	}
}

static void scene_close(struct scene *scene)
{
	for (unsigned int i = 0; i < OBJECTS; i++)
		quire_object_close(scene->objects[i]);
	space_close(&scene->space);
}

/* One behind the other, each of any generation; nobody waits for any. */
static int move_some(struct scene *scene)
{
	int ret = 0;

	for (unsigned int i = 0; i < MOVES && !ret; i++) {
		unsigned int object = random_below(&scene->random, OBJECTS);
		const struct place *place = &places[random_below(&scene->random, 3)];

		ret = choose(1 + random_below(&scene->random, 2)) ?:
		      quire_bo_place(scene->work.fixture.fd,
				     quire_object_handle(scene->objects[object]), place->segment,
				     place->flags);
	}
	return ret;
}

/* A page of one object to another one, and what is all over then. */
static int copy_and_look(struct scene *scene)
{
	unsigned int from = random_below(&scene->random, OBJECTS);
	unsigned int to = random_below(&scene->random, OBJECTS);
	uint64_t source = random_below(&scene->random, sizes[from]) * QUIRE_PAGE;
	uint64_t target = random_below(&scene->random, sizes[to]) * QUIRE_PAGE;
	struct space *space = &scene->space;
	int ret;

	quire_write_copy(&space->writer, address(from) + source, address(to) + target, QUIRE_PAGE);
	memmove(scene->bytes[to] + target, scene->bytes[from] + source, QUIRE_PAGE);
	for (unsigned int i = 0; i < OBJECTS; i++)
		quire_write_checksum(&space->writer, address(i), size_of(i),
				     SPACE_RESULTS + 8 * i);
	ret = space_run(space);
	for (unsigned int i = 0; i < OBJECTS && !ret; i++)
		if (space->results[i] != xxh64(scene->bytes[i], size_of(i)))
			ret = -EILSEQ;
	return ret;
}

static void test_turns(struct scene *scene)
{
	struct moves before = count_moves(&scene->work);
	unsigned int round = 0;
	bool whole = true;
	int ret = 0;

	for (; round < ROUNDS && !ret; round++)
		ret = move_some(scene) ?: choose(1 + round % 2) ?: copy_and_look(scene);
	tap_ret(ret, 0, "%u rounds of moves in both generations", round);
	expect_both(&scene->work, &before, "in turns");
	for (unsigned int i = 0; i < OBJECTS; i++)
		whole &= !memcmp(space_bytes(scene->objects[i]), scene->bytes[i], size_of(i));
	tap_ok(whole, "the CPU finds the same");
}

/* Programs evict each other, and do not know in which way. */
static void test_churn(const struct work *work)
{
	int64_t end = quire_now_ns() + CHURN_S * 1000000000ll;
	struct moves before = count_moves(work);
	unsigned int round = 0;
	struct churn churn;

	churn_start(&churn, CHURN_S);
	while (!churn_has_made(&churn, CHURN_TURNS) && quire_now_ns() < end) {
		if (choose(1 + round % 2))
			break;
		if (!(++round % 64) && *work->fixture.debugfs)
			debugfs_write(work->fixture.debugfs, "evict_all", "1");
		test_sleep_ms(SWITCH_MS);
	}
	tap_ok(churn_has_made(&churn, CHURN_TURNS), "programs go on, %u times switched", round);
	churn_end(&churn, 0, "and find what they wrote");
	expect_both(work, &before, "at a time");
}

int main(void)
{
	static struct scene scene;
	struct work work;

	tap_start(800);
	work_begin(&work);
	if (!*work.fixture.debugfs || !(work.fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("not root, or moves are made by the CPU");
	scene_open(&scene, &work);
	test_turns(&scene);
	scene_close(&scene);
	test_churn(&work);
	test_parameter("generation", 1);
	work_end(&work);
	return tap_done();
}
