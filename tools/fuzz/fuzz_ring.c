// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <asm/byteorder.h>

#include "fuzz_ring.h"

/* Slices until nothing will come of it any more. */
#define MOST_SLICES	1000000u

static void ring_write(struct fuzz_ring *ring, uint32_t reg, uint64_t value)
{
	memory_host_write(ring->host, QUIRE_REG_RING(ring->number, reg), 4, value);
}

/* From the first entry on. */
void fuzz_ring_start(struct fuzz_ring *ring)
{
	memset(ring->memory, 0, sizeof(*ring->memory));
	ring->wptr = 0;
	ring_write(ring, QUIRE_RING_ENTRIES_LO, ring->address);
	ring_write(ring, QUIRE_RING_FENCE_PAGE_LO,
		   ring->address + offsetof(struct fuzz_ring_memory, fence));
	ring_write(ring, QUIRE_RING_ORDER, FUZZ_RING_ORDER);
	ring_write(ring, QUIRE_RING_CONTROL, QUIRE_RING_CONTROL_ENABLE);
}

void fuzz_ring_stop(struct fuzz_ring *ring)
{
	ring_write(ring, QUIRE_RING_CONTROL, 0);
}

bool fuzz_ring_is_full(const struct fuzz_ring *ring)
{
	return ring->wptr - fuzz_ring_engine(ring)->rptr == FUZZ_RING_ENTRIES;
}

/* It is not full. */
void fuzz_ring_submit(struct fuzz_ring *ring, uint64_t address, uint32_t size)
{
	struct quire_ring_entry *entry =
		&ring->memory->entries[ring->wptr++ % FUZZ_RING_ENTRIES];

	*entry = (struct quire_ring_entry) {
		.addr = cpu_to_le64(address),
		.size = cpu_to_le32(size),
		.flags = cpu_to_le32(ring->context ? QUIRE_ENTRY_CONTEXT : 0),
		.context = cpu_to_le64(ring->context),
		.fence = cpu_to_le64(ring->wptr),
	};
	ring->memory->fence.wptr = cpu_to_le32(ring->wptr);
	memory_host_write(ring->host, QUIRE_DOORBELL(ring->number), 4, 0);
	FINDING_IF(!ring->host->scheduled);
}

static void no_fault(const struct fuzz_ring *ring)
{
	const struct quire_ring *engine = fuzz_ring_engine(ring);

	if (!engine->fault_code)
		return;
	fprintf(stderr, "ring %u: %s at byte %u, packet %#x, address %#" PRIx64 "\n", ring->number,
		quire_fault_name(engine->fault_code), engine->fault_offset, engine->fault_opcode,
		engine->fault_addr);
	fuzz_finding(__FILE__, __LINE__, "a ring has a fault");
}

/* Run until all of it is executed, whatever other rings do. */
void fuzz_ring_finish(struct fuzz_ring *ring)
{
	const struct quire_ring *engine = fuzz_ring_engine(ring);
	unsigned int slices = 0;

	while (engine->rptr != ring->wptr && fuzz_run(ring->host))
		FINDING_IF(slices++ > MOST_SLICES);
	no_fault(ring);
	FINDING_IF(engine->rptr != ring->wptr);
	FINDING_IF(fuzz_ring_fence(ring) != ring->wptr);
}
