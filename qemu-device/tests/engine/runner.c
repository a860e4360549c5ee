// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Execution rings for engine tests: see runner.h.
 */
#include <string.h>

#include "runner.h"

const struct area vram_area = { AT_vram_area, 0, 64, 16, 16, 1, 1, 0, 0 };
const struct area tiled_area = { AT_tiled_area, 1, 0, 40, 40, 2, 3, 1, 2 };
const struct area aperture_area = { IN_APERTURE(64), 0, 64, 16, 16, 1, 1, 0, 0 };
const struct place place = { 1, 1, 2, 2, 4, 4 };

void runner_start(struct runner *r, struct host *host, unsigned int ring)
{
	*r = (struct runner){ .host = host, .ring = ring };
	memset(host_ram(host, RUNNER_FENCE(ring), PAGE), 0, PAGE);
	runner_set_reg(r, 0x14, 0);
	runner_set_reg(r, 0, RUNNER_ENTRIES(ring));
	runner_set_reg(r, 8, RUNNER_FENCE(ring));
	runner_set_reg(r, 0x10, RUNNER_ORDER);
	runner_set_reg(r, 0x14, 1);
}

/* Returns the DMA address of the packets. */
uint64_t runner_queue(struct runner *r, const struct packets *p, uint64_t fence)
{
	uint64_t entry = RUNNER_ENTRIES(r->ring) + 32 * (r->wptr++ % (1u << RUNNER_ORDER)), addr;

	if (r->used + p->size > RUNNER_BUFFER_SIZE)
		r->used = 0;
	addr = RUNNER_BUFFER(r->ring) + r->used;
	memcpy(host_ram(r->host, addr, p->size), p->bytes, p->size);
	r->used += p->size;
	host_put64(r->host, entry, addr);
	host_put32(r->host, entry + 8, p->size);
	host_put32(r->host, entry + 12, QUIRE_ENTRY_IRQ);
	host_put64(r->host, entry + 16, fence);
	host_put64(r->host, entry + 24, 0);
	host_put32(r->host, RUNNER_FENCE(r->ring) + 64, r->wptr);
	return addr;
}

uint64_t runner_submit(struct runner *r, const struct packets *p, uint64_t fence)
{
	uint64_t addr = runner_queue(r, p, fence);

	host_set_reg(r->host, 0x10000 + 0x1000 * r->ring, 1);
	return addr;
}

uint32_t runner_reg(const struct runner *r, uint32_t reg)
{
	return host_reg(r->host, 0x1000 + 0x200 * r->ring + reg);
}

uint64_t runner_reg64(const struct runner *r, uint32_t reg)
{
	return host_reg64(r->host, 0x1000 + 0x200 * r->ring + reg);
}

void runner_set_reg(const struct runner *r, uint32_t reg, uint32_t value)
{
	host_set_reg(r->host, 0x1000 + 0x200 * r->ring + reg, value);
}

uint64_t runner_fence(const struct runner *r)
{
	return host_get64(r->host, RUNNER_FENCE(r->ring));
}

const struct quire_ring *runner_ring(const struct runner *r)
{
	return &r->host->memory.engine.ring[r->ring];
}

void command_nop(struct packets *p, uint32_t words)
{
	packet_start(p, 0x20, 0);
	for (; words; words--)
		packet_u64(p, ~0ull);
	packet_end(p);
}

void command_copy(struct packets *p, uint64_t src, uint64_t dst, uint64_t size)
{
	packet_start(p, 0x21, 0);
	packet_u64(p, src);
	packet_u64(p, dst);
	packet_u64(p, size);
	packet_end(p);
}

void command_fill(struct packets *p, uint64_t dst, uint64_t size, uint32_t pattern)
{
	packet_start(p, 0x22, 0);
	packet_u64(p, dst);
	packet_u64(p, size);
	packet_u32(p, pattern);
	packet_u32(p, 0);
	packet_end(p);
}

static void command_area(struct packets *p, const struct area *area)
{
	packet_u64(p, area->address);
	packet_u32(p, area->layout);
	packet_u32(p, area->pitch);
	packet_u32(p, area->width);
	packet_u32(p, area->height);
	packet_u32(p, area->levels | (uint32_t)area->slices << 16);
	packet_u32(p, area->level | (uint32_t)area->slice << 16);
}

void command_2d(struct packets *p, uint16_t opcode, const struct area *src,
		const struct area *dst, uint32_t shift, const struct place *place)
{
	packet_start(p, opcode, 0);
	command_area(p, src);
	command_area(p, dst);
	packet_u32(p, shift);
	packet_u32(p, 0);
	packet_u32(p, place->src_x);
	packet_u32(p, place->src_y);
	packet_u32(p, place->dst_x);
	packet_u32(p, place->dst_y);
	packet_u32(p, place->columns);
	packet_u32(p, place->rows);
	packet_end(p);
}

/* With a good surface as the other side. */
void command_src(struct packets *p, const struct area *src)
{
	command_2d(p, 0x23, src, &vram_area, 2, &place);
}

void command_dst(struct packets *p, const struct area *dst)
{
	command_2d(p, 0x23, &vram_area, dst, 2, &place);
}

void command_arithmetic(struct packets *p, uint16_t flags, uint64_t src, uint64_t dst,
			uint64_t size)
{
	packet_start(p, 0x25, flags);
	packet_u64(p, src);
	packet_u64(p, dst);
	packet_u64(p, size);
	packet_end(p);
}

void command_checksum(struct packets *p, uint64_t src, uint64_t result, uint64_t size)
{
	packet_start(p, 0x26, 0);
	packet_u64(p, src);
	packet_u64(p, result);
	packet_u64(p, size);
	packet_end(p);
}

void command_compare(struct packets *p, uint64_t src, uint64_t dst, uint64_t result,
		     uint64_t size)
{
	packet_start(p, 0x27, 0);
	packet_u64(p, src);
	packet_u64(p, dst);
	packet_u64(p, result);
	packet_u64(p, size);
	packet_end(p);
}

void command_write_value(struct packets *p, uint64_t dst, uint64_t value)
{
	packet_start(p, 0x28, 0);
	packet_u64(p, dst);
	packet_u64(p, value);
	packet_end(p);
}

void command_wait_value(struct packets *p, uint16_t flags, uint64_t src, uint64_t value)
{
	packet_start(p, 0x29, flags);
	packet_u64(p, src);
	packet_u64(p, value);
	packet_end(p);
}

void command_signal_native(struct packets *p, uint32_t fence, uint64_t value)
{
	packet_start(p, 0x2b, 0);
	packet_u32(p, fence);
	packet_u32(p, 0);
	packet_u64(p, value);
	packet_end(p);
}

void command_delay(struct packets *p, uint64_t ns)
{
	packet_start(p, 0x2a, 0);
	packet_u64(p, ns);
	packet_end(p);
}

static void command_register(struct packets *p, uint16_t opcode, uint16_t flags, uint32_t number,
			     uint64_t value)
{
	packet_start(p, opcode, flags);
	packet_u32(p, number);
	packet_u32(p, 0);
	packet_u64(p, value);
	packet_end(p);
}

void command_set_register(struct packets *p, uint16_t flags, uint32_t number, uint64_t operand)
{
	command_register(p, 0x2c, flags, number, operand);
}

void command_store_register(struct packets *p, uint32_t number, uint64_t dst)
{
	command_register(p, 0x2d, 0, number, dst);
}

void command_load_register(struct packets *p, uint16_t flags, uint32_t number, uint64_t src)
{
	command_register(p, 0x2e, flags, number, src);
}
