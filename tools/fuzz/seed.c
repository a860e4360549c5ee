// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The format of QEMU's generic fuzzer, and what a ring of the device reads.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "seed.h"

#define SEPARATOR	"FUZZ"

/* Of enum cmds in generic_fuzz.c. */
enum {
	OP_READ = 2,
	OP_WRITE = 3,
	OP_PCI_WRITE = 5,
	OP_ADD_DMA_PATTERN = 7,
	OP_CLEAR_DMA_PATTERNS = 8,
};

static void put_bytes(struct seed *seed, const void *bytes, size_t size)
{
	if (size > sizeof(seed->bytes) - seed->size) {
		fprintf(stderr, "seed: longer than %u bytes\n", SEED_MAX);
		exit(2);
	}
	memcpy(seed->bytes + seed->size, bytes, size);
	seed->size += size;
}

static void put(struct seed *seed, uint64_t value, unsigned int size)
{
	uint8_t bytes[8];
	unsigned int i;

	for (i = 0; i < size; i++)
		bytes[i] = value >> 8 * i;
	put_bytes(seed, bytes, size);
}

static void put_operation(struct seed *seed, uint8_t operation)
{
	if (seed->size)
		put_bytes(seed, SEPARATOR, strlen(SEPARATOR));
	put(seed, operation, 1);
}

/* What the fuzzer calls 1, 2, 4 and 8 bytes. */
static uint8_t size_code(unsigned int size)
{
	return __builtin_ctz(size);
}

/* A write of 1, 2, 4 or 8 bytes to a region. */
void seed_write(struct seed *seed, unsigned int region, uint32_t offset, unsigned int size,
		uint64_t value)
{
	put_operation(seed, OP_WRITE);
	put(seed, size_code(size), 1);
	put(seed, region, 1);
	/* the fuzzer's structure has its natural alignment */
	put(seed, 0, 2);
	put(seed, offset, 4);
	put(seed, value, 8);
}

/* A read of 1, 2, 4 or 8 bytes from a region. */
void seed_read(struct seed *seed, unsigned int region, uint32_t offset, unsigned int size)
{
	put_operation(seed, OP_READ);
	put(seed, size_code(size), 1);
	put(seed, region, 1);
	put(seed, 0, 2);
	put(seed, offset, 4);
}

/* A write of 1, 2 or 4 bytes to configuration space. */
void seed_config(struct seed *seed, uint8_t offset, unsigned int size, uint32_t value)
{
	put_operation(seed, OP_PCI_WRITE);
	put(seed, size_code(size), 1);
	put(seed, 0, 1);
	put(seed, offset, 1);
	put(seed, 0, 1);
	put(seed, value, 4);
}

/* What the device finds behind the next mapping; repeated if that is longer. */
void seed_pattern(struct seed *seed, const void *bytes, size_t size)
{
	put_operation(seed, OP_ADD_DMA_PATTERN);
	/* no byte of it counts up */
	put(seed, 0, 2);
	put_bytes(seed, bytes, size);
}

/* Forget all patterns; the next one is that of the next mapping. */
void seed_forget(struct seed *seed)
{
	put_operation(seed, OP_CLEAR_DMA_PATTERNS);
}

/* The trace events of this seed have a line with this, after what was said before. */
void seed_reach(struct seed *seed, const char *format, ...)
{
	size_t used = strlen(seed->reach);
	va_list ap;

	va_start(ap, format);
	vsnprintf(seed->reach + used, sizeof(seed->reach) - used, format, ap);
	va_end(ap);
	strncat(seed->reach, "\t", sizeof(seed->reach) - strlen(seed->reach) - 1);
}

/* Write a 32-bit register. */
void seed_register(struct seed *seed, uint32_t offset, uint32_t value)
{
	seed_write(seed, SEED_REGS, offset, 4, value);
}

static uint32_t ring_reg(const struct seed *seed, uint32_t reg)
{
	return QUIRE_REG_RING(seed->ring, reg);
}

/* Give a disabled ring its memory, and the device its interrupts. */
void seed_ring(struct seed *seed, uint64_t entries, uint64_t fence_page, uint32_t order)
{
	seed_register(seed, QUIRE_REG_INT_ENABLE, QUIRE_INT_ALL);
	seed_write(seed, SEED_REGS, ring_reg(seed, QUIRE_RING_ENTRIES_LO), 8, entries);
	seed_write(seed, SEED_REGS, ring_reg(seed, QUIRE_RING_FENCE_PAGE_LO), 8, fence_page);
	seed_register(seed, ring_reg(seed, QUIRE_RING_ORDER), order);
}

/* Enable the ring: it looks for work at once. */
void seed_enable(struct seed *seed)
{
	seed_register(seed, ring_reg(seed, QUIRE_RING_CONTROL), QUIRE_RING_CONTROL_ENABLE);
}

void seed_disable(struct seed *seed)
{
	seed_register(seed, ring_reg(seed, QUIRE_RING_CONTROL), 0);
}

void seed_doorbell(struct seed *seed)
{
	seed_register(seed, QUIRE_DOORBELL(seed->ring), 0);
}

/* Mappings of data, or of what the device writes: @count of them. */
void seed_mappings(struct seed *seed, unsigned int count)
{
	static const uint8_t data[] = "what a page of the guest holds, ";

	while (count--)
		seed_pattern(seed, data, sizeof(data) - 1);
}

/* The write pointer, which the device looks at when it has nothing to do. */
void seed_wptr(struct seed *seed, uint32_t wptr)
{
	const uint8_t bytes[] = { wptr, wptr >> 8, wptr >> 16, wptr >> 24 };

	seed_pattern(seed, bytes, sizeof(bytes));
}

/* A ring entry, with a fence value of 7. */
void seed_entry(struct seed *seed, uint64_t addr, uint32_t size, uint32_t flags,
		uint64_t reserved)
{
	static struct packets p;

	p.size = 0;
	packet_u64(&p, addr);
	packet_u32(&p, size);
	packet_u32(&p, flags);
	packet_u64(&p, 7);
	packet_u64(&p, reserved);
	seed_pattern(seed, p.bytes, p.size);
}

/* An entry that raises its interrupt, and its packets. */
void seed_submission(struct seed *seed, const struct packets *p)
{
	seed_entry(seed, BUFFER, p->size, QUIRE_ENTRY_IRQ, 0);
	seed_pattern(seed, p->bytes, p->size);
}

/* The time between two slices passes, which no doorbell makes shorter. */
void seed_gap(struct seed *seed, unsigned int reads)
{
	unsigned int i;

	for (i = 0; i < reads; i++)
		seed_read(seed, SEED_REGS, QUIRE_REG_ID, 4);
}

/* A few slices more, for work that a slow machine does not do in one: a doorbell begins each. */
void seed_slices(struct seed *seed)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		seed_gap(seed, 50);
		seed_doorbell(seed);
	}
}

/* The fence and the read pointer are written; there is no work up to @wptr. */
void seed_idle(struct seed *seed, uint32_t wptr)
{
	seed_mappings(seed, 2);
	seed_wptr(seed, wptr);
	/* the wish for a doorbell */
	seed_mappings(seed, 1);
	seed_wptr(seed, wptr);
}
