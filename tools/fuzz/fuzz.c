// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the fuzzers share: input, findings, and how long a slice may be.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../libquire/random.h"

#include "fuzz.h"

void fuzz_finding(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: finding: %s\n", file, line, what);
	abort();
}

void fuzz_input_start(struct fuzz_input *input, const uint8_t *bytes, size_t size)
{
	size_t i;

	*input = (struct fuzz_input) { .bytes = bytes, .left = size };
	for (i = 0; i < size; i++)
		input->random = (input->random ^ bytes[i]) * 0x100000001b3ull + 1;
}

static uint8_t fuzz_take_byte(struct fuzz_input *input)
{
	if (!input->left)
		return random_next(&input->random);
	input->left--;

	return *input->bytes++;
}

uint64_t fuzz_take(struct fuzz_input *input, unsigned int size)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < size; i++)
		value |= (uint64_t)fuzz_take_byte(input) << 8 * i;

	return value;
}

uint64_t fuzz_below(struct fuzz_input *input, uint64_t limit)
{
	return fuzz_take(input, limit <= 256 ? 1 : 2) % limit;
}

void *fuzz_alloc(size_t size)
{
	void *memory = calloc(1, size);

	if (!memory)
		exit(2);

	return memory;
}

/*
 * One slice. A slice is short: each ring overdraws its share by a step at most. What is read
 * and written is touched twice, or three times.
 */
bool fuzz_run(struct memory_host *host)
{
	const struct quire_engine *engine = &host->engine;
	bool more;

	host->touched = 0;
	more = memory_host_run(host);
	FINDING_IF(host->touched / 3 > engine->slice_ns * engine->look_bytes +
		   engine->ring_count * (engine->look_bytes + QUIRE_MAX_SUBMISSION +
					 FUZZ_PAGE));

	return more;
}
