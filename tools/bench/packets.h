/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the driver's builder writes for a transfer, in buffers of its size. */
#ifndef QUIRE_BENCH_PACKETS_H
#define QUIRE_BENCH_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKETS_BUFFER	65536u		/* QUIRE_PAGING_BUFFER_SIZE of the driver */

#define PACKETS_WINDOWS	4u		/* of an address space: of source and destination, */
#define PACKETS_LARGE	2u		/* from here on with large pages */

/**
 * struct packets_shape - a transfer between system memory and VRAM
 * @pages: of it
 * @system: page numbers of the system side, one per page
 * @vram: page numbers of the VRAM side, one per page
 * @vram_pages: size of VRAM
 * @to_vram: direction
 */
struct packets_shape {
	size_t pages;
	const uint64_t *system;
	const uint64_t *vram;
	uint64_t vram_pages;
	bool to_vram;
};

/**
 * struct packets - buffers with what was built
 * @memory: @nr_buffers times PACKETS_BUFFER bytes
 * @sizes: bytes used of each
 * @nr_buffers: used
 * @max_buffers: room
 * @system_runs: runs of the system side
 * @vram_runs: runs of the VRAM side
 * @nr_system_runs: number of @system_runs
 * @nr_vram_runs: number of @vram_runs
 */
struct packets {
	uint8_t *memory;
	uint32_t *sizes;
	size_t nr_buffers;
	size_t max_buffers;
	void *system_runs;
	void *vram_runs;
	uint32_t nr_system_runs;
	uint32_t nr_vram_runs;
};

/**
 * struct packets_windows - through which a transfer in virtual addresses is seen
 * @root: entry of the address space
 * @table: of level 1, a page of system memory: windows of large pages are its entries 2 and 3
 * @tables: of level 0, of source and destination: its entries 0 and 1
 * @address: virtual one of the first window, where @table begins; the others follow
 */
struct packets_windows {
	uint64_t root;
	uint64_t table;
	uint64_t tables[2];
	uint64_t address;
};

bool packets_prepare(struct packets *packets, const struct packets_shape *shape);
bool packets_check(const struct packets *packets, const struct packets_shape *shape);
bool packets_build(struct packets *packets, const struct packets_shape *shape);
bool packets_build_virtual(struct packets *packets, const struct packets_shape *shape,
			   const struct packets_windows *windows);
uint32_t packets_entry_bytes(const uint64_t *pages, uint32_t count);
uint64_t packets_bytes(const struct packets *packets);
void packets_free(struct packets *packets);

#endif
