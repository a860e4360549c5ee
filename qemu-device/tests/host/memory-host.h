/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's host in memory of this process: for unit tests, fuzzers and the
 * bench. It checks whatever the engine promises to a host, and ends the process
 * if a promise is broken. What only some need, they add through struct
 * memory_host_watch.
 */
#ifndef QUIRE_MEMORY_HOST_H
#define QUIRE_MEMORY_HOST_H

#include <stddef.h>

#include "core/quire_fault.h"
#include "device/quire_engine.h"
#include "device/quire_range.h"
#include "device/quire_regs.h"
#include "device/quire_window.h"
#include "quire_command.h"
#include "quire_hw.h"
#include "state/quire_check.h"
#include "state/quire_state.h"
#include "sync/quire_interrupt.h"
#include "work/quire_work.h"

#define MEMORY_HOST_REGIONS	3
#define MEMORY_HOST_PARTS	4

struct memory_host;

/**
 * struct memory_region - some of the guest's memory
 * @base: DMA address of the first byte
 * @size: bytes; 0 if unused; @base + @size may be 2^64
 * @bytes: content
 * @read_only: the device can not write it
 */
struct memory_region {
	uint64_t base;
	uint64_t size;
	uint8_t *bytes;
	bool read_only;
};

/**
 * struct memory_host_watch - told what the engine does; each may be NULL
 * @map: guest memory at @addr was mapped, and not yet accessed
 * @unmap: the mapping at @ptr was accessed and ended
 * @store: a 64-bit value was stored at @addr
 * @written: [@offset, @offset + @len) of the region was, without a mapping
 * @dirty: VRAM [@offset, @offset + @len) was written or discarded
 * @discard: it is to be discarded; false if that can not be
 * @message: an interrupt was sent
 * @error: a line about a mistake of the guest
 */
struct memory_host_watch {
	void (*map)(struct memory_host *host, uint64_t addr);
	void (*unmap)(struct memory_host *host, const void *ptr);
	void (*store)(struct memory_host *host, uint64_t addr);
	void (*written)(struct memory_host *host, const struct memory_region *region,
			uint64_t offset, uint64_t len);
	void (*dirty)(struct memory_host *host, uint64_t offset, uint64_t len);
	bool (*discard)(struct memory_host *host, uint64_t offset, uint64_t len);
	void (*message)(struct memory_host *host, unsigned int vector);
	void (*error)(struct memory_host *host, const char *line);
};

/**
 * struct memory_host - an engine and the memory around it
 * @engine: the device
 * @regions: guest memory
 * @vram: content of VRAM
 * @vram_size: bytes
 * @vram_visible: bytes
 * @execution_rings: rings beside the paging ring
 * @range_count: swizzling ranges
 * @range_size: bytes of a window
 * @window_size: bytes of the aperture that the CPU may see
 * @tlb_entries: translations that the engine remembers
 * @mmu_size: bytes that each MMU translates
 * @parts: regions that can be written are that many sections, at most %MEMORY_HOST_PARTS, and the
 *         last part of each is mapped if there is more than one; 0 if all of it is
 * @granule: mappings end at multiples of it, at least 8; 0 for no such limit
 * @work_least: bytes from which work is done beside the engine; 0 for none
 * @work_slices: how many times the engine asks in vain whether it is done
 * @dummy_page_report: of struct quire_engine_config
 * @watch: or NULL
 * @unchecked: the state is not checked after each call, which takes time
 * @step: nanoseconds of the machine's time that pass with each run; 0 if the user sets @time
 * @config: what @engine was made with, for another one
 * @tables: of them one is @sections
 * @shares: how often it has become the other one
 * @sections: what the engine reaches by itself
 * @section_count: how many they are
 * @clock: rises by one with each look: a slice is so many looks as it has nanoseconds
 * @time: nanoseconds of the machine's time
 * @alarm: when the engine wants to be run, 0 for no such time
 * @work: for each ring what is being done beside the engine, or NULL
 * @work_left: of @work_slices, for each ring
 * @working: how many of @work there are
 * @works: how many were started
 * @maps: mappings there have been
 * @mapped: those that are not ended yet
 * @touched: bytes that were accessed through mappings
 * @written: those of them that the host learns were written
 * @scheduled: the engine asked to be run
 * @kicks: how often
 * @interrupts: messages sent, by vector
 * @discards: calls to discard VRAM
 * @errors: mistakes of the guest
 * @misses: accesses to windows that found nothing, or not all
 * @missed: bytes that the last of them did not find
 *
 * The user sets the members up to @step; the others count from 0. After a change of @regions or
 * @parts it calls memory_host_share(), if any of that is or was shared.
 */
struct memory_host {
	struct quire_engine engine;
	struct memory_region regions[MEMORY_HOST_REGIONS];
	uint8_t *vram;
	uint64_t vram_size;
	uint64_t vram_visible;
	uint32_t execution_rings;
	uint32_t range_count;
	uint32_t range_size;
	uint64_t window_size;
	uint32_t tlb_entries;
	uint64_t mmu_size;
	unsigned int parts;
	uint64_t granule;
	uint64_t work_least;
	unsigned int work_slices;
	bool dummy_page_report;
	const struct memory_host_watch *watch;
	bool unchecked;
	uint64_t step;
	struct quire_engine_config config;
	struct quire_section tables[2][MEMORY_HOST_REGIONS * MEMORY_HOST_PARTS];
	unsigned int shares;
	struct quire_section *sections;
	uint32_t section_count;
	uint64_t clock;
	uint64_t time;
	uint64_t alarm;
	struct quire_work *work[QUIRE_RING_MAX];
	unsigned int work_left[QUIRE_RING_MAX];
	unsigned int working;
	unsigned int works;
	unsigned int maps;
	unsigned int mapped;
	uint64_t touched;
	uint64_t written;
	bool scheduled;
	unsigned int kicks;
	unsigned int interrupts[QUIRE_VECTOR_COUNT];
	unsigned int discards;
	unsigned int errors;
	unsigned int misses;
	uint64_t missed;
};

void *memory_host_alloc(size_t size);
void memory_host_start(struct memory_host *host, uint64_t aperture_size,
		       uint64_t slice_looks, uint64_t look_bytes);
void memory_host_share(struct memory_host *host);
void memory_host_stop(struct memory_host *host);
uint8_t *memory_host_find(struct memory_host *host, uint64_t addr, uint64_t *len, bool write);
void memory_host_write(struct memory_host *host, uint64_t offset, unsigned int size,
		       uint64_t value);
bool memory_host_run(struct memory_host *host);

#endif
