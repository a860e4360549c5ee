// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Who waits for whom while a submission is divided: the CPU for an object until that has left
 * VRAM, and no longer; nobody for fences that are none of his.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <linux/dma-buf.h>

#include "dmabuf.h"
#include "splitting.h"
#include "vgem.h"
#include "work.h"

#define NR_LARGE	3u
#define NR_PARTS	6u
#define TOUCH_MS	9000	/* who is not told that it can go on looks after 15 s */
#define LOOK_MS		4000	/* so long nobody has an object locked who only looks */
#define NR_MANY		32000u	/* parts that take long together, and none of them alone */
#define ALONE_MS	300	/* a machine that is busy holds up a process so long */
#define KILL_MS		7000	/* who waits for others does so for 15 s */
#define FOREIGN_MS	5000	/* less than a fence of vgem lasts, which is 10 s */

/**
 * struct scene - a submission in parts, each of which waits at a gate
 * @work: the device
 * @context: of the submission
 * @canvas: bound all the time, or NULL
 * @large: one after the other; no two fit, with the canvas
 * @gate: part number i ends when the number there is at least i
 * @number: it
 * @ret: what the submission returned
 * @done: it did
 * @other: what another thread does meanwhile
 * @other_ret: what came of it
 * @other_done: that has ended
 */
struct scene {
	struct work work;
	struct quire_context *context;
	struct quire_object *canvas;
	struct quire_object *large[NR_LARGE];
	struct quire_object *gate;
	uint64_t *number;
	int ret;
	atomic_bool done;
	struct work other;
	int other_ret;
	atomic_bool other_done;
};

static void *map(struct quire_object *object)
{
	void *bytes;

	if (quire_object_map(object, &bytes))
		tap_bail("map");
	return bytes;
}

static uint64_t pages(uint64_t bytes)
{
	return bytes & ~(QUIRE_PAGE - 1);
}

/* @canvas, @large: eighths of VRAM; 0: there is no canvas, and what is large has a page */
static void scene_open(struct scene *scene, uint64_t canvas, uint64_t large)
{
	uint64_t eighth;

	memset(scene, 0, sizeof(*scene));
	work_begin(&scene->work);
	eighth = fixture_vram(&scene->work.fixture) / 8;
	scene->context = work_context(&scene->work);
	if (canvas)
		scene->canvas = work_object(&scene->work, pages(canvas * eighth));
	for (unsigned int i = 0; i < NR_LARGE; i++)
		scene->large[i] = work_object(&scene->work,
					      large ? pages(large * eighth) : QUIRE_PAGE);
	scene->gate = work_object_in(&scene->work, QUIRE_PAGE,
				     DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM) |
				     DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE));
	scene->number = map(scene->gate);
}

static void scene_close(struct scene *scene)
{
	quire_object_close(scene->gate);
	for (unsigned int i = 0; i < NR_LARGE; i++)
		quire_object_close(scene->large[i]);
	quire_object_close(scene->canvas);
	quire_context_destroy(scene->context);
	work_end(&scene->work);
}

/* Part number i, from 1, writes i, and waits. */
static void record(struct scene *scene)
{
	struct quire_recorder *recorder = scene->work.recorder;

	if (scene->canvas)
		quire_recorder_bind(recorder, 0, quire_at(scene->canvas, 0),
				    quire_object_size(scene->canvas), true);
	for (unsigned int i = 1; i <= NR_PARTS; i++) {
		quire_recorder_write_value(recorder,
					   quire_at(scene->large[(i - 1) % NR_LARGE], 0), i);
		if (scene->canvas)
			quire_recorder_write_value(recorder, quire_at(scene->canvas, 8 * i), i);
		quire_recorder_wait_value(recorder, QUIRE_WAIT_GREATER_EQUAL,
					  quire_at(scene->gate, 0), i);
	}
}

static void *submit(void *data)
{
	struct scene *scene = data;

	scene->ret = work_submit(&scene->work, scene->context, 0, NULL, NULL);
	scene->done = true;
	return NULL;
}

static pthread_t start(void *(*function)(void *data), void *data)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, data))
		tap_bail("thread");
	return thread;
}

static void raise_to(const struct scene *scene, uint64_t number)
{
	__atomic_store_n(scene->number, number, __ATOMIC_SEQ_CST);
}

static bool comes_true(const atomic_bool *what, unsigned int milliseconds)
{
	int64_t end = quire_now_ns() + milliseconds * 1000000ll;

	while (!*what && quire_now_ns() < end)
		test_sleep_ms(5);
	return *what;
}

/* Until the object is in VRAM, or not there any more. */
static bool settles(struct quire_object *object, bool in_vram)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	while ((quire_object_class(object) == DRM_QUIRE_SEGMENT_VRAM) != in_vram) {
		if (quire_now_ns() > end)
			return false;
		test_sleep_ms(5);
	}
	return true;
}

/* Each number is that of the last part that wrote it. */
static bool is_right(struct scene *scene)
{
	bool right = true;

	for (unsigned int i = 0; i < NR_LARGE; i++)
		right &= work_number(scene->large[i], 0) == NR_PARTS - NR_LARGE + 1 + i;
	for (unsigned int i = 1; scene->canvas && i <= NR_PARTS; i++)
		right &= work_number(scene->canvas, 8 * i) == i;
	return right;
}

static void expect_done(struct scene *scene, pthread_t thread)
{
	raise_to(scene, UINT64_MAX);
	pthread_join(thread, NULL);
	tap_ret(scene->ret, 0, "the submission is queued");
	tap_ok(scene->work.result.parts > 1, "in %u parts", scene->work.result.parts);
	tap_ok(is_right(scene), "all of it was executed");
	tap_ret(work_context_status(scene->context), DRM_QUIRE_CONTEXT_GOOD,
		"the context is good");
}

static void *touch(void *data)
{
	struct scene *scene = data;
	uint64_t *number = map(scene->large[0]);

	scene->other_ret = __atomic_load_n(number, __ATOMIC_SEQ_CST) == 1 ? 0 : -EILSEQ;
	scene->other_done = true;
	return NULL;
}

/* It is where only the device sees it, and is evicted; the submission goes on for long. */
static void test_touched(void)
{
	pthread_t submitting, touching;
	struct scene scene;

	scene_open(&scene, 0, 5);
	record(&scene);
	submitting = start(submit, &scene);
	tap_ok(settles(scene.large[0], true), "an object is in VRAM");
	touching = start(touch, &scene);
	tap_ok(!comes_true(&scene.other_done, 500), "the CPU waits for it");
	raise_to(&scene, 1);
	tap_ok(settles(scene.large[0], false), "it leaves VRAM");
	tap_ok(comes_true(&scene.other_done, TOUCH_MS), "the CPU sees it then");
	tap_ok(!scene.done, "while the submission is under way");
	raise_to(&scene, UINT64_MAX);
	pthread_join(touching, NULL);
	tap_ret(scene.other_ret, 0, "and what commands wrote");
	expect_done(&scene, submitting);
	scene_close(&scene);
}

static void *access_canvas(void *data)
{
	struct scene *scene = data;
	int dmabuf = dmabuf_export(scene->work.fixture.fd, quire_object_handle(scene->canvas));

	scene->other_ret = dmabuf_sync(dmabuf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW);
	scene->other_done = true;
	close(dmabuf);
	return NULL;
}

/* It is needed by all parts: nobody takes it from them, not even by its dma-buf. */
static void test_accessed(void)
{
	pthread_t submitting, accessing;
	struct scene scene;

	scene_open(&scene, 4, 3);
	record(&scene);
	submitting = start(submit, &scene);
	tap_ok(settles(scene.large[0], true), "an object is in VRAM");
	accessing = start(access_canvas, &scene);
	test_sleep_ms(500);
	raise_to(&scene, 1);
	tap_ok(settles(scene.large[0], false), "the next part is made");
	expect_done(&scene, submitting);
	pthread_join(accessing, NULL);
	tap_ret(scene.other_ret, 0, "then others may look at what is shared");
	scene_close(&scene);
}

/* Small, and for the same ring. */
static void *submit_small(void *data)
{
	struct scene *scene = data;
	struct quire_context *context = work_context(&scene->other);
	struct quire_object *object = work_object(&scene->other, QUIRE_PAGE);

	quire_recorder_write_value(scene->other.recorder, quire_at(object, 0), 1);
	scene->other_ret = work_submit(&scene->other, context, 0, NULL, NULL);
	scene->other_done = true;
	quire_object_close(object);
	quire_context_destroy(context);
	return NULL;
}

/* What stands on the ring waits for a fence of others. So does what is divided, and nobody else. */
static void test_foreign(void)
{
	struct quire_context *context;
	pthread_t submitting, other;
	struct quire_fence *fence;
	int vgem = vgem_open(), file;
	struct scene scene;
	uint32_t foreign;

	if (vgem < 0) {
		tap_skip("no vgem here", "fences of others");
		return;
	}
	scene_open(&scene, 0, 5);
	raise_to(&scene, UINT64_MAX);
	work_open(&scene.other);
	context = work_context(&scene.work);
	file = vgem_create_fence(vgem, &foreign);
	tap_ret(quire_fence_from_file(scene.work.device, file, &fence), 0,
		"a fence of somebody else");
	quire_recorder_nop(scene.work.recorder, 8);
	tap_ret(work_submit(&scene.work, context, 0, fence, NULL), 0, "work waits for it");
	record(&scene);
	submitting = start(submit, &scene);
	test_sleep_ms(500);
	other = start(submit_small, &scene);
	tap_ok(comes_true(&scene.other_done, FOREIGN_MS), "others submit meanwhile");
	tap_ret(vgem_signal_fence(vgem, foreign), 0, "that one is done");
	pthread_join(other, NULL);
	tap_ret(scene.other_ret, 0, "they are not refused");
	expect_done(&scene, submitting);
	quire_fence_close(fence);
	quire_context_destroy(context);
	work_close(&scene.other);
	scene_close(&scene);
	close(file);
	close(vgem);
}

/* Is an object to be had by who does not move it? */
static void *look(void *data)
{
	struct scene *scene = data;

	scene->other_ret = quire_bo_madvise(scene->work.fixture.fd,
					    quire_object_handle(scene->large[1]),
					    DRM_QUIRE_MADV_WILLNEED, NULL);
	scene->other_done = true;
	return NULL;
}

/* A later part needs an object that others are at work with, who came late. */
static void test_late(void)
{
	pthread_t submitting, looking;
	int vgem = vgem_open();
	struct scene scene;
	uint32_t foreign;

	if (vgem < 0) {
		tap_skip("no vgem here", "a fence that comes late");
		return;
	}
	scene_open(&scene, 0, 0);
	tap_ok(splitting_set("split_max_bytes", QUIRE_PAGE), "divided, with room for one object");
	record(&scene);
	submitting = start(submit, &scene);
	tap_ok(settles(scene.large[0], true), "an object is in VRAM");
	tap_ret(vgem_attach_fence(vgem, scene.work.fixture.fd,
				  quire_object_handle(scene.large[1]), &foreign), 0,
		"somebody is at work with the next one");
	raise_to(&scene, 1);
	tap_ok(settles(scene.large[0], false), "which is wanted");
	test_sleep_ms(300);
	looking = start(look, &scene);
	tap_ok(comes_true(&scene.other_done, LOOK_MS), "its lock is to be had");
	tap_ok(quire_object_class(scene.large[1]) != DRM_QUIRE_SEGMENT_VRAM, "it is not moved");
	tap_ret(vgem_signal_fence(vgem, foreign), 0, "that one is done");
	pthread_join(looking, NULL);
	tap_ret(scene.other_ret, 0, "who looked has seen it");
	expect_done(&scene, submitting);
	splitting_usual();
	scene_close(&scene);
	close(vgem);
}

/* The first part is small, and the second one needs what is in the hands of others. */
static void submit_in_the_way(void)
{
	struct quire_object *small, *large;
	struct quire_context *context;
	struct work work;

	work_open(&work);
	context = work_context(&work);
	small = work_object(&work, QUIRE_PAGE);
	large = work_object(&work, pages(fixture_vram(&work.fixture) / 8 * 5));
	quire_recorder_write_value(work.recorder, quire_at(small, 0), 1);
	quire_recorder_write_value(work.recorder, quire_at(large, 0), 1);
	_exit(-work_submit(&work, context, 0, NULL, NULL));
}

static int64_t kill_and_wait(pid_t pid)
{
	int64_t begin = quire_now_ns();
	int status;

	kill(pid, SIGKILL);
	tap_ok(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status), "it is killed");
	return quire_now_ns() - begin;
}

/* A part is queued, and room for the next one is in the hands of others. */
static void test_killed(void)
{
	struct scene scene;
	int64_t time;
	pid_t pid;

	scene_open(&scene, 0, 5);
	quire_recorder_write_value(scene.work.recorder, quire_at(scene.large[0], 0), 1);
	quire_recorder_wait_value(scene.work.recorder, QUIRE_WAIT_GREATER_EQUAL,
				  quire_at(scene.gate, 0), 1);
	tap_ret(work_submit(&scene.work, scene.context, 1, NULL, NULL), 0,
		"commands are at work with much of VRAM");
	tap_ok(splitting_set("split_every_point", 1), "divided at every point");
	pid = child_start(60);
	if (!pid)
		submit_in_the_way();
	tap_ok(child_gets_within(pid, "quire_passed_over_wait", WAIT_MS), "a process waits for it");
	time = kill_and_wait(pid);
	tap_ok(time < KILL_MS * 1000000ll, "at once");
	tap_diag("it takes %u ms", (unsigned int)(time / 1000000));
	splitting_usual();
	raise_to(&scene, UINT64_MAX);
	tap_ok(work_number(scene.large[0], 0) == 1, "the commands come to their end");
	scene_close(&scene);
}

/* @begun: set when all is recorded */
static void submit_many(atomic_bool *begun)
{
	struct quire_object *objects[2];
	struct quire_context *context;
	struct quire_lists lists;
	struct work work;

	work_open(&work);
	context = work_context(&work);
	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++)
		objects[i] = work_object(&work, QUIRE_PAGE);
	for (unsigned int i = 0; i < NR_MANY; i++)
		quire_recorder_write_value(work.recorder,
					   quire_at(objects[i % ARRAY_SIZE(objects)], 0), i);
	if (quire_recorder_finish(work.recorder, &lists))
		_exit(ENOMEM);
	*begun = true;
	if (quire_submit(context, &lists, NULL, &work.result))
		_exit(EIO);
	_exit(work.result.parts == NR_MANY ? 0 : ERANGE);
}

/* Returns the process, which submits. */
static pid_t start_many(atomic_bool *begun)
{
	pid_t pid;

	*begun = false;
	pid = child_start(120);
	if (!pid)
		submit_many(begun);
	tap_ok(comes_true(begun, WAIT_MS), "a process submits many parts");
	return pid;
}

/* There is nothing to wait for, and much to do. */
static void test_killed_at_work(void)
{
	atomic_bool *begun = mmap(NULL, sizeof(*begun), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int64_t whole, time;
	struct fixture fixture;
	pid_t pid;

	if (begun == MAP_FAILED)
		tap_bail("mmap");
	fixture_open(&fixture);
	tap_ok(splitting_set("split_every_point", 1), "divided at every point");
	pid = start_many(begun);
	whole = quire_now_ns();
	tap_ret(-child_status(pid), 0, "which are executed");
	whole = quire_now_ns() - whole;
	tap_ok(fixture_settles(&fixture, fixture.segments), "to the end");
	pid = start_many(begun);
	test_sleep_ms(whole / 1000000 / 16);
	time = kill_and_wait(pid);
	tap_ok(time < ALONE_MS * 1000000ll + whole / 8, "and does not go on to the end");
	tap_diag("%u ms of %u", (unsigned int)(time / 1000000), (unsigned int)(whole / 1000000));
	splitting_usual();
	tap_ok(fixture_settles(&fixture, fixture.segments), "nothing is left");
	close(fixture.fd);
	munmap(begun, sizeof(*begun));
}

int main(void)
{
	struct fixture fixture;
	uint32_t rings;
	bool hides;

	tap_start(250);
	fixture_open(&fixture);
	if (getuid())
		tap_skip_all("not root");
	rings = fixture.info.execution_rings;
	hides = fixture_visible(&fixture) < fixture_vram(&fixture);
	close(fixture.fd);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	if (hides) {
		test_touched();
		test_accessed();
	}
	test_foreign();
	if (rings > 1 && splitting_begin()) {
		test_late();
		test_killed();
		test_killed_at_work();
		splitting_end();
	}
	test_parameter("hang_period", 3000);
	return tap_done();
}
