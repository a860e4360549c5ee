// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Commands that do not come to an end, or that the device refuses: their context ends, which
 * says where, and nobody else hears of it.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "dump.h"
#include "kmsg.h"
#include "work.h"

#define PERIOD_MS	700
#define BATCH_MS	500	/* within this what is collected for the device goes out */
#define NEVER		77
#define NR_PARTS	4u

/**
 * struct scene - a program whose commands hang, and others
 * @work: the device
 * @bad: context that hangs
 * @good: context of others
 * @zero: an object that nobody writes
 * @bytes: objects that are written, each by one submission or part
 */
struct scene {
	struct work work;
	struct quire_context *bad;
	struct quire_context *good;
	struct quire_object *zero;
	struct quire_object *bytes[6];
};

static void scene_open(struct scene *scene)
{
	scene->bad = work_context(&scene->work);
	scene->good = work_context(&scene->work);
	scene->zero = work_object(&scene->work, QUIRE_PAGE);
	for (size_t i = 0; i < ARRAY_SIZE(scene->bytes); i++)
		scene->bytes[i] = work_object(&scene->work, QUIRE_PAGE);
}

static void scene_close(struct scene *scene)
{
	quire_context_destroy(scene->bad);
	quire_context_destroy(scene->good);
	quire_object_close(scene->zero);
	for (size_t i = 0; i < ARRAY_SIZE(scene->bytes); i++)
		quire_object_close(scene->bytes[i]);
}

/* Nobody is in a hurry until this is said. */
static void let_time_pass(bool fast)
{
	test_parameter("hang_period", fast ? PERIOD_MS : WORK_PATIENCE_MS);
}

static void record_fill(struct scene *scene, unsigned int number)
{
	quire_recorder_fill(scene->work.recorder, quire_at(scene->bytes[number], 0), QUIRE_PAGE,
			    number + 1);
}

/* For a number that never comes. Returns where. */
static uint32_t record_hang(struct scene *scene)
{
	uint32_t offset = quire_recorder_offset(scene->work.recorder);

	quire_recorder_wait_value(scene->work.recorder, QUIRE_WAIT_EQUAL,
				  quire_at(scene->zero, 64), NEVER);
	return offset;
}

static struct quire_fence *queue(struct scene *scene, struct quire_context *context, uint32_t ring)
{
	struct quire_fence *fence = work_fence(&scene->work);

	if (work_submit(&scene->work, context, ring, NULL, fence))
		tap_bail("submit");
	return fence;
}

static void expect_end(struct quire_fence *fence, int expected, const char *name)
{
	tap_ret(work_fence_wait(fence), expected, "%s", name);
	quire_fence_close(fence);
}

static void expect_filled(const struct scene *scene, unsigned int number, bool filled)
{
	const uint64_t word = filled ? (number + 1) * 0x100000001ull : 0;
	uint64_t found = work_number(scene->bytes[number], QUIRE_PAGE - 8);

	tap_ok(found == word, "bytes %u are %s (%" PRIx64 ")", number,
	       filled ? "written" : "not written", found);
}

static void expect_state(const struct quire_context *context,
			 const struct drm_quire_context_state *expected)
{
	struct drm_quire_context_state state;

	tap_ret(quire_context_state(context, &state), 0, "ask the context");
	tap_ret(state.status, expected->status, "its status");
	tap_ok(state.submission == expected->submission, "submission %" PRIu64,
	       (uint64_t)state.submission);
	tap_ret(state.part, expected->part, "part");
	tap_ret(state.ring, expected->ring, "ring");
	tap_ret(state.offset, expected->offset, "offset");
	tap_ret(state.fault, expected->fault, "fault");
}

/* Nothing more is taken of it. */
static void expect_over(struct scene *scene)
{
	record_fill(scene, 5);
	tap_ret(work_submit(&scene->work, scene->bad, 0, NULL, NULL), -ECANCELED,
		"it takes nothing more");
	expect_filled(scene, 5, false);
}

/* Others go on meanwhile, on the other ring and the paging ring. */
static void expect_others_work(struct scene *scene)
{
	const struct fixture *fixture = &scene->work.fixture;
	uint32_t rings = fixture->info.execution_rings;
	struct object object;

	tap_ret(object_create(fixture, &object, QUIRE_MIB, 9), 0, "an object of others");
	tap_ret(object_place_and_wait(fixture, &object, &places[2]), 0, "is moved meanwhile");
	tap_ret(object_check(fixture, &object), 0, "and is whole");
	object_close(fixture, &object);
	if (rings == 1) {
		tap_skip("there is one ring", "others go on meanwhile");
		return;
	}
	record_fill(scene, 4);
	expect_end(queue(scene, scene->good, 1), 0, "others go on meanwhile");
	expect_filled(scene, 4, true);
}

static void test_hang(struct scene *scene)
{
	struct drm_quire_context_state expected = {
		.status = DRM_QUIRE_CONTEXT_HUNG, .submission = 2,
	};
	struct quire_fence *before, *hangs, *behind, *others;
	int log = kmsg_open();

	scene_open(scene);
	dump_forget();
	record_fill(scene, 0);
	before = queue(scene, scene->bad, 0);
	quire_recorder_nop(scene->work.recorder, 8);
	record_fill(scene, 1);
	expected.offset = record_hang(scene);
	record_fill(scene, 2);
	hangs = queue(scene, scene->bad, 0);
	record_fill(scene, 3);
	behind = queue(scene, scene->bad, 0);
	quire_recorder_nop(scene->work.recorder, 8);
	others = queue(scene, scene->good, 0);
	expect_end(before, 0, "what was before is executed");
	expect_others_work(scene);
	tap_ret(quire_fence_wait(hangs, 0, 0), -ETIME, "it waits");
	let_time_pass(true);
	expect_end(hangs, -EIO, "it ends with an error");
	expect_end(behind, -ECANCELED, "and so does what is behind");
	expect_end(others, 0, "others go on");
	let_time_pass(false);
	tap_ret(kmsg_count(log, "is given up, its context ends"), 1, "the log says it once");
	close(log);
	dump_expect_command(&expected, expected.offset, QUIRE_COMMAND_WAIT_VALUE);
	expect_state(scene->bad, &expected);
	tap_ret(work_context_status(scene->good), DRM_QUIRE_CONTEXT_GOOD, "others are good");
	expect_filled(scene, 0, true);
	expect_filled(scene, 1, true);
	expect_filled(scene, 2, false);
	expect_filled(scene, 3, false);
	expect_over(scene);
	scene_close(scene);
}

/* What lasts too long is no better. An object that it would write is not busy for ever. */
static void test_delay(struct scene *scene)
{
	struct drm_quire_context_state expected = {
		.status = DRM_QUIRE_CONTEXT_HUNG, .submission = 1,
	};
	struct quire_fence *fence;

	scene_open(scene);
	record_fill(scene, 0);
	expected.offset = quire_recorder_offset(scene->work.recorder);
	quire_recorder_delay(scene->work.recorder, 3600 * 1000000000ull);
	record_fill(scene, 1);
	fence = queue(scene, scene->bad, 0);
	tap_ret(quire_object_wait(scene->bytes[1], 0), -ETIME, "its object is in use");
	let_time_pass(true);
	tap_ret(quire_object_wait(scene->bytes[1], WAIT_MS * 1000000ll), 0, "not for ever");
	let_time_pass(false);
	expect_end(fence, -EIO, "an hour is too long");
	expect_state(scene->bad, &expected);
	expect_filled(scene, 0, true);
	expect_filled(scene, 1, false);
	scene_close(scene);
}

/* What it has written is in memory then, also where the device may keep that for a while. */
static void test_posted(struct scene *scene)
{
	const struct quire_object_options options = {
		.size = QUIRE_PAGE, .caching = DRM_QUIRE_CACHING_WRITE_COMBINED,
		.classes = DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE),
	};
	struct quire_object *object;
	struct quire_fence *fence;
	void *bytes;

	scene_open(scene);
	if (quire_object_create(scene->work.device, &options, &object) ||
	    quire_object_map(object, &bytes))
		tap_bail("object");
	memset(bytes, 0x11, QUIRE_PAGE);
	/* no discard of before, whose flush would do it */
	test_sleep_ms(BATCH_MS);
	quire_recorder_fill(scene->work.recorder, quire_at(object, 0), QUIRE_PAGE, 0x22222222);
	quire_recorder_delay(scene->work.recorder, 3600 * 1000000000ull);
	fence = queue(scene, scene->bad, 0);
	let_time_pass(true);
	expect_end(fence, -EIO, "commands hang that have written to write-combined pages");
	tap_ok(*(volatile uint64_t *)bytes == 0x2222222222222222ull, "the CPU sees that");
	let_time_pass(false);
	quire_object_close(object);
	scene_close(scene);
}

/* Of several parts number @part hangs, from 0. */
static void test_part(struct scene *scene, unsigned int part)
{
	struct drm_quire_context_state expected = {
		.status = DRM_QUIRE_CONTEXT_HUNG, .submission = 1, .part = part,
	};
	struct quire_fence *fence, *others;
	unsigned int filled = 0;

	scene_open(scene);
	test_option("split_every_point", 1);
	for (unsigned int i = 0; i < NR_PARTS; i++)
		if (i == part)
			expected.offset = record_hang(scene);
		else
			record_fill(scene, filled++);
	let_time_pass(true);
	fence = queue(scene, scene->bad, 0);
	tap_ret(scene->work.result.parts, NR_PARTS, "part %u of so many hangs", part);
	test_option("split_every_point", 0);
	record_fill(scene, filled);
	others = queue(scene, scene->good, 0);
	expect_end(fence, part == NR_PARTS - 1 ? -EIO : -ECANCELED,
		   "it ends so, or what is behind it, which is not executed");
	expect_end(others, 0, "others go on");
	let_time_pass(false);
	expect_state(scene->bad, &expected);
	for (unsigned int i = 0; i < filled; i++)
		expect_filled(scene, i, i < part);
	expect_filled(scene, filled, true);
	scene_close(scene);
}

/* Each ring has its own. */
static void test_two_rings(struct scene *scene)
{
	struct drm_quire_context_state expected = {
		.status = DRM_QUIRE_CONTEXT_HUNG, .submission = 1,
	};
	struct quire_context *contexts[2];
	struct quire_fence *fences[2];

	if (scene->work.fixture.info.execution_rings < 2) {
		tap_skip("there is one ring", "two of them hang");
		return;
	}
	scene_open(scene);
	contexts[0] = scene->bad;
	contexts[1] = scene->good;
	for (uint32_t i = 0; i < 2; i++) {
		record_fill(scene, i);
		expected.offset = record_hang(scene);
		fences[i] = queue(scene, contexts[i], i);
	}
	let_time_pass(true);
	for (uint32_t i = 0; i < 2; i++)
		expect_end(fences[i], -EIO, "one of two rings that hang");
	let_time_pass(false);
	for (uint32_t i = 0; i < 2; i++) {
		expected.ring = i;
		expect_state(contexts[i], &expected);
		expect_filled(scene, i, true);
	}
	scene_close(scene);
}

/* One context on two rings: the hang of one ends both. */
static void test_both_rings(struct scene *scene)
{
	struct quire_fence *hangs, *other;

	if (scene->work.fixture.info.execution_rings < 2)
		return;
	scene_open(scene);
	record_hang(scene);
	hangs = queue(scene, scene->bad, 0);
	quire_recorder_nop(scene->work.recorder, 8);
	other = work_fence(&scene->work);
	if (work_submit(&scene->work, scene->bad, 1, hangs, other))
		tap_bail("submit");
	let_time_pass(true);
	expect_end(hangs, -EIO, "it hangs on one ring");
	expect_end(other, -ECANCELED, "and is over on the other one");
	let_time_pass(false);
	scene_close(scene);
}

/* The device refuses a command: nothing that was checked is refused but on demand. */
static void test_fault(struct scene *scene)
{
	struct drm_quire_context_state expected = {
		.status = DRM_QUIRE_CONTEXT_FAULTED, .submission = 1, .fault = QUIRE_FAULT_INJECTED,
	};
	struct quire_fence *fence, *behind;

	scene_open(scene);
	if (!work_inject(&scene->work, 0, "fault", 3)) {
		tap_skip("no fault injection", "a command that is refused");
		scene_close(scene);
		return;
	}
	dump_forget();
	record_fill(scene, 0);
	record_fill(scene, 1);
	expected.offset = quire_recorder_offset(scene->work.recorder);
	record_fill(scene, 2);
	fence = queue(scene, scene->bad, 0);
	record_fill(scene, 3);
	behind = queue(scene, scene->good, 0);
	expect_end(fence, -EIO, "it ends with an error, at once");
	expect_end(behind, 0, "others go on");
	dump_expect_command(&expected, expected.offset, QUIRE_COMMAND_FILL);
	expect_state(scene->bad, &expected);
	expect_filled(scene, 0, true);
	expect_filled(scene, 1, true);
	expect_filled(scene, 2, false);
	expect_filled(scene, 3, true);
	expect_over(scene);
	scene_close(scene);
}

/* Paging hangs later: that is no command, whatever hung before. */
static void test_paging(struct scene *scene)
{
	const struct fixture *fixture = &scene->work.fixture;
	static char text[16384];
	struct object object;
	bool found;

	if (debugfs_write(fixture->debugfs, "inject", "hang 1")) {
		tap_skip("no fault injection", "a move that hangs after a command");
		return;
	}
	dump_forget();
	test_parameter("hang_restarts", 0);
	let_time_pass(true);
	tap_ret(object_create(fixture, &object, QUIRE_MIB, 9), 0, "create");
	tap_ret(object_place_and_wait(fixture, &object, &places[2]), 0, "a move hangs");
	let_time_pass(false);
	test_parameter("hang_restarts", 1);
	found = dump_wait(text, sizeof(text));
	tap_ok(found && strstr(text, "\nring: 0\n"), "there is a dump of the paging ring");
	tap_ok(found && !strstr(text, "\ncommand: "), "which is at no command");
	tap_ret(object_check(fixture, &object), 0, "the content is whole");
	object_close(fixture, &object);
}

int main(void)
{
	struct scene scene;

	tap_start(100);
	work_begin(&scene.work);
	if (getuid())
		tap_skip_all("not root");
	let_time_pass(false);
	/* those that look at a dump come first: others leave one, which may come late */
	test_hang(&scene);
	test_fault(&scene);
	test_paging(&scene);
	test_delay(&scene);
	test_posted(&scene);
	for (unsigned int i = 0; i < NR_PARTS; i++)
		test_part(&scene, i);
	test_two_rings(&scene);
	test_both_rings(&scene);
	test_parameter("hang_period", 3000);
	work_end(&scene.work);
	return tap_done();
}
