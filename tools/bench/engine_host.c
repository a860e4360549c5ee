// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "engine_host.h"

#define FENCE_ADDRESS	0u
#define ENTRIES_ADDRESS	4096u
#define ORDER		7u
#define ENTRIES		0x80u	/* two to the power of ORDER */

static void write_ring(struct engine_host *host, unsigned int reg, uint32_t value)
{
	memory_host_write(&host->memory, QUIRE_REG_RING(0, reg), 4, value);
}

/**
 * engine_host_start - make an engine and enable its ring
 * @host: with memory: VRAM, and region 0 from DMA address 0
 */
void engine_host_start(struct engine_host *host)
{
	host->memory.unchecked = true;
	host->memory.parts = 1;
	memory_host_start(&host->memory, ENGINE_HOST_APERTURE, 0, 0);
	write_ring(host, QUIRE_RING_ENTRIES_LO, ENTRIES_ADDRESS);
	write_ring(host, QUIRE_RING_FENCE_PAGE_LO, FENCE_ADDRESS);
	write_ring(host, QUIRE_RING_ORDER, ORDER);
	write_ring(host, QUIRE_RING_CONTROL, QUIRE_RING_CONTROL_ENABLE);
	host->submitted = 0;
}

static void *system_memory(const struct engine_host *host, uint64_t address)
{
	return host->memory.regions[0].bytes + address;
}

static void submit(struct engine_host *host, uint64_t address, uint32_t size)
{
	struct quire_ring_entry *entries = system_memory(host, ENTRIES_ADDRESS);
	struct quire_fence_page *page = system_memory(host, FENCE_ADDRESS);

	entries[host->submitted % ENTRIES] = (struct quire_ring_entry){
		.addr = address,
		.size = size,
		.flags = host->context ? QUIRE_ENTRY_CONTEXT : 0,
		.fence = host->submitted + 1,
		.context = host->context,
	};
	page->wptr = ++host->submitted;
	memory_host_write(&host->memory, QUIRE_DOORBELL(0), 4, host->submitted);
}

static bool is_done(const struct engine_host *host)
{
	const struct quire_fence_page *page = system_memory(host, FENCE_ADDRESS);

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
			if (!memory_host_run(&host->memory) && !is_done(host))
				return false;
		}
	}
	return true;
}
