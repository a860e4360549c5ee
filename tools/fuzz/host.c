// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The engine's host in the fuzzers: plain arrays, and a check of everything
 * that the engine promises to its host.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/random.h"

#include "host.h"

void fuzz_finding(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: finding: %s\n", file, line, what);
	abort();
}

void fuzz_input_start(struct fuzz_input *input, const uint8_t *bytes, size_t size)
{
	size_t i;

	*input = (struct fuzz_input) { .bytes = bytes, .left = size };
	for (i = 0; i < size; i++)
		input->random = (input->random ^ bytes[i]) * 0x100000001b3ull + 1;
}

static uint8_t fuzz_take_byte(struct fuzz_input *input)
{
	if (!input->left)
		return random_next(&input->random);
	input->left--;

	return *input->bytes++;
}

uint64_t fuzz_take(struct fuzz_input *input, unsigned int size)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < size; i++)
		value |= (uint64_t)fuzz_take_byte(input) << 8 * i;

	return value;
}

uint64_t fuzz_below(struct fuzz_input *input, uint64_t limit)
{
	return fuzz_take(input, limit <= 256 ? 1 : 2) % limit;
}

void *fuzz_alloc(size_t size)
{
	void *memory = calloc(1, size);

	if (!memory)
		exit(2);

	return memory;
}

/* Guest memory at @addr; *@len is cut to what is there, in one granule. */
void *fuzz_host_memory(struct fuzz_host *host, uint64_t addr, uint64_t *len)
{
	const struct fuzz_region *region;
	uint64_t offset, n;

	for (region = host->regions; region < host->regions + FUZZ_REGIONS; region++) {
		offset = addr - region->base;
		if (offset >= region->size)
			continue;
		n = region->size - offset;
		if (n > host->granule - (offset & (host->granule - 1)))
			n = host->granule - (offset & (host->granule - 1));
		if (*len > n)
			*len = n;
		return region->bytes + offset;
	}

	return NULL;
}

static void *host_dma_map(void *opaque, uint64_t addr, uint64_t *len, bool write)
{
	struct fuzz_host *host = opaque;
	void *ptr = fuzz_host_memory(host, addr, len);

	(void)write;
	host->mapped += !!ptr;

	return ptr;
}

static void host_dma_unmap(void *opaque, void *ptr, uint64_t len, bool write, uint64_t touched)
{
	struct fuzz_host *host = opaque;

	(void)write;
	FINDING_IF(!ptr);
	FINDING_IF(!host->mapped);
	FINDING_IF(touched > len);
	host->mapped--;
	host->touched += touched;
}

static bool host_dma_write64(void *opaque, uint64_t addr, uint64_t value)
{
	uint64_t len = 8;
	uint8_t *to = fuzz_host_memory(opaque, addr, &len);
	unsigned int i;

	FINDING_IF(addr & 7);
	if (!to || len < 8)
		return false;
	for (i = 0; i < 8; i++)
		to[i] = value >> 8 * i;

	return true;
}

static void host_check_vram(const struct fuzz_host *host, uint64_t offset, uint64_t len)
{
	FINDING_IF(len > host->vram_size || offset > host->vram_size - len);
}

static void host_vram_dirty(void *opaque, uint64_t offset, uint64_t len)
{
	host_check_vram(opaque, offset, len);
}

static void host_vram_discard(void *opaque, uint64_t offset, uint64_t len)
{
	struct fuzz_host *host = opaque;

	host_check_vram(host, offset, len);
	FINDING_IF((offset | len) & (FUZZ_PAGE - 1));
	memset(host->vram + offset, 0, len);
}

static void host_interrupt(void *opaque, unsigned int vector)
{
	struct fuzz_host *host = opaque;

	FINDING_IF(vector >= QUIRE_VECTOR_COUNT);
	FINDING_IF(!(host->engine.int_enable & 1u << vector));
	host->interrupts++;
}

static void host_kick(void *opaque)
{
	((struct fuzz_host *)opaque)->scheduled = true;
}

static void host_guest_error(void *opaque, const char *fmt, ...)
{
	char line[512];
	va_list list;

	(void)opaque;
	va_start(list, fmt);
	FINDING_IF(vsnprintf(line, sizeof(line), fmt, list) >= (int)sizeof(line));
	va_end(list);
	FINDING_IF(strchr(line, '\n'));
}

static void host_event(void *opaque, enum quire_event event, unsigned int ring,
		       uint64_t a, uint64_t b)
{
	(void)opaque;
	(void)a;
	(void)b;
	FINDING_IF(event > QUIRE_EVENT_DROP_IRQ || ring >= QUIRE_RING_MAX);
}

static const struct quire_host_ops host_ops = {
	.dma_map = host_dma_map,
	.dma_unmap = host_dma_unmap,
	.dma_write64 = host_dma_write64,
	.vram_dirty = host_vram_dirty,
	.vram_discard = host_vram_discard,
	.interrupt = host_interrupt,
	.kick = host_kick,
	.guest_error = host_guest_error,
	.event = host_event,
};

/* Regions, VRAM and granule are set. */
void fuzz_host_start(struct fuzz_host *host, uint64_t aperture_size, uint32_t slice_packets,
		     uint64_t slice_bytes)
{
	const struct quire_engine_config config = {
		.ops = &host_ops,
		.opaque = host,
		.vram = host->vram,
		.vram_size = host->vram_size,
		.vram_visible = host->vram_size / 2 & ~(uint64_t)(FUZZ_PAGE - 1),
		.aperture_size = aperture_size,
		.slice_packets = slice_packets,
		.slice_bytes = slice_bytes,
	};
	const char *why;

	host->mapped = 0;
	host->scheduled = false;
	host->interrupts = 0;
	FINDING_IF(!quire_engine_init(&host->engine, &config, &why));
}

/* One slice. A slice is short, and ends what it maps. */
bool fuzz_host_run(struct fuzz_host *host)
{
	const struct quire_engine *engine = &host->engine;

	host->touched = 0;
	host->scheduled = false;
	host->scheduled |= quire_engine_run(&host->engine);
	FINDING_IF(host->mapped);
	FINDING_IF(host->touched / 2 > engine->slice_bytes + QUIRE_MAX_SUBMISSION + FUZZ_PAGE +
		   engine->slice_packets * 64ull);
	FINDING_IF(quire_engine_runnable(engine) && !host->scheduled);

	return host->scheduled;
}

void fuzz_host_stop(struct fuzz_host *host)
{
	quire_engine_fini(&host->engine);
}
