// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "tap.h"

/**
 * child_start - fork()
 * @seconds: SIGALRM ends the child after that, should nobody else do it
 *
 * For the main thread: the child is killed when the thread ends that has started it, so that
 * nothing is left of a test that runs into its time limit. What was printed so far is printed
 * once.
 *
 * Returns: its number, or 0 in the child. Ends the test if there can be none.
 */
pid_t child_start(unsigned int seconds)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		tap_bail("fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGALRM, SIG_DFL);
		alarm(seconds);
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

/**
 * child_is_within - is a process inside of a function of the kernel?
 * @pid: any process
 * @function: its name, as in /proc/PID/stack, which only root reads
 *
 * Returns: true if it is.
 */
bool child_is_within(pid_t pid, const char *function)
{
	char path[32], text[4096] = "";
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/stack", pid);
	file = fopen(path, "r");
	if (!file)
		return false;
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	return len && strstr(text, function);
}

/**
 * child_gets_within - wait for child_is_within()
 * @pid: the process
 * @function: as for that
 * @milliseconds: at most, about
 *
 * Returns: true if it is there.
 */
bool child_gets_within(pid_t pid, const char *function, unsigned int milliseconds)
{
	for (unsigned int i = 0; i < milliseconds / 10 && !child_is_within(pid, function); i++)
		usleep(10000);
	return child_is_within(pid, function);
}
