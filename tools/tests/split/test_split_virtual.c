// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Commands with virtual addresses are not executed between the parts of a submission on the same
 * ring, whichever of both was submitted first. They wait for no fence of the objects, so only the
 * order on the ring keeps them away.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "gated.h"
#include "space.h"

#define NR_LARGE	3u
#define NR_WRITES	6u	/* two of a part */
#define LOOK_MS		3000u	/* so long nothing passes the last part */

/**
 * struct scene - a submission in parts, and commands with virtual addresses
 * @work: the device
 * @parts: context of the submission
 * @large: a submission may use two of them, so that there is room for the page tables beside all
 * @flag: of one page, not 0 from the first command of the submission to its last
 * @gate: the submission waits there with its first part, or other commands do
 * @space: of the commands
 * @thread: that submits
 * @ret: what came of it
 * @exec_thread: that executes
 * @exec_ret: what came of that
 */
struct scene {
	struct work work;
	struct quire_context *parts;
	struct quire_object *large[NR_LARGE];
	struct quire_object *flag;
	struct gate gate;
	struct space space;
	atomic_int thread;
	int ret;
	atomic_int exec_thread;
	int exec_ret;
};

static void scene_open(struct scene *scene)
{
	work_begin(&scene->work);
	scene->parts = work_context(&scene->work);
	for (unsigned int i = 0; i < NR_LARGE; i++)
		scene->large[i] = work_object(&scene->work,
					      fixture_vram(&scene->work.fixture) / 4);
	scene->flag = work_object_in(&scene->work, QUIRE_PAGE,
				     DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE));
	work_set_number(scene->flag, 0, 0);
	work_gate_open_apart(&scene->work, &scene->gate);
	space_open(&scene->space, &scene->work);
}

static void scene_close(struct scene *scene)
{
	space_close(&scene->space);
	work_gate_close(&scene->gate);
	quire_object_close(scene->flag);
	for (unsigned int i = 0; i < NR_LARGE; i++)
		quire_object_close(scene->large[i]);
	quire_context_destroy(scene->parts);
	work_end(&scene->work);
}

/* @waits: at the gate, with its first part, and with the last but one */
static void record(struct scene *scene, bool waits)
{
	struct quire_recorder *recorder = scene->work.recorder;

	quire_recorder_write_value(recorder, quire_at(scene->flag, 0), 1);
	if (waits)
		work_wait_at(&scene->work, &scene->gate, 1);
	for (unsigned int i = 0; i < NR_WRITES; i++) {
		quire_recorder_write_value(recorder, quire_at(scene->large[i % NR_LARGE], 0), i);
		if (!waits || i != NR_WRITES - 3)
			continue;
		quire_recorder_write_value(recorder, quire_at(scene->flag, 0), 2);
		work_wait_at(&scene->work, &scene->gate, 2);
	}
	quire_recorder_write_value(recorder, quire_at(scene->flag, 0), 0);
}

static void *submit(void *data)
{
	struct scene *scene = data;

	scene->thread = gettid();
	scene->ret = work_submit(&scene->work, scene->parts, 0, NULL, NULL);
	return NULL;
}

static void *execute(void *data)
{
	struct scene *scene = data;

	scene->exec_thread = gettid();
	scene->exec_ret = space_exec(&scene->space, NULL, scene->space.fence);
	return NULL;
}

/* Does a thread come to wait in a call? */
static bool gets_within(const atomic_int *thread, const char *function)
{
	while (!*thread)
		test_sleep_ms(1);
	return child_gets_within(*thread, function, WAIT_MS);
}

/* The commands use nothing that the submission uses. */
static void write_value(struct scene *scene, uint64_t value)
{
	space_rewind(&scene->space);
	quire_write_value(&scene->space.writer, SPACE_RESULTS, value);
}

static void wait_for_flag(struct scene *scene, uint64_t number)
{
	const struct gate flag = { .number = gated_map(scene->flag) };

	while (work_gate_number(&flag) != number)
		test_sleep_ms(1);
}

/*
 * The submission is at work when the commands come: they are executed behind all of it. The last
 * part waits for its object, for the paging ring hangs, and the commands wait for nothing but it:
 * what they need has not moved.
 */
static void test_parts_first(struct scene *scene)
{
	pthread_t submitter, executor;

	write_value(scene, 1);
	tap_ret(space_run(&scene->space), 0, "page tables are in VRAM");
	record(scene, true);
	write_value(scene, 2);
	submitter = gated_start(submit, scene);
	wait_for_flag(scene, 1);
	executor = gated_start(execute, scene);
	tap_ok(gets_within(&scene->exec_thread, "quire_exec_ioctl"), "commands wait for the ring");
	work_gate_raise(&scene->gate, 1);
	wait_for_flag(scene, 2);
	tap_ret(debugfs_write(scene->work.fixture.debugfs, "nop_submit", "1"), 0, "all is paged");
	fixture_inject(&scene->work.fixture, "hang 1");
	work_gate_raise(&scene->gate, 2);
	pthread_join(submitter, NULL);
	pthread_join(executor, NULL);
	tap_ret(scene->ret ?: scene->exec_ret, 0, "both are queued");
	tap_ok(scene->work.result.parts > 1, "in %u parts", scene->work.result.parts);
	tap_ret(quire_fence_wait(scene->space.fence, 0, LOOK_MS * 1000000ll), -ETIME,
		"the commands wait for the last part");
	test_parameter("hang_period", 1000);
	tap_ret(work_fence_wait(scene->space.fence), 0, "they are executed");
	tap_ok(scene->space.results[0] == 2 && work_number(scene->flag, 0) == 0,
	       "and so are all parts");
	test_parameter("hang_period", WORK_PATIENCE_MS);
}

/* The commands wait for others when the submission comes: no part of it is executed before them. */
static void test_parts_last(struct scene *scene)
{
	struct quire_context *others = work_context(&scene->work);
	struct quire_fence *fence = work_fence(&scene->work);
	pthread_t submitter;

	scene->thread = 0;
	work_gate_raise(&scene->gate, 0);
	work_wait_at(&scene->work, &scene->gate, 1);
	tap_ret(work_submit(&scene->work, others, 1, NULL, fence), 0, "another ring waits");
	write_value(scene, 3);
	tap_ret(space_exec(&scene->space, fence, scene->space.fence), 0, "commands wait for it");
	record(scene, false);
	submitter = gated_start(submit, scene);
	tap_ok(gets_within(&scene->thread, "quire_execution_wait"), "a submission waits for them");
	tap_ok(work_gate_number(&(struct gate){ .number = gated_map(scene->flag) }) == 0,
	       "no part of it is executed");
	work_gate_raise(&scene->gate, 1);
	pthread_join(submitter, NULL);
	tap_ret(scene->ret, 0, "it is queued");
	tap_ok(scene->work.result.parts > 1, "in %u parts", scene->work.result.parts);
	tap_ret(work_fence_wait(scene->space.fence), 0, "the commands are done");
	tap_ok(work_number(scene->large[(NR_WRITES - 1) % NR_LARGE], 0) == NR_WRITES - 1,
	       "all parts are executed");
	quire_fence_close(fence);
	quire_context_destroy(others);
}

int main(void)
{
	struct fixture fixture;
	struct scene scene = { 0 };

	tap_start(120);
	fixture_open(&fixture);
	if (getuid() || fixture.info.execution_rings < 2)
		tap_skip_all("not root, or there is one execution ring");
	close(fixture.fd);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	scene_open(&scene);
	test_option("split_max_bytes", fixture_vram(&scene.work.fixture) / 2);
	test_parts_first(&scene);
	test_parts_last(&scene);
	test_option("split_max_bytes", 0);
	scene_close(&scene);
	test_parameter("hang_period", 3000);
	return tap_done();
}
