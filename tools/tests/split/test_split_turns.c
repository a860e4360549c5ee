// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A submission of many parts takes long. Who wants room meanwhile has it between two parts, and
 * what is bound all the time comes back to where it was.
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include "child.h"
#include "refuse.h"
#include "vram.h"
#include "work.h"

#define NR_PARTS	48u
#define NR_TEXTURES	3u
#define NR_PLACED	3u
#define NEVER		UINT_MAX
#define NR_KILLED	6u
#define SLICE_US	30000	/* a part takes so long at least: a turn lasts for some */
#define USED		65536u	/* bytes that commands add up */
#define LONG_MS		17000	/* longer than who has the turn waits for others, and not twice */
#define TURNS_MS	60000	/* as long, and so often others have their turn meanwhile */

/**
 * struct scene - a submission in as many parts as it has textures to add to a canvas
 * @work: the device
 * @context: of the submission
 * @canvas: bound all the time; its last page says where it is
 * @textures: any two of them and the canvas do not fit
 * @gate: number @parts begins when the number at 0 is larger; the next number says how many
 *        are executed
 * @numbers: of the gate
 * @thread: that submits
 * @ret: what the submission returned
 * @wanted: so often does another program want room for its object meanwhile
 * @other: its thread
 * @made: its object exists, with content
 * @placed: how often it has had it
 * @refused: what it got instead
 * @busy: it is at work with its object until the number at its gate is 1
 * @others: that number
 * @stays: it keeps its object afterwards, until this is false
 */
struct scene {
	struct work work;
	struct quire_context *context;
	struct quire_object *canvas;
	struct quire_object *textures[NR_TEXTURES];
	struct quire_object *gate;
	uint64_t *numbers;
	atomic_int thread;
	int ret;
	atomic_int other;
	atomic_bool made;
	atomic_uint placed;
	atomic_uint wanted;
	int refused;
	struct work busy;
	uint64_t *others;
	atomic_bool stays;
};

/**
 * struct rival - who wants the turn again and again
 * @ends: it is enough
 * @ret: what became of it
 */
struct rival {
	atomic_bool ends;
	int ret;
};

static void *map(struct quire_object *object)
{
	void *bytes;

	if (quire_object_map(object, &bytes))
		tap_bail("map");
	return bytes;
}

static struct quire_object *object_of(const struct scene *scene, uint64_t size, uint32_t first)
{
	struct quire_object *object = work_object(&scene->work, size & ~(QUIRE_PAGE - 1));
	uint32_t *numbers = map(object);

	for (unsigned int i = 0; i < USED / sizeof(*numbers); i++)
		numbers[i] = first;
	return object;
}

/* Numbers for the CPU and commands, out of VRAM. */
static struct quire_object *gate_of(const struct work *work)
{
	return work_object_in(work, QUIRE_PAGE,
			      DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM) |
			      DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE));
}

/* A page that no other one is equal to. */
static void mark(struct quire_object *canvas, uint8_t page[QUIRE_PAGE])
{
	for (unsigned int i = 0; i < QUIRE_PAGE; i++)
		page[i] = i * 7 ^ i >> 5;
	memcpy((uint8_t *)map(canvas) + quire_object_size(canvas) - QUIRE_PAGE, page, QUIRE_PAGE);
}

static void scene_open(struct scene *scene)
{
	uint64_t vram;

	memset(scene, 0, sizeof(*scene));
	work_begin(&scene->work);
	vram = fixture_vram(&scene->work.fixture);
	scene->context = work_context(&scene->work);
	scene->canvas = object_of(scene, vram / 2, 5);
	for (unsigned int i = 0; i < NR_TEXTURES; i++)
		scene->textures[i] = object_of(scene, vram / 8 * 3, i + 1);
	scene->gate = gate_of(&scene->work);
	scene->numbers = map(scene->gate);
}

static void scene_close(struct scene *scene)
{
	quire_object_close(scene->gate);
	for (unsigned int i = 0; i < NR_TEXTURES; i++)
		quire_object_close(scene->textures[i]);
	quire_object_close(scene->canvas);
	quire_context_destroy(scene->context);
	work_end(&scene->work);
}

static void record(struct scene *scene)
{
	struct quire_recorder *recorder = scene->work.recorder;

	/* the end of VRAM, where all begin to look for room, is taken when the canvas comes */
	quire_recorder_compare(recorder, quire_at(scene->gate, 24),
			       quire_at(scene->textures[0], 0), 8, quire_at(scene->gate, 16));
	quire_recorder_bind(recorder, 0, quire_at(scene->canvas, 0),
			    quire_object_size(scene->canvas), true);
	for (unsigned int i = 0; i < NR_PARTS; i++) {
		quire_recorder_arithmetic(recorder, QUIRE_ARITHMETIC_ADD,
					  quire_at(scene->textures[i % NR_TEXTURES], 0),
					  quire_at(scene->canvas, 0), USED);
		quire_recorder_wait_value(recorder, QUIRE_WAIT_GREATER_EQUAL,
					  quire_at(scene->gate, 0), i + 1);
		quire_recorder_write_value(recorder, quire_at(scene->gate, 8), i + 1);
	}
}

static void *submit(void *data)
{
	struct scene *scene = data;

	scene->thread = gettid();
	scene->ret = work_submit(&scene->work, scene->context, 0, NULL, NULL);
	return NULL;
}

/* More than is free beside what the submission needs; it is somebody else's. */
static void *place(void *data)
{
	struct scene *scene = data;
	struct fixture fixture;
	struct object object;

	scene->other = gettid();
	fixture_open(&fixture);
	scene->refused = object_create(&fixture, &object, fixture_vram(&fixture) / 4 * 3, 3);
	scene->made = true;
	while (!scene->refused && scene->placed < scene->wanted) {
		scene->refused = quire_bo_place(fixture.fd, object.handle,
						DRM_QUIRE_SEGMENT_VRAM, 0) ?:
				 quire_bo_place(fixture.fd, object.handle,
						DRM_QUIRE_SEGMENT_SYSTEM, 0);
		scene->placed++;
	}
	if (!scene->refused)
		scene->refused = object_check(&fixture, &object);
	close(fixture.fd);
	return NULL;
}

/* Let one more part end, and wait for that, or until the other one had room so often. */
static bool step(struct scene *scene, uint64_t part, unsigned int placed)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	__atomic_store_n(&scene->numbers[0], part, __ATOMIC_SEQ_CST);
	do {
		usleep(SLICE_US);
		if (__atomic_load_n(&scene->numbers[1], __ATOMIC_SEQ_CST) >= part ||
		    scene->placed >= placed)
			return true;
	} while (quire_now_ns() < end);
	return false;
}

static off_t canvas_at(const struct scene *scene, const uint8_t page[QUIRE_PAGE])
{
	int fd = vram_open(&scene->work.fixture, O_RDONLY);
	off_t at = vram_find(fd, page);

	close(fd);
	return at;
}

/* Each number of the canvas is what it was, and what all parts have added. */
static bool canvas_is_right(const struct scene *scene)
{
	uint32_t expected = 5, wrong = 0;
	uint32_t *numbers = map(scene->canvas);

	for (unsigned int i = 0; i < NR_PARTS; i++)
		expected += i % NR_TEXTURES + 1;
	if (quire_object_wait(scene->canvas, WAIT_MS * 1000000ll))
		tap_bail("canvas");
	for (unsigned int i = 0; i < USED / sizeof(*numbers); i++)
		wrong += numbers[i] != expected;
	return !wrong;
}

static pthread_t start(void *(*function)(void *data), void *data)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, data))
		tap_bail("thread");
	return thread;
}

/*
 * Until the other one waits for something in the driver, or had room so often: parts that end
 * while it is at work itself would be over before it asks again, on a slow machine.
 */
static bool wait_other(const struct scene *scene, unsigned int placed)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	while (scene->placed < placed && !child_is_within(scene->other, "quire_"))
		if (quire_now_ns() > end)
			return false;
	return true;
}

/* Until the other one had room so often. Returns the part at which that was. */
static uint64_t step_until(struct scene *scene, uint64_t part, unsigned int placed)
{
	bool goes = true;

	/* to write the object may take longer than all parts do */
	while (!scene->made)
		usleep(SLICE_US);
	while (goes && scene->placed < placed && part <= NR_PARTS)
		goes = wait_other(scene, placed) && step(scene, part++, placed);
	tap_ok(goes && part <= NR_PARTS, "another program has room between parts");
	tap_diag("after %u of %u parts", (unsigned int)part, NR_PARTS);
	return part;
}

/*
 * The submission begins, and its first part is executed. Returns where the canvas is then; @page
 * is its last one.
 */
static off_t begin(struct scene *scene, uint8_t page[QUIRE_PAGE], pthread_t *submitting)
{
	scene_open(scene);
	mark(scene->canvas, page);
	record(scene);
	*submitting = start(submit, scene);
	step(scene, 1, NEVER);
	return canvas_at(scene, page);
}

static void expect_done(struct scene *scene)
{
	tap_ret(scene->refused, 0, "the other one was never refused, and has all of it");
	tap_ret(scene->ret, 0, "the submission is queued");
	tap_ok(scene->work.result.parts == NR_PARTS, "there are as many parts as textures");
	tap_ok(canvas_is_right(scene), "all parts were executed, each once");
	tap_ok(work_context_status(scene->context) == DRM_QUIRE_CONTEXT_GOOD,
	       "the context is good");
}

/* All that is left is executed, when @other has ended, too. */
static void finish(struct scene *scene, pthread_t submitting, pthread_t other)
{
	__atomic_store_n(&scene->numbers[0], NR_PARTS, __ATOMIC_SEQ_CST);
	pthread_join(other, NULL);
	pthread_join(submitting, NULL);
	expect_done(scene);
	scene_close(scene);
}

static void test_placing(void)
{
	pthread_t submitting, placing;
	uint8_t page[QUIRE_PAGE];
	struct scene scene;
	uint64_t part;
	off_t at;

	at = begin(&scene, page, &submitting);
	scene.wanted = NR_PLACED;
	placing = start(place, &scene);
	part = step_until(&scene, 2, NR_PLACED);
	if (step(&scene, part, NEVER))
		tap_ok(at >= 0 && canvas_at(&scene, page) == at, "what is bound is where it was");
	finish(&scene, submitting, placing);
}

/* Takes all of VRAM, and waits there. */
static void *occupy(void *data)
{
	struct scene *scene = data;
	struct work *busy = &scene->busy;
	struct quire_object *gate, *object;
	struct quire_context *context;

	scene->other = gettid();
	work_open(busy);
	context = work_context(busy);
	gate = gate_of(busy);
	scene->others = map(gate);
	object = work_object(busy, fixture_vram(&busy->fixture) / 16 * 15 & ~(QUIRE_PAGE - 1));
	scene->made = true;
	quire_recorder_bind(busy->recorder, 0, quire_at(object, 0), quire_object_size(object),
			    true);
	quire_recorder_fill(busy->recorder, quire_at(object, 0), QUIRE_PAGE, 1);
	quire_recorder_wait_value(busy->recorder, QUIRE_WAIT_EQUAL, quire_at(gate, 0), 1);
	scene->refused = work_submit(busy, context, 1, NULL, NULL);
	scene->placed++;
	quire_object_wait(object, INT64_MAX);
	if (work_context_status(context) != DRM_QUIRE_CONTEXT_GOOD)
		scene->refused = -EIO;
	while (scene->stays)
		test_sleep_ms(1);
	quire_object_close(object);
	quire_object_close(gate);
	quire_context_destroy(context);
	work_close(busy);
	return NULL;
}

/* A few pages, which fit beside all that is there. */
static void expect_room(const struct scene *scene, const char *name)
{
	struct fixture fixture;
	struct object object;

	fixture_open(&fixture);
	tap_ret(object_create(&fixture, &object, 16 * QUIRE_PAGE, 3), 0, "create");
	tap_ret(quire_bo_place(fixture.fd, object.handle, DRM_QUIRE_SEGMENT_VRAM, 0), 0, "%s",
		name);
	tap_ok(!__atomic_load_n(scene->others, __ATOMIC_SEQ_CST), "which still are");
	tap_ret(object_check(&fixture, &object), 0, "the object is right");
	close(fixture.fd);
}

/* Others are at work where the first object has to go. */
static pthread_t occupied_open(struct scene *scene)
{
	pthread_t occupying;

	scene_open(scene);
	record(scene);
	occupying = start(occupy, scene);
	while (!scene->placed && !scene->refused)
		test_sleep_ms(1);
	return occupying;
}

/* What needs room where they are. */
static pthread_t submit_in_the_way(struct scene *scene)
{
	pthread_t submitting;

	__atomic_store_n(&scene->numbers[0], NR_PARTS, __ATOMIC_SEQ_CST);
	submitting = start(submit, scene);
	while (!scene->thread)
		test_sleep_ms(1);
	tap_ok(child_gets_within(scene->thread, "quire_validation_wait", WAIT_MS),
	       "a submission waits for others in its turn");
	return submitting;
}

static void *take_turns(void *data)
{
	int64_t end = quire_now_ns() + TURNS_MS * 1000000ll;
	struct rival *rival = data;
	struct fixture fixture;
	struct object object;

	fixture_open(&fixture);
	rival->ret = object_create(&fixture, &object, QUIRE_PAGE, 3);
	while (!rival->ret && !rival->ends && quire_now_ns() < end)
		rival->ret = quire_bo_place(fixture.fd, object.handle, DRM_QUIRE_SEGMENT_VRAM, 0);
	close(fixture.fd);
	return NULL;
}

/* Whose turns come in between does not make the wait longer. */
static void wait_among_rivals(pthread_t submitting)
{
	int64_t begin = quire_now_ns();
	struct rival rival = { };
	pthread_t taking = start(take_turns, &rival);

	pthread_join(submitting, NULL);
	tap_ok(quire_now_ns() - begin < TURNS_MS * 1000000ll, "it ends while others take turns");
	rival.ends = true;
	pthread_join(taking, NULL);
	tap_ret(rival.ret, 0, "who get them");
}

/* They never end: it is refused, as nothing of it was queued. */
static void test_no_room(void)
{
	struct scene scene;
	pthread_t occupying = occupied_open(&scene);
	int log = refusals_open();

	wait_among_rivals(submit_in_the_way(&scene));
	tap_ret(scene.ret, -ENOSPC, "others are where it has to go for too long");
	tap_ok(refusals_say(log, -ENOSPC, "others are in the way of allocation 1"),
	       "the log says of which allocation");
	refusals_close(log);
	tap_ok(strstr(scene.work.result.message, "others are at work"), "in words: %s",
	       scene.work.result.message);
	tap_ok(!scene.work.result.parts && !scene.work.result.submission, "nothing was queued");
	tap_ok(work_context_status(scene.context) == DRM_QUIRE_CONTEXT_GOOD,
	       "the context is good");
	__atomic_store_n(scene.others, 1, __ATOMIC_SEQ_CST);
	pthread_join(occupying, NULL);
	tap_ret(scene.refused, 0, "the others were not disturbed");
	scene_close(&scene);
}

/* Who needs no room of theirs does not wait for them. */
static void test_in_the_way(void)
{
	struct scene scene;
	pthread_t occupying = occupied_open(&scene), submitting = submit_in_the_way(&scene);

	expect_room(&scene, "another program has room while it waits for them");
	tap_ok(child_gets_within(scene.thread, "quire_validation_wait", WAIT_MS),
	       "it waits again");
	__atomic_store_n(scene.others, 1, __ATOMIC_SEQ_CST);
	finish(&scene, submitting, occupying);
}

static void on_signal(int signal)
{
	(void)signal;
}

/* Has the turn until others are done with what is in VRAM. */
static pid_t evict_all(const struct scene *scene)
{
	pid_t pid = child_start(60);

	if (!pid)
		_exit(-debugfs_write(scene->work.fixture.debugfs, "evict_all", "1"));
	return pid;
}

/* Nothing is queued, and somebody else has the turn: a signal ends the call, which begins anew. */
static void test_interrupted(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct scene scene;
	pthread_t occupying = occupied_open(&scene), submitting = submit_in_the_way(&scene);
	pid_t pid;

	sigaction(SIGUSR1, &action, NULL);
	pid = evict_all(&scene);
	tap_ok(child_gets_within(scene.thread, "quire_turn_again", WAIT_MS),
	       "somebody else has the turn for long");
	pthread_kill(submitting, SIGUSR1);
	tap_ok(child_gets_within(scene.thread, "quire_turn_begin", WAIT_MS / 6),
	       "after a signal the submission begins anew");
	__atomic_store_n(scene.others, 1, __ATOMIC_SEQ_CST);
	tap_ret(-child_status(pid), 0, "the other one ends");
	finish(&scene, submitting, occupying);
}

/*
 * It is waited for long, and not by who needs nothing of it. Then what was there comes back to
 * where there is room: all of it, when what the others have can go, but they are still there.
 */
static void test_occupied(void)
{
	pthread_t submitting, occupying;
	uint8_t page[QUIRE_PAGE];
	struct scene scene;
	uint64_t part;
	off_t at;

	at = begin(&scene, page, &submitting);
	scene.stays = true;
	occupying = start(occupy, &scene);
	part = step_until(&scene, 2, 1);
	expect_room(&scene, "another program has room while others are where the canvas was");
	test_sleep_ms(LONG_MS);
	__atomic_store_n(scene.others, 1, __ATOMIC_SEQ_CST);
	if (step(&scene, part, NEVER))
		tap_ok(canvas_at(&scene, page) >= 0 && canvas_at(&scene, page) != at,
		       "what is bound is elsewhere");
	scene.stays = false;
	finish(&scene, submitting, occupying);
}

/* A part that takes long: who wants what it does not need does not wait for it. */
static void test_long(void)
{
	struct scene scene;
	struct fixture fixture;
	struct object object;
	pthread_t submitting;

	scene_open(&scene);
	fixture_open(&fixture);
	record(&scene);
	submitting = start(submit, &scene);
	step(&scene, 1, NEVER);
	tap_ret(object_create(&fixture, &object, fixture_vram(&fixture) / 32, 3), 0, "create");
	tap_ret(quire_bo_place(fixture.fd, object.handle, DRM_QUIRE_SEGMENT_VRAM, 0), 0,
		"another program places an object while a part is executed");
	tap_ok(__atomic_load_n(&scene.numbers[1], __ATOMIC_SEQ_CST) == 1, "which still is");
	__atomic_store_n(&scene.numbers[0], NR_PARTS, __ATOMIC_SEQ_CST);
	pthread_join(submitting, NULL);
	tap_ret(object_check(&fixture, &object), 0, "the object is right");
	close(fixture.fd);
	expect_done(&scene);
	scene_close(&scene);
}

/* Never ends: what is killed is not done. */
static void submit_without_end(void)
{
	struct scene scene;

	scene_open(&scene);
	__atomic_store_n(&scene.numbers[0], UINT64_MAX, __ATOMIC_SEQ_CST);
	for (;;) {
		record(&scene);
		submit(&scene);
		if (scene.ret)
			_exit(-scene.ret);
	}
}

/* Most of them while somebody else has the turn. */
static void test_killed(void)
{
	struct scene scene = { .wanted = NEVER };
	struct fixture fixture;
	pthread_t placing;
	unsigned int before;
	pid_t pid;
	int status;

	fixture_open(&fixture);
	placing = start(place, &scene);
	for (unsigned int i = 0; i < NR_KILLED; i++) {
		pid = child_start(120);
		if (!pid)
			submit_without_end();
		for (before = scene.placed; scene.placed < before + 2 && !scene.refused;)
			test_sleep_ms(7 * i + 1);
		kill(pid, SIGKILL);
		tap_ok(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status),
		       "process %u is killed between parts", i);
	}
	scene.wanted = 0;
	pthread_join(placing, NULL);
	tap_ret(scene.refused, 0, "who places was never refused, and has all of it");
	tap_ok(fixture_settles(&fixture, fixture.segments), "nothing is left");
	fixture_test_works(&fixture);
}

int main(void)
{
	struct fixture fixture;

	tap_start(250);
	fixture_open(&fixture);
	if (getuid())
		tap_skip_all("not root");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_placing();
	if (fixture.info.execution_rings > 1) {
		test_no_room();
		test_in_the_way();
		test_interrupted();
		test_occupied();
	}
	test_long();
	test_parameter("hang_period", 3000);
	test_killed();
	return tap_done();
}
