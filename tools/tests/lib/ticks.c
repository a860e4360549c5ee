// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <signal.h>
#include <unistd.h>

#include "fixture.h"
#include "ticks.h"

/**
 * ticks_start - let SIGUSR1 come again and again
 * @handler: of it
 * @flags: of struct sigaction
 * @period_ns: nanoseconds, below a second
 *
 * SIGALRM is for the time limit.
 *
 * Returns: for timer_delete(). Ends the test if there can be none.
 */
timer_t ticks_start(void (*handler)(int signal), int flags, long period_ns)
{
	const struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	const struct itimerspec time = {
		.it_value.tv_nsec = period_ns, .it_interval.tv_nsec = period_ns,
	};
	timer_t timer;

	if (sigaction(SIGUSR1, &action, NULL) || timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &time, NULL))
		tap_bail("timer");
	return timer;
}

/**
 * tick_within - let SIGUSR1 come once, when this process waits
 * @handler: of it; calls are not restarted
 * @function: of the kernel, in which it waits
 *
 * Returns: a process, for child_status(): 0 if it has seen the wait.
 */
pid_t tick_within(void (*handler)(int signal), const char *function)
{
	const struct sigaction action = { .sa_handler = handler };
	pid_t pid;

	if (sigaction(SIGUSR1, &action, NULL))
		tap_bail("sigaction");
	pid = child_start(60);
	if (!pid) {
		bool waits = child_gets_within(getppid(), function, WAIT_MS);

		_exit(kill(getppid(), SIGUSR1) || !waits);
	}
	return pid;
}
