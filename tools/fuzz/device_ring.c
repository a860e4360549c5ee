// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Rings, and what is submitted to them. */
#include <string.h>

#include "device_guest.h"

/* For the ring whose turn it is; now and then what it refuses. */
void add_packet(struct guest *guest)
{
	uint8_t *packet;

	if (guest->end + 1024 > RAM_SIZE) {
		guest->start = PACKETS;
		guest->end = PACKETS;
	}
	if (guest->start == guest->end) {
		guest->ring = fuzz_below(&guest->input, RINGS);
		guest->in_context = fuzz_below(&guest->input, 2);
	}
	packet = guest->ram + guest->end;
	if (!guest->ring == !fuzz_below(&guest->input, 64))
		guest->end += make_command(guest, packet);
	else if (fuzz_below(&guest->input, guest->in_context ? 2 : 16) == 1)
		guest->end += make_virtual(guest, packet);
	else
		guest->end += make_packet(guest, packet, RAM_BASE + guest->end);
}

/* The packets so far, as one submission. */
void submit(struct guest *guest)
{
	uint32_t odd = fuzz_take(&guest->input, 1), ring = guest->ring;
	uint8_t *entry = guest->ram + ENTRIES(ring) +
			 (guest->wptr[ring] & ((1u << guest->order[ring]) - 1)) * 32 %
			 (2 * FUZZ_PAGE);

	uint64_t context = guest->in_context ? take_context(&guest->input) : odd == 255;
	uint32_t flags = (odd & 1) | (guest->in_context ? QUIRE_ENTRY_CONTEXT : 0);
	uint64_t addr = odd > 240 ? take_edge(&guest->input) : RAM_BASE + guest->start;

	/* packets where a virtual address leads to */
	if (guest->in_context && odd < 16) {
		flags |= QUIRE_ENTRY_VIRTUAL;
		addr = take_va(&guest->input, 8);
	}
	put(entry, addr, 8);
	put(entry + 8, odd > 245 ? fuzz_take(&guest->input, 4) : guest->end - guest->start, 4);
	put(entry + 12, odd > 250 ? fuzz_take(&guest->input, 4) : flags, 4);
	put(entry + 16, fuzz_take(&guest->input, 2), 8);
	put(entry + 24, context, 8);
	guest->start = guest->end;
	guest->wptr[ring]++;
	put(guest->ram + FENCE(ring) + 64,
	    odd > 252 ? fuzz_take(&guest->input, 4) : guest->wptr[ring], 4);
	memory_host_write(&guest->host, QUIRE_DOORBELL(ring), 4, 1);
}

/* All of the aperture is mapped, and the start of it perhaps visible, as a driver has it. */
void map_all(struct guest *guest)
{
	uint32_t how = fuzz_below(&guest->input, 8), pages, size = 32;
	uint64_t first = RAM_BASE / FUZZ_PAGE + fuzz_below(&guest->input, 104);
	uint8_t *packet;

	for (pages = 0; pages < APERTURE_PAGES; pages += WINDOW_SIZE / FUZZ_PAGE) {
		packet = guest->ram + guest->end;
		memset(packet, 0, size);
		put(packet, QUIRE_OP_MAP_APERTURE2 | QUIRE_MAP_CONTIGUOUS << 16, 4);
		packet[2] |= how & QUIRE_MAP_CACHE_COHERENT;
		if (!pages)
			packet[2] |= how & QUIRE_MAP_CPU_VISIBLE;
		put(packet + 4, size, 4);
		put(packet + 8, QUIRE_SEGMENT_APERTURE, 4);
		put(packet + 12, WINDOW_SIZE / FUZZ_PAGE, 4);
		put(packet + 16, pages, 8);
		put(packet + 24, first + pages, 8);
		guest->end += size;
	}
	submit(guest);
}

static void ring_write(struct guest *guest, uint32_t ring, uint32_t reg, uint32_t value)
{
	memory_host_write(&guest->host, QUIRE_REG_RING(ring, reg), 4, value);
}

static void ring_write64(struct guest *guest, uint32_t ring, uint32_t reg, uint64_t value)
{
	ring_write(guest, ring, reg, value & UINT32_MAX);
	ring_write(guest, ring, reg + 4, value >> 32);
}

void start_ring(struct guest *guest, uint32_t ring)
{
	uint32_t odd = fuzz_take(&guest->input, 1);

	guest->order[ring] = fuzz_below(&guest->input, 8);
	guest->wptr[ring] = 0;
	ring_write(guest, ring, QUIRE_RING_CONTROL, 0);
	ring_write64(guest, ring, QUIRE_RING_ENTRIES_LO,
		     odd > 250 ? take_edge(&guest->input) : RAM_BASE + ENTRIES(ring));
	ring_write64(guest, ring, QUIRE_RING_FENCE_PAGE_LO,
		     odd / 4 == 60 ? take_edge(&guest->input) : RAM_BASE + FENCE(ring));
	ring_write(guest, ring, QUIRE_RING_ORDER,
		   odd == 128 ? fuzz_take(&guest->input, 4) : guest->order[ring]);
	ring_write(guest, ring, QUIRE_RING_CONTROL, QUIRE_RING_CONTROL_ENABLE);
	put(guest->ram + FENCE(ring) + 64, 0, 4);
}
