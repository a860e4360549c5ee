// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Who evicts everything has no memory for one of the moves, whichever: he is told, the moves that
 * share a submission with it are made, nothing is lost, and afterwards all is as before. Needs a
 * kernel with fault injection, as the debug guest has it.
 */
#include "failing.h"
#include "fixture.h"

#define NR_OBJECTS	6
#define MOST		200	/* allocations of one call */

/* Not the aperture: each is evicted in one move. */
#define SEGMENTS	(DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM) | \
			 DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM))

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };

/**
 * struct scene - some small objects
 * @fixture: the device
 * @objects: of one page
 */
struct scene {
	struct fixture fixture;
	struct object objects[NR_OBJECTS];
};

static int evict_all(const struct scene *scene)
{
	return debugfs_write(scene->fixture.debugfs, "evict_all", "1");
}

static uint64_t count_submissions(const struct scene *scene)
{
	return fixture_count(&scene->fixture, "submissions");
}

static int create_all(struct scene *scene)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++) {
		scene->objects[i] = (struct object) { .size = QUIRE_PAGE, .key = i + 1 };
		ret = quire_bo_create_caching(scene->fixture.fd, QUIRE_PAGE, SEGMENTS,
					      DRM_QUIRE_CACHING_CACHED,
					      &scene->objects[i].handle) ?:
		      object_fill(&scene->fixture, &scene->objects[i]);
	}
	return ret;
}

static void close_all(struct scene *scene)
{
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		object_close(&scene->fixture, &scene->objects[i]);
}

static int place_all(const struct scene *scene)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = object_place_and_wait(&scene->fixture, &scene->objects[i], &vram);
	return ret;
}

/* Each move has ended, and the content is whole. */
static int check_all(const struct scene *scene)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = quire_bo_wait(scene->fixture.fd, scene->objects[i].handle, WAIT_MS) ?:
		      object_check(&scene->fixture, &scene->objects[i]);
	return ret;
}

static unsigned int count_in_vram(const struct scene *scene)
{
	unsigned int number = 0;

	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		number += object_segment(&scene->fixture, &scene->objects[i]) ==
			  DRM_QUIRE_SEGMENT_VRAM;
	return number;
}

/* Submissions that it takes to evict all of them, with the one that writes the mark. */
static uint64_t test_evict(const struct scene *scene, const char *when)
{
	uint64_t before;

	tap_ret(place_all(scene), 0, "%s: all in VRAM", when);
	before = count_submissions(scene);
	tap_ret(evict_all(scene), 0, "%s: evict them", when);
	tap_ok(!count_in_vram(scene), "%s: all have left", when);
	tap_ret(check_all(scene), 0, "%s: and are whole", when);
	return count_submissions(scene) - before;
}

/**
 * struct outcome - of all evictions in which an allocation failed
 * @failed: evictions that said so
 * @half: of them, those that some objects had left VRAM before
 */
struct outcome {
	unsigned int failed;
	unsigned int half;
};

/* The @nth allocation fails; returns 0 if nobody suffers. */
static int evict_with_failure(const struct scene *scene, unsigned int nth, bool *failed,
			      struct outcome *outcome)
{
	unsigned int left;
	int ret = place_all(scene), run;

	if (ret)
		return ret;
	failing_arm(nth);
	run = evict_all(scene);
	*failed = failing_disarm();
	left = count_in_vram(scene);
	outcome->failed += run == -ENOMEM;
	outcome->half += run == -ENOMEM && left && left < NR_OBJECTS;
	if (run && run != -ENOMEM)
		return run;
	return !run && left ? -EXDEV : check_all(scene);
}

static void test_no_memory(const struct scene *scene)
{
	struct outcome outcome = { 0 };
	bool failed = true;
	unsigned int n;
	int ret = 0;

	for (n = 1; failed && !ret && n < MOST; n++)
		ret = evict_with_failure(scene, n, &failed, &outcome);
	tap_ret(ret, 0, "out of memory %u times: refused %u times, %u of them half way", n - 2,
		outcome.failed, outcome.half);
	tap_ok(outcome.half > 1 && !failed, "there were such evictions, and an end");
}

int main(void)
{
	struct scene scene;
	uint64_t before;

	tap_start(200);
	fixture_open(&scene.fixture);
	if (!*scene.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(scene.fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	if (!failing_begin())
		tap_skip_all("a kernel without fault injection, or not root");
	tap_ret(create_all(&scene), 0, "create");
	before = test_evict(&scene, "before");
	tap_ok(before <= NR_OBJECTS, "they share submissions");
	test_no_memory(&scene);
	tap_ok(test_evict(&scene, "afterwards") == before, "they share as many");
	close_all(&scene);
	tap_ok(fixture_settles(&scene.fixture, scene.fixture.segments), "nothing is left");
	failing_end();
	/* It waits for who would not have left. */
	fixture_rebind(&scene.fixture);
	fixture_test_works(&scene.fixture);
	return tap_done();
}
