// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "quire_client.h"
#include "tap.h"

/* In a row, after which a process that is always seen in one place waits there. */
#define LOOKS	5u

/**
 * child_start - fork()
 * @seconds: SIGALRM ends the child after ten times as long, should its parent not do it
 *
 * For the main thread: the child is killed when the thread ends that has started it, so that
 * nothing is left of a test that runs into its time limit. What was printed so far is printed
 * once.
 *
 * Returns: its number, or 0 in the child. Ends the test if there can be none.
 */
pid_t child_start(unsigned int seconds)
{
	pid_t parent = getpid(), pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		tap_bail("fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent) /* it has ended before */
			_exit(1);
		signal(SIGALRM, SIG_DFL);
		alarm(TAP_LIMIT_FACTOR * seconds);
	}
	return pid;
}

/**
 * child_kill - kill a child, and wait until it is gone
 * @pid: of it
 */
void child_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/**
 * child_is_running - is a child at work?
 * @pid: of it
 *
 * Returns: true; false if it has ended. Its status is still there for child_status().
 */
bool child_is_running(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return !waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) && !info.si_pid;
}

/**
 * child_status - wait for the end of a child
 * @pid: of it
 *
 * Returns: its exit status; negative if a signal ended it: the number of that.
 */
int child_status(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		tap_bail("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* What /proc/PID/NAME says: true if there is something. */
static bool read_of(pid_t pid, const char *name, char *text, size_t size)
{
	char path[32];
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	file = fopen(path, "r");
	if (!file)
		return false;
	length = fread(text, 1, size - 1, file);
	fclose(file);
	text[length] = '\0';
	return length;
}

/*
 * Its state would not do: that of a process that is about to sleep, and is preempted before, is
 * the same.  Of a process on a run queue the kernel does not say where it waits.
 */
static bool is_asleep(pid_t pid)
{
	char place[128];

	return read_of(pid, "wchan", place, sizeof(place)) && strcmp(place, "0");
}

/* Returns how often it has gone to sleep so far; negative if that can not be told. */
static long count_sleeps(pid_t pid)
{
	static const char name[] = "\nvoluntary_ctxt_switches:";
	char status[4096];
	const char *line;

	if (!read_of(pid, "status", status, sizeof(status)))
		return -1;
	line = strstr(status, name);
	return line ? strtol(line + strlen(name), NULL, 10) : -1;
}

static bool is_on_stack(pid_t pid, const char *function)
{
	char stack[4096];

	return read_of(pid, "stack", stack, sizeof(stack)) && strstr(stack, function);
}

/*
 * Returns true if it was inside of @function when its stack was read, and was asleep after that.
 * @certain: that was one sleep, so it slept there.
 */
static bool was_within(pid_t pid, const char *function, bool *certain)
{
	long sleeps = count_sleeps(pid);

	if (!is_on_stack(pid, function) || !is_asleep(pid))
		return false;
	*certain = sleeps >= 0 && sleeps == count_sleeps(pid);
	return true;
}

/**
 * child_is_within - is a process asleep inside of a function of the kernel?
 * @pid: any process, or thread
 * @function: its name, as in /proc/PID/stack, which only root reads
 *
 * A process that runs, or is only preempted, is not: it may be on its way through.
 *
 * Returns: true if it is.
 */
bool child_is_within(pid_t pid, const char *function)
{
	bool certain;

	return was_within(pid, function, &certain) && certain;
}

/**
 * child_gets_within - wait for child_is_within()
 * @pid: the process
 * @function: as for that
 * @milliseconds: at most, about
 *
 * A process that wakes up ten times a second, and goes on waiting, counts, too: in a slow guest
 * it does so during a look at it, but is there at each look.
 *
 * Returns: true if it is there, or was a moment ago.
 */
bool child_gets_within(pid_t pid, const char *function, unsigned int milliseconds)
{
	int64_t end = quire_now_ns() + milliseconds * 1000000ll;
	unsigned int seen = 0;

	for (;;) {
		bool late = quire_now_ns() >= end, certain;

		seen = was_within(pid, function, &certain) ? seen + 1 : 0;
		if (seen && (certain || seen == LOOKS))
			return true;
		if (late)
			return false;
		usleep(10000);
	}
}

/**
 * child_stops_within - wait until a process stops inside of a function of the kernel
 * @pid: any process, or thread
 * @function: as for child_is_within()
 * @milliseconds: at most, about
 *
 * Other than with child_is_within() a process counts that is preempted there; it may have gone on
 * when this returns.
 *
 * Returns: true if it did.
 */
bool child_stops_within(pid_t pid, const char *function, unsigned int milliseconds)
{
	int64_t end = quire_now_ns() + milliseconds * 1000000ll;

	/* The kernel shows no stack of a process that runs at this moment. */
	while (!is_on_stack(pid, function)) {
		if (quire_now_ns() >= end)
			return false;
		usleep(1000);
	}
	return true;
}

/**
 * child_cpu_ms - time of a processor that a process has had
 * @pid: of it
 *
 * Returns: milliseconds, in ticks of 10; -1: it is not there.
 */
long child_cpu_ms(pid_t pid)
{
	unsigned long user, system;
	char path[32];
	FILE *file;
	int got;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (!file)
		return -1;
	got = fscanf(file, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
		     &system);
	fclose(file);
	return got == 2 ? (long)(user + system) * 1000 / sysconf(_SC_CLK_TCK) : -1;
}
