// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * How long one small move takes, against what any answer of another process
 * takes: a byte through a pipe and one back through a second pipe.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "measure.h"

#define ROUNDS	7
#define SAMPLES	201

/**
 * struct echo - a process that answers
 * @pid: of it
 * @to: it reads from there
 * @from: it answers there
 */
struct echo {
	pid_t pid;
	int to;
	int from;
};

static void answer(int in, int out)
{
	char byte;

	while (read(in, &byte, 1) == 1 && write(out, &byte, 1) == 1)
		;
	_exit(0);
}

static void echo_start(struct echo *echo)
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

static void echo_stop(struct echo *echo)
{
	close(echo->to);
	close(echo->from);
	waitpid(echo->pid, NULL, 0);
}

/* Median of one round trip, in microseconds. */
static double ping_pong(const struct echo *echo)
{
	double times[SAMPLES];
	char byte = 0;

	for (int i = 0; i < SAMPLES; i++) {
		double begin = measure_now();

		if (write(echo->to, &byte, 1) != 1 || read(echo->from, &byte, 1) != 1)
			guest_must(-EPIPE, "ping-pong");
		times[i] = (measure_now() - begin) * 1e6;
	}
	return measure_median(times, SAMPLES);
}

/* Median of one place and wait, in microseconds; as many go in as out. */
static double place_and_wait(const struct guest_set *set)
{
	static const uint32_t segments[] = { DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_SEGMENT_SYSTEM };
	double times[SAMPLES];

	for (int i = 0; i < SAMPLES; i++) {
		double begin = measure_now();

		guest_set_place(set, segments[i % 2]);
		guest_set_wait(set);
		times[i] = (measure_now() - begin) * 1e6;
	}
	guest_set_place(set, DRM_QUIRE_SEGMENT_SYSTEM);
	guest_set_wait(set);
	return measure_median(times, SAMPLES);
}

void guest_latency(struct guest *guest)
{
	double places[ROUNDS], pipes[ROUNDS], ratios[ROUNDS];
	struct guest_set set;
	struct echo echo;

	guest_set_create(&set, guest->fd, 1, QUIRE_PAGE);
	echo_start(&echo);
	for (int i = 0; i < ROUNDS; i++) {
		pipes[i] = ping_pong(&echo);
		places[i] = place_and_wait(&set);
		ratios[i] = places[i] / pipes[i];
	}
	echo_stop(&echo);
	guest_set_close(&set);
	measure_print("place_us", measure_median(places, ROUNDS), "us");
	measure_print("pipe_us", measure_median(pipes, ROUNDS), "us");
	measure_print("place_per_pipe", measure_median(ratios, ROUNDS), "ratio");
}
