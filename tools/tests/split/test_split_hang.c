// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A middle part hangs, or is refused, and before and behind it objects are paged: the program
 * is told which part and which command, and nobody else suffers.
 */
#include <unistd.h>

#include "dump.h"
#include "eighths.h"

#define PERIOD_MS	700
#define NR_OTHERS	4
#define RING		0

/**
 * struct scene - a program with a bad part, and others
 * @work: the program
 * @eighths: its objects
 * @first: how many the first part uses
 * @middle: index of the object whose part is bad
 * @others: another one, with its own file
 * @objects: its objects
 */
struct scene {
	struct work work;
	struct eighths eighths;
	unsigned int first;
	unsigned int middle;
	struct fixture others;
	struct object objects[NR_OTHERS];
};

static void others_open(struct scene *scene)
{
	fixture_open(&scene->others);
	for (unsigned int i = 0; i < NR_OTHERS; i++)
		if (object_create(&scene->others, &scene->objects[i],
				  fixture_vram(&scene->others) / 16, 100 + i))
			tap_bail("create");
}

/* They are in VRAM, so that others have to move them away. */
static void others_place(const struct scene *scene)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_OTHERS && !ret; i++)
		ret = object_place_and_wait(&scene->others, &scene->objects[i], &places[2]);
	tap_ret(ret, 0, "objects of another program are placed");
}

static void others_check(const struct scene *scene)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_OTHERS && !ret; i++)
		ret = object_check(&scene->others, &scene->objects[i]);
	tap_ret(ret, 0, "those of the other program are whole");
}

static void others_close(struct scene *scene)
{
	for (unsigned int i = 0; i < NR_OTHERS; i++)
		object_close(&scene->others, &scene->objects[i]);
	close(scene->others.fd);
}

/* All that is recorded, in @context. */
static void expect_executed(struct scene *scene, struct quire_context *context, uint32_t ring)
{
	struct quire_fence *fence = work_fence(&scene->work);

	work_gate_raise(&scene->eighths.gate, UINT64_MAX);
	eighths_record(&scene->eighths);
	tap_ret(work_submit(&scene->work, context, ring, NULL, fence), 0, "ring %u: all parts",
		ring);
	tap_ret(work_fence_wait(fence), 0, "are executed");
	tap_ok(eighths_are_right(&scene->eighths, EIGHTHS), "each of them");
	quire_fence_close(fence);
}

/* Where parts begin says one that is good. */
static void learn(struct scene *scene)
{
	struct quire_context *context = work_context(&scene->work);

	eighths_open(&scene->eighths, &scene->work);
	others_place(scene);
	expect_executed(scene, context, RING);
	scene->first = eighths_first(&scene->work.result);
	scene->middle = (scene->first + EIGHTHS) / 2;
	tap_ok(scene->first > 1 && scene->middle < EIGHTHS - 1,
	       "%u objects are in the first part", scene->first);
	eighths_close(&scene->eighths);
	quire_context_destroy(context);
}

/* They came and went between the parts. */
static void expect_paged(const struct scene *scene)
{
	const struct quire_result *result = &scene->work.result;
	const uint64_t size = eighths_size(&scene->eighths);

	tap_ret(eighths_first(result), scene->first, "in as many parts");
	tap_ok(result->bytes_in >= EIGHTHS * size, "all objects came");
	tap_ok(result->bytes_out >= (EIGHTHS - scene->first) * size, "and made room for others");
}

static void expect_state(const struct quire_context *context,
			 const struct drm_quire_context_state *expected)
{
	struct drm_quire_context_state state;

	tap_ret(quire_context_state(context, &state), 0, "ask the context");
	tap_ret(state.status, expected->status, "its status");
	tap_ret(state.submission, expected->submission, "submission");
	tap_ret(state.part, expected->part, "part");
	tap_ret(state.ring, expected->ring, "ring");
	tap_ret(state.offset, expected->offset, "offset");
	tap_ret(state.fault, expected->fault, "fault");
}

/* On each ring, with the objects of who has failed. */
static void expect_others_go_on(struct scene *scene, struct quire_context *good)
{
	others_check(scene);
	others_place(scene);
	for (uint32_t ring = 0; ring < scene->work.fixture.info.execution_rings; ring++)
		expect_executed(scene, good, ring);
	others_check(scene);
}

/*
 * What is recorded ends in a middle part, as is @expected to be told; the first @written objects
 * are written.
 */
static void test_end(struct scene *scene, struct drm_quire_context_state *expected,
		     uint16_t opcode, unsigned int written)
{
	struct quire_context *bad = work_context(&scene->work);
	struct quire_context *good = work_context(&scene->work);
	struct quire_fence *fence = work_fence(&scene->work);

	expected->submission = 1;
	expected->ring = RING;
	expected->part = 1 + scene->middle - scene->first;
	dump_forget();
	tap_ret(work_submit(&scene->work, bad, RING, NULL, fence), 0, "submit");
	expect_paged(scene);
	tap_ret(work_fence_wait(fence), -ECANCELED, "what is behind is not executed");
	dump_expect_command(expected,
			    expected->offset - scene->eighths.offsets[scene->middle], opcode);
	expect_state(bad, expected);
	tap_ok(eighths_are_right(&scene->eighths, written), "what was before is");
	quire_recorder_nop(scene->work.recorder, 8);
	tap_ret(work_submit(&scene->work, bad, RING, NULL, NULL), -ECANCELED,
		"it takes nothing more");
	expect_others_go_on(scene, good);
	quire_fence_close(fence);
	quire_context_destroy(good);
	quire_context_destroy(bad);
}

static void scene_begin(struct scene *scene)
{
	eighths_open(&scene->eighths, &scene->work);
	others_place(scene);
	eighths_record(&scene->eighths);
}

static void scene_end(struct scene *scene)
{
	eighths_close(&scene->eighths);
	others_close(scene);
	tap_ok(fixture_settles(&scene->work.fixture, scene->work.fixture.segments),
	       "nothing is left");
	others_open(scene);
}

static void test_hang(struct scene *scene)
{
	struct drm_quire_context_state expected = { .status = DRM_QUIRE_CONTEXT_HUNG };

	tap_diag("a middle part hangs");
	scene_begin(scene);
	work_gate_raise(&scene->eighths.gate, scene->middle);
	expected.offset = scene->eighths.ends[scene->middle];
	test_parameter("hang_period", PERIOD_MS);
	test_end(scene, &expected, QUIRE_COMMAND_WAIT_VALUE, scene->middle + 1);
	test_parameter("hang_period", 3000);
	scene_end(scene);
}

static void test_fault(struct scene *scene)
{
	struct drm_quire_context_state expected = {
		.status = DRM_QUIRE_CONTEXT_FAULTED, .fault = QUIRE_FAULT_INJECTED,
	};

	tap_diag("a command of a middle part is refused");
	if (!work_inject(&scene->work, RING, "fault", EIGHTHS_STEP * scene->middle + 1)) {
		tap_skip("no fault injection", "a command that is refused");
		return;
	}
	scene_begin(scene);
	work_gate_raise(&scene->eighths.gate, UINT64_MAX);
	expected.offset = scene->eighths.offsets[scene->middle];
	test_end(scene, &expected, QUIRE_COMMAND_WRITE_VALUE, scene->middle);
	scene_end(scene);
}

int main(void)
{
	struct scene scene;

	tap_start(250);
	work_begin(&scene.work);
	if (getuid())
		tap_skip_all("not root");
	others_open(&scene);
	learn(&scene);
	test_hang(&scene);
	test_fault(&scene);
	others_close(&scene);
	work_end(&scene.work);
	return tap_done();
}
