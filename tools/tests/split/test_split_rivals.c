// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Submissions that are divided, while others want the same memory: processes with submissions of
 * their own, one that places objects, and the CPU, which touches what commands use.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "fixture.h"
#include "stream.h"

#define RUN_MS		1000
#define COMMANDS	60
#define MOST		8
#define NR_PLACED	8

/**
 * struct share - what a process has
 * @bytes: of its objects
 * @largest: one of them
 * @touched: by the CPU, too, while commands are executed
 */
struct share {
	uint64_t bytes;
	uint64_t largest;
	bool touched;
};

/**
 * struct toucher - a thread that touches objects
 * @stream: whose objects; the bytes that commands leave alone
 * @stop: it is to end
 * @touches: how many
 * @lost: what was written, and was not there any more
 */
struct toucher {
	struct stream *stream;
	atomic_bool stop;
	atomic_uint touches;
	unsigned int lost;
};

static void touch(struct toucher *toucher, struct mirror *mirror)
{
	const uint64_t at = mirror->size / sizeof(uint64_t) - 1;
	uint64_t *expected = (uint64_t *)mirror->bytes + at, *value;
	void *map;

	if (quire_object_map(mirror->object, &map))
		return;
	value = (uint64_t *)map + at;
	toucher->lost += __atomic_load_n(value, __ATOMIC_RELAXED) != *expected;
	*expected = ++toucher->touches;
	__atomic_store_n(value, *expected, __ATOMIC_RELAXED);
}

static void *touch_all(void *data)
{
	struct toucher *toucher = data;
	struct stream *stream = toucher->stream;

	for (unsigned int i = 0; !toucher->stop; i++) {
		touch(toucher, &stream->mirrors[i * 7 % stream->nr]);
		usleep(50);
	}
	return NULL;
}

static int run_for(struct stream *stream, unsigned int milliseconds)
{
	int64_t end = quire_now_ns() + milliseconds * 1000000ll;
	int ret = 0;

	do {
		stream_record(stream, COMMANDS);
		ret = gpu_run(&stream->gpu);
	} while (!ret && quire_now_ns() < end);
	return ret;
}

static int run_touched(struct stream *stream, unsigned int milliseconds)
{
	struct toucher toucher = { .stream = stream };
	pthread_t thread;
	int ret;

	if (pthread_create(&thread, NULL, touch_all, &toucher))
		return -EAGAIN;
	for (unsigned int i = 0; i < WAIT_MS && !toucher.touches; i++)
		test_sleep_ms(1);
	ret = run_for(stream, milliseconds);
	toucher.stop = true;
	pthread_join(thread, NULL);
	tap_diag("touched %u times", toucher.touches);
	return ret ? ret : toucher.lost || !toucher.touches ? -EIO : 0;
}

/* The status is an errno, EILSEQ if an object is wrong. */
static pid_t start(const struct fixture *fixture, const struct share *share, unsigned int number)
{
	struct stream stream;
	pid_t pid = child_start(90);
	int ret;

	if (pid)
		return pid;
	ret = stream_open(&stream, share->bytes, share->largest, 100 + number);
	stream.gpu.ring = number % fixture->info.execution_rings;
	if (!ret)
		ret = share->touched ? run_touched(&stream, RUN_MS) : run_for(&stream, RUN_MS);
	if (!ret && !stream_is_right(&stream))
		ret = -EILSEQ;
	_exit(-ret & 0xff);
}

/* Places objects until all else is done, and then finds them whole. */
static int place_until(int stop, uint64_t size)
{
	struct object objects[NR_PLACED];
	struct fixture fixture;
	uint64_t random = 9;
	int ret = 0;
	char byte;

	fixture_open(&fixture);
	for (unsigned int i = 0; i < NR_PLACED && !ret; i++)
		ret = object_create(&fixture, &objects[i], size, i);
	while (!ret && read(stop, &byte, 1) < 0)
		ret = object_place(&fixture, &objects[random_below(&random, NR_PLACED)],
				   &places[random_below(&random, 3)]);
	for (unsigned int i = 0; i < NR_PLACED && !ret; i++)
		ret = object_check(&fixture, &objects[i]);
	return ret;
}

static pid_t start_placing(const struct fixture *fixture, int *stop)
{
	uint64_t size = fixture_vram(fixture) / 32 & ~(QUIRE_PAGE - 1);
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_NONBLOCK))
		tap_bail("pipe");
	pid = child_start(120);
	if (!pid) {
		close(ends[1]);
		_exit(-place_until(ends[0], size) & 0xff);
	}
	close(ends[0]);
	*stop = ends[1];
	return pid;
}

static void test_crowd(const struct fixture *fixture, unsigned int count,
		       const struct share *share, const char *name)
{
	pid_t pids[MOST];

	for (unsigned int i = 0; i < count; i++)
		pids[i] = start(fixture, share, i);
	for (unsigned int i = 0; i < count; i++)
		tap_ret(child_status(pids[i]), 0, "%s: process %u has what it should", name, i);
	tap_ok(fixture_settles(fixture, fixture->segments), "%s: nothing is left", name);
}

static void test_placing(const struct fixture *fixture, const struct share *share)
{
	int stop;
	pid_t placing = start_placing(fixture, &stop);
	pid_t pid = start(fixture, share, 0);

	tap_ret(child_status(pid), 0, "beside one that places: it has what it should");
	close(stop);
	tap_ret(child_status(placing), 0, "who places was never refused, and has all of it");
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

int main(void)
{
	struct fixture fixture;
	struct share large, small;

	tap_start(250);
	fixture_open(&fixture);
	if (!fixture.info.execution_rings)
		tap_skip_all("no execution rings");
	large.bytes = fixture_vram(&fixture) / 4 * 5;
	large.largest = fixture_vram(&fixture) / 16;
	large.touched = false;
	/* each fits, and three of them do not */
	small.bytes = fixture_vram(&fixture) / 8 * 3;
	small.largest = fixture_vram(&fixture) / 16;
	small.touched = false;
	test_crowd(&fixture, 2, &large, "two");
	test_crowd(&fixture, MOST, &small, "eight");
	test_placing(&fixture, &large);
	large.touched = true;
	test_crowd(&fixture, 1, &large, "touched");
	small.touched = true;
	test_crowd(&fixture, 3, &small, "three, touched");
	return tap_done();
}
