// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "echo.h"
#include "guest.h"
#include "measure.h"

static void answer(int in, int out)
{
	char byte;

	while (read(in, &byte, 1) == 1 && write(out, &byte, 1) == 1)
		;
	_exit(0);
}

void echo_start(struct echo *echo)
{
	int there[2], back[2];

	if (pipe(there) || pipe(back))
		guest_must(-errno, "pipe");
	echo->pid = fork();
	if (echo->pid < 0)
		guest_must(-errno, "fork");
	if (!echo->pid) {
		close(there[1]);
		close(back[0]);
		answer(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	echo->to = there[1];
	echo->from = back[0];
}

void echo_stop(struct echo *echo)
{
	close(echo->to);
	close(echo->from);
	waitpid(echo->pid, NULL, 0);
}

/* Median of one round trip, in microseconds. */
double echo_ping_pong(const struct echo *echo)
{
	double times[ECHO_SAMPLES];
	char byte = 0;

	for (int i = 0; i < ECHO_SAMPLES; i++) {
		double begin = measure_now();

		if (write(echo->to, &byte, 1) != 1 || read(echo->from, &byte, 1) != 1)
			guest_must(-EPIPE, "ping-pong");
		times[i] = (measure_now() - begin) * 1e6;
	}
	return measure_median(times, ECHO_SAMPLES);
}
