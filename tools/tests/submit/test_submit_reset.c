// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The device is reset, wedged or taken away while commands run: what can be executed twice
 * goes on, the rest ends, and says why.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kmsg.h"
#include "syncs.h"
#include "work.h"

#define PERIOD_MS	3000	/* commands are at work beside what hangs so long */
#define DELAYS		230	/* together longer than it takes to reset a slow device */
#define SLOW_DELAYS	800
#define DELAY_NS	100000000

/* Waits until the device has executed what writes @number to the gate. */
static void wait_begun(const struct gate *begun, uint64_t number)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	while (work_gate_number(begun) != number && quire_now_ns() < end)
		test_sleep_ms(1);
	tap_ok(work_gate_number(begun) == number, "it has begun");
}

static void record_begun(struct work *work, const struct gate *begun, uint64_t number)
{
	quire_recorder_write_value(work->recorder, quire_at(begun->object, 0), number);
}

static struct quire_fence *queue(struct work *work, struct quire_context *context, uint32_t ring)
{
	struct quire_fence *fence = work_fence(work);

	if (work_submit(work, context, ring, NULL, fence))
		tap_bail("submit");
	return fence;
}

static void expect_end(struct quire_fence *fence, int expected, const char *name)
{
	tap_ret(work_fence_wait(fence), expected, "%s", name);
	quire_fence_close(fence);
}

/* Commands that wait at a gate are as they were after a reset of the function. */
static void test_repeatable(struct work *work, const char *address)
{
	struct quire_context *context = work_context(work);
	struct quire_object *object = work_object(work, QUIRE_MIB);
	struct quire_fence *fence, *behind;
	struct gate gate, begun;

	work_gate_open(work, &gate);
	work_gate_open(work, &begun);
	quire_recorder_fill(work->recorder, quire_at(object, 0), QUIRE_MIB, 7);
	record_begun(work, &begun, 1);
	work_wait_at(work, &gate, 1);
	quire_recorder_arithmetic(work->recorder, QUIRE_ARITHMETIC_ADD, quire_at(object, 0),
				  quire_at(object, QUIRE_PAGE), QUIRE_PAGE);
	fence = queue(work, context, 0);
	quire_recorder_arithmetic(work->recorder, QUIRE_ARITHMETIC_ADD, quire_at(object, 0),
				  quire_at(object, 2 * QUIRE_PAGE), QUIRE_PAGE);
	behind = queue(work, context, 0);
	wait_begun(&begun, 1);
	tap_ret(sysfs_reset(address), 0, "reset the function");
	tap_ret(quire_fence_wait(fence, 0, 0), -ETIME, "it waits again");
	work_gate_raise(&gate, 1);
	expect_end(fence, 0, "it goes on");
	expect_end(behind, 0, "and so does what is behind");
	tap_ret(work_context_status(context), DRM_QUIRE_CONTEXT_GOOD, "its context is good");
	tap_ok(work_number(object, QUIRE_PAGE) == 0xe0000000e, "it added once");
	tap_ok(work_number(object, 2 * QUIRE_PAGE) == 0xe0000000e, "and once");
	tap_ok(work_number(object, 3 * QUIRE_PAGE) == 0x700000007, "and nowhere else");
	quire_object_close(object);
	work_gate_close(&begun);
	work_gate_close(&gate);
	quire_context_destroy(context);
}

/* An addition that stands still, as far as the driver knows in its middle. */
static void test_lost(struct work *work, const char *address)
{
	struct quire_context *context = work_context(work), *other = work_context(work);
	struct quire_object *object = work_object(work, 4 * QUIRE_PAGE);
	struct quire_fence *lost, *behind, *others;
	struct drm_quire_context_state state;
	struct gate begun;
	uint32_t offset;

	work_gate_open(work, &begun);
	if (!work_inject(work, 0, "hang", 3)) {
		tap_skip("no fault injection", "commands that are lost to a reset");
		return;
	}
	quire_recorder_fill(work->recorder, quire_at(object, 0), 2 * QUIRE_PAGE, 7);
	record_begun(work, &begun, 1);
	offset = quire_recorder_offset(work->recorder);
	quire_recorder_arithmetic(work->recorder, QUIRE_ARITHMETIC_ADD, quire_at(object, 0),
				  quire_at(object, QUIRE_PAGE), QUIRE_PAGE);
	lost = queue(work, context, 0);
	quire_recorder_fill(work->recorder, quire_at(object, 2 * QUIRE_PAGE), 8, 7);
	behind = queue(work, context, 0);
	quire_recorder_fill(work->recorder, quire_at(object, 3 * QUIRE_PAGE), 8, 7);
	others = queue(work, other, 0);
	wait_begun(&begun, 1);
	tap_ret(sysfs_reset(address), 0, "reset the function");
	expect_end(lost, -EIO, "what can not be executed twice ends");
	expect_end(behind, -ECANCELED, "and so does what is behind");
	expect_end(others, 0, "others go on");
	tap_ret(quire_context_state(context, &state), 0, "ask the context");
	tap_ret(state.status, DRM_QUIRE_CONTEXT_LOST, "it is lost");
	tap_ok(state.submission == 1 && state.offset == offset && !state.ring && !state.fault,
	       "it says where: %" PRIu64 ", %#x", (uint64_t)state.submission, state.offset);
	tap_ok(work_number(object, 0) == 0x700000007, "what was before is executed");
	tap_ok(work_number(object, QUIRE_PAGE) == 0x700000007, "nothing was added");
	tap_ok(!work_number(object, 2 * QUIRE_PAGE), "what is behind is not executed");
	tap_ok(work_number(object, 3 * QUIRE_PAGE) == 0x700000007, "that of others is");
	quire_object_close(object);
	work_gate_close(&begun);
	quire_context_destroy(context);
	quire_context_destroy(other);
}

#define SHARED	64u	/* bytes of what is copied */

/**
 * struct kind - a command that stands still when the device is reset
 * @name: of it
 * @record: records it; the first page of @object has 7, the second one 9
 * @at: where its result begins
 * @result: there if it was executed; 0: it can not be executed twice, and is not
 */
struct kind {
	const char *name;
	void (*record)(struct work *work, struct quire_object *object);
	uint64_t at;
	uint32_t result;
};

static const struct quire_rectangle rectangle = { .columns = 16, .rows = 4 };

static struct quire_image image_at(struct quire_object *object, uint64_t offset)
{
	return (struct quire_image){
		.at = quire_at(object, offset), .layout = DRM_QUIRE_LAYOUT_LINEAR,
		.pitch = 64, .width = rectangle.columns, .height = rectangle.rows,
	};
}

static void record_blend(struct work *work, struct quire_object *object)
{
	const struct quire_image src = image_at(object, 0), dst = image_at(object, QUIRE_PAGE);

	quire_recorder_blend(work->recorder, &src, &dst, &rectangle);
}

static void record_copy_2d(struct work *work, struct quire_object *object)
{
	const struct quire_image src = image_at(object, 0), dst = image_at(object, QUIRE_PAGE);

	quire_recorder_copy_2d(work->recorder, &src, &dst, &rectangle, 4);
}

static void record_arithmetic(struct work *work, struct quire_object *object)
{
	quire_recorder_arithmetic(work->recorder, QUIRE_ARITHMETIC_ADD, quire_at(object, 0),
				  quire_at(object, QUIRE_PAGE), SHARED);
}

static void record_copy(struct work *work, struct quire_object *object, uint64_t src,
			uint64_t dst)
{
	quire_recorder_copy(work->recorder, quire_at(object, src), quire_at(object, dst), SHARED);
}

static void record_copy_up(struct work *work, struct quire_object *object)
{
	record_copy(work, object, QUIRE_PAGE - SHARED + 8, QUIRE_PAGE);
}

static void record_copy_down(struct work *work, struct quire_object *object)
{
	record_copy(work, object, QUIRE_PAGE, QUIRE_PAGE - SHARED + 8);
}

static void record_copy_beside_up(struct work *work, struct quire_object *object)
{
	record_copy(work, object, QUIRE_PAGE - SHARED, QUIRE_PAGE);
}

static void record_copy_beside_down(struct work *work, struct quire_object *object)
{
	record_copy(work, object, QUIRE_PAGE, QUIRE_PAGE - SHARED);
}

static void record_fill(struct work *work, struct quire_object *object)
{
	quire_recorder_fill(work->recorder, quire_at(object, QUIRE_PAGE), QUIRE_PAGE, 5);
}

static const struct kind kinds[] = {
	{ "a blend", record_blend, QUIRE_PAGE, 0 },
	{ "a rectangle that is copied", record_copy_2d, QUIRE_PAGE, 0 },
	{ "an addition", record_arithmetic, QUIRE_PAGE, 0 },
	{ "a copy whose first bytes overlap", record_copy_up, QUIRE_PAGE, 0 },
	{ "a copy whose last bytes overlap", record_copy_down, QUIRE_PAGE - SHARED + 8, 0 },
	{ "a copy to what is behind it", record_copy_beside_up, QUIRE_PAGE, 7 },
	{ "a copy to what is before it", record_copy_beside_down, QUIRE_PAGE - SHARED, 9 },
	{ "a number that is repeated", record_fill, QUIRE_PAGE, 5 },
};

/* It has begun, as far as the driver knows: only what does not read what it writes goes on. */
static void test_kind(struct work *work, const char *address, const struct kind *kind)
{
	const uint32_t before = kind->at < QUIRE_PAGE ? 7 : 9;
	const uint32_t result = kind->result ? kind->result : before;
	struct quire_context *context = work_context(work);
	struct quire_object *object = work_object(work, 2 * QUIRE_PAGE);
	struct quire_fence *fence;
	struct gate begun;

	work_gate_open(work, &begun);
	if (!work_inject(work, 0, "hang", 4)) {
		tap_skip("no fault injection", "%s", kind->name);
		return;
	}
	quire_recorder_fill(work->recorder, quire_at(object, 0), QUIRE_PAGE, 7);
	quire_recorder_fill(work->recorder, quire_at(object, QUIRE_PAGE), QUIRE_PAGE, 9);
	record_begun(work, &begun, 1);
	kind->record(work, object);
	fence = queue(work, context, 0);
	wait_begun(&begun, 1);
	tap_ret(sysfs_reset(address), 0, "%s: reset the function", kind->name);
	tap_ret(work_fence_wait(fence), kind->result ? 0 : -EIO, "%s: it %s", kind->name,
		kind->result ? "goes on" : "can not be executed twice, and ends");
	tap_ret(work_context_status(context),
		kind->result ? DRM_QUIRE_CONTEXT_GOOD : DRM_QUIRE_CONTEXT_LOST,
		"%s: its context is %s", kind->name, kind->result ? "good" : "lost");
	tap_ok(work_number(object, kind->at) == ((uint64_t)result << 32 | result),
	       "%s: it is %s", kind->name, kind->result ? "executed" : "not executed");
	quire_fence_close(fence);
	quire_object_close(object);
	work_gate_close(&begun);
	quire_context_destroy(context);
}

/* The paging ring hangs and the device is reset while commands are at work that last. */
static void test_paging_hang(struct work *work)
{
	struct quire_context *context = work_context(work);
	struct quire_object *object = work_object(work, QUIRE_PAGE);
	const struct fixture *fixture = &work->fixture;
	struct quire_fence *fence;
	struct object moves;
	struct gate begun;
	int log;

	if (!*fixture->debugfs || !(fixture->info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)) {
		tap_skip("no debugfs, or the CPU copies", "a paging ring that hangs");
		return;
	}
	work_gate_open(work, &begun);
	tap_ret(object_create(fixture, &moves, QUIRE_MIB, 4), 0, "an object that moves");
	record_begun(work, &begun, 1);
	for (unsigned int i = 0; i < DELAYS; i++) {
		quire_recorder_delay(work->recorder, DELAY_NS);
		quire_recorder_write_value(work->recorder, quire_at(object, 0), i + 1);
	}
	fence = queue(work, context, 0);
	wait_begun(&begun, 1);
	test_parameter("hang_restarts", 0);
	test_parameter("hang_period", PERIOD_MS);
	log = kmsg_open();
	fixture_inject(fixture, "hang 1");
	tap_ret(object_place(fixture, &moves, &places[2]), 0, "a move");
	tap_ok(kmsg_wait(log, "resetting the device", WAIT_MS), "the device is reset for it");
	close(log);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_parameter("hang_restarts", 1);
	tap_ret(quire_bo_wait(fixture->fd, moves.handle, WAIT_MS), 0, "it is made");
	tap_ret(quire_fence_wait(fence, 0, 0), -ETIME, "commands are at work");
	expect_end(fence, 0, "they go on");
	tap_ok(work_number(object, 0) == DELAYS, "to the last");
	tap_ret(work_context_status(context), DRM_QUIRE_CONTEXT_GOOD, "their context is good");
	tap_ret(object_check(fixture, &moves), 0, "what was moved is whole");
	object_close(fixture, &moves);
	quire_object_close(object);
	work_gate_close(&begun);
	quire_context_destroy(context);
}

/**
 * struct left - what is left of a program whose device goes
 * @work: its device
 * @context: of what is at work
 * @files: sync_files of what is at work, on each ring, and of what waits for that
 */
struct left {
	struct work work;
	struct quire_context *context;
	int files[3];
};

static void record_wait(struct work *work)
{
	struct quire_object *zero = work_object(work, QUIRE_PAGE);

	quire_recorder_wait_value(work->recorder, QUIRE_WAIT_EQUAL, quire_at(zero, 0), 5);
}

static void record_slow(struct work *work)
{
	for (unsigned int i = 0; i < SLOW_DELAYS; i++)
		quire_recorder_delay(work->recorder, DELAY_NS);
}

/* What is recorded by @record is at work, and other commands wait for it. */
static void leave(struct left *left, void (*record)(struct work *work))
{
	struct quire_fence *behind, *fence = NULL;
	struct work *work = &left->work;

	work_open(work);
	left->context = work_context(work);
	for (uint32_t i = 0; i < 2; i++) {
		record(work);
		fence = queue(work, left->context, i % work->fixture.info.execution_rings);
		left->files[i] = quire_fence_export(fence, 0);
	}
	quire_recorder_nop(work->recorder, 8);
	behind = work_fence(work);
	tap_ret(work_submit(work, work_context(work), 0, fence, behind), 0,
		"queue what waits for that");
	left->files[2] = quire_fence_export(behind, 0);
}

/* All fences have ended; the first two with @error. */
static void expect_ended(struct left *left, int error)
{
	struct fence_state state;
	unsigned int wrong = 0, late = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(left->files); i++) {
		late += !fd_is_ready(left->files[i], WAIT_MS);
		wrong += fence_query(left->files[i], &state) || state.status >= 0;
		if (i < 2 && state.status != error)
			tap_diag("fence %u: %d", i, state.status);
		wrong += i < 2 && state.status != error;
	}
	tap_ret(late, 0, "all fences end");
	tap_ret(wrong, 0, "and say that it was not well");
}

static void close_files(struct left *left)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(left->files); i++)
		close(left->files[i]);
}

static void expect_refused(struct left *left, int expected)
{
	struct quire_context *context;

	quire_recorder_nop(left->work.recorder, 8);
	tap_ret(work_submit(&left->work, left->context, 0, NULL, NULL), expected, "submit");
	tap_ret(quire_context_create(left->work.device, DRM_QUIRE_PRIORITY_NORMAL, &context),
		expected, "create a context");
}

/* The fences are there after the driver. */
static void test_unbind(const char *address)
{
	struct fence_state state;
	struct left left;

	leave(&left, record_wait);
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind, with commands at work");
	expect_ended(&left, -ENODEV);
	expect_refused(&left, -ENODEV);
	quire_context_destroy(left.context);
	work_close(&left.work);
	tap_ret(fence_query(left.files[0], &state), 0, "a fence outlives them all");
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
	close_files(&left);
}

/* The first ring refuses commands of a context, which is to blame for that. */
static void blame_another(void)
{
	struct quire_context *context;
	struct work work;

	work_open(&work);
	context = work_context(&work);
	if (work_inject(&work, 0, "fault", 1)) {
		quire_recorder_nop(work.recorder, 8);
		expect_end(queue(&work, context, 0), -EIO, "commands that are refused");
		tap_ret(work_context_status(context), DRM_QUIRE_CONTEXT_FAULTED,
			"their context is to blame");
	}
	quire_context_destroy(context);
	work_close(&work);
}

/* The paging ring hangs until nothing helps. */
static void test_wedged(void)
{
	struct object object;
	struct left left;

	blame_another();
	leave(&left, record_slow);
	if (!*left.work.fixture.debugfs ||
	    !(left.work.fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)) {
		tap_skip("no debugfs, or the CPU copies", "a device that is wedged");
		fixture_rebind(&left.work.fixture);
		close_files(&left);
		return;
	}
	tap_ret(object_create(&left.work.fixture, &object, QUIRE_MIB, 4), 0, "an object");
	test_parameter("hang_restarts", 0);
	fixture_inject(&left.work.fixture, "hang 1");
	object_place(&left.work.fixture, &object, &places[2]);
	fixture_wait_hung(&left.work.fixture);
	/* the reset hangs, too */
	fixture_inject(&left.work.fixture, "hang 1");
	test_parameter("hang_period", PERIOD_MS);
	expect_ended(&left, -EIO);
	quire_bo_wait(left.work.fixture.fd, object.handle, WAIT_MS);
	for (unsigned int i = 0; i < WAIT_MS / 10 &&
	     quire_bo_place(left.work.fixture.fd, object.handle, 0, 0) != -EIO; i++)
		test_sleep_ms(10);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_parameter("hang_restarts", 1);
	tap_ret(work_context_status(left.context), DRM_QUIRE_CONTEXT_GOOD, "it is not to blame");
	expect_refused(&left, -EIO);
	close_files(&left);
	fixture_rebind(&left.work.fixture);
}

int main(void)
{
	char address[64];
	struct work work;

	tap_start(100);
	work_begin(&work);
	if (getuid() || sysfs_pci_address(work.fixture.fd, address, sizeof(address)))
		tap_skip_all("not root");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_repeatable(&work, address);
	test_lost(&work, address);
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++)
		test_kind(&work, address, &kinds[i]);
	test_paging_hang(&work);
	work_close(&work);
	test_unbind(address);
	test_wedged();
	test_parameter("hang_period", 3000);
	work_begin(&work);
	work_end(&work);
	return tap_done();
}
