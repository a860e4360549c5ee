// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Address spaces for engine tests: see address-space.h.
 */
#include <stdlib.h>
#include <string.h>

#include "address-space.h"

/* As host_new(), with another TLB. */
struct host *host_with_tlb(uint64_t vram_size, uint64_t aperture_size, uint64_t slice_looks,
			   uint64_t look_bytes, uint32_t tlb_entries)
{
	struct host *host = host_new(vram_size, aperture_size, slice_looks, look_bytes);

	memory_host_stop(&host->memory);
	host->memory.tlb_entries = tlb_entries;
	memory_host_start(&host->memory, aperture_size, slice_looks, look_bytes);
	return host;
}

/* What is in memory at an address of a segment, to the end of its page at least. */
uint8_t *place_bytes(struct host *host, unsigned int segment, uint64_t address)
{
	if (segment == 0)
		return host_ram(host, address, 1);
	if (segment == 1)
		return host->memory.vram + address;
	return host_ram(host, (host->memory.engine.aperture[address / PAGE] & PTE_ADDRESS) +
			address % PAGE, 1);
}

uint64_t place_get(struct host *host, unsigned int segment, uint64_t address)
{
	const uint8_t *from = place_bytes(host, segment, address);
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < 8; i++)
		value |= (uint64_t)from[i] << 8 * i;
	return value;
}

void place_put(struct host *host, unsigned int segment, uint64_t address, uint64_t value)
{
	uint8_t *to = place_bytes(host, segment, address);
	unsigned int i;

	for (i = 0; i < 8; i++)
		to[i] = value >> 8 * i;
}

/* An empty table; returns the entry that leads to it. */
static uint64_t space_new_table(struct space *space)
{
	unsigned int segment = space->segment == 2 ? test_random() & 1 : space->segment;
	struct pool *pool = &space->pools[segment];

	if (pool->next >= pool->end)
		abort();
	memset(place_bytes(space->host, segment, pool->next), 0, PAGE);
	pool->next += PAGE;
	return (pool->next - PAGE) | PTE_SEGMENT(segment) | PTE_VALID;
}

void space_init(struct space *space, struct host *host, struct pool *pools,
		unsigned int segment)
{
	*space = (struct space){ .host = host, .pools = pools, .segment = segment };
	space->root = space_new_table(space);
}

/* Where the table of a level is that has the entry of @va; what is not there is made. */
uint64_t space_table(struct space *space, uint64_t va, unsigned int level,
		     unsigned int *segment)
{
	uint64_t entry = space->root, at;
	unsigned int i;

	for (i = 3; ; i--) {
		*segment = entry >> 5 & 31;
		if (i == level)
			return entry & PTE_ADDRESS;
		at = (entry & PTE_ADDRESS) + 8 * (va >> (12 + 9 * i) & 511);
		entry = place_get(space->host, *segment, at);
		if (!(entry & PTE_VALID)) {
			entry = space_new_table(space);
			place_put(space->host, *segment, at, entry);
		}
	}
}

/* The entry of @va in the table of a level. */
uint64_t space_get(struct space *space, uint64_t va, unsigned int level)
{
	unsigned int segment;
	uint64_t table;

	if (level == ROOT_LEVEL)
		return space->root;
	table = space_table(space, va, level, &segment);
	return place_get(space->host, segment, table + 8 * (va >> (12 + 9 * level) & 511));
}

/* Of the root's level the root itself: contexts that are there already keep the old one. */
void space_set(struct space *space, uint64_t va, unsigned int level, uint64_t entry)
{
	unsigned int segment;
	uint64_t table;

	if (level == ROOT_LEVEL) {
		space->root = entry;
		return;
	}
	table = space_table(space, va, level, &segment);
	place_put(space->host, segment, table + 8 * (va >> (12 + 9 * level) & 511), entry);
}

void space_page(struct space *space, uint64_t va, uint64_t entry)
{
	space_set(space, va, 0, entry);
}

/* All 16 entries of a page of 64 KiB. */
void space_64k(struct space *space, uint64_t va, uint64_t entry)
{
	unsigned int i;

	for (i = 0; i < 16; i++)
		space_set(space, va + i * PAGE, 0, entry & PTE_VALID ? entry | PTE_64K : entry);
}

void space_large(struct space *space, uint64_t va, uint64_t entry)
{
	space_set(space, va, 1, entry & PTE_VALID ? entry | PTE_LARGE : entry);
}

/* Pages of 4 KiB, one behind the other on both sides. */
void space_pages(struct space *space, uint64_t va, uint64_t entry, unsigned int pages)
{
	unsigned int i;

	for (i = 0; i < pages; i++)
		space_page(space, va + i * PAGE, entry + i * PAGE);
}

static unsigned int context_segment(uint64_t context)
{
	return context >> 56;
}

static uint64_t context_offset(uint64_t context)
{
	return context & 0xffffffffffffff;
}

/* As INIT_CONTEXT makes it, and with a root. */
void context_make(struct host *host, uint64_t context, uint64_t root)
{
	unsigned int segment = context_segment(context);
	uint64_t address = context_offset(context);

	memset(place_bytes(host, segment, address), 0, PAGE);
	place_put(host, segment, address, CONTEXT_MAGIC);
	place_put(host, segment, address + CONTEXT_ROOT, root);
}

uint64_t context_get64(struct host *host, uint64_t context, unsigned int offset)
{
	return place_get(host, context_segment(context), context_offset(context) + offset);
}

uint32_t context_get32(struct host *host, uint64_t context, unsigned int offset)
{
	return context_get64(host, context, offset & ~7u) >> (offset & 4 ? 32 : 0);
}

static void host_add(struct host *host, uint64_t addr, uint32_t size, uint32_t flags,
		     uint64_t fence, uint64_t context)
{
	host_entry(host, host->wptr, addr, size, QUIRE_ENTRY_IRQ | flags, fence, context);
	host->wptr++;
	host_put32(host, FENCE_PAGE + 64, host->wptr);
}

void host_queue_in(struct host *host, const struct packets *p, uint64_t fence,
		   uint64_t context)
{
	host_add(host, host_buffer(host, p), p->size, IN_CONTEXT, fence, context);
}

void host_submit_in(struct host *host, const struct packets *p, uint64_t fence,
		    uint64_t context)
{
	host_queue_in(host, p, fence, context);
	host_ring_doorbell(host);
}

/* Packets that lie at a virtual address. */
void host_submit_at(struct host *host, uint64_t va, uint32_t size, uint64_t fence,
		    uint64_t context)
{
	host_add(host, va, size, IN_CONTEXT | AT_VIRTUAL, fence, context);
	host_ring_doorbell(host);
}

/* The entry that was queued last is one of a context. */
static uint64_t runner_last(const struct runner *r, uint32_t flags, uint64_t context)
{
	uint64_t entry = RUNNER_ENTRIES(r->ring) + 32 * ((r->wptr - 1) % (1u << RUNNER_ORDER));

	host_put32(r->host, entry + 12, QUIRE_ENTRY_IRQ | flags);
	host_put64(r->host, entry + 24, context);
	return entry;
}

uint64_t runner_queue_in(struct runner *r, const struct packets *p, uint64_t fence,
			 uint64_t context)
{
	uint64_t addr = runner_queue(r, p, fence);

	runner_last(r, IN_CONTEXT, context);
	return addr;
}

uint64_t runner_submit_in(struct runner *r, const struct packets *p, uint64_t fence,
			  uint64_t context)
{
	uint64_t addr = runner_queue_in(r, p, fence, context);

	host_set_reg(r->host, 0x10000 + 0x1000 * r->ring, 1);
	return addr;
}

void runner_submit_at(struct runner *r, uint64_t va, uint32_t size, uint64_t fence,
		      uint64_t context)
{
	static const struct packets none;
	uint64_t entry;

	runner_queue(r, &none, fence);
	entry = runner_last(r, IN_CONTEXT | AT_VIRTUAL, context);
	host_put64(r->host, entry, va);
	host_put32(r->host, entry + 8, size);
	host_set_reg(r->host, 0x10000 + 0x1000 * r->ring, 1);
}

void packet_transfer_virtual(struct packets *p, uint16_t flags, uint32_t direction,
			     uint64_t src, uint64_t dst, uint64_t size)
{
	packet_start(p, 11, flags);
	packet_u32(p, direction);
	packet_u32(p, 0);
	packet_u64(p, src);
	packet_u64(p, dst);
	packet_u64(p, size);
	packet_end(p);
}

void packet_fill_virtual(struct packets *p, uint64_t dst, uint64_t size, uint32_t pattern)
{
	packet_start(p, 12, 0);
	packet_u64(p, dst);
	packet_u64(p, size);
	packet_u32(p, pattern);
	packet_u32(p, 0);
	packet_end(p);
}

void packet_init_context(struct packets *p, uint16_t flags, uint32_t segment,
			 uint64_t address)
{
	packet_start(p, 13, flags);
	packet_u32(p, segment);
	packet_u32(p, 0);
	packet_u64(p, address);
	packet_end(p);
}

/* With as many entries as are given, whatever the other fields say. */
void packet_update_table(struct packets *p, uint16_t flags, uint32_t segment, uint32_t level,
			 uint64_t table, uint32_t start, uint32_t count,
			 const uint64_t *entries, unsigned int given)
{
	unsigned int i;

	packet_start(p, 14, flags);
	packet_u32(p, segment);
	packet_u32(p, level);
	packet_u64(p, table);
	packet_u32(p, start);
	packet_u32(p, count);
	for (i = 0; i < given; i++)
		packet_u64(p, entries[i]);
	packet_end(p);
}

/* The same with entries that are good. */
void packet_table(struct packets *p, uint16_t flags, uint32_t segment, uint32_t level,
		  uint64_t table, uint32_t start, uint32_t count, unsigned int given)
{
	uint64_t entries[513];
	unsigned int i;

	for (i = 0; i < given; i++)
		entries[i] = PTE_VALID | PTE_SEGMENT(1);
	packet_update_table(p, flags, segment, level, table, start, count, entries, given);
}

void packet_flush_tlb(struct packets *p, uint64_t root, uint64_t start, uint64_t end)
{
	packet_start(p, 15, 0);
	packet_u64(p, root);
	packet_u64(p, start);
	packet_u64(p, end);
	packet_end(p);
}

void packet_update_context(struct packets *p, uint64_t context, uint32_t offset,
			   const uint64_t *data, uint32_t bytes)
{
	unsigned int i;

	packet_start(p, 16, 0);
	packet_u64(p, context);
	packet_u32(p, offset);
	packet_u32(p, bytes);
	for (i = 0; i < bytes / 8; i++)
		packet_u64(p, data[i]);
	packet_end(p);
}

void packet_copy_table(struct packets *p, const struct copied *ranges, unsigned int count)
{
	unsigned int i;

	packet_start(p, 17, 0);
	for (i = 0; i < count; i++) {
		packet_u64(p, ranges[i].src);
		packet_u64(p, ranges[i].dst);
		packet_u32(p, ranges[i].src_start);
		packet_u32(p, ranges[i].dst_start);
		packet_u32(p, ranges[i].count);
		packet_u32(p, 0);
	}
	packet_end(p);
}

void packet_signal_monitored(struct packets *p, uint16_t flags, uint64_t va, uint64_t value)
{
	packet_start(p, 18, flags);
	packet_u64(p, va);
	packet_u64(p, value);
	packet_end(p);
}

/* Of allocation 1. */
void packet_allocation(struct packets *p, uint16_t flags, uint64_t offset, uint64_t size,
		       uint64_t va)
{
	packet_start(p, 21, flags);
	packet_u32(p, 1);
	packet_u32(p, 0);
	packet_u64(p, offset);
	packet_u64(p, size);
	packet_u64(p, va);
	packet_end(p);
}

/* A number of a context. */
void packet_member(struct packets *p, uint64_t context, uint32_t offset)
{
	packet_update_context(p, context, offset, (const uint64_t[]){ 1 }, 8);
}

/* One range. */
void packet_copied(struct packets *p, uint64_t src, uint64_t dst, uint32_t count)
{
	const struct copied range = { src, dst, 0, 0, count };

	packet_copy_table(p, &range, 1);
}
