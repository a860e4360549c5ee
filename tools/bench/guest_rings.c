// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What more execution rings are worth: always the same programs with the same work, on one
 * ring, on two and on four.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "guest.h"
#include "measure.h"
#include "program.h"

#define PROGRAMS	4
#define RUN_S		0.3
#define IN_FLIGHT	8	/* submissions that a program does not wait for */
#define COPIES		4
#define COPY_SIZE	0x10000
#define DELAY_NS	1000000

static const uint32_t ring_counts[] = { 1, 2, 4 };

/* The shortest work, work for the emulator's processor, and work for nobody's. */
enum work { WORK_NOP, WORK_COPY, WORK_DELAY };

static const char * const work_names[] = { "nop", "copy", "delay" };

/**
 * struct runner - a program that submits all the time
 * @program: the program
 * @object: of WORK_COPY
 * @thread: that it runs in
 * @start: all begin together
 */
struct runner {
	struct program program;
	struct quire_object *object;
	pthread_t thread;
	pthread_barrier_t *start;
};

static void record(struct runner *runner, enum work work)
{
	struct quire_recorder *recorder = runner->program.recorder;

	switch (work) {
	case WORK_NOP:
		quire_recorder_nop(recorder, sizeof(struct quire_command_nop));
		break;
	case WORK_COPY:
		for (int i = 0; i < COPIES; i++)
			quire_recorder_copy(recorder, quire_at(runner->object, 0),
					    quire_at(runner->object, COPY_SIZE), COPY_SIZE);
		break;
	case WORK_DELAY:
		quire_recorder_delay(recorder, DELAY_NS);
		break;
	}
}

static void *submit_all_the_time(void *arg)
{
	struct runner *runner = arg;
	struct program *program = &runner->program;
	double end;

	pthread_barrier_wait(runner->start);
	end = measure_now() + RUN_S;
	while (measure_now() < end) {
		program_submit(program);
		if (program->submitted > IN_FLIGHT)
			program_wait(program, program->submitted - IN_FLIGHT);
	}
	program_wait(program, program->submitted);
	return NULL;
}

static void runner_start(struct runner *runner, enum work work, uint32_t ring,
			 pthread_barrier_t *start)
{
	program_open(&runner->program, ring);
	runner->object = program_object(&runner->program, 2 * COPY_SIZE);
	runner->start = start;
	record(runner, work);
	program_run(&runner->program, NULL);
	runner->program.submitted = 0;
	guest_must(-pthread_create(&runner->thread, NULL, submit_all_the_time, runner), "thread");
}

/* Returns what it submitted. */
static uint64_t runner_stop(struct runner *runner)
{
	pthread_join(runner->thread, NULL);
	quire_object_close(runner->object);
	program_close(&runner->program);
	return runner->program.submitted;
}

/* Submissions of all programs in a second. */
static double run(enum work work, uint32_t rings)
{
	struct runner runners[PROGRAMS];
	pthread_barrier_t start;
	uint64_t sum = 0;
	double begin;

	pthread_barrier_init(&start, NULL, PROGRAMS + 1);
	for (uint32_t i = 0; i < PROGRAMS; i++)
		runner_start(&runners[i], work, i % rings, &start);
	pthread_barrier_wait(&start);
	begin = measure_now();
	for (int i = 0; i < PROGRAMS; i++)
		sum += runner_stop(&runners[i]);
	pthread_barrier_destroy(&start);
	return sum / (measure_now() - begin);
}

static void measure(enum work work, size_t counts)
{
	double rates[ARRAY_SIZE(ring_counts)][GUEST_ROUNDS];
	char figure[64];

	for (int i = 0; i < GUEST_ROUNDS; i++)
		for (size_t j = 0; j < counts; j++)
			rates[j][i] = run(work, ring_counts[j]);
	for (size_t j = counts - 1; j; j--) {
		for (int i = 0; i < GUEST_ROUNDS; i++)
			rates[j][i] /= rates[0][i];
		snprintf(figure, sizeof(figure), "rings_%s_%u", work_names[work], ring_counts[j]);
		measure_print(figure, measure_median(rates[j], GUEST_ROUNDS), "ratio");
	}
	snprintf(figure, sizeof(figure), "rings_%s_rate", work_names[work]);
	measure_print(figure, measure_median(rates[0], GUEST_ROUNDS), "1/s");
}

/* What the device has not is not measured. */
void guest_rings(struct guest *guest)
{
	struct drm_quire_device_info info;
	size_t counts = 0;

	guest_must(quire_query_device(guest->fd, &info), "query");
	while (counts < ARRAY_SIZE(ring_counts) && ring_counts[counts] <= info.execution_rings)
		counts++;
	guest_must(counts ? 0 : -ENODEV, "there is no execution ring");
	if (counts < ARRAY_SIZE(ring_counts))
		fprintf(stderr, "bench-submit: no figure for %u rings or more: there are %u\n",
			ring_counts[counts], info.execution_rings);
	for (size_t work = 0; work < ARRAY_SIZE(work_names); work++)
		measure(work, counts);
}
