/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A driver of one ring, on flat memory, as fast as a host can be. */
#ifndef QUIRE_BENCH_ENGINE_HOST_H
#define QUIRE_BENCH_ENGINE_HOST_H

#include "memory-host.h"

#define ENGINE_HOST_APERTURE	(64ull << 20)

/**
 * struct engine_host - one engine and its driver
 * @memory: the engine and its memory
 * @submitted: ring entries written, and the last fence value
 * @context: of what is submitted, as ring entries have it; 0: none
 */
struct engine_host {
	struct memory_host memory;
	uint32_t submitted;
	uint64_t context;
};

void engine_host_start(struct engine_host *host);
bool engine_host_run(struct engine_host *host, const uint64_t *addresses,
		     const uint32_t *sizes, size_t count);

#endif
