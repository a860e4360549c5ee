// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The host for engine tests: see host.h.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

static void host_die(const char *what)
{
	fflush(stdout);
	fprintf(stderr, "Bail out! %s\n", what);
	exit(2);
}

static void host_trace(struct host *host, char what)
{
	if (host->trace_len < sizeof(host->trace) - 1)
		host->trace[host->trace_len++] = what;
	if (host->watch)
		host->watch(host, what);
}

static void host_map(struct memory_host *memory, uint64_t addr)
{
	if (addr == FENCE_PAGE + 64)
		host_trace((struct host *)memory, 'W');
}

static void host_unmap(struct memory_host *memory, const void *ptr)
{
	struct host *host = (struct host *)memory;

	if (host->watch && ptr == host_ram(host, FENCE_PAGE + 64, 4))
		host->watch(host, 'w');
}

static void host_store(struct memory_host *memory, uint64_t addr)
{
	if (addr == FENCE_PAGE)
		host_trace((struct host *)memory, 'F');
	else if (addr == FENCE_PAGE + 8)
		host_trace((struct host *)memory, 'R');
	else if (addr == FENCE_PAGE + 16)
		host_trace((struct host *)memory, 'D');
}

static void host_written(struct memory_host *memory, const struct memory_region *region,
			 uint64_t offset, uint64_t len)
{
	if (region == memory->regions)
		memset(((struct host *)memory)->told + offset, 1, len);
}

static void host_dirty(struct memory_host *memory, uint64_t offset, uint64_t len)
{
	memset(((struct host *)memory)->dirty + offset, 1, len);
}

static bool host_discard(struct memory_host *memory, uint64_t offset, uint64_t len)
{
	struct host *host = (struct host *)memory;

	if (host->no_discard)
		return false;
	if (!host->discard_bytes)
		host->discard_first = offset;
	else if (offset != host->discard_first + host->discard_bytes)
		host_die("discards do not follow each other");
	host->discard_bytes += len;
	return true;
}

static void host_message(struct memory_host *memory, unsigned int vector)
{
	host_trace((struct host *)memory, vector == QUIRE_VECTOR_FENCE ? 'I' : 'E');
}

static const struct memory_host_watch host_watch = {
	.map = host_map,
	.unmap = host_unmap,
	.store = host_store,
	.written = host_written,
	.dirty = host_dirty,
	.discard = host_discard,
	.message = host_message,
};

struct host *host_new(uint64_t vram_size, uint64_t aperture_size, uint64_t slice_looks,
		      uint64_t look_bytes)
{
	struct host *host = calloc(1, sizeof(*host));

	if (!host)
		host_die("no memory");
	host->memory = (struct memory_host){
		.regions = {
			{ RAM_BASE, RAM_SIZE, memory_host_alloc(RAM_SIZE), false },
			{ ROM_BASE, ROM_SIZE, memory_host_alloc(ROM_SIZE), true },
			{ TOP_BASE, TOP_SIZE, memory_host_alloc(TOP_SIZE), false },
		},
		.vram = memory_host_alloc(vram_size),
		.vram_size = vram_size,
		.vram_visible = vram_size,
		.execution_rings = HOST_EXECUTION_RINGS,
		.range_count = HOST_RANGES,
		.range_size = HOST_RANGE_SIZE,
		.window_size = aperture_size < HOST_WINDOW ? 0 : HOST_WINDOW,
		.tlb_entries = HOST_TLB,
		.mmu_size = HOST_MMU,
		.watch = &host_watch,
	};
	host->dirty = memory_host_alloc(vram_size);
	host->told = memory_host_alloc(RAM_SIZE);
	memory_host_start(&host->memory, aperture_size, slice_looks, look_bytes);
	return host;
}

void host_free(struct host *host)
{
	unsigned int i;

	memory_host_stop(&host->memory);
	for (i = 0; i < MEMORY_HOST_REGIONS; i++)
		free(host->memory.regions[i].bytes);
	free(host->memory.vram);
	free(host->dirty);
	free(host->told);
	free(host);
}

uint8_t *host_ram(struct host *host, uint64_t addr, uint64_t len)
{
	const struct memory_region *region;

	for (region = host->memory.regions; addr - region->base >= region->size; region++)
		if (region == &host->memory.regions[MEMORY_HOST_REGIONS - 1])
			host_die("test reaches outside of system memory");
	if (len > region->size - (addr - region->base))
		host_die("test reaches outside of system memory");
	return region->bytes + (addr - region->base);
}

void host_put32(struct host *host, uint64_t addr, uint32_t value)
{
	uint8_t *to = host_ram(host, addr, 4);
	unsigned int i;

	for (i = 0; i < 4; i++)
		to[i] = value >> (8 * i);
}

void host_put64(struct host *host, uint64_t addr, uint64_t value)
{
	host_put32(host, addr, value);
	host_put32(host, addr + 4, value >> 32);
}

uint32_t host_get32(struct host *host, uint64_t addr)
{
	const uint8_t *from = host_ram(host, addr, 4);

	return from[0] | from[1] << 8 | from[2] << 16 | (uint32_t)from[3] << 24;
}

uint64_t host_get64(struct host *host, uint64_t addr)
{
	return host_get32(host, addr) | (uint64_t)host_get32(host, addr + 4) << 32;
}

uint32_t host_reg(struct host *host, uint32_t offset)
{
	return quire_regs_read(&host->memory.engine, offset, 4);
}

uint64_t host_reg64(struct host *host, uint32_t offset)
{
	return host_reg(host, offset) | (uint64_t)host_reg(host, offset + 4) << 32;
}

void host_set_reg(struct host *host, uint32_t offset, uint32_t value)
{
	memory_host_write(&host->memory, offset, 4, value);
}

void host_set_reg64(struct host *host, uint32_t offset, uint64_t value)
{
	host_set_reg(host, offset, value);
	host_set_reg(host, offset + 4, value >> 32);
}

uint32_t host_ring_reg(struct host *host, uint32_t reg)
{
	return host_reg(host, 0x1000 + reg);
}

uint64_t host_ring_reg64(struct host *host, uint32_t reg)
{
	return host_reg64(host, 0x1000 + reg);
}

void host_ring_setup(struct host *host, unsigned int order)
{
	host->order = order;
	host_set_reg64(host, 0x1000, ENTRIES);
	host_set_reg64(host, 0x1008, FENCE_PAGE);
	host_set_reg(host, 0x1010, order);
}

/* As a driver starts a ring: pointers to zero, then enable. */
void host_ring_enable(struct host *host)
{
	memset(host_ram(host, FENCE_PAGE, PAGE), 0, PAGE);
	host->wptr = 0;
	host->buffer_used = 0;
	host_set_reg(host, 0x1014, 1);
}

void host_ring_disable(struct host *host)
{
	host_set_reg(host, 0x1014, 0);
}

void host_ring_restart(struct host *host)
{
	host_ring_disable(host);
	host_ring_enable(host);
}

void host_entry(struct host *host, uint32_t index, uint64_t addr, uint32_t size,
		uint32_t flags, uint64_t fence, uint64_t context)
{
	uint64_t at = ENTRIES + 32 * (index & ((1u << host->order) - 1));

	host_put64(host, at, addr);
	host_put32(host, at + 8, size);
	host_put32(host, at + 12, flags);
	host_put64(host, at + 16, fence);
	host_put64(host, at + 24, context);
}

/* Put packets into the buffer in RAM; returns their DMA address. */
uint64_t host_buffer(struct host *host, const struct packets *p)
{
	uint64_t addr;

	if (host->buffer_used + p->size > MIB)
		host->buffer_used = 0;
	addr = BUFFER + host->buffer_used;
	memcpy(host_ram(host, addr, p->size), p->bytes, p->size);
	host->buffer_used += p->size;
	return addr;
}

/* DMA address of the packet that is built next, if the packets go out together and next. */
uint64_t host_next_packet(const struct host *host, const struct packets *p)
{
	if (host->buffer_used + sizeof(p->bytes) > MIB)
		host_die("test may reach the end of the buffer");
	return BUFFER + host->buffer_used + p->size;
}

void host_queue(struct host *host, const struct packets *p, uint64_t fence, uint32_t flags)
{
	host_entry(host, host->wptr, host_buffer(host, p), p->size, flags, fence, 0);
	host->wptr++;
	host_put32(host, FENCE_PAGE + 64, host->wptr);
}

void host_ring_doorbell(struct host *host)
{
	host_set_reg(host, 0x10000, 0xdeadbeef);
}

void host_submit(struct host *host, const struct packets *p, uint64_t fence)
{
	host_queue(host, p, fence, QUIRE_ENTRY_IRQ);
	host_ring_doorbell(host);
}

/* Run to the end of all work; false if it does not end. */
bool host_run(struct host *host)
{
	unsigned int budget = 50u * 1000 * 1000;

	while (memory_host_run(&host->memory)) {
		host->slices++;
		if (!--budget)
			return false;
	}
	return true;
}

/* A ring's state, and the bytes of its submission. */
void host_load_ring(struct quire_ring *to, const struct quire_ring *from)
{
	memcpy(to, from, offsetof(struct quire_ring, submission));
	memcpy(to->submission, from->submission, QUIRE_MAX_SUBMISSION);
}

static void load_table(struct quire_table *to, const struct quire_table *from)
{
	if (from->top)
		memcpy(quire_table_load(to, 0, from->top), from->entries,
		       from->top * sizeof(*to->entries));
}

/* An engine that was at work before: what does not travel counts for nothing. */
static void use_up(struct quire_engine *engine)
{
	test_scramble((uint8_t *)engine->op, malloc_usable_size(engine->op));
}

/* Replace the engine by another one that loads the old one's state. */
bool host_migrate(struct host *host)
{
	struct quire_engine *old = malloc(sizeof(*old));
	struct quire_engine *new = &host->memory.engine;
	const char *why;
	unsigned int i;
	bool good;

	quire_engine_settle(new);
	*old = *new;
	if (!quire_engine_init(new, &host->memory.config, &why))
		abort();
	quire_engine_set_sections(new, old->sections, old->section_count);
	new->int_status = old->int_status;
	new->int_enable = old->int_enable;
	new->inject_drop_irq = old->inject_drop_irq;
	new->walks = old->walks;
	new->residency_page = old->residency_page;
	new->native_fence = old->native_fence;
	new->native_interrupts = old->native_interrupts;
	for (i = 0; i < old->ring_count; i++)
		host_load_ring(&new->ring[i], &old->ring[i]);
	memcpy(new->range, old->range, sizeof(new->range));
	new->range_touches = old->range_touches;
	new->range_newest = old->range_newest;
	use_up(new);
	quire_engine_pre_load(new);
	new->posted = old->posted;
	new->posted.total = test_random();
	memcpy(quire_engine_load_entries(new, 0, old->aperture_top), old->aperture,
	       old->aperture_top * sizeof(*new->aperture));
	load_table(&new->residency, &old->residency);
	load_table(&new->native, &old->native);
	for (i = 0; i < QUIRE_MMU_COUNT; i++)
		load_table(&new->mmu[i], &old->mmu[i]);
	quire_engine_fini(old);
	free(old);
	good = quire_engine_post_load(new, &why);
	if (!good)
		printf("# post_load: %s\n", why);
	return good;
}

void packet_start(struct packets *p, uint16_t opcode, uint16_t flags)
{
	p->start = p->size;
	packet_u32(p, opcode | (uint32_t)flags << 16);
	packet_u32(p, 0);
}

void packet_u32(struct packets *p, uint32_t value)
{
	unsigned int i;

	if (p->size + 4 > sizeof(p->bytes))
		host_die("test builds too long a submission");
	for (i = 0; i < 4; i++)
		p->bytes[p->size++] = value >> (8 * i);
}

void packet_u64(struct packets *p, uint64_t value)
{
	packet_u32(p, value);
	packet_u32(p, value >> 32);
}

void packet_run(struct packets *p, uint64_t addr, uint32_t pages)
{
	packet_u64(p, addr | (pages - 1));
}

/* Set the size in the header. */
void packet_end(struct packets *p)
{
	uint32_t end = p->size;

	p->size = p->start + 4;
	packet_u32(p, end - p->start);
	p->size = end;
}

void packet_transfer(struct packets *p, uint32_t src_segment, uint64_t src,
		     uint32_t dst_segment, uint64_t dst, uint64_t size)
{
	packet_start(p, 1, 0);
	packet_u32(p, src_segment);
	packet_u32(p, dst_segment);
	packet_u64(p, src);
	packet_u64(p, dst);
	packet_u64(p, size);
	packet_end(p);
}

void packet_fill(struct packets *p, uint32_t segment, uint64_t addr, uint64_t size,
		 uint32_t pattern)
{
	packet_start(p, 2, 0);
	packet_u32(p, segment);
	packet_u32(p, pattern);
	packet_u64(p, addr);
	packet_u64(p, size);
	packet_end(p);
}

void packet_discard(struct packets *p, uint32_t segment, uint64_t addr, uint64_t size)
{
	packet_start(p, 3, 0);
	packet_u32(p, segment);
	packet_u32(p, 0);
	packet_u64(p, addr);
	packet_u64(p, size);
	packet_end(p);
}

void packet_physical(struct packets *p, uint16_t opcode, uint32_t segment, uint64_t addr,
		     uint32_t size, uint64_t value)
{
	packet_start(p, opcode, 0);
	packet_u32(p, segment);
	packet_u32(p, size);
	packet_u64(p, addr);
	packet_u64(p, value);
	packet_end(p);
}

void packet_map(struct packets *p, uint64_t first_page, uint32_t pages, uint16_t flags)
{
	packet_start(p, 6, flags);
	packet_u32(p, 2);
	packet_u32(p, pages);
	packet_u64(p, first_page);
	packet_end(p);
}

/* Without an array. */
void packet_map2(struct packets *p, uint64_t first_page, uint32_t pages, uint16_t flags,
		 uint64_t adl)
{
	packet_start(p, 9, flags);
	packet_u32(p, 2);
	packet_u32(p, pages);
	packet_u64(p, first_page);
	packet_u64(p, adl);
	packet_end(p);
}

/* With one; the packet is at the DMA address @packet. */
void packet_map2_list(struct packets *p, uint64_t packet, uint64_t first_page, uint16_t flags,
		      const uint64_t *list, uint32_t pages)
{
	uint32_t i;

	packet_map2(p, first_page, pages, flags, packet + 32);
	for (i = 0; i < pages; i++)
		packet_u64(p, list[i]);
	packet_end(p);
}

void packet_unmap(struct packets *p, uint64_t first_page, uint32_t pages, uint64_t dummy)
{
	packet_start(p, 7, 0);
	packet_u32(p, 2);
	packet_u32(p, pages);
	packet_u64(p, first_page);
	packet_u64(p, dummy);
	packet_end(p);
}

/* Without page numbers: they follow. */
void packet_map_mmu(struct packets *p, uint16_t flags, uint32_t mmu, uint32_t segment,
		    uint64_t address, uint32_t pages)
{
	packet_start(p, 22, flags);
	packet_u32(p, mmu);
	packet_u32(p, segment);
	packet_u64(p, address);
	packet_u32(p, pages);
	packet_u32(p, 0);
	packet_end(p);
}

void packet_unmap_mmu(struct packets *p, uint32_t mmu, uint64_t address, uint32_t pages)
{
	packet_start(p, 23, 0);
	packet_u32(p, mmu);
	packet_u32(p, pages);
	packet_u64(p, address);
	packet_end(p);
}

/* One fence; more may follow. */
void packet_fences(struct packets *p, uint32_t fence, uint64_t owner, uint64_t value,
		   uint64_t monitored)
{
	packet_start(p, 24, 0);
	packet_u32(p, fence);
	packet_u32(p, 0);
	packet_u64(p, owner);
	packet_u64(p, value);
	packet_u64(p, monitored);
	packet_end(p);
}

void packet_signal(struct packets *p, uint64_t addr, uint64_t value)
{
	packet_start(p, 8, 0);
	packet_u64(p, addr);
	packet_u64(p, value);
	packet_end(p);
}

static uint32_t test_state = 1;

void test_seed(uint32_t seed)
{
	test_state = seed * 2654435761u + 1;
}

uint32_t test_random(void)
{
	test_state ^= test_state << 13;
	test_state ^= test_state >> 17;
	test_state ^= test_state << 5;
	return test_state;
}

uint64_t test_random_below(uint64_t limit)
{
	return ((uint64_t)test_random() << 32 | test_random()) % limit;
}

void test_scramble(uint8_t *memory, uint64_t size)
{
	uint32_t number;
	uint64_t i;

	for (i = 0; i + sizeof(number) <= size; i += sizeof(number)) {
		number = test_random();
		memcpy(memory + i, &number, sizeof(number));
	}
	for (; i < size; i++)
		memory[i] = test_random();
}
