// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

static void must(int ret, const char *what)
{
	if (ret)
		tap_bail("%s: %s", what, strerror(-ret));
}

/**
 * work_open - open the device, once more for another process
 * @work: to fill
 */
void work_open(struct work *work)
{
	fixture_open(&work->fixture);
	close(work->fixture.fd);
	must(quire_device_open(NULL, &work->device), "open");
	must(quire_recorder_create(work->device, &work->recorder), "recorder");
	work->fixture.fd = quire_device_fd(work->device);
}

/* Its objects are closed. */
void work_close(struct work *work)
{
	quire_recorder_destroy(work->recorder);
	quire_device_close(work->device);
}

/**
 * work_begin - as work_open(), or skip all if commands are not executed here
 * @work: to fill
 */
void work_begin(struct work *work)
{
	work_open(work);
	if (!work->fixture.info.execution_rings)
		tap_skip_all("the device executes no commands");
}

/* The other end: nothing is left, and the device works. */
void work_end(struct work *work)
{
	tap_ok(fixture_settles(&work->fixture, work->fixture.segments), "usage is what it was");
	fixture_test_works(&work->fixture);
	work_close(work);
}

struct quire_context *work_context(const struct work *work)
{
	struct quire_context *context;

	must(quire_context_create(work->device, DRM_QUIRE_PRIORITY_NORMAL, &context), "context");
	return context;
}

/* Returns enum drm_quire_context_status. */
uint32_t work_context_status(const struct quire_context *context)
{
	struct drm_quire_context_state state;

	must(quire_context_state(context, &state), "context state");
	return state.status;
}

/* @classes: as of struct quire_object_options */
struct quire_object *work_object_in(const struct work *work, uint64_t size, uint32_t classes)
{
	const struct quire_object_options options = { .size = size, .classes = classes };
	struct quire_object *object;

	must(quire_object_create(work->device, &options, &object), "object");
	return object;
}

struct quire_object *work_object(const struct work *work, uint64_t size)
{
	return work_object_in(work, size, 0);
}

/* The object is mapped, but not waited for. */
static uint64_t *number_at(struct quire_object *object, uint64_t offset)
{
	void *bytes;

	must(quire_object_map(object, &bytes), "map");
	return (uint64_t *)((char *)bytes + offset);
}

/* When all work with it is done. */
uint64_t work_number(struct quire_object *object, uint64_t offset)
{
	must(quire_object_wait(object, WAIT_MS * 1000000ll), "wait");
	return __atomic_load_n(number_at(object, offset), __ATOMIC_SEQ_CST);
}

void work_set_number(struct quire_object *object, uint64_t offset, uint64_t number)
{
	__atomic_store_n(number_at(object, offset), number, __ATOMIC_SEQ_CST);
}

struct quire_fence *work_fence(const struct work *work)
{
	struct quire_fence *fence;

	must(quire_fence_create(work->device, &fence), "fence");
	return fence;
}

/* Returns 0, or the error with which its work ended; -ETIME: it did not. */
int work_fence_wait(struct quire_fence *fence)
{
	return quire_fence_wait(fence, 0, WAIT_MS * 1000000ll);
}

/**
 * work_submit - have executed what is recorded, which is forgotten then
 * @work: of the recorder; gets the result
 * @context: in whose order
 * @ring: number of the execution ring
 * @wait: it begins after this fence; or NULL
 * @signal: this fence gets its end; or NULL
 *
 * Returns: 0 or a negative errno.
 */
int work_submit(struct work *work, struct quire_context *context, uint32_t ring,
		const struct quire_fence *wait, const struct quire_fence *signal)
{
	const struct quire_fence_point before = { .fence = wait }, after = { .fence = signal };
	const struct quire_submission submission = {
		.ring = ring,
		.nr_waits = !!wait,
		.waits = &before,
		.nr_signals = !!signal,
		.signals = &after,
	};
	int ret = quire_recorder_submit(work->recorder, context, &submission, &work->result);

	if (ret)
		tap_diag("refused: %s", work->result.message);
	quire_recorder_reset(work->recorder);
	return ret;
}

/* Without a look at who is at work with it. */
uint64_t work_gate_number(const struct gate *gate)
{
	return __atomic_load_n(gate->number, __ATOMIC_SEQ_CST);
}

/* Who waits for @number goes on. */
void work_gate_raise(const struct gate *gate, uint64_t number)
{
	__atomic_store_n(gate->number, number, __ATOMIC_SEQ_CST);
}

static void gate_open_in(const struct work *work, struct gate *gate, uint32_t classes,
			 uint32_t segment, uint32_t flags)
{
	gate->object = work_object_in(work, QUIRE_PAGE, classes);
	must(quire_bo_place(work->fixture.fd, quire_object_handle(gate->object), segment, flags),
	     "place the gate");
	must(quire_object_wait(gate->object, WAIT_MS * 1000000ll), "wait for the gate");
	gate->number = number_at(gate->object, 0);
	work_gate_raise(gate, 0);
}

/* As work_gate_open(), but in the aperture: what wants VRAM does not meet it. */
void work_gate_open_apart(const struct work *work, struct gate *gate)
{
	gate_open_in(work, gate, DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM) |
		     DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE),
		     DRM_QUIRE_SEGMENT_APERTURE, 0);
}

/**
 * work_gate_open - make a gate, at 0
 * @work: the device
 * @gate: to fill
 *
 * It is where the CPU sees it, and stays there: commands that wait at it are at work with it.
 */
void work_gate_open(const struct work *work, struct gate *gate)
{
	if (fixture_visible(&work->fixture))
		gate_open_in(work, gate, 0, DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_VISIBLE);
	else
		work_gate_open_apart(work, gate);
}

/* Whoever waits at it goes on first. */
void work_gate_close(struct gate *gate)
{
	work_gate_raise(gate, UINT64_MAX);
	quire_object_close(gate->object);
}

/* The next command begins when the gate has @number. */
void work_wait_at(struct work *work, const struct gate *gate, uint64_t number)
{
	quire_recorder_wait_value(work->recorder, QUIRE_WAIT_GREATER_EQUAL,
				  quire_at(gate->object, 0), number);
}

/**
 * work_inject - the device misbehaves at a command
 * @work: the device
 * @ring: number of the execution ring
 * @what: "fault" or "hang"
 * @command: from now on, from 1
 *
 * Returns: true; false if that can not be.
 */
bool work_inject(const struct work *work, uint32_t ring, const char *what, uint32_t command)
{
	char text[64];

	snprintf(text, sizeof(text), "ring %u %s %u", ring, what, command);
	return *work->fixture.debugfs && !debugfs_write(work->fixture.debugfs, "inject", text);
}
