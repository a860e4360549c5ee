// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Processes that a test starts beside itself, and what tests see of them. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "tap.h"

#define WAIT_MS		60000
#define CHILD_S		60	/* well above */
#define EARLY_ENDS	100u
#define LOOK_MS		6000
#define ZEROS		(48u << 20)	/* bytes: to read them takes longer than a time slice */

/* Of a pipe: do all who could write to it end? */
static bool comes_to_its_end(int fd)
{
	struct pollfd file = { .fd = fd, .events = POLLIN };
	char byte;

	return poll(&file, 1, WAIT_MS) == 1 && !read(fd, &byte, 1);
}

/* A test with a child, neither of which comes to its end. */
static void run_into_limit(void)
{
	if (dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO) < 0)
		_exit(1);
	tap_start(1);
	alarm(1); /* its limit would come after ten */
	child_start(CHILD_S);
	for (;;)
		pause();
}

static void test_limit(void)
{
	int alive[2];
	pid_t pid;

	if (pipe(alive))
		tap_bail("pipe");
	pid = child_start(CHILD_S);
	if (!pid)
		run_into_limit();
	close(alive[1]);
	tap_ok(comes_to_its_end(alive[0]), "a test that runs into its limit leaves no child");
	tap_ret(child_status(pid), 2, "it has failed");
	close(alive[0]);
}

static void stay_on_this_processor(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		tap_bail("sched_setaffinity");
}

/* A test that ends when it has started a child, which has no processor before that. */
static void end_at_once(void)
{
	stay_on_this_processor();
	if (!child_start(CHILD_S))
		for (;;)
			pause();
	_exit(0);
}

static void test_early_end(void)
{
	int alive[2], ret = 0;
	pid_t pid;

	if (pipe(alive))
		tap_bail("pipe");
	for (unsigned int i = 0; i < EARLY_ENDS && !ret; i++) {
		pid = child_start(CHILD_S);
		if (!pid)
			end_at_once();
		ret = child_status(pid);
	}
	close(alive[1]);
	tap_ret(ret, 0, "%u tests that end at once", EARLY_ENDS);
	tap_ok(comes_to_its_end(alive[0]), "leave no child");
	close(alive[0]);
}

/* Waits for a byte that never comes. */
static void read_nothing(int fd)
{
	char byte;

	while (read(fd, &byte, 1) < 0)
		;
}

static void test_asleep(void)
{
	int nothing[2];
	pid_t pid;

	if (pipe(nothing))
		tap_bail("pipe");
	pid = child_start(CHILD_S);
	if (!pid)
		read_nothing(nothing[0]);
	tap_ok(child_gets_within(pid, "pipe_read", WAIT_MS), "who sleeps in a function is within");
	tap_ok(!child_is_within(pid, "nanosleep"), "and not in another one");
	child_kill(pid);
	tap_ok(!child_is_within(pid, "pipe_read"), "nor when it has ended");
	close(nothing[0]);
	close(nothing[1]);
}

/**
 * struct reader - a thread
 * @fd: that it reads
 * @thread: its number
 */
struct reader {
	int fd;
	atomic_int thread;
};

static void *run_reader(void *data)
{
	struct reader *reader = data;

	reader->thread = gettid();
	read_nothing(reader->fd);
	return NULL;
}

/* Of a process that is not asleep itself. */
static void test_thread(void)
{
	struct reader reader = { };
	pthread_t thread;
	int nothing[2];

	if (pipe(nothing))
		tap_bail("pipe");
	reader.fd = nothing[0];
	if (pthread_create(&thread, NULL, run_reader, &reader))
		tap_bail("thread");
	while (!reader.thread)
		usleep(1000);
	tap_ok(child_gets_within(reader.thread, "pipe_read", WAIT_MS), "so is a thread");
	tap_ok(!child_is_within(getpid(), "pipe_read"), "and not its process");
	close(nothing[1]);
	pthread_join(thread, NULL);
	close(nothing[0]);
}

/* On the processor of the test. */
static void read_zeros_and_sleep(void)
{
	int fd = open("/dev/zero", O_RDONLY);
	void *bytes = malloc(ZEROS);

	while (bytes && read(fd, bytes, ZEROS) == ZEROS)
		usleep(1000);
	_exit(1);
}

/* Whatever it does there. */
static bool stack_has(pid_t pid, const char *function)
{
	char path[32], stack[4096];
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stack", pid);
	file = fopen(path, "r");
	if (!file)
		return false;
	length = fread(stack, 1, sizeof(stack) - 1, file);
	fclose(file);
	stack[length] = '\0';
	return strstr(stack, function);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

/* It never sleeps where it reads, but is preempted there, and sleeps elsewhere afterwards. */
static void test_preempted(void)
{
	unsigned int wrong = 0, looks = 0;
	bool seen = false, asleep = false;
	int64_t end;
	pid_t pid;

	stay_on_this_processor();
	pid = child_start(CHILD_S);
	if (!pid)
		read_zeros_and_sleep();
	for (end = now_ms() + WAIT_MS; !(seen && asleep) && now_ms() < end;) {
		seen |= stack_has(pid, "zero");
		asleep |= child_is_within(pid, "nanosleep");
	}
	tap_ok(seen && asleep, "a process is preempted in a function, and sleeps elsewhere");
	for (end = now_ms() + LOOK_MS; now_ms() < end; looks++)
		wrong += child_is_within(pid, "zero");
	tap_ok(!wrong, "it was never within (%u of %u times)", wrong, looks);
	tap_ok(!child_gets_within(pid, "zero", LOOK_MS), "nor does it get there");
	child_kill(pid);
}

int main(void)
{
	tap_start(120);
	test_limit();
	test_early_end();
	if (!stack_has(getpid(), "proc_pid_stack")) {
		tap_skip("not root", "where processes are in the kernel");
		return tap_done();
	}
	test_asleep();
	test_thread();
	test_preempted();
	return tap_done();
}
