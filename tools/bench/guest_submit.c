// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * How long the shortest submission takes, one NOP, from the call to the wake-up of who waits
 * for its fence, against what any answer of another process takes.
 */
#include "echo.h"
#include "guest.h"
#include "measure.h"
#include "program.h"

#define ROUNDS	7
#define SAMPLES	201

/* Medians in microseconds: up to the end of the call, and of all. */
static void submit_and_wait(struct program *program, double *call, double *all)
{
	double calls[SAMPLES], times[SAMPLES];

	for (int i = 0; i < SAMPLES; i++) {
		double begin = measure_now();

		program_submit(program);
		calls[i] = (measure_now() - begin) * 1e6;
		program_wait(program, program->submitted);
		times[i] = (measure_now() - begin) * 1e6;
	}
	*call = measure_median(calls, SAMPLES);
	*all = measure_median(times, SAMPLES);
}

void guest_submit(struct guest *guest)
{
	double calls[ROUNDS], times[ROUNDS], pipes[ROUNDS], ratios[ROUNDS];
	struct program program;
	struct echo echo;

	(void)guest;
	echo_start(&echo);
	program_open(&program, 0);
	quire_recorder_nop(program.recorder, sizeof(struct quire_command_nop));
	for (int i = 0; i < ROUNDS; i++) {
		pipes[i] = echo_ping_pong(&echo);
		submit_and_wait(&program, &calls[i], &times[i]);
		ratios[i] = times[i] / pipes[i];
	}
	program_close(&program);
	echo_stop(&echo);
	measure_print("submit_pipe_us", measure_median(pipes, ROUNDS), "us");
	measure_print("submit_call_us", measure_median(calls, ROUNDS), "us");
	measure_print("submit_us", measure_median(times, ROUNDS), "us");
	measure_print("submit_per_pipe", measure_median(ratios, ROUNDS), "ratio");
}
