// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Fences that go in and out with a submission: in syncobjs, sync_files and eventfds, of this
 * and of other drivers, in other processes, and after what made them is gone.
 */
#include <linux/sync_file.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <xf86drm.h>

#include "dmabuf.h"
#include "syncs.h"
#include "vgem.h"
#include "work.h"

/* The last ring, so that another one is free where there is one. */
static uint32_t last_ring(const struct work *work)
{
	return work->fixture.info.execution_rings - 1;
}

/* Commands that wait at the gate, and end with @fence. */
static void queue_at(struct work *work, struct quire_context *context, const struct gate *gate,
		     const struct quire_fence *fence)
{
	work_wait_at(work, gate, 1);
	tap_ret(work_submit(work, context, 0, NULL, fence), 0, "queue commands");
}

/* While commands are at work, none of the ways to wait says that they are done. */
static void test_pending(struct work *work)
{
	struct quire_context *context = work_context(work);
	struct quire_fence *fence = work_fence(work);
	struct fence_state state = { .status = 7 };
	uint32_t syncobj = quire_fence_syncobj(fence);
	struct gate gate;
	int event, file;

	work_gate_open(work, &gate);
	queue_at(work, context, &gate, fence);
	file = sync_export(&work->fixture, syncobj);
	event = sync_eventfd(&work->fixture, syncobj, 0);
	tap_ret(sync_wait(&work->fixture, syncobj, 0, 0), -ETIME, "syncobj: not yet");
	tap_ok(!fd_is_ready(file, 0), "sync_file: not yet");
	tap_ok(!fd_is_ready(event, 0), "eventfd: not yet");
	tap_ok(!fence_query(file, &state) && state.status == 0, "its status: not yet");
	tap_ok(!strcmp(state.driver, "quire"), "it is ours (%s)", state.driver);
	work_gate_raise(&gate, 1);
	tap_ok(fd_is_ready(event, WAIT_MS), "eventfd: now");
	tap_ok(fd_is_ready(file, WAIT_MS), "sync_file: now");
	tap_ret(sync_wait(&work->fixture, syncobj, 0, WAIT_MS), 0, "syncobj: now");
	tap_ok(!fence_query(file, &state) && state.status == 1, "its status: done, no error");
	close(event);
	close(file);
	quire_fence_close(fence);
	work_gate_close(&gate);
	quire_context_destroy(context);
}

static uint64_t timeline_value(const struct work *work, const struct quire_fence *fence)
{
	uint32_t syncobj = quire_fence_syncobj(fence);
	uint64_t value = UINT64_MAX;

	return drmSyncobjQuery(work->fixture.fd, &syncobj, &value, 1) ? UINT64_MAX : value;
}

/* Two submissions, two points, one after the other. */
static void test_timeline(struct work *work)
{
	struct quire_context *context = work_context(work);
	struct quire_fence *fence = work_fence(work);
	struct quire_fence_point point = { .fence = fence };
	const struct quire_submission how = { .nr_signals = 1, .signals = &point };
	struct gate gate;
	int event;

	work_gate_open(work, &gate);
	event = sync_eventfd(&work->fixture, quire_fence_syncobj(fence), 20);
	for (unsigned int i = 1; i <= 2; i++) {
		quire_recorder_reset(work->recorder);
		work_wait_at(work, &gate, i);
		point.point = 10 * i;
		tap_ret(quire_recorder_submit(work->recorder, context, &how, NULL), 0,
			"point %u", 10 * i);
	}
	quire_recorder_reset(work->recorder);
	tap_ok(!timeline_value(work, fence), "the timeline is at 0");
	work_gate_raise(&gate, 1);
	tap_ret(quire_fence_wait(fence, 10, WAIT_MS * 1000000ll), 0, "point 10 signals");
	tap_ok(timeline_value(work, fence) == 10, "the timeline is at 10");
	tap_ok(!fd_is_ready(event, 0), "point 20 has not signalled");
	work_gate_raise(&gate, 2);
	tap_ok(fd_is_ready(event, WAIT_MS), "it does then");
	tap_ok(timeline_value(work, fence) == 20, "the timeline is at 20");
	close(event);
	quire_fence_close(fence);
	work_gate_close(&gate);
	quire_context_destroy(context);
}

/**
 * struct late - commands that have to wait for a fence, and others behind them
 * @context: theirs
 * @first: its number is written by them, without any look at other work
 * @fence: their end
 */
struct late {
	struct quire_context *context;
	struct gate first;
	struct quire_fence *fence;
};

static void late_open(struct work *work, struct late *late, const struct quire_submission *before)
{
	struct quire_submission how = *before;
	struct quire_fence_point end;

	late->context = work_context(work);
	late->fence = work_fence(work);
	work_gate_open(work, &late->first);
	end.fence = late->fence;
	end.point = 0;
	how.ring = last_ring(work);
	how.nr_signals = 1;
	how.signals = &end;
	quire_recorder_write_value(work->recorder, quire_at(late->first.object, 0), 1);
	tap_ret(quire_recorder_submit(work->recorder, late->context, &how, NULL), 0,
		"queue what waits for it");
	quire_recorder_reset(work->recorder);
}

/* What was queued later on the same ring is done: it would be as well. */
static void late_expect_waiting(struct work *work, const struct late *late)
{
	struct quire_context *other = work_context(work);
	struct quire_fence *fence = work_fence(work);

	quire_recorder_nop(work->recorder, 8);
	tap_ret(work_submit(work, other, last_ring(work), NULL, fence), 0, "queue others");
	tap_ret(work_fence_wait(fence), 0, "others go on");
	tap_ok(!work_gate_number(&late->first), "it waits");
	tap_ret(quire_fence_wait(late->fence, 0, 0), -ETIME, "its fence waits");
	quire_fence_close(fence);
	quire_context_destroy(other);
}

static void late_close(struct late *late)
{
	tap_ret(work_fence_wait(late->fence), 0, "it is executed then");
	tap_ok(work_gate_number(&late->first) == 1, "all of it");
	quire_fence_close(late->fence);
	work_gate_close(&late->first);
	quire_context_destroy(late->context);
}

/* @point: of the fence of commands that wait at a gate on another ring */
static void test_wait(struct work *work, uint64_t point)
{
	struct quire_context *context = work_context(work);
	const struct quire_fence_point end = { work_fence(work), point };
	const struct quire_submission gives = { .nr_signals = 1, .signals = &end };
	const struct quire_submission takes = { .nr_waits = 1, .waits = &end };
	struct late late;
	struct gate gate;

	if (!last_ring(work)) {
		tap_skip("there is one ring", "commands wait for others");
		return;
	}
	work_gate_open(work, &gate);
	work_wait_at(work, &gate, 1);
	tap_ret(quire_recorder_submit(work->recorder, context, &gives, NULL), 0, "queue commands");
	quire_recorder_reset(work->recorder);
	late_open(work, &late, &takes);
	late_expect_waiting(work, &late);
	work_gate_raise(&gate, 1);
	late_close(&late);
	quire_fence_close((struct quire_fence *)end.fence);
	work_gate_close(&gate);
	quire_context_destroy(context);
}

/* A fence of another driver, as a sync_file. */
static void test_foreign(struct work *work)
{
	struct quire_object *object = work_object(work, QUIRE_PAGE);
	struct quire_fence_point before = { 0 };
	const struct quire_submission takes = { .nr_waits = 1, .waits = &before };
	struct quire_fence *fence;
	int vgem = vgem_open(), dmabuf, file;
	struct late late;
	uint32_t foreign;

	if (vgem < 0) {
		tap_skip("no vgem here", "fences of others");
		quire_object_close(object);
		return;
	}
	tap_ret(vgem_attach_fence(vgem, work->fixture.fd, quire_object_handle(object), &foreign),
		0, "a fence of somebody else");
	dmabuf = dmabuf_export(work->fixture.fd, quire_object_handle(object));
	file = dmabuf_export_sync_file(dmabuf);
	tap_ret(quire_fence_from_file(work->device, file, &fence), 0, "import it");
	before.fence = fence;
	late_open(work, &late, &takes);
	late_expect_waiting(work, &late);
	tap_ret(vgem_signal_fence(vgem, foreign), 0, "the other one is done");
	late_close(&late);
	quire_fence_close(fence);
	close(file);
	close(dmabuf);
	close(vgem);
	quire_object_close(object);
}

/* The most: half of them are waited for, of which the last is not there yet. */
static void test_many(struct work *work)
{
	struct quire_fence_point waits[DRM_QUIRE_MAX_SYNCS / 2], signals[DRM_QUIRE_MAX_SYNCS / 2];
	struct quire_submission how = {
		.nr_waits = ARRAY_SIZE(waits), .waits = waits,
		.nr_signals = ARRAY_SIZE(signals), .signals = signals,
	};
	struct quire_context *context = work_context(work), *other = work_context(work);
	const uint32_t last = ARRAY_SIZE(waits) - 1;
	unsigned int early = 0, wrong = 0;
	struct gate gate;

	work_gate_open(work, &gate);
	for (uint32_t i = 0; i <= last; i++) {
		waits[i] = (struct quire_fence_point){ work_fence(work), i % 2 ? i : 0 };
		signals[i] = (struct quire_fence_point){ work_fence(work), i % 2 ? i : 0 };
		if (i < last)
			wrong += !!quire_fence_signal(waits[i].fence, waits[i].point);
	}
	waits[last].point = 0;
	queue_at(work, other, &gate, waits[last].fence);
	quire_recorder_nop(work->recorder, 8);
	how.ring = last_ring(work);
	tap_ret(quire_recorder_submit(work->recorder, context, &how, NULL), 0,
		"%u syncobjs", how.nr_waits + how.nr_signals);
	quire_recorder_reset(work->recorder);
	for (uint32_t i = 0; i <= last; i++)
		early += quire_fence_wait(signals[i].fence, signals[i].point, 0) != -ETIME;
	tap_ret(early, 0, "none of them signals before the last that is waited for");
	work_gate_raise(&gate, 1);
	for (uint32_t i = 0; i <= last; i++) {
		wrong += !!quire_fence_wait(signals[i].fence, signals[i].point,
					    WAIT_MS * 1000000ll);
		quire_fence_close((struct quire_fence *)signals[i].fence);
		quire_fence_close((struct quire_fence *)waits[i].fence);
	}
	tap_ret(wrong, 0, "all of them signal");
	work_gate_close(&gate);
	quire_context_destroy(context);
	quire_context_destroy(other);
}

static int merge(int a, int b)
{
	struct sync_merge_data data = { .name = "both", .fd2 = b };

	return ioctl(a, SYNC_IOC_MERGE, &data) ? -errno : data.fence;
}

/* Two fences of which another process waits for both. */
static void test_merged(struct work *work)
{
	struct quire_context *contexts[2] = { work_context(work), work_context(work) };
	struct quire_fence *fences[2] = { work_fence(work), work_fence(work) };
	struct gate gate;
	int files[3];
	pid_t pid;

	work_gate_open(work, &gate);
	for (unsigned int i = 0; i < 2; i++) {
		work_wait_at(work, &gate, i + 1);
		tap_ret(work_submit(work, contexts[i], 0, NULL, fences[i]), 0, "queue commands");
		files[i] = quire_fence_export(fences[i], 0);
	}
	files[2] = merge(files[0], files[1]);
	pid = child_start(60);
	if (!pid)
		_exit(!fd_is_ready(files[2], WAIT_MS));
	work_gate_raise(&gate, 1);
	tap_ret(work_fence_wait(fences[0]), 0, "one of them ends");
	tap_ok(!fd_is_ready(files[2], 0), "both have not");
	tap_ok(child_is_running(pid), "another process waits");
	work_gate_raise(&gate, 2);
	tap_ret(child_status(pid), 0, "it waits for both");
	for (unsigned int i = 0; i < 3; i++)
		close(files[i]);
	for (unsigned int i = 0; i < 2; i++) {
		quire_fence_close(fences[i]);
		quire_context_destroy(contexts[i]);
	}
	work_gate_close(&gate);
}

/* The fence is there when context and file are gone. */
static void test_outlives(struct work *work)
{
	struct quire_object *theirs;
	struct fence_state state = { 0 };
	struct quire_context *context;
	struct quire_fence *fence;
	struct work other;
	struct gate gate;
	uint32_t handle;
	int dmabuf, file;

	work_gate_open(work, &gate);
	work_open(&other);
	dmabuf = dmabuf_export(work->fixture.fd, quire_object_handle(gate.object));
	tap_ret(dmabuf_import(other.fixture.fd, dmabuf, &handle), 0, "another file");
	tap_ret(quire_object_from_handle(other.device, handle, &theirs), 0, "has the gate");
	close(dmabuf);
	context = work_context(&other);
	fence = work_fence(&other);
	quire_recorder_wait_value(other.recorder, QUIRE_WAIT_GREATER_EQUAL, quire_at(theirs, 0), 1);
	tap_ret(work_submit(&other, context, 0, NULL, fence), 0, "queue commands");
	file = quire_fence_export(fence, 0);
	quire_context_destroy(context);
	quire_fence_close(fence);
	quire_object_close(theirs);
	work_close(&other);
	tap_ok(!fd_is_ready(file, 0), "it waits");
	work_gate_raise(&gate, 1);
	tap_ok(fd_is_ready(file, WAIT_MS), "it signals");
	tap_ok(!fence_query(file, &state) && state.status == 1, "all was executed");
	close(file);
	work_gate_close(&gate);
}

int main(void)
{
	struct work work;

	tap_start(60);
	work_begin(&work);
	if (getuid())
		tap_skip_all("not root");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_pending(&work);
	test_timeline(&work);
	test_wait(&work, 0);
	test_wait(&work, 7);
	test_foreign(&work);
	test_many(&work);
	test_merged(&work);
	test_outlives(&work);
	test_parameter("hang_period", 3000);
	work_end(&work);
	return tap_done();
}
