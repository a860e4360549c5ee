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
#define NR_PARTS	6u
#define NR_ROUNDS	8u	/* the last part may be on the ring before what must not pass it */
#define FLAG		0x100000000ull

/**
 * struct scene - a submission in parts, and commands with virtual addresses
 * @work: the device
 * @parts: context of the submission
 * @large: five eighths of VRAM each: each part waits until its object has come, and that of the
 *	part before has left
 * @flag: of one page, not 0 from the first command of the submission to its last
 * @gate: the submission waits there with its first part, or other commands do
 * @space: where @flag is bound
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
					      fixture_vram(&scene->work.fixture) / 8 * 5);
	scene->flag = work_object_in(&scene->work, QUIRE_PAGE,
				     DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE));
	work_set_number(scene->flag, 0, 0);
	work_gate_open_apart(&scene->work, &scene->gate);
	space_open(&scene->space, &scene->work);
	space_map(&scene->space, FLAG, scene->flag, 0, QUIRE_PAGE);
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

/* @waits: with its first part, at the gate */
static void record(struct scene *scene, bool waits)
{
	struct quire_recorder *recorder = scene->work.recorder;

	quire_recorder_write_value(recorder, quire_at(scene->flag, 0), 1);
	if (waits)
		work_wait_at(&scene->work, &scene->gate, 1);
	for (unsigned int i = 0; i < NR_PARTS; i++)
		quire_recorder_write_value(recorder, quire_at(scene->large[i % NR_LARGE], 0), i);
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

/* They say what they have found there. */
static void write_look(struct scene *scene)
{
	space_rewind(&scene->space);
	scene->space.results[0] = UINT64_MAX;
	quire_write_copy(&scene->space.writer, FLAG, SPACE_RESULTS, sizeof(uint64_t));
}

/* The submission is at work when the commands come: they are executed behind all of it. */
static bool parts_first(struct scene *scene)
{
	pthread_t submitter, executor;
	bool waits;

	scene->thread = 0;
	scene->exec_thread = 0;
	work_gate_raise(&scene->gate, 0);
	record(scene, true);
	write_look(scene);
	submitter = gated_start(submit, scene);
	while (work_gate_number(&(struct gate){ .number = gated_map(scene->flag) }) != 1)
		test_sleep_ms(1);
	executor = gated_start(execute, scene);
	waits = gets_within(&scene->exec_thread, "quire_exec_ioctl");
	work_gate_raise(&scene->gate, 1);
	pthread_join(submitter, NULL);
	pthread_join(executor, NULL);
	if (scene->ret || scene->exec_ret || !waits || scene->work.result.parts < 2 ||
	    work_fence_wait(scene->space.fence))
		tap_bail("%d, %d, %u parts", scene->ret, scene->exec_ret, scene->work.result.parts);
	return scene->space.results[0] == 0;
}

static void test_parts_first(struct scene *scene)
{
	unsigned int behind = 0;

	for (unsigned int i = 0; i < NR_ROUNDS; i++)
		behind += parts_first(scene);
	tap_ok(behind == NR_ROUNDS, "%u of %u times are commands executed behind all parts", behind,
	       NR_ROUNDS);
}

/*
 * The commands wait for others when the submission comes: no part of it is executed before them.
 * They use nothing that it uses.
 */
static void test_parts_last(struct scene *scene)
{
	struct quire_context *others = work_context(&scene->work);
	struct quire_fence *fence = work_fence(&scene->work);
	pthread_t submitter;

	scene->thread = 0;
	space_rewind(&scene->space);
	work_gate_raise(&scene->gate, 0);
	work_wait_at(&scene->work, &scene->gate, 1);
	tap_ret(work_submit(&scene->work, others, 1, NULL, fence), 0, "another ring waits");
	space_unmap(&scene->space, FLAG, QUIRE_PAGE);
	quire_write_value(&scene->space.writer, SPACE_RESULTS, 7);
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
	tap_ok(work_number(scene->large[(NR_PARTS - 1) % NR_LARGE], 0) == NR_PARTS - 1,
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
	test_parts_first(&scene);
	test_parts_last(&scene);
	scene_close(&scene);
	test_parameter("hang_period", 3000);
	return tap_done();
}
