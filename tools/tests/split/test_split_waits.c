// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Who waits for whom while a submission is divided: the CPU for an object until that has left
 * VRAM, and no longer; nobody for fences that are none of his.
 */
#include <signal.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <linux/dma-buf.h>

#include "dmabuf.h"
#include "gated.h"
#include "splitting.h"
#include "vgem.h"

#define PERIOD_MS	700
#define TOUCH_MS	9000	/* who is not told that it can go on looks after 15 s */
#define LOOK_MS		4000	/* so long nobody has an object locked who only looks */
#define NR_MANY		32000u	/* parts that take long together, and none of them alone */
#define KILL_MS		7000	/* who waits for others does so for 15 s */
#define SIGNAL_MS	100	/* between two signals */
#define WATCH_MS	1000	/* who waits has a tenth of that of a processor at most */

static void *touch(void *data)
{
	struct gated *gated = data;
	uint64_t *number = gated_map(gated->large[0]);

	gated->other_ret = __atomic_load_n(number, __ATOMIC_SEQ_CST) == 1 ? 0 : -EILSEQ;
	gated->other_done = true;
	return NULL;
}

/* It is where only the device sees it, and is evicted; the submission goes on for long. */
static void test_touched(void)
{
	pthread_t submitting, touching;
	struct gated gated;

	gated_open(&gated, 0, 5);
	gated_record(&gated);
	submitting = gated_start(gated_submit, &gated);
	tap_ok(gated_gets_within(&gated, "quire_submit_evict"), "a part is queued, one has to go");
	touching = gated_start(touch, &gated);
	tap_ok(!gated_comes_true(&gated.other_done, 500), "the CPU waits for it");
	gated_raise_to(&gated, 1);
	tap_ok(gated_settles(gated.large[0], false), "it leaves VRAM");
	tap_ok(gated_comes_true(&gated.other_done, TOUCH_MS), "the CPU sees it then");
	tap_ok(!gated.done, "while the submission is under way");
	gated_raise_to(&gated, UINT64_MAX);
	pthread_join(touching, NULL);
	tap_ret(gated.other_ret, 0, "and what commands wrote");
	gated_expect_done(&gated, submitting);
	gated_close(&gated);
}

static void on_signal(int signal)
{
	(void)signal;
}

/* A system call, with signals that it takes when it is over. */
static pid_t start_write(const void *bytes)
{
	const struct timeval period = { .tv_usec = SIGNAL_MS * 1000 };
	const struct itimerval timer = { period, period };
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	pid_t pid = child_start(WAIT_MS / 1000);
	int pipes[2];

	if (pid)
		return pid;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	_exit(pipe(pipes) || write(pipes[1], bytes, QUIRE_PAGE) != QUIRE_PAGE);
}

/* A system call touches it: it sleeps, whatever signals come. */
static void test_called(void)
{
	pthread_t submitting;
	struct gated gated;
	long spent;
	pid_t pid;

	gated_open(&gated, 0, 5);
	gated_record(&gated);
	submitting = gated_start(gated_submit, &gated);
	tap_ok(gated_gets_within(&gated, "quire_submit_evict"), "a part is queued, one has to go");
	pid = start_write(gated_map(gated.large[0]));
	tap_ok(child_gets_within(pid, "quire_bo_fault", WAIT_MS), "a system call touches it");
	test_sleep_ms(2 * SIGNAL_MS);
	spent = child_cpu_ms(pid);
	test_sleep_ms(WATCH_MS);
	spent = child_cpu_ms(pid) - spent;
	tap_ok(child_is_running(pid) && spent <= WATCH_MS / 10, "it waits, and does nothing");
	tap_diag("%ld ms of a processor in %d ms", spent, WATCH_MS);
	gated_expect_done(&gated, submitting);
	tap_ret(child_status(pid), 0, "it goes on");
	gated_close(&gated);
}

static void *access_canvas(void *data)
{
	struct gated *gated = data;
	int dmabuf = dmabuf_export(gated->work.fixture.fd, quire_object_handle(gated->canvas));

	gated->other_ret = dmabuf_sync(dmabuf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW);
	gated->other_done = true;
	close(dmabuf);
	return NULL;
}

/* It is needed by all parts: nobody takes it from them, not even by its dma-buf. */
static void test_accessed(void)
{
	pthread_t submitting, accessing;
	int vgem = vgem_open();
	struct gated gated;
	uint32_t fence;

	if (vgem < 0) {
		tap_skip("no vgem here", "others look at what is shared");
		return;
	}
	gated_open(&gated, 4, 3);
	gated_record(&gated);
	submitting = gated_start(gated_submit, &gated);
	tap_ok(gated_gets_within(&gated, "quire_submit_evict"), "a part is queued, one has to go");
	accessing = gated_start(access_canvas, &gated);
	tap_ok(!gated_comes_true(&gated.other_done, 500), "who looks at the canvas waits");
	tap_ok(gated_settles(gated.canvas, true), "which stays");
	tap_ret(vgem_attach_fence(vgem, gated.work.fixture.fd,
				  quire_object_handle(gated.large[1]), &fence), 0,
		"somebody is at work with the next object");
	gated_raise_to(&gated, 1);
	tap_ok(gated_settles(gated.large[0], false), "the next part waits for that");
	tap_ok(!gated_comes_true(&gated.other_done, 500), "who looks at the canvas waits still");
	tap_ok(gated_settles(gated.canvas, true), "though nobody is at work with it");
	tap_ret(vgem_signal_fence(vgem, fence), 0, "the next object is to be had");
	close(vgem);
	gated_expect_done(&gated, submitting);
	pthread_join(accessing, NULL);
	tap_ret(gated.other_ret, 0, "then others may look at what is shared");
	gated_close(&gated);
}

/* The first part hangs while later parts wait for its objects to leave VRAM. */
static void test_hangs(void)
{
	struct gated gated;

	gated_open(&gated, 0, 5);
	gated_record(&gated);
	test_parameter("hang_period", PERIOD_MS);
	gated_submit(&gated);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	tap_ret(gated.ret, 0, "a submission whose first part hangs is queued");
	tap_ret(gated.work.result.parts, GATED_PARTS, "to its end");
	tap_ret(work_context_status(gated.context), DRM_QUIRE_CONTEXT_HUNG, "its context ends");
	gated_close(&gated);
}

/* Small, and for the same ring. */
static void *submit_small(void *data)
{
	struct gated *gated = data;
	struct quire_context *context = work_context(&gated->other);
	struct quire_object *object = work_object(&gated->other, QUIRE_PAGE);

	quire_recorder_write_value(gated->other.recorder, quire_at(object, 0), 1);
	gated->other_ret = work_submit(&gated->other, context, 0, NULL, NULL);
	gated->other_done = true;
	quire_object_close(object);
	quire_context_destroy(context);
	return NULL;
}

/*
 * A submission before the divided one, or the divided one itself (@own), waits for a fence of
 * another ring. Submissions of other programs do not wait for that.
 */
static void test_foreign(bool own)
{
	struct quire_context *context, *foreign;
	pthread_t submitting, other;
	struct quire_fence *fence;
	struct gated gated;
	struct gate gate;

	gated_open(&gated, 0, 5);
	if (gated.work.fixture.info.execution_rings < 2) {
		tap_skip("one execution ring", "fences of others");
		gated_close(&gated);
		return;
	}
	gated_raise_to(&gated, UINT64_MAX);
	work_open(&gated.other);
	context = work_context(&gated.work);
	foreign = work_context(&gated.work);
	fence = work_fence(&gated.work);
	work_gate_open_apart(&gated.work, &gate);
	work_wait_at(&gated.work, &gate, 1);
	tap_ret(work_submit(&gated.work, foreign, 1, NULL, fence), 0, "a fence of another ring");
	if (own) {
		gated.after = fence;
	} else {
		quire_recorder_nop(gated.work.recorder, 8);
		tap_ret(work_submit(&gated.work, context, 0, fence, NULL), 0,
			"work waits for it");
	}
	gated_record(&gated);
	submitting = gated_start(gated_submit, &gated);
	test_sleep_ms(500);
	other = gated_start(submit_small, &gated);
	tap_ok(gated_comes_true(&gated.other_done, WAIT_MS), "others submit meanwhile");
	work_gate_raise(&gate, 1);
	pthread_join(other, NULL);
	tap_ret(gated.other_ret, 0, "they are not refused");
	gated_expect_done(&gated, submitting);
	quire_fence_close(fence);
	quire_context_destroy(foreign);
	quire_context_destroy(context);
	work_gate_close(&gate);
	work_close(&gated.other);
	gated_close(&gated);
}

/* Is an object to be had by who does not move it? */
static void *look(void *data)
{
	struct gated *gated = data;

	gated->other_ret = quire_bo_madvise(gated->work.fixture.fd,
					    quire_object_handle(gated->large[1]),
					    DRM_QUIRE_MADV_WILLNEED, NULL);
	gated->other_done = true;
	return NULL;
}

/* A later part needs an object that others are at work with, who came late. */
static void test_late(void)
{
	pthread_t submitting, looking;
	int vgem = vgem_open();
	struct gated gated;
	uint32_t foreign;

	if (vgem < 0) {
		tap_skip("no vgem here", "a fence that comes late");
		return;
	}
	gated_open(&gated, 0, 0);
	tap_ok(splitting_set("split_max_bytes", QUIRE_PAGE), "divided, with room for one object");
	gated_record(&gated);
	submitting = gated_start(gated_submit, &gated);
	tap_ok(gated_gets_within(&gated, "quire_submit_evict"), "a part is queued, one has to go");
	tap_ret(vgem_attach_fence(vgem, gated.work.fixture.fd,
				  quire_object_handle(gated.large[1]), &foreign), 0,
		"somebody is at work with the next one");
	gated_raise_to(&gated, 1);
	tap_ok(gated_settles(gated.large[0], false), "which is wanted");
	test_sleep_ms(300);
	looking = gated_start(look, &gated);
	tap_ok(gated_comes_true(&gated.other_done, LOOK_MS), "its lock is to be had");
	tap_ok(quire_object_class(gated.large[1]) != DRM_QUIRE_SEGMENT_VRAM, "it is not moved");
	tap_ret(vgem_signal_fence(vgem, foreign), 0, "that one is done");
	pthread_join(looking, NULL);
	tap_ret(gated.other_ret, 0, "who looked has seen it");
	gated_expect_done(&gated, submitting);
	splitting_usual();
	gated_close(&gated);
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
	large = work_object(&work, fixture_vram(&work.fixture) / 8 * 5 & ~(QUIRE_PAGE - 1));
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
	struct gated gated;
	int64_t time;
	pid_t pid;

	gated_open(&gated, 0, 5);
	quire_recorder_write_value(gated.work.recorder, quire_at(gated.large[0], 0), 1);
	quire_recorder_wait_value(gated.work.recorder, QUIRE_WAIT_GREATER_EQUAL,
				  quire_at(gated.gate, 0), 1);
	tap_ret(work_submit(&gated.work, gated.context, 1, NULL, NULL), 0,
		"commands are at work with much of VRAM");
	tap_ok(splitting_set("split_every_point", 1), "divided at every point");
	pid = child_start(60);
	if (!pid)
		submit_in_the_way();
	tap_ok(child_gets_within(pid, "quire_validation_wait", WAIT_MS), "a process waits for it");
	time = kill_and_wait(pid);
	tap_ok(time < KILL_MS * 1000000ll, "at once");
	tap_diag("it takes %u ms", (unsigned int)(time / 1000000));
	splitting_usual();
	gated_raise_to(&gated, UINT64_MAX);
	tap_ok(work_number(gated.large[0], 0) == 1, "the commands come to their end");
	gated_close(&gated);
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
	tap_ok(gated_comes_true(begun, WAIT_MS), "a process submits many parts");
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
	tap_ok(time < whole / 2, "and does not go on to the end");
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
		test_called();
		test_accessed();
	}
	test_hangs();
	test_foreign(false);
	test_foreign(true);
	if (rings > 1 && splitting_begin()) {
		test_late();
		test_killed();
		test_killed_at_work();
		splitting_end();
	}
	test_parameter("hang_period", 3000);
	return tap_done();
}
