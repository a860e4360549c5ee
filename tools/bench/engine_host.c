// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_host.h"
#include "quire_engine.h"

#define FENCE_ADDRESS	0u
#define ENTRIES_ADDRESS	4096u
#define ORDER		7u
#define ENTRIES		0x80u	/* two to the power of ORDER */

static bool inside(const struct engine_host *host, uint64_t addr, uint64_t len)
{
	return len <= host->system_size && addr <= host->system_size - len;
}

static void *dma_map(void *opaque, uint64_t addr, uint64_t *len, bool write)
{
	struct engine_host *host = opaque;

	(void)write;
	return inside(host, addr, *len) ? host->system + addr : NULL;
}

static void dma_unmap(void *opaque, void *ptr, uint64_t len, bool write, uint64_t touched)
{
	(void)opaque;
	(void)ptr;
	(void)len;
	(void)write;
	(void)touched;
}

static bool dma_write64(void *opaque, uint64_t addr, uint64_t value)
{
	struct engine_host *host = opaque;

	if (!inside(host, addr, sizeof(value)))
		return false;
	__atomic_store_n((uint64_t *)(host->system + addr), value, __ATOMIC_RELEASE);
	return true;
}

static void vram_range(void *opaque, uint64_t offset, uint64_t len)
{
	(void)opaque;
	(void)offset;
	(void)len;
}

static void interrupt(void *opaque, unsigned int vector)
{
	(void)opaque;
	(void)vector;
}

static void kick(void *opaque)
{
	(void)opaque;
}

static void guest_error(void *opaque, const char *format, ...)
{
	va_list args;

	(void)opaque;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static const struct quire_host_ops ops = {
	.dma_map = dma_map,
	.dma_unmap = dma_unmap,
	.dma_write64 = dma_write64,
	.vram_dirty = vram_range,
	.vram_discard = vram_range,
	.interrupt = interrupt,
	.kick = kick,
	.guest_error = guest_error,
};

static void write_ring(struct engine_host *host, unsigned int reg, uint32_t value)
{
	quire_regs_write(host->engine, QUIRE_REG_RING(0, reg), 4, value);
}

/**
 * engine_host_start - make an engine and enable its ring
 * @host: with memory
 *
 * Returns false if the engine refuses, with a message.
 */
bool engine_host_start(struct engine_host *host)
{
	struct quire_engine_config config = {
		.ops = &ops,
		.opaque = host,
		.vram = host->vram,
		.vram_size = host->vram_size,
		.vram_visible = host->vram_size,
		.aperture_size = 1u << 20,
	};
	const char *why;

	host->engine = calloc(1, sizeof(*host->engine));
	if (!host->engine)
		return false;
	if (!quire_engine_init(host->engine, &config, &why)) {
		fprintf(stderr, "engine: %s\n", why);
		return false;
	}
	write_ring(host, QUIRE_RING_ENTRIES_LO, ENTRIES_ADDRESS);
	write_ring(host, QUIRE_RING_FENCE_PAGE_LO, FENCE_ADDRESS);
	write_ring(host, QUIRE_RING_ORDER, ORDER);
	write_ring(host, QUIRE_RING_CONTROL, QUIRE_RING_CONTROL_ENABLE);
	host->submitted = 0;
	return true;
}

static void submit(struct engine_host *host, uint64_t address, uint32_t size)
{
	struct quire_ring_entry *entries = (void *)(host->system + ENTRIES_ADDRESS);
	struct quire_fence_page *page = (void *)(host->system + FENCE_ADDRESS);

	entries[host->submitted % ENTRIES] = (struct quire_ring_entry){
		.addr = address,
		.size = size,
		.fence = host->submitted + 1,
	};
	page->wptr = ++host->submitted;
	quire_regs_write(host->engine, QUIRE_DOORBELL(0), 4, host->submitted);
}

static bool is_done(const struct engine_host *host)
{
	const struct quire_fence_page *page = (const void *)(host->system + FENCE_ADDRESS);

	return page->fence == host->submitted;
}

/**
 * engine_host_run - execute submissions to their end
 * @host: the engine
 * @addresses: DMA address of each
 * @sizes: bytes of each
 * @count: of them
 *
 * Returns false if the engine stops before.
 */
bool engine_host_run(struct engine_host *host, const uint64_t *addresses,
		     const uint32_t *sizes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		submit(host, addresses[i], sizes[i]);
		while (!is_done(host)) {
			if (!quire_engine_run(host->engine) && !is_done(host))
				return false;
		}
	}
	return true;
}

void engine_host_stop(struct engine_host *host)
{
	quire_engine_fini(host->engine);
	free(host->engine);
}
