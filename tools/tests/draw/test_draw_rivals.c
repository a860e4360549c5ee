// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Pictures that are drawn while others want the same memory, or stop in the middle. */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "drawn.h"

#define PROGRAM		"/quire/quire"
#define MOST		8
#define KILLED		8
#define STOPS		200

static void be_quiet(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	dup2(null, STDOUT_FILENO);
}

/* What it writes goes nowhere; messages of errors do not. @option: one more, or NULL. */
static pid_t start_draw_with(const struct fixture *fixture, unsigned int textures,
			     unsigned int number, const char *option)
{
	char size[24], count[24], file[32];
	pid_t pid;

	snprintf(size, sizeof(size), "%" PRIu64, drawn_texture_kib(fixture));
	snprintf(count, sizeof(count), "%u", textures);
	snprintf(file, sizeof(file), "/tmp/rival-%u.png", number);
	unlink(file);
	pid = child_start(240);
	if (pid)
		return pid;
	be_quiet();
	execl(PROGRAM, PROGRAM, "draw", "--textures", count, "--size", size, "--side", "512",
	      "--passes", "2", file, option, NULL);
	_exit(2);
}

static pid_t start_draw(const struct fixture *fixture, unsigned int textures, unsigned int number)
{
	return start_draw_with(fixture, textures, number, NULL);
}

/* None of two fits alone; eight do, but not together. */
static void test_at_once(const struct fixture *fixture, unsigned int count, unsigned int textures)
{
	pid_t pids[MOST];
	unsigned int good = 0;

	for (unsigned int i = 0; i < count; i++)
		pids[i] = start_draw(fixture, textures, i);
	for (unsigned int i = 0; i < count; i++)
		good += !child_status(pids[i]);
	tap_ok(good == count, "%u at once: each picture is right", count);
}

/* Two address spaces, what is bound in one is evicted for the other; and one with lists. */
static void test_virtual(const struct fixture *fixture)
{
	pid_t pids[3];
	unsigned int good = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(pids); i++)
		pids[i] = start_draw_with(fixture, DRAWN_TEXTURES / 2, i, i ? "--virtual" : NULL);
	for (unsigned int i = 0; i < ARRAY_SIZE(pids); i++)
		good += !child_status(pids[i]);
	tap_ok(good == ARRAY_SIZE(pids), "in both generations at once: each picture is right");
}

static pid_t start_paging(void)
{
	pid_t pid = child_start(240);

	if (pid)
		return pid;
	be_quiet();
	execl(PROGRAM, PROGRAM, "page", "--rounds", "4", "/quire", NULL);
	_exit(2);
}

static void test_beside_paging(const struct fixture *fixture)
{
	pid_t paging = start_paging(), draw = start_draw(fixture, DRAWN_TEXTURES, 0);

	tap_ok(!child_status(draw), "while others page: the picture is right");
	tap_ok(!child_status(paging), "and so is what they page");
}

/* A signal that stops it ends what it waits for, and it goes on when it continues. */
static void test_stopped(const struct fixture *fixture)
{
	pid_t pid = start_draw(fixture, DRAWN_TEXTURES, 0);

	for (unsigned int i = 0; i < STOPS; i++) {
		kill(pid, SIGSTOP);
		test_sleep_ms(5);
		kill(pid, SIGCONT);
		test_sleep_ms(5);
	}
	tap_ok(!child_status(pid), "stopped and continued %u times: the picture is right", STOPS);
}

static void test_killed(const struct fixture *fixture)
{
	unsigned int running = 0;

	for (unsigned int i = 0; i < KILLED; i++) {
		pid_t pid = start_draw(fixture, DRAWN_TEXTURES, 0);

		test_sleep_ms(150 * (i + 1));
		if (!child_is_running(pid))
			continue;
		child_kill(pid);
		running++;
	}
	tap_ok(running, "%u were killed at work", running);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing of them is left");
}

int main(void)
{
	struct fixture fixture;

	tap_start(280);
	fixture_open(&fixture);
	test_at_once(&fixture, 2, DRAWN_TEXTURES / 2);
	test_at_once(&fixture, MOST, DRAWN_TEXTURES / 8);
	test_virtual(&fixture);
	test_beside_paging(&fixture);
	test_stopped(&fixture);
	test_killed(&fixture);
	return tap_done();
}
