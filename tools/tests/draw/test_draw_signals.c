// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Pictures that are drawn under a flood of signals with a handler. They end the calls of who
 * submits, or restart them, and the picture is right.
 *
 * The ring is held by a submission that waits until enough of them have.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "drawn.h"
#include "gated.h"
#include "quire.h"
#include "ticks.h"

#define PERIOD_NS	1000000
#define DRAWING		2	/* at once; none of them fits alone */
#define ENOUGH		20u
#define DRAW_S		1000

/**
 * struct seen - what a process that draws has seen of signals
 * @submits: it is in a call that submits
 * @calls: number of those
 * @ended: of these, those that a signal has ended
 * @handled: signals in such a call; of one call at most the first comes before the kernel is
 *           entered, and at each other one the call is given up and begins anew
 * @all: signals
 */
struct seen {
	atomic_bool submits;
	atomic_uint calls;
	atomic_uint ended;
	atomic_uint handled;
	atomic_uint all;
};

static struct seen *seen;

static void on_signal(int signal)
{
	(void)signal;
	seen->all++;
	if (seen->submits)
		seen->handled++;
}

/* In place of the C library's, for libdrm, too. */
int ioctl(int fd, unsigned long request, ...)
{
	void *argument;
	va_list list;
	int ret;

	va_start(list, request);
	argument = va_arg(list, void *);
	va_end(list);
	if (!seen || request != DRM_IOCTL_QUIRE_SUBMIT)
		return syscall(SYS_ioctl, fd, request, argument);
	seen->calls++;
	seen->submits = true;
	ret = syscall(SYS_ioctl, fd, request, argument);
	seen->submits = false;
	seen->ended += ret && errno == EINTR;
	return ret;
}

/* What it prints goes nowhere; messages of errors do not. Returns the exit status. */
static int draw(const struct draw_options *options)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	dup2(null, STDOUT_FILENO);
	return quire_draw(options);
}

static pid_t start_draw(const struct fixture *fixture, unsigned int number, int flags,
			struct seen *where)
{
	char file[32];
	const struct draw_options options = {
		.output = file,
		.textures = DRAWN_TEXTURES / DRAWING,
		.passes = 2,
		.texture_size = drawn_texture_kib(fixture) * 1024,
		.side = 512,
	};
	pid_t pid;

	snprintf(file, sizeof(file), "/tmp/signals-%u.png", number);
	unlink(file);
	pid = child_start(DRAW_S);
	if (pid)
		return pid;
	seen = where;
	ticks_start(on_signal, flags, PERIOD_NS);
	_exit(draw(&options));
}

/* In a debug guest signals take most of the time: it gets to its submission after a minute. */
static bool gets_enough(pid_t pid, const atomic_uint *count)
{
	while (*count < ENOUGH && child_is_running(pid))
		test_sleep_ms(5);
	return *count >= ENOUGH;
}

/* The ring is not to be had. */
static void expect_interrupted(pid_t pid, const struct seen *where, int flags)
{
	if (flags & SA_RESTART) {
		tap_ok(gets_enough(pid, &where->handled), "a call restarts again and again");
		tap_ok(where->calls == 1 && !where->ended, "the program does not see it");
	} else {
		tap_ok(gets_enough(pid, &where->ended), "signals end calls");
		tap_ok(where->calls - where->ended <= 1, "and each is made anew");
	}
}

static void expect_picture(pid_t pid, const struct seen *where)
{
	tap_ret(child_status(pid), 0, "the picture is right");
	tap_ok(where->calls - where->ended == 1, "one submission was not ended");
	tap_diag("%u signals, %u of them in %u calls, which ended %u", where->all,
		 where->handled, where->calls, where->ended);
}

static void test_flags(struct seen *wheres, int flags, const char *name)
{
	pthread_t holding;
	struct gated gated;
	pid_t pids[DRAWING];

	tap_diag("%s", name);
	memset(wheres, 0, DRAWING * sizeof(*wheres));
	gated_open(&gated, 4, 3);
	gated_record(&gated);
	holding = gated_start(gated_submit, &gated);
	tap_ok(gated_settles(gated.large[0], true), "a submission has the ring");
	for (unsigned int i = 0; i < DRAWING; i++)
		pids[i] = start_draw(&gated.work.fixture, i, flags, &wheres[i]);
	for (unsigned int i = 0; i < DRAWING; i++)
		expect_interrupted(pids[i], &wheres[i], flags);
	gated_expect_done(&gated, holding);
	for (unsigned int i = 0; i < DRAWING; i++)
		expect_picture(pids[i], &wheres[i]);
	gated_close(&gated);
}

int main(void)
{
	struct seen *wheres = mmap(NULL, DRAWING * sizeof(*wheres), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct fixture fixture;

	tap_start(3 * DRAW_S);
	if (wheres == MAP_FAILED)
		tap_bail("mmap");
	fixture_open(&fixture);
	if (getuid())
		tap_skip_all("not root");
	if (!fixture.info.execution_rings)
		tap_skip_all("no execution rings");
	close(fixture.fd);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_flags(wheres, 0, "a handler");
	test_flags(wheres, SA_RESTART, "a handler that restarts calls");
	test_parameter("hang_period", 3000);
	return tap_done();
}
