// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <signal.h>

#include "tap.h"
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
