// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Two objects are bound in all parts. Others evict both between two parts, and are where one of
 * them was for long: that one comes back elsewhere, but not to where the other one was, though
 * its slot is the first one.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "gated.h"
#include "vram.h"

#define EIGHTHS		2u	/* of VRAM, each object has */
#define BACK_MS		60000	/* others are waited for 15 s of it */

/**
 * struct scene - the submission, and who comes meanwhile
 * @gated: it; what stays is its canvas
 * @second: bound all the time, too; it came first, so it has the place that others get
 * @work: of others, who want room as soon as everything was evicted
 * @gate: they are at work until it is open
 * @thread: of theirs
 * @ret: what became of their submission
 * @evict_thread: the thread that evicts everything
 * @evict_ret: what came of that
 */
static struct scene {
	struct gated gated;
	struct quire_object *second;
	struct work work;
	struct gate gate;
	atomic_int thread;
	int ret;
	atomic_int evict_thread;
	int evict_ret;
} scene;

static void *evict_all(void *data)
{
	(void)data;
	scene.evict_thread = gettid();
	scene.evict_ret = debugfs_write(scene.gated.work.fixture.debugfs, "evict_all", "1");
	return NULL;
}

static void *occupy(void *data)
{
	struct work *work = &scene.work;
	struct quire_context *context = work_context(work);
	struct quire_object *object = work_object(work, quire_object_size(scene.second));

	(void)data;
	scene.thread = gettid();
	quire_recorder_bind(work->recorder, 0, quire_at(object, 0), quire_object_size(object),
			    true);
	quire_recorder_write_value(work->recorder, quire_at(object, 0), 1);
	work_wait_at(work, &scene.gate, 1);
	scene.ret = work_submit(work, context, 1, NULL, NULL);
	quire_object_wait(object, INT64_MAX);
	quire_object_close(object);
	quire_context_destroy(context);
	return NULL;
}

/* A page that no other one is equal to; it is the object's last. */
static void mark(struct quire_object *object, uint8_t page[QUIRE_PAGE], uint8_t key)
{
	for (unsigned int i = 0; i < QUIRE_PAGE; i++)
		page[i] = i * key ^ i >> 4;
	memcpy((uint8_t *)gated_map(object) + quire_object_size(object) - QUIRE_PAGE, page,
	       QUIRE_PAGE);
}

static off_t find(const uint8_t page[QUIRE_PAGE])
{
	int fd = vram_open(&scene.gated.work.fixture, O_RDONLY);
	off_t at = vram_find(fd, page);

	close(fd);
	return at;
}

/* It comes before what is not bound yet, and stays. */
static void keep(uint32_t slot, struct quire_object *object)
{
	struct quire_recorder *recorder = scene.gated.work.recorder;

	quire_recorder_bind(recorder, slot, quire_at(object, 0), quire_object_size(object), true);
	quire_recorder_write_value(recorder, quire_at(object, 0), 1);
}

static void scene_open(void)
{
	gated_open(&scene.gated, EIGHTHS, EIGHTHS);
	work_open(&scene.work);
	work_gate_open_apart(&scene.work, &scene.gate);
	scene.second = work_object(&scene.gated.work, quire_object_size(scene.gated.canvas));
	keep(0, scene.second);
	keep(1, scene.gated.canvas);
	gated_record_kept(&scene.gated);
}

static void scene_close(void)
{
	work_gate_close(&scene.gate);
	work_close(&scene.work);
	quire_object_close(scene.second);
	gated_close(&scene.gated);
}

static void test_back(void)
{
	pthread_t submitting, evicting, occupying;
	uint8_t page[QUIRE_PAGE], second[QUIRE_PAGE], next[QUIRE_PAGE];
	off_t at, second_at, now;

	scene_open();
	mark(scene.gated.canvas, page, 11);
	mark(scene.second, second, 13);
	mark(scene.gated.large[2], next, 17);
	submitting = gated_start(gated_submit, &scene.gated);
	tap_ok(gated_settles(scene.gated.large[1], true), "VRAM is full");
	at = find(page);
	second_at = find(second);
	evicting = gated_start(evict_all, NULL);
	tap_ok(gated_thread_gets_within(&scene.evict_thread, "quire_turn_begin"),
	       "who evicts everything waits");
	occupying = gated_start(occupy, NULL);
	tap_ok(gated_thread_gets_within(&scene.thread, "quire_turn_begin"),
	       "and behind him others, who want room");
	tap_ok(gated_gets_within(&scene.gated, "quire_submit_pause"),
	       "the submission lets them when its part has ended");
	gated_raise_to(&scene.gated, 2);
	tap_ok(gated_settles(scene.gated.large[1], false), "all is evicted");
	tap_ok(gated_settles_within(scene.gated.large[2], true, BACK_MS), "the next part is made");
	now = find(second);
	tap_ok(second_at >= 0 && now >= 0 && now != second_at, "one is elsewhere");
	tap_ok(at >= 0 && find(page) == at, "the other one is back where it was");
	tap_ok(now > find(next), "both came before what the next part brings, which is below");
	gated_expect_done(&scene.gated, submitting);
	work_gate_raise(&scene.gate, 1);
	pthread_join(occupying, NULL);
	tap_ret(scene.ret, 0, "the others were not disturbed");
	pthread_join(evicting, NULL);
	tap_ret(scene.evict_ret, 0, "nor was he");
	scene_close();
}

int main(void)
{
	struct fixture fixture;

	tap_start(200);
	fixture_open(&fixture);
	if (getuid() || !*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (fixture.info.execution_rings < 2)
		tap_skip_all("the device has one execution ring");
	close(fixture.fd);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_back();
	test_parameter("hang_period", 3000);
	return tap_done();
}
