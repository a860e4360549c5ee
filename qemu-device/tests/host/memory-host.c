// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The engine's host in memory of this process: see memory-host.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory-host.h"

#define CHECK(condition) do {						\
	if (!(condition))						\
		memory_host_broken(__LINE__, #condition);		\
} while (0)

/* Ends the process: a test fails, a fuzzer keeps its input. */
static void __attribute__((noreturn)) memory_host_broken(int line, const char *what)
{
	fflush(stdout);
	fprintf(stderr, "Bail out! memory-host.c:%d: the engine breaks: %s\n", line, what);
	abort();
}

/**
 * memory_host_alloc - memory for VRAM or a region
 * @size: bytes
 *
 * Pages that nobody touches cost nothing.
 *
 * Return: zeroes; ends the process without memory.
 */
void *memory_host_alloc(size_t size)
{
	void *memory = calloc(1, size);

	if (!memory) {
		fprintf(stderr, "Bail out! no memory\n");
		exit(2);
	}
	return memory;
}

/**
 * memory_host_find - guest memory as the device sees it
 * @host: the host
 * @addr: DMA address
 * @len: bytes; cut to what one mapping covers
 * @write: for writing
 *
 * Return: the memory, NULL if there is none.
 */
uint8_t *memory_host_find(struct memory_host *host, uint64_t addr, uint64_t *len, bool write)
{
	const struct memory_region *region;

	for (region = host->regions; region < host->regions + MEMORY_HOST_REGIONS; region++) {
		uint64_t offset = addr - region->base;
		uint64_t max = region->size - offset;

		if (offset >= region->size)
			continue;
		if (write && region->read_only)
			return NULL;
		if (host->granule && max > host->granule - addr % host->granule)
			max = host->granule - addr % host->granule;
		if (*len > max)
			*len = max;
		return region->bytes + offset;
	}
	return NULL;
}

static void *host_dma_map(void *opaque, uint64_t addr, uint64_t *len, bool write)
{
	struct memory_host *host = opaque;
	void *ptr;

	CHECK(*len);
	ptr = memory_host_find(host, addr, len, write);
	if (!ptr)
		return NULL;
	host->maps++;
	host->mapped++;
	if (host->watch && host->watch->map)
		host->watch->map(host, addr);
	return ptr;
}

static void host_dma_unmap(void *opaque, void *ptr, uint64_t len, bool write, uint64_t touched)
{
	struct memory_host *host = opaque;

	CHECK(ptr);
	CHECK(host->mapped);
	CHECK(touched <= len);
	host->mapped--;
	host->touched += touched;
	if (write)
		host->written += touched;
	if (host->watch && host->watch->unmap)
		host->watch->unmap(host, ptr);
}

static void host_dma_dirty(void *opaque, const struct quire_section *section, uint64_t offset,
			   uint64_t len)
{
	struct memory_host *host = opaque;
	const struct memory_region *region = section->region;

	CHECK(section >= host->sections && section < host->sections + host->section_count);
	CHECK(len && len <= section->size && offset <= section->size - len);
	host->touched += len;
	host->written += len;
	if (host->watch && host->watch->written)
		host->watch->written(host, region, section->ptr + offset - region->bytes, len);
}

static bool host_dma_write64(void *opaque, uint64_t addr, uint64_t value)
{
	struct memory_host *host = opaque;
	uint64_t len = sizeof(value);
	uint8_t *to = memory_host_find(host, addr, &len, true);
	uint8_t bytes[sizeof(value)];
	unsigned int i;

	CHECK(!(addr & 7));
	if (!to || len < sizeof(value))
		return false;
	for (i = 0; i < sizeof(value); i++)
		bytes[i] = value >> 8 * i;
	memcpy(&value, bytes, sizeof(value));
	__atomic_store_n((uint64_t *)(void *)to, value, __ATOMIC_RELEASE);
	if (host->watch && host->watch->store)
		host->watch->store(host, addr);
	return true;
}

static void host_vram_dirty(void *opaque, uint64_t offset, uint64_t len)
{
	struct memory_host *host = opaque;

	CHECK(len && len <= host->vram_size && offset <= host->vram_size - len);
	if (host->watch && host->watch->dirty)
		host->watch->dirty(host, offset, len);
}

static bool host_vram_discard(void *opaque, uint64_t offset, uint64_t len)
{
	struct memory_host *host = opaque;

	CHECK(!((offset | len) & (QUIRE_PAGE_SIZE - 1)));
	if (host->watch && host->watch->discard && !host->watch->discard(host, offset, len))
		return false;
	host_vram_dirty(host, offset, len);
	memset(host->vram + offset, 0, len);
	host->discards++;
	return true;
}

static uint64_t host_clock(void *opaque)
{
	struct memory_host *host = opaque;

	return ++host->clock;
}

static uint64_t host_time(void *opaque)
{
	struct memory_host *host = opaque;

	return host->time;
}

static void host_alarm(void *opaque, uint64_t when)
{
	struct memory_host *host = opaque;

	CHECK(when > host->time);
	host->alarm = when;
}

static uint64_t host_work_least(void *opaque)
{
	struct memory_host *host = opaque;

	return host->work_least ? host->work_least : UINT64_MAX;
}

static void host_work_start(void *opaque, unsigned int ring, struct quire_work *work)
{
	struct memory_host *host = opaque;

	CHECK(ring < host->engine.ring_count && !host->work[ring] && host->work_least);
	host->work[ring] = work;
	host->work_left[ring] = host->work_slices;
	host->working++;
	host->works++;
}

static bool host_work_end(void *opaque, unsigned int ring, bool wait)
{
	struct memory_host *host = opaque;

	CHECK(ring < host->engine.ring_count && host->work[ring]);
	if (!wait && host->work_left[ring]) {
		host->work_left[ring]--;
		return false;
	}
	quire_work_do(host->work[ring]);
	host->work[ring] = NULL;
	host->working--;
	return true;
}

static void host_kick(void *opaque)
{
	struct memory_host *host = opaque;

	host->scheduled = true;
	host->kicks++;
}

__attribute__((__format__(__printf__, 2, 3)))
static void host_guest_error(void *opaque, const char *fmt, ...)
{
	struct memory_host *host = opaque;
	char line[512];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	CHECK(len > 0 && len < (int)sizeof(line) && !strchr(line, '\n'));
	host->errors++;
	if (host->watch && host->watch->error)
		host->watch->error(host, line);
}

static void host_event(void *opaque, enum quire_event event, unsigned int ring, uint64_t a,
		       uint64_t b)
{
	struct memory_host *host = opaque;

	(void)a;
	CHECK(event <= QUIRE_EVENT_WINDOW_MISS);
	if (event < QUIRE_EVENT_RANGE_ENABLE) {
		CHECK(ring < host->engine.ring_count);
	} else if (event < QUIRE_EVENT_RANGE_MISS) {
		CHECK(ring < host->config.range_count);
	} else {
		host->misses++;
		host->missed = b;
	}
}

static const struct quire_host_ops host_ops = {
	.dma_map = host_dma_map,
	.dma_unmap = host_dma_unmap,
	.dma_dirty = host_dma_dirty,
	.dma_write64 = host_dma_write64,
	.vram_dirty = host_vram_dirty,
	.vram_discard = host_vram_discard,
	.clock = host_clock,
	.time = host_time,
	.alarm = host_alarm,
	.work_least = host_work_least,
	.work_start = host_work_start,
	.work_end = host_work_end,
	.kick = host_kick,
	.guest_error = host_guest_error,
	.event = host_event,
};

/* The interrupts of what was called last, in order. */
static void host_deliver(struct memory_host *host)
{
	unsigned int vector, last = 0;

	while (quire_engine_take_interrupt(&host->engine, &vector)) {
		CHECK(vector < QUIRE_VECTOR_COUNT && vector >= last);
		CHECK(host->engine.int_enable & 1u << vector);
		last = vector + 1;
		host->interrupts[vector]++;
		if (host->watch && host->watch->message)
			host->watch->message(host, vector);
	}
	CHECK(!host->engine.messages);
}

static bool host_is_zero(const void *bytes, size_t len)
{
	const uint8_t *first = bytes;

	return !len || (!*first && !memcmp(first, first + 1, len - 1));
}

/* There is nothing from aperture_top on, and the counts are those of what is below it. */
static void host_check_aperture(const struct quire_engine *engine)
{
	uint32_t page, chunk = 0, top = engine->aperture_top, pages = engine->aperture_pages;
	uint32_t chunks = (pages + QUIRE_APERTURE_CHUNK - 1) / QUIRE_APERTURE_CHUNK;
	unsigned int valid = 0, dummies = 0;

	CHECK(host_is_zero(engine->aperture + top, (pages - top) * sizeof(*engine->aperture)));
	for (page = 0; page < top; page++) {
		valid += engine->aperture[page] != 0;
		dummies += !!(engine->aperture[page] & QUIRE_APERTURE_DUMMY);
		if ((page + 1) % QUIRE_APERTURE_CHUNK && page + 1 != top)
			continue;
		CHECK(engine->aperture_valid[chunk] == valid &&
		      engine->aperture_dummies[chunk] == dummies);
		valid = 0;
		dummies = 0;
		chunk++;
	}
	CHECK(host_is_zero(engine->aperture_valid + chunk,
			   (chunks - chunk) * sizeof(*engine->aperture_valid)));
	CHECK(host_is_zero(engine->aperture_dummies + chunk,
			   (chunks - chunk) * sizeof(*engine->aperture_dummies)));
}

/* What the engine reaches by itself must be what it would accept from elsewhere. */
static void host_check_state(const struct memory_host *host)
{
	const struct quire_engine *engine = &host->engine;
	const char *why;

	if (host->unchecked || host->working)
		return;
	why = quire_engine_check(engine);
	if (why)
		memory_host_broken(__LINE__, why);
	host_check_aperture(engine);
}

static void host_add_section(struct quire_section *sections, uint32_t i,
			     struct memory_region *region, uint64_t offset, uint64_t size)
{
	for (; i && sections[i - 1].addr > region->base + offset; i--)
		sections[i] = sections[i - 1];
	sections[i] = (struct quire_section){
		.addr = region->base + offset,
		.size = size,
		.ptr = region->bytes + offset,
		.region = region,
	};
}

/* Parts may end within a page, but not within a number. */
static void host_set_sections(struct memory_host *host)
{
	unsigned int parts = host->parts, shared = parts > 1 ? parts - 1 : parts, i;
	struct quire_section *sections = host->tables[host->shares++ % 2];
	struct memory_region *region;
	uint32_t count = 0;

	CHECK(parts <= MEMORY_HOST_PARTS);
	for (region = host->regions; region < host->regions + MEMORY_HOST_REGIONS; region++) {
		uint64_t size = parts == 1 ? region->size : (region->size / 4) & ~7ull;

		for (i = 0; size && !region->read_only && i < shared; i++)
			host_add_section(sections, count++, region, i * size, size);
	}
	quire_engine_set_sections(&host->engine, sections, count);
	host->sections = sections;
	host->section_count = count;
}

/**
 * memory_host_start - make the engine; everything counts from 0
 * @host: the host; its memory is set
 * @aperture_size: bytes
 * @slice_looks: looks at the clock of a slice; 0 for as many as it wants
 * @look_bytes: of struct quire_engine_config
 */
void memory_host_start(struct memory_host *host, uint64_t aperture_size,
		       uint64_t slice_looks, uint64_t look_bytes)
{
	size_t counts = offsetof(struct memory_host, clock);
	const char *why;

	memset((uint8_t *)host + counts, 0, sizeof(*host) - counts);
	host->config = (struct quire_engine_config){
		.ops = &host_ops,
		.opaque = host,
		.vram = host->vram,
		.vram_size = host->vram_size,
		.vram_visible = host->vram_visible,
		.aperture_size = aperture_size,
		.execution_rings = host->execution_rings,
		.range_count = host->range_count,
		.range_size = host->range_size,
		.window_size = host->window_size,
		.tlb_entries = host->tlb_entries,
		.mmu_size = host->mmu_size,
		.fault_injection = true,
		.dummy_page_report = host->dummy_page_report,
		.slice_ns = slice_looks ? slice_looks : UINT64_MAX,
		.look_bytes = look_bytes,
	};
	CHECK(quire_engine_init(&host->engine, &host->config, &why));
	host_set_sections(host);
}

/**
 * memory_host_share - memory is elsewhere from now on
 * @host: the host; its regions, or what is shared of them, have changed
 */
void memory_host_share(struct memory_host *host)
{
	host_set_sections(host);
}

/**
 * memory_host_stop - end the engine; memory is the caller's
 * @host: the host
 */
void memory_host_stop(struct memory_host *host)
{
	quire_engine_fini(&host->engine);
	CHECK(!host->working && !host->mapped);
}

/**
 * memory_host_write - the guest writes BAR 0
 * @host: the host
 * @offset: byte offset in the BAR
 * @size: bytes
 * @value: what it writes
 */
void memory_host_write(struct memory_host *host, uint64_t offset, unsigned int size,
		       uint64_t value)
{
	quire_regs_write(&host->engine, offset, size, value);
	host_deliver(host);
	host_check_state(host);
}

/**
 * memory_host_run - one slice and its interrupts
 * @host: the host
 *
 * Return: true if there is more to do, now or when the machine's time, which passes by itself,
 * has come.
 */
bool memory_host_run(struct memory_host *host)
{
	host->time += host->step;
	host->alarm = 0;
	host->scheduled = false;
	host->scheduled |= quire_engine_run(&host->engine);
	CHECK(!host->mapped || host->working);
	CHECK(host->scheduled || !quire_engine_runnable(&host->engine));
	host->scheduled |= host->working || (host->step && host->alarm);
	host_deliver(host);
	host_check_state(host);
	return host->scheduled;
}
