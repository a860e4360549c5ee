// SPDX-License-Identifier: GPL-2.0 OR MIT
/* bench-check: how fast command buffers are checked, beside memcpy() of the same bytes. */
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "measure.h"

/* Bytes of the buffers; all of one measurement together. */
#define SHORT		0x10000u
#define LONG		0x100000u
#define TOGETHER	0x100000u

/**
 * struct sample - command buffers of one kind
 * @commands: the buffers, each another one, or the processor knows it by heart
 * @count: of them
 * @bytes: what the check reads of all of them
 * @copy: room for these
 */
struct sample {
	struct commands commands[TOGETHER / SHORT];
	u32 count;
	size_t bytes;
	char *copy;
};

static void die(const char *what)
{
	fprintf(stderr, "bench-check: %s\n", what);
	exit(EXIT_FAILURE);
}

static void prepare(struct sample *sample, enum commands_kind kind, u32 size)
{
	*sample = (struct sample) { .count = TOGETHER / size };
	for (u32 i = 0; i < sample->count; i++) {
		if (!commands_prepare(&sample->commands[i], kind, size, i + 1))
			die("no memory, or commands that can not be");
		sample->bytes += commands_bytes(&sample->commands[i]);
	}
	sample->copy = malloc(sample->bytes);
	if (!sample->copy)
		die("no memory");
}

static void discard(struct sample *sample)
{
	for (u32 i = 0; i < sample->count; i++)
		commands_free(&sample->commands[i]);
	free(sample->copy);
}

static double time_check(struct sample *sample)
{
	double start = measure_now();

	for (u32 i = 0; i < sample->count; i++)
		if (!commands_check(&sample->commands[i]))
			die("a good submission is refused");
	return measure_now() - start;
}

static double time_memcpy(struct sample *sample)
{
	double start = measure_now();
	char *to = sample->copy;

	for (u32 i = 0; i < sample->count; i++) {
		commands_copy(&sample->commands[i], to);
		to += commands_bytes(&sample->commands[i]);
	}
	return measure_now() - start;
}

static void measure(const char *name, enum commands_kind kind, u32 size)
{
	double ratios[MEASURE_RUNS], rates[MEASURE_RUNS];
	struct sample sample;
	char figure[64];

	prepare(&sample, kind, size);
	for (int i = -1; i < MEASURE_RUNS; i++) {
		double copy = time_memcpy(&sample), check = time_check(&sample);

		if (i < 0)
			continue;
		ratios[i] = copy / check;
		rates[i] = sample.bytes / check / (1 << 20);
	}
	discard(&sample);
	snprintf(figure, sizeof(figure), "check_per_memcpy_%s", name);
	measure_print(figure, measure_median(ratios, MEASURE_RUNS), "ratio");
	snprintf(figure, sizeof(figure), "check_rate_%s", name);
	measure_print(figure, measure_median(rates, MEASURE_RUNS), "MiB/s");
}

int main(void)
{
	measure("compare", COMMANDS_COMPARE, SHORT);
	measure("blend", COMMANDS_BLEND, SHORT);
	measure("mixed", COMMANDS_MIXED, SHORT);
	measure("mixed_long", COMMANDS_MIXED, LONG);
	measure("nop", COMMANDS_NOP, LONG);
	return 0;
}
