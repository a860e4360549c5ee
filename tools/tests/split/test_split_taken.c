// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Others want what a submission in parts needs, in the middle of it: most wait, and from who can
 * not it is taken back. The submission never fails for that, unless they keep it for too long.
 */
#include <stdint.h>
#include <unistd.h>

#include "dmabuf.h"
#include "gated.h"
#include "refuse.h"
#include "vgem.h"

#define PROMPT_MS	10000	/* well below the 15 s that others are waited for */
#define GIVEN_UP_MS	40000	/* well above */
#define MOMENT_MS	500
#define CROWDED_MS	3000	/* others were waited for long enough before */
#define LOOK_MS		4000	/* less than others are at work */

/* Who only looks does not wait for who waits for others. */
static void expect_to_be_had(const struct gated *gated, struct quire_object *object)
{
	int64_t begin = quire_now_ns();

	tap_ret(quire_bo_madvise(gated->work.fixture.fd, quire_object_handle(object),
				 DRM_QUIRE_MADV_WILLNEED, NULL), 0, "its lock is to be had");
	tap_ok(quire_now_ns() - begin < LOOK_MS * 1000000ll, "at once");
}

/**
 * struct robbery - what is taken, and what comes to its place
 * @name: for messages
 * @canvas: eighths of VRAM, that are taken
 * @large: eighths of VRAM, that each of the others has
 * @first: so many of them fit beside the canvas, and are in the first part
 * @works: who took it is at work with it, so nobody can take it back
 */
struct robbery {
	const char *name;
	uint64_t canvas;
	uint64_t large;
	unsigned int first;
	bool works;
};

static const struct robbery robberies[] = {
	/* Without the canvas all of the others fit: they come to its place. */
	{ "there is no room for it any more", 4, 2, 2, false },
	{ "who took it works with it", 3, 5, 1, true },
	{ "both", 4, 2, 2, true },
};

/* While an object for the next part is waited for, the canvas is taken. */
static void rob(const struct gated *gated, const struct robbery *robbery, int vgem,
		uint32_t foreign)
{
	uint32_t robber;

	tap_ret(gated_touch_at_once(gated_map(gated->canvas)), 0, "who can not wait");
	tap_ok(quire_object_class(gated->canvas) != DRM_QUIRE_SEGMENT_VRAM,
	       "takes what all parts need");
	if (robbery->works)
		tap_ret(vgem_attach_fence(vgem, gated->work.fixture.fd,
					  quire_object_handle(gated->canvas), &robber), 0,
			"and is at work with it");
	tap_ret(vgem_signal_fence(vgem, foreign), 0, "the next object is to be had");
	if (!robbery->works)
		return;
	test_sleep_ms(MOMENT_MS);
	expect_to_be_had(gated, gated->canvas);
	tap_ret(vgem_signal_fence(vgem, robber), 0, "who took it is done");
}

static void test_robbed(const struct robbery *robbery)
{
	int vgem = vgem_open();
	pthread_t submitting;
	struct gated gated;
	uint32_t foreign;

	if (vgem < 0) {
		tap_skip("no vgem here", "%s", robbery->name);
		return;
	}
	tap_diag("%s", robbery->name);
	gated_open(&gated, robbery->canvas, robbery->large);
	gated_record(&gated);
	submitting = gated_start(gated_submit, &gated);
	tap_ok(gated_gets_within(&gated, "quire_submit_evict"), "a part is queued, one has to go");
	tap_ret(vgem_attach_fence(vgem, gated.work.fixture.fd,
				  quire_object_handle(gated.large[robbery->first]), &foreign), 0,
		"somebody is at work with the next object");
	gated_raise_to(&gated, robbery->first);
	tap_ok(gated_settles(gated.large[robbery->first - 1], false), "which is wanted");
	test_sleep_ms(MOMENT_MS);
	rob(&gated, robbery, vgem, foreign);
	gated_expect_done(&gated, submitting);
	gated_close(&gated);
	close(vgem);
}

/* Others read what was written first, and are at work with it until @gate is open. */
static struct quire_context *start_reading(struct gated *gated, const struct gate *gate)
{
	struct work reader = gated->work;
	struct quire_context *context = work_context(&reader);
	struct quire_object *object = gated->large[0];

	if (quire_recorder_create(reader.device, &reader.recorder))
		tap_bail("recorder");
	quire_recorder_bind(reader.recorder, 0, quire_at(object, 0), quire_object_size(object),
			    false);
	work_wait_at(&reader, gate, 1);
	tap_ret(work_submit(&reader, context, 1, NULL, NULL), 0, "others use it after that");
	quire_recorder_destroy(reader.recorder);
	return context;
}

/* @expected: of the submission, which has to evict what others use */
static void test_used(int expected)
{
	struct quire_context *context;
	pthread_t submitting;
	struct gated gated;
	struct gate gate;
	int log = refusals_open();

	gated_open(&gated, 0, 5);
	work_gate_open_apart(&gated.work, &gate);
	gated_record(&gated);
	submitting = gated_start(gated_submit, &gated);
	tap_ok(gated_gets_within(&gated, "quire_submit_evict"), "a part is queued, one has to go");
	context = start_reading(&gated, &gate);
	gated_raise_to(&gated, 1);
	tap_ok(!gated_comes_true(&gated.done, PROMPT_MS / 2), "they are waited for");
	if (expected)
		tap_ok(gated_comes_true(&gated.done, GIVEN_UP_MS), "but not for ever");
	work_gate_raise(&gate, 1);
	if (expected) {
		pthread_join(submitting, NULL);
		tap_ret(gated.ret, expected, "the submission ends");
		tap_ok(gated.work.result.refused_where == DRM_QUIRE_REFUSAL_ALLOCATIONS,
		       "one of its objects is the reason");
		tap_ok(refusals_say(log, expected,
				    "list 2, element 0, byte 0x0: others are at work with it"),
		       "so says the log");
		tap_ret(work_context_status(gated.context), DRM_QUIRE_CONTEXT_INCOMPLETE,
			"in its middle");
	} else {
		gated_expect_done(&gated, submitting);
	}
	tap_ret(quire_object_wait(gated.large[0], WAIT_MS * 1000000ll), 0, "they end");
	tap_ret(work_context_status(context), DRM_QUIRE_CONTEXT_GOOD, "as they should");
	refusals_close(log);
	quire_context_destroy(context);
	work_gate_close(&gate);
	gated_close(&gated);
}

/* Others work until @gate is open. Returns a file of the fence that ends it. */
static int start_working(struct gated *gated, struct quire_context *context,
			 const struct gate *gate)
{
	struct quire_fence *fence = work_fence(&gated->work);
	int file;

	work_wait_at(&gated->work, gate, 1);
	tap_ret(work_submit(&gated->work, context, 1, NULL, fence), 0, "others work for long");
	file = quire_fence_export(fence, 0);
	quire_fence_close(fence);
	return file;
}

/* They begin with what a later part has to page in. */
static void test_begun(void)
{
	struct quire_context *context;
	pthread_t submitting;
	struct gated gated;
	struct gate gate;
	int dmabuf, file;

	gated_open(&gated, 0, 5);
	context = work_context(&gated.work);
	work_gate_open_apart(&gated.work, &gate);
	file = start_working(&gated, context, &gate);
	dmabuf = dmabuf_export(gated.work.fixture.fd, quire_object_handle(gated.large[1]));
	gated_record(&gated);
	submitting = gated_start(gated_submit, &gated);
	tap_ok(gated_gets_within(&gated, "quire_submit_evict"), "a part is queued, one has to go");
	tap_ret(dmabuf_import_sync_file(dmabuf, file), 0, "others begin with the next object");
	gated_raise_to(&gated, UINT64_MAX);
	tap_ok(gated_comes_true(&gated.done, GIVEN_UP_MS), "it does not wait for ever");
	work_gate_raise(&gate, 1);
	pthread_join(submitting, NULL);
	tap_ret(gated.ret, -EBUSY, "the submission ends");
	tap_ok(gated.work.result.refused_where == DRM_QUIRE_REFUSAL_ALLOCATIONS &&
	       gated.work.result.refused_entry == 2, "the object is the reason");
	tap_ret(work_context_status(gated.context), DRM_QUIRE_CONTEXT_INCOMPLETE, "in its middle");
	close(dmabuf);
	close(file);
	work_gate_close(&gate);
	quire_context_destroy(context);
	gated_close(&gated);
}

/* At work with three eighths of VRAM until @gate is open. */
static struct quire_object *occupy(struct work *work, struct quire_context *context,
				   const struct gate *gate)
{
	struct quire_object *object;

	object = work_object(work, fixture_vram(&work->fixture) / 8 * 3 & ~(QUIRE_PAGE - 1));
	quire_recorder_write_value(work->recorder, quire_at(object, 0), 1);
	work_wait_at(work, gate, 1);
	tap_ret(work_submit(work, context, 1, NULL, NULL), 0, "others have much of VRAM");
	return object;
}

/*
 * Room that others have is waited for in vain. What it has to evict of its own then takes as long
 * as its own commands do.
 */
static void test_crowded(void)
{
	struct quire_context *context;
	struct quire_object *object;
	pthread_t submitting;
	struct gated gated;
	struct gate gate;

	gated_open(&gated, 0, 2);
	work_open(&gated.other);
	context = work_context(&gated.other);
	work_gate_open_apart(&gated.other, &gate);
	object = occupy(&gated.other, context, &gate);
	gated_record(&gated);
	submitting = gated_start(gated_submit, &gated);
	tap_ok(gated_gets_within(&gated, "quire_submit_evict"), "a part is queued, one has to go");
	tap_ok(!gated_comes_true(&gated.done, CROWDED_MS), "its own part is waited for");
	gated_expect_done(&gated, submitting);
	work_gate_raise(&gate, 1);
	tap_ret(quire_object_wait(object, WAIT_MS * 1000000ll), 0, "the others were there");
	quire_object_close(object);
	work_gate_close(&gate);
	quire_context_destroy(context);
	work_close(&gated.other);
	gated_close(&gated);
}

int main(void)
{
	struct fixture fixture;
	bool hides;

	tap_start(280);
	fixture_open(&fixture);
	if (getuid() || !*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	hides = fixture_visible(&fixture) < fixture_vram(&fixture);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	for (unsigned int i = 0; hides && i < ARRAY_SIZE(robberies); i++)
		test_robbed(&robberies[i]);
	if (fixture.info.execution_rings > 1) {
		test_used(0);
		test_used(-EBUSY);
		test_begun();
		test_crowded();
	}
	test_parameter("hang_period", 3000);
	close(fixture.fd);
	return tap_done();
}
