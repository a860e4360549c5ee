// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What goes wrong in an address space is nobody else's: work that waits for what has failed, or
 * runs beside it there, and many contexts that fail at once. And the largest buffer of commands.
 */
#include <string.h>

#include "monitored.h"
#include "space.h"

#define GATE		0x7000000000ull
#define NOWHERE		0x300000000000ull
#define LARGE		0x5100000000ull
#define PAGE_BOUND	0x5000000000ull
#define CONTEXTS	32u
#define STILL_NS	100000000

/**
 * struct scene - an address space, and where its commands wait
 * @work: the device
 * @space: of it
 * @gate: bound at GATE
 * @other: another context
 * @failed: end of what fails
 * @after: end of what comes after it
 */
struct scene {
	struct work *work;
	struct space space;
	struct gate gate;
	struct quire_context *other;
	struct quire_fence *failed;
	struct quire_fence *after;
};

static void scene_open(struct scene *scene, struct work *work)
{
	*scene = (struct scene){ .work = work };
	space_open(&scene->space, work);
	work_gate_open_apart(work, &scene->gate);
	space_map(&scene->space, GATE, scene->gate.object, 0, QUIRE_PAGE);
	scene->other = space_context(&scene->space);
	scene->failed = work_fence(work);
	scene->after = work_fence(work);
}

static void scene_close(struct scene *scene)
{
	quire_fence_close(scene->after);
	quire_fence_close(scene->failed);
	quire_context_destroy(scene->other);
	work_gate_close(&scene->gate);
	space_close(&scene->space);
}

/* What was written since @begin. */
static int exec(struct scene *scene, struct quire_context *context, uint32_t ring, uint32_t begin,
		const struct quire_fence *wait, const struct quire_fence *signal)
{
	const struct quire_fence_point before = { .fence = wait }, after = { .fence = signal };
	const struct quire_submission how = {
		.ring = ring,
		.nr_waits = !!wait, .waits = &before,
		.nr_signals = !!signal, .signals = &after,
	};

	return quire_exec(context, SPACE_COMMANDS + begin, scene->space.writer.used - begin, &how,
			  NULL);
}

static uint64_t result(const struct scene *scene, unsigned int i)
{
	return __atomic_load_n(&scene->space.results[i], __ATOMIC_SEQ_CST);
}

/* When the gate has @number, a context goes where nothing is. */
static int fail_at(struct scene *scene, uint64_t number)
{
	struct quire_writer *writer = &scene->space.writer;
	uint32_t begin = writer->used;

	quire_write_wait(writer, QUIRE_WAIT_GREATER_EQUAL, GATE, number);
	quire_write_value(writer, NOWHERE, 1);
	quire_write_value(writer, SPACE_RESULTS + 64, 1);
	return exec(scene, scene->space.context, 0, begin, NULL, scene->failed);
}

static int bind_after(const struct scene *scene, const struct quire_object *object)
{
	const struct quire_fence_point before = { .fence = scene->failed };
	const struct quire_fence_point after = { .fence = scene->after };
	const struct quire_binding how = {
		.nr_waits = 1, .waits = &before, .nr_signals = 1, .signals = &after,
	};
	const struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_MAP, .address = PAGE_BOUND, .size = QUIRE_PAGE,
		.handle = quire_object_handle(object),
	};

	return quire_vm_bind(scene->space.vm, &bind, 1, &how, NULL);
}

/**
 * test_in_fence - a bind, a value and commands wait for a context that fails
 * @work: the device
 * @early: it has failed before they are queued
 */
static void test_in_fence(struct work *work, bool early)
{
	struct quire_object *object = work_object(work, QUIRE_PAGE);
	struct monitored fence;
	struct scene scene;
	const char *when = early ? "earlier" : "later";
	uint32_t begin;

	scene_open(&scene, work);
	monitored_open(&fence, work->fixture.fd, 0);
	memset(space_bytes(object), 0x5a, QUIRE_PAGE);
	tap_ret(fail_at(&scene, 1), 0, "a context that fails %s", when);
	if (early) {
		work_gate_raise(&scene.gate, 1);
		tap_ret(work_fence_wait(scene.failed), -EIO, "it has failed");
	}
	const struct drm_quire_sync wait = {
		.handle = quire_fence_syncobj(scene.failed), .flags = DRM_QUIRE_SYNC_WAIT,
	};
	tap_ret(monitored_signal_syncs(&fence, 1, &wait, 1), 0, "a value after it");
	tap_ret(bind_after(&scene, object), 0, "a bind after it");
	begin = scene.space.writer.used;
	memset(scene.space.results, 0, QUIRE_PAGE);
	quire_write_copy(&scene.space.writer, PAGE_BOUND, SPACE_RESULTS + 128, 128);
	tap_ret(exec(&scene, scene.other, 1, begin, scene.after, scene.after), 0,
		"commands after the bind");
	if (!early) {
		tap_ok(monitored_wait(&fence, 1, 0) == -ETIME &&
		       quire_fence_wait(scene.after, 0, STILL_NS) == -ETIME, "they wait");
		work_gate_raise(&scene.gate, 1);
		tap_ret(work_fence_wait(scene.failed), -EIO, "it fails");
	}
	tap_ret(work_fence_wait(scene.after), 0, "they go on, without an error");
	tap_ok(scene.space.results[16] == 0x5a5a5a5a5a5a5a5aull &&
	       scene.space.results[31] == 0x5a5a5a5a5a5a5a5aull, "with what was bound");
	tap_ret(monitored_wait(&fence, 1, WAIT_MS), 0, "and so does the value");
	tap_ret(work_context_status(scene.other), DRM_QUIRE_CONTEXT_GOOD, "the context is good");
	begin = scene.space.writer.used;
	quire_write_value(&scene.space.writer, SPACE_RESULTS + 8, 1);
	tap_ret(exec(&scene, scene.other, 0, begin, scene.failed, scene.after) ?:
		work_fence_wait(scene.after), 0, "commands after the failure itself");
	tap_ok(scene.space.results[1] == 1, "are executed");
	monitored_close(&fence);
	quire_object_close(object);
	scene_close(&scene);
}

/* One ends in the middle of its commands, another one is at work in the same address space. */
static void test_beside(struct work *work)
{
	struct scene scene;
	uint32_t begin;

	scene_open(&scene, work);
	memset(scene.space.results, 0, QUIRE_PAGE);
	tap_ret(fail_at(&scene, 1), 0, "a context that will fail");
	begin = scene.space.writer.used;
	quire_write_value(&scene.space.writer, SPACE_RESULTS, 1);
	quire_write_wait(&scene.space.writer, QUIRE_WAIT_GREATER_EQUAL, GATE, 2);
	quire_write_fill(&scene.space.writer, SPACE_RESULTS + 8, 8, 0x77777777);
	tap_ret(exec(&scene, scene.other, 1, begin, NULL, scene.after), 0, "another one");
	for (unsigned int i = 0; i < WAIT_MS && !result(&scene, 0); i++)
		test_sleep_ms(1);
	tap_ok(result(&scene, 0) == 1, "is at work");
	work_gate_raise(&scene.gate, 1);
	tap_ret(work_fence_wait(scene.failed), -EIO, "the first one fails");
	tap_ret(work_context_status(scene.space.context), DRM_QUIRE_CONTEXT_FAULTED, "it ends");
	tap_ok(!scene.space.results[8], "and does nothing after it");
	tap_ret(exec(&scene, scene.space.context, 0, begin, NULL, NULL), -ECANCELED,
		"it gets no more commands");
	tap_ok(quire_fence_wait(scene.after, 0, STILL_NS) == -ETIME && !scene.space.results[1],
	       "the other one is at work yet");
	work_gate_raise(&scene.gate, 2);
	tap_ret(work_fence_wait(scene.after), 0, "and comes to its end");
	tap_ok(scene.space.results[1] == 0x7777777777777777ull, "with all that it does");
	tap_ret(work_context_status(scene.other), DRM_QUIRE_CONTEXT_GOOD, "it is good");
	scene_close(&scene);
}

/* Context i goes wrong at its own address, but each fourth one, which does its work. */
static bool goes_wrong(unsigned int i)
{
	return i % 4 != 3;
}

static int storm_exec(struct scene *scene, struct quire_context *context, unsigned int i,
		      const struct quire_fence *fence)
{
	struct quire_writer *writer = &scene->space.writer;
	uint32_t begin = writer->used;

	quire_write_wait(writer, QUIRE_WAIT_GREATER_EQUAL, GATE, 1);
	if (goes_wrong(i))
		quire_write_value(writer, NOWHERE + i * QUIRE_PAGE, 1);
	quire_write_value(writer, SPACE_RESULTS + i * 8, i + 1);
	return exec(scene, context, i % 2, begin, NULL, fence);
}

static bool ended_well(const struct scene *scene, const struct quire_context *context,
		       unsigned int i, struct quire_fence *fence)
{
	struct drm_quire_context_state state = { 0 };
	int ret = work_fence_wait(fence);

	if (quire_context_state(context, &state))
		return false;
	if (!goes_wrong(i))
		return !ret && state.status == DRM_QUIRE_CONTEXT_GOOD &&
		       scene->space.results[i] == i + 1;
	return ret == -EIO && state.status == DRM_QUIRE_CONTEXT_FAULTED &&
	       state.fault == QUIRE_FAULT_PAGE && state.address == NOWHERE + i * QUIRE_PAGE &&
	       !scene->space.results[i];
}

/* Many fault, one behind the other, on both rings; between them are some that do not. */
static void test_storm(struct work *work)
{
	struct quire_context *contexts[CONTEXTS];
	struct quire_fence *fences[CONTEXTS];
	unsigned int right = 0;
	struct scene scene;
	int ret = 0;

	scene_open(&scene, work);
	memset(scene.space.results, 0, QUIRE_PAGE);
	for (unsigned int i = 0; i < CONTEXTS; i++) {
		contexts[i] = space_context(&scene.space);
		fences[i] = work_fence(work);
		ret = ret ?: storm_exec(&scene, contexts[i], i, fences[i]);
	}
	tap_ret(ret, 0, "commands of %u contexts", CONTEXTS);
	work_gate_raise(&scene.gate, 1);
	for (unsigned int i = 0; i < CONTEXTS; i++)
		right += ended_well(&scene, contexts[i], i, fences[i]);
	tap_ok(right == CONTEXTS, "each is told of its own, and %u are", right);
	for (unsigned int i = 0; i < CONTEXTS; i++) {
		quire_fence_close(fences[i]);
		quire_context_destroy(contexts[i]);
	}
	scene_close(&scene);
}

/* Commands that do nothing, @size bytes with the last one, which writes @number. */
static int run_large(struct space *space, uint8_t *bytes, uint64_t size, uint64_t number)
{
	const struct quire_packet_header nop = { QUIRE_COMMAND_NOP, 0, sizeof(nop) };
	const struct quire_fence_point after = { .fence = space->fence };
	const struct quire_submission how = { .nr_signals = 1, .signals = &after };
	struct quire_writer last = { .bytes = bytes, .size = space->work->fixture.info.max_exec };
	uint32_t length;

	quire_write_value(&last, SPACE_RESULTS, number);
	length = last.used;
	last.used = size - length;
	for (uint64_t at = 0; at < last.used; at += sizeof(nop))
		memcpy(bytes + at, &nop, sizeof(nop));
	quire_write_value(&last, SPACE_RESULTS, number);
	return quire_exec(space->context, LARGE, size, &how, NULL) ?:
	       work_fence_wait(space->fence);
}

static void test_large(struct work *work)
{
	const uint64_t most = work->fixture.info.max_exec;
	struct quire_object *object = work_object(work, most + QUIRE_PAGE);
	uint8_t *bytes = space_bytes(object);
	struct space space;

	space_open(&space, work);
	space_map(&space, LARGE, object, 0, most + QUIRE_PAGE);
	space.results[0] = 0;
	tap_ret(run_large(&space, bytes, most - 8, 1), 0, "a word less than the most");
	tap_ok(space.results[0] == 1, "is executed to its end");
	tap_ret(run_large(&space, bytes, most, 2), 0, "the most");
	tap_ok(space.results[0] == 2, "is executed to its end");
	tap_ret(quire_exec(space.context, LARGE, most + 8, NULL, NULL), -E2BIG, "a word more");
	tap_ok(space.results[0] == 2, "is not executed");
	space_close(&space);
	quire_object_close(object);
}

int main(void)
{
	struct work work;

	tap_start(120);
	work_begin(&work);
	if (work.fixture.info.execution_rings < 2)
		tap_skip_all("too few rings");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_in_fence(&work, false);
	test_in_fence(&work, true);
	test_beside(&work);
	test_storm(&work);
	test_large(&work);
	test_parameter("hang_period", 3000);
	work_end(&work);
	return tap_done();
}
