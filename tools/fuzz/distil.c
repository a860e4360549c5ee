// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Distils a corpus: keeps those few inputs that reach most together, of all that are given and of
 * others that are made of them. Takes the place of libFuzzer in a fuzzer.
 *
 * Usage: NAME_distil INPUTS SECONDS DIRECTORY...
 * The first directory gets the inputs, named by a hash, in the place of those that it had.
 */
#include <dirent.h>
#include <err.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../libquire/random.h"
#include "../tests/lib/xxh64.h"

#include "fuzz.h"

#define MAX_SIZE	1024u
#define MAX_INPUTS	20000u
#define TRIES		12u	/* to replace an input, before the next one is looked at */
#define EDGE_WORTH	20	/* features */
#define LEVELS		8u

struct input {
	uint8_t bytes[MAX_SIZE];
	size_t size;
	uint8_t *levels; /* of each counter, 0: not reached */
};

static uint8_t *counters;
static size_t nr_counters, nr_extra, nr_all;
static struct input inputs[MAX_INPUTS];
static size_t nr_inputs;
static struct input *chosen;
static size_t nr_chosen, max_chosen;
static unsigned int *edges, *features; /* how many of the chosen inputs reach each */
static uint64_t numbers = 1;

/* The objects of a fuzzer call these before main(). */
void __sanitizer_cov_8bit_counters_init(uint8_t *begin, uint8_t *end)
{
	counters = begin;
	nr_counters = end - begin;
}

void __sanitizer_cov_pcs_init(const uintptr_t *begin, const uintptr_t *end)
{
}

/* 1 to LEVELS, with libFuzzer's limits; 0 for a counter that is 0. */
static uint8_t level(uint8_t count)
{
	static const uint8_t least[LEVELS] = { 1, 2, 3, 4, 8, 16, 32, 128 };
	uint8_t i;

	for (i = LEVELS; i && count < least[i - 1]; i--)
		;
	return i;
}

static void input_run(struct input *input)
{
	uint8_t *bytes = malloc(input->size + 1); /* the sanitizers see its end */
	size_t i;

	if (!input->levels)
		input->levels = malloc(nr_all);
	if (!bytes || !input->levels)
		err(2, "memory");
	memcpy(bytes, input->bytes, input->size);
	memset(counters, 0, nr_counters);
	if (nr_extra)
		memset(__start___libfuzzer_extra_counters, 0, nr_extra);
	LLVMFuzzerTestOneInput(bytes, input->size);
	for (i = 0; i < nr_counters; i++)
		input->levels[i] = level(counters[i]);
	for (i = 0; i < nr_extra; i++)
		input->levels[nr_counters + i] = level(__start___libfuzzer_extra_counters[i]);
	free(bytes);
}

static void input_copy(struct input *to, const struct input *from)
{
	memcpy(to->bytes, from->bytes, from->size);
	to->size = from->size;
	memcpy(to->levels, from->levels, nr_all);
}

/* What an input would add to those that are chosen. */
static long input_gain(const struct input *input)
{
	long gain = 0;
	size_t i;

	for (i = 0; i < nr_all; i++)
		if (input->levels[i]) {
			gain += !features[i * LEVELS + input->levels[i] - 1];
			gain += edges[i] ? 0 : EDGE_WORTH;
		}
	return gain;
}

static void input_count(const struct input *input, int by)
{
	size_t i;

	for (i = 0; i < nr_all; i++)
		if (input->levels[i]) {
			edges[i] += by;
			features[i * LEVELS + input->levels[i] - 1] += by;
		}
}

static bool is_better(long gain, const struct input *input, long than, const struct input *other)
{
	return gain > than || (gain == than && input->size < other->size);
}

static void input_read(const char *directory, const char *name)
{
	struct input *input = &inputs[nr_inputs];
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "rb");
	if (!file)
		err(2, "%s", path);
	input->size = fread(input->bytes, 1, MAX_SIZE, file);
	fclose(file);
	input_run(input);
	nr_inputs++;
}

/* Reads all inputs of a directory, and removes them from it if they are to be @replaced. */
static void directory_read(const char *path, bool replaced)
{
	DIR *directory = opendir(path);
	struct dirent *entry;

	if (!directory)
		err(2, "%s", path);
	while ((entry = readdir(directory)) && nr_inputs < MAX_INPUTS) {
		if (entry->d_name[0] == '.')
			continue;
		if (!replaced)
			input_read(path, entry->d_name);
		else if (unlinkat(dirfd(directory), entry->d_name, 0))
			err(2, "%s/%s", path, entry->d_name);
	}
	closedir(directory);
}

static void directory_write(const char *path)
{
	char name[4096];
	FILE *file;
	size_t i;

	directory_read(path, true);
	for (i = 0; i < nr_chosen; i++) {
		snprintf(name, sizeof(name), "%s/%016" PRIx64, path,
			 xxh64(chosen[i].bytes, chosen[i].size));
		file = fopen(name, "wb");
		if (!file || fwrite(chosen[i].bytes, 1, chosen[i].size, file) != chosen[i].size ||
		    fclose(file))
			err(2, "%s", name);
	}
}

static void tell(const char *what)
{
	size_t i, nr_edges = 0, nr_features = 0;

	for (i = 0; i < nr_all; i++)
		nr_edges += !!edges[i];
	for (i = 0; i < nr_all * LEVELS; i++)
		nr_features += !!features[i];
	printf("%s: %zu edges, %zu features\n", what, nr_edges, nr_features);
}

/* Each time the one that adds most. */
static void choose(void)
{
	const struct input *best;
	long gain, most;
	size_t i;

	for (; nr_chosen < max_chosen; nr_chosen++) {
		best = NULL;
		most = 0;
		for (i = 0; i < nr_inputs; i++) {
			gain = input_gain(&inputs[i]);
			if (gain && (!best || is_better(gain, &inputs[i], most, best))) {
				best = &inputs[i];
				most = gain;
			}
		}
		if (!best)
			return;
		chosen[nr_chosen].levels = malloc(nr_all);
		if (!chosen[nr_chosen].levels)
			err(2, "memory");
		input_copy(&chosen[nr_chosen], best);
		input_count(best, 1);
	}
}

/* Makes @to of the beginning of @head, some bytes of @middle, and the end of @head. */
static void input_splice(struct input *to, const struct input *head, size_t at, size_t skipped,
			 const uint8_t *middle, size_t size)
{
	if (at + size > MAX_SIZE)
		size = MAX_SIZE - at;
	if (skipped > head->size - at)
		skipped = head->size - at;
	to->size = head->size - skipped + size;
	if (to->size > MAX_SIZE)
		to->size = MAX_SIZE;
	memcpy(to->bytes, head->bytes, at);
	memcpy(to->bytes + at, middle, size);
	memcpy(to->bytes + at + size, head->bytes + at + skipped, to->size - at - size);
}

/* An input like @head, with a part of @other, random bytes, or less. */
static void input_make(struct input *to, const struct input *head, const struct input *other)
{
	size_t at = random_below(&numbers, head->size + 1);
	size_t from = random_below(&numbers, other->size + 1);
	uint64_t random = random_next(&numbers);

	switch (random_below(&numbers, 4)) {
	case 0:
		input_splice(to, head, at, 1, (void *)&random, 1);
		break;
	case 1:
		input_splice(to, head, at, random_below(&numbers, 8), (void *)&random,
			     random_below(&numbers, sizeof(random)));
		break;
	case 2:
		input_splice(to, head, head->size, 0, other->bytes + from, other->size - from);
		break;
	default:
		input_splice(to, head, at, head->size, other->bytes + from, other->size - from);
		break;
	}
	input_run(to);
}

/* Tries others in the place of a chosen one. */
static void improve(struct input *input, struct input *other)
{
	const struct input *head;
	unsigned int tries;
	long gain, most;

	input_count(input, -1);
	most = input_gain(input);
	for (tries = 0; tries < TRIES; tries++) {
		head = tries % 4 ? input : &inputs[random_below(&numbers, nr_inputs)];
		input_make(other, head, &inputs[random_below(&numbers, nr_inputs)]);
		gain = input_gain(other);
		if (is_better(gain, other, most, input)) {
			input_copy(input, other);
			most = gain;
		}
	}
	input_count(input, 1);
}

/* Leaves out bytes that reach nothing. */
static void shorten(struct input *input, struct input *other)
{
	size_t step, at;
	long most;

	input_count(input, -1);
	most = input_gain(input);
	for (step = 64; step >= 8; step /= 2)
		for (at = 0; at < input->size;) {
			input_splice(other, input, at, step, input->bytes, 0);
			input_run(other);
			if (input_gain(other) >= most)
				input_copy(input, other);
			else
				at += step;
		}
	input_count(input, 1);
}

int main(int argc, char **argv)
{
	static struct input other;
	time_t end;
	size_t i;

	if (argc < 4)
		errx(2, "usage: %s INPUTS SECONDS DIRECTORY...", argv[0]);
	nr_extra = __stop___libfuzzer_extra_counters - __start___libfuzzer_extra_counters;
	nr_all = nr_counters + nr_extra;
	max_chosen = strtoul(argv[1], NULL, 10);
	chosen = calloc(max_chosen, sizeof(*chosen));
	edges = calloc(nr_all, sizeof(*edges));
	features = calloc(nr_all * LEVELS, sizeof(*features));
	if (!chosen || !edges || !features)
		err(2, "memory");
	for (i = 3; i < (size_t)argc; i++)
		directory_read(argv[i], false);
	choose();
	tell("chosen");
	fflush(stdout);
	end = time(NULL) + strtoul(argv[2], NULL, 10);
	for (i = 0; nr_chosen && time(NULL) < end; i++)
		improve(&chosen[i % nr_chosen], &other);
	for (i = 0; i < nr_chosen; i++)
		shorten(&chosen[i], &other);
	tell("improved");
	directory_write(argv[3]);

	return 0;
}
