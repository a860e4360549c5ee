// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Signals while submissions are divided: those with a handler change nothing, and who is killed
 * leaves nothing behind.
 */
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "stream.h"
#include "ticks.h"

#define RUN_MS		1500
#define COMMANDS	60
#define PERIOD_NS	1000000

#define NR_KILLS	16
#define NR_OBJECTS	20
#define ROUNDS		10

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

	tap_start(250);
	fixture_open(&fixture);
	if (!fixture.info.execution_rings)
		tap_skip_all("no execution rings");
	test_handlers(&fixture);
	test_kills(&fixture);
	test_works(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
