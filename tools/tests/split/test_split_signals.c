// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Signals while submissions are divided: those with a handler change nothing, and who is killed
 * leaves nothing behind.
 *
 * A signal ends the first attempt of a submission, but not the next one, so that it comes to its
 * end however many there are.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "stream.h"
#include "ticks.h"
#include "user.h"

#define RUN_MS		1500
#define COMMANDS	60
#define PERIOD_NS	1000000

#define NR_KILLS	16
#define NR_OBJECTS	20
#define ROUNDS		10

/* A signal that ends a call has done so by then. */
#define SIGNAL_MS	200

static volatile sig_atomic_t signals;

static void on_signal(int signal)
{
	(void)signal;
	signals++;
}

/*
 * While one is executed the next one waits, so that signals interrupt it. Who was interrupted
 * has submitted nothing: each one has the next number.
 */
static int run_for(struct stream *stream, unsigned int milliseconds)
{
	int64_t end = quire_now_ns() + milliseconds * 1000000ll;
	uint64_t number = stream->gpu.result.submission;
	int ret;

	do {
		stream_record(stream, COMMANDS);
		ret = gpu_submit(&stream->gpu);
		if (!ret && stream->gpu.result.submission != ++number)
			ret = -ERANGE;
	} while (!ret && quire_now_ns() < end);
	return ret ? ret : quire_fence_wait(stream->gpu.fence, 0, WAIT_MS * 1000000ll);
}

static void test_handler(struct stream *stream, int flags, const char *name)
{
	timer_t timer;

	signals = 0;
	timer = ticks_start(on_signal, flags, PERIOD_NS);
	tap_ret(run_for(stream, RUN_MS), 0, "%s: submissions with signals", name);
	timer_delete(timer);
	tap_diag("%d signals, submission %u", (int)signals,
		 (unsigned int)stream->gpu.result.submission);
	tap_ok(signals, "%s: there were signals", name);
	tap_ok(stream_is_right(stream), "%s: all objects are right", name);
}

static void test_handlers(const struct fixture *fixture)
{
	const uint64_t vram = fixture_vram(fixture);
	struct stream stream;

	tap_ret(stream_open(&stream, vram / 4 * 5, vram / 16, 1), 0,
		"create more than there is VRAM");
	test_handler(&stream, 0, "handler");
	test_handler(&stream, SA_RESTART, "restarting handler");
	stream_close(&stream);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

/* In many parts, again and again. */
static int submit_forever(const struct fixture *fixture, uint32_t ring)
{
	const struct quire_object_options options = {
		.size = fixture_vram(fixture) / (NR_OBJECTS / 5 * 4) & ~(QUIRE_PAGE - 1),
	};
	struct quire_object *objects[NR_OBJECTS];
	struct gpu gpu;
	int ret = gpu_open(&gpu);

	gpu.ring = ring;
	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = quire_object_create(gpu.device, &options, &objects[i]);
	while (!ret) {
		for (unsigned int i = 0; i < ROUNDS * NR_OBJECTS; i++)
			quire_recorder_fill(gpu.recorder, quire_at(objects[i % NR_OBJECTS], 0),
					    options.size, i);
		ret = gpu_submit(&gpu);
	}
	return ret;
}

static pid_t start_victim(const struct fixture *fixture, uint32_t ring)
{
	pid_t pid = child_start(60);

	if (pid)
		return pid;
	_exit(-submit_forever(fixture, ring) & 0xff);
}

/* Until the pipe is closed. */
static pid_t start_bystander(const struct fixture *fixture, const int *stop)
{
	const uint64_t vram = fixture_vram(fixture);
	struct stream stream;
	pid_t pid = child_start(120);
	char byte;
	int ret;

	if (pid)
		return pid;
	close(stop[1]);
	ret = stream_open(&stream, vram / 4 * 3, vram / 16, 2);
	while (!ret && read(stop[0], &byte, 1) < 0)
		ret = run_for(&stream, 1);
	if (!ret && !stream_is_right(&stream))
		ret = -EILSEQ;
	_exit(-ret & 0xff);
}

/* In the middle of the parts of a submission, each time somewhere else. */
static unsigned int kill_some(const struct fixture *fixture)
{
	unsigned int within = 0;
	uint64_t random = 5;

	for (unsigned int i = 0; i < NR_KILLS; i++) {
		pid_t pid = start_victim(fixture, i % fixture->info.execution_rings);

		within += child_stops_within(pid, "quire_split_parts", WAIT_MS);
		usleep(random_below(&random, 50000));
		child_kill(pid);
	}
	return within;
}

/* What others do in their contexts goes on. */
static void test_kills(const struct fixture *fixture)
{
	unsigned int within;
	int stop[2];
	pid_t pid;

	if (pipe2(stop, O_NONBLOCK))
		tap_bail("pipe");
	pid = start_bystander(fixture, stop);
	within = kill_some(fixture);
	if (!tap_ok(within == NR_KILLS, "killed %u processes while they submitted parts", NR_KILLS))
		tap_diag("%u of them", within);
	close(stop[0]);
	close(stop[1]);
	tap_ret(child_status(pid), 0, "one beside them has what it should");
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

/* How many signals a process has handled that submits. */
static _Atomic unsigned int *handled;

static void on_single(int signal)
{
	(void)signal;
	++*handled;
}

/*
 * A process that submits commands to ring 1, which use @count objects, each of more than half of
 * VRAM. Its calls are restarted behind a handler of SIGUSR1. Its status is the errno.
 */
static pid_t start_submit(unsigned int count)
{
	const struct sigaction action = { .sa_handler = on_single, .sa_flags = SA_RESTART };
	struct quire_context *context;
	struct quire_fence *fence;
	struct work work;
	pid_t pid = child_start(120);
	int ret;

	if (pid)
		return pid;
	sigaction(SIGUSR1, &action, NULL);
	work_open(&work);
	context = work_context(&work);
	fence = work_fence(&work);
	for (unsigned int i = 0; i < count; i++) {
		uint64_t size = fixture_vram(&work.fixture) / 8 * 5 & ~(QUIRE_PAGE - 1);

		quire_recorder_fill(work.recorder, quire_at(work_object(&work, size), 0),
				    QUIRE_PAGE, i);
	}
	ret = work_submit(&work, context, 1, NULL, fence);
	_exit(-(ret ? ret : work_fence_wait(fence)));
}

/*
 * Commands of another ring are at work with half of VRAM: there is no room. @count 1: it could fit,
 * and has two turns, the first one to find out that it does not; 2: it has one.
 */
static void test_attempts(const struct fixture *fixture, unsigned int count)
{
	struct object half;
	struct user user;
	pid_t pid;

	tap_diag("%s", count == 1 ? "what could fit" : "what can not fit");
	*handled = 0;
	user_begin(&user);
	tap_ret(object_create(fixture, &half, fixture_vram(fixture) / 2, 1), 0, "half of VRAM");
	tap_ret(object_place_and_wait(fixture, &half, &places[2]), 0, "place it in VRAM");
	user_uses(&user, fixture, &half);
	pid = start_submit(count);
	tap_ok(child_gets_within(pid, "quire_validation_wait", WAIT_MS),
	       "a submission waits for room");
	kill(pid, SIGUSR1);
	while (!*handled && child_is_running(pid))
		test_sleep_ms(1);
	tap_ok(child_gets_within(pid, "quire_validation_wait", WAIT_MS),
	       "a signal ends its first attempt, and it waits again");
	kill(pid, SIGUSR1);
	test_sleep_ms(SIGNAL_MS);
	tap_ok(*handled == 1, "no signal ends the second one");
	user_end(&user);
	tap_ret(-child_status(pid), 0, "there is room, and it is executed");
	tap_ok(*handled == 2, "the signal is handled when the call has ended");
	object_close(fixture, &half);
}

static void test_works(const struct fixture *fixture)
{
	const uint64_t vram = fixture_vram(fixture);
	struct stream stream;

	tap_ret(stream_open(&stream, vram / 4 * 5, vram / 16, 3), 0,
		"create more than there is VRAM");
	for (stream.gpu.ring = 0; stream.gpu.ring < fixture->info.execution_rings;
	     stream.gpu.ring++) {
		stream_record(&stream, COMMANDS);
		tap_ret(gpu_run(&stream.gpu), 0, "ring %u works", stream.gpu.ring);
	}
	tap_ok(stream_is_right(&stream), "all objects are right");
	stream_close(&stream);
}

int main(void)
{
	struct fixture fixture;

	handled = mmap(NULL, QUIRE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (handled == MAP_FAILED)
		tap_bail("mmap");
	tap_start(250);
	fixture_open(&fixture);
	if (!fixture.info.execution_rings)
		tap_skip_all("no execution rings");
	test_handlers(&fixture);
	test_kills(&fixture);
	if (fixture.info.execution_rings > 1) {
		test_attempts(&fixture, 1);
		test_attempts(&fixture, 2);
	} else {
		tap_skip("there is one ring", "the second attempt of a submission");
	}
	test_works(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
