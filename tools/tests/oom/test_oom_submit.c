// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Each allocation of a submission fails once, as in test_oom.c: what is refused changed nothing,
 * what was begun says so, and all goes on. What is queued needs no memory any more. Needs a
 * kernel with fault injection, as the debug guest has it.
 */
#include "failing.h"
#include "splitting.h"
#include "steps.h"
#include "work.h"

#define SIZE		(32 * QUIRE_PAGE)
#define NR_OBJECTS	3
#define APART		(NR_OBJECTS - 1)	/* is in the aperture when commands use it */
#define NR_PADS		20			/* so long that they take more than one job */
#define PERIOD_MS	3000			/* others are executed, too */
#define NR_RINGS	2

/**
 * struct scene - who submits, and what
 * @work: the device
 * @context: good before each call
 * @other: context of the work before it
 * @objects: each has the number of the last round that was executed
 * @lists: of the round
 * @fence: gets the end of a round, as one end and as a point
 * @timeline: its points are rounds; the first one has ended
 * @before: fences of work before it
 * @result: of the last call
 * @round: number of it
 * @fences: are handed in
 */
static struct scene {
	struct work work;
	struct quire_context *context;
	struct quire_context *other;
	struct quire_object *objects[NR_OBJECTS];
	struct quire_lists lists;
	struct quire_fence *fence;
	struct quire_fence *timeline;
	struct quire_fence *before[NR_RINGS];
	struct quire_result result;
	uint64_t round;
	bool fences;
} scene;

static void record_round(void)
{
	struct quire_recorder *recorder = scene.work.recorder;

	quire_recorder_reset(recorder);
	for (unsigned int i = 0; i < NR_OBJECTS; i++) {
		quire_recorder_write_value(recorder, quire_at(scene.objects[i], 0), scene.round);
		quire_recorder_copy(recorder, quire_at(scene.objects[i], 0),
				    quire_at(scene.objects[(i + 1) % NR_OBJECTS], QUIRE_PAGE),
				    QUIRE_PAGE);
	}
	for (unsigned int i = 0; i < NR_PADS; i++)
		quire_recorder_nop(recorder, QUIRE_COMMAND_MAX_SIZE);
	if (quire_recorder_finish(recorder, &scene.lists))
		tap_bail("no lists");
}

static int place_all(uint32_t segment, uint32_t apart)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = quire_bo_place(scene.work.fixture.fd, quire_object_handle(scene.objects[i]),
				     i == APART ? apart : segment, 0);
	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = quire_object_wait(scene.objects[i], WAIT_MS * 1000000ll);
	return ret;
}

/* Commands that last a moment, on each ring, in front of what comes. */
static int queue_before(void)
{
	int ret = 0;

	for (uint32_t i = 0; i < NR_RINGS && !ret; i++) {
		quire_recorder_reset(scene.work.recorder);
		quire_recorder_delay(scene.work.recorder, 2000000);
		ret = work_submit(&scene.work, scene.other,
				  i % scene.work.fixture.info.execution_rings, NULL,
				  scene.before[i]);
	}
	return ret;
}

static int place_for_use(bool there)
{
	return there ? place_all(DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_SEGMENT_APERTURE) :
		       place_all(DRM_QUIRE_SEGMENT_SYSTEM, DRM_QUIRE_SEGMENT_SYSTEM);
}

/* Objects have to move; or they are there, and there are fences. */
static int prepare(bool fences)
{
	int ret = place_for_use(fences);

	scene.fences = fences;
	if (!ret && fences)
		ret = queue_before();
	quire_fence_close(scene.fence);
	scene.fence = work_fence(&scene.work);
	scene.round++;
	record_round();
	return ret;
}

static int prepare_moves(const struct fixture *fixture, struct object *object)
{
	(void)fixture;
	(void)object;
	return prepare(false);
}

static int prepare_fences(const struct fixture *fixture, struct object *object)
{
	(void)fixture;
	(void)object;
	return prepare(true);
}

/* Nothing here but the call allocates. */
static int run_submit(const struct fixture *fixture, struct object *object)
{
	const struct quire_fence_point waits[] = {
		{ scene.before[0], 0 }, { scene.before[1], 0 }, { scene.timeline, 1 },
	};
	const struct quire_fence_point signals[] = {
		{ scene.fence, 0 }, { scene.timeline, scene.round },
	};
	const struct quire_submission how = {
		.nr_waits = scene.fences ? ARRAY_SIZE(waits) : 0,
		.waits = waits,
		.nr_signals = ARRAY_SIZE(signals),
		.signals = signals,
	};

	(void)fixture;
	(void)object;
	return quire_submit(scene.context, &scene.lists, &how, &scene.result);
}

/* How many objects, from the first one on, have this round; -EILSEQ: that is not all. */
static int count_done(void)
{
	unsigned int done = 0;

	for (unsigned int i = 0; i < NR_OBJECTS; i++) {
		uint64_t number = work_number(scene.objects[i], 0);

		if (number == scene.round && done == i)
			done++;
		else if (number != scene.round - 1)
			return -EILSEQ;
	}
	return done;
}

static bool copies_are_right(void)
{
	bool right = true;

	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		right &= work_number(scene.objects[i], QUIRE_PAGE) == scene.round;
	return right;
}

/* It failed: either nothing was queued, or the context has ended and says so. */
static int check_failed(void)
{
	uint32_t status = work_context_status(scene.context);
	bool begun = scene.result.parts;
	int done = count_done();

	/* what comes last only takes time: all but that may be done */
	if (done < 0 || (done && !begun) || (done < NR_OBJECTS && copies_are_right()))
		return -EILSEQ;
	if (status != (begun ? DRM_QUIRE_CONTEXT_INCOMPLETE : DRM_QUIRE_CONTEXT_GOOD))
		return -EPROTO;
	if (quire_fence_wait(scene.fence, 0, 0) != -EINVAL ||
	    quire_fence_wait(scene.timeline, scene.round, 0) != -EINVAL)
		return -EBADE;
	if (!begun)
		return 0;
	quire_context_destroy(scene.context);
	scene.context = work_context(&scene.work);
	return 0;
}

/* With memory it is executed, whatever became of it before. */
static int finish_placed(const struct fixture *fixture, struct object *object, int ret)
{
	if (ret)
		ret = check_failed() ?: run_submit(fixture, object);
	ret = ret ?: work_fence_wait(scene.fence);
	ret = ret ?: quire_fence_wait(scene.timeline, scene.round, 0);
	if (!ret && (count_done() != NR_OBJECTS || !copies_are_right()))
		ret = -EILSEQ;
	return ret;
}

/* And all is where it was. */
static int finish_moves(const struct fixture *fixture, struct object *object, int ret)
{
	return finish_placed(fixture, object, ret) ?: place_for_use(false);
}

static int run_context(const struct fixture *fixture, struct object *object)
{
	struct quire_context *context;
	int ret;

	(void)fixture;
	(void)object;
	ret = quire_context_create(scene.work.device, DRM_QUIRE_PRIORITY_NORMAL, &context);
	if (!ret)
		quire_context_destroy(context);
	return ret;
}

static const struct step whole[] = {
	{ "context", NULL, run_context, step_finish_whole },
	{ "objects that move", prepare_moves, run_submit, finish_moves },
	{ "objects that are there, and fences", prepare_fences, run_submit, finish_placed },
};

static const struct step at_every_point[] = {
	{ "divided, with fences", prepare_fences, run_submit, finish_placed },
};

static const struct step in_little_memory[] = {
	{ "divided, objects come and go", prepare_moves, run_submit, finish_moves },
};

static void test_steps(struct object *object, const struct step *steps, unsigned int count)
{
	/* Each finds them where it leaves them. */
	for (unsigned int i = 0; i < count; i++) {
		tap_ret(place_for_use(steps[i].prepare == prepare_fences), 0, "objects are placed");
		step_test(&scene.work.fixture, object, &steps[i]);
	}
	splitting_usual();
}

static struct quire_fence *queue(uint32_t ring, const struct quire_fence *wait)
{
	struct quire_fence *fence = work_fence(&scene.work);

	if (work_submit(&scene.work, scene.context, ring, wait, fence))
		tap_bail("submit");
	return fence;
}

static void expect_end(struct quire_fence *fence, int expected, const char *name)
{
	tap_ret(work_fence_wait(fence), expected, "%s", name);
	quire_fence_close(fence);
}

/*
 * Nothing of the driver finds memory, whoever calls it, while commands come to the number that
 * they write in the end. It is looked at in memory: a call that waits would need some, too.
 */
static bool comes_to_end_without_memory(const struct gate *end)
{
	int64_t until = quire_now_ns() + WAIT_MS * 1000000ll;

	while (!work_gate_number(end) && quire_now_ns() < until)
		test_sleep_ms(1);
	return work_gate_number(end);
}

static void take_memory(void)
{
	tap_ok(failing_all(0, 0), "there is no memory any more");
}

static void give_memory(void)
{
	tap_ok(failing_none(), "there is memory again");
}

/* What is queued waits for a gate, and for each other across the rings. */
static void test_queued(void)
{
	const uint32_t last = scene.work.fixture.info.execution_rings - 1;
	struct quire_recorder *recorder = scene.work.recorder;
	struct quire_fence *first, *second;
	struct gate gate, end;

	work_gate_open(&scene.work, &gate);
	work_gate_open(&scene.work, &end);
	scene.round++;
	quire_recorder_reset(recorder);
	work_wait_at(&scene.work, &gate, 1);
	first = queue(0, NULL);
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		quire_recorder_write_value(recorder, quire_at(scene.objects[i], 0), scene.round);
	quire_recorder_write_value(recorder, quire_at(end.object, 0), 1);
	second = queue(last, first);
	take_memory();
	work_gate_raise(&gate, 1);
	tap_ok(comes_to_end_without_memory(&end), "what was queued is executed");
	give_memory();
	expect_end(second, 0, "its fence says so");
	expect_end(first, 0, "and that before it");
	tap_ret(count_done(), NR_OBJECTS, "its bytes are right");
	work_gate_close(&gate);
	work_gate_close(&end);
}

/* One hangs: its context ends, and others go on. */
static void test_hang(void)
{
	struct quire_fence *hung, *others = work_fence(&scene.work);
	struct gate gate, end;

	work_gate_open(&scene.work, &gate);
	work_gate_open(&scene.work, &end);
	work_wait_at(&scene.work, &gate, 1);
	hung = queue(0, NULL);
	quire_recorder_write_value(scene.work.recorder, quire_at(end.object, 0), 1);
	tap_ret(work_submit(&scene.work, scene.other, 0, NULL, others), 0, "others are behind it");
	take_memory();
	test_parameter("hang_period", PERIOD_MS);
	tap_ok(comes_to_end_without_memory(&end), "others go on");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	give_memory();
	expect_end(hung, -EIO, "who hangs is given up");
	expect_end(others, 0, "others are not");
	tap_ret(work_context_status(scene.context), DRM_QUIRE_CONTEXT_HUNG, "its context ends");
	work_gate_close(&gate);
	work_gate_close(&end);
}

/* One of them is never in VRAM. */
static uint32_t classes_of(unsigned int number)
{
	return number != APART ? 0 : DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM) |
				     DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE);
}

static void open_scene(void)
{
	scene.context = work_context(&scene.work);
	scene.other = work_context(&scene.work);
	scene.fence = work_fence(&scene.work);
	scene.timeline = work_fence(&scene.work);
	for (unsigned int i = 0; i < NR_RINGS; i++)
		scene.before[i] = work_fence(&scene.work);
	for (unsigned int i = 0; i < NR_OBJECTS; i++) {
		scene.objects[i] = work_object_in(&scene.work, SIZE, classes_of(i));
		work_set_number(scene.objects[i], 0, 1);
	}
	scene.round = 1;
	tap_ret(quire_fence_signal(scene.timeline, 1), 0, "a timeline");
}

static void close_scene(void)
{
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		quire_object_close(scene.objects[i]);
	for (unsigned int i = 0; i < NR_RINGS; i++)
		quire_fence_close(scene.before[i]);
	quire_fence_close(scene.timeline);
	quire_fence_close(scene.fence);
	quire_context_destroy(scene.other);
	quire_context_destroy(scene.context);
}

int main(void)
{
	struct object object;

	tap_start(280);
	work_begin(&scene.work);
	if (!splitting_begin() || !failing_begin())
		tap_skip_all("a kernel without fault injection, or not root");
	tap_ret(object_create(&scene.work.fixture, &object, QUIRE_PAGE, 1), 0, "create");
	open_scene();
	test_steps(&object, whole, ARRAY_SIZE(whole));
	tap_ok(splitting_set("split_every_point", 1), "divided at every point");
	test_steps(&object, at_every_point, ARRAY_SIZE(at_every_point));
	tap_ok(splitting_set("split_max_bytes", 2 * SIZE), "divided, with room for two objects");
	test_steps(&object, in_little_memory, ARRAY_SIZE(in_little_memory));
	test_parameter("hang_period", WORK_PATIENCE_MS);
	tap_ok(failing_below("quire"), "only the driver will be out of memory");
	test_queued();
	test_hang();
	failing_end();
	test_parameter("hang_period", 3000);
	close_scene();
	object_close(&scene.work.fixture, &object);
	splitting_end();
	work_end(&scene.work);
	return tap_done();
}
