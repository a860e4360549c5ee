/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A ring of the device, as a driver has it, on which nothing may be a fault. */
#ifndef QUIRE_FUZZ_RING_H
#define QUIRE_FUZZ_RING_H

#include <linux/bits.h>

#include <asm/byteorder.h>

#include "fuzz.h"

#define FUZZ_RING_ORDER		2u
#define FUZZ_RING_ENTRIES	BIT(FUZZ_RING_ORDER)

/* Two pages, which the device sees. */
struct fuzz_ring_memory {
	struct quire_ring_entry entries[FUZZ_PAGE / sizeof(struct quire_ring_entry)];
	struct quire_fence_page fence;
	uint8_t pad[FUZZ_PAGE - sizeof(struct quire_fence_page)];
};

/**
 * struct fuzz_ring - a ring
 * @host: of the device
 * @number: of the ring
 * @memory: its pages
 * @address: DMA address of @memory
 * @context: of its submissions, QUIRE_ADDRESS(); 0 if they have none
 * @wptr: submissions so far; the fence value of each is its number, from 1
 */
struct fuzz_ring {
	struct memory_host *host;
	unsigned int number;
	struct fuzz_ring_memory *memory;
	uint64_t address;
	uint64_t context;
	uint32_t wptr;
};

void fuzz_ring_start(struct fuzz_ring *ring);
void fuzz_ring_stop(struct fuzz_ring *ring);
bool fuzz_ring_is_full(const struct fuzz_ring *ring);
void fuzz_ring_submit(struct fuzz_ring *ring, uint64_t address, uint32_t size);
void fuzz_ring_finish(struct fuzz_ring *ring);

/* The engine's side of it. */
static inline const struct quire_ring *fuzz_ring_engine(const struct fuzz_ring *ring)
{
	return &ring->host->engine.ring[ring->number];
}

/* The fence value that the device wrote last. */
static inline uint64_t fuzz_ring_fence(const struct fuzz_ring *ring)
{
	return le64_to_cpu(ring->memory->fence.fence);
}

#endif
