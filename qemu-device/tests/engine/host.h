/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What engine tests have: a host with memory in a few regions and holes between
 * them, VRAM, a driver's ring, and builders of packets.
 *
 * Packets are built word by word from the specification, not from the
 * structures of quire_hw.h, so that a wrong structure shows.
 */
#ifndef QUIRE_TEST_HOST_H
#define QUIRE_TEST_HOST_H

#include "memory-host.h"

#define PAGE		4096ull
#define MIB		0x100000ull

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* DMA addresses of the regions of system memory. */
#define RAM_BASE	0x100000ull	/* general use */
#define RAM_SIZE	(10 * MIB)
#define ROM_BASE	0x2000000ull	/* can be read only */
#define ROM_SIZE	(16 * PAGE)
#define TOP_BASE	(0ull - 16 * PAGE) /* up to the last byte of 64 bits */
#define TOP_SIZE	(16 * PAGE)
#define HOLE		0x40000000ull	/* no memory here */

/* What the driver keeps in RAM, at fixed places behind the test's own data. */
#define FENCE_PAGE	(RAM_BASE + 6 * MIB)
#define ENTRIES		(RAM_BASE + 6 * MIB + 16 * PAGE)
#define BUFFER		(RAM_BASE + 7 * MIB)
#define DATA_SIZE	(6 * MIB)	/* of RAM, for tests */

/* The same of execution rings, whose buffers are behind that: see runner.h. */
#define RUNNER_FENCE(ring)	(FENCE_PAGE + (ring) * PAGE)
#define RUNNER_ENTRIES(ring)	(ENTRIES + (32 + (ring)) * PAGE)
#define RUNNER_BUFFER(ring)	(RAM_BASE + 8 * MIB + ((ring) - 1) * RUNNER_BUFFER_SIZE)
#define RUNNER_BUFFER_SIZE	(MIB / 4)

/* Rings beside the paging ring. */
#define HOST_EXECUTION_RINGS	2u

/* Swizzling ranges. */
#define HOST_RANGES	3u
#define HOST_RANGE_SIZE	0x80000u

/* Translations that the engine remembers. */
#define HOST_TLB	256u

/* Bytes that each MMU translates. */
#define HOST_MMU	(256 * PAGE)

/* Aperture pages that the CPU can see, in an aperture that has as many. */
#define HOST_WINDOW	(8 * PAGE)

/*
 * struct host - an engine with all that is around it
 * @memory: the engine and its memory; first, so that it leads to this
 * @buffer_used: next free byte of the submission buffer in RAM
 * @order: log2 of the number of ring entries
 * @wptr: entries written
 * @slices: of host_run()
 * @dirty: a 1 for each byte of VRAM that was reported as written
 * @told: a 1 for each byte of RAM that was reported as written, where no mapping is
 * @discard_first: first byte of VRAM that was given back
 * @discard_bytes: how many were, each call following the one before
 * @no_discard: none is given back
 * @trace: "W" wptr looked at, "F" fence written, "R" rptr written, "D" doorbell
 *         asked for, "I" interrupt, "E" fault interrupt, in order
 * @watch: called after each of them, and with "w" when wptr was read; may be
 *         NULL
 */
struct host {
	struct memory_host memory;
	uint64_t buffer_used;
	unsigned int order;
	uint32_t wptr;
	uint64_t slices;
	uint8_t *dirty;
	uint8_t *told;
	uint64_t discard_first;
	uint64_t discard_bytes;
	bool no_discard;
	char trace[64];
	size_t trace_len;
	void (*watch)(struct host *host, char what);
	void *watch_data;
};

/* A packet under construction, or several. */
struct packets {
	uint8_t bytes[QUIRE_MAX_SUBMISSION];
	uint32_t size;
	uint32_t start;
};

struct host *host_new(uint64_t vram_size, uint64_t aperture_size, uint64_t slice_looks,
		      uint64_t look_bytes);
void host_free(struct host *host);

uint8_t *host_ram(struct host *host, uint64_t addr, uint64_t len);
void host_put32(struct host *host, uint64_t addr, uint32_t value);
void host_put64(struct host *host, uint64_t addr, uint64_t value);
uint32_t host_get32(struct host *host, uint64_t addr);
uint64_t host_get64(struct host *host, uint64_t addr);

uint32_t host_reg(struct host *host, uint32_t offset);
uint64_t host_reg64(struct host *host, uint32_t offset);
void host_set_reg(struct host *host, uint32_t offset, uint32_t value);
void host_set_reg64(struct host *host, uint32_t offset, uint64_t value);
uint32_t host_ring_reg(struct host *host, uint32_t reg);
uint64_t host_ring_reg64(struct host *host, uint32_t reg);

void host_ring_setup(struct host *host, unsigned int order);
void host_ring_enable(struct host *host);
void host_ring_disable(struct host *host);
void host_ring_restart(struct host *host);
void host_entry(struct host *host, uint32_t index, uint64_t addr, uint32_t size,
		uint32_t flags, uint64_t fence, uint64_t context);
uint64_t host_buffer(struct host *host, const struct packets *p);
uint64_t host_next_packet(const struct host *host, const struct packets *p);
void host_queue(struct host *host, const struct packets *p, uint64_t fence, uint32_t flags);
void host_ring_doorbell(struct host *host);
void host_submit(struct host *host, const struct packets *p, uint64_t fence);
bool host_run(struct host *host);
void host_load_ring(struct quire_ring *to, const struct quire_ring *from);
bool host_migrate(struct host *host);

void packet_start(struct packets *p, uint16_t opcode, uint16_t flags);
void packet_u32(struct packets *p, uint32_t value);
void packet_u64(struct packets *p, uint64_t value);
void packet_run(struct packets *p, uint64_t addr, uint32_t pages);
void packet_end(struct packets *p);
void packet_transfer(struct packets *p, uint32_t src_segment, uint64_t src,
		     uint32_t dst_segment, uint64_t dst, uint64_t size);
void packet_fill(struct packets *p, uint32_t segment, uint64_t addr, uint64_t size,
		 uint32_t pattern);
void packet_discard(struct packets *p, uint32_t segment, uint64_t addr, uint64_t size);
void packet_physical(struct packets *p, uint16_t opcode, uint32_t segment, uint64_t addr,
		     uint32_t size, uint64_t value);
void packet_map(struct packets *p, uint64_t first_page, uint32_t pages, uint16_t flags);
void packet_map2(struct packets *p, uint64_t first_page, uint32_t pages, uint16_t flags,
		 uint64_t adl);
void packet_map2_list(struct packets *p, uint64_t packet, uint64_t first_page, uint16_t flags,
		      const uint64_t *list, uint32_t pages);
void packet_unmap(struct packets *p, uint64_t first_page, uint32_t pages, uint64_t dummy);
void packet_map_mmu(struct packets *p, uint16_t flags, uint32_t mmu, uint32_t segment,
		    uint64_t address, uint32_t pages);
void packet_unmap_mmu(struct packets *p, uint32_t mmu, uint64_t address, uint32_t pages);
void packet_fences(struct packets *p, uint32_t fence, uint64_t owner, uint64_t value,
		   uint64_t monitored);
void packet_signal(struct packets *p, uint64_t addr, uint64_t value);

uint32_t test_random(void);
uint64_t test_random_below(uint64_t limit);
void test_seed(uint32_t seed);
void test_scramble(uint8_t *memory, uint64_t size);

#endif
