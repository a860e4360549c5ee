/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_FUZZ_HOST_H
#define QUIRE_FUZZ_HOST_H

#include "quire_engine.h"

#define FUZZ_PAGE	4096u

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

/**
 * struct fuzz_region - guest memory
 * @base: DMA address of the first byte
 * @size: bytes; @base + @size may be 2^64
 * @bytes: content
 */
struct fuzz_region {
	uint64_t base;
	uint64_t size;
	uint8_t *bytes;
};

#define FUZZ_REGIONS	3

/**
 * struct fuzz_host - what the engine is plugged into
 * @engine: the device
 * @regions: guest memory; unused ones have size 0
 * @vram: content of VRAM
 * @vram_size: bytes
 * @granule: mappings end at multiples of it; power of two, at least 8
 * @mapped: mappings that are not ended yet
 * @touched: bytes that were accessed through mappings
 * @scheduled: the engine asked to be run
 * @interrupts: number of interrupts
 */
struct fuzz_host {
	struct quire_engine engine;
	struct fuzz_region regions[FUZZ_REGIONS];
	uint8_t *vram;
	uint64_t vram_size;
	uint64_t granule;
	uint64_t mapped;
	uint64_t touched;
	bool scheduled;
	unsigned int interrupts;
};

void fuzz_finding(const char *file, int line, const char *what) __attribute__((noreturn));

void fuzz_input_start(struct fuzz_input *input, const uint8_t *bytes, size_t size);
uint64_t fuzz_take(struct fuzz_input *input, unsigned int size);
uint64_t fuzz_below(struct fuzz_input *input, uint64_t limit);

void *fuzz_alloc(size_t size);
void fuzz_host_start(struct fuzz_host *host, uint64_t aperture_size, uint32_t slice_packets,
		     uint64_t slice_bytes);
void *fuzz_host_memory(struct fuzz_host *host, uint64_t addr, uint64_t *len);
bool fuzz_host_run(struct fuzz_host *host);
void fuzz_host_stop(struct fuzz_host *host);

#endif
