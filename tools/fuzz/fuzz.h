/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_FUZZ_H
#define QUIRE_FUZZ_H

#include "memory-host.h"

#define FUZZ_PAGE	4096u

/* What libFuzzer takes for code that an input reached, so that corpora keep such an input. */
#define FUZZ_EXTRA_COUNTERS	__attribute__((section("__libfuzzer_extra_counters")))
extern uint8_t __start___libfuzzer_extra_counters[] __attribute__((weak));
extern uint8_t __stop___libfuzzer_extra_counters[] __attribute__((weak));

/* Runs an input; each fuzzer has its own. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process: the fuzzer keeps the input. */
#define FINDING_IF(condition) do {					\
	if (condition)							\
		fuzz_finding(__FILE__, __LINE__, #condition);		\
} while (0)

/**
 * struct fuzz_input - bytes of the fuzzer, then random ones that depend on them
 * @bytes: next byte
 * @left: bytes left
 * @random: state behind the end
 *
 * So a short input is a whole program already, and a longer one decides more
 * of it.
 */
struct fuzz_input {
	const uint8_t *bytes;
	size_t left;
	uint64_t random;
};

void fuzz_finding(const char *file, int line, const char *what) __attribute__((noreturn));

void fuzz_input_start(struct fuzz_input *input, const uint8_t *bytes, size_t size);
uint64_t fuzz_take(struct fuzz_input *input, unsigned int size);
uint64_t fuzz_below(struct fuzz_input *input, uint64_t limit);

void *fuzz_alloc(size_t size);
bool fuzz_run(struct memory_host *host);

#endif
