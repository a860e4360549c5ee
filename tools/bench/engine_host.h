/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The engine on flat memory of this process, as fast as a host can be. */
#ifndef QUIRE_BENCH_ENGINE_HOST_H
#define QUIRE_BENCH_ENGINE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct engine_host - one engine and its memory
 * @engine: the device
 * @system: system memory; its DMA addresses start at 0
 * @system_size: bytes
 * @vram: video memory
 * @vram_size: bytes
 * @submitted: ring entries written, and the last fence value
 */
struct engine_host {
	struct quire_engine *engine;
	uint8_t *system;
	uint64_t system_size;
	uint8_t *vram;
	uint64_t vram_size;
	uint32_t submitted;
};

/* Pages of system memory that the host itself uses; the rest is free. */
#define ENGINE_HOST_PAGES	2u

bool engine_host_start(struct engine_host *host);
bool engine_host_run(struct engine_host *host, const uint64_t *addresses,
		     const uint32_t *sizes, size_t count);
void engine_host_stop(struct engine_host *host);

#endif
