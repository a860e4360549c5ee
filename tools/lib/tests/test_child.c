// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Processes that a test starts beside itself, and what tests see of them. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "child.h"
#include "tap.h"

#define WAIT_MS		20000
#define CHILD_S		60	/* well above */

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

int main(void)
{
	tap_start(120);
	test_limit();
	return tap_done();
}
